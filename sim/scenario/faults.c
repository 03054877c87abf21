/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/load.h"

enum { PATH_SIZE = 128 };

/* How long the fault's shapes matter: until it or the run ends. */
static int64_t life_of(const sim_resolver *self, const sim_fault *fault)
{
    const int64_t end = rgn_time_min(fault->until, self->out->duration);
    return end > fault->from ? end - fault->from : 0;
}

static bool resolve_shape(sim_resolver *self, const char *part, const sim_raw_shape *raw, const sim_fault *fault,
                          sim_shape *out)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "faults.%s.%s", fault->name, part);
    return sim_resolve_shape(self, path, raw, life_of(self, fault), out);
}

static bool resolve_errors(sim_resolver *self, const sim_raw_errors *raw, sim_fault *out)
{
    if (raw->node == NULL)
        return true;
    sim_error *errors = sim_arena_array(self->decoder->arena, raw->statuses.count, sizeof *errors);
    for (uint32_t i = 0; i < raw->statuses.count; i++) {
        const sim_raw_item *item = &raw->statuses.item[i];
        errors[i] = (sim_error){
            .type = (uint8_t)(item->key >> 32),
            .status = (uint16_t)(item->key >> 16),
            .substatus = (uint16_t)item->key,
            .share = (uint32_t)item->value,
        };
    }
    out->error = errors;
    out->error_count = raw->statuses.count;
    return resolve_shape(self, "errors.share", &raw->share, out, &out->error_share);
}

static bool resolve_latency(sim_resolver *self, const sim_raw_latency *raw, sim_fault *out)
{
    const bool has_multiply = raw->multiply.choice.node != NULL;
    const bool has_add = raw->add.choice.node != NULL;
    char path[PATH_SIZE];
    if (raw->node == NULL)
        return true;
    snprintf(path, sizeof path, "faults.%s.latency", out->name);
    if (!has_multiply && !has_add && raw->round_trips == 0)
        return sim_resolve_fail(self, path, raw->node, "does nothing; expected multiply, add or round_trips");
    out->round_trips = (uint32_t)raw->round_trips;
    return (!has_multiply || resolve_shape(self, "latency.multiply", &raw->multiply, out, &out->latency_multiply)) &&
           (!has_add || resolve_shape(self, "latency.add", &raw->add, out, &out->latency_add));
}

static bool resolve_loss(sim_resolver *self, const sim_raw_loss *raw, sim_fault *out)
{
    out->retransmit = raw->retransmit;
    return raw->node == NULL || resolve_shape(self, "loss.share", &raw->share, out, &out->loss);
}

static bool resolve_replication_effect(sim_resolver *self, const sim_raw_replication_effect *raw, sim_fault *out)
{
    char path[PATH_SIZE];
    if (raw->node == NULL)
        return true;
    snprintf(path, sizeof path, "faults.%s.replication", out->name);
    if (!self->out->replication.is_on)
        return sim_resolve_fail(self, path, raw->node,
                                "nothing lags in this scenario; expected it under \"replication\"");
    return resolve_shape(self, "replication.add", &raw->add, out, &out->replication_add);
}

/* Only regions that have a capacity can lose some. It is looked at for partitions, whoever asks. */
static bool resolve_capacity(sim_resolver *self, const sim_raw_fault *raw, sim_fault *out)
{
    char path[PATH_SIZE];
    if (raw->capacity_lost.choice.node == NULL)
        return true;
    snprintf(path, sizeof path, "faults.%s.capacity_lost", out->name);
    for (uint32_t r = 0; r < self->out->region_count; r++)
        if (rgn_region_in(out->regions, (rgn_region)r) && !self->out->capacity[r].is_on)
            return sim_resolve_fail(self, path, raw->capacity_lost.choice.node,
                                    "%s has no capacity that it could lose; expected it under \"capacity\"",
                                    self->out->region_name[r]);
    if (sim_fault_picks_clients(out) || out->only_new_connections || out->kinds != (1u << SIM_KINDS) - 1 ||
        (out->zone.of > 0 && out->zone_of_replicas))
        return sim_resolve_fail(self, path, raw->where.node,
                                "capacity is everybody's; expected \"where\" without clients, from, front_end, "
                                "connections and operations, and a zone that holds partitions");
    return resolve_shape(self, "capacity_lost", &raw->capacity_lost, out, &out->capacity_lost);
}

static uint32_t largest_workload(const sim_scenario *scenario)
{
    uint32_t largest = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workload[w].partition_count > largest)
            largest = scenario->workload[w].partition_count;
    return largest;
}

