/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <assert.h>
#include <string.h>

enum { SLAB_PIECES_FIRST = 4, SLAB_PIECES_MAX = 256, CAPACITY_BITS_FIRST = 3 };

void *rgni_memory_take(rgni_memory *memory, size_t size)
{
    void *block = memory->hooks.allocate(memory->hooks.context, size);

    if (block != NULL)
        atomic_fetch_add_explicit(&memory->bytes, size, memory_order_relaxed);
    return block;
}

void rgni_memory_give(rgni_memory *memory, void *block, size_t size)
{
    if (block == NULL)
        return;
    atomic_fetch_sub_explicit(&memory->bytes, size, memory_order_relaxed);
    memory->hooks.release(memory->hooks.context, block, size);
}

static void pool_give(rgni_pool *pool, void *piece)
{
    memcpy(piece, &pool->free, sizeof pool->free);
    pool->free = piece;
}

static void pool_deinit(rgni_pool *pool, rgni_memory *memory)
{
    while (pool->slabs != NULL) {
        rgni_slab *slab = pool->slabs;
        pool->slabs = slab->next;
        rgni_memory_give(memory, slab, slab->size);
    }
}

void rgni_stripe_init(rgni_stripe *stripe, rgni_beside beside, bool has_heap, unsigned router_bits, uint32_t numbers)
{
    memset(stripe, 0, sizeof *stripe);
    rgni_spin_init(&stripe->lock, false);
    stripe->beside = beside;
    stripe->has_heap = has_heap;
    stripe->router_bits = (uint8_t)router_bits;
    stripe->numbers = numbers;
}

void rgni_stripe_deinit(rgni_stripe *stripe, rgni_memory *memory)
{
    size_t table_size = stripe->capacity * sizeof(rgni_slot *);

    pool_deinit(&stripe->slots, memory);
    pool_deinit(&stripe->sides, memory);
    rgni_memory_give(memory, stripe->table, table_size);
    rgni_memory_give(memory, stripe->heap, table_size);
}

static void table_put(rgni_stripe *stripe, rgni_slot *slot)
{
    uint32_t at = rgni_stripe_place(stripe, slot->partition);

    assert(stripe->table[at] == NULL);
    stripe->table[at] = slot;
    stripe->displaced += at != rgni_stripe_home(stripe, slot->partition);
}

/* Doubles table and heap together, or leaves both as they were. */
static bool grow(rgni_stripe *stripe, rgni_memory *memory)
{
    uint32_t old_capacity = stripe->capacity;
    unsigned bits = old_capacity == 0 ? CAPACITY_BITS_FIRST : stripe->capacity_bits + 1u;
    uint32_t capacity = UINT32_C(1) << bits;
    size_t old_size = old_capacity * sizeof(rgni_slot *);
    size_t size = capacity * sizeof(rgni_slot *);
    rgni_slot **old_table = stripe->table;
    rgni_slot **table = rgni_memory_take(memory, size);
    rgni_slot **heap = table != NULL && stripe->has_heap ? rgni_memory_take(memory, size) : NULL;

    if (table == NULL || (stripe->has_heap && heap == NULL)) {
        rgni_memory_give(memory, table, size);
        return false;
    }
    stripe->table = table;
    stripe->capacity = capacity;
    stripe->capacity_bits = (uint8_t)bits;
    stripe->spread = (uint32_t)(RGNI_GOLDEN >> (32 - bits)) | 1;
    stripe->displaced = 0;
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old_table[i] != NULL)
            table_put(stripe, old_table[i]);
    }
    if (stripe->heap_count > 0)
        memcpy(heap, stripe->heap, stripe->heap_count * sizeof(rgni_slot *));
    rgni_memory_give(memory, old_table, old_size);
    rgni_memory_give(memory, stripe->heap, old_size);
    stripe->heap = heap;
    return true;
}

/* Slabs double up to a limit, so that a router with one bad partition stays small. */
static bool pool_grow(rgni_pool *pool, rgni_memory *memory, size_t piece)
{
    uint32_t pieces = pool->slab_pieces == 0 ? SLAB_PIECES_FIRST : pool->slab_pieces * 2;
    size_t size;
    rgni_slab *slab;
    char *at;

    if (pieces > SLAB_PIECES_MAX)
        pieces = SLAB_PIECES_MAX;
    size = sizeof(rgni_slab) + pieces * piece;
    slab = rgni_memory_take(memory, size);
    if (slab == NULL)
        return false;
    slab->next = pool->slabs;
    slab->size = size;
    pool->slabs = slab;
    pool->slab_pieces = pieces;
    at = (char *)(slab + 1);
    for (uint32_t i = 0; i < pieces; i++, at += piece)
        pool_give(pool, at);
    return true;
}

/* A zeroed piece; NULL if memory is short. */
static void *pool_take(rgni_pool *pool, rgni_memory *memory, size_t piece)
{
    void *taken;

    if (pool->free == NULL && !pool_grow(pool, memory, piece))
        return NULL;
    taken = pool->free;
    memcpy(&pool->free, taken, sizeof pool->free);
    memset(taken, 0, piece);
    return taken;
}

