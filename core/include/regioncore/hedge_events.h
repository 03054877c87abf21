/* SPDX-License-Identifier: MIT */
/* What a hedged operation has to tell: diagnostics for its caller, and events for logs, under the names that the Cosmos
 * hedging specification reserves.
 *
 * The core keeps none of it: whoever wants it calls rgn_hedge_observe() with a small record of its own after each call
 * into the operation, and pays for it only then. */
#ifndef REGIONCORE_HEDGE_EVENTS_H
#define REGIONCORE_HEDGE_EVENTS_H

#include <stddef.h>

#include <regioncore/classify.h>
#include <regioncore/export.h>
#include <regioncore/hedging.h>
#include <regioncore/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, number, name, sentence). The numbers reach files: they are final. For logs all are of level DEBUG, but
 * BOTH_TRANSIENT, which is WARN. */
#define RGN_HEDGE_EVENTS(X)                                                                                   \
    X(ENABLED, 1, "cosmos.hedge.enabled_for_operation", "a race begins: the operation may be hedged")         \
    X(ALTERNATE_SPAWNED, 2, "cosmos.hedge.alternate_spawned", "an alternate leg was sent")                    \
    X(CANCELED, 3, "cosmos.hedge.canceled", "a leg of the race was cut")                                      \
    X(WINNER_SELECTED, 4, "cosmos.hedge.winner_selected", "a leg got a final answer, the operation's")        \
    X(BOTH_TRANSIENT, 5, "cosmos.hedge.both_transient", "no leg had a final answer, an alternate's included") \
    X(RECORDED_ALTERNATE_WIN, 6, "cosmos.hedge.recorded_alternate_win",                                       \
      "the alternate's win was counted against the primary's region")

typedef enum {
#define RGN_HEDGE_EVENT_ENUM(identifier, number, name, sentence) RGN_HEDGE_EVENT_##identifier = (number),
    RGN_HEDGE_EVENTS(RGN_HEDGE_EVENT_ENUM)
#undef RGN_HEDGE_EVENT_ENUM
} rgn_hedge_event_kind;

/* Why a leg of a race was cut. */
typedef enum {
    RGN_HEDGE_CUT_WINNER_FOUND = 0,
    RGN_HEDGE_CUT_DEADLINE = 1,
    RGN_HEDGE_CUT_APP_CANCELED = 2,
} rgn_hedge_cut;

/* One event. Which fields hold something depends on the kind. */
typedef struct {
    rgn_time_ns at;
    rgn_dur_ns elapsed;      /* alternate_spawned, winner_selected: since the race began */
    rgn_dur_ns threshold;    /* enabled_for_operation */
    rgn_partition partition; /* recorded_alternate_win */
    uint16_t status;         /* both_transient: of the last answer; 503 for a lost connection, 408 for a deadline */
    uint8_t kind;            /* rgn_hedge_event_kind */
    uint8_t leg;             /* canceled: 0 primary, 1 and up alternates */
    uint8_t why;             /* canceled: rgn_hedge_cut */
    uint8_t region_count;    /* enabled_for_operation: that can be read and are not excluded */
    rgn_region region;       /* of the leg; of the winner; recorded_alternate_win: the primary's */
    bool was_hedge;          /* winner_selected */
} rgn_hedge_event;

/* How an operation was hedged. A caller that wants to know keeps one beside the rgn_op; rgn_hedge_observe() fills it
 * in. Only `terminal` tells how the latest race ended; nothing may be inferred from the regions. */
typedef struct {
    rgn_time_ns started;  /* of the race; RGN_TIME_NEVER: no race, and the other fields mean nothing */
    rgn_time_ns spawned;  /* when the first alternate was sent; RGN_TIME_NEVER: none was */
    rgn_dur_ns threshold; /* in force */
    rgn_region region[RGN_LEGS_MAX]; /* where each leg went: the primary, the alternates; RGN_REGION_NONE: not sent */
    uint8_t alternates;              /* sent */
    rgn_region response;  /* whose answer the caller got; RGN_REGION_NONE: no leg had a final one */
    uint8_t terminal;     /* rgn_hedge */
    uint8_t races;        /* entered so far */
} rgn_hedge_diagnostics;

enum { RGN_HEDGE_EVENTS_MAX = 9 }; /* of one call: two of the race, and one for each leg it leaves behind */

/* Before rgn_op_start(). */
RGN_API void rgn_hedge_diagnostics_init(rgn_hedge_diagnostics *diagnostics);

/* After each call into the operation, rgn_op_abandon() included: `step` is what it returned, `response` what was
 * reported (NULL: it was no leg's end), `now` its time. Brings the record up to date and writes what happened, at most
 * RGN_HEDGE_EVENTS_MAX events, in order. Returns how many. `router` is the one the operation belongs to. */
RGN_API unsigned rgn_hedge_observe(const rgn_router *router, const rgn_op *op, rgn_step step,
                                   const rgn_response *response, rgn_time_ns now, rgn_hedge_diagnostics *diagnostics,
                                   rgn_hedge_event *out);

/* The event's name; "?" for a number that is none. */
RGN_API const char *rgn_hedge_event_name(rgn_hedge_event_kind kind);
/* "winner_found", "deadline", "app_canceled"; "?" for a number that is none. */
RGN_API const char *rgn_hedge_cut_name(rgn_hedge_cut why);

/* Room for any event, the final NUL included. */
enum { RGN_HEDGE_EVENT_JSON_MAX = 256 };

/* The event as one line of JSON with the specification's field names. Regions are numbers of the account's list.
 * Returns the length of the whole text without the NUL; if that is `size` or more, `out` holds its first `size - 1`
 * bytes. `out` may be NULL if `size` is 0. */
RGN_API size_t rgn_hedge_event_json(const rgn_hedge_event *event, char *out, size_t size);

/* Why an attempt was sent: what the driver's diagnostics call its execution context. */
typedef enum {
    RGN_CONTEXT_INITIAL = 0,
    RGN_CONTEXT_RETRY = 1,           /* in the same region, or for a session */
    RGN_CONTEXT_HEDGING = 2,         /* a further leg of a race */
    RGN_CONTEXT_REGION_FAILOVER = 3, /* elsewhere after a failure */
    RGN_CONTEXT_PROBE = 4,           /* a canary or probe of a tripped region */
} rgn_context;

/* Of the attempt that the last call sent. */
RGN_API rgn_context rgn_op_context(const rgn_op *op);
/* "initial", "retry", ...; "?" for a number that is none. */
RGN_API const char *rgn_context_name(rgn_context context);

#ifdef __cplusplus
}
#endif
#endif
