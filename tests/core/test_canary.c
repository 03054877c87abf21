/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "op_script.h"

/* Partition 0 is tripped for `tripped` and recovering since 5 s; every eligible operation is a canary. */
static void setup_recovery(bool multi_write, rgn_direction tripped)
{
    fixture_stop(&f);
    fixture_init(&f, multi_write);
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 100;
    fixture_start(&f);
    fixture_trip(&f, 0, tripped, 0);
    rgn_router_on_expiry(f.router, S(5), NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
    f.transition_count = 0;
    f.mark_count = 0;
}

START_TEST(a_failed_canary_still_succeeds_elsewhere_in_three_calls)
{
    rgn_request request = plain_read;
    rgn_entry entry;

    setup_recovery(true, RGN_READ);
    request.timeout = S(4);
    PLAY(&request, {START, S(6), SENT(0, CANARY, S(8), LEG_TIMEOUT)}, /* half of the 4 s that remain */
         {LEG, S(6) + MS(3), 503, SENT(1, RETRY, S(10), DEADLINE)}, {LEG, S(6) + MS(9), 200, ENDS(SUCCESS, 200, 0)});
    ck_assert(rgn_op_began_as_canary(&op));
    ck_assert_int_eq(op.canary_failed_at, S(6) + MS(3));
    ck_assert_uint_eq(op.failover_retries, 0);
    ck_assert_uint_eq(op.attempts, 2);
    entry = fixture_entry(&f, 0);
    ck_assert_uint_eq(entry.canary_total, 1);
    ck_assert_uint_eq(entry.canary_success, 0);
    ck_assert_uint_eq(entry.canary_in_flight, 0);
}
END_TEST

/* What each answer does to the sample and to the operation; nothing is counted or marked beside the sample. */
START_TEST(a_canarys_answer_feeds_its_sample_and_nothing_else)
{
    static const struct {
        unsigned status, substatus;
        rgn_transport transport;
        unsigned total, success;
        rgn_step step;
    } rows[] = {
        {200, 0, RGN_TRANSPORT_NONE, 1, 1, RGN_DONE},    {404, 0, RGN_TRANSPORT_NONE, 1, 1, RGN_DONE},
        {409, 0, RGN_TRANSPORT_NONE, 1, 1, RGN_DONE},    {503, 0, RGN_TRANSPORT_NONE, 1, 0, RGN_SEND},
        {500, 0, RGN_TRANSPORT_NONE, 1, 0, RGN_SEND},    {410, 0, RGN_TRANSPORT_NONE, 1, 0, RGN_SEND},
        {403, 1008, RGN_TRANSPORT_NONE, 1, 0, RGN_SEND}, {429, 3092, RGN_TRANSPORT_NONE, 1, 0, RGN_SEND},
        {0, 0, RGN_TRANSPORT_NOT_SENT, 1, 0, RGN_SEND},  {0, 0, RGN_TRANSPORT_SENT, 1, 0, RGN_SEND},
        {429, 0, RGN_TRANSPORT_NONE, 0, 0, RGN_SEND},    {449, 0, RGN_TRANSPORT_NONE, 0, 0, RGN_SEND},
        {404, 1002, RGN_TRANSPORT_NONE, 0, 0, RGN_SEND}, {403, 3, RGN_TRANSPORT_NONE, 0, 0, RGN_SEND},
        {410, 1002, RGN_TRANSPORT_NONE, 0, 0, RGN_SEND}, {404, 1003, RGN_TRANSPORT_NONE, 0, 0, RGN_SEND},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_response response = {.status = (uint16_t)rows[i].status,
                                 .substatus = (uint16_t)rows[i].substatus,
                                 .transport = (uint8_t)rows[i].transport,
                                 .retry_after = RGN_TIME_NEVER};
        rgn_entry before, after;

        setup_recovery(true, RGN_READ);
        before = fixture_entry(&f, 0);
        PLAY(&plain_read, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)});
        ck_assert_uint_eq(op.send_flags, RGN_SEND_CANARY);
        ck_assert_uint_eq(fixture_entry(&f, 0).canary_in_flight, 1);
        ck_assert_msg(rgn_op_on_leg(f.router, &op, 0, &response, S(7)) == rows[i].step, "%u/%u", rows[i].status,
                      rows[i].substatus);
        after = fixture_entry(&f, 0);
        ck_assert_msg(after.canary_total == rows[i].total, "%u/%u", rows[i].status, rows[i].substatus);
        ck_assert_uint_eq(after.canary_success, rows[i].success);
        ck_assert_uint_eq(after.canary_in_flight, 0);
        ck_assert_mem_eq(&after.counts, &before.counts, sizeof before.counts);
        ck_assert_int_eq(after.last_failure, before.last_failure);
        ck_assert_uint_eq(f.mark_count, 0);
        ck_assert_uint_eq(f.transition_count, 0);
        if (rows[i].step == RGN_SEND) {
            ck_assert_uint_eq(op.region, 1);
            ck_assert_uint_eq(op.send_flags, 0);
            ck_assert_int_eq(op.canary_failed_at, S(7));
        } else {
            ck_assert_int_eq(op.canary_failed_at, RGN_TIME_NEVER);
        }
    }
}
END_TEST

