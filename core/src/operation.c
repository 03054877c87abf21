/* SPDX-License-Identifier: MIT */
/* The pipeline: start -> route -> leg -> classify -> charge -> retry or end. What comes before the leg is in op_send.c.
 */
#include "op_begin.h"
#include "classify_table.h"
#include "race_plain.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(rgn_op) <= 128, "an operation fits two cache lines");
static_assert(offsetof(rgn_op, entry_generation) == 64, "what a healthy operation touches fits one cache line");
static_assert(sizeof(rgn_request) <= 48, "request size");
static_assert(sizeof(rgn_response) == 16, "response size");

enum { SUBSTATUS_SPARED_BY_DOTNET = 21013 }; /* of 408 */
enum {
    STATUS_DEADLINE = 408,
    SUBSTATUS_DEADLINE = 20008,
    STATUS_UNAVAILABLE = 503,
    STATUS_TRANSPORT = 503,
    SUBSTATUS_TRANSPORT = 20003
};

/* The fan lies in the second half from the start. */
void rgni_op_begin_fanning_tail(rgn_op *op, const rgn_topology *topology)
{
    rgn_fan *fan = op->fan;

    rgni_op_begin_tail(op, topology);
    op->fan = fan;
    rgni_race_init_fan(op);
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

rgn_step rgni_op_end_by_deadline(rgn_op *op)
{
    return rgni_op_end(op, STATUS_DEADLINE, SUBSTATUS_DEADLINE, RGN_REASON_DONE_DEADLINE, true);
}

rgn_step rgni_op_end_nowhere(rgn_op *op)
{
    return rgni_op_end(op, STATUS_TRANSPORT, SUBSTATUS_TRANSPORT, RGN_REASON_DONE_EXHAUSTED, true);
}

/* Ends with the last answer. OPR-16: a transport error looks like 503/20003 to the caller. */
rgn_step rgni_op_end_with(rgn_op *op, const rgn_class *class, const rgn_response *response, bool is_exhausted)
{
    bool is_http = response->transport == RGN_TRANSPORT_NONE;
    uint16_t status = is_http ? response->status : (uint16_t)STATUS_TRANSPORT;
    uint16_t substatus = is_http ? response->substatus : (uint16_t)SUBSTATUS_TRANSPORT;
    rgn_reason reason = class->is_success ? RGN_REASON_DONE_SUCCESS
                        : is_exhausted    ? RGN_REASON_DONE_EXHAUSTED
                                          : RGN_REASON_DONE_FINAL;

    return rgni_op_end(op, status, substatus, reason, class->is_caller_error);
}

/* --- results ----------------------------------------------------------------------------------------------------- */

/* BRK-25: the breaker counts this failure. A Java client that may send writes again, as hedging does, takes no timeout
 * of theirs for the region's. */
static bool is_counted(const rgn_router *router, const rgn_op *op, const rgn_response *response)
{
    int64_t counted = router->options.breaker_counted;

    if (counted == RGN_COUNTED_CHARGED || response->transport != RGN_TRANSPORT_NONE ||
        response->status == STATUS_UNAVAILABLE)
        return true;
    if (counted == RGN_COUNTED_DOTNET)
        return response->status == 408 && response->substatus != SUBSTATUS_SPARED_BY_DOTNET;
    return response->status == 500 ||
           (response->status == 408 && op->direction == RGN_WRITE && op->options->hedging_writes == 0);
}

/* OPR-5: exactly one scope pays for a failure. A connection that was never made is the endpoint's; all else is the
 * partition's where the breaker covers the operation, else, for an answer, the endpoint's. */
void rgni_op_charge(rgn_router *router, rgn_op *op, rgn_region region, const rgn_class *class,
                    const rgn_response *response, bool is_exhausted, rgn_time_ns now)
{
    rgn_direction direction = (rgn_direction)op->direction;
    bool may_roam = rgni_op_may_roam(op, rgni_router_topology(router));

    if (class->retry == RGN_RETRY_BACKEND)
        rgni_clock_ask_refresh(router, now);
    if (class->charge == RGN_CHARGE_NOTHING)
        return;
    /* OPR-6: the driver forgets an answer that finds its budget empty; a transport error always counts. */
    if (is_exhausted && response->transport == RGN_TRANSPORT_NONE &&
        op->options->retry_exhausted_failures == RGN_EXHAUSTED_IGNORE)
        return;
    if (class->charge == RGN_CHARGE_PARTITION_WRITE)
        direction = RGN_WRITE;
    if (class->charge == RGN_CHARGE_ENDPOINT)
        rgn_router_mark_endpoint(router, region, (rgn_mark_reason) class->mark_reason, now);
    else if (may_roam) {
        op->pending_marks |= rgn_region_bit(region);
        rgni_op_set(op, RGNI_OP_PLAIN, false);
    } else if (rgni_op_has(op, RGNI_OP_COVERED)) {
        if (is_counted(router, op, response))
            rgni_router_fail(router, op->partition, region, direction, now);
    } else if (response->transport == RGN_TRANSPORT_NONE)
        rgn_router_mark_endpoint(router, region, (rgn_mark_reason) class->mark_reason, now);
}

/* A canary's leg feeds its sample and nothing else; what the deadline has cut is not cut again when its harvest is. */
void rgni_op_charge_cut(rgn_router *router, const rgn_op *op, rgn_time_ns now)
{
    if (op->direction == RGN_WRITE && op->open_legs != 0)
        rgni_router_cut_write(router, op->partition, op->region, now);
    if (router->options.breaker_cut_legs != RGN_CUT_LEGS_COUNT || !rgni_op_has(op, RGNI_OP_COVERED) ||
        op->state == RGNI_OP_HARVEST)
        return;
    for (unsigned leg = rgni_op_has(op, RGNI_OP_TICKET) ? 1 : 0; leg < RGN_LEGS_MAX; leg++)
        if ((op->open_legs >> leg & 1) != 0)
            rgn_router_record_failure(router, op->partition, rgni_leg_region(op, leg), (rgn_direction)op->direction,
                                      now);
}

/* Waits for `delay` in `state`, but not past the deadline. */
static rgn_step wait(rgn_op *op, uint8_t state, rgn_dur_ns delay, rgn_time_ns now)
{
    rgn_time_ns at = rgn_time_add(now, delay);

    op->state = state;
    op->wake_at = rgn_time_min(at, op->deadline);
    op->wake_kind = at < op->deadline ? RGN_WAKE_BACKOFF : RGN_WAKE_DEADLINE;
    return RGN_WAIT;
}

/* The next attempt goes elsewhere. */
static void leave_region(rgn_op *op, const rgn_topology *topology, rgn_time_ns now)
{
    if (op->attempts == 1 && rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY))
        op->canary_failed_at = now;
    op->failed_regions |= rgn_region_bit(op->region);
    rgni_retry_advance(op, topology);
}

