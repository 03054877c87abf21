/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refreshes throw the gateway's switch while four threads start operations. Whatever the interleaving: an operation
 * that starts after a refresh has said "no hedging" and before the next one begins does not hedge, the customer's
 * strategy is never lost, and every change is told once. Run under the thread sanitizer too. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <regioncore/regioncore.h>

#include "plain_allocator.h"

enum { THREADS = 4, OPERATIONS = 40000, REFRESHES = 4000 };

static rgn_router *router;
static rgn_account account = {
    .readable = {2, {0, 1}}, .writable = {1, {0}}, .automatic_failover = true, .hedging_disabled = RGN_SIGNAL_FALSE};
static rgn_options customers;
static atomic_uint epoch; /* odd while a refresh is under way; (epoch / 2) odd: the switch is thrown */
static atomic_uint stashed, restored, others, hedged, wrong;

static uint64_t below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    (void)context;
    (void)purpose;
    (void)subject;
    return bound - 1;
}

static void on_gateway(void *context, const rgn_gateway_change *change)
{
    (void)context;
    atomic_fetch_add(change->reason == RGN_REASON_STRATEGY_STASHED    ? &stashed
                     : change->reason == RGN_REASON_STRATEGY_RESTORED ? &restored
                                                                      : &others,
                     1);
}

static void *start_operations(void *own_options)
{
    const rgn_response ok = {.status = 200, .retry_after = RGN_TIME_NEVER};
    const rgn_request request = {.direction = RGN_READ, .timeout = RGN_TIME_NEVER, .options = own_options};
    rgn_op op;

    for (int i = 0; i < OPERATIONS; i++) {
        unsigned before = atomic_load(&epoch);
        if (rgn_op_start(router, &op, &request, i) != RGN_SEND)
            abort();
        bool is_still = (before & 1) == 0 && atomic_load(&epoch) == before;
        bool will_hedge = op.wake_kind == RGN_WAKE_HEDGE;
        atomic_fetch_add(&hedged, will_hedge);
        if (is_still && will_hedge != ((before / 2 & 1) == 0))
            atomic_fetch_add(&wrong, 1);
        rgn_op_on_leg(router, &op, 0, &ok, i);
    }
    return NULL;
}

static void *refresh(void *ignored)
{
    (void)ignored;
    for (int i = 0; i < REFRESHES; i++) {
        rgn_account latest = account;
        latest.hedging_disabled = i % 2 == 0 ? RGN_SIGNAL_TRUE : RGN_SIGNAL_FALSE;
        atomic_fetch_add(&epoch, 1);
        if (rgn_router_set_account(router, &latest, i) != RGN_OK)
            abort();
        atomic_fetch_add(&epoch, 1);
    }
    return NULL;
}

START_TEST(refreshes_throw_the_switch_while_operations_start)
{
    rgn_router_config config = {.partition_count = 1,
                                .account = &account,
                                .preferred = {2, {0, 1}},
                                .lock_stripes = 1,
                                .allocator = plain_allocator,
                                .random = {below, NULL},
                                .sink = {.on_gateway = on_gateway},
                                .strategy = &customers};
    pthread_t worker[THREADS], refresher;
    rgn_gateway gateway;

    rgn_options_default(&config.options);
    customers = config.options;
    customers.hedging_threshold = 1;
    router = rgn_router_create(&config, NULL);
    ck_assert_ptr_nonnull(router);
    for (int i = 0; i < THREADS; i++) /* half of them bring options of their own */
        ck_assert_int_eq(pthread_create(&worker[i], NULL, start_operations, i % 2 == 0 ? NULL : &customers), 0);
    ck_assert_int_eq(pthread_create(&refresher, NULL, refresh, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(worker[i], NULL);
    pthread_join(refresher, NULL);
    ck_assert_uint_eq(atomic_load(&wrong), 0);
    ck_assert_uint_gt(atomic_load(&hedged), 0);
    ck_assert_uint_eq(atomic_load(&stashed), REFRESHES / 2);
    ck_assert_uint_eq(atomic_load(&restored), REFRESHES / 2);
    ck_assert_uint_eq(atomic_load(&others), 0);
    gateway = rgn_router_gateway(router);
    ck_assert_ptr_eq(gateway.customer, &customers);
    ck_assert_ptr_null(gateway.stash);
    rgn_router_destroy(router);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gateway_threads");
    TCase *tc = tcase_create("threads");

    tcase_set_timeout(tc, 100);
    tcase_add_test(tc, refreshes_throw_the_switch_while_operations_start);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
