/* SPDX-License-Identifier: MIT */
/* The recovery side: promotion, canaries, windows, and the decision. */
#include "event_short.h"
#include "health.h"
#include "reduce.h"
#include "sequential.h"

#include <assert.h>

typedef enum { UNDECIDED, SUCCEEDED, FAILED } verdict;

/* One event of a recovery. */
typedef struct {
    rgn_entry *entry;
    rgn_share_tally *share;
    const rgni_scene *scene;
    rgn_direction direction; /* RGN_READ for background work */
    rgn_region region;       /* RGN_REGION_NONE for background work */
    rgni_story *story;
} look;

static rgni_fact fact_of(const look *l, rgn_reason reason, int64_t threshold, rgn_dur_ns elapsed)
{
    return (rgni_fact){
        .reason = reason, .direction = l->direction, .region = l->region, .threshold = threshold, .elapsed = elapsed};
}

static void give_up(const look *l, rgn_reason reason, int64_t threshold, rgn_dur_ns elapsed)
{
    rgni_fact fact = fact_of(l, reason, threshold, elapsed);
    rgni_recovery_abandon(l->entry, l->share, l->scene, &fact, l->story);
}

static void end(const look *l, rgn_reason reason, int64_t threshold, rgn_dur_ns elapsed)
{
    rgni_fact fact = fact_of(l, reason, threshold, elapsed);
    rgni_entry_end(l->entry, l->scene, &fact, l->story);
}

/* FBK-12: canaries in flight as they weigh on a success. */
static int64_t waiting(const look *l)
{
    return l->scene->options->failback_pending == RGN_PENDING_COUNTED ? l->entry->canary_in_flight : 0;
}

/* The sample's ratio reaches the success threshold. */
static bool is_at_threshold(const look *l)
{
    uint64_t sent = (uint64_t)l->entry->canary_total + (uint64_t)waiting(l);
    return rgni_is_at_threshold(l->entry->canary_success, sent, l->scene->options->failback_success_threshold);
}

static bool is_below_floor(const look *l)
{
    return rgni_is_below_floor(l->entry->canary_success, l->entry->canary_total,
                               l->scene->options->failback_retrip_floor);
}

/* FBK-32 */
static verdict judge_sequentially(const look *l)
{
    const rgn_entry *e = l->entry;
    switch (
        rgni_sequential_test(l->scene->options, e->canary_success, e->canary_total - e->canary_success, waiting(l))) {
    case RGNI_IS_HEALTHY:
        return SUCCEEDED;
    case RGNI_IS_UNHEALTHY:
        return FAILED;
    case RGNI_GOES_ON:
        break;
    }
    return UNDECIDED;
}

/* FBK-11: a full sample decides at or above the threshold and below the floor; in between it goes on. */
static verdict judge_sample(const look *l)
{
    if (l->scene->options->failback_decide == RGN_DECIDE_SEQUENTIAL)
        return judge_sequentially(l);
    if (l->entry->canary_total < l->scene->options->failback_min_sample)
        return UNDECIDED;
    if (is_at_threshold(l))
        return SUCCEEDED;
    return is_below_floor(l) ? FAILED : UNDECIDED;
}

static void begin_window(const look *l, rgn_reason reason, int64_t threshold, rgn_dur_ns elapsed)
{
    rgni_fact fact = fact_of(l, reason, threshold, elapsed);
    rgni_story_keep(l->story, l->entry);
    l->entry->window_start = l->scene->now;
    l->entry->window_id++;
    l->entry->canary_total = 0;
    l->entry->canary_success = 0;
    l->entry->canary_in_flight = 0;
    rgni_story_tell(l->story, l->scene, l->entry, &fact);
}

static void restart_window(const look *l, rgn_dur_ns age)
{
    begin_window(l, RGN_REASON_WINDOW_RESTART, l->scene->options->failback_eval_window, age);
}

