/* SPDX-License-Identifier: MIT */
/* Choosing a region for one attempt: a pure function of lists, exclusions, marks, the partition's entry and what the
 * operation has already tried. Taking a canary is a separate step (router), because it ticks the sampler. */
#ifndef REGIONCORE_ROUTING_H
#define REGIONCORE_ROUTING_H

#include <regioncore/account.h>
#include <regioncore/export.h>
#include <regioncore/failover.h>
#include <regioncore/options.h>
#include <regioncore/partition.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Routing lists of one topology generation. */
typedef struct {
    rgn_region_list read_order; /* preferred regions first */
    rgn_region_list write_order;
    rgn_region_set regions; /* all regions of the account */
    rgn_region hub;         /* first writable region in account order */
    bool multi_write;
    bool automatic_failover;
    bool has_preferred;       /* the caller named regions, of this account or not */
    uint8_t preferred_reads;  /* the first regions of read_order that the caller named */
    uint8_t preferred_writes; /* the same of write_order */
    uint32_t generation;
} rgn_topology;

typedef struct {
    const rgn_topology *topology;
    const rgn_entry *entry;        /* the partition's; NULL if it has none or the breaker does not apply */
    const rgn_override *override;  /* the partition's; NULL if it has none */
    rgn_region_set marked;         /* endpoints unavailable for this direction now */
    rgn_region_set excluded;       /* by the caller */
    rgn_region_set failed_regions; /* that failed within this operation */
    uint8_t direction;             /* rgn_direction */
    uint8_t list_index;            /* retry cursor; 0 at the first attempt */
    bool is_retry;                 /* not the first attempt */
    bool is_session_retry;         /* single-write: reads use the write list */
    bool may_walk_reads;           /* a single-write account's write that automatic failover lets roam */
    bool is_container_level;       /* the resource is not partitioned: no write of it is overridden */
    bool is_hub_latched;           /* a read that only the hub can answer */
} rgn_route_query;

typedef struct {
    rgn_region region; /* RGN_REGION_NONE only if the account has no region */
    uint8_t reason;    /* rgn_reason, RGN_REASON_ROUTE_* */
} rgn_route_answer;

/* routing.rules chooses between the documented rules, the shipped driver's and those of the Java client. */
RGN_API rgn_route_answer rgn_route(const rgn_route_query *query, const rgn_options *options);

#ifdef __cplusplus
}
#endif
#endif
