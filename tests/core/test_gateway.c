/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gateway's hedging switch: the published behaviour, row by row and test by test, and what differs in Java. */
#include <stdio.h>

#include "hedge_script.h"

static rgn_options customers; /* the customer's strategy: a threshold of its own */
static rgn_options others;    /* another one of the customer's */
static rgn_gateway_change changes[16];
static unsigned change_count;

static void note_change(void *context, const rgn_gateway_change *change)
{
    (void)context;
    changes[change_count++ % 16] = *change;
}

/* Regions 0, 1, 2, one write region; the default strategy needs automatic failover, as .NET's does. */
static void prepare(rgn_signal hedging_disabled, bool automatic_failover, const rgn_options *strategy)
{
    hedge_init(false);
    f.config.options.hedging_activation = RGN_ACTIVATION_WITH_FAILOVER;
    f.account.automatic_failover = automatic_failover;
    f.account.hedging_disabled = (uint8_t)hedging_disabled;
    customers = others = f.config.options;
    customers.hedging_threshold = MS(70);
    customers.hedging_activation = RGN_ACTIVATION_ALWAYS;
    others = customers;
    others.hedging_threshold = MS(30);
    f.config.strategy = strategy;
    f.config.sink.on_gateway = note_change;
    change_count = 0;
}

static void start(rgn_signal hedging_disabled, bool automatic_failover, const rgn_options *strategy)
{
    prepare(hedging_disabled, automatic_failover, strategy);
    fixture_start(&f);
}

/* A refresh of the account; the answer is what was reported, or RGN_REASON_NONE. */
static rgn_reason refresh(rgn_signal hedging_disabled, bool automatic_failover, rgn_time_ns now)
{
    unsigned before = change_count;

    f.account.hedging_disabled = (uint8_t)hedging_disabled;
    f.account.automatic_failover = automatic_failover;
    ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, now), RGN_OK);
    if (change_count == before)
        return RGN_REASON_NONE;
    ck_assert_uint_eq(change_count, before + 1);
    ck_assert_int_eq(changes[before % 16].at, now);
    return (rgn_reason)changes[before % 16].reason;
}

static void is_state(bool is_off, rgn_strategy_owner owner, const rgn_options *customer, const rgn_options *stash)
{
    rgn_gateway g = rgn_router_gateway(f.router);

    ck_assert_int_eq(g.is_off, is_off);
    ck_assert_uint_eq(g.owner, owner);
    ck_assert_ptr_eq(g.customer, customer);
    ck_assert_ptr_eq(g.stash, stash);
}

/* An operation that starts now hedges after `threshold`; 0: not at all. */
static void hedges_after(rgn_dur_ns threshold, const rgn_options *own)
{
    rgn_request request = a_read;

    request.options = own;
    is_sent(begin(&request, S(1000)), 0, 0);
    ck_assert_uint_eq(op.wake_kind, threshold > 0 ? RGN_WAKE_HEDGE : RGN_WAKE_LEG_TIMEOUT);
    if (threshold > 0)
        ck_assert_int_eq(op.wake_at, S(1000) + threshold);
    ck_assert_int_eq(answer(0, 200, 0, S(1000) + 1), RGN_DONE);
}

/* --- the property --- */

static rgn_signal read_property(const char *json)
{
    rgn_signal signal = RGN_SIGNAL_TRUE;

    ck_assert_int_eq(rgn_account_read_signal(json, strlen(json), RGN_PROPERTY_HEDGING_DISABLED, &signal), RGN_OK);
    return signal;
}

START_TEST(disable_cross_regional_hedging_true_deserializes)
{
    ck_assert_int_eq(read_property("{\"id\":\"a\",\"disableCrossRegionalHedging\":true}"), RGN_SIGNAL_TRUE);
    ck_assert_int_eq(read_property(" { \"disableCrossRegionalHedging\" : true , \"x\" : 1 } "), RGN_SIGNAL_TRUE);
}
END_TEST

START_TEST(disable_cross_regional_hedging_false_deserializes)
{
    ck_assert_int_eq(read_property("{\"disableCrossRegionalHedging\":false}"), RGN_SIGNAL_FALSE);
}
END_TEST

