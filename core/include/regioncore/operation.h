/* SPDX-License-Identifier: MIT */
/* One operation, from the application's call to its single end. Sans I/O: the caller sends, times and cancels.
 *
 *   step = rgn_op_start(router, &op, &request, now);
 *   RGN_SEND: send leg `op.leg` to `op.region`; its end is reported with rgn_op_on_leg()
 *   RGN_WAIT: nothing to send; wait for a leg or for op.wake_at
 *   RGN_DONE: the operation has ended with op.result; the struct may be reused
 *   always:   cancel the legs in op.cancel_legs (before sending), and call rgn_op_on_timer() once at op.wake_at
 *             if no leg has ended by then (a real-time caller: while op.wake_at <= now)
 *
 * One call yields at most one send or one done. The struct belongs to the caller, is plain data, and must not be copied
 * or touched by two threads at once. A leg that was cancelled, and any leg after RGN_DONE, must not be reported. */
#ifndef REGIONCORE_OPERATION_H
#define REGIONCORE_OPERATION_H

#include <regioncore/classify.h>
#include <regioncore/export.h>
#include <regioncore/hedging.h>
#include <regioncore/options.h>
#include <regioncore/reason.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rgn_router rgn_router;

typedef enum { RGN_WAIT = 0, RGN_SEND = 1, RGN_DONE = 2 } rgn_step;

/* Legs of an operation at a time: the primary and its alternates. */
enum { RGN_LEGS_MAX = 8 };

typedef struct {
    rgn_time_ns at; /* as rgn_op.leg_timeout_at */
    rgn_region region;
    rgn_region place; /* in the race's list: elsewhere only with hedging.leg_exclusions `replace` */
    uint8_t retries;
    uint8_t session_retries;
    uint8_t throttle_retries;
} rgn_fan_leg;

/* Room for the legs of one operation that may have more than one alternate. It belongs to the caller, needs no
 * initialisation, and stays where it is until the operation has ended. */
typedef struct {
    rgn_fan_leg leg[RGN_LEGS_MAX];
    uint8_t count; /* legs of the race so far */
    uint8_t limit; /* that it may have */
} rgn_fan;

/* Of a race with two legs: of the leg that rgn_op does not show, the region; counts of both. */
typedef struct {
    rgn_region other_region;
    uint8_t retries[2];
    uint8_t session_retries[2];
    uint8_t throttle_retries; /* the hedge's */
} rgn_pair;

/* What a start comes to. */
typedef struct {
    uint64_t epoch;    /* of the router; 0: nothing is planned */
    uint64_t words[4]; /* rgn_op from `leg` to `options` */
    rgn_dur_ns wake_after;
    rgn_dur_ns leg_timeout_after;
} rgn_planned;

/* Room for what requests of one kind come to, so that only the first of them pays for working it out: at partitions
 * whose traffic nothing moves, at those that go around home, and as canaries of those that recover. It belongs to the
 * caller and is plain data, all zero at first; one thread at a time uses it. Requests of any kind, to any router, may
 * share it, but it holds what those of one kind to one router come to, and is made anew when another one comes. The
 * options of the requests, and the client's strategy, must neither change in place nor be freed as long as it is used,
 * and a router must not be made where one lay that it was used with: zero it then. That is not checked: such a plan
 * sends operations where they would have gone, with the timeouts that they would have had. */
typedef struct {
    const rgn_router *router; /* NULL: nothing is planned */
    uint64_t kind;
    rgn_dur_ns timeout;
    const rgn_options *options; /* the request's */
    rgn_time_ns latest;         /* no sum of times passes NEVER up to here */
    const uint8_t *places;      /* by the partition's state: which of the first two it has */
    rgn_time_ns deadline_mask;  /* the deadline is now & mask + value */
    rgn_time_ns deadline_value;
    rgn_planned at_home;
    rgn_planned around_home;
    rgn_planned as_canary;
    uint8_t canary_state; /* of the partition of that canary */
} rgn_plan;

