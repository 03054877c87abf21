/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "world/internal.h"

#define PERCENT (SIM_SHARE_ONE / 100)
#define SEED    UINT64_C(20261129)

static fixture input;

static void set_up(void)
{
    fixture_init(&input);
    input.scenario.group_count = 0; /* nobody measures distances: no table to read a thousand times */
}

/* ---- against brute force ---- */

static bool is_healthy(rgn_region region, sim_kind kind, uint64_t hits, int64_t at)
{
    const sim_severity severity = fixture_severity(&input, region, kind, hits, at);
    return severity.errors <= input.scenario.healthy_errors && severity.multiplier <= input.scenario.healthy_latency &&
           severity.added <= input.scenario.healthy_added;
}

static void disagree(uint64_t seed, const char *what, int64_t at)
{
    ck_abort_msg("seed %llu: %s differs at %lld", (unsigned long long)seed, what, (long long)at);
}

/* Every nanosecond of a time line of a few hundred. */
static void compare_each_ns(uint64_t seed, const sim_world_run *run, rgn_region r, uint32_t p, sim_kind k)
{
    enum { END = 1300 };
    const uint64_t hits = run->scope->hits[p];
    bool healthy[END + 1];
    int64_t since[END + 1];
    bool before = true;
    int64_t last = INT64_MIN;
    for (int64_t at = 0; at <= END; at++) {
        healthy[at] = is_healthy(r, k, hits, at);
        last = healthy[at] != before ? at : last;
        since[at] = last;
        before = healthy[at];
    }
    int64_t unhealthy = 0;
    int64_t next = RGN_TIME_NEVER;
    for (int64_t at = END; at >= 0; at--) {
        if (sim_truth_is_healthy(run, r, p, 0, k, at) != healthy[at])
            disagree(seed, "health", at);
        if (sim_truth_since(run, r, p, 0, k, at) != since[at])
            disagree(seed, "since", at);
        if (sim_truth_next_change(run, r, p, 0, k, at) != next)
            disagree(seed, "next change", at);
        if (sim_truth_unhealthy_ns(run, r, p, 0, k, at, END) != unhealthy)
            disagree(seed, "unhealthy time", at);
        unhealthy += at > 0 && !healthy[at - 1];
        next = since[at] == at ? at : next;
    }
}

START_TEST(truth_is_brute_force_at_every_ns)
{
    for (uint64_t seed = SEED; seed < SEED + 120; seed++) {
        set_up();
        fixture_add_random_faults(&input, seed, 300);
        sim_world_run *run = fixture_run(&input, seed);
        for (rgn_region r = 0; r < 3; r++)
            for (int k = 0; k < SIM_KINDS; k++)
                for (uint32_t p = 0; p < PARTITIONS; p += 27)
                    compare_each_ns(seed, run, r, p, (sim_kind)k);
        fixture_run_destroy(run);
    }
}
END_TEST

/* An hour: brute force at random instants, and around each change. */
static void compare_an_hour(uint64_t seed, const sim_world_run *run, rgn_region r, uint32_t p, sim_kind k)
{
    const uint64_t hits = run->scope->hits[p];
    for (uint64_t i = 0; i < 100; i++) {
        const int64_t at = (int64_t)sim_below(fixture_word(seed, 1000 + i), (uint64_t)(200 * MIN));
        if (sim_truth_is_healthy(run, r, p, 0, k, at) != is_healthy(r, k, hits, at))
            disagree(seed, "health", at);
    }
    int64_t at = sim_truth_next_change(run, r, p, 0, k, -1);
    for (int changes = 0; at != RGN_TIME_NEVER && changes < 100; changes++) {
        if (is_healthy(r, k, hits, at) == is_healthy(r, k, hits, at - 1))
            disagree(seed, "change", at);
        for (int64_t near = at - 20; near <= at + 20; near++)
            if (sim_truth_is_healthy(run, r, p, 0, k, near) != is_healthy(r, k, hits, near))
                disagree(seed, "health near a change", near);
        at = sim_truth_next_change(run, r, p, 0, k, at);
    }
}

