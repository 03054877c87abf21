/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/decode.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool decode_record(sim_decoder *self, const sim_record *record, const sim_node *node, void *base);

size_t sim_decoder_enter(sim_decoder *self, const char *key)
{
    const size_t before = self->where_length;
    const size_t room = sizeof self->where - before;
    const bool is_index = key[0] == '[';
    const int written = snprintf(self->where + before, room, "%s%s", before > 0 && !is_index ? "." : "", key);
    self->where_length = (size_t)written < room ? before + (size_t)written : sizeof self->where - 1;
    return before;
}

void sim_decoder_leave(sim_decoder *self, size_t length)
{
    self->where_length = length;
    self->where[length] = '\0';
}

bool sim_decoder_fail(sim_decoder *self, const sim_node *node, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (self->where_length == 0)
        return sim_error_at(self->error, self->source, node, "%s", message);
    return sim_error_at(self->error, self->source, node, "%s: %s", self->where, message);
}

bool sim_decoder_unexpected(sim_decoder *self, const sim_node *node, const char *expected, const char *nearest)
{
    char shown[SIM_SHOW_SIZE];
    if (nearest == NULL)
        return sim_decoder_fail(self, node, "found %s; expected %s", sim_node_show(node, shown), expected);
    return sim_decoder_fail(self, node, "found %s; expected %s; did you mean \"%s\"?", sim_node_show(node, shown),
                            expected, nearest);
}

bool sim_decoder_unknown_key(sim_decoder *self, const sim_node *key, const char *const *known, size_t count)
{
    char shown[SIM_SHOW_SIZE];
    sim_text_show(key->text, shown);
    const char *nearest = sim_nearest(key->text, known, count);
    if (nearest != NULL)
        return sim_decoder_fail(self, key, "unknown key %s; did you mean \"%s\"?", shown, nearest);
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", known[i]);
    return sim_decoder_fail(self, key, "unknown key %s; expected one of %s", shown, list);
}

static void *target(void *base, const sim_field *field)
{
    return (char *)base + field->offset;
}

/* Gives every row of the record its default. The memory is zero. */
static void apply_defaults(const sim_record *record, void *base)
{
    for (size_t i = 0; i < record->count; i++) {
        const sim_field *field = &record->field[i];
        if (sim_field_is_scalar(field) || field->type == SIM_FIELD_WORDS)
            *(int64_t *)target(base, field) = field->initial;
        else if (field->type == SIM_FIELD_RECORD)
            apply_defaults(field->record, target(base, field));
        else if (field->type == SIM_FIELD_ONE_OF) {
            sim_raw_choice *choice = target(base, field);
            choice->which = SIM_ABSENT;
            if (field->initial_word == NULL)
                continue;
            const sim_field *row = sim_record_find(field->record, field->initial_word);
            choice->which = row - field->record->field;
            if (sim_field_is_scalar(row))
                *(int64_t *)target(choice, row) = row->initial;
        }
    }
}

/* A list or mapping that is not empty and no longer than the row allows. */
static bool is_filled(sim_decoder *self, const sim_field *field, const sim_node *node, sim_node_type type)
{
    const bool is_list = type == SIM_NODE_LIST;
    if (node->type != type)
        return sim_decoder_unexpected(self, node, is_list ? "a list, such as [a, b]" : "a mapping", NULL);
    if (node->count == 0)
        return sim_decoder_fail(self, node, "empty %s; leave the key out or fill it", is_list ? "list" : "mapping");
    if ((int64_t)node->count > field->max)
        return sim_decoder_fail(self, node, "%zu entries; expected at most %lld", node->count, (long long)field->max);
    return true;
}

static bool decode_item(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_item *item)
{
    item->node = node;
    if (field->type == SIM_FIELD_REGIONS)
        return sim_decode_region(self, node, &item->name);
    if (field->type == SIM_FIELD_NAMES)
        return sim_decode_name(self, node, &item->name);
    if (field->type == SIM_FIELD_NUMBERS)
        return sim_decode_scalar(self, field->record->field, node, &item->key);
    item->record = sim_arena_alloc(self->arena, field->record->size);
    return decode_record(self, field->record, node, item->record);
}

