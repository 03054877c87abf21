/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ended operations: latency, errors, legs, clients, and where operations went while their home was (un)healthy. An
 * operation is counted in the slice of its intended start: one increment. */
#include "metrics/slices.h"

#include <assert.h>
#include <string.h>

static void record_late(sim_metrics *m, const simi_slice *slice, const sim_ended *op)
{
    simi_tally *tally = &m->tally[slice->slot];
    sim_interval_row *row = &m->interval[slice->interval];
    const int64_t latency = op->end - op->start;
    const uint64_t error = (op->flags & SIM_ENDED_ERROR) != 0;
    sim_histogram_record((op->flags & SIM_ENDED_SUCCESS) != 0 ? &tally->ok : &tally->failed, latency);
    tally->errors += error;
    tally->legs += op->legs;
    tally->hedges += op->hedges;
    row->requests++;
    row->errors += error;
    row->legs += op->legs;
    row->hedges += op->hedges;
    simi_strategy_note_hedges(m, slice->sample, op->hedges);
    if (latency > row->latency_max)
        row->latency_max = latency;
}

static inline void record_open(sim_metrics *m, const simi_hand *hand, const sim_ended *op)
{
    simi_open_slice *open = hand->open;
    simi_latencies *latencies = &open->latencies[(op->flags & SIM_ENDED_SUCCESS) != 0];
    const uint64_t latency = (uint64_t)(op->end - op->start);
    latencies->count[sim_histogram_bucket(latency)]++;
    latencies->sum_low += latency;
    latencies->sum_high += latencies->sum_low < latency;
    if ((int64_t)latency > latencies->max)
        latencies->max = (int64_t)latency;
    open->legs += op->legs;
    if (__builtin_expect(++open->recorded == m->fold_at, 0))
        simi_slice_fold(m, hand->slice);
}

/* Operations of kinds that the breaker covers, by where they went and the truth at their start. The caller leaves out
 * those that stayed at a home which is always healthy, or in a calm slice. */
static inline void record_home(sim_metrics *m, const simi_hand *hand, const sim_ended *op)
{
    const unsigned kind = 1u << op->kind;
    const bool is_at_home = op->first_region == m->home[op->client];
    /* An override whose failed regions are elsewhere leads home. */
    const bool is_away = (op->flags & SIM_ENDED_AWAY) != 0 && ((op->flags & SIM_ENDED_CANARY) != 0 || !is_at_home);
    if ((!is_at_home && !is_away) || (m->covered[op->partition] & kind) == 0 || (op->flags & SIM_ENDED_METADATA) != 0)
        return;
    if (is_away != (hand->is_calm || simi_truth_is_healthy(m, op->client, op->partition, kind, op->start)))
        return;
    if (is_away) {
        hand->tally->away_healthy_requests++;
    } else {
        hand->tally->home_unhealthy_requests++;
        simi_pairs_request(m, op);
    }
}

static bool is_won(rgn_hedge hedge)
{
    return hedge == RGN_HEDGE_ALTERNATE_WON || hedge == RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE;
}

/* Why the hedged operation's other legs were cut. */
static inline void record_cuts(simi_tally *tally, const sim_ended *op)
{
    const simi_cut_reason why = (op->flags & SIM_ENDED_ABANDONED) != 0 ? SIMI_CUT_APP_CANCELED
                                : is_won((rgn_hedge)op->hedge)         ? SIMI_CUT_WINNER_FOUND
                                                                       : SIMI_CUT_DEADLINE;
    tally->hedge_cut[why] += op->hedge_cancelled;
}

static void record_canary(simi_tally *tally, const sim_ended *op)
{
    tally->canary_caller_errors += (op->flags & SIM_ENDED_ERROR) != 0;
    if (op->canary_retry >= 0)
        sim_histogram_record(&tally->canary_delay, op->canary_retry);
}

