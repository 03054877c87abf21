/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON Schema (draft 7) of scenario and policy files, for editors. What a schema cannot say (names that must exist,
 * shares that must sum up, order in time) the decoder checks. */
#include <string.h>

#include "scenario/decode.h"
#include "scenario/json.h"

#define NUMBER   "[0-9]+(\\.[0-9]+)?"
#define DURATION NUMBER " ?(ns|us|ms|s|min|h)"
#define RATE     NUMBER " ?/(s|min)"
/* At most 100 %, with so many digits that count. */
#define PERCENT(decimals) "(100(\\.0*)?|[0-9]{1,2}(\\.[0-9]{1," #decimals "}0*)?) ?%"
#define ABOVE_ZERO        "(?![0.]+ ?[%/])"
#define NAME_PATTERN      "^[A-Za-z][A-Za-z0-9_-]{0,62}$"

enum { PATTERN_SIZE = 160, PPB_DIGITS = 9, PPM_DIGITS = 6, PPM = 1000000 };

static void write_type(sim_json *json, const char *first, const char *second)
{
    sim_json_open(json, "type", '[');
    sim_json_string(json, NULL, first);
    sim_json_string(json, NULL, second);
    sim_json_close(json, ']');
}

static void write_range(sim_json *json, int64_t min, int64_t max, int scale)
{
    sim_json_number(json, "minimum", min, scale);
    sim_json_number(json, "maximum", max, scale);
}

/* A text of that form, or a word; an empty form admits the word alone. */
static void write_pattern(sim_json *json, const char *form, const char *word)
{
    char pattern[PATTERN_SIZE];
    const char *const bar = form[0] != '\0' && word != NULL ? "|" : "";
    snprintf(pattern, sizeof pattern, "^(%s%s%s)$", form, bar, word != NULL ? word : "");
    sim_json_string(json, "pattern", pattern);
}

static void write_words(sim_json *json, const char *words)
{
    char word[SIM_WORD_SIZE];
    sim_json_open(json, "enum", '[');
    for (size_t n = 0; sim_word_at(words, n, word, sizeof word); n++)
        sim_json_string(json, NULL, word);
    sim_json_close(json, ']');
}

/* 0 is the one duration that needs no unit: YAML makes a number of it. */
static void write_duration(sim_json *json, const char *word)
{
    write_type(json, "string", "number");
    write_pattern(json, DURATION, word);
    sim_json_number(json, "minimum", 0, 0);
    sim_json_number(json, "maximum", 0, 0);
}

static void write_scalar(sim_json *json, const sim_field *field)
{
    switch ((int)field->type) {
    case SIM_FIELD_FLAG:
        sim_json_string(json, "type", "boolean");
        break;
    case SIM_FIELD_DURATION:
        write_duration(json, field->word);
        break;
    case SIM_FIELD_SHARE:
        write_type(json, "string", "number");
        write_pattern(json, field->min > 0 ? ABOVE_ZERO PERCENT(7) : PERCENT(7), field->word);
        write_range(json, field->min, field->max, PPB_DIGITS);
        break;
    case SIM_FIELD_FACTOR:
        sim_json_string(json, "type", "number");
        write_range(json, field->min, field->max, PPM_DIGITS);
        break;
    case SIM_FIELD_RATE:
        sim_json_string(json, "type", "string");
        write_pattern(json, field->min > 0 ? ABOVE_ZERO RATE : RATE, field->word);
        break;
    case SIM_FIELD_CHOICE:
        write_words(json, field->words);
        break;
    case SIM_FIELD_BUDGET:
        sim_json_string(json, "type", "string");
        write_pattern(json, "[0-9]+ per partition", field->word);
        break;
    default:
        sim_json_string(json, "type", "integer");
        write_range(json, field->min, field->max, 0);
    }
}

/* Of a ONE_OF whose value may stand there bare. */
static void write_default_of_bare(sim_json *json, const sim_field *row)
{
    char text[SIM_EXPECTED_SIZE];
    sim_field_format(row, row->initial, text, sizeof text);
    sim_json_string(json, "default", text);
}

