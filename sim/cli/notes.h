/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user should read before believing a result. */
#ifndef SIM_CLI_NOTES_H
#define SIM_CLI_NOTES_H

#include <stdio.h>

#include "experiment/traffic.h"
#include "world/world.h"

/* Each line of `notes` with `prefix` before it. */
void cli_print_notes(FILE *out, const char *prefix, const char *notes);

/* Warnings that follow from a workload's traffic under a policy, one a line. */
void cli_print_warnings(FILE *out, const char *prefix, const sim_workload *workload, const rgn_options *options,
                        const sim_traffic *traffic);

/* The numbers themselves, and the warnings. */
void cli_print_traffic(FILE *out, const sim_workload *workload, const rgn_options *options, const sim_traffic *traffic);

#endif
