/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/traffic.h"

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

static void look_at_sample(sim_traffic *traffic, const sim_workload *workload, const rgn_options *options)
{
    const double canary_rate = traffic->rate_per_pair * (double)options->failback_canary_percentage / 100;
    const double min_sample = (double)options->failback_min_sample;
    traffic->canaries_per_window = canary_rate * seconds(options->failback_eval_window);
    traffic->cannot_decide = traffic->canaries_per_window < min_sample && options->failback_low_traffic_windows == 0;
    traffic->hang_bias = options->failback_pending == RGN_PENDING_COMPLETED &&
                         canary_rate * canary_timeout_s(workload, options) >= min_sample;
}

sim_traffic sim_traffic_of(const sim_scenario *scenario, const sim_workload *workload, const rgn_options *options)
{
    const double rate = (double)workload->rate_mhz / 1000;
    const double pairs = (double)workload->clients * workload->partition_count;
    sim_traffic traffic = {
        .operations = rate * seconds(scenario->duration),
        .rate_per_pair = pairs > 0 ? rate / pairs : 0,
        .trip_s = {-1, -1},
    };
    if (options->breaker_enabled == 0)
        return traffic;
    const int64_t threshold[SIM_KINDS] = {options->breaker_read_failure_threshold,
                                          options->breaker_write_failure_threshold};
    for (int kind = 0; kind < SIM_KINDS; kind++) {
        const double kind_rate = traffic.rate_per_pair * workload->kind_share[kind] / SIM_SHARE_ONE;
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
