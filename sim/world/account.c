/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The account over time, as the service has it. */
#include <stdlib.h>

#include "world/internal.h"

typedef struct {
    int64_t at;
    const sim_account_change *change; /* in an array by name: its address orders equal instants */
} occurrence;

static int by_time(const void *a, const void *b)
{
    const occurrence *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->change > y->change) - (x->change < y->change);
}

static uint32_t list_occurrences(const sim_scenario *scenario, occurrence *out)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < scenario->account_change_count; c++) {
        const sim_account_change *change = &scenario->account_change[c];
        const int64_t end = rgn_time_min(change->until, scenario->duration);
        for (int64_t at = change->at; at < end && count < SIM_ACCOUNT_CHANGES_MAX; at = rgn_time_add(at, change->every))
            out[count++] = (occurrence){at, change};
    }
    qsort(out, count, sizeof *out, by_time);
    return count;
}

static rgn_account first_account(const sim_scenario *scenario)
{
    rgn_account account = {.writable = scenario->writable,
                           .multi_write = scenario->multi_write,
                           .automatic_failover = scenario->automatic_failover,
                           .hedging_disabled = scenario->hedging_disabled};
    account.readable.count = (uint8_t)scenario->first_region_count;
    for (uint32_t r = 0; r < scenario->first_region_count; r++)
        account.readable.region[r] = (rgn_region)r;
    return account;
}

/* A single-write account's write region is the one that was named, or stays; one that the account does not have, or has
 * lost, gives way to the first. */
static void choose_writable(rgn_account *account, rgn_region wanted)
{
    const rgn_region_set regions = rgn_region_list_set(&account->readable);
    const rgn_region before = account->writable.region[0];
    if (account->multi_write) {
        account->writable = account->readable;
        return;
    }
    if (wanted == RGN_REGION_NONE)
        wanted = before;
    account->writable = (rgn_region_list){.count = 1};
    account->writable.region[0] = rgn_region_in(regions, wanted) ? wanted : account->readable.region[0];
}

static void apply(rgn_account *account, const sim_account_change *change)
{
    if (change->regions.count > 0)
        account->readable = change->regions;
    if (change->regions.count > 0 || change->write_region != RGN_REGION_NONE)
        choose_writable(account, change->write_region);
    if (change->sets_failover) {
        account->automatic_failover = change->automatic_failover == RGN_SIGNAL_TRUE;
        account->failover_is_absent = change->automatic_failover == RGN_SIGNAL_ABSENT;
    }
    if (change->sets_hedging)
        account->hedging_disabled = change->hedging_disabled;
}

bool sim_account_line_init(sim_account_line *line, const sim_scenario *scenario)
{
    occurrence *found = calloc(SIM_ACCOUNT_CHANGES_MAX, sizeof *found);
    const uint32_t count = found != NULL ? list_occurrences(scenario, found) : 0;
    line->state = calloc((size_t)count + 1, sizeof *line->state);
    if (found != NULL && line->state != NULL) {
        line->state[0] = (sim_account_state){.from = INT64_MIN, .account = first_account(scenario)};
        line->count = 1;
    }
    for (uint32_t i = 0; line->count > 0 && i < count; i++) {
        if (i == 0 || found[i].at != found[i - 1].at) {
            line->state[line->count] = line->state[line->count - 1];
            line->state[line->count++].from = found[i].at;
        }
        apply(&line->state[line->count - 1].account, found[i].change);
    }
    free(found);
    return line->count > 0;
}

void sim_account_line_deinit(sim_account_line *line)
{
    free(line->state);
    *line = (sim_account_line){0};
}

const rgn_account *sim_account_line_at(const sim_account_line *line, int64_t at)
{
    uint32_t low = 0, high = line->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (line->state[middle].from <= at)
            low = middle;
        else
            high = middle;
    }
    return &line->state[low].account;
}

const rgn_account *sim_world_account_at(const sim_world *world, int64_t at)
{
    return sim_account_line_at(&world->account, at);
}
