/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SIM_CLI_WARNINGS_H
#define SIM_CLI_WARNINGS_H

#include <stdio.h>

#include "store/store.h"

/* Notes on every scenario, and what follows from its traffic under the policies; policies with the same warning share a
 * line. */
void cli_print_plan_warnings(const sim_store_plan *plan, FILE *out);

#endif
