/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every way in which an experiment can end, its exit status and what is said about it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/failure.h"

typedef struct {
    const char *name;
    sim_experiment_result result;
    int status;
    const char *said[4];
} ending;

static const ending ENDINGS[] = {
    {"fine", {.status = SIM_EXPERIMENT_OK, .done = 6}, CLI_OK, {NULL}},
    {"interrupted",
     {.status = SIM_EXPERIMENT_INTERRUPTED, .done = 2},
     CLI_INTERRUPTED,
     {"interrupted", "2 of 6 runs are finished and kept in some.db; --resume goes on"}},
    {"full disk",
     {.status = SIM_EXPERIMENT_STORE, .done = 3, .store = {SIM_STORE_IO, "the disk is full"}},
     CLI_IO,
     {"regionsim: the disk is full\n", "3 of 6 runs are finished and kept in some.db"}},
    {"no memory", {.status = SIM_EXPERIMENT_RUN, .run_status = SIM_RUN_NO_MEMORY}, CLI_IO, {"calm: out of memory"}},
    {"too many operations",
     {.status = SIM_EXPERIMENT_RUN, .run_status = SIM_RUN_TOO_MANY_PENDING},
     CLI_USAGE,
     {"operations in flight; lower the rate or the deadline"}},
    {"a broken invariant",
     {.status = SIM_EXPERIMENT_RUN,
      .policy = 1,
      .replication = 2,
      .run_status = SIM_RUN_BROKEN,
      .what = "an operation ended twice"},
     CLI_INTERNAL,
     {"internal error in calm under hasty: an operation ended twice", "seed 42, replication 2",
      "regionsim run 'a folder/calm.yaml' --policy hasty.yaml --set 'failback.eval_window=10 s' --seed 42"
      " --replications 3 --event-mode reference --env --db reproduction.db\n",
      "0 of 6 runs are finished"}},
    {"a broken invariant without a name",
     {.status = SIM_EXPERIMENT_RUN, .run_status = SIM_RUN_BROKEN},
     CLI_INTERNAL,
     {"an invariant does not hold"}},
};

/* What `result` makes the program say on standard error. */
static char *report(const sim_experiment_result *result, int *status)
{
    static const sim_scenario SCENARIO = {.name = "calm", .path = "a folder/calm.yaml"};
    static const sim_policy POLICIES[] = {{.name = "first", .path = "first.yaml"},
                                          {.name = "hasty", .path = "hasty.yaml"}};
    static const sim_scenario *const SCENARIOS[] = {&SCENARIO};
    static const sim_policy *const POLICY_LIST[] = {&POLICIES[0], &POLICIES[1]};
    const sim_store_plan plan = {
        .replications = 3, .scenario_count = 1, .scenario = SCENARIOS, .policy_count = 2, .policy = POLICY_LIST};
    static cli_arguments arguments = {.setting_count = 1,
                                      .setting = {{"failback.eval_window", "10 s"}},
                                      .seed = 42,
                                      .db = "some.db",
                                      .mode = SIM_MODE_REFERENCE,
                                      .env = true};
    FILE *capture = tmpfile();
    ck_assert_ptr_nonnull(capture);
    const int before = dup(STDERR_FILENO);
    (void)fflush(stderr);
    ck_assert_int_ge(dup2(fileno(capture), STDERR_FILENO), 0);
    *status = cli_report_result(&arguments, &plan, result);
    (void)fflush(stderr);
    ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
    (void)close(before);
    char *text = calloc(1, 4096);
    ck_assert_ptr_nonnull(text);
    rewind(capture);
    (void)fread(text, 1, 4095, capture);
    (void)fclose(capture);
    return text;
}

START_TEST(each_ending_has_its_exit_status_and_its_sentence)
{
    const ending *row = &ENDINGS[_i];
    int status = -1;
    char *text = report(&row->result, &status);
    ck_assert_msg(status == row->status, "%s: status %d", row->name, status);
    for (int i = 0; i < 4 && row->said[i] != NULL; i++)
        ck_assert_msg(strstr(text, row->said[i]) != NULL, "%s: %s", row->name, text);
    ck_assert_msg((text[0] == '\0') == (row->said[0] == NULL), "%s: %s", row->name, text);
    free(text);
}
END_TEST

START_TEST(exit_statuses_are_final)
{
    ck_assert_int_eq(CLI_OK, 0);
    ck_assert_int_eq(CLI_EXPECTATION, 1);
    ck_assert_int_eq(CLI_USAGE, 2);
    ck_assert_int_eq(CLI_IO, 3);
    ck_assert_int_eq(CLI_INCONCLUSIVE, 4);
    ck_assert_int_eq(CLI_INTERNAL, 70);
    ck_assert_int_eq(CLI_INTERRUPTED, 130);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failure");
    TCase *tables = tcase_create("failure");
    tcase_add_loop_test(tables, each_ending_has_its_exit_status_and_its_sentence, 0,
                        (int)(sizeof ENDINGS / sizeof *ENDINGS));
    tcase_add_test(tables, exit_statuses_are_final);
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
