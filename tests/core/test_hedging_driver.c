/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shipped driver does otherwise in a race, knob by knob, each beside the default; and corners of a race that
 * an independent model of one operation has found (tests/conformance/model). */
#include "hedge_script.h"

/* A read of an account with one or more write regions whose knob has that value. */
static void use(bool multi_write, rgn_knob_id knob, int64_t value)
{
    hedge_teardown();
    hedge_init(multi_write);
    if (knob != RGN_KNOB_COUNT)
        rgn_options_set(&f.config.options, knob, value);
}

START_TEST(the_driver_charges_two_failovers_for_a_race_without_a_winner)
{
    for (int max = 1; max <= 3; max++) {
        use(true, RGN_KNOB_hedging_both_transient, RGN_BOTH_TRANSIENT_TWO_FAILOVERS);
        f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
        f.config.options.hedging_exhausted_race = RGN_EXHAUSTED_RACE_UNAVAILABLE;
        f.config.options.retry_max_failover_retry_count = max;
        fixture_start(&f);
        race(&a_read);
        ck_assert_int_eq(answer(0, 408, 0, MS(210)), RGN_WAIT);
        if (max < 2) {
            is_done(answer(1, 410, 0, MS(220)), 503, 1, RGN_HEDGE_BOTH_TRANSIENT, 0);
            ck_assert_uint_eq(op.result.substatus, 20003);
            continue;
        }
        is_sent(answer(1, 410, 0, MS(220)), 0, 2);
        if (max == 2)
            is_done(answer(0, 408, 0, MS(230)), 408, 2, RGN_HEDGE_BOTH_TRANSIENT, 0);
        else
            ck_assert_int_eq(answer(0, 408, 0, MS(230)), RGN_SEND);
    }
}
END_TEST

START_TEST(a_race_without_a_winner_and_without_budget_ends_with_its_last_answer)
{
    use(true, RGN_KNOB_retry_max_failover_retry_count, 0);
    fixture_start(&f);
    race(&a_read);
    ck_assert_int_eq(answer(0, 408, 0, MS(210)), RGN_WAIT);
    is_done(answer(1, 410, 0, MS(220)), 410, 1, RGN_HEDGE_BOTH_TRANSIENT, 0);
}
END_TEST

/* The hub is region 0; the race has no other budget for sessions than one retry. */
START_TEST(the_driver_sends_no_read_to_the_write_list_after_a_race)
{
    for (int value = 0; value < 2; value++) {
        use(false, RGN_KNOB_hedging_session_race, value);
        f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
        fixture_start(&f);
        race(&a_read);
        ck_assert_int_eq(answer(0, 503, 0, MS(210)), RGN_WAIT);
        is_sent(answer(1, 404, 1002, MS(220)), 0, value == RGN_SESSION_RACE_WRITE_LIST ? 0 : 2);
        ck_assert((op.send_flags & RGN_SEND_HUB) != 0);
    }
}
END_TEST

