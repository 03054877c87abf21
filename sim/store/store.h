/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database of one experiment: a single SQLite file.
 *
 * Life: sim_store_create() writes schema and plan (every run as `planned`) beside the final name and then gives the
 * file its name, so that a file of that name always holds a whole plan. Each finished run is one transaction. The
 * journal is SQLite's rollback journal with full synchronisation: after a kill at any moment the file holds every
 * finished run and nothing of the others, and no second file is needed once the writer has ended in order. A path may
 * be a symbolic link: the file at its end is meant. Only one process at a time writes (SIM_STORE_BUSY for the others).
 *
 * Every table but run_timing is deterministic: same scenario, policies, seed and version give the same rows, in any
 * order of finishing, with any number of jobs. Facts about the execution (host, time, paths, jobs, event mode, memory)
 * live in run_timing only.
 *
 * Not thread-safe: one thread owns a store. */
#ifndef SIM_STORE_H
#define SIM_STORE_H

#include <stdio.h>

#include "metrics/metrics.h"

enum {
    SIM_STORE_APPLICATION_ID = 0x7267736d, /* "rgsm", in the file's header */
    SIM_STORE_SCHEMA_VERSION = 4,          /* PRAGMA user_version */
    SIM_STORE_STREAM_VERSION = 2,          /* of the records under the behaviour digest, and of the hash over them */
};

typedef enum {
    SIM_STORE_OK = 0,
    SIM_STORE_EXISTS = 1,  /* there is a file of that name already: the caller's choice, nothing was touched */
    SIM_STORE_IO = 2,      /* the disk is full, the folder is read-only, ... */
    SIM_STORE_ALIEN = 3,   /* not a database of this program, or of another schema version */
    SIM_STORE_DIFFERS = 4, /* it holds another experiment: the message says what differs */
    SIM_STORE_BUSY = 5,    /* another process writes to it, or holds it for longer than anyone waits */
} sim_store_status;

/* One sentence for a person, without a full stop. */
typedef struct {
    sim_store_status status;
    char message[1024];
} sim_store_error;

typedef struct sim_store sim_store;

/* What is the same for all replications of a scenario under a policy. */
typedef struct {
    char input_digest[33];
    const rgn_effective_options *clients;   /* of the policy, for every client */
    const rgn_effective_options *workloads; /* one for each workload */
} sim_store_pair;

/* One key of a point of a sweep and what it is there. */
typedef struct {
    const char *key;  /* a knob, or scenario.<path> */
    const char *text; /* as a file says it */
    bool has_number;
    double number;
} sim_store_sweep_value;

/* A policy or a scenario of the plan that a sweep has made from another one. */
typedef struct {
    bool is_scenario;
    uint32_t index;   /* in the plan */
    const char *base; /* name of what it was made from */
    uint32_t number;  /* from 1, among those of that base */
    uint32_t value_count;
    const sim_store_sweep_value *value; /* by key */
} sim_store_sweep_point;

typedef struct {
    uint32_t point_count;
    const sim_store_sweep_point *point; /* policies in plan order, then scenarios in plan order */
} sim_store_sweep;

/* Everything known before the first run. Borrowed during the call. */
typedef struct {
    uint64_t seed;
    uint32_t replications;
    uint32_t scenario_count;
    const sim_scenario *const *scenario;
    const char *const *notes; /* one for each scenario, from sim_world_notes() */
    uint32_t policy_count;
    const sim_policy *const *policy;
    const sim_store_pair *pair;   /* [scenario * policy_count + policy] */
    const sim_store_sweep *sweep; /* NULL: the plan is no sweep */
} sim_store_plan;

/* Runs are numbered from 1 in plan order: scenario, then policy, then replication (from 0). */
static inline uint32_t sim_store_run_id(const sim_store_plan *plan, uint32_t scenario, uint32_t policy,
                                        uint32_t replication)
{
    return (scenario * plan->policy_count + policy) * plan->replications + replication + 1;
}

/* Wall-clock facts of one run. */
typedef struct {
    int64_t started_unix_s;
    int64_t elapsed_ns;
    const char *event_mode;
    const char *command_line;
    unsigned jobs;
    unsigned cpus;
} sim_store_timing;

/* A finished run. Borrowed during the call. */
typedef struct {
    uint32_t id;
    const sim_scenario *scenario;
    const sim_policy *policy;
    const sim_run_output *output;
    const sim_run_metrics *metrics;
    sim_digest result;
    size_t sample_count;
    const sim_story *sample; /* by intended start */
    sim_store_timing timing;
} sim_store_run;

