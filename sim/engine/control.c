/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control plane as clients meet it: regions that refuse, readings of the account, the hedging switch. */
#include "engine/control.h"

enum {
    STATUS_FORBIDDEN = 403,
    SUBSTATUS_WRITE_FORBIDDEN = 3,
    SUBSTATUS_ACCOUNT_NOT_FOUND = 1008,
};

bool sim_control_open(sim_run_state *run)
{
    const uint32_t clients = run->scenario->client_count;
    run->reads_account = run->scenario->account_change_count > 0;
    if (!sim_probes_open(run))
        return false;
    if (!run->reads_account)
        return true;
    run->reading = malloc((size_t)clients * sizeof *run->reading);
    for (uint32_t c = 0; run->reading != NULL && c < clients; c++)
        run->reading[c].end = RGN_TIME_NEVER;
    return run->reading != NULL;
}

/* A fault has the first word: what it keeps from its region, the region cannot refuse. */
void sim_control_settle(sim_run_state *run, sim_slot *slot, int64_t arrival)
{
    sim_leg *leg = sim_run_leg(run, slot, slot->op.leg);
    const sim_attempt attempt = {
        .region = leg->region, .kind = slot->kind, .client = slot->client, .partition = slot->partition};
    if (leg->status != 200)
        return;
    const sim_refusal refusal = sim_world_refuses(run->world, &attempt, arrival);
    if (refusal == SIM_REFUSES_NOTHING)
        return;
    leg->status = STATUS_FORBIDDEN;
    leg->substatus = refusal == SIM_REFUSES_WRITES ? SUBSTATUS_WRITE_FORBIDDEN : SUBSTATUS_ACCOUNT_NOT_FOUND;
}

void sim_control_do_tasks(sim_run_state *run, uint32_t client, const rgn_task *task, unsigned count, int64_t now)
{
    if (!sim_queue_reserve(&run->background, run->background.count + count)) {
        run->fleet.out_of_memory = true;
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        if (task[i].kind != RGN_TASK_REFRESH_ACCOUNT) {
            sim_probes_send(run, client, &task[i], now);
            continue;
        }
        run->reading[client] =
            sim_world_read_account(run->world, &run->fleet.luck, client, run->fleet.client[client].key, now);
        sim_queue_push(&run->background, (sim_event){(uint64_t)run->reading[client].end,
                                                     sim_event_key(SIM_CLASS_CONTROL, client, SIM_EVENT_REFRESH, 0)});
    }
}

bool sim_control_is_answer(sim_event event)
{
    return sim_event_class(event.key) == SIM_CLASS_CONTROL && sim_event_leg(event.key) != 0;
}

void sim_control_answer(sim_run_state *run, uint32_t client, sim_event event)
{
    const int64_t now = (int64_t)event.time;
    if (sim_event_leg(event.key) == SIM_EVENT_PROBE) {
        sim_probes_answer(run, client, sim_event_slot(event.key), now);
        return;
    }
    const sim_account_reading reading = run->reading[client];
    if (reading.end != now)
        return; /* who asked has been restarted since */
    run->reading[client].end = RGN_TIME_NEVER;
    const rgn_account *found = reading.is_answered ? sim_world_account_at(run->input->world, reading.asked) : NULL;
    if (rgn_router_answer_refresh(run->fleet.client[client].router, found, now) != RGN_OK)
        run->fleet.out_of_memory = true;
}

void sim_control_forget(sim_run_state *run, uint32_t client)
{
    if (run->reads_account)
        run->reading[client].end = RGN_TIME_NEVER;
    sim_probes_forget(run, client);
}

static bool hedges(const rgn_gateway *gateway)
{
    return !gateway->is_off && gateway->owner != RGN_STRATEGY_OF_NOBODY;
}

void sim_control_on_gateway(void *context, const rgn_gateway_change *change)
{
    const sim_client *client = context;
    sim_run_state *run = client->fleet->observer;
    const sim_observer *observer = run->input->observer;
    const bool is_on = hedges(&change->after);
    const sim_record_words record = {{(uint64_t)change->at,
                                      (uint64_t)SIM_RECORD_GATEWAY << 56 | (uint64_t)change->reason << 48 |
                                          (uint64_t)change->after.is_off << 1 | change->after.automatic_failover,
                                      sim_pack_ids(client->index, 0), change->after.owner}};
    sim_run_record(run, &record);
    if (observer == NULL || is_on == hedges(&change->before))
        return;
    observer->strategy(observer->context, client->index, is_on, change->at);
}

void sim_control_tell_first(sim_run_state *run, uint32_t client, int64_t at)
{
    const sim_observer *observer = run->input->observer;
    if (observer == NULL)
        return;
    const rgn_gateway gateway = rgn_router_gateway(run->fleet.client[client].router);
    observer->strategy(observer->context, client, hedges(&gateway), at);
}