/* What the application asks for. Read during rgn_op_start() only, except `options`. */
typedef struct {
    rgn_partition partition; /* dense index, or RGN_PARTITION_UNKNOWN */
    uint32_t hash;           /* failback.sampler hash: any well mixed value that identifies the operation */
    uint8_t direction;       /* rgn_direction */
    bool is_container_level; /* the resource is not partitioned: breaker and automatic failover do not apply */
    bool has_excluded;       /* `excluded` replaces the router's list, also when empty */
    bool is_feed;            /* a query or another read of many items, not a point read; decides on hedging only */
    rgn_region_set excluded;
    rgn_dur_ns timeout; /* end to end, from `now` of rgn_op_start(); RGN_TIME_NEVER: none */
    /* This operation's resolved options; NULL: the router's. They must outlive the operation. Knobs that reach all of
     * a client's operations (RGN_REACH_CLIENT) should agree with the router's options, which the shared state follows.
     */
    const rgn_options *options;
    rgn_plan *plan; /* makes starts cheap; NULL: none */
    rgn_fan *fan;   /* room for more than one alternate, if hedging.max_alternates asks for it; NULL: at most one */
} rgn_request;

/* Which clock rings at wake_at. Numbers reach digests. */
typedef enum {
    RGN_WAKE_NONE = 0,
    RGN_WAKE_LEG_TIMEOUT = 1,
    RGN_WAKE_BACKOFF = 2,
    RGN_WAKE_HEDGE = 3,
    RGN_WAKE_DEADLINE = 4,
    RGN_WAKE_HARVEST = 5,
} rgn_wake_kind;

/* Bits of rgn_op.send_flags. HUB: only the partition's hub may answer; the Cosmos header
 * x-ms-cosmos-hub-region-processing-only says so. */
enum { RGN_SEND_CANARY = 1, RGN_SEND_HEDGE = 2, RGN_SEND_HUB = 4 };

typedef struct {
    uint16_t status;    /* what the caller sees; 408 for a deadline, 503 for an exhausted transport error */
    bool is_success;    /* below 400 */
    bool is_error;      /* the caller sees 5xx, 408, 410, 429, 449, 403/3, 404/1002, a deadline, or no target.
                           Application finals and abandoned operations are no errors */
    uint16_t substatus; /* 20008 deadline, 20003 transport */
    uint8_t reason;     /* rgn_reason, one of RGN_REASON_DONE_* */
    rgn_region region;  /* region of the last result; RGN_REGION_NONE if none answered */
} rgn_result;

