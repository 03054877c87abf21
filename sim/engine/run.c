/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/run.h"

#include <string.h>

/* Semantic records of the behaviour digest; final numbers. */
enum {
    RECORD_SEND = 1,
    RECORD_LEG_FAILED = 2,
    RECORD_DONE = 3,
    RECORD_TRANSITION = 4,
    RECORD_MARK = 5,
    RECORD_RESTART = 6
};

static uint64_t pack_ids(uint32_t client, uint32_t partition)
{
    return (uint64_t)client << 32 | partition;
}

static void break_invariant(sim_run_state *run, const char *what)
{
    if (run->broken == NULL)
        run->broken = what;
}

void sim_run_flush(sim_run_state *run)
{
    if (run->batch_count > 0 && run->input->observer != NULL)
        run->input->observer->ended(run->input->observer->context, run->batch, run->batch_count);
    run->batch_count = 0;
}

/* ---- what the routers tell ---- */

static void on_transition(void *context, const rgn_transition *transition)
{
    const sim_client *client = context;
    sim_run_state *run = client->fleet->observer;
    rgn_transition renamed;
    if (__builtin_expect(run->is_restarting, 0)) {
        renamed = *transition;
        renamed.reason = RGN_REASON_CLIENT_RESTART;
        transition = &renamed;
    }
    if (transition->at != run->now)
        break_invariant(run, "a transition does not carry the time of its event");
    sim_digest_add(&run->output->behaviour, (uint64_t)transition->at,
                   (uint64_t)RECORD_TRANSITION << 56 | (uint64_t)transition->reason << 48 |
                       (uint64_t)transition->phase_after << 40 | (uint64_t)transition->tripped_after << 32 |
                       (uint64_t)transition->current << 8 | transition->region,
                   pack_ids(client->index, transition->partition),
                   (uint64_t)transition->canary_total << 32 | transition->canary_success);
    run->dirty[run->dirty_count++ % SIM_TRANSITIONS_PENDING] = client->index;
    if (run->input->observer == NULL)
        return;
    sim_run_flush(run);
    run->input->observer->transition(run->input->observer->context, client->index, transition);
}

static void on_endpoint_mark(void *context, rgn_region region, rgn_mark_reason why, rgn_time_ns at)
{
    const sim_client *client = context;
    sim_run_state *run = client->fleet->observer;
    sim_digest_add(&run->output->behaviour, (uint64_t)at, (uint64_t)RECORD_MARK << 56 | (uint64_t)why << 8 | region,
                   pack_ids(client->index, 0), 0);
    if (run->input->observer == NULL)
        return;
    sim_run_flush(run);
    run->input->observer->endpoint_mark(run->input->observer->context, client->index, region, why, at);
}

/* ---- set-up ---- */

static bool reserve_slots(sim_run_state *run, uint32_t capacity)
{
    sim_slot *slot = aligned_alloc(64, capacity * sizeof *slot);
    uint32_t *free_slot = realloc(run->free_slot, capacity * sizeof *free_slot);
    if (free_slot != NULL)
        run->free_slot = free_slot;
    if (slot == NULL || free_slot == NULL) {
        free(slot);
        return false;
    }
    if (run->slot_count > 0)
        memcpy(slot, run->slot, run->slot_count * sizeof *slot);
    free(run->slot);
    run->slot = slot;
    run->slot_capacity = capacity;
    return true;
}

static bool open_load(sim_run_state *run)
{
    sim_region_load *load = &run->output->load;
    load->seconds = (uint32_t)(run->scenario->duration / RGN_NS_PER_S) + 1;
    load->count = calloc((size_t)load->seconds * run->scenario->region_count, sizeof *load->count);
    return load->count != NULL;
}

/* Nobody has a connection yet. */
static bool open_connections(sim_run_state *run)
{
    if (!sim_world_needs_connections(run->input->world))
        return true;
    const size_t count = (size_t)run->scenario->client_count * run->scenario->region_count;
    run->connection = malloc(count * sizeof *run->connection);
    for (size_t i = 0; run->connection != NULL && i < count; i++)
        run->connection[i] = RGN_TIME_NEVER;
    return run->connection != NULL;
}

