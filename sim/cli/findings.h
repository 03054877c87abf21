/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `check` found: one finding for each rule, with everything that any of its forms tells. */
#ifndef SIM_CLI_FINDINGS_H
#define SIM_CLI_FINDINGS_H

#include "cli/arguments.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "experiment/gate.h"
#include "experiment/moment.h"

typedef enum { CLI_PASSED = 0, CLI_UNJUDGED = 1, CLI_FAILED = 2 } cli_level;

typedef enum { CLI_RULE_EXPECTATION, CLI_RULE_BASELINE, CLI_RULE_NONE } cli_rule_kind;

/* Texts are owned; NULL or "" where there is nothing to say. */
typedef struct {
    cli_rule_kind kind;
    cli_level level;
    const char *word; /* "holds", "FAILS", "regression", ... */
    char *scenario;
    char *policy;
    char *metric;
    char *phase;
    char *rule;    /* "flap_count in all at most 8 departures" */
    char *text;    /* value and limit, as a sentence without subject and full stop */
    char *because; /* the author's reason */
    char *cause;   /* what changed since the baseline */
    char *moment;  /* when it was first broken, with seed and replication */
    char *command; /* that replays the moment */
    char *path;    /* where the rule stands */
    int line;
    bool has_value, has_limit, has_interval, has_replication;
    double value, limit;   /* in the metric's unit */
    double then;           /* baseline rules: its value, if has_interval */
    sim_interval interval; /* of the difference to it */
    uint64_t seed;
    uint32_t replications; /* judged by */
    uint32_t replication;  /* that breaks it */
} cli_finding;

typedef struct {
    size_t count, room;
    cli_finding *finding;
    bool out_of_memory;
} cli_findings;

void cli_findings_deinit(cli_findings *findings);

/* Appends a finding of which the caller fills in the rest; a scratch one when there is no memory. */
cli_finding *cli_findings_add(cli_findings *findings, cli_rule_kind kind, cli_level level, const char *word,
                              const char *scenario, const char *policy);

/* All that is judged of one scenario. */
typedef struct {
    const cli_arguments *arguments;
    const sim_experiment_input *input;
    const sim_outcome *outcome;
    const sim_baseline *before; /* NULL: none */
    const sim_baseline *after;
    const sim_baseline_scenario *now;
} cli_judged;

/* Expectations of the scenario, then its baseline's rules, policy by policy. */
void cli_findings_judge(cli_findings *findings, const cli_judged *judged);

/* How many there are of each level. */
size_t cli_findings_count(const cli_findings *findings, cli_level level);

/* The forms; for cli_output_write(), `context` is a cli_findings. */
void cli_findings_put_text(const cli_findings *findings, const char *baseline, FILE *out);
void cli_findings_put_github(const cli_findings *findings, FILE *out);
void cli_findings_put_junit(void *context, FILE *out);
void cli_findings_put_markdown(void *context, FILE *out);
void cli_findings_put_json(void *context, FILE *out);

#endif
