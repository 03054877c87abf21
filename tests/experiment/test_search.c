/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search of `tune` on made-up functions whose front is known, with and without noise; the race's error rates over
 * 200 seeds; main effects of a line that is known. A failure is answered by analysis, never by another seed. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/random.h"
#include "experiment/effects.h"
#include "experiment/neighbours.h"
#include "experiment/search.h"

enum { SEED = 20261130, SEEDS = 200, AXIS = 65, SCENARIOS = 2 };

/* About normal, mean 0 and deviation 1: twelve uniform draws. */
static double noise(uint32_t seed, uint64_t what, uint64_t n)
{
    const sim_luck luck = {SEED, seed};
    double total = -6;
    for (uint64_t i = 0; i < 12; i++)
        total +=
            ((double)(sim_draw_words(&luck, SIM_DRAW_GAP, what, 12 * n + i).word[0] >> 11) + 0.5) / 9007199254740992.0;
    return total;
}

/* ---- one step ---- */

typedef struct {
    uint64_t size;
    bool is_word;
    uint32_t halvings;
    bool is_up;
    uint64_t place, then;
} step;

static const step STEPS[] = {
    {65, false, 0, true, 0, 16},  {65, false, 1, true, 0, 8},   {65, false, 9, true, 0, 1},
    {65, false, 0, true, 60, 64}, {65, false, 0, true, 64, 64}, {65, false, 0, false, 64, 48},
    {65, false, 0, false, 15, 0}, {65, false, 0, false, 16, 0}, {65, false, 0, false, 17, 1},
    {65, false, 0, false, 0, 0},  {3, false, 0, true, 1, 2},    {3, false, 0, false, 1, 0},
    {1, false, 0, true, 0, 0},    {3, true, 0, true, 2, 0},     {3, true, 0, false, 0, 2},
    {3, true, 5, true, 0, 1},     {1, true, 0, true, 0, 0},     {2, true, 0, true, 1, 0},
    {2, true, 0, false, 1, 0},    {65, false, 63, true, 0, 1},
};

START_TEST(a_step_is_a_share_of_the_axis_and_stays_on_it)
{
    const step *row = &STEPS[_i];
    uint64_t place = row->place;
    const bool has_moved = sim_neighbour(row->size, row->is_word, row->halvings, row->is_up, &place);
    ck_assert_uint_eq(place, row->then);
    ck_assert_int_eq(has_moved, row->then != row->place);
}
END_TEST

/* ---- the race ---- */

typedef struct {
    const char *name;
    double ahead[2];            /* of the second point, in each objective */
    int beaten_min, beaten_max; /* of 200 first points, at one of the looks */
} racing;

/* Margin 0.01, paired differences with deviation 0.02, looks at 4, 8 and 16 replications with 2.5 % / 3 on each side.
 * What is a tenth behind in both leaves nearly always; who is equal must be unlucky beyond the margin in one objective
 * and lucky in none; who is ahead in one must be very unlucky there. */
static const racing RACES[] = {
    {"behind in both", {0.06, 0.06}, 195, 200},
    {"behind in one, far ahead in the other", {0.06, -0.06}, 0, 0},
    {"a little ahead in one", {-0.02, 0}, 0, 1},
    {"equal", {0, 0}, 0, 2},
};

START_TEST(what_is_worse_leaves_and_what_is_better_stays)
{
    const racing *row = &RACES[_i];
    const double margin[] = {0.01, 0.01};
    const sim_race_rule rule = {2, margin, SIM_LEVEL_TAIL / SIM_SEARCH_LOOKS};
    int beaten = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        double first[2 * SIM_SEARCH_FULL];
        double second[2 * SIM_SEARCH_FULL];
        for (size_t i = 0; i < 2 * SIM_SEARCH_FULL; i++) {
            first[i] = noise(seed, 1, i); /* luck that both share is far larger than what sets them apart */
            second[i] = first[i] + row->ahead[i % 2] + 0.02 * noise(seed, 2, i);
        }
        bool is_beaten = false;
        for (size_t looked = SIM_SEARCH_FIRST; looked <= SIM_SEARCH_FULL; looked *= 2)
            is_beaten = is_beaten || sim_race_compare(&rule, second, first, looked) == SIM_RACE_BEATS;
        beaten += is_beaten;
    }
    printf("%s: beaten in %d of %d seeds\n", row->name, beaten, SEEDS);
    ck_assert_int_ge(beaten, row->beaten_min);
    ck_assert_int_le(beaten, row->beaten_max);
}
END_TEST

