/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Automatic failover, the hub, hedge-win feedback and the breaker's switch, through the router's public calls. */
#include <stdio.h>
#include <string.h>

#include "core_fixture.h"

enum { A, B, C, NONE = RGN_REGION_NONE };

static fixture f;
static rgn_override_change changes[64];
static unsigned change_count;

static void on_override(void *context, const rgn_override_change *change)
{
    (void)context;
    changes[change_count++ % 64] = *change;
}

/* Regions A, B, C; A is the hub; one region takes writes; automatic failover is on. */
static void start(bool multi_write, bool automatic_failover, int64_t rules)
{
    change_count = 0;
    fixture_init(&f, multi_write);
    f.account.automatic_failover = automatic_failover;
    f.config.options.routing_rules = rules;
    f.config.sink.on_override = on_override;
    fixture_start(&f);
}

/* The shipped driver's knobs. */
static void start_driver(bool multi_write, bool automatic_failover)
{
    change_count = 0;
    fixture_init(&f, multi_write);
    f.account.automatic_failover = automatic_failover;
    f.config.options.breaker_tally = RGN_TALLY_SHARED;
    f.config.options.breaker_untripped_entries = RGN_UNTRIPPED_KEEP;
    f.config.options.failback_strategy = RGN_STRATEGY_PROBE;
    f.config.options.failback_probe_admission = RGN_PROBE_ALL;
    f.config.options.failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
    f.config.options.routing_rules = RGN_ROUTING_DRIVER;
    fixture_start(&f);
}

static rgn_override override_of(rgn_partition partition)
{
    rgn_override override;
    rgn_router_inspect_override(f.router, partition, &override);
    return override;
}

static rgn_route_answer write_route(rgn_partition partition)
{
    return rgn_router_route(f.router, partition, (rgn_route_query){.direction = RGN_WRITE}, S(100));
}

static void fail_write(rgn_region region, rgn_time_ns now)
{
    rgn_router_record_failure(f.router, 0, region, RGN_WRITE, now);
}

/* --- the override ------------------------------------------------------------------------------------------------ */

START_TEST(the_first_failed_write_moves_its_partition_and_no_other)
{
    start(false, true, RGN_ROUTING_DOCUMENTED);
    ck_assert_uint_eq(write_route(0).region, A);
    fail_write(A, S(1));
    ck_assert_uint_eq(write_route(0).region, B);
    ck_assert_uint_eq(write_route(0).reason, RGN_REASON_ROUTE_FAILOVER);
    ck_assert_uint_eq(write_route(1).region, A);
    rgn_override o = override_of(0);
    ck_assert(o.is_set);
    ck_assert_uint_eq(o.first_failed, A);
    ck_assert_uint_eq(o.failed, SET(A));
    ck_assert_int_eq(o.first_failure, S(1));
    ck_assert_uint_eq(changes[0].reason, RGN_REASON_FAILOVER_SET);
    ck_assert_uint_eq(changes[0].override.current, B);
    ck_assert_uint_eq(f.transition_count, 0); /* the breaker has no part in it */
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    fixture_stop(&f);
}
END_TEST

