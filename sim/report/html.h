/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as HTML, and tables.
 *
 * Whatever comes from a database goes through rep_text(): it cannot end an element, open one, or turn the direction of
 * what stands around it. */
#ifndef SIM_REPORT_HTML_H
#define SIM_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { REP_NUMBER_SIZE = 32, REP_NAME_MAX = 200 };

/* Escaped; a line feed and a tab stay, every other control and mark of writing direction becomes U+FFFD. */
void rep_text(FILE *out, const char *text);

/* A name, cut after REP_NAME_MAX bytes; in an element that isolates its writing direction unless it is all ASCII. */
void rep_name(FILE *out, const char *name);

/* A number with four significant digits and no exponent; "0" for zero. */
void rep_number(double value, char out[REP_NUMBER_SIZE]);

/* "<div class=scroll><table id=ID><caption>CAPTION<thead>...": caption and headings are texts; `id` needs no
 * quotes and may be followed by more attributes. */
void rep_table_open(FILE *out, const char *id, const char *caption, const char *const *heading, size_t count);
void rep_table_close(FILE *out);

/* A cell of a number, or of a dash where there is none. */
void rep_cell(FILE *out, bool has_value, double value);

#endif
