/* SPDX-License-Identifier: MIT */
/* Background work: events that no operation has caused. Ticks, promotions, connections, and what a new topology or an
 * edge of a switch does to every partition. */
#include "event.h"

#include <assert.h>
#include <string.h>

/* RTR-7: no region is not a lost one. The driver keeps such entries: its routing passes them over. `health` may be
 * NULL. */
static bool lost_a_region(const rgn_entry *entry, const rgn_health *health, const rgn_topology *topology)
{
    rgn_region_set named = rgn_region_bit(entry->first_failed) | rgn_region_bit(entry->current);

    if (health != NULL)
        named |= health->unavailable | health->on_trial;
    return (named & ~topology->regions) != 0;
}

static void drop_override(rgni_event *e, rgn_reason reason)
{
    rgn_override last = e->slot->side->override;

    memset(&e->slot->side->override, 0, sizeof last);
    rgni_event_override_changed(e, reason, RGN_REGION_NONE, last);
}

static void drop_what_lost_a_region(rgni_event *e)
{
    const rgn_topology *topology = e->scene.topology;

    if (e->router->options.routing_rules == RGN_ROUTING_DRIVER)
        return;
    if (e->had_entry && lost_a_region(&e->slot->entry, e->scene.health, topology))
        rgni_entry_drop(&e->slot->entry, &e->scene, RGN_REASON_REGION_REMOVED, &e->story);
    if (e->slot->side != NULL && e->slot->side->override.is_set &&
        !rgn_region_in(topology->regions, e->slot->side->override.current))
        drop_override(e, RGN_REASON_REGION_REMOVED);
}

/* In full; the stripe's lock is held. */
static RGNI_NOINLINE bool do_work(rgn_router *router, rgni_stripe *stripe, rgni_slot *slot, rgn_partition partition,
                                  rgni_work what, rgn_time_ns now)
{
    bool is_in_place = what == RGNI_WORK_TICK;
    rgni_event e;

    rgni_event_open(&e, router, stripe, slot, partition, now);
    rgni_event_show_health(&e);
    switch (what) {
    case RGNI_WORK_TICK:
        if (e.slot->side != NULL && rgni_cuts_are_old(&e.slot->side->cuts, &router->options, now)) {
            e.slot->side->cuts.count = 0;
            is_in_place = false;
        }
        rgni_failback_on_expiry(&e.slot->entry, rgni_event_share(&e), &e.scene, true, &e.story);
        break;
    case RGNI_WORK_BREAKER_EDGE:
        if (e.had_entry)
            rgni_entry_drop(&e.slot->entry, &e.scene, RGN_REASON_FLAG_EDGE, &e.story);
        break;
    case RGNI_WORK_FAILOVER_EDGE:
        if (e.slot->side != NULL && e.slot->side->override.is_set)
            drop_override(&e, RGN_REASON_FLAG_EDGE);
        if (e.slot->side != NULL)
            e.slot->side->cuts.count = 0;
        break;
    case RGNI_WORK_REGION_REMOVED:
        drop_what_lost_a_region(&e);
        break;
    }
    if (is_in_place)
        rgni_event_end_in_place(&e);
    else
        rgni_event_end(&e);
    return what == RGNI_WORK_TICK && e.story.count == RGNI_STORY_MAX;
}

/* Does that to the partition, whose tick may leave more to do than one story tells: true if it has to come again. */
static bool work_on(rgn_router *router, rgn_partition partition, rgni_work what, rgn_time_ns now)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    rgni_slot *slot;

    rgni_lock(&stripe->lock);
    slot = rgni_stripe_find(stripe, partition);
    if (slot != NULL && (what != RGNI_WORK_TICK || (rgni_router_state(router, partition) & RGNI_STATE_CUTS) != 0 ||
                         !rgni_short_tick(&router->shorts, &slot->entry, now)))
        return do_work(router, stripe, slot, partition, what, now);
    rgni_unlock(&stripe->lock);
    return false;
}

enum { AHEAD = 8 }; /* partitions that are worked on while one's slot is fetched */

/* RTR-6: all partitions with a state, in partition order, each under its own lock. */
void rgni_router_work_on_all(rgn_router *router, rgni_work what, rgn_time_ns now)
{
    for (rgn_partition partition = 0; partition < router->partition_count; partition++) {
        if (partition + AHEAD < router->partition_count)
            rgni_stripe_expect(rgni_router_stripe(router, partition + AHEAD), partition + AHEAD);
        if (rgni_router_state(router, partition) == 0)
            continue;
        while (work_on(router, partition, what, now))
            continue;
    }
}

