/* SPDX-License-Identifier: MIT */
/* How the legs of a hedge race end, and the race with them: a win, back to the pipeline, or the deadline's harvest.
 * What comes before is in hedging_race.c. */
#include "op_begin.h"
#include "classify_table.h"
#include "race_legs.h"

const rgn_response rgni_lost = {.transport = RGN_TRANSPORT_UNKNOWN, .retry_after = RGN_TIME_NEVER};

/* The hedges of the race are no longer in flight. */
static void give_back(rgn_router *router, const rgn_op *op)
{
    for (unsigned more = rgni_op_has(op, RGNI_OP_FANS) ? op->fan->count - 2u : 0; more > 0; more--)
        rgni_hedging_give_back(&router->hedging);
    rgni_hedging_give_back(&router->hedging);
}

/* HDG-36: a leg has failed for good: the next hedge need not wait for its time. */
static bool launches_next(rgn_op *op, unsigned leg, rgn_time_ns now)
{
    return rgni_op_has(op, RGNI_OP_FANS) && op->fan->count < op->fan->limit && now < op->deadline &&
           !rgni_leg_is_alive(op, leg) &&
           (op->options->hedging_early_transient == RGN_EARLY_LAUNCH || !rgni_any_leg_is_alive(op));
}

/* BRK-21: the winner cuts the other legs. A leg that is a canary, or began as one, counts nowhere else. */
static void charge_losers(rgn_router *router, const rgn_op *op, unsigned winner, rgn_time_ns now)
{
    bool counts_all = router->options.breaker_cut_legs == RGN_CUT_LEGS_COUNT;
    unsigned legs = counts_all ? rgni_leg_count(op) : 1;

    if (!rgni_op_has(op, RGNI_OP_COVERED))
        return;
    for (unsigned leg = rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY) ? RGNI_HEDGE : RGNI_PRIMARY; leg < legs; leg++)
        if (leg != winner && rgni_leg_is_open(op, leg))
            rgn_router_record_failure(router, op->partition, rgni_leg_region(op, leg), (rgn_direction)op->direction,
                                      now);
}

/* HDG-17: who has won the race of a primary in `region`. */
static void record_win(rgn_router *router, rgn_op *op, unsigned winner, rgn_region region, rgn_time_ns now)
{
    rgni_hedge_set(op, winner == RGNI_PRIMARY ? RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE : RGN_HEDGE_ALTERNATE_WON);
    if (!rgni_race_counts(op))
        return;
    if (winner == RGNI_PRIMARY)
        rgni_router_note_primary_win(router, op->partition, region, now);
    else
        rgn_router_record_hedge_win(router, op->partition, region, now);
}

/* HDG-13: the first final answer ends race and operation. */
static rgn_step win(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class, const rgn_response *response,
                    rgn_time_ns now)
{
    bool lost_by_neutral = router->options.failback_lost_race == RGN_LOST_RACE_NEUTRAL;

    give_back(router, op);
    rgni_race_learn(router, op, leg, true, now);
    if (leg == RGNI_PRIMARY) {
        op->canary_failed_at = RGN_TIME_NEVER;
    } else {
        if (rgni_leg_is_open(op, RGNI_PRIMARY))
            rgni_race_learn(router, op, RGNI_PRIMARY, false, now);
        /* FBK-27: the race is lost for the canary; nothing else is recorded of it. */
        if (rgni_op_has(op, RGNI_OP_TICKET))
            rgni_op_end_ticket(router, op, lost_by_neutral ? RGN_EVIDENCE_NEUTRAL : RGN_EVIDENCE_FAILURE, now);
    }
    record_win(router, op, leg, rgni_leg_region(op, RGNI_PRIMARY), now);
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
        return rgni_op_end_with(op, rgni_class_of(&rgni_lost), &rgni_lost, true);
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
    return leg != RGNI_PRIMARY && !class->is_success && rgni_op_has(op, RGNI_OP_METADATA) &&
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
                     (leg == RGNI_PRIMARY && op->options->hedging_primary_failure == RGN_PRIMARY_FAILURE_FINAL);
    return is_answer && plan->move != RGNI_HERE && !is_set_aside(op, leg, class);
}

/* The leg's attempt is over. HDG-11: transient on one side keeps the others racing. HDG-20: each end is charged where
 * it happened; a leg that is cut has none. */
