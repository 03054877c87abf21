/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search's end: front, sensitivity, robustness, confirmation and recommendation for people; long rows for programs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/tune.h"
#include "cli/wrap.h"

enum { CELL_SIZE = 96, COLUMNS_MAX = 4 + SIM_SEARCH_OBJECTIVES_MAX + SIM_AXES_MAX };

/* One table for people under construction. */
typedef struct {
    const cli_tuning *tuning;
    const sim_tune_result *result;
    cli_format format;
    FILE *out;
    size_t columns;
    cli_column column[COLUMNS_MAX];
    char name[COLUMNS_MAX][CELL_SIZE];
    char cell[COLUMNS_MAX][CELL_SIZE];
    cli_table table;
    bool ok;
} drawing;

static void add_column(drawing *self, bool is_number, const char *name, const char *unit)
{
    char *text = self->name[self->columns];
    (void)snprintf(text, CELL_SIZE, "%s%s", name, unit);
    self->column[self->columns++] = (cli_column){text, is_number};
}

static void add_objective_columns(drawing *self)
{
    for (size_t o = 0; o < self->result->objective_count; o++)
        add_column(self, true, sim_metric_at(self->result->objective[o].metric)->name, ", %");
}

static void begin_table(drawing *self)
{
    cli_table_init(&self->table, self->column, self->columns);
}

static void end_row(drawing *self)
{
    const char *cell[COLUMNS_MAX];
    for (size_t c = 0; c < self->columns; c++)
        cell[c] = self->cell[c];
    self->ok = self->ok && cli_table_add(&self->table, cell);
    memset(self->cell, 0, sizeof self->cell);
}

static void put_heading(const drawing *self, const char *text)
{
    if (self->format == CLI_MD)
        (void)fprintf(self->out, "\n## %s\n\n", text);
    else
        (void)fprintf(self->out, "\n%s%s%s\n\n", cli_has_colour(self->out) ? CLI_BOLD : "", text,
                      cli_has_colour(self->out) ? CLI_PLAIN : "");
}

static void put_prose(const drawing *self, const char *text)
{
    if (self->format == CLI_MD)
        (void)fprintf(self->out, "%s\n", text);
    else
        cli_put_wrapped(self->out, text, 0, 0, cli_prose_width(self->out));
}

/* Prose about the table above it. */
static void put_note(const drawing *self, const char *text)
{
    (void)fputc('\n', self->out);
    put_prose(self, text);
}

static void finish_table(drawing *self)
{
    if (self->ok)
        cli_table_print(&self->table, self->format, self->out);
    cli_table_deinit(&self->table);
    self->columns = 0;
}

/* "+43.1 ±0.5", in percent; no interval where there is no width. */
static void put_gain(char out[CELL_SIZE], double gain, double low, double high)
{
    const double half = 50 * (high - low);
    if (half > 0)
        (void)snprintf(out, CELL_SIZE, "%+.1f ±%.1f", 100 * gain, half);
    else
        (void)snprintf(out, CELL_SIZE, "%+.1f", 100 * gain);
}

static const sim_tune_gain *find_gain(const sim_tune_result *result, size_t point, uint32_t scenario,
                                      sim_metric_id metric)
{
    for (size_t i = 0; i < result->gain_count; i++) {
        const sim_tune_gain *gain = &result->gain[i];
        if (gain->point == point && gain->scenario == scenario && gain->metric == metric)
            return gain;
    }
    return NULL;
}

static bool is_on_front(const drawing *self, size_t point)
{
    return self->tuning->search.point[point].standing == SIM_POINT_FRONT;
}

/* ---- tables ---- */

static void add_front_row(drawing *self, size_t point)
{
    const sim_tune_result *result = self->result;
    size_t c = 0;
    (void)snprintf(self->cell[c++], CELL_SIZE, "%s", cli_tune_point_name(self->tuning, point));
    for (size_t o = 0; o < result->objective_count; o++) {
        const sim_tune_gain *gain = find_gain(result, point, 0, result->objective[o].metric);
        if (gain != NULL)
            put_gain(self->cell[c], gain->gain, gain->low, gain->high);
        c++;
    }
    for (size_t a = 0; a < result->axis_count; a++)
        (void)snprintf(self->cell[c++], CELL_SIZE, "%s", result->point[point].value[a].text);
    end_row(self);
    if (self->ok && point != SIM_SEARCH_BASE && point == cli_tune_recommended(self->tuning))
        cli_table_mark(&self->table, self->table.row_count - 1, 0, CLI_MARK_GOOD);
}

