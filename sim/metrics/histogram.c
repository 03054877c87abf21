/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/histogram.h"

#include <string.h>

enum { ONE_PPM = 1000000, BEYOND_MIN = 10 };

int64_t sim_histogram_highest(uint32_t bucket)
{
    const uint32_t sub = UINT32_C(1) << SIM_HISTOGRAM_SUB_BITS;
    if (bucket < 2 * sub)
        return bucket;
    const uint32_t shift = (bucket >> SIM_HISTOGRAM_SUB_BITS) - 1;
    const uint64_t top = (bucket & (sub - 1)) + sub;
    return (int64_t)(((top + 1) << shift) - 1);
}

void sim_histogram_clear(sim_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->max = -1;
}

void sim_histogram_merge(sim_histogram *into, const sim_histogram *from)
{
    for (uint32_t bucket = 0; bucket < SIM_HISTOGRAM_BUCKETS; bucket++) {
        if (from->count[bucket] != 0)
            into->count[bucket] += from->count[bucket];
    }
    into->total += from->total;
    into->sum += from->sum;
    if (from->max > into->max)
        into->max = from->max;
}

int64_t sim_histogram_at_rank(const sim_histogram *histogram, uint64_t rank)
{
    uint64_t below = 0;
    for (uint32_t bucket = 0; bucket < SIM_HISTOGRAM_BUCKETS - 1; bucket++) {
        below += histogram->count[bucket];
        if (below >= rank) {
            const int64_t highest = sim_histogram_highest(bucket);
            return highest < histogram->max ? highest : histogram->max;
        }
    }
    return histogram->max;
}

int64_t sim_histogram_least_at_rank(const sim_histogram *histogram, uint64_t rank)
{
    const int64_t value = sim_histogram_at_rank(histogram, rank);
    if (rank == histogram->total)
        return value; /* the exact maximum */
    const uint32_t bucket = sim_histogram_bucket((uint64_t)value);
    return bucket == 0 ? 0 : sim_histogram_highest(bucket - 1) + 1;
}

int64_t sim_histogram_quantile(const sim_histogram *histogram, uint32_t q_ppm)
{
    if (histogram->total == 0)
        return -1;
    return sim_histogram_at_rank(histogram, sim_histogram_rank(histogram->total, q_ppm));
}

bool sim_histogram_quantile_if_supported(const sim_histogram *histogram, uint32_t q_ppm, int64_t *value)
{
    const sim_u128 beyond_ppm = (sim_u128)histogram->total * (ONE_PPM - q_ppm);
    if (histogram->total == 0 || beyond_ppm < (sim_u128)BEYOND_MIN * ONE_PPM)
        return false;
    *value = sim_histogram_quantile(histogram, q_ppm);
    return true;
}

typedef struct {
    uint8_t *out;
    size_t size;
    size_t used; /* size + 1: it did not fit */
} writer;

static void put(writer *w, uint64_t value)
{
    do {
        const uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        if (w->used < w->size)
            w->out[w->used++] = byte;
        else
            w->used = w->size + 1;
        value >>= 7;
    } while (value != 0);
}

size_t sim_histogram_encode(const sim_histogram *histogram, uint8_t *out, size_t size)
{
    writer w = {out, size, 0};
    put(&w, (uint64_t)histogram->max + 1);
    put(&w, (uint64_t)histogram->sum);
    put(&w, (uint64_t)(histogram->sum >> 64));
    uint32_t next = 0;
    for (uint32_t bucket = 0; bucket < SIM_HISTOGRAM_BUCKETS && w.used <= size; bucket++) {
        if (histogram->count[bucket] == 0)
            continue;
        put(&w, bucket + 1 - next);
        put(&w, histogram->count[bucket]);
        next = bucket + 1;
    }
    return w.used <= size ? w.used : 0;
}

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} reader;

static bool get(reader *r, uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        const uint8_t byte = *r->at++;
        const uint64_t bits = byte & 0x7f;
        if (bits << shift >> shift != bits || (byte == 0 && shift > 0))
            return false; /* over 64 bits, or not the shortest form */
        result |= bits << shift;
        if ((byte & 0x80) == 0) {
            *value = result;
            return true;
        }
    }
    return false;
}

/* Lowest value of a bucket. */
static uint64_t lowest(uint32_t bucket)
{
    return bucket == 0 ? 0 : (uint64_t)sim_histogram_highest(bucket - 1) + 1;
}

static bool get_buckets(reader *r, sim_histogram *histogram)
{
    uint64_t next = 0;
    sim_u128 sum_min = 0, sum_max = 0;
    while (r->at < r->end) {
        uint64_t distance, count;
        if (!get(r, &distance) || !get(r, &count))
            return false;
        if (distance == 0 || distance > SIM_HISTOGRAM_BUCKETS - next || count == 0 ||
            count > UINT64_MAX - histogram->total)
            return false;
        next += distance;
        const uint32_t bucket = (uint32_t)(next - 1);
        const bool is_last = bucket == SIM_HISTOGRAM_BUCKETS - 1;
        histogram->count[bucket] = count;
        histogram->total += count;
        sum_min += (sim_u128)count * lowest(bucket);
        sum_max += (sim_u128)count * (uint64_t)(is_last ? histogram->max : sim_histogram_highest(bucket));
    }
    if (next == 0)
        return histogram->max == -1 && histogram->sum == 0;
    return histogram->max >= 0 && sim_histogram_bucket((uint64_t)histogram->max) == next - 1 &&
           histogram->sum >= sum_min && histogram->sum <= sum_max;
}

bool sim_histogram_decode(sim_histogram *histogram, const uint8_t *data, size_t size)
{
    reader r = {data, data + size};
    uint64_t max_plus_one, low, high;
    sim_histogram_clear(histogram);
    if (!get(&r, &max_plus_one) || !get(&r, &low) || !get(&r, &high) || max_plus_one > (uint64_t)INT64_MAX + 1)
        return false;
    histogram->max = (int64_t)(max_plus_one - 1);
    histogram->sum = (sim_u128)high << 64 | low;
    return get_buckets(&r, histogram);
}
