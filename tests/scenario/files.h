/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where this suite finds its files, and short ways to load texts. */
#ifndef TEST_SCENARIO_FILES_H
#define TEST_SCENARIO_FILES_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

#ifndef SOURCE_ROOT
#define SOURCE_ROOT "."
#endif

#define BAD_FOLDER SOURCE_ROOT "/tests/scenario/bad/"
#define FLAGSHIP   SOURCE_ROOT "/scenarios/flagship.yaml"

/* A scenario with nothing but what is required. */
#define MINIMAL                                                                \
    "regionsim: 1\n"                                                           \
    "scenario: minimal\n"                                                      \
    "duration: 10 min\n"                                                       \
    "account: {regions: [northcentralus, westus]}\n"                           \
    "network: {round_trip: azure-rtt}\n"                                       \
    "service: {read: {constant: 2 ms}, write: {constant: 5 ms}}\n"             \
    "clients:\n"                                                               \
    "  chicago: {home: northcentralus, preferred: [northcentralus, westus]}\n" \
    "workload:\n"                                                              \
    "  shop: {rate: 100 /s, partitions: {count: 4}, operations: {read: 100 %}}\n"

/* Loads or fails the test with the error's text. */
static inline sim_scenario *parse_or_fail(const char *text, const sim_setting *settings, size_t count)
{
    sim_input_error error;
    sim_scenario *scenario = sim_scenario_parse("test.yaml", text, strlen(text), settings, count, &error);
    ck_assert_msg(scenario != NULL, "line %d: %s", error.line, error.message);
    return scenario;
}

static inline sim_scenario *load_or_fail(const char *path)
{
    sim_input_error error;
    sim_scenario *scenario = sim_scenario_load(path, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s:%d: %s", path, error.line, error.message);
    return scenario;
}

/* Runs one suite; the exit status of its program. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
