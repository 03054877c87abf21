/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of operations. */
#include <inttypes.h>
#include <string.h>

#include "scenario/load.h"

enum {
    PATH_SIZE = 128,
    ORDINAL_SHIFT = 34,       /* the upper 30 bits of a stream's hash begin its operations' keys */
    POISSON_MARGIN = 1 << 20, /* 32 standard deviations of the largest count */
    NS_PER_MS = 1000000,
    MHZ_MS_PER_OPERATION = 1000000,
};

static bool resolve_senders(sim_resolver *self, const char *name, sim_raw_workload *raw, sim_workload *out)
{
    sim_scenario *scenario = self->out;
    sim_arena *arena = self->decoder->arena;
    uint32_t *groups = sim_arena_array(arena, scenario->group_count, sizeof *groups);
    const char **known = sim_arena_array(arena, scenario->group_count, sizeof *known);
    bool *is_sender = sim_arena_array(arena, scenario->group_count, sizeof *is_sender);
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        known[g] = scenario->group[g].name;
        is_sender[g] = raw->clients.node == NULL;
    }
    for (uint32_t i = 0; i < raw->clients.count; i++) {
        const sim_raw_item *item = &raw->clients.item[i];
        uint32_t g = 0;
        while (g < scenario->group_count && strcmp(known[g], item->name) != 0)
            g++;
        if (g == scenario->group_count) {
            char path[PATH_SIZE];
            const char *nearest = sim_nearest(item->name, known, scenario->group_count);
            snprintf(path, sizeof path, "workload.%s.clients", name);
            return sim_resolve_fail(self, path, item->node, "found \"%s\"; expected a group of clients%s%s%s",
                                    item->name, nearest != NULL ? "; did you mean \"" : "",
                                    nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
        }
        is_sender[g] = true;
    }
    out->groups = groups;
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        if (!is_sender[g])
            continue;
        groups[out->group_count++] = g;
        out->clients += scenario->group[g].count;
    }
    return true;
}

/* What was left out means all; the canonical text should say it. */
static void name_all_senders(sim_resolver *self, sim_raw_workload *raw)
{
    const sim_scenario *scenario = self->out;
    if (raw->clients.node != NULL)
        return;
    raw->clients.item = sim_arena_array(self->decoder->arena, scenario->group_count, sizeof *raw->clients.item);
    for (uint32_t g = 0; g < scenario->group_count; g++)
        raw->clients.item[raw->clients.count++].name = scenario->group[g].name;
}

static bool resolve_weights(sim_resolver *self, const char *name, const sim_raw_partitions *raw, sim_workload *out)
{
    const sim_raw_items *hot = &raw->pick.hot;
    const uint32_t count = (uint32_t)raw->count;
    char path[PATH_SIZE];
    int64_t rest = SIM_SHARE_ONE;
    out->partition_count = count;
    if (raw->pick.choice.which != SIM_RAW_PICK_HOT)
        return true;
    snprintf(path, sizeof path, "workload.%s.partitions.pick.hot", name);
    uint32_t *weight = sim_arena_array(self->decoder->arena, count, sizeof *weight);
    for (uint32_t i = 0; i < hot->count; i++) {
        const sim_raw_item *item = &hot->item[i];
        if (item->key >= count)
            return sim_resolve_fail(self, path, item->node->key,
                                    "found partition %" PRId64 "; expected one from 0 to %" PRIu32, item->key,
                                    count - 1);
        weight[item->key] = (uint32_t)item->value;
        rest -= item->value;
    }
    const uint32_t others = count - hot->count;
    if (rest < 0 || (others == 0 && rest > 0))
        return sim_resolve_fail(self, path, hot->node, "the shares sum to %s 100 %%; expected %s",
                                rest < 0 ? "more than" : "less than",
                                others == 0 ? "100 %, for every partition is named" : "at most 100 %");
    uint32_t extra = others > 0 ? (uint32_t)rest % others : 0;
    for (uint32_t p = 0; p < count; p++) {
        if (weight[p] > 0)
            continue;
        weight[p] = (uint32_t)rest / others + (extra > 0);
        extra -= extra > 0;
    }
    out->partition_weight = weight;
    return true;
}

/* The number of operations that are to be expected must fit their ordinals. */
static bool check_count(sim_resolver *self, const char *name, const sim_raw_workload *raw)
{
    const int64_t margin = raw->arrivals == SIM_ARRIVALS_POISSON ? POISSON_MARGIN : 0;
    const int64_t ms = (self->raw->duration + NS_PER_MS - 1) / NS_PER_MS;
    char path[PATH_SIZE];
    int64_t product;
    if (!__builtin_mul_overflow(ms, raw->rate, &product) &&
        product / MHZ_MS_PER_OPERATION <= SIM_OPERATIONS_MAX - margin)
        return true;
    snprintf(path, sizeof path, "workload.%s.rate", name);
    return sim_resolve_fail(self, path, sim_node_get(raw->node, "rate"),
                            "more than %" PRId64 " operations in the run; expected a lower rate or a shorter duration",
                            SIM_OPERATIONS_MAX - margin);
}

static bool resolve_workload(sim_resolver *self, const sim_raw_item *item, sim_workload *out)
{
    sim_raw_workload *raw = item->record;
    char path[PATH_SIZE];
    out->name = item->name;
    out->name_hash = sim_name_hash(item->name);
    out->rate_mhz = raw->rate;
    out->arrivals = (sim_arrivals)raw->arrivals;
    out->deadline = raw->deadline;
    out->options = raw->options.layer;
    out->first_partition = self->out->partition_count;
    const int64_t *share = raw->operations.share;
    if (share[SIM_KIND_READ] + share[SIM_KIND_WRITE] != SIM_SHARE_ONE) {
        snprintf(path, sizeof path, "workload.%s.operations", item->name);
        return sim_resolve_fail(self, path, raw->operations.node, "the shares do not sum to 100 %%");
    }
    out->kind_share[SIM_KIND_READ] = (uint32_t)share[SIM_KIND_READ];
    out->kind_share[SIM_KIND_WRITE] = (uint32_t)share[SIM_KIND_WRITE];
    if (!resolve_senders(self, item->name, raw, out) || !resolve_weights(self, item->name, &raw->partitions, out) ||
        !check_count(self, item->name, raw))
        return false;
    name_all_senders(self, raw);
    self->out->partition_count += out->partition_count;
    return true;
}

/* Operations of two streams are told apart by the upper bits of the streams' hashes. */
static bool check_hashes(sim_resolver *self, const sim_workload *workloads, uint32_t last)
{
    for (uint32_t i = 0; i < last; i++) {
        if (workloads[i].name_hash >> ORDINAL_SHIFT != workloads[last].name_hash >> ORDINAL_SHIFT)
            continue;
        return sim_resolve_fail(self, "workload", self->raw->workload.item[last].node->key,
                                "the names \"%s\" and \"%s\" have the same key; expected another name",
                                workloads[i].name, workloads[last].name);
    }
    return true;
}

bool sim_resolve_workloads(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->workload;
    sim_workload *workloads = sim_arena_array(self->decoder->arena, raw->count, sizeof *workloads);
    self->out->workload = workloads;
    for (uint32_t i = 0; i < raw->count; i++) {
        if (!resolve_workload(self, &raw->item[i], &workloads[i]) || !check_hashes(self, workloads, i))
            return false;
        self->out->workload_count++;
    }
    return true;
}
