/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults that go to and fro at random: the drawn times against the law, and what they depend on. Runs in the source
 * folder. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/schedule.h"
#include "world/world.h"

#define S RGN_NS_PER_S

static sim_scenario *scenario;
static sim_world *world;

static void make(const char *faults)
{
    char text[2048];
    sim_input_error error = {.message = ""};
    snprintf(text, sizeof text,
             "regionsim: 1\nscenario: drawn\nduration: 1000 h\naccount: {writes: multi, regions: [northcentralus, "
             "westus]}\nnetwork: {round_trip: azure-rtt}\nservice: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"
             "clients: {all: {home: northcentralus, preferred: [northcentralus, westus]}}\n"
             "workload: {shop: {rate: 1 /min, partitions: {count: 4}, operations: {read: 100 %%}}}\nfaults:\n%s",
             faults);
    scenario = sim_scenario_parse("scenarios/drawn.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
}

static void drop(void)
{
    sim_world_destroy(world);
    sim_scenario_destroy(scenario);
}

static sim_world_run *draw(uint64_t seed, uint32_t replication)
{
    sim_world_run *run = sim_world_run_create(world, &(sim_luck){.seed = seed, .replication = replication});
    ck_assert_ptr_nonnull(run);
    return run;
}

#define ERRORS(name, more, mean_high, mean_low)                                                    \
    "  " name ": {" more                                                                           \
    "where: {regions: [northcentralus]}, errors: {statuses: {503: 100 %}, share: {markov: {high: " \
    "60 %, low: 1 %, mean_high: " mean_high ", mean_low: " mean_low "}}}}\n"

/* 1000 h of 2 min bad and 8 min good: a fifth of the time is bad. The time spent there is normal with variance
 * 2 p (1 - p) tau T, tau = 2 * 8 / (2 + 8) min; the mean of n exponential times has deviation mean / sqrt(n). Five
 * deviations with a seed that is fixed. */
START_TEST(times_follow_the_law)
{
    make(ERRORS("f", "", "2 min", "8 min"));
    sim_world_run *run = draw(7, 0);
    const sim_shape *shape = &run->fault[0].error_share;
    const double end = 1000 * 3600;
    double spent[2] = {0};
    double square[2] = {0};
    unsigned count[2] = {0};
    ck_assert_int_eq(shape->type, SIM_SHAPE_STEP);
    for (uint32_t i = 0; i < shape->count; i++) {
        ck_assert_int_eq(shape->point[i].value, i % 2 == 0 ? 600000000 : 10000000);
        if (i + 1 == shape->count)
            break;
        ck_assert_int_gt(shape->point[i + 1].at, shape->point[i].at);
        const double time = (double)(shape->point[i + 1].at - shape->point[i].at) / S;
        spent[i % 2] += time;
        square[i % 2] += time * time;
        count[i % 2]++;
    }
    ck_assert_double_eq_tol(spent[0] / end, 0.2, 5 * sqrt(2 * 0.2 * 0.8 * 96 / end));
    ck_assert_double_eq_tol(spent[0] / count[0], 120, 5 * 120 / sqrt(count[0]));
    ck_assert_double_eq_tol(spent[1] / count[1], 480, 5 * 480 / sqrt(count[1]));
    /* An exponential's second moment is twice the square of its mean, with a fourth of 24 times its fourth power. */
    for (int i = 0; i < 2; i++) {
        const double mean = i == 0 ? 120 : 480;
        ck_assert_double_eq_tol(square[i] / count[i], 2 * mean * mean, 5 * mean * mean * sqrt(20.0 / count[i]));
    }
    ck_assert_int_lt(shape->point[shape->count - 1].at, scenario->duration);
    sim_world_run_destroy(run);
    drop();
}
END_TEST

/* The truth and the fates are those of the drawn times, to the nanosecond. */
START_TEST(what_is_drawn_is_what_happens)
{
    make(ERRORS("f", "from: 5 min, until: 300 h, ", "20 min", "20 min"));
    sim_world_run *run = draw(8, 0);
    const sim_fault *fault = &run->fault[0];
    const sim_attempt attempt = {.region = 0};
    ck_assert_uint_gt(fault->error_share.count, 100);
    for (uint32_t i = 1; i < fault->error_share.count; i++) {
        const int64_t at = fault->from + fault->error_share.point[i].at;
        const bool is_bad = i % 2 == 0;
        ck_assert(sim_truth_is_healthy(run, 0, 0, 0, SIM_KIND_READ, at) != is_bad);
        ck_assert(sim_truth_is_healthy(run, 0, 0, 0, SIM_KIND_READ, at - 1) == is_bad);
        ck_assert_int_eq(sim_truth_since(run, 0, 0, 0, SIM_KIND_READ, at), at);
        /* Half of all words are below 60 %, none of these below 1 %. */
        const sim_words luck = {{0, UINT64_MAX / 2}};
        ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, at, luck).status, is_bad ? 503 : 200);
        ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, at - 1, luck).status, is_bad ? 200 : 503);
    }
    sim_world_run_destroy(run);
    drop();
}
END_TEST