/* FLO-12: the read goes on looking for the hub while its failover budget lasts. */
static rgn_step end_refused_hub(rgn_router *router, rgn_op *op, const rgn_class *class, const rgn_response *response,
                                const rgn_topology *topology, rgn_time_ns now)
{
    rgn_class refused = *class;
    rgni_plan plan;

    refused.retry = RGN_RETRY_FAILOVER;
    plan = rgni_retry_plan(op, &refused, response, topology, &router->random, now);
    if (op->state == RGNI_OP_ARMED)
        rgni_race_leave(op, RGN_HEDGE_ENDED_EARLY);
    if (plan.move == RGNI_STOP)
        return rgni_op_end_with(op, class, response, plan.is_exhausted);
    rgn_router_record_not_hub(router, op->partition, op->region, now);
    if (now >= op->deadline)
        return rgni_op_end_by_deadline(op);
    leave_region(op, topology, now);
    return rgni_op_send_next(router, op, now);
}

/* HDG-10, the driver: a primary that fails early launches the hedge. */
static bool may_launch(const rgn_op *op, const rgn_class *class, rgn_time_ns now)
{
    return op->state == RGNI_OP_ARMED && op->options->hedging_early_transient == RGN_EARLY_LAUNCH &&
           !rgni_ends_race(op, class) && now < op->deadline;
}

