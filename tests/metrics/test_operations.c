/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of operations: attribution, percentiles, slices that close, intervals, clients, canaries. */
#include <check.h>
#include <stdlib.h>

#include "metrics/internal.h"
#include "script.h"

static script s;

enum {
    OK = SIM_ENDED_SUCCESS | SIM_ENDED_SERVED,
    ERROR = SIM_ENDED_ERROR,
    AWAY = SIM_ENDED_AWAY,
    CANARY = SIM_ENDED_CANARY
};

static void setup(void)
{
    script_init(&s);
}

static void teardown(void)
{
    script_deinit(&s);
}

START_TEST(operations_belong_to_the_phase_of_their_intended_start)
{
    script_begin(&s);
    script_operation(&s, 0, 0, S(1200) - 1, S(2), OK); /* before `middle`, ends in it */
    script_operation(&s, 0, 0, S(1200), S(1), OK);     /* its first nanosecond */
    script_operation(&s, 0, 0, S(2400) - 1, S(1), ERROR);
    script_operation(&s, 0, 0, S(2400), S(1), 0);      /* an application final: neither success nor error */
    script_operation(&s, 0, 0, S(3600) - 1, S(2), OK); /* drains after the end */
    script_end(&s);
    EXPECT(&s, ALL, requests, 5);
    EXPECT(&s, MIDDLE, requests, 2);
    EXPECT(&s, LATE, requests, 2);
    EXPECT(&s, ALL, error_count, 1);
    EXPECT(&s, MIDDLE, error_count, 1);
    EXPECT(&s, LATE, error_count, 0);
    EXPECT(&s, ALL, availability, 0.8);
    EXPECT(&s, MIDDLE, availability, 0.5);
    EXPECT(&s, LATE, availability, 1);
    EXPECT_SAMPLES(&s, MIDDLE, availability, 2);
    ck_assert_uint_eq(s.result.ok[ALL].total, 3);
    ck_assert_uint_eq(s.result.failed[ALL].total, 2);
    ck_assert_uint_eq(s.result.ok[LATE].total, 1);
    ck_assert_uint_eq(s.result.failed[LATE].total, 1);
}
END_TEST

static void ended_race(rgn_hedge hedge, uint8_t hedges, uint8_t cancelled, int64_t start, unsigned flags)
{
    script_ended(&s, (sim_ended){.start = start,
                                 .end = start + MS(5),
                                 .canary_retry = -1,
                                 .legs = (uint16_t)(1 + hedges),
                                 .flags = (uint8_t)flags,
                                 .hedge = (uint8_t)hedge,
                                 .hedges = hedges,
                                 .hedge_cancelled = cancelled});
}

