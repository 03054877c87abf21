/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals and tests against textbooks, enumeration, and experiments whose truth is known.
 *
 * Coverage: 1000 experiments with one fixed seed. If an interval covers 95 %, the count lies outside 930..970 with a
 * probability of 0.4 %. A failure is answered by analysis, never by another seed. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/random.h"
#include "experiment/resample.h"
#include "experiment/statistics.h"

enum { STATISTICS_SEED = 20261129, EXPERIMENTS = 1000 };

/* In (0, 1). */
static double uniform(uint32_t experiment, uint64_t what, uint64_t n)
{
    const sim_luck luck = {STATISTICS_SEED, experiment};
    return ((double)(sim_draw_words(&luck, SIM_DRAW_GAP, what, n).word[0] >> 11) + 0.5) / 9007199254740992.0;
}

/* Nearly normal, mean 0, variance 1. */
static double noise(uint32_t experiment, uint64_t what, uint64_t n)
{
    double sum = -6;
    for (uint64_t i = 0; i < 12; i++)
        sum += uniform(experiment, what, 12 * n + i);
    return sum;
}

/* ---- textbooks ---- */

START_TEST(the_t_interval_is_that_of_students_sleep_data)
{
    /* "Student" 1908: additional hours of sleep, two drugs, ten patients; mean 1.58, t = 4.0621 with 9 degrees. */
    static const double HOURS[] = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
    const sim_estimate estimate = sim_mean_estimate(HOURS, 10);
    const sim_interval interval = sim_t_interval(&estimate);
    ck_assert_double_eq_tol(estimate.value, 1.58, 1e-12);
    ck_assert_double_eq_tol(interval.low, 0.7001142, 1e-6);
    ck_assert_double_eq_tol(interval.high, 2.4598858, 1e-6);
    ck_assert_double_eq_tol(sim_t_p(&estimate, 0), 0.002832890, 1e-8);
    /* The p-value of a margin is 5 % exactly where the interval ends. */
    ck_assert_double_eq_tol(sim_t_p(&estimate, interval.low), 0.05, 1e-9);
    ck_assert_double_eq(sim_t_p(&estimate, 1.58), 1);
    ck_assert_double_eq(sim_t_p(&estimate, 2), 1);
}
END_TEST

START_TEST(differences_without_spread_are_certain)
{
    static const double SAME[] = {3, 3, 3, 3, 3};
    const sim_estimate estimate = sim_mean_estimate(SAME, 5);
    const sim_interval interval = sim_t_interval(&estimate);
    ck_assert_double_eq(interval.low, 3);
    ck_assert_double_eq(interval.high, 3);
    ck_assert_double_eq(sim_t_p(&estimate, 2.9), 0);
    ck_assert_double_eq(sim_t_p(&estimate, 3), 1);
}
END_TEST

START_TEST(the_sign_flip_test_is_that_of_darwins_maize)
{
    /* Fisher, "The Design of Experiments", section 21: of 2^15 sign patterns 863 give a sum of 314 or more. */
    static const double EIGHTHS[] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
    ck_assert_double_eq(sim_sign_flip_p(EIGHTHS, 15, 0), 2 * 863 / 32768.0);
}
END_TEST

START_TEST(holms_adjustment_is_that_of_a_worked_example)
{
    /* Four tests at 5 %: the fourth and the first are rejected, the others are not. */
    double p[] = {0.01, 0.04, 0.03, 0.005};
    static const double ADJUSTED[] = {0.03, 0.06, 0.06, 0.02};
    sim_holm(p, 4, p);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(p[i], ADJUSTED[i], 1e-12);
    double large[] = {0.6, 0.5};
    sim_holm(large, 2, large);
    ck_assert_double_eq(large[0], 1);
    ck_assert_double_eq(large[1], 1);
    double one[] = {0.04};
    sim_holm(one, 1, one);
    ck_assert_double_eq(one[0], 0.04);
    sim_holm(one, 0, one);
}
END_TEST

START_TEST(the_jackknife_of_a_mean_is_the_mean_with_its_t_interval)
{
    for (uint32_t experiment = 0; experiment < 50; experiment++) {
        double value[20];
        double without[20];
        double sum = 0;
        const size_t n = 2 + experiment % 19;
        for (size_t i = 0; i < n; i++)
            sum += value[i] = 100 * noise(experiment, 1, i) + 1000;
        for (size_t i = 0; i < n; i++)
            without[i] = (sum - value[i]) / (double)(n - 1);
        const sim_estimate mean = sim_mean_estimate(value, n);
        const sim_estimate jackknife = sim_jackknife_estimate(sum / (double)n, without, n);
        ck_assert_double_eq_tol(jackknife.value, mean.value, 1e-9);
        ck_assert_double_eq_tol(jackknife.error, mean.error, 1e-9);
    }
}
END_TEST

