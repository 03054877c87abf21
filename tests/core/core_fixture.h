/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A router under test: an allocator that can fail, chosen draws, and a record of what the sink was told. */
#ifndef TESTS_CORE_FIXTURE_H
#define TESTS_CORE_FIXTURE_H

#include <check.h>
#include <stdlib.h>

#include <regioncore/regioncore.h>

enum { FIXTURE_TRANSITIONS = 4096, FIXTURE_MARKS = 256 };

#define MS(n)       ((n)*RGN_NS_PER_MS)
#define S(n)        ((n)*RGN_NS_PER_S)
#define SET(region) (1u << (region))

typedef struct {
    rgn_region region;
    rgn_mark_reason why;
    rgn_time_ns at;
} fixture_mark;

typedef struct {
    rgn_router_config config;
    rgn_account account;
    rgn_router *router;
    size_t bytes;         /* allocated now */
    unsigned allocations; /* asked for so far */
    unsigned fails_at;    /* this one and all later ones fail; 0: none */
    uint64_t draw;        /* every draw is the least of this and bound - 1 */
    unsigned draws[3];    /* asked for, by purpose */
    unsigned transition_count;
    rgn_transition transitions[FIXTURE_TRANSITIONS];
    unsigned mark_count;
    fixture_mark marks[FIXTURE_MARKS];
} fixture;

static void *fixture_allocate(void *context, size_t size)
{
    fixture *f = context;
    void *memory;

    f->allocations++;
    if (f->fails_at != 0 && f->allocations >= f->fails_at)
        return NULL;
    memory = calloc(1, size);
    ck_assert_ptr_nonnull(memory);
    f->bytes += size;
    return memory;
}

static void fixture_release(void *context, void *memory, size_t size)
{
    fixture *f = context;

    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_ge(f->bytes, size);
    f->bytes -= size;
    free(memory);
}

static uint64_t fixture_below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    fixture *f = context;

    (void)subject;
    ck_assert_uint_ge(bound, 1);
    f->draws[purpose]++;
    return f->draw < bound ? f->draw : bound - 1;
}

static void fixture_transition(void *context, const rgn_transition *transition)
{
    fixture *f = context;

    f->transitions[f->transition_count++ % FIXTURE_TRANSITIONS] = *transition;
}

static void fixture_mark_seen(void *context, rgn_region region, rgn_mark_reason why, rgn_time_ns at)
{
    fixture *f = context;

    f->marks[f->mark_count++ % FIXTURE_MARKS] = (fixture_mark){region, why, at};
}

/* Three regions 0, 1, 2 in preference order, the first the hub; defaults everywhere but no hedging, no jitter. Change
 * f->config, then call fixture_start(). */
static inline void fixture_init(fixture *f, bool multi_write)
{
    *f = (fixture){.account = {.readable = {3, {0, 1, 2}},
                               .writable = {multi_write ? 3 : 1, {0, 1, 2}},
                               .multi_write = multi_write}};
    f->config = (rgn_router_config){
        .partition_count = 64,
        .account = &f->account,
        .lock_stripes = 1,
        .allocator = {fixture_allocate, fixture_release, f},
        .random = {fixture_below, f},
        .sink = {.on_transition = fixture_transition, .on_endpoint_mark = fixture_mark_seen, .context = f}};
    rgn_options_default(&f->config.options);
    f->config.options.hedging_strategy = RGN_HEDGING_DISABLED;
}

static inline void fixture_start(fixture *f)
{
    rgn_status status = RGN_ERR_RANGE;

    f->router = rgn_router_create(&f->config, &status);
    ck_assert_int_eq(status, RGN_OK);
    ck_assert_ptr_nonnull(f->router);
    ck_assert_uint_eq(rgn_router_memory(f->router), f->bytes);
}

/* Nothing may be left behind. */
static inline void fixture_stop(fixture *f)
{
    ck_assert_uint_eq(rgn_router_memory(f->router), f->bytes);
    rgn_router_destroy(f->router);
    ck_assert_uint_eq(f->bytes, 0);
}

static inline rgn_entry fixture_entry(const fixture *f, rgn_partition partition)
{
    rgn_entry entry;

    rgn_router_inspect(f->router, partition, &entry);
    return entry;
}

/* Failures at region 0 until the partition trips (default thresholds or below). */
static inline void fixture_trip(fixture *f, rgn_partition partition, rgn_direction direction, rgn_time_ns now)
{
    for (int i = 0;
         i < 10 && !rgn_entry_is_tripped(&(rgn_entry){.tripped = fixture_entry(f, partition).tripped}, direction); i++)
        rgn_router_record_failure(f->router, partition, 0, direction, now);
    ck_assert_uint_eq(fixture_entry(f, partition).phase, RGN_PHASE_UNHEALTHY);
}

#endif
