/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to an operation that is not simply sent once and answered; the rest is in operation.h. */
#include "engine/operation.h"
#include "engine/callers.h"
#include "engine/control.h"
#include "engine/stations.h"

/* ---- slots ---- */

void sim_run_note_pending(sim_run_state *run)
{
    const uint32_t pending = run->slot_count - run->free_count - run->zombie_count;
    if (pending > run->output->peak_pending)
        run->output->peak_pending = pending;
    /* Slots of operations that a restart has ended are neither free nor in flight, and may be either later. */
    run->least_free = run->slot_count - (uint32_t)run->output->peak_pending;
}

uint32_t sim_run_new_slot(sim_run_state *run)
{
    if (run->slot_count == run->slot_capacity &&
        (run->slot_capacity >= SIM_PENDING_MAX || !sim_run_reserve_slots(run, run->slot_capacity * 2)))
        return SIM_PENDING_MAX;
    const uint32_t index = run->slot_count++;
    sim_run_note_pending(run);
    return index;
}

/* ---- sending ---- */

void sim_run_count_in_other_second(sim_run_state *run, rgn_region region, int64_t arrival)
{
    const sim_region_load *load = &run->output->load;
    const uint64_t number = (uint64_t)arrival / (uint64_t)RGN_NS_PER_S;
    if (number >= load->seconds)
        return;
    sim_load_second *second = &run->load_second[region];
    second->from = number * (uint64_t)RGN_NS_PER_S;
    second->count = &load->count[region * (uint64_t)load->seconds + number];
    ++*second->count;
}

static void add_one(uint16_t *count)
{
    *count = (uint16_t)(*count + (*count < UINT8_MAX));
}

/* A leg is over. Whether a region did its work: not if it failed, or never heard of it. */
static void count_work(sim_slot *slot, uint8_t evidence)
{
    if (evidence != RGN_EVIDENCE_SUCCESS)
        add_one(&slot->unserved_legs);
}

static inline rgn_response answer_of(const sim_leg *leg)
{
    return (rgn_response){
        .status = leg->status, .substatus = leg->substatus, .transport = leg->transport, .retry_after = RGN_TIME_NEVER};
}

/* Of a leg that is over, or would have been. */
static uint8_t evidence_of(const sim_leg *leg)
{
    const rgn_response answer = answer_of(leg);
    return leg->status == 200 ? RGN_EVIDENCE_SUCCESS : (uint8_t)rgn_evidence_of(&answer);
}

/* The client answers the leg itself: its own budget is spent. */
static __attribute__((noinline)) void throttle_leg(sim_run_state *run, sim_slot *slot, int64_t now)
{
    *sim_run_leg(run, slot, slot->op.leg) = (sim_leg){.end = now,
                                                      .sent = now,
                                                      .status = 429,
                                                      .substatus = RGN_SUBSTATUS_LOCAL_THROTTLE,
                                                      .transport = RGN_TRANSPORT_NONE,
                                                      .region = slot->op.region};
    run->output->legs++;
    const sim_record_words record = sim_run_sent_record(slot, now);
    sim_run_record(run, &record);
}

/* What the region has of the session's writes may change the answer of a leg that was settled. */
static void ask_session(sim_run_state *run, sim_slot *slot, int64_t now, int64_t arrival)
{
    if (run->sessions == NULL)
        return;
    sim_leg *leg = sim_run_leg(run, slot, slot->op.leg);
    const sim_attempt attempt = {
        .region = slot->op.region, .kind = slot->kind, .client = slot->client, .partition = slot->partition};
    if (leg->status == 200 && (slot->flags & SIM_SLOT_METADATA) == 0)
        (void)sim_sessions_serve(run->sessions, (uint32_t)(slot - run->slot), slot->op.leg, &attempt,
                                 (slot->op.send_flags & RGN_SEND_HUB) != 0, now, arrival, &leg->status,
                                 &leg->substatus);
}

/* How often the operation has gone to `region`, this time included; it has been there before. */
static __attribute__((noinline)) uint32_t count_return(sim_run_state *run, sim_slot *slot, rgn_region region)
{
    sim_visits *visits = &run->visits[slot - run->slot];
    if (!slot->has_returned)
        *visits = (sim_visits){{0}};
    slot->has_returned = true;
    if (visits->count[region] == 0)
        visits->count[region] = 1;
    return ++visits->count[region];
}

