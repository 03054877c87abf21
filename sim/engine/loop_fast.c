/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast loop: each operation has exactly one pending event, the earlier of its legs' ends and the core's wake-up,
 * found anew after every call into the core. A timer that cannot ring first is never queued, and nothing queued is ever
 * wrong, but for two cases: the event of an operation that a client's restart has ended stays, and does nothing but
 * give its slot back; and where regions have limits, the end of a leg that waits for a server becomes known later than
 * what is pending, which is then passed over when it rings. */
#include "engine/operation.h"
#include "engine/stations.h"
#include "engine/wheel.h"

/* loop_stations.c compiles all this once more, with stations: two loops in one file would no longer have everything in
 * line, which costs a healthy request one instruction in twenty. */
#ifdef SIM_LOOP_OF_STATIONS
enum { HAS_STATIONS = 1 };
#define SIM_LOOP sim_loop_stations
#else
enum { HAS_STATIONS = 0 };
#define SIM_LOOP sim_loop_fast
#endif

/* All ones if a <= b, of two instants that are not negative; else 0. What comes first is as good as random: whoever
 * branches on it is wrong every other time. */
static inline int64_t mask_not_after(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b - 1) >> 63;
}

static inline int64_t choose(int64_t mask, int64_t if_set, int64_t if_clear)
{
    return if_clear ^ ((if_clear ^ if_set) & mask);
}

/* The event of the earlier of a leg's end and the core's wake-up. */
static inline sim_event leg_or_wake(const sim_slot *slot, uint32_t index, uint32_t leg, int64_t leg_end,
                                    int64_t wake_at)
{
    const int64_t is_leg = mask_not_after(leg_end, wake_at);
    const uint64_t leg_key = sim_event_key(SIM_CLASS_LEG_RESULT, slot->ordinal, leg, index);
    const uint64_t wake_key = sim_event_key(sim_wake_class(slot->op.wake_kind), slot->ordinal, 0, index);
    return (sim_event){(uint64_t)choose(is_leg, leg_end, wake_at),
                       (uint64_t)choose(is_leg, (int64_t)leg_key, (int64_t)wake_key)};
}

static inline int64_t wake_time(const sim_slot *slot, int64_t delay)
{
    return SIM_LIKELY(delay == 0) ? slot->op.wake_at : rgn_time_add(slot->op.wake_at, delay);
}

/* Of the open legs the one that ends first, and when. */
static uint32_t first_leg(const sim_run_state *run, const sim_slot *slot, int64_t *end)
{
    uint32_t first = 0;
    *end = slot->leg[0].end;
    for (uint32_t leg = 1; slot->op.open_legs >> leg != 0; leg++) {
        const sim_leg *other =
            leg < SIM_SLOT_LEGS ? &slot->leg[leg] : &sim_run_fan(run, slot)->leg[leg - SIM_SLOT_LEGS];
        if ((slot->op.open_legs >> leg & 1) == 0 || other->end >= *end)
            continue;
        first = leg;
        *end = other->end;
    }
    return first;
}

/* Of an operation that may be given up, or have more legs than lie in its slot. */
static __attribute__((noinline)) sim_event find_event(const sim_run_state *run, uint32_t index, int64_t delay)
{
    const sim_slot *slot = &run->slot[index];
    const int64_t wake_at = wake_time(slot, delay);
    int64_t leg_end;
    const uint32_t leg = first_leg(run, slot, &leg_end);
    if (slot->abandon_at < wake_at && slot->abandon_at < leg_end)
        return (sim_event){(uint64_t)slot->abandon_at,
                           sim_event_key(SIM_CLASS_DEADLINE, slot->ordinal, SIM_LEG_ABANDON, index)};
    return leg_or_wake(slot, index, leg, leg_end, wake_at);
}

/* The operation's next event. Of things at one instant the lower class comes first, then the lower leg. Apart, so that
 * the loop has more registers for those that end. */
