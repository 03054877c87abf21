/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SIM_CLI_SCREEN_H
#define SIM_CLI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

enum { CLI_SCREEN_MIN = 40, CLI_SCREEN_DEFAULT = 100, CLI_PROSE_WIDTH = 80, CLI_SCREEN_LINES = 40 };

/* Columns that output may take: the environment's COLUMNS, or else the terminal's, or else CLI_SCREEN_DEFAULT. */
int cli_screen_width(FILE *out);

/* Whether somebody reads there: a terminal, or the environment's COLUMNS says how wide it is. */
bool cli_has_screen(FILE *out);

/* Lines that output may take: the environment's LINES, or else the terminal's, or else CLI_SCREEN_LINES. */
int cli_screen_height(FILE *out);

/* Columns for running text, which is hard to read in long lines. */
int cli_prose_width(FILE *out);

#endif
