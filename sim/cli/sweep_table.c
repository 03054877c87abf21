/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points as a table for people, and as long rows for programs. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "cli/sweep.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/wrap.h"
#include "experiment/estimate.h"

enum { LINES_AROUND = 13 /* of the screen, for what is said above and below the points */ };

/* ---- for people ---- */

/* One table under construction. */
typedef struct {
    const cli_sweep_view *view;
    const cli_sweep_rows *rows;
    cli_unit unit[SIM_METRIC_COUNT]; /* by column */
    size_t columns;
    cli_column *column; /* names owned */
    char **cell;        /* of one row; owned */
    cli_table table;
} drawing;

static bool name_columns(drawing *self)
{
    const size_t keys = self->view->key_count;
    bool ok = true;
    self->column[0].name = cli_text("point");
    for (size_t k = 0; k < keys; k++)
        self->column[2 + k] = (cli_column){cli_text("%s", cli_sweep_short_key(self->view, k)), true};
    for (size_t m = 0; m < self->rows->metric_count; m++) {
        self->unit[m] = cli_sweep_unit(self->view, self->rows, self->rows->metric[m]);
        self->column[2 + keys + m] =
            (cli_column){cli_text("%s, %s", sim_metric_at(self->rows->metric[m])->name, self->unit[m].name), true};
    }
    self->column[1].name = cli_text("standing");
    for (size_t c = 0; c < self->columns; c++)
        ok = ok && self->column[c].name != NULL;
    return ok;
}

/* "12.3 ±0.4" */
static char *estimate_text(const drawing *self, const cli_sweep_row *row, size_t m)
{
    const sim_metric_id metric = self->rows->metric[m];
    const sim_metric_value value = sim_outcome_estimate(self->view->outcome, row->scenario, row->policy, 0, metric);
    char text[CLI_VALUE_SIZE];
    double half = 0;
    cli_format_value(&value, self->unit[m], text);
    if (!sim_estimate_half(self->view->outcome, row->scenario, row->policy, metric, &half))
        return cli_text("%s", text);
    return cli_text("%s ±%.*f", text, half > 0 ? self->unit[m].decimals : 0, half * self->unit[m].factor);
}

static char *point_text(const cli_sweep_view *view, const cli_sweep_row *row)
{
    const char *scenario = view->plan->scenario[row->scenario]->name;
    const char *policy = view->plan->policy[row->policy]->name;
    const char *hash = strrchr(scenario, '#');
    if (view->key_count == view->knob_count)
        return cli_text("%s", policy);
    if (view->plan->policy_count == 1)
        return cli_text("%s", hash == NULL ? scenario : hash);
    return cli_text("%s %s", hash == NULL ? scenario : hash, policy);
}

static bool add_row(drawing *self, const cli_sweep_row *row)
{
    const size_t keys = self->view->key_count;
    bool ok = true;
    self->cell[0] = point_text(self->view, row);
    for (size_t k = 0; k < keys; k++)
        self->cell[2 + k] = cli_text("%s", cli_sweep_value(self->view, row, k)->text);
    for (size_t m = 0; m < self->rows->metric_count; m++)
        self->cell[2 + keys + m] = estimate_text(self, row, m);
    self->cell[1] = cli_text("%s", cli_sweep_standing(row));
    for (size_t c = 0; c < self->columns; c++)
        ok = ok && self->cell[c] != NULL;
    ok = ok && cli_table_add(&self->table, (const char *const *)self->cell);
    if (ok && row->is_judged && !row->is_dominated)
        cli_table_mark(&self->table, self->table.row_count - 1, 1, CLI_MARK_GOOD);
    for (size_t c = 0; c < self->columns; c++) {
        free(self->cell[c]);
        self->cell[c] = NULL;
    }
    return ok;
}

