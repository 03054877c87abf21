/* SPDX-License-Identifier: MIT */
/* What operation.c, hedging_race.c, hedging_end.c, retry.c and op_failover.c share. */
#ifndef REGIONCORE_SRC_OP_IMPL_H
#define REGIONCORE_SRC_OP_IMPL_H

#include <stddef.h>
#include <string.h>

#include <regioncore/operation.h>
#include <regioncore/routing.h>

#include "hedging_impl.h"
#include "router_impl.h"

/* rgn_op.state */
enum {
    RGNI_OP_IN_FLIGHT = 1, /* a leg is open */
    RGNI_OP_WAIT_HERE = 2, /* backs off, then goes to the same region */
    RGNI_OP_WAIT_NEXT = 3, /* backs off, then goes where routing says */
    RGNI_OP_DONE = 4,
    RGNI_OP_ARMED = 5,   /* the primary leg is open or backs off, and the hedge is due at the threshold */
    RGNI_OP_RACE = 6,    /* the hedge has been sent, and at least one leg has not ended for good */
    RGNI_OP_HARVEST = 7, /* past the deadline; an open leg may still tell how it ended */
};

/* rgn_op.flags */
enum {
    RGNI_OP_COVERED = 1,     /* the breaker covers it; as it was at the start */
    RGNI_OP_MULTI_WRITE = 2, /* of the account; as it was at the start */
    RGNI_OP_HAS_TAIL = RGN_OP_HAS_SECOND_HALF,
    RGNI_OP_TICKET = 8,      /* the open leg is a canary that the entry counts */
    RGNI_OP_BEGAN_AS_CANARY = 16,
    RGNI_OP_WRITE_LIST = 32, /* a session retry sends a read to where writes go */
    RGNI_OP_FORCED = 64,     /* the last attempt after the throttle's total wait was taken */
    RGNI_OP_PLAIN = 128,     /* but for other flags, nothing is to be done at its end or that of its races but to end */
    RGNI_OP_MAY_RACE = 256,  /* of a kind that may be hedged */
    RGNI_OP_METADATA = 512,  /* not on the data plane */
    RGNI_OP_HUB = 1024,      /* the hub latch: set once, it stays to the operation's end */
    RGNI_OP_PLACE = 2048,    /* holds a place among the races of metadata reads */
    RGNI_OP_WAITED = 4096,   /* the attempt that is being sent has waited for its time */
    RGNI_OP_FANS = 8192,     /* it may have more than one alternate: op->fan holds its legs */
    RGNI_OP_HEDGED_WRITE = 16384, /* a write that may race */
};

/* Open legs, state and flags of an operation as one number. */
static inline uint32_t rgni_op_standing(const rgn_op *op)
{
    uint32_t standing;

    memcpy(&standing, (const char *)op + offsetof(rgn_op, open_legs), sizeof standing);
    return standing;
}

/* The same of those open legs, that state and those flags. */
static inline uint32_t rgni_standing(uint8_t open_legs, uint8_t state, uint16_t flags)
{
    uint32_t standing;
    const struct {
        uint8_t open_legs;
        uint8_t state;
        uint16_t flags;
    } of = {open_legs, state, flags};

    memcpy(&standing, &of, sizeof standing);
    return standing;
}

static inline bool rgni_op_has(const rgn_op *op, unsigned flag)
{
    return (op->flags & flag) != 0;
}

static inline void rgni_op_set(rgn_op *op, unsigned flag, bool is_on)
{
    op->flags = (uint16_t)(is_on ? op->flags | flag : op->flags & ~flag);
}

/* The operation's direction is tripped. */
static inline bool rgni_op_is_tripped(const rgn_op *op, uint8_t state)
{
    return rgni_op_has(op, RGNI_OP_COVERED) && rgni_state_is_tripped(state, (rgn_direction)op->direction);
}

/* Sets `*failed` to the regions that the breaker bars to the operation; false if only the entry tells. */
static inline bool rgni_op_knows_failed(const rgn_router *router, const rgn_op *op, uint8_t state,
                                        rgn_region_set *failed)
{
    bool is_tripped = rgni_op_is_tripped(op, state);

    *failed = is_tripped ? router->home : 0;
    return !is_tripped || (state & RGNI_STATE_HOME_ONLY) != 0;
}

/* What follows a failed attempt. */
typedef enum {
    RGNI_STOP, /* the operation ends with this result */
    RGNI_HERE, /* the same region after `delay` */
    RGNI_NEXT, /* another region after `delay` */
} rgni_move;

