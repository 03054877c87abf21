/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical text: every effective value as a line `path = value`, in integers of the units that scenario.h names,
 * sorted by bytes. Files that mean the same have the same text, however they are written; the input digest covers it.
 * Names of the file itself and prose are left out, for they change no result. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/load.h"

enum { PATH_SIZE = 256, VALUE_SIZE = 64, FIRST_LINES = 64, PER_NAME = 66 };

typedef struct {
    sim_arena *arena;
    char **line;
    size_t count;
    size_t room;
    size_t bytes;
} writer;

static void add_line(writer *self, const char *path, const char *value)
{
    if (self->count == self->room) {
        const size_t room = self->room > 0 ? 2 * self->room : FIRST_LINES;
        char **line = sim_arena_array(self->arena, room, sizeof *line);
        if (self->count > 0)
            memcpy(line, self->line, self->count * sizeof *line);
        self->line = line;
        self->room = room;
    }
    const size_t size = strlen(path) + strlen(value) + sizeof " = \n";
    char *text = sim_arena_alloc(self->arena, size);
    snprintf(text, size, "%s = %s\n", path, value);
    self->line[self->count++] = text;
    self->bytes += size - 1;
}

static void add_number(writer *self, const char *path, int64_t value)
{
    char text[VALUE_SIZE];
    if (value == SIM_ABSENT)
        return;
    snprintf(text, sizeof text, "%" PRId64, value);
    add_line(self, path, value == RGN_TIME_NEVER ? "never" : text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *finish(writer *self)
{
    char *text = sim_arena_alloc(self->arena, self->bytes + 1);
    size_t used = 0;
    if (self->count > 0)
        qsort(self->line, self->count, sizeof *self->line, by_text);
    for (size_t i = 0; i < self->count; i++) {
        const size_t length = strlen(self->line[i]);
        memcpy(text + used, self->line[i], length);
        used += length;
    }
    return text;
}

static void join(char *out, const char *path, const char *key)
{
    snprintf(out, PATH_SIZE, "%s%s%s", path, path[0] != '\0' && key[0] != '\0' ? "." : "", key);
}

static void write_record(writer *self, const sim_record *record, const char *path, const void *base);

/* "a, b, c"; sorted if their order means nothing. */
static void write_names(writer *self, const sim_field *field, const char *path, const sim_raw_items *items)
{
    if (items->count == 0 && items->node != NULL)
        add_line(self, path, field->word);
    if (items->count == 0)
        return;
    const char **name = sim_arena_array(self->arena, items->count, sizeof *name);
    for (uint32_t i = 0; i < items->count; i++)
        name[i] = items->item[i].name;
    if ((field->flags & SIM_FIELD_SET) != 0)
        qsort(name, items->count, sizeof *name, by_text);
    char *text = sim_arena_array(self->arena, items->count, PER_NAME);
    size_t used = 0;
    for (uint32_t i = 0; i < items->count; i++)
        used += (size_t)snprintf(text + used, PER_NAME, "%s%s", i > 0 ? ", " : "", name[i]);
    add_line(self, path, text);
}

/* "0, 3, 7" */
static void write_numbers(writer *self, const char *path, const sim_raw_items *items)
{
    if (items->count == 0)
        return;
    char *text = sim_arena_array(self->arena, items->count, PER_NAME);
    size_t used = 0;
    for (uint32_t i = 0; i < items->count; i++)
        used += (size_t)snprintf(text + used, PER_NAME, "%s%" PRId64, i > 0 ? ", " : "", items->item[i].key);
    add_line(self, path, text);
}

/* A status as files write it, with its sub-status. */
static void format_status(int64_t key, char *out, size_t size)
{
    static const char *const words[] = {[SIM_ERROR_REFUSED] = "refused", [SIM_ERROR_NO_REPLY] = "no_reply"};
    const int64_t type = key >> 32;
    if (type != SIM_ERROR_STATUS)
        snprintf(out, size, "%s", words[type]);
    else
        snprintf(out, size, "%" PRId64 "/%" PRId64, key >> 16, key & UINT16_MAX);
}

/* One line for each pair; keys as numbers but for names and statuses. */
static void write_pairs(writer *self, const sim_field *field, const char *path, const sim_raw_items *items)
{
    for (uint32_t i = 0; i < items->count; i++) {
        const sim_raw_item *item = &items->item[i];
        char inner[PATH_SIZE];
        char key[VALUE_SIZE];
        if (field->type == SIM_FIELD_STATUSES)
            format_status(item->key, key, sizeof key);
        else
            snprintf(key, sizeof key, "%" PRId64, item->key);
        join(inner, path, item->name != NULL ? item->name : key);
        if (field->type == SIM_FIELD_TEXTS)
            add_line(self, inner, item->text);
        else
            add_number(self, inner, item->value);
    }
}

static void write_knobs(writer *self, const char *path, const rgn_option_layer *layer)
{
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        char inner[PATH_SIZE];
        join(inner, path, rgn_knob_at((rgn_knob_id)id)->name);
        if (layer->is_set[id])
            add_number(self, inner, rgn_options_get(&layer->values, (rgn_knob_id)id));
    }
}

static void write_decimal(writer *self, const char *path, const sim_raw_number *number)
{
    char text[VALUE_SIZE];
    if (number->node == NULL)
        return;
    snprintf(text, sizeof text, "%" PRId64 "e-%" PRId64, number->value, number->scale);
    add_line(self, path, text);
}

static void write_choice(writer *self, const sim_field *field, const char *path, const sim_raw_choice *choice);

static bool is_required(const sim_field *field)
{
    return (field->flags & SIM_FIELD_REQUIRED) != 0;
}

/* An absent record counts with its defaults, unless it cannot be without its required keys. */
static bool is_there(const sim_record *record, const void *base)
{
    for (size_t i = 0; i < record->count; i++) {
        if (is_required(&record->field[i]) && *(const sim_node *const *)base == NULL)
            return false;
    }
    return true;
}

static void write_items(writer *self, const sim_field *field, const char *path, const sim_raw_items *items)
{
    for (uint32_t i = 0; i < items->count; i++) {
        const sim_raw_item *item = &items->item[i];
        char inner[PATH_SIZE];
        if (field->type == SIM_FIELD_MAP)
            join(inner, path, item->name);
        else
            snprintf(inner, sizeof inner, "%s[%" PRIu32 "]", path, i + 1);
        write_record(self, field->record, inner, item->record);
    }
}

static void write_value(writer *self, const sim_field *field, const char *path, const void *value)
{
    const char *text;
    switch (field->type) {
    case SIM_FIELD_FLAG:
    case SIM_FIELD_COUNT:
    case SIM_FIELD_DURATION:
    case SIM_FIELD_SHARE:
    case SIM_FIELD_FACTOR:
    case SIM_FIELD_RATE:
    case SIM_FIELD_CHOICE:
    case SIM_FIELD_BUDGET:
    case SIM_FIELD_WORDS:
        add_number(self, path, *(const int64_t *)value);
        break;
    case SIM_FIELD_NUMBER:
        write_decimal(self, path, value);
        break;
    case SIM_FIELD_NAME:
    case SIM_FIELD_TEXT:
    case SIM_FIELD_REGION:
        text = *(const char *const *)value;
        if (text != NULL)
            add_line(self, path, text);
        break;
    case SIM_FIELD_NAMES:
    case SIM_FIELD_REGIONS:
        write_names(self, field, path, value);
        break;
    case SIM_FIELD_NUMBERS:
        write_numbers(self, path, value);
        break;
    case SIM_FIELD_POINTS:
    case SIM_FIELD_STATUSES:
    case SIM_FIELD_WEIGHTS:
    case SIM_FIELD_PERCENTILES:
    case SIM_FIELD_INSTANTS:
    case SIM_FIELD_TEXTS:
        write_pairs(self, field, path, value);
        break;
    case SIM_FIELD_RECORDS:
    case SIM_FIELD_MAP:
        write_items(self, field, path, value);
        break;
    case SIM_FIELD_RECORD:
        if (is_there(field->record, value))
            write_record(self, field->record, path, value);
        break;
    case SIM_FIELD_ONE_OF:
        write_choice(self, field, path, value);
        break;
    case SIM_FIELD_KNOBS:
        write_knobs(self, path, &((const sim_raw_knobs *)value)->layer);
        break;
    case SIM_FIELD_WORD:
        break;
    }
}

static void write_choice(writer *self, const sim_field *field, const char *path, const sim_raw_choice *choice)
{
    if (choice->which == SIM_ABSENT)
        return;
    const sim_field *row = &field->record->field[choice->which];
    char inner[PATH_SIZE];
    join(inner, path, row->key);
    if (row->type == SIM_FIELD_WORD)
        add_line(self, path, row->key);
    else
        write_value(self, row, inner, (const char *)choice + row->offset);
}

static void write_record(writer *self, const sim_record *record, const char *path, const void *base)
{
    for (size_t i = 0; i < record->count; i++) {
        const sim_field *field = &record->field[i];
        char inner[PATH_SIZE];
        if ((field->flags & SIM_FIELD_PROSE) != 0)
            continue;
        join(inner, path, field->key);
        write_value(self, field, inner, (const char *)base + field->offset);
    }
}

const char *sim_canonical_scenario(sim_arena *arena, const sim_raw_scenario *raw)
{
    writer self = {.arena = arena};
    write_record(&self, &sim_scenario_record, "", raw);
    return finish(&self);
}

/* Options that the policy leaves alone are named too, so that a new default is a new input. */
const char *sim_canonical_policy(sim_arena *arena, const rgn_option_layer *layer)
{
    writer self = {.arena = arena};
    write_knobs(&self, "", layer);
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        char text[VALUE_SIZE];
        if (layer->is_set[id])
            continue;
        snprintf(text, sizeof text, "default %" PRId64, knob->initial);
        add_line(&self, knob->name, text);
    }
    return finish(&self);
}
