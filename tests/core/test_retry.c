/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "op_script.h"

/* 5 ms * 2^n - 25 % with the least draw, + 25 % with the greatest. */
START_TEST(throttling_backs_off_in_region_with_jitter)
{
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {LEG, 0, 429, WAITS(3750000, BACKOFF)},
         {TIMER, 3750000, SENT(0, IN_REGION, 3750000 + S(6), LEG_TIMEOUT)},
         {LEG, 3750000, 429, 3200, WAITS(3750000 + 7500000, BACKOFF)},
         {TIMER, MS(20), SENT(0, IN_REGION, MS(20) + S(6), LEG_TIMEOUT)}, {LEG, MS(30), 200, ENDS(SUCCESS, 200, 0)});
    ck_assert_uint_eq(f.transition_count, 0);
    f.draw = UINT64_MAX;
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {LEG, 0, 429, WAITS(6250000, BACKOFF)},
         {TIMER, 6250000, SENT(0, IN_REGION, 6250000 + S(6), LEG_TIMEOUT)},
         {LEG, S(1), 429, WAITS(S(1) + 12500000, BACKOFF)});
}
END_TEST

START_TEST(the_servers_delay_is_honoured_up_to_the_cap)
{
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = MS(120), WAITS(MS(120), BACKOFF)},
         {TIMER, MS(120), SENT(0, IN_REGION, MS(120) + S(6), LEG_TIMEOUT)},
         {LEG, MS(120), 429, .retry_after = S(15) - 1, WAITS(MS(120) + S(15) - 1, BACKOFF)},
         {TIMER, S(20), SENT(0, IN_REGION, S(26), LEG_TIMEOUT)},
         {LEG, S(20), 429, .retry_after = S(15) + 1, WAITS(S(35), BACKOFF)});
    ck_assert_uint_eq(f.draws[RGN_DRAW_RETRY_JITTER], 0);
}
END_TEST

/* 3 throttle retries: the 429 that finds none left ends the operation; 2 s of other answers do not refill it. */
START_TEST(throttle_retries_are_bounded_for_an_attempt)
{
    fixture_stop(&f);
    f.config.options.retry_max_throttle_retry_count = 1;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = MS(1), WAITS(MS(1), BACKOFF)},
         {TIMER, MS(1), SENT(0, IN_REGION, MS(1) + S(6), LEG_TIMEOUT)}, {LEG, MS(2), 429, ENDS(EXHAUSTED, 429, 0)});
    ck_assert(op.result.is_error);
    /* A failover begins a new attempt with a budget of its own. */
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = MS(1), WAITS(MS(1), BACKOFF)},
         {TIMER, MS(1), SENT(0, IN_REGION, MS(1) + S(6), LEG_TIMEOUT)},
         {LEG, MS(1), 503, SENT(1, RETRY, MS(1) + S(6), LEG_TIMEOUT)},
         {LEG, MS(1), 429, .retry_after = MS(1), WAITS(MS(2), BACKOFF)});
}
END_TEST

/* Total wait 10 s, server's delay 6 s: the second would make 12 s. One last attempt goes out after half of what is left
 * of 60 s; then the next 429 ends it. Without a deadline the last attempt goes at once. */
START_TEST(the_total_throttle_wait_allows_one_last_attempt)
{
    rgn_request request = plain_read;

    fixture_stop(&f);
    f.config.options.retry_max_throttle_wait = S(10);
    fixture_start(&f);
    request.timeout = S(60);
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = S(6), WAITS(S(6), BACKOFF)},
         {TIMER, S(6), SENT(0, IN_REGION, S(12), LEG_TIMEOUT)},
         {LEG, S(10), 429, .retry_after = S(6), WAITS(S(35), BACKOFF)},
         {TIMER, S(35), SENT(0, IN_REGION, S(41), LEG_TIMEOUT)},
         {LEG, S(36), 429, .retry_after = S(4), WAITS(S(40), BACKOFF)}, /* 6 + 4 s: still within the total */
         {TIMER, S(40), SENT(0, IN_REGION, S(46), LEG_TIMEOUT)},
         {LEG, S(41), 429, .retry_after = 1, ENDS(EXHAUSTED, 429, 0)});
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = S(11), SENT(0, IN_REGION, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = S(11), ENDS(EXHAUSTED, 429, 0)});
    /* Half of what is left is below 100 ms: at once. */
    request.timeout = MS(200);
    PLAY(&request, {START, 0, SENT(0, PREFERRED, MS(200), DEADLINE)},
         {LEG, 0, 429, .retry_after = S(11), WAITS(MS(100), BACKOFF)});
    PLAY(&request, {START, 0, SENT(0, PREFERRED, MS(200), DEADLINE)},
         {LEG, 2, 429, .retry_after = S(11), SENT(0, IN_REGION, MS(200), DEADLINE)});
}
END_TEST

