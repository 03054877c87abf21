/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points gathered, judged and sorted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "experiment/front.h"

static const sim_metric_id USUAL[] = {
    SIM_METRIC_away_healthy_s, SIM_METRIC_home_unhealthy_s,    SIM_METRIC_flap_count,
    SIM_METRIC_latency_p99,    SIM_METRIC_canary_blast_radius,
};

const sim_store_sweep_value *cli_sweep_value(const cli_sweep_view *view, const cli_sweep_row *row, size_t k)
{
    const uint32_t policies = view->knob_count > 0 ? view->plan->policy_count : 0;
    const sim_store_sweep_point *point =
        &view->sweep->point[k < view->knob_count ? row->policy : policies + row->scenario];
    uint32_t at = 0;
    while (strcmp(point->value[at].key, view->key[k]) != 0)
        at++;
    return &point->value[at];
}

uint32_t cli_sweep_files(const cli_sweep_view *view)
{
    return view->scenario_base[view->plan->scenario_count - 1] + 1;
}

const char *cli_sweep_standing(const cli_sweep_row *row)
{
    return !row->is_judged ? "" : row->is_dominated ? "dominated" : "front";
}

static bool is_whole(double value)
{
    return value >= 0 && value < 1e15 && (double)(int64_t)value >= value;
}

cli_unit cli_sweep_unit(const cli_sweep_view *view, const cli_sweep_rows *rows, sim_metric_id metric)
{
    double largest = 0;
    bool all_whole = true;
    for (size_t i = 0; i < rows->count; i++) {
        const sim_metric_value value =
            sim_outcome_estimate(view->outcome, rows->row[i].scenario, rows->row[i].policy, 0, metric);
        if (value.is_null && !value.is_censored)
            continue;
        largest = value.value > largest ? value.value : largest;
        all_whole = all_whole && is_whole(value.value);
    }
    return cli_unit_for(sim_metric_at(metric), largest, all_whole && view->plan->replications == 1);
}

const char *cli_sweep_short_key(const cli_sweep_view *view, size_t k)
{
    const char *key = view->key[k];
    const char *dot = strrchr(key, '.');
    const char *last = dot == NULL ? key : dot + 1;
    for (size_t i = 0; i < view->key_count; i++) {
        const char *other = strrchr(view->key[i], '.');
        if (i != k && other != NULL && strcmp(other + 1, last) == 0)
            return key;
    }
    return last;
}

static void put(sim_metric_id *list, size_t *count, sim_metric_id metric)
{
    for (size_t i = 0; i < *count; i++) {
        if (list[i] == metric)
            return;
    }
    list[(*count)++] = metric;
}

static void put_judge(cli_sweep_rows *rows, sim_metric_id metric)
{
    if (sim_metric_at(metric)->better != SIM_NEITHER)
        put(rows->judge, &rows->judge_count, metric);
}

/* What is asked for; else the usual ones and the scenario's objectives, which then judge alone. */
static void choose_metrics(const cli_sweep_view *view, const sim_scenario *scenario, cli_sweep_rows *rows)
{
    const bool is_asked = view->asked_count > 0;
    for (size_t i = 0; i < view->asked_count; i++)
        put(rows->metric, &rows->metric_count, view->asked[i]);
    for (size_t i = 0; !is_asked && i < sizeof USUAL / sizeof *USUAL; i++)
        put(rows->metric, &rows->metric_count, USUAL[i]);
    for (uint32_t i = 0; !is_asked && i < scenario->objective_count; i++) {
        const sim_metric_id metric = sim_metric_find(scenario->objective[i]);
        put(rows->metric, &rows->metric_count, metric);
        put_judge(rows, metric);
    }
    const bool judges_all = rows->judge_count == 0;
    for (size_t i = 0; judges_all && i < rows->metric_count; i++)
        put_judge(rows, rows->metric[i]);
    rows->by = rows->judge_count > 0 ? rows->judge[0] : rows->metric[0];
}

static double merit_of(const cli_sweep_view *view, uint32_t s, uint32_t p, sim_metric_id metric)
{
    const sim_metric_value value = sim_outcome_estimate(view->outcome, s, p, 0, metric);
    if (value.is_null)
        return (double)NAN;
    return sim_metric_at(metric)->better == SIM_HIGHER_IS_BETTER ? value.value : -value.value;
}

/* Judges the policies of one scenario; `row` are theirs. */
static bool judge(const cli_sweep_view *view, cli_sweep_rows *rows, cli_sweep_row *row)
{
    const uint32_t policies = view->plan->policy_count;
    const size_t judges = rows->judge_count;
    double *merit = calloc(policies * judges + 1, sizeof *merit);
    bool *is_dominated = calloc(policies, sizeof *is_dominated);
    const bool ok = merit != NULL && is_dominated != NULL;
    for (size_t i = 0; ok && i < policies * judges; i++)
        merit[i] = merit_of(view, row->scenario, (uint32_t)(i / judges), rows->judge[i % judges]);
    if (ok)
        sim_front_find(merit, policies, judges, is_dominated);
    for (uint32_t p = 0; ok && p < policies; p++) {
        row[p].is_dominated = is_dominated[p];
        row[p].is_judged = judges > 0 && sim_front_is_judged(merit, p, judges);
        row[p].merit = merit_of(view, row[p].scenario, p, rows->by);
    }
    free(merit);
    free(is_dominated);
    return ok;
}

static bool is_on_front(const cli_sweep_row *row)
{
    return row->is_judged && !row->is_dominated;
}

/* The front, then by merit; what has none comes last; then as in the plan. */
static int compare_rows(const void *a, const void *b)
{
    const cli_sweep_row *x = a;
    const cli_sweep_row *y = b;
    if (is_on_front(x) != is_on_front(y))
        return is_on_front(x) ? -1 : 1;
    if (isnan(x->merit) != isnan(y->merit))
        return isnan(x->merit) ? 1 : -1;
    if (x->merit < y->merit || x->merit > y->merit)
        return x->merit > y->merit ? -1 : 1;
    if (x->scenario != y->scenario)
        return x->scenario < y->scenario ? -1 : 1;
    return x->policy < y->policy ? -1 : 1;
}

bool cli_sweep_rows_make(const cli_sweep_view *view, uint32_t scenario_file, cli_sweep_rows *rows)
{
    const sim_store_plan *plan = view->plan;
    *rows = (cli_sweep_rows){.row = calloc((size_t)plan->scenario_count * plan->policy_count, sizeof *rows->row)};
    bool ok = rows->row != NULL;
    for (uint32_t s = 0; ok && s < plan->scenario_count; s++) {
        if (view->scenario_base[s] != scenario_file)
            continue;
        if (rows->metric_count == 0)
            choose_metrics(view, plan->scenario[s], rows);
        cli_sweep_row *first = rows->row + rows->count;
        for (uint32_t p = 0; p < plan->policy_count; p++)
            rows->row[rows->count++] = (cli_sweep_row){.scenario = s, .policy = p};
        ok = judge(view, rows, first);
    }
    if (ok)
        qsort(rows->row, rows->count, sizeof *rows->row, compare_rows);
    return ok;
}

void cli_sweep_rows_deinit(cli_sweep_rows *rows)
{
    free(rows->row);
    *rows = (cli_sweep_rows){0};
}
