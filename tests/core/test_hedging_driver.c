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

int main(void)
{
    const TTest *const tests[] = {the_driver_charges_two_failovers_for_a_race_without_a_winner,
                                  a_race_without_a_winner_and_without_budget_ends_with_its_last_answer,
                                  the_driver_sends_no_read_to_the_write_list_after_a_race,
                                  the_driver_takes_no_error_from_the_hedge_of_a_metadata_read,
                                  account_not_found_ends_a_race_or_leaves_it_to_the_other_leg,
                                  a_final_answer_before_the_threshold_is_retried_or_returned,
                                  what_will_not_wait_in_its_region_launches_the_hedge,
                                  a_throttle_that_waits_is_no_primary_win,
                                  one_allowed_region_makes_no_race_even_if_the_primary_is_elsewhere,
                                  a_legs_own_timeout_ends_the_harvest};
    return run_hedge_suite("hedging_driver", tests, sizeof tests / sizeof tests[0]);
}