/* The driver's figures: 9 retries, 30 s in all, 5 s at a time; auto is what holds for all others. */
START_TEST(requests_of_metadata_have_throttle_budgets_of_their_own)
{
    rgn_request request = plain_read;

    request.is_container_level = true;
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = S(15) + 1, WAITS(S(15), BACKOFF)});
    fixture_stop(&f);
    f.config.options.retry_max_metadata_throttle_delay = S(5);
    f.config.options.retry_max_metadata_throttle_wait = S(10);
    f.config.options.retry_max_metadata_throttle_retry_count = 2;
    fixture_start(&f);
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = S(5) + 1, WAITS(S(5), BACKOFF)},
         {TIMER, S(5), SENT(0, IN_REGION, S(11), LEG_TIMEOUT)},
         {LEG, S(5), 429, .retry_after = S(5) - 1, WAITS(S(10) - 1, BACKOFF)},
         {TIMER, S(10) - 1, SENT(0, IN_REGION, S(16) - 1, LEG_TIMEOUT)},
         {LEG, S(10), 429, .retry_after = 1, ENDS(EXHAUSTED, 429, 0)});
    /* 8 s are the total; a nanosecond less and the next attempt is the last one, at once. */
    for (int beyond = 0; beyond < 2; beyond++) {
        f.config.options.retry_max_metadata_throttle_wait = S(8) - beyond;
        fixture_stop(&f);
        fixture_start(&f);
        if (beyond == 0)
            PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
                 {LEG, 0, 429, .retry_after = S(5), WAITS(S(5), BACKOFF)},
                 {TIMER, S(5), SENT(0, IN_REGION, S(11), LEG_TIMEOUT)},
                 {LEG, S(5), 429, .retry_after = S(3), WAITS(S(8), BACKOFF)});
        else
            PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
                 {LEG, 0, 429, .retry_after = S(5), WAITS(S(5), BACKOFF)},
                 {TIMER, S(5), SENT(0, IN_REGION, S(11), LEG_TIMEOUT)},
                 {LEG, S(5), 429, .retry_after = S(3), SENT(0, IN_REGION, S(11), LEG_TIMEOUT)});
    }
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, .retry_after = S(15) + 1, WAITS(S(15), BACKOFF)}); /* data requests keep theirs */
}
END_TEST

START_TEST(a_wait_never_passes_the_deadline)
{
    rgn_request request = plain_read;

    request.timeout = MS(500);
    PLAY(&request, {START, 0, SENT(0, PREFERRED, MS(500), DEADLINE)},
         {LEG, MS(100), 429, .retry_after = MS(400) - 1, WAITS(MS(500) - 1, BACKOFF)},
         {TIMER, MS(500) - 1, SENT(0, IN_REGION, MS(500), DEADLINE)}, {TIMER, MS(500), ENDS(DEADLINE, 408, 20008)});
    PLAY(&request, {START, 0, SENT(0, PREFERRED, MS(500), DEADLINE)},
         {LEG, MS(100), 429, .retry_after = MS(400), WAITS(MS(500), DEADLINE)},
         {TIMER, MS(500), ENDS(DEADLINE, 408, 20008)});
    PLAY(&request, {START, 0, SENT(0, PREFERRED, MS(500), DEADLINE)},
         {LEG, MS(100), 429, .retry_after = MS(400) + 1, WAITS(MS(500), DEADLINE)},
         {TIMER, MS(500), ENDS(DEADLINE, 408, 20008)});
    /* A caller that is late for the back-off finds the deadline passed. */
    PLAY(&request, {START, 0, SENT(0, PREFERRED, MS(500), DEADLINE)},
         {LEG, MS(100), 429, .retry_after = MS(10), WAITS(MS(110), BACKOFF)},
         {TIMER, MS(501), ENDS(DEADLINE, 408, 20008)});
}
END_TEST

