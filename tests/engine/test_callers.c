/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients with few operations in flight at a time, and applications that try again, in both loops. A read takes 2 ms
 * there and back and 10 ms in its region. Runs in the source folder. */
#include "play.h"

#define MS RGN_NS_PER_MS
enum { TEXT_SIZE = 2048, ENDED_MAX = 8 };

static const char *const head = "regionsim: 1\n"
                                "scenario: callers\n"
                                "duration: 200 ms\n"
                                "account: {writes: multi, regions: [northcentralus]}\n"
                                "network: {round_trip: azure-rtt, local: 2 ms}\n"
                                "service: {read: {constant: 10 ms}, write: {constant: 10 ms}}\n";
#define CLIENTS(more) "clients: {chicago: {home: northcentralus, preferred: [northcentralus]" more "}}\n"
#define WORKLOAD(until, more)                                                                                     \
    "workload: {shop: {rate: {step: {0: 1000 /s, " until ": 0 /s}}, arrivals: constant, partitions: {count: 1}, " \
    "operations: {read: 100 %}, options: {retry: {max_failover_retry_count: 0}}" more "}}\n"
#define SICK                                                                                                         \
    "faults: {sick: {until: 20 ms, where: {regions: [northcentralus]}, errors: {statuses: {503: 100 %}, share: 100 " \
    "%}}}\n"

typedef struct {
    const char *text;
    size_t count;
    struct {
        int64_t start_ms, end_ms;
        unsigned status;
    } ended[ENDED_MAX]; /* in the order of their ends */
    uint64_t tries_again;
} caller_case;

static const caller_case cases[] = {
    /* Two at a time: the third starts when the first has ended, and has waited since it was due. */
    {CLIENTS(", concurrency: 2") WORKLOAD("5 ms", ""),
     5,
     {{0, 12, 200}, {1, 13, 200}, {2, 24, 200}, {3, 25, 200}, {4, 36, 200}},
     0},
    {CLIENTS(", concurrency: 4") WORKLOAD("5 ms", ""),
     5,
     {{0, 12, 200}, {1, 13, 200}, {2, 14, 200}, {3, 15, 200}, {4, 24, 200}},
     0},
    {CLIENTS(", concurrency: 5") WORKLOAD("5 ms", ""),
     5,
     {{0, 12, 200}, {1, 13, 200}, {2, 14, 200}, {3, 15, 200}, {4, 16, 200}},
     0},
    /* The application's patience began when the operation was due. */
    {CLIENTS(", concurrency: 1") WORKLOAD("2 ms", ", gives_up: {share: 100 %, after: 14 ms}"),
     2,
     {{0, 12, 200}, {1, 15, 0}},
     0},
    {CLIENTS(", concurrency: 1") WORKLOAD("2 ms", ", gives_up: {share: 100 %, after: 8 ms}"),
     2,
     {{0, 8, 0}, {1, 9, 0}},
     0},
    /* Its deadline begins with its start. */
    {CLIENTS(", concurrency: 1") WORKLOAD("2 ms", ", deadline: 15 ms"), 2, {{0, 12, 200}, {1, 24, 200}}, 0},
    /* Errors at 12 ms and, 4 ms later, at 28 ms; 8 ms after that all is well. */
    {CLIENTS(", tries_again: {count: 3, delay: 4 ms, factor: 2}") WORKLOAD("1 ms", "") SICK,
     3,
     {{0, 12, 503}, {16, 28, 503}, {36, 48, 200}},
     2},
    {CLIENTS(", tries_again: {count: 1, delay: 4 ms}") WORKLOAD("1 ms", "") SICK, 2, {{0, 12, 503}, {16, 28, 503}}, 1},
    /* A new try has to wait for a place like any other. */
    {CLIENTS(", concurrency: 1, tries_again: {count: 1, delay: 0}") WORKLOAD("2 ms", "") SICK,
     4,
     {{0, 12, 503}, {1, 24, 503}, {12, 36, 200}, {24, 48, 200}},
     2},
    /* Nobody tries again after the end of the run. */
    {CLIENTS(", tries_again: {count: 1, delay: 188 ms}") WORKLOAD("1 ms", "") SICK, 1, {{0, 12, 503}}, 0},
    {CLIENTS(", tries_again: {count: 1, delay: 187 ms}") WORKLOAD("1 ms", "") SICK,
     2,
     {{0, 12, 503}, {199, 211, 200}},
     1},
};

static void check_case(const caller_case *one, sim_mode mode)
{
    char text[TEXT_SIZE];
    play self = {.count = 0};
    sim_observer observer = deaf_observer(&self);
    sim_run_output output;
    observer.ended = on_ended;
    snprintf(text, sizeof text, "%s%s", head, one->text);
    run_text(text, mode, &observer, &output);
    ck_assert_uint_eq(self.count, one->count);
    for (size_t i = 0; i < one->count; i++) {
        ck_assert_int_eq(self.ended[i].start / MS, one->ended[i].start_ms);
        ck_assert_int_eq(self.ended[i].end / MS, one->ended[i].end_ms);
        ck_assert_uint_eq(sim_ended_status(&self.ended[i]), one->ended[i].status);
    }
    ck_assert_uint_eq(output.tries_again, one->tries_again);
    sim_run_output_deinit(&output);
}

START_TEST(operations_wait_for_a_place_and_are_made_anew)
{
    check_case(&cases[_i], SIM_MODE_FAST);
    check_case(&cases[_i], SIM_MODE_REFERENCE);
}
END_TEST

/* What is made anew is what it was: no breaker covers metadata, a new try of it neither. */
static void check_form(const char *form, unsigned flag, sim_mode mode)
{
    char text[TEXT_SIZE];
    play self = {.count = 0};
    sim_observer observer = deaf_observer(&self);
    sim_run_output output;
    observer.ended = on_ended;
    snprintf(
        text, sizeof text,
        "%s" CLIENTS(", tries_again: {count: 1, delay: 4 ms}") "workload: {shop: {rate: {step: {0: 1000 /s, "
                                                               "1 ms: 0 /s}}, arrivals: constant, partitions: {count: "
                                                               "1}, operations: {%s: 100 %%}, "
                                                               "options: {retry: {max_failover_retry_count: 0}}}}\n%s",
        head, form, SICK);
    run_text(text, mode, &observer, &output);
    ck_assert_uint_eq(output.tries_again, 1);
    ck_assert_uint_eq(self.count, 2);
    for (size_t i = 0; i < self.count; i++)
        ck_assert_uint_eq(self.ended[i].flags & (SIM_ENDED_FEED | SIM_ENDED_METADATA), flag);
    sim_run_output_deinit(&output);
}

START_TEST(operations_made_anew_keep_their_kind)
{
    for (sim_mode mode = SIM_MODE_FAST; mode <= SIM_MODE_REFERENCE; mode++) {
        check_form("read", 0, mode);
        check_form("feed", SIM_ENDED_FEED, mode);
        check_form("metadata", SIM_ENDED_METADATA, mode);
        check_form("write", 0, mode);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("callers");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, operations_wait_for_a_place_and_are_made_anew, 0, sizeof cases / sizeof *cases);
    tcase_add_test(all, operations_made_anew_keep_their_kind);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
