/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gsl_inverse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#define LN_2 0.69314718055994530942

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

/* Scale of a Weibull distribution with median 1. */
static double weibull_scale(double shape)
{
    return pow(LN_2, -1.0 / shape);
}

/* The quantile of a distribution with one parameter of size 1: mean or median. */
static double unit_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    const double b = million(dist->b);
    switch (dist->type) {
    case SIM_DIST_EXPONENTIAL:
        return is_upper ? gsl_cdf_exponential_Qinv(tail, 1.0) : gsl_cdf_exponential_Pinv(tail, 1.0);
    case SIM_DIST_LOGNORMAL:
        return is_upper ? gsl_cdf_lognormal_Qinv(tail, 0.0, b) : gsl_cdf_lognormal_Pinv(tail, 0.0, b);
    case SIM_DIST_GAMMA:
        return gamma_quantile(tail, b, is_upper) / b;
    case SIM_DIST_WEIBULL:
        return is_upper ? gsl_cdf_weibull_Qinv(tail, weibull_scale(b), b)
                        : gsl_cdf_weibull_Pinv(tail, weibull_scale(b), b);
    case SIM_DIST_CONSTANT:
    case SIM_DIST_PERCENTILES:
    case SIM_DIST_MIXTURE:
        break;
    }
    return 1.0;
}

/* -ln of the share above the point: what percentiles are a straight line over. */
static double depth_of(const sim_percentile *point)
{
    return -log1p(-(double)point->share / SIM_SHARE_ONE);
}

static double percentile_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    const double depth = is_upper ? -log(tail) : -log1p(-tail);
    const sim_percentile *point = dist->percentile;
    uint32_t next = 0;
    while (next < dist->count && depth_of(&point[next]) <= depth)
        next++;
    if (next == 0)
        return (double)point[0].value;
    if (next == dist->count)
        return (double)point[dist->count - 1].value;
    const double low = depth_of(&point[next - 1]);
    const double part = (depth - low) / (depth_of(&point[next]) - low);
    return (double)point[next - 1].value + part * (double)(point[next].value - point[next - 1].value);
}

/* Probability at or below (above) `x` of measured percentiles. */
static double percentile_tail(const sim_dist *dist, double x, bool is_upper)
{
    const sim_percentile *point = dist->percentile;
    uint32_t next = 0;
    while (next < dist->count && (double)point[next].value <= x)
        next++;
    double below = 0.0;
    double above = 1.0;
    if (next == dist->count) {
        below = 1.0;
        above = 0.0;
    } else if (next > 0) {
        const double low = depth_of(&point[next - 1]);
        const double rise = (double)(point[next].value - point[next - 1].value);
        const double part = (x - (double)point[next - 1].value) / rise;
        const double depth = low + part * (depth_of(&point[next]) - low);
        below = -expm1(-depth);
        above = exp(-depth);
    }
    return is_upper ? above : below;
}

/* Probability at or below (above) `x` ns of a distribution that is no mixture. */
static double plain_tail(const sim_dist *dist, double x, bool is_upper)
{
    const double a = (double)dist->a;
    const double b = million(dist->b);
    switch (dist->type) {
    case SIM_DIST_EXPONENTIAL:
        return is_upper ? gsl_cdf_exponential_Q(x, a) : gsl_cdf_exponential_P(x, a);
    case SIM_DIST_LOGNORMAL:
        return is_upper ? gsl_cdf_lognormal_Q(x / a, 0.0, b) : gsl_cdf_lognormal_P(x / a, 0.0, b);
    case SIM_DIST_GAMMA:
        return gamma_tail(x / a * b, b, is_upper);
    case SIM_DIST_WEIBULL:
        return is_upper ? gsl_cdf_weibull_Q(x / a, weibull_scale(b), b) : gsl_cdf_weibull_P(x / a, weibull_scale(b), b);
    case SIM_DIST_PERCENTILES:
        return percentile_tail(dist, x, is_upper);
    case SIM_DIST_CONSTANT:
    case SIM_DIST_MIXTURE:
        break;
    }
    return (x >= a) == is_upper ? 0.0 : 1.0;
}

static double plain_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    if (dist->type == SIM_DIST_PERCENTILES)
        return percentile_quantile(dist, tail, is_upper);
    return (double)dist->a * unit_quantile(dist, tail, is_upper);
}

static bool is_reached(const sim_dist *dist, double x, double tail, bool is_upper)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < dist->count; i++)
        sum += (double)dist->part[i].share / SIM_SHARE_ONE * plain_tail(&dist->part[i].dist, x, is_upper);
    return is_upper ? sum <= tail : sum >= tail;
}

/* The mixture's quantile lies between the least and the greatest of its parts'; found by halving, to an eighth of a
 * nanosecond. */
static double mixture_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    double low = INFINITY;
    double high = 0.0;
    for (uint32_t i = 0; i < dist->count; i++) {
        const double x = plain_quantile(&dist->part[i].dist, tail, is_upper);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    while (high - low > 0.125) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (is_reached(dist, middle, tail, is_upper))
            high = middle;
        else
            low = middle;
    }
    return high;
}

double sim_gsl_quantile(const sim_dist *dist, double tail, bool is_upper)
{
    assert(tail > 0.0);
    assert(tail <= 0.5);
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    const double value =
        dist->type == SIM_DIST_MIXTURE ? mixture_quantile(dist, tail, is_upper) : plain_quantile(dist, tail, is_upper);
    gsl_set_error_handler(before);
    assert(!isnan(value));
    return value;
}

double sim_gsl_t_quantile(double tail, double degrees)
{
    assert(tail > 0.0);
    assert(tail <= 0.5);
    assert(degrees > 0.0);
    return gsl_cdf_tdist_Qinv(tail, degrees);
}

double sim_gsl_t_above(double t, double degrees)
{
    assert(degrees > 0.0);
    return gsl_cdf_tdist_Q(t, degrees);
}
