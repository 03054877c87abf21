/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: scenarios × policies × points × replications into a database, and the points that are worth a look. */
#include "cli/sweep.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/variants.h"
#include "cli/work.h"

static const char *const DEFAULT_POLICY[] = {"success-rate"};

static void put_json(void *context, FILE *out)
{
    if (!cli_sweep_print(context, CLI_JSON, out))
        (void)cli_complain("out of memory");
}

static int deliver(const cli_sweep_view *view, const cli_arguments *arguments)
{
    const char *json = arguments->json;
    const bool replaces_text = json != NULL && strcmp(json, "-") == 0;
    if (!replaces_text && !cli_sweep_print(view, arguments->format, stdout)) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    const bool ok = json == NULL || cli_output_write(json, put_json, (void *)view);
    (void)fflush(stdout); /* where both go to one file, complaints come after the summary and not inside it */
    return ok ? CLI_OK : CLI_IO;
}

static int summarise(const cli_arguments *arguments, sim_store *store, const sim_store_plan *plan,
                     const cli_variants *variants, const cli_vary *vary)
{
    sim_store_error error;
    const char *key[2 * SIM_AXES_MAX];
    sim_outcome *outcome = sim_outcome_read(store, plan, &error);
    if (outcome == NULL)
        return cli_report_store(&error);
    const cli_sweep_view view = {.plan = plan,
                                 .outcome = outcome,
                                 .sweep = &variants->sweep,
                                 .scenario_base = variants->scenario_base,
                                 .knob_count = vary->knobs.count,
                                 .key_count = vary->knobs.count + vary->fields.count,
                                 .key = key,
                                 .asked_count = arguments->metric_count,
                                 .asked = arguments->metric,
                                 .db = arguments->db};
    for (size_t k = 0; k < view.key_count; k++)
        key[k] = k < view.knob_count ? vary->knobs.axis[k].key : vary->fields.axis[k - view.knob_count].key;
    const int status = deliver(&view, arguments);
    sim_outcome_destroy(outcome);
    return status;
}

static int run_plan(const cli_arguments *arguments, const cli_variants *variants, const cli_vary *vary)
{
    sim_input_error error;
    sim_store *store = NULL;
    sim_experiment_input input = cli_experiment_input(&variants->made, arguments, arguments->replications);
    input.sweep = &variants->sweep;
    sim_experiment *experiment = sim_experiment_create(&input, &error);
    if (experiment == NULL) {
        sim_input_error_print(&error, stderr);
        return CLI_USAGE;
    }
    const cli_db_use use = arguments->resume ? CLI_DB_RESUME : arguments->force ? CLI_DB_REPLACE : CLI_DB_CREATE;
    /* Warnings of thousands of policies would be a book; `validate` says them of one. */
    int status = cli_work(arguments, experiment, arguments->db, use, false, &store);
    if (status == CLI_OK)
        status = summarise(arguments, store, sim_experiment_plan(experiment), variants, vary);
    if (store != NULL)
        sim_store_close(store);
    sim_experiment_destroy(experiment);
    return status;
}

static int sweep_files(const cli_arguments *arguments, const cli_vary *vary)
{
    cli_inputs base;
    cli_variants variants = {0};
    sim_input_error error;
    const bool is_default = arguments->policy_count == 0;
    int status = CLI_USAGE;
    if (cli_inputs_load(&base, arguments->operand, (size_t)arguments->operand_count,
                        is_default ? DEFAULT_POLICY : arguments->policy, is_default ? 1 : arguments->policy_count,
                        arguments, &error) &&
        cli_variants_make(&variants, &base, vary, arguments, &error))
        status = run_plan(arguments, &variants, vary);
    else
        sim_input_error_print(&error, stderr);
    cli_variants_deinit(&variants);
    cli_inputs_deinit(&base);
    return status;
}

int cli_sweep(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("sweep: expected at least one scenario file");
    if (arguments->resume && arguments->force)
        return cli_complain("sweep: --resume keeps what --force would replace; give one of them");
    cli_catch_signals();
    cli_vary vary;
    const size_t policies = arguments->policy_count == 0 ? 1 : arguments->policy_count;
    int status = CLI_USAGE;
    if (cli_vary_read(&vary, arguments, (size_t)arguments->operand_count * policies))
        status = sweep_files(arguments, &vary);
    cli_vary_deinit(&vary);
    return status;
}
