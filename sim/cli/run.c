/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run: scenarios × policies × replications into a database, and a summary. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/warnings.h"
#include "experiment/experiment.h"

/* Set by a signal: the one thing that must be global. */
static atomic_bool stop_asked;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    atomic_store(&stop_asked, true);
}

/* The first signal ends the work in order, the second ends the process. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

typedef struct {
    const cli_arguments *arguments;
    uint32_t scenario_count;
    sim_scenario **scenario;
    uint32_t policy_count;
    sim_policy **policy;
} inputs;

static void free_inputs(inputs *in)
{
    for (uint32_t i = 0; i < in->scenario_count; i++)
        sim_scenario_destroy(in->scenario[i]);
    for (uint32_t i = 0; i < in->policy_count; i++)
        sim_policy_destroy(in->policy[i]);
    free(in->scenario);
    free(in->policy);
}

static bool load_scenarios(inputs *in, sim_input_error *error)
{
    const cli_arguments *arguments = in->arguments;
    for (int i = 0; i < arguments->operand_count; i++) {
        sim_scenario *one =
            sim_scenario_load(arguments->operand[i], arguments->setting, arguments->setting_count, error);
        if (one == NULL)
            return false;
        in->scenario[in->scenario_count++] = one;
        for (uint32_t k = 0; k + 1 < in->scenario_count; k++) {
            if (strcmp(in->scenario[k]->name, one->name) != 0)
                continue;
            (void)snprintf(error->message, sizeof error->message,
                           "%.400s and %.400s are both named \"%.60s\"; a database tells them apart by name",
                           in->scenario[k]->path, one->path, one->name);
            return false;
        }
    }
    return true;
}

static bool load_policies(inputs *in, sim_input_error *error)
{
    static const char *const DEFAULT_POLICY[] = {"success-rate"};
    const cli_arguments *arguments = in->arguments;
    const size_t count = arguments->policy_count == 0 ? 1 : arguments->policy_count;
    for (size_t i = 0; i < count; i++) {
        sim_policy *one = sim_policy_load((arguments->policy_count == 0 ? DEFAULT_POLICY : arguments->policy)[i],
                                          arguments->operand[0], arguments->setting, arguments->setting_count, error);
        if (one == NULL)
            return false;
        in->policy[in->policy_count++] = one;
        for (uint32_t k = 0; k + 1 < in->policy_count; k++) {
            if (strcmp(in->policy[k]->name, one->name) != 0)
                continue;
            (void)snprintf(error->message, sizeof error->message,
                           "%.400s and %.400s are both named \"%.60s\"; a database tells them apart by name",
                           in->policy[k]->path, one->path, one->name);
            return false;
        }
    }
    return true;
}

static bool load(inputs *in, sim_input_error *error)
{
    *error = (sim_input_error){0};
    in->scenario = calloc((size_t)in->arguments->operand_count, sizeof *in->scenario);
    in->policy = calloc(CLI_POLICIES_MAX, sizeof *in->policy);
    if (in->scenario == NULL || in->policy == NULL) {
        (void)snprintf(error->message, sizeof error->message, "out of memory");
        return false;
    }
    return load_scenarios(in, error) && load_policies(in, error);
}

const char *cli_look_up_cosmos(void *context, const char *variable)
{
    static const char PREFIX[] = "AZURE_COSMOS_";
    (void)context;
    return strncmp(variable, PREFIX, sizeof PREFIX - 1) == 0 ? getenv(variable) : NULL;
}

static int summarise(const inputs *in, sim_store *store, const sim_store_plan *plan)
{
    sim_store_error error;
    sim_outcome *outcome = sim_outcome_read(store, plan, &error);
    if (outcome == NULL)
        return cli_report_store(&error);
    cli_summary summary;
    int status = CLI_OK;
    if (!cli_summary_open(&summary, plan, outcome, in->arguments->db) ||
        !cli_summary_print(&summary, in->arguments->format, stdout)) {
        (void)cli_complain("out of memory");
        status = CLI_IO;
    } else {
        (void)fflush(stdout); /* where both go to one file, complaints come after the summary and not inside it */
        const cli_expectation_count count = cli_summary_expectations(&summary);
        status = count.failed > 0 ? CLI_EXPECTATION : count.unknown > 0 ? CLI_INCONCLUSIVE : CLI_OK;
        if (count.failed > 0)
            (void)cli_complain("%u expectation%s failed", count.failed, count.failed == 1 ? "" : "s");
        if (count.unknown > 0)
            (void)cli_complain("%u expectation%s could not be judged", count.unknown, count.unknown == 1 ? "" : "s");
    }
    cli_summary_close(&summary);
    sim_outcome_destroy(outcome);
    return status;
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

