/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <stdlib.h>

#include "world/schedule.h"

#define PERCENT (SIM_SHARE_ONE / 100)

static fixture input;

static void set_up(void)
{
    fixture_init(&input);
}

static sim_shape constant(sim_point *point, int64_t value)
{
    *point = (sim_point){0, value};
    return (sim_shape){SIM_SHAPE_STEP, 1, point};
}

/* ---- shapes ---- */

static const sim_point steps[] = {{10, 400}, {20, 100}, {30, 0}};
static const sim_point slopes[] = {{0, 300}, {10, 100}, {20, 100}, {27, 170}};

static const struct {
    sim_shape shape;
    int64_t at;
    int64_t want;
} shape_cases[] = {
    {{SIM_SHAPE_STEP, 3, steps}, -5, 400},  {{SIM_SHAPE_STEP, 3, steps}, 9, 400},
    {{SIM_SHAPE_STEP, 3, steps}, 10, 400},  {{SIM_SHAPE_STEP, 3, steps}, 11, 400},
    {{SIM_SHAPE_STEP, 3, steps}, 19, 400},  {{SIM_SHAPE_STEP, 3, steps}, 20, 100},
    {{SIM_SHAPE_STEP, 3, steps}, 21, 100},  {{SIM_SHAPE_STEP, 3, steps}, 29, 100},
    {{SIM_SHAPE_STEP, 3, steps}, 30, 0},    {{SIM_SHAPE_STEP, 3, steps}, 31, 0},
    {{SIM_SHAPE_STEP, 1, steps}, 0, 400},   {{SIM_SHAPE_STEP, 1, steps}, INT64_MAX - 1, 400},
    {{SIM_SHAPE_RAMP, 4, slopes}, -1, 300}, {{SIM_SHAPE_RAMP, 4, slopes}, 0, 300},
    {{SIM_SHAPE_RAMP, 4, slopes}, 1, 280},  {{SIM_SHAPE_RAMP, 4, slopes}, 9, 120},
    {{SIM_SHAPE_RAMP, 4, slopes}, 10, 100}, {{SIM_SHAPE_RAMP, 4, slopes}, 11, 100},
    {{SIM_SHAPE_RAMP, 4, slopes}, 19, 100}, {{SIM_SHAPE_RAMP, 4, slopes}, 20, 100},
    {{SIM_SHAPE_RAMP, 4, slopes}, 21, 110}, {{SIM_SHAPE_RAMP, 4, slopes}, 26, 160},
    {{SIM_SHAPE_RAMP, 4, slopes}, 27, 170}, {{SIM_SHAPE_RAMP, 4, slopes}, 28, 170},
    {{SIM_SHAPE_RAMP, 1, slopes}, 99, 300},
};

START_TEST(shape_has_its_value_around_every_point)
{
    ck_assert_int_eq(sim_shape_at(&shape_cases[_i].shape, shape_cases[_i].at), shape_cases[_i].want);
}
END_TEST

START_TEST(ramp_rounds_down_whether_it_rises_or_falls)
{
    static const sim_point up[] = {{0, 0}, {3, 10}};
    static const sim_point down[] = {{0, 10}, {3, 0}};
    const sim_shape rising = {SIM_SHAPE_RAMP, 2, up};
    const sim_shape falling = {SIM_SHAPE_RAMP, 2, down};
    ck_assert_int_eq(sim_shape_at(&rising, 1), 3);  /* 3.33 */
    ck_assert_int_eq(sim_shape_at(&rising, 2), 6);  /* 6.67 */
    ck_assert_int_eq(sim_shape_at(&falling, 1), 6); /* 6.67 */
    ck_assert_int_eq(sim_shape_at(&falling, 2), 3); /* 3.33 */
}
END_TEST

START_TEST(ramp_over_a_year_is_exact)
{
    const int64_t year = INT64_C(365) * 24 * 3600 * S;
    const sim_point points[] = {{0, 0}, {year, SIM_SHARE_ONE}};
    const sim_shape ramp = {SIM_SHAPE_RAMP, 2, points};
    /* A ppb takes 31,536,000 ns. */
    ck_assert_int_eq(sim_shape_at(&ramp, INT64_C(31536000) * 123456789 - 1), 123456788);
    ck_assert_int_eq(sim_shape_at(&ramp, INT64_C(31536000) * 123456789), 123456789);
    ck_assert_int_eq(sim_shape_at(&ramp, year - 1), SIM_SHARE_ONE - 1);
}
END_TEST

