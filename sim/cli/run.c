/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run: scenarios × policies × replications into a database, and a summary. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/notes.h"
#include "cli/progress.h"
#include "cli/summary.h"
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

static const char *look_up_cosmos(void *context, const char *variable)
{
    static const char PREFIX[] = "AZURE_COSMOS_";
    (void)context;
    return strncmp(variable, PREFIX, sizeof PREFIX - 1) == 0 ? getenv(variable) : NULL;
}

static void print_warnings(const sim_store_plan *plan)
{
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        const sim_scenario *scenario = plan->scenario[s];
        char prefix[256];
        (void)snprintf(prefix, sizeof prefix, "note: %s: ", scenario->name);
        cli_print_notes(stderr, prefix, plan->notes[s]);
        for (uint32_t i = 0; i < plan->policy_count * scenario->workload_count; i++) {
            const uint32_t p = i / scenario->workload_count;
            const sim_workload *workload = &scenario->workload[i % scenario->workload_count];
            const rgn_options *options =
                &plan->pair[s * plan->policy_count + p].workloads[i % scenario->workload_count].values;
            const sim_traffic traffic = sim_traffic_of(scenario, workload, options);
            (void)snprintf(prefix, sizeof prefix, "warning: %s under %s: ", scenario->name, plan->policy[p]->name);
            cli_print_warnings(stderr, prefix, workload, options, &traffic);
        }
    }
}

/* The command that shows a failed run again. */
static void print_reproduction(const inputs *in, const sim_experiment_result *result)
{
    const cli_arguments *arguments = in->arguments;
    (void)fprintf(stderr, "regionsim: seed %llu, replication %u; to reproduce:\n  regionsim run ",
                  (unsigned long long)arguments->seed, result->replication);
    cli_quote(stderr, in->scenario[result->scenario]->path);
    (void)fputs(" --policy ", stderr);
    cli_quote(stderr, in->policy[result->policy]->path);
    for (size_t i = 0; i < arguments->setting_count; i++) {
        char setting[1024];
        (void)snprintf(setting, sizeof setting, "%s=%s", arguments->setting[i].key, arguments->setting[i].value);
        (void)fputs(" --set ", stderr);
        cli_quote(stderr, setting);
    }
    (void)fprintf(stderr, " --seed %llu --replications %u --event-mode %s%s --db reproduction.db\n",
                  (unsigned long long)arguments->seed, result->replication + 1,
                  arguments->mode == SIM_MODE_FAST ? "fast" : "reference", arguments->env ? " --env" : "");
}

static int report_failed_run(const inputs *in, const sim_experiment_result *result)
{
    const char *scenario = in->scenario[result->scenario]->name;
    switch (result->run_status) {
    case SIM_RUN_TOO_MANY_PENDING:
        return cli_complain("%s: more than %d operations in flight; lower the rate or the deadline", scenario,
                            SIM_PENDING_MAX);
    case SIM_RUN_NO_MEMORY:
        (void)cli_complain("%s: out of memory", scenario);
        return CLI_IO;
    case SIM_RUN_OK:
    case SIM_RUN_INTERRUPTED:
    case SIM_RUN_BROKEN:
        break;
    }
    (void)cli_complain("internal error in %s under %s: %s", scenario, in->policy[result->policy]->name,
                       result->what == NULL ? "an invariant does not hold" : result->what);
    print_reproduction(in, result);
    return CLI_INTERNAL;
}

static int report_store(const sim_store_error *error)
{
    if (error->status == SIM_STORE_EXISTS) {
        (void)cli_complain("%s; choose another --db, or --force to replace it", error->message);
        return CLI_USAGE;
    }
    (void)cli_complain("%s", error->message);
    return error->status == SIM_STORE_ALIEN ? CLI_USAGE : CLI_IO;
}

static int report(const inputs *in, const sim_experiment_result *result, uint32_t runs)
{
    int status = CLI_OK;
    switch (result->status) {
    case SIM_EXPERIMENT_OK:
        return CLI_OK;
    case SIM_EXPERIMENT_INTERRUPTED:
        (void)cli_complain("interrupted");
        status = CLI_INTERRUPTED;
        break;
    case SIM_EXPERIMENT_STORE:
        status = report_store(&result->store);
        break;
    case SIM_EXPERIMENT_RUN:
        status = report_failed_run(in, result);
        break;
    }
    (void)cli_complain("%u of %u runs are finished and kept in %s", result->done, runs, in->arguments->db);
    return status;
}

static int summarise(const inputs *in, sim_store *store, const sim_store_plan *plan)
{
    sim_store_error error;
    sim_outcome *outcome = sim_outcome_read(store, plan, &error);
    if (outcome == NULL)
        return report_store(&error);
    const cli_summary summary = {plan, outcome, in->arguments->db};
    int status = CLI_OK;
    if (!cli_summary_print(&summary, in->arguments->format, stdout)) {
        (void)cli_complain("out of memory");
        status = CLI_IO;
    } else {
        const cli_expectation_count count = cli_summary_expectations(&summary);
        status = count.failed > 0 ? CLI_EXPECTATION : count.unknown > 0 ? CLI_INCONCLUSIVE : CLI_OK;
        if (count.failed > 0)
            (void)cli_complain("%u expectations failed", count.failed);
    }
    sim_outcome_destroy(outcome);
    return status;
}

static int run_plan(const inputs *in, sim_experiment *experiment)
{
    const cli_arguments *arguments = in->arguments;
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    const uint32_t runs = plan->scenario_count * plan->policy_count * plan->replications;
    sim_store_error error;
    sim_store *store = sim_store_create(arguments->db, arguments->force, plan, &error);
    if (store == NULL)
        return report_store(&error);
    print_warnings(plan);
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    cli_progress progress = cli_progress_start(runs);
    const sim_experiment_control control = {
        .jobs = arguments->jobs > 0 ? arguments->jobs
                : cpus > 0          ? (unsigned)cpus
                                    : 1,
        .cpus = cpus > 0 ? (unsigned)cpus : 0,
        .command_line = arguments->command_line,
        .stop = &stop_asked,
        .on_progress = cli_progress_show,
        .progress_context = &progress,
    };
    catch_signals();
    const sim_experiment_result result = sim_experiment_run(experiment, store, &control);
    cli_progress_clear(&progress);
    int status = report(in, &result, runs);
    if (status == CLI_OK)
        status = summarise(in, store, plan);
    sim_store_close(store);
    return status;
}

int cli_run(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("run: expected at least one scenario file");
    inputs in = {.arguments = arguments};
    sim_input_error error;
    int status = CLI_USAGE;
    sim_experiment *experiment = NULL;
    if (load(&in, &error)) {
        const rgn_environment process = {.lookup = look_up_cosmos};
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
