/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on runs made by hand: which method, which direction, when none. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/compare.h"
#include "fixture.h"

enum { RUNS_MAX = 12 };

static char path[300];
static sim_store_plan plan;
static sim_scenario scenario;
static const sim_scenario *const scenarios[] = {&scenario};
static sim_outcome *outcome;

/* Values of both policies in each replication; both copy policy 0's run otherwise. */
typedef struct {
    sim_metric_id metric;
    double value[2][RUNS_MAX];
} given;

static void enter(void)
{
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%s/compare-%ld.db", temporary == NULL ? "/tmp" : temporary, (long)getpid());
    outcome = NULL;
}

static void leave(void)
{
    sim_outcome_destroy(outcome);
    (void)unlink(path);
}

typedef void change(fixture_run *run, uint32_t policy, uint32_t replication);

/* Runs of both policies; `objectives` metrics from the table's begin are the scenario's objectives. */
static void play(uint32_t replications, const given *table, size_t count, uint32_t objectives, change *also)
{
    static fixture_run run;
    sim_store_error error;
    plan = fixture_plan(replications);
    scenario = *plan.scenario[0];
    plan.scenario = scenarios;
    scenario.objective_count = objectives;
    for (uint32_t i = 0; i < objectives; i++)
        scenario.objective[i] = sim_metric_at(table[i].metric)->name;
    sim_store *store = sim_store_create(path, true, &plan, &error);
    ck_assert_msg(store != NULL, "%s", error.message);
    for (uint32_t i = 0; i < 2 * replications; i++) {
        const uint32_t policy = i / replications;
        const uint32_t r = i % replications;
        fixture_run_make(&run, &plan, 0, 0, r);
        run.run.id = sim_store_run_id(&plan, 0, policy, r);
        for (size_t k = 0; k < count; k++)
            run.metric[table[k].metric] = (sim_metric_value){.value = table[k].value[policy][r], .samples = 1};
        if (also != NULL)
            also(&run, policy, r);
        ck_assert_msg(sim_store_write_run(store, &run.run, &error), "%s", error.message);
    }
    outcome = sim_outcome_read(store, &plan, &error);
    ck_assert_msg(outcome != NULL, "%s", error.message);
    sim_store_close(store);
}

static sim_comparison compare_one(sim_metric_id metric)
{
    sim_comparison result;
    ck_assert(sim_compare(outcome, 0, 1, &metric, 1, &result));
    return result;
}

START_TEST(equal_runs_differ_by_exactly_zero_everywhere)
{
    sim_metric_id metric[SIM_METRIC_COUNT];
    sim_comparison result[SIM_METRIC_COUNT];
    play(5, NULL, 0, 0, NULL);
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        metric[i] = (sim_metric_id)i;
    ck_assert(sim_compare(outcome, 0, 1, metric, SIM_METRIC_COUNT, result));
    uint32_t equal = 0;
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++) {
        const bool has_value = !sim_outcome_estimate(outcome, 0, 0, 0, (sim_metric_id)i).is_null;
        ck_assert_int_eq(result[i].verdict, has_value ? SIM_COMPARED_EQUAL : SIM_COMPARED_NO_DATA);
        ck_assert_double_eq(result[i].difference, 0);
        ck_assert_double_eq(result[i].interval.low, 0);
        ck_assert_double_eq(result[i].interval.high, 0);
        equal += has_value;
    }
    ck_assert_uint_gt(equal, 40);
}
END_TEST

typedef struct {
    const char *name;
    uint32_t replications;
    given given;
    sim_compared verdict;
    sim_compare_method method;
} judged;