START_TEST(disable_cross_regional_hedging_absent_defaults_to_null)
{
    ck_assert_int_eq(read_property("{}"), RGN_SIGNAL_ABSENT);
    ck_assert_int_eq(read_property("{\"disableCrossRegionalHedging\":null}"), RGN_SIGNAL_ABSENT);
    /* Another spelling is another property, and so is one that lies deeper. */
    ck_assert_int_eq(read_property("{\"DisableCrossRegionalHedging\":true}"), RGN_SIGNAL_ABSENT);
    ck_assert_int_eq(read_property("{\"a\":{\"disableCrossRegionalHedging\":true}}"), RGN_SIGNAL_ABSENT);
}
END_TEST

START_TEST(disable_cross_regional_hedging_unknown_field_does_not_break_deserialization)
{
    ck_assert_int_eq(read_property("{\"new\":[1,{\"x\":\"]}\\\"\"},[]],\"n\":-1.5e3,\"s\":\"a\\\\\","
                                   "\"disableCrossRegionalHedging\":true,\"later\":{\"y\":[true]}}"),
                     RGN_SIGNAL_TRUE);
}
END_TEST

START_TEST(metadata_that_is_no_metadata_is_refused)
{
    static const char *const bad[] = {"",
                                      "true",
                                      "[]",
                                      "{",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{\"a\":[1}}",
                                      "{\"a\":\"x}",
                                      "{\"a\":1}x",
                                      "{\"disableCrossRegionalHedging\":1}",
                                      "{\"disableCrossRegionalHedging\":\"true\"}",
                                      "{\"disableCrossRegionalHedging\":[true]}",
                                      "{\"disableCrossRegionalHedging\":}",
                                      "{\"a\":\"\\"};
    char deep[300] = "{\"a\":";

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rgn_signal signal = RGN_SIGNAL_TRUE;
        ck_assert_msg(rgn_account_read_signal(bad[i], strlen(bad[i]), RGN_PROPERTY_HEDGING_DISABLED, &signal) ==
                          RGN_ERR_RANGE,
                      "%s", bad[i]);
        ck_assert_int_eq(signal, RGN_SIGNAL_ABSENT);
    }
    for (int depth = 63; depth <= 65; depth++) {
        rgn_signal signal;
        memset(deep + 5, '[', (size_t)depth);
        memset(deep + 5 + depth, ']', (size_t)depth);
        snprintf(deep + 5 + 2 * depth, sizeof deep - 5 - 2 * (size_t)depth, "}");
        ck_assert_int_eq(rgn_account_read_signal(deep, strlen(deep), "b", &signal),
                         depth <= 64 ? RGN_OK : RGN_ERR_RANGE);
    }
}
END_TEST

/* --- at the start --- */

START_TEST(init_flag_true_skips_applying_default_strategy)
{
    start(RGN_SIGNAL_TRUE, true, NULL);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, NULL);
    ck_assert_uint_eq(rgn_router_gateway(f.router).defaults_built, 0);
    hedges_after(0, NULL);
    ck_assert_uint_eq(change_count, 0); /* the first observation is no change */
}
END_TEST

START_TEST(init_flag_false_applies_default_strategy)
{
    static const rgn_signal allowing[] = {RGN_SIGNAL_FALSE, RGN_SIGNAL_ABSENT};

    for (int i = 0; i < 2; i++) {
        start(allowing[i], true, NULL);
        is_state(false, RGN_STRATEGY_OF_DEFAULT, NULL, NULL);
        ck_assert_uint_eq(rgn_router_gateway(f.router).defaults_built, 1);
        hedges_after(MS(200), NULL);
        if (i == 0)
            hedge_teardown();
    }
}
END_TEST

START_TEST(init_flag_true_stashes_the_customers_strategy)
{
    start(RGN_SIGNAL_TRUE, true, &customers);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, &customers);
    hedges_after(0, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, true, S(1)), RGN_REASON_STRATEGY_RESTORED);
    is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
    hedges_after(MS(70), NULL);
}
END_TEST

/* --- at a refresh --- */

