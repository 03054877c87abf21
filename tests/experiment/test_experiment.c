/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stage around the runs: estimates, expectations, traffic. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/expect.h"
#include "experiment/outcome.h"
#include "experiment/traffic.h"
#include "fixture.h"

/* ---- estimates and expectations ---- */

static char path[300];
static sim_store_plan plan;
static sim_outcome *outcome;

/* Two of three replications of policy 0 are finished, none of policy 1. */
static void enter(void)
{
    static fixture_run run;
    const char *temporary = getenv("TMPDIR");
    sim_store_error error;
    (void)snprintf(path, sizeof path, "%s/experiment-%ld.db", temporary == NULL ? "/tmp" : temporary, (long)getpid());
    plan = fixture_plan(FIXTURE_REPLICATIONS);
    sim_store *store = sim_store_create(path, false, &plan, &error);
    ck_assert_msg(store != NULL, "%s", error.message);
    for (uint32_t r = 0; r < 2; r++) {
        fixture_run_make(&run, &plan, 0, 0, r);
        run.metric[SIM_METRIC_flap_count].value = r == 0 ? 2 : 5;
        run.metric[SIM_METRIC_detection_time_p50].is_null = r == 0;
        run.metric[SIM_METRIC_detection_time_p50].value = 30;
        run.metric[SIM_METRIC_failback_lag_p50] =
            (sim_metric_value){.value = 10 + 20 * r, .samples = 3, .is_null = r == 1, .is_censored = r == 1};
        ck_assert_msg(sim_store_write_run(store, &run.run, &error), "%s", error.message);
    }
    outcome = sim_outcome_read(store, &plan, &error);
    ck_assert_msg(outcome != NULL, "%s", error.message);
    sim_store_close(store);
}

static void leave(void)
{
    sim_outcome_destroy(outcome);
    (void)unlink(path);
}

START_TEST(an_estimate_is_the_mean_of_the_runs_that_have_a_value)
{
    const sim_metric_value flaps = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_flap_count);
    ck_assert(!flaps.is_null);
    ck_assert_double_eq(flaps.value, 3.5);
    ck_assert_uint_eq(flaps.samples, 2);
    const sim_metric_value detection = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_detection_time_p50);
    ck_assert_double_eq(detection.value, 30);
    ck_assert_uint_eq(detection.samples, 1);
    const sim_metric_value rate = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_flap_rate);
    ck_assert(rate.is_null);
    ck_assert(!rate.is_censored);
    const sim_metric_value nobody = sim_outcome_estimate(outcome, 0, 1, 0, SIM_METRIC_flap_count);
    ck_assert(nobody.is_null);
    ck_assert_uint_eq(nobody.samples, 0);
}
END_TEST

START_TEST(a_censored_run_makes_the_mean_a_lower_bound)
{
    const sim_metric_value lag = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_failback_lag_p50);
    ck_assert(lag.is_null);
    ck_assert(lag.is_censored);
    ck_assert_double_eq(lag.value, 20);
}
END_TEST

START_TEST(percentiles_come_from_merged_histograms)
{
    /* Run 1 holds 1..100 ms and run 2 the even 2..200 ms; `all` has a failure of 3 s in each besides. */
    sim_histogram merged;
    sim_histogram_clear(&merged);
    for (int64_t n = 1; n <= 100; n++) {
        fixture_record(&merged, n * RGN_NS_PER_MS);
        fixture_record(&merged, 2 * n * RGN_NS_PER_MS);
    }
    const sim_metric_value ok = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_latency_ok_p90);
    ck_assert_double_eq(ok.value, (double)sim_histogram_quantile(&merged, 900000));
    const sim_metric_value longest_ok = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_latency_ok_max);
    ck_assert_double_eq(longest_ok.value, 200e6);
    const sim_metric_value longest = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_latency_max);
    ck_assert_double_eq(longest.value, 3e9);
    fixture_record(&merged, 3 * RGN_NS_PER_S);
    fixture_record(&merged, 3 * RGN_NS_PER_S);
    const sim_metric_value all = sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_latency_p95);
    ck_assert_double_eq(all.value, (double)sim_histogram_quantile(&merged, 950000));
    /* 202 operations are too few for a p99. */
    ck_assert(sim_outcome_estimate(outcome, 0, 0, 0, SIM_METRIC_latency_p99).is_null);
    ck_assert(sim_outcome_estimate(outcome, 0, 1, 0, SIM_METRIC_latency_ok_p50).is_null);
}
END_TEST

