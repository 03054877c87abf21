/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many legs each region has in flight, for a trace: the most of each step of time, of all operations, also those
 * that the trace leaves out. */
#ifndef SIM_EXPLAIN_FLIGHT_H
#define SIM_EXPLAIN_FLIGHT_H

#include "explain/words.h"

enum { EXP_FLIGHT_STEPS = 2000 };

typedef struct {
    int64_t from;
    int64_t stride; /* ns of a step */
    uint32_t now[RGN_REGIONS_MAX];
    uint32_t step[RGN_REGIONS_MAX]; /* steps before it are full */
    uint32_t most[RGN_REGIONS_MAX][EXP_FLIGHT_STEPS];
} exp_flight;

/* For [from, until); `until` after `from`. */
void exp_flight_init(exp_flight *self, int64_t from, int64_t until);

/* A step of any operation, in order of time. */
void exp_flight_see(exp_flight *self, const sim_recorded_step *step);

/* The most in flight in the step that begins at `at`, from + k * stride. */
uint32_t exp_flight_most(const exp_flight *self, rgn_region region, uint32_t k);

#endif
