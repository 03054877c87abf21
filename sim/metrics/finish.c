/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From sums to values. Only here do integers become floating point, each by one division. */
#include "metrics/slices.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const sim_metrics *m;
    const sim_run_output *output;
    const simi_gaps *gaps;   /* [region] */
    const simi_tally *tally; /* of the phase */
    sim_metric_value *value; /* [metric], of the phase */
    uint32_t phase;          /* 0: all */
    int64_t from;            /* the phase's bounds */
    int64_t until;
    uint64_t operations; /* in the phase */
} phase_writer;

static void set(phase_writer *w, sim_metric_id id, double value, uint64_t samples)
{
    w->value[id] = (sim_metric_value){.value = samples != 0 ? value : 0, .samples = samples, .is_null = samples == 0};
}

/* A number of events among `population` subjects that could have met them. */
static void set_count(phase_writer *w, sim_metric_id id, uint64_t count, uint64_t population)
{
    set(w, id, (double)count, population);
}

static void set_ratio(phase_writer *w, sim_metric_id id, uint64_t numerator, uint64_t denominator)
{
    set(w, id, denominator != 0 ? (double)numerator / (double)denominator : 0, denominator);
}

static void set_pair_seconds(phase_writer *w, sim_metric_id id, sim_u128 ns)
{
    set(w, id, (double)ns / (double)RGN_NS_PER_S, w->m->pairs);
}

/* A percentile that needs 10 samples beyond it. */
static void set_percentile(phase_writer *w, sim_metric_id id, const sim_histogram *histogram, uint32_t q_ppm)
{
    int64_t ns = 0;
    const bool is_supported = sim_histogram_quantile_if_supported(histogram, q_ppm, &ns);
    w->value[id] = (sim_metric_value){.value = (double)ns, .samples = histogram->total, .is_null = !is_supported};
}

static void set_max(phase_writer *w, sim_metric_id id, const sim_histogram *histogram)
{
    set(w, id, (double)histogram->max, histogram->total);
}

static void set_mean(phase_writer *w, sim_metric_id id, const sim_histogram *histogram)
{
    set(w, id, histogram->total != 0 ? (double)histogram->sum / (double)histogram->total : 0, histogram->total);
}

static const uint32_t latency_q_ppm[] = {500000, 900000, 950000, 990000, 999000, 999900};

/* The percentiles lie side by side in the table of metrics. */
static void write_latencies(phase_writer *w, sim_metric_id first, const sim_histogram *histogram)
{
    for (unsigned i = 0; i < sizeof latency_q_ppm / sizeof *latency_q_ppm; i++)
        set_percentile(w, (sim_metric_id)(first + i), histogram, latency_q_ppm[i]);
}

static void write_operations(phase_writer *w, const sim_histogram *all)
{
    const simi_tally *t = w->tally;
    const uint64_t n = w->operations;
    set_count(w, SIM_METRIC_requests, n, n);
    set_ratio(w, SIM_METRIC_availability, n - t->errors, n);
    set_count(w, SIM_METRIC_error_count, t->errors, n);
    write_latencies(w, SIM_METRIC_latency_p50, all);
    set_max(w, SIM_METRIC_latency_max, all);
    set_mean(w, SIM_METRIC_latency_mean, all);
    write_latencies(w, SIM_METRIC_latency_ok_p50, &t->ok);
    set_max(w, SIM_METRIC_latency_ok_max, &t->ok);
    set_mean(w, SIM_METRIC_latency_ok_mean, &t->ok);
    const uint64_t samples = w->phase == 0 ? w->m->whole_samples : t->samples;
    const sim_u128 sum = w->phase == 0 ? w->m->whole_sample_p99_sum : t->sample_p99_sum;
    set(w, SIM_METRIC_interval_p99_mean, samples != 0 ? (double)sum / (double)samples : 0, samples);
    set_ratio(w, SIM_METRIC_load_amplification, t->legs, n);
}

