/* SPDX-License-Identifier: MIT */
/* The hedge race of one operation: armed -> race -> end, harvest, or back to the pipeline. See regioncore/hedging.h.
 *
 * Each leg has a region and an instant: of an open leg its timeout, of one that waits when it is sent, of one that has
 * ended for good RGN_TIME_NEVER. Those of `op->leg` lie in region and leg_timeout_at. The other one of two legs lies
 * beside them; where there may be more (HDG-36), all others lie in op->fan, and other_at is the next hedge's instant.
 */
#include "op_begin.h"
#include "classify_table.h"

#include <assert.h>

enum { PRIMARY = 0, HEDGE = 1 };

static const rgn_response lost = {.transport = RGN_TRANSPORT_UNKNOWN, .retry_after = RGN_TIME_NEVER};

/* --- legs -------------------------------------------------------------------------------------------------------- */

static rgn_time_ns *leg_at(rgn_op *op, unsigned leg)
{
    if (leg == op->leg)
        return &op->leg_timeout_at;
    return rgni_op_has(op, RGNI_OP_FANS) ? &op->fan->leg[leg].at : &op->other_at;
}

static bool leg_is_open(const rgn_op *op, unsigned leg)
{
    return (op->open_legs >> leg & 1) != 0;
}

/* The leg is on its way or will be sent again. */
static bool leg_is_alive(rgn_op *op, unsigned leg)
{
    return *leg_at(op, leg) != RGN_TIME_NEVER;
}

static bool any_leg_is_alive(rgn_op *op)
{
    for (unsigned leg = 0; leg < rgni_leg_count(op); leg++)
        if (leg_is_alive(op, leg))
            return true;
    return false;
}

static bool all_legs_are_alive(rgn_op *op)
{
    for (unsigned leg = 0; leg < rgni_leg_count(op); leg++)
        if (!leg_is_alive(op, leg))
            return false;
    return true;
}

/* Makes `leg` the one that the operation shows. */
static inline __attribute__((always_inline)) void show_leg(rgn_op *op, unsigned leg)
{
    rgn_time_ns at = op->leg_timeout_at;
    rgn_region region = op->region;

    if (leg == op->leg)
        return;
    if (rgni_op_has(op, RGNI_OP_FANS)) {
        rgn_fan_leg *legs = op->fan->leg;
        op->leg_timeout_at = legs[leg].at;
        op->region = legs[leg].region;
        legs[op->leg].at = at;
        legs[op->leg].region = region;
    } else {
        op->leg_timeout_at = op->other_at;
        op->region = op->pair.other_region;
        op->other_at = at;
        op->pair.other_region = region;
    }
    op->leg = (uint8_t)leg;
}

static inline void wake_before(rgn_op *op, rgn_time_ns at, bool is_timeout, rgn_wake_kind kind)
{
    if (at - is_timeout < op->wake_at) {
        op->wake_at = at;
        op->wake_kind = (uint8_t)kind;
    }
}

static inline void wake_for_leg(rgn_op *op, unsigned leg, rgn_time_ns at)
{
    if (leg_is_open(op, leg))
        wake_before(op, at, true, RGN_WAKE_LEG_TIMEOUT);
    else
        wake_before(op, at, false, RGN_WAKE_BACKOFF);
}

/* Of things at one instant an attempt's timeout comes first, then the deadline, then whatever is to be sent. */
static void set_wake(rgn_op *op)
{
    bool fans = rgni_op_has(op, RGNI_OP_FANS);

    op->wake_at = op->deadline;
    op->wake_kind = RGN_WAKE_DEADLINE;
    wake_for_leg(op, op->leg, op->leg_timeout_at);
    for (unsigned leg = 0; fans && leg < op->fan->count; leg++)
        if (leg != op->leg)
            wake_for_leg(op, leg, op->fan->leg[leg].at);
    if (fans || op->state == RGNI_OP_ARMED)
        wake_before(op, op->other_at, false, RGN_WAKE_HEDGE);
    else
        wake_for_leg(op, op->leg ^ 1u, op->other_at);
}

