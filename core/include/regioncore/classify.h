/* SPDX-License-Identifier: MIT */
/* What one answer means: for the caller, for the breaker, and for the retry decision.
 *
 * One table (classify.c) gives each (status, sub-status) its row; documentation and tests are made from it. */
#ifndef REGIONCORE_CLASSIFY_H
#define REGIONCORE_CLASSIFY_H

#include <regioncore/export.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an attempt ended below HTTP. */
typedef enum {
    RGN_TRANSPORT_NONE = 0,     /* there is an HTTP answer */
    RGN_TRANSPORT_NOT_SENT = 1, /* definitely never sent: refused, unresolved, connect timeout */
    RGN_TRANSPORT_SENT = 2,     /* sent, then lost */
    RGN_TRANSPORT_UNKNOWN = 3,  /* may have been sent; treated like sent. The attempt's own timeout is one */
} rgn_transport;

/* The end of one attempt, as the transport saw it. */
typedef struct {
    uint16_t status;        /* HTTP status; 0 with a transport error */
    uint16_t substatus;     /* Cosmos sub-status; 0 if absent */
    uint8_t transport;      /* rgn_transport */
    rgn_dur_ns retry_after; /* server's retry-after; RGN_TIME_NEVER if absent */
} rgn_response;

/* Sub-status of a 429 that the client gave itself: its throughput budget is spent, and nothing was sent. */
enum { RGN_SUBSTATUS_LOCAL_THROTTLE = 10003 };

/* What a result says of the place it came from (decisions on canaries and on the breaker). Numbers reach files. */
typedef enum {
    RGN_EVIDENCE_SUCCESS = 0, /* below 400, or an application final: the region works */
    RGN_EVIDENCE_FAILURE = 1, /* counts for the breaker */
    RGN_EVIDENCE_NEUTRAL = 2, /* says nothing of the region's health */
    RGN_EVIDENCE_TIMEOUT = 3, /* the attempt's own timeout or deadline: a failure to a canary; the breaker counts it as
                                 an attempt's timeout, not as a deadline */
} rgn_evidence;

/* What the pipeline may try next; see retry table in RULES.md. */
typedef enum {
    RGN_RETRY_NONE = 0,     /* complete or abort */
    RGN_RETRY_FAILOVER = 1, /* next region at once, failover budget */
    RGN_RETRY_BACKEND = 2,  /* next region, own budget and delays (403/3, 403/1008) */
    RGN_RETRY_SESSION = 3,  /* 404/1002 */
    RGN_RETRY_THROTTLE = 4, /* same region after a back-off (429 but 3092) */
    RGN_RETRY_WITH = 5,     /* same region, 449 schedule */
} rgn_retry;

/* What the failure charges: exactly one scope. */
typedef enum {
    RGN_CHARGE_NOTHING = 0,
    RGN_CHARGE_PARTITION = 1,       /* the operation's direction */
    RGN_CHARGE_PARTITION_WRITE = 2, /* always the write direction (403/3) */
    RGN_CHARGE_ENDPOINT = 3,        /* never sent: the whole endpoint */
} rgn_charge;

typedef struct {
    uint8_t evidence;     /* rgn_evidence */
    uint8_t retry;        /* rgn_retry */
    uint8_t charge;       /* rgn_charge */
    uint8_t mark_reason;  /* rgn_mark_reason of the endpoint mark where the breaker does not cover the operation */
    bool is_success;      /* below 400 */
    bool is_final;        /* no other region can change it */
    bool is_caller_error; /* if it ends an operation, the operation ended in error (metric `error_count`) */
} rgn_class;

/* Why a whole endpoint is marked unavailable. Numbers reach files and the routing vectors. */
typedef enum {
    RGN_MARK_WRITE_FORBIDDEN = 0,
    RGN_MARK_ACCOUNT_NOT_FOUND = 1,
    RGN_MARK_SERVICE_UNAVAILABLE = 2,
    RGN_MARK_REQUEST_TIMEOUT = 3,
    RGN_MARK_INTERNAL_ERROR = 4,
    RGN_MARK_TRANSPORT_ERROR = 5,
} rgn_mark_reason;

RGN_API rgn_class rgn_classify(const rgn_response *response);
/* What of the class the evidence is. */
RGN_API rgn_evidence rgn_evidence_of(const rgn_response *response);

#ifdef __cplusplus
}
#endif
#endif
