/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world/internal.h"

/* The part of [0, SIM_SHARE_ONE) of the outcome word that is one fault's. */
typedef struct {
    const sim_fault *fault; /* NULL: the word struck nobody's */
    uint32_t from;
    uint32_t width;
} slice;

/* Which error of the mix the word means: its place within the slice, cut in the proportions of the mix. Exact: with
 * place = word * 1e9 - from * 2^64 the share k of the slice ends where place * 1e9 = width * sum(0..k) * 2^64, and
 * 124 bits hold either side. */
static const sim_error *pick_error(const slice *hit, uint64_t word)
{
    const sim_fault *fault = hit->fault;
    const sim_u128 place = (sim_u128)word * SIM_SHARE_ONE - ((sim_u128)hit->from << 64);
    uint64_t sum = 0;
    for (uint32_t k = 0; k + 1 < fault->error_count; k++) {
        sum += fault->error[k].share;
        if (place * SIM_SHARE_ONE < (sim_u128)(sum * hit->width) << 64)
            return &fault->error[k];
    }
    return &fault->error[fault->error_count - 1];
}

/* `first_answer`: when a connection would be known to be refused; `there_and_back`: when an answer that took no time
 * would be here. */
static sim_fate fail(const slice *hit, uint64_t word, int64_t first_answer, int64_t there_and_back, int64_t service)
{
    const sim_error *error = pick_error(hit, word);
    const int64_t taken = hit->fault->error_after >= 0 ? hit->fault->error_after : service;
    switch ((sim_error_type)error->type) {
    case SIM_ERROR_STATUS:
        return (sim_fate){.end = rgn_time_add(there_and_back, taken),
                          .status = error->status,
                          .substatus = error->substatus,
                          .transport = RGN_TRANSPORT_NONE};
    case SIM_ERROR_REFUSED:
        return (sim_fate){.end = first_answer, .transport = RGN_TRANSPORT_NOT_SENT};
    case SIM_ERROR_NO_REPLY:
        break;
    }
    return (sim_fate){.end = RGN_TIME_NEVER, .transport = RGN_TRANSPORT_UNKNOWN};
}

static int64_t times(int64_t round_trip, uint32_t count)
{
    const sim_u128 product = (sim_u128)(uint64_t)round_trip * count;
    return product < (sim_u128)INT64_MAX ? (int64_t)product : INT64_MAX;
}

/* The faults that this attempt meets, of those of one stretch. */
static uint64_t faults_met(const sim_world_run *run, const sim_attempt *attempt, uint64_t faults)
{
    const sim_world *world = run->world;
    const uint64_t spared = attempt->has_connection ? world->new_connection_faults : 0;
    return faults & run->scope->hits[attempt->partition] & run->scope->client_hits[attempt->client] &
           world->kind_faults[attempt->kind] & ~spared;
}

/* The least outcome word whose position is `position` or more. */
static uint64_t first_word_at(uint32_t position)
{
    return (uint64_t)((((sim_u128)position << 64) + SIM_SHARE_ONE - 1) / SIM_SHARE_ONE);
}

/* What the faults that an attempt meets do to it. */
typedef struct {
    slice hit;
    uint64_t multiplier;
    int64_t added;
    uint32_t round_trips;
} effect;

static effect effect_of(const sim_world *world, uint64_t faults, int64_t arrival, uint64_t word)
{
    const uint32_t position = (uint32_t)sim_below(word, SIM_SHARE_ONE);
    effect all = {.multiplier = SIM_FACTOR_ONE};
    uint32_t stacked = 0;
    while (faults != 0) {
        const sim_fault *fault = &world->scenario->fault[sim_mask_take(&faults)];
        const uint32_t share = sim_fault_errors_at(fault, arrival);
        const uint32_t width = share < SIM_SHARE_ONE - stacked ? share : SIM_SHARE_ONE - stacked;
        if (position >= stacked && position - stacked < width)
            all.hit = (slice){.fault = fault, .from = stacked, .width = width};
        stacked += width;
        all.multiplier = sim_scale(all.multiplier, sim_fault_multiplier_at(fault, arrival));
        all.added += sim_fault_added_at(fault, arrival);
        all.round_trips += sim_fault_round_trips_at(fault, arrival);
    }
    return all;
}

