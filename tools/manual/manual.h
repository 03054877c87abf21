/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a shell offers for a word of the command line, and the three writers. All is made from the tables of sim/cli. */
#ifndef TOOLS_MANUAL_H
#define TOOLS_MANUAL_H

#include <stdio.h>

#include "cli/options.h"

/* A kind of word. */
typedef enum {
    MANUAL_TEXT,     /* nothing can be offered */
    MANUAL_WORDS,    /* one of a few */
    MANUAL_FILE,     /* any file */
    MANUAL_SCENARIO, /* a YAML file */
    MANUAL_DATABASE, /* a file that ends in .db */
    MANUAL_TABLE,    /* a CSV file */
    MANUAL_POLICY,   /* the name of a policy, or a YAML file */
    MANUAL_KNOB,     /* a knob and '=' */
    MANUAL_METRIC,
    MANUAL_REGION,
    MANUAL_LIST, /* what `list` lists, then the names of what it is */
} manual_kind;

manual_kind manual_kind_of_option(const cli_option *option);
manual_kind manual_kind_of_operand(const cli_verb *verb);

/* Whether `option` belongs to `verb`. */
bool manual_has_option(const cli_verb *verb, const cli_option *option);

/* Words with blanks between them. */
void manual_put_choices(FILE *out, const cli_option *option);
void manual_put_knobs(FILE *out, const char *suffix);
void manual_put_metrics(FILE *out);
void manual_put_regions(FILE *out);
void manual_put_listed(FILE *out, const cli_verb *verb); /* of operands like "a|b|c [NAME...]": a b c */

void manual_write_man(FILE *out);
void manual_write_bash(FILE *out);
void manual_write_zsh(FILE *out);

#endif
