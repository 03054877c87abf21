/* SPDX-License-Identifier: MIT */
/* The entry: what a router remembers of a partition that has failed.
 *
 * A healthy partition has no entry. The first counted failure creates one; failback, exhaustion or age drops it.
 *
 *   phase       event                                        next        reason
 *   absent      failure counted                              counting    created
 *   counting    a region's count reaches its threshold       unhealthy   trip
 *   counting    last failure older than the reset window     absent      stale
 *   unhealthy   dwell + jitter over                          recovering  promote
 *   unhealthy   current region fails                         unhealthy   move
 *   recovering  sample at or above the success threshold     absent      failback
 *   recovering  sample below the floor                       unhealthy   retrip
 *   recovering  window over, undecided                       recovering  window_restart
 *   recovering  ramp staged: a sample that suffices          recovering  ramp
 *   recovering  strategy tentative: enough successes         absent      failback_tentative
 *   unhealthy   health region: one of several is promoted    unhealthy   promote
 *   unhealthy   strategy at_once: would be promoted          absent      failback_at_once
 *
 * (the whole table, with guards, is in core/README.md and, as data, in partition.c). */
#ifndef REGIONCORE_PARTITION_H
#define REGIONCORE_PARTITION_H

#include <regioncore/reason.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers reach files. */
typedef enum {
    RGN_PHASE_ABSENT = 0,
    RGN_PHASE_COUNTING = 1,
    RGN_PHASE_UNHEALTHY = 2,
    RGN_PHASE_RECOVERING = 3, /* strategy probe: probe candidate */
} rgn_phase;

typedef enum { RGN_CAUSE_NONE = 0, RGN_CAUSE_FAILURES = 1, RGN_CAUSE_HEDGE_WINS = 2 } rgn_cause;

enum {
    RGN_COUNTED_REGIONS = 4,   /* regions with counts of their own */
    RGN_FAILED_ORDER_MAX = 12, /* failed regions whose order is remembered */
};

/* Failures of one region since it joined the entry, by direction. `region` RGN_REGION_NONE: unused.
 * The array is kept in the order in which the regions joined. With breaker.tally `shared` row 0 holds the only counts,
 * in the bits of a signed 32-bit number. */
typedef struct {
    uint32_t failures[RGN_COUNTED_REGIONS][RGN_DIRECTIONS];
    rgn_region region[RGN_COUNTED_REGIONS];
} rgn_region_counts;

/* At most 128 bytes; what most events look at comes first. Times are RGN_TIME_NEVER where they are not set. */
typedef struct {
    rgn_time_ns recovering_since; /* promotion; NEVER unless recovering */
    rgn_time_ns window_start;     /* NEVER unless recovering */
    union {
        uint32_t canary_total;   /* results counted in this window */
        uint32_t read_successes; /* strategy tentative: since the last failed read of this recovery */
    };
    union {
        uint32_t canary_success;
        uint32_t write_successes; /* strategy tentative */
    };
    uint32_t canary_in_flight; /* sent in this window and not ended; strategy probe: 0 or 1 */
    uint32_t generation;       /* taken from the router's counter at creation and when a recovery ends */
    rgn_region_set failed;     /* all failed regions */
    uint16_t window_id;        /* windows restarted in this recovery */
    uint16_t low_windows;      /* windows in a row below the minimum sample */
    uint8_t phase;             /* rgn_phase */
    uint8_t tripped;           /* bit per rgn_direction */
    uint8_t cause;             /* rgn_cause */
    uint8_t sampler;           /* accumulator, 0..99 */
    rgn_region first_failed;   /* the canaries' target; NONE while counting (tally shared: the creator) */
    rgn_region current;        /* where tripped traffic goes; NONE while counting (tally shared: set from creation) */
    uint8_t failed_count;      /* entries used in failed_order */
    uint8_t stage;             /* failback.ramp: how often the share of canaries was raised in this recovery */
    rgn_time_ns first_failure;
    rgn_time_ns last_failure;
    rgn_dur_ns jitter;        /* added to the dwell: drawn at creation and at each re-trip or dwell, and what the memory
                                 of earlier trips adds */
    rgn_region_counts counts; /* breaker.tally shared: row 0, region = the entry's creator */
    rgn_region failed_order[RGN_FAILED_ORDER_MAX];
    rgn_time_ns trip_time; /* NEVER unless tripped */
} rgn_entry;

/* breaker.rule share only: kept beside the entry. */
typedef struct {
    rgn_time_ns window_start;
    uint32_t successes[RGN_COUNTED_REGIONS][RGN_DIRECTIONS]; /* rows as in rgn_region_counts */
} rgn_share_tally;

/* breaker.health region only: one region of a partition, since its status last changed. */
typedef struct {
    rgn_time_ns since; /* when it became unavailable; else without meaning */
    uint32_t failures[RGN_DIRECTIONS];
    uint32_t successes[RGN_DIRECTIONS]; /* on trial: since the last failure of that direction */
} rgn_region_health;

/* breaker.health region only: kept beside the entry, which tells routing and observers what follows from it. A region
 * in neither set is healthy, with failures or without. */
typedef struct {
    rgn_region_health region[RGN_REGIONS_MAX];
    rgn_region_set unavailable;
    rgn_region_set on_trial; /* healthy-tentative: all its traffic goes there */
} rgn_health;

/* A state change, with the numbers that were compared. Sent to the router's sink after the state is stored. */
typedef struct {
    rgn_time_ns at;
    rgn_partition partition;
    uint8_t reason;       /* rgn_reason */
    uint8_t direction;    /* rgn_direction of the event that caused it; of a sweep: RGN_READ */
    uint8_t phase_before; /* rgn_phase */
    uint8_t phase_after;
    uint8_t tripped_before; /* bit per direction */
    uint8_t tripped_after;
    rgn_region region; /* region of the event; NONE for background work (breaker.health region: the one promoted) */
    rgn_region first_failed; /* before a drop: its last values */
    rgn_region current;
    uint8_t cause; /* rgn_cause */
    rgn_region_set failed;
    uint32_t generation; /* after the change; of a drop: the dropped entry's */
    uint32_t window_id;
    uint32_t canary_total; /* tally as compared, before it was cleared */
    uint32_t canary_success;
    uint32_t canary_in_flight;
    uint32_t failures;  /* count compared with `threshold` (trip, trip_also, move) */
    int64_t threshold;  /* the knob compared with: count, parts per million or ns, by reason; 0 if none */
    rgn_dur_ns elapsed; /* time compared (promote: since the dwell began; window_*: since window_start); else 0 */
    rgn_dur_ns jitter;
} rgn_transition;

static inline bool rgn_entry_is_tripped(const rgn_entry *entry, rgn_direction direction)
{
    return ((entry->tripped >> direction) & 1) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
