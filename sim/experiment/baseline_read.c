/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline from its text. Every key must be known and every value sound: a gate that is not understood never passes.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/baseline.h"
#include "scenario/document.h"

enum { DIGEST_DIGITS = 32 };

typedef struct {
    sim_baseline *out;
    const sim_source *source;
    sim_input_error *error;
} reader;

static bool fail(const reader *self, const sim_node *node, const char *expected)
{
    char found[SIM_SHOW_SIZE];
    return sim_error_at(self->error, self->source, node, "found %s; expected %s", sim_node_show(node, found), expected);
}

static bool is_scalar(const sim_node *node)
{
    return node != NULL && node->type == SIM_NODE_SCALAR;
}

/* Refuses keys that are not among `keys`, which end with NULL. */
static bool has_only(const reader *self, const sim_node *mapping, const char *const *keys)
{
    size_t count = 0;
    while (keys[count] != NULL)
        count++;
    if (mapping->type != SIM_NODE_MAPPING)
        return fail(self, mapping, "a mapping");
    for (const sim_node *child = mapping->first; child != NULL; child = child->next) {
        size_t i = 0;
        while (i < count && strcmp(keys[i], child->key->text) != 0)
            i++;
        if (i < count)
            continue;
        const char *nearest = sim_nearest(child->key->text, keys, count);
        return sim_error_at(self->error, self->source, child->key, "unknown key \"%.60s\"; %s%s%s", child->key->text,
                            nearest == NULL ? "this file is written by check --update" : "did you mean \"",
                            nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");
    }
    return true;
}

/* The value of a key that must be there. */
static const sim_node *need(const reader *self, const sim_node *mapping, const char *key)
{
    const sim_node *node = sim_node_get(mapping, key);
    if (node == NULL)
        (void)sim_error_at(self->error, self->source, mapping, "missing key \"%s\"", key);
    return node;
}

static bool read_count(const reader *self, const sim_node *mapping, const char *key, uint64_t max, uint64_t *value)
{
    const sim_node *node = need(self, mapping, key);
    char *end = NULL;
    if (node == NULL)
        return false;
    errno = 0;
    if (is_scalar(node) && node->text[0] >= '0' && node->text[0] <= '9') {
        *value = strtoull(node->text, &end, 10);
        if (*end == '\0' && errno == 0 && *value <= max)
            return true;
    }
    return fail(self, node, "a whole number");
}

static bool read_version(const reader *self, const sim_node *root, const char *key, uint32_t *version)
{
    uint64_t value = 0;
    const bool ok = read_count(self, root, key, UINT32_MAX, &value);
    *version = (uint32_t)value;
    return ok;
}

static bool is_digest(const char *text)
{
    return strspn(text, "0123456789abcdef") >= DIGEST_DIGITS;
}

static bool read_entries(const reader *self, const sim_node *mapping, const sim_baseline_entry **entries,
                         uint32_t *count)
{
    if (mapping == NULL)
        return true;
    if (mapping->type != SIM_NODE_MAPPING)
        return fail(self, mapping, "a mapping");
    sim_baseline_entry *entry = sim_arena_array(self->out->arena, mapping->count, sizeof *entry);
    *entries = entry;
    for (const sim_node *child = mapping->first; child != NULL; child = child->next) {
        if (!is_scalar(child))
            return fail(self, child, "a text");
        entry[(*count)++] = (sim_baseline_entry){child->key->text, child->text};
    }
    return true;
}

/* A list of scalars. */
static bool is_list(const reader *self, const sim_node *node, size_t most)
{
    if (node->type != SIM_NODE_LIST || node->count == 0 || node->count > most)
        return fail(self, node, "a list of as many values as there are runs");
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (!is_scalar(child))
            return fail(self, child, "a single value");
    }
    return true;
}

static bool read_value(const reader *self, const sim_node *node, sim_metric_value *value)
{
    const bool is_more = node->text[0] == '>';
    const char *text = node->text + is_more;
    char *end = NULL;
    if (strcmp(node->text, "none") == 0) {
        *value = (sim_metric_value){.is_null = true};
        return true;
    }
    *value = (sim_metric_value){.value = strtod(text, &end), .is_null = is_more, .is_censored = is_more, .samples = 1};
    if (text[0] != '\0' && *end == '\0' && isfinite(value->value))
        return true;
    return fail(self, node, "a number, none, or \">\" and a number");
}

static bool read_tolerance(const reader *self, const sim_node *node, sim_baseline_gate *gate)
{
    uint32_t ppb = 0;
    int64_t ns = 0;
    char *end = NULL;
    const char *text = is_scalar(node) ? node->text : "";
    gate->is_relative = strchr(text, '%') != NULL;
    if (gate->is_relative && sim_parse_share(text, &ppb)) {
        gate->tolerance = (double)ppb / SIM_SHARE_ONE;
        return true;
    }
    if (!gate->is_relative && strcmp(sim_metric_at(gate->metric)->unit, "ns") == 0 && sim_parse_duration(text, &ns)) {
        gate->tolerance = (double)ns;
        return true;
    }
    gate->tolerance = strtod(text, &end);
    const bool is_duration = strcmp(sim_metric_at(gate->metric)->unit, "ns") == 0;
    if (!gate->is_relative && !is_duration && text[0] != '\0' && *end == '\0' && gate->tolerance >= 0 &&
        isfinite(gate->tolerance))
        return true;
    return fail(self, node,
                is_duration ? "a tolerance such as \"1 %\" of the baseline's value, or a duration such as \"5 ms\""
                            : "a tolerance such as \"1 %\" of the baseline's value, or a number in the metric's unit");
}

