/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of round trips between regions, read from CSV.
 *
 * Header: `src,dst,p50_ms...,p95_ms...` (the last two may go on, say with a month). Each further line is one directed
 * pair: two different known regions, then milliseconds with at most six decimals, or nothing where no value was
 * published. No quotes, no spaces, no empty lines; a pair appears at most once. */
#ifndef SIM_ROUND_TRIP_TABLE_H
#define SIM_ROUND_TRIP_TABLE_H

#include "scenario/scenario.h"

#define SIM_ROUND_TRIP_NONE INT64_C(-1)

/* One directed pair; ns, or SIM_ROUND_TRIP_NONE where the table has no value. */
typedef struct {
    int64_t p50;
    int64_t p95;
    int line; /* 0: the pair is not listed */
} sim_round_trip;

typedef struct {
    char *path;
    size_t regions;       /* of the catalogue */
    sim_round_trip *pair; /* [from * regions + to], catalogue numbers */
} sim_round_trip_table;

/* Looks for data/NAME.csv and scenarios/data/NAME.csv beside the scenario file, then in each folder above it, nearest
 * first, and reads it. False with `*error`. Free with sim_round_trip_table_deinit() whatever the result. */
bool sim_round_trip_table_load(sim_round_trip_table *table, const char *scenario_path, const char *name,
                               sim_input_error *error);
/* The same for a text in memory; `path` names it in messages. */
bool sim_round_trip_table_parse(sim_round_trip_table *table, const char *path, const char *text, size_t size,
                                sim_input_error *error);
void sim_round_trip_table_deinit(sim_round_trip_table *table);

/* Fills in `*error` and returns false, for `return`. `path` may be NULL; line and column 0: the file as a whole. */
__attribute__((format(printf, 5, 6))) bool sim_world_refuse(sim_input_error *error, const char *path, int line,
                                                            int column, const char *format, ...);

#endif
