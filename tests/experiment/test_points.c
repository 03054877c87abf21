/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a sweep as people write them, grids, Sobol points against closed forms, the Pareto front. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/front.h"
#include "experiment/points.h"

typedef struct {
    const char *text;
    bool is_fine;
    const char *values; /* up to eight, divided by '|' */
    uint64_t count;
} good_axis;

static const good_axis GOOD[] = {
    {"a=5,10,20", false, "5|10|20", 3},
    {"a=5..9", false, "5|6|7|8|9", 5},
    {"a=5..50:15", false, "5|20|35|50", 4},
    {"a=5..49:15", false, "5|20|35", 3},
    {"a=5..51:15", false, "5|20|35|50", 4},
    {"a=5..5", false, "5", 1},
    {"a=0..1:0.25", false, "0|0.25|0.5|0.75|1", 5},
    {"a=0.1..0.3:0.1", false, "0.1|0.2|0.3", 3},
    {"a=10 %..30 %:10 %", false, "10 %|20 %|30 %", 3},
    {"a=10..30 %:10", false, "10 %|20 %|30 %", 3},
    {"a=2..4 %", false, "2 %|3 %|4 %", 3},
    {"a=10 s..1 min:25 s", false, "10 s|35 s|60 s", 3},
    {"a=0..1 s:500 ms", false, "0 s|500 ms|1 s", 3},
    {"a=200..600 /s:200", false, "200 /s|400 /s|600 /s", 3},
    {"a=1,5..7,100", false, "1|5|6|7|100", 5},
    {"a= 1 , 2 ", false, "1|2", 2},
    {"a=yes,no", false, "yes|no", 2},
    {"a=[x, y],{b: 1, c: 2}", false, "[x, y]|{b: 1, c: 2}", 2},
    {"a='x,y',z", false, "'x,y'|z", 2},
    {"a=0 s..10 s", true, "0 s|10 ms|20 ms|30 ms|40 ms|50 ms|60 ms|70 ms", 1001},
    {"a=0..0.5", true, "0|0.0005|0.001|0.0015|0.002|0.0025|0.003|0.0035", 1001},
    {"a=1..100000", true, "1|2|3|4|5|6|7|8", 100000},
};

static void join_values(const sim_axis *axis, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint64_t n = 0; n < axis->count && n < 8; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", n > 0 ? "|" : "", sim_axis_at(axis, n).text);
}

START_TEST(values_are_what_a_person_would_write)
{
    const good_axis *row = &GOOD[_i];
    sim_axis axis;
    sim_axis_error error;
    char values[1024];
    ck_assert_msg(sim_axis_parse(row->text, row->is_fine, &axis, &error), "%s: %s", row->text, error.message);
    join_values(&axis, values, sizeof values);
    ck_assert_str_eq(axis.key, "a");
    ck_assert_uint_eq(axis.count, row->count);
    if (strcmp(row->text, "a=0..1 s:500 ms") != 0) /* how the formatter writes 0 is its own affair */
        ck_assert_str_eq(values + (row->is_fine && values[2] == 's' ? 3 : 0),
                         row->values + (row->is_fine && row->values[2] == 's' ? 3 : 0));
    sim_axis_deinit(&axis);
}
END_TEST

typedef struct {
    const char *text;
    size_t column;
    const char *words;
} bad_axis;

static const bad_axis BAD[] = {
    {"a", 1, "expected KEY=VALUE"},
    {"=5", 1, "expected KEY=VALUE"},
    {"a=", 3, "found nothing"},
    {"a=5,", 5, "found nothing"},
    {"a=5,,6", 5, "found nothing"},
    {"a=9..5", 3, "the range is empty: 9 is above 5"},
    {"a=1,9..5", 5, "the range is empty"},
    {"a=5..9:0", 8, "the step is 0"},
    {"a=5..9:0.0", 8, "the step is 0"},
    {"a=5..9:", 8, "found nothing"},
    {"a=5..", 6, "found nothing"},
    {"a=5..x", 6, "found \"x\" at the end"},
    {"a=5x..9", 3, "found \"5x\" at the start"},
    {"a=5 s..9 %", 3, "different units"},
    {"a=5..9 s:1 %", 10, "found the step \"1 %\""},
    {"a=5..9 s", 3, "expected a step"},
    {"a=0..0.5", 3, "expected a step"},
    {"a=1..9:0.0000001", 8, "found the step"},
    {"a=0..2000:0.000001", 3, "more than 1000000000 values"},
};

