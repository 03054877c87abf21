/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <string.h>

static const sim_phase PHASES[] = {{"before", 0}, {"after", 60 * RGN_NS_PER_S}};
static const sim_workload WORKLOADS[] = {{.name = "shop", .clients = 2, .partition_count = 4}};
static const sim_scenario SCENARIO = {
    .name = "made",
    .about = "made by hand; says \"hello\"",
    .path = "made.yaml",
    .text = "regionsim: 1\nscenario: made\n",
    .canonical = "scenario = made\n",
    .duration = 120 * RGN_NS_PER_S,
    .region_count = 2,
    .region_name = {"northcentralus", "centralus"},
    .writable = {1, {0}},
    .client_count = 2,
    .workload_count = 1,
    .workload = WORKLOADS,
    .partition_count = 4,
    .phase_count = 2,
    .phase = PHASES,
};
static const sim_policy POLICIES[] = {
    {.name = "calm", .path = "calm.yaml", .text = "policy: calm\n", .canonical = "a\n"},
    {.name = "hasty", .path = "hasty.yaml", .text = "policy: hasty\n", .canonical = "b\n"},
};
static const sim_scenario *const SCENARIO_LIST[] = {&SCENARIO};
static const sim_policy *const POLICY_LIST[] = {&POLICIES[0], &POLICIES[1]};
static const char *const NOTES[] = {"a note"};

sim_store_plan fixture_plan(uint32_t replications)
{
    static rgn_effective_options options;
    static sim_store_pair pairs[2];
    rgn_options_default(&options.values);
    for (int i = 0; i < 2; i++) {
        pairs[i] = (sim_store_pair){.clients = &options, .workloads = &options};
        memset(pairs[i].input_digest, 'a' + i, 32);
    }
    return (sim_store_plan){
        .seed = 7,
        .replications = replications,
        .scenario_count = 1,
        .scenario = SCENARIO_LIST,
        .notes = NOTES,
        .policy_count = 2,
        .policy = POLICY_LIST,
        .pair = pairs,
    };
}

void fixture_record(sim_histogram *histogram, int64_t ns)
{
    histogram->count[sim_histogram_bucket((uint64_t)ns)]++;
    histogram->total++;
    histogram->sum += (uint64_t)ns;
    histogram->max = ns > histogram->max ? ns : histogram->max;
}

static void make_metrics(fixture_run *out, uint32_t id)
{
    for (int i = 0; i < (int)(FIXTURE_PHASES * SIM_METRIC_COUNT); i++)
        out->metric[i] = (sim_metric_value){.value = (double)i + id / 16.0, .samples = id};
    out->metric[SIM_METRIC_flap_rate] = (sim_metric_value){.is_null = true};
    out->metric[SIM_METRIC_failback_lag_max] =
        (sim_metric_value){.value = 1e9 * id, .samples = 1, .is_null = true, .is_censored = true};
    for (int phase = 0; phase < FIXTURE_PHASES; phase++) {
        sim_histogram_clear(&out->ok[phase]);
        sim_histogram_clear(&out->failed[phase]);
        for (int64_t n = 1; n <= 100; n++)
            fixture_record(&out->ok[phase], n * RGN_NS_PER_MS * id);
    }
    fixture_record(&out->failed[0], 3 * RGN_NS_PER_S);
}

