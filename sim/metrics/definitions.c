/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of metric definitions as data. */
#include <assert.h>
#include <string.h>

#include "metrics/metrics.h"

static const sim_metric_definition definitions[SIM_METRIC_COUNT] = {
#define DEFINITION(identifier, unit, better, margin, meaning) {#identifier, unit, better, margin, meaning},
    SIM_METRICS(DEFINITION)
#undef DEFINITION
};

const sim_metric_definition *sim_metric_at(sim_metric_id id)
{
    assert(id < SIM_METRIC_COUNT);
    return &definitions[id];
}

sim_metric_id sim_metric_find(const char *name)
{
    unsigned id = 0;
    while (id < SIM_METRIC_COUNT && strcmp(definitions[id].name, name) != 0)
        id++;
    return (sim_metric_id)id;
}
