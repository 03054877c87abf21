/* SPDX-License-Identifier: MIT */
/* What operation.c and retry.c share. */
#ifndef REGIONCORE_SRC_OP_IMPL_H
#define REGIONCORE_SRC_OP_IMPL_H

#include <regioncore/operation.h>
#include <regioncore/routing.h>

#include "router_impl.h"

/* rgn_op.state */
enum {
    RGNI_OP_IN_FLIGHT = 1, /* a leg is open */
    RGNI_OP_WAIT_HERE = 2, /* backs off, then goes to the same region */
    RGNI_OP_WAIT_NEXT = 3, /* backs off, then goes where routing says */
    RGNI_OP_DONE = 4,
};

/* rgn_op.flags */
enum {
    RGNI_OP_COVERED = 1,     /* the breaker covers it; as it was at the start */
    RGNI_OP_MULTI_WRITE = 2, /* of the account; as it was at the start */
    RGNI_OP_HAS_TAIL = 4,    /* the second half is initialised */
    RGNI_OP_TICKET = 8,      /* the open leg is a canary that the entry counts */
    RGNI_OP_BEGAN_AS_CANARY = 16,
    RGNI_OP_WRITE_LIST = 32, /* a session retry sends a read to where writes go */
    RGNI_OP_FORCED = 64,     /* the last attempt after the throttle's total wait was taken */
};

static inline bool rgni_op_has(const rgn_op *op, unsigned flag)
{
    return (op->flags & flag) != 0;
}

static inline void rgni_op_set(rgn_op *op, unsigned flag, bool is_on)
{
    op->flags = (uint8_t)(is_on ? op->flags | flag : op->flags & ~flag);
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

/* Moves the routing cursor on by one. */
void rgni_retry_advance(rgn_op *op, const rgn_topology *topology);

#endif