/* HDG-22: what a leg says of the hub. HDG-35: the driver's primary leg says nothing. */
static uint8_t hub_flag(const rgn_op *op, unsigned leg)
{
    bool says =
        rgni_op_is_hub_latched(op) && (leg != PRIMARY || op->options->hedging_primary_hub == RGN_PRIMARY_HUB_ASK);

    return says ? RGN_SEND_HUB : 0;
}

static inline __attribute__((always_inline)) void send_leg(rgn_op *op, unsigned leg, rgn_reason reason, rgn_time_ns now)
{
    show_leg(op, leg);
    op->reason = (uint8_t)reason;
    op->send_flags = (uint8_t)((leg != PRIMARY ? RGN_SEND_HEDGE : 0) | hub_flag(op, leg));
    op->open_legs |= (uint8_t)(1u << leg);
    op->leg_timeout_at = rgn_time_add(now, op->options->retry_request_timeout);
    op->attempts++;
    set_wake(op);
}

/* The leg's region again. HDG-12: whatever the reason for trying again, the region stays. */
static rgn_step send_leg_again(rgn_op *op, unsigned leg, rgn_time_ns now)
{
    bool is_excluded = rgn_region_in(op->excluded, rgni_leg_region(op, leg));

    send_leg(op, leg, is_excluded ? RGN_REASON_ROUTE_FALLBACK : RGN_REASON_ROUTE_IN_REGION, now);
    return RGN_SEND;
}

/* --- beginning --------------------------------------------------------------------------------------------------- */

void rgni_race_init_fan(rgn_op *op)
{
    op->fan->leg[PRIMARY] = (rgn_fan_leg){.place = op->region};
    op->fan->count = 1;
    op->fan->limit = (uint8_t)(1 + op->options->hedging_max_alternates);
}

/* A refused read stands as such until a later attempt races. The second half takes it off the healthy path, so that its
 * end is seen. */
bool rgni_race_take_place(rgn_router *router, rgn_op *op, const rgn_topology *topology)
{
    bool has_place = rgni_op_has(op, RGNI_OP_PLACE) || rgni_hedging_take_metadata(&router->hedging, &router->options);

    rgni_op_need_tail(op, topology);
    rgni_op_set(op, RGNI_OP_PLACE, has_place);
    if (!has_place) {
        rgni_op_set(op, RGNI_OP_RACED, true);
        rgni_hedge_set(op, RGN_HEDGE_REFUSED);
    }
    return has_place;
}

/* The driver enters a race while nothing but its refused writes has been retried, or at once after an attempt if the
 * race, lost, could still be paid for. */
bool rgni_race_may_follow(const rgn_op *op)
{
    if (op->options->hedging_later_race == RGN_LATER_RACE_ANY ||
        (op->failover_retries == 0 && op->session_retries == 0))
        return true;
    return !rgni_op_has(op, RGNI_OP_WAITED) &&
           op->failover_retries + RGNI_RACE_PRICE <= op->options->retry_max_failover_retry_count;
}

/* The race of an operation with a second half, or of one whose threshold hides behind its attempt's timeout. */
void rgni_race_arm_with_tail(rgn_op *op, const rgn_topology *topology, rgn_time_ns hedge_at)
{
    if ((op->send_flags & RGN_SEND_HUB) != 0)
        op->send_flags = (uint8_t)((op->send_flags & ~RGN_SEND_HUB) | hub_flag(op, PRIMARY));
    if (!rgni_op_has(op, RGNI_OP_HAS_TAIL))
        rgni_op_need_tail(op, topology);
    else
        op->hedge = (uint8_t)(RGN_HEDGE_WAITING | (rgni_races_of(op) + 1) << 4);
    if (rgni_op_has(op, RGNI_OP_FANS))
        rgni_race_init_fan(op);
    op->other_at = hedge_at;
    set_wake(op);
}

