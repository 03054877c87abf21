/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to the account during the run. */
#include <inttypes.h>
#include <string.h>

#include "scenario/load.h"

enum { PATH_SIZE = 128 };

/* Regions that the account gets later follow those that it starts with, in the order in which changes name them. */
static bool add_later_regions(sim_resolver *self, const char *path, const sim_raw_items *names)
{
    sim_scenario *out = self->out;
    for (uint32_t i = 0; i < names->count; i++) {
        const char *name = names->item[i].name;
        uint32_t r = 0;
        while (r < out->region_count && strcmp(out->region_name[r], name) != 0)
            r++;
        if (r < out->region_count)
            continue;
        if (r == RGN_REGIONS_MAX)
            return sim_resolve_fail(self, path, names->item[i].node,
                                    "one region too many; expected at most %d that the account ever has",
                                    RGN_REGIONS_MAX);
        out->region_name[r] = name;
        out->region[r] = sim_catalogue_find(name);
        out->region_count++;
    }
    return true;
}

static bool resolve_write_region(sim_resolver *self, const char *path, const sim_raw_account_change *raw,
                                 sim_account_change *out)
{
    const sim_scenario *scenario = self->out;
    out->write_region = RGN_REGION_NONE;
    if (raw->write_region == NULL)
        return true;
    const sim_node *node = sim_node_get(raw->node, "write_region");
    if (scenario->multi_write)
        return sim_resolve_fail(self, path, node, "every region takes writes; expected account.writes: single");
    for (uint32_t r = 0; r < scenario->region_count; r++)
        if (strcmp(scenario->region_name[r], raw->write_region) == 0)
            out->write_region = (rgn_region)r;
    if (out->write_region == RGN_REGION_NONE)
        return sim_resolve_fail(self, path, node,
                                "the account never has a region \"%s\"; expected one of account.regions or of a "
                                "change's regions",
                                raw->write_region);
    return true;
}

/* Adds the change's occurrences within the run to `*occurrences`. */
static bool count_occurrences(sim_resolver *self, const char *path, const sim_raw_account_change *raw,
                              int64_t *occurrences)
{
    const int64_t end = rgn_time_min(raw->until, self->out->duration);
    if (raw->every != RGN_TIME_NEVER && end > raw->at)
        *occurrences += (end - raw->at - 1) / raw->every;
    *occurrences += 1;
    if (*occurrences > SIM_ACCOUNT_CHANGES_MAX)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "every"),
                                "the account changes more than %d times in the run; expected a longer period",
                                SIM_ACCOUNT_CHANGES_MAX);
    return true;
}

static bool resolve_change(sim_resolver *self, const sim_raw_item *item, sim_account_change *out, int64_t *occurrences)
{
    const sim_raw_account_change *raw = item->record;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "account_changes.%s", item->name);
    *out = (sim_account_change){.name = item->name,
                                .at = raw->at,
                                .every = raw->every,
                                .until = raw->until,
                                .sets_failover = raw->automatic_failover != SIM_ABSENT,
                                .sets_hedging = raw->hedging_disabled != SIM_ABSENT};
    if (raw->regions.node == NULL && raw->write_region == NULL && !out->sets_failover && !out->sets_hedging)
        return sim_resolve_fail(
            self, path, raw->node,
            "changes nothing; expected regions, write_region, automatic_failover or hedging_switch");
    if (raw->until <= raw->at)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "until"),
                                "ends before it begins; expected until to be later than at");
    if (out->sets_failover)
        out->automatic_failover = (uint8_t)raw->automatic_failover;
    if (out->sets_hedging)
        out->hedging_disabled = (uint8_t)raw->hedging_disabled;
    return count_occurrences(self, path, raw, occurrences) && resolve_write_region(self, path, raw, out) &&
           sim_resolve_regions(self, path, &raw->regions, &out->regions);
}

bool sim_resolve_account_changes(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->account_changes;
    sim_account_change *changes = sim_arena_array(self->decoder->arena, raw->count, sizeof *changes);
    int64_t occurrences = 0;
    self->out->account_change = changes;
    self->out->account_change_count = raw->count;
    for (uint32_t i = 0; i < raw->count; i++) {
        const sim_raw_account_change *change = raw->item[i].record;
        if (!add_later_regions(self, "account_changes", &change->regions))
            return false;
    }
    for (uint32_t i = 0; i < raw->count; i++)
        if (!resolve_change(self, &raw->item[i], &changes[i], &occurrences))
            return false;
    return true;
}
