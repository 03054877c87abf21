/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sim_histogram *place_of(sim_histogram *all, uint32_t region, int kind)
{
    return &all[region * SIM_KINDS + (uint32_t)kind];
}

/* The current period's percentiles into its cells; the next ones begin. */
static void close_period(imp_watch *self)
{
    for (uint32_t r = 0; r < self->series.region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            sim_histogram *histogram = place_of(self->now, r, k);
            if (self->period >= self->series.periods || histogram->total == 0)
                continue;
            imp_cell *cell = imp_cell_at(&self->series, self->period, r, k);
            cell->p50 = (double)sim_histogram_quantile(histogram, 500000);
            cell->p99 = (double)sim_histogram_quantile(histogram, 990000);
            sim_histogram_merge(place_of(self->all, r, k), histogram);
            sim_histogram_clear(histogram);
        }
    }
}

/* The label of an answer that is an error; false for a success. */
static bool label_of(const rgn_response *answer, char out[IMP_LABEL_SIZE])
{
    if (answer->transport == RGN_TRANSPORT_NOT_SENT)
        (void)snprintf(out, IMP_LABEL_SIZE, "refused");
    else if (answer->transport != RGN_TRANSPORT_NONE)
        (void)snprintf(out, IMP_LABEL_SIZE, "no_reply");
    else if (answer->status >= 400 && answer->substatus != 0)
        (void)snprintf(out, IMP_LABEL_SIZE, "%u/%u", answer->status, answer->substatus);
    else if (answer->status >= 400)
        (void)snprintf(out, IMP_LABEL_SIZE, "%u", answer->status);
    else
        return false;
    return true;
}

static void count_error(imp_watch *self, imp_cell *cell, const char *label)
{
    uint32_t s = 0;
    while (s < self->series.status_count && strcmp(self->series.status[s], label) != 0)
        s++;
    if (s == IMP_STATUSES_MAX) {
        self->too_many++;
        return;
    }
    if (s == self->series.status_count)
        (void)snprintf(self->series.status[self->series.status_count++], IMP_LABEL_SIZE, "%s", label);
    cell->errors[s]++;
}

static void hear_step(void *context, const sim_recorded_step *step)
{
    imp_watch *self = context;
    char label[IMP_LABEL_SIZE];
    if (step->answer == NULL)
        return;
    const uint32_t period = (uint32_t)(step->now / self->series.period);
    for (; self->period < period && self->period < self->series.periods; self->period++)
        close_period(self);
    if (period >= self->series.periods)
        return;
    const uint32_t region = step->leg_region[step->leg];
    imp_cell *cell = imp_cell_at(&self->series, period, region, step->kind);
    cell->requests++;
    cell->line = 1;
    self->series.has_kind[step->kind] = true;
    sim_histogram_record(place_of(self->now, region, step->kind), step->now - step->leg_sent[step->leg]);
    if (label_of(step->answer, label))
        count_error(self, cell, label);
}

static void hear_record(void *context, const sim_record_words *record)
{
    (void)context;
    (void)record;
}

static void hear_background(void *context, uint32_t client, const rgn_router *router, int64_t now)
{
    (void)context;
    (void)client;
    (void)router;
    (void)now;
}

bool imp_watch_init(imp_watch *self, sim_arena *arena, const sim_scenario *scenario, int64_t period)
{
    const size_t places = (size_t)scenario->region_count * SIM_KINDS;
    *self = (imp_watch){
        .recorder = {.context = self, .record = hear_record, .step = hear_step, .background = hear_background},
        .series = {.period = period,
                   .periods = (uint32_t)(scenario->duration / period),
                   .region_count = scenario->region_count},
        .now = malloc(places * sizeof(sim_histogram)),
        .all = malloc(places * sizeof(sim_histogram))};
    for (uint32_t r = 0; r < scenario->region_count; r++)
        self->series.region[r] = scenario->region[r];
    self->series.cell = sim_arena_array(arena, self->series.periods * places, sizeof(imp_cell));
    for (size_t i = 0; self->now != NULL && self->all != NULL && i < places; i++) {
        self->now[i] = (sim_histogram){0};
        self->all[i] = (sim_histogram){0};
        sim_histogram_clear(&self->now[i]);
        sim_histogram_clear(&self->all[i]);
    }
    return self->now != NULL && self->all != NULL;
}

void imp_watch_finish(imp_watch *self)
{
    for (; self->period < self->series.periods; self->period++)
        close_period(self);
}

void imp_watch_deinit(imp_watch *self)
{
    free(self->now);
    free(self->all);
    self->now = self->all = NULL;
}

static void put_cell(const imp_series *series, FILE *out, uint32_t period, uint32_t region, int kind)
{
    const imp_cell *cell = imp_cell_at(series, period, region, kind);
    (void)fprintf(out, "%.9g,%s,%s,%.0f", (double)series->period * period / 1e9,
                  sim_catalogue_name(series->region[region]), imp_kind_name(kind), cell->requests);
    for (uint32_t s = 0; s < series->status_count; s++)
        (void)fprintf(out, ",%.0f", cell->errors[s]);
    if (cell->requests > 0)
        (void)fprintf(out, ",%.4f,%.4f\n", cell->p50 / 1e6, cell->p99 / 1e6);
    else
        (void)fputs(",,\n", out);
}

void imp_series_write(const imp_series *series, FILE *out)
{
    (void)fputs("time_s,region,operation,requests", out);
    for (uint32_t s = 0; s < series->status_count; s++)
        (void)fprintf(out, ",errors_%s", series->status[s]);
    (void)fputs(",p50_ms,p99_ms\n", out);
    for (uint32_t p = 0; p < series->periods; p++) {
        for (uint32_t r = 0; r < series->region_count; r++) {
            for (int k = 0; k < SIM_KINDS; k++) {
                if (series->has_kind[k])
                    put_cell(series, out, p, r, k);
            }
        }
    }
}
