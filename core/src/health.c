/* SPDX-License-Identifier: MIT */
#include "health.h"

#include <assert.h>
#include <string.h>

#include "reduce.h"
#include "routing_impl.h"

/* One event at one region. */
typedef struct {
    rgn_entry *entry;
    rgn_health *health;
    const rgni_scene *scene;
    rgn_region region;
    rgn_direction direction;
    rgni_story *story;
} visit;

static visit visit_of(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgn_direction direction,
                      rgni_story *story)
{
    return (visit){entry, scene->health, scene, region, direction, story};
}

static rgni_fact fact_of(const visit *v, rgn_reason reason, int64_t threshold)
{
    return (rgni_fact){.reason = reason, .direction = v->direction, .region = v->region, .threshold = threshold};
}

static rgn_region_health *row_of(const visit *v)
{
    return &v->health->region[v->region];
}

static bool is_unavailable(const visit *v)
{
    return rgn_region_in(v->health->unavailable, v->region);
}

static bool is_on_trial(const visit *v)
{
    return rgn_region_in(v->health->on_trial, v->region);
}

/* Of the regions of the set, which is not empty, the one that has been unavailable for longest; of several the one with
 * the lowest number. */
static rgn_region oldest_of(const rgn_health *health, rgn_region_set set)
{
    rgn_region oldest = RGN_REGION_NONE;

    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(set, region) &&
            (oldest == RGN_REGION_NONE || health->region[region].since < health->region[oldest].since))
            oldest = region;
    return oldest;
}

static bool has_failures(const rgn_health *health)
{
    for (unsigned i = 0; i < RGN_REGIONS_MAX; i++)
        if (health->region[i].failures[RGN_READ] != 0 || health->region[i].failures[RGN_WRITE] != 0)
            return true;
    return false;
}

static rgn_phase phase_of(const rgn_health *health)
{
    if (health->unavailable != 0)
        return RGN_PHASE_UNHEALTHY;
    if (health->on_trial != 0)
        return RGN_PHASE_RECOVERING;
    return has_failures(health) ? RGN_PHASE_COUNTING : RGN_PHASE_ABSENT;
}

/* The entry's times follow its phase. */
static void set_times(rgn_entry *e, rgn_time_ns now)
{
    if (e->phase != RGN_PHASE_UNHEALTHY)
        e->trip_time = RGN_TIME_NEVER;
    else if (e->trip_time == RGN_TIME_NEVER)
        e->trip_time = now;
    if (e->phase != RGN_PHASE_RECOVERING)
        e->recovering_since = RGN_TIME_NEVER;
    else if (e->recovering_since == RGN_TIME_NEVER)
        e->recovering_since = now;
    e->window_start = e->recovering_since;
}

/* BRK-23: what follows from the regions. Writes of single-write accounts know no trip. */
static void summarise(const visit *v)
{
    const rgn_topology *topology = v->scene->topology;
    const rgn_health *health = v->health;
    rgn_entry *e = v->entry;

    e->phase = (uint8_t)phase_of(health);
    if (e->phase == RGN_PHASE_ABSENT) {
        memset(e, 0, sizeof *e);
        return;
    }
    set_times(e, v->scene->now);
    rgni_failed_clear(e);
    for (rgn_region_set left = health->unavailable; left != 0; left &= ~e->failed)
        rgni_failed_add(e, oldest_of(health, left));
    if (e->failed == 0) {
        e->tripped = 0;
        e->cause = RGN_CAUSE_NONE;
        e->first_failed = rgni_next_region(topology, ~health->on_trial);
        e->current = RGN_REGION_NONE;
        return;
    }
    e->tripped = (uint8_t)(topology->multi_write ? 1u << RGN_READ | 1u << RGN_WRITE : 1u << RGN_READ);
    e->first_failed = e->failed_order[0];
    e->current = rgni_next_region(topology, e->failed);
}

/* The region's status has changed, which the entry does not tell yet. */
static void settle(const visit *v, rgni_fact fact)
{
    rgni_story_keep_all(v->story, v->entry);
    summarise(v);
    rgni_story_tell(v->story, v->scene, v->entry, &fact);
}

