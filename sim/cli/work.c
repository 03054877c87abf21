/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/work.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/warnings.h"

/* Set by a signal: the one thing that must be global. */
static atomic_bool stop_asked;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    atomic_store(&stop_asked, true);
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool cli_is_stopped(void)
{
    return atomic_load(&stop_asked);
}

/* Somebody holds the database: says so once, and goes on waiting until a signal comes. */
typedef struct {
    const char *db;
    const cli_progress *progress;
    bool is_said;
} waiting;

static bool wait_for_others(void *context, unsigned waited_ms)
{
    enum { SAID_AFTER_MS = 2000 };
    waiting *self = context;
    if (waited_ms >= SAID_AFTER_MS && !self->is_said) {
        cli_progress_clear(self->progress);
        (void)cli_complain("another program holds %s; waiting for it", self->db);
        self->is_said = true;
    }
    return !atomic_load(&stop_asked);
}

unsigned cli_jobs(const cli_arguments *arguments)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (arguments->jobs > 0)
        return arguments->jobs;
    return cpus > 0 ? (unsigned)cpus : 1;
}

sim_experiment_control cli_control(const cli_arguments *arguments)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return (sim_experiment_control){
        .jobs = cli_jobs(arguments),
        .cpus = cpus > 0 ? (unsigned)cpus : 0,
        .command_line = arguments->command_line,
        .stop = &stop_asked,
    };
}

/* Runs what the store does not hold yet. */
static int fill(const cli_arguments *arguments, sim_experiment *experiment, sim_store *store, const bool *is_done,
                cli_progress *progress)
{
    sim_experiment_control control = cli_control(arguments);
    control.is_done = is_done;
    control.on_progress = cli_progress_show;
    control.progress_context = progress;
    const sim_experiment_result result = sim_experiment_run(experiment, store, &control);
    cli_progress_clear(progress);
    return cli_report_result(arguments, sim_experiment_plan(experiment), &result);
}

static sim_store *open_store(const sim_store_plan *plan, const char *db, cli_db_use use, sim_store_error *error)
{
    if (use == CLI_DB_RESUME)
        return sim_store_resume(db, plan, error);
    return sim_store_create(db, use == CLI_DB_REPLACE, plan, error);
}

int cli_work_in(const cli_arguments *arguments, sim_experiment *experiment, const char *db, bool warns,
                sim_store *store)
{
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    const uint32_t runs = plan->scenario_count * plan->policy_count * plan->replications;
    sim_store_error error;
    cli_progress progress = cli_progress_start(runs);
    waiting others = {db, &progress, false};
    sim_store_set_patience(store, wait_for_others, &others);
    bool *is_done = calloc(runs, sizeof *is_done);
    int status = CLI_IO;
    if (is_done == NULL) {
        (void)cli_complain("out of memory");
    } else if (!sim_store_read_done(store, is_done, runs, &error)) {
        status = cli_report_store(&error);
    } else {
        if (warns)
            cli_print_plan_warnings(plan, stderr);
        status = fill(arguments, experiment, store, is_done, &progress);
    }
    free(is_done);
    sim_store_set_patience(store, NULL, NULL);
    return status;
}

int cli_work(const cli_arguments *arguments, sim_experiment *experiment, const char *db, cli_db_use use, bool warns,
             sim_store **store)
{
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    *store = NULL;
    if (!cli_fits_memory(plan, cli_jobs(arguments), cli_machine_memory()))
        return CLI_USAGE;
    if (atomic_load(&stop_asked)) {
        (void)cli_complain("interrupted");
        return CLI_INTERRUPTED;
    }
    sim_store_error error;
    sim_store *opened = open_store(plan, db, use, &error);
    if (opened == NULL)
        return cli_report_store(&error);
    const int status = cli_work_in(arguments, experiment, db, warns, opened);
    if (status == CLI_OK)
        *store = opened;
    else
        sim_store_close(opened);
    return status;
}

bool cli_scratch_make(cli_scratch *scratch)
{
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(scratch->folder, sizeof scratch->folder, "%s/regionsim-XXXXXX",
                   temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary);
    if (mkdtemp(scratch->folder) == NULL) {
        (void)cli_complain("cannot make a folder %s: %s", scratch->folder, strerror(errno));
        scratch->folder[0] = '\0';
        return false;
    }
    (void)snprintf(scratch->db, sizeof scratch->db, "%s/runs.db", scratch->folder);
    return true;
}

void cli_scratch_clear(const cli_scratch *scratch)
{
    (void)unlink(scratch->db);
}

void cli_scratch_remove(const cli_scratch *scratch)
{
    if (scratch->folder[0] == '\0')
        return;
    cli_scratch_clear(scratch);
    (void)rmdir(scratch->folder);
}