/* FBK-33: the share of canaries in per cent at a stage of the ramp; 100: there is no such stage. */
static int64_t stage_percentage(const rgn_options *options, unsigned stage)
{
    static const int64_t raised[] = {25, 50};
    int64_t percentage = options->failback_canary_percentage;
    if (stage == 0)
        return percentage;
    if (options->failback_ramp == RGN_RAMP_NONE)
        return 100;
    for (unsigned i = 0; i < sizeof raised / sizeof raised[0]; i++)
        if (raised[i] > percentage && --stage == 0)
            return raised[i];
    return 100;
}

/* FBK-33: a sample that suffices ends the recovery, or begins the next stage. */
static void succeed(const look *l)
{
    const rgn_options *options = l->scene->options;
    bool is_sequential = options->failback_decide == RGN_DECIDE_SEQUENTIAL;
    int64_t compared = is_sequential ? options->failback_false_failback : options->failback_success_threshold;
    if (stage_percentage(options, l->entry->stage + 1U) < 100) {
        l->entry->low_windows = 0;
        l->entry->stage++;
        begin_window(l, RGN_REASON_RAMP, compared, 0);
        return;
    }
    end(l, is_sequential ? RGN_REASON_FAILBACK_SEQUENTIAL : RGN_REASON_FAILBACK, compared, 0);
}

static void fail(const look *l)
{
    const rgn_options *options = l->scene->options;
    if (options->failback_decide == RGN_DECIDE_SEQUENTIAL)
        give_up(l, RGN_REASON_RETRIP_SEQUENTIAL, options->failback_false_retrip, 0);
    else
        give_up(l, RGN_REASON_RETRIP, options->failback_retrip_floor, 0);
}

/* Carries out the sample's verdict. True if there is nothing left to look at in this window. */
static bool carry_out(const look *l, verdict v)
{
    switch (v) {
    case UNDECIDED:
        return false;
    case SUCCEEDED:
        succeed(l);
        return true;
    case FAILED:
        fail(l);
        return true;
    }
    return false;
}

/* FBK-14: an undecided window. */
static void expire_window(const look *l, rgn_dur_ns age)
{
    const rgn_options *options = l->scene->options;
    switch (options->failback_window_expiry) {
    case RGN_EXPIRY_DWELL:
        give_up(l, RGN_REASON_WINDOW_DWELL, options->failback_eval_window, age);
        break;
    case RGN_EXPIRY_JUDGE:
        if (!is_at_threshold(l))
            give_up(l, RGN_REASON_RETRIP_JUDGE, options->failback_success_threshold, age);
        else
            restart_window(l, age);
        break;
    default: /* restart */
        restart_window(l, age);
        break;
    }
}

/* FBK-15: windows in a row without a full sample. */
static void count_low_window(const look *l)
{
    if (l->entry->canary_total >= l->scene->options->failback_min_sample)
        l->entry->low_windows = 0;
    else if (l->entry->low_windows < UINT16_MAX)
        l->entry->low_windows++;
}

/* FBK-13, FBK-16: looks at the clock of a recovery, in this order: window, low traffic, verdict, longest recovery,
 * expiry. An untripped entry sends no canaries and has nothing to measure. Strategy probe has no window. */
static void look_at_window(const look *l)
{
    const rgn_options *options = l->scene->options;
    rgn_entry *e = l->entry;
    if (e->tripped == 0)
        return;
    rgn_dur_ns age = rgn_time_elapsed(e->window_start, l->scene->now);
    bool is_over = options->failback_strategy == RGN_STRATEGY_SUCCESS_RATE && age > options->failback_eval_window;
    if (is_over) {
        count_low_window(l);
        if (options->failback_decide == RGN_DECIDE_WINDOW_END && carry_out(l, judge_sample(l)))
            return;
    }
    rgn_dur_ns recovering = rgn_time_elapsed(e->recovering_since, l->scene->now);
    if (recovering > options->failback_recovering_max)
        give_up(l, RGN_REASON_RETRIP_MAX, options->failback_recovering_max, recovering);
    else if (is_over)
        expire_window(l, age);
}

