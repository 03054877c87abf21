/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals that a right program leaves in one of a thousand seeds. */
#ifndef CLOSED_FORMS_INTERVAL_H
#define CLOSED_FORMS_INTERVAL_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <check.h>
#include <math.h>
#include <stdio.h>

#define ERROR_RATE 0.001 /* of one comparison, both sides together */

/* `count` of `n` independent trials, each of which succeeds with `probability`: fails the test if so few or so many
 * come with a probability below half the error rate. */
static inline void expect_share(const char *what, unsigned count, unsigned n, double probability)
{
    const double at_most = gsl_cdf_binomial_P(count, probability, n);
    const double at_least = count == 0 ? 1.0 : gsl_cdf_binomial_Q(count - 1, probability, n);
    printf("%s: %u of %u = %.5f, expected %.5f\n", what, count, n, (double)count / n, probability);
    ck_assert_msg(at_most >= ERROR_RATE / 2 && at_least >= ERROR_RATE / 2,
                  "%s: %u of %u = %.5f, expected %.5f: so few come with probability %.2g, so many with %.2g", what,
                  count, n, (double)count / n, probability, at_most, at_least);
}

/* The mean of `n` independent values against its expectation, by Student's t. */
static inline void expect_mean(const char *what, const double *value, unsigned n, double expectation)
{
    double sum = 0;
    double squares = 0;
    for (unsigned i = 0; i < n; i++)
        sum += value[i];
    const double mean = sum / n;
    for (unsigned i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    const double t = gsl_cdf_tdist_Qinv(ERROR_RATE / 2, n - 1);
    double half = 0;
    if (squares > 0)
        half = t * sqrt(squares / (n - 1) / n);
    printf("%s: %.6g +- %.2g, expected %.6g\n", what, mean, half, expectation);
    ck_assert_msg(mean - half <= expectation && expectation <= mean + half, "%s: %.6g +- %.2g, expected %.6g", what,
                  mean, half, expectation);
}

static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
