/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a scenario's expectation holds for a policy. */
#ifndef SIM_EXPECT_H
#define SIM_EXPECT_H

#include "experiment/outcome.h"

typedef enum {
    SIM_EXPECT_HOLDS = 0,
    SIM_EXPECT_FAILS = 1,
    SIM_EXPECT_UNKNOWN = 2, /* no data, or known too little of it */
} sim_expect_verdict;

/* Whether one value keeps to a limit; a censored one is something above its `value`. */
sim_expect_verdict sim_limit_check(sim_expect_type type, const sim_metric_value *found, double limit);

/* Compares the estimate over replications with the limit. `*estimate` is what was compared. */
sim_expect_verdict sim_expectation_check(const sim_outcome *outcome, uint32_t scenario, uint32_t policy,
                                         const sim_expectation *expectation, sim_metric_value *estimate);

/* Whether every metric that the scenario names, in expectations, objectives and margins, exists, and every limit is
 * written as its metric is measured: durations with a unit, shares up to 100 %, all else as plain numbers. False with
 * `*error`: where, and what is expected there. */
bool sim_scenario_metrics_exist(const sim_scenario *scenario, sim_input_error *error);

/* True if the expectation is about that policy. */
bool sim_expectation_is_about(const sim_expectation *expectation, const sim_policy *policy);

/* The comparison as words: "at most", "at least", "exactly". */
const char *sim_expectation_words(const sim_expectation *expectation);

#endif
