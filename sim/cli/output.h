/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result files beside the text, whole or not at all; texts made in memory. */
#ifndef SIM_CLI_OUTPUT_H
#define SIM_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/arguments.h"

/* Has `put` write to a file of that name, or at the end of a symbolic link, or standard output for "-". The file gets
 * its name only once it is complete, and never that of a database. False after a complaint. */
bool cli_output_write(const char *path, void (*put)(void *context, FILE *out), void *context);

/* Can the files that the options name be written, and would none take the place of what the command reads, or of one
 * another? Asked before hours of work. CLI_OK, or the exit status after a complaint. */
int cli_outputs_check(const cli_arguments *arguments);

/* A text that printf would make; the caller frees it. NULL: no memory. */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
