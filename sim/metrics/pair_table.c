/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs and their unhealthy spans: room for them, and their first appearance. */
#include "metrics/pair_table.h"

#include <stdlib.h>
#include <string.h>

/* A block of places without pairs. False: no memory. */
static bool add_block(sim_metrics *m)
{
    simi_pair_place(*grown)[SIMI_PAIRS_TOGETHER] =
        simi_grow(m, m->pair_place, m->pair_block_count, &m->pair_block_room, sizeof *grown);
    if (grown == NULL)
        return false;
    m->pair_place = grown;
    memset(grown[m->pair_block_count++], 0, sizeof *grown);
    return true;
}

/* Room for one more pair: a pair does not lie in two cache lines. False: no memory. */
static bool reserve_pair(sim_metrics *m)
{
    if (m->pair_count < m->pair_room)
        return true;
    size_t room = m->pair_room;
    simi_pair_rest *rest = simi_grow(m, m->pair_rest, m->pair_count, &room, sizeof *rest);
    if (rest == NULL)
        return false;
    m->pair_rest = rest;
    simi_pair *pair = room <= UINT32_MAX ? aligned_alloc(64, room * sizeof *pair) : NULL;
    if (pair == NULL) {
        m->is_out_of_memory = true;
        return false;
    }
    if (m->pair_count > 0)
        memcpy(pair, m->pair, m->pair_count * sizeof *pair);
    free(m->pair);
    m->pair = pair;
    m->pair_room = room;
    return true;
}

static bool add_pair(sim_metrics *m, uint32_t client, uint32_t partition)
{
    if (!reserve_pair(m))
        return false;
    m->pair_rest[m->pair_count] = (simi_pair_rest){0};
    m->pair[m->pair_count++] = (simi_pair){.client = client, .partition = partition, .last_return = RGN_TIME_NEVER};
    return true;
}

/* NULL: no memory. */
static simi_span *add_span(sim_metrics *m, uint32_t previous, int64_t onset)
{
    m->is_out_of_memory |= m->span_count > UINT32_MAX;
    simi_span *grown =
        m->span_count > UINT32_MAX ? NULL : simi_grow(m, m->span, m->span_count, &m->span_room, sizeof *grown);
    if (grown == NULL)
        return NULL;
    m->span = grown;
    grown[m->span_count] = (simi_span){
        .previous = previous, .onset = onset, .first_request = RGN_TIME_NEVER, .first_departure = RGN_TIME_NEVER};
    return &grown[m->span_count++];
}

/* A place for each pair, but no more than SIMI_AT_HAND_MAX and a client's. False: no memory. */
static bool prepare_places(sim_metrics *m)
{
    const uint32_t clients = m->scenario->client_count;
    const size_t partitions = m->scenario->partition_count;
    size_t places = 1;
    if (m->truth_slots == 0)
        return true;
    while (places < clients * partitions && places < SIMI_AT_HAND_MAX)
        places *= 2;
    for (uint32_t client = 0; client < clients; client++)
        m->home_of[client].first_pair = client * partitions % places;
    m->at_hand = calloc(places + partitions, sizeof *m->at_hand);
    return m->at_hand != NULL;
}

/* Block 0 stands for all that are not there yet, pair 0 for all of their pairs, and span 0, which is earlier than all,
 * is the end of each pair's list. */
bool simi_pairs_prepare(sim_metrics *m)
{
    m->pair_blocks_of_client = simi_pair_blocks(m->scenario);
    m->pair_block = calloc((size_t)m->scenario->client_count * m->pair_blocks_of_client + 1, sizeof *m->pair_block);
    return m->pair_block != NULL && prepare_places(m) && add_block(m) && add_pair(m, 0, 0) &&
           add_span(m, 0, INT64_MIN) != NULL;
}

simi_pair_place *simi_pair_introduce(sim_metrics *m, uint32_t client, uint32_t partition)
{
    uint32_t *block = simi_pair_block(m, client, partition);
    if (*block == 0) {
        if (!add_block(m))
            return NULL;
        *block = (uint32_t)m->pair_block_count - 1;
    }
    if (!add_pair(m, client, partition))
        return NULL;
    simi_pair_place *place = simi_pair_place_of(m, client, partition);
    place->number = (uint32_t)m->pair_count - 1;
    return place;
}

/* The list falls in onset, so that a search ends at the first that is not later. */
simi_span *simi_span_search(sim_metrics *m, simi_pair *pair, int64_t onset)
{
    uint32_t later = 0; /* the span noted before the place */
    uint32_t place = pair->last_span;
    while (m->span[place].onset > onset) {
        later = place;
        place = m->span[place].previous;
    }
    if (m->span[place].onset == onset)
        return &m->span[place];
    simi_span *added = add_span(m, place, onset);
    if (added != NULL)
        *(later == 0 ? &pair->last_span : &m->span[later].previous) = (uint32_t)(added - m->span);
    return added;
}
