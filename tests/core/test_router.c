/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core_fixture.h"

static fixture f;

/* --- creation and memory ----------------------------------------------------------------------------------------- */

START_TEST(sizes_are_as_promised)
{
    ck_assert_uint_le(sizeof(rgn_op), 128);
    ck_assert_uint_le(sizeof(rgn_request), 48);
    ck_assert_uint_eq(sizeof(rgn_response), 16);
    ck_assert_uint_le(sizeof(rgn_entry), 128);
}
END_TEST

START_TEST(times_add_up_to_never_at_most)
{
    static const rgn_time_ns edges[] = {
        INT64_MIN / 2, -5, -1, 0, 1, 5, INT64_MAX / 4, INT64_MAX / 2, INT64_MAX / 2 + 1, INT64_MAX - 5, RGN_TIME_NEVER};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (size_t j = 0; j < sizeof edges / sizeof *edges; j++) {
            rgn_time_ns a = edges[i], b = edges[j];
            bool is_never = a == RGN_TIME_NEVER || b == RGN_TIME_NEVER || (b > 0 && a > RGN_TIME_NEVER - b);
            ck_assert_int_eq(rgn_time_add(a, b), is_never ? RGN_TIME_NEVER : a + b);
            ck_assert_int_eq(rgn_time_elapsed(RGN_TIME_NEVER, b), 0);
            ck_assert_int_eq(rgn_time_elapsed(b / 4, a / 4), a / 4 > b / 4 ? a / 4 - b / 4 : 0);
        }
    }
}
END_TEST

START_TEST(a_healthy_partition_costs_a_byte)
{
    size_t small;

    fixture_init(&f, true);
    f.config.partition_count = 80;
    fixture_start(&f);
    small = rgn_router_memory(f.router);
    fixture_stop(&f);
    f.config.partition_count = 8080;
    fixture_start(&f);
    ck_assert_uint_eq(rgn_router_memory(f.router) - small, 8000);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_bad_configuration_is_refused)
{
    for (int what = 0; what < 7; what++) {
        rgn_status status = RGN_OK;
        fixture_init(&f, true);
        switch (what) {
        case 0:
            f.config.lock_stripes = 3;
            break;
        case 1:
            f.config.lock_stripes = 0;
            break;
        case 2:
            f.config.lock_stripes = 2048;
            break;
        case 3:
            f.account.readable.region[1] = 32;
            break;
        case 4:
            f.account.writable.region[1] = 0; /* twice */
            break;
        case 5:
            f.config.options.failback_min_sample = 0;
            break;
        case 6:
            f.config.preferred.count = 33;
            break;
        }
        ck_assert_ptr_null(rgn_router_create(&f.config, &status));
        ck_assert_int_eq(status, RGN_ERR_RANGE);
        ck_assert_uint_eq(f.bytes, 0);
    }
    f.config.preferred.count = 0;
    f.config.lock_stripes = 1024;
    fixture_start(&f);
    fixture_stop(&f);
}
END_TEST

/* The n-th allocation and all after it fail, for every n until all succeed. */
START_TEST(creation_without_memory_leaves_nothing_behind)
{
    for (unsigned n = 1;; n++) {
        rgn_status status = RGN_OK;
        rgn_router *router;
        fixture_init(&f, true);
        f.fails_at = n;
        router = rgn_router_create(&f.config, &status);
        if (router != NULL) {
            ck_assert_uint_gt(n, 4);
            rgn_router_destroy(router);
            break;
        }
        ck_assert_int_eq(status, RGN_ERR_NO_MEMORY);
        ck_assert_uint_eq(f.bytes, 0);
    }
    ck_assert_uint_eq(f.bytes, 0);
}
END_TEST

/* As above, but for the entries: a partition whose entry finds no memory keeps default routing. */
START_TEST(an_entry_without_memory_is_counted_and_routing_stays)
{
    unsigned failures = 0;

    for (unsigned n = 1;; n++) {
        bool any_failed = false;
        unsigned at_start;
        fixture_init(&f, true);
        f.config.options.failback_promote = RGN_PROMOTE_DUE;
        f.config.options.breaker_rule = RGN_RULE_SHARE;
        f.config.options.breaker_read_failure_threshold = 1;
        fixture_start(&f);
        at_start = f.allocations;
        f.fails_at = at_start + n;
        for (rgn_partition p = 0; p < 20; p++) {
            bool has_entry;
            rgn_entry entry;
            rgn_router_record_failure(f.router, p, 0, RGN_READ, S(1));
            has_entry = rgn_router_inspect(f.router, p, &entry);
            ck_assert_uint_eq(rgn_router_route(f.router, p, (rgn_route_query){0}, S(1)).region, has_entry ? 1 : 0);
            any_failed = any_failed || !has_entry;
            failures += !has_entry;
            ck_assert_uint_eq(rgn_router_get_counters(f.router).failed_allocations,
                              any_failed ? p - (f.transition_count / 2) + 1 : 0);
        }
        fixture_stop(&f);
        if (!any_failed)
            break;
    }
    ck_assert_uint_gt(failures, 0);
}
END_TEST

