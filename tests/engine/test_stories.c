/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which operations are sampled, and that their stories add up. */
#include <check.h>
#include <stdlib.h>

#include "engine/stories.h"

enum { SAMPLE_SEED = 4711 };

/* Starts the operations 0..count-1 in an order drawn from `seed`; each ends at a time that falls with its ordinal. */
static sim_story_set sample_of(uint32_t count, uint64_t seed)
{
    const sim_luck luck = {seed, 0};
    uint32_t *order = calloc(count + 1, sizeof *order);
    sim_stories *stories = sim_stories_create();
    ck_assert_ptr_nonnull(order);
    ck_assert_ptr_nonnull(stories);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = (uint32_t)sim_below(sim_draw_words(&luck, SIM_DRAW_GAP, i, 0).word[0], i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t ordinal = order[i];
        if (sim_story_hash(ordinal) >= sim_stories_bound(stories))
            continue;
        const uint16_t place = sim_stories_begin(stories, ordinal);
        sim_stories_at(stories, place, ordinal)->ended.start = (int64_t)(count - ordinal) / 2;
        if (sim_stories_at(stories, place, ordinal + 1) != NULL)
            ck_abort_msg("a story is told of two operations");
    }
    free(order);
    return sim_stories_finish(stories);
}

START_TEST(a_small_run_is_sampled_whole)
{
    static const uint32_t COUNTS[] = {0, 1, 999, 1000, 1001};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        const sim_story_set sample = sample_of(COUNTS[i], SAMPLE_SEED);
        ck_assert_uint_eq(sample.count, COUNTS[i] < SIM_STORIES_MAX ? COUNTS[i] : SIM_STORIES_MAX);
        free(sample.story);
    }
}
END_TEST

START_TEST(the_order_of_starting_does_not_change_the_sample)
{
    const sim_story_set one = sample_of(20000, SAMPLE_SEED);
    const sim_story_set two = sample_of(20000, SAMPLE_SEED + 1);
    size_t same = 0;
    ck_assert_uint_eq(one.count, SIM_STORIES_MAX);
    ck_assert_uint_eq(two.count, SIM_STORIES_MAX);
    for (size_t i = 0; i < one.count; i++)
        same += one.story[i].ended.ordinal == two.story[i].ended.ordinal;
    ck_assert_uint_eq(same, SIM_STORIES_MAX);
    free(one.story);
    free(two.story);
}
END_TEST

START_TEST(the_sample_is_ordered_and_covers_the_run_evenly)
{
    enum { COUNT = 100000, PARTS = 10 };
    const sim_story_set sample = sample_of(COUNT, SAMPLE_SEED);
    uint32_t part[PARTS] = {0};
    size_t disordered = 0;
    for (size_t i = 0; i < sample.count; i++) {
        part[sample.story[i].ended.ordinal / (COUNT / PARTS)]++;
        if (i == 0)
            continue;
        const sim_ended *before = &sample.story[i - 1].ended;
        const sim_ended *after = &sample.story[i].ended;
        disordered +=
            before->start > after->start || (before->start == after->start && before->ordinal >= after->ordinal);
    }
    ck_assert_uint_eq(disordered, 0);
    /* The hash is fixed, so the counts are too; 100 each, binomial deviation 9.5. */
    for (int i = 0; i < PARTS; i++)
        ck_assert_msg(part[i] > 60 && part[i] < 140, "part %d holds %u of 1000", i, part[i]);
    free(sample.story);
}
END_TEST

START_TEST(a_larger_run_keeps_what_hashes_lowest)
{
    const sim_story_set small = sample_of(5000, SAMPLE_SEED);
    const sim_story_set large = sample_of(10000, SAMPLE_SEED);
    size_t below = 0;
    size_t kept = 0;
    for (size_t i = 0; i < large.count; i++) {
        if (large.story[i].ended.ordinal >= 5000)
            continue;
        below++;
        for (size_t k = 0; k < small.count; k++)
            kept += small.story[k].ended.ordinal == large.story[i].ended.ordinal;
    }
    ck_assert_uint_gt(below, 0);
    ck_assert_uint_eq(below, kept);
    free(small.story);
    free(large.story);
}
END_TEST

/* Two legs are open; each end finds its own, and more attempts than there is room for are counted only. */
START_TEST(an_end_finds_the_attempt_that_is_open)
{
    static const rgn_response gone = {.status = 410, .substatus = 9};
    sim_stories *stories = sim_stories_create();
    sim_story *story = sim_stories_at(stories, sim_stories_begin(stories, 3), 3);
    sim_story_sent(story, &(sim_story_attempt){.sent = 1});
    sim_story_leg_ended(story, 0, SIM_STORY_ANSWERED, &gone, 4);
    sim_story_sent(story, &(sim_story_attempt){.sent = 5});
    sim_story_sent(story, &(sim_story_attempt){.sent = 6, .leg = 1});
    sim_story_leg_ended(story, 0, SIM_STORY_TIMED_OUT, NULL, 7);
    sim_story_leg_ended(story, 1, SIM_STORY_CANCELLED, NULL, 8);
    ck_assert_int_eq(story->attempt[0].end, 4);
    ck_assert_uint_eq(story->attempt[0].status, 410);
    ck_assert_uint_eq(story->attempt[0].substatus, 9);
    ck_assert_int_eq(story->attempt[1].end, 7);
    ck_assert_uint_eq(story->attempt[1].how, SIM_STORY_TIMED_OUT);
    ck_assert_int_eq(story->attempt[2].end, 8);
    ck_assert_uint_eq(story->attempt[2].how, SIM_STORY_CANCELLED);
    for (int i = 0; i < SIM_STORY_ATTEMPTS; i++) {
        sim_story_sent(story, &(sim_story_attempt){.sent = 10 + i});
        sim_story_leg_ended(story, 0, SIM_STORY_ANSWERED, &gone, 11 + i);
    }
    ck_assert_uint_eq(story->attempt_count, 3 + SIM_STORY_ATTEMPTS);
    ck_assert_int_eq(story->attempt[SIM_STORY_ATTEMPTS - 1].end, 11 + SIM_STORY_ATTEMPTS - 4);
    sim_stories_destroy(stories);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stories");
    TCase *tc = tcase_create("stories");
    SRunner *runner = srunner_create(suite);
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_small_run_is_sampled_whole);
    tcase_add_test(tc, the_order_of_starting_does_not_change_the_sample);
    tcase_add_test(tc, the_sample_is_ordered_and_covers_the_run_evenly);
    tcase_add_test(tc, a_larger_run_keeps_what_hashes_lowest);
    tcase_add_test(tc, an_end_finds_the_attempt_that_is_open);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