static bool resolve_partitions(sim_resolver *self, const sim_raw_partition_scope *raw, sim_fault *out)
{
    char path[PATH_SIZE];
    out->partition_share = (uint32_t)raw->share;
    if (raw->choice.which != SIM_RAW_PARTITIONS_LIST)
        return true;
    snprintf(path, sizeof path, "faults.%s.where.partitions.list", out->name);
    uint32_t *partition = sim_arena_array(self->decoder->arena, raw->list.count, sizeof *partition);
    for (uint32_t i = 0; i < raw->list.count; i++) {
        const int64_t number = raw->list.item[i].key;
        if (number >= largest_workload(self->out))
            return sim_resolve_fail(self, path, raw->list.item[i].node,
                                    "no workload has partition %" PRId64 "; expected one from 0 to %" PRIu32, number,
                                    largest_workload(self->out) - 1);
        partition[i] = (uint32_t)number;
    }
    out->partition = partition;
    out->partition_count = raw->list.count;
    return true;
}

static bool resolve_workloads(sim_resolver *self, const sim_raw_items *raw, sim_fault *out)
{
    const char *known[SIM_WORKLOADS_MAX];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "faults.%s.where.workloads", out->name);
    for (uint32_t w = 0; w < self->out->workload_count; w++)
        known[w] = self->out->workload[w].name;
    for (uint32_t i = 0; i < raw->count; i++) {
        uint32_t w = 0;
        while (w < self->out->workload_count && strcmp(known[w], raw->item[i].name) != 0)
            w++;
        if (w == self->out->workload_count) {
            const char *nearest = sim_nearest(raw->item[i].name, known, w);
            return sim_resolve_fail(self, path, raw->item[i].node, "found \"%s\"; expected a workload%s%s%s",
                                    raw->item[i].name, nearest != NULL ? "; did you mean \"" : "",
                                    nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
        }
        out->workloads |= 1u << w;
    }
    return true;
}

static bool is_home(const sim_scenario *scenario, uint16_t region)
{
    for (uint32_t g = 0; g < scenario->group_count; g++)
        if (scenario->group[g].home == region)
            return true;
    return false;
}

static bool is_of_account(const sim_scenario *scenario, uint16_t region)
{
    for (uint32_t r = 0; r < scenario->region_count; r++)
        if (scenario->region[r] == region)
            return true;
    return false;
}

static int by_number(const void *a, const void *b)
{
    const uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;
    return (x > y) - (x < y);
}

/* Somebody or something must come from there, or the fault would be a silent nothing. */
static bool resolve_from(sim_resolver *self, const sim_raw_fault *raw, sim_fault *out)
{
    const sim_raw_items *names = &raw->where.from;
    const bool strikes_writes = raw->replication.node != NULL;
    char path[PATH_SIZE];
    if (names->count == 0)
        return true;
    snprintf(path, sizeof path, "faults.%s.where.from", out->name);
    uint16_t *home = sim_arena_array(self->decoder->arena, names->count, sizeof *home);
    for (uint32_t i = 0; i < names->count; i++) {
        home[i] = sim_catalogue_find(names->item[i].name);
        if (!is_home(self->out, home[i]) && !(strikes_writes && is_of_account(self->out, home[i])))
            return sim_resolve_fail(self, path, names->item[i].node,
                                    "no client is at home in %s; expected the home of "
                                    "clients%s",
                                    names->item[i].name, strikes_writes ? " or a region of the account" : "");
    }
    qsort(home, names->count, sizeof *home, by_number);
    out->home = home;
    out->home_count = names->count;
    return true;
}

/* `what`: zone or front_end. */
static bool resolve_part(sim_resolver *self, const char *what, const sim_raw_part_of *raw, const sim_fault *fault,
                         sim_part *out)
{
    char path[PATH_SIZE];
    if (raw->node == NULL)
        return true;
    snprintf(path, sizeof path, "faults.%s.where.%s", fault->name, what);
    if (raw->number > raw->of)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "number"),
                                "found %" PRId64 " of %" PRId64 "; expected one from 1 to %" PRId64, raw->number,
                                raw->of, raw->of);
    if ((fault->regions & (fault->regions - 1)) != 0)
        return sim_resolve_fail(self, path, raw->node, "is one region's; expected one region under regions");
    *out = (sim_part){(uint32_t)raw->number, (uint32_t)raw->of};
    return true;
}

/* Nobody reads an account that stays as it is, and where writes are not moved nobody decides about them. */
static bool check_account(sim_resolver *self, const sim_raw_where *raw, const sim_fault *fault)
{
    const sim_scenario *scenario = self->out;
    const bool moves_writes = scenario->automatic_failover && !scenario->multi_write && scenario->region_count > 1;
    char path[PATH_SIZE];
    if ((fault->kinds & SIM_KINDS_ACCOUNT) == 0 || scenario->account_change_count > 0 || moves_writes)
        return true;
    snprintf(path, sizeof path, "faults.%s.where.operations", fault->name);
    return sim_resolve_fail(self, path, sim_node_get(raw->node, "operations"),
                            "nothing depends on the control plane; expected account_changes, or automatic_failover of "
                            "an account whose writes are single");
}

