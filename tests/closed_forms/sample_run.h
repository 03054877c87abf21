/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thousands of recoveries through the whole engine: each (client, partition) trips once while its home fails every
 * attempt, and is then promoted to a home that fails a share of them. Every operation is a canary, successes and
 * failures take equally long, and windows do not expire: the results of one entry are independent trials in the order
 * of their sending. */
#ifndef CLOSED_FORMS_SAMPLE_RUN_H
#define CLOSED_FORMS_SAMPLE_RUN_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_CLIENTS = 100, SAMPLE_PARTITIONS = 120, SAMPLE_PAIRS = SAMPLE_CLIENTS * SAMPLE_PARTITIONS };

/* A pair's first recovery. Pairs that no operation reached before their home got better, and that tripped later, are
 * left out: the run's end would cut some of them short, and more of those that take long to decide. */
typedef struct {
    bool is_promoted; /* else the rest says nothing */
    bool is_decided;
    bool is_failback; /* the decision; else a re-trip */
    uint32_t total;   /* results that the decision counted */
    uint32_t success;
    uint32_t results; /* canaries that ended during the recovery */
} sample_recovery;

/* `success_ppm` of attempts succeed at the recovering home; `results` are about to come for each pair. Fills in
 * SAMPLE_PAIRS recoveries. Runs in the source folder. */
void sample_run(uint32_t success_ppm, uint32_t results, uint64_t seed, sample_recovery *recovery);

#endif
