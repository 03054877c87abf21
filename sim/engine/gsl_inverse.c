/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gsl_inverse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

static double million(int64_t ppm)
{
    return (double)ppm / 1e6;
}

/* Probability below (above) x of a gamma distribution with scale 1. */
static double gamma_tail(double x, double shape, bool is_upper)
{
    return is_upper ? gsl_cdf_gamma_Q(x, shape, 1.0) : gsl_cdf_gamma_P(x, shape, 1.0);
}

/* Bisection over the bit patterns of the positive doubles, whose order is theirs: 64 steps reach the last bit. */
static double gamma_bisect(double tail, double shape, bool is_upper)
{
    const double largest = 1e18;
    uint64_t low = 0;
    uint64_t high;
    memcpy(&high, &largest, sizeof high);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        double x;
        memcpy(&x, &middle, sizeof x);
        const bool is_beyond = is_upper ? gamma_tail(x, shape, true) <= tail : gamma_tail(x, shape, false) >= tail;
        if (is_beyond)
            high = middle;
        else
            low = middle;
    }
    double x;
    memcpy(&x, &high, sizeof x);
    return x;
}

/* GSL's inverse does not converge everywhere (shapes below 0.2, far tails of shapes above some hundreds): its answer is
 * put back into the distribution function and replaced if it does not give the probability asked for. */
static double gamma_quantile(double tail, double shape, bool is_upper)
{
    const double x = is_upper ? gsl_cdf_gamma_Qinv(tail, shape, 1.0) : gsl_cdf_gamma_Pinv(tail, shape, 1.0);
    if (isfinite(x) && fabs(gamma_tail(x, shape, is_upper) - tail) <= 1e-9 * tail)
        return x;
    return gamma_bisect(tail, shape, is_upper);
}

static double unit_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    switch (dist->type) {
    case SIM_DIST_CONSTANT:
        return 1.0;
    case SIM_DIST_EXPONENTIAL:
        return is_upper ? gsl_cdf_exponential_Qinv(tail, 1.0) : gsl_cdf_exponential_Pinv(tail, 1.0);
    case SIM_DIST_LOGNORMAL:
        return is_upper ? gsl_cdf_lognormal_Qinv(tail, 0.0, million(dist->b))
                        : gsl_cdf_lognormal_Pinv(tail, 0.0, million(dist->b));
    case SIM_DIST_GAMMA:
        return gamma_quantile(tail, million(dist->b), is_upper) / million(dist->b);
    }
    return 0.0;
}

double sim_gsl_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    assert(tail > 0.0);
    assert(tail <= 0.5);
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    const double value = (double)dist->a * unit_quantile(dist, tail, is_upper);
    gsl_set_error_handler(before);
    assert(!isnan(value));
    return value;
}
