/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scalar of the file by its row of the schema table. */
#include <inttypes.h>
#include <string.h>

#include "scenario/decode.h"
#include "scenario/scalars.h"

enum { NAME_LENGTH_MAX = 63 };

static const char *const budget_unit = " per partition";

void sim_field_format(const sim_field *field, int64_t value, char *out, size_t size)
{
    if (field->word != NULL && value == field->word_value) {
        snprintf(out, size, "%s", field->word);
        return;
    }
    switch ((int)field->type) {
    case SIM_FIELD_FLAG:
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
        break;
    case SIM_FIELD_DURATION:
        sim_format_duration(value, out, size);
        break;
    case SIM_FIELD_SHARE:
        sim_format_share(value, SIM_SHARE_ONE, out, size);
        break;
    case SIM_FIELD_FACTOR:
        sim_format_factor(value, out, size);
        break;
    case SIM_FIELD_RATE:
        sim_format_rate(value, out, size);
        break;
    case SIM_FIELD_CHOICE:
        sim_word_at(field->words, (size_t)value, out, size);
        break;
    case SIM_FIELD_BUDGET:
        snprintf(out, size, "%" PRId64 "%s", value, budget_unit);
        break;
    default:
        snprintf(out, size, "%" PRId64, value);
    }
}

/* "one of a, b, c" */
static void list_words(const char *words, char *out, size_t size)
{
    char word[SIM_WORD_SIZE];
    size_t used = (size_t)snprintf(out, size, "one of ");
    for (size_t n = 0; sim_word_at(words, n, word, sizeof word) && used < size; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", n > 0 ? ", " : "", word);
}

void sim_expected(const sim_field *field, char out[SIM_EXPECTED_SIZE])
{
    char low[SIM_SCALAR_SIZE];
    char high[SIM_SCALAR_SIZE];
    const char *what = "a whole number";
    const char *example = "";
    switch ((int)field->type) {
    case SIM_FIELD_FLAG:
        snprintf(out, SIM_EXPECTED_SIZE, "true or false");
        return;
    case SIM_FIELD_CHOICE:
        list_words(field->words, out, SIM_EXPECTED_SIZE);
        return;
    case SIM_FIELD_DURATION:
        what = "a duration";
        example = ", with a unit (ns, us, ms, s, min, h), such as \"90 s\"";
        break;
    case SIM_FIELD_SHARE:
        what = "a share";
        example = ", such as \"40 %\" or 0.4";
        break;
    case SIM_FIELD_FACTOR:
        what = "a factor";
        example = ", such as 1.5";
        break;
    case SIM_FIELD_RATE:
        what = "a rate";
        example = ", with a unit (/s, /min), such as \"2400 /s\"";
        break;
    case SIM_FIELD_BUDGET:
        what = "a number";
        example = ", such as \"100 per partition\"";
        break;
    default:
        break;
    }
    sim_field_format(field, field->min, low, sizeof low);
    sim_field_format(field, field->max, high, sizeof high);
    if (field->min == field->max)
        snprintf(out, SIM_EXPECTED_SIZE, "%s", low);
    else
        snprintf(out, SIM_EXPECTED_SIZE, "%s from %s to %s%s%s%s", what, low, high, example,
                 field->word != NULL ? ", or " : "", field->word != NULL ? field->word : "");
}

static sim_scalar_status parse_flag(const char *text, int64_t *value)
{
    *value = strcmp(text, "true") == 0;
    return *value != 0 || strcmp(text, "false") == 0 ? SIM_SCALAR_OK : SIM_SCALAR_MALFORMED;
}

static sim_scalar_status parse_budget(const char *text, int64_t *value)
{
    char number[SIM_SCALAR_SIZE];
    const size_t length = strlen(text);
    const size_t unit_length = strlen(budget_unit);
    if (length <= unit_length || length - unit_length >= sizeof number ||
        strcmp(text + length - unit_length, budget_unit) != 0)
        return SIM_SCALAR_MALFORMED;
    memcpy(number, text, length - unit_length);
    number[length - unit_length] = '\0';
    return sim_scalar_count(number, value);
}

static sim_scalar_status parse(const sim_field *field, const char *text, int64_t *value)
{
    if (field->word != NULL && strcmp(text, field->word) == 0) {
        *value = field->word_value;
        return SIM_SCALAR_OK;
    }
    switch ((int)field->type) {
    case SIM_FIELD_FLAG:
        return parse_flag(text, value);
    case SIM_FIELD_DURATION:
        return sim_scalar_duration(text, value);
    case SIM_FIELD_SHARE:
        return sim_scalar_share(text, SIM_SHARE_ONE, value);
    case SIM_FIELD_FACTOR:
        return sim_scalar_factor(text, value);
    case SIM_FIELD_RATE:
        return sim_scalar_rate(text, value);
    case SIM_FIELD_CHOICE:
        *value = sim_word_find(field->words, text);
        return *value >= 0 ? SIM_SCALAR_OK : SIM_SCALAR_MALFORMED;
    case SIM_FIELD_BUDGET:
        return parse_budget(text, value);
    default:
        return sim_scalar_count(text, value);
    }
}

static const char *remark(sim_scalar_status status)
{
    switch (status) {
    case SIM_SCALAR_NO_UNIT:
        return " without a unit";
    case SIM_SCALAR_TOO_FINE:
        return ", which has too many digits";
    case SIM_SCALAR_OK:
    case SIM_SCALAR_MALFORMED:
    case SIM_SCALAR_TOO_LARGE:
        break;
    }
    return "";
}

bool sim_decode_scalar(sim_decoder *self, const sim_field *field, const sim_node *node, int64_t *value)
{
    char expected[SIM_EXPECTED_SIZE];
    char shown[SIM_SHOW_SIZE];
    char word[SIM_WORD_SIZE];
    sim_expected(field, expected);
    if (node->type != SIM_NODE_SCALAR || node->text[0] == '\0')
        return sim_decoder_unexpected(self, node, expected, NULL);
    const sim_scalar_status status = parse(field, node->text, value);
    const bool is_word = field->type == SIM_FIELD_CHOICE || field->type == SIM_FIELD_FLAG ||
                         (field->word != NULL && *value == field->word_value);
    if (status == SIM_SCALAR_OK && (is_word || (*value >= field->min && *value <= field->max)))
        return true;
    const char *words = field->type == SIM_FIELD_FLAG ? "true|false"
                        : field->words != NULL        ? field->words
                                                      : field->word;
    const char *nearest = words != NULL ? sim_word_nearest(words, node->text, word, sizeof word) : NULL;
    if (nearest != NULL)
        return sim_decoder_unexpected(self, node, expected, nearest);
    return sim_decoder_fail(self, node, "found %s%s; expected %s", sim_node_show(node, shown), remark(status),
                            expected);
}

bool sim_decode_number(sim_decoder *self, const sim_node *node, sim_raw_number *number)
{
    number->node = node;
    if (node->type == SIM_NODE_SCALAR) {
        number->form = SIM_LIMIT_NUMBER;
        if (sim_scalar_decimal(node->text, &number->value, &number->scale) == SIM_SCALAR_OK)
            return true;
        number->scale = 0;
        number->form = SIM_LIMIT_DURATION;
        if (sim_scalar_duration(node->text, &number->value) == SIM_SCALAR_OK)
            return true;
        number->form = SIM_LIMIT_SHARE;
        if (sim_scalar_share(node->text, SIM_SHARE_ONE, &number->value) == SIM_SCALAR_OK) {
            for (number->scale = 9; number->scale > 0 && number->value % 10 == 0; number->scale--)
                number->value /= 10;
            return true;
        }
    }
    return sim_decoder_unexpected(self, node,
                                  "a number such as 8, a duration such as \"50 ms\" or a share such as \"2 %\"", NULL);
}

bool sim_decode_text(sim_decoder *self, const sim_field *field, const sim_node *node, const char **text)
{
    if (node->type != SIM_NODE_SCALAR || node->text[0] == '\0')
        return sim_decoder_unexpected(self, node, field->meaning, NULL);
    *text = node->text;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool sim_decode_name(sim_decoder *self, const sim_node *node, const char **name)
{
    bool is_good = node->type == SIM_NODE_SCALAR && is_letter(node->text[0]) && strlen(node->text) <= NAME_LENGTH_MAX;
    for (const char *c = is_good ? node->text : ""; *c != '\0'; c++)
        is_good = is_good && (is_letter(*c) || (*c >= '0' && *c <= '9') || *c == '-' || *c == '_');
    if (!is_good)
        return sim_decoder_unexpected(self, node, "a name: a letter, then at most 62 letters, digits, \"-\" and \"_\"",
                                      NULL);
    *name = node->text;
    return true;
}

bool sim_decode_region(sim_decoder *self, const sim_node *node, const char **name)
{
    const char *const expected = "a region name such as northcentralus";
    if (node->type != SIM_NODE_SCALAR || node->text[0] == '\0')
        return sim_decoder_unexpected(self, node, expected, NULL);
    const uint16_t number = sim_catalogue_find(node->text);
    if (number != SIM_CATALOGUE_NONE) {
        *name = sim_catalogue_name(number);
        return true;
    }
    const size_t count = sim_catalogue_count();
    const char **known = sim_arena_array(self->arena, count, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = sim_catalogue_name((uint16_t)i);
    return sim_decoder_unexpected(self, node, expected, sim_nearest(node->text, known, count));
}
