/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often an operation has gone to a region decides on the luck of its next leg there, and nothing else may: above
 * all not whose slot it has. What others do moves operations to other slots, and changes nothing for them. */
#include <stdlib.h>

#include "play.h"

enum { TEXT_SIZE = 4096, KEPT_MAX = 4096 };

#define HEAD                                                             \
    "regionsim: 1\n"                                                     \
    "scenario: visits\n"                                                 \
    "duration: 20 s\n"                                                   \
    "account: {writes: multi, regions: [centralus, westeurope]}\n"       \
    "network: {round_trip: azure-rtt}\n"                                 \
    "environment: {AZURE_COSMOS_PPCB_READ_FAILURE_THRESHOLD: 1000000}\n" \
    "service: {read: {lognormal: {p50: 2 ms, p99: 400 ms}}, write: {constant: 1 ms}}\n"
#define LOAD "{rate: 30 /s, partitions: {count: 1}, operations: {read: 100 %%}, clients: "
#define BYSTANDERS \
    "  others: {rate: 700 /s, partitions: {count: 9}, operations: {read: 100 %}, clients: [bystanders]}\n"

/* `clients` and `rest`, of a scenario whose operations come back to regions. */
typedef struct {
    const char *clients;
    const char *rest;
    unsigned legs_least; /* that some operation sends */
} visits_case;

static const visits_case cases[] = {
    /* An application tries again soon: the same operation, often in the same slot. */
    {", tries_again: {count: 3, delay: 2 ms}",
     "faults: {sick: {where: {regions: all}, errors: {statuses: {503: 50 %, 408: 50 %}, share: 80 %}}}\n", 3},
    /* The client answers some legs itself: no region hears of them. */
    {"", "request_units: {read: 1, write: 6, client_budget: 20}\n", 3},
};

typedef struct {
    sim_ended ended[KEPT_MAX];
    size_t count;
    unsigned legs_most;
} kept;

static void keep_own(void *context, const sim_ended *batch, size_t count)
{
    kept *self = context;
    for (size_t i = 0; i < count; i++) {
        if (batch[i].workload != 0)
            continue;
        ck_assert_uint_lt(self->count, KEPT_MAX);
        self->ended[self->count++] = batch[i];
        if (batch[i].legs > self->legs_most)
            self->legs_most = batch[i].legs;
    }
}

static kept *play_case(const visits_case *one, const char *others)
{
    char text[TEXT_SIZE];
    kept *self = calloc(1, sizeof *self);
    ck_assert_ptr_nonnull(self);
    sim_observer observer = deaf_observer(self);
    sim_run_output output;
    observer.ended = keep_own;
    snprintf(text, sizeof text,
             HEAD "clients:\n  a: {home: centralus, count: 1, preferred: [centralus, westeurope]%s}\n"
                  "  bystanders: {home: westeurope, count: 3, preferred: [westeurope, centralus]}\n"
                  "workload:\n  asked: " LOAD "[a]}\n%s%s",
             one->clients, others, one->rest);
    run_text(text, SIM_MODE_FAST, &observer, &output);
    sim_run_output_deinit(&output);
    return self;
}

START_TEST(visits_are_an_operations_own)
{
    kept *alone = play_case(&cases[_i], "");
    kept *among = play_case(&cases[_i], BYSTANDERS);
    ck_assert_uint_ge(alone->legs_most, cases[_i].legs_least);
    ck_assert_uint_gt(alone->count, 300);
    ck_assert_uint_eq(alone->count, among->count);
    for (size_t i = 0; i < alone->count; i++) {
        const sim_ended *one = &alone->ended[i], *other = &among->ended[i];
        ck_assert_uint_eq(one->ordinal, other->ordinal);
        ck_assert_int_eq(one->start, other->start);
        ck_assert_int_eq(one->end, other->end);
        ck_assert_uint_eq(one->outcome, other->outcome);
        ck_assert_uint_eq(one->legs, other->legs);
    }
    free(alone);
    free(among);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("visits");
    TCase *tcase = tcase_create("visits");
    tcase_add_loop_test(tcase, visits_are_an_operations_own, 0, sizeof cases / sizeof *cases);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