static size_t slot_size(const rgni_stripe *stripe)
{
    switch (stripe->beside) {
    case RGNI_BESIDE_SHARE:
        return sizeof(rgni_slot) + sizeof(rgn_share_tally);
    case RGNI_BESIDE_HEALTH:
        return sizeof(rgni_slot) + sizeof(rgn_health);
    case RGNI_BESIDE_NOTHING:
        break;
    }
    return sizeof(rgni_slot);
}

rgni_slot *rgni_stripe_reserve(rgni_stripe *stripe, rgni_memory *memory, rgn_partition partition)
{
    rgni_slot *slot;

    /* Three quarters full is as far as linear probing stays short, where partitions have to share places. */
    if ((stripe->count + 1) * UINT64_C(4) > stripe->capacity * UINT64_C(3) && stripe->capacity < stripe->numbers &&
        !grow(stripe, memory))
        return NULL;
    slot = pool_take(&stripe->slots, memory, slot_size(stripe));
    if (slot == NULL)
        return NULL;
    slot->due = RGN_TIME_NEVER;
    slot->partition = partition;
    slot->heap_index = RGNI_NOT_IN_HEAP;
    return slot;
}

void rgni_stripe_insert(rgni_stripe *stripe, rgni_slot *slot)
{
    table_put(stripe, slot);
    stripe->count++;
}

void rgni_stripe_cancel(rgni_stripe *stripe, rgni_slot *slot)
{
    pool_give(&stripe->slots, slot);
}

/* A later slot moves back if its search would have passed the hole. */
static void close_gap(rgni_stripe *stripe, uint32_t hole)
{
    uint32_t mask = stripe->capacity - 1;

    for (uint32_t at = (hole + 1) & mask; stripe->table[at] != NULL; at = (at + 1) & mask) {
        uint32_t home = rgni_stripe_home(stripe, stripe->table[at]->partition);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        stripe->displaced -= hole == home;
        stripe->table[hole] = stripe->table[at];
        stripe->table[at] = NULL;
        hole = at;
    }
}

void rgni_stripe_remove(rgni_stripe *stripe, rgni_slot *slot)
{
    uint32_t at = rgni_stripe_place(stripe, slot->partition);

    assert(stripe->table[at] == slot);
    assert(slot->side == NULL);
    rgni_stripe_set_due(stripe, slot, RGN_TIME_NEVER);
    stripe->table[at] = NULL;
    stripe->count--;
    stripe->displaced -= at != rgni_stripe_home(stripe, slot->partition);
    if (stripe->displaced > 0)
        close_gap(stripe, at);
    rgni_stripe_cancel(stripe, slot);
}

bool rgni_stripe_reserve_side(rgni_stripe *stripe, rgni_memory *memory, rgni_slot *slot)
{
    if (slot->side == NULL)
        slot->side = pool_take(&stripe->sides, memory, sizeof *slot->side);
    return slot->side != NULL;
}

void rgni_stripe_trim_side(rgni_stripe *stripe, rgni_slot *slot)
{
    if (slot->side == NULL || slot->side->override.is_set || slot->side->wins.count > 0 || slot->side->cuts.count > 0 ||
        slot->side->memory.trips > 0)
        return;
    pool_give(&stripe->sides, slot->side);
    slot->side = NULL;
}

static bool is_sooner(const rgni_slot *a, const rgni_slot *b)
{
    return a->due < b->due || (a->due == b->due && a->partition < b->partition);
}

static void heap_put(rgni_stripe *stripe, uint32_t at, rgni_slot *slot)
{
    stripe->heap[at] = slot;
    slot->heap_index = at;
}

/* Finds the place of `slot`, which may be anywhere relative to its neighbours, starting from the free place `at`. */
static void heap_settle(rgni_stripe *stripe, uint32_t at, rgni_slot *slot)
{
    while (at > 0 && is_sooner(slot, stripe->heap[(at - 1) / 2])) {
        heap_put(stripe, at, stripe->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= stripe->heap_count)
            break;
        if (child + 1 < stripe->heap_count && is_sooner(stripe->heap[child + 1], stripe->heap[child]))
            child++;
        if (!is_sooner(stripe->heap[child], slot))
            break;
        heap_put(stripe, at, stripe->heap[child]);
        at = child;
    }
    heap_put(stripe, at, slot);
}

void rgni_stripe_set_due(rgni_stripe *stripe, rgni_slot *slot, rgn_time_ns due)
{
    uint32_t at = slot->heap_index;

    if (!stripe->has_heap || due == slot->due)
        return;
    slot->due = due;
    if (due == RGN_TIME_NEVER) {
        rgni_slot *last = stripe->heap[--stripe->heap_count];
        slot->heap_index = RGNI_NOT_IN_HEAP;
        if (last != slot)
            heap_settle(stripe, at, last);
        return;
    }
    heap_settle(stripe, at == RGNI_NOT_IN_HEAP ? stripe->heap_count++ : at, slot);
}

rgni_slot *rgni_stripe_first_due(const rgni_stripe *stripe)
{
    return stripe->heap_count > 0 ? stripe->heap[0] : NULL;
}
