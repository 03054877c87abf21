/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency without time: lists of percentiles, and histograms. */
#ifndef SIM_IMPORT_CURVES_H
#define SIM_IMPORT_CURVES_H

#include "import/csv.h"

enum { IMP_POINTS_MAX = 64 };

typedef struct {
    double share; /* of all values, 0 to below 1, that are at most ... */
    double ns;
} imp_point;

typedef struct {
    const char *path; /* NULL: there is none */
    uint32_t count;
    imp_point point[IMP_POINTS_MAX]; /* rising in share, not falling in value */
} imp_curve;

bool imp_is_percentiles(const imp_csv *csv, const char *unit);
bool imp_is_histogram(const imp_csv *csv, const char *unit);

/* Columns p50, p99.9 and so on, with units, and maybe operation (or name): a row each for read and write, or one row
 * for both. False with `*error`. */
bool imp_percentiles_read(imp_csv *csv, const char *unit, imp_curve out[SIM_KINDS]);

/* Columns upper (or upper_bound, le) with a unit, rising, and count: what lies between the bound above and this one;
 * maybe operation. Of more than 40 bounds those at usual percentiles stay. False with `*error`. */
bool imp_histogram_read(imp_csv *csv, const char *unit, imp_curve out[SIM_KINDS]);

#endif
