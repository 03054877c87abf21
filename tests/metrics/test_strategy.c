/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples by whether clients could hedge, as a poll at each sample's last instant finds it. */
#include <check.h>
#include <stdlib.h>

#include "script.h"

static script s;

static void setup(void)
{
    script_init(&s);
    s.scenario.account_change_count = 1;
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(60), S(150));
}

static void teardown(void)
{
    script_deinit(&s);
}

static void tell(uint32_t client, bool is_on, int64_t at)
{
    const sim_observer *observer = sim_metrics_observer(s.metrics);
    observer->strategy(observer->context, client, is_on, at);
}

static void tell_all(bool is_on, int64_t at)
{
    for (uint32_t client = 0; client < CLIENTS; client++)
        tell(client, is_on, at);
}

/* One operation with that many hedges. */
static void operation(int64_t start, int64_t latency, unsigned hedges)
{
    script_ended(&s, (sim_ended){.start = start,
                                 .end = start + latency,
                                 .canary_retry = -1,
                                 .legs = (uint16_t)(1 + hedges),
                                 .flags = SIM_ENDED_SUCCESS,
                                 .hedges = (uint8_t)hedges,
                                 .hedge = hedges > 0 ? RGN_HEDGE_ALTERNATE_WON : RGN_HEDGE_NONE});
}

START_TEST(samples_belong_to_what_their_last_instant_finds)
{
    script_begin(&s);
    tell_all(true, 0);
    operation(S(40), MS(16), 1);  /* [30, 60): healthy at its end */
    operation(S(61), MS(32), 2);  /* [60, 90): on */
    operation(S(100), MS(32), 4); /* [90, 120): the switch comes at 119.999..., so that its poll finds it */
    tell_all(false, S(120) - 1);
    operation(S(121), MS(64), 0);  /* [120, 150): off, unhealthy to its last instant */
    operation(S(151), MS(128), 0); /* [150, 180): healthy at its end */
    script_end(&s);
    EXPECT_SAMPLES(&s, ALL, hedging_on_p99_mean, 1);
    EXPECT_SAMPLES(&s, ALL, hedging_off_p99_mean, 2);
    EXPECT(&s, ALL, hedging_on_spawned, 2);
    EXPECT(&s, ALL, hedging_off_spawned, 4);
    EXPECT(&s, ALL, strategy_change_count, CLIENTS);
    const double on = script_metric(&s, ALL, SIM_METRIC_hedging_on_p99_mean)->value;
    const double off = script_metric(&s, ALL, SIM_METRIC_hedging_off_p99_mean)->value;
    ck_assert_double_eq_tol(on, 32e6, 32e6 * 0.004);
    ck_assert_double_eq_tol(off, 48e6, 48e6 * 0.004);
    EXPECT(&s, ALL, hedging_p99_reduction, 1 - on / off);
    EXPECT_NULL(&s, MIDDLE, hedging_on_p99_mean);
    EXPECT_NULL(&s, MIDDLE, hedging_p99_reduction);
    EXPECT(&s, MIDDLE, strategy_change_count, 0);
}
END_TEST

START_TEST(a_change_at_a_samples_end_is_the_next_ones)
{
    script_begin(&s);
    tell_all(true, 0);
    operation(S(61), MS(32), 1);
    tell_all(false, S(90));
    operation(S(91), MS(64), 0);
    script_end(&s);
    EXPECT_SAMPLES(&s, ALL, hedging_on_p99_mean, 1);
    EXPECT_SAMPLES(&s, ALL, hedging_off_p99_mean, 1);
}
END_TEST

START_TEST(clients_that_disagree_make_no_sample)
{
    script_begin(&s);
    tell_all(true, 0);
    tell(1, false, S(70));
    operation(S(71), MS(32), 1);
    tell(1, false, S(91)); /* told again: no change */
    operation(S(91), MS(32), 1);
    tell(1, true, S(125));
    operation(S(126), MS(32), 1);
    script_end(&s);
    EXPECT_SAMPLES(&s, ALL, hedging_on_p99_mean, 1);
    EXPECT_SAMPLES(&s, ALL, hedging_off_p99_mean, 0);
    EXPECT(&s, ALL, strategy_change_count, 2);
}
END_TEST

START_TEST(an_account_that_never_changes_has_no_such_samples)
{
    s.scenario.account_change_count = 0;
    script_begin(&s);
    operation(S(61), MS(32), 1);
    script_end(&s);
    EXPECT_NULL(&s, ALL, hedging_on_p99_mean);
    EXPECT_NULL(&s, ALL, hedging_off_spawned);
    EXPECT_NULL(&s, ALL, strategy_change_count);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("strategy");
    TCase *tc = tcase_create("strategy");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, samples_belong_to_what_their_last_instant_finds);
    tcase_add_test(tc, a_change_at_a_samples_end_is_the_next_ones);
    tcase_add_test(tc, clients_that_disagree_make_no_sample);
    tcase_add_test(tc, an_account_that_never_changes_has_no_such_samples);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
