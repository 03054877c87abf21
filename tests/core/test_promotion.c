/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include <check.h>

#include "reducer_bench.h"

#define COUNT(cases) (int)(sizeof(cases) / sizeof((cases)[0]))

/* --- promotion -------------------------------------------------------------------------------------------------- */

static const struct {
    int64_t promote;
    int64_t dwell_from;
    rgn_time_ns due; /* first failure at 0, trip at 2 s, last failure at 3 s, dwell 5 s, jitter 1 s */
} promotion_cases[] = {
    {RGN_PROMOTE_SWEEP, RGN_DWELL_FIRST_FAILURE, 6 * S},
    {RGN_PROMOTE_SWEEP, RGN_DWELL_TRIP, 8 * S},
    {RGN_PROMOTE_SWEEP, RGN_DWELL_LAST_FAILURE, 9 * S},
    {RGN_PROMOTE_DUE, RGN_DWELL_FIRST_FAILURE, 6 * S},
    {RGN_PROMOTE_DUE, RGN_DWELL_TRIP, 8 * S},
    {RGN_PROMOTE_DUE, RGN_DWELL_LAST_FAILURE, 9 * S},
};

static void bench_trip_slowly(bench *b, int index)
{
    bench_init(b, 3);
    b->options.failback_promote = promotion_cases[index].promote;
    b->options.failback_dwell_from = promotion_cases[index].dwell_from;
    b->drawn = (uint64_t)S;
    bench_fail(b, 0, RGN_READ, 0);
    bench_fail(b, 0, RGN_READ, 1 * S);
    bench_fail(b, 0, RGN_READ, 2 * S);
    bench_fail(b, 0, RGN_READ, 3 * S);
}

START_TEST(recovery_begins_when_dwell_and_jitter_are_over_not_a_nanosecond_before)
{
    rgn_time_ns due = promotion_cases[_i].due;
    bench b;
    bench_trip_slowly(&b, _i);
    ck_assert_int_eq(rgni_failback_due(&b.entry, &b.options), due);
    bench_expire(&b, true, due - 1);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    for (int offset = 0; offset <= 1; offset++) {
        bench again = b;
        bench_expire(&again, true, due + offset);
        ck_assert_int_eq(again.entry.phase, RGN_PHASE_RECOVERING);
        ck_assert_int_eq(again.why, RGN_REASON_PROMOTE);
        ck_assert_int_eq(again.entry.recovering_since, due + offset);
        ck_assert_int_eq(again.entry.window_start, due + offset);
        ck_assert_uint_eq(again.entry.canary_total, 0);
        ck_assert_int_eq(rgni_failback_due(&again.entry, &again.options), RGN_TIME_NEVER);
        bench_expire(&again, true, due + offset + 1);
        ck_assert_uint_eq(again.story.count, 0);
    }
}
END_TEST

START_TEST(only_promote_due_promotes_between_ticks)
{
    bench b;
    bench_trip_slowly(&b, _i);
    bench_expire(&b, false, promotion_cases[_i].due - 1);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    bench_expire(&b, false, promotion_cases[_i].due);
    bool is_due = promotion_cases[_i].promote == RGN_PROMOTE_DUE;
    ck_assert_int_eq(b.entry.phase, is_due ? RGN_PHASE_RECOVERING : RGN_PHASE_UNHEALTHY);
}
END_TEST

START_TEST(a_due_expiry_only_promotes)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_promote = RGN_PROMOTE_DUE;
    bench_fail(&b, 0, RGN_READ, 0);
    bench_expire(&b, false, 301 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
    bench_fail_times(&b, 3, 0, RGN_READ, 301 * S);
    bench_expire(&b, false, 306 * S);
    bench_expire(&b, false, 400 * S);
    ck_assert_int_eq(b.why, RGN_REASON_PROMOTE);
    bench_expire(&b, true, 400 * S);
    ck_assert_int_eq(b.why, RGN_REASON_WINDOW_RESTART);
}
END_TEST

START_TEST(jitter_is_drawn_below_half_the_dwell)
{
    bench b;
    bench_init(&b, 3);
    b.drawn = UINT64_MAX;
    bench_fail(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.jitter, 2500000000 - 1);
    bench_init(&b, 3);
    b.drawn = UINT64_MAX;
    b.options.failback_partition_unavailability_duration = _i; /* a half of zero leaves nothing to draw from */
    bench_fail(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.jitter, 0);
}
END_TEST

