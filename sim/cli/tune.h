/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search under way: what `tune` was asked for, where it stands, what came of it. */
#ifndef SIM_CLI_TUNE_H
#define SIM_CLI_TUNE_H

#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/vary.h"
#include "experiment/portfolio.h"
#include "experiment/search.h"
#include "scenario/arena.h"
#include "store/tune.h"

enum { CLI_COLUMNS_MAX = SIM_SEARCH_OBJECTIVES_MAX + SIM_SEARCH_CONSTRAINTS_MAX };

/* Objectives, then constraints. */
typedef struct {
    size_t objective_count, constraint_count;
    sim_metric_id metric[CLI_COLUMNS_MAX];
    double weight[SIM_SEARCH_OBJECTIVES_MAX];
    bool is_higher_better[SIM_SEARCH_OBJECTIVES_MAX];
    sim_search_constraint constraint[SIM_SEARCH_CONSTRAINTS_MAX];
    double loss_limit; /* INFINITY: off */
} cli_goals;

/* Reads --objective, --constraint and --loss-limit; false after a complaint. */
bool cli_goals_read(cli_goals *goals, const cli_arguments *arguments);

/* Values that an earlier process has left in the database. */
typedef struct cli_tune_known cli_tune_known;

typedef enum { CLI_TUNE_CONFIRMED = 0, CLI_TUNE_UNCONFIRMED = 1, CLI_TUNE_NOTHING = 2 } cli_tune_verdict;

typedef struct {
    const cli_arguments *arguments;
    cli_goals goals;
    cli_vary vary;
    cli_inputs in;  /* scenarios to search over, then those held out; the base */
    uint32_t tuned; /* how many are searched over */
    sim_arena *arena;
    sim_experiment *base; /* the base in all scenarios: what the database is made for */
    sim_store *store;
    char *settings; /* all that decides the search; owned */

    sim_search_input input;
    sim_search search;
    size_t policy_room;
    sim_policy **policy; /* [point]: made as they are played; owned, but the base */
    cli_tune_known *known;
    cli_progress progress;
    int status; /* why the search gave up */

    size_t pick; /* SIM_SEARCH_BASE: none */
    cli_tune_verdict verdict;
    sim_experiment *confirmation; /* `base`, or one with the pick */
    sim_outcome *outcome;
    sim_portfolio_gain tuned_gain[SIM_SEARCH_OBJECTIVES_MAX]; /* of the pick */
    sim_portfolio_gain held_gain[SIM_SEARCH_OBJECTIVES_MAX];
    sim_portfolio_gain *scenario_gain; /* [scenario * objectives + objective], likewise */
    char reason[4096];
} cli_tuning;

static inline size_t cli_tune_recommended(const cli_tuning *self)
{
    return self->verdict == CLI_TUNE_CONFIRMED ? self->pick : SIM_SEARCH_BASE;
}

/* "success-rate#0012"; the base's name for the base. */
const char *cli_tune_point_name(const cli_tuning *self, size_t point);

/* What a knob is at a point, as `list knobs` says it. */
sim_tune_value cli_tune_value(const cli_tuning *self, size_t point, size_t axis);

/* The policy of a point; NULL after a complaint. */
sim_policy *cli_tune_policy(cli_tuning *self, size_t point);
void cli_tune_policies_deinit(cli_tuning *self);

/* For sim_search_input.admits: whether the values go together. `context` is a cli_tuning. */
bool cli_tune_admits(void *context, const uint64_t *place);

/* Searches; CLI_OK, or an exit status after a complaint. */
int cli_tune_search(cli_tuning *self);
void cli_tune_search_deinit(cli_tuning *self);

/* Whether the confirmation shows that the pick loses more there than the limit allows. */
bool cli_tune_breaks_limit(const cli_tuning *self, const sim_portfolio_gain *gain);

/* Plays the confirmation and reaches the verdict; an exit status as above. */
int cli_tune_confirm(cli_tuning *self);

/* Says the verdict in words, in `reason`. */
void cli_tune_explain(cli_tuning *self);

/* What came of it, in the arena. NULL: no memory. */
const sim_tune_result *cli_tune_result(const cli_tuning *self);

/* The recommended policy as a file; false after a complaint. */
bool cli_tune_write_policy(const cli_tuning *self, const char *path);

/* False: no memory. */
bool cli_tune_print(const cli_tuning *self, const sim_tune_result *result, cli_format format, FILE *out);

#endif