START_TEST(races_count_by_their_end_hedges_and_cut_legs_by_their_reason)
{
    script_begin(&s);
    script_operation(&s, 0, 0, S(1), MS(5), OK); /* no race */
    ended_race(RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0, 0, S(2), OK);
    ended_race(RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 1, 1, S(3), OK);
    ended_race(RGN_HEDGE_ALTERNATE_WON, 1, 1, S(4), OK);
    ended_race(RGN_HEDGE_ALTERNATE_WON, 2, 0, S(1200), OK); /* its second race; the loser had ended by itself */
    ended_race(RGN_HEDGE_BOTH_TRANSIENT, 1, 0, S(5), ERROR);
    ended_race(RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 1, 2, S(6), ERROR);
    ended_race(RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, 1, 2, S(7), SIM_ENDED_ABANDONED);
    ended_race(RGN_HEDGE_CANCELLED_AWAITING_PARTNER, 1, 1, S(8), ERROR);
    ended_race(RGN_HEDGE_DEADLINE_PRE_THRESHOLD, 0, 0, S(9), ERROR);
    ended_race(RGN_HEDGE_ENDED_EARLY, 0, 0, S(10), OK);
    ended_race(RGN_HEDGE_REFUSED, 0, 0, S(11), OK);
    script_end(&s);
    EXPECT(&s, ALL, hedge_operations_disabled, 1);
    EXPECT(&s, ALL, hedge_operations_primary_won, 2);
    EXPECT(&s, ALL, hedge_operations_alternate_won, 2);
    EXPECT(&s, MIDDLE, hedge_operations_alternate_won, 1);
    EXPECT(&s, ALL, hedge_operations_both_transient, 3);
    EXPECT(&s, ALL, hedge_alternate_spawned, 8);
    EXPECT(&s, MIDDLE, hedge_alternate_spawned, 2);
    EXPECT(&s, ALL, hedge_canceled_winner_found, 2);
    EXPECT(&s, ALL, hedge_canceled_deadline, 3);
    EXPECT(&s, ALL, hedge_canceled_app_canceled, 2);
    EXPECT(&s, ALL, hedge_refused, 1);
    EXPECT(&s, ALL, hedge_state_primary_won_pre_threshold, 1);
    EXPECT(&s, ALL, hedge_state_primary_won_after_hedge, 1);
    EXPECT(&s, ALL, hedge_state_alternate_won, 2);
    EXPECT(&s, ALL, hedge_state_both_transient, 1);
    EXPECT(&s, ALL, hedge_state_both_transient_deadline, 2);
    EXPECT(&s, ALL, hedge_state_cancelled_awaiting_partner, 1);
    EXPECT(&s, ALL, hedge_state_deadline_pre_threshold, 1);
    EXPECT(&s, ALL, hedge_state_ended_early, 1);
    EXPECT_NULL(&s, LATE, hedge_refused);
    uint64_t in_rows = 0;
    for (size_t i = 0; i < s.result.interval_count; i++)
        in_rows += s.result.interval[i].hedges;
    ck_assert_uint_eq(in_rows, 8);
}
END_TEST

START_TEST(a_phase_without_operations_has_null_and_never_0)
{
    static const sim_metric_id ids[] = {
        SIM_METRIC_requests,       SIM_METRIC_availability,       SIM_METRIC_error_count,
        SIM_METRIC_latency_p50,    SIM_METRIC_latency_max,        SIM_METRIC_latency_mean,
        SIM_METRIC_latency_ok_max, SIM_METRIC_latency_ok_mean,    SIM_METRIC_interval_p99_mean,
        SIM_METRIC_canary_count,   SIM_METRIC_load_amplification, SIM_METRIC_client_availability_min,
        SIM_METRIC_flap_rate,      SIM_METRIC_canary_delay_p99,   SIM_METRIC_canary_failure_ratio};
    script_begin(&s);
    script_operation(&s, 0, 0, S(10), MS(1), OK);
    script_end(&s);
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        const sim_metric_value *value = script_metric(&s, MIDDLE, ids[i]);
        ck_assert_msg(value->is_null && value->samples == 0, "%s", sim_metric_at(ids[i])->name);
    }
    /* Events that could have happened to the fleet and did not are 0. */
    EXPECT(&s, MIDDLE, trip_count, 0);
    EXPECT(&s, MIDDLE, away_healthy_s, 0);
    EXPECT(&s, ALL, requests, 1);
}
END_TEST

