/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run: the engine under observation, its metrics and digests. */
#include <stdlib.h>
#include <time.h>

#include "engine/stories.h"
#include "experiment/plan.h"

static int64_t monotonic_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * RGN_NS_PER_S + now.tv_nsec;
}

static sim_digest digest_result(const sim_run_output *output, const sim_run_metrics *metrics)
{
    sim_digest digest = sim_run_metrics_digest(metrics);
    sim_digest_add(&digest, output->operations, output->legs, output->peak_pending, (uint64_t)output->end);
    sim_digest_add(&digest, output->late_successes, output->late_failures, output->failed_allocations,
                   metrics->transitions_left_out);
    return digest;
}

sim_run_input sim_place_input(const sim_experiment *experiment, sim_plan_place place, sim_mode mode,
                              sim_world_run *world_run)
{
    const sim_store_pair *pair = &experiment->pair[place.scenario * experiment->input.policy_count + place.policy];
    return (sim_run_input){
        .scenario = experiment->input.scenario[place.scenario],
        .world = experiment->world[place.scenario],
        .router_options = pair->clients,
        .workload_options = pair->workloads,
        .luck = {experiment->input.seed, place.replication},
        .mode = mode,
        .world_run = world_run,
    };
}

/* Runs with an observer and stories that exist. */
static void observe(sim_finished *finished, sim_run_input *input, sim_metrics *metrics, sim_stories *stories)
{
    input->observer = sim_metrics_observer(metrics);
    input->stories = stories;
    finished->status = sim_run(input, &finished->output, &finished->what);
    if (finished->status != SIM_RUN_OK)
        return;
    if (sim_metrics_finish(metrics, &finished->output, &finished->metrics))
        finished->result = digest_result(&finished->output, &finished->metrics);
    else
        finished->status = SIM_RUN_NO_MEMORY;
}

sim_finished *sim_run_place(const sim_experiment *experiment, sim_plan_place place, sim_mode mode,
                            bool (*on_progress)(void *context, int64_t now), void *context)
{
    sim_finished *finished = calloc(1, sizeof *finished);
    if (finished == NULL)
        return NULL;
    finished->place = place;
    finished->status = SIM_RUN_NO_MEMORY;
    finished->started_unix_s = (int64_t)time(NULL);
    const int64_t started = monotonic_ns();
    const sim_luck luck = {experiment->input.seed, place.replication};
    sim_world_run *world_run = sim_world_run_create(experiment->world[place.scenario], &luck);
    sim_run_input input = sim_place_input(experiment, place, mode, world_run);
    sim_metrics *metrics =
        world_run == NULL ? NULL : sim_metrics_create(input.scenario, world_run, &input.router_options->values);
    sim_stories *stories = metrics == NULL ? NULL : sim_stories_create();
    if (stories != NULL) {
        input.on_progress = on_progress;
        input.progress_context = context;
        observe(finished, &input, metrics, stories);
        finished->sample = sim_stories_finish(stories);
    }
    sim_metrics_destroy(metrics);
    sim_world_run_destroy(world_run);
    finished->elapsed_ns = monotonic_ns() - started;
    return finished;
}

void sim_finished_free(sim_finished *finished)
{
    if (finished == NULL)
        return;
    sim_run_output_deinit(&finished->output);
    sim_run_metrics_deinit(&finished->metrics);
    free(finished->sample.story);
    free(finished->difference);
    free(finished);
}
