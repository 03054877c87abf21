/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose file it is: links, names that SQLite takes for something else, second writers, readers that stay. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

static char link_path[320];

static const char *in_folder(const char *name, char out[320])
{
    (void)snprintf(out, 320, "%s/%s", scratch_folder, name);
    return out;
}

static bool is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static bool is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* ---- links and names ---- */

START_TEST(a_link_leads_to_the_file_that_is_made_replaced_and_resumed)
{
    static const char *const TARGETS[] = {"a.db", "./a.db", NULL /* absolute */, "second.db" /* a link itself */};
    const sim_store_plan plan = fixture_plan(2);
    char second[320];
    const char *target = TARGETS[_i] == NULL ? scratch_path : TARGETS[_i];
    ck_assert_int_eq(symlink("a.db", in_folder("second.db", second)), 0);
    ck_assert_int_eq(symlink(target, in_folder("link.db", link_path)), 0);
    for (int way = 0; way < 3; way++) {
        sim_store *store = way == 0   ? sim_store_create(link_path, false, &plan, &scratch_error)
                           : way == 1 ? sim_store_create(link_path, true, &plan, &scratch_error)
                                      : sim_store_resume(link_path, &plan, &scratch_error);
        ck_assert_msg(store != NULL, "way %d: %s", way, scratch_error.message);
        sim_store_close(store);
        ck_assert(is_link(link_path));
        ck_assert(is_link(second));
        ck_assert(!is_link(scratch_path));
        ck_assert_answer("SELECT count(*) FROM run", "4");
    }
    ck_assert_ptr_null(sim_store_create(link_path, false, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_EXISTS);
}
END_TEST

START_TEST(a_link_that_leads_nowhere_is_an_io_error_and_leaves_nothing)
{
    static const char *const TARGETS[] = {"link.db", "no/such/folder/a.db"};
    const sim_store_plan plan = fixture_plan(1);
    ck_assert_int_eq(symlink(TARGETS[_i], in_folder("link.db", link_path)), 0);
    for (int way = 0; way < 3; way++) {
        ck_assert_ptr_null(way == 0   ? sim_store_create(link_path, false, &plan, &scratch_error)
                           : way == 1 ? sim_store_create(link_path, true, &plan, &scratch_error)
                                      : sim_store_resume(link_path, &plan, &scratch_error));
        ck_assert_int_eq(scratch_error.status, SIM_STORE_IO);
        ck_assert_msg(strstr(scratch_error.message, _i == 0 ? "symbolic links" : "No such file") != NULL, "%s",
                      scratch_error.message);
    }
    ck_assert_int_eq(unlink(link_path), 0);
    ck_assert_int_eq(rmdir(scratch_folder), 0); /* it is empty */
}
END_TEST

START_TEST(names_that_sqlite_knows_are_names_of_files)
{
    static const char *const NAMES[] = {":memory:", "file:a.db?mode=memory", "file::memory:"};
    const sim_store_plan small = fixture_plan(1);
    const sim_store_plan large = fixture_plan(2);
    char here[320];
    ck_assert_int_eq(chdir(scratch_folder), 0);
    sim_store *store = sim_store_create(NAMES[_i], false, &small, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    scratch_write_run(store, 0, 0);
    sim_store_close(store);
    store = sim_store_resume(NAMES[_i], &large, &scratch_error); /* attaches the smaller one */
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    sim_store_close(store);
    ck_assert_int_eq(rename(in_folder(NAMES[_i], here), scratch_path), 0);
    ck_assert_answer("SELECT count(*) || ' ' || sum(state = 'done') FROM run", "4 1");
}
END_TEST

START_TEST(no_name_is_no_file)
{
    const sim_store_plan plan = fixture_plan(1);
    ck_assert_ptr_null(sim_store_create("", false, &plan, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_IO);
}
END_TEST

/* ---- a second writer ---- */

/* A process that holds the database until it is killed. */
static pid_t hold(void)
{
    const sim_store_plan plan = fixture_plan(2);
    int pipes[2];
    char letter = 0;
    ck_assert_int_eq(pipe(pipes), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        sim_store *store = sim_store_resume(scratch_path, &plan, &scratch_error);
        (void)!write(pipes[1], store == NULL ? "n" : "y", 1);
        (void)pause();
        _exit(0);
    }
    ck_assert_int_eq((int)read(pipes[0], &letter, 1), 1);
    ck_assert_int_eq(letter, 'y');
    return child;
}

static void end(pid_t child)
{
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq((int)waitpid(child, NULL, 0), (int)child);
}

START_TEST(two_processes_do_not_write_to_one_database)
{
    const sim_store_plan plan = fixture_plan(2);
    const sim_store_plan large = fixture_plan(3);
    char words[400];
    (void)snprintf(words, sizeof words, "another regionsim is writing to %s", scratch_path);
    const pid_t child = hold();
    ck_assert_int_eq(symlink("a.db", in_folder("link.db", link_path)), 0);
    for (int way = 0; way < 4; way++) {
        ck_assert_ptr_null(way == 0   ? sim_store_resume(scratch_path, &plan, &scratch_error)
                           : way == 1 ? sim_store_resume(scratch_path, &large, &scratch_error)
                           : way == 2 ? sim_store_create(scratch_path, true, &plan, &scratch_error)
                                      : sim_store_create(link_path, true, &plan, &scratch_error));
        ck_assert_int_eq(scratch_error.status, SIM_STORE_BUSY);
        ck_assert_str_eq(scratch_error.message, words);
    }
    sim_store *reader = sim_store_open(scratch_path, &scratch_error);
    ck_assert_msg(reader != NULL, "%s", scratch_error.message);
    sim_store_close(reader);
    end(child);
    sim_store *store = sim_store_resume(scratch_path, &large, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    scratch_write_run(store, 0, 0);
    sim_store_close(store);
}
END_TEST

START_TEST(a_lock_goes_with_its_writer_and_spares_what_is_somebody_elses)
{
    char name[320];
    (void)in_folder("a.db.lock", name);
    sim_store *store = scratch_create(1);
    ck_assert(is_there(name));
    sim_store_close(store);
    ck_assert(!is_there(name));
    end(hold()); /* killed: the lock's file stays */
    ck_assert(is_there(name));
    const sim_store_plan plan = fixture_plan(2);
    sim_store_close(sim_store_create(scratch_path, true, &plan, &scratch_error));
    ck_assert(!is_there(name));
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs("mine", file);
    (void)fclose(file);
    store = sim_store_create(scratch_path, true, &plan, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    sim_store_close(store);
    ck_assert(is_there(name));
}
END_TEST

/* ---- readers that stay ---- */

static sqlite3 *begin_reading(void)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(scratch_path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "BEGIN; SELECT * FROM run", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

typedef struct {
    sqlite3 *reader;
    unsigned times;
    unsigned last_ms;
    unsigned until; /* the reader leaves, or ... */
    bool gives_up;  /* ... we do */
} patience;

static bool go_on(void *context, unsigned waited_ms)
{
    patience *self = context;
    ck_assert(self->times == 0 || waited_ms > self->last_ms);
    self->last_ms = waited_ms;
    if (++self->times < self->until)
        return true;
    if (!self->gives_up)
        ck_assert_int_eq(sqlite3_exec(self->reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    return !self->gives_up;
}

START_TEST(a_writer_waits_for_a_reader_as_long_as_it_is_told_to)
{
    patience self = {.reader = NULL, .until = 4};
    sim_store *store = scratch_create(2);
    sim_store_set_patience(store, go_on, &self);
    self.reader = begin_reading();
    scratch_write_run(store, 0, 0);
    ck_assert_uint_ge(self.times, 4);
    ck_assert_uint_eq(self.last_ms, (self.times - 1) * 50);
    sim_store_close(store);
    (void)sqlite3_close(self.reader);
    ck_assert_answer("SELECT sum(state = 'done') FROM run", "1");
}
END_TEST

START_TEST(a_writer_that_gives_up_says_busy_and_can_write_later)
{
    static fixture_run run;
    const sim_store_plan plan = fixture_plan(2);
    patience self = {.until = 3, .gives_up = true};
    sim_store *store = scratch_create(2);
    sim_store_set_patience(store, go_on, &self);
    self.reader = begin_reading();
    fixture_run_make(&run, &plan, 0, 0, 0);
    ck_assert(!sim_store_write_run(store, &run.run, &scratch_error));
    ck_assert_int_eq(scratch_error.status, SIM_STORE_BUSY);
    ck_assert_msg(strstr(scratch_error.message, "another program holds it") != NULL, "%s", scratch_error.message);
    ck_assert_uint_eq(self.times, 3);
    (void)sqlite3_close(self.reader);
    ck_assert_msg(sim_store_write_run(store, &run.run, &scratch_error), "%s", scratch_error.message);
    sim_store_close(store);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sharing");
    TCase *tables = tcase_create("sharing");
    tcase_add_checked_fixture(tables, scratch_enter, scratch_leave);
    tcase_add_loop_test(tables, a_link_leads_to_the_file_that_is_made_replaced_and_resumed, 0, 4);
    tcase_add_loop_test(tables, a_link_that_leads_nowhere_is_an_io_error_and_leaves_nothing, 0, 2);
    tcase_add_loop_test(tables, names_that_sqlite_knows_are_names_of_files, 0, 3);
    tcase_add_test(tables, no_name_is_no_file);
    tcase_add_test(tables, two_processes_do_not_write_to_one_database);
    tcase_add_test(tables, a_lock_goes_with_its_writer_and_spares_what_is_somebody_elses);
    tcase_add_test(tables, a_writer_waits_for_a_reader_as_long_as_it_is_told_to);
    tcase_add_test(tables, a_writer_that_gives_up_says_busy_and_can_write_later);
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