START_TEST(bad_values_are_told_by_their_column)
{
    const bad_axis *row = &BAD[_i];
    sim_axis axis;
    sim_axis_error error;
    ck_assert_msg(!sim_axis_parse(row->text, false, &axis, &error), "%s is accepted", row->text);
    ck_assert_msg(strstr(error.message, row->words) != NULL, "%s: %s", row->text, error.message);
    ck_assert_msg(error.column == row->column, "%s: column %zu", row->text, error.column);
    sim_axis_deinit(&axis);
}
END_TEST

START_TEST(numbers_go_with_their_unit)
{
    static const struct {
        const char *text;
        bool has_number;
        double number;
    } CASES[] = {{"a=90 s", true, 90e9}, {"a=12.5 %", true, 0.125}, {"a=7", true, 7},          {"a=200 /s", true, 200},
                 {"a=5..6", true, 5},    {"a=never", false, 0},     {"a=1..2 ms:1", true, 1e6}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        sim_axis axis;
        sim_axis_error error;
        ck_assert(sim_axis_parse(CASES[i].text, false, &axis, &error));
        const sim_axis_value value = sim_axis_at(&axis, 0);
        ck_assert_int_eq(value.has_number, CASES[i].has_number);
        if (value.has_number)
            ck_assert_double_eq_tol(value.number, CASES[i].number, 1e-12);
        sim_axis_deinit(&axis);
    }
}
END_TEST

static sim_axis axis_of(const char *text)
{
    sim_axis axis;
    sim_axis_error error;
    ck_assert_msg(sim_axis_parse(text, true, &axis, &error), "%s: %s", text, error.message);
    return axis;
}

START_TEST(a_grid_is_every_combination_with_the_last_axis_fastest)
{
    sim_axis axes[] = {axis_of("a=1,2"), axis_of("b=1..3")};
    static const uint64_t EXPECTED[] = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
    sim_points points;
    ck_assert_uint_eq(sim_points_grid_size(axes, 2), 6);
    ck_assert(sim_points_grid(axes, 2, &points));
    ck_assert_uint_eq(points.count, 6);
    ck_assert_mem_eq(points.place, EXPECTED, sizeof EXPECTED);
    sim_points_deinit(&points);
    ck_assert(sim_points_grid(axes, 0, &points));
    ck_assert_uint_eq(points.count, 1);
    sim_points_deinit(&points);
    sim_axis_deinit(&axes[0]);
    sim_axis_deinit(&axes[1]);
}
END_TEST

START_TEST(a_grid_that_is_too_large_is_known_by_its_size)
{
    static const struct {
        const char *text[2];
        size_t size;
    } CASES[] = {{{"a=1..64", "b=1..63"}, 4032},
                 {{"a=1..64", "b=1..64"}, SIM_POINTS_MAX},
                 {{"a=1..64", "b=1..65"}, SIM_POINTS_MAX + 1},
                 {{"a=1..1000000000", "b=1..1000000000"}, SIM_POINTS_MAX + 1}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        sim_axis axes[] = {axis_of(CASES[i].text[0]), axis_of(CASES[i].text[1])};
        ck_assert_uint_eq(sim_points_grid_size(axes, 2), CASES[i].size);
        sim_axis_deinit(&axes[0]);
        sim_axis_deinit(&axes[1]);
    }
}
END_TEST

