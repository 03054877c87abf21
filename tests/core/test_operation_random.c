/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "core_fixture.h"

static fixture f;

static uint64_t random_state;

static uint64_t below(uint64_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % bound;
}

static rgn_response random_response(void)
{
    static const uint16_t answers[][2] = {{200, 0},    {200, 0},    {201, 0},    {304, 0}, {404, 0}, {409, 0},
                                          {503, 0},    {503, 0},    {500, 0},    {408, 0}, {410, 0}, {410, 1002},
                                          {429, 0},    {429, 3092}, {429, 3200}, {449, 0}, {403, 3}, {403, 1008},
                                          {404, 1002}, {404, 1003}, {418, 0},    {0, 0},   {0, 0},   {0, 0}};
    size_t i = below(sizeof answers / sizeof answers[0]);
    rgn_response response = {.status = answers[i][0], .substatus = answers[i][1], .retry_after = RGN_TIME_NEVER};

    if (response.status == 0)
        response.transport = (uint8_t)(1 + below(3));
    if (below(4) == 0)
        response.retry_after = (rgn_dur_ns)below(S(20));
    return response;
}

static void random_options(rgn_options *options)
{
    options->routing_rules = (int64_t)below(2);
    options->breaker_rule = (int64_t)below(3);
    options->breaker_read_failure_threshold = 1 + (int64_t)below(4);
    options->breaker_write_failure_threshold = 1 + (int64_t)below(3);
    options->failback_promote = (int64_t)below(2);
    options->failback_strategy = (int64_t)below(2);
    options->failback_probe_admission = (int64_t)below(2);
    options->failback_canary_percentage = 1 + (int64_t)below(100);
    options->failback_min_sample = 1 + (int64_t)below(5);
    options->failback_eval_window = MS(1) + (int64_t)below(S(20));
    options->failback_sweep_interval = S(1) + (int64_t)below(S(9));
    options->failback_canary_timeout = below(3) == 0 ? (int64_t)below(S(3)) : RGN_AUTO;
    options->retry_max_failover_retry_count = (int64_t)below(6);
    options->retry_max_throttle_retry_count = (int64_t)below(6);
    options->retry_max_throttle_wait = (int64_t)below(S(30));
    options->retry_max_metadata_throttle_retry_count = (int64_t)below(7) - 1;
    options->retry_max_metadata_throttle_wait = below(2) == 0 ? RGN_AUTO : (int64_t)below(S(30));
    options->retry_max_metadata_throttle_delay = below(2) == 0 ? RGN_AUTO : (int64_t)below(S(10));
    options->retry_request_timeout = MS(1) + (int64_t)below(S(7));
    options->retry_exhausted_failures = (int64_t)below(2);
    options->hedging_strategy = (int64_t)below(2);
    options->hedging_threshold = below(3) == 0 ? RGN_AUTO : 1 + (int64_t)below(S(8));
    options->hedging_policy = (int64_t)below(3);
    options->hedging_early_transient = (int64_t)below(2);
    options->hedging_leg_retries = (int64_t)below(2);
    options->hedging_races_per_operation = 1 + (int64_t)below(4);
    options->hedging_secondary = (int64_t)below(3);
    options->hedging_operations = (int64_t)below(3);
    options->hedging_preferred_regions = (int64_t)below(2);
    options->hedging_later_race = (int64_t)below(2);
    options->hedging_primary_hub = (int64_t)below(2);
    options->hedging_budget_metadata = (int64_t)below(3);
    options->hedging_budget_concurrent = below(3) == 0 ? (int64_t)below(4) : INT32_MAX;
    options->hedging_budget_share = below(3) == 0 ? (int64_t)below(1000001) : 1000000;
    options->hedging_max_alternates = 1 + (int64_t)below(7);
    options->hedging_threshold_step = below(4) == 0 ? RGN_TIME_NEVER : (int64_t)below(S(2));
    options->hedging_writes = (int64_t)below(2);
    options->hedging_leg_exclusions = (int64_t)below(2);
    options->hedging_primary_failure = (int64_t)below(2);
    options->hedging_both_transient = (int64_t)below(3);
    options->breaker_cut_legs = (int64_t)below(3);
    options->failback_lost_race = (int64_t)below(2);
    options->failback_hedge_trip_evidence = (int64_t)below(2);
    options->breaker_consecutive_hedge_win_threshold = 1 + (int64_t)below(4);
}

/* The most attempts that the budgets allow: failover, session (as many as regions), backend (ten at most), 449 (below
 * 3000 waits of 10 ms make 30 s), the canary, the legs of each race; and for each of these a throttle's worth. */
