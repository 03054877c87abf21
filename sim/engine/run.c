/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/callers.h"
#include "engine/control.h"
#include "engine/stations.h"

#include <string.h>

void sim_run_flush(sim_run_state *run)
{
    const size_t count = (size_t)(run->batch_next - run->batch);
    if (count == 0)
        return;
    run->output->operations += count;
    run->output->end = run->batch[count - 1].end;
    if (run->input->observer != NULL)
        run->input->observer->ended(run->input->observer->context, run->batch, count);
    run->batch_next = run->batch;
}

/* ---- what the routers tell ---- */

/* The router's clock has been set before it tells. Only what comes sooner than the one time in the queue goes there. */
static inline void note_expiry(sim_run_state *run, const sim_client *client)
{
    if (!run->tells_when_due || rgn_router_next_expiry(client->router) < run->background_time[client->index])
        sim_run_mark_dirty(run, client->index);
}

static inline void note_transition(sim_run_state *run, const sim_client *client, const rgn_transition *transition)
{
    if (transition->at != run->now)
        sim_run_break(run, "a transition does not carry the time of its event");
    const sim_record_words record = {{(uint64_t)transition->at,
                                      (uint64_t)SIM_RECORD_TRANSITION << 56 | (uint64_t)transition->reason << 48 |
                                          (uint64_t)transition->phase_after << 40 |
                                          (uint64_t)transition->tripped_after << 32 |
                                          (uint64_t)transition->current << 8 | transition->region,
                                      sim_pack_ids(client->index, transition->partition),
                                      (uint64_t)transition->canary_total << 32 | transition->canary_success}};
    sim_run_record(run, &record);
    note_expiry(run, client);
    const sim_observer *observer = run->input->observer;
    if (observer != NULL)
        observer->transition(observer->context, client->index, transition);
}

static __attribute__((noinline)) void note_restart(sim_run_state *run, const sim_client *client,
                                                   const rgn_transition *transition)
{
    rgn_transition renamed = *transition;
    renamed.reason = RGN_REASON_CLIENT_RESTART;
    note_transition(run, client, &renamed);
}

static void on_transition(void *context, const rgn_transition *transition)
{
    const sim_client *client = context;
    sim_run_state *run = client->fleet->observer;
    if (__builtin_expect(run->is_restarting, 0))
        note_restart(run, client, transition);
    else
        note_transition(run, client, transition);
}

static void on_endpoint_mark(void *context, rgn_region region, rgn_mark_reason why, rgn_time_ns at)
{
    const sim_client *client = context;
    sim_run_state *run = client->fleet->observer;
    const sim_record_words record = {{(uint64_t)at, (uint64_t)SIM_RECORD_MARK << 56 | (uint64_t)why << 8 | region,
                                      sim_pack_ids(client->index, 0), 0}};
    sim_run_record(run, &record);
    if (run->scenario->probe_interval > 0)
        sim_run_mark_dirty(run, client->index);
    if (run->input->observer == NULL)
        return;
    run->input->observer->endpoint_mark(run->input->observer->context, client->index, region, why, at);
}

/* ---- set-up ---- */

/* Some operation may have more than one hedge: a policy, a workload or a restart says so. */
static bool fans_out(const sim_run_input *input)
{
    const sim_scenario *scenario = input->scenario;
    bool does = input->router_options->values.hedging_max_alternates > 1;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        does |= input->workload_options[w].values.hedging_max_alternates > 1;
    for (uint32_t r = 0; r < scenario->restart_count; r++)
        for (uint32_t i = 0; i < scenario->restart[r].override_count; i++)
            does |= scenario->restart[r].override[i].knob == RGN_KNOB_hedging_max_alternates;
    return does;
}

/* Blocks for the legs of further hedges; none moves. */
static bool reserve_fans(sim_run_state *run, uint32_t capacity)
{
    const uint32_t blocks = (capacity + SIM_FANS_TOGETHER - 1) / SIM_FANS_TOGETHER;
    if (!fans_out(run->input))
        return true;
    sim_fan **fan = realloc(run->fan, blocks * sizeof(sim_fan *));
    if (fan == NULL)
        return false;
    run->fan = fan;
    while (run->fan_blocks < blocks) {
        fan[run->fan_blocks] = calloc(SIM_FANS_TOGETHER, sizeof(sim_fan));
        if (fan[run->fan_blocks] == NULL)
            return false;
        run->fan_blocks++;
    }
    return true;
}

