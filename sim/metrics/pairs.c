/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (client, partition) pairs: departures, returns, and what the ground truth says of them.
 *
 * A pair is away while part of its eligible traffic is kept from its home by the partition's entry. That is read off
 * the state after each transition, not off the reason, so that a new reason needs no change here. */
#include "metrics/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- who is who ---- */

static inline size_t hash(uint32_t client, uint32_t partition)
{
    const uint64_t x = ((uint64_t)client << 32 | partition) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x ^ x >> 32);
}

/* Place of the pair in the table, or the free place where it belongs. */
static inline size_t probe(const sim_metrics *m, uint32_t client, uint32_t partition)
{
    const size_t last = m->pair_index_size - 1;
    size_t place = hash(client, partition) & last;
    while (m->pair_index[place] != 0) {
        const simi_pair *pair = &m->pair[m->pair_index[place] - 1];
        if (pair->client == client && pair->partition == partition)
            return place;
        place = (place + 1) & last;
    }
    return place;
}

/* NULL: there is none. */
static inline simi_pair *find_pair(const sim_metrics *m, uint32_t client, uint32_t partition)
{
    if (m->pair_index_size == 0)
        return NULL;
    const uint32_t number = m->pair_index[probe(m, client, partition)];
    return number != 0 ? &m->pair[number - 1] : NULL;
}

/* Keeps the table at most half full. */
static bool grow_index(sim_metrics *m)
{
    if (2 * (m->pair_count + 1) <= m->pair_index_size)
        return true;
    const size_t size = m->pair_index_size == 0 ? 128 : 2 * m->pair_index_size;
    uint32_t *index = m->pair_count < UINT32_MAX / 2 ? calloc(size, sizeof *index) : NULL;
    if (index == NULL)
        return false;
    free(m->pair_index);
    m->pair_index = index;
    m->pair_index_size = size;
    for (size_t i = 0; i < m->pair_count; i++)
        index[probe(m, m->pair[i].client, m->pair[i].partition)] = (uint32_t)(i + 1);
    return true;
}

/* The pair, new if need be; NULL: no memory. Valid until the next call. */
static simi_pair *pair_of(sim_metrics *m, uint32_t client, uint32_t partition)
{
    simi_pair *known = find_pair(m, client, partition);
    if (known != NULL)
        return known;
    if (!grow_index(m)) {
        m->is_out_of_memory = true;
        return NULL;
    }
    const size_t place = probe(m, client, partition);
    simi_pair *grown = simi_grow(m, m->pair, m->pair_count, &m->pair_room, sizeof *grown);
    if (grown == NULL)
        return NULL;
    m->pair = grown;
    m->pair[m->pair_count] =
        (simi_pair){.client = client, .partition = partition, .last_span = SIZE_MAX, .last_return = RGN_TIME_NEVER};
    m->pair_index[place] = (uint32_t)++m->pair_count;
    return &m->pair[m->pair_count - 1];
}

/* The pair's notes about the unhealthy span with that onset, new if need be; NULL: no memory. The list falls in onset,
 * so that a search ends at the first that is not later: nearly always the newest. */
static simi_span *span_of(sim_metrics *m, simi_pair *pair, int64_t onset)
{
    size_t later = SIZE_MAX; /* the span noted before the place */
    size_t place = pair->last_span;
    while (place != SIZE_MAX && m->span[place].onset > onset) {
        later = place;
        place = m->span[place].previous;
    }
    if (place != SIZE_MAX && m->span[place].onset == onset)
        return &m->span[place];
    simi_span *grown = simi_grow(m, m->span, m->span_count, &m->span_room, sizeof *grown);
    if (grown == NULL)
        return NULL;
    m->span = grown;
    m->span[m->span_count] = (simi_span){
        .previous = place, .onset = onset, .first_request = RGN_TIME_NEVER, .first_departure = RGN_TIME_NEVER};
    *(later == SIZE_MAX ? &pair->last_span : &m->span[later].previous) = m->span_count;
    return &m->span[m->span_count++];
}

/* Truth of the pair's home for some of its covered kinds. */
static simi_truth truth(const sim_metrics *m, const simi_pair *pair, unsigned kinds, int64_t at)
{
    return simi_truth_at(m, pair->client, pair->partition, kinds, at);
}

static simi_truth whole_truth(const sim_metrics *m, const simi_pair *pair, int64_t at)
{
    return truth(m, pair, m->covered[pair->partition], at);
}

/* ---- integrals ---- */

/* First instant after `at` at which phase or truth may change, at most `until`. */
static int64_t piece_end(const sim_metrics *m, uint32_t slot, const simi_truth *state, int64_t until)
{
    return rgn_time_min(until, rgn_time_min(simi_slot_end(m, slot), state->until));
}

