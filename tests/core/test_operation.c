/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "op_script.h"

static void restart(void)
{
    fixture_stop(&f);
    f.transition_count = 0;
    f.mark_count = 0;
    f.draw = 0;
    fixture_start(&f);
}

/* --- healthy ----------------------------------------------------------------------------------------------------- */

START_TEST(a_healthy_operation_takes_two_calls_and_the_first_half_only)
{
    uint8_t untouched[64];
    size_t bytes = f.bytes;

    memset(untouched, 0xa5, sizeof untouched);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {LEG, MS(5), 200, ENDS(SUCCESS, 200, 0)});
    ck_assert_mem_eq((const char *)&op + 64, untouched, 64);
    ck_assert_uint_eq(f.bytes, bytes);
    ck_assert(op.result.is_success && !op.result.is_error);
    ck_assert_uint_eq(op.result.region, 0);
    ck_assert(!rgn_op_began_as_canary(&op));
    ck_assert_uint_eq(f.transition_count, 0);
}
END_TEST

START_TEST(an_application_final_ends_without_an_error)
{
    static const unsigned statuses[] = {400, 401, 404, 409, 412};

    for (size_t i = 0; i < 5; i++) {
        PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
             {LEG, MS(5), statuses[i], ENDS(FINAL, statuses[i], 0)});
        ck_assert(!op.result.is_success && !op.result.is_error);
    }
    ck_assert_uint_eq(f.transition_count, 0);
}
END_TEST

START_TEST(exclusions_come_from_the_request_or_the_router)
{
    rgn_request request = plain_read;

    fixture_stop(&f);
    f.config.excluded = SET(0);
    fixture_start(&f);
    PLAY(&request, {START, 0, SENT(1, PREFERRED, S(6), LEG_TIMEOUT)});
    request.has_excluded = true; /* an empty list replaces the router's too */
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)});
    request.excluded = SET(0) | SET(1);
    PLAY(&request, {START, 0, SENT(2, PREFERRED, S(6), LEG_TIMEOUT)});
}
END_TEST

START_TEST(an_account_without_regions_ends_in_an_error_at_once)
{
    fixture_stop(&f);
    f.account.readable.count = f.account.writable.count = 0;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, ENDS(EXHAUSTED, 503, 20003)});
    ck_assert(op.result.is_error);
    ck_assert_uint_eq(op.result.region, RGN_REGION_NONE);
}
END_TEST

/* --- failover ---------------------------------------------------------------------------------------------------- */

START_TEST(failover_visits_each_region_before_any_twice)
{
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, MS(5), 503, SENT(1, RETRY, MS(5) + S(6), LEG_TIMEOUT)},
         {LEG, MS(9), 500, SENT(2, RETRY, MS(9) + S(6), LEG_TIMEOUT)},
         {LEG, MS(20), 0, 0, RGN_TRANSPORT_SENT, SENT(0, RETRY, MS(20) + S(6), LEG_TIMEOUT)},
         {LEG, MS(21), 503, 1, ENDS(EXHAUSTED, 503, 1)});
    ck_assert(op.result.is_error);
    ck_assert_uint_eq(op.attempts, 4);
    ck_assert_uint_eq(op.result.region, 0);
}
END_TEST

/* The second round is like the first; it only must not begin where the first ended. */
START_TEST(a_new_round_visits_each_region_again)
{
    fixture_stop(&f);
    f.config.options.retry_max_failover_retry_count = 5;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 503, SENT(1, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 503, SENT(2, RETRY, S(6), LEG_TIMEOUT)},
         {LEG, 0, 503, SENT(0, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 503, SENT(1, RETRY, S(6), LEG_TIMEOUT)},
         {LEG, 0, 503, SENT(2, RETRY, S(6), LEG_TIMEOUT)});
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_SERVICE_UNAVAILABLE, 0);
    PLAY(&plain_read, {START, 0, SENT(1, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 503, SENT(2, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 503, SENT(0, MARKED, S(6), LEG_TIMEOUT)});
    rgn_router_unmark_endpoint(f.router, 0);
    {
        const call next = {LEG, 0, 503, SENT(1, RETRY, S(6), LEG_TIMEOUT)};
        play("the round after", &plain_read, &next, 1, &op);
    }
}
END_TEST

START_TEST(the_drivers_failover_follows_its_cursor)
{
    fixture_stop(&f);
    f.config.options.routing_rules = RGN_ROUTING_DRIVER;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 1, 503, SENT(1, RETRY, 1 + S(6), LEG_TIMEOUT)}, {LEG, 2, 503, SENT(2, RETRY, 2 + S(6), LEG_TIMEOUT)},
         {LEG, 3, 503, SENT(0, RETRY, 3 + S(6), LEG_TIMEOUT)});
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 1, 503, SENT(1, RETRY, 1 + S(6), LEG_TIMEOUT)}, {LEG, 2, 503, SENT(2, RETRY, 2 + S(6), LEG_TIMEOUT)});
    /* A new topology in between: the cursor counts as 0 and goes on to 1. */
    ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, 3), RGN_OK);
    {
        const call next = {LEG, 4, 503, SENT(1, RETRY, 4 + S(6), LEG_TIMEOUT)};
        play("rebased", &plain_read, &next, 1, &op);
    }
}
END_TEST

