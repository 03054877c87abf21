/* SPDX-License-Identifier: MIT */
/* The hedge race of one operation, from its beginning: armed -> race. How it ends is in hedging_end.c. See
 * regioncore/hedging.h and race_legs.h. */
#include "op_begin.h"
#include "classify_table.h"
#include "race_legs.h"

/* --- sending ----------------------------------------------------------------------------------------------------- */

static inline void wake_before(rgn_op *op, rgn_time_ns at, bool is_timeout, rgn_wake_kind kind)
{
    if (at - is_timeout < op->wake_at) {
        op->wake_at = at;
        op->wake_kind = (uint8_t)kind;
    }
}

static inline void wake_for_leg(rgn_op *op, unsigned leg, rgn_time_ns at)
{
    if (rgni_leg_is_open(op, leg))
        wake_before(op, at, true, RGN_WAKE_LEG_TIMEOUT);
    else
        wake_before(op, at, false, RGN_WAKE_BACKOFF);
}

/* Of things at one instant an attempt's timeout comes first, then the deadline, then whatever is to be sent. */
void rgni_race_set_wake(rgn_op *op)
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
        rgni_op_is_hub_latched(op) && (leg != RGNI_PRIMARY || op->options->hedging_primary_hub == RGN_PRIMARY_HUB_ASK);

    return says ? RGN_SEND_HUB : 0;
}

static void send_leg(rgn_op *op, unsigned leg, rgn_reason reason, rgn_time_ns now)
{
    rgni_show_leg(op, leg);
    op->reason = (uint8_t)reason;
    op->send_flags = (uint8_t)((leg != RGNI_PRIMARY ? RGN_SEND_HEDGE : 0) | hub_flag(op, leg));
    op->open_legs |= (uint8_t)(1u << leg);
    op->leg_timeout_at = rgn_time_add(now, op->options->retry_request_timeout);
    op->attempts++;
    rgni_race_set_wake(op);
}

/* The leg's region again. HDG-12: whatever the reason for trying again, the region stays. */
rgn_step rgni_race_send_leg_again(rgn_op *op, unsigned leg, rgn_time_ns now)
{
    bool is_excluded = rgn_region_in(op->excluded, rgni_leg_region(op, leg));

    send_leg(op, leg, is_excluded ? RGN_REASON_ROUTE_FALLBACK : RGN_REASON_ROUTE_IN_REGION, now);
    return RGN_SEND;
}

/* --- beginning --------------------------------------------------------------------------------------------------- */