rgn_step rgni_race_end_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class,
                           const rgn_response *response, rgn_evidence evidence, rgn_time_ns now)
{
    rgn_region region = rgni_leg_region(op, leg);
    bool is_success = class->evidence == RGN_EVIDENCE_SUCCESS && !is_set_aside(op, leg, class);
    rgni_plan plan = {RGNI_STOP, 0, false};

    op->result.region = region;
    if (leg == RGNI_PRIMARY && rgni_op_has(op, RGNI_OP_TICKET)) {
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
            return rgni_race_send_leg_again(op, leg, now);
    }
    if (leg == RGNI_PRIMARY && evidence == RGN_EVIDENCE_TIMEOUT)
        rgni_race_learn(router, op, leg, false, now);
    rgni_race_follow_plan(op, leg, plan, now);
    if (launches_next(op, leg, now) && rgni_race_launch_next(router, op, now))
        return RGN_SEND;
    if (!rgni_any_leg_is_alive(op)) {
        rgni_show_leg(op, leg); /* OPR-8: the region that failed last */
        return fold_back(router, op, class, response, now);
    }
    rgni_race_set_wake(op);
    return RGN_WAIT;
}

rgn_step rgni_race_on_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response, rgn_time_ns now)
{
    const rgn_class *class = rgni_class_of(response);
    rgn_step step;

    op->open_legs &= (uint8_t) ~(1u << leg);
    if (op->state == RGNI_OP_HARVEST)
        step = rgni_op_end_by_deadline(op);
    else
        step = rgni_race_end_leg(router, op, leg, class, response, (rgn_evidence) class->evidence, now);
    rgni_race_free_place(router, op);
    return step;
}

/* HDG-17, of an operation that has ended. */
static RGNI_NOINLINE rgn_step note_alternate_win_in_full(rgn_router *router, rgn_partition partition,
                                                         rgn_region primary, rgn_time_ns now)
{
    rgn_router_record_hedge_win(router, partition, primary, now);
    return RGN_DONE;
}

static RGNI_NOINLINE rgn_step note_alternate_win(rgn_router *router, rgn_partition partition, rgn_region primary,
                                                 rgn_time_ns now)
{
    return rgni_router_count_few_wins(router, partition, primary)
               ? RGN_DONE
               : note_alternate_win_in_full(router, partition, primary, now);
}

static RGNI_NOINLINE rgn_step note_primary_win(rgn_router *router, rgn_partition partition, rgn_region primary,
                                               rgn_time_ns now)
{
    rgni_router_end_wins(router, partition, primary, now);
    return RGN_DONE;
}

/* What win() comes to without what it would ask in vain. */
rgn_step rgni_race_win_plainly(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response,
                               rgn_time_ns now, uint8_t state)
{
    rgn_region primary = op->leg == RGNI_PRIMARY ? op->region : op->pair.other_region;

    rgni_hedging_give_back(&router->hedging);
    op->cancel_legs = (uint8_t)(op->open_legs & ~(1u << leg));
    op->open_legs = 0;
    op->result.region = leg == op->leg ? op->region : op->pair.other_region;
    (void)rgni_op_finish(op, RGNI_STATUS_OK, response->substatus, RGN_REASON_DONE_SUCCESS, false);
    if (leg != RGNI_PRIMARY) {
        op->hedge += RGN_HEDGE_ALTERNATE_WON - RGN_HEDGE_LAUNCHED;
        return note_alternate_win(router, op->partition, primary, now);
    }
    op->hedge += RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE - RGN_HEDGE_LAUNCHED;
    return (state & RGNI_STATE_WINS) != 0 ? note_primary_win(router, op->partition, primary, now) : RGN_DONE;
}

/* --- its ends by the clock --------------------------------------------------------------------------------------- */

static bool all_legs_are_alive(rgn_op *op)
{
    for (unsigned leg = 0; leg < rgni_leg_count(op); leg++)
        if (!rgni_leg_is_alive(op, leg))
            return false;
    return true;
}

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
rgn_step rgni_race_pass_deadline(rgn_router *router, rgn_op *op, rgn_time_ns now)
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
        if (rgni_leg_is_open(op, leg))
            op->wake_at = rgn_time_min(op->wake_at, *rgni_leg_at(op, leg));
    }
    return RGN_WAIT;
}

void rgni_race_on_abandon(rgn_router *router, rgn_op *op)
{
    if (op->state == RGNI_OP_ARMED || op->state == RGNI_OP_RACE)
        stop_racing(router, op);
}
