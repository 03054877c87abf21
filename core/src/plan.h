/* SPDX-License-Identifier: MIT */
/* Starts by plan: what requests of one kind come to while nothing moves their traffic is worked out once, by the long way
 * of op_send.c, and written down in the caller's rgn_plan. */
#ifndef REGIONCORE_SRC_PLAN_H
#define REGIONCORE_SRC_PLAN_H

#include <stddef.h>
#include <string.h>

#include "op_impl.h"

/* All fields of a request that say what kind it is, but for pointers and the timeout. */
static inline uint64_t rgni_plan_kind(const rgn_request *request)
{
    uint64_t kind;

    memcpy(&kind, (const char *)request + offsetof(rgn_request, direction), sizeof kind);
    return kind;
}

/* PLN-1: the plan holds for the request, here and now. */
static inline bool rgni_plan_holds(const rgn_plan *plan, const rgn_router *router, const rgn_request *request,
                                   rgn_time_ns now)
{
    return plan->epoch == atomic_load_explicit(&router->epoch, memory_order_acquire) &&
           plan->kind == rgni_plan_kind(request) && plan->options == request->options &&
           plan->timeout == request->timeout && now <= plan->latest && request->partition < router->partition_count &&
           atomic_load_explicit(&router->marks.marked, memory_order_acquire) == 0 &&
           rgni_state_moves_nothing(rgni_router_state(router, request->partition), (rgn_direction)request->direction);
}

/* The plan holds: fills in the first half. */
static inline void rgni_plan_carry_out(const rgn_plan *plan, rgn_op *op, const rgn_request *request, rgn_time_ns now)
{
    op->wake_at = now + plan->wake_after;
    op->leg_timeout_at = now + plan->leg_timeout_after;
    memcpy((char *)op + offsetof(rgn_op, leg), plan->step, sizeof plan->step);
    op->result = (rgn_result){.region = RGN_REGION_NONE};
    op->deadline = plan->timeout == RGN_TIME_NEVER ? RGN_TIME_NEVER : now + plan->timeout;
    op->options = plan->resolved;
    op->partition = request->partition;
    op->excluded = plan->excluded;
    op->hash = request->hash;
    memcpy((char *)op + offsetof(rgn_op, state), plan->state, sizeof plan->state);
}

/* The operation has just been started the long way, to its healthy target, and the router's epoch was `epoch` before:
 * writes down what of it holds for others. */
void rgni_plan_make(rgn_plan *plan, const rgn_router *router, const rgn_op *op, const rgn_request *request,
                    uint64_t epoch, rgn_time_ns now);

#endif
