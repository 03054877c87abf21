/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan and runs made by hand, for tests that need rows but no simulation. */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include "store/store.h"

enum {
    FIXTURE_REPLICATIONS = 3,
    FIXTURE_PHASES = 3,
    FIXTURE_INTERVALS = 4,
    FIXTURE_TRANSITIONS = 2,
    FIXTURE_SAMPLES = 2
};

/* One scenario with two regions and two phases, two policies. Static; `replications` can be chosen. */
sim_store_plan fixture_plan(uint32_t replications);

/* Everything that a run yields; each field's value follows from the run's id. */
typedef struct {
    sim_run_output output;
    sim_metric_value metric[FIXTURE_PHASES * SIM_METRIC_COUNT];
    sim_histogram ok[FIXTURE_PHASES];
    sim_histogram failed[FIXTURE_PHASES];
    sim_interval_row interval[FIXTURE_INTERVALS];
    sim_transition_row transition[FIXTURE_TRANSITIONS];
    sim_story sample[FIXTURE_SAMPLES];
    sim_run_metrics metrics;
    sim_store_run run;
} fixture_run;

/* Fills `*out`, which must not move afterwards. */
void fixture_run_make(fixture_run *out, const sim_store_plan *plan, uint32_t scenario, uint32_t policy,
                      uint32_t replication);

/* Counts a latency. */
void fixture_record(sim_histogram *histogram, int64_t ns);

#endif
