/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records under the behaviour digest, in words and with their numbers; engine/README.md has their layout. */
#ifndef SIM_EXPERIMENT_RECORDS_H
#define SIM_EXPERIMENT_RECORDS_H

#include <stdio.h>

#include "engine/engine.h"

/* The region's name, made fit for a screen by who prints it; "no region" for RGN_REGION_NONE. */
const char *sim_region_word(const sim_scenario *scenario, rgn_region region);
/* "6/7 = 0.857"; "0/0" */
void sim_put_ratio(FILE *out, uint64_t part, uint64_t whole);
const char *sim_phase_word(unsigned phase);       /* rgn_phase */
const char *sim_evidence_word(unsigned evidence); /* rgn_evidence */
/* "operation 44251 (shop)" */
void sim_put_operation(FILE *out, const sim_scenario *scenario, uint64_t ordinal);

/* A record, without its time. */
void sim_put_record(FILE *out, const sim_scenario *scenario, const sim_record_words *record);

/* In what two records differ, with both values: of the first and of the second. */
void sim_put_record_parts(FILE *out, const sim_scenario *const scenario[2], const sim_record_words *const record[2]);

/* What a record is about. */
typedef struct {
    uint8_t kind; /* SIM_RECORD_* */
    bool has_operation;
    uint64_t ordinal;
    bool has_client;
    bool has_partition;
    uint32_t client;
    uint32_t partition;
} sim_record_subject;
sim_record_subject sim_record_subject_of(const sim_record_words *record);

#endif
