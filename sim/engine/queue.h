/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event queue: a 4-ary heap of 16-byte entries with a branch-free choice of the smallest child.
 *
 * Entries are ordered by meaning: time, then class, then the operation's ordinal, then the leg. The slot comes last and
 * never decides, because an ordinal has at most one entry of a class and leg at a time. */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What rings, in the order in which things of one instant happen. World edges (0) need no event as long as faults are
 * functions of time; arrivals (6) wait outside the queue. */
typedef enum {
    SIM_CLASS_WORLD_EDGE = 0,
    SIM_CLASS_CONTROL = 1,
    SIM_CLASS_LEG_ARRIVES = 2,
    SIM_CLASS_LEG_RESULT = 3,
    SIM_CLASS_TIMER = 4,    /* leg timeout, back-off, hedge */
    SIM_CLASS_DEADLINE = 5, /* deadline, harvest, abandon */
    SIM_CLASS_ARRIVAL = 6,
} sim_class;

typedef struct {
    uint64_t time;
    uint64_t key; /* class:3 | ordinal:34 | leg:3 | slot:24 */
} sim_event;

enum { SIM_SLOT_BITS = 24, SIM_LEG_BITS = 3, SIM_ORDINAL_BITS = 34 };
#define SIM_NO_EVENT UINT64_MAX

static inline uint64_t sim_event_key(sim_class class_, uint64_t ordinal, uint32_t leg, uint32_t slot)
{
    return (uint64_t)class_ << (SIM_ORDINAL_BITS + SIM_LEG_BITS + SIM_SLOT_BITS) |
           ordinal << (SIM_LEG_BITS + SIM_SLOT_BITS) | (uint64_t)leg << SIM_SLOT_BITS | slot;
}

static inline sim_class sim_event_class(uint64_t key)
{
    return (sim_class)(key >> (SIM_ORDINAL_BITS + SIM_LEG_BITS + SIM_SLOT_BITS));
}

static inline uint32_t sim_event_leg(uint64_t key)
{
    return (uint32_t)(key >> SIM_SLOT_BITS) & ((1u << SIM_LEG_BITS) - 1);
}

static inline uint32_t sim_event_slot(uint64_t key)
{
    return (uint32_t)key & ((1u << SIM_SLOT_BITS) - 1);
}

static inline bool sim_event_before(sim_event a, sim_event b)
{
    return ((unsigned __int128)a.time << 64 | a.key) < ((unsigned __int128)b.time << 64 | b.key);
}

typedef struct {
    sim_event *heap; /* the root is heap[0]; the block is placed so that four siblings share a cache line */
    void *block;
    uint32_t count;
    uint32_t capacity;
} sim_queue;

/* Makes room for `capacity` entries, keeping those there are. False: no memory. */
static inline bool sim_queue_reserve(sim_queue *queue, uint32_t capacity)
{
    if (capacity <= queue->capacity)
        return true;
    const size_t bytes = (((size_t)capacity + 3) * sizeof(sim_event) + 63) / 64 * 64;
    sim_event *block = aligned_alloc(64, bytes);
    if (block == NULL)
        return false;
    if (queue->count > 0)
        memcpy(block + 3, queue->heap, queue->count * sizeof *block);
    free(queue->block);
    queue->block = block;
    queue->heap = block + 3;
    queue->capacity = capacity;
    return true;
}

static inline void sim_queue_deinit(sim_queue *queue)
{
    free(queue->block);
    *queue = (sim_queue){0};
}

static inline uint64_t sim_queue_next_time(const sim_queue *queue)
{
    return queue->count > 0 ? queue->heap[0].time : SIM_NO_EVENT;
}

/* The caller has reserved room. */
static inline void sim_queue_push(sim_queue *queue, sim_event event)
{
    sim_event *heap = queue->heap;
    uint32_t i = queue->count++;
    while (i > 0) {
        const uint32_t parent = (i - 1) / 4;
        if (!sim_event_before(event, heap[parent]))
            break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = event;
}

/* Puts `event` in at the root and lets it sink: the root has just been taken out. */
static inline void sim_queue_sink_(sim_event *heap, uint32_t count, sim_event event)
{
    uint32_t i = 0;
    for (;;) {
        const uint32_t child = i * 4 + 1;
        uint32_t least;
        if (child + 4 <= count) {
            const uint32_t left = child + (uint32_t)sim_event_before(heap[child + 1], heap[child]);
            const uint32_t right = child + 2 + (uint32_t)sim_event_before(heap[child + 3], heap[child + 2]);
            least = left + ((right - left) & -(uint32_t)sim_event_before(heap[right], heap[left]));
        } else {
            if (child >= count)
                break;
            least = child;
            for (uint32_t k = child + 1; k < count; k++)
                least += (k - least) & -(uint32_t)sim_event_before(heap[k], heap[least]);
        }
        if (!sim_event_before(heap[least], event))
            break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = event;
}

/* Takes out the first entry; there is one. */
static inline sim_event sim_queue_pop(sim_queue *queue)
{
    const sim_event first = queue->heap[0];
    const uint32_t count = --queue->count;
    if (count > 0)
        sim_queue_sink_(queue->heap, count, queue->heap[count]);
    return first;
}

#endif
