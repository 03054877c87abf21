/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beginning and end of a measurement, and the rare events that need no file of their own. */
#include "metrics/slices.h"

#include <stdlib.h>

uint32_t simi_slot_at(const sim_metrics *m, int64_t at)
{
    uint32_t slot = 0;
    while (slot < m->scenario->phase_count && m->scenario->phase[slot].start <= at)
        slot++;
    return slot;
}

int64_t simi_slot_end(const sim_metrics *m, uint32_t slot)
{
    return slot < m->scenario->phase_count ? rgn_time_min(m->scenario->phase[slot].start, m->duration) : m->duration;
}

void simi_moment_settle(sim_metrics *m)
{
    simi_moment *moment = &m->moment;
    if (moment->tally == NULL)
        return;
    moment->tally->canaries += moment->canaries;
    moment->row->canaries += moment->canaries;
    moment->tally->canary_failures += moment->canary_failures;
    moment->row->canary_failures += moment->canary_failures;
    moment->canaries = moment->canary_failures = 0;
}

void simi_moment_find(sim_metrics *m, int64_t at)
{
    simi_moment_settle(m);
    const uint32_t slot = simi_slot_at(m, at);
    sim_interval_row *row = simi_interval_at(m, at);
    const int64_t slot_from = slot > 0 ? m->scenario->phase[slot - 1].start : 0;
    const int64_t from = row->start > slot_from ? row->start : slot_from;
    const int64_t until = rgn_time_min(simi_slot_end(m, slot), rgn_time_add(row->start, m->scenario->interval));
    m->moment = (simi_moment){.from = from,
                              .length = (uint64_t)(until - from),
                              .slot_from = slot_from,
                              .tally = &m->tally[slot],
                              .row = row,
                              .client_touched = &m->client_touched[(size_t)slot * m->scenario->client_count],
                              .partition_touched = &m->partition_touched[(size_t)slot * m->scenario->partition_count]};
}

void *simi_grow(sim_metrics *m, void *items, size_t count, size_t *room, size_t item_size)
{
    if (count < *room)
        return items;
    const size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *grown = wanted <= SIZE_MAX / item_size ? realloc(items, wanted * item_size) : NULL;
    if (grown == NULL)
        m->is_out_of_memory = true;
    else
        *room = wanted;
    return grown;
}

static void canary(void *context, const sim_canary *canary)
{
    sim_metrics *m = context;
    if (canary->sent >= m->duration)
        return;
    (void)simi_moment_at(m, canary->sent);
    simi_moment *moment = &m->moment;
    moment->canaries++;
    if (canary->evidence != RGN_EVIDENCE_FAILURE && canary->evidence != RGN_EVIDENCE_TIMEOUT)
        return;
    moment->canary_failures++;
    moment->client_touched[canary->client] = 1;
    moment->partition_touched[canary->partition] = 1;
}

static void endpoint_mark(void *context, uint32_t client, rgn_region region, rgn_mark_reason why, int64_t at)
{
    (void)client;
    (void)region;
    (void)why;
    sim_metrics *m = context;
    if (at < m->duration)
        m->tally[simi_slot_at(m, at)].endpoint_marks++;
}

/* Where a first attempt of the group's clients goes while the regions `failed` are out of the question: the first
 * region that they prefer and do not exclude (regions that they do not name come after those they do, in account
 * order). With none left routing falls back: reads to the first preferred region that takes writes, single-write
 * accounts to the hub. */
rgn_region simi_target_of(const sim_scenario *scenario, const sim_client_group *group, rgn_region_set failed)
{
    const rgn_region_set barred = group->excluded | failed;
    for (unsigned i = 0; i < group->preferred.count; i++) {
        if (!rgn_region_in(barred, group->preferred.region[i]))
            return group->preferred.region[i];
    }
    for (unsigned region = 0; region < scenario->first_region_count; region++) {
        if (!rgn_region_in(barred, (rgn_region)region))
            return (rgn_region)region;
    }
    return scenario->multi_write && group->preferred.count > 0 ? group->preferred.region[0] : 0;
}

/* Home is out of the question: any other region that the group's clients may go to takes its place. Without one routing
 * falls back, which may lead home or, the highest bit, elsewhere. */
static uint64_t elsewhere_of(const sim_scenario *scenario, const sim_client_group *group, rgn_region home)
{
    rgn_region_set regions = (rgn_region_set)((UINT64_C(1) << scenario->first_region_count) - 1);
    for (unsigned i = 0; i < group->preferred.count; i++)
        regions |= rgn_region_bit(group->preferred.region[i]);
    const bool falls_back_home = simi_target_of(scenario, group, UINT32_MAX) == home;
    return (regions & ~group->excluded) | (uint64_t)!falls_back_home << RGN_REGIONS_MAX;
}

