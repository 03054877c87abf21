/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core's options as files and the command line write them. Names, ranges and choices are those of RGN_KNOBS. */
#include <inttypes.h>
#include <string.h>

#include "scenario/decode.h"
#include "scenario/scalars.h"

enum { PPM = 1000000, NAME_SIZE = 96 };

static bool admits_never(const rgn_knob *knob)
{
    return knob->type == RGN_DURATION && knob->max == RGN_TIME_NEVER;
}

static bool admits_auto(const rgn_knob *knob)
{
    return (knob->type == RGN_DURATION || knob->type == RGN_COUNT || knob->type == RGN_FLAG) && knob->min == RGN_AUTO;
}

void sim_format_knob(rgn_knob_id id, int64_t value, char *out, size_t size)
{
    const rgn_knob *knob = rgn_knob_at(id);
    if (admits_auto(knob) && value == RGN_AUTO) {
        snprintf(out, size, "auto");
        return;
    }
    switch (knob->type) {
    case RGN_FLAG:
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
        break;
    case RGN_COUNT:
        snprintf(out, size, "%" PRId64, value);
        break;
    case RGN_DURATION:
        sim_format_duration(value, out, size);
        break;
    case RGN_SHARE:
        sim_format_share(value, PPM, out, size);
        break;
    case RGN_PERCENT:
        snprintf(out, size, "%" PRId64 " %%", value);
        break;
    case RGN_CHOICE:
        if (value < 0 || !sim_word_at(knob->choices, (size_t)value, out, size))
            snprintf(out, size, "%" PRId64, value);
        break;
    }
}

static void expected_text(rgn_knob_id id, char *out, size_t size)
{
    const rgn_knob *knob = rgn_knob_at(id);
    static const char *const what[] = {
        [RGN_COUNT] = "a whole number",
        [RGN_DURATION] = "a duration (ns, us, ms, s, min, h)",
        [RGN_SHARE] = "a share",
        [RGN_PERCENT] = "a percentage",
    };
    if (knob->type == RGN_FLAG) {
        snprintf(out, size, "%s", admits_auto(knob) ? "true, false or auto" : "true or false");
        return;
    }
    if (knob->type == RGN_CHOICE) {
        size_t used = (size_t)snprintf(out, size, "one of ");
        char word[SIM_WORD_SIZE];
        for (size_t n = 0; used < size && sim_word_at(knob->choices, n, word, sizeof word); n++)
            used += (size_t)snprintf(out + used, size - used, "%s%s", n > 0 ? ", " : "", word);
        return;
    }
    char low[SIM_SCALAR_SIZE];
    char high[SIM_SCALAR_SIZE + 4] = "";
    char most[SIM_SCALAR_SIZE];
    sim_format_knob(id, admits_auto(knob) ? 0 : knob->min, low, sizeof low);
    if (!admits_never(knob)) {
        sim_format_knob(id, knob->max, most, sizeof most);
        snprintf(high, sizeof high, " to %s", most);
    }
    snprintf(out, size, "%s from %s%s%s%s", what[knob->type], low, high, admits_never(knob) ? ", or never" : "",
             admits_auto(knob) ? ", or auto" : "");
}

static bool parse(rgn_knob_id id, const char *text, int64_t *value)
{
    const rgn_knob *knob = rgn_knob_at(id);
    sim_scalar_status status = SIM_SCALAR_MALFORMED;
    if ((admits_never(knob) && strcmp(text, "never") == 0) || (admits_auto(knob) && strcmp(text, "auto") == 0)) {
        *value = text[0] == 'n' ? RGN_TIME_NEVER : RGN_AUTO;
        return true;
    }
    switch (knob->type) {
    case RGN_FLAG:
        *value = strcmp(text, "true") == 0;
        return *value != 0 || strcmp(text, "false") == 0;
    case RGN_CHOICE:
        *value = sim_word_find(knob->choices, text);
        return *value >= 0;
    case RGN_COUNT:
        status = sim_scalar_count(text, value);
        break;
    case RGN_DURATION:
        status = sim_scalar_duration(text, value);
        break;
    case RGN_SHARE:
        status = sim_scalar_share(text, PPM, value);
        break;
    case RGN_PERCENT:
        status = sim_scalar_percent(text, value);
        break;
    }
    return status == SIM_SCALAR_OK && *value >= knob->min && *value <= knob->max && *value != RGN_TIME_NEVER;
}

