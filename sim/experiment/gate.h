/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What there is against what the baseline says: whether anything is worse, and what made the difference.
 *
 * Behaviour digests decide first: where all are as they were, nothing is compared. Where one differs, the gated metrics
 * are, over replications, in pairs where the luck is the same, and judged together (Holm) by their tolerances. A metric
 * without a value in a replication that has one on the other side, or known in part only, has no data: it never passes.
 */
#ifndef SIM_GATE_H
#define SIM_GATE_H

#include "experiment/baseline.h"
#include "experiment/compare.h"

/* From good to bad; those from INCONCLUSIVE on do not pass. */
typedef enum {
    SIM_GATE_IDENTICAL = 0,
    SIM_GATE_IMPROVED = 1,
    SIM_GATE_WITHIN = 2, /* changed, within tolerance */
    SIM_GATE_INCONCLUSIVE = 3,
    SIM_GATE_NO_DATA = 4,
    SIM_GATE_STALE = 5, /* the baseline cannot be compared with */
    SIM_GATE_REGRESSED = 6,
} sim_gate_outcome;

/* "identical", "improvement", ... */
const char *sim_gate_word(sim_gate_outcome outcome);

typedef struct {
    sim_metric_id metric;
    sim_gate_outcome outcome;
    sim_baseline_gate gate; /* the baseline's */
    bool has_values;
    double then, now;          /* means over what was compared */
    double limit;              /* for `now`: beyond it is worse */
    sim_comparison comparison; /* unless identical, stale or without data */
    uint32_t replication;      /* the first one whose own value is beyond its limit, else the first one that changed */
} sim_gate_rule;

typedef struct {
    sim_gate_outcome outcome; /* the worst of all rules */
    char stale[200];          /* why; "": it is not */
    bool is_same;             /* every behaviour and result that could be compared */
    bool is_paired;
    char unpaired[200]; /* why not; "" if it is, or nothing was compared */
    uint32_t runs;      /* compared */
    bool has_moment;
    uint32_t changed;                  /* the first replication whose behaviour differs */
    int64_t changed_after, changed_by; /* virtual time, ns, if has_moment */
    char cause[1000];                  /* what changed, in words; "" if nothing did */
    uint32_t rule_count;
    sim_gate_rule rule[2 * SIM_OBJECTIVES_MAX];
} sim_gate;

/* The names of both sides' scenario and policy are the same. False: no memory. */
bool sim_gate_judge(const sim_baseline *before, const sim_baseline_scenario *before_scenario,
                    const sim_baseline_pair *before_pair, const sim_baseline *after,
                    const sim_baseline_scenario *after_scenario, const sim_baseline_pair *after_pair, int64_t duration,
                    sim_gate *out);

/* Whether all runs that both sides have behave alike and come to the same. */
bool sim_gate_is_same(const sim_baseline_pair *before, const sim_baseline_pair *after);

/* gate_cause.c: fills in out->cause and the moment of the change. */
void sim_gate_explain(const sim_baseline *before, const sim_baseline_scenario *before_scenario,
                      const sim_baseline_pair *before_pair, const sim_baseline_scenario *after_scenario,
                      const sim_baseline_pair *after_pair, int64_t duration, sim_gate *out);

#endif
