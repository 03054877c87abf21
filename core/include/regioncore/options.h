/* SPDX-License-Identifier: MIT */
/* Options: every knob of the core, once.
 *
 * RGN_KNOBS is the one table. The structure, the defaults, the ranges, the names in files and in the environment,
 * the help and the reference documentation all come from it. All values are int64:
 *
 *   FLAG      0 or 1
 *   COUNT     a number
 *   DURATION  nanoseconds; RGN_TIME_NEVER is written `never`, RGN_AUTO is written `auto` where the range admits them
 *   SHARE     parts per million
 *   PERCENT   whole percent
 *   CHOICE    index into the list of names, which are separated by '|'
 */
#ifndef REGIONCORE_OPTIONS_H
#define REGIONCORE_OPTIONS_H

#include <regioncore/export.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RGN_AUTO (-1) /* the value follows from others; each knob's text says how */

typedef enum { RGN_FLAG, RGN_COUNT, RGN_DURATION, RGN_SHARE, RGN_PERCENT, RGN_CHOICE } rgn_knob_type;

/* What one value governs: all of a client's operations, for they share the state it acts on, or a single operation. An
 * operation's own options can change the latter only. */
typedef enum { RGN_REACH_CLIENT, RGN_REACH_OPERATION } rgn_knob_reach;

enum { RGN_RULE_WINDOWED, RGN_RULE_CONSECUTIVE, RGN_RULE_SHARE };            /* breaker.rule */
enum { RGN_TALLY_PER_REGION, RGN_TALLY_SHARED };                             /* breaker.tally */
enum { RGN_UNTRIPPED_DROP, RGN_UNTRIPPED_KEEP };                             /* breaker.untripped_entries */
enum { RGN_TRIP_DIRECTION, RGN_TRIP_PARTITION };                             /* breaker.trip_scope */
enum { RGN_HEALTH_PARTITION, RGN_HEALTH_REGION };                            /* breaker.health */
enum { RGN_COUNTED_CHARGED, RGN_COUNTED_DOTNET, RGN_COUNTED_JAVA };          /* breaker.counted */
enum { RGN_CUT_LEGS_IGNORE, RGN_CUT_LEGS_LOST_PRIMARY, RGN_CUT_LEGS_COUNT }; /* breaker.cut_legs */
enum { RGN_FAILOVER_APART, RGN_FAILOVER_FOLLOW, RGN_FAILOVER_LATCH };        /* breaker.automatic_failover */
/* failback.strategy */
enum { RGN_STRATEGY_SUCCESS_RATE, RGN_STRATEGY_PROBE, RGN_STRATEGY_TENTATIVE, RGN_STRATEGY_AT_ONCE };
enum { RGN_PROMOTE_ON_DWELL, RGN_PROMOTE_ON_CONNECTION };  /* failback.promote_on */
enum { RGN_PROBE_ONE, RGN_PROBE_ALL };                     /* failback.probe_admission */
enum { RGN_FAILED_PROBE_RETRIP, RGN_FAILED_PROBE_UNTRIP }; /* failback.failed_probe */
enum { RGN_SAMPLER_COUNTER, RGN_SAMPLER_HASH };            /* failback.sampler */
enum { RGN_RAMP_NONE, RGN_RAMP_STAGED };                   /* failback.ramp */
/* failback.decide */
enum { RGN_DECIDE_EVERY, RGN_DECIDE_MIN_SAMPLE, RGN_DECIDE_WINDOW_END, RGN_DECIDE_SEQUENTIAL };
enum { RGN_PENDING_COMPLETED, RGN_PENDING_COUNTED };                      /* failback.pending */
enum { RGN_EXPIRY_RESTART, RGN_EXPIRY_DWELL, RGN_EXPIRY_JUDGE };          /* failback.window_expiry */
enum { RGN_PROMOTE_SWEEP, RGN_PROMOTE_DUE };                              /* failback.promote */
enum { RGN_DWELL_FIRST_FAILURE, RGN_DWELL_TRIP, RGN_DWELL_LAST_FAILURE }; /* failback.dwell_from */
enum { RGN_ROUTING_DOCUMENTED, RGN_ROUTING_DRIVER, RGN_ROUTING_JAVA };    /* routing.rules */
enum { RGN_AGED_MARK_HOLD, RGN_AGED_MARK_RELEASE };                       /* endpoint.aged_mark */
enum { RGN_EXHAUSTED_COUNT, RGN_EXHAUSTED_IGNORE };                       /* retry.exhausted_failures */
enum { RGN_BUSY_FAILOVER, RGN_BUSY_BACK_OFF };                            /* retry.busy_region */
enum { RGN_LOST_RACE_FAILURE, RGN_LOST_RACE_NEUTRAL };                    /* failback.lost_race */
enum { RGN_EVIDENCE_BY_STATUS, RGN_EVIDENCE_BY_STATUS_AND_LATENCY };      /* failback.evidence, hedge_trip_evidence */
enum { RGN_HEDGING_ON, RGN_HEDGING_DISABLED };                            /* hedging.strategy */
enum { RGN_HEDGING_STATIC, RGN_HEDGING_ADAPTIVE, RGN_HEDGING_NAIVE };     /* hedging.policy */
enum { RGN_EARLY_RETRY, RGN_EARLY_LAUNCH };                               /* hedging.early_transient */
enum { RGN_LEG_RETRIES_LOCAL, RGN_LEG_RETRIES_NONE };                     /* hedging.leg_retries */
enum { RGN_PRIMARY_FAILURE_TRANSIENT, RGN_PRIMARY_FAILURE_FINAL };        /* hedging.primary_failure */
enum { RGN_SECONDARY_SECOND, RGN_SECONDARY_FIRST_DISTINCT, RGN_SECONDARY_UNTRIPPED }; /* hedging.secondary */
enum { RGN_ACTIVATION_ALWAYS, RGN_ACTIVATION_WITH_FAILOVER };                         /* hedging.activation */
enum { RGN_REFUSED_HUB_TRANSIENT, RGN_REFUSED_HUB_FINAL };                            /* hedging.refused_hub */
enum { RGN_NOT_FOUND_FINAL, RGN_NOT_FOUND_TRANSIENT };                                /* hedging.account_not_found */
enum { RGN_EARLY_FINAL_RETRY, RGN_EARLY_FINAL_RETURN };                               /* hedging.early_final */
/* hedging.both_transient */
enum { RGN_BOTH_TRANSIENT_ATTEMPT, RGN_BOTH_TRANSIENT_TWO_FAILOVERS, RGN_BOTH_TRANSIENT_END };
enum { RGN_EXHAUSTED_RACE_ANSWER, RGN_EXHAUSTED_RACE_UNAVAILABLE }; /* hedging.exhausted_race */
enum { RGN_SESSION_RACE_WRITE_LIST, RGN_SESSION_RACE_PREFERRED };   /* hedging.session_race */
enum { RGN_METADATA_ERROR_FINAL, RGN_METADATA_ERROR_TRANSIENT };    /* hedging.metadata_error */
enum { RGN_CUT_WINDOW_LAST, RGN_CUT_WINDOW_FIRST };                 /* failover.cut_window_from */
/* hedging.operations */
enum { RGN_HEDGED_POINT_READS, RGN_HEDGED_FEEDS_AND_METADATA, RGN_HEDGED_POINT_READS_AND_METADATA };
enum { RGN_LEG_EXCLUSIONS_UNION, RGN_LEG_EXCLUSIONS_REPLACE };   /* hedging.leg_exclusions */
enum { RGN_PREFERRED_REGIONS_NAMED, RGN_PREFERRED_REGIONS_ANY }; /* hedging.preferred_regions */
enum { RGN_LATER_RACE_ANY, RGN_LATER_RACE_FUNDED };              /* hedging.later_race */
enum { RGN_PRIMARY_HUB_ASK, RGN_PRIMARY_HUB_OMIT };              /* hedging.primary_hub */
enum { RGN_GATEWAY_ABSENT_KEEPS, RGN_GATEWAY_ABSENT_ALLOWS };    /* gateway.absent */
enum { RGN_GATEWAY_STASHES, RGN_GATEWAY_MASKS };                 /* gateway.enforcement */

