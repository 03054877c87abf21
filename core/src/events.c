/* SPDX-License-Identifier: MIT */
/* Events: the one way in which a partition's state changes. Each takes its stripe's lock, lets a reducer change the
 * entry, stores what came out, and tells the observer after unlocking. Background work is a row of such events. */
#include "router_impl.h"

#include <assert.h>

/* --- the clock of background work -------------------------------------------------------------------------------- */

/* RTR-4: first tick of the grid start + k * interval, k >= 1, after `at`. */
static rgn_time_ns tick_after(const rgn_router *router, rgn_time_ns at)
{
    rgn_dur_ns interval = router->options.failback_sweep_interval;
    rgn_dur_ns since = rgn_time_elapsed(router->start, at);

    return rgn_time_add(router->start, rgn_time_add(since - since % interval, interval));
}

/* Publishes the next expiry; the clock's lock is held. */
static void clock_publish(rgn_router *router)
{
    rgn_time_ns next = router->clock.next_tick;

    if (router->options.failback_promote == RGN_PROMOTE_DUE) {
        for (uint32_t i = 0; i < router->stripe_count; i++)
            next = rgn_time_min(next, atomic_load_explicit(&router->clock.due[i], memory_order_relaxed));
    }
    atomic_store_explicit(&router->clock.next, next, memory_order_release);
}

/* An event at `now` changed the number of entries by -1, 0 or 1, or the stripe's first due time. RTR-5: ticks at which
 * no entry exists are skipped; a tick of this very instant counts as done. */
static void clock_update(rgn_router *router, const rgni_stripe *stripe, int change, rgn_time_ns now)
{
    const rgni_slot *first = rgni_stripe_first_due(stripe);
    rgn_time_ns due = first != NULL ? first->due : RGN_TIME_NEVER;
    _Atomic rgn_time_ns *stripe_due = &router->clock.due[stripe - router->stripes];

    if (change == 0 && due == atomic_load_explicit(stripe_due, memory_order_relaxed))
        return;
    rgni_lock(&router->clock.lock);
    atomic_store_explicit(stripe_due, due, memory_order_relaxed);
    router->clock.entries += (uint32_t)change;
    if (router->clock.entries == 0)
        router->clock.next_tick = RGN_TIME_NEVER;
    else if (router->clock.next_tick == RGN_TIME_NEVER)
        router->clock.next_tick = tick_after(router, now);
    clock_publish(router);
    rgni_unlock(&router->clock.lock);
}

/* True for the one caller that has to do the tick due at `now`. Ticks missed on the way are not caught up. */
static bool clock_claim_tick(rgn_router *router, rgn_time_ns now)
{
    bool is_due;

    rgni_lock(&router->clock.lock);
    is_due = router->clock.next_tick <= now;
    if (is_due) {
        router->clock.next_tick = tick_after(router, now);
        clock_publish(router);
    }
    rgni_unlock(&router->clock.lock);
    return is_due;
}

rgn_time_ns rgn_router_next_expiry(const rgn_router *router)
{
    return atomic_load_explicit(&router->clock.next, memory_order_acquire);
}

/* --- events on one partition ------------------------------------------------------------------------------------- */

/* One event on one partition, between rgni_lock() and event_end(). */
typedef struct {
    rgn_router *router;
    rgni_stripe *stripe;
    rgni_slot *slot;     /* NULL: no entry */
    bool is_new;         /* `slot` is reserved, not in the table */
    uint32_t generation; /* the router's counter when the event began */
    uint32_t generation_now;
    rgn_router_counters counters;
    rgni_scene scene;
    rgni_story story;
} event;

/* RTR-3: takes the stripe's lock. `e` may point into itself, so it must not move. */
static void event_begin(event *e, rgn_router *router, rgn_partition partition, rgn_time_ns now)
{
    e->router = router;
    e->stripe = &router->stripes[partition & (router->stripe_count - 1)];
    rgni_lock(&e->stripe->lock);
    e->slot = rgni_stripe_find(e->stripe, partition);
    e->is_new = false;
    /* RTR-9: other stripes may take the same numbers meanwhile: they only have to differ within a partition. */
    e->generation = atomic_load_explicit(&router->generation, memory_order_relaxed);
    e->generation_now = e->generation;
    e->counters = (rgn_router_counters){0};
    e->scene = (rgni_scene){.options = &router->options,
                            .topology = rgni_router_topology(router),
                            .random = &router->random,
                            .partition = partition,
                            .now = now,
                            .generation = &e->generation_now,
                            .counters = &e->counters};
    e->story.count = 0;
}

/* Makes sure that the event has a slot. RTR-2: without memory, routing stays as it is by default. */
static bool event_needs_slot(event *e)
{
    if (e->slot != NULL)
        return true;
    e->slot = rgni_stripe_reserve(e->stripe, &e->router->memory, e->scene.partition);
    e->is_new = e->slot != NULL;
    if (!e->is_new)
        atomic_fetch_add_explicit(&e->router->failed_allocations, 1, memory_order_relaxed);
    return e->is_new;
}