/* Budget 0: the attempt after the canary is still free, a failure there is not. */
START_TEST(the_way_from_a_canary_is_free_of_budgets)
{
    rgn_options options;
    rgn_request request = plain_read;

    setup_recovery(true, RGN_READ);
    options = f.config.options;
    options.retry_max_failover_retry_count = 0;
    request.options = &options;
    PLAY(&request, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)},
         {LEG, S(6), 503, SENT(1, RETRY, S(12), LEG_TIMEOUT)}, {LEG, S(6), 503, ENDS(EXHAUSTED, 503, 0)});
    /* The alternate's failure counts, and it joins the failed regions. */
    ck_assert_uint_eq(fixture_entry(&f, 0).failed, SET(0) | SET(1));
}
END_TEST

START_TEST(a_canarys_timeout_is_its_own)
{
    static const struct {
        int64_t knob;
        rgn_dur_ns deadline, expected;
        rgn_wake_kind kind;
    } rows[] = {
        {RGN_AUTO, RGN_TIME_NEVER, S(6), RGN_WAKE_LEG_TIMEOUT},
        {RGN_AUTO, S(4), S(2), RGN_WAKE_LEG_TIMEOUT},
        {RGN_AUTO, S(12), S(6), RGN_WAKE_LEG_TIMEOUT},
        {RGN_AUTO, S(30), S(6), RGN_WAKE_LEG_TIMEOUT},
        {RGN_AUTO, 3, 1, RGN_WAKE_LEG_TIMEOUT},
        {RGN_AUTO, 1, 1, RGN_WAKE_LEG_TIMEOUT},
        {MS(250), S(4), MS(250), RGN_WAKE_LEG_TIMEOUT},
        {S(9), RGN_TIME_NEVER, S(9), RGN_WAKE_LEG_TIMEOUT},
        {S(4), S(4), S(4), RGN_WAKE_LEG_TIMEOUT},
        {S(5), S(4), S(4), RGN_WAKE_DEADLINE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_options options;
        rgn_request request = plain_read;

        setup_recovery(true, RGN_READ);
        options = f.config.options;
        options.failback_canary_timeout = rows[i].knob;
        request.options = &options;
        request.timeout = rows[i].deadline;
        ck_assert_int_eq(rgn_op_start(f.router, &op, &request, S(6)), RGN_SEND);
        ck_assert_msg(op.wake_at == S(6) + rows[i].expected, "row %zu: %lld", i, (long long)(op.wake_at - S(6)));
        ck_assert_uint_eq(op.wake_kind, rows[i].kind);
    }
}
END_TEST

START_TEST(a_canary_that_times_out_fails_and_its_operation_goes_on)
{
    rgn_request request = plain_read;

    setup_recovery(true, RGN_READ);
    request.timeout = S(4);
    PLAY(&request, {START, S(6), SENT(0, CANARY, S(8), LEG_TIMEOUT)}, {TIMER, S(8) - 1, WAITS(S(8), LEG_TIMEOUT)},
         {TIMER, S(8), SENT(1, RETRY, S(10), DEADLINE)}, {LEG, S(9), 200, ENDS(SUCCESS, 200, 0)});
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_total, 1);
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_success, 0);
}
END_TEST

