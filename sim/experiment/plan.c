/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From scenarios and policies to a plan: worlds, options and input digests. */
#include "experiment/plan.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/expect.h"

/* The process's variables in front of the scenario's map. */
typedef struct {
    rgn_environment process;
    rgn_environment scenario;
} layered;

static const char *lookup(void *context, const char *variable)
{
    const layered *self = context;
    const char *found = self->process.lookup(self->process.context, variable);
    return found != NULL ? found : self->scenario.lookup(self->scenario.context, variable);
}

static bool resolve(sim_experiment *experiment, uint32_t s, uint32_t p, sim_input_error *error)
{
    const sim_scenario *scenario = experiment->input.scenario[s];
    const sim_policy *policy = experiment->input.policy[p];
    sim_pair_options *options = &experiment->options[s * experiment->input.policy_count + p];
    layered both = {.scenario = sim_scenario_environment(scenario)};
    rgn_environment environment = both.scenario;
    if (experiment->input.process != NULL) {
        both.process = *experiment->input.process;
        environment = (rgn_environment){.lookup = lookup, .context = &both};
    }
    bool ok = sim_effective_options(scenario, policy, NULL, &environment, &options->clients, error);
    for (uint32_t w = 0; ok && w < scenario->workload_count; w++)
        ok =
            sim_effective_options(scenario, policy, &scenario->workload[w], &environment, &options->workload[w], error);
    return ok;
}

static void add_options(sim_digest *digest, const char *name, const rgn_effective_options *options)
{
    sim_digest_add_bytes(digest, name, strlen(name));
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++) {
        const char *knob = rgn_knob_at((rgn_knob_id)i)->name;
        const int64_t value = rgn_options_get(&options->values, (rgn_knob_id)i);
        if (value == rgn_knob_at((rgn_knob_id)i)->initial)
            continue;
        sim_digest_add_bytes(digest, knob, strlen(knob));
        sim_digest_add(digest, (uint64_t)value, 0, 0, 0);
    }
}

void sim_digest_inputs(const sim_scenario *scenario, const sim_pair_options *options, char out[33])
{
    sim_digest digest = sim_digest_start();
    sim_digest_add_bytes(&digest, scenario->canonical, strlen(scenario->canonical));
    add_options(&digest, "", &options->clients);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        add_options(&digest, scenario->workload[w].name, &options->workload[w]);
    sim_digest_format(&digest, out);
}

static void *no_memory(sim_experiment *experiment, sim_input_error *error)
{
    *error = (sim_input_error){.message = "out of memory"};
    sim_experiment_destroy(experiment);
    return NULL;
}

static bool prepare_pairs(sim_experiment *experiment, uint32_t s, sim_input_error *error)
{
    for (uint32_t p = 0; p < experiment->input.policy_count; p++) {
        if (!resolve(experiment, s, p, error))
            return false;
        const size_t at = (size_t)s * experiment->input.policy_count + p;
        const sim_pair_options *options = &experiment->options[at];
        experiment->pair[at].clients = &options->clients;
        experiment->pair[at].workloads = options->workload;
        sim_digest_inputs(experiment->input.scenario[s], options, experiment->pair[at].input_digest);
    }
    return true;
}

sim_experiment *sim_experiment_create(const sim_experiment_input *input, sim_input_error *error)
{
    sim_experiment *experiment = calloc(1, sizeof *experiment);
    if (experiment == NULL)
        return no_memory(NULL, error);
    experiment->input = *input;
    const size_t pairs = (size_t)input->scenario_count * input->policy_count;
    experiment->world = calloc(input->scenario_count, sizeof *experiment->world);
    experiment->notes = calloc(input->scenario_count, sizeof *experiment->notes);
    experiment->options = calloc(pairs, sizeof *experiment->options);
    experiment->pair = calloc(pairs, sizeof *experiment->pair);
    if (experiment->world == NULL || experiment->notes == NULL || experiment->options == NULL ||
        experiment->pair == NULL)
        return no_memory(experiment, error);
    for (uint32_t s = 0; s < input->scenario_count; s++) {
        if (sim_scenario_metrics_exist(input->scenario[s], error))
            experiment->world[s] = sim_world_create(input->scenario[s], error);
        if (experiment->world[s] == NULL || !prepare_pairs(experiment, s, error)) {
            sim_experiment_destroy(experiment);
            return NULL;
        }
        experiment->notes[s] = sim_world_notes(experiment->world[s]);
    }
    experiment->plan = (sim_store_plan){
        .seed = input->seed,
        .replications = input->replications,
        .scenario_count = input->scenario_count,
        .scenario = input->scenario,
        .notes = experiment->notes,
        .policy_count = input->policy_count,
        .policy = input->policy,
        .pair = experiment->pair,
        .sweep = input->sweep,
    };
    return experiment;
}

const sim_store_plan *sim_experiment_plan(const sim_experiment *experiment)
{
    return &experiment->plan;
}

void sim_experiment_destroy(sim_experiment *experiment)
{
    if (experiment == NULL)
        return;
    for (uint32_t s = 0; experiment->world != NULL && s < experiment->input.scenario_count; s++)
        sim_world_destroy(experiment->world[s]);
    free(experiment->world);
    free(experiment->notes);
    free(experiment->options);
    free(experiment->pair);
    free(experiment);
}
