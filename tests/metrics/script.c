/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "script.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

void script_init(script *s)
{
    static const uint32_t groups[] = {0, 1};
    memset(s, 0, sizeof *s);
    s->group[0] = (sim_client_group){.name = "east", .count = 2, .preferred = {3, {0, 1, 2}}, .first_client = 0};
    s->group[1] = (sim_client_group){.name = "west", .count = 1, .preferred = {3, {1, 0, 2}}, .first_client = 2};
    s->workload = (sim_workload){.name = "shop",
                                 .group_count = 2,
                                 .groups = groups,
                                 .clients = CLIENTS,
                                 .partition_count = PARTITIONS,
                                 .kind_share = {SIM_SHARE_ONE / 10 * 9, SIM_SHARE_ONE / 10},
                                 .deadline = S(3)};
    s->phase[0] = (sim_phase){"middle", S(1200)};
    s->phase[1] = (sim_phase){"late", S(2400)};
    s->scenario = (sim_scenario){.name = "script",
                                 .duration = S(3600),
                                 .multi_write = true,
                                 .region_count = REGIONS,
                                 .first_region_count = REGIONS,
                                 .group_count = 2,
                                 .group = s->group,
                                 .client_count = CLIENTS,
                                 .workload_count = 1,
                                 .workload = &s->workload,
                                 .partition_count = PARTITIONS,
                                 .fault = s->fault,
                                 .phase_count = 2,
                                 .phase = s->phase,
                                 .flap_window = S(600),
                                 .interval = S(30),
                                 .transitions_per_partition = -1};
    s->world_run.scope = &s->scope;
    s->options.failback_strategy = RGN_STRATEGY_SUCCESS_RATE;
    s->output.load = (sim_region_load){4000, s->load};
}

void script_unhealthy(script *s, rgn_region region, uint32_t partition, unsigned kinds, int64_t from, int64_t until)
{
    ck_assert_uint_lt(s->scope.count, FAKE_SPANS_MAX);
    s->scope.span[s->scope.count++] = (fake_span){region, partition, kinds, from, until};
    s->fault[s->scenario.fault_count++] = (sim_fault){.name = "fault",
                                                      .from = from,
                                                      .until = until,
                                                      .regions = rgn_region_bit(region),
                                                      .partition_share = SIM_SHARE_ONE,
                                                      .kinds = (uint8_t)kinds};
}

void script_begin(script *s)
{
    s->metrics = sim_metrics_create(&s->scenario, &s->world_run, &s->options);
    ck_assert_ptr_nonnull(s->metrics);
}

void script_ended(script *s, sim_ended ended)
{
    const sim_observer *observer = sim_metrics_observer(s->metrics);
    observer->ended(observer->context, &ended, 1);
}

void script_operation(script *s, uint32_t client, uint32_t partition, int64_t start, int64_t latency, unsigned flags)
{
    script_ended(s, (sim_ended){.start = start,
                                .end = start + latency,
                                .canary_retry = -1,
                                .client = client,
                                .partition = partition,
                                .legs = 1,
                                .kind = SIM_KIND_READ,
                                .first_region = (flags & SIM_ENDED_AWAY) != 0 ? 2 : 0,
                                .flags = (uint8_t)flags});
}

rgn_transition script_transition(uint32_t partition, rgn_reason reason, rgn_phase before, rgn_phase after, int64_t at)
{
    const bool was_tripped = before == RGN_PHASE_UNHEALTHY || before == RGN_PHASE_RECOVERING;
    const bool is_tripped = after == RGN_PHASE_UNHEALTHY || after == RGN_PHASE_RECOVERING;
    return (rgn_transition){.at = at,
                            .partition = partition,
                            .reason = (uint8_t)reason,
                            .phase_before = (uint8_t)before,
                            .phase_after = (uint8_t)after,
                            .tripped_before = was_tripped ? READS : 0,
                            .tripped_after = is_tripped ? READS : 0,
                            .region = 0,
                            .first_failed = 0,
                            .current = 1,
                            .failed = 1};
}

void script_tell(script *s, uint32_t client, rgn_transition transition)
{
    const sim_observer *observer = sim_metrics_observer(s->metrics);
    observer->transition(observer->context, client, &transition);
}

void script_trip(script *s, uint32_t client, uint32_t partition, int64_t at)
{
    script_tell(s, client, script_transition(partition, RGN_REASON_TRIP, RGN_PHASE_COUNTING, RGN_PHASE_UNHEALTHY, at));
}

void script_promote(script *s, uint32_t client, uint32_t partition, int64_t at)
{
    script_tell(s, client,
                script_transition(partition, RGN_REASON_PROMOTE, RGN_PHASE_UNHEALTHY, RGN_PHASE_RECOVERING, at));
}

void script_retrip(script *s, uint32_t client, uint32_t partition, int64_t at)
{
    script_tell(s, client,
                script_transition(partition, RGN_REASON_RETRIP, RGN_PHASE_RECOVERING, RGN_PHASE_UNHEALTHY, at));
}

void script_failback(script *s, uint32_t client, uint32_t partition, int64_t at)
{
    script_tell(s, client,
                script_transition(partition, RGN_REASON_FAILBACK, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, at));
}

void script_failed_leg(script *s, uint32_t client, uint32_t partition, rgn_region region, int64_t sent, bool is_canary)
{
    const sim_observer *observer = sim_metrics_observer(s->metrics);
    const sim_failed_leg leg = {.sent = sent,
                                .end = sent + MS(5),
                                .client = client,
                                .partition = partition,
                                .region = region,
                                .kind = SIM_KIND_READ,
                                .is_canary = is_canary};
    observer->failed_leg(observer->context, &leg);
}

void script_canary(script *s, uint32_t client, uint32_t partition, rgn_evidence evidence, int64_t sent)
{
    const sim_observer *observer = sim_metrics_observer(s->metrics);
    const sim_canary canary = {.sent = sent,
                               .end = sent + MS(5),
                               .client = client,
                               .partition = partition,
                               .kind = SIM_KIND_READ,
                               .evidence = (uint8_t)evidence};
    observer->canary(observer->context, &canary);
}

void script_load(script *s, rgn_region region, uint32_t from, uint32_t until, uint32_t count)
{
    for (uint32_t second = from; second < until; second++)
        s->load[region * s->output.load.seconds + second] = count;
}

void script_end(script *s)
{
    ck_assert(sim_metrics_finish(s->metrics, &s->output, &s->result));
    sim_metrics_destroy(s->metrics);
    s->metrics = NULL;
}

const sim_metric_value *script_metric(const script *s, unsigned phase, sim_metric_id id)
{
    ck_assert_uint_lt(phase, s->result.phase_count);
    return &s->result.metric[phase * SIM_METRIC_COUNT + id];
}

void script_deinit(script *s)
{
    sim_run_metrics_deinit(&s->result);
}
