/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/estimate.h"

#include <stdlib.h>

static double half_of(const sim_estimate *estimate)
{
    const sim_interval interval = sim_t_interval(estimate);
    return (interval.high - interval.low) / 2;
}

bool sim_estimate_half(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, sim_metric_id metric,
                       double *half)
{
    const uint32_t replications = sim_outcome_plan(outcome)->replications;
    const sim_metric_value whole = sim_outcome_estimate(outcome, scenario, policy, 0, metric);
    if (whole.is_null || whole.samples < 2)
        return false;
    sim_outcome_spread spread;
    sim_estimate estimate;
    if (sim_outcome_is_merged(outcome, metric)) {
        if (!sim_outcome_spread_of(outcome, scenario, policy, metric, &spread))
            return false;
        estimate = sim_jackknife_estimate(whole.value, spread.without, replications);
        *half = half_of(&estimate);
        return true;
    }
    double *value = calloc(replications, sizeof *value);
    size_t count = 0;
    for (uint32_t r = 0; value != NULL && r < replications; r++) {
        const sim_metric_value one = sim_outcome_value(outcome, scenario, policy, 0, metric, r);
        if (!one.is_null)
            value[count++] = one.value;
    }
    if (count >= 2) {
        estimate = sim_mean_estimate(value, count);
        *half = half_of(&estimate);
    }
    free(value);
    return count >= 2;
}
