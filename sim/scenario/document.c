/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/document.h"

#include <limits.h>
#include <string.h>
#include <yaml.h>

typedef struct {
    sim_arena *arena;
    const sim_source *source;
    sim_input_error *error;
    yaml_parser_t parser;
    const char *text;
} reader;

static int mark_number(size_t value)
{
    return value < INT_MAX ? (int)value + 1 : INT_MAX;
}

static bool refuse(const reader *self, const yaml_mark_t *mark, const char *message)
{
    const sim_node place = {
        .line = mark_number(mark->line), .column = mark_number(mark->column), .source = self->source};
    return sim_error_at(self->error, self->source, &place, "%s", message);
}

/* Line and column of a byte that the reader could not decode; libyaml gives only its offset. */
static yaml_mark_t mark_of_offset(const char *text, size_t offset)
{
    yaml_mark_t mark = {.index = offset, .line = 0, .column = 0};
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static bool next_event(reader *self, yaml_event_t *event)
{
    if (yaml_parser_parse(&self->parser, event))
        return true;
    const yaml_parser_t *parser = &self->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "the text cannot be read as YAML";
    if (parser->error == YAML_READER_ERROR) {
        const yaml_mark_t mark = mark_of_offset(self->text, parser->problem_offset);
        return refuse(self, &mark, "expected UTF-8 text without control characters");
    }
    const sim_node place = {.line = mark_number(parser->problem_mark.line),
                            .column = mark_number(parser->problem_mark.column),
                            .source = self->source};
    if (parser->context == NULL)
        return sim_error_at(self->error, self->source, &place, "not valid YAML: %s", problem);
    return sim_error_at(self->error, self->source, &place, "not valid YAML: %s (%s that begins in line %d)", problem,
                        parser->context, mark_number(parser->context_mark.line));
}

static sim_node *node_create(const reader *self, sim_node_type type, const yaml_event_t *event)
{
    sim_node *node = sim_arena_alloc(self->arena, sizeof *node);
    node->type = type;
    node->line = mark_number(event->start_mark.line);
    node->column = mark_number(event->start_mark.column);
    node->source = self->source;
    return node;
}

static void append(sim_node *parent, sim_node *child)
{
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

static bool is_plain(const reader *self, const yaml_event_t *event, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL)
        return refuse(self, &event->start_mark, "anchors (&name) are not supported; write the value out");
    if (tag != NULL)
        return refuse(self, &event->start_mark, "tags (!name) are not supported; each key has its type");
    return true;
}

static sim_node *read_scalar(const reader *self, const yaml_event_t *event)
{
    if (!is_plain(self, event, event->data.scalar.anchor, event->data.scalar.tag))
        return NULL;
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length) != NULL) {
        refuse(self, &event->start_mark, "a text must not hold a zero byte");
        return NULL;
    }
    sim_node *node = node_create(self, SIM_NODE_SCALAR, event);
    node->text = sim_arena_copy(self->arena, text, length);
    return node;
}

static sim_node *read_node(reader *self, const yaml_event_t *event, int depth);

/* One key and its value. */
static bool read_entry(reader *self, sim_node *mapping, const yaml_event_t *key_event, int depth)
{
    if (key_event->type != YAML_SCALAR_EVENT && key_event->type != YAML_ALIAS_EVENT)
        return refuse(self, &key_event->start_mark, "expected a key, found a list or a mapping in its place");
    sim_node *key = read_node(self, key_event, depth);
    if (key == NULL)
        return false;
    const sim_node *same = sim_node_get(mapping, key->text);
    if (same != NULL) {
        char shown[SIM_SHOW_SIZE];
        return sim_error_at(self->error, self->source, key, "duplicate key %s; line %d has it already",
                            sim_text_show(key->text, shown), same->key->line);
    }
    yaml_event_t event;
    if (!next_event(self, &event))
        return false;
    sim_node *value = read_node(self, &event, depth);
    yaml_event_delete(&event);
    if (value == NULL)
        return false;
    value->key = key;
    append(mapping, value);
    return true;
}

static bool read_children(reader *self, sim_node *node, int depth)
{
    const yaml_event_type_t end = node->type == SIM_NODE_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        yaml_event_t event;
        if (!next_event(self, &event))
            return false;
        bool goes_on = event.type != end;
        bool is_good = true;
        if (goes_on && node->count == SIM_DOCUMENT_ENTRIES_MAX) {
            is_good = refuse(self, &event.start_mark, "more than 1024 entries in one list or mapping");
        } else if (goes_on && node->type == SIM_NODE_MAPPING) {
            is_good = read_entry(self, node, &event, depth);
        } else if (goes_on) {
            sim_node *item = read_node(self, &event, depth);
            is_good = item != NULL;
            if (is_good)
                append(node, item);
        }
        yaml_event_delete(&event);
        if (!is_good)
            return false;
        if (!goes_on)
            return true;
    }
}

/* The node that `event` begins, to its end. */
static sim_node *read_node(reader *self, const yaml_event_t *event, int depth)
{
    if (event->type == YAML_SCALAR_EVENT)
        return read_scalar(self, event);
    if (event->type == YAML_ALIAS_EVENT) {
        refuse(self, &event->start_mark, "aliases (*name) are not supported; write the value out");
        return NULL;
    }
    const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *anchor = is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const yaml_char_t *tag = is_mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (!is_plain(self, event, anchor, tag))
        return NULL;
    if (depth == SIM_DOCUMENT_DEPTH_MAX) {
        refuse(self, &event->start_mark, "nested more than 16 deep");
        return NULL;
    }
    sim_node *node = node_create(self, is_mapping ? SIM_NODE_MAPPING : SIM_NODE_LIST, event);
    return read_children(self, node, depth + 1) ? node : NULL;
}

/* Steps over events that carry no content; false at an error. `*event` is then the first that does, or the end. */
static bool next_content(reader *self, yaml_event_t *event)
{
    for (;;) {
        if (!next_event(self, event))
            return false;
        if (event->type != YAML_STREAM_START_EVENT && event->type != YAML_DOCUMENT_START_EVENT &&
            event->type != YAML_DOCUMENT_END_EVENT)
            return true;
        yaml_event_delete(event);
    }
}

static sim_node *read_stream(reader *self)
{
    yaml_event_t event;
    if (!next_content(self, &event))
        return NULL;
    if (event.type == YAML_STREAM_END_EVENT) {
        refuse(self, &event.start_mark, "nothing but blanks and comments; expected \"regionsim: 1\"");
        yaml_event_delete(&event);
        return NULL;
    }
    sim_node *root = read_node(self, &event, 0);
    yaml_event_delete(&event);
    if (root == NULL || !next_content(self, &event))
        return NULL;
    if (event.type != YAML_STREAM_END_EVENT) {
        refuse(self, &event.start_mark, "a second document begins; expected one document in a file");
        root = NULL;
    }
    yaml_event_delete(&event);
    return root;
}

sim_node *sim_document_parse(sim_arena *arena, const sim_source *source, const char *text, size_t length,
                             sim_input_error *error)
{
    if (length > SIM_DOCUMENT_BYTES_MAX) {
        sim_error_at(error, source, NULL, "longer than 1 MiB");
        return NULL;
    }
    reader self = {.arena = arena, .source = source, .error = error, .text = text};
    if (!yaml_parser_initialize(&self.parser)) {
        sim_error_at(error, source, NULL, "out of memory");
        return NULL;
    }
    yaml_parser_set_encoding(&self.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&self.parser, (const unsigned char *)text, length);
    sim_node *root = read_stream(&self);
    yaml_parser_delete(&self.parser);
    return root;
}
