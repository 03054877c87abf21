/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates over time, recorded arrivals, and picking partitions by weight. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/arrivals.h"

#define S RGN_NS_PER_S

static const uint32_t only_group[] = {0};
static const sim_client_group group[] = {{.name = "g", .name_hash = 5, .count = 4}};
static const sim_luck luck = {.seed = 7, .replication = 3};

static sim_workload make_workload(sim_arrivals arrivals, const sim_rate_step *step, uint32_t steps)
{
    return (sim_workload){.name = "a",
                          .name_hash = 1,
                          .rate_mhz = 1000,
                          .rate_step_count = steps,
                          .rate_step = step,
                          .arrivals = arrivals,
                          .group_count = 1,
                          .groups = only_group,
                          .clients = 4,
                          .partition_count = 10,
                          .kind_share = {SIM_SHARE_ONE, 0},
                          .deadline = RGN_TIME_NEVER};
}

static sim_scenario make_scenario(const sim_workload *workload, int64_t duration)
{
    return (sim_scenario){.duration = duration,
                          .group_count = 1,
                          .group = group,
                          .client_count = 4,
                          .workload_count = 1,
                          .workload = workload,
                          .partition_count = workload->partition_count};
}

/* 2 /s for 3 s, 1 /3 s for 9 s, none for 8 s, 1000 /s. */
static const sim_rate_step steps[] = {{0, 2000}, {3 * S, 333}, {12 * S, 0}, {20 * S, 1000000}};

START_TEST(constant_arrivals_follow_the_rates_to_the_nanosecond)
{
    const sim_workload workload = make_workload(SIM_ARRIVALS_CONSTANT, steps, 4);
    const sim_scenario scenario = make_scenario(&workload, 21 * S);
    /* After 6 operations in 3 s the clock shows 6; operation 8 comes 2 / 0.333 Hz later. By 12 s it shows 8.997; the
     * rest of operation 9 takes 0.003 / 1000 Hz from 20 s on. */
    static const int64_t want[] = {0,          500000000,  1000000000, 1500000000, 2000000000,
                                   2500000000, 3000000000, 6003003003, 9006006006, 20000003000};
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    int64_t count = 0;
    for (; merge.next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge), count++) {
        const int64_t expected = count < 10 ? want[count] : 20000003000 + (count - 9) * 1000000;
        ck_assert_int_eq(merge.next_time, expected);
        ck_assert_uint_eq(sim_arrivals_peek(&merge).n, (uint32_t)count);
    }
    ck_assert_int_eq(count, 9 + 1000); /* the thousandth after operation 9 would come at 21.000003 s */
    sim_arrivals_deinit(&merge);
}
END_TEST

START_TEST(an_operation_due_at_the_end_of_a_stretch_belongs_to_the_next)
{
    static const sim_rate_step pause[] = {{0, 1000}, {3 * S, 0}, {50 * S, 1000}};
    const sim_workload workload = make_workload(SIM_ARRIVALS_CONSTANT, pause, 3);
    const sim_scenario scenario = make_scenario(&workload, 51 * S + 1);
    static const int64_t want[] = {0, S, 2 * S, 50 * S, 51 * S, RGN_TIME_NEVER};
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        ck_assert_int_eq(merge.next_time, want[i]);
        if (want[i] != RGN_TIME_NEVER)
            sim_arrivals_take(&merge);
    }
    sim_arrivals_deinit(&merge);
}
END_TEST

START_TEST(a_rate_that_ends_at_zero_ends_the_stream)
{
    static const sim_rate_step end[] = {{0, 1000}, {2 * S, 0}};
    const sim_workload workload = make_workload(SIM_ARRIVALS_CONSTANT, end, 2);
    const sim_scenario scenario = make_scenario(&workload, 1000 * S);
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    sim_arrivals_take(&merge);
    ck_assert_int_eq(merge.next_time, S);
    sim_arrivals_take(&merge);
    ck_assert_int_eq(merge.next_time, RGN_TIME_NEVER);
    sim_arrivals_deinit(&merge);
}
END_TEST

/* Counts of a Poisson process in stretches of 100 s; five standard deviations are 1 in 1.7 million. */
START_TEST(poisson_arrivals_have_each_stretchs_rate)
{
    static const sim_rate_step poisson[] = {{0, 100000}, {100 * S, 900000}, {200 * S, 0}, {300 * S, 400000}};
    static const unsigned mean[] = {10000, 90000, 0, 40000};
    static const unsigned deviation[] = {100, 300, 0, 200};
    const sim_workload workload = make_workload(SIM_ARRIVALS_POISSON, poisson, 4);
    const sim_scenario scenario = make_scenario(&workload, 400 * S);
    unsigned count[4] = {0};
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    for (; merge.next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge))
        count[merge.next_time / (100 * S)]++;
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_le(count[i], mean[i] + 5 * deviation[i]);
        ck_assert_uint_ge(count[i], mean[i] - 5 * deviation[i]);
    }
    sim_arrivals_deinit(&merge);
}
END_TEST

