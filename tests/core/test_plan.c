/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts by plan. Two routers live the same life; one's operations have a plan to start by, the other's do not. */
#include <stdio.h>
#include <string.h>

#include "core_fixture.h"
#include "plan.h"

enum { WITH = 0, WITHOUT = 1, TWINS = 2 };

static fixture f[TWINS];

static uint64_t random_state;

static uint64_t below(uint64_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % bound;
}

static void start_twins(void)
{
    for (unsigned twin = 0; twin < TWINS; twin++)
        fixture_start(&f[twin]);
}

static void stop_twins(void)
{
    for (unsigned twin = 0; twin < TWINS; twin++)
        fixture_stop(&f[twin]);
}

/* What an operation is once it has been sent, but for its result, which means nothing before its end. Where the request
 * brings no options, each has its own router's. */
static void check_same(const rgn_op *with, const rgn_op *without)
{
    rgn_op alike = *with;

    ck_assert_mem_eq(with->options, without->options, sizeof *with->options);
    alike.options = without->options;
    alike.result = without->result;
    ck_assert_mem_eq(&alike, without, offsetof(rgn_op, entry_generation));
    if (rgni_op_has(with, RGNI_OP_TICKET)) /* whose second half is written, too */
        ck_assert_mem_eq(&with->entry_generation, &without->entry_generation,
                         sizeof *with - offsetof(rgn_op, entry_generation));
}

static rgn_step start(rgn_op op[TWINS], const rgn_request *request, rgn_plan *plan, rgn_time_ns now)
{
    rgn_request planned = *request;
    rgn_step step[TWINS];

    memset(op, 0, TWINS * sizeof *op);
    planned.plan = plan;
    step[WITH] = rgn_op_start(f[WITH].router, &op[WITH], &planned, now);
    step[WITHOUT] = rgn_op_start(f[WITHOUT].router, &op[WITHOUT], request, now);
    ck_assert_int_eq(step[WITH], step[WITHOUT]);
    check_same(&op[WITH], &op[WITHOUT]);
    return step[WITH];
}

static const rgn_request a_read = {.partition = 3, .timeout = S(10)};

static void init_twins(void)
{
    for (unsigned twin = 0; twin < TWINS; twin++) {
        fixture_init(&f[twin], true);
        f[twin].config.preferred = f[twin].account.readable;
        f[twin].config.options.hedging_strategy = RGN_HEDGING_ON;
    }
}

START_TEST(the_first_start_makes_a_plan_and_the_next_follows_it)
{
    rgn_plan plan = {0};
    rgn_op op[TWINS];
    rgn_request other = a_read;

    init_twins();
    start_twins();
    ck_assert(!rgni_plan_for(&plan, f[WITH].router, &a_read, 0));
    start(op, &a_read, &plan, 0);
    ck_assert(rgni_plan_for(&plan, f[WITH].router, &a_read, S(1)));
    start(op, &a_read, &plan, S(1));
    ck_assert_int_eq(op[WITH].wake_at, S(2)); /* the hedge */
    other.partition = 5;
    other.hash = 77;
    ck_assert(rgni_plan_for(&plan, f[WITH].router, &other, S(1)));
    start(op, &other, &plan, S(1));
    stop_twins();
}
END_TEST

START_TEST(a_plan_is_of_one_kind_of_request)
{
    rgn_options own;
    rgn_plan plan = {0};
    rgn_op op[TWINS];
    rgn_request others[] = {a_read, a_read, a_read, a_read, a_read, a_read, a_read};

    init_twins();
    start_twins();
    own = f[WITH].config.options;
    others[0].direction = RGN_WRITE;
    others[1].timeout++;
    others[2].is_feed = true;
    others[3].has_excluded = true;
    others[4].excluded = SET(2);
    others[5].options = &own;
    others[6].partition = RGN_PARTITION_UNKNOWN;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        start(op, &a_read, &plan, 0);
        ck_assert_msg(!rgni_plan_for(&plan, f[WITH].router, &others[i], 0), "kind %zu", i);
        start(op, &others[i], &plan, 0);
    }
    stop_twins();
}
END_TEST

START_TEST(a_plan_that_routers_share_is_made_anew_for_each)
{
    rgn_plan plan = {0};
    rgn_op op;
    rgn_request request = a_read;

    init_twins();
    f[WITHOUT].account.readable = f[WITHOUT].account.writable = f[WITHOUT].config.preferred =
        (rgn_region_list){2, {5, 6}};
    start_twins();
    request.plan = &plan;
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_int_eq(rgn_op_start(f[i % TWINS].router, &op, &request, 0), RGN_SEND);
        ck_assert_uint_eq(op.region, i % TWINS == WITH ? 0 : 5);
    }
    stop_twins();
}
END_TEST

