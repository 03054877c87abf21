/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A knob that changes nothing is none: streams of hedged reads under the default options and with one value changed. */
#include <stdio.h>

#include "hedge_script.h"

static uint64_t random_state;

static uint64_t below(uint64_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % bound;
}

static uint64_t digest;

static void note(uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(1099511628211);
}

static void note_step(rgn_step step, rgn_time_ns at)
{
    note((uint64_t)op.send_flags << 40 | (uint64_t)step << 32 | (uint64_t)op.reason << 16 | (uint64_t)op.leg << 8 |
         op.region);
    note((uint64_t)at);
    if (step == RGN_DONE)
        note((uint64_t)op.result.status << 16 | op.result.substatus);
    note((uint64_t)rgn_op_hedge(&op) << 8 | fixture_entry(&f, 0).phase);
    note((uint64_t)fixture_entry(&f, 0).canary_total << 32 | fixture_entry(&f, 0).canary_success);
}

/* Some answers lack the session, refuse it, or say that the region is busy: so many kinds of the list below. */
static unsigned other_answers;

/* How long a leg takes and what it answers depends on when and where it was sent, and on nothing else. */
static rgn_time_ns end_of_leg(rgn_time_ns sent, unsigned *status, unsigned *substatus)
{
    static const unsigned others[][2] = {{404, 1002}, {403, 3}, {429, 3092}, {403, 1008}, {429, 0}};
    uint64_t kept = random_state;
    rgn_time_ns end;

    random_state = (uint64_t)sent * 7 + op.region;
    below(2);
    *status = below(5) == 0 ? 503 : 200;
    *substatus = 0;
    if (other_answers > 0 && below(2) == 0) {
        uint64_t which = below(other_answers);
        *status = others[which][0];
        *substatus = others[which][1];
    }
    end = sent + (rgn_time_ns)below(below(4) == 0 ? MS(40) : MS(900));
    random_state = kept;
    return end;
}

/* One read from its start to its end. */
static void live(const rgn_request *request, rgn_time_ns now)
{
    rgn_time_ns ends[RGN_LEGS_MAX];
    unsigned statuses[RGN_LEGS_MAX] = {0, 0}, substatuses[RGN_LEGS_MAX] = {0, 0};
    rgn_step step = begin(request, now);

    for (unsigned leg = 0; leg < RGN_LEGS_MAX; leg++)
        ends[leg] = RGN_TIME_NEVER;
    for (;;) {
        unsigned leg = 0;
        note_step(step, now);
        if (step == RGN_DONE)
            return;
        for (unsigned i = 0; i < RGN_LEGS_MAX; i++)
            if ((op.cancel_legs >> i & 1) != 0)
                ends[i] = RGN_TIME_NEVER;
        if (step == RGN_SEND)
            ends[op.leg] = end_of_leg(now, &statuses[op.leg], &substatuses[op.leg]);
        for (unsigned i = 1; i < RGN_LEGS_MAX; i++)
            leg = ends[i] < ends[leg] ? i : leg;
        if (ends[leg] <= op.wake_at) {
            now = ends[leg];
            ends[leg] = RGN_TIME_NEVER;
            step = answer(leg, statuses[leg], substatuses[leg], now);
        } else {
            now = op.wake_at;
            step = rgn_op_on_timer(f.router, &op, now);
        }
    }
}

/* Reads of a single-write account, some of them of metadata. */
static void live_in_session_world(rgn_knob_id knob, int64_t value)
{
    hedge_init(false);
    f.account.automatic_failover = true;
    f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
    f.config.options.hedging_metadata_threshold = MS(300);
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE; /* many races without a winner */
    f.config.options.retry_max_failover_retry_count = 0;         /* and no budget to go on */
    if (knob != RGN_KNOB_COUNT)
        rgn_options_set(&f.config.options, knob, value);
    fixture_start(&f);
    other_answers = 4;
    for (int i = 0; i < 200; i++) {
        rgn_request request = a_read;
        request.is_container_level = below(3) == 0;
        request.timeout = S(4);
        live(&request, S(5) * i);
    }
    other_answers = 0;
    hedge_teardown();
}

/* Reads of a single-write account that race more than once in their lives: of callers that name regions, then of
 * others.
 */