START_TEST(only_a_failure_at_the_current_region_moves_on_and_the_last_one_ends_it)
{
    start(false, true, RGN_ROUTING_DOCUMENTED);
    fail_write(A, S(1));
    fail_write(A, S(2)); /* too late: nothing moves */
    ck_assert_uint_eq(override_of(0).current, B);
    ck_assert_int_eq(override_of(0).last_failure, S(2));
    ck_assert_uint_eq(change_count, 1);
    fail_write(B, S(3));
    ck_assert_uint_eq(override_of(0).current, C);
    ck_assert_uint_eq(changes[1].reason, RGN_REASON_FAILOVER_MOVE);
    fail_write(C, S(4));
    ck_assert(!override_of(0).is_set);
    ck_assert_uint_eq(changes[2].reason, RGN_REASON_FAILOVER_EXHAUSTED);
    ck_assert_uint_eq(changes[2].override.current, C); /* its last value */
    ck_assert_uint_eq(write_route(0).region, A);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_failure_goes_to_the_breaker_or_to_automatic_failover_never_to_both)
{
    static const struct {
        const char *what;
        bool multi_write, automatic_failover, is_alone;
        rgn_direction direction;
        rgn_region region;
        bool counts, moves;
    } rows[] = {
        {"read", false, true, false, RGN_READ, A, true, false},
        {"write, single-write", false, true, false, RGN_WRITE, A, false, true},
        {"write, multi-write", true, true, false, RGN_WRITE, A, true, false},
        {"write, no automatic failover", false, false, false, RGN_WRITE, A, false, false},
        {"write, one region", false, true, true, RGN_WRITE, A, false, false},
        {"write, unknown region", false, true, false, RGN_WRITE, 9, false, false},
        {"write, no region", false, true, false, RGN_WRITE, NONE, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture_init(&f, rows[i].multi_write);
        f.account.automatic_failover = rows[i].automatic_failover;
        if (rows[i].is_alone)
            f.account.readable.count = 1;
        fixture_start(&f);
        rgn_router_record_failure(f.router, 0, rows[i].region, rows[i].direction, S(1));
        ck_assert_msg((fixture_entry(&f, 0).phase != RGN_PHASE_ABSENT) == rows[i].counts, "%s", rows[i].what);
        ck_assert_msg(override_of(0).is_set == rows[i].moves, "%s", rows[i].what);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(marks_that_others_have_overtaken_are_dropped_at_the_flush)
{
    static const rgn_region both[] = {A, B}, twice[] = {A, A}, one[] = {B};
    start(false, true, RGN_ROUTING_DOCUMENTED);
    rgn_router_flush_writes(f.router, 0, both, 2, S(1)); /* nothing known before: both count */
    ck_assert_uint_eq(override_of(0).current, C);
    rgn_router_flush_writes(f.router, 0, both, 2, S(2)); /* traffic has left them already */
    ck_assert_int_eq(override_of(0).last_failure, S(1));
    rgn_router_flush_writes(f.router, 1, twice, 2, S(3));
    ck_assert_uint_eq(override_of(1).current, B);
    rgn_router_flush_writes(f.router, 1, one, 1, S(4));
    ck_assert_uint_eq(override_of(1).current, C);
    rgn_router_flush_writes(f.router, 64, one, 1, S(4)); /* no such partition */
    fixture_stop(&f);
}
END_TEST

/* On a multi-write account the breaker takes them; its entry can have overtaken one, too. */
START_TEST(a_flush_on_a_multi_write_account_counts_for_the_breaker)
{
    static const rgn_region regions[] = {A, B};
    start(true, true, RGN_ROUTING_DOCUMENTED);
    fixture_trip(&f, 0, RGN_READ, S(1)); /* away from A, at B */
    rgn_router_flush_writes(f.router, 0, regions, 2, S(2));
    rgn_entry entry = fixture_entry(&f, 0);
    ck_assert_uint_eq(entry.current, C); /* B has failed */
    ck_assert_uint_eq(entry.failed, SET(A) | SET(B));
    ck_assert(!override_of(0).is_set);
    fixture_stop(&f);
}
END_TEST

START_TEST(an_edge_of_automatic_failover_forgets_every_override_for_good)
{
    for (int64_t rules = RGN_ROUTING_DOCUMENTED; rules <= RGN_ROUTING_JAVA; rules++) {
        start(false, true, rules);
        fail_write(A, S(1));
        ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, S(2)), RGN_OK); /* no edge */
        ck_assert(override_of(0).is_set);
        f.account.automatic_failover = false;
        rgn_router_set_account(f.router, &f.account, S(3));
        ck_assert(!override_of(0).is_set);
        ck_assert_uint_eq(changes[1].reason, RGN_REASON_FLAG_EDGE);
        fail_write(A, S(4));
        ck_assert(!override_of(0).is_set);
        f.account.automatic_failover = true;
        rgn_router_set_account(f.router, &f.account, S(5));
        ck_assert(!override_of(0).is_set);
        ck_assert_uint_eq(write_route(0).region, A);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(an_override_goes_with_its_region_and_the_driver_keeps_it)
{
    rgn_account smaller;
    start(false, true, RGN_ROUTING_DOCUMENTED);
    fail_write(A, S(1));
    smaller = f.account;
    smaller.readable = (rgn_region_list){2, {A, C}};
    rgn_router_set_account(f.router, &smaller, S(2));
    ck_assert(!override_of(0).is_set);
    ck_assert_uint_eq(changes[1].reason, RGN_REASON_REGION_REMOVED);
    fixture_stop(&f);

    start_driver(false, true);
    fail_write(A, S(1));
    rgn_router_set_account(f.router, &smaller, S(2));
    ck_assert_uint_eq(override_of(0).current, B);
    fixture_stop(&f);
}
END_TEST

START_TEST(an_override_needs_no_more_than_a_state_bit_of_healthy_partitions)
{
    start(false, true, RGN_ROUTING_DOCUMENTED);
    unsigned before = f.allocations;
    for (rgn_partition p = 0; p < 64; p++)
        write_route(p);
    ck_assert_uint_eq(f.allocations, before);
    fixture_stop(&f);
}
END_TEST

START_TEST(without_memory_there_is_no_override_and_it_is_counted)
{
    for (unsigned fails_at = 1; fails_at <= 3; fails_at++) {
        start(false, true, RGN_ROUTING_DOCUMENTED);
        f.fails_at = f.allocations + fails_at;
        fail_write(A, S(1));
        ck_assert(!override_of(0).is_set);
        ck_assert_uint_eq(write_route(0).region, A);
        ck_assert_uint_eq(rgn_router_get_counters(f.router).failed_allocations, 1);
        f.fails_at = 0;
        fail_write(A, S(2));
        ck_assert(override_of(0).is_set);
        fixture_stop(&f);
    }
}
END_TEST

/* --- the hub ----------------------------------------------------------------------------------------------------- */

static rgn_route_answer hub_route(rgn_region_set excluded)
{
    return rgn_router_route(f.router, 0, (rgn_route_query){.is_hub_latched = true, .excluded = excluded}, S(100));
}

START_TEST(a_confirmed_hub_serves_reads_that_look_for_it)
{
    for (int64_t rules = RGN_ROUTING_DOCUMENTED; rules <= RGN_ROUTING_JAVA; rules++) {
        start(false, true, rules);
        ck_assert_uint_eq(hub_route(0).region, A);
        rgn_router_record_hub(f.router, 0, C, S(1));
        ck_assert_uint_eq(hub_route(0).region, C);
        ck_assert_uint_eq(hub_route(0).reason, RGN_REASON_ROUTE_HUB);
        ck_assert_uint_ne(hub_route(SET(C)).region, C); /* an exclusion is stronger */
        rgn_router_record_hub(f.router, 0, C, S(2));    /* nothing new */
        ck_assert_uint_eq(change_count, 1);
        ck_assert_uint_eq(changes[0].reason, RGN_REASON_HUB_FOUND);
        rgn_router_mark_endpoint(f.router, C, RGN_MARK_SERVICE_UNAVAILABLE, S(100));
        ck_assert_uint_ne(hub_route(0).region, C);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(a_refusal_moves_the_search_on_and_a_find_keeps_what_has_failed)
{
    start(false, true, RGN_ROUTING_DOCUMENTED);
    rgn_router_record_not_hub(f.router, 0, A, S(1));
    ck_assert_uint_eq(hub_route(0).region, B);
    rgn_router_record_hub(f.router, 0, C, S(2));
    rgn_override o = override_of(0);
    ck_assert_uint_eq(o.current, C);
    ck_assert_uint_eq(o.failed, SET(A));
    ck_assert_int_eq(o.first_failure, S(1));
    rgn_router_record_not_hub(f.router, 0, C, S(3));
    ck_assert_uint_eq(override_of(0).current, B);
    ck_assert_uint_eq(write_route(0).region, B); /* writes share what reads have learnt */
    rgn_router_record_not_hub(f.router, 0, B, S(4));
    ck_assert(!override_of(0).is_set);
    fixture_stop(&f);
}
END_TEST

START_TEST(nothing_is_learnt_of_the_hub_without_automatic_failover)
{
    start(false, false, RGN_ROUTING_DOCUMENTED);
    rgn_router_record_hub(f.router, 0, C, S(1));
    rgn_router_record_not_hub(f.router, 0, A, S(1));
    rgn_router_record_hub(f.router, 0, NONE, S(1));
    rgn_router_record_hub(f.router, 64, C, S(1));
    ck_assert(!override_of(0).is_set);
    fixture_stop(&f);
}
END_TEST

/* --- the breaker's switch ---------------------------------------------------------------------------------------- */

START_TEST(the_kill_switch_beats_the_option_and_the_account)
{
    static const struct {
        int64_t rules;
        bool option, automatic_failover;
        rgn_switch position;
        bool is_on;
    } rows[] = {
        {RGN_ROUTING_DOCUMENTED, true, false, RGN_SWITCH_UNSET, true},
        {RGN_ROUTING_DOCUMENTED, false, true, RGN_SWITCH_UNSET, false},
        {RGN_ROUTING_DOCUMENTED, true, true, RGN_SWITCH_OFF, false},
        {RGN_ROUTING_DOCUMENTED, false, false, RGN_SWITCH_ON, true},
        {RGN_ROUTING_DRIVER, false, true, RGN_SWITCH_UNSET, true},
        {RGN_ROUTING_DRIVER, false, false, RGN_SWITCH_UNSET, false},
        {RGN_ROUTING_DRIVER, true, true, RGN_SWITCH_OFF, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture_init(&f, true);
        f.account.automatic_failover = rows[i].automatic_failover;
        f.config.options.routing_rules = rows[i].rules;
        f.config.options.breaker_enabled = rows[i].option;
        f.config.breaker_switch = rows[i].position;
        fixture_start(&f);
        ck_assert_msg(rgn_router_breaker_is_on(f.router) == rows[i].is_on, "row %zu", i);
        rgn_router_set_breaker_switch(f.router, RGN_SWITCH_UNSET, S(1));
        ck_assert_int_eq(rgn_router_breaker_is_on(f.router),
                         rows[i].option || (rows[i].automatic_failover && rows[i].rules == RGN_ROUTING_DRIVER));
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(with_the_drivers_rules_automatic_failover_switches_the_breaker_too)
{
    start_driver(true, true);
    f.config.options.breaker_enabled = 0;
    fixture_stop(&f);
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, S(1));
    f.account.automatic_failover = false;
    rgn_router_set_account(f.router, &f.account, S(2));
    ck_assert(!rgn_router_breaker_is_on(f.router));
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_FLAG_EDGE);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_forgotten_entry_leaves_its_override_and_its_wins)
{
    start(false, true, RGN_ROUTING_DOCUMENTED);
    fixture_trip(&f, 0, RGN_READ, S(1));
    fail_write(A, S(1));
    rgn_router_record_hedge_win(f.router, 0, B, S(1));
    rgn_router_forget_entry(f.router, 0, S(2));
    rgn_router_forget_entry(f.router, 0, S(2)); /* nothing left to forget */
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_FORGOTTEN);
    ck_assert(override_of(0).is_set);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 1);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    fixture_stop(&f);
}
END_TEST

/* --- hedge wins -------------------------------------------------------------------------------------------------- */

static void win(rgn_region region, unsigned times, rgn_time_ns now)
{
    for (unsigned i = 0; i < times; i++)
        rgn_router_record_hedge_win(f.router, 0, region, now);
}

START_TEST(enough_wins_in_a_row_trip_the_region_that_lost)
{
    for (unsigned multi_write = 0; multi_write < 2; multi_write++) {
        start(multi_write, false, RGN_ROUTING_DOCUMENTED);
        win(A, 4, S(1));
        ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 4);
        win(A, 1, S(2));
        rgn_entry entry = fixture_entry(&f, 0);
        ck_assert_uint_eq(entry.phase, RGN_PHASE_UNHEALTHY);
        ck_assert_uint_eq(entry.tripped, multi_write ? 3 : 1); /* writes only where others take them */
        ck_assert_uint_eq(entry.cause, RGN_CAUSE_HEDGE_WINS);
        ck_assert_uint_eq(entry.first_failed, A);
        ck_assert_uint_eq(entry.current, B);
        ck_assert_int_eq(entry.trip_time, S(2));
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
        const rgn_transition *t = &f.transitions[0];
        ck_assert_uint_eq(f.transition_count, 1);
        ck_assert_uint_eq(t->reason, RGN_REASON_TRIP_HEDGE);
        ck_assert_uint_eq(t->failures, 5);
        ck_assert_int_eq(t->threshold, 5);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(a_primary_win_ends_the_row_of_its_region_only)
{
    start(true, false, RGN_ROUTING_DOCUMENTED);
    win(A, 4, S(1));
    win(B, 2, S(1));
    rgn_router_record_primary_win(f.router, 0, A, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 2);
    win(A, 4, S(1));
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    rgn_router_record_primary_win(f.router, 1, A, S(1)); /* no row to end */
    rgn_router_record_primary_win(f.router, 64, A, S(1));
    fixture_stop(&f);
}
END_TEST

/* A row is kept in another place while it is short and its partition's only one; nothing else shows it. */
START_TEST(rows_of_any_length_and_number_count_alike)
{
    fixture_init(&f, true);
    f.config.options.breaker_consecutive_hedge_win_threshold = 600;
    fixture_start(&f);
    for (unsigned n = 1; n <= 300; n++) {
        win(A, 1, S(1));
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), n);
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 0);
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 1, A), 0);
    }
    win(B, 2, S(1));
    rgn_router_record_primary_win(f.router, 0, C, S(1)); /* has no row */
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 300);
    rgn_router_record_primary_win(f.router, 0, A, S(1));
    win(B, 1, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 3);
    rgn_router_record_primary_win(f.router, 0, B, S(1));
    win(A, 2, S(1));
    rgn_router_record_primary_win(f.router, 0, B, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 2);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 0);
    win(A, 597, S(1));
    ck_assert_uint_eq(f.transition_count, 0);
    win(A, 1, S(2));
    ck_assert_uint_eq(f.transition_count, 1);
    ck_assert_uint_eq(f.transitions[0].failures, 600);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_trip_ends_the_row_that_reached_the_threshold_and_no_other)
{
    start(true, false, RGN_ROUTING_DOCUMENTED);
    win(A, 4, S(1));
    win(B, 4, S(1));
    win(A, 1, S(2));
    ck_assert_uint_eq(fixture_entry(&f, 0).first_failed, A);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 4);
    fixture_stop(&f);
}
END_TEST

