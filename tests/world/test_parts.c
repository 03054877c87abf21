/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where faults strike: zones, front ends, links, workloads, the control plane; and what they do besides errors and
 * slowness: lost packets, late writes, coming again. Runs in the source folder. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

#define MS     RGN_NS_PER_MS
#define S(n)   ((n)*RGN_NS_PER_S)
#define MIN(n) S(60 * (n))

enum { CHICAGO = 0, SEATTLE = 1, VIRGINIA = 2 };
enum { CLIENTS = 90, PARTITIONS = 600, SHOP = 400, ROUND_TRIP = 8000001 };

static sim_scenario *scenario;
static sim_world *world;
static sim_world_run *run;
static const sim_luck luck = {.seed = 7};

/* Clients 0..59 are at home in Chicago, 60..89 in Seattle; partitions 0..399 are shop's, the others stock's. */
static void make(const char *account, const char *rest)
{
    char text[4096];
    sim_input_error error = {.message = ""};
    snprintf(text, sizeof text,
             "regionsim: 1\nscenario: parts\nduration: 2 h\naccount: {%s, regions: [northcentralus, westus, eastus2]}\n"
             "network: {round_trip: azure-rtt}\nservice: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"
             "clients:\n  chicago: {home: northcentralus, count: 60, preferred: [northcentralus, westus]}\n"
             "  seattle: {home: westus, count: 30, preferred: [westus, northcentralus]}\n"
             "workload:\n  shop: {rate: 1 /s, partitions: {count: 400}, operations: {read: 50 %%, write: 50 %%}}\n"
             "  stock: {rate: 1 /s, partitions: {count: 200}, operations: {read: 50 %%, write: 50 %%}}\n%s",
             account, rest);
    scenario = sim_scenario_parse("scenarios/parts.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    run = sim_world_run_create(world, &luck);
    ck_assert_ptr_nonnull(run);
}

static void drop(void)
{
    sim_world_run_destroy(run);
    sim_world_destroy(world);
    sim_scenario_destroy(scenario);
}

static sim_fate send(rgn_region region, uint32_t client, uint32_t partition, int64_t at, sim_words words)
{
    const sim_attempt attempt = {.region = region, .client = client, .partition = partition};
    return sim_world_fate(run, ROUND_TRIP, &attempt, at, words);
}

static bool fails(rgn_region region, uint32_t client, uint32_t partition)
{
    return send(region, client, partition, S(1), (sim_words){{0, 0}}).status == 503;
}

/* Where nothing but errors is about. */
static bool is_struck(rgn_region region, uint32_t client, uint32_t partition)
{
    const bool is_struck = fails(region, client, partition);
    ck_assert(sim_truth_is_healthy(run, region, partition, client, SIM_KIND_READ, S(1)) != is_struck);
    return is_struck;
}

#define FAILS "errors: {statuses: {503: 100 %}, share: 100 %}"

START_TEST(zones_of_partitions_divide_a_region_and_every_fault_agrees)
{
    make("writes: multi",
         "faults:\n"
         "  a: {where: {regions: [northcentralus], zone: {number: 1, of: 3, holds: partitions}}, " FAILS "}\n"
         "  b: {where: {regions: [northcentralus], zone: {number: 2, of: 3, holds: partitions}}, latency: {add: 1 s}}\n"
         "  c: {where: {regions: [northcentralus], zone: {number: 3, of: 3, holds: partitions}}, latency: {add: 2 s}}\n"
         "  d: {where: {regions: [northcentralus], zone: {number: 3, of: 3, holds: partitions}}, latency: {add: 4 s}}\n"
         "  e: {where: {regions: [westus], zone: {number: 1, of: 3, holds: partitions}}, " FAILS "}\n");
    unsigned zone[4] = {0};
    unsigned both = 0;
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        const sim_fate fate = send(CHICAGO, 0, p, S(1), (sim_words){{0, 0}});
        const int64_t extra = (fate.end - S(1) - ROUND_TRIP - 2 * MS) / S(1);
        const bool is_first = fails(CHICAGO, 0, p);
        ck_assert(is_first ? extra == 0 : extra == 1 || extra == 6); /* in one zone, `c` and `d` in the same */
        zone[is_first ? 1 : extra == 1 ? 2 : 3]++;
        both += is_first && is_struck(SEATTLE, 0, p);
    }
    /* 600 draws of a third: deviation 11.5; another region has zones of its own: a ninth, deviation 7.7. */
    for (int z = 1; z <= 3; z++)
        ck_assert_uint_le((unsigned)abs((int)zone[z] - 200), 58);
    ck_assert_uint_le((unsigned)abs((int)both - 67), 39);
    drop();
}
END_TEST

