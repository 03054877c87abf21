/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include <check.h>

#include "reducer_bench.h"

/* --- thresholds and windows ------------------------------------------------------------------------------------- */

static const struct {
    rgn_direction direction;
    int64_t threshold;
} threshold_cases[] = {{RGN_READ, 1}, {RGN_READ, 2}, {RGN_READ, 10}, {RGN_WRITE, 1}, {RGN_WRITE, 2}, {RGN_WRITE, 5}};

START_TEST(a_direction_trips_at_its_threshold_not_before)
{
    rgn_direction direction = threshold_cases[_i].direction;
    int64_t threshold = threshold_cases[_i].threshold;
    bench b;
    bench_init(&b, 3);
    b.options.breaker_read_failure_threshold = direction == RGN_READ ? threshold : 1000;
    b.options.breaker_write_failure_threshold = direction == RGN_WRITE ? threshold : 1000;
    bench_fail_times(&b, (unsigned)threshold - 1, 0, direction, 0);
    ck_assert_int_eq(b.entry.tripped, 0);
    bench_fail(&b, 0, direction, 0);
    ck_assert_int_eq(b.entry.tripped, 1 << direction);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP);
    ck_assert_int_eq(b.entry.first_failed, 0);
    ck_assert_int_eq(b.entry.current, 1);
    bench_fail(&b, 0, direction, 1);
    ck_assert_uint_eq(b.entry.counts.failures[0][direction], (uint32_t)threshold);
    ck_assert_int_eq(b.entry.last_failure, 1);
    ck_assert_int_eq(b.entry.trip_time, 0);
}
END_TEST

START_TEST(the_other_direction_does_not_trip_with_it)
{
    bench b;
    bench_init(&b, 3);
    bench_fail(&b, 0, RGN_WRITE, 0);
    bench_fail_times(&b, 2, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.tripped, 0);
    bench_fail(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.tripped, 1 << RGN_READ);
    bench_fail(&b, 0, RGN_WRITE, 5);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP_ALSO);
    ck_assert_int_eq(b.entry.tripped, 3);
    ck_assert_int_eq(b.entry.trip_time, 0);
    ck_assert_int_eq(b.entry.first_failure, 0);
}
END_TEST

static const struct {
    int64_t offset;
    bool trips;
} window_cases[] = {{-1, true}, {0, true}, {1, false}};

START_TEST(counts_are_cleared_strictly_after_the_reset_window)
{
    bench b;
    bench_init(&b, 3);
    bench_fail(&b, 0, RGN_READ, 0);
    bench_fail(&b, 0, RGN_READ, 100 * S);
    bench_fail(&b, 0, RGN_READ, 400 * S + window_cases[_i].offset);
    ck_assert_int_eq(b.entry.tripped != 0, window_cases[_i].trips);
    ck_assert_uint_eq(b.entry.counts.failures[0][RGN_READ], window_cases[_i].trips ? 3 : 1);
    ck_assert_int_eq(b.entry.first_failure, 0);
}
END_TEST

START_TEST(an_untripped_entry_is_stale_strictly_after_the_reset_window)
{
    bench b;
    bench_init(&b, 3);
    bench_fail(&b, 0, RGN_READ, 0);
    bench_expire(&b, true, 300 * S + window_cases[_i].offset);
    ck_assert_int_eq(b.entry.phase == RGN_PHASE_COUNTING, window_cases[_i].trips);
    ck_assert_int_eq(b.story.count, window_cases[_i].trips ? 0 : 1);
    if (b.story.count == 1) {
        ck_assert_int_eq(b.why, RGN_REASON_STALE);
        ck_assert_int_eq(b.story.transition[0].threshold, 300 * S);
        ck_assert_int_eq(b.story.transition[0].elapsed, 300 * S + 1);
    }
}
END_TEST

START_TEST(untripped_entries_keep_stays_however_old)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_untripped_entries = RGN_UNTRIPPED_KEEP;
    b.options.failback_partition_unavailability_duration = RGN_DUR_MAX_;
    bench_fail(&b, 0, RGN_READ, 0);
    bench_expire(&b, true, 1000 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
}
END_TEST

