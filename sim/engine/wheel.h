/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event wheel: the queue of the fast loop. Same order as sim_queue, found faster while events lie close together.
 * A slot has one event at a time, which lies in an array by slot; what moves are slots.
 *
 * Time is cut into buckets of 2^shift ns, so many that most of those in use hold one event; a bucket is a list of
 * slots. When it is taken in hand, a single event stays where it is, and several are sorted into `front`. That happens
 * as soon as the last event in hand is taken out, so that the processor knows what comes next long before it is asked
 * for. What lies further ahead than the wheel reaches, or finds the front full, waits in a heap, and the next event is
 * the earlier of the two heads. So ties by the thousand cost a heap's time and never a sort's. A bucket is one number,
 * so that the wheel stays in the processor's first cache.
 */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H

#include "engine/queue.h"

enum {
    SIM_WHEEL_BITS = 13,
    SIM_WHEEL_BUCKETS = 1 << SIM_WHEEL_BITS,
    SIM_WHEEL_FRONT_EVENTS = 32,
};

typedef struct {
    uint32_t *before;      /* by slot: the one before it in its bucket, + 1; 0: none */
    sim_event *event;      /* by slot */
    const sim_event *next; /* of those in hand, in order: in `front`, or the only one in `event`, or SIM_WHEEL_NONE */
    uint32_t in_hand;      /* from there on; 0: none is in a bucket either */
    uint64_t current;      /* number of the bucket in hand: time >> shift; so high that none is ahead of it: none is */
    uint32_t shift;
    uint32_t in_buckets; /* events in buckets ahead */
    uint32_t capacity;   /* of `event` */
    sim_queue far;
    sim_event front[SIM_WHEEL_FRONT_EVENTS];
    uint64_t occupied[SIM_WHEEL_BUCKETS / 64];
    uint32_t bucket[SIM_WHEEL_BUCKETS]; /* the bucket's latest slot + 1; 0: it is empty */
} sim_wheel;

static const sim_event SIM_WHEEL_NONE[1] = {{SIM_NO_EVENT, 0}};

static inline void sim_wheel_let_go_(sim_wheel *wheel)
{
    wheel->next = SIM_WHEEL_NONE;
    wheel->current = UINT64_MAX / 2;
}

/* What a push did to the first event. A push itself needs no memory. */
typedef enum { SIM_WHEEL_FIRST_STAYS, SIM_WHEEL_FIRST_MAY_CHANGE, SIM_WHEEL_NO_MEMORY } sim_wheel_news;

/* `spacing_ns`: mean time between events. */
static inline void sim_wheel_init(sim_wheel *wheel, uint64_t spacing_ns)
{
    memset(wheel, 0, sizeof *wheel);
    for (wheel->shift = 6; wheel->shift < 40 && (UINT64_C(2) << wheel->shift) <= spacing_ns / 8;)
        wheel->shift++;
    sim_wheel_let_go_(wheel);
}

static inline void sim_wheel_deinit(sim_wheel *wheel)
{
    free(wheel->before);
    free(wheel->event);
    sim_queue_deinit(&wheel->far);
    wheel->before = NULL;
    wheel->event = NULL;
}

static inline bool sim_wheel_is_in_front_(const sim_wheel *wheel)
{
    return (uintptr_t)wheel->next - (uintptr_t)wheel->front <= sizeof wheel->front;
}

/* Those in hand, if there are any, lie in `front` from here on. */
static inline void sim_wheel_move_to_front_(sim_wheel *wheel)
{
    if (wheel->in_hand == 0 || sim_wheel_is_in_front_(wheel))
        return;
    wheel->front[0] = *wheel->next;
    wheel->next = wheel->front;
}

