/* SPDX-License-Identifier: MIT */
/* Time, regions and partitions: the words every other header uses.
 *
 * The core never reads a clock. Each call carries `now` in nanoseconds of any monotonic clock, real or virtual;
 * within one router `now` must not go back. RGN_TIME_NEVER is the one reserved value of a time or a duration. */
#ifndef REGIONCORE_TYPES_H
#define REGIONCORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t rgn_time_ns; /* an instant */
typedef int64_t rgn_dur_ns;  /* a duration, never negative */

#define RGN_TIME_NEVER INT64_MAX

#define RGN_NS_PER_US INT64_C(1000)
#define RGN_NS_PER_MS INT64_C(1000000)
#define RGN_NS_PER_S  INT64_C(1000000000)

/* A region is an index into the account's region table; a set of regions is a mask, bit r = region r. */
typedef uint8_t rgn_region;
typedef uint32_t rgn_region_set;

enum { RGN_REGIONS_MAX = 32 };
#define RGN_REGION_NONE UINT8_MAX

/* A partition is a dense index that the embedder gives to each (collection, partition key range) it meets. */
typedef uint32_t rgn_partition;
#define RGN_PARTITION_UNKNOWN UINT32_MAX

typedef enum { RGN_READ = 0, RGN_WRITE = 1 } rgn_direction;
enum { RGN_DIRECTIONS = 2 };

/* The set that holds just `region`; empty for RGN_REGION_NONE. */
static inline rgn_region_set rgn_region_bit(rgn_region region)
{
    return region < RGN_REGIONS_MAX ? (rgn_region_set)1 << region : 0;
}

static inline bool rgn_region_in(rgn_region_set set, rgn_region region)
{
    return (set & rgn_region_bit(region)) != 0;
}

/* `at` + `duration`, or RGN_TIME_NEVER where either is NEVER or the sum would pass it. */
static inline rgn_time_ns rgn_time_add(rgn_time_ns at, rgn_dur_ns duration)
{
    if (((uint64_t)at | (uint64_t)duration) >> 62 == 0) /* nearly always: neither is negative or beyond 146 years */
        return at + duration;
    if (at == RGN_TIME_NEVER || duration == RGN_TIME_NEVER || (duration > 0 && at > RGN_TIME_NEVER - duration))
        return RGN_TIME_NEVER;
    return at + duration;
}

/* How long ago `since` was at `now`; 0 if it is still to come or is NEVER. */
static inline rgn_dur_ns rgn_time_elapsed(rgn_time_ns since, rgn_time_ns now)
{
    return now <= since ? 0 : now - since; /* NEVER is later than any now */
}

static inline rgn_time_ns rgn_time_min(rgn_time_ns a, rgn_time_ns b)
{
    return a < b ? a : b;
}

/* What a call can tell of itself. Anything but RGN_OK leaves the object as it was. */
typedef enum {
    RGN_OK = 0,
    RGN_ERR_NO_MEMORY = 1, /* the allocator gave nothing */
    RGN_ERR_RANGE = 2,     /* a value lies outside its documented range */
} rgn_status;

#ifdef __cplusplus
}
#endif
#endif
