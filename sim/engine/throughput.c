/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/throughput.h"

#include <stdlib.h>

typedef struct {
    int64_t second;
    uint64_t spent; /* in it, millionths of request units */
} purse;

struct sim_throughput {
    const sim_scenario *scenario;
    purse *purse; /* by client */
};

sim_throughput *sim_throughput_create(const sim_scenario *scenario)
{
    sim_throughput *self = malloc(sizeof *self);
    purse *purses = calloc(scenario->client_count, sizeof *purses);
    if (self == NULL || purses == NULL) {
        free(self);
        free(purses);
        return NULL;
    }
    *self = (sim_throughput){scenario, purses};
    return self;
}

void sim_throughput_destroy(sim_throughput *throughput)
{
    if (throughput == NULL)
        return;
    free(throughput->purse);
    free(throughput);
}

bool sim_throughput_spend(sim_throughput *throughput, uint32_t client, sim_kind kind, int64_t now)
{
    purse *own = &throughput->purse[client];
    const int64_t second = now / RGN_NS_PER_S;
    if (own->second != second)
        *own = (purse){.second = second};
    if (own->spent >= throughput->scenario->client_budget)
        return false;
    own->spent += throughput->scenario->request_units[kind];
    return true;
}

int64_t sim_throughput_wait(int64_t now)
{
    return RGN_NS_PER_S - now % RGN_NS_PER_S;
}
