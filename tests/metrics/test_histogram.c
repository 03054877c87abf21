/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The histogram against a sorted array, its edges, and its bytes. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/random.h"
#include "metrics/histogram.h"

#define SEED UINT64_C(20240611)

enum { VALUES = 20000, ENCODED_MAX = 1 << 18 };

static sim_histogram histogram, other;
static int64_t values[VALUES];
static uint8_t bytes[ENCODED_MAX];

static uint64_t draw(uint64_t stream, uint64_t n)
{
    return sim_threefry2x64(SEED, stream, n, 0).word[0];
}

/* Shapes that latencies have and some that they have not. */
static int64_t draw_value(unsigned shape, uint64_t n)
{
    const uint64_t word = draw(shape, n);
    switch (shape) {
    case 0: /* narrow: one millisecond and a bit */
        return (int64_t)(1000000 + word % 50000);
    case 1: /* uniform over ten seconds */
        return (int64_t)(word % UINT64_C(10000000000));
    case 2: /* heavy tail: every octave as likely as the next */
        return (int64_t)(word >> 16 >> (word % 48));
    case 3: /* two humps, far apart */
        return word % 10 != 0 ? 2000000 + (int64_t)(word % 1000) : 3000000000;
    case 4: /* small whole numbers, zero included */
        return (int64_t)(word % 600);
    default: /* all the same */
        return 7777777;
    }
}

static int compare(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void fill(unsigned shape, size_t count)
{
    sim_histogram_clear(&histogram);
    for (size_t i = 0; i < count; i++) {
        values[i] = draw_value(shape, i);
        sim_histogram_record(&histogram, values[i]);
    }
    qsort(values, count, sizeof *values, compare);
}

START_TEST(quantiles_agree_with_a_sorted_array_to_four_in_a_thousand)
{
    static const size_t counts[] = {1, 2, 3, 99, 100, 101, 1000, VALUES};
    static const uint32_t quantiles[] = {0,      1,      10000,  50000,  100000, 250000, 499999, 500000, 500001,
                                         900000, 950000, 990000, 999000, 999900, 999990, 999999, 1000000};
    printf("seed %" PRIu64 "\n", SEED);
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        fill((unsigned)_i, counts[c]);
        for (unsigned q = 0; q < sizeof quantiles / sizeof *quantiles; q++) {
            /* Smallest rank with rank / N >= q, found by stepping: independent of the formula under test. */
            uint64_t rank = (uint64_t)counts[c] * quantiles[q] / 1000000;
            while (rank < 1 || rank * 1000000 < (uint64_t)counts[c] * quantiles[q])
                rank++;
            const int64_t exact = values[rank - 1];
            const int64_t got = sim_histogram_quantile(&histogram, quantiles[q]);
            ck_assert_msg(got >= exact && (got - exact) * 250 <= exact, "q %u of %zu: %" PRId64 " for %" PRId64,
                          quantiles[q], counts[c], got, exact);
            ck_assert(got <= histogram.max);
        }
        ck_assert_int_eq(histogram.max, values[counts[c] - 1]);
    }
}
END_TEST

START_TEST(every_bucket_begins_where_the_one_before_ends)
{
    uint64_t lowest = 0;
    for (uint32_t bucket = 0; bucket < SIM_HISTOGRAM_BUCKETS; bucket++) {
        const uint64_t highest = (uint64_t)sim_histogram_highest(bucket);
        ck_assert_uint_eq(sim_histogram_bucket(lowest), bucket);
        ck_assert_uint_eq(sim_histogram_bucket(highest), bucket);
        ck_assert_msg((highest - lowest) * 256 <= lowest, "bucket %u is too wide", bucket);
        lowest = highest + 1;
    }
    ck_assert_uint_eq(lowest, UINT64_C(1) << 48);
}
END_TEST

START_TEST(values_below_512_are_exact)
{
    sim_histogram_clear(&histogram);
    for (int64_t value = 0; value < 512; value++)
        sim_histogram_record(&histogram, value);
    for (uint64_t rank = 1; rank <= 512; rank++)
        ck_assert_int_eq(sim_histogram_at_rank(&histogram, rank), (int64_t)rank - 1);
    /* The first bucket that holds two values is {512, 513}. */
    ck_assert_uint_eq(sim_histogram_bucket(512), sim_histogram_bucket(513));
    ck_assert_uint_ne(sim_histogram_bucket(511), sim_histogram_bucket(512));
}
END_TEST