void rgni_race_init_fan(rgn_op *op)
{
    op->fan->leg[RGNI_PRIMARY] = (rgn_fan_leg){.place = op->region};
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
    if (!has_place)
        rgni_hedge_set(op, RGN_HEDGE_REFUSED);
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

/* HDG-4: the questions of the published table, but for the hedge's region; HDG-33. HDG-21: a race for each of the first
 * attempts only. */
static inline bool may_begin(const rgn_op *op, const rgn_topology *topology)
{
    const rgn_options *options = op->options;

    if (!rgni_op_has(op, RGNI_OP_MAY_RACE) ||
        (!topology->has_preferred && options->hedging_preferred_regions == RGN_PREFERRED_REGIONS_NAMED) ||
        (!topology->automatic_failover && options->hedging_activation == RGN_ACTIVATION_WITH_FAILOVER))
        return false;
    return !rgni_op_has(op, RGNI_OP_HAS_TAIL) ||
           (rgni_races_of(op) < options->hedging_races_per_operation && rgni_race_may_follow(op));
}

/* The hedge is what wakes the operation next, unless its leg is. */
static inline void arm(rgn_op *op, rgn_time_ns hedge_at)
{
    rgni_race_arm(op);
    if (rgni_op_has(op, RGNI_OP_HAS_TAIL))
        op->other_at = hedge_at;
    if (hedge_at < op->wake_at) {
        op->wake_at = hedge_at;
        op->wake_kind = RGN_WAKE_HEDGE;
    }
}

/* The threshold hides behind the attempt's timeout: without a second half it would be forgotten. */
static inline bool hides(const rgn_op *op, rgn_time_ns hedge_at)
{
    return !rgni_op_has(op, RGNI_OP_HAS_TAIL) && hedge_at >= op->wake_at && op->wake_kind != RGN_WAKE_DEADLINE;
}

/* A race may begin. */
static RGNI_NOINLINE rgn_step begin_otherwise(rgn_router *router, rgn_op *op, const rgn_topology *topology,
                                              rgn_time_ns now)
{
    const rgn_options *shared = &router->options;
    rgn_dur_ns left = op->deadline == RGN_TIME_NEVER ? RGN_TIME_NEVER : op->deadline - now;
    rgn_time_ns hedge_at;

    if (rgni_race_secondary(router, op, topology) == RGN_REGION_NONE ||
        (rgni_op_has(op, RGNI_OP_METADATA) && !rgni_race_take_place(router, op, topology)))
        return RGN_SEND;
    /* HDG-7: counted from here, which for a first attempt is the operation's start. */
    hedge_at = rgn_time_add(now, rgni_race_threshold(router, op, left));
    if (shared->hedging_budget_share < RGNI_HEDGE_PRICE)
        rgni_hedging_earn(&router->hedging, shared);
    if (hides(op, hedge_at))
        rgni_op_need_tail(op, topology);
    arm(op, hedge_at);
    if (rgni_op_has(op, RGNI_OP_HUB))
        op->send_flags = (uint8_t)((op->send_flags & ~RGN_SEND_HUB) | hub_flag(op, RGNI_PRIMARY));
    if (rgni_op_has(op, RGNI_OP_FANS) && rgni_op_has(op, RGNI_OP_HAS_TAIL))
        rgni_race_init_fan(op);
    return RGN_SEND;
}

/* Told short for a read of which nothing but its answers is of interest, and whose hedge needs no search. */
rgn_step rgni_race_begin(rgn_router *router, rgn_op *op, const rgn_topology *topology, rgn_time_ns now)
{
    const uint16_t others = RGNI_OP_FANS | RGNI_OP_HEDGED_WRITE | RGNI_OP_HUB;
    rgn_dur_ns threshold = op->options->hedging_threshold;
    rgn_time_ns hedge_at;

    if (!may_begin(op, topology))
        return RGN_SEND;
    if (threshold == RGN_AUTO || (op->flags & (RGNI_OP_PLAIN | others)) != RGNI_OP_PLAIN ||
        rgni_race_near_secondary(router, op, topology) == RGN_REGION_NONE)
        return begin_otherwise(router, op, topology, now);
    hedge_at = rgn_time_add(now, threshold);
    if (hides(op, hedge_at))
        return begin_otherwise(router, op, topology, now);
    arm(op, hedge_at);
    return RGN_SEND;
}

/* --- before the threshold ---------------------------------------------------------------------------------------- */

/* HDG-8: a primary leg was open for this long when it ended, or was cut. */
static rgn_dur_ns age_of(rgn_op *op, unsigned leg, rgn_time_ns now)
{
    return rgn_time_elapsed(*rgni_leg_at(op, leg) - op->options->retry_request_timeout, now);
}

void rgni_race_learn(rgn_router *router, rgn_op *op, unsigned leg, bool is_complete, rgn_time_ns now)
{
    int64_t policy = router->options.hedging_policy;

    if (policy == RGN_HEDGING_STATIC || op->direction == RGN_WRITE || rgni_op_has(op, RGNI_OP_METADATA) ||
        (leg == RGNI_PRIMARY && rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY)))
        return;
    if (policy == RGN_HEDGING_ADAPTIVE ? leg == RGNI_PRIMARY : is_complete)
        rgni_hedging_learn(&router->hedging, &router->options, rgni_leg_region(op, leg), age_of(op, leg, now));
}