static void write_hedges(phase_writer *w)
{
    static const struct {
        sim_metric_id id;
        rgn_hedge hedge;
    } states[] = {
        {SIM_METRIC_hedge_operations_disabled, RGN_HEDGE_NONE},
        {SIM_METRIC_hedge_refused, RGN_HEDGE_REFUSED},
        {SIM_METRIC_hedge_state_primary_won_pre_threshold, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD},
        {SIM_METRIC_hedge_state_deadline_pre_threshold, RGN_HEDGE_DEADLINE_PRE_THRESHOLD},
        {SIM_METRIC_hedge_state_primary_won_after_hedge, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE},
        {SIM_METRIC_hedge_state_alternate_won, RGN_HEDGE_ALTERNATE_WON},
        {SIM_METRIC_hedge_state_both_transient, RGN_HEDGE_BOTH_TRANSIENT},
        {SIM_METRIC_hedge_state_both_transient_deadline, RGN_HEDGE_BOTH_TRANSIENT_DEADLINE},
        {SIM_METRIC_hedge_state_cancelled_awaiting_partner, RGN_HEDGE_CANCELLED_AWAITING_PARTNER},
        {SIM_METRIC_hedge_state_ended_early, RGN_HEDGE_ENDED_EARLY},
        {SIM_METRIC_hedge_operations_alternate_won, RGN_HEDGE_ALTERNATE_WON},
    };
    const simi_tally *t = w->tally;
    const uint64_t n = w->operations;
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
        set_count(w, states[i].id, t->hedge[states[i].hedge], n);
    set_count(w, SIM_METRIC_hedge_operations_primary_won,
              t->hedge[RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD] + t->hedge[RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE], n);
    set_count(w, SIM_METRIC_hedge_operations_both_transient,
              t->hedge[RGN_HEDGE_BOTH_TRANSIENT] + t->hedge[RGN_HEDGE_BOTH_TRANSIENT_DEADLINE], n);
    set_count(w, SIM_METRIC_hedge_alternate_spawned, t->hedges, n);
    set_count(w, SIM_METRIC_hedge_canceled_winner_found, t->hedge_cut[SIMI_CUT_WINNER_FOUND], n);
    set_count(w, SIM_METRIC_hedge_canceled_deadline, t->hedge_cut[SIMI_CUT_DEADLINE], n);
    set_count(w, SIM_METRIC_hedge_canceled_app_canceled, t->hedge_cut[SIMI_CUT_APP_CANCELED], n);
}

/* Of an account that never changes there are no such samples. */
static void write_strategies(phase_writer *w)
{
    static const struct {
        sim_metric_id p99, spawned;
    } ids[] = {{SIM_METRIC_hedging_off_p99_mean, SIM_METRIC_hedging_off_spawned},
               {SIM_METRIC_hedging_on_p99_mean, SIM_METRIC_hedging_on_spawned}};
    const simi_polled *polled = w->tally->polled;
    double mean[2];
    for (unsigned is_on = 0; is_on < 2; is_on++) {
        const uint64_t samples = polled[is_on].samples;
        mean[is_on] = samples != 0 ? (double)polled[is_on].p99_sum / (double)samples : 0;
        set(w, ids[is_on].p99, mean[is_on], samples);
        set_count(w, ids[is_on].spawned, polled[is_on].hedges, samples);
    }
    const bool has_both = polled[0].samples != 0 && polled[1].samples != 0;
    set(w, SIM_METRIC_hedging_p99_reduction, has_both ? 1 - mean[1] / mean[0] : 0,
        has_both ? polled[0].samples + polled[1].samples : 0);
    set_count(w, SIM_METRIC_strategy_change_count, w->tally->strategy_changes,
              w->m->strategy.sample != NULL ? w->m->scenario->client_count : 0);
}

/* Request units, where the scenario says what operations cost. */
static void write_request_units(phase_writer *w)
{
    const uint64_t *units = w->m->scenario->request_units; /* millionths */
    const uint64_t n = units[SIM_KIND_READ] != 0 ? w->operations : 0;
    uint64_t winner = 0, total = 0;
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        winner += units[kind] * w->tally->served[kind];
        total += units[kind] * w->tally->served_legs[kind];
    }
    set(w, SIM_METRIC_ru_winner, (double)winner / SIM_FACTOR_ONE, n);
    set(w, SIM_METRIC_ru_total, (double)total / SIM_FACTOR_ONE, n);
    set_ratio(w, SIM_METRIC_ru_amplification, total, winner);
}

static void write_sessions(phase_writer *w)
{
    set_count(w, SIM_METRIC_session_unavailable_count, w->tally->session_misses,
              w->m->scenario->replication.is_on ? w->operations : 0);
}

