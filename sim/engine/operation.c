/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to an operation that is not simply sent once and answered; the rest is in operation.h. */
#include "engine/operation.h"
#include "engine/control.h"

#include <string.h>

/* ---- slots ---- */

uint32_t sim_run_new_slot(sim_run_state *run)
{
    if (run->slot_count == run->slot_capacity &&
        (run->slot_capacity >= SIM_PENDING_MAX || !sim_run_reserve_slots(run, run->slot_capacity * 2)))
        return SIM_PENDING_MAX;
    const uint32_t index = run->slot_count++;
    const uint32_t pending = run->slot_count - run->free_count - run->zombie_count;
    if (pending > run->output->peak_pending)
        run->output->peak_pending = pending;
    return index;
}

/* ---- sending ---- */

/* How often the operation has gone to `region`, this time included. The array is set up only when a second leg is sent.
 */
static uint32_t count_visit(sim_slot *slot, rgn_region region)
{
    if (slot->legs == 1)
        return 1;
    if (slot->legs == 2) {
        memset(slot->visits, 0, sizeof slot->visits);
        slot->visits[slot->first_region] = 1;
    }
    return ++slot->visits[region];
}

static bool has_connection(const sim_run_state *run, uint32_t client, rgn_region region, int64_t now)
{
    const int64_t last = run->connection[(size_t)client * run->scenario->region_count + region];
    return last != RGN_TIME_NEVER && now - last <= run->scenario->connection_idle;
}

/* Carries out RGN_SEND. */
static void send_leg(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const rgn_op *op = &slot->op;
    const rgn_region region = op->region;
    if (rgn_region_in(op->excluded, region) && op->reason != RGN_REASON_ROUTE_FALLBACK &&
        op->reason != RGN_REASON_ROUTE_FAILOVER)
        sim_run_break(run, "a leg was sent to an excluded region without the reason `fallback` or `failover_override`");
    slot->legs++;
    const uint64_t place = sim_leg_place(run->scenario->region[region], count_visit(slot, region));
    int64_t round_trip = run->fleet.client[slot->client].round_trip[region];
    if (run->world->jitter != NULL)
        round_trip = sim_world_jittered(
            run->world->jitter, round_trip,
            sim_draw_words(&run->input->luck, SIM_DRAW_NETWORK_JITTER, slot->luck_key, place).word[0]);
    if (op->send_flags & RGN_SEND_CANARY)
        slot->flags |= SIM_SLOT_CANARY_LEG;
    if (op->reason == RGN_REASON_ROUTE_HEDGE)
        slot->hedges++;
    sim_run_settle_leg(run, slot, sim_draw_words(&run->input->luck, SIM_DRAW_LEG, slot->luck_key, place), round_trip,
                       run->connection != NULL && has_connection(run, slot->client, region, now), now);
    if (run->world->write_regions != NULL)
        sim_control_settle(run, slot, rgn_time_add(now, round_trip / 2));
}

/* Legs that the core gave up no longer end. */
static void cancel_legs(sim_slot *slot)
{
    for (uint32_t leg = 0; leg < RGN_LEGS_MAX; leg++)
        if (slot->op.cancel_legs >> leg & 1)
            slot->leg_end[leg] = RGN_TIME_NEVER;
}

bool sim_run_follow(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    if (slot->op.cancel_legs != 0)
        cancel_legs(slot);
    if (step == RGN_DONE) {
        sim_run_report_ended(run, slot, now);
        return false;
    }
    if (step == RGN_SEND)
        send_leg(run, slot, now);
    return true;
}

/* ---- starting ---- */

/* When the operation's application gives up. Drawn apart from all else: more who give up are the same and others. */
int64_t sim_run_draw_abandon(const sim_run_state *run, const sim_slot *slot)
{
    const uint64_t word = sim_draw_words(&run->input->luck, SIM_DRAW_GIVES_UP, slot->luck_key, 0).word[0];
    if (sim_below(word, SIM_SHARE_ONE) >= run->gives_up_share[slot->workload])
        return RGN_TIME_NEVER;
    return rgn_time_add(slot->start, run->scenario->workload[slot->workload].gives_up_after);
}

/* Flags of an operation that does not simply go to its first region. A tripped partition whose alternates are marked or
 * excluded has other reasons than `override`, so that the entry itself has to be asked. */
