/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Departures, returns and flaps; transition rows. Client 0, partition 0 unless said otherwise. */
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

static void tell(rgn_reason reason, rgn_phase before, rgn_phase after, int64_t at)
{
    script_tell(&s, 0, script_transition(0, reason, before, after, at));
}

/* ---- what counts as departure and return ---- */

START_TEST(one_absence_is_one_departure_and_one_return)
{
    /* 100 trip, 110 moves on, 150 promoted, 160 re-trips, 200 promoted, 1200 fails back. */
    script_begin(&s);
    tell(RGN_REASON_CREATED, RGN_PHASE_ABSENT, RGN_PHASE_COUNTING, S(90));
    script_trip(&s, 0, 0, S(100));
    tell(RGN_REASON_MOVE, RGN_PHASE_UNHEALTHY, RGN_PHASE_UNHEALTHY, S(110));
    script_promote(&s, 0, 0, S(150));
    script_retrip(&s, 0, 0, S(160));
    script_promote(&s, 0, 0, S(200));
    tell(RGN_REASON_WINDOW_RESTART, RGN_PHASE_RECOVERING, RGN_PHASE_RECOVERING, S(260));
    script_failback(&s, 0, 0, S(1200));
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 1);
    EXPECT(&s, MIDDLE, trip_count, 0);
    EXPECT(&s, ALL, return_count, 1);
    EXPECT(&s, MIDDLE, return_count, 1); /* exactly at the phase's edge */
    EXPECT(&s, MIDDLE, failback_count, 1);
    EXPECT(&s, ALL, drop_count, 0);
    EXPECT(&s, ALL, retrip_count, 1);
    EXPECT_SAMPLES(&s, ALL, trip_count, PAIRS);
    EXPECT(&s, ALL, time_recovering_s, 10 + 1000);
    EXPECT(&s, MIDDLE, time_recovering_s, 0);
    const sim_interval_row *row = s.result.interval;
    ck_assert_uint_eq(row[3].departures, 1); /* [90, 120) */
    ck_assert_uint_eq(row[3].pairs_away, 1);
    ck_assert_uint_eq(row[4].pairs_recovering, 0); /* [120, 150) */
    ck_assert_uint_eq(row[5].pairs_recovering, 0); /* promoted and re-tripped within [150, 180) */
    ck_assert_uint_eq(row[5].retrips, 1);
    ck_assert_uint_eq(row[6].pairs_recovering, 1);
    ck_assert_uint_eq(row[39].pairs_away, 1); /* [1170, 1200) */
    ck_assert_uint_eq(row[40].pairs_away, 0);
    ck_assert_uint_eq(row[40].returns, 1);
    ck_assert_uint_eq(row[40].pairs_recovering, 0);
}
END_TEST

START_TEST(every_return_has_one_kind)
{
    static const struct {
        rgn_reason reason;
        rgn_phase before;
        rgn_phase after;
        int failbacks;
        int drops;
    } cases[] = {
        {RGN_REASON_FAILBACK, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, 1, 0},
        {RGN_REASON_FAILBACK_SEQUENTIAL, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, 1, 0},
        {RGN_REASON_FAILBACK_SINGLE, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, 1, 0},
        {RGN_REASON_FAILBACK_PROBE, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, 1, 0},
        {RGN_REASON_EXHAUSTED, RGN_PHASE_UNHEALTHY, RGN_PHASE_ABSENT, 0, 1},
        {RGN_REASON_REGION_REMOVED, RGN_PHASE_UNHEALTHY, RGN_PHASE_ABSENT, 0, 1},
        {RGN_REASON_FLAG_EDGE, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, 0, 1},
        {RGN_REASON_UNTRIP_PROBE, RGN_PHASE_RECOVERING, RGN_PHASE_COUNTING, 0, 1},
        {RGN_REASON_UNTRIP_WINDOW, RGN_PHASE_UNHEALTHY, RGN_PHASE_COUNTING, 0, 1},
    };
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    if (cases[_i].before == RGN_PHASE_RECOVERING)
        script_promote(&s, 0, 0, S(150));
    tell(cases[_i].reason, cases[_i].before, cases[_i].after, S(200));
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 1);
    EXPECT(&s, ALL, return_count, 1);
    EXPECT(&s, ALL, failback_count, cases[_i].failbacks);
    EXPECT(&s, ALL, drop_count, cases[_i].drops);
    EXPECT(&s, ALL, away_healthy_s, 100);
    EXPECT(&s, ALL, retrip_count, cases[_i].reason == RGN_REASON_UNTRIP_PROBE);
}
END_TEST

