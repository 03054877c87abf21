/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going on with a database that holds part of its runs, and making room in it for more replications. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/draft.h"
#include "store/match.h"
#include "store/schema.h"

/* Names of all columns but the first, in order. The caller frees it. NULL: ask SQLite. */
static char *other_columns(sqlite3 *db, const char *table)
{
    sqlite3_stmt *statement = NULL;
    char *names = NULL;
    const char *sql = "SELECT group_concat(quoted, ', ') FROM"
                      " (SELECT '\"' || name || '\"' AS quoted FROM pragma_table_info(?) WHERE cid > 0 ORDER BY cid)";
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL)
        names = strdup((const char *)sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
    return names;
}

/* Copies what finished runs have written into a table whose first column is the run's id, under the ids that the larger
 * plan gives them. */
static bool copy_table(sqlite3 *db, const char *table, const char *id, uint32_t before, uint32_t after)
{
    char *columns = other_columns(db, table);
    char *sql = columns == NULL
                    ? NULL
                    : sqlite3_mprintf("INSERT OR REPLACE INTO main.%s SELECT (%s - 1) / %u * %u + (%s - 1) %% "
                                      "%u + 1, %s FROM old.%s WHERE %s IN (SELECT id FROM old.run WHERE "
                                      "state = 'done')",
                                      table, id, before, after, id, before, columns, table, id);
    const bool ok = sql != NULL && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    free(columns);
    return ok;
}

/* A search stays as it is, whatever its confirmation grows to. */
static bool copy_search(sqlite3 *db, const char *table)
{
    char *sql = sqlite3_mprintf("INSERT INTO main.%s SELECT * FROM old.%s", table, table);
    const bool ok = sql != NULL && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return ok;
}

static bool copy_runs(sqlite3 *db, const char *path, uint32_t before, uint32_t after)
{
    char *attach = sqlite3_mprintf("ATTACH %Q AS old", path);
    bool ok = attach != NULL && sqlite3_exec(db, attach, NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < sim_schema_table_count; i++) {
        const char *name = sim_schema_tables[i].name;
        if (strcmp(name, "run") == 0)
            ok = copy_table(db, name, "id", before, after);
        else if (strncmp(sim_schema_tables[i].key, "run_id", strlen("run_id")) == 0)
            ok = copy_table(db, name, "run_id", before, after);
        else if (sim_schema_is_search(name))
            ok = copy_search(db, name);
    }
    ok = ok && sqlite3_exec(db, "COMMIT; DETACH old", NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(attach);
    return ok;
}

/* The larger database is made beside the smaller one, which stays whole until it is replaced. */
static bool extend(const char *path, const sim_store_plan *plan, uint32_t before, sim_store_error *error)
{
    sim_draft draft;
    if (!sim_draft_make(path, plan, &draft, error))
        return false;
    if (copy_runs(draft.store->db, path, before, plan->replications))
        return sim_draft_publish(&draft, path, true, error);
    (void)sim_store_fail(draft.store, "extend", error);
    sim_draft_drop(&draft);
    return false;
}

/* With the lock held. */
static sim_store *resume(const char *path, const sim_store_plan *plan, sim_store_error *error)
{
    if (access(path, F_OK) != 0)
        return sim_draft_create(path, false, plan, error);
    sim_draft_sweep(path);
    sim_store *store = sim_store_open(path, error);
    if (store == NULL)
        return NULL;
    sim_store_summary summary = {0};
    bool ok = sim_store_matches(store, plan, error) && sim_store_read_summary(store, &summary, error);
    if (ok && summary.replications > plan->replications) {
        error->status = SIM_STORE_DIFFERS;
        (void)snprintf(error->message, sizeof error->message,
                       "the database %s holds %u replications, more than the %u asked for", path, summary.replications,
                       plan->replications);
        ok = false;
    }
    if (ok && summary.replications == plan->replications)
        return store;
    sim_store_close(store);
    return ok && extend(path, plan, summary.replications, error)
               ? sim_store_open_file(path, path, SQLITE_OPEN_READWRITE, error)
               : NULL;
}

sim_store *sim_store_resume(const char *path, const sim_store_plan *plan, sim_store_error *error)
{
    char target[SIM_STORE_PATH_SIZE];
    sim_store_lock lock;
    *error = (sim_store_error){0};
    if (!sim_store_locate(path, target, error) || !sim_store_lock_take(target, &lock, error))
        return NULL;
    sim_store *store = resume(target, plan, error);
    if (store == NULL)
        sim_store_lock_release(&lock);
    else
        store->lock = lock;
    return store;
}

bool sim_store_read_done(sim_store *store, bool *is_done, uint32_t count, sim_store_error *error)
{
    *error = (sim_store_error){0};
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(store->db, "SELECT id FROM run WHERE state = 'done' ORDER BY id", -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const int64_t id = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
        if (id >= 1 && id <= count)
            is_done[id - 1] = true;
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE || sim_store_fail(store, "read", error);
}