static uint8_t start_flags(const sim_run_state *run, const sim_slot *slot)
{
    if (slot->op.send_flags & RGN_SEND_CANARY)
        return (uint8_t)(SIM_ENDED_CANARY | (run->probe_all ? 0 : SIM_ENDED_AWAY));
    if (slot->op.reason == RGN_REASON_ROUTE_OVERRIDE)
        return SIM_ENDED_AWAY;
    rgn_entry entry;
    rgn_router_inspect(run->fleet.client[slot->client].router, slot->partition, &entry);
    return rgn_entry_is_tripped(&entry, (rgn_direction)slot->op.direction) ? SIM_ENDED_AWAY : 0;
}

bool sim_run_start_otherwise(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    slot->leg_end[0] = RGN_TIME_NEVER;
    if (step != RGN_SEND)
        slot->first_region = RGN_REGION_NONE;
    else if (slot->op.reason != RGN_REASON_ROUTE_PREFERRED)
        slot->flags = start_flags(run, slot);
    return sim_run_follow(run, slot, step, now);
}

/* ---- reporting ---- */

/* The operation's race for the observer. Every hedge that was launched must have come to an end, and none other. */
static void report_race(sim_run_state *run, const sim_slot *slot, sim_ended *ended)
{
    const rgn_hedge hedge = (rgn_hedge)ended->hedge;
    const unsigned cut = slot->op.cancel_legs;
    if (sim_is_end_of_race(hedge)
            ? slot->hedges == 0
            : slot->hedges != 0 && hedge != RGN_HEDGE_LAUNCHED && slot->op.options->hedging_races_per_operation == 1)
        sim_run_break(run, "a hedge was launched without an end, or ended without having been launched");
    if (slot->hedges == 0)
        return;
    ended->hedges = slot->hedges < UINT8_MAX ? (uint8_t)slot->hedges : UINT8_MAX;
    ended->hedge_region = slot->leg_region[1];
    if (sim_is_end_of_race(hedge))
        ended->hedge_cancelled = (uint8_t)((cut & 1) + (cut >> 1));
}

void sim_run_report_rest(sim_run_state *run, const sim_slot *slot, sim_ended *ended)
{
    const rgn_op *op = &slot->op;
    unsigned flags = slot->flags & ~(unsigned)(SIM_SLOT_CANARY_LEG | SIM_SLOT_CANARY_FAILED);
    flags |= op->result.is_success ? SIM_ENDED_SUCCESS : 0;
    flags |= op->result.is_error ? SIM_ENDED_ERROR : 0;
    flags |= op->result.reason == RGN_REASON_DONE_ABANDONED ? SIM_ENDED_ABANDONED : 0;
    ended->flags = (uint8_t)flags;
    if ((slot->flags & SIM_SLOT_CANARY_FAILED) != 0 && op->canary_failed_at != RGN_TIME_NEVER)
        ended->canary_retry = op->canary_failed_at - slot->start;
    report_race(run, slot, ended);
}

static void report_canary(sim_run_state *run, sim_slot *slot, uint32_t leg, uint8_t evidence, int64_t now)
{
    slot->flags &= (uint8_t)~SIM_SLOT_CANARY_LEG;
    if (evidence == RGN_EVIDENCE_FAILURE || evidence == RGN_EVIDENCE_TIMEOUT)
        slot->flags |= SIM_SLOT_CANARY_FAILED;
    if (run->input->observer == NULL)
        return;
    const sim_canary canary = {.sent = slot->leg_sent[leg],
                               .end = now,
                               .client = slot->client,
                               .partition = slot->partition,
                               .region = slot->leg_region[leg],
                               .kind = slot->kind,
                               .evidence = evidence};
    sim_run_flush(run);
    run->input->observer->canary(run->input->observer->context, &canary);
}

/* A leg did not succeed: it goes into the digest and, if it is evidence of failure, to the observer. */
static void report_failed_leg(sim_run_state *run, sim_slot *slot, uint32_t leg, uint8_t evidence, bool is_canary,
                              int64_t now)
{
    sim_digest_add(&run->output->behaviour, (uint64_t)now,
                   (uint64_t)SIM_RECORD_LEG_FAILED << 56 | (uint64_t)evidence << 48 |
                       (uint64_t)slot->leg_substatus[leg] << 24 | (uint64_t)slot->leg_region[leg] << 16 |
                       slot->leg_status[leg],
                   slot->ordinal, leg);
    if (run->input->observer == NULL || (evidence != RGN_EVIDENCE_FAILURE && evidence != RGN_EVIDENCE_TIMEOUT))
        return;
    const sim_failed_leg failed = {.sent = slot->leg_sent[leg],
                                   .end = now,
                                   .client = slot->client,
                                   .partition = slot->partition,
                                   .region = slot->leg_region[leg],
                                   .kind = slot->kind,
                                   .is_canary = is_canary};
    sim_run_flush(run);
    run->input->observer->failed_leg(run->input->observer->context, &failed);
}