/* The same of any leg. Its first one, and those that the client answers itself, are not asked about. */
static inline uint32_t count_visit(sim_run_state *run, sim_slot *slot, rgn_region region)
{
    const rgn_region_set here = rgn_region_bit(region);
    if (slot->legs == 1)
        return 1;
    slot->visited |= rgn_region_bit(slot->first_region);
    if ((slot->visited & here) != 0)
        return count_return(run, slot, region);
    slot->visited |= here;
    return 1;
}

/* What faults strike: the operation's partition, or for metadata the number beyond all of them. */
static inline uint32_t struck_partition(const sim_run_state *run, const sim_slot *slot)
{
    return (slot->flags & SIM_SLOT_METADATA) != 0 ? run->scenario->partition_count : slot->partition;
}

static bool has_connection(const sim_run_state *run, uint32_t client, rgn_region region, int64_t now)
{
    const int64_t last = run->connection[(size_t)client * run->scenario->region_count + region];
    return last != RGN_TIME_NEVER && now - last <= run->scenario->connection_idle;
}

/* RTE-7, HDG-33: where a caller's exclusion may be broken. */
static bool may_break_exclusion(const rgn_op *op)
{
    return op->reason == RGN_REASON_ROUTE_FALLBACK || op->reason == RGN_REASON_ROUTE_FAILOVER ||
           (op->reason == RGN_REASON_ROUTE_HEDGE && op->options->hedging_leg_exclusions == RGN_LEG_EXCLUSIONS_REPLACE);
}

static int64_t jittered(const sim_run_state *run, const sim_slot *slot, uint64_t place, int64_t round_trip)
{
    if (run->world->jitter == NULL)
        return round_trip;
    const sim_words words = sim_draw_words(&run->input->luck, SIM_DRAW_NETWORK_JITTER, slot->luck_key, place);
    return sim_world_jittered(run->world->jitter, round_trip, words.word[0]);
}

/* The leg is settled; what is there to ask for besides its luck? */
static void ask_others(sim_run_state *run, sim_slot *slot, uint64_t place, int64_t round_trip, int64_t now)
{
    ask_session(run, slot, now, now + round_trip / 2);
    if (run->world->write_regions != NULL)
        sim_control_settle(run, slot, rgn_time_add(now, round_trip / 2));
    if (run->stations != NULL)
        sim_stations_send(run, slot, place, round_trip, now);
    const sim_record_words record = sim_run_sent_record(slot, now);
    sim_run_tell_record(run, &record);
}

/* A leg is on its way, before its fate is settled. */
static inline void begin_leg(sim_run_state *run, sim_slot *slot)
{
    const rgn_op *op = &slot->op;
    if (rgn_region_in(op->excluded, op->region) && !may_break_exclusion(op))
        sim_run_break(run, "a leg was sent to an excluded region without the reason `fallback` or `failover_override`");
    slot->legs++;
    if (op->send_flags & RGN_SEND_CANARY) {
        slot->flags |= SIM_SLOT_CANARY_LEG;
        sim_run_check_canary(run, slot);
    }
    if (op->reason == RGN_REASON_ROUTE_HEDGE) {
        add_one(&slot->hedges);
        slot->hedge_region = op->region;
    }
}

/* Carries out RGN_SEND. */
static void send_leg(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const rgn_region region = slot->op.region;
    begin_leg(run, slot);
    if ((slot->flags & SIM_SLOT_STORY) != 0)
        sim_run_tell_sent(run, slot, now);
    if (run->throughput != NULL && !sim_throughput_spend(run->throughput, slot->client, (sim_kind)slot->kind, now)) {
        throttle_leg(run, slot, now);
        return;
    }
    const uint64_t place = sim_leg_place(run->scenario->region[region], count_visit(run, slot, region));
    const int64_t round_trip = jittered(run, slot, place, run->fleet.client[slot->client].round_trip[region]);
    sim_run_settle_leg(run, slot, sim_run_leg(run, slot, slot->op.leg), struck_partition(run, slot),
                       sim_draw_words(&run->input->luck, SIM_DRAW_LEG, slot->luck_key, place), round_trip,
                       run->connection != NULL && has_connection(run, slot->client, region, now), now);
    ask_others(run, slot, place, round_trip, now);
}

