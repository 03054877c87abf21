/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/failure.h"

#include "cli/cli.h"

int cli_report_store(const sim_store_error *error)
{
    if (error->status == SIM_STORE_EXISTS) {
        (void)cli_complain("%s; choose another --db, --resume to go on with it, or --force to replace it",
                           error->message);
        return CLI_USAGE;
    }
    (void)cli_complain("%s", error->message);
    return error->status == SIM_STORE_ALIEN || error->status == SIM_STORE_DIFFERS ? CLI_USAGE : CLI_IO;
}

/* What a sweep has set. */
static void print_point(const sim_store_sweep_point *point)
{
    for (uint32_t k = 0; k < point->value_count; k++) {
        char setting[1024];
        (void)snprintf(setting, sizeof setting, "%s=%s", point->value[k].key, point->value[k].text);
        (void)fputs(" --set ", stderr);
        cli_quote(stderr, setting);
    }
}

/* The command that shows a failed run again. */
static void print_reproduction(const cli_arguments *arguments, const sim_store_plan *plan,
                               const sim_experiment_result *result)
{
    (void)fprintf(stderr, "regionsim: seed %llu, replication %u; to reproduce:\n  regionsim run ",
                  (unsigned long long)arguments->seed, result->replication);
    cli_quote(stderr, plan->scenario[result->scenario]->path);
    (void)fputs(" --policy ", stderr);
    cli_quote(stderr, plan->policy[result->policy]->path);
    for (size_t i = 0; i < arguments->setting_count; i++) {
        char setting[1024];
        (void)snprintf(setting, sizeof setting, "%s=%s", arguments->setting[i].key, arguments->setting[i].value);
        (void)fputs(" --set ", stderr);
        cli_quote(stderr, setting);
    }
    for (uint32_t i = 0; plan->sweep != NULL && i < plan->sweep->point_count; i++) {
        const sim_store_sweep_point *point = &plan->sweep->point[i];
        if (point->index == (point->is_scenario ? result->scenario : result->policy))
            print_point(point);
    }
    (void)fprintf(stderr, " --seed %llu --replications %u --event-mode %s%s --db reproduction.db\n",
                  (unsigned long long)arguments->seed, result->replication + 1,
                  arguments->mode == SIM_MODE_FAST ? "fast" : "reference", arguments->env ? " --env" : "");
}

static int report_failed_run(const cli_arguments *arguments, const sim_store_plan *plan,
                             const sim_experiment_result *result)
{
    const char *scenario = plan->scenario[result->scenario]->name;
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
    (void)cli_complain("internal error in %s under %s: %s", scenario, plan->policy[result->policy]->name,
                       result->what[0] == '\0' ? "an invariant does not hold" : result->what);
    print_reproduction(arguments, plan, result);
    return CLI_INTERNAL;
}

int cli_report_result(const cli_arguments *arguments, const sim_store_plan *plan, const sim_experiment_result *result)
{
    const char *how = "";
    int status = CLI_OK;
    switch (result->status) {
    case SIM_EXPERIMENT_OK:
        return CLI_OK;
    case SIM_EXPERIMENT_INTERRUPTED:
        (void)cli_complain("interrupted");
        status = CLI_INTERRUPTED;
        how = "; --resume goes on";
        break;
    case SIM_EXPERIMENT_STORE:
        status = cli_report_store(&result->store);
        how = "; --resume goes on";
        break;
    case SIM_EXPERIMENT_RUN:
        status = report_failed_run(arguments, plan, result);
        break;
    }
    const uint32_t runs = plan->scenario_count * plan->policy_count * plan->replications;
    if (arguments->db == NULL) /* nothing is kept */
        return status;
    (void)cli_complain("%u of %u run%s finished and kept in %s%s", result->done, runs, runs == 1 ? " is" : "s are",
                       arguments->db, how);
    return status;
}
