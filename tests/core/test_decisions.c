/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways to decide a recovery that the published specification does not have: a sequential test, a ramp of canaries, a
 * memory of trips. (Latency as evidence: test_hedging_race.c.) */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../../core/src/sequential.h"
#include "../../core/src/trip_memory.h"
#include "core_fixture.h"
#undef S
#include "reducer_bench.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

/* ---- the sequential test ---- */

START_TEST(the_logarithm_is_good_to_two_units)
{
    const double unit = 1.0 / 16777216;
    for (uint32_t x = 1; x <= 1000000; x += x < 3000 ? 1 : 997) {
        const double error = log2(x) - (double)rgni_log2(x) * unit;
        ck_assert_msg(error >= -1e-12 && error < 2 * unit, "log2(%u): off by %.2f units", x, error / unit);
    }
}
END_TEST

/* The same test in floating point; NAN where it is too close to call. */
static double verdict_of(const rgn_options *o, uint32_t success, uint32_t failed, int64_t waiting)
{
    const double high = (double)o->failback_success_threshold / 1e6;
    const double low = (double)o->failback_retrip_floor / 1e6;
    const double false_failback = (double)o->failback_false_failback / 1e6;
    const double false_retrip = (double)o->failback_false_retrip / 1e6;
    const double gain = log(high / low);
    const double loss = high < 1 ? log((1 - high) / (1 - low)) : 0;
    const double down = success * gain + failed * loss - log(false_retrip / (1 - false_failback));
    const double up = success * gain + (double)(failed + waiting) * loss - log((1 - false_retrip) / false_failback);
    if (high >= 1 && failed > 0)
        return RGNI_IS_UNHEALTHY;
    if (fabs(down) < 1e-3 || fabs(up) < 1e-3)
        return NAN;
    if (down < 0)
        return RGNI_IS_UNHEALTHY;
    return up > 0 && !(high >= 1 && waiting > 0) ? RGNI_IS_HEALTHY : RGNI_GOES_ON;
}

START_TEST(whole_numbers_decide_as_the_ratio_of_likelihoods_does)
{
    static const int64_t highs[] = {1000000, 999000, 950000, 900000, 600000};
    static const int64_t lows[] = {500000, 300000, 1000, 599999};
    static const int64_t errors[] = {100, 10000, 50000, 400000};
    unsigned compared = 0;
    rgn_options o;
    rgn_options_default(&o);
    for (int h = 0; h < COUNT(highs); h++)
        for (int l = 0; l < COUNT(lows); l++)
            for (int e = 0; e < COUNT(errors); e++)
                for (uint32_t n = 0; n < 60; n++)
                    for (uint32_t failed = 0; failed <= n; failed++) {
                        const int64_t waiting = n % 3;
                        o.failback_success_threshold = highs[h];
                        o.failback_retrip_floor = lows[l];
                        o.failback_false_failback = errors[e];
                        o.failback_false_retrip = errors[COUNT(errors) - 1 - e];
                        const double expected = verdict_of(&o, n - failed, failed, waiting);
                        if (isnan(expected))
                            continue;
                        compared++;
                        const rgni_sequential found = rgni_sequential_test(&o, n - failed, failed, waiting);
                        ck_assert_msg((double)found == expected, "%lld against %lld: %u of %u, %lld waiting: %d",
                                      (long long)highs[h], (long long)lows[l], n - failed, n, (long long)waiting,
                                      found);
                    }
    ck_assert_uint_gt(compared, 100000);
}
END_TEST

/* 0.90 against 0.50 with 1 % errors: ln 99 = 4.595; a success weighs 0.588, a failure 1.609. */
static const struct {
    const char *results;
    rgn_reason why;
    unsigned total;
} sequences[] = {
    {"++++++++", RGN_REASON_FAILBACK_SEQUENTIAL, 8},
    {"---", RGN_REASON_RETRIP_SEQUENTIAL, 3},
    {"+----", RGN_REASON_RETRIP_SEQUENTIAL, 5}, /* one sooner: 0.588 - 4.828 = -4.240 */
    {"-+++++++++++", RGN_REASON_FAILBACK_SEQUENTIAL, 12},
};