static unsigned jobs_of(const cli_arguments *arguments)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (arguments->jobs > 0)
        return arguments->jobs;
    return cpus > 0 ? (unsigned)cpus : 1;
}

/* Runs what the store does not hold yet, and reports. */
static int fill(const inputs *in, sim_experiment *experiment, sim_store *store, const bool *is_done,
                cli_progress *progress)
{
    const cli_arguments *arguments = in->arguments;
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const sim_experiment_control control = {
        .jobs = jobs_of(arguments),
        .cpus = cpus > 0 ? (unsigned)cpus : 0,
        .command_line = arguments->command_line,
        .is_done = is_done,
        .stop = &stop_asked,
        .on_progress = cli_progress_show,
        .progress_context = progress,
    };
    const sim_experiment_result result = sim_experiment_run(experiment, store, &control);
    cli_progress_clear(progress);
    const int status = cli_report_result(arguments, plan, &result);
    return status == CLI_OK ? summarise(in, store, plan) : status;
}

static int run_plan(const inputs *in, sim_experiment *experiment)
{
    const cli_arguments *arguments = in->arguments;
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    const uint32_t runs = plan->scenario_count * plan->policy_count * plan->replications;
    if (!cli_fits_memory(plan, jobs_of(arguments), cli_machine_memory()))
        return CLI_USAGE;
    if (atomic_load(&stop_asked)) {
        (void)cli_complain("interrupted");
        return CLI_INTERRUPTED;
    }
    sim_store_error error;
    sim_store *store = arguments->resume ? sim_store_resume(arguments->db, plan, &error)
                                         : sim_store_create(arguments->db, arguments->force, plan, &error);
    if (store == NULL)
        return cli_report_store(&error);
    cli_progress progress = cli_progress_start(runs);
    waiting others = {arguments->db, &progress, false};
    sim_store_set_patience(store, wait_for_others, &others);
    bool *is_done = calloc(runs, sizeof *is_done);
    int status = CLI_IO;
    if (is_done == NULL) {
        (void)cli_complain("out of memory");
    } else if (!sim_store_read_done(store, is_done, runs, &error)) {
        status = cli_report_store(&error);
    } else {
        cli_print_plan_warnings(plan, stderr);
        status = fill(in, experiment, store, is_done, &progress);
    }
    free(is_done);
    sim_store_close(store);
    return status;
}

int cli_run(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("run: expected at least one scenario file");
    if (arguments->resume && arguments->force)
        return cli_complain("run: --resume keeps what --force would replace; give one of them");
    catch_signals();
    inputs in = {.arguments = arguments};
    sim_input_error error;
    int status = CLI_USAGE;
    sim_experiment *experiment = NULL;
    if (load(&in, &error)) {
        const rgn_environment process = {.lookup = cli_look_up_cosmos};
        const sim_experiment_input input = {
            .scenario_count = in.scenario_count,
            .scenario = (const sim_scenario *const *)in.scenario,
            .policy_count = in.policy_count,
            .policy = (const sim_policy *const *)in.policy,
            .replications = arguments->replications,
            .seed = arguments->seed,
            .mode = arguments->mode,
            .process = arguments->env ? &process : NULL,
        };
        experiment = sim_experiment_create(&input, &error);
    }
    if (experiment != NULL)
        status = run_plan(&in, experiment);
    else
        sim_input_error_print(&error, stderr);
    sim_experiment_destroy(experiment);
    free_inputs(&in);
    return status;
}
