/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/resample.h"
#include "experiment/statistics.h"

typedef struct {
    sim_metric_id all; /* of all ended operations ... */
    sim_metric_id ok;  /* ... and of the successes */
    uint32_t q_ppm;
} merged_quantile;

static const merged_quantile QUANTILES[] = {
    {SIM_METRIC_latency_p50, SIM_METRIC_latency_ok_p50, 500000},
    {SIM_METRIC_latency_p90, SIM_METRIC_latency_ok_p90, 900000},
    {SIM_METRIC_latency_p95, SIM_METRIC_latency_ok_p95, 950000},
    {SIM_METRIC_latency_p99, SIM_METRIC_latency_ok_p99, 990000},
    {SIM_METRIC_latency_p999, SIM_METRIC_latency_ok_p999, 999000},
    {SIM_METRIC_latency_p9999, SIM_METRIC_latency_ok_p9999, 999900},
};
enum { QUANTILE_COUNT = sizeof QUANTILES / sizeof *QUANTILES };

struct sim_outcome {
    const sim_store_plan *plan;
    uint32_t phases;          /* most of any scenario, with `all` */
    sim_metric_value *value;  /* [pair][phase][metric][replication] */
    sim_metric_value *merged; /* [pair][phase][metric], set for what histograms tell */
    bool is_merged[SIM_METRIC_COUNT];
    uint32_t resamples; /* of each percentile; 0: too few or too many replications */
    double *without;    /* [pair][all, ok][quantile][replication]: the percentile without that replication */
    double *resampled;  /* [pair][all, ok][quantile][resample] */
    bool *has_spread;   /* [pair] */

    /* While reading, of the pair in hand. */
    size_t pair;
    sim_histogram *histogram; /* [phase][failed, ok] */
    sim_histogram *single;    /* [all, ok][replication]: phase `all` of each run */
    uint32_t singles;         /* runs with histograms of successes */
    bool is_out_of_memory;
};

static size_t pair_of(const sim_outcome *self, uint32_t scenario, uint32_t policy)
{
    return (size_t)scenario * self->plan->policy_count + policy;
}

static size_t cell(const sim_outcome *self, size_t pair, uint32_t phase, sim_metric_id metric)
{
    return (pair * self->phases + phase) * (size_t)SIM_METRIC_COUNT + (size_t)metric;
}

uint32_t sim_outcome_phase(const sim_outcome *outcome, uint32_t scenario, const char *name)
{
    const sim_scenario *in = outcome->plan->scenario[scenario];
    if (strcmp(name, "all") == 0)
        return 0;
    for (uint32_t i = 0; i < in->phase_count; i++) {
        if (strcmp(name, in->phase[i].name) == 0)
            return i + 1;
    }
    return UINT32_MAX;
}

static void take_metric(void *context, const sim_stored_metric *row)
{
    sim_outcome *self = context;
    const uint32_t phase = sim_outcome_phase(self, row->scenario, row->phase);
    if (phase == UINT32_MAX || row->replication >= self->plan->replications)
        return;
    const size_t at = cell(self, pair_of(self, row->scenario, row->policy), phase, row->metric);
    self->value[at * self->plan->replications + row->replication] = row->value;
}

static sim_metric_value quantile(const sim_histogram *histogram, uint32_t q_ppm)
{
    int64_t value = 0;
    if (!sim_histogram_quantile_if_supported(histogram, q_ppm, &value))
        return (sim_metric_value){.is_null = true};
    return (sim_metric_value){.value = (double)value, .samples = histogram->total};
}

static sim_metric_value longest(const sim_histogram *histogram)
{
    return (sim_metric_value){
        .value = (double)histogram->max, .samples = histogram->total, .is_null = histogram->max < 0};
}

/* Of the pair in hand, for all ended operations (0) or the successes (1). */
static bool spread_out(sim_outcome *self, size_t which)
{
    const size_t replications = self->plan->replications;
    const size_t row = (self->pair * 2 + which) * QUANTILE_COUNT;
    uint32_t *weight = calloc(replications, sizeof *weight);
    sim_pool pool = {0};
    const bool ok = weight != NULL && sim_pool_init(&pool, self->single + which * replications, replications);
    for (size_t i = 0; ok && i < QUANTILE_COUNT * replications; i++)
        self->without[row * replications + i] =
            (double)sim_pool_quantile_without(&pool, i % replications, QUANTILES[i / replications].q_ppm);
    for (uint32_t b = 0; ok && b < self->resamples; b++) {
        sim_bootstrap_weights(self->plan->seed, b, replications, weight);
        for (size_t i = 0; i < QUANTILE_COUNT; i++)
            self->resampled[(row + i) * self->resamples + b] =
                (double)sim_pool_quantile_weighted(&pool, weight, QUANTILES[i].q_ppm);
    }
    sim_pool_deinit(&pool);
    free(weight);
    return ok;
}

