/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections that clients try for no request: to endpoints whose mark has aged, and to the replicas of partitions that
 * wait for one before they recover. They cost a round trip, take nothing from the region and carry no luck of others.
 */
#include "engine/control.h"

/* One connection under way; task.kind 0: its client has been restarted since, or the place is free. */
typedef struct {
    rgn_task task;
    bool opens;
    uint32_t client;
} probe;

struct sim_probes {
    uint32_t count; /* places ever used */
    uint32_t capacity;
    uint32_t free_count;
    probe *place;
    uint32_t *free; /* last in, first out; room for all places */
};

bool sim_probes_open(sim_run_state *run)
{
    const rgn_options *options = &run->input->router_options->values;
    const bool connects = options->failback_promote_on == RGN_PROMOTE_ON_CONNECTION;
    const uint32_t regions = options->breaker_health == RGN_HEALTH_REGION ? run->scenario->region_count : 1;
    run->task_room = 1 + RGN_REGIONS_MAX + (connects ? run->scenario->partition_count * regions : 0);
    run->task = malloc((size_t)run->task_room * sizeof *run->task);
    run->probes = calloc(1, sizeof *run->probes);
    return run->task != NULL && run->probes != NULL;
}

void sim_probes_close(sim_run_state *run)
{
    free(run->task);
    if (run->probes == NULL)
        return;
    free(run->probes->place);
    free(run->probes->free);
    free(run->probes);
}

static bool grow(struct sim_probes *probes)
{
    const uint32_t capacity = probes->capacity == 0 ? 64 : probes->capacity * 2;
    probe *place = realloc(probes->place, (size_t)capacity * sizeof *place);
    if (place == NULL)
        return false;
    probes->place = place;
    uint32_t *stack = realloc(probes->free, (size_t)capacity * sizeof *stack);
    if (stack == NULL)
        return false;
    probes->free = stack;
    probes->capacity = capacity;
    return capacity <= UINT32_C(1) << SIM_SLOT_BITS;
}

/* A place that nobody uses; UINT32_MAX: no memory. */
static uint32_t take_place(struct sim_probes *probes)
{
    if (probes->free_count > 0)
        return probes->free[--probes->free_count];
    if (probes->count == probes->capacity && !grow(probes))
        return UINT32_MAX;
    return probes->count++;
}

/* The luck depends on who connects to what and when, not on what else is under way. */
static uint64_t draw_word(const sim_run_state *run, const sim_client *client, const rgn_task *task, int64_t now)
{
    const uint64_t target = task->kind == RGN_TASK_CONNECT_PARTITION ? run->fleet.partition_key[task->partition] : 0;
    const uint64_t key = sim_mix64(target + ((uint64_t)task->region << 1 | 1)) + (uint64_t)now;
    return sim_draw_words(&run->fleet.luck, SIM_DRAW_CONNECTION, client->key, key).word[0];
}

void sim_probes_send(sim_run_state *run, uint32_t index, const rgn_task *task, int64_t now)
{
    const sim_client *client = &run->fleet.client[index];
    const int64_t round_trip = client->round_trip[task->region];
    const uint32_t partition = task->kind == RGN_TASK_CONNECT_PARTITION ? task->partition : SIM_NO_PARTITION;
    const uint32_t place = take_place(run->probes);
    if (place == UINT32_MAX) {
        run->fleet.out_of_memory = true;
        return;
    }
    const bool opens = sim_world_connects(run->world, task->region, partition, index, rgn_time_add(now, round_trip / 2),
                                          draw_word(run, client, task, now));
    run->probes->place[place] = (probe){.task = *task, .opens = opens, .client = index};
    const int64_t at = rgn_time_add(now, opens ? round_trip : SIM_CONNECT_TIMEOUT);
    sim_queue_push(&run->background,
                   (sim_event){(uint64_t)at, sim_event_key(SIM_CLASS_CONTROL, index, SIM_EVENT_PROBE, place)});
}

void sim_probes_answer(sim_run_state *run, uint32_t client, uint32_t place, int64_t now)
{
    struct sim_probes *probes = run->probes;
    const probe ended = probes->place[place];
    probes->place[place].task.kind = 0;
    probes->free[probes->free_count++] = place;
    if (ended.task.kind != 0)
        rgn_router_answer_probe(run->fleet.client[client].router, &ended.task, ended.opens, now);
}

void sim_probes_forget(sim_run_state *run, uint32_t client)
{
    for (uint32_t i = 0; i < run->probes->count; i++)
        if (run->probes->place[i].client == client)
            run->probes->place[i].task.kind = 0;
}
