/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of one run, made from what the engine tells and from the ground truth.
 *
 * Operation metrics belong to the phase of the operation's intended start, transitions to the phase of their time.
 * Phases are half-open; phase 0 is `all`, phase i is scenario->phase[i - 1]. No samples: NULL, never 0.
 * Memory does not grow with the number of operations. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include <regioncore/regioncore.h>

#include "engine/engine.h"
#include "metrics/histogram.h"
#include "scenario/scenario.h"
#include "world/world.h"

/* Version of the definitions below. */
enum { SIM_METRIC_VERSION = 1 };

typedef enum { SIM_LOWER_IS_BETTER = -1, SIM_NEITHER = 0, SIM_HIGHER_IS_BETTER = 1 } sim_better;

/* X(identifier, unit, better, relative margin in ppm, meaning). The identifier is the metric's name. Order is that of
 * the database and of `list metrics`; names are final, new ones are appended. */
#define SIM_METRICS(X)                                                                                                 \
    X(requests, "operations", SIM_NEITHER, 10000, "operations that ended")                                             \
    X(availability, "share", SIM_HIGHER_IS_BETTER, 10000, "1 - errors / ended operations")                             \
    X(error_count, "operations", SIM_LOWER_IS_BETTER, 10000,                                                           \
      "operations whose caller saw 5xx, 408, 410, 429, 449, 403/3, 404/1002, a deadline, or no target")                \
    X(latency_p50, "ns", SIM_LOWER_IS_BETTER, 10000, "median latency of all ended operations, nearest rank")           \
    X(latency_p90, "ns", SIM_LOWER_IS_BETTER, 10000, "90th percentile of latency")                                     \
    X(latency_p95, "ns", SIM_LOWER_IS_BETTER, 10000, "95th percentile of latency")                                     \
    X(latency_p99, "ns", SIM_LOWER_IS_BETTER, 10000, "99th percentile of latency")                                     \
    X(latency_p999, "ns", SIM_LOWER_IS_BETTER, 10000, "99.9th percentile of latency")                                  \
    X(latency_p9999, "ns", SIM_LOWER_IS_BETTER, 10000, "99.99th percentile of latency")                                \
    X(latency_max, "ns", SIM_LOWER_IS_BETTER, 10000, "longest latency")                                                \
    X(latency_mean, "ns", SIM_LOWER_IS_BETTER, 10000, "mean latency")                                                  \
    X(latency_ok_p50, "ns", SIM_LOWER_IS_BETTER, 10000, "median latency of successes")                                 \
    X(latency_ok_p90, "ns", SIM_LOWER_IS_BETTER, 10000, "90th percentile of latency of successes")                     \
    X(latency_ok_p95, "ns", SIM_LOWER_IS_BETTER, 10000, "95th percentile of latency of successes")                     \
    X(latency_ok_p99, "ns", SIM_LOWER_IS_BETTER, 10000, "99th percentile of latency of successes")                     \
    X(latency_ok_p999, "ns", SIM_LOWER_IS_BETTER, 10000, "99.9th percentile of latency of successes")                  \
    X(latency_ok_p9999, "ns", SIM_LOWER_IS_BETTER, 10000, "99.99th percentile of latency of successes")                \
    X(latency_ok_max, "ns", SIM_LOWER_IS_BETTER, 10000, "longest latency of a success")                                \
    X(latency_ok_mean, "ns", SIM_LOWER_IS_BETTER, 10000, "mean latency of successes")                                  \
    X(interval_p99_mean, "ns", SIM_LOWER_IS_BETTER, 10000, "mean of the 99th percentiles of 30 s samples")             \
    X(trip_count, "departures", SIM_NEITHER, 10000,                                                                    \
      "departures: the share of a (client, partition)'s traffic that goes home falls below 100 %")                     \
    X(return_count, "returns", SIM_NEITHER, 10000, "the share at home is 100 % again, whatever the reason")            \
    X(failback_count, "returns", SIM_NEITHER, 10000, "returns by evidence: sample, single canary or probe")            \
    X(retrip_count, "recoveries", SIM_LOWER_IS_BETTER, 10000, "recoveries abandoned")                                  \
    X(drop_count, "returns", SIM_NEITHER, 10000,                                                                       \
      "returns for a reason other than evidence or promotion: exhausted, flag edge, ...")                              \
    X(flap_count, "departures", SIM_LOWER_IS_BETTER, 10000,                                                            \
      "departures within the flap window after a return of the same (client, partition, region)")                      \
    X(flap_rate, "share", SIM_LOWER_IS_BETTER, 10000,                                                                  \
      "flaps of those returns / returns earlier than end - flap window")                                               \
    X(endpoint_mark_count, "marks", SIM_NEITHER, 10000, "whole endpoints marked unavailable")                          \
    X(premature_failback_count, "returns", SIM_LOWER_IS_BETTER, 10000, "returns to a home that was unhealthy")         \
    X(false_trip_count, "departures", SIM_LOWER_IS_BETTER, 10000, "departures from a home that was healthy")           \
    X(missed_trip_count, "pairs", SIM_LOWER_IS_BETTER, 10000,                                                          \
      "(client, partition) unhealthy spans with a failed leg at home and no departure")                                \
    X(failback_lag_p50, "ns", SIM_LOWER_IS_BETTER, 10000, "median of return - max(true recovery, departure)")          \
    X(failback_lag_max, "ns", SIM_LOWER_IS_BETTER, 10000, "longest of return - max(true recovery, departure)")         \
    X(failback_pending_count, "pairs", SIM_LOWER_IS_BETTER, 10000,                                                     \
      "recoveries of the truth that met a relapse or the end before the return")                                       \
    X(away_healthy_s, "pair-seconds", SIM_LOWER_IS_BETTER, 10000,                                                      \
      "(client, partition)-seconds away from a healthy home")                                                          \
    X(home_unhealthy_s, "pair-seconds", SIM_LOWER_IS_BETTER, 10000,                                                    \
      "(client, partition)-seconds at an unhealthy home")                                                              \
    X(away_healthy_requests, "operations", SIM_LOWER_IS_BETTER, 10000, "operations started away from a healthy home")  \
    X(home_unhealthy_requests, "operations", SIM_LOWER_IS_BETTER, 10000, "operations started at an unhealthy home")    \
    X(detection_time_p50, "ns", SIM_LOWER_IS_BETTER, 10000,                                                            \
      "median of departure - max(fault onset, the pair's first request after it)")                                     \
    X(canary_count, "canaries", SIM_NEITHER, 10000, "canaries sent")                                                   \
    X(canary_failure_count, "canaries", SIM_LOWER_IS_BETTER, 10000, "canaries that failed")                            \
    X(canary_late_count, "canaries", SIM_NEITHER, 10000, "canary results that came after their window or entry")       \
    X(canary_caller_error_count, "operations", SIM_LOWER_IS_BETTER, 10000,                                             \
      "operations that began as canaries and ended in error")                                                          \
    X(canary_delay_p99, "ns", SIM_LOWER_IS_BETTER, 10000,                                                              \
      "99th percentile of the time from an operation's start to the retry after its failed canary")                    \
    X(canary_blast_radius, "share", SIM_LOWER_IS_BETTER, 10000, "failed canaries / operations")                        \
    X(canary_failure_ratio, "share", SIM_LOWER_IS_BETTER, 10000, "failed canaries / canaries")                         \
    X(clients_touched_share, "share", SIM_LOWER_IS_BETTER, 10000, "clients that lost a canary / clients")              \
    X(partitions_touched_share, "share", SIM_LOWER_IS_BETTER, 10000, "partitions that lost a canary / partitions")     \
    X(time_recovering_s, "pair-seconds", SIM_LOWER_IS_BETTER, 10000, "(client, partition)-seconds in recovery")        \
    X(load_amplification, "ratio", SIM_LOWER_IS_BETTER, 10000, "legs / operations")                                    \
    X(herd_peak, "ratio", SIM_LOWER_IS_BETTER, 10000,                                                                  \
      "most arrivals in 1 s at a recovering region within 10 min of its recovery / its mean in the last healthy "      \
      "minute")                                                                                                        \
    X(alternate_extra_load, "ratio", SIM_LOWER_IS_BETTER, 10000,                                                       \
      "another region's peak 1 s during a fault / its mean in the last healthy minute before")                         \
    X(all_open_s, "pair-seconds", SIM_LOWER_IS_BETTER, 10000,                                                          \
      "(client, partition)-seconds in which every region of the account had failed: from an exhaustion to the pair's " \
      "next departure, or to the end of the home region's unhealthy span")                                             \
    X(client_availability_p50, "share", SIM_HIGHER_IS_BETTER, 10000, "median over clients of their availability")      \
    X(client_availability_p05, "share", SIM_HIGHER_IS_BETTER, 10000, "5th percentile over clients")                    \
    X(client_availability_min, "share", SIM_HIGHER_IS_BETTER, 10000, "the worst client's availability")                \
    X(hedge_operations_primary_won, "operations", SIM_NEITHER, 10000,                                                  \
      "operations whose hedge race the primary won, before the threshold or after it")                                 \
    X(hedge_operations_alternate_won, "operations", SIM_NEITHER, 10000, "operations whose hedge won the race")         \
    X(hedge_operations_both_transient, "operations", SIM_LOWER_IS_BETTER, 10000,                                       \
      "operations whose hedge race had no winner, or was cut by the deadline with all legs open")                      \
    X(hedge_operations_disabled, "operations", SIM_NEITHER, 10000,                                                     \
      "operations that raced with nobody: hedging off, or not eligible")                                               \
    X(hedge_alternate_spawned, "hedges", SIM_NEITHER, 10000, "hedges launched")                                        \
    X(hedge_canceled_winner_found, "legs", SIM_NEITHER, 10000, "legs cut because another one had won")                 \
    X(hedge_canceled_deadline, "legs", SIM_NEITHER, 10000, "legs of races cut by the deadline")                        \
    X(hedge_canceled_app_canceled, "legs", SIM_NEITHER, 10000, "legs of races cut because the application gave up")    \
    X(hedge_refused, "operations", SIM_LOWER_IS_BETTER, 10000,                                                         \
      "operations whose hedge was refused: budget spent, or no other region left")                                     \
    X(hedge_state_primary_won_pre_threshold, "operations", SIM_NEITHER, 10000,                                         \
      "races that the primary won before the threshold")                                                               \
    X(hedge_state_deadline_pre_threshold, "operations", SIM_LOWER_IS_BETTER, 10000,                                    \
      "races that the deadline ended before the threshold")                                                            \
    X(hedge_state_primary_won_after_hedge, "operations", SIM_NEITHER, 10000,                                           \
      "races that the primary won after the hedge was launched")                                                       \
    X(hedge_state_alternate_won, "operations", SIM_NEITHER, 10000, "races that the hedge won")                         \
    X(hedge_state_both_transient, "operations", SIM_LOWER_IS_BETTER, 10000, "races in which all legs failed")          \
    X(hedge_state_both_transient_deadline, "operations", SIM_LOWER_IS_BETTER, 10000,                                   \
      "races that the deadline ended with all legs open")                                                              \
    X(hedge_state_cancelled_awaiting_partner, "operations", SIM_LOWER_IS_BETTER, 10000,                                \
      "races that the deadline ended with one leg failed")                                                             \
    X(hedge_state_ended_early, "operations", SIM_NEITHER, 10000,                                                       \
      "races left for an ordinary retry before the threshold")                                                         \
    X(hedging_on_p99_mean, "ns", SIM_LOWER_IS_BETTER, 10000,                                                           \
      "mean p99 of the 30 s samples in unhealthy times at whose end every client could hedge")                         \
    X(hedging_off_p99_mean, "ns", SIM_LOWER_IS_BETTER, 10000,                                                          \
      "the same of samples at whose end no client could hedge")                                                        \
    X(hedging_on_spawned, "hedges", SIM_NEITHER, 10000,                                                                \
      "hedges of operations that started in the samples of hedging_on_p99_mean")                                       \
    X(hedging_off_spawned, "hedges", SIM_NEITHER, 10000,                                                               \
      "hedges of operations that started in the samples of hedging_off_p99_mean, before the switch was known")         \
    X(hedging_p99_reduction, "share", SIM_HIGHER_IS_BETTER, 10000, "1 - hedging_on_p99_mean / hedging_off_p99_mean")   \
    X(strategy_change_count, "changes", SIM_NEITHER, 10000,                                                            \
      "times that a client's hedging strategy came into force or ceased to be")                                        \
    X(ru_winner, "RU", SIM_NEITHER, 10000, "request units of the answers that callers got: what they are charged")     \
    X(ru_total, "RU", SIM_LOWER_IS_BETTER, 10000,                                                                      \
      "request units of every attempt that a region served, losers of races included: what the account pays")          \
    X(ru_amplification, "ratio", SIM_LOWER_IS_BETTER, 10000, "request units of all attempts / of callers' answers")    \
    X(session_unavailable_count, "attempts", SIM_LOWER_IS_BETTER, 10000,                                               \
      "attempts that a region answered with 404/1002, for it lagged behind the session")                               \
    X(server_utilisation, "share", SIM_NEITHER, 10000,                                                                 \
      "busy time / all servers' time, of the region where it is highest; where regions have servers")                  \
    X(queue_peak, "attempts", SIM_LOWER_IS_BETTER, 10000, "most attempts that waited in one region at one instant")    \
    X(turned_away_count, "attempts", SIM_LOWER_IS_BETTER, 10000,                                                       \
      "attempts that met a full queue, or no capacity at all, and were answered 503 at once")                          \
    X(throttled_count, "attempts", SIM_LOWER_IS_BETTER, 10000,                                                         \
      "attempts that met spent request units and were answered 429/3200 at once")                                      \
    X(application_retry_count, "operations", SIM_NEITHER, 10000,                                                       \
      "operations that applications made anew after an error; of the run as a whole")

