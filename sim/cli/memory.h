/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the machine can hold what is to be run. */
#ifndef SIM_CLI_MEMORY_H
#define SIM_CLI_MEMORY_H

#include <stdbool.h>

#include "store/store.h"

/* Bytes of physical memory; 0: the system does not say. */
uint64_t cli_machine_memory(void);

/* False after a complaint: `jobs` runs at a time of one of the scenarios need more than `machine` bytes (0: as much as
 * one likes) for their fleets and queues. */
bool cli_fits_memory(const sim_store_plan *plan, unsigned jobs, uint64_t machine);

#endif
