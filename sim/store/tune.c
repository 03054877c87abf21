/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search's side of a database: made, gone on with, its runs. */
#include "store/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/draft.h"
#include "store/match.h"
#include "store/schema.h"

static bool execute(sim_store *store, const char *sql, sim_store_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK || sim_store_fail(store, "write", error);
}

static bool write_head(sim_store *store, const sim_tune_head *head, sim_store_error *error)
{
    sim_rows rows;
    sim_rows_open(&rows, store->db,
                  "INSERT INTO tune (id, base, settings, first_replication, scenarios, budget) VALUES (1,?,?,?,?,?)");
    sim_rows_text(&rows, head->base);
    sim_rows_text(&rows, head->settings);
    sim_rows_int(&rows, head->first_replication);
    sim_rows_int(&rows, head->scenarios);
    sim_rows_int(&rows, head->budget);
    sim_rows_next(&rows);
    return sim_rows_close(&rows) || sim_store_fail(store, "write", error);
}

static sim_store *headed(sim_store *store, const sim_tune_head *head, sim_store_error *error)
{
    if (store == NULL || write_head(store, head, error))
        return store;
    sim_store_close(store);
    return NULL;
}

sim_store *sim_tune_create(const char *path, bool replace, const sim_store_plan *plan, const sim_tune_head *head,
                           sim_store_error *error)
{
    return headed(sim_store_create(path, replace, plan, error), head, error);
}

/* Points at the first line in which two texts differ; both are `settings`. */
static void first_difference(const char **there, const char **here)
{
    while (**there != '\0' && **here != '\0') {
        const size_t a = strcspn(*there, "\n");
        const size_t b = strcspn(*here, "\n");
        if (a != b || strncmp(*there, *here, a) != 0)
            return;
        *there += a + ((*there)[a] == '\n');
        *here += b + ((*here)[b] == '\n');
    }
}

static int first_line(const char *text)
{
    const size_t length = strcspn(text, "\n");
    return length < 300 ? (int)length : 300;
}

typedef struct {
    sim_store *store;
    const sim_tune_head *head;
    sim_store_error *error;
    bool is_there;
    bool differs;
} heading;

static bool compare_head(void *context, sqlite3_stmt *statement)
{
    heading *self = context;
    const char *there = (const char *)sqlite3_column_text(statement, 0);
    const char *here = self->head->settings;
    self->is_there = true;
    if (there == NULL)
        return false;
    self->differs = strcmp(there, here) != 0;
    if (!self->differs)
        return true;
    first_difference(&there, &here);
    if (*there == '\0') /* made by a version that knew less */
        (void)snprintf(self->error->message, sizeof self->error->message,
                       "the database %s holds another search, of a version without \"%.*s\"", self->store->path,
                       first_line(here), here);
    else
        (void)snprintf(self->error->message, sizeof self->error->message,
                       "the database %s holds another search: \"%.*s\" there, \"%.*s\" here", self->store->path,
                       first_line(there), there, first_line(here), here);
    return true;
}

/* Whether nobody has added replications to the confirmation, which moves the ids of its runs. */
static bool replications_match(sim_store *store, const sim_store_plan *plan, sim_store_error *error)
{
    sim_store_summary summary;
    if (!sim_store_read_summary(store, &summary, error))
        return false;
    if (summary.replications == plan->replications)
        return true;
    error->status = SIM_STORE_DIFFERS;
    (void)snprintf(error->message, sizeof error->message,
                   "the database %.400s holds %u replications of the confirmation, not the %u of the search",
                   store->path, summary.replications, plan->replications);
    return false;
}

/* The search of the database is that of `head`; where a kill came before its row was written, it is now. */
static bool head_matches(sim_store *store, const sim_store_plan *plan, const sim_tune_head *head,
                         sim_store_error *error)
{
    sim_store_error difference = {0};
    heading self = {store, head, &difference, false, false};
    if (!sim_store_each_row(store, "SELECT settings FROM tune", compare_head, &self, error))
        return false;
    if (self.differs) {
        difference.status = SIM_STORE_DIFFERS;
        *error = difference;
        return false;
    }
    return replications_match(store, plan, error) &&
           (self.is_there || (sim_store_matches(store, plan, error) && write_head(store, head, error)));
}

