/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of operations. */
#include "scenario/load.h"

enum {
    PATH_SIZE = 128,
    ORDINAL_SHIFT = 34, /* the upper 30 bits of a stream's hash begin its operations' keys */
};

static bool resolve_senders(sim_resolver *self, const char *name, sim_raw_workload *raw, sim_workload *out)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "workload.%s.clients", name);
    if (!sim_resolve_groups(self, path, &raw->clients, &out->groups, &out->group_count))
        return false;
    for (uint32_t i = 0; i < out->group_count; i++)
        out->clients += self->out->group[out->groups[i]].count;
    return true;
}

static bool resolve_operations(sim_resolver *self, const char *name, const sim_raw_operations *raw, sim_workload *out)
{
    const int64_t form[SIM_FORMS] = {raw->share[SIM_KIND_READ], raw->feed == SIM_ABSENT ? 0 : raw->feed,
                                     raw->metadata == SIM_ABSENT ? 0 : raw->metadata};
    const int64_t reads = form[SIM_FORM_POINT] + form[SIM_FORM_FEED] + form[SIM_FORM_METADATA];
    char path[PATH_SIZE];
    if (reads + raw->share[SIM_KIND_WRITE] != SIM_SHARE_ONE) {
        snprintf(path, sizeof path, "workload.%s.operations", name);
        return sim_resolve_fail(self, path, raw->node, "the shares do not sum to 100 %%");
    }
    for (int i = 0; i < SIM_FORMS; i++)
        out->form_share[i] = (uint32_t)form[i];
    out->kind_share[SIM_KIND_READ] = (uint32_t)reads;
    out->kind_share[SIM_KIND_WRITE] = (uint32_t)raw->share[SIM_KIND_WRITE];
    return true;
}

static bool resolve_workload(sim_resolver *self, const sim_raw_item *item, sim_workload *out)
{
    sim_raw_workload *raw = item->record;
    out->name = item->name;
    out->name_hash = sim_name_hash(item->name);
    out->deadline = raw->deadline;
    for (int kind = 0; kind < SIM_KINDS; kind++)
        out->is_partition_learnt[kind] = raw->partition_known.kind[kind] != 0;
    if (raw->gives_up.node != NULL) {
        out->gives_up_share = (uint32_t)raw->gives_up.share;
        out->gives_up_after = raw->gives_up.after;
    }
    out->options = raw->options.layer;
    out->first_partition = self->out->partition_count;
    if (!resolve_operations(self, item->name, &raw->operations, out) || !resolve_senders(self, item->name, raw, out) ||
        !sim_resolve_weights(self, item->name, &raw->partitions, out) || !sim_resolve_rate(self, item->name, raw, out))
        return false;
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
