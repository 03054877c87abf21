/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ground truth of the homes as sorted edges, so that the request loop and the integrals never ask the world. */
#include "metrics/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_healthy(const sim_metrics *m, rgn_region region, uint32_t partition, uint32_t client, unsigned mask,
                       int64_t at)
{
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        if (((mask >> kind) & 1) != 0 &&
            !sim_truth_is_healthy(m->world_run, region, partition, client, (sim_kind)kind, at))
            return false;
    }
    return true;
}

static int64_t next_change(const sim_metrics *m, rgn_region region, uint32_t partition, uint32_t client, unsigned mask,
                           int64_t at)
{
    int64_t next = RGN_TIME_NEVER;
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        if (((mask >> kind) & 1) != 0)
            next =
                rgn_time_min(next, sim_truth_next_change(m->world_run, region, partition, client, (sim_kind)kind, at));
    }
    assert(next > at);
    return next;
}

simi_timeline simi_truth_scan(sim_metrics *m, rgn_region region, uint32_t partition, uint32_t client, unsigned mask)
{
    bool state = is_healthy(m, region, partition, client, mask, 0);
    simi_timeline line = {m->edge_count, 0, state};
    for (int64_t at = 0;;) {
        at = next_change(m, region, partition, client, mask, at);
        if (at >= m->duration)
            return line;
        if (is_healthy(m, region, partition, client, mask, at) == state)
            continue; /* one kind changed, the other hides it */
        int64_t *grown = simi_grow(m, m->edge, m->edge_count, &m->edge_room, sizeof *grown);
        if (grown == NULL)
            return line;
        m->edge = grown;
        m->edge[m->edge_count++] = at;
        line.count++;
        state = !state;
    }
}

/* Partitions that one fault hits have the same edges: keeps them once if they are those of `last`. */
static simi_timeline share(sim_metrics *m, simi_timeline line, const simi_timeline *last)
{
    if (line.count == 0 || line.count != last->count ||
        memcmp(m->edge + line.offset, m->edge + last->offset, line.count * sizeof *m->edge) != 0)
        return line;
    m->edge_count = line.offset;
    line.offset = last->offset;
    return line;
}

bool simi_truth_is_as_before(const sim_metrics *m, uint32_t partition)
{
    return partition > 0 && m->covered[partition] == m->covered[partition - 1] &&
           m->sent[partition] == m->sent[partition - 1] &&
           sim_truth_partition_key(m->world_run, partition) == sim_truth_partition_key(m->world_run, partition - 1);
}

static bool are_all_alike(const sim_metrics *m)
{
    uint32_t partition = 1;
    while (partition < m->scenario->partition_count && simi_truth_is_as_before(m, partition))
        partition++;
    return partition >= m->scenario->partition_count;
}

static void scan_partition(sim_metrics *m, uint32_t client, uint32_t partition, simi_timeline line[SIMI_MASKS],
                           simi_timeline *last)
{
    for (unsigned mask = 1; mask <= SIMI_MASKS; mask++) {
        if ((mask & m->covered[partition]) != mask)
            continue;
        line[mask - 1] = share(m, simi_truth_scan(m, m->home[client], partition, client, mask), last);
        if (line[mask - 1].count != 0)
            *last = line[mask - 1];
    }
}

static void scan_slot(sim_metrics *m, uint32_t slot, simi_timeline *last)
{
    const uint32_t client = m->truth_client[slot];
    simi_timeline *line = &m->timeline[(size_t)slot * m->truth_partitions * SIMI_MASKS];
    for (uint32_t partition = 0; partition < m->truth_partitions; partition++, line += SIMI_MASKS) {
        if (simi_truth_is_as_before(m, partition))
            memcpy(line, line - SIMI_MASKS, SIMI_MASKS * sizeof *line);
        else
            scan_partition(m, client, partition, line, last);
    }
}

static bool is_same_truth(const sim_metrics *m, uint32_t a, uint32_t b)
{
    return m->home[a] == m->home[b] && sim_truth_client_key(m->world_run, a) == sim_truth_client_key(m->world_run, b);
}

/* The slot of a client whose home is not always healthy; a new one if no client before it has the same truth. */
static int32_t slot_of(sim_metrics *m, uint32_t client)
{
    uint32_t slot = 0;
    while (slot < m->truth_slots && !is_same_truth(m, m->truth_client[slot], client))
        slot++;
    if (slot == m->truth_slots)
        m->truth_client[m->truth_slots++] = client;
    return (int32_t)slot;
}

