/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/expect.h"

#include <string.h>

#include "scenario/document.h"

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

/* What a limit on the metric looks like, as messages say it. */
static void put_form(const sim_metric_definition *metric, char *out, size_t size)
{
    if (strcmp(metric->unit, "ns") == 0)
        (void)snprintf(out, size, "a duration such as \"50 ms\"");
    else if (strcmp(metric->unit, "share") == 0)
        (void)snprintf(out, size, "a share from \"0 %%\" to \"100 %%\"");
    else if (strcmp(metric->unit, "ratio") == 0)
        (void)snprintf(out, size, "a number such as 1.5");
    else
        (void)snprintf(out, size, "a number of %s such as 8", metric->unit);
}

static bool limit_suits(const sim_expectation *expectation, const sim_metric_definition *metric)
{
    const bool is_number = expectation->form == SIM_LIMIT_NUMBER;
    if (strcmp(metric->unit, "ns") == 0)
        return expectation->form == SIM_LIMIT_DURATION || (is_number && expectation->limit <= 0);
    if (strcmp(metric->unit, "share") == 0)
        return expectation->form != SIM_LIMIT_DURATION && expectation->limit <= 1;
    return is_number;
}

static bool limits_suit(const sim_scenario *scenario, sim_input_error *error)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        const sim_expectation *expectation = &scenario->expectation[i];
        const sim_metric_definition *metric = sim_metric_at(sim_metric_find(expectation->metric));
        const sim_node *node = expectation->limit_node;
        char found[SIM_SHOW_SIZE];
        char expected[80];
        if (limit_suits(expectation, metric))
            continue;
        put_form(metric, expected, sizeof expected);
        return sim_error_at(error, node->source, node, "expect[%u].%s: found %s; expected %s for %s", i + 1,
                            node->key->text, sim_node_show(node, found), expected, metric->name);
    }
    return true;
}

bool sim_scenario_metrics_exist(const sim_scenario *scenario, sim_input_error *error)
{
    const char *names[SIM_METRIC_COUNT];
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        names[i] = sim_metric_at((sim_metric_id)i)->name;
    return sim_scenario_metrics_are_among(scenario, names, SIM_METRIC_COUNT, error) && limits_suit(scenario, error);
}
