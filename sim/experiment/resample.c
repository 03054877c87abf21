/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/resample.h"

#include <stdlib.h>

/* Finds the buckets that any histogram uses; at least one. */
static void find_range(sim_pool *pool, const sim_histogram *histogram, size_t count)
{
    uint32_t last = 0;
    pool->first = SIM_HISTOGRAM_BUCKETS - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t seen = 0;
        for (uint32_t bucket = 0; seen < histogram[i].total; bucket++) {
            if (histogram[i].count[bucket] == 0)
                continue;
            seen += histogram[i].count[bucket];
            pool->first = bucket < pool->first ? bucket : pool->first;
            last = bucket > last ? bucket : last;
        }
    }
    pool->buckets = last >= pool->first ? last - pool->first + 1 : 1;
}

bool sim_pool_init(sim_pool *pool, const sim_histogram *histogram, size_t count)
{
    *pool = (sim_pool){.count = count};
    find_range(pool, histogram, count);
    pool->cumulative = calloc(count * pool->buckets, sizeof *pool->cumulative);
    pool->pooled = calloc(pool->buckets, sizeof *pool->pooled);
    pool->max = calloc(count, sizeof *pool->max);
    if (pool->cumulative == NULL || pool->pooled == NULL || pool->max == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t below = 0;
        pool->max[i] = histogram[i].max;
        for (uint32_t b = 0; b < pool->buckets; b++) {
            below += histogram[i].count[pool->first + b];
            pool->cumulative[i * pool->buckets + b] = below;
            pool->pooled[b] += below;
        }
    }
    return true;
}

void sim_pool_deinit(sim_pool *pool)
{
    free(pool->cumulative);
    free(pool->pooled);
    free(pool->max);
    *pool = (sim_pool){0};
}

/* Which histograms count how often: all but one, or by weight. */
typedef struct {
    const sim_pool *pool;
    const uint32_t *weight; /* NULL: all but `left_out`, once each */
    size_t left_out;
} mixture;

static uint64_t count_up_to(const mixture *mix, uint32_t b)
{
    const sim_pool *pool = mix->pool;
    if (mix->weight == NULL)
        return pool->pooled[b] - pool->cumulative[mix->left_out * pool->buckets + b];
    uint64_t total = 0;
    for (size_t i = 0; i < pool->count; i++)
        total += mix->weight[i] * pool->cumulative[i * pool->buckets + b];
    return total;
}

static int64_t longest(const mixture *mix)
{
    int64_t max = -1;
    for (size_t i = 0; i < mix->pool->count; i++) {
        const bool counts = mix->weight == NULL ? i != mix->left_out : mix->weight[i] > 0;
        max = counts && mix->pool->max[i] > max ? mix->pool->max[i] : max;
    }
    return max;
}

static int64_t quantile(const mixture *mix, uint32_t q_ppm)
{
    const uint64_t total = count_up_to(mix, mix->pool->buckets - 1);
    if (total == 0)
        return -1;
    const uint64_t rank = sim_histogram_rank(total, q_ppm);
    uint32_t low = 0;
    uint32_t high = mix->pool->buckets - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (count_up_to(mix, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    const uint32_t bucket = mix->pool->first + low;
    const int64_t max = longest(mix);
    const int64_t highest = sim_histogram_highest(bucket);
    return bucket == SIM_HISTOGRAM_BUCKETS - 1 || highest > max ? max : highest;
}

int64_t sim_pool_quantile_without(const sim_pool *pool, size_t left_out, uint32_t q_ppm)
{
    const mixture mix = {pool, NULL, left_out};
    return quantile(&mix, q_ppm);
}

int64_t sim_pool_quantile_weighted(const sim_pool *pool, const uint32_t *weight, uint32_t q_ppm)
{
    const mixture mix = {pool, weight, 0};
    return quantile(&mix, q_ppm);
}
