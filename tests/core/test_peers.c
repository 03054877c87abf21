/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knobs that hold what the .NET and the Java client do otherwise, each at its boundaries. */
#include "hedge_script.h"
#undef S
#include "reducer_bench.h"

/* --- reducers ---------------------------------------------------------------------------------------------------- */

START_TEST(a_trip_takes_one_direction_or_the_partition)
{
    static const struct {
        int64_t scope;
        bool multi_write;
        rgn_direction direction;
        unsigned times, tripped;
    } rows[] = {
        {RGN_TRIP_DIRECTION, true, RGN_READ, 3, 1},  {RGN_TRIP_PARTITION, true, RGN_READ, 2, 0},
        {RGN_TRIP_PARTITION, true, RGN_READ, 3, 3},  {RGN_TRIP_PARTITION, true, RGN_WRITE, 1, 0},
        {RGN_TRIP_PARTITION, true, RGN_WRITE, 2, 3}, {RGN_TRIP_PARTITION, false, RGN_READ, 3, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        bench_init(&b, 3);
        b.options.breaker_trip_scope = rows[i].scope;
        b.topology.multi_write = rows[i].multi_write;
        bench_fail_times(&b, rows[i].times, 0, rows[i].direction, S);
        ck_assert_msg(b.entry.tripped == rows[i].tripped, "row %zu: %u", i, b.entry.tripped);
    }
}
END_TEST

/* Derived trips: a count of either direction holds both up; when the window clears it, both fall. */
START_TEST(a_derived_trip_of_the_partition_falls_as_a_whole)
{
    bench b;
    bench_init(&b, 3);
    b.options.breaker_trip_scope = RGN_TRIP_PARTITION;
    b.options.failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
    b.options.breaker_tally = RGN_TALLY_SHARED;
    bench_fail_times(&b, 3, 0, RGN_READ, S);
    ck_assert_uint_eq(b.entry.tripped, 3);
    bench_fail(&b, 1, RGN_WRITE, S + 300 * S);
    ck_assert_uint_eq(b.entry.tripped, 3);
    bench_fail(&b, 1, RGN_WRITE, S + 600 * S + 1);
    ck_assert_uint_eq(b.entry.tripped, 0);
    ck_assert_int_eq(b.why, RGN_REASON_UNTRIP_WINDOW);
}
END_TEST

/* Tripped by reads at 1 s; thresholds 6 reads and 3 writes. */
static void bench_away(bench *b, int64_t strategy)
{
    bench_init(b, 3);
    b->options.failback_strategy = strategy;
    b->options.breaker_rule = RGN_RULE_CONSECUTIVE;
    b->options.breaker_read_failure_threshold = 6;
    b->options.breaker_write_failure_threshold = 3;
    b->options.failback_dwell_from = RGN_DWELL_TRIP;
    bench_fail_times(b, 6, 0, RGN_READ, S);
    ck_assert_int_eq(b->entry.phase, RGN_PHASE_UNHEALTHY);
}

START_TEST(a_trial_ends_at_its_successes_or_its_failures)
{
    bench b;
    bench_away(&b, RGN_STRATEGY_TENTATIVE);
    bench_expire(&b, true, 10 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    ck_assert_uint_eq(b.entry.tripped, 0);
    ck_assert_uint_eq(b.entry.first_failed, 0);

    bench fails = b; /* half of six; a success between them takes none back */
    bench_fail_times(&fails, 2, 0, RGN_READ, 11 * S);
    bench_succeed(&fails, 0, RGN_READ, 11 * S);
    ck_assert_int_eq(fails.entry.phase, RGN_PHASE_RECOVERING);
    bench_fail(&fails, 0, RGN_READ, 12 * S);
    ck_assert_int_eq(fails.entry.phase, RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(fails.story.transition[0].failures, 3);
    ck_assert_int_eq(fails.story.transition[0].threshold, 3);

    bench writes = b; /* half of three, rounded down */
    bench_fail(&writes, 0, RGN_WRITE, 11 * S);
    ck_assert_int_eq(writes.entry.phase, RGN_PHASE_UNHEALTHY);

    bench elsewhere = b; /* another region is not on trial */
    bench_fail_times(&elsewhere, 5, 1, RGN_READ, 11 * S);
    ck_assert_int_eq(elsewhere.entry.phase, RGN_PHASE_RECOVERING);

    for (unsigned i = 0; i < 5; i++)
        bench_succeed(&b, 0, RGN_READ, 11 * S);
    bench_fail(&b, 0, RGN_READ, 12 * S); /* the successes begin anew */
    for (unsigned i = 0; i < 5; i++)
        bench_succeed(&b, 0, RGN_READ, 13 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    bench_succeed(&b, 0, RGN_READ, 14 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK_TENTATIVE);
}
END_TEST

START_TEST(without_a_trial_the_promotion_is_the_failback)
{
    bench b;
    bench_away(&b, RGN_STRATEGY_AT_ONCE);
    bench_expire(&b, true, 6 * S - 1);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_UNHEALTHY);
    bench_expire(&b, true, 6 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK_AT_ONCE);
}
END_TEST

START_TEST(a_success_begins_a_recovery_strictly_after_the_wait)
{
    static const struct {
        rgn_time_ns at;
        rgn_region region;
        bool begins;
    } rows[] = {{31 * S - 1, 0, false}, {31 * S, 0, false}, {31 * S + 1, 0, true}, {31 * S + 1, 1, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        bench_away(&b, RGN_STRATEGY_TENTATIVE);
        b.options.failback_request_recovery = 30 * S;
        bench_succeed(&b, rows[i].region, RGN_READ, rows[i].at);
        ck_assert_msg((b.entry.phase == RGN_PHASE_RECOVERING) == rows[i].begins, "row %zu", i);
        if (rows[i].begins)
            ck_assert_int_eq(b.why, RGN_REASON_PROMOTE_REQUEST);
    }
}
END_TEST

/* --- router ------------------------------------------------------------------------------------------------------ */

static void trip(void)
{
    for (unsigned i = 0; i < 10; i++)
        rgn_router_record_failure(f.router, 0, 0, RGN_READ, RGN_NS_PER_S);
}

static rgn_phase phase(void)
{
    return (rgn_phase)fixture_entry(&f, 0).phase;
}

START_TEST(a_recovery_that_waits_for_a_connection)
{
    rgn_task task[2];
    fixture_init(&f, true);
    f.config.options.failback_promote_on = RGN_PROMOTE_ON_CONNECTION;
    f.config.options.failback_promote = RGN_PROMOTE_DUE; /* has no say */
    f.config.options.failback_dwell_from = RGN_DWELL_TRIP;
    f.config.options.failback_partition_unavailability_duration = 9 * RGN_NS_PER_S;
    f.config.options.failback_sweep_interval = 10 * RGN_NS_PER_S;
    fixture_start(&f);
    trip();
    ck_assert_int_eq(rgn_router_next_expiry(f.router), 10 * RGN_NS_PER_S);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 10 * RGN_NS_PER_S, task, 0), 0); /* no room: asked again */
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 20 * RGN_NS_PER_S, task, 2), 1);
    ck_assert_int_eq(phase(), RGN_PHASE_UNHEALTHY);
    ck_assert_uint_eq(task[0].kind, RGN_TASK_CONNECT_PARTITION);
    ck_assert_uint_eq(task[0].partition, 0);
    ck_assert_uint_eq(task[0].region, 0);
    rgn_router_answer_probe(f.router, &task[0], false, 21 * RGN_NS_PER_S);
    ck_assert_int_eq(phase(), RGN_PHASE_UNHEALTHY);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 30 * RGN_NS_PER_S, task, 2), 1);
    task[1] = task[0];
    task[1].generation++; /* of another recovery */
    rgn_router_answer_probe(f.router, &task[1], true, 31 * RGN_NS_PER_S);
    ck_assert_int_eq(phase(), RGN_PHASE_UNHEALTHY);
    rgn_router_answer_probe(f.router, &task[0], true, 31 * RGN_NS_PER_S);
    ck_assert_int_eq(phase(), RGN_PHASE_RECOVERING);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 40 * RGN_NS_PER_S, task, 2), 0);
    fixture_stop(&f);
}
END_TEST