#define RGN_MS_(n)     ((n)*RGN_NS_PER_MS)
#define RGN_S_(n)      ((n)*RGN_NS_PER_S)
#define RGN_COUNT_MAX_ INT64_C(2147483647)
#define RGN_DUR_MAX_   RGN_S_(INT64_C(31557600)) /* a year */

/* X(group, field, TYPE, reach, default, minimum, maximum, environment variable or "", choices or "", meaning) */
#define RGN_KNOBS(X)                                                                                                   \
    X(breaker, enabled, FLAG, CLIENT, 1, 0, 1, "AZURE_COSMOS_PPCB_ENABLED", "",                                        \
      "the per-partition circuit breaker is on")                                                                       \
    X(breaker, read_failure_threshold, COUNT, CLIENT, 10, 1, RGN_COUNT_MAX_,                                           \
      "AZURE_COSMOS_PPCB_READ_FAILURE_THRESHOLD", "", "read failures that trip a partition")                           \
    X(breaker, write_failure_threshold, COUNT, CLIENT, 5, 1, RGN_COUNT_MAX_,                                           \
      "AZURE_COSMOS_PPCB_WRITE_FAILURE_THRESHOLD", "", "write failures that trip a partition")                         \
    X(breaker, counter_reset_window, DURATION, CLIENT, RGN_S_(300), RGN_S_(1), RGN_DUR_MAX_,                           \
      "AZURE_COSMOS_PPCB_COUNTER_RESET_WINDOW_MS", "", "counts are cleared when the last failure is older than this")  \
    X(breaker, rule, CHOICE, CLIENT, RGN_RULE_WINDOWED, 0, 2, "AZURE_COSMOS_PPCB_RULE", "windowed|consecutive|share",  \
      "what trips: failures in the window; failures with no success between; failures that also are a share of all")   \
    X(breaker, failure_share, SHARE, CLIENT, 900000, 1, 1000000, "AZURE_COSMOS_PPCB_FAILURE_SHARE", "",                \
      "rule share: failures / (failures + successes) that it takes to trip")                                           \
    X(breaker, alternate_failures, COUNT, CLIENT, 1, 1, RGN_COUNT_MAX_, "AZURE_COSMOS_PPCB_ALTERNATE_FAILURES", "",    \
      "failures at another region that make it join the failed ones once the partition is tripped")                    \
    X(breaker, tally, CHOICE, CLIENT, RGN_TALLY_PER_REGION, 0, 1, "AZURE_COSMOS_PPCB_TALLY", "per_region|shared",      \
      "failures are counted for each region, or (driver) for all regions of the partition together")                   \
    X(breaker, consecutive_hedge_win_threshold, COUNT, CLIENT, 5, 1, RGN_COUNT_MAX_,                                   \
      "AZURE_COSMOS_PPCB_CONSECUTIVE_HEDGE_WIN_THRESHOLD", "",                                                         \
      "hedge races in a row that a region has to lose to trip a partition")                                            \
    X(breaker, untripped_entries, CHOICE, CLIENT, RGN_UNTRIPPED_DROP, 0, 1, "AZURE_COSMOS_PPCB_UNTRIPPED_ENTRIES",     \
      "drop|keep", "the sweep drops untripped entries that went stale, or (driver) keeps and promotes them")           \
    X(breaker, trip_scope, CHOICE, CLIENT, RGN_TRIP_DIRECTION, 0, 1, "AZURE_COSMOS_PPCB_TRIP_SCOPE",                   \
      "direction|partition",                                                                                           \
      "a trip moves reads or writes alone, or (Java) reads trip writes too, and the other way about")                  \
    X(breaker, health, CHOICE, CLIENT, RGN_HEALTH_PARTITION, 0, 1, "AZURE_COSMOS_PPCB_HEALTH", "partition|region",     \
      "one state machine for a partition, around its first failed region; or (Java) one for each of its regions: "     \
      "counts that do not age, a trip, a trial; needs rule consecutive, tally per_region and strategy tentative")      \
    X(breaker, counted, CHOICE, CLIENT, RGN_COUNTED_CHARGED, 0, 2, "AZURE_COSMOS_PPCB_COUNTED", "charged|dotnet|java", \
      "which answers count: all that are charged to a partition; (.NET) 408 and 503; (Java) 500, 503 and, where "      \
      "writes "                                                                                                        \
      "are not hedged, 408 of writes; attempts that are lost always do")                                               \
    X(breaker, cut_legs, CHOICE, CLIENT, RGN_CUT_LEGS_IGNORE, 0, 2, "AZURE_COSMOS_PPCB_CUT_LEGS",                      \
      "ignore|lost_primary|count",                                                                                     \
      "what a leg that is cut counts: nothing; (Java) one failure if it is the primary and the hedge has won; (.NET) " \
      "one failure whoever cuts it: the other leg, the deadline or the application")                                   \
    X(breaker, automatic_failover, CHOICE, CLIENT, RGN_FAILOVER_APART, 0, 2, "AZURE_COSMOS_PPCB_AUTOMATIC_FAILOVER",   \
      "apart|follow|latch",                                                                                            \
      "the account's automatic failover does not switch the breaker (with routing.rules driver it switches it on); "   \
      "(.NET) each edge of it switches the breaker on or off; (Java) it switches the breaker on for good")             \
    X(failback, strategy, CHOICE, CLIENT, RGN_STRATEGY_SUCCESS_RATE, 0, 3, "AZURE_COSMOS_PPCB_FAILBACK_STRATEGY",      \
      "success_rate|probe|tentative|at_once",                                                                          \
      "what decides a recovery: a sample of canaries; one request; (Java) all traffic goes home and half the "         \
      "threshold's failures trip again, the threshold's successes in a row end it; (.NET) nothing, it fails back")     \
    X(failback, probe_admission, CHOICE, CLIENT, RGN_PROBE_ONE, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PROBE_ADMISSION",    \
      "one|all", "strategy probe: one request goes home, or (driver) all do until one result decides")                 \
    X(failback, failed_probe, CHOICE, CLIENT, RGN_FAILED_PROBE_RETRIP, 0, 1,                                           \
      "AZURE_COSMOS_PPCB_FAILBACK_FAILED_PROBE", "retrip|untrip",                                                      \
      "a failed probe trips again, or (driver: a trip is derived from the counts) starts counting from zero")          \
    X(failback, sampler, CHOICE, CLIENT, RGN_SAMPLER_COUNTER, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_SAMPLER",              \
      "counter|hash", "which operations are canaries: exactly the share, evenly spread, or by the operation's hash")   \
    X(failback, canary_percentage, PERCENT, CLIENT, 10, 1, 100, "AZURE_COSMOS_PPCB_FAILBACK_CANARY_PERCENTAGE", "",    \
      "share of a recovering partition's operations sent to the original region")                                      \
    X(failback, min_sample, COUNT, CLIENT, 10, 1, RGN_COUNT_MAX_, "AZURE_COSMOS_PPCB_FAILBACK_MIN_SAMPLE", "",         \
      "canary results before the ratio is looked at")                                                                  \
    X(failback, success_threshold, SHARE, CLIENT, 900000, 1, 1000000, "AZURE_COSMOS_PPCB_FAILBACK_SUCCESS_THRESHOLD",  \
      "", "success ratio of the sample at or above which the partition fails back")                                    \
    X(failback, retrip_floor, SHARE, CLIENT, 500000, 0, 1000000, "AZURE_COSMOS_PPCB_FAILBACK_RETRIP_FLOOR", "",        \
      "success ratio of the sample below which the partition trips again; at most the success threshold; 0: never")    \
    X(failback, eval_window, DURATION, CLIENT, RGN_S_(60), RGN_MS_(1), RGN_DUR_MAX_,                                   \
      "AZURE_COSMOS_PPCB_FAILBACK_EVAL_WINDOW_MS", "", "how long one sample is collected")                             \
    X(failback, decide, CHOICE, CLIENT, RGN_DECIDE_EVERY, 0, 3, "AZURE_COSMOS_PPCB_FAILBACK_DECIDE",                   \
      "every|min_sample|window_end|sequential",                                                                        \
      "when the ratio is compared: at every result from the minimum sample on, only at it, or at the window's end; "   \
      "or as soon as a sequential test of threshold against floor has enough evidence, however small the sample")      \
    X(failback, false_failback, SHARE, CLIENT, 10000, 100, 400000, "AZURE_COSMOS_PPCB_FAILBACK_FALSE_FAILBACK", "",    \
      "decide sequential: how often a region whose ratio is the floor may be failed back to")                          \
    X(failback, false_retrip, SHARE, CLIENT, 10000, 100, 400000, "AZURE_COSMOS_PPCB_FAILBACK_FALSE_RETRIP", "",        \
      "decide sequential: how often a region whose ratio is the success threshold may be tripped again")               \
    X(failback, ramp, CHOICE, CLIENT, RGN_RAMP_NONE, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_RAMP", "none|staged",           \
      "a sample that suffices ends the recovery, or raises the share of canaries to 25 %, then 50 %, each with a "     \
      "sample of its own, before it does")                                                                             \
    X(failback, evidence, CHOICE, CLIENT, RGN_EVIDENCE_BY_STATUS, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_EVIDENCE",         \
      "status|status_and_latency",                                                                                     \
      "a canary succeeds by its answer, or, whatever has tripped, only if that came within the hedge threshold")       \
    X(failback, pending, CHOICE, CLIENT, RGN_PENDING_COMPLETED, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PENDING",            \
      "completed|counted", "canaries in flight are left out of the ratio, or weigh on it as if they had failed")       \
    X(failback, window_expiry, CHOICE, CLIENT, RGN_EXPIRY_RESTART, 0, 2, "AZURE_COSMOS_PPCB_FAILBACK_WINDOW_EXPIRY",   \
      "restart|dwell|judge",                                                                                           \
      "an undecided window: start a new one; dwell again; trip again if the ratio is below the threshold")             \
    X(failback, low_traffic_windows, COUNT, CLIENT, 0, 0, 65535, "AZURE_COSMOS_PPCB_FAILBACK_LOW_TRAFFIC_WINDOWS", "", \
      "windows in a row below the minimum sample after which one canary decides; 0: never")                            \
    X(failback, recovering_max, DURATION, CLIENT, RGN_TIME_NEVER, 0, RGN_TIME_NEVER,                                   \
      "AZURE_COSMOS_PPCB_FAILBACK_RECOVERING_MAX_MS", "", "longest recovery; one that takes longer trips again")       \
    X(failback, promote, CHOICE, CLIENT, RGN_PROMOTE_SWEEP, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PROMOTE", "sweep|due",   \
      "recovery begins at the first sweep after the dwell, or exactly when the dwell is over")                         \
    X(failback, promote_on, CHOICE, CLIENT, RGN_PROMOTE_ON_DWELL, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PROMOTE_ON",       \
      "dwell|connection",                                                                                              \
      "recovery begins because the dwell is over, or (.NET, Java) only once a sweep after it has found that the "      \
      "region can be connected to")                                                                                    \
    X(failback, request_recovery, DURATION, CLIENT, RGN_TIME_NEVER, 0, RGN_TIME_NEVER,                                 \
      "AZURE_COSMOS_PPCB_FAILBACK_REQUEST_RECOVERY_MS", "",                                                            \
      "recovery also begins when a request succeeds at the failed region later than this after the trip")              \
    X(failback, dwell_from, CHOICE, CLIENT, RGN_DWELL_FIRST_FAILURE, 0, 2, "AZURE_COSMOS_PPCB_FAILBACK_DWELL_FROM",    \
      "first_failure|trip|last_failure", "the instant from which the dwell is measured")                               \
    X(failback, partition_unavailability_duration, DURATION, CLIENT, RGN_S_(5), 0, RGN_DUR_MAX_,                       \
      "AZURE_COSMOS_PPCB_PARTITION_UNAVAILABILITY_DURATION_MS", "",                                                    \
      "the dwell; a jitter drawn from 0 to half of it is added")                                                       \
    X(failback, dwell_doublings, COUNT, CLIENT, 0, 0, 16, "AZURE_COSMOS_PPCB_FAILBACK_DWELL_DOUBLINGS", "",            \
      "each earlier trip or re-trip that the partition remembers doubles the dwell, at most so many times")            \
    X(failback, trip_memory, DURATION, CLIENT, RGN_S_(600), RGN_MS_(1), RGN_DUR_MAX_,                                  \
      "AZURE_COSMOS_PPCB_FAILBACK_TRIP_MEMORY_MS", "",                                                                 \
      "a partition forgets one of these trips whenever so long has passed without another")                            \
    X(failback, sweep_interval, DURATION, CLIENT, RGN_S_(300), RGN_S_(1), RGN_DUR_MAX_,                                \
      "AZURE_COSMOS_PPCB_FAILBACK_SWEEP_INTERVAL_MS", "", "period of the client's background sweep")                   \
    X(failback, canary_timeout, DURATION, OPERATION, RGN_AUTO, RGN_AUTO, RGN_DUR_MAX_,                                 \
      "AZURE_COSMOS_PPCB_FAILBACK_CANARY_TIMEOUT_MS", "",                                                              \
      "a canary attempt's timeout; auto: half of what remains of the deadline, at most the request timeout")           \
    X(failback, lost_race, CHOICE, CLIENT, RGN_LOST_RACE_FAILURE, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_LOST_RACE",        \
      "failure|neutral", "what a canary is to the sample when its hedge wins first")                                   \
    X(failback, hedge_trip_evidence, CHOICE, CLIENT, RGN_EVIDENCE_BY_STATUS, 0, 1,                                     \
      "AZURE_COSMOS_PPCB_FAILBACK_HEDGE_TRIP_EVIDENCE", "status|status_and_latency",                                   \
      "after a trip by hedge wins: a canary succeeds by its answer, or only if that came within the hedge threshold")  \
    X(failover, cut_writes, COUNT, CLIENT, 0, 0, RGN_COUNT_MAX_, "AZURE_COSMOS_FAILOVER_CUT_WRITES", "",               \
      "writes under automatic failover that the deadline or the application has cut and that move their partition's "  \
      "writes, like one that failed; 0: none do (.NET: 6, Java: 11)")                                                  \
    X(failover, cut_window, DURATION, CLIENT, RGN_S_(300), 0, RGN_DUR_MAX_, "AZURE_COSMOS_FAILOVER_CUT_WINDOW_MS", "", \
      "how long cut writes are remembered")                                                                            \
    X(failover, cut_window_from, CHOICE, CLIENT, RGN_CUT_WINDOW_LAST, 0, 1, "AZURE_COSMOS_FAILOVER_CUT_WINDOW_FROM",   \
      "last|first", "that is measured from the last cut write (.NET), or from the first that is remembered (Java)")    \
    X(routing, rules, CHOICE, CLIENT, RGN_ROUTING_DOCUMENTED, 0, 2, "AZURE_COSMOS_ROUTING_RULES",                      \
      "documented|driver|java", "rule set that turns lists, exclusions, marks and trips into a region")                \
    X(endpoint, unavailability_ttl, DURATION, CLIENT, RGN_S_(60), 0, RGN_DUR_MAX_,                                     \
      "AZURE_COSMOS_ENDPOINT_UNAVAILABLE_TTL_MS", "", "how long a marked endpoint is avoided")                         \
    X(endpoint, aged_mark, CHOICE, CLIENT, RGN_AGED_MARK_HOLD, 0, 1, "AZURE_COSMOS_ENDPOINT_AGED_MARK",                \
      "hold|release",                                                                                                  \
      "where endpoints are probed: a mark older than endpoint.unavailability_ttl keeps requests away until a probe "   \
      "takes it, or (driver) lets them through")                                                                       \
    X(retry, max_failover_retry_count, COUNT, OPERATION, 3, 0, 100, "AZURE_COSMOS_MAX_FAILOVER_RETRY_COUNT", "",       \
      "retries in another region for one operation")                                                                   \
    X(retry, max_session_retry_count, COUNT, OPERATION, RGN_AUTO, RGN_AUTO, 100,                                       \
      "AZURE_COSMOS_MAX_SESSION_RETRY_COUNT", "",                                                                      \
      "retries after 404/1002; auto: 2 with one write region, else the number of regions")                             \
    X(retry, request_timeout, DURATION, OPERATION, RGN_S_(6), RGN_MS_(1), RGN_S_(65),                                  \
      "AZURE_COSMOS_CONNECTION_POOL_MAX_DATAPLANE_REQUEST_TIMEOUT_MS", "", "one attempt's timeout")                    \
    X(retry, max_throttle_retry_count, COUNT, OPERATION, 18, 0, 100, "AZURE_COSMOS_MAX_THROTTLE_RETRY_COUNT", "",      \
      "retries in the same region after 429, for one attempt")                                                         \
    X(retry, max_throttle_wait, DURATION, OPERATION, RGN_S_(270), 0, RGN_DUR_MAX_,                                     \
      "AZURE_COSMOS_RETRY_MAX_THROTTLE_WAIT_MS", "", "longest total wait between those retries")                       \
    X(retry, max_metadata_throttle_retry_count, COUNT, OPERATION, RGN_AUTO, RGN_AUTO, 100,                             \
      "AZURE_COSMOS_RETRY_MAX_METADATA_THROTTLE_RETRY_COUNT", "",                                                      \
      "the same count for requests of metadata; auto: as for all others")                                              \
    X(retry, max_metadata_throttle_wait, DURATION, OPERATION, RGN_AUTO, RGN_AUTO, RGN_DUR_MAX_,                        \
      "AZURE_COSMOS_RETRY_MAX_METADATA_THROTTLE_WAIT_MS", "", "their longest total wait; auto: as for all others")     \
    X(retry, max_metadata_throttle_delay, DURATION, OPERATION, RGN_AUTO, RGN_AUTO, RGN_DUR_MAX_,                       \
      "AZURE_COSMOS_RETRY_MAX_METADATA_THROTTLE_DELAY_MS", "",                                                         \
      "their longest single wait; auto: 15 s, as for all others")                                                      \
    X(retry, exhausted_failures, CHOICE, OPERATION, RGN_EXHAUSTED_COUNT, 0, 1,                                         \
      "AZURE_COSMOS_RETRY_EXHAUSTED_FAILURES", "count|ignore",                                                         \
      "a failure that finds its retry budget empty counts for the breaker, or (driver) does not")                      \
    X(retry, busy_region, CHOICE, OPERATION, RGN_BUSY_FAILOVER, 0, 1, "AZURE_COSMOS_RETRY_BUSY_REGION",                \
      "failover|back_off",                                                                                             \
      "429/3092 sends the operation elsewhere at once, or (driver) only after the region's 429 retries are used up")   \
    X(hedging, enabled, FLAG, OPERATION, RGN_AUTO, RGN_AUTO, 1, "AZURE_COSMOS_HEDGING_ENABLED", "",                    \
      "master switch: true and false beat hedging.strategy; auto leaves it to that")                                   \
    X(hedging, strategy, CHOICE, OPERATION, RGN_HEDGING_ON, 0, 1, "AZURE_COSMOS_HEDGING_STRATEGY", "hedge|disabled",   \
      "whether slow reads get a second leg in another region")                                                         \
    X(hedging, threshold, DURATION, OPERATION, RGN_AUTO, RGN_AUTO, RGN_DUR_MAX_, "AZURE_COSMOS_HEDGING_THRESHOLD_MS",  \
      "", "how long the primary may take before the hedge is sent; auto: half the operation's timeout, at most 1 s")   \
    X(hedging, metadata_threshold, DURATION, OPERATION, RGN_MS_(1500), RGN_MS_(1), RGN_DUR_MAX_,                       \
      "AZURE_COSMOS_HEDGING_METADATA_THRESHOLD_MS", "",                                                                \
      "the same for reads of metadata, whatever hedging.threshold and hedging.policy say")                             \
    X(hedging, policy, CHOICE, CLIENT, RGN_HEDGING_STATIC, 0, 2, "AZURE_COSMOS_HEDGING_POLICY",                        \
      "static|adaptive|naive",                                                                                         \
      "the threshold is fixed; follows a quantile of primary legs, cut ones counted as slow; or (to show how that "    \
      "fails) of completed legs only")                                                                                 \
    X(hedging, quantile, SHARE, CLIENT, 990000, 500000, 999900, "AZURE_COSMOS_HEDGING_QUANTILE", "",                   \
      "policies adaptive and naive: quantile of a region's latency that is the threshold, between 50 ms and 4 s")      \
    X(hedging, early_transient, CHOICE, OPERATION, RGN_EARLY_RETRY, 0, 1, "AZURE_COSMOS_HEDGING_EARLY_TRANSIENT",      \
      "retry|launch",                                                                                                  \
      "a primary that fails before the threshold is retried as without hedging, or (driver) launches the hedge")       \
    X(hedging, leg_retries, CHOICE, OPERATION, RGN_LEG_RETRIES_LOCAL, 0, 1, "AZURE_COSMOS_HEDGING_LEG_RETRIES",        \
      "local|none", "a leg that fails is retried in its region, as often as failover allows, or (driver) never")       \
    X(hedging, primary_failure, CHOICE, OPERATION, RGN_PRIMARY_FAILURE_TRANSIENT, 0, 1,                                \
      "AZURE_COSMOS_HEDGING_PRIMARY_FAILURE", "transient|final",                                                       \
      "a primary that has failed for good leaves the race to the hedge, or (Java) ends the operation")                 \
    X(hedging, refused_hub, CHOICE, OPERATION, RGN_REFUSED_HUB_TRANSIENT, 0, 1, "AZURE_COSMOS_HEDGING_REFUSED_HUB",    \
      "transient|final",                                                                                               \
      "403/3 to a leg that looks for the partition's hub leaves the race to the other leg, or (driver) wins it")       \
    X(hedging, account_not_found, CHOICE, OPERATION, RGN_NOT_FOUND_FINAL, 0, 1,                                        \
      "AZURE_COSMOS_HEDGING_ACCOUNT_NOT_FOUND", "final|transient",                                                     \
      "403/1008 to a leg of a race ends it like any other 403, or (driver) leaves it to the other leg")                \
    X(hedging, early_final, CHOICE, OPERATION, RGN_EARLY_FINAL_RETRY, 0, 1, "AZURE_COSMOS_HEDGING_EARLY_FINAL",        \
      "retry|return",                                                                                                  \
      "403/3, 501 and 505 before the threshold are retried as without hedging, or (driver) are the caller's answer")   \
    X(hedging, both_transient, CHOICE, OPERATION, RGN_BOTH_TRANSIENT_ATTEMPT, 0, 2,                                    \
      "AZURE_COSMOS_HEDGING_BOTH_TRANSIENT", "attempt|two_failovers|end",                                              \
      "a race that nobody wins costs what its last answer costs an attempt, or (driver) two failovers, or (.NET) "     \
      "ends "                                                                                                          \
      "the operation with the later answer")                                                                           \
    X(hedging, exhausted_race, CHOICE, OPERATION, RGN_EXHAUSTED_RACE_ANSWER, 0, 1,                                     \
      "AZURE_COSMOS_HEDGING_EXHAUSTED_RACE", "answer|unavailable",                                                     \
      "such a race with no retry left ends the operation with its last answer, or (driver) with 503/20003")            \
    X(hedging, session_race, CHOICE, OPERATION, RGN_SESSION_RACE_WRITE_LIST, 0, 1,                                     \
      "AZURE_COSMOS_HEDGING_SESSION_RACE", "write_list|preferred",                                                     \
      "such a race that ended in 404/1002 sends a single-write account's read to the write list, or (driver) does "    \
      "not")                                                                                                           \
    X(hedging, metadata_error, CHOICE, OPERATION, RGN_METADATA_ERROR_FINAL, 0, 1,                                      \
      "AZURE_COSMOS_HEDGING_METADATA_ERROR", "final|transient",                                                        \
      "a final error to the hedge of a metadata read ends the race, or (driver) leaves it to the primary")             \
    X(hedging, races_per_operation, COUNT, OPERATION, 1, 1, 15, "AZURE_COSMOS_HEDGING_RACES_PER_OPERATION", "",        \
      "how many attempts of one operation may be hedged")                                                              \
    X(hedging, secondary, CHOICE, OPERATION, RGN_SECONDARY_SECOND, 0, 2, "AZURE_COSMOS_HEDGING_SECONDARY",             \
      "second|first_distinct|first_distinct_untripped",                                                                \
      "the hedge's region: the second allowed one; (driver) the first that is not the primary's; the first such one "  \
      "that has not failed")                                                                                           \
    X(hedging, max_alternates, COUNT, OPERATION, 1, 1, 7, "AZURE_COSMOS_HEDGING_MAX_ALTERNATES", "",                   \
      "most hedges of one race, each in a region of its own: one, or (.NET, Java) as many as there are other regions") \
    X(hedging, threshold_step, DURATION, OPERATION, RGN_MS_(500), 0, RGN_TIME_NEVER,                                   \
      "AZURE_COSMOS_HEDGING_THRESHOLD_STEP_MS", "",                                                                    \
      "how long after a hedge the next one is sent, while none has won; never: only when legs have failed")            \
    X(hedging, writes, FLAG, OPERATION, 0, 0, 1, "AZURE_COSMOS_HEDGING_WRITES", "",                                    \
      "(.NET, Java, where asked for) writes are hedged too, on accounts with several write regions")                   \
    X(hedging, leg_exclusions, CHOICE, OPERATION, RGN_LEG_EXCLUSIONS_UNION, 0, 1,                                      \
      "AZURE_COSMOS_HEDGING_LEG_EXCLUSIONS", "union|replace",                                                          \
      "a hedge keeps to its region, or (.NET) forgets the caller's exclusions, so that an excluded region that the "   \
      "caller would prefer to its own takes it")                                                                       \
    X(hedging, activation, CHOICE, OPERATION, RGN_ACTIVATION_ALWAYS, 0, 1, "AZURE_COSMOS_HEDGING_ACTIVATION",          \
      "always|with_automatic_failover",                                                                                \
      "hedging is on for every account, or (.NET, Java) only where automatic failover is")                             \
    X(hedging, operations, CHOICE, OPERATION, RGN_HEDGED_POINT_READS, 0, 2, "AZURE_COSMOS_HEDGING_OPERATIONS",         \
      "point_reads|feeds_and_metadata|point_reads_and_metadata",                                                       \
      "reads that are hedged: point reads; feeds and metadata, too; (driver) metadata, too, but no feeds")             \
    X(hedging, preferred_regions, CHOICE, OPERATION, RGN_PREFERRED_REGIONS_NAMED, 0, 1,                                \
      "AZURE_COSMOS_HEDGING_PREFERRED_REGIONS", "named|any",                                                           \
      "hedging takes preferred regions that the caller has named, or (driver) does with the account's order")          \
    X(hedging, later_race, CHOICE, OPERATION, RGN_LATER_RACE_ANY, 0, 1, "AZURE_COSMOS_HEDGING_LATER_RACE",             \
      "any|funded",                                                                                                    \
      "an attempt after a failed one races like the first, or (driver) only at once and with two failovers left")      \
    X(hedging, primary_hub, CHOICE, OPERATION, RGN_PRIMARY_HUB_ASK, 0, 1, "AZURE_COSMOS_HEDGING_PRIMARY_HUB",          \
      "ask|omit",                                                                                                      \
      "the primary leg of a read that looks for the hub says so like every other send, or (driver) never does")        \
    X(hedging, budget_concurrent, COUNT, CLIENT, RGN_COUNT_MAX_, 0, RGN_COUNT_MAX_,                                    \
      "AZURE_COSMOS_HEDGING_BUDGET_CONCURRENT", "", "most hedges in flight at a time; one more is refused")            \
    X(hedging, budget_metadata, COUNT, CLIENT, RGN_COUNT_MAX_, 0, RGN_COUNT_MAX_,                                      \
      "AZURE_COSMOS_HEDGING_BUDGET_METADATA", "",                                                                      \
      "most metadata reads at a time that may be hedged, from their start on; one more is not (driver: 32)")           \
    X(hedging, budget_share, SHARE, CLIENT, 1000000, 0, 1000000, "AZURE_COSMOS_HEDGING_BUDGET_SHARE", "",              \
      "most hedges as a share of operations that may be hedged, ten more at once; one more is refused")                \
    X(gateway, client_override, FLAG, CLIENT, 0, 0, 1, "AZURE_COSMOS_GATEWAY_CLIENT_OVERRIDE", "",                     \
      "the client heeds neither the account's hedging switch nor its automatic failover")                              \
    X(gateway, absent, CHOICE, CLIENT, RGN_GATEWAY_ABSENT_KEEPS, 0, 1, "AZURE_COSMOS_GATEWAY_ABSENT", "keep|allow",    \
      "a refresh without the hedging switch is no signal, or (Java) says that hedging is allowed")                     \
    X(gateway, activation, CHOICE, CLIENT, RGN_ACTIVATION_ALWAYS, 0, 1, "AZURE_COSMOS_GATEWAY_ACTIVATION",             \
      "always|with_automatic_failover",                                                                                \
      "the hedging switch counts for every account, or (Java) only while automatic failover is on")                    \
    X(gateway, enforcement, CHOICE, CLIENT, RGN_GATEWAY_STASHES, 0, 1, "AZURE_COSMOS_GATEWAY_ENFORCEMENT",             \
      "stash|mask",                                                                                                    \
      "the switch puts the client's strategy away until it is thrown back, or (Java) only keeps operations from it")   \
    X(gateway, refresh_interval, DURATION, CLIENT, RGN_S_(300), RGN_S_(1), RGN_DUR_MAX_,                               \
      "AZURE_COSMOS_GATEWAY_REFRESH_INTERVAL_MS", "", "period at which the client reads the account")                  \
    X(gateway, refresh_lease, DURATION, CLIENT, RGN_S_(5), 0, RGN_DUR_MAX_, "AZURE_COSMOS_GATEWAY_REFRESH_LEASE_MS",   \
      "", "failures that ask for another reading of the account are not heard for this long after one that was")

