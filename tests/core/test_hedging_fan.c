/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races with several hedges, hedged writes, and hedges that forget the caller's exclusions: what the .NET and the Java
 * client do where the specification has one hedge of a read. Five regions; 200 ms, then 100 ms for each further hedge.
 */
#include "hedge_script.h"

static rgn_fan fan;
static rgn_request a_fan_read, a_fan_write;

static void fan_init(void)
{
    hedge_init(true);
    f.account.readable = f.account.writable = f.config.preferred = (rgn_region_list){5, {0, 1, 2, 3, 4}};
    f.config.options.hedging_max_alternates = 7;
    f.config.options.hedging_threshold_step = MS(100);
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    a_fan_read = a_fan_write = a_read;
    a_fan_read.fan = a_fan_write.fan = &fan;
    a_fan_write.direction = RGN_WRITE;
}

static void fan_start(void)
{
    fixture_start(&f);
    memset(&fan, 0xa5, sizeof fan);
}

/* Anew, with what has been changed since fan_init(). */
static void fan_restart(void)
{
    hedge_restart();
    memset(&fan, 0xa5, sizeof fan);
}

static void fan_setup(void)
{
    fan_init();
    fan_start();
}

/* A read with `hedges` in flight, the last of them sent at 200 ms + 100 ms * (hedges - 1). */
static void race_of(unsigned hedges)
{
    is_sent(begin(&a_fan_read, 0), 0, 0);
    for (unsigned leg = 1; leg <= hedges; leg++)
        is_sent(ring(RGN_WAKE_HEDGE, MS(100) + MS(100) * leg), leg, (rgn_region)leg);
    ck_assert_uint_eq(op.open_legs, (2u << hedges) - 1);
    ck_assert_uint_eq(rgn_router_open_hedges(f.router), hedges);
}

static void abandon(void)
{
    rgn_op_abandon(f.router, &op, S(1));
}

/* --- when -------------------------------------------------------------------------------------------------------- */

START_TEST(each_hedge_follows_the_last_one_by_a_step)
{
    race_of(4);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT); /* no region is left */
    is_done(answer(3, 200, 0, MS(501)), 200, 3, RGN_HEDGE_ALTERNATE_WON, 1 | 2 | 4 | 16);
    ck_assert_uint_eq(op.attempts, 5);
}
END_TEST

START_TEST(a_hedge_goes_out_at_its_instant_not_before)
{
    static const rgn_time_ns instants[] = {MS(200), MS(300), MS(400)};

    for (unsigned i = 0; i < 3; i++) {
        race_of(i);
        ck_assert_int_eq(rgn_op_on_timer(f.router, &op, instants[i] - 1), RGN_WAIT);
        is_sent(rgn_op_on_timer(f.router, &op, instants[i]), i + 1, (rgn_region)(i + 1));
        ck_assert_int_eq(op.wake_at, instants[i] + MS(100));
        abandon();
        race_of(i); /* the next one counts from when this one was sent, late as it may be */
        is_sent(rgn_op_on_timer(f.router, &op, instants[i] + 1), i + 1, (rgn_region)(i + 1));
        ck_assert_int_eq(op.wake_at, instants[i] + MS(100) + 1);
        abandon();
    }
}
END_TEST

