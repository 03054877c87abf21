/* SPDX-License-Identifier: MIT */
/* Reducers over what lies beside a partition's entry: the override of automatic failover, and the hedge wins in a row.
 * They are pure: they neither store nor lock nor draw. */
#ifndef REGIONCORE_SRC_FAILOVER_H
#define REGIONCORE_SRC_FAILOVER_H

#include <regioncore/classify.h>
#include <regioncore/failover.h>
#include <regioncore/options.h>
#include <regioncore/reason.h>
#include <regioncore/routing.h>

/* FLO-1: automatic failover covers writes of a known partition where one region takes them and others can be read. */
static inline bool rgni_failover_covers(const rgn_topology *topology, rgn_direction direction)
{
    return topology->automatic_failover && direction == RGN_WRITE && !topology->multi_write &&
           topology->read_order.count > 1;
}

/* A write failed at `region`, or a read that looks for the hub was refused there. Returns what happened:
 * RGN_REASON_NONE if nothing but the set of failed regions changed. */
rgn_reason rgni_override_on_failure(rgn_override *override, const rgn_topology *topology, rgn_region region,
                                    rgn_time_ns now);

/* `region` answered as the partition's hub. */
rgn_reason rgni_override_on_hub(rgn_override *override, rgn_region region, rgn_time_ns now);

/* FLO-5: the answer shows that the request reached a region which could have served it. */
bool rgni_confirms_region(const rgn_response *response);

/* FLO-9: hedge wins in a row by the region that lost. RGN_REGION_NONE, a primary of unknown region, has a row of its
 * own. Rows are kept in the order in which they joined; a full table gives up the row with the fewest wins.
 *
 * This is for a partition that has rows of several regions, or a long one. Nearly all have one short row: see
 * rgni_few_wins. */
enum { RGNI_WIN_ROWS = 12 };
typedef struct {
    uint32_t wins[RGNI_WIN_ROWS];
    rgn_region region[RGNI_WIN_ROWS];
    uint8_t count; /* rows used */
} rgni_win_counts;

/* One more win (saturating); the number it makes. */
uint32_t rgni_wins_add(rgni_win_counts *counts, rgn_region region);
void rgni_wins_clear(rgni_win_counts *counts, rgn_region region);
uint32_t rgni_wins_of(const rgni_win_counts *counts, rgn_region region);

/* A partition's only row while it is short: the region in the upper byte, its wins in the lower one; 0: no wins. A
 * partition has either this or rows. */
typedef uint16_t rgni_few_wins;
enum { RGNI_FEW_WINS_MAX = UINT8_MAX };

static inline rgni_few_wins rgni_few_wins_of(rgn_region region, unsigned wins)
{
    return (rgni_few_wins)((unsigned)region << 8 | wins);
}

static inline rgn_region rgni_few_wins_region(rgni_few_wins few)
{
    return (rgn_region)(few >> 8);
}

static inline unsigned rgni_few_wins_count(rgni_few_wins few)
{
    return few & RGNI_FEW_WINS_MAX;
}

/* Makes it the first of the rows, if it is one: there are none then. */
void rgni_few_wins_add(rgni_few_wins few, rgni_win_counts *counts);

/* FLO-13: writes of the partition that were cut. */
typedef struct {
    rgn_time_ns since; /* the window is measured from here */
    uint32_t count;    /* 0: none */
} rgni_cut_writes;

/* One more (saturating); the number it makes. */
uint32_t rgni_cuts_add(rgni_cut_writes *cuts, const rgn_options *options, rgn_time_ns now);
/* They are to be forgotten. */
bool rgni_cuts_are_old(const rgni_cut_writes *cuts, const rgn_options *options, rgn_time_ns now);

#endif