/* Any operation. */
static __attribute__((noinline)) void record(sim_metrics *m, const sim_ended *op)
{
    assert(op->end >= op->start);
    if (op->end >= m->next_close)
        simi_slices_close(m, op->end);
    const simi_hand *hand = simi_hand_of(m, op->start);
    if (hand == NULL)
        return;
    if (hand->open != NULL)
        record_open(m, hand, op);
    else
        record_late(m, hand->slice, op);

    simi_client_count *client = &hand->client[op->client];
    simi_tally *tally = hand->tally;
    client->requests++;
    tally->hedge[op->hedge]++;
    tally->served[op->kind] += (op->flags & SIM_ENDED_SERVED) != 0;
    tally->served_legs[op->kind] += (uint64_t)(op->legs - op->unserved_legs);
    tally->session_misses += op->session_misses;
    if ((op->flags & SIM_ENDED_ERROR) != 0) {
        client->errors++;
        if (hand->open != NULL)
            hand->open->errors++;
    }
    if (op->hedges != 0) {
        record_cuts(tally, op);
        if (hand->open != NULL)
            hand->open->hedges += op->hedges;
    }
    if ((op->flags & SIM_ENDED_AWAY) != 0 || (!hand->is_calm && m->truth_slot[op->client] >= 0))
        record_home(m, hand, op);
    if ((op->flags & SIM_ENDED_CANARY) != 0)
        record_canary(tally, op);
}

/* ---- most operations ---- */

/* Most operations of a batch have started in one stretch of time and succeeded. Of these little is looked at one by
 * one; the rest is added up by kind and end of their races, four numbers of their courses at a time. */

enum { TOGETHER = 128, ELSEWHERE = SIM_ENDED_AWAY | SIM_ENDED_CANARY };

typedef struct {
    uint64_t operations;
    uint64_t work; /* sum of the first halves of their courses */
} group;

typedef struct {
    uint16_t unserved_legs;
    uint16_t hedges;
    uint16_t hedge_cancelled;
    uint16_t legs;
} work;

typedef struct {
    uint16_t hedge_cancelled;
    uint16_t legs;
    uint8_t flags;
    uint8_t hedge;
    uint8_t session_misses;
    rgn_region hedge_region;
} outcome;

#define LIES_AS_IN_ENDED(part, first, field) \
    (offsetof(part, field) == offsetof(sim_ended, field) - offsetof(sim_ended, first))
_Static_assert(LIES_AS_IN_ENDED(work, unserved_legs, hedges) &&
                   LIES_AS_IN_ENDED(work, unserved_legs, hedge_cancelled) &&
                   LIES_AS_IN_ENDED(work, unserved_legs, legs) && sizeof(work) == sizeof(uint64_t),
               "work is the first half of a course");
_Static_assert(LIES_AS_IN_ENDED(outcome, hedge_cancelled, legs) && LIES_AS_IN_ENDED(outcome, hedge_cancelled, flags) &&
                   LIES_AS_IN_ENDED(outcome, hedge_cancelled, session_misses) && sizeof(outcome) == sizeof(uint64_t),
               "an outcome is the middle of a course");

static inline uint64_t bits_at(const void *place)
{
    uint64_t bits;
    memcpy(&bits, place, sizeof bits);
    return bits;
}

static inline uint64_t work_of(const sim_ended *op)
{
    return bits_at((const char *)op + offsetof(sim_ended, unserved_legs));
}

/* It has succeeded, at home or where `elsewhere` allows it, and its course says all there is to count. Its legs are so
 * few that the sum of as many as are looked at together fits into 16 bits. */
static inline bool is_plain(const sim_ended *op, unsigned elsewhere)
{
    const outcome looked_at = {.legs = 0xff00, .flags = (uint8_t)~elsewhere, .session_misses = UINT8_MAX};
    const outcome plain = {.flags = SIM_ENDED_SUCCESS | SIM_ENDED_SERVED};
    return (bits_at((const char *)op + offsetof(sim_ended, hedge_cancelled)) & bits_at(&looked_at)) == bits_at(&plain);
}