START_TEST(what_plans_are_made_of_outdates_them)
{
    rgn_account fewer;
    rgn_plan plan = {0};
    rgn_op op[TWINS];

    init_twins();
    start_twins();
    fewer = f[WITH].account;
    fewer.readable.count = fewer.writable.count = 2;
    for (unsigned change = 0; change < 5; change++) {
        start(op, &a_read, &plan, 0);
        ck_assert(rgni_plan_for(&plan, f[WITH].router, &a_read, 0));
        for (unsigned twin = 0; twin < TWINS; twin++) {
            rgn_router *router = f[twin].router;
            if (change == 0)
                ck_assert_int_eq(rgn_router_set_account(router, &fewer, 0), RGN_OK);
            else if (change == 1)
                rgn_router_set_breaker_enabled(router, false, 0);
            else if (change == 2)
                rgn_router_mark_endpoint(router, 0, RGN_MARK_SERVICE_UNAVAILABLE, 0);
            else if (change == 3)
                rgn_router_unmark_endpoint(router, 0);
            else
                ck_assert_int_eq(rgn_router_set_strategy(router, NULL), RGN_OK);
            if (change == 3)
                rgn_router_set_breaker_enabled(router, true, 0);
        }
        ck_assert_msg(!rgni_plan_for(&plan, f[WITH].router, &a_read, 0), "change %u", change);
        start(op, &a_read, &plan, 0);
        if (change == 2)
            for (unsigned twin = 0; twin < TWINS; twin++)
                rgn_router_unmark_endpoint(f[twin].router, 0);
    }
    stop_twins();
}
END_TEST

START_TEST(a_tripped_partition_has_a_plan_of_its_own)
{
    rgn_plan plan = {0};
    rgn_op op[TWINS];

    init_twins();
    start_twins();
    start(op, &a_read, &plan, 0);
    for (unsigned twin = 0; twin < TWINS; twin++)
        fixture_trip(&f[twin], a_read.partition, RGN_READ, 0);
    ck_assert(!rgni_plan_for(&plan, f[WITH].router, &a_read, 0));
    for (unsigned i = 0; i < 2; i++) {
        start(op, &a_read, &plan, 0);
        ck_assert_uint_eq(op[WITH].region, 1);
        ck_assert(rgni_plan_for(&plan, f[WITH].router, &a_read, 0));
    }
    for (unsigned twin = 0; twin < TWINS; twin++) /* until a second region has failed */
        for (unsigned i = 0; i < 10; i++)
            rgn_router_record_failure(f[twin].router, a_read.partition, 1, RGN_READ, 0);
    ck_assert(!rgni_plan_for(&plan, f[WITH].router, &a_read, 0));
    start(op, &a_read, &plan, 0);
    ck_assert_uint_eq(op[WITH].region, 2);
    stop_twins();
}
END_TEST

/* What knobs make of a canary's start: its timeout, its race, and where that goes. */
START_TEST(a_planned_canary_is_the_long_one)
{
    enum { KNOBS = 16 };

    for (unsigned knobs = 0; knobs < KNOBS; knobs++) {
        rgn_plan plan = {0};
        rgn_request request = a_read;
        unsigned canaries = 0;
        rgn_op op[TWINS];

        init_twins();
        for (unsigned twin = 0; twin < TWINS; twin++) {
            rgn_options *options = &f[twin].config.options;
            options->failback_canary_percentage = 50;
            options->failback_canary_timeout = (knobs & 1) != 0 ? MS(200) : RGN_AUTO;
            options->hedging_enabled = (knobs & 2) == 0;
            options->hedging_secondary = (knobs & 4) != 0 ? RGN_SECONDARY_UNTRIPPED : RGN_SECONDARY_SECOND;
        }
        start_twins();
        for (unsigned twin = 0; twin < TWINS; twin++)
            for (rgn_partition partition = 3; partition <= 5; partition++)
                fixture_trip(&f[twin], partition, RGN_READ, 0);
        if ((knobs & 8) != 0) /* at one of them elsewhere, too */
            for (unsigned twin = 0; twin < TWINS; twin++)
                for (unsigned i = 0; i < 10; i++)
                    rgn_router_record_failure(f[twin].router, 4, 1, RGN_READ, 0);
        for (unsigned twin = 0; twin < TWINS; twin++)
            rgn_router_on_expiry(f[twin].router, S(600), NULL, 0);
        request.partition = 0;
        start(op, &request, &plan, S(600));
        for (unsigned i = 0; i < 30; i++) {
            request.partition = 3 + i % 3;
            request.hash = i;
            start(op, &request, &plan, S(600) + i);
            canaries += rgn_op_has_canary(&op[WITH]);
        }
        ck_assert_uint_eq(canaries, 15);
        /* A hedge behind the canary's timeout is not planned. */
        ck_assert_uint_eq(plan.as_canary.epoch, (knobs & 3) == 1 ? 0 : plan.at_home.epoch);
        stop_twins();
    }
}
END_TEST