START_TEST(the_other_direction_is_no_new_departure)
{
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    rgn_transition also = script_transition(0, RGN_REASON_TRIP_ALSO, RGN_PHASE_UNHEALTHY, RGN_PHASE_UNHEALTHY, S(110));
    also.tripped_after = BOTH;
    script_tell(&s, 0, also);
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 1);
}
END_TEST

START_TEST(an_entry_that_failed_elsewhere_keeps_nobody_from_home_until_home_fails_too)
{
    /* 100: region 1 trips, home is region 0. 200: home joins the failed ones. 300: re-trip, only region 1 is failed. */
    script_begin(&s);
    rgn_transition t = script_transition(0, RGN_REASON_TRIP, RGN_PHASE_COUNTING, RGN_PHASE_UNHEALTHY, S(100));
    t.first_failed = 1;
    t.failed = 2;
    t.current = 0;
    script_tell(&s, 0, t);
    t = script_transition(0, RGN_REASON_MOVE, RGN_PHASE_UNHEALTHY, RGN_PHASE_UNHEALTHY, S(200));
    t.first_failed = 1;
    t.failed = 3;
    script_tell(&s, 0, t);
    script_promote(&s, 0, 0, S(250)); /* failed: region 0, as far as this script knows: still away */
    t = script_transition(0, RGN_REASON_RETRIP, RGN_PHASE_RECOVERING, RGN_PHASE_UNHEALTHY, S(300));
    t.first_failed = 1;
    t.failed = 2;
    script_tell(&s, 0, t);
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 1);
    EXPECT(&s, ALL, return_count, 1);
    EXPECT(&s, ALL, failback_count, 0);
    EXPECT(&s, ALL, drop_count, 1);
    EXPECT(&s, ALL, away_healthy_s, 100);
    EXPECT(&s, ALL, retrip_count, 1);
}
END_TEST

START_TEST(home_is_the_first_preferred_region_that_is_not_excluded)
{
    /* Client 2 prefers region 1; with that excluded its home is region 0. */
    s.group[1].excluded = 2;
    script_begin(&s);
    script_trip(&s, 2, 0, S(100));
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 1);
}
END_TEST

START_TEST(without_exclusion_another_preferred_region_is_home)
{
    script_begin(&s);
    script_trip(&s, 2, 0, S(100)); /* region 0 fails, home is region 1 */
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 0);
    EXPECT(&s, ALL, away_healthy_s, 0);
}
END_TEST

/* Two of three regions are excluded: without the third, routing falls back to the first preferred region, home again.
 */
START_TEST(a_trip_that_leaves_every_request_at_home_is_no_departure)
{
    script_init(&s);
    s.group[0].excluded = rgn_region_bit(1) | rgn_region_bit(2);
    script_begin(&s);
    script_trip(&s, 0, 0, S(100)); /* an hour away by the entry, not a second by the traffic */
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 0);
    EXPECT(&s, ALL, away_healthy_s, 0);
    script_deinit(&s);
}
END_TEST

START_TEST(the_drivers_probe_candidate_is_a_return_and_its_failed_probe_starts_over)
{
    /* 100 trip, 200 all traffic probes home, 210 the probe fails: untripped. 300 trips again: a flap. 400 probes, 410
     * the probe succeeds: no second return. */
    s.options.failback_strategy = RGN_STRATEGY_PROBE;
    s.options.failback_probe_admission = RGN_PROBE_ALL;
    s.options.routing_rules = RGN_ROUTING_DRIVER;
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    script_promote(&s, 0, 0, S(200));
    tell(RGN_REASON_UNTRIP_PROBE, RGN_PHASE_RECOVERING, RGN_PHASE_COUNTING, S(210));
    script_trip(&s, 0, 0, S(300));
    script_promote(&s, 0, 0, S(400));
    tell(RGN_REASON_FAILBACK_PROBE, RGN_PHASE_RECOVERING, RGN_PHASE_ABSENT, S(410));
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 2);
    EXPECT(&s, ALL, return_count, 2);
    EXPECT(&s, ALL, failback_count, 0);
    EXPECT(&s, ALL, drop_count, 0);
    EXPECT(&s, ALL, retrip_count, 1);
    EXPECT(&s, ALL, flap_count, 1);
    EXPECT(&s, ALL, flap_rate, 0.5);
    EXPECT(&s, ALL, away_healthy_s, 200);
    EXPECT(&s, ALL, time_recovering_s, 20);
}
END_TEST

