/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Liveness: wherever an entry stands after any mess, a healthy region with traffic brings it home in bounded time. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reducer_bench.h"

#define SEED UINT64_C(20261129)
enum { STEPS_MIN = 1000000, OPEN_MAX = 32, STEP_MS = 100, TICK_STEPS = 10, MESS_STEPS = 200, LONGEST_STEPS = 3 };

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned pick(uint64_t *state, unsigned below)
{
    return (unsigned)(next_random(state) % below);
}

static bool may_admit(const rgn_entry *e, rgn_direction direction)
{
    return e->phase == RGN_PHASE_RECOVERING && rgn_entry_is_tripped(e, direction);
}

/* A canary on its way. It may hang for long, and end after its window, its recovery or its entry. */
typedef struct {
    rgni_ticket ticket;
    rgn_evidence evidence;
    rgn_time_ns ends_at;
} open_canary;

typedef struct {
    bench b;
    uint64_t random;
    rgn_time_ns now;
    open_canary open[OPEN_MAX];
    unsigned open_count;
    uint64_t steps;
} life;

/* Any knobs under which a sample can fill within its window: ten operations a second, at least a fifth canaries. */
static void draw_knobs(life *l)
{
    rgn_options *o = &l->b.options;
    uint64_t *r = &l->random;
    bench_init(&l->b, 2 + pick(r, 3));
    l->b.topology.multi_write = pick(r, 2) == 0;
    o->breaker_rule = pick(r, 3);
    o->breaker_alternate_failures = 1 + pick(r, 3);
    o->breaker_counter_reset_window = (1 + pick(r, 20)) * S;
    o->failback_strategy = pick(r, 4) == 0 ? RGN_STRATEGY_PROBE : RGN_STRATEGY_SUCCESS_RATE;
    o->failback_canary_percentage = 20 + pick(r, 81);
    o->failback_min_sample = 1 + pick(r, 5);
    o->failback_success_threshold = 500000 + 100000 * pick(r, 6);
    o->failback_retrip_floor = 100000 * pick(r, 6);
    o->failback_eval_window = (5 + pick(r, 10)) * S;
    o->failback_decide = pick(r, 3);
    o->failback_pending = pick(r, 2);
    o->failback_window_expiry = pick(r, 3);
    o->failback_low_traffic_windows = pick(r, 3);
    o->failback_recovering_max = pick(r, 2) == 0 ? RGN_TIME_NEVER : 3 * o->failback_eval_window;
    o->failback_promote = pick(r, 2);
    o->failback_dwell_from = pick(r, 3);
    o->failback_partition_unavailability_duration = pick(r, 10) * S;
}

static void end_due_canaries(life *l)
{
    for (unsigned i = 0; i < l->open_count;) {
        open_canary c = l->open[i];
        if (c.ends_at > l->now) {
            i++;
            continue;
        }
        l->open[i] = l->open[--l->open_count];
        bench_result(&l->b, c.ticket, c.evidence, l->now);
    }
}

static void try_canary(life *l, rgn_direction direction, rgn_evidence evidence, rgn_dur_ns takes)
{
    open_canary c = {.evidence = evidence, .ends_at = rgn_time_add(l->now, takes)};
    if (!may_admit(&l->b.entry, direction) || l->open_count == OPEN_MAX ||
        !bench_admit(&l->b, direction, l->now, &c.ticket))
        return;
    l->open[l->open_count++] = c;
}

static void background(life *l)
{
    if (l->steps % TICK_STEPS == 0)
        bench_expire(&l->b, true, l->now);
    else if (rgni_failback_due(&l->b.entry, &l->b.options) <= l->now)
        bench_expire(&l->b, false, l->now);
}

/* Everything goes wrong in every way: failures anywhere, canaries that fail, hang for long or are cancelled. */
static void mess_step(life *l)
{
    uint64_t *r = &l->random;
    rgn_region region = (rgn_region)pick(r, l->b.topology.read_order.count);
    rgn_direction direction = pick(r, 4) == 0 && l->b.topology.multi_write ? RGN_WRITE : RGN_READ;
    l->now += STEP_MS * RGN_NS_PER_MS;
    l->steps++;
    l->b.drawn = next_random(r) % 100;
    background(l);
    end_due_canaries(l);
    if (pick(r, 3) == 0)
        bench_fail(&l->b, pick(r, 2) == 0 ? 0 : region, direction, l->now);
    if (pick(r, 8) == 0)
        bench_succeed(&l->b, region, direction, l->now);
    if (pick(r, 60) == 0)
        bench_hedge_wins(&l->b, region, 5, l->now);
    try_canary(l, direction, (rgn_evidence)pick(r, 4), pick(r, 5) == 0 ? 60 * S : pick(r, 20) * S / 10);
}