START_TEST(a_failure_at_an_unknown_region_changes_nothing)
{
    bench b;
    bench_init(&b, 3);
    bench_fail(&b, 5, RGN_READ, 0);
    bench_fail(&b, RGN_REGION_NONE, RGN_READ, 0);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(b.draws, 0);
}
END_TEST

START_TEST(counters_saturate)
{
    bench b;
    bench_init(&b, 4);
    b.options.breaker_alternate_failures = RGN_COUNT_MAX_;
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail(&b, 2, RGN_READ, 0);
    b.entry.counts.failures[1][RGN_READ] = UINT32_MAX;
    b.entry.counts.failures[1][RGN_WRITE] = UINT32_MAX;
    bench_fail(&b, 2, RGN_READ, 0);
    ck_assert_uint_eq(b.entry.counts.failures[1][RGN_READ], UINT32_MAX);
    ck_assert(rgn_region_in(b.entry.failed, 2));
}
END_TEST

/* At the last positive number, which a hedge trip can seed, the next failure makes the driver's count negative. */
START_TEST(the_drivers_shared_count_wraps)
{
    for (uint32_t count = INT32_MAX - 2u; count <= INT32_MAX; count++) {
        bench b;
        bench_init(&b, 3);
        b.options.breaker_tally = RGN_TALLY_SHARED;
        b.options.failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
        b.options.breaker_read_failure_threshold = INT32_MAX - 1;
        bench_fail(&b, 0, RGN_READ, 0);
        b.entry.counts.failures[0][RGN_READ] = count - 1;
        bench_fail(&b, 0, RGN_READ, 0);
        ck_assert_int_eq(b.entry.tripped, count >= INT32_MAX - 1u);
        bench_fail(&b, 0, RGN_READ, 0);
        ck_assert_uint_eq(b.entry.counts.failures[0][RGN_READ], count + 1);
        ck_assert_int_eq(b.entry.tripped, count < INT32_MAX);
    }
}
END_TEST

/* --- several regions -------------------------------------------------------------------------------------------- */

START_TEST(the_region_whose_own_count_is_full_is_left)
{
    bench b;
    bench_init(&b, 3);
    bench_fail(&b, 1, RGN_READ, 0);
    bench_fail_times(&b, 3, 0, RGN_READ, 1);
    ck_assert_int_eq(b.entry.first_failed, 0);
    ck_assert_uint_eq(b.entry.failed, 1);
    ck_assert_int_eq(b.entry.current, 1);
    bench_fail(&b, 1, RGN_READ, 2);
    ck_assert_int_eq(b.why, RGN_REASON_MOVE);
    ck_assert_int_eq(b.entry.current, 2);
    ck_assert_uint_eq(b.story.transition[0].failures, 2);
    ck_assert_int_eq(b.story.transition[0].threshold, 1);
}
END_TEST

START_TEST(a_region_that_is_not_current_joins_without_a_word)
{
    bench b;
    bench_init(&b, 3);
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail(&b, 2, RGN_WRITE, 1);
    ck_assert_uint_eq(b.story.count, 0);
    ck_assert_uint_eq(b.entry.failed, 5);
    ck_assert_int_eq(b.entry.current, 1);
    bench_fail(&b, 1, RGN_READ, 2);
    ck_assert_int_eq(b.why, RGN_REASON_EXHAUSTED);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_int_eq(b.story.transition[0].tripped_after, 0);
    ck_assert_uint_eq(b.story.transition[0].failed, 7);
}
END_TEST

START_TEST(the_only_region_cannot_be_left)
{
    bench b;
    bench_init(&b, 1);
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    ck_assert_int_eq(b.why, RGN_REASON_EXHAUSTED);
    ck_assert_int_eq(b.story.transition[0].phase_before, RGN_PHASE_COUNTING);
}
END_TEST

