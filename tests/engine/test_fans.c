/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations with several hedges, in both loops. Runs in the source folder. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "deaf_observer.h"
#include "engine/engine.h"

#define MS RGN_NS_PER_MS

enum { ENDED_MAX = 16384 };

/* Work takes 10 ms, but 4 s in three of the four regions. One client for 3 s: thousands are in flight at once. */
#define WORLD(clients, workload, more) STRUCK_WORLD(clients, workload, "latency: {multiply: 400}", more)
#define STRUCK_WORLD(clients, workload, blow, more)                                                                    \
    "regionsim: 1\n"                                                                                                   \
    "scenario: fans\n"                                                                                                 \
    "duration: 3 s\n"                                                                                                  \
    "account: {writes: multi, regions: [northcentralus, centralus, eastus2, westus]}\n"                                \
    "network: {round_trip: azure-rtt, local: 2 ms}\n"                                                                  \
    "service: {read: {constant: 10 ms}, write: {constant: 10 ms}}\n"                                                   \
    "clients: {chicago: {home: northcentralus, preferred: [northcentralus, centralus, eastus2, westus]" clients "}}\n" \
    "workload: {shop: {rate: 3000 /s, partitions: {count: 8}, " workload "}}\n"                                        \
    "faults: {slow: {where: {regions: [northcentralus, centralus, eastus2]}, " blow "}}\n" more
#define HALVES "operations: {read: 50 %, write: 50 %}"

typedef struct {
    sim_ended ended[ENDED_MAX];
    size_t count;
    sim_run_output output;
} play;

static void on_ended(void *context, const sim_ended *batch, size_t count)
{
    play *self = context;
    ck_assert_uint_le(self->count + count, ENDED_MAX);
    memcpy(self->ended + self->count, batch, count * sizeof *batch);
    self->count += count;
}

static play *run(const char *text, const char *hedging, sim_mode mode)
{
    char policy_text[512];
    sim_input_error error = {.message = ""};
    snprintf(policy_text, sizeof policy_text,
             "regionsim: 1\npolicy: p\nbreaker: {enabled: false}\nhedging: {threshold: 100 ms, %s}\n", hedging);
    sim_scenario *scenario = sim_scenario_parse("scenarios/fans.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    sim_policy *policy = sim_policy_parse("p.yaml", policy_text, strlen(policy_text), NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%d: %s", error.line, error.message);
    rgn_effective_options options, workload;
    ck_assert(sim_effective_options(scenario, policy, NULL, NULL, &options, &error));
    ck_assert(sim_effective_options(scenario, policy, &scenario->workload[0], NULL, &workload, &error));
    const sim_luck luck = {.seed = 3};
    sim_world_run *world_run = sim_world_run_create(world, &luck);
    play *self = calloc(1, sizeof *self);
    ck_assert_ptr_nonnull(self);
    sim_observer observer = deaf_observer(self);
    observer.ended = on_ended;
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &options,
                                 .workload_options = &workload,
                                 .luck = luck,
                                 .mode = mode,
                                 .observer = &observer,
                                 .world_run = world_run};
    const char *what = "";
    ck_assert_msg(sim_run(&input, &self->output, &what) == SIM_RUN_OK, "%s", what);
    sim_world_run_destroy(world_run);
    sim_world_destroy(world);
    sim_policy_destroy(policy);
    sim_scenario_destroy(scenario);
    return self;
}

static void finish(play *self)
{
    sim_run_output_deinit(&self->output);
    free(self);
}

/* Each read is answered by the fourth region after 100 ms, two steps, and what that region takes. */
START_TEST(an_operation_has_as_many_legs_as_it_takes)
{
    play *self = run(WORLD("", HALVES, ""), "max_alternates: 7, threshold_step: 50 ms", SIM_MODE_FAST);
    uint64_t reads = 0;
    for (size_t i = 0; i < self->count; i++) {
        const sim_ended *op = &self->ended[i];
        if (op->kind == SIM_KIND_WRITE) {
            ck_assert_uint_eq(op->legs, 1);
            continue;
        }
        reads++;
        ck_assert_uint_eq(op->hedge, RGN_HEDGE_ALTERNATE_WON);
        ck_assert_uint_eq(op->hedges, 3);
        ck_assert_uint_eq(op->hedge_region, 3);
        ck_assert_uint_eq(sim_ended_region(op), 3);
        ck_assert_uint_eq(op->hedge_cancelled, 3);
        ck_assert_uint_eq(op->legs, 4);
        ck_assert_uint_eq(op->legs - op->unserved_legs, 4);
        ck_assert_int_gt(op->end - op->start, 210 * MS);
        ck_assert_int_lt(op->end - op->start, 300 * MS);
    }
    ck_assert_uint_gt(reads, 4000);
    ck_assert_uint_gt(self->output.peak_pending, 2048); /* so that slots have moved meanwhile, and blocks came */
    finish(self);
}
END_TEST