START_TEST(dropped_entries_give_their_place_to_new_ones)
{
    size_t bytes = 0;

    fixture_init(&f, true);
    fixture_start(&f);
    for (int round = 0; round < 50; round++) {
        for (rgn_partition p = 0; p < 64; p++)
            rgn_router_record_failure(f.router, p, 0, RGN_READ, S(round));
        rgn_router_set_breaker_enabled(f.router, false, S(round));
        rgn_router_set_breaker_enabled(f.router, true, S(round));
        if (round == 0)
            bytes = f.bytes;
        ck_assert_uint_eq(f.bytes, bytes);
    }
    fixture_stop(&f);
}
END_TEST

/* --- coverage ---------------------------------------------------------------------------------------------------- */

START_TEST(a_failure_counts_only_where_the_breaker_covers_it)
{
    static const struct {
        const char *what;
        bool multi_write, is_on, is_alone;
        rgn_partition partition;
        rgn_region region;
        rgn_direction direction;
        bool counts;
    } rows[] = {
        {"read", true, true, false, 5, 1, RGN_READ, true},
        {"write", true, true, false, 5, 1, RGN_WRITE, true},
        {"single-write's read", false, true, false, 5, 1, RGN_READ, true},
        {"single-write's write", false, true, false, 5, 0, RGN_WRITE, false},
        {"breaker off", true, false, false, 5, 1, RGN_READ, false},
        {"one region", true, true, true, 5, 0, RGN_READ, false},
        {"last partition", true, true, false, 63, 1, RGN_READ, true},
        {"one beyond", true, true, false, 64, 1, RGN_READ, false},
        {"unknown partition", true, true, false, RGN_PARTITION_UNKNOWN, 1, RGN_READ, false},
        {"unknown region", true, true, false, 5, 9, RGN_READ, false},
        {"no region", true, true, false, 5, RGN_REGION_NONE, RGN_READ, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_entry entry;
        fixture_init(&f, rows[i].multi_write);
        if (rows[i].is_alone)
            f.account.readable.count = 1;
        f.config.options.breaker_enabled = rows[i].is_on;
        fixture_start(&f);
        rgn_router_record_failure(f.router, rows[i].partition, rows[i].region, rows[i].direction, S(1));
        ck_assert_msg(rgn_router_inspect(f.router, rows[i].partition, &entry) == rows[i].counts, "%s", rows[i].what);
        ck_assert_uint_eq(f.transition_count, rows[i].counts ? 1 : 0);
        ck_assert_int_eq(rgn_router_next_expiry(f.router) != RGN_TIME_NEVER, rows[i].counts);
        fixture_stop(&f);
    }
}
END_TEST

START_TEST(an_absent_entry_reads_as_zeroes)
{
    static const rgn_entry zero;
    rgn_share_tally share;
    rgn_entry entry;

    fixture_init(&f, true);
    fixture_start(&f);
    memset(&entry, 0xff, sizeof entry);
    ck_assert(!rgn_router_inspect(f.router, 3, &entry));
    ck_assert_mem_eq(&entry, &zero, sizeof entry);
    rgn_router_record_failure(f.router, 3, 0, RGN_READ, 0);
    ck_assert(rgn_router_inspect(f.router, 3, &entry));
    ck_assert(!rgn_router_inspect_share(f.router, 3, &share));
    fixture_stop(&f);
    f.config.options.breaker_rule = RGN_RULE_SHARE;
    fixture_start(&f);
    ck_assert(!rgn_router_inspect_share(f.router, 3, &share));
    rgn_router_record_failure(f.router, 3, 0, RGN_READ, 0);
    rgn_router_record_success(f.router, 3, 0, RGN_READ, 0);
    ck_assert(rgn_router_inspect_share(f.router, 3, &share));
    ck_assert_uint_eq(share.successes[0][RGN_READ], 1);
    fixture_stop(&f);
}
END_TEST

/* --- topology and switch ----------------------------------------------------------------------------------------- */

START_TEST(a_removed_region_drops_the_entries_that_name_it)
{
    rgn_account smaller;

    fixture_init(&f, true);
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, S(1));                       /* first failed 0, current 1 */
    rgn_router_record_failure(f.router, 1, 1, RGN_READ, S(1)); /* counting: names no region */
    for (int i = 0; i < 10; i++)
        rgn_router_record_failure(f.router, 2, 2, RGN_READ, S(1)); /* first failed 2, current 0 */
    smaller = f.account;
    smaller.readable = smaller.writable = (rgn_region_list){2, {2, 0}};
    ck_assert_int_eq(rgn_router_set_account(f.router, &smaller, S(2)), RGN_OK);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT); /* lost its current region */
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_REGION_REMOVED);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].current, 1);
    ck_assert_uint_eq(fixture_entry(&f, 1).phase, RGN_PHASE_COUNTING);
    ck_assert_uint_eq(fixture_entry(&f, 2).phase, RGN_PHASE_UNHEALTHY);
    ck_assert_uint_eq(rgn_router_topology(f.router)->generation, 2);
    ck_assert_uint_eq(rgn_router_topology(f.router)->hub, 2);
    smaller.readable = smaller.writable = (rgn_region_list){2, {0, 1}};
    ck_assert_int_eq(rgn_router_set_account(f.router, &smaller, S(3)), RGN_OK);
    ck_assert_uint_eq(fixture_entry(&f, 2).phase, RGN_PHASE_ABSENT); /* lost its first failed region */
    fixture_stop(&f);
}
END_TEST

