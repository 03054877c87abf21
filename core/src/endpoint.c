/* SPDX-License-Identifier: MIT */
/* Marks on whole endpoints, for failures that concern no partition in particular. */
#include "router_impl.h"

#include <assert.h>

void rgni_marks_init(rgni_marks *marks)
{
    atomic_flag_clear(&marks->lock);
    atomic_init(&marks->marked, 0);
    atomic_init(&marks->write_only, 0);
    for (unsigned region = 0; region < RGN_REGIONS_MAX; region++)
        atomic_init(&marks->marked_at[region], RGN_TIME_NEVER);
}

/* END-2: a mark counts while it is younger than the lifetime. END-3: a mark for a refused write does not concern reads.
 */
rgn_region_set rgni_marks_now(const rgni_marks *marks, rgn_dur_ns ttl, rgn_direction direction, rgn_time_ns now)
{
    rgn_region_set left = atomic_load_explicit(&marks->marked, memory_order_acquire);
    rgn_region_set out = 0;

    if (left == 0)
        return 0;
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

/* END-4: a later mark replaces an earlier one, reason and all. */
void rgn_router_mark_endpoint(rgn_router *router, rgn_region region, rgn_mark_reason why, rgn_time_ns now)
{
    rgni_marks *marks = &router->marks;
    rgn_region_set bit = rgn_region_bit(region);

    assert(bit != 0);
    rgni_lock(&marks->lock);
    atomic_store_explicit(&marks->marked_at[region], now, memory_order_release);
    if (why == RGN_MARK_WRITE_FORBIDDEN)
        atomic_fetch_or_explicit(&marks->write_only, bit, memory_order_release);
    else
        atomic_fetch_and_explicit(&marks->write_only, ~bit, memory_order_release);
    atomic_fetch_or_explicit(&marks->marked, bit, memory_order_release);
    rgni_unlock(&marks->lock);
    if (router->sink.on_endpoint_mark != NULL)
        router->sink.on_endpoint_mark(router->sink.context, region, why, now);
}

void rgn_router_unmark_endpoint(rgn_router *router, rgn_region region)
{
    rgni_marks *marks = &router->marks;
    rgn_region_set bit = rgn_region_bit(region);

    assert(bit != 0);
    rgni_lock(&marks->lock);
    atomic_fetch_and_explicit(&marks->marked, ~bit, memory_order_release);
    atomic_store_explicit(&marks->marked_at[region], RGN_TIME_NEVER, memory_order_release);
    rgni_unlock(&marks->lock);
}