START_TEST(a_margin_is_not_beaten_by_less)
{
    const double margin[] = {0.25};
    const sim_race_rule rule = {1, margin, SIM_LEVEL_TAIL};
    const double zero[] = {0, 0, 0, 0};
    const double at[] = {0.25, 0.25, 0.25, 0.25};
    const double above[] = {0.375, 0.375, 0.375, 0.375};
    const double nan[] = {0.375, (double)NAN, 0.375, 0.375};
    ck_assert_int_eq(sim_race_compare(&rule, at, zero, 4), SIM_RACE_OPEN);
    ck_assert_int_eq(sim_race_compare(&rule, above, zero, 4), SIM_RACE_BEATS);
    ck_assert_int_eq(sim_race_compare(&rule, zero, above, 4), SIM_RACE_OPEN);
    ck_assert_int_eq(sim_race_compare(&rule, zero, zero, 4), SIM_RACE_ALIKE);
    ck_assert_int_eq(sim_race_compare(&rule, nan, zero, 4), SIM_RACE_OPEN);
    ck_assert_int_eq(sim_race_compare(&rule, zero, nan, 4), SIM_RACE_OPEN);
}
END_TEST

START_TEST(points_are_sorted_by_layers_and_then_by_weighted_gain)
{
    const double mean[] = {0, 0, /**/ 1, 3, /**/ 3, 1, /**/ 2, 2, /**/ 0, 2};
    const double even[] = {1, 1};
    const double first[] = {3, 1};
    size_t order[5];
    ck_assert(sim_race_sort(2, even, mean, 5, order));
    const size_t by_even[] = {1, 2, 3, 4, 0};
    ck_assert_mem_eq(order, by_even, sizeof order);
    ck_assert(sim_race_sort(2, first, mean, 5, order));
    const size_t by_first[] = {2, 3, 1, 4, 0};
    ck_assert_mem_eq(order, by_first, sizeof order);
}
END_TEST

/* ---- the search ---- */

/* A made-up world: two axes u and v from 0 to 1, two objectives. */
typedef struct {
    uint32_t seed;
    double base[2];     /* u and v of the base */
    double shared, own; /* deviations of luck that all points share, and of each point's own */
    void (*truth)(double u, double v, double out[2]);
    bool (*is_admitted)(double u, double v);
    double missing_above; /* u from which the first objective has no value */
    bool constrains;      /* the third column is u */
    double to_and_fro;    /* added to all but the base in every other replication, and taken away in the others */
    double rare;          /* as much, once in sixteen replications: lost in the last scenario, gained in the first */
    double lost_in_last;  /* added to the first objective in the last scenario, times u - 0.5 */
    size_t calls;
    size_t played[512]; /* replications of each point so far */
} world;

/* Lower is better; between u = 0.25 and 0.75 at v = 0.5 lies the front. */
static void two_hills(double u, double v, double out[2])
{
    out[0] = 1 + (u - 0.25) * (u - 0.25) + (v - 0.5) * (v - 0.5);
    out[1] = 1 + (u - 0.75) * (u - 0.75) + (v - 0.5) * (v - 0.5);
}

static void one_hill(double u, double v, double out[2])
{
    out[0] = out[1] = 1 + (u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5);
}

static void flat(double u, double v, double out[2])
{
    (void)u;
    (void)v;
    out[0] = out[1] = 1;
}

static bool anywhere(void *context, const uint64_t *place)
{
    const world *self = context;
    return self->is_admitted == NULL || self->is_admitted((double)place[0] / (AXIS - 1), (double)place[1] / (AXIS - 1));
}

static void where_is(const sim_search *search, size_t point, double out[2])
{
    const world *self = search->input->context;
    for (size_t a = 0; a < 2; a++)
        out[a] = point == SIM_SEARCH_BASE ? self->base[a] : (double)search->point[point].place[a] / (AXIS - 1);
}