static void write_pairs(phase_writer *w)
{
    const simi_tally *t = w->tally;
    const uint64_t pairs = w->m->pairs;
    set_count(w, SIM_METRIC_trip_count, t->departures, pairs);
    set_count(w, SIM_METRIC_return_count, t->returns, pairs);
    set_count(w, SIM_METRIC_failback_count, t->failbacks, pairs);
    set_count(w, SIM_METRIC_retrip_count, t->retrips, pairs);
    set_count(w, SIM_METRIC_drop_count, t->drops, pairs);
    set_count(w, SIM_METRIC_flap_count, t->flaps, pairs);
    set_ratio(w, SIM_METRIC_flap_rate, t->judged_flaps, t->judged_returns);
    set_count(w, SIM_METRIC_endpoint_mark_count, t->endpoint_marks, w->m->scenario->client_count);
    set_count(w, SIM_METRIC_premature_failback_count, t->premature, pairs);
    set_count(w, SIM_METRIC_false_trip_count, t->false_trips, pairs);
    set_count(w, SIM_METRIC_missed_trip_count, t->missed_trips, pairs);
    set_pair_seconds(w, SIM_METRIC_away_healthy_s, t->away_ns - t->away_unhealthy_ns);
    set_pair_seconds(w, SIM_METRIC_home_unhealthy_s, t->unhealthy_ns - t->away_unhealthy_ns);
    set_pair_seconds(w, SIM_METRIC_time_recovering_s, t->recovering_ns);
    set_pair_seconds(w, SIM_METRIC_all_open_s, t->all_open_ns);
    set_count(w, SIM_METRIC_away_healthy_requests, t->away_healthy_requests, w->operations);
    set_count(w, SIM_METRIC_home_unhealthy_requests, t->home_unhealthy_requests, w->operations);
    const sim_histogram *detection = &t->detection;
    set(w, SIM_METRIC_detection_time_p50, (double)sim_histogram_quantile(detection, 500000), detection->total);
}

/* Lags that nobody saw end sort after all that ended. Where the percentile falls among them it is NULL, known to be at
 * least what it would be if each had ended when it was last seen. */
static void set_lag(phase_writer *w, sim_metric_id id, const sim_histogram *at_least, uint32_t q_ppm)
{
    const sim_histogram *ended = &w->tally->lag;
    const uint64_t rank = sim_histogram_rank(at_least->total, q_ppm);
    set(w, id, 0, at_least->total);
    if (at_least->total == 0)
        return;
    w->value[id].is_censored = rank > ended->total;
    w->value[id].is_null = w->value[id].is_censored;
    w->value[id].value = (double)(rank > ended->total ? sim_histogram_least_at_rank(at_least, rank)
                                                      : sim_histogram_at_rank(ended, rank));
}

static void write_lags(phase_writer *w, sim_histogram *scratch)
{
    sim_histogram_clear(scratch);
    sim_histogram_merge(scratch, &w->tally->lag);
    sim_histogram_merge(scratch, &w->tally->lag_censored);
    set_lag(w, SIM_METRIC_failback_lag_p50, scratch, 500000);
    set_lag(w, SIM_METRIC_failback_lag_max, scratch, 1000000);
    set_count(w, SIM_METRIC_failback_pending_count, w->tally->lag_censored.total, w->m->pairs);
}

static uint64_t count_touched(const uint8_t *touched, const phase_writer *w, uint32_t subjects)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < subjects; i++) {
        bool is_touched = w->phase != 0 && touched[(size_t)w->phase * subjects + i] != 0;
        for (uint32_t slot = 0; w->phase == 0 && slot < w->m->slot_count && !is_touched; slot++)
            is_touched = touched[(size_t)slot * subjects + i] != 0;
        count += is_touched;
    }
    return count;
}

static void write_canaries(phase_writer *w)
{
    const simi_tally *t = w->tally;
    const sim_scenario *scenario = w->m->scenario;
    set_count(w, SIM_METRIC_canary_count, t->canaries, w->operations);
    set_count(w, SIM_METRIC_canary_failure_count, t->canary_failures, w->operations);
    /* Routers count late results for the run as a whole. */
    const uint64_t late = w->output->late_successes + w->output->late_failures;
    set_count(w, SIM_METRIC_canary_late_count, late, w->phase == 0 ? w->operations : 0);
    set_count(w, SIM_METRIC_canary_caller_error_count, t->canary_caller_errors, w->operations);
    set_percentile(w, SIM_METRIC_canary_delay_p99, &t->canary_delay, 990000);
    set_ratio(w, SIM_METRIC_canary_blast_radius, t->canary_failures, w->operations);
    set_ratio(w, SIM_METRIC_canary_failure_ratio, t->canary_failures, t->canaries);
    set_ratio(w, SIM_METRIC_clients_touched_share, count_touched(w->m->client_touched, w, scenario->client_count),
              scenario->client_count);
    set_ratio(w, SIM_METRIC_partitions_touched_share,
              count_touched(w->m->partition_touched, w, scenario->partition_count), scenario->partition_count);
}

