/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate: reads files, and says what follows from them. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/notes.h"
#include "cli/unjudged.h"
#include "engine/engine.h"
#include "experiment/expect.h"
#include "metrics/metrics.h"

static int refuse(const sim_input_error *error)
{
    sim_input_error_print(error, stderr);
    return CLI_USAGE;
}

static int validate_policy(const cli_arguments *arguments, const char *path)
{
    sim_input_error error;
    sim_policy *policy = sim_policy_load(path, NULL, arguments->setting, arguments->setting_count, &error);
    if (policy == NULL)
        return refuse(&error);
    (void)printf("%s: OK, policy %s\n", path, policy->name);
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++) {
        const rgn_knob_id knob = (rgn_knob_id)i;
        const int64_t value = rgn_options_get(&policy->options.values, knob);
        char text[64];
        if (!policy->options.is_set[i] || value == rgn_knob_at(knob)->initial)
            continue;
        sim_format_knob(knob, value, text, sizeof text);
        (void)printf("  %s: %s\n", rgn_knob_at(knob)->name, text);
    }
    sim_policy_destroy(policy);
    return CLI_OK;
}

static void print_world(const sim_scenario *scenario)
{
    char duration[64];
    sim_format_duration(scenario->duration, duration, sizeof duration);
    (void)printf("  duration %s, %s account, regions: %u, clients: %u, partitions: %u, faults: %u, phases: %u, "
                 "expectations: %u\n",
                 duration, scenario->multi_write ? "multi-write" : "single-write", scenario->region_count,
                 scenario->client_count, scenario->partition_count, scenario->fault_count, scenario->phase_count,
                 scenario->expectation_count);
    (void)printf(
        "  a run needs at most %.1f MB for its fleet and queue and %.1f MB for its metrics, stored transitions "
        "apart\n",
        (double)sim_run_memory_estimate(scenario) / 1e6, (double)sim_metrics_memory_estimate(scenario) / 1e6);
}

static bool print_policy(const sim_scenario *scenario, const sim_policy *policy, sim_input_error *error)
{
    const rgn_environment environment = sim_scenario_environment(scenario);
    (void)printf("  under %s:\n", policy->name);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        rgn_effective_options options;
        if (!sim_effective_options(scenario, policy, &scenario->workload[w], &environment, &options, error))
            return false;
        const sim_traffic traffic = sim_traffic_of(scenario, &scenario->workload[w], &options.values);
        cli_print_trips(stdout, scenario, &scenario->workload[w], &options.values);
        cli_print_traffic(stdout, &scenario->workload[w], &options.values, &traffic);
    }
    return true;
}

/* Expectations about policies that there are none of. */
static void warn_of_names(const sim_scenario *scenario, const sim_policy *const *policy, uint32_t policy_count)
{
    cli_unjudged *list = NULL;
    size_t count = 0;
    if (cli_unjudged_find(scenario, policy, policy_count, &list, &count))
        cli_unjudged_warn(scenario, list, count, stdout);
    free(list);
}

static int validate_scenario(const cli_arguments *arguments, const char *path)
{
    static const char *const DEFAULT_POLICY[] = {"success-rate"};
    sim_input_error error;
    sim_scenario *scenario = sim_scenario_load(path, arguments->setting, arguments->setting_count, &error);
    if (scenario == NULL)
        return refuse(&error);
    sim_world *world = sim_scenario_metrics_exist(scenario, &error) ? sim_world_create(scenario, &error) : NULL;
    bool ok = world != NULL;
    if (ok) {
        (void)printf("%s: OK, scenario %s\n", path, scenario->name);
        print_world(scenario);
        cli_print_notes(stdout, "  note: ", sim_world_notes(world));
    }
    sim_policy *policy[CLI_POLICIES_MAX] = {NULL};
    const uint32_t count = arguments->policy_count == 0 ? 1 : (uint32_t)arguments->policy_count;
    for (uint32_t i = 0; ok && i < count; i++) {
        const char *name = (arguments->policy_count == 0 ? DEFAULT_POLICY : arguments->policy)[i];
        policy[i] = sim_policy_load(name, path, arguments->setting, arguments->setting_count, &error);
        ok = policy[i] != NULL && print_policy(scenario, policy[i], &error);
    }
    if (ok)
        warn_of_names(scenario, (const sim_policy *const *)policy, count);
    for (uint32_t i = 0; i < count; i++)
        sim_policy_destroy(policy[i]);
    sim_world_destroy(world);
    sim_scenario_destroy(scenario);
    return ok ? CLI_OK : refuse(&error);
}

int cli_validate(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("validate: expected at least one file");
    int status = CLI_OK;
    for (int i = 0; i < arguments->operand_count; i++) {
        sim_input_error error;
        cli_file file = cli_file_look(arguments->operand[i], &error);
        int one = CLI_USAGE;
        switch (file.kind) {
        case CLI_FILE_OTHER:
            one = refuse(&error);
            break;
        case CLI_FILE_SCENARIO:
            one = validate_scenario(arguments, arguments->operand[i]);
            break;
        case CLI_FILE_POLICY:
            one = validate_policy(arguments, arguments->operand[i]);
            break;
        }
        status = one == CLI_OK ? status : one;
        cli_file_deinit(&file);
    }
    return status;
}
