/* SPDX-License-Identifier: MIT */
/* What every healthy operation runs through, in line: its attempt is sent, and its race begins.
 *
 * op_send.c and operation.c include it; what a healthy operation does not need lies there and in hedging_race.c. */
#ifndef REGIONCORE_SRC_OP_BEGIN_H
#define REGIONCORE_SRC_OP_BEGIN_H

#include "op_impl.h"

/* OPR-3: an attempt's own timeout, and the operation's deadline if that is sooner. Where both fall on one instant the
 * timeout rings; the deadline then ends the operation in the same call. */
static inline void rgni_op_send(rgn_op *op, rgn_route_answer answer, uint8_t send_flags, rgn_dur_ns timeout,
                                rgn_time_ns now)
{
    rgn_time_ns timeout_at = rgn_time_add(now, timeout);
    bool is_first = timeout_at <= op->deadline;

    op->wake_at = is_first ? timeout_at : op->deadline;
    op->leg_timeout_at = timeout_at;
    op->leg = 0;
    op->region = answer.region;
    op->send_flags = send_flags;
    op->wake_kind = is_first ? RGN_WAKE_LEG_TIMEOUT : RGN_WAKE_DEADLINE;
    op->reason = answer.reason;
    op->open_legs = 1;
    op->state = RGNI_OP_IN_FLIGHT;
}

/* The same with the rule that leaves out what has tripped. Nearly always that is home at most, and so is what has
 * failed within the operation: from home a hedge goes to the second region, from there to the third. */
static inline rgn_region rgni_race_untripped(const rgn_router *router, const rgn_op *op, const rgn_topology *topology)
{
    const rgn_region *order = topology->read_order.region;
    unsigned count = topology->read_order.count;
    rgn_region_set barred;

    if (rgni_op_knows_failed(router, op, rgni_router_state_of(router, op->partition), &barred)) {
        barred |= rgni_op_has(op, RGNI_OP_HAS_TAIL) ? op->failed_regions : 0;
        if ((barred & ~rgn_region_bit(order[0])) == 0) {
            if (op->region == order[0] && count > 1)
                return order[1];
            if (barred != 0 && count > 2 && op->region == order[1])
                return order[2];
        }
    }
    return rgni_race_search_secondary(router, op, topology);
}

/* The hedge's region for the leg in op->region. Nearly always nothing is barred, and the first two regions are all
 * there is to look at. */
static inline __attribute__((always_inline)) rgn_region rgni_race_secondary(const rgn_router *router, const rgn_op *op,
                                                                            const rgn_topology *topology)
{
    const rgn_region *first = topology->read_order.region;

    if (op->excluded == 0 && !rgni_op_has(op, RGNI_OP_HEDGED_WRITE)) {
        if (op->options->hedging_secondary == RGN_SECONDARY_UNTRIPPED)
            return rgni_race_untripped(router, op, topology);
        if (op->region == first[0] && topology->read_order.count > 1 && !rgni_op_has(op, RGNI_OP_HAS_TAIL))
            return first[1];
    }
    return rgni_race_search_secondary(router, op, topology);
}

/* HDG-4: the questions of the published table; HDG-33. HDG-21: a race for each of the first attempts only. */
static inline __attribute__((always_inline)) bool rgni_race_may_begin(const rgn_router *router, const rgn_op *op,
                                                                      const rgn_topology *topology)
{
    if (!rgni_op_has(op, RGNI_OP_MAY_RACE) || !rgni_hedging_is_on(op->options) ||
        (!topology->has_preferred && op->options->hedging_preferred_regions == RGN_PREFERRED_REGIONS_NAMED))
        return false;
    if (op->options->hedging_activation == RGN_ACTIVATION_WITH_FAILOVER && !topology->automatic_failover)
        return false;
    if (rgni_op_has(op, RGNI_OP_HAS_TAIL) &&
        (rgni_races_of(op) >= op->options->hedging_races_per_operation || !rgni_race_may_follow(op)))
        return false;
    return rgni_race_secondary(router, op, topology) != RGN_REGION_NONE;
}

/* The primary leg has just been sent: if the operation is eligible, a race begins. */
static inline __attribute__((always_inline)) void rgni_race_begin(rgn_router *router, rgn_op *op,
                                                                  const rgn_topology *topology, rgn_time_ns now)
{
    const rgn_options *shared = &router->options;
    rgn_dur_ns left = op->deadline == RGN_TIME_NEVER ? RGN_TIME_NEVER : op->deadline - now;
    rgn_dur_ns threshold;
    rgn_time_ns hedge_at;

    if (!rgni_race_may_begin(router, op, topology))
        return;
    if (rgni_op_has(op, RGNI_OP_METADATA)) {
        if (!rgni_race_take_place(router, op, topology))
            return;
        threshold = op->options->hedging_metadata_threshold;
    } else {
        threshold = rgni_hedging_threshold(&router->hedging, shared, op->options, op->region, left);
    }
    /* HDG-7: counted from here, which for a first attempt is the operation's start. */
    hedge_at = rgn_time_add(now, threshold);
    if (shared->hedging_budget_share < RGNI_HEDGE_PRICE)
        rgni_hedging_earn(&router->hedging, shared);
    op->state = RGNI_OP_ARMED;
    rgni_op_set(op, RGNI_OP_RACED, true);
    if (rgni_op_has(op, RGNI_OP_HAS_TAIL) || (hedge_at >= op->wake_at && op->wake_kind != RGN_WAKE_DEADLINE)) {
        rgni_race_arm_with_tail(op, topology, hedge_at);
    } else if (hedge_at < op->wake_at) {
        op->wake_at = hedge_at;
        op->wake_kind = RGN_WAKE_HEDGE;
    }
}

#endif
