/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace holds beside operations: breakers, faults, phases, counters. */
#include <stdlib.h>

#include "explain/trace.h"

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int by_pair(const void *left, const void *right)
{
    const exp_trace_change *a = left;
    const exp_trace_change *b = right;
    if (a->client != b->client)
        return a->client < b->client ? -1 : 1;
    if (a->partition != b->partition)
        return a->partition < b->partition ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

static int by_time(const void *left, const void *right)
{
    const exp_trace_event *a = left;
    const exp_trace_event *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

/* How many pairs are in which state, whenever that changes; changes lie in order of time. */
static void add_pairs(exp_trace *self)
{
    uint64_t in[RGN_PHASE_RECOVERING + 1] = {0};
    exp_trace_event event = {.pid = EXP_PID_FLEET, .kind = EXP_TRACE_PAIRS, .phase = 'C'};
    bool is_begun = false;
    for (size_t i = 0; i <= self->change_count; i++) {
        const exp_trace_change *change = i < self->change_count ? &self->change[i] : NULL;
        if (!is_begun && (change == NULL || change->at >= self->from)) {
            is_begun = true;
            event.at = self->from;
            event.id = in[RGN_PHASE_UNHEALTHY] << 32 | in[RGN_PHASE_RECOVERING];
            exp_trace_add(self, event);
        }
        if (change == NULL || change->before == change->after)
            continue;
        in[change->before]--;
        in[change->after]++;
        event.at = change->at;
        event.id = in[RGN_PHASE_UNHEALTHY] << 32 | in[RGN_PHASE_RECOVERING];
        if (is_begun)
            exp_trace_add(self, event);
    }
}

/* The state that the change leads to lasts until `end`. */
static void add_state(exp_trace *self, const exp_trace_change *change, int64_t end)
{
    const int64_t start = later(change->at, self->from);
    if (change->after == RGN_PHASE_ABSENT || end <= self->from || end < start)
        return;
    exp_trace_event event = {.at = start,
                             .id = (uint64_t)change->client << 32 | change->partition,
                             .pid = EXP_PID_REGIONS + exp_trace_home(self->run, change->client),
                             .partition = change->partition,
                             .client = change->client,
                             .kind = EXP_TRACE_BREAKER,
                             .phase = 'b',
                             .what = change->after,
                             .reason = change->reason};
    exp_trace_add(self, event);
    event.at = end;
    event.phase = 'e';
    exp_trace_add(self, event);
}

static void add_breakers(exp_trace *self, int64_t end)
{
    if (self->change_count > 0)
        qsort(self->change, self->change_count, sizeof *self->change, by_pair);
    for (size_t i = 0; i < self->change_count; i++) {
        const exp_trace_change *next = i + 1 < self->change_count ? &self->change[i + 1] : NULL;
        const bool is_last =
            next == NULL || next->client != self->change[i].client || next->partition != self->change[i].partition;
        add_state(self, &self->change[i], is_last ? end : next->at);
    }
}

static void add_complete(exp_trace *self, exp_trace_kind kind, uint32_t number, int64_t from, int64_t until)
{
    const int64_t start = later(from, self->from);
    if (start < until)
        exp_trace_add(self, (exp_trace_event){.at = start,
                                              .id = number,
                                              .span = until - start,
                                              .pid = EXP_PID_FAULTS,
                                              .partition = kind == EXP_TRACE_PHASE ? 0 : number + 1,
                                              .kind = (uint8_t)kind,
                                              .phase = 'X'});
}

static void add_schedule(exp_trace *self, int64_t end)
{
    const sim_scenario *scenario = self->run->scenario;
    for (uint32_t p = 0; p < scenario->phase_count; p++) {
        const int64_t until = p + 1 < scenario->phase_count ? scenario->phase[p + 1].start : end;
        add_complete(self, EXP_TRACE_PHASE, p, scenario->phase[p].start, until < end ? until : end);
    }
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        const sim_fault *fault = &scenario->fault[f];
        add_complete(self, EXP_TRACE_FAULT, f, fault->from, fault->until < end ? fault->until : end);
    }
}

/* Legs that arrive at each region, a second; over several seconds where there would be too many values. */
static void add_legs(exp_trace *self, const sim_run_output *output, int64_t end)
{
    const int64_t first = self->from / RGN_NS_PER_S;
    const int64_t last = end / RGN_NS_PER_S < output->load.seconds ? end / RGN_NS_PER_S : output->load.seconds;
    const int64_t stride = (last - first) / EXP_TRACE_COUNTS + 1;
    for (uint32_t r = 0; r < self->run->scenario->region_count; r++) {
        for (int64_t s = first; s < last; s += stride) {
            uint64_t legs = 0;
            for (int64_t i = s; i < s + stride && i < last; i++)
                legs += output->load.count[r * (uint64_t)output->load.seconds + (uint64_t)i];
            exp_trace_add(self, (exp_trace_event){.at = later(s * RGN_NS_PER_S, self->from),
                                                  .id = legs / (uint64_t)stride,
                                                  .pid = EXP_PID_REGIONS + r,
                                                  .kind = EXP_TRACE_LEGS,
                                                  .phase = 'C'});
        }
    }
}

/* The most legs in flight, whenever that changes. */
static void add_flight(exp_trace *self, int64_t end)
{
    const exp_flight *flight = self->flight;
    for (rgn_region r = 0; flight != NULL && r < self->run->scenario->region_count; r++) {
        for (uint32_t k = 0; k < EXP_FLIGHT_STEPS && flight->from + k * flight->stride < end; k++) {
            const uint32_t most = exp_flight_most(flight, r, k);
            if (k == 0 || most != exp_flight_most(flight, r, k - 1))
                exp_trace_add(self, (exp_trace_event){.at = flight->from + k * flight->stride,
                                                      .id = most,
                                                      .pid = EXP_PID_REGIONS + r,
                                                      .kind = EXP_TRACE_FLIGHT,
                                                      .phase = 'C'});
        }
    }
}

bool exp_trace_finish(exp_trace *self, const sim_run_output *output)
{
    const int64_t end = self->until < output->end ? self->until : later(output->end, self->run->scenario->duration);
    add_pairs(self);
    add_breakers(self, end);
    add_schedule(self, end);
    add_legs(self, output, end);
    add_flight(self, end);
    if (self->count > 0)
        qsort(self->event, self->count, sizeof *self->event, by_time);
    return !self->out_of_memory;
}
