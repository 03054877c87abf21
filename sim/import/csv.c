/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/csv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/document.h"

/* Bytes of the UTF-8 character that a text begins with; 0: it begins with none. */
static size_t character_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) /* the zero byte at the end is none either */
            return 0;
    }
    /* Neither longer than need be, nor half of a pair, nor beyond the last. */
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) || (lead == 0xf0 && text[1] < 0x90) ||
        (lead == 0xf4 && text[1] > 0x8f))
        length = 0;
    return length;
}

void imp_make_utf8(char *text)
{
    while (*text != '\0') {
        const size_t length = character_length((const unsigned char *)text);
        if (length == 0)
            *text = '?';
        text += length == 0 ? 1 : length;
    }
}

static bool refuse_at(const imp_csv *self, int line, int column, const char *message)
{
    *self->error = (sim_input_error){.line = line, .column = column};
    (void)snprintf(self->error->path, sizeof self->error->path, "%s", self->path);
    (void)snprintf(self->error->message, sizeof self->error->message, "%s", message);
    return false;
}

static bool refuse_found(const imp_csv *self, int line, int column, const char *found, const char *format, va_list list)
{
    char shown[SIM_SHOW_SIZE];
    char expected[600];
    char message[800];
    char *text = sim_arena_string(self->arena, found);
    imp_make_utf8(text);
    (void)vsnprintf(expected, sizeof expected, format, list);
    (void)snprintf(message, sizeof message, "found %s, expected %s", sim_text_show(text, shown), expected);
    return refuse_at(self, line, column, message);
}

bool imp_csv_refuse(const imp_csv *self, int field, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)refuse_found(self, self->line, self->field[field].column, self->field[field].text, format, list);
    va_end(list);
    return false;
}

bool imp_csv_refuse_header(const imp_csv *self, int field, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)refuse_found(self, self->header_line, self->header_column[field], self->header[field], format, list);
    va_end(list);
    return false;
}

/* A field that begins at `at`; sets *next to the comma or the end behind it. */
static bool read_field(const imp_csv *self, const char *line, const char *at, const char *end, imp_field *out,
                       const char **next)
{
    const int column = (int)(at - line) + 1;
    char *text = sim_arena_copy(self->arena, at, (size_t)(end - at));
    size_t used = 0;
    const bool is_quoted = at < end && *at == '"';
    if (is_quoted) {
        for (at++;; at++) {
            if (at == end)
                return refuse_at(self, self->line, column, "the quotes are not closed on this line");
            if (*at == '"' && (at + 1 == end || at[1] != '"'))
                break;
            at += *at == '"'; /* two stand for one */
            text[used++] = *at;
        }
        at++;
        if (at < end && *at != ',')
            return refuse_at(self, self->line, (int)(at - line) + 1,
                             "something follows the closing quotes, expected a comma or the end of the line");
    } else {
        while (at < end && *at != ',')
            text[used++] = *at++;
    }
    text[used] = '\0';
    if (strlen(text) != used)
        return refuse_at(self, self->line, column + (int)strlen(text), "found a zero byte, expected text");
    *out = (imp_field){text, column};
    *next = at;
    return true;
}

/* The next line that holds something, cut at its commas. Returns how many fields; 0: the end, or `*error`. */
static int read_row(imp_csv *self)
{
    const char *line;
    const char *end;
    do {
        if (self->rest >= self->end)
            return 0;
        line = self->rest;
        end = memchr(line, '\n', (size_t)(self->end - line));
        end = end == NULL ? self->end : end;
        self->rest = end + 1;
        self->line++;
        if (end > line && end[-1] == '\r')
            end--;
    } while (end == line);
    int count = 0;
    for (const char *at = line;; at++) {
        if (count == IMP_COLUMNS_MAX) {
            char message[80];
            (void)snprintf(message, sizeof message, "the line goes on, expected at most %d fields", IMP_COLUMNS_MAX);
            (void)refuse_at(self, self->line, (int)(at - line) + 1, message);
            return 0;
        }
        if (!read_field(self, line, at, end, &self->field[count], &at))
            return 0;
        count++;
        if (at == end)
            return count;
    }
}

