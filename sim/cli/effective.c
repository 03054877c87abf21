/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list knobs --effective: what each knob is in a scenario under each policy, and why. The values are those that a run
 * would use and store. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/table.h"
#include "experiment/experiment.h"

static bool add(cli_table *table, const char *policy, const char *workload, rgn_knob_id knob,
                const rgn_effective_options *options)
{
    char value[64];
    sim_format_knob(knob, rgn_options_get(&options->values, knob), value, sizeof value);
    const char *const cells[] = {policy, workload, rgn_knob_at(knob)->name, value,
                                 rgn_layer_name((rgn_layer)options->origin[knob])};
    return cli_table_add(table, cells);
}

/* A workload has rows of its own only for knobs that differ from the clients'. */
static bool add_pair(cli_table *table, const sim_scenario *scenario, const sim_policy *policy,
                     const sim_store_pair *pair, const bool *is_picked)
{
    bool ok = true;
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++) {
        const rgn_knob_id knob = (rgn_knob_id)i;
        if (!is_picked[i])
            continue;
        ok = add(table, policy->name, "", knob, pair->clients) && ok;
        for (uint32_t w = 0; w < scenario->workload_count; w++) {
            const rgn_effective_options *own = &pair->workloads[w];
            if (own->origin[i] != pair->clients->origin[i])
                ok = add(table, policy->name, scenario->workload[w].name, knob, own) && ok;
        }
    }
    return ok;
}

static int print_plan(const sim_store_plan *plan, const bool *is_picked, cli_format format)
{
    static const cli_column COLUMNS[] = {
        {"policy", false}, {"workload", false}, {"name", false}, {"value", false}, {"origin", false}};
    cli_table table;
    cli_table_init(&table, COLUMNS, 5);
    bool ok = true;
    for (uint32_t p = 0; p < plan->policy_count; p++)
        ok = add_pair(&table, plan->scenario[0], plan->policy[p], &plan->pair[p], is_picked) && ok;
    if (ok)
        cli_table_print(&table, format, stdout);
    else
        (void)cli_complain("out of memory");
    cli_table_deinit(&table);
    return ok ? CLI_OK : CLI_IO;
}

/* NULL with `*error` filled in. */
static sim_experiment *resolve(const cli_arguments *arguments, const sim_scenario *scenario,
                               const sim_policy *const *policy, uint32_t policy_count, sim_input_error *error)
{
    const rgn_environment process = {.lookup = cli_look_up_cosmos};
    const sim_experiment_input input = {
        .scenario_count = 1,
        .scenario = &scenario,
        .policy_count = policy_count,
        .policy = policy,
        .replications = 1,
        .process = arguments->env ? &process : NULL,
    };
    return sim_experiment_create(&input, error);
}

int cli_list_effective(const cli_arguments *arguments, const bool *is_picked)
{
    static const char *const DEFAULT_POLICY[] = {"success-rate"};
    const char *path = arguments->effective;
    sim_policy *policy[CLI_POLICIES_MAX] = {NULL};
    const uint32_t count = arguments->policy_count == 0 ? 1 : (uint32_t)arguments->policy_count;
    sim_input_error error = {0};
    sim_experiment *experiment = NULL;
    int status = CLI_USAGE;
    sim_scenario *scenario = sim_scenario_load(path, arguments->setting, arguments->setting_count, &error);
    bool ok = scenario != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        const char *name = (arguments->policy_count == 0 ? DEFAULT_POLICY : arguments->policy)[i];
        policy[i] = sim_policy_load(name, path, arguments->setting, arguments->setting_count, &error);
        ok = policy[i] != NULL;
    }
    if (ok)
        experiment = resolve(arguments, scenario, (const sim_policy *const *)policy, count, &error);
    if (experiment != NULL)
        status = print_plan(sim_experiment_plan(experiment), is_picked, arguments->format);
    else
        sim_input_error_print(&error, stderr);
    sim_experiment_destroy(experiment);
    for (uint32_t i = 0; i < count; i++)
        sim_policy_destroy(policy[i]);
    sim_scenario_destroy(scenario);
    return status;
}
