/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults whose course is luck: shapes of two values that take turns for drawn times, drawn once for a run. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "world/internal.h"

enum { POINTS_FIRST = 64 };

static const size_t shape_of_fault[] = {
    offsetof(sim_fault, error_share), offsetof(sim_fault, latency_multiply), offsetof(sim_fault, latency_add),
    offsetof(sim_fault, loss),        offsetof(sim_fault, replication_add),  offsetof(sim_fault, capacity_lost),
};
enum { SHAPES = sizeof shape_of_fault / sizeof *shape_of_fault };

static const sim_shape *shape_at(const sim_fault *fault, size_t i)
{
    return (const sim_shape *)(const void *)((const char *)fault + shape_of_fault[i]);
}

static bool is_drawn(const sim_fault *fault)
{
    for (size_t i = 0; i < SHAPES; i++)
        if (shape_at(fault, i)->type == SIM_SHAPE_MARKOV)
            return true;
    return false;
}

/* The nth time of the fault, whichever its shape, so that shapes with the same means go together. */
static uint64_t sojourn_word(const sim_luck *luck, const sim_fault *fault, uint32_t n)
{
    return sim_draw_words(luck, SIM_DRAW_SOJOURN, fault->name_hash, (uint64_t)fault->occurrence << 32 | n).word[0];
}

/* Both tables of times; a time is at least a nanosecond, so that points rise. */
typedef struct {
    sim_sampler time[2];
} sojourns;

/* The points of a step until `life` is over; NULL: no memory. */
static sim_point *draw_points(const sim_luck *luck, const sim_fault *fault, const sim_shape *shape, int64_t life,
                              uint32_t *count)
{
    sojourns *times = malloc(sizeof *times);
    sim_point *point = NULL;
    uint32_t room = 0;
    *count = 0;
    for (int i = 0; times != NULL && i < 2; i++)
        sim_sampler_build(&times->time[i], &(sim_dist){.type = SIM_DIST_EXPONENTIAL, .a = shape->point[i].at});
    for (int64_t at = 0; times != NULL && (*count == 0 || at < life); ++*count) {
        if (*count == room) {
            room = room == 0 ? POINTS_FIRST : 2 * room;
            sim_point *grown = realloc(point, room * sizeof *point);
            if (grown == NULL) {
                free(point);
                point = NULL;
                break;
            }
            point = grown;
        }
        const uint32_t which = *count % 2;
        point[*count] = (sim_point){at, shape->point[which].value};
        const int64_t drawn = (int64_t)sim_sampler_draw(&times->time[which], sojourn_word(luck, fault, *count));
        at = rgn_time_add(at, drawn > 0 ? drawn : 1);
    }
    free(times);
    return point;
}

static bool draw_fault(sim_fault *fault, const sim_scenario *scenario, const sim_luck *luck)
{
    const int64_t end = rgn_time_min(fault->until, scenario->duration);
    const int64_t life = end > fault->from ? end - fault->from : 0;
    for (size_t i = 0; i < SHAPES; i++) {
        sim_shape *shape = (sim_shape *)(void *)((char *)fault + shape_of_fault[i]);
        if (shape->type != SIM_SHAPE_MARKOV)
            continue;
        uint32_t count;
        sim_point *point = draw_points(luck, fault, shape, life, &count);
        *shape = (sim_shape){SIM_SHAPE_STEP, point != NULL ? count : 0, point};
        if (point == NULL)
            return false;
    }
    return true;
}

bool sim_drawn_init(sim_world_run *run, const sim_luck *luck)
{
    const sim_world *world = run->world;
    const sim_scenario *scenario = world->scenario;
    uint64_t drawn = 0;
    run->fault = scenario->fault;
    run->stretches = world->stretches;
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        drawn |= (uint64_t)is_drawn(&scenario->fault[f]) << f;
    if (drawn == 0)
        return true;
    sim_drawn *self = calloc(1, sizeof *self);
    run->drawn = self;
    if (self == NULL)
        return false;
    self->fault = malloc(scenario->fault_count * sizeof *self->fault);
    if (self->fault == NULL)
        return false;
    memcpy(self->fault, scenario->fault, scenario->fault_count * sizeof *self->fault);
    for (; drawn != 0;)
        if (!draw_fault(&self->fault[sim_mask_take(&drawn)], scenario, luck))
            return false;
    for (uint32_t r = 0; r < scenario->region_count; r++)
        if (!sim_stretches_init(&self->stretches[r], self->fault, sim_world_request_faults(world, (rgn_region)r)))
            return false;
    run->fault = self->fault;
    run->stretches = self->stretches;
    return true;
}

void sim_drawn_deinit(sim_world_run *run)
{
    sim_drawn *self = run->drawn;
    if (self == NULL)
        return;
    const sim_scenario *scenario = run->world->scenario;
    for (uint32_t f = 0; self->fault != NULL && f < scenario->fault_count; f++)
        for (size_t i = 0; i < SHAPES; i++)
            if (shape_at(&scenario->fault[f], i)->type == SIM_SHAPE_MARKOV &&
                shape_at(&self->fault[f], i)->type != SIM_SHAPE_MARKOV)
                free((void *)(uintptr_t)shape_at(&self->fault[f], i)->point);
    for (uint32_t r = 0; r < RGN_REGIONS_MAX; r++)
        sim_stretches_deinit(&self->stretches[r]);
    free(self->fault);
    free(self);
}

void sim_drawn_hash(const sim_world_run *run, uint32_t number, sim_digest *digest)
{
    const sim_fault *fault = &run->fault[number];
    for (size_t i = 0; i < SHAPES; i++) {
        const sim_shape *shape = shape_at(fault, i);
        if (shape_at(&run->world->scenario->fault[number], i)->type != SIM_SHAPE_MARKOV)
            continue;
        for (uint32_t k = 0; k < shape->count; k++)
            sim_digest_add(digest, fault->name_hash, i, (uint64_t)shape->point[k].at, (uint64_t)shape->point[k].value);
    }
}
