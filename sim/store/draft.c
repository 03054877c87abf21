/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A database is made as a draft beside its final name, FILE.new-PID, and renamed when its plan is complete. */
#include "store/draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/schema.h"

enum { HEADER_BYTES = 72, HEADER_APPLICATION_ID = 68 };
static const char MARK[] = ".new-";

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
        char name[SIM_DRAFT_NAME_SIZE + 16];
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
        sim_store_fail_system(path, "name", error);
    return ok;
}

/* SQLite would name another reason than the first where a file cannot be made. */
static bool make_empty(const char *path)
{
    FILE *file = fopen(path, "wbx");
    return file != NULL && fclose(file) == 0;
}

void sim_draft_drop(sim_draft *draft)
{
    sim_store_close(draft->store);
    draft->store = NULL;
    (void)unlink(draft->name);
    remove_companions(draft->name);
}

bool sim_draft_make(const char *path, const sim_store_plan *plan, sim_draft *draft, sim_store_error *error)
{
    draft->store = NULL;
    if ((size_t)snprintf(draft->name, sizeof draft->name, "%s%s%ld", path, MARK, (long)getpid()) >=
        sizeof draft->name) {
        errno = ENAMETOOLONG;
        sim_store_fail_system(path, "create", error);
        return false;
    }
    (void)unlink(draft->name);
    remove_companions(draft->name);
    if (!make_empty(draft->name)) {
        sim_store_fail_system(path, "create", error);
        return false;
    }
    draft->store = sim_store_open_file(draft->name, path, SQLITE_OPEN_READWRITE, error);
    if (draft->store != NULL && write_schema_and_plan(draft->store->db, plan))
        return true;
    if (draft->store != NULL)
        (void)sim_store_fail(draft->store, "write", error);
    sim_draft_drop(draft);
    return false;
}

bool sim_draft_publish(sim_draft *draft, const char *path, bool replace, sim_store_error *error)
{
    sim_store_close(draft->store);
    draft->store = NULL;
    if (take_name(draft->name, path, replace, error))
        return true;
    sim_draft_drop(draft);
    return false;
}

sim_store *sim_draft_create(const char *path, bool replace, const sim_store_plan *plan, sim_store_error *error)
{
    if (!may_take_name(path, replace, error))
        return NULL;
    sim_draft_sweep(path);
    sim_draft draft;
    if (!sim_draft_make(path, plan, &draft, error) || !sim_draft_publish(&draft, path, replace, error))
        return NULL;
    return sim_store_open_file(path, path, SQLITE_OPEN_READWRITE, error);
}

sim_store *sim_store_create(const char *path, bool replace, const sim_store_plan *plan, sim_store_error *error)
{
    char target[SIM_STORE_PATH_SIZE];
    sim_store_lock lock;
    *error = (sim_store_error){0};
    if (!sim_store_locate(path, target, error) || !may_take_name(target, replace, error) ||
        !sim_store_lock_take(target, &lock, error))
        return NULL;
    sim_store *store = sim_draft_create(target, replace, plan, error);
    if (store == NULL)
        sim_store_lock_release(&lock);
    else
        store->lock = lock;
    return store;
}

/* ---- what kills have left ---- */

/* The process of a draft's name, or 0 if `name` is no draft of `base`. */
static long process_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || strncmp(name + length, MARK, sizeof MARK - 1) != 0)
        return 0;
    const char *digits = name + length + sizeof MARK - 1;
    const size_t count = strspn(digits, "0123456789");
    return digits[count] == '\0' && count > 0 && count < 10 && digits[0] != '0' ? strtol(digits, NULL, 10) : 0;
}

/* A process of another host or container cannot be seen; its lock can, wherever the file system shares locks. */
static bool is_locked(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const bool is_free = file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
    if (file >= 0)
        (void)close(file);
    return !is_free;
}

static bool is_abandoned(const char *path, long process)
{
    struct stat status;
    const bool is_file = lstat(path, &status) == 0 && S_ISREG(status.st_mode);
    const bool is_gone = kill((pid_t)process, 0) != 0 && errno == ESRCH;
    return is_file && is_gone && is_replaceable(path) && !is_locked(path);
}

void sim_draft_sweep(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const int folder_length = (int)(base - path);
    char name[SIM_DRAFT_NAME_SIZE];
    if ((size_t)snprintf(name, sizeof name, "%.*s.", folder_length, path) >= sizeof name)
        return;
    DIR *folder = opendir(name);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const long process = process_of(entry->d_name, base);
        if (process == 0 ||
            (size_t)snprintf(name, sizeof name, "%.*s%s", folder_length, path, entry->d_name) >= sizeof name)
            continue;
        if (is_abandoned(name, process)) {
            (void)unlink(name);
            remove_companions(name);
        }
    }
    if (folder != NULL)
        (void)closedir(folder);
}