typedef struct {
#define RGN_KNOB_FIELD(group, field, type, reach, def, min, max, env, choices, meaning) int64_t group##_##field;
    RGN_KNOBS(RGN_KNOB_FIELD)
#undef RGN_KNOB_FIELD
} rgn_options;

typedef enum {
#define RGN_KNOB_ENUM(group, field, type, reach, def, min, max, env, choices, meaning) RGN_KNOB_##group##_##field,
    RGN_KNOBS(RGN_KNOB_ENUM)
#undef RGN_KNOB_ENUM
        RGN_KNOB_COUNT
} rgn_knob_id;

typedef struct {
    const char *name; /* "failback.min_sample" */
    rgn_knob_type type;
    rgn_knob_reach reach;
    int64_t initial, min, max;
    const char *environment; /* variable name, or "" */
    const char *choices;     /* "restart|dwell|judge", or "" */
    const char *meaning;
} rgn_knob;

/* The table as data, in the order of RGN_KNOBS; `id` < RGN_KNOB_COUNT. */
RGN_API const rgn_knob *rgn_knob_at(rgn_knob_id id);

/* The second public name of the knob's variable, or "": both are read, and it is an error if they differ. */
RGN_API const char *rgn_knob_second_variable(rgn_knob_id id);

/* The knob of that full name; RGN_KNOB_COUNT if there is none. */
RGN_API rgn_knob_id rgn_knob_find(const char *name);