START_TEST(truth_is_brute_force_at_random_instants_and_around_changes)
{
    for (uint64_t seed = SEED; seed < SEED + 100; seed++) {
        set_up();
        fixture_add_random_faults(&input, seed, 60 * MIN);
        sim_world_run *run = fixture_run(&input, seed);
        for (rgn_region r = 0; r < 3; r++)
            compare_an_hour(seed, run, r, (uint32_t)(seed % PARTITIONS), (sim_kind)(seed % 2));
        fixture_run_destroy(run);
    }
}
END_TEST

START_TEST(always_healthy_means_no_partition_is_ever_unhealthy)
{
    int found[2] = {0, 0};
    for (uint64_t seed = SEED; seed < SEED + 300; seed++) {
        set_up();
        fixture_add_random_faults(&input, seed, 300);
        sim_world_run *run = fixture_run(&input, seed);
        for (rgn_region r = 0; r < 3; r++) {
            bool is_always = true;
            for (int k = 0; k < SIM_KINDS; k++)
                for (uint32_t p = 0; p < PARTITIONS; p++)
                    is_always &= sim_truth_is_healthy(run, r, p, 0, (sim_kind)k, -1) &&
                                 sim_truth_next_change(run, r, p, 0, (sim_kind)k, -1) == RGN_TIME_NEVER;
            if (sim_truth_is_always_healthy(run, r) != is_always)
                disagree(seed, "always healthy", r);
            found[is_always]++;
        }
        fixture_run_destroy(run);
    }
    ck_assert_int_gt(found[0], 100);
    ck_assert_int_gt(found[1], 100);
}
END_TEST

/* ---- by hand ---- */

static int64_t change_after(const sim_world_run *run, int64_t at)
{
    return sim_truth_next_change(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, at);
}

static bool healthy_at(const sim_world_run *run, int64_t at)
{
    return sim_truth_is_healthy(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, at);
}

