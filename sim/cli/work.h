/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carrying out an experiment: signals, jobs, progress, the database that holds the runs. */
#ifndef SIM_CLI_WORK_H
#define SIM_CLI_WORK_H

#include "cli/arguments.h"
#include "experiment/experiment.h"

/* From now on the first signal ends the work in order, the second ends the process. */
void cli_catch_signals(void);
/* It has come. */
bool cli_is_stopped(void);

unsigned cli_jobs(const cli_arguments *arguments);

typedef enum { CLI_DB_CREATE, CLI_DB_REPLACE, CLI_DB_RESUME } cli_db_use;

/* Opens the database, says what the plan `warns` of, and runs what it lacks of the plan. CLI_OK with `*store` open;
 * else an exit status after a complaint, and no store. */
int cli_work(const cli_arguments *arguments, sim_experiment *experiment, const char *db, cli_db_use use, bool warns,
             sim_store **store);

/* How runs are carried out, progress apart. */
sim_experiment_control cli_control(const cli_arguments *arguments);

/* Runs what an open database lacks of the plan. CLI_OK, or an exit status after a complaint. */
int cli_work_in(const cli_arguments *arguments, sim_experiment *experiment, const char *db, bool warns,
                sim_store *store);

/* A database that goes when the program ends. */
typedef struct {
    char folder[512];
    char db[600];
} cli_scratch;

/* Makes its folder, in TMPDIR or /tmp; false after a complaint. Remove it in any case. */
bool cli_scratch_make(cli_scratch *scratch);
/* Removes the database, and makes room for the next one. */
void cli_scratch_clear(const cli_scratch *scratch);
void cli_scratch_remove(const cli_scratch *scratch);

#endif