bool simi_truth_prepare(sim_metrics *m)
{
    const uint32_t clients = m->scenario->client_count;
    m->truth_slot = calloc((size_t)clients + 1, sizeof *m->truth_slot);
    m->truth_client = calloc((size_t)clients + 1, sizeof *m->truth_client);
    m->truth_count = calloc((size_t)clients + 1, sizeof *m->truth_count);
    m->recent = malloc(sizeof *m->recent);
    if (m->truth_slot == NULL || m->truth_client == NULL || m->truth_count == NULL || m->recent == NULL)
        return false;
    *m->recent = (simi_recent){.offset = SIZE_MAX};
    for (uint32_t client = 0; client < clients; client++)
        m->truth_slot[client] = sim_truth_is_always_healthy(m->world_run, m->home[client]) ? -1 : slot_of(m, client);
    for (uint32_t client = 0; client < clients; client++)
        m->home_of[client] = (simi_home){.verdict = (uint32_t)(m->truth_slot[client] + 1), .region = m->home[client]};
    if (m->truth_slots == 0)
        return true;
    m->edge = simi_grow(m, NULL, 0, &m->edge_room, sizeof *m->edge);
    m->truth_partitions = are_all_alike(m) ? 1 : m->scenario->partition_count;
    m->truth_mask = m->truth_partitions == 1 ? 0 : UINT32_MAX;
    m->timeline = calloc((size_t)m->truth_slots * m->truth_partitions * SIMI_MASKS, sizeof *m->timeline);
    if (m->edge == NULL || m->timeline == NULL)
        return false;
    simi_timeline last = {0, 0, false};
    for (uint32_t slot = 0; slot < m->truth_slots; slot++)
        scan_slot(m, slot, &last);
    return !m->is_out_of_memory;
}

void simi_truth_find(const sim_metrics *m, const simi_timeline *line, int64_t at)
{
    const int64_t *edge = m->edge + line->offset;
    uint32_t passed = 0; /* edges at or before `at` */
    for (uint32_t left = line->count; left > 0;) {
        const uint32_t half = left / 2;
        if (edge[passed + half] <= at) {
            passed += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    *m->recent = (simi_recent){.offset = line->offset,
                               .from = passed > 0 ? edge[passed - 1] : 0,
                               .until = passed < line->count ? edge[passed] : RGN_TIME_NEVER,
                               .passed = passed};
}

/* Says what is counted of operations whose homes are unhealthy for these kinds. An override whose failed regions are
 * elsewhere leads home: only a canary is away there. */
static void pass_verdict(const sim_metrics *m, unsigned unhealthy, simi_verdict *verdict)
{
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        const bool is_covered = (m->covered[0] >> kind & 1) != 0;
        const bool is_unhealthy = (unhealthy >> kind & 1) != 0;
        for (unsigned course = 0; course < SIMI_COURSES; course++) {
            const bool is_at_home = (course & SIMI_COURSE_HOME) != 0;
            const bool is_away =
                (course & SIMI_COURSE_AWAY) != 0 && ((course & SIMI_COURSE_CANARY) != 0 || !is_at_home);
            verdict->counted[kind][course] = !is_covered                              ? 0
                                             : is_away && !is_unhealthy               ? SIMI_AWAY_HEALTHY
                                             : !is_away && is_at_home && is_unhealthy ? SIMI_HOME_UNHEALTHY
                                                                                      : 0;
        }
    }
}

/* Kinds for which the homes of that truth are unhealthy; the stretch [from, until) becomes as short as that holds. */
static unsigned find_unhealthy(const sim_metrics *m, uint32_t slot, int64_t at, int64_t *from, int64_t *until)
{
    unsigned unhealthy = 0;
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        if ((m->covered[0] >> kind & 1) == 0)
            continue;
        const simi_truth state = simi_truth_at(m, m->truth_client[slot], 0, 1u << kind, at);
        *from = state.from > *from ? state.from : *from;
        *until = rgn_time_min(*until, state.until);
        unhealthy |= (unsigned)!state.is_healthy << kind;
    }
    return unhealthy;
}

/* Truths that change faster cost more than they save: operations do not end in the order in which they start. Where an
 * edge of the slice cuts a longer one, the piece may be as short as it likes: a slice has no more than two of those. */
#define SHORTEST_NS (500 * RGN_NS_PER_MS)

void simi_truth_take(const sim_metrics *m, int64_t at, simi_hand *hand)
{
    const int64_t end = hand->from + (int64_t)hand->length;
    int64_t from = 0;
    int64_t until = RGN_TIME_NEVER;
    hand->has_unhealthy = false;
    hand->knows_homes =
        m->covers_alike && m->truth_slots <= SIMI_TRUTHS_IN_HAND && (hand->is_calm || m->truth_partitions == 1);
    if (!hand->knows_homes)
        return;
    pass_verdict(m, 0, &hand->verdict[0]);
    for (uint32_t slot = 0; slot < m->truth_slots; slot++) {
        const unsigned unhealthy = hand->is_calm ? 0 : find_unhealthy(m, slot, at, &from, &until);
        pass_verdict(m, unhealthy, &hand->verdict[slot + 1]);
        hand->has_unhealthy |= unhealthy != 0;
    }
    hand->knows_homes = until - from >= rgn_time_min(SHORTEST_NS, (int64_t)hand->length);
    if (!hand->knows_homes)
        return;
    hand->from = from > hand->from ? from : hand->from;
    hand->length = (uint64_t)(rgn_time_min(until, end) - hand->from);
}