static void make_rows(fixture_run *out, uint32_t id)
{
    for (int i = 0; i < FIXTURE_INTERVALS; i++)
        out->interval[i] = (sim_interval_row){.start = i * 30 * RGN_NS_PER_S,
                                              .requests = id + (uint64_t)i,
                                              .latency_p50 = i == 0 ? -1 : 5,
                                              .latency_p99 = -1,
                                              .latency_max = 9,
                                              .region_legs = {10 + id, 20 + id}};
    out->transition[0] = (sim_transition_row){1,
                                              {.at = 21 * RGN_NS_PER_S,
                                               .partition = 3,
                                               .reason = RGN_REASON_TRIP,
                                               .direction = RGN_WRITE,
                                               .phase_before = RGN_PHASE_COUNTING,
                                               .phase_after = RGN_PHASE_UNHEALTHY,
                                               .tripped_before = 0,
                                               .tripped_after = 2,
                                               .region = 0,
                                               .first_failed = 0,
                                               .current = 1,
                                               .cause = RGN_CAUSE_FAILURES,
                                               .failed = 1,
                                               .generation = 11,
                                               .window_id = 12,
                                               .canary_total = 13,
                                               .canary_success = 14,
                                               .canary_in_flight = 15,
                                               .failures = 16,
                                               .threshold = 17,
                                               .elapsed = 18,
                                               .jitter = 19}};
    out->transition[1] = (sim_transition_row){0,
                                              {.at = 30 * RGN_NS_PER_S,
                                               .reason = RGN_REASON_PROMOTE,
                                               .region = RGN_REGION_NONE,
                                               .first_failed = 1,
                                               .current = RGN_REGION_NONE}};
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        out->sample[i] =
            (sim_story){.ended = {.start = 1000 * i,
                                  .end = 1000 * i + 500,
                                  .canary_retry = i == 0 ? -1 : 70,
                                  .ordinal = (uint64_t)i,
                                  .client = 1,
                                  .outcome = sim_ended_outcome(200, 0, RGN_REASON_DONE_SUCCESS, RGN_REGION_NONE),
                                  .legs = 1,
                                  .unserved_legs = 1,
                                  .kind = (uint8_t)i,
                                  .first_region = 0,
                                  .flags = SIM_ENDED_SUCCESS | SIM_ENDED_AWAY},
                        .hedge = {.started = i == 0 ? RGN_TIME_NEVER : 1000,
                                  .threshold = 250,
                                  .region = {i == 0 ? RGN_REGION_NONE : 0},
                                  .response = RGN_REGION_NONE},
                        .attempt_count = 2,
                        .event_count = (uint32_t)i,
                        .attempt = {{.sent = 1000 * i,
                                     .end = 1000 * i + 400,
                                     .status = 503,
                                     .substatus = 7,
                                     .reason = RGN_REASON_ROUTE_PREFERRED,
                                     .how = SIM_STORY_ANSWERED},
                                    {.sent = 1000 * i + 300,
                                     .end = 1000 * i + 500,
                                     .region = 1,
                                     .leg = 1,
                                     .context = RGN_CONTEXT_HEDGING,
                                     .reason = RGN_REASON_ROUTE_HEDGE,
                                     .send_flags = RGN_SEND_HEDGE | RGN_SEND_HUB,
                                     .how = SIM_STORY_CANCELLED}},
                        .event = {{.at = 1300, .kind = RGN_HEDGE_EVENT_BOTH_TRANSIENT, .status = 503}}};
}

void fixture_run_make(fixture_run *out, const sim_store_plan *plan, uint32_t scenario, uint32_t policy,
                      uint32_t replication)
{
    const uint32_t id = sim_store_run_id(plan, scenario, policy, replication);
    memset(out, 0, sizeof *out);
    out->output = (sim_run_output){.operations = 1000 + id,
                                   .legs = 1100,
                                   .events = 5,
                                   .peak_pending = 6,
                                   .router_bytes = 7,
                                   .late_successes = 8,
                                   .late_failures = 9,
                                   .failed_allocations = 10,
                                   .end = 11};
    out->output.behaviour.lane[0] = id;
    out->output.luck.lane[0] = replication;
    make_metrics(out, id);
    make_rows(out, id);
    out->metrics =
        (sim_run_metrics){FIXTURE_PHASES, out->metric,         out->ok,         out->failed, FIXTURE_INTERVALS,
                          out->interval,  FIXTURE_TRANSITIONS, out->transition, 4,           NULL};
    out->run = (sim_store_run){.id = id,
                               .scenario = plan->scenario[scenario],
                               .policy = plan->policy[policy],
                               .output = &out->output,
                               .metrics = &out->metrics,
                               .result = {{id, 1}},
                               .sample_count = FIXTURE_SAMPLES,
                               .sample = out->sample,
                               .timing = {.started_unix_s = 1,
                                          .elapsed_ns = 2,
                                          .event_mode = "fast",
                                          .command_line = "regionsim run",
                                          .jobs = 1,
                                          .cpus = 2}};
}
