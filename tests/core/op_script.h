/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scripts: one operation as a table of calls and the answers they must give. */
#ifndef TESTS_CORE_OP_SCRIPT_H
#define TESTS_CORE_OP_SCRIPT_H

#include <stdio.h>
#include <string.h>

#include "core_fixture.h"

static fixture f;

typedef enum { START, LEG, TIMER, ABANDON } act;

/* One call and what it must answer. `wake` is looked at after RGN_SEND and RGN_WAIT, `status` after RGN_DONE too. */
typedef struct {
    act what;
    rgn_time_ns at;
    unsigned answer, substatus; /* of LEG: HTTP; 0: a transport error */
    rgn_transport transport;
    rgn_dur_ns retry_after; /* 0: absent */
    rgn_step step;
    rgn_region region; /* of RGN_SEND */
    rgn_reason reason; /* of RGN_SEND and RGN_DONE */
    rgn_time_ns wake;
    rgn_wake_kind wake_kind;
    unsigned status, status_sub; /* of RGN_DONE */
} call;

#define SENT(to, why, at, kind) \
    .step = RGN_SEND, .region = (to), .reason = RGN_REASON_ROUTE_##why, .wake = (at), .wake_kind = RGN_WAKE_##kind
#define WAITS(at, kind)      .step = RGN_WAIT, .wake = (at), .wake_kind = RGN_WAKE_##kind
#define ENDS(why, code, sub) .step = RGN_DONE, .reason = RGN_REASON_DONE_##why, .status = (code), .status_sub = (sub)

static rgn_step do_call(const call *c, rgn_op *op, const rgn_request *request)
{
    rgn_response response = {.status = (uint16_t)c->answer,
                             .substatus = (uint16_t)c->substatus,
                             .transport = (uint8_t)c->transport,
                             .retry_after = c->retry_after == 0 ? RGN_TIME_NEVER : c->retry_after};
    switch (c->what) {
    case START:
        memset(op, 0xa5, sizeof *op); /* the caller's memory holds anything */
        return rgn_op_start(f.router, op, request, c->at);
    case LEG:
        return rgn_op_on_leg(f.router, op, 0, &response, c->at);
    case TIMER:
        return rgn_op_on_timer(f.router, op, c->at);
    case ABANDON:
        return rgn_op_abandon(f.router, op, c->at);
    }
    return RGN_WAIT;
}

static void play(const char *title, const rgn_request *request, const call *calls, size_t count, rgn_op *op)
{
    bool was_open = false;

    for (size_t i = 0; i < count; i++) {
        const call *c = &calls[i];
        rgn_step step = do_call(c, op, request);
        ck_assert_msg(step == c->step, "%s, call %zu: step %d", title, i, (int)step);
        if (step != RGN_WAIT)
            ck_assert_msg(op->reason == c->reason, "%s, call %zu: %s", title, i,
                          rgn_reason_name((rgn_reason)op->reason));
        if (step == RGN_SEND)
            ck_assert_msg(op->region == c->region, "%s, call %zu: region %u", title, i, op->region);
        if (step != RGN_DONE) {
            ck_assert_msg(op->wake_at == c->wake, "%s, call %zu: wake %lld", title, i, (long long)op->wake_at);
            ck_assert_msg(op->wake_kind == c->wake_kind, "%s, call %zu: kind %u", title, i, op->wake_kind);
        } else {
            ck_assert_msg(op->result.status == c->status, "%s, call %zu: status %u", title, i, op->result.status);
            ck_assert_msg(op->result.substatus == c->status_sub, "%s, call %zu", title, i);
            ck_assert_uint_eq(op->result.reason, c->reason);
            ck_assert_uint_eq(op->open_legs, 0);
            ck_assert_int_eq(op->wake_at, RGN_TIME_NEVER);
        }
        /* A leg that did not end by itself is to be cancelled when the next goes out or the operation ends. */
        if (c->what != LEG && c->what != START && step != RGN_WAIT)
            ck_assert_msg(op->cancel_legs == (was_open ? 1 : 0), "%s, call %zu: cancel", title, i);
        else
            ck_assert_uint_eq(op->cancel_legs, 0);
        was_open = op->open_legs != 0;
    }
}

#define PLAY(request, ...)                                                      \
    do {                                                                        \
        const call calls_[] = {__VA_ARGS__};                                    \
        play(__func__, request, calls_, sizeof calls_ / sizeof calls_[0], &op); \
    } while (0)

static rgn_op op;
static const rgn_request plain_read = {.partition = 0, .direction = RGN_READ, .timeout = RGN_TIME_NEVER};

/* A multi-write account, everything by default. */
static void setup(void)
{
    fixture_init(&f, true);
    fixture_start(&f);
}

static void teardown(void)
{
    fixture_stop(&f);
}

/* Runs the suite `name` of `count` tests, each with a fresh router. */
static inline int run_suite(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tc = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_checked_fixture(tc, setup, teardown);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tc, tests[i]);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