static void record_groups(const simi_hand *hand, const group groups[RGN_HEDGE_COUNT][SIM_KINDS])
{
    simi_tally *tally = hand->tally;
    for (unsigned hedge = 0; hedge < RGN_HEDGE_COUNT; hedge++) {
        for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
            const group *one = &groups[hedge][kind];
            if (one->operations == 0)
                continue;
            work sum;
            memcpy(&sum, &one->work, sizeof sum);
            tally->hedge[hedge] += one->operations;
            tally->served[kind] += one->operations;
            tally->served_legs[kind] += (uint64_t)(sum.legs - sum.unserved_legs);
            tally->hedge_cut[is_won((rgn_hedge)hedge) ? SIMI_CUT_WINNER_FOUND : SIMI_CUT_DEADLINE] +=
                sum.hedge_cancelled;
            hand->open->legs += sum.legs;
            hand->open->hedges += sum.hedges;
        }
    }
}

/* What there is to do about the homes of operations that start in a stretch. */
typedef enum {
    HOMES_WELL,  /* nothing: all are healthy, and few operations are elsewhere */
    HOMES_KNOWN, /* the hand has a verdict */
    HOMES_ASKED,
} homes;

/* Places in a batch. */
typedef struct {
    unsigned count;
    uint8_t place[TOGETHER];
} places;

typedef struct {
    places other;    /* of those that are not like most: they are not counted yet */
    places asked;    /* of those whose homes have to be asked about */
    places noted;    /* of those whose pairs may not know of a request yet */
    places canaries; /* whose retries may have to be counted */
} left_over;

static inline void put(places *some, unsigned place)
{
    some->place[some->count++] = (uint8_t)place;
}

static inline unsigned course_of(const sim_ended *op, unsigned is_at_home)
{
    _Static_assert((SIMI_COURSE_CANARY | SIMI_COURSE_AWAY) == ELSEWHERE >> 1 && ELSEWHERE >> 1 < SIMI_COURSES,
                   "courses follow the flags");
    return ((unsigned)op->flags & ELSEWHERE) >> 1 | is_at_home;
}

/* Counts those that are like most. All are of the only client if `is_alone`; none lives as long as the last bucket's.
 */
static inline __attribute__((always_inline)) void record_most(sim_metrics *m, const simi_hand *hand,
                                                              const sim_ended *batch, unsigned count, homes task,
                                                              bool is_alone, left_over *left)
{
    group groups[RGN_HEDGE_COUNT][SIM_KINDS] = {{{0, 0}}};
    simi_latencies *latencies = &hand->open->latencies[1];
    simi_client_count *client = hand->client;
    const simi_home *homes_of = m->home_of;
    const simi_home only_home = homes_of[0];
    const simi_verdict only_verdict = hand->verdict[only_home.verdict];
    const uint64_t from = (uint64_t)hand->from, length = hand->length;
    uint64_t sum = 0, longest = 0;
    uint32_t verdicts = 0;
    unsigned canaries = 0;
    for (unsigned i = 0; i < count; i++) {
        const sim_ended *op = &batch[i];
        if (__builtin_expect(!is_plain(op, task == HOMES_WELL ? 0 : ELSEWHERE) || (uint64_t)op->start - from >= length,
                             0)) {
            put(&left->other, i);
            continue;
        }
        const uint64_t latency = (uint64_t)(op->end - op->start);
        latencies->count[sim_histogram_bucket_of_any(latency)]++;
        sum += latency; /* each is below 2^48 */
        longest = latency > longest ? latency : longest;
        if (!is_alone)
            client[op->client].requests++;
        group *one = &groups[op->hedge][op->kind];
        one->operations++;
        one->work += work_of(op);
        if (task == HOMES_ASKED)
            put(&left->asked, i);
        if (task != HOMES_KNOWN)
            continue;
        const simi_home *home = is_alone ? &only_home : &homes_of[op->client];
        const simi_verdict *on_home = is_alone ? &only_verdict : &hand->verdict[home->verdict];
        const uint32_t verdict = on_home->counted[op->kind][course_of(op, op->first_region == home->region)];
        verdicts += verdict;
        if ((verdict & SIMI_HOME_UNHEALTHY) != 0 && !simi_pairs_knows(m, op))
            put(&left->noted, i);
        left->canaries.place[canaries] = (uint8_t)i;
        canaries += (op->flags & SIM_ENDED_CANARY) != 0;
    }
    left->canaries.count = canaries;
    const unsigned recorded = count - left->other.count;
    latencies->sum_low += sum;
    latencies->sum_high += latencies->sum_low < sum;
    if (recorded > 0 && (int64_t)longest > latencies->max)
        latencies->max = (int64_t)longest;
    if (is_alone)
        client->requests += recorded;
    hand->open->recorded += recorded;
    hand->tally->home_unhealthy_requests += verdicts % SIMI_AWAY_HEALTHY;
    hand->tally->away_healthy_requests += verdicts / SIMI_AWAY_HEALTHY;
    record_groups(hand, groups);
}