static void add_away(sim_metrics *m, const simi_pair *pair, int64_t until)
{
    for (int64_t at = pair->away_since; at < until;) {
        const simi_truth state = whole_truth(m, pair, at);
        const uint32_t slot = simi_slot_at(m, at);
        const int64_t end = piece_end(m, slot, &state, until);
        m->tally[slot].away_ns += (uint64_t)(end - at);
        if (!state.is_healthy)
            m->tally[slot].away_unhealthy_ns += (uint64_t)(end - at);
        at = end;
    }
}

static void add_recovering(sim_metrics *m, const simi_pair *pair, int64_t until)
{
    for (int64_t at = pair->recovering_since; at < until;) {
        const uint32_t slot = simi_slot_at(m, at);
        const int64_t end = rgn_time_min(until, simi_slot_end(m, slot));
        m->tally[slot].recovering_ns += (uint64_t)(end - at);
        at = end;
    }
}

static void close_all_open(sim_metrics *m, simi_pair *pair, int64_t until)
{
    if (!pair->is_all_open)
        return;
    pair->is_all_open = false;
    const simi_truth state = whole_truth(m, pair, pair->all_open_since);
    if (state.is_healthy)
        return;
    until = rgn_time_min(until, state.until);
    for (int64_t at = pair->all_open_since; at < until;) {
        const uint32_t slot = simi_slot_at(m, at);
        const int64_t end = rgn_time_min(until, simi_slot_end(m, slot));
        m->tally[slot].all_open_ns += (uint64_t)(end - at);
        at = end;
    }
}

/* Lags of one absence, which ends at `until` with a return or with the run. Each healthy span of the home that it meets
 * is one recovery to answer: with the return, or with a relapse (or the run's end) that came first. */
static void add_lags(sim_metrics *m, const simi_pair *pair, int64_t until, bool is_return)
{
    for (int64_t at = pair->away_since;;) {
        const simi_truth state = truth(m, pair, pair->kinds, at);
        const bool is_relapse = state.until <= until;
        if (state.is_healthy && is_relapse)
            sim_histogram_record(&m->tally[simi_slot_at(m, state.until)].lag_censored, state.until - at);
        else if (state.is_healthy && is_return)
            sim_histogram_record(&m->tally[simi_slot_at(m, until)].lag, until - at);
        else if (state.is_healthy)
            sim_histogram_record(&m->tally[simi_slot_at(m, until - 1)].lag_censored, until - at);
        if (!is_relapse)
            return;
        at = state.until;
    }
}

/* ---- departures and returns ---- */

static void note_flap(sim_metrics *m, simi_pair *pair, int64_t at)
{
    const int64_t window = m->scenario->flap_window;
    if (pair->last_return == RGN_TIME_NEVER || at - pair->last_return > window)
        return;
    m->tally[simi_slot_at(m, at)].flaps++;
    if (pair->last_return < m->duration - window)
        m->tally[simi_slot_at(m, pair->last_return)].judged_flaps++;
}

static void depart(sim_metrics *m, simi_pair *pair, unsigned kinds, int64_t at)
{
    simi_tally *tally = &m->tally[simi_slot_at(m, at)];
    sim_interval_row *row = simi_interval_at(m, at);
    close_all_open(m, pair, at);
    pair->is_away = true;
    pair->away_since = at;
    pair->kinds = (uint8_t)kinds;
    tally->departures++;
    row->departures++;
    row->pairs_away++;
    if (truth(m, pair, kinds, at).is_healthy)
        tally->false_trips++;
    note_flap(m, pair, at);

    const simi_truth state = whole_truth(m, pair, at);
    simi_span *span = state.is_healthy ? NULL : span_of(m, pair, state.from);
    if (span != NULL && span->first_departure == RGN_TIME_NEVER)
        span->first_departure = at;
}

static bool is_failback(rgn_reason reason)
{
    return reason == RGN_REASON_FAILBACK || reason == RGN_REASON_FAILBACK_SEQUENTIAL ||
           reason == RGN_REASON_FAILBACK_SINGLE || reason == RGN_REASON_FAILBACK_PROBE ||
           reason == RGN_REASON_FAILBACK_AT_ONCE;
}

static void go_home(sim_metrics *m, simi_pair *pair, rgn_reason reason, int64_t at)
{
    simi_tally *tally = &m->tally[simi_slot_at(m, at)];
    sim_interval_row *row = simi_interval_at(m, at);
    tally->returns++;
    row->returns++;
    row->pairs_away--;
    if (is_failback(reason))
        tally->failbacks++;
    else if (reason != RGN_REASON_PROMOTE && reason != RGN_REASON_PROMOTE_REQUEST)
        tally->drops++;
    if (!truth(m, pair, pair->kinds, at).is_healthy)
        tally->premature++;
    if (at < m->duration - m->scenario->flap_window)
        tally->judged_returns++;
    add_away(m, pair, at);
    add_lags(m, pair, at, true);
    pair->is_away = false;
    pair->last_return = at;
}

