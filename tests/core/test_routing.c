/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>

#include <regioncore/routing.h>

enum { A = 0, B = 1, C = 2 };
#define SET(region) (1u << (region))
enum { NONE = 0, ALL = 7 };

/* Three regions; the account lists C first among those that take writes, the caller prefers A, B, C. */
static rgn_topology topology_of(bool multi_write)
{
    rgn_topology topology = {.read_order = {3, {A, B, C}},
                             .write_order = {1, {C}},
                             .regions = ALL,
                             .hub = C,
                             .multi_write = multi_write,
                             .generation = 1};
    if (multi_write)
        topology.write_order = (rgn_region_list){3, {A, B, C}};
    return topology;
}

static rgn_options options_of(int64_t rules)
{
    rgn_options options;

    rgn_options_default(&options);
    options.routing_rules = rules;
    return options;
}

/* A partition whose reads and writes are tripped. */
static rgn_entry tripped_entry(rgn_region_set failed, rgn_region first_failed, rgn_region current)
{
    return (rgn_entry){
        .phase = RGN_PHASE_UNHEALTHY, .tripped = 3, .failed = failed, .first_failed = first_failed, .current = current};
}

/* One row of a table of decisions. `failed` 0: no entry. */
typedef struct {
    const char *what;
    bool multi_write, is_write;
    rgn_region_set excluded, marked, failed, failed_here;
    rgn_region current;
    unsigned index;
    bool is_retry, is_session, may_walk;
    rgn_region expected;
    rgn_reason reason;
} decision;

static void check_decisions(const decision *rows, size_t count, int64_t rules)
{
    rgn_options options = options_of(rules);

    for (size_t i = 0; i < count; i++) {
        const decision *row = &rows[i];
        rgn_topology topology = topology_of(row->multi_write);
        rgn_entry entry = tripped_entry(row->failed, A, row->current);
        rgn_route_query query = {.topology = &topology,
                                 .entry = row->failed != 0 ? &entry : NULL,
                                 .marked = row->marked,
                                 .excluded = row->excluded,
                                 .failed_regions = row->failed_here,
                                 .direction = row->is_write ? RGN_WRITE : RGN_READ,
                                 .list_index = (uint8_t)row->index,
                                 .is_retry = row->is_retry,
                                 .is_session_retry = row->is_session,
                                 .may_walk_reads = row->may_walk};
        rgn_route_answer answer = rgn_route(&query, &options);
        ck_assert_msg(answer.region == row->expected, "%s: region %u, not %u", row->what, answer.region, row->expected);
        ck_assert_msg(answer.reason == row->reason, "%s: %s, not %s", row->what,
                      rgn_reason_name((rgn_reason)answer.reason), rgn_reason_name(row->reason));
    }
}