typedef enum {
#define SIM_METRIC_ENUM(identifier, unit, better, margin, meaning) SIM_METRIC_##identifier,
    SIM_METRICS(SIM_METRIC_ENUM)
#undef SIM_METRIC_ENUM
        SIM_METRIC_COUNT
} sim_metric_id;

typedef struct {
    const char *name;
    const char *unit;
    sim_better better;
    uint32_t margin_ppm; /* relevance margin, relative */
    const char *meaning;
} sim_metric_definition;

const sim_metric_definition *sim_metric_at(sim_metric_id id);
/* SIM_METRIC_COUNT if there is none of that name. */
sim_metric_id sim_metric_find(const char *name);

typedef struct {
    double value;
    uint64_t samples;
    bool is_null;
    bool is_censored; /* a percentile that falls among the censored: NULL, known to be at least `value` */
} sim_metric_value;

/* One row of the time series. Latencies -1: no samples. */
typedef struct {
    int64_t start;
    uint64_t requests;
    uint64_t errors;
    int64_t latency_p50;
    int64_t latency_p99;
    int64_t latency_max;
    uint64_t legs;
    uint64_t hedges; /* launched */
    uint64_t canaries;
    uint64_t canary_failures;
    uint64_t departures;
    uint64_t returns;
    uint64_t retrips;
    uint64_t pairs_away;                   /* at the interval's end */
    uint64_t pairs_recovering;             /* at the interval's end */
    uint32_t region_legs[RGN_REGIONS_MAX]; /* legs that arrived at each region */
} sim_interval_row;

