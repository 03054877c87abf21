/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clean.h"
#include "cli/screen.h"
#include "cli/wrap.h"

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
    cli_mark *mark = realloc(table->mark, room * table->column_count * sizeof *mark);
    if (mark != NULL)
        table->mark = mark;
    if (cell == NULL || mark == NULL)
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
        table->mark[at + i] = CLI_MARK_NONE;
        ok = ok && table->cell[at + i] != NULL;
    }
    table->row_count++;
    return ok;
}

void cli_table_mark(cli_table *table, size_t row, size_t column, cli_mark mark)
{
    table->mark[row * table->column_count + column] = mark;
}

void cli_table_deinit(cli_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table->mark);
    *table = (cli_table){0};
}

static const char *cell(const cli_table *table, size_t row, size_t column)
{
    const char *text = table->cell[row * table->column_count + column];
    return text == NULL ? "" : text;
}

static size_t width_of(const char *text)
{
    return cli_columns(text, strlen(text));
}

enum { GAP = 2 };

/* Bytes of the first piece of a name, which may be broken after hyphens and blanks. */
static size_t piece_length(const char *name)
{
    const size_t length = strcspn(name, "- ");
    return length + (name[length] != '\0');
}

/* The same bytes without the blank at their end, which no line shows. */
static size_t without_blank(const char *name, size_t length)
{
    return length > 0 && name[length - 1] == ' ' ? length - 1 : length;
}

/* Width of every column: of its cells and of its name, or (`breaks_names`) of the longest piece of its name. */
static void measure(const cli_table *table, bool breaks_names, size_t *widths)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const char *name = table->column[c].name;
        widths[c] = breaks_names ? 0 : width_of(name);
        while (breaks_names && *name != '\0') {
            const size_t length = piece_length(name);
            const size_t width = cli_columns(name, without_blank(name, length));
            widths[c] = width > widths[c] ? width : widths[c];
            name += length;
        }
        for (size_t r = 0; r < table->row_count; r++)
            widths[c] = width_of(cell(table, r, c)) > widths[c] ? width_of(cell(table, r, c)) : widths[c];
    }
}

static size_t total_width(const size_t *widths, size_t from, size_t to)
{
    size_t total = 0;
    for (size_t c = from; c < to; c++)
        total += widths[c] + (c > from ? GAP : 0);
    return total;
}

/* Bytes of `name` that stand in its header's next line: as many pieces as fit. */
static size_t header_line(const char *name, size_t width)
{
    size_t length = 0;
    while (name[length] != '\0') {
        const size_t next = length + piece_length(name + length);
        if (length > 0 && cli_columns(name, without_blank(name, next)) > width)
            break;
        length = next;
    }
    return length;
}

static size_t header_lines(const char *name, size_t width)
{
    size_t lines = 0;
    while (*name != '\0') {
        name += header_line(name, width);
        lines++;
    }
    return lines;
}

typedef struct {
    FILE *out;
    bool has_colour;
    const cli_table *table;
    const size_t *widths;
    size_t screen;   /* its width where somebody reads it there; else 0 */
    size_t from, to; /* columns of this part; the first one of the table is in all of them */
} text_printer;

static bool is_printed(const text_printer *self, size_t c)
{
    return c == 0 || (c >= self->from && c < self->to);
}

static size_t last_printed(const text_printer *self)
{
    return self->to > self->from ? self->to - 1 : 0;
}

/* Where a column begins on the screen. */
static size_t place_of(const text_printer *self, size_t c)
{
    size_t place = 0;
    for (size_t i = 0; i < c; i++)
        place += is_printed(self, i) ? self->widths[i] + GAP : 0;
    return place;
}

/* Sentences in the last column are wrapped within it, where it is wide enough for words. */
static bool is_wrapped(const text_printer *self, const char *text, size_t c, size_t last)
{
    enum { NARROWEST = 16 };
    const size_t place = place_of(self, c);
    return c == last && c > 0 && !self->table->column[c].is_number && place + NARROWEST <= self->screen &&
           place + cli_columns(text, strlen(text)) > self->screen;
}

