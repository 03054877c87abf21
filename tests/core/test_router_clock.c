/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core_fixture.h"
#include "entry.h"

static fixture f;

/* Grid: start + k * 10 s. An entry made at `at` is first looked at by the tick after that instant. */
START_TEST(ticks_keep_to_the_grid)
{
    static const struct {
        rgn_time_ns start, at, expected;
    } rows[] = {
        {0, 0, S(10)},         {0, 1, S(10)},          {0, S(10) - 1, S(10)},   {0, S(10), S(20)},
        {0, S(10) + 1, S(20)}, {S(-3), 0, S(7)},       {S(-3), S(7) - 1, S(7)}, {S(-3), S(7), S(17)},
        {S(-10), 0, S(10)},    {S(-300), S(1), S(10)}, {S(5), S(1), S(15)}, /* before the start: the grid's first tick
                                                                               is k = 1 */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture_init(&f, true);
        f.config.start = rows[i].start;
        f.config.options.failback_sweep_interval = S(10);
        fixture_start(&f);
        ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
        rgn_router_record_failure(f.router, 0, 0, RGN_READ, rows[i].at);
        ck_assert_msg(rgn_router_next_expiry(f.router) == rows[i].expected, "row %zu", i);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(a_tick_is_done_once_and_those_without_entries_are_skipped)
{
    fixture_init(&f, true);
    f.config.options.failback_sweep_interval = S(10);
    f.config.options.breaker_counter_reset_window = S(15);
    fixture_start(&f);
    rgn_router_record_failure(f.router, 0, 0, RGN_READ, S(1));
    rgn_router_on_expiry(f.router, S(10) - 1, NULL, 0); /* too early: nothing */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(10));
    rgn_router_on_expiry(f.router, S(10), NULL, 0);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(20));
    rgn_router_on_expiry(f.router, S(10), NULL, 0); /* again in the same instant */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(20));
    ck_assert_uint_eq(f.transition_count, 1);
    rgn_router_on_expiry(f.router, S(20), NULL, 0); /* 19 s old: stale, dropped */
    ck_assert_uint_eq(f.transitions[1].reason, RGN_REASON_STALE);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    rgn_router_record_failure(f.router, 0, 0, RGN_READ, S(77)); /* 30 to 70 were skipped */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(80));
    rgn_router_on_expiry(f.router, S(134), NULL, 0); /* a late caller: one tick, not six */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    ck_assert_uint_eq(f.transition_count, 4);
    fixture_stop(&f);
}
END_TEST

