/* SPDX-License-Identifier: MIT */
/* Automatic failover as one operation sees it: a write that looks for its partition's region, and a read that looks for
 * the hub; and which partition it is. */
#include "op_impl.h"

/* FLO-12: on a single-write account only the hub surely has what the session has seen. */
bool rgni_op_may_latch_hub(const rgn_op *op)
{
    return op->direction == RGN_READ && !rgni_op_has(op, RGNI_OP_MULTI_WRITE) && !rgni_op_has(op, RGNI_OP_METADATA);
}

void rgni_op_query_failover(rgn_route_query *query, const rgn_op *op)
{
    query->may_walk_reads = rgni_op_may_roam(op, query->topology);
    query->is_hub_latched = rgni_op_is_hub_latched(op);
    query->is_container_level = op->partition == RGN_PARTITION_UNKNOWN;
}

/* FLO-5: the marks are kept in no order: where the traffic ends up does not depend on it. */
static void flush_marks(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    rgn_region regions[RGN_REGIONS_MAX];
    unsigned count = 0;

    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(op->pending_marks, region))
            regions[count++] = region;
    op->pending_marks = 0;
    rgn_router_flush_writes(router, op->partition, regions, count, now);
}

void rgni_op_settle_failover(rgn_router *router, rgn_op *op, const rgn_response *response, rgn_time_ns now)
{
    bool is_success = response->transport == RGN_TRANSPORT_NONE && response->status < 400;

    if (!rgni_op_has(op, RGNI_OP_HAS_TAIL))
        return;
    if (rgni_op_has_pending_marks(op) && rgni_confirms_region(response))
        flush_marks(router, op, now);
    /* Only an answer to a send that said so is the hub's. */
    if (is_success && (op->send_flags & RGN_SEND_HUB) != 0)
        rgn_router_record_hub(router, op->partition, op->region, now);
}

/* OPR-17: before the answer is looked at, so that what it says is charged to the partition that it names. */
void rgn_op_learn_partition(rgn_router *router, rgn_op *op, rgn_partition partition)
{
    if (op->partition != RGN_PARTITION_UNKNOWN || rgni_op_has(op, RGNI_OP_METADATA) || op->state == RGNI_OP_DONE)
        return;
    op->partition = partition;
    rgni_op_set(op, RGNI_OP_COVERED,
                rgni_router_covers(router, rgni_router_topology(router), partition, (rgn_direction)op->direction));
}
