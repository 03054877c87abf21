/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replication lag and sessions: who has what when, and that nothing else changes for it. Runs in the source folder. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/sessions.h"
#include "deaf_observer.h"

#define MS RGN_NS_PER_MS
#define S  RGN_NS_PER_S

enum { ENDED_MAX = 8192 };

static const char *const world_text =
    "regionsim: 1\n"
    "scenario: sessions\n"
    "duration: 40 s\n"
    "account: {writes: single, regions: [northcentralus, centralus, westus]}\n"
    "network: {round_trip: azure-rtt, local: 2 ms}\n"
    "service: {read: {lognormal: {p50: 5 ms, p99: 30 ms}}, write: {constant: 10 ms}}\n"
    "clients: {seattle: {home: westus, count: 3, preferred: [westus, centralus, northcentralus]}}\n"
    "fleet: {start_spread: 0}\n"
    "workload: {shop: {rate: 100 /s, partitions: {count: 4}, operations: {read: 70 %, write: 30 %}, deadline: 5 s}}\n";

static const char *const constant_lag = "replication: {lag: {constant: 500 ms}}\n";
static const char *const drawn_lag = "replication:\n"
                                     "  lag: {lognormal: {p50: 50 ms, p99: 4 s}}\n"
                                     "  pairs: [{from: northcentralus, to: centralus, lag: {constant: 0}}]\n";

typedef struct {
    sim_scenario *scenario;
    sim_world *world;
    sim_world_run *run;
    sim_luck luck;
} place;

/* Of the next scenario, and its policy. */
static sim_setting setting;
static const char *policy_text = "regionsim: 1\npolicy: p\nhedging: {threshold: 30 ms}\n";

static place open_place(const char *more)
{
    char text[2048];
    sim_input_error error = {.message = ""};
    snprintf(text, sizeof text, "%s%s", world_text, more);
    place self = {.luck = {.seed = 5}};
    self.scenario =
        sim_scenario_parse("scenarios/sessions.yaml", text, strlen(text), &setting, setting.key != NULL, &error);
    ck_assert_msg(self.scenario != NULL, "%d: %s", error.line, error.message);
    self.world = sim_world_create(self.scenario, &error);
    ck_assert_msg(self.world != NULL, "%s", error.message);
    self.run = sim_world_run_create(self.world, &self.luck);
    ck_assert_ptr_nonnull(self.run);
    return self;
}

static void close_place(place *self)
{
    sim_world_run_destroy(self->run);
    sim_world_destroy(self->world);
    sim_scenario_destroy(self->scenario);
}

/* What a region has is never taken away, never from the future, and at most the longest lag old. */
START_TEST(a_region_never_loses_what_it_has)
{
    place at = open_place(drawn_lag);
    const int64_t most = sim_world_lag_max(at.world);
    uint64_t broken = 0;
    uint64_t standing = 0;
    for (uint32_t partition = 0; partition < 4; partition++) {
        int64_t before = INT64_MIN;
        for (int64_t now = 0; now < 200 * S; now += 7 * MS) {
            const int64_t until = sim_world_replicated_until(at.run, &at.luck, partition, 0, 2, now);
            broken += until < before || until > now || until < now - most;
            standing += until == before;
            before = until;
        }
    }
    ck_assert_uint_eq(broken, 0);
    ck_assert_uint_gt(standing, 100); /* where a short lag is followed by a long one */
    ck_assert_int_eq(sim_world_replicated_until(at.run, &at.luck, 0, 0, 1, 3 * S), 3 * S); /* a pair's own lag */
    ck_assert_int_eq(sim_world_replicated_until(at.run, &at.luck, 0, 2, 2, 3 * S), 3 * S); /* its own writes */
    close_place(&at);
}
END_TEST

static bool serve(sim_sessions *sessions, rgn_region region, sim_kind kind, bool is_hub, int64_t arrival,
                  uint16_t *status, uint16_t *substatus)
{
    const sim_attempt attempt = {.region = region, .kind = (uint8_t)kind, .client = 1, .partition = 2};
    return sim_sessions_serve(sessions, 0, 0, &attempt, is_hub, arrival - MS, arrival, status, substatus);
}

