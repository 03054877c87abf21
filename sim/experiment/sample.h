/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small sample of a run's operations: those whose ordinal hashes lowest.
 *
 * The hash sees the ordinal alone, so every policy and every replication samples the same operations, and a larger run
 * samples as evenly as a small one. Stands between the engine and the metrics as an observer that hands everything on.
 */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "engine/engine.h"

enum { SIM_SAMPLE_MAX = 1000 };

typedef struct {
    size_t count;
    sim_ended *operation; /* by intended start, then ordinal, once finished */
} sim_sample;

typedef struct sim_sampling sim_sampling;

/* Observes for `next`, which must outlive it. NULL: no memory. */
sim_sampling *sim_sampling_create(const sim_observer *next);
const sim_observer *sim_sampling_observer(const sim_sampling *sampling);
/* Hands the sample over and destroys the rest. The caller frees sample.operation. */
sim_sample sim_sampling_finish(sim_sampling *sampling);

#endif
