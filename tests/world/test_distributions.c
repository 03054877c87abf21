/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weibull, measured percentiles and mixtures as tables, against their formulas. */
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "engine/sampler.h"

#define MS   1000000
#define HALF (UINT64_C(1) << 63)

static sim_sampler table;

/* The word at u = i / 4096: the edge of a bin, where the table holds the quantile itself. */
static uint64_t edge(unsigned i)
{
    return (uint64_t)i << (64 - SIM_QUANTILE_BITS);
}

START_TEST(weibull_has_its_median_and_its_shape)
{
    static const int64_t shapes[] = {200000, 700000, 1000000, 2000000, 50000000};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_WEIBULL, .a = 8 * MS, .b = shapes[s]});
        ck_assert_uint_eq(sim_sampler_draw(&table, HALF), 8 * MS);
        for (unsigned i = 64; i < 4096 - 64; i += 61) {
            const double exact = 8.0 * MS * pow(-log1p(-(double)i / 4096) / log(2), 1e6 / (double)shapes[s]);
            ck_assert_double_eq_tol((double)sim_sampler_draw(&table, edge(i)), exact, 0.51 + 1e-9 * exact);
        }
    }
}
END_TEST

START_TEST(weibull_of_shape_one_is_exponential)
{
    static sim_sampler exponential;
    sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_WEIBULL, .a = 6931472, .b = 1000000});
    sim_sampler_build(&exponential, &(sim_dist){.type = SIM_DIST_EXPONENTIAL, .a = 10000000});
    for (uint64_t word = 0; word < UINT64_MAX - (UINT64_C(1) << 53); word += UINT64_C(1) << 53) {
        const double a = (double)sim_sampler_draw(&table, word);
        const double b = (double)sim_sampler_draw(&exponential, word);
        ck_assert_double_eq_tol(a, b, 1 + 1e-7 * b); /* the median is rounded to a nanosecond */
    }
}
END_TEST

static const sim_percentile measured[] = {
    {250000000, 1 * MS}, {500000000, 2 * MS}, {750000000, 2 * MS}, {984375000, 9 * MS}, {999023437, 80 * MS}};

START_TEST(percentiles_are_met_and_nothing_lies_beyond)
{
    sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_PERCENTILES, .count = 5, .percentile = measured});
    ck_assert_uint_eq(sim_sampler_draw(&table, 0), 1 * MS);
    ck_assert_uint_eq(sim_sampler_draw(&table, edge(1)), 1 * MS);
    ck_assert_uint_eq(sim_sampler_draw(&table, edge(1024)), 1 * MS);
    ck_assert_uint_gt(sim_sampler_draw(&table, edge(1025)), 1 * MS);
    ck_assert_uint_eq(sim_sampler_draw(&table, edge(2048)), 2 * MS);
    ck_assert_uint_eq(sim_sampler_draw(&table, edge(2500)), 2 * MS);
    ck_assert_uint_eq(sim_sampler_draw(&table, edge(3072)), 2 * MS);
    ck_assert_uint_eq(sim_sampler_draw(&table, edge(4032)), 9 * MS);
    ck_assert_double_eq_tol((double)sim_sampler_draw(&table, edge(4092)), 80.0 * MS, 20);
    ck_assert_uint_eq(sim_sampler_draw(&table, UINT64_MAX), 80 * MS);
    /* Halfway between p75 and p98.4375 by the logarithm of what lies above (1/4 and 1/64) is p93.75 (1/16). */
    ck_assert_double_eq_tol((double)sim_sampler_draw(&table, edge(3840)), 5.5 * MS, 1);
}
END_TEST

static const sim_dist_part parts[] = {
    {300000000, {.type = SIM_DIST_CONSTANT, .a = 3 * MS}},
    {400000000, {.type = SIM_DIST_LOGNORMAL, .a = 2 * MS, .b = 800000}},
    {100000000, {.type = SIM_DIST_WEIBULL, .a = 20 * MS, .b = 700000}},
    {100000000, {.type = SIM_DIST_GAMMA, .a = 5 * MS, .b = 2500000}},
    {50000000, {.type = SIM_DIST_EXPONENTIAL, .a = 100 * MS}},
    {50000000, {.type = SIM_DIST_PERCENTILES, .count = 5, .percentile = measured}},
};

/* At or below x; percentiles by a table of their own. */
static double below(double x)
{
    static sim_sampler percentiles;
    static bool is_built;
    if (!is_built)
        sim_sampler_build(&percentiles, &parts[5].dist);
    is_built = true;
    double low = 0;
    double high = 1;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if ((double)sim_sampler_draw(&percentiles, (uint64_t)(middle * 0x1p64)) <= x)
            low = middle;
        else
            high = middle;
    }
    const double scale = 20.0 * MS * pow(log(2), -1 / 0.7);
    return 0.3 * (x >= 3 * MS) + 0.4 * gsl_cdf_lognormal_P(x, log(2.0 * MS), 0.8) +
           0.1 * gsl_cdf_weibull_P(x, scale, 0.7) + 0.1 * gsl_cdf_gamma_P(x, 2.5, 2.0 * MS) +
           0.05 * gsl_cdf_exponential_P(x, 100.0 * MS) + 0.05 * low;
}

START_TEST(mixture_is_the_sum_of_its_parts)
{
    unsigned constant = 0;
    sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_MIXTURE, .count = 6, .part = parts});
    for (unsigned i = 64; i <= 4096 - 64; i += 7) {
        const double u = i / 4096.0;
        const double x = (double)sim_sampler_draw(&table, edge(i));
        ck_assert_double_le(below(x - 2), u + 1e-6);
        ck_assert_double_ge(below(x + 2), u - 1e-6);
        constant += x == 3 * MS;
    }
    ck_assert_uint_ge(constant, (unsigned)(0.3 * 4096 / 7) - 1); /* what is constant stays exactly that */
    ck_assert_uint_le(constant, (unsigned)(0.3 * 4096 / 7) + 1);
}
END_TEST

START_TEST(mixture_of_one_is_that_one)
{
    static sim_sampler alone;
    for (int p = 0; p < 6; p++) {
        const sim_dist_part one[] = {{SIM_SHARE_ONE, parts[p].dist}};
        sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_MIXTURE, .count = 1, .part = one});
        sim_sampler_build(&alone, &parts[p].dist);
        for (uint64_t word = 0; word < UINT64_MAX - (UINT64_C(1) << 54); word += UINT64_C(1) << 54)
            ck_assert_uint_eq(sim_sampler_draw(&table, word), sim_sampler_draw(&alone, word));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distributions");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, weibull_has_its_median_and_its_shape);
    tcase_add_test(all, weibull_of_shape_one_is_exponential);
    tcase_add_test(all, percentiles_are_met_and_nothing_lies_beyond);
    tcase_add_test(all, mixture_is_the_sum_of_its_parts);
    tcase_add_test(all, mixture_of_one_is_that_one);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
