/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of paired replications: pure functions over arrays.
 *
 * The replication is the unit, never the request: requests of one run share its faults and its luck. Replications meet
 * the same luck under every policy, so differences are taken within a replication. Intervals are for 95 %, two-sided.
 *
 * Sources: Efron and Tibshirani, "An Introduction to the Bootstrap" (jackknife, percentile interval); Hartigan, "Using
 * subsample values as typical values", JASA 64 (1969) (sign-flip interval); Holm, "A simple sequentially rejective
 * multiple test procedure", Scandinavian Journal of Statistics 6 (1979); Welch, "The generalization of Student's
 * problem when several different population variances are involved", Biometrika 34 (1947). */
#ifndef SIM_STATISTICS_H
#define SIM_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SIM_VERDICT_MIN = 5,    /* fewer replications give no verdict */
    SIM_SIGN_FLIP_MIN = 6,  /* below, no outcome of the test is rarer than 5 % */
    SIM_SIGN_FLIP_MAX = 20, /* 2^20 sign patterns */
    SIM_BOOTSTRAP_MIN = 10,
    SIM_BOOTSTRAP_MAX = 100, /* where intervals by t need no second opinion any more */
    SIM_BOOTSTRAPS = 1000,   /* resamples */
};

#define SIM_LEVEL_TAIL 0.025 /* on each side of an interval */

typedef struct {
    double low, high;
} sim_interval;

/* An estimate with its standard error, from n >= 2 replications. */
typedef struct {
    double value;
    double error;
    size_t n;
} sim_estimate;

/* The mean of n >= 2 values. */
sim_estimate sim_mean_estimate(const double *value, size_t n);

/* Any statistic by the delete-one jackknife: `whole` from all n >= 2 replications, without[i] from all but the i-th.
 * For a mean this is sim_mean_estimate(). */
sim_estimate sim_jackknife_estimate(double whole, const double *without, size_t n);

/* The difference of two independent means, second - first, each of at least two values, by Welch: `n` is the degrees of
 * freedom that Welch and Satterthwaite allow, rounded down, and one more. */
sim_estimate sim_unpaired_estimate(const double *first, size_t first_count, const double *second, size_t second_count);

/* Student's t with n - 1 degrees of freedom. */
sim_interval sim_t_interval(const sim_estimate *estimate);

/* The same with `tail` on each side. */
sim_interval sim_t_interval_at(const sim_estimate *estimate, double tail);

/* How probable an estimate at least this far out is if the truth lies within ±margin; two-sided, so that it is at most
 * 5 % iff the interval lies outside ±margin. */
double sim_t_p(const sim_estimate *estimate, double margin);

/* The same by exact sign-flip: under the hypothesis each difference could as well have had the other sign.
 * SIM_SIGN_FLIP_MIN <= n <= SIM_SIGN_FLIP_MAX; all 2^n patterns are looked at. The interval holds those shifts that the
 * test does not reject. False: no memory. */
bool sim_sign_flip_interval(const double *difference, size_t n, sim_interval *interval);
double sim_sign_flip_p(const double *difference, size_t n, double margin);

/* Holm's adjustment for n tests made together: adjusted[i] <= 5 % rejects at 5 % over all of them. May work in place.
 */
void sim_holm(const double *p, size_t n, double *adjusted);

/* The replications that a resample takes, with repetition: weight[r] says how often, out of n. */
void sim_bootstrap_weights(uint64_t seed, uint32_t resample, size_t n, uint32_t *weight);

/* Between the 2.5th and the 97.5th percentile of n values, which get sorted. */
sim_interval sim_percentile_interval(double *value, size_t n);

#endif
