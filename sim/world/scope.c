/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What luck decides of a world: which partitions each fault hits. */
#include "world/internal.h"

#include <stdlib.h>

#include "engine/digest.h"

/* The share is compared with a word that does not depend on it: a greater share hits the same partitions and more. */
static bool is_hit(const sim_luck *luck, const sim_fault *fault, const sim_workload *workload, uint32_t partition)
{
    const uint64_t word =
        sim_draw_words(luck, SIM_DRAW_FAULT_PARTITION, fault->name_hash ^ workload->name_hash, partition).word[0];
    return sim_below(word, SIM_SHARE_ONE) < fault->partition_share;
}

static void draw_hits(uint64_t *hits, const sim_scenario *scenario, const sim_luck *luck)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        for (uint32_t w = 0; w < scenario->workload_count; w++) {
            const sim_workload *workload = &scenario->workload[w];
            for (uint32_t p = 0; p < workload->partition_count; p++)
                if (is_hit(luck, &scenario->fault[f], workload, p))
                    hits[workload->first_partition + p] |= UINT64_C(1) << f;
        }
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
    if (run->scope->hits == NULL)
        goto failed;
    draw_hits(run->scope->hits, scenario, luck);
    if (!sim_truth_init(run->scope, world))
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
    if (run->scope != NULL) {
        sim_truth_deinit(run->scope);
        free(run->scope->hits);
    }
    free(run->scope);
    free(run);
}

/* Names and partitions, not numbers of faults: what counts is who is hit by what. */
uint64_t sim_world_run_scope_hash(const sim_world_run *run)
{
    const sim_scenario *scenario = run->world->scenario;
    sim_digest digest = sim_digest_start();
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        for (uint32_t w = 0; w < scenario->workload_count; w++) {
            const sim_workload *workload = &scenario->workload[w];
            for (uint32_t p = 0; p < workload->partition_count; p++)
                if (run->scope->hits[workload->first_partition + p] >> f & 1)
                    sim_digest_add(&digest, scenario->fault[f].name_hash, workload->name_hash, p, 1);
        }
    return sim_digest_fold(digest.lane[0], digest.lane[1] | 1);
}