static bool play(void *context, sim_search *search, const size_t *point, size_t count, uint32_t from, uint32_t to)
{
    world *self = context;
    self->calls++;
    for (size_t i = 0; i < count; i++) {
        double at[2];
        double value[2];
        where_is(search, point[i], at);
        self->truth(at[0], at[1], value);
        ck_assert_uint_eq(self->played[point[i]], from); /* nothing twice, nothing left out */
        self->played[point[i]] = to;
        for (size_t n = 0; n < (size_t)SCENARIOS * (to - from); n++) {
            const uint32_t r = from + (uint32_t)n / SCENARIOS;
            for (size_t o = 0; o < 2; o++) {
                const uint64_t cell = 2 * ((uint64_t)r * SCENARIOS + n % SCENARIOS) + o;
                const bool is_losing = o == 0 && n % SCENARIOS == SCENARIOS - 1;
                const double rare = r % 16 != 5 || o == 0 ? 0 : n % SCENARIOS == 0 ? -self->rare : self->rare;
                const double swing = point[i] == SIM_SEARCH_BASE ? 0 : rare + (r % 2 == 0 ? 1 : -1) * self->to_and_fro;
                const double one =
                    value[o] + swing + (is_losing ? self->lost_in_last * (at[0] - 0.5) : 0) +
                    self->shared * noise(self->seed, 1, cell) +
                    self->own * noise(self->seed, 2 + (uint64_t)(at[0] * 1000) * 1001 + (uint64_t)(at[1] * 1000), cell);
                sim_search_put(search, point[i], r, n % SCENARIOS, o,
                               o == 0 && at[0] >= self->missing_above ? (double)NAN : one);
            }
            if (self->constrains)
                sim_search_put(search, point[i], r, n % SCENARIOS, 2, at[0]);
        }
    }
    return true;
}

static double hundredth(void *context, size_t scenario, size_t objective, double base)
{
    (void)context;
    (void)scenario;
    (void)objective;
    return base / 100;
}

static sim_search_input input_of(world *self, size_t budget)
{
    sim_search_input input = {
        .axis_count = 2,
        .axis_size = {AXIS, AXIS},
        .scenario_count = SCENARIOS,
        .objective_count = 2,
        .weight = {1, 1},
        .constraint_count = self->constrains ? 1 : 0,
        .loss_limit = (double)INFINITY,
        .budget = budget,
        .context = self,
        .admits = anywhere,
        .play = play,
        .margin = hundredth,
    };
    for (size_t a = 0; a < 2; a++)
        input.base_place[a] = (uint64_t)(self->base[a] * (AXIS - 1));
    return input;
}

START_TEST(the_front_is_found_where_it_is)
{
    world self = {.base = {0.9, 0.9}, .truth = two_hills, .missing_above = INFINITY};
    const sim_search_input input = input_of(&self, 1500);
    sim_search search;
    ck_assert(sim_search_run(&search, &input));
    size_t front = 0;
    double lowest = 1;
    double highest = 0;
    for (size_t p = 1; p < search.count; p++) {
        double at[2];
        if (search.point[p].standing != SIM_POINT_FRONT)
            continue;
        where_is(&search, p, at);
        /* The last round's step is a sixteenth. */
        ck_assert_msg(fabs(at[1] - 0.5) <= 1.0 / 16, "point %zu: v = %g", p, at[1]);
        ck_assert_msg(at[0] >= 0.25 - 1.0 / 16 && at[0] <= 0.75 + 1.0 / 16, "point %zu: u = %g", p, at[0]);
        lowest = fmin(lowest, at[0]);
        highest = fmax(highest, at[0]);
        front++;
    }
    printf("%zu points on the front, u from %g to %g, of %zu in %zu runs\n", front, lowest, highest, search.count - 1,
           search.spent);
    ck_assert_uint_ge(front, 3);
    ck_assert(highest - lowest >= 0.25);
    ck_assert_uint_le(search.spent, input.budget);
    ck_assert_uint_eq(search.rounds, SIM_SEARCH_ROUNDS);
    ck_assert_uint_ne(sim_search_pick(&search), SIM_SEARCH_BASE);
    sim_search_deinit(&search);
}
END_TEST

