/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came of a search, as rows. */
#include <math.h>
#include <stdlib.h>

#include "cli/tune.h"
#include "experiment/effects.h"
#include "experiment/gains.h"

/* A result in the making. */
typedef struct {
    const cli_tuning *tuning;
    sim_tune_gain *gain;
    sim_tune_effect *effect;
    sim_tune_result *result;
} making;

static void add_objectives(making *self)
{
    const cli_tuning *of = self->tuning;
    sim_tune_objective *list = sim_arena_array(of->arena, of->goals.objective_count, sizeof *list);
    for (size_t o = 0; o < of->goals.objective_count; o++)
        list[o] = (sim_tune_objective){of->goals.metric[o], of->goals.is_higher_better[o] ? 1 : -1, of->goals.weight[o],
                                       of->search.margin[o]};
    self->result->objective = list;
    self->result->objective_count = of->goals.objective_count;
}

static void add_points(making *self)
{
    const cli_tuning *of = self->tuning;
    const size_t axes = of->vary.knobs.count;
    sim_tune_point *list = sim_arena_array(of->arena, of->search.count, sizeof *list);
    for (size_t p = 0; p < of->search.count; p++) {
        const sim_search_point *point = &of->search.point[p];
        const bool has_other = point->standing == SIM_POINT_BEATEN || point->standing == SIM_POINT_ALIKE;
        sim_tune_value *value = sim_arena_array(of->arena, axes, sizeof *value);
        for (size_t a = 0; a < axes; a++)
            value[a] = cli_tune_value(of, p, a);
        list[p] = (sim_tune_point){
            .policy = p == SIM_SEARCH_BASE ? 1
                      : p == of->pick      ? 2
                                           : 0,
            .origin = sim_point_origin_word(point->origin),
            .standing = sim_point_standing_word(point->standing),
            .round = point->round,
            .replications = point->replications,
            .parent = point->origin == SIM_POINT_NEIGHBOUR ? (int64_t)point->parent : -1,
            .against = has_other ? (int64_t)point->against : -1,
            .value = value,
        };
    }
    self->result->point = list;
    self->result->point_count = of->search.count;
    self->result->axis_count = axes;
}

static void add_gain(making *self, size_t point, uint32_t scenario, size_t objective, const double *gain)
{
    const sim_estimate estimate = sim_mean_estimate(gain, SIM_SEARCH_FULL);
    const sim_interval interval = sim_t_interval(&estimate);
    self->gain[self->result->gain_count++] = (sim_tune_gain){.point = (uint32_t)point,
                                                             .scenario = scenario,
                                                             .metric = self->tuning->goals.metric[objective],
                                                             .gain = estimate.value,
                                                             .low = interval.low,
                                                             .high = interval.high};
}

/* Of those that have played everything and have all values. */
static void add_gains(making *self)
{
    const sim_search *search = &self->tuning->search;
    const size_t objectives = self->tuning->goals.objective_count;
    const size_t sets = self->tuning->tuned + 1;
    self->gain = sim_arena_array(self->tuning->arena, search->count * sets * objectives, sizeof *self->gain);
    for (size_t p = 0; p < search->count; p++) {
        if (search->point[p].replications < SIM_SEARCH_FULL || !sim_gains_are_known(search, p, SIM_SEARCH_FULL))
            continue;
        for (size_t o = 0; o < objectives; o++) {
            double gain[SIM_SEARCH_FULL];
            for (size_t r = 0; r < SIM_SEARCH_FULL; r++)
                gain[r] = search->point[p].gain[r * objectives + o];
            add_gain(self, p, 0, o, gain);
            for (uint32_t s = 0; s < self->tuning->tuned; s++) {
                if (sim_gains_in_scenario(search, p, s, o, gain))
                    add_gain(self, p, s + 1, o, gain);
            }
        }
    }
    self->result->gain = self->gain;
}

/* ---- sensitivity ---- */

/* The columns of the straight line: an axis of numbers has one, from 0 at its first value to 1 at its last; an axis of
 * words has one for each word but the first. */
typedef struct {
    size_t count;
    size_t axis[SIM_EFFECTS_MAX];
    uint64_t place[SIM_EFFECTS_MAX]; /* the value at which the column is 1 */
} line_columns;

/* False: too many. */
static bool make_columns(const cli_tuning *of, line_columns *columns)
{
    *columns = (line_columns){0};
    for (size_t a = 0; a < of->input.axis_count; a++) {
        const uint64_t size = of->input.axis_size[a];
        const uint64_t first = of->input.is_word[a] ? 1 : size - 1;
        for (uint64_t v = first; size > 1 && v < size; v++) {
            if (columns->count == SIM_EFFECTS_MAX)
                return false;
            columns->axis[columns->count] = a;
            columns->place[columns->count++] = v;
        }
    }
    return columns->count > 0;
}

/* The points of the first round whose gains are known. The caller frees it. */
static size_t *start_points(const sim_search *search, size_t *count)
{
    size_t *list = calloc(search->start_count + 1, sizeof *list);
    *count = 0;
    for (size_t p = 1; list != NULL && p <= search->start_count; p++) {
        if (sim_gains_are_known(search, p, SIM_SEARCH_FIRST))
            list[(*count)++] = p;
    }
    return list;
}

