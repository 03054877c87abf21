/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario's faults are meant to do at an instant: pure functions of the schedule, integers only.
 *
 * A set of faults is a mask, bit f = fault number f; numbers follow the names' order. Every instant is exact to the
 * nanosecond: a fault acts in [from, until), a point of a shape from its own instant on. */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "engine/wide.h"
#include "scenario/scenario.h"

/* How bad it is: the stacked error share in ppb, at most SIM_SHARE_ONE, the combined latency multiplier in ppm, and the
 * added latencies together in ns. */
typedef struct {
    uint32_t errors;
    uint64_t multiplier;
    int64_t added;
} sim_severity;

/* Takes the lowest fault number out of `*mask`, which is not empty. */
static inline unsigned sim_mask_take(uint64_t *mask)
{
    const unsigned first = (unsigned)__builtin_ctzll(*mask);
    *mask &= *mask - 1;
    return first;
}

/* The value of a shape with at least one point (of one that is not drawn yet the first), `at` ns after its fault's
 * start. Between two points of a ramp the exact value is rounded down, whether the ramp rises or falls. */
int64_t sim_shape_at(const sim_shape *shape, int64_t at);

/* The fault's own error share, multiplier, added latency and further round trips at instant `at`; outside [from, until)
 * 0, SIM_FACTOR_ONE, 0 and 0. */
uint32_t sim_fault_errors_at(const sim_fault *fault, int64_t at);
uint64_t sim_fault_multiplier_at(const sim_fault *fault, int64_t at);
int64_t sim_fault_added_at(const sim_fault *fault, int64_t at);
uint32_t sim_fault_round_trips_at(const sim_fault *fault, int64_t at);
/* The share of capacity (ppb) that the fault takes; outside [from, until) 0. */
uint32_t sim_fault_capacity_lost_at(const sim_fault *fault, int64_t at);

/* How often a packet is lost, ppb; 0 outside. */
uint32_t sim_fault_losses_at(const sim_fault *fault, int64_t at);
/* By how much writes are held back at an instant, ns; 0 outside. */
int64_t sim_fault_held_back_at(const sim_fault *fault, int64_t at);

/* The share of the attempts in the fault's scope that it fails or takes a packet from, in units of 2^-32 ppb, rounded
 * down: of a zone's replicas the share of the whole partition, which has replicas elsewhere. */
uint64_t sim_fault_harm_fine_at(const sim_fault *fault, int64_t at);

/* The fault's error share and added latency in units of 2^-32, rounded down: for sums that must not add up rounding
 * errors. */
uint64_t sim_fault_errors_fine_at(const sim_fault *fault, int64_t at);
sim_u128 sim_fault_added_fine_at(const sim_fault *fault, int64_t at);

/* `value` (a time in ns or another factor) times a factor in ppm: rounded down, at most INT64_MAX, which a time reads
 * as RGN_TIME_NEVER. */
uint64_t sim_scale(uint64_t value, uint64_t factor);

/* Shares of harm added up to at most SIM_SHARE_ONE, multipliers multiplied in the order of the faults' numbers,
 * latencies added up. */
sim_severity sim_schedule_at(const sim_fault *faults, uint64_t mask, int64_t at);

/* Instants in rising order between which every fault of the set either keeps still or runs along one straight line.
 * The caller frees the array; NULL: no memory. */
int64_t *sim_schedule_breaks(const sim_fault *faults, uint64_t mask, uint32_t *count);

#endif