/* FBK-10. Sampler counter: exactly the share, evenly spread. Sampler hash: the hash falls into the share's part of its
 * range.
 */
static bool sampler_ticks(rgn_entry *entry, const rgn_options *options, uint32_t hash)
{
    uint64_t percentage = (uint64_t)stage_percentage(options, entry->stage);
    if (options->failback_sampler == RGN_SAMPLER_HASH)
        return ((uint64_t)hash * 100) >> 32 < percentage;
    uint64_t sum = entry->sampler + percentage;
    bool is_canary = sum >= 100;
    entry->sampler = (uint8_t)(is_canary ? sum - 100 : sum);
    return is_canary;
}

/* FBK-21: one probe at a time. */
static bool is_selected(rgn_entry *entry, const rgn_options *options, uint32_t hash)
{
    if (options->failback_strategy == RGN_STRATEGY_PROBE)
        return !rgni_probes_with_all(options) && entry->canary_in_flight == 0;
    return sampler_ticks(entry, options, hash);
}

bool rgni_failback_admit(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_direction direction,
                         uint32_t hash, rgni_ticket *ticket, rgni_story *story)
{
    assert(entry->phase == RGN_PHASE_RECOVERING);
    assert(rgn_entry_is_tripped(entry, direction));
    if (direction == RGN_WRITE && !scene->topology->multi_write) /* FBK-24 */
        return false;
    if (!is_selected(entry, scene->options, hash))
        return false;
    look l = {entry, share, scene, direction, entry->first_failed, story};
    look_at_window(&l);
    if (entry->phase != RGN_PHASE_RECOVERING)
        return false;
    if (entry->canary_in_flight < UINT32_MAX)
        entry->canary_in_flight++;
    *ticket = (rgni_ticket){entry->generation, entry->window_id};
    return true;
}

void rgni_failback_count_late(rgn_router_counters *counters, rgn_evidence evidence)
{
    switch (evidence) {
    case RGN_EVIDENCE_SUCCESS:
        counters->late_successes++;
        break;
    case RGN_EVIDENCE_FAILURE:
    case RGN_EVIDENCE_TIMEOUT:
        counters->late_failures++;
        break;
    case RGN_EVIDENCE_NEUTRAL:
        break;
    }
}

/* FBK-21: one request decides. */
static void decide_probe(const look *l, bool is_success)
{
    if (is_success)
        end(l, RGN_REASON_FAILBACK_PROBE, 0, 0);
    else
        give_up(l, RGN_REASON_RETRIP_PROBE, 0, 0);
}

/* FBK-15: after too many windows with too little traffic the first result of a window decides alone. */
static void decide_single(const look *l, bool is_success)
{
    int64_t windows = l->scene->options->failback_low_traffic_windows;
    if (is_success)
        end(l, RGN_REASON_FAILBACK_SINGLE, windows, 0);
    else
        give_up(l, RGN_REASON_RETRIP_SINGLE, windows, 0);
}

/* FBK-3: when the ratio is looked at. */
static void decide_sample(const look *l)
{
    const rgn_options *options = l->scene->options;
    switch (options->failback_decide) {
    case RGN_DECIDE_MIN_SAMPLE:
        if (l->entry->canary_total == options->failback_min_sample)
            carry_out(l, judge_sample(l));
        break;
    case RGN_DECIDE_WINDOW_END:
        break;
    default: /* every */
        carry_out(l, judge_sample(l));
        break;
    }
}

static void count_result(const look *l, bool is_success)
{
    rgn_entry *e = l->entry;
    if (e->canary_total == UINT32_MAX)
        return;
    e->canary_total++;
    if (is_success)
        e->canary_success++;
    int64_t low_traffic = l->scene->options->failback_low_traffic_windows;
    if (low_traffic > 0 && e->low_windows >= low_traffic && e->canary_total == 1)
        decide_single(l, is_success);
    else
        decide_sample(l);
}