static bool resolve_where(sim_resolver *self, const sim_raw_fault *fault, sim_fault *out)
{
    const sim_raw_where *raw = &fault->where;
    rgn_region_list regions;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "faults.%s.where.regions", out->name);
    if (!sim_resolve_regions(self, path, &raw->regions, &regions))
        return false;
    for (unsigned i = 0; i < regions.count; i++)
        out->regions |= rgn_region_bit(regions.region[i]);
    for (uint32_t r = 0; raw->regions.count == 0 && r < self->out->region_count; r++)
        out->regions |= rgn_region_bit((rgn_region)r);
    out->client_share = (uint32_t)raw->clients;
    out->only_new_connections = raw->connections != 0;
    out->kinds = (uint8_t)raw->operations;
    out->zone_of_replicas = raw->zone.holds == 0;
    return resolve_workloads(self, &raw->workloads, out) && resolve_from(self, fault, out) &&
           resolve_part(self, "zone", &raw->zone, out, &out->zone) &&
           resolve_part(self, "front_end", &raw->front_end, out, &out->front_end) && check_account(self, raw, out) &&
           resolve_partitions(self, &raw->partitions, out);
}

static bool resolve_fault(sim_resolver *self, const sim_raw_item *item, sim_fault *out)
{
    const sim_raw_fault *raw = item->record;
    char path[PATH_SIZE];
    out->name = item->name;
    out->name_hash = sim_name_hash(item->name);
    out->from = raw->from;
    out->until = raw->until;
    out->error_after = raw->errors.after;
    out->probes = (uint8_t)raw->probes;
    snprintf(path, sizeof path, "faults.%s", item->name);
    if (raw->until <= raw->from)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "until"),
                                "ends before it begins; expected until to be later than from");
    if (raw->errors.node == NULL && raw->latency.node == NULL && raw->loss.node == NULL &&
        raw->replication.node == NULL && raw->capacity_lost.choice.node == NULL && raw->probes != SIM_PROBES_FAIL)
        return sim_resolve_fail(
            self, path, raw->node,
            "does nothing; expected errors, latency, loss, replication, capacity_lost or probes: fail");
    return resolve_where(self, raw, out) && resolve_errors(self, &raw->errors, out) &&
           resolve_latency(self, &raw->latency, out) && resolve_loss(self, &raw->loss, out) &&
           resolve_replication_effect(self, &raw->replication, out) && resolve_capacity(self, raw, out);
}

/* The fault comes again: the same under the same name, so that it strikes the same. */
static bool repeat(sim_resolver *self, const sim_raw_fault *raw, sim_fault *faults, uint32_t *count)
{
    const sim_fault first = faults[*count - 1];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "faults.%s.again", first.name);
    if (raw->again.count > 0 && first.until == RGN_TIME_NEVER)
        return sim_resolve_fail(self, path, raw->again.node, "what never ends cannot come again; expected until");
    for (uint32_t i = 0; i < raw->again.count; i++) {
        const sim_raw_item *item = &raw->again.item[i];
        const sim_fault *last = &faults[*count - 1];
        char end[64];
        sim_format_duration(last->until, end, sizeof end);
        if (item->key < last->until)
            return sim_resolve_fail(self, path, item->node, "comes before it has ended; expected at least %s", end);
        if (*count == SIM_FAULTS_MAX)
            return sim_resolve_fail(self, path, item->node,
                                    "one fault too many; expected at most %d, repetitions included", SIM_FAULTS_MAX);
        faults[*count] = first;
        faults[*count].from = item->key;
        faults[*count].until = rgn_time_add(item->key, first.until - first.from);
        faults[*count].occurrence = i + 1;
        ++*count;
    }
    return true;
}

bool sim_resolve_faults(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->faults;
    sim_fault *faults = sim_arena_array(self->decoder->arena, SIM_FAULTS_MAX, sizeof *faults);
    uint32_t *count = &self->out->fault_count;
    self->out->fault = faults;
    for (uint32_t i = 0; i < raw->count; i++) {
        if (*count == SIM_FAULTS_MAX)
            return sim_resolve_fail(self, "faults", raw->item[i].node,
                                    "one fault too many; expected at most %d, repetitions included", SIM_FAULTS_MAX);
        if (!resolve_fault(self, &raw->item[i], &faults[*count]))
            return false;
        ++*count;
        if (!repeat(self, raw->item[i].record, faults, count))
            return false;
    }
    return true;
}
