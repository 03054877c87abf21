/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main effects: what each knob does by itself, over points that fill the space.
 *
 * In each replication a straight line through all points by least squares, with a constant and one column for each
 * effect; the replications' slopes are alike in luck and points, so their mean has a t interval. It speaks of luck, not
 * of how straight the truth is. */
#ifndef SIM_EFFECTS_H
#define SIM_EFFECTS_H

#include "experiment/statistics.h"

enum { SIM_EFFECTS_MAX = 64 }; /* columns */

typedef struct {
    double mean; /* of the slopes: the answer's change while the column goes from 0 to 1 */
    sim_interval interval;
} sim_effect;

/* `column` is [point * columns + column], `answer` is [replication * points + point]. False: too few points for so many
 * columns, fewer than two replications, columns that say the same, or no memory. */
bool sim_effects_fit(const double *column, size_t points, size_t columns, const double *answer, size_t replications,
                     sim_effect *effect);

#endif
