/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations know from a partition's state byte, or by plan, what the entry would tell: held against the long way. */
#include "core_fixture.h"

#include <string.h>

#include "../../core/src/op_impl.h"

enum { PARTITION = 5, FIRST_HALF = 64 };

static fixture f;

/* What has happened to the partition. */
typedef enum { NOTHING, COUNTED, HOME, ALTERNATE, BOTH, RECOVERING, REORDERED, MARKED, HOME_MARKED, HISTORIES } history;

typedef struct {
    int64_t rules;
    int64_t secondary;
    history history;
    rgn_direction direction;
    rgn_region_set excluded;
    bool multi_write;
} situation;

static void fail_at(rgn_region region, rgn_direction direction, unsigned times)
{
    while (times-- > 0)
        rgn_router_record_failure(f.router, PARTITION, region, direction, S(1));
}

static void happen(history what, rgn_direction direction)
{
    static const rgn_region_list reordered = {3, {2, 0, 1}};

    if (what == COUNTED)
        fail_at(0, direction, 1);
    if (what == HOME || what == RECOVERING || what == REORDERED || what == BOTH || what == MARKED)
        fail_at(0, direction, 10);
    if (what == ALTERNATE || what == BOTH)
        fail_at(1, direction, 10);
    if (what == MARKED || what == HOME_MARKED)
        rgn_router_mark_endpoint(f.router, what == MARKED ? 1 : 0, RGN_MARK_SERVICE_UNAVAILABLE, S(600));
    if (what == RECOVERING)
        rgn_router_on_expiry(f.router, S(600), NULL, 0);
    if (what == REORDERED) {
        f.account.readable = reordered;
        f.account.writable.region[0] = 2;
        f.account.writable.region[2] = 1;
        f.account.writable.region[1] = 0;
        ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, S(1)), RGN_OK);
    }
}

static void begin(const situation *s)
{
    fixture_init(&f, s->multi_write);
    f.config.options.routing_rules = s->rules;
    f.config.options.hedging_secondary = s->secondary;
    f.config.options.hedging_strategy = RGN_HEDGING_ON;
    f.config.options.hedging_preferred_regions = RGN_PREFERRED_REGIONS_ANY;
    f.config.options.hedging_activation = RGN_ACTIVATION_ALWAYS;
    f.config.options.hedging_writes = 1;
    fixture_start(&f);
    happen(s->history, s->direction);
}

/* All situations; those of which a canary would come are none of this file's business. */
static void for_all(void (*check)(const situation *s))
{
    for (unsigned n = 0; n < 3U * 3 * HISTORIES * 2 * 8 * 2; n++) {
        unsigned rest = n;
        situation s = {.rules = rest % 3};
        rest /= 3;
        s.secondary = rest % 3;
        rest /= 3;
        s.history = (history)(rest % HISTORIES);
        rest /= HISTORIES;
        s.direction = (rgn_direction)(rest % 2);
        rest /= 2;
        s.excluded = rest % 8;
        s.multi_write = rest / 8 != 0;
        begin(&s);
        check(&s);
        fixture_stop(&f);
    }
}

static rgn_request request_of(const situation *s)
{
    return (rgn_request){.partition = PARTITION,
                         .direction = (uint8_t)s->direction,
                         .excluded = s->excluded,
                         .has_excluded = true,
                         .timeout = S(30),
                         .hash = UINT32_MAX};
}

static rgn_op start(const situation *s, rgn_plan *plan, rgn_time_ns now)
{
    rgn_request request = request_of(s);
    rgn_op op;

    memset(&op, 0, sizeof op); /* no start writes the whole result */
    request.plan = plan;
    ck_assert_int_eq(rgn_op_start(f.router, &op, &request, now), RGN_SEND);
    return op;
}

/* What it may be compared in with an operation of a router that was made anew, and lies elsewhere. */
static rgn_op without_addresses(rgn_op op)
{
    op.options = NULL;
    return op;
}

static void check_place(const situation *s, const rgn_op *op, rgn_route_answer expected)
{
    ck_assert_msg(op->region == expected.region && op->reason == expected.reason,
                  "rules %d, history %d, direction %d, excluded %u, multi-write %d: %u, reason %u; not %u, reason %u",
                  (int)s->rules, s->history, s->direction, s->excluded, s->multi_write, op->region, op->reason,
                  expected.region, expected.reason);
}

