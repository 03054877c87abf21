/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "engine/gsl_inverse.h"
#include "engine/random.h"
#include "engine/sampler.h"

#define MS        1000000.0
#define TWO_TO_64 18446744073709551616.0

static const sim_dist dists[] = {
    {.type = SIM_DIST_LOGNORMAL, .a = 2000000, .b = 50000},
    {.type = SIM_DIST_LOGNORMAL, .a = 2000000, .b = 646570},
    {.type = SIM_DIST_LOGNORMAL, .a = 5000000, .b = 1000000},
    {.type = SIM_DIST_LOGNORMAL, .a = 5000000, .b = 1500000},
    {.type = SIM_DIST_LOGNORMAL, .a = 1000000, .b = 100000},
    {.type = SIM_DIST_EXPONENTIAL, .a = 5000000, .b = 0},
    {.type = SIM_DIST_EXPONENTIAL, .a = 3600000000000, .b = 0}, /* an hour: bins wider than 2^32 ns */
    {.type = SIM_DIST_GAMMA, .a = 5000000, .b = 500000},
    {.type = SIM_DIST_GAMMA, .a = 60000000, .b = 500000},
    {.type = SIM_DIST_GAMMA, .a = 5000000, .b = 1000000},
    {.type = SIM_DIST_GAMMA, .a = 5000000, .b = 2500000},
    {.type = SIM_DIST_GAMMA, .a = 5000000, .b = 10000000},
    {.type = SIM_DIST_GAMMA, .a = 5000000, .b = 100000000},
};
enum { DISTS = sizeof dists / sizeof dists[0] };

static sim_sampler table;

static double exact(const sim_dist *dist, uint64_t word)
{
    return word >> 63 ? sim_gsl_quantile(dist, ((double)~word + 1.0) / TWO_TO_64, true)
                      : sim_gsl_quantile(dist, (double)word / TWO_TO_64, false);
}

/* The word whose distance from its end of the scale is the probability `tail`. */
static uint64_t word_at(double tail, bool is_upper)
{
    const uint64_t distance = (uint64_t)(tail * TWO_TO_64);
    return is_upper ? 0 - distance : distance;
}

static void expect_close(const sim_dist *dist, uint64_t word)
{
    const double want = exact(dist, word);
    const double got = (double)sim_sampler_draw(&table, word);
    const double error = fabs(got - want);
    if (error > 1.0 + 1e-4 * want) /* two roundings of half a ns, and the straight line's error */
        ck_abort_msg("type %d a %lld b %lld word %llx: %.3f ns, exact %.3f ns", (int)dist->type, (long long)dist->a,
                     (long long)dist->b, (unsigned long long)word, got, want);
}

START_TEST(draws_are_within_1e_4_of_the_exact_quantile)
{
    const sim_dist *dist = &dists[_i];
    sim_sampler_build(&table, dist);
    for (int side = 0; side < 2; side++)
        for (double tail = 1e-5; tail < 0.5; tail *= 1.0037)
            expect_close(dist, word_at(tail, side == 1));
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t word = sim_threefry2x64(20261129, 0, i, 0).word[0];
        if (word > word_at(1e-5, false) && word < word_at(1e-5, true))
            expect_close(dist, word);
    }
}
END_TEST

static double mean_of(const sim_dist *dist)
{
    const double sigma = (double)dist->b / 1e6;
    return dist->type == SIM_DIST_LOGNORMAL ? (double)dist->a * exp(sigma * sigma / 2) : (double)dist->a;
}