static bool are_equal(const sim_shape *a, const sim_shape *b)
{
    return a->count == b->count && memcmp(&a->point[1].at, &b->point[1].at, sizeof a->point[1].at) == 0;
}

START_TEST(times_depend_on_seed_replication_name_and_repetition_and_nothing_else)
{
    make(ERRORS("f", "until: 1 h, again: [2 h], ", "1 min", "1 min") ERRORS("g", "until: 1 h, ", "1 min", "1 min"));
    sim_world_run *run = draw(7, 0);
    sim_world_run *same = draw(7, 0);
    sim_world_run *seed = draw(8, 0);
    sim_world_run *replication = draw(7, 1);
    ck_assert_uint_eq(scenario->fault_count, 3);
    ck_assert(are_equal(&run->fault[0].error_share, &same->fault[0].error_share));
    ck_assert_uint_eq(sim_world_run_scope_hash(run), sim_world_run_scope_hash(same));
    ck_assert(!are_equal(&run->fault[0].error_share, &seed->fault[0].error_share));
    ck_assert(!are_equal(&run->fault[0].error_share, &replication->fault[0].error_share));
    ck_assert_uint_ne(sim_world_run_scope_hash(run), sim_world_run_scope_hash(replication));
    ck_assert(!are_equal(&run->fault[0].error_share, &run->fault[1].error_share)); /* the repetition */
    ck_assert(!are_equal(&run->fault[0].error_share, &run->fault[2].error_share)); /* another name */
    const int64_t kept = run->fault[0].error_share.point[1].at;
    sim_world_run_destroy(run);
    sim_world_run_destroy(same);
    sim_world_run_destroy(seed);
    sim_world_run_destroy(replication);
    drop();
    make("  a: {where: {regions: [westus]}, latency: {add: 1 s}}\n" ERRORS("f", "until: 1 h, ", "1 min", "5 min"));
    run = draw(7, 0);
    ck_assert_int_eq(run->fault[1].error_share.point[1].at, kept); /* the same word, the same mean */
    sim_world_run_destroy(run);
    drop();
}
END_TEST

START_TEST(shapes_of_one_fault_with_the_same_means_go_together)
{
    make("  f: {where: {regions: [westus]}, latency: {add: {markov: {high: 1 s, mean_high: 3 min, mean_low: 1 min}}},\n"
         "    loss: {share: {markov: {high: 10 %, mean_high: 3 min, mean_low: 1 min}}}}\n");
    sim_world_run *run = draw(9, 0);
    const sim_fault *fault = &run->fault[0];
    ck_assert_uint_eq(fault->latency_add.count, fault->loss.count);
    for (uint32_t i = 0; i < fault->loss.count; i++)
        ck_assert_int_eq(fault->latency_add.point[i].at, fault->loss.point[i].at);
    ck_assert_int_eq(fault->latency_add.point[1].value, 0);
    sim_world_run_destroy(run);
    drop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("drawn");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, times_follow_the_law);
    tcase_add_test(all, what_is_drawn_is_what_happens);
    tcase_add_test(all, times_depend_on_seed_replication_name_and_repetition_and_nothing_else);
    tcase_add_test(all, shapes_of_one_fault_with_the_same_means_go_together);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
