/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schema as data; private to the store. */
#ifndef SIM_STORE_SCHEMA_H
#define SIM_STORE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *name;
    const char *ddl;
    const char *key; /* columns of the primary key, for ordered reading */
    bool is_deterministic;
} sim_schema_table;

extern const sim_schema_table sim_schema_tables[];
extern const size_t sim_schema_table_count;

/* Whether a table belongs to a search (store/tune.h). */
bool sim_schema_is_search(const char *table);

extern const char *const sim_schema_views[];
extern const size_t sim_schema_view_count;

#endif