/* The three legs that are cut would have failed four seconds later: nobody pays for them. */
START_TEST(legs_that_are_cut_are_served_only_if_their_region_would_have_answered)
{
    play *self = run(STRUCK_WORLD("", HALVES, "errors: {statuses: {503: 100 %}, share: 100 %, after: 4 s}", ""),
                     "max_alternates: 7, threshold_step: 50 ms", SIM_MODE_FAST);
    uint64_t reads = 0;
    for (size_t i = 0; i < self->count; i++) {
        const sim_ended *op = &self->ended[i];
        if (op->kind == SIM_KIND_WRITE)
            continue;
        reads++;
        ck_assert_uint_eq(op->legs, 4);
        ck_assert_uint_eq(op->hedge_cancelled, 3);
        ck_assert_uint_eq(op->legs - op->unserved_legs, 1);
    }
    ck_assert_uint_gt(reads, 4000);
    finish(self);
}
END_TEST

START_TEST(a_write_is_hedged_where_that_is_asked_for)
{
    play *self = run(WORLD("", HALVES, ""), "max_alternates: 7, threshold_step: 50 ms, writes: true", SIM_MODE_FAST);
    uint64_t writes = 0;
    for (size_t i = 0; i < self->count; i++) {
        writes += self->ended[i].kind == SIM_KIND_WRITE;
        ck_assert_uint_eq(self->ended[i].hedges, 3);
    }
    ck_assert_uint_gt(writes, 4000);
    finish(self);
}
END_TEST

#define LIMITS  ": {servers: 40, queue: 60, busy: {read: {constant: 15 ms}, write: {constant: 15 ms}}"
#define RESTART "restarts: {deploy: {at: 1500 ms, stagger: 0, clients: [chicago]}}\n"

static const struct {
    const char *text, *hedging;
} worlds[] = {
    {WORLD("", HALVES, ""), "max_alternates: 7, threshold_step: 50 ms, writes: true"},
    {WORLD("", HALVES, ""), "max_alternates: 2, threshold_step: 0"},
    {WORLD("", HALVES, ""), "max_alternates: 3, threshold_step: 10 ms, leg_exclusions: replace"},
    {WORLD("", HALVES, "replication: {lag: {constant: 500 ms}}\n"),
     "max_alternates: 7, threshold_step: 20 ms, writes: true"},
    /* Legs wait at stations, of which some hear that they are cut, while the client starts anew ... */
    {WORLD("", HALVES, "capacity: {westus" LIMITS ", cancel_reaches_server: true}, eastus2" LIMITS "}}\n" RESTART),
     "max_alternates: 7, threshold_step: 20 ms, writes: true"},
    /* ... and their operations have waited, come again, and are of metadata. */
    {WORLD(", concurrency: 1000, tries_again: {count: 2, delay: 30 ms}",
           "operations: {read: 40 %, feed: 20 %, metadata: 40 %}, deadline: 200 ms",
           "capacity: {westus" LIMITS "}}\n" RESTART),
     "max_alternates: 3, threshold_step: 0, early_transient: launch, operations: feeds_and_metadata, "
     "budget_metadata: 100"},
};

static uint64_t count_turned_away(const sim_run_output *output)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < output->stations.pieces * output->stations.regions; i++)
        sum += output->stations.row[i].turned_away;
    return sum;
}

START_TEST(both_loops_agree_on_several_hedges)
{
    play *fast = run(worlds[_i].text, worlds[_i].hedging, SIM_MODE_FAST);
    play *reference = run(worlds[_i].text, worlds[_i].hedging, SIM_MODE_REFERENCE);
    ck_assert_mem_eq(&fast->output.behaviour, &reference->output.behaviour, sizeof fast->output.behaviour);
    ck_assert_uint_gt(fast->output.legs, fast->output.operations * 5 / 4);
    ck_assert_uint_eq(fast->output.tries_again > 0, strstr(worlds[_i].text, "tries_again") != NULL);
    ck_assert_uint_eq(count_turned_away(&fast->output) > 0, strstr(worlds[_i].text, "capacity") != NULL);
    finish(fast);
    finish(reference);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fans");
    TCase *tc = tcase_create("fans");
    SRunner *runner = srunner_create(suite);
    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, an_operation_has_as_many_legs_as_it_takes);
    tcase_add_test(tc, legs_that_are_cut_are_served_only_if_their_region_would_have_answered);
    tcase_add_test(tc, a_write_is_hedged_where_that_is_asked_for);
    tcase_add_loop_test(tc, both_loops_agree_on_several_hedges, 0, (int)(sizeof worlds / sizeof *worlds));
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
