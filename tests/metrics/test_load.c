/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Herd and alternate load against the truth, region load of interval rows, and the result as a whole. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

static script s;

static void setup(void)
{
    script_init(&s);
}

static void teardown(void)
{
    script_deinit(&s);
}

START_TEST(herd_peak_is_the_worst_second_of_ten_minutes_over_the_last_healthy_minute)
{
    /* Region 0: 100/s before, unhealthy [1000, 1300), 50/s after, with a spike of 400 at second `at`. */
    static const struct {
        uint32_t at;
        double peak;
    } cases[] = {{1299, 0.5}, {1300, 4}, {1899, 4}, {1900, 0.5}};
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(1300));
    script_load(&s, 0, 0, 940, 7); /* not the last minute */
    script_load(&s, 0, 940, 1000, 100);
    script_load(&s, 0, 1300, 3600, 50);
    script_load(&s, 0, cases[_i].at, cases[_i].at + 1, 400);
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, herd_peak, cases[_i].peak);
    EXPECT(&s, MIDDLE, herd_peak, cases[_i].peak); /* the recovery lies in it */
    EXPECT_NULL(&s, LATE, herd_peak);
    EXPECT_SAMPLES(&s, ALL, herd_peak, 1);
}
END_TEST

START_TEST(the_worst_recovery_counts_and_a_relapse_ends_its_window)
{
    /* Unhealthy [1000, 1300) and [1330, 1500): the gap of 30 s has no healthy minute, so [940, 1000) serves both. */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(1300));
    script_unhealthy(&s, 0, 0, WRITES, S(1330), S(1500));
    script_load(&s, 0, 940, 1000, 100);
    script_load(&s, 0, 1300, 1330, 200);
    script_load(&s, 0, 1330, 1500, 900); /* after the relapse */
    script_load(&s, 0, 1500, 1600, 300);
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, herd_peak, 3);
    EXPECT_SAMPLES(&s, ALL, herd_peak, 2);
}
END_TEST

START_TEST(a_region_is_unhealthy_while_any_of_its_partitions_is)
{
    /* Pieces of [950, 1400). */
    script_unhealthy(&s, 0, 0, READS, S(1000), S(1300));
    script_unhealthy(&s, 0, 0, WRITES, S(1200), S(1400));
    script_unhealthy(&s, 0, 1, WRITES, S(950), S(1100));
    script_load(&s, 0, 0, 890, 9999);
    script_load(&s, 0, 890, 950, 100);
    script_load(&s, 0, 950, 1400, 9999);
    script_load(&s, 0, 1400, 1500, 200);
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, herd_peak, 2);
    EXPECT_SAMPLES(&s, ALL, herd_peak, 1);
}
END_TEST

START_TEST(only_whole_seconds_count)
{
    /* Unhealthy [1000.5, 1300.5): the minute is [940, 1000), the herd begins at second 1301. */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, MS(1000500), MS(1300500));
    script_load(&s, 0, 0, 940, 9999);
    script_load(&s, 0, 940, 1000, 100);
    script_load(&s, 0, 1000, 1301, 9999);
    script_load(&s, 0, 1301, 1400, 100);
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, herd_peak, 1);
}
END_TEST

START_TEST(without_a_healthy_minute_or_a_recovery_there_is_no_ratio)
{
    static const struct {
        int64_t from;
        int64_t until;
        bool has_herd;
        bool has_alternate;
    } cases[] = {{S(59), S(100), false, false}, /* 59 healthy seconds */
                 {S(60), S(100), true, true},
                 {S(0), S(100), false, false},
                 {S(1000), RGN_TIME_NEVER, false, true},
                 {S(1000), S(3600), false, true}}; /* recovers with the end: unseen */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, cases[_i].from, cases[_i].until);
    script_load(&s, 0, 0, 4000, 10);
    script_load(&s, 1, 0, 4000, 10);
    script_begin(&s);
    script_end(&s);
    ck_assert_int_eq(script_metric(&s, ALL, SIM_METRIC_herd_peak)->is_null, !cases[_i].has_herd);
    ck_assert_int_eq(script_metric(&s, ALL, SIM_METRIC_alternate_extra_load)->is_null, !cases[_i].has_alternate);
}
END_TEST

START_TEST(a_healthy_world_has_no_herd)
{
    script_load(&s, 0, 0, 3600, 10);
    script_begin(&s);
    script_end(&s);
    EXPECT_NULL(&s, ALL, herd_peak);
    EXPECT_NULL(&s, ALL, alternate_extra_load);
}
END_TEST

START_TEST(alternate_extra_load_is_the_worst_second_of_the_worst_other_region)
{
    /* Unhealthy [1000, 1300). Region 1: 20/s, 50 at 1100, 70 at 1250, 999 after. Region 2 had no traffic before. */
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(1300));
    script_load(&s, 0, 0, 3600, 9999);
    script_load(&s, 1, 0, 3600, 20);
    script_load(&s, 1, 1100, 1101, 50);
    script_load(&s, 1, 1250, 1251, 70);
    script_load(&s, 1, 1300, 1301, 999);
    script_load(&s, 2, 1000, 1300, 5000);
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, alternate_extra_load, 3.5);
    EXPECT(&s, MIDDLE, alternate_extra_load, 3.5); /* its part of the ill is [1200, 1300) */
    EXPECT_NULL(&s, LATE, alternate_extra_load);
    EXPECT_SAMPLES(&s, ALL, alternate_extra_load, 1);
}
END_TEST

