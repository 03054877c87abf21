/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world/round_trip_table.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELDS = 4,
    NAME_MAX_LENGTH = 63, /* of a region */
    WHOLE_DIGITS_MAX = 9, /* of milliseconds: 11 days */
    DECIMALS_MAX = 6,     /* a nanosecond */
};

/* A piece of the text; column counts bytes from 1. */
typedef struct {
    const char *text;
    int length;
    int column;
} field;

typedef struct {
    sim_round_trip_table *table;
    sim_input_error *error;
    int line;
} reader;

bool sim_world_refuse(sim_input_error *error, const char *path, int line, int column, const char *format, ...)
{
    *error = (sim_input_error){.line = line, .column = column};
    if (path != NULL)
        snprintf(error->path, sizeof error->path, "%s", path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

/* The field as messages quote it: bytes that are no printable ASCII as \\xNN, and the beginning if it is long. */
static void show(const field *at, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < at->length && used + sizeof "\\xNN" <= size; i++) {
        const unsigned char byte = (unsigned char)at->text[i];
        const char *format = byte >= 0x20 && byte < 0x7f ? "%c" : "\\x%02x";
        used += (size_t)snprintf(out + used, size - used, format, byte);
    }
}

static bool refuse_field(const reader *self, const field *at, const char *expected)
{
    char shown[80];
    show(at, shown, sizeof shown);
    return sim_world_refuse(self->error, self->table->path, self->line, at->column, "found '%s', expected %s", shown,
                            expected);
}

/* Cuts a line at its commas. */
static bool split(const reader *self, const char *text, int length, field out[FIELDS])
{
    int count = 0;
    int start = 0;
    for (int i = 0; i <= length; i++) {
        if (i < length && text[i] != ',')
            continue;
        if (count < FIELDS)
            out[count] = (field){.text = text + start, .length = i - start, .column = start + 1};
        else if (count == FIELDS)
            return sim_world_refuse(self->error, self->table->path, self->line, start + 1,
                                    "the line goes on, expected %d fields: src,dst,p50,p95", FIELDS);
        count++;
        start = i + 1;
    }
    if (count < FIELDS)
        return sim_world_refuse(self->error, self->table->path, self->line, length + 1,
                                "the line ends after %d of %d fields: src,dst,p50,p95", count, FIELDS);
    return true;
}

static bool starts_with(const field *at, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)at->length >= length && memcmp(at->text, word, length) == 0;
}

static bool is_word(const field *at, const char *word)
{
    return (size_t)at->length == strlen(word) && starts_with(at, word);
}

static bool read_header(const reader *self, const char *text, int length)
{
    field column[FIELDS];
    if (!split(self, text, length, column))
        return false;
    if (!is_word(&column[0], "src"))
        return refuse_field(self, &column[0], "the header's first column, src");
    if (!is_word(&column[1], "dst"))
        return refuse_field(self, &column[1], "the header's second column, dst");
    if (!starts_with(&column[2], "p50_ms"))
        return refuse_field(self, &column[2], "the header's third column, p50_ms...");
    if (!starts_with(&column[3], "p95_ms"))
        return refuse_field(self, &column[3], "the header's fourth column, p95_ms...");
    return true;
}

