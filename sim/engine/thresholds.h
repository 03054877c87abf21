/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How adaptive hedge thresholds move: at the end of each row of the time series, the least, the median and the greatest
 * of the clients' thresholds for each region. Nothing is kept while thresholds are fixed. */
#ifndef SIM_THRESHOLDS_H
#define SIM_THRESHOLDS_H

#include "engine/engine.h"
#include "fleet/fleet.h"

/* Room for the whole run, in `out`; false: no memory. */
bool sim_thresholds_open(sim_thresholds *out, const sim_scenario *scenario, const rgn_options *options);

/* The instant of the next look; RGN_TIME_NEVER: none. */
int64_t sim_thresholds_next(const sim_thresholds *thresholds, const sim_scenario *scenario);

/* Takes that look. */
void sim_thresholds_take(sim_thresholds *thresholds, const sim_fleet *fleet);

#endif
