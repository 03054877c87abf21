/* SPDX-License-Identifier: MIT */
/* What most operations run through, in line: an attempt is sent, its hedge has a region, the operation ends.
 *
 * The pipeline and the race include it; what most operations do not need lies in their own files. */
#ifndef REGIONCORE_SRC_OP_BEGIN_H
#define REGIONCORE_SRC_OP_BEGIN_H

#include <assert.h>
#include <string.h>

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

enum { RGNI_STATUS_OK = 200 };

static inline bool rgni_is_http(const rgn_response *response)
{
    return response->transport == RGN_TRANSPORT_NONE;
}

/* The common answer. Two questions, for the caller has just written the two one by one: a load of both would wait for
 * them to reach the cache. */
static inline bool rgni_is_ok(const rgn_response *response)
{
    if (response->status != RGNI_STATUS_OK)
        return false;
    return rgni_is_http(response);
}

/* Nothing is open any more. */
static inline rgn_step rgni_op_finish(rgn_op *op, uint16_t status, uint16_t substatus, rgn_reason reason, bool is_error)
{
    op->wake_at = RGN_TIME_NEVER;
    op->wake_kind = RGN_WAKE_NONE;
    op->reason = (uint8_t)reason;
    op->state = RGNI_OP_DONE;
    op->result.status = status;
    op->result.is_success = reason == RGN_REASON_DONE_SUCCESS;
    op->result.is_error = is_error;
    op->result.substatus = substatus;
    op->result.reason = (uint8_t)reason;
    return RGN_DONE;
}

/* OPR-2: an operation ends once; whatever is still open is to be cancelled. */
static inline rgn_step rgni_op_end(rgn_op *op, uint16_t status, uint16_t substatus, rgn_reason reason, bool is_error)
{
    assert(op->state != RGNI_OP_DONE);
    op->cancel_legs |= op->open_legs;
    op->open_legs = 0;
    return rgni_op_finish(op, status, substatus, reason, is_error);
}

/* Initialises the second half, which a healthy operation never touches, but for what a race has there. */
static inline void rgni_op_begin_tail(rgn_op *op, const rgn_topology *topology)
{
    memset((char *)op + offsetof(rgn_op, entry_generation), 0,
           offsetof(rgn_op, canary_failed_at) - offsetof(rgn_op, entry_generation));
    op->attempts = 1;
    op->account_generation = (uint16_t)topology->generation;
    op->canary_failed_at = RGN_TIME_NEVER;
    rgni_op_set(op, RGNI_OP_HAS_TAIL, true);
}

/* Makes sure of it. Happens during the first attempt. HDG-6: while a race has no second half, the instant of the hedge
 * is known from wake_at, or does not matter. */
static inline void rgni_op_need_tail(rgn_op *op, const rgn_topology *topology)
{
    if (rgni_op_has(op, RGNI_OP_HAS_TAIL))
        return;
    if (rgni_op_has(op, RGNI_OP_FANS))
        rgni_op_begin_fanning_tail(op, topology);
    else
        rgni_op_begin_tail(op, topology);
    if (op->state == RGNI_OP_ARMED)
        op->other_at = op->wake_kind == RGN_WAKE_HEDGE ? op->wake_at : RGN_TIME_NEVER;
}

/* The hedge's region, with the rule that leaves out what has tripped. Nearly always that is home at most, and so is
 * what has failed within the operation: from home a hedge goes to the second region, from there to the third. NONE
 * where it has to be searched for. */
static inline rgn_region rgni_race_near_untripped(const rgn_router *router, const rgn_op *op,
                                                  const rgn_topology *topology)
{
    const rgn_region *order = topology->read_order.region;
    unsigned count = topology->read_order.count;
    rgn_region_set barred;

    if (!rgni_op_knows_failed(router, op, rgni_router_state_of(router, op->partition), &barred))
        return RGN_REGION_NONE;
    barred |= rgni_op_has(op, RGNI_OP_HAS_TAIL) ? op->failed_regions : 0;
    if ((barred & ~rgn_region_bit(order[0])) != 0)
        return RGN_REGION_NONE;
    if (op->region == order[0])
        return count > 1 ? order[1] : RGN_REGION_NONE;
    return barred != 0 && count > 2 && op->region == order[1] ? order[2] : RGN_REGION_NONE;
}

/* The same by any rule, for the leg in op->region: most often nothing is excluded, and no region is barred from a
 * hedge. */
static inline rgn_region rgni_race_near_secondary(const rgn_router *router, const rgn_op *op,
                                                  const rgn_topology *topology)
{
    const rgn_region *list = topology->read_order.region;

    if (op->excluded != 0 || rgni_op_has(op, RGNI_OP_HEDGED_WRITE))
        return RGN_REGION_NONE;
    if (op->options->hedging_secondary == RGN_SECONDARY_UNTRIPPED)
        return rgni_race_near_untripped(router, op, topology);
    if (topology->read_order.count < 2 || rgni_op_has(op, RGNI_OP_HAS_TAIL))
        return RGN_REGION_NONE;
    if (op->region == list[0])
        return list[1];
    if (op->options->hedging_secondary != RGN_SECONDARY_SECOND)
        return list[0];
    return op->region != list[1] ? list[1] : RGN_REGION_NONE;
}

/* The hedge's region for the leg in op->region. */
static inline rgn_region rgni_race_secondary(const rgn_router *router, const rgn_op *op, const rgn_topology *topology)
{
    rgn_region near = rgni_race_near_secondary(router, op, topology);

    return near != RGN_REGION_NONE ? near : rgni_race_search_secondary(router, op, topology);
}

/* The primary leg has just been sent: if the operation is eligible, a race begins. Returns RGN_SEND. */
rgn_step rgni_race_begin(rgn_router *router, rgn_op *op, const rgn_topology *topology, rgn_time_ns now);

#endif
