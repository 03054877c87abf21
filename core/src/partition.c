/* SPDX-License-Identifier: MIT */
#include "reduce.h"

#include <assert.h>
#include <string.h>

/* The state machine as data: ROW(before, reason, after, b, a); `b` and `a` are handed on. Every transition is checked
 * against it. */
#define STATE_TABLE(ROW, b, a)                                                               \
    ROW(ABSENT, CREATED, COUNTING, b, a)                                                     \
    ROW(ABSENT, TRIP_HEDGE, UNHEALTHY, b, a)                                                 \
    ROW(COUNTING, TRIP, UNHEALTHY, b, a)                                                     \
    ROW(COUNTING, TRIP_HEDGE, UNHEALTHY, b, a)                                               \
    ROW(COUNTING, EXHAUSTED, ABSENT, b, a)                                                   \
    ROW(COUNTING, STALE, ABSENT, b, a)                                                       \
    ROW(COUNTING, CLEARED, ABSENT, b, a)                                                     \
    ROW(COUNTING, PROMOTE, RECOVERING, b, a)      /* untripped entries are kept */           \
    ROW(COUNTING, FAILBACK_AT_ONCE, ABSENT, b, a) /* likewise */                             \
    ROW(COUNTING, REGION_REMOVED, ABSENT, b, a)                                              \
    ROW(COUNTING, FLAG_EDGE, ABSENT, b, a)                                                   \
    ROW(COUNTING, FORGOTTEN, ABSENT, b, a)                                                   \
    ROW(UNHEALTHY, TRIP_ALSO, UNHEALTHY, b, a)                                               \
    ROW(UNHEALTHY, MOVE, UNHEALTHY, b, a)                                                    \
    ROW(UNHEALTHY, EXHAUSTED, ABSENT, b, a)                                                  \
    ROW(UNHEALTHY, PROMOTE, RECOVERING, b, a)                                                \
    ROW(UNHEALTHY, PROMOTE_REQUEST, RECOVERING, b, a)                                        \
    ROW(UNHEALTHY, PROMOTE, UNHEALTHY, b, a)         /* health region: one of several ... */ \
    ROW(UNHEALTHY, PROMOTE_REQUEST, UNHEALTHY, b, a) /* ... regions */                       \
    ROW(UNHEALTHY, FAILBACK_TENTATIVE, UNHEALTHY, b, a)                                      \
    ROW(UNHEALTHY, FAILBACK_AT_ONCE, ABSENT, b, a)                                           \
    ROW(UNHEALTHY, UNTRIP_WINDOW, UNHEALTHY, b, a) /* one of two directions */               \
    ROW(UNHEALTHY, UNTRIP_WINDOW, COUNTING, b, a)                                            \
    ROW(UNHEALTHY, REGION_REMOVED, ABSENT, b, a)                                             \
    ROW(UNHEALTHY, FLAG_EDGE, ABSENT, b, a)                                                  \
    ROW(UNHEALTHY, FORGOTTEN, ABSENT, b, a)                                                  \
    ROW(RECOVERING, TRIP, UNHEALTHY, b, a)       /* an untripped entry that was promoted */  \
    ROW(RECOVERING, TRIP_HEDGE, UNHEALTHY, b, a) /* in place of an open probe */             \
    ROW(RECOVERING, TRIP_ALSO, RECOVERING, b, a)                                             \
    ROW(RECOVERING, MOVE, RECOVERING, b, a)                                                  \
    ROW(RECOVERING, EXHAUSTED, ABSENT, b, a)                                                 \
    ROW(RECOVERING, FAILBACK, ABSENT, b, a)                                                  \
    ROW(RECOVERING, FAILBACK_SEQUENTIAL, ABSENT, b, a)                                       \
    ROW(RECOVERING, FAILBACK_SINGLE, ABSENT, b, a)                                           \
    ROW(RECOVERING, FAILBACK_PROBE, ABSENT, b, a)                                            \
    ROW(RECOVERING, FAILBACK_TENTATIVE, ABSENT, b, a)                                        \
    ROW(RECOVERING, FAILBACK_TENTATIVE, RECOVERING, b, a) /* health region: others go on */  \
    ROW(RECOVERING, FAILBACK_TENTATIVE, COUNTING, b, a)                                      \
    ROW(RECOVERING, RETRIP, UNHEALTHY, b, a)                                                 \
    ROW(RECOVERING, RETRIP_SEQUENTIAL, UNHEALTHY, b, a)                                      \
    ROW(RECOVERING, RETRIP_SINGLE, UNHEALTHY, b, a)                                          \
    ROW(RECOVERING, RETRIP_PROBE, UNHEALTHY, b, a)                                           \
    ROW(RECOVERING, RETRIP_JUDGE, UNHEALTHY, b, a)                                           \
    ROW(RECOVERING, RETRIP_MAX, UNHEALTHY, b, a)                                             \
    ROW(RECOVERING, WINDOW_DWELL, UNHEALTHY, b, a)                                           \
    ROW(RECOVERING, WINDOW_RESTART, RECOVERING, b, a)                                        \
    ROW(RECOVERING, RAMP, RECOVERING, b, a)                                                  \
    ROW(RECOVERING, UNTRIP_PROBE, COUNTING, b, a)                                            \
    ROW(RECOVERING, UNTRIP_WINDOW, RECOVERING, b, a) /* one of two directions */             \
    ROW(RECOVERING, UNTRIP_WINDOW, COUNTING, b, a)                                           \
    ROW(RECOVERING, REGION_REMOVED, ABSENT, b, a)                                            \
    ROW(RECOVERING, FLAG_EDGE, ABSENT, b, a)                                                 \
    ROW(RECOVERING, FORGOTTEN, ABSENT, b, a)

