/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes, scopes, rates, weights and distributions of files, as numbers. Runs in the source folder. */
#include <math.h>

#include "files.h"
#include "scenario/logs.h"
#include "world/schedule.h"

#define MS  RGN_NS_PER_MS
#define S   RGN_NS_PER_S
#define MIN (60 * RGN_NS_PER_S)

static const char *const head = "regionsim: 1\n"
                                "scenario: fields\n"
                                "duration: 10 min\n"
                                "account: {regions: [northcentralus, westus]}\n"
                                "network: {round_trip: azure-rtt}\n"
                                "clients:\n"
                                "  chicago: {home: northcentralus, count: 3, preferred: [northcentralus, westus]}\n"
                                "  seattle: {home: westus, count: 2, preferred: [westus]}\n";
static const char *const plain_service = "service: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n";
static const char *const plain_workload =
    "workload:\n  shop: {rate: 100 /s, partitions: {count: 20}, operations: {read: 100 %}}\n";

static sim_scenario *parse(const char *service, const char *workload, const char *rest, sim_input_error *error)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s%s", head, service, workload, rest);
    return sim_scenario_parse("scenarios/fields.yaml", text, strlen(text), NULL, 0, error);
}

static sim_scenario *parse_good(const char *service, const char *workload, const char *rest)
{
    sim_input_error error;
    sim_scenario *scenario = parse(service, workload, rest, &error);
    ck_assert_msg(scenario != NULL, "%d:%d: %s", error.line, error.column, error.message);
    return scenario;
}

/* A scenario with one fault whose error share is `shape`. */
static sim_scenario *with_shape(const char *from_until, const char *shape)
{
    char rest[1024];
    snprintf(rest, sizeof rest,
             "faults:\n  f: {%s where: {regions: [westus]}, errors: {statuses: {503: 100 %%}, share: %s}}\n",
             from_until, shape);
    return parse_good(plain_service, plain_workload, rest);
}

static int64_t share_at(const sim_scenario *scenario, int64_t at)
{
    return sim_shape_at(&scenario->fault[0].error_share, at);
}

typedef struct {
    int64_t at;
    int64_t share; /* 10^-9 */
} instant;

static void expect_shape(const char *from_until, const char *shape, const instant *want, size_t count)
{
    sim_scenario *scenario = with_shape(from_until, shape);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(share_at(scenario, want[i].at) == want[i].share, "%s at %lld ns: %lld, expected %lld", shape,
                      (long long)want[i].at, (long long)share_at(scenario, want[i].at), (long long)want[i].share);
    sim_scenario_destroy(scenario);
}
#define EXPECT_SHAPE(from_until, shape, want) expect_shape(from_until, shape, want, sizeof want / sizeof *want)

START_TEST(stair_takes_equal_steps)
{
    static const instant down[] = {{0, 900000000},
                                   {3 * MIN - 1, 900000000},
                                   {3 * MIN, 600000000},
                                   {3 * MIN + 1, 600000000},
                                   {6 * MIN - 1, 600000000},
                                   {6 * MIN, 300000000},
                                   {9 * MIN - 1, 300000000},
                                   {9 * MIN, 0},
                                   {60 * MIN, 0}};
    static const instant thirds[] = {
        {0, 0}, {333333332, 0}, {333333333, 333333333}, {666666666, 666666666}, {S, 1000000000}};
    EXPECT_SHAPE("", "{stair: {from: 90 %, to: 0, steps: 3, over: 9 min}}", down);
    EXPECT_SHAPE("", "{stair: {from: 0, to: 100 %, steps: 3, over: 1 s}}", thirds);
}
END_TEST

