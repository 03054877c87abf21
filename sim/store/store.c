/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening and closing a database, and saying what went wrong with it. */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/rows.h"

enum { BUSY_MS = 10000, WAIT_MS = 50 };

bool sim_store_fail(const sim_store *store, const char *doing, sim_store_error *error)
{
    const bool is_busy = store->db != NULL && sqlite3_errcode(store->db) == SQLITE_BUSY;
    error->status = is_busy ? SIM_STORE_BUSY : SIM_STORE_IO;
    if (is_busy) {
        (void)snprintf(error->message, sizeof error->message, "cannot %s the database %s: another program holds it",
                       doing, store->path);
        return false;
    }
    const int number = store->db == NULL ? ENOMEM : sqlite3_system_errno(store->db);
    const char *what = store->db == NULL ? "out of memory" : sqlite3_errmsg(store->db);
    if (number != 0)
        (void)snprintf(error->message, sizeof error->message, "cannot %s the database %s: %s (%s)", doing, store->path,
                       what, strerror(number));
    else
        (void)snprintf(error->message, sizeof error->message, "cannot %s the database %s: %s", doing, store->path,
                       what);
    return false;
}

void sim_store_fail_system(const char *path, const char *doing, sim_store_error *error)
{
    error->status = SIM_STORE_IO;
    (void)snprintf(error->message, sizeof error->message, "cannot %s the database %s: %s", doing, path,
                   strerror(errno));
}

void sim_store_close(sim_store *store)
{
    if (store == NULL)
        return;
    (void)sqlite3_close(store->db);
    sim_store_lock_release(&store->lock);
    free(store->path);
    free(store);
}

sim_store *sim_store_open_file(const char *file, const char *path, int flags, sim_store_error *error)
{
    sim_store *store = calloc(1, sizeof *store);
    char *copy = strdup(path);
    if (store == NULL || copy == NULL) {
        free(store);
        free(copy);
        errno = ENOMEM;
        sim_store_fail_system(path, "open", error);
        return NULL;
    }
    store->path = copy;
    store->lock.file = -1;
    /* One thread uses a store: SQLite's own mutexes would cost a tenth of all writing. */
    const bool is_open = sqlite3_open_v2(file, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
                         sqlite3_busy_timeout(store->db, BUSY_MS) == SQLITE_OK &&
                         sqlite3_exec(store->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL) == SQLITE_OK;
    if (is_open)
        return store;
    (void)sim_store_fail(store, "open", error);
    sim_store_close(store);
    return NULL;
}

/* For SQLite: 0 gives up. */
static int wait_a_little(void *context, int times)
{
    const sim_store *store = context;
    const struct timespec pause = {0, (long)WAIT_MS * 1000000};
    if (!store->go_on(store->patience_context, (unsigned)times * WAIT_MS))
        return 0;
    (void)nanosleep(&pause, NULL);
    return 1;
}

void sim_store_set_patience(sim_store *store, bool (*go_on)(void *context, unsigned waited_ms), void *context)
{
    store->go_on = go_on;
    store->patience_context = context;
    if (go_on == NULL)
        (void)sqlite3_busy_timeout(store->db, BUSY_MS);
    else
        (void)sqlite3_busy_handler(store->db, wait_a_little, store);
}

static bool read_number(sqlite3 *db, const char *sql, int64_t *value)
{
    sqlite3_stmt *statement = NULL;
    const bool ok =
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW;
    if (ok)
        *value = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return ok;
}

sim_store *sim_store_open(const char *path, sim_store_error *error)
{
    char target[SIM_STORE_PATH_SIZE];
    *error = (sim_store_error){0};
    sim_store *store = NULL;
    if (sim_store_locate(path, target, error))
        store = sim_store_open_file(target, target, SQLITE_OPEN_READWRITE, error);
    if (store == NULL)
        return NULL;
    int64_t id = 0;
    int64_t version = 0;
    if (!read_number(store->db, "PRAGMA application_id", &id) ||
        !read_number(store->db, "PRAGMA user_version", &version)) {
        const bool is_alien = sqlite3_errcode(store->db) == SQLITE_NOTADB;
        (void)sim_store_fail(store, "read", error);
        if (is_alien)
            error->status = SIM_STORE_ALIEN;
    } else if (id != SIM_STORE_APPLICATION_ID || version != SIM_STORE_SCHEMA_VERSION) {
        error->status = SIM_STORE_ALIEN;
        (void)snprintf(error->message, sizeof error->message,
                       "%s is no database of this program with schema version %d", path, SIM_STORE_SCHEMA_VERSION);
    } else {
        return store;
    }
    sim_store_close(store);
    return NULL;
}

bool sim_store_read_summary(sim_store *store, sim_store_summary *summary, sim_store_error *error)
{
    *error = (sim_store_error){0};
    int64_t seed = 0;
    int64_t replications = 0;
    int64_t scenarios = 0;
    int64_t policies = 0;
    int64_t done = 0;
    const bool ok = read_number(store->db, "SELECT seed FROM experiment", &seed) &&
                    read_number(store->db, "SELECT replications FROM experiment", &replications) &&
                    read_number(store->db, "SELECT scenarios FROM experiment", &scenarios) &&
                    read_number(store->db, "SELECT policies FROM experiment", &policies) &&
                    read_number(store->db, "SELECT count(*) FROM run WHERE state = 'done'", &done);
    const int code = sqlite3_errcode(store->db);
    if (!ok && (code == SQLITE_OK || code == SQLITE_DONE)) { /* no row, which is no error of SQLite's */
        error->status = SIM_STORE_ALIEN;
        (void)snprintf(error->message, sizeof error->message, "the database %s holds no experiment", store->path);
    }
    if (!ok)
        return error->status == SIM_STORE_OK ? sim_store_fail(store, "read", error) : false;
    *summary = (sim_store_summary){(uint64_t)seed, (uint32_t)replications, (uint32_t)scenarios, (uint32_t)policies,
                                   (uint32_t)done};
    return true;
}
