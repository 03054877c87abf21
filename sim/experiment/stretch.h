/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a stretch of a run, kept to be compared with another run's. */
#ifndef SIM_EXPERIMENT_STRETCH_H
#define SIM_EXPERIMENT_STRETCH_H

#include "engine/engine.h"

typedef struct {
    int64_t from; /* [from, until), ns of virtual time */
    int64_t until;
    size_t count;
    size_t room;
    sim_record_words *record;
    bool out_of_memory; /* some are missing */
} sim_stretch;

/* Until which virtual time checkpoint `k` looks, ns. */
int64_t sim_checkpoint_time(const sim_scenario *scenario, int k);

/* The stretch that ends at checkpoint `k`; SIM_CHECKPOINTS: what comes after the last. Free with sim_stretch_deinit().
 */
sim_stretch sim_stretch_before(const sim_scenario *scenario, int k);
void sim_stretch_deinit(sim_stretch *stretch);

/* A recorder that keeps them; it borrows the stretch. */
sim_recorder sim_stretch_recorder(sim_stretch *stretch);

/* How many records two stretches have in common before they part or one ends. */
size_t sim_stretch_common(const sim_stretch *a, const sim_stretch *b);

/* NULL: the stretch has no such record. */
const sim_record_words *sim_stretch_at(const sim_stretch *stretch, size_t n);

#endif
