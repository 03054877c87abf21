/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/arrivals.h"

#include <stdlib.h>

/* ppb as a bound on a 32-bit word: word < bound has that probability; all of it gives 2^32. */
static uint64_t bound32(uint64_t ppb)
{
    return (ppb << 32) / SIM_SHARE_ONE;
}

static uint32_t saturate32(uint64_t bound)
{
    return bound > UINT32_MAX ? UINT32_MAX : (uint32_t)bound;
}

static bool list_clients(sim_stream *stream, const sim_scenario *scenario)
{
    const sim_workload *workload = stream->workload;
    stream->client_of = calloc(workload->clients, sizeof *stream->client_of);
    if (stream->client_of == NULL)
        return false;
    uint32_t next = 0;
    for (uint32_t i = 0; i < workload->group_count; i++) {
        const sim_client_group *group = &scenario->group[workload->groups[i]];
        for (uint32_t k = 0; k < group->count; k++)
            stream->client_of[next++] = group->first_client + k;
    }
    return true;
}

static bool bound_partitions(sim_stream *stream)
{
    const sim_workload *workload = stream->workload;
    if (workload->partition_weight == NULL)
        return true;
    stream->partition_bound = calloc(workload->partition_count, sizeof *stream->partition_bound);
    if (stream->partition_bound == NULL)
        return false;
    uint64_t sum = 0;
    for (uint32_t p = 0; p < workload->partition_count; p++) {
        sum += workload->partition_weight[p];
        stream->partition_bound[p] = saturate32(bound32(sum));
    }
    return true;
}

static bool init_stream(sim_stream *stream, const sim_scenario *scenario, const sim_workload *workload)
{
    *stream = (sim_stream){.workload = workload,
                           .luck_base = workload->name_hash >> SIM_ORDINAL_LUCK_BITS << SIM_ORDINAL_LUCK_BITS,
                           .read_bound = saturate32(bound32(workload->kind_share[SIM_KIND_READ]))};
    if (!list_clients(stream, scenario) || !bound_partitions(stream))
        return false;
    if (workload->arrivals != SIM_ARRIVALS_POISSON)
        return true;
    stream->gap = malloc(sizeof *stream->gap);
    if (stream->gap == NULL)
        return false;
    const sim_dist gap = {.type = SIM_DIST_EXPONENTIAL,
                          .a = (SIM_RATE_NS + workload->rate_mhz / 2) / workload->rate_mhz};
    sim_sampler_build(stream->gap, &gap);
    return true;
}

bool sim_arrivals_init(sim_arrivals_merge *merge, const sim_scenario *scenario, const sim_luck *luck)
{
    *merge = (sim_arrivals_merge){.scenario = scenario, .luck = *luck};
    merge->stream = calloc(scenario->workload_count, sizeof *merge->stream);
    if (merge->stream == NULL)
        return false;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        merge->stream_count = w + 1;
        if (!init_stream(&merge->stream[w], scenario, &scenario->workload[w])) {
            sim_arrivals_deinit(merge);
            return false;
        }
        sim_arrivals_refill(merge, &merge->stream[w]);
    }
    sim_arrivals_find_first(merge);
    return true;
}

void sim_arrivals_deinit(sim_arrivals_merge *merge)
{
    for (uint32_t w = 0; w < merge->stream_count; w++) {
        free(merge->stream[w].client_of);
        free(merge->stream[w].partition_bound);
        free(merge->stream[w].gap);
    }
    free(merge->stream);
    *merge = (sim_arrivals_merge){.next_time = RGN_TIME_NEVER};
}

/* Fills in the times of a block; returns how many of them lie before the end of the run. */
static uint32_t draw_times(const sim_arrivals_merge *merge, sim_stream *stream)
{
    const int64_t end = merge->scenario->duration;
    int64_t time = stream->last_time;
    for (uint32_t i = 0; i < SIM_ARRIVALS_BLOCK; i++) {
        const uint64_t n = stream->next_n + i;
        if (stream->gap != NULL) {
            const sim_words words = sim_draw_words(&merge->luck, SIM_DRAW_GAP, stream->workload->name_hash, n);
            time += (int64_t)sim_sampler_draw(stream->gap, words.word[0]);
        } else {
            time = (int64_t)((unsigned __int128)n * (uint64_t)SIM_RATE_NS / (uint64_t)stream->workload->rate_mhz);
        }
        if (time >= end || n >= (uint64_t)SIM_OPERATIONS_MAX) {
            stream->last_time = end;
            return i;
        }
        stream->block[i].time = time;
    }
    stream->last_time = time;
    return SIM_ARRIVALS_BLOCK;
}

static uint32_t pick_partition(const sim_stream *stream, uint32_t word)
{
    const uint32_t count = stream->workload->partition_count;
    if (stream->partition_bound == NULL)
        return (uint32_t)(((uint64_t)word * count) >> 32);
    uint32_t low = 0;
    uint32_t high = count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (word < stream->partition_bound[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void draw_requests(const sim_arrivals_merge *merge, sim_stream *stream)
{
    const sim_workload *workload = stream->workload;
    const uint8_t index = (uint8_t)(workload - merge->scenario->workload);
    const bool only_reads = workload->kind_share[SIM_KIND_READ] == SIM_SHARE_ONE;
    for (uint32_t i = 0; i < stream->count; i++) {
        sim_arrival *arrival = &stream->block[i];
        const uint64_t n = stream->next_n + i;
        arrival->n = (uint32_t)n;
        arrival->workload = index;
        arrival->luck_key = stream->luck_base | n;
        const sim_words words = sim_draw_words(&merge->luck, SIM_DRAW_REQUEST, arrival->luck_key, 0);
        arrival->partition = workload->first_partition + pick_partition(stream, (uint32_t)(words.word[0] >> 32));
        arrival->kind = only_reads || (uint32_t)words.word[0] < stream->read_bound ? SIM_KIND_READ : SIM_KIND_WRITE;
        arrival->client = stream->client_of[((words.word[1] >> 32) * workload->clients) >> 32];
        arrival->chance = (uint32_t)words.word[1];
    }
}

void sim_arrivals_refill(const sim_arrivals_merge *merge, sim_stream *stream)
{
    stream->position = 0;
    stream->count = 0;
    if (stream->last_time >= merge->scenario->duration)
        return;
    stream->count = draw_times(merge, stream);
    draw_requests(merge, stream);
    stream->next_n += stream->count;
}

void sim_arrivals_find_first(sim_arrivals_merge *merge)
{
    merge->first = 0;
    merge->next_time = RGN_TIME_NEVER;
    for (uint32_t w = 0; w < merge->stream_count; w++) {
        const sim_stream *stream = &merge->stream[w];
        if (stream->position < stream->count && stream->block[stream->position].time < merge->next_time) {
            merge->next_time = stream->block[stream->position].time;
            merge->first = w;
        }
    }
}
