/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SIM_CLI_WRAP_H
#define SIM_CLI_WRAP_H

#include <stdio.h>

/* Prints words from column `indent` on, wrapped at 80 columns, and a line end; the cursor stands at `column`. */
void cli_put_wrapped(FILE *out, const char *text, int column, int indent);

#endif
