/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database as a file: refusals, full disks, kills. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/random.h"
#include "scratch.h"

static void put_file(const char *name, const char *content)
{
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    (void)fputs(content, file);
    (void)fclose(file);
}

START_TEST(an_existing_database_is_refused_and_stays_as_it_was)
{
    const sim_store_plan plan = fixture_plan(1);
    sim_store *store = scratch_create(1);
    scratch_write_run(store, 0, 0);
    char *before = scratch_dump(store);
    sim_store_close(store);
    ck_assert_ptr_null(sim_store_create(scratch_path, false, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_EXISTS);
    store = sim_store_open(scratch_path, &scratch_error);
    char *after = scratch_dump(store);
    sim_store_close(store);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

START_TEST(replacing_gives_a_fresh_database)
{
    const sim_store_plan plan = fixture_plan(2);
    sim_store *store = scratch_create(1);
    scratch_write_run(store, 0, 0);
    sim_store_close(store);
    store = sim_store_create(scratch_path, true, &plan, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    sim_store_close(store);
    ck_assert_answer("SELECT count(*) || ' ' || sum(state = 'done') FROM run", "4 0");
}
END_TEST

START_TEST(a_file_of_another_kind_is_never_replaced)
{
    const sim_store_plan plan = fixture_plan(1);
    put_file(scratch_path, "regionsim: 1\n");
    ck_assert_ptr_null(sim_store_create(scratch_path, true, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_ALIEN);
    ck_assert_ptr_null(sim_store_open(scratch_path, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_ALIEN);
    ck_assert_ptr_null(sim_store_create(scratch_folder, true, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_ALIEN);
    ck_assert_ptr_null(sim_store_create("/dev/null", true, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_ALIEN);
}
END_TEST

START_TEST(a_database_of_another_schema_version_is_not_opened)
{
    sim_store_close(scratch_create(1));
    free(scratch_ask("PRAGMA user_version = 1"));
    ck_assert_ptr_null(sim_store_open(scratch_path, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_ALIEN);
}
END_TEST

START_TEST(a_journal_left_by_a_deleted_database_does_no_harm)
{
    char journal[310];
    (void)snprintf(journal, sizeof journal, "%s-journal", scratch_path);
    put_file(journal, "what an earlier file of that name has left behind");
    sim_store *store = scratch_create(1);
    scratch_write_run(store, 0, 0);
    sim_store_close(store);
    ck_assert_answer("PRAGMA integrity_check", "ok");
}
END_TEST

START_TEST(a_folder_that_takes_no_file_is_an_io_error)
{
    const sim_store_plan plan = fixture_plan(1);
    const bool is_root = geteuid() == 0;
    ck_assert_int_eq(chmod(scratch_folder, 0555), 0);
    if (is_root)
        ck_assert_int_eq(seteuid(65534), 0);
    sim_store *store = sim_store_create(scratch_path, false, &plan, &scratch_error);
    if (is_root)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(chmod(scratch_folder, 0755), 0);
    ck_assert_ptr_null(store);
    ck_assert_int_eq(scratch_error.status, SIM_STORE_IO);
    ck_assert_msg(strstr(scratch_error.message, "Permission denied") != NULL, "%s", scratch_error.message);
    char missing[320];
    (void)snprintf(missing, sizeof missing, "%s/no/such/a.db", scratch_folder);
    ck_assert_ptr_null(sim_store_create(missing, false, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_IO);
}
END_TEST

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static size_t file_size(void)
{
    struct stat status;
    ck_assert_int_eq(stat(scratch_path, &status), 0);
    return (size_t)status.st_size;
}

START_TEST(a_full_disk_is_an_io_error_and_loses_no_finished_run)
{
    static fixture_run run;
    const sim_store_plan plan = fixture_plan(FIXTURE_REPLICATIONS);
    (void)signal(SIGXFSZ, SIG_IGN);
    limit_file_size(8192);
    ck_assert_ptr_null(sim_store_create(scratch_path, false, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_IO);
    ck_assert_int_ne(access(scratch_path, F_OK), 0);
    limit_file_size(RLIM_INFINITY);

    sim_store *store = scratch_create(FIXTURE_REPLICATIONS);
    scratch_write_run(store, 0, 0);
    char *before = scratch_dump(store);
    limit_file_size((rlim_t)file_size());
    fixture_run_make(&run, &plan, 0, 0, 1);
    ck_assert(!sim_store_write_run(store, &run.run, &scratch_error));
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(scratch_error.status, SIM_STORE_IO);
    char *after = scratch_dump(store);
    ck_assert_str_eq(before, after);
    ck_assert_msg(sim_store_write_run(store, &run.run, &scratch_error), "%s", scratch_error.message);
    sim_store_close(store);
    ck_assert_answer("SELECT group_concat(id) FROM run WHERE state = 'done'", "1,2");
    free(before);
    free(after);
}
END_TEST

enum { KILLS = 12, KILL_REPLICATIONS = 200, KILL_SEED = 20260731 };

/* Writes runs until it is killed. */
static void write_for_ever(int ready)
{
    static fixture_run run;
    const sim_store_plan plan = fixture_plan(KILL_REPLICATIONS);
    sim_store *store = sim_store_create(scratch_path, false, &plan, &scratch_error);
    const bool ok = store != NULL && write(ready, "r", 1) == 1;
    for (uint32_t i = 0; ok && i < 2 * KILL_REPLICATIONS; i++) {
        fixture_run_make(&run, &plan, 0, i / KILL_REPLICATIONS, i % KILL_REPLICATIONS);
        if (!sim_store_write_run(store, &run.run, &scratch_error))
            break;
    }
    _exit(0);
}

START_TEST(a_kill_at_any_moment_leaves_all_finished_runs_and_nothing_of_others)
{
    const sim_luck luck = {KILL_SEED, 0};
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        write_for_ever(pipes[1]);
    char letter = 0;
    (void)close(pipes[1]);
    ck_assert_int_eq((int)read(pipes[0], &letter, 1), 1);
    (void)close(pipes[0]);
    const uint64_t word = sim_draw_words(&luck, SIM_DRAW_GAP, (uint64_t)_i, 0).word[0];
    const struct timespec wait = {0, (long)sim_below(word, 150 * 1000 * 1000)};
    (void)nanosleep(&wait, NULL);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq((int)waitpid(child, NULL, 0), (int)child);

    ck_assert_answer("PRAGMA integrity_check", "ok");
    ck_assert_answer("SELECT count(*) FROM run", "400");
    ck_assert_answer("SELECT count(*) FROM run WHERE (state = 'done') <> (id <= (SELECT count(*) FROM run"
                     " WHERE state = 'done'))",
                     "0");
    char expected[64];
    (void)snprintf(expected, sizeof expected, "SELECT sum(state = 'done') * %d FROM run",
                   FIXTURE_PHASES * (int)SIM_METRIC_COUNT);
    char *metrics = scratch_ask(expected);
    ck_assert_answer("SELECT count(*) FROM metric", metrics);
    free(metrics);
    ck_assert_answer("SELECT count(*) FROM pragma_foreign_key_check", "0");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store files");
    TCase *tables = tcase_create("store");
    tcase_add_checked_fixture(tables, scratch_enter, scratch_leave);
    tcase_add_test(tables, an_existing_database_is_refused_and_stays_as_it_was);
    tcase_add_test(tables, replacing_gives_a_fresh_database);
    tcase_add_test(tables, a_file_of_another_kind_is_never_replaced);
    tcase_add_test(tables, a_database_of_another_schema_version_is_not_opened);
    tcase_add_test(tables, a_journal_left_by_a_deleted_database_does_no_harm);
    tcase_add_test(tables, a_folder_that_takes_no_file_is_an_io_error);
    tcase_add_test(tables, a_full_disk_is_an_io_error_and_loses_no_finished_run);
    tcase_add_loop_test(tables, a_kill_at_any_moment_leaves_all_finished_runs_and_nothing_of_others, 0, KILLS);
    suite_add_tcase(suite, tables);
    (void)printf("seed of the moments of the kill: %d\n", KILL_SEED);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
