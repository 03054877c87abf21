/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Account, network and clients: names looked up, numbers put where the program wants them. */
#include <stdarg.h>
#include <string.h>

#include "scenario/load.h"

bool sim_resolve_fail(sim_resolver *self, const char *path, const sim_node *node, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sim_error_at(self->decoder->error, self->decoder->source, node, "%s: %s", path, message);
}

static rgn_region region_index(const sim_scenario *scenario, const char *name)
{
    for (uint32_t r = 0; r < scenario->region_count; r++) {
        if (strcmp(scenario->region_name[r], name) == 0)
            return (rgn_region)r;
    }
    return RGN_REGION_NONE;
}

bool sim_resolve_regions(sim_resolver *self, const char *path, const sim_raw_items *names, rgn_region_list *list)
{
    const sim_scenario *out = self->out;
    *list = (rgn_region_list){0};
    for (uint32_t i = 0; i < names->count; i++) {
        const sim_raw_item *item = &names->item[i];
        const rgn_region region = region_index(out, item->name);
        if (region != RGN_REGION_NONE) {
            list->region[list->count++] = region;
            continue;
        }
        const char *nearest = sim_nearest(item->name, out->region_name, out->region_count);
        return sim_resolve_fail(self, path, item->node,
                                "the account has no region \"%s\"; expected one of account.regions%s%s%s", item->name,
                                nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                                nearest != NULL ? "\"?" : "");
    }
    return true;
}

static void resolve_account(sim_resolver *self)
{
    const sim_raw_account *raw = &self->raw->account;
    sim_scenario *out = self->out;
    out->multi_write = raw->writes != 0;
    out->automatic_failover = raw->automatic_failover != 0;
    out->hedging_disabled = (uint8_t)raw->hedging_disabled;
    out->failover_after = raw->failover_after;
    out->failback_after = raw->failback_after;
    out->account_read_time = raw->read_time;
    out->region_count = out->first_region_count = raw->regions.count;
    for (uint32_t r = 0; r < raw->regions.count; r++) {
        out->region_name[r] = raw->regions.item[r].name;
        out->region[r] = sim_catalogue_find(out->region_name[r]);
        if (out->multi_write || r == 0)
            out->writable.region[out->writable.count++] = (rgn_region)r;
    }
}

static bool resolve_group(sim_resolver *self, const sim_raw_item *item, sim_client_group *out)
{
    const sim_raw_group *raw = item->record;
    rgn_region_list excluded;
    char path[128];
    out->name = item->name;
    out->name_hash = sim_name_hash(item->name);
    out->home = sim_catalogue_find(raw->home);
    out->count = (uint32_t)raw->count;
    out->first_client = self->out->client_count;
    self->out->client_count += out->count;
    out->concurrency = (uint32_t)raw->concurrency;
    out->tries_again = (uint32_t)raw->tries_again.count;
    out->again_delay = raw->tries_again.delay;
    out->again_factor = (uint64_t)raw->tries_again.factor;
    self->out->has_callers |= out->concurrency > 0 || out->tries_again > 0;
    snprintf(path, sizeof path, "clients.%s.preferred", item->name);
    if (!sim_resolve_regions(self, path, &raw->preferred, &out->preferred))
        return false;
    snprintf(path, sizeof path, "clients.%s.excluded", item->name);
    if (!sim_resolve_regions(self, path, &raw->excluded, &excluded))
        return false;
    for (unsigned i = 0; i < excluded.count; i++)
        out->excluded |= rgn_region_bit(excluded.region[i]);
    return true;
}

bool sim_resolve_groups(sim_resolver *self, const char *path, sim_raw_items *names, const uint32_t **groups,
                        uint32_t *count)
{
    const sim_scenario *scenario = self->out;
    sim_arena *arena = self->decoder->arena;
    uint32_t *found = sim_arena_array(arena, scenario->group_count, sizeof *found);
    const char **known = sim_arena_array(arena, scenario->group_count, sizeof *known);
    bool *is_named = sim_arena_array(arena, scenario->group_count, sizeof *is_named);
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        known[g] = scenario->group[g].name;
        is_named[g] = names->node == NULL;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        const sim_raw_item *item = &names->item[i];
        uint32_t g = 0;
        while (g < scenario->group_count && strcmp(known[g], item->name) != 0)
            g++;
        if (g == scenario->group_count) {
            const char *nearest = sim_nearest(item->name, known, scenario->group_count);
            return sim_resolve_fail(self, path, item->node, "found \"%s\"; expected a group of clients%s%s%s",
                                    item->name, nearest != NULL ? "; did you mean \"" : "",
                                    nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
        }
        is_named[g] = true;
    }
    *groups = found;
    *count = 0;
    for (uint32_t g = 0; g < scenario->group_count; g++)
        if (is_named[g])
            found[(*count)++] = g;
    if (names->node != NULL)
        return true;
    /* What was left out means all; the canonical text should say it. */
    names->item = sim_arena_array(arena, scenario->group_count, sizeof *names->item);
    for (uint32_t g = 0; g < scenario->group_count; g++)
        names->item[names->count++].name = known[g];
    return true;
}

