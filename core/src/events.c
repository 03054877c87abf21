/* SPDX-License-Identifier: MIT */
/* Events: the one way in which a partition's state changes. Each takes its stripe's lock, lets a reducer change the
 * entry, stores what came out, and tells the observer after unlocking. Those of background work are in background.c. */
#include "event.h"
#include "reduce.h"

#include <assert.h>

/* Makes sure that the event has a slot. RTR-2: without memory, routing stays as it is by default. */
static bool event_needs_slot(rgni_event *e)
{
    if (e->slot != NULL)
        return true;
    e->slot = rgni_stripe_reserve(e->stripe, &e->router->memory, e->scene.partition);
    e->is_new = e->slot != NULL;
    if (!e->is_new)
        atomic_fetch_add_explicit(&e->router->failed_allocations, 1, memory_order_relaxed);
    return e->is_new;
}

/* The same for a slot with a side. */
static RGNI_NOINLINE bool event_needs_side(rgni_event *e)
{
    if (!event_needs_slot(e))
        return false;
    if (rgni_stripe_reserve_side(e->stripe, &e->router->memory, e->slot))
        return true;
    atomic_fetch_add_explicit(&e->router->failed_allocations, 1, memory_order_relaxed);
    return false;
}

/* The stripe's lock is held. Other threads read the neighbours' bytes for each operation, and would lose the cache line
 * to a store that says nothing new. */
static inline void set_state_byte(rgn_router *router, rgn_partition partition, uint8_t state)
{
    if (atomic_load_explicit(&router->states[partition], memory_order_relaxed) != state)
        atomic_store_explicit(&router->states[partition], state, memory_order_release);
}

/* A new slot goes into the table, one without entry and side goes. */
static RGNI_NOINLINE void event_place(rgni_event *e, bool is_empty)
{
    if (!is_empty)
        rgni_stripe_insert(e->stripe, e->slot);
    else if (e->is_new)
        rgni_stripe_cancel(e->stripe, e->slot);
    else
        rgni_stripe_remove(e->stripe, e->slot);
}

/* Stores what the reducer left in the slot. */
static inline void event_store(rgni_event *e)
{
    bool has_entry = e->slot->entry.phase != RGN_PHASE_ABSENT;
    bool has_due = e->stripe->has_heap;
    bool has_few_wins, is_empty;

    if (e->slot->side != NULL)
        rgni_stripe_trim_side(e->stripe, e->slot);
    is_empty = !has_entry && e->slot->side == NULL;
    /* FLO-9: a short row has set its bit, under this lock. */
    has_few_wins = (rgni_router_state(e->router, e->scene.partition) & RGNI_STATE_WINS) != 0 &&
                   rgni_router_few_wins(e->router, e->scene.partition) != 0;
    set_state_byte(e->router, e->scene.partition, rgni_state_byte(e->router, e->slot, has_few_wins));
    if (has_due)
        rgni_stripe_set_due(e->stripe, e->slot, has_entry ? rgni_event_due(e) : RGN_TIME_NEVER);
    if (e->is_new || is_empty)
        event_place(e, is_empty);
    if (has_due || has_entry != e->had_entry)
        rgni_clock_update(e->router, e->stripe, has_entry - e->had_entry, e->scene.now);
}

/* FBK-34: the trips of this event are remembered, and lengthen the dwell that has just begun. Without memory for that
 * the dwell is the knob's. */
static RGNI_NOINLINE void event_remember(rgni_event *e)
{
    const rgn_options *options = &e->router->options;
    rgn_transition *told = &e->story.transition[e->story.count - 1];
    bool is_trip = rgni_is_remembered((rgn_reason)told->reason);

    if (told->phase_after != RGN_PHASE_UNHEALTHY || (!is_trip && told->reason != RGN_REASON_WINDOW_DWELL) ||
        !event_needs_side(e))
        return;
    if (is_trip)
        rgni_trip_memory_add(&e->slot->side->memory, options, e->scene.now);
    e->slot->entry.jitter +=
        rgni_dwell_added(options, rgni_trips_remembered(&e->slot->side->memory, options, e->scene.now));
    told->jitter = e->slot->entry.jitter;
}

