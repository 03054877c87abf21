/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded arrivals, read from CSV.
 *
 * Header: `t_ms`, then any other columns. Each further line has as many fields, the first of which is the arrival's
 * time in milliseconds with at most six decimals; times do not fall. No quotes, no spaces, no empty lines. A recording
 * is replayed round after round: from its last arrival to the first of the next round it takes the mean gap. */
#ifndef SIM_RECORDING_H
#define SIM_RECORDING_H

#include "scenario/load.h"

/* Looks for data/NAME.csv or scenarios/data/NAME.csv beside the scenario file, then in each folder above it, nearest
 * first, and reads it. `path` and `node` say where the file asks for it. */
bool sim_recording_load(sim_resolver *self, const char *path, const sim_node *node, const char *name,
                        sim_recording *out);

/* The same for a text in memory; `file` names it in messages. */
bool sim_recording_parse(sim_arena *arena, const char *file, const char *text, size_t length, sim_recording *out,
                         sim_input_error *error);

#endif
