/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run: scenarios × policies × replications into a database, and a summary. */
#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/inputs.h"
#include "cli/summary.h"
#include "cli/work.h"

/* What a command line means that names no policy. */
static const char *const DEFAULT_POLICY[] = {"success-rate"};

static int judge(const cli_summary *summary)
{
    const cli_expectation_count count = cli_summary_expectations(summary);
    if (count.failed > 0)
        (void)cli_complain("%u expectation%s failed", count.failed, count.failed == 1 ? "" : "s");
    if (count.unknown > 0)
        (void)cli_complain("%u expectation%s could not be judged", count.unknown, count.unknown == 1 ? "" : "s");
    return count.failed > 0 ? CLI_EXPECTATION : count.unknown > 0 ? CLI_INCONCLUSIVE : CLI_OK;
}

static int summarise(const cli_arguments *arguments, sim_store *store, const sim_store_plan *plan)
{
    sim_store_error error;
    sim_timeline timeline = {0};
    sim_outcome *outcome = sim_outcome_read(store, plan, &error);
    if (outcome == NULL || !sim_timeline_read(&timeline, store, plan, &error)) {
        sim_timeline_deinit(&timeline);
        sim_outcome_destroy(outcome);
        return cli_report_store(&error);
    }
    cli_summary summary;
    int status = CLI_IO;
    if (cli_summary_open(&summary, plan, outcome, arguments->db, CLI_VIEW_RUN)) {
        summary.timeline = &timeline;
        status = cli_summary_deliver(&summary, arguments);
        if (status == CLI_OK)
            status = judge(&summary);
    } else {
        (void)cli_complain("out of memory");
    }
    cli_summary_close(&summary);
    sim_timeline_deinit(&timeline);
    sim_outcome_destroy(outcome);
    return status;
}

static int run_plan(const cli_arguments *arguments, sim_experiment *experiment)
{
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    const cli_db_use use = arguments->resume ? CLI_DB_RESUME : arguments->force ? CLI_DB_REPLACE : CLI_DB_CREATE;
    sim_store *store = NULL;
    int status = cli_work(arguments, experiment, arguments->db, use, true, &store);
    if (status == CLI_OK)
        status = summarise(arguments, store, plan);
    if (store != NULL)
        sim_store_close(store);
    return status;
}

int cli_run(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("run: expected at least one scenario file");
    if (arguments->resume && arguments->force)
        return cli_complain("run: --resume keeps what --force would replace; give one of them");
    cli_catch_signals();
    cli_inputs in;
    sim_input_error error;
    int status = CLI_USAGE;
    sim_experiment *experiment = NULL;
    const bool is_default = arguments->policy_count == 0;
    if (cli_inputs_load(&in, arguments->operand, (size_t)arguments->operand_count,
                        is_default ? DEFAULT_POLICY : arguments->policy, is_default ? 1 : arguments->policy_count,
                        arguments, &error)) {
        const sim_experiment_input input = cli_experiment_input(&in, arguments, arguments->replications);
        experiment = sim_experiment_create(&input, &error);
    }
    if (experiment != NULL)
        status = run_plan(arguments, experiment);
    else
        sim_input_error_print(&error, stderr);
    sim_experiment_destroy(experiment);
    cli_inputs_deinit(&in);
    return status;
}