/* The deadline rings on the canary's leg, before or with the canary's own timeout. */
START_TEST(a_deadline_on_the_canarys_leg_is_the_canarys_failure)
{
    for (int64_t timeout = S(4); timeout <= S(5); timeout += S(1)) {
        rgn_options options;
        rgn_request request = plain_read;

        setup_recovery(true, RGN_READ);
        options = f.config.options;
        options.failback_canary_timeout = timeout;
        request.options = &options;
        request.timeout = S(4);
        ck_assert_int_eq(rgn_op_start(f.router, &op, &request, S(6)), RGN_SEND);
        ck_assert_int_eq(rgn_op_on_timer(f.router, &op, S(10)), RGN_DONE);
        ck_assert_uint_eq(op.cancel_legs, 1);
        ck_assert_uint_eq(op.result.reason, RGN_REASON_DONE_DEADLINE);
        ck_assert_uint_eq(fixture_entry(&f, 0).canary_total, 1);
        ck_assert_uint_eq(fixture_entry(&f, 0).canary_in_flight, 0);
        ck_assert_int_eq(op.canary_failed_at, RGN_TIME_NEVER);
    }
}
END_TEST

START_TEST(an_abandoned_canary_frees_its_place_and_counts_nothing)
{
    setup_recovery(true, RGN_READ);
    PLAY(&plain_read, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)}, {ABANDON, S(7), ENDS(ABANDONED, 0, 0)});
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_total, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_in_flight, 0);
}
END_TEST

/* Who is no canary: the sampler must not tick either. Share 40 % ticks the accumulator by 40. */
START_TEST(only_an_eligible_first_attempt_ticks_the_sampler)
{
    static const struct {
        const char *what;
        rgn_request request;
        rgn_region marked; /* RGN_REGION_NONE: none */
        bool ticks;
        rgn_region region;
    } rows[] = {
        {"eligible", {.timeout = RGN_TIME_NEVER}, RGN_REGION_NONE, true, 1},
        {"other direction", {.direction = RGN_WRITE, .timeout = RGN_TIME_NEVER}, RGN_REGION_NONE, false, 0},
        {"home excluded",
         {.has_excluded = true, .excluded = SET(0), .timeout = RGN_TIME_NEVER},
         RGN_REGION_NONE,
         false,
         1},
        {"other excluded",
         {.has_excluded = true, .excluded = SET(1), .timeout = RGN_TIME_NEVER},
         RGN_REGION_NONE,
         true,
         2},
        {"home marked", {.timeout = RGN_TIME_NEVER}, 0, false, 1},
        {"other marked", {.timeout = RGN_TIME_NEVER}, 1, true, 2},
        {"other partition", {.partition = 1, .timeout = RGN_TIME_NEVER}, RGN_REGION_NONE, false, 0},
        {"container level", {.is_container_level = true, .timeout = RGN_TIME_NEVER}, RGN_REGION_NONE, false, 0},
        {"passed deadline", {.timeout = 0}, RGN_REGION_NONE, false, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_step step;
        fixture_stop(&f);
        fixture_init(&f, true);
        f.config.options.failback_promote = RGN_PROMOTE_DUE;
        f.config.options.failback_canary_percentage = 40;
        fixture_start(&f);
        fixture_trip(&f, 0, RGN_READ, 0);
        rgn_router_on_expiry(f.router, S(5), NULL, 0);
        if (rows[i].marked != RGN_REGION_NONE)
            rgn_router_mark_endpoint(f.router, rows[i].marked, RGN_MARK_SERVICE_UNAVAILABLE, S(6));
        step = rgn_op_start(f.router, &op, &rows[i].request, S(6));
        if (step == RGN_SEND)
            ck_assert_msg(op.region == rows[i].region, "%s: %u", rows[i].what, op.region);
        ck_assert_msg(fixture_entry(&f, 0).sampler == (rows[i].ticks ? 40 : 0), "%s", rows[i].what);
        if (step == RGN_SEND) { /* and no retry does */
            rgn_response response = {.status = 503, .retry_after = RGN_TIME_NEVER};
            rgn_op_on_leg(f.router, &op, 0, &response, S(6));
            ck_assert_msg(fixture_entry(&f, 0).sampler == (rows[i].ticks ? 40 : 0), "%s", rows[i].what);
        }
    }
}
END_TEST

START_TEST(writes_are_canaries_on_multi_write_accounts)
{
    rgn_request request = {.partition = 0, .direction = RGN_WRITE, .timeout = RGN_TIME_NEVER};

    setup_recovery(true, RGN_WRITE);
    PLAY(&request, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)});
    setup_recovery(false, RGN_READ);
    PLAY(&request, {START, S(6), SENT(0, PREFERRED, S(12), LEG_TIMEOUT)}); /* the hub, which is home */
    PLAY(&plain_read, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)});
}
END_TEST

