/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One partition's entry on a bench: a test sets knobs, sends events, and looks at the entry and the story. Each event
 * that may be told short is told short as well, to a copy, and has to come to the same. */
#ifndef TESTS_CORE_REDUCER_BENCH_H
#define TESTS_CORE_REDUCER_BENCH_H

#include <check.h>
#include <string.h>

#include "../../core/src/event_short.h"
#include "../../core/src/reduce.h"

#define S RGN_NS_PER_S

/* Events that are told short. */
typedef enum { BENCH_FAILURE, BENCH_ADMISSION, BENCH_RESULT, BENCH_TICK, BENCH_SHORTS } bench_short;

typedef struct {
    rgn_options options;
    rgn_topology topology;
    rgn_entry entry;
    rgn_share_tally share;
    rgn_health health;
    uint32_t generation;
    rgn_router_counters counters;
    uint64_t drawn;   /* what the random hook gives, if it is below the bound */
    unsigned draws;   /* how often it was asked */
    rgni_story story; /* of the last event */
    rgn_reason why;   /* last reason so far */
    unsigned told_short[BENCH_SHORTS];
} bench;

static inline uint64_t bench_below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    bench *b = context;
    (void)purpose;
    (void)subject;
    b->draws++;
    return b->drawn < bound ? b->drawn : bound - 1;
}

/* Regions 0..regions-1 in that order, thresholds 3 (reads) and 2 (writes), every operation of a recovery a canary; all
 * other knobs at their defaults. */
static inline void bench_init(bench *b, unsigned regions)
{
    memset(b, 0, sizeof *b);
    rgn_options_default(&b->options);
    b->options.breaker_read_failure_threshold = 3;
    b->options.breaker_write_failure_threshold = 2;
    b->options.failback_canary_percentage = 100;
    b->topology.multi_write = true;
    b->topology.generation = 1;
    for (unsigned i = 0; i < regions; i++) {
        b->topology.read_order.region[b->topology.read_order.count++] = (rgn_region)i;
        b->topology.regions |= rgn_region_bit((rgn_region)i);
    }
    b->topology.write_order = b->topology.read_order;
}

static inline rgn_share_tally *bench_share(bench *b)
{
    return b->options.breaker_rule == RGN_RULE_SHARE ? &b->share : NULL;
}

static inline rgn_health *bench_health(bench *b)
{
    return b->options.breaker_health == RGN_HEALTH_REGION ? &b->health : NULL;
}

static inline void bench_remember(bench *b)
{
    if (b->story.count > 0)
        b->why = (rgn_reason)b->story.transition[b->story.count - 1].reason;
}

/* Runs one call of a reducer in a scene at `at`. */
#define BENCH_CALL(b, at, call)                              \
    do {                                                     \
        rgn_random random_ = {bench_below, (b)};             \
        rgni_scene scene_ = {.options = &(b)->options,       \
                             .topology = &(b)->topology,     \
                             .random = &random_,             \
                             .partition = 7,                 \
                             .now = (at),                    \
                             .generation = &(b)->generation, \
                             .counters = &(b)->counters,     \
                             .health = bench_health(b)};     \
        const rgni_scene *scene = &scene_;                   \
        (b)->story.count = 0;                                \
        call;                                                \
        bench_remember(b);                                   \
    } while (0)

/* The event was told short to `copy`, and that was all of it, or should have left it as it was. */
static inline void bench_compare(bench *b, bench_short kind, const rgn_entry *before, const rgn_entry *copy,
                                 bool is_all)
{
    if (is_all && (b->story.count > 0 || memcmp(copy, &b->entry, sizeof *copy) != 0))
        ck_abort_msg("told short, event %d comes to something else", kind);
    if (!is_all && memcmp(copy, before, sizeof *copy) != 0)
        ck_abort_msg("event %d is not to be told short, and changes the entry", kind);
    b->told_short[kind] += is_all;
}