START_TEST(kept_untripped_entries_are_promoted_and_can_still_trip)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_untripped_entries = RGN_UNTRIPPED_KEEP;
    b.options.failback_dwell_from = RGN_DWELL_TRIP;
    bench_fail(&b, 0, RGN_READ, 0);
    bench_expire(&b, true, 5 * S - 1);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
    bench_expire(&b, true, 5 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    bench_expire(&b, true, 500 * S);
    ck_assert_uint_eq(b.story.count, 0);
    bench_fail_times(&b, 3, 0, RGN_READ, 501 * S);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(b.entry.recovering_since, RGN_TIME_NEVER);
}
END_TEST

/* --- the sampler ------------------------------------------------------------------------------------------------ */

START_TEST(exactly_the_percentage_of_any_hundred_operations_are_canaries)
{
    enum { OPERATIONS = 350 };
    bool is_canary[OPERATIONS];
    const unsigned phases[] = {0, 1, 37, 99};
    for (unsigned p = 0; p < 4; p++) {
        bench b;
        bench_init(&b, 3);
        b.options.failback_canary_percentage = _i;
        b.options.failback_eval_window = 100 * RGN_NS_PER_MS;
        b.drawn = phases[p];
        bench_recover(&b, 100 * S);
        for (unsigned i = 0; i < OPERATIONS; i++) {
            rgni_ticket ticket;
            is_canary[i] = bench_admit(&b, RGN_READ, 100 * S + i * RGN_NS_PER_MS, &ticket);
        }
        ck_assert_uint_gt(b.entry.window_id, 0);
        for (unsigned from = 0; from + 100 <= OPERATIONS; from++) {
            int canaries = 0;
            for (unsigned i = from; i < from + 100; i++)
                canaries += is_canary[i];
            ck_assert_int_eq(canaries, _i);
        }
    }
}
END_TEST

START_TEST(the_hash_sampler_takes_the_percentage_of_the_hash_range)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_sampler = RGN_SAMPLER_HASH;
    b.options.failback_canary_percentage = 25;
    bench_recover(&b, 10 * S);
    const uint32_t hashes[] = {0, UINT32_MAX / 4, UINT32_MAX / 4 + 1, UINT32_MAX};
    for (unsigned i = 0; i < 4; i++) {
        bool is_canary;
        rgni_ticket ticket;
        BENCH_CALL(&b, 10 * S,
                   is_canary = rgni_failback_admit(&b.entry, NULL, scene, RGN_READ, hashes[i], &ticket, &b.story));
        ck_assert_int_eq(is_canary, i < 2);
    }
    ck_assert_int_eq(b.entry.sampler, 0);
}
END_TEST

START_TEST(writes_of_single_write_accounts_are_no_canaries_and_do_not_tick)
{
    rgni_ticket ticket;
    bench b;
    bench_init(&b, 3);
    b.options.failback_canary_percentage = 60;
    bench_recover(&b, 10 * S);
    bench_fail_times(&b, 2, 0, RGN_WRITE, 10 * S);
    ck_assert_int_eq(b.entry.tripped, 3);
    b.topology.multi_write = false;
    uint8_t before = b.entry.sampler;
    for (unsigned i = 0; i < 10; i++)
        ck_assert(!bench_admit(&b, RGN_WRITE, 10 * S, &ticket));
    ck_assert_int_eq(b.entry.sampler, before);
    b.topology.multi_write = true;
    ck_assert(!bench_admit(&b, RGN_WRITE, 10 * S, &ticket));
    ck_assert(bench_admit(&b, RGN_WRITE, 10 * S, &ticket));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("promotion");
    TCase *tc = tcase_create("promotion");
    int promotions = COUNT(promotion_cases);
    tcase_add_loop_test(tc, recovery_begins_when_dwell_and_jitter_are_over_not_a_nanosecond_before, 0, promotions);
    tcase_add_loop_test(tc, only_promote_due_promotes_between_ticks, 0, promotions);
    tcase_add_test(tc, a_due_expiry_only_promotes);
    tcase_add_loop_test(tc, jitter_is_drawn_below_half_the_dwell, 0, 2);
    tcase_add_test(tc, kept_untripped_entries_are_promoted_and_can_still_trip);
    tcase_add_loop_test(tc, exactly_the_percentage_of_any_hundred_operations_are_canaries, 1, 101);
    tcase_add_test(tc, the_hash_sampler_takes_the_percentage_of_the_hash_range);
    tcase_add_test(tc, writes_of_single_write_accounts_are_no_canaries_and_do_not_tick);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
