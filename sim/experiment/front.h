/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Pareto front: what nothing else beats. */
#ifndef SIM_FRONT_H
#define SIM_FRONT_H

#include <stdbool.h>
#include <stddef.h>

/* `merit` is [point * count + objective], more is better, NaN where there is no value. A point is dominated by one that
 * is nowhere worse and somewhere better. A point with a missing value is not judged: it neither dominates nor is
 * dominated. Points that are equal everywhere do not dominate each other. Sets is_dominated[point]. */
void sim_front_find(const double *merit, size_t points, size_t objectives, bool *is_dominated);

/* Whether all of the point's values are there. */
bool sim_front_is_judged(const double *merit, size_t point, size_t objectives);

#endif
