/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/expect.h"

#include <string.h>

bool sim_expectation_is_about(const sim_expectation *expectation, const sim_policy *policy)
{
    return expectation->policy == NULL || strcmp(expectation->policy, policy->name) == 0;
}

/* `value` is exact, or (is_more) something above `value`. */
static sim_expect_verdict compare(sim_expect_type type, double value, bool is_more, double limit)
{
    switch (type) {
    case SIM_EXPECT_AT_MOST:
        if (is_more)
            return value >= limit ? SIM_EXPECT_FAILS : SIM_EXPECT_UNKNOWN;
        return value <= limit ? SIM_EXPECT_HOLDS : SIM_EXPECT_FAILS;
    case SIM_EXPECT_AT_LEAST:
        if (is_more)
            return value >= limit ? SIM_EXPECT_HOLDS : SIM_EXPECT_UNKNOWN;
        return value >= limit ? SIM_EXPECT_HOLDS : SIM_EXPECT_FAILS;
    case SIM_EXPECT_EQUALS:
        if (is_more)
            return value >= limit ? SIM_EXPECT_FAILS : SIM_EXPECT_UNKNOWN;
        return value <= limit && value >= limit ? SIM_EXPECT_HOLDS : SIM_EXPECT_FAILS;
    }
    return SIM_EXPECT_UNKNOWN;
}

sim_expect_verdict sim_expectation_check(const sim_outcome *outcome, uint32_t scenario, uint32_t policy,
                                         const sim_expectation *expectation, sim_metric_value *estimate)
{
    *estimate = (sim_metric_value){.is_null = true};
    const uint32_t phase = sim_outcome_phase(outcome, scenario, expectation->phase);
    const sim_metric_id metric = sim_metric_find(expectation->metric);
    if (phase == UINT32_MAX || metric == SIM_METRIC_COUNT)
        return SIM_EXPECT_UNKNOWN;
    *estimate = sim_outcome_estimate(outcome, scenario, policy, phase, metric);
    if (estimate->is_null && !estimate->is_censored)
        return SIM_EXPECT_UNKNOWN;
    return compare(expectation->type, estimate->value, estimate->is_censored, expectation->limit);
}

const char *sim_expectation_words(const sim_expectation *expectation)
{
    switch (expectation->type) {
    case SIM_EXPECT_AT_MOST:
        return "at most";
    case SIM_EXPECT_AT_LEAST:
        return "at least";
    case SIM_EXPECT_EQUALS:
        return "exactly";
    }
    return "?";
}

bool sim_scenario_metrics_exist(const sim_scenario *scenario, sim_input_error *error)
{
    const char *names[SIM_METRIC_COUNT];
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        names[i] = sim_metric_at((sim_metric_id)i)->name;
    return sim_scenario_metrics_are_among(scenario, names, SIM_METRIC_COUNT, error);
}
