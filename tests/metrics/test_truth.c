/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Departures, returns, lags, detection and pair-time against the ground truth. The home of clients 0 and 1 is region 0.
 */
#include <check.h>
#include <stdlib.h>

#include "script.h"

static script s;

static void setup(void)
{
    script_init(&s);
}

static void teardown(void)
{
    script_deinit(&s);
}

static void exhaust(uint32_t client, int64_t at)
{
    script_tell(&s, client, script_transition(0, RGN_REASON_EXHAUSTED, RGN_PHASE_UNHEALTHY, RGN_PHASE_ABSENT, at));
}

/* ---- judged at their instant ---- */

START_TEST(departures_and_returns_are_judged_at_their_instant)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1000) - 1);     /* false */
    script_trip(&s, 0, 1, S(1000));         /* right */
    script_trip(&s, 0, 2, S(2000) - 1);     /* right */
    script_trip(&s, 0, 3, S(2000));         /* false */
    script_failback(&s, 0, 0, S(1000));     /* premature */
    script_failback(&s, 0, 1, S(2000) - 1); /* premature */
    script_failback(&s, 0, 2, S(2000));     /* at the instant of recovery: not premature */
    script_failback(&s, 0, 3, S(2001));
    script_end(&s);
    EXPECT(&s, ALL, false_trip_count, 2);
    EXPECT(&s, MIDDLE, false_trip_count, 1);
    EXPECT(&s, ALL, premature_failback_count, 2);
    EXPECT(&s, MIDDLE, premature_failback_count, 1);
}
END_TEST

START_TEST(only_the_tripped_kinds_are_asked_about)
{
    /* Writes are unhealthy, reads are not. */
    static const struct {
        uint8_t tripped;
        int false_trips;
        int premature;
    } cases[] = {{READS, 1, 0}, {WRITES, 0, 1}, {BOTH, 0, 1}};
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, WRITES, S(1000), S(2000));
    script_begin(&s);
    rgn_transition t = script_transition(0, RGN_REASON_TRIP, RGN_PHASE_COUNTING, RGN_PHASE_UNHEALTHY, S(1100));
    t.tripped_after = cases[_i].tripped;
    script_tell(&s, 0, t);
    t = script_transition(0, RGN_REASON_FAILBACK, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, S(1200));
    t.tripped_before = cases[_i].tripped;
    script_tell(&s, 0, t);
    script_end(&s);
    EXPECT(&s, ALL, false_trip_count, cases[_i].false_trips);
    EXPECT(&s, ALL, premature_failback_count, cases[_i].premature);
}
END_TEST

START_TEST(a_direction_that_trips_later_is_asked_about_too)
{
    /* Reads trip and later writes, which are unhealthy. */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, WRITES, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 0, 0, S(900));
    rgn_transition t = script_transition(0, RGN_REASON_TRIP_ALSO, RGN_PHASE_UNHEALTHY, RGN_PHASE_UNHEALTHY, S(1100));
    t.tripped_after = BOTH;
    script_tell(&s, 0, t);
    script_failback(&s, 0, 0, S(1200));
    script_end(&s);
    EXPECT(&s, ALL, premature_failback_count, 1);
}
END_TEST

START_TEST(pair_seconds_are_split_by_truth_and_phase)
{
    /* Unhealthy [1000, 2000) for 2 clients x 4 partitions. Pair (0, 0) is away in [1100, 2500): 900 s while unhealthy.
     * Pair (1, 3) is away in [500, 700) while healthy, and from 3500 s on. */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 1, 3, S(500));
    script_failback(&s, 1, 3, S(700));
    script_trip(&s, 0, 0, S(1100));
    script_failback(&s, 0, 0, S(2500));
    script_trip(&s, 1, 3, S(3500));
    script_end(&s);
    EXPECT(&s, ALL, home_unhealthy_s, 8 * 1000 - 900);
    EXPECT(&s, MIDDLE, home_unhealthy_s, 8 * 800 - 800); /* [1200, 2000) */
    EXPECT(&s, LATE, home_unhealthy_s, 0);
    EXPECT(&s, ALL, away_healthy_s, 200 + 500 + 100);
    EXPECT(&s, MIDDLE, away_healthy_s, 400);
    EXPECT(&s, LATE, away_healthy_s, 100 + 100);
    EXPECT_SAMPLES(&s, ALL, home_unhealthy_s, PAIRS);
}
END_TEST

