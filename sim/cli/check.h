/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A check under way; private to `check`. */
#ifndef SIM_CLI_CHECK_H
#define SIM_CLI_CHECK_H

#include "cli/findings.h"
#include "cli/work.h"

typedef struct {
    cli_arguments arguments; /* with the baseline's seed */
    sim_baseline *before;    /* NULL: none */
    sim_baseline *after;     /* what there is now */
    cli_findings findings;
    cli_scratch scratch;
} cli_checking;

/* A scenario and the policies to judge it under. False with `*error`. */
bool cli_checking_load(const cli_checking *self, const char *path, cli_inputs *in, sim_input_error *error);

/* Finished runs of one scenario. */
typedef struct {
    sim_experiment_input input;
    sim_experiment *experiment;
    sim_outcome *outcome;
} cli_round;

/* Plays what the scratch database lacks and takes it into `now`. An exit status; close the round in any case. */
int cli_round_play(cli_checking *self, const cli_inputs *in, uint32_t replications, cli_db_use use,
                   sim_baseline_scenario *now, cli_round *round);
void cli_round_close(cli_round *round);

/* Plants regressions in the scenario's policies and looks whether the gate notices; findings say so. An exit status. */
int cli_self_test(cli_checking *self, const cli_inputs *in);

#endif
