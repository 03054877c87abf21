/* SPDX-License-Identifier: MIT */
/* failback.dwell_doublings: what a partition remembers of its trips when their entries are gone. Pure: neither stores
 * nor locks nor draws. */
#ifndef REGIONCORE_SRC_TRIP_MEMORY_H
#define REGIONCORE_SRC_TRIP_MEMORY_H

#include <regioncore/options.h>
#include <regioncore/reason.h>
#include <regioncore/types.h>

/* Trips and re-trips that are remembered. */
typedef struct {
    rgn_time_ns last; /* of the latest one; meaningless while `trips` is 0 */
    uint8_t trips;    /* as of then */
} rgni_trip_memory;

/* FBK-34: how many of them are left at `now`: one is forgotten for each full failback.trip_memory since the latest. */
unsigned rgni_trips_remembered(const rgni_trip_memory *memory, const rgn_options *options, rgn_time_ns now);

/* The reason is a trip or a re-trip by evidence, and none of the dwells that say nothing of the region. */
bool rgni_is_remembered(rgn_reason reason);

/* One more, at `now`. */
void rgni_trip_memory_add(rgni_trip_memory *memory, const rgn_options *options, rgn_time_ns now);

/* FBK-34: what a dwell that begins with so many trips remembered has beyond the knob's. */
rgn_dur_ns rgni_dwell_added(const rgn_options *options, unsigned trips);

#endif