/* Records may repeat; names and numbers may not. */
static bool check_repetition(sim_decoder *self, const sim_field *field, const sim_node *node,
                             const sim_raw_items *items, const sim_raw_item *item)
{
    for (uint32_t i = 0; i < items->count; i++) {
        const bool is_same_name = item->name != NULL && strcmp(items->item[i].name, item->name) == 0;
        if (is_same_name || (field->type == SIM_FIELD_NUMBERS && items->item[i].key == item->key))
            return sim_decoder_fail(self, node, "\"%s\" is in the list already", node->text);
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const sim_raw_item *left = a;
    const sim_raw_item *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

/* `items` without entries but with its node: the row's word stands in place of the list. */
static bool decode_list(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_items *items)
{
    if (field->word != NULL && node->type == SIM_NODE_SCALAR && strcmp(node->text, field->word) == 0) {
        *items = (sim_raw_items){.node = node};
        return true;
    }
    if (field->word != NULL && node->type != SIM_NODE_LIST) {
        char expected[SIM_EXPECTED_SIZE];
        snprintf(expected, sizeof expected, "a list, such as [a, b], or %s", field->word);
        return sim_decoder_unexpected(self, node, expected, NULL);
    }
    if (!is_filled(self, field, node, SIM_NODE_LIST))
        return false;
    items->node = node;
    items->item = sim_arena_array(self->arena, node->count, sizeof *items->item);
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        char index[16];
        snprintf(index, sizeof index, "[%u]", items->count + 1);
        const size_t before = sim_decoder_enter(self, index);
        sim_raw_item *item = &items->item[items->count];
        if (!decode_item(self, field, child, item))
            return false;
        if (!check_repetition(self, field, child, items, item))
            return false;
        items->count++;
        sim_decoder_leave(self, before);
    }
    if (field->type == SIM_FIELD_NUMBERS)
        qsort(items->item, items->count, sizeof *items->item, by_number);
    return true;
}

static bool decode_words(sim_decoder *self, const sim_field *field, const sim_node *node, int64_t *set)
{
    const sim_field word = {"", SIM_FIELD_CHOICE, .words = field->words};
    const sim_field any_length = {"", SIM_FIELD_WORDS, .max = SIM_WORDS_MAX};
    if (!is_filled(self, &any_length, node, SIM_NODE_LIST))
        return false;
    *set = 0;
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        int64_t index;
        if (!sim_decode_scalar(self, &word, child, &index))
            return false;
        if ((*set >> index & 1) != 0)
            return sim_decoder_fail(self, child, "\"%s\" is in the list already", child->text);
        *set |= INT64_C(1) << index;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const sim_raw_item *left = a;
    const sim_raw_item *right = b;
    return strcmp(left->name, right->name);
}

static bool decode_map(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_items *items)
{
    if (!is_filled(self, field, node, SIM_NODE_MAPPING))
        return false;
    items->node = node;
    items->item = sim_arena_array(self->arena, node->count, sizeof *items->item);
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        sim_raw_item *item = &items->item[items->count++];
        item->node = child;
        item->record = sim_arena_alloc(self->arena, field->record->size);
        if (!sim_decode_name(self, child->key, &item->name))
            return false;
        const size_t before = sim_decoder_enter(self, item->name);
        if (!decode_record(self, field->record, child, item->record))
            return false;
        sim_decoder_leave(self, before);
    }
    qsort(items->item, items->count, sizeof *items->item, by_name);
    return true;
}

/* Lists the forms there are: "one of none, {lognormal: ...}". */
static bool refuse_choice(sim_decoder *self, const sim_record *record, const sim_node *node, const char *found)
{
    char expected[SIM_EXPECTED_SIZE] = "one of ";
    char bare[SIM_EXPECTED_SIZE];
    const char *known[SIM_WORDS_MAX];
    size_t count = 0;
    size_t used = strlen(expected);
    for (size_t i = 0; i < record->count && used < sizeof expected; i++) {
        const sim_field *row = &record->field[i];
        const bool is_bare = row->key[0] == '\0';
        if (is_bare)
            sim_expected(row, bare);
        else
            known[count++] = row->key;
        const bool is_mapping = !is_bare && row->type != SIM_FIELD_WORD;
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s%s%s", i > 0 ? ", " : "",
                                 is_mapping ? "{" : "", is_bare ? bare : row->key, is_mapping ? ": ...}" : "");
    }
    return sim_decoder_unexpected(self, node, expected, found != NULL ? sim_nearest(found, known, count) : NULL);
}

static bool decode_value(sim_decoder *self, const sim_field *field, const sim_node *node, void *base);

static bool decode_one_of(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_choice *choice)
{
    const sim_record *record = field->record;
    choice->node = node;
    if (node->type == SIM_NODE_SCALAR) {
        const sim_field *word = node->text[0] != '\0' ? sim_record_find(record, node->text) : NULL;
        const sim_field *bare = sim_record_find(record, "");
        if (word != NULL && word->type == SIM_FIELD_WORD) {
            choice->which = word - record->field;
            return true;
        }
        if (bare == NULL)
            return refuse_choice(self, record, node, node->text);
        choice->which = bare - record->field;
        return decode_value(self, bare, node, choice);
    }
    if (node->type != SIM_NODE_MAPPING || node->count != 1)
        return refuse_choice(self, record, node, NULL);
    const sim_field *row = node->first->key->text[0] != '\0' ? sim_record_find(record, node->first->key->text) : NULL;
    if (row == NULL || row->type == SIM_FIELD_WORD)
        return refuse_choice(self, record, node->first->key, node->first->key->text);
    choice->which = row - record->field;
    const size_t before = sim_decoder_enter(self, row->key);
    if (!decode_value(self, row, node->first, choice))
        return false;
    sim_decoder_leave(self, before);
    return true;
}

