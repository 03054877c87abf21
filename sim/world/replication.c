/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far each region is behind the writes of another. */
#include <stdlib.h>

#include "world/internal.h"

bool sim_replication_init(sim_world *world)
{
    const sim_replication *replication = &world->scenario->replication;
    if (!replication->is_on)
        return true;
    const uint32_t count = 1 + replication->pair_count;
    world->lag = malloc(count * sizeof *world->lag);
    if (world->lag == NULL)
        return false;
    sim_sampler_build(&world->lag[0], &replication->lag);
    for (uint32_t i = 0; i < replication->pair_count; i++) {
        sim_sampler_build(&world->lag[1 + i], &replication->pair[i].lag);
        world->lag_of[replication->pair[i].from][replication->pair[i].to] = (uint8_t)(1 + i);
    }
    return true;
}

int64_t sim_world_lag_max(const sim_world *world)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i <= world->scenario->replication.pair_count; i++)
        if (world->lag[i].bin[SIM_QUANTILE_BINS] > most)
            most = world->lag[i].bin[SIM_QUANTILE_BINS];
    int64_t held_back = 0; /* by all faults at their worst together */
    for (uint64_t left = world->replication_faults; left != 0;) {
        const sim_shape *shape = &world->scenario->fault[sim_mask_take(&left)].replication_add;
        int64_t worst = 0;
        for (uint32_t i = 0; i < shape->count; i++)
            worst = shape->point[i].value > worst ? shape->point[i].value : worst;
        held_back = rgn_time_add(held_back, worst);
    }
    return rgn_time_add((int64_t)most, held_back);
}

static bool comes_from(const sim_fault *fault, uint16_t region)
{
    for (uint32_t i = 0; i < fault->home_count; i++)
        if (fault->home[i] == region)
            return true;
    return fault->home_count == 0;
}

/* What faults add to the lag of an interval that begins at `at`. */
static int64_t held_back(const sim_world_run *run, uint32_t partition, rgn_region from, rgn_region to, int64_t at)
{
    const sim_world *world = run->world;
    int64_t sum = 0;
    uint64_t faults = world->replication_faults & world->region_faults[to] & run->scope->hits[partition];
    while (faults != 0) {
        const sim_fault *fault = &run->fault[sim_mask_take(&faults)];
        if (comes_from(fault, world->scenario->region[from]))
            sum = rgn_time_add(sum, sim_fault_held_back_at(fault, at));
    }
    return sum;
}

/* The lag for one interval of a pair of regions and a partition. */
static int64_t lag_in(const sim_world_run *run, const sim_luck *luck, uint32_t partition, rgn_region from,
                      rgn_region to, int64_t interval)
{
    const sim_world *world = run->world;
    const uint64_t places = (uint64_t)world->scenario->region[from] << 16 | world->scenario->region[to];
    const uint64_t counter =
        sim_mix64(run->scope->partition_key[partition]) + (uint64_t)interval * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t word = sim_draw_words(luck, SIM_DRAW_REPLICATION_LAG, counter, places).word[0];
    const int64_t drawn = (int64_t)sim_sampler_draw(&world->lag[world->lag_of[from][to]], word);
    if (world->replication_faults == 0)
        return drawn;
    return rgn_time_add(drawn, held_back(run, partition, from, to, interval * world->scenario->replication.redrawn));
}

/* A region never loses what it has: where a longer lag follows a shorter one, it stands still until that has caught
 * up. So the answer is the greatest over this interval and the ends of those before it, as far back as they matter. */
int64_t sim_world_replicated_until(const sim_world_run *run, const sim_luck *luck, uint32_t partition, rgn_region from,
                                   rgn_region to, int64_t at)
{
    if (from == to)
        return at;
    const int64_t length = run->world->scenario->replication.redrawn;
    int64_t interval = at / length;
    int64_t best = at - lag_in(run, luck, partition, from, to, interval);
    for (; interval > 0 && interval * length > best; interval--) {
        const int64_t before = interval * length - lag_in(run, luck, partition, from, to, interval - 1);
        best = before > best ? before : best;
    }
    return best;
}