static rgn_route_query query_of(const situation *s)
{
    return (rgn_route_query){.direction = (uint8_t)s->direction, .excluded = s->excluded};
}

static void check_first_attempt(const situation *s)
{
    rgn_op op = start(s, NULL, S(601));

    if (!rgn_op_has_canary(&op))
        check_place(s, &op, rgn_router_route(f.router, PARTITION, query_of(s), S(601)));
}

/* Retries of the other rules have a cursor besides. */
static void check_second_attempt(const situation *s)
{
    const rgn_response unavailable = {.status = 503, .retry_after = RGN_TIME_NEVER};
    rgn_route_query query = query_of(s);
    rgn_op op = start(s, NULL, S(601));

    if (s->rules != RGN_ROUTING_DOCUMENTED || rgn_op_has_canary(&op))
        return;
    query.failed_regions = rgn_region_bit(op.region);
    query.is_retry = true;
    query.list_index = 1;
    ck_assert_int_eq(rgn_op_on_leg(f.router, &op, 0, &unavailable, S(602)), RGN_SEND);
    rgn_route_answer expected = rgn_router_route(f.router, PARTITION, query, S(602));
    if (!rgn_region_in(query.failed_regions, expected.region)) /* else a new round */
        check_place(s, &op, expected);
}

/* HDG-5, from the entry. */
static rgn_region secondary_of(const situation *s, rgn_region primary)
{
    const rgn_topology *topology = rgn_router_topology(f.router);
    const rgn_region_list *list = s->direction == RGN_READ ? &topology->read_order : &topology->write_order;
    rgn_entry entry = fixture_entry(&f, PARTITION);
    bool is_covered = s->direction == RGN_READ || s->multi_write;
    bool is_barred =
        s->secondary == RGN_SECONDARY_UNTRIPPED && is_covered && rgn_entry_is_tripped(&entry, s->direction);

    return rgni_hedging_secondary(list, s->excluded, is_barred ? entry.failed : 0, primary, s->secondary);
}

static void check_race(const situation *s)
{
    const rgn_response success = {.status = 200, .retry_after = RGN_TIME_NEVER};
    rgn_op op = start(s, NULL, S(601));
    bool may_race = s->direction == RGN_READ || s->multi_write;
    rgn_region place = may_race ? secondary_of(s, op.region) : RGN_REGION_NONE;
    unsigned leg = place == RGN_REGION_NONE ? 0 : 1;

    ck_assert_int_eq(rgn_op_hedge(&op), place == RGN_REGION_NONE ? RGN_HEDGE_NONE : RGN_HEDGE_WAITING);
    if (leg == 1) {
        ck_assert_int_eq(rgn_op_on_timer(f.router, &op, S(602)), RGN_SEND);
        ck_assert_uint_eq(op.region, place);
    }
    ck_assert_int_eq(rgn_op_on_leg(f.router, &op, leg, &success, S(602)), RGN_DONE);
}

/* The second start makes the plan where there is none, the third one is carried out by it. */
static void check_plan(const situation *s)
{
    rgn_plan plan = {0};
    rgn_op by_hand = start(s, NULL, S(601));

    if (rgn_op_has_canary(&by_hand))
        return;
    for (int i = 0; i < 2; i++) {
        rgn_op planned = start(s, &plan, S(601));
        ck_assert_int_eq(memcmp(&planned, &by_hand, FIRST_HALF), 0);
    }
}

/* Legs fail until the operation ends: what it is after each of them, and the entry at the end. */
typedef struct {
    rgn_op op[8];
    unsigned count;
    rgn_entry entry;
} failing;

static failing fail_all(const situation *s, rgn_response failure)
{
    failing seen = {.count = 0};
    rgn_op op = start(s, NULL, S(601));
    rgn_step step = RGN_SEND;

    while (step == RGN_SEND) {
        step = rgn_op_on_leg(f.router, &op, op.leg, &failure, S(602));
        ck_assert_uint_lt(seen.count, sizeof seen.op / sizeof seen.op[0]);
        seen.op[seen.count++] = without_addresses(op);
    }
    seen.entry = fixture_entry(&f, PARTITION);
    return seen;
}

