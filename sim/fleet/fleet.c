/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENTS_A_LOOK = 256, COUNTS_TOGETHER = 8 };

/* Times a (client, partition) has drawn, by purpose; jitter and sampler phase count apart. */
typedef struct {
    uint32_t jitter;
    uint32_t sampler_phase;
} draw_count;

/* Those of neighbours in one client: a cache line, made when the first of them draws. */
struct sim_draw_counts {
    draw_count of[COUNTS_TOGETHER];
};

static size_t counts_of_client(const sim_scenario *scenario)
{
    return ((size_t)scenario->partition_count + COUNTS_TOGETHER - 1) / COUNTS_TOGETHER;
}

/* A block of counts, all 0. False (and the run is void) if there is no memory for it. */
static __attribute__((noinline)) bool add_counts(sim_fleet *fleet, uint32_t *number)
{
    if (fleet->draws_used == fleet->draws_capacity) {
        const uint32_t capacity = fleet->draws_capacity == 0 ? 64 : fleet->draws_capacity * 2;
        struct sim_draw_counts *draws = aligned_alloc(64, capacity * sizeof *draws);
        if (draws == NULL) {
            fleet->out_of_memory = true;
            return false;
        }
        if (fleet->draws_used > 0)
            memcpy(draws, fleet->draws, fleet->draws_used * sizeof *draws);
        free(fleet->draws);
        fleet->draws = draws;
        fleet->draws_capacity = capacity;
    }
    fleet->draws[fleet->draws_used++] = (struct sim_draw_counts){0};
    *number = fleet->draws_used;
    return true;
}

/* The counts of that pair; NULL (and the run is void) if there is no memory for them. */
static inline draw_count *count_of(sim_fleet *fleet, uint32_t client, uint32_t partition)
{
    uint32_t *number = &fleet->draws_number[client * counts_of_client(fleet->scenario) + partition / COUNTS_TOGETHER];
    if (__builtin_expect(*number == 0, 0) && !add_counts(fleet, number))
        return NULL;
    return &fleet->draws[*number - 1].of[partition % COUNTS_TOGETHER];
}

static uint64_t draw_for_partition(const sim_client *client, sim_draw purpose, uint32_t partition, uint32_t *nth,
                                   uint64_t bound)
{
    const sim_fleet *fleet = client->fleet;
    const uint64_t counter = sim_mix64(fleet->partition_key[partition]) + (*nth)++ * UINT64_C(0x9e3779b97f4a7c15);
    return sim_below(sim_draw_words(&fleet->luck, purpose, client->key, counter).word[0], bound);
}

static uint64_t answer_draw(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    const sim_client *client = context;
    sim_fleet *fleet = client->fleet;
    if (purpose == RGN_DRAW_RETRY_JITTER) {
        const uint64_t nth = (*fleet->retry_draws)++;
        return sim_below(sim_draw_words(&fleet->luck, SIM_DRAW_RETRY_JITTER, fleet->retry_ordinal, nth).word[0], bound);
    }
    draw_count *count = count_of(fleet, client->index, subject);
    if (count == NULL)
        return 0;
    return purpose == RGN_DRAW_JITTER
               ? draw_for_partition(client, SIM_DRAW_JITTER, subject, &count->jitter, bound)
               : draw_for_partition(client, SIM_DRAW_SAMPLER_PHASE, subject, &count->sampler_phase, bound);
}

static void *allocate(void *context, size_t size)
{
    sim_fleet *fleet = context;
    void *memory = calloc(1, size);
    if (memory != NULL)
        fleet->router_bytes += size;
    return memory;
}

static void release(void *context, void *memory, size_t size)
{
    sim_fleet *fleet = context;
    if (memory != NULL)
        fleet->router_bytes -= size;
    free(memory);
}

/* The kill switch is the override of the breaker's own variable. */
static rgn_switch breaker_switch(const rgn_effective_options *options)
{
    if (options->origin[RGN_KNOB_breaker_enabled] != RGN_LAYER_OVERRIDE)
        return RGN_SWITCH_UNSET;
    return options->values.breaker_enabled != 0 ? RGN_SWITCH_ON : RGN_SWITCH_OFF;
}

/* Clients started at drawn times, so that their sweeps do not beat together; all carry traffic from t = 0. */
static rgn_time_ns drawn_start(const sim_fleet *fleet, const sim_client *client)
{
    const int64_t spread = fleet->scenario->start_spread;
    if (spread == 0)
        return 0;
    const sim_words words = sim_draw_words(&fleet->luck, SIM_DRAW_CLIENT_PHASE, client->key, 0);
    return -(int64_t)sim_below(words.word[0], (uint64_t)spread);
}

