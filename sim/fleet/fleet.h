/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fleet: every client of a run with a router of its own, as real SDK clients have.
 *
 * A fleet belongs to one run and one thread. Its random hook answers the core from the run's luck: the answer depends
 * on the client, the partition and how often that pair has asked, never on the order of events. */
#ifndef SIM_FLEET_H
#define SIM_FLEET_H

#include <regioncore/regioncore.h>

#include "engine/random.h"
#include "scenario/scenario.h"
#include "world/world.h"

struct sim_fleet;

/* 64 bytes, so that they are found without a multiplication. */
typedef struct {
    rgn_router *router;
    rgn_plan *plan;            /* [sim_fleet_plan_number()]: what its operations come to while all is well */
    const int64_t *round_trip; /* ns to each account region */
    const rgn_effective_options *options; /* of its next router; NULL: the fleet's */
    uint64_t key;              /* keys this client's luck: its group's name and its place in the group */
    struct sim_fleet *fleet;
    uint32_t index;
    uint32_t group;
    rgn_region first_region; /* sim_first_region() of its group */
} sim_client;

_Static_assert(sizeof(sim_client) == 64, "a client is found by a shift");

typedef struct sim_fleet {
    const sim_scenario *scenario;
    const sim_world *world;
    const rgn_effective_options *options; /* of every router */
    rgn_sink sink;
    sim_luck luck;
    sim_client *client;
    uint32_t count;
    rgn_plan *plan;               /* of all clients */
    uint64_t *partition_key;      /* by global index */
    struct sim_draw_counts *draws; /* how often a (client, partition) has drawn; fleet.c */
    uint32_t *draws_number;        /* of the block that has the pair's, plus one; 0: none of it has drawn */
    uint32_t draws_used;
    uint32_t draws_capacity;
    bool out_of_memory;      /* a draw could not be counted: the run is void */
    bool is_stopped;         /* `go_on` ended the making */
    uint64_t retry_ordinal;  /* operation in hand: keys the next retry jitter */
    uint16_t *retry_draws;   /* how often that operation has drawn */
    size_t router_bytes;     /* held by all routers */
    void *observer;          /* for the sink's functions */
} sim_fleet;

/* Asked now and then while routers are made, which can take minutes: false ends the making. NULL: nobody is asked. */
typedef struct {
    bool (*go_on)(void *context, int64_t now);
    void *context;
} sim_fleet_watch;

/* Makes every client's router. Borrows `options`. `sink` is called with its client as context. False: no memory, or
 * is_stopped; the fleet is then empty. */
bool sim_fleet_init(sim_fleet *fleet, const sim_scenario *scenario, const sim_world *world, const rgn_effective_options *options,
                    const sim_luck *luck, const rgn_sink *sink, const sim_fleet_watch *watch);
void sim_fleet_deinit(sim_fleet *fleet);

/* Of the plan for a client's operations of that workload and direction. */
static inline uint32_t sim_fleet_plan_number(uint32_t workload, rgn_direction direction)
{
    return workload * RGN_DIRECTIONS + direction;
}

/* Gives the client a new router, as if its process had just started; the sink is told nothing. No memory: the old one
 * stays, and out_of_memory is set. Draws go on counting: a pair that trips again draws anew. */
void sim_fleet_restart(sim_fleet *fleet, uint32_t client, rgn_time_ns now);

#endif
