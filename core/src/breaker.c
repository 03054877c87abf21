/* SPDX-License-Identifier: MIT */
/* The trip side: failures and ordinary successes of one partition. */
#include "health.h"
#include "reduce.h"

#include <assert.h>

/* One event at one region. */
typedef struct {
    rgn_entry *entry;
    rgn_share_tally *share; /* NULL unless breaker.rule is share */
    const rgni_scene *scene;
    rgn_region region;
    rgn_direction direction;
    rgni_story *story;
} strike;

static int64_t threshold_of(const rgn_options *options, rgn_direction direction)
{
    return direction == RGN_READ ? options->breaker_read_failure_threshold : options->breaker_write_failure_threshold;
}

/* FBK-30: the first failed region is on trial. */
static bool is_on_trial(const strike *s)
{
    return s->entry->phase == RGN_PHASE_RECOVERING && s->region == s->entry->first_failed &&
           rgni_is_tentative(s->scene->options);
}

/* The failures at the event's region that trip it. FBK-30: on trial half of them, rounded down, but one at least. */
static int64_t trip_threshold(const strike *s)
{
    int64_t threshold = threshold_of(s->scene->options, s->direction);
    if (!is_on_trial(s))
        return threshold;
    return threshold > 1 ? threshold / 2 : 1;
}

/* BRK-13: counters saturate. */
static void count_up(uint32_t *counter)
{
    if (*counter < UINT32_MAX)
        ++*counter;
}

/* BRK-19: the driver's one count is signed and wraps. True if the failure made it negative. */
static bool count_up_shared(uint32_t *counter)
{
    return ++*counter == (uint32_t)INT32_MAX + 1;
}

/* The failures counted, as a trip compares them. */
static int64_t failures_of(const strike *s, unsigned row, rgn_direction direction)
{
    int64_t failures = s->entry->counts.failures[row][direction];
    bool is_negative = failures > INT32_MAX && rgni_tally_is_shared(s->scene->options);
    return is_negative ? failures - ((int64_t)UINT32_MAX + 1) : failures;
}

static rgni_fact fact_of(const strike *s, rgn_reason reason)
{
    return (rgni_fact){.reason = reason, .direction = s->direction, .region = s->region};
}

/* BRK-7: no region is left. */
static void end_exhausted(const strike *s, uint32_t failures, int64_t threshold)
{
    rgni_fact fact = fact_of(s, RGN_REASON_EXHAUSTED);
    fact.failures = failures;
    fact.threshold = threshold;
    rgni_entry_end(s->entry, s->scene, &fact, s->story);
}

/* BRK-2, BRK-9: how far the counting window has run: from the last failure, or (rule share) from its own fixed start.
 */
static rgn_dur_ns window_age(const strike *s)
{
    return rgn_time_elapsed(s->share != NULL ? s->share->window_start : s->entry->last_failure, s->scene->now);
}

/* BRK-2: clears the counts if their window is over (strictly). True if so. */
static bool clear_old_counts(const strike *s)
{
    if (window_age(s) <= s->scene->options->breaker_counter_reset_window)
        return false;
    rgni_counts_clear(s->entry, s->share, s->scene->options);
    if (s->share != NULL)
        s->share->window_start = s->scene->now;
    return true;
}

/* BRK-20: the directions that a trip of this one takes along. Writes of single-write accounts know no trip. */
static uint8_t trip_bits(const strike *s, rgn_direction direction)
{
    bool takes_both = s->scene->options->breaker_trip_scope == RGN_TRIP_PARTITION && s->scene->topology->multi_write;
    return (uint8_t)(takes_both ? 1u << RGN_READ | 1u << RGN_WRITE : 1u << direction);
}

/* BRK-12: a count holds a derived trip up. With counts of their own any failed region's does. */
static bool count_holds_trip(const strike *s, rgn_direction direction)
{
    const rgn_entry *e = s->entry;
    bool is_shared = rgni_tally_is_shared(s->scene->options);
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
        if (failures_of(s, row, direction) >= threshold_of(s->scene->options, direction) &&
            (is_shared || rgn_region_in(e->failed, e->counts.region[row])))
            return true;
    return false;
}