static __attribute__((noinline)) sim_event next_event(const sim_run_state *run, uint32_t index, int64_t delay)
{
    const sim_slot *slot = &run->slot[index];
    if (__builtin_expect(run->starts_rarely, 0))
        return find_event(run, index, delay);
    const int64_t first = slot->leg[0].end;
    const int64_t second = slot->leg[1].end;
    const int64_t is_first = mask_not_after(first, second);
    return leg_or_wake(slot, index, (uint32_t)(1 + is_first), choose(is_first, first, second), wake_time(slot, delay));
}

/* The same for an operation that sim_run_start() calls plain: only the end of its leg or the core's wake-up can be
 * next, and their keys differ in class only. */
static inline sim_event first_event(const sim_slot *slot, uint32_t index, int64_t delay)
{
    const int64_t leg_end = slot->leg[0].end;
    const int64_t wake_at = wake_time(slot, delay);
    const int64_t is_leg = mask_not_after(leg_end, wake_at);
    const int64_t wake_class = sim_wake_class(slot->op.wake_kind);
    return (sim_event){
        (uint64_t)choose(is_leg, leg_end, wake_at),
        sim_event_key((sim_class)choose(is_leg, SIM_CLASS_LEG_RESULT, wake_class), slot->ordinal, 0, index)};
}

/* What an event of an operation does; the answer is whether it is still open. */
static inline bool carry_out(sim_run_state *run, sim_slot *slot, sim_event event)
{
    if (sim_event_class(event.key) == SIM_CLASS_LEG_RESULT)
        return sim_run_end_leg(run, slot, sim_event_leg(event.key), (int64_t)event.time);
    if (__builtin_expect(sim_event_leg(event.key) == SIM_LEG_ABANDON, 0))
        return sim_run_abandon(run, slot, (int64_t)event.time);
    return sim_run_ring(run, slot, (int64_t)event.time);
}

/* Background work; false once all traffic is over and what is left lies beyond the end of the run. */
static bool work_in_background(sim_run_state *run, uint64_t now)
{
    if (sim_run_is_drained(run) && now >= (uint64_t)run->scenario->duration)
        return false;
    sim_run_set_now(run, now);
    sim_run_store_checkpoints(run, (int64_t)now);
    sim_run_background(run);
    run->zombie_count += run->killed_count;
    run->killed_count = 0;
    return true;
}

/* Of events, about: most operations cause one. */
static uint64_t mean_spacing(const sim_scenario *scenario)
{
    uint64_t rate_mhz = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        rate_mhz += (uint64_t)scenario->workload[w].rate_mhz;
    return (uint64_t)SIM_RATE_NS / rate_mhz;
}

/* Finds out when the loop has to look at more than operations: background work, stations, a checkpoint, or the end of
 * all events; at once, if expiries have moved. */
static void find_interruption(sim_run_state *run)
{
    const uint64_t background = sim_queue_next_time(&run->background);
    uint64_t next = background < (uint64_t)run->next_checkpoint ? background : (uint64_t)run->next_checkpoint;
    if (HAS_STATIONS && sim_stations_next_time(run) < next)
        next = sim_stations_next_time(run);
    run->interruption_at = run->dirty_count > 0 ? 0 : next;
}

/* ---- where regions have limits ---- */

/* Makes `event` the one that counts for its slot. All events lie in the wheel's heap then, which takes several of one
 * slot; the array by slot says which of them counts. False: no memory. */
static bool put(sim_wheel *queue, sim_event event)
{
    queue->event[sim_event_slot(event.key)] = event;
    if (queue->far.count == queue->far.capacity && !sim_queue_reserve(&queue->far, 2 * queue->far.count + 64))
        return false;
    sim_queue_push(&queue->far, event);
    return true;
}

static bool counts(const sim_wheel *queue, sim_event event)
{
    const sim_event pending = queue->event[sim_event_slot(event.key)];
    return pending.time == event.time && pending.key == event.key;
}