static bool read_gate(const reader *self, const sim_node *node, sim_baseline_pair *pair)
{
    static const char *const KEYS[] = {"tolerance", "values", NULL};
    sim_baseline_gate *gate = &pair->gate[pair->gate_count++];
    gate->metric = sim_metric_find(node->key->text);
    gate->line = node->key->line;
    if (gate->metric == SIM_METRIC_COUNT) {
        const char *names[SIM_METRIC_COUNT];
        for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
            names[i] = sim_metric_at((sim_metric_id)i)->name;
        const char *nearest = sim_nearest(node->key->text, names, SIM_METRIC_COUNT);
        return sim_error_at(self->error, self->source, node->key, "unknown metric \"%.60s\"; %s%s%s", node->key->text,
                            nearest == NULL ? "\"regionsim list metrics\" names them" : "did you mean \"",
                            nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");
    }
    if (!has_only(self, node, KEYS))
        return false;
    const sim_node *tolerance = need(self, node, "tolerance");
    const sim_node *values = tolerance == NULL ? NULL : need(self, node, "values");
    if (values == NULL || !read_tolerance(self, tolerance, gate) || !is_list(self, values, SIM_BASELINE_RUNS_MAX))
        return false;
    if (values->count != pair->runs)
        return fail(self, values, "a list of as many values as there are runs");
    sim_metric_value *value = sim_arena_array(self->out->arena, pair->runs, sizeof *value);
    gate->value = value;
    for (const sim_node *child = values->first; child != NULL; child = child->next) {
        if (!read_value(self, child, value++))
            return false;
    }
    return true;
}

static bool read_gates(const reader *self, const sim_node *node, sim_baseline_pair *pair)
{
    if (node->type != SIM_NODE_MAPPING || node->count == 0 || node->count > SIM_OBJECTIVES_MAX)
        return fail(self, node, "a mapping of one to five metrics");
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (!read_gate(self, child, pair))
            return false;
    }
    return true;
}

static bool read_runs(const reader *self, const sim_node *node, sim_baseline_pair *pair)
{
    if (!is_list(self, node, SIM_BASELINE_RUNS_MAX))
        return false;
    const char **behaviour = sim_arena_array(self->out->arena, node->count, sizeof *behaviour);
    const char **result = sim_arena_array(self->out->arena, node->count, sizeof *result);
    pair->behaviour = behaviour;
    pair->result = result;
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (strlen(child->text) != 2 * DIGEST_DIGITS + 1 || !is_digest(child->text) ||
            child->text[DIGEST_DIGITS] != ' ' || !is_digest(child->text + DIGEST_DIGITS + 1))
            return fail(self, child, "two digests of 32 hexadecimal digits: behaviour and result");
        behaviour[pair->runs] = sim_arena_copy(self->out->arena, child->text, DIGEST_DIGITS);
        result[pair->runs++] = child->text + DIGEST_DIGITS + 1;
    }
    return true;
}

static bool read_checkpoints(const reader *self, const sim_node *node, sim_baseline_pair *pair)
{
    const size_t digits = (size_t)SIM_CHECKPOINTS * SIM_BASELINE_CHECK_DIGITS;
    uint32_t r = 0;
    for (; r < SIM_BASELINE_FIRST; r++)
        pair->checkpoints[r] = "";
    if (node == NULL)
        return true;
    if (!is_list(self, node, SIM_BASELINE_FIRST))
        return false;
    r = 0;
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (strlen(child->text) != digits || strspn(child->text, "0123456789abcdef") != digits)
            return fail(self, child, "256 hexadecimal digits");
        pair->checkpoints[r++] = child->text;
    }
    return true;
}

static bool read_transitions(const reader *self, const sim_node *node, sim_baseline_pair *pair)
{
    if (node == NULL)
        return true;
    if (node->type != SIM_NODE_MAPPING)
        return fail(self, node, "a mapping");
    sim_baseline_transitions *transition = sim_arena_array(self->out->arena, node->count, sizeof *transition);
    pair->transition = transition;
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        sim_baseline_transitions *one = &transition[pair->transition_count++];
        uint32_t r = 0;
        if (!is_list(self, child, SIM_BASELINE_FIRST))
            return false;
        one->reason = child->key->text;
        for (const sim_node *count = child->first; count != NULL; count = count->next) {
            if (count->text[strspn(count->text, "0123456789")] != '\0')
                return fail(self, count, "a whole number");
            one->count[r++] = strtoull(count->text, NULL, 10);
        }
    }
    return true;
}

