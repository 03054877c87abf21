/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/draw_block.h"

/* Known-answer vectors of the Random123 project for Threefry2x64 with 13 rounds. */
static const struct {
    uint64_t key[2];
    uint64_t counter[2];
    uint64_t answer[2];
} known[] = {
    {{0, 0}, {0, 0}, {UINT64_C(0xf167b032c3b480bd), UINT64_C(0xe91f9fee4b7a6fb5)}},
    {{UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}, {UINT64_C(0xccdec5c917a874b1), UINT64_C(0x4df53abca26ceb01)}},
    {{UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89)},
     {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)},
     {UINT64_C(0xc3aac71561042993), UINT64_C(0x3fe7ae8801aff316)}},
};

START_TEST(generator_gives_the_published_answers)
{
    const sim_words words =
        sim_threefry2x64(known[_i].key[0], known[_i].key[1], known[_i].counter[0], known[_i].counter[1]);
    ck_assert_uint_eq(words.word[0], known[_i].answer[0]);
    ck_assert_uint_eq(words.word[1], known[_i].answer[1]);
}
END_TEST

START_TEST(replication_and_purpose_have_streams_of_their_own)
{
    const sim_luck luck = {.seed = 1, .replication = 0};
    const sim_luck next = {.seed = 1, .replication = 1};
    const uint64_t word = sim_draw_words(&luck, SIM_DRAW_LEG, 7, 0).word[0];
    ck_assert_uint_ne(word, sim_draw_words(&next, SIM_DRAW_LEG, 7, 0).word[0]);
    ck_assert_uint_ne(word, sim_draw_words(&luck, SIM_DRAW_REQUEST, 7, 0).word[0]);
    ck_assert_uint_eq(word, sim_draw_words(&luck, SIM_DRAW_LEG, 7, 0).word[0]);
}
END_TEST

/* Words of neighbouring keys, seen as numbers in [-1/2, 1/2), must not go together: over n pairs the correlation has a
 * standard deviation of 1/sqrt(n); 5 of them fail a sound generator once in 1.7 million comparisons. */
START_TEST(streams_of_neighbouring_keys_are_uncorrelated)
{
    enum { PAIRS = 20000 };
    const double limit = 5.0 / 141.4213562;
    for (uint32_t purpose = SIM_DRAW_GAP; purpose <= SIM_DRAW_RETRY_JITTER; purpose++) {
        for (uint32_t replication = 0; replication < 3; replication++) {
            const sim_luck a = {.seed = 42, .replication = replication};
            const sim_luck b = {.seed = 42, .replication = replication + 1};
            double across = 0;
            double along = 0;
            for (uint64_t i = 0; i < PAIRS; i++) {
                const double x = (double)sim_draw_words(&a, (sim_draw)purpose, i, 0).word[0] / 0x1p64 - 0.5;
                const double y = (double)sim_draw_words(&b, (sim_draw)purpose, i, 0).word[0] / 0x1p64 - 0.5;
                const double z = (double)sim_draw_words(&a, (sim_draw)purpose, i + 1, 0).word[0] / 0x1p64 - 0.5;
                across += x * y * 12;
                along += x * z * 12;
            }
            ck_assert_double_lt(across / PAIRS, limit);
            ck_assert_double_gt(across / PAIRS, -limit);
            ck_assert_double_lt(along / PAIRS, limit);
            ck_assert_double_gt(along / PAIRS, -limit);
        }
    }
}
END_TEST

/* Every way that this processor supports, against the draws one by one. */
START_TEST(blocks_hold_the_words_of_single_draws)
{
    const sim_luck luck = {.seed = UINT64_C(0x7edcba9876543210), .replication = 9};
    const sim_draw_way *way = &sim_draw_ways[_i / 2];
    if (!way->is_supported())
        return;
    uint64_t offset[SIM_DRAW_BLOCK];
    for (uint64_t i = 0; i < SIM_DRAW_BLOCK; i++)
        offset[i] = sim_mix64(i);
    const sim_draw_counters counters[] = {{{5, UINT64_MAX}, {sim_draw_one_by_one, offset}},
                                          {{UINT64_C(1) << 63, 0}, {offset, sim_draw_all_alike}}};
    const sim_draw_counters *counter = &counters[_i % 2];
    sim_draw_block block;
    way->fill(&luck, SIM_DRAW_LEG, counter, &block);
    for (uint32_t i = 0; i < SIM_DRAW_BLOCK; i++) {
        const uint64_t first = _i % 2 == 0 ? 5 + i : (UINT64_C(1) << 63) + offset[i];
        const uint64_t second = _i % 2 == 0 ? offset[i] - 1 : 0;
        const sim_words words = sim_draw_words(&luck, SIM_DRAW_LEG, first, second);
        ck_assert_msg(block.word[0][i] == words.word[0] && block.word[1][i] == words.word[1], "%s differs at %u",
                      way->name, i);
    }
}
END_TEST

START_TEST(blocks_are_mixed_and_picked_from_as_single_words_are)
{
    const sim_draw_way *way = &sim_draw_ways[_i];
    if (!way->is_supported())
        return;
    uint64_t mixed[SIM_DRAW_BLOCK];
    way->mix(UINT64_MAX - 3, mixed);
    for (uint32_t i = 0; i < SIM_DRAW_BLOCK; i++)
        ck_assert_msg(mixed[i] == sim_mix64(UINT64_MAX - 3 + i), "%s mixes %u otherwise", way->name, i);

    static const uint32_t counts[] = {1, 1000, UINT32_MAX};
    static const uint64_t first = UINT64_C(3) << 32 | 7;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint64_t picked[SIM_DRAW_BLOCK];
        way->pick(mixed, counts[c], first, picked);
        for (uint32_t i = 0; i < SIM_DRAW_BLOCK; i++)
            ck_assert_msg(picked[i] == first + ((mixed[i] >> 32) * counts[c] >> 32), "%s picks %u otherwise", way->name,
                          i);
    }
}
END_TEST

START_TEST(some_way_of_drawing_blocks_is_supported_everywhere)
{
    ck_assert(sim_draw_ways[sim_draw_way_count - 1].is_supported());
    ck_assert_ptr_nonnull(sim_draw_block_fastest());
}
END_TEST

START_TEST(below_covers_its_range_and_never_reaches_the_bound)
{
    static const uint64_t bounds[] = {1, 2, 3, 100, UINT64_C(2500000000), UINT64_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        ck_assert_uint_eq(sim_below(0, bounds[i]), 0);
        ck_assert_uint_eq(sim_below(UINT64_MAX, bounds[i]), bounds[i] - 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("random");
    TCase *tcase = tcase_create("random");
    tcase_add_loop_test(tcase, generator_gives_the_published_answers, 0, (int)(sizeof known / sizeof known[0]));
    tcase_add_test(tcase, replication_and_purpose_have_streams_of_their_own);
    tcase_add_test(tcase, streams_of_neighbouring_keys_are_uncorrelated);
    tcase_add_loop_test(tcase, blocks_hold_the_words_of_single_draws, 0, 2 * (int)sim_draw_way_count);
    tcase_add_loop_test(tcase, blocks_are_mixed_and_picked_from_as_single_words_are, 0, (int)sim_draw_way_count);
    tcase_add_test(tcase, some_way_of_drawing_blocks_is_supported_everywhere);
    tcase_add_test(tcase, below_covers_its_range_and_never_reaches_the_bound);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
