/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result digest: every metric value, bit by bit, and every histogram. */
#include <string.h>

#include "metrics/metrics.h"

/* Marks what follows, so that no two results fold the same words. */
enum { TAG_METRIC = 1, TAG_HISTOGRAM = 2, TAG_BUCKET = 3, TAG_START = 4 };

static void add_histogram(sim_digest *digest, uint32_t phase, bool is_ok, const sim_histogram *histogram)
{
    sim_digest_add(digest, (uint64_t)TAG_HISTOGRAM << 32 | phase << 1 | is_ok, (uint64_t)histogram->max,
                   (uint64_t)histogram->sum, (uint64_t)(histogram->sum >> 64));
    for (uint32_t bucket = 0; bucket < SIM_HISTOGRAM_BUCKETS; bucket++) {
        if (histogram->count[bucket] != 0)
            sim_digest_add(digest, (uint64_t)TAG_BUCKET << 32 | bucket, histogram->count[bucket], 0, 0);
    }
}

sim_digest sim_run_metrics_digest(const sim_run_metrics *result)
{
    sim_digest digest = sim_digest_start();
    sim_digest_add(&digest, (uint64_t)TAG_START << 32 | SIM_METRIC_VERSION, result->phase_count, SIM_METRIC_COUNT, 0);
    for (uint32_t phase = 0; phase < result->phase_count; phase++) {
        for (uint32_t id = 0; id < SIM_METRIC_COUNT; id++) {
            const sim_metric_value *value = &result->metric[(size_t)phase * SIM_METRIC_COUNT + id];
            uint64_t bits;
            memcpy(&bits, &value->value, sizeof bits);
            sim_digest_add(&digest, (uint64_t)TAG_METRIC << 32 | phase << 16 | id, bits, value->samples,
                           (uint64_t)value->is_null << 1 | value->is_censored);
        }
        add_histogram(&digest, phase, true, &result->ok[phase]);
        add_histogram(&digest, phase, false, &result->failed[phase]);
    }
    return digest;
}