static void write_load(phase_writer *w)
{
    const simi_ratio herd = simi_load_herd_peak(w->m, &w->output->load, w->gaps, w->from, w->until);
    const simi_ratio alternate = simi_load_alternate(w->m, &w->output->load, w->gaps, w->from, w->until);
    set_ratio(w, SIM_METRIC_herd_peak, herd.numerator, herd.denominator);
    w->value[SIM_METRIC_herd_peak].samples = herd.samples;
    set_ratio(w, SIM_METRIC_alternate_extra_load, alternate.numerator, alternate.denominator);
    w->value[SIM_METRIC_alternate_extra_load].samples = alternate.samples;
}

/* Counted for the run as a whole. */
static void write_callers(phase_writer *w)
{
    set_count(w, SIM_METRIC_application_retry_count, w->output->tries_again, w->phase == 0 ? w->operations : 0);
}

/* Where some region has limits. */
static void write_stations(phase_writer *w)
{
    const simi_bearing bearing = simi_station_bearing(w->m->scenario, &w->output->stations, w->from, w->until);
    const uint64_t came = w->output->stations.pieces > 0 ? bearing.sum.arrivals : 0;
    set(w, SIM_METRIC_server_utilisation, bearing.utilisation, bearing.utilisation >= 0 ? came : 0);
    set_count(w, SIM_METRIC_queue_peak, bearing.sum.waiting_peak, bearing.utilisation >= 0 ? came : 0);
    set_count(w, SIM_METRIC_turned_away_count, bearing.sum.turned_away, came);
    set_count(w, SIM_METRIC_throttled_count, bearing.sum.throttled, came);
}

static int compare_availability(const void *left, const void *right)
{
    const simi_client_count *a = left, *b = right;
    const sim_u128 x = (sim_u128)(a->requests - a->errors) * b->requests;
    const sim_u128 y = (sim_u128)(b->requests - b->errors) * a->requests;
    return (x > y) - (x < y);
}

/* `scratch` has room for every client. */
static void write_clients(phase_writer *w, simi_client_count *scratch)
{
    static const struct {
        sim_metric_id id;
        uint32_t q_ppm;
    } wanted[] = {{SIM_METRIC_client_availability_p50, 500000},
                  {SIM_METRIC_client_availability_p05, 50000},
                  {SIM_METRIC_client_availability_min, 0}};
    const uint32_t clients = w->m->scenario->client_count;
    const uint32_t first = w->phase;
    const uint32_t last = w->phase != 0 ? w->phase : w->m->slot_count - 1;
    size_t n = 0;
    for (uint32_t client = 0; client < clients; client++) {
        simi_client_count sum = {0, 0};
        for (uint32_t slot = first; slot <= last; slot++) {
            sum.requests += w->m->client[(size_t)slot * clients + client].requests;
            sum.errors += w->m->client[(size_t)slot * clients + client].errors;
        }
        if (sum.requests != 0)
            scratch[n++] = sum;
    }
    qsort(scratch, n, sizeof *scratch, compare_availability);
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const simi_client_count *at = &scratch[n != 0 ? sim_histogram_rank(n, wanted[i].q_ppm) - 1 : 0];
        set(w, wanted[i].id, n != 0 ? (double)(at->requests - at->errors) / (double)at->requests : 0, n);
    }
}

static void add_tally(simi_tally *into, const simi_tally *from)
{
#define ADD(name) into->name += from->name;
    SIMI_COUNTERS(ADD)
#undef ADD
#define ADD(name) into->name##_ns += from->name##_ns;
    SIMI_PAIR_TIMES(ADD)
#undef ADD
    for (unsigned i = 0; i < RGN_HEDGE_COUNT; i++)
        into->hedge[i] += from->hedge[i];
    into->hedges += from->hedges;
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        into->served[kind] += from->served[kind];
        into->served_legs[kind] += from->served_legs[kind];
    }
    for (unsigned i = 0; i < 2; i++) {
        into->polled[i].samples += from->polled[i].samples;
        into->polled[i].hedges += from->polled[i].hedges;
        into->polled[i].p99_sum += from->polled[i].p99_sum;
    }
    for (unsigned i = 0; i < SIMI_CUT_REASONS; i++)
        into->hedge_cut[i] += from->hedge_cut[i];
    sim_histogram_merge(&into->ok, &from->ok);
    sim_histogram_merge(&into->failed, &from->failed);
    sim_histogram_merge(&into->canary_delay, &from->canary_delay);
    sim_histogram_merge(&into->lag, &from->lag);
    sim_histogram_merge(&into->lag_censored, &from->lag_censored);
    sim_histogram_merge(&into->detection, &from->detection);
}