START_TEST(the_driver_keeps_entries_that_name_a_removed_region)
{
    rgn_account smaller;

    fixture_init(&f, true);
    f.config.options.routing_rules = RGN_ROUTING_DRIVER;
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, S(1)); /* first failed 0, current 1 */
    smaller = f.account;
    smaller.readable = smaller.writable = (rgn_region_list){2, {2, 0}};
    ck_assert_int_eq(rgn_router_set_account(f.router, &smaller, S(2)), RGN_OK);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, S(2)).region, 2); /* passed over */
    fixture_stop(&f);
}
END_TEST

/* An account that has shrunk to one region is no longer covered; its open probe is still decided. */
START_TEST(an_open_probe_is_decided_by_a_success_that_is_not_covered)
{
    rgn_account alone;

    fixture_init(&f, true);
    f.config.options.routing_rules = RGN_ROUTING_DRIVER;
    f.config.options.failback_strategy = RGN_STRATEGY_PROBE;
    f.config.options.failback_probe_admission = RGN_PROBE_ALL;
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, S(1));
    rgn_router_on_expiry(f.router, S(6), NULL, 0);
    alone = f.account;
    alone.readable = alone.writable = (rgn_region_list){1, {2}};
    ck_assert_int_eq(rgn_router_set_account(f.router, &alone, S(7)), RGN_OK);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_RECOVERING);
    rgn_router_record_success(f.router, 0, 2, RGN_READ, S(8));
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_ABSENT);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_refused_account_changes_nothing)
{
    rgn_account other;

    fixture_init(&f, true);
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, S(1));
    other = f.account;
    other.readable.region[2] = 1; /* twice */
    ck_assert_int_eq(rgn_router_set_account(f.router, &other, S(2)), RGN_ERR_RANGE);
    other.readable.count = 2;
    other.readable.region[1] = 2;
    f.fails_at = f.allocations + 1;
    ck_assert_int_eq(rgn_router_set_account(f.router, &other, S(2)), RGN_ERR_NO_MEMORY);
    ck_assert_uint_eq(rgn_router_topology(f.router)->generation, 1);
    ck_assert_uint_eq(rgn_router_topology(f.router)->read_order.count, 3);
    ck_assert_uint_eq(fixture_entry(&f, 0).phase, RGN_PHASE_UNHEALTHY);
    fixture_stop(&f);
}
END_TEST

START_TEST(a_reading_that_says_the_same_again_changes_nothing)
{
    const rgn_topology *topology;
    size_t bytes;

    fixture_init(&f, true);
    fixture_start(&f);
    topology = rgn_router_topology(f.router);
    bytes = rgn_router_memory(f.router);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(rgn_router_answer_refresh(f.router, &f.account, S(i)), RGN_OK);
    ck_assert_ptr_eq(rgn_router_topology(f.router), topology);
    ck_assert_uint_eq(rgn_router_memory(f.router), bytes);
    f.account.multi_write = false;
    ck_assert_int_eq(rgn_router_answer_refresh(f.router, &f.account, S(9)), RGN_OK);
    ck_assert_uint_eq(rgn_router_topology(f.router)->generation, 2);
    fixture_stop(&f);
}
END_TEST

