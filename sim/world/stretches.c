/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world/internal.h"

#include <assert.h>
#include <stdlib.h>

/* Does the fault do anything in [first, last], between which its shapes keep to one line? A line that is at rest at
 * both ends is at rest between them. Connections that it keeps shut need no share of errors. */
static bool has_effect(const sim_fault *fault, int64_t first, int64_t last)
{
    const bool is_on = first >= fault->from && first < fault->until;
    return (is_on && fault->probes == SIM_PROBES_FAIL) || sim_fault_errors_at(fault, first) != 0 ||
           sim_fault_errors_at(fault, last) != 0 || sim_fault_multiplier_at(fault, first) != SIM_FACTOR_ONE ||
           sim_fault_multiplier_at(fault, last) != SIM_FACTOR_ONE || sim_fault_added_at(fault, first) != 0 ||
           sim_fault_added_at(fault, last) != 0 || sim_fault_round_trips_at(fault, first) != 0 ||
           sim_fault_losses_at(fault, first) != 0 || sim_fault_losses_at(fault, last) != 0;
}

static uint64_t with_effect(const sim_fault *faults, uint64_t mask, int64_t first, int64_t last)
{
    uint64_t found = 0;
    while (mask != 0) {
        const unsigned f = sim_mask_take(&mask);
        if (has_effect(&faults[f], first, last))
            found |= UINT64_C(1) << f;
    }
    return found;
}

/* Positions of the outcome word below which an attempt may be struck in [first, last], between which shapes keep to one
 * line. */
static uint32_t struck_in(const sim_fault *faults, uint64_t mask, int64_t first, int64_t last)
{
    uint64_t stacked = 0;
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        const uint32_t begin = sim_fault_errors_at(fault, first);
        const uint32_t end = sim_fault_errors_at(fault, last);
        stacked += begin > end ? begin : end;
    }
    return stacked < SIM_SHARE_ONE ? (uint32_t)stacked : SIM_SHARE_ONE;
}

static bool is_constant(const sim_shape *shape)
{
    return shape->count <= 1;
}

static sim_slowing slowing_in(const sim_fault *faults, uint64_t mask, int64_t first, int64_t last)
{
    sim_slowing found = SIM_SLOWING_NONE;
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        if (sim_fault_losses_at(fault, first) != 0 || sim_fault_losses_at(fault, last) != 0)
            return SIM_SLOWING_VARIES;
        if (sim_fault_multiplier_at(fault, first) == SIM_FACTOR_ONE &&
            sim_fault_multiplier_at(fault, last) == SIM_FACTOR_ONE && sim_fault_added_at(fault, first) == 0 &&
            sim_fault_added_at(fault, last) == 0 && sim_fault_round_trips_at(fault, first) == 0)
            continue;
        const bool strikes_some = fault->zone.of > 0 && fault->zone_of_replicas;
        if (!is_constant(&fault->latency_multiply) || !is_constant(&fault->latency_add) || strikes_some)
            return SIM_SLOWING_VARIES;
        found = SIM_SLOWING_STEADY;
    }
    return found;
}

/* No fault's share of errors is another in [first, last], between which shapes keep to one line, than at `since`; a
 * zone's replicas strike some of those who meet them, and spare others. */
static bool strikes_as_at(const sim_fault *faults, uint64_t mask, int64_t since, int64_t first, int64_t last)
{
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        const uint32_t share = sim_fault_errors_at(fault, since);
        if ((fault->zone.of > 0 && fault->zone_of_replicas) || sim_fault_errors_at(fault, first) != share ||
            sim_fault_errors_at(fault, last) != share)
            return false;
    }
    return true;
}

/* Room for so many; false: no memory. */
static bool reserve(sim_stretches *stretches, size_t count)
{
    stretches->from = malloc(count * sizeof *stretches->from);
    stretches->faults = malloc(count * sizeof *stretches->faults);
    stretches->struck = malloc(count * sizeof *stretches->struck);
    stretches->slowing = malloc(count * sizeof *stretches->slowing);
    stretches->strikes_steadily = malloc(count * sizeof *stretches->strikes_steadily);
    return stretches->from != NULL && stretches->faults != NULL && stretches->struck != NULL &&
           stretches->slowing != NULL && stretches->strikes_steadily != NULL;
}

bool sim_stretches_init(sim_stretches *stretches, const sim_fault *faults, uint64_t mask)
{
    *stretches = (sim_stretches){0};
    uint32_t breaks;
    int64_t *at = sim_schedule_breaks(faults, mask, &breaks);
    if (at == NULL)
        return false;
    const bool is_ok = reserve(stretches, (size_t)breaks + 1);
    if (is_ok) {
        uint32_t count = 1;
        stretches->from[0] = INT64_MIN;
        stretches->faults[0] = 0;
        stretches->struck[0] = 0;
        stretches->slowing[0] = SIM_SLOWING_NONE;
        stretches->strikes_steadily[0] = true;
        for (uint32_t i = 0; i < breaks; i++) {
            const int64_t end = i + 1 < breaks ? at[i + 1] : RGN_TIME_NEVER;
            const uint64_t found = with_effect(faults, mask, at[i], end - 1);
            const uint32_t struck = struck_in(faults, found, at[i], end - 1);
            const sim_slowing slowing = slowing_in(faults, found, at[i], end - 1);
            if (found == stretches->faults[count - 1]) {
                uint32_t *so_far = &stretches->struck[count - 1];
                *so_far = struck > *so_far ? struck : *so_far;
                if (slowing > stretches->slowing[count - 1])
                    stretches->slowing[count - 1] = slowing;
                stretches->strikes_steadily[count - 1] &=
                    strikes_as_at(faults, found, stretches->from[count - 1], at[i], end - 1);
                continue;
            }
            stretches->from[count] = at[i];
            stretches->struck[count] = struck;
            stretches->slowing[count] = slowing;
            stretches->strikes_steadily[count] = strikes_as_at(faults, found, at[i], at[i], end - 1);
            stretches->faults[count++] = found;
        }
        stretches->count = count;
    }
    free(at);
    return is_ok;
}

void sim_stretches_deinit(sim_stretches *stretches)
{
    free(stretches->from);
    free(stretches->faults);
    free(stretches->struck);
    free(stretches->slowing);
    free(stretches->strikes_steadily);
    *stretches = (sim_stretches){0};
}

uint32_t sim_stretches_find(const sim_stretches *stretches, int64_t at)
{
    assert(stretches->count > 0);
    uint32_t low = 0;
    uint32_t high = stretches->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (stretches->from[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}
