/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Telemetry: what a service or its clients counted in each period, region and kind of operation. */
#ifndef SIM_IMPORT_SERIES_H
#define SIM_IMPORT_SERIES_H

#include "import/csv.h"

enum {
    IMP_REGIONS_MAX = RGN_REGIONS_MAX,
    IMP_STATUSES_MAX = 16,
    IMP_PERIODS_MAX = 10080, /* a week of minutes */
    IMP_LABEL_SIZE = 16,
};

/* What was counted in one period of one region and kind. */
typedef struct {
    double requests;
    double errors[IMP_STATUSES_MAX]; /* of the requests, by status */
    double p50;                      /* ns, over all requests, failed ones too */
    double p99;
    int line; /* where it stands; 0: there is no row, and nothing was sent */
} imp_cell;

typedef struct {
    const char *path;
    int64_t period; /* ns */
    uint32_t periods;
    uint32_t region_count;
    uint16_t region[IMP_REGIONS_MAX]; /* catalogue numbers; the first is home */
    uint32_t status_count;
    char status[IMP_STATUSES_MAX][IMP_LABEL_SIZE]; /* "503", "429/3092", "refused" or "no_reply" */
    bool has_kind[SIM_KINDS];
    imp_cell *cell; /* [(period * region_count + region) * SIM_KINDS + kind] */
} imp_series;

static inline imp_cell *imp_cell_at(const imp_series *self, uint32_t period, uint32_t region, int kind)
{
    return &self->cell[((size_t)period * self->region_count + region) * SIM_KINDS + (size_t)kind];
}

const char *imp_kind_name(int kind); /* "read", "write" */

/* Reads telemetry; the header says which columns there are:
 *
 *   time       ISO 8601 (with Z or an offset, or UTC) or seconds; time_s seconds, time_min or minute minutes, t_ms
 *              milliseconds. The shortest distance of two times is the period, on whose grid all of them lie.
 *   region     a region of the catalogue; without the column, `home`
 *   operation  read or write; without the column, read
 *   requests or count in the period, or rate or rate_per_s, or rate_per_min
 *   errors_STATUS in the period, or error_share_STATUS from 0 to 1; or error_share and status
 *   p50, p99   with a unit: p50_ms; or of `unit`
 *
 * STATUS is such as 503, 429/3092, refused or no_reply. Other columns are passed over. Rows may come in any order.
 * `home` is the first region; SIM_CATALOGUE_NONE: the one with most requests. Everything is on the reader's arena.
 * False with `*error`. */
bool imp_series_read(imp_csv *csv, uint16_t home, const char *unit, imp_series *out);

/* Whether a header is that of telemetry. */
bool imp_is_telemetry(const imp_csv *csv);

#endif
