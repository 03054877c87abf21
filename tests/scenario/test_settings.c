/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `--set` on scenarios and policies; policies on top of each other. */
#include "files.h"

#define SECOND   INT64_C(1000000000)
#define MINUTE   (60 * SECOND)
#define POLICIES SOURCE_ROOT "/scenarios/policies/"

START_TEST(a_setting_takes_the_place_of_the_files_value)
{
    static const sim_setting settings[] = {
        {"scenario.duration", "20 min"},
        {"scenario.workload.shop.rate", "7 /s"},
        {"scenario.workload.shop.rate", "8 /s"}, /* the last one counts */
        {"scenario.workload.shop.partitions.pick.hot", "{0: 70 %}"},
        {"scenario.service.read.exponential.mean", "3 ms"}, /* another distribution takes the constant's place */
        {"scenario.fleet.start_spread", "0"},
        {"scenario.faults", "{down: {where: {regions: [westus]}, latency: {multiply: 2}}}"},
        {"scenario.workload.shop.options.retry.request_timeout", "1 s"},
        {"failback.min_sample", "5"}, /* the policies' */
    };
    sim_scenario *s = parse_or_fail(MINIMAL, settings, sizeof settings / sizeof *settings);
    ck_assert_int_eq(s->duration, 20 * MINUTE);
    ck_assert_int_eq(s->workload[0].rate_mhz, 8000);
    ck_assert_uint_eq(s->workload[0].partition_weight[0], 700000000);
    ck_assert_int_eq(s->service[SIM_KIND_READ].type, SIM_DIST_EXPONENTIAL);
    ck_assert_int_eq(s->service[SIM_KIND_READ].a, 3000000);
    ck_assert_int_eq(s->start_spread, 0);
    ck_assert_uint_eq(s->fault_count, 1);
    ck_assert_int_eq(s->workload[0].options.values.retry_request_timeout, SECOND);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(a_bad_setting_names_itself_and_what_would_be_right)
{
    static const struct {
        sim_setting setting;
        const char *message;
    } cases[] = {
        {{"scenario.duraton", "1 min"},
         "--set scenario.duraton=\"1 min\": unknown key \"duraton\"; did you mean \"duration\"?"},
        {{"scenario.duration", "5"},
         "--set scenario.duration=\"5\": duration: found \"5\" without a unit; expected a duration from 1 ms to "
         "8760 h, with a unit (ns, us, ms, s, min, h), such as \"90 s\""},
        {{"scenario.duration", ""},
         "--set scenario.duration=\"\": duration: found nothing; expected a duration from 1 ms to 8760 h, with a unit "
         "(ns, us, ms, s, min, h), such as \"90 s\""},
        {{"scenario.duration.long", "5 s"}, "--set scenario.duration.long=\"5 s\": \"duration\" has no part \"long\""},
        {{"scenario.workload.shpo.rate", "5 /s"},
         "--set scenario.workload.shpo.rate=\"5 /s\": unknown key \"shpo\"; did you mean \"shop\"?"},
        {{"scenario.workload.shop.colour", "red"},
         "--set scenario.workload.shop.colour=\"red\": unknown key \"colour\"; expected one of rate, arrivals, "
         "clients, partitions, operations, partition_known, deadline, gives_up, options"},
        {{"scenario.account.regions", "[westus"},
         "--set scenario.account.regions=\"[westus\": not valid YAML: did not find expected ',' or ']' (while parsing "
         "a flow sequence that begins in line 1)"},
        {{"scenario.", "1"}, "--set scenario.=\"1\": expected a path such as scenario.duration"},
        {{"scenario.workload.shop.options.retry.request_timeot", "1 s"},
         "--set scenario.workload.shop.options.retry.request_timeot=\"1 s\": workload.shop.options.retry: unknown key "
         "\"request_timeot\"; did you mean \"request_timeout\"?"},
        {{"scenario.workload.shop", "{rate: 1 /s}"},
         "--set scenario.workload.shop=\"{rate: 1 /s}\": workload.shop: missing key \"partitions\" (the collection's "
         "partitions)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_input_error error;
        ck_assert_ptr_null(sim_scenario_parse("test.yaml", MINIMAL, strlen(MINIMAL), &cases[i].setting, 1, &error));
        ck_assert_str_eq(error.message, cases[i].message);
        ck_assert_str_eq(error.path, "");
        ck_assert_int_eq(error.line, 0);
    }
}
END_TEST

static sim_policy *policy_or_fail(const char *path_or_name, const char *near, const sim_setting *settings, size_t count)
{
    sim_input_error error;
    sim_policy *policy = sim_policy_load(path_or_name, near, settings, count, &error);
    ck_assert_msg(policy != NULL, "%s:%d: %s", error.path, error.line, error.message);
    return policy;
}

static size_t count_set(const sim_policy *policy)
{
    size_t count = 0;
    for (int id = 0; id < RGN_KNOB_COUNT; id++)
        count += policy->options.is_set[id];
    return count;
}

START_TEST(the_default_policy_sets_nothing)
{
    sim_policy *policy = policy_or_fail("success-rate", FLAGSHIP, NULL, 0);
    ck_assert_str_eq(policy->name, "success-rate");
    ck_assert_str_eq(policy->path, POLICIES "success-rate.yaml");
    ck_assert_uint_eq(count_set(policy), 0);
    sim_policy_destroy(policy);
}
END_TEST

START_TEST(a_policy_stands_on_those_it_is_based_on)
{
    sim_policy *policy = policy_or_fail(POLICIES "success-rate-safe.yaml", NULL, NULL, 0);
    ck_assert_uint_eq(count_set(policy), 6);
    ck_assert_int_eq(policy->options.values.failback_promote, RGN_PROMOTE_DUE); /* the base's */
    ck_assert_int_eq(policy->options.values.failback_dwell_from, RGN_DWELL_TRIP);
    ck_assert_int_eq(policy->options.values.failback_pending, RGN_PENDING_COUNTED);
    ck_assert_int_eq(policy->options.values.breaker_alternate_failures, 10);
    ck_assert_int_eq(policy->options.values.failback_hedge_trip_evidence, RGN_EVIDENCE_BY_STATUS_AND_LATENCY);
    ck_assert_int_eq(policy->options.values.hedging_secondary, RGN_SECONDARY_UNTRIPPED);
    sim_policy_destroy(policy);
}
END_TEST

START_TEST(the_shipped_drivers_quirks_are_all_there)
{
    sim_policy *policy = policy_or_fail("shipped-rust", FLAGSHIP, NULL, 0);
    const rgn_options *o = &policy->options.values;
    ck_assert_uint_eq(count_set(policy), 27);
    ck_assert_int_eq(o->breaker_tally, RGN_TALLY_SHARED);
    ck_assert_int_eq(o->breaker_untripped_entries, RGN_UNTRIPPED_KEEP);
    ck_assert_int_eq(o->failback_strategy, RGN_STRATEGY_PROBE);
    ck_assert_int_eq(o->failback_probe_admission, RGN_PROBE_ALL);
    ck_assert_int_eq(o->failback_failed_probe, RGN_FAILED_PROBE_UNTRIP);
    ck_assert_int_eq(o->routing_rules, RGN_ROUTING_DRIVER);
    ck_assert_int_eq(o->endpoint_aged_mark, RGN_AGED_MARK_RELEASE);
    ck_assert_int_eq(o->retry_exhausted_failures, RGN_EXHAUSTED_IGNORE);
    ck_assert_int_eq(o->retry_busy_region, RGN_BUSY_BACK_OFF);
    ck_assert_int_eq(o->hedging_refused_hub, RGN_REFUSED_HUB_FINAL);
    ck_assert_int_eq(o->hedging_account_not_found, RGN_NOT_FOUND_TRANSIENT);
    ck_assert_int_eq(o->hedging_early_final, RGN_EARLY_FINAL_RETURN);
    ck_assert_int_eq(o->hedging_both_transient, RGN_BOTH_TRANSIENT_TWO_FAILOVERS);
    ck_assert_int_eq(o->hedging_exhausted_race, RGN_EXHAUSTED_RACE_UNAVAILABLE);
    ck_assert_int_eq(o->hedging_session_race, RGN_SESSION_RACE_PREFERRED);
    ck_assert_int_eq(o->hedging_metadata_error, RGN_METADATA_ERROR_TRANSIENT);
    ck_assert_int_eq(o->hedging_operations, RGN_HEDGED_POINT_READS_AND_METADATA);
    ck_assert_int_eq(o->hedging_preferred_regions, RGN_PREFERRED_REGIONS_ANY);
    ck_assert_int_eq(o->hedging_budget_metadata, 32);
    ck_assert_int_eq(o->hedging_later_race, RGN_LATER_RACE_FUNDED);
    ck_assert_int_eq(o->hedging_primary_hub, RGN_PRIMARY_HUB_OMIT);
    ck_assert_int_eq(o->retry_max_metadata_throttle_retry_count, 9);
    ck_assert_int_eq(o->retry_max_metadata_throttle_wait, 30 * RGN_NS_PER_S);
    ck_assert_int_eq(o->retry_max_metadata_throttle_delay, 5 * RGN_NS_PER_S);
    sim_policy_destroy(policy);
    policy = policy_or_fail("spec-probe", FLAGSHIP, NULL, 0);
    ck_assert_int_eq(policy->options.values.failback_strategy, RGN_STRATEGY_PROBE);
    ck_assert_int_eq(policy->options.values.failback_probe_admission, RGN_PROBE_ONE);
    sim_policy_destroy(policy);
}
END_TEST

/* The policy's value, or the default. */
static int64_t value_of(const sim_policy *policy, rgn_knob_id knob)
{
    return policy->options.is_set[knob] ? rgn_options_get(&policy->options.values, knob) : rgn_knob_at(knob)->initial;
}

/* What the two clients are known to do differently, row by row. */
START_TEST(the_peers_differ_where_they_are_known_to)
{
#define ROW(knob, dotnet, java)              \
    {                                        \
        RGN_KNOB_##knob, dotnet, java, #knob \
    }
    static const struct {
        rgn_knob_id knob;
        int64_t dotnet, java;
        const char *name;
    } rows[] = {
        ROW(failover_cut_writes, 6, 11),
        ROW(failover_cut_window, 300 * RGN_NS_PER_S, 60 * RGN_NS_PER_S),
        ROW(failover_cut_window_from, RGN_CUT_WINDOW_LAST, RGN_CUT_WINDOW_FIRST),
        ROW(hedging_threshold, RGN_AUTO, 500 * RGN_NS_PER_MS),
        ROW(hedging_early_transient, RGN_EARLY_LAUNCH, RGN_EARLY_RETRY),
        ROW(hedging_primary_failure, RGN_PRIMARY_FAILURE_TRANSIENT, RGN_PRIMARY_FAILURE_FINAL),
        ROW(hedging_threshold_step, 500 * RGN_NS_PER_MS, 100 * RGN_NS_PER_MS),
        ROW(hedging_leg_exclusions, RGN_LEG_EXCLUSIONS_REPLACE, RGN_LEG_EXCLUSIONS_UNION),
        ROW(hedging_both_transient, RGN_BOTH_TRANSIENT_END, RGN_BOTH_TRANSIENT_ATTEMPT),
        ROW(breaker_cut_legs, RGN_CUT_LEGS_COUNT, RGN_CUT_LEGS_LOST_PRIMARY),
        ROW(breaker_tally, RGN_TALLY_SHARED, RGN_TALLY_PER_REGION),
        ROW(breaker_rule, RGN_RULE_WINDOWED, RGN_RULE_CONSECUTIVE),
        ROW(breaker_read_failure_threshold, 11, 10),
        ROW(breaker_write_failure_threshold, 6, 5),
        ROW(breaker_health, RGN_HEALTH_PARTITION, RGN_HEALTH_REGION),
        ROW(breaker_counted, RGN_COUNTED_DOTNET, RGN_COUNTED_JAVA),
        ROW(breaker_automatic_failover, RGN_FAILOVER_FOLLOW, RGN_FAILOVER_LATCH),
        ROW(failback_strategy, RGN_STRATEGY_AT_ONCE, RGN_STRATEGY_TENTATIVE),
        ROW(failback_sweep_interval, 300 * RGN_NS_PER_S, 60 * RGN_NS_PER_S),
        ROW(failback_request_recovery, RGN_TIME_NEVER, 30 * RGN_NS_PER_S),
        ROW(routing_rules, RGN_ROUTING_DRIVER, RGN_ROUTING_JAVA),
        ROW(retry_max_failover_retry_count, 1, 2),
        ROW(gateway_absent, RGN_GATEWAY_ABSENT_KEEPS, RGN_GATEWAY_ABSENT_ALLOWS),
        ROW(gateway_activation, RGN_ACTIVATION_ALWAYS, RGN_ACTIVATION_WITH_FAILOVER),
        ROW(gateway_enforcement, RGN_GATEWAY_STASHES, RGN_GATEWAY_MASKS),
    };
#undef ROW
    sim_policy *dotnet = policy_or_fail("dotnet", FLAGSHIP, NULL, 0);
    sim_policy *java = policy_or_fail("java", FLAGSHIP, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_msg(rows[i].dotnet != rows[i].java, "%s", rows[i].name);
        ck_assert_msg(value_of(dotnet, rows[i].knob) == rows[i].dotnet, "dotnet: %s", rows[i].name);
        ck_assert_msg(value_of(java, rows[i].knob) == rows[i].java, "java: %s", rows[i].name);
    }
    ck_assert_int_eq(dotnet->options.values.failback_promote_on, RGN_PROMOTE_ON_CONNECTION); /* both ask for one */
    ck_assert_int_eq(java->options.values.failback_promote_on, RGN_PROMOTE_ON_CONNECTION);
    ck_assert_int_eq(dotnet->options.values.hedging_max_alternates, 7); /* and go on to the last region */
    ck_assert_int_eq(java->options.values.hedging_max_alternates, 7);
    ck_assert_int_eq(dotnet->options.values.hedging_writes, 0); /* both hedge writes only where asked to */
    ck_assert_int_eq(java->options.values.hedging_writes, 0);
    sim_policy_destroy(dotnet);
    sim_policy_destroy(java);
}
END_TEST

START_TEST(settings_beat_the_whole_chain)
{
    static const sim_setting settings[] = {
        {"failback.promote", "sweep"},
        {"failback.success_threshold", "0.95"},
        {"scenario.duration", "nonsense"}, /* the scenario's */
        {"failback.canary_percentage", "20 %"},
    };
    sim_policy *policy = policy_or_fail("success-rate-due", FLAGSHIP, settings, 4);
    ck_assert_uint_eq(count_set(policy), 3);
    ck_assert_int_eq(policy->options.values.failback_promote, RGN_PROMOTE_SWEEP);
    ck_assert_int_eq(policy->options.values.failback_success_threshold, 950000);
    ck_assert_int_eq(policy->options.values.failback_canary_percentage, 20);
    sim_policy_destroy(policy);
}
END_TEST

START_TEST(a_bad_policy_setting_names_itself_and_what_would_be_right)
{
    static const struct {
        sim_setting setting;
        const char *message;
    } cases[] = {
        {{"failback.min_sampel", "5"},
         "--set failback.min_sampel=\"5\": unknown option; expected a policy's option or scenario.<path>; did you "
         "mean \"failback.min_sample\"?"},
        {{"failback.min_sample", "0"},
         "--set failback.min_sample=\"0\": failback.min_sample: found \"0\"; expected a whole number from 1 to "
         "2147483647"},
        {{"failback.retrip_floor", "91 %"},
         "--set failback.retrip_floor=\"91 %\": failback.retrip_floor is 91 %; expected at most "
         "failback.success_threshold, which is 90 %"},
        {{"hedging.threshold", "0"},
         "--set hedging.threshold=\"0\": hedging.threshold is 0 s; expected more than 0, or auto"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_input_error error;
        ck_assert_ptr_null(sim_policy_load("success-rate", FLAGSHIP, &cases[i].setting, 1, &error));
        ck_assert_str_eq(error.message, cases[i].message);
    }
}
END_TEST

START_TEST(a_policy_that_is_not_there_suggests_one_that_is)
{
    sim_input_error error;
    ck_assert_ptr_null(sim_policy_load("succes-rate", FLAGSHIP, NULL, 0, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "no policy \"succes-rate\""));
    ck_assert_ptr_nonnull(strstr(error.message, "did you mean \"success-rate\"?"));
    ck_assert_ptr_null(sim_policy_load(FLAGSHIP, NULL, NULL, 0, &error));
    ck_assert_str_eq(error.message, "this is a scenario; expected a policy");
}
END_TEST

/* Beside the scenario or above it first, so that a user's own policy of a shipped name wins; else from here. The test
 * runs in the project's root. */
START_TEST(a_policys_name_is_looked_up_near_the_scenario_then_here)
{
    static const struct {
        const char *near;
        const char *path;
    } cases[] = {
        {"scenarios/flagship.yaml", "scenarios/policies/success-rate.yaml"},
        {"scenarios/incidents/I05.yaml", "scenarios/policies/success-rate.yaml"},
        {"tests/determinism/ties.yaml", "scenarios/policies/success-rate.yaml"},
        {"mine.yaml", "scenarios/policies/success-rate.yaml"},
        {"tests/cli/scenarios/small.yaml", "tests/cli/scenarios/policies/success-rate.yaml"},
        {"/no/such/folder/mine.yaml", "scenarios/policies/success-rate.yaml"},
        {NULL, "scenarios/policies/success-rate.yaml"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_policy *policy = policy_or_fail("success-rate", cases[i].near, NULL, 0);
        ck_assert_str_eq(policy->path, cases[i].path);
        sim_policy_destroy(policy);
    }
}
END_TEST

START_TEST(a_policys_canonical_text_tells_set_from_default)
{
    static const sim_setting same = {"failback.min_sample", "10"};
    sim_policy *plain = policy_or_fail("success-rate", FLAGSHIP, NULL, 0);
    sim_policy *set = policy_or_fail("success-rate", FLAGSHIP, &same, 1);
    ck_assert_ptr_nonnull(strstr(plain->canonical, "\nfailback.min_sample = default 10\n"));
    ck_assert_ptr_nonnull(strstr(set->canonical, "\nfailback.min_sample = 10\n"));
    sim_policy_destroy(plain);
    sim_policy_destroy(set);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("settings");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_setting_takes_the_place_of_the_files_value);
    tcase_add_test(tests, a_bad_setting_names_itself_and_what_would_be_right);
    tcase_add_test(tests, the_default_policy_sets_nothing);
    tcase_add_test(tests, a_policy_stands_on_those_it_is_based_on);
    tcase_add_test(tests, the_shipped_drivers_quirks_are_all_there);
    tcase_add_test(tests, the_peers_differ_where_they_are_known_to);
    tcase_add_test(tests, settings_beat_the_whole_chain);
    tcase_add_test(tests, a_bad_policy_setting_names_itself_and_what_would_be_right);
    tcase_add_test(tests, a_policy_that_is_not_there_suggests_one_that_is);
    tcase_add_test(tests, a_policys_name_is_looked_up_near_the_scenario_then_here);
    tcase_add_test(tests, a_policys_canonical_text_tells_set_from_default);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