static void print_front(drawing *self)
{
    put_heading(self, "What no other point beats: gains over the base, mean over the scenarios");
    add_column(self, false, "point", "");
    add_objective_columns(self);
    for (size_t a = 0; a < self->result->axis_count; a++)
        add_column(self, true, self->tuning->vary.knobs.axis[a].key, "");
    begin_table(self);
    add_front_row(self, SIM_SEARCH_BASE);
    for (size_t p = 1; p < self->result->point_count; p++) {
        if (is_on_front(self, p))
            add_front_row(self, p);
    }
    finish_table(self);
    put_note(self,
             "A gain is what is improved, relative to the base under the same luck, whichever side is better; ± is "
             "half of a 95 % interval over replications. Of many points some look good by luck: only the "
             "confirmation counts.");
}

static void print_sensitivity(drawing *self)
{
    const sim_tune_result *result = self->result;
    if (result->effect_count == 0)
        return;
    const size_t rows = result->effect_count / result->objective_count;
    put_heading(self, "What each knob does by itself, from its first value to this one");
    add_column(self, false, "knob", "");
    add_column(self, true, "to", "");
    add_objective_columns(self);
    begin_table(self);
    /* Effects come objective by objective, those over all scenarios first. */
    for (size_t i = 0; i < rows; i++) {
        const sim_tune_effect *first = &result->effect[i];
        if (first->scenario != 0 || first->metric != result->effect[0].metric)
            break;
        (void)snprintf(self->cell[0], CELL_SIZE, "%s", first->key);
        (void)snprintf(self->cell[1], CELL_SIZE, "%s", first->value);
        for (size_t k = 0; k < result->effect_count; k++) {
            const sim_tune_effect *effect = &result->effect[k];
            if (effect->scenario != 0 || strcmp(effect->key, first->key) != 0 ||
                strcmp(effect->value, first->value) != 0)
                continue;
            for (size_t o = 0; o < result->objective_count; o++) {
                if (result->objective[o].metric == effect->metric)
                    put_gain(self->cell[2 + o], effect->effect, effect->low, effect->high);
            }
        }
        end_row(self);
    }
    finish_table(self);
    put_note(self,
             "A straight line through the points of the first round: it says which knobs matter, not that the truth "
             "is straight.");
}

/* How much less than the best of the front. */
static double regret_of(const drawing *self, const sim_tune_gain *gain)
{
    double best = gain->gain;
    for (size_t i = 0; i < self->result->gain_count; i++) {
        const sim_tune_gain *other = &self->result->gain[i];
        if (other->scenario == gain->scenario && other->metric == gain->metric && is_on_front(self, other->point))
            best = fmax(best, other->gain);
    }
    return best - gain->gain;
}

static void print_robustness(drawing *self)
{
    const size_t point = self->tuning->pick;
    if (point == SIM_SEARCH_BASE)
        return;
    char heading[CELL_SIZE + 64];
    (void)snprintf(heading, sizeof heading, "%s in each scenario: gain, and in brackets its regret",
                   cli_tune_point_name(self->tuning, point));
    put_heading(self, heading);
    add_column(self, false, "scenario", "");
    add_objective_columns(self);
    begin_table(self);
    for (uint32_t s = 0; s < self->tuning->tuned; s++) {
        (void)snprintf(self->cell[0], CELL_SIZE, "%s", self->tuning->in.scenario[s]->name);
        for (size_t o = 0; o < self->result->objective_count; o++) {
            const sim_tune_gain *gain = find_gain(self->result, point, s + 1, self->result->objective[o].metric);
            if (gain != NULL)
                (void)snprintf(self->cell[1 + o], CELL_SIZE, "%+.1f (%.1f)", 100 * gain->gain,
                               100 * regret_of(self, gain));
        }
        end_row(self);
    }
    finish_table(self);
    put_note(self, "Regret: how much more the best point of the front gains in that scenario.");
}

static void add_confirmation_row(drawing *self, const sim_tune_confirmation *one)
{
    (void)snprintf(self->cell[0], CELL_SIZE, "%s", one->scenarios);
    (void)snprintf(self->cell[1], CELL_SIZE, "%s", sim_metric_at(one->metric)->name);
    if (one->has_gain)
        (void)snprintf(self->cell[2], CELL_SIZE, "%+.2f", 100 * one->gain);
    if (one->has_interval)
        (void)snprintf(self->cell[3], CELL_SIZE, "%+.2f to %+.2f", 100 * one->low, 100 * one->high);
    (void)snprintf(self->cell[4], CELL_SIZE, "%s", one->verdict);
    if (one->has_gain)
        (void)snprintf(self->cell[5], CELL_SIZE, "%s (%+.1f)", self->tuning->in.scenario[one->worst - 1]->name,
                       100 * one->worst_gain);
    end_row(self);
    const sim_compared verdict = strcmp(one->verdict, "better") == 0  ? SIM_COMPARED_BETTER
                                 : strcmp(one->verdict, "worse") == 0 ? SIM_COMPARED_WORSE
                                                                      : SIM_COMPARED_EQUAL;
    if (self->ok && verdict != SIM_COMPARED_EQUAL)
        cli_table_mark(&self->table, self->table.row_count - 1, 4,
                       verdict == SIM_COMPARED_BETTER ? CLI_MARK_GOOD : CLI_MARK_BAD);
}