START_TEST(no_search_takes_more_than_its_budget)
{
    for (size_t budget = sim_search_least(SCENARIOS); budget < sim_search_least(SCENARIOS) + 400; budget += 37) {
        world self = {.seed = (uint32_t)budget,
                      .base = {0.9, 0.9},
                      .shared = 0.3,
                      .own = 0.05,
                      .truth = two_hills,
                      .missing_above = INFINITY};
        const sim_search_input input = input_of(&self, budget);
        sim_search search;
        ck_assert(sim_search_run(&search, &input));
        ck_assert_uint_le(search.spent, budget);
        ck_assert_uint_ge(search.start_count, SIM_SEARCH_NEW_MIN);
        sim_search_deinit(&search);
    }
}
END_TEST

/* What is picked without a reason, over 200 seeds: the base is at the top of the hill, so any pick is a mistake. A pick
 * asks for an interval beyond the margin, which is a tenth of what tells points apart; it is made among dozens, hence
 * the confirmation. */
START_TEST(where_the_base_is_best_it_is_seldom_left)
{
    size_t picked = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world self = {
            .seed = seed, .base = {0.5, 0.5}, .shared = 0.3, .own = 0.02, .truth = one_hill, .missing_above = INFINITY};
        const sim_search_input input = input_of(&self, 600);
        sim_search search;
        ck_assert(sim_search_run(&search, &input));
        picked += sim_search_pick(&search) != SIM_SEARCH_BASE;
        sim_search_deinit(&search);
    }
    printf("picked without a reason in %zu of %d seeds\n", picked, SEEDS);
    ck_assert_uint_le(picked, 4);
}
END_TEST

START_TEST(where_better_ones_exist_a_truly_better_one_is_picked)
{
    size_t better = 0;
    double worst = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world self = {
            .seed = seed, .base = {0.9, 0.9}, .shared = 0.3, .own = 0.02, .truth = one_hill, .missing_above = INFINITY};
        const sim_search_input input = input_of(&self, 600);
        sim_search search;
        double at[2];
        double value[2];
        ck_assert(sim_search_run(&search, &input));
        where_is(&search, sim_search_pick(&search), at);
        one_hill(at[0], at[1], value);
        better += value[0] < 1.05; /* the base is at 1.32, the best at 1 */
        worst = fmax(worst, value[0]);
        sim_search_deinit(&search);
    }
    printf("within 5 %% of the best in %zu of %d seeds, at worst %g\n", better, SEEDS, worst);
    ck_assert_uint_ge(better, 195);
    ck_assert(worst < 1.15);
}
END_TEST

START_TEST(where_nothing_matters_all_are_alike_and_the_base_stays)
{
    world self = {.base = {0.3, 0.3}, .shared = 0.3, .truth = flat, .missing_above = INFINITY};
    const sim_search_input input = input_of(&self, 600);
    sim_search search;
    ck_assert(sim_search_run(&search, &input));
    for (size_t p = 1; p < search.count; p++) {
        ck_assert_int_eq(search.point[p].standing, SIM_POINT_ALIKE);
        ck_assert_uint_eq(search.point[p].against, SIM_SEARCH_BASE);
        ck_assert_uint_eq(search.point[p].replications, SIM_SEARCH_FIRST);
    }
    ck_assert_uint_eq(sim_search_pick(&search), SIM_SEARCH_BASE);
    sim_search_deinit(&search);
}
END_TEST

START_TEST(constraints_hold_for_whatever_is_left)
{
    world self = {.base = {0.9, 0.9}, .truth = two_hills, .missing_above = INFINITY, .constrains = true};
    sim_search_input input = input_of(&self, 1500);
    input.constraint[0] = (sim_search_constraint){.is_at_least = true, .limit = 0.6};
    sim_search search;
    size_t forbidden = 0;
    ck_assert(sim_search_run(&search, &input));
    for (size_t p = 1; p < search.count; p++) {
        double at[2];
        where_is(&search, p, at);
        ck_assert_int_eq(search.point[p].standing == SIM_POINT_FORBIDDEN, at[0] < 0.6);
        forbidden += search.point[p].standing == SIM_POINT_FORBIDDEN;
    }
    ck_assert_uint_ge(forbidden, 5);
    ck_assert_uint_ne(sim_search_pick(&search), SIM_SEARCH_BASE);
    sim_search_deinit(&search);
}
END_TEST