/* Prints what the screen has room for; returns how many points that were. */
static size_t print_rows(cli_table *table, cli_format format, FILE *out)
{
    const size_t all = table->row_count;
    const size_t parts = format == CLI_TEXT ? cli_table_parts(table, out) : 1;
    const size_t room = (size_t)cli_screen_height(out);
    const size_t lines = room > LINES_AROUND ? (room - LINES_AROUND) / parts : 0;
    const size_t fit = lines > 6 ? lines - 3 : 3; /* each part has a header, often of two lines, and an empty line */
    const size_t shown = all < fit ? all : fit;
    table->row_count = shown;
    cli_table_print(table, format, out);
    table->row_count = all;
    return shown;
}

static void put_prose(const char *text, cli_format format, FILE *out)
{
    if (format == CLI_MD)
        (void)fprintf(out, "\n%s\n", text);
    else
        cli_put_wrapped(out, text, 0, 0, cli_prose_width(out));
}

static void print_legend(const cli_sweep_view *view, const cli_sweep_rows *rows, size_t shown, cli_format format,
                         FILE *out)
{
    char text[4096];
    size_t used = 0;
    if (shown < rows->count)
        used =
            (size_t)snprintf(text, sizeof text, "%zu of %zu points; --format csv has them all. ", shown, rows->count);
    if (rows->judge_count == 0)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "No metric here is better one way, so nothing is judged.");
    else
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "front: no other policy of the scenario is as good in all of ");
    for (size_t j = 0; j < rows->judge_count && used < sizeof text; j++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 j == 0                       ? ""
                                 : j + 1 == rows->judge_count ? " and "
                                                              : ", ",
                                 sim_metric_at(rows->judge[j])->name);
    if (rows->judge_count > 0 && used < sizeof text)
        (void)snprintf(text + used, sizeof text - used, " and better in one, by the estimates; sorted by %s. %s",
                       sim_metric_at(rows->by)->name,
                       view->plan->replications < 2
                           ? "One replication has no intervals."
                           : "± is half of a 95 % interval: points closer than that may well be alike, and of many "
                             "points some look good by luck; compare the best with more replications.");
    put_prose(text, format, out);
}

static void print_heading(const cli_sweep_view *view, uint32_t file, const cli_sweep_rows *rows, cli_format format,
                          FILE *out)
{
    const char *name = view->plan->scenario[rows->row[0].scenario]->name;
    const int length = view->key_count == view->knob_count ? (int)strlen(name) : (int)(strrchr(name, '#') - name);
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    (void)fprintf(out, "%s%s%s%.*s%s: %zu point%s, %u replication%s each, seed %llu\n\n", file > 0 ? "\n" : "",
                  format == CLI_MD ? "## " : "", has_colour ? CLI_BOLD : "", length, name, has_colour ? CLI_PLAIN : "",
                  rows->count, rows->count == 1 ? "" : "s", view->plan->replications,
                  view->plan->replications == 1 ? "" : "s", (unsigned long long)view->plan->seed);
}

static bool print_file(const cli_sweep_view *view, uint32_t file, const cli_sweep_rows *rows, cli_format format,
                       FILE *out)
{
    drawing self = {.view = view, .rows = rows, .columns = 2 + view->key_count + rows->metric_count};
    self.column = calloc(self.columns, sizeof *self.column);
    self.cell = calloc(self.columns, sizeof *self.cell);
    bool ok = self.column != NULL && self.cell != NULL && name_columns(&self);
    if (ok)
        cli_table_init(&self.table, self.column, self.columns);
    for (size_t i = 0; ok && i < rows->count; i++)
        ok = add_row(&self, &rows->row[i]);
    if (ok) {
        print_heading(view, file, rows, format, out);
        const size_t shown = print_rows(&self.table, format, out);
        (void)fputs(format == CLI_MD ? "" : "\n", out);
        print_legend(view, rows, shown, format, out);
    }
    cli_table_deinit(&self.table);
    for (size_t c = 0; self.column != NULL && c < self.columns; c++)
        free((char *)self.column[c].name);
    free(self.column);
    free(self.cell);
    return ok;
}