static void open_luck(sim_run_state *run)
{
    sim_digest *luck = &run->output->luck;
    *luck = sim_digest_start();
    sim_digest_add(luck, SIM_DRAW_VERSION, sim_world_tables_hash(run->input->world),
                   sim_world_run_scope_hash(run->world), (uint64_t)run->scenario->duration);
}

sim_run_status sim_run_open(sim_run_state *run, const sim_run_input *input, sim_run_output *output)
{
    const sim_scenario *scenario = input->scenario;
    *output = (sim_run_output){.behaviour = sim_digest_start()};
    *run = (sim_run_state){.input = input,
                           .scenario = scenario,
                           .world = input->world_run,
                           .probe_all = input->router_options->values.failback_strategy == RGN_STRATEGY_PROBE &&
                                        input->router_options->values.failback_probe_admission == RGN_PROBE_ALL,
                           .output = output};
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        run->workload_options[w] = &input->workload_options[w].values;
        run->workload_deadline[w] = scenario->workload[w].deadline;
        run->gives_up_share[w] = scenario->workload[w].gives_up_share;
    }
    open_luck(run);
    run->background_time = calloc(scenario->client_count, sizeof *run->background_time);
    run->dirty = calloc(SIM_TRANSITIONS_PENDING, sizeof *run->dirty);
    const rgn_sink sink = {.on_transition = on_transition, .on_endpoint_mark = on_endpoint_mark};
    if (run->background_time == NULL || run->dirty == NULL || !open_load(run) || !open_connections(run) ||
        !reserve_slots(run, 1024) || !sim_queue_reserve(&run->background, 2 * scenario->client_count + 16))
        return SIM_RUN_NO_MEMORY;
    const sim_fleet_watch watch = {input->on_progress, input->progress_context};
    if (!sim_fleet_init(&run->fleet, scenario, input->world, &input->router_options->values, &input->luck, &sink,
                        &watch))
        return run->fleet.is_stopped ? SIM_RUN_INTERRUPTED : SIM_RUN_NO_MEMORY;
    run->fleet.observer = run;
    for (uint32_t c = 0; c < scenario->client_count; c++)
        run->background_time[c] = RGN_TIME_NEVER;
    if (!sim_run_queue_restarts(run))
        return SIM_RUN_NO_MEMORY;
    run->next_checkpoint = scenario->duration / SIM_CHECKPOINTS;
    return sim_arrivals_init(&run->arrivals, scenario, &input->luck) ? SIM_RUN_OK : SIM_RUN_NO_MEMORY;
}

void sim_run_collect_counters(sim_run_state *run, uint32_t client)
{
    const rgn_router_counters counters = rgn_router_get_counters(run->fleet.client[client].router);
    run->output->late_successes += counters.late_successes;
    run->output->late_failures += counters.late_failures;
    run->output->failed_allocations += counters.failed_allocations;
}

static void collect_counters(sim_run_state *run)
{
    for (uint32_t c = 0; c < run->fleet.count; c++)
        if (run->fleet.client[c].router != NULL)
            sim_run_collect_counters(run, c);
    run->output->router_bytes = run->fleet.router_bytes;
}

void sim_run_close(sim_run_state *run)
{
    collect_counters(run);
    sim_fleet_deinit(&run->fleet);
    sim_arrivals_deinit(&run->arrivals);
    sim_queue_deinit(&run->background);
    free(run->background_time);
    free(run->dirty);
    free(run->connection);
    free(run->killed);
    free(run->slot);
    free(run->free_slot);
}

/* ---- slots ---- */

uint32_t sim_run_take_slot(sim_run_state *run)
{
    uint32_t index;
    if (run->free_count > 0) {
        index = run->free_slot[--run->free_count];
    } else {
        if (run->slot_count == run->slot_capacity &&
            (run->slot_capacity >= SIM_PENDING_MAX || !reserve_slots(run, run->slot_capacity * 2)))
            return SIM_PENDING_MAX;
        index = run->slot_count++;
    }
    const uint32_t pending = run->slot_count - run->free_count - run->zombie_count;
    if (__builtin_expect(pending > run->output->peak_pending, 0))
        run->output->peak_pending = pending;
    return index;
}

void sim_run_release_slot(sim_run_state *run, uint32_t index)
{
    run->free_slot[run->free_count++] = index;
}