/* The faults that strike the endpoint as a whole, of those of one stretch. */
static uint64_t endpoint_faults(const sim_world *world, uint64_t faults)
{
    uint64_t whole = 0;
    while (faults != 0) {
        const unsigned number = sim_mask_take(&faults);
        if (sim_fault_strikes_all(&world->scenario->fault[number]))
            whole |= UINT64_C(1) << number;
    }
    return whole;
}

bool sim_world_connects(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client, int64_t at,
                        uint64_t word)
{
    const sim_world *world = run->world;
    const sim_stretches *stretches = &world->stretches[region];
    uint64_t met = stretches->faults[sim_stretches_find(stretches, at)] & run->scope->client_hits[client];
    met = partition == SIM_NO_PARTITION ? endpoint_faults(world, met) : met & run->scope->hits[partition];
    uint64_t as_requests = 0;
    for (uint64_t left = met; left != 0;) {
        const unsigned number = sim_mask_take(&left);
        const uint8_t probes = world->scenario->fault[number].probes;
        if (probes == SIM_PROBES_FAIL)
            return false;
        if (probes == SIM_PROBES_AS_REQUESTS)
            as_requests |= UINT64_C(1) << number;
    }
    const effect all = effect_of(world, as_requests, at, word);
    return all.hit.fault == NULL || pick_error(&all.hit, word)->type == SIM_ERROR_STATUS;
}

/* The windows around `arrival`, of which stretch `here` tells. */
static void open_windows(sim_world_run *run, rgn_region region, uint32_t here, uint64_t met, const effect *all)
{
    const sim_stretches *stretches = &run->world->stretches[region];
    const int64_t until = here + 1 < stretches->count ? stretches->from[here + 1] : RGN_TIME_NEVER;
    if (stretches->struck[here] >= SIM_SHARE_ONE)
        return;
    const uint64_t struck_below = first_word_at(stretches->struck[here]);
    if (stretches->slowing[here] == SIM_SLOWING_NONE)
        run->quiet[region] =
            (sim_quiet){.quiet_from = stretches->from[here], .quiet_until = until, .struck_below = struck_below};
    else if (stretches->slowing[here] == SIM_SLOWING_STEADY)
        run->steady[region] = (sim_steady){.from = stretches->from[here],
                                           .until = until,
                                           .struck_below = struck_below,
                                           .faults = stretches->faults[here],
                                           .met = met,
                                           .multiplier = all->multiplier,
                                           .added = all->added,
                                           .round_trips = all->round_trips};
}

/* An attempt that no error strikes. */
static sim_fate answer(int64_t there_and_back, uint64_t drawn, uint64_t multiplier, int64_t added)
{
    const int64_t service = rgn_time_add((int64_t)sim_scale(drawn, multiplier), added);
    return (sim_fate){.end = rgn_time_add(there_and_back, service), .status = 200};
}

sim_fate sim_world_fate_slow(sim_world_run *run, int64_t round_trip, const sim_attempt *attempt, int64_t sent,
                             sim_words luck)
{
    const rgn_region region = attempt->region;
    const sim_stretches *stretches = &run->world->stretches[region];
    const sim_steady *steady = &run->steady[region];
    const int64_t arrival = rgn_time_add(sent, round_trip / 2);
    const int64_t first_answer = rgn_time_add(sent, round_trip);
    const uint64_t drawn = sim_sampler_draw(run->service[attempt->kind], luck.word[0]);
    if (arrival >= steady->from && arrival < steady->until && luck.word[1] >= steady->struck_below &&
        faults_met(run, attempt, steady->faults) == steady->met)
        return answer(rgn_time_add(first_answer, times(round_trip, steady->round_trips)), drawn, steady->multiplier,
                      steady->added);
    const uint32_t here = sim_stretches_find(stretches, arrival);
    const uint64_t met = faults_met(run, attempt, stretches->faults[here]);
    const effect all = effect_of(run->world, met, arrival, luck.word[1]);
    open_windows(run, region, here, met, &all);
    const int64_t there_and_back = rgn_time_add(first_answer, times(round_trip, all.round_trips));
    if (all.hit.fault == NULL)
        return answer(there_and_back, drawn, all.multiplier, all.added);
    const int64_t service = rgn_time_add((int64_t)sim_scale(drawn, all.multiplier), all.added);
    return fail(&all.hit, luck.word[1], first_answer, there_and_back, service);
}
