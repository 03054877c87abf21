/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world/internal.h"

/* Which error of the mix the word means: its place within the slice, cut in the proportions of the mix. Exact: with
 * place = word * 1e9 - from * 2^64 the share k of the slice ends where place * 1e9 = width * sum(0..k) * 2^64, and
 * 124 bits hold either side. */
static const sim_error *pick_error(const sim_slice *hit, uint64_t word)
{
    const sim_fault *fault = hit->fault;
    if (fault->error_count == 1)
        return fault->error;
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
static sim_fate fail(const sim_slice *hit, uint64_t word, int64_t first_answer, int64_t there_and_back, int64_t service)
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
static inline uint64_t faults_met(const sim_world_run *run, const sim_attempt *attempt, uint64_t faults)
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

/* What an attempt's own words decide besides latency and outcome. */
typedef enum { LUCK_REPLICA = 1, LUCK_LOSS = 2 } luck_purpose;

static uint64_t further_word(sim_words luck, luck_purpose purpose, uint64_t key)
{
    return sim_threefry2x64(luck.word[0], luck.word[1], (uint64_t)purpose, key).word[0];
}

/* Whether the attempt's replica is in the fault's zone. The replica is the same for all faults of the region. */
static bool is_in_zone(const sim_scenario *scenario, const sim_fault *fault, sim_words luck)
{
    const unsigned region = (unsigned)__builtin_ctz(fault->regions);
    const uint64_t word = further_word(luck, LUCK_REPLICA, scenario->region[region]);
    return sim_below(word, fault->zone.of) + 1 == fault->zone.number;
}

/* A packet that is lost is sent anew after a time that doubles with each loss (RFC 6298). */
enum { LOSSES_MAX = 10 };

static void lose_packets(sim_impact *all, const sim_fault *fault, int64_t arrival, sim_words luck)
{
    const uint32_t share = sim_fault_losses_at(fault, arrival);
    int64_t wait = fault->retransmit;
    unsigned lost = 0;
    for (; lost < LOSSES_MAX; lost++, wait *= 2) {
        const uint64_t word = further_word(luck, LUCK_LOSS, sim_mix64(fault->name_hash) + lost);
        if (sim_below(word, SIM_SHARE_ONE) >= share)
            break;
        all->added = rgn_time_add(all->added, wait);
    }
    all->is_lost = all->is_lost || lost == LOSSES_MAX;
}

static sim_impact impact_of(const sim_world_run *run, uint64_t faults, int64_t arrival, sim_words luck)
{
    const uint32_t position = (uint32_t)sim_below(luck.word[1], SIM_SHARE_ONE);
    sim_impact all = {.multiplier = SIM_FACTOR_ONE};
    uint32_t stacked = 0;
    while (faults != 0) {
        const sim_fault *fault = &run->fault[sim_mask_take(&faults)];
        if (fault->zone.of > 0 && fault->zone_of_replicas && !is_in_zone(run->world->scenario, fault, luck))
            continue;
        const uint32_t share = sim_fault_errors_at(fault, arrival);
        const uint32_t width = share < SIM_SHARE_ONE - stacked ? share : SIM_SHARE_ONE - stacked;
        if (position >= stacked && position - stacked < width)
            all.hit = (sim_slice){.fault = fault, .from = stacked, .width = width};
        stacked += width;
        all.multiplier = sim_scale(all.multiplier, sim_fault_multiplier_at(fault, arrival));
        all.added += sim_fault_added_at(fault, arrival);
        all.round_trips += sim_fault_round_trips_at(fault, arrival);
        if (fault->loss.count > 0)
            lose_packets(&all, fault, arrival, luck);
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
    const sim_stretches *stretches = &run->stretches[region];
    uint64_t met = stretches->faults[sim_stretches_find(stretches, at)] & run->scope->client_hits[client];
    met = partition == SIM_NO_PARTITION ? endpoint_faults(world, met) : met & run->scope->hits[partition];
    uint64_t as_requests = 0;
    for (uint64_t left = met; left != 0;) {
        const unsigned number = sim_mask_take(&left);
        const uint8_t probes = run->fault[number].probes;
        if (probes == SIM_PROBES_FAIL)
            return false;
        if (probes == SIM_PROBES_AS_REQUESTS)
            as_requests |= UINT64_C(1) << number;
    }
    const sim_impact all = impact_of(run, as_requests, at, (sim_words){{word, word}});
    return !all.is_lost && (all.hit.fault == NULL || pick_error(&all.hit, word)->type == SIM_ERROR_STATUS);
}

/* The regions in the order in which a client asks them about the account. */
static unsigned list_account_regions(const rgn_account *account, rgn_region out[RGN_REGIONS_MAX])
{
    unsigned count = 0;
    out[count++] = account->writable.region[0];
    for (unsigned i = 0; i < account->readable.count; i++)
        if (account->readable.region[i] != out[0])
            out[count++] = account->readable.region[i];
    return count;
}

sim_account_reading sim_world_read_account(const sim_world_run *run, const sim_luck *luck, uint32_t client,
                                           uint64_t client_key, int64_t at)
{
    const sim_world *world = run->world;
    const uint64_t faults = world->account_faults & run->scope->client_hits[client];
    rgn_region region[RGN_REGIONS_MAX];
    const unsigned count = list_account_regions(sim_world_account_at(world, at), region);
    int64_t now = at;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t key = sim_mix64((uint64_t)world->scenario->region[region[i]] + 1) + (uint64_t)now;
        const sim_words words = sim_draw_words(luck, SIM_DRAW_ACCOUNT, client_key, key);
        const sim_impact all = impact_of(run, faults & world->region_faults[region[i]], now, words);
        const int64_t taken =
            rgn_time_add((int64_t)sim_scale((uint64_t)world->scenario->account_read_time, all.multiplier), all.added);
        if (all.hit.fault == NULL && !all.is_lost)
            return (sim_account_reading){.asked = now, .end = rgn_time_add(now, taken), .is_answered = true};
        const bool is_silent = all.is_lost || pick_error(&all.hit, words.word[1])->type == SIM_ERROR_NO_REPLY;
        now = rgn_time_add(now, is_silent ? SIM_CONNECT_TIMEOUT : taken);
    }
    return (sim_account_reading){.asked = at, .end = now};
}

/* What happened to an attempt that met `met` holds for all that meet the same as long as the stretch lasts, if their
 * outcome words are in [least, end); an end of 0 is the end of all words. */
static sim_steady open_window(const sim_world_run *run, const sim_stretches *stretches, uint32_t here, uint64_t met,
                              const sim_impact *all, uint64_t least, uint64_t end)
{
    const int64_t until = here + 1 < stretches->count ? stretches->from[here + 1] : RGN_TIME_NEVER;
    return (sim_steady){.from = stretches->from[here],
                        .length = (uint64_t)until - (uint64_t)stretches->from[here],
                        .least_word = least,
                        .word_span = end - 1 - least,
                        .faults = stretches->faults[here],
                        .met = met,
                        .is_met_by_all = (stretches->faults[here] & ~run->scope->everybody) == 0,
                        .impact = *all};
}

/* The one error that strikes everybody in the window after the same time; NULL: there is no such error. */
static const sim_error *only_answer(const sim_steady *window)
{
    const sim_fault *fault = window->impact.hit.fault;
    const bool is_simple = window->is_met_by_all && !window->impact.is_lost && window->impact.round_trips == 0 &&
                           fault->error_count == 1 && fault->error_after >= 0 &&
                           fault->error[0].type == SIM_ERROR_STATUS;
    return is_simple ? &fault->error[0] : NULL;
}

/* The windows around an attempt's arrival, of which stretch `here` tells. */
static void open_windows(sim_world_run *run, rgn_region region, uint32_t here, uint64_t met, const sim_impact *all)
{
    const sim_stretches *stretches = &run->stretches[region];
    const sim_slowing slowing = stretches->slowing[here];
    const sim_slice *hit = &all->hit;
    if (hit->fault != NULL && slowing != SIM_SLOWING_VARIES && stretches->strikes_steadily[here]) {
        sim_steady *struck = &run->struck[region];
        *struck = open_window(run, stretches, here, met, all, first_word_at(hit->from),
                              first_word_at(hit->from + hit->width));
        struck->answer = only_answer(struck);
        struck->answer_after = hit->fault->error_after;
    }
    if (stretches->struck[here] >= SIM_SHARE_ONE || slowing == SIM_SLOWING_VARIES)
        return;
    sim_impact slowed = *all;
    slowed.hit.fault = NULL;
    const sim_steady window =
        open_window(run, stretches, here, met, &slowed, first_word_at(stretches->struck[here]), 0);
    if (slowing == SIM_SLOWING_STEADY)
        run->slowed[region] = window;
    else
        run->quiet[region] = (sim_quiet){.quiet_from = window.from,
                                         .quiet_until = (int64_t)((uint64_t)window.from + window.length),
                                         .struck_below = window.least_word};
}

/* How an attempt ends that meets `all`. */
static sim_fate end_with(const sim_impact *all, int64_t round_trip, int64_t sent, uint64_t drawn, uint64_t outcome)
{
    if (all->is_lost)
        return (sim_fate){.end = RGN_TIME_NEVER, .transport = RGN_TRANSPORT_UNKNOWN};
    const int64_t first_answer = rgn_time_add(sent, round_trip);
    const int64_t there_and_back = rgn_time_add(first_answer, times(round_trip, all->round_trips));
    const int64_t service = rgn_time_add((int64_t)sim_scale(drawn, all->multiplier), all->added);
    if (all->hit.fault == NULL)
        return (sim_fate){.end = rgn_time_add(there_and_back, service), .status = 200};
    return fail(&all->hit, outcome, first_answer, there_and_back, service);
}

static inline bool meets_the_same(const sim_world_run *run, const sim_steady *steady, const sim_attempt *attempt)
{
    return steady->is_met_by_all || faults_met(run, attempt, steady->faults) == steady->met;
}

/* What is about at that instant, and whom does it meet? */
static sim_impact look_around(sim_world_run *run, const sim_attempt *attempt, int64_t arrival, sim_words luck)
{
    const sim_stretches *stretches = &run->stretches[attempt->region];
    const uint32_t here = sim_stretches_find(stretches, arrival);
    const uint64_t met = faults_met(run, attempt, stretches->faults[here]);
    const sim_impact all = impact_of(run, met, arrival, luck);
    open_windows(run, attempt->region, here, met, &all);
    return all;
}

sim_fate sim_world_settle(sim_world_run *run, int64_t round_trip, const sim_attempt *attempt, int64_t sent,
                          sim_words luck)
{
    const int64_t arrival = rgn_time_add(sent, round_trip / 2);
    const sim_steady *slowed = &run->slowed[attempt->region];
    const sim_steady *struck = &run->struck[attempt->region];
    const uint64_t drawn = sim_sampler_draw(run->service[attempt->kind], luck.word[0]);
    if (sim_steady_holds(struck, arrival, luck.word[1]) && meets_the_same(run, struck, attempt))
        return end_with(&struck->impact, round_trip, sent, drawn, luck.word[1]);
    if (sim_steady_holds(slowed, arrival, luck.word[1]) && meets_the_same(run, slowed, attempt))
        return end_with(&slowed->impact, round_trip, sent, drawn, luck.word[1]);
    const sim_impact all = look_around(run, attempt, arrival, luck);
    return end_with(&all, round_trip, sent, drawn, luck.word[1]);
}

sim_fate sim_world_fate_slow(sim_world_run *run, int64_t round_trip, const sim_attempt *attempt, int64_t sent,
                             sim_words luck)
{
    const int64_t service =
        sim_world_slowed_service(run, attempt->region, (sim_kind)attempt->kind, sent + round_trip / 2, luck);
    if (service >= 0)
        return (sim_fate){.end = sent + round_trip + service, .status = 200};
    return sim_world_settle(run, round_trip, attempt, sent, luck);
}