static void write_default(sim_json *json, const sim_field *field)
{
    if ((field->flags & SIM_FIELD_REQUIRED) != 0 || field->key[0] == '\0' || field->initial == SIM_ABSENT)
        return;
    char text[SIM_EXPECTED_SIZE];
    if (field->initial_word != NULL && field->initial_word[0] == '\0')
        write_default_of_bare(json, sim_record_find(field->record, ""));
    else if (field->initial_word != NULL)
        sim_json_string(json, "default", field->initial_word);
    else if (field->type == SIM_FIELD_FLAG)
        sim_json_flag(json, "default", field->initial != 0);
    else if (field->type == SIM_FIELD_COUNT)
        sim_json_number(json, "default", field->initial, 0);
    else if (field->type == SIM_FIELD_FACTOR)
        sim_json_number(json, "default", field->initial, PPM_DIGITS);
    else if (sim_field_is_scalar(field)) {
        sim_field_format(field, field->initial, text, sizeof text);
        sim_json_string(json, "default", text);
    }
}

static void write_reference(sim_json *json, const char *key, const char *name)
{
    char reference[PATTERN_SIZE];
    snprintf(reference, sizeof reference, "#/definitions/%s", name);
    sim_json_string(json, key, reference);
}

static void write_value(sim_json *json, const char *key, const sim_field *field);

/* Lists of names; `item` is a definition. */
static void write_items(sim_json *json, const sim_field *field, const char *item)
{
    sim_json_string(json, "type", "array");
    sim_json_number(json, "minItems", 1, 0);
    if (field->max > 0)
        sim_json_number(json, "maxItems", field->max, 0);
    if (field->type != SIM_FIELD_RECORDS)
        sim_json_flag(json, "uniqueItems", true);
    sim_json_open(json, "items", '{');
    if (item != NULL)
        write_reference(json, "$ref", item);
    else if (field->type == SIM_FIELD_NUMBERS)
        write_scalar(json, field->record->field);
    else
        write_words(json, field->words);
    sim_json_close(json, '}');
}

/* A list, or the word that may stand in its place. */
static void write_list(sim_json *json, const sim_field *field, const char *item)
{
    if (field->word == NULL) {
        write_items(json, field, item);
        return;
    }
    sim_json_open(json, "anyOf", '[');
    sim_json_open(json, NULL, '{');
    sim_json_string(json, "const", field->word);
    sim_json_close(json, '}');
    sim_json_open(json, NULL, '{');
    write_items(json, field, item);
    sim_json_close(json, '}');
    sim_json_close(json, ']');
}

/* Mappings whose keys are data. */
static void write_pairs(sim_json *json, const sim_field *field, const char *key_pattern)
{
    sim_json_string(json, "type", "object");
    sim_json_number(json, "minProperties", 1, 0);
    sim_json_number(json, "maxProperties", field->max, 0);
    sim_json_flag(json, "additionalProperties", false);
    sim_json_open(json, "patternProperties", '{');
    if (field->type == SIM_FIELD_MAP) {
        sim_json_open(json, key_pattern, '{');
        write_reference(json, "$ref", field->record->name);
        sim_json_close(json, '}');
    } else {
        write_value(json, key_pattern, field->record->field);
    }
    sim_json_close(json, '}');
}

/* Environment variables, as their options know them. */
static void write_variables(sim_json *json, const sim_field *field)
{
    char name[128];
    sim_json_string(json, "type", "object");
    sim_json_number(json, "minProperties", 1, 0);
    sim_json_number(json, "maxProperties", field->max, 0);
    sim_json_flag(json, "additionalProperties", false);
    sim_json_open(json, "properties", '{');
    for (size_t n = 0; sim_knob_variable_at(n, name, sizeof name); n++) {
        sim_json_open(json, name, '{');
        sim_json_close(json, '}');
    }
    sim_json_close(json, '}');
}