/* How many steps a canary may take so that recovery is certain. Where canaries in flight weigh on the ratio, a sample
 * of n successes decides surely only if those in flight are at most n * (1 - threshold) / threshold: a sample that
 * overlaps itself more may stay below its threshold for ever, however healthy the region is. */
static unsigned longest_canary(const rgn_options *o)
{
    const int64_t steps_per_s = S / (STEP_MS * RGN_NS_PER_MS);
    const int64_t sent = o->failback_eval_window / S * steps_per_s * o->failback_canary_percentage / 100 - 1;
    const int64_t sample = o->failback_decide == RGN_DECIDE_MIN_SAMPLE ? o->failback_min_sample : sent;
    int64_t in_flight = 2 * (LONGEST_STEPS - 1); /* a read and a write a step */
    if (o->failback_pending == RGN_PENDING_COMPLETED)
        return LONGEST_STEPS;
    while (sample * (1000000 - o->failback_success_threshold) < in_flight * o->failback_success_threshold)
        in_flight -= 2;
    return 1 + (unsigned)in_flight / 2;
}

/* The region is healthy: whatever starts now succeeds within 300 ms. What hung before still ends as it was to. */
static void healthy_step(life *l)
{
    unsigned longest = longest_canary(&l->b.options);
    rgn_direction direction = l->steps % 2 == 0 && l->b.topology.multi_write ? RGN_WRITE : RGN_READ;
    l->now += STEP_MS * RGN_NS_PER_MS;
    l->steps++;
    background(l);
    end_due_canaries(l);
    for (rgn_direction d = RGN_READ; d <= RGN_WRITE; d++) {
        try_canary(l, d, RGN_EVIDENCE_SUCCESS, pick(&l->random, longest) * STEP_MS * RGN_NS_PER_MS);
        end_due_canaries(l);
        if (direction == RGN_READ)
            break;
    }
}

/* What stands between a mess and the way home: an entry that only counts, or at worst a spoilt window, a recovery given
 * up for it, a dwell with its jitter and a sweep, and two clean windows. */
static rgn_dur_ns bound_of(const rgn_options *o)
{
    rgn_dur_ns dwell = o->failback_partition_unavailability_duration * 3 / 2 + TICK_STEPS * STEP_MS * RGN_NS_PER_MS;
    return o->breaker_counter_reset_window + 2 * dwell + 4 * (o->failback_eval_window + S) + 61 * S;
}

START_TEST(a_healthy_region_with_traffic_brings_any_entry_home_in_bounded_time)
{
    uint64_t seed = SEED, steps = 0, lives = 0, returns = 0, overlapping = 0;
    printf("seed %" PRIu64 "\n", SEED);
    for (; steps < STEPS_MIN; lives++) {
        life l = {.random = next_random(&seed)};
        draw_knobs(&l);
        unsigned mess = 1 + pick(&l.random, MESS_STEPS);
        for (unsigned i = 0; i < mess; i++)
            mess_step(&l);
        rgn_time_ns healthy_since = l.now;
        returns += l.b.entry.phase >= RGN_PHASE_UNHEALTHY;
        overlapping += l.b.options.failback_pending == RGN_PENDING_COUNTED && longest_canary(&l.b.options) > 1;
        while (l.b.entry.phase != RGN_PHASE_ABSENT) {
            healthy_step(&l);
            if (l.now - healthy_since > bound_of(&l.b.options))
                ck_abort_msg("life %" PRIu64 ": phase %d after %" PRId64 " s", lives, l.b.entry.phase,
                             (l.now - healthy_since) / S);
        }
        steps += l.steps;
    }
    printf("%" PRIu64 " steps, %" PRIu64 " lives, %" PRIu64 " of them away\n", steps, lives, returns);
    ck_assert_uint_gt(returns, lives / 4);
    ck_assert_uint_gt(overlapping, lives / 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("liveness");
    TCase *tc = tcase_create("liveness");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_healthy_region_with_traffic_brings_any_entry_home_in_bounded_time);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