START_TEST(attempts_are_one_more_than_the_failover_budget)
{
    for (int64_t budget = 0; budget <= 5; budget++) {
        rgn_options options = f.config.options;
        rgn_request request = plain_read;
        rgn_response response = {.status = 503, .retry_after = RGN_TIME_NEVER};
        int64_t attempts = 1;

        options.retry_max_failover_retry_count = budget;
        request.options = &options;
        request.partition = (rgn_partition)budget;
        ck_assert_int_eq(rgn_op_start(f.router, &op, &request, 0), RGN_SEND);
        while (rgn_op_on_leg(f.router, &op, 0, &response, 0) == RGN_SEND)
            attempts++;
        ck_assert_int_eq(attempts, budget + 1);
        ck_assert_uint_eq(op.result.reason, RGN_REASON_DONE_EXHAUSTED);
    }
}
END_TEST

START_TEST(an_exhausted_transport_error_looks_like_503_to_the_caller)
{
    fixture_stop(&f);
    f.config.options.retry_max_failover_retry_count = 0;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 1, 0, 0, RGN_TRANSPORT_NOT_SENT, ENDS(EXHAUSTED, 503, 20003)});
    ck_assert(op.result.is_error);
}
END_TEST

START_TEST(everything_excluded_goes_to_the_fallback_and_says_so)
{
    rgn_request request = plain_read;

    request.has_excluded = true;
    request.excluded = 7;
    PLAY(&request, {START, 0, SENT(0, FALLBACK, S(6), LEG_TIMEOUT)},
         {LEG, 1, 503, SENT(0, FALLBACK, 1 + S(6), LEG_TIMEOUT)}, {LEG, 2, 429, WAITS(2 + MS(5) - MS(5) / 4, BACKOFF)},
         {TIMER, 2 + MS(5) - MS(5) / 4, SENT(0, FALLBACK, 2 + MS(5) - MS(5) / 4 + S(6), LEG_TIMEOUT)},
         {LEG, S(1), 200, ENDS(SUCCESS, 200, 0)});
}
END_TEST

/* --- what a failure is charged to --------------------------------------------------------------------------------- */

