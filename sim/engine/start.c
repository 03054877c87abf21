/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of an operation that is no simple one: it has a story, or the scenario's starts need more than most. */
#include "engine/operation.h"

sim_started sim_run_start_any(sim_run_state *run, sim_slot *slot)
{
    const sim_stream *stream = run->arrivals.first;
    const uint32_t i = stream->position;
    const sim_arrival arrival = sim_arrivals_peek(&run->arrivals);
    if (!run->starts_rarely) {
        sim_run_digest_luck(run, arrival.time, arrival.luck_key, stream->ids[i], arrival.kind);
    } else if (sim_run_hold_back(run, &arrival)) {
        sim_arrivals_take(&run->arrivals);
        return SIM_STARTED_ENDED;
    }
    const sim_client *client = &run->fleet.client[arrival.client];
    rgn_request *request = sim_run_prepare_start(client, slot, stream, i);
    if (stream->story_hash[i] < run->story_bound)
        sim_run_begin_story(run, slot);
    if (run->starts_rarely)
        sim_run_complete_start(run, slot, request, &arrival);
    const rgn_step step = rgn_op_start(client->router, &slot->op, request, arrival.time);
    slot->first_region = slot->op.region;
    sim_arrivals_take(&run->arrivals);
    return sim_run_start_otherwise(run, slot, step, arrival.leg, arrival.time) ? SIM_STARTED_OPEN : SIM_STARTED_ENDED;
}
