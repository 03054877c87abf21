/* SPDX-License-Identifier: MIT */
/* What the account says, and what follows from it: topologies, the breaker's switch, the gateway's switch. */
#include "router_impl.h"

#include <string.h>

bool rgni_list_is_valid(const rgn_region_list *list)
{
    rgn_region_set seen = 0;

    if (list->count > RGN_REGIONS_MAX)
        return false;
    for (unsigned i = 0; i < list->count; i++) {
        rgn_region_set bit = rgn_region_bit(list->region[i]);
        if (bit == 0 || (seen & bit) != 0)
            return false;
        seen |= bit;
    }
    return true;
}

bool rgni_account_is_valid(const rgn_account *account)
{
    return rgni_list_is_valid(&account->readable) && rgni_list_is_valid(&account->writable) &&
           account->hedging_disabled <= RGN_SIGNAL_TRUE;
}

/* How many of the list's regions the caller named. */
static uint8_t count_in(const rgn_region_list *list, const rgn_region_list *named)
{
    rgn_region_set both = rgn_region_list_set(list) & rgn_region_list_set(named);
    uint8_t count = 0;

    for (; both != 0; both &= both - 1)
        count++;
    return count;
}

/* RTE-1. What the account's lists and flags mean to this client; the generation is left to the caller. */
rgn_topology rgni_topology_of(const rgn_router *router, const rgn_account *account)
{
    return (rgn_topology){
        .read_order = rgn_region_list_prefer(&account->readable, &router->preferred),
        .write_order = rgn_region_list_prefer(&account->writable, &router->preferred),
        .regions = rgn_region_list_set(&account->readable) | rgn_region_list_set(&account->writable),
        .hub = account->writable.count > 0 ? account->writable.region[0] : RGN_REGION_NONE,
        .multi_write = account->multi_write,
        .automatic_failover = rgni_gateway_failover(&router->gateway.state, &router->options, account),
        .has_preferred = router->preferred.count > 0,
        .preferred_reads = count_in(&account->readable, &router->preferred),
        .preferred_writes = count_in(&account->writable, &router->preferred),
    };
}

static bool list_is_same(const rgn_region_list *a, const rgn_region_list *b)
{
    return a->count == b->count && memcmp(a->region, b->region, a->count * sizeof a->region[0]) == 0;
}

/* RTR-11: nothing that routing looks at differs. */
static bool topology_is_same(const rgn_topology *a, const rgn_topology *b)
{
    return list_is_same(&a->read_order, &b->read_order) && list_is_same(&a->write_order, &b->write_order) &&
           a->hub == b->hub && a->multi_write == b->multi_write && a->automatic_failover == b->automatic_failover &&
           a->preferred_reads == b->preferred_reads && a->preferred_writes == b->preferred_writes;
}

/* `number` is the topology's generation. */
rgni_snapshot *rgni_snapshot_create(rgn_router *router, const rgn_topology *topology, uint32_t number)
{
    rgni_snapshot *snapshot = rgni_memory_take(&router->memory, sizeof *snapshot);

    if (snapshot == NULL)
        return NULL;
    snapshot->topology = *topology;
    snapshot->topology.generation = number;
    return snapshot;
}

/* --- changes ----------------------------------------------------------------------------------------------------- */

/* RTR-12: what the account's automatic failover has done to the breaker. The account's lock is held. */
static void follow_failover(rgn_router *router, bool is_on)
{
    int64_t rule = router->options.breaker_automatic_failover;

    if (rule == RGN_FAILOVER_FOLLOW)
        router->breaker_by_failover = is_on ? RGN_SWITCH_ON : RGN_SWITCH_OFF;
    else if (rule == RGN_FAILOVER_LATCH && is_on)
        router->breaker_by_failover = RGN_SWITCH_ON;
}

/* RTR-10: the kill switch decides; without one the options do, and with the driver's rules automatic failover brings
 * the breaker along. */
bool rgni_breaker_should_be_on(const rgn_router *router, const rgn_topology *topology)
{
    bool comes_along = topology->automatic_failover && router->options.routing_rules == RGN_ROUTING_DRIVER;

    if (router->breaker_switch != RGN_SWITCH_UNSET)
        return router->breaker_switch == RGN_SWITCH_ON;
    if (router->breaker_by_failover != RGN_SWITCH_UNSET)
        return router->breaker_by_failover == RGN_SWITCH_ON;
    return router->options.breaker_enabled != 0 || comes_along;
}

/* RTR-8: an edge forgets all; the switch comes first, so that no event in between is recorded behind the scan. */
static void put_breaker(rgn_router *router, bool is_on, rgn_time_ns now)
{
    bool was_on = atomic_exchange_explicit(&router->is_breaker_on, is_on, memory_order_acq_rel);

    if (was_on == is_on)
        return;
    rgni_router_outdate_plans(router);
    rgni_router_work_on_all(router, RGNI_WORK_BREAKER_EDGE, now);
}

