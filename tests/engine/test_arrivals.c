/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/arrivals.h"
#include "engine/stories.h"

static const uint32_t only_group[] = {0};
static const sim_client_group group[] = {{.name = "g", .name_hash = 5, .count = 4}};

static sim_workload make_workload(const char *name, uint64_t hash, sim_arrivals arrivals, int64_t per_second)
{
    return (sim_workload){.name = name,
                          .name_hash = hash,
                          .rate_mhz = per_second * 1000,
                          .arrivals = arrivals,
                          .group_count = 1,
                          .groups = only_group,
                          .clients = 4,
                          .partition_count = 10,
                          .kind_share = {900000000, 100000000},
                          .form_share = {900000000, 0, 0},
                          .deadline = RGN_TIME_NEVER};
}

static sim_scenario make_scenario(const sim_workload *workloads, uint32_t count, int64_t duration)
{
    return (sim_scenario){.duration = duration,
                          .group_count = 1,
                          .group = group,
                          .client_count = 4,
                          .workload_count = count,
                          .workload = workloads,
                          .partition_count = 10 * count};
}

static const sim_luck luck = {.seed = 7, .replication = 3};

START_TEST(constant_arrivals_come_at_exact_multiples_of_the_gap)
{
    const sim_workload workload = make_workload("a", 1, SIM_ARRIVALS_CONSTANT, 3); /* 333,333,333.33 ns apart */
    const sim_scenario scenario = make_scenario(&workload, 1, 400 * RGN_NS_PER_S);
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    for (int64_t n = 0; n < 1200; n++) {
        ck_assert_int_eq(merge.next_time, n * 1000000000 / 3);
        ck_assert_uint_eq(sim_arrivals_peek(&merge).n, (uint32_t)n);
        sim_arrivals_take(&merge);
    }
    ck_assert_int_eq(merge.next_time, RGN_TIME_NEVER);
    sim_arrivals_deinit(&merge);
}
END_TEST

/* 200,000 arrivals: the count's standard deviation is 447; the bound is 5 of them (1 in 1.7 million). Gaps of an
 * exponential have a coefficient of variation of 1. */
START_TEST(poisson_arrivals_have_the_rate_and_the_spread_they_should)
{
    const sim_workload workload = make_workload("a", 1, SIM_ARRIVALS_POISSON, 1000);
    const sim_scenario scenario = make_scenario(&workload, 1, 200 * RGN_NS_PER_S);
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    int64_t count = 0;
    int64_t last = 0;
    double squares = 0;
    for (; merge.next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge), count++) {
        ck_assert_int_ge(merge.next_time, last);
        ck_assert_int_lt(merge.next_time, scenario.duration);
        const double gap = (double)(merge.next_time - last) / 1e6;
        squares += gap * gap;
        last = merge.next_time;
    }
    ck_assert_int_gt(count, 200000 - 5 * 447);
    ck_assert_int_lt(count, 200000 + 5 * 447);
    ck_assert_double_eq_tol(squares / (double)count, 2.0, 0.06); /* E gap² = 2 ms², sd of the mean 0.01 */
    sim_arrivals_deinit(&merge);
}
END_TEST

START_TEST(shares_of_kinds_partitions_and_clients_are_kept)
{
    static uint32_t weight[10] = {100000000, 100000000, 100000000, 400000000, 50000000,
                                  50000000,  50000000,  50000000,  50000000,  50000000};
    sim_workload workload = make_workload("a", 1, SIM_ARRIVALS_CONSTANT, 1000);
    workload.partition_weight = weight;
    const sim_scenario scenario = make_scenario(&workload, 1, 100 * RGN_NS_PER_S);
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    uint32_t reads = 0;
    uint32_t partition[10] = {0};
    uint32_t client[4] = {0};
    for (; merge.next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge)) {
        const sim_arrival arrival = sim_arrivals_peek(&merge);
        reads += arrival.kind == SIM_KIND_READ;
        partition[arrival.partition]++;
        client[arrival.client]++;
    }
    /* 100,000 operations, 5 standard deviations each */
    ck_assert_uint_gt(reads, 90000 - 5 * 95);
    ck_assert_uint_lt(reads, 90000 + 5 * 95);
    for (uint32_t p = 0; p < 10; p++) {
        ck_assert_uint_gt(partition[p], weight[p] / 10000 - 5 * 155);
        ck_assert_uint_lt(partition[p], weight[p] / 10000 + 5 * 155);
    }
    for (uint32_t c = 0; c < 4; c++) {
        ck_assert_uint_gt(client[c], 25000 - 5 * 137);
        ck_assert_uint_lt(client[c], 25000 + 5 * 137);
    }
    sim_arrivals_deinit(&merge);
}
END_TEST