START_TEST(exactly_one_scope_pays_for_a_failure)
{
    static const struct {
        const char *what;
        bool multi_write;
        rgn_direction direction;
        bool is_container_level;
        unsigned status, substatus;
        rgn_transport transport;
        int reads, writes; /* counted for the partition at region 0 (writes of single-write accounts: none) */
        int mark;          /* rgn_mark_reason, or -1 */
    } rows[] = {
        {"read 503", true, RGN_READ, false, 503, 0, RGN_TRANSPORT_NONE, 1, 0, -1},
        {"write 503", true, RGN_WRITE, false, 503, 0, RGN_TRANSPORT_NONE, 0, 1, -1},
        {"read 500", true, RGN_READ, false, 500, 0, RGN_TRANSPORT_NONE, 1, 0, -1},
        {"read 403/3 counts as a write", true, RGN_READ, false, 403, 3, RGN_TRANSPORT_NONE, 0, 1, -1},
        {"read 403/1008", true, RGN_READ, false, 403, 1008, RGN_TRANSPORT_NONE, 1, 0, -1},
        {"read lost", true, RGN_READ, false, 0, 0, RGN_TRANSPORT_SENT, 1, 0, -1},
        {"read unknown", true, RGN_READ, false, 0, 0, RGN_TRANSPORT_UNKNOWN, 1, 0, -1},
        {"read not sent", true, RGN_READ, false, 0, 0, RGN_TRANSPORT_NOT_SENT, 0, 0, RGN_MARK_TRANSPORT_ERROR},
        {"read 429", true, RGN_READ, false, 429, 0, RGN_TRANSPORT_NONE, 0, 0, -1},
        {"read 429/3092", true, RGN_READ, false, 429, 3092, RGN_TRANSPORT_NONE, 1, 0, -1},
        {"read 449", true, RGN_READ, false, 449, 0, RGN_TRANSPORT_NONE, 0, 0, -1},
        {"read 404/1002", true, RGN_READ, false, 404, 1002, RGN_TRANSPORT_NONE, 0, 0, -1},
        {"read 410/1002", true, RGN_READ, false, 410, 1002, RGN_TRANSPORT_NONE, 0, 0, -1},
        {"container 503", true, RGN_READ, true, 503, 0, RGN_TRANSPORT_NONE, 0, 0, RGN_MARK_SERVICE_UNAVAILABLE},
        {"container 500", true, RGN_READ, true, 500, 0, RGN_TRANSPORT_NONE, 0, 0, RGN_MARK_INTERNAL_ERROR},
        {"container lost", true, RGN_READ, true, 0, 0, RGN_TRANSPORT_SENT, 0, 0, -1},
        {"hub write 503", false, RGN_WRITE, false, 503, 0, RGN_TRANSPORT_NONE, 0, 0, RGN_MARK_SERVICE_UNAVAILABLE},
        {"hub write 408", false, RGN_WRITE, false, 408, 0, RGN_TRANSPORT_NONE, 0, 0, RGN_MARK_REQUEST_TIMEOUT},
        {"hub write 403/3", false, RGN_WRITE, false, 403, 3, RGN_TRANSPORT_NONE, 0, 0, RGN_MARK_WRITE_FORBIDDEN},
        {"hub write 403/1008", false, RGN_WRITE, false, 403, 1008, RGN_TRANSPORT_NONE, 0, 0,
         RGN_MARK_ACCOUNT_NOT_FOUND},
        {"hub write lost", false, RGN_WRITE, false, 0, 0, RGN_TRANSPORT_SENT, 0, 0, -1},
        {"hub write not sent", false, RGN_WRITE, false, 0, 0, RGN_TRANSPORT_NOT_SENT, 0, 0, RGN_MARK_TRANSPORT_ERROR},
        {"single-write read 403/3: writes are not covered", false, RGN_READ, false, 403, 3, RGN_TRANSPORT_NONE, 0, 0,
         -1},
        {"single-write read 503", false, RGN_READ, false, 503, 0, RGN_TRANSPORT_NONE, 1, 0, -1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int budget = 0; budget < 2; budget++) { /* exhausted or not: the charge is the same */
            rgn_request request = {.partition = 3,
                                   .direction = (uint8_t)rows[i].direction,
                                   .is_container_level = rows[i].is_container_level,
                                   .timeout = RGN_TIME_NEVER};
            rgn_response response = {.status = (uint16_t)rows[i].status,
                                     .substatus = (uint16_t)rows[i].substatus,
                                     .transport = (uint8_t)rows[i].transport,
                                     .retry_after = RGN_TIME_NEVER};
            rgn_entry entry;

            fixture_stop(&f);
            fixture_init(&f, rows[i].multi_write);
            f.config.options.retry_max_failover_retry_count = budget;
            fixture_start(&f);
            rgn_op_start(f.router, &op, &request, 0);
            rgn_op_on_leg(f.router, &op, 0, &response, MS(1));
            entry = fixture_entry(&f, 3);
            ck_assert_msg(entry.counts.failures[0][RGN_READ] == (uint32_t)rows[i].reads, "%s", rows[i].what);
            ck_assert_msg(entry.counts.failures[0][RGN_WRITE] == (uint32_t)rows[i].writes, "%s", rows[i].what);
            ck_assert_msg(f.mark_count == (rows[i].mark >= 0), "%s", rows[i].what);
            if (rows[i].mark >= 0)
                ck_assert_msg((int)f.marks[0].why == rows[i].mark, "%s", rows[i].what);
        }
    }
}
END_TEST

