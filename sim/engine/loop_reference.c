/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference loop: slow and simple, there to check the fast one. Every leg's end and every wake-up is queued when it
 * becomes known and nothing is ever taken back; an event that was overtaken is recognised by its stamp when it rings.
 * The queues are sorted arrays: a shape that has nothing in common with the heap. */
#include <string.h>

#include "engine/operation.h"
#include "engine/stations.h"

typedef struct {
    sim_event event;
    uint64_t stamp; /* legs: the operation's leg number; timers: how often its wake-up had been set */
} queued;

typedef struct {
    queued *entry; /* in time order from `first` on; timers ring late, so that most are put in near the end */
    size_t first;
    size_t end;
    size_t capacity;
} sorted_queue;

/* What the loop knows of a slot beside the slot itself. */
typedef struct {
    uint64_t start_stamp; /* of the operation that holds the slot */
    uint64_t wake_stamp;
    uint64_t leg_stamp[RGN_LEGS_MAX]; /* number of the leg last sent on each branch */
    uint32_t legs_seen;
} note;

typedef struct {
    sim_run_state *run;
    sorted_queue legs;   /* ends of legs ... */
    sorted_queue timers; /* ... and wake-ups, apart only because timers lie so much further ahead */
    note *notes;
    uint32_t notes_capacity;
    uint64_t stamps;
} reference;