/* Late results are counted, and the observer is told. No lock is held. */
static RGNI_NOINLINE void event_tell(const rgni_event *e)
{
    rgn_router *router = e->router;

    if (e->counters.late_successes > 0)
        atomic_fetch_add_explicit(&router->late_successes, e->counters.late_successes, memory_order_relaxed);
    if (e->counters.late_failures > 0)
        atomic_fetch_add_explicit(&router->late_failures, e->counters.late_failures, memory_order_relaxed);
    for (unsigned i = 0; router->sink.on_transition != NULL && i < e->story.count; i++)
        router->sink.on_transition(router->sink.context, &e->story.transition[i]);
    if (router->sink.on_override != NULL && e->change.reason != RGN_REASON_NONE)
        router->sink.on_override(router->sink.context, &e->change);
}

/* RTR-9: the numbers that the event has used. */
static inline void take_generations(const rgni_event *e)
{
    _Atomic uint32_t *generation = &e->router->generation;

    if (rgni_is_unshared(&e->stripe->lock))
        atomic_store_explicit(generation, e->generation_now, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(generation, e->generation_now - e->generation, memory_order_relaxed);
}

/* Most events change a count and have nothing to tell. */
void rgni_event_end(rgni_event *e)
{
    if (e->story.count > 0 && e->router->options.failback_dwell_doublings > 0)
        event_remember(e);
    if (e->slot != NULL)
        event_store(e);
    if (e->generation_now != e->generation)
        take_generations(e);
    rgni_unlock(&e->stripe->lock);
    if (e->story.count > 0 || e->change.reason != RGN_REASON_NONE ||
        (e->counters.late_successes | e->counters.late_failures) != 0)
        event_tell(e);
}

/* BRK-1, looked at under the lock, so that nothing is recorded after the breaker's edge has dropped the entries. */
static inline bool is_covered(const rgn_router *router, const rgn_topology *topology, rgn_partition partition,
                              rgn_region region, rgn_direction direction)
{
    return rgni_router_covers(router, topology, partition, direction) && rgn_region_in(topology->regions, region);
}

static bool event_is_covered(const rgni_event *e, rgn_region region, rgn_direction direction)
{
    return is_covered(e->router, e->scene.topology, e->scene.partition, region, direction);
}

/* What an override's reducer answered, to be told. `last` is the override before the event. */
void rgni_event_override_changed(rgni_event *e, rgn_reason reason, rgn_region region, rgn_override last)
{
    const rgn_override *now = &e->slot->side->override;

    e->change = (rgn_override_change){.at = e->scene.now,
                                      .partition = e->scene.partition,
                                      .reason = (uint8_t)reason,
                                      .region = region,
                                      .override = now->is_set ? *now : last};
}

/* FLO-2, FLO-7: a failure that moves the override: a write's, or a refusal by a region that is not the hub. */
static void event_fail_override(rgni_event *e, rgn_region region)
{
    rgn_override last;

    if (!event_needs_side(e))
        return;
    last = e->slot->side->override;
    rgni_event_override_changed(
        e, rgni_override_on_failure(&e->slot->side->override, e->scene.topology, region, e->scene.now), region, last);
}

/* FLO-8: the breaker's failure where it covers the attempt, else automatic failover's. */
static void event_fail(rgni_event *e, rgn_region region, rgn_direction direction)
{
    if (event_is_covered(e, region, direction)) {
        if (!event_needs_slot(e))
            return;
        rgni_event_show_health(e);
        rgni_breaker_on_failure(&e->slot->entry, rgni_event_share(e), &e->scene, region, direction, &e->story);
    } else if (rgni_failover_covers(e->scene.topology, direction) &&
               rgn_region_in(e->scene.topology->regions, region)) {
        event_fail_override(e, region);
    }
}

/* In full; the stripe's lock is held. */
static RGNI_NOINLINE void fail(rgn_router *router, rgni_stripe *stripe, rgni_slot *slot, rgn_partition partition,
                               rgn_region region, rgn_direction direction, rgn_time_ns now)
{
    rgni_event e;

    rgni_event_open(&e, router, stripe, slot, partition, now);
    event_fail(&e, region, direction);
    rgni_event_end(&e);
}

void rgni_router_fail(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                      rgn_time_ns now)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    rgni_slot *slot;

    rgni_lock(&stripe->lock);
    slot = rgni_stripe_find(stripe, partition);
    if (slot != NULL && is_covered(router, rgni_router_topology(router), partition, region, direction) &&
        rgni_short_failure(&router->shorts, &slot->entry, region, direction, now))
        rgni_unlock(&stripe->lock);
    else
        fail(router, stripe, slot, partition, region, direction, now);
}

