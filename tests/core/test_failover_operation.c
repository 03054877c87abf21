/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Automatic failover through whole operations: writes that look for their region, reads that look for the hub. */
#include <string.h>

#include "core_fixture.h"

enum { A, B, C };

static fixture f;
static rgn_op op;
static unsigned change_count; /* of overrides */

static void on_override(void *context, const rgn_override_change *change)
{
    (void)context;
    (void)change;
    change_count++;
}

/* Regions A, B, C; A is the hub; reads prefer B. No hedges. */
static void start(bool automatic_failover, int64_t rules)
{
    fixture_init(&f, false);
    f.account.automatic_failover = automatic_failover;
    f.config.preferred = (rgn_region_list){3, {B, A, C}};
    f.config.options.routing_rules = rules;
    f.config.options.hedging_enabled = 0;
    f.config.sink.on_override = on_override;
    change_count = 0;
    fixture_start(&f);
}

static rgn_step begin(rgn_direction direction, rgn_time_ns now)
{
    rgn_request request = {.partition = 0, .direction = (uint8_t)direction, .timeout = RGN_TIME_NEVER};
    memset(&op, 0xa5, sizeof op);
    return rgn_op_start(f.router, &op, &request, now);
}

static rgn_step answer(unsigned status, unsigned substatus, rgn_time_ns now)
{
    rgn_response response = {
        .status = (uint16_t)status, .substatus = (uint16_t)substatus, .retry_after = RGN_TIME_NEVER};
    if (status == 0)
        response.transport = RGN_TRANSPORT_SENT;
    return rgn_op_on_leg(f.router, &op, op.leg, &response, now);
}

static rgn_override override_of_0(void)
{
    rgn_override override;
    rgn_router_inspect_override(f.router, 0, &override);
    return override;
}