START_TEST(an_alternate_joins_at_alternate_failures_not_before)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_alternate_failures = 3;
    b.options.breaker_write_failure_threshold = 10;
    bench_fail(&b, 1, RGN_WRITE, 0);
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail(&b, 1, RGN_READ, 0);
    ck_assert_int_eq(b.entry.current, 1);
    bench_fail(&b, 1, RGN_WRITE, 0);
    ck_assert_int_eq(b.entry.current, 2);
}
END_TEST

START_TEST(the_other_direction_trips_at_a_region_only_once_it_has_joined)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_alternate_failures = 3;
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail_times(&b, 2, 1, RGN_WRITE, 0);
    ck_assert_int_eq(b.entry.tripped, 1);
    bench_fail(&b, 1, RGN_WRITE, 0);
    ck_assert_uint_eq(b.story.count, 2);
    ck_assert_int_eq(b.story.transition[0].reason, RGN_REASON_MOVE);
    ck_assert_int_eq(b.story.transition[1].reason, RGN_REASON_TRIP_ALSO);
    ck_assert_int_eq(b.entry.tripped, 3);
    ck_assert_int_eq(b.entry.first_failed, 0);
}
END_TEST

START_TEST(a_fifth_region_takes_the_place_of_the_one_with_fewest_failures)
{
    bench b;
    bench_init(&b, 6);
    b.options.breaker_read_failure_threshold = 100;
    bench_fail_times(&b, 2, 0, RGN_READ, 0);
    bench_fail(&b, 1, RGN_READ, 0);
    bench_fail(&b, 2, RGN_READ, 0);
    bench_fail_times(&b, 3, 3, RGN_READ, 0);
    bench_fail(&b, 4, RGN_READ, 0);
    const rgn_region expected[] = {0, 2, 3, 4};
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
        ck_assert_int_eq(b.entry.counts.region[row], expected[row]);
    ck_assert_uint_eq(b.entry.counts.failures[2][RGN_READ], 3);
    ck_assert_uint_eq(b.entry.counts.failures[3][RGN_READ], 1);
}
END_TEST

START_TEST(losing_its_counts_to_a_fifth_region_does_not_untrip_a_stored_trip)
{
    bench b;
    bench_init(&b, 6);
    b.options.breaker_read_failure_threshold = 1;
    b.options.breaker_alternate_failures = 2;
    b.options.failback_failed_probe = _i == 0 ? RGN_FAILED_PROBE_RETRIP : RGN_FAILED_PROBE_UNTRIP;
    bench_fail(&b, 0, RGN_READ, 0);
    for (rgn_region region = 1; region <= 4; region++)
        bench_fail(&b, region, RGN_WRITE, 0);
    ck_assert_int_eq(b.entry.counts.region[0], 1);
    ck_assert_int_eq(b.entry.tripped, _i == 0 ? 1 : 0);
    ck_assert_int_eq(b.entry.phase, _i == 0 ? RGN_PHASE_UNHEALTHY : RGN_PHASE_COUNTING);
    ck_assert_int_eq(b.why, _i == 0 ? RGN_REASON_TRIP : RGN_REASON_UNTRIP_WINDOW);
}
END_TEST

START_TEST(the_order_of_twelve_failed_regions_is_kept_and_a_mask_of_all)
{
    bench b;
    bench_init(&b, 16);
    b.options.breaker_write_failure_threshold = 1000;
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    for (rgn_region region = 15; region >= 2; region--)
        bench_fail(&b, region, RGN_READ, 0);
    ck_assert_int_eq(b.entry.failed_count, RGN_FAILED_ORDER_MAX);
    ck_assert_int_eq(b.entry.failed_order[0], 0);
    ck_assert_int_eq(b.entry.failed_order[11], 5);
    ck_assert_uint_eq(b.entry.failed, 0xfffd);
    ck_assert_int_eq(b.entry.current, 1);
}
END_TEST

/* --- rules consecutive and share -------------------------------------------------------------------------------- */

