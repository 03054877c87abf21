/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/queue.h"
#include "engine/random.h"
#include "engine/wheel.h"

START_TEST(key_keeps_its_parts)
{
    const uint64_t ordinal = (UINT64_C(1) << SIM_ORDINAL_BITS) - 1;
    const uint64_t key = sim_event_key(SIM_CLASS_DEADLINE, ordinal, 5, 0xabcdef);
    ck_assert_int_eq(sim_event_class(key), SIM_CLASS_DEADLINE);
    ck_assert_uint_eq(sim_event_leg(key), 5);
    ck_assert_uint_eq(sim_event_slot(key), 0xabcdef);
}
END_TEST

/* Things of one instant happen by class, then by operation, then by leg; where they lie in memory says nothing. */
START_TEST(ties_are_ordered_by_meaning)
{
    const sim_event in_order[] = {
        {9, sim_event_key(SIM_CLASS_ARRIVAL, 99, 7, 999)},   {10, sim_event_key(SIM_CLASS_CONTROL, 8, 0, 0)},
        {10, sim_event_key(SIM_CLASS_LEG_RESULT, 1, 0, 77)}, {10, sim_event_key(SIM_CLASS_LEG_RESULT, 1, 1, 3)},
        {10, sim_event_key(SIM_CLASS_LEG_RESULT, 2, 0, 1)},  {10, sim_event_key(SIM_CLASS_TIMER, 0, 0, 0)},
        {10, sim_event_key(SIM_CLASS_DEADLINE, 0, 0, 0)},    {11, sim_event_key(SIM_CLASS_WORLD_EDGE, 0, 0, 0)},
    };
    enum { N = sizeof in_order / sizeof in_order[0] };
    sim_queue queue = {0};
    ck_assert(sim_queue_reserve(&queue, N));
    for (size_t i = 0; i < N; i++)
        sim_queue_push(&queue, in_order[(i * 5 + 3) % N]);
    for (size_t i = 0; i < N; i++) {
        const sim_event event = sim_queue_pop(&queue);
        ck_assert_uint_eq(event.time, in_order[i].time);
        ck_assert_uint_eq(event.key, in_order[i].key);
    }
    sim_queue_deinit(&queue);
}
END_TEST

/* The oracle: a sorted array. Times are drawn from few values, so that most comparisons are ties. */
START_TEST(heap_agrees_with_a_sorted_array)
{
    enum { MOST = 300, STEPS = 200000 };
    const sim_luck luck = {.seed = 20261129};
    sim_event sorted[MOST];
    size_t count = 0;
    sim_queue queue = {0};
    for (uint64_t step = 0; step < STEPS; step++) {
        const sim_words words = sim_draw_words(&luck, SIM_DRAW_REQUEST, step, 0);
        const bool push = count == 0 || (count < MOST && words.word[0] >> 32 < UINT64_C(0x88000000));
        if (push) {
            const sim_event event = {words.word[1] % 16, sim_event_key((sim_class)(words.word[0] % 7),
                                                                       words.word[1] >> 40, 0, (uint32_t)step)};
            ck_assert(sim_queue_reserve(&queue, queue.count + 1));
            sim_queue_push(&queue, event);
            size_t i = count++;
            for (; i > 0 && sim_event_before(event, sorted[i - 1]); i--)
                sorted[i] = sorted[i - 1];
            sorted[i] = event;
            continue;
        }
        ck_assert_uint_eq(sim_queue_next_time(&queue), sorted[0].time);
        const sim_event event = sim_queue_pop(&queue);
        ck_assert_uint_eq(event.time, sorted[0].time);
        ck_assert_uint_eq(event.key, sorted[0].key);
        count--;
        for (size_t i = 0; i < count; i++)
            sorted[i] = sorted[i + 1];
    }
    sim_queue_deinit(&queue);
}
END_TEST

/* Times as a run makes them: mostly a little ahead of the clock, some far beyond the wheel's reach, many at one
 * instant, and long silences. Spacings from far too small to far too large for the load. */
START_TEST(wheel_agrees_with_the_heap)
{
    static const uint64_t spacings[] = {1, 100, 5000, 1000000, UINT64_C(100000000000)};
    enum { STEPS = 100000, MOST = 2000 };
    const sim_luck luck = {.seed = 20261130, .replication = (uint32_t)_i};
    sim_wheel wheel;
    sim_queue queue = {0};
    sim_wheel_init(&wheel, spacings[_i]);
    ck_assert(sim_wheel_reserve(&wheel, MOST));
    ck_assert(sim_queue_reserve(&queue, MOST));
    uint32_t free_slot[MOST]; /* a slot has one event at a time */
    for (uint32_t i = 0; i < MOST; i++)
        free_slot[i] = i;
    uint64_t now = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        const sim_words words = sim_draw_words(&luck, SIM_DRAW_LEG, step, 0);
        const bool is_filling = step / 5000 % 2 == 0;
        const bool push = queue.count == 0 || (queue.count < MOST && words.word[0] % 100 < (is_filling ? 60 : 40));
        if (push) {
            const uint64_t kind = words.word[1] % 10;
            const uint64_t ahead = kind < 3   ? 0
                                   : kind < 8 ? (words.word[1] >> 8) % 20000
                                   : kind < 9 ? (words.word[1] >> 8) % 50000000
                                              : (words.word[1] >> 8) % UINT64_C(10000000000);
            const sim_event event = {now + ahead, sim_event_key((sim_class)(words.word[0] >> 8 & 3),
                                                                words.word[0] >> 32, 0, free_slot[queue.count])};
            sim_wheel_push(&wheel, sim_event_slot(event.key), event);
            sim_queue_push(&queue, event);
            continue;
        }
        ck_assert_uint_eq(sim_wheel_first(&wheel)->time, sim_queue_next_time(&queue));
        const sim_event a = sim_wheel_pop(&wheel, sim_wheel_first(&wheel));
        const sim_event b = sim_queue_pop(&queue);
        ck_assert_uint_eq(a.time, b.time);
        ck_assert_uint_eq(a.key, b.key);
        free_slot[queue.count] = sim_event_slot(a.key);
        now = a.time;
    }
    while (queue.count > 0) {
        ck_assert_uint_eq(sim_wheel_first(&wheel)->time, queue.heap[0].time);
        ck_assert_uint_eq(sim_wheel_pop(&wheel, sim_wheel_first(&wheel)).key, sim_queue_pop(&queue).key);
    }
    ck_assert_uint_eq(sim_wheel_first(&wheel)->time, SIM_NO_EVENT);
    sim_wheel_deinit(&wheel);
    sim_queue_deinit(&queue);
}
END_TEST

START_TEST(empty_queue_has_no_next_time)
{
    const sim_queue queue = {0};
    ck_assert_uint_eq(sim_queue_next_time(&queue), SIM_NO_EVENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue");
    TCase *tcase = tcase_create("queue");
    tcase_add_test(tcase, key_keeps_its_parts);
    tcase_add_test(tcase, ties_are_ordered_by_meaning);
    tcase_add_test(tcase, heap_agrees_with_a_sorted_array);
    tcase_add_loop_test(tcase, wheel_agrees_with_the_heap, 0, 5);
    tcase_add_test(tcase, empty_queue_has_no_next_time);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