/* The margin is 1 % of the baseline's estimate. */
static const judged JUDGED[] = {
    {"lower is better",
     5,
     {SIM_METRIC_away_healthy_s, {{100, 110, 90, 105, 95}, {50, 55, 47, 52, 48}}},
     SIM_COMPARED_BETTER,
     SIM_BY_T},
    {"and higher is worse",
     5,
     {SIM_METRIC_away_healthy_s, {{50, 55, 47, 52, 48}, {100, 110, 90, 105, 95}}},
     SIM_COMPARED_WORSE,
     SIM_BY_T},
    {"or the other way round",
     5,
     {SIM_METRIC_availability, {{.5, .51, .52, .5, .51}, {.9, .91, .92, .9, .93}}},
     SIM_COMPARED_BETTER,
     SIM_BY_T},
    {"neither is better",
     5,
     {SIM_METRIC_trip_count, {{100, 110, 90, 105, 95}, {50, 55, 47, 52, 48}}},
     SIM_COMPARED_LOWER,
     SIM_BY_T},
    {"neither is better",
     5,
     {SIM_METRIC_trip_count, {{50, 55, 47, 52, 48}, {100, 110, 90, 105, 95}}},
     SIM_COMPARED_HIGHER,
     SIM_BY_T},
    {"fewer than five replications",
     4,
     {SIM_METRIC_away_healthy_s, {{100, 110, 90, 105}, {50, 55, 47, 52}}},
     SIM_COMPARED_TOO_FEW,
     SIM_BY_T},
    {"one replication", 1, {SIM_METRIC_away_healthy_s, {{100}, {50}}}, SIM_COMPARED_TOO_FEW, SIM_BY_NOTHING},
    {"wide interval",
     5,
     {SIM_METRIC_away_healthy_s, {{100, 110, 90, 105, 95}, {90, 130, 80, 125, 85}}},
     SIM_COMPARED_INCONCLUSIVE,
     SIM_BY_T},
    {"interval within the margin",
     5,
     {SIM_METRIC_latency_mean, {{100, 200, 300, 400, 500}, {101, 202, 301, 402, 501}}},
     SIM_COMPARED_EQUIVALENT,
     SIM_BY_T},
    {"outside zero but not outside the margin",
     5,
     {SIM_METRIC_latency_mean, {{100, 100, 100, 100, 100}, {100.8, 101.1, 101.2, 100.9, 101.5}}},
     SIM_COMPARED_INCONCLUSIVE,
     SIM_BY_T},
    {"constant difference at the margin",
     5,
     {SIM_METRIC_latency_mean, {{100, 100, 100, 100, 100}, {101, 101, 101, 101, 101}}},
     SIM_COMPARED_EQUIVALENT,
     SIM_BY_T},
    {"constant difference beyond the margin",
     5,
     {SIM_METRIC_latency_mean, {{100, 100, 100, 100, 100}, {101.25, 101.25, 101.25, 101.25, 101.25}}},
     SIM_COMPARED_WORSE,
     SIM_BY_T},
    {"five rare events are too few replications",
     5,
     {SIM_METRIC_flap_count, {{1, 2, 1, 2, 3}, {4, 5, 4, 5, 6}}},
     SIM_COMPARED_TOO_FEW,
     SIM_BY_NOTHING},
    {"six are enough",
     6,
     {SIM_METRIC_flap_count, {{1, 2, 1, 2, 3, 1}, {4, 5, 4, 5, 6, 3}}},
     SIM_COMPARED_WORSE,
     SIM_BY_SIGN_FLIP},
    {"one against the others",
     6,
     {SIM_METRIC_flap_count, {{1, 2, 1, 2, 3, 1}, {4, 5, 4, 5, 6, 0}}},
     SIM_COMPARED_INCONCLUSIVE,
     SIM_BY_SIGN_FLIP},
    {"rare under one policy only",
     5,
     {SIM_METRIC_flap_count, {{0, 0, 0, 0, 0}, {41, 44, 39, 40, 42}}},
     SIM_COMPARED_WORSE,
     SIM_BY_T},
    {"often no difference",
     8,
     {SIM_METRIC_error_count, {{50, 60, 70, 80, 90, 50, 60, 70}, {50, 60, 74, 83, 92, 55, 63, 76}}},
     SIM_COMPARED_WORSE,
     SIM_BY_SIGN_FLIP},
    {"one replication's events",
     8,
     {SIM_METRIC_error_count, {{0}, {0, 0, 0, 9}}},
     SIM_COMPARED_INCONCLUSIVE,
     SIM_BY_SIGN_FLIP},
    {"never seen", 5, {SIM_METRIC_error_count, {{0}, {0}}}, SIM_COMPARED_EQUAL, SIM_BY_T},
};

