/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `run` prints at its end: policies side by side, each against the first, expectations, a paragraph in words. */
#ifndef SIM_CLI_SUMMARY_H
#define SIM_CLI_SUMMARY_H

#include "cli/arguments.h"
#include "cli/units.h"
#include "cli/unjudged.h"
#include "experiment/compare.h"
#include "experiment/expect.h"
#include "experiment/timeline.h"

/* What is shown: `run` tells everything about a few metrics, `compare` the comparison of all. */
typedef enum { CLI_VIEW_RUN, CLI_VIEW_COMPARE } cli_view;

enum { CLI_HEADLINES = 2 };

/* The rows of one scenario: headline pair first, then what is usually asked, then objectives that are not among these,
 * then (compare) the rest. */
typedef struct {
    size_t count;
    size_t usual; /* rows before the rest */
    sim_metric_id metric[SIM_METRIC_COUNT];
    sim_comparison *comparison; /* [policy * count + row], against the baseline; owned */
    size_t unjudged_count;
    cli_unjudged *unjudged; /* expectations about other policies; owned */
} cli_rows;

typedef struct {
    const sim_store_plan *plan;
    const sim_outcome *outcome;
    const char *db; /* NULL: one that goes at the end */
    cli_view view;
    const sim_timeline *timeline; /* NULL: not shown */
    cli_rows *rows;               /* one for each scenario; owned */
} cli_summary;

/* Makes all comparisons. False: no memory. Free with cli_summary_close() in any case. */
bool cli_summary_open(cli_summary *summary, const sim_store_plan *plan, const sim_outcome *outcome, const char *db,
                      cli_view view);
void cli_summary_close(cli_summary *summary);

static inline const sim_comparison *cli_comparison(const cli_summary *summary, uint32_t scenario, uint32_t policy,
                                                   size_t row)
{
    return &summary->rows[scenario].comparison[policy * summary->rows[scenario].count + row];
}

static inline bool cli_is_known(const sim_metric_value *value)
{
    return !value->is_null || value->is_censored;
}

/* Better or worse, higher or lower: what a reader should hear of. */
static inline bool cli_differs(const sim_comparison *comparison)
{
    return comparison->verdict >= SIM_COMPARED_BETTER;
}

/* Prints in the format. False: no memory. */
bool cli_summary_print(const cli_summary *summary, cli_format format, FILE *out);
/* Prints to standard output in the format asked for, and writes what else is asked for. An exit status; complains. */
int cli_summary_deliver(const cli_summary *summary, const cli_arguments *arguments);
void cli_summary_print_json(const cli_summary *summary, FILE *out);
void cli_summary_print_csv(const cli_summary *summary, FILE *out);

/* Parts of the text, in text or Markdown. False: no memory. */
bool cli_print_values(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out);
bool cli_print_comparisons(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out);

/* p99 over time, with the faults. */
void cli_print_sparklines(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out);

/* Which expectations hold, and which could not be judged. */
void cli_print_expectations(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out);

/* The unit that suits all policies of a row. */
cli_unit cli_unit_of_row(const cli_summary *summary, uint32_t scenario, sim_metric_id metric);

/* Failed and undecidable expectations of all scenarios and policies; those about a policy that there is none of are
 * undecidable. */
typedef struct {
    uint32_t failed;
    uint32_t unknown;
} cli_expectation_count;
cli_expectation_count cli_summary_expectations(const cli_summary *summary);

/* What one scenario says about its policies, in words: paragraphs divided by line feeds. The caller frees it. NULL: no
 * memory. */
char *cli_verdict(const cli_summary *summary, uint32_t scenario);

/* Appends where waiting for a sweep dominates the time to return; verdict.c's last paragraph. */
void cli_put_sweeps(const cli_summary *summary, uint32_t scenario, FILE *out);

#endif
