/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common random numbers, end to end: what a policy cannot change, and that a wrong timer cannot hide.
 * Runs in the source folder. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "deaf_observer.h"

enum { OPERATIONS_MAX = 260000 };

typedef struct {
    sim_run_output output;
    sim_ended *ended; /* by ordinal's place: workload 0 only holds them all in order of n */
    uint64_t count;
    uint64_t canaries[4]; /* by rgn_evidence */
    uint64_t retried;     /* operations retried after a failed canary */
} play;

static void keep(void *context, const sim_ended *batch, size_t count)
{
    play *self = context;
    for (size_t i = 0; i < count; i++) {
        const uint64_t n = batch[i].ordinal & ((UINT64_C(1) << 30) - 1);
        const uint64_t place = (batch[i].ordinal >> 30) * (OPERATIONS_MAX / 2) + n;
        if (place >= OPERATIONS_MAX || self->ended[place].end != 0)
            ck_abort_msg("operation %llu ended twice, or there are too many", (unsigned long long)place);
        self->ended[place] = batch[i];
        self->retried += (batch[i].flags & SIM_ENDED_CANARY) != 0 && batch[i].canary_retry >= 0;
        self->count++;
    }
}

static void count_canary(void *context, const sim_canary *canary)
{
    play *self = context;
    self->canaries[canary->evidence]++;
}

static play run(const char *scenario_path, const char *policy_name, sim_mode mode, int64_t planted_delay)
{
    sim_input_error error = {.message = ""};
    sim_scenario *scenario = sim_scenario_load(scenario_path, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    sim_policy *policy = sim_policy_load(policy_name, "scenarios/flagship.yaml", NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%s", error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    rgn_effective_options clients;
    rgn_effective_options workloads[SIM_WORKLOADS_MAX];
    ck_assert(sim_effective_options(scenario, policy, NULL, NULL, &clients, &error));
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        ck_assert(sim_effective_options(scenario, policy, &scenario->workload[w], NULL, &workloads[w], &error));
    const sim_luck luck = {.seed = 11, .replication = 2};
    play self = {.ended = calloc(OPERATIONS_MAX, sizeof *self.ended)};
    ck_assert_ptr_nonnull(self.ended);
    sim_observer observer = deaf_observer(&self);
    observer.ended = keep;
    observer.canary = count_canary;
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &clients,
                                 .workload_options = workloads,
                                 .luck = luck,
                                 .mode = mode,
                                 .observer = &observer,
                                 .world_run = sim_world_run_create(world, &luck),
                                 .planted_timer_delay = planted_delay};
    ck_assert_ptr_nonnull(input.world_run);
    const char *what;
    ck_assert_int_eq(sim_run(&input, &self.output, &what), SIM_RUN_OK);
    ck_assert_uint_eq(self.output.operations, self.count);
    sim_world_run_destroy(input.world_run);
    sim_world_destroy(world);
    sim_policy_destroy(policy);
    sim_scenario_destroy(scenario);
    return self;
}

static void end(play *self)
{
    sim_run_output_deinit(&self->output);
    free(self->ended);
}

static bool is_equal(const sim_digest *a, const sim_digest *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Arrivals, clients, partitions and kinds are the same, operation by operation; so is the whole of an operation that
 * needed one visit to the same region under both policies: its latency and its outcome are the visit's. */
START_TEST(switching_the_policy_leaves_all_luck_as_it_was)
{
    static const char *const scenarios[] = {"tests/determinism/mixed.yaml", "tests/determinism/ties.yaml"};
    play a = run(scenarios[_i], "success-rate-due", SIM_MODE_FAST, 0);
    play b = run(scenarios[_i], "shipped-rust", SIM_MODE_FAST, 0);
    ck_assert(is_equal(&a.output.luck, &b.output.luck));
    ck_assert(!is_equal(&a.output.behaviour, &b.output.behaviour));
    ck_assert_uint_eq(a.count, b.count);
    uint64_t same_visit = 0;
    uint64_t other_region = 0;
    for (uint64_t i = 0; i < OPERATIONS_MAX; i++) {
        const sim_ended *x = &a.ended[i];
        const sim_ended *y = &b.ended[i];
        if (x->start != y->start || x->ordinal != y->ordinal || x->client != y->client ||
            x->partition != y->partition || x->kind != y->kind)
            ck_abort_msg("operation %llu is another under the other policy", (unsigned long long)i);
        other_region += x->first_region != y->first_region;
        if (x->legs != 1 || y->legs != 1 || x->first_region != y->first_region ||
            sim_ended_reason(x) != sim_ended_reason(y))
            continue;
        same_visit++;
        if (x->end != y->end || sim_ended_status(x) != sim_ended_status(y))
            ck_abort_msg("operation %llu: the same visit went otherwise", (unsigned long long)i);
    }
    ck_assert_uint_gt(same_visit, a.count / 2);
    ck_assert_uint_gt(other_region, 1000); /* the policies did differ */
    end(&a);
    end(&b);
}
END_TEST

START_TEST(both_event_loops_behave_alike)
{
    static const char *const scenarios[] = {"tests/determinism/mixed.yaml", "tests/determinism/ties.yaml"};
    play fast = run(scenarios[_i], "success-rate-due", SIM_MODE_FAST, 0);
    play reference = run(scenarios[_i], "success-rate-due", SIM_MODE_REFERENCE, 0);
    ck_assert(is_equal(&fast.output.behaviour, &reference.output.behaviour));
    ck_assert_int_eq(memcmp(fast.output.checkpoint, reference.output.checkpoint, sizeof fast.output.checkpoint), 0);
    end(&fast);
    end(&reference);
}
END_TEST

/* A timer that rings one nanosecond late in the fast loop is a fault that the comparison must see. */
START_TEST(a_late_timer_shows_in_the_behaviour_digest)
{
    play late = run("tests/determinism/ties.yaml", "success-rate-due", SIM_MODE_FAST, 1);
    play reference = run("tests/determinism/ties.yaml", "success-rate-due", SIM_MODE_REFERENCE, 0);
    ck_assert(!is_equal(&late.output.behaviour, &reference.output.behaviour));
    ck_assert(is_equal(&late.output.luck, &reference.output.luck));
    end(&late);
    end(&reference);
}
END_TEST

/* The delay that canaries cost counts failed ones only: a throttled canary says nothing and is retried all the same. */
START_TEST(neutral_canaries_are_no_failed_ones)
{
    play self = run("tests/determinism/mixed.yaml", "success-rate-due", SIM_MODE_FAST, 0);
    const uint64_t failed = self.canaries[RGN_EVIDENCE_FAILURE] + self.canaries[RGN_EVIDENCE_TIMEOUT];
    ck_assert_uint_gt(self.canaries[RGN_EVIDENCE_NEUTRAL], 50);
    ck_assert_uint_gt(self.retried, 200);
    ck_assert_uint_le(self.retried, failed);
    end(&self);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("luck");
    TCase *tcase = tcase_create("luck");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, switching_the_policy_leaves_all_luck_as_it_was, 0, 2);
    tcase_add_loop_test(tcase, both_event_loops_behave_alike, 0, 2);
    tcase_add_test(tcase, neutral_canaries_are_no_failed_ones);
    tcase_add_test(tcase, a_late_timer_shows_in_the_behaviour_digest);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
