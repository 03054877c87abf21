/* SPDX-License-Identifier: GPL-3.0-or-later */
/* breaker.health region against a second reading of the Java client's table: one status for each region, four counts,
 * and nothing else. Random events, with clocks at a limit and one nanosecond on either side. */
#include <check.h>
#include <stdlib.h>

#include "reducer_bench.h"

/* Check's own assertions cost a write each; here there are millions. */
#define REQUIRE(claim)                                        \
    do {                                                      \
        if (!(claim))                                         \
            ck_abort_msg("seed %u: %s", now_playing, #claim); \
    } while (0)

enum { SEEDS = 300, EVENTS = 400, REGIONS = 4 };
enum { READS = 6, WRITES = 4, WAIT_S = 30 };

static unsigned now_playing;

typedef enum { HEALTHY, WITH_FAILURES, UNAVAILABLE, TENTATIVE } status;

typedef struct {
    status status;
    unsigned failures[RGN_DIRECTIONS], successes[RGN_DIRECTIONS];
    rgn_time_ns since;
} machine;

static unsigned reached[4][4];                   /* status, from and to */
static unsigned told[4][RGN_REASON_RAMP + 1][4]; /* transitions: phase, reason, phase */

static uint64_t next(uint64_t *state) /* xorshift64 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void turn(machine *m, status to, rgn_time_ns now)
{
    reached[m->status][to]++;
    *m = (machine){.status = to, .since = now};
}

static void model_fail(machine *m, rgn_direction d, rgn_time_ns now)
{
    unsigned limit = d == RGN_READ ? READS : WRITES;

    switch (m->status) {
    case HEALTHY:
        turn(m, WITH_FAILURES, now);
        m->failures[d] = 1;
        break;
    case WITH_FAILURES:
        if (m->failures[d] + 1 < limit)
            m->failures[d]++;
        else
            turn(m, UNAVAILABLE, now);
        break;
    case UNAVAILABLE:
        break;
    case TENTATIVE:
        if (m->failures[d] + 1 < limit / 2) {
            m->failures[d]++;
            m->successes[d] = 0;
        } else {
            turn(m, UNAVAILABLE, now);
        }
        break;
    }
}

static void model_succeed(machine *m, rgn_direction d, rgn_time_ns now)
{
    unsigned needed = d == RGN_READ ? READS : WRITES;

    switch (m->status) {
    case HEALTHY:
        break;
    case WITH_FAILURES:
        m->failures[d] = 0;
        break;
    case UNAVAILABLE:
        if (now - m->since > WAIT_S * S)
            turn(m, TENTATIVE, now);
        break;
    case TENTATIVE:
        if (m->successes[d] + 1 < needed)
            m->successes[d]++;
        else
            turn(m, HEALTHY, now);
        break;
    }
}

static void model_connect(machine *m, rgn_time_ns now)
{
    if (m->status == UNAVAILABLE)
        turn(m, TENTATIVE, now);
}

/* The record of a partition none of whose regions is left is dropped. */
static void drop_if_exhausted(machine m[REGIONS])
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (m[i].status != UNAVAILABLE)
            return;
    memset(m, 0, REGIONS * sizeof *m);
}

static bool is_known(const machine m[REGIONS])
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (m[i].status >= UNAVAILABLE || m[i].failures[0] > 0 || m[i].failures[1] > 0)
            return true;
    return false;
}

static void compare_region(const bench *b, const machine *m, unsigned region)
{
    const rgn_region_health *h = &b->health.region[region];

    REQUIRE((b->health.unavailable >> region & 1) == (m->status == UNAVAILABLE));
    REQUIRE((b->health.on_trial >> region & 1) == (m->status == TENTATIVE));
    if (m->status == UNAVAILABLE)
        REQUIRE((h->since) == (m->since));
    for (unsigned d = 0; d < RGN_DIRECTIONS; d++) {
        REQUIRE((h->failures[d]) == (m->failures[d]));
        REQUIRE((h->successes[d]) == (m->successes[d]));
    }
}

