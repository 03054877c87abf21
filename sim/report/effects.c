/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the keys of a sweep do: one by itself, two together, the other keys averaged.
 *
 * Points of one replication meet the same luck, so they are averaged within each replication first; the interval is
 * then over replications, as that of a single point. Of a key with many values neighbours are put together. */
#include <stdlib.h>
#include <string.h>

#include "experiment/statistics.h"
#include "report/sweep.h"

enum { LEVELS_MAX = 12, LEVELS_TOGETHER = 8, PAIRED_KEYS = 3, DRAWN_MAX = 4 };

/* The values of a key, in order, as few levels. */
typedef struct {
    size_t count;
    uint8_t *of;                                    /* [row]: level of each point */
    const sim_store_sweep_value *first[LEVELS_MAX]; /* of each level */
    const sim_store_sweep_value *last[LEVELS_MAX];
} levels;

static int compare_values(const void *a, const void *b)
{
    const sim_store_sweep_value *x = *(const sim_store_sweep_value *const *)a;
    const sim_store_sweep_value *y = *(const sim_store_sweep_value *const *)b;
    if (x->has_number != y->has_number)
        return x->has_number ? -1 : 1;
    if (x->has_number && (x->number < y->number || x->number > y->number))
        return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

static bool read_levels(const rep_sweep *self, size_t k, levels *out)
{
    const size_t rows = self->rows.count;
    const sim_store_sweep_value **value = calloc(rows, sizeof *value);
    *out = (levels){.of = calloc(rows, sizeof *out->of)};
    const bool ok = value != NULL && out->of != NULL;
    size_t distinct = 0;
    for (size_t i = 0; ok && i < rows; i++)
        value[i] = cli_sweep_value(self->view, &self->rows.row[i], k);
    if (ok)
        qsort(value, rows, sizeof *value, compare_values);
    for (size_t i = 0; ok && i < rows; i++) {
        if (distinct == 0 || compare_values(&value[i], &value[distinct - 1]) != 0)
            value[distinct++] = value[i];
    }
    out->count = distinct <= LEVELS_MAX ? distinct : LEVELS_TOGETHER;
    for (size_t l = 0; ok && l < out->count; l++) {
        out->first[l] = value[l * distinct / out->count];
        out->last[l] = value[(l + 1) * distinct / out->count - 1];
    }
    for (size_t i = 0; ok && i < rows; i++) {
        const sim_store_sweep_value *own = cli_sweep_value(self->view, &self->rows.row[i], k);
        while (compare_values(&own, &out->last[out->of[i]]) > 0)
            out->of[i]++;
    }
    free(value);
    return ok;
}

static void put_level(FILE *out, const levels *of, size_t l)
{
    rep_name(out, of->first[l]->text);
    if (compare_values(&of->first[l], &of->last[l]) == 0)
        return;
    (void)fputs(" … ", out);
    rep_name(out, of->last[l]->text);
}

/* ---- means over points ---- */

typedef struct {
    sim_metric_value mean;
    bool has_half;
    double half;
} average;

/* What a point adds to each replication: its value there, or what the estimate would be without the replication.
 * False: something is missing. */
static bool add_replications(const rep_sweep *self, const cli_sweep_row *row, sim_metric_id metric, double *sum)
{
    const sim_outcome *outcome = self->view->outcome;
    const uint32_t replications = self->view->plan->replications;
    sim_outcome_spread spread = {0};
    const bool is_merged = sim_outcome_is_merged(outcome, metric);
    if (is_merged && !sim_outcome_spread_of(outcome, row->scenario, row->policy, metric, &spread))
        return false;
    for (uint32_t r = 0; r < replications; r++) {
        const sim_metric_value one = sim_outcome_value(outcome, row->scenario, row->policy, 0, metric, r);
        if (!is_merged && one.is_null)
            return false;
        sum[r] += is_merged ? spread.without[r] : one.value;
    }
    return true;
}

/* The mean of those points in `is_meant` that have a value. One that is known in part makes the mean so. */
static average average_of(const rep_sweep *self, const bool *is_meant, sim_metric_id metric, double *sum)
{
    const uint32_t replications = self->view->plan->replications;
    average out = {.has_half = replications >= 2};
    double total = 0;
    memset(sum, 0, replications * sizeof *sum);
    for (size_t i = 0; i < self->rows.count; i++) {
        const cli_sweep_row *row = &self->rows.row[i];
        const sim_metric_value one =
            is_meant[i] ? sim_outcome_estimate(self->view->outcome, row->scenario, row->policy, 0, metric)
                        : (sim_metric_value){.is_null = true};
        if (is_meant[i] && out.has_half)
            out.has_half = !one.is_null && add_replications(self, row, metric, sum);
        if (one.is_null && !one.is_censored)
            continue;
        total += one.value;
        out.mean.samples++;
        out.mean.is_censored = out.mean.is_censored || one.is_censored;
    }
    const double points = (double)out.mean.samples;
    out.mean.is_null = out.mean.samples == 0 || out.mean.is_censored;
    out.mean.value = points > 0 ? total / points : 0;
    out.has_half = out.has_half && points > 0;
    for (uint32_t r = 0; out.has_half && r < replications; r++)
        sum[r] /= points;
    if (out.has_half) {
        const sim_estimate estimate = sim_outcome_is_merged(self->view->outcome, metric)
                                          ? sim_jackknife_estimate(out.mean.value, sum, replications)
                                          : sim_mean_estimate(sum, replications);
        const sim_interval interval = sim_t_interval(&estimate);
        out.half = (interval.high - interval.low) / 2;
    }
    return out;
}

/* ---- tables ---- */

/* What tables are made with. */
typedef struct {
    const rep_sweep *sweep;
    levels *key;    /* [key] */
    bool *is_meant; /* [row] */
    double *sum;    /* [replication] */
} maker;

/* Chooses the points of a base at a level of `k` and, if `with` is another key, at one of that; returns how many. */
static size_t choose(const maker *self, uint32_t base, size_t k, size_t level, size_t with, size_t level_with)
{
    const rep_sweep *sweep = self->sweep;
    size_t count = 0;
    for (size_t i = 0; i < sweep->rows.count; i++) {
        self->is_meant[i] = sweep->base_of[sweep->rows.row[i].policy] == base && self->key[k].of[i] == level &&
                            self->key[with].of[i] == level_with;
        count += self->is_meant[i];
    }
    return count;
}

static void put_metrics(const maker *self, size_t points)
{
    FILE *out = self->sweep->section->out;
    (void)fprintf(out, "<td>%zu", points);
    for (size_t m = 0; m < self->sweep->rows.metric_count; m++) {
        const average one = average_of(self->sweep, self->is_meant, self->sweep->rows.metric[m], self->sum);
        rep_sweep_cell(self->sweep, m, &one.mean, one.has_half, one.half);
    }
    (void)fputc('\n', out);
}

/* `id` may be followed by attributes; `keys` columns come first. */
static void open_table(const maker *self, const char *id, uint32_t base, const char *const *key, size_t keys)
{
    const rep_sweep *sweep = self->sweep;
    const char *heading[3 + SIM_METRIC_COUNT];
    char metric[SIM_METRIC_COUNT][CLI_VALUE_SIZE];
    size_t count = 0;
    for (; count < keys; count++)
        heading[count] = key[count];
    heading[count++] = "points";
    for (size_t m = 0; m < sweep->rows.metric_count; m++) {
        rep_sweep_heading(sweep, m, metric[m]);
        heading[count++] = metric[m];
    }
    rep_table_open(sweep->section->out, id, sweep->base[base], heading, count);
}

static void put_key(const maker *self, size_t k, uint32_t base)
{
    FILE *out = self->sweep->section->out;
    char id[96];
    (void)snprintf(id, sizeof id, "s%zu-effect-%zu-%u data-p=%u data-k=%zu", self->sweep->section->number, k, base,
                   base, k);
    open_table(self, id, base, &self->sweep->key[k], 1);
    for (size_t l = 0; l < self->key[k].count; l++) {
        const size_t points = choose(self, base, k, l, k, l);
        if (points == 0)
            continue;
        (void)fputs("<tr><th scope=row>", out);
        put_level(out, &self->key[k], l);
        put_metrics(self, points);
    }
    rep_table_close(out);
}

static void put_pair(const maker *self, size_t k, size_t with, uint32_t base)
{
    FILE *out = self->sweep->section->out;
    const char *key[] = {self->sweep->key[k], self->sweep->key[with]};
    char id[96];
    (void)snprintf(id, sizeof id, "s%zu-heat-%zu-%zu-%u data-p=%u", self->sweep->section->number, k, with, base, base);
    open_table(self, id, base, key, 2);
    for (size_t l = 0; l < self->key[k].count; l++) {
        for (size_t w = 0; w < self->key[with].count; w++) {
            const size_t points = choose(self, base, k, l, with, w);
            if (points == 0)
                continue;
            (void)fputs("<tr><th scope=row>", out);
            put_level(out, &self->key[k], l);
            (void)fputs("<td>", out);
            put_level(out, &self->key[with], w);
            put_metrics(self, points);
        }
    }
    rep_table_close(out);
}

/* How far apart the key's levels lie in the metric that sorts, over all bases. */
static double reach(const maker *self, size_t k)
{
    const rep_sweep *sweep = self->sweep;
    double low = 0;
    double high = 0;
    bool is_any = false;
    for (size_t l = 0; l < self->key[k].count; l++) {
        for (size_t i = 0; i < sweep->rows.count; i++)
            self->is_meant[i] = self->key[k].of[i] == l;
        const average one = average_of(sweep, self->is_meant, sweep->rows.by, self->sum);
        if (one.mean.samples == 0)
            continue;
        low = !is_any || one.mean.value < low ? one.mean.value : low;
        high = !is_any || one.mean.value > high ? one.mean.value : high;
        is_any = true;
    }
    return high - low;
}

/* The keys that do most, those that do alike in their order. Returns how many. */
static size_t choose_keys(const maker *self, size_t chosen[PAIRED_KEYS])
{
    const size_t keys = self->sweep->view->key_count;
    double size[2 * SIM_AXES_MAX];
    size_t count = 0;
    for (size_t k = 0; k < keys; k++)
        size[k] = self->key[k].count > 1 ? reach(self, k) : -1;
    while (count < PAIRED_KEYS) {
        size_t best = keys;
        for (size_t k = 0; k < keys; k++) {
            if (size[k] >= 0 && (best == keys || size[k] > size[best]))
                best = k;
        }
        if (best == keys)
            break;
        chosen[count++] = best;
        size[best] = -1;
    }
    return count;
}

/* Opens a figure that says which metrics to draw, the first ones that judge, and which way they are better. */
static void open_figure(const rep_sweep *sweep, const char *kind, const char *title, const char *note)
{
    static const char *const BETTER[] = {"down", "none", "up"};
    char columns[DRAWN_MAX * 4 + 1] = "";
    char better[DRAWN_MAX * 5 + 1] = "";
    char chart[160];
    size_t count = 0;
    for (size_t m = 0; m < sweep->rows.metric_count && count < DRAWN_MAX; m++) {
        bool is_judge = sweep->rows.judge_count == 0;
        for (size_t j = 0; j < sweep->rows.judge_count; j++)
            is_judge = is_judge || sweep->rows.judge[j] == sweep->rows.metric[m];
        if (!is_judge)
            continue;
        (void)snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s%zu", count > 0 ? " " : "", m);
        (void)snprintf(better + strlen(better), sizeof better - strlen(better), "%s%s", count > 0 ? " " : "",
                       BETTER[sim_metric_at(sweep->rows.metric[m])->better + 1]);
        count++;
    }
    (void)snprintf(chart, sizeof chart, "%s data-columns=\"%s\" data-better=\"%s\"", kind, columns, better);
    rep_figure_open(sweep->section, chart, title, note);
}

static void put_effects(const maker *self)
{
    const rep_sweep *sweep = self->sweep;
    open_figure(sweep, "effects", "What each key does",
                "The mean of all points with that value, the other keys averaged, with its 95 % interval over "
                "replications. Of a key with many values, neighbours are put together.");
    for (size_t k = 0; k < sweep->view->key_count; k++) {
        for (uint32_t b = 0; b < sweep->base_count; b++)
            put_key(self, k, b);
    }
    rep_figure_close(sweep->section);
}

static void put_heat(const maker *self)
{
    const rep_sweep *sweep = self->sweep;
    size_t chosen[PAIRED_KEYS];
    const size_t count = choose_keys(self, chosen);
    if (count < 2)
        return;
    char note[512];
    (void)snprintf(
        note, sizeof note,
        "The darker, the more, from the least to the most of each map, however close they are: the intervals are in "
        "the tips. ★ marks the best. %s%s",
        sweep->view->key_count > 2 ? "Other keys are averaged. " : "",
        sweep->view->key_count > PAIRED_KEYS ? "The three keys that do most to the first metric." : "");
    open_figure(sweep, "heat", "Two keys together", note);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            for (uint32_t b = 0; b < sweep->base_count; b++)
                put_pair(self, chosen[i], chosen[j], b);
        }
    }
    rep_figure_close(sweep->section);
}

void rep_put_effects(const rep_sweep *sweep)
{
    const size_t keys = sweep->view->key_count;
    maker self = {.sweep = sweep,
                  .key = calloc(keys, sizeof *self.key),
                  .is_meant = calloc(sweep->rows.count, sizeof *self.is_meant),
                  .sum = calloc(sweep->view->plan->replications, sizeof *self.sum)};
    bool ok = self.key != NULL && self.is_meant != NULL && self.sum != NULL;
    for (size_t k = 0; ok && k < keys; k++)
        ok = read_levels(sweep, k, &self.key[k]);
    if (ok) {
        put_effects(&self);
        put_heat(&self);
    } else {
        sweep->section->page->error = (sim_store_error){SIM_STORE_IO, "out of memory"};
    }
    for (size_t k = 0; self.key != NULL && k < keys; k++)
        free(self.key[k].of);
    free(self.key);
    free(self.is_meant);
    free(self.sum);
}