/* --- before the threshold ---------------------------------------------------------------------------------------- */

/* HDG-8: a primary leg was open for this long when it ended, or was cut. */
static rgn_dur_ns age_of(rgn_op *op, unsigned leg, rgn_time_ns now)
{
    return rgn_time_elapsed(*leg_at(op, leg) - op->options->retry_request_timeout, now);
}

static void learn(rgn_router *router, rgn_op *op, unsigned leg, bool is_complete, rgn_time_ns now)
{
    int64_t policy = router->options.hedging_policy;

    if (policy == RGN_HEDGING_STATIC || op->direction == RGN_WRITE || rgni_op_has(op, RGNI_OP_METADATA) ||
        (leg == PRIMARY && rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY)))
        return;
    if (policy == RGN_HEDGING_ADAPTIVE ? leg == PRIMARY : is_complete)
        rgni_hedging_learn(&router->hedging, &router->options, rgni_leg_region(op, leg), age_of(op, leg, now));
}

static void record_primary_win(rgn_router *router, const rgn_op *op, rgn_time_ns now)
{
    if (rgni_race_counts(op))
        rgn_router_record_primary_win(router, op->partition, rgni_leg_region(op, PRIMARY), now);
}

void rgni_race_note_early_win(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    learn(router, op, PRIMARY, true, now);
    record_primary_win(router, op, now);
    if (rgni_op_has(op, RGNI_OP_HAS_TAIL))
        rgni_hedge_set(op, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD);
}

void rgni_race_leave(rgn_op *op, rgn_hedge why)
{
    op->state = RGNI_OP_IN_FLIGHT;
    if (rgni_op_has(op, RGNI_OP_HAS_TAIL))
        rgni_hedge_set(op, why);
}

/* The primary leg goes on alone: it is open, or waits to be sent again. */
static rgn_step go_on_alone(rgn_op *op)
{
    bool is_open = leg_is_open(op, PRIMARY);
    rgn_time_ns at = op->leg_timeout_at;

    rgni_race_leave(op, RGN_HEDGE_REFUSED);
    if (!is_open)
        op->state = RGNI_OP_WAIT_HERE;
    op->wake_at = rgn_time_min(at, op->deadline);
    if (is_open)
        op->wake_kind = at <= op->deadline ? RGN_WAKE_LEG_TIMEOUT : RGN_WAKE_DEADLINE;
    else
        op->wake_kind = at < op->deadline ? RGN_WAKE_BACKOFF : RGN_WAKE_DEADLINE;
    return RGN_WAIT;
}

static rgn_region region_of(const rgn_op *op, rgn_region place, const rgn_topology *topology)
{
    return op->options->hedging_leg_exclusions == RGN_LEG_EXCLUSIONS_UNION ? place
                                                                           : rgni_race_region_of(op, place, topology);
}

/* HDG-36: no further hedge is sent in this race. */
static void stop_fanning(rgn_op *op)
{
    op->fan->limit = op->fan->count;
    op->other_at = RGN_TIME_NEVER;
}

static __attribute__((noinline)) void send_leg_of_fan(const rgn_router *router, rgn_op *op, rgn_region place,
                                                      const rgn_topology *topology, rgn_time_ns now)
{
    unsigned leg = op->fan->count++;

    op->fan->leg[leg] = (rgn_fan_leg){.at = RGN_TIME_NEVER, .region = region_of(op, place, topology), .place = place};
    op->other_at = rgn_time_add(now, op->options->hedging_threshold_step);
    if (op->fan->count == op->fan->limit || rgni_race_next_place(router, op, topology) == RGN_REGION_NONE)
        stop_fanning(op);
    send_leg(op, leg, RGN_REASON_ROUTE_HEDGE, now);
}