/* Sum over strata: 2^16 in the middle, 1024 in each octave of either tail. */
START_TEST(means_are_within_1e_5)
{
    const sim_dist *dist = &dists[_i];
    sim_sampler_build(&table, dist);
    const double middle = 1.0 - 2.0 / 64;
    double sum = 0;
    for (int i = 0; i < 65536; i++)
        sum += middle / 65536 *
               (double)sim_sampler_draw(&table, (uint64_t)((1.0 / 64 + middle * (i + 0.5) / 65536) * TWO_TO_64));
    for (int octave = 0; octave < SIM_TAIL_OCTAVES; octave++) {
        const double size = ldexp(1.0, -SIM_TAIL_BITS - 1 - octave);
        for (int i = 0; i < 1024; i++)
            for (int side = 0; side < 2; side++)
                sum +=
                    size / 1024 * (double)sim_sampler_draw(&table, word_at(size * (1 + (i + 0.5) / 1024), side == 1));
    }
    ck_assert_msg(fabs(sum - mean_of(dist)) <= 1e-5 * mean_of(dist), "type %d b %lld: mean %.3f, exact %.3f",
                  (int)dist->type, (long long)dist->b, sum, mean_of(dist));
}
END_TEST

/* One word after another; the draws must not fall. */
static void expect_climb(uint64_t *last, uint64_t word)
{
    const uint64_t now = sim_sampler_draw(&table, word);
    if (now < *last)
        ck_abort_msg("word %llx gives %llu after %llu", (unsigned long long)word, (unsigned long long)now,
                     (unsigned long long)*last);
    *last = now;
}

START_TEST(draws_never_fall_as_the_word_grows)
{
    sim_sampler_build(&table, &dists[_i]);
    uint64_t last = 0;
    for (uint64_t i = 0; i <= 1000000; i++)
        expect_climb(&last, i * (UINT64_MAX / 1000000));
    last = 0;
    for (double tail = 1e-19; tail < 1.0 / 32; tail *= 1.0005)
        expect_climb(&last, word_at(tail, false));
    for (double tail = 1.0 / 32; tail > 1e-19; tail /= 1.0005)
        expect_climb(&last, word_at(tail, true));
}
END_TEST

/* The step into `word` is a ns more at most than one word is worth in the bins beside it, which are `span` words wide
 * or wider. */
static void expect_joined(uint64_t word, uint64_t span)
{
    const uint64_t here = sim_sampler_draw(&table, word);
    const uint64_t step = here - sim_sampler_draw(&table, word - 1);
    const uint64_t below = here - sim_sampler_draw(&table, word - span);
    const uint64_t above = sim_sampler_draw(&table, word + span) - here;
    if (step > 1 + (below > above ? below : above) / span)
        ck_abort_msg("a step of %llu ns at word %llx", (unsigned long long)step, (unsigned long long)word);
}

START_TEST(tables_meet_without_a_step)
{
    sim_sampler_build(&table, &dists[_i]);
    for (uint64_t i = SIM_TAIL_EDGE; i <= SIM_QUANTILE_BINS - SIM_TAIL_EDGE; i++)
        expect_joined(i << (64 - SIM_QUANTILE_BITS), UINT64_C(1) << 51);
    for (int bit = 64 - SIM_TAIL_BITS; bit >= 64 - SIM_TAIL_BITS - SIM_TAIL_OCTAVES; bit--)
        for (uint64_t k = 0; k < SIM_TAIL_SUBS; k++) {
            const uint64_t distance = (UINT64_C(1) << bit) + (k << (bit - SIM_TAIL_SUB_BITS));
            const uint64_t span = UINT64_C(1) << (bit - SIM_TAIL_SUB_BITS - 1);
            expect_joined(distance, span);
            expect_joined(0 - distance, span);
        }
}
END_TEST

/* Bins that end below 2^32 ns are looked up in a table of their own. */
START_TEST(short_and_long_bins_are_drawn_alike)
{
    static const sim_dist around[] = {{.type = SIM_DIST_EXPONENTIAL, .a = 1000000},
                                      {.type = SIM_DIST_EXPONENTIAL, .a = 4000000000},
                                      {.type = SIM_DIST_CONSTANT, .a = UINT32_MAX},
                                      {.type = SIM_DIST_CONSTANT, .a = INT64_C(1) << 32}};
    sim_sampler_build(&table, &around[_i]);
    for (uint64_t i = SIM_TAIL_EDGE; i < SIM_QUANTILE_BINS - SIM_TAIL_EDGE; i++) {
        const uint64_t in_bin = sim_mix64(i) >> SIM_QUANTILE_BITS;
        const uint64_t width = table.bin[i + 1] - table.bin[i];
        const uint64_t drawn = sim_sampler_draw(&table, i << (64 - SIM_QUANTILE_BITS) | in_bin);
        if (drawn != table.bin[i] + sim_sampler_part(width, in_bin << SIM_QUANTILE_BITS))
            ck_abort_msg("%llu drawn in bin %llu", (unsigned long long)drawn, (unsigned long long)i);
    }
}
END_TEST