/* Makes room for one more: moves the rest to the front once that half is empty, else doubles. */
static bool make_room(sorted_queue *queue)
{
    if (queue->end < queue->capacity)
        return true;
    if (queue->first > queue->capacity / 2) {
        memmove(queue->entry, queue->entry + queue->first, (queue->end - queue->first) * sizeof *queue->entry);
        queue->end -= queue->first;
        queue->first = 0;
        return true;
    }
    const size_t capacity = queue->capacity == 0 ? 1024 : queue->capacity * 2;
    queued *grown = realloc(queue->entry, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    queue->entry = grown;
    queue->capacity = capacity;
    return true;
}

static bool insert(sorted_queue *queue, queued entry)
{
    if (!make_room(queue))
        return false;
    size_t i = queue->end++;
    while (i > queue->first && sim_event_before(entry.event, queue->entry[i - 1].event)) {
        queue->entry[i] = queue->entry[i - 1];
        i--;
    }
    queue->entry[i] = entry;
    return true;
}

/* Queues what the last call into the core added: a new leg's end, and the wake-up as it is now. */
static bool queue_news(reference *self, uint32_t index)
{
    sim_slot *slot = &self->run->slot[index];
    note *known = &self->notes[index];
    if (slot->legs > known->legs_seen) {
        known->legs_seen = slot->legs;
        known->leg_stamp[slot->op.leg] = ++self->stamps;
        const int64_t end = sim_run_leg(self->run, slot, slot->op.leg)->end;
        const queued entry = {{(uint64_t)end, sim_event_key(SIM_CLASS_LEG_RESULT, slot->ordinal, slot->op.leg, index)},
                              self->stamps};
        if (end != RGN_TIME_NEVER && !insert(&self->legs, entry))
            return false;
    }
    known->wake_stamp = ++self->stamps;
    const queued entry = {
        {(uint64_t)slot->op.wake_at, sim_event_key(sim_wake_class(slot->op.wake_kind), slot->ordinal, 0, index)},
        self->stamps};
    return slot->op.wake_at == RGN_TIME_NEVER || insert(&self->timers, entry);
}

/* Queues the end of a leg that has become known at its station. */
static bool queue_known_end(reference *self, sim_station_news news)
{
    if (news.slot == SIM_PENDING_MAX)
        return true;
    sim_slot *slot = &self->run->slot[news.slot];
    const uint64_t end = (uint64_t)sim_run_leg(self->run, slot, news.leg)->end;
    const queued entry = {{end, sim_event_key(SIM_CLASS_LEG_RESULT, slot->ordinal, news.leg, news.slot)},
                          self->notes[news.slot].leg_stamp[news.leg]};
    return insert(&self->legs, entry);
}

/* Queues the instant at which a new operation's application gives up. */
static bool queue_abandon(reference *self, uint32_t index)
{
    const sim_slot *slot = &self->run->slot[index];
    const queued entry = {
        {(uint64_t)slot->abandon_at, sim_event_key(SIM_CLASS_DEADLINE, slot->ordinal, SIM_LEG_ABANDON, index)},
        self->notes[index].start_stamp};
    return slot->abandon_at == RGN_TIME_NEVER || insert(&self->timers, entry);
}

/* A leg's end is stale once the leg was cancelled or replaced; a timer, once the wake-up was set again; giving up, once
 * the operation has ended. */
static bool is_stale(const reference *self, const queued *entry, uint32_t index, bool is_leg)
{
    const note *known = &self->notes[index];
    const uint32_t leg = sim_event_leg(entry->event.key);
    if (!is_leg)
        return (leg == SIM_LEG_ABANDON ? known->start_stamp : known->wake_stamp) != entry->stamp;
    return known->leg_stamp[leg] != entry->stamp ||
           sim_run_leg(self->run, &self->run->slot[index], leg)->end == RGN_TIME_NEVER;
}

static bool reserve_notes(reference *self, uint32_t capacity)
{
    if (capacity <= self->notes_capacity)
        return true;
    note *grown = realloc(self->notes, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    self->notes = grown;
    self->notes_capacity = capacity;
    return true;
}

/* The slot's operation has ended: whatever is still queued for it is stale. */
static void forget(reference *self, uint32_t index)
{
    self->notes[index] = (note){.wake_stamp = ++self->stamps};
    sim_run_release_slot(self->run, index);
}

static bool settle(reference *self, uint32_t index, bool is_open)
{
    if (is_open)
        return queue_news(self, index);
    forget(self, index);
    return true;
}

/* The queue that holds the next event; NULL if both are empty. */
static sorted_queue *next_queue(reference *self)
{
    const bool has_leg = self->legs.first < self->legs.end;
    const bool has_timer = self->timers.first < self->timers.end;
    if (!has_leg || !has_timer)
        return has_leg ? &self->legs : has_timer ? &self->timers : NULL;
    const bool is_leg =
        sim_event_before(self->legs.entry[self->legs.first].event, self->timers.entry[self->timers.first].event);
    return is_leg ? &self->legs : &self->timers;
}

static bool ring_next(reference *self, sorted_queue *queue)
{
    const queued entry = queue->entry[queue->first++];
    const uint32_t index = sim_event_slot(entry.event.key);
    const bool is_leg = sim_event_class(entry.event.key) == SIM_CLASS_LEG_RESULT;
    if (is_stale(self, &entry, index, is_leg))
        return true;
    sim_slot *slot = &self->run->slot[index];
    self->run->output->events++;
    const uint32_t leg = sim_event_leg(entry.event.key);
    const int64_t now = (int64_t)entry.event.time;
    const bool is_open = is_leg                   ? sim_run_end_leg(self->run, slot, leg, now)
                         : leg == SIM_LEG_ABANDON ? sim_run_abandon(self->run, slot, now)
                                                  : sim_run_ring(self->run, slot, now);
    return settle(self, index, is_open);
}

static sim_run_status start_next(reference *self)
{
    sim_run_state *run = self->run;
    const uint32_t index = sim_run_take_slot(run);
    if (index == SIM_PENDING_MAX)
        return run->slot_count >= SIM_PENDING_MAX ? SIM_RUN_TOO_MANY_PENDING : SIM_RUN_NO_MEMORY;
    if (!reserve_notes(self, run->slot_capacity))
        return SIM_RUN_NO_MEMORY;
    self->stamps++;
    self->notes[index] = (note){.start_stamp = self->stamps, .wake_stamp = self->stamps};
    run->output->events++;
    const bool is_open = sim_run_start(run, &run->slot[index]) != SIM_STARTED_ENDED;
    if (is_open && !queue_abandon(self, index))
        return SIM_RUN_NO_MEMORY;
    return settle(self, index, is_open) ? SIM_RUN_OK : SIM_RUN_NO_MEMORY;
}

/* One thing happens; false when nothing is left. */
static bool advance(reference *self, sim_run_status *status)
{
    sim_run_state *run = self->run;
    sorted_queue *queue = next_queue(self);
    const uint64_t operation = queue != NULL ? queue->entry[queue->first].event.time : SIM_NO_EVENT;
    const uint64_t arrival = (uint64_t)run->arrivals.next_time;
    const uint64_t background = sim_queue_next_time(&run->background);
    /* Stale events may still be queued when the last operation has ended. */
    const uint64_t station = run->stations != NULL ? sim_stations_next_time(run) : SIM_NO_EVENT;
    if (sim_run_is_drained(run) && background >= (uint64_t)run->scenario->duration &&
        station >= (uint64_t)run->scenario->duration)
        return false;
    if (station < background && station <= operation && station <= arrival) {
        sim_run_set_now(run, station);
        sim_run_store_checkpoints(run, (int64_t)station);
        if (!queue_known_end(self, sim_stations_work(run)))
            *status = SIM_RUN_NO_MEMORY;
        return *status == SIM_RUN_OK;
    }
    const uint64_t now = background <= operation && background <= arrival ? background
                         : operation <= arrival                           ? operation
                                                                          : arrival;
    sim_run_set_now(run, now);
    sim_run_store_checkpoints(run, (int64_t)now);
    if (background <= operation && background <= arrival) {
        sim_run_background(run);
        for (uint32_t i = 0; i < run->killed_count; i++)
            forget(self, run->killed[i]);
        run->killed_count = 0;
    } else if (operation <= arrival) {
        if (!ring_next(self, queue))
            *status = SIM_RUN_NO_MEMORY;
    } else {
        *status = start_next(self);
    }
    sim_run_schedule_dirty(run);
    return *status == SIM_RUN_OK;
}

sim_run_status sim_loop_reference(sim_run_state *run)
{
    reference self = {.run = run};
    sim_run_status status = SIM_RUN_OK;
    for (uint64_t steps = 1; advance(&self, &status); steps++) {
        if ((steps & (SIM_PROGRESS_EVENTS - 1)) == 0 && run->input->on_progress != NULL &&
            !run->input->on_progress(run->input->progress_context, run->now)) {
            status = SIM_RUN_INTERRUPTED;
            break;
        }
    }
    free(self.legs.entry);
    free(self.timers.entry);
    free(self.notes);
    return status;
}