/* What a bound says must be true: 600 s lies inside a bucket that reaches to 601.3 s. */
START_TEST(least_value_of_a_rank_is_never_above_the_value)
{
    const int64_t value = INT64_C(600000000000);
    sim_histogram_clear(&histogram);
    sim_histogram_record(&histogram, 0);
    sim_histogram_record(&histogram, value);
    sim_histogram_record(&histogram, 2 * value + 1);
    ck_assert_int_eq(sim_histogram_least_at_rank(&histogram, 1), 0);
    ck_assert_int_gt(sim_histogram_at_rank(&histogram, 2), value);
    ck_assert_int_le(sim_histogram_least_at_rank(&histogram, 2), value);
    ck_assert_int_gt(sim_histogram_least_at_rank(&histogram, 2), value - value / 256);
    ck_assert_int_eq(sim_histogram_least_at_rank(&histogram, 3), 2 * value + 1);
}
END_TEST

START_TEST(values_of_three_days_and_longer_share_the_last_bucket_and_keep_their_maximum)
{
    const int64_t limit = INT64_C(1) << 48;
    sim_histogram_clear(&histogram);
    sim_histogram_record(&histogram, limit);
    sim_histogram_record(&histogram, INT64_MAX);
    ck_assert_uint_eq(histogram.count[SIM_HISTOGRAM_BUCKETS - 1], 2);
    ck_assert_int_eq(sim_histogram_quantile(&histogram, 1000000), INT64_MAX);
}
END_TEST

START_TEST(an_empty_histogram_has_no_quantile)
{
    int64_t value = 5;
    sim_histogram_clear(&histogram);
    ck_assert_int_eq(sim_histogram_quantile(&histogram, 500000), -1);
    ck_assert_int_eq(histogram.max, -1);
    ck_assert(!sim_histogram_quantile_if_supported(&histogram, 0, &value));
    ck_assert_int_eq(value, 5);
}
END_TEST

START_TEST(a_quantile_is_supported_by_ten_samples_beyond_it)
{
    static const struct {
        uint32_t q_ppm;
        uint64_t least; /* samples */
    } cases[] = {{500000, 20}, {900000, 100}, {950000, 200}, {990000, 1000}, {999000, 10000}, {999900, 100000}};
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t value;
        for (int delta = -1; delta <= 1; delta++) {
            const uint64_t total = cases[c].least + (uint64_t)(int64_t)delta;
            sim_histogram_clear(&histogram);
            for (uint64_t i = 0; i < total; i++)
                sim_histogram_record(&histogram, 3);
            ck_assert_int_eq(sim_histogram_quantile_if_supported(&histogram, cases[c].q_ppm, &value), delta >= 0);
        }
    }
    ck_assert(!sim_histogram_quantile_if_supported(&histogram, 1000000, &(int64_t){0}));
}
END_TEST

START_TEST(merging_is_recording_both)
{
    sim_histogram_clear(&histogram);
    sim_histogram_clear(&other);
    static sim_histogram together;
    sim_histogram_clear(&together);
    for (uint64_t i = 0; i < 3000; i++) {
        const int64_t value = draw_value((unsigned)(i % 6), i);
        sim_histogram_record(i % 3 == 0 ? &histogram : &other, value);
        sim_histogram_record(&together, value);
    }
    sim_histogram_merge(&histogram, &other);
    ck_assert_int_eq(memcmp(histogram.count, together.count, sizeof together.count), 0);
    ck_assert_uint_eq(histogram.total, 3000);
    ck_assert_int_eq(histogram.max, together.max);
    ck_assert(histogram.sum == together.sum);
    sim_histogram_clear(&other);
    sim_histogram_merge(&other, &together);
    ck_assert_int_eq(other.max, together.max);
}
END_TEST

static void assert_same(const sim_histogram *a, const sim_histogram *b)
{
    ck_assert_int_eq(memcmp(a->count, b->count, sizeof a->count), 0);
    ck_assert_uint_eq(a->total, b->total);
    ck_assert(a->sum == b->sum);
    ck_assert_int_eq(a->max, b->max);
}

START_TEST(bytes_hold_everything)
{
    static const size_t counts[] = {0, 1, 2, 500, VALUES};
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        fill((unsigned)_i, counts[c]);
        const size_t size = sim_histogram_encode(&histogram, bytes, sizeof bytes);
        ck_assert_uint_gt(size, 0);
        ck_assert(sim_histogram_decode(&other, bytes, size));
        assert_same(&histogram, &other);
    }
}
END_TEST

START_TEST(bytes_hold_the_extremes)
{
    sim_histogram_clear(&histogram);
    sim_histogram_record(&histogram, 0);
    sim_histogram_record(&histogram, INT64_MAX);
    histogram.count[0] += UINT64_C(1) << 62;
    histogram.total += UINT64_C(1) << 62;
    sim_histogram_record(&histogram, INT64_MAX);
    sim_histogram_record(&histogram, INT64_MAX); /* the sum passes 64 bits */
    const size_t size = sim_histogram_encode(&histogram, bytes, sizeof bytes);
    ck_assert(sim_histogram_decode(&other, bytes, size));
    assert_same(&histogram, &other);
}
END_TEST