START_TEST(latencies_are_nearest_ranks_of_all_and_of_successes)
{
    script_begin(&s);
    /* 1, 2, ... 100 ms succeed, 100 more take 1 s and fail. */
    for (int i = 1; i <= 100; i++)
        script_operation(&s, 0, 0, S(i), MS(i), OK);
    for (int i = 1; i <= 100; i++)
        script_operation(&s, 0, 0, S(200 + i), S(1), ERROR);
    script_end(&s);
    const double p50 = script_metric(&s, ALL, SIM_METRIC_latency_p50)->value; /* rank 100 of 200 */
    ck_assert(p50 == (double)MS(100) || (p50 > (double)MS(100) && p50 <= (double)MS(100) * 1.004));
    EXPECT(&s, ALL, latency_p90, S(1));
    EXPECT(&s, ALL, latency_p95, S(1));
    EXPECT_NULL(&s, ALL, latency_p99);
    EXPECT(&s, ALL, latency_max, S(1));
    EXPECT(&s, ALL, latency_mean, (double)(MS(5050) + S(100)) / 200);
    const double ok_p90 = script_metric(&s, ALL, SIM_METRIC_latency_ok_p90)->value; /* rank 90 of 100 */
    ck_assert(ok_p90 >= (double)MS(90) && ok_p90 <= (double)MS(90) * 1.004);
    EXPECT(&s, ALL, latency_ok_max, MS(100));
    EXPECT(&s, ALL, latency_ok_mean, (double)MS(5050) / 100);
    EXPECT_SAMPLES(&s, ALL, latency_p99, 200);
    EXPECT_SAMPLES(&s, ALL, latency_ok_p90, 100);
}
END_TEST

START_TEST(a_percentile_needs_ten_samples_beyond_it_but_maximum_and_means_do_not)
{
    /* 99, 100, 101 samples: 9.9, 10 and 10.1 beyond the p90. */
    script_begin(&s);
    for (int i = 0; i < 99 + _i; i++)
        script_operation(&s, 0, 0, S(10 + i), MS(4), OK);
    script_end(&s);
    ck_assert_int_eq(script_metric(&s, ALL, SIM_METRIC_latency_p90)->is_null, _i == 0);
    ck_assert_int_eq(script_metric(&s, ALL, SIM_METRIC_latency_ok_p90)->is_null, _i == 0);
    EXPECT_SAMPLES(&s, ALL, latency_p90, 99 + _i);
    EXPECT(&s, ALL, latency_p50, MS(4));
    EXPECT(&s, ALL, latency_max, MS(4));
    EXPECT(&s, ALL, latency_mean, MS(4));
    EXPECT(&s, ALL, interval_p99_mean, MS(4));
}
END_TEST

START_TEST(interval_p99_mean_takes_samples_that_have_operations_and_phase_edges_cut_samples)
{
    s.phase[0].start = S(75); /* in the middle of the sample [60, 90) */
    s.phase[1].start = S(90);
    script_begin(&s);
    script_operation(&s, 0, 0, S(0), MS(100), OK);  /* sample 0: 100 ms */
    script_operation(&s, 0, 0, S(60), MS(400), OK); /* sample 2, first piece: 400 ms */
    script_operation(&s, 0, 0, S(75), MS(300), OK); /* sample 2, second piece: 300 ms; whole sample: 400 ms */
    script_operation(&s, 0, 0, S(90), MS(700), OK); /* sample 3 */
    script_end(&s);
    EXPECT(&s, ALL, interval_p99_mean, MS(400)); /* (100 + 400 + 700) / 3 */
    EXPECT_SAMPLES(&s, ALL, interval_p99_mean, 3);
    EXPECT(&s, MIDDLE, interval_p99_mean, MS(300));
    EXPECT(&s, LATE, interval_p99_mean, MS(700));
    EXPECT_SAMPLES(&s, LATE, interval_p99_mean, 1);
}
END_TEST