/* What waits in its region fails only when it may wait no more. The driver's legs do not wait after 449. */
static bool fails_at_once(const rgn_op *op, const rgn_class *class)
{
    return class->retry != RGN_RETRY_THROTTLE &&
           !(class->retry == RGN_RETRY_WITH && op->options->hedging_leg_retries == RGN_LEG_RETRIES_LOCAL);
}

/* HDG-28, the driver: what would end a race ends the operation before the threshold, too. */
static bool is_early_end(const rgn_op *op, const rgn_class *class)
{
    return op->state == RGNI_OP_ARMED && op->options->hedging_early_final == RGN_EARLY_FINAL_RETURN &&
           class->retry != RGN_RETRY_THROTTLE && rgni_ends_race(op, class);
}

/* The same region again after `delay`. */
static rgn_step go_on_here(rgn_op *op, rgn_dur_ns delay, rgn_time_ns now)
{
    if (op->state == RGNI_OP_ARMED)
        return rgni_race_again_armed(op, delay, now);
    return delay > 0 || now >= op->deadline ? wait(op, RGNI_OP_WAIT_HERE, delay, now) : rgni_op_send_here(op, now);
}

/* OPR-1: the end of an ordinary attempt. `is_timeout`: the attempt's own, which yields to a deadline of the same
 * instant. */
static rgn_step end_attempt(rgn_router *router, rgn_op *op, const rgn_class *class, const rgn_response *response,
                            bool is_timeout, rgn_time_ns now)
{
    const rgn_topology *topology;
    rgni_plan plan;
    bool launches;

    if (class->evidence == RGN_EVIDENCE_SUCCESS) {
        if (op->state == RGNI_OP_ARMED)
            rgni_race_won_early(router, op, now);
        rgni_router_note_success(router, op->partition, op->region, (rgn_direction)op->direction, class->is_success,
                                 now);
        rgni_op_settle_failover(router, op, response, now);
        return rgni_op_end_with(op, class, response, false);
    }
    topology = rgni_router_topology(router);
    rgni_op_need_tail(op, topology);
    if (rgni_op_is_refused_hub(op, response) &&
        !(op->options->hedging_refused_hub == RGN_REFUSED_HUB_FINAL && is_early_end(op, class)))
        return end_refused_hub(router, op, class, response, topology, now);
    if (rgni_retry_backs_off_first(op, response) &&
        rgni_retry_backs_off(op, response, topology, &router->random, &plan, now))
        return go_on_here(op, plan.delay, now);
    if (is_early_end(op, class)) {
        rgni_race_won_early(router, op, now);
        rgni_race_leave(op, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD);
        return rgni_op_end_with(op, class, response, false);
    }
    launches = may_launch(op, class, now) && !rgni_is_local_throttle(response);
    if (launches && fails_at_once(op, class)) {
        rgni_op_charge(router, op, op->region, class, response, rgni_retry_is_spent(op, class), now);
        if (rgni_race_launch_early(router, op, class, response, now))
            return RGN_SEND;
        plan = rgni_retry_plan(op, class, response, topology, &router->random, now);
    } else {
        plan = rgni_retry_plan(op, class, response, topology, &router->random, now);
        rgni_op_charge(router, op, op->region, class, response, plan.is_exhausted, now);
        if (launches && plan.move == RGNI_STOP && rgni_race_launch_early(router, op, NULL, response, now))
            return RGN_SEND;
    }
    if (op->state == RGNI_OP_ARMED && rgni_ends_race(op, class) && plan.move != RGNI_HERE)
        rgni_race_won_early(router, op, now);
    if (op->state == RGNI_OP_ARMED && plan.move == RGNI_HERE && !rgni_is_local_throttle(response))
        return rgni_race_again_armed(op, plan.delay, now);
    if (op->state == RGNI_OP_ARMED)
        rgni_race_leave(op, rgni_ends_race(op, class) && plan.move == RGNI_STOP ? RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD
                                                                                : RGN_HEDGE_ENDED_EARLY);
    if (now >= op->deadline && (is_timeout || plan.move != RGNI_STOP))
        return rgni_op_end_by_deadline(op);
    if (plan.move == RGNI_STOP) {
        rgni_op_settle_failover(router, op, response, now);
        return rgni_op_end_with(op, class, response, plan.is_exhausted);
    }
    if (plan.move == RGNI_HERE)
        return go_on_here(op, plan.delay, now);
    leave_region(op, topology, now);
    return plan.delay > 0 ? wait(op, RGNI_OP_WAIT_NEXT, plan.delay, now) : rgni_op_send_next(router, op, now);
}