/* The boundary at -1, 0, +1 ns: committed at 1 s, half a second later it is there. */
START_TEST(a_lagging_region_answers_404_1002_until_it_has_the_write)
{
    const rgn_response ok = {.status = 200};
    place at = open_place(constant_lag);
    sim_sessions *sessions = sim_sessions_create(at.scenario, at.run, &at.luck, 2);
    ck_assert(sim_sessions_reserve(sessions, 1));
    uint16_t status = 200, substatus = 0;
    sim_sessions_begin(sessions, 0);
    ck_assert(serve(sessions, 0, SIM_KIND_WRITE, false, S, &status, &substatus));
    ck_assert(serve(sessions, 2, SIM_KIND_READ, false, S + 1, &status, &substatus)); /* nobody was told of it yet */
    ck_assert(serve(sessions, 0, SIM_KIND_WRITE, false, S, &status, &substatus));
    sim_sessions_answered(sessions, 0, 0, 1, 2, &ok);
    for (int64_t off = -1; off <= 1; off++) {
        const bool expected = off >= 0;
        status = 200;
        ck_assert_int_eq(serve(sessions, 2, SIM_KIND_READ, false, S + 500 * MS + off, &status, &substatus), expected);
        ck_assert_uint_eq(status, expected ? 200 : 404);
    }
    ck_assert_uint_eq(substatus, 1002);
    ck_assert_uint_eq(sim_sessions_misses(sessions, 0), 1);
    ck_assert(serve(sessions, 0, SIM_KIND_READ, true, S + 1, &status, &substatus));  /* the hub has it at once */
    ck_assert(!serve(sessions, 1, SIM_KIND_READ, true, S + 1, &status, &substatus)); /* who looks for the hub ... */
    ck_assert_uint_eq(status, 403);                                                  /* ... is told that it is not */
    ck_assert_uint_eq(substatus, 3);
    sim_sessions_forget(sessions, 1);
    ck_assert(serve(sessions, 2, SIM_KIND_READ, false, S + 1, &status, &substatus));
    sim_sessions_destroy(sessions);
    close_place(&at);
}
END_TEST

typedef struct {
    sim_ended ended[ENDED_MAX];
    size_t count;
    uint64_t errors, misses, trips;
} heard;

static void on_ended(void *context, const sim_ended *batch, size_t count)
{
    heard *self = context;
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(batch[i].ordinal, ENDED_MAX);
        self->ended[batch[i].ordinal] = batch[i];
        self->errors += (batch[i].flags & SIM_ENDED_ERROR) != 0;
        self->misses += batch[i].session_misses;
    }
    self->count += count;
}

static void on_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    (void)client;
    ((heard *)context)->trips += transition->reason == RGN_REASON_TRIP;
}

static heard *play(const char *more, sim_mode mode, sim_digest *behaviour)
{
    place at = open_place(more);
    sim_input_error error = {.message = ""};
    rgn_effective_options options;
    sim_policy *policy = sim_policy_parse("p.yaml", policy_text, strlen(policy_text), NULL, 0, &error);
    ck_assert_msg(policy != NULL, "%s", error.message);
    ck_assert(sim_effective_options(at.scenario, policy, NULL, NULL, &options, &error));
    heard *self = calloc(1, sizeof *self);
    ck_assert_ptr_nonnull(self);
    sim_observer observer = deaf_observer(self);
    observer.ended = on_ended;
    observer.transition = on_transition;
    const sim_run_input input = {.scenario = at.scenario,
                                 .world = at.world,
                                 .router_options = &options,
                                 .workload_options = &options,
                                 .luck = at.luck,
                                 .mode = mode,
                                 .observer = &observer,
                                 .world_run = at.run};
    sim_run_output output;
    const char *what;
    ck_assert_int_eq(sim_run(&input, &output, &what), SIM_RUN_OK);
    *behaviour = output.behaviour;
    sim_run_output_deinit(&output);
    sim_policy_destroy(policy);
    close_place(&at);
    return self;
}

