/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world/schedule.h"

#include <assert.h>
#include <stdlib.h>

enum { FINE_BITS = 32 };

/* The shape's value times 2^bits, rounded down. A value has at most 42 bits (an hour), the time between two points at
 * most 63: a rise is cut into whole and rest before it is scaled, so that 32 bits of scale fit. */
static sim_i128 scaled_value(const sim_shape *shape, int64_t at, unsigned bits)
{
    assert(shape->count > 0);
    const sim_point *point = shape->point;
    if (shape->type == SIM_SHAPE_MARKOV)
        return (sim_i128)point[0].value * ((sim_i128)1 << bits);
    uint32_t low = 0; /* the last point not after `at`, or the first */
    uint32_t high = shape->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (point[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    const sim_i128 value = (sim_i128)point[low].value * ((sim_i128)1 << bits);
    if (shape->type == SIM_SHAPE_STEP || at <= point[low].at || low + 1 == shape->count)
        return value;
    const int64_t run = point[low + 1].at - point[low].at;
    const sim_i128 rise = (sim_i128)(point[low + 1].value - point[low].value) * (at - point[low].at);
    const sim_i128 whole = rise / run - (rise % run < 0 ? 1 : 0);
    const sim_i128 rest = rise - whole * run; /* in [0, run) */
    return value + whole * ((sim_i128)1 << bits) + rest * ((sim_i128)1 << bits) / run;
}

int64_t sim_shape_at(const sim_shape *shape, int64_t at)
{
    return (int64_t)scaled_value(shape, at, 0);
}

static bool is_active(const sim_fault *fault, int64_t at)
{
    return fault->from <= at && at < fault->until;
}

uint32_t sim_fault_errors_at(const sim_fault *fault, int64_t at)
{
    if (fault->error_share.count == 0 || !is_active(fault, at))
        return 0;
    return (uint32_t)sim_shape_at(&fault->error_share, at - fault->from);
}

uint64_t sim_fault_errors_fine_at(const sim_fault *fault, int64_t at)
{
    if (fault->error_share.count == 0 || !is_active(fault, at))
        return 0;
    return (uint64_t)scaled_value(&fault->error_share, at - fault->from, FINE_BITS);
}

uint32_t sim_fault_losses_at(const sim_fault *fault, int64_t at)
{
    if (fault->loss.count == 0 || !is_active(fault, at))
        return 0;
    return (uint32_t)sim_shape_at(&fault->loss, at - fault->from);
}

uint64_t sim_fault_harm_fine_at(const sim_fault *fault, int64_t at)
{
    const bool is_part = fault->zone.of > 0 && fault->zone_of_replicas;
    uint64_t harm = sim_fault_errors_fine_at(fault, at);
    if (fault->loss.count > 0 && is_active(fault, at))
        harm += (uint64_t)scaled_value(&fault->loss, at - fault->from, FINE_BITS);
    return is_part ? harm / fault->zone.of : harm;
}

int64_t sim_fault_held_back_at(const sim_fault *fault, int64_t at)
{
    if (fault->replication_add.count == 0 || !is_active(fault, at))
        return 0;
    return sim_shape_at(&fault->replication_add, at - fault->from);
}

uint64_t sim_fault_multiplier_at(const sim_fault *fault, int64_t at)
{
    if (fault->latency_multiply.count == 0 || !is_active(fault, at))
        return SIM_FACTOR_ONE;
    return (uint64_t)sim_shape_at(&fault->latency_multiply, at - fault->from);
}

int64_t sim_fault_added_at(const sim_fault *fault, int64_t at)
{
    if (fault->latency_add.count == 0 || !is_active(fault, at))
        return 0;
    return sim_shape_at(&fault->latency_add, at - fault->from);
}

sim_u128 sim_fault_added_fine_at(const sim_fault *fault, int64_t at)
{
    if (fault->latency_add.count == 0 || !is_active(fault, at))
        return 0;
    return (sim_u128)scaled_value(&fault->latency_add, at - fault->from, FINE_BITS);
}

uint32_t sim_fault_round_trips_at(const sim_fault *fault, int64_t at)
{
    return is_active(fault, at) ? fault->round_trips : 0;
}

uint32_t sim_fault_capacity_lost_at(const sim_fault *fault, int64_t at)
{
    if (fault->capacity_lost.count == 0 || !is_active(fault, at))
        return 0;
    return (uint32_t)sim_shape_at(&fault->capacity_lost, at - fault->from);
}

uint64_t sim_scale(uint64_t value, uint64_t factor)
{
    const sim_u128 product = (sim_u128)value * factor;
    if (product >> 64 == 0) /* nearly always: spares the 128-bit division */
        return (uint64_t)product / SIM_FACTOR_ONE;
    const sim_u128 scaled = product / SIM_FACTOR_ONE;
    return scaled < INT64_MAX ? (uint64_t)scaled : INT64_MAX;
}

sim_severity sim_schedule_at(const sim_fault *faults, uint64_t mask, int64_t at)
{
    uint64_t errors = 0;
    uint64_t multiplier = SIM_FACTOR_ONE;
    int64_t added = 0;
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        errors += sim_fault_harm_fine_at(fault, at) >> FINE_BITS;
        multiplier = sim_scale(multiplier, sim_fault_multiplier_at(fault, at));
        added += sim_fault_added_at(fault, at);
    }
    return (sim_severity){
        .errors = errors < SIM_SHARE_ONE ? (uint32_t)errors : SIM_SHARE_ONE, .multiplier = multiplier, .added = added};
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Appends the shape's points that lie within the fault's life. */
static uint32_t add_points(const sim_fault *fault, const sim_shape *shape, int64_t *out, uint32_t count)
{
    for (uint32_t i = 0; shape->type != SIM_SHAPE_MARKOV && i < shape->count; i++) {
        const int64_t at = rgn_time_add(fault->from, shape->point[i].at);
        if (is_active(fault, at))
            out[count++] = at;
    }
    return count;
}

int64_t *sim_schedule_breaks(const sim_fault *faults, uint64_t mask, uint32_t *count)
{
    size_t room = 1;
    for (uint64_t rest = mask; rest != 0;) {
        const sim_fault *fault = &faults[sim_mask_take(&rest)];
        room += 2 + (size_t)fault->error_share.count + fault->latency_multiply.count + fault->latency_add.count +
                fault->loss.count;
    }
    int64_t *out = malloc(room * sizeof *out);
    if (out == NULL)
        return NULL;
    uint32_t found = 0;
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        if (fault->until <= fault->from)
            continue;
        out[found++] = fault->from;
        if (fault->until != RGN_TIME_NEVER)
            out[found++] = fault->until;
        found = add_points(fault, &fault->error_share, out, found);
        found = add_points(fault, &fault->latency_multiply, out, found);
        found = add_points(fault, &fault->latency_add, out, found);
        found = add_points(fault, &fault->loss, out, found);
    }
    qsort(out, found, sizeof *out, by_time);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found; i++)
        if (kept == 0 || out[i] != out[kept - 1])
            out[kept++] = out[i];
    *count = kept;
    return out;
}