static bool refuse_region(const reader *self, const field *at, const char *name)
{
    const size_t count = sim_catalogue_count();
    const char **known = malloc(count * sizeof *known);
    const char *nearest = NULL;
    if (known != NULL) {
        for (size_t i = 0; i < count; i++)
            known[i] = sim_catalogue_name((uint16_t)i);
        nearest = sim_nearest(name, known, count);
    }
    char expected[160];
    snprintf(expected, sizeof expected, "a region of the catalogue%s%s%s", nearest != NULL ? "; did you mean '" : "",
             nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    free(known);
    return refuse_field(self, at, expected);
}

static bool read_region(const reader *self, const field *at, uint16_t *region)
{
    char name[NAME_MAX_LENGTH + 1];
    const int length = at->length < NAME_MAX_LENGTH ? at->length : NAME_MAX_LENGTH;
    memcpy(name, at->text, (size_t)length);
    name[length] = '\0';
    *region = at->length <= NAME_MAX_LENGTH ? sim_catalogue_find(name) : SIM_CATALOGUE_NONE;
    return *region != SIM_CATALOGUE_NONE || refuse_region(self, at, name);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Milliseconds as ns; an empty field is SIM_ROUND_TRIP_NONE. */
static bool read_milliseconds(const reader *self, const field *at, int64_t *ns)
{
    *ns = SIM_ROUND_TRIP_NONE;
    if (at->length == 0)
        return true;
    int i = 0;
    int64_t value = 0;
    while (i < at->length && i <= WHOLE_DIGITS_MAX && is_digit(at->text[i]))
        value = value * 10 + (at->text[i++] - '0');
    bool is_ok = i > 0 && i <= WHOLE_DIGITS_MAX;
    int decimals = 0;
    if (is_ok && i < at->length && at->text[i] == '.') {
        i++;
        for (; i < at->length && decimals < DECIMALS_MAX && is_digit(at->text[i]); decimals++)
            value = value * 10 + (at->text[i++] - '0');
        is_ok = decimals > 0;
    }
    if (!is_ok || i != at->length)
        return refuse_field(self, at, "milliseconds (at most 9 digits and 6 decimals) or nothing");
    for (; decimals < DECIMALS_MAX; decimals++)
        value *= 10;
    *ns = value;
    return true;
}

static bool read_row(const reader *self, const char *text, int length)
{
    field part[FIELDS];
    uint16_t from;
    uint16_t to;
    sim_round_trip found = {.line = self->line};
    if (!split(self, text, length, part) || !read_region(self, &part[0], &from) || !read_region(self, &part[1], &to) ||
        !read_milliseconds(self, &part[2], &found.p50) || !read_milliseconds(self, &part[3], &found.p95))
        return false;
    if (from == to)
        return refuse_field(self, &part[1],
                            "another region than the first: the scenario says what a region's own round trip is");
    sim_round_trip *pair = &self->table->pair[(size_t)from * self->table->regions + to];
    if (pair->line != 0)
        return sim_world_refuse(self->error, self->table->path, self->line, 1,
                                "the pair %s -> %s was already listed in line %d", sim_catalogue_name(from),
                                sim_catalogue_name(to), pair->line);
    *pair = found;
    return true;
}

static bool read_text(sim_round_trip_table *table, const char *text, size_t size, sim_input_error *error)
{
    reader self = {.table = table, .error = error, .line = 1};
    if (size == 0)
        return sim_world_refuse(error, table->path, 1, 1, "the file is empty, expected a table src,dst,p50_ms,p95_ms");
    for (size_t at = 0; at < size; self.line++) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = (end != NULL ? (size_t)(end - text) : size) - at;
        const bool is_ok =
            self.line == 1 ? read_header(&self, text + at, (int)length) : read_row(&self, text + at, (int)length);
        if (!is_ok)
            return false;
        at += length + 1;
    }
    return true;
}

/* Reads all of an open file; NULL if reading fails or memory is short. The caller frees. */
static char *read_all(FILE *file, size_t *size)
{
    const size_t size_max = (size_t)1 << 28; /* so that a line's length fits an int */
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    for (;;) {
        if (*size == room) {
            room = room == 0 ? 1 << 16 : room * 2;
            char *grown = room <= size_max ? realloc(text, room) : NULL;
            if (grown == NULL)
                break;
            text = grown;
        }
        const size_t got = fread(text + *size, 1, room - *size, file);
        *size += got;
        if (got == 0 && !ferror(file))
            return text;
        if (got == 0)
            break;
    }
    free(text);
    return NULL;
}

/* Opens the nearest table of that name; the path goes to table->path. */
static FILE *find_and_open(sim_round_trip_table *table, const char *scenario_path, const char *name,
                           sim_input_error *error)
{
    table->path = sim_data_file_find(scenario_path, name);
    FILE *file = table->path != NULL ? fopen(table->path, "rb") : NULL;
    if (table->path == NULL)
        sim_world_refuse(error, scenario_path, 0, 0,
                         "the round-trip table '%s' was not found: expected a file data/%s.csv beside the scenario, "
                         "or data/ or scenarios/data/ in a folder above it",
                         name, name);
    else if (file == NULL)
        sim_world_refuse(error, table->path, 0, 0, "the round-trip table cannot be opened: %s", strerror(errno));
    if (file == NULL)
        error->is_io = true;
    return file;
}

static bool fill(sim_round_trip_table *table, const char *text, size_t size, sim_input_error *error)
{
    table->regions = sim_catalogue_count();
    table->pair = calloc(table->regions * table->regions, sizeof *table->pair);
    if (table->pair == NULL)
        return sim_world_refuse(error, table->path, 0, 0, "out of memory");
    return read_text(table, text, size, error);
}

bool sim_round_trip_table_parse(sim_round_trip_table *table, const char *path, const char *text, size_t size,
                                sim_input_error *error)
{
    *table = (sim_round_trip_table){.path = strdup(path)};
    return fill(table, text, size, error);
}

bool sim_round_trip_table_load(sim_round_trip_table *table, const char *scenario_path, const char *name,
                               sim_input_error *error)
{
    *table = (sim_round_trip_table){0};
    FILE *file = find_and_open(table, scenario_path, name, error);
    if (file == NULL)
        return false;
    size_t size;
    char *text = read_all(file, &size);
    fclose(file);
    bool is_ok = false;
    if (text == NULL) {
        sim_world_refuse(error, table->path, 0, 0, "the round-trip table cannot be read");
        error->is_io = true;
    } else {
        is_ok = fill(table, text, size, error);
    }
    free(text);
    return is_ok;
}

void sim_round_trip_table_deinit(sim_round_trip_table *table)
{
    free(table->path);
    free(table->pair);
    *table = (sim_round_trip_table){0};
}
