/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/digest.h"
#include "world/round_trip_table.h"

static const char *const kind_name[SIM_KINDS] = {[SIM_KIND_READ] = "read", [SIM_KIND_WRITE] = "write"};

/* A table whose end was cut is one whose times cannot be told: better refused than quietly bent. */
static bool is_cut(const sim_sampler *sampler)
{
    return sampler->bin[SIM_QUANTILE_BINS] >= SIM_SAMPLER_MAX;
}

static bool build_samplers(sim_world *world, sim_input_error *error)
{
    const sim_scenario *scenario = world->scenario;
    for (int k = 0; k < SIM_KINDS; k++) {
        sim_sampler_build(&world->service[k], &scenario->service[k]);
        if (is_cut(&world->service[k]))
            return sim_world_refuse(error, scenario->path, 0, 0,
                                    "service.%s: one in 2^46 would take longer than 73 years; expected a distribution "
                                    "with a shorter tail (for a lognormal, a p99 nearer to its p50)",
                                    kind_name[k]);
    }
    if (scenario->jitter_sigma == 0)
        return true;
    /* In ppm instead of ns: the median factor is 1. */
    sim_sampler_build(&world->jitter,
                      &(sim_dist){.type = SIM_DIST_LOGNORMAL, .a = SIM_FACTOR_ONE, .b = scenario->jitter_sigma});
    return true;
}

static void sort_faults(sim_world *world)
{
    const sim_scenario *scenario = world->scenario;
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        const uint64_t bit = UINT64_C(1) << f;
        for (uint32_t r = 0; r < scenario->region_count; r++)
            if (rgn_region_in(scenario->fault[f].regions, (rgn_region)r))
                world->region_faults[r] |= bit;
        for (int k = 0; k < SIM_KINDS; k++)
            if (scenario->fault[f].kinds >> k & 1)
                world->kind_faults[k] |= bit;
        if ((scenario->fault[f].kinds & SIM_KINDS_ACCOUNT) != 0)
            world->account_faults |= bit;
        if (scenario->fault[f].replication_add.count > 0)
            world->replication_faults |= bit;
        if (scenario->fault[f].only_new_connections)
            world->new_connection_faults |= bit;
    }
}

static void hash_sampler(sim_digest *digest, const sim_sampler *sampler)
{
    for (int i = 0; i < SIM_QUANTILE_BINS; i += 4)
        sim_digest_add(digest, sampler->bin[i], sampler->bin[i + 1], sampler->bin[i + 2], sampler->bin[i + 3]);
    for (int j = 0; j < SIM_TAIL_POINTS; j++)
        sim_digest_add(digest, sampler->tail[0][j], sampler->tail[1][j], 0, 0);
}

static uint64_t hash_tables(const sim_world *world)
{
    const sim_scenario *scenario = world->scenario;
    const sim_distances *distances = &world->distances;
    sim_digest digest = sim_digest_start();
    for (int k = 0; k < SIM_KINDS; k++)
        hash_sampler(&digest, &world->service[k]);
    if (scenario->jitter_sigma != 0)
        hash_sampler(&digest, &world->jitter);
    for (uint32_t i = 0; world->lag != NULL && i <= scenario->replication.pair_count; i++)
        hash_sampler(&digest, &world->lag[i]);
    for (uint32_t r = 0; r < scenario->region_count; r++)
        for (int k = 0; k < SIM_KINDS && scenario->capacity[r].servers > 0; k++)
            hash_sampler(&digest, sim_world_busy(world, (rgn_region)r, (sim_kind)k));
    for (uint32_t h = 0; h < distances->home_count; h++)
        for (uint32_t r = 0; r < scenario->region_count; r++)
            sim_digest_add(&digest, distances->home[h], scenario->region[r],
                           (uint64_t)distances->round_trip[(size_t)h * scenario->region_count + r], 0);
    return sim_digest_fold(digest.lane[0], digest.lane[1] | 1);
}

sim_world *sim_world_create(const sim_scenario *scenario, sim_input_error *error)
{
    assert(scenario->fault_count <= SIM_FAULTS_MAX);
    sim_world *world = calloc(1, sizeof *world);
    if (world == NULL) {
        sim_world_refuse(error, scenario->path, 0, 0, "out of memory");
        return NULL;
    }
    world->scenario = scenario;
    sort_faults(world);
    if (!sim_account_line_init(&world->account, scenario)) {
        sim_world_refuse(error, scenario->path, 0, 0, "out of memory");
        goto failed;
    }
    if (!sim_distances_init(&world->distances, scenario, error) || !build_samplers(world, error))
        goto failed;
    if (!sim_replication_init(world) || !sim_capacity_init(world)) {
        sim_world_refuse(error, scenario->path, 0, 0, "out of memory");
        goto failed;
    }
    for (uint32_t r = 0; r < scenario->region_count; r++)
        if (!sim_stretches_init(&world->stretches[r], scenario->fault,
                                sim_world_request_faults(world, (rgn_region)r))) {
            sim_world_refuse(error, scenario->path, 0, 0, "out of memory");
            goto failed;
        }
    world->tables_hash = hash_tables(world);
    return world;
failed:
    sim_world_destroy(world);
    return NULL;
}

void sim_world_destroy(sim_world *world)
{
    if (world == NULL)
        return;
    for (uint32_t r = 0; r < RGN_REGIONS_MAX; r++)
        sim_stretches_deinit(&world->stretches[r]);
    sim_account_line_deinit(&world->account);
    sim_distances_deinit(&world->distances);
    free(world->lag);
    free(world->busy);
    free(world);
}

const char *sim_world_notes(const sim_world *world)
{
    return world->distances.notes;
}

const int64_t *sim_world_round_trips(const sim_world *world, uint16_t client_region)
{
    const sim_distances *distances = &world->distances;
    for (uint32_t h = 0; h < distances->home_count; h++)
        if (distances->home[h] == client_region)
            return &distances->round_trip[(size_t)h * world->scenario->region_count];
    return NULL;
}

bool sim_world_needs_connections(const sim_world *world)
{
    return world->new_connection_faults != 0;
}

uint64_t sim_world_tables_hash(const sim_world *world)
{
    return world->tables_hash;
}