/* Nearest of the words that the knob admits; NULL if none is close. */
static const char *nearest_word(const rgn_knob *knob, const char *text, char *out, size_t size)
{
    const char *words = knob->type == RGN_CHOICE ? knob->choices
                        : knob->type == RGN_FLAG ? admits_auto(knob) ? "true|false|auto" : "true|false"
                        : admits_never(knob)     ? "never"
                        : admits_auto(knob)      ? "auto"
                                                 : NULL;
    return words != NULL ? sim_word_nearest(words, text, out, size) : NULL;
}

bool sim_parse_knob(rgn_knob_id id, const char *text, int64_t *value, char *message, size_t size)
{
    if (parse(id, text, value))
        return true;
    char expected[SIM_EXPECTED_SIZE];
    char shown[SIM_SHOW_SIZE];
    char word[SIM_WORD_SIZE];
    expected_text(id, expected, sizeof expected);
    const char *nearest = nearest_word(rgn_knob_at(id), text, word, sizeof word);
    snprintf(message, size, "%s: found %s; expected %s%s%s%s", rgn_knob_at(id)->name,
             text[0] != '\0' ? sim_text_show(text, shown) : "nothing", expected,
             nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return false;
}

/* Length of the group's name in a knob's. */
static size_t group_length(const rgn_knob *knob)
{
    return strcspn(knob->name, ".");
}

size_t sim_knob_groups(char names[SIM_KNOB_GROUPS_MAX][SIM_KNOB_GROUP_SIZE])
{
    size_t count = 0;
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        char name[SIM_KNOB_GROUP_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)group_length(knob), knob->name);
        bool is_new = count < SIM_KNOB_GROUPS_MAX;
        for (size_t i = 0; i < count; i++)
            is_new = is_new && strcmp(names[i], name) != 0;
        if (is_new)
            memcpy(names[count++], name, sizeof name);
    }
    return count;
}

bool sim_knob_group_exists(const char *group)
{
    char names[SIM_KNOB_GROUPS_MAX][SIM_KNOB_GROUP_SIZE];
    const size_t count = sim_knob_groups(names);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], group) == 0)
            return true;
    }
    return false;
}

bool sim_knob_group_has(const char *group, rgn_knob_reach reach)
{
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        if (strlen(group) == group_length(knob) && strncmp(knob->name, group, strlen(group)) == 0 &&
            knob->reach == reach)
            return true;
    }
    return false;
}

static bool decode_knob(sim_decoder *self, const sim_node *node, rgn_knob_id id, sim_raw_knobs *knobs)
{
    int64_t value;
    if (node->type == SIM_NODE_SCALAR && parse(id, node->text, &value)) {
        rgn_options_set(&knobs->layer.values, id, value);
        knobs->layer.is_set[id] = true;
        knobs->node[id] = node;
        return true;
    }
    char expected[SIM_EXPECTED_SIZE];
    char word[SIM_WORD_SIZE];
    expected_text(id, expected, sizeof expected);
    const char *text = node->type == SIM_NODE_SCALAR ? node->text : "";
    return sim_decoder_unexpected(self, node, expected, nearest_word(rgn_knob_at(id), text, word, sizeof word));
}