/* Every change of status begins all four counts anew. */
static void change_status(const visit *v, rgn_region_set *joins)
{
    const rgn_region_set bit = rgn_region_bit(v->region);

    memset(row_of(v), 0, sizeof *row_of(v));
    v->health->unavailable &= ~bit;
    v->health->on_trial &= ~bit;
    if (joins != NULL)
        *joins |= bit;
}

/* BRK-24: none of the regions that the client's list holds is left; the Java client's list ends with the regions that
 * the caller has named. */
static bool is_exhausted(const visit *v, rgn_region_set unavailable)
{
    const rgn_topology *topology = v->scene->topology;
    bool is_write = v->direction == RGN_WRITE;
    const rgn_region_list *list = is_write ? &topology->write_order : &topology->read_order;
    bool is_limited = v->scene->options->routing_rules == RGN_ROUTING_JAVA && topology->has_preferred;
    unsigned named = is_write ? topology->preferred_writes : topology->preferred_reads;
    unsigned count = is_limited ? named : list->count;

    for (unsigned i = 0; i < count; i++)
        if (!rgn_region_in(unavailable, list->region[i]))
            return false;
    return count > 0 || rgn_region_in(unavailable, rgni_fallback_region(topology, v->direction));
}

static void become_unavailable(const visit *v, rgni_fact fact)
{
    change_status(v, &v->health->unavailable);
    row_of(v)->since = v->scene->now;
    if (is_exhausted(v, v->health->unavailable)) {
        fact.reason = RGN_REASON_EXHAUSTED;
        rgni_entry_end(v->entry, v->scene, &fact, v->story);
        return;
    }
    if (v->entry->tripped == 0)
        v->entry->cause = fact.reason == RGN_REASON_TRIP_HEDGE ? RGN_CAUSE_HEDGE_WINS : RGN_CAUSE_FAILURES;
    else
        fact.reason = v->region == v->entry->current ? RGN_REASON_MOVE : RGN_REASON_TRIP_ALSO;
    settle(v, fact);
}

static void begin_trial(const visit *v, rgni_fact fact)
{
    change_status(v, &v->health->on_trial);
    settle(v, fact);
}

static int64_t threshold_of(const visit *v)
{
    const rgn_options *options = v->scene->options;

    return v->direction == RGN_READ ? options->breaker_read_failure_threshold
                                    : options->breaker_write_failure_threshold;
}

/* FBK-36: on trial half of the threshold, rounded down, but one at least. */
static int64_t failures_allowed(const visit *v)
{
    int64_t threshold = threshold_of(v);

    if (!is_on_trial(v))
        return threshold;
    return threshold > 1 ? threshold / 2 : 1;
}

/* BRK-22: a region that is unavailable already counts nothing. Thresholds are far below where a count would wrap. */
void rgni_health_on_failure(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgn_direction direction,
                            rgni_story *story)
{
    visit v = visit_of(entry, scene, region, direction, story);
    rgni_fact fact;

    if (!rgn_region_in(scene->topology->regions, region))
        return;
    if (entry->phase == RGN_PHASE_ABSENT) {
        memset(v.health, 0, sizeof *v.health);
        rgni_entry_create(entry, NULL, scene, region, direction, story);
    }
    entry->last_failure = scene->now;
    if (is_unavailable(&v))
        return;
    fact = fact_of(&v, RGN_REASON_TRIP, failures_allowed(&v));
    fact.failures = ++row_of(&v)->failures[direction];
    row_of(&v)->successes[direction] = 0;
    if (fact.failures >= fact.threshold)
        become_unavailable(&v, fact);
}

/* FBK-36: as many successes as the threshold end the trial; they take no failure back. */
static void succeed_on_trial(const visit *v)
{
    int64_t needed = threshold_of(v);

    if (++row_of(v)->successes[v->direction] < needed)
        return;
    change_status(v, NULL);
    settle(v, fact_of(v, RGN_REASON_FAILBACK_TENTATIVE, needed));
}

/* FBK-37: strictly later than that after it became unavailable. */
static void succeed_unavailable(const visit *v)
{
    int64_t wait = v->scene->options->failback_request_recovery;
    rgni_fact fact = fact_of(v, RGN_REASON_PROMOTE_REQUEST, wait);

    fact.elapsed = rgn_time_elapsed(row_of(v)->since, v->scene->now);
    if (fact.elapsed > wait)
        begin_trial(v, fact);
}

