/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/rows.h"

enum { LINKS_MAX = 40, TRIES_MAX = 100 };

/* Puts what the link says in its place: relative to the link's folder. False: errno says why. */
static bool follow(char path[SIM_STORE_PATH_SIZE])
{
    char said[SIM_STORE_PATH_SIZE];
    const ssize_t length = readlink(path, said, sizeof said - 1);
    if (length < 0)
        return false;
    said[length] = '\0';
    char *slash = strrchr(path, '/');
    const size_t folder = said[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (folder + (size_t)length >= SIM_STORE_PATH_SIZE) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(path + folder, said, (size_t)length + 1);
    return true;
}

bool sim_store_locate(const char *path, char target[SIM_STORE_PATH_SIZE], sim_store_error *error)
{
    /* SQLite has names of its own: ":memory:", "file:...?...". */
    const char *prefix = path[0] == ':' || strncmp(path, "file:", strlen("file:")) == 0 ? "./" : "";
    const int length = snprintf(target, SIM_STORE_PATH_SIZE, "%s%s", prefix, path);
    bool ok = path[0] != '\0' && length < SIM_STORE_PATH_SIZE;
    errno = path[0] == '\0' ? ENOENT : ENAMETOOLONG;
    struct stat status;
    for (int links = 0; ok && lstat(target, &status) == 0 && S_ISLNK(status.st_mode); links++) {
        errno = ELOOP;
        ok = links < LINKS_MAX && follow(target);
    }
    if (!ok)
        sim_store_fail_system(path, "find", error);
    return ok;
}

/* Whether the name still leads to the file: its holder before may have removed it. */
static bool is_in_place(const sim_store_lock *lock)
{
    struct stat held;
    struct stat named;
    return fstat(lock->file, &held) == 0 && lstat(lock->name, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

bool sim_store_lock_take(const char *path, sim_store_lock *lock, sim_store_error *error)
{
    lock->file = -1;
    if (snprintf(lock->name, sizeof lock->name, "%s.lock", path) >= (int)sizeof lock->name)
        return true;
    for (int i = 0; i < TRIES_MAX; i++) {
        lock->file = open(lock->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (lock->file < 0)
            return true;
        const bool is_held = flock(lock->file, LOCK_EX | LOCK_NB) == 0;
        if (is_held && is_in_place(lock))
            return true;
        const int reason = errno;
        (void)close(lock->file);
        lock->file = -1;
        if (!is_held && reason != EWOULDBLOCK)
            return true;
        if (!is_held) {
            error->status = SIM_STORE_BUSY;
            (void)snprintf(error->message, sizeof error->message, "another regionsim is writing to %s", path);
            return false;
        }
    }
    return true;
}

void sim_store_lock_release(sim_store_lock *lock)
{
    struct stat status;
    if (lock->file < 0)
        return;
    /* A file of that name with something in it is somebody's. */
    if (fstat(lock->file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 && is_in_place(lock))
        (void)unlink(lock->name);
    (void)close(lock->file);
    lock->file = -1;
}
