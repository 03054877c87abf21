/* SPDX-License-Identifier: MIT */
/* The clock of background work: the ticks of the sweep, due promotions, probes of marked endpoints, and readings of the
 * account. */
#include "router_impl.h"

void rgni_clock_init(rgni_clock *clock, bool is_unshared)
{
    rgni_spin_init(&clock->lock, is_unshared);
    clock->entries = 0;
    clock->next_tick = RGN_TIME_NEVER;
    clock->next_probe = RGN_TIME_NEVER;
    clock->next_refresh = RGN_TIME_NEVER;
    clock->refresh_asked = RGN_TIME_NEVER;
    clock->is_refreshing = false;
    atomic_init(&clock->next, RGN_TIME_NEVER);
}

/* RTR-4: first tick of the grid start + k * interval, k >= 1, after `at`. */
static rgn_time_ns tick_after(const rgn_router *router, rgn_dur_ns interval, rgn_time_ns at)
{
    rgn_dur_ns since = rgn_time_elapsed(router->start, at);

    return rgn_time_add(router->start, rgn_time_add(since - since % interval, interval));
}

/* Publishes the next expiry; the clock's lock is held. */
static void publish(rgn_router *router)
{
    rgn_time_ns next = rgn_time_min(router->clock.next_tick, router->clock.next_probe);

    next = rgn_time_min(next, router->clock.next_refresh);
    if (rgni_promotes_when_due(&router->options)) {
        for (uint32_t i = 0; i < router->stripe_count; i++)
            next = rgn_time_min(next, atomic_load_explicit(&router->clock.due[i], memory_order_relaxed));
    }
    atomic_store_explicit(&router->clock.next, next, memory_order_release);
}

/* RTR-5: ticks at which no entry exists are skipped; a tick of this very instant counts as done. */
void rgni_clock_update(rgn_router *router, const rgni_stripe *stripe, int change, rgn_time_ns now)
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
        router->clock.next_tick = tick_after(router, router->options.failback_sweep_interval, now);
    publish(router);
    rgni_unlock(&router->clock.lock);
}

/* Ticks missed on the way are not caught up. */
bool rgni_clock_claim_tick(rgn_router *router, rgn_time_ns now)
{
    bool is_due;

    rgni_lock(&router->clock.lock);
    is_due = router->clock.next_tick <= now;
    if (is_due) {
        router->clock.next_tick = tick_after(router, router->options.failback_sweep_interval, now);
        publish(router);
    }
    rgni_unlock(&router->clock.lock);
    return is_due;
}

/* END-6: the first probe tick after `now` at which a mark is due; the clock's lock is held. */
static void plan_probes(rgn_router *router, rgn_time_ns now)
{
    rgn_time_ns due = rgni_marks_first_due(router);

    router->clock.next_probe = RGN_TIME_NEVER;
    if (due != RGN_TIME_NEVER)
        router->clock.next_probe = tick_after(router, router->probe_interval, due - 1 > now ? due - 1 : now);
    publish(router);
}

void rgni_clock_plan_probes(rgn_router *router, rgn_time_ns now)
{
    if (router->probe_interval == 0)
        return;
    rgni_lock(&router->clock.lock);
    plan_probes(router, now);
    rgni_unlock(&router->clock.lock);
}

bool rgni_clock_claim_probes(rgn_router *router, rgn_time_ns now)
{
    bool is_due;

    if (router->probe_interval == 0)
        return false;
    rgni_lock(&router->clock.lock);
    is_due = router->clock.next_probe <= now;
    if (is_due)
        plan_probes(router, now);
    rgni_unlock(&router->clock.lock);
    return is_due;
}

void rgni_clock_start_refreshes(rgn_router *router)
{
    router->clock.next_refresh = tick_after(router, router->options.gateway_refresh_interval, router->start);
    publish(router);
}

/* GWY-11: on a grid of the client's own; one at a time, a tick that finds one under way is passed over. */
bool rgni_clock_claim_refresh(rgn_router *router, rgn_time_ns now)
{
    bool is_due;

    if (!router->reads_account)
        return false;
    rgni_lock(&router->clock.lock);
    is_due = router->clock.next_refresh <= now;
    if (is_due) {
        router->clock.next_refresh = tick_after(router, router->options.gateway_refresh_interval, now);
        publish(router);
        is_due = !router->clock.is_refreshing;
        router->clock.is_refreshing = true;
    }
    rgni_unlock(&router->clock.lock);
    return is_due;
}

/* GWY-12: many failures ask at once; one of them is heard. */
void rgni_clock_ask_refresh(rgn_router *router, rgn_time_ns now)
{
    rgni_clock *clock = &router->clock;

    if (!router->reads_account)
        return;
    rgni_lock(&clock->lock);
    if (!clock->is_refreshing &&
        (clock->refresh_asked == RGN_TIME_NEVER ||
         rgn_time_elapsed(clock->refresh_asked, now) >= router->options.gateway_refresh_lease)) {
        clock->refresh_asked = now;
        clock->next_refresh = rgn_time_min(clock->next_refresh, now);
        publish(router);
    }
    rgni_unlock(&clock->lock);
}

/* GWY-13: a reading that failed does not keep others from asking. */
void rgni_clock_end_refresh(rgn_router *router, bool has_failed)
{
    rgni_lock(&router->clock.lock);
    router->clock.is_refreshing = false;
    if (has_failed)
        router->clock.refresh_asked = RGN_TIME_NEVER;
    rgni_unlock(&router->clock.lock);
}

rgn_time_ns rgn_router_next_expiry(const rgn_router *router)
{
    return atomic_load_explicit(&router->clock.next, memory_order_acquire);
}

rgn_partition rgni_clock_first_due(rgn_router *router, rgn_time_ns now)
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