/* HDG-9: the region is chosen as things are now. HDG-15: a refused operation goes on as if it had never raced. */
static bool launch(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);
    rgn_region place = rgni_race_secondary(router, op, topology);

    rgni_op_need_tail(op, topology);
    if (place == RGN_REGION_NONE || !rgni_hedging_take(&router->hedging, &router->options))
        return false;
    op->state = RGNI_OP_RACE;
    rgni_hedge_set(op, RGN_HEDGE_LAUNCHED);
    if (rgni_op_has(op, RGNI_OP_TICKET))
        op->canary_failed_at = now; /* taken back if the canary wins */
    if (rgni_op_has(op, RGNI_OP_FANS)) {
        send_leg_of_fan(router, op, place, topology, now);
        return true;
    }
    op->pair = (rgn_pair){.other_region = region_of(op, place, topology)};
    send_leg(op, HEDGE, RGN_REASON_ROUTE_HEDGE, now);
    return true;
}

/* HDG-36: a further hedge. Without a region or a budget for one the race goes on with the legs that it has. */
static bool launch_next(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);
    rgn_region place = rgni_race_next_place(router, op, topology);

    if (place == RGN_REGION_NONE || !rgni_hedging_take(&router->hedging, &router->options)) {
        stop_fanning(op);
        return false;
    }
    send_leg_of_fan(router, op, place, topology, now);
    return true;
}

/* HDG-36: a leg has failed for good: the next hedge need not wait for its time. */
static bool launches_next(rgn_op *op, unsigned leg, rgn_time_ns now)
{
    return rgni_op_has(op, RGNI_OP_FANS) && op->fan->count < op->fan->limit && now < op->deadline &&
           !leg_is_alive(op, leg) &&
           (op->options->hedging_early_transient == RGN_EARLY_LAUNCH || !any_leg_is_alive(op));
}

/* The hedges of the race are no longer in flight. */
static void give_back(rgn_router *router, const rgn_op *op)
{
    for (unsigned more = rgni_op_has(op, RGNI_OP_FANS) ? op->fan->count - 2u : 0; more > 0; more--)
        rgni_hedging_give_back(&router->hedging);
    rgni_hedging_give_back(&router->hedging);
}

/* The leg failed and may be sent again `delay` later: it waits, and is dead without a plan. */
static void follow_plan(rgn_op *op, unsigned leg, rgni_plan plan, rgn_time_ns now)
{
    *leg_at(op, leg) = plan.move == RGNI_HERE ? rgn_time_add(now, plan.delay) : RGN_TIME_NEVER;
}

bool rgni_race_launch_early(rgn_router *router, rgn_op *op, const rgn_class *class, const rgn_response *response,
                            rgn_time_ns now)
{
    rgni_plan plan = {RGNI_STOP, 0, false};

    if (!launch(router, op, now)) {
        rgni_race_leave(op, RGN_HEDGE_REFUSED);
        return false;
    }
    if (class != NULL)
        plan = rgni_retry_plan_leg(op, PRIMARY, class, response, rgni_router_topology(router), &router->random, now);
    follow_plan(op, PRIMARY, plan, now);
    if (rgni_op_is_hub_latched(op)) /* the primary's answer may have set the latch */
        op->send_flags |= RGN_SEND_HUB;
    set_wake(op);
    return true;
}

rgn_step rgni_race_again_armed(rgn_op *op, rgn_dur_ns delay, rgn_time_ns now)
{
    op->leg_timeout_at = rgn_time_add(now, delay);
    if (delay == 0 && now < op->deadline)
        return send_leg_again(op, PRIMARY, now);
    set_wake(op);
    return RGN_WAIT;
}

/* --- the race ---------------------------------------------------------------------------------------------------- */