void rgn_router_record_failure(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                               rgn_time_ns now)
{
    if (partition < router->partition_count)
        rgni_router_fail(router, partition, region, direction, now);
}

void rgni_router_cut_write(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    const rgn_options *options = &router->options;
    rgni_event e;

    if (options->failover_cut_writes == 0 || partition >= router->partition_count)
        return;
    rgni_event_begin(&e, router, partition, now);
    if (rgni_failover_covers(e.scene.topology, RGN_WRITE) && rgn_region_in(e.scene.topology->regions, region) &&
        event_needs_side(&e) && rgni_cuts_add(&e.slot->side->cuts, options, now) >= options->failover_cut_writes)
        event_fail_override(&e, region);
    rgni_event_end(&e);
}

/* FLO-5: someone else has moved the partition's traffic away from the region meanwhile. */
static bool is_overtaken(const rgni_event *e, rgn_region region)
{
    if (e->had_entry && e->slot->entry.current != region && e->slot->entry.current != RGN_REGION_NONE)
        return true;
    return e->slot != NULL && e->slot->side != NULL && e->slot->side->override.is_set &&
           e->slot->side->override.current != region;
}

static rgn_region_set overtaken(rgn_router *router, rgn_partition partition, const rgn_region *regions, unsigned count,
                                rgn_time_ns now)
{
    rgn_region_set set = 0;
    rgni_event e;

    rgni_event_begin(&e, router, partition, now);
    for (unsigned i = 0; i < count; i++)
        if (is_overtaken(&e, regions[i]))
            set |= rgn_region_bit(regions[i]);
    rgni_event_end(&e);
    return set;
}

void rgn_router_flush_writes(rgn_router *router, rgn_partition partition, const rgn_region *regions, unsigned count,
                             rgn_time_ns now)
{
    rgn_region_set late;

    if (partition >= router->partition_count)
        return;
    late = overtaken(router, partition, regions, count, now);
    for (unsigned i = 0; i < count; i++)
        if (!rgn_region_in(late, regions[i]))
            rgn_router_record_failure(router, partition, regions[i], RGN_WRITE, now);
}

/* FLO-7: a read that looks for the hub found it, or did not. */
static void record_hub(rgn_router *router, rgn_partition partition, rgn_region region, bool is_hub, rgn_time_ns now)
{
    rgni_event e;

    if (partition >= router->partition_count || region >= RGN_REGIONS_MAX)
        return;
    rgni_event_begin(&e, router, partition, now);
    if (!e.scene.topology->automatic_failover) {
        rgni_event_end(&e);
        return;
    }
    if (!is_hub) {
        event_fail_override(&e, region);
    } else if (event_needs_side(&e)) {
        rgn_override last = e.slot->side->override;
        rgni_event_override_changed(&e, rgni_override_on_hub(&e.slot->side->override, region, now), region, last);
    }
    rgni_event_end(&e);
}

void rgn_router_record_hub(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    record_hub(router, partition, region, true, now);
}