START_TEST(a_pair_is_unhealthy_while_any_kind_is)
{
    /* Reads [1000, 1100), writes [1050, 1200), for one partition: one span of 200 s for each of two clients. */
    script_unhealthy(&s, 0, 2, READS, S(1000), S(1100));
    script_unhealthy(&s, 0, 2, WRITES, S(1050), S(1200));
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, home_unhealthy_s, 2 * 200);
}
END_TEST

START_TEST(kinds_that_are_not_sent_or_not_covered_are_nobodys_ill)
{
    if (_i == 0) {
        s.workload.kind_share[SIM_KIND_READ] = SIM_SHARE_ONE;
        s.workload.kind_share[SIM_KIND_WRITE] = 0;
    } else {
        s.scenario.multi_write = false;
    }
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, WRITES, S(1000), S(2000));
    script_unhealthy(&s, 0, 0, READS, S(1500), S(1501));
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, home_unhealthy_s, 2);
}
END_TEST

START_TEST(lag_is_return_minus_the_later_of_recovery_and_departure)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1100));
    script_failback(&s, 0, 0, S(2060)); /* 60 s after the recovery */
    script_trip(&s, 0, 1, S(2010));
    script_failback(&s, 0, 1, S(2400)); /* 390 s after the departure; in `late` */
    script_trip(&s, 0, 2, S(1100));
    script_failback(&s, 0, 2, S(2000)); /* exactly then: 0 */
    script_trip(&s, 0, 3, S(1100));
    script_failback(&s, 0, 3, S(1999)); /* premature: no recovery, no lag */
    script_end(&s);
    EXPECT_SAMPLES(&s, ALL, failback_lag_p50, 3);
    EXPECT(&s, ALL, failback_lag_max, S(390));
    const double p50 = script_metric(&s, ALL, SIM_METRIC_failback_lag_p50)->value;
    ck_assert(p50 >= (double)S(60) && p50 <= (double)S(60) * 1.004);
    EXPECT(&s, ALL, failback_pending_count, 0);
    EXPECT_SAMPLES(&s, MIDDLE, failback_lag_max, 2);
    EXPECT(&s, MIDDLE, failback_lag_max, S(60));
    EXPECT(&s, LATE, failback_lag_max, S(390));
}
END_TEST

START_TEST(a_relapse_before_the_return_leaves_the_recovery_pending)
{
    /* Unhealthy [1000, 2000) and [2300, 2500); away [1100, 2800): pending 300 s, then a lag of 300 s. */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(2300), S(2500));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1100));
    script_failback(&s, 0, 0, S(2800));
    script_end(&s);
    EXPECT(&s, ALL, failback_pending_count, 1);
    EXPECT(&s, MIDDLE, failback_pending_count, 1); /* the relapse at 2300 s */
    EXPECT(&s, LATE, failback_pending_count, 0);
    EXPECT(&s, LATE, failback_lag_max, S(300));
    EXPECT_SAMPLES(&s, ALL, failback_lag_p50, 2);
    EXPECT(&s, ALL, failback_lag_p50, S(300)); /* rank 1 of 2 */
    const sim_metric_value *max = script_metric(&s, ALL, SIM_METRIC_failback_lag_max);
    ck_assert(max->is_null && max->is_censored && max->value == (double)S(300));
}
END_TEST

START_TEST(a_return_exactly_at_the_relapse_is_premature_and_leaves_the_recovery_pending)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(2300), S(2500));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1100));
    script_failback(&s, 0, 0, S(2300));
    script_end(&s);
    EXPECT(&s, ALL, premature_failback_count, 1);
    EXPECT(&s, ALL, failback_pending_count, 1);
    EXPECT_SAMPLES(&s, ALL, failback_lag_max, 1);
}
END_TEST