/* The same where there is nothing to ask for and nobody to tell: run->is_plain, no story. The operation stays open. */
static inline __attribute__((always_inline)) bool send_plainly(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const rgn_region region = slot->op.region;
    begin_leg(run, slot);
    const sim_words luck = sim_run_luck_elsewhere(run, slot, count_visit(run, slot, region));
    sim_run_settle_plainly(run, slot, sim_run_leg(run, slot, slot->op.leg), region, &run->fleet.client[slot->client],
                           luck, now);
    const sim_record_words record = sim_run_sent_record(slot, now);
    sim_run_digest(run, &record);
    return true;
}

/* The same for a first leg; `home` is its luck if it goes to the client's first region. */
static inline bool send_first_plainly(sim_run_state *run, sim_slot *slot, sim_words home, int64_t now)
{
    const sim_client *client = &run->fleet.client[slot->client];
    begin_leg(run, slot);
    const sim_words luck = sim_run_luck_of_first_leg(run, slot, client, home);
    sim_run_settle_plainly(run, slot, &slot->leg[0], slot->op.region, client, luck, now);
    const sim_record_words record = sim_run_sent_record(slot, now);
    sim_run_digest(run, &record);
    return true;
}

sim_words sim_run_draw_leg(sim_run_state *run, const sim_slot *slot, rgn_region region, uint32_t visit)
{
    if (visit == 1 && region != run->fleet.client[slot->client].first_region)
        sim_arrivals_note_miss(&run->arrivals, slot->workload, slot->client, region);
    return sim_draw_words(&run->input->luck, SIM_DRAW_LEG, slot->luck_key,
                          sim_leg_place(run->scenario->region[region], visit));
}

void sim_run_strike_leg(sim_run_state *run, const sim_slot *slot, sim_leg *leg, sim_words luck, int64_t round_trip,
                        int64_t now)
{
    const sim_error *error = sim_world_steady_error(run->world, leg->region, now + round_trip / 2, luck);
    if (SIM_LIKELY(error != NULL)) {
        leg->end = rgn_time_add(now + round_trip, run->world->struck[leg->region].answer_after);
        leg->status = error->status;
        leg->substatus = error->substatus;
        leg->transport = RGN_TRANSPORT_NONE;
        return;
    }
    const sim_attempt attempt = {
        .region = leg->region, .kind = slot->kind, .client = slot->client, .partition = struck_partition(run, slot)};
    const sim_fate fate = sim_world_settle(run->world, round_trip, &attempt, now, luck);
    leg->end = fate.end;
    leg->status = fate.status;
    leg->substatus = fate.substatus;
    leg->transport = fate.transport;
}

static void count_cut_leg(sim_run_state *run, sim_slot *slot, const sim_leg *cut)
{
    count_work(slot, evidence_of(cut));
    run->cut_legs++;
}

void sim_run_count_cut_legs(sim_run_state *run, sim_slot *slot)
{
    for (unsigned left = slot->op.cancel_legs; left != 0; left &= left - 1)
        count_cut_leg(run, slot, sim_run_leg(run, slot, (uint32_t)__builtin_ctz(left)));
}

/* Legs that the core gave up no longer end. */
static void cancel_legs(sim_run_state *run, sim_slot *slot, int64_t now)
{
    for (unsigned left = slot->op.cancel_legs; left != 0; left &= left - 1) {
        const uint32_t leg = (uint32_t)__builtin_ctz(left);
        sim_leg *cut = sim_run_leg(run, slot, leg);
        cut->end = RGN_TIME_NEVER;
        count_cut_leg(run, slot, cut);
        if (run->stations != NULL)
            sim_stations_give_up(run, slot, leg, now);
    }
}

bool sim_run_follow(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    if ((slot->flags & SIM_SLOT_STORY) != 0)
        sim_run_tell_step(run, slot, step, now);
    if (!SIM_LIKELY(run->input->recorder == NULL))
        sim_run_record_step(run, slot, step, now);
    if (slot->op.cancel_legs != 0)
        cancel_legs(run, slot, now);
    if (step == RGN_SEND)
        send_leg(run, slot, now);
    if (step != RGN_DONE)
        return true;
    sim_run_report_told(run, slot, now);
    if (run->has_callers)
        sim_callers_end(run, slot, now);
    return false;
}

/* For most who send sim_run_follow() has nothing to do but to send: nobody listens, and nothing is cut. */
static inline bool sends_plainly(const sim_run_state *run, const sim_slot *slot, rgn_step step)
{
    return step == RGN_SEND && run->is_plain && slot->op.cancel_legs == 0 && (slot->flags & SIM_SLOT_STORY) == 0;
}