static void set_recovering(sim_metrics *m, simi_pair *pair, bool is_recovering, int64_t at)
{
    if (is_recovering == pair->is_recovering)
        return;
    sim_interval_row *row = simi_interval_at(m, at);
    if (is_recovering) {
        pair->recovering_since = at;
        row->pairs_recovering++;
    } else {
        add_recovering(m, pair, at);
        row->pairs_recovering--;
    }
    pair->is_recovering = is_recovering;
}

static const sim_client_group *group_of(const sim_scenario *scenario, uint32_t client)
{
    uint32_t g = 0;
    while (client - scenario->group[g].first_client >= scenario->group[g].count)
        g++;
    return &scenario->group[g];
}

/* Does the entry, as it is after the transition, keep traffic from the client's home? Where a recovering entry sends
 * everything to its first failed region, that is home or it is not; else tripped traffic goes where it goes without the
 * failed regions, which may still be home if the client excludes all others. */
static bool keeps_away(const sim_metrics *m, uint32_t client, unsigned kinds, const rgn_transition *t)
{
    const rgn_region home = m->home[client];
    if (t->phase_after == RGN_PHASE_RECOVERING && m->probe_home) {
        const bool is_routed = kinds != 0 || m->probe_untripped;
        return is_routed && t->first_failed != RGN_REGION_NONE && t->first_failed != home;
    }
    const bool is_tripped = t->phase_after == RGN_PHASE_UNHEALTHY || t->phase_after == RGN_PHASE_RECOVERING;
    return is_tripped && kinds != 0 && rgn_region_in(t->failed, home) &&
           simi_target_of(m->scenario, group_of(m->scenario, client), t->failed) != home;
}

static void keep_row(sim_metrics *m, simi_pair *pair, uint32_t client, const rgn_transition *t)
{
    const int64_t limit = m->scenario->transitions_per_partition;
    if (limit >= 0 && pair->rows >= limit) {
        m->rows_left_out++;
        return;
    }
    sim_transition_row *grown = simi_grow(m, m->row, m->row_count, &m->row_room, sizeof *grown);
    if (grown == NULL)
        return;
    m->row = grown;
    m->row[m->row_count++] = (sim_transition_row){client, *t};
    pair->rows++;
}

void simi_pairs_transition(void *context, uint32_t client, const rgn_transition *t)
{
    sim_metrics *m = context;
    simi_pair *pair = pair_of(m, client, t->partition);
    if (pair == NULL)
        return;
    keep_row(m, pair, client, t);
    const unsigned covered = m->covered[t->partition];
    if (t->at >= m->duration || covered == 0)
        return;
    assert(t->at >= 0);

    const unsigned before = t->tripped_before & covered;
    const unsigned after = t->tripped_after & covered;
    const bool is_away = keeps_away(m, client, after, t);
    if (is_away && !pair->is_away)
        depart(m, pair, after != 0 ? after : covered, t->at);
    else if (!is_away && pair->is_away)
        go_home(m, pair, (rgn_reason)t->reason, t->at);
    else if (is_away && after != 0)
        pair->kinds = (uint8_t)after;

    set_recovering(m, pair, t->phase_after == RGN_PHASE_RECOVERING && after != 0, t->at);
    const bool is_kept = t->phase_after == RGN_PHASE_UNHEALTHY || t->phase_after == RGN_PHASE_COUNTING;
    if (t->phase_before == RGN_PHASE_RECOVERING && before != 0 && is_kept) {
        m->tally[simi_slot_at(m, t->at)].retrips++;
        simi_interval_at(m, t->at)->retrips++;
    }
    if (t->reason == RGN_REASON_EXHAUSTED) {
        close_all_open(m, pair, t->at);
        pair->is_all_open = true;
        pair->all_open_since = t->at;
    }
}

/* ---- traffic ---- */

void simi_pairs_failed_leg(void *context, const sim_failed_leg *leg)
{
    sim_metrics *m = context;
    const unsigned kind = 1u << leg->kind;
    if (leg->is_canary || leg->sent >= m->duration || leg->region != m->home[leg->client] ||
        (m->covered[leg->partition] & kind) == 0)
        return;
    simi_pair *pair = pair_of(m, leg->client, leg->partition);
    if (pair == NULL || pair->is_away)
        return;
    const simi_truth state = whole_truth(m, pair, leg->sent);
    simi_span *span = state.is_healthy ? NULL : span_of(m, pair, state.from);
    if (span != NULL)
        span->has_failed_leg = true;
}

