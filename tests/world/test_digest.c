/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/digest.h"

static sim_digest of_bytes(const void *data, size_t size)
{
    sim_digest digest = sim_digest_start();
    sim_digest_add_bytes(&digest, data, size);
    return digest;
}

static bool is_same(sim_digest a, sim_digest b)
{
    return a.lane[0] == b.lane[0] && a.lane[1] == b.lane[1];
}

START_TEST(format_writes_32_digits_highest_first)
{
    char text[33];
    sim_digest_format(&(sim_digest){{UINT64_C(0x0123456789abcdef), UINT64_C(0xf000000000000001)}}, text);
    ck_assert_str_eq(text, "0123456789abcdeff000000000000001");
}
END_TEST

/* A different value here makes every digest ever stored incomparable. */
START_TEST(digest_of_a_text_is_pinned)
{
    char text[33];
    const sim_digest digest = of_bytes("The quick brown fox jumps over the lazy dog", 43);
    sim_digest_format(&digest, text);
    ck_assert_str_eq(text, "00405a0bb2abaa58886187e8e9a8523f");
}
END_TEST

START_TEST(every_bit_and_every_length_counts)
{
    unsigned char bytes[100] = {0};
    for (size_t size = 0; size < sizeof bytes; size++)
        ck_assert(!is_same(of_bytes(bytes, size), of_bytes(bytes, size + 1)));
    const sim_digest zero = of_bytes(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert(!is_same(zero, of_bytes(bytes, sizeof bytes)));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    ck_assert(is_same(zero, of_bytes(bytes, sizeof bytes)));
}
END_TEST

START_TEST(bytes_are_records_of_words_low_end_first)
{
    unsigned char bytes[33];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i + 1);
    sim_digest digest = sim_digest_start();
    sim_digest_add(&digest, UINT64_C(0x0807060504030201), UINT64_C(0x100f0e0d0c0b0a09), UINT64_C(0x1817161514131211),
                   UINT64_C(0x201f1e1d1c1b1a19));
    sim_digest_add(&digest, 0x21, 0, 0, 0);
    sim_digest_add(&digest, 33, 0, 0, 0);
    ck_assert(is_same(digest, of_bytes(bytes, sizeof bytes)));
}
END_TEST

START_TEST(order_of_records_counts)
{
    sim_digest ab = sim_digest_start();
    sim_digest ba = sim_digest_start();
    sim_digest_add(&ab, 1, 2, 3, 4);
    sim_digest_add(&ab, 5, 6, 7, 8);
    sim_digest_add(&ba, 5, 6, 7, 8);
    sim_digest_add(&ba, 1, 2, 3, 4);
    ck_assert(!is_same(ab, ba));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("digest");
    TCase *tests = tcase_create("digest");
    tcase_add_test(tests, format_writes_32_digits_highest_first);
    tcase_add_test(tests, digest_of_a_text_is_pinned);
    tcase_add_test(tests, every_bit_and_every_length_counts);
    tcase_add_test(tests, bytes_are_records_of_words_low_end_first);
    tcase_add_test(tests, order_of_records_counts);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
