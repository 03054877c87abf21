/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/sample.h"

#include <stdlib.h>

struct sim_sampling {
    sim_observer observer;
    const sim_observer *next;
    uint64_t bound; /* hash of the heap's top once it is full: only lower ones get in */
    size_t count;
    uint64_t hash[SIM_SAMPLE_MAX]; /* max-heap */
    sim_ended *operation;          /* in step with hash */
};

static void put(sim_sampling *self, size_t at, uint64_t hash, const sim_ended *operation)
{
    self->hash[at] = hash;
    self->operation[at] = *operation;
}

static void sift_up(sim_sampling *self, uint64_t hash, const sim_ended *operation)
{
    size_t at = self->count++;
    while (at > 0 && self->hash[(at - 1) / 2] < hash) {
        put(self, at, self->hash[(at - 1) / 2], &self->operation[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(self, at, hash, operation);
}

static void replace_top(sim_sampling *self, uint64_t hash, const sim_ended *operation)
{
    size_t at = 0;
    for (size_t child = 1; child < self->count; child = 2 * at + 1) {
        if (child + 1 < self->count && self->hash[child + 1] > self->hash[child])
            child++;
        if (self->hash[child] <= hash)
            break;
        put(self, at, self->hash[child], &self->operation[child]);
        at = child;
    }
    put(self, at, hash, operation);
}

static void ended(void *context, const sim_ended *batch, size_t count)
{
    sim_sampling *self = context;
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = sim_mix64(batch[i].ordinal + 1); /* a bijection: no two share a hash */
        if (hash >= self->bound)
            continue;
        if (self->count < SIM_SAMPLE_MAX)
            sift_up(self, hash, &batch[i]);
        else
            replace_top(self, hash, &batch[i]);
        if (self->count == SIM_SAMPLE_MAX)
            self->bound = self->hash[0];
    }
    self->next->ended(self->next->context, batch, count);
}

static void failed_leg(void *context, const sim_failed_leg *leg)
{
    const sim_sampling *self = context;
    self->next->failed_leg(self->next->context, leg);
}

static void canary(void *context, const sim_canary *what)
{
    const sim_sampling *self = context;
    self->next->canary(self->next->context, what);
}

static void transition(void *context, uint32_t client, const rgn_transition *what)
{
    const sim_sampling *self = context;
    self->next->transition(self->next->context, client, what);
}

static void strategy(void *context, uint32_t client, bool is_on, int64_t at)
{
    const sim_sampling *self = context;
    self->next->strategy(self->next->context, client, is_on, at);
}

static void endpoint_mark(void *context, uint32_t client, rgn_region region, rgn_mark_reason why, int64_t at)
{
    const sim_sampling *self = context;
    self->next->endpoint_mark(self->next->context, client, region, why, at);
}

sim_sampling *sim_sampling_create(const sim_observer *next)
{
    sim_sampling *self = calloc(1, sizeof *self);
    sim_ended *operation = calloc(SIM_SAMPLE_MAX, sizeof *operation);
    if (self == NULL || operation == NULL) {
        free(self);
        free(operation);
        return NULL;
    }
    self->operation = operation;
    self->next = next;
    self->bound = UINT64_MAX;
    self->observer = (sim_observer){self, ended, failed_leg, canary, transition, endpoint_mark,
                                    strategy};
    return self;
}

const sim_observer *sim_sampling_observer(const sim_sampling *sampling)
{
    return &sampling->observer;
}

static int by_start(const void *left, const void *right)
{
    const sim_ended *a = left;
    const sim_ended *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

sim_sample sim_sampling_finish(sim_sampling *sampling)
{
    const sim_sample sample = {sampling->count, sampling->operation};
    qsort(sample.operation, sample.count, sizeof *sample.operation, by_start);
    free(sampling);
    return sample;
}
