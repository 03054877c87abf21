/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Those who make operations, where what they do depends on how earlier ones went: users of closed loops, clients that
 * have so many operations in flight at most, applications that make an operation anew after an error.
 *
 * An operation that has to wait for a place is due when it arrives and starts when it gets one, in the order of
 * arrival; its deadline begins with its start. A new try is an operation of its own, due when it is made, with new
 * luck. */
#ifndef SIM_CALLERS_H
#define SIM_CALLERS_H

#include "engine/run.h"

bool sim_callers_open(sim_run_state *run); /* false: no memory */
void sim_callers_close(sim_run_state *run);
bool sim_callers_reserve(sim_run_state *run, uint32_t slots); /* false: no memory */

/* About how many bytes that takes at most, of a scenario with so many slots; as many operations again may wait. */
uint64_t sim_callers_memory_estimate(const sim_scenario *scenario, uint64_t slots);

/* The arrival has to wait, and starts no operation now. Else the client's place is taken. */
bool sim_callers_hold_back(sim_run_state *run, const sim_arrival *arrival);
/* Its operation takes the slot. */
void sim_callers_start(sim_run_state *run, const sim_slot *slot, const sim_arrival *arrival);
/* The slot's operation has ended. */
void sim_callers_end(sim_run_state *run, const sim_slot *slot, int64_t now);

#endif
