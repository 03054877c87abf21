/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of round trips between regions, of whatever shape, for the program's own shape. */
#ifndef SIM_IMPORT_DISTANCES_H
#define SIM_IMPORT_DISTANCES_H

#include "import/csv.h"

typedef struct {
    const char *path;
    const char *statistic; /* the name of the column taken for the median */
    size_t regions;        /* of the catalogue */
    double *median;        /* ns, [from * regions + to]; negative: not listed. A region's own round trip may be there */
    double *p95;           /* the same, where the table has it; NULL: it has none */
    uint16_t first;        /* the first region named */
} imp_distances;

bool imp_is_distances(const imp_csv *csv);

/* Columns src, dst, and p50 (else median, avg, mean) with a unit; maybe p95. A region may be "gcp--us-central1". Of a
 * pair that is listed for several values of the column date the last one counts. False with `*error`. */
bool imp_distances_read(imp_csv *csv, const char *unit, imp_distances *out);

/* ns between two regions; where the pair is listed one way only, that way. Negative: in neither. */
double imp_distance(const imp_distances *self, uint16_t from, uint16_t to);

/* Writes it as `network.round_trip` wants it: src,dst,p50_ms...,p95_ms..., pairs in the catalogue's order. */
void imp_distances_write(const imp_distances *self, FILE *out);

#endif