/* OPR-7: a connection that breaks off costs a region as much as an answer that it is unavailable. */
static void check_failures(const situation *s)
{
    const rgn_response unavailable = {.status = 503, .substatus = 20003, .retry_after = RGN_TIME_NEVER};
    const rgn_response broken = {.transport = RGN_TRANSPORT_SENT, .retry_after = RGN_TIME_NEVER};
    failing told, at_length;

    if (s->direction == RGN_WRITE && !s->multi_write) /* not the breaker's */
        return;
    told = fail_all(s, unavailable);
    fixture_stop(&f);
    begin(s);
    at_length = fail_all(s, broken);
    ck_assert_uint_eq(told.count, at_length.count);
    ck_assert_int_eq(memcmp(told.op, at_length.op, told.count * sizeof told.op[0]), 0);
    ck_assert_int_eq(memcmp(&told.entry, &at_length.entry, sizeof told.entry), 0);
}

/* Starts in a row, some of which may be canaries, with the plan of a neighbour's start or without one. */
typedef struct {
    rgn_op op[12];
} starts;

static starts start_in_a_row(const situation *s, rgn_plan *plan)
{
    rgn_request neighbours = request_of(s);
    starts seen;
    rgn_op op;

    neighbours.partition = PARTITION + 1;
    neighbours.plan = plan;
    rgn_op_start(f.router, &op, &neighbours, S(601));
    for (unsigned i = 0; i < sizeof seen.op / sizeof seen.op[0]; i++)
        seen.op[i] = without_addresses(start(s, plan, S(601)));
    return seen;
}

static void check_neighbours_plan(const situation *s)
{
    rgn_plan plan = {0};
    starts by_hand = start_in_a_row(s, NULL), planned;

    fixture_stop(&f);
    begin(s);
    planned = start_in_a_row(s, &plan);
    ck_assert_int_eq(memcmp(&planned, &by_hand, sizeof planned), 0);
}

START_TEST(a_first_attempt_goes_where_the_entry_says)
{
    for_all(check_first_attempt);
}
END_TEST

START_TEST(a_second_attempt_goes_where_the_entry_says)
{
    for_all(check_second_attempt);
}
END_TEST

START_TEST(a_hedge_goes_where_the_entry_says)
{
    for_all(check_race);
}
END_TEST

START_TEST(a_failure_told_short_is_one_at_length)
{
    for_all(check_failures);
}
END_TEST

START_TEST(a_planned_start_is_the_long_one)
{
    for_all(check_plan);
}
END_TEST

START_TEST(a_plan_tells_what_others_have_in_common_with_it)
{
    for_all(check_neighbours_plan);
}
END_TEST

/* One plan serves a partition that goes around home and one that does not, in turn. */
START_TEST(a_plan_tells_home_from_elsewhere)
{
    situation s = {.rules = RGN_ROUTING_DOCUMENTED, .history = HOME, .multi_write = true};
    rgn_request request = request_of(&s);
    rgn_plan plan = {0};
    rgn_op op;

    begin(&s);
    request.plan = &plan;
    for (unsigned i = 0; i < 6; i++) {
        request.partition = PARTITION + i % 2;
        rgn_op_start(f.router, &op, &request, S(2));
        ck_assert_uint_eq(op.region, i % 2 == 0 ? 1 : 0);
        ck_assert_uint_eq(op.reason, i % 2 == 0 ? RGN_REASON_ROUTE_OVERRIDE : RGN_REASON_ROUTE_PREFERRED);
    }
    rgn_router_set_breaker_enabled(f.router, false, S(2));
    request.partition = PARTITION;
    rgn_op_start(f.router, &op, &request, S(2));
    ck_assert_uint_eq(op.region, 0);
    fixture_stop(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("short ways");
    TCase *tc = tcase_create("short ways");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_first_attempt_goes_where_the_entry_says);
    tcase_add_test(tc, a_second_attempt_goes_where_the_entry_says);
    tcase_add_test(tc, a_hedge_goes_where_the_entry_says);
    tcase_add_test(tc, a_failure_told_short_is_one_at_length);
    tcase_add_test(tc, a_planned_start_is_the_long_one);
    tcase_add_test(tc, a_plan_tells_what_others_have_in_common_with_it);
    tcase_add_test(tc, a_plan_tells_home_from_elsewhere);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
