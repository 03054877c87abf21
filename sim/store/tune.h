/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database of a search for a better policy.
 *
 * It is an ordinary database whose plan is the confirmation: all scenarios, the base and, once it is known, the pick,
 * in replications 0 to N - 1. Beside it the tables tune_* hold the search, which plays replications from N on. Runs of
 * the search are rows by themselves, each a transaction with its metrics, so a kill loses only what was under way;
 * whatever follows from them is written at the end, in one transaction, and can be written again. */
#ifndef SIM_STORE_TUNE_H
#define SIM_STORE_TUNE_H

#include "store/store.h"

/* What a search is; all that decides it is in `settings`, one line each. */
typedef struct {
    const char *base;
    const char *settings;
    uint32_t first_replication;
    uint32_t scenarios; /* searched over */
    uint32_t budget;
} sim_tune_head;

/* Makes the database of a search: `plan` has the base alone. NULL with `*error`. */
sim_store *sim_tune_create(const char *path, bool replace, const sim_store_plan *plan, const sim_tune_head *head,
                           sim_store_error *error);
/* Goes on with it, or makes it where there is none. Another search or experiment: SIM_STORE_DIFFERS, and what differs.
 */
sim_store *sim_tune_resume(const char *path, const sim_store_plan *plan, const sim_tune_head *head,
                           sim_store_error *error);

/* One run of the search. */
typedef struct {
    uint32_t point, scenario, replication; /* point and scenario from 0 */
    const char *digest;
    size_t count;
    const sim_metric_id *metric;
    const double *value; /* NaN: none */
} sim_tune_run;

bool sim_tune_write_run(sim_store *store, const sim_tune_run *run, sim_store_error *error);

/* One value of it, read back. */
typedef struct {
    uint32_t point, scenario, replication;
    sim_metric_id metric;
    double value;
} sim_tune_stored;

/* Calls back in the order of points, scenarios, replications. */
bool sim_tune_read(sim_store *store, void (*row)(void *context, const sim_tune_stored *value), void *context,
                   sim_store_error *error);

/* Makes `plan` that of the database, unless it is already: the pick has joined the base. No run of it is done yet. */
bool sim_tune_set_plan(sim_store *store, const sim_store_plan *plan, sim_store_error *error);

/* ---- what came of it ---- */

typedef struct {
    sim_metric_id metric;
    int better;
    double weight, margin;
} sim_tune_objective;

typedef struct {
    const char *key, *text;
    int64_t number;
} sim_tune_value;

typedef struct {
    uint32_t policy; /* in the plan, from 1; 0: not in it */
    const char *origin, *standing;
    uint32_t round, replications;
    int64_t parent, against;     /* -1: none */
    const sim_tune_value *value; /* one for each axis */
} sim_tune_point;

typedef struct {
    uint32_t point, scenario; /* scenario from 1; 0: all */
    sim_metric_id metric;
    double gain, low, high;
} sim_tune_gain;

typedef struct {
    const char *key, *value;
    uint32_t scenario;
    sim_metric_id metric;
    double effect, low, high;
} sim_tune_effect;

typedef struct {
    const char *scenarios, *verdict;
    sim_metric_id metric;
    bool has_gain, has_interval;
    double gain, low, high, margin, p;
    uint32_t worst; /* from 1 */
    double worst_gain;
} sim_tune_confirmation;

typedef struct {
    size_t axis_count;
    size_t objective_count, point_count, gain_count, effect_count, confirmation_count;
    const sim_tune_objective *objective;
    const sim_tune_point *point;
    const sim_tune_gain *gain;
    const sim_tune_effect *effect;
    const sim_tune_confirmation *confirmation;
    uint32_t runs, pick, recommended;
    const char *verdict, *reason;
} sim_tune_result;

bool sim_tune_write_result(sim_store *store, const sim_tune_result *result, sim_store_error *error);

#endif