START_TEST(the_driver_forgets_answers_that_find_the_budget_empty)
{
    rgn_response answer = {.status = 503, .retry_after = RGN_TIME_NEVER};
    rgn_response lost = {.transport = RGN_TRANSPORT_SENT, .retry_after = RGN_TIME_NEVER};

    fixture_stop(&f);
    f.config.options.retry_max_failover_retry_count = 0;
    f.config.options.retry_exhausted_failures = RGN_EXHAUSTED_IGNORE;
    fixture_start(&f);
    rgn_op_start(f.router, &op, &plain_read, 0);
    ck_assert_int_eq(rgn_op_on_leg(f.router, &op, 0, &answer, 1), RGN_DONE);
    ck_assert_uint_eq(f.transition_count, 0);
    rgn_op_start(f.router, &op, &plain_read, 2);
    ck_assert_int_eq(rgn_op_on_leg(f.router, &op, 0, &lost, 3), RGN_DONE);
    ck_assert_uint_eq(f.transition_count, 1); /* a transport error counts all the same */
}
END_TEST

START_TEST(failures_of_operations_trip_and_the_next_ones_go_elsewhere)
{
    for (rgn_time_ns at = 0; at < 10; at++) {
        ck_assert_uint_eq(fixture_entry(&f, 0).phase, at == 0 ? RGN_PHASE_ABSENT : RGN_PHASE_COUNTING);
        PLAY(&plain_read, {START, at, SENT(0, PREFERRED, at + S(6), LEG_TIMEOUT)},
             {LEG, at, 503, SENT(1, RETRY, at + S(6), LEG_TIMEOUT)}, {LEG, at, 200, ENDS(SUCCESS, 200, 0)});
    }
    PLAY(&plain_read, {START, 10, SENT(1, OVERRIDE, 10 + S(6), LEG_TIMEOUT)});
}
END_TEST

START_TEST(rule_consecutive_hears_of_successes)
{
    fixture_stop(&f);
    f.config.options.breaker_rule = RGN_RULE_CONSECUTIVE;
    fixture_start(&f);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)},
         {LEG, 0, 503, SENT(1, RETRY, S(6), LEG_TIMEOUT)}, {LEG, 0, 200, ENDS(SUCCESS, 200, 0)});
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1); /* success elsewhere */
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {LEG, 0, 404, ENDS(FINAL, 404, 0)});
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 0);
}
END_TEST

/* --- timeout and deadline ---------------------------------------------------------------------------------------- */

/* Own timeout 6 s; a timer call before it does nothing. */
START_TEST(an_attempts_timeout_counts_and_fails_over)
{
    static const struct {
        rgn_time_ns at;
        bool rings;
    } rows[] = {{S(6) - 1, false}, {S(6), true}, {S(6) + 1, true}};

    for (size_t i = 0; i < 3; i++) {
        restart();
        PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)});
        ck_assert_int_eq(op.leg_timeout_at, S(6));
        ck_assert_int_eq(rgn_op_on_timer(f.router, &op, rows[i].at), rows[i].rings ? RGN_SEND : RGN_WAIT);
        ck_assert_uint_eq(op.cancel_legs, rows[i].rings ? 1 : 0);
        ck_assert_int_eq(op.wake_at, rows[i].rings ? rows[i].at + S(6) : S(6));
        ck_assert_uint_eq(op.region, rows[i].rings ? 1 : 0);
        ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], rows[i].rings ? 1 : 0);
    }
}
END_TEST

START_TEST(a_deadline_ends_the_operation_and_counts_nothing)
{
    rgn_request request = plain_read;

    request.timeout = S(2);
    for (rgn_time_ns at = S(3) - 1; at <= S(3) + 1; at++) {
        bool is_over = at >= S(3);
        restart();
        PLAY(&request, {START, S(1), SENT(0, PREFERRED, S(3), DEADLINE)});
        ck_assert_int_eq(op.leg_timeout_at, S(7));
        ck_assert_int_eq(rgn_op_on_timer(f.router, &op, at), is_over ? RGN_DONE : RGN_WAIT);
        ck_assert_uint_eq(op.cancel_legs, is_over ? 1 : 0);
        ck_assert_uint_eq(f.transition_count, 0);
        if (is_over) {
            ck_assert_uint_eq(op.result.status, 408);
            ck_assert_uint_eq(op.result.substatus, 20008);
            ck_assert_uint_eq(op.result.reason, RGN_REASON_DONE_DEADLINE);
            ck_assert_uint_eq(op.result.region, RGN_REGION_NONE);
            ck_assert(op.result.is_error && !op.result.is_success);
        }
    }
}
END_TEST

