/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What earlier runs came to, as a small file that is kept under version control.
 *
 * For every scenario: its luck, and a short digest of each top-level part of its file. For every policy that it ran
 * under: options, the digests of every run, the gated metrics of every replication with their tolerances, and (of the
 * first replications) what it takes to say where behaviour began to differ: parts of the checkpoints, transitions by
 * reason. The same structure is taken from fresh runs; sim_gate_judge() puts the two side by side. */
#ifndef SIM_BASELINE_H
#define SIM_BASELINE_H

#include "experiment/outcome.h"
#include "scenario/arena.h"

enum {
    SIM_BASELINE_FORMAT = 1,
    SIM_BASELINE_FIRST = 5,        /* replications whose checkpoints and transitions are kept */
    SIM_BASELINE_CHECK_DIGITS = 4, /* hexadecimal, of each checkpoint */
    SIM_BASELINE_RUNS_MAX = 1000,
};

typedef struct {
    const char *name;
    const char *text;
} sim_baseline_entry;

typedef struct {
    const char *reason;
    uint64_t count[SIM_BASELINE_FIRST];
} sim_baseline_transitions;

/* A metric whose change is judged. */
typedef struct {
    sim_metric_id metric;
    bool is_relative; /* tolerance is a share of the baseline's value, else in the metric's unit */
    double tolerance;
    const sim_metric_value *value; /* [run]: of phase `all` */
    int line;                      /* in the file; 0: not from a file */
} sim_baseline_gate;

typedef struct {
    const char *policy;
    const char *input;
    uint32_t option_count; /* knobs that are not at their default, by name */
    const sim_baseline_entry *option;
    uint32_t transition_count; /* by reason */
    const sim_baseline_transitions *transition;
    uint32_t runs;
    const char *const *behaviour;
    const char *const *result;
    const char *checkpoints[SIM_BASELINE_FIRST]; /* "": none */
    uint32_t gate_count;
    sim_baseline_gate gate[SIM_OBJECTIVES_MAX];
    int line;
} sim_baseline_pair;

typedef struct {
    const char *name;
    uint32_t part_count; /* by name */
    const sim_baseline_entry *part;
    uint32_t runs;
    const char *const *luck;
    uint32_t pair_count;
    sim_baseline_pair *pair;
    int line;
} sim_baseline_scenario;

typedef struct {
    sim_arena *arena;
    const char *path; /* NULL: not from a file */
    const char *tool; /* its version, for information */
    uint32_t draw_version, stream_version, metric_version;
    uint64_t seed;
    uint32_t scenario_count;
    sim_baseline_scenario *scenario;
} sim_baseline;

/* Empty, with this program's versions and room for that many scenarios. Free with sim_baseline_destroy(). */
sim_baseline *sim_baseline_create(uint64_t seed, uint32_t scenarios);
void sim_baseline_destroy(sim_baseline *baseline);

/* Takes the finished runs of an experiment with one scenario, under all its policies, into the place `out`. Gated are
 * the scenario's objectives; without any the headline pair, p99 and availability. False with `*error`. */
bool sim_baseline_take(sim_baseline *baseline, sim_store *store, const sim_outcome *outcome, sim_baseline_scenario *out,
                       sim_store_error *error);

/* Reads a file; NULL with `*error`: place, what is found, what is expected. */
sim_baseline *sim_baseline_read(const char *path, sim_input_error *error);

/* Writes the file's text, scenarios and policies by name, after `comment` (lines that begin with #). */
void sim_baseline_print(const sim_baseline *baseline, const char *comment, FILE *out);

/* NULL if there is none of that name. */
const sim_baseline_scenario *sim_baseline_find(const sim_baseline *baseline, const char *scenario);
const sim_baseline_pair *sim_baseline_find_pair(const sim_baseline_scenario *scenario, const char *policy);

/* The tolerance as the file says it: "1 %" of the baseline's value, or "50 ms", "5", "0.001" in the metric's unit. */
void sim_baseline_format_tolerance(const sim_baseline_gate *gate, char *out, size_t size);

#endif