static unsigned attempts_max(const rgn_options *options)
{
    unsigned others = 1 + 1 + (unsigned)options->retry_max_failover_retry_count + 8 + 10 + 40;
    unsigned legs = 1 + (unsigned)options->hedging_max_alternates;
    unsigned raced =
        (unsigned)options->hedging_races_per_operation * legs * (2 + (unsigned)options->retry_max_failover_retry_count);
    int64_t throttled = options->retry_max_throttle_retry_count > options->retry_max_metadata_throttle_retry_count
                            ? options->retry_max_throttle_retry_count
                            : options->retry_max_metadata_throttle_retry_count;
    return (others + raced) * (2 + (unsigned)throttled);
}

/* Carries one operation to its end, checking each step. Other operations go on in between through shared state. */
static void check_step(const rgn_op *o, rgn_step step, rgn_time_ns now, uint64_t seed)
{
    if (step == RGN_DONE) {
        ck_assert_uint_ge(o->result.reason, RGN_REASON_DONE_SUCCESS);
        ck_assert_uint_eq(o->open_legs, 0);
        ck_assert(!(o->result.is_success && o->result.is_error));
        return;
    }
    /* A timeout of no length may ring at once, and so does what is due of a race beside that which was done. */
    ck_assert_msg(o->wake_at > now || o->wake_kind == RGN_WAKE_LEG_TIMEOUT || rgn_op_hedge(o) != RGN_HEDGE_NONE,
                  "seed %llu", (unsigned long long)seed);
    ck_assert_uint_ne(o->wake_kind, RGN_WAKE_NONE);
    ck_assert_uint_eq(o->open_legs & o->cancel_legs & ~(1u << o->leg), 0);
    if (step == RGN_SEND)
        ck_assert_uint_ne(o->open_legs & 1u << o->leg, 0);
    else
        ck_assert(o->open_legs == 0 || rgn_op_hedge(o) != RGN_HEDGE_NONE);
    if (step == RGN_SEND && o->reason != RGN_REASON_ROUTE_FALLBACK &&
        !(o->reason == RGN_REASON_ROUTE_HEDGE && o->options->hedging_leg_exclusions == RGN_LEG_EXCLUSIONS_REPLACE))
        ck_assert_msg(!rgn_region_in(o->excluded, o->region), "seed %llu: excluded %x region %u reason %u",
                      (unsigned long long)seed, o->excluded, o->region, o->reason);
}

/* Hedges launched, those of races that ended by the race's end, and races by how many hedges they had. */
static unsigned launched, hedge_ends[RGN_HEDGE_COUNT], races_of[RGN_LEGS_MAX];

static unsigned hedges_ended(void)
{
    return hedge_ends[RGN_HEDGE_ALTERNATE_WON] + hedge_ends[RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE] +
           hedge_ends[RGN_HEDGE_BOTH_TRANSIENT] + hedge_ends[RGN_HEDGE_BOTH_TRANSIENT_DEADLINE] +
           hedge_ends[RGN_HEDGE_CANCELLED_AWAITING_PARTNER];
}

/* Each hedge that was launched ends in exactly one of five ways, that of its race, or is in flight. A race that all
 * legs lost may be followed by the next one within the same call. `hedges`: of the operation's race. */
static void check_races(const rgn_op *o, rgn_hedge before, rgn_step step, unsigned *hedges, uint64_t seed)
{
    rgn_hedge hedge = rgn_op_hedge(o);
    bool is_launch = step == RGN_SEND && o->reason == RGN_REASON_ROUTE_HEDGE;
    bool is_over = before == RGN_HEDGE_LAUNCHED && hedge != RGN_HEDGE_LAUNCHED;

    if (step == RGN_DONE)
        ck_assert_int_eq(rgn_op_hedge_at_end(o), hedge);
    launched += is_launch;
    *hedges += is_launch;
    if (is_over) {
        hedge_ends[hedge == RGN_HEDGE_WAITING ? RGN_HEDGE_BOTH_TRANSIENT : hedge] += *hedges;
        races_of[*hedges]++;
        *hedges = 0;
    }
    ck_assert_msg(launched == hedges_ended() + rgn_router_open_hedges(f.router), "seed %llu", (unsigned long long)seed);
    ck_assert(!is_launch || (hedge == RGN_HEDGE_LAUNCHED && o->leg == *hedges));
    if (step == RGN_DONE)
        ck_assert(hedge != RGN_HEDGE_WAITING && hedge != RGN_HEDGE_LAUNCHED);
}

/* One of the open legs. */
static unsigned any_open_leg(const rgn_op *o)
{
    unsigned leg;

    do
        leg = (unsigned)below(RGN_LEGS_MAX);
    while ((o->open_legs >> leg & 1) == 0);
    return leg;
}

