/* SPDX-License-Identifier: MIT */
/* Starts by plan: what requests of one kind come to while nothing moves their traffic is worked out once, by the long
 * way of op_send.c, and written down in the caller's rgn_plan. */
#ifndef REGIONCORE_SRC_PLAN_H
#define REGIONCORE_SRC_PLAN_H

#include <stddef.h>
#include <string.h>

#include "op_impl.h"

enum { RGNI_STATES = 256, RGNI_PLANNED_BYTES = sizeof((rgn_planned *)0)->words };

/* What of an rgn_plan holds at a partition in that state: nothing, for its entry has to be asked; or a place in there.
 */
enum { RGNI_NO_PLACE, RGNI_AT_HOME, RGNI_AROUND_HOME };
extern const uint8_t rgni_plan_places[RGN_DIRECTIONS][RGNI_STATES];

/* All fields of a request that say what kind it is, but for pointers and the timeout. */
static inline uint64_t rgni_plan_kind(const rgn_request *request)
{
    uint64_t kind;

    memcpy(&kind, (const char *)request + offsetof(rgn_request, direction), sizeof kind);
    return kind;
}

static inline bool rgni_plan_is_for(const rgn_plan *plan, const rgn_router *router, const rgn_request *request)
{
    return plan->router == router && plan->kind == rgni_plan_kind(request) && plan->timeout == request->timeout &&
           plan->options == request->options;
}

/* PLN-1: what is planned for the request and holds for it here and now; NULL: nothing. While an endpoint is marked the
 * router's epoch is that of no plan. The place is chosen by branches: most requests in a row have the same one, and
 * nothing waits for the partition's state then. */
static inline const rgn_planned *rgni_plan_for(const rgn_plan *plan, const rgn_router *router,
                                               const rgn_request *request, rgn_time_ns now)
{
    const rgn_planned *planned;
    uint8_t place;

    if (request->partition >= router->partition_count || !rgni_plan_is_for(plan, router, request) || now > plan->latest)
        return NULL;
    place = plan->places[rgni_router_state(router, request->partition)];
    if (place == RGNI_AT_HOME)
        planned = &plan->at_home;
    else if (place == RGNI_AROUND_HOME)
        planned = &plan->around_home;
    else
        return NULL;
    return planned->epoch == atomic_load_explicit(&router->epoch, memory_order_acquire) ? planned : NULL;
}

/* PLN-4: a canary's start is planned, which starts at a partition in that state may be, too. Hedge wins make no
 * difference. The plan of starts at home holds. */
static inline bool rgni_plan_is_for_canary(const rgn_plan *plan, uint8_t state)
{
    return plan->canary_state == (state & (uint8_t)~RGNI_STATE_WINS) && plan->as_canary.epoch == plan->at_home.epoch;
}

/* The region of that canary. */
static inline bool rgni_plan_sends_canary_to(const rgn_plan *plan, rgn_region region)
{
    const unsigned char *words = (const unsigned char *)plan->as_canary.words;

    return words[offsetof(rgn_op, region) - offsetof(rgn_op, leg)] == region;
}

/* The plan holds: fills in the first half. */
static inline void rgni_plan_carry_out(const rgn_plan *plan, const rgn_planned *planned, rgn_op *op,
                                       const rgn_request *request, rgn_time_ns now)
{
    memcpy((char *)op + offsetof(rgn_op, leg), planned->words, sizeof planned->words);
    op->partition = request->partition;
    op->hash = request->hash;
    op->wake_at = now + planned->wake_after;
    op->leg_timeout_at = now + planned->leg_timeout_after;
    op->deadline = (now & plan->deadline_mask) + plan->deadline_value;
}

/* The operation has just been started the long way, by nothing but its kind and the state of its partition, and the
 * router's epoch was `epoch` before: writes down what of it holds for others. */
void rgni_plan_make(rgn_plan *plan, const rgn_router *router, const rgn_op *op, const rgn_request *request,
                    uint8_t state, uint64_t epoch, rgn_time_ns now);

/* The same for one that began as a canary, by a plan of starts at home. */
void rgni_plan_make_canary(rgn_plan *plan, const rgn_op *op, uint8_t state, rgn_time_ns now);

#endif
