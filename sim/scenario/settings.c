/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `--set scenario.<path>=VALUE`: the value, read as YAML, takes its place in the tree before it is decoded, so every
 * rule for files holds for settings too. The schema table guides the way down: a path may change or add a key that the
 * table has, but add a client group, workload or fault only as a whole. */
#include <string.h>

#include "scenario/load.h"

enum { PART_SIZE = 128 };

typedef struct {
    sim_arena *arena;
    const sim_source *source;
    sim_input_error *error;
    const sim_field *field; /* of the node at hand; NULL at the root */
    const sim_record *record;
    sim_node *node;
} walker;

static sim_node *node_create(const walker *self, sim_node_type type, const char *text)
{
    sim_node *node = sim_arena_alloc(self->arena, sizeof *node);
    node->type = type;
    node->source = self->source;
    node->text = text;
    return node;
}

static bool refuse_part(const walker *self, const char *part, const char *const *known, size_t count)
{
    char shown[SIM_SHOW_SIZE];
    const char *nearest = sim_nearest(part, known, count);
    sim_text_show(part, shown);
    if (nearest != NULL)
        return sim_error_at(self->error, self->source, NULL, "unknown key %s; did you mean \"%s\"?", shown, nearest);
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", known[i]);
    return sim_error_at(self->error, self->source, NULL, "unknown key %s; expected one of %s", shown, list);
}

/* The row that `part` names in the record at hand. */
static bool step_into_record(walker *self, const char *part)
{
    const char *known[64];
    size_t count = 0;
    for (size_t i = 0; i < self->record->count; i++) {
        if (self->record->field[i].key[0] != '\0')
            known[count++] = self->record->field[i].key;
    }
    const sim_field *field = sim_record_find(self->record, part);
    if (field == NULL)
        return refuse_part(self, part, known, count);
    self->field = field;
    self->record = field->type == SIM_FIELD_RECORD || field->type == SIM_FIELD_ONE_OF ? field->record : NULL;
    return true;
}

/* The entry that `part` names in a mapping by name. */
static bool step_into_map(walker *self, const char *part, bool is_last)
{
    if (!is_last && sim_node_get(self->node, part) == NULL) {
        const char *known[SIM_DOCUMENT_ENTRIES_MAX];
        size_t count = 0;
        for (const sim_node *child = self->node->first; child != NULL; child = child->next)
            known[count++] = child->key->text;
        return refuse_part(self, part, known, count);
    }
    self->record = self->field->record;
    self->field = NULL;
    return true;
}

static bool has_free_keys(sim_field_type type)
{
    return type == SIM_FIELD_POINTS || type == SIM_FIELD_STATUSES || type == SIM_FIELD_WEIGHTS ||
           type == SIM_FIELD_PERCENTILES || type == SIM_FIELD_INSTANTS || type == SIM_FIELD_TEXTS ||
           type == SIM_FIELD_KNOBS;
}

/* One part of the path: where it leads, by the table. */
static bool step(walker *self, const char *part, bool is_last)
{
    if (part[0] == '\0')
        return sim_error_at(self->error, self->source, NULL, "expected a path such as scenario.duration");
    if (self->record != NULL)
        return step_into_record(self, part);
    if (self->field->type == SIM_FIELD_MAP)
        return step_into_map(self, part, is_last);
    if (has_free_keys(self->field->type))
        return true;
    return sim_error_at(self->error, self->source, NULL, "\"%s\" has no part \"%s\"", self->field->key, part);
}

/* Gives the node at hand an entry. Where only one alternative may stand, it takes the other's place. */
static void put(walker *self, const char *part, bool is_choice, sim_node *value)
{
    if (is_choice && sim_node_get(self->node, part) == NULL) {
        self->node->first = NULL;
        self->node->last = NULL;
        self->node->count = 0;
    }
    sim_node_put(self->node, node_create(self, SIM_NODE_SCALAR, sim_arena_string(self->arena, part)), value);
}

/* Goes down to the part's value, which becomes a mapping if it is none. */
static void descend(walker *self, const char *part, bool is_choice)
{
    sim_node *child = sim_node_get(self->node, part);
    if (child == NULL || child->type != SIM_NODE_MAPPING) {
        child = node_create(self, SIM_NODE_MAPPING, NULL);
        put(self, part, is_choice, child);
    }
    self->node = child;
}

static bool apply(walker *self, const char *path, sim_node *value)
{
    for (;;) {
        char part[PART_SIZE];
        const size_t length = strcspn(path, ".");
        const bool is_last = path[length] == '\0';
        const bool is_choice = self->field != NULL && self->field->type == SIM_FIELD_ONE_OF;
        snprintf(part, sizeof part, "%.*s", (int)(length < PART_SIZE ? length : PART_SIZE), path);
        if (!step(self, part, is_last))
            return false;
        if (is_last) {
            put(self, part, is_choice, value);
            return true;
        }
        descend(self, part, is_choice);
        path += length + 1;
    }
}

bool sim_settings_apply(sim_arena *arena, const sim_record *record, sim_node *root, const sim_setting *settings,
                        size_t count, sim_input_error *error)
{
    for (size_t i = 0; i < count && root->type == SIM_NODE_MAPPING; i++) {
        const sim_setting *setting = &settings[i];
        if (strncmp(setting->key, SIM_SETTING_PREFIX, strlen(SIM_SETTING_PREFIX)) != 0)
            continue;
        sim_source *source = sim_arena_alloc(arena, sizeof *source);
        source->setting = setting;
        walker self = {.arena = arena, .source = source, .error = error, .record = record, .node = root};
        sim_node *value;
        if (setting->value[strspn(setting->value, " \t\r\n")] == '\0')
            value = node_create(&self, SIM_NODE_SCALAR, "");
        else
            value = sim_document_parse(arena, source, setting->value, strlen(setting->value), error);
        if (value == NULL || !apply(&self, setting->key + strlen(SIM_SETTING_PREFIX), value))
            return false;
    }
    return true;
}