/* BRK-21: the winner cuts the other legs. A leg that is a canary, or began as one, counts nowhere else. */
static void charge_losers(rgn_router *router, const rgn_op *op, unsigned winner, rgn_time_ns now)
{
    bool counts_all = router->options.breaker_cut_legs == RGN_CUT_LEGS_COUNT;
    unsigned legs = counts_all ? rgni_leg_count(op) : 1;

    if (!rgni_op_has(op, RGNI_OP_COVERED))
        return;
    for (unsigned leg = rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY) ? HEDGE : PRIMARY; leg < legs; leg++)
        if (leg != winner && leg_is_open(op, leg))
            rgn_router_record_failure(router, op->partition, rgni_leg_region(op, leg), (rgn_direction)op->direction,
                                      now);
}

/* HDG-13: the first final answer ends race and operation. */
static rgn_step win(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class, const rgn_response *response,
                    rgn_time_ns now)
{
    bool lost_by_neutral = router->options.failback_lost_race == RGN_LOST_RACE_NEUTRAL;

    give_back(router, op);
    learn(router, op, leg, true, now);
    if (leg == PRIMARY) {
        rgni_hedge_set(op, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE);
        op->canary_failed_at = RGN_TIME_NEVER;
        record_primary_win(router, op, now);
    } else {
        rgni_hedge_set(op, RGN_HEDGE_ALTERNATE_WON);
        if (leg_is_open(op, PRIMARY))
            learn(router, op, PRIMARY, false, now);
        /* FBK-27: the race is lost for the canary; nothing else is recorded of it. */
        if (rgni_op_has(op, RGNI_OP_TICKET))
            rgni_op_end_ticket(router, op, lost_by_neutral ? RGN_EVIDENCE_NEUTRAL : RGN_EVIDENCE_FAILURE, now);
        if (rgni_race_counts(op))
            rgn_router_record_hedge_win(router, op->partition, rgni_leg_region(op, PRIMARY), now);
    }
    if (router->options.breaker_cut_legs != RGN_CUT_LEGS_IGNORE)
        charge_losers(router, op, leg, now);
    return rgni_op_end_with(op, class, response, false);
}

/* HDG-14: all legs are dead: one failed attempt of the operation, in their regions. HDG-30: or its end. */
static rgn_step fold_back(rgn_router *router, rgn_op *op, const rgn_class *class, const rgn_response *response,
                          rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);
    const rgn_region_list *list = rgni_race_list(op, topology);
    rgn_region_set raced = 0;
    bool is_late = now >= op->deadline;
    bool is_dear = op->options->hedging_both_transient == RGN_BOTH_TRANSIENT_TWO_FAILOVERS;
    rgni_plan plan;

    give_back(router, op);
    rgni_hedge_set(op, is_late ? RGN_HEDGE_BOTH_TRANSIENT_DEADLINE : RGN_HEDGE_BOTH_TRANSIENT);
    if (is_late)
        return rgni_op_end_by_deadline(op);
    if (op->options->hedging_both_transient == RGN_BOTH_TRANSIENT_END)
        return rgni_op_end_with(op, class, response, class->retry != RGN_RETRY_NONE);
    if (class->retry == RGN_RETRY_NONE && !is_dear)
        return rgni_op_end_with(op, class, response, false);
    plan = rgni_retry_plan_race(op, class, topology);
    if (plan.move == RGNI_STOP && op->options->hedging_exhausted_race == RGN_EXHAUSTED_RACE_UNAVAILABLE)
        return rgni_op_end_with(op, rgni_class_of(&lost), &lost, true);
    if (plan.move == RGNI_STOP)
        return rgni_op_end_with(op, class, response, true);
    op->throttle_retries = 0;
    op->throttle_waited = 0;
    rgni_op_set(op, RGNI_OP_FORCED, false);
    for (unsigned leg = 0; leg < rgni_leg_count(op); leg++)
        raced |= rgn_region_bit(rgni_leg_region(op, leg));
    op->failed_regions |= raced;
    rgni_retry_advance(op, topology);
    for (unsigned i = 1; i < list->count; i++) {
        if (rgn_region_in(raced, list->region[op->list_index % list->count]))
            rgni_retry_advance(op, topology);
    }
    return rgni_op_send_next(router, op, now);
}

