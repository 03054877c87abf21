/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a machine can hold, at the boundary. */
#include <check.h>
#include <string.h>
#include <unistd.h>

#include "cli/memory.h"
#include "engine/engine.h"

static sim_scenario small = {.name = "small", .client_count = 10, .partition_count = 10, .region_count = 1};
static sim_scenario large = {.name = "large", .client_count = 100000, .partition_count = 1000, .region_count = 1};

static char said[1024];

/* Whether it fits; what is said otherwise is in `said`. */
static bool fits(unsigned jobs, uint32_t replications, uint64_t machine)
{
    const sim_scenario *const scenarios[] = {&small, &large};
    const sim_store_plan plan = {
        .replications = replications, .scenario_count = 2, .scenario = scenarios, .policy_count = 1};
    FILE *capture = tmpfile();
    ck_assert_ptr_nonnull(capture);
    (void)fflush(stderr);
    const int before = dup(STDERR_FILENO);
    ck_assert_int_ge(dup2(fileno(capture), STDERR_FILENO), 0);
    const bool answer = cli_fits_memory(&plan, jobs, machine);
    (void)fflush(stderr);
    ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
    (void)close(before);
    rewind(capture);
    said[fread(said, 1, sizeof said - 1, capture)] = '\0';
    (void)fclose(capture);
    return answer;
}

START_TEST(what_fits_exactly_is_run_and_a_byte_less_is_refused)
{
    const uint64_t one = sim_run_memory_estimate(&large);
    ck_assert_uint_gt(one, sim_run_memory_estimate(&small));
    ck_assert(fits(1, 5, one));
    ck_assert_str_eq(said, "");
    ck_assert(!fits(1, 5, one - 1));
    ck_assert(strstr(said, "large: a run may need ") != NULL);
    ck_assert(strstr(said, "expected fewer clients or partitions\n") != NULL);
    ck_assert(strstr(said, "--jobs") == NULL);
    ck_assert(fits(4, 5, 4 * one));
    ck_assert(!fits(4, 5, 4 * one - 1));
    ck_assert(strstr(said, "large: 4 runs at a time may need ") != NULL);
    ck_assert(strstr(said, "expected --jobs 3, or fewer clients or partitions\n") != NULL);
}
END_TEST

START_TEST(no_more_runs_at_a_time_count_than_there_are)
{
    const uint64_t one = sim_run_memory_estimate(&large);
    ck_assert(fits(1024, 1, 2 * one)); /* two scenarios, a run of each */
    ck_assert(!fits(1024, 2, 2 * one));
}
END_TEST

START_TEST(a_machine_that_does_not_say_holds_everything)
{
    ck_assert(fits(1024, 1000, 0));
    ck_assert_uint_gt(cli_machine_memory(), UINT64_C(1) << 24);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *tables = tcase_create("memory");
    tcase_add_test(tables, what_fits_exactly_is_run_and_a_byte_less_is_refused);
    tcase_add_test(tables, no_more_runs_at_a_time_count_than_there_are);
    tcase_add_test(tables, a_machine_that_does_not_say_holds_everything);
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
