/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

void cli_inputs_deinit(cli_inputs *in)
{
    for (uint32_t i = 0; i < in->scenario_count; i++)
        sim_scenario_destroy(in->scenario[i]);
    for (uint32_t i = 0; i < in->policy_count; i++)
        sim_policy_destroy(in->policy[i]);
    free(in->scenario);
    free(in->policy);
    *in = (cli_inputs){0};
}

static bool refuse_twins(const char *path, const char *other, const char *name, sim_input_error *error)
{
    (void)snprintf(error->message, sizeof error->message,
                   "%.400s and %.400s are both named \"%.60s\"; a database tells them apart by name", path, other,
                   name);
    return false;
}

static bool load_scenario(cli_inputs *in, const char *path, const cli_arguments *arguments, sim_input_error *error)
{
    sim_scenario *one = sim_scenario_load(path, arguments->setting, arguments->setting_count, error);
    if (one == NULL)
        return false;
    in->scenario[in->scenario_count++] = one;
    for (uint32_t k = 0; k + 1 < in->scenario_count; k++) {
        if (strcmp(in->scenario[k]->name, one->name) == 0)
            return refuse_twins(in->scenario[k]->path, one->path, one->name, error);
    }
    return true;
}

static bool load_policy(cli_inputs *in, const char *name, const cli_arguments *arguments, sim_input_error *error)
{
    sim_policy *one = sim_policy_load(name, in->scenario[0]->path, arguments->setting, arguments->setting_count, error);
    if (one == NULL)
        return false;
    in->policy[in->policy_count++] = one;
    for (uint32_t k = 0; k + 1 < in->policy_count; k++) {
        if (strcmp(in->policy[k]->name, one->name) == 0)
            return refuse_twins(in->policy[k]->path, one->path, one->name, error);
    }
    return true;
}

bool cli_inputs_load(cli_inputs *in, char *const *scenario, size_t scenario_count, const char *const *policy,
                     size_t policy_count, const cli_arguments *arguments, sim_input_error *error)
{
    *error = (sim_input_error){0};
    *in = (cli_inputs){.scenario = calloc(scenario_count, sizeof *in->scenario),
                       .policy = calloc(policy_count, sizeof *in->policy)};
    bool ok = in->scenario != NULL && in->policy != NULL;
    if (!ok)
        (void)snprintf(error->message, sizeof error->message, "out of memory");
    for (size_t i = 0; ok && i < scenario_count; i++)
        ok = load_scenario(in, scenario[i], arguments, error);
    for (size_t i = 0; ok && i < policy_count; i++)
        ok = load_policy(in, policy[i], arguments, error);
    return ok;
}

const char *cli_look_up_cosmos(void *context, const char *variable)
{
    static const char PREFIX[] = "AZURE_COSMOS_";
    (void)context;
    return strncmp(variable, PREFIX, sizeof PREFIX - 1) == 0 ? getenv(variable) : NULL;
}

const rgn_environment *cli_process_environment(const cli_arguments *arguments)
{
    static const rgn_environment PROCESS = {.lookup = cli_look_up_cosmos};
    return arguments->env ? &PROCESS : NULL;
}

sim_experiment_input cli_experiment_input(const cli_inputs *in, const cli_arguments *arguments, uint32_t replications)
{
    return (sim_experiment_input){
        .scenario_count = in->scenario_count,
        .scenario = (const sim_scenario *const *)in->scenario,
        .policy_count = in->policy_count,
        .policy = (const sim_policy *const *)in->policy,
        .replications = replications,
        .seed = arguments->seed,
        .mode = arguments->mode,
        .is_verified = arguments->is_verified,
        .process = cli_process_environment(arguments),
    };
}
