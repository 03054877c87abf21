/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions with limits: servers, queues and request units, where a scenario has them.
 *
 * A station is a whole region or one partition in it; there metadata, which has no partition, visits none. Any other
 * attempt that gets an answer of any kind visits the station of its region at the instant at which it reaches it,
 * whatever has become of its operation by then: a client that has given up keeps its server, unless the scenario says
 * that word of it arrives. There
 *
 * 1. the second's request units are looked at: once they are spent, the answer is 429/3200 with the time that is left
 *    of the second; the last attempt that gets through may go beyond them;
 * 2. it takes a free server, waits for one in the order of arrival, or is answered 503 if there is no room to wait;
 * 3. it keeps the server for a drawn time, longer in proportion while the region had less than all its capacity at the
 *    instant of arrival. Its answer comes that and the wait later than without a station.
 *
 * Events of one instant: servers become free, then attempts arrive, in the order of their operations' ordinals. They
 * all come after background work and before what operations do then. */
#ifndef SIM_STATIONS_H
#define SIM_STATIONS_H

#include "engine/run.h"

bool sim_stations_open(sim_run_state *run); /* false: no memory */
void sim_stations_close(sim_run_state *run);
/* Room for visits of that many slots. False: no memory. */
bool sim_stations_reserve(sim_run_state *run, uint32_t slots);

/* About how many bytes that takes at most, of a scenario with so many slots: two visits of each, for whoever gives up
 * stays at a station. */
uint64_t sim_stations_memory_estimate(const sim_scenario *scenario, uint64_t slots);

/* The slot's leg has been sent and settled as if there were no stations: from now on its end is not known until it has
 * a server, if it goes to a station. `place` is where it goes, as SIM_DRAW_LEG counts. */
void sim_stations_send(sim_run_state *run, sim_slot *slot, uint64_t place, int64_t round_trip, int64_t now);

/* The client no longer waits for the leg. */
void sim_stations_give_up(sim_run_state *run, const sim_slot *slot, uint32_t leg, int64_t now);

/* How long the answer to the leg tells the client to wait; RGN_TIME_NEVER: it does not say. */
int64_t sim_stations_retry_after(const sim_run_state *run, const sim_slot *slot, uint32_t leg);

/* A leg whose end has become known. */
typedef struct {
    uint32_t slot; /* SIM_PENDING_MAX: none */
    uint32_t leg;
} sim_station_news;

/* Carries out the next event, which is due. */
sim_station_news sim_stations_work(sim_run_state *run);

/* Nothing more happens: accounts for time up to the end of the run. */
void sim_stations_finish(sim_run_state *run);

/* When the next event is due; SIM_NO_EVENT: never. */
uint64_t sim_stations_next_time(const sim_run_state *run);

#endif
