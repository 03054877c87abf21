/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control plane as clients meet it; the service's side of it is the world's. */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "engine/run.h"

/* Leg field of a client's control event: an expiry; its reading of the account is answered; a connection has opened or
 * not (slot field: the place among the probes). */
enum { SIM_EVENT_EXPIRY = 0, SIM_EVENT_REFRESH = 1, SIM_EVENT_PROBE = 2 };

/* Before the fleet is made. False: no memory. */
bool sim_control_open(sim_run_state *run);

/* The leg that was just sent reaches its region at `arrival`, which may not serve it. */
void sim_control_settle(sim_run_state *run, sim_slot *slot, int64_t arrival);

/* Carries out what a client's router asked for; a reading is answered by an event of the background queue. */
void sim_control_do_tasks(sim_run_state *run, uint32_t client, const rgn_task *task, unsigned count, int64_t now);
bool sim_control_is_answer(sim_event event);
void sim_control_answer(sim_run_state *run, uint32_t client, sim_event event);
/* The client starts anew: what its former process asked for is not answered. */
void sim_control_forget(sim_run_state *run, uint32_t client);

/* probes.c: connections that clients try for no request, to endpoints and to partitions. Room for what an expiry asks
 * for, too. False: no memory. */
bool sim_probes_open(sim_run_state *run);
void sim_probes_close(sim_run_state *run);
/* The background queue has room for its answer. */
void sim_probes_send(sim_run_state *run, uint32_t client, const rgn_task *task, int64_t now);
void sim_probes_answer(sim_run_state *run, uint32_t client, uint32_t place, int64_t now);
void sim_probes_forget(sim_run_state *run, uint32_t client);

/* The routers' sink. */
void sim_control_on_gateway(void *context, const rgn_gateway_change *change);
/* Tells the observer how the client's strategy stands at its start. */
void sim_control_tell_first(sim_run_state *run, uint32_t client, int64_t at);

#endif