/* ---- sign-flip against enumeration ---- */

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Few whole numbers, so that ties abound. */
static void draw_counts(uint32_t experiment, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = floor(7 * uniform(experiment, 2, i)) - 2;
}

START_TEST(sign_flips_are_counted_exactly)
{
    for (uint32_t experiment = 0; experiment < 60; experiment++) {
        const size_t n = SIM_SIGN_FLIP_MIN + experiment % 8;
        const double margin = experiment % 3 == 0 ? 0 : 0.25 * (experiment % 3);
        double value[SIM_SIGN_FLIP_MAX];
        double sum = 0;
        draw_counts(experiment, n, value);
        for (size_t i = 0; i < n; i++)
            sum += value[i];
        const double sign = sum < 0 ? -1 : 1;
        uint32_t count = 0;
        for (uint32_t mask = 0; mask < 1U << n; mask++) { /* quarters are exact: no tolerance */
            double flipped = 0;
            double given = 0;
            for (size_t i = 0; i < n; i++) {
                const double shifted = sign * value[i] - margin;
                given += shifted;
                flipped += (mask >> i & 1) != 0 ? -shifted : shifted;
            }
            count += flipped >= given;
        }
        const double p = 2.0 * count / (double)(1U << n);
        ck_assert_double_eq(sim_sign_flip_p(value, n, margin), p < 1 ? p : 1);
    }
}
END_TEST

START_TEST(the_sign_flip_interval_is_cut_from_sorted_subset_means)
{
    for (uint32_t experiment = 0; experiment < 60; experiment++) {
        const size_t n = SIM_SIGN_FLIP_MIN + experiment % 8;
        double value[SIM_SIGN_FLIP_MAX];
        static double mean[1 << 14];
        size_t count = 0;
        sim_interval interval;
        draw_counts(experiment, n, value);
        for (uint32_t mask = 1; mask < 1U << n; mask++) {
            double sum = 0;
            uint32_t taken = 0;
            for (size_t i = 0; i < n; i++) {
                sum += (mask >> i & 1) != 0 ? value[i] : 0;
                taken += mask >> i & 1;
            }
            mean[count++] = sum / taken;
        }
        qsort(mean, count, sizeof *mean, ascending);
        const size_t k = (1U << n) / 40;
        ck_assert(sim_sign_flip_interval(value, n, &interval));
        ck_assert_double_eq(interval.low, mean[k - 1]);
        ck_assert_double_eq(interval.high, mean[count - k]);
    }
}
END_TEST

START_TEST(the_sign_flip_interval_holds_what_the_test_does_not_reject)
{
    for (uint32_t experiment = 0; experiment < 40; experiment++) {
        const size_t n = SIM_SIGN_FLIP_MIN + experiment % 7;
        double value[SIM_SIGN_FLIP_MAX];
        sim_interval interval;
        for (size_t i = 0; i < n; i++)
            value[i] = 2 + noise(experiment, 3, i);
        ck_assert(sim_sign_flip_interval(value, n, &interval));
        for (int side = 0; side < 4; side++) {
            const double end = side < 2 ? interval.low : interval.high;
            const double shift = end + (side % 2 == 0 ? -1e-6 : 1e-6);
            double shifted[SIM_SIGN_FLIP_MAX];
            for (size_t i = 0; i < n; i++)
                shifted[i] = value[i] - shift;
            const bool is_inside = shift > interval.low && shift < interval.high;
            ck_assert_int_eq(sim_sign_flip_p(shifted, n, 0) > 0.05, is_inside);
        }
    }
}
END_TEST

START_TEST(six_equal_signs_are_the_least_that_is_significant)
{
    static const double VALUE[] = {1, 2, 1, 3, 1, 2};
    sim_interval interval;
    ck_assert_double_eq(sim_sign_flip_p(VALUE, 6, 0), 2 / 64.0);
    ck_assert(sim_sign_flip_interval(VALUE, 6, &interval));
    ck_assert_double_eq(interval.low, 1);
    ck_assert_double_eq(interval.high, 3);
}
END_TEST

/* ---- coverage ---- */

static void check_coverage(const char *what, uint32_t covered)
{
    (void)printf("%s: %u of %d intervals hold the truth\n", what, covered, EXPERIMENTS);
    ck_assert_msg(covered >= 930 && covered <= 970, "%s: %u of %d", what, covered, EXPERIMENTS);
}

