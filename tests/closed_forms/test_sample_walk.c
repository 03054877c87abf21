/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the tenth result on, each decides: at least 90 % of successes is a failback, less than 50 % a re-trip. What
 * comes of an entry within 100 results is a walk over (total, successes), whose shares of failback, re-trip and
 * undecided are added up exactly. Over more than 10,000 entries; each of the three comparisons fails a right program in
 * one of a thousand seeds. */
#include <stdlib.h>

#include "interval.h"
#include "sample_run.h"

enum { MIN_SAMPLE = 10, HORIZON = 100, RESULTS = 155 };
#define SEED UINT64_C(20261131)

typedef enum { UNDECIDED, FAILBACK, RETRIP, OUTCOMES } outcome;
static const char *const outcome_name[OUTCOMES] = {"undecided", "failback", "re-trip"};

static const uint32_t success_ppm[] = {600000, 750000, 850000};

static outcome judge(unsigned total, unsigned success)
{
    if (total < MIN_SAMPLE)
        return UNDECIDED;
    if (success * 10 >= total * 9)
        return FAILBACK;
    return success * 2 < total ? RETRIP : UNDECIDED;
}

/* Probability of each outcome within the horizon. */
static void add_up(double p, double share[OUTCOMES])
{
    double open[HORIZON + 2] = {1.0}; /* by successes: not decided yet */
    share[FAILBACK] = share[RETRIP] = 0.0;
    for (unsigned total = 1; total <= HORIZON; total++) {
        for (unsigned success = total; success + 1 > 0; success--) {
            const double from_failure = success < total ? open[success] * (1 - p) : 0.0;
            const double from_success = success > 0 ? open[success - 1] * p : 0.0;
            const double reached = from_failure + from_success;
            const outcome now = judge(total, success);
            open[success] = now == UNDECIDED ? reached : 0.0;
            if (now != UNDECIDED)
                share[now] += reached;
        }
    }
    share[UNDECIDED] = 1.0 - share[FAILBACK] - share[RETRIP];
}

/* By hand: after the tenth result alone, and with certain results. */
START_TEST(walk_adds_up_to_what_is_known)
{
    double share[OUTCOMES];
    add_up(1.0, share);
    ck_assert_double_eq_tol(share[FAILBACK], 1.0, 1e-12);
    add_up(0.0, share);
    ck_assert_double_eq_tol(share[RETRIP], 1.0, 1e-12);
    add_up(0.5, share); /* at ten results: 11 / 1024 home, 386 / 1024 back; later ones only add */
    ck_assert_double_ge(share[FAILBACK], 11.0 / 1024);
    ck_assert_double_ge(share[RETRIP], 386.0 / 1024);
}
END_TEST

START_TEST(outcomes_within_a_hundred_results_are_those_of_the_walk)
{
    double expected[OUTCOMES];
    unsigned count[OUTCOMES] = {0};
    unsigned entries = 0;
    add_up(success_ppm[_i] / 1e6, expected);
    sample_recovery *recovery = calloc(SAMPLE_PAIRS, sizeof *recovery);
    ck_assert_ptr_nonnull(recovery);
    sample_run(success_ppm[_i], RESULTS, SEED, recovery);
    for (unsigned i = 0; i < SAMPLE_PAIRS; i++) {
        const sample_recovery *self = &recovery[i];
        if (!self->is_promoted)
            continue;
        /* Nobody's sample was cut short by the end of the run. */
        ck_assert(self->is_decided || self->results >= HORIZON);
        entries++;
        if (!self->is_decided || self->total > HORIZON)
            count[UNDECIDED]++;
        else
            count[self->is_failback ? FAILBACK : RETRIP]++;
    }
    free(recovery);
    ck_assert_uint_ge(entries, 10000);
    for (int o = 0; o < OUTCOMES; o++) {
        char what[64];
        snprintf(what, sizeof what, "%s, p = %.2f", outcome_name[o], success_ppm[_i] / 1e6);
        expect_share(what, count[o], entries, expected[o]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sample_walk");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, walk_adds_up_to_what_is_known);
    tcase_add_loop_test(all, outcomes_within_a_hundred_results_are_those_of_the_walk, 0,
                        sizeof success_ppm / sizeof *success_ppm);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
