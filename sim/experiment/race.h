/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Racing: points that have met the same luck are compared in pairs, and what is beaten leaves early.
 *
 * A point's gains are [replication * objectives + objective], more is better. One point **beats** another if, of the
 * paired differences over replications, the interval of some objective lies beyond that objective's margin and that of
 * none reaches further than the margin below zero: somewhere better, nowhere worse by as much as matters. Intervals are
 * Student's t. Points whose gains agree in every replication are **alike**.
 *
 * The idea of racing: Maron and Moore, "Hoeffding races", NIPS 6 (1994); of doing it in pairs on common instances:
 * Birattari et al., "A racing algorithm for configuring metaheuristics", GECCO 2002; of halving what is left with every
 * doubling of the effort: Jamieson and Talwalkar, "Non-stochastic best arm identification", AISTATS 2016. */
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include "experiment/statistics.h"

typedef struct {
    size_t objectives;
    const double *margin; /* [objective] */
    double tail;          /* on each side of every interval */
} sim_race_rule;

typedef struct {
    double mean, low, high;
} sim_gain;

typedef enum {
    SIM_RACE_OPEN = 0,
    SIM_RACE_BEATS = 1,
    SIM_RACE_ALIKE = 2,
} sim_race_verdict;

/* How much more of an objective `one` gains than `other`, over the first `replications` >= 2; other NULL: than zero.
 * NaN where a value is. */
sim_gain sim_race_gain(const sim_race_rule *rule, const double *one, const double *other, size_t objective,
                       size_t replications);

/* What `one` is to `other`. */
sim_race_verdict sim_race_compare(const sim_race_rule *rule, const double *one, const double *other,
                                  size_t replications);

/* Sorts `count` places by mean gain ([place * objectives + objective], all of them numbers): points that none beats,
 * then those that only such beat, and so on; within a layer by the sum of `weight` times the gain; then as they are.
 * False: no memory. */
bool sim_race_sort(size_t objectives, const double *weight, const double *mean, size_t count, size_t *order);

#endif
