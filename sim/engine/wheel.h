/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event wheel: the queue of the fast loop. Same order as sim_queue, found faster while events lie close together.
 *
 * Time is cut into buckets of 2^shift ns; a bucket is sorted, in place, when it is taken in hand. What does not fit,
 * because it lies further ahead than the wheel reaches or because its bucket is full, waits in a heap, and the next
 * event is the earlier of the two heads. So ties by the thousand cost a heap's time and never a sort's. */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H

#include "engine/queue.h"

enum {
    SIM_WHEEL_BITS = 11,
    SIM_WHEEL_BUCKETS = 1 << SIM_WHEEL_BITS,
    SIM_WHEEL_BUCKET_EVENTS = 7, /* two cache lines with the count */
};

typedef struct {
    uint64_t count;
    uint64_t unused;
    sim_event event[SIM_WHEEL_BUCKET_EVENTS];
} sim_wheel_bucket;

typedef struct {
    sim_wheel_bucket *bucket;
    sim_event *front; /* next event of the bucket in hand, in order from here ... */
    sim_event *front_end;
    uint64_t current; /* number of the bucket in hand: time >> shift; its count is 0 */
    uint32_t shift;
    uint32_t in_buckets; /* occupied buckets ahead */
    sim_queue far;
    uint64_t occupied[SIM_WHEEL_BUCKETS / 64];
} sim_wheel;

static inline sim_wheel_bucket *sim_wheel_bucket_(const sim_wheel *wheel, uint64_t number)
{
    return &wheel->bucket[number & (SIM_WHEEL_BUCKETS - 1)];
}

/* Takes a bucket in hand that is empty or about to be emptied. */
static inline void sim_wheel_take_(sim_wheel *wheel, uint64_t number)
{
    sim_wheel_bucket *bucket = sim_wheel_bucket_(wheel, number);
    wheel->current = number;
    wheel->front = bucket->event;
    wheel->front_end = bucket->event + bucket->count;
    bucket->count = 0;
}

/* `spacing_ns`: mean time between events. False: no memory. */
static inline bool sim_wheel_init(sim_wheel *wheel, uint64_t spacing_ns)
{
    memset(wheel, 0, sizeof *wheel);
    for (wheel->shift = 6; wheel->shift < 40 && (UINT64_C(2) << wheel->shift) <= spacing_ns * 2;)
        wheel->shift++;
    wheel->bucket = aligned_alloc(64, SIM_WHEEL_BUCKETS * sizeof *wheel->bucket);
    if (wheel->bucket == NULL)
        return false;
    memset(wheel->bucket, 0, SIM_WHEEL_BUCKETS * sizeof *wheel->bucket);
    sim_wheel_take_(wheel, 0);
    return true;
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

/* Puts `event` where it belongs in [first, end), which is in order and has room behind it. */
static inline void sim_wheel_insert_(sim_event *first, sim_event *end, sim_event event)
{
    for (; end > first && sim_event_before(event, end[-1]); end--)
        *end = end[-1];
    *end = event;
}

/* Into the bucket in hand, or behind it: its events before `front` are spent, so that their room may be used again. */
static inline bool sim_wheel_push_front_(sim_wheel *wheel, sim_event event)
{
    sim_wheel_bucket *bucket = sim_wheel_bucket_(wheel, wheel->current);
    if (wheel->front == wheel->front_end)
        wheel->front = wheel->front_end = bucket->event;
    if (wheel->front_end == bucket->event + SIM_WHEEL_BUCKET_EVENTS)
        return false;
    sim_wheel_insert_(wheel->front, wheel->front_end++, event);
    return true;
}

/* The caller has reserved room. */
static inline void sim_wheel_push(sim_wheel *wheel, sim_event event)
{
    const uint64_t number = event.time >> wheel->shift;
    sim_wheel_bucket *bucket = sim_wheel_bucket_(wheel, number);
    const uint64_t count = bucket->count;
    if (__builtin_expect(number - wheel->current - 1 < SIM_WHEEL_BUCKETS - 1 && count < SIM_WHEEL_BUCKET_EVENTS, 1)) {
        bucket->event[count] = event;
        bucket->count = count + 1;
        wheel->occupied[(number & (SIM_WHEEL_BUCKETS - 1)) >> 6] |= UINT64_C(1) << (number & 63);
        wheel->in_buckets += count == 0;
    } else if (number > wheel->current || !sim_wheel_push_front_(wheel, event)) {
        sim_queue_push(&wheel->far, event);
    }
}

/* Takes the next occupied bucket in hand; there is one, and the bucket in hand is spent. */
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
    wheel->occupied[word] &= ~(bits & -bits);
    wheel->in_buckets--;
    sim_wheel_take_(wheel, wheel->current + 1 + ((found - start) & (SIM_WHEEL_BUCKETS - 1)));
    for (sim_event *event = wheel->front + 1; event < wheel->front_end; event++)
        sim_wheel_insert_(wheel->front, event, *event);
}

static inline bool sim_wheel_far_is_next_(const sim_wheel *wheel)
{
    if (__builtin_expect(wheel->far.count == 0, 1))
        return false;
    return wheel->front == wheel->front_end || sim_event_before(wheel->far.heap[0], *wheel->front);
}

/* Time of the next event, SIM_NO_EVENT if there is none. */
static inline uint64_t sim_wheel_next_time(sim_wheel *wheel)
{
    if (wheel->front == wheel->front_end && wheel->in_buckets > 0)
        sim_wheel_turn_(wheel);
    if (sim_wheel_far_is_next_(wheel))
        return wheel->far.heap[0].time;
    return wheel->front == wheel->front_end ? SIM_NO_EVENT : wheel->front->time;
}

/* Takes out the next event; sim_wheel_next_time() has just said that there is one. */
static inline sim_event sim_wheel_pop(sim_wheel *wheel)
{
    if (__builtin_expect(!sim_wheel_far_is_next_(wheel), 1))
        return *wheel->front++;
    const sim_event event = sim_queue_pop(&wheel->far);
    /* With nothing else in it the wheel follows the clock, or all that comes would lie too far ahead for ever. */
    if (wheel->in_buckets == 0 && wheel->front == wheel->front_end)
        sim_wheel_take_(wheel, event.time >> wheel->shift);
    return event;
}

#endif