/* ---- starting ---- */

bool sim_run_hold_back(sim_run_state *run, const sim_arrival *arrival)
{
    if (!arrival->has_waited && !sim_run_is_closed_loop(run, arrival->workload) && arrival->tries == 0)
        sim_run_digest_luck(run, arrival->time, arrival->luck_key, sim_pack_ids(arrival->client, arrival->partition),
                            arrival->kind);
    return run->callers != NULL && sim_callers_hold_back(run, arrival);
}

/* When the operation's application gives up. Drawn apart from all else: more who give up are the same and others. */
static int64_t draw_abandon(const sim_run_state *run, const sim_slot *slot)
{
    const uint64_t word = sim_draw_words(&run->input->luck, SIM_DRAW_GIVES_UP, slot->luck_key, 0).word[0];
    if (sim_below(word, SIM_SHARE_ONE) >= run->gives_up_share[slot->workload])
        return RGN_TIME_NEVER;
    const int64_t at = rgn_time_add(slot->start, run->scenario->workload[slot->workload].gives_up_after);
    return at > run->now ? at : run->now; /* it may have waited that long for its start */
}

void sim_run_complete_start(sim_run_state *run, sim_slot *slot, rgn_request *request, const sim_arrival *arrival)
{
    run->rare_starts++;
    request->is_feed = arrival->form == SIM_FORM_FEED;
    request->is_container_level = arrival->form == SIM_FORM_METADATA;
    if (run->scenario->workload[arrival->workload].is_partition_learnt[arrival->kind])
        request->partition = RGN_PARTITION_UNKNOWN;
    if (run->overrides != NULL)
        request->options = sim_overrides_of(run, arrival->client, arrival->workload);
    if (run->fan != NULL)
        request->fan = &sim_run_fan(run, slot)->core;
    slot->flags |=
        (uint8_t)((request->is_feed ? SIM_SLOT_FEED : 0) | (request->is_container_level ? SIM_SLOT_METADATA : 0));
    if (arrival->has_waited)
        slot->start = arrival->due;
    if (run->gives_up_share[arrival->workload] != 0)
        slot->abandon_at = draw_abandon(run, slot);
    if (run->callers != NULL)
        sim_callers_start(run, slot, arrival);
}

/* A tripped partition whose alternates are marked or excluded has other reasons than `override`, so that the entry
 * itself has to be asked. */
static __attribute__((noinline)) uint8_t ask_whether_away(const sim_run_state *run, const sim_slot *slot)
{
    rgn_entry entry;
    rgn_router_inspect(run->fleet.client[slot->client].router, slot->partition, &entry);
    return rgn_entry_is_tripped(&entry, (rgn_direction)slot->op.direction) ? SIM_ENDED_AWAY : 0;
}

/* Flags of an operation that is sent. */
static inline uint8_t start_flags(const sim_run_state *run, const sim_slot *slot)
{
    if (slot->op.reason == RGN_REASON_ROUTE_PREFERRED || (slot->flags & SIM_SLOT_METADATA) != 0)
        return 0; /* of metadata: no partition keeps it anywhere */
    if (slot->op.send_flags & RGN_SEND_CANARY)
        return (uint8_t)(SIM_ENDED_CANARY | (run->probe_all ? 0 : SIM_ENDED_AWAY));
    return slot->op.reason == RGN_REASON_ROUTE_OVERRIDE ? SIM_ENDED_AWAY : ask_whether_away(run, slot);
}

static __attribute__((noinline)) bool start_rarely(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    slot->leg[0].end = RGN_TIME_NEVER;
    if (run->sessions != NULL)
        sim_sessions_begin(run->sessions, (uint32_t)(slot - run->slot));
    if (step == RGN_SEND)
        slot->flags |= start_flags(run, slot);
    else
        slot->first_region = RGN_REGION_NONE;
    return sim_run_follow(run, slot, step, now);
}

bool sim_run_start_otherwise(sim_run_state *run, sim_slot *slot, rgn_step step, sim_words home, int64_t now)
{
    if (!SIM_LIKELY(sends_plainly(run, slot, step)))
        return start_rarely(run, slot, step, now);
    slot->flags |= start_flags(run, slot);
    return send_first_plainly(run, slot, home, now);
}

/* ---- reporting ---- */

