/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may be hedged, from when, to where, and at what cost. Tests that the published hedging specification lists keep
 * the names it gives them. */
#include "hedge_script.h"

#include "classify_table.h"
#include "router_impl.h"

/* Whether a race begins for the request. */
static bool hedges(const rgn_request *request)
{
    bool is_waiting;

    begin(request, 0);
    is_waiting = rgn_op_hedge(&op) == RGN_HEDGE_WAITING;
    rgn_op_abandon(f.router, &op, 0);
    return is_waiting;
}

/* --- who may race ------------------------------------------------------------------------------------------------ */

START_TEST(should_hedge_read_multi_region)
{
    ck_assert(hedges(&a_read));
}
END_TEST

START_TEST(should_hedge_read_single_region)
{
    f.account.readable.count = f.account.writable.count = 1;
    hedge_restart();
    ck_assert(!hedges(&a_read));
}
END_TEST

START_TEST(should_hedge_excluded_to_one_region)
{
    rgn_request request = a_read;

    request.has_excluded = true;
    for (rgn_region_set excluded = 0; excluded < 8; excluded++) {
        int allowed = 3 - (int)((excluded & 1) + (excluded >> 1 & 1) + (excluded >> 2 & 1));
        request.excluded = excluded;
        ck_assert_int_eq(hedges(&request), allowed >= 2);
    }
}
END_TEST

START_TEST(should_hedge_no_preferred_regions)
{
    f.config.preferred.count = 0;
    hedge_restart();
    ck_assert(!hedges(&a_read));
}
END_TEST

START_TEST(should_hedge_write_never)
{
    rgn_request request = a_read;

    request.direction = RGN_WRITE;
    for (int multi_write = 0; multi_write < 2; multi_write++) {
        f.account.multi_write = multi_write != 0;
        f.account.writable.count = multi_write ? 3 : 1;
        f.config.options.hedging_operations = multi_write;
        hedge_restart();
        ck_assert(!hedges(&request));
    }
}
END_TEST

START_TEST(should_hedge_non_document)
{
    rgn_request metadata = a_read, feed = a_read;

    metadata.is_container_level = true;
    feed.is_feed = true;
    ck_assert(!hedges(&metadata));
    ck_assert(!hedges(&feed));
    f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
    hedge_restart();
    ck_assert(hedges(&metadata));
    ck_assert(hedges(&feed));
}
END_TEST

START_TEST(should_hedge_disabled_override)
{
    rgn_options options = f.config.options;
    rgn_request request = a_read;

    options.hedging_strategy = RGN_HEDGING_DISABLED;
    request.options = &options;
    ck_assert(!hedges(&request));
    ck_assert(hedges(&a_read)); /* its siblings are */
}
END_TEST

