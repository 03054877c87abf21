/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of a healthy operation, in line in both loops: it takes a slot, starts, sends its leg, ends, is reported.
 * operation.c has what happens to others. */
#ifndef SIM_OPERATION_H
#define SIM_OPERATION_H

#include <stddef.h>
#include <string.h>

#include "engine/run.h"

#define SIM_LIKELY(x) __builtin_expect((x), 1)

/* ---- slots ---- */

/* A slot that was in use before; there is one. */
static inline uint32_t sim_run_take_free_slot(sim_run_state *run)
{
    const uint32_t index = run->free_slot[--run->free_count];
    if (__builtin_expect(run->free_count < run->least_free, 0))
        sim_run_note_pending(run);
    return index;
}

/* A free slot's index, or SIM_PENDING_MAX: no memory or too many in flight. Slots may move. */
static inline uint32_t sim_run_take_slot(sim_run_state *run)
{
    return SIM_LIKELY(run->free_count > 0) ? sim_run_take_free_slot(run) : sim_run_new_slot(run);
}

/* Gives an ended operation's slot back. */
static inline void sim_run_release_slot(sim_run_state *run, uint32_t index)
{
    run->free_slot[run->free_count++] = index;
}

/* ---- sending ---- */

static inline void sim_run_count_arrival(sim_run_state *run, rgn_region region, int64_t arrival)
{
    const sim_load_second *second = &run->load_second[region];
    if (SIM_LIKELY((uint64_t)arrival - second->from < (uint64_t)RGN_NS_PER_S))
        ++*second->count;
    else
        sim_run_count_in_other_second(run, region, arrival);
}

static inline sim_record_words sim_run_sent_record(const sim_slot *slot, int64_t now)
{
    const rgn_op *op = &slot->op;
    return (sim_record_words){{(uint64_t)now,
                               (uint64_t)SIM_RECORD_SEND << 56 | (uint64_t)op->reason << 48 |
                                   (uint64_t)op->send_flags << 16 | (uint64_t)op->leg << 8 | op->region,
                               slot->ordinal, sim_pack_ids(slot->client, slot->partition)}};
}

static inline sim_record_words sim_run_done_record(const sim_slot *slot, uint64_t outcome, int64_t now)
{
    return (sim_record_words){{(uint64_t)now, outcome, slot->ordinal, (uint64_t)slot->legs << 32 | slot->kind}};
}

/* The leg's fate is settled when it is sent, because faults are functions of time. `partition` is what faults strike:
 * the operation's, or for metadata the number beyond all of them. */
static inline void sim_run_settle_leg(sim_run_state *run, sim_slot *slot, sim_leg *leg, uint32_t partition,
                                      sim_words luck, int64_t round_trip, bool has_connection, int64_t now)
{
    const rgn_region region = slot->op.region;
    const sim_attempt attempt = {.region = region,
                                 .kind = slot->kind,
                                 .has_connection = has_connection,
                                 .client = slot->client,
                                 .partition = partition};
    const sim_fate fate = sim_world_fate(run->world, round_trip, &attempt, now, luck);
    leg->end = fate.end;
    leg->sent = now;
    leg->status = fate.status;
    leg->substatus = fate.substatus;
    leg->transport = fate.transport;
    leg->region = region;
    run->output->legs++;
    sim_run_count_arrival(run, region, now + round_trip / 2);
    const sim_record_words record = sim_run_sent_record(slot, now);
    sim_run_digest(run, &record);
}

/* The luck of a leg that is not the first to its client's first region: drawn ahead, or now. */
static inline sim_words sim_run_luck_elsewhere(sim_run_state *run, const sim_slot *slot, uint32_t visit)
{
    const rgn_region region = slot->op.region;
    if (!SIM_LIKELY(region == slot->elsewhere_region && visit == 1))
        return sim_run_draw_leg(run, slot, region, visit);
    sim_arrivals_note_hit(&run->arrivals, slot->workload, slot->client);
    return slot->elsewhere;
}

/* The fate of a leg where neither connections nor jitter matter: as sim_run_settle_leg(), of which most is known here.
 */
static inline __attribute__((always_inline)) void sim_run_settle_plainly(sim_run_state *run, const sim_slot *slot,
                                                                         sim_leg *leg, rgn_region region,
                                                                         const sim_client *client, sim_words luck,
                                                                         int64_t now)
{
    const int64_t round_trip = client->round_trip[region];
    const int64_t arrival = now + (int64_t)((uint64_t)round_trip / 2);
    const bool is_quiet = sim_world_is_quiet(run->world, region, arrival, luck);
    const int64_t service = SIM_LIKELY(is_quiet)
                                ? sim_world_service(run->world, (sim_kind)slot->kind, luck)
                                : sim_world_slowed_service(run->world, region, (sim_kind)slot->kind, arrival, luck);
    leg->sent = now;
    leg->region = region;
    if (SIM_LIKELY(is_quiet || service >= 0)) {
        leg->end = now + round_trip + service;
        leg->status = 200;
        leg->substatus = 0;
        leg->transport = RGN_TRANSPORT_NONE;
    } else {
        sim_run_strike_leg(run, slot, leg, luck, round_trip, now);
    }
    run->output->legs++;
    sim_run_count_arrival(run, region, arrival);
}