START_TEST(interval_rows_hold_counts_and_percentiles_of_what_started_in_them)
{
    s.scenario.interval = S(40); /* cuts samples, and samples cut it */
    script_begin(&s);
    script_operation(&s, 0, 0, S(10), MS(10), OK);
    script_operation(&s, 0, 0, S(30), MS(30), OK);
    script_operation(&s, 0, 0, S(40) - 1, MS(50), ERROR);
    script_ended(&s, (sim_ended){.start = S(40), .end = S(41), .canary_retry = -1, .legs = 3, .flags = OK});
    script_end(&s);
    ck_assert_uint_eq(s.result.interval_count, 90);
    const sim_interval_row *row = s.result.interval;
    ck_assert_int_eq(row[0].start, 0);
    ck_assert_int_eq(row[1].start, S(40));
    ck_assert_uint_eq(row[0].requests, 3);
    ck_assert_uint_eq(row[0].errors, 1);
    ck_assert_uint_eq(row[0].legs, 3);
    ck_assert_int_ge(row[0].latency_p50, MS(30));
    ck_assert_int_le(row[0].latency_p50, MS(30) + MS(30) / 250);
    ck_assert_int_eq(row[0].latency_p99, MS(50));
    ck_assert_int_eq(row[0].latency_max, MS(50));
    ck_assert_uint_eq(row[1].requests, 1);
    ck_assert_uint_eq(row[1].legs, 3);
    ck_assert_int_eq(row[1].latency_p50, S(1));
    ck_assert_uint_eq(row[2].requests, 0);
    ck_assert_int_eq(row[2].latency_p50, -1);
    ck_assert_int_eq(row[2].latency_p99, -1);
    ck_assert_int_eq(row[2].latency_max, -1);
    EXPECT(&s, ALL, load_amplification, 1.5);
}
END_TEST

START_TEST(the_last_interval_may_be_short)
{
    s.scenario.interval = S(3500);
    script_begin(&s);
    script_operation(&s, 0, 0, S(3599), MS(10), OK);
    script_end(&s);
    ck_assert_uint_eq(s.result.interval_count, 2);
    ck_assert_uint_eq(s.result.interval[1].requests, 1);
}
END_TEST

START_TEST(a_late_operation_counts_but_moves_no_closed_percentile)
{
    /* Slice [0, 30) closes at 30 + 3 + 60 = 93 s. The second operation ends 1 ns before that, at it, 1 ns after it. */
    const bool is_late = _i >= 0;
    script_begin(&s);
    script_operation(&s, 0, 0, S(1), MS(10), OK);
    script_operation(&s, 0, 0, S(2), S(91) + _i, OK);
    script_operation(&s, 0, 0, S(2), S(3000), ERROR); /* late in any case */
    script_end(&s);
    EXPECT(&s, ALL, requests, 3);
    EXPECT(&s, ALL, error_count, 1);
    EXPECT(&s, ALL, latency_max, S(3000));
    EXPECT(&s, ALL, load_amplification, 1);
    EXPECT(&s, ALL, interval_p99_mean, is_late ? (double)MS(10) : (double)(S(91) + _i));
    EXPECT_SAMPLES(&s, ALL, interval_p99_mean, 1);
    const sim_interval_row *row = s.result.interval;
    ck_assert_uint_eq(row->requests, 3);
    ck_assert_uint_eq(row->errors, 1);
    ck_assert_uint_eq(row->legs, 3);
    ck_assert_int_eq(row->latency_max, S(3000));
    ck_assert_int_eq(row->latency_p99, is_late ? MS(10) : S(91) + _i);
}
END_TEST

START_TEST(lateness_does_not_depend_on_batches)
{
    sim_digest digest[2];
    sim_ended batch[200];
    for (int i = 0; i < 200; i++)
        batch[i] = (sim_ended){.start = S(i % 40), .end = S(40 + 2 * i), .canary_retry = -1, .legs = 1, .flags = OK};
    for (size_t size = 1; size <= 200; size += 199) {
        script_init(&s);
        script_begin(&s);
        const sim_observer *observer = sim_metrics_observer(s.metrics);
        for (size_t i = 0; i < 200; i += size)
            observer->ended(observer->context, batch + i, size);
        script_end(&s);
        digest[size > 1] = sim_run_metrics_digest(&s.result);
        script_deinit(&s);
    }
    ck_assert_uint_eq(digest[0].lane[0], digest[1].lane[0]);
    ck_assert_uint_eq(digest[0].lane[1], digest[1].lane[1]);
}
END_TEST

/* A life of two partitions, in which all that is told at once is told in its order. `late`: operations are held back
 * and come in one batch after everything else. */