START_TEST(hedging_write_not_hedged)
{
    rgn_request request = a_read;

    request.direction = RGN_WRITE;
    is_sent(begin(&request, 0), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    is_done(answer(0, 200, 0, S(2)), 200, 0, RGN_HEDGE_NONE, 0);
}
END_TEST

START_TEST(hedging_disabled_per_operation)
{
    rgn_options options = f.config.options;
    rgn_request request = a_read;

    options.hedging_strategy = RGN_HEDGING_DISABLED;
    request.options = &options;
    is_sent(begin(&request, 0), 0, 0);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
    is_done(answer(0, 200, 0, S(2)), 200, 0, RGN_HEDGE_NONE, 0);
}
END_TEST

START_TEST(activation_may_depend_on_automatic_failover)
{
    f.config.options.hedging_activation = RGN_ACTIVATION_WITH_FAILOVER;
    hedge_restart();
    ck_assert(!hedges(&a_read));
    f.account.automatic_failover = true;
    hedge_restart();
    ck_assert(hedges(&a_read));
}
END_TEST

/* --- switches ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *plain, *override;
} switches;

static const char *look_up(void *context, const char *variable)
{
    const switches *s = context;

    if (strcmp(variable, "AZURE_COSMOS_HEDGING_ENABLED") == 0)
        return s->plain;
    return strcmp(variable, "AZURE_COSMOS_HEDGING_ENABLED_OVERRIDE") == 0 ? s->override : NULL;
}

/* Strategy as an operation sets it: -1 unset, 0 hedge after 300 ms, 1 disabled. `enabled`: -1 unset. */
static rgn_options resolve(int strategy, int enabled, switches s)
{
    rgn_option_layer operation = {.is_set = {false}};
    rgn_environment environment = {look_up, &s};
    rgn_effective_options effective;
    rgn_options_error error;

    if (strategy >= 0) {
        operation.is_set[RGN_KNOB_hedging_strategy] = true;
        operation.values.hedging_strategy = strategy;
    }
    if (strategy == 0) {
        operation.is_set[RGN_KNOB_hedging_threshold] = true;
        operation.values.hedging_threshold = MS(300);
    }
    if (enabled >= 0) {
        operation.is_set[RGN_KNOB_hedging_enabled] = true;
        operation.values.hedging_enabled = enabled;
    }
    ck_assert_int_eq(rgn_options_resolve(&operation, NULL, NULL, &environment, &effective, &error), RGN_OK);
    return effective.values;
}

/* The truth table of the shipped Rust driver (hedging_eligibility.rs), and that a kill switch beats every layer. */
START_TEST(the_master_switch_is_decisive_in_both_directions)
{
    static const struct {
        int strategy, enabled;
        switches environment;
        bool is_on;
        rgn_dur_ns threshold;
    } rows[] = {
        {-1, -1, {NULL, NULL}, true, S(1)},     {0, -1, {NULL, NULL}, true, MS(300)},
        {1, -1, {NULL, NULL}, false, 0},        {-1, 0, {NULL, NULL}, false, 0},
        {0, 0, {NULL, NULL}, false, 0},         {1, 0, {NULL, NULL}, false, 0},
        {-1, 1, {NULL, NULL}, true, S(1)},      {0, 1, {NULL, NULL}, true, MS(300)},
        {1, 1, {NULL, NULL}, true, S(1)},       {1, -1, {"true", NULL}, true, S(1)},
        {0, -1, {"false", NULL}, false, 0},     {-1, -1, {"auto", NULL}, true, S(1)},
        {0, 1, {"false", NULL}, true, MS(300)}, {0, 1, {NULL, "off"}, false, 0},
        {1, 0, {"false", " YES "}, true, S(1)}, {1, -1, {NULL, "perhaps"}, false, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_options options = resolve(rows[i].strategy, rows[i].enabled, rows[i].environment);
        rgn_request request = a_read;
        request.options = &options;
        ck_assert_msg(hedges(&request) == rows[i].is_on, "row %zu", i);
        if (!rows[i].is_on)
            continue;
        begin(&request, 0);
        ck_assert_msg(op.wake_at == rows[i].threshold, "row %zu", i);
        rgn_op_abandon(f.router, &op, 0);
    }
}
END_TEST

/* --- the threshold ----------------------------------------------------------------------------------------------- */

START_TEST(hedge_threshold_rejects_zero)
{
    rgn_knob_id wrong = RGN_KNOB_COUNT;

    f.config.options.hedging_threshold = 0;
    ck_assert_int_eq(rgn_options_validate(&f.config.options, &wrong), RGN_ERR_RANGE);
    ck_assert_uint_eq(wrong, RGN_KNOB_hedging_threshold);
}
END_TEST

START_TEST(hedge_threshold_accepts_positive)
{
    f.config.options.hedging_threshold = 1;
    ck_assert_int_eq(rgn_options_validate(&f.config.options, NULL), RGN_OK);
    hedge_restart();
    begin(&a_read, MS(7));
    is_sent(ring(RGN_WAKE_HEDGE, MS(7) + 1), 1, 1);
    rgn_op_abandon(f.router, &op, MS(8));
}
END_TEST

START_TEST(the_default_threshold_is_half_the_timeout_at_most_a_second)
{
    static const rgn_dur_ns rows[][2] = {{RGN_TIME_NEVER, S(1)}, {S(10), S(1)}, {S(2), S(1)}, {S(2) - 2, S(1) - 1},
                                         {MS(300), MS(150)},     {3, 1},        {2, 1},       {1, 1}};

    f.config.options.hedging_threshold = RGN_AUTO;
    hedge_restart();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 0, rows[i][0]), rows[i][1]);
}
END_TEST

