/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service's side of the account: what a reading finds, who takes a partition's writes, what a region refuses. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

#define S(n)   ((n)*RGN_NS_PER_S)
#define MIN(n) S(60 * (n))

enum { CHICAGO = 0, SEATTLE = 1, VIRGINIA = 2, IOWA = 3 };

static sim_scenario *scenario;
static sim_world *world;
static sim_world_run *run;

static void make(const char *account, const char *rest)
{
    char text[2048];
    sim_input_error error = {.message = ""};
    snprintf(
        text, sizeof text,
        "regionsim: 1\nscenario: account\nduration: 2 h\naccount: {%s, regions: [northcentralus, westus, eastus2]}\n"
        "network: {round_trip: azure-rtt}\nservice: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"
        "clients: {all: {home: northcentralus, preferred: [northcentralus, westus, eastus2]}}\n"
        "workload: {shop: {rate: 1 /s, partitions: {count: 4}, operations: {read: 50 %%, write: 50 %%}}}\n%s",
        account, rest);
    scenario = sim_scenario_parse("scenarios/account.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    run = sim_world_run_create(world, &(sim_luck){.seed = 7});
    ck_assert_ptr_nonnull(run);
}

static void drop(void)
{
    sim_world_run_destroy(run);
    sim_world_destroy(world);
    sim_scenario_destroy(scenario);
}

/* The partition's writes go to `before` until `at`, and from then on to `after`. */
static void moves(uint32_t partition, int64_t at, rgn_region before, rgn_region after)
{
    ck_assert_uint_eq(sim_world_write_region(run, partition, at - 1), before);
    ck_assert_uint_eq(sim_world_write_region(run, partition, at), after);
    ck_assert_uint_eq(sim_world_write_region(run, partition, at + 1), after);
}

static sim_refusal refuses(rgn_region region, sim_kind kind, uint32_t partition, int64_t at)
{
    return sim_world_refuses(run, &(sim_attempt){.region = region, .kind = (uint8_t)kind, .partition = partition}, at);
}

#define OUTAGE(name, region, from, until, more)                                                              \
    "  " name ": {from: " from ", until: " until ", where: {regions: [" region "], operations: [write]" more \
    "}, errors: {statuses: {503: 100 %}, share: 100 %}}\n"

START_TEST(without_changes_and_failover_there_is_nothing_to_ask)
{
    make("writes: single", "");
    ck_assert(!sim_world_has_control(world));
    ck_assert_int_eq(refuses(SEATTLE, SIM_KIND_WRITE, 0, S(1)), SIM_REFUSES_NOTHING);
    drop();
    make("writes: multi, automatic_failover: true", "");
    ck_assert(!sim_world_has_control(world));
}
END_TEST

START_TEST(a_partition_moves_after_the_services_delay_and_back)
{
    make("automatic_failover: true, failover_after: 30 s, failback_after: 90 s",
         "faults:\n" OUTAGE("a", "northcentralus", "5 min", "10 min", ", partitions: {list: [0, 1]}"));
    moves(0, MIN(5) + S(30), CHICAGO, SEATTLE);
    moves(1, MIN(5) + S(30), CHICAGO, SEATTLE);
    moves(0, MIN(10) + S(90), SEATTLE, CHICAGO);
    ck_assert_uint_eq(sim_world_write_region(run, 2, MIN(7)), CHICAGO);
    ck_assert_int_eq(refuses(SEATTLE, SIM_KIND_WRITE, 0, MIN(5)), SIM_REFUSES_WRITES);
    ck_assert_int_eq(refuses(SEATTLE, SIM_KIND_WRITE, 0, MIN(6)), SIM_REFUSES_NOTHING);
    ck_assert_int_eq(refuses(CHICAGO, SIM_KIND_WRITE, 0, MIN(6)), SIM_REFUSES_WRITES);
    ck_assert_int_eq(refuses(VIRGINIA, SIM_KIND_WRITE, 0, MIN(6)), SIM_REFUSES_WRITES);
    ck_assert_int_eq(refuses(VIRGINIA, SIM_KIND_READ, 0, MIN(6)), SIM_REFUSES_NOTHING);
}
END_TEST

START_TEST(an_outage_as_long_as_the_delay_moves_nothing)
{
    make("automatic_failover: true, failover_after: 30 s",
         "faults:\n" OUTAGE("a", "northcentralus", "5 min", "330 s", ", partitions: {list: [0]}")
             OUTAGE("b", "northcentralus", "5 min", "330001 ms", ", partitions: {list: [1]}"));
    ck_assert_uint_eq(sim_world_write_region(run, 0, S(330)), CHICAGO);
    moves(1, S(330), CHICAGO, SEATTLE);
}
END_TEST

START_TEST(a_region_that_fails_in_turn_is_left_for_the_next_healthy_one)
{
    make("automatic_failover: true, failover_after: 30 s, failback_after: 60 s",
         "faults:\n" OUTAGE("a", "northcentralus", "5 min", "20 min", "") OUTAGE("b", "westus", "7 min", "40 min", "")
             OUTAGE("c", "eastus2", "10 min", "15 min", ""));
    moves(0, MIN(5) + S(30), CHICAGO, SEATTLE);
    moves(0, MIN(7) + S(30), SEATTLE, VIRGINIA);
    /* Nowhere to go at 10:30, when Virginia has been unhealthy long enough. */
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(14)), VIRGINIA);
    moves(0, MIN(21), VIRGINIA, CHICAGO);
}
END_TEST

