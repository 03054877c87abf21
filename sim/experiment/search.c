/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds, looks and what leaves at them. */
#include "experiment/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/front.h"
#include "experiment/gains.h"
#include "experiment/neighbours.h"

static const double RACE_TAIL = SIM_LEVEL_TAIL / SIM_SEARCH_LOOKS;

const char *sim_point_standing_word(sim_point_standing standing)
{
    static const char *const WORDS[] = {"open", "front", "beaten", "alike", "halved", "forbidden", "no data"};
    return WORDS[standing];
}

const char *sim_point_origin_word(sim_point_origin origin)
{
    static const char *const WORDS[] = {"base", "start", "neighbour"};
    return WORDS[origin];
}

/* Runs that so many new points may take in each scenario: all at the first look, half as many at the second, ... */
static size_t runs_of(size_t points)
{
    const size_t second = (points + 1) / 2;
    const size_t third = (second + 1) / 2;
    return SIM_SEARCH_FIRST * (points + second + 2 * third);
}

size_t sim_search_least(size_t scenario_count)
{
    return scenario_count * (SIM_SEARCH_FULL + 2 * runs_of(SIM_SEARCH_NEW_MIN));
}

/* The most new points that so many runs pay for. */
static size_t affordable(const sim_search *self, size_t runs)
{
    size_t points = 0;
    while (points < SIM_POINTS_MAX && self->input->scenario_count * runs_of(points + 1) <= runs)
        points++;
    return points;
}

sim_race_rule sim_search_rule(const sim_search *search)
{
    return (sim_race_rule){search->input->objective_count, search->margin, RACE_TAIL};
}