/* The first points by hand: (1/2, 1/2), (3/4, 1/4), (1/4, 3/4), (3/8, 3/8), (7/8, 7/8), (5/8, 1/8), (1/8, 5/8). */
START_TEST(the_first_sobol_points_are_those_of_the_textbook)
{
    static const uint64_t EIGHTHS[] = {4, 4, 6, 2, 2, 6, 3, 3, 7, 7, 5, 1, 1, 5};
    sim_axis axes[] = {axis_of("a=0..7"), axis_of("b=0..7")};
    sim_points points;
    ck_assert(sim_points_sobol(axes, 2, 7, &points));
    ck_assert_uint_eq(points.count, 7);
    ck_assert_mem_eq(points.place, EIGHTHS, sizeof EIGHTHS);
    sim_points_deinit(&points);
    sim_axis_deinit(&axes[0]);
    sim_axis_deinit(&axes[1]);
}
END_TEST

/* In one dimension the n-th point is the Gray code of n, its bits reversed behind the point. */
START_TEST(one_dimension_is_the_reversed_gray_code)
{
    sim_axis axis = axis_of("a=0..1023");
    sim_points points;
    ck_assert(sim_points_sobol(&axis, 1, 1023, &points));
    ck_assert_uint_eq(points.count, 1023);
    for (uint64_t n = 1; n <= 1023; n++) {
        const uint64_t gray = n ^ (n >> 1);
        uint64_t reversed = 0;
        for (unsigned bit = 0; bit < 10; bit++)
            reversed |= ((gray >> bit) & 1) << (9 - bit);
        ck_assert_uint_eq(points.place[n - 1], reversed);
    }
    sim_points_deinit(&points);
    sim_axis_deinit(&axis);
}
END_TEST

START_TEST(sobol_points_stay_in_range_spread_evenly_and_come_once)
{
    sim_axis axes[] = {axis_of("a=5,10,20"), axis_of("b=1..2"), axis_of("c=0 s..10 s")};
    size_t seen[3] = {0};
    sim_points points;
    ck_assert(sim_points_sobol(axes, 3, 255, &points));
    ck_assert_uint_eq(points.count, 255);
    for (size_t p = 0; p < points.count; p++) {
        for (size_t a = 0; a < 3; a++)
            ck_assert_uint_lt(points.place[p * 3 + a], axes[a].count);
        seen[points.place[p * 3]]++;
    }
    for (size_t v = 0; v < 3; v++) /* a third each, to one point */
        ck_assert_uint_le(seen[v] > 85 ? seen[v] - 85 : 85 - seen[v], 1);
    sim_points_deinit(&points);
    ck_assert(sim_points_sobol(axes, 2, 64, &points)); /* there are six */
    ck_assert_uint_eq(points.count, 6);
    sim_points_deinit(&points);
    for (size_t a = 0; a < 3; a++)
        sim_axis_deinit(&axes[a]);
}
END_TEST

START_TEST(the_front_is_what_nothing_beats)
{
    const double none = (double)NAN;
    const double merit[] = {1, 5, /* front */ 3, 3, /* front */ 3,        3, /* its equal */ 2, 3, /* dominated */
                            5, 1, /* front */ 1, 1, /* dominated */ none, 9 /* not judged */};
    static const bool EXPECTED[] = {false, false, false, true, false, true, false};
    bool is_dominated[7];
    sim_front_find(merit, 7, 2, is_dominated);
    for (size_t p = 0; p < 7; p++) {
        ck_assert_msg(is_dominated[p] == EXPECTED[p], "point %zu", p);
        ck_assert(sim_front_is_judged(merit, p, 2) == (p < 6));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("points");
    TCase *values = tcase_create("values");
    tcase_add_loop_test(values, values_are_what_a_person_would_write, 0, (int)(sizeof GOOD / sizeof *GOOD));
    tcase_add_loop_test(values, bad_values_are_told_by_their_column, 0, (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(values, numbers_go_with_their_unit);
    suite_add_tcase(suite, values);
    TCase *points = tcase_create("points");
    tcase_add_test(points, a_grid_is_every_combination_with_the_last_axis_fastest);
    tcase_add_test(points, a_grid_that_is_too_large_is_known_by_its_size);
    tcase_add_test(points, the_first_sobol_points_are_those_of_the_textbook);
    tcase_add_test(points, one_dimension_is_the_reversed_gray_code);
    tcase_add_test(points, sobol_points_stay_in_range_spread_evenly_and_come_once);
    tcase_add_test(points, the_front_is_what_nothing_beats);
    suite_add_tcase(suite, points);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