START_TEST(the_driver_takes_no_error_from_the_hedge_of_a_metadata_read)
{
    static const rgn_request metadata = {.is_container_level = true, .timeout = RGN_TIME_NEVER};

    for (int value = 0; value < 2; value++) {
        use(true, RGN_KNOB_hedging_metadata_error, value);
        f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
        f.config.options.hedging_metadata_threshold = MS(200);
        fixture_start(&f);
        race(&metadata);
        if (value == RGN_METADATA_ERROR_FINAL) {
            is_done(answer(1, 404, 0, MS(210)), 404, 1, RGN_HEDGE_ALTERNATE_WON, 1);
            continue;
        }
        ck_assert_int_eq(answer(1, 404, 0, MS(210)), RGN_WAIT);
        is_done(answer(0, 404, 0, MS(220)), 404, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
    }
}
END_TEST

START_TEST(account_not_found_ends_a_race_or_leaves_it_to_the_other_leg)
{
    for (int value = 0; value < 2; value++) {
        use(true, RGN_KNOB_hedging_account_not_found, value);
        f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
        fixture_start(&f);
        race(&a_read);
        if (value == RGN_NOT_FOUND_FINAL) {
            is_done(answer(1, 403, 1008, MS(210)), 403, 1, RGN_HEDGE_ALTERNATE_WON, 1);
            continue;
        }
        ck_assert_int_eq(answer(1, 403, 1008, MS(210)), RGN_WAIT);
        is_done(answer(0, 200, 0, MS(220)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
    }
}
END_TEST

START_TEST(a_final_answer_before_the_threshold_is_retried_or_returned)
{
    for (int value = 0; value < 2; value++) {
        use(true, RGN_KNOB_hedging_early_final, value);
        fixture_start(&f);
        is_sent(begin(&a_read, 0), 0, 0);
        if (value == RGN_EARLY_FINAL_RETRY) {
            is_sent(answer(0, 501, 0, MS(100)), 0, 1);
            is_done(answer(0, 200, 0, MS(110)), 200, 1, RGN_HEDGE_ENDED_EARLY, 0);
            continue;
        }
        is_done(answer(0, 501, 0, MS(100)), 501, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
        ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 0);
    }
}
END_TEST

/* Without local retries 449 is a failure, and so is a 429 that has used up its retries. */
START_TEST(what_will_not_wait_in_its_region_launches_the_hedge)
{
    for (int is_throttle = 0; is_throttle < 2; is_throttle++) {
        use(true, RGN_KNOB_hedging_early_transient, RGN_EARLY_LAUNCH);
        f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
        f.config.options.retry_max_throttle_retry_count = 0;
        fixture_start(&f);
        is_sent(begin(&a_read, 0), 0, 0);
        is_sent(answer(0, is_throttle ? 429 : 449, 0, MS(100)), 1, 1);
        is_done(answer(1, 200, 0, MS(110)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
    }
}
END_TEST

/* Where the legs do wait, 429 and 449 launch it once they may wait no more. */
START_TEST(what_may_wait_no_more_launches_the_hedge)
{
    use(true, RGN_KNOB_hedging_early_transient, RGN_EARLY_LAUNCH);
    f.config.options.hedging_threshold = S(60);
    f.config.options.retry_max_throttle_wait = MS(4);
    fixture_start(&f);
    is_sent(begin(&a_read, 0), 0, 0);
    ck_assert_int_eq(answer(0, 429, 0, 0), RGN_WAIT); /* 3.75 of 4 ms */
    is_sent(ring(RGN_WAKE_BACKOFF, 3750000), 0, 0);
    is_sent(answer(0, 429, 0, MS(5)), 0, 0); /* the last attempt, at once */
    is_sent(answer(0, 429, 0, MS(6)), 1, 1);
    is_done(answer(1, 200, 0, MS(7)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);

    is_sent(begin(&a_read, 0), 0, 0);
    rgn_time_ns now = 0;
    while (answer(0, 449, 0, now) == RGN_WAIT) {
        now = op.wake_at;
        is_sent(ring(RGN_WAKE_BACKOFF, now), 0, 0);
    }
    ck_assert_int_gt(now, S(29)); /* 30 s in all */
    is_sent(RGN_SEND, 1, 1);
    is_done(answer(1, 200, 0, S(40)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
}
END_TEST

/* So does a 429 without any time to wait: after its one last attempt. */
START_TEST(a_throttle_without_time_to_wait_launches_the_hedge)
{
    use(true, RGN_KNOB_hedging_early_transient, RGN_EARLY_LAUNCH);
    f.config.options.retry_max_throttle_wait = 0;
    fixture_start(&f);
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 429, 0, MS(10)), 0, 0);
    is_sent(answer(0, 429, 0, MS(20)), 1, 1);
    is_done(answer(1, 200, 0, MS(30)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);
}
END_TEST

/* 3200 is final once its retries are used up; while it waits nobody has won. */
START_TEST(a_throttle_that_waits_is_no_primary_win)
{
    rgn_router_record_hedge_win(f.router, 0, 0, 0);
    is_sent(begin(&a_read, MS(1)), 0, 0);
    ck_assert_int_eq(answer(0, 429, 3200, MS(2)), RGN_WAIT);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 1);
    ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(3)), RGN_DONE);
}
END_TEST

START_TEST(one_allowed_region_makes_no_race_even_if_the_primary_is_elsewhere)
{
    rgn_request request = a_read;

    use(false, RGN_KNOB_hedging_secondary, RGN_SECONDARY_FIRST_DISTINCT);
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    fixture_start(&f);
    request.has_excluded = true;
    request.excluded = rgn_region_bit(0) | rgn_region_bit(1); /* the hub, where a session retry goes, is out */
    is_sent(begin(&request, 0), 0, 2);
    is_sent(answer(0, 404, 1002, MS(10)), 0, 0);
    ck_assert_int_eq(rgn_op_hedge(&op), RGN_HEDGE_NONE);
    is_done(answer(0, 200, 0, MS(20)), 200, 0, RGN_HEDGE_NONE, 0);
}
END_TEST

/* One nanosecond before the window's end, at it, and behind it. */
START_TEST(a_legs_own_timeout_ends_the_harvest)
{
    rgn_request request = a_read;

    request.timeout = S(1);
    for (int beside = -1; beside <= 1; beside++) {
        const rgn_time_ns timeout = S(1) + RGN_HARVEST_WINDOW + beside;
        use(true, RGN_KNOB_retry_request_timeout, timeout);
        fixture_start(&f);
        race(&request);
        ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, S(1)), RGN_WAIT);
        is_done(ring(RGN_WAKE_HARVEST, S(1) + RGN_HARVEST_WINDOW + (beside < 0 ? beside : 0)), 408, NOBODY,
                RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 3);
    }
}
END_TEST

START_TEST(the_driver_hedges_without_preferred_regions)
{
    static const rgn_region_list second_first = {3, {1, 2, 0}};

    for (int value = 0; value < 2; value++) {
        use(true, RGN_KNOB_hedging_preferred_regions, value);
        f.config.preferred.count = 0;
        f.account.readable = f.account.writable = second_first;
        fixture_start(&f);
        is_sent(begin(&a_read, 0), 0, 1);
        if (value == RGN_PREFERRED_REGIONS_NAMED) {
            is_done(answer(0, 200, 0, S(1)), 200, 1, RGN_HEDGE_NONE, 0);
            continue;
        }
        is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 2); /* the account's order */
        is_done(answer(1, 200, 0, MS(210)), 200, 2, RGN_HEDGE_ALTERNATE_WON, 1);
    }
}
END_TEST

/* An attempt after a failed one: it races iff hedge_at is what it waits for. */
static bool races_after(unsigned status, unsigned substatus, rgn_time_ns at)
{
    ck_assert_int_eq(answer(0, status, substatus, at), RGN_SEND);
    return op.wake_kind == RGN_WAKE_HEDGE;
}

static void use_funded(int64_t rule, int64_t max)
{
    use(true, RGN_KNOB_hedging_later_race, rule);
    f.config.options.hedging_races_per_operation = 15;
    f.config.options.hedging_secondary = RGN_SECONDARY_FIRST_DISTINCT;
    f.config.options.retry_max_failover_retry_count = max;
    fixture_start(&f);
    is_sent(begin(&a_read, 0), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_HEDGE); /* the first attempt asks for no budget */
}

/* Two failovers beyond those that were made: one too few, just enough, one more. */
START_TEST(a_later_race_needs_the_failovers_that_it_may_cost)
{
    for (int rule = 0; rule < 2; rule++) {
        for (int64_t max = 1; max <= 4; max++) {
            use_funded(rule, max);
            ck_assert_int_eq(races_after(503, 0, MS(10)), rule == RGN_LATER_RACE_ANY || 1 + 2 <= max);
            if (max >= 2)
                ck_assert_int_eq(races_after(503, 0, MS(20)), rule == RGN_LATER_RACE_ANY || 2 + 2 <= max);
            ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(30)), RGN_DONE);

            use_funded(rule, max); /* a session retry takes no failover */
            ck_assert_int_eq(races_after(404, 1002, MS(10)), rule == RGN_LATER_RACE_ANY || 2 <= max);
            ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(30)), RGN_DONE);
        }
    }
}
END_TEST

