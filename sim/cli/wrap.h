/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SIM_CLI_WRAP_H
#define SIM_CLI_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Columns that the first `bytes` bytes of a UTF-8 text take on a screen. */
size_t cli_columns(const char *text, size_t bytes);

/* Prints words from column `indent` on, wrapped at `width` columns, and a line end; the cursor stands at `column`. A
 * line feed in the text begins a new line. */
void cli_put_wrapped(FILE *out, const char *text, int column, int indent, int width);

/* A message of one line or several, each ended by a line feed, wrapped if a person reads it on a terminal: in a file a
 * message stays one line. */
void cli_put_message(FILE *out, const char *text);

#endif
