/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults found in telemetry: the healthy state of each region and kind, and the stretches that depart from it, as
 * levels that hold for some periods.
 *
 * The rule, for each region and kind, over the periods with requests:
 *   1. a period departs if, against the medians of all periods, its p50 differs by more than a quarter (50 requests at
 *      least), its p99 by more than a half (1000 requests at least), or the share of one status is higher by more than
 *      half a percentage point and by more than chance (three standard errors, three errors at least);
 *   2. the same again, against the periods that did not depart: medians of p50 and p99, all their errors by all their
 *      requests. That is the healthy state. If every period departs, all of them make it, and may depart from it still.
 *   3. Neighbours among departing periods share a level while each share is within three standard errors and each
 *      percentile within 3 % of the level's mean so far (10 % where there are too few requests to tell). */
#ifndef SIM_IMPORT_LEVELS_H
#define SIM_IMPORT_LEVELS_H

#include "import/series.h"

/* What holds for a while. */
typedef struct {
    uint32_t from;   /* period; until the next level's */
    bool departs;    /* from the healthy state */
    double requests; /* that it was made from */
    double share[IMP_STATUSES_MAX];
    double p50; /* ns */
    double p99;
} imp_level;

typedef struct {
    bool is_there; /* there are requests of this kind in this region */
    imp_level healthy;
    uint32_t healthy_periods;
    uint32_t departing_periods;
    uint32_t count;
    imp_level *level; /* the first from period 0 */
} imp_line;

/* Requests a second of a region that hold for a while: a period joins while it is within three standard errors, as
 * Poisson arrivals have them, of the mean so far. */
typedef struct {
    uint32_t from;
    double per_s;
} imp_rate;

typedef struct {
    imp_line line[IMP_REGIONS_MAX][SIM_KINDS];
    uint32_t rate_count[IMP_REGIONS_MAX];
    imp_rate *rate[IMP_REGIONS_MAX];
    double kind_share[IMP_REGIONS_MAX][SIM_KINDS]; /* of the region's requests */
} imp_levels;

/* On the arena. */
void imp_levels_find(sim_arena *arena, const imp_series *series, imp_levels *out);

#endif