START_TEST(with_probes_for_all_a_retrip_is_a_departure)
{
    s.options.failback_strategy = RGN_STRATEGY_PROBE;
    s.options.failback_probe_admission = RGN_PROBE_ALL;
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    script_promote(&s, 0, 0, S(200));
    tell(RGN_REASON_RETRIP_PROBE, RGN_PHASE_RECOVERING, RGN_PHASE_UNHEALTHY, S(210));
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 2);
    EXPECT(&s, ALL, flap_count, 1);
    EXPECT(&s, ALL, retrip_count, 1);
}
END_TEST

START_TEST(promoting_an_entry_that_never_tripped_is_no_return_and_its_failure_no_retrip)
{
    s.options.failback_strategy = RGN_STRATEGY_PROBE;
    s.options.failback_probe_admission = RGN_PROBE_ALL;
    s.options.routing_rules = _i == 0 ? RGN_ROUTING_DRIVER : RGN_ROUTING_DOCUMENTED;
    script_begin(&s);
    for (uint32_t client = 0; client < 3; client += 2) { /* at home in region 0, and in region 1 */
        rgn_transition t = script_transition(0, RGN_REASON_PROMOTE, RGN_PHASE_COUNTING, RGN_PHASE_RECOVERING, S(100));
        t.tripped_after = 0;
        script_tell(&s, client, t);
        t = script_transition(0, RGN_REASON_UNTRIP_PROBE, RGN_PHASE_RECOVERING, RGN_PHASE_COUNTING, S(150));
        t.tripped_before = 0;
        script_tell(&s, client, t);
    }
    script_end(&s);
    /* Under the driver's rules all of client 2's traffic went to region 0 for 50 s, away from its home. */
    EXPECT(&s, ALL, trip_count, _i == 0);
    EXPECT(&s, ALL, return_count, _i == 0);
    EXPECT(&s, ALL, away_healthy_s, _i == 0 ? 50 : 0);
    EXPECT(&s, ALL, retrip_count, 0);
    EXPECT(&s, ALL, time_recovering_s, 0);
}
END_TEST

START_TEST(probing_without_a_failed_region_keeps_nobody_away)
{
    s.options.failback_strategy = RGN_STRATEGY_PROBE;
    s.options.failback_probe_admission = RGN_PROBE_ALL;
    s.options.routing_rules = RGN_ROUTING_DRIVER;
    script_begin(&s);
    rgn_transition t = script_transition(0, RGN_REASON_PROMOTE, RGN_PHASE_COUNTING, RGN_PHASE_RECOVERING, S(100));
    t.tripped_after = 0;
    t.first_failed = RGN_REGION_NONE;
    script_tell(&s, 0, t);
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 0);
}
END_TEST

START_TEST(writes_of_a_single_write_account_never_depart)
{
    s.scenario.multi_write = false;
    script_begin(&s);
    rgn_transition t = script_transition(0, RGN_REASON_TRIP, RGN_PHASE_COUNTING, RGN_PHASE_UNHEALTHY, S(100));
    t.tripped_after = WRITES;
    script_tell(&s, 0, t);
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 0);
}
END_TEST

START_TEST(what_happens_after_the_end_is_not_observed)
{
    script_begin(&s);
    script_trip(&s, 0, 0, S(3600) - 1);
    script_trip(&s, 0, 1, S(3600));
    script_failback(&s, 0, 0, S(3601));
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 1);
    EXPECT(&s, ALL, return_count, 0);
    EXPECT(&s, LATE, trip_count, 1);
    ck_assert_uint_eq(s.result.transition_count, 3); /* rows are kept all the same */
}
END_TEST