static rgn_router *create_router(sim_fleet *fleet, sim_client *client, const rgn_account *account,
                                 rgn_time_ns start)
{
    const sim_client_group *group = &fleet->scenario->group[client->group];
    const rgn_effective_options *options = client->options != NULL ? client->options : fleet->options;
    rgn_router_config config = {
        .partition_count = fleet->scenario->partition_count,
        .account = account,
        .preferred = group->preferred,
        .excluded = group->excluded,
        .options = options->values,
        .breaker_switch = breaker_switch(options),
        .probe_interval = fleet->scenario->probe_interval,
        .reads_account = fleet->scenario->account_change_count > 0,
        .start = start,
        .lock_stripes = 1,
        .is_unshared = true, /* a run is one thread's */
        .allocator = {allocate, release, fleet},
        .random = {answer_draw, client},
        .sink = fleet->sink,
    };
    config.sink.context = client;
    return rgn_router_create(&config, NULL);
}

static bool key_partitions(sim_fleet *fleet)
{
    const sim_scenario *scenario = fleet->scenario;
    fleet->partition_key = calloc(scenario->partition_count, sizeof *fleet->partition_key);
    if (fleet->partition_key == NULL)
        return false;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const sim_workload *workload = &scenario->workload[w];
        for (uint32_t p = 0; p < workload->partition_count; p++)
            fleet->partition_key[workload->first_partition + p] = workload->name_hash + p;
    }
    return true;
}

static size_t plans_of_client(const sim_scenario *scenario)
{
    return (size_t)scenario->workload_count * RGN_DIRECTIONS;
}

bool sim_fleet_init(sim_fleet *fleet, const sim_scenario *scenario, const sim_world *world,
                    const rgn_effective_options *options, const sim_luck *luck, const rgn_sink *sink,
                    const sim_fleet_watch *watch)
{
    bool is_stopped = false;
    *fleet = (sim_fleet){.scenario = scenario, .world = world, .options = options, .sink = *sink, .luck = *luck};
    const rgn_account *account = sim_world_account_at(world, 0);
    fleet->client = calloc(scenario->client_count, sizeof *fleet->client);
    fleet->plan = calloc(scenario->client_count * plans_of_client(scenario), sizeof *fleet->plan);
    fleet->draws_number = calloc(scenario->client_count * counts_of_client(scenario) + 1, sizeof *fleet->draws_number);
    if (fleet->client == NULL || fleet->plan == NULL || fleet->draws_number == NULL || !key_partitions(fleet))
        goto fail;
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        const sim_client_group *group = &scenario->group[g];
        for (uint32_t i = 0; i < group->count; i++) {
            const uint32_t index = group->first_client + i;
            sim_client *client = &fleet->client[index];
            is_stopped = index % CLIENTS_A_LOOK == 0 && watch->go_on != NULL && !watch->go_on(watch->context, 0);
            if (is_stopped)
                goto fail;
            *client = (sim_client){.plan = fleet->plan + index * plans_of_client(scenario),
                                   .round_trip = sim_world_round_trips(world, group->home),
                                   .key = group->name_hash + i,
                                   .fleet = fleet,
                                   .index = index,
                                   .group = g,
                                   .first_region = sim_first_region(group)};
            fleet->count = index + 1;
            client->router = create_router(fleet, client, account, drawn_start(fleet, client));
            if (client->router == NULL)
                goto fail;
        }
    }
    return true;
fail:
    sim_fleet_deinit(fleet);
    fleet->is_stopped = is_stopped;
    return false;
}

void sim_fleet_deinit(sim_fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->count; i++)
        if (fleet->client[i].router != NULL)
            rgn_router_destroy(fleet->client[i].router);
    free(fleet->client);
    free(fleet->plan);
    free(fleet->partition_key);
    free(fleet->draws);
    free(fleet->draws_number);
    *fleet = (sim_fleet){0};
}

void sim_fleet_restart(sim_fleet *fleet, uint32_t index, rgn_time_ns now)
{
    sim_client *client = &fleet->client[index];
    rgn_router *router = create_router(fleet, client, sim_world_account_at(fleet->world, now), now);
    if (router == NULL) {
        fleet->out_of_memory = true;
        return;
    }
    rgn_router_destroy(client->router);
    client->router = router;
    memset(client->plan, 0, plans_of_client(fleet->scenario) * sizeof *client->plan);
}
