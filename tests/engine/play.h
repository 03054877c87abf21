/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays a scenario's text under a policy without hedging, and keeps the operations that end. Runs in the source
 * folder. */
#ifndef ENGINE_PLAY_H
#define ENGINE_PLAY_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "deaf_observer.h"
#include "engine/engine.h"

static const char *const policy_text = "regionsim: 1\n"
                                       "policy: plain\n"
                                       "hedging: {enabled: false}\n";

typedef struct {
    sim_ended ended[64];
    size_t count;
} play;

static inline void on_ended(void *context, const sim_ended *batch, size_t count)
{
    play *self = context;
    ck_assert_uint_le(self->count + count, sizeof self->ended / sizeof *self->ended);
    memcpy(self->ended + self->count, batch, count * sizeof *batch);
    self->count += count;
}

static void run_text(const char *text, sim_mode mode, const sim_observer *observer, sim_run_output *output)
{
    sim_input_error error = {.message = ""};
    sim_scenario *scenario = sim_scenario_parse("scenarios/stations.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    sim_policy *policy = sim_policy_parse("plain.yaml", policy_text, strlen(policy_text), NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%d: %s", error.line, error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    rgn_effective_options options;
    rgn_effective_options workloads[SIM_WORKLOADS_MAX];
    ck_assert(sim_effective_options(scenario, policy, NULL, NULL, &options, &error));
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        ck_assert(sim_effective_options(scenario, policy, &scenario->workload[w], NULL, &workloads[w], &error));
    const sim_luck luck = {.seed = 3};
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &options,
                                 .workload_options = workloads,
                                 .luck = luck,
                                 .mode = mode,
                                 .observer = observer,
                                 .world_run = sim_world_run_create(world, &luck)};
    const char *what;
    ck_assert_ptr_nonnull(input.world_run);
    ck_assert_msg(sim_run(&input, output, &what) == SIM_RUN_OK, "%s", what);
    sim_world_run_destroy(input.world_run);
    sim_world_destroy(world);
    sim_policy_destroy(policy);
    sim_scenario_destroy(scenario);
}

#endif