static void live_with_later_races(rgn_knob_id knob, int64_t value)
{
    for (int is_named = 1; is_named >= 0; is_named--) {
        hedge_init(false);
        f.config.preferred.count = is_named ? 3 : 0;
        f.config.options.hedging_races_per_operation = 3;
        f.config.options.hedging_secondary = RGN_SECONDARY_FIRST_DISTINCT;
        f.config.options.retry_max_failover_retry_count = 2;
        if (knob != RGN_KNOB_COUNT)
            rgn_options_set(&f.config.options, knob, value);
        fixture_start(&f);
        other_answers = 5;
        for (int i = 0; i < 100; i++) {
            rgn_request request = a_read;
            request.is_container_level = below(3) == 0;
            live(&request, S(90) * i);
        }
        other_answers = 0;
        hedge_teardown();
    }
}

/* Reads of partition 0, some of them feeds, of an account with automatic failover, while the partition trips for wins
 * and recovers. */
static uint64_t digest_with(rgn_knob_id knob, int64_t value)
{
    digest = UINT64_C(14695981039346656037);
    random_state = 5;
    hedge_init(true);
    f.config.options.hedging_strategy = RGN_HEDGING_ON;
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 50;
    f.config.options.breaker_read_failure_threshold = 1000;
    f.config.options.breaker_consecutive_hedge_win_threshold = 2;
    if (knob != RGN_KNOB_COUNT)
        rgn_options_set(&f.config.options, knob, value);
    ck_assert_int_eq(rgn_options_validate(&f.config.options, NULL), RGN_OK);
    fixture_start(&f);
    for (int i = 0; i < 400; i++) {
        rgn_request request = a_read;
        rgn_time_ns now = S(2) * i;
        request.is_feed = below(5) == 0;
        request.timeout = S(4);
        while (rgn_router_next_expiry(f.router) <= now)
            rgn_router_on_expiry(f.router, now, NULL, 0);
        live(&request, now);
    }
    hedge_teardown();
    live_in_session_world(knob, value);
    live_with_later_races(knob, value);
    return digest;
}

static const struct {
    rgn_knob_id knob;
    int64_t value;
} flips[] = {
    {RGN_KNOB_hedging_enabled, 0},
    {RGN_KNOB_hedging_strategy, RGN_HEDGING_DISABLED},
    {RGN_KNOB_hedging_threshold, MS(150)},
    {RGN_KNOB_hedging_threshold, RGN_AUTO},
    {RGN_KNOB_hedging_policy, RGN_HEDGING_ADAPTIVE},
    {RGN_KNOB_hedging_policy, RGN_HEDGING_NAIVE},
    {RGN_KNOB_hedging_early_transient, RGN_EARLY_LAUNCH},
    {RGN_KNOB_hedging_leg_retries, RGN_LEG_RETRIES_NONE},
    {RGN_KNOB_hedging_races_per_operation, 2},
    {RGN_KNOB_hedging_secondary, RGN_SECONDARY_FIRST_DISTINCT},
    {RGN_KNOB_hedging_secondary, RGN_SECONDARY_UNTRIPPED},
    {RGN_KNOB_hedging_activation, RGN_ACTIVATION_WITH_FAILOVER},
    {RGN_KNOB_hedging_operations, RGN_HEDGED_FEEDS_AND_METADATA},
    {RGN_KNOB_hedging_operations, RGN_HEDGED_POINT_READS_AND_METADATA},
    {RGN_KNOB_hedging_preferred_regions, RGN_PREFERRED_REGIONS_ANY},
    {RGN_KNOB_hedging_later_race, RGN_LATER_RACE_FUNDED},
    {RGN_KNOB_hedging_primary_hub, RGN_PRIMARY_HUB_OMIT},
    {RGN_KNOB_hedging_budget_metadata, 0},
    {RGN_KNOB_retry_max_metadata_throttle_retry_count, 0},
    {RGN_KNOB_retry_max_metadata_throttle_wait, 0},
    {RGN_KNOB_retry_max_metadata_throttle_delay, MS(2)},
    {RGN_KNOB_hedging_budget_concurrent, 0},
    {RGN_KNOB_hedging_budget_share, 20000},
    {RGN_KNOB_hedging_refused_hub, RGN_REFUSED_HUB_FINAL},
    {RGN_KNOB_hedging_account_not_found, RGN_NOT_FOUND_TRANSIENT},
    {RGN_KNOB_hedging_early_final, RGN_EARLY_FINAL_RETURN},
    {RGN_KNOB_hedging_both_transient, RGN_BOTH_TRANSIENT_TWO_FAILOVERS},
    {RGN_KNOB_hedging_exhausted_race, RGN_EXHAUSTED_RACE_UNAVAILABLE},
    {RGN_KNOB_hedging_session_race, RGN_SESSION_RACE_PREFERRED},
    {RGN_KNOB_hedging_metadata_error, RGN_METADATA_ERROR_TRANSIENT},
    {RGN_KNOB_hedging_metadata_threshold, MS(150)},
    {RGN_KNOB_retry_busy_region, RGN_BUSY_BACK_OFF},
    {RGN_KNOB_failback_lost_race, RGN_LOST_RACE_NEUTRAL},
    {RGN_KNOB_failback_hedge_trip_evidence, RGN_EVIDENCE_BY_STATUS_AND_LATENCY},
    {RGN_KNOB_breaker_consecutive_hedge_win_threshold, 3},
};

