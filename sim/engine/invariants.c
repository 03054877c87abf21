/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must add up, in every run. A healthy operation, which starts, sends one leg and is answered, is counted nowhere
 * but in the output: all others are told apart where they go their own ways, so that checking costs it nothing. */
#include "engine/run.h"

enum { EVENTS_OF_A_CLIENT = 64, SPARE_EVENTS = 4096 };

static uint64_t in_flight(const sim_run_state *run)
{
    return run->slot_count - run->free_count - run->zombie_count;
}

/* Where every arrival starts an operation, as many have started as were taken out of the streams. */
static uint64_t started(const sim_run_state *run)
{
    uint64_t taken = 0;
    if (run->starts_rarely)
        return run->rare_starts;
    for (uint32_t w = 0; w < run->scenario->workload_count; w++) {
        const sim_stream *stream = &run->arrivals.stream[w];
        taken += stream->first_n + stream->position;
    }
    return taken;
}

void sim_run_check_sums(sim_run_state *run)
{
    const sim_run_output *output = run->output;
    const uint64_t answered_once = output->operations - run->told_ends;
    const uint64_t over = answered_once + run->told_answers + run->cut_legs;
    if (started(run) != output->operations + in_flight(run))
        sim_run_break(run, "operations that started have neither ended nor are they in flight");
    if (in_flight(run) == 0 ? output->legs != over : output->legs < over)
        sim_run_break(run, "legs that were sent were neither answered nor cut");
}

void sim_run_check_canary(sim_run_state *run, const sim_slot *slot)
{
    if (rgn_router_phase(run->fleet.client[slot->client].router, slot->partition) != RGN_PHASE_RECOVERING)
        sim_run_break(run, "a canary was sent for a partition that is not recovering");
}

void sim_run_check_background(sim_run_state *run)
{
    const uint64_t regions = run->scenario->region_count;
    const uint64_t bound =
        SPARE_EVENTS + run->restart_events + (EVENTS_OF_A_CLIENT + 2 * regions) * (uint64_t)run->scenario->client_count;
    if (run->background.count > bound)
        sim_run_break(run, "background work piles up");
}