START_TEST(preference_order_puts_the_callers_regions_first)
{
    const rgn_region_list account = {4, {3, 1, 0, 2}};
    const rgn_region_list preferred = {3, {2, 7, 1}}; /* the account has no region 7 */
    const rgn_region_list expected = {4, {2, 1, 3, 0}};
    const rgn_region_list nothing = {0};
    rgn_region_list list = rgn_region_list_prefer(&account, &preferred);

    ck_assert_uint_eq(list.count, 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(list.region[i], expected.region[i]);
    list = rgn_region_list_prefer(&account, &nothing);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(list.region[i], account.region[i]);
    ck_assert_uint_eq(rgn_region_list_prefer(&nothing, &preferred).count, 0);
    ck_assert_uint_eq(rgn_region_list_set(&account), 15);
}
END_TEST

START_TEST(documented_rules_decide_branch_by_branch)
{
    static const decision rows[] = {
        {"read", .multi_write = true, .expected = A, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"write, multi-write", .multi_write = true, .is_write = true, .expected = A,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"write, single-write: the hub", .is_write = true, .expected = C, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"read, single-write", .expected = A, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"excluded", .multi_write = true, .excluded = SET(A), .expected = B, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"all excluded: first preferred write region", .multi_write = true, .excluded = ALL, .expected = A,
         .reason = RGN_REASON_ROUTE_FALLBACK},
        {"all excluded, single-write: the hub", .excluded = ALL, .expected = C, .reason = RGN_REASON_ROUTE_FALLBACK},
        {"all excluded, write: the hub", .multi_write = true, .is_write = true, .excluded = ALL, .expected = C,
         .reason = RGN_REASON_ROUTE_FALLBACK},
        {"hub excluded, single-write's write", .is_write = true, .excluded = SET(C), .expected = C,
         .reason = RGN_REASON_ROUTE_FALLBACK},
        {"a mark comes last", .multi_write = true, .marked = SET(A), .expected = B,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"all marked: first marked", .multi_write = true, .marked = ALL, .expected = A,
         .reason = RGN_REASON_ROUTE_MARKED},
        {"mark beats fallback", .multi_write = true, .excluded = SET(A) | SET(C), .marked = SET(B), .expected = B,
         .reason = RGN_REASON_ROUTE_MARKED},
        {"marks of fallbacks are not looked at", .multi_write = true, .excluded = ALL, .marked = SET(A), .expected = A,
         .reason = RGN_REASON_ROUTE_FALLBACK},
        {"tripped", .multi_write = true, .failed = SET(A), .current = B, .expected = B,
         .reason = RGN_REASON_ROUTE_OVERRIDE},
        {"tripped, next excluded", .multi_write = true, .failed = SET(A), .current = B, .excluded = SET(B),
         .expected = C, .reason = RGN_REASON_ROUTE_OVERRIDE},
        {"tripped, next marked", .multi_write = true, .failed = SET(A), .current = B, .marked = SET(B), .expected = C,
         .reason = RGN_REASON_ROUTE_OVERRIDE},
        {"tripped, rest excluded: fallback, even at first failed", .multi_write = true, .failed = SET(A), .current = B,
         .excluded = SET(B) | SET(C), .expected = A, .reason = RGN_REASON_ROUTE_FALLBACK},
        {"tripped, rest excluded, write: the hub", .multi_write = true, .is_write = true, .failed = SET(A),
         .current = B, .excluded = SET(B) | SET(C), .expected = C, .reason = RGN_REASON_ROUTE_FALLBACK},
        {"tripped read, single-write, rest excluded", .failed = SET(A), .current = B, .excluded = SET(B) | SET(C),
         .expected = C, .reason = RGN_REASON_ROUTE_FALLBACK},
        {"retry", .multi_write = true, .is_retry = true, .failed_here = SET(A), .expected = B,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"retry, next marked", .multi_write = true, .is_retry = true, .failed_here = SET(A), .marked = SET(B),
         .expected = C, .reason = RGN_REASON_ROUTE_RETRY},
        {"retry, rest marked", .multi_write = true, .is_retry = true, .failed_here = SET(A), .marked = SET(B) | SET(C),
         .expected = B, .reason = RGN_REASON_ROUTE_MARKED},
        {"retry while tripped", .multi_write = true, .is_retry = true, .failed = SET(A), .current = B,
         .failed_here = SET(B), .expected = C, .reason = RGN_REASON_ROUTE_RETRY},
        {"retry while tripped, all others failed here: not the tripped one", .multi_write = true, .is_retry = true,
         .failed = SET(A), .current = B, .failed_here = SET(B) | SET(C), .expected = B,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"retry when all failed here", .multi_write = true, .is_retry = true, .failed_here = ALL, .expected = A,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"session retry, single-write: the hub", .is_retry = true, .is_session = true, .failed_here = SET(A),
         .expected = C, .reason = RGN_REASON_ROUTE_RETRY},
        {"session retry, multi-write: the next", .multi_write = true, .is_retry = true, .is_session = true,
         .failed_here = SET(A), .expected = B, .reason = RGN_REASON_ROUTE_RETRY},
        {"roaming write: the hub first", .is_write = true, .may_walk = true, .expected = C,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"roaming write, the hub failed: the readable regions", .is_write = true, .may_walk = true, .is_retry = true,
         .failed_here = SET(C), .expected = A, .reason = RGN_REASON_ROUTE_RETRY},
        {"retry while tripped, its only region failed here: the tripped one comes back", .multi_write = true,
         .is_retry = true, .failed = SET(A) | SET(C), .current = B, .failed_here = SET(B), .expected = A,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"the same, but excluded", .multi_write = true, .is_retry = true, .failed = SET(A) | SET(C), .current = B,
         .failed_here = SET(B), .excluded = SET(A), .expected = C, .reason = RGN_REASON_ROUTE_RETRY},
    };

    check_decisions(rows, sizeof rows / sizeof rows[0], RGN_ROUTING_DOCUMENTED);
}
END_TEST

START_TEST(driver_rules_decide_branch_by_branch)
{
    static const decision rows[] = {
        {"read", .multi_write = true, .expected = A, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"cursor", .multi_write = true, .index = 1, .is_retry = true, .expected = B, .reason = RGN_REASON_ROUTE_RETRY},
        {"cursor wraps", .multi_write = true, .index = 4, .is_retry = true, .expected = B,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"cursor over exclusion", .multi_write = true, .index = 2, .is_retry = true, .excluded = SET(C), .expected = A,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"first without mark", .multi_write = true, .marked = SET(A), .expected = B,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"all marked: first from the cursor", .multi_write = true, .index = 1, .marked = ALL, .expected = B,
         .reason = RGN_REASON_ROUTE_MARKED},
        {"an excluded region is no marked fallback", .multi_write = true, .excluded = SET(A), .marked = ALL,
         .expected = B, .reason = RGN_REASON_ROUTE_MARKED},
        {"write skips regions failed here", .multi_write = true, .is_write = true, .failed_here = SET(A), .expected = B,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"read does not", .multi_write = true, .failed_here = SET(A), .expected = A,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"pass B: all failed here", .multi_write = true, .is_write = true, .failed_here = ALL, .expected = A,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"pass B keeps exclusions", .multi_write = true, .is_write = true, .failed_here = ALL, .excluded = SET(A),
         .expected = B, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"all excluded: first of the write list", .excluded = ALL, .expected = C, .reason = RGN_REASON_ROUTE_FALLBACK},
        {"all excluded, multi-write", .multi_write = true, .is_write = true, .excluded = ALL, .expected = A,
         .reason = RGN_REASON_ROUTE_FALLBACK},
        {"override", .multi_write = true, .failed = SET(A), .current = C, .expected = C,
         .reason = RGN_REASON_ROUTE_OVERRIDE},
        {"override beats the cursor", .multi_write = true, .failed = SET(A), .current = C, .index = 1, .is_retry = true,
         .expected = C, .reason = RGN_REASON_ROUTE_OVERRIDE},
        {"override excluded: base, even at the tripped region", .multi_write = true, .failed = SET(A), .current = B,
         .excluded = SET(B), .expected = A, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"override marked: base", .multi_write = true, .failed = SET(A), .current = B, .marked = SET(B), .expected = A,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"override gone from the account: base", .multi_write = true, .failed = SET(A), .current = 9, .expected = A,
         .reason = RGN_REASON_ROUTE_PREFERRED},
        {"override failed here, write", .multi_write = true, .is_write = true, .failed = SET(A), .current = B,
         .failed_here = SET(B), .expected = A, .reason = RGN_REASON_ROUTE_PREFERRED},
        {"override failed here, read", .multi_write = true, .failed = SET(A), .current = B, .failed_here = SET(B),
         .expected = B, .reason = RGN_REASON_ROUTE_OVERRIDE},
        {"session retry: write list", .is_session = true, .is_retry = true, .expected = C,
         .reason = RGN_REASON_ROUTE_RETRY},
        {"roaming write: read list", .is_write = true, .may_walk = true, .index = 1, .expected = B,
         .reason = RGN_REASON_ROUTE_PREFERRED},
    };

    check_decisions(rows, sizeof rows / sizeof rows[0], RGN_ROUTING_DRIVER);
}
END_TEST

START_TEST(only_the_tripped_direction_leaves_home)
{
    rgn_topology topology = topology_of(true);
    rgn_entry entry = tripped_entry(SET(A), A, B);
    rgn_route_query query = {.topology = &topology, .entry = &entry};

    entry.tripped = 1 << RGN_READ;
    for (int64_t rules = RGN_ROUTING_DOCUMENTED; rules <= RGN_ROUTING_DRIVER; rules++) {
        rgn_options options = options_of(rules);
        query.direction = RGN_READ;
        ck_assert_uint_eq(rgn_route(&query, &options).region, B);
        query.direction = RGN_WRITE;
        ck_assert_uint_eq(rgn_route(&query, &options).region, A);
    }
}
END_TEST

/* The driver's probe sends everything home; a sampled or single one is the router's business and never routing's. */
START_TEST(an_open_probe_goes_home_and_a_recovery_alone_does_not)
{
    rgn_topology topology = topology_of(true);
    rgn_entry entry = tripped_entry(SET(A), A, B);
    rgn_route_query query = {.topology = &topology, .entry = &entry};

    entry.phase = RGN_PHASE_RECOVERING;
    for (int64_t rules = RGN_ROUTING_DOCUMENTED; rules <= RGN_ROUTING_DRIVER; rules++) {
        rgn_options options = options_of(rules);
        ck_assert_uint_eq(rgn_route(&query, &options).reason, RGN_REASON_ROUTE_OVERRIDE);
        options.failback_strategy = RGN_STRATEGY_PROBE;
        ck_assert_uint_eq(rgn_route(&query, &options).reason, RGN_REASON_ROUTE_OVERRIDE);
        options.failback_probe_admission = RGN_PROBE_ALL;
        ck_assert_uint_eq(rgn_route(&query, &options).reason, RGN_REASON_ROUTE_CANARY);
        ck_assert_uint_eq(rgn_route(&query, &options).region, A);
        query.excluded = SET(A);
        ck_assert_uint_eq(rgn_route(&query, &options).region, B);
        query.excluded = 0;
        query.marked = SET(A);
        ck_assert_uint_eq(rgn_route(&query, &options).region, B);
        query.marked = 0;
        query.is_retry = true; /* documented: only a first attempt probes */
        ck_assert_uint_eq(rgn_route(&query, &options).region, rules == RGN_ROUTING_DRIVER ? A : B);
        query.is_retry = false;
    }
}
END_TEST

START_TEST(an_account_without_regions_has_no_target)
{
    rgn_topology topology = {.hub = RGN_REGION_NONE};
    rgn_topology unwritable = {.read_order = {1, {B}}, .regions = SET(B), .hub = RGN_REGION_NONE};

    for (int64_t rules = RGN_ROUTING_DOCUMENTED; rules <= RGN_ROUTING_DRIVER; rules++) {
        rgn_options options = options_of(rules);
        for (uint8_t direction = RGN_READ; direction <= RGN_WRITE; direction++) {
            rgn_route_query query = {.topology = &topology, .direction = direction};
            ck_assert_uint_eq(rgn_route(&query, &options).region, RGN_REGION_NONE);
            query.topology = &unwritable;
            ck_assert_uint_eq(rgn_route(&query, &options).region, B);
        }
    }
}
END_TEST

/* Every combination of sets over three regions, both directions, both kinds of account, both rule sets. */
START_TEST(an_exclusion_is_broken_by_fallback_only)
{
    unsigned seen = 0;

    for (unsigned bits = 0; bits < 1u << 17; bits++) {
        rgn_topology topology = topology_of((bits >> 12 & 1) != 0);
        rgn_options options = options_of(bits >> 13 & 1);
        rgn_region_set failed = bits >> 6 & ALL;
        rgn_entry entry = tripped_entry(failed, A, (failed & SET(B)) == 0 ? B : C);
        rgn_route_query query = {.topology = &topology,
                                 .entry = failed != 0 ? &entry : NULL,
                                 .excluded = bits & ALL,
                                 .marked = bits >> 3 & ALL,
                                 .failed_regions = bits >> 9 & ALL,
                                 .direction = bits >> 14 & 1,
                                 .list_index = bits >> 15 & 3,
                                 .is_retry = (bits >> 15 & 3) != 0};
        rgn_route_answer answer = rgn_route(&query, &options);

        ck_assert(rgn_region_in(topology.regions, answer.region));
        if (answer.reason == RGN_REASON_ROUTE_FALLBACK)
            seen++;
        else
            ck_assert(!rgn_region_in(query.excluded, answer.region));
        if (options.routing_rules == RGN_ROUTING_DOCUMENTED && answer.reason != RGN_REASON_ROUTE_FALLBACK)
            ck_assert(query.entry == NULL || query.is_retry || !rgn_region_in(failed, answer.region));
        if (answer.reason == RGN_REASON_ROUTE_MARKED)
            ck_assert(rgn_region_in(query.marked, answer.region));
    }
    ck_assert_uint_gt(seen, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("routing");
    TCase *tc = tcase_create("routing");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, preference_order_puts_the_callers_regions_first);
    tcase_add_test(tc, documented_rules_decide_branch_by_branch);
    tcase_add_test(tc, driver_rules_decide_branch_by_branch);
    tcase_add_test(tc, only_the_tripped_direction_leaves_home);
    tcase_add_test(tc, an_open_probe_goes_home_and_a_recovery_alone_does_not);
    tcase_add_test(tc, an_account_without_regions_has_no_target);
    tcase_add_test(tc, an_exclusion_is_broken_by_fallback_only);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
