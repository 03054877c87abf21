/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions with limits, in both loops. Five operations come 1 ms apart, reach their region after 1 ms, need 10 ms there
 * besides what a server takes, and are answered after 1 ms more. Runs in the source folder. */
#include "play.h"

#define US RGN_NS_PER_US
enum { OPERATIONS = 5, TEXT_SIZE = 2048 };

static const char *const head = "regionsim: 1\n"
                                "scenario: stations\n"
                                "duration: 2 s\n"
                                "account: {writes: multi, regions: [northcentralus, westus]}\n"
                                "network: {round_trip: azure-rtt, local: 2 ms}\n"
                                "service: {read: {constant: 10 ms}, write: {constant: 10 ms}}\n"
                                "request_units: {read: 1, write: 5}\n"
                                "clients: {chicago: {home: northcentralus, preferred: [northcentralus, westus]}}\n";
#define WORKLOAD_OF(form, more)                                                                              \
    "workload: {shop: {rate: {step: {0: 1000 /s, 5 ms: 0 /s}}, arrivals: constant, partitions: {count: 1}, " \
    "operations: {" form ": 100 %}" more "}}\n"
#define WORKLOAD(more) WORKLOAD_OF("read", more)
#define ONE_SERVER "capacity: {northcentralus: {servers: 1, busy: {read: {constant: 4 ms}, write: {constant: 0}}"

typedef struct {
    const char *text;
    int64_t end_us[OPERATIONS]; /* 0: not looked at */
    int64_t busy_us;
    uint64_t arrivals;
    uint64_t turned_away;
    uint64_t throttled;
    uint32_t waiting_peak;
} station_case;

static const station_case cases[] = {
    /* one after the other */
    {WORKLOAD("") ONE_SERVER "}}\n", {16000, 20000, 24000, 28000, 32000}, 20000, 5, 0, 0, 3},
    /* two at a time */
    {WORKLOAD("") "capacity: {northcentralus: {servers: 2, busy: {read: {constant: 4 ms}, write: {constant: 0}}}}\n",
     {16000, 17000, 20000, 21000, 24000},
     20000,
     5,
     0,
     0,
     2},
    /* A queue of two is full at 4 ms; at 5 ms the server becomes free before the last one comes. */
    {WORKLOAD("") ONE_SERVER ", queue: 2}}\n", {16000, 20000, 24000, 0, 28000}, 16000, 5, 1, 0, 2},
    {WORKLOAD("") ONE_SERVER ", queue: 3}}\n", {16000, 20000, 24000, 28000, 32000}, 20000, 5, 0, 0, 3},
    {WORKLOAD("") ONE_SERVER ", queue: 0}}\n", {16000, 0, 0, 0, 20000}, 8000, 5, 3, 0, 0},
    /* Three request units a second: the others are told to come back in the next one. */
    {WORKLOAD("") "capacity: {northcentralus: {throughput: 3}}\n",
     {12000, 13000, 14000, 1013000, 1013000},
     0,
     7,
     0,
     2,
     0},
    /* Half of the capacity is gone for what arrives from 3 ms on. */
    {WORKLOAD("") ONE_SERVER
     "}}\n"
     "faults: {neighbour: {from: 3 ms, where: {regions: [northcentralus]}, capacity_lost: 50 %}}\n",
     {16000, 20000, 28000, 36000, 44000},
     32000,
     5,
     0,
     0,
     3},
    /* All of it: nothing gets in, but who is in is served. */
    {WORKLOAD("") ONE_SERVER
     "}}\n"
     "faults: {neighbour: {from: 3 ms, where: {regions: [northcentralus]}, capacity_lost: 100 %}}\n",
     {16000, 20000, 0, 0, 0},
     8000,
     5,
     3,
     0,
     1},
    /* Half of it is there at the fault's end, at 3 ms, and all of it 4 ms later. */
    {WORKLOAD("") ONE_SERVER
     ", warm_up: {from: 50 %, over: 4 ms}}}\n"
     "faults: {gone: {until: 3 ms, where: {regions: [northcentralus]}, latency: {multiply: 1}}}\n",
     {16000, 20000, 28000, 34400, 39733},
     27733,
     5,
     0,
     0,
     3},
    /* Who gives up after 2 ms keeps the server ... */
    {WORKLOAD(", gives_up: {share: 100 %, after: 2 ms}") ONE_SERVER "}}\n",
     {2000, 3000, 4000, 5000, 6000},
     20000,
     5,
     0,
     0,
     3},
    /* ... unless word of it arrives, after 1 ms more. */
    {WORKLOAD(", gives_up: {share: 100 %, after: 2 ms}") ONE_SERVER ", cancel_reaches_server: true}}\n",
     {2000, 3000, 4000, 5000, 6000},
     6000,
     5,
     0,
     0,
     1},
    /* What gets no reply takes no server. */
    {WORKLOAD(", deadline: 60 ms") ONE_SERVER "}}\n"
                                              "faults: {hole: {until: 3 ms, where: {regions: [northcentralus]}, "
                                              "errors: {statuses: {no_reply: 100 %}, share: 100 %}}}\n",
     {60000, 61000, 18000, 22000, 26000},
     12000,
     3,
     0,
     0,
     2},
    /* A fault's error keeps its server as a success would; the operation goes elsewhere. */
    {WORKLOAD("") ONE_SERVER "}}\n"
                             "faults: {sick: {until: 2 ms, where: {regions: [northcentralus]}, errors: {statuses: "
                             "{503: 100 %}, share: 100 %}}}\n",
     {0, 20000, 24000, 28000, 32000},
     20000,
     5,
     0,
     0,
     3},
    /* A region's servers work for metadata, too; what strikes a partition does not strike it ... */
    {WORKLOAD_OF("metadata", "") ONE_SERVER
     "}}\n"
     "faults: {neighbour: {where: {regions: [northcentralus], partitions: {list: [0]}}, capacity_lost: 50 %}}\n",
     {16000, 20000, 24000, 28000, 32000},
     20000,
     5,
     0,
     0,
     3},
    /* ... and a partition's servers have nothing to do with it. */
    {WORKLOAD_OF("metadata", "") ONE_SERVER ", stations: partition}}\n",
     {12000, 13000, 14000, 15000, 16000},
     0,
     0,
     0,
     0,
     0},
    {WORKLOAD("") ONE_SERVER ", stations: partition}}\n", {16000, 20000, 24000, 28000, 32000}, 20000, 5, 0, 0, 3},
    /* After a fault of the control plane there is nothing to warm up. */
    {WORKLOAD("") ONE_SERVER
     ", warm_up: {from: 50 %, over: 4 ms}}}\n"
     "account_changes: {later: {at: 1 s, hedging_switch: absent}}\n"
     "faults: {gone: {until: 3 ms, where: {regions: all, operations: [account]}, errors: {statuses: "
     "{503: 100 %}, share: 100 %}}}\n",
     {16000, 20000, 24000, 28000, 32000},
     20000,
     5,
     0,
     0,
     3},
};