static bool is_same(sim_arrival a, sim_arrival b, uint32_t partitions_before)
{
    return a.time == b.time && a.luck_key == b.luck_key && a.client == b.client && a.kind == b.kind &&
           a.partition + partitions_before == b.partition && a.chance == b.chance;
}

/* Another stream, before it in name order, changes nothing but indices. */
/* What reads read is cut out of the reads: times, clients, partitions and writes stay. */
START_TEST(forms_of_reads_have_their_shares_and_change_nothing_else)
{
    static const uint32_t forms[][SIM_FORMS] = {
        {500000000, 300000000, 100000000}, {0, 0, 900000000}, {600000000, 300000000, 0}, {899999999, 1, 0}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        sim_workload workload[2] = {make_workload("a", 1, SIM_ARRIVALS_POISSON, 1000),
                                    make_workload("a", 1, SIM_ARRIVALS_POISSON, 1000)};
        memcpy(workload[1].form_share, forms[i], sizeof forms[i]);
        sim_scenario scenario[2] = {make_scenario(&workload[0], 1, 100 * RGN_NS_PER_S),
                                    make_scenario(&workload[1], 1, 100 * RGN_NS_PER_S)};
        sim_arrivals_merge merge[2];
        uint32_t count[SIM_FORMS] = {0}, writes = 0;
        for (int k = 0; k < 2; k++)
            ck_assert(sim_arrivals_init(&merge[k], &scenario[k], &luck));
        uint32_t different = 0;
        for (; merge[0].next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge[0]), sim_arrivals_take(&merge[1])) {
            const sim_arrival plain = sim_arrivals_peek(&merge[0]), mixed = sim_arrivals_peek(&merge[1]);
            different += plain.time != mixed.time || plain.client != mixed.client || plain.kind != mixed.kind ||
                         plain.partition != mixed.partition || plain.form != SIM_FORM_POINT;
            if (mixed.kind == SIM_KIND_READ)
                count[mixed.form]++;
            else
                writes += mixed.form == SIM_FORM_POINT;
        }
        ck_assert_uint_eq(different, 0);
        ck_assert_uint_gt(writes, 10000 - 5 * 100);
        for (int form = 0; form < SIM_FORMS; form++) {
            const double expected = forms[i][form] / 10000.0; /* of about 100,000 operations */
            ck_assert_double_eq_tol(count[form], expected, expected > 100 ? 5 * 450 : 5);
        }
        for (int k = 0; k < 2; k++)
            sim_arrivals_deinit(&merge[k]);
    }
}
END_TEST

START_TEST(a_stream_does_not_feel_its_neighbours)
{
    sim_workload pair[2] = {make_workload("a", UINT64_C(0xdeadbeefcafe0000), SIM_ARRIVALS_POISSON, 700),
                            make_workload("b", UINT64_C(0x123456789abcdef0), SIM_ARRIVALS_POISSON, 500)};
    const sim_workload alone = pair[1];
    pair[1].first_partition = 10;
    const sim_scenario both = make_scenario(pair, 2, 20 * RGN_NS_PER_S);
    const sim_scenario single = make_scenario(&alone, 1, 20 * RGN_NS_PER_S);
    sim_arrivals_merge merge_both;
    sim_arrivals_merge merge_single;
    ck_assert(sim_arrivals_init(&merge_both, &both, &luck));
    ck_assert(sim_arrivals_init(&merge_single, &single, &luck));
    int64_t last = 0;
    uint32_t seen = 0;
    for (; merge_both.next_time != RGN_TIME_NEVER; sim_arrivals_take(&merge_both)) {
        ck_assert_int_ge(merge_both.next_time, last);
        last = merge_both.next_time;
        if (sim_arrivals_peek(&merge_both).workload != 1)
            continue;
        ck_assert(is_same(sim_arrivals_peek(&merge_single), sim_arrivals_peek(&merge_both), 10));
        sim_arrivals_take(&merge_single);
        seen++;
    }
    ck_assert_int_eq(merge_single.next_time, RGN_TIME_NEVER);
    ck_assert_uint_gt(seen, 9000);
    sim_arrivals_deinit(&merge_both);
    sim_arrivals_deinit(&merge_single);
}
END_TEST

/* Ties between streams go to the first by name, whichever was drawn last. */
START_TEST(streams_that_tie_come_in_name_order)
{
    const sim_workload pair[2] = {make_workload("a", 1, SIM_ARRIVALS_CONSTANT, 100),
                                  make_workload("b", 2, SIM_ARRIVALS_CONSTANT, 100)};
    const sim_scenario scenario = make_scenario(pair, 2, 10 * RGN_NS_PER_S);
    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    for (uint32_t i = 0; i < 2000; i++) {
        ck_assert_uint_eq(sim_arrivals_peek(&merge).workload, i % 2);
        sim_arrivals_take(&merge);
    }
    ck_assert_int_eq(merge.next_time, RGN_TIME_NEVER);
    sim_arrivals_deinit(&merge);
}
END_TEST

