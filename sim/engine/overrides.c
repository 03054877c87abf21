/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process reads its environment when it starts: a restart may give clients overrides that beat every other layer.
 * They hold until a later restart of the client brings others; one that brings none leaves them. */
#include "engine/run.h"

struct sim_overrides {
    rgn_effective_options *clients; /* [restart] */
    rgn_options *workloads;         /* [restart * workload_count + workload] */
    uint8_t *restart_of;            /* [client]: restart + 1; 0: the scenario's environment */
};

static bool has_overrides(const sim_scenario *scenario)
{
    for (uint32_t r = 0; r < scenario->restart_count; r++)
        if (scenario->restart[r].override_count > 0)
            return true;
    return false;
}

static void apply(const sim_restart *restart, rgn_options *values, uint8_t *origin)
{
    for (uint32_t i = 0; i < restart->override_count; i++) {
        rgn_options_set(values, restart->override[i].knob, restart->override[i].value);
        if (origin != NULL)
            origin[restart->override[i].knob] = RGN_LAYER_OVERRIDE;
    }
}

bool sim_overrides_open(sim_run_state *run)
{
    const sim_scenario *scenario = run->scenario;
    const uint32_t workloads = scenario->workload_count;
    if (!has_overrides(scenario))
        return true;
    struct sim_overrides *self = calloc(1, sizeof *self);
    run->overrides = self;
    if (self == NULL)
        return false;
    self->clients = calloc(scenario->restart_count, sizeof *self->clients);
    self->workloads = calloc((size_t)scenario->restart_count * workloads, sizeof *self->workloads);
    self->restart_of = calloc(scenario->client_count, sizeof *self->restart_of);
    if (self->clients == NULL || self->workloads == NULL || self->restart_of == NULL)
        return false;
    for (uint32_t r = 0; r < scenario->restart_count; r++) {
        self->clients[r] = *run->input->router_options;
        apply(&scenario->restart[r], &self->clients[r].values, self->clients[r].origin);
        for (uint32_t w = 0; w < workloads; w++) {
            self->workloads[r * workloads + w] = run->input->workload_options[w].values;
            apply(&scenario->restart[r], &self->workloads[r * workloads + w], NULL);
        }
    }
    return true;
}

void sim_overrides_close(sim_run_state *run)
{
    if (run->overrides == NULL)
        return;
    free(run->overrides->clients);
    free(run->overrides->workloads);
    free(run->overrides->restart_of);
    free(run->overrides);
    run->overrides = NULL;
}

void sim_overrides_put(sim_run_state *run, uint32_t client, uint32_t restart)
{
    struct sim_overrides *self = run->overrides;
    if (self == NULL || run->scenario->restart[restart].override_count == 0)
        return;
    self->restart_of[client] = (uint8_t)(restart + 1);
    run->fleet.client[client].options = &self->clients[restart];
}

const rgn_options *sim_overrides_of(const sim_run_state *run, uint32_t client, uint32_t workload)
{
    const struct sim_overrides *self = run->overrides;
    const uint32_t restart = self->restart_of[client];
    return restart == 0 ? &run->input->workload_options[workload].values
                        : &self->workloads[(restart - 1) * run->scenario->workload_count + workload];
}
