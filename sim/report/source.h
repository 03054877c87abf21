/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One database that a report is made from.
 *
 * Everything is read in one transaction, so a run that another process finishes meanwhile is wholly in the report or
 * not at all. Nothing outside the file is looked at: the same database gives the same report anywhere. */
#ifndef SIM_REPORT_SOURCE_H
#define SIM_REPORT_SOURCE_H

#include <sqlite3.h>

#include "cli/summary.h"
#include "cli/sweep.h"
#include "scenario/arena.h"

typedef struct {
    const char *path; /* as given; borrowed */
    sim_store *store;
    sqlite3 *db; /* the store's */
    sim_arena *arena;
    sim_store_plan plan;
    sim_store_summary about;
    sim_outcome *outcome;
    bool is_tune;  /* the plan is the confirmation of a search, which the tables tune_* tell */
    bool is_sweep; /* then there is no summary: points are judged among each other, not against the first */
    sim_store_sweep points;
    cli_sweep_view sweep;
    cli_summary summary;
} rep_source;

/* False with `*error` filled in. Free with rep_source_close() in any case. */
bool rep_source_open(rep_source *self, const char *path, sim_store_error *error);
void rep_source_close(rep_source *self);

/* plan.c: what the tables tell of the plan, in self->arena. Scenarios and policies have what comparing and summing up
 * look at: names, texts, phases, objectives, expectations about policies of this database; no world. */
bool rep_plan_read(rep_source *self, sim_store_error *error);

/* sweep_plan.c: the points of a sweep, where the database holds one: sets is_sweep, points and sweep. */
bool rep_sweep_read(rep_source *self, sim_store_error *error);

/* Name of the policy that the policy of a sweep was made from; its own where it was not made. */
const char *rep_sweep_base(const rep_source *self, uint32_t policy);

/* ---- queries ---- */

/* The statement with its parameters bound, in order; NULL after noting it in `*error`, as sim_store_fail() does. */
sqlite3_stmt *rep_query(const rep_source *self, const char *sql, const int64_t *parameter, size_t count,
                        sim_store_error *error);

/* Steps; false at the end, or with `*error` after a failure. Finalizes at either. */
bool rep_next(const rep_source *self, sqlite3_stmt **statement, sim_store_error *error);

/* A single number; `otherwise` where there is none or it is NULL. */
int64_t rep_single(const rep_source *self, const char *sql, const int64_t *parameter, size_t count, int64_t otherwise);

/* The text of a column, never NULL. */
const char *rep_column(sqlite3_stmt *statement, int column);

#endif