static void fill_columns(const cli_tuning *of, const line_columns *columns, const size_t *point, size_t count,
                         double *column)
{
    for (size_t i = 0; i < count * columns->count; i++) {
        const size_t c = i % columns->count;
        const size_t a = columns->axis[c];
        const uint64_t place = of->search.point[point[i / columns->count]].place[a];
        column[i] =
            of->input.is_word[a] ? (place == columns->place[c] ? 1 : 0) : (double)place / (double)columns->place[c];
    }
}

/* Gains of the points in each replication, of one scenario (from 1) or all (0). */
static bool fill_answers(const cli_tuning *of, uint32_t scenario, size_t objective, const size_t *point, size_t count,
                         double *answer)
{
    const size_t objectives = of->goals.objective_count;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        double gain[SIM_SEARCH_FULL];
        if (scenario > 0)
            (void)sim_gains_in_scenario(&of->search, point[i], scenario - 1, objective, gain);
        for (size_t r = 0; r < SIM_SEARCH_FIRST; r++) {
            const double one = scenario > 0 ? gain[r] : of->search.point[point[i]].gain[r * objectives + objective];
            answer[r * count + i] = one;
            ok = ok && !isnan(one);
        }
    }
    return ok;
}

static void add_fit(making *self, const line_columns *columns, uint32_t scenario, size_t objective,
                    const sim_effect *effect)
{
    const cli_tuning *of = self->tuning;
    for (size_t c = 0; c < columns->count; c++) {
        const sim_axis *axis = &of->vary.knobs.axis[columns->axis[c]];
        const sim_axis_value value = sim_axis_at(axis, columns->place[c]);
        self->effect[self->result->effect_count++] = (sim_tune_effect){.key = axis->key,
                                                                       .value = sim_arena_string(of->arena, value.text),
                                                                       .scenario = scenario,
                                                                       .metric = of->goals.metric[objective],
                                                                       .effect = effect[c].mean,
                                                                       .low = effect[c].interval.low,
                                                                       .high = effect[c].interval.high};
    }
}

/* False: no memory. */
static bool add_effects(making *self)
{
    const cli_tuning *of = self->tuning;
    const size_t objectives = of->goals.objective_count;
    line_columns columns;
    size_t count = 0;
    if (!make_columns(of, &columns))
        return true;
    size_t *point = start_points(&of->search, &count);
    double *column = calloc(count * columns.count + 1, sizeof *column);
    double *answer = calloc(count * SIM_SEARCH_FIRST + 1, sizeof *answer);
    const bool ok = point != NULL && column != NULL && answer != NULL;
    self->effect = sim_arena_array(of->arena, (of->tuned + 1) * objectives * columns.count, sizeof *self->effect);
    if (ok)
        fill_columns(of, &columns, point, count, column);
    for (size_t i = 0; ok && i < (of->tuned + 1) * objectives; i++) {
        sim_effect effect[SIM_EFFECTS_MAX];
        const uint32_t scenario = (uint32_t)(i / objectives);
        if (fill_answers(of, scenario, i % objectives, point, count, answer) &&
            sim_effects_fit(column, count, columns.count, answer, SIM_SEARCH_FIRST, effect))
            add_fit(self, &columns, scenario, i % objectives, effect);
    }
    self->result->effect = self->effect;
    free(point);
    free(column);
    free(answer);
    return ok;
}

/* ---- confirmation ---- */

static sim_tune_confirmation confirmation_of(const sim_portfolio_gain *gain, const char *scenarios)
{
    const bool has_gain = gain->worst != UINT32_MAX;
    return (sim_tune_confirmation){.scenarios = scenarios,
                                   .verdict = sim_compared_word(gain->verdict),
                                   .metric = gain->metric,
                                   .has_gain = has_gain,
                                   .has_interval = has_gain && gain->method != SIM_BY_NOTHING,
                                   .gain = gain->gain,
                                   .low = gain->interval.low,
                                   .high = gain->interval.high,
                                   .margin = gain->margin,
                                   .p = gain->p_adjusted,
                                   .worst = gain->worst + 1,
                                   .worst_gain = gain->worst_gain};
}

static void add_confirmations(making *self)
{
    const cli_tuning *of = self->tuning;
    const size_t objectives = of->goals.objective_count;
    sim_tune_confirmation *list = sim_arena_array(of->arena, 2 * objectives, sizeof *list);
    size_t count = 0;
    for (size_t o = 0; of->pick != SIM_SEARCH_BASE && o < objectives; o++)
        list[count++] = confirmation_of(&of->tuned_gain[o], "tuned");
    for (size_t o = 0; of->pick != SIM_SEARCH_BASE && of->in.scenario_count > of->tuned && o < objectives; o++)
        list[count++] = confirmation_of(&of->held_gain[o], "held out");
    self->result->confirmation = list;
    self->result->confirmation_count = count;
}

const sim_tune_result *cli_tune_result(const cli_tuning *self)
{
    static const char *const VERDICTS[] = {"confirmed", "not confirmed", "nothing beats the base"};
    sim_tune_result *result = sim_arena_alloc(self->arena, sizeof *result);
    making one = {.tuning = self, .result = result};
    *result = (sim_tune_result){.runs = (uint32_t)self->search.spent,
                                .pick = (uint32_t)self->pick,
                                .recommended = (uint32_t)cli_tune_recommended(self),
                                .verdict = VERDICTS[self->verdict],
                                .reason = self->reason};
    add_objectives(&one);
    add_points(&one);
    add_gains(&one);
    add_confirmations(&one);
    return add_effects(&one) ? result : NULL;
}