START_TEST(consecutive_a_success_clears_its_own_region_and_direction)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_CONSECUTIVE;
    bench_fail_times(&b, 2, 0, RGN_READ, 0);
    bench_fail(&b, 0, RGN_WRITE, 0);
    bench_fail(&b, 1, RGN_READ, 0);
    bench_succeed(&b, 0, RGN_READ, 0);
    ck_assert_uint_eq(b.entry.counts.failures[0][RGN_READ], 0);
    ck_assert_uint_eq(b.entry.counts.failures[0][RGN_WRITE], 1);
    ck_assert_int_eq(b.entry.counts.region[1], 1);
    bench_succeed(&b, 0, RGN_WRITE, 0);
    ck_assert_int_eq(b.entry.counts.region[0], 1);
    ck_assert_int_eq(b.entry.counts.region[1], RGN_REGION_NONE);
    bench_succeed(&b, 1, RGN_READ, 0);
    ck_assert_int_eq(b.why, RGN_REASON_CLEARED);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
}
END_TEST

START_TEST(windowed_a_success_clears_nothing)
{
    bench b;
    bench_init(&b, 3);
    bench_fail_times(&b, 2, 0, RGN_READ, 0);
    bench_succeed(&b, 0, RGN_READ, 0);
    bench_fail(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
}
END_TEST

START_TEST(consecutive_with_kept_entries_nothing_counted_is_no_end)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_CONSECUTIVE;
    b.options.breaker_untripped_entries = RGN_UNTRIPPED_KEEP;
    bench_fail(&b, 0, RGN_READ, 0);
    bench_succeed(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
    ck_assert_int_eq(b.entry.counts.region[0], RGN_REGION_NONE);
}
END_TEST

/* Threshold 3 reads, share 75 %: one success before the third failure is just enough failures, two are too few. */
static const struct {
    unsigned successes;
    bool trips;
} share_cases[] = {{0, true}, {1, true}, {2, false}};

START_TEST(share_asks_for_a_share_of_failures_too)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_SHARE;
    b.options.breaker_failure_share = 750000;
    bench_fail(&b, 0, RGN_READ, 0);
    for (unsigned i = 0; i < share_cases[_i].successes; i++)
        bench_succeed(&b, 0, RGN_READ, 0);
    bench_succeed(&b, 0, RGN_WRITE, 0);
    bench_succeed(&b, 1, RGN_READ, 0);
    bench_fail_times(&b, 2, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.tripped != 0, share_cases[_i].trips);
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.tripped, 1);
}
END_TEST

START_TEST(share_windows_are_fixed_and_restart_at_a_counted_result)
{
    rgn_time_ns at = 300 * S + window_cases[_i].offset;
    bool is_same_window = window_cases[_i].trips;
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_SHARE;
    bench_fail(&b, 0, RGN_READ, 0);
    bench_fail(&b, 0, RGN_READ, 200 * S);
    bench_fail(&b, 0, RGN_READ, at);
    ck_assert_int_eq(b.entry.tripped, is_same_window ? 1 : 0);
    ck_assert_int_eq(b.share.window_start, is_same_window ? 0 : at);
}
END_TEST

START_TEST(share_a_success_that_restarts_the_window_is_not_counted)
{
    bool is_same_window = window_cases[_i].trips;
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_SHARE;
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail(&b, 1, RGN_READ, 200 * S);
    bench_succeed(&b, 0, RGN_READ, 300 * S + 5); /* none is counted at first failed in a tripped direction */
    ck_assert_int_eq(b.share.window_start, 0);
    bench_succeed(&b, 1, RGN_READ, 300 * S + window_cases[_i].offset);
    ck_assert_int_eq(b.share.window_start == 0, is_same_window);
    ck_assert_uint_eq(b.share.successes[1][RGN_READ], is_same_window ? 1 : 0);
    ck_assert_int_eq(b.entry.counts.region[0], is_same_window ? 0 : RGN_REGION_NONE);
    ck_assert_int_eq(b.entry.tripped, 1);
}
END_TEST

