/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <assert.h>
#include <stddef.h>

static_assert(offsetof(rgn_request, excluded) == offsetof(rgn_request, direction) + 4 &&
                  offsetof(rgn_request, excluded) + 4 <= sizeof(rgn_request),
              "what kind a request is takes eight bytes in a row");
static_assert(offsetof(rgn_op, direction) == offsetof(rgn_op, leg) + 7, "the step takes eight bytes in a row");
static_assert(offsetof(rgn_op, flags) == offsetof(rgn_op, state) + 2, "the state takes four bytes in a row");

/* PLN-2: starts that change more than their operation, or that look at what no epoch counts. */
static bool is_unplannable(const rgn_router *router, const rgn_op *op)
{
    const rgn_options *shared = &router->options;

    return rgni_op_has(op, RGNI_OP_HAS_TAIL | RGNI_OP_METADATA) || op->partition >= router->partition_count ||
           op->options->hedging_max_alternates > 1 || shared->hedging_policy != RGN_HEDGING_STATIC ||
           shared->hedging_budget_share < RGNI_HEDGE_PRICE;
}

void rgni_plan_make(rgn_planned *planned, const rgn_router *router, const rgn_op *op, const rgn_request *request,
                    uint64_t epoch, rgn_time_ns now)
{
    rgn_dur_ns longest;

    planned->epoch = 0;
    if (is_unplannable(router, op) || op->wake_at == RGN_TIME_NEVER || op->leg_timeout_at == RGN_TIME_NEVER)
        return;
    planned->wake_after = op->wake_at - now;
    planned->leg_timeout_after = op->leg_timeout_at - now;
    longest = planned->wake_after > planned->leg_timeout_after ? planned->wake_after : planned->leg_timeout_after;
    if (request->timeout != RGN_TIME_NEVER && request->timeout > longest)
        longest = request->timeout;
    planned->latest = RGN_TIME_NEVER - 1 - longest;
    planned->router = router;
    planned->timeout = request->timeout;
    planned->options = request->options;
    planned->resolved = op->options;
    planned->kind = rgni_plan_kind(request);
    planned->excluded = op->excluded;
    memcpy(planned->step, (const char *)op + offsetof(rgn_op, leg), sizeof planned->step);
    memcpy(planned->state, (const char *)op + offsetof(rgn_op, state), sizeof planned->state);
    planned->epoch = epoch;
}
