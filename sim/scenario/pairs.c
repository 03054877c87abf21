/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mappings whose keys are data: points in time, error statuses, partitions, phases, variables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/decode.h"
#include "scenario/scalars.h"

enum { STATUS_MIN = 400, STATUS_MAX = 599 };

static bool decode_instant(sim_decoder *self, const sim_node *key, int64_t *at)
{
    const sim_field row = {"", SIM_FIELD_DURATION, .max = RGN_DUR_MAX_};
    return sim_decode_scalar(self, &row, key, at);
}

static bool decode_partition(sim_decoder *self, const sim_node *key, int64_t *partition)
{
    const sim_field row = {"", SIM_FIELD_COUNT, .max = 1000000 - 1};
    return sim_decode_scalar(self, &row, key, partition);
}

/* "99.9" to a share in ppb. */
static bool decode_percentage(sim_decoder *self, const sim_node *key, int64_t *share)
{
    char text[SIM_SCALAR_SIZE];
    const int length = snprintf(text, sizeof text, "%s %%", key->text);
    if (length < (int)sizeof text && sim_scalar_share(text, SIM_SHARE_ONE, share) == SIM_SCALAR_OK &&
        *share < SIM_SHARE_ONE)
        return true;
    return sim_decoder_unexpected(self, key, "a percentage from 0 to below 100, such as 50 or 99.9", NULL);
}

/* A status, its sub-status and its type as one number that sorts them. */
static int64_t status_key(sim_error_type type, int64_t status, int64_t substatus)
{
    return (int64_t)type << 32 | status << 16 | substatus;
}

static bool decode_status(sim_decoder *self, const sim_node *key, int64_t *out)
{
    const char *const expected = "an error status such as 503 or 429/3092, refused or no_reply";
    char text[SIM_SCALAR_SIZE];
    const char *slash = strchr(key->text, '/');
    int64_t status = 0;
    int64_t substatus = 0;
    if (strcmp(key->text, "refused") == 0) {
        *out = status_key(SIM_ERROR_REFUSED, 0, 0);
        return true;
    }
    if (strcmp(key->text, "no_reply") == 0) {
        *out = status_key(SIM_ERROR_NO_REPLY, 0, 0);
        return true;
    }
    snprintf(text, sizeof text, "%.*s", (int)strcspn(key->text, "/"), key->text);
    bool is_good = strlen(text) == 3 && sim_scalar_count(text, &status) == SIM_SCALAR_OK && status >= STATUS_MIN &&
                   status <= STATUS_MAX;
    if (slash != NULL)
        is_good = is_good && sim_scalar_count(slash + 1, &substatus) == SIM_SCALAR_OK && substatus <= UINT16_MAX;
    if (!is_good) {
        char word[SIM_WORD_SIZE];
        return sim_decoder_unexpected(self, key, expected,
                                      sim_word_nearest("refused|no_reply", key->text, word, sizeof word));
    }
    *out = status_key(SIM_ERROR_STATUS, status, substatus);
    return true;
}

static bool decode_variable(sim_decoder *self, const sim_node *key, const char **variable)
{
    char text[128];
    const char *nearest;
    *variable = key->text;
    if (sim_knob_variable_exists(key->text, &nearest, text, sizeof text))
        return true;
    return sim_decoder_unexpected(self, key, "an environment variable that an option has", nearest);
}

static bool decode_pair_key(sim_decoder *self, const sim_field *field, const sim_node *key, sim_raw_item *item)
{
    switch ((int)field->type) {
    case SIM_FIELD_POINTS:
        return decode_instant(self, key, &item->key);
    case SIM_FIELD_STATUSES:
        return decode_status(self, key, &item->key);
    case SIM_FIELD_WEIGHTS:
        return decode_partition(self, key, &item->key);
    case SIM_FIELD_PERCENTILES:
        return decode_percentage(self, key, &item->key);
    case SIM_FIELD_INSTANTS:
        return sim_decode_name(self, key, &item->name);
    default:
        return decode_variable(self, key, &item->name);
    }
}

static bool decode_pair_value(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_item *item)
{
    if (field->type != SIM_FIELD_TEXTS)
        return sim_decode_scalar(self, field->record->field, node, &item->value);
    if (node->type != SIM_NODE_SCALAR)
        return sim_decoder_unexpected(self, node, "a text", NULL);
    item->text = node->text;
    return true;
}

/* Points and phases stand in time order, so that the file reads as it happens. */
static bool check_order(sim_decoder *self, const sim_field *field, const sim_raw_items *items)
{
    const bool is_points = field->type == SIM_FIELD_POINTS;
    for (uint32_t i = 1; i < items->count; i++) {
        const sim_raw_item *last = &items->item[i - 1];
        const sim_raw_item *item = &items->item[i];
        const int64_t before = is_points ? last->key : last->value;
        const int64_t at = is_points ? item->key : item->value;
        if (at > before)
            continue;
        char early[SIM_SCALAR_SIZE];
        char late[SIM_SCALAR_SIZE];
        sim_format_duration(at, early, sizeof early);
        sim_format_duration(before, late, sizeof late);
        return sim_decoder_fail(self, is_points ? item->node->key : item->node,
                                "found %s after %s; expected instants in rising order", early, late);
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    const sim_raw_item *left = a;
    const sim_raw_item *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

static int by_name(const void *a, const void *b)
{
    const sim_raw_item *left = a;
    const sim_raw_item *right = b;
    return strcmp(left->name, right->name);
}

/* Two spellings of one key ("404" and "404/0", "3" and "03"). */
static bool check_twins(sim_decoder *self, const sim_raw_items *items)
{
    for (uint32_t i = 1; i < items->count; i++) {
        const sim_node *a = items->item[i - 1].node->key;
        const sim_node *b = items->item[i].node->key;
        if (items->item[i - 1].key != items->item[i].key)
            continue;
        const bool a_is_last = a->line > b->line || (a->line == b->line && a->column > b->column);
        char shown[SIM_SHOW_SIZE];
        return sim_decoder_fail(self, a_is_last ? a : b, "found %s again; line %d has it already",
                                sim_text_show((a_is_last ? a : b)->text, shown), (a_is_last ? b : a)->line);
    }
    return true;
}

static bool check_sum(sim_decoder *self, const sim_raw_items *items)
{
    int64_t sum = 0;
    char text[SIM_SCALAR_SIZE];
    for (uint32_t i = 0; i < items->count; i++)
        sum += items->item[i].value;
    if (sum == SIM_SHARE_ONE)
        return true;
    sim_format_share(sum, SIM_SHARE_ONE, text, sizeof text);
    return sim_decoder_fail(self, items->node, "the shares sum to %s; expected 100 %%", text);
}

bool sim_decode_pairs(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_items *items)
{
    items->node = node;
    items->item = sim_arena_array(self->arena, node->count, sizeof *items->item);
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        sim_raw_item *item = &items->item[items->count++];
        item->node = child;
        if (!decode_pair_key(self, field, child->key, item))
            return false;
        const size_t before = sim_decoder_enter(self, child->key->text);
        if (!decode_pair_value(self, field, child, item))
            return false;
        sim_decoder_leave(self, before);
    }
    if (field->type == SIM_FIELD_POINTS || field->type == SIM_FIELD_INSTANTS)
        return check_order(self, field, items);
    if (field->type == SIM_FIELD_TEXTS) {
        qsort(items->item, items->count, sizeof *items->item, by_name);
        return true;
    }
    qsort(items->item, items->count, sizeof *items->item, by_key);
    return check_twins(self, items) && (field->type != SIM_FIELD_STATUSES || check_sum(self, items));
}