/* Operations that met no lag are the same as without it, to the nanosecond; and no session fails for good. */
START_TEST(lag_changes_nothing_but_what_it_hits)
{
    sim_digest behaviour;
    heard *without = play("", SIM_MODE_FAST, &behaviour);
    heard *with = play(drawn_lag, SIM_MODE_FAST, &behaviour);
    uint64_t other = 0, untouched = 0;
    ck_assert_uint_eq(without->count, with->count);
    for (size_t i = 0; i < with->count; i++) {
        const sim_ended *a = &without->ended[i];
        const sim_ended *b = &with->ended[i];
        other += a->start != b->start || a->client != b->client || a->partition != b->partition || a->kind != b->kind;
        if (b->session_misses > 0)
            continue;
        untouched++;
        other += a->end != b->end || a->legs != b->legs || sim_ended_status(a) != sim_ended_status(b);
    }
    ck_assert_uint_eq(other, 0);
    ck_assert_uint_gt(untouched, with->count / 2);
    ck_assert_uint_gt(with->misses, 100);
    ck_assert_uint_eq(without->misses, 0);
    ck_assert_uint_eq(with->errors, 0); /* the hub has it all */
    free(without);
    free(with);
}
END_TEST

START_TEST(both_loops_agree_on_sessions)
{
    sim_digest fast, reference;
    free(play(drawn_lag, SIM_MODE_FAST, &fast));
    free(play(drawn_lag, SIM_MODE_REFERENCE, &reference));
    ck_assert_mem_eq(&fast, &reference, sizeof fast);
}
END_TEST

/* A client that may spend 20 units a second sends 20 attempts; the rest wait for the next second. */
START_TEST(a_clients_own_throttle_spreads_its_operations)
{
    sim_digest fast, reference;
    heard *self = play("request_units: {read: 1, write: 1, client_budget: 20}\n", SIM_MODE_FAST, &fast);
    uint64_t served = 0, legs = 0;
    for (size_t i = 0; i < self->count; i++) {
        served += (uint64_t)(self->ended[i].legs - self->ended[i].unserved_legs);
        legs += self->ended[i].legs;
    }
    /* 3 clients and 100 operations a second: 60 units are to be had, for 40 s and the 5 s in which the last ones end.
     */
    ck_assert_uint_le(served, 3 * 20 * 46);
    ck_assert_uint_ge(served, 3 * 20 * 38);
    ck_assert_uint_gt(legs, served);
    free(self);
    free(play("request_units: {read: 1, write: 1, client_budget: 20}\n", SIM_MODE_REFERENCE, &reference));
    ck_assert_mem_eq(&fast, &reference, sizeof fast);
}
END_TEST

/* An answer names the partition, a lost connection does not: only the former can trip one that nobody knew before. */
START_TEST(a_partition_that_is_not_known_is_learnt_from_answers)
{
    static const struct {
        const char *fault;
        bool is_learnt, trips;
    } rows[] = {{"503", false, true}, {"503", true, true}, {"no_reply", false, true}, {"no_reply", true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        sim_digest fast, reference;
        policy_text = "regionsim: 1\npolicy: p\nhedging: {enabled: false}\nretry: {request_timeout: 200 ms}\n";
        snprintf(
            text, sizeof text,
            "faults: {down: {from: 0, where: {regions: [westus]}, errors: {statuses: {%s: 100 %%}, share: 100 %%}}}\n",
            rows[i].fault);
        setting = (sim_setting){"scenario.workload.shop.partition_known",
                                rows[i].is_learnt ? "{read: after_first_response}" : "{read: always}"};
        heard *self = play(text, SIM_MODE_FAST, &fast);
        free(play(text, SIM_MODE_REFERENCE, &reference));
        ck_assert_msg((self->trips > 0) == rows[i].trips, "%s, learnt %d: %llu trips", rows[i].fault, rows[i].is_learnt,
                      (unsigned long long)self->trips);
        ck_assert_mem_eq(&fast, &reference, sizeof fast);
        free(self);
    }
    setting = (sim_setting){NULL, NULL};
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sessions");
    TCase *tc = tcase_create("sessions");
    SRunner *runner = srunner_create(suite);
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_region_never_loses_what_it_has);
    tcase_add_test(tc, a_lagging_region_answers_404_1002_until_it_has_the_write);
    tcase_add_test(tc, lag_changes_nothing_but_what_it_hits);
    tcase_add_test(tc, both_loops_agree_on_sessions);
    tcase_add_test(tc, a_clients_own_throttle_spreads_its_operations);
    tcase_add_test(tc, a_partition_that_is_not_known_is_learnt_from_answers);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