static void write_choice(sim_json *json, const sim_record *record)
{
    sim_json_open(json, "anyOf", '[');
    for (size_t i = 0; i < record->count; i++) {
        const sim_field *row = &record->field[i];
        if (row->key[0] == '\0') {
            write_value(json, NULL, row);
            continue;
        }
        sim_json_open(json, NULL, '{');
        if (row->type == SIM_FIELD_WORD) {
            sim_json_string(json, "const", row->key);
            sim_json_string(json, "description", row->meaning);
        } else {
            sim_json_string(json, "type", "object");
            sim_json_flag(json, "additionalProperties", false);
            sim_json_open(json, "required", '[');
            sim_json_string(json, NULL, row->key);
            sim_json_close(json, ']');
            sim_json_open(json, "properties", '{');
            write_value(json, row->key, row);
            sim_json_close(json, '}');
        }
        sim_json_close(json, '}');
    }
    sim_json_close(json, ']');
}

static void write_form(sim_json *json, const sim_field *field)
{
    switch ((int)field->type) {
    case SIM_FIELD_NUMBER:
        write_type(json, "number", "string");
        write_pattern(json, DURATION "|" NUMBER " ?%", NULL);
        break;
    case SIM_FIELD_NAME:
        sim_json_string(json, "type", "string");
        sim_json_string(json, "pattern", NAME_PATTERN);
        break;
    case SIM_FIELD_TEXT:
        write_type(json, "string", "number");
        break;
    case SIM_FIELD_NAMES:
        write_list(json, field, "name");
        break;
    case SIM_FIELD_REGIONS:
        write_list(json, field, "region");
        break;
    case SIM_FIELD_RECORDS:
        write_list(json, field, field->record->name);
        break;
    case SIM_FIELD_NUMBERS:
    case SIM_FIELD_WORDS:
        write_list(json, field, NULL);
        break;
    case SIM_FIELD_POINTS:
        write_pairs(json, field, "^(0|" DURATION ")$");
        break;
    case SIM_FIELD_STATUSES:
        write_pairs(json, field, "^([45][0-9][0-9](/[0-9]+)?|refused|no_reply)$");
        break;
    case SIM_FIELD_WEIGHTS:
        write_pairs(json, field, "^[0-9]+$");
        break;
    case SIM_FIELD_PERCENTILES:
        write_pairs(json, field, "^" NUMBER "$");
        break;
    case SIM_FIELD_INSTANTS: /* of phases, and "all" is the whole run */
        write_pairs(json, field,
                    "^(?!all$)"
                    "[A-Za-z][A-Za-z0-9_-]{0,62}$");
        break;
    case SIM_FIELD_MAP:
        write_pairs(json, field, NAME_PATTERN);
        break;
    case SIM_FIELD_TEXTS:
        write_variables(json, field);
        break;
    case SIM_FIELD_ONE_OF:
        write_choice(json, field->record);
        break;
    default:
        write_scalar(json, field);
    }
}

static void write_value(sim_json *json, const char *key, const sim_field *field)
{
    /* In draft 7 a reference's neighbours are ignored, so it stands in an allOf of its own. */
    const char *definition = field->type == SIM_FIELD_RECORD   ? field->record->name
                             : field->type == SIM_FIELD_REGION ? "region"
                             : field->type == SIM_FIELD_KNOBS  ? "options"
                                                               : NULL;
    sim_json_open(json, key, '{');
    sim_json_string(json, "description", field->meaning);
    if (definition != NULL) {
        sim_json_open(json, "allOf", '[');
        sim_json_open(json, NULL, '{');
        write_reference(json, "$ref", definition);
        sim_json_close(json, '}');
        sim_json_close(json, ']');
    } else {
        write_form(json, field);
    }
    write_default(json, field);
    sim_json_close(json, '}');
}

