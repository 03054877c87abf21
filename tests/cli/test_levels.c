/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which minutes of telemetry depart from the healthy state, and which of them share a level: the rule's edges. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/levels.h"

/* One minute's row: requests, errors with 503, p50 and p99 in ms. */
typedef struct {
    int requests, errors;
    double p50, p99;
} minute;

static const minute HEALTHY = {2000, 0, 4, 20};

/* Ten healthy minutes and then these. */
static sim_arena *levels_of(const minute *then, size_t count, imp_series *series, imp_levels *out)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "minute,requests,errors_503,p50_ms,p99_ms\n");
    for (size_t i = 0; i < 10 + count; i++) {
        const minute *row = i < 10 ? &HEALTHY : &then[i - 10];
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu,%d,%d,%.9g,%.9g\n", i, row->requests,
                                 row->errors, row->p50, row->p99);
    }
    sim_arena *arena = sim_arena_create();
    sim_input_error error;
    imp_csv csv;
    ck_assert(imp_csv_open(&csv, arena, "table.csv", sim_arena_string(arena, text), used, &error));
    ck_assert_msg(imp_series_read(&csv, imp_region_find("westus"), "ms", series), "%s", error.message);
    imp_levels_find(arena, series, out);
    return arena;
}

START_TEST(a_minute_departs_at_the_edges_of_the_rule)
{
    static const struct {
        minute then;
        uint32_t departing;
    } CASES[] = {
        {{2000, 0, 4, 20}, 0},       {{2000, 0, 5, 20}, 0}, /* a quarter more is not more than a quarter */
        {{2000, 0, 5.00001, 20}, 1}, {{2000, 0, 3.2, 20}, 0},    {{2000, 0, 3.19999, 20}, 1},
        {{50, 0, 5.00001, 20}, 1},   {{49, 0, 5.00001, 20}, 0}, /* too few to tell */
        {{2000, 0, 4, 30}, 0},       {{2000, 0, 4, 30.0001}, 1}, {{1000, 0, 4, 30.0001}, 1},
        {{999, 0, 4, 30.0001}, 0},   {{2000, 10, 4, 20}, 0}, /* half a percentage point */
        {{2000, 11, 4, 20}, 1},      {{100, 2, 4, 20}, 0},   /* two errors are nothing */
        {{100, 3, 4, 20}, 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        imp_series series;
        imp_levels levels;
        sim_arena *arena = levels_of(&CASES[i].then, 1, &series, &levels);
        ck_assert_msg(levels.line[0][SIM_KIND_READ].departing_periods == CASES[i].departing, "case %zu", i);
        sim_arena_destroy(arena);
    }
}
END_TEST

START_TEST(neighbours_share_a_level_while_they_are_near_its_mean)
{
    /* Three standard errors of a half among 2500 are 3 %. */
    static const minute SAME[] = {{2500, 1250, 4, 20}, {2500, 1324, 4.12, 20.6}};
    static const minute MORE_ERRORS[] = {{2500, 1250, 4, 20}, {2500, 1326, 4, 20}};
    static const minute SLOWER[] = {{2500, 1250, 4, 20}, {2500, 1250, 4.1201, 20}};
    static const minute BACK[] = {{2500, 1250, 4, 20}, {2000, 0, 4, 20}, {2500, 1250, 4, 20}};
    static const struct {
        const minute *then;
        size_t count;
        uint32_t levels; /* the healthy one included */
    } CASES[] = {{SAME, 2, 2}, {MORE_ERRORS, 2, 3}, {SLOWER, 2, 3}, {BACK, 3, 4}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        imp_series series;
        imp_levels levels;
        sim_arena *arena = levels_of(CASES[i].then, CASES[i].count, &series, &levels);
        const imp_line *line = &levels.line[0][SIM_KIND_READ];
        ck_assert_msg(line->count == CASES[i].levels, "case %zu: %u levels", i, line->count);
        ck_assert_uint_eq(line->level[1].from, 10);
        ck_assert(line->level[1].departs && !line->level[0].departs);
        sim_arena_destroy(arena);
    }
}
END_TEST

START_TEST(a_level_weighs_its_minutes_by_their_requests)
{
    static const minute THEN[] = {{30000, 15000, 4, 20}, {10000, 5040, 4, 20.4}};
    imp_series series;
    imp_levels levels;
    sim_arena *arena = levels_of(THEN, 2, &series, &levels);
    const imp_line *line = &levels.line[0][SIM_KIND_READ];
    ck_assert_uint_eq(line->count, 2);
    ck_assert(fabs(line->level[1].share[0] - 20040.0 / 40000) < 1e-12);
    ck_assert(fabs(line->level[1].p99 - 20.1e6) < 1);
    ck_assert(fabs(line->healthy.p99 - 20e6) < 1);
    ck_assert_uint_eq(line->healthy_periods, 10);
    sim_arena_destroy(arena);
}
END_TEST

START_TEST(a_minute_without_requests_is_no_departure)
{
    static const minute THEN[] = {{0, 0, 0, 0}};
    imp_series series;
    imp_levels levels;
    sim_arena *arena = levels_of(THEN, 1, &series, &levels);
    ck_assert_uint_eq(levels.line[0][SIM_KIND_READ].count, 1); /* a minute without requests goes on as the last */
    ck_assert_uint_eq(levels.line[0][SIM_KIND_READ].healthy_periods, 10);
    ck_assert(!levels.line[0][SIM_KIND_WRITE].is_there);
    ck_assert_uint_eq(levels.rate_count[0], 2); /* but its rate is 0 */
    ck_assert(levels.rate[0][1].per_s == 0);
    sim_arena_destroy(arena);
}
END_TEST

START_TEST(rates_join_within_three_standard_errors)
{
    /* The mean of ten minutes is 2000; three errors of a difference are 3 sqrt(2000 * 1.1) = 140.7. */
    static const struct {
        int requests;
        uint32_t rates;
    } CASES[] = {{2140, 1}, {2141, 2}, {1860, 1}, {1859, 2}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const minute then = {CASES[i].requests, 0, 4, 20};
        imp_series series;
        imp_levels levels;
        sim_arena *arena = levels_of(&then, 1, &series, &levels);
        ck_assert_msg(levels.rate_count[0] == CASES[i].rates, "case %zu", i);
        sim_arena_destroy(arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("levels");
    TCase *tests = tcase_create("rule");
    tcase_add_test(tests, a_minute_departs_at_the_edges_of_the_rule);
    tcase_add_test(tests, neighbours_share_a_level_while_they_are_near_its_mean);
    tcase_add_test(tests, a_level_weighs_its_minutes_by_their_requests);
    tcase_add_test(tests, a_minute_without_requests_is_no_departure);
    tcase_add_test(tests, rates_join_within_three_standard_errors);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
