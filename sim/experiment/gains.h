/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What points of a search gain over its base; search.h says how that is reckoned. */
#ifndef SIM_GAINS_H
#define SIM_GAINS_H

#include "experiment/search.h"

/* Once the base has played all replications and the first round its first look. */
void sim_gains_fix_scales(sim_search *self);

/* Reckons a point's gains in the replications [from, to). */
void sim_gains_note(sim_search *self, size_t point, size_t from, size_t to);

/* Whether all gains of the first replications have values. */
bool sim_gains_are_known(const sim_search *self, size_t point, size_t replications);

/* Whether its means keep every constraint in every scenario. */
bool sim_gains_keep_constraints(const sim_search *self, size_t point, size_t replications);

/* Of its losses in the first replications the one with most evidence, of these the one with the largest excess.
 * Intervals have `tail` on each side. */
sim_search_loss sim_gains_loss(const sim_search *self, size_t point, uint32_t replications, double tail);

/* Mean gain in each objective. */
void sim_gains_mean(const sim_search *self, size_t point, uint32_t replications, double *out);

/* Its gain in one scenario, in each replication that it has played. False: some are not known. */
bool sim_gains_in_scenario(const sim_search *search, size_t point, size_t scenario, size_t objective, double *gain);

#endif
