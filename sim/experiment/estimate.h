/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An estimate by itself, with its interval over replications. */
#ifndef SIM_ESTIMATE_H
#define SIM_ESTIMATE_H

#include "experiment/outcome.h"
#include "experiment/statistics.h"

/* Half of the 95 % interval of sim_outcome_estimate() in phase `all`, which is symmetric: t over the replications that
 * have a value, or for a latency percentile the delete-one jackknife. False: fewer than two values, one that is only
 * known to be more than something, or a maximum of all runs, which has none. */
bool sim_estimate_half(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, sim_metric_id metric,
                       double *half);

#endif
