/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: what all verbs share. */
#ifndef SIM_CLI_H
#define SIM_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/arguments.h"

/* Exit statuses; final. */
enum {
    CLI_OK = 0,
    CLI_EXPECTATION = 1,  /* an expectation failed, or something is worse than the baseline */
    CLI_USAGE = 2,        /* bad usage or input */
    CLI_IO = 3,           /* I/O, or no memory */
    CLI_INCONCLUSIVE = 4, /* no data to judge by */
    CLI_INTERNAL = 70,    /* a broken invariant */
    CLI_INTERRUPTED = 130,
};

/* Each verb returns an exit status. */
int cli_run(const cli_arguments *arguments);
int cli_compare(const cli_arguments *arguments);
int cli_check(const cli_arguments *arguments);
int cli_validate(const cli_arguments *arguments);
int cli_schema(const cli_arguments *arguments);
int cli_list(const cli_arguments *arguments);
int cli_sweep(const cli_arguments *arguments);
int cli_tune(const cli_arguments *arguments);
int cli_report(const cli_arguments *arguments);  /* sim/report/verb.c */
int cli_explain(const cli_arguments *arguments); /* sim/explain/verb.c */
int cli_trace(const cli_arguments *arguments);   /* sim/explain/verb_trace.c */
int cli_import(const cli_arguments *arguments);  /* sim/import/verb.c */
int cli_export(const cli_arguments *arguments);  /* sim/import/verb_export.c */

/* list knobs --effective; `is_picked` has a place for each knob. */
int cli_list_effective(const cli_arguments *arguments, const bool *is_picked);

/* This process's variables, as far as they concern the core. */
const char *cli_look_up_cosmos(void *context, const char *variable);

/* Prints "regionsim: <message>" on stderr and returns CLI_USAGE. */
int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a word that is not among `candidates`: adds the nearest one. */
int cli_complain_of_word(const char *kind, const char *word, const char *const *candidates, size_t count);

/* Writes one argument so that a shell reads it back as it was. */
void cli_quote(FILE *out, const char *argument);

#endif