/* The larger u, the better the first objective; in the last scenario that is reversed by `lost_in_last`. */
static void downhill(double u, double v, double out[2])
{
    (void)v;
    out[0] = 1 - 0.8 * (u - 0.5);
    out[1] = 1;
}

static world losing_in_last(double lost)
{
    return (world){.base = {0.5, 0.5}, .truth = downhill, .missing_above = INFINITY, .lost_in_last = lost};
}

/* At u = 0.7 a tenth is lost in the last scenario, while the mean goes on to gain; at 0.375 it is in the first. */
START_TEST(a_mean_does_not_hide_what_is_lost_in_one_scenario)
{
    world self = losing_in_last(1.3);
    sim_search_input input = input_of(&self, 1500);
    sim_search search;
    double at[2];
    ck_assert(sim_search_run(&search, &input));
    where_is(&search, sim_search_pick(&search), at);
    ck_assert_double_eq(at[0], 1);
    sim_search_deinit(&search);
    self = losing_in_last(1.3);
    input.loss_limit = 0.1;
    size_t forbidden = 0;
    ck_assert(sim_search_run(&search, &input));
    for (size_t p = 1; p < search.count; p++) {
        where_is(&search, p, at);
        ck_assert_int_eq(search.point[p].standing == SIM_POINT_FORBIDDEN, (at[0] > 0.7 || at[0] <= 0.375));
        if (at[0] <= 0.7)
            continue;
        ck_assert_uint_eq(search.point[p].loss.scenario, SCENARIOS - 1);
        ck_assert_uint_eq(search.point[p].loss.objective, 0);
        ck_assert_double_eq_tol(search.point[p].loss.excess, 0.5 * (at[0] - 0.5) - 0.1, 1e-9);
        forbidden++;
    }
    ck_assert_uint_ge(forbidden, 5);
    where_is(&search, sim_search_pick(&search), at);
    ck_assert(at[0] > 0.6 && at[0] <= 0.7);
    sim_search_deinit(&search);
}
END_TEST

/* At u = 0.6 a fiftieth is lost in the last scenario. Luck that goes to and fro leaves all means as they are, but hides
 * up to the second look that u = 1 loses more; all that time what gains more by its mean is what breaks the limit. */
START_TEST(those_that_lose_nowhere_are_neither_beaten_nor_halved_away)
{
    world self = losing_in_last(1);
    self.to_and_fro = 0.03;
    sim_search_input input = input_of(&self, 900);
    input.loss_limit = 0.02;
    sim_search search;
    double at[2];
    size_t at_last = 0;
    ck_assert(sim_search_run(&search, &input));
    for (size_t p = 1; p < search.count; p++)
        at_last += search.point[p].standing == SIM_POINT_FORBIDDEN && search.point[p].replications > SIM_SEARCH_FIRST;
    ck_assert_uint_ge(at_last, 3);
    where_is(&search, sim_search_pick(&search), at);
    ck_assert_uint_ne(sim_search_pick(&search), SIM_SEARCH_BASE);
    ck_assert(at[0] > 0.58 && at[0] <= 0.6);
    sim_search_deinit(&search);
}
END_TEST

/* One bad replication of sixteen is a mean loss of 60 %, and may be luck. */
START_TEST(what_may_be_luck_is_held_against_nobody)
{
    world self = losing_in_last(0);
    self.rare = 10;
    sim_search_input input = input_of(&self, 900);
    input.loss_limit = 0.1;
    sim_search search;
    ck_assert(sim_search_run(&search, &input));
    const size_t pick = sim_search_pick(&search);
    ck_assert_uint_ne(pick, SIM_SEARCH_BASE);
    ck_assert_uint_eq(search.point[pick].loss.objective, 1);
    ck_assert_double_eq_tol(search.point[pick].loss.excess, 10.0 / 16 - 0.1, 1e-9);
    ck_assert_int_eq(search.point[pick].loss.evidence, SIM_LOSS_OPEN);
    sim_search_deinit(&search);
}
END_TEST

