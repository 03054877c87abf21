/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading results back, in plan order. */
#include <stdlib.h>

#include "store/rows.h"

typedef struct {
    void (*metric)(void *context, const sim_stored_metric *metric);
    void (*histogram)(void *context, const sim_stored_histogram *histogram);
    void *context;
    sim_histogram *scratch;
} reader;

static bool read_metric(void *context, sqlite3_stmt *statement)
{
    const reader *self = context;
    const bool is_null = sqlite3_column_type(statement, 5) == SQLITE_NULL;
    const bool is_censored = sqlite3_column_type(statement, 6) != SQLITE_NULL;
    const sim_stored_metric row = {
        .scenario = (uint32_t)sqlite3_column_int64(statement, 0) - 1,
        .policy = (uint32_t)sqlite3_column_int64(statement, 1) - 1,
        .replication = (uint32_t)sqlite3_column_int64(statement, 2),
        .phase = (const char *)sqlite3_column_text(statement, 3),
        .metric = sim_metric_find((const char *)sqlite3_column_text(statement, 4)),
        .value = {.value = sqlite3_column_double(statement, is_null ? 6 : 5),
                  .samples = (uint64_t)sqlite3_column_int64(statement, 7),
                  .is_null = is_null,
                  .is_censored = is_censored},
    };
    if (row.metric == SIM_METRIC_COUNT)
        return false;
    self->metric(self->context, &row);
    return true;
}

static bool read_histogram(void *context, sqlite3_stmt *statement)
{
    const reader *self = context;
    const void *bytes = sqlite3_column_blob(statement, 5);
    const int size = sqlite3_column_bytes(statement, 5);
    if (!sim_histogram_decode(self->scratch, bytes, (size_t)size))
        return false;
    const sim_stored_histogram row = {
        .scenario = (uint32_t)sqlite3_column_int64(statement, 0) - 1,
        .policy = (uint32_t)sqlite3_column_int64(statement, 1) - 1,
        .replication = (uint32_t)sqlite3_column_int64(statement, 2),
        .phase = (const char *)sqlite3_column_text(statement, 3),
        .is_ok = sqlite3_column_int(statement, 4) != 0,
        .histogram = self->scratch,
    };
    self->histogram(self->context, &row);
    return true;
}

sqlite3_stmt *sim_store_ask(const sim_store *store, const char *sql, const int64_t *bound, size_t count,
                            sim_store_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < count; i++)
        code = sqlite3_bind_int64(statement, (int)i + 1, bound[i]);
    if (code == SQLITE_OK)
        return statement;
    (void)sim_store_fail(store, "read", error);
    (void)sqlite3_finalize(statement);
    return NULL;
}

bool sim_store_step(const sim_store *store, sqlite3_stmt **statement, sim_store_error *error)
{
    if (*statement == NULL)
        return false;
    const int code = sqlite3_step(*statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        (void)sim_store_fail(store, "read", error);
    (void)sqlite3_finalize(*statement);
    *statement = NULL;
    return false;
}

bool sim_store_each_row(sim_store *store, const char *sql, sim_row_reader *each, void *context, sim_store_error *error)
{
    *error = (sim_store_error){0};
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    bool is_sound = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        is_sound = is_sound && (code != SQLITE_ROW || each(context, statement));
    }
    if (code != SQLITE_DONE)
        (void)sim_store_fail(store, "read", error);
    (void)sqlite3_finalize(statement);
    if (code == SQLITE_DONE && !is_sound) {
        error->status = SIM_STORE_ALIEN;
        (void)snprintf(error->message, sizeof error->message, "the database %s holds rows that cannot be decoded",
                       store->path);
    }
    return code == SQLITE_DONE && is_sound;
}

bool sim_store_read_metrics(sim_store *store, void (*row)(void *context, const sim_stored_metric *metric),
                            void *context, sim_store_error *error)
{
    reader self = {.metric = row, .context = context};
    return sim_store_each_row(
        store,
        "SELECT r.scenario_id, r.policy_id, r.replication, m.phase, m.name, m.value, m.more_than, m.samples"
        " FROM run r JOIN metric m ON m.run_id = r.id WHERE r.state = 'done'"
        " ORDER BY r.id, m.phase, m.name",
        read_metric, &self, error);
}

bool sim_store_read_histograms(sim_store *store, void (*row)(void *context, const sim_stored_histogram *histogram),
                               void *context, sim_store_error *error)
{
    sim_histogram *scratch = malloc(sizeof *scratch);
    if (scratch == NULL) {
        *error = (sim_store_error){SIM_STORE_IO, "out of memory"};
        return false;
    }
    reader self = {.histogram = row, .context = context, .scratch = scratch};
    const bool ok =
        sim_store_each_row(store,
                           "SELECT r.scenario_id, r.policy_id, r.replication, h.phase, h.outcome = 'ok', h.encoded"
                           " FROM run r JOIN histogram h ON h.run_id = r.id WHERE r.state = 'done'"
                           " ORDER BY r.id, h.phase, h.outcome",
                           read_histogram, &self, error);
    free(scratch);
    return ok;
}
