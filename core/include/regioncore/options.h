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

#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RGN_AUTO (-1) /* the value follows from others; each knob's text says how */

typedef enum { RGN_FLAG, RGN_COUNT, RGN_DURATION, RGN_SHARE, RGN_PERCENT, RGN_CHOICE } rgn_knob_type;

enum { RGN_RULE_WINDOWED, RGN_RULE_CONSECUTIVE, RGN_RULE_SHARE };         /* breaker.rule */
enum { RGN_TALLY_PER_REGION, RGN_TALLY_SHARED };                          /* breaker.tally */
enum { RGN_UNTRIPPED_DROP, RGN_UNTRIPPED_KEEP };                          /* breaker.untripped_entries */
enum { RGN_STRATEGY_SUCCESS_RATE, RGN_STRATEGY_PROBE };                   /* failback.strategy */
enum { RGN_PROBE_ONE, RGN_PROBE_ALL };                                    /* failback.probe_admission */
enum { RGN_FAILED_PROBE_RETRIP, RGN_FAILED_PROBE_UNTRIP };                /* failback.failed_probe */
enum { RGN_SAMPLER_COUNTER, RGN_SAMPLER_HASH };                           /* failback.sampler */
enum { RGN_DECIDE_EVERY, RGN_DECIDE_MIN_SAMPLE, RGN_DECIDE_WINDOW_END };  /* failback.decide */
enum { RGN_PENDING_COMPLETED, RGN_PENDING_COUNTED };                      /* failback.pending */
enum { RGN_EXPIRY_RESTART, RGN_EXPIRY_DWELL, RGN_EXPIRY_JUDGE };          /* failback.window_expiry */
enum { RGN_PROMOTE_SWEEP, RGN_PROMOTE_DUE };                              /* failback.promote */
enum { RGN_DWELL_FIRST_FAILURE, RGN_DWELL_TRIP, RGN_DWELL_LAST_FAILURE }; /* failback.dwell_from */
enum { RGN_ROUTING_DOCUMENTED, RGN_ROUTING_DRIVER };                      /* routing.rules */
enum { RGN_EXHAUSTED_COUNT, RGN_EXHAUSTED_IGNORE };                       /* retry.exhausted_failures */

#define RGN_MS_(n) ((n)*RGN_NS_PER_MS)
#define RGN_S_(n) ((n)*RGN_NS_PER_S)
#define RGN_COUNT_MAX_ INT64_C(2147483647)
#define RGN_DUR_MAX_ RGN_S_(INT64_C(31557600)) /* a year */

