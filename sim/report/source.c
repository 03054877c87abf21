/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/source.h"

#include "store/rows.h"

sqlite3_stmt *rep_query(const rep_source *self, const char *sql, const int64_t *parameter, size_t count,
                        sim_store_error *error)
{
    return sim_store_ask(self->store, sql, parameter, count, error);
}

bool rep_next(const rep_source *self, sqlite3_stmt **statement, sim_store_error *error)
{
    return sim_store_step(self->store, statement, error);
}

int64_t rep_single(const rep_source *self, const char *sql, const int64_t *parameter, size_t count, int64_t otherwise)
{
    sim_store_error ignored;
    int64_t value = otherwise;
    sqlite3_stmt *statement = rep_query(self, sql, parameter, count, &ignored);
    if (statement != NULL && sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        value = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return value;
}

const char *rep_column(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text == NULL ? "" : text;
}

bool rep_source_open(rep_source *self, const char *path, sim_store_error *error)
{
    *self = (rep_source){.path = path};
    self->store = sim_store_open(path, error);
    if (self->store == NULL)
        return false;
    self->db = self->store->db;
    if (sqlite3_exec(self->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return sim_store_fail(self->store, "read", error);
    self->arena = sim_arena_create();
    if (!sim_store_read_summary(self->store, &self->about, error) || !rep_plan_read(self, error) ||
        !rep_sweep_read(self, error))
        return false;
    self->outcome = sim_outcome_read(self->store, &self->plan, error);
    if (self->outcome == NULL)
        return false;
    self->is_tune = rep_single(self, "SELECT count(*) FROM tune", NULL, 0, 0) > 0;
    self->sweep.outcome = self->outcome;
    if (!self->is_sweep && !cli_summary_open(&self->summary, &self->plan, self->outcome, path, CLI_VIEW_RUN)) {
        *error = (sim_store_error){SIM_STORE_IO, "out of memory"};
        return false;
    }
    return true;
}

void rep_source_close(rep_source *self)
{
    if (self->outcome != NULL && !self->is_sweep)
        cli_summary_close(&self->summary);
    sim_outcome_destroy(self->outcome);
    sim_store_close(self->store);
    if (self->arena != NULL)
        sim_arena_destroy(self->arena);
    *self = (rep_source){0};
}
