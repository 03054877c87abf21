/* SPDX-License-Identifier: MIT */
#include "sequential.h"

#include <assert.h>

enum { ONE_PPM = 1000000, FRACTION_BITS = 24 };

/* Bit by bit: squaring a number in [1, 2) doubles its logarithm, and the carry is the next bit. */
int64_t rgni_log2(uint32_t x)
{
    unsigned whole = 0;
    uint64_t mantissa; /* in [1, 2), with 31 bits after the point */
    int64_t log;

    assert(x > 0);
    while (x >> whole > 1)
        whole++;
    mantissa = (uint64_t)x << (31 - whole);
    log = whole;
    for (unsigned bit = 0; bit < FRACTION_BITS; bit++) {
        mantissa = (mantissa * mantissa) >> 31;
        log = log * 2 + (mantissa >> 32 != 0);
        mantissa >>= mantissa >> 32;
    }
    return log;
}

static int64_t log2_ratio(int64_t numerator, int64_t denominator)
{
    return rgni_log2((uint32_t)numerator) - rgni_log2((uint32_t)denominator);
}

/* FBK-32. Counts stay below 2^32 and weights below 2^29, so nothing overflows. */
rgni_sequential rgni_sequential_test(const rgn_options *options, uint32_t success, uint32_t failed, int64_t waiting)
{
    int64_t high = options->failback_success_threshold;
    int64_t low = options->failback_retrip_floor;
    int64_t false_failback = options->failback_false_failback;
    int64_t false_retrip = options->failback_false_retrip;
    int64_t for_health = success * log2_ratio(high, low);
    int64_t of_failure;

    assert(0 < low && low < high);
    /* A region that is said never to fail has failed. */
    if (high == ONE_PPM && failed > 0)
        return RGNI_IS_UNHEALTHY;
    of_failure = high == ONE_PPM ? 0 : log2_ratio(ONE_PPM - low, ONE_PPM - high);
    if (for_health - failed * of_failure <= log2_ratio(false_retrip, ONE_PPM - false_failback))
        return RGNI_IS_UNHEALTHY;
    if (high == ONE_PPM && waiting > 0)
        return RGNI_GOES_ON;
    if (for_health - (failed + waiting) * of_failure >= log2_ratio(ONE_PPM - false_retrip, false_failback))
        return RGNI_IS_HEALTHY;
    return RGNI_GOES_ON;
}