RGN_API int64_t rgn_options_get(const rgn_options *options, rgn_knob_id id);
RGN_API void rgn_options_set(rgn_options *options, rgn_knob_id id, int64_t value);

/* Every knob at its default. */
RGN_API void rgn_options_default(rgn_options *options);

/* RGN_OK, or RGN_ERR_RANGE with `*wrong` (may be NULL) the first knob out of range; failback.retrip_floor is also
 * out of range above failback.success_threshold, and with failback.decide sequential at 0 and at the threshold;
 * hedging.threshold is at 0. */
RGN_API rgn_status rgn_options_validate(const rgn_options *options, rgn_knob_id *wrong);

/* Where an effective value came from. The numbers reach files. */
typedef enum {
    RGN_LAYER_DEFAULT = 0,
    RGN_LAYER_ENVIRONMENT = 1,
    RGN_LAYER_RUNTIME = 2,
    RGN_LAYER_ACCOUNT = 3,
    RGN_LAYER_OPERATION = 4,
    RGN_LAYER_OVERRIDE = 5, /* the environment's <VARIABLE>_OVERRIDE */
} rgn_layer;

/* The layer's name as databases and reports spell it; "?" for a number that is none. */
RGN_API const char *rgn_layer_name(rgn_layer layer);

/* Looks an environment variable up for the core; NULL if it is not set. The text must live as long as the call that
 * asked for it. */
