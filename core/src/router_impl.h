/* SPDX-License-Identifier: MIT */
/* The router's insides, shared by router.c, endpoint.c and the operation pipeline.
 *
 * Locks, always taken in this order and never two of a kind: account, stripe, clock. The sink is called with none held.
 */
#ifndef REGIONCORE_SRC_ROUTER_IMPL_H
#define REGIONCORE_SRC_ROUTER_IMPL_H

#include <stdatomic.h>

#include <regioncore/router.h>

#include "entry.h"
#include "event_short.h"
#include "gateway_impl.h"
#include "hedging_impl.h"
#include "routing_impl.h"
#include "store.h"

/* Off the path of a healthy operation. */
#define RGNI_NOINLINE __attribute__((noinline))

/* An immutable topology. Old ones stay until the router goes, for a reader may still hold one. */
typedef struct rgni_snapshot {
    rgn_topology topology;
    struct rgni_snapshot *older;
} rgni_snapshot;

/* END-1: one mark per region. A reader loads `marked` first: no bit, no more to read. */
typedef struct {
    rgni_spin lock; /* writers only */
    _Atomic rgn_region_set marked;
    _Atomic rgn_region_set write_only; /* the mark's reason concerns writes only */
    _Atomic rgn_time_ns marked_at[RGN_REGIONS_MAX];
    _Atomic uint8_t why[RGN_REGIONS_MAX]; /* rgn_mark_reason */
} rgni_marks;

/* When background work is due. */
typedef struct {
    rgni_spin lock;
    uint32_t entries;          /* over all stripes */
    rgn_time_ns next_tick;     /* NEVER without entries */
    rgn_time_ns next_probe;    /* NEVER without a mark to probe */
    rgn_time_ns next_refresh;  /* NEVER if the caller does not read the account */
    rgn_time_ns refresh_asked; /* when a failure last asked for one and was heard; NEVER: not yet */
    bool is_refreshing;
    _Atomic rgn_time_ns next; /* the least of these and the stripes' first due times */
    _Atomic rgn_time_ns *due; /* per stripe; written under both locks */
} rgni_clock;

struct rgn_router {
    /* Read by every operation, written rarely. */
    _Atomic(rgni_snapshot *) snapshot;
    /* Moves on by two after each change of what plans are made of: snapshot, breaker, gateway. Never 0. Odd while an
     * endpoint is marked: there are no plans then. */
    _Atomic uint64_t epoch;
    _Atomic uint8_t *states; /* RTR-1: of each partition; 0 = nothing is remembered. Written under its stripe's lock */
    uint32_t partition_count;
    uint8_t heard;       /* of a state byte: where none of these is set an ordinary success says nothing */
    uint8_t heard_armed; /* the same, of an operation whose race is before its threshold */
    bool races_plainly;  /* no hedge needs a budget, and no leg's end, cut or latency is counted */
    /* FLO-9: of each partition; NULL before the first hedge that wins. Read and written under its stripe's lock. */
    _Atomic(rgni_few_wins *) few_wins;
    rgni_stripe *stripes;
    uint32_t stripe_count; /* a power of two */
    uint32_t few_wins_end; /* as many wins are no short row any more, or reach the threshold */
    rgn_region_set excluded;
    rgn_region_set home; /* the first topology's first region; whoever comes first later */
    atomic_bool is_breaker_on;
    rgni_gateway gateway;
    rgni_marks marks;
    rgn_options options;
    rgni_hedging hedging;
    /* The rest. */
    rgni_short shorts;
    rgni_clock clock;
    rgn_switch breaker_switch;      /* under account_lock */
    rgn_switch breaker_by_failover; /* what automatic failover has made of the breaker; UNSET: nothing */
    rgn_dur_ns probe_interval;
    bool reads_account;
    rgn_time_ns start;
    rgn_region_list preferred;
    rgni_spin account_lock;
    rgn_random random;
    rgn_sink sink;
    rgni_memory memory;
    _Atomic uint32_t generation;
    _Atomic uint64_t late_successes, late_failures, failed_allocations;
};

/* The state byte: phase in bits 0 and 1, tripped directions in bits 2 and 3, then whether there are an override, hedge
 * wins and cut writes, and (RTR-13) whether a tripped partition has failed at home and nowhere else: most have, and
 * then nobody needs to look at the entry to go around it. */