/* Each attempt goes to one replica, so a zone takes its share of them from every partition. */
START_TEST(zones_of_replicas_take_attempts_of_every_partition)
{
    make("writes: multi", "faults:\n"
                          "  a: {where: {regions: [northcentralus], zone: {number: 1, of: 3}}, " FAILS "}\n"
                          "  b: {where: {regions: [northcentralus], zone: {number: 2, of: 3}}, latency: {add: 1 s}}\n");
    unsigned failed = 0;
    unsigned slow = 0;
    for (uint64_t i = 0; i < 9000; i++) {
        const sim_words words = sim_threefry2x64(1, 2, i, 0);
        const sim_fate fate = send(CHICAGO, 0, (uint32_t)(i % PARTITIONS), S(1), words);
        failed += fate.status == 503;
        slow += fate.end >= S(2);
        ck_assert(fate.status == 200 || fate.end < S(2)); /* a replica is in one zone */
        ck_assert_uint_eq(send(SEATTLE, 0, 0, S(1), words).status, 200);
    }
    /* 9000 draws of a third: deviation 44.7. */
    ck_assert_uint_le((unsigned)abs((int)failed - 3000), 224);
    ck_assert_uint_le((unsigned)abs((int)slow - 3000), 224);
    drop();
}
END_TEST

