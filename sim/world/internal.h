/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of sim/world share and nobody else sees. */
#ifndef SIM_WORLD_INTERNAL_H
#define SIM_WORLD_INTERNAL_H

#include "engine/digest.h"
#include "world/schedule.h"
#include "world/world.h"

/* What the faults of a stretch do to the latency of those whom they hit. */
typedef enum {
    SIM_SLOWING_NONE,
    SIM_SLOWING_STEADY, /* the same all the time */
    SIM_SLOWING_VARIES,
} sim_slowing;

/* One region's time cut where the set of faults with an effect there changes. Stretch i is [from[i], from[i + 1]), the
 * last never ends; from[0] is INT64_MIN. A fault without errors, with multiplier 1 and without added time has
 * no effect. Neighbours differ,
 * so a stretch with an empty set is a quiet window as wide as can be. */
typedef struct sim_stretches {
    uint32_t count;
    int64_t *from;
    uint64_t *faults;
    uint32_t *struck; /* outcome positions (ppb) at or above it meet no error */
    sim_slowing *slowing;
    bool *strikes_steadily; /* the faults' error shares do not change, and all attempts that meet one share its luck */
} sim_stretches;

/* Round trips of one scenario, resolved. */
typedef struct {
    uint32_t home_count;
    uint16_t *home;      /* catalogue numbers of the client groups' regions, rising, distinct */
    int64_t *round_trip; /* [home_count][region_count], ns */
    char *notes;         /* one a line */
} sim_distances;

/* The account as the service has it, from each change on; state[0].from is INT64_MIN. */
typedef struct {
    int64_t from;
    rgn_account account;
} sim_account_state;
typedef struct {
    uint32_t count;
    sim_account_state *state;
} sim_account_line;

struct sim_world {
    const sim_scenario *scenario;
    sim_account_line account;
    sim_distances distances;
    uint64_t region_faults[RGN_REGIONS_MAX]; /* faults whose scope names the region ... */
    uint64_t kind_faults[SIM_KINDS];         /* ... and the kind */
    uint64_t account_faults;                 /* faults on the control plane */
    uint64_t replication_faults;             /* faults that keep writes back */
    uint64_t new_connection_faults;          /* faults that spare established connections */
    sim_stretches stretches[RGN_REGIONS_MAX];
    uint64_t tables_hash;
    sim_sampler service[SIM_KINDS];
    sim_sampler jitter; /* filled if the scenario has jitter */
    sim_sampler
        *busy; /* [region * SIM_KINDS + kind], filled where the region has servers; NULL: no region has limits */
    uint64_t capacity_faults;                         /* faults that take capacity away */
    sim_sampler *lag;                                 /* of replication: the rule, then the pairs; NULL: nothing lags */
    uint8_t lag_of[RGN_REGIONS_MAX][RGN_REGIONS_MAX]; /* [from][to]: which of them */
};

/* When one set of faults makes what it hits unhealthy. The answer flips at every change; before the first it is
 * `starts_healthy`. */
typedef struct {
    uint64_t faults;
    bool starts_healthy;
    uint32_t count;
    int64_t *change; /* rising */
} sim_truth_line;

/* The faults of a run whose luck decides what they do. */
typedef struct sim_drawn {
    sim_fault *fault; /* the scenario's, with every shape drawn */
    sim_stretches stretches[RGN_REGIONS_MAX];
} sim_drawn;

/* The fault does not single out partitions, be it by their zone or their workload. */
static inline bool sim_fault_strikes_all(const sim_fault *fault)
{
    const bool is_of_zone = fault->zone.of > 0 && !fault->zone_of_replicas;
    return fault->partition_count == 0 && fault->partition_share == SIM_SHARE_ONE && fault->workloads == 0 &&
           !is_of_zone;
}

/* What one replication's luck decided. */
struct sim_world_scope {
    uint64_t *hits;          /* per partition: the faults that hit it, wherever; behind the last: those that hit all */
    uint64_t *client_hits;   /* per client: the faults that hit it */
    uint64_t any_client;     /* the faults that hit some client */
    uint64_t everybody;      /* the faults that hit all partitions, clients, kinds and connections */
    uint64_t *partition_key; /* by global index; keys a partition's luck */
    uint32_t line_count;
    sim_truth_line *line; /* by fault set, one for each set that meets a client, partition, region and
                           * kind */
    bool is_always_healthy[RGN_REGIONS_MAX];
};

/* capacity.c: which faults take capacity, and how long servers are busy; false: no memory. */
bool sim_capacity_init(sim_world *world);

/* replication.c: fills in the lags; false: no memory. */
bool sim_replication_init(sim_world *world);

/* Fills in the round trips. False with `*error`; free with sim_distances_deinit() whatever the result. */
bool sim_distances_init(sim_distances *distances, const sim_scenario *scenario, sim_input_error *error);
void sim_distances_deinit(sim_distances *distances);

/* False: no memory. Free with sim_stretches_deinit() whatever the result. */
bool sim_stretches_init(sim_stretches *stretches, const sim_fault *faults, uint64_t mask);
void sim_stretches_deinit(sim_stretches *stretches);
/* The stretch that holds the instant. */
uint32_t sim_stretches_find(const sim_stretches *stretches, int64_t at);

/* drawn.c: fills in run->fault and run->stretches. False: no memory; deinit whatever the result. */
bool sim_drawn_init(sim_world_run *run, const sim_luck *luck);
void sim_drawn_deinit(sim_world_run *run);
/* Adds what was drawn for the fault, if anything was. */
void sim_drawn_hash(const sim_world_run *run, uint32_t number, sim_digest *digest);

/* Of the faults of a region those that strike requests. */
static inline uint64_t sim_world_request_faults(const sim_world *world, rgn_region region)
{
    return world->region_faults[region] & (world->kind_faults[SIM_KIND_READ] | world->kind_faults[SIM_KIND_WRITE]);
}

/* False: no memory. Free with sim_account_line_deinit() whatever the result. */
bool sim_account_line_init(sim_account_line *line, const sim_scenario *scenario);
void sim_account_line_deinit(sim_account_line *line);
const rgn_account *sim_account_line_at(const sim_account_line *line, int64_t at);

/* write_region.c: who takes writes, once the run's scope is known. False: no memory; deinit whatever the result. */
bool sim_write_regions_init(sim_world_run *run);
void sim_write_regions_deinit(sim_world_run *run);

/* When the set of faults makes what it hits unhealthy. False: no memory; free line->change whatever the result. */
bool sim_truth_line_build(sim_truth_line *line, uint64_t mask, const sim_fault *faults, const sim_scenario *scenario);
bool sim_truth_line_is_healthy(const sim_truth_line *line, int64_t at);

/* Builds the truth lines of a run whose hits and faults are known. False: no memory. */
bool sim_truth_init(const sim_world_run *run);
void sim_truth_deinit(struct sim_world_scope *scope);

#endif