START_TEST(a_verdict_follows_from_interval_margin_and_direction)
{
    const judged *row = &JUDGED[_i];
    play(row->replications, &row->given, 1, 0, NULL);
    const sim_comparison result = compare_one(row->given.metric);
    ck_assert_msg(result.verdict == row->verdict, "%s: %s", row->name, sim_compared_word(result.verdict));
    ck_assert_msg(result.method == row->method, "%s: by %s", row->name, sim_compare_method_name(result.method));
}
END_TEST

START_TEST(the_rule_of_three_bounds_what_was_never_seen)
{
    const given nothing = {.metric = SIM_METRIC_error_count};
    play(6, &nothing, 1, 0, NULL);
    const sim_comparison result = compare_one(SIM_METRIC_error_count);
    ck_assert(result.is_never_seen);
    ck_assert_double_eq(result.at_most, 0.5);
    /* A measure that is zero is not an event that was not seen. */
    const given no_time = {.metric = SIM_METRIC_away_healthy_s};
    sim_outcome_destroy(outcome);
    play(6, &no_time, 1, 0, NULL);
    ck_assert(!compare_one(SIM_METRIC_away_healthy_s).is_never_seen);
}
END_TEST

static void censor_third(fixture_run *run, uint32_t policy, uint32_t replication)
{
    sim_metric_value *value = &run->metric[SIM_METRIC_failback_lag_p50];
    value->is_null = value->is_censored = policy == 1 && replication == 2;
}

static void lose_third(fixture_run *run, uint32_t policy, uint32_t replication)
{
    run->metric[SIM_METRIC_failback_lag_p50].is_null = policy == 1 && replication == 2;
}

START_TEST(a_value_known_in_part_gives_no_verdict_and_a_missing_one_no_pair)
{
    static const given LAG = {SIM_METRIC_failback_lag_p50, {{10, 11, 12, 10, 9, 11}, {20, 22, 21, 19, 20, 23}}};
    play(6, &LAG, 1, 0, censor_third);
    ck_assert_int_eq(compare_one(SIM_METRIC_failback_lag_p50).verdict, SIM_COMPARED_NO_DATA);
    sim_outcome_destroy(outcome);
    play(6, &LAG, 1, 0, lose_third);
    const sim_comparison result = compare_one(SIM_METRIC_failback_lag_p50);
    ck_assert_uint_eq(result.pairs, 5);
    ck_assert_int_eq(result.verdict, SIM_COMPARED_WORSE);
}
END_TEST

/* p is 1.7 % beyond the margin: enough alone, not among five. */
static const given HOLM[] = {
    {SIM_METRIC_away_healthy_s, {{100, 100, 100, 100, 100}, {110, 125, 105, 120, 116}}},
    {SIM_METRIC_home_unhealthy_s, {{100, 110, 90, 105, 95}, {90, 130, 80, 125, 85}}},
    {SIM_METRIC_retrip_count, {{100, 110, 90, 105, 95}, {90, 130, 80, 125, 85}}},
    {SIM_METRIC_latency_mean, {{100, 110, 90, 105, 95}, {90, 130, 80, 125, 85}}},
    {SIM_METRIC_load_amplification, {{100, 110, 90, 105, 95}, {90, 130, 80, 125, 85}}},
};

START_TEST(objectives_are_judged_together_and_other_metrics_alone)
{
    sim_comparison result[5];
    sim_metric_id metric[5];
    for (int i = 0; i < 5; i++)
        metric[i] = HOLM[i].metric;
    for (uint32_t objectives = 0; objectives <= 5; objectives += 5) {
        sim_outcome_destroy(outcome);
        outcome = NULL;
        play(5, HOLM, 5, objectives, NULL);
        ck_assert(sim_compare(outcome, 0, 1, metric, 5, result));
        ck_assert_double_gt(result[0].p, 0.01);
        ck_assert_double_lt(result[0].p, 0.05);
        ck_assert_double_eq_tol(result[0].p_adjusted, objectives == 0 ? result[0].p : 5 * result[0].p, 1e-12);
        ck_assert_int_eq(result[0].is_objective, objectives == 5);
        ck_assert_int_eq(result[0].verdict, objectives == 0 ? SIM_COMPARED_WORSE : SIM_COMPARED_INCONCLUSIVE);
    }
}
END_TEST

