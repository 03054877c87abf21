/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/traffic.h"

#include <math.h>

#define FAST_CANARY_S 0.1
enum { SWEEP_RATIO = 4 }; /* a sweep that is this much longer than the longest dwell dominates the lag */

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* The longest a canary may take: its own timeout, or by default half the deadline, at most the request timeout. */
static double canary_timeout_s(const sim_workload *workload, const rgn_options *options)
{
    if (options->failback_canary_timeout != RGN_AUTO)
        return seconds(options->failback_canary_timeout);
    const int64_t half = workload->deadline == RGN_TIME_NEVER ? RGN_TIME_NEVER : workload->deadline / 2;
    return seconds(rgn_time_min(half, options->retry_request_timeout));
}

/* Where canaries in flight weigh against success, n successes of a window decide only if few enough are in flight. With
 * a fast canary of 100 ms some are in flight nearly always; a gap that decides comes with chance exp(-in flight). */
static bool overlaps_for_ever(double canary_rate, double canaries, const rgn_options *options)
{
    const double threshold = (double)options->failback_success_threshold / 1e6;
    const double in_flight = canary_rate * FAST_CANARY_S;
    return options->failback_pending == RGN_PENDING_COUNTED && canaries < threshold * (canaries + in_flight) &&
           canaries * exp(-in_flight) < 1;
}

/* A sequential test needs as many successes in a row as outweigh the odds against it. */
static double fewest_canaries(const rgn_options *options)
{
    if (options->failback_decide != RGN_DECIDE_SEQUENTIAL)
        return (double)options->failback_min_sample;
    const double wrong = (double)options->failback_false_failback / 1e6;
    const double right = 1 - (double)options->failback_false_retrip / 1e6;
    const double gain = log((double)options->failback_success_threshold / (double)options->failback_retrip_floor);
    return ceil(log(right / wrong) / gain);
}

/* Share of the operations that lie in partitions: metadata do not. */
static double partitioned(const sim_workload *workload)
{
    return (double)SIM_SHARE_ONE - workload->form_share[SIM_FORM_METADATA];
}

/* Operations of that kind, of those that lie in partitions: a share of `partitioned`. */
static double of_kind(const sim_workload *workload, sim_kind kind)
{
    return (double)workload->kind_share[kind] - (kind == SIM_KIND_READ ? workload->form_share[SIM_FORM_METADATA] : 0);
}

static void look_at_sample(sim_traffic *traffic, const sim_workload *workload, const rgn_options *options)
{
    const double canary_rate = traffic->rate_per_pair * (double)options->failback_canary_percentage / 100;
    traffic->sample = fewest_canaries(options);
    traffic->canaries_per_window = canary_rate * seconds(options->failback_eval_window);
    for (int kind = 0; kind < SIM_KINDS; kind++)
        traffic->canaries_of[kind] =
            traffic->canaries_per_window * of_kind(workload, (sim_kind)kind) / partitioned(workload);
    traffic->cannot_decide =
        traffic->canaries_per_window < traffic->sample && options->failback_low_traffic_windows == 0;
    traffic->hang_bias = options->failback_pending == RGN_PENDING_COMPLETED &&
                         canary_rate * canary_timeout_s(workload, options) >= traffic->sample;
    traffic->overlap_bias = overlaps_for_ever(canary_rate, traffic->canaries_per_window, options);
}