START_TEST(no_plan_where_a_start_does_more_than_fill_in_its_operation)
{
    rgn_fan fan;
    rgn_request request = a_read;

    request.fan = &fan;
    for (unsigned knob = 0; knob < 4; knob++) {
        rgn_plan plan = {0};
        rgn_op op[TWINS];

        init_twins();
        for (unsigned twin = 0; twin < TWINS; twin++) {
            rgn_options *options = &f[twin].config.options;
            options->hedging_policy = knob == 0 ? RGN_HEDGING_ADAPTIVE : RGN_HEDGING_STATIC;
            options->hedging_budget_share = knob == 1 ? 500000 : 1000000;
            options->hedging_max_alternates = knob == 2 ? 2 : 1;
        }
        start_twins();
        request.is_container_level = knob == 3;
        start(op, knob == 2 ? &a_read : &request, &plan, 0);
        ck_assert_uint_eq(plan.at_home.epoch, 0);
        stop_twins();
    }
}
END_TEST

START_TEST(each_state_has_the_plan_of_what_it_does_to_traffic)
{
    for (unsigned state = 0; state < RGNI_STATES; state++) {
        for (unsigned d = 0; d < RGN_DIRECTIONS; d++) {
            unsigned place = RGNI_NO_PLACE;
            if (rgni_state_moves_nothing((uint8_t)state, (rgn_direction)d))
                place = RGNI_AT_HOME;
            else if (rgni_state_goes_around_home((uint8_t)state, (rgn_direction)d))
                place = RGNI_AROUND_HOME;
            ck_assert_uint_eq(rgni_plan_places[d][state], place);
        }
    }
}
END_TEST

/* The last instants at which no sum passes NEVER, and the first at which one does. */
START_TEST(a_plan_ends_before_the_end_of_time)
{
    rgn_plan plan = {0};
    rgn_op op[TWINS];

    init_twins();
    start_twins();
    start(op, &a_read, &plan, 0);
    for (int step = -1; step <= 1; step++) {
        rgn_time_ns now = plan.latest + step;
        ck_assert_int_eq(rgni_plan_for(&plan, f[WITH].router, &a_read, now) != NULL, step <= 0);
        start(op, &a_read, &plan, now);
        plan.latest = RGN_TIME_NEVER - 1 - S(10); /* the same again, should the start have made a plan anew */
    }
    stop_twins();
}
END_TEST

static void check_same_transitions(void)
{
    ck_assert_uint_eq(f[WITH].transition_count, f[WITHOUT].transition_count);
    for (unsigned i = 0; i < f[WITH].transition_count && i < FIXTURE_TRANSITIONS; i++) {
        char text[TWINS][RGN_TRANSITION_JSON_MAX];
        for (unsigned twin = 0; twin < TWINS; twin++)
            rgn_transition_json(&f[twin].transitions[i], text[twin], sizeof text[twin]);
        ck_assert_str_eq(text[WITH], text[WITHOUT]);
    }
}

/* One answer in `rarity` is a failure. */
static rgn_response random_response(uint64_t rarity)
{
    return (rgn_response){.status = below(rarity) == 0 ? 503 : 200, .retry_after = RGN_TIME_NEVER};
}

static void random_change(rgn_time_ns now)
{
    unsigned change = (unsigned)below(50);
    bool is_on = below(2) == 0;
    rgn_region region = (rgn_region)below(3);
    rgn_account account = f[WITH].account;

    account.readable.count = account.writable.count = (uint8_t)(2 + below(2));
    for (unsigned twin = 0; twin < TWINS; twin++) {
        rgn_router *router = f[twin].router;
        if (change == 0)
            ck_assert_int_eq(rgn_router_set_account(router, &account, now), RGN_OK);
        else if (change == 1)
            rgn_router_set_breaker_enabled(router, is_on, now);
        else if (change == 2)
            rgn_router_mark_endpoint(router, region, RGN_MARK_SERVICE_UNAVAILABLE, now);
        else
            rgn_router_unmark_endpoint(router, region);
    }
}