static void write_knob(sim_json *json, rgn_knob_id id, const char *key)
{
    const rgn_knob *knob = rgn_knob_at(id);
    char text[SIM_EXPECTED_SIZE];
    const char *word = knob->max == RGN_TIME_NEVER ? "never" : knob->min == RGN_AUTO ? "auto" : NULL;
    sim_json_open(json, key, '{');
    sim_json_string(json, "description", knob->meaning);
    switch (knob->type) {
    case RGN_FLAG:
        if (word != NULL) {
            write_type(json, "boolean", "string");
            write_pattern(json, "", word);
            break;
        }
        sim_json_string(json, "type", "boolean");
        sim_json_flag(json, "default", knob->initial != 0);
        sim_json_close(json, '}');
        return;
    case RGN_COUNT:
        write_type(json, "integer", "string");
        write_range(json, knob->min == RGN_AUTO ? 0 : knob->min, knob->max, 0);
        write_pattern(json, "", word);
        break;
    case RGN_DURATION:
        write_duration(json, word);
        break;
    case RGN_SHARE:
        write_type(json, "string", "number");
        write_pattern(json, knob->min > 0 ? ABOVE_ZERO PERCENT(4) : PERCENT(4), NULL);
        write_range(json, knob->min, knob->max, PPM_DIGITS);
        break;
    case RGN_PERCENT:
        write_type(json, "string", "integer");
        write_pattern(json, "[0-9]+ ?%", NULL);
        write_range(json, knob->min, knob->max, 0);
        break;
    case RGN_CHOICE:
        write_words(json, knob->choices);
        break;
    }
    if (knob->type == RGN_COUNT && knob->initial != RGN_AUTO) {
        sim_json_number(json, "default", knob->initial, 0);
    } else {
        sim_format_knob(id, knob->initial, text, sizeof text);
        sim_json_string(json, "default", text);
    }
    sim_json_close(json, '}');
}

/* Whether the knob is of the group, and, for options that operations carry, acts on single operations. */
static bool is_listed(const rgn_knob *knob, const char *group, bool is_of_operations)
{
    const size_t length = strlen(group);
    return strncmp(knob->name, group, length) == 0 && knob->name[length] == '.' &&
           (!is_of_operations || knob->reach == RGN_REACH_OPERATION);
}

/* The groups of options as keys. */
static void write_knob_groups(sim_json *json, bool is_of_operations)
{
    char groups[SIM_KNOB_GROUPS_MAX][SIM_KNOB_GROUP_SIZE];
    const size_t count = sim_knob_groups(groups);
    for (size_t g = 0; g < count; g++) {
        if (is_of_operations && !sim_knob_group_has(groups[g], RGN_REACH_OPERATION))
            continue;
        sim_json_open(json, groups[g], '{');
        sim_json_string(json, "type", "object");
        sim_json_flag(json, "additionalProperties", false);
        sim_json_number(json, "minProperties", 1, 0);
        sim_json_open(json, "properties", '{');
        for (int id = 0; id < RGN_KNOB_COUNT; id++) {
            const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
            if (is_listed(knob, groups[g], is_of_operations))
                write_knob(json, (rgn_knob_id)id, knob->name + strlen(groups[g]) + 1);
        }
        sim_json_close(json, '}');
        sim_json_close(json, '}');
    }
}

/* One of several keys, or at least one of them. */
static void write_alternatives(sim_json *json, const sim_record *record, unsigned flag, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < record->count; i++) {
        if ((record->field[i].flags & flag) == 0)
            continue;
        if (count++ == 0)
            sim_json_open(json, key, '[');
        sim_json_open(json, NULL, '{');
        sim_json_open(json, "required", '[');
        sim_json_string(json, NULL, record->field[i].key);
        sim_json_close(json, ']');
        sim_json_close(json, '}');
    }
    if (count > 0)
        sim_json_close(json, ']');
}

