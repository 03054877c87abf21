/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fastest of several answers, each asked for `delay` after the start: longer than t with the probability that each
 * of them is, the product of Qk(t - delay_k). Through the legs' draws, the quantile tables and the histogram that
 * reports percentiles. Each comparison fails a right program in one of a thousand seeds. */
#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#include "engine/random.h"
#include "engine/sampler.h"
#include "interval.h"
#include "metrics/histogram.h"

enum { OPERATIONS = 1000000, ONE_PPM = 1000000 };
#define SEED UINT64_C(20261133)

typedef struct {
    int64_t median; /* ns */
    int64_t sigma;  /* ppm */
} lognormal;

enum { LEGS_MAX = 4 };

static const struct {
    int legs;
    lognormal leg[LEGS_MAX];
    int64_t delay[LEGS_MAX]; /* ns */
} cases[] = {
    {2, {{2000000, 646570}, {2000000, 646570}}, {0, 0}},
    {2, {{2000000, 646570}, {9000000, 300000}}, {0, 0}},
    {2, {{5000000, 1000000}, {5000000, 1000000}}, {0, 10000000}},
    {2, {{2000000, 1500000}, {30000000, 200000}}, {0, 25000000}},
    {3, {{5000000, 1000000}, {5000000, 1000000}, {5000000, 1000000}}, {0, 10000000, 12000000}},
    {4, {{9000000, 900000}, {7000000, 600000}, {2000000, 1500000}, {500000, 300000}}, {0, 5000000, 8000000, 11000000}},
};

static const uint32_t quantile_ppm[] = {500000, 900000, 990000, 999000};

static double above(const lognormal *dist, double x)
{
    return x <= 0 ? 1.0 : gsl_cdf_lognormal_Q(x / (double)dist->median, 0.0, (double)dist->sigma / 1e6);
}

static double minimum_above(int i, double x)
{
    double product = 1.0;
    for (int leg = 0; leg < cases[i].legs; leg++)
        product *= above(&cases[i].leg[leg], x - (double)cases[i].delay[leg]);
    return product;
}

/* The exact quantile, by halving. */
static double exact_quantile(int i, double q)
{
    double low = 0.0;
    double high = 1e12;
    for (int step = 0; step < 200; step++) {
        const double middle = low + (high - low) / 2;
        if (minimum_above(i, middle) <= 1 - q)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static uint64_t draw_leg(const sim_sampler *sampler, uint64_t operation, uint64_t region)
{
    const sim_luck luck = {.seed = SEED};
    return sim_sampler_draw(sampler, sim_draw_words(&luck, SIM_DRAW_LEG, operation, region << 32 | 1).word[0]);
}

static void build(sim_sampler *sampler, const lognormal *dist)
{
    sim_sampler_build(sampler, &(sim_dist){.type = SIM_DIST_LOGNORMAL, .a = dist->median, .b = dist->sigma});
}

START_TEST(minimum_of_lognormals_has_its_quantiles)
{
    enum { QUANTILES = sizeof quantile_ppm / sizeof *quantile_ppm };
    static sim_sampler sampler[LEGS_MAX];
    static sim_histogram histogram;
    unsigned at_most[QUANTILES] = {0};
    double exact[QUANTILES];
    for (int leg = 0; leg < cases[_i].legs; leg++)
        build(&sampler[leg], &cases[_i].leg[leg]);
    sim_histogram_clear(&histogram);
    for (int k = 0; k < QUANTILES; k++)
        exact[k] = exact_quantile(_i, quantile_ppm[k] / 1e6);
    for (uint64_t n = 0; n < OPERATIONS; n++) {
        uint64_t least = UINT64_MAX;
        for (int leg = 0; leg < cases[_i].legs; leg++) {
            const uint64_t end = draw_leg(&sampler[leg], n, (uint64_t)leg + 1) + (uint64_t)cases[_i].delay[leg];
            least = end < least ? end : least;
        }
        sim_histogram_record(&histogram, (int64_t)least);
        for (int k = 0; k < QUANTILES; k++)
            at_most[k] += (double)least <= exact[k];
    }
    for (int k = 0; k < QUANTILES; k++) {
        const double q = quantile_ppm[k] / 1e6;
        char what[64];
        snprintf(what, sizeof what, "case %d at most the exact p%g", _i, q * 100);
        expect_share(what, at_most[k], OPERATIONS, q);
        /* What the histogram reports is the upper end of the bucket that holds the sample's quantile: the exact one
         * lies between the quantiles of ranks a 99.9 % interval apart, with a bucket's width of 0.4 % on top. */
        const double spread = gsl_cdf_ugaussian_Qinv(ERROR_RATE / 2) * sqrt(q * (1 - q) / OPERATIONS);
        const double reported = (double)sim_histogram_quantile(&histogram, quantile_ppm[k]);
        ck_assert_double_ge(reported, exact_quantile(_i, q - spread));
        ck_assert_double_le(reported, exact_quantile(_i, q + spread) * 1.004 + 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("minimum");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, minimum_of_lognormals_has_its_quantiles, 0, sizeof cases / sizeof *cases);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