START_TEST(the_end_before_the_return_leaves_the_recovery_pending_in_the_last_phase)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(3000), RGN_TIME_NEVER);
    script_begin(&s);
    script_trip(&s, 2, 0, S(1100)); /* not its home */
    script_trip(&s, 0, 0, S(3100)); /* unhealthy to the end: no recovery to answer */
    script_end(&s);
    EXPECT(&s, ALL, failback_pending_count, 0);
    EXPECT_NULL(&s, ALL, failback_lag_max);
    ck_assert(!script_metric(&s, ALL, SIM_METRIC_failback_lag_max)->is_censored);
    script_deinit(&s);

    script_init(&s);
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1100));
    script_end(&s);
    EXPECT(&s, ALL, failback_pending_count, 1);
    EXPECT(&s, LATE, failback_pending_count, 1);
    const sim_metric_value *p50 = script_metric(&s, LATE, SIM_METRIC_failback_lag_p50);
    ck_assert(p50->is_null && p50->is_censored && p50->value == (double)S(1600));
}
END_TEST

START_TEST(a_percentile_among_the_censored_is_null_and_known_to_be_at_least_its_value)
{
    /* Lags: 10 s ended; 400 s at least (end of run, departed 3200), 300 s at least, for three pairs. Rank 2 of 3. */
    script_begin(&s);
    script_trip(&s, 0, 0, S(3000));
    script_failback(&s, 0, 0, S(3010));
    script_trip(&s, 0, 1, S(3200));
    script_trip(&s, 0, 2, S(3300));
    script_end(&s);
    const sim_metric_value *p50 = script_metric(&s, ALL, SIM_METRIC_failback_lag_p50);
    const sim_metric_value *max = script_metric(&s, ALL, SIM_METRIC_failback_lag_max);
    ck_assert(p50->is_null && p50->is_censored);
    ck_assert(p50->value <= (double)S(300) && p50->value >= (double)S(300) * 0.996); /* a bound is never too high */
    ck_assert(max->is_null && max->is_censored && max->value == (double)S(400));
    EXPECT_SAMPLES(&s, ALL, failback_lag_p50, 3);
    EXPECT(&s, ALL, failback_pending_count, 2);
}
END_TEST

/* ---- detection and missed trips ---- */

static void request(uint32_t client, uint32_t partition, int64_t start)
{
    script_operation(&s, client, partition, start, MS(10), SIM_ENDED_ERROR);
}

START_TEST(detection_counts_from_the_first_request_after_the_onset)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    request(0, 0, S(990)); /* before: does not count */
    request(0, 0, S(1040));
    request(0, 0, S(1030)); /* started earlier, ended later */
    request(0, 0, S(1050));
    script_trip(&s, 0, 0, S(1050)); /* 20 s */
    script_failback(&s, 0, 0, S(1300));
    script_trip(&s, 0, 0, S(1400)); /* the same ill: detected already */
    script_failback(&s, 0, 0, S(1410));
    script_end(&s);
    EXPECT_SAMPLES(&s, ALL, detection_time_p50, 1);
    EXPECT(&s, ALL, detection_time_p50, S(20));
    EXPECT_NULL(&s, MIDDLE, detection_time_p50);
    EXPECT(&s, ALL, premature_failback_count, 2);
}
END_TEST

START_TEST(detection_by_requests_of_before_the_onset_counts_from_the_onset)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1004));
    request(0, 0, S(1005)); /* after the departure */
    script_end(&s);
    EXPECT(&s, ALL, detection_time_p50, S(4));
}
END_TEST

START_TEST(each_ill_is_detected_anew)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(1200));
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(2000), S(2500));
    script_begin(&s);
    request(0, 0, S(1000));
    script_trip(&s, 0, 0, S(1010));
    script_failback(&s, 0, 0, S(1500));
    request(0, 0, S(2000));
    script_trip(&s, 0, 0, S(2030));
    script_end(&s);
    const double p50 = script_metric(&s, ALL, SIM_METRIC_detection_time_p50)->value; /* rank 1 of 2 */
    ck_assert(p50 >= (double)S(10) && p50 <= (double)S(10) * 1.004);
    EXPECT_SAMPLES(&s, ALL, detection_time_p50, 2);
    EXPECT(&s, MIDDLE, detection_time_p50, S(30));
}
END_TEST

