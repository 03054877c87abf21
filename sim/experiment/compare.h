/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy against the baseline, metric by metric, over paired replications of phase `all`.
 *
 * | metric | estimate | interval |
 * |---|---|---|
 * | latency percentile | from merged histograms | delete-one jackknife, t(R - 1) |
 * | sparse count | mean of the differences | exact sign-flip, R from 6 to 20 |
 * | any other | mean of the differences | t(R - 1) |
 *
 * The difference of a maximum is that of the runs' own maxima, on average.
 *
 * A count is **sparse** where its differences are far from normal: whole numbers, and under neither policy as many as
 * five a run; or a quarter of the differences are exactly zero. Above 20 replications means are normal enough for t.
 *
 * A difference matters beyond the margin: the scenario's for this metric, else the metric's own, relative to the
 * baseline's estimate. Fewer than five replications give no verdict; nor does a value that is missing, or only known to
 * be more than something, in a replication. */
#ifndef SIM_COMPARE_H
#define SIM_COMPARE_H

#include "experiment/outcome.h"
#include "experiment/statistics.h"

enum { SIM_BASELINE = 0 }; /* the policy that was named first */

typedef enum {
    SIM_COMPARED_NO_DATA = 0,
    SIM_COMPARED_TOO_FEW = 1, /* replications; a sparse count asks for SIM_SIGN_FLIP_MIN of them */
    SIM_COMPARED_EQUAL = 2,   /* every difference is exactly zero */
    SIM_COMPARED_EQUIVALENT = 3,
    SIM_COMPARED_INCONCLUSIVE = 4,
    SIM_COMPARED_BETTER = 5,
    SIM_COMPARED_WORSE = 6,
    SIM_COMPARED_HIGHER = 7, /* of a metric that is better neither way */
    SIM_COMPARED_LOWER = 8,
} sim_compared;

/* "better", "no data", ... */
const char *sim_compared_word(sim_compared verdict);

typedef enum {
    SIM_BY_NOTHING = 0,
    SIM_BY_T = 1,
    SIM_BY_JACKKNIFE = 2,
    SIM_BY_SIGN_FLIP = 3,
    SIM_BY_WELCH = 4, /* not in pairs: the luck differs */
} sim_compare_method;

/* "t", "jackknife", "sign-flip", "Welch", or "". */
const char *sim_compare_method_name(sim_compare_method method);

typedef struct {
    sim_metric_id metric;
    sim_compared verdict;
    bool is_objective; /* of the scenario: the verdict stands after Holm's correction; all others are descriptive */
    uint32_t pairs;    /* replications with a value under both */
    bool has_difference;
    double difference; /* policy - baseline, in the metric's unit */
    sim_compare_method method;
    sim_interval interval; /* unless the method is SIM_BY_NOTHING */
    double margin;
    double p;           /* of a difference this far beyond the margin, if there is none */
    double p_adjusted;  /* the same over all objectives; p where it is none */
    bool is_never_seen; /* an event that no run of either had: by the rule of three at most `at_most` a run */
    double at_most;
    bool has_bootstrap; /* joint, by resampling replications: a second opinion */
    sim_interval bootstrap;
    /* What pairing gains: the variance of the difference with a seed for each policy / that with one for both, as far
     * as these replications tell. So many times as many replications would it take without. */
    bool has_gain;
    double gain;
    bool bootstrap_disagrees; /* holds zero where the interval does not or the reverse, or is twice or half as wide */
} sim_comparison;

/* Compares `policy` with the baseline by `count` metrics, the scenario's objectives among them or not. False: no
 * memory. */
bool sim_compare(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, const sim_metric_id *metric,
                 size_t count, sim_comparison *out);

/* Whether the interval is narrow enough: it reaches no further than the margin, or than a tenth of the difference. By
 * width alone, never by the verdict: who stops as soon as a verdict comes gets too many of them. */
bool sim_comparison_is_precise(const sim_comparison *comparison);
/* About how many replications that takes, by the width that there is now; `now` if it is precise or nothing is known.
 */
uint32_t sim_replications_needed(const sim_comparison *comparison, uint32_t now);

/* The difference that matters in this scenario, where the baseline's value is `baseline`. */
double sim_margin_of(const sim_scenario *scenario, sim_metric_id metric, double baseline);

/* Values of one metric given one by one, each known: what is compared with, and what there is. */
typedef struct {
    sim_metric_id metric;
    size_t count[2];
    const double *value[2];
    bool is_paired; /* by luck; then there are as many on both sides */
    double margin;
} sim_value_sets;

/* Compares each, all judged together as objectives are. Latency percentiles, too, are means over replications here.
 * `seed` is the bootstrap's. False: no memory. */
bool sim_compare_values(const sim_value_sets *sets, size_t count, uint64_t seed, sim_comparison *out);

#endif