/* BRK-12: after counts have fallen, where trips are derived from them, drops those that have lost their count. */
static void derive_trips(const strike *s, rgn_dur_ns elapsed)
{
    if (!rgni_trips_are_derived(s->scene->options))
        return;
    uint8_t kept = 0;
    for (rgn_direction d = RGN_READ; d <= RGN_WRITE; d++)
        if (count_holds_trip(s, d))
            kept |= trip_bits(s, d);
    kept &= s->entry->tripped;
    if (kept == s->entry->tripped)
        return;
    rgni_story_keep(s->story, s->entry);
    s->entry->tripped = kept;
    if (kept == 0)
        rgni_entry_untrip(s->entry, s->scene);
    rgni_fact fact = fact_of(s, RGN_REASON_UNTRIP_WINDOW);
    fact.threshold = s->scene->options->breaker_counter_reset_window;
    fact.elapsed = elapsed;
    rgni_story_tell(s->story, s->scene, s->entry, &fact);
}

/* BRK-3, BRK-9: the count of the event's direction in `row` suffices for a trip: threshold and, rule share, the share
 * of failures. Both products stay below 2^54. */
static bool count_trips(const strike *s, unsigned row)
{
    const rgn_options *options = s->scene->options;
    int64_t failures = failures_of(s, row, s->direction);
    if (failures < trip_threshold(s))
        return false;
    if (s->share == NULL)
        return true;
    int64_t results = failures + s->share->successes[row][s->direction];
    return failures * 1000000 >= options->breaker_failure_share * results;
}

/* BRK-3, BRK-6: sets the direction's trip and tells it: the first of the entry, or the other direction's. The story has
 * kept the entry as it was. */
static void trip_direction(const strike *s, unsigned row, int64_t threshold)
{
    rgn_entry *e = s->entry;
    bool is_first = e->tripped == 0;
    e->tripped |= trip_bits(s, s->direction);
    if (is_first) {
        if (e->phase == RGN_PHASE_RECOVERING)
            rgni_recovery_clear(e, s->scene);
        e->phase = RGN_PHASE_UNHEALTHY;
        e->trip_time = s->scene->now;
        e->cause = RGN_CAUSE_FAILURES;
    }
    rgni_fact fact = fact_of(s, is_first ? RGN_REASON_TRIP : RGN_REASON_TRIP_ALSO);
    fact.failures = e->counts.failures[row][s->direction];
    fact.threshold = threshold;
    rgni_story_tell(s->story, s->scene, e, &fact);
}

/* BRK-3: the first trip of an entry with counts of their own: the region of the event is the one to leave. */
static void trip_region(const strike *s, unsigned row)
{
    rgn_entry *e = s->entry;
    int64_t threshold = trip_threshold(s);
    rgni_story_keep(s->story, e);
    e->first_failed = s->region;
    rgni_failed_clear(e);
    rgni_failed_add(e, s->region);
    e->current = rgni_next_region(s->scene->topology, e->failed);
    if (e->current == RGN_REGION_NONE)
        end_exhausted(s, e->counts.failures[row][s->direction], threshold);
    else
        trip_direction(s, row, threshold);
}

/* BRK-7: a region that is not among the failed ones joins them if it has failed often enough; reads and writes count
 * together and no share is asked for. True if it is one of them now. */
static bool join_failed(const strike *s, unsigned row)
{
    rgn_entry *e = s->entry;
    const uint32_t *count = e->counts.failures[row];
    uint64_t sum = (uint64_t)count[RGN_READ] + count[RGN_WRITE];
    uint32_t failures = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    int64_t threshold = s->scene->options->breaker_alternate_failures;
    if (failures < threshold)
        return false;
    rgni_story_keep(s->story, e);
    rgni_failed_add(e, s->region);
    if (e->current != s->region)
        return true;
    e->current = rgni_next_region(s->scene->topology, e->failed);
    if (e->current == RGN_REGION_NONE) {
        end_exhausted(s, failures, threshold);
        return false;
    }
    rgni_fact fact = fact_of(s, RGN_REASON_MOVE);
    fact.failures = failures;
    fact.threshold = threshold;
    rgni_story_tell(s->story, s->scene, e, &fact);
    return true;
}

/* BRK-5: in a tripped direction nothing more is counted at first failed. BRK-6: the other direction can still trip at
 * any failed region, after that region has joined. */