/* ---- one operation ---- */

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

static void count_arrival(sim_run_state *run, rgn_region region, int64_t arrival)
{
    const sim_region_load *load = &run->output->load;
    const uint64_t second = (uint64_t)arrival / (uint64_t)RGN_NS_PER_S;
    if (__builtin_expect(second < load->seconds, 1))
        load->count[region * (uint64_t)load->seconds + second]++;
}

static bool has_connection(const sim_run_state *run, uint32_t client, rgn_region region, int64_t now)
{
    const int64_t last = run->connection[(size_t)client * run->scenario->region_count + region];
    return last != RGN_TIME_NEVER && now - last <= run->scenario->connection_idle;
}

/* Carries out RGN_SEND: the leg's fate is settled now, because faults are functions of time. */
static void send_leg(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const rgn_op *op = &slot->op;
    const rgn_region region = op->region;
    const uint32_t leg = op->leg;
    if (__builtin_expect(rgn_region_in(op->excluded, region) && op->reason != RGN_REASON_ROUTE_FALLBACK &&
                             op->reason != RGN_REASON_ROUTE_FAILOVER,
                         0))
        break_invariant(run, "a leg was sent to an excluded region without the reason `fallback` or "
                             "`failover_override`");
    slot->legs++;
    run->output->legs++;
    const uint32_t visit = count_visit(slot, region);
    const uint64_t place = (uint64_t)run->scenario->region[region] << 32 | visit;
    const sim_words luck = sim_draw_words(&run->input->luck, SIM_DRAW_LEG, slot->luck_key, place);
    int64_t round_trip = run->fleet.client[slot->client].round_trip[region];
    if (run->world->jitter != NULL)
        round_trip = sim_world_jittered(
            run->world->jitter, round_trip,
            sim_draw_words(&run->input->luck, SIM_DRAW_NETWORK_JITTER, slot->luck_key, place).word[0]);
    const sim_attempt attempt = {.region = region,
                                 .kind = slot->kind,
                                 .has_connection =
                                     run->connection != NULL && has_connection(run, slot->client, region, now),
                                 .client = slot->client,
                                 .partition = slot->partition};
    const sim_fate fate = sim_world_fate(run->world, round_trip, &attempt, now, luck);
    slot->leg_end[leg] = fate.end;
    slot->leg_status[leg] = fate.status;
    slot->leg_substatus[leg] = fate.substatus;
    slot->leg_transport[leg] = fate.transport;
    slot->leg_region[leg] = region;
    slot->leg_sent[leg] = now;
    if (op->send_flags & RGN_SEND_CANARY)
        slot->flags |= SIM_SLOT_CANARY_LEG;
    if (__builtin_expect(op->reason == RGN_REASON_ROUTE_HEDGE, 0))
        slot->hedges++;
    count_arrival(run, region, now + round_trip / 2);
    sim_digest_add(&run->output->behaviour, (uint64_t)now,
                   (uint64_t)RECORD_SEND << 56 | (uint64_t)op->reason << 48 | (uint64_t)op->send_flags << 16 |
                       (uint64_t)leg << 8 | region,
                   slot->ordinal, pack_ids(slot->client, slot->partition));
}

/* The hedge was launched, and this is how the race ended. */
static bool is_end_of_race(rgn_hedge hedge)
{
    return hedge >= RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE && hedge <= RGN_HEDGE_CANCELLED_AWAITING_PARTNER;
}

/* The operation's race for the observer. Every hedge that was launched must have come to an end, and none other. */
static void report_race(sim_run_state *run, const sim_slot *slot, sim_ended *ended)
{
    const rgn_hedge hedge = rgn_op_hedge(&slot->op);
    const unsigned cut = slot->op.cancel_legs;
    ended->hedge = (uint8_t)hedge;
    ended->hedge_region = RGN_REGION_NONE;
    if (is_end_of_race(hedge)
            ? slot->hedges == 0
            : slot->hedges != 0 && hedge != RGN_HEDGE_LAUNCHED && slot->op.options->hedging_races_per_operation == 1)
        break_invariant(run, "a hedge was launched without an end, or ended without having been launched");
    if (slot->hedges == 0)
        return;
    ended->hedges = slot->hedges < UINT8_MAX ? (uint8_t)slot->hedges : UINT8_MAX;
    ended->hedge_region = slot->leg_region[1];
    if (is_end_of_race(hedge))
        ended->hedge_cancelled = (uint8_t)((cut & 1) + (cut >> 1));
}

