/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML file as a tree that remembers where each word stood.
 *
 * What is not needed to describe a scenario is refused: anchors and aliases (and with them documents that grow without
 * bound), tags, a second document, deep nesting, long lists. Scalars stay text; the schema table types them. */
#ifndef SIM_DOCUMENT_H
#define SIM_DOCUMENT_H

#include "scenario/arena.h"
#include "scenario/scenario.h"

enum {
    SIM_DOCUMENT_BYTES_MAX = 1 << 20,
    SIM_DOCUMENT_DEPTH_MAX = 16,
    SIM_DOCUMENT_ENTRIES_MAX = 1024, /* of one mapping or list */
};

/* Where nodes came from: a file, or (path NULL) a setting of the command line. */
typedef struct {
    const char *path;
    const sim_setting *setting;
} sim_source;

typedef enum { SIM_NODE_SCALAR, SIM_NODE_MAPPING, SIM_NODE_LIST } sim_node_type;

typedef struct sim_node {
    sim_node_type type;
    int line;   /* from 1 */
    int column; /* from 1 */
    const sim_source *source;
    const char *text;      /* of a scalar; holds no zero byte */
    struct sim_node *key;  /* of a mapping's entry: a scalar */
    struct sim_node *next; /* sibling */
    struct sim_node *first;
    struct sim_node *last;
    size_t count; /* children */
} sim_node;

/* Reads a whole file into the arena; its bytes are followed by a zero byte. */
bool sim_file_read(sim_arena *arena, const char *path, const char **text, size_t *length, sim_input_error *error);

/* The tree of a text; NULL with `*error`. */
sim_node *sim_document_parse(sim_arena *arena, const sim_source *source, const char *text, size_t length,
                             sim_input_error *error);

/* A mapping's value; NULL if it lacks the key or `mapping` is none (or NULL). */
sim_node *sim_node_get(const sim_node *mapping, const char *key);
/* Appends an entry, or gives the entry of that key this value. */
void sim_node_put(sim_node *mapping, sim_node *key, sim_node *value);

/* Fills `*error` in with the node's place (or its setting's name) and a message; always false. `node` may be NULL: the
 * file as a whole. */
bool sim_error_at(sim_input_error *error, const sim_source *source, const sim_node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The node as messages quote it: `"text"`, cut if long, or `nothing`, `a mapping`, `a list`. */
enum { SIM_SHOW_SIZE = 80 };
const char *sim_node_show(const sim_node *node, char out[SIM_SHOW_SIZE]);
const char *sim_text_show(const char *text, char out[SIM_SHOW_SIZE]);

#endif