/* Fresh zeroed memory for each pair: buckets that no run touches then cost none. */
static bool renew_singles(sim_outcome *self)
{
    free(self->single);
    self->singles = 0;
    self->single = calloc(2 * (size_t)self->plan->replications, sizeof *self->single);
    for (uint32_t i = 0; self->single != NULL && i < 2 * self->plan->replications; i++)
        self->single[i].max = -1;
    return self->single != NULL;
}

/* Turns the histograms of the pair in hand into values and clears them. */
static void settle_pair(sim_outcome *self)
{
    self->has_spread[self->pair] = self->singles == self->plan->replications;
    if (self->has_spread[self->pair] && !(spread_out(self, 0) && spread_out(self, 1)))
        self->is_out_of_memory = true;
    if (!renew_singles(self))
        self->is_out_of_memory = true;
    for (uint32_t phase = 0; phase < self->phases; phase++) {
        sim_histogram *all = &self->histogram[2 * phase];
        const sim_histogram *ok = &self->histogram[2 * phase + 1];
        sim_histogram_merge(all, ok);
        for (size_t i = 0; i < QUANTILE_COUNT; i++) {
            self->merged[cell(self, self->pair, phase, QUANTILES[i].all)] = quantile(all, QUANTILES[i].q_ppm);
            self->merged[cell(self, self->pair, phase, QUANTILES[i].ok)] = quantile(ok, QUANTILES[i].q_ppm);
        }
        self->merged[cell(self, self->pair, phase, SIM_METRIC_latency_max)] = longest(all);
        self->merged[cell(self, self->pair, phase, SIM_METRIC_latency_ok_max)] = longest(ok);
    }
    for (uint32_t i = 0; i < 2 * self->phases; i++)
        sim_histogram_clear(&self->histogram[i]);
}

static void take_histogram(void *context, const sim_stored_histogram *row)
{
    sim_outcome *self = context;
    const size_t pair = pair_of(self, row->scenario, row->policy);
    const uint32_t phase = sim_outcome_phase(self, row->scenario, row->phase);
    if (phase == UINT32_MAX || row->replication >= self->plan->replications)
        return;
    if (pair != self->pair) {
        settle_pair(self);
        self->pair = pair;
    }
    sim_histogram_merge(&self->histogram[2 * phase + (row->is_ok ? 1 : 0)], row->histogram);
    if (phase != 0 || self->is_out_of_memory)
        return;
    sim_histogram_merge(&self->single[row->replication], row->histogram);
    if (row->is_ok)
        sim_histogram_merge(&self->single[self->plan->replications + row->replication], row->histogram);
    self->singles += row->is_ok;
}

/* Room for all pairs, and for the histograms of one. */
static bool make_room(sim_outcome *self)
{
    const size_t replications = self->plan->replications;
    const size_t pairs = (size_t)self->plan->scenario_count * self->plan->policy_count;
    const size_t cells = pairs * self->phases * (size_t)SIM_METRIC_COUNT;
    const size_t rows = pairs * 2 * QUANTILE_COUNT;
    if (replications >= SIM_BOOTSTRAP_MIN && replications <= SIM_BOOTSTRAP_MAX)
        self->resamples = SIM_BOOTSTRAPS;
    self->value = calloc(cells * replications, sizeof *self->value);
    self->merged = calloc(cells, sizeof *self->merged);
    self->without = calloc(rows * replications, sizeof *self->without);
    self->resampled = calloc(rows * self->resamples + 1, sizeof *self->resampled);
    self->has_spread = calloc(pairs, sizeof *self->has_spread);
    self->histogram = calloc(2 * (size_t)self->phases, sizeof *self->histogram);
    if (self->value == NULL || self->merged == NULL || self->without == NULL || self->resampled == NULL ||
        self->has_spread == NULL || self->histogram == NULL)
        return false;
    for (size_t i = 0; i < cells; i++)
        self->merged[i].is_null = true;
    for (size_t i = 0; i < cells * replications; i++)
        self->value[i].is_null = true;
    for (uint32_t i = 0; i < 2 * self->phases; i++)
        sim_histogram_clear(&self->histogram[i]);
    return renew_singles(self);
}