static rgn_share_tally *event_share(event *e)
{
    return e->slot == NULL ? NULL : rgni_slot_share(e->stripe, e->slot);
}

static void set_state_byte(rgn_router *router, rgn_partition partition, uint8_t state)
{
    unsigned shift = partition % 8 * 8;
    uint64_t change = (uint64_t)(rgni_router_state(router, partition) ^ state) << shift;

    /* Neighbours in the word belong to other stripes, so this must be one atomic step. */
    if (change != 0)
        atomic_fetch_xor_explicit(&router->states[partition / 8], change, memory_order_acq_rel);
}

/* Stores what the reducer left in the slot. */
static void event_store(event *e)
{
    bool is_absent = e->slot->entry.phase == RGN_PHASE_ABSENT;
    rgn_time_ns due = RGN_TIME_NEVER;
    int change = (is_absent ? 0 : 1) - (e->is_new ? 0 : 1);

    if (!is_absent && e->router->options.failback_promote == RGN_PROMOTE_DUE)
        due = rgni_failback_due(&e->slot->entry, &e->router->options);
    if (e->is_new && !is_absent)
        rgni_stripe_insert(e->stripe, e->slot);
    set_state_byte(e->router, e->scene.partition, rgni_state_byte(&e->slot->entry));
    rgni_stripe_set_due(e->stripe, e->slot, due);
    if (is_absent && e->is_new)
        rgni_stripe_cancel(e->stripe, e->slot);
    else if (is_absent)
        rgni_stripe_remove(e->stripe, e->slot);
    clock_update(e->router, e->stripe, change, e->scene.now);
}

/* Stores, gives the lock back and tells the observer. */
static void event_end(event *e)
{
    rgn_router *router = e->router;

    if (e->slot != NULL)
        event_store(e);
    if (e->generation_now != e->generation)
        atomic_fetch_add_explicit(&router->generation, e->generation_now - e->generation, memory_order_relaxed);
    rgni_unlock(&e->stripe->lock);
    if (e->counters.late_successes > 0)
        atomic_fetch_add_explicit(&router->late_successes, e->counters.late_successes, memory_order_relaxed);
    if (e->counters.late_failures > 0)
        atomic_fetch_add_explicit(&router->late_failures, e->counters.late_failures, memory_order_relaxed);
    for (unsigned i = 0; router->sink.on_transition != NULL && i < e->story.count; i++)
        router->sink.on_transition(router->sink.context, &e->story.transition[i]);
}

/* BRK-1, looked at under the lock, so that nothing is recorded after the breaker's edge has dropped the entries. */
static bool event_is_covered(const event *e, rgn_region region, rgn_direction direction)
{
    return rgni_router_covers(e->router, e->scene.topology, e->scene.partition, direction) &&
           rgn_region_in(e->scene.topology->regions, region);
}

void rgn_router_record_failure(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                               rgn_time_ns now)
{
    event e;

    if (partition >= router->partition_count)
        return;
    event_begin(&e, router, partition, now);
    if (event_is_covered(&e, region, direction) && event_needs_slot(&e))
        rgni_breaker_on_failure(&e.slot->entry, event_share(&e), &e.scene, region, direction, &e.story);
    event_end(&e);
}

/* The driver's open probe is decided by whatever happens next on the partition. */
static bool has_open_probes(const rgn_options *options)
{
    return options->failback_strategy == RGN_STRATEGY_PROBE && options->failback_probe_admission == RGN_PROBE_ALL;
}

/* With rule windowed and no open probe nothing looks at ordinary successes. */
void rgni_router_note_success(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                              bool is_below_400, rgn_time_ns now)
{
    const rgn_options *options = &router->options;
    event e;

    if (partition >= router->partition_count || rgni_router_state(router, partition) == 0 ||
        (options->breaker_rule == RGN_RULE_WINDOWED && !has_open_probes(options)))
        return;
    event_begin(&e, router, partition, now);
    if (e.slot != NULL && (event_is_covered(&e, region, direction) || has_open_probes(options)))
        rgni_breaker_on_success(&e.slot->entry, event_share(&e), &e.scene, region, direction, is_below_400, &e.story);
    event_end(&e);
}

void rgn_router_record_success(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                               rgn_time_ns now)
{
    rgni_router_note_success(router, partition, region, direction, true, now);
}

/* FBK-1: who may be a canary; only then does the sampler tick. */
static bool may_be_canary(const rgn_entry *entry, const rgn_route_query *query)
{
    rgn_region_set usable = query->topology->regions & ~(query->excluded | query->marked);

    return entry->phase == RGN_PHASE_RECOVERING && rgn_entry_is_tripped(entry, (rgn_direction)query->direction) &&
           rgn_region_in(usable, entry->first_failed);
}