START_TEST(extreme_words_give_the_ends_of_the_table)
{
    sim_sampler_build(&table, &dists[_i]);
    const double lowest = sim_gsl_quantile(&dists[_i], ldexp(1.0, -46), false);
    const double highest = sim_gsl_quantile(&dists[_i], ldexp(1.0, -46), true);
    ck_assert_double_le(fabs((double)sim_sampler_draw(&table, 0) - lowest), 0.5 + 1e-12 * lowest);
    ck_assert_double_le(fabs((double)sim_sampler_draw(&table, UINT64_MAX) - highest), 0.5 + 1e-12 * highest);
    ck_assert_uint_eq(sim_sampler_draw(&table, 0), table.bin[0]);
    ck_assert_uint_eq(sim_sampler_draw(&table, UINT64_MAX), table.bin[SIM_QUANTILE_BINS]);
}
END_TEST

START_TEST(constant_is_exactly_the_constant)
{
    static const int64_t values[] = {0, 1, 2000000, 3600000000000, (INT64_C(1) << 60) + 1};
    const int64_t value = values[_i];
    sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_CONSTANT, .a = value});
    static const uint64_t edges[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 58, (UINT64_C(1) << 58) - 1};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        ck_assert_uint_eq(sim_sampler_draw(&table, edges[i]), (uint64_t)value);
    for (uint64_t i = 0; i < 100000; i++)
        if (sim_sampler_draw(&table, sim_threefry2x64(1, 0, i, 0).word[0]) != (uint64_t)value)
            ck_abort_msg("draw %llu differs", (unsigned long long)i);
}
END_TEST

START_TEST(quantiles_past_73_years_are_cut)
{
    sim_sampler_build(&table, &(sim_dist){.type = SIM_DIST_LOGNORMAL, .a = 3600000000000, .b = 12000000});
    ck_assert_uint_eq(sim_sampler_draw(&table, UINT64_MAX), SIM_SAMPLER_MAX);
    ck_assert_uint_eq(sim_sampler_draw(&table, UINT64_C(1) << 63), 3600000000000);
}
END_TEST

/* Independent of GSL: closed forms of the distribution functions. */
static const double tails[] = {0.5, 0.25, 1e-2, 1e-5, 1e-9, 1.4e-14};
enum { TAILS = sizeof tails / sizeof tails[0] };

START_TEST(lognormal_quantiles_satisfy_the_error_function)
{
    const sim_dist dist = {.type = SIM_DIST_LOGNORMAL, .a = 2000000, .b = 700000};
    for (int side = 0; side < 2; side++) {
        const double x = sim_gsl_quantile(&dist, tails[_i], side == 1);
        const double z = log(x / (2.0 * MS)) / 0.7;
        ck_assert_double_eq_tol(0.5 * erfc((side == 1 ? z : -z) / sqrt(2.0)) / tails[_i], 1.0, 1e-9);
    }
}
END_TEST

START_TEST(exponential_quantiles_are_logarithms)
{
    const sim_dist dist = {.type = SIM_DIST_EXPONENTIAL, .a = 5000000, .b = 0};
    ck_assert_double_eq_tol(sim_gsl_quantile(&dist, tails[_i], true) / (-5.0 * MS * log(tails[_i])), 1.0, 1e-12);
    ck_assert_double_eq_tol(sim_gsl_quantile(&dist, tails[_i], false) / (-5.0 * MS * log1p(-tails[_i])), 1.0, 1e-12);
}
END_TEST

