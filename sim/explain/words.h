/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens in a run, in words and with its numbers. */
#ifndef SIM_EXPLAIN_WORDS_H
#define SIM_EXPLAIN_WORDS_H

#include <stdio.h>

#include "experiment/records.h"
#include "explain/stored.h"

enum { EXP_NUMBER_SIZE = 48 };

/* "312.345678901 s": exact. */
void exp_put_time(FILE *out, int64_t ns);
/* "31.235 ms", "6.000 s" */
void exp_put_span(FILE *out, int64_t ns);
/* "0.90": as few decimals as it takes. */
void exp_put_share(FILE *out, int64_t ppm);
/* "200", "503/0", "connection refused", "answer lost" */
void exp_put_response(FILE *out, const rgn_response *response);
/* "West US, East US" or "none" */
void exp_put_regions(FILE *out, const sim_scenario *scenario, rgn_region_set regions);

const char *exp_wake(unsigned wake_kind); /* rgn_wake_kind */

/* The state of a partition at one client, on one line; `entry` NULL: healthy. */
void exp_put_entry(FILE *out, const exp_stored *run, const rgn_entry *entry, int64_t now);

/* "trip: 10 failures >= 10 ...; counting -> unhealthy; ..." */
void exp_put_transition(FILE *out, const exp_stored *run, const rgn_transition *transition);

#endif
