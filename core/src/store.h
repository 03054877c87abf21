/* SPDX-License-Identifier: MIT */
/* Where the router keeps what it remembers of partitions: per lock stripe a hash table from partition to slot, slots in
 * slabs, and a heap of due times (failback.promote due only). What few partitions have, an override, rows of hedge
 * wins or a memory of trips, lies beside the slot in slabs of its own.
 *
 * A slab, a table or a heap grows only in rgni_stripe_reserve() and rgni_stripe_reserve_side(), which may fail; no
 * other function allocates. The
 * caller holds the stripe's lock around every call. Nothing here depends on addresses: lookup by number, order by (due,
 * partition). */
#ifndef REGIONCORE_SRC_STORE_H
#define REGIONCORE_SRC_STORE_H

#include <stdatomic.h>

#include <regioncore/router.h>

#include "failover.h"
#include "trip_memory.h"

/* The router's allocator, with the bytes it holds now. */
typedef struct {
    rgn_allocator hooks;
    atomic_size_t bytes;
} rgni_memory;

void *rgni_memory_take(rgni_memory *memory, size_t size);
void rgni_memory_give(rgni_memory *memory, void *block, size_t size);

/* A spin lock; of a router that is not shared none is ever taken. Sections are a few hundred instructions long and
 * never block. */
typedef _Atomic uint8_t rgni_spin;
enum { RGNI_SPIN_FREE = 0, RGNI_SPIN_HELD = 1, RGNI_SPIN_UNSHARED = 2 };

static inline void rgni_spin_init(rgni_spin *spin, bool is_unshared)
{
    atomic_init(spin, is_unshared ? RGNI_SPIN_UNSHARED : RGNI_SPIN_FREE);
}

static inline bool rgni_is_unshared(const rgni_spin *spin)
{
    return atomic_load_explicit(spin, memory_order_relaxed) == RGNI_SPIN_UNSHARED;
}

static inline void rgni_lock(rgni_spin *spin)
{
    if (rgni_is_unshared(spin))
        return;
    while (atomic_exchange_explicit(spin, RGNI_SPIN_HELD, memory_order_acquire) == RGNI_SPIN_HELD)
        continue;
}

static inline void rgni_unlock(rgni_spin *spin)
{
    if (!rgni_is_unshared(spin))
        atomic_store_explicit(spin, RGNI_SPIN_FREE, memory_order_release);
}

#define RGNI_NOT_IN_HEAP UINT32_MAX

enum { RGNI_CACHE_LINE = 64 }; /* of most processors; speed alone depends on it */

/* 2^32 over the golden ratio. */
#define RGNI_GOLDEN UINT64_C(2654435769)

/* What a partition has beside its entry. */
typedef struct {
    rgn_override override; /* none unless is_set */
    rgni_win_counts wins;
    rgni_trip_memory memory;
    rgni_cut_writes cuts;
} rgni_side;

/* `entry` is absent in the slot of a partition that has a side only. It begins with what most events look at, so that
 * this lies by the partition's number. */
typedef struct rgni_slot {
    rgn_partition partition;
    uint32_t heap_index; /* RGNI_NOT_IN_HEAP when not in the heap */
    rgni_side *side;     /* NULL: none */
    rgn_entry entry;
    rgn_time_ns due;                              /* heap key; NEVER when not in the heap */
    _Alignas(rgn_time_ns) unsigned char beside[]; /* what the stripe's slots have beside the entry */
} rgni_slot;

/* What every slot of a router has beside its entry: nothing; breaker.rule share: an rgn_share_tally; breaker.health
 * region: an rgn_health. */
typedef enum { RGNI_BESIDE_NOTHING, RGNI_BESIDE_SHARE, RGNI_BESIDE_HEALTH } rgni_beside;

typedef struct rgni_slab {
    struct rgni_slab *next;
    size_t size;
} rgni_slab;

/* Pieces of one size, from slabs of 4, 8, ... 256. A free piece holds the pointer to the next one. */
typedef struct {
    void *free;
    rgni_slab *slabs;
    uint32_t slab_pieces; /* of the newest slab */
} rgni_pool;