/* Region 0's latency, drawn evenly from 0 to `top`, until the estimate has settled; legs slower than `cut` are cut
 * then.
 */
static uint64_t random_state;

static void teach(rgn_dur_ns top, rgn_dur_ns cut, bool cut_legs_count, unsigned legs)
{
    rgni_hedging *hedging = &f.router->hedging;

    for (unsigned i = 0; i < legs; i++) {
        rgn_dur_ns latency;
        random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        latency = (rgn_dur_ns)((random_state >> 33) % (uint64_t)top);
        if (latency > cut && !cut_legs_count)
            continue;
        rgni_hedging_learn(hedging, &f.config.options, 0, latency < cut ? latency : cut);
    }
}

START_TEST(metadata_has_a_threshold_of_its_own)
{
    rgn_request metadata = a_read;

    metadata.is_container_level = true;
    f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
    for (int64_t policy = 0; policy < 3; policy++) {
        f.config.options.hedging_policy = policy;
        hedge_restart();
        begin(&metadata, 0);
        ck_assert_int_eq(op.wake_at, MS(1500));
        answer(0, 200, 0, MS(5)); /* and teaches nothing */
        ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 0, RGN_TIME_NEVER), MS(200));
    }
    f.config.options.hedging_metadata_threshold = MS(70);
    hedge_restart();
    begin(&metadata, 0);
    ck_assert_int_eq(op.wake_at, MS(70));
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

START_TEST(the_estimate_settles_at_its_quantile)
{
    static const int64_t quantiles[] = {500000, 900000, 990000};

    random_state = 11;
    f.config.options.hedging_policy = RGN_HEDGING_ADAPTIVE;
    for (size_t i = 0; i < 3; i++) {
        rgn_dur_ns settled = 0;
        f.config.options.hedging_quantile = quantiles[i];
        hedge_restart();
        teach(S(1), RGN_TIME_NEVER, true, 20000);
        for (int k = 0; k < 200; k++) { /* the mean of many looks: a single one wavers by its step */
            teach(S(1), RGN_TIME_NEVER, true, 100);
            settled += rgn_router_hedge_threshold(f.router, 0, S(10)) / 200;
        }
        ck_assert_msg(llabs(settled - quantiles[i] * 1000) < MS(80), "%lld", (long long)settled);
        ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 1, S(10)), MS(200)); /* each region has its own */
    }
}
END_TEST

/* A hedge needs a third of a millisecond, so it wins the races against slow legs. Whoever takes their absence for speed
 * hedges more and more, until only the clamp is left. */
START_TEST(an_estimate_without_the_legs_it_cut_runs_away)
{
    random_state = 12;
    f.config.options.hedging_policy = RGN_HEDGING_ADAPTIVE;
    hedge_restart();
    for (int i = 0; i < 40000; i++)
        teach(S(1), rgn_router_hedge_threshold(f.router, 0, S(10)) + MS(1) / 3, true, 1);
    ck_assert_int_gt(rgn_router_hedge_threshold(f.router, 0, S(10)), MS(900));
    hedge_restart();
    for (int i = 0; i < 40000; i++)
        teach(S(1), rgn_router_hedge_threshold(f.router, 0, S(10)) + MS(1) / 3, false, 1);
    ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 0, S(10)), MS(50));
}
END_TEST

START_TEST(an_adaptive_threshold_stays_between_50_ms_and_4_s)
{
    f.config.options.hedging_policy = RGN_HEDGING_ADAPTIVE;
    hedge_restart();
    for (int i = 0; i < 20000; i++)
        rgni_hedging_learn(&f.router->hedging, &f.config.options, 0, 1);
    ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 0, S(10)), MS(50));
    for (int i = 0; i < 20000; i++)
        rgni_hedging_learn(&f.router->hedging, &f.config.options, 0, S(50));
    ck_assert_int_eq(rgn_router_hedge_threshold(f.router, 0, S(10)), S(4));
}
END_TEST