/* NULL: no memory. */
static sim_search_point *add_point(sim_search *self, const uint64_t *place, sim_point_origin origin, size_t parent)
{
    const sim_search_input *input = self->input;
    const size_t values = (size_t)SIM_SEARCH_FULL * input->scenario_count * sim_search_columns(input);
    sim_search_point *grown = realloc(self->point, (self->count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    self->point = grown;
    sim_search_point *one = &grown[self->count];
    *one = (sim_search_point){.origin = origin, .round = self->rounds, .parent = parent};
    memcpy(one->place, place, input->axis_count * sizeof *place);
    one->value = calloc(values + 1, sizeof *one->value);
    one->gain = calloc((size_t)SIM_SEARCH_FULL * input->objective_count + 1, sizeof *one->gain);
    self->count++; /* to be freed in any case */
    return one->value == NULL || one->gain == NULL ? NULL : one;
}

/* ---- looks ---- */

static bool is_open(const sim_search *self, size_t point)
{
    return self->point[point].standing == SIM_POINT_OPEN;
}

static bool play(sim_search *self, const size_t *list, size_t count, uint32_t from, uint32_t to)
{
    const sim_search_input *input = self->input;
    if (count == 0)
        return true;
    if (!input->play(input->context, self, list, count, from, to))
        return false;
    self->spent += count * (to - from) * input->scenario_count;
    for (size_t i = 0; i < count; i++)
        self->point[list[i]].replications = to;
    return true;
}

/* Plays those of the points [first, count) that are still in. */
static bool play_open(sim_search *self, size_t first, uint32_t from, uint32_t to)
{
    size_t *list = calloc(self->count + 1, sizeof *list);
    size_t count = 0;
    for (size_t p = first; list != NULL && p < self->count; p++) {
        if (is_open(self, p))
            list[count++] = p;
    }
    const bool ok = list != NULL && play(self, list, count, from, to);
    if (ok && first > SIM_SEARCH_BASE && from == 0 && self->rounds == 0)
        sim_gains_fix_scales(self);
    for (size_t i = 0; ok && i < count; i++)
        sim_gains_note(self, list[i], from, to);
    free(list);
    return ok;
}

static void leave(sim_search *self, size_t point, sim_point_standing standing, size_t against)
{
    self->point[point].standing = standing;
    self->point[point].against = against;
}

/* By the mean of its latest look; the base always does. */
static bool keeps_limit(const sim_search *self, size_t point)
{
    return point == SIM_SEARCH_BASE || self->point[point].loss.excess <= 0;
}

/* What points are by themselves. */
static void look_at_each(sim_search *self, size_t first, uint32_t replications)
{
    for (size_t p = first; p < self->count; p++) {
        if (!is_open(self, p))
            continue;
        if (!sim_gains_are_known(self, p, replications)) {
            leave(self, p, SIM_POINT_NO_DATA, p);
            continue;
        }
        self->point[p].loss = sim_gains_loss(self, p, replications, RACE_TAIL);
        const sim_loss_evidence evidence = self->point[p].loss.evidence;
        if (!sim_gains_keep_constraints(self, p, replications) ||
            evidence >= (replications < SIM_SEARCH_FULL ? SIM_LOSS_BEYOND_DOUBT : SIM_LOSS_SHOWN))
            leave(self, p, SIM_POINT_FORBIDDEN, p);
    }
}

/* Everybody against everybody, on the replications that all have played; older points than `first` are judged by all
 * that they have played. The base never leaves. Of two that are alike the later one does. */
static void race(sim_search *self, size_t first, uint32_t replications)
{
    const sim_race_rule rule = sim_search_rule(self);
    for (size_t p = replications < SIM_SEARCH_FULL ? first : 1; p < self->count; p++) {
        for (size_t q = 0; q < self->count && is_open(self, p); q++) {
            if (q == p || !is_open(self, q) || (keeps_limit(self, p) && !keeps_limit(self, q)))
                continue;
            const sim_race_verdict verdict =
                sim_race_compare(&rule, self->point[q].gain, self->point[p].gain, replications);
            if (verdict == SIM_RACE_BEATS)
                leave(self, p, SIM_POINT_BEATEN, q);
            else if (verdict == SIM_RACE_ALIKE && q < p)
                leave(self, p, SIM_POINT_ALIKE, q);
        }
    }
}

/* The open points of [first, count), best first. The caller frees it. NULL: no memory. */
static size_t *sorted(const sim_search *self, size_t first, uint32_t replications, size_t *count)
{
    const size_t objectives = self->input->objective_count;
    size_t *point = calloc(self->count + 1, sizeof *point);
    size_t *order = calloc(self->count + 1, sizeof *order);
    double *mean = calloc(self->count * objectives + 1, sizeof *mean);
    bool ok = point != NULL && order != NULL && mean != NULL;
    *count = 0;
    for (size_t p = first; ok && p < self->count; p++) {
        if (!is_open(self, p))
            continue;
        sim_gains_mean(self, p, replications, mean + *count * objectives);
        point[(*count)++] = p;
    }
    ok = ok && sim_race_sort(objectives, self->input->weight, mean, *count, order);
    for (size_t i = 0; ok && i < *count; i++)
        order[i] = point[order[i]];
    free(point);
    free(mean);
    if (!ok) {
        free(order);
        return NULL;
    }
    return order;
}

/* Puts those that keep the limit before the others. */
static void put_keepers_first(const sim_search *self, size_t *order, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t point = order[i];
        if (!keeps_limit(self, point))
            continue;
        memmove(order + kept + 1, order + kept, (i - kept) * sizeof *order);
        order[kept++] = point;
    }
}

static bool halve(sim_search *self, size_t first, uint32_t replications)
{
    const size_t entered = self->count - first;
    const size_t allowed = replications == SIM_SEARCH_FIRST ? (entered + 1) / 2 : ((entered + 1) / 2 + 1) / 2;
    size_t count = 0;
    size_t *order = sorted(self, first, replications, &count);
    if (order != NULL)
        put_keepers_first(self, order, count);
    for (size_t i = allowed; order != NULL && i < count; i++)
        leave(self, order[i], SIM_POINT_HALVED, order[i]);
    free(order);
    return order != NULL;
}

/* The points from `first` on are new. */
static bool race_round(sim_search *self, size_t first)
{
    bool ok = true;
    uint32_t from = 0;
    for (uint32_t to = SIM_SEARCH_FIRST; ok && to <= SIM_SEARCH_FULL; from = to, to *= 2) {
        ok = play_open(self, first, from, to);
        if (!ok)
            break;
        look_at_each(self, first, to);
        race(self, first, to);
        if (to < SIM_SEARCH_FULL)
            ok = halve(self, first, to);
    }
    self->rounds++;
    return ok;
}

/* ---- rounds ---- */

static bool add_if_admitted(sim_search *self, const uint64_t *place, sim_point_origin origin, size_t parent)
{
    if (self->input->admits(self->input->context, place))
        return add_point(self, place, origin, parent) != NULL;
    self->refused++;
    return true;
}

static bool start(sim_search *self)
{
    const sim_search_input *input = self->input;
    const size_t wanted = affordable(self, (input->budget - SIM_SEARCH_FULL * input->scenario_count) / 2);
    sim_axis axis[SIM_AXES_MAX] = {0};
    sim_points points = {0};
    for (size_t a = 0; a < input->axis_count; a++)
        axis[a].count = input->axis_size[a];
    const bool is_grid = sim_points_grid_size(axis, input->axis_count) <= wanted;
    bool ok = is_grid ? sim_points_grid(axis, input->axis_count, &points)
                      : sim_points_sobol(axis, input->axis_count, wanted, &points);
    for (size_t p = 0; ok && p < points.count; p++)
        ok = add_if_admitted(self, points.place + p * input->axis_count, SIM_POINT_START, SIM_SEARCH_BASE);
    sim_points_deinit(&points);
    self->start_count = self->count - 1;
    return ok && race_round(self, 1);
}

static bool is_known(const sim_search *self, const uint64_t *place)
{
    bool found = false;
    for (size_t p = 1; p < self->count && !found; p++)
        found = memcmp(self->point[p].place, place, self->input->axis_count * sizeof *place) == 0;
    return found;
}

/* New points one step away from those of `order`, best first, as many as are wanted. */
static bool add_neighbours(sim_search *self, const size_t *order, size_t count, size_t wanted, uint32_t halvings)
{
    const sim_search_input *input = self->input;
    const size_t before = self->count;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        for (size_t k = 0; ok && k < 2 * input->axis_count && self->count - before < wanted; k++) {
            uint64_t place[SIM_AXES_MAX];
            memcpy(place, self->point[order[i]].place, sizeof place);
            const size_t a = k / 2;
            const bool is_new = sim_neighbour(input->axis_size[a], input->is_word[a], halvings, k % 2 == 1, &place[a]);
            if (is_new && !is_known(self, place))
                ok = add_if_admitted(self, place, SIM_POINT_NEIGHBOUR, order[i]);
        }
    }
    return ok;
}