/* Policy 1's successes are slower by a fifth, and by a little more in every replication. */
static void slow_down(fixture_run *run, uint32_t policy, uint32_t replication)
{
    sim_histogram_clear(&run->ok[0]);
    sim_histogram_clear(&run->failed[0]);
    for (int64_t n = 1; n <= 300; n++)
        fixture_record(&run->ok[0], n * (policy == 0 ? 1000000 : 1200000 + 2000 * (int64_t)replication));
    fixture_record(&run->failed[0], 700000000);
}

START_TEST(percentiles_are_compared_by_leaving_out_replications_of_merged_histograms)
{
    static sim_histogram merged[2];
    static fixture_run run;
    double without[6];
    play(6, NULL, 0, 0, slow_down);
    for (uint32_t left_out = 0; left_out <= 6; left_out++) {
        sim_histogram_clear(&merged[0]);
        sim_histogram_clear(&merged[1]);
        for (uint32_t r = 0; r < 6; r++) {
            for (uint32_t p = 0; p < 2 && r != left_out; p++) {
                slow_down(&run, p, r);
                sim_histogram_merge(&merged[p], &run.ok[0]);
                sim_histogram_merge(&merged[p], &run.failed[0]);
            }
        }
        const double difference =
            (double)(sim_histogram_quantile(&merged[1], 900000) - sim_histogram_quantile(&merged[0], 900000));
        if (left_out < 6) {
            without[left_out] = difference;
            continue;
        }
        const sim_comparison result = compare_one(SIM_METRIC_latency_p90);
        const sim_estimate estimate = sim_jackknife_estimate(difference, without, 6);
        const sim_interval interval = sim_t_interval(&estimate);
        ck_assert_int_eq(result.method, SIM_BY_JACKKNIFE);
        ck_assert_int_eq(result.verdict, SIM_COMPARED_WORSE);
        ck_assert_double_eq(result.difference, difference);
        ck_assert_double_eq(result.interval.low, interval.low);
        ck_assert_double_eq(result.interval.high, interval.high);
    }
    /* 1806 operations are too few for a p99.9. */
    ck_assert_int_eq(compare_one(SIM_METRIC_latency_p999).verdict, SIM_COMPARED_NO_DATA);
}
END_TEST

static const given TEN = {SIM_METRIC_away_healthy_s,
                          {{100, 110, 90, 105, 95, 100, 104, 97, 111, 93}, {50, 57, 43, 55, 46, 52, 49, 51, 54, 47}}};

START_TEST(from_ten_replications_on_resampling_gives_a_second_opinion)
{
    play(9, &TEN, 1, 0, NULL);
    ck_assert(!compare_one(TEN.metric).has_bootstrap);
    sim_outcome_destroy(outcome);
    play(10, &TEN, 1, 0, slow_down);
    const sim_comparison first = compare_one(TEN.metric);
    const sim_comparison again = compare_one(TEN.metric);
    ck_assert(first.has_bootstrap);
    ck_assert(!first.bootstrap_disagrees);
    ck_assert_double_lt(first.bootstrap.low, first.difference);
    ck_assert_double_gt(first.bootstrap.high, first.difference);
    ck_assert_double_eq(first.bootstrap.low, again.bootstrap.low);
    ck_assert(compare_one(SIM_METRIC_latency_p90).has_bootstrap);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tables = tcase_create("compare");
    tcase_add_checked_fixture(tables, enter, leave);
    tcase_add_test(tables, equal_runs_differ_by_exactly_zero_everywhere);
    tcase_add_loop_test(tables, a_verdict_follows_from_interval_margin_and_direction, 0,
                        (int)(sizeof JUDGED / sizeof *JUDGED));
    tcase_add_test(tables, the_rule_of_three_bounds_what_was_never_seen);
    tcase_add_test(tables, a_value_known_in_part_gives_no_verdict_and_a_missing_one_no_pair);
    tcase_add_test(tables, objectives_are_judged_together_and_other_metrics_alone);
    tcase_add_test(tables, percentiles_are_compared_by_leaving_out_replications_of_merged_histograms);
    tcase_add_test(tables, from_ten_replications_on_resampling_gives_a_second_opinion);
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