typedef struct {
    rgni_spin lock;
    bool has_heap;         /* due times are kept */
    uint8_t router_bits;   /* of a partition's number, say which stripe it belongs to */
    uint8_t capacity_bits; /* capacity is two to this power, or 0 */
    uint32_t capacity;     /* of the table, and of the heap; 0 before the first slot */
    uint32_t spread;       /* how far neighbours lie apart: odd */
    rgni_slot **table;     /* linear probing */
    rgni_beside beside;
    uint32_t count;     /* slots in the table */
    uint32_t displaced; /* of these not in the first place to look in */
    uint32_t numbers;   /* partitions that the stripe is for */
    uint32_t heap_count;
    rgni_slot **heap;
    rgni_pool slots;
    rgni_pool sides;
} rgni_stripe;

/* For at most `numbers` partitions, whose numbers end in the same `router_bits` bits. */
void rgni_stripe_init(rgni_stripe *stripe, rgni_beside beside, bool has_heap, unsigned router_bits, uint32_t numbers);
void rgni_stripe_deinit(rgni_stripe *stripe, rgni_memory *memory);

/* First place to look in. In a table with as many places as there are partitions each has one of its own, so that the
 * first look nearly always finds it; neighbours lie far apart (Knuth, TAOCP 6.4). */
static inline uint32_t rgni_stripe_home(const rgni_stripe *stripe, rgn_partition partition)
{
    uint32_t number = partition >> stripe->router_bits;
    uint32_t spread = number * stripe->spread;

    if (number >= stripe->capacity)
        spread += (uint32_t)((number >> stripe->capacity_bits) * RGNI_GOLDEN >> 7);
    return spread & (stripe->capacity - 1);
}

/* Where the partition is, or the empty place where it would go. A full table has a place for each. */
static inline uint32_t rgni_stripe_place(const rgni_stripe *stripe, rgn_partition partition)
{
    uint32_t at = rgni_stripe_home(stripe, partition);

    while (stripe->table[at] != NULL && stripe->table[at]->partition != partition)
        at = (at + 1) & (stripe->capacity - 1);
    return at;
}

/* NULL if the partition has no slot. */
static inline rgni_slot *rgni_stripe_find(const rgni_stripe *stripe, rgn_partition partition)
{
    return stripe->capacity == 0 ? NULL : stripe->table[rgni_stripe_place(stripe, partition)];
}

/* The partition's slot will be looked at soon: has it fetched into the cache meanwhile. Advice that changes nothing. Of
 * a shared router another thread may free the table, so that it is not looked at without the lock. */
static inline void rgni_stripe_expect(const rgni_stripe *stripe, rgn_partition partition)
{
    const rgni_slot *slot;

    if (!rgni_is_unshared(&stripe->lock) || stripe->capacity == 0)
        return;
    slot = stripe->table[rgni_stripe_home(stripe, partition)];
    __builtin_prefetch((const void *)slot);
    __builtin_prefetch((const void *)((uintptr_t)slot + RGNI_CACHE_LINE));
}

/* A zeroed slot for a partition that has none, not yet in the table; NULL if memory is short. */
rgni_slot *rgni_stripe_reserve(rgni_stripe *stripe, rgni_memory *memory, rgn_partition partition);
/* Puts a reserved slot into the table. */
void rgni_stripe_insert(rgni_stripe *stripe, rgni_slot *slot);
/* Gives a reserved slot back unused. */
void rgni_stripe_cancel(rgni_stripe *stripe, rgni_slot *slot);
/* Takes a slot without a side out of table and heap and frees it. */
void rgni_stripe_remove(rgni_stripe *stripe, rgni_slot *slot);

/* Gives the slot an empty side if it has none; false if memory is short. */
bool rgni_stripe_reserve_side(rgni_stripe *stripe, rgni_memory *memory, rgni_slot *slot);
/* Takes the slot's side away if it holds nothing. */
void rgni_stripe_trim_side(rgni_stripe *stripe, rgni_slot *slot);

/* Moves the slot to its place in the heap; NEVER takes it out. */
void rgni_stripe_set_due(rgni_stripe *stripe, rgni_slot *slot, rgn_time_ns due);
/* The slot with the least (due, partition); NULL if the heap is empty. */
rgni_slot *rgni_stripe_first_due(const rgni_stripe *stripe);

static inline rgn_share_tally *rgni_slot_share(const rgni_stripe *stripe, rgni_slot *slot)
{
    return stripe->beside == RGNI_BESIDE_SHARE ? (rgn_share_tally *)(void *)slot->beside : NULL;
}

static inline rgn_health *rgni_slot_health(const rgni_stripe *stripe, rgni_slot *slot)
{
    return stripe->beside == RGNI_BESIDE_HEALTH ? (rgn_health *)(void *)slot->beside : NULL;
}

#endif
