/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts from files made fit for a screen; limits, and values beside them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "cli/units.h"

static const struct {
    const char *text;
    const char *clean;
} CLEANED[] = {
    {"", ""},
    {"plain, with µ and –", "plain, with µ and –"},
    {"a\nb\r\nc\td", "a b  c d"},
    {"\033[31mred\033[0m", " [31mred [0m"},
    {"\001\037 \177x", "    x"},
    {"x\302\200\302\237y\302\240z", "x  y\302\240z"},
    {"\342\200\247|\342\200\250|\342\200\252|\342\200\256|\342\200\257", "\342\200\247| | | |\342\200\257"},
    {"\342\201\245|\342\201\246|\342\201\251|\342\201\252", "\342\201\245| | |\342\201\252"},
    {"cut short \342\200", "cut short \342\200"},
    {"cut short \302", "cut short \302"},
};

START_TEST(nothing_that_moves_the_cursor_or_turns_the_text_is_left)
{
    char *clean = cli_cleaned(CLEANED[_i].text);
    ck_assert_str_eq(clean, CLEANED[_i].clean);
    free(clean);
}
END_TEST

START_TEST(long_texts_are_cut_between_characters)
{
    char text[CLI_CLEAN_MAX + 100];
    memset(text, 'x', sizeof text);
    text[CLI_CLEAN_MAX] = '\0';
    cli_clean(text);
    ck_assert_uint_eq(strlen(text), CLI_CLEAN_MAX);
    ck_assert_int_eq(text[CLI_CLEAN_MAX - 1], 'x');
    for (size_t shift = 0; shift < 2; shift++) {
        memset(text, 'x', sizeof text);
        for (size_t i = shift; i + 1 < sizeof text; i += 2)
            memcpy(text + i, "µ", 2);
        text[CLI_CLEAN_MAX + 2 + shift] = '\0';
        cli_clean(text);
        const size_t kept = strlen(text) - 3;
        ck_assert_str_eq(text + kept, "...");
        ck_assert_uint_le(kept + 3, CLI_CLEAN_MAX);
        ck_assert_uint_ge(kept + 4, CLI_CLEAN_MAX);
        ck_assert_uint_eq(kept % 2, shift); /* whole characters */
    }
}
END_TEST

static const struct {
    sim_metric_id metric;
    double limit;
    const char *said;
} LIMITS[] = {
    {SIM_METRIC_latency_p99, 50e6, "50 ms"},
    {SIM_METRIC_failback_lag_max, 720e9, "12 min"},
    {SIM_METRIC_latency_p99, 0, "0 s"},
    {SIM_METRIC_availability, 0.9999, "99.99 %"},
    {SIM_METRIC_availability, 0.999999, "99.9999 %"},
    {SIM_METRIC_canary_blast_radius, 0.003, "0.3 %"},
    {SIM_METRIC_availability, 1, "100 %"},
    {SIM_METRIC_home_unhealthy_s, 36000, "10 pair-h"},
    {SIM_METRIC_home_unhealthy_s, 60, "60 pair-s"},
    {SIM_METRIC_trip_count, 8, "8 departures"},
    {SIM_METRIC_trip_count, 1, "1 departure"},
    {SIM_METRIC_retrip_count, 1, "1 recovery"},
    {SIM_METRIC_retrip_count, 0, "0 recoveries"},
    {SIM_METRIC_requests, 2.5, "2.5 operations"},
    {SIM_METRIC_load_amplification, 1.05, "1.05"},
};

START_TEST(a_limit_is_said_as_it_may_have_been_written)
{
    char text[CLI_VALUE_SIZE];
    cli_format_limit(sim_metric_at(LIMITS[_i].metric), LIMITS[_i].limit, text);
    ck_assert_str_eq(text, LIMITS[_i].said);
}
END_TEST

static const struct {
    sim_metric_id metric;
    sim_metric_value value;
    double limit;
    const char *said;
} BESIDE[] = {
    {SIM_METRIC_latency_p99, {.value = 12.5e6}, 50e6, "12.50 ms"},
    {SIM_METRIC_availability, {.value = 0.95}, 0.9999, "95.000 %"},
    {SIM_METRIC_availability, {.value = 0.9999}, 0.9999, "99.990 %"},
    {SIM_METRIC_availability, {.value = 0.9998999}, 0.9999, "99.98999 %"},
    {SIM_METRIC_latency_p99, {.value = 50000001}, 50e6, "50.000001 ms"},
    {SIM_METRIC_trip_count, {.value = 8.04}, 8, "8.04 departures"},
    {SIM_METRIC_trip_count, {.value = 1}, 8, "1 departure"},
    {SIM_METRIC_load_amplification, {.value = 1.0085}, 1.05, "1.0085"},
    {SIM_METRIC_failback_lag_p50, {.value = 3e9, .is_null = true, .is_censored = true}, 3e9, "> 3.00 s"},
    {SIM_METRIC_failback_lag_p50, {.is_null = true}, 3e9, "–"},
};

START_TEST(a_value_reads_differently_from_a_limit_that_it_misses)
{
    char text[CLI_VALUE_SIZE];
    cli_format_beside(sim_metric_at(BESIDE[_i].metric), &BESIDE[_i].value, BESIDE[_i].limit, text);
    ck_assert_str_eq(text, BESIDE[_i].said);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("text");
    TCase *tables = tcase_create("text");
    tcase_add_loop_test(tables, nothing_that_moves_the_cursor_or_turns_the_text_is_left, 0,
                        (int)(sizeof CLEANED / sizeof *CLEANED));
    tcase_add_test(tables, long_texts_are_cut_between_characters);
    tcase_add_loop_test(tables, a_limit_is_said_as_it_may_have_been_written, 0, (int)(sizeof LIMITS / sizeof *LIMITS));
    tcase_add_loop_test(tables, a_value_reads_differently_from_a_limit_that_it_misses, 0,
                        (int)(sizeof BESIDE / sizeof *BESIDE));
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
