/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/timeline.h"

#include <stdlib.h>

typedef struct {
    sim_timeline *timeline;
    const sim_store_plan *plan;
    uint32_t *samples; /* replications with a value, as p99 */
} reading;

uint32_t sim_timeline_length(const sim_scenario *scenario)
{
    return (uint32_t)((scenario->duration + scenario->interval - 1) / scenario->interval);
}

/* p99 is the sum while rows come. */
static void take(void *context, const sim_stored_interval *row)
{
    const reading *self = context;
    if (row->latency_p99 < 0 || row->n >= self->timeline->intervals || row->replication >= self->plan->replications)
        return;
    const size_t at =
        ((size_t)row->scenario * self->plan->policy_count + row->policy) * self->timeline->intervals + row->n;
    self->timeline->p99[at] += (double)row->latency_p99;
    self->samples[at]++;
}

bool sim_timeline_read(sim_timeline *timeline, sim_store *store, const sim_store_plan *plan, sim_store_error *error)
{
    *timeline = (sim_timeline){0};
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        const uint32_t length = sim_timeline_length(plan->scenario[s]);
        timeline->intervals = length > timeline->intervals ? length : timeline->intervals;
    }
    const size_t size = (size_t)plan->scenario_count * plan->policy_count * timeline->intervals;
    reading self = {timeline, plan, calloc(size + 1, sizeof *self.samples)};
    timeline->p99 = calloc(size + 1, sizeof *timeline->p99);
    bool ok = self.samples != NULL && timeline->p99 != NULL;
    if (ok)
        ok = sim_store_read_intervals(store, take, &self, error);
    else
        *error = (sim_store_error){SIM_STORE_IO, "out of memory"};
    for (size_t i = 0; ok && i < size; i++)
        timeline->p99[i] = self.samples[i] > 0 ? timeline->p99[i] / self.samples[i] : -1;
    free(self.samples);
    return ok;
}

void sim_timeline_deinit(sim_timeline *timeline)
{
    free(timeline->p99);
    *timeline = (sim_timeline){0};
}