/* The flag whose override the variable is; RGN_KNOB_COUNT if it is none. */
static rgn_knob_id overridden_knob(const char *variable)
{
    static const char suffix[] = "_OVERRIDE";
    const size_t length = strlen(variable);
    const size_t stem = length > sizeof suffix - 1 ? length - (sizeof suffix - 1) : 0;
    if (strcmp(variable + stem, suffix) != 0)
        return RGN_KNOB_COUNT;
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        if (knob->type == RGN_FLAG && strlen(knob->environment) == stem &&
            memcmp(knob->environment, variable, stem) == 0)
            return (rgn_knob_id)id;
    }
    return RGN_KNOB_COUNT;
}

static bool resolve_overrides(sim_resolver *self, const char *name, const sim_raw_items *raw, sim_restart *out)
{
    sim_override *overrides = sim_arena_array(self->decoder->arena, raw->count, sizeof *overrides);
    char path[128];
    snprintf(path, sizeof path, "restarts.%s.environment", name);
    for (uint32_t i = 0; i < raw->count; i++) {
        const sim_raw_item *item = &raw->item[i];
        const bool is_true = strcmp(item->text, "true") == 0 || strcmp(item->text, "1") == 0;
        char shown[SIM_SHOW_SIZE];
        overrides[i] = (sim_override){overridden_knob(item->name), is_true};
        if (overrides[i].knob == RGN_KNOB_COUNT)
            return sim_resolve_fail(self, path, item->node,
                                    "%s is no override; expected a variable such as "
                                    "AZURE_COSMOS_HEDGING_ENABLED_OVERRIDE",
                                    item->name);
        if (!is_true && strcmp(item->text, "false") != 0 && strcmp(item->text, "0") != 0)
            return sim_resolve_fail(self, path, item->node, "%s: found %s; expected true or false", item->name,
                                    sim_text_show(item->text, shown));
    }
    out->override = overrides;
    out->override_count = raw->count;
    return true;
}

static bool resolve_restart(sim_resolver *self, const sim_raw_item *item, sim_restart *out)
{
    sim_raw_restart *raw = item->record;
    char path[128];
    snprintf(path, sizeof path, "restarts.%s.clients", item->name);
    out->name = item->name;
    out->at = raw->at;
    out->stagger = raw->stagger;
    return resolve_overrides(self, item->name, &raw->environment, out) &&
           sim_resolve_groups(self, path, &raw->clients, &out->groups, &out->group_count);
}

bool sim_resolve_restarts(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->restarts;
    sim_restart *restarts = sim_arena_array(self->decoder->arena, raw->count, sizeof *restarts);
    self->out->restart = restarts;
    self->out->restart_count = raw->count;
    for (uint32_t i = 0; i < raw->count; i++)
        if (!resolve_restart(self, &raw->item[i], &restarts[i]))
            return false;
    return true;
}

bool sim_resolve_places(sim_resolver *self)
{
    const sim_raw_scenario *raw = self->raw;
    sim_scenario *out = self->out;
    resolve_account(self);
    if (!sim_resolve_account_changes(self))
        return false;
    out->round_trip_table = raw->network.round_trip;
    out->local_round_trip = raw->network.local;
    if (raw->network.jitter.choice.which == SIM_RAW_JITTER_LOGNORMAL)
        out->jitter_sigma = (uint32_t)raw->network.jitter.lognormal.sigma;
    out->connection_idle = raw->network.connection_idle;
    if (!sim_resolve_service(self) || !sim_resolve_replication(self))
        return false;
    for (int kind = 0; kind < SIM_KINDS; kind++)
        out->request_units[kind] = (uint64_t)raw->request_units.kind[kind];
    out->client_budget = (uint64_t)raw->request_units.client_budget * SIM_FACTOR_ONE;
    sim_client_group *groups = sim_arena_array(self->decoder->arena, raw->clients.count, sizeof *groups);
    out->group = groups;
    for (uint32_t i = 0; i < raw->clients.count; i++) {
        if (!resolve_group(self, &raw->clients.item[i], &groups[i]))
            return false;
        out->group_count++;
    }
    out->start_spread = raw->fleet.start_spread;
    out->probe_interval = raw->fleet.probe_interval;
    return true;
}