static bool refuse_knob(sim_decoder *self, const sim_node *key, const char *group)
{
    const char *known[RGN_KNOB_COUNT];
    size_t count = 0;
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        if (strlen(group) == group_length(knob) && strncmp(knob->name, group, strlen(group)) == 0)
            known[count++] = knob->name + group_length(knob) + 1;
    }
    return sim_decoder_unknown_key(self, key, known, count);
}

bool sim_decode_knob_group(sim_decoder *self, const sim_node *group, sim_raw_knobs *knobs)
{
    const size_t before = sim_decoder_enter(self, group->key->text);
    if (group->type != SIM_NODE_MAPPING || group->count == 0)
        return sim_decoder_unexpected(self, group, "a mapping of options", NULL);
    for (const sim_node *child = group->first; child != NULL; child = child->next) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s.%s", group->key->text, child->key->text);
        const rgn_knob_id id = rgn_knob_find(name);
        if (id == RGN_KNOB_COUNT)
            return refuse_knob(self, child->key, group->key->text);
        const size_t inside = sim_decoder_enter(self, child->key->text);
        if (knobs->is_of_operations && rgn_knob_at(id)->reach != RGN_REACH_OPERATION)
            return sim_decoder_fail(
                self, child->key, "acts on all of a client's operations, not on single ones; expected it in a policy");
        if (!decode_knob(self, child, id, knobs))
            return false;
        sim_decoder_leave(self, inside);
    }
    sim_decoder_leave(self, before);
    return true;
}

bool sim_decode_knobs(sim_decoder *self, const sim_node *node, sim_raw_knobs *knobs)
{
    knobs->is_of_operations = true;
    if (node->type != SIM_NODE_MAPPING || node->count == 0)
        return sim_decoder_unexpected(self, node, "a mapping of groups of options, such as {retry: {...}}", NULL);
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (sim_knob_group_exists(child->key->text)) {
            if (!sim_decode_knob_group(self, child, knobs))
                return false;
            continue;
        }
        char names[SIM_KNOB_GROUPS_MAX][SIM_KNOB_GROUP_SIZE];
        const char *known[SIM_KNOB_GROUPS_MAX];
        const size_t groups = sim_knob_groups(names);
        size_t count = 0;
        for (size_t i = 0; i < groups; i++) {
            if (sim_knob_group_has(names[i], RGN_REACH_OPERATION))
                known[count++] = names[i];
        }
        return sim_decoder_unknown_key(self, child->key, known, count);
    }
    return true;
}

/* Every variable that the core reads, in the knobs' order. */
static size_t list_variables(char text[2 * RGN_KNOB_COUNT][NAME_SIZE])
{
    size_t count = 0;
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        if (knob->environment[0] == '\0')
            continue;
        snprintf(text[count++], NAME_SIZE, "%s", knob->environment);
        if (knob->type == RGN_FLAG)
            snprintf(text[count++], NAME_SIZE, "%s_OVERRIDE", knob->environment);
        else if (rgn_knob_second_variable((rgn_knob_id)id)[0] != '\0')
            snprintf(text[count++], NAME_SIZE, "%s", rgn_knob_second_variable((rgn_knob_id)id));
    }
    return count;
}

bool sim_knob_variable_at(size_t n, char *out, size_t size)
{
    char text[2 * RGN_KNOB_COUNT][NAME_SIZE];
    if (n >= list_variables(text))
        return false;
    snprintf(out, size, "%s", text[n]);
    return true;
}

bool sim_knob_variable_exists(const char *variable, const char **nearest, char *out, size_t size)
{
    char text[2 * RGN_KNOB_COUNT][NAME_SIZE];
    const char *known[2 * RGN_KNOB_COUNT];
    const size_t count = list_variables(text);
    for (size_t i = 0; i < count; i++) {
        known[i] = text[i];
        if (strcmp(variable, text[i]) == 0)
            return true;
    }
    *nearest = sim_nearest(variable, known, count);
    if (*nearest != NULL) {
        snprintf(out, size, "%s", *nearest);
        *nearest = out;
    }
    return false;
}
