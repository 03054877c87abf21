/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table; private to parsing, help, manual and completion. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include "cli/arguments.h"

enum {
    CLI_FOR_RUN = 1,
    CLI_FOR_VALIDATE = 2,
    CLI_FOR_SCHEMA = 4,
    CLI_FOR_LIST = 8,
    CLI_FOR_COMPARE = 16,
    CLI_FOR_CHECK = 32,
    CLI_FOR_REPORT = 64,
    CLI_FOR_SWEEP = 128,
    CLI_FOR_EXPLAIN = 256,
    CLI_FOR_TRACE = 512,
    CLI_FOR_IMPORT = 1024,
    CLI_FOR_EXPORT = 2048,
    CLI_FOR_TUNE = 4096,
    CLI_FOR_ALL = 8191,
    CLI_FOR_RUNNING = CLI_FOR_RUN | CLI_FOR_COMPARE | CLI_FOR_CHECK | CLI_FOR_SWEEP | CLI_FOR_TUNE,
};

typedef struct {
    const char *name;
    const char *argument; /* NULL: the option takes none */
    unsigned verbs;       /* CLI_FOR_* */
    const char *meaning;
    /* Takes the text in (NULL for an option without argument); false after a complaint. */
    bool (*apply)(cli_arguments *arguments, const char *text);
} cli_option;

extern const cli_option cli_options[];
extern const size_t cli_option_count;

/* The words that an option chooses from, ended by NULL; NULL: it takes any text, or none. */
const char *const *cli_option_choices(const cli_option *option);

typedef struct {
    int status; /* CLI_OK and so on */
    const char *meaning;
} cli_status;

extern const cli_status cli_statuses[]; /* every exit status, ascending */
extern const size_t cli_status_count;
extern const char cli_about[]; /* what the program does, a sentence */

/* The bit of a verb. */
unsigned cli_verb_bit(const cli_verb *verb);

#endif
