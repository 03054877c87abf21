/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client's process ends and starts anew: its operations in flight end as abandoned, its router's entries, marks and
 * connections are gone, and a new router's sweep grid begins. New operations arrive as if nothing had happened. */
#include "engine/control.h"

static void queue_restart(sim_run_state *run, uint32_t number)
{
    const sim_restart *restart = &run->scenario->restart[number];
    int64_t at = restart->at;
    for (uint32_t g = 0; g < restart->group_count; g++) {
        const sim_client_group *group = &run->scenario->group[restart->groups[g]];
        for (uint32_t i = 0; i < group->count && at < run->scenario->duration; i++) {
            const uint64_t key = sim_event_key(SIM_CLASS_WORLD_EDGE, group->first_client + i, 0, number);
            sim_queue_push(&run->background, (sim_event){(uint64_t)at, key});
            at = rgn_time_add(at, restart->stagger);
        }
    }
}

bool sim_run_queue_restarts(sim_run_state *run)
{
    const sim_scenario *scenario = run->scenario;
    uint32_t room = run->background.capacity;
    for (uint32_t r = 0; r < scenario->restart_count; r++)
        for (uint32_t g = 0; g < scenario->restart[r].group_count; g++)
            room += scenario->group[scenario->restart[r].groups[g]].count;
    if (!sim_queue_reserve(&run->background, room))
        return false;
    for (uint32_t r = 0; r < scenario->restart_count; r++)
        queue_restart(run, r);
    run->restart_events = run->background.count;
    return true;
}

/* Marks the slots that hold no operation; the caller frees. NULL: no memory. */
static bool *find_free(const sim_run_state *run)
{
    bool *is_free = calloc((size_t)run->slot_count + 1, sizeof *is_free);
    for (uint32_t i = 0; is_free != NULL && i < run->free_count; i++)
        is_free[run->free_slot[i]] = true;
    return is_free;
}

/* Puts the slot where its operation's ordinal belongs: the order of ends must not depend on slots. */
static void insert_by_ordinal(sim_run_state *run, uint32_t index)
{
    uint32_t i = run->killed_count++;
    while (i > 0 && run->slot[run->killed[i - 1]].ordinal > run->slot[index].ordinal) {
        run->killed[i] = run->killed[i - 1];
        i--;
    }
    run->killed[i] = index;
}

static bool list_operations(sim_run_state *run, uint32_t client)
{
    if (run->killed_capacity < run->slot_capacity) {
        uint32_t *grown = realloc(run->killed, run->slot_capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        run->killed = grown;
        run->killed_capacity = run->slot_capacity;
    }
    bool *is_free = find_free(run);
    if (is_free == NULL)
        return false;
    for (uint32_t i = 0; i < run->slot_count; i++)
        if (!is_free[i] && run->slot[i].legs > 0 && run->slot[i].client == client)
            insert_by_ordinal(run, i);
    free(is_free);
    return true;
}

/* Every entry goes, in the order of partitions, and is told of as lost by the restart. */
static void lose_entries(sim_run_state *run, sim_client *client, int64_t now)
{
    run->is_restarting = true;
    for (uint32_t p = 0; p < run->scenario->partition_count; p++)
        rgn_router_forget_entry(client->router, p, now);
    run->is_restarting = false;
}

void sim_run_restart(sim_run_state *run, uint32_t index, uint32_t restart, int64_t now)
{
    sim_client *client = &run->fleet.client[index];
    const uint32_t regions = run->scenario->region_count;
    if (!list_operations(run, index)) {
        run->fleet.out_of_memory = true;
        return;
    }
    sim_run_record_restart(run, index, now);
    /* Entries first: what the operations leave behind must not move them. */
    lose_entries(run, client, now);
    for (uint32_t i = 0; i < run->killed_count; i++) {
        if (sim_run_abandon(run, &run->slot[run->killed[i]], now) || run->slot[run->killed[i]].op.open_legs != 0)
            sim_run_break(run, "an operation outlived its client");
        run->slot[run->killed[i]].legs = 0;
    }
    for (uint32_t r = 0; run->connection != NULL && r < regions; r++)
        run->connection[(size_t)index * regions + r] = RGN_TIME_NEVER;
    if (run->sessions != NULL)
        sim_sessions_forget(run->sessions, index);
    sim_run_collect_counters(run, index);
    sim_control_forget(run, index);
    sim_overrides_put(run, index, restart);
    sim_fleet_restart(&run->fleet, index, now);
    if (run->reads_account)
        sim_control_tell_first(run, index, now);
    run->background_time[index] = RGN_TIME_NEVER;
    run->dirty_count = 0;
}
