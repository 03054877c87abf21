/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (client, partition) pairs: departures, returns, and what the ground truth says of them.
 *
 * A pair is away while part of its eligible traffic is kept from its home by the partition's entry. That is read off
 * the state after each transition, not off the reason, so that a new reason needs no change here. */
#include "metrics/pair_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the truth ---- */

/* Truth of the pair's home for some of its covered kinds. */
static simi_truth truth(const sim_metrics *m, const simi_pair *pair, unsigned kinds, int64_t at)
{
    return simi_truth_at(m, pair->client, pair->partition, kinds, at);
}

static const simi_timeline *whole_line(const sim_metrics *m, const simi_pair *pair)
{
    return simi_truth_home_line(m, pair->client, pair->partition, m->covered[pair->partition]);
}

static inline simi_truth whole_truth(const sim_metrics *m, const simi_pair *pair, int64_t at)
{
    return simi_truth_of_line(m, whole_line(m, pair), at);
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

static __attribute__((noinline)) void end_all_open(sim_metrics *m, simi_pair *pair, int64_t until)
{
    const int64_t since = m->pair_rest[pair - m->pair].all_open_since;
    pair->is_all_open = false;
    const simi_truth state = whole_truth(m, pair, since);
    if (state.is_healthy)
        return;
    until = rgn_time_min(until, state.until);
    for (int64_t at = since; at < until;) {
        const uint32_t slot = simi_slot_at(m, at);
        const int64_t end = rgn_time_min(until, simi_slot_end(m, slot));
        m->tally[slot].all_open_ns += (uint64_t)(end - at);
        at = end;
    }
}

static inline void close_all_open(sim_metrics *m, simi_pair *pair, int64_t until)
{
    if (__builtin_expect(pair->is_all_open, 0))
        end_all_open(m, pair, until);
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

static __attribute__((noinline)) bool add_absence_in_pieces(sim_metrics *m, const simi_pair *pair, int64_t until)
{
    add_away(m, pair, until);
    add_lags(m, pair, until, true);
    return truth(m, pair, pair->kinds, until).is_healthy;
}

/* One absence that ends with a return: is home healthy then, for the kinds that had left? Nearly every absence lies in
 * one slot, and faults strike all its covered kinds alike: then one walk along the edges from where it began gives the
 * integrals and the lags. */
static bool add_absence(sim_metrics *m, const simi_moment *moment, const simi_pair *pair, int64_t until)
{
    const simi_timeline *line = whole_line(m, pair);
    const simi_timeline *kinds_line = simi_truth_home_line(m, pair->client, pair->partition, pair->kinds);
    if (__builtin_expect(pair->away_since < moment->slot_from || !simi_truth_is_same_line(line, kinds_line), 0))
        return add_absence_in_pieces(m, pair, until);
    uint32_t passed = pair->away_passed;
    bool is_healthy = simi_truth_after(line, passed);
    uint64_t unhealthy = 0;
    int64_t at = pair->away_since;
    for (; passed < line->count && m->edge[line->offset + passed] <= until; passed++) {
        const int64_t edge = m->edge[line->offset + passed];
        if (is_healthy)
            sim_histogram_record(&moment->tally->lag_censored, edge - at);
        else
            unhealthy += (uint64_t)(edge - at);
        is_healthy = !is_healthy;
        at = edge;
    }
    if (is_healthy)
        sim_histogram_record(&moment->tally->lag, until - at);
    else
        unhealthy += (uint64_t)(until - at);
    moment->tally->away_ns += (uint64_t)(until - pair->away_since);
    moment->tally->away_unhealthy_ns += unhealthy;
    return is_healthy;
}

/* ---- departures and returns ---- */

/* Failed legs tell whether a departure was missed in the unhealthy span. It has a departure now, or one failed leg: no
 * other one changes anything, and most need not be told. */
static inline void settle_failed_legs(sim_metrics *m, simi_pair *pair, const simi_truth *span)
{
    pair->settled_from = span->from;
    pair->settled_length = (uint64_t)(span->until - span->from);
    simi_pair_place_of(m, pair->client, pair->partition)->settled = simi_units_in(span->from, span->until);
}

static void note_flap(sim_metrics *m, const simi_moment *moment, simi_pair *pair, int64_t at)
{
    const int64_t window = m->scenario->flap_window;
    if (pair->last_return == RGN_TIME_NEVER || at - pair->last_return > window)
        return;
    moment->tally->flaps++;
    if (pair->last_return < m->duration - window) {
        simi_tally *tally =
            pair->last_return >= moment->slot_from ? moment->tally : &m->tally[simi_slot_at(m, pair->last_return)];
        tally->judged_flaps++;
    }
}

static __attribute__((noinline)) void depart(sim_metrics *m, simi_pair *pair, unsigned kinds, int64_t at)
{
    const simi_moment *moment = simi_moment_at(m, at);
    close_all_open(m, pair, at);
    moment->tally->departures++;
    moment->row->departures++;
    moment->row->pairs_away++;
    note_flap(m, moment, pair, at);

    const simi_truth state = whole_truth(m, pair, at);
    if (kinds == m->covered[pair->partition] ? state.is_healthy : truth(m, pair, kinds, at).is_healthy)
        moment->tally->false_trips++;
    pair->state |= SIMI_AWAY;
    pair->away_since = at;
    pair->away_passed = state.passed;
    pair->kinds = (uint8_t)kinds;
    simi_span *span = state.is_healthy ? NULL : simi_span_of(m, pair, state.from);
    if (span == NULL)
        return;
    settle_failed_legs(m, pair, &state);
    if (span->first_departure == RGN_TIME_NEVER)
        span->first_departure = at;
}

static bool is_failback(rgn_reason reason)
{
    return reason == RGN_REASON_FAILBACK || reason == RGN_REASON_FAILBACK_SEQUENTIAL ||
           reason == RGN_REASON_FAILBACK_SINGLE || reason == RGN_REASON_FAILBACK_PROBE ||
           reason == RGN_REASON_FAILBACK_AT_ONCE;
}

static __attribute__((noinline)) void go_home(sim_metrics *m, simi_pair *pair, rgn_reason reason, int64_t at)
{
    const simi_moment *moment = simi_moment_at(m, at);
    simi_tally *tally = moment->tally;
    tally->returns++;
    moment->row->returns++;
    moment->row->pairs_away--;
    if (is_failback(reason))
        tally->failbacks++;
    else if (reason != RGN_REASON_PROMOTE && reason != RGN_REASON_PROMOTE_REQUEST)
        tally->drops++;
    if (at < m->duration - m->scenario->flap_window)
        tally->judged_returns++;
    if (!add_absence(m, moment, pair, at))
        tally->premature++;
    pair->state &= (uint8_t)~SIMI_AWAY;
    pair->last_return = at;
}

static inline void turn_recovering(sim_metrics *m, simi_pair *pair, int64_t at)
{
    const simi_moment *moment = simi_moment_at(m, at);
    pair->state ^= SIMI_RECOVERING;
    if ((pair->state & SIMI_RECOVERING) != 0) {
        pair->recovering_since = at;
        moment->row->pairs_recovering++;
        return;
    }
    if (pair->recovering_since >= moment->slot_from)
        moment->tally->recovering_ns += (uint64_t)(at - pair->recovering_since);
    else
        add_recovering(m, pair, at);
    moment->row->pairs_recovering--;
}

/* ---- what is told ---- */

static void change(sim_metrics *m, simi_pair *pair, const simi_told *told)
{
    const unsigned changes = (told->what ^ pair->state) & (SIMI_AWAY | SIMI_RECOVERING);
    const unsigned covered = m->covered[pair->partition];
    if ((changes & SIMI_AWAY) != 0) {
        if ((told->what & SIMI_AWAY) != 0)
            depart(m, pair, told->kinds != 0 ? told->kinds : covered, told->at);
        else
            go_home(m, pair, (rgn_reason)told->reason, told->at);
    } else if ((told->what & SIMI_AWAY) != 0 && told->kinds != 0) {
        pair->kinds = told->kinds;
    }
    if ((changes & SIMI_RECOVERING) != 0)
        turn_recovering(m, pair, told->at);
    if ((told->what & SIMI_RETRIP) != 0) {
        const simi_moment *moment = simi_moment_at(m, told->at);
        moment->tally->retrips++;
        moment->row->retrips++;
    }
    if (told->reason == RGN_REASON_EXHAUSTED) {
        close_all_open(m, pair, told->at);
        pair->is_all_open = true;
        m->pair_rest[pair - m->pair].all_open_since = told->at;
    }
}

/* An ordinary leg of a covered kind, sent then to home, has failed. */
static void fail_leg(sim_metrics *m, simi_pair *pair, int64_t sent)
{
    if ((uint64_t)(sent - pair->settled_from) < pair->settled_length || (pair->state & SIMI_AWAY) != 0)
        return;
    const simi_truth state = whole_truth(m, pair, sent);
    simi_span *span = state.is_healthy ? NULL : simi_span_of(m, pair, state.from);
    if (span == NULL)
        return;
    span->has_failed_leg = true;
    settle_failed_legs(m, pair, &state);
}

static void put_at_hand(sim_metrics *m, const simi_pair *pair)
{
    const simi_pair_rest *rest = &m->pair_rest[pair - m->pair];
    *simi_pairs_place(m, pair->client, pair->partition) =
        (simi_at_hand){.pair = {.client = pair->client, .partition = pair->partition},
                       .asked = simi_units_in(rest->asked_from, rest->asked_until)};
}

/* An operation of an unhealthy kind started at home then. */
static void meet_request(sim_metrics *m, simi_pair *pair, int64_t start)
{
    simi_pair_rest *rest = &m->pair_rest[pair - m->pair];
    if (start < rest->asked_from || start >= rest->asked_until) {
        const simi_truth state = whole_truth(m, pair, start);
        simi_span *span = simi_span_of(m, pair, state.from);
        if (span == NULL)
            return;
        if (start < span->first_request)
            span->first_request = start;
        rest->asked_from = span->first_request;
        rest->asked_until = state.until;
    }
    put_at_hand(m, pair);
}

/* Pairs lie all over the memory: those of some dozen notes are fetched at once, instead of one after the other. */
static __attribute__((noinline)) void work_off(sim_metrics *m)
{
    const uint32_t count = m->told_count;
    for (uint32_t i = 0; i < count; i++) { /* in a function of its own it would be lost: gcc sees no effect in that */
        const simi_told *told = &m->told[i];
        __builtin_prefetch(&m->pair[told->number], 1);
        if ((told->what & SIMI_REQUEST) != 0)
            __builtin_prefetch(&m->pair_rest[told->number], 1);
    }
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&m->span[m->pair[m->told[i].number].last_span], 1);
    for (uint32_t i = 0; i < count; i++) {
        const simi_told *told = &m->told[i];
        simi_pair *pair = &m->pair[told->number];
        if ((told->what & SIMI_FAILED_LEG) != 0)
            fail_leg(m, pair, told->at);
        else if ((told->what & SIMI_REQUEST) != 0)
            meet_request(m, pair, told->at);
        else
            change(m, pair, told);
    }
    m->told_count = 0;
}

static inline void tell(sim_metrics *m, uint32_t number, unsigned what, int64_t at, unsigned kinds, unsigned reason)
{
    simi_told *told = &m->told[m->told_count++];
    told->at = at;
    told->number = number;
    told->what = (uint8_t)what;
    told->kinds = (uint8_t)kinds;
    told->reason = (uint8_t)reason;
    if (__builtin_expect(m->told_count == SIMI_TOLD_MAX, 0))
        work_off(m);
}

/* Does the entry, as it is after the transition, keep traffic from the client's home? Where a recovering entry sends
 * everything to its first failed region, that is home or it is not; else tripped traffic goes where it goes without the
 * failed regions, which may still be home if the client excludes all others. */
static inline bool keeps_away(const sim_metrics *m, uint32_t client, unsigned kinds, const rgn_transition *t)
{
    const rgn_region home = m->home[client];
    if (t->phase_after == RGN_PHASE_RECOVERING && m->probe_home) {
        const bool is_routed = kinds != 0 || m->probe_untripped;
        return is_routed && t->first_failed != RGN_REGION_NONE && t->first_failed != home;
    }
    const bool is_tripped = t->phase_after == RGN_PHASE_UNHEALTHY || t->phase_after == RGN_PHASE_RECOVERING;
    return is_tripped && kinds != 0 && rgn_region_in(t->failed, home) &&
           (m->elsewhere[client] & ~(uint64_t)t->failed) != 0;
}

static __attribute__((noinline)) void keep_row(sim_metrics *m, simi_pair_place *place, uint32_t client,
                                               const rgn_transition *t)
{
    sim_transition_row *grown = simi_grow(m, m->row, m->row_count, &m->row_room, sizeof *grown);
    if (grown == NULL)
        return;
    m->row = grown;
    m->row[m->row_count++] = (sim_transition_row){client, *t};
    place->rows++;
}

void simi_pairs_transition(void *context, uint32_t client, const rgn_transition *t)
{
    sim_metrics *m = context;
    simi_pair_place *place = simi_pair_known(m, client, t->partition);
    if (place == NULL)
        return;
    const int64_t limit = m->scenario->transitions_per_partition;
    if (limit >= 0 && place->rows >= limit)
        m->rows_left_out++;
    else
        keep_row(m, place, client, t);
    const unsigned covered = m->covered[t->partition];
    if (t->at >= m->duration || covered == 0)
        return;
    assert(t->at >= 0);

    const unsigned before = t->tripped_before & covered;
    const unsigned after = t->tripped_after & covered;
    const bool is_kept = t->phase_after == RGN_PHASE_UNHEALTHY || t->phase_after == RGN_PHASE_COUNTING;
    const bool is_retrip = t->phase_before == RGN_PHASE_RECOVERING && before != 0 && is_kept;
    const bool is_recovering = t->phase_after == RGN_PHASE_RECOVERING && after != 0;
    const unsigned what = (keeps_away(m, client, after, t) ? SIMI_AWAY : 0u) | (is_recovering ? SIMI_RECOVERING : 0u) |
                          (is_retrip ? SIMI_RETRIP : 0u);
    tell(m, place->number, what, t->at, after, t->reason);
}

void simi_pairs_failed_leg(void *context, const sim_failed_leg *leg)
{
    sim_metrics *m = context;
    if (leg->is_canary || leg->sent >= m->duration || leg->region != m->home[leg->client] ||
        (m->covered[leg->partition] & (1u << leg->kind)) == 0)
        return;
    const simi_pair_place *place = simi_pair_known(m, leg->client, leg->partition);
    if (place != NULL && !simi_units_have(place->settled, leg->sent))
        tell(m, place->number, SIMI_FAILED_LEG, leg->sent, 0, 0);
}

/* Rare, and apart so that others have no room to make. */
void simi_pairs_note_request(sim_metrics *m, const sim_ended *op)
{
    const simi_pair_place *place = simi_pair_known(m, op->client, op->partition);
    if (place != NULL)
        tell(m, place->number, SIMI_REQUEST, op->start, 0, 0);
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
    work_off(m);
    for (size_t i = 1; i < m->pair_count; i++) {
        simi_pair *pair = &m->pair[i];
        if ((pair->state & SIMI_RECOVERING) != 0)
            add_recovering(m, pair, m->duration);
        close_all_open(m, pair, m->duration);
        if ((pair->state & SIMI_AWAY) != 0) {
            add_away(m, pair, m->duration);
            add_lags(m, pair, m->duration, false);
        }
    }
    for (size_t i = 1; i < m->span_count; i++)
        judge_span(m, &m->span[i]);
    for (uint32_t w = 0; w < m->scenario->workload_count; w++)
        add_unhealthy(m, &m->scenario->workload[w]);
}