typedef struct {
    const char *(*lookup)(void *context, const char *variable);
    void *context;
} rgn_environment;

/* One layer's values: those knobs whose `is_set` is true. */
typedef struct {
    rgn_options values;
    bool is_set[RGN_KNOB_COUNT];
} rgn_option_layer;

typedef struct {
    rgn_options values;
    uint8_t origin[RGN_KNOB_COUNT]; /* rgn_layer of each value */
} rgn_effective_options;

typedef struct {
    rgn_knob_id knob;     /* RGN_KNOB_COUNT if none is to blame */
    const char *variable; /* the environment variable at fault, or NULL */
    const char *text;     /* its value */
    const char *differs;  /* the knob's first variable, where `variable` is its second and says otherwise; else NULL */
} rgn_options_error;

/* Resolves OVERRIDE environment > operation > account > runtime > environment > default, knob by knob.
 * Any layer and `environment` may be NULL. On an environment value that does not parse or lies out of range, and on a
 * result that rgn_options_validate() refuses: RGN_ERR_RANGE and `*error` says which; `*out` is then undefined.
 * Environment syntax: FLAG true/false/1/0, DURATION whole milliseconds, SHARE a decimal ratio such as 0.9, CHOICE its
 * name, others whole numbers. <VARIABLE>_OVERRIDE exists for FLAG knobs. */
RGN_API rgn_status rgn_options_resolve(const rgn_option_layer *operation, const rgn_option_layer *account,
                                       const rgn_option_layer *runtime, const rgn_environment *environment,
                                       rgn_effective_options *out, rgn_options_error *error);

#ifdef __cplusplus
}
#endif
#endif
