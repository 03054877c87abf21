/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regioncore/regioncore.h>

static const rgn_transition plain = {.at = 1500000000,
                                     .partition = 7,
                                     .reason = RGN_REASON_TRIP,
                                     .direction = RGN_READ,
                                     .phase_before = RGN_PHASE_COUNTING,
                                     .phase_after = RGN_PHASE_UNHEALTHY,
                                     .tripped_after = 1,
                                     .region = 0,
                                     .first_failed = 0,
                                     .current = 1,
                                     .cause = RGN_CAUSE_FAILURES,
                                     .failed = 1,
                                     .generation = 3,
                                     .failures = 10,
                                     .threshold = 10,
                                     .jitter = 250000000};

static const char plain_text[] =
    "{\"at_ns\":1500000000,\"partition\":7,\"reason\":\"trip\",\"direction\":\"read\",\"phase_before\":\"counting\","
    "\"phase_after\":\"unhealthy\",\"tripped_before\":[],\"tripped_after\":[\"read\"],\"region\":0,\"first_failed\":0,"
    "\"current\":1,\"failed\":[0],\"cause\":\"failures\",\"generation\":3,\"window\":0,\"canary_total\":0,"
    "\"canary_success\":0,\"canary_in_flight\":0,\"failures\":10,\"threshold\":10,\"threshold_unit\":\"count\","
    "\"elapsed_ns\":0,\"jitter_ns\":250000000}";

static void expect_text(const rgn_transition *transition, const char *text)
{
    char line[RGN_TRANSITION_JSON_MAX];

    ck_assert_uint_eq(rgn_transition_json(transition, line, sizeof line), strlen(text));
    ck_assert_str_eq(line, text);
}

START_TEST(a_trip_and_a_drop_by_background_work_read_as_documented)
{
    const rgn_transition drop = {.at = -1,
                                 .partition = UINT32_MAX,
                                 .reason = RGN_REASON_FLAG_EDGE,
                                 .direction = RGN_WRITE,
                                 .phase_before = RGN_PHASE_RECOVERING,
                                 .phase_after = RGN_PHASE_ABSENT,
                                 .tripped_before = 3,
                                 .region = RGN_REGION_NONE,
                                 .first_failed = RGN_REGION_NONE,
                                 .current = RGN_REGION_NONE,
                                 .cause = RGN_CAUSE_HEDGE_WINS,
                                 .failed = 0x80000006u,
                                 .window_id = 2,
                                 .canary_total = 9,
                                 .canary_success = 8,
                                 .canary_in_flight = 1};

    expect_text(&plain, plain_text);
    expect_text(&drop, "{\"at_ns\":-1,\"partition\":4294967295,\"reason\":\"flag_edge\",\"direction\":\"write\","
                       "\"phase_before\":\"recovering\",\"phase_after\":\"absent\",\"tripped_before\":[\"read\","
                       "\"write\"],\"tripped_after\":[],\"region\":null,\"first_failed\":null,\"current\":null,"
                       "\"failed\":[1,2,31],\"cause\":\"hedge_wins\",\"generation\":0,\"window\":2,\"canary_total\":9,"
                       "\"canary_success\":8,\"canary_in_flight\":1,\"failures\":0,\"threshold\":0,"
                       "\"threshold_unit\":null,\"elapsed_ns\":0,\"jitter_ns\":0}");
}
END_TEST

/* Every reason of the list, with a threshold and no count of failures: name and unit. */
START_TEST(each_reason_says_what_its_threshold_counts)
{
    static const struct {
        rgn_reason reason;
        const char *unit; /* as in the text */
    } rows[] = {
#define NO_UNIT(identifier, number, name, sentence) {RGN_REASON_##identifier, "null"},
        RGN_REASONS(NO_UNIT)
#undef NO_UNIT
            {RGN_REASON_FAILBACK_SINGLE, "\"count\""}, /* rows from here on correct the list above */
        {RGN_REASON_RETRIP_SINGLE, "\"count\""},
        {RGN_REASON_FAILBACK, "\"ppm\""},
        {RGN_REASON_RETRIP, "\"ppm\""},
        {RGN_REASON_RETRIP_JUDGE, "\"ppm\""},
        {RGN_REASON_FAILBACK_SEQUENTIAL, "\"ppm\""},
        {RGN_REASON_RETRIP_SEQUENTIAL, "\"ppm\""},
        {RGN_REASON_RAMP, "\"ppm\""},
        {RGN_REASON_STALE, "\"ns\""},
        {RGN_REASON_PROMOTE, "\"ns\""},
        {RGN_REASON_PROMOTE_REQUEST, "\"ns\""},
        {RGN_REASON_FAILBACK_AT_ONCE, "\"ns\""},
        {RGN_REASON_FAILBACK_TENTATIVE, "\"count\""},
        {RGN_REASON_RETRIP_MAX, "\"ns\""},
        {RGN_REASON_WINDOW_DWELL, "\"ns\""},
        {RGN_REASON_WINDOW_RESTART, "\"ns\""},
        {RGN_REASON_UNTRIP_WINDOW, "\"ns\""},
    };
    const size_t count = sizeof rows / sizeof rows[0];

    for (size_t i = 0; i < count; i++) {
        const char *unit = rows[i].unit;
        for (size_t later = i + 1; later < count; later++)
            unit = rows[later].reason == rows[i].reason ? rows[later].unit : unit;
        for (int compared = 0; compared < 3; compared++) { /* nothing; a threshold; failures with a threshold */
            char line[RGN_TRANSITION_JSON_MAX];
            char part[64];
            rgn_transition t = plain;
            t.reason = (uint8_t)rows[i].reason;
            t.threshold = compared == 0 ? 0 : 12;
            t.failures = compared == 2 ? 12 : 0;
            rgn_transition_json(&t, line, sizeof line);
            snprintf(part, sizeof part, ",\"reason\":\"%s\",", rgn_reason_name(rows[i].reason));
            ck_assert_msg(strstr(line, part) != NULL, "%s in %s", part, line);
            snprintf(part, sizeof part, ",\"threshold_unit\":%s,",
                     compared == 0   ? "null"
                     : compared == 2 ? "\"count\""
                                     : unit);
            ck_assert_msg(strstr(line, part) != NULL, "%s in %s", part, line);
        }
    }
}
END_TEST