START_TEST(square_is_high_first_and_ends_with_the_fault)
{
    static const instant wave[] = {{0, 800000000},         {3 * S - 1, 800000000}, {3 * S, 50000000},
                                   {10 * S - 1, 50000000}, {10 * S, 800000000},    {13 * S - 1, 800000000},
                                   {13 * S, 50000000},     {25 * S, 50000000},     {29 * S, 50000000},
                                   {30 * S - 1, 50000000}};
    static const instant half[] = {
        {0, 1000000000}, {2 * S - 1, 1000000000}, {2 * S, 0}, {4 * S - 1, 0}, {4 * S, 1000000000}};
    EXPECT_SHAPE("from: 1 min, until: 90 s,", "{square: {high: 80 %, low: 5 %, period: 10 s, duty: 30 %}}", wave);
    EXPECT_SHAPE("", "{square: {high: 100 %, period: 4 s}}", half);
    sim_scenario *scenario =
        with_shape("from: 1 min, until: 90 s,", "{square: {high: 80 %, period: 10 s, duty: 30 %}}");
    ck_assert_uint_eq(scenario->fault[0].error_share.count, 6); /* three periods: no edge beyond the fault's end */
    sim_scenario_destroy(scenario);
}
END_TEST

START_TEST(decay_is_exact_at_half_lives_and_close_between)
{
    static const instant halves[] = {{0, 1000000000},       {5 * MIN, 500000000}, {10 * MIN, 250000000},
                                     {15 * MIN, 125000000}, {25 * MIN, 31250000}, {50 * MIN, 976562},
                                     {150 * MIN, 0}};
    static const instant rising[] = {{0, 0}, {S, 400000000}, {2 * S, 600000000}, {3 * S, 700000000}};
    EXPECT_SHAPE("", "{decay: {from: 100 %, half_life: 5 min}}", halves);
    EXPECT_SHAPE("", "{decay: {from: 0, to: 80 %, half_life: 1 s}}", rising);
    sim_scenario *scenario = with_shape("", "{decay: {from: 100 %, half_life: 5 min}}");
    for (int64_t at = 0; at < 100 * MIN; at += 77777777777) {
        const double exact = 1e9 * exp2(-(double)at / (double)(5 * MIN));
        ck_assert_double_ge((double)share_at(scenario, at), exact - 2);
        ck_assert_double_le((double)share_at(scenario, at), exact * 1.00006 + 1);
    }
    sim_scenario_destroy(scenario);
}
END_TEST

START_TEST(pieces_follow_each_other_with_jumps)
{
    static const instant pieces[] = {{0, 1000000000},    {2 * S - 1, 1000000000}, {2 * S, 500000000},
                                     {3 * S, 400000000}, {6 * S - 1, 100000000},  {6 * S, 700000000},
                                     {7 * S, 700000000}, {99 * S, 700000000}};
    EXPECT_SHAPE("",
                 "{piecewise: [{for: 2 s, value: 100 %}, {for: 4 s, value: 50 %, to: 10 %}, {for: 1 s, value: 70 %}]}",
                 pieces);
}
END_TEST

START_TEST(powers_and_logarithms_are_those_of_libm)
{
    for (int64_t n = 1; n < 2000000; n = n * 3 / 2 + 1)
        ck_assert_double_eq_tol((double)sim_log2_ratio(n, 1), log2((double)n) * 0x1p31, 40.0);
    for (uint64_t x = 0; x < UINT64_C(40) << 31; x += 987654321)
        ck_assert_double_eq_tol((double)sim_power_down(x), exp2(-(double)x * 0x1p-31) * 0x1p62, 0x1p14);
    ck_assert_uint_eq(sim_power_down(0), UINT64_C(1) << 62);
    ck_assert_uint_eq(sim_power_down(UINT64_C(5) << 31), UINT64_C(1) << 57);
    ck_assert_uint_eq(sim_power_down(UINT64_MAX), 0);
}
END_TEST