/* Probability above x for a whole shape: a Poisson sum. */
static double erlang_above(double x, int shape)
{
    double sum = 0;
    for (int i = 0; i < shape; i++)
        sum += exp(i * log(x) - x - lgamma(i + 1.0));
    return sum;
}

START_TEST(gamma_quantiles_of_whole_shapes_are_poisson_sums)
{
    static const int shapes[] = {1, 2, 10, 100, 1000};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const sim_dist dist = {.type = SIM_DIST_GAMMA, .a = 5000000, .b = shapes[i] * INT64_C(1000000)};
        const double x = sim_gsl_quantile(&dist, tails[_i], true) / (5.0 * MS) * shapes[i];
        ck_assert_double_eq_tol(erlang_above(x, shapes[i]) / tails[_i], 1.0, 1e-7);
    }
}
END_TEST

/* Near 0 the distribution function is x^a (1 - a x / (a + 1)) / gamma(a + 1), up to a term in x^2. GSL's inverse fails
 * for the first shape. */
START_TEST(gamma_quantiles_of_small_shapes_follow_the_power_law)
{
    static const double shapes[] = {0.1, 0.2, 0.5};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const double a = shapes[i];
        const sim_dist dist = {.type = SIM_DIST_GAMMA, .a = 3600000000000, .b = (int64_t)(a * 1e6 + 0.5)};
        const double tail = pow(1e-5, a) / tgamma(a + 1);
        const double x = sim_gsl_quantile(&dist, tail, false) / 3600e9 * a;
        ck_assert_double_eq_tol(pow(x, a) * (1 - a * x / (a + 1)) / tgamma(a + 1) / tail, 1.0, 1e-9);
    }
}
END_TEST

START_TEST(gamma_tables_build_for_every_shape)
{
    static const int64_t shapes[] = {10000, 50000, 100000, 150000, 199999, 300000, 300000000, 700000000, 1000000000};
    const sim_dist dist = {.type = SIM_DIST_GAMMA, .a = 5000000, .b = shapes[_i]};
    sim_sampler_build(&table, &dist);
    double sum = 0;
    for (uint64_t i = 0; i < 65536; i++)
        sum += (double)sim_sampler_draw(&table, (i << 48) + (UINT64_C(1) << 47)) / 65536;
    ck_assert_double_eq_tol(sum / (5.0 * MS), 1.0, 1e-3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampler");
    TCase *tables = tcase_create("tables");
    tcase_set_timeout(tables, 60); /* sanitizers on a busy machine */
    tcase_add_loop_test(tables, draws_are_within_1e_4_of_the_exact_quantile, 0, DISTS);
    tcase_add_loop_test(tables, means_are_within_1e_5, 0, DISTS);
    tcase_add_loop_test(tables, draws_never_fall_as_the_word_grows, 0, DISTS);
    tcase_add_loop_test(tables, tables_meet_without_a_step, 0, DISTS);
    tcase_add_loop_test(tables, short_and_long_bins_are_drawn_alike, 0, 4);
    tcase_add_loop_test(tables, extreme_words_give_the_ends_of_the_table, 0, DISTS);
    tcase_add_loop_test(tables, constant_is_exactly_the_constant, 0, 5);
    tcase_add_test(tables, quantiles_past_73_years_are_cut);
    tcase_add_loop_test(tables, gamma_tables_build_for_every_shape, 0, 9);
    suite_add_tcase(suite, tables);
    TCase *quantiles = tcase_create("quantiles");
    tcase_add_loop_test(quantiles, lognormal_quantiles_satisfy_the_error_function, 0, TAILS);
    tcase_add_loop_test(quantiles, exponential_quantiles_are_logarithms, 0, TAILS);
    tcase_add_loop_test(quantiles, gamma_quantiles_of_whole_shapes_are_poisson_sums, 0, TAILS);
    tcase_add_test(quantiles, gamma_quantiles_of_small_shapes_follow_the_power_law);
    suite_add_tcase(suite, quantiles);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
