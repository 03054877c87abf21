/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of what a region can bear is left at an instant: faults take some away, and what comes back after one warms
 * up. */
#include "world/internal.h"

#include <stdlib.h>

bool sim_capacity_init(sim_world *world)
{
    const sim_scenario *scenario = world->scenario;
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        if (scenario->fault[f].capacity_lost.count > 0)
            world->capacity_faults |= UINT64_C(1) << f;
    if (!scenario->has_capacity)
        return true;
    world->busy = calloc((size_t)scenario->region_count * SIM_KINDS, sizeof *world->busy);
    for (uint32_t r = 0; world->busy != NULL && r < scenario->region_count; r++)
        for (int k = 0; k < SIM_KINDS && scenario->capacity[r].servers > 0; k++)
            sim_sampler_build(&world->busy[r * SIM_KINDS + (unsigned)k], &scenario->capacity[r].busy[k]);
    return world->busy != NULL;
}

const sim_sampler *sim_world_busy(const sim_world *world, rgn_region region, sim_kind kind)
{
    return &world->busy[region * (unsigned)SIM_KINDS + (unsigned)kind];
}

/* Of a whole, both ppb. */
static uint32_t share_of(uint32_t whole, uint32_t share)
{
    return (uint32_t)((uint64_t)whole * share / SIM_SHARE_ONE);
}

/* The straight line from `warm_from` right after the latest end of a fault, rounded down. */
static uint32_t warmth(const sim_capacity *capacity, int64_t since)
{
    if (since >= capacity->warm_over)
        return SIM_SHARE_ONE;
    const sim_u128 way = (sim_u128)(SIM_SHARE_ONE - capacity->warm_from) * (uint64_t)since;
    return capacity->warm_from + (uint32_t)(way / (uint64_t)capacity->warm_over);
}

uint32_t sim_world_capacity_left(const sim_world_run *run, rgn_region region, uint32_t partition, int64_t at)
{
    const sim_world *world = run->world;
    const sim_capacity *capacity = &world->scenario->capacity[region];
    uint64_t faults = sim_world_request_faults(world, region) & run->scope->hits[partition];
    uint32_t left = SIM_SHARE_ONE;
    int64_t last_end = INT64_MIN;
    if (capacity->warm_over == 0)
        faults &= world->capacity_faults;
    while (faults != 0) {
        const sim_fault *fault = &run->fault[sim_mask_take(&faults)];
        left = share_of(left, SIM_SHARE_ONE - sim_fault_capacity_lost_at(fault, at));
        if (fault->until <= at && fault->until > last_end)
            last_end = fault->until;
    }
    if (capacity->warm_over > 0 && last_end != INT64_MIN)
        left = share_of(left, warmth(capacity, at - last_end));
    return left;
}