/* BRK-22: a success clears the failures of its direction; with nothing left to remember the entry ends. */
void rgni_health_on_success(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgn_direction direction,
                            rgni_story *story)
{
    visit v = visit_of(entry, scene, region, direction, story);

    if (!rgn_region_in(scene->topology->regions, region))
        return;
    if (is_unavailable(&v)) {
        succeed_unavailable(&v);
    } else if (is_on_trial(&v)) {
        succeed_on_trial(&v);
    } else if (row_of(&v)->failures[direction] != 0) {
        row_of(&v)->failures[direction] = 0;
        if (phase_of(v.health) == RGN_PHASE_ABSENT) {
            rgni_fact fact = fact_of(&v, RGN_REASON_CLEARED, 0);
            rgni_entry_end(entry, scene, &fact, story);
        }
    }
}

bool rgni_health_on_hedge_wins(rgn_entry *entry, const rgni_scene *scene, rgn_region region, uint32_t wins,
                               rgni_story *story)
{
    visit v = visit_of(entry, scene, region, RGN_READ, story);
    rgni_fact fact = fact_of(&v, RGN_REASON_TRIP_HEDGE, scene->options->breaker_consecutive_hedge_win_threshold);

    assert(entry->tripped == 0);
    if (is_exhausted(&v, rgn_region_bit(region)))
        return false;
    if (entry->phase == RGN_PHASE_ABSENT) {
        memset(v.health, 0, sizeof *v.health);
        rgni_entry_init(entry, NULL, scene, region);
        entry->phase = RGN_PHASE_ABSENT; /* as the trip finds it */
    }
    entry->last_failure = scene->now;
    fact.failures = wins;
    become_unavailable(&v, fact);
    return true;
}

/* BRK-22: each region dwells from its own trip. */
static rgn_time_ns due_of(const rgn_entry *entry, const rgn_health *health, const rgn_options *options,
                          rgn_region region)
{
    rgn_time_ns end = rgn_time_add(health->region[region].since, options->failback_partition_unavailability_duration);

    return rgn_time_add(end, entry->jitter);
}

rgn_region_set rgni_health_due_regions(const rgn_entry *entry, const rgn_health *health, const rgn_options *options,
                                       rgn_time_ns now)
{
    rgn_region_set due = 0;

    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(health->unavailable, region) && due_of(entry, health, options, region) <= now)
            due |= rgn_region_bit(region);
    return due;
}

rgn_time_ns rgni_health_due(const rgn_entry *entry, const rgn_health *health, const rgn_options *options)
{
    if (entry->phase != RGN_PHASE_UNHEALTHY)
        return RGN_TIME_NEVER;
    return due_of(entry, health, options, oldest_of(health, health->unavailable));
}

/* FBK-37: a region that has dwelt long enough goes on trial, whatever the others do. */
static void promote(const visit *v)
{
    rgni_fact fact = fact_of(v, RGN_REASON_PROMOTE, v->scene->options->failback_partition_unavailability_duration);

    fact.elapsed = rgn_time_elapsed(row_of(v)->since, v->scene->now);
    begin_trial(v, fact);
}

void rgni_health_on_connection(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgni_story *story)
{
    visit v = visit_of(entry, scene, region, RGN_READ, story);

    if (entry->phase == RGN_PHASE_UNHEALTHY &&
        rgn_region_in(rgni_health_due_regions(entry, scene->health, scene->options, scene->now), region))
        promote(&v);
}

void rgni_health_on_expiry(rgn_entry *entry, const rgni_scene *scene, bool is_tick, rgni_story *story)
{
    const rgn_options *options = scene->options;

    if (options->failback_promote_on == RGN_PROMOTE_ON_CONNECTION ||
        (!is_tick && options->failback_promote != RGN_PROMOTE_DUE))
        return;
    while (story->count < RGNI_STORY_MAX && rgni_health_due(entry, scene->health, options) <= scene->now) {
        visit v = visit_of(entry, scene, entry->first_failed, RGN_READ, story);
        promote(&v);
    }
}
