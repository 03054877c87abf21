/* SPDX-License-Identifier: MIT */
/* Reducers over one entry: old entry + event -> new entry, with the transitions that happened.
 *
 * They are pure but for the draws they ask of `random`; they neither store nor lock. breaker.c holds the trip side,
 * failback.c the recovery side, partition.c what both share. An entry whose phase becomes RGN_PHASE_ABSENT is dropped
 * by the router. */
#ifndef REGIONCORE_SRC_ENTRY_H
#define REGIONCORE_SRC_ENTRY_H

#include <regioncore/router.h>

/* Where an event happens. */
typedef struct {
    const rgn_options *options;
    const rgn_topology *topology;
    const rgn_random *random;
    rgn_partition partition;
    rgn_time_ns now;
    uint32_t *generation;          /* the router's counter; ++*generation is a new one */
    rgn_router_counters *counters; /* late results */
    rgn_health *health;            /* beside the entry; NULL unless breaker.health is region.
                                      Those who look at canaries do not ask for it. */
} rgni_scene;

/* What happened, in order. One event causes at most RGNI_STORY_MAX transitions. */
enum { RGNI_STORY_MAX = 6 };
typedef struct {
    unsigned count;
    rgn_transition transition[RGNI_STORY_MAX];
} rgni_story;

/* The canary an operation carries. */
typedef struct {
    uint32_t generation;
    uint16_t window_id;
} rgni_ticket;

/* `share` is NULL unless breaker.rule is share. Region and direction are those of the attempt. */

/* A failure is counted (the breaker covers the operation). `entry` may be absent: phase RGN_PHASE_ABSENT, rest zero. */
void rgni_breaker_on_failure(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                             rgn_direction direction, rgni_story *story);

/* An ordinary success (rules consecutive and share look at it; probe_admission all: it decides the probe if
 * `is_below_400`). */
void rgni_breaker_on_success(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                             rgn_direction direction, bool is_below_400, rgni_story *story);

/* Hedges have won against `region` `wins` times in a row, which reaches the threshold. True if the count has done its
 * work and begins anew; false if nothing came of it and it goes on. `entry` may be absent. */
bool rgni_breaker_on_hedge_wins(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                                uint32_t wins, rgni_story *story);

/* Asks whether the operation that makes its first attempt now is a canary. The caller has checked that the direction is
 * tripped, that the first failed region is there, not excluded and not marked, and that the phase is recovering.
 * Ticks the sampler (or admits the probe) and, if that says yes, looks at the window first. */
bool rgni_failback_admit(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_direction direction,
                         uint32_t hash, rgni_ticket *ticket, rgni_story *story);

/* The canary with that ticket ended. `entry` may be absent. */
void rgni_failback_on_result(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgni_ticket ticket,
                             rgn_evidence evidence, rgn_direction direction, rgni_story *story);

/* FBK-17: a result whose window, recovery or entry is gone. Its class changes nothing. */
void rgni_failback_count_late(rgn_router_counters *counters, rgn_evidence evidence);

/* Background work on one entry: `is_tick` at a tick of the sweep grid, else a due expiry, which only promotes. */
void rgni_failback_on_expiry(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, bool is_tick,
                             rgni_story *story);

/* failback.promote_on connection holds the entry's promotion back. */
bool rgni_failback_awaits_connection(const rgn_entry *entry, const rgn_options *options);

/* `region` could be connected to for the entry of that generation: promotes it, if it is the first failed one (of
 * breaker.health region: if it is unavailable) and its dwell is over. */
void rgni_failback_on_connection(rgn_entry *entry, rgn_share_tally *share, const rgni_scene *scene, rgn_region region,
                                 uint32_t generation, rgni_story *story);

/* When the dwell is over; RGN_TIME_NEVER unless unhealthy, or counting where untripped entries are promoted too. */
rgn_time_ns rgni_failback_due(const rgn_entry *entry, const rgn_options *options);

/* Drops the entry for a reason that is no evidence (region_removed, flag_edge). */
void rgni_entry_drop(rgn_entry *entry, const rgni_scene *scene, rgn_reason reason, rgni_story *story);

#endif
