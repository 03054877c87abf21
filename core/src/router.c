/* SPDX-License-Identifier: MIT */
#include "router_impl.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(rgn_entry) <= 128, "an entry fits two cache lines");

/* --- creation ---------------------------------------------------------------------------------------------------- */

static bool config_is_valid(const rgn_router_config *config)
{
    return (config->strategy == NULL || rgn_options_validate(config->strategy, NULL) == RGN_OK) &&
           rgni_account_is_valid(config->account) && rgni_list_is_valid(&config->preferred) &&
           config->partition_count < RGN_PARTITION_UNKNOWN && config->lock_stripes >= 1 &&
           config->lock_stripes <= 1024 && config->probe_interval >= 0 && config->probe_interval != RGN_TIME_NEVER &&
           (config->lock_stripes & (config->lock_stripes - 1)) == 0 &&
           rgn_options_validate(&config->options, NULL) == RGN_OK;
}

static size_t states_size(const rgn_router *router)
{
    return (router->partition_count + (size_t)1) * sizeof router->states[0]; /* never nothing */
}

static size_t due_size(const rgn_router *router)
{
    return router->stripe_count * sizeof router->clock.due[0];
}

static size_t stripes_size(const rgn_router *router)
{
    return router->stripe_count * sizeof router->stripes[0];
}

static void router_init(rgn_router *router, const rgn_router_config *config)
{
    atomic_init(&router->snapshot, NULL);
    atomic_init(&router->epoch, 2);
    atomic_init(&router->few_wins, NULL);
    router->few_wins_end =
        (uint32_t)rgn_time_min(config->options.breaker_consecutive_hedge_win_threshold, RGNI_FEW_WINS_MAX + 1);
    rgni_marks_init(&router->marks, config->is_unshared);
    atomic_init(&router->is_breaker_on, false);
    router->excluded = config->excluded;
    router->home = 0;
    router->heard = rgni_states_heard(&config->options);
    router->heard_armed = router->heard | RGNI_STATE_WINS;
    router->races_plainly = config->options.hedging_policy == RGN_HEDGING_STATIC &&
                            config->options.breaker_cut_legs == RGN_CUT_LEGS_IGNORE &&
                            rgni_hedging_is_free(&config->options);
    router->partition_count = config->partition_count;
    router->options = config->options;
    router->shorts = rgni_short_of(&config->options);
    rgni_hedging_init(&router->hedging, &config->options, config->is_unshared);
    router->stripe_count = config->lock_stripes;
    rgni_clock_init(&router->clock, config->is_unshared);
    router->breaker_switch = config->breaker_switch;
    router->breaker_by_failover = RGN_SWITCH_UNSET;
    router->probe_interval = config->probe_interval;
    router->reads_account = config->reads_account;
    atomic_init(&router->gateway.is_off, false);
    atomic_init(&router->gateway.strategy, NULL);
    router->gateway.state = rgni_gateway_start(&config->options, config->account, config->strategy);
    rgni_gateway_publish(&router->gateway, &router->options);
    router->start = config->start;
    router->preferred = config->preferred;
    rgni_spin_init(&router->account_lock, config->is_unshared);
    router->random = config->random;
    router->sink = config->sink;
    router->memory.hooks = config->allocator;
    atomic_init(&router->memory.bytes, sizeof *router);
    atomic_init(&router->generation, 0);
    atomic_init(&router->late_successes, 0);
    atomic_init(&router->late_failures, 0);
    atomic_init(&router->failed_allocations, 0);
}

static rgni_beside beside_of(const rgn_options *options)
{
    if (options->breaker_health == RGN_HEALTH_REGION)
        return RGNI_BESIDE_HEALTH;
    return options->breaker_rule == RGN_RULE_SHARE ? RGNI_BESIDE_SHARE : RGNI_BESIDE_NOTHING;
}