START_TEST(a_later_race_follows_at_once_or_while_nothing_was_retried)
{
    for (int rule = 0; rule < 2; rule++) {
        use_funded(rule, 0); /* 403/3 costs no failover, and the first attempt's rule holds */
        ck_assert(races_after(403, 3, MS(10)));
        ck_assert_int_eq(answer(0, 403, 3, MS(20)), RGN_WAIT);
        is_sent(ring(RGN_WAKE_BACKOFF, MS(770)), 0, 2);
        ck_assert_uint_eq(op.wake_kind, RGN_WAKE_HEDGE);
        ck_assert_int_eq(rgn_op_abandon(f.router, &op, S(1)), RGN_DONE);

        use_funded(rule, 3);
        ck_assert(races_after(503, 0, MS(10)));
        ck_assert(races_after(403, 3, MS(20)));
        ck_assert_int_eq(answer(0, 403, 3, MS(30)), RGN_WAIT);
        ck_assert_int_eq(ring(RGN_WAKE_BACKOFF, MS(780)), RGN_SEND);
        ck_assert_int_eq(op.wake_kind == RGN_WAKE_HEDGE, rule == RGN_LATER_RACE_ANY);
        ck_assert_int_eq(rgn_op_abandon(f.router, &op, S(1)), RGN_DONE);
    }
}
END_TEST

