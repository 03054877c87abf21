/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluation that completes the minimum sample of 10 sends an entry home iff at least 9 of 10 results are
 * successes: P(Bin(10, p) >= 9). Over more than 10,000 entries; each comparison fails a right program in one of a
 * thousand seeds. */
#include <stdlib.h>

#include "interval.h"
#include "sample_run.h"

enum { MIN_SAMPLE = 10, NEEDED = 9, RESULTS = 28 };
#define SEED UINT64_C(20261130)

/* `rounded` are the published values of the probability. */
static const struct {
    uint32_t success_ppm;
    double rounded;
    double precision;
} cases[] = {{500000, 0.0107, 0.00005},
             {800000, 0.376, 0.0005},
             {900000, 0.736, 0.0005},
             {950000, 0.914, 0.0005},
             {990000, 0.996, 0.0005}};

START_TEST(failback_at_the_minimum_sample_is_binomial)
{
    const double p = cases[_i].success_ppm / 1e6;
    const double expected = gsl_cdf_binomial_Q(NEEDED - 1, p, MIN_SAMPLE);
    ck_assert_double_eq_tol(expected, cases[_i].rounded, cases[_i].precision);
    sample_recovery *recovery = calloc(SAMPLE_PAIRS, sizeof *recovery);
    ck_assert_ptr_nonnull(recovery);
    sample_run(cases[_i].success_ppm, RESULTS, SEED, recovery);
    unsigned entries = 0;
    unsigned returned = 0;
    for (unsigned i = 0; i < SAMPLE_PAIRS; i++) {
        if (recovery[i].results < MIN_SAMPLE)
            continue;
        entries++;
        returned += recovery[i].is_decided && recovery[i].is_failback && recovery[i].total == MIN_SAMPLE;
        ck_assert(!recovery[i].is_decided || recovery[i].total >= MIN_SAMPLE);
    }
    free(recovery);
    ck_assert_uint_ge(entries, 10000);
    char what[64];
    snprintf(what, sizeof what, "failback at ten results, p = %.2f", p);
    expect_share(what, returned, entries, expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sample_binomial");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, failback_at_the_minimum_sample_is_binomial, 0, sizeof cases / sizeof *cases);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
