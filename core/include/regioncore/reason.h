/* SPDX-License-Identifier: MIT */
/* Why something happened: one list for the core, the database and the reports.
 *
 * The numbers reach files and digests: they are final. New reasons are appended, none is reused. */
#ifndef REGIONCORE_REASON_H
#define REGIONCORE_REASON_H

#include <regioncore/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, number, name, sentence) */
#define RGN_REASONS(X)                                                                                                \
    X(NONE, 0, "none", "nothing happened yet")                                                                        \
    X(CREATED, 1, "created", "a first failure was counted: absent to counting")                                       \
    X(TRIP, 2, "trip", "failures reached the threshold: counting to unhealthy")                                       \
    X(TRIP_ALSO, 3, "trip_also", "the other direction, or a region without traffic, reached its threshold too")       \
    X(MOVE, 4, "move", "the current region failed: traffic moves to the next one")                                    \
    X(EXHAUSTED, 5, "exhausted", "every region has failed: the entry is dropped and default routing applies")         \
    X(STALE, 6, "stale", "an untripped entry saw no failure for a whole reset window: dropped")                       \
    X(CLEARED, 7, "cleared", "an untripped entry had no failure left to count: dropped")                              \
    X(PROMOTE, 8, "promote", "the dwell is over: unhealthy to recovering")                                            \
    X(FAILBACK, 9, "failback", "the canary sample reached the success threshold")                                     \
    X(FAILBACK_SINGLE, 10, "failback_single", "after windows with too little traffic one canary succeeded")           \
    X(FAILBACK_PROBE, 11, "failback_probe", "the probe succeeded")                                                    \
    X(RETRIP, 12, "retrip", "the canary sample fell below the floor")                                                 \
    X(RETRIP_SINGLE, 13, "retrip_single", "after windows with too little traffic one canary failed")                  \
    X(RETRIP_PROBE, 14, "retrip_probe", "the probe failed")                                                           \
    X(RETRIP_JUDGE, 15, "retrip_judge", "the window ended and its ratio was below the success threshold")             \
    X(RETRIP_MAX, 16, "retrip_max", "the recovery took longer than allowed without a decision")                       \
    X(WINDOW_DWELL, 17, "window_dwell", "the window ended undecided: back to the dwell")                              \
    X(WINDOW_RESTART, 18, "window_restart", "the window ended undecided: a new one begins")                           \
    X(UNTRIP_PROBE, 19, "untrip_probe", "the probe failed and the entry starts counting anew, untripped")             \
    X(REGION_REMOVED, 20, "region_removed", "the account lost the region: the entry is dropped")                      \
    X(FLAG_EDGE, 21, "flag_edge", "the breaker or automatic failover was switched on or off: all it kept is dropped") \
    X(UNTRIP_WINDOW, 22, "untrip_window", "counts were reset and the trip, derived from them, went with them")        \
    X(TRIP_HEDGE, 23, "trip_hedge", "another region won the hedge race often enough in a row")                        \
    X(FORGOTTEN, 24, "forgotten", "the embedder dropped the entry")                                                   \
    X(CLIENT_RESTART, 25, "client_restart", "the client's process started anew: every entry is gone")                 \
    X(FAILBACK_TENTATIVE, 26, "failback_tentative", "enough requests in a row succeeded on trial")                    \
    X(FAILBACK_AT_ONCE, 27, "failback_at_once", "the partition was due and fails back without a trial")               \
    X(PROMOTE_REQUEST, 28, "promote_request", "a request succeeded at the failed region: unhealthy to recovering")    \
    X(FAILBACK_SEQUENTIAL, 29, "failback_sequential", "the canaries' evidence for a healthy region was enough")       \
    X(RETRIP_SEQUENTIAL, 30, "retrip_sequential", "the canaries' evidence for an unhealthy region was enough")        \
    X(RAMP, 31, "ramp", "the sample sufficed at this share of canaries: a larger share begins")                       \
    X(ROUTE_PREFERRED, 32, "preferred", "first region of the list that qualifies")                                    \
    X(ROUTE_OVERRIDE, 33, "override", "the partition is tripped: its current region")                                 \
    X(ROUTE_CANARY, 34, "canary", "a canary of a recovering partition: its first failed region")                      \
    X(ROUTE_MARKED, 35, "marked", "only regions whose endpoint is marked unavailable are left")                       \
    X(ROUTE_FALLBACK, 36, "fallback", "nothing is left after the caller's and the breaker's exclusions")              \
    X(ROUTE_RETRY, 37, "retry", "the next region after a failed attempt")                                             \
    X(ROUTE_IN_REGION, 38, "in_region", "the same region again after a back-off")                                     \
    X(ROUTE_FAILOVER, 39, "failover_override", "automatic failover has moved the partition's writes")                 \
    X(ROUTE_HUB, 40, "hub", "the partition's known hub, for a read that needs it")                                    \
    X(ROUTE_HEDGE, 41, "hedge", "a hedge of an operation that is slow")                                               \
    X(ENDPOINT_MARKED, 48, "endpoint_marked", "a failure marked a whole endpoint unavailable")                        \
    X(DONE_SUCCESS, 64, "success", "the service answered below 400")                                                  \
    X(DONE_FINAL, 65, "final", "an answer that no other region can change")                                           \
    X(DONE_EXHAUSTED, 66, "retries_exhausted", "a retryable failure met an empty retry budget")                       \
    X(DONE_DEADLINE, 67, "deadline", "the operation's deadline passed")                                               \
    X(DONE_ABANDONED, 68, "abandoned", "the application gave up")                                                     \
    X(FAILOVER_SET, 80, "failover_set", "a write failed and reached another region: later writes go there")           \
    X(FAILOVER_MOVE, 81, "failover_move", "the override's region failed: writes go to the next one")                  \
    X(FAILOVER_EXHAUSTED, 82, "failover_exhausted", "every region has failed: the override is dropped")               \
    X(HUB_FOUND, 83, "hub_found", "a region answered as the partition's hub")                                         \
    X(STRATEGY_KEPT, 96, "strategy_kept", "the account's switches changed and the hedging strategy did not")          \
    X(STRATEGY_STASHED, 97, "strategy_stashed", "hedging was switched off: the customer's strategy waits")            \
    X(STRATEGY_CLEARED, 98, "strategy_cleared", "the default hedging strategy ended")                                 \
    X(STRATEGY_RESTORED, 99, "strategy_restored", "hedging was switched on: the customer's strategy is back")         \
    X(STRATEGY_BUILT, 100, "strategy_built", "hedging was switched on: the default strategy was built anew")          \
    X(STRATEGY_DROPPED, 101, "strategy_dropped",                                                                      \
      "warning: hedging is off and a customer's strategy is lost, for another one waits already")

typedef enum {
#define RGN_REASON_ENUM(identifier, number, name, sentence) RGN_REASON_##identifier = (number),
    RGN_REASONS(RGN_REASON_ENUM)
#undef RGN_REASON_ENUM
} rgn_reason;

/* The reason's name as databases and reports spell it; "?" for a number that is none. */
RGN_API const char *rgn_reason_name(rgn_reason reason);

/* One sentence that explains the reason; "?" for a number that is none. */
RGN_API const char *rgn_reason_sentence(rgn_reason reason);

#ifdef __cplusplus
}
#endif
#endif