/* `last` is the column that ends the line. */
static void put_padded(const text_printer *self, const char *text, size_t bytes, size_t c, size_t last,
                       const char *colour)
{
    const int pad = (int)(self->widths[c] - cli_columns(text, bytes));
    if (self->table->column[c].is_number)
        (void)fprintf(self->out, "%*s", pad, "");
    (void)fprintf(self->out, "%s%.*s%s", colour, (int)bytes, text, colour[0] == '\0' ? "" : CLI_PLAIN);
    if (!self->table->column[c].is_number && c != last)
        (void)fprintf(self->out, "%*s", pad, "");
    (void)fputs(c == last ? "\n" : "  ", self->out);
}

/* The part of a column's name that stands in one line of a header of `lines`, aligned at its bottom. */
static const char *name_part(const text_printer *self, size_t c, size_t line, size_t lines, size_t *bytes)
{
    const char *name = self->table->column[c].name;
    const size_t above = lines - header_lines(name, self->widths[c]);
    for (size_t skipped = above; skipped < line; skipped++)
        name += header_line(name, self->widths[c]);
    *bytes = line < above ? 0 : without_blank(name, header_line(name, self->widths[c]));
    return name;
}

static void put_header(const text_printer *self)
{
    const size_t columns = self->table->column_count;
    size_t bytes = 0;
    size_t lines = 1;
    for (size_t c = 0; c < columns; c++) {
        const size_t own = header_lines(self->table->column[c].name, self->widths[c]);
        lines = is_printed(self, c) && own > lines ? own : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        size_t last = 0;
        for (size_t c = 0; c < columns; c++) {
            (void)name_part(self, c, line, lines, &bytes);
            last = is_printed(self, c) && bytes > 0 ? c : last;
        }
        for (size_t c = 0; c <= last; c++) {
            const char *part = name_part(self, c, line, lines, &bytes);
            if (is_printed(self, c))
                put_padded(self, part, bytes, c, last, self->has_colour ? CLI_BOLD : "");
        }
    }
}

static void put_part(const text_printer *self)
{
    static const char *const COLOUR[] = {"", CLI_GREEN, CLI_RED};
    put_header(self);
    for (size_t i = 0; i < self->table->row_count * self->table->column_count; i++) {
        const size_t c = i % self->table->column_count;
        const char *text = cell(self->table, i / self->table->column_count, c);
        if (is_printed(self, c) && is_wrapped(self, text, c, last_printed(self)))
            cli_put_wrapped(self->out, text, (int)place_of(self, c), (int)place_of(self, c), (int)self->screen);
        else if (is_printed(self, c))
            put_padded(self, text, strlen(text), c, last_printed(self),
                       self->has_colour ? COLOUR[self->table->mark[i]] : "");
    }
}

/* A table that is too wide first breaks its columns' names, and then falls into parts that repeat the first column. */
static size_t print_parts(const cli_table *table, bool puts_out, FILE *out)
{
    size_t *widths = calloc(table->column_count, sizeof *widths);
    size_t parts = 0;
    if (widths == NULL)
        return 1;
    const size_t screen = (size_t)cli_screen_width(out);
    measure(table, false, widths);
    if (total_width(widths, 0, table->column_count) > screen)
        measure(table, true, widths);
    text_printer self = {out, cli_has_colour(out), table, widths, cli_has_screen(out) ? screen : 0, 1, 1};
    do {
        self.from = self.to;
        while (self.to < table->column_count &&
               (self.to == self.from || widths[0] + GAP + total_width(widths, self.from, self.to + 1) <= screen))
            self.to++;
        if (puts_out && parts > 0)
            (void)fputc('\n', out);
        if (puts_out)
            put_part(&self);
        parts++;
    } while (self.to < table->column_count);
    free(widths);
    return parts;
}

size_t cli_table_parts(const cli_table *table, FILE *out)
{
    return print_parts(table, false, out);
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
    /* What programs read keeps every byte. */
    const bool is_for_people = format == CLI_TEXT || format == CLI_MD;
    for (size_t i = 0; is_for_people && i < table->row_count * table->column_count; i++) {
        if (table->cell[i] != NULL)
            cli_clean(table->cell[i]);
    }
    switch (format) {
    case CLI_TEXT:
        (void)print_parts(table, true, out);
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
    case CLI_HTML: /* reports write tables of their own */
        break;
    }
}
