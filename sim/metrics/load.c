/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals per region and second, set against the ground truth of whole regions.
 *
 * Only whole seconds count: a second belongs to a span if it lies in it entirely. The yardstick is the last healthy
 * minute: the last 60 whole seconds of the last healthy span of at least that length before the region fell ill. */
#include "metrics/internal.h"

#include <stdlib.h>
#include <string.h>

enum { MINUTE_S = 60 };
#define HERD_NS (600 * RGN_NS_PER_S)

static int64_t floor_s(int64_t at)
{
    return at / RGN_NS_PER_S;
}

static int64_t ceil_s(int64_t at)
{
    return at / RGN_NS_PER_S + (at % RGN_NS_PER_S != 0);
}

/* Unites [from, until) with the list. */
static bool add_gap(sim_metrics *m, simi_gaps *gaps, int64_t from, int64_t until)
{
    size_t first = 0;
    while (first < gaps->count && gaps->gap[first].until < from)
        first++;
    size_t last = first; /* those of [first, last) touch it */
    for (; last < gaps->count && gaps->gap[last].from <= until; last++) {
        if (gaps->gap[last].from < from)
            from = gaps->gap[last].from;
        if (gaps->gap[last].until > until)
            until = gaps->gap[last].until;
    }
    simi_gap *grown = simi_grow(m, gaps->gap, gaps->count, &gaps->room, sizeof *grown);
    if (grown == NULL)
        return false;
    gaps->gap = grown;
    memmove(grown + first + 1, grown + last, (gaps->count - last) * sizeof *grown);
    gaps->count -= last - first;
    gaps->count++;
    grown[first] = (simi_gap){from, until};
    return true;
}

static bool add_partition(sim_metrics *m, simi_gaps *gaps, rgn_region region, uint32_t partition)
{
    for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
        const unsigned mask = 1u << kind;
        if ((m->sent[partition] & mask) == 0)
            continue;
        const simi_timeline line = simi_truth_scan(m, region, partition, SIM_ANY_CLIENT, mask);
        if (m->is_out_of_memory)
            return false;
        bool is_healthy = line.is_healthy_at_start;
        int64_t from = 0;
        bool is_added = true;
        for (uint32_t i = 0; i <= line.count && is_added; i++) {
            const int64_t until = i < line.count ? m->edge[line.offset + i] : RGN_TIME_NEVER;
            if (!is_healthy)
                is_added = add_gap(m, gaps, from, until);
            is_healthy = !is_healthy;
            from = until;
        }
        m->edge_count = line.offset;
        if (!is_added)
            return false;
    }
    return true;
}

bool simi_load_prepare(sim_metrics *m, simi_gaps gaps[RGN_REGIONS_MAX])
{
    for (unsigned region = 0; region < m->scenario->region_count; region++) {
        if (sim_truth_is_always_healthy(m->world_run, (rgn_region)region))
            continue;
        for (uint32_t partition = 0; partition < m->scenario->partition_count; partition++) {
            if (!simi_truth_is_as_before(m, partition) &&
                !add_partition(m, &gaps[region], (rgn_region)region, partition))
                return false;
        }
    }
    return true;
}

void simi_load_deinit(simi_gaps gaps[RGN_REGIONS_MAX])
{
    for (unsigned region = 0; region < RGN_REGIONS_MAX; region++)
        free(gaps[region].gap);
}

/* First second of the last healthy minute before unhealthy span `i`; -1: there was none. */
static int64_t healthy_minute(const simi_gaps *gaps, size_t i)
{
    for (size_t before = i + 1; before > 0; before--) {
        const int64_t from = before > 1 ? gaps->gap[before - 2].until : 0;
        const int64_t end_s = floor_s(gaps->gap[before - 1].from);
        if (end_s - ceil_s(from) >= MINUTE_S)
            return end_s - MINUTE_S;
    }
    return -1;
}

static uint32_t arrivals(const sim_region_load *load, unsigned region, int64_t second)
{
    return second < load->seconds ? load->count[(size_t)region * load->seconds + (size_t)second] : 0;
}

/* Takes in peak of [from_s, until_s) / mean of the minute that begins at `minute_s`, if the minute saw traffic. */
static void take_peak(simi_ratio *best, const sim_region_load *load, unsigned region, int64_t minute_s, int64_t from_s,
                      int64_t until_s)
{
    uint64_t usual = 0, peak = 0;
    for (int64_t second = minute_s; second < minute_s + MINUTE_S; second++)
        usual += arrivals(load, region, second);
    if (usual == 0 || until_s <= from_s)
        return;
    for (int64_t second = from_s; second < until_s; second++) {
        if (arrivals(load, region, second) > peak)
            peak = arrivals(load, region, second);
    }
    const uint64_t numerator = peak * MINUTE_S;
    best->samples++;
    if (best->denominator == 0 || (sim_u128)numerator * best->denominator > (sim_u128)best->numerator * usual) {
        best->numerator = numerator;
        best->denominator = usual;
    }
}

simi_ratio simi_load_herd_peak(const sim_metrics *m, const sim_region_load *load, const simi_gaps *gaps, int64_t from,
                               int64_t until)
{
    simi_ratio best = {0, 0, 0};
    for (unsigned region = 0; region < m->scenario->region_count; region++) {
        for (size_t i = 0; i < gaps[region].count; i++) {
            const int64_t recovery = gaps[region].gap[i].until;
            const int64_t minute_s = healthy_minute(&gaps[region], i);
            if (recovery < from || recovery >= until || minute_s < 0)
                continue;
            int64_t end = rgn_time_min(rgn_time_add(recovery, HERD_NS), m->duration);
            if (i + 1 < gaps[region].count)
                end = rgn_time_min(end, gaps[region].gap[i + 1].from);
            take_peak(&best, load, region, minute_s, ceil_s(recovery), floor_s(end));
        }
    }
    return best;
}

simi_ratio simi_load_alternate(const sim_metrics *m, const sim_region_load *load, const simi_gaps *gaps, int64_t from,
                               int64_t until)
{
    simi_ratio best = {0, 0, 0};
    for (unsigned region = 0; region < m->scenario->region_count; region++) {
        for (size_t i = 0; i < gaps[region].count; i++) {
            const simi_gap gap = gaps[region].gap[i];
            const int64_t minute_s = healthy_minute(&gaps[region], i);
            const int64_t start = gap.from > from ? gap.from : from;
            const int64_t end = rgn_time_min(gap.until, until);
            for (unsigned other = 0; other < m->scenario->region_count && minute_s >= 0 && start < end; other++) {
                if (other != region)
                    take_peak(&best, load, other, minute_s, ceil_s(start), floor_s(end));
            }
        }
    }
    return best;
}