/* The dwell ends at 10 s: no connection is asked for at a tick before. */
START_TEST(no_connection_is_asked_for_before_the_dwell_is_over)
{
    static const int64_t offset[] = {-1, 0, 1};
    for (size_t i = 0; i < 3; i++) {
        rgn_task task[1];
        fixture_init(&f, true);
        f.config.options.failback_promote_on = RGN_PROMOTE_ON_CONNECTION;
        f.config.options.failback_dwell_from = RGN_DWELL_TRIP;
        f.config.options.failback_partition_unavailability_duration = 9 * RGN_NS_PER_S;
        f.config.options.failback_sweep_interval = 10 * RGN_NS_PER_S;
        f.config.start = offset[i];
        fixture_start(&f);
        trip();
        ck_assert_uint_eq(rgn_router_on_expiry(f.router, 10 * RGN_NS_PER_S + offset[i], task, 1), offset[i] >= 0);
        fixture_stop(&f);
    }
}
END_TEST

static bool breaker_after(bool automatic_failover)
{
    rgn_account account = f.account;
    account.automatic_failover = automatic_failover;
    ck_assert_int_eq(rgn_router_set_account(f.router, &account, RGN_NS_PER_S), RGN_OK);
    return rgn_router_breaker_is_on(f.router);
}