static void report_ended(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const rgn_op *op = &slot->op;
    const rgn_result *result = &op->result;
    run->output->operations++;
    run->output->end = now;
    sim_digest_add(&run->output->behaviour, (uint64_t)now,
                   (uint64_t)RECORD_DONE << 56 | (uint64_t)result->reason << 48 | (uint64_t)result->region << 40 |
                       (uint64_t)result->substatus << 16 | result->status,
                   slot->ordinal, (uint64_t)slot->legs << 32 | slot->kind);
    if (run->batch_count == SIM_ENDED_BATCH)
        sim_run_flush(run);
    const bool has_failed_canary = (slot->flags & SIM_SLOT_CANARY_FAILED) != 0;
    unsigned flags = slot->flags & ~(unsigned)(SIM_SLOT_CANARY_LEG | SIM_SLOT_CANARY_FAILED);
    flags |= result->is_success ? SIM_ENDED_SUCCESS : 0;
    flags |= result->is_error ? SIM_ENDED_ERROR : 0;
    flags |= result->reason == RGN_REASON_DONE_ABANDONED ? SIM_ENDED_ABANDONED : 0;
    run->batch[run->batch_count++] = (sim_ended){
        .start = slot->start,
        .end = now,
        .canary_retry =
            has_failed_canary && op->canary_failed_at != RGN_TIME_NEVER ? op->canary_failed_at - slot->start : -1,
        .ordinal = slot->ordinal,
        .client = slot->client,
        .partition = slot->partition,
        .status = result->status,
        .substatus = result->substatus,
        .legs = (uint16_t)slot->legs,
        .reason = result->reason,
        .kind = slot->kind,
        .workload = slot->workload,
        .first_region = slot->first_region,
        .last_region = result->region,
        .flags = (uint8_t)flags,
    };
    report_race(run, slot, &run->batch[run->batch_count - 1]);
}

/* Legs that the core gave up no longer end. */
static void cancel_legs(sim_slot *slot)
{
    for (uint32_t leg = 0; leg < RGN_LEGS_MAX; leg++)
        if (slot->op.cancel_legs >> leg & 1)
            slot->leg_end[leg] = RGN_TIME_NEVER;
}

/* Carries out the core's answer. */
static inline bool follow(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    if (__builtin_expect(slot->op.cancel_legs != 0, 0))
        cancel_legs(slot);
    if (step == RGN_DONE) {
        report_ended(run, slot, now);
        return false;
    }
    if (step == RGN_SEND)
        send_leg(run, slot, now);
    return true;
}

/* When the operation's application gives up. Drawn apart from all else: more who give up are the same and others. */
static int64_t draw_abandon(const sim_run_state *run, const sim_slot *slot)
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

