/* SPDX-License-Identifier: MIT */
/* The plain course of a race, in line: of two reads of which nothing but their answers is of interest (RGNI_OP_PLAIN),
 * which exclude no region. It is what launch() of hedging_race.c and win() of hedging_end.c come to
 * without what they would ask in vain. */
#ifndef REGIONCORE_SRC_RACE_PLAIN_H
#define REGIONCORE_SRC_RACE_PLAIN_H

#include "op_begin.h"
#include "race_legs.h"

/* What a race that is no plain one has among its flags. */
enum { RGNI_OP_RACES_OTHERWISE = RGNI_OP_FANS | RGNI_OP_HEDGED_WRITE | RGNI_OP_TICKET | RGNI_OP_BEGAN_AS_CANARY };

/* The threshold has passed of a first attempt's race whose hedge is a plain one. */
static inline bool rgni_race_launches_plainly(const rgn_op *op, rgn_time_ns now)
{
    return (rgni_op_standing(op) &
            rgni_standing(UINT8_MAX, UINT8_MAX, RGNI_OP_PLAIN | RGNI_OP_HAS_TAIL | RGNI_OP_RACES_OTHERWISE)) ==
               rgni_standing(1u << RGNI_PRIMARY, RGNI_OP_ARMED, RGNI_OP_PLAIN) &&
           op->wake_kind == RGN_WAKE_HEDGE && op->wake_at <= now && now < op->deadline;
}

/* It goes from the list's first region to its second. */
static inline bool rgni_race_leaves_home(const rgn_op *op, const rgn_topology *topology)
{
    return topology->read_order.count > 1 && op->region == topology->read_order.region[0] &&
           op->options->hedging_secondary != RGN_SECONDARY_UNTRIPPED;
}

/* The primary, which is open and shown, was sent with the same timeout before, so that its own comes first. */
static inline rgn_step rgni_race_launch_plainly(rgn_router *router, rgn_op *op, const rgn_topology *topology,
                                                rgn_region target, rgn_time_ns now)
{
    rgn_time_ns primary_at = op->leg_timeout_at;
    rgn_time_ns deadline = op->deadline;
    bool is_first = primary_at <= deadline;
    rgn_time_ns hedge_at = rgn_time_add(now, op->options->retry_request_timeout);

    rgni_hedging_take_free(&router->hedging);
    memset((char *)op + offsetof(rgn_op, entry_generation), 0,
           offsetof(rgn_op, other_at) - offsetof(rgn_op, entry_generation));
    op->attempts = 2;
    op->account_generation = (uint16_t)topology->generation;
    op->pair.other_region = op->region;
    op->other_at = primary_at;
    op->canary_failed_at = RGN_TIME_NEVER;
    op->wake_at = is_first ? primary_at : deadline;
    op->leg_timeout_at = hedge_at;
    op->leg = RGNI_HEDGE;
    op->wake_kind = is_first ? RGN_WAKE_LEG_TIMEOUT : RGN_WAKE_DEADLINE;
    op->cancel_legs = 0;
    op->reason = RGN_REASON_ROUTE_HEDGE;
    op->open_legs = 1u << RGNI_PRIMARY | 1u << RGNI_HEDGE;
    op->state = RGNI_OP_RACE;
    rgni_op_set(op, RGNI_OP_HAS_TAIL, true);
    op->region = target;
    op->send_flags = RGN_SEND_HEDGE;
    op->hedge = RGN_HEDGE_LAUNCHED | 1u << 4;
    return RGN_SEND;
}

/* Both legs may still be open, or one has failed before. */
static inline bool rgni_race_is_plain(const rgn_op *op)
{
    return (rgni_op_standing(op) & rgni_standing(0, UINT8_MAX, RGNI_OP_PLAIN | RGNI_OP_RACES_OTHERWISE)) ==
           rgni_standing(0, RGNI_OP_RACE, RGNI_OP_PLAIN);
}

#endif
