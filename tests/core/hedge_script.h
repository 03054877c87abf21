/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races, step by step: a router that hedges after 200 ms, one operation, and calls that say in one line what they
 * answer. Regions are 0, 1, 2 in preference order. */
#ifndef TESTS_CORE_HEDGE_SCRIPT_H
#define TESTS_CORE_HEDGE_SCRIPT_H

#include <string.h>

#include "core_fixture.h"

static fixture f;
static rgn_op op;

static const rgn_request a_read = {.partition = 0, .direction = RGN_READ, .timeout = RGN_TIME_NEVER};

enum { NOBODY = RGN_REGION_NONE };

/* Change f.config.options, then call hedge_start(). */
static inline void hedge_init(bool multi_write)
{
    fixture_init(&f, multi_write);
    f.config.preferred = (rgn_region_list){3, {0, 1, 2}};
    f.config.options.hedging_strategy = RGN_HEDGING_ON;
    f.config.options.hedging_threshold = MS(200);
}

static inline void hedge_setup(void)
{
    hedge_init(true);
    fixture_start(&f);
}

static inline void hedge_teardown(void)
{
    ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
    ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), 0);
    fixture_stop(&f);
}

static inline void hedge_restart(void)
{
    hedge_teardown();
    f.transition_count = 0;
    f.mark_count = 0;
    fixture_start(&f);
}

static inline rgn_step begin(const rgn_request *request, rgn_time_ns at)
{
    memset(&op, 0xa5, sizeof op); /* the caller's memory holds anything */
    return rgn_op_start(f.router, &op, request, at);
}

/* A leg ends with an HTTP answer; status 0: the connection was lost. */
static inline rgn_step answer(unsigned leg, unsigned status, unsigned substatus, rgn_time_ns at)
{
    const rgn_response response = {.status = (uint16_t)status,
                                   .substatus = (uint16_t)substatus,
                                   .transport = status == 0 ? RGN_TRANSPORT_SENT : RGN_TRANSPORT_NONE,
                                   .retry_after = RGN_TIME_NEVER};
    return rgn_op_on_leg(f.router, &op, leg, &response, at);
}

/* The clock reaches the operation's wake-up, which must be of that kind and instant. */
static inline rgn_step ring(rgn_wake_kind kind, rgn_time_ns at)
{
    ck_assert_uint_eq(op.wake_kind, kind);
    ck_assert_int_eq(op.wake_at, at);
    return rgn_op_on_timer(f.router, &op, at);
}

static inline void is_sent(rgn_step step, unsigned leg, rgn_region region)
{
    ck_assert_int_eq(step, RGN_SEND);
    ck_assert_uint_eq(op.leg, leg);
    ck_assert_uint_eq(op.region, region);
    ck_assert((op.open_legs >> leg & 1) != 0);
    ck_assert_uint_eq((op.send_flags & RGN_SEND_HEDGE) != 0, leg != 0);
}

/* The operation has ended with `status` from `region`, its race like that, `cancelled` legs cut. */
static inline void is_done(rgn_step step, unsigned status, rgn_region region, rgn_hedge hedge, unsigned cancelled)
{
    ck_assert_int_eq(step, RGN_DONE);
    ck_assert_uint_eq(op.result.status, status);
    ck_assert_uint_eq(op.result.region, region);
    ck_assert_str_eq(rgn_hedge_name(rgn_op_hedge(&op)), rgn_hedge_name(hedge));
    ck_assert_uint_eq(op.cancel_legs, cancelled);
    ck_assert_uint_eq(op.open_legs, 0);
}

/* A read whose hedge is in flight: the primary in region 0 since 0, the hedge in region 1 since 200 ms. */
static inline void race(const rgn_request *request)
{
    is_sent(begin(request, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    ck_assert_uint_eq(op.open_legs, 3);
    ck_assert_uint_eq(op.cancel_legs, 0);
}

static inline int run_hedge_suite_with(const char *name, void (*setup)(void), const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tc = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_checked_fixture(tc, setup, hedge_teardown);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tc, tests[i]);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline int run_hedge_suite(const char *name, const TTest *const *tests, size_t count)
{
    return run_hedge_suite_with(name, hedge_setup, tests, count);
}

#endif
