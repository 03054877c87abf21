/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When in a run a limit is first broken: by playing the run again, cut short.
 *
 * A run that ends earlier is the same up to its end, so a metric of it is what was known then. Cuts are at the
 * SIM_CHECKPOINTS equal steps of the duration; of a metric that only grows, the answer is the first one. */
#ifndef SIM_MOMENT_H
#define SIM_MOMENT_H

#include "experiment/expect.h"
#include "experiment/experiment.h"

/* Cut runs of one place of the plan, kept for the next question. */
typedef struct {
    const sim_experiment_input *input; /* borrowed, as is everything in it */
    uint32_t scenario, policy, replication;
    sim_metric_value
        *at[SIM_CHECKPOINTS + 1]; /* [step]: every phase's metrics of the run cut there; NULL: not played */
    uint32_t phases[SIM_CHECKPOINTS + 1];
} sim_moments;

void sim_moments_init(sim_moments *moments, const sim_experiment_input *input, uint32_t scenario, uint32_t policy,
                      uint32_t replication);
void sim_moments_deinit(sim_moments *moments);

typedef struct {
    int64_t kept_at;   /* ns: the run cut here keeps to the limit */
    int64_t broken_at; /* ns: the run cut here does not */
} sim_moment;

/* False: the whole run keeps to it, or it could not be played. */
bool sim_moments_find(sim_moments *moments, const char *phase, sim_metric_id metric, sim_expect_type type, double limit,
                      sim_moment *out);

#endif
