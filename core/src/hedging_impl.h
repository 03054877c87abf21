/* SPDX-License-Identifier: MIT */
/* What a router keeps for hedging, and the questions that the race asks: who may race, from when, where to, and whether
 * the budget allows it. */
#ifndef REGIONCORE_SRC_HEDGING_IMPL_H
#define REGIONCORE_SRC_HEDGING_IMPL_H

#include <assert.h>
#include <stdatomic.h>

#include <regioncore/operation.h>
#include <regioncore/routing.h>

/* Shared by all operations. Where the default options hold, a healthy operation touches nothing of it. */
typedef struct {
    bool is_unshared;                             /* of the router: nobody else counts meanwhile */
    _Atomic uint32_t open;                        /* hedges in flight */
    _Atomic uint32_t metadata;                    /* races of metadata reads */
    _Atomic uint64_t refused;                     /* hedges that the budget refused */
    _Atomic int64_t credit;                       /* budget_share: millionths of a hedge that may still be launched */
    _Atomic rgn_dur_ns estimate[RGN_REGIONS_MAX]; /* policies adaptive and naive */
} rgni_hedging;

void rgni_hedging_init(rgni_hedging *hedging, const rgn_options *options, bool is_unshared);

/* HDG-37: writes where they are asked for and may go to several regions. */
static inline bool rgni_hedging_covers_write(const rgn_request *request, const rgn_options *options,
                                             const rgn_topology *topology)
{
    return options->hedging_writes != 0 && topology->multi_write && !request->is_container_level;
}

/* HDG-2, HDG-3, HDG-32: reads of the kinds that the options name. A feed of metadata is metadata. */
static inline bool rgni_hedging_covers_read(const rgn_request *request, const rgn_options *options)
{
    return (!request->is_container_level && !request->is_feed) ||
           options->hedging_operations == RGN_HEDGED_FEEDS_AND_METADATA ||
           (request->is_container_level && options->hedging_operations == RGN_HEDGED_POINT_READS_AND_METADATA);
}

/* HDG-1: the master switch is decisive in both directions; without it the strategy counts. */
static inline bool rgni_hedging_is_on(const rgn_options *options)
{
    return options->hedging_enabled == RGN_AUTO ? options->hedging_strategy == RGN_HEDGING_ON
                                                : options->hedging_enabled != 0;
}

/* HDG-5: the hedge's region for a primary leg in `primary`; RGN_REGION_NONE if there is none. `barred`: regions that
 * are left out beside the excluded ones; `second` counts them, but does not go there. */
rgn_region rgni_hedging_secondary(const rgn_region_list *list, rgn_region_set excluded, rgn_region_set barred,
                                  rgn_region primary, int64_t rule);
/* HDG-36: the region of a further one. `barred` holds those of the legs so far, too. */
rgn_region rgni_hedging_next(const rgn_region_list *list, rgn_region_set excluded, rgn_region_set barred, int64_t rule);

/* The threshold that policies adaptive and naive have come to. */
rgn_dur_ns rgni_hedging_adapted(const rgni_hedging *hedging, rgn_region primary);

#define RGNI_HEDGE_THRESHOLD (1000 * RGN_NS_PER_MS)

/* HDG-7: the threshold in force for a primary leg in `primary` of an operation that has `timeout` left. */
static inline rgn_dur_ns rgni_hedging_threshold(const rgni_hedging *hedging, const rgn_options *router_options,
                                                const rgn_options *options, rgn_region primary, rgn_dur_ns timeout)
{
    if (router_options->hedging_policy != RGN_HEDGING_STATIC)
        return rgni_hedging_adapted(hedging, primary);
    if (options->hedging_threshold != RGN_AUTO)
        return options->hedging_threshold;
    if (timeout >= 2 * RGNI_HEDGE_THRESHOLD)
        return RGNI_HEDGE_THRESHOLD;
    return timeout > 1 ? timeout / 2 : 1;
}

enum { RGNI_HEDGE_PRICE = 1000000 }; /* of one hedge, in the millionths that budget_share counts */

/* HDG-16: a race begins, which earns its share of a hedge. Nothing to do where the share is 100 %. */
void rgni_hedging_earn(rgni_hedging *hedging, const rgn_options *options);
/* HDG-15, HDG-16: takes a hedge from the budget; false, and counted, if it is spent. */
bool rgni_hedging_take(rgni_hedging *hedging, const rgn_options *options);

/* No budget is set. */
static inline bool rgni_hedging_is_free(const rgn_options *options)
{
    return options->hedging_budget_concurrent == RGN_COUNT_MAX_ && options->hedging_budget_share >= RGNI_HEDGE_PRICE;
}

static inline uint32_t rgni_hedging_open(const rgni_hedging *hedging)
{
    return atomic_load_explicit(&hedging->open, memory_order_relaxed);
}

/* The same where no budget is set. */
static inline void rgni_hedging_take_free(rgni_hedging *hedging)
{
    if (hedging->is_unshared)
        atomic_store_explicit(&hedging->open, rgni_hedging_open(hedging) + 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&hedging->open, 1, memory_order_relaxed);
}

static inline void rgni_hedging_leave(_Atomic uint32_t *places)
{
    uint32_t before = atomic_fetch_sub_explicit(places, 1, memory_order_relaxed);

    assert(before > 0);
    (void)before;
}

/* The hedge is no longer in flight. */
static inline void rgni_hedging_give_back(rgni_hedging *hedging)
{
    uint32_t before = rgni_hedging_open(hedging);

    if (!hedging->is_unshared) {
        rgni_hedging_leave(&hedging->open);
        return;
    }
    assert(before > 0);
    atomic_store_explicit(&hedging->open, before - 1, memory_order_relaxed);
}

/* HDG-31: the same for the race of a metadata read as a whole. */
bool rgni_hedging_take_metadata(rgni_hedging *hedging, const rgn_options *options);
void rgni_hedging_give_back_metadata(rgni_hedging *hedging);

/* HDG-8: a leg in `region` ended after `latency`, or was cut then. */
void rgni_hedging_learn(rgni_hedging *hedging, const rgn_options *options, rgn_region region, rgn_dur_ns latency);

#endif