static void print_confirmation(drawing *self)
{
    if (self->result->confirmation_count == 0)
        return;
    char heading[CELL_SIZE + 96];
    (void)snprintf(heading, sizeof heading, "%s in replications 0 to %u, which the search has not seen",
                   cli_tune_point_name(self->tuning, self->tuning->pick), self->tuning->arguments->replications - 1);
    put_heading(self, heading);
    add_column(self, false, "scenarios", "");
    add_column(self, false, "objective", "");
    add_column(self, true, "gain, %", "");
    add_column(self, true, "95 % interval", "");
    add_column(self, false, "verdict", "");
    add_column(self, false, "least in", "");
    begin_table(self);
    for (size_t i = 0; i < self->result->confirmation_count; i++)
        add_confirmation_row(self, &self->result->confirmation[i]);
    finish_table(self);
}

/* The confirmation, scenario by scenario. */
static void print_scenarios(drawing *self)
{
    const cli_tuning *of = self->tuning;
    const size_t objectives = of->goals.objective_count;
    if (of->pick == SIM_SEARCH_BASE)
        return;
    put_heading(self, "The same in each scenario");
    add_column(self, false, "scenario", "");
    add_column(self, false, "", "");
    add_objective_columns(self);
    begin_table(self);
    for (uint32_t s = 0; s < of->in.scenario_count; s++) {
        (void)snprintf(self->cell[0], CELL_SIZE, "%s", of->in.scenario[s]->name);
        (void)snprintf(self->cell[1], CELL_SIZE, "%s", s < of->tuned ? "tuned" : "held out");
        for (size_t o = 0; o < objectives; o++) {
            const sim_portfolio_gain *gain = &of->scenario_gain[s * objectives + o];
            if (gain->worst != UINT32_MAX)
                put_gain(self->cell[2 + o], gain->gain, gain->interval.low, gain->interval.high);
        }
        end_row(self);
        for (size_t o = 0; self->ok && o < objectives; o++) {
            if (cli_tune_breaks_limit(of, &of->scenario_gain[s * objectives + o]))
                cli_table_mark(&self->table, self->table.row_count - 1, 2 + o, CLI_MARK_BAD);
        }
    }
    finish_table(self);
}

static void print_for_people(drawing *self)
{
    const cli_tuning *of = self->tuning;
    const size_t recommended = cli_tune_recommended(of);
    (void)fprintf(self->out,
                  "%s over %u scenario%s: %zu point%s in %u rounds, %zu runs of the %zu allowed, seed %llu\n",
                  of->in.policy[0]->name, of->tuned, of->tuned == 1 ? "" : "s", of->search.count - 1,
                  of->search.count == 2 ? "" : "s", of->search.rounds, of->search.spent, of->input.budget,
                  (unsigned long long)of->arguments->seed);
    print_front(self);
    print_sensitivity(self);
    print_robustness(self);
    print_confirmation(self);
    print_scenarios(self);
    put_heading(self, "Recommendation");
    char *line = cli_text("%s. %s", cli_tune_point_name(of, recommended), of->reason);
    put_prose(self, line == NULL ? of->reason : line);
    free(line);
    if (of->arguments->output != NULL)
        (void)fprintf(self->out, "\nPolicy: %s", of->arguments->output);
    (void)fprintf(self->out, "\nDatabase: %s\n", of->arguments->db);
}

/* ---- for programs ---- */

static const cli_column LONG[] = {{"kind", false},   {"point", true}, {"standing", false}, {"scenario", false},
                                  {"metric", false}, {"key", false},  {"value", false},    {"estimate", true},
                                  {"low", true},     {"high", true},  {"verdict", false}};

typedef struct {
    const char *kind, *standing, *scenario, *key, *value, *verdict;
    const char *metric;
    int64_t point;                /* -1: none */
    const double *estimate, *low; /* NULL: none */
    const double *high;
} long_row;

static bool add_long(cli_table *table, const long_row *row)
{
    char number[4][32] = {"", "", "", ""};
    const double *const real[] = {row->estimate, row->low, row->high};
    if (row->point >= 0)
        (void)snprintf(number[0], sizeof number[0], "%lld", (long long)row->point);
    for (size_t i = 0; i < 3; i++) {
        if (real[i] != NULL)
            (void)snprintf(number[1 + i], sizeof number[0], "%.17g", *real[i]);
    }
    const char *cell[] = {row->kind,  number[0], row->standing, row->scenario, row->metric, row->key,
                          row->value, number[1], number[2],     number[3],     row->verdict};
    for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
        cell[i] = cell[i] == NULL ? "" : cell[i];
    return cli_table_add(table, cell);
}