/* FBK-28, FBK-37: the regions of a partition that a connection is to be tried to. */
static rgn_region_set awaited_regions(const rgn_router *router, rgn_partition partition, const rgn_entry *entry,
                                      rgn_time_ns now)
{
    const rgn_options *options = &router->options;
    rgn_health health;

    if (options->breaker_health == RGN_HEALTH_REGION)
        return !rgn_router_inspect_health(router, partition, &health)
                   ? 0
                   : rgni_health_due_regions(entry, &health, options, now) & rgni_router_topology(router)->regions;
    if (!rgni_failback_awaits_connection(entry, options) || rgni_failback_due(entry, options) > now)
        return 0;
    return rgn_region_bit(entry->first_failed);
}

/* One partition's, in the order of the regions' numbers. */
static unsigned plan_connections_of(const rgn_router *router, rgn_partition partition, rgn_time_ns now, rgn_task *out,
                                    unsigned cap)
{
    rgn_region_set awaited;
    rgn_entry entry;
    unsigned count = 0;

    if (!rgn_router_inspect(router, partition, &entry))
        return 0;
    awaited = awaited_regions(router, partition, &entry, now);
    for (rgn_region region = 0; region < RGN_REGIONS_MAX && count < cap; region++) {
        if (!rgn_region_in(awaited, region))
            continue;
        out[count++] = (rgn_task){.kind = RGN_TASK_CONNECT_PARTITION,
                                  .region = region,
                                  .partition = partition,
                                  .generation = entry.generation};
    }
    return count;
}

/* FBK-28: one connection to each region that a promotion waits for, in partition order. */
static unsigned plan_connections(const rgn_router *router, rgn_time_ns now, rgn_task *out, unsigned cap)
{
    unsigned count = 0;

    for (rgn_partition partition = 0; partition < router->partition_count && count < cap; partition++)
        if (rgni_state_phase(rgni_router_state(router, partition)) != RGN_PHASE_ABSENT)
            count += plan_connections_of(router, partition, now, out + count, cap - count);
    return count;
}

void rgni_router_answer_connection(rgn_router *router, const rgn_task *task, rgn_time_ns now)
{
    rgni_event e;

    if (task->partition >= router->partition_count)
        return;
    rgni_event_begin(&e, router, task->partition, now);
    rgni_event_show_health(&e);
    if (e.had_entry)
        rgni_failback_on_connection(&e.slot->entry, rgni_event_share(&e), &e.scene, task->region, task->generation,
                                    &e.story);
    rgni_event_end(&e);
}

/* FBK-5: a due expiry promotes and does nothing else. */
static void promote(rgn_router *router, rgn_partition partition, rgn_time_ns now)
{
    rgni_event e;

    rgni_event_begin(&e, router, partition, now);
    rgni_event_show_health(&e);
    if (e.slot != NULL && e.slot->due <= now) {
        rgni_failback_on_expiry(&e.slot->entry, rgni_event_share(&e), &e.scene, false, &e.story);
        assert(e.story.count == RGNI_STORY_MAX || rgni_event_due(&e) > now);
    }
    rgni_event_end(&e);
}

unsigned rgn_router_on_expiry(rgn_router *router, rgn_time_ns now, rgn_task *out, unsigned cap)
{
    rgn_partition partition;
    unsigned count = 0;

    bool is_tick = rgni_clock_claim_tick(router, now);

    if (is_tick)
        rgni_router_work_on_all(router, RGNI_WORK_TICK, now);
    if (rgni_promotes_when_due(&router->options)) {
        while ((partition = rgni_clock_first_due(router, now)) != RGN_PARTITION_UNKNOWN)
            promote(router, partition, now);
    }
    if (cap > 0 && rgni_clock_claim_refresh(router, now)) {
        out[count++] =
            (rgn_task){.kind = RGN_TASK_REFRESH_ACCOUNT, .region = RGN_REGION_NONE, .partition = RGN_PARTITION_UNKNOWN};
    }
    if (rgni_clock_claim_probes(router, now))
        count += rgn_router_due_probes(router, now, out + count, cap - count);
    if (is_tick && router->options.failback_promote_on == RGN_PROMOTE_ON_CONNECTION)
        count += plan_connections(router, now, out + count, cap - count);
    return count;
}
