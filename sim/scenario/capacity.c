/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What regions can bear. */
#include "scenario/load.h"

enum { PATH_SIZE = 128 };

static bool resolve_servers(sim_resolver *self, const char *path, const sim_raw_capacity *raw, sim_capacity *out)
{
    char inner[PATH_SIZE + 16];
    if (raw->servers == 0) {
        const char *stray = raw->busy.node != NULL ? "busy" : raw->queue != SIM_QUEUE_UNLIMITED ? "queue" : NULL;
        return stray == NULL || sim_resolve_fail(self, path, sim_node_get(raw->node, stray),
                                                 "\"%s\" means nothing without servers; expected servers too", stray);
    }
    if (raw->busy.node == NULL)
        return sim_resolve_fail(self, path, raw->node,
                                "missing key \"busy\"; expected how long an attempt keeps one of the servers");
    snprintf(inner, sizeof inner, "%s.busy.read", path);
    if (!sim_resolve_dist(self, inner, &raw->busy.kind[SIM_KIND_READ], &out->busy[SIM_KIND_READ]))
        return false;
    snprintf(inner, sizeof inner, "%s.busy.write", path);
    return sim_resolve_dist(self, inner, &raw->busy.kind[SIM_KIND_WRITE], &out->busy[SIM_KIND_WRITE]);
}

static bool resolve_one(sim_resolver *self, const sim_raw_item *item)
{
    const sim_raw_capacity *raw = item->record;
    char path[PATH_SIZE];
    rgn_region_list region;
    sim_raw_item name = {.name = item->name, .node = item->node->key};
    snprintf(path, sizeof path, "capacity.%s", item->name);
    if (!sim_resolve_regions(self, path, &(sim_raw_items){.count = 1, .item = &name}, &region))
        return false;
    if (raw->servers == 0 && raw->throughput == 0)
        return sim_resolve_fail(self, path, item->node, "limits nothing; expected servers or throughput");
    if (raw->throughput != 0 && self->raw->request_units.node == NULL)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "throughput"),
                                "nobody knows what operations cost; expected request_units too");
    sim_capacity *out = &self->out->capacity[region.region[0]];
    *out = (sim_capacity){.is_on = true,
                          .per_partition = raw->stations != 0,
                          .servers = (uint32_t)raw->servers,
                          .queue = raw->queue,
                          .throughput = (uint64_t)raw->throughput * SIM_FACTOR_ONE,
                          .warm_from = raw->warm_up.node != NULL ? (uint32_t)raw->warm_up.from : SIM_SHARE_ONE,
                          .warm_over = raw->warm_up.node != NULL ? raw->warm_up.over : 0,
                          .cancel_reaches_server = raw->cancel_reaches_server != 0};
    self->out->has_capacity = true;
    return resolve_servers(self, path, raw, out);
}

bool sim_resolve_capacity(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->capacity;
    if (raw->count > 0 && self->raw->replication.node != NULL)
        return sim_resolve_fail(self, "capacity", raw->node,
                                "does not go together with replication: when a write that waits is committed is not "
                                "known when it is sent; expected one of the two");
    for (uint32_t i = 0; i < raw->count; i++)
        if (!resolve_one(self, &raw->item[i]))
            return false;
    return true;
}