/* Dwell 5 s, jitter 0, tripped at 2 s with the first failure: due at 7 s. */
START_TEST(sweep_promotes_at_the_first_tick_at_or_after_due)
{
    static const struct {
        rgn_time_ns tick;
        bool is_promoted;
    } rows[] = {{S(7) - 1, false}, {S(7), true}, {S(7) + 1, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture_init(&f, true);
        f.config.start = rows[i].tick - S(10);
        f.config.options.failback_sweep_interval = S(10);
        fixture_start(&f);
        fixture_trip(&f, 0, RGN_READ, S(2));
        ck_assert_int_eq(rgn_router_next_expiry(f.router), rows[i].tick);
        rgn_router_on_expiry(f.router, rows[i].tick, NULL, 0);
        ck_assert_int_eq(fixture_entry(&f, 0).phase == RGN_PHASE_RECOVERING, rows[i].is_promoted);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(due_promotes_exactly_then_and_ticks_go_on)
{
    fixture_init(&f, true);
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_sweep_interval = S(10);
    fixture_start(&f);
    rgn_router_record_failure(f.router, 1, 0, RGN_READ, S(1)); /* counts only: no due time */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(10));
    fixture_trip(&f, 0, RGN_READ, S(2));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(7));
    rgn_router_on_expiry(f.router, S(7) - 1, NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
    rgn_router_on_expiry(f.router, S(7), NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
    ck_assert_int_eq(fixture_entry(&f, 0).recovering_since, S(7));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(10));
    fixture_stop(&f);
}
END_TEST

/* The first failure is 9 s old when the partition trips: its dwell is over. Tick at 12 s. */
START_TEST(a_trip_after_its_due_time_waits_for_the_tick_or_is_promoted_at_once)
{
    for (int64_t promote = RGN_PROMOTE_SWEEP; promote <= RGN_PROMOTE_DUE; promote++) {
        fixture_init(&f, true);
        f.config.start = S(2);
        f.config.options.failback_sweep_interval = S(10);
        f.config.options.failback_promote = promote;
        fixture_start(&f);
        rgn_router_record_failure(f.router, 0, 0, RGN_READ, S(2));
        for (int i = 1; i < 10; i++)
            rgn_router_record_failure(f.router, 0, 0, RGN_READ, S(11));
        ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
        ck_assert_int_eq(rgn_router_next_expiry(f.router), promote == RGN_PROMOTE_DUE ? S(7) : S(12));
        rgn_router_on_expiry(f.router, S(11), NULL, 0);
        ck_assert_int_eq(fixture_entry(&f, 0).phase,
                         promote == RGN_PROMOTE_DUE ? RGN_PHASE_RECOVERING : RGN_PHASE_UNHEALTHY);
        rgn_router_on_expiry(f.router, S(12), NULL, 0);
        ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(a_tick_looks_at_partitions_in_their_order)
{
    static const rgn_partition order[] = {41, 3, 63, 0, 17, 8};
    rgn_partition last = 0;
    unsigned before;

    for (uint32_t stripes = 1; stripes <= 16; stripes *= 4) {
        fixture_init(&f, true);
        f.config.lock_stripes = stripes;
        f.config.options.failback_sweep_interval = S(10);
        fixture_start(&f);
        for (size_t i = 0; i < 6; i++)
            fixture_trip(&f, order[i], RGN_READ, S(1));
        before = f.transition_count;
        rgn_router_on_expiry(f.router, S(10), NULL, 0);
        ck_assert_uint_eq(f.transition_count, before + 6);
        for (unsigned i = before; i < f.transition_count; i++) {
            ck_assert_uint_eq(f.transitions[i].reason, RGN_REASON_PROMOTE);
            ck_assert(i == before || f.transitions[i].partition > last);
            last = f.transitions[i].partition;
        }
        fixture_stop(&f);
    }
}
END_TEST

/* Due at 6, 7, 7 and 8 s; one late call promotes by (due, partition), whatever the stripes. */
START_TEST(late_due_promotions_come_in_order_of_due_and_partition)
{
    static const rgn_partition trips[] = {9, 30, 12, 2}, expected[] = {9, 12, 30, 2};
    static const rgn_time_ns at[] = {S(1), S(2), S(2), S(3)};

    for (uint32_t stripes = 1; stripes <= 16; stripes *= 4) {
        unsigned before;
        fixture_init(&f, true);
        f.config.lock_stripes = stripes;
        f.config.options.failback_promote = RGN_PROMOTE_DUE;
        fixture_start(&f);
        for (size_t i = 0; i < 4; i++)
            fixture_trip(&f, trips[i], RGN_READ, at[i]);
        before = f.transition_count;
        rgn_router_on_expiry(f.router, S(9), NULL, 0);
        ck_assert_uint_eq(f.transition_count, before + 4);
        for (size_t i = 0; i < 4; i++)
            ck_assert_uint_eq(f.transitions[before + i].partition, expected[i]);
        ck_assert_int_eq(rgn_router_next_expiry(f.router), S(300));
        fixture_stop(&f);
    }
}
END_TEST

/* --- a random life ----------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* The next expiry as a search through all entries would find it. */
static rgn_time_ns searched_expiry(rgn_time_ns last_tick)
{
    rgn_time_ns due = RGN_TIME_NEVER;
    bool any = false;

    for (rgn_partition p = 0; p < f.config.partition_count; p++) {
        rgn_entry entry;
        if (!rgn_router_inspect(f.router, p, &entry))
            continue;
        any = true;
        if (f.config.options.failback_promote == RGN_PROMOTE_DUE)
            due = rgn_time_min(due, rgni_failback_due(&entry, &f.config.options));
    }
    return any ? rgn_time_min(due, (last_tick / S(10) + 1) * S(10)) : RGN_TIME_NEVER;
}

START_TEST(the_cached_expiry_is_the_one_a_search_finds)
{
    const uint64_t seed = 20261129;

    for (int variant = 0; variant < 8; variant++) {
        uint64_t state = seed + (uint64_t)variant;
        rgn_time_ns now = 0;

        fixture_init(&f, true);
        f.config.partition_count = 300;
        f.config.lock_stripes = (variant & 1) != 0 ? 8 : 1;
        f.config.options.failback_promote = variant >> 1 & 1;
        f.config.options.failback_dwell_from = (variant & 4) != 0 ? RGN_DWELL_LAST_FAILURE : RGN_DWELL_FIRST_FAILURE;
        f.config.options.failback_sweep_interval = S(10);
        f.config.options.breaker_read_failure_threshold = 2;
        f.config.options.breaker_counter_reset_window = S(4);
        f.config.options.failback_canary_percentage = 50;
        fixture_start(&f);
        for (int step = 0; step < 6000; step++) {
            rgn_partition p = (rgn_partition)(next_random(&state) % 300);
            now += (rgn_time_ns)(next_random(&state) % MS(40));
            f.draw = next_random(&state) % S(3);
            while (rgn_router_next_expiry(f.router) <= now)
                rgn_router_on_expiry(f.router, now, NULL, 0);
            rgn_router_record_failure(f.router, p, (rgn_region)(next_random(&state) % 3), RGN_READ, now);
            if (next_random(&state) % 1500 == 0) {
                rgn_router_set_breaker_enabled(f.router, false, now);
                rgn_router_set_breaker_enabled(f.router, true, now);
            }
            ck_assert_msg(rgn_router_next_expiry(f.router) == searched_expiry(now), "seed %llu variant %d step %d",
                          (unsigned long long)seed, variant, step);
        }
        ck_assert_uint_gt(f.transition_count, 1000);
        fixture_stop(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("router_clock");
    TCase *tc = tcase_create("router_clock");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, ticks_keep_to_the_grid);
    tcase_add_test(tc, a_tick_is_done_once_and_those_without_entries_are_skipped);
    tcase_add_test(tc, sweep_promotes_at_the_first_tick_at_or_after_due);
    tcase_add_test(tc, due_promotes_exactly_then_and_ticks_go_on);
    tcase_add_test(tc, a_trip_after_its_due_time_waits_for_the_tick_or_is_promoted_at_once);
    tcase_add_test(tc, a_tick_looks_at_partitions_in_their_order);
    tcase_add_test(tc, late_due_promotions_come_in_order_of_due_and_partition);
    tcase_add_test(tc, the_cached_expiry_is_the_one_a_search_finds);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