void rgni_race_note_early_win(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    rgni_race_learn(router, op, RGNI_PRIMARY, true, now);
    if (rgni_race_counts(op))
        rgni_router_note_primary_win(router, op->partition, rgni_leg_region(op, RGNI_PRIMARY), now);
}

/* The primary leg goes on alone: it is open, or waits to be sent again. */
static rgn_step go_on_alone(rgn_op *op)
{
    bool is_open = rgni_leg_is_open(op, RGNI_PRIMARY);
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

static RGNI_NOINLINE void send_leg_of_fan(const rgn_router *router, rgn_op *op, rgn_region place,
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
    send_leg(op, RGNI_HEDGE, RGN_REASON_ROUTE_HEDGE, now);
    return true;
}

/* HDG-36: a further hedge. Without a region or a budget for one the race goes on with the legs that it has. */
bool rgni_race_launch_next(rgn_router *router, rgn_op *op, rgn_time_ns now)
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

/* The leg failed and may be sent again `delay` later: it waits, and is dead without a plan. */
void rgni_race_follow_plan(rgn_op *op, unsigned leg, rgni_plan plan, rgn_time_ns now)
{
    *rgni_leg_at(op, leg) = plan.move == RGNI_HERE ? rgn_time_add(now, plan.delay) : RGN_TIME_NEVER;
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
        plan =
            rgni_retry_plan_leg(op, RGNI_PRIMARY, class, response, rgni_router_topology(router), &router->random, now);
    rgni_race_follow_plan(op, RGNI_PRIMARY, plan, now);
    if (rgni_op_is_hub_latched(op)) /* the primary's answer may have set the latch */
        op->send_flags |= RGN_SEND_HUB;
    rgni_race_set_wake(op);
    return true;
}

rgn_step rgni_race_again_armed(rgn_op *op, rgn_dur_ns delay, rgn_time_ns now)
{
    op->leg_timeout_at = rgn_time_add(now, delay);
    if (delay == 0 && now < op->deadline)
        return rgni_race_send_leg_again(op, RGNI_PRIMARY, now);
    rgni_race_set_wake(op);
    return RGN_WAIT;
}

/* --- its timer --------------------------------------------------------------------------------------------------- */

/* The leg whose time has come; the primary first. */
static unsigned due_leg(rgn_op *op, bool is_open, rgn_time_ns now)
{
    unsigned leg = RGNI_PRIMARY;

    while (rgni_leg_is_open(op, leg) != is_open || *rgni_leg_at(op, leg) > now)
        leg++;
    return leg;
}

static rgn_step time_out_leg(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    unsigned leg = due_leg(op, true, now);

    op->cancel_legs |= (uint8_t)(1u << leg);
    op->open_legs &= (uint8_t) ~(1u << leg);
    return rgni_race_end_leg(router, op, leg, rgni_class_of(&rgni_lost), &rgni_lost, RGN_EVIDENCE_TIMEOUT, now);
}

rgn_step rgni_race_on_threshold(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    if (now >= op->deadline)
        return rgni_race_pass_deadline(router, op, now);
    return launch(router, op, now) ? RGN_SEND : go_on_alone(op);
}

rgn_step rgni_race_on_timer(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    if (op->state == RGNI_OP_HARVEST)
        return rgni_op_end_by_deadline(op);
    if (op->wake_kind == RGN_WAKE_LEG_TIMEOUT)
        return time_out_leg(router, op, now);
    if (now >= op->deadline)
        return rgni_race_pass_deadline(router, op, now);
    if (op->wake_kind == RGN_WAKE_HEDGE) {
        if (rgni_race_launch_next(router, op, now))
            return RGN_SEND;
        rgni_race_set_wake(op);
        return RGN_WAIT;
    }
    return rgni_race_send_leg_again(op, due_leg(op, false, now), now);
}