typedef struct {
    rgni_move move;
    rgn_dur_ns delay;
    bool is_exhausted; /* a budget was asked and found empty */
} rgni_plan;

/* Plans what follows and takes it from the operation's budgets. */
rgni_plan rgni_retry_plan(rgn_op *op, const rgn_class *class, const rgn_response *response,
                          const rgn_topology *topology, const rgn_random *random, rgn_time_ns now);

/* OPR-18, the driver: 429/3092 is a throttle like any other until its retries are used up. */
static inline bool rgni_retry_backs_off_first(const rgn_op *op, const rgn_response *response)
{
    return response->status == 429 && response->substatus == 3092 && response->transport == RGN_TRANSPORT_NONE &&
           op->options->retry_busy_region == RGN_BUSY_BACK_OFF;
}

/* A throttle's class, for such an answer. */
extern const rgn_class rgni_throttled;
/* Whether its region is to be tried again now; `*plan` says when. */
bool rgni_retry_backs_off(rgn_op *op, const rgn_response *response, const rgn_topology *topology,
                          const rgn_random *random, rgni_plan *plan, rgn_time_ns now);

/* OPR-12, OPR-19: how often the attempt may wait in its region after 429. */
int64_t rgni_retry_throttle_count(const rgn_op *op);

/* HDG-24: the client's own throttle; the other region is behind the same gate. */
static inline bool rgni_is_local_throttle(const rgn_response *response)
{
    return response->status == 429 && response->substatus == RGN_SUBSTATUS_LOCAL_THROTTLE;
}

/* OPR-7: the next region at once, while the failover budget lasts. */
rgni_plan rgni_retry_plan_failover(rgn_op *op);
/* The throttle's budget is that of one attempt. */
static inline void rgni_retry_end_throttle(rgn_op *op)
{
    op->throttle_retries = 0;
    op->throttle_waited = 0;
    rgni_op_set(op, RGNI_OP_FORCED, false);
}
/* OPR-7, as what follows a failed attempt, for an operation that is known to have some of that budget. */
static inline void rgni_retry_fail_over(rgn_op *op)
{
    op->failover_retries++;
    rgni_op_set(op, RGNI_OP_WRITE_LIST, false);
    rgni_retry_end_throttle(op);
}
/* OPR-6: the operation's budget for a failure of that class is empty. */
bool rgni_retry_is_spent(const rgn_op *op, const rgn_class *class);
/* HDG-14, HDG-25: both legs of a race are dead; the last answer was of that class. */
rgni_plan rgni_retry_plan_race(rgn_op *op, const rgn_class *class, const rgn_topology *topology);

enum { RGNI_RACE_PRICE = 2 }; /* failovers that the driver takes for a race that nobody wins */

/* What follows a failed attempt of one leg of a race: never RGNI_NEXT. */
rgni_plan rgni_retry_plan_leg(rgn_op *op, unsigned leg, const rgn_class *class, const rgn_response *response,
                              const rgn_topology *topology, const rgn_random *random, rgn_time_ns now);

/* --- op_failover.c --- */

/* FLO-1: a write that may look for its region among the readable ones. Its failures wait in op->pending_marks. One that
 * may race began on an account of several write regions, and looks for none. */
static inline bool rgni_op_may_roam(const rgn_op *op, const rgn_topology *topology)
{
    return rgni_failover_covers(topology, (rgn_direction)op->direction) && !rgni_op_has(op, RGNI_OP_HEDGED_WRITE) &&
           op->partition != RGN_PARTITION_UNKNOWN;
}
/* Moves the routing cursor on by one. */
static inline void rgni_retry_advance(rgn_op *op, const rgn_topology *topology)
{
    bool is_write = op->direction == RGN_WRITE && !rgni_op_may_roam(op, topology);
    bool is_write_list = is_write || rgni_op_has(op, RGNI_OP_WRITE_LIST);
    unsigned length = is_write_list ? topology->write_order.count : topology->read_order.count;
    unsigned next = op->list_index + 1u;

    /* OPR-9: a cursor of another topology generation counts as 0. */
    if (op->account_generation != (uint16_t)topology->generation)
        next = 1;
    op->account_generation = (uint16_t)topology->generation;
    if (length > 0)
        op->list_index = (uint8_t)(next < length ? next : next % length);
    else
        op->list_index = (uint8_t)(next - 1);
}