bool sim_run_reserve_slots(sim_run_state *run, uint32_t capacity)
{
    sim_slot *slot = aligned_alloc(64, capacity * sizeof *slot);
    uint32_t *free_slot = realloc(run->free_slot, capacity * sizeof *free_slot);
    uint16_t *story_place = realloc(run->story_place, capacity * sizeof *story_place);
    sim_visits *visits = realloc(run->visits, capacity * sizeof *visits);
    if (free_slot != NULL)
        run->free_slot = free_slot;
    if (story_place != NULL)
        run->story_place = story_place;
    if (visits != NULL)
        run->visits = visits;
    if (slot == NULL || free_slot == NULL || story_place == NULL || visits == NULL || !reserve_fans(run, capacity) ||
        (run->sessions != NULL && !sim_sessions_reserve(run->sessions, capacity)) ||
        (run->stations != NULL && !sim_stations_reserve(run, capacity)) ||
        (run->callers != NULL && !sim_callers_reserve(run, capacity))) {
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
    for (uint32_t r = 0; r < run->scenario->region_count; r++)
        run->load_second[r] = (sim_load_second){.from = (uint64_t)RGN_TIME_NEVER};
    return load->count != NULL;
}

static bool open_throughput(sim_run_state *run)
{
    if (run->scenario->client_budget == 0)
        return true;
    run->throughput = sim_throughput_create(run->scenario);
    return run->throughput != NULL;
}

static bool open_sessions(sim_run_state *run)
{
    if (!run->scenario->replication.is_on)
        return true;
    run->sessions = sim_sessions_create(run->scenario, run->world, &run->input->luck,
                                        fans_out(run->input) ? RGN_LEGS_MAX : SIM_SLOT_LEGS);
    return run->sessions != NULL;
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

static int64_t checkpoint_time(const sim_run_state *run)
{
    if (run->checkpoint == SIM_CHECKPOINTS)
        return RGN_TIME_NEVER;
    return (int64_t)((sim_i128)run->scenario->duration * (run->checkpoint + 1) / SIM_CHECKPOINTS);
}

static sim_beginning beginning(const sim_run_state *run, uint32_t workload, sim_kind kind)
{
    const rgn_direction direction = kind == SIM_KIND_WRITE ? RGN_WRITE : RGN_READ;
    return (sim_beginning){.request = {.direction = (uint8_t)direction,
                                       .timeout = run->scenario->workload[workload].deadline,
                                       .options = &run->input->workload_options[workload].values},
                           .hedge = RGN_HEDGE_NONE,
                           .hedge_region = RGN_REGION_NONE,
                           .first_region = RGN_REGION_NONE,
                           .kind = (uint8_t)kind,
                           .workload = (uint8_t)workload,
                           .plan = sim_fleet_plan_number(workload, direction)};
}

/* Nothing but a transition or a mark makes a router's next expiry come sooner: no promotion when it is due, and no
 * reading of the account that something asks for, moves it and says nothing of it. A restart may bring other options.
 */
static bool tells_when_due(const sim_run_input *input)
{
    const sim_scenario *scenario = input->scenario;
    return input->router_options->values.failback_promote != RGN_PROMOTE_DUE && scenario->restart_count == 0 &&
           scenario->account_change_count == 0;
}

/* What all workloads have in common with their operations. */
static void open_workloads(sim_run_state *run)
{
    for (uint32_t w = 0; w < run->scenario->workload_count; w++) {
        const sim_workload *workload = &run->scenario->workload[w];
        run->gives_up_share[w] = workload->gives_up_share;
        run->starts_rarely |= workload->gives_up_share > 0;
        for (uint8_t kind = 0; kind < SIM_KINDS; kind++) {
            run->beginning[w][kind] = beginning(run, w, (sim_kind)kind);
            run->is_partition_learnt |= workload->is_partition_learnt[kind];
        }
        run->starts_rarely |= workload->form_share[SIM_FORM_FEED] + workload->form_share[SIM_FORM_METADATA] > 0;
        run->has_callers |= workload->arrivals == SIM_ARRIVALS_CLOSED;
    }
    run->has_callers |= run->callers != NULL;
    run->starts_rarely |= run->is_partition_learnt || run->overrides != NULL || run->fan != NULL || run->has_callers;
    run->ends_plain = run->connection == NULL && run->sessions == NULL && !run->is_partition_learnt &&
                      run->stations == NULL && !run->has_callers && run->input->recorder == NULL;
    run->is_plain =
        run->ends_plain && run->world->jitter == NULL && run->throughput == NULL && run->world->write_regions == NULL;
    run->starts_simply = run->is_plain && !run->starts_rarely;
    run->answers_plainly = run->is_plain && !run->reads_account && run->fan == NULL;
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
                           .tells_when_due = tells_when_due(input),
                           .story_bound = input->stories != NULL ? sim_stories_bound(input->stories) : 0,
                           .output = output};
    run->batch_next = run->batch;
    open_luck(run);
    run->background_time = calloc(scenario->client_count, sizeof *run->background_time);
    run->dirty = calloc(SIM_TRANSITIONS_PENDING, sizeof *run->dirty);
    const rgn_sink sink = {
        .on_transition = on_transition, .on_endpoint_mark = on_endpoint_mark, .on_gateway = sim_control_on_gateway};
    if (run->background_time == NULL || run->dirty == NULL || !open_load(run) || !open_connections(run) ||
        !sim_control_open(run) || !open_throughput(run) || !open_sessions(run) || !sim_stations_open(run) ||
        !sim_callers_open(run) || !sim_run_reserve_slots(run, 1024) ||
        !sim_queue_reserve(&run->background, 2 * scenario->client_count + 16))
        return SIM_RUN_NO_MEMORY;
    const sim_fleet_watch watch = {input->on_progress, input->progress_context};
    if (!sim_fleet_init(&run->fleet, scenario, input->world, input->router_options, &input->luck, &sink, &watch))
        return run->fleet.is_stopped ? SIM_RUN_INTERRUPTED : SIM_RUN_NO_MEMORY;
    run->fleet.observer = run;
    for (uint32_t c = 0; c < scenario->client_count; c++)
        run->background_time[c] = RGN_TIME_NEVER;
    for (uint32_t c = 0; run->reads_account && c < scenario->client_count; c++) {
        sim_control_tell_first(run, c, 0);
        sim_run_schedule(run, c, 0);
    }
    if (!sim_run_queue_restarts(run) || !sim_overrides_open(run))
        return SIM_RUN_NO_MEMORY;
    if (!sim_thresholds_open(&output->thresholds, scenario, &input->router_options->values))
        return SIM_RUN_NO_MEMORY;
    run->next_checkpoint = rgn_time_min(checkpoint_time(run), sim_thresholds_next(&output->thresholds, scenario));
    open_workloads(run);
    if (!sim_arrivals_init(&run->arrivals, scenario, &input->luck))
        return SIM_RUN_NO_MEMORY;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        run->arrivals.stream[w].beginning = run->beginning[w];
    return SIM_RUN_OK;
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
    free(run->reading);
    sim_probes_close(run);
    sim_throughput_destroy(run->throughput);
    sim_sessions_destroy(run->sessions);
    sim_stations_close(run);
    sim_callers_close(run);
    sim_overrides_close(run);
    free(run->killed);
    free(run->slot);
    free(run->free_slot);
    for (uint32_t b = 0; b < run->fan_blocks; b++)
        free(run->fan[b]);
    free(run->fan);
    free(run->story_place);
    free(run->visits);
}

void sim_run_record_restart(sim_run_state *run, uint32_t client, int64_t now)
{
    const sim_record_words record = {{(uint64_t)now, (uint64_t)SIM_RECORD_RESTART << 56, sim_pack_ids(client, 0), 0}};
    sim_run_record(run, &record);
}

/* ---- the run as a whole ---- */

void sim_run_store_checkpoints(sim_run_state *run, int64_t now)
{
    sim_thresholds *thresholds = &run->output->thresholds;
    for (; run->checkpoint < SIM_CHECKPOINTS && now >= checkpoint_time(run); run->checkpoint++)
        run->output->checkpoint[run->checkpoint] = run->output->behaviour;
    while (thresholds->taken < thresholds->rows && now >= sim_thresholds_next(thresholds, run->scenario))
        sim_thresholds_take(thresholds, &run->fleet);
    run->next_checkpoint = rgn_time_min(checkpoint_time(run), sim_thresholds_next(thresholds, run->scenario));
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
        status = input->mode == SIM_MODE_REFERENCE ? sim_loop_reference(run)
                 : run->stations != NULL           ? sim_loop_stations(run)
                                                   : sim_loop_fast(run);
    sim_run_store_checkpoints(run, RGN_TIME_NEVER);
    sim_run_flush(run);
    if (status == SIM_RUN_OK && run->stations != NULL)
        sim_stations_finish(run);
    if (status == SIM_RUN_OK)
        sim_run_check_sums(run);
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
    free(output->thresholds.row);
    free(output->thresholds.scratch);
    free(output->stations.start);
    free(output->stations.row);
    output->load.count = NULL;
    output->thresholds = (sim_thresholds){0};
    output->stations = (sim_station_load){0};
}
