/* SPDX-License-Identifier: MIT */
/* Events told short: most change a count of their entry and nothing else. Each function here does what the reducer of
 * breaker.c or failback.c would do, if that is all, and else changes nothing and returns false: then the reducer has to
 * be asked. No transition is made, no topology asked, nothing drawn, and what the router derives from the entry stays.
 */
#ifndef REGIONCORE_SRC_EVENT_SHORT_H
#define REGIONCORE_SRC_EVENT_SHORT_H

#include <assert.h>

#include "entry.h"

/* What they ask of the options, close together. Where an option wants more to be looked at, a figure that nothing stays
 * below sends every such event to the reducer. */
typedef struct {
    int64_t failures[RGN_DIRECTIONS]; /* a count that trips */
    rgn_dur_ns counts;                /* how long counts stand after the last failure */
    rgn_dur_ns untripped;             /* and how long an entry that has not tripped */
    rgn_dur_ns window;                /* how long canaries are counted before anything is decided */
    rgn_dur_ns recovery;
    rgn_dur_ns dwell;          /* from the first failure, jitter not included */
    int64_t success_threshold; /* parts per million of the results, and of those awaited if they count */
    int64_t retrip_floor;
    uint32_t sample;      /* results that are judged */
    uint32_t low_windows; /* after so many the first result decides */
    uint8_t percentage;   /* of canaries; 100 or less */
    bool counts_awaited;
} rgni_short;

rgni_short rgni_short_of(const rgn_options *options);

/* BRK-4: a further failure of a region that has joined first, of an entry that has not tripped. */
static inline bool rgni_short_failure(const rgni_short *s, rgn_entry *entry, rgn_region region, rgn_direction direction,
                                      rgn_time_ns now)
{
    uint32_t *count = &entry->counts.failures[0][direction];

    if (entry->phase != RGN_PHASE_COUNTING || entry->counts.region[0] != region ||
        (int64_t)*count + 1 >= s->failures[direction] || rgn_time_elapsed(entry->last_failure, now) > s->counts)
        return false;
    ++*count;
    entry->last_failure = now;
    return true;
}

/* FBK-13, FBK-16: of a recovering entry: neither its window nor its recovery is over. */
static inline bool rgni_short_window(const rgni_short *s, const rgn_entry *entry, rgn_time_ns now)
{
    return rgn_time_elapsed(entry->window_start, now) <= s->window &&
           rgn_time_elapsed(entry->recovering_since, now) <= s->recovery;
}

/* FBK-10: the sampler ticks: of an entry to which rgni_failback_admit() applies. */
static inline bool rgni_short_admit(const rgni_short *s, rgn_entry *entry, rgn_time_ns now, bool *is_canary)
{
    unsigned sum = (unsigned)entry->sampler + s->percentage;

    if (entry->stage != 0 || entry->canary_in_flight == UINT32_MAX || !rgni_short_window(s, entry, now))
        return false;
    *is_canary = sum >= 100;
    entry->sampler = (uint8_t)(*is_canary ? sum - 100 : sum);
    entry->canary_in_flight += *is_canary;
    return true;
}

/* FBK-11: what a sample is judged by. All products stay below 2^54. */
static inline bool rgni_is_at_threshold(uint32_t successes, uint64_t results, int64_t threshold)
{
    return (int64_t)successes * 1000000 >= threshold * (int64_t)results;
}

static inline bool rgni_is_below_floor(uint32_t successes, uint64_t results, int64_t floor)
{
    return (int64_t)successes * 1000000 < floor * (int64_t)results;
}

/* FBK-11: a result of this window whose sample is too small to be judged, or lies between threshold and floor. */
static inline bool rgni_short_result(const rgni_short *s, rgn_entry *entry, rgni_ticket ticket, rgn_evidence evidence,
                                     rgn_time_ns now)
{
    uint64_t results = entry->canary_total + UINT64_C(1);
    uint32_t successes = entry->canary_success + (evidence == RGN_EVIDENCE_SUCCESS);
    uint32_t awaited = entry->canary_in_flight - 1;

    if (entry->phase != RGN_PHASE_RECOVERING || entry->tripped == 0 || ticket.generation != entry->generation ||
        ticket.window_id != entry->window_id || evidence == RGN_EVIDENCE_NEUTRAL || results > UINT32_MAX ||
        (results == 1 && entry->low_windows >= s->low_windows) || !rgni_short_window(s, entry, now))
        return false;
    if (results >= s->sample &&
        (rgni_is_at_threshold(successes, results + (s->counts_awaited ? awaited : 0), s->success_threshold) ||
         rgni_is_below_floor(successes, results, s->retrip_floor)))
        return false;
    assert(entry->canary_in_flight > 0);
    entry->canary_in_flight = awaited;
    entry->canary_total = (uint32_t)results;
    entry->canary_success = successes;
    return true;
}

/* A tick that finds nothing due. */
static inline bool rgni_short_tick(const rgni_short *s, const rgn_entry *entry, rgn_time_ns now)
{
    switch ((rgn_phase)entry->phase) {
    case RGN_PHASE_COUNTING:
        return rgn_time_elapsed(entry->last_failure, now) <= s->untripped;
    case RGN_PHASE_UNHEALTHY:
        return rgn_time_elapsed(entry->first_failure, now) - entry->jitter < s->dwell;
    case RGN_PHASE_RECOVERING:
        return rgni_short_window(s, entry, now);
    case RGN_PHASE_ABSENT:
        break;
    }
    return true;
}

#endif