START_TEST(a_recovery_is_decided_as_soon_as_there_is_evidence)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_decide = RGN_DECIDE_SEQUENTIAL;
    b.options.failback_min_sample = 1000; /* no say */
    bench_recover(&b, 10 * S);
    const char *results = sequences[_i].results;
    for (unsigned i = 0; results[i] != '\0'; i++) {
        ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
        ck_assert(bench_canary(&b, results[i] == '+' ? RGN_EVIDENCE_SUCCESS : RGN_EVIDENCE_FAILURE, 10 * S));
    }
    ck_assert_int_eq(b.why, sequences[_i].why);
    ck_assert_uint_eq(b.story.transition[0].canary_total, sequences[_i].total);
    ck_assert_int_eq(b.story.transition[0].threshold, 10000);
}
END_TEST

/* Wald: the error rates asked for bound those that one gets, alpha / (1 - beta) and beta / (1 - alpha). */
START_TEST(the_error_rates_are_kept)
{
    enum { RECOVERIES = 20000 };
    const bool is_healthy = _i != 0;
    uint64_t state = 20261130;
    unsigned wrong = 0;
    uint64_t canaries = 0;
    bench b;
    for (unsigned i = 0; i < RECOVERIES; i++) {
        bench_init(&b, 3);
        b.options.failback_decide = RGN_DECIDE_SEQUENTIAL;
        b.options.failback_false_failback = 20000;
        b.options.failback_false_retrip = 50000;
        bench_recover(&b, 10 * S);
        while (b.entry.phase == RGN_PHASE_RECOVERING) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const bool is_success = (state >> 33) % 1000 < (is_healthy ? 900 : 500);
            ck_assert(bench_canary(&b, is_success ? RGN_EVIDENCE_SUCCESS : RGN_EVIDENCE_FAILURE, 10 * S));
            canaries++;
        }
        wrong += b.why == (is_healthy ? RGN_REASON_RETRIP_SEQUENTIAL : RGN_REASON_FAILBACK_SEQUENTIAL);
    }
    const double bound = is_healthy ? 0.05 / 0.98 : 0.02 / 0.95;
    const double slack = 4 * sqrt(bound / RECOVERIES);
    ck_assert_msg(wrong > 0 && wrong < RECOVERIES * (bound + slack), "%u wrong of %d", wrong, RECOVERIES);
    ck_assert_uint_lt(canaries, 12 * RECOVERIES);
}
END_TEST

/* ---- the ramp ---- */

/* Of 100 operations how many are canaries? */
static unsigned share_of(bench *b)
{
    unsigned canaries = 0;
    rgni_ticket ticket;
    for (unsigned i = 0; i < 100; i++) {
        if (!bench_admit(b, RGN_READ, 10 * S, &ticket))
            continue;
        canaries++;
        bench_result(b, ticket, RGN_EVIDENCE_NEUTRAL, 10 * S);
    }
    return canaries;
}

static void suffice(bench *b)
{
    for (unsigned sent = 0; sent < 10;)
        sent += bench_canary(b, RGN_EVIDENCE_SUCCESS, 10 * S);
}

static const struct {
    unsigned percentage;
    unsigned stages[3]; /* 0: there is none */
} ramps[] = {{10, {10, 25, 50}}, {24, {24, 25, 50}}, {25, {25, 50}}, {26, {26, 50}},
             {49, {49, 50}},     {50, {50}},         {100, {100}}};

START_TEST(each_share_of_canaries_has_a_sample_of_its_own)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_ramp = RGN_RAMP_STAGED;
    b.options.failback_canary_percentage = ramps[_i].percentage;
    bench_recover(&b, 10 * S);
    for (unsigned stage = 0; stage < 3 && ramps[_i].stages[stage] != 0; stage++) {
        ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
        ck_assert_uint_eq(b.entry.stage, stage);
        ck_assert_uint_eq(b.entry.window_id, stage);
        ck_assert_uint_eq(b.entry.canary_total, 0);
        ck_assert_uint_eq(share_of(&b), ramps[_i].stages[stage]);
        suffice(&b);
        if (b.entry.phase == RGN_PHASE_RECOVERING)
            ck_assert_int_eq(b.why, RGN_REASON_RAMP);
    }
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_ABSENT);
}
END_TEST