START_TEST(an_older_topology_stays_readable)
{
    const rgn_topology *older;
    rgn_account other;

    fixture_init(&f, true);
    fixture_start(&f);
    older = rgn_router_topology(f.router);
    other = f.account;
    other.readable = (rgn_region_list){1, {2}};
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(rgn_router_set_account(f.router, &other, S(2)), RGN_OK);
    ck_assert_uint_eq(older->generation, 1);
    ck_assert_uint_eq(older->read_order.count, 3);
    ck_assert_uint_eq(rgn_router_topology(f.router)->generation, 6);
    fixture_stop(&f);
}
END_TEST

START_TEST(an_edge_of_the_switch_drops_every_entry_and_no_edge_none)
{
    fixture_init(&f, true);
    fixture_start(&f);
    fixture_trip(&f, 7, RGN_READ, S(1));
    rgn_router_record_failure(f.router, 9, 0, RGN_READ, S(1));
    rgn_router_set_breaker_enabled(f.router, true, S(2)); /* no edge */
    ck_assert_uint_eq(fixture_entry(&f, 7).phase, RGN_PHASE_UNHEALTHY);
    rgn_router_set_breaker_enabled(f.router, false, S(2));
    ck_assert_uint_eq(fixture_entry(&f, 7).phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(fixture_entry(&f, 9).phase, RGN_PHASE_ABSENT);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].reason, RGN_REASON_FLAG_EDGE);
    ck_assert_uint_eq(f.transitions[f.transition_count - 1].partition, 9);
    ck_assert_int_eq(rgn_router_next_expiry(f.router), RGN_TIME_NEVER);
    rgn_router_record_failure(f.router, 9, 0, RGN_READ, S(3));
    ck_assert_uint_eq(fixture_entry(&f, 9).phase, RGN_PHASE_ABSENT);
    fixture_stop(&f);
}
END_TEST

START_TEST(generations_count_per_router_and_never_repeat_in_a_partition)
{
    fixture_init(&f, true);
    fixture_start(&f);
    rgn_router_record_failure(f.router, 0, 0, RGN_READ, S(1));
    rgn_router_record_failure(f.router, 1, 0, RGN_READ, S(1));
    rgn_router_record_failure(f.router, 1, 0, RGN_READ, S(1));
    ck_assert_uint_eq(fixture_entry(&f, 0).generation, 1);
    ck_assert_uint_eq(fixture_entry(&f, 1).generation, 2);
    rgn_router_set_breaker_enabled(f.router, false, S(2));
    rgn_router_set_breaker_enabled(f.router, true, S(2));
    rgn_router_record_failure(f.router, 0, 0, RGN_READ, S(3));
    ck_assert_uint_eq(fixture_entry(&f, 0).generation, 3);
    fixture_stop(&f);
}
END_TEST

/* --- endpoint marks ---------------------------------------------------------------------------------------------- */

START_TEST(a_mark_lasts_strictly_less_than_its_lifetime)
{
    static const struct {
        rgn_time_ns at;
        rgn_region expected;
    } rows[] = {{S(1), 1}, {S(61) - 1, 1}, {S(61), 0}, {S(61) + 1, 0}, {0, 1} /* marked in the future: age 0 */};

    fixture_init(&f, true);
    fixture_start(&f);
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_SERVICE_UNAVAILABLE, S(1));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(rgn_router_route(f.router, 0, (rgn_route_query){0}, rows[i].at).region == rows[i].expected,
                      "row %zu", i);
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_SERVICE_UNAVAILABLE, S(60)); /* starts anew */
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, S(119)).region, 1);
    rgn_router_unmark_endpoint(f.router, 0);
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, S(119)).region, 0);
    ck_assert_uint_eq(f.mark_count, 2);
    ck_assert_uint_eq(f.marks[1].region, 0);
    ck_assert_uint_eq(f.marks[1].why, RGN_MARK_SERVICE_UNAVAILABLE);
    ck_assert_int_eq(f.marks[1].at, S(60));
    fixture_stop(&f);
}
END_TEST

START_TEST(a_refused_write_marks_the_endpoint_for_writes_only)
{
    rgn_route_query write = {.direction = RGN_WRITE};

    fixture_init(&f, true);
    fixture_start(&f);
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_WRITE_FORBIDDEN, 0);
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, 0).region, 0);
    ck_assert_uint_eq(rgn_router_route(f.router, 0, write, 0).region, 1);
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_TRANSPORT_ERROR, 0); /* replaces it */
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, 0).region, 1);
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_WRITE_FORBIDDEN, 0); /* and the other way round */
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, 0).region, 0);
    rgn_router_mark_endpoint(f.router, 31, RGN_MARK_TRANSPORT_ERROR, 0); /* the last bit */
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, 0).region, 0);
    fixture_stop(&f);
}
END_TEST