/* The leg is over, one way or the other: tells of it before the core's answer is carried out. */
static void report_leg(sim_run_state *run, sim_slot *slot, uint32_t leg, uint8_t evidence, uint8_t canary_evidence,
                       int64_t now)
{
    const bool is_canary = leg == 0 && (slot->flags & SIM_SLOT_CANARY_LEG) != 0;
    if (evidence != RGN_EVIDENCE_SUCCESS)
        report_failed_leg(run, slot, leg, evidence, is_canary, now);
    if (is_canary)
        report_canary(run, slot, leg, canary_evidence, now);
}

static void report_answer(sim_run_state *run, sim_slot *slot, uint32_t leg, const rgn_response *response, int64_t now)
{
    const rgn_router *router = run->fleet.client[slot->client].router;
    const rgn_evidence evidence = (rgn_evidence)rgn_classify(response).evidence;
    report_leg(run, slot, leg, (uint8_t)evidence, (uint8_t)rgn_op_judge_canary(router, &slot->op, evidence), now);
}

static uint8_t lost_race_evidence(const sim_run_state *run)
{
    return run->input->router_options->values.failback_lost_race == RGN_LOST_RACE_NEUTRAL ? RGN_EVIDENCE_NEUTRAL
                                                                                          : RGN_EVIDENCE_FAILURE;
}

/* The core has given up a canary whose leg has not ended: its hedge won, or the deadline passed. */
static void report_lost_canary(sim_run_state *run, sim_slot *slot, uint8_t evidence, int64_t now)
{
    if ((slot->flags & SIM_SLOT_CANARY_LEG) != 0 && !rgn_op_has_canary(&slot->op))
        report_canary(run, slot, 0, evidence, now);
}

static void enter_core(sim_run_state *run, sim_slot *slot)
{
    run->fleet.retry_ordinal = slot->luck_key;
    run->fleet.retry_draws = &slot->retry_draws;
}

bool sim_run_end_leg_otherwise(sim_run_state *run, sim_slot *slot, uint32_t leg, const rgn_response *response,
                               int64_t now)
{
    if (response->status != 200 || (slot->flags & SIM_SLOT_CANARY_LEG) != 0)
        report_answer(run, slot, leg, response, now);
    if (run->connection != NULL && response->transport == RGN_TRANSPORT_NONE)
        run->connection[(size_t)slot->client * run->scenario->region_count + slot->leg_region[leg]] = now;
    if (run->reads_account && response->status != 200)
        sim_run_mark_dirty(run, slot->client); /* it may want to read the account */
    enter_core(run, slot);
    const rgn_step step = rgn_op_on_leg(run->fleet.client[slot->client].router, &slot->op, leg, response, now);
    if ((slot->flags & SIM_SLOT_CANARY_LEG) != 0)
        report_lost_canary(run, slot, lost_race_evidence(run), now);
    return sim_run_follow(run, slot, step, now);
}

bool sim_run_ring(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const uint8_t open_before = slot->op.open_legs;
    enter_core(run, slot);
    const rgn_step step = rgn_op_on_timer(run->fleet.client[slot->client].router, &slot->op, now);
    const unsigned cut = open_before & slot->op.cancel_legs;
    for (uint32_t leg = 0; leg < RGN_LEGS_MAX; leg++)
        if (cut >> leg & 1)
            report_leg(run, slot, leg, RGN_EVIDENCE_TIMEOUT, RGN_EVIDENCE_TIMEOUT, now);
    report_lost_canary(run, slot, RGN_EVIDENCE_TIMEOUT, now);
    return sim_run_follow(run, slot, step, now);
}

bool sim_run_abandon(sim_run_state *run, sim_slot *slot, int64_t now)
{
    if (slot->flags & SIM_SLOT_CANARY_LEG)
        report_canary(run, slot, 0, RGN_EVIDENCE_NEUTRAL, now);
    enter_core(run, slot);
    return sim_run_follow(run, slot, rgn_op_abandon(run->fleet.client[slot->client].router, &slot->op, now), now);
}
