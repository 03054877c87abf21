/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients and an account that changes, in both loops: what a client does not know yet, how it learns of it, and what
 * its operations meet until then. Runs in the source folder. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "deaf_observer.h"

#define MS RGN_NS_PER_MS
#define S  RGN_NS_PER_S

enum { ENDED_MAX = 16384, STRATEGIES_MAX = 16 };
enum { CHICAGO = 0, SEATTLE = 1, VIRGINIA = 2 };

/* One client; reads and writes take 10 ms in a region. %s: the account's flags, the duration. */
static const char *const head =
    "regionsim: 1\n"
    "scenario: control\n"
    "account: {%s, regions: [northcentralus, westus, eastus2]}\n"
    "network: {round_trip: azure-rtt, local: 2 ms}\n"
    "service: {read: {constant: 10 ms}, write: {constant: 10 ms}}\n"
    "clients: {chicago: {home: northcentralus, preferred: [northcentralus, westus, eastus2]}}\n"
    "fleet: {start_spread: 0}\n";

typedef struct {
    int64_t at;
    bool is_on;
} strategy_change;

typedef struct {
    sim_ended ended[ENDED_MAX];
    size_t count;
    strategy_change strategy[STRATEGIES_MAX];
    size_t strategies;
    size_t transitions;
    sim_run_output output;
} play;

static void on_ended(void *context, const sim_ended *batch, size_t count)
{
    play *self = context;
    ck_assert_uint_le(self->count + count, ENDED_MAX);
    memcpy(self->ended + self->count, batch, count * sizeof *batch);
    self->count += count;
}

static void on_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    (void)client;
    ((play *)context)->transitions += transition->reason == RGN_REASON_TRIP;
}

static void on_strategy(void *context, uint32_t client, bool is_on, int64_t at)
{
    play *self = context;
    ck_assert_uint_eq(client, 0);
    ck_assert_uint_lt(self->strategies, STRATEGIES_MAX);
    self->strategy[self->strategies++] = (strategy_change){at, is_on};
}

