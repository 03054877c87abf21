/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep on the page: one scenario file, all its points. */
#ifndef SIM_REPORT_SWEEP_H
#define SIM_REPORT_SWEEP_H

#include "experiment/points.h"
#include "report/page.h"

/* The points of a section, and the policies that they were made from. */
typedef struct {
    const rep_section *section;
    const cli_sweep_view *view;
    cli_sweep_rows rows;
    cli_unit unit[SIM_METRIC_COUNT]; /* of rows.metric[] */
    size_t base_count;
    const char **base;                 /* [base_count]: names */
    uint32_t *base_of;                 /* [policy] */
    const char *key[2 * SIM_AXES_MAX]; /* short */
} rep_sweep;

/* "away_healthy_s, pair-h", for a heading. */
void rep_sweep_heading(const rep_sweep *self, size_t metric, char text[CLI_VALUE_SIZE]);

/* "12.3 ±0.4" */
void rep_sweep_cell(const rep_sweep *self, size_t metric, const sim_metric_value *value, bool has_half, double half);

/* effects.c: what each key does by itself, and two keys together. */
void rep_put_effects(const rep_sweep *self);

#endif
