/* SPDX-License-Identifier: GPL-3.0-or-later */
/* breaker.health region: each region of a partition has a machine of its own. Thresholds here: 6 reads, 4 writes. */
#include "core_fixture.h"
#undef S
#include "reducer_bench.h"

static void bench_regions(bench *b, unsigned regions)
{
    bench_init(b, regions);
    b->options.breaker_health = RGN_HEALTH_REGION;
    b->options.breaker_rule = RGN_RULE_CONSECUTIVE;
    b->options.failback_strategy = RGN_STRATEGY_TENTATIVE;
    b->options.failback_promote_on = RGN_PROMOTE_ON_CONNECTION;
    b->options.failback_partition_unavailability_duration = 0;
    b->options.failback_request_recovery = 30 * S;
    b->options.breaker_read_failure_threshold = 6;
    b->options.breaker_write_failure_threshold = 4;
}

static void bench_succeed_times(bench *b, unsigned times, rgn_region region, rgn_direction direction, rgn_time_ns at)
{
    for (unsigned i = 0; i < times; i++)
        bench_succeed(b, region, direction, at);
}

static void bench_connect(bench *b, rgn_region region, uint32_t generation, rgn_time_ns at)
{
    BENCH_CALL(b, at, rgni_failback_on_connection(&b->entry, NULL, scene, region, generation, &b->story));
}

/* What the entry tells, against what was expected. */
static void looks(const bench *b, rgn_phase phase, rgn_region_set failed, rgn_region first_failed, rgn_region current)
{
    ck_assert_int_eq(b->entry.phase, phase);
    ck_assert_uint_eq(b->entry.failed, failed);
    ck_assert_uint_eq(b->health.unavailable, failed);
    ck_assert_uint_eq(b->entry.tripped, failed != 0 ? 3 : 0);
    ck_assert_uint_eq(b->entry.first_failed, first_failed);
    ck_assert_uint_eq(b->entry.current, current);
    ck_assert_int_eq(b->entry.trip_time != RGN_TIME_NEVER, phase == RGN_PHASE_UNHEALTHY);
    ck_assert_int_eq(b->entry.recovering_since != RGN_TIME_NEVER, phase == RGN_PHASE_RECOVERING);
}

/* Regions 0 and 1 trip by reads at 1 s and 2 s. */
static void bench_two_away(bench *b)
{
    bench_regions(b, 3);
    bench_fail_times(b, 6, 0, RGN_READ, S);
    bench_fail_times(b, 6, 1, RGN_READ, 2 * S);
    looks(b, RGN_PHASE_UNHEALTHY, SET(0) | SET(1), 0, 2);
}

