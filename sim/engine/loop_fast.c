/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast loop: each operation has exactly one pending event, the earlier of its legs' ends and the core's wake-up,
 * found anew after every call into the core. A timer that cannot ring first is never queued, and nothing queued is ever
 * wrong. */
#include "engine/run.h"
#include "engine/wheel.h"

/* The operation's next event. Of things at one instant the lower class comes first, then the lower leg. */
static inline sim_event next_event(const sim_slot *slot, uint32_t index, int64_t delay)
{
    const int64_t first = slot->leg_end[0];
    const int64_t second = slot->leg_end[1];
    const uint32_t leg = second < first;
    const int64_t leg_end = leg ? second : first;
    const int64_t wake_at = rgn_time_add(slot->op.wake_at, delay);
    if (leg_end <= wake_at)
        return (sim_event){(uint64_t)leg_end, sim_event_key(SIM_CLASS_LEG_RESULT, slot->ordinal, leg, index)};
    return (sim_event){(uint64_t)wake_at, sim_event_key(sim_wake_class(slot->op.wake_kind), slot->ordinal, 0, index)};
}

/* Of events, about: most operations cause one. */
static uint64_t mean_spacing(const sim_scenario *scenario)
{
    uint64_t rate_mhz = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        rate_mhz += (uint64_t)scenario->workload[w].rate_mhz;
    return (uint64_t)SIM_RATE_NS / rate_mhz;
}

sim_run_status sim_loop_fast(sim_run_state *run)
{
    sim_wheel queue;
    if (!sim_wheel_init(&queue, mean_spacing(run->scenario)) || !sim_wheel_reserve(&queue, run->slot_capacity)) {
        sim_wheel_deinit(&queue);
        return SIM_RUN_NO_MEMORY;
    }
    const int64_t delay = run->input->planted_timer_delay;
    sim_run_status status = SIM_RUN_OK;
    uint64_t events = 0;
    for (;;) {
        const uint64_t operation = sim_wheel_next_time(&queue);
        const uint64_t arrival = (uint64_t)run->arrivals.next_time;
        const uint64_t background = sim_queue_next_time(&run->background);
        const uint64_t foreground = operation <= arrival ? operation : arrival;
        if (__builtin_expect(background <= foreground, 0)) {
            if (foreground >= RGN_TIME_NEVER && background >= (uint64_t)run->scenario->duration)
                break;
            sim_run_store_checkpoints(run, (int64_t)background);
            sim_run_background(run);
            continue;
        }
        if (foreground >= RGN_TIME_NEVER)
            break;
        if ((++events & (SIM_PROGRESS_EVENTS - 1)) == 0 && run->input->on_progress != NULL &&
            !run->input->on_progress(run->input->progress_context, (int64_t)foreground)) {
            status = SIM_RUN_INTERRUPTED;
            break;
        }
        if (__builtin_expect((int64_t)foreground >= run->next_checkpoint, 0))
            sim_run_store_checkpoints(run, (int64_t)foreground);
        uint32_t index;
        bool is_open;
        if (operation <= arrival) {
            const sim_event event = sim_wheel_pop(&queue);
            index = sim_event_slot(event.key);
            sim_slot *slot = &run->slot[index];
            is_open = sim_event_class(event.key) == SIM_CLASS_LEG_RESULT
                          ? sim_run_end_leg(run, slot, sim_event_leg(event.key), (int64_t)event.time)
                          : sim_run_ring(run, slot, (int64_t)event.time);
        } else {
            index = sim_run_take_slot(run);
            if (index == SIM_PENDING_MAX || !sim_wheel_reserve(&queue, run->slot_capacity)) {
                status = run->slot_count >= SIM_PENDING_MAX ? SIM_RUN_TOO_MANY_PENDING : SIM_RUN_NO_MEMORY;
                break;
            }
            is_open = sim_run_start(run, &run->slot[index]);
        }
        if (is_open)
            sim_wheel_push(&queue, next_event(&run->slot[index], index, delay));
        else
            sim_run_release_slot(run, index);
        if (__builtin_expect(run->dirty_count > 0, 0))
            sim_run_schedule_dirty(run);
    }
    run->output->events = events;
    sim_wheel_deinit(&queue);
    return status;
}