/* HDG-26: an error that the driver does not take from the hedge of a metadata read. */
static bool is_set_aside(const rgn_op *op, unsigned leg, const rgn_class *class)
{
    return leg != PRIMARY && !class->is_success && rgni_op_has(op, RGNI_OP_METADATA) &&
           op->options->hedging_metadata_error == RGN_METADATA_ERROR_TRANSIENT;
}

/* What follows a failed attempt of a leg. OPR-18: a busy region is tried again before its answer counts. `*is_free`:
 * it counts for nothing. */
static rgni_plan plan_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class,
                          const rgn_response *response, bool *is_free, rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);
    rgni_plan plan;

    *is_free = rgni_retry_backs_off_first(op, response);
    if (*is_free) {
        plan = rgni_retry_plan_leg(op, leg, &rgni_throttled, response, topology, &router->random, now);
        if (plan.move == RGNI_HERE)
            return plan;
        *is_free = false;
    }
    return rgni_retry_plan_leg(op, leg, class, response, topology, &router->random, now);
}

/* The leg failed in its region, for now or for good. HDG-23: a refusal says that the region is not the partition's hub,
 * and nothing of its health. HDG-29: a primary that has failed for good may end the race. Returns whether it is the
 * operation's answer. */
static bool fail_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class, const rgn_response *response,
                     rgni_plan *plan, rgn_time_ns now)
{
    rgn_region region = rgni_leg_region(op, leg);
    bool is_free;

    if (rgni_op_is_refused_hub(op, response)) {
        rgn_router_record_not_hub(router, op->partition, region, now);
        return op->options->hedging_refused_hub == RGN_REFUSED_HUB_FINAL;
    }
    *plan = plan_leg(router, op, leg, class, response, &is_free, now);
    if (!is_free)
        rgni_op_charge(router, op, region, class, response, plan->is_exhausted, now);
    bool is_answer = rgni_ends_race(op, class) ||
                     (leg == PRIMARY && op->options->hedging_primary_failure == RGN_PRIMARY_FAILURE_FINAL);
    return is_answer && plan->move != RGNI_HERE && !is_set_aside(op, leg, class);
}

/* The leg's attempt is over. HDG-11: transient on one side keeps the others racing. HDG-20: each end is charged where
 * it happened; a leg that is cut has none. */
static rgn_step end_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class,
                        const rgn_response *response, rgn_evidence evidence, rgn_time_ns now)
{
    rgn_region region = rgni_leg_region(op, leg);
    bool is_success = class->evidence == RGN_EVIDENCE_SUCCESS && !is_set_aside(op, leg, class);
    rgni_plan plan = {RGNI_STOP, 0, false};

    op->result.region = region;
    if (leg == PRIMARY && rgni_op_has(op, RGNI_OP_TICKET)) {
        rgni_op_end_ticket(router, op, rgn_op_judge_canary(router, op, evidence), now);
        if (is_success)
            return win(router, op, leg, class, response, now);
    } else if (is_success) {
        rgni_router_note_success(router, op->partition, region, (rgn_direction)op->direction, class->is_success, now);
        return win(router, op, leg, class, response, now);
    } else {
        if (fail_leg(router, op, leg, class, response, &plan, now))
            return win(router, op, leg, class, response, now);
        if (plan.move == RGNI_HERE && plan.delay == 0 && now < op->deadline)
            return send_leg_again(op, leg, now);
    }
    if (leg == PRIMARY && evidence == RGN_EVIDENCE_TIMEOUT)
        learn(router, op, leg, false, now);
    follow_plan(op, leg, plan, now);
    if (launches_next(op, leg, now) && launch_next(router, op, now))
        return RGN_SEND;
    if (!any_leg_is_alive(op)) {
        show_leg(op, leg); /* OPR-8: the region that failed last */
        return fold_back(router, op, class, response, now);
    }
    set_wake(op);
    return RGN_WAIT;
}

