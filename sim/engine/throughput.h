/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clients' own throughput budgets: request units that a client may spend in each second of virtual time.
 *
 * An attempt is charged when it is sent, whatever becomes of it: cancelling it gives nothing back. One that finds the
 * second's budget spent is not sent: the client answers it itself with 429, to be retried in the next second. The last
 * attempt that gets through may go beyond the budget. */
#ifndef SIM_THROUGHPUT_H
#define SIM_THROUGHPUT_H

#include "scenario/scenario.h"

typedef struct sim_throughput sim_throughput;

sim_throughput *sim_throughput_create(const sim_scenario *scenario); /* NULL: no memory */
void sim_throughput_destroy(sim_throughput *throughput);

/* Charges the client for an attempt; false: its budget for this second is spent. */
bool sim_throughput_spend(sim_throughput *throughput, uint32_t client, sim_kind kind, int64_t now);

/* How long a client that is throttled now has to wait. */
int64_t sim_throughput_wait(int64_t now);

#endif
