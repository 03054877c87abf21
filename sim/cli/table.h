/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of texts, printed as aligned text, JSON, CSV or Markdown. */
#ifndef SIM_CLI_TABLE_H
#define SIM_CLI_TABLE_H

#include "cli/arguments.h"

typedef struct {
    const char *name;
    bool is_number; /* right-aligned; bare in JSON */
} cli_column;

/* How a cell stands out. */
typedef enum { CLI_MARK_NONE, CLI_MARK_GOOD, CLI_MARK_BAD } cli_mark;

typedef struct {
    size_t column_count;
    const cli_column *column;
    size_t row_count;
    char **cell;    /* [row * column_count + column]; owned */
    cli_mark *mark; /* the same; on terminals only */
    size_t room;    /* rows allocated */
} cli_table;

/* Borrows `columns`. */
void cli_table_init(cli_table *table, const cli_column *columns, size_t count);
/* Appends a row of copies, one text for each column; false: no memory. */
bool cli_table_add(cli_table *table, const char *const *cells);
void cli_table_mark(cli_table *table, size_t row, size_t column, cli_mark mark);
void cli_table_print(const cli_table *table, cli_format format, FILE *out);
/* Into how many parts print as text would break it for its width. */
size_t cli_table_parts(const cli_table *table, FILE *out);
void cli_table_deinit(cli_table *table);

/* Parts that others print with too. */
void cli_json_text(FILE *out, const char *text);
void cli_csv_text(FILE *out, const char *text);
/* True if `out` is a terminal and NO_COLOR is unset or empty. */
bool cli_has_colour(FILE *out);

#define CLI_BOLD  "\033[1m"
#define CLI_GREEN "\033[32m"
#define CLI_RED   "\033[31m"
#define CLI_PLAIN "\033[0m"

#endif