START_TEST(share_an_untripped_entry_ends_when_a_success_restarts_its_window)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_SHARE;
    bench_fail(&b, 0, RGN_READ, 0);
    bench_succeed(&b, 0, RGN_READ, 300 * S + 1);
    ck_assert_int_eq(b.why, RGN_REASON_CLEARED);
}
END_TEST

START_TEST(share_successes_leave_with_their_region)
{
    bench b;
    bench_init(&b, 6);
    b.options.breaker_rule = RGN_RULE_SHARE;
    for (rgn_region region = 0; region < 4; region++)
        bench_fail(&b, region, RGN_READ, 0);
    bench_succeed(&b, 0, RGN_READ, 0);
    bench_succeed(&b, 3, RGN_WRITE, 0);
    bench_fail(&b, 4, RGN_READ, 0);
    ck_assert_int_eq(b.entry.counts.region[0], 1);
    ck_assert_uint_eq(b.share.successes[0][RGN_READ], 0);
    ck_assert_uint_eq(b.share.successes[2][RGN_WRITE], 1);
    ck_assert_uint_eq(b.share.successes[3][RGN_WRITE], 0);
}
END_TEST

/* --- the driver's shared tally ---------------------------------------------------------------------------------- */

static void bench_init_driver(bench *b, unsigned regions)
{
    bench_init(b, regions);
    b->options.breaker_tally = RGN_TALLY_SHARED;
    b->options.breaker_untripped_entries = RGN_UNTRIPPED_KEEP;
    b->options.failback_strategy = RGN_STRATEGY_PROBE;
    b->options.failback_probe_admission = RGN_PROBE_ALL;
    b->options.failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
}

START_TEST(shared_failures_of_all_regions_add_up_and_only_current_moves)
{
    bench b;
    bench_init_driver(&b, 3);
    bench_fail(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.entry.first_failed, 0);
    ck_assert_int_eq(b.entry.current, 0);
    bench_fail(&b, 2, RGN_READ, 0);
    ck_assert_uint_eq(b.entry.failed, 0);
    bench_fail(&b, 2, RGN_READ, 0);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP);
    ck_assert_uint_eq(b.entry.failed, 4);
    ck_assert_int_eq(b.entry.current, 0);
    bench_fail(&b, 0, RGN_READ, 0);
    ck_assert_int_eq(b.why, RGN_REASON_MOVE);
    ck_assert_int_eq(b.entry.current, 1);
    bench_fail(&b, 1, RGN_READ, 0);
    ck_assert_int_eq(b.why, RGN_REASON_EXHAUSTED);
}
END_TEST

START_TEST(shared_a_late_failure_untrips_a_derived_trip_and_leaves_the_entry_dormant)
{
    bench b;
    bench_init_driver(&b, 3);
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail(&b, 0, RGN_READ, 300 * S);
    ck_assert_int_eq(b.entry.tripped, 1);
    bench_fail(&b, 1, RGN_READ, 600 * S + 1);
    ck_assert_int_eq(b.why, RGN_REASON_UNTRIP_WINDOW);
    ck_assert_int_eq(b.entry.tripped, 0);
    ck_assert_int_eq(b.entry.current, 1);
    ck_assert_uint_eq(b.entry.failed, 1);
    ck_assert_uint_eq(b.entry.counts.failures[0][RGN_READ], 1);
    bench_fail_times(&b, 2, 0, RGN_READ, 600 * S + 2);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP);
    ck_assert_int_eq(b.entry.current, 1);
}
END_TEST

START_TEST(shared_a_stored_trip_outlives_the_reset_window)
{
    bench b;
    bench_init_driver(&b, 3);
    b.options.failback_failed_probe = RGN_FAILED_PROBE_RETRIP;
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail(&b, 1, RGN_READ, 300 * S + 1);
    ck_assert_int_eq(b.entry.tripped, 1);
    ck_assert_int_eq(b.why, RGN_REASON_MOVE);
    ck_assert_int_eq(b.entry.current, 2);
}
END_TEST

