/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/moment.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/plan.h"

void sim_moments_init(sim_moments *moments, const sim_experiment_input *input, uint32_t scenario, uint32_t policy,
                      uint32_t replication)
{
    *moments = (sim_moments){.input = input, .scenario = scenario, .policy = policy, .replication = replication};
}

void sim_moments_deinit(sim_moments *moments)
{
    for (int k = 0; k <= SIM_CHECKPOINTS; k++)
        free(moments->at[k]);
    *moments = (sim_moments){0};
}

static int64_t time_of(const sim_moments *self, int step)
{
    const int64_t duration = self->input->scenario[self->scenario]->duration;
    return step == SIM_CHECKPOINTS ? duration : duration / SIM_CHECKPOINTS * step;
}

/* The scenario until then: phases that begin later are gone. */
static sim_scenario cut(const sim_scenario *scenario, int64_t end)
{
    sim_scenario shorter = *scenario;
    shorter.duration = end;
    shorter.expectation_count = 0; /* they may name phases that are gone */
    while (shorter.phase_count > 0 && shorter.phase[shorter.phase_count - 1].start >= end)
        shorter.phase_count--;
    return shorter;
}

/* Plays the run until that step. False: it cannot be played. */
static bool play(sim_moments *self, int step)
{
    const sim_scenario shorter = cut(self->input->scenario[self->scenario], time_of(self, step));
    const sim_scenario *const scenarios[] = {&shorter};
    const sim_policy *const policies[] = {self->input->policy[self->policy]};
    sim_experiment_input input = *self->input;
    sim_input_error error;
    input.scenario_count = 1;
    input.scenario = scenarios;
    input.policy_count = 1;
    input.policy = policies;
    input.replications = self->replication + 1;
    sim_experiment *experiment = sim_experiment_create(&input, &error);
    if (experiment == NULL)
        return false;
    const sim_plan_place place = {self->replication, 0, 0, self->replication};
    sim_finished *finished = sim_run_place(experiment, place, input.mode, NULL, NULL);
    if (finished != NULL && finished->status == SIM_RUN_OK) {
        const size_t size = finished->metrics.phase_count * (size_t)SIM_METRIC_COUNT;
        self->at[step] = malloc(size * sizeof *self->at[step]);
        self->phases[step] = finished->metrics.phase_count;
        if (self->at[step] != NULL)
            memcpy(self->at[step], finished->metrics.metric, size * sizeof *self->at[step]);
    }
    sim_finished_free(finished);
    sim_experiment_destroy(experiment);
    return self->at[step] != NULL;
}

static uint32_t phase_of(const sim_scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->phase_count; i++) {
        if (strcmp(scenario->phase[i].name, name) == 0)
            return i + 1;
    }
    return 0;
}

typedef struct {
    uint32_t phase;
    sim_metric_id metric;
    sim_expect_type type;
    double limit;
} question;

/* Whether the run cut at that step breaks the limit; `*ok` becomes false if it cannot be played. */
static bool is_broken(sim_moments *self, int step, const question *asked, bool *ok)
{
    if (self->at[step] == NULL && !play(self, step)) {
        *ok = false;
        return false;
    }
    if (asked->phase >= self->phases[step])
        return false;
    const sim_metric_value *value = &self->at[step][asked->phase * (size_t)SIM_METRIC_COUNT + asked->metric];
    return sim_limit_check(asked->type, value, asked->limit) == SIM_EXPECT_FAILS;
}

bool sim_moments_find(sim_moments *moments, const char *phase, sim_metric_id metric, sim_expect_type type, double limit,
                      sim_moment *out)
{
    const question asked = {phase_of(moments->input->scenario[moments->scenario], phase), metric, type, limit};
    bool ok = time_of(moments, 1) > 0;
    int kept = 0;
    int broken = SIM_CHECKPOINTS;
    if (!ok || !is_broken(moments, broken, &asked, &ok))
        return false;
    while (ok && broken - kept > 1) {
        const int middle = (kept + broken) / 2;
        if (is_broken(moments, middle, &asked, &ok))
            broken = middle;
        else
            kept = middle;
    }
    *out = (sim_moment){time_of(moments, kept), time_of(moments, broken)};
    return ok;
}