/* That of an operation's first leg; `home` is drawn for the client's first region, where most go. */
static inline sim_words sim_run_luck_of_first_leg(sim_run_state *run, const sim_slot *slot, const sim_client *client,
                                                  sim_words home)
{
    return SIM_LIKELY(slot->op.region == client->first_region) ? home : sim_run_luck_elsewhere(run, slot, 1);
}

/* A first leg of that kind. */
static inline void sim_run_send_plain(sim_run_state *run, sim_slot *slot, const sim_client *client, rgn_region region,
                                      uint64_t ordinal, uint64_t ids, sim_words home, int64_t now)
{
    const uint64_t reason = slot->op.reason;
    const sim_words luck = sim_run_luck_of_first_leg(run, slot, client, home);
    slot->legs = 1;
    sim_run_settle_plainly(run, slot, &slot->leg[0], region, client, luck, now);
    const sim_record_words record = {
        {(uint64_t)now, (uint64_t)SIM_RECORD_SEND << 56 | reason << 48 | region, ordinal, ids}};
    sim_run_digest(run, &record);
}

/* ---- starting ---- */

/* The first leg goes to the first region, or is kept away from home by an operation that excludes none. */
static inline bool sim_run_is_first_send_plain(const sim_slot *slot)
{
    const uint8_t reason = slot->op.reason;
    return (SIM_LIKELY(reason == RGN_REASON_ROUTE_PREFERRED) ||
            (reason == RGN_REASON_ROUTE_OVERRIDE && slot->op.excluded == 0)) &&
           slot->op.send_flags == 0;
}

/* Fills in the slot of the stream's next arrival, from its first line to its last, and what the core is asked. */
static inline rgn_request *sim_run_prepare_start(const sim_client *client, sim_slot *slot, const sim_stream *stream,
                                                 uint32_t i)
{
    const uint64_t ids = stream->ids[i];
    sim_beginning *beginning = &stream->beginning[stream->kind[i]];
    rgn_request *request = &beginning->request;
    request->partition = (uint32_t)ids;
    request->hash = (uint32_t)stream->drawn.word[1][i];
    request->plan = &client->plan[beginning->plan];
    slot->start = stream->time[i];
    slot->ordinal = stream->first_ordinal + i;
    slot->luck_key = stream->first_key + i;
    slot->elsewhere_region = stream->elsewhere_region[i];
    if (slot->elsewhere_region != RGN_REGION_NONE)
        slot->elsewhere = sim_draw_block_words(&stream->elsewhere, i);
    slot->abandon_at = RGN_TIME_NEVER;
    slot->leg[1].end = RGN_TIME_NEVER;
    slot->partition = (uint32_t)ids;
    slot->client = (uint32_t)(ids >> 32);
    memcpy((char *)slot + offsetof(sim_slot, unserved_legs),
           (const char *)beginning + offsetof(sim_beginning, unserved_legs), SIM_COURSE_BYTES);
    slot->visited = 0;
    slot->retry_draws = 0;
    slot->has_returned = false;
    return request;
}

/* The next arrival starts; its slot is filled in. */
static inline sim_started sim_run_start(sim_run_state *run, sim_slot *slot)
{
    const sim_stream *stream = run->arrivals.first;
    const uint32_t i = stream->position;
    if (__builtin_expect(!run->starts_simply || stream->story_hash[i] < run->story_bound, 0))
        return sim_run_start_any(run, slot);
    const int64_t now = stream->time[i];
    const uint64_t ids = stream->ids[i];
    sim_run_digest_luck(run, now, stream->first_key + i, ids, stream->kind[i]);
    sim_arrivals_begin_take(&run->arrivals);
    const uint64_t ordinal = stream->first_ordinal + i;
    const sim_client *client = &run->fleet.client[ids >> 32];
    const rgn_request *request = sim_run_prepare_start(client, slot, stream, i);
    const rgn_step step = rgn_op_start(client->router, &slot->op, request, now);
    const rgn_region region = slot->op.region;
    slot->first_region = region;
    const sim_words home = sim_draw_block_words(&stream->leg, i);
    if (!SIM_LIKELY(step == RGN_SEND && sim_run_is_first_send_plain(slot))) {
        sim_arrivals_end_take(&run->arrivals);
        return sim_run_start_otherwise(run, slot, step, home, now) ? SIM_STARTED_OPEN : SIM_STARTED_ENDED;
    }
    if (slot->op.reason == RGN_REASON_ROUTE_OVERRIDE)
        slot->flags = SIM_ENDED_AWAY;
    sim_run_send_plain(run, slot, client, region, ordinal, ids, home, now);
    sim_arrivals_end_take(&run->arrivals);
    return SIM_STARTED_PLAIN;
}

