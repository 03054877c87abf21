/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong. */
#include <inttypes.h>

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

static bool resolve_where(sim_resolver *self, const sim_raw_where *raw, sim_fault *out)
{
    rgn_region_list regions;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "faults.%s.where.regions", out->name);
    if (!sim_resolve_regions(self, path, &raw->regions, &regions))
        return false;
    for (unsigned i = 0; i < regions.count; i++)
        out->regions |= rgn_region_bit(regions.region[i]);
    out->client_share = (uint32_t)raw->clients;
    out->only_new_connections = raw->connections != 0;
    out->kinds = (uint8_t)raw->operations;
    return resolve_partitions(self, &raw->partitions, out);
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
    if (raw->errors.node == NULL && raw->latency.node == NULL)
        return sim_resolve_fail(self, path, raw->node, "does nothing; expected errors or latency");
    return resolve_where(self, &raw->where, out) && resolve_errors(self, &raw->errors, out) &&
           resolve_latency(self, &raw->latency, out);
}

bool sim_resolve_faults(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->faults;
    sim_fault *faults = sim_arena_array(self->decoder->arena, raw->count, sizeof *faults);
    self->out->fault = faults;
    for (uint32_t i = 0; i < raw->count; i++) {
        if (!resolve_fault(self, &raw->item[i], &faults[i]))
            return false;
        self->out->fault_count++;
    }
    return true;
}
