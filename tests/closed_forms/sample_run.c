/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample_run.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "deaf_observer.h"

static const char *const scenario_text =
    "regionsim: 1\n"
    "scenario: sample\n"
    "duration: 200 s\n"
    "account: {writes: multi, regions: [northcentralus, centralus]}\n"
    "network: {round_trip: azure-rtt}\n"
    "service: {read: {constant: 2 ms}, write: {constant: 2 ms}}\n"
    "clients: {chicago: {home: northcentralus, count: 100, preferred: [northcentralus, centralus]}}\n"
    "workload:\n"
    "  shop:\n"
    "    rate: {step: {0: 4800 /s, 10 s: 0 /s, 100 s: %u /s}}\n"
    "    partitions: {count: 120}\n"
    "    operations: {read: 100 %%}\n"
    "faults:\n"
    "  outage:\n"
    "    where: {regions: [northcentralus]}\n"
    "    errors: {statuses: {503: 100 %%}, share: {step: {0: 100 %%, 20 s: %u.%04u %%}}}\n";

/* Trips happen in the first 10 s; dwell and jitter end between 60 s and 100 s. */
static const char *const policy_text =
    "regionsim: 1\n"
    "policy: sample\n"
    "breaker: {read_failure_threshold: 1}\n"
    "hedging: {enabled: false}\n"
    "failback: {canary_percentage: 100, eval_window: 1 h, promote: due, partition_unavailability_duration: 60 s}\n";

#define TRAFFIC_RETURNS (100 * RGN_NS_PER_S)

static sample_recovery *of_pair(void *context, uint32_t client, uint32_t partition)
{
    return (sample_recovery *)context + client * SAMPLE_PARTITIONS + partition;
}

static void on_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    sample_recovery *self = of_pair(context, client, transition->partition);
    if (transition->reason == RGN_REASON_PROMOTE && transition->at <= TRAFFIC_RETURNS)
        self->is_promoted = true;
    if (!self->is_promoted)
        return;
    const bool is_failback = transition->reason == RGN_REASON_FAILBACK;
    if (self->is_decided || (!is_failback && transition->reason != RGN_REASON_RETRIP))
        return;
    self->is_decided = true;
    self->is_failback = is_failback;
    self->total = transition->canary_total;
    self->success = transition->canary_success;
}

static void on_canary(void *context, const sim_canary *canary)
{
    sample_recovery *self = of_pair(context, canary->client, canary->partition);
    if (self->is_promoted && !self->is_decided)
        self->results++;
}

void sample_run(uint32_t success_ppm, uint32_t results, uint64_t seed, sample_recovery *recovery)
{
    char text[1024];
    sim_input_error error = {.message = ""};
    const uint32_t failure_ppm = 1000000 - success_ppm;
    snprintf(text, sizeof text, scenario_text, results * SAMPLE_PAIRS / 100, failure_ppm / 10000, failure_ppm % 10000);
    sim_scenario *scenario = sim_scenario_parse("scenarios/sample.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    sim_policy *policy = sim_policy_parse("sample.yaml", policy_text, strlen(policy_text), NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%d: %s", error.line, error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    rgn_effective_options options;
    ck_assert(sim_effective_options(scenario, policy, NULL, NULL, &options, &error));
    const sim_luck luck = {.seed = seed};
    sim_observer observer = deaf_observer(recovery);
    observer.canary = on_canary;
    observer.transition = on_transition;
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &options,
                                 .workload_options = &options,
                                 .luck = luck,
                                 .observer = &observer,
                                 .world_run = sim_world_run_create(world, &luck)};
    ck_assert_ptr_nonnull(input.world_run);
    memset(recovery, 0, SAMPLE_PAIRS * sizeof *recovery);
    sim_run_output output;
    const char *what;
    ck_assert_int_eq(sim_run(&input, &output, &what), SIM_RUN_OK);
    sim_run_output_deinit(&output);
    sim_world_run_destroy(input.world_run);
    sim_world_destroy(world);
    sim_policy_destroy(policy);
    sim_scenario_destroy(scenario);
}