typedef struct {
    const char *metric;
    const char *phase;
    sim_expect_type type;
    double limit;
    sim_expect_verdict verdict;
} expected;

/* flap_count is exactly 3.5, failback_lag_p50 is more than 20, flap_rate has no data. */
static const expected EXPECTED[] = {
    {"flap_count", "all", SIM_EXPECT_AT_MOST, 3.5, SIM_EXPECT_HOLDS},
    {"flap_count", "all", SIM_EXPECT_AT_MOST, 3.4999, SIM_EXPECT_FAILS},
    {"flap_count", "all", SIM_EXPECT_AT_LEAST, 3.5, SIM_EXPECT_HOLDS},
    {"flap_count", "all", SIM_EXPECT_AT_LEAST, 3.5001, SIM_EXPECT_FAILS},
    {"flap_count", "all", SIM_EXPECT_EQUALS, 3.5, SIM_EXPECT_HOLDS},
    {"flap_count", "all", SIM_EXPECT_EQUALS, 3.5001, SIM_EXPECT_FAILS},
    {"failback_lag_p50", "all", SIM_EXPECT_AT_MOST, 20, SIM_EXPECT_FAILS},
    {"failback_lag_p50", "all", SIM_EXPECT_AT_MOST, 20.5, SIM_EXPECT_UNKNOWN},
    {"failback_lag_p50", "all", SIM_EXPECT_AT_LEAST, 20, SIM_EXPECT_HOLDS},
    {"failback_lag_p50", "all", SIM_EXPECT_AT_LEAST, 20.5, SIM_EXPECT_UNKNOWN},
    {"failback_lag_p50", "all", SIM_EXPECT_EQUALS, 20, SIM_EXPECT_FAILS},
    {"failback_lag_p50", "all", SIM_EXPECT_EQUALS, 20.5, SIM_EXPECT_UNKNOWN},
    {"flap_rate", "all", SIM_EXPECT_AT_MOST, 1, SIM_EXPECT_UNKNOWN},
    {"flap_rate", "after", SIM_EXPECT_AT_LEAST, 1, SIM_EXPECT_HOLDS},
    {"flap_count", "nowhen", SIM_EXPECT_AT_MOST, 9, SIM_EXPECT_UNKNOWN},
};

START_TEST(an_expectation_is_judged_at_its_limit)
{
    const expected *row = &EXPECTED[_i];
    const sim_expectation expectation = {
        .metric = row->metric, .phase = row->phase, .type = row->type, .limit = row->limit};
    sim_metric_value estimate;
    ck_assert_int_eq(sim_expectation_check(outcome, 0, 0, &expectation, &estimate), row->verdict);
}
END_TEST

START_TEST(a_scenario_that_names_an_unknown_metric_is_refused_at_its_place)
{
    static const char text[] = "regionsim: 1\n"
                               "scenario: x\n"
                               "duration: 1 min\n"
                               "account: {regions: [westus]}\n"
                               "network: {round_trip: none}\n"
                               "service: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"
                               "clients: {a: {home: westus, preferred: [westus]}}\n"
                               "workload: {w: {rate: 1 /s, partitions: {count: 1}, operations: {read: 100 %}}}\n"
                               "objectives: [flap_count, latency_p99]\n"
                               "expect:\n"
                               "  - {metric: flap_count, at_most: 1}\n"
                               "  - {metric: flap_cuont, at_most: 1}\n";
    sim_input_error error;
    const sim_setting objectives = {"scenario.objectives", "[flap_count, latncy_p99]"};
    const sim_setting expect = {"scenario.expect", "[{metric: flap_count, at_most: 1}]"};
    const sim_setting both[] = {objectives, expect};
    sim_scenario *scenario = sim_scenario_parse("x.yaml", text, sizeof text - 1, NULL, 0, &error);
    ck_assert(!sim_scenario_metrics_exist(scenario, &error));
    ck_assert_str_eq(error.path, "x.yaml");
    ck_assert_int_eq(error.line, 12);
    ck_assert_int_eq(error.column, 14);
    ck_assert_str_eq(error.message, "expect[2].metric: unknown metric \"flap_cuont\"; did you mean \"flap_count\"?");
    sim_scenario_destroy(scenario);
    scenario = sim_scenario_parse("x.yaml", text, sizeof text - 1, both, 2, &error);
    ck_assert(!sim_scenario_metrics_exist(scenario, &error));
    ck_assert_str_eq(error.message, "--set scenario.objectives=\"[flap_count, latncy_p99]\": objectives[2]: unknown "
                                    "metric \"latncy_p99\"; did you mean \"latency_p99\"?");
    sim_scenario_destroy(scenario);
    scenario = sim_scenario_parse("x.yaml", text, sizeof text - 1, &expect, 1, &error);
    ck_assert(sim_scenario_metrics_exist(scenario, &error));
    sim_scenario_destroy(scenario);
}
END_TEST