START_TEST(a_region_trips_at_its_threshold_for_reads_and_writes)
{
    static const struct {
        rgn_direction direction;
        unsigned times;
        bool trips;
    } rows[] = {{RGN_READ, 5, false}, {RGN_READ, 6, true}, {RGN_WRITE, 3, false}, {RGN_WRITE, 4, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        bench_regions(&b, 3);
        bench_fail_times(&b, rows[i].times, 0, rows[i].direction, S);
        if (!rows[i].trips) {
            looks(&b, RGN_PHASE_COUNTING, 0, RGN_REGION_NONE, RGN_REGION_NONE);
            continue;
        }
        looks(&b, RGN_PHASE_UNHEALTHY, SET(0), 0, 1);
        ck_assert_int_eq(b.why, RGN_REASON_TRIP);
        ck_assert_uint_eq(b.story.transition[0].failures, rows[i].times);
        ck_assert_int_eq(b.story.transition[0].threshold, rows[i].times);
        bench_fail_times(&b, 20, 0, RGN_READ, 2 * S); /* counts nothing more */
        ck_assert_uint_eq(b.story.count, 0);
        ck_assert_uint_eq(b.health.region[0].failures[RGN_READ], 0);
    }
}
END_TEST

/* A success clears its own region and direction; without anything left the entry ends, however long ago it began. */
START_TEST(a_success_clears_its_own_region_and_direction)
{
    bench b;
    bench_regions(&b, 3);
    bench_fail_times(&b, 5, 0, RGN_READ, S);
    bench_fail_times(&b, 3, 0, RGN_WRITE, S);
    bench_fail(&b, 1, RGN_READ, S);
    bench_succeed(&b, 0, RGN_READ, 2 * S);
    ck_assert_uint_eq(b.health.region[0].failures[RGN_READ], 0);
    ck_assert_uint_eq(b.health.region[0].failures[RGN_WRITE], 3);
    bench_fail_times(&b, 5, 0, RGN_READ, 2 * S);
    looks(&b, RGN_PHASE_COUNTING, 0, RGN_REGION_NONE, RGN_REGION_NONE);
    bench_succeed(&b, 0, RGN_READ, 3 * S);
    bench_succeed(&b, 0, RGN_WRITE, 3 * S);
    bench_expire(&b, true, 100000 * S); /* no count ages */
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
    bench_succeed(&b, 1, RGN_WRITE, 100000 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_COUNTING);
    bench_succeed(&b, 1, RGN_READ, 100000 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_int_eq(b.why, RGN_REASON_CLEARED);
}
END_TEST

/* The reference case: three regions, two fail; the first one's trial leaves the second one's state alone. */
START_TEST(the_second_region_keeps_its_state_while_the_first_is_on_trial)
{
    bench b;
    bench_two_away(&b);
    ck_assert_int_eq(b.why, RGN_REASON_MOVE);
    bench_connect(&b, 0, b.entry.generation, 10 * S);
    looks(&b, RGN_PHASE_UNHEALTHY, SET(1), 1, 0);
    ck_assert_int_eq(b.why, RGN_REASON_PROMOTE);
    ck_assert_uint_eq(b.story.transition[0].region, 0);
    ck_assert_int_eq(b.story.transition[0].elapsed, 9 * S);

    bench fails = b; /* half of six, and straight to the third region */
    bench_fail_times(&fails, 2, 0, RGN_READ, 11 * S);
    looks(&fails, RGN_PHASE_UNHEALTHY, SET(1), 1, 0);
    bench_fail(&fails, 0, RGN_READ, 12 * S);
    looks(&fails, RGN_PHASE_UNHEALTHY, SET(0) | SET(1), 1, 2);
    ck_assert_int_eq(fails.why, RGN_REASON_MOVE);
    ck_assert_int_eq(fails.story.transition[0].threshold, 3);

    bench_succeed_times(&b, 5, 0, RGN_READ, 11 * S);
    ck_assert_uint_eq(b.health.on_trial, SET(0));
    bench_succeed(&b, 0, RGN_READ, 12 * S);
    looks(&b, RGN_PHASE_UNHEALTHY, SET(1), 1, 0);
    ck_assert_uint_eq(b.health.on_trial, 0);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK_TENTATIVE);

    bench_connect(&b, 1, b.entry.generation, 20 * S); /* its own trial */
    looks(&b, RGN_PHASE_RECOVERING, 0, 1, RGN_REGION_NONE);
    bench_succeed_times(&b, 6, 1, RGN_READ, 21 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK_TENTATIVE);
}
END_TEST

START_TEST(the_second_region_may_come_back_before_the_first)
{
    bench b;
    bench_two_away(&b);
    bench_connect(&b, 1, b.entry.generation, 10 * S);
    looks(&b, RGN_PHASE_UNHEALTHY, SET(0), 0, 1);
    bench_succeed_times(&b, 6, 1, RGN_READ, 11 * S);
    looks(&b, RGN_PHASE_UNHEALTHY, SET(0), 0, 1);
    bench_connect(&b, 0, b.entry.generation, 12 * S);
    bench_fail(&b, 2, RGN_READ, 12 * S); /* counts on while another is on trial, and after it */
    bench_succeed_times(&b, 4, 0, RGN_WRITE, 13 * S);
    looks(&b, RGN_PHASE_COUNTING, 0, RGN_REGION_NONE, RGN_REGION_NONE);
    ck_assert_uint_eq(b.health.region[2].failures[RGN_READ], 1);
}
END_TEST

/* Half the threshold's failures of a direction end the trial; a failure takes its direction's successes back, a success
 * takes no failure back. */
START_TEST(a_regions_trial_ends_at_its_failures_or_its_successes)
{
    bench b;
    bench_regions(&b, 3);
    bench_fail_times(&b, 6, 0, RGN_READ, S);
    bench_connect(&b, 0, b.entry.generation, 10 * S);
    looks(&b, RGN_PHASE_RECOVERING, 0, 0, RGN_REGION_NONE);

    bench writes = b;
    bench_fail(&writes, 0, RGN_WRITE, 11 * S);
    bench_succeed_times(&writes, 3, 0, RGN_WRITE, 11 * S);
    bench_succeed_times(&writes, 5, 0, RGN_READ, 11 * S);
    looks(&writes, RGN_PHASE_RECOVERING, 0, 0, RGN_REGION_NONE);
    bench_fail(&writes, 0, RGN_WRITE, 11 * S);
    looks(&writes, RGN_PHASE_UNHEALTHY, SET(0), 0, 1);
    ck_assert_int_eq(writes.why, RGN_REASON_TRIP);

    bench_succeed_times(&b, 5, 0, RGN_READ, 11 * S);
    bench_fail(&b, 0, RGN_READ, 11 * S);
    bench_succeed_times(&b, 5, 0, RGN_READ, 11 * S);
    looks(&b, RGN_PHASE_RECOVERING, 0, 0, RGN_REGION_NONE);
    bench_succeed(&b, 0, RGN_READ, 11 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
}
END_TEST

START_TEST(a_success_begins_a_regions_trial_strictly_after_the_wait)
{
    static const struct {
        rgn_time_ns at;
        rgn_region region;
        bool begins;
    } rows[] = {{31 * S - 1, 0, false}, {31 * S, 0, false}, {31 * S + 1, 0, true},
                {32 * S - 1, 1, false}, {32 * S, 1, false}, {32 * S + 1, 1, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        bench_two_away(&b);
        bench_succeed(&b, rows[i].region, RGN_READ, rows[i].at);
        ck_assert_msg(rgn_region_in(b.health.on_trial, rows[i].region) == rows[i].begins, "row %zu", i);
        ck_assert_uint_eq(rgn_region_in(b.health.unavailable, 1 - rows[i].region), 1);
        if (rows[i].begins)
            ck_assert_int_eq(b.why, RGN_REASON_PROMOTE_REQUEST);
    }
}
END_TEST

/* The dwell is each region's own, from its own trip: 1 s and 2 s here. */
START_TEST(each_region_dwells_from_its_own_trip)
{
    static const struct {
        rgn_time_ns at;
        rgn_region region;
        bool begins;
    } rows[] = {{8 * S - 1, 0, false}, {8 * S, 0, true}, {8 * S + 1, 0, true},
                {9 * S - 1, 1, false}, {9 * S, 1, true}, {9 * S + 1, 1, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        bench_two_away(&b);
        b.options.failback_partition_unavailability_duration = 7 * S;
        bench_connect(&b, rows[i].region, b.entry.generation + 1, rows[i].at); /* of another entry */
        ck_assert_uint_eq(b.health.on_trial, 0);
        bench_connect(&b, rows[i].region, b.entry.generation, rows[i].at);
        ck_assert_msg(rgn_region_in(b.health.on_trial, rows[i].region) == rows[i].begins, "row %zu", i);

        bench_two_away(&b); /* without a connection the dwell alone decides, at a tick */
        b.options.failback_partition_unavailability_duration = 7 * S;
        bench_expire(&b, true, rows[i].at);
        ck_assert_uint_eq(b.health.on_trial, 0);
        b.options.failback_promote_on = RGN_PROMOTE_ON_DWELL;
        bench_expire(&b, false, rows[i].at);
        ck_assert_uint_eq(b.health.on_trial, 0);
        bench_expire(&b, true, rows[i].at);
        ck_assert_msg(rgn_region_in(b.health.on_trial, rows[i].region) == rows[i].begins, "row %zu", i);
    }
}
END_TEST

/* With nowhere to go everything is forgotten. The Java client's list ends with the regions that the caller named. */
START_TEST(the_last_regions_trip_forgets_them_all)
{
    static const struct {
        int64_t rules;
        uint8_t named; /* 0: the caller named none */
        unsigned trips;
    } rows[] = {{RGN_ROUTING_JAVA, 0, 3},
                {RGN_ROUTING_JAVA, 3, 3},
                {RGN_ROUTING_JAVA, 2, 2},
                {RGN_ROUTING_DOCUMENTED, 2, 3},
                {RGN_ROUTING_JAVA, 1, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        bench_regions(&b, 3);
        b.options.routing_rules = rows[i].rules;
        b.topology.has_preferred = rows[i].named != 0;
        b.topology.preferred_reads = b.topology.preferred_writes = rows[i].named;
        for (unsigned region = 0; region < rows[i].trips; region++) {
            ck_assert_uint_eq(b.health.unavailable, SET(region) - 1);
            bench_fail_times(&b, 6, (rgn_region)region, RGN_READ, S);
        }
        ck_assert_msg(b.entry.phase == RGN_PHASE_ABSENT, "row %zu", i);
        ck_assert_int_eq(b.why, RGN_REASON_EXHAUSTED);
        bench_fail(&b, 1, RGN_READ, 2 * S); /* from zero */
        ck_assert_uint_eq(b.health.unavailable, 0);
        ck_assert_uint_eq(b.health.region[1].failures[RGN_READ], 1);
    }
}
END_TEST

/* Region 2 fails while the traffic goes to 1: no traffic moves, and when 1 fails, too, none goes there. */
START_TEST(a_region_without_traffic_may_trip)
{
    bench b;
    bench_regions(&b, 4);
    bench_fail_times(&b, 6, 0, RGN_READ, S);
    bench_fail_times(&b, 6, 2, RGN_READ, 2 * S);
    looks(&b, RGN_PHASE_UNHEALTHY, SET(0) | SET(2), 0, 1);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP_ALSO);
    bench_fail_times(&b, 6, 1, RGN_READ, 3 * S);
    looks(&b, RGN_PHASE_UNHEALTHY, SET(0) | SET(1) | SET(2), 0, 3);
    ck_assert_int_eq(b.why, RGN_REASON_MOVE);
    ck_assert_uint_eq(b.entry.failed_order[0], 0); /* by age */
    ck_assert_uint_eq(b.entry.failed_order[1], 2);
    ck_assert_uint_eq(b.entry.failed_order[2], 1);
}
END_TEST

START_TEST(hedge_wins_trip_a_region_that_is_not_the_last)
{
    bench b;
    bench_regions(&b, 2);
    ck_assert(bench_hedge_wins(&b, 0, 5, S));
    looks(&b, RGN_PHASE_UNHEALTHY, SET(0), 0, 1);
    ck_assert_int_eq(b.why, RGN_REASON_TRIP_HEDGE);
    ck_assert_int_eq(b.entry.cause, RGN_CAUSE_HEDGE_WINS);
    ck_assert(bench_hedge_wins(&b, 1, 5, 2 * S)); /* away already: nothing */
    looks(&b, RGN_PHASE_UNHEALTHY, SET(0), 0, 1);
    bench_regions(&b, 2);
    b.options.routing_rules = RGN_ROUTING_JAVA;
    b.topology.has_preferred = true;
    b.topology.preferred_reads = 1;
    ck_assert(!bench_hedge_wins(&b, 0, 5, S));
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
}
END_TEST

/* Ages, ties by number; more than the remembered order, and more than one story tells. */
START_TEST(many_regions_come_back_in_the_order_of_their_trips)
{
    enum { REGIONS = 16 };
    bench b;
    bench_regions(&b, REGIONS);
    b.options.failback_promote_on = RGN_PROMOTE_ON_DWELL;
    for (unsigned i = 1; i < REGIONS; i++)
        bench_fail_times(&b, 6, (rgn_region)i, RGN_READ, (rgn_time_ns)(REGIONS - i) / 2 * S);
    ck_assert_uint_eq(b.entry.failed, SET(REGIONS) - 2);
    ck_assert_uint_eq(b.entry.first_failed, REGIONS - 1);
    bench_expire(&b, true, 100 * S);
    ck_assert_uint_eq(b.story.count, RGNI_STORY_MAX);
    ck_assert_uint_eq(b.story.transition[0].region, REGIONS - 1);
    ck_assert_uint_eq(b.story.transition[1].region, REGIONS - 3); /* of 14 and 13, at one instant, the lower */
    ck_assert_uint_eq(b.story.transition[2].region, REGIONS - 2);
    bench_expire(&b, true, 100 * S);
    bench_expire(&b, true, 100 * S);
    ck_assert_uint_eq(b.story.count, REGIONS - 1 - 2 * RGNI_STORY_MAX);
    looks(&b, RGN_PHASE_RECOVERING, 0, 1, RGN_REGION_NONE);
}
END_TEST

START_TEST(a_health_of_each_region_asks_for_what_it_is_made_of)
{
    static const struct {
        int64_t rule, strategy, tally;
        rgn_status status;
    } rows[] = {
        {RGN_RULE_CONSECUTIVE, RGN_STRATEGY_TENTATIVE, RGN_TALLY_PER_REGION, RGN_OK},
        {RGN_RULE_WINDOWED, RGN_STRATEGY_TENTATIVE, RGN_TALLY_PER_REGION, RGN_ERR_RANGE},
        {RGN_RULE_CONSECUTIVE, RGN_STRATEGY_AT_ONCE, RGN_TALLY_PER_REGION, RGN_ERR_RANGE},
        {RGN_RULE_CONSECUTIVE, RGN_STRATEGY_TENTATIVE, RGN_TALLY_SHARED, RGN_ERR_RANGE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_knob_id wrong = RGN_KNOB_breaker_health;
        rgn_options options;

        rgn_options_default(&options);
        options.breaker_rule = rows[i].rule;
        options.failback_strategy = rows[i].strategy;
        options.breaker_tally = rows[i].tally;
        ck_assert_int_eq(rgn_options_validate(&options, &wrong), RGN_OK);
        options.breaker_health = RGN_HEALTH_REGION;
        ck_assert_msg(rgn_options_validate(&options, &wrong) == rows[i].status, "row %zu", i);
        ck_assert_uint_eq(wrong, RGN_KNOB_breaker_health);
    }
}
END_TEST

/* --- router ------------------------------------------------------------------------------------------------------ */

static fixture f;

static void router_init(int64_t promote_on)
{
    rgn_options *o = &f.config.options;
    fixture_init(&f, true);
    o->breaker_health = RGN_HEALTH_REGION;
    o->breaker_rule = RGN_RULE_CONSECUTIVE;
    o->failback_strategy = RGN_STRATEGY_TENTATIVE;
    o->failback_promote_on = promote_on;
    o->failback_partition_unavailability_duration = 0;
    o->failback_sweep_interval = 60 * S;
}

static void trip_region(rgn_region region, rgn_time_ns at)
{
    for (unsigned i = 0; i < 10; i++)
        rgn_router_record_failure(f.router, 5, region, RGN_READ, at);
}

static rgn_region route(rgn_time_ns now)
{
    return rgn_router_route(f.router, 5, (rgn_route_query){.direction = RGN_READ}, now).region;
}

START_TEST(each_unavailable_region_is_connected_to)
{
    rgn_health health;
    rgn_task task[4];
    router_init(RGN_PROMOTE_ON_CONNECTION);
    fixture_start(&f);
    ck_assert(!rgn_router_inspect_health(f.router, 5, &health));
    trip_region(0, S);
    trip_region(1, 2 * S);
    ck_assert(rgn_router_inspect_health(f.router, 5, &health));
    ck_assert_uint_eq(health.unavailable, SET(0) | SET(1));
    ck_assert_uint_eq(route(3 * S), 2);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 60 * S, task, 1), 1); /* what finds no room waits */
    ck_assert_uint_eq(task[0].region, 0);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 120 * S, task, 4), 2);
    ck_assert_uint_eq(task[1].region, 1);
    ck_assert_uint_eq(task[1].partition, 5);
    rgn_router_answer_probe(f.router, &task[0], false, 121 * S);
    ck_assert_uint_eq(route(121 * S), 2);
    rgn_router_answer_probe(f.router, &task[1], true, 122 * S);
    ck_assert_uint_eq(route(122 * S), 1);
    rgn_router_answer_probe(f.router, &task[1], true, 123 * S); /* on trial already */
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 180 * S, task, 4), 1);
    ck_assert_uint_eq(task[0].region, 0);
    rgn_router_answer_probe(f.router, &task[0], true, 181 * S);
    ck_assert_uint_eq(route(181 * S), 0);
    ck_assert_uint_eq(rgn_router_on_expiry(f.router, 240 * S, task, 4), 0);
    for (unsigned i = 0; i < 10; i++) {
        rgn_router_record_success(f.router, 5, 0, RGN_READ, 241 * S);
        rgn_router_record_success(f.router, 5, 1, RGN_READ, 241 * S);
    }
    ck_assert(!rgn_router_inspect_health(f.router, 5, &health));
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    fixture_stop(&f);
}
END_TEST