START_TEST(a_single_probe_goes_alone_and_decides)
{
    setup_recovery(true, RGN_READ);
    fixture_stop(&f);
    f.config.options.failback_strategy = RGN_STRATEGY_PROBE;
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, 0);
    rgn_router_on_expiry(f.router, S(5), NULL, 0);
    PLAY(&plain_read, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)});
    {
        rgn_op second;
        ck_assert_int_eq(rgn_op_start(f.router, &second, &plain_read, S(6)), RGN_SEND);
        ck_assert_uint_eq(second.region, 1);
        ck_assert_uint_eq(second.reason, RGN_REASON_ROUTE_OVERRIDE);
    }
    {
        rgn_response response = {.status = 200, .retry_after = RGN_TIME_NEVER};
        ck_assert_int_eq(rgn_op_on_leg(f.router, &op, 0, &response, S(7)), RGN_DONE);
    }
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_FAILBACK_PROBE);
}
END_TEST

/* The driver's: all go home until one result decides; they are ordinary attempts, shown as canaries. */
START_TEST(open_probes_are_ordinary_attempts_shown_as_canaries)
{
    rgn_op second;
    rgn_request request = plain_read;

    setup_recovery(true, RGN_READ);
    fixture_stop(&f);
    f.config.options.failback_strategy = RGN_STRATEGY_PROBE;
    f.config.options.failback_probe_admission = RGN_PROBE_ALL;
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, 0);
    rgn_router_on_expiry(f.router, S(5), NULL, 0);
    request.timeout = S(8);
    ck_assert_int_eq(rgn_op_start(f.router, &second, &plain_read, S(6)), RGN_SEND);
    ck_assert_uint_eq(second.region, 0);
    PLAY(&request, {START, S(6), SENT(0, CANARY, S(12), LEG_TIMEOUT)}, /* the request timeout, not half of 8 s */
         {LEG, S(7), 503, SENT(1, RETRY, S(13), LEG_TIMEOUT)}, {LEG, S(7), 200, ENDS(SUCCESS, 200, 0)});
    ck_assert(rgn_op_began_as_canary(&op));
    ck_assert_int_eq(op.canary_failed_at, S(7));
    ck_assert_uint_eq(op.failover_retries, 1);
    ck_assert_uint_eq(second.send_flags, RGN_SEND_CANARY);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_RETRIP_PROBE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_failed_canary_still_succeeds_elsewhere_in_three_calls,
        a_canarys_answer_feeds_its_sample_and_nothing_else,
        the_way_from_a_canary_is_free_of_budgets,
        a_canarys_timeout_is_its_own,
        a_canary_that_times_out_fails_and_its_operation_goes_on,
        a_deadline_on_the_canarys_leg_is_the_canarys_failure,
        an_abandoned_canary_frees_its_place_and_counts_nothing,
        only_an_eligible_first_attempt_ticks_the_sampler,
        writes_are_canaries_on_multi_write_accounts,
        a_single_probe_goes_alone_and_decides,
        open_probes_are_ordinary_attempts_shown_as_canaries,
    };

    return run_suite("canary", tests, sizeof tests / sizeof tests[0]);
}