START_TEST(automatic_failover_switches_the_breaker_or_leaves_it)
{
    static const struct {
        int64_t rule, enabled;
        bool at_first, is_on[4]; /* with the first account; after it is enabled, disabled, disabled again */
    } rows[] = {
        {RGN_FAILOVER_APART, 0, false, {false, false, false, false}},
        {RGN_FAILOVER_APART, 1, true, {true, true, true, true}},
        {RGN_FAILOVER_FOLLOW, 0, false, {false, true, false, false}},
        {RGN_FAILOVER_FOLLOW, 1, false, {true, true, false, false}},
        {RGN_FAILOVER_FOLLOW, 0, true, {true, true, false, false}},
        {RGN_FAILOVER_LATCH, 0, false, {false, true, true, true}},
        {RGN_FAILOVER_LATCH, 0, true, {true, true, true, true}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture_init(&f, false);
        f.config.options.breaker_automatic_failover = rows[i].rule;
        f.config.options.breaker_enabled = rows[i].enabled;
        f.account.automatic_failover = rows[i].at_first;
        fixture_start(&f);
        ck_assert_msg(rgn_router_breaker_is_on(f.router) == rows[i].is_on[0], "row %zu", i);
        ck_assert_msg(breaker_after(true) == rows[i].is_on[1], "row %zu", i);
        ck_assert_msg(breaker_after(false) == rows[i].is_on[2], "row %zu", i);
        ck_assert_msg(breaker_after(false) == rows[i].is_on[3], "row %zu", i);
        fixture_stop(&f);
    }
}
END_TEST

/* --- races ------------------------------------------------------------------------------------------------------- */

/* Failures counted at that region. */
static unsigned failures_of(rgn_region region, rgn_direction direction)
{
    const rgn_entry entry = fixture_entry(&f, 0);
    for (unsigned row = 0; entry.phase != RGN_PHASE_ABSENT && row < RGN_COUNTED_REGIONS; row++)
        if (entry.counts.region[row] == region)
            return entry.counts.failures[row][direction];
    return 0;
}

static unsigned failures_at(rgn_region region)
{
    return failures_of(region, RGN_READ);
}

typedef enum { HEDGE_WINS, PRIMARY_WINS, DEADLINE_IN_RACE, GIVEN_UP, DEADLINE_ALONE } ending;

static void end_race(ending how)
{
    rgn_request request = a_read;
    request.timeout = MS(1000);
    if (how == DEADLINE_ALONE) {
        request.timeout = MS(100);
        is_sent(begin(&request, 0), 0, 0);
        ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, MS(100)), RGN_WAIT);
        ck_assert_int_eq(ring(RGN_WAKE_HARVEST, MS(150)), RGN_DONE);
        return;
    }
    race(&request);
    if (how == HEDGE_WINS)
        is_done(answer(1, 200, 0, MS(300)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    else if (how == PRIMARY_WINS)
        is_done(answer(0, 200, 0, MS(300)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
    else if (how == GIVEN_UP)
        ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(300)), RGN_DONE);
    else {
        ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, MS(1000)), RGN_WAIT);
        ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(1010)), RGN_DONE); /* counted once */
    }
}