void rgn_router_record_not_hub(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    record_hub(router, partition, region, false, now);
}

/* Makes room for short rows, if there is none. False: there was, or there is no memory: rows then lie in sides. */
static bool make_few_wins(rgn_router *router)
{
    rgni_few_wins *few = NULL, *made;

    if (atomic_load_explicit(&router->few_wins, memory_order_acquire) != NULL)
        return false;
    made = rgni_memory_take(&router->memory, rgni_few_wins_size(router)); /* zeroed, as all that it gives */
    if (made == NULL)
        return false;
    if (!atomic_compare_exchange_strong_explicit(&router->few_wins, &few, made, memory_order_acq_rel,
                                                 memory_order_acquire))
        rgni_memory_give(&router->memory, made, rgni_few_wins_size(router)); /* another stripe's were first */
    return true;
}

/* The event has a side: the partition's short row, if it has one, goes over to it. */
static void event_take_few_wins(rgni_event *e)
{
    rgni_few_wins *few = atomic_load_explicit(&e->router->few_wins, memory_order_acquire);

    if (few == NULL)
        return;
    rgni_few_wins_add(few[e->scene.partition], &e->slot->side->wins);
    few[e->scene.partition] = 0;
}

/* FLO-9, in full. */
static RGNI_NOINLINE void count_win(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    uint32_t wins;
    rgni_event e;

    if (make_few_wins(router)) {
        rgn_router_record_hedge_win(router, partition, region, now);
        return;
    }
    rgni_event_begin(&e, router, partition, now);
    if (rgni_router_counts_win(router, region) && event_needs_side(&e)) {
        event_take_few_wins(&e);
        rgni_event_show_health(&e);
        wins = rgni_wins_add(&e.slot->side->wins, region);
        if (wins >= router->options.breaker_consecutive_hedge_win_threshold &&
            rgni_breaker_on_hedge_wins(&e.slot->entry, rgni_event_share(&e), &e.scene, region, wins, &e.story))
            rgni_wins_clear(&e.slot->side->wins, region);
    }
    rgni_event_end(&e);
}

void rgn_router_record_hedge_win(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    if (partition < router->partition_count && !rgni_router_count_few_wins(router, partition, region))
        count_win(router, partition, region, now);
}

static RGNI_NOINLINE void end_row(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    rgni_event e;

    rgni_event_begin(&e, router, partition, now);
    if (e.slot != NULL && e.slot->side != NULL)
        rgni_wins_clear(&e.slot->side->wins, region);
    rgni_event_end(&e);
}

void rgni_router_end_wins(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    if (!rgni_router_end_few_wins(router, partition, region))
        end_row(router, partition, region, now);
}

void rgn_router_record_primary_win(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now)
{
    rgni_router_note_primary_win(router, partition, region, now);
}

void rgn_router_forget_entry(rgn_router *router, rgn_partition partition, rgn_time_ns now)
{
    rgni_event e;

    if (partition >= router->partition_count)
        return;
    rgni_event_begin(&e, router, partition, now);
    if (e.had_entry)
        rgni_entry_drop(&e.slot->entry, &e.scene, RGN_REASON_FORGOTTEN, &e.story);
    rgni_event_end(&e);
}

/* With rule windowed, no open probe, no trial and no recovery by requests nothing looks at ordinary successes. */
static bool looks_at_successes(const rgn_options *options)
{
    return options->breaker_rule != RGN_RULE_WINDOWED || rgni_probes_with_all(options) ||
           options->failback_strategy == RGN_STRATEGY_TENTATIVE || options->failback_request_recovery != RGN_TIME_NEVER;
}

uint8_t rgni_states_heard(const rgn_options *options)
{
    return looks_at_successes(options) ? RGNI_STATE_PHASE : 0;
}

