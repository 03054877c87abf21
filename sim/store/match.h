/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a database holds a plan; private to the store. */
#ifndef SIM_STORE_MATCH_H
#define SIM_STORE_MATCH_H

#include "store/rows.h"

/* Compares versions, seed, scenarios, policies and effective options, by digest; the number of replications may differ.
 * False with `*error`: what differs (SIM_STORE_DIFFERS), or why it cannot be read. */
bool sim_store_matches(sim_store *store, const sim_store_plan *plan, sim_store_error *error);

#endif