static bool decode_value(sim_decoder *self, const sim_field *field, const sim_node *node, void *base)
{
    void *const to = target(base, field);
    switch (field->type) {
    case SIM_FIELD_FLAG:
    case SIM_FIELD_COUNT:
    case SIM_FIELD_DURATION:
    case SIM_FIELD_SHARE:
    case SIM_FIELD_FACTOR:
    case SIM_FIELD_RATE:
    case SIM_FIELD_CHOICE:
    case SIM_FIELD_BUDGET:
        return sim_decode_scalar(self, field, node, to);
    case SIM_FIELD_NUMBER:
        return sim_decode_number(self, node, to);
    case SIM_FIELD_NAME:
        return sim_decode_name(self, node, to);
    case SIM_FIELD_TEXT:
        return sim_decode_text(self, field, node, to);
    case SIM_FIELD_REGION:
        return sim_decode_region(self, node, to);
    case SIM_FIELD_NAMES:
    case SIM_FIELD_REGIONS:
    case SIM_FIELD_RECORDS:
    case SIM_FIELD_NUMBERS:
        return decode_list(self, field, node, to);
    case SIM_FIELD_WORDS:
        return decode_words(self, field, node, to);
    case SIM_FIELD_POINTS:
    case SIM_FIELD_STATUSES:
    case SIM_FIELD_WEIGHTS:
    case SIM_FIELD_PERCENTILES:
    case SIM_FIELD_INSTANTS:
    case SIM_FIELD_TEXTS:
        return is_filled(self, field, node, SIM_NODE_MAPPING) && sim_decode_pairs(self, field, node, to);
    case SIM_FIELD_MAP:
        return decode_map(self, field, node, to);
    case SIM_FIELD_RECORD:
        return decode_record(self, field->record, node, to);
    case SIM_FIELD_ONE_OF:
        return decode_one_of(self, field, node, to);
    case SIM_FIELD_KNOBS:
        return sim_decode_knobs(self, node, to);
    case SIM_FIELD_WORD:
        break;
    }
    return false;
}

static bool refuse_key(sim_decoder *self, const sim_record *record, const sim_node *key)
{
    const char *known[64];
    char groups[SIM_KNOB_GROUPS_MAX][SIM_KNOB_GROUP_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < record->count; i++) {
        if (record->field[i].key[0] != '\0') {
            known[count++] = record->field[i].key;
            continue;
        }
        const size_t group_count = sim_knob_groups(groups);
        for (size_t g = 0; g < group_count; g++)
            known[count++] = groups[g];
    }
    return sim_decoder_unknown_key(self, key, known, count);
}

static bool decode_key(sim_decoder *self, const sim_record *record, const sim_node *child, void *base)
{
    const char *key = child->key->text;
    const sim_field *field = key[0] != '\0' ? sim_record_find(record, key) : NULL;
    const sim_field *inline_knobs = sim_record_find(record, "");
    bool is_good;
    const size_t before = self->where_length;
    if (field != NULL) {
        sim_decoder_enter(self, key);
        is_good = decode_value(self, field, child, base);
    } else if (inline_knobs != NULL && sim_knob_group_exists(key)) {
        is_good = sim_decode_knob_group(self, child, target(base, inline_knobs));
    } else {
        is_good = refuse_key(self, record, child->key);
    }
    sim_decoder_leave(self, before);
    return is_good;
}

static bool refuse_missing(sim_decoder *self, const sim_field *field, const sim_node *node)
{
    const sim_field *bare = field->type == SIM_FIELD_ONE_OF ? sim_record_find(field->record, "") : field;
    if (bare == NULL || !sim_field_is_scalar(bare))
        return sim_decoder_fail(self, node, "missing key \"%s\" (%s)", field->key, field->meaning);
    char expected[SIM_EXPECTED_SIZE];
    sim_expected(bare, expected);
    return sim_decoder_fail(self, node, "missing key \"%s\" (%s); expected %s", field->key, field->meaning, expected);
}

static bool decode_record(sim_decoder *self, const sim_record *record, const sim_node *node, void *base)
{
    if (node->type != SIM_NODE_MAPPING)
        return sim_decoder_unexpected(self, node, "a mapping", NULL);
    apply_defaults(record, base);
    *(const sim_node **)base = node;
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (!decode_key(self, record, child, base))
            return false;
    }
    for (size_t i = 0; i < record->count; i++) {
        const sim_field *field = &record->field[i];
        if ((field->flags & SIM_FIELD_REQUIRED) != 0 && sim_node_get(node, field->key) == NULL)
            return refuse_missing(self, field, node);
    }
    return true;
}

bool sim_decode_root(sim_decoder *self, const sim_record *record, const sim_node *root, void *base)
{
    if (root->type != SIM_NODE_MAPPING || root->count == 0 || strcmp(root->first->key->text, "regionsim") != 0) {
        const sim_node *first = root->type == SIM_NODE_MAPPING && root->count > 0 ? root->first->key : root;
        return sim_decoder_unexpected(self, first, "the first key to be \"regionsim: 1\"", NULL);
    }
    return decode_record(self, record, root, base);
}
