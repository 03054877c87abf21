/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an experiment; private to its stage. */
#ifndef SIM_EXPERIMENT_PLAN_H
#define SIM_EXPERIMENT_PLAN_H

#include "experiment/experiment.h"

/* Options of one scenario under one policy: the clients' and each workload's. */
typedef struct {
    rgn_effective_options clients;
    rgn_effective_options workload[SIM_WORKLOADS_MAX];
} sim_pair_options;

/* The digest of a scenario and the options in force. Names of policies and origins of values stay out: what has the
 * same effect has the same digest. So do knobs at their default: a new knob changes no earlier digest. */
void sim_digest_inputs(const sim_scenario *scenario, const sim_pair_options *options, char out[33]);

struct sim_experiment {
    sim_experiment_input input;
    sim_world **world; /* one for each scenario */
    const char **notes;
    sim_pair_options *options; /* [scenario * policy_count + policy] */
    sim_store_pair *pair;
    sim_store_plan plan;
};

/* A place in the plan, and the number of runs before it. */
typedef struct {
    uint32_t index;
    uint32_t scenario, policy, replication;
} sim_plan_place;

static inline uint32_t sim_plan_size(const sim_experiment *experiment)
{
    return experiment->input.scenario_count * experiment->input.policy_count * experiment->input.replications;
}

static inline sim_plan_place sim_plan_at(const sim_experiment *experiment, uint32_t index)
{
    const uint32_t replications = experiment->input.replications;
    const uint32_t policies = experiment->input.policy_count;
    return (sim_plan_place){index, index / replications / policies, index / replications % policies,
                            experiment->input.first_replication + index % replications};
}

/* One run from start to end: what it yields is freed with sim_finished_free(). */
typedef struct sim_finished {
    struct sim_finished *next; /* in the list of finished runs */
    sim_plan_place place;
    sim_run_status status;
    const char *what; /* of a broken run; lives as long as this */
    char *difference; /* that sim_verify() has found */
    sim_run_output output;
    sim_run_metrics metrics;
    sim_story_set sample;
    sim_digest result;
    int64_t started_unix_s;
    int64_t elapsed_ns;
} sim_finished;

/* What the engine is to do at that place, with nobody listening. */
sim_run_input sim_place_input(const sim_experiment *experiment, sim_plan_place place, sim_mode mode,
                              sim_world_run *world_run);

/* Never NULL unless there is no memory for the answer itself. `on_progress` as in sim_run_input. */
sim_finished *sim_run_place(const sim_experiment *experiment, sim_plan_place place, sim_mode mode,
                            bool (*on_progress)(void *context, int64_t now), void *context);
void sim_finished_free(sim_finished *finished);

#endif