enum {
    RGNI_STATE_PHASE = 3,
    RGNI_STATE_OVERRIDE = 16,
    RGNI_STATE_WINS = 32,
    RGNI_STATE_CUTS = 64,
    RGNI_STATE_HOME_ONLY = 128,
};

/* `has_few_wins`: outside the slot. */
static inline uint8_t rgni_state_byte(const rgn_router *router, const rgni_slot *slot, bool has_few_wins)
{
    unsigned state = slot->entry.phase | (unsigned)slot->entry.tripped << 2;

    if (slot->entry.tripped != 0 && slot->entry.failed == router->home)
        state |= RGNI_STATE_HOME_ONLY;
    if (slot->side != NULL && slot->side->override.is_set)
        state |= RGNI_STATE_OVERRIDE;
    if (has_few_wins || (slot->side != NULL && slot->side->wins.count > 0))
        state |= RGNI_STATE_WINS;
    if (slot->side != NULL && slot->side->cuts.count > 0)
        state |= RGNI_STATE_CUTS;
    return (uint8_t)state;
}

static inline rgn_phase rgni_state_phase(uint8_t state)
{
    return (rgn_phase)(state & RGNI_STATE_PHASE);
}

static inline bool rgni_state_is_tripped(uint8_t state, rgn_direction direction)
{
    return ((state >> 2 >> direction) & 1) != 0;
}

/* Routing leaves the direction's traffic where it would go without a memory: counts and hedge wins move nothing, and an
 * open probe takes untripped traffic along only while the entry recovers. */
static inline bool rgni_state_moves_nothing(uint8_t state, rgn_direction direction)
{
    return (state & RGNI_STATE_OVERRIDE) == 0 && !rgni_state_is_tripped(state, direction) &&
           rgni_state_phase(state) != RGN_PHASE_RECOVERING;
}

static inline size_t rgni_few_wins_size(const rgn_router *router)
{
    return router->partition_count * sizeof(rgni_few_wins);
}

/* Traffic of that direction waits elsewhere until recovery begins, and nobody but home is to be gone around. */
static inline bool rgni_state_goes_around_home(uint8_t state, rgn_direction direction)
{
    return (state & (RGNI_STATE_PHASE | RGNI_STATE_OVERRIDE | RGNI_STATE_HOME_ONLY)) ==
               (RGN_PHASE_UNHEALTHY | RGNI_STATE_HOME_ONLY) &&
           rgni_state_is_tripped(state, direction);
}

/* All that a healthy operation reads of its partition: one atomic load. */
static inline uint8_t rgni_router_state(const rgn_router *router, rgn_partition partition)
{
    return atomic_load_explicit(&router->states[partition], memory_order_acquire);
}

static inline rgni_stripe *rgni_router_stripe(const rgn_router *router, rgn_partition partition)
{
    return &router->stripes[partition & (router->stripe_count - 1)];
}

/* The partition's only, short row of hedge wins; 0: it has none. The caller holds the stripe's lock. */
static inline rgni_few_wins rgni_router_few_wins(const rgn_router *router, rgn_partition partition)
{
    const rgni_few_wins *few = atomic_load_explicit(&router->few_wins, memory_order_acquire);

    return few == NULL ? 0 : few[partition];
}

/* The same; 0 for an unknown partition. */
static inline uint8_t rgni_router_state_of(const rgn_router *router, rgn_partition partition)
{
    return partition < router->partition_count ? rgni_router_state(router, partition) : 0;
}

static inline const rgn_topology *rgni_router_topology(const rgn_router *router)
{
    return &atomic_load_explicit(&router->snapshot, memory_order_acquire)->topology;
}

/* PLN-1: what plans are made of has changed. */
static inline void rgni_router_outdate_plans(rgn_router *router)
{
    atomic_fetch_add_explicit(&router->epoch, 2, memory_order_release);
}

/* BRK-1: the breaker covers reads, and writes where every region takes them, of a known partition of an account with
 * more than one readable region. */
static inline bool rgni_router_covers(const rgn_router *router, const rgn_topology *topology, rgn_partition partition,
                                      rgn_direction direction)
{
    return atomic_load_explicit(&router->is_breaker_on, memory_order_acquire) && partition < router->partition_count &&
           topology->read_order.count > 1 && (direction == RGN_READ || topology->multi_write);
}

