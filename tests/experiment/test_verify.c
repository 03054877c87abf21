/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playing a run twice, and finding where two runs part. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/verify.h"

static sim_scenario *scenario;
static sim_policy *policy;
static const sim_scenario *scenarios[1];
static const sim_policy *policies[1];
static sim_experiment *experiment;

static void enter(void)
{
    sim_input_error error = {.message = ""};
    scenario = sim_scenario_load("tests/determinism/mixed.yaml", NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    policy = sim_policy_load("success-rate-due", "scenarios/flagship.yaml", NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%s", error.message);
    scenarios[0] = scenario;
    policies[0] = policy;
    const sim_experiment_input input = {.scenario_count = 1,
                                        .scenario = scenarios,
                                        .policy_count = 1,
                                        .policy = policies,
                                        .replications = 1,
                                        .seed = 11,
                                        .is_verified = true};
    experiment = sim_experiment_create(&input, &error);
    ck_assert_msg(experiment != NULL, "%s", error.message);
}

static void leave(void)
{
    sim_experiment_destroy(experiment);
    sim_policy_destroy(policy);
    sim_scenario_destroy(scenario);
}

static bool go_on(void *context, int64_t now)
{
    (void)context;
    (void)now;
    return true;
}

static bool stop(void *context, int64_t now)
{
    (void)context;
    (void)now;
    return false;
}

static sim_finished *run_once(void)
{
    sim_finished *finished = sim_run_place(experiment, sim_plan_at(experiment, 0), SIM_MODE_FAST, go_on, NULL);
    ck_assert_ptr_nonnull(finished);
    ck_assert_int_eq(finished->status, SIM_RUN_OK);
    return finished;
}

START_TEST(both_modes_come_to_the_same)
{
    sim_finished *finished = run_once();
    sim_verify(experiment, finished, go_on, NULL);
    ck_assert_int_eq(finished->status, SIM_RUN_OK);
    ck_assert_ptr_null(finished->what);
    sim_finished_free(finished);
}
END_TEST

START_TEST(what_is_measured_is_compared_too)
{
    sim_finished *finished = run_once();
    finished->metrics.metric[SIM_METRIC_flap_count].value += 1;
    finished->result = sim_run_metrics_digest(&finished->metrics);
    sim_verify(experiment, finished, go_on, NULL);
    ck_assert_int_eq(finished->status, SIM_RUN_BROKEN);
    ck_assert_msg(strstr(finished->what, "what was measured differs: flap_count") != NULL, "%s", finished->what);
    sim_finished_free(finished);
}
END_TEST

START_TEST(luck_is_compared_too)
{
    sim_finished *finished = run_once();
    finished->output.luck.lane[0]++;
    sim_verify(experiment, finished, go_on, NULL);
    ck_assert_int_eq(finished->status, SIM_RUN_BROKEN);
    ck_assert_msg(strstr(finished->what, "different luck in fast mode and reference mode") != NULL, "%s",
                  finished->what);
    sim_finished_free(finished);
}
END_TEST

START_TEST(an_interruption_is_no_difference)
{
    sim_finished *finished = run_once();
    sim_verify(experiment, finished, stop, NULL);
    ck_assert_int_eq(finished->status, SIM_RUN_INTERRUPTED);
    sim_finished_free(finished);
}
END_TEST

/* Timers that ring 1 ns late are found at the first of them, and told with both instants. */
START_TEST(the_first_event_that_differs_is_named)
{
    static const char *const NAME[] = {"A", "B"};
    const sim_run_input right = sim_place_input(experiment, sim_plan_at(experiment, 0), SIM_MODE_FAST, NULL);
    sim_run_input wrong = right;
    sim_run_status status;
    ck_assert_ptr_null(sim_first_difference(&right, &right, NAME, &status));
    ck_assert_int_eq(status, SIM_RUN_OK);
    wrong.planted_timer_delay = 1;
    char *text = sim_first_difference(&right, &wrong, NAME, &status);
    ck_assert_int_eq(status, SIM_RUN_OK);
    ck_assert_ptr_nonnull(text);
    double at[2];
    unsigned long long operation[2];
    ck_assert_msg(sscanf(text,
                         "the same run twice is not the same; the first event that differs: in A, at %lf s, "
                         "operation %llu %*[^;]; in B, at %lf s, operation %llu",
                         &at[0], &operation[0], &at[1], &operation[1]) == 4,
                  "%s", text);
    ck_assert_uint_eq(operation[0], operation[1]);
    ck_assert_msg(at[1] - at[0] > 0.5e-9 && at[1] - at[0] < 1.5e-9, "%s", text);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify");
    TCase *verify = tcase_create("verify");
    tcase_add_checked_fixture(verify, enter, leave);
    tcase_set_timeout(verify, 120);
    tcase_add_test(verify, both_modes_come_to_the_same);
    tcase_add_test(verify, what_is_measured_is_compared_too);
    tcase_add_test(verify, luck_is_compared_too);
    tcase_add_test(verify, an_interruption_is_no_difference);
    tcase_add_test(verify, the_first_event_that_differs_is_named);
    suite_add_tcase(suite, verify);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