START_TEST(update_config_flag_toggle_on_stashes_customer_strategy_and_clears_availability_strategy)
{
    start(RGN_SIGNAL_FALSE, true, &customers);
    hedges_after(MS(70), NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(1)), RGN_REASON_STRATEGY_STASHED);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, &customers);
    ck_assert_uint_eq(changes[0].before.owner, RGN_STRATEGY_OF_CUSTOMER);
    ck_assert_uint_eq(changes[0].after.owner, RGN_STRATEGY_OF_NOBODY);
    hedges_after(0, NULL);
}
END_TEST

START_TEST(update_config_flag_toggle_off_restores_stashed_customer_strategy)
{
    start(RGN_SIGNAL_FALSE, true, &customers);
    for (int cycle = 0; cycle < 3; cycle++) {
        ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(2 * cycle + 1)), RGN_REASON_STRATEGY_STASHED);
        ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, true, S(2 * cycle + 2)), RGN_REASON_STRATEGY_RESTORED);
        is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL); /* the very same, and the stash is empty */
        hedges_after(MS(70), NULL);
    }
    ck_assert_uint_eq(rgn_router_gateway(f.router).defaults_built, 0);
}
END_TEST

START_TEST(update_config_flag_true_does_not_stash_sdk_default_strategy)
{
    start(RGN_SIGNAL_FALSE, true, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(1)), RGN_REASON_STRATEGY_CLEARED);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, NULL);
    hedges_after(0, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, true, S(2)), RGN_REASON_STRATEGY_BUILT);
    is_state(false, RGN_STRATEGY_OF_DEFAULT, NULL, NULL);
    ck_assert_uint_eq(rgn_router_gateway(f.router).defaults_built, 2); /* a fresh one */
    hedges_after(MS(200), NULL);
}
END_TEST

START_TEST(update_config_client_level_override_disabled_flag_is_ignored)
{
    prepare(RGN_SIGNAL_TRUE, true, &customers);
    f.config.options.gateway_client_override = 1;
    fixture_start(&f);
    is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(refresh((rgn_signal)(i % 3), i % 2 == 0, S(i)), RGN_REASON_NONE);
        is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
        hedges_after(MS(70), NULL);
        ck_assert(!rgn_router_topology(f.router)->automatic_failover);
    }
}
END_TEST

START_TEST(update_config_no_change_is_no_operation)
{
    start(RGN_SIGNAL_FALSE, true, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, true, S(1)), RGN_REASON_NONE);
    ck_assert_int_eq(rgn_router_set_strategy(f.router, &customers), RGN_OK);
    ck_assert_int_eq(refresh(RGN_SIGNAL_ABSENT, true, S(2)), RGN_REASON_NONE);
    is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(3)), RGN_REASON_STRATEGY_STASHED);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(4)), RGN_REASON_NONE);
}
END_TEST

START_TEST(refresh_database_account_property_dropped_after_true_does_not_fire_change_event)
{
    start(RGN_SIGNAL_TRUE, true, &customers);
    ck_assert_int_eq(refresh(RGN_SIGNAL_ABSENT, true, S(1)), RGN_REASON_NONE);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, &customers);
    f.account.failover_is_absent = true; /* and so for the other property */
    ck_assert_int_eq(refresh(RGN_SIGNAL_ABSENT, false, S(2)), RGN_REASON_NONE);
    ck_assert(rgn_router_topology(f.router)->automatic_failover);
}
END_TEST

START_TEST(a_strategy_that_would_be_lost_leaves_a_warning)
{
    start(RGN_SIGNAL_TRUE, true, &customers);
    ck_assert_int_eq(rgn_router_set_strategy(f.router, &others), RGN_OK);
    hedges_after(0, NULL); /* the switch is thrown all the same */
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, false, S(1)), RGN_REASON_STRATEGY_DROPPED);
    ck_assert_ptr_eq(changes[0].before.customer, &others); /* the record says which */
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, &customers);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, false, S(2)), RGN_REASON_STRATEGY_RESTORED);
    is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
}
END_TEST