static unsigned record_left_over(sim_metrics *m, const simi_hand *hand, const sim_ended *batch, const left_over *left)
{
    unsigned elsewhere = left->canaries.count;
    for (unsigned i = 0; i < left->noted.count; i++)
        simi_pairs_note_request(m, &batch[left->noted.place[i]]);
    for (unsigned i = 0; i < left->canaries.count; i++)
        record_canary(hand->tally, &batch[left->canaries.place[i]]);
    for (unsigned i = 0; i < left->asked.count; i++) {
        const sim_ended *op = &batch[left->asked.place[i]];
        record_home(m, hand, op);
        elsewhere += (op->flags & ELSEWHERE) != 0;
        if ((op->flags & SIM_ENDED_CANARY) != 0)
            record_canary(hand->tally, op);
    }
    for (unsigned i = 0; i < left->other.count; i++) {
        const sim_ended *op = &batch[left->other.place[i]];
        record(m, op);
        elsewhere += (op->flags & ELSEWHERE) != 0;
    }
    return elsewhere;
}

static void record_together(sim_metrics *m, const simi_hand *hand, const sim_ended *batch, unsigned count)
{
    const bool looks = hand->has_unhealthy || m->looks_at_homes;
    const bool is_alone = m->scenario->client_count == 1;
    left_over left;
    left.other.count = left.asked.count = left.noted.count = left.canaries.count = 0;
    const uint64_t away_before = hand->tally->away_healthy_requests;
    if (!looks && (hand->is_calm || hand->knows_homes)) {
        if (is_alone)
            record_most(m, hand, batch, count, HOMES_WELL, true, &left);
        else
            record_most(m, hand, batch, count, HOMES_WELL, false, &left);
    } else if (hand->knows_homes) {
        if (is_alone)
            record_most(m, hand, batch, count, HOMES_KNOWN, true, &left);
        else
            record_most(m, hand, batch, count, HOMES_KNOWN, false, &left);
    } else {
        record_most(m, hand, batch, count, HOMES_ASKED, false, &left);
    }
    const uint64_t away = hand->tally->away_healthy_requests - away_before;
    m->looks_at_homes = away + record_left_over(m, hand, batch, &left) > count / 16;
}

/* Nothing has to be closed or folded before the last of them has ended, and what starts in the stretch does not live
 * longer than the buckets reach. */
static inline bool go_together(const sim_metrics *m, const simi_hand *hand, const sim_ended *batch, unsigned count)
{
    const int64_t end = batch[count - 1].end;
    return hand != NULL && hand->open != NULL && end < m->next_close && m->fold_at - hand->open->recorded > count &&
           end - hand->from < SIM_HISTOGRAM_END;
}

void simi_operations_ended(void *context, const sim_ended *batch, size_t count)
{
    sim_metrics *m = context;
    for (size_t done = 0; done < count;) {
        const unsigned next = count - done < TOGETHER ? (unsigned)(count - done) : TOGETHER;
        const simi_hand *hand = simi_hand_of(m, batch[done].start);
        if (go_together(m, hand, batch + done, next))
            record_together(m, hand, batch + done, next);
        else
            for (unsigned i = 0; i < next; i++)
                record(m, &batch[done + i]);
        done += next;
    }
}