static inline __attribute__((always_inline)) void report_canary(sim_run_state *run, sim_slot *slot, uint32_t leg,
                                                                uint8_t evidence, int64_t now)
{
    slot->flags &= (uint8_t)~SIM_SLOT_CANARY_LEG;
    if (evidence == RGN_EVIDENCE_FAILURE || evidence == RGN_EVIDENCE_TIMEOUT)
        slot->flags |= SIM_SLOT_CANARY_FAILED;
    if (run->input->observer == NULL)
        return;
    const sim_leg *ended = sim_run_leg(run, slot, leg);
    const sim_canary canary = {.sent = ended->sent,
                               .end = now,
                               .client = slot->client,
                               .partition = slot->partition,
                               .region = ended->region,
                               .kind = slot->kind,
                               .evidence = evidence};
    run->input->observer->canary(run->input->observer->context, &canary);
}

/* A leg did not succeed: it goes into the digest and, if it is evidence of failure, to the observer. */
static inline __attribute__((always_inline)) void report_failed_leg(sim_run_state *run, sim_slot *slot, uint32_t leg,
                                                                    uint8_t evidence, bool is_canary, int64_t now)
{
    const sim_leg *ended = sim_run_leg(run, slot, leg);
    const sim_record_words record = {{(uint64_t)now,
                                      (uint64_t)SIM_RECORD_LEG_FAILED << 56 | (uint64_t)evidence << 48 |
                                          (uint64_t)ended->substatus << 24 | (uint64_t)ended->region << 16 |
                                          ended->status,
                                      slot->ordinal, leg}};
    sim_run_record(run, &record);
    const bool is_metadata = (slot->flags & SIM_SLOT_METADATA) != 0; /* says nothing of a partition */
    if (run->input->observer == NULL || is_metadata ||
        (evidence != RGN_EVIDENCE_FAILURE && evidence != RGN_EVIDENCE_TIMEOUT))
        return;
    const sim_failed_leg failed = {.sent = ended->sent,
                                   .end = now,
                                   .client = slot->client,
                                   .partition = slot->partition,
                                   .region = ended->region,
                                   .kind = slot->kind,
                                   .is_canary = is_canary};
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

static void report_answer(sim_run_state *run, sim_slot *slot, uint32_t leg, uint8_t evidence, int64_t now)
{
    const rgn_router *router = run->fleet.client[slot->client].router;
    const bool is_canary = leg == 0 && (slot->flags & SIM_SLOT_CANARY_LEG) != 0;
    report_leg(run, slot, leg, evidence,
               is_canary ? (uint8_t)rgn_op_judge_canary(router, &slot->op, (rgn_evidence)evidence) : evidence, now);
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

/* What the answer teaches the client, apart from what the core makes of it. */
static void learn_from(sim_run_state *run, sim_slot *slot, uint32_t leg, const rgn_response *response, int64_t now)
{
    if (run->sessions != NULL && (slot->flags & SIM_SLOT_METADATA) == 0)
        sim_sessions_answered(run->sessions, (uint32_t)(slot - run->slot), leg, slot->client, slot->partition,
                              response);
    if (response->transport != RGN_TRANSPORT_NONE)
        return;
    if (run->connection != NULL)
        run->connection[(size_t)slot->client * run->scenario->region_count + sim_run_leg(run, slot, leg)->region] = now;
    if (run->is_partition_learnt)
        rgn_op_learn_partition(run->fleet.client[slot->client].router, &slot->op, slot->partition);
}

static __attribute__((noinline)) bool end_leg_rarely(sim_run_state *run, sim_slot *slot, uint32_t leg, int64_t now)
{
    const sim_leg *ended = sim_run_leg(run, slot, leg);
    rgn_response answer = answer_of(ended);
    run->told_answers++;
    if (answer.substatus == RGN_SUBSTATUS_LOCAL_THROTTLE)
        answer.retry_after = sim_throughput_wait(now);
    else if (run->stations != NULL)
        answer.retry_after = sim_stations_retry_after(run, slot, leg);
    if ((slot->flags & SIM_SLOT_STORY) != 0)
        sim_run_tell_answer(run, slot, leg, &answer, now);
    const uint8_t evidence = evidence_of(ended);
    count_work(slot, evidence);
    if (answer.status != 200 || (slot->flags & SIM_SLOT_CANARY_LEG) != 0)
        report_answer(run, slot, leg, evidence, now);
    if (run->reads_account && answer.status != 200)
        sim_run_mark_dirty(run, slot->client); /* it may want to read the account */
    enter_core(run, slot);
    learn_from(run, slot, leg, &answer, now);
    const rgn_step step = rgn_op_on_leg(run->fleet.client[slot->client].router, &slot->op, leg, &answer, now);
    if ((slot->flags & SIM_SLOT_CANARY_LEG) != 0)
        report_lost_canary(run, slot, lost_race_evidence(run), now);
    run->answer = &answer;
    run->answered_leg = (uint8_t)leg;
    const bool is_open = sim_run_follow(run, slot, step, now);
    run->answer = NULL;
    return is_open;
}

/* An answer of any kind where run->answers_plainly and none but the core, the digest and the observer are told. */
static inline bool end_leg_plainly(sim_run_state *run, sim_slot *slot, uint32_t leg, int64_t now)
{
    const sim_leg *ended = &slot->leg[leg];
    const rgn_response answer = answer_of(ended);
    rgn_router *router = run->fleet.client[slot->client].router;
    const bool is_canary = leg == 0 && (slot->flags & SIM_SLOT_CANARY_LEG) != 0;
    rgn_router_expect(router, slot->partition);
    const uint8_t evidence = evidence_of(ended);
    if (evidence != RGN_EVIDENCE_SUCCESS) {
        add_one(&slot->unserved_legs);
        report_failed_leg(run, slot, leg, evidence, is_canary, now);
    }
    if (is_canary)
        report_canary(run, slot, 0, (uint8_t)rgn_op_judge_canary(router, &slot->op, (rgn_evidence)evidence), now);
    enter_core(run, slot);
    const rgn_step step = rgn_op_on_leg(router, &slot->op, leg, &answer, now);
    if (__builtin_expect((slot->flags & SIM_SLOT_CANARY_LEG) != 0, 0))
        report_lost_canary(run, slot, lost_race_evidence(run), now);
    if (step == RGN_DONE) {
        sim_run_report_answered(run, slot, now);
        return false;
    }
    run->told_answers++;
    return SIM_LIKELY(step == RGN_SEND && slot->op.cancel_legs == 0) ? send_plainly(run, slot, now)
                                                                     : sim_run_follow(run, slot, step, now);
}

bool sim_run_end_leg_otherwise(sim_run_state *run, sim_slot *slot, uint32_t leg, int64_t now)
{
    return SIM_LIKELY(run->answers_plainly && (slot->flags & (SIM_SLOT_STORY | SIM_SLOT_METADATA)) == 0 &&
                      slot->leg[leg].substatus != RGN_SUBSTATUS_LOCAL_THROTTLE)
               ? end_leg_plainly(run, slot, leg, now)
               : end_leg_rarely(run, slot, leg, now);
}

/* The timer did more than send a further leg. */
static __attribute__((noinline)) bool ring_otherwise(sim_run_state *run, sim_slot *slot, rgn_step step,
                                                     unsigned open_before, bool is_timeout, int64_t now)
{
    run->is_timeout = is_timeout;
    for (unsigned cut = open_before & slot->op.cancel_legs; cut != 0; cut &= cut - 1)
        report_leg(run, slot, (uint32_t)__builtin_ctz(cut), RGN_EVIDENCE_TIMEOUT, RGN_EVIDENCE_TIMEOUT, now);
    report_lost_canary(run, slot, RGN_EVIDENCE_TIMEOUT, now);
    const bool is_open = sim_run_follow(run, slot, step, now);
    run->is_timeout = false;
    return is_open;
}

bool sim_run_ring(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const unsigned open_before = slot->op.open_legs;
    const bool is_timeout = slot->op.wake_kind == RGN_WAKE_LEG_TIMEOUT;
    enter_core(run, slot);
    const rgn_step step = rgn_op_on_timer(run->fleet.client[slot->client].router, &slot->op, now);
    if (SIM_LIKELY(sends_plainly(run, slot, step) && (slot->flags & SIM_SLOT_CANARY_LEG) == 0))
        return send_plainly(run, slot, now);
    return ring_otherwise(run, slot, step, open_before, is_timeout, now);
}

bool sim_run_abandon(sim_run_state *run, sim_slot *slot, int64_t now)
{
    if (slot->flags & SIM_SLOT_CANARY_LEG)
        report_canary(run, slot, 0, RGN_EVIDENCE_NEUTRAL, now);
    enter_core(run, slot);
    return sim_run_follow(run, slot, rgn_op_abandon(run->fleet.client[slot->client].router, &slot->op, now), now);
}
