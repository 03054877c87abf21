/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time line is cut into slices at every edge of a 30 s sample, an interval row or a phase. A slice is folded into
 * its phase, interval and sample when no operation of it is expected any more; one that comes even later still counts
 * everywhere but in the percentiles of its interval row and in its 30 s sample, which are final by then. */
#include "metrics/slices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LIFE_MARGIN_NS (60 * RGN_NS_PER_S)

enum { P50 = 500000, P99 = 990000 };

static int64_t next_edge(const sim_metrics *m, int64_t at)
{
    const int64_t interval = m->scenario->interval;
    int64_t next = m->duration;
    next = rgn_time_min(next, (at / SIMI_SAMPLE_NS + 1) * SIMI_SAMPLE_NS);
    next = rgn_time_min(next, rgn_time_add(at - at % interval, interval));
    return rgn_time_min(next, simi_slot_end(m, simi_slot_at(m, at)));
}

/* Longest life of an operation that still moves the percentiles of its row and sample. */
static int64_t longest_life(const sim_scenario *scenario)
{
    int64_t deadline = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        if (scenario->workload[w].deadline != RGN_TIME_NEVER && scenario->workload[w].deadline > deadline)
            deadline = scenario->workload[w].deadline;
    }
    return rgn_time_add(deadline, LIFE_MARGIN_NS);
}

static bool is_calm(const sim_scenario *scenario, int64_t from, int64_t until)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        if (scenario->fault[f].from < until && scenario->fault[f].until > from)
            return false;
    }
    return true;
}

static void describe_slices(sim_metrics *m)
{
    const int64_t life = longest_life(m->scenario);
    int64_t at = 0;
    for (size_t i = 0; i < m->slice_count; i++) {
        const int64_t end = next_edge(m, at);
        m->slice[i] = (simi_slice){.start = at,
                                   .close_at = rgn_time_add(end, life),
                                   .interval = (size_t)(at / m->scenario->interval),
                                   .sample = at / SIMI_SAMPLE_NS,
                                   .slot = simi_slot_at(m, at),
                                   .is_calm = is_calm(m->scenario, at, end)};
        /* Short intervals make many slices: the one before the last SIMI_OPEN_SLICES_MAX closes early. */
        if (i >= SIMI_OPEN_SLICES_MAX) {
            int64_t *close_at = &m->slice[i - SIMI_OPEN_SLICES_MAX].close_at;
            *close_at = rgn_time_min(*close_at, at);
        }
        at = end;
    }
    m->slice[m->slice_count] = (simi_slice){.start = m->duration, .interval = SIZE_MAX, .sample = -1};
}

static sim_histogram *new_histogram(void)
{
    sim_histogram *histogram = malloc(sizeof *histogram);
    if (histogram != NULL)
        sim_histogram_clear(histogram);
    return histogram;
}

bool simi_slices_prepare(sim_metrics *m)
{
    m->fold_at = UINT32_MAX;
    m->interval_count = (size_t)((m->duration - 1) / m->scenario->interval + 1);
    m->interval = calloc(m->interval_count, sizeof *m->interval);
    for (int64_t at = 0; at < m->duration; at = next_edge(m, at))
        m->slice_count++;
    m->slice = calloc(m->slice_count + 1, sizeof *m->slice);
    m->interval_now = new_histogram();
    m->piece_now = new_histogram();
    m->sample_now = new_histogram();
    if (m->interval == NULL || m->slice == NULL || m->interval_now == NULL || m->piece_now == NULL ||
        m->sample_now == NULL)
        return false;
    for (size_t i = 0; i < m->interval_count; i++) {
        m->interval[i].start = (int64_t)i * m->scenario->interval;
        m->interval[i].latency_p50 = m->interval[i].latency_p99 = m->interval[i].latency_max = -1;
    }
    describe_slices(m);
    m->next_close = m->slice[0].close_at;
    return true;
}

static void reset(simi_open_slice *open)
{
    memset(open, 0, sizeof *open);
    open->latencies[0].max = open->latencies[1].max = -1;
}

/* Adds the latencies to each of the histograms; how many they are. */
static uint64_t fold_latencies(const simi_latencies *latencies, sim_histogram *const into[], unsigned count)
{
    const sim_u128 sum = (sim_u128)latencies->sum_high << 64 | latencies->sum_low;
    uint64_t total = 0;
    for (uint32_t bucket = 0; bucket < SIM_HISTOGRAM_BUCKETS; bucket++) {
        const uint32_t n = latencies->count[bucket];
        total += n;
        for (unsigned i = 0; n != 0 && i < count; i++)
            into[i]->count[bucket] += n;
    }
    for (unsigned i = 0; i < count; i++) {
        into[i]->total += total;
        into[i]->sum += sum;
        if (latencies->max > into[i]->max)
            into[i]->max = latencies->max;
    }
    return total;
}

