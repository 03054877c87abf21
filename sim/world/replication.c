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
    return (int64_t)most;
}

/* The lag drawn for one interval of a pair of regions and a partition. */
static int64_t drawn_lag(const sim_world_run *run, const sim_luck *luck, uint32_t partition, rgn_region from,
                         rgn_region to, int64_t interval)
{
    const sim_world *world = run->world;
    const uint64_t places = (uint64_t)world->scenario->region[from] << 16 | world->scenario->region[to];
    const uint64_t counter =
        sim_mix64(run->scope->partition_key[partition]) + (uint64_t)interval * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t word = sim_draw_words(luck, SIM_DRAW_REPLICATION_LAG, counter, places).word[0];
    return (int64_t)sim_sampler_draw(&world->lag[world->lag_of[from][to]], word);
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
    int64_t best = at - drawn_lag(run, luck, partition, from, to, interval);
    for (; interval > 0 && interval * length > best; interval--) {
        const int64_t before = interval * length - drawn_lag(run, luck, partition, from, to, interval - 1);
        best = before > best ? before : best;
    }
    return best;
}