START_TEST(fault_acts_from_its_start_until_just_before_its_end)
{
    sim_point share;
    sim_point factor;
    sim_fault *fault = fixture_add_fault(&input);
    fault->from = 100;
    fault->until = 200;
    fault->error_share = constant(&share, 7);
    fault->latency_multiply = constant(&factor, 3000000);
    static const struct {
        int64_t at;
        bool is_on;
    } cases[] = {{0, false}, {99, false}, {100, true}, {101, true}, {199, true}, {200, false}, {201, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_uint_eq(sim_fault_errors_at(fault, cases[i].at), cases[i].is_on ? 7 : 0);
        ck_assert_uint_eq(sim_fault_multiplier_at(fault, cases[i].at), cases[i].is_on ? 3000000 : SIM_FACTOR_ONE);
    }
}
END_TEST

START_TEST(shares_stack_up_to_one_and_multipliers_multiply)
{
    sim_point share[3];
    sim_point factor[3];
    static const int64_t shares[] = {60 * PERCENT, 30 * PERCENT, 20 * PERCENT};
    static const int64_t factors[] = {1500000, 3000000, 333333};
    for (int f = 0; f < 3; f++) {
        sim_fault *fault = fixture_add_fault(&input);
        fault->error_share = constant(&share[f], shares[f]);
        fault->latency_multiply = constant(&factor[f], factors[f]);
    }
    ck_assert_uint_eq(sim_schedule_at(input.fault, 0, 0).errors, 0);
    ck_assert_uint_eq(sim_schedule_at(input.fault, 0, 0).multiplier, SIM_FACTOR_ONE);
    ck_assert_uint_eq(sim_schedule_at(input.fault, 3, 0).errors, 90 * PERCENT);
    ck_assert_uint_eq(sim_schedule_at(input.fault, 3, 0).multiplier, 4500000);
    ck_assert_uint_eq(sim_schedule_at(input.fault, 7, 0).errors, SIM_SHARE_ONE);
    ck_assert_uint_eq(sim_schedule_at(input.fault, 7, 0).multiplier, 1499998); /* 1499998.5 rounded down */
    ck_assert_uint_eq(sim_scale(INT64_MAX, 1000000000), INT64_MAX);
}
END_TEST

/* ---- fates ---- */

enum { ROUND_TRIP = 8000001 }; /* odd: the way there is half of it, rounded down */

static sim_fate fate_at(sim_world_run *run, uint64_t outcome, int64_t arrival)
{
    return sim_world_fate(run, ROUND_TRIP, &(sim_attempt){.region = NORTHCENTRALUS}, arrival - ROUND_TRIP / 2,
                          (sim_words){{UINT64_C(1) << 63, outcome}});
}

START_TEST(healthy_fate_is_round_trip_and_service)
{
    sim_world_run *run = fixture_run(&input, 1);
    sim_fate fate =
        sim_world_fate(run, ROUND_TRIP, &(sim_attempt){.region = WESTUS, .kind = SIM_KIND_WRITE, .partition = 3}, 7 * S,
                       (sim_words){{0, 0}});
    ck_assert_int_eq(fate.end, 7 * S + ROUND_TRIP + 5 * MS);
    ck_assert_uint_eq(fate.status, 200);
    ck_assert_uint_eq(fate.substatus, 0);
    ck_assert_uint_eq(fate.transport, RGN_TRANSPORT_NONE);
    fixture_run_destroy(run);
}
END_TEST

static const struct {
    sim_error error;
    int64_t after;
    int64_t end; /* from the sending */
    sim_fate want;
} error_cases[] = {
    {{SIM_ERROR_STATUS, 503, 0, SIM_SHARE_ONE}, -1, ROUND_TRIP + 6 * MS, {.status = 503}},
    {{SIM_ERROR_STATUS, 429, 3092, SIM_SHARE_ONE}, -1, ROUND_TRIP + 6 * MS, {.status = 429, .substatus = 3092}},
    {{SIM_ERROR_STATUS, 503, 0, SIM_SHARE_ONE}, 0, ROUND_TRIP, {.status = 503}},
    {{SIM_ERROR_STATUS, 410, 21, SIM_SHARE_ONE}, 9 * MS, ROUND_TRIP + 9 * MS, {.status = 410, .substatus = 21}},
    {{SIM_ERROR_REFUSED, 0, 0, SIM_SHARE_ONE}, -1, ROUND_TRIP, {.transport = RGN_TRANSPORT_NOT_SENT}},
    {{SIM_ERROR_REFUSED, 0, 0, SIM_SHARE_ONE}, 9 * MS, ROUND_TRIP, {.transport = RGN_TRANSPORT_NOT_SENT}},
    {{SIM_ERROR_NO_REPLY, 0, 0, SIM_SHARE_ONE}, -1, -1, {.transport = RGN_TRANSPORT_UNKNOWN}},
};

START_TEST(error_ends_as_its_type_says)
{
    sim_point share;
    sim_point factor;
    sim_fault *fault = fixture_add_fault(&input);
    fault->error = &error_cases[_i].error;
    fault->error_after = error_cases[_i].after;
    fault->error_share = constant(&share, SIM_SHARE_ONE);
    fault->latency_multiply = constant(&factor, 3000000); /* of the service time only: 2 ms become 6 */
    sim_world_run *run = fixture_run(&input, 1);
    static const uint64_t outcomes[] = {0, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        const sim_fate fate = fate_at(run, outcomes[i], 5 * S);
        const int64_t end = error_cases[_i].end;
        ck_assert_int_eq(fate.end, end < 0 ? RGN_TIME_NEVER : 5 * S - ROUND_TRIP / 2 + end);
        ck_assert_uint_eq(fate.status, error_cases[_i].want.status);
        ck_assert_uint_eq(fate.substatus, error_cases[_i].want.substatus);
        ck_assert_uint_eq(fate.transport, error_cases[_i].want.transport);
    }
    fixture_run_destroy(run);
}
END_TEST

START_TEST(fault_is_looked_at_for_the_instant_of_arrival)
{
    sim_point share;
    sim_fault *fault = fixture_add_fault(&input);
    fault->from = 5 * S;
    fault->until = 6 * S;
    fault->error_share = constant(&share, SIM_SHARE_ONE);
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_uint_eq(fate_at(run, 0, 5 * S - 1).status, 200);
    ck_assert_uint_eq(fate_at(run, 0, 5 * S).status, 503);
    ck_assert_uint_eq(fate_at(run, 0, 6 * S - 1).status, 503);
    ck_assert_uint_eq(fate_at(run, 0, 6 * S).status, 200);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(fault_keeps_to_its_region_and_kind)
{
    sim_point share;
    sim_fault *fault = fixture_add_fault(&input);
    fault->regions = rgn_region_bit(CENTRALUS) | rgn_region_bit(WESTUS);
    fault->kinds = 1 << SIM_KIND_WRITE;
    fault->error_share = constant(&share, SIM_SHARE_ONE);
    sim_world_run *run = fixture_run(&input, 1);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < SIM_KINDS; k++) {
            const bool is_hit = r != NORTHCENTRALUS && k == SIM_KIND_WRITE;
            const sim_fate fate = sim_world_fate(
                run, ROUND_TRIP, &(sim_attempt){.region = (rgn_region)r, .kind = (uint8_t)k}, S, (sim_words){{0, 0}});
            ck_assert_uint_eq(fate.status, is_hit ? 503 : 200);
            ck_assert_int_eq(sim_truth_is_healthy(run, (rgn_region)r, 0, 0, (sim_kind)k, S), !is_hit);
        }
    ck_assert(sim_truth_is_always_healthy(run, NORTHCENTRALUS));
    ck_assert(!sim_truth_is_always_healthy(run, CENTRALUS));
    fixture_run_destroy(run);
}
END_TEST

/* The least word whose place reaches `part` of `whole` of the scale: ceil(2^64 * part / whole). */
static uint64_t first_word(uint64_t part, uint64_t whole)
{
    return (uint64_t)((((sim_u128)part << 64) + whole - 1) / whole);
}

static const sim_error mix[] = {
    {SIM_ERROR_STATUS, 410, 0, SIM_SHARE_ONE / 5 + 1},
    {SIM_ERROR_STATUS, 503, 0, SIM_SHARE_ONE / 2},
    {SIM_ERROR_STATUS, 429, 3092, SIM_SHARE_ONE - SIM_SHARE_ONE / 5 - 1 - SIM_SHARE_ONE / 2},
};

static void expect_border(sim_world_run *run, uint64_t border, unsigned below, unsigned from)
{
    ck_assert_uint_eq(fate_at(run, border - 1, S).status, below);
    ck_assert_uint_eq(fate_at(run, border, S).status, from);
}

START_TEST(mix_divides_the_slice_at_exact_words)
{
    sim_point share;
    sim_fault *fault = fixture_add_fault(&input);
    fault->error = mix;
    fault->error_count = 3;
    const uint64_t width = 30 * PERCENT + 7;
    const uint64_t one = SIM_SHARE_ONE;
    fault->error_share = constant(&share, (int64_t)width);
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_uint_eq(fate_at(run, 0, S).status, 410);
    expect_border(run, first_word(width * mix[0].share, one * one), 410, 503);
    expect_border(run, first_word(width * (mix[0].share + (uint64_t)mix[1].share), one * one), 503, 429);
    expect_border(run, first_word(width, one), 429, 200);
    ck_assert_uint_eq(fate_at(run, UINT64_MAX, S).status, 200);
    fixture_run_destroy(run);
}
END_TEST

static const sim_error only_410[] = {{SIM_ERROR_STATUS, 410, 0, SIM_SHARE_ONE}};

START_TEST(overlapping_faults_take_neighbouring_slices)
{
    sim_point share[2];
    sim_fault *first = fixture_add_fault(&input);
    sim_fault *second = fixture_add_fault(&input);
    first->error = only_410;
    first->error_share = constant(&share[0], 25 * PERCENT);
    second->error = mix;
    second->error_count = 3;
    second->error_share = constant(&share[1], 50 * PERCENT);
    sim_world_run *run = fixture_run(&input, 1);
    expect_border(run, UINT64_C(1) << 62, 410, 410); /* the second's slice begins with its own 410s */
    const uint64_t one = SIM_SHARE_ONE;
    expect_border(run, first_word(one * one / 4 + 50 * (uint64_t)PERCENT * mix[0].share, one * one), 410, 503);
    expect_border(run, UINT64_C(3) << 62, 429, 200);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(slices_are_cut_at_one_and_keep_their_mix)
{
    sim_point share[3];
    for (int f = 0; f < 3; f++) {
        sim_fault *fault = fixture_add_fault(&input);
        fault->error_share = constant(&share[f], f == 0 ? 75 * PERCENT : 50 * PERCENT);
    }
    static const sim_error halves[] = {{SIM_ERROR_STATUS, 410, 0, SIM_SHARE_ONE / 2},
                                       {SIM_ERROR_STATUS, 429, 3092, SIM_SHARE_ONE / 2}};
    input.fault[1].error = halves;
    input.fault[1].error_count = 2;
    sim_world_run *run = fixture_run(&input, 1);
    expect_border(run, UINT64_C(3) << 62, 503, 410);            /* 75 % */
    expect_border(run, UINT64_C(7) << 61, 410, 429);            /* the middle of the last quarter */
    ck_assert_uint_eq(fate_at(run, UINT64_MAX, S).status, 429); /* nothing left for the third */
    fixture_run_destroy(run);
}
END_TEST

START_TEST(a_word_that_fails_fails_at_every_higher_share)
{
    sim_point share;
    sim_fault *fault = fixture_add_fault(&input);
    static const int64_t shares[] = {0, 1, 5 * PERCENT, 50 * PERCENT, SIM_SHARE_ONE - 1, SIM_SHARE_ONE};
    bool had_failed[1000] = {false};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        fault->error_share = constant(&share, shares[i]);
        sim_world_run *run = fixture_run(&input, 1);
        int64_t failed = 0;
        for (uint64_t n = 0; n < 1000; n++) {
            const bool is_failed = fate_at(run, fixture_word(7, n), S).status != 200;
            if (had_failed[n] && !is_failed)
                ck_abort_msg("word %llu was spared at a higher share", (unsigned long long)n);
            had_failed[n] = is_failed;
            failed += is_failed;
        }
        /* 1000 draws, standard deviation at most 16: seed 7 is fixed, 5 deviations would be no accident. */
        ck_assert_int_le(llabs(failed - shares[i] / (SIM_SHARE_ONE / 1000)), 80);
        fixture_run_destroy(run);
    }
}
END_TEST

START_TEST(huge_multiplier_means_never_not_overflow)
{
    sim_point factor[8];
    for (int f = 0; f < 8; f++)
        fixture_add_fault(&input)->latency_multiply = constant(&factor[f], 1000000000);
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_int_eq(fate_at(run, 0, S).end, RGN_TIME_NEVER);
    ck_assert_uint_eq(fate_at(run, 0, S).status, 200);
    fixture_run_destroy(run);
}
END_TEST

/* ---- scope ---- */

static uint64_t hit_set(uint32_t share, uint64_t seed, uint32_t from, uint32_t count, uint64_t *scope_hash)
{
    sim_point errors;
    input.fault[0].partition_share = share;
    input.fault[0].error_share = constant(&errors, SIM_SHARE_ONE);
    sim_world_run *run = fixture_run(&input, seed);
    uint64_t set = 0;
    for (uint32_t p = 0; p < count; p++) {
        const bool is_healthy = sim_truth_is_healthy(run, NORTHCENTRALUS, from + p, 0, SIM_KIND_READ, S);
        const sim_fate fate = sim_world_fate(
            run, ROUND_TRIP, &(sim_attempt){.region = NORTHCENTRALUS, .partition = from + p}, S, (sim_words){{0, 0}});
        ck_assert_int_eq(is_healthy, fate.status == 200);
        set |= (uint64_t)!is_healthy << p;
    }
    *scope_hash = sim_world_run_scope_hash(run);
    fixture_run_destroy(run);
    return set;
}

START_TEST(sets_of_hit_partitions_nest_as_the_share_grows)
{
    fixture_add_fault(&input);
    static const uint32_t shares[] = {0, 10 * PERCENT, 40 * PERCENT, 90 * PERCENT, SIM_SHARE_ONE};
    const uint64_t all = (UINT64_C(1) << SHOP_PARTITIONS) - 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t before = 0;
        uint64_t hash;
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
            const uint64_t set = hit_set(shares[i], seed, 0, SHOP_PARTITIONS, &hash);
            ck_assert_uint_eq(before & ~set, 0);
            if (shares[i] == 0)
                ck_assert_uint_eq(set, 0);
            before = set;
        }
        ck_assert_uint_eq(before, all);
    }
}
END_TEST

