/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing rows one column after the other; private to the store.
 *
 * Errors stick: fill in as many rows as you like and look at what sim_rows_close() says. */
#ifndef SIM_STORE_ROWS_H
#define SIM_STORE_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/lock.h"

struct sim_store {
    sqlite3 *db;
    char *path;
    sim_store_lock lock; /* of a writer */
    bool (*go_on)(void *context, unsigned waited_ms);
    void *patience_context;
};

typedef struct {
    sqlite3_stmt *statement;
    int column; /* bound last, from 1 */
    int code;   /* first SQLite error, or SQLITE_OK */
} sim_rows;

/* `sql` has one parameter for each column. */
void sim_rows_open(sim_rows *rows, sqlite3 *db, const char *sql);
void sim_rows_int(sim_rows *rows, int64_t value);
void sim_rows_int_unless(sim_rows *rows, int64_t value, int64_t null_value); /* NULL where both are equal */
void sim_rows_real(sim_rows *rows, double value);
void sim_rows_null(sim_rows *rows);
/* Text and bytes must live until sim_rows_next(). A NULL text is written as ''. */
void sim_rows_text(sim_rows *rows, const char *text);
void sim_rows_bytes(sim_rows *rows, const void *data, size_t size);
void sim_rows_next(sim_rows *rows);  /* the row is complete */
bool sim_rows_close(sim_rows *rows); /* true if every row was written */

/* Hands every row of a query to `each`, which returns false for one that is malformed (SIM_STORE_ALIEN). */
typedef bool sim_row_reader(void *context, sqlite3_stmt *statement);
bool sim_store_each_row(sim_store *store, const char *sql, sim_row_reader *each, void *context, sim_store_error *error);

/* The statement with its whole numbers bound, in order. NULL with `*error` filled in. */
sqlite3_stmt *sim_store_ask(const sim_store *store, const char *sql, const int64_t *bound, size_t count,
                            sim_store_error *error);

/* Steps; false at the end, or with `*error` filled in (an `*error` that was zero tells which). Finalizes at either. */
bool sim_store_step(const sim_store *store, sqlite3_stmt **statement, sim_store_error *error);

/* Fills in `*error` with what SQLite and the system say; returns false. */
bool sim_store_fail(const sim_store *store, const char *doing, sim_store_error *error);

/* The same for what the system has refused (errno). */
void sim_store_fail_system(const char *path, const char *doing, sim_store_error *error);

/* Opens `file`, which messages call `path`. NULL with `*error` filled in. */
sim_store *sim_store_open_file(const char *file, const char *path, int flags, sim_store_error *error);

/* Writes the sampled operations, inside the caller's transaction. False: ask SQLite. */
bool sim_store_write_stories(sqlite3 *db, const sim_store_run *run);

/* Writes what is known before the first run, inside the caller's transaction. False: ask SQLite. */
bool sim_store_write_plan(sqlite3 *db, const sim_store_plan *plan);

#endif