static void fail_per_region(const strike *s)
{
    rgn_entry *e = s->entry;
    rgn_dur_ns age = window_age(s);
    if (clear_old_counts(s))
        derive_trips(s, age);
    e->last_failure = s->scene->now;
    if (rgn_entry_is_tripped(e, s->direction) && s->region == e->first_failed)
        return;
    unsigned row = rgni_counts_join(e, s->share, s->scene->options, s->region);
    count_up(&e->counts.failures[row][s->direction]);
    derive_trips(s, 0); /* the newcomer may have taken the place of the count that held the trip */
    if (e->tripped == 0) {
        if (count_trips(s, row))
            trip_region(s, row);
        return;
    }
    if (!rgn_region_in(e->failed, s->region) && !join_failed(s, row))
        return;
    if (!rgn_entry_is_tripped(e, s->direction) && count_trips(s, row)) {
        rgni_story_keep(s->story, e);
        trip_direction(s, row, threshold_of(s->scene->options, s->direction));
    }
}

/* BRK-11, the driver's way: one count for all regions; only a failure at the current region moves the traffic, whatever
 * region the count came from. */
static void fail_shared(const strike *s)
{
    rgn_entry *e = s->entry;
    rgn_dur_ns age = window_age(s);
    bool is_cleared = clear_old_counts(s);
    bool has_wrapped = count_up_shared(&e->counts.failures[0][s->direction]);
    e->last_failure = s->scene->now;
    if (is_cleared || has_wrapped)
        derive_trips(s, age);
    bool was_tripped = rgn_entry_is_tripped(e, s->direction);
    int64_t threshold = trip_threshold(s);
    if (!was_tripped && !count_trips(s, 0))
        return;
    rgni_story_keep(s->story, e);
    rgni_failed_add(e, s->region);
    bool is_move = s->region == e->current;
    if (is_move)
        e->current = rgni_next_region(s->scene->topology, e->failed);
    rgni_fact fact = fact_of(s, RGN_REASON_MOVE);
    fact.failures = e->counts.failures[0][s->direction];
    fact.threshold = threshold;
    if (e->current == RGN_REGION_NONE)
        end_exhausted(s, fact.failures, fact.threshold);
    else if (!was_tripped)
        trip_direction(s, 0, threshold);
    else if (is_move)
        rgni_story_tell(s->story, s->scene, e, &fact);
}

void rgni_breaker_on_failure(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                             rgn_direction direction, rgni_story *story)
{
    strike s = {entry, share, scene, region, direction, story};
    if (scene->health != NULL) {
        rgni_health_on_failure(entry, scene, region, direction, story);
        return;
    }
    assert((share != NULL) == (scene->options->breaker_rule == RGN_RULE_SHARE));
    if (!rgn_region_in(scene->topology->regions, region))
        return;
    /* FBK-22: the failure decides the probe and is not counted besides. */
    if (entry->phase == RGN_PHASE_RECOVERING && rgni_probes_with_all(scene->options)) {
        rgni_fact fact = fact_of(&s, RGN_REASON_RETRIP_PROBE);
        rgni_recovery_abandon(entry, share, scene, &fact, story);
        return;
    }
    if (entry->phase == RGN_PHASE_ABSENT)
        rgni_entry_create(entry, share, scene, region, direction, story);
    if (is_on_trial(&s))
        *rgni_successes_of(entry, direction) = 0;
    if (rgni_tally_is_shared(scene->options))
        fail_shared(&s);
    else
        fail_per_region(&s);
}

/* BRK-8, rule consecutive: a success clears what its region has counted in its direction. */
static void clear_count(const strike *s, unsigned row)
{
    if (s->entry->counts.failures[row][s->direction] == 0)
        return;
    s->entry->counts.failures[row][s->direction] = 0;
    rgni_counts_leave_if_zero(s->entry, s->share, s->scene->options, row);
    derive_trips(s, 0);
}

/* BRK-9, rule share: a success is counted beside the failures. One that finds the window over begins a new one instead.
 */
static void count_success(const strike *s, unsigned row)
{
    if (s->region == s->entry->first_failed && rgn_entry_is_tripped(s->entry, s->direction))
        return;
    rgn_dur_ns age = window_age(s);
    if (clear_old_counts(s))
        derive_trips(s, age);
    else
        count_up(&s->share->successes[row][s->direction]);
}