void rgni_op_end_ticket(rgn_router *router, rgn_op *op, rgn_evidence evidence, rgn_time_ns now)
{
    rgni_ticket ticket = {op->entry_generation, op->window_id};

    rgni_op_set(op, RGNI_OP_TICKET, false);
    rgni_router_end_canary(router, op->partition, (rgn_direction)op->direction, ticket, evidence, now);
}

/* FBK-6: a canary feeds its sample and nothing else. Unless the region has answered for good, the operation goes
 * elsewhere at once, at no cost to its budgets. */
static rgn_step end_canary(rgn_router *router, rgn_op *op, const rgn_class *class, const rgn_response *response,
                           rgn_evidence evidence, rgn_time_ns now)
{
    rgni_op_end_ticket(router, op, rgn_op_judge_canary(router, op, evidence), now);
    if (op->state == RGNI_OP_ARMED)
        rgni_race_leave(op,
                        evidence == RGN_EVIDENCE_SUCCESS ? RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD : RGN_HEDGE_ENDED_EARLY);
    if (evidence == RGN_EVIDENCE_SUCCESS)
        return rgni_op_end_with(op, class, response, false);
    if (now >= op->deadline)
        return rgni_op_end_by_deadline(op);
    leave_region(op, rgni_router_topology(router), now);
    return rgni_op_send_next(router, op, now);
}

/* Two questions, for the caller has just written the two one by one: a load of both would wait for them to reach the
 * cache. */
static inline bool is_unavailable(const rgn_response *response)
{
    if (response->status != STATUS_UNAVAILABLE)
        return false;
    return response->transport == RGN_TRANSPORT_NONE;
}

/* OPR-7, the common failure: the region is unavailable, the breaker counts it, and nothing stands against the next
 * region at once. The operation has a second half. */
static inline bool fails_over(const rgn_op *op, const rgn_topology *topology, rgn_time_ns now)
{
    bool launches = op->state == RGNI_OP_ARMED && op->options->hedging_early_transient == RGN_EARLY_LAUNCH;

    return !launches && rgni_op_has(op, RGNI_OP_COVERED) && !rgni_op_may_roam(op, topology) &&
           op->failover_retries < op->options->retry_max_failover_retry_count && now < op->deadline;
}

/* What end_attempt() comes to then. */
static rgn_step fail_over(rgn_router *router, rgn_op *op, const rgn_topology *topology, rgn_time_ns now)
{
    rgni_retry_fail_over(op);
    rgni_router_fail(router, op->partition, op->region, (rgn_direction)op->direction, now);
    if (op->state == RGNI_OP_ARMED)
        rgni_race_leave(op, RGN_HEDGE_ENDED_EARLY);
    leave_region(op, topology, now);
    return rgni_op_send_next(router, op, now);
}

/* The second half holds nothing that a success would settle. */
static inline bool has_quiet_tail(const rgn_op *op)
{
    return !rgni_op_has(op, RGNI_OP_PLACE) && !rgni_op_has_pending_marks(op) && (op->send_flags & RGN_SEND_HUB) == 0;
}

/* A success after which nothing is left to charge or cancel, and to note at most that hedge wins end (HDG-17): of the
 * only leg of an operation whose race, if any, stands before its threshold, at a partition to whose memory a success
 * means nothing else. */
static inline bool ends_quietly(const rgn_router *router, const rgn_op *op, uint8_t state, const rgn_response *response)
{
    bool races;

    if (!rgni_status_is_success(response->status) || rgni_op_has(op, RGNI_OP_TICKET)) /* most that come here */
        return false;
    races = op->state == RGNI_OP_ARMED && router->options.hedging_policy == RGN_HEDGING_STATIC;
    return (races || op->state == RGNI_OP_IN_FLIGHT) && (!rgni_op_has(op, RGNI_OP_HAS_TAIL) || has_quiet_tail(op)) &&
           rgni_is_http(response) && (state & router->heard) == 0;
}