/* Makes a new database. Without `replace` an existing file is refused; with it an earlier database of this program (or
 * an empty file) is replaced, and only after the new one has been written. NULL with `*error` filled in. */
sim_store *sim_store_create(const char *path, bool replace, const sim_store_plan *plan, sim_store_error *error);

/* Goes on with the database of an earlier, unfinished run of the same plan, or makes it where there is none. Everything
 * that makes up a run's content must be the same, by digest; more replications than there are extend the plan. NULL
 * with
 * `*error` filled in; the database is then unchanged. */
sim_store *sim_store_resume(const char *path, const sim_store_plan *plan, sim_store_error *error);

/* Sets is_done[id - 1] for every finished run whose id is at most `count`. */
bool sim_store_read_done(sim_store *store, bool *is_done, uint32_t count, sim_store_error *error);

/* Opens an existing database for reading. NULL with `*error` filled in. */
sim_store *sim_store_open(const char *path, sim_store_error *error);

/* Writes a finished run in one transaction. False with `*error` filled in: nothing of the run is in the file. */
bool sim_store_write_run(sim_store *store, const sim_store_run *run, sim_store_error *error);

/* While another program holds the file, `go_on` is asked every 50 ms, with about the time waited so far; false gives up
 * (SIM_STORE_BUSY). Nobody asked (NULL): ten seconds. */
void sim_store_set_patience(sim_store *store, bool (*go_on)(void *context, unsigned waited_ms), void *context);

void sim_store_close(sim_store *store);

/* What a reader learns of the plan. */
typedef struct {
    uint64_t seed;
    uint32_t replications;
    uint32_t scenario_count;
    uint32_t policy_count;
    uint32_t runs_done;
} sim_store_summary;

bool sim_store_read_summary(sim_store *store, sim_store_summary *summary, sim_store_error *error);

/* One metric value of one finished run; `value` is the lower bound where is_censored. */
typedef struct {
    uint32_t scenario, policy, replication; /* from 0 */
    const char *phase;
    sim_metric_id metric;
    sim_metric_value value;
} sim_stored_metric;

/* One histogram of one finished run. */
typedef struct {
    uint32_t scenario, policy, replication;
    const char *phase;
    bool is_ok;                     /* of the successes; else of the other ended operations */
    const sim_histogram *histogram; /* valid during the call */
} sim_stored_histogram;

/* Calls back for each row of finished runs in plan order. False with `*error`: a row that cannot be read. */
bool sim_store_read_metrics(sim_store *store, void (*row)(void *context, const sim_stored_metric *metric),
                            void *context, sim_store_error *error);
bool sim_store_read_histograms(sim_store *store, void (*row)(void *context, const sim_stored_histogram *histogram),
                               void *context, sim_store_error *error);

/* Digests of one finished run; texts are valid during the call. */
typedef struct {
    uint32_t scenario, policy, replication;
    const char *luck;
    const char *behaviour;
    const char *result;
} sim_stored_run;

/* Its behaviour digest up to duration * (k + 1) / SIM_CHECKPOINTS. */
typedef struct {
    uint32_t scenario, policy, replication;
    uint32_t k;
    const char *digest;
} sim_stored_checkpoint;

/* How many of its recorded transitions had that reason. */
typedef struct {
    uint32_t scenario, policy, replication;
    const char *reason;
    uint64_t count;
} sim_stored_transitions;

/* A row of its time series. */
typedef struct {
    uint32_t scenario, policy, replication;
    uint32_t n;
    int64_t start;       /* ns */
    int64_t latency_p99; /* ns; -1: no samples */
} sim_stored_interval;

/* As above: each row of finished runs in plan order. */
bool sim_store_read_runs(sim_store *store, void (*row)(void *context, const sim_stored_run *run), void *context,
                         sim_store_error *error);
bool sim_store_read_checkpoints(sim_store *store, void (*row)(void *context, const sim_stored_checkpoint *checkpoint),
                                void *context, sim_store_error *error);
bool sim_store_read_transitions(sim_store *store, void (*row)(void *context, const sim_stored_transitions *count),
                                void *context, sim_store_error *error);
bool sim_store_read_intervals(sim_store *store, void (*row)(void *context, const sim_stored_interval *interval),
                              void *context, sim_store_error *error);

/* Writes every deterministic table as text, in a fixed order of tables, columns and rows: equal experiments give equal
 * bytes. False with `*error` filled in. */
bool sim_store_dump(sim_store *store, FILE *out, sim_store_error *error);

/* Name of the n-th table; NULL past the last. `*is_deterministic` tells whether the dump holds it. */
const char *sim_store_table(size_t n, bool *is_deterministic);

#endif
