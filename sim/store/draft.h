/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drafts of databases; private to the store.
 *
 * A kill can leave a draft behind. The next one who makes or resumes the database removes it, if its process is gone
 * and nobody holds a lock on it. */
#ifndef SIM_STORE_DRAFT_H
#define SIM_STORE_DRAFT_H

#include "store/rows.h"

enum { SIM_DRAFT_NAME_SIZE = 4096 };

typedef struct {
    char name[SIM_DRAFT_NAME_SIZE];
    sim_store *store;
} sim_draft;

/* Makes a new database under its final name, as sim_store_create() does; the caller holds the lock. */
sim_store *sim_draft_create(const char *path, bool replace, const sim_store_plan *plan, sim_store_error *error);

/* Writes schema and plan. False with `*error`: nothing is left behind. */
bool sim_draft_make(const char *path, const sim_store_plan *plan, sim_draft *draft, sim_store_error *error);

/* Closes the draft and gives it its name; without `replace` never over another file. False with `*error`: it is gone.
 */
bool sim_draft_publish(sim_draft *draft, const char *path, bool replace, sim_store_error *error);

/* Closes and removes the draft. */
void sim_draft_drop(sim_draft *draft);

/* Removes drafts of `path` that nobody works on any more. */
void sim_draft_sweep(const char *path);

#endif
