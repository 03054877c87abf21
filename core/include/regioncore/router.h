/* SPDX-License-Identifier: MIT */
/* The router: one per client instance. It owns the topology, the endpoint marks and the partitions' entries, and is the
 * only place that stores and locks.
 *
 * Threads: all functions but create and destroy may be called from any thread at any time, unless the router is said
 * not to be shared (rgn_router_config.is_unshared). A healthy operation makes atomic loads only; every state change of
 * a partition happens under its stripe's lock. The sink and the random hook are called without a lock held by the
 * router's caller, but the random hook is called under the stripe's lock: it must neither block nor call back into the
 * router. Clock: `now` is the caller's, any monotonic clock. Ownership: the router copies its configuration. */
#ifndef REGIONCORE_ROUTER_H
#define REGIONCORE_ROUTER_H

#include <regioncore/account.h>
#include <regioncore/applicable.h>
#include <regioncore/classify.h>
#include <regioncore/export.h>
#include <regioncore/failover.h>
#include <regioncore/gateway.h>
#include <regioncore/operation.h>
#include <regioncore/options.h>
#include <regioncore/partition.h>
#include <regioncore/routing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory. `allocate` may return NULL: the router then keeps default routing for that partition and counts it. */
typedef struct {
    void *(*allocate)(void *context, size_t size); /* zeroed memory, aligned for any type */
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} rgn_allocator;

/* What a random number is for. Numbers are final. */
typedef enum {
    RGN_DRAW_JITTER = 0,        /* failback jitter of a partition */
    RGN_DRAW_SAMPLER_PHASE = 1, /* initial accumulator of a partition's sampler */
    RGN_DRAW_RETRY_JITTER = 2,  /* back-off of one retry */
} rgn_draw;

/* A uniform whole number in [0, bound), bound >= 1, for that purpose. `subject` is the partition for the first two and
 * the request's hash for retry jitter. */
typedef struct {
    uint64_t (*below)(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound);
    void *context;
} rgn_random;

/* Observers; each may be NULL. They must not call back into the router. */
typedef struct {
    void (*on_transition)(void *context, const rgn_transition *transition);
    void (*on_endpoint_mark)(void *context, rgn_region region, rgn_mark_reason why, rgn_time_ns at);
    void *context;
    void (*on_override)(void *context, const rgn_override_change *change);
    void (*on_gateway)(void *context, const rgn_gateway_change *change);
} rgn_sink;

/* The breaker's kill switch: stronger than breaker.enabled and than what the account says. */
typedef enum { RGN_SWITCH_UNSET = 0, RGN_SWITCH_OFF = 1, RGN_SWITCH_ON = 2 } rgn_switch;

typedef struct {
    uint32_t partition_count;
    const rgn_account *account;
    rgn_region_list preferred; /* the caller's preference order */
    rgn_region_set excluded;   /* used where a request brings none of its own */
    rgn_options options;       /* validated */
    rgn_time_ns start;         /* the sweep grid: start + k * failback.sweep_interval, k = 1, 2, ... May be negative */
    uint32_t lock_stripes;     /* power of two, 1..1024; 1 suits a single thread */
    rgn_allocator allocator;
    rgn_random random;
    rgn_sink sink;
    rgn_switch breaker_switch;
    /* Period of the caller's connectivity probes on the grid of `start`; 0: the caller performs none, and a mark simply
     * ages (RGN_TASK_PROBE_ENDPOINT). */
    rgn_dur_ns probe_interval;
    /* The customer's hedging strategy: options that operations without any of their own follow, validated, and the very
     * object that the gateway's switch puts away and gives back. Must outlive the router. NULL: the customer has none,
     * and the default is what `options` say. */
    const rgn_options *strategy;
    bool is_unshared;   /* no call begins before the last one has ended: the router then takes no locks */
    bool reads_account; /* the caller reads the account when RGN_TASK_REFRESH_ACCOUNT says so */
} rgn_router_config;

/* Counters that only grow; read them at any time. */
typedef struct {
    uint64_t late_successes; /* canary results that came too late, by class */
    uint64_t late_failures;
    uint64_t failed_allocations;
} rgn_router_counters;

/* NULL with `*status` (may be NULL) RGN_ERR_NO_MEMORY or RGN_ERR_RANGE. */
RGN_API rgn_router *rgn_router_create(const rgn_router_config *config, rgn_status *status);
RGN_API void rgn_router_destroy(rgn_router *router);

/* New account metadata: topology generation + 1, and the hedging switch is looked at (gateway.h). Marks are kept.
 * Entries whose first failed or current region is gone, and overrides whose current region is, are dropped
 * (region_removed; not with routing.rules driver, which passes such regions over). An edge of the automatic failover
 * flag drops every override (flag_edge). With routing.rules driver it also switches the breaker: without a kill switch
 * that is on if breaker.enabled or automatic failover is. */
RGN_API rgn_status rgn_router_set_account(rgn_router *router, const rgn_account *account, rgn_time_ns now);