bool rgni_router_admit(rgn_router *router, rgn_partition partition, const rgn_route_query *query, uint32_t hash,
                       rgn_time_ns now, rgn_region *region, rgni_ticket *ticket)
{
    bool is_canary = false;
    event e;

    event_begin(&e, router, partition, now);
    if (e.slot != NULL && may_be_canary(&e.slot->entry, query)) {
        *region = e.slot->entry.first_failed;
        is_canary = rgni_failback_admit(&e.slot->entry, event_share(&e), &e.scene, (rgn_direction)query->direction,
                                        hash, ticket, &e.story);
    }
    event_end(&e);
    return is_canary;
}

void rgni_router_end_canary(rgn_router *router, rgn_partition partition, rgn_direction direction, rgni_ticket ticket,
                            rgn_evidence evidence, rgn_time_ns now)
{
    rgn_entry absent = {.phase = RGN_PHASE_ABSENT};
    event e;

    event_begin(&e, router, partition, now);
    rgni_failback_on_result(e.slot != NULL ? &e.slot->entry : &absent, event_share(&e), &e.scene, ticket, evidence,
                            direction, &e.story);
    event_end(&e);
}

/* --- background work --------------------------------------------------------------------------------------------- */

/* RTR-7: no region is not a lost one. The driver keeps such entries: its routing passes them over. */
static bool lost_a_region(const rgn_entry *entry, const rgn_topology *topology)
{
    rgn_region_set named = rgn_region_bit(entry->first_failed) | rgn_region_bit(entry->current);

    return (named & ~topology->regions) != 0;
}

static void work_on(rgn_router *router, rgn_partition partition, rgni_work what, rgn_time_ns now)
{
    event e;

    event_begin(&e, router, partition, now);
    if (e.slot != NULL) {
        rgn_entry *entry = &e.slot->entry;
        switch (what) {
        case RGNI_WORK_TICK:
            rgni_failback_on_expiry(entry, event_share(&e), &e.scene, true, &e.story);
            break;
        case RGNI_WORK_FLAG_EDGE:
            rgni_entry_drop(entry, &e.scene, RGN_REASON_FLAG_EDGE, &e.story);
            break;
        case RGNI_WORK_REGION_REMOVED:
            if (router->options.routing_rules != RGN_ROUTING_DRIVER && lost_a_region(entry, e.scene.topology))
                rgni_entry_drop(entry, &e.scene, RGN_REASON_REGION_REMOVED, &e.story);
            break;
        }
    }
    event_end(&e);
}

/* RTR-6: all partitions with an entry, in partition order, each under its own lock. */
void rgni_router_work_on_all(rgn_router *router, rgni_work what, rgn_time_ns now)
{
    uint32_t words = rgni_state_words(router);

    for (uint32_t i = 0; i < words; i++) {
        uint64_t word = atomic_load_explicit(&router->states[i], memory_order_acquire);
        for (uint32_t j = 0; word != 0; j++, word >>= 8) {
            if ((word & UINT8_MAX) != 0)
                work_on(router, i * 8 + j, what, now);
        }
    }
}

/* Partition that is due first, in order of (due, partition) over all stripes; RGN_PARTITION_UNKNOWN if none is due. */
static rgn_partition first_due(rgn_router *router, rgn_time_ns now)
{
    rgn_partition partition = RGN_PARTITION_UNKNOWN;
    rgn_time_ns due = now;

    for (uint32_t i = 0; i < router->stripe_count; i++) {
        rgni_stripe *stripe = &router->stripes[i];
        const rgni_slot *slot;
        if (atomic_load_explicit(&router->clock.due[i], memory_order_relaxed) > due)
            continue;
        rgni_lock(&stripe->lock);
        slot = rgni_stripe_first_due(stripe);
        if (slot != NULL && (slot->due < due || (slot->due == due && slot->partition < partition))) {
            due = slot->due;
            partition = slot->partition;
        }
        rgni_unlock(&stripe->lock);
    }
    return partition;
}

/* FBK-5: a due expiry promotes and does nothing else. */
static void promote(rgn_router *router, rgn_partition partition, rgn_time_ns now)
{
    event e;

    event_begin(&e, router, partition, now);
    if (e.slot != NULL && e.slot->due <= now) {
        rgni_failback_on_expiry(&e.slot->entry, event_share(&e), &e.scene, false, &e.story);
        assert(rgni_failback_due(&e.slot->entry, &router->options) > now);
    }
    event_end(&e);
}

/* The core asks for no outside work yet: no endpoint probe, no refresh, hence no task. */
unsigned rgn_router_on_expiry(rgn_router *router, rgn_time_ns now, rgn_task *out, unsigned cap)
{
    rgn_partition partition;

    (void)out;
    (void)cap;
    if (clock_claim_tick(router, now))
        rgni_router_work_on_all(router, RGNI_WORK_TICK, now);
    if (router->options.failback_promote == RGN_PROMOTE_DUE) {
        while ((partition = first_due(router, now)) != RGN_PARTITION_UNKNOWN)
            promote(router, partition, now);
    }
    return 0;
}
