/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of merged histograms, again and again: with one histogram left out, or some taken more than once.
 *
 * Cumulative counts of each histogram turn a quantile of any mixture into a binary search; nothing is merged anew. */
#ifndef SIM_RESAMPLE_H
#define SIM_RESAMPLE_H

#include "metrics/histogram.h"

typedef struct {
    size_t count;         /* histograms */
    uint32_t first;       /* bucket; below it all are empty */
    uint32_t buckets;     /* from `first` on */
    uint64_t *cumulative; /* [histogram * buckets + bucket - first] */
    uint64_t *pooled;     /* the sum over histograms */
    int64_t *max;         /* of each; -1: empty */
} sim_pool;

/* Takes copies of what it needs. False: no memory. Free with sim_pool_deinit() in any case. */
bool sim_pool_init(sim_pool *pool, const sim_histogram *histogram, size_t count);
void sim_pool_deinit(sim_pool *pool);

/* As sim_histogram_quantile() of all but one merged, or of each merged weight[i] times; -1 if that is empty. */
int64_t sim_pool_quantile_without(const sim_pool *pool, size_t left_out, uint32_t q_ppm);
int64_t sim_pool_quantile_weighted(const sim_pool *pool, const uint32_t *weight, uint32_t q_ppm);

#endif
