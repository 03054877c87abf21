/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/recording.h"

#include <stdlib.h>
#include <string.h>

#include "engine/wide.h"
#include "scenario/scalars.h"

enum {
    ARRIVALS_MAX = 1 << 20,
    NS_PER_MS = 1000000,
    DECIMALS_MAX = 6, /* a nanosecond */
};
#define CLOCK_PER_OPERATION UINT64_C(1000000000000)
#define TIME_MAX            (INT64_C(366) * 24 * 3600 * 1000000000)

typedef struct {
    const sim_source *source;
    sim_input_error *error;
    int line;
} reader;

static bool refuse(const reader *self, int column, const char *what)
{
    const sim_node at = {.line = self->line, .column = column, .source = self->source};
    return sim_error_at(self->error, self->source, &at, "%s", what);
}

static int count_fields(const char *text, size_t length)
{
    int count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == ',';
    return count;
}

/* The line's first field in ns. */
static bool read_time(const reader *self, const char *text, size_t length, int64_t *ns)
{
    char number[SIM_SCALAR_SIZE];
    int64_t value;
    int64_t scale;
    size_t size = 0;
    while (size < length && text[size] != ',')
        size++;
    snprintf(number, sizeof number, "%.*s", (int)(size < sizeof number ? size : sizeof number - 1), text);
    if (size >= sizeof number || strlen(number) != size ||
        sim_scalar_decimal(number, &value, &scale) != SIM_SCALAR_OK || scale > DECIMALS_MAX)
        return refuse(self, 1, "expected milliseconds with at most six decimals");
    for (; scale < DECIMALS_MAX && value <= TIME_MAX; scale++)
        value *= 10;
    if (value > TIME_MAX)
        return refuse(self, 1, "expected a time of at most a year");
    *ns = value;
    return true;
}

static bool read_line(const reader *self, const char *text, size_t length, int fields, int64_t *time, uint32_t count)
{
    if (count == ARRIVALS_MAX)
        return refuse(self, 1, "too many arrivals; expected at most 1048576");
    if (count_fields(text, length) != fields)
        return refuse(self, 1, "expected as many fields as the header has");
    if (!read_time(self, text, length, &time[count]))
        return false;
    if (count > 0 && time[count] < time[count - 1])
        return refuse(self, 1, "the time is before the last; expected times that do not fall");
    return true;
}

/* Times in ns to `time`, which has room for as many as there are lines. */
static bool read_text(reader *self, const char *text, size_t length, int64_t *time, uint32_t *count)
{
    int fields = 0;
    for (size_t at = 0; at < length;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', length - at);
        size_t size = end != NULL ? (size_t)(end - line) : length - at;
        at += size + 1;
        self->line++;
        if (size > 0 && line[size - 1] == '\r')
            size--;
        if (fields == 0) {
            const bool is_header = size >= 4 && memcmp(line, "t_ms", 4) == 0 && (size == 4 || line[4] == ',');
            if (!is_header)
                return refuse(self, 1, "expected a header that begins with t_ms");
            fields = count_fields(line, size);
        } else if (!read_line(self, line, size, fields, time, (*count)++)) {
            return false;
        }
    }
    self->line = 0;
    if (*count < 2 || time[*count - 1] == time[0])
        return sim_error_at(self->error, self->source, NULL, "expected at least two arrivals at different times");
    return true;
}

/* Stretches the recording to one operation a unit of time. A round takes the recording and one mean gap. */
static void stretch(const int64_t *time, uint32_t count, uint64_t *at)
{
    const uint64_t span = (uint64_t)(time[count - 1] - time[0]);
    const uint64_t round = span + (span + (count - 1) / 2) / (count - 1);
    for (uint32_t i = 0; i < count; i++)
        at[i] = (uint64_t)((sim_u128)(uint64_t)(time[i] - time[0]) * count * CLOCK_PER_OPERATION / round);
}

bool sim_recording_parse(sim_arena *arena, const char *file, const char *text, size_t length, sim_recording *out,
                         sim_input_error *error)
{
    const sim_source source = {.path = file};
    reader reading = {.source = &source, .error = error};
    if (length > SIM_DOCUMENT_BYTES_MAX)
        return sim_error_at(error, &source, NULL, "is larger than 1 MiB");
    size_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    int64_t *time = sim_arena_array(arena, lines, sizeof *time);
    uint32_t count = 0;
    if (!read_text(&reading, text, length, time, &count))
        return false;
    uint64_t *at = sim_arena_array(arena, count, sizeof *at);
    stretch(time, count, at);
    *out = (sim_recording){count, at};
    return true;
}

bool sim_recording_load(sim_resolver *self, const char *path, const sim_node *node, const char *name,
                        sim_recording *out)
{
    sim_arena *arena = self->decoder->arena;
    char *found = sim_data_file_find(self->out->path, name);
    if (found == NULL)
        return sim_resolve_fail(self, path, node,
                                "the recording \"%s\" was not found; expected a file data/%s.csv beside the scenario, "
                                "or data/ or scenarios/data/ in a folder above it",
                                name, name);
    const char *file = sim_arena_string(arena, found);
    free(found);
    const char *text;
    size_t length;
    return sim_file_read(arena, file, &text, &length, self->decoder->error) &&
           sim_recording_parse(arena, file, text, length, out, self->decoder->error);
}