void rgni_failback_on_result(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgni_ticket ticket,
                             rgn_evidence evidence, rgn_direction direction, rgni_story *story)
{
    look l = {entry, share, scene, direction, entry->first_failed, story};
    if (entry->phase == RGN_PHASE_RECOVERING)
        look_at_window(&l);
    if (entry->phase != RGN_PHASE_RECOVERING || ticket.generation != entry->generation ||
        ticket.window_id != entry->window_id) {
        rgni_failback_count_late(scene->counters, evidence);
        return;
    }
    assert(entry->canary_in_flight > 0);
    entry->canary_in_flight--;
    if (evidence == RGN_EVIDENCE_NEUTRAL)
        return;
    if (scene->options->failback_strategy == RGN_STRATEGY_PROBE)
        decide_probe(&l, evidence == RGN_EVIDENCE_SUCCESS);
    else
        count_result(&l, evidence == RGN_EVIDENCE_SUCCESS);
}

/* FBK-19: from when the dwell is measured. An entry that never tripped has no trip time. */
static rgn_time_ns dwell_start(const rgn_entry *entry, const rgn_options *options)
{
    switch (options->failback_dwell_from) {
    case RGN_DWELL_TRIP:
        return entry->trip_time != RGN_TIME_NEVER ? entry->trip_time : entry->first_failure;
    case RGN_DWELL_LAST_FAILURE:
        return entry->last_failure;
    default: /* first_failure */
        return entry->first_failure;
    }
}

/* FBK-19: when the dwell and its jitter are over. */
rgn_time_ns rgni_failback_due(const rgn_entry *entry, const rgn_options *options)
{
    bool is_waiting =
        entry->phase == RGN_PHASE_UNHEALTHY || (entry->phase == RGN_PHASE_COUNTING && rgni_keeps_untripped(options));
    if (!is_waiting)
        return RGN_TIME_NEVER;
    rgn_time_ns end = rgn_time_add(dwell_start(entry, options), options->failback_partition_unavailability_duration);
    return rgn_time_add(end, entry->jitter);
}

static uint8_t draw_sampler(const rgni_scene *scene)
{
    if (scene->options->failback_strategy != RGN_STRATEGY_SUCCESS_RATE ||
        scene->options->failback_sampler != RGN_SAMPLER_COUNTER)
        return 0;
    uint64_t drawn = scene->random->below(scene->random->context, RGN_DRAW_SAMPLER_PHASE, scene->partition, 100);
    assert(drawn < 100);
    return (uint8_t)drawn;
}

/* FBK-30: all traffic goes home, so nothing is tripped meanwhile, and counting begins anew. */
static void begin_trial(const look *l)
{
    rgn_entry *e = l->entry;
    rgn_region home = e->first_failed;
    e->tripped = 0;
    rgni_failed_clear(e);
    e->current = rgni_tally_is_shared(l->scene->options) ? home : RGN_REGION_NONE;
    rgni_counts_clear(e, l->share, l->scene->options);
    if (l->share != NULL)
        l->share->window_start = l->scene->now;
    e->trip_time = RGN_TIME_NEVER;
    e->cause = RGN_CAUSE_NONE;
    e->read_successes = 0;
    e->write_successes = 0;
}

/* FBK-31: nothing is asked of the region but what has brought the promotion. An entry that never tripped has nothing to
 * try. */
static bool fails_back_at_once(const look *l)
{
    int64_t strategy = l->scene->options->failback_strategy;
    return strategy == RGN_STRATEGY_AT_ONCE || (strategy == RGN_STRATEGY_TENTATIVE && l->entry->tripped == 0);
}

static void promote(const look *l, rgn_reason reason, int64_t threshold, rgn_dur_ns elapsed)
{
    const rgn_options *options = l->scene->options;
    rgn_entry *e = l->entry;
    if (fails_back_at_once(l)) {
        end(l, RGN_REASON_FAILBACK_AT_ONCE, threshold, elapsed);
        return;
    }
    rgni_fact fact = fact_of(l, reason, threshold, elapsed);
    rgni_story_keep(l->story, e);
    e->phase = RGN_PHASE_RECOVERING;
    e->recovering_since = l->scene->now;
    e->window_start = l->scene->now;
    e->window_id = 0;
    e->sampler = draw_sampler(l->scene);
    if (rgni_is_tentative(options))
        begin_trial(l);
    rgni_story_tell(l->story, l->scene, e, &fact);
}