/* ---- for programs ---- */

static const cli_column BEFORE_KEYS[] = {{"scenario", false}, {"policy", false}};
static const cli_column BEHIND_KEYS[] = {{"metric", false},      {"unit", false},    {"value", true},
                                         {"more_than", true},    {"low", true},      {"high", true},
                                         {"replications", true}, {"standing", false}};
enum {
    BEFORE = sizeof BEFORE_KEYS / sizeof *BEFORE_KEYS,
    BEHIND = sizeof BEHIND_KEYS / sizeof *BEHIND_KEYS,
    COLUMNS_MAX = BEFORE + 2 * SIM_AXES_MAX + BEHIND,
    NUMBER_SIZE = 32,
};

static bool add_long_row(const cli_sweep_view *view, const cli_sweep_row *row, sim_metric_id metric, cli_table *table)
{
    const char *cell[COLUMNS_MAX];
    char number[5][NUMBER_SIZE] = {"", "", "", "", ""};
    size_t c = 0;
    double half = 0;
    const sim_metric_value value = sim_outcome_estimate(view->outcome, row->scenario, row->policy, 0, metric);
    cell[c++] = view->plan->scenario[row->scenario]->name;
    cell[c++] = view->plan->policy[row->policy]->name;
    for (size_t k = 0; k < view->key_count; k++)
        cell[c++] = cli_sweep_value(view, row, k)->text;
    cell[c++] = sim_metric_at(metric)->name;
    cell[c++] = sim_metric_at(metric)->unit;
    if (!value.is_null || value.is_censored)
        (void)snprintf(number[value.is_censored ? 1 : 0], NUMBER_SIZE, "%.17g", value.value);
    if (sim_estimate_half(view->outcome, row->scenario, row->policy, metric, &half)) {
        (void)snprintf(number[2], NUMBER_SIZE, "%.17g", value.value - half);
        (void)snprintf(number[3], NUMBER_SIZE, "%.17g", value.value + half);
    }
    (void)snprintf(number[4], NUMBER_SIZE, "%llu", (unsigned long long)value.samples);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        cell[c++] = number[i];
    cell[c++] = cli_sweep_standing(row);
    return cli_table_add(table, cell);
}

/* One row for each point and metric, in the metric's own unit. */
static bool print_long(const cli_sweep_view *view, uint32_t files, cli_format format, FILE *out)
{
    cli_column column[COLUMNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < BEFORE; i++)
        column[count++] = BEFORE_KEYS[i];
    for (size_t k = 0; k < view->key_count; k++)
        column[count++] = (cli_column){view->key[k], false};
    for (size_t i = 0; i < BEHIND; i++)
        column[count++] = BEHIND_KEYS[i];
    cli_table table;
    cli_table_init(&table, column, count);
    bool ok = true;
    for (uint32_t file = 0; ok && file < files; file++) {
        cli_sweep_rows rows;
        ok = cli_sweep_rows_make(view, file, &rows);
        for (size_t i = 0; ok && i < rows.count * rows.metric_count; i++)
            ok = add_long_row(view, &rows.row[i / rows.metric_count], rows.metric[i % rows.metric_count], &table);
        cli_sweep_rows_deinit(&rows);
    }
    if (ok)
        cli_table_print(&table, format, out);
    cli_table_deinit(&table);
    return ok;
}

bool cli_sweep_print(const cli_sweep_view *view, cli_format format, FILE *out)
{
    const uint32_t files = cli_sweep_files(view);
    if (format == CLI_CSV || format == CLI_JSON)
        return print_long(view, files, format, out);
    bool ok = true;
    for (uint32_t file = 0; ok && file < files; file++) {
        cli_sweep_rows rows;
        ok = cli_sweep_rows_make(view, file, &rows) && print_file(view, file, &rows, format, out);
        cli_sweep_rows_deinit(&rows);
    }
    (void)fprintf(out, "\nDatabase: %s\n", view->db);
    return ok;
}