static void compare(const bench *b, const machine m[REGIONS])
{
    REQUIRE((b->entry.phase != RGN_PHASE_ABSENT) == (is_known(m)));
    if (b->entry.phase == RGN_PHASE_ABSENT)
        return;
    for (unsigned region = 0; region < REGIONS; region++)
        compare_region(b, &m[region], region);
    REQUIRE((b->entry.failed) == (b->health.unavailable));
    for (unsigned i = 1; i < b->entry.failed_count; i++)
        REQUIRE(m[b->entry.failed_order[i - 1]].since <= m[b->entry.failed_order[i]].since);
}

/* Half of the steps stay at one instant, some go to the end of a region's wait or a nanosecond off it. */
static rgn_time_ns step(uint64_t *random, const machine m[REGIONS], rgn_time_ns now)
{
    rgn_time_ns edge = m[next(random) % REGIONS].since + WAIT_S * S + (rgn_time_ns)(next(random) % 3) - 1;

    switch (next(random) % 4) {
    case 0:
        return edge > now ? edge : now;
    case 1:
        return now + (rgn_time_ns)(next(random) % (5 * S));
    default:
        return now;
    }
}

static void set_up(bench *b)
{
    bench_init(b, REGIONS);
    b->options.breaker_health = RGN_HEALTH_REGION;
    b->options.breaker_rule = RGN_RULE_CONSECUTIVE;
    b->options.failback_strategy = RGN_STRATEGY_TENTATIVE;
    b->options.failback_promote_on = RGN_PROMOTE_ON_CONNECTION;
    b->options.failback_partition_unavailability_duration = 0;
    b->options.failback_request_recovery = WAIT_S * S;
    b->options.breaker_read_failure_threshold = READS;
    b->options.breaker_write_failure_threshold = WRITES;
}

static void play(unsigned seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    machine m[REGIONS] = {0};
    rgn_time_ns now = S;
    bench b;

    set_up(&b);
    for (unsigned i = 0; i < EVENTS; i++) {
        rgn_region region = (rgn_region)(next(&random) % REGIONS);
        rgn_direction d = next(&random) % 3 == 0 ? RGN_WRITE : RGN_READ;
        uint64_t kind = next(&random) % 20;
        now = step(&random, m, now);
        /* Which half of a run fails differs by seed and region. */
        if (kind == 0) {
            model_connect(&m[region], now);
            BENCH_CALL(&b, now,
                       rgni_failback_on_connection(&b.entry, NULL, scene, region, b.entry.generation, &b.story));
        } else if (kind < (next(&random) % 2 == 0 ? 16U : 4U + (seed + region + i / 50) % 16)) {
            model_fail(&m[region], d, now);
            drop_if_exhausted(m);
            bench_fail(&b, region, d, now);
        } else {
            model_succeed(&m[region], d, now);
            bench_succeed(&b, region, d, now);
        }
        for (unsigned j = 0; j < b.story.count; j++)
            told[b.story.transition[j].phase_before][b.story.transition[j].reason][b.story.transition[j].phase_after]++;
        if (b.entry.phase == RGN_PHASE_ABSENT)
            memset(&b.health, 0xff, sizeof b.health); /* nobody reads what an absent entry has left */
        compare(&b, m);
        if (!is_known(m))
            memset(m, 0, sizeof m); /* healthy, with failures or without: the same */
    }
}

