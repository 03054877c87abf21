/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts from files and command lines on their way to a screen or a report. */
#ifndef SIM_CLI_CLEAN_H
#define SIM_CLI_CLEAN_H

#include <stddef.h>

enum { CLI_CLEAN_MAX = 400 }; /* bytes of a text that are shown */

/* Puts a space in the place of whatever must not be printed, line ends included (sim_text_unprintable()), and cuts what
 * is longer than CLI_CLEAN_MAX, between two characters and with "..." at the end. */
void cli_clean(char *text);

/* A clean copy; the caller frees it. NULL: no memory. */
char *cli_cleaned(const char *text);

#endif