/* X(group, field, TYPE, default, minimum, maximum, environment variable or "", choices or "", meaning) */
#define RGN_KNOBS(X)                                                                                                   \
    X(breaker, enabled, FLAG, 1, 0, 1, "AZURE_COSMOS_PPCB_ENABLED", "",                                                \
      "the per-partition circuit breaker is on")                                                                       \
    X(breaker, read_failure_threshold, COUNT, 10, 1, RGN_COUNT_MAX_, "AZURE_COSMOS_PPCB_READ_FAILURE_THRESHOLD", "",   \
      "read failures that trip a partition")                                                                           \
    X(breaker, write_failure_threshold, COUNT, 5, 1, RGN_COUNT_MAX_, "AZURE_COSMOS_PPCB_WRITE_FAILURE_THRESHOLD", "",  \
      "write failures that trip a partition")                                                                          \
    X(breaker, counter_reset_window, DURATION, RGN_S_(300), RGN_S_(1), RGN_DUR_MAX_,                                   \
      "AZURE_COSMOS_PPCB_COUNTER_RESET_WINDOW_MS", "", "counts are cleared when the last failure is older than this")  \
    X(breaker, rule, CHOICE, RGN_RULE_WINDOWED, 0, 2, "AZURE_COSMOS_PPCB_RULE", "windowed|consecutive|share",          \
      "what trips: failures in the window; failures with no success between; failures that also are a share of all")   \
    X(breaker, failure_share, SHARE, 900000, 1, 1000000, "AZURE_COSMOS_PPCB_FAILURE_SHARE", "",                        \
      "rule share: failures / (failures + successes) that it takes to trip")                                           \
    X(breaker, alternate_failures, COUNT, 1, 1, RGN_COUNT_MAX_, "AZURE_COSMOS_PPCB_ALTERNATE_FAILURES", "",            \
      "failures at another region that make it join the failed ones once the partition is tripped")                    \
    X(breaker, tally, CHOICE, RGN_TALLY_PER_REGION, 0, 1, "AZURE_COSMOS_PPCB_TALLY", "per_region|shared",              \
      "failures are counted for each region, or (driver) for all regions of the partition together")                   \
    X(breaker, untripped_entries, CHOICE, RGN_UNTRIPPED_DROP, 0, 1, "AZURE_COSMOS_PPCB_UNTRIPPED_ENTRIES",             \
      "drop|keep", "the sweep drops untripped entries that went stale, or (driver) keeps and promotes them")           \
    X(failback, strategy, CHOICE, RGN_STRATEGY_SUCCESS_RATE, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_STRATEGY",              \
      "success_rate|probe", "a sample of canaries decides, or one request does")                                       \
    X(failback, probe_admission, CHOICE, RGN_PROBE_ONE, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PROBE_ADMISSION",            \
      "one|all", "strategy probe: one request goes home, or (driver) all do until one result decides")                 \
    X(failback, failed_probe, CHOICE, RGN_FAILED_PROBE_RETRIP, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_FAILED_PROBE",        \
      "retrip|untrip",                                                                                                 \
      "a failed probe trips again, or (driver: a trip is derived from the counts) starts counting from zero")          \
    X(failback, sampler, CHOICE, RGN_SAMPLER_COUNTER, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_SAMPLER", "counter|hash",      \
      "which operations are canaries: exactly the share, evenly spread, or by the operation's hash")                   \
    X(failback, canary_percentage, PERCENT, 10, 1, 100, "AZURE_COSMOS_PPCB_FAILBACK_CANARY_PERCENTAGE", "",            \
      "share of a recovering partition's operations sent to the original region")                                      \
    X(failback, min_sample, COUNT, 10, 1, RGN_COUNT_MAX_, "AZURE_COSMOS_PPCB_FAILBACK_MIN_SAMPLE", "",                 \
      "canary results before the ratio is looked at")                                                                  \
    X(failback, success_threshold, SHARE, 900000, 1, 1000000, "AZURE_COSMOS_PPCB_FAILBACK_SUCCESS_THRESHOLD", "",      \
      "success ratio of the sample at or above which the partition fails back")                                        \
    X(failback, retrip_floor, SHARE, 500000, 0, 1000000, "AZURE_COSMOS_PPCB_FAILBACK_RETRIP_FLOOR", "",                \
      "success ratio of the sample below which the partition trips again; at most the success threshold; 0: never")    \
    X(failback, eval_window, DURATION, RGN_S_(60), RGN_MS_(1), RGN_DUR_MAX_,                                           \
      "AZURE_COSMOS_PPCB_FAILBACK_EVAL_WINDOW_MS", "", "how long one sample is collected")                             \
    X(failback, decide, CHOICE, RGN_DECIDE_EVERY, 0, 2, "AZURE_COSMOS_PPCB_FAILBACK_DECIDE",                           \
      "every|min_sample|window_end",                                                                                   \
      "when the ratio is compared: at every result from the minimum sample on, only at it, or at the window's end")    \
    X(failback, pending, CHOICE, RGN_PENDING_COMPLETED, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PENDING",                    \
      "completed|counted", "canaries in flight are left out of the ratio, or weigh on it as if they had failed")       \
    X(failback, window_expiry, CHOICE, RGN_EXPIRY_RESTART, 0, 2, "AZURE_COSMOS_PPCB_FAILBACK_WINDOW_EXPIRY",           \
      "restart|dwell|judge",                                                                                           \
      "an undecided window: start a new one; dwell again; trip again if the ratio is below the threshold")             \
    X(failback, low_traffic_windows, COUNT, 0, 0, 65535, "AZURE_COSMOS_PPCB_FAILBACK_LOW_TRAFFIC_WINDOWS", "",         \
      "windows in a row below the minimum sample after which one canary decides; 0: never")                            \
    X(failback, recovering_max, DURATION, RGN_TIME_NEVER, 0, RGN_TIME_NEVER,                                           \
      "AZURE_COSMOS_PPCB_FAILBACK_RECOVERING_MAX_MS", "", "longest recovery; one that takes longer trips again")        \
    X(failback, promote, CHOICE, RGN_PROMOTE_SWEEP, 0, 1, "AZURE_COSMOS_PPCB_FAILBACK_PROMOTE", "sweep|due",           \
      "recovery begins at the first sweep after the dwell, or exactly when the dwell is over")                         \
    X(failback, dwell_from, CHOICE, RGN_DWELL_FIRST_FAILURE, 0, 2, "AZURE_COSMOS_PPCB_FAILBACK_DWELL_FROM",            \
      "first_failure|trip|last_failure", "the instant from which the dwell is measured")                               \
    X(failback, partition_unavailability_duration, DURATION, RGN_S_(5), 0, RGN_DUR_MAX_,                               \
      "AZURE_COSMOS_PPCB_PARTITION_UNAVAILABILITY_DURATION_MS", "",                                                    \
      "the dwell; a jitter drawn from 0 to half of it is added")                                                       \
    X(failback, sweep_interval, DURATION, RGN_S_(300), RGN_S_(1), RGN_DUR_MAX_,                                        \
      "AZURE_COSMOS_PPCB_FAILBACK_SWEEP_INTERVAL_MS", "", "period of the client's background sweep")                   \
    X(failback, canary_timeout, DURATION, RGN_AUTO, RGN_AUTO, RGN_DUR_MAX_,                                            \
      "AZURE_COSMOS_PPCB_FAILBACK_CANARY_TIMEOUT_MS", "",                                                              \
      "a canary attempt's timeout; auto: half of what remains of the deadline, at most the request timeout")           \
    X(routing, rules, CHOICE, RGN_ROUTING_DOCUMENTED, 0, 1, "AZURE_COSMOS_ROUTING_RULES", "documented|driver",         \
      "rule set that turns lists, exclusions, marks and trips into a region")                                          \
    X(endpoint, unavailability_ttl, DURATION, RGN_S_(60), 0, RGN_DUR_MAX_, "AZURE_COSMOS_ENDPOINT_UNAVAILABLE_TTL_MS", \
      "", "how long a marked endpoint is avoided")                                                                     \
    X(retry, max_failover_retry_count, COUNT, 3, 0, 100, "AZURE_COSMOS_MAX_FAILOVER_RETRY_COUNT", "",                  \
      "retries in another region for one operation")                                                                   \
    X(retry, max_session_retry_count, COUNT, RGN_AUTO, RGN_AUTO, 100, "AZURE_COSMOS_MAX_SESSION_RETRY_COUNT", "",      \
      "retries after 404/1002; auto: 2 with one write region, else the number of regions")                             \
    X(retry, request_timeout, DURATION, RGN_S_(6), RGN_MS_(1), RGN_S_(65),                                             \
      "AZURE_COSMOS_CONNECTION_POOL_MAX_DATAPLANE_REQUEST_TIMEOUT_MS", "", "one attempt's timeout")                    \
    X(retry, max_throttle_retry_count, COUNT, 18, 0, 100, "AZURE_COSMOS_MAX_THROTTLE_RETRY_COUNT", "",                 \
      "retries in the same region after 429, for one attempt")                                                         \
    X(retry, max_throttle_wait, DURATION, RGN_S_(270), 0, RGN_DUR_MAX_, "AZURE_COSMOS_RETRY_MAX_THROTTLE_WAIT_MS", "", \
      "longest total wait between those retries")                                                                      \
    X(retry, exhausted_failures, CHOICE, RGN_EXHAUSTED_COUNT, 0, 1, "AZURE_COSMOS_RETRY_EXHAUSTED_FAILURES",           \
      "count|ignore", "a failure that finds its retry budget empty counts for the breaker, or (driver) does not")

typedef struct {
#define RGN_KNOB_FIELD(group, field, type, def, min, max, env, choices, meaning) int64_t group##_##field;
    RGN_KNOBS(RGN_KNOB_FIELD)
#undef RGN_KNOB_FIELD
} rgn_options;

typedef enum {
#define RGN_KNOB_ENUM(group, field, type, def, min, max, env, choices, meaning) RGN_KNOB_##group##_##field,
    RGN_KNOBS(RGN_KNOB_ENUM)
#undef RGN_KNOB_ENUM
        RGN_KNOB_COUNT
} rgn_knob_id;

typedef struct {
    const char *name; /* "failback.min_sample" */
    rgn_knob_type type;
    int64_t initial, min, max;
    const char *environment; /* variable name, or "" */
    const char *choices;     /* "restart|dwell|judge", or "" */
    const char *meaning;
} rgn_knob;

/* The table as data, in the order of RGN_KNOBS; `id` < RGN_KNOB_COUNT. */
const rgn_knob *rgn_knob_at(rgn_knob_id id);

/* The knob of that full name; RGN_KNOB_COUNT if there is none. */
rgn_knob_id rgn_knob_find(const char *name);

int64_t rgn_options_get(const rgn_options *options, rgn_knob_id id);
void rgn_options_set(rgn_options *options, rgn_knob_id id, int64_t value);

/* Every knob at its default. */
void rgn_options_default(rgn_options *options);

/* RGN_OK, or RGN_ERR_RANGE with `*wrong` (may be NULL) the first knob out of range; failback.retrip_floor is also
 * out of range above failback.success_threshold. */
rgn_status rgn_options_validate(const rgn_options *options, rgn_knob_id *wrong);

/* Where an effective value came from. The numbers reach files. */
typedef enum {
    RGN_LAYER_DEFAULT = 0,
    RGN_LAYER_ENVIRONMENT = 1,
    RGN_LAYER_RUNTIME = 2,
    RGN_LAYER_ACCOUNT = 3,
    RGN_LAYER_OPERATION = 4,
    RGN_LAYER_OVERRIDE = 5, /* the environment's <VARIABLE>_OVERRIDE */
} rgn_layer;

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
} rgn_options_error;

/* Resolves OVERRIDE environment > operation > account > runtime > environment > default, knob by knob.
 * Any layer and `environment` may be NULL. On an environment value that does not parse or lies out of range, and on a
 * result that rgn_options_validate() refuses: RGN_ERR_RANGE and `*error` says which; `*out` is then undefined.
 * Environment syntax: FLAG true/false/1/0, DURATION whole milliseconds, SHARE a decimal ratio such as 0.9, CHOICE its
 * name, others whole numbers. <VARIABLE>_OVERRIDE exists for FLAG knobs. */
rgn_status rgn_options_resolve(const rgn_option_layer *operation, const rgn_option_layer *account,
                               const rgn_option_layer *runtime, const rgn_environment *environment,
                               rgn_effective_options *out, rgn_options_error *error);

#ifdef __cplusplus
}
#endif
#endif