/* A third of 30 % is healthy, a third of 30.000001 % is not: errors count for the partition as a whole. */
START_TEST(the_truth_about_a_zone_of_replicas_is_the_partitions)
{
    static const struct {
        const char *share;
        bool is_healthy;
    } rows[] = {{"30 %", true}, {"30.0000002 %", true}, {"30.0000003 %", false}, {"100 %", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char faults[256];
        snprintf(faults, sizeof faults,
                 "faults: {a: {where: {regions: [northcentralus], zone: {number: 1, of: 3}}, errors: {statuses: {503: "
                 "100 %%}, share: %s}}}\n",
                 rows[i].share);
        make("writes: multi", faults);
        ck_assert_msg(sim_truth_is_healthy(run, CHICAGO, 0, 0, SIM_KIND_READ, S(1)) == rows[i].is_healthy, "%s",
                      rows[i].share);
        drop();
    }
}
END_TEST

START_TEST(a_front_end_has_clients_of_its_own_and_every_fault_agrees)
{
    make("writes: multi",
         "faults:\n"
         "  a: {where: {regions: [northcentralus], front_end: {number: 1, of: 2}}, " FAILS "}\n"
         "  b: {where: {regions: [northcentralus], front_end: {number: 2, of: 2}}, latency: {add: 1 s}}\n");
    unsigned struck = 0;
    for (uint32_t c = 0; c < CLIENTS; c++) {
        const bool is_first = fails(CHICAGO, c, 5);
        ck_assert_uint_eq(is_first, fails(CHICAGO, c, 599));
        ck_assert_int_eq(send(CHICAGO, c, 5, S(1), (sim_words){{0, 0}}).end >= S(2), !is_first);
        ck_assert(!is_struck(SEATTLE, c, 5));
        struck += is_first;
    }
    ck_assert_uint_le((unsigned)abs((int)struck - 45), 24); /* deviation 4.7 */
    drop();
}
END_TEST

START_TEST(a_link_has_two_ends)
{
    make("writes: multi", "faults: {a: {where: {regions: [northcentralus, eastus2], from: [westus]}, " FAILS "}}\n");
    for (uint32_t c = 0; c < CLIENTS; c++) {
        ck_assert_uint_eq(is_struck(CHICAGO, c, 5), c >= 60);
        ck_assert_uint_eq(is_struck(VIRGINIA, c, 5), c >= 60);
        ck_assert(!is_struck(SEATTLE, c, 5));
    }
    drop();
}
END_TEST

START_TEST(all_regions_are_those_the_account_ever_has)
{
    make("writes: multi", "faults: {a: {where: {regions: all}, " FAILS "}}\n"
                          "account_changes: {grown: {at: 1 h, regions: [northcentralus, westus, eastus2, eastus]}}\n");
    for (rgn_region r = 0; r < 4; r++)
        ck_assert(is_struck(r, 0, 0));
    drop();
}
END_TEST

START_TEST(workloads_are_struck_by_name_and_the_endpoint_is_not)
{
    make("writes: multi", "faults: {a: {where: {regions: [westus], workloads: [stock]}, errors: {statuses: {refused: "
                          "100 %}, share: 100 %}}}\n");
    for (uint32_t p = 0; p < PARTITIONS; p++)
        ck_assert_int_eq(send(SEATTLE, 0, p, S(1), (sim_words){{0, 0}}).transport == RGN_TRANSPORT_NOT_SENT, p >= SHOP);
    ck_assert(sim_world_connects(run, SEATTLE, SIM_NO_PARTITION, 0, S(1), 0));
    ck_assert(!sim_world_connects(run, SEATTLE, SHOP, 0, S(1), 0));
    drop();
}
END_TEST

/* k losses in a row, each with chance p, take 200 ms * (2^k - 1). */
START_TEST(lost_packets_are_sent_anew_after_doubling_times)
{
    enum { SENT = 20000 };
    make("writes: multi", "faults: {a: {where: {regions: [westus]}, loss: {share: 25 %}}}\n");
    unsigned lost[12] = {0};
    for (uint64_t i = 0; i < SENT; i++) {
        const sim_fate fate = send(SEATTLE, 0, 0, S(1), sim_threefry2x64(1, 2, i, 0));
        ck_assert_uint_eq(fate.status, 200);
        unsigned k = 0;
        while (k < 11 && fate.end != S(1) + ROUND_TRIP + 2 * MS + 200 * MS * ((INT64_C(1) << k) - 1))
            k++;
        ck_assert_uint_lt(k, 11);
        lost[k]++;
    }
    /* 20000 * 0.75, * 0.1875, * 0.046875: deviations 61, 55, 30. */
    ck_assert_uint_le((unsigned)abs((int)lost[0] - 15000), 306);
    ck_assert_uint_le((unsigned)abs((int)lost[1] - 3750), 276);
    ck_assert_uint_le((unsigned)abs((int)lost[2] - 938), 150);
    ck_assert(!sim_truth_is_healthy(run, SEATTLE, 0, 0, SIM_KIND_READ, S(1)));
    drop();
    make("writes: multi", "faults: {a: {where: {regions: [westus]}, loss: {share: 100 %, retransmit: 1 ms}}}\n");
    const sim_fate silent = send(SEATTLE, 0, 0, S(1), (sim_words){{3, 4}});
    ck_assert_int_eq(silent.end, RGN_TIME_NEVER);
    ck_assert_uint_eq(silent.transport, RGN_TRANSPORT_UNKNOWN);
    ck_assert(!sim_world_connects(run, SEATTLE, 0, 0, S(1), 5));
    drop();
    make("writes: multi", "faults: {a: {where: {regions: [westus]}, loss: {share: 10 %}}}\n");
    ck_assert(sim_truth_is_healthy(run, SEATTLE, 0, 0, SIM_KIND_READ, S(1)));
    drop();
}
END_TEST

START_TEST(what_comes_again_strikes_the_same_in_the_same_way)
{
    make("writes: multi",
         "faults: {a: {from: 5 min, until: 7 min, again: [30 min, 7 min], where: {regions: [westus], "
         "partitions: 50 %}, errors: {statuses: {503: 100 %}, share: {step: {0: 100 %, 1 min: 0}}}}}\n");
    static const int64_t starts[] = {MIN(5), MIN(7), MIN(30)};
    unsigned struck = 0;
    ck_assert_uint_eq(scenario->fault_count, 3);
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        const bool is_hit = !sim_truth_is_healthy(run, SEATTLE, p, 0, SIM_KIND_READ, MIN(5));
        struck += is_hit;
        for (int i = 0; i < 3; i++) {
            const int64_t at = starts[i];
            ck_assert(sim_truth_is_healthy(run, SEATTLE, p, 0, SIM_KIND_READ, at - 1));
            ck_assert_int_eq(sim_truth_is_healthy(run, SEATTLE, p, 0, SIM_KIND_READ, at), !is_hit);
            ck_assert_int_eq(sim_truth_is_healthy(run, SEATTLE, p, 0, SIM_KIND_READ, at + MIN(1) - 1), !is_hit);
            ck_assert(sim_truth_is_healthy(run, SEATTLE, p, 0, SIM_KIND_READ, at + MIN(1)));
        }
    }
    ck_assert_uint_le((unsigned)abs((int)struck - 300), 62); /* deviation 12.2 */
    drop();
}
END_TEST

