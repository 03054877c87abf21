/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RULES.md against the sources: every id cited exists, every rule is cited, and what its row names is there. */
#include <check.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/src/reduce.h"

#ifndef SOURCE_ROOT
#define SOURCE_ROOT "."
#endif

enum { RULES_MAX = 300, TEXT_MAX = 1 << 20 };

typedef struct {
    char id[16], function[64], test[128];
    bool is_cited;
} rule;

static rule rules[RULES_MAX];
static size_t rule_count;
static char core_text[TEXT_MAX], test_text[TEXT_MAX];

static size_t read_file(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    ck_assert_msg(file != NULL, "%s: run from the project's root, or define SOURCE_ROOT", path);
    size = fread(out, 1, room - 1, file);
    ck_assert_uint_lt(size, room - 1);
    out[size] = '\0';
    fclose(file);
    return size;
}

/* All .c and .h files of a folder, one after the other; their order does not matter here. */
static void read_folder(const char *folder, char *out)
{
    DIR *dir = opendir(folder);
    size_t length = strlen(out);

    ck_assert_msg(dir != NULL, "%s", folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[512];
        if (dot == NULL || (strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        length += read_file(path, out + length, TEXT_MAX - length);
    }
    closedir(dir);
}

/* True if `at` begins with an id such as OPR-12, whose length is stored. */
static bool is_id(const char *at, size_t *length)
{
    static const char *const groups[] = {"CLS-", "OPT-", "RTE-", "RTR-", "END-", "OPR-",
                                         "BRK-", "FBK-", "FLO-", "APR-", "HDG-", "SES-", "OBS-"};

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strncmp(at, groups[i], 4) != 0)
            continue;
        *length = 4 + strspn(at + 4, "0123456789");
        return *length > 4;
    }
    return false;
}

/* Copies what stands between the n-th last pair of backquotes of the line. */
static void quoted(const char *line, const char *end, int from_end, char *out, size_t size)
{
    const char *marks[64];
    int count = 0;

    for (const char *at = line; at < end && count < 64; at++)
        if (*at == '`')
            marks[count++] = at;
    ck_assert_msg(count >= 2 * from_end, "%.*s", (int)(end - line), line);
    {
        const char *open = marks[count - 2 * from_end];
        const char *close = marks[count - 2 * from_end + 1];
        snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
    }
}

static void load(void)
{
    static char text[TEXT_MAX];

    rule_count = 0;
    core_text[0] = test_text[0] = '\0';
    read_file(SOURCE_ROOT "/core/RULES.md", text, sizeof text);
    read_folder(SOURCE_ROOT "/core/src", core_text);
    read_folder(SOURCE_ROOT "/tests/core", test_text);
    for (char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        size_t length;
        char *end;
        line += *line == '\n';
        end = line + strcspn(line, "\n");
        if (strncmp(line, "| ", 2) != 0 || !is_id(line + 2, &length))
            continue;
        ck_assert_uint_lt(rule_count, RULES_MAX);
        rules[rule_count] = (rule){.is_cited = false};
        snprintf(rules[rule_count].id, sizeof rules[0].id, "%.*s", (int)length, line + 2);
        quoted(line, end, 2, rules[rule_count].function, sizeof rules[0].function);
        quoted(line, end, 1, rules[rule_count].test, sizeof rules[0].test);
        rule_count++;
    }
    ck_assert_uint_gt(rule_count, 60);
}

static rule *find(const char *id, size_t length)
{
    for (size_t i = 0; i < rule_count; i++)
        if (strlen(rules[i].id) == length && strncmp(rules[i].id, id, length) == 0)
            return &rules[i];
    return NULL;
}

START_TEST(every_rule_has_an_id_of_its_own)
{
    for (size_t i = 0; i < rule_count; i++)
        ck_assert_msg(find(rules[i].id, strlen(rules[i].id)) == &rules[i], "%s stands there twice", rules[i].id);
}
END_TEST

START_TEST(every_id_cited_is_a_rule_and_every_rule_is_cited)
{
    for (const char *at = core_text; *at != '\0'; at++) {
        size_t length;
        rule *cited;
        if (!is_id(at, &length))
            continue;
        cited = find(at, length);
        ck_assert_msg(cited != NULL, "%.*s is no rule", (int)length, at);
        cited->is_cited = true;
    }
    for (size_t i = 0; i < rule_count; i++)
        ck_assert_msg(rules[i].is_cited, "%s is cited nowhere", rules[i].id);
}
END_TEST

START_TEST(every_rule_names_a_function_and_a_test_that_exist)
{
    for (size_t i = 0; i < rule_count; i++) {
        char wanted[160];
        snprintf(wanted, sizeof wanted, "%s(", rules[i].function);
        ck_assert_msg(strstr(core_text, wanted) != NULL, "%s: no function %s", rules[i].id, rules[i].function);
        snprintf(wanted, sizeof wanted, "START_TEST(%s)", rules[i].test);
        ck_assert_msg(strstr(test_text, wanted) != NULL, "%s: no test %s", rules[i].id, rules[i].test);
    }
}
END_TEST

/* --- the state table of README.md -------------------------------------------------------------------------------- */

enum { PHASE, EVENT, GUARD, NEXT, REASON, CELLS };