static sim_digest tell_life(uint64_t seed, bool is_late)
{
    static sim_ended held[600];
    size_t count = 0;
    script_init(&s);
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(100), S(700));
    script_unhealthy(&s, 0, 1, READS, S(900), S(2400));
    script_begin(&s);
    for (int i = 0; i < 600; i++) {
        const uint64_t word = sim_mix64(seed * 1000 + (uint64_t)i);
        const uint32_t partition = word & 1;
        const int64_t at = S(5 * i);
        const bool is_away = (word >> 1 & 1) != 0;
        const sim_ended ended = {.start = at - S(word >> 8 & 3),
                                 .end = at,
                                 .canary_retry = -1,
                                 .client = word >> 2 & 1,
                                 .partition = partition,
                                 .legs = 1,
                                 .kind = SIM_KIND_READ,
                                 .first_region = is_away ? 2 : 0,
                                 .flags = (uint8_t)(is_away ? OK | SIM_ENDED_AWAY : OK)};
        if (ended.start < 0)
            continue;
        if (is_late)
            held[count++] = ended;
        else
            script_ended(&s, ended);
        if ((word >> 16 & 3) == 0)
            script_failed_leg(&s, ended.client, partition, 0, ended.start, false);
        if ((word >> 18 & 15) == 0)
            script_trip(&s, ended.client, partition, at);
        if ((word >> 18 & 15) == 1)
            script_failback(&s, ended.client, partition, at);
        if ((word >> 18 & 15) == 2)
            script_canary(&s, ended.client, partition, RGN_EVIDENCE_FAILURE, ended.start);
    }
    const sim_observer *observer = sim_metrics_observer(s.metrics);
    observer->ended(observer->context, held, count);
    script_end(&s);
    EXPECT(&s, ALL, requests, is_late ? (double)count : script_metric(&s, ALL, SIM_METRIC_requests)->value);
    ck_assert_double_gt(script_metric(&s, ALL, SIM_METRIC_trip_count)->value, 1);
    ck_assert_double_gt(script_metric(&s, ALL, SIM_METRIC_home_unhealthy_requests)->value, 1);
    const sim_digest digest = sim_run_metrics_digest(&s.result);
    script_deinit(&s);
    return digest;
}

START_TEST(operations_may_be_told_of_after_what_came_later)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const sim_digest at_once = tell_life(seed, false);
        const sim_digest late = tell_life(seed, true);
        ck_assert_uint_eq(at_once.lane[0], late.lane[0]);
        ck_assert_uint_eq(at_once.lane[1], late.lane[1]);
    }
    script_init(&s); /* for the fixture */
}
END_TEST

START_TEST(short_intervals_close_slices_early_and_keep_their_number_bounded)
{
    s.scenario.interval = MS(10); /* 360000 slices; 63 s of life would be 6300 open ones */
    script_begin(&s);
    for (int i = 0; i < 2000; i++)
        script_operation(&s, 0, 0, MS(10) * i, MS(5), OK);
    size_t open = 0;
    for (size_t i = 0; i < s.metrics->slice_count; i++)
        open += s.metrics->slice[i].open != NULL;
    ck_assert_uint_eq(open, SIMI_OPEN_SLICES_MAX);
    script_end(&s);
    EXPECT(&s, ALL, requests, 2000);
    ck_assert_int_eq(s.result.interval[1999].latency_p99, MS(5));
    ck_assert_int_eq(s.result.interval[0].latency_p99, MS(5));
}
END_TEST

START_TEST(memory_does_not_grow_with_operations)
{
    script_begin(&s);
    script_operation(&s, 0, 0, S(10), MS(1), OK);
    const simi_open_slice *open = s.metrics->slice[0].open;
    for (int i = 0; i < 1000000; i++)
        script_operation(&s, (uint32_t)i % CLIENTS, (uint32_t)i % PARTITIONS, S(10) + i, MS(1) + i * 1000, OK);
    ck_assert_ptr_eq(s.metrics->slice[0].open, open);
    ck_assert_ptr_null(s.metrics->spare);
    ck_assert_uint_eq(s.metrics->pair_count, 1); /* the one that stands for none */
    ck_assert_uint_eq(s.metrics->span_count, 1);
    ck_assert_uint_eq(s.metrics->row_room, 0);
    for (size_t i = 1; i < s.metrics->slice_count; i++)
        ck_assert_ptr_null(s.metrics->slice[i].open);
    script_end(&s);
    EXPECT(&s, ALL, requests, 1000001);
}
END_TEST