START_TEST(encoding_fits_exactly_or_not_at_all)
{
    fill(2, 300);
    const size_t size = sim_histogram_encode(&histogram, bytes, sizeof bytes);
    ck_assert_uint_eq(sim_histogram_encode(&histogram, bytes, size), size);
    for (size_t less = 0; less < size; less++) {
        bytes[less] = 0xa5;
        ck_assert_uint_eq(sim_histogram_encode(&histogram, bytes, less), 0);
        ck_assert_uint_eq(bytes[less], 0xa5);
    }
}
END_TEST

START_TEST(malformed_bytes_are_refused)
{
    /* Well formed: one value 5: maximum + 1, sum low, sum high, distance 6, count 1. */
    static const struct {
        const char *what;
        uint8_t size;
        uint8_t data[16];
    } cases[] = {
        {"nothing", 0, {0}},
        {"no sum", 1, {6}},
        {"half a pair", 4, {6, 5, 0, 6}},
        {"an unfinished number", 5, {6, 5, 0, 6, 0x81}},
        {"a number in a longer form than need be", 6, {6, 5, 0, 6, 0x81, 0}},
        {"a number of more than 64 bits", 12, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 5, 0}},
        {"a maximum of more than 63 bits", 12, {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0}},
        {"a distance of 0", 5, {6, 5, 0, 0, 1}},
        {"a count of 0", 5, {6, 5, 0, 6, 0}},
        {"a bucket beyond the last", 6, {6, 5, 0, 0x81, 0x52, 1}}, /* distance 10497 */
        {"a maximum in another bucket", 5, {7, 5, 0, 6, 1}},
        {"a maximum without a bucket", 3, {6, 0, 0}},
        {"a sum without a bucket", 3, {0, 1, 0}},
        {"buckets without a maximum", 5, {0, 5, 0, 6, 1}},
        {"a sum that is too small", 5, {6, 4, 0, 6, 1}},
        {"a sum that is too large", 5, {6, 6, 0, 6, 1}},
        {"a sum that is far too large", 5, {6, 5, 1, 6, 1}},
    };
    static const uint8_t good[] = {6, 5, 0, 6, 1};
    ck_assert(sim_histogram_decode(&other, good, sizeof good));
    ck_assert_uint_eq(other.count[5], 1);
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++)
        ck_assert_msg(!sim_histogram_decode(&other, cases[c].data, cases[c].size), "accepted: %s", cases[c].what);
}
END_TEST

START_TEST(a_total_of_more_than_64_bits_is_refused)
{
    /* Values 0 and 1, each 2^63 times. */
    static const uint8_t data[] = {2,    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0,
                                   1,    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 1,
                                   0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    ck_assert(!sim_histogram_decode(&other, data, sizeof data));
}
END_TEST

START_TEST(damaged_bytes_are_refused_or_mean_one_histogram_only)
{
    static uint8_t again[ENCODED_MAX];
    fill(2, 50);
    const size_t size = sim_histogram_encode(&histogram, bytes, sizeof bytes);
    for (uint64_t n = 0; n < 2000; n++) {
        const uint64_t word = draw(100, n);
        uint8_t *byte = &bytes[word % size];
        const uint8_t kept = *byte;
        *byte ^= (uint8_t)(1u << (word >> 32 & 7));
        const size_t cut = (word >> 40) % 4 == 0 ? (size_t)(word >> 42) % size : size;
        if (sim_histogram_decode(&other, bytes, cut)) {
            ck_assert_uint_eq(sim_histogram_encode(&other, again, sizeof again), cut);
            ck_assert_int_eq(memcmp(again, bytes, cut), 0);
        }
        *byte = kept;
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("histogram");
    TCase *tcase = tcase_create("histogram");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, quantiles_agree_with_a_sorted_array_to_four_in_a_thousand, 0, 6);
    tcase_add_test(tcase, every_bucket_begins_where_the_one_before_ends);
    tcase_add_test(tcase, values_below_512_are_exact);
    tcase_add_test(tcase, least_value_of_a_rank_is_never_above_the_value);
    tcase_add_test(tcase, values_of_three_days_and_longer_share_the_last_bucket_and_keep_their_maximum);
    tcase_add_test(tcase, an_empty_histogram_has_no_quantile);
    tcase_add_test(tcase, a_quantile_is_supported_by_ten_samples_beyond_it);
    tcase_add_test(tcase, merging_is_recording_both);
    tcase_add_loop_test(tcase, bytes_hold_everything, 0, 6);
    tcase_add_test(tcase, bytes_hold_the_extremes);
    tcase_add_test(tcase, encoding_fits_exactly_or_not_at_all);
    tcase_add_test(tcase, malformed_bytes_are_refused);
    tcase_add_test(tcase, a_total_of_more_than_64_bits_is_refused);
    tcase_add_test(tcase, damaged_bytes_are_refused_or_mean_one_histogram_only);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
