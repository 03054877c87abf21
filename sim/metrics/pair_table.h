/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where pairs and their unhealthy spans are found: by two indices each, a block of neighbours and the place in it. */
#ifndef SIM_METRICS_PAIR_TABLE_H
#define SIM_METRICS_PAIR_TABLE_H

#include "metrics/internal.h"

/* pair_table.c: the pair's first appearance; its place, with its number. NULL: no memory. */
simi_pair_place *simi_pair_introduce(sim_metrics *m, uint32_t client, uint32_t partition);
/* As simi_span_of(). */
simi_span *simi_span_search(sim_metrics *m, simi_pair *pair, int64_t onset);

static inline uint32_t *simi_pair_block(const sim_metrics *m, uint32_t client, uint32_t partition)
{
    return &m->pair_block[(size_t)client * m->pair_blocks_of_client + partition / SIMI_PAIRS_TOGETHER];
}

static inline simi_pair_place *simi_pair_place_of(const sim_metrics *m, uint32_t client, uint32_t partition)
{
    return &m->pair_place[*simi_pair_block(m, client, partition)][partition % SIMI_PAIRS_TOGETHER];
}

/* The pair's place, with its number; NULL: no memory for a new pair. Valid until the next call. */
static inline simi_pair_place *simi_pair_known(sim_metrics *m, uint32_t client, uint32_t partition)
{
    simi_pair_place *place = simi_pair_place_of(m, client, partition);
    return __builtin_expect(place->number != 0, 1) ? place : simi_pair_introduce(m, client, partition);
}

/* The pair's notes about the unhealthy span with that onset, new if need be; NULL: no memory. It is nearly always the
 * newest. */
static inline simi_span *simi_span_of(sim_metrics *m, simi_pair *pair, int64_t onset)
{
    simi_span *newest = &m->span[pair->last_span];
    return newest->onset == onset ? newest : simi_span_search(m, pair, onset);
}

#endif
