/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making, opening and closing a database, and saying what went wrong with it. */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/rows.h"
#include "store/schema.h"

enum { BUSY_MS = 10000, HEADER_BYTES = 72, HEADER_APPLICATION_ID = 68 };

bool sim_store_fail(const sim_store *store, const char *doing, sim_store_error *error)
{
    error->status = SIM_STORE_IO;
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

static void fail_system(const char *path, const char *doing, sim_store_error *error)
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
    free(store->path);
    free(store);
}

/* `path` is what messages call the file. */
static sim_store *open_file(const char *file, const char *path, int flags, sim_store_error *error)
{
    sim_store *store = calloc(1, sizeof *store);
    char *copy = strdup(path);
    if (store == NULL || copy == NULL) {
        free(store);
        free(copy);
        errno = ENOMEM;
        fail_system(path, "open", error);
        return NULL;
    }
    store->path = copy;
    const bool is_open = sqlite3_open_v2(file, &store->db, flags, NULL) == SQLITE_OK &&
                         sqlite3_busy_timeout(store->db, BUSY_MS) == SQLITE_OK &&
                         sqlite3_exec(store->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL) == SQLITE_OK;
    if (is_open)
        return store;
    (void)sim_store_fail(store, "open", error);
    sim_store_close(store);
    return NULL;
}

static bool write_schema_and_plan(sqlite3 *db, const sim_store_plan *plan)
{
    char pragmas[128];
    (void)snprintf(pragmas, sizeof pragmas, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d;",
                   SIM_STORE_APPLICATION_ID, SIM_STORE_SCHEMA_VERSION);
    bool ok = sqlite3_exec(db, pragmas, NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < sim_schema_table_count; i++)
        ok = sqlite3_exec(db, sim_schema_tables[i].ddl, NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < sim_schema_view_count; i++)
        ok = sqlite3_exec(db, sim_schema_views[i], NULL, NULL, NULL) == SQLITE_OK;
    return ok && sim_store_write_plan(db, plan) && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

/* Removes what SQLite would take for the unfinished business of a file of that name. */
static void remove_companions(const char *path)
{
    static const char *const SUFFIX[] = {"-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof SUFFIX / sizeof *SUFFIX; i++) {
        char name[4096];
        if ((size_t)snprintf(name, sizeof name, "%s%s", path, SUFFIX[i]) < sizeof name)
            (void)unlink(name);
    }
}

/* A file that --force may replace: empty, or a database of this program. */
static bool is_replaceable(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    unsigned char header[HEADER_BYTES] = {0};
    const size_t size = fread(header, 1, sizeof header, file);
    const bool is_read = ferror(file) == 0;
    (void)fclose(file);
    const unsigned char *id = header + HEADER_APPLICATION_ID;
    const unsigned number = (unsigned)id[0] << 24 | (unsigned)id[1] << 16 | (unsigned)id[2] << 8 | (unsigned)id[3];
    const bool is_ours = size == sizeof header && memcmp(header, "SQLite format 3", 16) == 0 &&
                         number == (unsigned)SIM_STORE_APPLICATION_ID;
    return is_read && (size == 0 || is_ours);
}

static bool may_take_name(const char *path, bool replace, sim_store_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return true;
    if (!S_ISREG(status.st_mode) || (replace && !is_replaceable(path))) {
        error->status = SIM_STORE_ALIEN;
        (void)snprintf(error->message, sizeof error->message,
                       "%s exists and is no database of this program; it is not replaced", path);
        return false;
    }
    if (!replace) {
        error->status = SIM_STORE_EXISTS;
        (void)snprintf(error->message, sizeof error->message, "the database %s exists already", path);
    }
    return replace;
}

/* Gives the finished file its name; without `replace` never over another. */
static bool take_name(const char *from, const char *path, bool replace, sim_store_error *error)
{
    if (replace || access(path, F_OK) != 0)
        remove_companions(path);
    bool ok = false;
    if (replace) {
        ok = rename(from, path) == 0;
    } else if (link(from, path) == 0) {
        ok = unlink(from) == 0;
    } else if (errno == EEXIST) {
        return may_take_name(path, false, error);
    } else {
        ok = rename(from, path) == 0; /* a file system without hard links */
    }
    if (!ok)
        fail_system(path, "name", error);
    return ok;
}

/* SQLite would name another reason than the first where a file cannot be made. */
static bool make_empty(const char *path)
{
    FILE *file = fopen(path, "wbx");
    return file != NULL && fclose(file) == 0;
}

sim_store *sim_store_create(const char *path, bool replace, const sim_store_plan *plan, sim_store_error *error)
{
    *error = (sim_store_error){0};
    if (!may_take_name(path, replace, error))
        return NULL;
    char draft[4096];
    if ((size_t)snprintf(draft, sizeof draft, "%s.new-%ld", path, (long)getpid()) >= sizeof draft) {
        errno = ENAMETOOLONG;
        fail_system(path, "create", error);
        return NULL;
    }
    (void)unlink(draft);
    remove_companions(draft);
    if (!make_empty(draft)) {
        fail_system(path, "create", error);
        return NULL;
    }
    sim_store *store = open_file(draft, path, SQLITE_OPEN_READWRITE, error);
    bool ok = store != NULL;
    if (ok && !write_schema_and_plan(store->db, plan))
        ok = sim_store_fail(store, "write", error);
    sim_store_close(store);
    ok = ok && take_name(draft, path, replace, error);
    if (!ok) {
        (void)unlink(draft);
        remove_companions(draft);
        return NULL;
    }
    return open_file(path, path, SQLITE_OPEN_READWRITE, error);
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
    *error = (sim_store_error){0};
    sim_store *store = open_file(path, path, SQLITE_OPEN_READWRITE, error);
    if (store == NULL)
        return NULL;
    int64_t id = 0;
    int64_t version = 0;
    if (!read_number(store->db, "PRAGMA application_id", &id) ||
        !read_number(store->db, "PRAGMA user_version", &version)) {
        const bool is_alien = sqlite3_errcode(store->db) == SQLITE_NOTADB;
        (void)sim_store_fail(store, "read", error);
        error->status = is_alien ? SIM_STORE_ALIEN : SIM_STORE_IO;
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
    if (!ok)
        return sim_store_fail(store, "read", error);
    *summary = (sim_store_summary){(uint64_t)seed, (uint32_t)replications, (uint32_t)scenarios, (uint32_t)policies,
                                   (uint32_t)done};
    return true;
}