static RGNI_NOINLINE rgn_step end_leg(rgn_router *router, rgn_op *op, const rgn_response *response, rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);
    const rgn_class *class;
    rgn_step step;

    op->open_legs = 0;
    op->result.region = op->region;
    if (rgni_op_has(op, RGNI_OP_TICKET)) {
        class = rgni_class_of(response);
        step = end_canary(router, op, class, response, (rgn_evidence) class->evidence, now);
    } else if (is_unavailable(response)) {
        rgni_op_need_tail(op, topology);
        step = fails_over(op, topology, now) ? fail_over(router, op, topology, now)
                                             : end_attempt(router, op, rgni_class_of(response), response, false, now);
    } else {
        step = end_attempt(router, op, rgni_class_of(response), response, false, now);
    }
    rgni_race_free_place(router, op);
    return step;
}

/* A leg's end that is not the common one. Apart, so that the common case saves no registers for it. */
static RGNI_NOINLINE rgn_step end_otherwise(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response,
                                            rgn_time_ns now)
{
    uint8_t state = rgni_router_state_of(router, op->partition);

    assert(leg < RGN_LEGS_MAX);
    assert((op->open_legs >> leg & 1) != 0);
    op->cancel_legs = 0;
    if (!ends_quietly(router, op, state, response))
        return op->state == RGNI_OP_RACE || op->state == RGNI_OP_HARVEST
                   ? rgni_race_on_leg(router, op, leg, response, now)
                   : end_leg(router, op, response, now);
    if (op->state == RGNI_OP_ARMED && (state & RGNI_STATE_WINS) != 0 && rgni_race_counts(op))
        rgni_router_end_wins(router, op->partition, op->region, now);
    op->open_legs = 0;
    op->result.region = op->region;
    return rgni_op_finish(op, response->status, response->substatus, RGN_REASON_DONE_SUCCESS, false);
}

/* The only leg of an operation that has nothing to settle at its end, and whose race, if any, stands before its
 * threshold. */
static inline bool is_only_leg(const rgn_op *op, unsigned leg)
{
    const uint8_t either_state = RGNI_OP_IN_FLIGHT & RGNI_OP_ARMED;
    const uint8_t looked_at = (uint8_t) ~(RGNI_OP_IN_FLIGHT ^ RGNI_OP_ARMED);

    const uint16_t flags = RGNI_OP_PLAIN | RGNI_OP_TICKET | RGNI_OP_PLACE | RGNI_OP_HUB;

    return (rgni_op_standing(op) & rgni_standing(UINT8_MAX, looked_at, flags)) ==
               rgni_standing(1u << RGNI_PRIMARY, either_state, RGNI_OP_PLAIN) &&
           leg == RGNI_PRIMARY;
}

static inline rgn_step end_only_leg(rgn_op *op, const rgn_response *response)
{
    op->leg = 0;
    op->cancel_legs = 0;
    op->open_legs = 0;
    op->result.region = op->region;
    return rgni_op_finish(op, RGNI_STATUS_OK, response->substatus, RGN_REASON_DONE_SUCCESS, false);
}

/* HDG-17: at a partition that has hedge wins. */
static RGNI_NOINLINE rgn_step end_only_leg_and_wins(rgn_router *router, rgn_op *op, const rgn_response *response,
                                                    rgn_time_ns now)
{
    bool was_armed = op->state == RGNI_OP_ARMED;

    (void)end_only_leg(op, response);
    if (was_armed && rgni_race_counts(op))
        rgni_router_end_wins(router, op->partition, op->region, now);
    return RGN_DONE;
}

rgn_step rgn_op_on_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response, rgn_time_ns now)
{
    if (op->partition < router->partition_count && rgni_is_ok(response)) {
        uint8_t state = rgni_router_state(router, op->partition);
        if (is_only_leg(op, leg)) {
            if ((state & router->heard_armed) == 0)
                return end_only_leg(op, response);
            if ((state & router->heard) == 0)
                return end_only_leg_and_wins(router, op, response, now);
        } else if (rgni_race_is_plain(op) && (state & router->heard) == 0) {
            assert((op->open_legs >> leg & 1) != 0);
            return rgni_race_win_plainly(router, op, leg, response, now, state);
        }
    }
    return end_otherwise(router, op, leg, response, now);
}

