/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_has_colour(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(out)) != 0 && (no_colour == NULL || no_colour[0] == '\0');
}

void cli_table_init(cli_table *table, const cli_column *columns, size_t count)
{
    *table = (cli_table){.column_count = count, .column = columns};
}

static bool grow(cli_table *table)
{
    const size_t room = table->room == 0 ? 16 : 2 * table->room;
    char **cell = realloc(table->cell, room * table->column_count * sizeof *cell);
    if (cell != NULL)
        table->cell = cell;
    bool *highlight = realloc(table->highlight, room * table->column_count * sizeof *highlight);
    if (highlight != NULL)
        table->highlight = highlight;
    if (cell == NULL || highlight == NULL)
        return false;
    table->room = room;
    return true;
}

bool cli_table_add(cli_table *table, const char *const *cells)
{
    if (table->row_count == table->room && !grow(table))
        return false;
    const size_t at = table->row_count * table->column_count;
    bool ok = true;
    for (size_t i = 0; i < table->column_count; i++) {
        table->cell[at + i] = strdup(cells[i]);
        table->highlight[at + i] = false;
        ok = ok && table->cell[at + i] != NULL;
    }
    table->row_count++;
    return ok;
}

void cli_table_highlight(cli_table *table, size_t row, size_t column)
{
    table->highlight[row * table->column_count + column] = true;
}

void cli_table_deinit(cli_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table->highlight);
    *table = (cli_table){0};
}

static const char *cell(const cli_table *table, size_t row, size_t column)
{
    const char *text = table->cell[row * table->column_count + column];
    return text == NULL ? "" : text;
}

/* Columns on a screen: UTF-8 without its continuation bytes. */
static size_t width(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void put_padded(FILE *out, const char *text, size_t to, bool is_right, bool is_last, const char *colour)
{
    const int pad = (int)(to - width(text));
    if (is_right)
        (void)fprintf(out, "%*s", pad, "");
    (void)fprintf(out, "%s%s%s", colour, text, colour[0] == '\0' ? "" : CLI_PLAIN);
    if (!is_right && !is_last)
        (void)fprintf(out, "%*s", pad, "");
    (void)fputs(is_last ? "\n" : "  ", out);
}

static void print_text(const cli_table *table, FILE *out)
{
    const bool has_colour = cli_has_colour(out);
    size_t *widths = calloc(table->column_count, sizeof *widths);
    if (widths == NULL)
        return;
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = width(table->column[c].name);
        for (size_t r = 0; r < table->row_count; r++)
            widths[c] = width(cell(table, r, c)) > widths[c] ? width(cell(table, r, c)) : widths[c];
    }
    for (size_t c = 0; c < table->column_count; c++)
        put_padded(out, table->column[c].name, widths[c], table->column[c].is_number, c + 1 == table->column_count,
                   has_colour ? CLI_BOLD : "");
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        const size_t c = i % table->column_count;
        put_padded(out, cell(table, i / table->column_count, c), widths[c], table->column[c].is_number,
                   c + 1 == table->column_count, has_colour && table->highlight[i] ? CLI_GREEN : "");
    }
    free(widths);
}

void cli_json_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            (void)fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            (void)fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

void cli_csv_text(FILE *out, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void print_json(const cli_table *table, FILE *out)
{
    (void)fputc('[', out);
    for (size_t r = 0; r < table->row_count; r++) {
        (void)fputs(r == 0 ? "\n  {" : ",\n  {", out);
        for (size_t c = 0; c < table->column_count; c++) {
            (void)fputs(c == 0 ? "" : ", ", out);
            cli_json_text(out, table->column[c].name);
            (void)fputs(": ", out);
            if (table->column[c].is_number)
                (void)fputs(cell(table, r, c)[0] == '\0' ? "null" : cell(table, r, c), out);
            else
                cli_json_text(out, cell(table, r, c));
        }
        (void)fputc('}', out);
    }
    (void)fputs(table->row_count == 0 ? "]\n" : "\n]\n", out);
}

static void print_csv(const cli_table *table, FILE *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        cli_csv_text(out, table->column[c].name);
        (void)fputc(c + 1 == table->column_count ? '\n' : ',', out);
    }
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        const size_t c = i % table->column_count;
        cli_csv_text(out, cell(table, i / table->column_count, c));
        (void)fputc(c + 1 == table->column_count ? '\n' : ',', out);
    }
}

static void put_md(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            (void)fputc('\\', out);
        (void)fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void print_md(const cli_table *table, FILE *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        (void)fputs("| ", out);
        put_md(out, table->column[c].name);
        (void)fputs(c + 1 == table->column_count ? " |\n" : " ", out);
    }
    for (size_t c = 0; c < table->column_count; c++)
        (void)fprintf(out, "|%s%s", table->column[c].is_number ? "---:" : "---",
                      c + 1 == table->column_count ? "|\n" : "");
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        const size_t c = i % table->column_count;
        (void)fputs("| ", out);
        put_md(out, cell(table, i / table->column_count, c));
        (void)fputs(c + 1 == table->column_count ? " |\n" : " ", out);
    }
}

void cli_table_print(const cli_table *table, cli_format format, FILE *out)
{
    switch (format) {
    case CLI_TEXT:
        print_text(table, out);
        break;
    case CLI_JSON:
        print_json(table, out);
        break;
    case CLI_CSV:
        print_csv(table, out);
        break;
    case CLI_MD:
        print_md(table, out);
        break;
    }
}