static bool is_same_luck(sim_words a, sim_words b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/* A leg of the next arrival goes to `region`: takes luck that was drawn ahead, as the engine does. False: there is
 * none.
 */
static bool take_luck(sim_arrivals_merge *merge, rgn_region region)
{
    const sim_arrival arrival = sim_arrivals_peek(merge);
    if (merge->first->elsewhere_region[merge->first->position] == region) {
        sim_arrivals_note_hit(merge, arrival.workload, arrival.client);
        return true;
    }
    sim_arrivals_note_miss(merge, arrival.workload, arrival.client, region);
    return false;
}

/* Whatever was drawn ahead for the next arrival's legs is what they would draw alone. */
static bool is_luck_right(const sim_arrivals_merge *merge)
{
    const sim_scenario *scenario = merge->scenario;
    const sim_arrival arrival = sim_arrivals_peek(merge);
    const rgn_region other = merge->first->elsewhere_region[merge->first->position];
    const sim_words elsewhere = sim_draw_block_words(&merge->first->elsewhere, merge->first->position);
    const uint64_t home = merge->first_place[arrival.client];
    return is_same_luck(arrival.leg, sim_draw_words(&luck, SIM_DRAW_LEG, arrival.luck_key, home)) &&
           (other == RGN_REGION_NONE ||
            is_same_luck(elsewhere, sim_draw_words(&luck, SIM_DRAW_LEG, arrival.luck_key,
                                                   sim_leg_place(scenario->region[other], 1))));
}

/* Clients of two homes, whose legs go to a region of each home's own, one in ten to another; or one client. Of 10,000
 * arrivals each in turn none asks, then half, then none. */
START_TEST(luck_of_legs_elsewhere_is_drawn_ahead_while_enough_ask)
{
    static const sim_client_group groups[] = {
        {.name = "a", .count = 2, .preferred = {.count = 3, .region = {0, 1, 2}}},
        {.name = "b", .first_client = 2, .count = 2, .preferred = {.count = 3, .region = {1, 2, 0}}}};
    static const uint32_t both_groups[] = {0, 1};
    sim_workload workload = make_workload("a", 1, SIM_ARRIVALS_POISSON, 1000);
    sim_scenario scenario = make_scenario(&workload, 1, 40 * RGN_NS_PER_S);
    sim_client_group only = groups[0];
    only.count = 1;
    scenario.group = _i == 0 ? groups : &only;
    scenario.group_count = _i == 0 ? 2 : 1;
    scenario.client_count = workload.clients = _i == 0 ? 4 : 1;
    workload.groups = both_groups;
    workload.group_count = scenario.group_count;
    memcpy(scenario.region, (const uint16_t[]){17, 4, 9, 30}, 4 * sizeof scenario.region[0]);

    sim_arrivals_merge merge;
    ck_assert(sim_arrivals_init(&merge, &scenario, &luck));
    uint32_t asked = 0, hits = 0, drawn[3] = {0};
    for (uint32_t n = 0; n < 30000; n++, sim_arrivals_take(&merge)) {
        ck_assert(is_luck_right(&merge));
        ck_assert_uint_eq(merge.first->story_hash[merge.first->position], sim_story_hash(n));
        drawn[n / 10000] += merge.first->elsewhere_region[merge.first->position] != RGN_REGION_NONE;
        if (n / 10000 != 1 || n % 2 != 0)
            continue;
        asked++;
        hits += take_luck(&merge, n % 20 == 0 ? 3 : sim_arrivals_peek(&merge).client < 2 ? 1 : 2);
    }
    ck_assert_uint_eq(drawn[0], 0);
    ck_assert_uint_gt(hits, asked * 88 / 100);
    ck_assert_uint_ge(drawn[1], 10000 - 4 * SIM_ARRIVALS_BLOCK);
    ck_assert_uint_le(drawn[2], 2 * SIM_ARRIVALS_BLOCK);
    sim_arrivals_deinit(&merge);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrivals");
    TCase *tcase = tcase_create("arrivals");
    tcase_add_test(tcase, constant_arrivals_come_at_exact_multiples_of_the_gap);
    tcase_add_test(tcase, poisson_arrivals_have_the_rate_and_the_spread_they_should);
    tcase_add_test(tcase, shares_of_kinds_partitions_and_clients_are_kept);
    tcase_add_test(tcase, forms_of_reads_have_their_shares_and_change_nothing_else);
    tcase_add_test(tcase, a_stream_does_not_feel_its_neighbours);
    tcase_add_test(tcase, streams_that_tie_come_in_name_order);
    tcase_add_loop_test(tcase, luck_of_legs_elsewhere_is_drawn_ahead_while_enough_ask, 0, 2);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