/* Writes of Chicago come to Seattle 10 s later than their 1 s, in a lag's whole life; nobody else's do. */
START_TEST(writes_are_late_over_a_link)
{
    make("writes: multi", "replication: {lag: {constant: 1 s}, redrawn: 1 s}\n"
                          "faults: {a: {from: 10 s, until: 20 s, where: {regions: [westus], from: [northcentralus], "
                          "workloads: [shop]}, replication: {add: 10 s}}}\n");
    ck_assert_int_eq(sim_world_lag_max(world), S(11));
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, 0, CHICAGO, SEATTLE, S(10) - 1), S(9) - 1);
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, 0, CHICAGO, SEATTLE, S(10)), S(9));
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, 0, CHICAGO, SEATTLE, S(19)), S(9)); /* it stands still */
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, 0, CHICAGO, SEATTLE, S(20)), S(19));
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, 0, CHICAGO, VIRGINIA, S(15)), S(14));
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, 0, VIRGINIA, SEATTLE, S(15)), S(14));
    ck_assert_int_eq(sim_world_replicated_until(run, &luck, SHOP, CHICAGO, SEATTLE, S(15)), S(14));
    ck_assert(sim_truth_is_healthy(run, SEATTLE, 0, 0, SIM_KIND_READ, S(15)));
    ck_assert_uint_eq(send(SEATTLE, 0, 0, S(15), (sim_words){{0, 0}}).status, 200);
    drop();
}
END_TEST

/* ---- the control plane ---- */

#define OUTAGE "  data: {from: 5 min, until: 20 min, where: {regions: [northcentralus]}, " FAILS "}\n"

START_TEST(requests_do_not_meet_what_strikes_the_control_plane)
{
    make("writes: single, automatic_failover: true",
         "faults: {a: {where: {regions: all, operations: [account]}, " FAILS "}}\n");
    ck_assert(!is_struck(CHICAGO, 0, 0));
    ck_assert(sim_truth_is_always_healthy(run, CHICAGO));
    drop();
}
END_TEST

static void reads(int64_t at, int64_t asked, int64_t end, bool is_answered)
{
    const sim_account_reading reading = sim_world_read_account(run, &luck, 0, 1, at);
    ck_assert_int_eq(reading.asked, asked);
    ck_assert_int_eq(reading.end, end);
    ck_assert_int_eq(reading.is_answered, is_answered);
}

