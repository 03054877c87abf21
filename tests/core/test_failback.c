/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include <check.h>

#include "reducer_bench.h"

#define COUNT(cases) (int)(sizeof(cases) / sizeof((cases)[0]))

/* --- the decision ----------------------------------------------------------------------------------------------- */

/* Failures first, then successes; `after` is the phase after the last. min_sample 10 unless said. */
static const struct {
    unsigned failures, successes;
    int64_t min_sample, threshold, floor;
    rgn_phase after;
    rgn_reason why;
} decision_cases[] = {
    {0, 9, 10, 900000, 500000, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {0, 10, 10, 900000, 500000, RGN_PHASE_ABSENT, RGN_REASON_FAILBACK},
    {1, 9, 10, 900000, 500000, RGN_PHASE_ABSENT, RGN_REASON_FAILBACK},
    {2, 8, 10, 900000, 500000, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {1, 9, 10, 900001, 500000, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {9, 0, 10, 900000, 500000, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {10, 0, 10, 900000, 500000, RGN_PHASE_UNHEALTHY, RGN_REASON_RETRIP},
    {5, 5, 10, 900000, 500000, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {6, 4, 10, 900000, 500000, RGN_PHASE_UNHEALTHY, RGN_REASON_RETRIP},
    {5, 5, 10, 900000, 500001, RGN_PHASE_UNHEALTHY, RGN_REASON_RETRIP},
    {10, 0, 10, 900000, 0, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {1, 2, 3, 666666, 0, RGN_PHASE_ABSENT, RGN_REASON_FAILBACK},
    {1, 2, 3, 666667, 0, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
    {0, 1, 1, 1000000, 1000000, RGN_PHASE_ABSENT, RGN_REASON_FAILBACK},
    {1, 0, 1, 1, 1, RGN_PHASE_UNHEALTHY, RGN_REASON_RETRIP},
    {1, 99, 100, 990000, 0, RGN_PHASE_ABSENT, RGN_REASON_FAILBACK},
    {2, 18, 10, 900000, 0, RGN_PHASE_ABSENT, RGN_REASON_FAILBACK},
    {2, 17, 10, 900000, 0, RGN_PHASE_RECOVERING, RGN_REASON_PROMOTE},
};

START_TEST(the_sample_decides_exactly_at_its_thresholds)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_min_sample = decision_cases[_i].min_sample;
    b.options.failback_success_threshold = decision_cases[_i].threshold;
    b.options.failback_retrip_floor = decision_cases[_i].floor;
    bench_recover(&b, 10 * S);
    for (unsigned i = 0; i < decision_cases[_i].failures; i++)
        ck_assert(bench_canary(&b, i % 2 == 0 ? RGN_EVIDENCE_FAILURE : RGN_EVIDENCE_TIMEOUT, 10 * S));
    for (unsigned i = 0; i < decision_cases[_i].successes; i++)
        ck_assert(bench_canary(&b, RGN_EVIDENCE_SUCCESS, 10 * S));
    ck_assert_int_eq(b.entry.phase, decision_cases[_i].after);
    ck_assert_int_eq(b.why, decision_cases[_i].why);
}
END_TEST

static const struct {
    int64_t pending;
    bool fails_back;
} pending_cases[] = {{RGN_PENDING_COMPLETED, true}, {RGN_PENDING_COUNTED, false}};

START_TEST(hung_canaries_weigh_on_the_success_ratio_where_they_are_counted)
{
    rgni_ticket hung[2];
    bench b;
    bench_init(&b, 3);
    b.options.failback_pending = pending_cases[_i].pending;
    bench_recover(&b, 10 * S);
    ck_assert(bench_admit(&b, RGN_READ, 10 * S, &hung[0]));
    ck_assert(bench_admit(&b, RGN_READ, 10 * S, &hung[1]));
    for (unsigned i = 0; i < 10; i++)
        ck_assert(bench_canary(&b, RGN_EVIDENCE_SUCCESS, 10 * S));
    ck_assert_int_eq(b.entry.phase == RGN_PHASE_ABSENT, pending_cases[_i].fails_back);
    if (pending_cases[_i].fails_back)
        return;
    bench_result(&b, hung[0], RGN_EVIDENCE_NEUTRAL, 10 * S); /* 10 of 11 now, but a neutral end decides nothing */
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    ck_assert_uint_eq(b.entry.canary_in_flight, 1);
    bench_result(&b, hung[1], RGN_EVIDENCE_FAILURE, 10 * S);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK);
    ck_assert_uint_eq(b.story.transition[0].canary_total, 11);
    ck_assert_uint_eq(b.story.transition[0].canary_success, 10);
    ck_assert_int_eq(b.story.transition[0].threshold, 900000);
}
END_TEST

START_TEST(hung_canaries_do_not_weigh_on_the_floor)
{
    rgni_ticket ticket;
    bench b;
    bench_init(&b, 3);
    b.options.failback_pending = RGN_PENDING_COUNTED;
    bench_recover(&b, 10 * S);
    for (unsigned i = 0; i < 20; i++)
        ck_assert(bench_admit(&b, RGN_READ, 10 * S, &ticket));
    for (unsigned i = 0; i < 10; i++)
        bench_canary(&b, i < 5 ? RGN_EVIDENCE_SUCCESS : RGN_EVIDENCE_FAILURE, 10 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
}
END_TEST

START_TEST(decide_min_sample_looks_once)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_decide = RGN_DECIDE_MIN_SAMPLE;
    b.options.failback_success_threshold = 1000000;
    bench_recover(&b, 10 * S);
    for (unsigned i = 0; i < 10; i++)
        bench_canary(&b, i < 4 ? RGN_EVIDENCE_FAILURE : RGN_EVIDENCE_SUCCESS, 10 * S);
    for (unsigned i = 0; i < 20; i++)
        bench_canary(&b, RGN_EVIDENCE_FAILURE, 10 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    ck_assert_uint_eq(b.entry.canary_total, 30);
}
END_TEST

static const struct {
    unsigned failures, successes;
    rgn_reason why;
} window_end_cases[] = {{1, 9, RGN_REASON_FAILBACK},
                        {6, 4, RGN_REASON_RETRIP},
                        {5, 5, RGN_REASON_WINDOW_RESTART},
                        {9, 0, RGN_REASON_WINDOW_RESTART}};

START_TEST(decide_window_end_waits_for_the_end_and_a_full_sample)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_decide = RGN_DECIDE_WINDOW_END;
    bench_recover(&b, 10 * S);
    for (unsigned i = 0; i < window_end_cases[_i].failures; i++)
        bench_canary(&b, RGN_EVIDENCE_FAILURE, 10 * S);
    for (unsigned i = 0; i < window_end_cases[_i].successes; i++)
        bench_canary(&b, RGN_EVIDENCE_SUCCESS, 10 * S);
    bench_expire(&b, true, 70 * S);
    ck_assert_int_eq(b.why, RGN_REASON_PROMOTE);
    bench_expire(&b, true, 70 * S + 1);
    ck_assert_int_eq(b.why, window_end_cases[_i].why);
}
END_TEST

/* --- the window ------------------------------------------------------------------------------------------------- */

START_TEST(a_window_is_over_strictly_after_its_length)
{
    rgn_time_ns at = 70 * S + _i; /* -1, 0, +1 */
    bool is_over = _i > 0;
    rgni_ticket ticket;
    bench b, seen;
    bench_init(&b, 3);
    bench_recover(&b, 10 * S);
    ck_assert(bench_admit(&b, RGN_READ, 10 * S, &ticket));

    seen = b;
    bench_result(&seen, ticket, RGN_EVIDENCE_SUCCESS, at);
    ck_assert_uint_eq(seen.counters.late_successes, is_over ? 1 : 0);
    ck_assert_uint_eq(seen.entry.canary_total, is_over ? 0 : 1);
    ck_assert_int_eq(seen.entry.window_start, is_over ? at : 10 * S);

    seen = b;
    bench_expire(&seen, true, at);
    ck_assert_int_eq(seen.entry.window_id, is_over ? 1 : 0);
    ck_assert_uint_eq(seen.entry.canary_in_flight, is_over ? 0 : 1);

    seen = b;
    ck_assert(bench_admit(&seen, RGN_READ, at, &ticket));
    ck_assert_int_eq(ticket.window_id, is_over ? 1 : 0);
    ck_assert_uint_eq(seen.entry.canary_in_flight, is_over ? 1 : 2);
    ck_assert_uint_eq(seen.entry.generation, b.entry.generation);
}
END_TEST

START_TEST(window_expiry_dwell_goes_back_to_the_dwell_and_keeps_the_low_traffic_count)
{
    rgni_ticket ticket;
    bench b;
    bench_init(&b, 3);
    b.options.failback_window_expiry = RGN_EXPIRY_DWELL;
    bench_recover(&b, 10 * S);
    ck_assert(!bench_admit(&b, RGN_READ, 70 * S + 1, &ticket));
    ck_assert_int_eq(b.why, RGN_REASON_WINDOW_DWELL);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(b.entry.low_windows, 1);
    ck_assert_int_eq(b.entry.first_failure, 70 * S + 1);
    ck_assert_int_eq(b.story.transition[0].threshold, 60 * S);
    ck_assert_int_eq(b.story.transition[0].elapsed, 60 * S + 1);
}
END_TEST

static const struct {
    unsigned failures, successes, hung;
    int64_t pending;
    rgn_reason why;
} judge_cases[] = {{0, 0, 0, RGN_PENDING_COMPLETED, RGN_REASON_WINDOW_RESTART},
                   {0, 0, 1, RGN_PENDING_COUNTED, RGN_REASON_RETRIP_JUDGE},
                   {0, 9, 0, RGN_PENDING_COMPLETED, RGN_REASON_WINDOW_RESTART},
                   {1, 8, 0, RGN_PENDING_COMPLETED, RGN_REASON_RETRIP_JUDGE},
                   {0, 9, 1, RGN_PENDING_COUNTED, RGN_REASON_WINDOW_RESTART},
                   {0, 9, 2, RGN_PENDING_COUNTED, RGN_REASON_RETRIP_JUDGE},
                   {0, 9, 2, RGN_PENDING_COMPLETED, RGN_REASON_WINDOW_RESTART}};

START_TEST(window_expiry_judge_trips_again_only_below_the_threshold)
{
    rgni_ticket ticket;
    bench b;
    bench_init(&b, 3);
    b.options.failback_window_expiry = RGN_EXPIRY_JUDGE;
    b.options.failback_pending = judge_cases[_i].pending;
    bench_recover(&b, 10 * S);
    for (unsigned i = 0; i < judge_cases[_i].failures; i++)
        bench_canary(&b, RGN_EVIDENCE_FAILURE, 10 * S);
    for (unsigned i = 0; i < judge_cases[_i].successes; i++)
        bench_canary(&b, RGN_EVIDENCE_SUCCESS, 10 * S);
    for (unsigned i = 0; i < judge_cases[_i].hung; i++)
        ck_assert(bench_admit(&b, RGN_READ, 10 * S, &ticket));
    bench_expire(&b, true, 70 * S + 1);
    ck_assert_int_eq(b.why, judge_cases[_i].why);
}
END_TEST

START_TEST(after_low_traffic_windows_one_canary_decides)
{
    bool is_success = _i != 0;
    bench b;
    bench_init(&b, 3);
    b.options.failback_low_traffic_windows = 2;
    b.options.failback_decide = RGN_DECIDE_WINDOW_END;
    bench_recover(&b, 10 * S);
    bench_expire(&b, true, 71 * S);
    ck_assert(bench_canary(&b, RGN_EVIDENCE_SUCCESS, 72 * S));
    bench_expire(&b, true, 1000 * S); /* however long, it was one window */
    ck_assert_int_eq(b.entry.low_windows, 2);
    ck_assert(bench_canary(&b, RGN_EVIDENCE_NEUTRAL, 1001 * S));
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    ck_assert(bench_canary(&b, is_success ? RGN_EVIDENCE_SUCCESS : RGN_EVIDENCE_FAILURE, 1002 * S));
    ck_assert_int_eq(b.why, is_success ? RGN_REASON_FAILBACK_SINGLE : RGN_REASON_RETRIP_SINGLE);
    ck_assert_int_eq(b.entry.low_windows, 0);
}
END_TEST

START_TEST(a_full_sample_clears_the_low_traffic_count)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_low_traffic_windows = 2;
    b.options.failback_min_sample = 2;
    bench_recover(&b, 10 * S);
    bench_expire(&b, true, 71 * S);
    ck_assert_int_eq(b.entry.low_windows, 1);
    bench_canary(&b, RGN_EVIDENCE_FAILURE, 72 * S);
    bench_canary(&b, RGN_EVIDENCE_SUCCESS, 72 * S);
    bench_expire(&b, true, 140 * S);
    ck_assert_int_eq(b.entry.low_windows, 0);
}
END_TEST

START_TEST(a_recovery_longer_than_recovering_max_trips_again)
{
    bool is_probe = _i >= 3;
    int64_t offset = _i % 3 - 1;
    bench b;
    bench_init(&b, 3);
    b.options.failback_strategy = is_probe ? RGN_STRATEGY_PROBE : RGN_STRATEGY_SUCCESS_RATE;
    b.options.failback_recovering_max = 50 * S;
    bench_recover(&b, 10 * S);
    bench_expire(&b, true, 60 * S + offset);
    ck_assert_int_eq(b.why, offset > 0 ? RGN_REASON_RETRIP_MAX : RGN_REASON_PROMOTE);
}
END_TEST

/* --- how a recovery ends ---------------------------------------------------------------------------------------- */

START_TEST(a_retrip_begins_anew_with_the_same_trip)
{
    bench b;
    bench_init(&b, 4);
    b.options.failback_min_sample = 2;
    bench_recover(&b, 10 * S);
    bench_fail(&b, 1, RGN_WRITE, 11 * S);
    ck_assert_int_eq(b.entry.current, 2);
    uint32_t generation = b.entry.generation;
    b.drawn = 777;
    bench_canary(&b, RGN_EVIDENCE_FAILURE, 12 * S);
    ck_assert_int_eq(b.entry.last_failure, 11 * S); /* a canary feeds its tally and nothing else */
    bench_canary(&b, RGN_EVIDENCE_FAILURE, 13 * S);
    ck_assert_int_eq(b.why, RGN_REASON_RETRIP);
    ck_assert_int_eq(b.entry.first_failure, 13 * S);
    ck_assert_int_eq(b.entry.last_failure, 13 * S);
    ck_assert_int_eq(b.entry.trip_time, 13 * S);
    ck_assert_int_eq(b.entry.jitter, 777);
    ck_assert_int_eq(b.entry.tripped, 1);
    ck_assert_int_eq(b.entry.cause, RGN_CAUSE_FAILURES);
    ck_assert_uint_eq(b.entry.failed, 1);
    ck_assert_int_eq(b.entry.failed_count, 1);
    ck_assert_int_eq(b.entry.current, 1);
    ck_assert_int_eq(b.entry.counts.region[0], RGN_REGION_NONE);
    ck_assert_uint_ne(b.entry.generation, generation);
    ck_assert_uint_eq(b.story.transition[0].canary_total, 2);
    ck_assert_uint_eq(b.entry.canary_total, 0);
    /* The dwell is measured anew: 5 s and the jitter from here. */
    bench_expire(&b, true, 18 * S + 776);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    bench_expire(&b, true, 18 * S + 777);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
}
END_TEST

START_TEST(share_a_failed_recovery_clears_successes_too_and_only_untripping_restarts_the_window)
{
    bool is_untripped = _i != 0;
    bench b;
    bench_init(&b, 3);
    b.options.breaker_rule = RGN_RULE_SHARE;
    b.options.failback_min_sample = 1;
    b.options.failback_failed_probe = is_untripped ? RGN_FAILED_PROBE_UNTRIP : RGN_FAILED_PROBE_RETRIP;
    bench_recover(&b, 10 * S);
    bench_fail(&b, 2, RGN_READ, 10 * S);
    bench_succeed(&b, 2, RGN_READ, 10 * S);
    bench_canary(&b, RGN_EVIDENCE_FAILURE, 11 * S);
    ck_assert_int_eq(b.why, is_untripped ? RGN_REASON_UNTRIP_PROBE : RGN_REASON_RETRIP);
    ck_assert_uint_eq(b.share.successes[1][RGN_READ], 0);
    ck_assert(rgni_counts_are_zero(&b.entry));
    ck_assert_int_eq(b.share.window_start, is_untripped ? 11 * S : 0);
}
END_TEST

START_TEST(results_of_an_earlier_recovery_are_late_and_change_nothing)
{
    rgni_ticket old[3];
    bench b;
    bench_init(&b, 3);
    b.options.failback_min_sample = 1;
    bench_recover(&b, 10 * S);
    for (unsigned i = 0; i < 3; i++)
        ck_assert(bench_admit(&b, RGN_READ, 10 * S, &old[i]));
    bench_canary(&b, RGN_EVIDENCE_FAILURE, 10 * S);
    bench_result(&b, old[0], RGN_EVIDENCE_SUCCESS, 11 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    bench_expire(&b, true, 20 * S);
    bench_result(&b, old[1], RGN_EVIDENCE_TIMEOUT, 21 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    bench_result(&b, old[2], RGN_EVIDENCE_NEUTRAL, 21 * S);
    ck_assert_uint_eq(b.counters.late_successes, 1);
    ck_assert_uint_eq(b.counters.late_failures, 1);
    ck_assert_uint_eq(b.entry.canary_in_flight, 0);
}
END_TEST

START_TEST(the_probe_is_one_request_and_decides)
{
    bool is_success = _i != 0;
    rgni_ticket first, second;
    bench b;
    bench_init(&b, 3);
    b.options.failback_strategy = RGN_STRATEGY_PROBE;
    bench_recover(&b, 10 * S);
    ck_assert_uint_eq(b.draws, 1); /* the jitter; a probe has no sampler */
    ck_assert(bench_admit(&b, RGN_READ, 10 * S, &first));
    ck_assert(!bench_admit(&b, RGN_READ, 10 * S, &second));
    bench_result(&b, first, RGN_EVIDENCE_NEUTRAL, 500 * S);
    ck_assert_uint_eq(b.story.count, 0);
    ck_assert(bench_admit(&b, RGN_READ, 500 * S, &second));
    bench_result(&b, second, is_success ? RGN_EVIDENCE_SUCCESS : RGN_EVIDENCE_FAILURE, 501 * S);
    ck_assert_int_eq(b.why, is_success ? RGN_REASON_FAILBACK_PROBE : RGN_REASON_RETRIP_PROBE);
    ck_assert_int_eq(b.entry.phase, is_success ? RGN_PHASE_ABSENT : RGN_PHASE_UNHEALTHY);
}
END_TEST

START_TEST(a_probe_with_all_traffic_is_decided_by_the_next_result_anywhere)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_strategy = RGN_STRATEGY_PROBE;
    b.options.failback_probe_admission = RGN_PROBE_ALL;
    bench_recover(&b, 10 * S);

    bench other = b;
    bench_fail(&other, 2, RGN_WRITE, 11 * S);
    ck_assert_int_eq(other.why, RGN_REASON_RETRIP_PROBE);
    ck_assert_int_eq(other.entry.tripped, 1);
    ck_assert_int_eq(other.entry.counts.region[0], RGN_REGION_NONE);

    BENCH_CALL(&b, 11 * S, rgni_breaker_on_success(&b.entry, NULL, scene, 2, RGN_WRITE, false, &b.story));
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    bench_succeed(&b, 2, RGN_WRITE, 11 * S);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK_PROBE);
}
END_TEST

START_TEST(with_failed_probe_untrip_the_entry_counts_from_zero)
{
    bool is_shared = _i != 0;
    bench b;
    bench_init(&b, 3);
    b.options.failback_strategy = RGN_STRATEGY_PROBE;
    b.options.failback_probe_admission = RGN_PROBE_ALL;
    b.options.failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
    b.options.breaker_tally = is_shared ? RGN_TALLY_SHARED : RGN_TALLY_PER_REGION;
    bench_recover(&b, 10 * S);
    b.drawn = 99;
    bench_fail(&b, 0, RGN_READ, 11 * S);
    ck_assert_int_eq(b.why, RGN_REASON_UNTRIP_PROBE);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
    ck_assert_int_eq(b.entry.tripped, 0);
    ck_assert_int_eq(b.entry.first_failure, 11 * S);
    ck_assert_int_eq(b.entry.jitter, 99);
    ck_assert_uint_eq(b.entry.failed, 0);
    ck_assert_int_eq(b.entry.current, is_shared ? 0 : RGN_REGION_NONE);
    ck_assert(rgni_counts_are_zero(&b.entry));
    bench_fail_times(&b, 2, 0, RGN_READ, 12 * S);
    ck_assert_int_eq(b.entry.tripped, 0);
    bench_fail(&b, 0, RGN_READ, 12 * S);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP);
}
END_TEST

START_TEST(an_entry_is_dropped_for_reasons_that_are_no_evidence)
{
    const rgn_reason reasons[] = {RGN_REASON_REGION_REMOVED, RGN_REASON_FLAG_EDGE};
    bench b;
    bench_init(&b, 3);
    bench_recover(&b, 10 * S);
    bench_drop(&b, reasons[_i], 11 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(b.story.count, 1);
    ck_assert_int_eq(b.why, reasons[_i]);
    ck_assert_int_eq(b.story.transition[0].region, RGN_REGION_NONE);
    ck_assert_int_eq(b.story.transition[0].first_failed, 0);
    ck_assert_int_eq(b.story.transition[0].current, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failback");
    TCase *tc = tcase_create("failback");
    tcase_add_loop_test(tc, the_sample_decides_exactly_at_its_thresholds, 0, COUNT(decision_cases));
    tcase_add_loop_test(tc, hung_canaries_weigh_on_the_success_ratio_where_they_are_counted, 0, COUNT(pending_cases));
    tcase_add_test(tc, hung_canaries_do_not_weigh_on_the_floor);
    tcase_add_test(tc, decide_min_sample_looks_once);
    tcase_add_loop_test(tc, decide_window_end_waits_for_the_end_and_a_full_sample, 0, COUNT(window_end_cases));
    tcase_add_loop_test(tc, a_window_is_over_strictly_after_its_length, -1, 2);
    tcase_add_test(tc, window_expiry_dwell_goes_back_to_the_dwell_and_keeps_the_low_traffic_count);
    tcase_add_loop_test(tc, window_expiry_judge_trips_again_only_below_the_threshold, 0, COUNT(judge_cases));
    tcase_add_loop_test(tc, after_low_traffic_windows_one_canary_decides, 0, 2);
    tcase_add_test(tc, a_full_sample_clears_the_low_traffic_count);
    tcase_add_loop_test(tc, a_recovery_longer_than_recovering_max_trips_again, 0, 6);
    tcase_add_test(tc, a_retrip_begins_anew_with_the_same_trip);
    tcase_add_loop_test(tc, share_a_failed_recovery_clears_successes_too_and_only_untripping_restarts_the_window, 0, 2);
    tcase_add_test(tc, results_of_an_earlier_recovery_are_late_and_change_nothing);
    tcase_add_loop_test(tc, the_probe_is_one_request_and_decides, 0, 2);
    tcase_add_test(tc, a_probe_with_all_traffic_is_decided_by_the_next_result_anywhere);
    tcase_add_loop_test(tc, with_failed_probe_untrip_the_entry_counts_from_zero, 0, 2);
    tcase_add_loop_test(tc, an_entry_is_dropped_for_reasons_that_are_no_evidence, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