/* OPR-4: an attempt that outlives its timeout may have reached the service. */
static rgn_step time_out(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    const rgn_response lost = {.transport = RGN_TRANSPORT_UNKNOWN, .retry_after = RGN_TIME_NEVER};
    const rgn_class *class = rgni_class_of(&lost);

    op->cancel_legs = op->open_legs;
    op->open_legs = 0;
    op->result.region = op->region;
    if (rgni_op_has(op, RGNI_OP_TICKET))
        return end_canary(router, op, class, &lost, RGN_EVIDENCE_TIMEOUT, now);
    return end_attempt(router, op, class, &lost, true, now);
}

/* The back-off between two attempts is over. */
static rgn_step end_wait(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    rgn_step step;

    if (op->state == RGNI_OP_WAIT_HERE)
        return rgni_op_send_here(op, now);
    rgni_op_set(op, RGNI_OP_WAITED, true);
    step = rgni_op_send_next(router, op, now);
    rgni_op_set(op, RGNI_OP_WAITED, false);
    return step;
}

static rgn_step wake(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    if (op->state == RGNI_OP_ARMED && op->wake_kind == RGN_WAKE_HEDGE)
        return rgni_race_on_threshold(router, op, now);
    if (op->state == RGNI_OP_RACE || op->state == RGNI_OP_HARVEST ||
        (op->state == RGNI_OP_ARMED && op->wake_kind != RGN_WAKE_LEG_TIMEOUT))
        return rgni_race_on_timer(router, op, now);
    if (op->wake_kind == RGN_WAKE_LEG_TIMEOUT)
        return time_out(router, op, now);
    if (op->wake_kind == RGN_WAKE_BACKOFF && now < op->deadline)
        return end_wait(router, op, now);
    /* OPR-15: a deadline says nothing of the region, but to a canary. */
    rgni_op_charge_cut(router, op, now);
    if (rgni_op_has(op, RGNI_OP_TICKET))
        rgni_op_end_ticket(router, op, RGN_EVIDENCE_TIMEOUT, now);
    return rgni_op_end_by_deadline(op);
}

/* Apart, so that a hedge that is launched saves no registers for it. */
static RGNI_NOINLINE rgn_step ring(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    rgn_step step;

    assert(op->state != RGNI_OP_DONE);
    op->cancel_legs = 0;
    if (now < op->wake_at)
        return RGN_WAIT;
    step = wake(router, op, now);
    rgni_race_free_place(router, op);
    return step;
}

/* A hedge that goes elsewhere than from home to the second region. */
static RGNI_NOINLINE rgn_step launch_elsewhere(rgn_router *router, rgn_op *op, const rgn_topology *topology,
                                               rgn_time_ns now)
{
    rgn_region target = rgni_race_near_secondary(router, op, topology);

    return target != RGN_REGION_NONE ? rgni_race_launch_plainly(router, op, topology, target, now)
                                     : ring(router, op, now);
}

rgn_step rgn_op_on_timer(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);

    if (!rgni_race_launches_plainly(op, now))
        return ring(router, op, now);
    return rgni_race_leaves_home(op, topology)
               ? rgni_race_launch_plainly(router, op, topology, topology->read_order.region[1], now)
               : launch_elsewhere(router, op, topology, now);
}

rgn_step rgn_op_abandon(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    rgn_step step;

    op->cancel_legs = 0;
    rgni_op_charge_cut(router, op, now);
    rgni_race_on_abandon(router, op);
    if (rgni_op_has(op, RGNI_OP_TICKET))
        rgni_op_end_ticket(router, op, RGN_EVIDENCE_NEUTRAL, now);
    step = rgni_op_end(op, 0, 0, RGN_REASON_DONE_ABANDONED, false);
    rgni_race_free_place(router, op);
    return step;
}

bool rgn_op_began_as_canary(const rgn_op *op)
{
    return rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY);
}
