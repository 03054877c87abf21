/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stripe's table: whatever came and went, each partition that is there is found, and no other. */
#include <check.h>
#include <string.h>

#include "../../core/src/store.h"
#include "../plain_allocator.h"

enum { NUMBERS = 3000, STEPS = 40000 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static unsigned slots_at_home(const rgni_stripe *stripe)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < stripe->capacity; i++)
        count += stripe->table[i] != NULL && rgni_stripe_home(stripe, stripe->table[i]->partition) == i;
    return count;
}

static void expect_all(const rgni_stripe *stripe, rgni_slot *const *there, unsigned bits)
{
    unsigned found = 0;

    for (uint32_t number = 0; number < NUMBERS; number++)
        found += rgni_stripe_find(stripe, number << bits) == there[number];
    ck_assert_uint_eq(found, NUMBERS);
    ck_assert_uint_eq(stripe->count - stripe->displaced, slots_at_home(stripe));
}

/* Comes and goes among the numbers below `range`; half of the time in a row, as the partitions of a container do. */
static void play(unsigned bits, uint32_t range, uint64_t seed)
{
    static rgni_slot *there[NUMBERS];
    rgni_memory memory = {.hooks = plain_allocator};
    rgni_stripe stripe;
    uint32_t number = 0;

    memset(there, 0, sizeof there);
    rgni_stripe_init(&stripe, RGNI_BESIDE_NOTHING, false, bits, range);
    for (unsigned step = 0; step < STEPS; step++) {
        number = next_random(&seed) % 2 == 0 ? (number + 1) % range : (uint32_t)(next_random(&seed) % range);
        if (there[number] != NULL) {
            rgni_stripe_remove(&stripe, there[number]);
            there[number] = NULL;
        } else {
            there[number] = rgni_stripe_reserve(&stripe, &memory, number << bits);
            rgni_stripe_insert(&stripe, there[number]);
        }
        if (step % 97 == 0)
            expect_all(&stripe, there, bits);
    }
    rgni_stripe_deinit(&stripe, &memory);
    ck_assert_uint_eq(memory.bytes, 0);
}

START_TEST(each_partition_is_found_and_no_other)
{
    play(0, NUMBERS, 1);
    play(4, NUMBERS, 2);
    play(0, 1000, 3);
    play(2, 7, 4);
    play(10, 1, 5);
}
END_TEST

/* With room for all each has a place of its own, to the last one. */
START_TEST(a_table_for_all_displaces_none)
{
    rgni_memory memory = {.hooks = plain_allocator};
    rgni_stripe stripe;

    rgni_stripe_init(&stripe, RGNI_BESIDE_NOTHING, false, 0, 1024);
    for (rgn_partition partition = 0; partition < 1024; partition++)
        rgni_stripe_insert(&stripe, rgni_stripe_reserve(&stripe, &memory, partition));
    ck_assert_uint_eq(stripe.capacity, 1024);
    ck_assert_uint_eq(stripe.displaced, 0);
    rgni_stripe_deinit(&stripe, &memory);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store");
    TCase *tc = tcase_create("store");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_partition_is_found_and_no_other);
    tcase_add_test(tc, a_table_for_all_displaces_none);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
