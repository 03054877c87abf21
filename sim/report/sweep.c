/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section of a sweep: the answer in words, the points, the front. */
#include "report/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/estimate.h"

enum { POINTS_SHOWN = 400 };

static sim_metric_value estimate(const rep_sweep *self, const cli_sweep_row *row, sim_metric_id metric)
{
    return sim_outcome_estimate(self->view->outcome, row->scenario, row->policy, 0, metric);
}

void rep_sweep_heading(const rep_sweep *self, size_t metric, char text[CLI_VALUE_SIZE])
{
    (void)snprintf(text, CLI_VALUE_SIZE, "%s, %s", sim_metric_at(self->rows.metric[metric])->name,
                   self->unit[metric].name);
}

void rep_sweep_cell(const rep_sweep *self, size_t metric, const sim_metric_value *value, bool has_half, double half)
{
    const cli_unit unit = self->unit[metric];
    char text[CLI_VALUE_SIZE];
    cli_format_value(value, unit, text);
    (void)fprintf(self->section->out, "<td>%s", text);
    if (has_half)
        (void)fprintf(self->section->out, " ±%.*f", half > 0 ? unit.decimals : 0, half * unit.factor);
}

/* ---- what is known of the section ---- */

static void find_bases(rep_sweep *self)
{
    const rep_source *source = self->section->source;
    self->base = sim_arena_array(source->arena, source->plan.policy_count, sizeof *self->base);
    self->base_of = sim_arena_array(source->arena, source->plan.policy_count, sizeof *self->base_of);
    for (uint32_t p = 0; p < source->plan.policy_count; p++) {
        const char *name = rep_sweep_base(source, p);
        uint32_t at = 0;
        while (at < self->base_count && strcmp(self->base[at], name) != 0)
            at++;
        if (at == self->base_count)
            self->base[self->base_count++] = name;
        self->base_of[p] = at;
    }
}

static bool open_sweep(rep_sweep *self, const rep_section *section)
{
    const rep_source *source = section->source;
    *self = (rep_sweep){.section = section, .view = &source->sweep};
    if (!cli_sweep_rows_make(self->view, source->sweep.scenario_base[section->scenario], &self->rows)) {
        section->page->error = (sim_store_error){SIM_STORE_IO, "out of memory"};
        return false;
    }
    for (size_t m = 0; m < self->rows.metric_count; m++)
        self->unit[m] = cli_sweep_unit(self->view, &self->rows, self->rows.metric[m]);
    for (size_t k = 0; k < self->view->key_count; k++)
        self->key[k] = cli_sweep_short_key(self->view, k);
    find_bases(self);
    return true;
}

static bool is_on_front(const cli_sweep_row *row)
{
    return row->is_judged && !row->is_dominated;
}

static size_t count_front(const rep_sweep *self)
{
    size_t count = 0;
    while (count < self->rows.count && is_on_front(&self->rows.row[count]))
        count++;
    return count;
}

/* ---- words ---- */

static void put_facts(const rep_sweep *self)
{
    const sim_store_plan *plan = &self->section->source->plan;
    const int64_t missing =
        rep_single(self->section->source, "SELECT count(*) FROM run WHERE state <> 'done'", NULL, 0, 0);
    (void)fprintf(self->section->out, "<p class=facts>A sweep: %zu points · %u replication%s of each · seed %llu</p>\n",
                  self->rows.count, plan->replications, plan->replications == 1 ? "" : "s",
                  (unsigned long long)plan->seed);
    if (missing > 0)
        (void)fprintf(self->section->out,
                      "<p class=warning>%lld runs of this sweep have not finished: what follows is made from the "
                      "others.</p>\n",
                      (long long)missing);
}

static void put_judges(const rep_sweep *self)
{
    for (size_t j = 0; j < self->rows.judge_count; j++) {
        const char *name = sim_metric_at(self->rows.judge[j])->name;
        (void)fprintf(self->section->out, "%s<a href=#m-%s>%s</a>",
                      j == 0                            ? ""
                      : j + 1 == self->rows.judge_count ? " and "
                                                        : ", ",
                      name, name);
    }
}