START_TEST(scopes_and_effects_reach_the_fault)
{
    sim_scenario *scenario =
        parse_good(plain_service, plain_workload,
                   "faults:\n"
                   "  f:\n"
                   "    where: {regions: [westus], partitions: {list: [19, 0, 7]}, clients: 25 %, connections: new}\n"
                   "    latency: {add: {step: {0: 3 ms, 1 s: 0}}, round_trips: 2}\n"
                   "restarts:\n"
                   "  deploy: {at: 2 min, stagger: 5 s}\n"
                   "  west: {at: 3 min, clients: [seattle]}\n");
    const sim_fault *fault = &scenario->fault[0];
    ck_assert_uint_eq(fault->partition_count, 3);
    ck_assert_uint_eq(fault->partition[0], 0);
    ck_assert_uint_eq(fault->partition[2], 19);
    ck_assert_uint_eq(fault->client_share, 250000000);
    ck_assert(fault->only_new_connections);
    ck_assert_uint_eq(fault->round_trips, 2);
    ck_assert_int_eq(sim_fault_added_at(fault, S - 1), 3 * MS);
    ck_assert_int_eq(sim_fault_added_at(fault, S), 0);
    ck_assert_uint_eq(fault->latency_multiply.count, 0);
    ck_assert_uint_eq(scenario->restart_count, 2);
    ck_assert_int_eq(scenario->restart[0].stagger, 5 * S);
    ck_assert_uint_eq(scenario->restart[0].group_count, 2);
    ck_assert_uint_eq(scenario->restart[1].group_count, 1);
    ck_assert_uint_eq(scenario->restart[1].groups[0], 1);
    ck_assert_int_eq(scenario->connection_idle, 5 * MIN);
    ck_assert_int_eq(scenario->healthy_added, 20 * MS);
    sim_scenario_destroy(scenario);
}
END_TEST

START_TEST(order_of_a_list_of_partitions_changes_nothing)
{
    static const char *const faults[] = {
        "faults: {f: {where: {regions: [westus], partitions: {list: [1, 5]}}, latency: {add: 1 ms}}}\n",
        "faults: {f: {where: {regions: [westus], partitions: {list: [5, 1]}}, latency: {add: 1000 us}}}\n"};
    sim_scenario *a = parse_good(plain_service, plain_workload, faults[0]);
    sim_scenario *b = parse_good(plain_service, plain_workload, faults[1]);
    ck_assert_str_eq(a->canonical, b->canonical);
    ck_assert_ptr_nonnull(strstr(a->canonical, "faults.f.where.partitions.list = 1, 5\n"));
    sim_scenario_destroy(a);
    sim_scenario_destroy(b);
}
END_TEST

START_TEST(rates_over_time_have_their_mean)
{
    sim_scenario *scenario = parse_good(
        plain_service,
        "workload:\n  shop: {rate: {step: {1 min: 100 /s, 4 min: 0 /s, 9 min: 1000 /s}}, arrivals: constant,\n"
        "    partitions: {count: 20}, operations: {read: 100 %}, gives_up: {share: 5 %, after: 800 ms}}\n",
        "");
    const sim_workload *shop = &scenario->workload[0];
    ck_assert_uint_eq(shop->rate_step_count, 3);
    ck_assert_int_eq(shop->rate_step[0].at, 0); /* before the first instant its value holds already */
    ck_assert_int_eq(shop->rate_step[1].rate_mhz, 0);
    ck_assert_int_eq(shop->rate_mhz, 140000); /* (4 min * 100 + 1 min * 1000) / 10 min */
    ck_assert_uint_eq(shop->gives_up_share, 50000000);
    ck_assert_int_eq(shop->gives_up_after, 800 * MS);
    sim_scenario_destroy(scenario);
}
END_TEST

/* Against the law in floating point: borders are rounded down to 10^-9. */
static void expect_zipf(double power, uint32_t count)
{
    char workload[256];
    snprintf(workload, sizeof workload,
             "workload:\n  shop: {rate: 1 /s, partitions: {count: %u, pick: {zipf: %g}}, operations: {read: 100 %%}}\n",
             count, power);
    sim_scenario *scenario = parse_good(plain_service, workload, "");
    const uint32_t *weight = scenario->workload[0].partition_weight;
    double whole = 0;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++)
        whole += pow(k + 1, -power);
    for (uint32_t k = 0; k < count; k++) {
        ck_assert_double_eq_tol(weight[k], pow(k + 1, -power) / whole * 1e9, 1.5);
        sum += weight[k];
    }
    ck_assert_uint_eq(sum, SIM_SHARE_ONE);
    sim_scenario_destroy(scenario);
}

