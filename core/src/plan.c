/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <assert.h>

static_assert(offsetof(rgn_request, excluded) == offsetof(rgn_request, direction) + 4 &&
                  offsetof(rgn_request, excluded) + 4 <= sizeof(rgn_request),
              "what kind a request is takes eight bytes in a row");
static_assert(offsetof(rgn_op, options) + sizeof(rgn_options *) <= offsetof(rgn_op, leg) + RGNI_PLANNED_BYTES &&
                  offsetof(rgn_op, deadline) >= offsetof(rgn_op, leg) + RGNI_PLANNED_BYTES,
              "what is the same for all that start by a plan lies in a row");

/* PLN-1: rgni_state_moves_nothing() and rgni_state_goes_around_home(), for each state byte. */
#define IS_TRIPPED(state, direction) (((state) >> 2 >> (direction)&1) != 0)
#define PLACE(state, direction)                                                       \
    (((state)&RGNI_STATE_OVERRIDE) == 0 && !IS_TRIPPED(state, direction) &&           \
             ((state)&RGNI_STATE_PHASE) != RGN_PHASE_RECOVERING                       \
         ? RGNI_AT_HOME                                                               \
     : ((state) & (RGNI_STATE_PHASE | RGNI_STATE_OVERRIDE | RGNI_STATE_HOME_ONLY)) == \
                 (RGN_PHASE_UNHEALTHY | RGNI_STATE_HOME_ONLY) &&                      \
             IS_TRIPPED(state, direction)                                             \
         ? RGNI_AROUND_HOME                                                           \
         : RGNI_NO_PLACE)
#define PLACES_4(state, direction) \
    PLACE(state, direction), PLACE((state) + 1, direction), PLACE((state) + 2, direction), PLACE((state) + 3, direction)
#define PLACES_16(state, direction)                                                                 \
    PLACES_4(state, direction), PLACES_4((state) + 4, direction), PLACES_4((state) + 8, direction), \
        PLACES_4((state) + 12, direction)
#define PLACES_64(state, direction)                                                                      \
    PLACES_16(state, direction), PLACES_16((state) + 16, direction), PLACES_16((state) + 32, direction), \
        PLACES_16((state) + 48, direction)
#define PLACES_256(direction) \
    PLACES_64(0, direction), PLACES_64(64, direction), PLACES_64(128, direction), PLACES_64(192, direction)

const uint8_t rgni_plan_places[RGN_DIRECTIONS][RGNI_STATES] = {{PLACES_256(RGN_READ)}, {PLACES_256(RGN_WRITE)}};

/* PLN-2: starts that change more than their operation, or that look at what no epoch counts. */
static bool is_unplannable(const rgn_router *router, const rgn_op *op)
{
    const rgn_options *shared = &router->options;

    return rgni_op_has(op, RGNI_OP_HAS_TAIL | RGNI_OP_METADATA) || op->partition >= router->partition_count ||
           op->options->hedging_max_alternates > 1 || shared->hedging_policy != RGN_HEDGING_STATIC ||
           shared->hedging_budget_share < RGNI_HEDGE_PRICE;
}

/* The plan is for requests of that kind from now on, and nothing is planned for them yet. */
static void begin(rgn_plan *plan, const rgn_router *router, const rgn_request *request)
{
    bool has_deadline = request->timeout != RGN_TIME_NEVER;

    *plan = (rgn_plan){.router = router,
                       .kind = rgni_plan_kind(request),
                       .timeout = request->timeout,
                       .options = request->options,
                       .latest = RGN_TIME_NEVER - 1 - (has_deadline ? request->timeout : 0),
                       .places = rgni_plan_places[request->direction],
                       .deadline_mask = has_deadline ? -1 : 0,
                       .deadline_value = request->timeout};
}

/* What the start came to, unless it has times that are not to be added to. */
static void write_down(rgn_plan *plan, rgn_planned *planned, const rgn_op *op, uint64_t epoch, rgn_time_ns now)
{
    rgn_dur_ns longest;

    if (op->wake_at == RGN_TIME_NEVER || op->leg_timeout_at == RGN_TIME_NEVER)
        return;
    planned->wake_after = op->wake_at - now;
    planned->leg_timeout_after = op->leg_timeout_at - now;
    longest = planned->wake_after > planned->leg_timeout_after ? planned->wake_after : planned->leg_timeout_after;
    plan->latest = rgn_time_min(plan->latest, RGN_TIME_NEVER - 1 - longest);
    memcpy(planned->words, (const char *)op + offsetof(rgn_op, leg), sizeof planned->words);
    planned->epoch = epoch;
}

void rgni_plan_make(rgn_plan *plan, const rgn_router *router, const rgn_op *op, const rgn_request *request,
                    uint8_t state, uint64_t epoch, rgn_time_ns now)
{
    rgn_planned *planned;

    if (!rgni_plan_is_for(plan, router, request))
        begin(plan, router, request);
    planned = plan->places[state] == RGNI_AT_HOME ? &plan->at_home : &plan->around_home;
    planned->epoch = 0;
    if (!is_unplannable(router, op))
        write_down(plan, planned, op, epoch, now);
}

/* PLN-4: only the entry tells where others than home have failed; and a hedge that hides behind the attempt's timeout
 * has an instant of its own. */
static bool is_unplannable_canary(const rgn_op *op, uint8_t state)
{
    return (state & (RGNI_STATE_HOME_ONLY | RGNI_STATE_OVERRIDE)) != RGNI_STATE_HOME_ONLY ||
           (op->state == RGNI_OP_ARMED && op->wake_kind != RGN_WAKE_HEDGE);
}

void rgni_plan_make_canary(rgn_plan *plan, const rgn_op *op, uint8_t state, rgn_time_ns now)
{
    if (is_unplannable_canary(op, state))
        return;
    plan->as_canary.epoch = 0;
    plan->canary_state = state & (uint8_t)~RGNI_STATE_WINS;
    write_down(plan, &plan->as_canary, op, plan->at_home.epoch, now);
}
