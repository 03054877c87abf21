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

/* How long each fault's worst share of errors takes to trip a pair, one line a fault and operation kind. */
void cli_print_trips(FILE *out, const sim_scenario *scenario, const sim_workload *workload, const rgn_options *options);

/* The numbers themselves, and the warnings. */
void cli_print_traffic(FILE *out, const sim_workload *workload, const rgn_options *options, const sim_traffic *traffic);

#endif
