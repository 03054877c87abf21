/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The race from its start to each of its ends, and what it leaves behind. Tests that the published hedging
 * specification lists keep the names it gives them. */
#include "hedge_script.h"

/* --- healthy ----------------------------------------------------------------------------------------------------- */

START_TEST(zero_overhead_happy_path_no_allocs)
{
    uint8_t untouched[64];
    size_t bytes = f.bytes;
    unsigned allocations = f.allocations;

    memset(untouched, 0xa5, sizeof untouched);
    is_sent(begin(&a_read, 0), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_HEDGE);
    ck_assert_int_eq(op.wake_at, MS(200));
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_WAITING);
    is_done(answer(0, 200, 0, MS(5)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
    ck_assert_mem_eq((const char *)&op + 64, untouched, 64);
    ck_assert_uint_eq(f.bytes, bytes);
    ck_assert_uint_eq(f.allocations, allocations);
}
END_TEST

START_TEST(hedging_read_primary_fast)
{
    is_sent(begin(&a_read, 0), 0, 0);
    is_done(answer(0, 200, 0, MS(200)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0); /* a tie is the primary's */
    is_sent(begin(&a_read, S(1)), 0, 0);
    is_done(answer(0, 404, 0, S(1) + 1), 404, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
}
END_TEST

/* --- slow -------------------------------------------------------------------------------------------------------- */

START_TEST(hedging_read_primary_slow)
{
    race(&a_read);
    ck_assert_uint_eq(op.reason, RGN_REASON_ROUTE_HEDGE);
    ck_assert_int_eq(op.leg_timeout_at, MS(200) + S(6));
    is_done(answer(1, 200, 0, MS(220)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    ck_assert_uint_eq(op.attempts, 2);
}
END_TEST

START_TEST(hedging_read_both_regions_slow)
{
    race(&a_read);
    is_done(answer(0, 200, 0, S(2)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
    race(&a_read);
    is_done(answer(1, 200, 0, S(2)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
}
END_TEST

START_TEST(hedging_cancels_loser)
{
    rgn_entry entry;

    race(&a_read);
    is_done(answer(1, 200, 0, S(1)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    ck_assert(!rgn_router_inspect(f.router, 0, &entry) || entry.phase == RGN_PHASE_ABSENT); /* no failure counted */
    ck_assert_uint_eq(f.mark_count, 0);
}
END_TEST

/* --- regions ----------------------------------------------------------------------------------------------------- */

START_TEST(alternate_region_pin_excludes_primary)
{
    race(&a_read);
    is_sent(answer(1, 503, 0, MS(210)), 1, 1);
    ck_assert_uint_eq(op.pair.other_region, 0);
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

START_TEST(alternate_region_pin_unions_user_excludes)
{
    rgn_request request = a_read;

    request.has_excluded = true;
    request.excluded = SET(1);
    is_sent(begin(&request, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 2);
    is_sent(answer(1, 503, 0, MS(210)), 1, 2);
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

/* Whatever makes a leg try again, it does so in its region; and its failures are charged there. */
START_TEST(exclude_regions_honored_by_every_retry_trigger)
{
    static const unsigned triggers[][2] = {{503, 0}, {410, 0}, {408, 0},    {500, 0},    {429, 3092},
                                           {429, 0}, {449, 0}, {404, 1002}, {403, 1008}, {0, 0},
                                           {429, 10003}};

    f.config.options.hedging_account_not_found = RGN_NOT_FOUND_TRANSIENT;
    for (unsigned leg = 0; leg < 2; leg++) {
        for (size_t i = 0; i < sizeof triggers / sizeof triggers[0]; i++) {
            rgn_step step;
            hedge_restart();
            race(&a_read);
            step = answer(leg, triggers[i][0], triggers[i][1], MS(300));
            if (step == RGN_WAIT) /* a throttled leg, and one told to retry, wait first */
                step = ring(RGN_WAKE_BACKOFF, op.wake_at);
            is_sent(step, leg, (rgn_region)leg);
            ck_assert_uint_eq(op.reason, RGN_REASON_ROUTE_IN_REGION);
            ck_assert_uint_eq(op.open_legs, 3);
            rgn_op_abandon(f.router, &op, S(1));
        }
    }
}
END_TEST

START_TEST(hedging_exclude_regions_under_503_retry)
{
    race(&a_read);
    for (int i = 0; i < 3; i++)
        is_sent(answer(1, 503, 0, MS(210)), 1, 1); /* region 2 is healthy, and none of the hedge's business */
    ck_assert_int_eq(answer(1, 503, 0, MS(210)), RGN_WAIT);
    ck_assert_uint_eq(op.open_legs, 1);
    is_done(answer(0, 200, 0, S(1)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 4);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.region[0], 1);
}
END_TEST

/* --- failures ---------------------------------------------------------------------------------------------------- */

START_TEST(hedging_read_primary_503)
{
    /* Retried as without hedging: at once elsewhere. */
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 503, 0, MS(3)), 0, 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT); /* its one race is over */
    is_done(answer(0, 200, 0, MS(9)), 200, 1, RGN_HEDGE_ENDED_EARLY, 0);

    /* The driver launches the hedge, and its primary leg is not tried again. */
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 503, 0, MS(3)), 1, 1);
    ck_assert_uint_eq(op.open_legs, 2);
    is_done(answer(1, 200, 0, MS(9)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1);
}
END_TEST

/* With local retries both legs are due in the instant of the failure: the hedge goes first, the primary follows. */
START_TEST(an_early_launch_and_a_local_retry_take_two_calls_of_one_instant)
{
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    hedge_restart();
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 503, 0, MS(3)), 1, 1);
    is_sent(ring(RGN_WAKE_BACKOFF, MS(3)), 0, 0);
    ck_assert_uint_eq(op.open_legs, 3);
    is_done(answer(0, 200, 0, MS(5)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
}
END_TEST

START_TEST(a_throttled_primary_waits_in_its_region_and_the_threshold_goes_on)
{
    f.draw = 0; /* jitter: three quarters of 5 ms, 10 ms, ... */
    is_sent(begin(&a_read, 0), 0, 0);
    ck_assert_int_eq(answer(0, 429, 0, MS(199)), RGN_WAIT);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    ck_assert_uint_eq(op.open_legs, 2);
    is_sent(ring(RGN_WAKE_BACKOFF, MS(199) + MS(15) / 4), 0, 0);
    is_done(answer(0, 200, 0, MS(205)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);

    is_sent(begin(&a_read, 0), 0, 0); /* and if the wait is over first, there was no race to speak of */
    ck_assert_int_eq(answer(0, 429, 0, MS(1)), RGN_WAIT);
    is_sent(ring(RGN_WAKE_BACKOFF, MS(1) + MS(15) / 4), 0, 0);
    is_done(answer(0, 200, 0, MS(9)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
}
END_TEST

/* The client's own throttle: the other region would meet the same gate, and so there is no hedge. */
START_TEST(a_local_throttle_before_the_threshold_ends_the_race)
{
    is_sent(begin(&a_read, 0), 0, 0);
    ck_assert_int_eq(answer(0, 429, RGN_SUBSTATUS_LOCAL_THROTTLE, MS(3)), RGN_WAIT);
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_ENDED_EARLY);
    is_sent(ring(RGN_WAKE_BACKOFF, op.wake_at), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    is_done(answer(0, 200, 0, S(1)), 200, 0, RGN_HEDGE_ENDED_EARLY, 0);
    is_sent(begin(&a_read, 0), 0, 0); /* one from the service is another region's chance */
    ck_assert_int_eq(answer(0, 429, 10002, MS(3)), RGN_WAIT);
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_WAITING);
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

/* A partition that the operation does not know yet is learnt in the race, and known to what comes after it. */
START_TEST(a_race_that_neither_leg_wins_keeps_the_partition_that_a_leg_named)
{
    rgn_request request = a_read;

    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    request.partition = RGN_PARTITION_UNKNOWN;
    race(&request);
    ck_assert_int_eq(answer(0, 0, 0, MS(210)), RGN_WAIT); /* a lost connection names nothing */
    rgn_op_learn_partition(f.router, &op, 5);
    is_sent(answer(1, 503, 0, MS(220)), 0, 2);
    answer(0, 503, 0, MS(230));
    ck_assert_uint_eq(fixture_entry(&f, 5).counts.failures[0][RGN_READ], 1);
    ck_assert_uint_eq(fixture_entry(&f, 5).counts.region[0], 1);
    ck_assert_uint_eq(fixture_entry(&f, 5).counts.region[1], 2);
    ck_assert_uint_eq(f.mark_count, 0);
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

START_TEST(a_transient_leg_keeps_the_other_racing)
{
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    race(&a_read);
    ck_assert_int_eq(answer(0, 503, 0, MS(300)), RGN_WAIT);
    is_done(answer(1, 200, 0, MS(400)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
    race(&a_read);
    ck_assert_int_eq(answer(1, 404, 1002, MS(300)), RGN_WAIT);
    is_done(answer(0, 409, 0, MS(400)), 409, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
}
END_TEST

START_TEST(a_leg_that_outlives_its_timeout_is_cut_and_is_transient)
{
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    f.config.options.retry_request_timeout = MS(500);
    hedge_restart();
    race(&a_read);
    ck_assert_int_eq(ring(RGN_WAKE_LEG_TIMEOUT, MS(500)), RGN_WAIT);
    ck_assert_uint_eq(op.cancel_legs, 1);
    ck_assert_uint_eq(op.open_legs, 2);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1);
    is_sent(ring(RGN_WAKE_LEG_TIMEOUT, MS(700)), 0, 2); /* both: the operation goes on elsewhere */
    ck_assert_uint_eq(op.cancel_legs, 2);
    is_done(answer(0, 200, 0, MS(710)), 200, 2, RGN_HEDGE_BOTH_TRANSIENT, 0);
}
END_TEST

START_TEST(both_transient_is_one_failed_attempt_in_two_regions)
{
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    f.config.options.retry_max_failover_retry_count = 1;
    hedge_restart();
    race(&a_read);
    ck_assert_int_eq(answer(0, 503, 0, MS(300)), RGN_WAIT);
    is_sent(answer(1, 503, 0, MS(310)), 0, 2);
    ck_assert_uint_eq(op.failover_retries, 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
    is_done(answer(0, 503, 7, MS(320)), 503, 2, RGN_HEDGE_BOTH_TRANSIENT, 0);

    f.config.options.retry_max_failover_retry_count = 0; /* without a budget the last answer is the caller's */
    hedge_restart();
    race(&a_read);
    ck_assert_int_eq(answer(1, 503, 1, MS(300)), RGN_WAIT);
    is_done(answer(0, 500, 2, MS(310)), 500, 0, RGN_HEDGE_BOTH_TRANSIENT, 0);
    ck_assert_uint_eq(op.result.reason, RGN_REASON_DONE_EXHAUSTED);
}
END_TEST

/* A race after a failed attempt counts from its own start, and avoids the regions that have failed. */
START_TEST(a_later_attempt_may_race_too)
{
    f.config.options.hedging_races_per_operation = 2;
    f.config.options.hedging_secondary = RGN_SECONDARY_UNTRIPPED;
    hedge_restart();
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 503, 0, MS(30)), 0, 1);
    is_sent(ring(RGN_WAKE_HEDGE, MS(230)), 1, 2);
    is_done(answer(1, 200, 0, MS(240)), 200, 2, RGN_HEDGE_ALTERNATE_WON, 1);
    is_sent(begin(&a_read, 0), 0, 0); /* no third one: the two are spent */
    is_sent(answer(0, 503, 0, MS(30)), 0, 1);
    is_sent(answer(0, 503, 0, MS(40)), 0, 2);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

/* --- the deadline ------------------------------------------------------------------------------------------------ */

static rgn_request read_within(rgn_dur_ns timeout)
{
    rgn_request request = a_read;

    request.timeout = timeout;
    return request;
}

START_TEST(hedging_respects_deadline)
{
    static const rgn_dur_ns deadlines[] = {MS(100), MS(200)}; /* at the deadline itself a hedge is of no use */

    for (size_t i = 0; i < 2; i++) {
        rgn_request request = read_within(deadlines[i]);
        is_sent(begin(&request, 0), 0, 0);
        ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, deadlines[i]), RGN_WAIT);
        is_done(ring(RGN_WAKE_HARVEST, deadlines[i] + MS(50)), 408, NOBODY, RGN_HEDGE_DEADLINE_PRE_THRESHOLD, 1);
    }
}
END_TEST

START_TEST(what_comes_within_the_harvest_window_ends_the_wait_and_changes_nothing)
{
    rgn_request request = read_within(S(1));
    rgn_entry entry;

    race(&request);
    ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, S(1)), RGN_WAIT);
    ck_assert_uint_eq(op.open_legs, 3);
    ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
    is_done(answer(1, 503, 0, S(1) + MS(49)), 408, NOBODY, RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 1);
    ck_assert_uint_eq(op.result.substatus, 20008);
    ck_assert(!rgn_router_inspect(f.router, 0, &entry));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 0);
}
END_TEST

START_TEST(a_deadline_with_one_leg_left_is_cancelled_awaiting_partner)
{
    rgn_request request = read_within(S(1));

    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    race(&request);
    ck_assert_int_eq(answer(0, 503, 0, MS(300)), RGN_WAIT);
    ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, S(1)), RGN_WAIT);
    is_done(ring(RGN_WAKE_HARVEST, S(1) + MS(50)), 408, 0, RGN_HEDGE_CANCELLED_AWAITING_PARTNER, 2);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1); /* the leg that did end counts */
}
END_TEST

START_TEST(both_transient_at_the_deadline_ends_there)
{
    rgn_request request = read_within(S(1));

    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    race(&request);
    ck_assert_int_eq(answer(0, 503, 0, MS(300)), RGN_WAIT);
    is_done(answer(1, 503, 0, S(1)), 408, 1, RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 0);
}
END_TEST

START_TEST(app_cancel_preserves_hedge_diagnostics)
{
    begin(&a_read, 0);
    is_done(rgn_op_abandon(f.router, &op, MS(1)), 0, NOBODY, RGN_HEDGE_DEADLINE_PRE_THRESHOLD, 1);
    race(&a_read);
    is_done(rgn_op_abandon(f.router, &op, S(1)), 0, NOBODY, RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 3);
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    race(&a_read);
    ck_assert_int_eq(answer(1, 503, 0, MS(300)), RGN_WAIT);
    is_done(rgn_op_abandon(f.router, &op, S(1)), 0, 1, RGN_HEDGE_CANCELLED_AWAITING_PARTNER, 1);
    ck_assert_uint_eq(op.result.reason, RGN_REASON_DONE_ABANDONED);
}
END_TEST

/* --- feedback ---------------------------------------------------------------------------------------------------- */

static void win_by_hedge(rgn_time_ns at)
{
    is_sent(begin(&a_read, at), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, at + MS(200)), 1, 1);
    is_done(answer(1, 200, 0, at + MS(210)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
}

START_TEST(record_hedge_win_increments_ppcb_counter)
{
    for (unsigned n = 1; n <= 4; n++) {
        win_by_hedge(S(n));
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), n);
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 1), 0);
    }
}
END_TEST

/* Any final answer of the primary will do, before the threshold and after it. */
START_TEST(primary_win_resets_hedge_win_counter)
{
    static const unsigned finals[] = {200, 404, 409, 412, 501};

    for (size_t i = 0; i < 5; i++) {
        for (int is_late = 0; is_late < 2; is_late++) {
            win_by_hedge(0);
            ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 1);
            if (is_late)
                race(&a_read);
            else
                begin(&a_read, 0);
            answer(0, finals[i], 0, MS(250));
            ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 0);
            if (rgn_op_hedge(&op) == RGN_HEDGE_ENDED_EARLY) /* 501 is tried elsewhere before the threshold */
                rgn_op_abandon(f.router, &op, S(1));
        }
    }
}
END_TEST

START_TEST(hedging_alternate_wins_trip_ppcb)
{
    for (int n = 0; n < 5; n++) {
        ck_assert_uint_eq(f.transition_count, 0);
        win_by_hedge(S(n));
    }
    ck_assert_uint_eq(f.transition_count, 1);
    ck_assert_uint_eq(f.transitions[0].reason, RGN_REASON_TRIP_HEDGE);
    ck_assert_uint_eq(fixture_entry(&f, 0).cause, RGN_CAUSE_HEDGE_WINS);
    ck_assert_uint_eq(fixture_entry(&f, 0).first_failed, 0);
}
END_TEST

/* Repeated wins trip; then reads go to the other region directly and without a hedge, until recovery brings them home.
 */
START_TEST(hedging_ppcb_feedback_cross_region)
{
    f.account.readable.count = 2;
    f.account.writable.count = 1;
    f.account.multi_write = false;
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 100;
    f.config.options.failback_min_sample = 1;
    hedge_restart();
    for (int n = 0; n < 5; n++)
        win_by_hedge(S(n));
    is_sent(begin(&a_read, S(6)), 0, 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    is_done(answer(0, 200, 0, S(6)), 200, 1, RGN_HEDGE_NONE, 0);
    rgn_router_on_expiry(f.router, rgn_router_next_expiry(f.router), NULL, 0);
    is_sent(begin(&a_read, S(11)), 0, 0);
    ck_assert_uint_eq(op.send_flags, RGN_SEND_CANARY);
    is_done(answer(0, 200, 0, S(11) + MS(3)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    win_by_hedge(S(12)); /* healthy again, and hedged again */
}
END_TEST

START_TEST(hedging_read_cross_region)
{
    f.account.readable.count = 2;
    f.account.writable.count = 1;
    f.account.multi_write = false;
    hedge_restart();
    win_by_hedge(0);
}
END_TEST

START_TEST(hedging_with_ppcb_existing_failures)
{
    for (int i = 0; i < 9; i++)
        rgn_router_record_failure(f.router, 0, 0, RGN_READ, 0);
    win_by_hedge(S(1));
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 9);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 1);
    is_sent(begin(&a_read, S(2)), 0, 0); /* the tenth failure trips, whatever hedging does */
    is_sent(answer(0, 503, 0, S(2)), 0, 1);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
    rgn_op_abandon(f.router, &op, S(3));
}
END_TEST

START_TEST(hedging_failback_to_primary)
{
    win_by_hedge(0);
    win_by_hedge(S(1));
    for (int n = 2; n < 5; n++) {
        is_sent(begin(&a_read, S(n)), 0, 0);
        is_done(answer(0, 200, 0, S(n) + MS(3)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
    }
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 0);
}
END_TEST

/* --- canaries ---------------------------------------------------------------------------------------------------- */

/* Partition 0 recovers from a trip for that cause; every read is a canary. */
static void recover(rgn_cause cause)
{
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 100;
    hedge_restart();
    if (cause == RGN_CAUSE_FAILURES)
        fixture_trip(&f, 0, RGN_READ, 0);
    for (int n = 0; cause == RGN_CAUSE_HEDGE_WINS && n < 5; n++)
        win_by_hedge(0);
    rgn_router_on_expiry(f.router, S(9), NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
}

static void check_sample(unsigned total, unsigned success)
{
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_total, total);
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_success, success);
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_in_flight, 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 0); /* a canary feeds its sample and nothing else */
}

static void race_canary(void)
{
    is_sent(begin(&a_read, S(10)), 0, 0);
    ck_assert(rgn_op_has_canary(&op));
    is_sent(ring(RGN_WAKE_HEDGE, S(10) + MS(200)), 1, 1);
}

START_TEST(a_canary_that_loses_its_race_has_failed_or_says_nothing)
{
    for (int64_t rule = RGN_LOST_RACE_FAILURE; rule <= RGN_LOST_RACE_NEUTRAL; rule++) {
        f.config.options.failback_lost_race = rule;
        recover(RGN_CAUSE_FAILURES);
        race_canary();
        is_done(answer(1, 200, 0, S(11)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
        check_sample(rule == RGN_LOST_RACE_FAILURE, 0);
        ck_assert_int_eq(op.canary_failed_at, S(10) + MS(200)); /* when its caller's other attempt began */
    }
}
END_TEST

START_TEST(a_canarys_answer_in_a_race_feeds_its_sample)
{
    static const struct {
        unsigned status, substatus;
        unsigned total, success;
        bool ends;
    } rows[] = {{200, 0, 1, 1, true},  {404, 0, 1, 1, true},  {503, 0, 1, 0, false},
                {501, 0, 1, 0, false}, {429, 0, 0, 0, false}, {403, 3, 0, 0, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        recover(RGN_CAUSE_FAILURES);
        race_canary();
        if (rows[i].ends) {
            is_done(answer(0, rows[i].status, 0, S(11)), rows[i].status, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
            ck_assert_int_eq(op.canary_failed_at, RGN_TIME_NEVER);
        } else { /* the canary makes one attempt; its hedge is the other way already */
            ck_assert_int_eq(answer(0, rows[i].status, rows[i].substatus, S(11)), RGN_WAIT);
            check_sample(rows[i].total, rows[i].success);
            is_done(answer(1, 200, 0, S(12)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
        }
        check_sample(rows[i].total, rows[i].success);
    }
}
END_TEST

START_TEST(a_canary_that_hangs_past_the_deadline_has_failed)
{
    rgn_request request = read_within(MS(300));

    f.config.options.failback_canary_timeout = S(1);
    recover(RGN_CAUSE_FAILURES);
    is_sent(begin(&request, S(10)), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, S(10) + MS(200)), 1, 1);
    ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, S(10) + MS(300)), RGN_WAIT);
    check_sample(1, 0);
    is_done(answer(0, 200, 0, S(10) + MS(310)), 408, NOBODY, RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 2);
    check_sample(1, 0);
}
END_TEST

/* After a trip by latency, an answer that comes as slowly as those that tripped it is no recovery. */
START_TEST(after_a_trip_by_hedge_wins_slow_successes_may_count_as_failures)
{
    enum { STATUS, STATUS_AND_LATENCY_AFTER_HEDGE_WINS, STATUS_AND_LATENCY, EVIDENCES };
    for (int evidence = STATUS; evidence < EVIDENCES; evidence++) {
        for (rgn_cause cause = RGN_CAUSE_FAILURES; cause <= RGN_CAUSE_HEDGE_WINS; cause++) {
            bool is_strict =
                evidence == STATUS_AND_LATENCY ||
                (evidence == STATUS_AND_LATENCY_AFTER_HEDGE_WINS && cause == RGN_CAUSE_HEDGE_WINS);
            f.config.options.failback_hedge_trip_evidence = evidence == STATUS_AND_LATENCY_AFTER_HEDGE_WINS;
            f.config.options.failback_evidence = evidence == STATUS_AND_LATENCY;
            recover(cause);
            race_canary();
            is_done(answer(0, 200, 0, S(11)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
            check_sample(1, !is_strict);
            begin(&a_read, S(12)); /* within the threshold, to the nanosecond */
            answer(0, 200, 0, S(12) + MS(200));
            check_sample(2, is_strict ? 1 : 2);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {zero_overhead_happy_path_no_allocs,
                                  hedging_read_primary_fast,
                                  hedging_read_primary_slow,
                                  hedging_read_both_regions_slow,
                                  hedging_cancels_loser,
                                  alternate_region_pin_excludes_primary,
                                  alternate_region_pin_unions_user_excludes,
                                  exclude_regions_honored_by_every_retry_trigger,
                                  hedging_exclude_regions_under_503_retry,
                                  hedging_read_primary_503,
                                  an_early_launch_and_a_local_retry_take_two_calls_of_one_instant,
                                  a_throttled_primary_waits_in_its_region_and_the_threshold_goes_on,
                                  a_transient_leg_keeps_the_other_racing,
                                  a_leg_that_outlives_its_timeout_is_cut_and_is_transient,
                                  both_transient_is_one_failed_attempt_in_two_regions,
                                  a_later_attempt_may_race_too,
                                  a_local_throttle_before_the_threshold_ends_the_race,
                                  a_race_that_neither_leg_wins_keeps_the_partition_that_a_leg_named,
                                  hedging_respects_deadline,
                                  what_comes_within_the_harvest_window_ends_the_wait_and_changes_nothing,
                                  a_deadline_with_one_leg_left_is_cancelled_awaiting_partner,
                                  both_transient_at_the_deadline_ends_there,
                                  app_cancel_preserves_hedge_diagnostics,
                                  record_hedge_win_increments_ppcb_counter,
                                  primary_win_resets_hedge_win_counter,
                                  hedging_alternate_wins_trip_ppcb,
                                  hedging_ppcb_feedback_cross_region,
                                  hedging_read_cross_region,
                                  hedging_with_ppcb_existing_failures,
                                  hedging_failback_to_primary,
                                  a_canary_that_loses_its_race_has_failed_or_says_nothing,
                                  a_canarys_answer_in_a_race_feeds_its_sample,
                                  a_canary_that_hangs_past_the_deadline_has_failed,
                                  after_a_trip_by_hedge_wins_slow_successes_may_count_as_failures};
    return run_hedge_suite("hedging_race", tests, sizeof tests / sizeof tests[0]);
}
