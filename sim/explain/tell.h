/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printing what a narrator has heard. */
#ifndef SIM_EXPLAIN_TELL_H
#define SIM_EXPLAIN_TELL_H

#include "explain/narrator.h"

enum { EXP_SHOWN = 400, EXP_AROUND = 10 };

/* "flagship under success-rate, replication 0, seed 1 (run 1 of a.db)" */
void exp_print_title(const exp_stored *run);

/* Prints text after a time, wrapped. */
void exp_print_line(int64_t at, const char *text);

/* All lines, or with focus.at those around it and the state then. */
void exp_print_lines(const exp_narrator *narrator);

/* The state of the narrator's pair at focus.at, as a sentence; the caller frees it. NULL: no memory. */
char *exp_state_text(const exp_narrator *narrator);

/* Which lines lie around focus.at: [first, end). */
void exp_lines_around(const exp_narrator *narrator, size_t *first, size_t *end);

/* tell_json.c: the same as JSON, all lines of it that were kept; its parts: an object, and a list of lines [first,
 * end). */
void exp_put_json(FILE *out, const exp_narrator *narrator);
void exp_put_json_run(FILE *out, const exp_stored *run);
void exp_put_json_lines(FILE *out, const exp_narrator *narrator, size_t first, size_t end);

/* Looks for the operation among the arrivals. CLI_OK with client, partition and start filled in; else an exit status
 * after a complaint. */
int exp_find_operation(const exp_stored *run, uint64_t ordinal, exp_focus *focus);

#endif