static const struct {
    const char *limit;   /* in line 10 */
    const char *message; /* NULL: it is fine */
} LIMITS[] = {
    {"latency_p99, at_most: 10 s", NULL},
    {"latency_p99, at_most: 0", NULL},
    {"latency_p99, at_most: 10 %",
     "expect[1].at_most: found \"10 %\"; expected a duration such as \"50 ms\" for latency_p99"},
    {"latency_p99, equals: 10",
     "expect[1].equals: found \"10\"; expected a duration such as \"50 ms\" for latency_p99"},
    {"availability, at_least: 100 %", NULL},
    {"availability, at_least: 0.99", NULL},
    {"availability, at_least: 100.000001 %",
     "expect[1].at_least: found \"100.000001 %\"; expected a share from \"0 %\" to \"100 %\" for availability"},
    {"availability, at_least: 99",
     "expect[1].at_least: found \"99\"; expected a share from \"0 %\" to \"100 %\" for availability"},
    {"availability, at_least: 0 s",
     "expect[1].at_least: found \"0 s\"; expected a share from \"0 %\" to \"100 %\" for availability"},
    {"requests, at_most: 10", NULL},
    {"requests, at_most: 10 s",
     "expect[1].at_most: found \"10 s\"; expected a number of operations such as 8 for requests"},
    {"away_healthy_s, at_most: 36000", NULL},
    {"away_healthy_s, at_most: 10 h",
     "expect[1].at_most: found \"10 h\"; expected a number of pair-seconds such as 8 for away_healthy_s"},
    {"load_amplification, at_most: 1.05", NULL},
    {"load_amplification, at_most: 105 %",
     "expect[1].at_most: found \"105 %\"; expected a number such as 1.5 for load_amplification"},
};

