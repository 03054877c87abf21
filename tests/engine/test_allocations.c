/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The request path allocates nothing. Once a run is under way, with its metrics and stories listening, only what grows
 * by doubling still asks for memory: tables of partitions that have ever failed. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "engine/stories.h"
#include "metrics/metrics.h"

/* glibc's own, under these: every allocation of the process is counted. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static uint64_t allocations;

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    allocations++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    allocations++;
    *block = __libc_memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

enum { LOOKS_MAX = 64, DOUBLINGS_MAX = 24 };

/* How much had been allocated at each look. A run looks up about every 2^20 events. */
typedef struct {
    unsigned count;
    uint64_t allocations[LOOKS_MAX];
} looks;

static bool look(void *context, int64_t now)
{
    looks *self = context;
    if (now > 0 && self->count < LOOKS_MAX)
        self->allocations[self->count++] = allocations;
    return true;
}

/* 4 million requests of a benchmark. */
static looks run(const char *path)
{
    const sim_setting shorter = {.key = "scenario.duration", .value = "400 s"};
    sim_input_error error = {.message = ""};
    looks seen = {0};
    sim_scenario *scenario = sim_scenario_load(path, &shorter, 1, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    sim_policy *policy = sim_policy_load("success-rate", path, NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%s", error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    const rgn_environment environment = sim_scenario_environment(scenario);
    rgn_effective_options clients;
    rgn_effective_options workloads[SIM_WORKLOADS_MAX];
    ck_assert(sim_effective_options(scenario, policy, NULL, &environment, &clients, &error));
    ck_assert(sim_effective_options(scenario, policy, &scenario->workload[0], &environment, &workloads[0], &error));
    const sim_luck luck = {.seed = 1, .replication = 0};
    sim_world_run *world_run = sim_world_run_create(world, &luck);
    sim_metrics *metrics = sim_metrics_create(scenario, world_run, &clients.values);
    sim_stories *stories = sim_stories_create();
    ck_assert(world_run != NULL && metrics != NULL && stories != NULL);
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &clients,
                                 .workload_options = workloads,
                                 .luck = luck,
                                 .observer = sim_metrics_observer(metrics),
                                 .world_run = world_run,
                                 .stories = stories,
                                 .on_progress = look,
                                 .progress_context = &seen};
    sim_run_output output;
    const char *what;
    ck_assert_int_eq(sim_run(&input, &output, &what), SIM_RUN_OK);
    sim_run_output_deinit(&output);
    sim_story_set sample = sim_stories_finish(stories);
    free(sample.story);
    sim_metrics_destroy(metrics);
    sim_world_run_destroy(world_run);
    sim_world_destroy(world);
    sim_policy_destroy(policy);
    sim_scenario_destroy(scenario);
    return seen;
}

START_TEST(millions_of_events_ask_for_next_to_no_memory)
{
    static const char *const PATHS[] = {"scenarios/bench/healthy.yaml", "scenarios/bench/hedge-storm.yaml",
                                        "scenarios/bench/failover-storm.yaml"};
    const uint64_t before = allocations;
    const looks seen = run(PATHS[_i]);
    ck_assert_uint_ge(seen.count, 4);
    ck_assert_uint_gt(seen.allocations[0], before);
    const uint64_t late = seen.allocations[seen.count - 1] - seen.allocations[0];
    ck_assert_msg(late <= DOUBLINGS_MAX, "%llu allocations in %u million events", (unsigned long long)late,
                  seen.count - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("allocations");
    TCase *path = tcase_create("request path");
    tcase_set_timeout(path, 120);
    tcase_add_loop_test(path, millions_of_events_ask_for_next_to_no_memory, 0, 3);
    suite_add_tcase(suite, path);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