/* What nothing beats by its mean, among the open ones: best first, for that is how they are sorted. */
static size_t front_size(const sim_search *self, const size_t *order, size_t count)
{
    const size_t objectives = self->input->objective_count;
    double *mean = calloc(count * objectives + 1, sizeof *mean);
    bool *is_beaten = calloc(count + 1, sizeof *is_beaten);
    size_t size = 0;
    if (mean != NULL && is_beaten != NULL) {
        for (size_t i = 0; i < count; i++)
            sim_gains_mean(self, order[i], SIM_SEARCH_FULL, mean + i * objectives);
        sim_front_find(mean, count, objectives, is_beaten);
        while (size < count && !is_beaten[size])
            size++;
    }
    free(mean);
    free(is_beaten);
    return size;
}

static bool refine(sim_search *self)
{
    bool ok = true;
    for (uint32_t halvings = 0; ok && self->rounds < SIM_SEARCH_ROUNDS; halvings++) {
        const size_t share = (self->input->budget - self->spent) / (SIM_SEARCH_ROUNDS - self->rounds);
        const size_t wanted = affordable(self, share);
        size_t count = 0;
        size_t *order = sorted(self, SIM_SEARCH_BASE, SIM_SEARCH_FULL, &count);
        const size_t first = self->count;
        ok = order != NULL && add_neighbours(self, order, front_size(self, order, count), wanted, halvings);
        free(order);
        ok = ok && race_round(self, first);
    }
    return ok;
}

static bool mark_front(sim_search *self)
{
    size_t count = 0;
    size_t *order = sorted(self, SIM_SEARCH_BASE, SIM_SEARCH_FULL, &count);
    const size_t size = order == NULL ? 0 : front_size(self, order, count);
    for (size_t i = 0; i < size; i++)
        self->point[order[i]].standing = SIM_POINT_FRONT;
    free(order);
    return order != NULL;
}

bool sim_search_run(sim_search *search, const sim_search_input *input)
{
    const size_t base = SIM_SEARCH_BASE;
    *search = (sim_search){.input = input};
    search->scale = calloc(input->scenario_count * input->objective_count + 1, sizeof *search->scale);
    search->allowed = calloc(input->scenario_count * input->objective_count + 1, sizeof *search->allowed);
    bool ok = search->scale != NULL && search->allowed != NULL;
    ok = ok && add_point(search, input->base_place, SIM_POINT_BASE, SIM_SEARCH_BASE) != NULL;
    ok = ok && play(search, &base, 1, 0, SIM_SEARCH_FULL) && start(search) && refine(search);
    return ok && mark_front(search);
}

void sim_search_deinit(sim_search *search)
{
    for (size_t p = 0; p < search->count; p++) {
        free(search->point[p].value);
        free(search->point[p].gain);
    }
    free(search->point);
    free(search->scale);
    free(search->allowed);
    *search = (sim_search){0};
}

size_t sim_search_pick(const sim_search *search)
{
    const sim_race_rule rule = {search->input->objective_count, search->margin, SIM_LEVEL_TAIL};
    size_t pick = SIM_SEARCH_BASE;
    double best = 0;
    for (size_t p = 1; p < search->count; p++) {
        if (search->point[p].standing != SIM_POINT_FRONT)
            continue;
        bool gains = false;
        bool loses = false;
        double merit = 0;
        for (size_t o = 0; o < rule.objectives; o++) {
            const sim_gain gain = sim_race_gain(&rule, search->point[p].gain, NULL, o, SIM_SEARCH_FULL);
            gains = gains || gain.low > rule.margin[o];
            loses = loses || gain.mean < -rule.margin[o];
            merit += search->input->weight[o] * gain.low;
        }
        if (gains && !loses && (pick == SIM_SEARCH_BASE || merit > best)) {
            pick = p;
            best = merit;
        }
    }
    return pick;
}
