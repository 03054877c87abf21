/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `run` prints at its end: policies side by side, expectations, a paragraph in words. */
#ifndef SIM_CLI_SUMMARY_H
#define SIM_CLI_SUMMARY_H

#include "cli/arguments.h"
#include "experiment/expect.h"
#include "experiment/outcome.h"

typedef struct {
    const sim_store_plan *plan;
    const sim_outcome *outcome;
    const char *db;
} cli_summary;

/* The curated rows, headline pair first; SIM_METRIC_COUNT past the last. */
sim_metric_id cli_summary_metric(size_t n);

/* Each prints in its format. False: no memory. */
bool cli_summary_print(const cli_summary *summary, cli_format format, FILE *out);
void cli_summary_print_json(const cli_summary *summary, FILE *out);

/* Failed and undecidable expectations of all scenarios and policies. */
typedef struct {
    uint32_t failed;
    uint32_t unknown;
} cli_expectation_count;
cli_expectation_count cli_summary_expectations(const cli_summary *summary);

/* The paragraph for one scenario; the caller frees it. NULL: no memory. */
char *cli_verdict(const cli_summary *summary, uint32_t scenario);

#endif