/* Each region is promoted when its own dwell is over, not a nanosecond before. */
START_TEST(each_regions_promotion_is_due_by_itself)
{
    rgn_health health;
    router_init(RGN_PROMOTE_ON_DWELL);
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_partition_unavailability_duration = 7 * S;
    fixture_start(&f);
    trip_region(0, S);
    trip_region(1, 2 * S);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), 8 * S);
    rgn_router_on_expiry(f.router, 8 * S - 1, NULL, 0);
    ck_assert_uint_eq(route(8 * S - 1), 2);
    rgn_router_on_expiry(f.router, 8 * S, NULL, 0);
    ck_assert_uint_eq(route(8 * S), 0);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), 9 * S);
    rgn_router_on_expiry(f.router, 9 * S, NULL, 0);
    ck_assert(rgn_router_inspect_health(f.router, 5, &health));
    ck_assert_uint_eq(health.on_trial, SET(0) | SET(1));
    fixture_stop(&f);
}
END_TEST

/* A region that the account loses takes the partition's memory along, be it unavailable or on trial. */
START_TEST(a_lost_region_drops_what_is_known_of_the_partition)
{
    rgn_account smaller;
    rgn_task task[4];
    router_init(RGN_PROMOTE_ON_CONNECTION);
    fixture_start(&f);
    smaller = f.account;
    smaller.readable.count = smaller.writable.count = 2 + (_i == 0);
    trip_region(0, S);
    trip_region(2, S);
    if (_i == 2) {
        ck_assert_uint_eq(rgn_router_on_expiry(f.router, 60 * S, task, 4), 2);
        rgn_router_answer_probe(f.router, &task[1], true, 61 * S);
    }
    ck_assert_int_eq(rgn_router_set_account(f.router, &smaller, 70 * S), RGN_OK);
    ck_assert_int_eq(fixture_entry(&f, 5).phase, _i == 0 ? RGN_PHASE_UNHEALTHY : RGN_PHASE_ABSENT);
    fixture_stop(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("health");
    TCase *tc = tcase_create("health");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_region_trips_at_its_threshold_for_reads_and_writes);
    tcase_add_test(tc, a_success_clears_its_own_region_and_direction);
    tcase_add_test(tc, the_second_region_keeps_its_state_while_the_first_is_on_trial);
    tcase_add_test(tc, the_second_region_may_come_back_before_the_first);
    tcase_add_test(tc, a_regions_trial_ends_at_its_failures_or_its_successes);
    tcase_add_test(tc, a_success_begins_a_regions_trial_strictly_after_the_wait);
    tcase_add_test(tc, each_region_dwells_from_its_own_trip);
    tcase_add_test(tc, the_last_regions_trip_forgets_them_all);
    tcase_add_test(tc, a_region_without_traffic_may_trip);
    tcase_add_test(tc, hedge_wins_trip_a_region_that_is_not_the_last);
    tcase_add_test(tc, many_regions_come_back_in_the_order_of_their_trips);
    tcase_add_test(tc, a_health_of_each_region_asks_for_what_it_is_made_of);
    tcase_add_test(tc, each_unavailable_region_is_connected_to);
    tcase_add_test(tc, each_regions_promotion_is_due_by_itself);
    tcase_add_loop_test(tc, a_lost_region_drops_what_is_known_of_the_partition, 0, 3);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
