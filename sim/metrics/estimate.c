/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What measuring a run will need, before it runs. On the high side: it takes it that every pair is struck at some time.
 * Stored transitions come on top; their number is the policy's doing. */
#include "metrics/internal.h"

/* Clients with a truth of their own: those of a group share it, unless a fault picks clients. */
static uint64_t truths(const sim_scenario *scenario)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        if (sim_fault_divides_groups(&scenario->fault[f]))
            return scenario->client_count;
    }
    return scenario->group_count;
}

/* Slices that are open at a time: as many as fit into an operation's life. */
static uint64_t open_slices(const sim_scenario *scenario)
{
    const int64_t step = rgn_time_min(scenario->interval, SIMI_SAMPLE_NS);
    int64_t life = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const int64_t deadline = rgn_time_min(scenario->workload[w].deadline, 2 * SIMI_SAMPLE_NS);
        life = deadline > life ? deadline : life;
    }
    return (uint64_t)rgn_time_min(life / step + 2, SIMI_OPEN_SLICES_MAX);
}

uint64_t sim_metrics_memory_estimate(const sim_scenario *scenario)
{
    const uint64_t slots = scenario->phase_count + 1;
    const uint64_t clients = scenario->client_count;
    const uint64_t partitions = scenario->partition_count;
    const uint64_t intervals = (uint64_t)(scenario->duration / scenario->interval) + 1;
    const uint64_t samples = (uint64_t)(scenario->duration / SIMI_SAMPLE_NS) + 1;
    uint64_t bytes = slots * (sizeof(simi_tally) + 2 * sizeof(sim_histogram));
    bytes += slots * (clients * (sizeof(simi_client_count) + 1) + partitions) + clients * sizeof(simi_home);
    bytes += intervals * sizeof(sim_interval_row) + (intervals + samples + slots) * sizeof(simi_slice);
    bytes += clients * simi_pair_blocks(scenario) * sizeof(uint32_t);
    bytes += open_slices(scenario) * sizeof(simi_open_slice);
    if (scenario->fault_count > 0)
        bytes += clients * partitions * 2 *
                     (sizeof(simi_pair) + sizeof(simi_pair_rest) + sizeof(simi_pair_place) + sizeof(simi_span)) +
                 ((uint64_t)rgn_time_min((int64_t)(clients * partitions * 2), SIMI_AT_HAND_MAX) + partitions) *
                     sizeof(simi_at_hand) +
                 truths(scenario) * partitions * SIMI_MASKS * sizeof(simi_timeline);
    return bytes;
}
