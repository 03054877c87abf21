/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a database lies, and who may write to it; private to the store.
 *
 * One process at a time makes, replaces or fills a database. It holds a lock on FILE.lock, an empty file beside it that
 * goes when the writer ends; one that a kill has left is taken over by the next. The database itself cannot carry the
 * lock: SQLite gives up its own locks on a file when any descriptor of it is closed, and --force changes the file. */
#ifndef SIM_STORE_LOCK_H
#define SIM_STORE_LOCK_H

#include "store/store.h"

enum { SIM_STORE_PATH_SIZE = 4096 };

/* The file that `path` means: symbolic links followed, whether there is something at their end or not, and never a name
 * that SQLite takes for something else than a file. False with `*error`. */
bool sim_store_locate(const char *path, char target[SIM_STORE_PATH_SIZE], sim_store_error *error);

typedef struct {
    int file; /* -1: none */
    char name[SIM_STORE_PATH_SIZE];
} sim_store_lock;

/* False with `*error`: another process writes to that database. Where nothing can be locked, as in a folder that takes
 * no file, there is no lock: whatever cannot be written then says so itself. */
bool sim_store_lock_take(const char *path, sim_store_lock *lock, sim_store_error *error);
void sim_store_lock_release(sim_store_lock *lock);

#endif