START_TEST(a_re_trip_begins_the_ramp_anew_and_late_results_stay_out)
{
    rgni_ticket early;
    bench b;
    bench_init(&b, 3);
    b.options.failback_ramp = RGN_RAMP_STAGED;
    b.options.failback_canary_percentage = 24;
    bench_recover(&b, 10 * S);
    while (!bench_admit(&b, RGN_READ, 10 * S, &early))
        continue;
    suffice(&b);
    ck_assert_uint_eq(b.entry.stage, 1);
    bench_result(&b, early, RGN_EVIDENCE_FAILURE, 10 * S); /* of the first stage */
    ck_assert_uint_eq(b.counters.late_failures, 1);
    ck_assert_uint_eq(b.entry.canary_total, 0);
    for (unsigned sent = 0; sent < 10;)
        sent += bench_canary(&b, RGN_EVIDENCE_FAILURE, 10 * S);
    ck_assert_int_eq(b.why, RGN_REASON_RETRIP);
    ck_assert_uint_eq(b.entry.stage, 0);
    bench_expire(&b, true, 400 * S);
    ck_assert_int_eq(b.entry.phase, RGN_PHASE_RECOVERING);
    ck_assert_uint_eq(share_of(&b), 24);
}
END_TEST

START_TEST(without_a_ramp_the_first_sample_decides)
{
    bench b;
    bench_init(&b, 3);
    b.options.failback_canary_percentage = 10;
    bench_recover(&b, 10 * S);
    suffice(&b);
    ck_assert_int_eq(b.why, RGN_REASON_FAILBACK);
}
END_TEST

/* ---- the memory of trips ---- */

static fixture f;

static void open_router(void)
{
    fixture_init(&f, true);
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 100;
    f.config.options.failback_min_sample = 1;
    f.config.options.failback_dwell_doublings = 3;
    f.config.options.failback_trip_memory = 100 * S;
    fixture_start(&f);
}

static void close_router(void)
{
    fixture_stop(&f);
}

/* Lets the dwell, from `*now`, pass, checks that it lasts `dwell`, and ends the recovery by one canary. */
static void recover(rgn_time_ns *now, rgn_dur_ns dwell, uint16_t status)
{
    const rgn_request read = {.partition = 0, .direction = RGN_READ, .timeout = 10 * S};
    const rgn_response answer = {.status = status, .retry_after = RGN_TIME_NEVER};
    rgn_op op;
    ck_assert_int_eq(f.transitions[f.transition_count - 1].jitter, dwell - 5 * S);
    rgn_router_on_expiry(f.router, *now + dwell - 1, NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
    *now += dwell;
    rgn_router_on_expiry(f.router, *now, NULL, 0);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
    ck_assert_int_eq(rgn_op_start(f.router, &op, &read, *now), RGN_SEND);
    ck_assert(rgn_op_began_as_canary(&op));
    rgn_op_on_leg(f.router, &op, 0, &answer, *now);
    if (op.open_legs != 0)
        rgn_op_abandon(f.router, &op, *now);
}

START_TEST(each_remembered_trip_doubles_the_dwell_up_to_a_limit)
{
    static const rgn_dur_ns dwells[] = {5 * S, 10 * S, 20 * S, 40 * S, 40 * S};
    rgn_time_ns now = 0;
    fixture_trip(&f, 0, RGN_READ, now);
    for (int i = 0; i < COUNT(dwells); i++)
        recover(&now, dwells[i], 503);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
}
END_TEST

/* A failback ends the entry, but not the memory. */
START_TEST(a_partition_that_trips_again_after_its_failback_is_remembered)
{
    rgn_time_ns now = 0;
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, 5 * S, 200);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    now += 10 * S;
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, 10 * S, 200);
}
END_TEST

