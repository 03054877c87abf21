/* SPDX-License-Identifier: MIT */
#include "failover.h"

#include <assert.h>
#include <string.h>

#include "reduce.h"

/* FLO-2: the first failure makes the override, without a threshold. FLO-3: a failed region is not chosen again, and
 * only a failure at the current region moves the traffic: whoever fails elsewhere comes too late. FLO-4: with nowhere
 * left to go the override ends, and writes begin at the account's hub again. */
rgn_reason rgni_override_on_failure(rgn_override *override, const rgn_topology *topology, rgn_region region,
                                    rgn_time_ns now)
{
    bool is_new = !override->is_set;

    assert(region < RGN_REGIONS_MAX);
    if (is_new)
        *override = (rgn_override){.first_failure = now, .current = region, .first_failed = region, .is_set = true};
    override->last_failure = now;
    override->failed |= rgn_region_bit(region);
    if (region != override->current)
        return RGN_REASON_NONE;
    override->current = rgni_next_region(topology, override->failed);
    if (override->current == RGN_REGION_NONE) {
        memset(override, 0, sizeof *override);
        return RGN_REASON_FAILOVER_EXHAUSTED;
    }
    return is_new ? RGN_REASON_FAILOVER_SET : RGN_REASON_FAILOVER_MOVE;
}

/* FLO-6: a confirmed hub takes the current region's place; what has failed stays failed. */
rgn_reason rgni_override_on_hub(rgn_override *override, rgn_region region, rgn_time_ns now)
{
    assert(region < RGN_REGIONS_MAX);
    if (override->is_set && override->current == region)
        return RGN_REASON_NONE;
    if (!override->is_set)
        *override = (rgn_override){.first_failure = now, .last_failure = now, .first_failed = region, .is_set = true};
    override->current = region;
    return RGN_REASON_HUB_FOUND;
}

bool rgni_confirms_region(const rgn_response *response)
{
    if (response->transport != RGN_TRANSPORT_NONE || response->substatus == 20008)
        return false;
    switch (response->status) {
    case 408:
    case 410:
    case 449:
    case 503:
        return false;
    case 403:
        return response->substatus != 3 && response->substatus != 1008;
    case 429:
        return response->substatus != 3092;
    default:
        return true;
    }
}

static unsigned row_of(const rgni_win_counts *counts, rgn_region region)
{
    unsigned row = 0;

    while (row < counts->count && counts->region[row] != region)
        row++;
    return row;
}

static void remove_row(rgni_win_counts *counts, unsigned row)
{
    counts->count--;
    for (; row < counts->count; row++) {
        counts->region[row] = counts->region[row + 1];
        counts->wins[row] = counts->wins[row + 1];
    }
}

static unsigned fewest_row(const rgni_win_counts *counts)
{
    unsigned fewest = 0;

    for (unsigned row = 1; row < counts->count; row++)
        if (counts->wins[row] < counts->wins[fewest])
            fewest = row;
    return fewest;
}

uint32_t rgni_wins_add(rgni_win_counts *counts, rgn_region region)
{
    unsigned row = row_of(counts, region);

    if (row == RGNI_WIN_ROWS) {
        remove_row(counts, fewest_row(counts));
        row = counts->count;
    }
    if (row == counts->count) {
        counts->region[row] = region;
        counts->wins[row] = 0;
        counts->count++;
    }
    if (counts->wins[row] < UINT32_MAX)
        counts->wins[row]++;
    return counts->wins[row];
}

void rgni_wins_clear(rgni_win_counts *counts, rgn_region region)
{
    unsigned row = row_of(counts, region);

    if (row < counts->count)
        remove_row(counts, row);
}

uint32_t rgni_wins_of(const rgni_win_counts *counts, rgn_region region)
{
    unsigned row = row_of(counts, region);

    return row < counts->count ? counts->wins[row] : 0;
}

void rgni_few_wins_add(rgni_few_wins few, rgni_win_counts *counts)
{
    if (few == 0)
        return;
    assert(counts->count == 0);
    counts->region[0] = rgni_few_wins_region(few);
    counts->wins[0] = rgni_few_wins_count(few);
    counts->count = 1;
}

bool rgni_cuts_are_old(const rgni_cut_writes *cuts, const rgn_options *options, rgn_time_ns now)
{
    return rgn_time_elapsed(cuts->since, now) > options->failover_cut_window;
}

uint32_t rgni_cuts_add(rgni_cut_writes *cuts, const rgn_options *options, rgn_time_ns now)
{
    if (cuts->count > 0 && rgni_cuts_are_old(cuts, options, now))
        cuts->count = 0;
    if (cuts->count == 0 || options->failover_cut_window_from == RGN_CUT_WINDOW_LAST)
        cuts->since = now;
    if (cuts->count < UINT32_MAX)
        cuts->count++;
    return cuts->count;
}
