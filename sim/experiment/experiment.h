/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment: scenarios × policies × replications, spread over threads, written to one store.
 *
 * All policies and scenarios run under the same seed, and replication r of each under luck {seed, r}: they meet the
 * same arrivals, so that differences can be taken in pairs. A run's content depends on nothing but its place in the
 * plan; runs are written as they finish, under ids that the plan gave them. */
#ifndef SIM_EXPERIMENT_H
#define SIM_EXPERIMENT_H

#include <stdatomic.h>

#include "engine/engine.h"
#include "store/store.h"

/* What is to be run. Borrowed for the experiment's life. */
typedef struct {
    uint32_t scenario_count;
    const sim_scenario *const *scenario;
    uint32_t policy_count;
    const sim_policy *const *policy;
    uint32_t replications;
    uint32_t first_replication; /* 0 wherever the runs go to the plan's own store */
    uint64_t seed;
    sim_mode mode;
    bool is_verified; /* each run is played again in the other mode, and any difference ends the experiment */
    /* The process's environment where the user asked for it, else NULL. Its variables win over a scenario's map, which
     * feeds the core in any case. */
    const rgn_environment *process;
    const sim_store_sweep *sweep; /* which of these a sweep has made; NULL: none */
} sim_experiment_input;

typedef struct sim_experiment sim_experiment;

/* Makes every world and resolves every option. NULL with `*error`: input that does not fit together. */
sim_experiment *sim_experiment_create(const sim_experiment_input *input, sim_input_error *error);
void sim_experiment_destroy(sim_experiment *experiment);

/* The plan to make the store with; lives as long as the experiment. */
const sim_store_plan *sim_experiment_plan(const sim_experiment *experiment);

typedef struct {
    unsigned jobs;            /* worker threads, from 1 */
    unsigned cpus;            /* for the record */
    const char *command_line; /* for the record */
    const bool *is_done;      /* [run id - 1]: runs that the store holds already; NULL: none */
    /* Called by the calling thread in place of sim_store_write_run(); NULL: to the store. False with `*error`. */
    bool (*write)(void *context, const sim_store_run *run, sim_store_error *error);
    void *write_context;
    atomic_bool *stop; /* set by anyone at any time: end soon, keep what is finished and can be written */
    /* Called by the calling thread a few times a second: runs finished and share of all virtual time, 0..1. May be
     * NULL. */
    void (*on_progress)(void *context, uint32_t done, double share);
    void *progress_context;
} sim_experiment_control;

typedef enum {
    SIM_EXPERIMENT_OK = 0,
    SIM_EXPERIMENT_INTERRUPTED = 1,
    SIM_EXPERIMENT_STORE = 2, /* a run could not be written: `store` says why */
    SIM_EXPERIMENT_RUN = 3,   /* a run failed: `run`, `run_status` and `what` say which and why */
} sim_experiment_status;

typedef struct {
    sim_experiment_status status;
    uint32_t done; /* runs in the store, earlier ones included */
    sim_store_error store;
    uint32_t scenario, policy, replication; /* of the failed run */
    sim_run_status run_status;
    char what[1024]; /* what is wrong with a broken one */
} sim_experiment_result;

/* Runs everything that the plan holds and the store does not (NULL where `write` takes the runs). On a failure no new
 * run begins, and those under way are dropped. */
sim_experiment_result sim_experiment_run(sim_experiment *experiment, sim_store *store,
                                         const sim_experiment_control *control);

#endif
