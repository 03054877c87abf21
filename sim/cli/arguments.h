/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs and options as data: parsing and help come from the same tables. */
#ifndef SIM_CLI_ARGUMENTS_H
#define SIM_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/engine.h"
#include "experiment/points.h"
#include "metrics/metrics.h"
#include "scenario/scenario.h"

enum {
    CLI_POLICIES_MAX = 64,
    CLI_SETTINGS_MAX = 256,
    CLI_VARIANTS_MAX = SIM_POINTS_MAX, /* policies of a plan: a sweep makes more than anyone names */
    CLI_VARY_MAX = SIM_AXES_MAX,
    CLI_SCENARIOS_MAX = 64, /* named by options */
    CLI_GOALS_MAX = 8,      /* objectives, constraints */
    CLI_REPLICATIONS_MAX = 10000,
    CLI_JOBS_MAX = 1024,
};

typedef enum { CLI_TEXT, CLI_JSON, CLI_CSV, CLI_MD, CLI_HTML } cli_format; /* HTML: reports only */

typedef struct {
    int operand_count;
    char *const *operand; /* what is no option */
    size_t policy_count;
    const char *policy[CLI_POLICIES_MAX];
    size_t setting_count;
    sim_setting setting[CLI_SETTINGS_MAX]; /* keys are owned */
    uint32_t replications;
    uint32_t max_replications;
    bool until_precise;
    uint64_t seed;
    bool has_seed;      /* it was given */
    unsigned jobs;      /* 0: one for each CPU */
    const char *db;     /* NULL: one that goes at the end */
    const char *output; /* NULL: standard output */
    size_t vary_count;
    const char *vary[CLI_VARY_MAX];
    size_t sobol; /* points; 0: a grid */
    size_t scenario_count;
    char *scenario[CLI_SCENARIOS_MAX]; /* besides the operands */
    size_t hold_out_count;
    char *hold_out[CLI_SCENARIOS_MAX];
    size_t objective_count;
    const char *objective[CLI_GOALS_MAX];
    size_t constraint_count;
    const char *constraint[CLI_GOALS_MAX];
    const char *loss_limit; /* NULL: not given */
    uint32_t budget;        /* runs; 0: not given */
    size_t metric_count;
    sim_metric_id metric[SIM_METRIC_COUNT]; /* in the order asked for, each once */
    bool force;
    bool resume;
    bool env;
    const char *effective; /* a scenario file; NULL: not asked for */
    sim_mode mode;
    bool is_verified;
    cli_format format;
    const char *json; /* files to write besides; "-": standard output; NULL: not asked for */
    const char *junit;
    const char *markdown;
    bool github;
    const char *baseline;
    bool update;
    bool self_test;
    bool has_operation;
    uint64_t operation;
    bool has_client;
    uint32_t client;
    bool has_partition;
    uint32_t partition;
    int64_t at; /* ns of virtual time; -1: not given */
    int64_t from;
    int64_t to;
    bool first_difference;
    const char *kind; /* of a table; NULL: what its header says */
    const char *unit; /* of latencies; NULL: ms */
    const char *home; /* a region; NULL: not given */
    const char *regions;
    const char *name;
    const char *fit;     /* a file; NULL: not asked for */
    uint32_t partitions; /* 0: not given */
    uint32_t clients;
    bool help;
    char *command_line; /* the whole of it, quoted, for the record; owned */
} cli_arguments;

typedef struct {
    const char *name;
    const char *operands; /* as the usage line shows them */
    const char *about;    /* one line */
    const char *detail;   /* a paragraph for --help */
    const char *examples; /* one a line */
    int (*run)(const cli_arguments *arguments);
    uint32_t replications; /* unless the command line says otherwise */
    uint32_t max_replications;
    const char *db;
} cli_verb;

extern const cli_verb cli_verbs[];
extern const size_t cli_verb_count;

/* NULL, after a complaint, if there is none of that name. */
const cli_verb *cli_verb_find(const char *name);

/* Reads the options of `verb` from argv[2] on. False after a complaint. Free with cli_arguments_deinit() in any case.
 */
bool cli_arguments_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *arguments);
void cli_arguments_deinit(cli_arguments *arguments);

void cli_help(FILE *out); /* of the program */
void cli_help_of_verb(FILE *out, const cli_verb *verb);

#endif