START_TEST(the_customer_may_take_the_strategy_back)
{
    rgn_options bad = customers;

    start(RGN_SIGNAL_TRUE, true, &customers);
    ck_assert_int_eq(rgn_router_set_strategy(f.router, NULL), RGN_OK);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, true, S(1)), RGN_REASON_STRATEGY_BUILT);
    ck_assert_int_eq(rgn_router_set_strategy(f.router, &others), RGN_OK);
    hedges_after(MS(30), NULL);
    ck_assert_int_eq(rgn_router_set_strategy(f.router, NULL), RGN_OK);
    is_state(false, RGN_STRATEGY_OF_DEFAULT, NULL, NULL);
    hedges_after(MS(200), NULL);
    bad.hedging_threshold = 0;
    ck_assert_int_eq(rgn_router_set_strategy(f.router, &bad), RGN_ERR_RANGE);
    f.account.hedging_disabled = 3;
    ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, S(2)), RGN_ERR_RANGE);
}
END_TEST

/* Events on (switch, automatic failover, strategy, stash), from every state that the published table names. */
enum { NONE = RGN_STRATEGY_OF_NOBODY, MINE = RGN_STRATEGY_OF_CUSTOMER, DEFAULT = RGN_STRATEGY_OF_DEFAULT };
typedef struct {
    uint8_t switch_before, failover_before;
    bool has_customer;
    uint8_t switch_after, failover_after;
    rgn_reason reason;
    uint8_t owner;
    bool is_stashed;
} edge;

#define OFF RGN_SIGNAL_TRUE
#define ON  RGN_SIGNAL_FALSE
#define NIL RGN_SIGNAL_ABSENT
static const edge edges[] = {
    {ON, 1, false, OFF, 1, RGN_REASON_STRATEGY_CLEARED, NONE, false},
    {OFF, 1, false, ON, 1, RGN_REASON_STRATEGY_BUILT, DEFAULT, false},
    {ON, 1, true, OFF, 1, RGN_REASON_STRATEGY_STASHED, NONE, true},
    {OFF, 1, true, ON, 1, RGN_REASON_STRATEGY_RESTORED, MINE, false},
    {OFF, 0, true, ON, 0, RGN_REASON_STRATEGY_RESTORED, MINE, false},
    {OFF, 1, false, NIL, 1, RGN_REASON_NONE, NONE, false},
    {ON, 0, true, OFF, 0, RGN_REASON_STRATEGY_STASHED, NONE, true},
    {ON, 0, false, OFF, 0, RGN_REASON_STRATEGY_KEPT, NONE, false},
    {OFF, 0, false, OFF, 1, RGN_REASON_STRATEGY_KEPT, NONE, false},
    {OFF, 1, false, OFF, 0, RGN_REASON_STRATEGY_KEPT, NONE, false},
    {OFF, 0, false, ON, 0, RGN_REASON_STRATEGY_KEPT, NONE, false},
    {OFF, 0, false, ON, 1, RGN_REASON_STRATEGY_BUILT, DEFAULT, false},
    {ON, 1, false, ON, 0, RGN_REASON_STRATEGY_CLEARED, NONE, false},
    {ON, 1, true, ON, 0, RGN_REASON_STRATEGY_KEPT, MINE, false},
    {ON, 0, false, ON, 1, RGN_REASON_STRATEGY_BUILT, DEFAULT, false},
    {OFF, 1, true, OFF, 0, RGN_REASON_STRATEGY_KEPT, NONE, true},
    {OFF, 0, true, OFF, 1, RGN_REASON_STRATEGY_KEPT, NONE, true},
};

START_TEST(every_edge_of_the_published_table)
{
    const edge *e = &edges[_i];

    start((rgn_signal)e->switch_before, e->failover_before, e->has_customer ? &customers : NULL);
    ck_assert_int_eq(refresh((rgn_signal)e->switch_after, e->failover_after, S(1)), e->reason);
    is_state(e->switch_after == OFF || (e->switch_after == NIL && e->switch_before == OFF),
             (rgn_strategy_owner)e->owner, e->owner == MINE ? &customers : NULL, e->is_stashed ? &customers : NULL);
    hedges_after(e->owner == MINE ? MS(70) : e->owner == DEFAULT ? MS(200) : 0, NULL);
}
END_TEST