/* Room for the events of slots below `capacity`. False: no memory. */
static inline bool sim_wheel_reserve(sim_wheel *wheel, uint32_t capacity)
{
    if (capacity <= wheel->capacity)
        return true;
    sim_wheel_move_to_front_(wheel);
    sim_event *grown = realloc(wheel->event, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    wheel->event = grown;
    uint32_t *before = realloc(wheel->before, capacity * sizeof *before);
    if (before == NULL)
        return false;
    wheel->before = before;
    if (!sim_queue_reserve(&wheel->far, capacity))
        return false;
    wheel->capacity = capacity;
    return true;
}

/* Those in hand lie in `front`, which has room behind them. */
static inline void sim_wheel_insert_front_(sim_wheel *wheel, sim_event event)
{
    sim_event *place = wheel->front + (wheel->next - wheel->front) + wheel->in_hand++;
    for (; place > wheel->next && sim_event_before(event, place[-1]); place--)
        *place = place[-1];
    *place = event;
}

static inline bool sim_wheel_front_has_room_(const sim_wheel *wheel)
{
    return wheel->next + wheel->in_hand < wheel->front + SIM_WHEEL_FRONT_EVENTS;
}

/* For an event whose bucket is in hand, past or out of reach, or when no event is in hand. */
static __attribute__((noinline)) void sim_wheel_push_aside_(sim_wheel *wheel, uint64_t number, sim_event event)
{
    if (wheel->in_hand == 0) {
        wheel->current = number;
        wheel->next = wheel->front;
    }
    sim_wheel_move_to_front_(wheel);
    if (number <= wheel->current && sim_wheel_front_has_room_(wheel))
        sim_wheel_insert_front_(wheel, event);
    else
        sim_queue_push(&wheel->far, event);
}

/* An event of `slot`: the caller has reserved room for it, and it has no other event in the wheel. */
static inline __attribute__((always_inline)) sim_wheel_news sim_wheel_push(sim_wheel *wheel, uint32_t slot,
                                                                           sim_event event)
{
    const uint64_t number = event.time >> wheel->shift;
    const uint32_t place = (uint32_t)number & (SIM_WHEEL_BUCKETS - 1);
    if (__builtin_expect(number - wheel->current - 1 >= SIM_WHEEL_BUCKETS - 1, 0)) {
        sim_wheel_push_aside_(wheel, number, event);
        return SIM_WHEEL_FIRST_MAY_CHANGE;
    }
    wheel->event[slot] = event;
    wheel->before[slot] = wheel->bucket[place];
    wheel->bucket[place] = slot + 1;
    wheel->occupied[place >> 6] |= UINT64_C(1) << (place & 63);
    wheel->in_buckets++;
    return SIM_WHEEL_FIRST_STAYS;
}

/* Several events lie in the bucket in hand, of which `slot` has the latest. */
static __attribute__((noinline)) void sim_wheel_sort_bucket_(sim_wheel *wheel, uint32_t slot)
{
    wheel->next = wheel->front;
    wheel->in_hand = 0;
    sim_wheel_insert_front_(wheel, wheel->event[slot]);
    while (wheel->before[slot] != 0) {
        slot = wheel->before[slot] - 1;
        wheel->in_buckets--;
        if (sim_wheel_front_has_room_(wheel))
            sim_wheel_insert_front_(wheel, wheel->event[slot]);
        else
            sim_queue_push(&wheel->far, wheel->event[slot]);
    }
}

/* The 64 buckets from `start` on, of which one each bit says whether it is occupied. */
static inline uint64_t sim_wheel_look_ahead_(const sim_wheel *wheel, uint32_t start)
{
    const uint32_t word = start >> 6;
    const uint64_t here = wheel->occupied[word];
    const uint64_t beyond = wheel->occupied[(word + 1) & (SIM_WHEEL_BUCKETS / 64 - 1)];
    return here >> (start & 63) | beyond << 1 << (~start & 63);
}

/* Takes the next occupied bucket in hand instead of the one event in hand; there is one. */
static inline void sim_wheel_turn_(sim_wheel *wheel)
{
    uint64_t number = wheel->current + 1;
    uint64_t bits = sim_wheel_look_ahead_(wheel, (uint32_t)number & (SIM_WHEEL_BUCKETS - 1));
    while (__builtin_expect(bits == 0, 0)) {
        number += 64;
        bits = sim_wheel_look_ahead_(wheel, (uint32_t)number & (SIM_WHEEL_BUCKETS - 1));
    }
    number += (uint32_t)__builtin_ctzll(bits);
    wheel->current = number;
    const uint32_t found = (uint32_t)number & (SIM_WHEEL_BUCKETS - 1);
    wheel->occupied[found >> 6] &= ~(UINT64_C(1) << (found & 63));
    wheel->in_buckets--;
    const uint32_t slot = wheel->bucket[found] - 1;
    wheel->bucket[found] = 0;
    wheel->next = &wheel->event[slot];
    if (__builtin_expect(wheel->before[slot] != 0, 0))
        sim_wheel_sort_bucket_(wheel, slot);
}

/* The next event, whose time is NO_EVENT if there is none. Valid until the wheel changes. */
static inline const sim_event *sim_wheel_first(const sim_wheel *wheel)
{
    if (__builtin_expect(wheel->far.count > 0, 0) && sim_event_before(wheel->far.heap[0], *wheel->next))
        return wheel->far.heap;
    return wheel->next;
}

/* Takes out what sim_wheel_first() has just answered, an event. */
static inline sim_event sim_wheel_pop(sim_wheel *wheel, const sim_event *first)
{
    if (!__builtin_expect(first == wheel->next, 1))
        return sim_queue_pop(&wheel->far);
    const sim_event event = *first;
    if (__builtin_expect(wheel->in_hand > 1, 0)) {
        wheel->next++;
        wheel->in_hand--;
    } else if (__builtin_expect(wheel->in_buckets > 0, 1)) {
        sim_wheel_turn_(wheel);
    } else {
        wheel->in_hand = 0;
        sim_wheel_let_go_(wheel);
    }
    return event;
}

#endif