static void read_cells(const char *line, char cell[CELLS][128])
{
    for (int i = 0; i < CELLS; i++) {
        const char *end = strchr(line + 1, '|');
        ck_assert_ptr_nonnull(end);
        snprintf(cell[i], 128, "%.*s", (int)(end - line - 1), line + 1);
        line = end;
    }
}

/* "unhealthy, absent" names `word`; "any" names every phase that is not absent. */
static bool names(const char *cell, const char *word)
{
    size_t length = strlen(word);

    if (strcmp(cell, " any ") == 0)
        return strcmp(word, "absent") != 0;
    for (const char *at = cell; *at != '\0'; at += strcspn(at, ", "), at += strspn(at, ", "))
        if (strncmp(at, word, length) == 0 && strchr(", ", at[length]) != NULL)
            return true;
    return false;
}

static const char *const phase_names[] = {"absent", "counting", "unhealthy", "recovering"};

/* Rows of README.md that tell of this change; `next` NULL: to whatever phase. */
static unsigned told(const char *text, const char *phase, const char *reason, const char *next)
{
    char cell[CELLS][128];
    unsigned count = 0;

    for (const char *line = strstr(text, "| phase | event |"); *line == '|'; line = strchr(line, '\n') + 1) {
        read_cells(line, cell);
        count += names(cell[PHASE], phase) && names(cell[REASON], reason) && (next == NULL || names(cell[NEXT], next));
    }
    return count;
}

/* The tests that the published hedging specification lists (§15), under the names it gives them. */
START_TEST(every_test_of_the_hedging_specification_exists)
{
    static const char *const names[] = {
        "should_hedge_read_multi_region",
        "should_hedge_read_single_region",
        "should_hedge_excluded_to_one_region",
        "should_hedge_no_preferred_regions",
        "should_hedge_write_never",
        "should_hedge_non_document",
        "should_hedge_disabled_override",
        "is_final_result_success",
        "is_final_result_conflict",
        "is_final_result_503",
        "is_final_result_404_0",
        "is_final_result_404_1002",
        "is_final_result_429",
        "hedge_threshold_rejects_zero",
        "hedge_threshold_accepts_positive",
        "alternate_region_pin_excludes_primary",
        "alternate_region_pin_unions_user_excludes",
        "exclude_regions_honored_by_every_retry_trigger",
        "app_cancel_preserves_hedge_diagnostics",
        "record_hedge_win_increments_ppcb_counter",
        "primary_win_resets_hedge_win_counter",
        "zero_overhead_happy_path_no_allocs",
        "shared_hub_region_latch_initialized_when_eligible",
        "shared_hub_region_latch_none_on_zero_overhead_happy_path",
        "shared_hub_region_latch_none_on_multi_master_or_metadata",
        "shared_hub_region_latch_propagates_first_1002_across_hedges",
        "shared_hub_region_latch_no_1002_emits_no_header",
        "hedging_read_primary_slow",
        "hedging_read_primary_fast",
        "hedging_read_primary_503",
        "hedging_read_both_regions_slow",
        "hedging_write_not_hedged",
        "hedging_disabled_per_operation",
        "hedging_respects_deadline",
        "hedging_with_ppcb_existing_failures",
        "hedging_cancels_loser",
        "hedging_failback_to_primary",
        "hedging_exclude_regions_under_503_retry",
        "hedging_alternate_wins_trip_ppcb",
        "hedging_hub_region_header_propagates_across_hedges",
        "hedging_read_cross_region",
        "hedging_ppcb_feedback_cross_region",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char wanted[160];
        snprintf(wanted, sizeof wanted, "START_TEST(%s)", names[i]);
        ck_assert_msg(strstr(test_text, wanted) != NULL, "no test %s", names[i]);
    }
}
END_TEST

START_TEST(the_state_table_of_the_readme_is_that_of_the_code)
{
    static char text[TEXT_MAX];
    size_t rows;
    const rgni_state_row *table = rgni_state_table(&rows);

    read_file(SOURCE_ROOT "/core/README.md", text, sizeof text);
    for (size_t i = 0; i < rows; i++)
        ck_assert_msg(told(text, phase_names[table[i].before], rgn_reason_name((rgn_reason)table[i].reason),
                           phase_names[table[i].after]) > 0,
                      "not in README.md: %s, %s, %s", phase_names[table[i].before],
                      rgn_reason_name((rgn_reason)table[i].reason), phase_names[table[i].after]);
    for (unsigned phase = 0; phase < 4; phase++)
        for (unsigned reason = 1; reason <= UINT8_MAX; reason++) {
            bool is_in_code = false;
            for (size_t i = 0; i < rows; i++)
                is_in_code = is_in_code || (table[i].before == phase && table[i].reason == reason);
            ck_assert_msg(is_in_code || told(text, phase_names[phase], rgn_reason_name((rgn_reason)reason), NULL) == 0,
                          "only in README.md: %s, %s", phase_names[phase], rgn_reason_name((rgn_reason)reason));
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rules");
    TCase *tc = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_checked_fixture(tc, load, NULL);
    tcase_add_test(tc, every_rule_has_an_id_of_its_own);
    tcase_add_test(tc, every_id_cited_is_a_rule_and_every_rule_is_cited);
    tcase_add_test(tc, every_rule_names_a_function_and_a_test_that_exist);
    tcase_add_test(tc, every_test_of_the_hedging_specification_exists);
    tcase_add_test(tc, the_state_table_of_the_readme_is_that_of_the_code);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
