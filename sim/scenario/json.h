/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small indenting JSON writer. */
#ifndef SIM_JSON_H
#define SIM_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *out;
    int depth;
    bool is_first; /* of the innermost object or list */
} sim_json;

/* `key` is NULL inside lists and for the root. */
void sim_json_open(sim_json *self, const char *key, char bracket);
void sim_json_close(sim_json *self, char bracket);
void sim_json_string(sim_json *self, const char *key, const char *value);
void sim_json_flag(sim_json *self, const char *key, bool value);
/* value / 10^scale. */
void sim_json_number(sim_json *self, const char *key, int64_t value, int scale);

#endif