void rgni_router_note_success(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                              bool is_below_400, rgn_time_ns now)
{
    const rgn_options *options = &router->options;
    rgni_event e;

    if ((rgni_router_state_of(router, partition) & (uint8_t)~RGNI_STATE_WINS) == 0 || !looks_at_successes(options))
        return;
    rgni_event_begin(&e, router, partition, now);
    rgni_event_show_health(&e);
    if (e.slot != NULL && (event_is_covered(&e, region, direction) || rgni_probes_with_all(options)))
        rgni_breaker_on_success(&e.slot->entry, rgni_event_share(&e), &e.scene, region, direction, is_below_400,
                                &e.story);
    rgni_event_end_in_place(&e);
}

void rgn_router_record_success(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                               rgn_time_ns now)
{
    rgni_router_note_success(router, partition, region, direction, true, now);
}

/* FBK-1: who may be a canary; only then does the sampler tick. */
static bool may_be_canary(const rgn_entry *entry, rgn_direction direction, rgn_region_set usable)
{
    return entry->phase == RGN_PHASE_RECOVERING && rgn_entry_is_tripped(entry, direction) &&
           rgn_region_in(usable, entry->first_failed);
}

/* In full; the stripe's lock is held, and the entry is one that this is to be asked of. */
static RGNI_NOINLINE rgn_region admit(rgn_router *router, rgni_stripe *stripe, rgni_slot *slot, rgn_direction direction,
                                      uint32_t hash, rgn_time_ns now, rgni_ticket *ticket)
{
    rgn_region region = slot->entry.first_failed;
    rgni_event e;

    rgni_event_open(&e, router, stripe, slot, slot->partition, now);
    if (!rgni_failback_admit(&slot->entry, rgni_event_share(&e), &e.scene, direction, hash, ticket, &e.story))
        region = RGN_REGION_NONE;
    rgni_event_end_in_place(&e);
    return region;
}

rgn_region rgni_router_admit(rgn_router *router, rgn_partition partition, rgn_direction direction,
                             rgn_region_set usable, uint32_t hash, rgn_time_ns now, rgni_ticket *ticket)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    rgn_region region = RGN_REGION_NONE;
    bool is_canary;
    rgni_slot *slot;

    rgni_lock(&stripe->lock);
    slot = rgni_stripe_find(stripe, partition);
    if (slot != NULL && may_be_canary(&slot->entry, direction, usable)) {
        if ((direction == RGN_WRITE && !rgni_router_topology(router)->multi_write) ||
            !rgni_short_admit(&router->shorts, &slot->entry, now, &is_canary))
            return admit(router, stripe, slot, direction, hash, now, ticket);
        if (is_canary) {
            region = slot->entry.first_failed;
            ticket->generation = slot->entry.generation;
            ticket->window_id = slot->entry.window_id;
        }
    }
    rgni_unlock(&stripe->lock);
    return region;
}

/* In full; the stripe's lock is held. */
static RGNI_NOINLINE void end_canary(rgn_router *router, rgni_stripe *stripe, rgni_slot *slot, rgn_partition partition,
                                     rgn_direction direction, rgni_ticket ticket, rgn_evidence evidence,
                                     rgn_time_ns now)
{
    rgni_event e;

    rgni_event_open(&e, router, stripe, slot, partition, now);
    if (slot != NULL)
        rgni_failback_on_result(&slot->entry, rgni_event_share(&e), &e.scene, ticket, evidence, direction, &e.story);
    else
        rgni_failback_count_late(&e.counters, evidence);
    rgni_event_end_in_place(&e);
}

void rgni_router_end_canary(rgn_router *router, rgn_partition partition, rgn_direction direction, rgni_ticket ticket,
                            rgn_evidence evidence, rgn_time_ns now)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    rgni_slot *slot;

    rgni_lock(&stripe->lock);
    slot = rgni_stripe_find(stripe, partition);
    if (slot != NULL && rgni_short_result(&router->shorts, &slot->entry, ticket, evidence, now))
        rgni_unlock(&stripe->lock);
    else
        end_canary(router, stripe, slot, partition, direction, ticket, evidence, now);
}