static const char *scenario_name(const cli_tuning *self, uint32_t scenario)
{
    return scenario == 0 ? "all" : self->in.scenario[scenario - 1]->name;
}

static bool add_points(cli_table *table, const sim_tune_result *result)
{
    bool ok = true;
    for (size_t i = 0; ok && i < result->point_count * result->axis_count; i++) {
        const sim_tune_point *point = &result->point[i / result->axis_count];
        const sim_tune_value *value = &point->value[i % result->axis_count];
        const long_row row = {.kind = "point",
                              .point = (int64_t)(i / result->axis_count),
                              .standing = point->standing,
                              .key = value->key,
                              .value = value->text};
        ok = add_long(table, &row);
    }
    return ok;
}

static bool add_estimates(const cli_tuning *self, cli_table *table, const sim_tune_result *result)
{
    bool ok = true;
    for (size_t i = 0; ok && i < result->gain_count; i++) {
        const sim_tune_gain *gain = &result->gain[i];
        const long_row row = {.kind = "gain",
                              .point = gain->point,
                              .standing = result->point[gain->point].standing,
                              .scenario = scenario_name(self, gain->scenario),
                              .metric = sim_metric_at(gain->metric)->name,
                              .estimate = &gain->gain,
                              .low = &gain->low,
                              .high = &gain->high};
        ok = add_long(table, &row);
    }
    for (size_t i = 0; ok && i < result->effect_count; i++) {
        const sim_tune_effect *effect = &result->effect[i];
        const long_row row = {.kind = "sensitivity",
                              .point = -1,
                              .scenario = scenario_name(self, effect->scenario),
                              .metric = sim_metric_at(effect->metric)->name,
                              .key = effect->key,
                              .value = effect->value,
                              .estimate = &effect->effect,
                              .low = &effect->low,
                              .high = &effect->high};
        ok = add_long(table, &row);
    }
    return ok;
}

static bool add_confirmations(cli_table *table, const sim_tune_result *result)
{
    bool ok = true;
    for (size_t i = 0; ok && i < result->confirmation_count; i++) {
        const sim_tune_confirmation *one = &result->confirmation[i];
        const long_row row = {.kind = "confirmation",
                              .point = result->pick,
                              .scenario = one->scenarios,
                              .metric = sim_metric_at(one->metric)->name,
                              .estimate = one->has_gain ? &one->gain : NULL,
                              .low = one->has_interval ? &one->low : NULL,
                              .high = one->has_interval ? &one->high : NULL,
                              .verdict = one->verdict};
        ok = add_long(table, &row);
    }
    return ok;
}

/* The pick in each scenario of the confirmation, and whether it keeps the limit there. */
static bool add_scenarios(const cli_tuning *self, cli_table *table)
{
    const size_t objectives = self->goals.objective_count;
    bool ok = true;
    for (size_t i = 0; ok && self->pick != SIM_SEARCH_BASE && i < self->in.scenario_count * objectives; i++) {
        const sim_portfolio_gain *gain = &self->scenario_gain[i];
        const bool has_gain = gain->worst != UINT32_MAX;
        const bool has_interval = has_gain && gain->method != SIM_BY_NOTHING;
        const long_row row = {.kind = "confirmation in scenario",
                              .point = (int64_t)self->pick,
                              .scenario = self->in.scenario[i / objectives]->name,
                              .metric = sim_metric_at(gain->metric)->name,
                              .estimate = has_gain ? &gain->gain : NULL,
                              .low = has_interval ? &gain->interval.low : NULL,
                              .high = has_interval ? &gain->interval.high : NULL,
                              .verdict = cli_tune_breaks_limit(self, gain) ? "beyond the limit" : "within the limit"};
        ok = add_long(table, &row);
    }
    return ok;
}

static bool add_recommendation(cli_table *table, const sim_tune_result *result)
{
    const long_row last = {
        .kind = "recommended", .point = result->recommended, .value = result->reason, .verdict = result->verdict};
    return add_long(table, &last);
}

bool cli_tune_print(const cli_tuning *self, const sim_tune_result *result, cli_format format, FILE *out)
{
    if (format == CLI_TEXT || format == CLI_MD) {
        drawing one = {.tuning = self, .result = result, .format = format, .out = out, .ok = true};
        print_for_people(&one);
        return one.ok;
    }
    cli_table table;
    cli_table_init(&table, LONG, sizeof LONG / sizeof *LONG);
    const bool ok = add_points(&table, result) && add_estimates(self, &table, result) &&
                    add_confirmations(&table, result) && add_scenarios(self, &table) &&
                    add_recommendation(&table, result);
    if (ok)
        cli_table_print(&table, format, out);
    cli_table_deinit(&table);
    return ok;
}