static void finish_intervals(sim_metrics *m, const sim_region_load *load)
{
    uint64_t away = 0, recovering = 0;
    for (size_t i = 0; i < m->interval_count; i++) {
        m->interval[i].pairs_away = away += m->interval[i].pairs_away;
        m->interval[i].pairs_recovering = recovering += m->interval[i].pairs_recovering;
    }
    for (uint32_t second = 0; second < load->seconds && second * RGN_NS_PER_S < m->duration; second++) {
        sim_interval_row *row = simi_interval_at(m, second * RGN_NS_PER_S);
        for (uint32_t region = 0; region < m->scenario->region_count; region++)
            row->region_legs[region] += load->count[(size_t)region * load->seconds + second];
    }
}

/* Slot 0 has become the sum of all. */
static void write_phases(const sim_metrics *m, const sim_run_output *output, const simi_gaps *gaps,
                         sim_run_metrics *result, sim_histogram *scratch, simi_client_count *clients)
{
    for (uint32_t phase = 0; phase < result->phase_count; phase++) {
        const simi_tally *tally = &m->tally[phase];
        phase_writer w = {.m = m,
                          .output = output,
                          .gaps = gaps,
                          .tally = tally,
                          .value = result->metric + (size_t)phase * SIM_METRIC_COUNT,
                          .phase = phase,
                          .from = phase == 0 ? 0 : m->scenario->phase[phase - 1].start,
                          .until = phase == 0 ? m->duration : simi_slot_end(m, phase),
                          .operations = tally->ok.total + tally->failed.total};
        sim_histogram_clear(scratch);
        sim_histogram_merge(scratch, &tally->ok);
        sim_histogram_merge(scratch, &tally->failed);
        write_operations(&w, scratch);
        write_hedges(&w);
        write_strategies(&w);
        write_request_units(&w);
        write_sessions(&w);
        write_pairs(&w);
        write_lags(&w, scratch);
        write_canaries(&w);
        write_load(&w);
        write_stations(&w);
        write_callers(&w);
        write_clients(&w, clients);
        result->ok[phase] = tally->ok;
        result->failed[phase] = tally->failed;
    }
}

bool sim_metrics_finish(sim_metrics *m, const sim_run_output *output, sim_run_metrics *result)
{
    *result = (sim_run_metrics){.phase_count = m->slot_count};
    simi_gaps gaps[RGN_REGIONS_MAX] = {{NULL, 0, 0}};
    sim_histogram *scratch = malloc(sizeof *scratch);
    simi_client_count *clients = calloc((size_t)m->scenario->client_count + 1, sizeof *clients);
    result->metric = calloc((size_t)m->slot_count * SIM_METRIC_COUNT, sizeof *result->metric);
    result->ok = malloc(m->slot_count * sizeof *result->ok);
    result->failed = malloc(m->slot_count * sizeof *result->failed);
    bool is_complete = scratch != NULL && clients != NULL && result->metric != NULL && result->ok != NULL &&
                       result->failed != NULL && simi_load_prepare(m, gaps) && simi_station_rows(m, &output->stations);
    if (is_complete) {
        simi_slices_close_all(m);
        simi_pairs_finish(m);
        simi_moment_settle(m);
        simi_strategy_finish(m);
        finish_intervals(m, &output->load);
        for (uint32_t slot = 1; slot < m->slot_count; slot++)
            add_tally(&m->tally[0], &m->tally[slot]);
        write_phases(m, output, gaps, result, scratch, clients);
        result->interval_count = m->interval_count;
        result->interval = m->interval;
        m->interval = NULL;
        result->station = m->station_row;
        m->station_row = NULL;
        result->transition_count = m->row_count;
        result->transition = m->row;
        result->transitions_left_out = m->rows_left_out;
        m->row = NULL;
        is_complete = !m->is_out_of_memory;
    }
    simi_load_deinit(gaps);
    free(scratch);
    free(clients);
    if (!is_complete)
        sim_run_metrics_deinit(result);
    return is_complete;
}

void sim_run_metrics_deinit(sim_run_metrics *result)
{
    free(result->metric);
    free(result->ok);
    free(result->failed);
    free(result->interval);
    free(result->station);
    free(result->transition);
    *result = (sim_run_metrics){0};
}
