/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run will need, before it runs. An estimate on the high side: it takes it that every operation in flight waits
 * for its deadline while a fault is on, and that every partition that a fault can hit trips at every client.
 * What few policies need beside that, for several hedges or a memory of trips, is less than that on top. */
#include "engine/callers.h"
#include "engine/stations.h"

enum {
    ROUTER_BYTES = 2048, /* a router with one topology, without what it has for each partition: */
    PARTITION_BYTES = 3, /* ... its state, and a short row of hedge wins */
    ENTRY_BYTES = 256,   /* an entry's place in a slab and in its table */
};

static int64_t peak_rate(const sim_workload *workload)
{
    int64_t peak = workload->rate_mhz;
    for (uint32_t i = 0; i < workload->rate_step_count; i++)
        if (workload->rate_step[i].rate_mhz > peak)
            peak = workload->rate_step[i].rate_mhz;
    return peak;
}

static uint64_t slots_at_most(const sim_scenario *scenario)
{
    uint64_t slots = 1024;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const sim_workload *workload = &scenario->workload[w];
        if (workload->arrivals == SIM_ARRIVALS_CLOSED) {
            slots += workload->users;
            continue;
        }
        const int64_t life = workload->deadline == RGN_TIME_NEVER ? 60 * RGN_NS_PER_S : workload->deadline;
        slots += (uint64_t)((unsigned __int128)(uint64_t)peak_rate(workload) * (uint64_t)life / (uint64_t)SIM_RATE_NS);
    }
    return slots < SIM_PENDING_MAX ? slots : SIM_PENDING_MAX;
}

/* What answers bring of sessions is kept by leg and region. */
static uint64_t in_flight_bytes(const sim_scenario *scenario)
{
    const uint64_t slots = slots_at_most(scenario);
    const uint64_t seen =
        scenario->replication.is_on ? (uint64_t)SIM_SLOT_LEGS * scenario->region_count * sizeof(rgn_lsn) : 0;
    return slots * (sizeof(sim_slot) + sizeof(sim_visits) + sizeof(sim_event) + sizeof(uint32_t) + seen) +
           sim_stations_memory_estimate(scenario, slots) + sim_callers_memory_estimate(scenario, slots);
}

/* Of all (client, partition) pairs, ppb. */
static uint64_t hit_share(const sim_scenario *scenario, const sim_fault *fault)
{
    uint64_t share = fault->partition_share;
    if (fault->partition_count > 0) {
        const uint64_t hit = (uint64_t)fault->partition_count * scenario->workload_count;
        share = hit < scenario->partition_count ? hit * SIM_SHARE_ONE / scenario->partition_count : SIM_SHARE_ONE;
    }
    return share * fault->client_share / SIM_SHARE_ONE;
}

/* Streams, and the tables for picking partitions by weight. */
static uint64_t arrival_bytes(const sim_scenario *scenario)
{
    uint64_t bytes = scenario->workload_count * (sizeof(sim_stream) + sizeof(sim_sampler));
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        bytes += scenario->workload[w].users * sizeof(sim_event);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workload[w].partition_weight != NULL)
            bytes += 3 * (uint64_t)scenario->workload[w].partition_count * sizeof(uint32_t);
    return bytes;
}

static uint64_t connection_bytes(const sim_scenario *scenario)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        if (scenario->fault[f].only_new_connections)
            return (uint64_t)scenario->client_count * scenario->region_count * sizeof(int64_t);
    return 0;
}

/* Tokens; the commits come to little. */
static uint64_t session_bytes(const sim_scenario *scenario)
{
    if (!scenario->replication.is_on)
        return 0;
    return (uint64_t)scenario->client_count * scenario->partition_count * scenario->region_count * sizeof(rgn_lsn);
}

static uint64_t entry_bytes(const sim_scenario *scenario)
{
    uint64_t share = 0; /* ppb of the partitions */
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        share += hit_share(scenario, &scenario->fault[f]);
    share = share < SIM_SHARE_ONE ? share : SIM_SHARE_ONE;
    const uint64_t pairs = (uint64_t)scenario->client_count * scenario->partition_count;
    return (uint64_t)((unsigned __int128)pairs * share / SIM_SHARE_ONE) * ENTRY_BYTES;
}

uint64_t sim_run_memory_estimate(const sim_scenario *scenario)
{
    const uint64_t seconds = (uint64_t)(scenario->duration / RGN_NS_PER_S) + 1;
    return (uint64_t)scenario->client_count *
               (ROUTER_BYTES + sizeof(sim_client) + PARTITION_BYTES * (uint64_t)scenario->partition_count +
                scenario->workload_count * RGN_DIRECTIONS * sizeof(rgn_plan)) +
           entry_bytes(scenario) + in_flight_bytes(scenario) + seconds * scenario->region_count * sizeof(uint32_t) +
           arrival_bytes(scenario) + connection_bytes(scenario) + session_bytes(scenario) +
           SIM_STORIES_MAX * sizeof(sim_story);
}