/* The account has been read for RGN_TASK_REFRESH_ACCOUNT, with that result; NULL: it could not be read. To be called
 * once for each such task: until then no other is given out. Otherwise as rgn_router_set_account(), but that lists and
 * flags which are what they were make no new topology: a periodic reading moves no retry cursor. */
RGN_API rgn_status rgn_router_answer_refresh(rgn_router *router, const rgn_account *account, rgn_time_ns now);

/* The customer's strategy is this one from now on (see rgn_router_config.strategy); NULL: the customer takes it back, a
 * stashed one too, and the default applies. RGN_ERR_RANGE: the options are not valid. */
RGN_API rgn_status rgn_router_set_strategy(rgn_router *router, const rgn_options *strategy);

/* How the hedging switch and the client's strategy stand. */
RGN_API rgn_gateway rgn_router_gateway(rgn_router *router);

/* Throws the kill switch, or (UNSET) leaves the breaker to the options again; an edge drops every entry (flag_edge). */
RGN_API void rgn_router_set_breaker_switch(rgn_router *router, rgn_switch position, rgn_time_ns now);
/* The same for RGN_SWITCH_ON and RGN_SWITCH_OFF. */
RGN_API void rgn_router_set_breaker_enabled(rgn_router *router, bool enabled, rgn_time_ns now);
RGN_API bool rgn_router_breaker_is_on(const rgn_router *router);

/* The next instant at which rgn_router_on_expiry() has work: the next tick of the sweep grid while any entry exists, or
 * the first due promotion (failback.promote due), which may be `now` or earlier, a probe of a marked endpoint, or a
 * reading of the account; RGN_TIME_NEVER without any of these. */
RGN_API rgn_time_ns rgn_router_next_expiry(const rgn_router *router);

/* Background work the caller must do for the router. */
typedef enum {
    RGN_TASK_PROBE_ENDPOINT = 1,
    RGN_TASK_REFRESH_ACCOUNT = 2,
    RGN_TASK_CONNECT_PARTITION = 3,
} rgn_task_kind;
typedef struct {
    uint8_t kind;            /* rgn_task_kind */
    rgn_region region;       /* of a probe or connection */
    rgn_partition partition; /* of a connection; else RGN_PARTITION_UNKNOWN */
    uint32_t generation;     /* of the entry that the connection is to decide */
    rgn_time_ns marked_at;   /* of the mark that the probe is to decide */
} rgn_task;

/* Does all background work due at `now`; call it when rgn_router_next_expiry() <= now, before anything else of that
 * instant. Returns how many tasks it wrote to `out`. With reads_account, RGN_TASK_REFRESH_ACCOUNT every
 * gateway.refresh_interval and when a failure (403/3, 403/1008) asks for it, answered by rgn_router_answer_refresh();
 * it waits for a call with room. With a probe_interval, at each of its ticks, one
 * RGN_TASK_PROBE_ENDPOINT for every endpoint as rgn_router_due_probes() tells. With failback.promote_on connection, at
 * each tick of the sweep, one RGN_TASK_CONNECT_PARTITION for every partition whose dwell is over (breaker.health
 * region: for each of its unavailable regions): connect to its replicas in the region. What finds no room, or is not
 * answered, is asked for again at the next tick. */
RGN_API unsigned rgn_router_on_expiry(rgn_router *router, rgn_time_ns now, rgn_task *out, unsigned cap);

/* The endpoints to probe at `now`: those of the account whose mark is endpoint.unavailability_ttl old or older. For
 * callers with a probe loop of their own. */
RGN_API unsigned rgn_router_due_probes(const rgn_router *router, rgn_time_ns now, rgn_task *out, unsigned cap);

/* A probe has ended: any answer of the endpoint means that it can be reached, which takes its mark away; without one
 * the mark begins anew, for the same reason. Nothing happens if there has been another mark since, or if the account no
 * longer has the region. Likewise a connection for RGN_TASK_CONNECT_PARTITION: one that could be made begins the
 * partition's recovery, if it still waits for one; one that could not changes nothing. */
RGN_API void rgn_router_answer_probe(rgn_router *router, const rgn_task *task, bool is_reachable, rgn_time_ns now);

/* Marks a whole endpoint unavailable from `now` on for endpoint.unavailability_ttl (with a probe_interval and
 * endpoint.aged_mark hold: until a probe takes the mark), or takes a mark away. */
RGN_API void rgn_router_mark_endpoint(rgn_router *router, rgn_region region, rgn_mark_reason why, rgn_time_ns now);
RGN_API void rgn_router_unmark_endpoint(rgn_router *router, rgn_region region);

/* The endpoint's mark, fresh or aged. False, and `*out` zero, if it has none. */
typedef struct {
    rgn_time_ns at;
    rgn_region region;
    uint8_t why; /* rgn_mark_reason */
} rgn_mark;
RGN_API bool rgn_router_inspect_mark(const rgn_router *router, rgn_region region, rgn_mark *out);

