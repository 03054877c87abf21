/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one door to GSL: quantiles of the distributions a scenario can name, and Student's t for intervals. Only
 * gsl_inverse.c includes GSL's headers. */
#ifndef SIM_GSL_INVERSE_H
#define SIM_GSL_INVERSE_H

#include <stdbool.h>

#include "scenario/scenario.h"

/* The value in ns below which (`is_upper`: above which) `dist` puts the probability `tail`. 0 < tail <= 0.5, so that
 * both ends are exact: 1 - tail is never formed. May be infinite for absurd parameters, never NaN. Not for two threads
 * at once: GSL's error handler is switched off for the call. */
double sim_gsl_quantile(const sim_dist *dist, double tail, bool is_upper);

/* Student's t with `degrees` > 0 degrees of freedom: the value above which it puts the probability `tail`, 0 < tail <=
 * 0.5, and the probability that it puts above `t`. */
double sim_gsl_t_quantile(double tail, double degrees);
double sim_gsl_t_above(double t, double degrees);

#endif