START_TEST(flagship_outage_heals_and_relapses_on_the_minute)
{
    static const sim_point share[] = {{0, 100 * PERCENT}, {12 * MIN, 50 * PERCENT}, {18 * MIN, 5 * PERCENT},
                                      {24 * MIN, 0},      {36 * MIN, 60 * PERCENT}, {40 * MIN, 0}};
    sim_fault *fault = fixture_add_fault(&input);
    fault->from = 10 * MIN;
    fault->error_share = (sim_shape){SIM_SHAPE_STEP, 6, share};
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert(healthy_at(run, 10 * MIN - 1));
    ck_assert(!healthy_at(run, 10 * MIN));
    ck_assert_int_eq(change_after(run, 0), 10 * MIN);
    ck_assert_int_eq(change_after(run, 10 * MIN), 28 * MIN);
    ck_assert_int_eq(change_after(run, 28 * MIN), 46 * MIN);
    ck_assert_int_eq(change_after(run, 46 * MIN), 50 * MIN);
    ck_assert_int_eq(change_after(run, 50 * MIN), RGN_TIME_NEVER);
    ck_assert_int_eq(sim_truth_since(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 5 * MIN), INT64_MIN);
    ck_assert_int_eq(sim_truth_since(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 28 * MIN - 1), 10 * MIN);
    ck_assert_int_eq(sim_truth_since(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 28 * MIN), 28 * MIN);
    ck_assert_int_eq(sim_truth_unhealthy_ns(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 0, 60 * MIN), 22 * MIN);
    ck_assert_int_eq(sim_truth_unhealthy_ns(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 9 * MIN, 11 * MIN), MIN);
    ck_assert_int_eq(sim_truth_unhealthy_ns(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 27 * MIN, 47 * MIN), 2 * MIN);
    ck_assert_int_eq(sim_truth_unhealthy_ns(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 30 * MIN, 30 * MIN), 0);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(limits_themselves_are_healthy)
{
    static const struct {
        int64_t share;
        int64_t factor;
        bool want;
    } cases[] = {{10 * PERCENT, 2 * SIM_FACTOR_ONE, true},
                 {10 * PERCENT + 1, 2 * SIM_FACTOR_ONE, false},
                 {10 * PERCENT, 2 * SIM_FACTOR_ONE + 1, false},
                 {10 * PERCENT - 1, 2 * SIM_FACTOR_ONE - 1, true}};
    for (size_t i = 0; i < 4; i++) {
        set_up();
        const sim_point share = {0, cases[i].share};
        const sim_point factor = {0, cases[i].factor};
        sim_fault *fault = fixture_add_fault(&input);
        fault->error_share = (sim_shape){SIM_SHAPE_STEP, 1, &share};
        fault->latency_multiply = (sim_shape){SIM_SHAPE_STEP, 1, &factor};
        sim_world_run *run = fixture_run(&input, 1);
        ck_assert_int_eq(healthy_at(run, S), cases[i].want);
        fixture_run_destroy(run);
    }
}
END_TEST

START_TEST(ramp_crosses_where_its_rounded_value_does)
{
    /* 100 % in 100 s: a ppb takes 100 ns. Falling from above, 10 % and a ppb is last reached at 90 s - 100 ns. */
    static const sim_point falling[] = {{0, 100 * PERCENT}, {100 * S, 0}};
    static const sim_point rising[] = {{0, 0}, {100 * S, 100 * PERCENT}};
    sim_fault *fault = fixture_add_fault(&input);
    fault->error_share = (sim_shape){SIM_SHAPE_RAMP, 2, falling};
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_int_eq(change_after(run, 0), 90 * S - 99);
    fixture_run_destroy(run);
    fault->error_share = (sim_shape){SIM_SHAPE_RAMP, 2, rising};
    run = fixture_run(&input, 1);
    ck_assert_int_eq(change_after(run, 0), 10 * S + 100);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(product_of_a_rise_and_a_fall_may_cross_twice)
{
    /* (1 + x)(2 - x) = 2 + x - x^2 is above 2.16 for 0.2 < x < 0.8. */
    static const sim_point up[] = {{0, 1000000}, {1000 * S, 2000000}};
    static const sim_point down[] = {{0, 2000000}, {1000 * S, 1000000}};
    fixture_add_fault(&input)->latency_multiply = (sim_shape){SIM_SHAPE_RAMP, 2, up};
    fixture_add_fault(&input)->latency_multiply = (sim_shape){SIM_SHAPE_RAMP, 2, down};
    input.scenario.healthy_latency = 2160000;
    sim_world_run *run = fixture_run(&input, 1);
    const int64_t first = change_after(run, 0);
    ck_assert_int_le(llabs(first - 200 * S), 10 * MS);
    const int64_t unhealthy = sim_truth_unhealthy_ns(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 0, 1000 * S);
    ck_assert_int_le(llabs(unhealthy - 600 * S), 20 * MS);
    ck_assert(healthy_at(run, 900 * S));
    fixture_run_destroy(run);
}
END_TEST

/* Two faults hand over: their sum is 10 % throughout, though each is rounded down and a third one cuts the time. */
START_TEST(faults_that_cancel_out_are_no_flicker)
{
    static const sim_point up[] = {{0, 0}, {600 * S + 1, 10 * PERCENT}};
    static const sim_point down[] = {{0, 10 * PERCENT}, {600 * S + 1, 0}};
    static const sim_point nothing[] = {{0, 0}, {123456789, 0}, {333 * S, 0}};
    fixture_add_fault(&input)->error_share = (sim_shape){SIM_SHAPE_RAMP, 2, up};
    fixture_add_fault(&input)->error_share = (sim_shape){SIM_SHAPE_RAMP, 2, down};
    fixture_add_fault(&input)->error_share = (sim_shape){SIM_SHAPE_STEP, 3, nothing};
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_int_eq(change_after(run, -1), RGN_TIME_NEVER);
    ck_assert(healthy_at(run, 300 * S));
    fixture_run_destroy(run);
}
END_TEST

START_TEST(seed_moves_scope_but_not_the_schedule)
{
    static const sim_point share[] = {{0, 50 * PERCENT}};
    sim_fault *fault = fixture_add_fault(&input);
    fault->from = 3 * S;
    fault->until = 9 * S;
    fault->partition_share = 40 * PERCENT;
    fault->error_share = (sim_shape){SIM_SHAPE_STEP, 1, share};
    for (uint64_t seed = 0; seed < 10; seed++) {
        sim_world_run *run = fixture_run(&input, seed);
        int hit = 0;
        for (uint32_t p = 0; p < PARTITIONS; p++) {
            const int64_t change = sim_truth_next_change(run, NORTHCENTRALUS, p, 0, SIM_KIND_READ, 0);
            ck_assert(change == 3 * S || change == RGN_TIME_NEVER);
            hit += change == 3 * S;
        }
        ck_assert_int_gt(hit, 0);
        ck_assert_int_lt(hit, PARTITIONS);
        fixture_run_destroy(run);
    }
}
END_TEST

START_TEST(limit_below_one_makes_the_plain_world_unhealthy)
{
    input.scenario.healthy_latency = SIM_FACTOR_ONE - 1;
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert(!healthy_at(run, 0));
    ck_assert(!sim_truth_is_always_healthy(run, NORTHCENTRALUS));
    ck_assert_int_eq(sim_truth_unhealthy_ns(run, WESTUS, 0, 0, SIM_KIND_READ, 5, 15), 10);
    fixture_run_destroy(run);
}
END_TEST

/* ---- quiet windows ---- */

/* Nothing touches an attempt then whose outcome word is `struck_below` or more. */
static bool is_quiet(rgn_region region, int64_t at, uint64_t struck_below)
{
    for (int k = 0; k < SIM_KINDS; k++) {
        const sim_severity all = fixture_severity(&input, region, (sim_kind)k, UINT64_MAX, at);
        if (all.errors > sim_below(struck_below, SIM_SHARE_ONE))
            return false;
        for (uint32_t f = 0; f < input.scenario.fault_count; f++) {
            const sim_severity one = fixture_severity(&input, region, (sim_kind)k, UINT64_C(1) << f, at);
            if (one.multiplier != SIM_FACTOR_ONE || one.added != 0)
                return false;
        }
    }
    return true;
}

static bool is_in_a_fault(rgn_region region, int64_t at)
{
    for (uint32_t f = 0; f < input.scenario.fault_count; f++)
        if (rgn_region_in(input.fault[f].regions, region) && at >= input.fault[f].from && at < input.fault[f].until)
            return true;
    return false;
}

static bool is_same_fate(sim_fate a, sim_fate b)
{
    return a.end == b.end && a.status == b.status && a.substatus == b.substatus && a.transport == b.transport;
}

/* A run that remembers its windows against one that is made to look again each time. */
static void compare_paths(uint64_t seed, sim_world_run *run, sim_world_run *blank, uint64_t i)
{
    enum { ROUND_TRIP = 11 };
    const rgn_region r = (rgn_region)sim_below(fixture_word(seed, 10 * i), 3);
    const uint32_t p = (uint32_t)sim_below(fixture_word(seed, 10 * i + 1), PARTITIONS);
    const sim_kind k = (sim_kind)sim_below(fixture_word(seed, 10 * i + 2), SIM_KINDS);
    const int64_t sent = (int64_t)sim_below(fixture_word(seed, 10 * i + 3), 700);
    const sim_words luck = {{fixture_word(seed, 10 * i + 4), fixture_word(seed, 10 * i + 5)}};
    const int64_t arrival = sent + ROUND_TRIP / 2;
    blank->quiet[r] = (sim_quiet){.quiet_from = 0, .quiet_until = 0};
    blank->slowed[r] = blank->struck[r] = (sim_steady){0};
    const sim_attempt attempt = {.region = r, .kind = (uint8_t)k, .partition = p};
    const sim_fate fate = sim_world_fate(run, ROUND_TRIP, &attempt, sent, luck);
    if (!is_same_fate(fate, sim_world_fate(blank, ROUND_TRIP, &attempt, sent, luck)))
        disagree(seed, "fate", arrival);

    const sim_severity severity = fixture_severity(&input, r, k, run->scope->hits[p], arrival);
    const bool is_failed = sim_below(luck.word[1], SIM_SHARE_ONE) < severity.errors;
    const sim_u128 service = (sim_u128)(k == SIM_KIND_READ ? 2 * MS : 5 * MS) * severity.multiplier / SIM_FACTOR_ONE +
                             (uint64_t)severity.added;
    const sim_u128 end = (sim_u128)(uint64_t)(sent + ROUND_TRIP) + service;
    if (fate.status != (is_failed ? 503 : 200) || (sim_u128)(uint64_t)fate.end != (end < INT64_MAX ? end : INT64_MAX))
        disagree(seed, "fate by the book", arrival);

    const sim_quiet quiet = run->quiet[r];
    for (int64_t at = 0; at < 700; at += 7)
        if (at >= quiet.quiet_from && at < quiet.quiet_until && !is_quiet(r, at, quiet.struck_below))
            disagree(seed, "quiet", at);
    if (!is_in_a_fault(r, arrival) && (arrival < quiet.quiet_from || arrival >= quiet.quiet_until))
        disagree(seed, "quiet outside of faults", arrival);
}

START_TEST(quiet_window_hides_no_fault)
{
    for (uint64_t seed = SEED; seed < SEED + 200; seed++) {
        set_up();
        fixture_add_random_faults(&input, seed, 300);
        sim_world_run *run = fixture_run(&input, seed);
        sim_world_run *blank = fixture_run(&input, seed);
        for (uint64_t i = 0; i < 100; i++)
            compare_paths(seed, run, blank, i);
        fixture_run_destroy(run);
        fixture_run_destroy(blank);
    }
}
END_TEST

START_TEST(pause_within_a_fault_is_quiet)
{
    static const sim_point share[] = {{0, 50 * PERCENT}, {10 * S, 0}, {20 * S, 50 * PERCENT}};
    sim_fault *fault = fixture_add_fault(&input);
    fault->from = 5 * S;
    fault->until = 60 * S;
    fault->error_share = (sim_shape){SIM_SHAPE_STEP, 3, share};
    sim_world_run *run = fixture_run(&input, 1);
    sim_world_fate(run, 0, &(sim_attempt){.region = NORTHCENTRALUS}, 17 * S, (sim_words){{0, 0}});
    ck_assert_int_eq(run->quiet[NORTHCENTRALUS].quiet_from, 15 * S);
    ck_assert_int_eq(run->quiet[NORTHCENTRALUS].quiet_until, 25 * S);
    sim_world_fate(run, 0, &(sim_attempt){.region = NORTHCENTRALUS}, 60 * S, (sim_words){{0, 0}});
    ck_assert_int_eq(run->quiet[NORTHCENTRALUS].quiet_from, 60 * S);
    ck_assert_int_eq(run->quiet[NORTHCENTRALUS].quiet_until, RGN_TIME_NEVER);
    sim_world_fate(run, 0, &(sim_attempt){.region = WESTUS}, 17 * S, (sim_words){{0, 0}});
    ck_assert_int_eq(run->quiet[WESTUS].quiet_from, INT64_MIN);
    ck_assert_int_eq(run->quiet[WESTUS].quiet_until, RGN_TIME_NEVER);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(what_fails_all_the_time_is_looked_at_once_for_all)
{
    static const sim_point share[] = {{0, 60 * PERCENT}, {10 * S, 60 * PERCENT}, {20 * S, 0}};
    sim_fault *fault = fixture_add_fault(&input);
    fault->from = 5 * S;
    fault->until = 60 * S;
    fault->error_share = (sim_shape){SIM_SHAPE_STEP, 3, share};
    sim_world_run *run = fixture_run(&input, 1);
    const sim_attempt attempt = {.region = NORTHCENTRALUS};
    ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, 17 * S, (sim_words){{0, 1}}).status, 503);
    const sim_steady *struck = &run->struck[NORTHCENTRALUS];
    ck_assert_int_eq(struck->from, 5 * S);
    ck_assert_uint_eq(struck->length, 20 * S);
    ck_assert_uint_eq(struck->least_word, 0);
    ck_assert(sim_below(struck->word_span, SIM_SHARE_ONE) < 60 * PERCENT);
    ck_assert(sim_below(struck->word_span + 1, SIM_SHARE_ONE) == 60 * PERCENT);
    ck_assert(struck->is_met_by_all);
    ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, 5 * S, (sim_words){{0, struck->word_span}}).status, 503);
    ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, 5 * S, (sim_words){{0, struck->word_span + 1}}).status, 200);
    ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, 25 * S, (sim_words){{0, 1}}).status, 200);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(what_fails_more_and_more_is_looked_at_each_time)
{
    static const sim_point share[] = {{0, 10 * PERCENT}, {20 * S, 60 * PERCENT}};
    fixture_add_fault(&input)->error_share = (sim_shape){SIM_SHAPE_RAMP, 2, share};
    sim_world_run *run = fixture_run(&input, 1);
    const sim_attempt attempt = {.region = NORTHCENTRALUS};
    ck_assert_uint_eq(sim_world_fate(run, 0, &attempt, 5 * S, (sim_words){{0, 1}}).status, 503);
    ck_assert_uint_eq(run->struck[NORTHCENTRALUS].length, 0);
    fixture_run_destroy(run);
}
END_TEST