START_TEST(slices_are_reused_once_closed)
{
    script_begin(&s);
    for (int i = 0; i < 3600; i++)
        script_operation(&s, 0, 0, S(i), MS(2), OK);
    size_t held = 0;
    for (size_t i = 0; i < s.metrics->slice_count; i++)
        held += s.metrics->slice[i].open != NULL;
    for (const simi_open_slice *spare = s.metrics->spare; spare != NULL; spare = spare->next)
        held++;
    ck_assert_uint_le(held, 4); /* 93 s of 30 s slices */
    script_end(&s);
    EXPECT(&s, ALL, requests, 3600);
    EXPECT_SAMPLES(&s, ALL, interval_p99_mean, 120);
}
END_TEST

START_TEST(a_slice_whose_counts_are_full_is_folded_and_goes_on)
{
    script_begin(&s);
    s.metrics->fold_at = 3;
    for (int i = 1; i <= 10; i++)
        script_operation(&s, 0, 0, S(i), MS(i), i == 10 ? ERROR : OK);
    ck_assert_uint_eq(s.metrics->slice[0].open->recorded, 1);
    script_end(&s);
    EXPECT(&s, ALL, requests, 10);
    EXPECT(&s, ALL, error_count, 1);
    EXPECT(&s, ALL, latency_mean, (double)MS(55) / 10);
    EXPECT(&s, ALL, interval_p99_mean, MS(10));
    ck_assert_uint_eq(s.result.interval[0].requests, 10);
    ck_assert_int_eq(s.result.interval[0].latency_p99, MS(10));
}
END_TEST

START_TEST(requests_away_and_at_home_are_judged_by_the_truth_of_their_kind_at_their_start)
{
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, READS, S(100), S(200));
    script_begin(&s);
    script_operation(&s, 0, 0, S(50), MS(1), OK);         /* home, healthy */
    script_operation(&s, 0, 0, S(60), MS(1), OK | AWAY);  /* away, healthy: calm slice */
    script_operation(&s, 0, 0, S(99), MS(1), OK | AWAY);  /* away, healthy */
    script_operation(&s, 0, 0, S(100), MS(1), OK | AWAY); /* away, unhealthy */
    script_operation(&s, 0, 0, S(100), MS(1), ERROR);     /* home, unhealthy */
    script_operation(&s, 0, 0, S(200) - 1, MS(1), OK);    /* home, unhealthy */
    script_operation(&s, 0, 0, S(200), MS(1), OK);        /* home, healthy */
    script_operation(&s, 2, 0, S(150), MS(1), OK);        /* region 1 is its home: healthy */
    sim_ended write = {.start = S(150), .end = S(151), .canary_retry = -1, .kind = SIM_KIND_WRITE, .flags = OK};
    script_ended(&s, write); /* writes are healthy all the time */
    sim_ended led_home = {.start = S(210), .end = S(211), .canary_retry = -1, .first_region = 0, .flags = OK | AWAY};
    script_ended(&s, led_home); /* another region was overridden: it went home */
    script_end(&s);
    EXPECT(&s, ALL, away_healthy_requests, 2);
    EXPECT(&s, ALL, home_unhealthy_requests, 2);
    EXPECT_SAMPLES(&s, ALL, away_healthy_requests, 10);
}
END_TEST

