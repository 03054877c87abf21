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
 * A difference matters beyond the metric's margin, relative to the baseline's estimate. Fewer than five replications
 * give no verdict; nor does a value that is missing, or only known to be more than something, in a replication. */
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

typedef enum { SIM_BY_NOTHING = 0, SIM_BY_T = 1, SIM_BY_JACKKNIFE = 2, SIM_BY_SIGN_FLIP = 3 } sim_compare_method;

/* "t", "jackknife", "sign-flip", or "". */
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
    bool bootstrap_disagrees; /* holds zero where the interval does not or the reverse, or is twice or half as wide */
} sim_comparison;

/* Compares `policy` with the baseline by `count` metrics, the scenario's objectives among them or not. False: no
 * memory. */
bool sim_compare(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, const sim_metric_id *metric,
                 size_t count, sim_comparison *out);

#endif
