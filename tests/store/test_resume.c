/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going on with a database: the same plan, a larger one, another one, and what kills have left beside it. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

/* Writes a run of `plan`, replications of any number. */
static void write_planned(sim_store *store, const sim_store_plan *plan, uint32_t policy, uint32_t replication)
{
    static fixture_run run;
    fixture_run_make(&run, plan, 0, policy, replication);
    run.output.operations = 1000 + replication; /* content must not depend on the id, which a larger plan changes */
    ck_assert_msg(sim_store_write_run(store, &run.run, &scratch_error), "%s", scratch_error.message);
}

static sim_store *resume(const sim_store_plan *plan)
{
    sim_store *store = sim_store_resume(scratch_path, plan, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    return store;
}

START_TEST(where_there_is_nothing_a_database_is_made)
{
    const sim_store_plan plan = fixture_plan(2);
    sim_store_close(resume(&plan));
    ck_assert_answer("SELECT count(*) || ' ' || sum(state = 'done') FROM run", "4 0");
}
END_TEST

START_TEST(finished_runs_stay_and_are_told)
{
    const sim_store_plan plan = fixture_plan(2);
    sim_store *store = scratch_create(2);
    write_planned(store, &plan, 0, 1);
    write_planned(store, &plan, 1, 0);
    char *before = scratch_dump(store);
    sim_store_close(store);
    store = resume(&plan);
    bool is_done[4] = {false};
    ck_assert(sim_store_read_done(store, is_done, 4, &scratch_error));
    ck_assert(!is_done[0] && is_done[1] && is_done[2] && !is_done[3]);
    char *after = scratch_dump(store);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    sim_store_close(store);
}
END_TEST

/* The runs' content must be what it would have been; so each is made under the plan that numbers it last. */
START_TEST(more_replications_renumber_what_is_there)
{
    const sim_store_plan small = fixture_plan(2);
    const sim_store_plan large = fixture_plan(5);
    static fixture_run run;
    sim_store *store = sim_store_create(scratch_path, false, &small, &scratch_error);
    ck_assert_ptr_nonnull(store);
    for (uint32_t policy = 0; policy < 2; policy++) {
        fixture_run_make(&run, &large, 0, policy, 1);
        run.run.id = sim_store_run_id(&small, 0, policy, 1);
        ck_assert(sim_store_write_run(store, &run.run, &scratch_error));
    }
    sim_store_close(store);
    store = resume(&large);
    char *extended = scratch_dump(store);
    sim_store_close(store);

    store = sim_store_create(scratch_path, true, &large, &scratch_error);
    ck_assert_ptr_nonnull(store);
    for (uint32_t policy = 0; policy < 2; policy++) {
        fixture_run_make(&run, &large, 0, policy, 1);
        ck_assert(sim_store_write_run(store, &run.run, &scratch_error));
    }
    char *fresh = scratch_dump(store);
    sim_store_close(store);
    ck_assert_str_eq(extended, fresh);
    ck_assert_answer("SELECT group_concat(id) FROM run WHERE state = 'done'", "2,7");
    ck_assert_answer("SELECT count(*) FROM pragma_foreign_key_check", "0");
    free(extended);
    free(fresh);
}
END_TEST

typedef struct {
    const char *what; /* in the message */
    int part;
} difference;

static const difference DIFFERENCES[] = {
    {"the seed is 7 there and 8 here", 0},
    {"holds 3 replications, more than the 2 asked for", 1},
    {"the number of policies is 2 there and 1 here", 2},
    {"a policy is calm there and hasty here", 3},
    {"scenario made is \"scenario = made\" there and \"scenario = altered\" here", 4},
    {"policy calm is \"a\" there and \"z\" here", 5},
    {"failback.min_sample in made is 10 there and 11 here", 6},
    {"a scenario is made there and other here", 7},
};

START_TEST(another_experiment_is_refused_and_the_database_stays)
{
    const difference *row = &DIFFERENCES[_i];
    sim_store *store = scratch_create(3);
    scratch_write_run(store, 0, 0);
    char *before = scratch_dump(store);
    sim_store_close(store);

    sim_store_plan plan = fixture_plan(row->part == 1 ? 2 : 3);
    sim_scenario scenario = *plan.scenario[0];
    sim_policy policies[2] = {*plan.policy[0], *plan.policy[1]};
    const sim_scenario *scenario_list[] = {&scenario};
    const sim_policy *policy_list[] = {&policies[row->part == 3], &policies[1 - (row->part == 3)]};
    rgn_effective_options options = *plan.pair[0].clients;
    sim_store_pair pairs[2] = {plan.pair[0], plan.pair[1]};
    plan.scenario = scenario_list;
    plan.policy = policy_list;
    plan.pair = pairs;
    plan.seed += row->part == 0;
    plan.policy_count -= row->part == 2;
    if (row->part == 4)
        scenario.canonical = "scenario = altered\n";
    if (row->part == 5)
        policies[0].canonical = "z\n";
    if (row->part == 6) {
        options.values.failback_min_sample++;
        pairs[1].clients = &options;
        pairs[1].input_digest[0] = 'x';
    }
    if (row->part == 7)
        scenario.name = "other";
    ck_assert_ptr_null(sim_store_resume(scratch_path, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_DIFFERS);
    ck_assert_msg(strstr(scratch_error.message, row->what) != NULL, "%s", scratch_error.message);

    store = sim_store_open(scratch_path, &scratch_error);
    char *after = scratch_dump(store);
    sim_store_close(store);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

/* ---- drafts that were left behind ---- */

static void put_draft(long process, const char *content, char name[400])
{
    char journal[420];
    (void)snprintf(name, 400, "%s.new-%ld", scratch_path, process);
    (void)snprintf(journal, sizeof journal, "%s-journal", name);
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    (void)fputs(content, file);
    (void)fclose(file);
    file = fopen(journal, "wb");
    ck_assert_ptr_nonnull(file);
    (void)fclose(file);
}

/* Of a process that has ended. */
static long dead_process(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    ck_assert_int_eq((int)waitpid(child, NULL, 0), (int)child);
    return (long)child;
}

static bool exists(const char *name)
{
    return access(name, F_OK) == 0;
}

START_TEST(abandoned_drafts_go_and_those_of_others_stay)
{
    const sim_store_plan plan = fixture_plan(1);
    char abandoned[400];
    char alive[400];
    char alien[400];
    char odd[400];
    for (int way = 0; way < 3; way++) {
        const long dead = dead_process();
        put_draft(dead, "", abandoned);
        put_draft(dead_process(), "what is this?", alien);
        put_draft((long)getppid(), "", alive);
        put_draft(0, "", odd);
        sim_store *store = way == 1   ? sim_store_create(scratch_path, true, &plan, &scratch_error)
                           : way == 2 ? sim_store_resume(scratch_path, &plan, &scratch_error)
                                      : sim_store_create(scratch_path, false, &plan, &scratch_error);
        ck_assert_msg(store != NULL, "%s", scratch_error.message);
        sim_store_close(store);
        char journal[420];
        (void)snprintf(journal, sizeof journal, "%s-journal", abandoned);
        ck_assert(!exists(abandoned));
        ck_assert(!exists(journal));
        ck_assert(exists(alive));
        ck_assert(exists(alien));
        ck_assert(exists(odd));
    }
}
END_TEST

START_TEST(a_draft_that_somebody_holds_a_lock_on_stays)
{
    const sim_store_plan plan = fixture_plan(1);
    char name[400];
    int pipes[2];
    char letter = 0;
    put_draft(dead_process(), "", name);
    ck_assert_int_eq(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        sqlite3 *db = NULL;
        const bool ok =
            sqlite3_open(name, &db) == SQLITE_OK && sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
        (void)!write(pipes[1], ok ? "y" : "n", 1);
        (void)pause();
        _exit(0);
    }
    ck_assert_int_eq((int)read(pipes[0], &letter, 1), 1);
    ck_assert_int_eq(letter, 'y');
    sim_store_close(resume(&plan));
    ck_assert(exists(name));
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq((int)waitpid(child, NULL, 0), (int)child);
    sim_store_close(resume(&plan));
    ck_assert(!exists(name));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resume");
    TCase *tables = tcase_create("resume");
    tcase_add_checked_fixture(tables, scratch_enter, scratch_leave);
    tcase_add_test(tables, where_there_is_nothing_a_database_is_made);
    tcase_add_test(tables, finished_runs_stay_and_are_told);
    tcase_add_test(tables, more_replications_renumber_what_is_there);
    tcase_add_loop_test(tables, another_experiment_is_refused_and_the_database_stays, 0,
                        (int)(sizeof DIFFERENCES / sizeof *DIFFERENCES));
    tcase_add_test(tables, abandoned_drafts_go_and_those_of_others_stay);
    tcase_add_test(tables, a_draft_that_somebody_holds_a_lock_on_stays);
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