START_TEST(failover_off_and_then_flag_false_gives_the_customers_strategy_back)
{
    start(RGN_SIGNAL_TRUE, true, &customers);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, false, S(1)), RGN_REASON_STRATEGY_KEPT);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, false, S(2)), RGN_REASON_STRATEGY_RESTORED);
    is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
}
END_TEST

/* --- operations --- */

START_TEST(request_invoker_handler_flag_true_per_request_strategy_returns_null)
{
    start(RGN_SIGNAL_TRUE, true, NULL);
    hedges_after(0, &others);
    customers.hedging_enabled = 1; /* not even the master switch of a request */
    hedges_after(0, &customers);
}
END_TEST

START_TEST(request_invoker_handler_flag_false_honors_per_request_strategy)
{
    start(RGN_SIGNAL_FALSE, true, &customers);
    hedges_after(MS(30), &others);
    hedges_after(MS(70), NULL);
}
END_TEST

START_TEST(request_invoker_handler_flag_driven_by_refresh_callback)
{
    start(RGN_SIGNAL_ABSENT, true, NULL);
    hedges_after(MS(30), &others);
    refresh(RGN_SIGNAL_TRUE, true, S(1));
    hedges_after(0, &others);
    refresh(RGN_SIGNAL_FALSE, true, S(2));
    hedges_after(MS(30), &others);
}
END_TEST

START_TEST(in_flight_hedges_finish)
{
    start(RGN_SIGNAL_FALSE, true, NULL);
    is_sent(begin(&a_read, 0), 0, 0);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, MS(100)), RGN_REASON_STRATEGY_CLEARED);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1); /* it started before: it hedges, and its hedge may win */
    ck_assert_int_eq(answer(1, 200, 0, MS(230)), RGN_DONE);
    ck_assert_int_eq(rgn_op_hedge(&op), RGN_HEDGE_ALTERNATE_WON);
    hedges_after(0, NULL);
}
END_TEST

START_TEST(the_switch_touches_hedging_only)
{
    start(RGN_SIGNAL_FALSE, true, NULL);
    fixture_trip(&f, 3, RGN_READ, S(1));
    refresh(RGN_SIGNAL_TRUE, true, S(2));
    ck_assert_uint_eq(fixture_entry(&f, 3).phase, RGN_PHASE_UNHEALTHY);
    ck_assert(rgn_router_topology(f.router)->automatic_failover);
}
END_TEST

/* --- Java --- */

START_TEST(account_hedging_override_applies_only_with_ppaf)
{
    prepare(RGN_SIGNAL_TRUE, false, &customers);
    f.config.options.gateway_activation = RGN_ACTIVATION_WITH_FAILOVER;
    fixture_start(&f);
    is_state(false, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
    hedges_after(MS(70), NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(1)), RGN_REASON_STRATEGY_STASHED);
    hedges_after(0, NULL);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, false, S(2)), RGN_REASON_STRATEGY_RESTORED);
    hedges_after(MS(70), NULL);
}
END_TEST

START_TEST(account_hedging_override_is_initialized_and_refreshed_without_resetting_ppcb)
{
    prepare(RGN_SIGNAL_TRUE, true, NULL);
    f.config.options.gateway_absent = RGN_GATEWAY_ABSENT_ALLOWS;
    fixture_start(&f);
    fixture_trip(&f, 3, RGN_READ, S(1));
    ck_assert_int_eq(refresh(RGN_SIGNAL_ABSENT, true, S(2)), RGN_REASON_STRATEGY_BUILT); /* absent is false there */
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, true, S(3)), RGN_REASON_STRATEGY_CLEARED);
    ck_assert_uint_eq(fixture_entry(&f, 3).phase, RGN_PHASE_UNHEALTHY);
}
END_TEST

START_TEST(java_stashes_nothing_and_loses_nothing)
{
    prepare(RGN_SIGNAL_TRUE, true, &customers);
    f.config.options.gateway_enforcement = RGN_GATEWAY_MASKS;
    fixture_start(&f);
    is_state(true, RGN_STRATEGY_OF_CUSTOMER, &customers, NULL);
    hedges_after(0, NULL);
    ck_assert_int_eq(rgn_router_set_strategy(f.router, &others), RGN_OK);
    ck_assert_int_eq(refresh(RGN_SIGNAL_TRUE, false, S(1)), RGN_REASON_STRATEGY_KEPT);
    ck_assert_int_eq(refresh(RGN_SIGNAL_FALSE, false, S(2)), RGN_REASON_STRATEGY_KEPT);
    hedges_after(MS(30), NULL);
}
END_TEST

