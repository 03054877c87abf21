/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t monotonic_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

cli_progress cli_progress_start(uint32_t runs)
{
    return (cli_progress){isatty(STDERR_FILENO) != 0, runs, monotonic_ns()};
}

void cli_progress_show(void *context, uint32_t done, double share)
{
    const cli_progress *self = context;
    if (!self->is_shown)
        return;
    const double elapsed = (double)(monotonic_ns() - self->started_ns) / 1e9;
    (void)fprintf(stderr, "\r\033[K%u of %u runs, %.0f %%", done, self->runs, share * 100);
    if (share > 0.01) {
        const long left = (long)(elapsed * (1 - share) / share + 0.5);
        (void)fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
    }
}

void cli_progress_clear(const cli_progress *progress)
{
    if (progress->is_shown)
        (void)fputs("\r\033[K", stderr);
}
