/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often intervals of ratios and counts hold the truth: 1000 experiments with a known difference and one fixed seed.
 *
 * With 30 events an arm or more between 93 % and 97 % of the intervals must; below, where exact methods are in use, at
 * least 95 %. Too few replications of too few events give no interval: those experiments are left out, and are few. A
 * failure is answered by analysis, never by another seed. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/random.h"
#include "experiment/compare.h"

enum { STATISTICS_SEED = 20261129, EXPERIMENTS = 1000 };

/* In (0, 1). */
static double uniform(uint32_t experiment, uint64_t what, uint64_t n)
{
    const sim_luck luck = {STATISTICS_SEED, experiment};
    return ((double)(sim_draw_words(&luck, SIM_DRAW_GAP, what, n).word[0] >> 11) + 0.5) / 9007199254740992.0;
}

/* Events among `trials` chances that both policies meet with the same luck every second time. */
static double count_events(uint32_t experiment, uint64_t what, uint64_t run, uint64_t trials, double share,
                           bool is_second)
{
    double count = 0;
    for (uint64_t i = 0; i < trials; i++) {
        const uint64_t at = run * trials + i;
        count += uniform(experiment, i % 2 == 0 || !is_second ? what : what + 1, at) < share;
    }
    return count;
}

typedef struct {
    const char *name;
    sim_metric_id metric;
    uint32_t runs;
    uint64_t trials;
    double share[2];
    bool is_ratio; /* events over trials, else events */
    bool is_paired;
    bool is_sparse; /* fewer than 30 an arm: exact methods cover 95 % or more */
} counted;

static const counted COUNTED[] = {
    {"a ratio, 20 replications", SIM_METRIC_availability, 20, 400, {0.90, 0.92}, true, true, false},
    {"a ratio, 5 replications", SIM_METRIC_availability, 5, 400, {0.90, 0.92}, true, true, false},
    {"a ratio, unpaired, 20 replications", SIM_METRIC_availability, 20, 400, {0.90, 0.92}, true, false, false},
    {"a count of 160 an arm, 20 replications", SIM_METRIC_flap_count, 20, 100, {0.08, 0.10}, false, true, false},
    {"a count of 40 an arm, 5 replications", SIM_METRIC_flap_count, 5, 100, {0.08, 0.10}, false, true, false},
    {"a count of 40 an arm, 20 replications", SIM_METRIC_flap_count, 20, 100, {0.02, 0.025}, false, true, false},
    {"a count of 6 an arm, 20 replications", SIM_METRIC_flap_count, 20, 100, {0.003, 0.003}, false, true, true},
    {"a count of 6 against 12, 20 replications", SIM_METRIC_flap_count, 20, 100, {0.003, 0.006}, false, true, true},
    {"a count of 8 an arm, 8 replications", SIM_METRIC_flap_count, 8, 100, {0.01, 0.01}, false, true, true},
};

/* By the rule of three where nothing was seen. `*is_given` becomes false where too few replications give no interval.
 */
static bool covers_count(const counted *of, uint32_t experiment, bool *is_given)
{
    double value[2][20];
    sim_comparison result;
    for (uint32_t run = 0; run < of->runs; run++) {
        for (int side = 0; side < 2; side++) {
            const uint64_t what = 60 + (uint64_t)(of - COUNTED) * 4 + (side == 1 && !of->is_paired ? 2 : 0);
            value[side][run] = count_events(experiment, what, run, of->trials, of->share[side], side == 1) /
                               (of->is_ratio ? (double)of->trials : 1);
        }
    }
    const sim_value_sets set = {
        .metric = of->metric, .count = {of->runs, of->runs}, .value = {value[0], value[1]}, .is_paired = of->is_paired};
    ck_assert(sim_compare_values(&set, 1, STATISTICS_SEED, &result));
    *is_given = result.method != SIM_BY_NOTHING;
    const double truth = (of->share[1] - of->share[0]) * (of->is_ratio ? 1 : (double)of->trials);
    if (result.is_never_seen)
        return fabs(truth) <= result.at_most;
    return *is_given && result.interval.low <= truth && result.interval.high >= truth;
}

START_TEST(intervals_cover_known_differences_of_ratios_and_counts)
{
    const counted *of = &COUNTED[_i];
    uint32_t covered = 0;
    uint32_t given = 0;
    for (uint32_t experiment = 0; experiment < EXPERIMENTS; experiment++) {
        bool is_given = false;
        covered += covers_count(of, experiment, &is_given);
        given += is_given;
    }
    (void)printf("%s: %u of %u intervals hold the truth\n", of->name, covered, given);
    ck_assert_uint_ge(given, 900);
    ck_assert_msg(covered * 100 >= given * (of->is_sparse ? 95 : 93), "%s: %u of %u", of->name, covered, given);
    ck_assert_msg(of->is_sparse || covered * 100 <= given * 97, "%s: %u of %u", of->name, covered, given);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("coverage");
    TCase *all = tcase_create("all");
    (void)printf("seed of all draws: %d\n", STATISTICS_SEED);
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, intervals_cover_known_differences_of_ratios_and_counts, 0,
                        sizeof COUNTED / sizeof *COUNTED);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