static void put_point_name(const rep_sweep *self, const cli_sweep_row *row)
{
    const sim_store_plan *plan = self->view->plan;
    const char *scenario = plan->scenario[row->scenario]->name;
    const char *hash = strrchr(scenario, '#');
    if (self->view->key_count > self->view->knob_count)
        rep_name(self->section->out, hash == NULL ? scenario : hash);
    if (self->view->key_count > self->view->knob_count && plan->policy_count > 1)
        (void)fputc(' ', self->section->out);
    if (self->view->key_count == self->view->knob_count || plan->policy_count > 1)
        rep_name(self->section->out, plan->policy[row->policy]->name);
}

/* The point that is best in a metric that judges, with what its keys are. */
static void put_best(const rep_sweep *self, sim_metric_id judge)
{
    FILE *out = self->section->out;
    const sim_metric_definition *metric = sim_metric_at(judge);
    const double sign = metric->better == SIM_HIGHER_IS_BETTER ? 1 : -1;
    const cli_sweep_row *best = NULL;
    sim_metric_value most = {0};
    size_t alike = 0;
    for (size_t i = 0; i < self->rows.count; i++) {
        const sim_metric_value value = estimate(self, &self->rows.row[i], judge);
        if (value.is_null || (best != NULL && sign * value.value < sign * most.value))
            continue;
        alike = best == NULL || sign * value.value > sign * most.value ? 0 : alike + 1;
        if (alike > 0)
            continue;
        best = &self->rows.row[i];
        most = value;
    }
    if (best == NULL)
        return;
    char text[CLI_VALUE_SIZE];
    cli_format_with_unit(metric, &most, NULL, text);
    (void)fprintf(out, "<li>%s %s: %s under ", sign > 0 ? "Most" : "Least", metric->name, text);
    put_point_name(self, best);
    (void)fputs(", with ", out);
    for (size_t k = 0; k < self->view->key_count; k++) {
        (void)fputs(k == 0 ? "" : ", ", out);
        rep_name(out, self->key[k]);
        (void)fputs(" = ", out);
        rep_name(out, cli_sweep_value(self->view, best, k)->text);
    }
    if (alike > 0)
        (void)fprintf(out, "; %zu other point%s the same", alike, alike == 1 ? " has" : "s have");
    (void)fputc('\n', out);
}

static void put_answer(const rep_sweep *self)
{
    FILE *out = self->section->out;
    (void)fputs("<div class=answer>\n<h3 class=quiet>The answer</h3>\n<p class=lead>", out);
    if (self->rows.judge_count == 0) {
        (void)fputs("No metric here is better one way, so nothing is judged.</p>\n</div>\n", out);
        return;
    }
    (void)fprintf(out, "%zu of %zu points are on the front: no other policy of the same scenario is as good in all of ",
                  count_front(self), self->rows.count);
    put_judges(self);
    (void)fputs(" and better in one.</p>\n<ul>\n", out);
    for (size_t j = 0; j < self->rows.judge_count; j++)
        put_best(self, self->rows.judge[j]);
    (void)fprintf(out, "</ul>\n<p>By the estimates alone. %s</p>\n</div>\n",
                  self->view->plan->replications < 2
                      ? "One replication has no intervals: play the best again with more."
                      : "Points whose intervals (±, 95 %) overlap may well be alike, and of many points some look good "
                        "by luck: play the best again with more replications.");
}

static void put_key(const rep_sweep *self)
{
    (void)fputs("<ul class=key aria-label=\"Policies and their colours\">", self->section->out);
    for (size_t b = 0; b < self->base_count; b++)
        rep_key_item(self->section, self->base[b], "", "");
    (void)fputs("</ul>\n", self->section->out);
}

/* ---- points ---- */