static rgn_request random_request(const rgn_options *own)
{
    return (rgn_request){.partition = (rgn_partition)below(4),
                         .direction = (uint8_t)below(2),
                         .is_container_level = below(20) == 0,
                         .is_feed = below(9) == 0,
                         .has_excluded = below(8) == 0,
                         .excluded = (rgn_region_set)below(3),
                         .hash = (uint32_t)below(UINT32_MAX),
                         .options = below(4) == 0 ? own : NULL,
                         .timeout = below(4) == 0 ? RGN_TIME_NEVER : S(5)};
}

START_TEST(operations_with_and_without_plans_live_the_same_lives)
{
    enum { LIVES = 40, STEPS = 4000, OPEN = 8 };
    unsigned planned = 0, started = 0;

    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        rgn_op ops[OPEN][TWINS];
        bool is_open[OPEN] = {false};
        rgn_plan plans[8];
        rgn_options own;
        rgn_time_ns now = 0;

        random_state = seed;
        memset(plans, 0, sizeof plans);
        init_twins();
        for (unsigned twin = 0; twin < TWINS; twin++) {
            f[twin].config.partition_count = 3;
            f[twin].config.is_unshared = twin == seed % TWINS; /* does without locks, and makes no other difference */
            f[twin].config.options.breaker_read_failure_threshold = 3;
            f[twin].config.options.hedging_threshold = seed % 3 == 0 ? RGN_AUTO : MS(300);
            f[twin].config.options.hedging_policy = seed % 5 == 0 ? RGN_HEDGING_ADAPTIVE : RGN_HEDGING_STATIC;
        }
        own = f[WITH].config.options;
        own.hedging_enabled = 0;
        start_twins();
        for (unsigned k = 0; k < STEPS; k++) {
            size_t i = below(OPEN);
            rgn_op *op = ops[i];
            rgn_step step[TWINS];

            now += (rgn_time_ns)below(MS(200));
            rgn_router_expect(f[seed % TWINS].router, k % 5); /* makes no difference, wherever it is */
            for (unsigned twin = 0; twin < TWINS; twin++)
                while (rgn_router_next_expiry(f[twin].router) <= now)
                    rgn_router_on_expiry(f[twin].router, now, NULL, 0);
            if (below(4) == 0)
                random_change(now);
            if (!is_open[i]) {
                rgn_request request = random_request(&own);
                rgn_plan *plan =
                    &plans[request.direction + 2 * (request.options != NULL) + 4 * (request.timeout == S(5))];
                planned += rgni_plan_for(plan, f[WITH].router, &request, now) != NULL;
                started++;
                is_open[i] = start(op, &request, plan, now) != RGN_DONE;
                continue;
            }
            if (now < op[WITH].wake_at && op[WITH].open_legs == 0)
                continue;
            if (now < op[WITH].wake_at) {
                rgn_response response = random_response(3 + seed % 4 * 30);
                unsigned leg = (unsigned)__builtin_ctz(op[WITH].open_legs);
                for (unsigned twin = 0; twin < TWINS; twin++)
                    step[twin] = rgn_op_on_leg(f[twin].router, &op[twin], leg, &response, now);
            } else {
                for (unsigned twin = 0; twin < TWINS; twin++)
                    step[twin] = rgn_op_on_timer(f[twin].router, &op[twin], now);
            }
            ck_assert_msg(step[WITH] == step[WITHOUT], "seed %llu", (unsigned long long)seed);
            ck_assert_mem_eq(&op[WITH].result, &op[WITHOUT].result, step[WITH] == RGN_DONE ? sizeof op->result : 0);
            is_open[i] = step[WITH] != RGN_DONE;
        }
        check_same_transitions();
        for (size_t i = 0; i < OPEN; i++)
            for (unsigned twin = 0; twin < TWINS && is_open[i]; twin++)
                rgn_op_abandon(f[twin].router, &ops[i][twin], now);
        stop_twins();
    }
    printf("plans: seeds 1 to %d, %u of %u starts planned\n", LIVES, planned, started);
    ck_assert_uint_gt(planned, started / 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TCase *tc = tcase_create("plan");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, the_first_start_makes_a_plan_and_the_next_follows_it);
    tcase_add_test(tc, a_plan_is_of_one_kind_of_request);
    tcase_add_test(tc, a_plan_that_routers_share_is_made_anew_for_each);
    tcase_add_test(tc, what_plans_are_made_of_outdates_them);
    tcase_add_test(tc, a_tripped_partition_has_a_plan_of_its_own);
    tcase_add_test(tc, a_planned_canary_is_the_long_one);
    tcase_add_test(tc, no_plan_where_a_start_does_more_than_fill_in_its_operation);
    tcase_add_test(tc, each_state_has_the_plan_of_what_it_does_to_traffic);
    tcase_add_test(tc, a_plan_ends_before_the_end_of_time);
    tcase_add_test(tc, operations_with_and_without_plans_live_the_same_lives);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
