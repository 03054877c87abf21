/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear latency histogram: 256 buckets an octave, relative width at most 1/256 (0.4 %), merged by addition. */
#ifndef SIM_HISTOGRAM_H
#define SIM_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/wide.h"

enum {
    SIM_HISTOGRAM_SUB_BITS = 8,
    SIM_HISTOGRAM_OCTAVES = 40, /* values up to 2^48 ns, 3 days; longer ones count as the last bucket */
    SIM_HISTOGRAM_BUCKETS = (SIM_HISTOGRAM_OCTAVES + 1) << SIM_HISTOGRAM_SUB_BITS,
};

/* Longer values than 2^48 ns and more count as the last bucket. */
#define SIM_HISTOGRAM_END (INT64_C(1) << (SIM_HISTOGRAM_OCTAVES + SIM_HISTOGRAM_SUB_BITS))

typedef struct {
    uint64_t count[SIM_HISTOGRAM_BUCKETS];
    uint64_t total;
    sim_u128 sum; /* of the exact values */
    int64_t max;  /* exact; -1 if empty */
} sim_histogram;

/* Bucket of a value, as if there were no last one: exact below 512, then 256 buckets an octave. */
static inline uint64_t sim_histogram_bucket_of_any(uint64_t value)
{
    const uint64_t low = value | (UINT64_C(1) << SIM_HISTOGRAM_SUB_BITS);
    const uint32_t shift = (63 ^ (uint32_t)__builtin_clzll(low)) - SIM_HISTOGRAM_SUB_BITS;
    return ((uint64_t)shift << SIM_HISTOGRAM_SUB_BITS) + (value >> shift);
}

static inline uint32_t sim_histogram_bucket(uint64_t value)
{
    const uint64_t bucket = sim_histogram_bucket_of_any(value);
    return bucket < SIM_HISTOGRAM_BUCKETS ? (uint32_t)bucket : SIM_HISTOGRAM_BUCKETS - 1;
}

/* Highest value that falls into the bucket; of the last one 2^48 - 1, though it also holds longer values. */
int64_t sim_histogram_highest(uint32_t bucket);

/* Makes it empty. Zeroed memory is not yet an empty histogram: its maximum is -1. */
void sim_histogram_clear(sim_histogram *histogram);

/* Takes in one value >= 0. */
static inline void sim_histogram_record(sim_histogram *histogram, int64_t value)
{
    histogram->count[sim_histogram_bucket((uint64_t)value)]++;
    histogram->total++;
    histogram->sum += (uint64_t)value;
    if (value > histogram->max)
        histogram->max = value;
}

/* Adds; untouched buckets of `into` stay untouched memory. */
void sim_histogram_merge(sim_histogram *into, const sim_histogram *from);

/* Nearest rank ⌈q·N⌉ of N samples, at least 1. */
static inline uint64_t sim_histogram_rank(uint64_t total, uint32_t q_ppm)
{
    const uint64_t rank = (uint64_t)(((sim_u128)total * q_ppm + 999999) / 1000000);
    return rank > 0 ? rank : 1;
}

/* The rank-th smallest value, 1 <= rank <= total: highest equivalent value of its bucket, at most the exact maximum. In
 * the last bucket it is the exact maximum. */
int64_t sim_histogram_at_rank(const sim_histogram *histogram, uint64_t rank);

/* A value that the rank-th smallest is certainly not below: lowest of its bucket, or the exact maximum for the last
 * rank. */
int64_t sim_histogram_least_at_rank(const sim_histogram *histogram, uint64_t rank);

/* Value at the nearest rank with q = ppm / 10^6 (the p50 is 500000, p99.99 is 999900); -1 if empty. */
int64_t sim_histogram_quantile(const sim_histogram *histogram, uint32_t q_ppm);

/* The quantile, or false where fewer than 10 samples lie beyond it (N·(1 - q) < 10). */
bool sim_histogram_quantile_if_supported(const sim_histogram *histogram, uint32_t q_ppm, int64_t *value);

/* Compact bytes for the database; returns the length, at most `size`, or 0 if it does not fit.
 *
 * All numbers are LEB128 (7 bits a byte, low bits first, shortest form): maximum + 1; low and high word of the sum;
 * then for each bucket that is not empty, in order, the distance from the one before (from -1 for the first) and its
 * count. The inverse returns false on malformed bytes, also where the maximum or the sum cannot be that of the buckets;
 * `*histogram` is then undefined. */
size_t sim_histogram_encode(const sim_histogram *histogram, uint8_t *out, size_t size);
bool sim_histogram_decode(sim_histogram *histogram, const uint8_t *data, size_t size);

#endif