static void put_row(const rep_sweep *self, const cli_sweep_row *row)
{
    FILE *out = self->section->out;
    const char *standing = cli_sweep_standing(row);
    (void)fprintf(out, "<tr data-p=%u><th scope=row>", self->base_of[row->policy]);
    put_point_name(self, row);
    (void)fprintf(out, "<td class=%s>%s", is_on_front(row) ? "better" : "open", standing[0] == '\0' ? "–" : standing);
    for (size_t k = 0; k < self->view->key_count; k++) {
        (void)fputs("<td>", out);
        rep_name(out, cli_sweep_value(self->view, row, k)->text);
    }
    for (size_t m = 0; m < self->rows.metric_count; m++) {
        double half = 0;
        const sim_metric_value value = estimate(self, row, self->rows.metric[m]);
        const bool has_half =
            sim_estimate_half(self->view->outcome, row->scenario, row->policy, self->rows.metric[m], &half);
        rep_sweep_cell(self, m, &value, has_half, half);
    }
    (void)fputc('\n', out);
}

/* Columns of the metrics that judge, for the chart. */
static void put_judge_columns(const rep_sweep *self)
{
    for (size_t j = 0; j < self->rows.judge_count; j++) {
        size_t m = 0;
        while (self->rows.metric[m] != self->rows.judge[j])
            m++;
        (void)fprintf(self->section->out, "%s%zu", j == 0 ? "" : " ", 2 + self->view->key_count + m);
    }
}

static void put_points(const rep_sweep *self)
{
    const size_t columns = 2 + self->view->key_count + self->rows.metric_count;
    const size_t shown = self->rows.count < POINTS_SHOWN ? self->rows.count : POINTS_SHOWN;
    const char *heading[2 + 2 * SIM_AXES_MAX + SIM_METRIC_COUNT] = {"point", "standing"};
    char metric[SIM_METRIC_COUNT][CLI_VALUE_SIZE];
    char note[512];
    char id[32];
    (void)snprintf(note, sizeof note,
                   "Each mark is a point%s, with its 95 %% interval where it is on the front. On the front is what no "
                   "other point of its scenario beats: filled; the rest is hollow.%s",
                   shown < self->rows.count ? " (the front, then the best by the first metric)" : "",
                   shown < self->rows.count ? " The database has them all: view v_sweep." : "");
    for (size_t k = 0; k < self->view->key_count; k++)
        heading[2 + k] = self->key[k];
    for (size_t m = 0; m < self->rows.metric_count; m++) {
        rep_sweep_heading(self, m, metric[m]);
        heading[2 + self->view->key_count + m] = metric[m];
    }
    rep_figure_open(self->section, "front", "What nothing beats", note);
    (void)snprintf(id, sizeof id, "s%zu-points", self->section->number);
    (void)fprintf(self->section->out, "<div class=points data-judges=\"");
    put_judge_columns(self);
    (void)fprintf(self->section->out, "\" data-keys=%zu>", self->view->key_count);
    rep_table_open(self->section->out, id, "Points: the front first, then sorted by the first metric that judges",
                   heading, columns);
    for (size_t i = 0; i < shown; i++)
        put_row(self, &self->rows.row[i]);
    rep_table_close(self->section->out);
    (void)fputs("</div>\n", self->section->out);
    rep_figure_close(self->section);
}

void rep_put_sweep(const rep_section *section)
{
    rep_sweep self;
    if (open_sweep(&self, section)) {
        put_facts(&self);
        put_answer(&self);
        put_key(&self);
        put_points(&self);
        rep_put_effects(&self);
    }
    cli_sweep_rows_deinit(&self.rows);
}

void rep_put_sweep_name(const rep_section *section)
{
    const rep_source *source = section->source;
    const size_t knob_points = source->sweep.knob_count > 0 ? source->plan.policy_count : 0;
    const bool has_fields = source->sweep.key_count > source->sweep.knob_count;
    rep_name(section->out, has_fields ? source->points.point[knob_points + section->scenario].base
                                      : source->plan.scenario[section->scenario]->name);
}
