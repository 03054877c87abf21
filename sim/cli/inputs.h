/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenarios and policies of a command line, loaded. */
#ifndef SIM_CLI_INPUTS_H
#define SIM_CLI_INPUTS_H

#include "cli/arguments.h"
#include "experiment/experiment.h"

typedef struct {
    uint32_t scenario_count;
    sim_scenario **scenario;
    uint32_t policy_count;
    sim_policy **policy;
} cli_inputs;

/* Loads scenarios by path, and policies by path or by a name near the first scenario. Two of one name are refused.
 * False with `*error`. Free with cli_inputs_deinit() in any case. */
bool cli_inputs_load(cli_inputs *in, char *const *scenario, size_t scenario_count, const char *const *policy,
                     size_t policy_count, const cli_arguments *arguments, sim_input_error *error);
void cli_inputs_deinit(cli_inputs *in);

/* This process's variables where --env asks for them; for sim_experiment_input.process. */
const rgn_environment *cli_process_environment(const cli_arguments *arguments);

/* What to run; `in` and `arguments` must outlive it. */
sim_experiment_input cli_experiment_input(const cli_inputs *in, const cli_arguments *arguments, uint32_t replications);

#endif
