/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the tree to raw.h's structs, by the schema table. Every function here returns false at the first error, with
 * the decoder's error filled in. */
#ifndef SIM_DECODE_H
#define SIM_DECODE_H

#include "scenario/raw.h"
#include "scenario/schema.h"

typedef struct {
    sim_arena *arena;
    const sim_source *source;
    sim_input_error *error;
    char where[256]; /* dotted path of the node at hand; messages begin with it */
    size_t where_length;
} sim_decoder;

/* Puts a key at the end of the path, and takes it off again. */
size_t sim_decoder_enter(sim_decoder *self, const char *key);
void sim_decoder_leave(sim_decoder *self, size_t length);

/* "<path>: <message>" at the node; always false. */
bool sim_decoder_fail(sim_decoder *self, const sim_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "found ...; expected ...; did you mean ...?"; `nearest` may be NULL. */
bool sim_decoder_unexpected(sim_decoder *self, const sim_node *node, const char *expected, const char *nearest);
/* An unknown key: lists nothing, but names the nearest. */
bool sim_decoder_unknown_key(sim_decoder *self, const sim_node *key, const char *const *known, size_t count);

/* The whole file: a mapping whose first key is `regionsim`. */
bool sim_decode_root(sim_decoder *self, const sim_record *record, const sim_node *root, void *base);

/* values.c: one scalar. `sim_decode_number` for SIM_FIELD_NUMBER. */
bool sim_decode_scalar(sim_decoder *self, const sim_field *field, const sim_node *node, int64_t *value);
bool sim_decode_number(sim_decoder *self, const sim_node *node, sim_raw_number *number);
bool sim_decode_text(sim_decoder *self, const sim_field *field, const sim_node *node, const char **text);
bool sim_decode_name(sim_decoder *self, const sim_node *node, const char **name);
bool sim_decode_region(sim_decoder *self, const sim_node *node, const char **name);
/* What a scalar row expects: `a duration from 1 ms to 8760 h, such as "90 s"`. */
enum { SIM_EXPECTED_SIZE = 256 };
void sim_expected(const sim_field *field, char out[SIM_EXPECTED_SIZE]);
/* The value as a file would say it. */
void sim_field_format(const sim_field *field, int64_t value, char *out, size_t size);

/* pairs.c: mappings whose keys are data. */
bool sim_decode_pairs(sim_decoder *self, const sim_field *field, const sim_node *node, sim_raw_items *items);

/* knobs.c: options that operations carry, by groups; one group of those or of a policy's. */
bool sim_decode_knobs(sim_decoder *self, const sim_node *node, sim_raw_knobs *knobs);
bool sim_decode_knob_group(sim_decoder *self, const sim_node *group, sim_raw_knobs *knobs);
bool sim_knob_group_exists(const char *group);
/* Whether the group has an option of that reach. */
bool sim_knob_group_has(const char *group, rgn_knob_reach reach);
/* The distinct group names, in table order; returns their number. */
enum { SIM_KNOB_GROUPS_MAX = 16, SIM_KNOB_GROUP_SIZE = 32 };
size_t sim_knob_groups(char names[SIM_KNOB_GROUPS_MAX][SIM_KNOB_GROUP_SIZE]);
/* The nth environment variable that the core reads; false if there are fewer. */
bool sim_knob_variable_at(size_t n, char *out, size_t size);
/* Whether the core reads that environment variable; if not, `*nearest` (or NULL), copied to `out`. */
bool sim_knob_variable_exists(const char *variable, const char **nearest, char *out, size_t size);

#endif