START_TEST(a_missed_trip_is_an_ill_with_a_failed_leg_at_home_and_no_departure)
{
    /* Unhealthy [1000, 2000) and [2500, 2600). */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(2500), S(2600));
    script_begin(&s);
    script_failed_leg(&s, 0, 0, 0, S(1000), false); /* missed: both legs are one ill */
    script_failed_leg(&s, 0, 0, 0, S(1500), false);
    script_failed_leg(&s, 0, 0, 0, S(2500), false); /* missed again: the next ill */
    script_failed_leg(&s, 0, 1, 0, S(1000), false); /* departs: not missed */
    script_trip(&s, 0, 1, S(1999));
    script_failed_leg(&s, 0, 1, 0, S(2500), false);     /* away already: not missed */
    script_failed_leg(&s, 0, 2, 1, S(1000), false);     /* not at home */
    script_failed_leg(&s, 1, 0, 0, S(1000), true);      /* a canary */
    script_failed_leg(&s, 1, 1, 0, S(1000) - 1, false); /* home was healthy */
    script_failed_leg(&s, 1, 1, 0, S(2000), false);
    script_end(&s);
    EXPECT(&s, ALL, missed_trip_count, 2);
    EXPECT(&s, MIDDLE, missed_trip_count, 0); /* by onset */
    EXPECT(&s, LATE, missed_trip_count, 1);
    EXPECT_SAMPLES(&s, ALL, missed_trip_count, PAIRS);
}
END_TEST

/* ---- all regions failed ---- */

START_TEST(all_open_lasts_from_exhaustion_to_the_next_departure_or_the_end_of_the_ill)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    script_trip(&s, 0, 0, S(1010));
    exhaust(0, S(1100));
    script_trip(&s, 0, 0, S(1300)); /* 200 s: 100 of them in `middle` */
    exhaust(0, S(1900));
    /* no departure: to 2000 s */
    script_trip(&s, 1, 0, S(2100));
    exhaust(1, S(2200)); /* healthy */
    script_end(&s);
    EXPECT(&s, ALL, all_open_s, 200 + 100);
    EXPECT(&s, MIDDLE, all_open_s, 100 + 100);
    EXPECT(&s, ALL, drop_count, 3);
}
END_TEST

START_TEST(all_open_ends_with_the_run)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), RGN_TIME_NEVER);
    script_begin(&s);
    script_trip(&s, 0, 0, S(3000));
    exhaust(0, S(3500));
    script_end(&s);
    EXPECT(&s, ALL, all_open_s, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("truth");
    TCase *tcase = tcase_create("truth");
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, departures_and_returns_are_judged_at_their_instant);
    tcase_add_loop_test(tcase, only_the_tripped_kinds_are_asked_about, 0, 3);
    tcase_add_test(tcase, a_direction_that_trips_later_is_asked_about_too);
    tcase_add_test(tcase, pair_seconds_are_split_by_truth_and_phase);
    tcase_add_test(tcase, a_pair_is_unhealthy_while_any_kind_is);
    tcase_add_loop_test(tcase, kinds_that_are_not_sent_or_not_covered_are_nobodys_ill, 0, 2);
    tcase_add_test(tcase, lag_is_return_minus_the_later_of_recovery_and_departure);
    tcase_add_test(tcase, a_relapse_before_the_return_leaves_the_recovery_pending);
    tcase_add_test(tcase, a_return_exactly_at_the_relapse_is_premature_and_leaves_the_recovery_pending);
    tcase_add_test(tcase, the_end_before_the_return_leaves_the_recovery_pending_in_the_last_phase);
    tcase_add_test(tcase, a_percentile_among_the_censored_is_null_and_known_to_be_at_least_its_value);
    tcase_add_test(tcase, detection_counts_from_the_first_request_after_the_onset);
    tcase_add_test(tcase, detection_by_requests_of_before_the_onset_counts_from_the_onset);
    tcase_add_test(tcase, each_ill_is_detected_anew);
    tcase_add_test(tcase, a_missed_trip_is_an_ill_with_a_failed_leg_at_home_and_no_departure);
    tcase_add_test(tcase, all_open_lasts_from_exhaustion_to_the_next_departure_or_the_end_of_the_ill);
    tcase_add_test(tcase, all_open_ends_with_the_run);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
