/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/expect.h"

#include <string.h>

#include "scenario/document.h"

bool sim_expectation_is_about(const sim_expectation *expectation, const sim_policy *policy)
{
    return expectation->policy == NULL || strcmp(expectation->policy, policy->name) == 0;
}

sim_expect_verdict sim_limit_check(sim_expect_type type, const sim_metric_value *found, double limit)
{
    const double value = found->value;
    const bool is_more = found->is_censored; /* something above `value` */
    if (found->is_null && !is_more)
        return SIM_EXPECT_UNKNOWN;
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
    return sim_limit_check(expectation->type, estimate, expectation->limit);
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

static bool limit_suits(sim_limit_form form, double limit, const sim_metric_definition *metric)
{
    const bool is_number = form == SIM_LIMIT_NUMBER;
    if (strcmp(metric->unit, "ns") == 0)
        return form == SIM_LIMIT_DURATION || (is_number && limit <= 0);
    if (strcmp(metric->unit, "share") == 0)
        return form != SIM_LIMIT_DURATION && limit <= 1;
    return is_number;
}

/* `path` says where the limit stands. */
static bool refuse_limit(const char *path, const sim_node *node, const sim_metric_definition *metric,
                         sim_input_error *error)
{
    char found[SIM_SHOW_SIZE];
    char expected[80];
    put_form(metric, expected, sizeof expected);
    return sim_error_at(error, node->source, node, "%s.%s: found %s; expected %s for %s", path, node->key->text,
                        sim_node_show(node, found), expected, metric->name);
}

static bool limits_suit(const sim_scenario *scenario, sim_input_error *error)
{
    char path[80];
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        const sim_expectation *expectation = &scenario->expectation[i];
        const sim_metric_definition *metric = sim_metric_at(sim_metric_find(expectation->metric));
        (void)snprintf(path, sizeof path, "expect[%u]", i + 1);
        if (!limit_suits(expectation->form, expectation->limit, metric))
            return refuse_limit(path, expectation->limit_node, metric, error);
    }
    for (uint32_t i = 0; i < scenario->margin_count; i++) {
        const sim_margin *margin = &scenario->margin[i];
        const sim_metric_definition *metric = sim_metric_at(sim_metric_find(margin->metric));
        (void)snprintf(path, sizeof path, "margins.%s", margin->metric);
        if (!margin->is_relative && !limit_suits(margin->form, margin->value, metric))
            return refuse_limit(path, margin->value_node, metric, error);
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