START_TEST(writes_to_a_single_write_account_are_not_judged_by_home)
{
    s.scenario.multi_write = false;
    script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, BOTH, S(100), S(200));
    script_begin(&s);
    sim_ended op = {.start = S(150), .end = S(151), .canary_retry = -1, .kind = SIM_KIND_WRITE, .flags = ERROR};
    script_ended(&s, op);
    op.kind = SIM_KIND_READ;
    script_ended(&s, op);
    script_end(&s);
    EXPECT(&s, ALL, home_unhealthy_requests, 1);
}
END_TEST

START_TEST(the_worst_clients_show)
{
    /* Client 0: 1/2 in the beginning, 1 in `middle`. Client 1: 3/4. Client 2: never asked. */
    script_begin(&s);
    script_operation(&s, 0, 0, S(10), MS(1), OK);
    script_operation(&s, 0, 0, S(11), MS(1), ERROR);
    for (int i = 0; i < 4; i++)
        script_operation(&s, 1, 0, S(20), MS(1), i == 0 ? ERROR : OK);
    script_operation(&s, 0, 0, S(1200), MS(1), OK);
    script_operation(&s, 0, 0, S(1201), MS(1), OK);
    script_end(&s);
    EXPECT(&s, ALL, client_availability_min, 0.75);
    EXPECT(&s, ALL, client_availability_p50, 0.75);
    EXPECT_SAMPLES(&s, ALL, client_availability_p50, 2);
    EXPECT(&s, MIDDLE, client_availability_min, 1);
    EXPECT_SAMPLES(&s, MIDDLE, client_availability_min, 1);
    EXPECT_NULL(&s, LATE, client_availability_p05);
}
END_TEST

START_TEST(client_percentiles_are_nearest_ranks_over_clients)
{
    /* Client i of 40 loses i of 100. p05: rank 2 from the worst, p50: rank 20. */
    s.group[0].count = 40;
    s.group[1] = (sim_client_group){.name = "west", .count = 0, .first_client = 40};
    s.scenario.client_count = s.workload.clients = 40;
    script_begin(&s);
    for (uint32_t client = 0; client < 40; client++) {
        for (uint32_t i = 0; i < 100; i++)
            script_operation(&s, client, 0, S(10), MS(1), i < client ? ERROR : OK);
    }
    script_end(&s);
    EXPECT(&s, ALL, client_availability_min, 0.61);
    EXPECT(&s, ALL, client_availability_p05, 0.62);
    EXPECT(&s, ALL, client_availability_p50, 0.80);
}
END_TEST

START_TEST(canaries_are_counted_when_sent_and_their_victims_by_phase)
{
    script_begin(&s);
    for (int i = 0; i < 10; i++)
        script_operation(&s, 0, 0, S(1200 + i), MS(1), i == 0 ? CANARY | ERROR : OK);
    script_operation(&s, 0, 0, S(2400), MS(1), CANARY | OK);
    script_canary(&s, 0, 0, RGN_EVIDENCE_SUCCESS, S(1200));
    script_canary(&s, 0, 0, RGN_EVIDENCE_FAILURE, S(1201));
    script_canary(&s, 0, 1, RGN_EVIDENCE_TIMEOUT, S(2400) - 1); /* its end lies in `late` */
    script_canary(&s, 1, 1, RGN_EVIDENCE_NEUTRAL, S(1203));
    script_canary(&s, 1, 1, RGN_EVIDENCE_SUCCESS, S(2400));
    script_canary(&s, 1, 1, RGN_EVIDENCE_FAILURE, S(3600)); /* after the end */
    s.output.late_successes = 2;
    s.output.late_failures = 3;
    script_end(&s);
    EXPECT(&s, ALL, canary_count, 5);
    EXPECT(&s, MIDDLE, canary_count, 4);
    EXPECT(&s, LATE, canary_count, 1);
    EXPECT(&s, ALL, canary_failure_count, 2);
    EXPECT(&s, MIDDLE, canary_failure_count, 2);
    EXPECT(&s, LATE, canary_failure_count, 0);
    EXPECT(&s, MIDDLE, canary_blast_radius, 0.2);
    EXPECT(&s, MIDDLE, canary_failure_ratio, 0.5);
    EXPECT(&s, ALL, canary_failure_ratio, 0.4);
    EXPECT(&s, MIDDLE, canary_caller_error_count, 1);
    EXPECT(&s, LATE, canary_caller_error_count, 0);
    EXPECT(&s, ALL, clients_touched_share, 1.0 / 3);
    EXPECT(&s, MIDDLE, clients_touched_share, 1.0 / 3);
    EXPECT(&s, LATE, clients_touched_share, 0);
    EXPECT(&s, ALL, partitions_touched_share, 0.5);
    EXPECT_SAMPLES(&s, ALL, partitions_touched_share, PARTITIONS);
    EXPECT(&s, ALL, canary_late_count, 5);
    EXPECT_NULL(&s, MIDDLE, canary_late_count);
    ck_assert_uint_eq(s.result.interval[40].canaries, 3);
    ck_assert_uint_eq(s.result.interval[40].canary_failures, 1);
    ck_assert_uint_eq(s.result.interval[79].canary_failures, 1);
}
END_TEST