START_TEST(scope_is_drawn_by_fault_workload_and_partition)
{
    fixture_add_fault(&input);
    uint64_t hash;
    const uint64_t shop = hit_set(40 * PERCENT, 3, 0, SHOP_PARTITIONS, &hash);
    const uint64_t stock = hit_set(40 * PERCENT, 3, SHOP_PARTITIONS, STOCK_PARTITIONS, &hash);
    for (uint32_t p = 0; p < SHOP_PARTITIONS; p++) {
        const uint64_t word =
            sim_draw_words(&(sim_luck){.seed = 3}, SIM_DRAW_FAULT_PARTITION, 100, sim_mix64(11) + p).word[0];
        ck_assert_int_eq(shop >> p & 1, word < first_word(40, 100));
    }
    for (uint32_t p = 0; p < STOCK_PARTITIONS; p++) {
        const uint64_t word =
            sim_draw_words(&(sim_luck){.seed = 3}, SIM_DRAW_FAULT_PARTITION, 100, sim_mix64(12) + p).word[0];
        ck_assert_int_eq(stock >> p & 1, word < first_word(40, 100));
    }
}
END_TEST

START_TEST(scope_hash_sees_who_is_hit)
{
    uint64_t hash[4];
    fixture_add_fault(&input);
    hit_set(40 * PERCENT, 3, 0, 1, &hash[0]);
    hit_set(40 * PERCENT, 3, 0, 1, &hash[1]);
    hit_set(40 * PERCENT, 4, 0, 1, &hash[2]);
    hit_set(90 * PERCENT, 3, 0, 1, &hash[3]);
    ck_assert_uint_eq(hash[0], hash[1]);
    ck_assert_uint_ne(hash[0], hash[2]);
    ck_assert_uint_ne(hash[0], hash[3]);
}
END_TEST

