/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result files beside the text: whole or not at all. */
#ifndef SIM_CLI_OUTPUT_H
#define SIM_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Has `put` write to a file of that name, or standard output for "-". The file gets its name only once it is complete.
 * False after a complaint. */
bool cli_output_write(const char *path, void (*put)(void *context, FILE *out), void *context);

#endif
