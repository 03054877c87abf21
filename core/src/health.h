/* SPDX-License-Identifier: MIT */
/* breaker.health region: reducers over the regions of one partition, each with a machine of its own (BRK-22).
 *
 *   healthy        failures in a row reach the threshold            unavailable
 *   unavailable    connected to; a request succeeds late enough     on trial
 *   on trial       half the threshold's failures                    unavailable
 *   on trial       the threshold's successes, no failure between    healthy
 *
 * The machines lie in scene->health. The entry is what follows from them, made anew by each change:
 *
 *   phase         unhealthy while a region is unavailable, else recovering while one is on trial, else counting while
 *                 one has failures, else absent
 *   failed        the unavailable regions, the one that has been so for longest first; routing leaves them out
 *   first_failed  the first of these, else the preferred one of those on trial
 *   current       the preferred region that is not unavailable
 *   tripped       all that the breaker covers while a region is unavailable
 *
 * breaker.c and failback.c call these in place of what they do themselves. */
#ifndef REGIONCORE_SRC_HEALTH_H
#define REGIONCORE_SRC_HEALTH_H

#include "entry.h"

/* A counted failure at `region`; the entry may be absent. */
void rgni_health_on_failure(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgn_direction direction,
                            rgni_story *story);

/* An ordinary success at `region`. */
void rgni_health_on_success(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgn_direction direction,
                            rgni_story *story);

/* Hedges have won `wins` times in a row against `region`, and none is unavailable. False if there is nowhere else to
 * go, and nothing has changed. */
bool rgni_health_on_hedge_wins(rgn_entry *entry, const rgni_scene *scene, rgn_region region, uint32_t wins,
                               rgni_story *story);

/* `region` could be connected to. */
void rgni_health_on_connection(rgn_entry *entry, const rgni_scene *scene, rgn_region region, rgni_story *story);

/* Background work: promotes whoever's dwell is over, where that suffices. A story that is full has left others for
 * another call. */
void rgni_health_on_expiry(rgn_entry *entry, const rgni_scene *scene, bool is_tick, rgni_story *story);

/* The unavailable regions whose dwell is over at `now`. */
rgn_region_set rgni_health_due_regions(const rgn_entry *entry, const rgn_health *health, const rgn_options *options,
                                       rgn_time_ns now);

/* When the first of the dwells is over; RGN_TIME_NEVER without an unavailable region. */
rgn_time_ns rgni_health_due(const rgn_entry *entry, const rgn_health *health, const rgn_options *options);

#endif
