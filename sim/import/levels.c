/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/levels.h"

#include <math.h>
#include <stdlib.h>

enum { P50_REQUESTS = 50, P99_REQUESTS = 1000, ERRORS_MIN = 3 };
#define P50_DEPARTS   1.25
#define P99_DEPARTS   1.5
#define SHARE_DEPARTS 0.005
#define SAME          1.03
#define SAME_FEW      1.1
#define SIGMAS        3.0

/* A region's and kind's periods, and room to sort in. */
typedef struct {
    const imp_series *series;
    uint32_t region;
    int kind;
    double *scratch;
    bool *departs; /* [period] */
} view;

static const imp_cell *cell_at(const view *self, uint32_t period)
{
    return imp_cell_at(self->series, period, self->region, self->kind);
}

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *value, size_t count)
{
    if (count == 0)
        return 0;
    qsort(value, count, sizeof *value, compare);
    return count % 2 == 1 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

static bool is_apart(double value, double from, double factor)
{
    return value > from * factor || value * factor < from;
}

/* What chance alone makes of a share among so many requests. */
static double share_error(double share, double requests)
{
    return SIGMAS * sqrt(share * (1 - share) / requests);
}

static bool departs(const imp_cell *cell, const imp_level *from, uint32_t statuses)
{
    if (cell->requests <= 0)
        return false;
    for (uint32_t s = 0; s < statuses; s++) {
        const double share = cell->errors[s] / cell->requests;
        if (cell->errors[s] >= ERRORS_MIN && share > from->share[s] + SHARE_DEPARTS &&
            share > from->share[s] + share_error(from->share[s], cell->requests))
            return true;
    }
    return (cell->requests >= P50_REQUESTS && is_apart(cell->p50, from->p50, P50_DEPARTS)) ||
           (cell->requests >= P99_REQUESTS && is_apart(cell->p99, from->p99, P99_DEPARTS));
}

typedef enum { PICK_P50, PICK_P99, PICK_SHARE } pick;

static double picked_median(const view *self, pick what, uint32_t status)
{
    size_t count = 0;
    for (uint32_t p = 0; p < self->series->periods; p++) {
        const imp_cell *cell = cell_at(self, p);
        if (cell->requests <= 0 || self->departs[p])
            continue;
        self->scratch[count++] = what == PICK_P50   ? cell->p50
                                 : what == PICK_P99 ? cell->p99
                                                    : cell->errors[status] / cell->requests;
    }
    return median(self->scratch, count);
}

/* The state of the periods that do not depart: all periods at first. */
static imp_level state_of(const view *self, bool is_pooled)
{
    imp_level out = {.p50 = picked_median(self, PICK_P50, 0), .p99 = picked_median(self, PICK_P99, 0)};
    for (uint32_t s = 0; s < self->series->status_count; s++)
        out.share[s] = is_pooled ? 0 : picked_median(self, PICK_SHARE, s);
    for (uint32_t p = 0; p < self->series->periods; p++) {
        const imp_cell *cell = cell_at(self, p);
        if (self->departs[p])
            continue;
        out.requests += cell->requests;
        for (uint32_t s = 0; is_pooled && s < self->series->status_count; s++)
            out.share[s] += cell->errors[s];
    }
    for (uint32_t s = 0; is_pooled && s < self->series->status_count && out.requests > 0; s++)
        out.share[s] /= out.requests;
    return out;
}

static uint32_t mark(const view *self, const imp_level *from)
{
    uint32_t marked = 0;
    for (uint32_t p = 0; p < self->series->periods; p++) {
        self->departs[p] = departs(cell_at(self, p), from, self->series->status_count);
        marked += self->departs[p];
    }
    return marked;
}

/* Takes a period into a level's means, by its requests. */
static void take_in(imp_level *level, const imp_cell *cell, uint32_t statuses)
{
    const double all = level->requests + cell->requests;
    const double weight = cell->requests / all;
    for (uint32_t s = 0; s < statuses; s++)
        level->share[s] += (cell->errors[s] / cell->requests - level->share[s]) * weight;
    level->p50 += (cell->p50 - level->p50) * weight;
    level->p99 += (cell->p99 - level->p99) * weight;
    level->requests = all;
}

static bool belongs(const imp_level *level, const imp_cell *cell, uint32_t statuses)
{
    for (uint32_t s = 0; s < statuses; s++) {
        const double share = cell->errors[s] / cell->requests;
        if (fabs(share - level->share[s]) > share_error(level->share[s], cell->requests))
            return false;
    }
    return !is_apart(cell->p50, level->p50, cell->requests >= P50_REQUESTS ? SAME : SAME_FEW) &&
           !is_apart(cell->p99, level->p99, cell->requests >= P99_REQUESTS ? SAME : SAME_FEW);
}

/* Cuts the time into levels. A period without requests goes on as the one before. */
static void cut(const view *self, imp_line *line)
{
    const uint32_t statuses = self->series->status_count;
    for (uint32_t p = 0; p < self->series->periods; p++) {
        const imp_cell *cell = cell_at(self, p);
        imp_level *last = line->count == 0 ? NULL : &line->level[line->count - 1];
        if (cell->requests <= 0 && p > 0)
            continue;
        if (!self->departs[p]) {
            if (last != NULL && !last->departs)
                continue;
            line->level[line->count] = line->healthy;
            line->level[line->count++].from = p;
        } else if (last != NULL && last->departs && belongs(last, cell, statuses)) {
            take_in(last, cell, statuses);
        } else {
            line->level[line->count] = (imp_level){.from = p, .departs = true};
            take_in(&line->level[line->count++], cell, statuses);
        }
    }
}

static void find_line(sim_arena *arena, const view *self, imp_line *line)
{
    for (uint32_t p = 0; p < self->series->periods; p++) {
        line->is_there = line->is_there || cell_at(self, p)->requests > 0;
        line->healthy_periods += cell_at(self, p)->requests > 0;
        self->departs[p] = false;
    }
    if (!line->is_there)
        return;
    const imp_level all = state_of(self, false);
    if (mark(self, &all) == line->healthy_periods)
        for (uint32_t p = 0; p < self->series->periods; p++)
            self->departs[p] = false;
    line->healthy = state_of(self, true);
    line->departing_periods = mark(self, &line->healthy);
    line->healthy_periods -= line->departing_periods;
    line->level = sim_arena_array(arena, self->series->periods, sizeof *line->level);
    cut(self, line);
}

static double requests_at(const imp_series *series, uint32_t period, uint32_t region)
{
    return imp_cell_at(series, period, region, SIM_KIND_READ)->requests +
           imp_cell_at(series, period, region, SIM_KIND_WRITE)->requests;
}

static void find_rates(sim_arena *arena, const imp_series *series, uint32_t region, imp_levels *out)
{
    const double seconds = (double)series->period / 1e9;
    imp_rate *rate = sim_arena_array(arena, series->periods, sizeof *rate);
    uint32_t count = 0;
    double mean = 0; /* requests of a period of the current level */
    uint32_t periods = 0;
    for (uint32_t p = 0; p < series->periods; p++) {
        const double requests = requests_at(series, p, region);
        /* Of two counts that chance alone sets apart, the mean's own error included. */
        if (periods == 0 || fabs(requests - mean) > SIGMAS * sqrt(mean * (1 + 1.0 / periods))) {
            rate[count++].from = p;
            mean = 0;
            periods = 0;
        }
        periods++;
        mean += (requests - mean) / periods;
        rate[count - 1].per_s = mean / seconds;
    }
    out->rate[region] = rate;
    out->rate_count[region] = count;
}

void imp_levels_find(sim_arena *arena, const imp_series *series, imp_levels *out)
{
    *out = (imp_levels){0};
    view self = {.series = series,
                 .scratch = sim_arena_array(arena, series->periods, sizeof(double)),
                 .departs = sim_arena_array(arena, series->periods, sizeof(bool))};
    for (uint32_t r = 0; r < series->region_count; r++) {
        double sum[SIM_KINDS] = {0};
        self.region = r;
        for (int k = 0; k < SIM_KINDS; k++) {
            self.kind = k;
            find_line(arena, &self, &out->line[r][k]);
            for (uint32_t p = 0; p < series->periods; p++)
                sum[k] += cell_at(&self, p)->requests;
        }
        for (int k = 0; k < SIM_KINDS; k++)
            out->kind_share[r][k] = sum[0] + sum[1] > 0 ? sum[k] / (sum[0] + sum[1]) : k == SIM_KIND_READ;
        find_rates(arena, series, r, out);
    }
}