START_TEST(zipf_weights_follow_the_law_and_sum_to_one)
{
    expect_zipf(0.9, 1);
    expect_zipf(0.9, 2);
    expect_zipf(0.9, 50);
    expect_zipf(1, 1000);
    expect_zipf(0.5, 100000);
    expect_zipf(4, 300);
}
END_TEST

START_TEST(recorded_arrivals_are_stretched_to_one_a_unit)
{
    sim_scenario *scenario =
        parse_good(plain_service,
                   "workload:\n  shop: {rate: 10 /s, arrivals: {recorded: azure-arrivals}, partitions: {count: 2},\n"
                   "    operations: {read: 100 %}}\n",
                   "");
    const sim_workload *shop = &scenario->workload[0];
    ck_assert_int_eq(shop->arrivals, SIM_ARRIVALS_RECORDED);
    ck_assert_uint_eq(shop->recording.count, 8819);
    ck_assert_uint_eq(shop->recording.at[0], 0);
    /* 3435948.056 ms and a mean gap of 389.652 ms: the second arrival, after 52 ms, is 52 / 3436337.708 of 8819. */
    ck_assert_double_eq_tol((double)shop->recording.at[1] / 1e12, 52.0 * 8819 / 3436337.708, 1e-6);
    ck_assert_double_eq_tol((double)shop->recording.at[8818] / 1e12, 8818.0, 1e-6);
    sim_scenario_destroy(scenario);
}
END_TEST

START_TEST(distributions_put_together_from_others)
{
    sim_scenario *scenario = parse_good("service:\n"
                                        "  read: {mixture: [{share: 90 %, of: {constant: 3 ms}}, {share: 10 %, of: "
                                        "{weibull: {p50: 8 ms, shape: 0.7}}}]}\n"
                                        "  write: {percentiles: {99.9: 80 ms, 0: 1 ms, 50: 2 ms}}\n",
                                        plain_workload, "");
    const sim_dist *read = &scenario->service[SIM_KIND_READ];
    const sim_dist *write = &scenario->service[SIM_KIND_WRITE];
    ck_assert_int_eq(read->type, SIM_DIST_MIXTURE);
    ck_assert_uint_eq(read->count, 2);
    ck_assert_uint_eq(read->part[1].share, 100000000);
    ck_assert_int_eq(read->part[1].dist.type, SIM_DIST_WEIBULL);
    ck_assert_int_eq(read->part[1].dist.b, 700000);
    ck_assert_uint_eq(write->count, 3);
    ck_assert_uint_eq(write->percentile[0].share, 0);
    ck_assert_uint_eq(write->percentile[2].share, 999000000);
    ck_assert_int_eq(write->percentile[2].value, 80 * MS);
    sim_scenario_destroy(scenario);
}
END_TEST

#define FAULT(inner)    "faults:\n  f: {where: {regions: [westus]" inner "}\n"
#define ERRORS(share)   FAULT("}, errors: {statuses: {503: 100 %}, share: " share "}")
#define WORKLOAD(inner) "workload:\n  shop: {" inner ", operations: {read: 100 %}}\n"