/* The greatest mean loss of a point in its first replications, in any scenario and objective. */
static double lost_by(const sim_search *search, size_t point, uint32_t replications)
{
    double worst = -INFINITY;
    for (size_t i = 0; i < SCENARIOS * 2; i++) {
        double lost = 0;
        for (size_t r = 0; r < replications; r++)
            lost += search->point[point].value[r * SCENARIOS * 2 + i] -
                    search->point[SIM_SEARCH_BASE].value[r * SCENARIOS * 2 + i];
        worst = fmax(worst, lost / replications / search->scale[i]);
    }
    return worst;
}

/* Luck hides up to the last look that u = 1 loses a twentieth in the last scenario, and nearly all points that gain
 * anything gain more by their mean than those that keep the limit. */
START_TEST(those_that_lose_nowhere_are_not_halved_away)
{
    size_t halved = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        world self = losing_in_last(0.9);
        self.seed = seed;
        self.own = 0.04;
        sim_search_input input = input_of(&self, 900);
        input.loss_limit = 0.02;
        sim_search search;
        ck_assert(sim_search_run(&search, &input));
        for (size_t p = 1; p < search.count; p++) {
            const sim_search_point *one = &search.point[p];
            if (one->standing != SIM_POINT_HALVED || one->loss.excess > 0)
                continue;
            for (size_t q = 1; q < search.count; q++) {
                const sim_search_point *other = &search.point[q];
                if (other->round == one->round && other->replications > one->replications)
                    ck_assert_double_le(lost_by(&search, q, one->replications), 0.02 + 1e-9);
            }
            halved++;
        }
        sim_search_deinit(&search);
    }
    ck_assert_uint_ge(halved, 1);
}
END_TEST

static bool is_left(double u, double v)
{
    (void)v;
    return u < 0.5;
}

START_TEST(what_is_not_admitted_is_never_played)
{
    world self = {.base = {0.9, 0.9}, .truth = two_hills, .missing_above = INFINITY, .is_admitted = is_left};
    const sim_search_input input = input_of(&self, 900);
    sim_search search;
    ck_assert(sim_search_run(&search, &input));
    ck_assert_uint_ge(search.refused, 3);
    for (size_t p = 1; p < search.count; p++)
        ck_assert_uint_lt(search.point[p].place[0], AXIS / 2);
    sim_search_deinit(&search);
}
END_TEST

START_TEST(a_point_without_a_value_where_the_base_has_one_leaves)
{
    world self = {.base = {0.3, 0.9}, .truth = two_hills, .missing_above = 0.5};
    const sim_search_input input = input_of(&self, 900);
    sim_search search;
    size_t missing = 0;
    ck_assert(sim_search_run(&search, &input));
    for (size_t p = 1; p < search.count; p++) {
        const bool has_none = search.point[p].place[0] >= AXIS / 2;
        ck_assert_int_eq(search.point[p].standing == SIM_POINT_NO_DATA, has_none);
        missing += has_none;
    }
    ck_assert_uint_ge(missing, 3);
    /* Where the base has none, the objective tells nothing and nobody leaves for it. */
    sim_search_deinit(&search);
    self = (world){.base = {0.9, 0.9}, .truth = two_hills, .missing_above = 0};
    ck_assert(sim_search_run(&search, &input));
    for (size_t p = 1; p < search.count; p++)
        ck_assert_int_ne(search.point[p].standing, SIM_POINT_NO_DATA);
    sim_search_deinit(&search);
}
END_TEST

START_TEST(a_search_played_again_is_the_same)
{
    sim_search search[2];
    sim_search_input input[2];
    world self[2];
    for (size_t i = 0; i < 2; i++) {
        self[i] = (world){
            .seed = 7, .base = {0.9, 0.9}, .shared = 0.3, .own = 0.02, .truth = two_hills, .missing_above = INFINITY};
        input[i] = input_of(&self[i], 700);
        ck_assert(sim_search_run(&search[i], &input[i]));
    }
    ck_assert_uint_eq(search[0].count, search[1].count);
    ck_assert_uint_eq(self[0].calls, self[1].calls);
    for (size_t p = 0; p < search[0].count; p++) {
        ck_assert_mem_eq(search[0].point[p].place, search[1].point[p].place, sizeof search[0].point[p].place);
        ck_assert_int_eq(search[0].point[p].standing, search[1].point[p].standing);
    }
    ck_assert_uint_eq(sim_search_pick(&search[0]), sim_search_pick(&search[1]));
    sim_search_deinit(&search[0]);
    sim_search_deinit(&search[1]);
}
END_TEST