/* Three arrivals at 0, 0.5 and 2.25 of three units; a round takes three. */
static const uint64_t recorded_at[] = {0, 500000000000, 2250000000000};

START_TEST(a_recording_repeats_and_keeps_its_gaps)
{
    sim_workload workload = make_workload(SIM_ARRIVALS_RECORDED, NULL, 0);
    workload.rate_mhz = 2000; /* a unit takes half a second */
    workload.recording = (sim_recording){3, recorded_at};
    const sim_scenario scenario = make_scenario(&workload, 1000 * S);
    static const int64_t gap[] = {250000000, 875000000, 375000000};
    bool has_begun_at[3] = {false};
    for (uint32_t r = 0; r < 32; r++) {
        const sim_luck other = {.seed = 7, .replication = r};
        sim_arrivals_merge merge;
        ck_assert(sim_arrivals_init(&merge, &scenario, &other));
        uint32_t place = merge.stream[0].first_recorded;
        ck_assert_uint_lt(place, 3);
        has_begun_at[place] = true;
        ck_assert_int_eq(merge.next_time, 0);
        int64_t expected = 0;
        for (int n = 0; n < 1999; n++) {
            ck_assert_int_eq(merge.next_time, expected);
            sim_arrivals_take(&merge);
            expected += gap[place];
            place = (place + 1) % 3;
        }
        sim_arrivals_deinit(&merge);
    }
    ck_assert(has_begun_at[0] && has_begun_at[1] && has_begun_at[2]);
}
END_TEST

static uint32_t pick_by_search(const uint32_t *bound, uint32_t count, uint32_t word)
{
    uint32_t p = 0;
    while (p + 1 < count && word >= bound[p])
        p++;
    return p;
}

/* Zipf's law, an all but empty tail, and one partition with nearly everything: what is picked is what the weights say.
 */
START_TEST(picking_with_the_guide_is_picking_by_search)
{
    enum { COUNT = 1000 };
    static uint32_t weight[3][COUNT];
    uint64_t whole = 0;
    for (uint32_t p = 0; p < COUNT; p++)
        whole += 1000000 / (p + 1);
    uint32_t rest[3] = {SIM_SHARE_ONE, SIM_SHARE_ONE, SIM_SHARE_ONE};
    for (uint32_t p = 1; p < COUNT; p++) {
        weight[0][p] = (uint32_t)(SIM_SHARE_ONE / whole * (1000000 / (p + 1)));
        weight[1][p] = p < 500 ? 1 : 0;
        weight[2][p] = p == 777 ? SIM_SHARE_ONE / 2 : 3;
        for (int i = 0; i < 3; i++)
            rest[i] -= weight[i][p];
    }
    for (int i = 0; i < 3; i++) {
        weight[i][0] = rest[i];
        sim_workload workload = make_workload(SIM_ARRIVALS_CONSTANT, NULL, 0);
        workload.partition_count = COUNT;
        workload.partition_weight = weight[i];
        workload.rate_mhz = 1000000;
        const sim_scenario scenario = make_scenario(&workload, 50 * S);
        sim_arrivals_merge merge;
        ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
        const sim_stream *stream = &merge.stream[0];
        for (; merge.next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge)) {
            const sim_arrival arrival = sim_arrivals_peek(&merge);
            const uint64_t word = sim_draw_words(&luck, SIM_DRAW_REQUEST, arrival.luck_key, 0).word[0];
            ck_assert_uint_eq(arrival.partition,
                              pick_by_search(stream->partition_bound, COUNT, (uint32_t)(word >> 32)));
        }
        sim_arrivals_deinit(&merge);
    }
}
END_TEST

/* ---- rates that repeat ---- */