/* 10, 20, 40, ... 640 ms, then 1 s each until 30 s are full: 7 + 28 waits. */
START_TEST(retry_with_doubles_in_region_up_to_a_second_and_thirty_in_all)
{
    rgn_response response = {.status = 449, .retry_after = RGN_TIME_NEVER};
    rgn_time_ns now = 0;
    rgn_dur_ns total = 0;
    unsigned waits = 0;

    ck_assert_int_eq(rgn_op_start(f.router, &op, &plain_read, now), RGN_SEND);
    while (rgn_op_on_leg(f.router, &op, 0, &response, now) == RGN_WAIT) {
        rgn_dur_ns expected = waits < 7 ? MS(10) << waits : S(1);
        ck_assert_int_eq(op.wake_at - now, expected);
        ck_assert_uint_eq(op.wake_kind, RGN_WAKE_BACKOFF);
        total += expected;
        waits++;
        now = op.wake_at;
        ck_assert_int_eq(rgn_op_on_timer(f.router, &op, now), RGN_SEND);
        ck_assert_uint_eq(op.region, 0);
        ck_assert_uint_eq(op.reason, RGN_REASON_ROUTE_IN_REGION);
    }
    ck_assert_uint_eq(waits, 7 + 28);
    ck_assert_int_le(total, S(30));
    ck_assert_int_gt(total + S(1), S(30));
    ck_assert_uint_eq(op.result.status, 449);
    ck_assert(op.result.is_error);
    f.draw = UINT64_MAX; /* the salt stays below 5 ms */
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {LEG, 0, 449, WAITS(MS(15) - 1, BACKOFF)});
}
END_TEST

/* Without jitter: at once, then 1, 2 and (cut to what is left of 5 s) 2 s. The least draw takes a quarter off. */
START_TEST(write_forbidden_fails_over_with_growing_waits)
{
    rgn_request request = {.partition = 0, .direction = RGN_WRITE, .timeout = RGN_TIME_NEVER};

    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 403, 3, SENT(1, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 403, 3, WAITS(MS(750), BACKOFF)},
         {TIMER, MS(750), SENT(2, RETRY, S(6) + MS(750), LEG_TIMEOUT)},
         {LEG, MS(750), 403, 1008, WAITS(MS(2250), BACKOFF)},
         {TIMER, MS(2250), SENT(0, RETRY, S(6) + MS(2250), LEG_TIMEOUT)},
         {LEG, MS(2250), 403, 3, WAITS(MS(2250) + MS(2750), BACKOFF)}, /* 3 s, but 5 s - 0.75 s - 1.5 s are left */
         {TIMER, S(5), SENT(1, RETRY, S(11), LEG_TIMEOUT)}, {LEG, S(5), 403, 3, ENDS(EXHAUSTED, 403, 3)});
    ck_assert(op.result.is_error);
    ck_assert_uint_eq(op.failover_retries, 0);
}
END_TEST

