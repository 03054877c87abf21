/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/rows.h"

/* After an error nothing more is asked of SQLite: what succeeds would wipe out the connection's word of why. */
static bool is_good(const sim_rows *rows)
{
    return rows->code == SQLITE_OK;
}

void sim_rows_open(sim_rows *rows, sqlite3 *db, const char *sql)
{
    *rows = (sim_rows){0};
    rows->code = sqlite3_prepare_v2(db, sql, -1, &rows->statement, NULL);
}

void sim_rows_int(sim_rows *rows, int64_t value)
{
    if (is_good(rows))
        rows->code = sqlite3_bind_int64(rows->statement, ++rows->column, value);
}

void sim_rows_int_unless(sim_rows *rows, int64_t value, int64_t null_value)
{
    if (value == null_value)
        sim_rows_null(rows);
    else
        sim_rows_int(rows, value);
}

void sim_rows_real(sim_rows *rows, double value)
{
    if (is_good(rows))
        rows->code = sqlite3_bind_double(rows->statement, ++rows->column, value);
}

void sim_rows_null(sim_rows *rows)
{
    if (is_good(rows))
        rows->code = sqlite3_bind_null(rows->statement, ++rows->column);
}

void sim_rows_text(sim_rows *rows, const char *text)
{
    if (is_good(rows))
        rows->code = sqlite3_bind_text(rows->statement, ++rows->column, text == NULL ? "" : text, -1, SQLITE_STATIC);
}

void sim_rows_bytes(sim_rows *rows, const void *data, size_t size)
{
    if (is_good(rows))
        rows->code = sqlite3_bind_blob64(rows->statement, ++rows->column, data, size, SQLITE_STATIC);
}

void sim_rows_next(sim_rows *rows)
{
    if (is_good(rows)) {
        const int code = sqlite3_step(rows->statement);
        if (code != SQLITE_DONE)
            rows->code = code;
        (void)sqlite3_reset(rows->statement);
    }
    rows->column = 0;
}

bool sim_rows_close(sim_rows *rows)
{
    (void)sqlite3_finalize(rows->statement);
    rows->statement = NULL;
    return rows->code == SQLITE_OK;
}