static void describe_fleet(sim_metrics *m)
{
    const sim_scenario *scenario = m->scenario;
    m->covers_alike = true;
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        const sim_client_group *group = &scenario->group[g];
        const rgn_region home = simi_target_of(scenario, group, 0);
        const uint64_t elsewhere = elsewhere_of(scenario, group, home);
        for (uint32_t i = 0; i < group->count; i++) {
            m->home[group->first_client + i] = home;
            m->elsewhere[group->first_client + i] = elsewhere;
        }
    }
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const sim_workload *workload = &scenario->workload[w];
        const unsigned sent =
            (workload->kind_share[SIM_KIND_READ] != workload->form_share[SIM_FORM_METADATA] ? SIMI_READS : 0u) |
            (workload->kind_share[SIM_KIND_WRITE] != 0 ? SIMI_WRITES : 0u);
        const unsigned covered = scenario->multi_write ? sent : sent & SIMI_READS;
        for (uint32_t i = 0; i < workload->partition_count; i++) {
            m->sent[workload->first_partition + i] = (uint8_t)sent;
            m->covered[workload->first_partition + i] = (uint8_t)covered;
        }
        m->covers_alike &= covered == m->covered[0] || workload->partition_count == 0;
        if (covered != 0)
            m->pairs += (uint64_t)workload->clients * workload->partition_count;
    }
}

static void clear_tallies(sim_metrics *m)
{
    for (uint32_t slot = 0; slot < m->slot_count; slot++) {
        simi_tally *tally = &m->tally[slot];
        /* The counts are zero already: touching them would make memory of what stays unused. */
        tally->ok.max = tally->failed.max = tally->canary_delay.max = -1;
        tally->lag.max = tally->lag_censored.max = tally->detection.max = -1;
    }
}

static bool allocate(sim_metrics *m)
{
    const sim_scenario *scenario = m->scenario;
    m->tally = calloc(m->slot_count, sizeof *m->tally);
    m->client = calloc((size_t)m->slot_count * scenario->client_count + 1, sizeof *m->client);
    m->client_touched = calloc((size_t)m->slot_count * scenario->client_count + 1, 1);
    m->partition_touched = calloc((size_t)m->slot_count * scenario->partition_count + 1, 1);
    m->home = calloc((size_t)scenario->client_count + 1, sizeof *m->home);
    m->home_of = calloc((size_t)scenario->client_count + 1, sizeof *m->home_of);
    m->elsewhere = calloc((size_t)scenario->client_count + 1, sizeof *m->elsewhere);
    m->covered = calloc((size_t)scenario->partition_count + 1, 1);
    m->sent = calloc((size_t)scenario->partition_count + 1, 1);
    return m->tally != NULL && m->client != NULL && m->client_touched != NULL && m->partition_touched != NULL &&
           m->home != NULL && m->home_of != NULL && m->elsewhere != NULL && m->covered != NULL && m->sent != NULL;
}

sim_metrics *sim_metrics_create(const sim_scenario *scenario, const sim_world_run *world_run,
                                const rgn_options *options)
{
    sim_metrics *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->scenario = scenario;
    m->world_run = world_run;
    m->duration = scenario->duration;
    m->slot_count = scenario->phase_count + 1;
    m->probe_home =
        options->failback_strategy == RGN_STRATEGY_PROBE && options->failback_probe_admission == RGN_PROBE_ALL;
    m->probe_untripped = m->probe_home && options->routing_rules == RGN_ROUTING_DRIVER;
    m->observer = (sim_observer){.context = m,
                                 .ended = simi_operations_ended,
                                 .failed_leg = simi_pairs_failed_leg,
                                 .canary = canary,
                                 .transition = simi_pairs_transition,
                                 .endpoint_mark = endpoint_mark,
                                 .strategy = simi_strategy_changed};
    if (!allocate(m))
        goto out;
    clear_tallies(m);
    describe_fleet(m);
    if (simi_truth_prepare(m) && simi_pairs_prepare(m) && simi_slices_prepare(m) && simi_strategy_prepare(m))
        return m;
out:
    sim_metrics_destroy(m);
    return NULL;
}

const sim_observer *sim_metrics_observer(sim_metrics *m)
{
    return &m->observer;
}

void sim_metrics_destroy(sim_metrics *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; m->slice != NULL && i < m->slice_count; i++)
        free(m->slice[i].open);
    while (m->spare != NULL) {
        simi_open_slice *next = m->spare->next;
        free(m->spare);
        m->spare = next;
    }
    simi_strategy_deinit(m);
    free(m->slice);
    free(m->interval_now);
    free(m->piece_now);
    free(m->sample_now);
    free(m->interval);
    free(m->station_row);
    free(m->pair);
    free(m->pair_block);
    free(m->pair_place);
    free(m->pair_rest);
    free(m->at_hand);
    free(m->span);
    free(m->row);
    free(m->timeline);
    free(m->edge);
    free(m->truth_slot);
    free(m->truth_client);
    free(m->truth_count);
    free(m->recent);
    free(m->home);
    free(m->home_of);
    free(m->elsewhere);
    free(m->covered);
    free(m->sent);
    free(m->client);
    free(m->client_touched);
    free(m->partition_touched);
    free(m->tally);
    free(m);
}
