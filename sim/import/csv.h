/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as other programs write them: a header, commas, quoted fields, either line end. Every complaint has a place.
 */
#ifndef SIM_IMPORT_CSV_H
#define SIM_IMPORT_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/arena.h"
#include "scenario/scenario.h"

enum { IMP_COLUMNS_MAX = 64 };

typedef struct {
    const char *text; /* without its quotes, on the arena */
    int column;       /* byte of the line, from 1 */
} imp_field;

typedef struct {
    sim_arena *arena;
    const char *path;
    const char *rest; /* not yet read */
    const char *end;
    int line; /* of the fields, from 1 */
    int header_count;
    const char *header[IMP_COLUMNS_MAX];
    int header_column[IMP_COLUMNS_MAX];
    int header_line;
    bool *used; /* [column of the header]: somebody has asked for it */
    imp_field field[IMP_COLUMNS_MAX];
    sim_input_error *error;
} imp_csv;

/* Reads the header. The texts must outlive the reader. False with `*error`. */
bool imp_csv_open(imp_csv *self, sim_arena *arena, const char *path, const char *text, size_t length,
                  sim_input_error *error);

/* Reads the next row, which has as many fields as the header; blank lines are passed over. False at the end, where
 * error->message is empty, or with `*error`. */
bool imp_csv_next(imp_csv *self);

/* The header's column of that name; -1: there is none. */
int imp_csv_find(const imp_csv *self, const char *name);

/* False with "found '...', expected <format>" at a field of the row, or of the header. */
bool imp_csv_refuse(const imp_csv *self, int field, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool imp_csv_refuse_header(const imp_csv *self, int field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A decimal number in [min, max], in plain or scientific notation; `what` says what it is. */
bool imp_csv_number(const imp_csv *self, int field, double min, double max, const char *what, double *out);

/* The catalogue number of a region, whose name may have capitals and blanks ("East US 2"). */
bool imp_csv_region(const imp_csv *self, int field, uint16_t *region);
uint16_t imp_region_find(const char *name);

/* Puts '?' in the place of each byte that is no UTF-8. */
void imp_make_utf8(char *text);

/* Nanoseconds of "ns", "us", "ms" or "s"; 0: it is none of them. */
double imp_unit_ns(const char *unit);
/* Whether a column's name is `stem` and a unit, and perhaps more: "p99_us", "p50_ms_2026_03"; without one it is of the
 * unit `fallback`. Only then does `*unit_ns` change. */
bool imp_is_measured(const char *name, const char *stem, const char *fallback, double *unit_ns);

#endif