static inline void bench_fail(bench *b, rgn_region region, rgn_direction direction, rgn_time_ns at)
{
    rgni_short shorts = rgni_short_of(&b->options);
    rgn_entry before = b->entry, copy = before;
    bool is_all =
        rgn_region_in(b->topology.regions, region) && rgni_short_failure(&shorts, &copy, region, direction, at);
    BENCH_CALL(b, at, rgni_breaker_on_failure(&b->entry, bench_share(b), scene, region, direction, &b->story));
    bench_compare(b, BENCH_FAILURE, &before, &copy, is_all);
}

static inline void bench_fail_times(bench *b, unsigned times, rgn_region region, rgn_direction direction,
                                    rgn_time_ns at)
{
    for (unsigned i = 0; i < times; i++)
        bench_fail(b, region, direction, at);
}

static inline void bench_succeed(bench *b, rgn_region region, rgn_direction direction, rgn_time_ns at)
{
    BENCH_CALL(b, at, rgni_breaker_on_success(&b->entry, bench_share(b), scene, region, direction, true, &b->story));
}

static inline bool bench_hedge_wins(bench *b, rgn_region region, uint32_t wins, rgn_time_ns at)
{
    bool is_settled = false;
    BENCH_CALL(b, at,
               is_settled = rgni_breaker_on_hedge_wins(&b->entry, bench_share(b), scene, region, wins, &b->story));
    return is_settled;
}

static inline bool bench_admit(bench *b, rgn_direction direction, rgn_time_ns at, rgni_ticket *ticket)
{
    rgni_short shorts = rgni_short_of(&b->options);
    rgn_entry before = b->entry, copy = before;
    bool is_canary = false, is_short_canary = false;
    bool is_all =
        (direction == RGN_READ || b->topology.multi_write) && rgni_short_admit(&shorts, &copy, at, &is_short_canary);
    BENCH_CALL(b, at,
               is_canary = rgni_failback_admit(&b->entry, bench_share(b), scene, direction, 0, ticket, &b->story));
    bench_compare(b, BENCH_ADMISSION, &before, &copy, is_all);
    if (is_all && is_short_canary != is_canary)
        ck_abort_msg("told short, an admission is another one");
    return is_canary;
}

static inline void bench_result(bench *b, rgni_ticket ticket, rgn_evidence evidence, rgn_time_ns at)
{
    rgni_short shorts = rgni_short_of(&b->options);
    rgn_entry before = b->entry, copy = before;
    bool is_all = rgni_short_result(&shorts, &copy, ticket, evidence, at);
    BENCH_CALL(b, at, rgni_failback_on_result(&b->entry, bench_share(b), scene, ticket, evidence, RGN_READ, &b->story));
    bench_compare(b, BENCH_RESULT, &before, &copy, is_all);
}

static inline void bench_expire(bench *b, bool is_tick, rgn_time_ns at)
{
    rgni_short shorts = rgni_short_of(&b->options);
    rgn_entry before = b->entry;
    bool is_all = is_tick && rgni_short_tick(&shorts, &before, at);
    BENCH_CALL(b, at, rgni_failback_on_expiry(&b->entry, bench_share(b), scene, is_tick, &b->story));
    bench_compare(b, BENCH_TICK, &before, &before, is_all);
}

static inline void bench_drop(bench *b, rgn_reason reason, rgn_time_ns at)
{
    BENCH_CALL(b, at, rgni_entry_drop(&b->entry, scene, reason, &b->story));
}

/* Sends a canary that must be admitted and ends it at the same instant. */
static inline bool bench_canary(bench *b, rgn_evidence evidence, rgn_time_ns at)
{
    rgni_ticket ticket;
    if (!bench_admit(b, RGN_READ, at, &ticket))
        return false;
    bench_result(b, ticket, evidence, at);
    return true;
}

/* Trips reads at region 0 at t = 0 and promotes the entry at `at`. */
static inline void bench_recover(bench *b, rgn_time_ns at)
{
    bench_fail_times(b, (unsigned)b->options.breaker_read_failure_threshold, 0, RGN_READ, 0);
    bench_expire(b, true, at);
}

#endif
