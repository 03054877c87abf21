/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where nothing differs, nothing is found: ten incidents under ten policies, each against a copy of itself. All luck is
 * shared, so there is no error rate: one false alarm is a bug. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "experiment/gate.h"

enum { REPLICATIONS = 5, VARIANTS = 10, SETTINGS = 4 };

static const sim_setting SCENARIOS[VARIANTS][SETTINGS] = {
    {{"scenario.duration", "60 s"}},
    {{"scenario.workload.shop.rate", "20 /s"}},
    {{"scenario.workload.shop.arrivals", "constant"}},
    {{"scenario.faults.outage.errors.share", "100 %"}},
    {{"scenario.faults.outage.errors.share", "30 %"}},
    {{"scenario.faults.outage.errors.share", "0 %"}},
    {{"scenario.faults.outage.errors.statuses", "{no_reply: 100 %}"}},
    {{"scenario.faults.outage.where.partitions", "50 %"}},
    {{"scenario.account.writes", "single"}},
    {{"scenario.clients.chicago.count", "1"}, {"scenario.workload.shop.rate", "30 /s"}},
};

static const sim_setting POLICIES[VARIANTS][SETTINGS] = {
    {{NULL, NULL}},
    {{"failback.strategy", "probe"}},
    {{"failback.min_sample", "10"}},
    {{"failback.canary_percentage", "100"}},
    {{"failback.success_threshold", "0.5"}, {"failback.retrip_floor", "0.1"}},
    {{"failback.pending", "counted"}},
    {{"failback.promote", "sweep"}},
    {{"breaker.enabled", "false"}},
    {{"breaker.rule", "share"}},
    {{"hedging.threshold", "20 ms"}},
};

static size_t count_of(const sim_setting *setting)
{
    size_t count = 0;
    while (count < SETTINGS && setting[count].key != NULL)
        count++;
    return count;
}

static void compare_all(const sim_outcome *outcome, const char *what)
{
    static sim_metric_id metric[SIM_METRIC_COUNT];
    static sim_comparison result[SIM_METRIC_COUNT];
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        metric[i] = (sim_metric_id)i;
    ck_assert(sim_compare(outcome, 0, 1, metric, SIM_METRIC_COUNT, result));
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++) {
        const sim_comparison *one = &result[i];
        const bool is_silent = one->verdict == SIM_COMPARED_EQUAL || one->verdict == SIM_COMPARED_NO_DATA ||
                               (one->verdict == SIM_COMPARED_TOO_FEW && one->pairs < SIM_VERDICT_MIN);
        if (!is_silent || one->difference < 0 || one->difference > 0 || one->interval.low < 0 || one->interval.high > 0)
            ck_abort_msg("%s: %s is %s, difference %g in %g to %g", what, sim_metric_at(metric[i])->name,
                         sim_compared_word(one->verdict), one->difference, one->interval.low, one->interval.high);
    }
}

static void gate_all(sim_store *store, const sim_outcome *outcome, const char *what)
{
    sim_store_error error;
    sim_gate gate;
    sim_baseline *baseline = sim_baseline_create(1, 1);
    sim_baseline_scenario *taken = &baseline->scenario[baseline->scenario_count++];
    ck_assert(sim_baseline_take(baseline, store, outcome, taken, &error));
    ck_assert(sim_gate_judge(baseline, taken, &taken->pair[0], baseline, taken, &taken->pair[1], 60, &gate));
    for (uint32_t i = 0; i < gate.rule_count; i++) {
        if (gate.rule[i].outcome != SIM_GATE_IDENTICAL && gate.rule[i].outcome != SIM_GATE_NO_DATA)
            ck_abort_msg("%s: %s is %s", what, sim_metric_at(gate.rule[i].metric)->name,
                         sim_gate_word(gate.rule[i].outcome));
    }
    ck_assert(gate.is_same);
    ck_assert_str_eq(gate.cause, "");
    sim_baseline_destroy(baseline);
}

static void play(const sim_scenario *scenario, const sim_policy *policy, const char *what)
{
    const char *temporary = getenv("TMPDIR");
    char path[300];
    sim_policy copy = *policy;
    copy.name = "copy";
    const sim_policy *const policies[] = {policy, &copy};
    const sim_experiment_input input = {.scenario_count = 1,
                                        .scenario = &scenario,
                                        .policy_count = 2,
                                        .policy = policies,
                                        .replications = REPLICATIONS,
                                        .seed = 1};
    atomic_bool stop = false;
    const sim_experiment_control control = {.jobs = 2, .cpus = 2, .command_line = "", .stop = &stop};
    sim_input_error input_error;
    sim_store_error error;
    (void)snprintf(path, sizeof path, "%s/null-%ld.db", temporary == NULL ? "/tmp" : temporary, (long)getpid());
    sim_experiment *experiment = sim_experiment_create(&input, &input_error);
    ck_assert_msg(experiment != NULL, "%s: %s", what, input_error.message);
    sim_store *store = sim_store_create(path, true, sim_experiment_plan(experiment), &error);
    ck_assert_msg(store != NULL, "%s", error.message);
    const sim_experiment_result result = sim_experiment_run(experiment, store, &control);
    ck_assert_int_eq(result.status, SIM_EXPERIMENT_OK);
    sim_outcome *outcome = sim_outcome_read(store, sim_experiment_plan(experiment), &error);
    ck_assert(outcome != NULL);
    compare_all(outcome, what);
    gate_all(store, outcome, what);
    sim_outcome_destroy(outcome);
    sim_store_close(store);
    sim_experiment_destroy(experiment);
    (void)unlink(path);
}

START_TEST(a_policy_against_its_copy_differs_by_exactly_zero)
{
    const sim_setting *changes = SCENARIOS[_i];
    sim_setting settings[2 + SETTINGS] = {{"scenario.duration", "60 s"}, {"scenario.phases", "{before: 0 s}"}};
    sim_input_error error;
    const size_t count = count_of(changes);
    for (size_t i = 0; i < count; i++)
        settings[2 + i] = changes[i];
    sim_scenario *scenario = sim_scenario_load("tests/cli/scenarios/small.yaml", settings, 2 + count, &error);
    ck_assert_msg(scenario != NULL, "scenario %d: %s", _i, error.message);
    for (int p = 0; p < VARIANTS; p++) {
        char what[60];
        sim_policy *policy = sim_policy_load("tests/cli/scenarios/policies/success-rate.yaml", NULL, POLICIES[p],
                                             count_of(POLICIES[p]), &error);
        ck_assert_msg(policy != NULL, "policy %d: %s", p, error.message);
        (void)snprintf(what, sizeof what, "scenario %d, policy %d", _i, p);
        play(scenario, policy, what);
        sim_policy_destroy(policy);
    }
    sim_scenario_destroy(scenario);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("null");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, a_policy_against_its_copy_differs_by_exactly_zero, 0, VARIANTS);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