sim_store *sim_tune_resume(const char *path, const sim_store_plan *plan, const sim_tune_head *head,
                           sim_store_error *error)
{
    char target[SIM_STORE_PATH_SIZE];
    sim_store_lock lock;
    *error = (sim_store_error){0};
    if (!sim_store_locate(path, target, error))
        return NULL;
    if (access(target, F_OK) != 0)
        return sim_tune_create(path, false, plan, head, error);
    if (!sim_store_lock_take(target, &lock, error))
        return NULL;
    sim_draft_sweep(target);
    sim_store *store = sim_store_open(target, error);
    if (store == NULL) {
        sim_store_lock_release(&lock);
        return NULL;
    }
    store->lock = lock;
    if (head_matches(store, plan, head, error))
        return store;
    sim_store_close(store);
    return NULL;
}

static bool write_metrics(sqlite3 *db, const sim_tune_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_metric VALUES (?,?,?,?,?)");
    for (size_t i = 0; i < run->count; i++) {
        sim_rows_int(&rows, run->point);
        sim_rows_int(&rows, (int64_t)run->scenario + 1);
        sim_rows_int(&rows, run->replication);
        sim_rows_text(&rows, sim_metric_at(run->metric[i])->name);
        if (isnan(run->value[i]))
            sim_rows_null(&rows);
        else
            sim_rows_real(&rows, run->value[i]);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

bool sim_tune_write_run(sim_store *store, const sim_tune_run *run, sim_store_error *error)
{
    *error = (sim_store_error){0};
    if (!execute(store, "BEGIN", error))
        return false;
    sim_rows rows;
    sim_rows_open(&rows, store->db, "INSERT INTO tune_run VALUES (?,?,?,?)");
    sim_rows_int(&rows, run->point);
    sim_rows_int(&rows, (int64_t)run->scenario + 1);
    sim_rows_int(&rows, run->replication);
    sim_rows_text(&rows, run->digest);
    sim_rows_next(&rows);
    if (sim_rows_close(&rows) && write_metrics(store->db, run) &&
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    (void)sim_store_fail(store, "write", error);
    (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

typedef struct {
    void (*row)(void *context, const sim_tune_stored *value);
    void *context;
} reader;

static bool read_value(void *context, sqlite3_stmt *statement)
{
    const reader *self = context;
    const bool is_null = sqlite3_column_type(statement, 4) == SQLITE_NULL;
    const sim_tune_stored value = {
        .point = (uint32_t)sqlite3_column_int64(statement, 0),
        .scenario = (uint32_t)sqlite3_column_int64(statement, 1) - 1,
        .replication = (uint32_t)sqlite3_column_int64(statement, 2),
        .metric = sim_metric_find((const char *)sqlite3_column_text(statement, 3)),
        .value = is_null ? (double)NAN : sqlite3_column_double(statement, 4),
    };
    if (value.metric == SIM_METRIC_COUNT)
        return false;
    self->row(self->context, &value);
    return true;
}

bool sim_tune_read(sim_store *store, void (*row)(void *context, const sim_tune_stored *value), void *context,
                   sim_store_error *error)
{
    reader self = {row, context};
    return sim_store_each_row(store,
                              "SELECT point_id, scenario_id, replication, metric, value FROM tune_metric"
                              " ORDER BY point_id, scenario_id, replication, metric",
                              read_value, &self, error);
}

/* Children go before parents. */
static bool clear_plan(sqlite3 *db)
{
    bool ok = true;
    for (size_t i = sim_schema_table_count; ok && i-- > 0;) {
        char sql[128];
        if (sim_schema_is_search(sim_schema_tables[i].name))
            continue;
        (void)snprintf(sql, sizeof sql, "DELETE FROM %s", sim_schema_tables[i].name);
        ok = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    }
    return ok;
}

bool sim_tune_set_plan(sim_store *store, const sim_store_plan *plan, sim_store_error *error)
{
    sim_store_summary summary;
    if (!sim_store_read_summary(store, &summary, error))
        return false;
    if (summary.policy_count == plan->policy_count)
        return true;
    if (!execute(store, "BEGIN", error))
        return false;
    if (clear_plan(store->db) && sim_store_write_plan(store->db, plan) &&
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    (void)sim_store_fail(store, "write", error);
    (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
