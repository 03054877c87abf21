/* SPDX-License-Identifier: MIT */
/* Starts by plan: what requests of one kind come to while nothing moves their traffic is worked out once, by the long
 * way of op_send.c, and written down in the caller's rgn_plan. */
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

/* The one that holds at a partition in that state; NULL: its entry has to be asked. */
static inline rgn_planned *rgni_plan_at(rgn_plan *plan, uint8_t state, rgn_direction direction)
{
    if (rgni_state_moves_nothing(state, direction))
        return &plan->at_home;
    return rgni_state_goes_around_home(state, direction) ? &plan->around_home : NULL;
}

/* PLN-1: what is planned for the request and holds for it here and now; NULL: nothing. */
static inline const rgn_planned *rgni_plan_for(rgn_plan *plan, const rgn_router *router, const rgn_request *request,
                                               rgn_time_ns now)
{
    const rgn_planned *planned;

    if (request->partition >= router->partition_count)
        return NULL;
    planned = rgni_plan_at(plan, rgni_router_state(router, request->partition), (rgn_direction)request->direction);
    if (planned == NULL || planned->router != router ||
        planned->epoch != atomic_load_explicit(&router->epoch, memory_order_acquire) ||
        planned->kind != rgni_plan_kind(request) || planned->options != request->options ||
        planned->timeout != request->timeout || now > planned->latest || rgni_router_has_marks(router))
        return NULL;
    return planned;
}

/* The plan holds: fills in the first half. */
static inline void rgni_plan_carry_out(const rgn_planned *planned, rgn_op *op, const rgn_request *request,
                                       rgn_time_ns now)
{
    op->wake_at = now + planned->wake_after;
    op->leg_timeout_at = now + planned->leg_timeout_after;
    memcpy((char *)op + offsetof(rgn_op, leg), planned->step, sizeof planned->step);
    op->result = (rgn_result){.region = RGN_REGION_NONE};
    op->deadline = planned->timeout == RGN_TIME_NEVER ? RGN_TIME_NEVER : now + planned->timeout;
    op->options = planned->resolved;
    op->partition = request->partition;
    op->excluded = planned->excluded;
    op->hash = request->hash;
    memcpy((char *)op + offsetof(rgn_op, state), planned->state, sizeof planned->state);
}

/* The operation has just been started the long way, by nothing but its kind and the state that `planned` stands for,
 * and the router's epoch was `epoch` before: writes down what of it holds for others. */
void rgni_plan_make(rgn_planned *planned, const rgn_router *router, const rgn_op *op, const rgn_request *request,
                    uint64_t epoch, rgn_time_ns now);

#endif