int main(void)
{
    printf("random faults from seed %llu on\n", (unsigned long long)SEED);
    Suite *suite = suite_create("truth");
    TCase *truth = tcase_create("truth");
    tcase_add_checked_fixture(truth, set_up, NULL);
    tcase_set_timeout(truth, 60); /* sanitizers on a busy machine */
    tcase_add_test(truth, truth_is_brute_force_at_every_ns);
    tcase_add_test(truth, truth_is_brute_force_at_random_instants_and_around_changes);
    tcase_add_test(truth, always_healthy_means_no_partition_is_ever_unhealthy);
    tcase_add_test(truth, flagship_outage_heals_and_relapses_on_the_minute);
    tcase_add_test(truth, limits_themselves_are_healthy);
    tcase_add_test(truth, ramp_crosses_where_its_rounded_value_does);
    tcase_add_test(truth, product_of_a_rise_and_a_fall_may_cross_twice);
    tcase_add_test(truth, faults_that_cancel_out_are_no_flicker);
    tcase_add_test(truth, seed_moves_scope_but_not_the_schedule);
    tcase_add_test(truth, limit_below_one_makes_the_plain_world_unhealthy);
    suite_add_tcase(suite, truth);
    TCase *quiet = tcase_create("quiet");
    tcase_add_checked_fixture(quiet, set_up, NULL);
    tcase_set_timeout(quiet, 60);
    tcase_add_test(quiet, quiet_window_hides_no_fault);
    tcase_add_test(quiet, pause_within_a_fault_is_quiet);
    tcase_add_test(quiet, what_fails_all_the_time_is_looked_at_once_for_all);
    tcase_add_test(quiet, what_fails_more_and_more_is_looked_at_each_time);
    suite_add_tcase(suite, quiet);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