START_TEST(account_hedging_override_controls_feed_speculation)
{
    rgn_request feed = a_read;

    feed.is_feed = true;
    prepare(RGN_SIGNAL_TRUE, true, NULL);
    f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
    fixture_start(&f);
    is_sent(begin(&feed, 0), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    ck_assert_int_eq(answer(0, 200, 0, 1), RGN_DONE);
    refresh(RGN_SIGNAL_FALSE, true, S(1));
    is_sent(begin(&feed, 0), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_HEDGE);
    ck_assert_int_eq(answer(0, 200, 0, 1), RGN_DONE);
}
END_TEST

START_TEST(account_disabled_hedging_waits_for_ppcb_failover)
{
    rgn_time_ns now = 0;

    start(RGN_SIGNAL_TRUE, true, NULL);
    for (unsigned i = 0; i < 10; i++, now += S(10)) { /* the primary does not answer; its own timeout ends it */
        is_sent(begin(&a_read, now), 0, 0);
        is_sent(ring(RGN_WAKE_LEG_TIMEOUT, now + S(6)), 0, 1);
        ck_assert_int_eq(answer(0, 200, 0, now + S(7)), RGN_DONE);
    }
    is_sent(begin(&a_read, now), 0, 1); /* tripped: straight to the other region */
    ck_assert_int_eq(answer(0, 200, 0, now + 1), RGN_DONE);
}
END_TEST

/* --- reading the account --- */

static void start_reading(rgn_time_ns at)
{
    prepare(RGN_SIGNAL_FALSE, true, NULL);
    f.config.reads_account = true;
    f.config.start = at;
    fixture_start(&f);
}

static bool is_asked(rgn_time_ns now)
{
    rgn_task task[2];
    unsigned count = rgn_router_on_expiry(f.router, now, task, 2);

    ck_assert_uint_le(count, 1);
    if (count == 1)
        ck_assert_uint_eq(task[0].kind, RGN_TASK_REFRESH_ACCOUNT);
    return count == 1;
}

START_TEST(the_account_is_read_on_the_clients_own_grid)
{
    start_reading(-S(40));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(260));
    ck_assert(!is_asked(S(260) - 1));
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, S(260), NULL, 0), 0); /* no room: it waits */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(260));
    ck_assert(is_asked(S(260)));
    ck_assert(!is_asked(S(260)));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(560));
    ck_assert(!is_asked(S(560))); /* the first one is still under way */
    f.account.hedging_disabled = RGN_SIGNAL_TRUE;
    ck_assert_int_eq(rgn_router_answer_refresh(f.router, &f.account, S(561)), RGN_OK);
    is_state(true, RGN_STRATEGY_OF_NOBODY, NULL, NULL);
    ck_assert(is_asked(S(860)));
}
END_TEST

static void refuse_a_write(rgn_time_ns now)
{
    const rgn_request write = {.partition = 1, .direction = RGN_WRITE, .timeout = RGN_TIME_NEVER};

    is_sent(begin(&write, now), 0, 0);
    is_sent(answer(0, 403, 3, now), 0, 1);
    rgn_op_abandon(f.router, &op, now);
}

START_TEST(a_refused_write_asks_for_the_account_and_the_lease_makes_one_of_many)
{
    start_reading(0);
    refuse_a_write(S(10));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(10));
    ck_assert(is_asked(S(10)));
    refuse_a_write(S(11)); /* under way */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(300));
    ck_assert_int_eq(rgn_router_answer_refresh(f.router, &f.account, S(12)), RGN_OK);
    refuse_a_write(S(15) - 1);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(300));
    refuse_a_write(S(15));
    ck_assert(is_asked(S(15)));
    ck_assert_int_eq(rgn_router_answer_refresh(f.router, NULL, S(16)), RGN_OK); /* it failed: the lease is given back */
    refuse_a_write(S(16));
    ck_assert(is_asked(S(16)));
}
END_TEST