/* ---- flaps ---- */

START_TEST(a_flap_is_a_departure_up_to_ten_minutes_after_the_return)
{
    const int64_t again = S(300) + S(600) + _i;
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    script_promote(&s, 0, 0, S(200));
    script_failback(&s, 0, 0, S(300));
    script_trip(&s, 0, 0, again);
    script_trip(&s, 0, 1, S(301)); /* another partition: no flap of the first */
    script_trip(&s, 1, 0, S(301)); /* another client */
    script_end(&s);
    EXPECT(&s, ALL, flap_count, _i <= 0);
    EXPECT(&s, ALL, flap_rate, _i <= 0);
    EXPECT_SAMPLES(&s, ALL, flap_rate, 1);
}
END_TEST

START_TEST(only_returns_earlier_than_end_minus_window_are_judged)
{
    const int64_t back = S(3600) - S(600) + _i;
    script_begin(&s);
    script_trip(&s, 0, 0, S(2400));
    script_failback(&s, 0, 0, back);
    script_trip(&s, 0, 0, back + S(1));
    script_trip(&s, 1, 0, S(1000)); /* an early return without a flap */
    script_failback(&s, 1, 0, S(1100));
    script_end(&s);
    EXPECT(&s, ALL, flap_count, 1);
    EXPECT_SAMPLES(&s, ALL, flap_rate, _i < 0 ? 2 : 1);
    EXPECT(&s, ALL, flap_rate, _i < 0 ? 0.5 : 0);
    if (_i < 0)
        EXPECT(&s, LATE, flap_rate, 1);
    else
        EXPECT_NULL(&s, LATE, flap_rate);
}
END_TEST

START_TEST(a_flap_counts_with_its_departure_and_its_rate_with_the_return)
{
    script_begin(&s);
    script_trip(&s, 0, 0, S(1100));
    script_failback(&s, 0, 0, S(1199));
    script_trip(&s, 0, 0, S(1200));
    script_failback(&s, 0, 0, S(2300));
    script_end(&s);
    EXPECT(&s, ALL, flap_count, 1);
    EXPECT(&s, MIDDLE, flap_count, 1);
    EXPECT(&s, MIDDLE, flap_rate, 0); /* the return at 2300 */
    EXPECT(&s, ALL, flap_rate, 0.5);
    EXPECT_NULL(&s, LATE, flap_rate);
}
END_TEST

START_TEST(one_return_makes_one_flap_at_most)
{
    /* The second departure follows the second return by more than the window, the first by less than two. */
    s.scenario.flap_window = S(100);
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    script_failback(&s, 0, 0, S(200));
    script_trip(&s, 0, 0, S(250)); /* flap */
    script_failback(&s, 0, 0, S(260));
    script_trip(&s, 0, 0, S(400)); /* 140 s after */
    script_end(&s);
    EXPECT(&s, ALL, flap_count, 1);
    EXPECT(&s, ALL, flap_rate, 0.5);
}
END_TEST

/* ---- rows, many pairs ---- */

START_TEST(transition_rows_are_bounded_and_metrics_do_not_read_them)
{
    static const int64_t limits[] = {-1, 0, 1, 2};
    static const size_t kept[] = {5, 0, 2, 4};
    s.scenario.transitions_per_partition = limits[_i];
    script_begin(&s);
    script_trip(&s, 0, 0, S(100));
    script_promote(&s, 0, 0, S(200));
    script_failback(&s, 0, 0, S(300));
    script_trip(&s, 1, 0, S(400));
    script_promote(&s, 1, 0, S(500));
    script_end(&s);
    ck_assert_uint_eq(s.result.transition_count, kept[_i]);
    ck_assert_uint_eq(s.result.transitions_left_out, 5 - kept[_i]);
    for (size_t i = 1; i < s.result.transition_count; i++)
        ck_assert_int_ge(s.result.transition[i].transition.at, s.result.transition[i - 1].transition.at);
    EXPECT(&s, ALL, trip_count, 2);
    EXPECT(&s, ALL, return_count, 1);
}
END_TEST