/* A read that only the hub can answer. */
static inline bool rgni_op_is_hub_latched(const rgn_op *op)
{
    return rgni_op_has(op, RGNI_OP_HUB);
}
/* Whether a session that is not available makes the operation one. */
bool rgni_op_may_latch_hub(const rgn_op *op);
/* Failures of such a write wait for its end. */
static inline bool rgni_op_has_pending_marks(const rgn_op *op)
{
    return op->direction == RGN_WRITE && !rgni_op_has(op, RGNI_OP_HEDGED_WRITE) && op->pending_marks != 0;
}
/* Fills in what automatic failover means for the query. */
void rgni_op_query_failover(rgn_route_query *query, const rgn_op *op);
/* FLO-12: 403/3 to such a read says "not the hub": the next region, at the failover budget's cost. */
static inline bool rgni_op_is_refused_hub(const rgn_op *op, const rgn_response *response)
{
    return rgni_op_is_hub_latched(op) && response->transport == RGN_TRANSPORT_NONE && response->status == 403 &&
           response->substatus == 3;
}
/* HDG-27: the answer ends a race. 403/1008 is final there as the specification has it, not as the driver does. */
static inline bool rgni_ends_race(const rgn_op *op, const rgn_class *class)
{
    return class->is_final ||
           (class->retry == RGN_RETRY_BACKEND && op->options->hedging_account_not_found == RGN_NOT_FOUND_FINAL);
}
/* The operation ends with this answer: records what it has learnt of the partition's write region. */
void rgni_op_settle_failover(rgn_router *router, rgn_op *op, const rgn_response *response, rgn_time_ns now);

/* --- of the pipeline, for the race --- */

/* Initialises the second half of an operation that may have more than one alternate. */
void rgni_op_begin_fanning_tail(rgn_op *op, const rgn_topology *topology);

/* OPR-2: ends the operation. */
rgn_step rgni_op_end_with(rgn_op *op, const rgn_class *class, const rgn_response *response, bool is_exhausted);
rgn_step rgni_op_end_by_deadline(rgn_op *op);
/* There is no region to send to. */
rgn_step rgni_op_end_nowhere(rgn_op *op);

/* OPR-5, OPR-6: a failure at `region` is paid for, unless its budget was empty and that is to count for nothing. */
void rgni_op_charge(rgn_router *router, rgn_op *op, rgn_region region, const rgn_class *class,
                    const rgn_response *response, bool is_exhausted, rgn_time_ns now);

/* BRK-21, FLO-13: the deadline or the application cuts the legs under way. */
void rgni_op_charge_cut(rgn_router *router, const rgn_op *op, rgn_time_ns now);

/* Gives the canary's ticket back. */
void rgni_op_end_ticket(rgn_router *router, rgn_op *op, rgn_evidence evidence, rgn_time_ns now);

/* Sends the next attempt to where routing says. */
rgn_step rgni_op_send_next(rgn_router *router, rgn_op *op, rgn_time_ns now);
/* Sends the next attempt to the region of the last one. */
rgn_step rgni_op_send_here(rgn_op *op, rgn_time_ns now);

/* --- of the race, for the pipeline --- */

/* For op_begin.h: the hedge's region in the general case. */
rgn_region rgni_race_search_secondary(const rgn_router *router, const rgn_op *op, const rgn_topology *topology);
/* The place of a further hedge, RGN_REGION_NONE if there is none; the region where a hedge for `place`
 * goes if it forgets the caller's exclusions. */
rgn_region rgni_race_next_place(const rgn_router *router, const rgn_op *op, const rgn_topology *topology);
rgn_region rgni_race_region_of(const rgn_op *op, rgn_region place, const rgn_topology *topology);
/* HDG-31: a metadata read needs a place for its race. False: it has none and does not race. */
bool rgni_race_take_place(rgn_router *router, rgn_op *op, const rgn_topology *topology);
/* To be called after each step: gives the place back if the race is over. */
static inline void rgni_race_free_place(rgn_router *router, rgn_op *op)
{
    if (!rgni_op_has(op, RGNI_OP_PLACE) || op->state == RGNI_OP_ARMED || op->state == RGNI_OP_RACE ||
        op->state == RGNI_OP_HARVEST)
        return;
    rgni_op_set(op, RGNI_OP_PLACE, false);
    rgni_hedging_give_back_metadata(&router->hedging);
}
/* HDG-34: an attempt after a failed one, by the rule of hedging.later_race. */
bool rgni_race_may_follow(const rgn_op *op);

