/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a latency went over time, for a look at it: rows of the time series, averaged over replications. */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include "store/store.h"

typedef struct {
    uint32_t intervals; /* most of any scenario */
    double *p99;        /* [(scenario * policies + policy) * intervals + n]: mean in ns; < 0: no samples */
} sim_timeline;

/* False with `*error`. Free with sim_timeline_deinit() in any case. */
bool sim_timeline_read(sim_timeline *timeline, sim_store *store, const sim_store_plan *plan, sim_store_error *error);
void sim_timeline_deinit(sim_timeline *timeline);

/* Rows of a scenario's time series. */
uint32_t sim_timeline_length(const sim_scenario *scenario);

#endif