/* The read is latched before its race: the attempt at the hub says so, or (driver) only the hedge does. The hub's
 * answer to it then teaches nothing. */
START_TEST(the_drivers_primary_leg_does_not_ask_for_the_hub)
{
    for (int value = 0; value < 2; value++) {
        const unsigned asks = value == RGN_PRIMARY_HUB_ASK ? RGN_SEND_HUB : 0;
        rgn_override override;
        use(false, RGN_KNOB_hedging_primary_hub, value);
        f.account.automatic_failover = true;
        f.config.options.hedging_races_per_operation = 2;
        f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
        f.config.options.hedging_secondary = RGN_SECONDARY_FIRST_DISTINCT;
        fixture_start(&f);
        is_sent(begin(&a_read, 0), 0, 0);
        is_sent(answer(0, 404, 1002, MS(10)), 0, 0);
        ck_assert_uint_eq(op.send_flags & RGN_SEND_HUB, asks);
        ck_assert_int_eq(answer(0, 429, 0, MS(20)), RGN_WAIT); /* nor when it is sent again */
        is_sent(ring(RGN_WAKE_BACKOFF, MS(20) + 3750000), 0, 0);
        ck_assert_uint_eq(op.send_flags & RGN_SEND_HUB, asks);
        is_sent(ring(RGN_WAKE_HEDGE, MS(210)), 1, 1);
        ck_assert_uint_ne(op.send_flags & RGN_SEND_HUB, 0);
        ck_assert_int_eq(answer(0, 503, 0, MS(220)), RGN_WAIT);
        ck_assert_int_eq(answer(1, 503, 0, MS(230)), RGN_SEND);
        ck_assert_uint_ne(op.send_flags & RGN_SEND_HUB, 0); /* no race, and the latch is still there */
        ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(240)), RGN_DONE);

        is_sent(begin(&a_read, S(1)), 0, 0);
        is_sent(answer(0, 404, 1002, S(1) + MS(10)), 0, 0);
        is_done(answer(0, 200, 0, S(1) + MS(20)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
        ck_assert_int_eq(rgn_router_inspect_override(f.router, 0, &override), asks != 0);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_driver_charges_two_failovers_for_a_race_without_a_winner,
                                  a_race_without_a_winner_and_without_budget_ends_with_its_last_answer,
                                  the_driver_sends_no_read_to_the_write_list_after_a_race,
                                  the_driver_takes_no_error_from_the_hedge_of_a_metadata_read,
                                  account_not_found_ends_a_race_or_leaves_it_to_the_other_leg,
                                  a_final_answer_before_the_threshold_is_retried_or_returned,
                                  what_will_not_wait_in_its_region_launches_the_hedge,
                                  what_may_wait_no_more_launches_the_hedge,
                                  a_throttle_without_time_to_wait_launches_the_hedge,
                                  a_throttle_that_waits_is_no_primary_win,
                                  one_allowed_region_makes_no_race_even_if_the_primary_is_elsewhere,
                                  a_legs_own_timeout_ends_the_harvest,
                                  the_driver_hedges_without_preferred_regions,
                                  a_later_race_needs_the_failovers_that_it_may_cost,
                                  a_later_race_follows_at_once_or_while_nothing_was_retried,
                                  the_drivers_primary_leg_does_not_ask_for_the_hub};
    return run_hedge_suite("hedging_driver", tests, sizeof tests / sizeof tests[0]);
}