/* --- topology.c --- */

bool rgni_list_is_valid(const rgn_region_list *list);
bool rgni_account_is_valid(const rgn_account *account);

/* RTE-1: what the account's lists and flags mean to this client; the generation is left to the caller. */
rgn_topology rgni_topology_of(const rgn_router *router, const rgn_account *account);
/* NULL without memory. `number` is the generation. */
rgni_snapshot *rgni_snapshot_create(rgn_router *router, const rgn_topology *topology, uint32_t number);
bool rgni_breaker_should_be_on(const rgn_router *router, const rgn_topology *topology);

/* --- clock.c: when background work is due --- */

void rgni_clock_init(rgni_clock *clock, bool is_unshared);
/* The router is complete: plans the first reading of the account. */
void rgni_clock_start_refreshes(rgn_router *router);

/* An event at `now` changed the number of entries by -1, 0 or 1, or the stripe's first due time. */
void rgni_clock_update(rgn_router *router, const rgni_stripe *stripe, int change, rgn_time_ns now);

/* True for the one caller that has to do the tick, or the probes, due at `now`. */
bool rgni_clock_claim_tick(rgn_router *router, rgn_time_ns now);
bool rgni_clock_claim_probes(rgn_router *router, rgn_time_ns now);

/* Marks or topology have changed: when is the next probe? */
void rgni_clock_plan_probes(rgn_router *router, rgn_time_ns now);

/* GWY-11: true for the one caller that has to read the account now. */
bool rgni_clock_claim_refresh(rgn_router *router, rgn_time_ns now);
/* GWY-12: a failure says that the account may have changed. */
void rgni_clock_ask_refresh(rgn_router *router, rgn_time_ns now);

void rgni_clock_end_refresh(rgn_router *router, bool has_failed);

/* Partition that is due first, in order of (due, partition) over all stripes; RGN_PARTITION_UNKNOWN if none is due. */
rgn_partition rgni_clock_first_due(rgn_router *router, rgn_time_ns now);

/* --- endpoint.c --- */

/* Earliest instant at which a mark of the account's regions is due for a probe; NEVER without a mark. */
rgn_time_ns rgni_marks_first_due(const rgn_router *router);

/* Regions marked for that direction now. */
rgn_region_set rgni_marks_now(const rgn_router *router, rgn_direction direction, rgn_time_ns now);
void rgni_marks_init(rgni_marks *marks, bool is_unshared);

/* Nearly always there is no mark, and no more to read. */
static inline bool rgni_router_has_marks(const rgn_router *router)
{
    return atomic_load_explicit(&router->marks.marked, memory_order_acquire) != 0;
}

static inline rgn_region_set rgni_router_marked(const rgn_router *router, rgn_direction direction, rgn_time_ns now)
{
    return rgni_router_has_marks(router) ? rgni_marks_now(router, direction, now) : 0;
}

/* Makes the canary decision of an operation's first attempt at a tripped, recovering partition: the canaries' target,
 * and `*ticket` belongs to the operation until rgni_router_end_canary(); or RGN_REGION_NONE. `usable`: regions that are
 * there, not excluded and not marked. */
rgn_region rgni_router_admit(rgn_router *router, rgn_partition partition, rgn_direction direction,
                             rgn_region_set usable, uint32_t hash, rgn_time_ns now, rgni_ticket *ticket);

/* A canary's end; to be called exactly once for each ticket. */
void rgni_router_end_canary(rgn_router *router, rgn_partition partition, rgn_direction direction, rgni_ticket ticket,
                            rgn_evidence evidence, rgn_time_ns now);

/* The region for one attempt, the partition's override and (of a covered operation) its entry considered. */
rgn_route_answer rgni_router_route(const rgn_router *router, rgn_partition partition, bool is_covered,
                                   rgn_route_query *query, const rgn_options *options);

/* The failed regions of a partition that is tripped in that direction; 0 otherwise. */
rgn_region_set rgni_router_failed(const rgn_router *router, rgn_partition partition, rgn_direction direction);

/* As rgn_router_record_failure(), at a partition of the router's. */
void rgni_router_fail(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                      rgn_time_ns now);

