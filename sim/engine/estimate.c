/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run will need, before it runs. An estimate on the high side: it takes it that every operation in flight waits for
 * its deadline while a fault is on, and that every partition that a fault can hit trips at every client. */
#include "engine/run.h"

enum {
    ROUTER_BYTES = 2048, /* a router with one topology, without its partitions' state bytes */
    ENTRY_BYTES = 256,   /* an entry's place in a slab and in its table */
};

static uint64_t in_flight_bytes(const sim_scenario *scenario)
{
    uint64_t slots = 1024;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const sim_workload *workload = &scenario->workload[w];
        const int64_t life = workload->deadline == RGN_TIME_NEVER ? 60 * RGN_NS_PER_S : workload->deadline;
        slots += (uint64_t)((unsigned __int128)(uint64_t)workload->rate_mhz * (uint64_t)life / (uint64_t)SIM_RATE_NS);
    }
    slots = slots < SIM_PENDING_MAX ? slots : SIM_PENDING_MAX;
    return slots * (sizeof(sim_slot) + sizeof(sim_event) + sizeof(uint32_t));
}

static uint64_t entry_bytes(const sim_scenario *scenario)
{
    uint64_t share = 0; /* ppb of the partitions */
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        share += scenario->fault[f].partition_share;
    share = share < SIM_SHARE_ONE ? share : SIM_SHARE_ONE;
    const uint64_t pairs = (uint64_t)scenario->client_count * scenario->partition_count;
    return (uint64_t)((unsigned __int128)pairs * share / SIM_SHARE_ONE) * ENTRY_BYTES;
}

uint64_t sim_run_memory_estimate(const sim_scenario *scenario)
{
    const uint64_t seconds = (uint64_t)(scenario->duration / RGN_NS_PER_S) + 1;
    return (uint64_t)scenario->client_count * (ROUTER_BYTES + sizeof(sim_client) + scenario->partition_count) +
           entry_bytes(scenario) + in_flight_bytes(scenario) + seconds * scenario->region_count * sizeof(uint32_t) +
           scenario->workload_count * (sizeof(sim_stream) + sizeof(sim_sampler));
}
