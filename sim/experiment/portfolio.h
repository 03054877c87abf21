/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy against the base over several scenarios at once: the mean over scenarios of relative improvements.
 *
 * In each replication a scenario's gain is (base - policy) / scale, turned so that more is better; the scale is the
 * base's mean over all replications, or the policy's where that is zero, or 1. Both have met the same luck, so gains
 * are paired differences. The portfolio's gain is the mean over scenarios; its interval is t over replications, or the
 * exact sign-flip where a quarter of the gains are zero and there are 6 to 20 replications. The margin is the mean of
 * the scenarios' margins on the same scale. Verdicts are those of compare.h, by the margin, after Holm's correction
 * over the metrics given. A latency percentile is here the mean of the replications' own. */
#ifndef SIM_PORTFOLIO_H
#define SIM_PORTFOLIO_H

#include "experiment/compare.h"

typedef struct {
    sim_metric_id metric;
    sim_compared verdict;
    sim_compare_method method; /* SIM_BY_NOTHING: no interval */
    double gain;               /* relative; more is better */
    sim_interval interval;
    double margin;
    double p_adjusted;
    uint32_t worst; /* scenario of the plan in which least is gained */
    double worst_gain;
} sim_portfolio_gain;

/* Scenarios [first, first + count) of the outcome's plan. A scenario in which either has no value in some replication
 * leaves its metric without data. False: no memory. */
bool sim_portfolio_compare(const sim_outcome *outcome, uint32_t first, uint32_t count, uint32_t policy,
                           const sim_metric_id *metric, const bool *is_higher_better, size_t metric_count,
                           sim_portfolio_gain *out);

#endif
