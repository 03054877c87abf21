/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/outcome.h"

#include <stdlib.h>
#include <string.h>

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

struct sim_outcome {
    const sim_store_plan *plan;
    uint32_t phases;          /* most of any scenario, with `all` */
    sim_metric_value *value;  /* [pair][phase][metric][replication] */
    sim_metric_value *merged; /* [pair][phase][metric], set for what histograms tell */
    bool is_merged[SIM_METRIC_COUNT];
    sim_histogram *histogram; /* while reading: [phase][failed, ok], of the pair in hand */
    size_t pair;              /* in hand */
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

/* Turns the histograms of the pair in hand into values and clears them. */
static void settle_pair(sim_outcome *self)
{
    for (uint32_t phase = 0; phase < self->phases; phase++) {
        sim_histogram *all = &self->histogram[2 * phase];
        const sim_histogram *ok = &self->histogram[2 * phase + 1];
        sim_histogram_merge(all, ok);
        for (size_t i = 0; i < sizeof QUANTILES / sizeof *QUANTILES; i++) {
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
    if (phase == UINT32_MAX)
        return;
    if (pair != self->pair) {
        settle_pair(self);
        self->pair = pair;
    }
    sim_histogram_merge(&self->histogram[2 * phase + (row->is_ok ? 1 : 0)], row->histogram);
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
    for (size_t i = 0; i < sizeof QUANTILES / sizeof *QUANTILES; i++) {
        self->is_merged[QUANTILES[i].all] = true;
        self->is_merged[QUANTILES[i].ok] = true;
    }
    self->is_merged[SIM_METRIC_latency_max] = true;
    self->is_merged[SIM_METRIC_latency_ok_max] = true;
    const size_t cells = (size_t)plan->scenario_count * plan->policy_count * self->phases * (size_t)SIM_METRIC_COUNT;
    self->value = calloc(cells * plan->replications, sizeof *self->value);
    self->merged = calloc(cells, sizeof *self->merged);
    self->histogram = calloc(2 * (size_t)self->phases, sizeof *self->histogram);
    if (self->value == NULL || self->merged == NULL || self->histogram == NULL) {
        sim_outcome_destroy(self);
        return NULL;
    }
    for (size_t i = 0; i < cells; i++)
        self->merged[i].is_null = true;
    for (size_t i = 0; i < cells * plan->replications; i++)
        self->value[i].is_null = true;
    for (uint32_t i = 0; i < 2 * self->phases; i++)
        sim_histogram_clear(&self->histogram[i]);
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
    free(self->histogram);
    self->histogram = NULL;
    return self;
}

void sim_outcome_destroy(sim_outcome *outcome)
{
    if (outcome == NULL)
        return;
    free(outcome->value);
    free(outcome->merged);
    free(outcome->histogram);
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
