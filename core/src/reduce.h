/* SPDX-License-Identifier: MIT */
/* Pieces that breaker.c and failback.c share: the state table, transitions, counts, and how a recovery ends.
 *
 * The knobs that both sides ask are read in one place each, the questions at the end of this file. */
#ifndef REGIONCORE_SRC_REDUCE_H
#define REGIONCORE_SRC_REDUCE_H

#include <assert.h>

#include "entry.h"

/* One allowed state change. */
typedef struct {
    uint8_t before; /* rgn_phase */
    uint8_t reason; /* rgn_reason */
    uint8_t after;  /* rgn_phase */
} rgni_state_row;

/* The state table; `*count` rows. */
const rgni_state_row *rgni_state_table(size_t *count);
bool rgni_state_allows(rgn_phase before, rgn_reason reason, rgn_phase after);

/* What an event compared; see rgn_transition for the meaning of the numbers. */
typedef struct {
    rgn_reason reason;
    rgn_direction direction;
    rgn_region region;
    uint32_t failures;
    int64_t threshold;
    rgn_dur_ns elapsed;
} rgni_fact;

/* The entry is about to change: keeps what a transition tells of it as it was. Nothing is told before
 * rgni_story_tell(); what is kept may be kept anew. */
static inline void rgni_story_keep(rgni_story *story, const rgn_entry *before)
{
    rgn_transition *t = &story->transition[story->count];

    assert(story->count < RGNI_STORY_MAX);
    t->phase_before = before->phase;
    t->tripped_before = before->tripped;
    t->window_id = before->window_id;
    t->canary_total = before->canary_total;
    t->canary_success = before->canary_success;
    t->canary_in_flight = before->canary_in_flight;
}

/* Of an entry that may be dropped its last values, too. */
static inline void rgni_story_keep_all(rgni_story *story, const rgn_entry *last)
{
    rgn_transition *t = &story->transition[story->count];

    rgni_story_keep(story, last);
    t->first_failed = last->first_failed;
    t->current = last->current;
    t->cause = last->cause;
    t->failed = last->failed;
    t->generation = last->generation;
    t->jitter = last->jitter;
}

/* Appends the transition from what was kept to `after`, which must be in the state table. */
void rgni_story_tell(rgni_story *story, const rgni_scene *scene, const rgn_entry *after, const rgni_fact *fact);

/* Makes the entry absent and tells why. */
void rgni_entry_end(rgn_entry *entry, const rgni_scene *scene, const rgni_fact *fact, rgni_story *story);

/* Makes a counting entry that has counted nothing yet, whatever was there before. Draws a jitter. */
void rgni_entry_init(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region);

/* Turns an absent entry into such a one, and tells. */
void rgni_entry_create(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                       rgn_direction direction, rgni_story *story);

/* A jitter between 0 and half the dwell; draws it. */
rgn_dur_ns rgni_draw_jitter(const rgni_scene *scene);

/* First region in preference order that is not in `failed`; RGN_REGION_NONE if there is none. */
rgn_region rgni_next_region(const rgn_topology *topology, rgn_region_set failed);

void rgni_failed_add(rgn_entry *entry, rgn_region region);
void rgni_failed_clear(rgn_entry *entry);

/* The row of `region`, or RGN_COUNTED_REGIONS if its failures are not counted. Shared tally: always row 0. */
unsigned rgni_counts_find(const rgn_entry *entry, const rgn_options *options, rgn_region region);
/* The row of `region`, which joins if need be; the row with the fewest failures makes room. */
unsigned rgni_counts_join(rgn_entry *entry, rgn_share_tally *share, const rgn_options *options, rgn_region region);
/* The region of `row` leaves if it has nothing counted (not with a shared tally). */
void rgni_counts_leave_if_zero(rgn_entry *entry, rgn_share_tally *share, const rgn_options *options, unsigned row);
/* Clears every count; with counts of their own all regions leave. */
void rgni_counts_clear(rgn_entry *entry, rgn_share_tally *share, const rgn_options *options);
bool rgni_counts_are_zero(const rgn_entry *entry);

/* Forgets the recovery that ends with the entry kept: tally, times, sampler; takes a new generation. */
void rgni_recovery_clear(rgn_entry *entry, const rgni_scene *scene);

/* The entry counts again, untripped; ends its recovery if it has one. Counts and times other than the trip's stay. */
void rgni_entry_untrip(rgn_entry *entry, const rgni_scene *scene);

/* The recovery is given up: the entry trips again, or, where the trip is derived from the counts or there is none, it
 * starts counting from zero. Keeps `low_windows` if fact.reason is window_dwell. */
void rgni_recovery_abandon(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, const rgni_fact *fact,
                           rgni_story *story);

/* Strategy tentative: where the successes in that direction are counted. */
static inline uint32_t *rgni_successes_of(rgn_entry *entry, rgn_direction direction)
{
    return direction == RGN_READ ? &entry->read_successes : &entry->write_successes;
}

/* An ordinary success at a region on trial; `needed` of them end the recovery. */
void rgni_failback_on_trial_success(rgn_entry *entry, const rgni_scene *scene, rgn_direction direction, int64_t needed,
                                    rgni_story *story);

/* An ordinary success at `region`, which may begin a recovery. True if it did. */
bool rgni_failback_on_request(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                              rgn_direction direction, rgni_story *story);

/* breaker.tally: one count for all regions of the partition. */
static inline bool rgni_tally_is_shared(const rgn_options *options)
{
    return options->breaker_tally == RGN_TALLY_SHARED;
}
/* breaker.untripped_entries: untripped entries stay, and are promoted like tripped ones. */
static inline bool rgni_keeps_untripped(const rgn_options *options)
{
    return options->breaker_untripped_entries == RGN_UNTRIPPED_KEEP;
}
/* failback.failed_probe: a direction is tripped only as long as its count says so. */
static inline bool rgni_trips_are_derived(const rgn_options *options)
{
    return options->failback_failed_probe == RGN_FAILED_PROBE_UNTRIP;
}
/* FBK-30, failback.strategy: all traffic goes home while recovering, and counts. */
static inline bool rgni_is_tentative(const rgn_options *options)
{
    return options->failback_strategy == RGN_STRATEGY_TENTATIVE;
}
/* FBK-22, failback.strategy and probe_admission: all traffic goes home while recovering, the next result decides. */
static inline bool rgni_probes_with_all(const rgn_options *options)
{
    return options->failback_strategy == RGN_STRATEGY_PROBE && options->failback_probe_admission == RGN_PROBE_ALL;
}

#endif