START_TEST(canary_delay_needs_ten_retries_beyond_its_p99)
{
    const int retries = 999 + _i;
    script_begin(&s);
    for (int i = 0; i < retries; i++) {
        script_ended(
            &s,
            (sim_ended){
                .start = S(10), .end = S(12), .canary_retry = MS(500), .first_region = 0, .flags = CANARY | OK | AWAY});
    }
    script_operation(&s, 0, 0, S(10), S(2), CANARY | OK); /* no retry: no delay */
    script_end(&s);
    EXPECT_SAMPLES(&s, ALL, canary_delay_p99, retries);
    if (_i == 0)
        EXPECT_NULL(&s, ALL, canary_delay_p99);
    else
        EXPECT(&s, ALL, canary_delay_p99, MS(500));
    EXPECT(&s, ALL, away_healthy_requests, retries);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("operations");
    TCase *tcase = tcase_create("operations");
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, operations_belong_to_the_phase_of_their_intended_start);
    tcase_add_test(tcase, races_count_by_their_end_hedges_and_cut_legs_by_their_reason);
    tcase_add_test(tcase, a_phase_without_operations_has_null_and_never_0);
    tcase_add_test(tcase, latencies_are_nearest_ranks_of_all_and_of_successes);
    tcase_add_loop_test(tcase, a_percentile_needs_ten_samples_beyond_it_but_maximum_and_means_do_not, 0, 3);
    tcase_add_test(tcase, interval_p99_mean_takes_samples_that_have_operations_and_phase_edges_cut_samples);
    tcase_add_test(tcase, interval_rows_hold_counts_and_percentiles_of_what_started_in_them);
    tcase_add_test(tcase, the_last_interval_may_be_short);
    tcase_add_loop_test(tcase, a_late_operation_counts_but_moves_no_closed_percentile, -1, 2);
    tcase_add_test(tcase, lateness_does_not_depend_on_batches);
    tcase_add_test(tcase, operations_may_be_told_of_after_what_came_later);
    tcase_add_test(tcase, short_intervals_close_slices_early_and_keep_their_number_bounded);
    tcase_add_test(tcase, memory_does_not_grow_with_operations);
    tcase_add_test(tcase, slices_are_reused_once_closed);
    tcase_add_test(tcase, a_slice_whose_counts_are_full_is_folded_and_goes_on);
    tcase_add_test(tcase, requests_away_and_at_home_are_judged_by_the_truth_of_their_kind_at_their_start);
    tcase_add_test(tcase, writes_to_a_single_write_account_are_not_judged_by_home);
    tcase_add_test(tcase, the_worst_clients_show);
    tcase_add_test(tcase, client_percentiles_are_nearest_ranks_over_clients);
    tcase_add_test(tcase, canaries_are_counted_when_sent_and_their_victims_by_phase);
    tcase_add_loop_test(tcase, canary_delay_needs_ten_retries_beyond_its_p99, 0, 3);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
