/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The --vary options of a command line: keys, values, points. */
#ifndef SIM_CLI_VARY_H
#define SIM_CLI_VARY_H

#include "cli/arguments.h"
#include "experiment/points.h"

/* Keys of one kind, in the order of the command line, and the points over them. */
typedef struct {
    size_t count;
    sim_axis axis[SIM_AXES_MAX];
    sim_points points; /* without keys: one point */
} cli_axes;

typedef struct {
    cli_axes knobs;  /* what makes policies */
    cli_axes fields; /* what makes scenarios */
} cli_vary;

/* Reads and checks them, and makes the points; `sets` (scenarios times policies) of them may not be more than
 * SIM_POINTS_MAX. False after a complaint that names option and column. Free with cli_vary_deinit() in any case. */
bool cli_vary_read(cli_vary *vary, const cli_arguments *arguments, size_t sets);
/* The same for `verb`, of knobs only and without points; ranges need no step. */
bool cli_vary_read_knobs(cli_vary *vary, const cli_arguments *arguments, const char *verb);
void cli_vary_deinit(cli_vary *vary);

/* The value of an axis at a point. */
sim_axis_value cli_vary_at(const cli_axes *axes, size_t point, size_t axis);

#endif