START_TEST(session_retries_have_a_budget_of_their_own)
{
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 404, 1002, SENT(1, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 404, 1002, SENT(2, RETRY, S(6), LEG_TIMEOUT)},
         {LEG, 0, 404, 1002, SENT(0, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 404, 1002, ENDS(EXHAUSTED, 404, 1002)});
    ck_assert(op.result.is_error);
    ck_assert_uint_eq(op.failover_retries, 0);
    ck_assert_uint_eq(f.transition_count, 0);

    /* Single-write, home region 1, hub 0: twice to the hub. A failover in between returns to the preferred list. */
    fixture_stop(&f);
    fixture_init(&f, false);
    f.config.preferred = (rgn_region_list){3, {1, 2, 0}};
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(1, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 404, 1002, SENT(0, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 404, 1002, SENT(0, RETRY, S(6), LEG_TIMEOUT)},
         {LEG, 0, 404, 1002, ENDS(EXHAUSTED, 404, 1002)});
    PLAY(&plain_read, {START, 0, SENT(1, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 404, 1002, SENT(0, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 503, SENT(2, RETRY, S(6), LEG_TIMEOUT)});
}
END_TEST

/* max_session_retry_count against the account's own limit. */
START_TEST(session_retries_follow_knob_and_account)
{
    static const struct {
        bool multi_write;
        int64_t knob;
        unsigned retries;
    } rows[] = {{true, RGN_AUTO, 3},  {true, 0, 0},  {true, 1, 1},  {true, 7, 7},
                {false, RGN_AUTO, 2}, {false, 0, 0}, {false, 1, 1}, {false, 7, 2}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_response response = {.status = 404, .substatus = 1002, .retry_after = RGN_TIME_NEVER};
        unsigned retries = 0;

        fixture_stop(&f);
        fixture_init(&f, rows[i].multi_write);
        f.config.options.retry_max_session_retry_count = rows[i].knob;
        fixture_start(&f);
        rgn_op_start(f.router, &op, &plain_read, 0);
        while (rgn_op_on_leg(f.router, &op, 0, &response, 0) == RGN_SEND)
            retries++;
        ck_assert_msg(retries == rows[i].retries, "row %zu: %u", i, retries);
    }
}
END_TEST

/* 429/3092: elsewhere at once; the driver asks the region again first, at no failure's cost, and counts it then. */
START_TEST(a_busy_region_is_left_at_once_or_after_its_429_retries)
{
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, MS(1), 429, 3092, SENT(1, RETRY, MS(1) + S(6), LEG_TIMEOUT)}, {LEG, MS(2), 200, ENDS(SUCCESS, 200, 0)});
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1);
    fixture_stop(&f);
    f.config.options.retry_busy_region = RGN_BUSY_BACK_OFF;
    f.config.options.retry_max_throttle_retry_count = 2;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 429, 3092, .retry_after = MS(1), WAITS(MS(1), BACKOFF)},
         {TIMER, MS(1), SENT(0, IN_REGION, MS(1) + S(6), LEG_TIMEOUT)},
         {LEG, MS(2), 429, 3092, .retry_after = MS(1), WAITS(MS(3), BACKOFF)},
         {TIMER, MS(3), SENT(0, IN_REGION, MS(3) + S(6), LEG_TIMEOUT)},
         {LEG, MS(4), 429, 3092, SENT(1, RETRY, MS(4) + S(6), LEG_TIMEOUT)},
         {LEG, MS(5), 429, 3092, .retry_after = MS(1), WAITS(MS(6), BACKOFF)}, /* a budget for each attempt */
         {ABANDON, MS(6), ENDS(ABANDONED, 0, 0)});
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.region[0], 0);
}
END_TEST

/* The first answer that names it is charged to it already; one that is not partitioned, or known, learns nothing. */
START_TEST(an_operation_learns_its_partition_from_the_first_answer)
{
    rgn_request request = plain_read;
    const rgn_response failed = {.status = 503, .retry_after = RGN_TIME_NEVER};

    request.partition = RGN_PARTITION_UNKNOWN;
    rgn_op_start(f.router, &op, &request, 0);
    rgn_op_learn_partition(f.router, &op, 3);
    rgn_op_learn_partition(f.router, &op, 4); /* known by now */
    ck_assert_int_eq(rgn_op_on_leg(f.router, &op, 0, &failed, MS(1)), RGN_SEND);
    ck_assert_uint_eq(fixture_entry(&f, 3).counts.failures[0][RGN_READ], 1);
    ck_assert_uint_eq(fixture_entry(&f, 4).counts.failures[0][RGN_READ], 0);
    ck_assert_uint_eq(f.mark_count, 0);
    rgn_op_abandon(f.router, &op, MS(2));

    request.is_container_level = true;
    rgn_op_start(f.router, &op, &request, 0);
    rgn_op_learn_partition(f.router, &op, 3);
    rgn_op_on_leg(f.router, &op, 0, &failed, MS(1));
    ck_assert_uint_eq(fixture_entry(&f, 3).counts.failures[0][RGN_READ], 1);
    ck_assert_uint_eq(f.mark_count, 1);
    rgn_op_abandon(f.router, &op, MS(2));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        throttling_backs_off_in_region_with_jitter,
        the_servers_delay_is_honoured_up_to_the_cap,
        throttle_retries_are_bounded_for_an_attempt,
        the_total_throttle_wait_allows_one_last_attempt,
        requests_of_metadata_have_throttle_budgets_of_their_own,
        a_wait_never_passes_the_deadline,
        retry_with_doubles_in_region_up_to_a_second_and_thirty_in_all,
        write_forbidden_fails_over_with_growing_waits,
        session_retries_have_a_budget_of_their_own,
        session_retries_follow_knob_and_account,
        a_busy_region_is_left_at_once_or_after_its_429_retries,
        an_operation_learns_its_partition_from_the_first_answer,
    };

    return run_suite("retry", tests, sizeof tests / sizeof tests[0]);
}
