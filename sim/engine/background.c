/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that no operation asks for: the routers' expiries, answers to what they asked for, and restarts. */
#include "engine/control.h"

void sim_run_schedule(sim_run_state *run, uint32_t client, int64_t earliest)
{
    int64_t due = rgn_router_next_expiry(run->fleet.client[client].router);
    if (due == RGN_TIME_NEVER || due == run->background_time[client])
        return;
    if (due < earliest)
        due = earliest;
    if (due >= run->background_time[client])
        return;
    if (!sim_queue_reserve(&run->background, run->background.count + 1)) {
        run->fleet.out_of_memory = true;
        return;
    }
    sim_run_check_background(run);
    run->background_time[client] = due;
    sim_queue_push(&run->background, (sim_event){(uint64_t)due, sim_event_key(SIM_CLASS_CONTROL, client, 0, 0)});
}

void sim_run_schedule_dirty(sim_run_state *run)
{
    const uint32_t count = run->dirty_count < SIM_TRANSITIONS_PENDING ? run->dirty_count : SIM_TRANSITIONS_PENDING;
    for (uint32_t i = 0; i < count; i++)
        sim_run_schedule(run, run->dirty[i], run->now);
    run->dirty_count = 0;
}

static void work(sim_run_state *run, sim_event event, uint32_t client)
{
    if (sim_event_class(event.key) == SIM_CLASS_WORLD_EDGE) {
        sim_run_restart(run, client, sim_event_slot(event.key), (int64_t)event.time);
        sim_run_schedule(run, client, (int64_t)event.time);
        return;
    }
    if (sim_control_is_answer(event)) {
        sim_control_answer(run, client, event);
        sim_run_schedule(run, client, (int64_t)event.time);
        run->dirty_count = 0;
        return;
    }
    if ((int64_t)event.time != run->background_time[client])
        return; /* an earlier expiry has been put in since */
    run->background_time[client] = RGN_TIME_NEVER;
    const unsigned count =
        rgn_router_on_expiry(run->fleet.client[client].router, (int64_t)event.time, run->task, run->task_room);
    sim_control_do_tasks(run, client, run->task, count, (int64_t)event.time);
    sim_run_schedule(run, client, (int64_t)event.time);
    run->dirty_count = 0;
}

void sim_run_background(sim_run_state *run)
{
    const sim_event event = sim_queue_pop(&run->background);
    const uint32_t client = (uint32_t)(event.key >> (SIM_LEG_BITS + SIM_SLOT_BITS)) & UINT32_MAX;
    const sim_recorder *recorder = run->input->recorder;
    work(run, event, client);
    if (recorder != NULL)
        recorder->background(recorder->context, client, run->fleet.client[client].router, (int64_t)event.time);
}
