/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What luck decides of a world: which partitions and clients each fault hits. */
#include "world/internal.h"

#include <stdlib.h>

#include "engine/digest.h"

static bool is_listed(const sim_fault *fault, uint32_t partition)
{
    uint32_t low = 0;
    uint32_t high = fault->partition_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (fault->partition[middle] == partition)
            return true;
        if (fault->partition[middle] < partition)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static uint16_t only_region(const sim_scenario *scenario, const sim_fault *fault)
{
    return scenario->region[__builtin_ctz(fault->regions)];
}

/* A zone that holds partitions. Which it holds depends on the partition, the region and the number of zones. */
static bool is_in_zone(const sim_luck *luck, const sim_scenario *scenario, const sim_fault *fault,
                       const sim_workload *workload, uint32_t partition)
{
    if (fault->zone.of == 0 || fault->zone_of_replicas)
        return true;
    const uint64_t word =
        sim_draw_words(luck, SIM_DRAW_ZONE, workload->name_hash + partition, only_region(scenario, fault)).word[0];
    return sim_below(word, fault->zone.of) + 1 == fault->zone.number;
}

/* A share is compared with a word that does not depend on it: a greater share hits the same partitions and more. */
static bool is_hit(const sim_luck *luck, const sim_fault *fault, const sim_workload *workload, uint32_t partition)
{
    if (fault->partition_count > 0)
        return is_listed(fault, partition);
    const uint64_t word =
        sim_draw_words(luck, SIM_DRAW_FAULT_PARTITION, fault->name_hash, sim_mix64(workload->name_hash) + partition)
            .word[0];
    return sim_below(word, SIM_SHARE_ONE) < fault->partition_share;
}

/* Behind the last partition: the faults on all of them, which strike what lies in none. */
static void draw_hits(uint64_t *hits, const sim_scenario *scenario, const sim_luck *luck)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        if (sim_fault_strikes_all(&scenario->fault[f]))
            hits[scenario->partition_count] |= UINT64_C(1) << f;
        for (uint32_t w = 0; w < scenario->workload_count; w++) {
            const sim_workload *workload = &scenario->workload[w];
            const sim_fault *fault = &scenario->fault[f];
            if (fault->workloads != 0 && (fault->workloads >> w & 1) == 0)
                continue;
            for (uint32_t p = 0; p < workload->partition_count; p++)
                if (is_hit(luck, fault, workload, p) && is_in_zone(luck, scenario, fault, workload, p))
                    hits[workload->first_partition + p] |= UINT64_C(1) << f;
        }
    }
}

/* The same for clients, by their group's name and their place in it. */
static bool is_client_hit(const sim_luck *luck, const sim_fault *fault, const sim_client_group *group, uint32_t place)
{
    const uint64_t key = group->name_hash + place;
    const uint64_t word = sim_draw_words(luck, SIM_DRAW_FAULT_CLIENT, fault->name_hash, key).word[0];
    return sim_below(word, SIM_SHARE_ONE) < fault->client_share;
}

static bool is_at_home(const sim_fault *fault, const sim_client_group *group)
{
    for (uint32_t i = 0; i < fault->home_count; i++)
        if (fault->home[i] == group->home)
            return true;
    return fault->home_count == 0;
}

static bool goes_through(const sim_luck *luck, const sim_scenario *scenario, const sim_fault *fault,
                         const sim_client_group *group, uint32_t place)
{
    if (fault->front_end.of == 0)
        return true;
    const uint64_t word =
        sim_draw_words(luck, SIM_DRAW_FRONT_END, group->name_hash + place, only_region(scenario, fault)).word[0];
    return sim_below(word, fault->front_end.of) + 1 == fault->front_end.number;
}

static void hit_every_client(struct sim_world_scope *scope, const sim_scenario *scenario, uint64_t bit)
{
    for (uint32_t c = 0; c < scenario->client_count; c++)
        scope->client_hits[c] |= bit;
    scope->any_client |= bit;
}

static void draw_client_hits(struct sim_world_scope *scope, const sim_scenario *scenario, const sim_luck *luck,
                             uint32_t fault)
{
    const uint64_t bit = UINT64_C(1) << fault;
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        const sim_client_group *group = &scenario->group[g];
        if (!is_at_home(&scenario->fault[fault], group))
            continue;
        for (uint32_t i = 0; i < group->count; i++)
            if (is_client_hit(luck, &scenario->fault[fault], group, i) &&
                goes_through(luck, scenario, &scenario->fault[fault], group, i)) {
                scope->client_hits[group->first_client + i] |= bit;
                scope->any_client |= bit;
            }
    }
}

