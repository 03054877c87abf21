/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scratch.h"

#include <dirent.h>
#include <sqlite3.h>
#include <unistd.h>

char scratch_folder[256];
char scratch_path[300];
sim_store_error scratch_error;

void scratch_enter(void)
{
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(scratch_folder, sizeof scratch_folder, "%s/store-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    ck_assert_ptr_nonnull(mkdtemp(scratch_folder));
    (void)snprintf(scratch_path, sizeof scratch_path, "%s/a.db", scratch_folder);
}

void scratch_leave(void)
{
    DIR *directory = opendir(scratch_folder);
    const struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char name[600];
        (void)snprintf(name, sizeof name, "%s/%s", scratch_folder, entry->d_name);
        (void)unlink(name);
    }
    if (directory != NULL)
        (void)closedir(directory);
    (void)rmdir(scratch_folder);
}

sim_store *scratch_create(uint32_t replications)
{
    const sim_store_plan plan = fixture_plan(replications);
    sim_store *store = sim_store_create(scratch_path, false, &plan, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    return store;
}

void scratch_write_run(sim_store *store, uint32_t policy, uint32_t replication)
{
    static fixture_run run;
    const sim_store_plan plan = fixture_plan(FIXTURE_REPLICATIONS);
    fixture_run_make(&run, &plan, 0, policy, replication);
    ck_assert_msg(sim_store_write_run(store, &run.run, &scratch_error), "%s", scratch_error.message);
}

char *scratch_ask(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    ck_assert_int_eq(sqlite3_open_v2(scratch_path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    const bool has_row = sqlite3_step(statement) == SQLITE_ROW;
    const char *text = has_row ? (const char *)sqlite3_column_text(statement, 0) : "no row";
    char *copy = strdup(text == NULL ? "NULL" : text);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return copy;
}

char *scratch_dump(sim_store *store)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_msg(sim_store_dump(store, out, &scratch_error), "%s", scratch_error.message);
    (void)fclose(out);
    return text;
}