/* --- where to ---------------------------------------------------------------------------------------------------- */

START_TEST(the_second_allowed_region_or_the_first_other_one)
{
    static const struct {
        rgn_region_set excluded, barred;
        rgn_region primary, second, first_distinct, untripped;
    } rows[] = {
        {0, 0, 0, 1, 1, 1},
        {0, 0, 1, NOBODY, 0, 0},
        {0, 0, 2, 1, 0, 0},
        {SET(0), 0, 1, 2, 2, 2},
        {SET(1), 0, 0, 2, 2, 2},
        {SET(0) | SET(1), 0, 2, NOBODY, NOBODY, NOBODY},
        {0, SET(0), 1, NOBODY, 2, 2},
        {0, SET(1), 0, NOBODY, 2, 2},
        {0, SET(1) | SET(2), 0, NOBODY, NOBODY, NOBODY},
        {SET(2), SET(0), 1, NOBODY, NOBODY, NOBODY},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const rgn_topology *topology = rgn_router_topology(f.router);
        const rgn_region expected[] = {rows[i].second, rows[i].first_distinct, rows[i].untripped};
        for (int64_t rule = RGN_SECONDARY_SECOND; rule <= RGN_SECONDARY_UNTRIPPED; rule++)
            ck_assert_msg(rgni_hedging_secondary(&topology->read_order, rows[i].excluded, rows[i].barred,
                                                 rows[i].primary, rule) == expected[rule],
                          "row %zu, rule %d", i, (int)rule);
    }
}
END_TEST

/* Region 0 is tripped and traffic goes to 1. By place there is nobody to race with; the driver races the tripped one.
 */
START_TEST(only_the_driver_hedges_to_a_tripped_region)
{
    static const rgn_region expected[] = {NOBODY, 0, 2};

    for (int64_t rule = RGN_SECONDARY_SECOND; rule <= RGN_SECONDARY_UNTRIPPED; rule++) {
        f.config.options.hedging_secondary = rule;
        hedge_restart();
        fixture_trip(&f, 0, RGN_READ, 0);
        is_sent(begin(&a_read, S(1)), 0, 1);
        if (expected[rule] == NOBODY) {
            ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_NONE);
            ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT);
        } else {
            is_sent(ring(RGN_WAKE_HEDGE, S(1) + MS(200)), 1, expected[rule]);
        }
        rgn_op_abandon(f.router, &op, S(2));
    }
}
END_TEST

/* --- budgets ----------------------------------------------------------------------------------------------------- */