/* Two policies, a luck that both share and is ten times their own noise. */
static uint32_t covered_by_t(size_t n, uint64_t what)
{
    uint32_t covered = 0;
    for (uint32_t experiment = 0; experiment < EXPERIMENTS; experiment++) {
        double difference[20];
        for (size_t i = 0; i < n; i++) {
            const double shared = 10 * noise(experiment, what, 3 * i);
            const double first = 50 + shared + noise(experiment, what, 3 * i + 1);
            const double second = 50.7 + shared + noise(experiment, what, 3 * i + 2);
            difference[i] = second - first;
        }
        const sim_estimate estimate = sim_mean_estimate(difference, n);
        const sim_interval interval = sim_t_interval(&estimate);
        covered += interval.low <= 0.7 && interval.high >= 0.7;
    }
    return covered;
}

START_TEST(t_intervals_cover_a_known_difference)
{
    check_coverage("t, 5 replications", covered_by_t(5, 10));
    check_coverage("t, 20 replications", covered_by_t(20, 11));
}
END_TEST

enum { RUNS = 20, OPERATIONS = 400 };

/* Exponential latencies; every second operation is as lucky under both policies. The 90th percentile is ln 10 means. */
static void fill_histograms(uint32_t experiment, sim_histogram *first, sim_histogram *second)
{
    for (uint64_t run = 0; run < RUNS; run++) {
        sim_histogram_clear(&first[run]);
        sim_histogram_clear(&second[run]);
        for (uint64_t i = 0; i < OPERATIONS; i++) {
            const double own = uniform(experiment, 20, run * OPERATIONS + i);
            const double other = i % 2 == 0 ? own : uniform(experiment, 21, run * OPERATIONS + i);
            sim_histogram_record(&first[run], (int64_t)(-1e7 * log(own)));
            sim_histogram_record(&second[run], (int64_t)(-1.3e7 * log(other)));
        }
    }
}

/* Whether the interval of the difference of that percentile holds the truth. */
static bool covers_percentile(const sim_pool pool[2], uint32_t q_ppm, double truth)
{
    double without[RUNS];
    uint32_t all[RUNS];
    for (size_t run = 0; run < RUNS; run++) {
        all[run] = 1;
        without[run] =
            (double)(sim_pool_quantile_without(&pool[1], run, q_ppm) - sim_pool_quantile_without(&pool[0], run, q_ppm));
    }
    const double whole =
        (double)(sim_pool_quantile_weighted(&pool[1], all, q_ppm) - sim_pool_quantile_weighted(&pool[0], all, q_ppm));
    const sim_estimate estimate = sim_jackknife_estimate(whole, without, RUNS);
    const sim_interval interval = sim_t_interval(&estimate);
    return interval.low <= truth && interval.high >= truth;
}

START_TEST(jackknife_intervals_cover_a_known_difference_of_percentiles)
{
    static sim_histogram histogram[2][RUNS];
    uint32_t covered_p90 = 0;
    uint32_t covered_p99 = 0;
    for (uint32_t experiment = 0; experiment < EXPERIMENTS; experiment++) {
        sim_pool pool[2];
        fill_histograms(experiment, histogram[0], histogram[1]);
        for (int i = 0; i < 2; i++)
            ck_assert(sim_pool_init(&pool[i], histogram[i], RUNS));
        covered_p90 += covers_percentile(pool, 900000, 0.3e7 * log(10));
        covered_p99 += covers_percentile(pool, 990000, 0.3e7 * log(100));
        sim_pool_deinit(&pool[0]);
        sim_pool_deinit(&pool[1]);
    }
    check_coverage("jackknife of a 90th percentile, 20 replications", covered_p90);
    check_coverage("jackknife of a 99th percentile, 20 replications", covered_p99);
}
END_TEST

/* ---- resamples ---- */