static const struct {
    const char *service;
    const char *workload;
    const char *rest;
    const char *message; /* the beginning */
} bad_cases[] = {
    {NULL, NULL, ERRORS("{square: {high: 1, period: 1 ms}}"),
     "faults.f.errors.share: 600000 periods until the fault or the run ends; expected at most 50000"},
    {NULL, NULL, ERRORS("{square: {high: 1, period: 1 ms, duty: 0.0000001 %}}"),
     "faults.f.errors.share: the first part of a period is shorter than a nanosecond"},
    {NULL, NULL, ERRORS("{decay: {from: 1}}"), "faults.f.errors.share.decay: missing key \"half_life\""},
    {NULL, NULL, ERRORS("{stair: {from: 1, to: 0, steps: 0, over: 1 s}}"),
     "faults.f.errors.share.stair.steps: found \"0\"; expected a whole number from 1 to 1000"},
    {NULL, NULL, FAULT(", partitions: {list: [3, 20]}}, latency: {add: 1 ms}"),
     "faults.f.where.partitions.list: no workload has partition 20; expected one from 0 to 19"},
    {NULL, NULL, FAULT(", partitions: {list: [3, 3]}}, latency: {add: 1 ms}"),
     "faults.f.where.partitions.list[2]: \"3\" is in the list already"},
    {NULL, NULL, FAULT(", clients: 0 %}, latency: {add: 1 ms}"), "faults.f.where.clients: found \"0 %\""},
    {NULL, NULL, FAULT("}, latency: {round_trips: 0}"),
     "faults.f.latency: does nothing; expected multiply, add or round_trips"},
    {NULL, NULL, FAULT("}, latency: {add: 40 %}"), "faults.f.latency.add: found \"40 %\""},
    {NULL, NULL, FAULT(", zone: {number: 4, of: 3}}, latency: {add: 1 ms}"),
     "faults.f.where.zone: found 4 of 3; expected one from 1 to 3"},
    {NULL, NULL, "faults:\n  f: {where: {regions: all, zone: {number: 1, of: 3}}, latency: {add: 1 ms}}\n",
     "faults.f.where.zone: is one region's; expected one region under regions"},
    {NULL, NULL, FAULT(", front_end: {number: 1, of: 1}}, latency: {add: 1 ms}"),
     "faults.f.where.front_end.of: found \"1\"; expected a whole number from 2 to 1000"},
    {NULL, NULL, "faults:\n  f: {where: {regions: al}, latency: {add: 1 ms}}\n",
     "faults.f.where.regions: found \"al\"; expected a list, such as [a, b], or all"},
    {NULL, NULL, FAULT(", from: [uksouth]}, latency: {add: 1 ms}"),
     "faults.f.where.from: no client is at home in uksouth; expected the home of clients"},
    {NULL, NULL, FAULT(", workloads: [shopp]}, latency: {add: 1 ms}"),
     "faults.f.where.workloads: found \"shopp\"; expected a workload; did you mean \"shop\"?"},
    {NULL, NULL, FAULT(", operations: [account]}, latency: {add: 1 ms}"),
     "faults.f.where.operations: nothing depends on the control plane; expected account_changes"},
    {NULL, NULL, FAULT("}, replication: {add: 1 s}"),
     "faults.f.replication: nothing lags in this scenario; expected it under \"replication\""},
    {NULL, NULL, FAULT("}, loss: {share: 3, retransmit: 1 s}"), "faults.f.loss.share: found \"3\""},
    {NULL, NULL, "faults:\n  f: {again: [1 min], where: {regions: [westus]}, latency: {add: 1 ms}}\n",
     "faults.f.again: what never ends cannot come again; expected until"},
    {NULL, NULL,
     "faults:\n  f: {until: 1 min, again: [2 min, 150 s], where: {regions: [westus]}, latency: {add: 1 ms}}\n",
     "faults.f.again: comes before it has ended; expected at least 3 min"},
    {NULL, NULL, ERRORS("{markov: {high: 1, mean_high: 1 ms, mean_low: 1 ms}}"),
     "faults.f.errors.share: about 300000 times to and fro until the fault or the run ends; expected longer times, for "
     "at most 50000"},
    {NULL, NULL, ERRORS("{markov: {high: 1, mean_high: 1 s}}"),
     "faults.f.errors.share.markov: missing key \"mean_low\""},
    {NULL, NULL, "restarts:\n  r: {at: 1 s, clients: [boston]}\n",
     "restarts.r.clients: found \"boston\"; expected a group of clients"},
    {NULL, WORKLOAD("rate: {step: {0: 0 /s}}, partitions: {count: 1}"), "",
     "workload.shop.rate: no operation ever comes; expected a rate above 0 at some time"},
    {NULL, WORKLOAD("rate: {step: {5 s: 1 /s, 4 s: 2 /s}}, partitions: {count: 1}"), "",
     "workload.shop.rate.step: found 4 s after 5 s; expected instants in rising order"},
    {NULL, WORKLOAD("rate: 1 /s, arrivals: {recorded: nothing}, partitions: {count: 1}"), "",
     "workload.shop.arrivals: the recording \"nothing\" was not found; expected a file data/nothing.csv"},
    {NULL, WORKLOAD("rate: 1 /s, arrivals: {recorded: azure-rtt}, partitions: {count: 1}"), "",
     "expected a header that begins with t_ms"},
    {NULL, WORKLOAD("rate: 1 /s, partitions: {count: 4, pick: {zipf: 0}}"), "",
     "workload.shop.partitions.pick.zipf: found \"0\""},
    {NULL, WORKLOAD("rate: 1 /s, partitions: {count: 4}, gives_up: {share: 5 %}"), "",
     "workload.shop.gives_up: missing key \"after\""},
    {"service: {write: {constant: 1 ms}, read: {percentiles: {50: 9 ms, 99: 8 ms}}}\n", NULL, "",
     "service.read.percentiles: found less than at a lower percentage; expected values that do not fall"},
    {"service: {write: {constant: 1 ms}, read: {percentiles: {50: 9 ms, 100: 10 ms}}}\n", NULL, "",
     "service.read.percentiles: found \"100\"; expected a percentage from 0 to below 100"},
    {"service: {write: {constant: 1 ms}, read: {mixture: [{share: 90 %, of: {constant: 1 ms}}]}}\n", NULL, "",
     "service.read.mixture: the shares do not sum to 100 %"},
    {"service: {write: {constant: 1 ms}, read: {mixture: [{share: 1, of: {mixture: []}}]}}\n", NULL, "",
     "service.read.mixture[1].of: found \"mixture\"; expected one of"},
};