/* ---- jitter ---- */

START_TEST(jitter_scales_the_round_trip_by_its_quantile)
{
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_ptr_null(run->jitter);
    fixture_run_destroy(run);

    input.scenario.jitter_sigma = 100000;
    run = fixture_run(&input, 1);
    ck_assert_ptr_nonnull(run->jitter);
    ck_assert_int_eq(sim_world_jittered(run->jitter, 50 * MS, UINT64_C(1) << 63), 50 * MS);
    /* One standard deviation up: exp(0.1) = 1.105171; its probability is 0.8413447. */
    const int64_t up =
        sim_world_jittered(run->jitter, 50 * MS, (uint64_t)(0.8413447460685429 * 18446744073709551616.0));
    ck_assert_int_le(llabs(up - 55258546), 100);
    ck_assert_int_eq(sim_world_jittered(run->jitter, 0, 0), 0);
    ck_assert_int_eq(sim_world_jittered(run->jitter, INT64_MAX, UINT64_MAX), (int64_t)SIM_SAMPLER_MAX);
    /* Past 64 bits: 20 days times 1. */
    ck_assert_int_eq(sim_world_jittered(run->jitter, 1728000 * S, UINT64_C(1) << 63), 1728000 * S);
    fixture_run_destroy(run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *shapes = tcase_create("shapes");
    tcase_add_checked_fixture(shapes, set_up, NULL);
    tcase_add_loop_test(shapes, shape_has_its_value_around_every_point, 0, sizeof shape_cases / sizeof shape_cases[0]);
    tcase_add_test(shapes, ramp_rounds_down_whether_it_rises_or_falls);
    tcase_add_test(shapes, ramp_over_a_year_is_exact);
    tcase_add_test(shapes, fault_acts_from_its_start_until_just_before_its_end);
    tcase_add_test(shapes, shares_stack_up_to_one_and_multipliers_multiply);
    suite_add_tcase(suite, shapes);
    TCase *fates = tcase_create("fates");
    tcase_add_checked_fixture(fates, set_up, NULL);
    tcase_add_test(fates, healthy_fate_is_round_trip_and_service);
    tcase_add_loop_test(fates, error_ends_as_its_type_says, 0, sizeof error_cases / sizeof error_cases[0]);
    tcase_add_test(fates, fault_is_looked_at_for_the_instant_of_arrival);
    tcase_add_test(fates, fault_keeps_to_its_region_and_kind);
    tcase_add_test(fates, mix_divides_the_slice_at_exact_words);
    tcase_add_test(fates, overlapping_faults_take_neighbouring_slices);
    tcase_add_test(fates, slices_are_cut_at_one_and_keep_their_mix);
    tcase_add_test(fates, a_word_that_fails_fails_at_every_higher_share);
    tcase_add_test(fates, huge_multiplier_means_never_not_overflow);
    suite_add_tcase(suite, fates);
    TCase *scope = tcase_create("scope");
    tcase_add_checked_fixture(scope, set_up, NULL);
    tcase_add_test(scope, sets_of_hit_partitions_nest_as_the_share_grows);
    tcase_add_test(scope, scope_is_drawn_by_fault_workload_and_partition);
    tcase_add_test(scope, scope_hash_sees_who_is_hit);
    tcase_add_test(scope, jitter_scales_the_round_trip_by_its_quantile);
    suite_add_tcase(suite, scope);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