START_TEST(hedges_beyond_the_concurrent_budget_are_refused_and_the_primary_goes_on)
{
    rgn_op others[2];

    f.config.options.hedging_budget_concurrent = 2;
    hedge_restart();
    for (int i = 0; i < 2; i++) {
        race(&a_read);
        others[i] = op;
    }
    begin(&a_read, MS(300));
    ck_assert_int_eq(ring(RGN_WAKE_HEDGE, MS(500)), RGN_WAIT);
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_REFUSED);
    ck_assert_uint_eq(rgn_router_refused_hedges(f.router), 1);
    ck_assert_uint_eq(op.wake_kind, RGN_WAKE_LEG_TIMEOUT); /* nothing is waited for but the answer */
    ck_assert_int_eq(op.wake_at, MS(300) + S(6));
    is_sent(answer(0, 503, 0, MS(600)), 0, 1); /* and a failure is retried as ever */
    is_done(answer(0, 200, 0, MS(610)), 200, 1, RGN_HEDGE_REFUSED, 0);
    for (int i = 0; i < 2; i++) {
        op = others[i];
        is_done(answer(1, 200, 0, MS(700)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    }
    race(&a_read); /* there is room again */
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

START_TEST(a_budget_of_no_hedges_refuses_each)
{
    for (int by_share = 0; by_share < 2; by_share++) {
        f.config.options.hedging_budget_concurrent = by_share ? 10 : 0;
        f.config.options.hedging_budget_share = by_share ? 0 : 1000000;
        hedge_restart();
        begin(&a_read, 0);
        ck_assert_int_eq(ring(RGN_WAKE_HEDGE, MS(200)), RGN_WAIT);
        is_done(answer(0, 200, 0, MS(900)), 200, 0, RGN_HEDGE_REFUSED, 0);
    }
}
END_TEST

/* A quarter of all operations, after the ten that a fresh budget holds. */
START_TEST(the_share_budget_lets_through_its_share)
{
    unsigned launched = 0;

    f.config.options.hedging_budget_share = 250000;
    hedge_restart();
    for (int i = 0; i < 1000; i++) {
        begin(&a_read, S(i));
        launched += ring(RGN_WAKE_HEDGE, S(i) + MS(200)) == RGN_SEND;
        rgn_op_abandon(f.router, &op, S(i) + MS(300));
    }
    ck_assert_uint_eq(launched, 10 + 999 / 4); /* the first operation earns nothing: the budget is full */
    ck_assert_uint_eq(rgn_router_refused_hedges(f.router), 741);
}
END_TEST

/* --- final answers ----------------------------------------------------------------------------------------------- */

static bool is_final(unsigned status, unsigned substatus)
{
    const rgn_response response = {
        .status = (uint16_t)status, .substatus = (uint16_t)substatus, .retry_after = RGN_TIME_NEVER};
    return rgn_classify(&response).is_final;
}

START_TEST(is_final_result_success)
{
    ck_assert(is_final(200, 0));
    ck_assert(is_final(304, 0));
}
END_TEST

START_TEST(is_final_result_conflict)
{
    ck_assert(is_final(409, 0));
}
END_TEST

START_TEST(is_final_result_503)
{
    ck_assert(!is_final(503, 0));
}
END_TEST

START_TEST(is_final_result_404_0)
{
    ck_assert(is_final(404, 0));
}
END_TEST

START_TEST(is_final_result_404_1002)
{
    ck_assert(!is_final(404, 1002));
}
END_TEST

START_TEST(is_final_result_429)
{
    ck_assert(!is_final(429, 0));
    ck_assert(!is_final(429, 3092));
    ck_assert(is_final(429, 3200));
    ck_assert(is_final(429, 3210));
    ck_assert(is_final(429, 3214));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {should_hedge_read_multi_region,
                                  should_hedge_read_single_region,
                                  should_hedge_excluded_to_one_region,
                                  should_hedge_no_preferred_regions,
                                  should_hedge_write_never,
                                  should_hedge_non_document,
                                  should_hedge_disabled_override,
                                  hedging_write_not_hedged,
                                  hedging_disabled_per_operation,
                                  activation_may_depend_on_automatic_failover,
                                  the_master_switch_is_decisive_in_both_directions,
                                  hedge_threshold_rejects_zero,
                                  hedge_threshold_accepts_positive,
                                  the_default_threshold_is_half_the_timeout_at_most_a_second,
                                  metadata_has_a_threshold_of_its_own,
                                  the_estimate_settles_at_its_quantile,
                                  an_estimate_without_the_legs_it_cut_runs_away,
                                  an_adaptive_threshold_stays_between_50_ms_and_4_s,
                                  the_second_allowed_region_or_the_first_other_one,
                                  only_the_driver_hedges_to_a_tripped_region,
                                  hedges_beyond_the_concurrent_budget_are_refused_and_the_primary_goes_on,
                                  a_budget_of_no_hedges_refuses_each,
                                  the_share_budget_lets_through_its_share,
                                  is_final_result_success,
                                  is_final_result_conflict,
                                  is_final_result_503,
                                  is_final_result_404_0,
                                  is_final_result_404_1002,
                                  is_final_result_429};
    return run_hedge_suite("hedging", tests, sizeof tests / sizeof tests[0]);
}