START_TEST(wins_cost_two_bytes_a_partition_once_a_hedge_has_won)
{
    fixture_init(&f, true);
    fixture_start(&f);
    size_t before = rgn_router_memory(f.router);
    unsigned allocations = f.allocations;
    for (rgn_partition p = 0; p < f.config.partition_count; p++) {
        rgn_router_record_hedge_win(f.router, p, A, S(1));
        rgn_router_record_primary_win(f.router, p, A, S(1));
        rgn_router_record_hedge_win(f.router, p, B, S(1));
    }
    ck_assert_uint_eq(rgn_router_memory(f.router) - before, 2 * f.config.partition_count);
    ck_assert_uint_eq(f.allocations, allocations + 1);
    fixture_stop(&f);
}
END_TEST

START_TEST(without_memory_no_win_is_counted_and_that_is)
{
    fixture_init(&f, true);
    fixture_start(&f);
    f.fails_at = f.allocations + 1;
    win(A, 1, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    ck_assert_uint_eq(rgn_router_get_counters(f.router).failed_allocations, 1);
    f.fails_at = 0;
    win(A, 1, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 1);
    fixture_stop(&f);

    start_driver(false, true); /* the partition has room beside its entry already */
    fail_write(A, S(1));
    f.fails_at = f.allocations + 1;
    win(A, 2, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 2);
    f.fails_at = 0;
    rgn_router_record_hedge_win(f.router, 1, A, S(1)); /* makes the short rows */
    win(A, 1, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 3);
    rgn_router_record_primary_win(f.router, 0, A, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    ck_assert(override_of(0).is_set);
    fixture_stop(&f);
}
END_TEST

START_TEST(the_threshold_is_a_knob)
{
    for (int64_t threshold = 1; threshold <= 3; threshold++) {
        fixture_init(&f, true);
        f.config.options.breaker_consecutive_hedge_win_threshold = threshold;
        fixture_start(&f);
        win(A, (unsigned)threshold - 1, S(1));
        ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
        win(A, 1, S(1));
        ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
        fixture_stop(&f);
    }
}
END_TEST

/* A counting entry trips where it stands; an entry that is away has nothing to add. */
START_TEST(wins_trip_a_counting_entry_and_leave_a_tripped_one_alone)
{
    start(true, false, RGN_ROUTING_DOCUMENTED);
    rgn_router_record_failure(f.router, 0, A, RGN_READ, S(1));
    win(A, 5, S(2));
    rgn_entry entry = fixture_entry(&f, 0);
    ck_assert_uint_eq(entry.phase, RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(entry.first_failure, S(1));
    win(B, 5, S(3)); /* at the alternate */
    ck_assert_uint_eq(fixture_entry(&f, 0).current, B);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, B), 0);
    fixture_stop(&f);
}
END_TEST

START_TEST(wins_that_lead_nowhere_are_kept)
{
    start(true, false, RGN_ROUTING_DRIVER);
    win(NONE, 6, S(1)); /* a primary of unknown region */
    win(9, 7, S(1));    /* one that the account lacks */
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, NONE), 6);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 9), 7);
    rgn_router_set_breaker_switch(f.router, RGN_SWITCH_OFF, S(2)); /* no edge forgets them */
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 9), 7);
    fixture_stop(&f);
}
END_TEST