START_TEST(what_strikes_some_clients_only_the_service_does_not_see)
{
    make("automatic_failover: true", "faults:\n" OUTAGE("a", "northcentralus", "5 min", "20 min", ", clients: 50 %")
                                         OUTAGE("b", "northcentralus", "5 min", "20 min", ", connections: new"));
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(10)), CHICAGO);
}
END_TEST

START_TEST(a_reading_finds_what_the_last_changes_made)
{
    make("hedging_switch: allow", "account_changes:\n"
                                  "  b-off: {at: 10 min, every: 20 min, until: 50 min, hedging_switch: forbid}\n"
                                  "  c-on: {at: 20 min, every: 20 min, hedging_switch: absent}\n"
                                  "  a-same-instant: {at: 10 min, hedging_switch: allow, automatic_failover: enabled}\n"
                                  "  d-unknown: {at: 70 min, automatic_failover: absent}\n");
    static const struct {
        int64_t at;
        rgn_signal signal;
        bool failover, is_absent;
    } rows[] = {{0, RGN_SIGNAL_FALSE, false, false},       {MIN(10) - 1, RGN_SIGNAL_FALSE, false, false},
                {MIN(10), RGN_SIGNAL_TRUE, true, false}, /* of one instant the later name wins */
                {MIN(20), RGN_SIGNAL_ABSENT, true, false}, {MIN(30), RGN_SIGNAL_TRUE, true, false},
                {MIN(50), RGN_SIGNAL_ABSENT, true, false}, /* not at `until` or later */
                {MIN(60), RGN_SIGNAL_ABSENT, true, false}, {MIN(70), RGN_SIGNAL_ABSENT, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rgn_account *account = sim_world_account_at(world, rows[i].at);
        ck_assert_uint_eq(account->hedging_disabled, rows[i].signal);
        ck_assert_int_eq(account->automatic_failover, rows[i].failover);
        ck_assert_int_eq(account->failover_is_absent, rows[i].is_absent);
        ck_assert_uint_eq(account->readable.count, 3);
    }
}
END_TEST

START_TEST(regions_come_and_go_and_the_write_region_moves)
{
    make("writes: single", "account_changes:\n"
                           "  a-moved: {at: 10 min, write_region: eastus2}\n"
                           "  b-grown: {at: 20 min, regions: [northcentralus, westus, eastus2, centralus]}\n"
                           "  c-cut: {at: 30 min, regions: [westus, centralus]}\n");
    ck_assert_uint_eq(scenario->region_count, 4);
    ck_assert_uint_eq(scenario->first_region_count, 3);
    moves(0, MIN(10), CHICAGO, VIRGINIA);
    moves(0, MIN(30), VIRGINIA, SEATTLE); /* the write region is gone: the first takes over */
    ck_assert_int_eq(refuses(IOWA, SIM_KIND_READ, 0, MIN(20) - 1), SIM_REFUSES_ALL);
    ck_assert_int_eq(refuses(IOWA, SIM_KIND_READ, 0, MIN(20)), SIM_REFUSES_NOTHING);
    ck_assert_int_eq(refuses(CHICAGO, SIM_KIND_READ, 0, MIN(30) - 1), SIM_REFUSES_NOTHING);
    ck_assert_int_eq(refuses(CHICAGO, SIM_KIND_READ, 0, MIN(30)), SIM_REFUSES_ALL);
    const rgn_account *account = sim_world_account_at(world, MIN(31));
    ck_assert_uint_eq(account->readable.count, 2);
    ck_assert_uint_eq(account->readable.region[0], SEATTLE);
    ck_assert_uint_eq(account->writable.region[0], SEATTLE);
}
END_TEST

START_TEST(moves_of_the_account_and_the_end_of_failover_beat_the_services)
{
    make("automatic_failover: true, failover_after: 30 s",
         "account_changes:\n"
         "  a-owner: {at: 8 min, write_region: eastus2}\n"
         "  b-off: {at: 40 min, automatic_failover: disabled}\n"
         "faults:\n" OUTAGE("a", "northcentralus", "5 min", "10 min", "")
             OUTAGE("b", "eastus2", "35 min", "50 min", ""));
    moves(0, MIN(5) + S(30), CHICAGO, SEATTLE);
    moves(0, MIN(8), SEATTLE, VIRGINIA);
    moves(0, MIN(35) + S(30), VIRGINIA, CHICAGO);
    moves(0, MIN(40), CHICAGO, VIRGINIA);
}
END_TEST

START_TEST(where_every_region_takes_writes_only_a_lost_region_refuses)
{
    make("writes: multi", "account_changes: {cut: {at: 10 min, regions: [westus, eastus2]}}\n");
    ck_assert_int_eq(refuses(VIRGINIA, SIM_KIND_WRITE, 0, MIN(5)), SIM_REFUSES_NOTHING);
    ck_assert_int_eq(refuses(CHICAGO, SIM_KIND_WRITE, 0, MIN(10) - 1), SIM_REFUSES_NOTHING);
    ck_assert_int_eq(refuses(CHICAGO, SIM_KIND_WRITE, 0, MIN(10)), SIM_REFUSES_ALL);
    ck_assert_uint_eq(sim_world_account_at(world, MIN(10))->writable.count, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("account");
    TCase *tc = tcase_create("account");
    tcase_add_checked_fixture(tc, NULL, drop);
    tcase_add_test(tc, without_changes_and_failover_there_is_nothing_to_ask);
    tcase_add_test(tc, a_partition_moves_after_the_services_delay_and_back);
    tcase_add_test(tc, an_outage_as_long_as_the_delay_moves_nothing);
    tcase_add_test(tc, a_region_that_fails_in_turn_is_left_for_the_next_healthy_one);
    tcase_add_test(tc, what_strikes_some_clients_only_the_service_does_not_see);
    tcase_add_test(tc, a_reading_finds_what_the_last_changes_made);
    tcase_add_test(tc, regions_come_and_go_and_the_write_region_moves);
    tcase_add_test(tc, moves_of_the_account_and_the_end_of_failover_beat_the_services);
    tcase_add_test(tc, where_every_region_takes_writes_only_a_lost_region_refuses);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