/* FLO-13: a write that automatic failover covers was cut on its way to `region`. */
void rgni_router_cut_write(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now);

/* Background work on every partition that has an entry. */
typedef enum {
    RGNI_WORK_TICK,
    RGNI_WORK_BREAKER_EDGE,
    RGNI_WORK_FAILOVER_EDGE,
    RGNI_WORK_REGION_REMOVED,
} rgni_work;
/* failback.promote: recovery begins exactly when the dwell is over; one that waits for a connection begins at ticks. */
static inline bool rgni_promotes_when_due(const rgn_options *options)
{
    return options->failback_promote == RGN_PROMOTE_DUE && options->failback_promote_on == RGN_PROMOTE_ON_DWELL;
}

/* A connection to the task's region could be made. */
void rgni_router_answer_connection(rgn_router *router, const rgn_task *task, rgn_time_ns now);

void rgni_router_work_on_all(rgn_router *router, rgni_work what, rgn_time_ns now);

/* What rgn_router.heard is with these options. */
uint8_t rgni_states_heard(const rgn_options *options);
/* FLO-9: a primary in `region` has won. Without hedge wins, which is nearly always, there is nothing to end. */
void rgni_router_end_wins(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now);
static inline void rgni_router_note_primary_win(rgn_router *router, rgn_partition partition, rgn_region region,
                                                rgn_time_ns now)
{
    if (partition < router->partition_count && (rgni_router_state(router, partition) & RGNI_STATE_WINS) != 0)
        rgni_router_end_wins(router, partition, region, now);
}

/* FLO-9: the driver counts whether or not the breaker covers the partition, which is a known one; else nobody would
 * look at the count. */
static inline bool rgni_router_counts_win(const rgn_router *router, rgn_region region)
{
    const rgn_topology *topology;

    if (router->options.routing_rules == RGN_ROUTING_DRIVER)
        return true;
    topology = rgni_router_topology(router);
    return atomic_load_explicit(&router->is_breaker_on, memory_order_acquire) && topology->read_order.count > 1 &&
           rgn_region_in(topology->regions, region);
}

/* FLO-9, told short: a win that goes on with the partition's only row, or begins it, and does not reach the threshold
 * changes the count and nothing else. False: it has to be told in full, and nothing has happened. */
static inline bool rgni_router_count_few_wins(rgn_router *router, rgn_partition partition, rgn_region region)
{
    rgni_few_wins *few = atomic_load_explicit(&router->few_wins, memory_order_acquire);
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    unsigned wins;
    uint8_t state;
    bool is_short;

    if (few == NULL)
        return false;
    few += partition;
    rgni_lock(&stripe->lock);
    state = rgni_router_state(router, partition);
    wins = rgni_few_wins_count(*few) + 1;
    is_short = wins < router->few_wins_end &&
               (*few != 0 ? rgni_few_wins_region(*few) == region : (state & RGNI_STATE_WINS) == 0) &&
               rgni_router_counts_win(router, region);
    if (is_short) {
        *few = rgni_few_wins_of(region, wins);
        if (wins == 1)
            atomic_store_explicit(&router->states[partition], state | RGNI_STATE_WINS, memory_order_release);
    }
    rgni_unlock(&stripe->lock);
    return is_short;
}

/* The same of a primary's win, which ends the row of its region. */
static inline bool rgni_router_end_few_wins(rgn_router *router, rgn_partition partition, rgn_region region)
{
    rgni_few_wins *few = atomic_load_explicit(&router->few_wins, memory_order_acquire);
    rgni_stripe *stripe = rgni_router_stripe(router, partition);
    bool is_short;

    if (few == NULL)
        return false;
    few += partition;
    rgni_lock(&stripe->lock);
    is_short = *few != 0;
    if (is_short && rgni_few_wins_region(*few) == region) {
        *few = 0;
        atomic_store_explicit(&router->states[partition],
                              rgni_router_state(router, partition) & (uint8_t)~RGNI_STATE_WINS, memory_order_release);
    }
    rgni_unlock(&stripe->lock);
    return is_short;
}

/* An ordinary attempt's success, where anything listens to it. */
void rgni_router_note_success(rgn_router *router, rgn_partition partition, rgn_region region, rgn_direction direction,
                              bool is_below_400, rgn_time_ns now);

#endif