START_TEST(every_value_of_every_hedging_knob_changes_what_happens)
{
    uint64_t before = digest_with(RGN_KNOB_COUNT, 0);
    uint64_t after = digest_with(flips[_i].knob, flips[_i].value);

    ck_assert_msg(before != after, "%s changes nothing", rgn_knob_at(flips[_i].knob)->name);
    ck_assert_uint_eq(before, digest_with(RGN_KNOB_COUNT, 0));
}
END_TEST

/* Reads and writes of a client that may have two hedges, some of which leave a region out. */
static uint64_t digest_of_fans(rgn_knob_id knob, int64_t value)
{
    rgn_fan fan;

    digest = UINT64_C(14695981039346656037);
    random_state = 5;
    hedge_init(true);
    f.config.options.hedging_max_alternates = 2;
    if (knob != RGN_KNOB_COUNT)
        rgn_options_set(&f.config.options, knob, value);
    fixture_start(&f);
    for (int i = 0; i < 100; i++) {
        rgn_request request = a_read;
        request.direction = (uint8_t)(below(4) == 0 ? RGN_WRITE : RGN_READ);
        request.has_excluded = true;
        request.excluded = below(2) == 0 ? SET(1) : 0;
        request.fan = &fan;
        live(&request, S(8) * i);
    }
    hedge_teardown();
    return digest;
}

START_TEST(every_knob_of_several_hedges_changes_what_happens)
{
    static const struct {
        rgn_knob_id knob;
        int64_t value;
    } rows[] = {{RGN_KNOB_hedging_max_alternates, 1},
                {RGN_KNOB_hedging_threshold_step, MS(50)},
                {RGN_KNOB_hedging_threshold_step, RGN_TIME_NEVER},
                {RGN_KNOB_hedging_writes, 1},
                {RGN_KNOB_hedging_leg_exclusions, RGN_LEG_EXCLUSIONS_REPLACE}};
    const uint64_t before = digest_of_fans(RGN_KNOB_COUNT, 0);

    ck_assert_uint_eq(before, digest_of_fans(RGN_KNOB_COUNT, 0));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(before != digest_of_fans(rows[i].knob, rows[i].value), "row %zu changes nothing", i);
}
END_TEST

/* The quantile only matters to a threshold that follows one, and so it is turned together with the policy. */
START_TEST(the_quantile_moves_an_adaptive_threshold)
{
    uint64_t seen[2];

    for (int i = 0; i < 2; i++) {
        hedge_init(true);
        f.config.options.hedging_policy = RGN_HEDGING_ADAPTIVE;
        f.config.options.hedging_quantile = i == 0 ? 500000 : 990000;
        fixture_start(&f);
        digest = 0;
        for (int k = 0; k < 200; k++)
            live(&a_read, S(8) * k);
        seen[i] = digest;
        hedge_teardown();
    }
    ck_assert_uint_ne(seen[0], seen[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hedging_knobs");
    TCase *tc = tcase_create("hedging_knobs");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_loop_test(tc, every_value_of_every_hedging_knob_changes_what_happens, 0,
                        (int)(sizeof flips / sizeof flips[0]));
    tcase_add_test(tc, every_knob_of_several_hedges_changes_what_happens);
    tcase_add_test(tc, the_quantile_moves_an_adaptive_threshold);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