START_TEST(documented_rules_count_wins_only_where_the_breaker_looks_at_them)
{
    start(true, false, RGN_ROUTING_DOCUMENTED);
    win(9, 6, S(1));
    rgn_router_set_breaker_switch(f.router, RGN_SWITCH_OFF, S(2));
    win(A, 6, S(2));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 9), 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    fixture_stop(&f);
}
END_TEST

START_TEST(the_driver_seeds_the_counts_and_overrules_an_open_probe)
{
    start_driver(true, false);
    win(A, 5, S(1));
    rgn_entry entry = fixture_entry(&f, 0);
    ck_assert_uint_eq(entry.tripped, 3);
    ck_assert_uint_eq(entry.counts.failures[0][RGN_READ], 10);
    ck_assert_uint_eq(entry.counts.failures[0][RGN_WRITE], 5);
    rgn_router_on_expiry(f.router, S(300), NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
    win(B, 5, S(301));
    entry = fixture_entry(&f, 0);
    ck_assert_uint_eq(entry.phase, RGN_PHASE_UNHEALTHY);
    ck_assert_uint_eq(entry.first_failed, B);
    ck_assert_uint_eq(entry.current, A);
    ck_assert_int_eq(entry.first_failure, S(301));
    fixture_stop(&f);

    start_driver(true, false);
    rgn_router_record_failure(f.router, 0, A, RGN_READ, S(1)); /* one stray failure */
    win(A, 5, S(2));
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_COUNTING);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, A), 0);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_full_table_of_wins_gives_up_the_row_with_the_fewest)
{
    start(true, false, RGN_ROUTING_DRIVER);
    for (rgn_region region = 10; region < 22; region++)
        win(region, region == 13 ? 1 : 2, S(1));
    win(30, 1, S(1));
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 13), 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 30), 1);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 21), 2);
    win(31, 1, S(1)); /* of several with the fewest the earliest goes */
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 30), 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 31), 1);
    fixture_stop(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failover");
    TCase *tc = tcase_create("failover");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, the_first_failed_write_moves_its_partition_and_no_other);
    tcase_add_test(tc, only_a_failure_at_the_current_region_moves_on_and_the_last_one_ends_it);
    tcase_add_test(tc, a_failure_goes_to_the_breaker_or_to_automatic_failover_never_to_both);
    tcase_add_test(tc, marks_that_others_have_overtaken_are_dropped_at_the_flush);
    tcase_add_test(tc, a_flush_on_a_multi_write_account_counts_for_the_breaker);
    tcase_add_test(tc, an_edge_of_automatic_failover_forgets_every_override_for_good);
    tcase_add_test(tc, an_override_goes_with_its_region_and_the_driver_keeps_it);
    tcase_add_test(tc, an_override_needs_no_more_than_a_state_bit_of_healthy_partitions);
    tcase_add_test(tc, without_memory_there_is_no_override_and_it_is_counted);
    tcase_add_test(tc, a_confirmed_hub_serves_reads_that_look_for_it);
    tcase_add_test(tc, a_refusal_moves_the_search_on_and_a_find_keeps_what_has_failed);
    tcase_add_test(tc, nothing_is_learnt_of_the_hub_without_automatic_failover);
    tcase_add_test(tc, the_kill_switch_beats_the_option_and_the_account);
    tcase_add_test(tc, with_the_drivers_rules_automatic_failover_switches_the_breaker_too);
    tcase_add_test(tc, a_forgotten_entry_leaves_its_override_and_its_wins);
    tcase_add_test(tc, enough_wins_in_a_row_trip_the_region_that_lost);
    tcase_add_test(tc, a_primary_win_ends_the_row_of_its_region_only);
    tcase_add_test(tc, rows_of_any_length_and_number_count_alike);
    tcase_add_test(tc, a_trip_ends_the_row_that_reached_the_threshold_and_no_other);
    tcase_add_test(tc, wins_cost_two_bytes_a_partition_once_a_hedge_has_won);
    tcase_add_test(tc, without_memory_no_win_is_counted_and_that_is);
    tcase_add_test(tc, the_threshold_is_a_knob);
    tcase_add_test(tc, wins_trip_a_counting_entry_and_leave_a_tripped_one_alone);
    tcase_add_test(tc, wins_that_lead_nowhere_are_kept);
    tcase_add_test(tc, documented_rules_count_wins_only_where_the_breaker_looks_at_them);
    tcase_add_test(tc, the_driver_seeds_the_counts_and_overrules_an_open_probe);
    tcase_add_test(tc, a_full_table_of_wins_gives_up_the_row_with_the_fewest);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