/* ---- ending ---- */

/* The hedge was launched, and this is how the race ended. */
static inline bool sim_is_end_of_race(rgn_hedge hedge)
{
    return hedge >= RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE && hedge <= RGN_HEDGE_CANCELLED_AWAITING_PARTNER;
}

_Static_assert(offsetof(sim_slot, rest_of_course) + 1 - offsetof(sim_slot, unserved_legs) == SIM_COURSE_BYTES &&
                   offsetof(sim_ended, rest_of_course) + 1 - offsetof(sim_ended, unserved_legs) == SIM_COURSE_BYTES &&
                   offsetof(sim_beginning, rest_of_course) + 1 - offsetof(sim_beginning, unserved_legs) ==
                       SIM_COURSE_BYTES,
               "a course has no gaps");
_Static_assert(offsetof(sim_slot, ordinal) - offsetof(sim_slot, start) ==
                   offsetof(sim_ended, ordinal) - offsetof(sim_ended, start),
               "a start is followed by the ordinal");

/* For the digest and the observer, which is told that the operation has succeeded as most do. Most of this was written
 * long ago and can be moved in large pieces; what the core has just written must be read as it was written. */
static inline sim_ended *sim_run_begin_report(sim_run_state *run, const sim_slot *slot, uint64_t outcome, int64_t now)
{
    const sim_record_words record = sim_run_done_record(slot, outcome, now);
    sim_run_digest(run, &record);
    if (__builtin_expect(run->batch_next == run->batch + SIM_ENDED_BATCH, 0))
        sim_run_flush(run);
    sim_ended *ended = run->batch_next++;
    memcpy((char *)ended + offsetof(sim_ended, start), (const char *)slot + offsetof(sim_slot, start),
           2 * sizeof(uint64_t));
    memcpy((char *)ended + offsetof(sim_ended, partition), (const char *)slot + offsetof(sim_slot, partition),
           2 * sizeof(uint32_t));
    memcpy((char *)ended + offsetof(sim_ended, unserved_legs), (const char *)slot + offsetof(sim_slot, unserved_legs),
           SIM_COURSE_BYTES);
    ended->end = now;
    ended->outcome = outcome;
    ended->flags = (uint8_t)(slot->flags | SIM_ENDED_SUCCESS | SIM_ENDED_SERVED);
    ended->hedge = (uint8_t)rgn_op_hedge_at_end(&slot->op);
    return ended;
}

/* A leg's end. Returns whether the operation is still open. */
static inline bool sim_run_end_leg(sim_run_state *run, sim_slot *slot, uint32_t leg, int64_t now)
{
    static const rgn_response plain = {.status = 200, .transport = RGN_TRANSPORT_NONE, .retry_after = RGN_TIME_NEVER};
    sim_leg *ended_leg = sim_run_leg(run, slot, leg);
    ended_leg->end = RGN_TIME_NEVER;
    if (!SIM_LIKELY(ended_leg->status == plain.status && ended_leg->substatus == plain.substatus &&
                    ended_leg->transport == plain.transport &&
                    (slot->flags & (SIM_SLOT_CANARY_LEG | SIM_SLOT_STORY)) == 0 && run->ends_plain))
        return sim_run_end_leg_otherwise(run, slot, leg, now);
    const rgn_step step = rgn_op_on_leg(run->fleet.client[slot->client].router, &slot->op, leg, &plain, now);
    if (!SIM_LIKELY(step == RGN_DONE)) {
        run->told_answers++;
        return sim_run_follow(run, slot, step, now);
    }
    if (!SIM_LIKELY(slot->op.result.reason == RGN_REASON_DONE_SUCCESS)) {
        sim_run_report_failure(run, slot, now);
        return false;
    }
    const uint64_t outcome =
        sim_ended_outcome(plain.status, plain.substatus, RGN_REASON_DONE_SUCCESS, slot->op.result.region);
    sim_ended *ended = sim_run_begin_report(run, slot, outcome, now);
    if (!SIM_LIKELY((slot->flags | SIM_ENDED_AWAY) == SIM_ENDED_AWAY && rgn_op_is_first_attempt(&slot->op)))
        sim_run_report_rest(run, slot, ended);
    return false;
}

#endif