START_TEST(derived_trips_lose_one_direction_at_a_time)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_CONSECUTIVE;
    b.options.failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
    bench_fail_times(&b, 3, 0, RGN_READ, 0);
    bench_fail_times(&b, 2, 0, RGN_WRITE, 0);
    ck_assert_int_eq(b.entry.tripped, 3);
    bench_succeed(&b, 0, RGN_READ, 1);
    ck_assert_int_eq(b.why, RGN_REASON_UNTRIP_WINDOW);
    ck_assert_int_eq(b.entry.tripped, 2);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    bench_succeed(&b, 0, RGN_WRITE, 1);
    ck_assert_uint_eq(b.story.count, 2);
    ck_assert_int_eq(b.story.transition[0].phase_after, RGN_PHASE_COUNTING);
    ck_assert_int_eq(b.story.transition[1].reason, RGN_REASON_CLEARED);
}
END_TEST

/* --- the state table and the reasons ---------------------------------------------------------------------------- */

START_TEST(the_state_table_holds_each_row_once_and_allows_nothing_else)
{
    size_t rows, allowed = 0;
    const rgni_state_row *table = rgni_state_table(&rows);
    for (int before = RGN_PHASE_ABSENT; before <= RGN_PHASE_RECOVERING; before++)
        for (int reason = 0; reason <= UINT8_MAX; reason++)
            for (int after = RGN_PHASE_ABSENT; after <= RGN_PHASE_RECOVERING; after++)
                allowed += rgni_state_allows((rgn_phase)before, (rgn_reason)reason, (rgn_phase)after);
    ck_assert_uint_eq(allowed, rows);
    for (size_t i = 0; i < rows; i++) {
        ck_assert(rgni_state_allows(table[i].before, table[i].reason, table[i].after));
        ck_assert_str_ne(rgn_reason_name(table[i].reason), "?");
        bool is_end = table[i].after == RGN_PHASE_ABSENT;
        bool is_birth = table[i].before == RGN_PHASE_ABSENT;
        ck_assert(is_birth || table[i].reason != RGN_REASON_CREATED);
        ck_assert(!is_birth || table[i].reason == RGN_REASON_CREATED || table[i].reason == RGN_REASON_TRIP_HEDGE);
        ck_assert(!is_end || table[i].before != RGN_PHASE_ABSENT);
    }
}
END_TEST

START_TEST(a_trip_tells_all_its_numbers)
{
    bench b;
    bench_init(&b, 3);
    b.drawn = 12345;
    bench_fail_times(&b, 3, 1, RGN_READ, 4 * S);
    const rgn_transition *t = &b.story.transition[0];
    ck_assert_uint_eq(b.story.count, 1);
    ck_assert_int_eq(t->at, 4 * S);
    ck_assert_uint_eq(t->partition, 7);
    ck_assert_int_eq(t->reason, RGN_REASON_TRIP);
    ck_assert_int_eq(t->direction, RGN_READ);
    ck_assert_int_eq(t->phase_before, RGN_PHASE_COUNTING);
    ck_assert_int_eq(t->phase_after, RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(t->tripped_before, 0);
    ck_assert_int_eq(t->tripped_after, 1);
    ck_assert_int_eq(t->region, 1);
    ck_assert_int_eq(t->first_failed, 1);
    ck_assert_int_eq(t->current, 0);
    ck_assert_int_eq(t->cause, RGN_CAUSE_FAILURES);
    ck_assert_uint_eq(t->failed, 2);
    ck_assert_uint_eq(t->generation, 1);
    ck_assert_uint_eq(t->failures, 3);
    ck_assert_int_eq(t->threshold, 3);
    ck_assert_int_eq(t->jitter, 12345);
}
END_TEST

START_TEST(every_reason_has_a_name_and_a_sentence_of_its_own)
{
    const rgn_reason all[] = {
#define REASON_ID(identifier, number, name, sentence) RGN_REASON_##identifier,
        RGN_REASONS(REASON_ID)
#undef REASON_ID
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ck_assert_str_ne(rgn_reason_name(all[i]), "?");
        ck_assert_str_ne(rgn_reason_sentence(all[i]), "?");
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(rgn_reason_name(all[i]), rgn_reason_name(all[j]));
            ck_assert_str_ne(rgn_reason_sentence(all[i]), rgn_reason_sentence(all[j]));
        }
    }
    ck_assert_str_eq(rgn_reason_name((rgn_reason)250), "?");
    ck_assert_str_eq(rgn_reason_sentence((rgn_reason)250), "?");
}
END_TEST