#define SENT(step, to, why)                                   \
    do {                                                      \
        ck_assert_int_eq(step, RGN_SEND);                     \
        ck_assert_uint_eq(op.region, to);                     \
        ck_assert_uint_eq(op.reason, RGN_REASON_ROUTE_##why); \
    } while (0)

START_TEST(a_write_that_reaches_a_region_sends_later_ones_straight_there)
{
    static const int64_t rules[] = {RGN_ROUTING_DOCUMENTED, RGN_ROUTING_JAVA};
    for (unsigned i = 0; i < 2; i++) {
        start(true, rules[i]);
        SENT(begin(RGN_WRITE, S(1)), A, PREFERRED);
        SENT(answer(503, 0, S(2)), B, RETRY);
        ck_assert(!override_of_0().is_set); /* nothing is sure yet */
        ck_assert_int_eq(answer(201, 0, S(3)), RGN_DONE);
        ck_assert_uint_eq(override_of_0().current, B);
        ck_assert_uint_eq(override_of_0().failed, SET(A));
        SENT(begin(RGN_WRITE, S(4)), B, FAILOVER);
        ck_assert_int_eq(answer(201, 0, S(5)), RGN_DONE);
        ck_assert_uint_eq(f.mark_count, 0); /* the partition pays, not the endpoint */
        fixture_stop(&f);
    }
}
END_TEST

/* What an answer says of having reached a region, with one failure waiting. */
START_TEST(failures_wait_until_an_answer_confirms_a_region)
{
    static const struct {
        unsigned status, substatus;
        bool confirms;
    } rows[] = {
        {200, 0, true},     {409, 0, true}, {412, 0, true},     {404, 0, true},     {400, 0, true},
        {403, 0, true},     {500, 0, true}, {503, 0, false},    {408, 0, false},    {410, 0, false},
        {429, 3092, false}, {0, 0, false},  {410, 1002, false}, {403, 1008, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(true, RGN_ROUTING_DOCUMENTED);
        begin(RGN_WRITE, S(1));
        rgn_step step = answer(503, 0, S(1));
        for (int tries = 0; step != RGN_DONE && tries < 20; tries++)
            step = step == RGN_SEND ? answer(rows[i].status, rows[i].substatus, S(1))
                                    : rgn_op_on_timer(f.router, &op, op.wake_at);
        ck_assert_int_eq(step, RGN_DONE);
        ck_assert_msg((change_count > 0) == rows[i].confirms, "%u/%u", rows[i].status, rows[i].substatus);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(a_write_whose_override_fails_looks_further_and_moves_it)
{
    start(true, RGN_ROUTING_DOCUMENTED);
    rgn_router_record_failure(f.router, 0, A, RGN_WRITE, S(1)); /* override: B */
    SENT(begin(RGN_WRITE, S(2)), B, FAILOVER);
    SENT(answer(0, 0, S(2)), A, RETRY);
    ck_assert_int_eq(answer(201, 0, S(3)), RGN_DONE);
    ck_assert_uint_eq(override_of_0().current, C); /* A has failed before: it is not chosen again */
    fixture_stop(&f);
}
END_TEST

START_TEST(without_automatic_failover_a_write_stays_at_the_hub_and_the_endpoint_pays)
{
    start(false, RGN_ROUTING_DOCUMENTED);
    SENT(begin(RGN_WRITE, S(1)), A, PREFERRED);
    ck_assert_int_eq(answer(503, 0, S(1)), RGN_SEND);
    ck_assert_uint_eq(op.region, A);
    ck_assert_int_eq(answer(201, 0, S(1)), RGN_DONE);
    ck_assert(!override_of_0().is_set);
    ck_assert_uint_eq(f.mark_count, 1);
    fixture_stop(&f);
}
END_TEST

/* The driver's writes begin at the head of the read list, wherever that is. */
START_TEST(the_drivers_roaming_write_walks_the_read_list_past_what_has_failed)
{
    start(true, RGN_ROUTING_DRIVER);
    SENT(begin(RGN_WRITE, S(1)), B, PREFERRED);
    SENT(answer(503, 0, S(1)), A, RETRY);
    SENT(answer(503, 0, S(1)), C, RETRY);
    ck_assert_int_eq(answer(201, 0, S(1)), RGN_DONE);
    ck_assert_uint_eq(override_of_0().current, C);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_read_that_its_session_sends_to_the_hub_finds_and_keeps_it)
{
    start(true, RGN_ROUTING_DOCUMENTED);
    SENT(begin(RGN_READ, S(1)), B, PREFERRED);
    ck_assert_uint_eq(op.send_flags, 0);
    SENT(answer(404, 1002, S(1)), A, RETRY);
    ck_assert_uint_eq(op.send_flags, RGN_SEND_HUB);
    SENT(answer(403, 3, S(1)), B, HUB); /* A is not the partition's hub; the next candidate */
    ck_assert_uint_eq(op.send_flags, RGN_SEND_HUB);
    ck_assert_int_eq(answer(200, 0, S(1)), RGN_DONE);
    ck_assert_uint_eq(override_of_0().current, B);
    ck_assert_uint_eq(f.mark_count, 0);
    ck_assert_uint_eq(f.transition_count, 0); /* a refusal of the search is no failure */

    SENT(begin(RGN_READ, S(2)), B, PREFERRED);
    SENT(answer(404, 1002, S(2)), B, HUB); /* known by now */
    ck_assert_int_eq(answer(200, 0, S(2)), RGN_DONE);
    fixture_stop(&f);
}
END_TEST

START_TEST(the_search_for_the_hub_ends_with_the_failover_budget)
{
    unsigned attempts = 0;
    start(true, RGN_ROUTING_DOCUMENTED);
    begin(RGN_READ, S(1));
    rgn_step step = answer(404, 1002, S(1));
    for (; step == RGN_SEND; attempts++)
        step = answer(403, 3, S(1));
    ck_assert_int_eq(step, RGN_DONE);
    ck_assert_uint_eq(attempts, 1 + 3);
    ck_assert_uint_eq(op.result.status, 403);
    ck_assert(op.result.is_error);
    fixture_stop(&f);
}
END_TEST

/* 403/3 to a read that does not look for the hub says that the partition's writes have moved. */
START_TEST(a_refused_write_seen_by_a_read_moves_the_override)
{
    start(true, RGN_ROUTING_DOCUMENTED);
    begin(RGN_READ, S(1));
    ck_assert_int_eq(answer(403, 3, S(1)), RGN_SEND);
    ck_assert(override_of_0().is_set);
    ck_assert_uint_eq(override_of_0().first_failed, B);
    rgn_op_abandon(f.router, &op, S(1));
    fixture_stop(&f);
}
END_TEST

/* A write that its deadline cuts a second after it was sent. */
static void cut_write(rgn_time_ns at)
{
    rgn_request request = {.partition = 0, .direction = RGN_WRITE, .timeout = S(1)};
    ck_assert_int_eq(rgn_op_start(f.router, &op, &request, at - S(1)), RGN_SEND);
    ck_assert_int_eq(rgn_op_on_timer(f.router, &op, at), RGN_DONE);
    ck_assert_uint_eq(op.result.reason, RGN_REASON_DONE_DEADLINE);
}

static void use_cuts(int64_t count, int64_t window, int64_t from)
{
    start(true, RGN_ROUTING_DOCUMENTED);
    f.config.options.failover_cut_writes = count;
    f.config.options.failover_cut_window = window;
    f.config.options.failover_cut_window_from = from;
    fixture_stop(&f);
    fixture_start(&f);
}

START_TEST(enough_cut_writes_move_a_partitions_writes)
{
    for (int64_t count = 0; count <= 3; count++) {
        use_cuts(count, S(300), RGN_CUT_WINDOW_LAST);
        for (int64_t cut = 1; cut <= 3; cut++) {
            cut_write(S(10) * cut);
            ck_assert_int_eq(override_of_0().is_set, count > 0 && cut >= count);
            if (count > 0 && cut == count) {
                ck_assert_uint_eq(override_of_0().current, B);
                break; /* the next one would be cut at B */
            }
        }
        fixture_stop(&f);
    }
}
END_TEST

/* An application that gives up cuts, too; what comes back, an attempt's own timeout and reads do not. */
START_TEST(only_what_is_cut_on_its_way_is_a_cut_write)
{
    use_cuts(1, S(300), RGN_CUT_WINDOW_LAST);
    begin(RGN_READ, S(1));
    rgn_op_abandon(f.router, &op, S(2));
    begin(RGN_WRITE, S(3));
    ck_assert_int_eq(answer(429, 0, S(4)), RGN_WAIT);
    rgn_op_abandon(f.router, &op, S(4)); /* nothing was on its way */
    begin(RGN_WRITE, S(5));
    SENT(rgn_op_on_timer(f.router, &op, S(11)), B, RETRY);
    ck_assert_int_eq(answer(409, 0, S(12)), RGN_DONE);
    ck_assert_uint_eq(override_of_0().current, B); /* by the timeout's own mark */
    fixture_stop(&f);

    use_cuts(1, S(300), RGN_CUT_WINDOW_LAST);
    begin(RGN_WRITE, S(1));
    rgn_op_abandon(f.router, &op, S(2));
    ck_assert_uint_eq(override_of_0().current, B);
    ck_assert_uint_eq(change_count, 1);
    begin(RGN_WRITE, S(3)); /* at B: it moves on, for the count stands */
    rgn_op_abandon(f.router, &op, S(4));
    ck_assert_uint_eq(override_of_0().current, C);
    fixture_stop(&f);

    start(false, RGN_ROUTING_DOCUMENTED); /* without automatic failover nothing is counted */
    f.config.options.failover_cut_writes = 1;
    fixture_stop(&f);
    fixture_start(&f);
    cut_write(S(2));
    ck_assert(!override_of_0().is_set);
    fixture_stop(&f);
}
END_TEST

/* Three cut writes move: the second half a window after the first, the third at its end, one before and one behind. */
START_TEST(cut_writes_grow_old_strictly_after_the_window)
{
    for (int from = 0; from < 2; from++) {
        for (int beside = -1; beside <= 1; beside++) {
            const rgn_time_ns end = from == RGN_CUT_WINDOW_FIRST ? S(70) : S(100);
            use_cuts(3, S(60), from);
            cut_write(S(10));
            cut_write(S(40));
            cut_write(end + beside);
            ck_assert_int_eq(override_of_0().is_set, beside <= 0);
            cut_write(end + S(2)); /* one and two */
            ck_assert_int_eq(override_of_0().is_set, beside <= 0);
            fixture_stop(&f);
        }
    }
}
END_TEST

START_TEST(an_edge_of_automatic_failover_forgets_cut_writes)
{
    use_cuts(2, S(300), RGN_CUT_WINDOW_LAST);
    cut_write(S(10));
    for (int on = 0; on < 2; on++) {
        f.account.automatic_failover = on != 0;
        ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, S(11)), RGN_OK);
    }
    cut_write(S(20));
    ck_assert(!override_of_0().is_set);
    cut_write(S(30));
    ck_assert(override_of_0().is_set);
    fixture_stop(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failover of operations");
    TCase *tc = tcase_create("failover of operations");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_write_that_reaches_a_region_sends_later_ones_straight_there);
    tcase_add_test(tc, failures_wait_until_an_answer_confirms_a_region);
    tcase_add_test(tc, a_write_whose_override_fails_looks_further_and_moves_it);
    tcase_add_test(tc, without_automatic_failover_a_write_stays_at_the_hub_and_the_endpoint_pays);
    tcase_add_test(tc, the_drivers_roaming_write_walks_the_read_list_past_what_has_failed);
    tcase_add_test(tc, a_read_that_its_session_sends_to_the_hub_finds_and_keeps_it);
    tcase_add_test(tc, the_search_for_the_hub_ends_with_the_failover_budget);
    tcase_add_test(tc, a_refused_write_seen_by_a_read_moves_the_override);
    tcase_add_test(tc, enough_cut_writes_move_a_partitions_writes);
    tcase_add_test(tc, only_what_is_cut_on_its_way_is_a_cut_write);
    tcase_add_test(tc, cut_writes_grow_old_strictly_after_the_window);
    tcase_add_test(tc, an_edge_of_automatic_failover_forgets_cut_writes);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
