/* SPDX-License-Identifier: MIT */
#include "event_short.h"
#include "reduce.h"

enum { SHORTER_THAN_ANY = -1, FEWER_THAN_ANY = 0 };

/* BRK-4: counts of each region, which nothing but their threshold looks at. What is kept untripped has a due time. */
static bool counts_plainly(const rgn_options *options)
{
    return options->breaker_health != RGN_HEALTH_REGION && options->breaker_rule != RGN_RULE_SHARE &&
           !rgni_tally_is_shared(options) && !rgni_keeps_untripped(options);
}

static bool samples_plainly(const rgn_options *options)
{
    return options->failback_strategy == RGN_STRATEGY_SUCCESS_RATE &&
           options->failback_sampler == RGN_SAMPLER_COUNTER && options->breaker_health != RGN_HEALTH_REGION;
}

/* FBK-11: the results that are judged; sequentially, any. */
static uint32_t sample_of(const rgn_options *options)
{
    if (options->failback_decide == RGN_DECIDE_SEQUENTIAL)
        return FEWER_THAN_ANY;
    if (options->failback_decide == RGN_DECIDE_WINDOW_END || options->failback_min_sample > UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)options->failback_min_sample;
}

static uint32_t low_windows_of(const rgn_options *options)
{
    int64_t windows = options->failback_low_traffic_windows;

    return windows > 0 && windows < UINT32_MAX ? (uint32_t)windows : UINT32_MAX;
}

rgni_short rgni_short_of(const rgn_options *options)
{
    bool counts = counts_plainly(options), samples = samples_plainly(options);
    bool judges = options->failback_decide == RGN_DECIDE_EVERY;
    bool dwells = counts && options->failback_dwell_from == RGN_DWELL_FIRST_FAILURE;

    return (rgni_short){
        .failures = {counts ? options->breaker_read_failure_threshold : FEWER_THAN_ANY,
                     counts ? options->breaker_write_failure_threshold : FEWER_THAN_ANY},
        .counts = options->breaker_counter_reset_window,
        .untripped = counts ? options->breaker_counter_reset_window : SHORTER_THAN_ANY,
        .window = samples ? options->failback_eval_window : SHORTER_THAN_ANY,
        .recovery = options->failback_recovering_max,
        .dwell = dwells ? options->failback_partition_unavailability_duration : INT64_MIN,
        .success_threshold = judges ? options->failback_success_threshold : 0,
        .retrip_floor = options->failback_retrip_floor,
        .sample = sample_of(options),
        .low_windows = low_windows_of(options),
        .percentage = (uint8_t)options->failback_canary_percentage,
        .counts_awaited = options->failback_pending == RGN_PENDING_COUNTED,
    };
}