START_TEST(a_pool_gives_what_merging_anew_gives)
{
    enum { COUNT = 6 };
    static const uint32_t QUANTILES[] = {0, 1, 500000, 900000, 999000, 1000000};
    static sim_histogram histogram[COUNT];
    static sim_histogram merged;
    for (uint32_t experiment = 0; experiment < 20; experiment++) {
        for (uint64_t k = 0; k < COUNT; k++) {
            const uint64_t size = (uint64_t)(80 * uniform(experiment, 30, k)) * (k != 3); /* one is empty */
            const double scale = experiment % 5 == 4 ? 3e14 : 1e6;                        /* beyond the last bucket */
            sim_histogram_clear(&histogram[k]);
            for (uint64_t i = 0; i < size; i++)
                sim_histogram_record(&histogram[k], (int64_t)(-scale * log(uniform(experiment, 31 + k, i))));
        }
        sim_pool pool;
        uint32_t weight[COUNT];
        ck_assert(sim_pool_init(&pool, histogram, COUNT));
        sim_bootstrap_weights(STATISTICS_SEED, experiment, COUNT, weight);
        for (size_t q = 0; q < sizeof QUANTILES / sizeof *QUANTILES; q++) {
            sim_histogram_clear(&merged);
            for (size_t k = 0; k < COUNT; k++) {
                for (uint32_t again = 0; again < weight[k]; again++)
                    sim_histogram_merge(&merged, &histogram[k]);
            }
            ck_assert_int_eq(sim_pool_quantile_weighted(&pool, weight, QUANTILES[q]),
                             sim_histogram_quantile(&merged, QUANTILES[q]));
            sim_histogram_clear(&merged);
            for (size_t k = 1; k < COUNT; k++)
                sim_histogram_merge(&merged, &histogram[k]);
            ck_assert_int_eq(sim_pool_quantile_without(&pool, 0, QUANTILES[q]),
                             sim_histogram_quantile(&merged, QUANTILES[q]));
        }
        sim_pool_deinit(&pool);
    }
}
END_TEST

START_TEST(an_empty_pool_has_no_quantile)
{
    static sim_histogram histogram[2];
    sim_pool pool;
    sim_histogram_clear(&histogram[0]);
    sim_histogram_clear(&histogram[1]);
    ck_assert(sim_pool_init(&pool, histogram, 2));
    ck_assert_int_eq(sim_pool_quantile_without(&pool, 0, 500000), -1);
    sim_pool_deinit(&pool);
}
END_TEST

START_TEST(resamples_take_as_many_replications_as_there_are_and_all_alike)
{
    enum { N = 10 };
    uint32_t total[N] = {0};
    uint32_t weight[N];
    for (uint32_t b = 0; b < SIM_BOOTSTRAPS; b++) {
        uint32_t sum = 0;
        sim_bootstrap_weights(1, b, N, weight);
        for (int i = 0; i < N; i++) {
            sum += weight[i];
            total[i] += weight[i];
        }
        ck_assert_uint_eq(sum, N);
    }
    /* 10,000 draws, 1000 each, deviation 30; five of them with ten chances happen once in 10^5 seeds, and it is fixed.
     */
    for (int i = 0; i < N; i++)
        ck_assert_msg(total[i] > 850 && total[i] < 1150, "%d: %u", i, total[i]);
}
END_TEST

START_TEST(percentile_intervals_cut_the_same_number_off_both_ends)
{
    double value[1000];
    for (int i = 0; i < 1000; i++)
        value[i] = (i * 7) % 1000;
    const sim_interval interval = sim_percentile_interval(value, 1000);
    ck_assert_double_eq(interval.low, 25);
    ck_assert_double_eq(interval.high, 974);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("statistics");
    TCase *exact = tcase_create("exact");
    tcase_add_test(exact, the_t_interval_is_that_of_students_sleep_data);
    tcase_add_test(exact, differences_without_spread_are_certain);
    tcase_add_test(exact, the_sign_flip_test_is_that_of_darwins_maize);
    tcase_add_test(exact, holms_adjustment_is_that_of_a_worked_example);
    tcase_add_test(exact, the_jackknife_of_a_mean_is_the_mean_with_its_t_interval);
    tcase_add_test(exact, sign_flips_are_counted_exactly);
    tcase_add_test(exact, the_sign_flip_interval_is_cut_from_sorted_subset_means);
    tcase_add_test(exact, the_sign_flip_interval_holds_what_the_test_does_not_reject);
    tcase_add_test(exact, six_equal_signs_are_the_least_that_is_significant);
    suite_add_tcase(suite, exact);
    TCase *coverage = tcase_create("coverage");
    tcase_set_timeout(coverage, 60);
    tcase_add_test(coverage, t_intervals_cover_a_known_difference);
    tcase_add_test(coverage, jackknife_intervals_cover_a_known_difference_of_percentiles);
    suite_add_tcase(suite, coverage);
    TCase *resample = tcase_create("resample");
    tcase_add_test(resample, a_pool_gives_what_merging_anew_gives);
    tcase_add_test(resample, an_empty_pool_has_no_quantile);
    tcase_add_test(resample, resamples_take_as_many_replications_as_there_are_and_all_alike);
    tcase_add_test(resample, percentile_intervals_cut_the_same_number_off_both_ends);
    suite_add_tcase(suite, resample);
    (void)printf("seed of all draws: %d\n", STATISTICS_SEED);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