static play *run(const char *account, const char *rest, const char *knobs, sim_mode mode)
{
    char text[4096];
    char policy_text[1024];
    sim_input_error error = {.message = ""};
    const int length = snprintf(text, sizeof text, head, account);
    snprintf(text + length, sizeof text - (size_t)length, "%s", rest);
    snprintf(policy_text, sizeof policy_text, "regionsim: 1\npolicy: plain\n%s", knobs);
    sim_scenario *scenario = sim_scenario_parse("scenarios/control.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%d: %s", error.line, error.message);
    sim_world *world = sim_world_create(scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    rgn_effective_options options;
    rgn_effective_options workload;
    const rgn_environment environment = sim_scenario_environment(scenario);
    sim_policy *policy = sim_policy_parse("plain.yaml", policy_text, strlen(policy_text), NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%d: %s", error.line, error.message);
    ck_assert(sim_effective_options(scenario, policy, NULL, &environment, &options, &error));
    ck_assert(sim_effective_options(scenario, policy, &scenario->workload[0], &environment, &workload, &error));
    const sim_luck luck = {.seed = 3};
    play *self = calloc(1, sizeof *self);
    ck_assert_ptr_nonnull(self);
    sim_world_run *world_run = sim_world_run_create(world, &luck);
    ck_assert_ptr_nonnull(world_run);
    sim_observer observer = deaf_observer(self);
    observer.ended = on_ended;
    observer.transition = on_transition;
    observer.strategy = on_strategy;
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &options,
                                 .workload_options = &workload,
                                 .luck = luck,
                                 .mode = mode,
                                 .observer = &observer,
                                 .world_run = world_run};
    const char *what;
    ck_assert_int_eq(sim_run(&input, &self->output, &what), SIM_RUN_OK);
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

/* Runs in the fast loop what the reference loop confirms. */
static play *run_both(const char *account, const char *rest, const char *knobs)
{
    play *fast = run(account, rest, knobs, SIM_MODE_FAST);
    play *reference = run(account, rest, knobs, SIM_MODE_REFERENCE);
    ck_assert_mem_eq(&fast->output.behaviour, &reference->output.behaviour, sizeof fast->output.behaviour);
    ck_assert_uint_eq(fast->strategies, reference->strategies);
    finish(reference);
    return fast;
}

/* Of the operations that started in [from, until): how many, and of these how many errors, in one leg, last at region.
 */
typedef struct {
    unsigned all, errors, single, at[3];
} tally;

static tally count(const play *self, int64_t from, int64_t until)
{
    tally out = {0};
    for (size_t i = 0; i < self->count; i++) {
        const sim_ended *op = &self->ended[i];
        if (op->start < from || op->start >= until)
            continue;
        out.all++;
        out.errors += (op->flags & SIM_ENDED_ERROR) != 0;
        out.single += op->legs == 1;
        if (sim_ended_region(op) <= VIRGINIA)
            out.at[sim_ended_region(op)]++;
    }
    return out;
}

#define WRITES(duration)       \
    "duration: " duration "\n" \
    "workload: {shop: {rate: 10 /s, arrivals: constant, partitions: {count: 2}, operations: {write: 100 %}}}\n"
#define READS(duration)        \
    "duration: " duration "\n" \
    "workload: {shop: {rate: 10 /s, arrivals: constant, partitions: {count: 2}, operations: {read: 100 %}}}\n"

START_TEST(a_refused_write_makes_the_client_read_the_account)
{
    play *self = run_both("writes: single, read_time: 200 ms",
                          WRITES("2 min") "account_changes: {moved: {at: 60 s, write_region: westus}}\n", "");
    const tally before = count(self, 0, 60 * S - 20 * MS);
    const tally learning = count(self, 60 * S, 62 * S);
    const tally after = count(self, 62 * S, 120 * S);
    ck_assert_uint_eq(before.at[CHICAGO], before.all);
    ck_assert_uint_eq(before.single, before.all);
    ck_assert_uint_lt(learning.single, learning.all); /* refused at first, and then elsewhere */
    ck_assert_uint_gt(learning.single, 0);
    ck_assert_uint_eq(learning.at[SEATTLE], learning.all);
    ck_assert_uint_eq(after.at[SEATTLE], after.all);
    ck_assert_uint_eq(after.single, after.all);
    ck_assert_uint_eq(count(self, 0, 120 * S).errors, 0);
    finish(self);
}
END_TEST

/* Writes have moved, and nobody tells the client where to. */
START_TEST(a_client_learns_nothing_from_a_control_plane_that_fails)
{
    play *self = run_both("writes: single, read_time: 200 ms",
                          WRITES("4 min") "account_changes: {moved: {at: 60 s, write_region: westus}}\n"
                                          "faults: {control: {from: 50 s, until: 150 s, where: {regions: all, "
                                          "operations: [account]}, errors: {statuses: {503: 100 %}, share: 100 %}}}\n",
                          "");
    const tally before = count(self, 0, 60 * S - 20 * MS);
    const tally without = count(self, 60 * S, 110 * S);
    const tally after = count(self, 152 * S, 240 * S);
    ck_assert_uint_eq(before.single, before.all);
    ck_assert_uint_gt(without.all, 490);
    ck_assert_uint_eq(without.errors, without.all);
    ck_assert_uint_eq(after.errors, 0);
    ck_assert_uint_eq(after.single, after.all);
    ck_assert_uint_eq(after.at[SEATTLE], after.all);
    finish(self);
}
END_TEST

START_TEST(automatic_failover_finds_the_partition_where_the_service_has_put_it)
{
    play *self = run_both("automatic_failover: true, failover_after: 20 s, failback_after: 30 s",
                          WRITES("5 min") "faults: {outage: {from: 60 s, until: 120 s, where: {regions: "
                                          "[northcentralus]}, errors: {statuses: {503: 100 %}, share: 100 %}}}\n",
                          "");
    const tally outage = count(self, 60 * S, 74 * S); /* later ones still wait for another try when it is over */
    const tally moved = count(self, 81 * S, 150 * S - 50 * MS);
    const tally home = count(self, 152 * S, 300 * S);
    ck_assert_uint_eq(count(self, 0, 60 * S - 20 * MS).errors, 0);
    ck_assert_uint_eq(outage.errors, outage.all); /* the service has not moved it yet: nobody takes it */
    ck_assert_uint_eq(moved.errors, 0);
    ck_assert_uint_eq(moved.at[SEATTLE], moved.all);
    ck_assert_uint_gt(moved.single, moved.all * 9 / 10);
    ck_assert_uint_eq(home.errors, 0);
    ck_assert_uint_eq(home.at[CHICAGO], home.all);
    ck_assert_uint_gt(home.single, home.all * 9 / 10);
    finish(self);
}
END_TEST

START_TEST(the_switch_is_known_at_the_next_reading_and_not_before)
{
    play *self = run_both("hedging_switch: allow, read_time: 30 ms",
                          READS("20 min") "account_changes:\n"
                                          "  off: {at: 299 s, hedging_switch: forbid}\n"
                                          "  absent: {at: 310 s, hedging_switch: absent}\n"
                                          "  on: {at: 600001 ms, hedging_switch: allow}\n",
                          "hedging: {threshold: 100 ms}\n");
    ck_assert_uint_eq(self->strategies, 3);
    ck_assert_int_eq(self->strategy[0].at, 0);
    ck_assert(self->strategy[0].is_on);
    ck_assert_int_eq(self->strategy[1].at, 300 * S + 30 * MS);
    ck_assert(!self->strategy[1].is_on);
    ck_assert_int_eq(self->strategy[2].at, 900 * S + 30 * MS); /* asked at 600 s, it was not there yet */
    ck_assert(self->strategy[2].is_on);
    finish(self);
}
END_TEST

START_TEST(without_a_strategy_no_operation_hedges_and_those_under_way_finish)
{
    play *self =
        run_both("hedging_switch: allow",
                 READS("80 s") "account_changes: {off: {at: 20 s, every: 40 s, hedging_switch: forbid}, on: "
                               "{at: 40 s, every: 40 s, hedging_switch: allow}}\n"
                               "faults: {slow: {where: {regions: [northcentralus]}, latency: {add: 500 ms}}}\n",
                 "hedging: {threshold: 100 ms}\ngateway: {refresh_interval: 10 s}\nbreaker: {enabled: false}\n");
    const int64_t known = 20 * S + 50 * MS;
    bool is_under_way_seen = false;
    ck_assert_uint_eq(self->strategies, 4); /* at the start, off, on, off */
    for (size_t i = 0; i < self->count; i++) {
        const sim_ended *op = &self->ended[i];
        const bool is_off = (op->start >= known && op->start < known + 20 * S) || op->start >= known + 40 * S;
        ck_assert_uint_eq(op->hedges, is_off ? 0 : 1);
        is_under_way_seen |= op->start < known && op->start + 100 * MS > known;
    }
    ck_assert(is_under_way_seen);
    finish(self);
}
END_TEST

START_TEST(a_region_that_is_gone_sends_its_clients_to_read_the_account)
{
    play *self = run_both("writes: multi",
                          READS("2 min") "account_changes: {cut: {at: 60 s, regions: [westus, eastus2]}}\n", "");
    const tally after = count(self, 62 * S, 120 * S);
    ck_assert_uint_eq(count(self, 0, 120 * S).errors, 0);
    ck_assert_uint_eq(after.at[SEATTLE], after.all);
    ck_assert_uint_eq(after.single, after.all);
    finish(self);
}
END_TEST

START_TEST(a_client_that_starts_anew_reads_the_account_first)
{
    play *self = run_both("hedging_switch: allow, read_time: 20 s",
                          READS("20 min") "account_changes: {off: {at: 299 s, hedging_switch: forbid}}\n"
                                          "restarts: {deploy: {at: 310 s}}\n",
                          "");
    ck_assert_uint_eq(self->strategies, 2); /* what the former process had asked for is not heard any more */
    ck_assert_int_eq(self->strategy[1].at, 310 * S);
    ck_assert(!self->strategy[1].is_on);
    finish(self);
}
END_TEST

START_TEST(the_kill_switch_of_the_environment_beats_what_automatic_failover_brings_along)
{
    static const char *const driver = "routing: {rules: driver}\nhedging: {enabled: false}\n";
    static const char *const rest = READS("60 s") "faults: {outage: {where: {regions: [northcentralus]}, errors: "
                                                  "{statuses: {503: 100 %}, share: 100 %}}}\n";
    char killed[1024];
    snprintf(killed, sizeof killed, "%senvironment: {AZURE_COSMOS_PPCB_ENABLED_OVERRIDE: \"false\"}\n", rest);
    play *self = run_both("automatic_failover: true", rest, driver);
    ck_assert_uint_gt(self->transitions, 0);
    finish(self);
    self = run_both("automatic_failover: true", killed, driver);
    ck_assert_uint_eq(self->transitions, 0);
    finish(self);
}
END_TEST

START_TEST(a_restart_reads_the_overrides_of_the_environment_again)
{
    play *self =
        run_both("writes: multi",
                 READS("60 s") "faults: {slow: {where: {regions: [northcentralus]}, latency: {add: 500 ms}}}\n"
                               "restarts:\n"
                               "  a-off: {at: 20 s, environment: {AZURE_COSMOS_HEDGING_ENABLED_OVERRIDE: \"false\"}}\n"
                               "  b-same: {at: 30 s}\n"
                               "  c-on: {at: 40 s, environment: {AZURE_COSMOS_HEDGING_ENABLED_OVERRIDE: \"true\"}}\n",
                 "hedging: {threshold: 100 ms}\nbreaker: {enabled: false}\n");
    for (size_t i = 0; i < self->count; i++) {
        const sim_ended *op = &self->ended[i];
        const bool is_off = op->start >= 20 * S && op->start < 40 * S;
        const bool was_cut = (op->flags & SIM_ENDED_ABANDONED) != 0;
        ck_assert(was_cut || op->hedges == (is_off ? 0 : 1));
    }
    finish(self);
}
END_TEST

START_TEST(a_kill_switch_comes_with_a_restart)
{
    play *self =
        run_both("writes: multi",
                 READS("60 s") "faults: {outage: {from: 30 s, where: {regions: [northcentralus]}, errors: "
                               "{statuses: {503: 100 %}, share: 100 %}}}\n"
                               "restarts: {deploy: {at: 20 s, environment: {AZURE_COSMOS_PPCB_ENABLED_OVERRIDE: "
                               "\"false\"}}}\n",
                 "hedging: {enabled: false}\n");
    ck_assert_uint_eq(self->transitions, 0);
    finish(self);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("control");
    TCase *tc = tcase_create("control");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_refused_write_makes_the_client_read_the_account);
    tcase_add_test(tc, a_client_learns_nothing_from_a_control_plane_that_fails);
    tcase_add_test(tc, automatic_failover_finds_the_partition_where_the_service_has_put_it);
    tcase_add_test(tc, the_switch_is_known_at_the_next_reading_and_not_before);
    tcase_add_test(tc, without_a_strategy_no_operation_hedges_and_those_under_way_finish);
    tcase_add_test(tc, a_region_that_is_gone_sends_its_clients_to_read_the_account);
    tcase_add_test(tc, a_client_that_starts_anew_reads_the_account_first);
    tcase_add_test(tc, the_kill_switch_of_the_environment_beats_what_automatic_failover_brings_along);
    tcase_add_test(tc, a_restart_reads_the_overrides_of_the_environment_again);
    tcase_add_test(tc, a_kill_switch_comes_with_a_restart);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
