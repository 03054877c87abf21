/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on a terminal that says how far the experiment is. */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool is_shown; /* stderr is a terminal */
    uint32_t runs;
    int64_t started_ns;
} cli_progress;

cli_progress cli_progress_start(uint32_t runs);
/* For sim_experiment_control.on_progress; `context` is a cli_progress. */
void cli_progress_show(void *context, uint32_t done, double share);
void cli_progress_clear(const cli_progress *progress);

#endif
