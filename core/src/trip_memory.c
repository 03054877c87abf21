/* SPDX-License-Identifier: MIT */
#include "trip_memory.h"

/* More than there can be doublings. */
enum { TRIPS_MAX = 32 };

unsigned rgni_trips_remembered(const rgni_trip_memory *memory, const rgn_options *options, rgn_time_ns now)
{
    rgn_dur_ns quiet;

    if (memory->trips == 0)
        return 0;
    quiet = rgn_time_elapsed(memory->last, now);
    return quiet / options->failback_trip_memory < memory->trips
               ? memory->trips - (unsigned)(quiet / options->failback_trip_memory)
               : 0;
}

bool rgni_is_remembered(rgn_reason reason)
{
    static const rgn_reason remembered[] = {
        RGN_REASON_TRIP,          RGN_REASON_TRIP_HEDGE,   RGN_REASON_RETRIP,       RGN_REASON_RETRIP_SEQUENTIAL,
        RGN_REASON_RETRIP_SINGLE, RGN_REASON_RETRIP_PROBE, RGN_REASON_RETRIP_JUDGE, RGN_REASON_RETRIP_MAX};

    for (unsigned i = 0; i < sizeof remembered / sizeof remembered[0]; i++)
        if (reason == remembered[i])
            return true;
    return false;
}

void rgni_trip_memory_add(rgni_trip_memory *memory, const rgn_options *options, rgn_time_ns now)
{
    unsigned trips = rgni_trips_remembered(memory, options, now);

    memory->trips = (uint8_t)(trips < TRIPS_MAX ? trips + 1 : TRIPS_MAX);
    memory->last = now;
}

rgn_dur_ns rgni_dwell_added(const rgn_options *options, unsigned trips)
{
    rgn_dur_ns dwell = options->failback_partition_unavailability_duration;
    rgn_dur_ns longest = RGN_DUR_MAX_;
    unsigned doublings = trips > 0 ? trips - 1 : 0;

    if (doublings > (unsigned)options->failback_dwell_doublings)
        doublings = (unsigned)options->failback_dwell_doublings;
    return dwell > longest >> doublings ? longest - dwell : (dwell << doublings) - dwell;
}
