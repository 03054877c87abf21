/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens in a run, in words and with its numbers. */
#ifndef SIM_EXPLAIN_WORDS_H
#define SIM_EXPLAIN_WORDS_H

#include <stdio.h>

#include "explain/stored.h"

enum { EXP_NUMBER_SIZE = 48 };

/* The region's name, made fit for a screen by who prints it; "no region" for RGN_REGION_NONE. */
const char *exp_region(const sim_scenario *scenario, rgn_region region);

/* "312.345678901 s": exact. */
void exp_put_time(FILE *out, int64_t ns);
/* "31.235 ms", "6.000 s" */
void exp_put_span(FILE *out, int64_t ns);
/* "6/7 = 0.857"; "0/0" */
void exp_put_ratio(FILE *out, uint64_t part, uint64_t whole);
/* "0.90": as few decimals as it takes. */
void exp_put_share(FILE *out, int64_t ppm);
/* "200", "503/0", "connection refused", "answer lost" */
void exp_put_response(FILE *out, const rgn_response *response);
/* "West US, East US" or "none" */
void exp_put_regions(FILE *out, const sim_scenario *scenario, rgn_region_set regions);

const char *exp_phase(unsigned phase);       /* rgn_phase */
const char *exp_evidence(unsigned evidence); /* rgn_evidence */
const char *exp_wake(unsigned wake_kind);    /* rgn_wake_kind */

/* "operation 44251 (shop)" */
void exp_put_operation(FILE *out, const sim_scenario *scenario, uint64_t ordinal);

/* The state of a partition at one client, on one line; `entry` NULL: healthy. */
void exp_put_entry(FILE *out, const exp_stored *run, const rgn_entry *entry, int64_t now);

/* "trip: 10 failures >= 10 ...; counting -> unhealthy; ..." */
void exp_put_transition(FILE *out, const exp_stored *run, const rgn_transition *transition);

/* A record under the behaviour digest, without its time. */
void exp_put_record(FILE *out, const exp_stored *run, const sim_record_words *record);

/* In what two records differ, with both values. */
void exp_put_parts(FILE *out, const exp_stored *const run[2], const sim_record_words *const record[2]);

/* What a record is about. */
typedef struct {
    uint8_t kind; /* SIM_RECORD_* */
    bool has_operation;
    uint64_t ordinal;
    bool has_client;
    bool has_partition;
    uint32_t client;
    uint32_t partition;
} exp_subject;
exp_subject exp_subject_of(const sim_record_words *record);

#endif