#define COUNT(cases) (int)(sizeof(cases) / sizeof((cases)[0]))

int main(void)
{
    Suite *suite = suite_create("breaker");
    TCase *tc = tcase_create("breaker");
    tcase_add_loop_test(tc, a_direction_trips_at_its_threshold_not_before, 0, COUNT(threshold_cases));
    tcase_add_test(tc, the_other_direction_does_not_trip_with_it);
    tcase_add_loop_test(tc, counts_are_cleared_strictly_after_the_reset_window, 0, COUNT(window_cases));
    tcase_add_loop_test(tc, an_untripped_entry_is_stale_strictly_after_the_reset_window, 0, COUNT(window_cases));
    tcase_add_test(tc, untripped_entries_keep_stays_however_old);
    tcase_add_test(tc, a_failure_at_an_unknown_region_changes_nothing);
    tcase_add_test(tc, counters_saturate);
    tcase_add_test(tc, the_drivers_shared_count_wraps);
    tcase_add_test(tc, the_region_whose_own_count_is_full_is_left);
    tcase_add_test(tc, a_region_that_is_not_current_joins_without_a_word);
    tcase_add_test(tc, the_only_region_cannot_be_left);
    tcase_add_test(tc, an_alternate_joins_at_alternate_failures_not_before);
    tcase_add_test(tc, the_other_direction_trips_at_a_region_only_once_it_has_joined);
    tcase_add_test(tc, a_fifth_region_takes_the_place_of_the_one_with_fewest_failures);
    tcase_add_loop_test(tc, losing_its_counts_to_a_fifth_region_does_not_untrip_a_stored_trip, 0, 2);
    tcase_add_test(tc, the_order_of_twelve_failed_regions_is_kept_and_a_mask_of_all);
    tcase_add_test(tc, consecutive_a_success_clears_its_own_region_and_direction);
    tcase_add_test(tc, windowed_a_success_clears_nothing);
    tcase_add_test(tc, consecutive_with_kept_entries_nothing_counted_is_no_end);
    tcase_add_loop_test(tc, share_asks_for_a_share_of_failures_too, 0, COUNT(share_cases));
    tcase_add_loop_test(tc, share_windows_are_fixed_and_restart_at_a_counted_result, 0, COUNT(window_cases));
    tcase_add_loop_test(tc, share_a_success_that_restarts_the_window_is_not_counted, 0, COUNT(window_cases));
    tcase_add_test(tc, share_an_untripped_entry_ends_when_a_success_restarts_its_window);
    tcase_add_test(tc, share_successes_leave_with_their_region);
    tcase_add_test(tc, shared_failures_of_all_regions_add_up_and_only_current_moves);
    tcase_add_test(tc, shared_a_late_failure_untrips_a_derived_trip_and_leaves_the_entry_dormant);
    tcase_add_test(tc, shared_a_stored_trip_outlives_the_reset_window);
    tcase_add_test(tc, derived_trips_lose_one_direction_at_a_time);
    tcase_add_test(tc, the_state_table_holds_each_row_once_and_allows_nothing_else);
    tcase_add_test(tc, a_trip_tells_all_its_numbers);
    tcase_add_test(tc, every_reason_has_a_name_and_a_sentence_of_its_own);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
