/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of marked endpoints: tasks that the caller performs and answers. */
#include "core_fixture.h"

enum { A, B, C };

static fixture f;

static void start_probing(void)
{
    fixture_init(&f, true);
    f.config.probe_interval = S(60);
    fixture_start(&f);
}

static unsigned marked_now(rgn_time_ns now)
{
    return rgn_router_route(f.router, 0, (rgn_route_query){.excluded = SET(B) | SET(C)}, now).reason ==
           RGN_REASON_ROUTE_MARKED;
}

START_TEST(a_mark_is_probed_at_the_first_tick_at_which_it_is_due)
{
    rgn_task task[4];
    start_probing();
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_SERVICE_UNAVAILABLE, S(70)); /* due at 130 */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(180));
    ck_assert_uint_eq(rgn_router_due_probes(f.router, S(130) - 1, task, 4), 0);
    ck_assert_uint_eq(rgn_router_due_probes(f.router, S(130), task, 4), 1);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(180) - 1, task, 4), 0);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(180), task, 4), 1);
    ck_assert_uint_eq(task[0].kind, RGN_TASK_PROBE_ENDPOINT);
    ck_assert_uint_eq(task[0].region, A);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(240)); /* asked again if nobody answers */
    rgn_router_answer_probe(f.router, &task[0], true, S(181));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    ck_assert(!rgn_router_inspect_mark(f.router, A, &(rgn_mark){0}));
    fixture_stop(&f);
}
END_TEST

START_TEST(a_mark_that_is_due_at_a_tick_is_probed_there)
{
    start_probing();
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_SERVICE_UNAVAILABLE, S(60));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(120));
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_SERVICE_UNAVAILABLE, S(60) + 1);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(180));
    fixture_stop(&f);
}
END_TEST

START_TEST(a_failed_probe_begins_the_mark_anew_for_the_same_reason)
{
    rgn_task task[4];
    rgn_mark mark;
    start_probing();
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_TRANSPORT_ERROR, 0);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(60), task, 4), 1);
    rgn_router_answer_probe(f.router, &task[0], false, S(61));
    ck_assert(marked_now(S(61)));
    ck_assert(rgn_router_inspect_mark(f.router, A, &mark));
    ck_assert_int_eq(mark.at, S(61));
    ck_assert_uint_eq(mark.why, RGN_MARK_TRANSPORT_ERROR);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(180));
    ck_assert_uint_eq(f.mark_count, 1); /* no new failure */
    fixture_stop(&f);
}
END_TEST

/* A region that was away from the account is no exception: its mark has aged meanwhile, and nobody has probed it. */
START_TEST(an_aged_mark_waits_for_its_probe_or_lets_requests_through)
{
    static const struct {
        rgn_dur_ns interval;
        int64_t aged_mark;
        bool is_held;
    } rows[] = {{S(60), RGN_AGED_MARK_HOLD, true},
                {S(60), RGN_AGED_MARK_RELEASE, false},
                {0, RGN_AGED_MARK_HOLD, false},
                {0, RGN_AGED_MARK_RELEASE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rgn_task task[4];
        rgn_account smaller;
        fixture_init(&f, true);
        f.config.probe_interval = rows[i].interval;
        f.config.options.endpoint_aged_mark = rows[i].aged_mark;
        fixture_start(&f);
        rgn_router_mark_endpoint(f.router, A, RGN_MARK_TRANSPORT_ERROR, S(10));
        ck_assert(marked_now(S(70) - 1));
        ck_assert_uint_eq(marked_now(S(70)), rows[i].is_held);
        ck_assert_uint_eq(marked_now(S(70) + 1), rows[i].is_held);
        smaller = f.account;
        smaller.readable = smaller.writable = (rgn_region_list){2, {B, C}};
        rgn_router_set_account(f.router, &smaller, S(80));
        ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(120), task, 4), 0);
        rgn_router_set_account(f.router, &f.account, S(130));
        ck_assert_uint_eq(marked_now(S(130)), rows[i].is_held);
        if (rows[i].interval > 0) {
            ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(180), task, 4), 1);
            rgn_router_answer_probe(f.router, &task[0], true, S(181));
        }
        ck_assert_uint_eq(marked_now(S(181)), 0);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(a_probe_does_not_answer_for_a_later_mark_or_a_removed_region)
{
    rgn_account smaller;
    rgn_task task[4];
    rgn_mark mark;
    start_probing();
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_TRANSPORT_ERROR, 0);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(60), task, 4), 1);
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_REQUEST_TIMEOUT, S(61));
    rgn_router_answer_probe(f.router, &task[0], true, S(62));
    ck_assert(rgn_router_inspect_mark(f.router, A, &mark));
    ck_assert_int_eq(mark.at, S(61));

    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(180), task, 4), 1);
    smaller = f.account;
    smaller.readable = smaller.writable = (rgn_region_list){2, {B, C}};
    rgn_router_set_account(f.router, &smaller, S(181));
    rgn_router_answer_probe(f.router, &task[0], true, S(182));
    ck_assert(rgn_router_inspect_mark(f.router, A, &mark)); /* waits for the region's return */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(240), task, 4), 0);
    rgn_router_set_account(f.router, &f.account, S(250));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(300));
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(300), task, 4), 1);
    rgn_router_answer_probe(f.router, &task[0], true, S(301));
    ck_assert(!rgn_router_inspect_mark(f.router, A, &mark));
    fixture_stop(&f);
}
END_TEST

START_TEST(tasks_without_room_are_asked_for_again_and_without_an_interval_there_are_none)
{
    rgn_task task[1];
    start_probing();
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_TRANSPORT_ERROR, 0);
    rgn_router_mark_endpoint(f.router, B, RGN_MARK_TRANSPORT_ERROR, 0);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(60), NULL, 0), 0);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(120));
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(120), task, 1), 1);
    rgn_router_answer_probe(f.router, task, true, S(120));
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(180), task, 1), 1);
    ck_assert_uint_eq(task[0].region, B);
    fixture_stop(&f);

    fixture_init(&f, true);
    fixture_start(&f);
    rgn_router_mark_endpoint(f.router, A, RGN_MARK_TRANSPORT_ERROR, 0);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(600), task, 1), 0);
    fixture_stop(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("endpoint");
    TCase *tc = tcase_create("endpoint");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_mark_is_probed_at_the_first_tick_at_which_it_is_due);
    tcase_add_test(tc, a_mark_that_is_due_at_a_tick_is_probed_there);
    tcase_add_test(tc, a_failed_probe_begins_the_mark_anew_for_the_same_reason);
    tcase_add_test(tc, an_aged_mark_waits_for_its_probe_or_lets_requests_through);
    tcase_add_test(tc, a_probe_does_not_answer_for_a_later_mark_or_a_removed_region);
    tcase_add_test(tc, tasks_without_room_are_asked_for_again_and_without_an_interval_there_are_none);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
