/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `sweep` prints at its end: the points of each scenario, sorted, with those that nothing beats marked. */
#ifndef SIM_CLI_SWEEP_H
#define SIM_CLI_SWEEP_H

#include "cli/arguments.h"
#include "cli/units.h"
#include "experiment/outcome.h"

/* A sweep that has been played: on its command line, or in a database. Everything is borrowed. */
typedef struct {
    const sim_store_plan *plan;
    const sim_outcome *outcome;
    const sim_store_sweep *sweep;
    const uint32_t *scenario_base; /* [scenario]: number of its file, from 0 and never falling */
    size_t knob_count;             /* keys that make policies; the others make scenarios */
    size_t key_count;
    const char *const *key; /* knobs first */
    size_t asked_count;
    const sim_metric_id *asked; /* none: the usual ones and the scenario's objectives */
    const char *db;
} cli_sweep_view;

/* A point: one scenario of the plan under one policy of it. */
typedef struct {
    uint32_t scenario, policy;
    bool is_judged;    /* it has a value in every metric that judges */
    bool is_dominated; /* another policy is nowhere worse and somewhere better in the same scenario */
    double merit;      /* in the metric that sorts, more is better; NaN: no value */
} cli_sweep_row;

/* What the k-th key is at a point. */
const sim_store_sweep_value *cli_sweep_value(const cli_sweep_view *view, const cli_sweep_row *row, size_t k);

/* Number of scenario files. */
uint32_t cli_sweep_files(const cli_sweep_view *view);

/* The points of one scenario file, all its variants together. */
typedef struct {
    size_t metric_count;
    sim_metric_id metric[SIM_METRIC_COUNT];
    size_t judge_count; /* metrics that judge: those with a better side */
    sim_metric_id judge[SIM_METRIC_COUNT];
    sim_metric_id by; /* the first of them sorts; without any, the first metric, lower first */
    size_t count;
    cli_sweep_row *row; /* sorted: the front first, then by `by`; owned */
} cli_sweep_rows;

/* False: no memory. Free with cli_sweep_rows_deinit() in any case. */
bool cli_sweep_rows_make(const cli_sweep_view *view, uint32_t scenario_file, cli_sweep_rows *rows);
void cli_sweep_rows_deinit(cli_sweep_rows *rows);

/* "front", "dominated", or "" where a value is missing. */
const char *cli_sweep_standing(const cli_sweep_row *row);

/* The unit that suits all points. */
cli_unit cli_sweep_unit(const cli_sweep_view *view, const cli_sweep_rows *rows, sim_metric_id metric);

/* A key without its groups, unless another key ends alike. */
const char *cli_sweep_short_key(const cli_sweep_view *view, size_t k);

/* Prints everything in the format; text and Markdown show as many points as the screen has room for. False: no memory.
 */
bool cli_sweep_print(const cli_sweep_view *view, cli_format format, FILE *out);

#endif
