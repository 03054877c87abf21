/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as telemetry: what the regions answered, minute by minute. */
#ifndef SIM_IMPORT_OBSERVE_H
#define SIM_IMPORT_OBSERVE_H

#include "engine/engine.h"
#include "import/series.h"
#include "metrics/histogram.h"

/* Counts attempts by the period of their answer, their region (in account order) and their kind. An attempt that got no
 * answer, or that was cut, is not counted: no region could tell of it. */
typedef struct {
    sim_recorder recorder; /* for sim_run_input; its context is this */
    imp_series series;     /* complete periods only */
    uint32_t period;       /* that is being counted */
    sim_histogram *now;    /* [region * SIM_KINDS + kind], of this period; owned */
    sim_histogram *all;    /* of the whole run; owned */
    uint32_t too_many;     /* attempts whose status there was no room for */
} imp_watch;

/* False: no memory. Free with imp_watch_deinit() in any case. */
bool imp_watch_init(imp_watch *self, sim_arena *arena, const sim_scenario *scenario, int64_t period);
/* After the run: counts the last period to its end. */
void imp_watch_finish(imp_watch *self);
void imp_watch_deinit(imp_watch *self);

/* Writes a series as imp_series_read() reads it. */
void imp_series_write(const imp_series *series, FILE *out);

#endif