/* The next thing that happens at a station, which is due; a leg's end may become known. False: no memory. */
static bool work_at_station(sim_run_state *run, sim_wheel *queue, uint64_t now)
{
    sim_run_set_now(run, now);
    sim_run_store_checkpoints(run, (int64_t)now);
    const sim_station_news news = sim_stations_work(run);
    return news.slot == SIM_PENDING_MAX || put(queue, find_event(run, news.slot, run->input->planted_timer_delay));
}

typedef enum { LOOK_AGAIN, STOP, NO_MEMORY } interruption;

/* Before anything happens at `now`, the next instant of an operation: one thing that comes first, if there is one.
 * Background work does, then stations; both may move that instant. */
static interruption look_around(sim_run_state *run, sim_wheel *queue, uint64_t now)
{
    if (run->dirty_count > 0) {
        sim_run_schedule_dirty(run);
        return LOOK_AGAIN;
    }
    const uint64_t background = sim_queue_next_time(&run->background);
    const uint64_t station = HAS_STATIONS ? sim_stations_next_time(run) : SIM_NO_EVENT;
    if (background <= now && background <= station)
        return work_in_background(run, background) ? LOOK_AGAIN : STOP;
    if (station <= now && station != SIM_NO_EVENT) {
        if (sim_run_is_drained(run) && station >= (uint64_t)run->scenario->duration)
            return STOP;
        return work_at_station(run, queue, station) ? LOOK_AGAIN : NO_MEMORY;
    }
    if (now >= RGN_TIME_NEVER)
        return STOP;
    sim_run_store_checkpoints(run, (int64_t)now);
    return LOOK_AGAIN;
}

static __attribute__((noinline)) interruption interrupt(sim_run_state *run, sim_wheel *queue, uint64_t now)
{
    const interruption next = look_around(run, queue, now);
    find_interruption(run);
    return next;
}

static bool is_stopped(const sim_run_state *run, uint64_t now)
{
    return run->input->on_progress != NULL && !run->input->on_progress(run->input->progress_context, (int64_t)now);
}

/* Puts the operation's next event into the queue. */
static inline __attribute__((always_inline)) sim_wheel_news keep(sim_wheel *queue, uint32_t index, sim_event event)
{
    if (HAS_STATIONS)
        return put(queue, event) ? SIM_WHEEL_FIRST_MAY_CHANGE : SIM_WHEEL_NO_MEMORY;
    return sim_wheel_push(queue, index, event);
}

/* The operation has ended. */
static inline void leave(sim_run_state *run, sim_wheel *queue, uint32_t index)
{
    sim_run_release_slot(run, index);
    if (HAS_STATIONS)
        queue->event[index] = (sim_event){SIM_NO_EVENT, 0};
}

/* A slot that was never used, or SIM_PENDING_MAX: there is none, or no memory. */
static __attribute__((noinline)) uint32_t new_slot(sim_run_state *run, sim_wheel *queue)
{
    const uint32_t index = sim_run_new_slot(run);
    return index == SIM_PENDING_MAX || sim_wheel_reserve(queue, run->slot_capacity) ? index : SIM_PENDING_MAX;
}

/* One more event: false if somebody wants the run to stop. */
static inline bool count_event(sim_run_state *run, uint32_t *until_progress, uint64_t now)
{
    if (__builtin_expect(--*until_progress == 0, 0)) {
        *until_progress = SIM_PROGRESS_EVENTS;
        run->output->events += SIM_PROGRESS_EVENTS;
        if (is_stopped(run, now))
            return false;
    }
    sim_run_set_now(run, now);
    return true;
}

/* The queue's first event happens. */
static inline sim_wheel_news ring(sim_run_state *run, sim_wheel *queue, const sim_event *first, int64_t delay)
{
    const sim_event event = sim_wheel_pop(queue, first);
    const uint32_t index = sim_event_slot(event.key);
    sim_slot *slot = &run->slot[index];
    const sim_slot *after = &run->slot[sim_event_slot(queue->next->key)];
    __builtin_prefetch(&after->op);
    __builtin_prefetch(&after->start);
    __builtin_prefetch((const char *)&after->start + 64);
    bool is_open = false;
    if (SIM_LIKELY(slot->legs != 0))
        is_open = carry_out(run, slot, event);
    else
        run->zombie_count--;
    if (is_open)
        return keep(queue, index, next_event(run, index, delay));
    leave(run, queue, index);
    return SIM_WHEEL_FIRST_STAYS;
}

