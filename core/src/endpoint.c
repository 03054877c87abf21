/* SPDX-License-Identifier: MIT */
/* Marks on whole endpoints, for failures that concern no partition in particular. */
#include "router_impl.h"

#include <assert.h>
#include <string.h>

void rgni_marks_init(rgni_marks *marks, bool is_unshared)
{
    rgni_spin_init(&marks->lock, is_unshared);
    atomic_init(&marks->marked, 0);
    atomic_init(&marks->write_only, 0);
    for (unsigned region = 0; region < RGN_REGIONS_MAX; region++) {
        atomic_init(&marks->marked_at[region], RGN_TIME_NEVER);
        atomic_init(&marks->why[region], 0);
    }
}

/* END-8: where a probe takes marks away, age does not. */
static rgn_dur_ns lifetime(const rgn_router *router)
{
    bool is_held = router->probe_interval > 0 && router->options.endpoint_aged_mark == RGN_AGED_MARK_HOLD;

    return is_held ? RGN_TIME_NEVER : router->options.endpoint_unavailability_ttl;
}

/* END-2: a mark counts while it is younger than the lifetime. END-3: a mark for a refused write does not concern reads.
 */
rgn_region_set rgni_marks_now(const rgn_router *router, rgn_direction direction, rgn_time_ns now)
{
    const rgni_marks *marks = &router->marks;
    rgn_region_set left = atomic_load_explicit(&marks->marked, memory_order_acquire);
    rgn_region_set out = 0;
    rgn_dur_ns ttl;

    if (left == 0)
        return 0;
    ttl = lifetime(router);
    if (direction == RGN_READ)
        left &= ~atomic_load_explicit(&marks->write_only, memory_order_acquire);
    for (rgn_region region = 0; left >> region != 0; region++) {
        rgn_time_ns since = atomic_load_explicit(&marks->marked_at[region], memory_order_acquire);
        if (rgn_region_in(left, region) && since != RGN_TIME_NEVER && rgn_time_elapsed(since, now) < ttl)
            out |= rgn_region_bit(region);
        if (region + 1 == RGN_REGIONS_MAX)
            break;
    }
    return out;
}

static rgn_mark read_mark(const rgni_marks *marks, rgn_region region)
{
    return (rgn_mark){.at = atomic_load_explicit(&marks->marked_at[region], memory_order_acquire),
                      .region = region,
                      .why = atomic_load_explicit(&marks->why[region], memory_order_acquire)};
}

/* END-4: a later mark replaces an earlier one, reason and all. The marks' lock is held. */
static void put_mark(rgn_router *router, rgn_region region, rgn_mark_reason why, rgn_time_ns now)
{
    rgni_marks *marks = &router->marks;
    rgn_region_set bit = rgn_region_bit(region);

    atomic_store_explicit(&marks->marked_at[region], now, memory_order_release);
    atomic_store_explicit(&marks->why[region], (uint8_t)why, memory_order_release);
    if (why == RGN_MARK_WRITE_FORBIDDEN)
        atomic_fetch_or_explicit(&marks->write_only, bit, memory_order_release);
    else
        atomic_fetch_and_explicit(&marks->write_only, ~bit, memory_order_release);
    atomic_fetch_or_explicit(&marks->marked, bit, memory_order_release);
    atomic_fetch_or_explicit(&router->epoch, 1, memory_order_release); /* PLN-1 */
}

/* The marks' lock is held. */
static void take_mark(rgn_router *router, rgn_region region)
{
    rgni_marks *marks = &router->marks;
    rgn_region_set bit = rgn_region_bit(region);

    if (atomic_fetch_and_explicit(&marks->marked, ~bit, memory_order_release) == bit)
        atomic_fetch_and_explicit(&router->epoch, ~UINT64_C(1), memory_order_release);
    atomic_store_explicit(&marks->marked_at[region], RGN_TIME_NEVER, memory_order_release);
}

void rgn_router_mark_endpoint(rgn_router *router, rgn_region region, rgn_mark_reason why, rgn_time_ns now)
{
    assert(region < RGN_REGIONS_MAX);
    rgni_lock(&router->marks.lock);
    put_mark(router, region, why, now);
    rgni_unlock(&router->marks.lock);
    rgni_clock_plan_probes(router, now);
    if (router->sink.on_endpoint_mark != NULL)
        router->sink.on_endpoint_mark(router->sink.context, region, why, now);
}

void rgn_router_unmark_endpoint(rgn_router *router, rgn_region region)
{
    assert(region < RGN_REGIONS_MAX);
    rgni_lock(&router->marks.lock);
    take_mark(router, region);
    rgni_unlock(&router->marks.lock);
}

bool rgn_router_inspect_mark(const rgn_router *router, rgn_region region, rgn_mark *out)
{
    memset(out, 0, sizeof *out);
    assert(region < RGN_REGIONS_MAX);
    if (!rgn_region_in(atomic_load_explicit(&router->marks.marked, memory_order_acquire), region))
        return false;
    *out = read_mark(&router->marks, region);
    return out->at != RGN_TIME_NEVER;
}

/* --- probes ------------------------------------------------------------------------------------------------------ */

/* END-5: only endpoints of the account are probed; marks of others wait for their region to return. */
static rgn_region_set marked_here(const rgn_router *router)
{
    return atomic_load_explicit(&router->marks.marked, memory_order_acquire) & rgni_router_topology(router)->regions;
}

/* A mark is due for a probe when it is as old as its lifetime. */
static rgn_time_ns probe_due(const rgn_router *router, rgn_region region)
{
    return rgn_time_add(read_mark(&router->marks, region).at, router->options.endpoint_unavailability_ttl);
}

rgn_time_ns rgni_marks_first_due(const rgn_router *router)
{
    rgn_region_set set = marked_here(router);
    rgn_time_ns due = RGN_TIME_NEVER;

    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(set, region))
            due = rgn_time_min(due, probe_due(router, region));
    return due;
}

unsigned rgn_router_due_probes(const rgn_router *router, rgn_time_ns now, rgn_task *out, unsigned cap)
{
    rgn_region_set set = marked_here(router);
    unsigned count = 0;

    for (rgn_region region = 0; region < RGN_REGIONS_MAX && count < cap; region++) {
        if (rgn_region_in(set, region) && probe_due(router, region) <= now)
            out[count++] = (rgn_task){.kind = RGN_TASK_PROBE_ENDPOINT,
                                      .region = region,
                                      .partition = RGN_PARTITION_UNKNOWN,
                                      .marked_at = read_mark(&router->marks, region).at};
    }
    return count;
}

/* END-7: a probe answers for the mark it was sent for, not for a later one. */
void rgn_router_answer_probe(rgn_router *router, const rgn_task *task, bool is_reachable, rgn_time_ns now)
{
    rgni_marks *marks = &router->marks;
    bool is_current;

    assert(task->region < RGN_REGIONS_MAX);
    if (task->kind == RGN_TASK_CONNECT_PARTITION) {
        if (is_reachable)
            rgni_router_answer_connection(router, task, now);
        return;
    }
    assert(task->kind == RGN_TASK_PROBE_ENDPOINT);
    rgni_lock(&marks->lock);
    is_current =
        rgn_region_in(marked_here(router), task->region) && read_mark(marks, task->region).at == task->marked_at;
    if (is_current && is_reachable)
        take_mark(router, task->region);
    else if (is_current)
        put_mark(router, task->region, (rgn_mark_reason)read_mark(marks, task->region).why, now);
    rgni_unlock(&marks->lock);
    rgni_clock_plan_probes(router, now);
}