bool simi_pairs_prepare(sim_metrics *m)
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

/* Puts the pair's stretch at hand, shortened to whole units. */
static void put_at_hand(sim_metrics *m, const simi_pair *pair)
{
    const uint64_t unit = UINT64_C(1) << SIMI_AT_HAND_SHIFT;
    const uint64_t from = ((uint64_t)pair->asked_from + unit - 1) / unit;
    const uint64_t until = (uint64_t)pair->asked_until / unit;
    const uint64_t length = from < until && from <= UINT32_MAX ? until - from : 0;
    *simi_pairs_place(m, pair->client, pair->partition) =
        (simi_at_hand){.pair = {pair->client, pair->partition},
                       .from = (uint32_t)from,
                       .length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX};
}

/* Rare, and apart so that others have no room to make. */
void simi_pairs_note_request(sim_metrics *m, const sim_ended *op)
{
    const int64_t start = op->start;
    simi_pair *pair = pair_of(m, op->client, op->partition);
    if (pair == NULL)
        return;
    if (start < pair->asked_from || start >= pair->asked_until) {
        const simi_truth state = whole_truth(m, pair, start);
        simi_span *span = span_of(m, pair, state.from);
        if (span == NULL)
            return;
        if (start < span->first_request)
            span->first_request = start;
        pair->asked_from = span->first_request;
        pair->asked_until = state.until;
    }
    put_at_hand(m, pair);
}

/* ---- the end ---- */

/* Pair-time at unhealthy homes as if no pair ever left: whole workloads at a time. */
static void add_unhealthy_of(sim_metrics *m, uint64_t pairs, uint32_t one_of_them, uint32_t partition)
{
    for (int64_t at = 0; at < m->duration;) {
        const simi_truth state = simi_truth_at(m, one_of_them, partition, m->covered[partition], at);
        const uint32_t slot = simi_slot_at(m, at);
        const int64_t end = piece_end(m, slot, &state, m->duration);
        if (!state.is_healthy)
            m->tally[slot].unhealthy_ns += (sim_u128)pairs * (uint64_t)(end - at);
        at = end;
    }
}

static void count_clients(sim_metrics *m, const sim_workload *workload)
{
    memset(m->truth_count, 0, m->truth_slots * sizeof *m->truth_count);
    for (uint32_t i = 0; i < workload->group_count; i++) {
        const sim_client_group *group = &m->scenario->group[workload->groups[i]];
        for (uint32_t k = 0; k < group->count; k++) {
            const int32_t slot = m->truth_slot[group->first_client + k];
            if (slot >= 0)
                m->truth_count[slot]++;
        }
    }
}

static void add_unhealthy(sim_metrics *m, const sim_workload *workload)
{
    const uint32_t end = workload->first_partition + workload->partition_count;
    count_clients(m, workload);
    for (uint32_t slot = 0; slot < m->truth_slots; slot++) {
        if (m->truth_count[slot] == 0)
            continue;
        for (uint32_t partition = workload->first_partition, next; partition < end; partition = next) {
            next = partition + 1;
            while (next < end && simi_truth_is_as_before(m, next))
                next++;
            if (m->covered[partition] != 0)
                add_unhealthy_of(m, (uint64_t)m->truth_count[slot] * (next - partition), m->truth_client[slot],
                                 partition);
        }
    }
}

static void judge_span(sim_metrics *m, const simi_span *span)
{
    if (span->first_departure == RGN_TIME_NEVER) {
        if (span->has_failed_leg)
            m->tally[simi_slot_at(m, span->onset)].missed_trips++;
        return;
    }
    /* No request between onset and departure: failures of requests from before the onset made the pair leave. */
    const int64_t base = span->first_request <= span->first_departure ? span->first_request : span->onset;
    sim_histogram_record(&m->tally[simi_slot_at(m, span->first_departure)].detection, span->first_departure - base);
}

void simi_pairs_finish(sim_metrics *m)
{
    for (size_t i = 0; i < m->pair_count; i++) {
        simi_pair *pair = &m->pair[i];
        if (pair->is_recovering)
            add_recovering(m, pair, m->duration);
        close_all_open(m, pair, m->duration);
        if (pair->is_away) {
            add_away(m, pair, m->duration);
            add_lags(m, pair, m->duration, false);
        }
    }
    for (size_t i = 0; i < m->span_count; i++)
        judge_span(m, &m->span[i]);
    for (uint32_t w = 0; w < m->scenario->workload_count; w++)
        add_unhealthy(m, &m->scenario->workload[w]);
}