/* The next operation starts. */
static inline sim_wheel_news begin(sim_run_state *run, sim_wheel *queue, int64_t delay)
{
    uint32_t index;
    if (SIM_LIKELY(run->free_count > 0)) {
        index = sim_run_take_free_slot(run);
    } else {
        index = new_slot(run, queue);
        if (index == SIM_PENDING_MAX)
            return SIM_WHEEL_NO_MEMORY;
    }
    sim_slot *slot = &run->slot[index];
    const sim_started started = sim_run_start(run, slot);
    if (__builtin_expect(started == SIM_STARTED_ENDED, 0)) {
        leave(run, queue, index);
        return SIM_WHEEL_FIRST_STAYS;
    }
    return keep(queue, index,
                SIM_LIKELY(started == SIM_STARTED_PLAIN) ? first_event(slot, index, delay)
                                                         : next_event(run, index, delay));
}

static sim_run_status no_slot(const sim_run_state *run)
{
    return run->slot_count >= SIM_PENDING_MAX ? SIM_RUN_TOO_MANY_PENDING : SIM_RUN_NO_MEMORY;
}

static inline sim_run_status loop(sim_run_state *run, sim_wheel *queue, uint32_t *until_progress)
{
    const int64_t delay = run->input->planted_timer_delay;
    find_interruption(run);
    for (;;) {
        const sim_event *first = sim_wheel_first(queue);
        const uint64_t operation = first->time;
        uint64_t arrival = (uint64_t)run->arrivals.next_time;
        sim_wheel_news news;
        if (operation <= arrival && SIM_LIKELY(operation < run->interruption_at)) {
            if (HAS_STATIONS && !counts(queue, queue->far.heap[0])) {
                (void)sim_wheel_pop(queue, first);
                continue;
            }
            if (!count_event(run, until_progress, operation))
                return SIM_RUN_INTERRUPTED;
            news = ring(run, queue, first, delay);
        } else if (arrival < operation && SIM_LIKELY(arrival < run->interruption_at)) {
            /* As long as the queue's first event stays what it is, and nothing interrupts, one after the other. */
            const uint64_t stays_until = HAS_STATIONS ? 0 : operation;
            do {
                if (!count_event(run, until_progress, arrival))
                    return SIM_RUN_INTERRUPTED;
                news = begin(run, queue, delay);
                arrival = (uint64_t)run->arrivals.next_time;
            } while (news == SIM_WHEEL_FIRST_STAYS && arrival < stays_until && arrival < run->interruption_at);
        } else {
            const interruption next = interrupt(run, queue, operation <= arrival ? operation : arrival);
            if (next == STOP)
                return SIM_RUN_OK;
            if (HAS_STATIONS && next == NO_MEMORY)
                return SIM_RUN_NO_MEMORY;
            continue;
        }
        if (__builtin_expect(news == SIM_WHEEL_NO_MEMORY, 0))
            return no_slot(run);
        if (HAS_STATIONS)
            find_interruption(run);
    }
}

sim_run_status SIM_LOOP(sim_run_state *run)
{
    sim_wheel queue;
    uint32_t until_progress = SIM_PROGRESS_EVENTS;
    sim_run_status status = SIM_RUN_NO_MEMORY;
    sim_wheel_init(&queue, mean_spacing(run->scenario));
    if (sim_wheel_reserve(&queue, run->slot_capacity))
        status = loop(run, &queue, &until_progress);
    run->output->events += SIM_PROGRESS_EVENTS - until_progress;
    sim_wheel_deinit(&queue);
    return status;
}