START_TEST(what_a_leg_that_is_cut_counts)
{
    static const struct {
        int64_t rule;
        ending how;
        unsigned primary, hedge;
    } rows[] = {
        {RGN_CUT_LEGS_IGNORE, HEDGE_WINS, 0, 0},       {RGN_CUT_LEGS_IGNORE, DEADLINE_ALONE, 0, 0},
        {RGN_CUT_LEGS_LOST_PRIMARY, HEDGE_WINS, 1, 0}, {RGN_CUT_LEGS_LOST_PRIMARY, PRIMARY_WINS, 0, 0},
        {RGN_CUT_LEGS_LOST_PRIMARY, GIVEN_UP, 0, 0},   {RGN_CUT_LEGS_LOST_PRIMARY, DEADLINE_IN_RACE, 0, 0},
        {RGN_CUT_LEGS_COUNT, HEDGE_WINS, 1, 0},        {RGN_CUT_LEGS_COUNT, PRIMARY_WINS, 0, 1},
        {RGN_CUT_LEGS_COUNT, GIVEN_UP, 1, 1},          {RGN_CUT_LEGS_COUNT, DEADLINE_IN_RACE, 1, 1},
        {RGN_CUT_LEGS_COUNT, DEADLINE_ALONE, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hedge_init(true);
        f.config.options.breaker_cut_legs = rows[i].rule;
        fixture_start(&f);
        end_race(rows[i].how);
        ck_assert_msg(failures_at(0) == rows[i].primary, "row %zu: %u at the primary's", i, failures_at(0));
        ck_assert_msg(failures_at(1) == rows[i].hedge, "row %zu: %u at the hedge's", i, failures_at(1));
        hedge_teardown();
    }
}
END_TEST

START_TEST(which_answers_the_breaker_counts)
{
    static const struct {
        unsigned status, substatus; /* 0: lost */
        rgn_direction direction;
        bool hedges_writes;
        unsigned counted[3]; /* charged, dotnet, java */
    } rows[] = {
        {0, 0, RGN_READ, false, {1, 1, 1}},        {503, 0, RGN_READ, false, {1, 1, 1}},
        {500, 0, RGN_READ, false, {1, 0, 1}},      {500, 0, RGN_WRITE, false, {1, 0, 1}},
        {501, 0, RGN_READ, false, {1, 0, 0}},      {410, 1022, RGN_READ, false, {1, 0, 0}},
        {403, 1008, RGN_READ, false, {1, 0, 0}},   {403, 3, RGN_WRITE, false, {1, 0, 0}},
        {429, 3092, RGN_WRITE, false, {1, 0, 0}},  {408, 0, RGN_READ, false, {1, 1, 0}},
        {408, 0, RGN_WRITE, false, {1, 1, 1}},     {408, 0, RGN_WRITE, true, {1, 1, 0}},
        {408, 21012, RGN_WRITE, false, {1, 1, 1}}, {408, 21013, RGN_WRITE, false, {1, 0, 1}},
        {408, 21014, RGN_WRITE, false, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int64_t rule = RGN_COUNTED_CHARGED; rule <= RGN_COUNTED_JAVA; rule++) {
            rgn_request request = a_read;
            request.direction = rows[i].direction;
            hedge_init(true);
            f.config.options.breaker_counted = rule;
            f.config.options.hedging_writes = rows[i].hedges_writes;
            fixture_start(&f);
            is_sent(begin(&request, 0), 0, 0);
            const rgn_step step = answer(0, rows[i].status, rows[i].substatus, MS(10));
            ck_assert_msg(failures_of(0, rows[i].direction) == rows[i].counted[rule], "row %zu, rule %d", i, (int)rule);
            if (step != RGN_DONE)
                rgn_op_abandon(f.router, &op, MS(20));
            hedge_teardown();
        }
}
END_TEST

START_TEST(a_primary_that_has_failed_may_end_the_race)
{
    hedge_init(true);
    f.config.options.hedging_primary_failure = _i != 0 ? RGN_PRIMARY_FAILURE_FINAL : RGN_PRIMARY_FAILURE_TRANSIENT;
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    fixture_start(&f);
    race(&a_read);
    if (_i != 0) {
        is_done(answer(0, 503, 0, MS(300)), 503, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
    } else {
        ck_assert_int_eq(answer(0, 503, 0, MS(300)), RGN_WAIT);
        is_done(answer(1, 200, 0, MS(400)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
    }
    hedge_teardown();
}
END_TEST

/* What the primary may still try it tries first, and a hedge that fails ends nothing. */
START_TEST(a_failed_primary_is_retried_before_it_ends_the_race)
{
    hedge_init(true);
    f.config.options.hedging_primary_failure = RGN_PRIMARY_FAILURE_FINAL;
    f.config.options.retry_max_failover_retry_count = 1;
    fixture_start(&f);
    race(&a_read);
    is_sent(answer(1, 503, 0, MS(250)), 1, 1);
    ck_assert_int_eq(answer(1, 503, 0, MS(260)), RGN_WAIT);
    is_sent(answer(0, 503, 0, MS(300)), 0, 0);
    is_done(answer(0, 503, 0, MS(400)), 503, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
    hedge_teardown();
}
END_TEST

START_TEST(the_later_of_two_failed_legs_may_be_the_answer)
{
    hedge_init(true);
    f.config.options.hedging_both_transient = _i != 0 ? RGN_BOTH_TRANSIENT_END : RGN_BOTH_TRANSIENT_ATTEMPT;
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    fixture_start(&f);
    race(&a_read);
    ck_assert_int_eq(answer(0, 503, 0, MS(300)), RGN_WAIT);
    if (_i != 0) {
        is_done(answer(1, 500, 0, MS(400)), 500, 1, RGN_HEDGE_BOTH_TRANSIENT, 0);
    } else {
        is_sent(answer(1, 500, 0, MS(400)), 0, 2);
        is_done(answer(0, 200, 0, MS(500)), 200, 2, RGN_HEDGE_BOTH_TRANSIENT, 0);
    }
    hedge_teardown();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peers");
    TCase *tc = tcase_create("peers");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_trip_takes_one_direction_or_the_partition);
    tcase_add_test(tc, a_derived_trip_of_the_partition_falls_as_a_whole);
    tcase_add_test(tc, a_trial_ends_at_its_successes_or_its_failures);
    tcase_add_test(tc, without_a_trial_the_promotion_is_the_failback);
    tcase_add_test(tc, a_success_begins_a_recovery_strictly_after_the_wait);
    tcase_add_test(tc, a_recovery_that_waits_for_a_connection);
    tcase_add_test(tc, no_connection_is_asked_for_before_the_dwell_is_over);
    tcase_add_test(tc, automatic_failover_switches_the_breaker_or_leaves_it);
    tcase_add_test(tc, what_a_leg_that_is_cut_counts);
    tcase_add_test(tc, which_answers_the_breaker_counts);
    tcase_add_loop_test(tc, a_primary_that_has_failed_may_end_the_race, 0, 2);
    tcase_add_test(tc, a_failed_primary_is_retried_before_it_ends_the_race);
    tcase_add_loop_test(tc, the_later_of_two_failed_legs_may_be_the_answer, 0, 2);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