rgn_router *rgn_router_create(const rgn_router_config *config, rgn_status *status)
{
    rgn_status ignored;
    rgn_router *router;
    rgni_snapshot *snapshot;
    rgn_topology topology;
    unsigned stripe_bits = 0;

    assert(config->allocator.allocate != NULL);
    assert(config->allocator.release != NULL);
    assert(config->random.below != NULL);
    status = status != NULL ? status : &ignored;
    *status = RGN_ERR_RANGE;
    if (!config_is_valid(config))
        return NULL;
    *status = RGN_ERR_NO_MEMORY;
    router = config->allocator.allocate(config->allocator.context, sizeof *router);
    if (router == NULL)
        return NULL;
    router_init(router, config);
    router->states = rgni_memory_take(&router->memory, states_size(router));
    router->clock.due = rgni_memory_take(&router->memory, due_size(router));
    router->stripes = rgni_memory_take(&router->memory, stripes_size(router));
    topology = rgni_topology_of(router, config->account);
    if (topology.read_order.count > 0)
        router->home = rgn_region_bit(topology.read_order.region[0]);
    snapshot = rgni_snapshot_create(router, &topology, 1);
    atomic_store_explicit(&router->snapshot, snapshot, memory_order_release);
    if (router->states == NULL || router->clock.due == NULL || router->stripes == NULL || snapshot == NULL) {
        rgn_router_destroy(router);
        return NULL;
    }
    for (uint32_t i = 0; i <= router->partition_count; i++)
        atomic_init(&router->states[i], 0);
    while (router->stripe_count >> stripe_bits > 1)
        stripe_bits++;
    for (uint32_t i = 0; i < router->stripe_count; i++) {
        atomic_init(&router->clock.due[i], RGN_TIME_NEVER);
        rgni_stripe_init(&router->stripes[i], beside_of(&router->options), rgni_promotes_when_due(&router->options),
                         stripe_bits, (router->partition_count >> stripe_bits) + 1);
        rgni_spin_init(&router->stripes[i].lock, config->is_unshared);
    }
    if (topology.automatic_failover && router->options.breaker_automatic_failover != RGN_FAILOVER_APART)
        router->breaker_by_failover = RGN_SWITCH_ON; /* RTR-12: a first account without it is no edge */
    atomic_store_explicit(&router->is_breaker_on, rgni_breaker_should_be_on(router, &snapshot->topology),
                          memory_order_release);
    if (router->reads_account)
        rgni_clock_start_refreshes(router);
    *status = RGN_OK;
    return router;
}

void rgn_router_destroy(rgn_router *router)
{
    rgni_snapshot *snapshot;

    if (router == NULL)
        return;
    snapshot = atomic_load_explicit(&router->snapshot, memory_order_acquire);
    while (snapshot != NULL) {
        rgni_snapshot *older = snapshot->older;
        rgni_memory_give(&router->memory, snapshot, sizeof *snapshot);
        snapshot = older;
    }
    for (uint32_t i = 0; router->stripes != NULL && i < router->stripe_count; i++)
        rgni_stripe_deinit(&router->stripes[i], &router->memory);
    rgni_memory_give(&router->memory, router->stripes, stripes_size(router));
    rgni_memory_give(&router->memory, (void *)router->clock.due, due_size(router));
    rgni_memory_give(&router->memory, atomic_load_explicit(&router->few_wins, memory_order_acquire),
                     rgni_few_wins_size(router));
    rgni_memory_give(&router->memory, (void *)router->states, states_size(router));
    router->memory.hooks.release(router->memory.hooks.context, router, sizeof *router);
}

/* --- questions --------------------------------------------------------------------------------------------------- */

/* What is asked of a partition; each may be NULL. */
typedef struct {
    rgn_entry *entry;
    rgn_share_tally *share; /* only where slots have one */
    rgn_health *health;     /* likewise */
    rgni_side *side;        /* the partition's short row of hedge wins is among its rows */
} copies;

/* Copies what the partition has, zeroes for the rest. */
static void copy_slot(const rgn_router *router, rgn_partition partition, copies out)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    rgni_slot *slot;

    rgni_lock(&stripe->lock);
    slot = rgni_stripe_find(stripe, partition);
    if (out.entry != NULL && slot != NULL)
        *out.entry = slot->entry;
    else if (out.entry != NULL)
        memset(out.entry, 0, sizeof *out.entry);
    if (out.share != NULL && slot != NULL && slot->entry.phase != RGN_PHASE_ABSENT)
        *out.share = *rgni_slot_share(stripe, slot);
    if (out.health != NULL && slot != NULL && slot->entry.phase != RGN_PHASE_ABSENT)
        *out.health = *rgni_slot_health(stripe, slot);
    if (out.side != NULL) {
        memset(out.side, 0, sizeof *out.side);
        if (slot != NULL && slot->side != NULL)
            *out.side = *slot->side;
        rgni_few_wins_add(rgni_router_few_wins(router, partition), &out.side->wins);
    }
    rgni_unlock(&stripe->lock);
}

void rgn_router_expect(const rgn_router *router, rgn_partition partition)
{
    rgni_stripe_expect(rgni_router_stripe(router, partition), partition);
}

rgn_phase rgn_router_phase(const rgn_router *router, rgn_partition partition)
{
    return rgni_state_phase(rgni_router_state_of(router, partition));
}

bool rgn_router_inspect(const rgn_router *router, rgn_partition partition, rgn_entry *out)
{
    if (rgn_router_phase(router, partition) != RGN_PHASE_ABSENT)
        copy_slot(router, partition, (copies){.entry = out});
    else
        memset(out, 0, sizeof *out);
    return out->phase != RGN_PHASE_ABSENT;
}

