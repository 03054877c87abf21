/* SPDX-License-Identifier: MIT */
/* Per-partition automatic failover: where a partition's writes go when the service has moved them, and which region is
 * known as its hub.
 *
 * An account with one write region may have automatic failover on: the service then moves the write region of single
 * partitions. The client learns of it by trying: a write that fails in one region walks the read regions, and once it
 * has reached one, its failures are recorded here. The override sends later writes of the partition straight there.
 *
 *   override   event                                  next      reason
 *   absent     first failure of a write               set       failover_set
 *   set        failure at the current region          set       failover_move
 *   set        failure elsewhere                      set       (the region joins the failed ones)
 *   set        failure, no region is left             absent    failover_exhausted
 *   absent     a region is confirmed as hub           set       hub_found
 *   set        another region is confirmed as hub     set       hub_found
 *   any        automatic failover goes on or off      absent    flag_edge
 *   any        the account lost the current region    absent    region_removed (not with routing.rules driver)
 *
 * There is no threshold, no expiry and no probe: one failure is the service's answer, and the way back is another one.
 * A read that is looking for the hub (after a session was not available) uses and feeds the same override. */
#ifndef REGIONCORE_FAILOVER_H
#define REGIONCORE_FAILOVER_H

#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One partition's override. All zero: none. */
typedef struct {
    rgn_time_ns first_failure; /* or when the hub was confirmed */
    rgn_time_ns last_failure;
    rgn_region_set failed;   /* regions that are not chosen again */
    rgn_region current;      /* where writes go */
    rgn_region first_failed; /* whose failure created the override; of a confirmed hub: the hub */
    bool is_set;
} rgn_override;

/* A change of an override, told to the router's sink after it is stored. */
typedef struct {
    rgn_time_ns at;
    rgn_partition partition;
    uint8_t reason;        /* rgn_reason, see the table above */
    rgn_region region;     /* of the event; NONE for flag_edge and region_removed */
    rgn_override override; /* after the change; of a drop: its last value */
} rgn_override_change;

#ifdef __cplusplus
}
#endif
#endif