static bool read_pair(const reader *self, const sim_node *node, sim_baseline_pair *pair)
{
    static const char *const KEYS[] = {"input", "options", "metrics", "transitions", "runs", "checkpoints", NULL};
    pair->policy = node->key->text;
    pair->line = node->key->line;
    if (!has_only(self, node, KEYS))
        return false;
    const sim_node *input = need(self, node, "input");
    const sim_node *runs = input == NULL ? NULL : need(self, node, "runs");
    const sim_node *metrics = runs == NULL ? NULL : need(self, node, "metrics");
    if (metrics == NULL)
        return false;
    if (!is_scalar(input) || strlen(input->text) != DIGEST_DIGITS || !is_digest(input->text))
        return fail(self, input, "a digest of 32 hexadecimal digits");
    pair->input = input->text;
    return read_entries(self, sim_node_get(node, "options"), &pair->option, &pair->option_count) &&
           read_runs(self, runs, pair) && read_gates(self, metrics, pair) &&
           read_transitions(self, sim_node_get(node, "transitions"), pair) &&
           read_checkpoints(self, sim_node_get(node, "checkpoints"), pair);
}

static bool read_luck(const reader *self, const sim_node *node, sim_baseline_scenario *scenario)
{
    if (!is_list(self, node, SIM_BASELINE_RUNS_MAX))
        return false;
    const char **luck = sim_arena_array(self->out->arena, node->count, sizeof *luck);
    scenario->luck = luck;
    for (const sim_node *child = node->first; child != NULL; child = child->next) {
        if (strlen(child->text) != DIGEST_DIGITS || !is_digest(child->text))
            return fail(self, child, "a digest of 32 hexadecimal digits");
        luck[scenario->runs++] = child->text;
    }
    return true;
}

static bool read_scenario(const reader *self, const sim_node *node, sim_baseline_scenario *scenario)
{
    static const char *const KEYS[] = {"parts", "luck", "policies", NULL};
    scenario->name = node->key->text;
    scenario->line = node->key->line;
    if (!has_only(self, node, KEYS))
        return false;
    const sim_node *luck = need(self, node, "luck");
    const sim_node *policies = luck == NULL ? NULL : need(self, node, "policies");
    if (policies == NULL || !read_entries(self, sim_node_get(node, "parts"), &scenario->part, &scenario->part_count) ||
        !read_luck(self, luck, scenario))
        return false;
    if (policies->type != SIM_NODE_MAPPING)
        return fail(self, policies, "a mapping");
    scenario->pair = sim_arena_array(self->out->arena, policies->count, sizeof *scenario->pair);
    for (const sim_node *child = policies->first; child != NULL; child = child->next) {
        sim_baseline_pair *pair = &scenario->pair[scenario->pair_count++];
        if (!read_pair(self, child, pair))
            return false;
        if (pair->runs != scenario->runs)
            return sim_error_at(self->error, self->source, child->key, "%s has %u runs and luck %u; expected as many",
                                pair->policy, pair->runs, scenario->runs);
    }
    return true;
}

static bool read_root(const reader *self, const sim_node *root)
{
    static const char *const KEYS[] = {"regionsim_baseline", "tool", "draw_version", "stream_version",
                                       "metric_version",     "seed", "scenarios",    NULL};
    sim_baseline *out = self->out;
    uint32_t format = 0;
    if (!has_only(self, root, KEYS) || !read_version(self, root, "regionsim_baseline", &format))
        return false;
    if (format != SIM_BASELINE_FORMAT)
        return fail(self, sim_node_get(root, "regionsim_baseline"), "version 1 of the format");
    const sim_node *tool = sim_node_get(root, "tool");
    out->tool = is_scalar(tool) ? tool->text : "?";
    const sim_node *scenarios = need(self, root, "scenarios");
    if (scenarios == NULL || !read_version(self, root, "draw_version", &out->draw_version) ||
        !read_version(self, root, "stream_version", &out->stream_version) ||
        !read_version(self, root, "metric_version", &out->metric_version) ||
        !read_count(self, root, "seed", INT64_MAX, &out->seed))
        return false;
    if (scenarios->type != SIM_NODE_MAPPING)
        return fail(self, scenarios, "a mapping of scenarios");
    out->scenario = sim_arena_array(out->arena, scenarios->count, sizeof *out->scenario);
    for (const sim_node *child = scenarios->first; child != NULL; child = child->next) {
        if (!read_scenario(self, child, &out->scenario[out->scenario_count++]))
            return false;
    }
    return true;
}

sim_baseline *sim_baseline_read(const char *path, sim_input_error *error)
{
    *error = (sim_input_error){0};
    sim_arena *arena = sim_arena_create();
    sim_baseline *out = sim_arena_alloc(arena, sizeof *out);
    sim_source *source = sim_arena_alloc(arena, sizeof *source);
    out->arena = arena;
    out->path = sim_arena_string(arena, path);
    source->path = out->path;
    const reader self = {out, source, error};
    const char *text = NULL;
    size_t length = 0;
    const sim_node *root = NULL;
    if (sim_file_read(arena, path, &text, &length, error))
        root = sim_document_parse(arena, source, text, length, error);
    if (root != NULL && read_root(&self, root))
        return out;
    sim_arena_destroy(arena);
    return NULL;
}
