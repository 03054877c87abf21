/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/thresholds.h"

#include <stdlib.h>

bool sim_thresholds_open(sim_thresholds *out, const sim_scenario *scenario, const rgn_options *options)
{
    *out = (sim_thresholds){.regions = scenario->region_count};
    if (options->hedging_policy == RGN_HEDGING_STATIC)
        return true;
    out->rows = (size_t)((scenario->duration - 1) / scenario->interval + 1);
    out->row = calloc(out->rows * out->regions, sizeof *out->row);
    out->scratch = calloc(scenario->client_count, sizeof *out->scratch);
    return out->row != NULL && out->scratch != NULL;
}

int64_t sim_thresholds_next(const sim_thresholds *thresholds, const sim_scenario *scenario)
{
    if (thresholds->taken == thresholds->rows)
        return RGN_TIME_NEVER;
    const int64_t end = rgn_time_add((int64_t)thresholds->taken * scenario->interval, scenario->interval);
    return rgn_time_min(end, scenario->duration);
}

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void sim_thresholds_take(sim_thresholds *thresholds, const sim_fleet *fleet)
{
    int64_t *scratch = thresholds->scratch;
    for (uint32_t region = 0; region < thresholds->regions; region++) {
        for (uint32_t c = 0; c < fleet->count; c++)
            scratch[c] = rgn_router_hedge_threshold(fleet->client[c].router, (rgn_region)region, RGN_TIME_NEVER);
        qsort(scratch, fleet->count, sizeof *scratch, by_value);
        thresholds->row[thresholds->taken * thresholds->regions + region] = (sim_threshold_row){
            .least = scratch[0], .median = scratch[(fleet->count - 1) / 2], .greatest = scratch[fleet->count - 1]};
    }
    thresholds->taken++;
}