/* ---- main effects ---- */

START_TEST(effects_of_a_line_are_its_slopes)
{
    enum { POINTS = 9, COLUMNS = 2, RUNS = 4 };
    double column[POINTS * COLUMNS];
    double answer[RUNS * POINTS];
    sim_effect effect[COLUMNS];
    for (size_t i = 0; i < POINTS * COLUMNS; i++)
        column[i] = i % 2 == 0 ? (double)(i / 2) / 8 : (double)((i / 2 * 5) % 9) / 8;
    for (size_t i = 0; i < RUNS * POINTS; i++) {
        const size_t p = i % POINTS;
        const double luck = (double)(i / POINTS); /* the same for all points: it leaves the slopes alone */
        answer[i] = 10 * luck + 3 * column[2 * p] - (2 + (i / POINTS % 2 == 0 ? 0.5 : -0.5)) * column[2 * p + 1];
    }
    ck_assert(sim_effects_fit(column, POINTS, COLUMNS, answer, RUNS, effect));
    ck_assert_double_eq_tol(effect[0].mean, 3, 1e-9);
    ck_assert_double_eq_tol(effect[0].interval.high - effect[0].interval.low, 0, 1e-9);
    ck_assert_double_eq_tol(effect[1].mean, -2, 1e-9);
    /* Slopes -2.5, -1.5, -2.5, -1.5: deviation sqrt(1 / 3), t with three degrees of freedom. */
    ck_assert_double_eq_tol(effect[1].interval.high, -2 + 3.182446305284263 * sqrt(1.0 / 3 / 4), 1e-9);
    for (size_t i = 0; i < POINTS; i++)
        column[2 * i + 1] = 2 * column[2 * i] + 1;
    ck_assert(!sim_effects_fit(column, POINTS, COLUMNS, answer, RUNS, effect)); /* they say the same */
    ck_assert(!sim_effects_fit(column, 3, COLUMNS, answer, RUNS, effect));
    ck_assert(!sim_effects_fit(column, POINTS, COLUMNS, answer, 1, effect));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search");
    TCase *tests = tcase_create("search");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, a_step_is_a_share_of_the_axis_and_stays_on_it, 0, (int)(sizeof STEPS / sizeof *STEPS));
    tcase_add_loop_test(tests, what_is_worse_leaves_and_what_is_better_stays, 0, (int)(sizeof RACES / sizeof *RACES));
    tcase_add_test(tests, a_margin_is_not_beaten_by_less);
    tcase_add_test(tests, points_are_sorted_by_layers_and_then_by_weighted_gain);
    tcase_add_test(tests, the_front_is_found_where_it_is);
    tcase_add_test(tests, no_search_takes_more_than_its_budget);
    tcase_add_test(tests, where_the_base_is_best_it_is_seldom_left);
    tcase_add_test(tests, where_better_ones_exist_a_truly_better_one_is_picked);
    tcase_add_test(tests, where_nothing_matters_all_are_alike_and_the_base_stays);
    tcase_add_test(tests, constraints_hold_for_whatever_is_left);
    tcase_add_test(tests, a_mean_does_not_hide_what_is_lost_in_one_scenario);
    tcase_add_test(tests, those_that_lose_nowhere_are_neither_beaten_nor_halved_away);
    tcase_add_test(tests, what_may_be_luck_is_held_against_nobody);
    tcase_add_test(tests, those_that_lose_nowhere_are_not_halved_away);
    tcase_add_test(tests, what_is_not_admitted_is_never_played);
    tcase_add_test(tests, a_point_without_a_value_where_the_base_has_one_leaves);
    tcase_add_test(tests, a_search_played_again_is_the_same);
    tcase_add_test(tests, effects_of_a_line_are_its_slopes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
