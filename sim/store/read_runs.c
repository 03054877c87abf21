/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading back what is known of each run besides its metrics, in plan order. */
#include "store/rows.h"

/* Who is to hear of a row; just one of the functions is set. */
typedef struct {
    void (*run)(void *context, const sim_stored_run *run);
    void (*checkpoint)(void *context, const sim_stored_checkpoint *checkpoint);
    void (*transitions)(void *context, const sim_stored_transitions *count);
    void (*interval)(void *context, const sim_stored_interval *interval);
    void *context;
} listener;

#define PLACE(statement)                                          \
    .scenario = (uint32_t)sqlite3_column_int64(statement, 0) - 1, \
    .policy = (uint32_t)sqlite3_column_int64(statement, 1) - 1,   \
    .replication = (uint32_t)sqlite3_column_int64(statement, 2)

static const char *text_at(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text == NULL ? "" : text;
}

static bool read_run(void *context, sqlite3_stmt *statement)
{
    const listener *self = context;
    const sim_stored_run row = {PLACE(statement), .luck = text_at(statement, 3), .behaviour = text_at(statement, 4),
                                .result = text_at(statement, 5)};
    self->run(self->context, &row);
    return true;
}

static bool read_checkpoint(void *context, sqlite3_stmt *statement)
{
    const listener *self = context;
    const sim_stored_checkpoint row = {PLACE(statement), .k = (uint32_t)sqlite3_column_int64(statement, 3),
                                       .digest = text_at(statement, 4)};
    if (row.k >= SIM_CHECKPOINTS)
        return false;
    self->checkpoint(self->context, &row);
    return true;
}

static bool read_transitions(void *context, sqlite3_stmt *statement)
{
    const listener *self = context;
    const sim_stored_transitions row = {PLACE(statement), .reason = text_at(statement, 3),
                                        .count = (uint64_t)sqlite3_column_int64(statement, 4)};
    self->transitions(self->context, &row);
    return true;
}

static bool read_interval(void *context, sqlite3_stmt *statement)
{
    const listener *self = context;
    const bool has_p99 = sqlite3_column_type(statement, 5) != SQLITE_NULL;
    const sim_stored_interval row = {PLACE(statement), .n = (uint32_t)sqlite3_column_int64(statement, 3),
                                     .start = sqlite3_column_int64(statement, 4),
                                     .latency_p99 = has_p99 ? sqlite3_column_int64(statement, 5) : -1};
    self->interval(self->context, &row);
    return true;
}

bool sim_store_read_runs(sim_store *store, void (*row)(void *context, const sim_stored_run *run), void *context,
                         sim_store_error *error)
{
    listener self = {.run = row, .context = context};
    return sim_store_each_row(store,
                              "SELECT scenario_id, policy_id, replication, luck_digest, digest, result_digest FROM run"
                              " WHERE state = 'done' ORDER BY id",
                              read_run, &self, error);
}

bool sim_store_read_checkpoints(sim_store *store, void (*row)(void *context, const sim_stored_checkpoint *checkpoint),
                                void *context, sim_store_error *error)
{
    listener self = {.checkpoint = row, .context = context};
    return sim_store_each_row(store,
                              "SELECT r.scenario_id, r.policy_id, r.replication, c.k, c.digest FROM run r"
                              " JOIN checkpoint c ON c.run_id = r.id WHERE r.state = 'done' ORDER BY r.id, c.k",
                              read_checkpoint, &self, error);
}

bool sim_store_read_transitions(sim_store *store, void (*row)(void *context, const sim_stored_transitions *count),
                                void *context, sim_store_error *error)
{
    listener self = {.transitions = row, .context = context};
    return sim_store_each_row(store,
                              "SELECT r.scenario_id, r.policy_id, r.replication, t.reason_name, count(*) FROM run r"
                              " JOIN transition t ON t.run_id = r.id WHERE r.state = 'done'"
                              " GROUP BY r.id, t.reason_name ORDER BY r.id, t.reason_name",
                              read_transitions, &self, error);
}

bool sim_store_read_intervals(sim_store *store, void (*row)(void *context, const sim_stored_interval *interval),
                              void *context, sim_store_error *error)
{
    listener self = {.interval = row, .context = context};
    return sim_store_each_row(store,
                              "SELECT r.scenario_id, r.policy_id, r.replication, i.n, i.start, i.latency_p99 FROM run r"
                              " JOIN interval i ON i.run_id = r.id WHERE r.state = 'done' ORDER BY r.id, i.n",
                              read_interval, &self, error);
}
