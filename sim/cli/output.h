/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result files beside the text, whole or not at all; texts made in memory. */
#ifndef SIM_CLI_OUTPUT_H
#define SIM_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether there is an SQLite database of that name. A result that took its place would be a loss. */
bool cli_is_database(const char *path);

/* Has `put` write to a file of that name, or at the end of a symbolic link, or standard output for "-". The file gets
 * its name only once it is complete, and never that of a database. False after a complaint. */
bool cli_output_write(const char *path, void (*put)(void *context, FILE *out), void *context);

/* A text that printf would make; the caller frees it. NULL: no memory. */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
