/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small scenario made by hand: three regions, two client groups, two workloads, no fault yet. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <check.h>

#include "world/schedule.h"
#include "world/world.h"

#define MS  RGN_NS_PER_MS
#define S   RGN_NS_PER_S
#define MIN (60 * RGN_NS_PER_S)

enum { NORTHCENTRALUS = 0, CENTRALUS = 1, WESTUS = 2 };
enum { SHOP_PARTITIONS = 50, STOCK_PARTITIONS = 30, PARTITIONS = SHOP_PARTITIONS + STOCK_PARTITIONS };

typedef struct {
    sim_scenario scenario;
    sim_client_group group[2];
    sim_workload workload[2];
    sim_fault fault[SIM_FAULTS_MAX];
    sim_point point[SIM_FAULTS_MAX][3][4];
} fixture;

/* Reads serve in exactly 2 ms, writes in 5 ms; the shipped table gives the round trips. */
void fixture_init(fixture *self);

/* Adds a fault named "f00", "f01", ...: all partitions of northcentralus, both kinds, 503 from start to end, no error
 * share and no multiplier yet. */
sim_fault *fixture_add_fault(fixture *self);

/* Makes world and run; fails the test on an error. */
sim_world_run *fixture_run(const fixture *self, uint64_t seed);
void fixture_run_destroy(sim_world_run *run);

/* Adds 1 to 6 random faults, all their times within `span` ns; round and crooked values, ramps that cross, gaps. */
void fixture_add_random_faults(fixture *self, uint64_t seed, int64_t span);

/* Severity by the book, written apart from the code under test: every fault and point looked at in turn. */
sim_severity fixture_severity(const fixture *self, rgn_region region, sim_kind kind, uint64_t hits, int64_t at);

/* Deterministic words for random tests: the i-th of a seed. */
uint64_t fixture_word(uint64_t seed, uint64_t i);

#endif