/* A failed attempt recorded from outside an operation (replays, probes of the embedder's own): counted by the breaker
 * where it covers the attempt; else, where automatic failover does, it moves the partition's override. */
RGN_API void rgn_router_record_failure(rgn_router *router, rgn_partition partition, rgn_region region,
                                       rgn_direction direction, rgn_time_ns now);
/* An operation on the partition completed below 400 at `region`, recorded from outside an operation. */
RGN_API void rgn_router_record_success(rgn_router *router, rgn_partition partition, rgn_region region,
                                       rgn_direction direction, rgn_time_ns now);

/* A write that failed in `regions`, in that order, has reached a region at last: its failures are recorded like with
 * rgn_router_record_failure(), but those that others have overtaken. A failure is overtaken if, before the first of
 * them, the partition's entry or override already pointed elsewhere. */
RGN_API void rgn_router_flush_writes(rgn_router *router, rgn_partition partition, const rgn_region *regions,
                                     unsigned count, rgn_time_ns now);

/* The hedge against `region` (the primary's; RGN_REGION_NONE if unknown) has won, or the primary has. Enough wins in a
 * row trip the partition (breaker.consecutive_hedge_win_threshold, trip_hedge); a primary win ends the row. */
RGN_API void rgn_router_record_hedge_win(rgn_router *router, rgn_partition partition, rgn_region region,
                                         rgn_time_ns now);
RGN_API void rgn_router_record_primary_win(rgn_router *router, rgn_partition partition, rgn_region region,
                                           rgn_time_ns now);
/* Hedge wins in a row against `region`. */
RGN_API uint32_t rgn_router_hedge_wins(const rgn_router *router, rgn_partition partition, rgn_region region);

/* A read that looked for the partition's hub was answered by it, or refused by a region that is not the hub. Nothing
 * happens while automatic failover is off. */
RGN_API void rgn_router_record_hub(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now);
RGN_API void rgn_router_record_not_hub(rgn_router *router, rgn_partition partition, rgn_region region, rgn_time_ns now);

/* Drops the partition's entry, whatever its phase, because the embedder knows better: the partition was split, or its
 * container was deleted (forgotten). Override and hedge wins stay. */
RGN_API void rgn_router_forget_entry(rgn_router *router, rgn_partition partition, rgn_time_ns now);

/* Copies a partition's override. False, and `*out` zero, if it has none. */
RGN_API bool rgn_router_inspect_override(const rgn_router *router, rgn_partition partition, rgn_override *out);

/* Advice, for speed alone: an attempt at the partition has failed or a canary has ended, and will be told soon. What
 * the router remembers of the partition may be fetched from memory meanwhile. Any number will do. A router that is not
 * `is_unshared` does nothing. */
RGN_API void rgn_router_expect(const rgn_router *router, rgn_partition partition);

/* The phase of a partition's entry: one atomic load. */
RGN_API rgn_phase rgn_router_phase(const rgn_router *router, rgn_partition partition);
/* Copies a partition's entry. False, and `*out` zero, if it has none. */
RGN_API bool rgn_router_inspect(const rgn_router *router, rgn_partition partition, rgn_entry *out);
/* The same for breaker.rule share; false if there is no entry or the rule is another. */
RGN_API bool rgn_router_inspect_share(const rgn_router *router, rgn_partition partition, rgn_share_tally *out);
/* The same for breaker.health region. */
RGN_API bool rgn_router_inspect_health(const rgn_router *router, rgn_partition partition, rgn_health *out);

/* The hedge threshold now for a primary leg in `primary` of an operation with that timeout, by the router's options. */
RGN_API rgn_dur_ns rgn_router_hedge_threshold(const rgn_router *router, rgn_region primary, rgn_dur_ns timeout);
/* Hedges in flight, races of metadata reads under way, and hedges and such races that a budget has refused. */
RGN_API uint32_t rgn_router_open_hedges(const rgn_router *router);
RGN_API uint32_t rgn_router_open_metadata_races(const rgn_router *router);
RGN_API uint64_t rgn_router_refused_hedges(const rgn_router *router);

RGN_API rgn_router_counters rgn_router_get_counters(const rgn_router *router);
RGN_API const rgn_topology *rgn_router_topology(const rgn_router *router);

/* Region an attempt described by `query` would go to now, for explaining and for tests: fills in topology, entry,
 * override and marks, changes nothing, never makes a canary. */
RGN_API rgn_route_answer rgn_router_route(const rgn_router *router, rgn_partition partition, rgn_route_query query,
                                          rgn_time_ns now);

/* The regions that an operation on the partition may go to now, in order, and why each of the account's regions is in
 * or out. Fills in topology, marks, tripped regions and override of `query`; the rest is the caller's. */
RGN_API rgn_applicable rgn_router_applicable(const rgn_router *router, rgn_partition partition,
                                             rgn_applicable_query query, rgn_time_ns now);

/* Bytes the router holds now. */
RGN_API size_t rgn_router_memory(const rgn_router *router);

#ifdef __cplusplus
}
#endif
#endif
