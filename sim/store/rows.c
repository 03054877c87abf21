/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/rows.h"

static void keep(sim_rows *rows, int code)
{
    if (rows->code == SQLITE_OK)
        rows->code = code;
}

void sim_rows_open(sim_rows *rows, sqlite3 *db, const char *sql)
{
    *rows = (sim_rows){0};
    keep(rows, sqlite3_prepare_v2(db, sql, -1, &rows->statement, NULL));
}

void sim_rows_int(sim_rows *rows, int64_t value)
{
    keep(rows, sqlite3_bind_int64(rows->statement, ++rows->column, value));
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
    keep(rows, sqlite3_bind_double(rows->statement, ++rows->column, value));
}

void sim_rows_null(sim_rows *rows)
{
    keep(rows, sqlite3_bind_null(rows->statement, ++rows->column));
}

void sim_rows_text(sim_rows *rows, const char *text)
{
    keep(rows, sqlite3_bind_text(rows->statement, ++rows->column, text == NULL ? "" : text, -1, SQLITE_STATIC));
}

void sim_rows_bytes(sim_rows *rows, const void *data, size_t size)
{
    keep(rows, sqlite3_bind_blob64(rows->statement, ++rows->column, data, size, SQLITE_STATIC));
}

void sim_rows_next(sim_rows *rows)
{
    if (rows->code == SQLITE_OK) {
        const int code = sqlite3_step(rows->statement);
        if (code != SQLITE_DONE)
            keep(rows, code);
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