/* Three regions, or eight, so that races may have seven hedges. */
static void random_regions(void)
{
    uint8_t count = (uint8_t)(below(2) == 0 ? 3 : 8);

    f.account.readable = (rgn_region_list){count, {0, 1, 2, 3, 4, 5, 6, 7}};
    if (f.account.multi_write)
        f.account.writable = f.account.readable;
    f.config.preferred = (rgn_region_list){(uint8_t)(below(3) == 0 ? 0 : count), {0, 1, 2, 3, 4, 5, 6, 7}};
}

START_TEST(every_operation_ends_once_within_its_bounds)
{
    enum { LIVES = 60, OPERATIONS = 300, OPEN = 8 };
    unsigned met[RGN_HEDGE_COUNT] = {0};

    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        rgn_op ops[OPEN];
        rgn_fan fans[OPEN];
        unsigned hedges[OPEN] = {0};
        bool is_open[OPEN] = {false};
        unsigned sent[OPEN] = {0};
        rgn_time_ns now = 0;
        unsigned started = 0, ended = 0;

        random_state = seed;
        fixture_init(&f, below(2) == 0);
        f.config.partition_count = 3;
        random_regions();
        launched = 0;
        memset(hedge_ends, 0, sizeof hedge_ends);
        random_options(&f.config.options);
        fixture_start(&f);
        while (ended < OPERATIONS) {
            size_t i = below(OPEN);
            rgn_op *o = &ops[i];
            rgn_hedge before = is_open[i] ? rgn_op_hedge(o) : RGN_HEDGE_NONE;
            rgn_step step;

            now += (rgn_time_ns)(below(3) == 0 ? 0 : below(MS(700)));
            while (rgn_router_next_expiry(f.router) <= now)
                rgn_router_on_expiry(f.router, now, NULL, 0);
            f.draw = below(S(4));
            if (!is_open[i]) {
                rgn_request request = {.partition = (rgn_partition)below(4),
                                       .direction = (uint8_t)below(2),
                                       .is_container_level = below(9) == 0,
                                       .is_feed = below(9) == 0,
                                       .has_excluded = true,
                                       .excluded = below(2) == 0 ? 0 : (rgn_region_set)below(8),
                                       .hash = (uint32_t)below(UINT32_MAX),
                                       .fan = below(4) == 0 ? NULL : &fans[i],
                                       .timeout = below(2) == 0 ? RGN_TIME_NEVER : (rgn_dur_ns)below(S(20))};
                memset(o, 0xa5, sizeof *o);
                step = rgn_op_start(f.router, o, &request, now);
                started++;
                is_open[i] = true;
                sent[i] = 0;
            } else if (now >= o->wake_at) {
                step = rgn_op_on_timer(f.router, o, now);
            } else if (below(40) == 0) {
                step = rgn_op_abandon(f.router, o, now);
            } else if (o->open_legs != 0 && below(3) != 0) {
                rgn_response response = random_response();
                step = rgn_op_on_leg(f.router, o, any_open_leg(o), &response, now);
            } else {
                ck_assert_int_eq(rgn_op_on_timer(f.router, o, now), RGN_WAIT); /* too early: nothing */
                continue;
            }
            check_step(o, step, now, seed);
            check_races(o, before, step, &hedges[i], seed);
            ck_assert_int_le(rgn_router_open_metadata_races(f.router), f.config.options.hedging_budget_metadata);
            sent[i] += step == RGN_SEND;
            ck_assert_msg(sent[i] <= attempts_max(&f.config.options), "seed %llu", (unsigned long long)seed);
            if (step == RGN_DONE) {
                is_open[i] = false;
                ended++;
            }
        }
        ck_assert_uint_ge(started, ended);
        for (size_t i = 0; i < OPEN; i++)
            if (is_open[i])
                ck_assert_int_eq(rgn_op_abandon(f.router, &ops[i], now), RGN_DONE);
        for (rgn_partition p = 0; p < 3; p++) /* every canary has given its place back */
            ck_assert_msg(fixture_entry(&f, p).canary_in_flight == 0, "seed %llu", (unsigned long long)seed);
        ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
        ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), 0);
        for (unsigned k = 0; k < RGN_HEDGE_COUNT; k++)
            met[k] += hedge_ends[k];
        fixture_stop(&f);
    }
    for (unsigned k = RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE; k <= RGN_HEDGE_CANCELLED_AWAITING_PARTNER; k++)
        ck_assert_msg(met[k] > 0, "no race ended with %s", rgn_hedge_name((rgn_hedge)k));
    for (unsigned hedges = 1; hedges < RGN_LEGS_MAX; hedges++)
        ck_assert_msg(races_of[hedges] > 0, "no race had %u hedges", hedges);
    printf("random lives: seeds 1 to %d\n", LIVES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("operation_random");
    TCase *tc = tcase_create("operation_random");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, every_operation_ends_once_within_its_bounds);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
