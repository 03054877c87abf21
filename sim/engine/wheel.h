/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event wheel: the queue of the fast loop. Same order as sim_queue, found faster while events lie close together.
 *
 * Time is cut into buckets of 2^shift ns; a bucket that is taken in hand is sorted into `front`. What does not fit,
 * because it lies further ahead than the wheel reaches or because its bucket is full, waits in a heap, and the next
 * event is the earlier of the two heads. So ties by the thousand cost a heap's time and never a sort's. */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H

#include "engine/queue.h"

enum {
    SIM_WHEEL_BITS = 11,
    SIM_WHEEL_BUCKETS = 1 << SIM_WHEEL_BITS,
    SIM_WHEEL_BUCKET_EVENTS = 7, /* two cache lines with the count */
    SIM_WHEEL_FRONT_EVENTS = 32,
};

typedef struct {
    uint64_t count;
    uint64_t unused;
    sim_event event[SIM_WHEEL_BUCKET_EVENTS];
} sim_wheel_bucket;

typedef struct {
    sim_wheel_bucket *bucket;
    uint64_t current; /* number of the bucket in hand: time >> shift */
    uint32_t shift;
    uint32_t in_buckets;
    uint32_t front_first;
    uint32_t front_end;
    sim_event front[SIM_WHEEL_FRONT_EVENTS]; /* in order; entries before front_first are spent */
    uint64_t occupied[SIM_WHEEL_BUCKETS / 64];
    sim_queue far;
} sim_wheel;

/* `spacing_ns`: mean time between events. False: no memory. */
static inline bool sim_wheel_init(sim_wheel *wheel, uint64_t spacing_ns)
{
    memset(wheel, 0, sizeof *wheel);
    for (wheel->shift = 6; wheel->shift < 40 && (UINT64_C(2) << wheel->shift) <= spacing_ns * 2;)
        wheel->shift++;
    wheel->bucket = aligned_alloc(64, SIM_WHEEL_BUCKETS * sizeof *wheel->bucket);
    if (wheel->bucket != NULL)
        memset(wheel->bucket, 0, SIM_WHEEL_BUCKETS * sizeof *wheel->bucket);
    return wheel->bucket != NULL;
}

static inline void sim_wheel_deinit(sim_wheel *wheel)
{
    free(wheel->bucket);
    sim_queue_deinit(&wheel->far);
    wheel->bucket = NULL;
}

/* Room for `capacity` entries in all. False: no memory. */
static inline bool sim_wheel_reserve(sim_wheel *wheel, uint32_t capacity)
{
    return sim_queue_reserve(&wheel->far, capacity);
}

static inline void sim_wheel_insert_front_(sim_wheel *wheel, sim_event event)
{
    if (wheel->front_first == wheel->front_end)
        wheel->front_first = wheel->front_end = 0;
    uint32_t i = wheel->front_end++;
    for (; i > wheel->front_first && sim_event_before(event, wheel->front[i - 1]); i--)
        wheel->front[i] = wheel->front[i - 1];
    wheel->front[i] = event;
}

/* The caller has reserved room. */
static inline void sim_wheel_push(sim_wheel *wheel, sim_event event)
{
    const uint64_t number = event.time >> wheel->shift;
    sim_wheel_bucket *bucket = &wheel->bucket[number & (SIM_WHEEL_BUCKETS - 1)];
    if (number - wheel->current - 1 < SIM_WHEEL_BUCKETS - 1 && bucket->count < SIM_WHEEL_BUCKET_EVENTS) {
        bucket->event[bucket->count++] = event;
        wheel->occupied[(number & (SIM_WHEEL_BUCKETS - 1)) >> 6] |= UINT64_C(1) << (number & 63);
        wheel->in_buckets++;
    } else if (number <= wheel->current &&
               (wheel->front_end < SIM_WHEEL_FRONT_EVENTS || wheel->front_first == wheel->front_end)) {
        sim_wheel_insert_front_(wheel, event);
    } else {
        sim_queue_push(&wheel->far, event);
    }
}

/* Takes the next occupied bucket in hand; there is one, and the front is empty. */
static inline void sim_wheel_turn_(sim_wheel *wheel)
{
    const uint32_t start = (uint32_t)(wheel->current + 1) & (SIM_WHEEL_BUCKETS - 1);
    uint32_t word = start >> 6;
    uint64_t bits = wheel->occupied[word] & (~UINT64_C(0) << (start & 63));
    while (bits == 0) {
        word = (word + 1) & (SIM_WHEEL_BUCKETS / 64 - 1);
        bits = wheel->occupied[word];
    }
    const uint32_t found = word << 6 | (uint32_t)__builtin_ctzll(bits);
    wheel->current += 1 + ((found - start) & (SIM_WHEEL_BUCKETS - 1));
    wheel->occupied[word] &= ~(bits & -bits);
    sim_wheel_bucket *bucket = &wheel->bucket[found];
    for (uint64_t i = 0; i < bucket->count; i++)
        sim_wheel_insert_front_(wheel, bucket->event[i]);
    wheel->in_buckets -= (uint32_t)bucket->count;
    bucket->count = 0;
}

/* Brings the next event of the buckets to the front, if there is one. */
static inline void sim_wheel_settle_(sim_wheel *wheel)
{
    if (wheel->front_first == wheel->front_end && wheel->in_buckets > 0)
        sim_wheel_turn_(wheel);
}

static inline bool sim_wheel_far_is_next_(const sim_wheel *wheel)
{
    if (__builtin_expect(wheel->far.count == 0, 1))
        return false;
    return wheel->front_first == wheel->front_end ||
           sim_event_before(wheel->far.heap[0], wheel->front[wheel->front_first]);
}

/* Time of the next event, SIM_NO_EVENT if there is none. */
static inline uint64_t sim_wheel_next_time(sim_wheel *wheel)
{
    sim_wheel_settle_(wheel);
    if (sim_wheel_far_is_next_(wheel))
        return wheel->far.heap[0].time;
    return wheel->front_first == wheel->front_end ? SIM_NO_EVENT : wheel->front[wheel->front_first].time;
}

/* Takes out the next event; sim_wheel_next_time() has just said that there is one. */
static inline sim_event sim_wheel_pop(sim_wheel *wheel)
{
    if (__builtin_expect(!sim_wheel_far_is_next_(wheel), 1))
        return wheel->front[wheel->front_first++];
    const sim_event event = sim_queue_pop(&wheel->far);
    /* With nothing else in it the wheel follows the clock, or all that comes would lie too far ahead for ever. */
    if (wheel->in_buckets == 0 && wheel->front_first == wheel->front_end)
        wheel->current = event.time >> wheel->shift;
    return event;
}

#endif