/* One trip is forgotten for each full trip_memory without another, from the latest one on. */
START_TEST(a_trip_is_forgotten_when_the_memory_is_over)
{
    rgn_time_ns now = 0;
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, 5 * S, 503); /* two are remembered from 5 s on */
    recover(&now, 10 * S, 200);
    now = 5 * S + 100 * S + _i;
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, _i < 0 ? 20 * S : 10 * S, 200);
    now += 1000 * S;
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, 5 * S, 200);
}
END_TEST

/* An undecided window's dwell says nothing new of the region: it is as long as the last one. */
START_TEST(an_undecided_window_keeps_the_length_of_the_dwell)
{
    const rgn_request read = {.partition = 0, .direction = RGN_READ, .timeout = 10 * S};
    rgn_time_ns now = 0;
    rgn_op op;
    close_router();
    fixture_init(&f, true);
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 100;
    f.config.options.failback_min_sample = 1;
    f.config.options.failback_dwell_doublings = 3;
    f.config.options.failback_window_expiry = RGN_EXPIRY_DWELL;
    f.config.options.failback_eval_window = 1 * S;
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, 5 * S, 503);
    now += 10 * S;
    rgn_router_on_expiry(f.router, now, NULL, 0);
    now += 2 * S;
    ck_assert_int_eq(rgn_op_start(f.router, &op, &read, now), RGN_SEND); /* looks at the window */
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_WINDOW_DWELL);
    rgn_op_abandon(f.router, &op, now);
    recover(&now, 10 * S, 503);
    recover(&now, 20 * S, 200);
}
END_TEST

START_TEST(without_room_for_a_memory_the_dwell_is_the_knobs)
{
    rgn_time_ns now = 0;
    fixture_trip(&f, 1, RGN_READ, now); /* slots are there now */
    f.fails_at = 1;
    fixture_trip(&f, 0, RGN_READ, now);
    recover(&now, 5 * S, 503);
    f.fails_at = 0;
}
END_TEST

START_TEST(the_longest_dwell_is_a_year)
{
    rgn_options o;
    rgn_options_default(&o);
    o.failback_dwell_doublings = 16;
    o.failback_partition_unavailability_duration = RGN_DUR_MAX_;
    ck_assert_int_eq(rgni_dwell_added(&o, 17), 0);
    o.failback_partition_unavailability_duration = RGN_DUR_MAX_ / 2 + 1;
    ck_assert_int_eq(rgni_dwell_added(&o, 2), RGN_DUR_MAX_ / 2 - 1);
    ck_assert_int_eq(rgni_dwell_added(&o, 0), 0);
    ck_assert_int_eq(rgni_dwell_added(&o, 1), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decisions");
    TCase *sequential = tcase_create("sequential");
    tcase_add_test(sequential, the_logarithm_is_good_to_two_units);
    tcase_add_test(sequential, whole_numbers_decide_as_the_ratio_of_likelihoods_does);
    tcase_add_loop_test(sequential, a_recovery_is_decided_as_soon_as_there_is_evidence, 0, COUNT(sequences));
    tcase_add_loop_test(sequential, the_error_rates_are_kept, 0, 2);
    suite_add_tcase(suite, sequential);
    TCase *ramp = tcase_create("ramp");
    tcase_add_loop_test(ramp, each_share_of_canaries_has_a_sample_of_its_own, 0, COUNT(ramps));
    tcase_add_test(ramp, a_re_trip_begins_the_ramp_anew_and_late_results_stay_out);
    tcase_add_test(ramp, without_a_ramp_the_first_sample_decides);
    suite_add_tcase(suite, ramp);
    TCase *memory = tcase_create("memory");
    tcase_add_checked_fixture(memory, open_router, close_router);
    tcase_add_test(memory, each_remembered_trip_doubles_the_dwell_up_to_a_limit);
    tcase_add_test(memory, a_partition_that_trips_again_after_its_failback_is_remembered);
    tcase_add_loop_test(memory, a_trip_is_forgotten_when_the_memory_is_over, -1, 2);
    tcase_add_test(memory, an_undecided_window_keeps_the_length_of_the_dwell);
    tcase_add_test(memory, without_room_for_a_memory_the_dwell_is_the_knobs);
    tcase_add_test(memory, the_longest_dwell_is_a_year);
    suite_add_tcase(suite, memory);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