START_TEST(a_reading_goes_on_to_the_next_region_until_one_answers)
{
    make("writes: single, read_time: 50 ms",
         "account_changes: {moved: {at: 30 min, write_region: westus}}\n"
         "faults:\n"
         "  a: {from: 1 min, until: 2 min, where: {regions: [northcentralus], operations: [account]}, " FAILS "}\n"
         "  b: {from: 2 min, until: 3 min, where: {regions: [northcentralus], operations: [account]}, errors: "
         "{statuses: {no_reply: 100 %}, share: 100 %}}\n"
         "  c: {from: 3 min, until: 4 min, where: {regions: all, operations: [account]}, " FAILS "}\n"
         "  d: {from: 4 min, until: 5 min, where: {regions: all, operations: [account]}, latency: {multiply: 4, add: "
         "1 s}}\n"
         "  e: {from: 40 min, until: 50 min, where: {regions: [westus], operations: [account]}, " FAILS "}\n");
    reads(S(1), S(1), S(1) + 50 * MS, true);
    reads(MIN(1), MIN(1) + 50 * MS, MIN(1) + 100 * MS, true);
    reads(MIN(2), MIN(2) + S(10), MIN(2) + S(10) + 50 * MS, true);
    reads(MIN(3), MIN(3), MIN(3) + 150 * MS, false);
    reads(MIN(4), MIN(4), MIN(4) + 1200 * MS, true);
    reads(MIN(40), MIN(40) + 50 * MS, MIN(40) + 100 * MS, true); /* the region that takes writes comes first */
    drop();
}
END_TEST

/* The service sees the outage at 5 min and would move writes 30 s later; its control plane is back at 10 min. */
START_TEST(without_a_control_plane_the_service_moves_no_writes)
{
#define SINGLE "writes: single, automatic_failover: true, failover_after: 30 s, failback_after: 60 s"
    make(SINGLE, "faults:\n" OUTAGE);
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(5) + S(30) - 1), CHICAGO);
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(5) + S(30)), SEATTLE);
    drop();
    make(SINGLE, "faults:\n" OUTAGE "  control: {from: 5 min, until: 10 min, again: [20 min], where: {regions: "
                 "[northcentralus], operations: [account]}, errors: {statuses: {503: 100 %}, share: 40 %}}\n");
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(10) - 1), CHICAGO);
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(10)), SEATTLE);
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(25) - 1), SEATTLE); /* nor back */
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(25)), CHICAGO);
    drop();
    make(SINGLE, "faults:\n" OUTAGE "  control: {from: 5 min, until: 10 min, where: {regions: [westus], operations: "
                 "[account]}, " FAILS "}\n");
    ck_assert_uint_eq(sim_world_write_region(run, 0, MIN(5) + S(30)), SEATTLE); /* another region's is no matter */
    drop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parts");
    TCase *all = tcase_create("all");
    tcase_add_test(all, zones_of_partitions_divide_a_region_and_every_fault_agrees);
    tcase_add_test(all, zones_of_replicas_take_attempts_of_every_partition);
    tcase_add_test(all, the_truth_about_a_zone_of_replicas_is_the_partitions);
    tcase_add_test(all, a_front_end_has_clients_of_its_own_and_every_fault_agrees);
    tcase_add_test(all, a_link_has_two_ends);
    tcase_add_test(all, all_regions_are_those_the_account_ever_has);
    tcase_add_test(all, workloads_are_struck_by_name_and_the_endpoint_is_not);
    tcase_add_test(all, lost_packets_are_sent_anew_after_doubling_times);
    tcase_add_test(all, what_comes_again_strikes_the_same_in_the_same_way);
    tcase_add_test(all, writes_are_late_over_a_link);
    tcase_add_test(all, requests_do_not_meet_what_strikes_the_control_plane);
    tcase_add_test(all, a_reading_goes_on_to_the_next_region_until_one_answers);
    tcase_add_test(all, without_a_control_plane_the_service_moves_no_writes);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