START_TEST(every_region_follows_the_table)
{
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        now_playing = seed;
        play(seed);
    }
    ck_assert_uint_gt(reached[WITH_FAILURES][UNAVAILABLE], 100);
    ck_assert_uint_gt(reached[UNAVAILABLE][TENTATIVE], 100);
    ck_assert_uint_gt(reached[TENTATIVE][UNAVAILABLE], 100);
    ck_assert_uint_gt(reached[TENTATIVE][HEALTHY], 20);
    ck_assert_uint_gt(told[RGN_PHASE_UNHEALTHY][RGN_REASON_PROMOTE][RGN_PHASE_UNHEALTHY], 0);
    ck_assert_uint_gt(told[RGN_PHASE_UNHEALTHY][RGN_REASON_PROMOTE_REQUEST][RGN_PHASE_UNHEALTHY], 0);
    ck_assert_uint_gt(told[RGN_PHASE_UNHEALTHY][RGN_REASON_FAILBACK_TENTATIVE][RGN_PHASE_UNHEALTHY], 0);
    ck_assert_uint_gt(told[RGN_PHASE_RECOVERING][RGN_REASON_FAILBACK_TENTATIVE][RGN_PHASE_RECOVERING], 0);
    ck_assert_uint_gt(told[RGN_PHASE_RECOVERING][RGN_REASON_FAILBACK_TENTATIVE][RGN_PHASE_COUNTING], 0);
}
END_TEST

/* One event at region 0, or a success elsewhere; the same for both. */
static void one_of_two(bench *b, uint64_t kind, rgn_direction d, rgn_time_ns now)
{
    if (kind == 0)
        BENCH_CALL(b, now, rgni_failback_on_connection(&b->entry, NULL, scene, 0, b->entry.generation, &b->story));
    else if (kind == 1)
        bench_succeed(b, 1, d, now);
    else if (kind < 12)
        bench_fail(b, 0, d, now);
    else
        bench_succeed(b, 0, d, now);
}

static void tell_the_same(const bench *a, const bench *b)
{
    REQUIRE(a->story.count == b->story.count);
    for (unsigned i = 0; i < a->story.count; i++) {
        REQUIRE(a->story.transition[i].reason == b->story.transition[i].reason);
        REQUIRE(a->story.transition[i].failures == b->story.transition[i].failures);
        REQUIRE(a->story.transition[i].threshold == b->story.transition[i].threshold);
        REQUIRE(a->story.transition[i].elapsed == b->story.transition[i].elapsed);
    }
    REQUIRE(a->entry.phase == b->entry.phase);
    REQUIRE(a->entry.tripped == b->entry.tripped);
    REQUIRE(a->entry.failed == b->entry.failed);
    REQUIRE(a->entry.first_failed == b->entry.first_failed);
    REQUIRE(a->entry.current == b->entry.current);
    REQUIRE(a->entry.trip_time == b->entry.trip_time);
    REQUIRE(a->entry.recovering_since == b->entry.recovering_since);
}

/* While one region alone fails, a partition's one health and its regions' own are the same. */
START_TEST(with_one_region_failing_both_kinds_of_health_are_one)
{
    unsigned stories = 0;

    for (now_playing = 1; now_playing <= SEEDS; now_playing++) {
        uint64_t random = now_playing * UINT64_C(0x9e3779b97f4a7c15) + 1;
        rgn_time_ns now = S;
        bench regions, partition;
        set_up(&regions);
        partition = regions;
        partition.options.breaker_health = RGN_HEALTH_PARTITION;
        partition.options.breaker_trip_scope = RGN_TRIP_PARTITION;
        partition.options.breaker_counter_reset_window = INT64_MAX - 1;
        partition.options.failback_dwell_from = RGN_DWELL_TRIP;
        for (unsigned i = 0; i < EVENTS; i++) {
            uint64_t kind = next(&random) % 20;
            rgn_direction d = next(&random) % 3 == 0 ? RGN_WRITE : RGN_READ;
            now += next(&random) % 8 == 0 ? (rgn_time_ns)(next(&random) % (40 * S)) : 0;
            one_of_two(&regions, kind, d, now);
            one_of_two(&partition, kind, d, now);
            tell_the_same(&regions, &partition);
            stories += regions.story.count;
        }
    }
    ck_assert_uint_gt(stories, SEEDS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("health_random");
    TCase *tc = tcase_create("health_random");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, every_region_follows_the_table);
    tcase_add_test(tc, with_one_region_failing_both_kinds_of_health_are_one);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
