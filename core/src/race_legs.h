/* SPDX-License-Identifier: MIT */
/* The legs of a race, for hedging_race.c and hedging_end.c.
 *
 * Each leg has a region and an instant: of an open leg its timeout, of one that waits when it is sent, of one that has
 * ended for good RGN_TIME_NEVER. Those of `op->leg` lie in region and leg_timeout_at. The other one of two legs lies
 * beside them; where there may be more (HDG-36), all others lie in op->fan, and other_at is when the next hedge is due.
 */
#ifndef REGIONCORE_SRC_RACE_LEGS_H
#define REGIONCORE_SRC_RACE_LEGS_H

#include "op_impl.h"

enum { RGNI_PRIMARY = 0, RGNI_HEDGE = 1 };

static inline rgn_time_ns *rgni_leg_at(rgn_op *op, unsigned leg)
{
    if (leg == op->leg)
        return &op->leg_timeout_at;
    return rgni_op_has(op, RGNI_OP_FANS) ? &op->fan->leg[leg].at : &op->other_at;
}

static inline bool rgni_leg_is_open(const rgn_op *op, unsigned leg)
{
    return (op->open_legs >> leg & 1) != 0;
}

/* The leg is on its way or will be sent again. */
static inline bool rgni_leg_is_alive(rgn_op *op, unsigned leg)
{
    return *rgni_leg_at(op, leg) != RGN_TIME_NEVER;
}

static inline bool rgni_any_leg_is_alive(rgn_op *op)
{
    for (unsigned leg = 0; leg < rgni_leg_count(op); leg++)
        if (rgni_leg_is_alive(op, leg))
            return true;
    return false;
}

/* Makes `leg` the one that the operation shows. */
static inline void rgni_show_leg(rgn_op *op, unsigned leg)
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

/* --- of hedging_race.c, for hedging_end.c --- */

/* When the race is to be woken next. */
void rgni_race_set_wake(rgn_op *op);

/* The leg's region again. HDG-12: whatever the reason for trying again, the region stays. */
rgn_step rgni_race_send_leg_again(rgn_op *op, unsigned leg, rgn_time_ns now);

/* HDG-36: a further hedge. Without a region or a budget for one the race goes on with the legs that it has. */
bool rgni_race_launch_next(rgn_router *router, rgn_op *op, rgn_time_ns now);

/* HDG-8: the leg has ended, or was cut. */
void rgni_race_learn(rgn_router *router, rgn_op *op, unsigned leg, bool is_complete, rgn_time_ns now);

/* The leg failed and may be sent again `delay` later: it waits, and is dead without a plan. */
void rgni_race_follow_plan(rgn_op *op, unsigned leg, rgni_plan plan, rgn_time_ns now);

/* --- of hedging_end.c, for hedging_race.c --- */

/* An answer for a leg that got none in time. */
extern const rgn_response rgni_lost;

/* The leg's attempt is over. HDG-11: transient on one side keeps the others racing. HDG-20: each end is charged where
 * it happened; a leg that is cut has none. */
rgn_step rgni_race_end_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_class *class,
                           const rgn_response *response, rgn_evidence evidence, rgn_time_ns now);

/* HDG-18: the caller gets its deadline's answer once an open leg has told how it ended, or after the harvest window;
 * what the leg tells changes nothing. */
rgn_step rgni_race_pass_deadline(rgn_router *router, rgn_op *op, rgn_time_ns now);

#endif
