/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify_table.h"

#ifndef SOURCE_ROOT
#define SOURCE_ROOT "."
#endif

static rgn_class classify(unsigned transport, unsigned status, unsigned substatus)
{
    rgn_response response = {.status = (uint16_t)status,
                             .substatus = (uint16_t)substatus,
                             .transport = (uint8_t)transport,
                             .retry_after = RGN_TIME_NEVER};
    rgn_class class = rgn_classify(&response);
    ck_assert_uint_eq(rgn_evidence_of(&response), class.evidence);
    return class;
}

/* What counts for the breaker, what says nothing, what shows that the region works: written down a second time, from
 * the published failure lists. */
START_TEST(evidence_is_that_of_the_published_lists)
{
    static const struct {
        unsigned status, substatus;
        rgn_evidence evidence;
        rgn_retry retry;
        rgn_charge charge;
    } rows[] = {
        {200, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {304, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {399, 9, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {400, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {401, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {403, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {403, 2, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {403, 3, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_BACKEND, RGN_CHARGE_PARTITION_WRITE},
        {403, 4, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {403, 1008, RGN_EVIDENCE_FAILURE, RGN_RETRY_BACKEND, RGN_CHARGE_PARTITION},
        {404, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {404, 1002, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_SESSION, RGN_CHARGE_NOTHING},
        {404, 1003, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {408, 0, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {409, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {410, 0, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {410, 1002, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {410, 1007, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {410, 1008, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {410, 1009, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {412, 0, RGN_EVIDENCE_SUCCESS, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {418, 0, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {429, 0, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_THROTTLE, RGN_CHARGE_NOTHING},
        {429, 3200, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_THROTTLE, RGN_CHARGE_NOTHING},
        {429, 3092, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {449, 0, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_WITH, RGN_CHARGE_NOTHING},
        {500, 0, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {501, 0, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {503, 0, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {599, 0, RGN_EVIDENCE_FAILURE, RGN_RETRY_FAILOVER, RGN_CHARGE_PARTITION},
        {0, 0, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {99, 0, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
        {600, 0, RGN_EVIDENCE_NEUTRAL, RGN_RETRY_NONE, RGN_CHARGE_NOTHING},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_class class = classify(RGN_TRANSPORT_NONE, rows[i].status, rows[i].substatus);
        ck_assert_msg(class.evidence == rows[i].evidence, "%u/%u", rows[i].status, rows[i].substatus);
        ck_assert_msg(class.retry == rows[i].retry, "%u/%u", rows[i].status, rows[i].substatus);
        ck_assert_msg(class.charge == rows[i].charge, "%u/%u", rows[i].status, rows[i].substatus);
        ck_assert_msg(class.is_success == (rows[i].status >= 100 && rows[i].status < 400), "%u", rows[i].status);
    }
}
END_TEST

/* The caller's errors as the metric defines them, over every status and the sub-statuses that matter. */
START_TEST(the_caller_sees_an_error_exactly_where_the_metric_says)
{
    static const unsigned substatuses[] = {0, 3, 1002, 1007, 1008, 3092, 3200, 20003};

    for (unsigned status = 0; status <= 700; status++) {
        for (size_t i = 0; i < sizeof substatuses / sizeof substatuses[0]; i++) {
            unsigned substatus = substatuses[i];
            bool is_error = (status >= 500 && status <= 599) || status == 408 || status == 410 || status == 429 ||
                            status == 449 || (status == 403 && substatus == 3) || (status == 404 && substatus == 1002);
            ck_assert_msg(classify(RGN_TRANSPORT_NONE, status, substatus).is_caller_error == is_error, "%u/%u", status,
                          substatus);
        }
    }
}
END_TEST

START_TEST(final_answers_are_those_no_other_region_changes)
{
    static const unsigned finals[] = {400, 401, 405, 409, 412, 413, 422, 451, 501, 505};

    for (unsigned status = 400; status <= 599; status++) {
        bool is_final = status == 403 || status == 404; /* without a sub-status */
        for (size_t i = 0; i < sizeof finals / sizeof finals[0]; i++)
            is_final = is_final || finals[i] == status;
        ck_assert_msg(classify(RGN_TRANSPORT_NONE, status, 0).is_final == is_final, "%u", status);
    }
    ck_assert(classify(RGN_TRANSPORT_NONE, 403, 3).is_final);
    ck_assert(!classify(RGN_TRANSPORT_NONE, 403, 1008).is_final);
    ck_assert(!classify(RGN_TRANSPORT_NONE, 404, 1002).is_final);
    ck_assert(!classify(RGN_TRANSPORT_NONE, 404, 1003).is_final);
    ck_assert(classify(RGN_TRANSPORT_NONE, 429, 3210).is_final);
    ck_assert(!classify(RGN_TRANSPORT_NONE, 429, 3092).is_final);
}
END_TEST

START_TEST(a_connection_never_made_is_charged_to_the_endpoint_a_lost_one_to_the_partition)
{
    for (unsigned transport = RGN_TRANSPORT_NOT_SENT; transport <= RGN_TRANSPORT_UNKNOWN; transport++) {
        rgn_class class = classify(transport, 0, 0);
        ck_assert_uint_eq(class.evidence, RGN_EVIDENCE_FAILURE);
        ck_assert_uint_eq(class.retry, RGN_RETRY_FAILOVER);
        ck_assert_uint_eq(class.charge,
                          transport == RGN_TRANSPORT_NOT_SENT ? RGN_CHARGE_ENDPOINT : RGN_CHARGE_PARTITION);
        ck_assert_uint_eq(class.mark_reason, RGN_MARK_TRANSPORT_ERROR);
        ck_assert(class.is_caller_error);
        ck_assert(!class.is_success && !class.is_final);
    }
}
END_TEST

START_TEST(marks_name_the_kind_of_failure)
{
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 403, 3).mark_reason, RGN_MARK_WRITE_FORBIDDEN);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 403, 1008).mark_reason, RGN_MARK_ACCOUNT_NOT_FOUND);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 408, 0).mark_reason, RGN_MARK_REQUEST_TIMEOUT);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 410, 0).mark_reason, RGN_MARK_SERVICE_UNAVAILABLE);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 429, 3092).mark_reason, RGN_MARK_SERVICE_UNAVAILABLE);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 503, 0).mark_reason, RGN_MARK_SERVICE_UNAVAILABLE);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 500, 0).mark_reason, RGN_MARK_INTERNAL_ERROR);
    ck_assert_uint_eq(classify(RGN_TRANSPORT_NONE, 504, 0).mark_reason, RGN_MARK_INTERNAL_ERROR);
}
END_TEST

/* The search for the first row that may match relies on it: HTTP rows come first, and their upper bounds never fall. */
START_TEST(rows_rise)
{
    size_t count;
    const rgni_class_row *rows = rgni_class_rows(&count);

    for (size_t i = 1; i < count; i++) {
        ck_assert_uint_ge(rows[i].transport, rows[i - 1].transport);
        if (rows[i].transport == RGN_TRANSPORT_NONE)
            ck_assert_uint_ge(rows[i].status_max, rows[i - 1].status_max);
    }
    ck_assert_uint_eq(rows[count - RGN_TRANSPORT_UNKNOWN - 1].transport, RGN_TRANSPORT_NONE);
    ck_assert_uint_eq(rows[count - RGN_TRANSPORT_UNKNOWN].transport, RGN_TRANSPORT_NOT_SENT);
}
END_TEST

START_TEST(no_row_hides_behind_an_earlier_one)
{
    size_t count;
    const rgni_class_row *rows = rgni_class_rows(&count);

    for (size_t i = 0; i < count; i++) {
        unsigned substatus = rows[i].substatus_min;
        bool is_shadowed = false;
        for (size_t j = 0; j < i; j++) {
            is_shadowed = is_shadowed ||
                          (rows[j].transport == rows[i].transport && rows[j].status_min <= rows[i].status_min &&
                           rows[j].status_max >= rows[i].status_max && rows[j].substatus_min <= rows[i].substatus_min &&
                           rows[j].substatus_max >= rows[i].substatus_max);
        }
        ck_assert_msg(!is_shadowed, "row %zu", i);
        ck_assert_uint_le(substatus, rows[i].substatus_max);
    }
}
END_TEST

/* --- RULES.md ---------------------------------------------------------------------------------------------------- */

static void range(char *out, size_t size, unsigned min, unsigned max)
{
    if (min == 0 && max == UINT16_MAX)
        snprintf(out, size, "any");
    else if (min == max)
        snprintf(out, size, "%u", min);
    else
        snprintf(out, size, "%u–%u", min, max);
}

/* The row as RULES.md prints it. */
static void print_row(const rgni_class_row *row, char *out, size_t size)
{
    static const char *const transports[] = {"answer", "not sent", "sent, lost", "unknown"};
    static const char *const evidence[] = {"success", "failure", "neutral", "timeout"};
    static const char *const retries[] = {"none", "failover", "backend", "session", "throttle", "retry with"};
    static const char *const charges[] = {"–", "partition", "partition (write)", "endpoint"};
    static const char *const marks[] = {"write forbidden", "account not found", "service unavailable",
                                        "request timeout", "internal error",    "transport error"};
    char status[16], substatus[16];
    bool is_charged = row->class.charge != RGN_CHARGE_NOTHING;

    range(status, sizeof status, row->status_min, row->status_max);
    range(substatus, sizeof substatus, row->substatus_min, row->substatus_max);
    snprintf(out, size, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", transports[row->transport], status,
             substatus, evidence[row->class.evidence], retries[row->class.retry], charges[row->class.charge],
             is_charged ? marks[row->class.mark_reason] : "–", row->class.is_final ? "yes" : "no",
             row->class.is_caller_error ? "yes" : "no");
}

/* RULES.md must print the table row for row, in order. On a mismatch the expected table goes to stderr. */
START_TEST(the_rules_print_this_very_table)
{
    static char text[1 << 17];
    static char table[1 << 14];
    FILE *file = fopen(SOURCE_ROOT "/core/RULES.md", "rb");
    size_t count, length = 0;
    const rgni_class_row *rows = rgni_class_rows(&count);

    ck_assert_msg(file != NULL, "run from the project's root, or define SOURCE_ROOT");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < count; i++) {
        print_row(&rows[i], table + length, sizeof table - length);
        length += strlen(table + length);
    }
    if (strstr(text, table) == NULL)
        fputs(table, stderr);
    ck_assert_ptr_nonnull(strstr(text, table));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("classify");
    TCase *tc = tcase_create("classify");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, evidence_is_that_of_the_published_lists);
    tcase_add_test(tc, the_caller_sees_an_error_exactly_where_the_metric_says);
    tcase_add_test(tc, final_answers_are_those_no_other_region_changes);
    tcase_add_test(tc, a_connection_never_made_is_charged_to_the_endpoint_a_lost_one_to_the_partition);
    tcase_add_test(tc, marks_name_the_kind_of_failure);
    tcase_add_test(tc, rows_rise);
    tcase_add_test(tc, no_row_hides_behind_an_earlier_one);
    tcase_add_test(tc, the_rules_print_this_very_table);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