sim_traffic sim_traffic_of(const sim_scenario *scenario, const sim_workload *workload, const rgn_options *options)
{
    const double rate = (double)workload->rate_mhz / 1000;
    const double pairs = (double)workload->clients * workload->partition_count;
    sim_traffic traffic = {
        .operations = rate * seconds(scenario->duration),
        .rate_per_pair = pairs > 0 ? rate * partitioned(workload) / SIM_SHARE_ONE / pairs : 0,
        .trip_s = {-1, -1},
    };
    if (options->breaker_enabled == 0 || partitioned(workload) <= 0)
        return traffic;
    const int64_t threshold[SIM_KINDS] = {options->breaker_read_failure_threshold,
                                          options->breaker_write_failure_threshold};
    for (int kind = 0; kind < SIM_KINDS; kind++) {
        const double kind_rate = traffic.rate_per_pair * of_kind(workload, (sim_kind)kind) / partitioned(workload);
        if (kind_rate > 0)
            traffic.trip_s[kind] = (double)threshold[kind] / kind_rate;
    }
    if (options->failback_strategy == RGN_STRATEGY_SUCCESS_RATE)
        look_at_sample(&traffic, workload, options);
    const double dwell_s = seconds(options->failback_partition_unavailability_duration) * 1.5;
    traffic.sweep_dominates = options->failback_promote == RGN_PROMOTE_SWEEP &&
                              seconds(options->failback_sweep_interval) > SWEEP_RATIO * dwell_s;
    return traffic;
}

double sim_traffic_error_share(const sim_fault *fault)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < fault->error_share.count; i++)
        most = fault->error_share.point[i].value > most ? fault->error_share.point[i].value : most;
    const uint32_t of = fault->zone.of > 0 && fault->zone_of_replicas ? fault->zone.of : 1;
    return (double)most / SIM_SHARE_ONE / of;
}

/* Whether the breaker counts this error of an attempt; an attempt that is never answered counts if it times out before
 * the operation does. */
static bool is_counted(const sim_error *error, const sim_workload *workload, const rgn_options *options)
{
    rgn_response response = {.status = error->status, .substatus = error->substatus, .retry_after = RGN_TIME_NEVER};
    switch ((sim_error_type)error->type) {
    case SIM_ERROR_STATUS:
        break;
    case SIM_ERROR_REFUSED:
        return false;
    case SIM_ERROR_NO_REPLY:
        return options->retry_request_timeout < workload->deadline;
    }
    const rgn_class class = rgn_classify(&response);
    return class.evidence == RGN_EVIDENCE_FAILURE && class.charge == RGN_CHARGE_PARTITION;
}

/* Expected operations until the breaker's rule is met, if that share of them fails; < 0: it is not met. */
static double operations_to_trip(const rgn_options *options, double threshold, double share)
{
    double in_a_row = 1; /* chance of `threshold` failures in a row */
    switch (options->breaker_rule) {
    case RGN_RULE_SHARE:
        return share * 1e6 >= (double)options->breaker_failure_share ? threshold / share : -1;
    case RGN_RULE_CONSECUTIVE:
        for (double n = 0; n < threshold && in_a_row > 0; n++)
            in_a_row *= share;
        return share >= 1 ? threshold : in_a_row > 0 ? (1 / in_a_row - 1) / (1 - share) : -1;
    default:
        return threshold / share;
    }
}

double sim_traffic_trip_under(const sim_workload *workload, const rgn_options *options, const sim_fault *fault,
                              sim_kind kind)
{
    const double threshold = (double)(kind == SIM_KIND_READ ? options->breaker_read_failure_threshold
                                                            : options->breaker_write_failure_threshold);
    const double pairs = (double)workload->clients * workload->partition_count;
    const double rate = (double)workload->rate_mhz / 1000 / pairs * of_kind(workload, kind) / SIM_SHARE_ONE;
    double counted = 0;
    double silent = 0; /* of those the ones that are noticed at the attempt's timeout only */
    for (uint32_t i = 0; i < fault->error_count; i++) {
        const sim_error *error = &fault->error[i];
        counted += is_counted(error, workload, options) ? error->share : 0;
        silent += is_counted(error, workload, options) && error->type == SIM_ERROR_NO_REPLY ? error->share : 0;
    }
    const double share = sim_traffic_error_share(fault) * counted / SIM_SHARE_ONE;
    if (options->breaker_enabled == 0 || (fault->kinds >> kind & 1) == 0 || rate * share <= 0)
        return -1;
    /* Failures further apart than the window are counted one by one. */
    if (1 / (rate * share) > seconds(options->breaker_counter_reset_window) && threshold > 1)
        return -1;
    const double operations = operations_to_trip(options, threshold, share);
    return operations < 0 ? -1 : operations / rate + silent / counted * seconds(options->retry_request_timeout);
}