START_TEST(many_pairs_keep_their_own_story)
{
    /* 2000 x 4 pairs leave one second apart in a scrambled order and return 100 s later; every third flaps. */
    s.group[0].count = 2000;
    s.group[1].count = 0;
    s.scenario.client_count = s.workload.clients = 2000;
    script_begin(&s);
    for (uint32_t i = 0; i < 8000; i++) {
        const uint32_t pair = i * 4801 % 8000;
        const int64_t at = S(100) + MS(100) * i;
        script_trip(&s, pair / 4, pair % 4, at);
        script_failback(&s, pair / 4, pair % 4, at + S(100));
        if (pair % 3 == 0)
            script_trip(&s, pair / 4, pair % 4, at + S(200));
    }
    script_end(&s);
    EXPECT(&s, ALL, trip_count, 8000 + 2667);
    EXPECT(&s, ALL, flap_count, 2667);
    EXPECT(&s, ALL, return_count, 8000);
    EXPECT(&s, ALL, failback_pending_count, 2667);
}
END_TEST

/* ---- the time line ---- */

static uint64_t luck;

static uint32_t draw_below(uint32_t bound)
{
    luck = luck * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((luck >> 33) % bound);
}

/* An entry of one pair goes on to whatever may come next. */
static void step(rgn_phase *phase, uint32_t client, uint32_t partition, int64_t at)
{
    static const rgn_reason returns[] = {RGN_REASON_FAILBACK, RGN_REASON_STALE, RGN_REASON_EXHAUSTED};
    const bool is_tripped = *phase == RGN_PHASE_UNHEALTHY || *phase == RGN_PHASE_RECOVERING;
    const rgn_phase next = !is_tripped                     ? RGN_PHASE_UNHEALTHY
                           : draw_below(3) == 0            ? RGN_PHASE_ABSENT
                           : *phase == RGN_PHASE_UNHEALTHY ? RGN_PHASE_RECOVERING
                                                           : RGN_PHASE_UNHEALTHY;
    const rgn_reason reason = next == RGN_PHASE_ABSENT       ? returns[draw_below(3)]
                              : next == RGN_PHASE_RECOVERING ? RGN_REASON_PROMOTE
                              : is_tripped                   ? RGN_REASON_RETRIP
                                                             : RGN_REASON_TRIP;
    rgn_transition transition = script_transition(partition, reason, *phase, next, at);
    if (next != RGN_PHASE_ABSENT && draw_below(2) == 0)
        transition.tripped_after = (uint8_t)(1 + draw_below(BOTH));
    script_tell(&s, client, transition);
    *phase = next;
}

/* Twelve pairs trip and come home at drawn times, with failed legs and canaries from shortly before. */
static void tell_drawn_lives(unsigned seed)
{
    rgn_phase phase[CLIENTS][PARTITIONS] = {{RGN_PHASE_ABSENT}};
    luck = seed;
    for (int64_t at = S(1); at < S(3590); at += MS(1 + draw_below(4000))) {
        const uint32_t client = draw_below(CLIENTS);
        const uint32_t partition = draw_below(PARTITIONS);
        const int64_t sent = at - MS(draw_below(900));
        if (draw_below(2) == 0)
            script_failed_leg(&s, client, partition, (rgn_region)draw_below(2), sent, draw_below(4) == 0);
        else if (draw_below(3) == 0)
            script_canary(&s, client, partition, draw_below(2) == 0 ? RGN_EVIDENCE_SUCCESS : RGN_EVIDENCE_FAILURE,
                          sent);
        else if (draw_below(3) == 0)
            step(&phase[client][partition], client, partition, at);
    }
}