bool rgn_router_inspect_share(const rgn_router *router, rgn_partition partition, rgn_share_tally *out)
{
    rgn_entry entry = {.phase = RGN_PHASE_ABSENT};

    memset(out, 0, sizeof *out);
    if (router->options.breaker_rule == RGN_RULE_SHARE && rgni_router_state_of(router, partition) != 0)
        copy_slot(router, partition, (copies){.entry = &entry, .share = out});
    return entry.phase != RGN_PHASE_ABSENT;
}

bool rgn_router_inspect_health(const rgn_router *router, rgn_partition partition, rgn_health *out)
{
    rgn_entry entry = {.phase = RGN_PHASE_ABSENT};

    memset(out, 0, sizeof *out);
    if (router->options.breaker_health == RGN_HEALTH_REGION && rgni_router_state_of(router, partition) != 0)
        copy_slot(router, partition, (copies){.entry = &entry, .health = out});
    return entry.phase != RGN_PHASE_ABSENT;
}

bool rgn_router_inspect_override(const rgn_router *router, rgn_partition partition, rgn_override *out)
{
    rgni_side side;

    memset(out, 0, sizeof *out);
    if ((rgni_router_state_of(router, partition) & RGNI_STATE_OVERRIDE) == 0)
        return false;
    copy_slot(router, partition, (copies){.side = &side});
    *out = side.override;
    return out->is_set;
}

uint32_t rgn_router_hedge_wins(const rgn_router *router, rgn_partition partition, rgn_region region)
{
    rgni_side side;

    if ((rgni_router_state_of(router, partition) & RGNI_STATE_WINS) == 0)
        return 0;
    copy_slot(router, partition, (copies){.side = &side});
    return rgni_wins_of(&side.wins, region);
}

rgn_region_set rgni_router_failed(const rgn_router *router, rgn_partition partition, rgn_direction direction)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    rgn_region_set failed = 0;
    rgni_slot *slot;

    rgni_lock(&stripe->lock);
    slot = rgni_stripe_find(stripe, partition);
    if (slot != NULL && rgn_entry_is_tripped(&slot->entry, direction))
        failed = slot->entry.failed;
    rgni_unlock(&stripe->lock);
    return failed;
}

rgn_router_counters rgn_router_get_counters(const rgn_router *router)
{
    return (rgn_router_counters){
        .late_successes = atomic_load_explicit(&router->late_successes, memory_order_relaxed),
        .late_failures = atomic_load_explicit(&router->late_failures, memory_order_relaxed),
        .failed_allocations = atomic_load_explicit(&router->failed_allocations, memory_order_relaxed),
    };
}

const rgn_topology *rgn_router_topology(const rgn_router *router)
{
    return rgni_router_topology(router);
}

rgn_route_answer rgni_router_route(const rgn_router *router, rgn_partition partition, bool is_covered,
                                   rgn_route_query *query, const rgn_options *options)
{
    uint8_t state = rgni_router_state_of(router, partition);
    bool needs_entry = is_covered && rgni_state_phase(state) != RGN_PHASE_ABSENT;
    bool needs_override = (state & RGNI_STATE_OVERRIDE) != 0;
    rgn_entry entry;
    rgni_side side;

    query->entry = NULL;
    query->override = NULL;
    if (needs_entry || needs_override)
        copy_slot(router, partition,
                  (copies){.entry = needs_entry ? &entry : NULL, .side = needs_override ? &side : NULL});
    if (needs_entry && entry.phase != RGN_PHASE_ABSENT)
        query->entry = &entry;
    if (needs_override && side.override.is_set)
        query->override = &side.override;
    return rgn_route(query, options);
}

rgn_route_answer rgn_router_route(const rgn_router *router, rgn_partition partition, rgn_route_query query,
                                  rgn_time_ns now)
{
    rgn_direction direction = (rgn_direction)query.direction;

    query.topology = rgni_router_topology(router);
    query.marked = rgni_marks_now(router, direction, now);
    return rgni_router_route(router, partition,
                             !query.is_container_level &&
                                 rgni_router_covers(router, query.topology, partition, direction),
                             &query, &router->options);
}

rgn_applicable rgn_router_applicable(const rgn_router *router, rgn_partition partition, rgn_applicable_query query,
                                     rgn_time_ns now)
{
    rgn_direction direction = (rgn_direction)query.direction;
    rgn_override override;
    rgn_entry entry;

    query.topology = rgni_router_topology(router);
    query.marked = rgni_marks_now(router, direction, now);
    query.tripped.count = 0;
    if (rgni_router_covers(router, query.topology, partition, direction) &&
        rgn_router_inspect(router, partition, &entry) && rgn_entry_is_tripped(&entry, direction))
        query.tripped = rgni_failed_list(&entry);
    query.override = rgn_router_inspect_override(router, partition, &override) ? override.current : RGN_REGION_NONE;
    return rgn_applicable_regions(&query, &router->options);
}

size_t rgn_router_memory(const rgn_router *router)
{
    return atomic_load_explicit(&router->memory.bytes, memory_order_relaxed);
}