START_TEST(each_phase_and_cause_has_its_name_and_other_numbers_have_none)
{
    static const char *const PHASES[] = {"absent", "counting", "unhealthy", "recovering", "?"};
    static const char *const CAUSES[] = {"none", "failures", "hedge_wins", "?"};

    for (unsigned i = 0; i < 5; i++) {
        char line[RGN_TRANSITION_JSON_MAX];
        char part[96];
        rgn_transition t = plain;
        t.phase_before = (uint8_t)i;
        t.phase_after = (uint8_t)(4 - i);
        t.cause = (uint8_t)(i < 3 ? i : 3);
        t.tripped_before = 2;
        rgn_transition_json(&t, line, sizeof line);
        snprintf(part, sizeof part, "\"phase_before\":\"%s\",\"phase_after\":\"%s\",\"tripped_before\":[\"write\"],",
                 PHASES[i], PHASES[4 - i]);
        ck_assert_msg(strstr(line, part) != NULL, "%s in %s", part, line);
        snprintf(part, sizeof part, "\"cause\":\"%s\",", CAUSES[t.cause]);
        ck_assert_msg(strstr(line, part) != NULL, "%s in %s", part, line);
    }
}
END_TEST

/* Every size from none to more than enough: a NUL ends what fits, and nothing is written behind it. */
START_TEST(a_short_buffer_gets_the_beginning_and_the_full_length_is_told)
{
    const size_t length = strlen(plain_text);

    ck_assert_uint_eq(rgn_transition_json(&plain, NULL, 0), length);
    for (size_t size = 1; size <= length + 2; size++) {
        char line[RGN_TRANSITION_JSON_MAX];
        const size_t fits = size - 1 < length ? size - 1 : length;
        memset(line, '#', sizeof line);
        ck_assert_uint_eq(rgn_transition_json(&plain, line, size), length);
        ck_assert_int_eq(memcmp(line, plain_text, fits), 0);
        ck_assert_int_eq(line[fits], '\0');
        ck_assert_int_eq(line[fits + 1], '#');
    }
}
END_TEST

START_TEST(the_longest_transition_fits_the_documented_room)
{
    rgn_transition t;

    memset(&t, 0, sizeof t);
    t.at = t.threshold = t.elapsed = t.jitter = INT64_MIN;
    t.partition = t.generation = t.window_id = t.failed = UINT32_MAX;
    t.canary_total = t.canary_success = t.canary_in_flight = t.failures = UINT32_MAX;
    t.direction = RGN_WRITE;
    t.phase_before = t.phase_after = RGN_PHASE_RECOVERING;
    t.tripped_before = t.tripped_after = 3;
    t.region = t.first_failed = t.current = RGN_REGION_NONE;
    t.cause = RGN_CAUSE_HEDGE_WINS;
    for (unsigned reason = 0; reason <= UINT8_MAX; reason++) {
        char line[RGN_TRANSITION_JSON_MAX];
        t.reason = (uint8_t)reason;
        ck_assert_uint_lt(rgn_transition_json(&t, line, sizeof line), sizeof line);
        ck_assert_ptr_nonnull(strstr(line, "\"at_ns\":-9223372036854775808,"));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("transition_json");
    TCase *tc = tcase_create("transition_json");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_trip_and_a_drop_by_background_work_read_as_documented);
    tcase_add_test(tc, each_reason_says_what_its_threshold_counts);
    tcase_add_test(tc, each_phase_and_cause_has_its_name_and_other_numbers_have_none);
    tcase_add_test(tc, a_short_buffer_gets_the_beginning_and_the_full_length_is_told);
    tcase_add_test(tc, the_longest_transition_fits_the_documented_room);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
