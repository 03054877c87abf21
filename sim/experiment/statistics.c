/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gsl_inverse.h"
#include "engine/random.h"

static double sum(const double *value, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += value[i];
    return total;
}

static double squares_about(const double *value, size_t n, double centre)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += (value[i] - centre) * (value[i] - centre);
    return total;
}

sim_estimate sim_mean_estimate(const double *value, size_t n)
{
    assert(n >= 2);
    const double count = (double)n;
    const double mean = sum(value, n) / count;
    return (sim_estimate){mean, sqrt(squares_about(value, n, mean) / (count - 1) / count), n};
}

sim_estimate sim_jackknife_estimate(double whole, const double *without, size_t n)
{
    assert(n >= 2);
    const double count = (double)n;
    const double centre = sum(without, n) / count;
    return (sim_estimate){whole, sqrt(squares_about(without, n, centre) * (count - 1) / count), n};
}

sim_estimate sim_unpaired_estimate(const double *first, size_t first_count, const double *second, size_t second_count)
{
    const sim_estimate before = sim_mean_estimate(first, first_count);
    const sim_estimate after = sim_mean_estimate(second, second_count);
    const double a = before.error * before.error;
    const double b = after.error * after.error;
    const double spread = a * a / (double)(first_count - 1) + b * b / (double)(second_count - 1);
    const double freedom = spread > 0 ? (a + b) * (a + b) / spread : (double)(first_count + second_count - 2);
    return (sim_estimate){after.value - before.value, sqrt(a + b), (size_t)freedom + 1};
}

sim_interval sim_t_interval_at(const sim_estimate *estimate, double tail)
{
    const double half = estimate->error * sim_gsl_t_quantile(tail, (double)(estimate->n - 1));
    return (sim_interval){estimate->value - half, estimate->value + half};
}

sim_interval sim_t_interval(const sim_estimate *estimate)
{
    return sim_t_interval_at(estimate, SIM_LEVEL_TAIL);
}

double sim_t_p(const sim_estimate *estimate, double margin)
{
    const double beyond = fabs(estimate->value) - margin;
    if (beyond <= 0)
        return 1;
    return estimate->error > 0 ? 2 * sim_gsl_t_above(beyond / estimate->error, (double)(estimate->n - 1)) : 0;
}

/* ---- sign-flip ---- */

typedef struct {
    const double *value;
    size_t n;
    double at_least; /* sums from here on count */
    uint64_t count;
} flipping;

/* Depth first, so that each sum is made of n terms and rounding does not pile up. */
static void flip(flipping *self, size_t i, double so_far)
{
    if (i == self->n) {
        self->count += so_far >= self->at_least;
        return;
    }
    flip(self, i + 1, so_far + self->value[i]);
    flip(self, i + 1, so_far - self->value[i]);
}

double sim_sign_flip_p(const double *difference, size_t n, double margin)
{
    assert(n >= SIM_SIGN_FLIP_MIN);
    assert(n <= SIM_SIGN_FLIP_MAX);
    const double direction = sum(difference, n) < 0 ? -1 : 1;
    double value[SIM_SIGN_FLIP_MAX];
    double size = 0;
    for (size_t i = 0; i < n; i++) {
        value[i] = direction * difference[i] - margin;
        size += fabs(value[i]);
    }
    /* Equal sums of the same numbers may differ in their last bits. */
    flipping self = {value, n, sum(value, n) - 1e-12 * size, 0};
    flip(&self, 0, 0);
    const double p = 2 * (double)self.count / (double)(UINT64_C(1) << n);
    return p < 1 ? p : 1;
}

/* Appends the means of all subsets that hold the first i choices. */
static size_t put_means(const double *value, size_t n, size_t i, double total, size_t taken, double *out)
{
    if (i == n) {
        if (taken > 0)
            *out = total / (double)taken;
        return taken > 0;
    }
    const size_t with = put_means(value, n, i + 1, total + value[i], taken + 1, out);
    return with + put_means(value, n, i + 1, total, taken, out + with);
}

/* The k-th smallest, k from 0; moves the values about. */
static double select_smallest(double *value, size_t n, size_t k)
{
    size_t low = 0;
    size_t high = n - 1;
    while (low < high) {
        const double pivot = value[low + (high - low) / 2];
        size_t i = low;
        size_t j = high;
        for (;;) {
            while (value[i] < pivot)
                i++;
            while (value[j] > pivot)
                j--;
            if (i >= j)
                break;
            const double swap = value[i];
            value[i++] = value[j];
            value[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return value[k];
}

/* The mean of all values exceeds a shift in the sum test exactly where the mean of the flipped ones does; so the shifts
 * that are not rejected lie between the k-th smallest and the k-th largest of the 2^n - 1 subset means. */
bool sim_sign_flip_interval(const double *difference, size_t n, sim_interval *interval)
{
    assert(n >= SIM_SIGN_FLIP_MIN);
    assert(n <= SIM_SIGN_FLIP_MAX);
    const size_t subsets = ((size_t)1 << n) - 1;
    double *mean = malloc(subsets * sizeof *mean);
    if (mean == NULL)
        return false;
    (void)put_means(difference, n, 0, 0, 0, mean);
    const size_t k = (size_t)(SIM_LEVEL_TAIL * (double)(subsets + 1)); /* at least 1: n is not too small */
    interval->low = select_smallest(mean, subsets, k - 1);
    interval->high = select_smallest(mean, subsets, subsets - k);
    free(mean);
    return true;
}

/* ---- many tests, many samples ---- */

void sim_holm(const double *p, size_t n, double *adjusted)
{
    enum { TESTS_MAX = 64 };
    assert(n <= TESTS_MAX);
    double given[TESTS_MAX];
    bool is_done[TESTS_MAX] = {false};
    memcpy(given, p, n * sizeof *given);
    double floor = 0;
    for (size_t rank = 0; rank < n; rank++) {
        size_t least = n;
        for (size_t i = 0; i < n; i++) {
            if (!is_done[i] && (least == n || given[i] < given[least]))
                least = i;
        }
        is_done[least] = true;
        const double scaled = given[least] * (double)(n - rank);
        floor = scaled > floor ? scaled : floor;
        adjusted[least] = floor < 1 ? floor : 1;
    }
}

void sim_bootstrap_weights(uint64_t seed, uint32_t resample, size_t n, uint32_t *weight)
{
    const sim_luck luck = {seed, 0};
    memset(weight, 0, n * sizeof *weight);
    for (size_t i = 0; i < n; i++)
        weight[sim_below(sim_draw_words(&luck, SIM_DRAW_BOOTSTRAP, resample, i).word[0], n)]++;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

sim_interval sim_percentile_interval(double *value, size_t n)
{
    qsort(value, n, sizeof *value, by_value);
    const size_t cut = (size_t)(SIM_LEVEL_TAIL * (double)n);
    return (sim_interval){value[cut], value[n - 1 - cut]};
}
