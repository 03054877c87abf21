/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Session consistency, where a scenario has replication lag: what each client has seen of each partition, and what each
 * region has of the writes of the others.
 *
 * A write is committed at the instant at which it reaches its region, and that instant (ns, plus 1) is its LSN. Another
 * region has it as soon as the world says that it has caught up with that instant. A read carries its client's token; a
 * region that has not reached it answers 404/1002, and one that is not the hub answers 403/3 to a read that only the
 * hub may answer. A client's token takes in what comes with the answers that it gets. */
#ifndef SIM_SESSIONS_H
#define SIM_SESSIONS_H

#include "world/world.h"

typedef struct sim_sessions sim_sessions;

/* NULL: no memory. Borrows all three. `legs`: most that one operation has. */
sim_sessions *sim_sessions_create(const sim_scenario *scenario, const sim_world_run *world, const sim_luck *luck,
                                  uint32_t legs);
void sim_sessions_destroy(sim_sessions *sessions);

/* Room for the answers of operations in slots below `capacity`; false: no memory. */
bool sim_sessions_reserve(sim_sessions *sessions, uint32_t capacity);

/* An operation begins in the slot. */
void sim_sessions_begin(sim_sessions *sessions, uint32_t slot);

/* Leg `leg` of the slot's operation is sent now and will be served at `arrival`, all else being well. False: a read
 * that the region refuses, with `*status` and `*substatus`. */
bool sim_sessions_serve(sim_sessions *sessions, uint32_t slot, uint32_t leg, const sim_attempt *attempt,
                        bool is_hub_read, int64_t now, int64_t arrival, uint16_t *status, uint16_t *substatus);

/* The client has that leg's answer. */
void sim_sessions_answered(sim_sessions *sessions, uint32_t slot, uint32_t leg, uint32_t client, uint32_t partition,
                           const rgn_response *response);

/* Attempts of the slot's operation that met a region that lagged; at most 255. */
uint8_t sim_sessions_misses(const sim_sessions *sessions, uint32_t slot);

/* The client's process ends, and with it what it has seen. */
void sim_sessions_forget(sim_sessions *sessions, uint32_t client);

#endif