START_TEST(a_limit_is_written_as_its_metric_is_measured)
{
    char text[1024];
    sim_input_error error = {0};
    const int length = snprintf(text, sizeof text,
                                "regionsim: 1\nscenario: x\nduration: 1 min\naccount: {regions: [westus]}\n"
                                "network: {round_trip: none}\n"
                                "service: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"
                                "clients: {a: {home: westus, preferred: [westus]}}\n"
                                "workload: {w: {rate: 1 /s, partitions: {count: 1}, operations: {read: 100 %%}}}\n"
                                "expect:\n  - {metric: %s}\n",
                                LIMITS[_i].limit);
    sim_scenario *scenario = sim_scenario_parse("x.yaml", text, (size_t)length, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    ck_assert(sim_scenario_metrics_exist(scenario, &error) == (LIMITS[_i].message == NULL));
    ck_assert_str_eq(error.message, LIMITS[_i].message == NULL ? "" : LIMITS[_i].message);
    ck_assert_int_eq(error.line, LIMITS[_i].message == NULL ? 0 : 10);
    sim_scenario_destroy(scenario);
}
END_TEST

/* ---- a fleet in the making ---- */

typedef struct {
    unsigned asked;
    unsigned until;
} asker;

static bool go_on(void *context, int64_t now)
{
    asker *self = context;
    ck_assert_int_eq(now, 0);
    return ++self->asked < self->until;
}

START_TEST(a_run_can_be_stopped_while_its_fleet_is_made)
{
    static const char text[] = "regionsim: 1\nscenario: x\nduration: 1 s\naccount: {regions: [westus]}\n"
                               "network: {round_trip: none, local: 1 ms}\n"
                               "service: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"
                               "clients: {a: {home: westus, preferred: [westus], count: 300},\n"
                               "          b: {home: westus, preferred: [westus], count: 700}}\n"
                               "workload: {w: {rate: 1 /s, partitions: {count: 1}, operations: {read: 100 %}}}\n";
    sim_input_error error;
    sim_scenario *scenario = sim_scenario_parse("x.yaml", text, sizeof text - 1, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    const sim_luck luck = {1, 0};
    rgn_effective_options options = {0};
    rgn_options_default(&options.values);
    for (unsigned until = 1; until <= 5; until++) {
        asker self = {0, until};
        sim_run_output output;
        const char *what = NULL;
        sim_world_run *world_run = sim_world_run_create(world, &luck);
        const sim_run_input input = {.scenario = scenario,
                                     .world = world,
                                     .router_options = &options,
                                     .workload_options = &options,
                                     .luck = luck,
                                     .world_run = world_run,
                                     .on_progress = go_on,
                                     .progress_context = &self};
        /* 1000 clients: asked before the first, the 257th, the 513th and the 769th, and not again in so short a run. */
        ck_assert_int_eq(sim_run(&input, &output, &what), until <= 4 ? SIM_RUN_INTERRUPTED : SIM_RUN_OK);
        ck_assert_uint_eq(self.asked, until <= 4 ? until : 4);
        sim_run_output_deinit(&output);
        sim_world_run_destroy(world_run);
    }
    sim_world_destroy(world);
    sim_scenario_destroy(scenario);
}
END_TEST

/* ---- traffic ---- */

START_TEST(traffic_tells_what_a_policy_can_find_out)
{
    /* 100 /s over 2 clients × 10 partitions: 5 /s a pair, 10 % canaries: 30 in a window of 60 s. */
    const sim_scenario scenario = {.duration = 600 * RGN_NS_PER_S};
    const sim_workload workload = {.rate_mhz = 100000,
                                   .clients = 2,
                                   .partition_count = 10,
                                   .kind_share = {800000000, 200000000},
                                   .deadline = 3 * RGN_NS_PER_S};
    rgn_options options;
    rgn_options_default(&options);
    sim_traffic traffic = sim_traffic_of(&scenario, &workload, &options);
    ck_assert_double_eq(traffic.operations, 60000);
    ck_assert_double_eq(traffic.rate_per_pair, 5);
    ck_assert_double_eq_tol(traffic.canaries_per_window, 30, 1e-9);
    ck_assert_double_eq_tol(traffic.trip_s[SIM_KIND_READ], 2.5, 1e-9);
    ck_assert_double_eq_tol(traffic.trip_s[SIM_KIND_WRITE], 5, 1e-9);
    ck_assert(!traffic.cannot_decide);
    ck_assert(!traffic.hang_bias);
    ck_assert(traffic.sweep_dominates);

    options.failback_promote = RGN_PROMOTE_DUE;
    options.failback_min_sample = 31;
    traffic = sim_traffic_of(&scenario, &workload, &options);
    ck_assert(traffic.cannot_decide);
    ck_assert(!traffic.sweep_dominates);
    options.failback_low_traffic_windows = 1;
    ck_assert(!sim_traffic_of(&scenario, &workload, &options).cannot_decide);
    /* ln(0.99 / 0.01) / ln(0.90 / 0.50) = 7.82 successes */
    options.failback_decide = RGN_DECIDE_SEQUENTIAL;
    ck_assert_double_eq(sim_traffic_of(&scenario, &workload, &options).sample, 8);
    options.failback_decide = RGN_DECIDE_EVERY;

    /* A canary hangs for half the deadline, 1.5 s: 0.75 others end meanwhile. */
    options.failback_min_sample = 1;
    ck_assert(!sim_traffic_of(&scenario, &workload, &options).hang_bias);
    options.failback_canary_timeout = 2 * RGN_NS_PER_S;
    ck_assert(sim_traffic_of(&scenario, &workload, &options).hang_bias);
    options.failback_pending = RGN_PENDING_COUNTED;
    ck_assert(!sim_traffic_of(&scenario, &workload, &options).hang_bias);

    options.failback_strategy = RGN_STRATEGY_PROBE;
    options.failback_min_sample = 31;
    options.failback_low_traffic_windows = 0;
    ck_assert(!sim_traffic_of(&scenario, &workload, &options).cannot_decide);
    options.breaker_enabled = 0;
    traffic = sim_traffic_of(&scenario, &workload, &options);
    ck_assert_double_lt(traffic.trip_s[SIM_KIND_READ], 0);
    ck_assert(!traffic.sweep_dominates);
}
END_TEST

/* ---- how long a fault takes to trip a pair ---- */

static const sim_error UNAVAILABLE = {.status = 503, .share = SIM_SHARE_ONE};
static const sim_error REFUSED = {.type = SIM_ERROR_REFUSED, .share = SIM_SHARE_ONE};
static const sim_error SILENT = {.type = SIM_ERROR_NO_REPLY, .share = SIM_SHARE_ONE};
static const sim_error THROTTLED = {.status = 429, .share = SIM_SHARE_ONE};

static const struct {
    const sim_error *error;
    int64_t share; /* ppb, highest of the fault */
    int rule;
    int64_t deadline;
    double trip_s; /* of 4 reads a second: ten failures */
} TRIPS[] = {
    {&UNAVAILABLE, SIM_SHARE_ONE, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, 2.5},
    {&UNAVAILABLE, SIM_SHARE_ONE / 2, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, 5},
    {&UNAVAILABLE, 0, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, -1},
    /* One failure in 299 s, and one in 301 s, which is beyond the window of 300 s. */
    {&UNAVAILABLE, 836121, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, 2990},
    {&UNAVAILABLE, 830564, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, -1},
    {&UNAVAILABLE, SIM_SHARE_ONE, RGN_RULE_CONSECUTIVE, 3 * RGN_NS_PER_S, 2.5},
    {&UNAVAILABLE, SIM_SHARE_ONE / 2, RGN_RULE_CONSECUTIVE, 3 * RGN_NS_PER_S, 2046 / 4.0},
    {&UNAVAILABLE, SIM_SHARE_ONE / 10 * 9, RGN_RULE_SHARE, 3 * RGN_NS_PER_S, 10 / 0.9 / 4},
    {&UNAVAILABLE, SIM_SHARE_ONE / 10 * 9 - 1, RGN_RULE_SHARE, 3 * RGN_NS_PER_S, -1},
    {&REFUSED, SIM_SHARE_ONE, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, -1},
    {&THROTTLED, SIM_SHARE_ONE, RGN_RULE_WINDOWED, 3 * RGN_NS_PER_S, -1},
    {&SILENT, SIM_SHARE_ONE, RGN_RULE_WINDOWED, 6 * RGN_NS_PER_S, -1},
    {&SILENT, SIM_SHARE_ONE, RGN_RULE_WINDOWED, 6 * RGN_NS_PER_S + 1, 2.5 + 6},
};

START_TEST(a_fault_trips_by_what_the_breaker_counts_of_it)
{
    const sim_workload workload = {.rate_mhz = 100000,
                                   .clients = 2,
                                   .partition_count = 10,
                                   .kind_share = {800000000, 200000000},
                                   .deadline = TRIPS[_i].deadline};
    const sim_point points[] = {{0, 0}, {1, TRIPS[_i].share}, {2, TRIPS[_i].share / 2}};
    sim_fault fault = {.kinds = 1 << SIM_KIND_READ,
                       .error_count = 1,
                       .error = TRIPS[_i].error,
                       .error_share = {SIM_SHAPE_STEP, 3, points}};
    rgn_options options;
    rgn_options_default(&options);
    options.breaker_rule = TRIPS[_i].rule;
    ck_assert_double_eq_tol(sim_traffic_error_share(&fault), (double)TRIPS[_i].share / 1e9, 1e-12);
    ck_assert_double_eq_tol(sim_traffic_trip_under(&workload, &options, &fault, SIM_KIND_READ), TRIPS[_i].trip_s, 0.01);
    ck_assert_double_eq(sim_traffic_trip_under(&workload, &options, &fault, SIM_KIND_WRITE), -1);
    options.breaker_enabled = 0;
    ck_assert_double_eq(sim_traffic_trip_under(&workload, &options, &fault, SIM_KIND_READ), -1);
    fault.zone = (sim_part){.number = 1, .of = 4};
    fault.zone_of_replicas = true; /* a quarter of each partition's attempts */
    ck_assert_double_eq_tol(sim_traffic_error_share(&fault), (double)TRIPS[_i].share / 4e9, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment");
    TCase *estimates = tcase_create("outcome");
    tcase_add_checked_fixture(estimates, enter, leave);
    tcase_add_test(estimates, an_estimate_is_the_mean_of_the_runs_that_have_a_value);
    tcase_add_test(estimates, a_censored_run_makes_the_mean_a_lower_bound);
    tcase_add_test(estimates, percentiles_come_from_merged_histograms);
    tcase_add_loop_test(estimates, an_expectation_is_judged_at_its_limit, 0, (int)(sizeof EXPECTED / sizeof *EXPECTED));
    suite_add_tcase(suite, estimates);
    TCase *files = tcase_create("files");
    tcase_add_test(files, a_scenario_that_names_an_unknown_metric_is_refused_at_its_place);
    tcase_add_loop_test(files, a_limit_is_written_as_its_metric_is_measured, 0, (int)(sizeof LIMITS / sizeof *LIMITS));
    tcase_add_test(files, a_run_can_be_stopped_while_its_fleet_is_made);
    tcase_add_test(files, traffic_tells_what_a_policy_can_find_out);
    tcase_add_loop_test(files, a_fault_trips_by_what_the_breaker_counts_of_it, 0, (int)(sizeof TRIPS / sizeof *TRIPS));
    suite_add_tcase(suite, files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