START_TEST(a_phase_sees_its_part_of_the_ill)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(1300));
    script_load(&s, 1, 0, 3600, 20);
    script_load(&s, 1, 1199, 1200, 100);
    script_begin(&s);
    script_end(&s);
    EXPECT(&s, ALL, alternate_extra_load, 5);
    EXPECT(&s, MIDDLE, alternate_extra_load, 1);
}
END_TEST

START_TEST(interval_rows_hold_the_arrivals_of_the_seconds_that_begin_in_them)
{
    s.scenario.interval = MS(1500);
    script_load(&s, 0, 0, 4, 10);
    script_load(&s, 2, 3599, 3700, 3); /* the drain after the end is left out */
    script_begin(&s);
    script_end(&s);
    ck_assert_uint_eq(s.result.interval[0].region_legs[0], 20); /* seconds 0 and 1 */
    ck_assert_uint_eq(s.result.interval[1].region_legs[0], 10); /* second 2 */
    ck_assert_uint_eq(s.result.interval[2].region_legs[0], 10);
    ck_assert_uint_eq(s.result.interval[2399].region_legs[2], 3);
    ck_assert_uint_eq(s.result.interval[2399].region_legs[1], 0);
}
END_TEST

START_TEST(every_metric_has_a_definition_and_its_own_name)
{
    for (unsigned id = 0; id < SIM_METRIC_COUNT; id++) {
        const sim_metric_definition *definition = sim_metric_at((sim_metric_id)id);
        ck_assert_uint_eq(sim_metric_find(definition->name), id);
        ck_assert_uint_gt(strlen(definition->unit), 0);
        ck_assert_uint_gt(strlen(definition->meaning), 0);
        ck_assert_uint_gt(definition->margin_ppm, 0);
    }
    ck_assert_str_eq(sim_metric_at(SIM_METRIC_flap_rate)->name, "flap_rate");
    ck_assert_int_eq(sim_metric_at(SIM_METRIC_availability)->better, SIM_HIGHER_IS_BETTER);
    ck_assert_uint_eq(sim_metric_find("flap_rates"), SIM_METRIC_COUNT);
    ck_assert_uint_eq(sim_metric_find(""), SIM_METRIC_COUNT);
}
END_TEST

/* A run with something of everything. */
static void play(unsigned variant)
{
    script_init(&s);
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(1000), S(2000));
    script_begin(&s);
    for (int i = 0; i < 100; i++)
        script_operation(&s, 0, 0, S(900 + i), MS(5 + (variant == 1 && i == 50)), SIM_ENDED_SUCCESS);
    script_trip(&s, 0, 0, S(1010) + (variant == 2));
    if (variant != 3)
        script_failback(&s, 0, 0, S(2100));
    script_end(&s);
}

START_TEST(the_digest_covers_values_and_histograms_and_nothing_else)
{
    sim_digest digest[6];
    for (unsigned variant = 0; variant < 6; variant++) {
        play(variant);
        if (variant == 4)
            s.result.metric[2 * SIM_METRIC_COUNT + SIM_METRIC_herd_peak].is_null ^= true;
        if (variant == 5)
            s.result.interval[3].requests++; /* rows are not part of it */
        digest[variant] = sim_run_metrics_digest(&s.result);
        script_deinit(&s);
    }
    for (unsigned variant = 1; variant <= 4; variant++)
        ck_assert_msg(memcmp(&digest[0], &digest[variant], sizeof digest[0]) != 0, "variant %u", variant);
    ck_assert_int_eq(memcmp(&digest[0], &digest[5], sizeof digest[0]), 0);
}
END_TEST

START_TEST(a_run_without_events_has_values_for_every_phase)
{
    script_begin(&s);
    script_end(&s);
    ck_assert_uint_eq(s.result.phase_count, 3);
    EXPECT_NULL(&s, ALL, requests);
    EXPECT(&s, ALL, trip_count, 0);
    EXPECT(&s, ALL, clients_touched_share, 0);
    ck_assert_int_eq(s.result.ok[LATE].max, -1);
    ck_assert_uint_eq(s.result.interval_count, 120);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("load");
    TCase *tcase = tcase_create("load");
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, herd_peak_is_the_worst_second_of_ten_minutes_over_the_last_healthy_minute, 0, 4);
    tcase_add_test(tcase, the_worst_recovery_counts_and_a_relapse_ends_its_window);
    tcase_add_test(tcase, a_region_is_unhealthy_while_any_of_its_partitions_is);
    tcase_add_test(tcase, only_whole_seconds_count);
    tcase_add_loop_test(tcase, without_a_healthy_minute_or_a_recovery_there_is_no_ratio, 0, 5);
    tcase_add_test(tcase, a_healthy_world_has_no_herd);
    tcase_add_test(tcase, alternate_extra_load_is_the_worst_second_of_the_worst_other_region);
    tcase_add_test(tcase, a_phase_sees_its_part_of_the_ill);
    tcase_add_test(tcase, interval_rows_hold_the_arrivals_of_the_seconds_that_begin_in_them);
    tcase_add_test(tcase, every_metric_has_a_definition_and_its_own_name);
    tcase_add_test(tcase, the_digest_covers_values_and_histograms_and_nothing_else);
    tcase_add_test(tcase, a_run_without_events_has_values_for_every_phase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