/* Tells of what the account's switches have done to the strategy. No lock is held. */
static void tell_gateway(const rgn_router *router, const rgn_gateway_change *change)
{
    if (change->reason != RGN_REASON_NONE && router->sink.on_gateway != NULL)
        router->sink.on_gateway(router->sink.context, change);
}

/* The account's lock is held. */
static void publish_gateway(rgn_router *router)
{
    rgni_gateway_publish(&router->gateway, &router->options);
    rgni_router_outdate_plans(router);
}

/* GWY-3; the account's lock is held. */
static rgn_gateway_change refresh_gateway(rgn_router *router, const rgn_account *account, rgn_time_ns now)
{
    rgn_gateway_change change = {.at = now, .before = router->gateway.state};

    change.reason = (uint8_t)rgni_gateway_refresh(&router->gateway.state, &router->options, account);
    change.after = router->gateway.state;
    if (change.reason != RGN_REASON_NONE)
        publish_gateway(router);
    return change;
}

/* The account's topology in place of `older`; `older` itself where that stays; NULL without memory. The account's lock
 * is held. */
static rgni_snapshot *renew_snapshot(rgn_router *router, rgni_snapshot *older, const rgn_account *account,
                                     bool only_if_changed)
{
    rgn_topology topology = rgni_topology_of(router, account);
    rgni_snapshot *newer;

    if (only_if_changed && topology_is_same(&topology, &older->topology))
        return older;
    newer = rgni_snapshot_create(router, &topology, older->topology.generation + 1);
    if (newer == NULL)
        return NULL;
    newer->older = older;
    atomic_store_explicit(&router->snapshot, newer, memory_order_release);
    rgni_router_outdate_plans(router);
    return newer;
}

static rgn_status take_account(rgn_router *router, const rgn_account *account, bool only_if_changed, rgn_time_ns now)
{
    rgn_gateway_change change = {.reason = RGN_REASON_NONE};
    bool is_failover_edge = false;
    bool is_breaker_on = false;
    rgni_snapshot *older;
    rgni_snapshot *newer;

    if (!rgni_account_is_valid(account))
        return RGN_ERR_RANGE;
    rgni_lock(&router->account_lock);
    older = atomic_load_explicit(&router->snapshot, memory_order_relaxed);
    newer = renew_snapshot(router, older, account, only_if_changed);
    if (newer != NULL) {
        is_failover_edge = newer->topology.automatic_failover != older->topology.automatic_failover;
        if (is_failover_edge)
            follow_failover(router, newer->topology.automatic_failover);
        is_breaker_on = rgni_breaker_should_be_on(router, &newer->topology);
        change = refresh_gateway(router, account, now);
    }
    rgni_unlock(&router->account_lock);
    if (newer == NULL)
        return RGN_ERR_NO_MEMORY;
    tell_gateway(router, &change);
    if (newer == older)
        return RGN_OK;
    put_breaker(router, is_breaker_on, now);
    if (is_failover_edge) /* FLO-10: what was learnt before says nothing of now */
        rgni_router_work_on_all(router, RGNI_WORK_FAILOVER_EDGE, now);
    rgni_router_work_on_all(router, RGNI_WORK_REGION_REMOVED, now);
    rgni_clock_plan_probes(router, now);
    return RGN_OK;
}

rgn_status rgn_router_set_account(rgn_router *router, const rgn_account *account, rgn_time_ns now)
{
    return take_account(router, account, false, now);
}

rgn_status rgn_router_answer_refresh(rgn_router *router, const rgn_account *account, rgn_time_ns now)
{
    rgn_status status = account == NULL ? RGN_OK : take_account(router, account, true, now);

    rgni_clock_end_refresh(router, account == NULL || status != RGN_OK);
    return status;
}

rgn_status rgn_router_set_strategy(rgn_router *router, const rgn_options *strategy)
{
    if (strategy != NULL && rgn_options_validate(strategy, NULL) != RGN_OK)
        return RGN_ERR_RANGE;
    rgni_lock(&router->account_lock);
    rgni_gateway_put_customer(&router->gateway.state, &router->options, strategy);
    publish_gateway(router);
    rgni_unlock(&router->account_lock);
    return RGN_OK;
}

rgn_gateway rgn_router_gateway(rgn_router *router)
{
    rgn_gateway gateway;

    rgni_lock(&router->account_lock);
    gateway = router->gateway.state;
    rgni_unlock(&router->account_lock);
    return gateway;
}

void rgn_router_set_breaker_switch(rgn_router *router, rgn_switch position, rgn_time_ns now)
{
    bool is_on;

    rgni_lock(&router->account_lock);
    router->breaker_switch = position;
    is_on = rgni_breaker_should_be_on(router, rgni_router_topology(router));
    rgni_unlock(&router->account_lock);
    put_breaker(router, is_on, now);
}

void rgn_router_set_breaker_enabled(rgn_router *router, bool enabled, rgn_time_ns now)
{
    rgn_router_set_breaker_switch(router, enabled ? RGN_SWITCH_ON : RGN_SWITCH_OFF, now);
}

bool rgn_router_breaker_is_on(const rgn_router *router)
{
    return atomic_load_explicit(&router->is_breaker_on, memory_order_acquire);
}
