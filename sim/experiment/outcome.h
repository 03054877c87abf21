/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an experiment came to: values of every run and their estimates over replications, read back from its store. */
#ifndef SIM_OUTCOME_H
#define SIM_OUTCOME_H

#include "store/store.h"

typedef struct sim_outcome sim_outcome;

/* Reads all finished runs. `plan` says what the store holds and is borrowed for the outcome's life. NULL with
 * `*error`. */
sim_outcome *sim_outcome_read(sim_store *store, const sim_store_plan *plan, sim_store_error *error);
void sim_outcome_destroy(sim_outcome *outcome);

/* Phases of a scenario: 0 is `all`. */
uint32_t sim_outcome_phase(const sim_outcome *outcome, uint32_t scenario, const char *name); /* UINT32_MAX: none */

/* The value in one run; samples 0 and NULL if the run has not finished. */
sim_metric_value sim_outcome_value(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, uint32_t phase,
                                   sim_metric_id metric, uint32_t replication);

/* Estimate over the finished replications. Percentiles and maxima of latency come from the merged histograms; all else
 * is the mean of those runs that have a value. Where a run's value is only known to be more than something, so is the
 * mean: is_null and is_censored. `samples` counts the replications that were used. */
sim_metric_value sim_outcome_estimate(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, uint32_t phase,
                                      sim_metric_id metric);

/* How sure a latency percentile of phase `all` is: what it would be without each replication, and in SIM_BOOTSTRAPS
 * resamples of the replications, the same for all policies (NULL unless their number is from SIM_BOOTSTRAP_MIN to
 * SIM_BOOTSTRAP_MAX). False where the metric is no such percentile or has no value, or a replication has none. */
typedef struct {
    const double *without;   /* [replication] */
    const double *resampled; /* [resample] */
} sim_outcome_spread;
bool sim_outcome_spread_of(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, sim_metric_id metric,
                           sim_outcome_spread *spread);

/* Whether the estimate comes from merged histograms: percentiles and maxima of latency. */
bool sim_outcome_is_merged(const sim_outcome *outcome, sim_metric_id metric);

/* The store's plan, as handed to sim_outcome_read(). */
const sim_store_plan *sim_outcome_plan(const sim_outcome *outcome);

#endif