static sim_scenario *with_rate(const char *rate, const char *duration)
{
    char text[1024];
    sim_input_error error = {.message = ""};
    snprintf(text, sizeof text,
             "regionsim: 1\nscenario: rates\nduration: %s\n"
             "account: {writes: multi, regions: [westus]}\nnetwork: {round_trip: azure-rtt}\n"
             "service: {read: {constant: 0}, write: {constant: 0}}\n"
             "clients: {seattle: {home: westus, preferred: [westus]}}\n"
             "workload: {shop: {rate: %s, partitions: {count: 1}, operations: {read: 100 %%}}}\n",
             duration, rate);
    sim_scenario *scenario = sim_scenario_parse("rates.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    return scenario;
}

START_TEST(steps_repeat_until_the_run_ends)
{
    static const sim_rate_step want[] = {{0, 5000},      {4 * S, 1000},  {10 * S, 5000},
                                         {14 * S, 1000}, {20 * S, 5000}, {24 * S, 1000}};
    sim_scenario *scenario = with_rate("{repeat: {every: 10 s, step: {0: 5 /s, 4 s: 1 /s}}}", "24001 ms");
    ck_assert_uint_eq(scenario->workload[0].rate_step_count, 6);
    ck_assert_mem_eq(scenario->workload[0].rate_step, want, sizeof want);
    sim_scenario_destroy(scenario);
    scenario = with_rate("{repeat: {every: 10 s, step: {0: 5 /s, 4 s: 1 /s}}}", "24 s");
    ck_assert_uint_eq(scenario->workload[0].rate_step_count, 5);
    sim_scenario_destroy(scenario);
}
END_TEST

START_TEST(a_sinusoid_has_its_mean_and_its_peak)
{
    sim_scenario *scenario = with_rate("{sinusoid: {mean: 100 /s, swing: 60 %, period: 96 s, peak: 30 s}}", "192 s");
    const sim_workload *workload = &scenario->workload[0];
    ck_assert_uint_eq(workload->rate_step_count, 192);
    ck_assert_int_eq(workload->rate_mhz, 100000);
    for (uint32_t i = 0; i < 192; i++) {
        const sim_rate_step *step = &workload->rate_step[i];
        ck_assert_int_eq(step->at, (int64_t)i * S);
        /* The peak lies between two steps, and is flat there; the dip half a period later. */
        ck_assert_int_le(step->rate_mhz, workload->rate_step[29].rate_mhz);
        ck_assert_int_ge(step->rate_mhz, workload->rate_step[77].rate_mhz);
        ck_assert_int_eq(step->rate_mhz, workload->rate_step[(i + 96) % 192].rate_mhz);
    }
    ck_assert_int_eq(workload->rate_step[29].rate_mhz, workload->rate_step[30].rate_mhz);
    ck_assert_int_eq(workload->rate_step[29].rate_mhz, 100000 + 60000 * INT64_C(999465) / 1000000);
    sim_scenario_destroy(scenario);
}
END_TEST

/* ---- closed loops ---- */

START_TEST(a_user_goes_on_when_its_operation_has_ended)
{
    sim_workload workload = make_workload(SIM_ARRIVALS_CLOSED, NULL, 0);
    workload.users = 6;
    workload.think = (sim_dist){.type = SIM_DIST_CONSTANT, .a = S};
    const sim_scenario scenario = make_scenario(&workload, 4 * S);
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    for (uint32_t user = 0; user < 6; user++) {
        ck_assert_int_eq(merge.next_time, S);
        ck_assert_uint_eq(sim_arrivals_peek(&merge).n, user);
        ck_assert_uint_eq(sim_arrivals_peek(&merge).client, user % 4);
        sim_arrivals_take(&merge);
    }
    ck_assert_int_eq(merge.next_time, RGN_TIME_NEVER);
    ck_assert(sim_arrivals_go_on(&merge, 0, 4, S + 5));
    ck_assert(sim_arrivals_go_on(&merge, 0, 1, S + 3));
    ck_assert_int_eq(merge.next_time, 2 * S + 3);
    ck_assert_uint_eq(sim_arrivals_peek(&merge).n, 7);
    sim_arrivals_take(&merge);
    ck_assert_int_eq(merge.next_time, 2 * S + 5);
    ck_assert_uint_eq(sim_arrivals_peek(&merge).n, 10);
    sim_arrivals_take(&merge);
    /* At the end of the run nobody begins any more. */
    ck_assert(sim_arrivals_go_on(&merge, 0, 7, 3 * S));
    ck_assert_int_eq(merge.next_time, RGN_TIME_NEVER);
    ck_assert(sim_arrivals_go_on(&merge, 0, 10, 3 * S - 1));
    ck_assert_int_eq(merge.next_time, 4 * S - 1);
    ck_assert(!sim_arrivals_go_on(&merge, 0, (UINT32_C(1) << 30) - 6, 0));
    sim_arrivals_deinit(&merge);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rates");
    TCase *all = tcase_create("all");
    tcase_add_test(all, constant_arrivals_follow_the_rates_to_the_nanosecond);
    tcase_add_test(all, an_operation_due_at_the_end_of_a_stretch_belongs_to_the_next);
    tcase_add_test(all, a_rate_that_ends_at_zero_ends_the_stream);
    tcase_add_test(all, poisson_arrivals_have_each_stretchs_rate);
    tcase_add_test(all, a_recording_repeats_and_keeps_its_gaps);
    tcase_add_test(all, picking_with_the_guide_is_picking_by_search);
    tcase_add_test(all, steps_repeat_until_the_run_ends);
    tcase_add_test(all, a_sinusoid_has_its_mean_and_its_peak);
    tcase_add_test(all, a_user_goes_on_when_its_operation_has_ended);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
