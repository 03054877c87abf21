/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical dump: every deterministic table as text. */
#include <string.h>

#include "store/rows.h"
#include "store/schema.h"

/* Text with its line ends and backslashes escaped, so that a row is a line. */
static void put_text(const char *text, FILE *out)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            (void)fputs("\\n", out);
        else if (*text == '"' || *text == '\\')
            (void)fprintf(out, "\\%c", *text);
        else
            (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void put_value(sqlite3_stmt *statement, int column, FILE *out)
{
    const int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER) {
        (void)fprintf(out, "%lld", (long long)sqlite3_column_int64(statement, column));
    } else if (type == SQLITE_FLOAT) {
        (void)fprintf(out, "%.17g", sqlite3_column_double(statement, column));
    } else if (type == SQLITE_TEXT) {
        put_text((const char *)sqlite3_column_text(statement, column), out);
    } else if (type == SQLITE_BLOB) {
        const unsigned char *bytes = sqlite3_column_blob(statement, column);
        const int size = sqlite3_column_bytes(statement, column);
        for (int i = 0; i < size; i++)
            (void)fprintf(out, "%02x", bytes[i]);
    } else {
        (void)fputs("NULL", out);
    }
}

static bool dump_table(sqlite3 *db, const sim_schema_table *table, FILE *out)
{
    char sql[256];
    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY %s", table->name, table->key);
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    (void)fprintf(out, "# %s\n", table->name);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        for (int column = 0; code == SQLITE_ROW && column < sqlite3_column_count(statement); column++) {
            if (column > 0)
                (void)fputc('|', out);
            put_value(statement, column, out);
        }
        if (code == SQLITE_ROW)
            (void)fputc('\n', out);
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

bool sim_store_dump(sim_store *store, FILE *out, sim_store_error *error)
{
    *error = (sim_store_error){0};
    for (size_t i = 0; i < sim_schema_table_count; i++) {
        if (sim_schema_tables[i].is_deterministic && !dump_table(store->db, &sim_schema_tables[i], out))
            return sim_store_fail(store, "read", error);
    }
    if (fflush(out) != 0 || ferror(out) != 0) {
        *error = (sim_store_error){SIM_STORE_IO, "cannot write the dump"};
        return false;
    }
    return true;
}