bool imp_csv_open(imp_csv *self, sim_arena *arena, const char *path, const char *text, size_t length,
                  sim_input_error *error)
{
    static const char MARK[] = "\xef\xbb\xbf"; /* of UTF-8, as spreadsheets begin */
    *self = (imp_csv){.arena = arena, .path = path, .rest = text, .end = text + length, .error = error};
    *error = (sim_input_error){0};
    if (length >= 3 && memcmp(text, MARK, 3) == 0)
        self->rest += 3;
    self->header_count = read_row(self);
    if (self->header_count == 0)
        return error->message[0] != '\0' ? false : refuse_at(self, 1, 1, "the file is empty, expected a header");
    self->header_line = self->line;
    self->used = sim_arena_array(arena, IMP_COLUMNS_MAX, sizeof *self->used);
    for (int i = 0; i < self->header_count; i++) {
        self->header[i] = self->field[i].text;
        self->header_column[i] = self->field[i].column;
        for (int j = 0; j < i; j++) {
            if (strcmp(self->header[i], self->header[j]) == 0)
                return imp_csv_refuse_header(self, i, "a name that no other column has");
        }
    }
    return true;
}

bool imp_csv_next(imp_csv *self)
{
    char message[120];
    const int count = read_row(self);
    if (count == 0)
        return false;
    if (count == self->header_count)
        return true;
    (void)snprintf(message, sizeof message, "found %d fields, expected %d as in the header", count, self->header_count);
    return refuse_at(self, self->line, self->field[count - 1].column, message);
}

int imp_csv_find(const imp_csv *self, const char *name)
{
    for (int i = 0; i < self->header_count; i++) {
        if (strcmp(self->header[i], name) == 0) {
            self->used[i] = true;
            return i;
        }
    }
    return -1;
}

bool imp_csv_number(const imp_csv *self, int field, double min, double max, const char *what, double *out)
{
    const char *text = self->field[field].text;
    char *end = NULL;
    const bool is_plain = text[0] != '\0' && strspn(text, "0123456789.eE+-") == strlen(text);
    errno = 0;
    *out = is_plain ? strtod(text, &end) : 0;
    if (is_plain && *end == '\0' && errno != ERANGE && *out >= min && *out <= max)
        return true;
    return imp_csv_refuse(self, field, "%s, a number from %.15g to %.15g", what, min, max);
}

uint16_t imp_region_find(const char *name)
{
    char folded[64];
    size_t used = 0;
    for (; *name != '\0' && used + 1 < sizeof folded; name++) {
        if (*name != ' ')
            folded[used++] = (char)tolower((unsigned char)*name);
    }
    folded[used] = '\0';
    return sim_catalogue_find(folded);
}

bool imp_csv_region(const imp_csv *self, int field, uint16_t *region)
{
    *region = imp_region_find(self->field[field].text);
    if (*region != SIM_CATALOGUE_NONE)
        return true;
    const size_t count = sim_catalogue_count();
    const char **known = sim_arena_array(self->arena, count, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = sim_catalogue_name((uint16_t)i);
    const char *nearest = sim_nearest(self->field[field].text, known, count);
    return imp_csv_refuse(self, field, "a region of Azure, AWS or Google Cloud%s%s%s",
                          nearest == NULL ? "" : "; did you mean \"", nearest == NULL ? "" : nearest,
                          nearest == NULL ? "" : "\"?");
}

/* The unit that a text of this length is; 0: it is none. */
static double unit_of(const char *text, size_t length)
{
    static const struct {
        const char *name;
        double ns;
    } UNITS[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (strlen(UNITS[i].name) == length && strncmp(text, UNITS[i].name, length) == 0)
            return UNITS[i].ns;
    }
    return 0;
}

double imp_unit_ns(const char *unit)
{
    return unit_of(unit, strlen(unit));
}

bool imp_is_measured(const char *name, const char *stem, const char *fallback, double *unit_ns)
{
    const size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0 || (name[length] != '\0' && name[length] != '_'))
        return false;
    const char *unit = name[length] == '\0' ? fallback : name + length + 1;
    const double ns = unit_of(unit, strcspn(unit, "_"));
    if (ns > 0)
        *unit_ns = ns;
    return ns > 0;
}