/* 128 bytes; the first 64 hold all that a healthy operation touches. What is not private is for the caller to read. */
typedef struct rgn_op {
    rgn_time_ns wake_at;        /* NEVER if nothing is to ring */
    rgn_time_ns leg_timeout_at; /* of the leg just sent: what to tell the transport */
    uint8_t leg;                /* of RGN_SEND: 0 primary, 1 hedge, 2 and up further ones */
    uint8_t wake_kind;          /* rgn_wake_kind of wake_at */
    uint8_t cancel_legs;        /* bit per leg; set by the last call */
    uint8_t reason;             /* rgn_reason of the last step: RGN_REASON_ROUTE_* or RGN_REASON_DONE_* */
    uint8_t open_legs;          /* bit per leg that was sent and has not ended */
    uint8_t state;              /* private; see op_impl.h. With open_legs and flags one word, which is tested at once */
    uint16_t flags;             /* private */
    rgn_result result;          /* valid after RGN_DONE */
    rgn_region region;          /* of RGN_SEND */
    uint8_t send_flags;         /* of RGN_SEND */
    uint8_t direction;          /* rgn_direction */
    /* private part */
    uint8_t hedge; /* rgn_hedge, before the threshold as it will be if the primary is final; from bit 4 on how many
                      races were entered */
    rgn_region_set excluded;
    const rgn_options *options;
    rgn_time_ns deadline;
    rgn_partition partition;
    uint32_t hash;
    /* second half: canary, retries, hedge; not even initialised before one of them happens */
    uint32_t entry_generation;     /* of the canary */
    uint16_t window_id;            /* of the canary */
    uint16_t attempts;             /* legs sent so far */
    rgn_region_set failed_regions; /* regions that failed within this operation */
    uint16_t account_generation;   /* to which list_index belongs; its low half */
    uint8_t list_index;            /* cursor into the routing list */
    uint8_t failover_retries;
    uint8_t session_retries;
    uint8_t backend_retries;
    uint8_t throttle_retries;
    uint8_t retry_with_attempts;
    uint32_t backend_waited_us;
    rgn_dur_ns throttle_waited;
    rgn_dur_ns retry_with_waited;
    union { /* of a race only */
        rgn_pair pair;
        rgn_fan *fan; /* of an operation that may have more than one alternate, from its start */
    };
    union {
        rgn_time_ns other_at;         /* when the next hedge is due; of two legs that race: the other one's instant */
        rgn_region_set pending_marks; /* writes that roam: failures to be recorded once one has reached a region */
    };
    rgn_time_ns canary_failed_at; /* of an operation that began as a canary: when its first attempt sent it elsewhere;
                                     else NEVER */
} rgn_op;

/* Starts an operation: RGN_SEND, or RGN_DONE where there is no target at all. */
RGN_API rgn_step rgn_op_start(rgn_router *router, rgn_op *op, const rgn_request *request, rgn_time_ns now);

/* Leg `leg` has ended with `response`. */
RGN_API rgn_step rgn_op_on_leg(rgn_router *router, rgn_op *op, unsigned leg, const rgn_response *response,
                               rgn_time_ns now);

/* The answer of the leg that is about to be reported names the operation's partition: call it before rgn_op_on_leg().
 * An operation that did not know its partition does from now on, also when neither leg of a race wins. Nothing happens
 * if it is known, or the resource is not partitioned. */
RGN_API void rgn_op_learn_partition(rgn_router *router, rgn_op *op, rgn_partition partition);

/* The clock reached op->wake_at. */
RGN_API rgn_step rgn_op_on_timer(rgn_router *router, rgn_op *op, rgn_time_ns now);

/* The application gave up. Always RGN_DONE; open legs are in cancel_legs. */
RGN_API rgn_step rgn_op_abandon(rgn_router *router, rgn_op *op, rgn_time_ns now);

/* The operation's first attempt was a canary (or a probe). */
RGN_API bool rgn_op_began_as_canary(const rgn_op *op);

/* The open primary leg is a canary whose result will count. */
RGN_API bool rgn_op_has_canary(const rgn_op *op);

/* What the end of that canary would be to its sample now: `evidence` is that of its answer. A success that took longer
 * than the hedge threshold may count as a failure (failback.hedge_trip_evidence). */
RGN_API rgn_evidence rgn_op_judge_canary(const rgn_router *router, const rgn_op *op, rgn_evidence evidence);

/* How the operation's latest hedge race stands, or stood at its end. */
RGN_API rgn_hedge rgn_op_hedge(const rgn_op *op);

/* In rgn_op.flags, for the answer in line below. */
enum { RGN_OP_HAS_SECOND_HALF = 4 }; /* it is initialised */

/* Its first attempt is an ordinary one and the only one so far, and no hedge was sent or refused. */
static inline bool rgn_op_is_first_attempt(const rgn_op *op)
{
    return (op->flags & RGN_OP_HAS_SECOND_HALF) == 0;
}

/* What rgn_op_hedge() says of an operation that has ended. */
static inline rgn_hedge rgn_op_hedge_at_end(const rgn_op *op)
{
    return (rgn_hedge)(op->hedge & 15);
}

#ifdef __cplusplus
}
#endif
#endif