START_TEST(phases_and_rows_cut_the_time_line_and_not_the_sums)
{
    enum { PHASES = 80 };
    static sim_phase phase[PHASES];
    static sim_metric_value whole[SIM_METRIC_COUNT];
    for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
        script_init(&s);
        for (unsigned i = 0; i < 12; i++)
            script_unhealthy(&s, (rgn_region)(i % 2), FAKE_ALL_PARTITIONS, i % 3 == 0 ? READS : BOTH, S(100 + 290 * i),
                             S(190 + 290 * i));
        s.scenario.flap_window = S(40);
        for (unsigned i = 0; i < PHASES; i++)
            phase[i] = (sim_phase){"piece", S(20) + i * S(44)};
        s.scenario.phase = phase;
        s.scenario.phase_count = is_cut ? PHASES : 0;
        s.scenario.interval = is_cut ? S(7) : S(3600);
        script_begin(&s);
        tell_drawn_lives((unsigned)_i);
        script_end(&s);
        for (unsigned id = 0; id < SIM_METRIC_COUNT; id++) {
            const sim_metric_value *value = script_metric(&s, ALL, (sim_metric_id)id);
            if (!is_cut)
                whole[id] = *value;
            const char *name = sim_metric_at((sim_metric_id)id)->name;
            ck_assert_msg(value->is_null == whole[id].is_null && value->samples == whole[id].samples, "%s", name);
            ck_assert_msg(value->value == whole[id].value, "%s: %.9g, not %.9g", name, value->value, whole[id].value);
        }
        ck_assert_uint_gt(script_metric(&s, ALL, SIM_METRIC_failback_lag_p50)->samples, 5);
        script_deinit(&s);
        s.result = (sim_run_metrics){0};
    }
}
END_TEST

START_TEST(endpoint_marks_are_counted_by_their_time)
{
    script_begin(&s);
    const sim_observer *observer = sim_metrics_observer(s.metrics);
    observer->endpoint_mark(observer->context, 0, 0, RGN_MARK_TRANSPORT_ERROR, S(1199));
    observer->endpoint_mark(observer->context, 1, 0, RGN_MARK_TRANSPORT_ERROR, S(1200));
    observer->endpoint_mark(observer->context, 1, 0, RGN_MARK_TRANSPORT_ERROR, S(3600)); /* after the end */
    script_end(&s);
    EXPECT(&s, ALL, endpoint_mark_count, 2);
    EXPECT(&s, MIDDLE, endpoint_mark_count, 1);
    EXPECT_SAMPLES(&s, ALL, endpoint_mark_count, CLIENTS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pairs");
    TCase *tcase = tcase_create("pairs");
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, one_absence_is_one_departure_and_one_return);
    tcase_add_loop_test(tcase, every_return_has_one_kind, 0, 9);
    tcase_add_test(tcase, the_other_direction_is_no_new_departure);
    tcase_add_test(tcase, an_entry_that_failed_elsewhere_keeps_nobody_from_home_until_home_fails_too);
    tcase_add_test(tcase, home_is_the_first_preferred_region_that_is_not_excluded);
    tcase_add_test(tcase, without_exclusion_another_preferred_region_is_home);
    tcase_add_test(tcase, a_trip_that_leaves_every_request_at_home_is_no_departure);
    tcase_add_test(tcase, the_drivers_probe_candidate_is_a_return_and_its_failed_probe_starts_over);
    tcase_add_test(tcase, with_probes_for_all_a_retrip_is_a_departure);
    tcase_add_loop_test(tcase, promoting_an_entry_that_never_tripped_is_no_return_and_its_failure_no_retrip, 0, 2);
    tcase_add_test(tcase, probing_without_a_failed_region_keeps_nobody_away);
    tcase_add_test(tcase, writes_of_a_single_write_account_never_depart);
    tcase_add_test(tcase, what_happens_after_the_end_is_not_observed);
    tcase_add_loop_test(tcase, a_flap_is_a_departure_up_to_ten_minutes_after_the_return, -1, 2);
    tcase_add_loop_test(tcase, only_returns_earlier_than_end_minus_window_are_judged, -1, 2);
    tcase_add_test(tcase, a_flap_counts_with_its_departure_and_its_rate_with_the_return);
    tcase_add_test(tcase, one_return_makes_one_flap_at_most);
    tcase_add_loop_test(tcase, transition_rows_are_bounded_and_metrics_do_not_read_them, 0, 4);
    tcase_add_test(tcase, many_pairs_keep_their_own_story);
    tcase_add_loop_test(tcase, phases_and_rows_cut_the_time_line_and_not_the_sums, 0, 20);
    tcase_add_test(tcase, endpoint_marks_are_counted_by_their_time);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