void simi_slice_fold(sim_metrics *m, const simi_slice *slice)
{
    simi_open_slice *open = slice->open;
    simi_tally *tally = &m->tally[slice->slot];
    sim_interval_row *row = &m->interval[slice->interval];
    sim_histogram *into[] = {m->interval_now, m->piece_now, m->sample_now, NULL};
    for (unsigned is_success = 0; is_success < 2; is_success++) {
        into[3] = is_success ? &tally->ok : &tally->failed;
        row->requests += fold_latencies(&open->latencies[is_success], into, 4);
    }
    tally->errors += open->errors;
    tally->legs += open->legs;
    tally->hedges += open->hedges;
    row->errors += open->errors;
    row->legs += open->legs;
    row->hedges += open->hedges;
    simi_strategy_note_hedges(m, slice->sample, (uint32_t)open->hedges);
    reset(open);
}

/* The slice was the last of its interval, sample or piece of a sample: their percentiles are final. */
static void finish_samples(sim_metrics *m, const simi_slice *slice)
{
    const simi_slice *next = slice + 1;
    const bool sample_ends = next->sample != slice->sample;
    if (next->interval != slice->interval && m->interval_now->total != 0) {
        sim_interval_row *row = &m->interval[slice->interval];
        row->latency_p50 = sim_histogram_quantile(m->interval_now, P50);
        row->latency_p99 = sim_histogram_quantile(m->interval_now, P99);
        if (m->interval_now->max > row->latency_max)
            row->latency_max = m->interval_now->max;
        sim_histogram_clear(m->interval_now);
    }
    if ((sample_ends || next->slot != slice->slot) && m->piece_now->total != 0) {
        m->tally[slice->slot].samples++;
        m->tally[slice->slot].sample_p99_sum += (uint64_t)sim_histogram_quantile(m->piece_now, P99);
        sim_histogram_clear(m->piece_now);
    }
    if (sample_ends && m->sample_now->total != 0) {
        const int64_t p99 = sim_histogram_quantile(m->sample_now, P99);
        m->whole_samples++;
        m->whole_sample_p99_sum += (uint64_t)p99;
        simi_strategy_note_p99(m, slice->sample, p99);
        sim_histogram_clear(m->sample_now);
    }
}

void simi_slices_close(sim_metrics *m, int64_t now)
{
    while (m->closed < m->slice_count && m->slice[m->closed].close_at <= now) {
        simi_slice *slice = &m->slice[m->closed++];
        if (slice->open != NULL) {
            simi_slice_fold(m, slice);
            slice->open->next = m->spare;
            m->spare = slice->open;
            slice->open = NULL;
        }
        finish_samples(m, slice);
    }
    m->next_close = m->closed < m->slice_count ? m->slice[m->closed].close_at : RGN_TIME_NEVER;
    m->hand[0].length = m->hand[1].length = 0;
}

void simi_slices_close_all(sim_metrics *m)
{
    for (size_t i = m->closed; i < m->slice_count; i++)
        m->slice[i].close_at = INT64_MIN;
    simi_slices_close(m, 0);
}

static bool open_slice(sim_metrics *m, simi_slice *slice)
{
    slice->open = m->spare;
    if (slice->open != NULL) {
        m->spare = slice->open->next;
    } else {
        slice->open = malloc(sizeof *slice->open);
        if (slice->open == NULL) {
            m->is_out_of_memory = true;
            return false;
        }
    }
    reset(slice->open);
    return true;
}

/* The slice that holds the instant. */
static size_t find_slice(const sim_metrics *m, int64_t start)
{
    size_t low = 0, high = m->slice_count; /* slice[low].start <= start < slice[high].start */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (m->slice[middle].start <= start)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const simi_hand *simi_hand_take(sim_metrics *m, int64_t start)
{
    assert(start >= 0 && start < m->duration);
    const size_t index = find_slice(m, start);
    simi_slice *slice = &m->slice[index];
    if (index >= m->closed && slice->open == NULL && !open_slice(m, slice))
        return NULL;
    m->last_hand ^= 1;
    simi_hand *hand = &m->hand[m->last_hand];
    hand->from = slice->start;
    hand->length = (uint64_t)(slice[1].start - slice->start);
    hand->slice = slice;
    hand->open = index >= m->closed ? slice->open : NULL;
    hand->tally = &m->tally[slice->slot];
    hand->client = &m->client[(size_t)slice->slot * m->scenario->client_count];
    hand->is_calm = slice->is_calm || m->truth_slots == 0;
    simi_truth_take(m, start, hand);
    return hand;
}