rgn_step rgni_race_on_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class,
                          const rgn_response *response, rgn_time_ns now)
{
    op->open_legs &= (uint8_t) ~(1u << leg);
    if (op->state == RGNI_OP_HARVEST)
        return rgni_op_end_by_deadline(op);
    return end_leg(router, op, leg, class, response, (rgn_evidence) class->evidence, now);
}

/* --- its ends by the clock --------------------------------------------------------------------------------------- */

/* HDG-19: the operation stops waiting for its legs. */
static void stop_racing(rgn_router *router, rgn_op *op)
{
    if (op->state == RGNI_OP_ARMED)
        rgni_race_leave(op, RGN_HEDGE_DEADLINE_PRE_THRESHOLD);
    if (op->state != RGNI_OP_RACE)
        return;
    give_back(router, op);
    rgni_hedge_set(op,
                   all_legs_are_alive(op) ? RGN_HEDGE_BOTH_TRANSIENT_DEADLINE : RGN_HEDGE_CANCELLED_AWAITING_PARTNER);
}

/* HDG-18: the caller gets its deadline's answer once an open leg has told how it ended, or after the harvest window;
 * what the leg tells changes nothing. */
static rgn_step pass_deadline(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    rgni_op_charge_cut(router, op, now);
    if (rgni_op_has(op, RGNI_OP_TICKET))
        rgni_op_end_ticket(router, op, RGN_EVIDENCE_TIMEOUT, now);
    stop_racing(router, op);
    if (op->open_legs == 0)
        return rgni_op_end_by_deadline(op);
    op->state = RGNI_OP_HARVEST;
    op->wake_at = rgn_time_add(now, RGN_HARVEST_WINDOW);
    op->wake_kind = RGN_WAKE_HARVEST;
    /* A leg whose own timeout comes first tells as much as an answer. */
    for (unsigned leg = 0; op->open_legs >> leg != 0; leg++) {
        if (leg_is_open(op, leg))
            op->wake_at = rgn_time_min(op->wake_at, *leg_at(op, leg));
    }
    return RGN_WAIT;
}

/* The leg whose time has come; the primary first. */
static unsigned due_leg(rgn_op *op, bool is_open, rgn_time_ns now)
{
    unsigned leg = PRIMARY;

    while (leg_is_open(op, leg) != is_open || *leg_at(op, leg) > now)
        leg++;
    return leg;
}

static rgn_step time_out_leg(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    unsigned leg = due_leg(op, true, now);

    op->cancel_legs |= (uint8_t)(1u << leg);
    op->open_legs &= (uint8_t) ~(1u << leg);
    return end_leg(router, op, leg, rgni_class_of(&lost), &lost, RGN_EVIDENCE_TIMEOUT, now);
}

rgn_step rgni_race_on_timer(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    if (op->state == RGNI_OP_HARVEST)
        return rgni_op_end_by_deadline(op);
    if (op->wake_kind == RGN_WAKE_LEG_TIMEOUT)
        return time_out_leg(router, op, now);
    if (now >= op->deadline)
        return pass_deadline(router, op, now);
    if (op->wake_kind == RGN_WAKE_HEDGE && op->state == RGNI_OP_ARMED)
        return launch(router, op, now) ? RGN_SEND : go_on_alone(op);
    if (op->wake_kind == RGN_WAKE_HEDGE) {
        if (launch_next(router, op, now))
            return RGN_SEND;
        set_wake(op);
        return RGN_WAIT;
    }
    return send_leg_again(op, due_leg(op, false, now), now);
}

void rgni_race_on_abandon(rgn_router *router, rgn_op *op)
{
    if (op->state == RGNI_OP_ARMED || op->state == RGNI_OP_RACE)
        stop_racing(router, op);
}