typedef struct {
    uint32_t client;
    rgn_transition transition;
} sim_transition_row;

typedef struct {
    uint32_t phase_count;     /* with `all` */
    sim_metric_value *metric; /* [phase * SIM_METRIC_COUNT + metric] */
    sim_histogram *ok;        /* latency of successes, one for each phase */
    sim_histogram *failed;    /* of the other ended operations */
    size_t interval_count;
    sim_interval_row *interval;
    size_t transition_count;
    sim_transition_row *transition; /* in event order; bounded by the scenario's record.transitions */
    uint64_t transitions_left_out;
    sim_station_row *station; /* [interval * regions + region]; NULL: no region has limits */
} sim_run_metrics;

typedef struct sim_metrics sim_metrics;

/* Starts measuring. `options` are the routers' (not kept): where a recovering partition sends all traffic home
 * (failback.strategy probe, failback.probe_admission all), promotion is the return. Borrows `scenario` and `world_run`.
 * NULL: no memory. */
sim_metrics *sim_metrics_create(const sim_scenario *scenario, const sim_world_run *world_run,
                                const rgn_options *options);
/* The observer to hand to the engine; lives as long as `metrics`. */
const sim_observer *sim_metrics_observer(sim_metrics *metrics);
/* Ends measuring after the engine has returned; false: no memory. Free with sim_run_metrics_deinit(). */
bool sim_metrics_finish(sim_metrics *metrics, const sim_run_output *output, sim_run_metrics *result);
void sim_metrics_destroy(sim_metrics *metrics);
void sim_run_metrics_deinit(sim_run_metrics *result);

/* About how many bytes measuring a run of this scenario needs at most, stored transitions apart. */
uint64_t sim_metrics_memory_estimate(const sim_scenario *scenario);

/* Busy time as a share of what all servers of the region have in `length` ns; negative: it has no servers. */
double sim_station_utilisation(const sim_scenario *scenario, uint32_t region, uint64_t busy_ns, int64_t length);

/* Digest over every metric value and latency histogram (the `result` digest); rows are not part of it. */
sim_digest sim_run_metrics_digest(const sim_run_metrics *result);

#endif