static void write_record(sim_json *json, const sim_record *record)
{
    sim_json_open(json, record->name, '{');
    sim_json_string(json, "type", "object");
    write_alternatives(json, record, SIM_FIELD_ONLY_ONE, "oneOf");
    write_alternatives(json, record, SIM_FIELD_AT_LEAST_ONE, "anyOf");
    sim_json_flag(json, "additionalProperties", false);
    sim_json_open(json, "required", '[');
    for (size_t i = 0; i < record->count; i++) {
        if ((record->field[i].flags & SIM_FIELD_REQUIRED) != 0)
            sim_json_string(json, NULL, record->field[i].key);
    }
    sim_json_close(json, ']');
    sim_json_open(json, "properties", '{');
    for (size_t i = 0; i < record->count; i++) {
        if (record->field[i].key[0] != '\0')
            write_value(json, record->field[i].key, &record->field[i]);
        else
            write_knob_groups(json, false);
    }
    sim_json_close(json, '}');
    sim_json_close(json, '}');
}

/* The records below this one that other records refer to by name, each once. */
static void write_records_below(sim_json *json, const sim_record *record, const sim_record **done, size_t *count)
{
    for (size_t i = 0; i < record->count; i++) {
        const sim_field *field = &record->field[i];
        const bool is_named =
            field->type == SIM_FIELD_RECORD || field->type == SIM_FIELD_MAP || field->type == SIM_FIELD_RECORDS;
        bool is_new = is_named || field->type == SIM_FIELD_ONE_OF;
        for (size_t d = 0; d < *count; d++)
            is_new = is_new && done[d] != field->record;
        if (!is_new)
            continue;
        done[(*count)++] = field->record;
        if (is_named)
            write_record(json, field->record);
        write_records_below(json, field->record, done, count);
    }
}

static void write_shared(sim_json *json)
{
    sim_json_open(json, "name", '{');
    sim_json_string(json, "type", "string");
    sim_json_string(json, "pattern", NAME_PATTERN);
    sim_json_close(json, '}');
    sim_json_open(json, "region", '{');
    sim_json_open(json, "anyOf", '[');
    sim_json_open(json, NULL, '{');
    sim_json_open(json, "enum", '[');
    for (size_t i = 0; i < sim_catalogue_count(); i++)
        sim_json_string(json, NULL, sim_catalogue_name((uint16_t)i));
    sim_json_close(json, ']');
    sim_json_close(json, '}');
    /* "North Central US" names a region too. */
    sim_json_open(json, NULL, '{');
    sim_json_string(json, "type", "string");
    sim_json_string(json, "pattern", "[A-Z ]");
    sim_json_close(json, '}');
    sim_json_close(json, ']');
    sim_json_close(json, '}');
    sim_json_open(json, "options", '{');
    sim_json_string(json, "type", "object");
    sim_json_number(json, "minProperties", 1, 0);
    sim_json_flag(json, "additionalProperties", false);
    sim_json_open(json, "properties", '{');
    write_knob_groups(json, true);
    sim_json_close(json, '}');
    sim_json_close(json, '}');
}

static void write_either(sim_json *json, const char *key, const char *definition)
{
    sim_json_open(json, key, '{');
    write_reference(json, "$ref", definition);
    sim_json_close(json, '}');
}

void sim_schema_write(FILE *out)
{
    sim_json json = {.out = out};
    const sim_record *done[128];
    size_t count = 0;
    sim_json_open(&json, NULL, '{');
    sim_json_string(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    sim_json_string(&json, "$comment", "SPDX-License-Identifier: GPL-3.0-or-later. Made by `regionsim schema`.");
    sim_json_string(&json, "title", "regionsim scenario or policy");
    /* One kind of file has the key `policy`, the other has not: better messages than oneOf. */
    sim_json_open(&json, "if", '{');
    sim_json_open(&json, "required", '[');
    sim_json_string(&json, NULL, "policy");
    sim_json_close(&json, ']');
    sim_json_close(&json, '}');
    write_either(&json, "then", sim_policy_record.name);
    write_either(&json, "else", sim_scenario_record.name);
    sim_json_open(&json, "definitions", '{');
    write_record(&json, &sim_scenario_record);
    write_record(&json, &sim_policy_record);
    write_records_below(&json, &sim_scenario_record, done, &count);
    write_shared(&json);
    sim_json_close(&json, '}');
    sim_json_close(&json, '}');
}