/* The faults that need not ask whom they meet. */
static uint64_t hit_everybody(const struct sim_world_scope *scope, const sim_world *world)
{
    uint64_t all = world->kind_faults[SIM_KIND_READ] & world->kind_faults[SIM_KIND_WRITE];
    all &= ~world->new_connection_faults;
    for (uint32_t p = 0; p <= world->scenario->partition_count; p++)
        all &= scope->hits[p];
    for (uint32_t c = 0; c < world->scenario->client_count; c++)
        all &= scope->client_hits[c];
    return all;
}

/* The same keys as the fleet's: a workload's name and a number within it. */
static bool set_keys(struct sim_world_scope *scope, const sim_scenario *scenario)
{
    scope->partition_key = calloc((size_t)scenario->partition_count + 1, sizeof *scope->partition_key);
    if (scope->partition_key == NULL)
        return false;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const sim_workload *workload = &scenario->workload[w];
        for (uint32_t p = 0; p < workload->partition_count; p++)
            scope->partition_key[workload->first_partition + p] = workload->name_hash + p;
    }
    return true;
}

sim_world_run *sim_world_run_create(const sim_world *world, const sim_luck *luck)
{
    const sim_scenario *scenario = world->scenario;
    sim_world_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->world = world;
    for (int k = 0; k < SIM_KINDS; k++)
        run->service[k] = &world->service[k];
    run->jitter = scenario->jitter_sigma != 0 ? &world->jitter : NULL;
    run->scope = calloc(1, sizeof *run->scope);
    if (run->scope == NULL)
        goto failed;
    run->scope->hits = calloc((size_t)scenario->partition_count + 1, sizeof *run->scope->hits);
    run->scope->client_hits = calloc((size_t)scenario->client_count + 1, sizeof *run->scope->client_hits);
    if (run->scope->hits == NULL || run->scope->client_hits == NULL)
        goto failed;
    draw_hits(run->scope->hits, scenario, luck);
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        if (!sim_fault_picks_clients(&scenario->fault[f]))
            hit_every_client(run->scope, scenario, UINT64_C(1) << f);
        else
            draw_client_hits(run->scope, scenario, luck, f);
    }
    run->scope->everybody = hit_everybody(run->scope, world);
    if (!sim_drawn_init(run, luck) || !sim_truth_init(run) || !sim_write_regions_init(run) ||
        (scenario->replication.is_on && !set_keys(run->scope, scenario)))
        goto failed;
    return run;
failed:
    sim_world_run_destroy(run);
    return NULL;
}

void sim_world_run_destroy(sim_world_run *run)
{
    if (run == NULL)
        return;
    sim_write_regions_deinit(run);
    sim_drawn_deinit(run);
    if (run->scope != NULL) {
        sim_truth_deinit(run->scope);
        free(run->scope->hits);
        free(run->scope->partition_key);
        free(run->scope->client_hits);
    }
    free(run->scope);
    free(run);
}

static void hash_clients(sim_digest *digest, const sim_world_run *run, uint32_t fault)
{
    const sim_scenario *scenario = run->world->scenario;
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        const sim_client_group *group = &scenario->group[g];
        for (uint32_t i = 0; i < group->count; i++)
            if (run->scope->client_hits[group->first_client + i] >> fault & 1)
                sim_digest_add(digest, scenario->fault[fault].name_hash, group->name_hash, i, 2);
    }
}

/* Names, partitions and clients, not numbers of faults: what counts is who is hit by what. Faults that hit every client
 * need no line for each. */
uint64_t sim_world_run_scope_hash(const sim_world_run *run)
{
    const sim_scenario *scenario = run->world->scenario;
    sim_digest digest = sim_digest_start();
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        if (sim_fault_picks_clients(&scenario->fault[f]))
            hash_clients(&digest, run, f);
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        sim_drawn_hash(run, f, &digest);
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        for (uint32_t w = 0; w < scenario->workload_count; w++) {
            const sim_workload *workload = &scenario->workload[w];
            for (uint32_t p = 0; p < workload->partition_count; p++)
                if (run->scope->hits[workload->first_partition + p] >> f & 1)
                    sim_digest_add(&digest, scenario->fault[f].name_hash, workload->name_hash, p, 1);
        }
    return sim_digest_fold(digest.lane[0], digest.lane[1] | 1);
}