/* BRK-10: an untripped entry with nothing counted ends at once. */
static void end_if_cleared(const strike *s)
{
    if (s->entry->phase == RGN_PHASE_COUNTING && rgni_counts_are_zero(s->entry) &&
        !rgni_keeps_untripped(s->scene->options)) {
        rgni_fact fact = fact_of(s, RGN_REASON_CLEARED);
        rgni_entry_end(s->entry, s->scene, &fact, s->story);
    }
}

void rgni_breaker_on_success(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                             rgn_direction direction, bool is_below_400, rgni_story *story)
{
    strike s = {entry, share, scene, region, direction, story};
    if (entry->phase == RGN_PHASE_ABSENT)
        return;
    if (scene->health != NULL) {
        rgni_health_on_success(entry, scene, region, direction, story);
        return;
    }
    if (entry->phase == RGN_PHASE_RECOVERING && rgni_probes_with_all(scene->options) && is_below_400) {
        rgni_fact fact = fact_of(&s, RGN_REASON_FAILBACK_PROBE); /* FBK-22 */
        rgni_entry_end(entry, scene, &fact, story);
        return;
    }
    if (is_on_trial(&s)) {
        rgni_failback_on_trial_success(entry, scene, direction, threshold_of(scene->options, direction), story);
        return;
    }
    if (rgni_failback_on_request(entry, share, scene, region, direction, story))
        return;
    unsigned row = rgni_counts_find(entry, scene->options, region);
    if (row == RGN_COUNTED_REGIONS)
        return;
    switch (scene->options->breaker_rule) {
    case RGN_RULE_CONSECUTIVE:
        clear_count(&s, row);
        break;
    case RGN_RULE_SHARE:
        count_success(&s, row);
        break;
    default: /* windowed: a success changes nothing */
        return;
    }
    end_if_cleared(&s);
}

/* BRK-17: hedge wins add nothing to an entry that is away already; the driver asks no more than whether there is one.
 * Only an open probe is overruled by them. */
static bool hedge_wins_are_idle(const rgn_entry *entry, const rgn_options *options)
{
    if (entry->phase == RGN_PHASE_ABSENT || (entry->phase == RGN_PHASE_RECOVERING && rgni_probes_with_all(options)))
        return false;
    return entry->tripped != 0 || rgni_keeps_untripped(options);
}

/* BRK-18: where trips are derived from counts, the trip brings its counts along. */
static void seed_counts(const strike *s)
{
    unsigned row = rgni_counts_join(s->entry, s->share, s->scene->options, s->region);
    for (rgn_direction d = RGN_READ; d <= RGN_WRITE; d++)
        s->entry->counts.failures[row][d] = (uint32_t)threshold_of(s->scene->options, d);
}

/* BRK-16: a region that has lost enough hedge races in a row is left like one that has failed: for reads, and for
 * writes where other regions take them. */
bool rgni_breaker_on_hedge_wins(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                                uint32_t wins, rgni_story *story)
{
    const uint8_t reads = 1u << RGN_READ, both = reads | 1u << RGN_WRITE;
    strike s = {entry, share, scene, region, RGN_READ, story};
    rgn_region next = rgni_next_region(scene->topology, rgn_region_bit(region));
    bool is_derived = rgni_trips_are_derived(scene->options);
    if (hedge_wins_are_idle(entry, scene->options))
        return true;
    if (!rgn_region_in(scene->topology->regions, region) || next == RGN_REGION_NONE)
        return false;
    if (scene->health != NULL)
        return rgni_health_on_hedge_wins(entry, scene, region, wins, story);
    rgni_story_keep(story, entry);
    if (entry->phase != RGN_PHASE_COUNTING)
        rgni_entry_init(entry, share, scene, region);
    entry->phase = RGN_PHASE_UNHEALTHY;
    entry->tripped = is_derived || scene->topology->multi_write ? both : reads;
    entry->cause = RGN_CAUSE_HEDGE_WINS;
    entry->last_failure = scene->now;
    entry->trip_time = scene->now;
    entry->first_failed = region;
    rgni_failed_clear(entry);
    rgni_failed_add(entry, region);
    entry->current = next;
    if (is_derived)
        seed_counts(&s);
    rgni_fact fact = fact_of(&s, RGN_REASON_TRIP_HEDGE);
    fact.failures = wins;
    fact.threshold = scene->options->breaker_consecutive_hedge_win_threshold;
    rgni_story_tell(story, scene, entry, &fact);
    return true;
}