static void check_case(const station_case *one, sim_mode mode)
{
    char text[TEXT_SIZE];
    play self = {.count = 0};
    sim_observer observer = deaf_observer(&self);
    sim_run_output output;
    observer.ended = on_ended;
    snprintf(text, sizeof text, "%s%s", head, one->text);
    run_text(text, mode, &observer, &output);
    ck_assert_uint_eq(self.count, OPERATIONS);
    for (size_t i = 0; i < OPERATIONS; i++) {
        const int64_t wanted = one->end_us[self.ended[i].ordinal];
        ck_assert_msg(wanted == 0 || self.ended[i].end / US == wanted, "operation %d ended at %lld us, not at %lld",
                      (int)self.ended[i].ordinal, (long long)(self.ended[i].end / US), (long long)wanted);
    }
    sim_station_row sum = {0};
    for (size_t piece = 0; piece < output.stations.pieces; piece++) {
        const sim_station_row *row = &output.stations.row[piece * output.stations.regions];
        sum.busy_ns += row->busy_ns;
        sum.arrivals += row->arrivals;
        sum.turned_away += row->turned_away;
        sum.throttled += row->throttled;
        sum.waiting_peak = row->waiting_peak > sum.waiting_peak ? row->waiting_peak : sum.waiting_peak;
    }
    ck_assert_uint_eq(sum.busy_ns / (uint64_t)US, (uint64_t)one->busy_us);
    ck_assert_uint_eq(sum.arrivals, one->arrivals);
    ck_assert_uint_eq(sum.turned_away, one->turned_away);
    ck_assert_uint_eq(sum.throttled, one->throttled);
    ck_assert_uint_eq(sum.waiting_peak, one->waiting_peak);
    sim_run_output_deinit(&output);
}

START_TEST(attempts_meet_the_limits_of_their_region)
{
    check_case(&cases[_i], SIM_MODE_FAST);
    check_case(&cases[_i], SIM_MODE_REFERENCE);
}
END_TEST

/* Nothing of what is drawn for servers moves any other draw, nor do servers that nobody ever waits for. */
START_TEST(servers_that_take_no_time_change_nothing)
{
    static const char *const rest =
        "workload: {shop: {rate: 2000 /s, partitions: {count: 9}, operations: {read: 80 %, write: 20 %}, "
        "deadline: 50 ms}}\n"
        "faults: {sick: {from: 500 ms, until: 1 s, where: {regions: [northcentralus]}, "
        "errors: {statuses: {503: 60 %, no_reply: 20 %, 429: 20 %}, share: 40 %}}}\n";
    static const char *const wide =
        "capacity: {northcentralus: {servers: 100000, busy: {read: {constant: 0}, write: {constant: 0}}}}\n";
    sim_run_output without;
    sim_run_output with;
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s%s", head, rest);
    run_text(text, SIM_MODE_FAST, NULL, &without);
    snprintf(text, sizeof text, "%s%s%s", head, rest, wide);
    run_text(text, SIM_MODE_FAST, NULL, &with);
    ck_assert_uint_gt(without.legs, without.operations);
    ck_assert_mem_eq(&without.behaviour, &with.behaviour, sizeof with.behaviour);
    sim_run_output_deinit(&without);
    sim_run_output_deinit(&with);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stations");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, attempts_meet_the_limits_of_their_region, 0, sizeof cases / sizeof *cases);
    tcase_add_test(all, servers_that_take_no_time_change_nothing);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