bool sim_run_start(sim_run_state *run, sim_slot *slot)
{
    const sim_arrival *arrival = sim_arrivals_peek(&run->arrivals);
    const int64_t now = arrival->time;
    const uint8_t workload = arrival->workload;
    const rgn_request request = {.partition = arrival->partition,
                                 .direction = arrival->kind == SIM_KIND_WRITE ? RGN_WRITE : RGN_READ,
                                 .hash = arrival->chance,
                                 .timeout = run->workload_deadline[workload],
                                 .options = run->workload_options[workload]};
    slot->start = now;
    slot->leg_end[0] = slot->leg_end[1] = RGN_TIME_NEVER;
    slot->ordinal = (uint64_t)workload << 30 | arrival->n;
    slot->luck_key = arrival->luck_key;
    slot->client = arrival->client;
    slot->partition = arrival->partition;
    slot->kind = arrival->kind;
    slot->workload = workload;
    slot->legs = 0;
    slot->hedges = 0;
    slot->retry_draws = 0;
    slot->flags = 0;
    slot->abandon_at = RGN_TIME_NEVER;
    if (__builtin_expect(run->gives_up_share[workload] != 0, 0))
        slot->abandon_at = draw_abandon(run, slot);
    sim_digest_add(&run->output->luck, (uint64_t)now, arrival->luck_key, pack_ids(slot->client, slot->partition),
                   arrival->kind);
    sim_arrivals_take(&run->arrivals);
    const rgn_step step = rgn_op_start(run->fleet.client[slot->client].router, &slot->op, &request, now);
    slot->first_region = step == RGN_SEND ? slot->op.region : RGN_REGION_NONE;
    if (__builtin_expect(step == RGN_SEND && slot->op.reason != RGN_REASON_ROUTE_PREFERRED, 0))
        slot->flags = start_flags(run, slot);
    return follow(run, slot, step, now);
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
                   (uint64_t)RECORD_LEG_FAILED << 56 | (uint64_t)evidence << 48 |
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

bool sim_run_end_leg(sim_run_state *run, sim_slot *slot, uint32_t leg, int64_t now)
{
    const rgn_response response = {.status = slot->leg_status[leg],
                                   .substatus = slot->leg_substatus[leg],
                                   .transport = slot->leg_transport[leg],
                                   .retry_after = RGN_TIME_NEVER};
    slot->leg_end[leg] = RGN_TIME_NEVER;
    if (__builtin_expect(response.status != 200 || (slot->flags & SIM_SLOT_CANARY_LEG) != 0, 0))
        report_answer(run, slot, leg, &response, now);
    if (__builtin_expect(run->connection != NULL, 0) && response.transport == RGN_TRANSPORT_NONE)
        run->connection[(size_t)slot->client * run->scenario->region_count + slot->leg_region[leg]] = now;
    enter_core(run, slot);
    const rgn_step step = rgn_op_on_leg(run->fleet.client[slot->client].router, &slot->op, leg, &response, now);
    if (__builtin_expect((slot->flags & SIM_SLOT_CANARY_LEG) != 0, 0))
        report_lost_canary(run, slot, lost_race_evidence(run), now);
    return follow(run, slot, step, now);
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
    return follow(run, slot, step, now);
}

bool sim_run_abandon(sim_run_state *run, sim_slot *slot, int64_t now)
{
    if (slot->flags & SIM_SLOT_CANARY_LEG)
        report_canary(run, slot, 0, RGN_EVIDENCE_NEUTRAL, now);
    enter_core(run, slot);
    return follow(run, slot, rgn_op_abandon(run->fleet.client[slot->client].router, &slot->op, now), now);
}

void sim_run_record_restart(sim_run_state *run, uint32_t client, int64_t now)
{
    sim_digest_add(&run->output->behaviour, (uint64_t)now, (uint64_t)RECORD_RESTART << 56, pack_ids(client, 0), 0);
}

/* ---- the run as a whole ---- */

void sim_run_store_checkpoints(sim_run_state *run, int64_t now)
{
    while (run->checkpoint < SIM_CHECKPOINTS && now >= run->next_checkpoint) {
        run->output->checkpoint[run->checkpoint++] = run->output->behaviour;
        run->next_checkpoint = (int64_t)((__int128)run->scenario->duration * (run->checkpoint + 1) / SIM_CHECKPOINTS);
    }
}

sim_run_status sim_run(const sim_run_input *input, sim_run_output *output, const char **what)
{
    sim_run_state *run = malloc(sizeof *run);
    *what = NULL;
    if (run == NULL) {
        *output = (sim_run_output){0};
        return SIM_RUN_NO_MEMORY;
    }
    sim_run_status status = sim_run_open(run, input, output);
    if (status == SIM_RUN_OK)
        status = input->mode == SIM_MODE_REFERENCE ? sim_loop_reference(run) : sim_loop_fast(run);
    sim_run_store_checkpoints(run, RGN_TIME_NEVER);
    sim_run_flush(run);
    if (run->fleet.out_of_memory)
        status = SIM_RUN_NO_MEMORY;
    if (status == SIM_RUN_OK && run->broken != NULL) {
        status = SIM_RUN_BROKEN;
        *what = run->broken;
    }
    sim_run_close(run);
    free(run);
    return status;
}

void sim_run_output_deinit(sim_run_output *output)
{
    free(output->load.count);
    output->load.count = NULL;
}