static void promote_dwelt(const look *l)
{
    const rgn_options *options = l->scene->options;
    rgn_dur_ns dwelt = rgn_time_elapsed(dwell_start(l->entry, options), l->scene->now);
    promote(l, RGN_REASON_PROMOTE, options->failback_partition_unavailability_duration, dwelt);
}

/* FBK-28: recovery waits for a connection. There is none to be made where no region has failed first. */
bool rgni_failback_awaits_connection(const rgn_entry *entry, const rgn_options *options)
{
    return options->failback_promote_on == RGN_PROMOTE_ON_CONNECTION && entry->first_failed != RGN_REGION_NONE;
}

void rgni_failback_on_connection(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                                 uint32_t generation, rgni_story *story)
{
    look l = {entry, share, scene, RGN_READ, entry->first_failed, story};
    if (entry->generation != generation)
        return;
    if (scene->health != NULL)
        rgni_health_on_connection(entry, scene, region, story);
    else if (rgni_failback_awaits_connection(entry, scene->options) &&
             rgni_failback_due(entry, scene->options) <= scene->now)
        promote_dwelt(&l);
}

/* FBK-29: strictly later than that after the trip. */
bool rgni_failback_on_request(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                              rgn_direction direction, rgni_story *story)
{
    look l = {entry, share, scene, direction, region, story};
    int64_t wait = scene->options->failback_request_recovery;
    rgn_dur_ns age = rgn_time_elapsed(entry->trip_time, scene->now);
    if (entry->phase != RGN_PHASE_UNHEALTHY || region != entry->first_failed || age <= wait)
        return false;
    promote(&l, RGN_REASON_PROMOTE_REQUEST, wait, age);
    return true;
}

/* FBK-30: of either direction; failures of the other one stay. */
void rgni_failback_on_trial_success(rgn_entry *entry, const rgni_scene *scene, rgn_direction direction, int64_t needed,
                                    rgni_story *story)
{
    look l = {entry, NULL, scene, direction, entry->first_failed, story};
    rgni_fact fact = fact_of(&l, RGN_REASON_FAILBACK_TENTATIVE, needed, 0);
    if (++*rgni_successes_of(entry, direction) >= needed)
        rgni_entry_end(entry, scene, &fact, story);
}

/* BRK-10: an untripped entry that has seen no failure for longer than the reset window. */
static void end_if_stale(const look *l)
{
    int64_t reset = l->scene->options->breaker_counter_reset_window;
    rgn_dur_ns age = rgn_time_elapsed(l->entry->last_failure, l->scene->now);
    if (age > reset)
        end(l, RGN_REASON_STALE, reset, age);
}

void rgni_failback_on_expiry(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, bool is_tick,
                             rgni_story *story)
{
    look l = {entry, share, scene, RGN_READ, RGN_REGION_NONE, story};
    if (scene->health != NULL) {
        rgni_health_on_expiry(entry, scene, is_tick, story);
        return;
    }
    bool is_promotion_time = (is_tick || scene->options->failback_promote == RGN_PROMOTE_DUE) &&
                             !rgni_failback_awaits_connection(entry, scene->options);
    if (is_promotion_time && rgni_failback_due(entry, scene->options) <= scene->now) {
        promote_dwelt(&l);
        return;
    }
    if (!is_tick)
        return;
    switch ((rgn_phase)entry->phase) {
    case RGN_PHASE_COUNTING:
        if (!rgni_keeps_untripped(scene->options))
            end_if_stale(&l);
        break;
    case RGN_PHASE_RECOVERING:
        look_at_window(&l);
        break;
    case RGN_PHASE_ABSENT:
    case RGN_PHASE_UNHEALTHY:
        break;
    }
}