START_TEST(the_periodic_reading_ignores_the_lease_and_knobs_set_both)
{
    prepare(RGN_SIGNAL_FALSE, true, NULL);
    f.config.reads_account = true;
    f.config.options.gateway_refresh_interval = S(12);
    f.config.options.gateway_refresh_lease = S(60);
    fixture_start(&f);
    refuse_a_write(S(11));
    ck_assert(is_asked(S(11)));
    ck_assert_int_eq(rgn_router_answer_refresh(f.router, &f.account, S(11)), RGN_OK);
    ck_assert(is_asked(S(12)));
    ck_assert_int_eq(rgn_router_answer_refresh(f.router, &f.account, S(12)), RGN_OK);
    refuse_a_write(S(13));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), S(24));
}
END_TEST

START_TEST(who_does_not_read_the_account_is_not_asked_to)
{
    start(RGN_SIGNAL_FALSE, true, NULL);
    refuse_a_write(S(1));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    ck_assert(!is_asked(S(400)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gateway");
    TCase *texts = tcase_create("property");
    TCase *tc = tcase_create("switch");

    tcase_add_test(texts, disable_cross_regional_hedging_true_deserializes);
    tcase_add_test(texts, disable_cross_regional_hedging_false_deserializes);
    tcase_add_test(texts, disable_cross_regional_hedging_absent_defaults_to_null);
    tcase_add_test(texts, disable_cross_regional_hedging_unknown_field_does_not_break_deserialization);
    tcase_add_test(texts, metadata_that_is_no_metadata_is_refused);
    tcase_add_checked_fixture(tc, NULL, hedge_teardown);
    tcase_add_test(tc, init_flag_true_skips_applying_default_strategy);
    tcase_add_test(tc, init_flag_false_applies_default_strategy);
    tcase_add_test(tc, init_flag_true_stashes_the_customers_strategy);
    tcase_add_test(tc, update_config_flag_toggle_on_stashes_customer_strategy_and_clears_availability_strategy);
    tcase_add_test(tc, update_config_flag_toggle_off_restores_stashed_customer_strategy);
    tcase_add_test(tc, update_config_flag_true_does_not_stash_sdk_default_strategy);
    tcase_add_test(tc, update_config_client_level_override_disabled_flag_is_ignored);
    tcase_add_test(tc, update_config_no_change_is_no_operation);
    tcase_add_test(tc, refresh_database_account_property_dropped_after_true_does_not_fire_change_event);
    tcase_add_test(tc, a_strategy_that_would_be_lost_leaves_a_warning);
    tcase_add_test(tc, the_customer_may_take_the_strategy_back);
    tcase_add_loop_test(tc, every_edge_of_the_published_table, 0, (int)(sizeof edges / sizeof *edges));
    tcase_add_test(tc, failover_off_and_then_flag_false_gives_the_customers_strategy_back);
    tcase_add_test(tc, request_invoker_handler_flag_true_per_request_strategy_returns_null);
    tcase_add_test(tc, request_invoker_handler_flag_false_honors_per_request_strategy);
    tcase_add_test(tc, request_invoker_handler_flag_driven_by_refresh_callback);
    tcase_add_test(tc, in_flight_hedges_finish);
    tcase_add_test(tc, the_switch_touches_hedging_only);
    tcase_add_test(tc, account_hedging_override_applies_only_with_ppaf);
    tcase_add_test(tc, account_hedging_override_is_initialized_and_refreshed_without_resetting_ppcb);
    tcase_add_test(tc, java_stashes_nothing_and_loses_nothing);
    tcase_add_test(tc, account_hedging_override_controls_feed_speculation);
    tcase_add_test(tc, account_disabled_hedging_waits_for_ppcb_failover);
    tcase_add_test(tc, the_account_is_read_on_the_clients_own_grid);
    tcase_add_test(tc, a_refused_write_asks_for_the_account_and_the_lease_makes_one_of_many);
    tcase_add_test(tc, the_periodic_reading_ignores_the_lease_and_knobs_set_both);
    tcase_add_test(tc, who_does_not_read_the_account_is_not_asked_to);
    suite_add_tcase(suite, texts);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