/* A failure at the last moment retries; at the deadline it cannot. A success is a success. */
START_TEST(a_result_at_the_deadline_is_heard_but_not_retried)
{
    rgn_request request = plain_read;

    request.timeout = S(2);
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(2), DEADLINE)}, {LEG, S(2) - 1, 503, SENT(1, RETRY, S(2), DEADLINE)},
         {TIMER, S(2), ENDS(DEADLINE, 408, 20008)});
    ck_assert_uint_eq(op.result.region, 0);
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(2), DEADLINE)}, {LEG, S(2), 503, ENDS(DEADLINE, 408, 20008)});
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 2); /* both answers count */
    PLAY(&request, {START, 0, SENT(0, PREFERRED, S(2), DEADLINE)}, {LEG, S(2), 200, ENDS(SUCCESS, 200, 0)});
}
END_TEST

/* Both at 6 s: the timeout counts its failure, then the deadline ends the operation, in one call. */
START_TEST(timeout_and_deadline_of_one_instant_both_happen)
{
    rgn_request request = plain_read;

    for (int64_t budget = 0; budget < 2; budget++) {
        rgn_options options = f.config.options;
        restart();
        options.retry_max_failover_retry_count = budget;
        request.options = &options;
        request.timeout = S(6) - 1;
        PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6) - 1, DEADLINE)},
             {TIMER, S(6) - 1, ENDS(DEADLINE, 408, 20008)});
        ck_assert_uint_eq(f.transition_count, 0);
        request.timeout = S(6);
        PLAY(&request, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {TIMER, S(6), ENDS(DEADLINE, 408, 20008)});
        ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 1);
    }
}
END_TEST

START_TEST(a_deadline_that_has_passed_sends_nothing)
{
    rgn_request request = plain_read;

    request.timeout = 0;
    PLAY(&request, {START, S(1), ENDS(DEADLINE, 408, 20008)});
    request.timeout = 1; /* deadlines below a second are honoured */
    PLAY(&request, {START, S(1), SENT(0, PREFERRED, S(1) + 1, DEADLINE)});
}
END_TEST

START_TEST(an_abandoned_operation_ends_without_an_error)
{
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {ABANDON, 1, ENDS(ABANDONED, 0, 0)});
    ck_assert(!op.result.is_success && !op.result.is_error);
    PLAY(&plain_read, {START, 0, SENT(0, PREFERRED, S(6), LEG_TIMEOUT)}, {LEG, 1, 449, WAITS(1 + MS(10), BACKOFF)},
         {ABANDON, 2, ENDS(ABANDONED, 0, 0)});
    ck_assert_uint_eq(op.result.region, 0);
    ck_assert_uint_eq(f.transition_count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_healthy_operation_takes_two_calls_and_the_first_half_only,
        an_application_final_ends_without_an_error,
        exclusions_come_from_the_request_or_the_router,
        an_account_without_regions_ends_in_an_error_at_once,
        failover_visits_each_region_before_any_twice,
        a_new_round_visits_each_region_again,
        the_drivers_failover_follows_its_cursor,
        attempts_are_one_more_than_the_failover_budget,
        an_exhausted_transport_error_looks_like_503_to_the_caller,
        everything_excluded_goes_to_the_fallback_and_says_so,
        exactly_one_scope_pays_for_a_failure,
        the_driver_forgets_answers_that_find_the_budget_empty,
        failures_of_operations_trip_and_the_next_ones_go_elsewhere,
        rule_consecutive_hears_of_successes,
        an_attempts_timeout_counts_and_fails_over,
        a_deadline_ends_the_operation_and_counts_nothing,
        a_result_at_the_deadline_is_heard_but_not_retried,
        timeout_and_deadline_of_one_instant_both_happen,
        a_deadline_that_has_passed_sends_nothing,
        an_abandoned_operation_ends_without_an_error,
    };

    return run_suite("operation", tests, sizeof tests / sizeof tests[0]);
}
