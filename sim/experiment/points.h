/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a sweep: which value of each axis they take. */
#ifndef SIM_POINTS_H
#define SIM_POINTS_H

#include "experiment/axis.h"

enum {
    SIM_POINTS_MAX = 4096,
    SIM_AXES_MAX = 16, /* GSL's Sobol sequence knows 40 dimensions */
};

typedef struct {
    size_t axis_count;
    size_t count;
    uint64_t *place; /* [point * axis_count + axis]: number of the axis's value */
} sim_points;

/* How many points the grid has; more than SIM_POINTS_MAX: SIM_POINTS_MAX + 1. */
size_t sim_points_grid_size(const sim_axis *axis, size_t axis_count);

/* Every combination, the last axis fastest. No axis: one point. At most SIM_POINTS_MAX. False: no memory. Free with
 * sim_points_deinit() in any case. */
bool sim_points_grid(const sim_axis *axis, size_t axis_count, sim_points *points);

/* The first `count` points of the Sobol sequence as GSL makes it (Antonov and Saleev's order, without the point at the
 * origin): a coordinate u of [0, 1) takes value floor(u * n) of an axis with n values. What falls on an earlier point
 * is left out. At least one axis, at most SIM_AXES_MAX; `count` from 1 to SIM_POINTS_MAX. False: no memory. */
bool sim_points_sobol(const sim_axis *axis, size_t axis_count, size_t count, sim_points *points);

void sim_points_deinit(sim_points *points);

#endif
