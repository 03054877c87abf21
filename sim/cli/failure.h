/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What went wrong, as a complaint and an exit status. */
#ifndef SIM_CLI_FAILURE_H
#define SIM_CLI_FAILURE_H

#include "cli/arguments.h"
#include "experiment/experiment.h"

int cli_report_store(const sim_store_error *error);

/* CLI_OK without a word where nothing went wrong. Says how many runs are kept in a database that has a name, and for a
 * broken invariant the seed and the command that shows it again. */
int cli_report_result(const cli_arguments *arguments, const sim_store_plan *plan, const sim_experiment_result *result);

#endif