#define STATE_ROW(before, reason, after, b, a) {RGN_PHASE_##before, RGN_REASON_##reason, RGN_PHASE_##after},
#define STATE_BIT(before, reason, after, b, a) \
    | (RGN_PHASE_##before == (b) && RGN_PHASE_##after == (a) ? UINT64_C(1) << RGN_REASON_##reason : 0)
/* The reasons for which the table lets phase `a` follow `b`. */
#define REASONS(b, a) (UINT64_C(0) STATE_TABLE(STATE_BIT, b, a))
#define REASONS_AFTER(b)                                           \
    {                                                              \
        REASONS(b, 0), REASONS(b, 1), REASONS(b, 2), REASONS(b, 3) \
    }

enum { PHASES = RGN_PHASE_RECOVERING + 1, REASONS_MAX = 64 };

static const rgni_state_row state_table[] = {STATE_TABLE(STATE_ROW, 0, 0)};
static const uint64_t state_reasons[PHASES][PHASES] = {REASONS_AFTER(0), REASONS_AFTER(1), REASONS_AFTER(2),
                                                       REASONS_AFTER(3)};

const rgni_state_row *rgni_state_table(size_t *count)
{
    *count = sizeof state_table / sizeof state_table[0];
    return state_table;
}

bool rgni_state_allows(rgn_phase before, rgn_reason reason, rgn_phase after)
{
    return (unsigned)reason < REASONS_MAX && (state_reasons[before][after] >> reason & 1) != 0;
}

void rgni_story_tell(rgni_story *story, const rgni_scene *scene, const rgn_entry *after, const rgni_fact *fact)
{
    rgn_transition *t = &story->transition[story->count++];

    assert(rgni_state_allows((rgn_phase)t->phase_before, fact->reason, (rgn_phase)after->phase));
    t->at = scene->now;
    t->partition = scene->partition;
    t->reason = (uint8_t)fact->reason;
    t->direction = (uint8_t)fact->direction;
    t->phase_after = after->phase;
    t->tripped_after = after->tripped;
    t->region = fact->region;
    t->failures = fact->failures;
    t->threshold = fact->threshold;
    t->elapsed = fact->elapsed;
    if (after->phase == RGN_PHASE_ABSENT)
        return;
    t->first_failed = after->first_failed;
    t->current = after->current;
    t->cause = after->cause;
    t->failed = after->failed;
    t->generation = after->generation;
    t->jitter = after->jitter;
}

/* In halves: for the whole of it compilers take a string instruction, which begins slowly. */
static inline void entry_clear(rgn_entry *entry)
{
    memset(entry, 0, sizeof *entry / 2);
    memset((char *)entry + sizeof *entry / 2, 0, sizeof *entry - sizeof *entry / 2);
}

void rgni_entry_end(rgn_entry *entry, const rgni_scene *scene, const rgni_fact *fact, rgni_story *story)
{
    rgni_story_keep_all(story, entry);
    entry_clear(entry);
    rgni_story_tell(story, scene, entry, fact);
}

void rgni_entry_drop(rgn_entry *entry, const rgni_scene *scene, rgn_reason reason, rgni_story *story)
{
    rgni_entry_end(entry, scene, &(rgni_fact){.reason = reason, .region = RGN_REGION_NONE}, story);
}

/* BRK-15: both failure times are those of the failure that creates the entry. */
void rgni_entry_init(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region)
{
    bool is_shared = rgni_tally_is_shared(scene->options);
    entry_clear(entry);
    entry->phase = RGN_PHASE_COUNTING;
    entry->first_failure = scene->now;
    entry->last_failure = scene->now;
    entry->trip_time = RGN_TIME_NEVER;
    entry->recovering_since = RGN_TIME_NEVER;
    entry->window_start = RGN_TIME_NEVER;
    entry->jitter = rgni_draw_jitter(scene);
    entry->generation = ++*scene->generation;
    entry->first_failed = is_shared ? region : RGN_REGION_NONE;
    entry->current = entry->first_failed;
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
        entry->counts.region[row] = RGN_REGION_NONE;
    if (is_shared)
        entry->counts.region[0] = region;
    if (share != NULL)
        *share = (rgn_share_tally){.window_start = scene->now};
}

void rgni_entry_create(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                       rgn_direction direction, rgni_story *story)
{
    rgni_fact fact = {.reason = RGN_REASON_CREATED, .direction = direction, .region = region};
    assert(entry->phase == RGN_PHASE_ABSENT);
    rgni_story_keep(story, entry);
    rgni_entry_init(entry, share, scene, region);
    rgni_story_tell(story, scene, entry, &fact);
}

/* FBK-20: from 0 up to half the dwell. */
rgn_dur_ns rgni_draw_jitter(const rgni_scene *scene)
{
    int64_t half = scene->options->failback_partition_unavailability_duration / 2;
    uint64_t bound = half > 0 ? (uint64_t)half : 1;
    uint64_t drawn = scene->random->below(scene->random->context, RGN_DRAW_JITTER, scene->partition, bound);
    assert(drawn < bound);
    return (rgn_dur_ns)drawn;
}

/* BRK-3: preference order is the read list's, for writes too. */
rgn_region rgni_next_region(const rgn_topology *topology, rgn_region_set failed)
{
    for (unsigned i = 0; i < topology->read_order.count; i++)
        if (!rgn_region_in(failed, topology->read_order.region[i]))
            return topology->read_order.region[i];
    return RGN_REGION_NONE;
}

/* BRK-14: the order of the first twelve, a mask of all. */
void rgni_failed_add(rgn_entry *entry, rgn_region region)
{
    if (rgn_region_in(entry->failed, region))
        return;
    entry->failed |= rgn_region_bit(region);
    if (entry->failed_count < RGN_FAILED_ORDER_MAX)
        entry->failed_order[entry->failed_count++] = region;
}

void rgni_failed_clear(rgn_entry *entry)
{
    entry->failed = 0;
    entry->failed_count = 0;
    memset(entry->failed_order, 0, sizeof entry->failed_order);
}

unsigned rgni_counts_find(const rgn_entry *entry, const rgn_options *options, rgn_region region)
{
    if (rgni_tally_is_shared(options))
        return 0;
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
        if (entry->counts.region[row] == region)
            return row;
    return RGN_COUNTED_REGIONS;
}

/* Later rows move up, so that the order of joining stays. */
static void counts_remove(rgn_entry *entry, rgn_share_tally *share, unsigned row)
{
    rgn_region_counts *counts = &entry->counts;
    for (unsigned i = row; i < RGN_COUNTED_REGIONS; i++) {
        bool is_last = i + 1 == RGN_COUNTED_REGIONS;
        counts->region[i] = is_last ? RGN_REGION_NONE : counts->region[i + 1];
        for (unsigned d = 0; d < RGN_DIRECTIONS; d++) {
            counts->failures[i][d] = is_last ? 0 : counts->failures[i + 1][d];
            if (share != NULL)
                share->successes[i][d] = is_last ? 0 : share->successes[i + 1][d];
        }
    }
}

static uint64_t counts_of(const rgn_entry *entry, unsigned row)
{
    return (uint64_t)entry->counts.failures[row][RGN_READ] + entry->counts.failures[row][RGN_WRITE];
}

/* BRK-4: of several rows with the fewest failures the first, which joined first. */
unsigned rgni_counts_join(rgn_entry *entry, rgn_share_tally *share, const rgn_options *options, rgn_region region)
{
    unsigned row = rgni_counts_find(entry, options, region);
    if (row < RGN_COUNTED_REGIONS)
        return row;
    if (entry->counts.region[RGN_COUNTED_REGIONS - 1] != RGN_REGION_NONE) {
        unsigned fewest = 0;
        for (unsigned i = 1; i < RGN_COUNTED_REGIONS; i++)
            if (counts_of(entry, i) < counts_of(entry, fewest))
                fewest = i;
        counts_remove(entry, share, fewest);
    }
    for (row = 0; entry->counts.region[row] != RGN_REGION_NONE; row++) {
    }
    entry->counts.region[row] = region;
    return row;
}

void rgni_counts_leave_if_zero(rgn_entry *entry, rgn_share_tally *share, const rgn_options *options, unsigned row)
{
    if (counts_of(entry, row) == 0 && !rgni_tally_is_shared(options))
        counts_remove(entry, share, row);
}

void rgni_counts_clear(rgn_entry *entry, rgn_share_tally *share, const rgn_options *options)
{
    memset(entry->counts.failures, 0, sizeof entry->counts.failures);
    for (unsigned row = rgni_tally_is_shared(options) ? 1 : 0; row < RGN_COUNTED_REGIONS; row++)
        entry->counts.region[row] = RGN_REGION_NONE;
    if (share != NULL)
        memset(share->successes, 0, sizeof share->successes);
}

bool rgni_counts_are_zero(const rgn_entry *entry)
{
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
        if (counts_of(entry, row) != 0)
            return false;
    return true;
}

/* FBK-25: what is still in flight belongs to an earlier generation from here on. */
void rgni_recovery_clear(rgn_entry *entry, const rgni_scene *scene)
{
    entry->recovering_since = RGN_TIME_NEVER;
    entry->window_start = RGN_TIME_NEVER;
    entry->canary_total = 0;
    entry->canary_success = 0;
    entry->canary_in_flight = 0;
    entry->window_id = 0;
    entry->sampler = 0;
    entry->stage = 0;
    entry->generation = ++*scene->generation;
}

void rgni_entry_untrip(rgn_entry *entry, const rgni_scene *scene)
{
    if (entry->phase == RGN_PHASE_RECOVERING)
        rgni_recovery_clear(entry, scene);
    entry->phase = RGN_PHASE_COUNTING;
    entry->tripped = 0;
    entry->trip_time = RGN_TIME_NEVER;
    entry->cause = RGN_CAUSE_NONE;
    if (!rgni_tally_is_shared(scene->options)) {
        rgni_failed_clear(entry);
        entry->first_failed = RGN_REGION_NONE;
        entry->current = RGN_REGION_NONE;
    }
}

/* Both ways to give up begin the entry anew at `now`. */
static void restart_times(rgn_entry *entry, const rgni_scene *scene)
{
    entry->first_failure = scene->now;
    entry->last_failure = scene->now;
    entry->jitter = rgni_draw_jitter(scene);
}

/* FBK-23: counting from zero, untripped. */
static void restart_untripped(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgni_fact fact,
                              rgni_story *story)
{
    rgni_story_keep(story, entry);
    rgni_entry_untrip(entry, scene);
    rgni_failed_clear(entry);
    entry->current = entry->first_failed;
    rgni_counts_clear(entry, share, scene->options);
    entry->low_windows = 0;
    restart_times(entry, scene);
    if (share != NULL)
        share->window_start = scene->now;
    fact.reason = RGN_REASON_UNTRIP_PROBE;
    rgni_story_tell(story, scene, entry, &fact);
}

/* FBK-18: the same trip begins anew. */
void rgni_recovery_abandon(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, const rgni_fact *fact,
                           rgni_story *story)
{
    if (rgni_trips_are_derived(scene->options) || entry->tripped == 0) {
        restart_untripped(entry, share, scene, *fact, story);
        return;
    }
    rgn_region next = rgni_next_region(scene->topology, rgn_region_bit(entry->first_failed));
    if (next == RGN_REGION_NONE) {
        rgni_fact exhausted = *fact;
        exhausted.reason = RGN_REASON_EXHAUSTED;
        rgni_entry_end(entry, scene, &exhausted, story);
        return;
    }
    rgni_story_keep(story, entry);
    rgni_recovery_clear(entry, scene);
    rgni_counts_clear(entry, share, scene->options);
    rgni_failed_clear(entry);
    rgni_failed_add(entry, entry->first_failed);
    entry->current = next;
    entry->phase = RGN_PHASE_UNHEALTHY;
    entry->trip_time = scene->now;
    if (fact->reason != RGN_REASON_WINDOW_DWELL)
        entry->low_windows = 0;
    restart_times(entry, scene);
    rgni_story_tell(story, scene, entry, fact);
}