static sim_outcome *make(const sim_store_plan *plan)
{
    sim_outcome *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->plan = plan;
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        const uint32_t phases = plan->scenario[s]->phase_count + 1;
        self->phases = phases > self->phases ? phases : self->phases;
    }
    for (size_t i = 0; i < QUANTILE_COUNT; i++) {
        self->is_merged[QUANTILES[i].all] = true;
        self->is_merged[QUANTILES[i].ok] = true;
    }
    self->is_merged[SIM_METRIC_latency_max] = true;
    self->is_merged[SIM_METRIC_latency_ok_max] = true;
    if (!make_room(self)) {
        sim_outcome_destroy(self);
        return NULL;
    }
    return self;
}

sim_outcome *sim_outcome_read(sim_store *store, const sim_store_plan *plan, sim_store_error *error)
{
    sim_outcome *self = make(plan);
    if (self == NULL) {
        *error = (sim_store_error){SIM_STORE_IO, "out of memory"};
        return NULL;
    }
    const bool ok = sim_store_read_metrics(store, take_metric, self, error) &&
                    sim_store_read_histograms(store, take_histogram, self, error);
    if (!ok) {
        sim_outcome_destroy(self);
        return NULL;
    }
    settle_pair(self);
    if (self->is_out_of_memory) {
        *error = (sim_store_error){SIM_STORE_IO, "out of memory"};
        sim_outcome_destroy(self);
        return NULL;
    }
    free(self->histogram);
    free(self->single);
    self->histogram = NULL;
    self->single = NULL;
    return self;
}

void sim_outcome_destroy(sim_outcome *outcome)
{
    if (outcome == NULL)
        return;
    free(outcome->value);
    free(outcome->merged);
    free(outcome->without);
    free(outcome->resampled);
    free(outcome->has_spread);
    free(outcome->histogram);
    free(outcome->single);
    free(outcome);
}

sim_metric_value sim_outcome_value(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, uint32_t phase,
                                   sim_metric_id metric, uint32_t replication)
{
    const size_t at = cell(outcome, pair_of(outcome, scenario, policy), phase, metric);
    return outcome->value[at * outcome->plan->replications + replication];
}

sim_metric_value sim_outcome_estimate(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, uint32_t phase,
                                      sim_metric_id metric)
{
    const size_t at = cell(outcome, pair_of(outcome, scenario, policy), phase, metric);
    sim_metric_value mean = {0};
    for (uint32_t r = 0; r < outcome->plan->replications; r++) {
        const sim_metric_value *value = &outcome->value[at * outcome->plan->replications + r];
        if (value->is_null && !value->is_censored)
            continue;
        mean.value += value->value;
        mean.samples++;
        mean.is_censored = mean.is_censored || value->is_null;
    }
    if (outcome->is_merged[metric]) {
        sim_metric_value merged = outcome->merged[at];
        merged.samples = mean.samples;
        return merged;
    }
    mean.is_null = mean.samples == 0 || mean.is_censored;
    if (mean.samples > 0)
        mean.value /= (double)mean.samples;
    return mean;
}

bool sim_outcome_spread_of(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, sim_metric_id metric,
                           sim_outcome_spread *spread)
{
    const size_t pair = pair_of(outcome, scenario, policy);
    for (size_t i = 0; i < 2 * QUANTILE_COUNT; i++) {
        const merged_quantile *quantile = &QUANTILES[i % QUANTILE_COUNT];
        if (metric != (i < QUANTILE_COUNT ? quantile->all : quantile->ok))
            continue;
        const size_t row = pair * 2 * QUANTILE_COUNT + i;
        spread->without = outcome->without + row * outcome->plan->replications;
        spread->resampled = outcome->resamples == 0 ? NULL : outcome->resampled + row * outcome->resamples;
        return outcome->has_spread[pair] && !outcome->merged[cell(outcome, pair, 0, metric)].is_null;
    }
    return false;
}

bool sim_outcome_is_merged(const sim_outcome *outcome, sim_metric_id metric)
{
    return outcome->is_merged[metric];
}

const sim_store_plan *sim_outcome_plan(const sim_outcome *outcome)
{
    return outcome->plan;
}