START_TEST(what_cannot_be_is_refused)
{
    sim_input_error error;
    sim_scenario *scenario =
        parse(bad_cases[_i].service != NULL ? bad_cases[_i].service : plain_service,
              bad_cases[_i].workload != NULL ? bad_cases[_i].workload : plain_workload, bad_cases[_i].rest, &error);
    ck_assert_ptr_null(scenario);
    ck_assert_msg(strncmp(error.message, bad_cases[_i].message, strlen(bad_cases[_i].message)) == 0,
                  "found: %s\nexpected: %s", error.message, bad_cases[_i].message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world_fields");
    TCase *all = tcase_create("all");
    tcase_add_test(all, stair_takes_equal_steps);
    tcase_add_test(all, square_is_high_first_and_ends_with_the_fault);
    tcase_add_test(all, decay_is_exact_at_half_lives_and_close_between);
    tcase_add_test(all, pieces_follow_each_other_with_jumps);
    tcase_add_test(all, powers_and_logarithms_are_those_of_libm);
    tcase_add_test(all, scopes_and_effects_reach_the_fault);
    tcase_add_test(all, order_of_a_list_of_partitions_changes_nothing);
    tcase_add_test(all, rates_over_time_have_their_mean);
    tcase_add_test(all, zipf_weights_follow_the_law_and_sum_to_one);
    tcase_add_test(all, recorded_arrivals_are_stretched_to_one_a_unit);
    tcase_add_test(all, distributions_put_together_from_others);
    tcase_add_loop_test(all, what_cannot_be_is_refused, 0, sizeof bad_cases / sizeof *bad_cases);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