/* An answer of the same instant comes first, and nothing is sent any more. */
START_TEST(an_answer_at_the_step_wins)
{
    race_of(1);
    is_done(answer(0, 200, 0, MS(300)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
    ck_assert_uint_eq(fan.count, 2);
}
END_TEST

START_TEST(no_more_hedges_than_asked_for)
{
    for (unsigned most = 1; most <= 4; most++) {
        f.config.options.hedging_max_alternates = most;
        fan_restart();
        race_of(most);
        ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
        abandon();
    }
}
END_TEST

START_TEST(steps_of_no_length_and_of_any)
{
    f.config.options.hedging_threshold_step = 0;
    fan_restart();
    is_sent(begin(&a_fan_read, 0), 0, 0);
    for (unsigned leg = 1; leg <= 4; leg++)
        is_sent(ring(RGN_WAKE_HEDGE, MS(200)), leg, (rgn_region)leg);
    abandon();
    f.config.options.hedging_threshold_step = RGN_TIME_NEVER;
    fan_restart();
    is_sent(begin(&a_fan_read, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    ck_assert_int_eq(answer(0, 503, 0, MS(900)), RGN_WAIT);
    is_sent(answer(1, 503, 0, MS(950)), 2, 2); /* nothing is on its way: the next one at once */
    is_done(answer(2, 200, 0, S(1)), 200, 2, RGN_HEDGE_ALTERNATE_WON, 0);
}
END_TEST

/* Java: a leg that fails drops out, and the others come when they would have. */
START_TEST(failures_leave_the_schedule_alone)
{
    race_of(2);
    ck_assert_int_eq(answer(1, 503, 0, MS(350)), RGN_WAIT);
    is_sent(ring(RGN_WAKE_HEDGE, MS(400)), 3, 3);
    is_done(answer(0, 200, 0, MS(450)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 4 | 8);
}
END_TEST

/* .NET: whichever leg fails, the next one goes out, and the step counts from there. */
START_TEST(a_failure_launches_the_next_hedge_at_once)
{
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    fan_restart();
    is_sent(begin(&a_fan_read, 0), 0, 0);
    is_sent(answer(0, 503, 0, MS(20)), 1, 1);
    is_sent(ring(RGN_WAKE_HEDGE, MS(120)), 2, 2);
    is_sent(answer(1, 503, 0, MS(150)), 3, 3);
    is_sent(ring(RGN_WAKE_HEDGE, MS(250)), 4, 4);
    ck_assert_int_eq(answer(2, 503, 0, MS(260)), RGN_WAIT);
    is_done(answer(3, 404, 0, MS(270)), 404, 3, RGN_HEDGE_ALTERNATE_WON, 16);
}
END_TEST

/* A leg that will be sent again has not failed. */
START_TEST(a_leg_that_waits_launches_nothing)
{
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    fan_restart();
    race_of(1);
    ck_assert_int_eq(answer(1, 429, 0, MS(250)), RGN_WAIT);
    is_sent(ring(RGN_WAKE_BACKOFF, op.wake_at), 1, 1);
    ck_assert_uint_eq(op.reason, RGN_REASON_ROUTE_IN_REGION);
    is_sent(ring(RGN_WAKE_HEDGE, MS(300)), 2, 2);
    abandon();
}
END_TEST

/* --- where ------------------------------------------------------------------------------------------------------- */

START_TEST(hedges_go_down_the_list_past_what_is_excluded)
{
    static const struct {
        int64_t rule;
        rgn_region_set excluded;
        rgn_region primary, hedges[4];
    } rows[] = {
        {RGN_SECONDARY_SECOND, 0, 0, {1, 2, 3, 4}},
        {RGN_SECONDARY_SECOND, SET(0) | SET(2), 1, {3, 4, NOBODY}},
        {RGN_SECONDARY_SECOND, SET(1) | SET(2) | SET(3), 0, {4, NOBODY}},
        {RGN_SECONDARY_FIRST_DISTINCT, SET(1), 0, {2, 3, 4, NOBODY}},
        {RGN_SECONDARY_UNTRIPPED, SET(4), 0, {1, 2, 3, NOBODY}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_request request;
        f.config.options.hedging_secondary = rows[i].rule;
        fan_restart();
        request = a_fan_read;
        request.has_excluded = true;
        request.excluded = rows[i].excluded;
        is_sent(begin(&request, 0), 0, rows[i].primary);
        for (unsigned leg = 1; leg <= 4 && rows[i].hedges[leg - 1] != NOBODY; leg++)
            is_sent(rgn_op_on_timer(f.router, &op, op.wake_at), leg, rows[i].hedges[leg - 1]);
        ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
        abandon();
    }
}
END_TEST

/* The primary is at 1 because 0 has tripped: `second` has no hedge for it, the others pass its region and, if asked,
 * the tripped one over. */
START_TEST(hedges_of_a_tripped_partition)
{
    static const struct {
        int64_t rule;
        rgn_region hedges[3];
    } rows[] = {{RGN_SECONDARY_FIRST_DISTINCT, {0, 2, 3}}, {RGN_SECONDARY_UNTRIPPED, {2, 3, 4}}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        f.config.options.hedging_secondary = rows[i].rule;
        fan_restart();
        fixture_trip(&f, 0, RGN_READ, 0);
        is_sent(begin(&a_fan_read, 0), 0, 1);
        for (unsigned leg = 1; leg <= 3; leg++)
            is_sent(rgn_op_on_timer(f.router, &op, op.wake_at), leg, rows[i].hedges[leg - 1]);
        abandon();
    }
}
END_TEST

/* .NET: a hedge's exclusions are all other regions of the race; what the caller excludes is no longer. */
START_TEST(exclusions_are_kept_or_forgotten)
{
    static const struct {
        rgn_region_set excluded;
        rgn_region kept[3], forgotten[3];
    } rows[] = {
        {0, {1, 2, 3}, {1, 2, 3}},
        {SET(1), {2, 3, 4}, {1, 1, 1}}, /* comes before any of them */
        {SET(3), {1, 2, 4}, {1, 2, 3}}, /* before the last one only */
        {SET(4), {1, 2, 3}, {1, 2, 3}}, /* after all */
        {SET(2) | SET(3), {1, 4, NOBODY}, {1, 2, NOBODY}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int64_t rule = RGN_LEG_EXCLUSIONS_UNION; rule <= RGN_LEG_EXCLUSIONS_REPLACE; rule++) {
            const rgn_region *expected = rule == RGN_LEG_EXCLUSIONS_UNION ? rows[i].kept : rows[i].forgotten;
            rgn_request request;
            f.config.options.hedging_leg_exclusions = rule;
            fan_restart();
            request = a_fan_read;
            request.has_excluded = true;
            request.excluded = rows[i].excluded;
            is_sent(begin(&request, 0), 0, 0);
            for (unsigned leg = 1; leg <= 3 && expected[leg - 1] != NOBODY; leg++) {
                is_sent(rgn_op_on_timer(f.router, &op, op.wake_at), leg, expected[leg - 1]);
                ck_assert_uint_eq(op.reason, RGN_REASON_ROUTE_HEDGE);
            }
            abandon();
        }
}
END_TEST

/* The same rule for the one hedge of an operation without room for more. */
START_TEST(one_hedge_may_forget_exclusions_too)
{
    rgn_request request = a_read;

    f.config.options.hedging_leg_exclusions = RGN_LEG_EXCLUSIONS_REPLACE;
    fan_restart();
    request.has_excluded = true;
    request.excluded = SET(1);
    is_sent(begin(&request, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    is_done(answer(1, 200, 0, MS(210)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
}
END_TEST

/* --- ends -------------------------------------------------------------------------------------------------------- */

START_TEST(a_budget_ends_the_fan_and_not_the_race)
{
    f.config.options.hedging_budget_concurrent = 2;
    fan_restart();
    race_of(2);
    ck_assert_int_eq(ring(RGN_WAKE_HEDGE, MS(400)), RGN_WAIT);
    ck_assert_uint_eq(rgn_router_refused_hedges(f.router), 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT); /* it is not asked again */
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_LAUNCHED);
    is_done(answer(2, 200, 0, MS(500)), 200, 2, RGN_HEDGE_ALTERNATE_WON, 3);
    ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
    f.config.options.hedging_budget_concurrent = 0;
    fan_restart();
    is_sent(begin(&a_fan_read, 0), 0, 0);
    ck_assert_int_eq(ring(RGN_WAKE_HEDGE, MS(200)), RGN_WAIT);
    is_done(answer(0, 200, 0, MS(500)), 200, 0, RGN_HEDGE_REFUSED, 0);
}
END_TEST

START_TEST(each_hedge_costs_its_share_of_the_budget)
{
    f.config.options.hedging_budget_share = 1; /* what was saved at first: ten */
    fan_restart();
    race_of(4);
    abandon();
    race_of(4);
    abandon();
    is_sent(begin(&a_fan_read, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    is_sent(ring(RGN_WAKE_HEDGE, MS(300)), 2, 2);
    ck_assert_int_eq(ring(RGN_WAKE_HEDGE, MS(400)), RGN_WAIT);
    ck_assert_uint_eq(rgn_router_refused_hedges(f.router), 1);
    abandon();
}
END_TEST

START_TEST(the_deadline_keeps_a_hedge_back)
{
    static const struct {
        rgn_dur_ns timeout;
        unsigned hedges;
    } rows[] = {{MS(300) - 1, 1}, {MS(300), 1}, {MS(300) + 1, 2}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        a_fan_read.timeout = rows[i].timeout;
        race_of(rows[i].hedges);
        ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, rows[i].timeout), RGN_WAIT);
        is_done(ring(RGN_WAKE_HARVEST, rows[i].timeout + RGN_HARVEST_WINDOW), 408, NOBODY,
                RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, (2u << rows[i].hedges) - 1);
    }
    a_fan_read.timeout = MS(350);
    race_of(2);
    ck_assert_int_eq(answer(1, 503, 0, MS(340)), RGN_WAIT);
    ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, MS(350)), RGN_WAIT);
    is_done(answer(2, 200, 0, MS(360)), 408, 1, RGN_HEDGE_CANCELLED_AWAITING_PARTNER, 1); /* what it says is too late */
}
END_TEST

/* A leg that fails at the deadline itself launches nothing. */
START_TEST(nothing_is_launched_at_the_deadline)
{
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    fan_restart();
    a_fan_read.timeout = MS(250);
    race_of(1);
    ck_assert_int_eq(answer(1, 503, 0, MS(250)), RGN_WAIT);
    ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, MS(250)), RGN_WAIT);
    abandon();
    race_of(1);
    is_sent(answer(1, 503, 0, MS(250) - 1), 2, 2);
    abandon();
}
END_TEST

/* Races that nobody wins, by the cost that the knob gives them. */
START_TEST(all_legs_transient)
{
    f.config.options.hedging_max_alternates = 2;
    fan_restart();
    race_of(2);
    ck_assert_int_eq(answer(2, 503, 0, MS(310)), RGN_WAIT);
    ck_assert_int_eq(answer(0, 410, 0, MS(320)), RGN_WAIT);
    is_sent(answer(1, 503, 0, MS(330)), 0, 3); /* where none of the three has been */
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_BOTH_TRANSIENT);
    ck_assert_uint_eq(op.failover_retries, 1);
    ck_assert_uint_eq(op.failed_regions, SET(0) | SET(1) | SET(2));
    ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
    abandon();

    f.config.options.hedging_both_transient = RGN_BOTH_TRANSIENT_TWO_FAILOVERS; /* as many as legs */
    fan_restart();
    race_of(2);
    answer(2, 503, 0, MS(310));
    answer(0, 503, 0, MS(320));
    is_sent(answer(1, 503, 0, MS(330)), 0, 3);
    ck_assert_uint_eq(op.failover_retries, 3);
    abandon();
    f.config.options.retry_max_failover_retry_count = 2;
    fan_restart();
    race_of(2);
    answer(2, 503, 0, MS(310));
    answer(0, 503, 0, MS(320));
    is_done(answer(1, 503, 0, MS(330)), 503, 1, RGN_HEDGE_BOTH_TRANSIENT, 0);

    f.config.options.hedging_both_transient = RGN_BOTH_TRANSIENT_END; /* the latest answer */
    fan_restart();
    race_of(2);
    answer(2, 503, 0, MS(310));
    answer(1, 410, 0, MS(320));
    is_done(answer(0, 408, 0, MS(330)), 408, 0, RGN_HEDGE_BOTH_TRANSIENT, 0);
}
END_TEST

START_TEST(a_leg_retries_in_its_region_for_itself)
{
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_LOCAL;
    f.config.options.retry_max_failover_retry_count = 2;
    fan_restart();
    race_of(3);
    for (unsigned leg = 3; leg >= 1; leg--)
        for (unsigned i = 0; i < 2; i++)
            is_sent(answer(leg, 503, 0, MS(410) + leg), leg, (rgn_region)leg);
    ck_assert_int_eq(answer(2, 503, 0, MS(420)), RGN_WAIT);
    ck_assert_uint_eq(op.open_legs, 1 | 2 | 8);
    is_done(answer(0, 200, 0, MS(430)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2 | 8);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[1][RGN_READ], 3); /* of region 2, the second to fail */
}
END_TEST

START_TEST(legs_that_time_out_together_end_one_by_one)
{
    f.config.options.hedging_threshold_step = 0;
    f.config.options.hedging_max_alternates = 2;
    fan_restart();
    is_sent(begin(&a_fan_read, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 2, 2);
    ck_assert_int_eq(ring(RGN_WAKE_LEG_TIMEOUT, S(6)), RGN_WAIT);
    ck_assert_uint_eq(op.cancel_legs, 1);
    ck_assert_int_eq(ring(RGN_WAKE_LEG_TIMEOUT, S(6) + MS(200)), RGN_WAIT);
    ck_assert_uint_eq(op.cancel_legs, 2);
    is_sent(ring(RGN_WAKE_LEG_TIMEOUT, S(6) + MS(200)), 0, 3);
    ck_assert_uint_eq(op.cancel_legs, 4);
    abandon();
}
END_TEST

START_TEST(a_second_race_fans_out_again)
{
    f.config.options.hedging_races_per_operation = 2;
    f.config.options.hedging_secondary = RGN_SECONDARY_FIRST_DISTINCT;
    f.config.options.hedging_max_alternates = 2;
    fan_restart();
    race_of(2);
    answer(0, 503, 0, MS(310));
    answer(1, 503, 0, MS(320));
    is_sent(answer(2, 503, 0, MS(330)), 0, 3);
    is_sent(ring(RGN_WAKE_HEDGE, MS(530)), 1, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(630)), 2, 1);
    is_done(answer(0, 200, 0, MS(640)), 200, 3, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 6);
}
END_TEST

/* What the winner cuts may count: every leg, or the primary alone. */
START_TEST(losers_are_charged_by_the_rule)
{
    static const struct {
        int64_t rule;
        unsigned failures[4];
    } rows[] = {{RGN_CUT_LEGS_IGNORE, {0, 0, 0, 0}},
                {RGN_CUT_LEGS_LOST_PRIMARY, {1, 0, 0, 0}},
                {RGN_CUT_LEGS_COUNT, {1, 1, 0, 1}}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        f.config.options.breaker_cut_legs = rows[i].rule;
        fan_restart();
        race_of(3);
        is_done(answer(2, 200, 0, MS(450)), 200, 2, RGN_HEDGE_ALTERNATE_WON, 1 | 2 | 8);
        for (rgn_region region = 0; region < 4; region++) {
            const rgn_entry entry = fixture_entry(&f, 0);
            unsigned found = 0;
            for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
                if (entry.counts.region[row] == region)
                    found = entry.counts.failures[row][RGN_READ];
            ck_assert_msg(found == rows[i].failures[region], "row %zu, region %u: %u", i, region, found);
        }
        ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 1); /* one win, whichever hedge it is */
    }
}
END_TEST

/* --- costs ------------------------------------------------------------------------------------------------------- */

START_TEST(nothing_is_allocated_and_the_room_is_touched_by_races_alone)
{
    uint8_t untouched[sizeof fan];
    size_t bytes;
    unsigned allocations;

    memset(untouched, 0xa5, sizeof untouched);
    race_of(4); /* the partition's row of wins is there from now on */
    answer(4, 200, 0, S(1));
    memset(&fan, 0xa5, sizeof fan);
    bytes = f.bytes;
    allocations = f.allocations;
    is_sent(begin(&a_fan_read, S(2)), 0, 0);
    is_done(answer(0, 200, 0, S(2) + MS(150)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
    ck_assert_mem_eq(&fan, untouched, sizeof fan);
    race_of(4);
    is_done(answer(4, 200, 0, S(1)), 200, 4, RGN_HEDGE_ALTERNATE_WON, 15);
    f.config.options.hedging_max_alternates = 1;
    ck_assert_uint_eq(f.bytes, bytes);
    ck_assert_uint_eq(f.allocations, allocations);
    fan_restart();
    race_of(1); /* room that the options do not ask for */
    answer(1, 200, 0, MS(300));
    ck_assert_mem_eq(&fan, untouched, sizeof fan);
}
END_TEST

START_TEST(without_room_there_is_one_hedge)
{
    race(&a_read);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    abandon();
}
END_TEST

/* --- writes ------------------------------------------------------------------------------------------------------ */

START_TEST(writes_race_where_they_are_asked_for_and_may)
{
    static const struct {
        bool asked, multi_write, is_container_level, races;
    } rows[] = {
        {false, true, false, false}, {true, false, false, false}, {true, true, true, false}, {true, true, false, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hedge_teardown();
        fan_init();
        f.account.multi_write = rows[i].multi_write;
        f.account.writable = rows[i].multi_write ? f.account.readable : (rgn_region_list){1, {0}};
        f.config.options.hedging_writes = rows[i].asked;
        f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
        fan_start();
        a_fan_write.is_container_level = rows[i].is_container_level;
        begin(&a_fan_write, 0);
        ck_assert_msg(rgn_op_hedge(&op) == (rows[i].races ? RGN_HEDGE_WAITING : RGN_HEDGE_NONE), "row %zu", i);
        abandon();
    }
}
END_TEST

/* Through the regions that can be written to; failures count as writes, and rows of wins are the reads'. */
START_TEST(a_write_races_through_the_write_regions)
{
    hedge_teardown();
    fan_init();
    f.account.writable = (rgn_region_list){3, {0, 2, 4}};
    f.config.options.hedging_writes = 1;
    fan_start();
    is_sent(begin(&a_fan_write, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 2);
    is_sent(ring(RGN_WAKE_HEDGE, MS(300)), 2, 4);
    ck_assert_int_eq(answer(1, 503, 0, MS(310)), RGN_WAIT);
    is_done(answer(2, 201, 0, MS(330)), 201, 4, RGN_HEDGE_ALTERNATE_WON, 1);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_WRITE], 1);
    ck_assert_uint_eq(fixture_entry(&f, 0).counts.failures[0][RGN_READ], 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 0);
    rgn_router_record_hedge_win(f.router, 0, 0, MS(400));
    is_sent(begin(&a_fan_write, S(1)), 0, 0);
    is_done(answer(0, 201, 0, S(1) + MS(1)), 201, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
    ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, 0), 1); /* nor does a write end a row */
}
END_TEST

/* With one hedge, and none of the room; the account loses its other write regions on the way. */
START_TEST(a_hedged_write_marks_nothing_while_the_account_changes)
{
    rgn_account account;

    hedge_teardown();
    fan_init();
    f.config.options.hedging_writes = 1;
    fan_start();
    a_fan_write.fan = NULL;
    race(&a_fan_write);
    account = f.account;
    account.multi_write = false;
    account.automatic_failover = true;
    account.writable = (rgn_region_list){1, {0}};
    ck_assert_int_eq(rgn_router_set_account(f.router, &account, MS(250)), RGN_OK);
    ck_assert_int_eq(answer(1, 503, 0, MS(300)), RGN_WAIT);
    is_done(answer(0, 201, 0, MS(310)), 201, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
    ck_assert_uint_eq(f.mark_count, 0);
}
END_TEST

/* Writes teach adaptive thresholds nothing. */
START_TEST(writes_leave_the_estimate_of_reads_alone)
{
    rgn_dur_ns before;

    hedge_teardown();
    fan_init();
    f.config.options.hedging_writes = 1;
    f.config.options.hedging_policy = RGN_HEDGING_ADAPTIVE;
    fan_start();
    before = rgn_router_hedge_threshold(f.router, 0, S(4));
    begin(&a_fan_write, 0);
    answer(0, 201, 0, MS(1));
    ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 0, S(4)), before);
    begin(&a_fan_read, 0);
    answer(0, 200, 0, MS(1));
    ck_assert_int_lt(rgn_router_hedge_threshold(f.router, 0, S(4)), before);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {each_hedge_follows_the_last_one_by_a_step,
                                  a_hedge_goes_out_at_its_instant_not_before,
                                  an_answer_at_the_step_wins,
                                  no_more_hedges_than_asked_for,
                                  steps_of_no_length_and_of_any,
                                  failures_leave_the_schedule_alone,
                                  a_failure_launches_the_next_hedge_at_once,
                                  a_leg_that_waits_launches_nothing,
                                  hedges_go_down_the_list_past_what_is_excluded,
                                  hedges_of_a_tripped_partition,
                                  exclusions_are_kept_or_forgotten,
                                  one_hedge_may_forget_exclusions_too,
                                  a_budget_ends_the_fan_and_not_the_race,
                                  each_hedge_costs_its_share_of_the_budget,
                                  the_deadline_keeps_a_hedge_back,
                                  nothing_is_launched_at_the_deadline,
                                  all_legs_transient,
                                  a_leg_retries_in_its_region_for_itself,
                                  legs_that_time_out_together_end_one_by_one,
                                  a_second_race_fans_out_again,
                                  losers_are_charged_by_the_rule,
                                  nothing_is_allocated_and_the_room_is_touched_by_races_alone,
                                  without_room_there_is_one_hedge,
                                  writes_race_where_they_are_asked_for_and_may,
                                  a_write_races_through_the_write_regions,
                                  a_hedged_write_marks_nothing_while_the_account_changes,
                                  writes_leave_the_estimate_of_reads_alone};
    return run_hedge_suite_with("hedging_fan", fan_setup, tests, sizeof tests / sizeof tests[0]);
}