/* A race that may fan out begins: the primary is its only leg so far. */
void rgni_race_init_fan(rgn_op *op);

/* HDG-7: the threshold of a race that begins now, with `left` of the operation's time. */
static inline rgn_dur_ns rgni_race_threshold(const rgn_router *router, const rgn_op *op, rgn_dur_ns left)
{
    if (rgni_op_has(op, RGNI_OP_METADATA))
        return op->options->hedging_metadata_threshold;
    return rgni_hedging_threshold(&router->hedging, &router->options, op->options, op->region, left);
}

/* HDG-17: an operation that began as a canary says nothing of who wins races, and neither does a write. */
static inline bool rgni_race_counts(const rgn_op *op)
{
    return !rgni_op_has(op, RGNI_OP_BEGAN_AS_CANARY | RGNI_OP_HEDGED_WRITE);
}

/* Before the threshold, the primary leg was final. The first is called where there is anything to note. */
void rgni_race_note_early_win(rgn_router *router, rgn_op *op, rgn_time_ns now);
static inline void rgni_race_won_early(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    bool has_wins = (rgni_router_state_of(router, op->partition) & RGNI_STATE_WINS) != 0;

    if (has_wins || router->options.hedging_policy != RGN_HEDGING_STATIC)
        rgni_race_note_early_win(router, op, now);
}

/* Before the threshold, the primary leg failed, and that has been charged: launches the hedge at once, if it may.
 * `class` is the failure's; NULL: the primary leg has used up what would send it again. */
bool rgni_race_launch_early(rgn_router *router, rgn_op *op, const rgn_class *class, const rgn_response *response,
                            rgn_time_ns now);

/* Before the threshold, the primary leg goes to its region again after `delay`. */
rgn_step rgni_race_again_armed(rgn_op *op, rgn_dur_ns delay, rgn_time_ns now);

/* A leg has ended by itself; the state is race or harvest. Gives the race's place back if that is its end. */
rgn_step rgni_race_on_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response, rgn_time_ns now);

/* HDG-13: `leg` of a plain race (race_plain.h) has won with 200, at a partition in that state, where nobody listens to
 * an ordinary success. */
rgn_step rgni_race_win_plainly(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response,
                               rgn_time_ns now, uint8_t state);

/* The threshold has passed, and the state is armed. */
rgn_step rgni_race_on_threshold(rgn_router *router, rgn_op *op, rgn_time_ns now);

/* wake_at was reached otherwise; the state is armed, race or harvest, and no armed primary leg has timed out. */
rgn_step rgni_race_on_timer(rgn_router *router, rgn_op *op, rgn_time_ns now);

/* The application gave up. */
void rgni_race_on_abandon(rgn_router *router, rgn_op *op);

static inline unsigned rgni_races_of(const rgn_op *op)
{
    return op->hedge >> 4;
}

static inline void rgni_hedge_set(rgn_op *op, rgn_hedge hedge)
{
    op->hedge = (uint8_t)((op->hedge & ~15u) | hedge);
}

/* A race begins. HDG-6: before the threshold it is told as the end that it has if the primary is final. */
static inline void rgni_race_arm(rgn_op *op)
{
    op->state = RGNI_OP_ARMED;
    op->hedge = (uint8_t)(RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD | (rgni_races_of(op) + 1) << 4);
}

/* Before the threshold, the race is over. */
static inline void rgni_race_leave(rgn_op *op, rgn_hedge why)
{
    op->state = RGNI_OP_IN_FLIGHT;
    rgni_hedge_set(op, why);
}

static inline rgn_region rgni_leg_region(const rgn_op *op, unsigned leg)
{
    if (leg == op->leg)
        return op->region;
    return rgni_op_has(op, RGNI_OP_FANS) ? op->fan->leg[leg].region : op->pair.other_region;
}

/* Legs of the race under way, those that have ended included. */
static inline unsigned rgni_leg_count(const rgn_op *op)
{
    return rgni_op_has(op, RGNI_OP_FANS) ? op->fan->count : 2;
}

/* HDG-37: a read races through the regions that can be read, a write through those that can be written to. */
static inline const rgn_region_list *rgni_race_list(const rgn_op *op, const rgn_topology *topology)
{
    return op->direction == RGN_READ ? &topology->read_order : &topology->write_order;
}

#endif