START_TEST(marks_outlive_a_topology)
{
    fixture_init(&f, true);
    fixture_start(&f);
    rgn_router_mark_endpoint(f.router, 0, RGN_MARK_SERVICE_UNAVAILABLE, 0);
    ck_assert_int_eq(rgn_router_set_account(f.router, &f.account, 0), RGN_OK);
    ck_assert_uint_eq(rgn_router_route(f.router, 0, (rgn_route_query){0}, 0).region, 1);
    fixture_stop(&f);
}
END_TEST

/* --- late results ------------------------------------------------------------------------------------------------ */

static rgn_op start_canary(rgn_time_ns now)
{
    rgn_request request = {.partition = 0, .direction = RGN_READ, .timeout = RGN_TIME_NEVER};
    rgn_op op;

    ck_assert_int_eq(rgn_op_start(f.router, &op, &request, now), RGN_SEND);
    ck_assert_uint_eq(op.send_flags, RGN_SEND_CANARY);
    return op;
}

static void end_leg(rgn_op *op, uint16_t status, rgn_time_ns now)
{
    rgn_response response = {.status = status, .retry_after = RGN_TIME_NEVER};

    rgn_op_on_leg(f.router, op, 0, &response, now);
}

START_TEST(a_canary_of_an_entry_that_is_gone_is_late)
{
    rgn_op op[3];

    fixture_init(&f, true);
    f.config.options.failback_promote = RGN_PROMOTE_DUE;
    f.config.options.failback_canary_percentage = 100;
    fixture_start(&f);
    fixture_trip(&f, 0, RGN_READ, 0);
    rgn_router_on_expiry(f.router, S(5), NULL, 0);
    for (int i = 0; i < 3; i++)
        op[i] = start_canary(S(6));
    ck_assert_uint_eq(fixture_entry(&f, 0).canary_in_flight, 3);
    rgn_router_set_breaker_enabled(f.router, false, S(7));
    end_leg(&op[0], 200, S(8));
    ck_assert_uint_eq(rgn_router_get_counters(f.router).late_successes, 1);
    end_leg(&op[1], 503, S(8));
    ck_assert_uint_eq(rgn_router_get_counters(f.router).late_failures, 1);
    end_leg(&op[2], 429, S(8)); /* neutral: counted nowhere */
    ck_assert_uint_eq(rgn_router_get_counters(f.router).late_successes, 1);
    ck_assert_uint_eq(rgn_router_get_counters(f.router).late_failures, 1);
    fixture_stop(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("router");
    TCase *tc = tcase_create("router");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, sizes_are_as_promised);
    tcase_add_test(tc, times_add_up_to_never_at_most);
    tcase_add_test(tc, a_healthy_partition_costs_a_byte);
    tcase_add_test(tc, a_bad_configuration_is_refused);
    tcase_add_test(tc, creation_without_memory_leaves_nothing_behind);
    tcase_add_test(tc, an_entry_without_memory_is_counted_and_routing_stays);
    tcase_add_test(tc, dropped_entries_give_their_place_to_new_ones);
    tcase_add_test(tc, a_failure_counts_only_where_the_breaker_covers_it);
    tcase_add_test(tc, an_absent_entry_reads_as_zeroes);
    tcase_add_test(tc, a_removed_region_drops_the_entries_that_name_it);
    tcase_add_test(tc, the_driver_keeps_entries_that_name_a_removed_region);
    tcase_add_test(tc, an_open_probe_is_decided_by_a_success_that_is_not_covered);
    tcase_add_test(tc, a_refused_account_changes_nothing);
    tcase_add_test(tc, a_reading_that_says_the_same_again_changes_nothing);
    tcase_add_test(tc, an_older_topology_stays_readable);
    tcase_add_test(tc, an_edge_of_the_switch_drops_every_entry_and_no_edge_none);
    tcase_add_test(tc, generations_count_per_router_and_never_repeat_in_a_partition);
    tcase_add_test(tc, a_mark_lasts_strictly_less_than_its_lifetime);
    tcase_add_test(tc, a_refused_write_marks_the_endpoint_for_writes_only);
    tcase_add_test(tc, marks_outlive_a_topology);
    tcase_add_test(tc, a_canary_of_an_entry_that_is_gone_is_late);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
