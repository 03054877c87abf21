/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which region serves what: where the account is, and where the service has moved a partition's writes.
 *
 * With automatic failover on, the service moves the write region of a partition whose region has been unhealthy for
 * writes for `failover_after`, to the account's first healthy region; and back to the account's write region when that
 * has been healthy for `failback_after`. It sees what strikes all clients and all connections, not what strikes some:
 * partitions struck by the same such faults move alike. While the control plane of the account's write region is
 * unhealthy nothing is decided. Everything follows from the schedule and from who is hit. */
#include <stdlib.h>

#include "world/internal.h"

typedef struct {
    int64_t from;
    rgn_region region;
} stay;

/* Where the partitions of one set of faults take writes, over time. */
typedef struct {
    uint64_t faults; /* that hit the partition and the service sees */
    uint32_t count;
    stay *stay; /* stay[0].from is INT64_MIN */
} way;

struct sim_write_regions {
    uint32_t count;
    way *way;
    uint32_t *way_of; /* by partition */
};

/* ---- the service's decisions, for one set of faults ---- */

typedef struct {
    const sim_world *world;
    const sim_scenario *scenario;
    sim_truth_line health[RGN_REGIONS_MAX]; /* by region */
    const sim_truth_line *control;          /* by region */
    int64_t *instant;                       /* at which something may be decided; rising */
    size_t instants;
    int64_t since[RGN_REGIONS_MAX]; /* when the region's health last changed */
    rgn_region current;
    rgn_region home;
} service;

static bool is_healthy(const service *self, rgn_region region, int64_t at)
{
    return sim_truth_line_is_healthy(&self->health[region], at);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Health changes, and both delays after each; changes of the account. */
static bool list_instants(service *self)
{
    const sim_account_line *account = &self->world->account;
    size_t room = account->count;
    for (uint32_t r = 0; r < self->scenario->region_count; r++)
        room += 3 * (size_t)self->health[r].count + self->control[r].count;
    self->instant = calloc(room + 1, sizeof *self->instant);
    if (self->instant == NULL)
        return false;
    for (uint32_t i = 0; i < account->count; i++)
        self->instant[self->instants++] = account->state[i].from;
    for (uint32_t r = 0; r < self->scenario->region_count; r++)
        for (uint32_t i = 0; i < self->health[r].count; i++) {
            const int64_t at = self->health[r].change[i];
            self->instant[self->instants++] = at;
            self->instant[self->instants++] = rgn_time_add(at, self->scenario->failover_after);
            self->instant[self->instants++] = rgn_time_add(at, self->scenario->failback_after);
        }
    for (uint32_t r = 0; r < self->scenario->region_count; r++)
        for (uint32_t i = 0; i < self->control[r].count; i++)
            self->instant[self->instants++] = self->control[r].change[i];
    qsort(self->instant, self->instants, sizeof *self->instant, by_value);
    return true;
}

static int64_t elapsed(int64_t from, int64_t to)
{
    return from == INT64_MIN ? RGN_TIME_NEVER : to - from;
}

static rgn_region first_healthy(const service *self, const rgn_account *account, int64_t at)
{
    for (unsigned i = 0; i < account->readable.count; i++)
        if (is_healthy(self, account->readable.region[i], at))
            return account->readable.region[i];
    return RGN_REGION_NONE;
}

static rgn_region decide(service *self, int64_t at)
{
    const rgn_account *account = sim_account_line_at(&self->world->account, at);
    const rgn_region home = account->writable.region[0];
    const bool is_moved_by_owner = home != self->home;
    self->home = home;
    if (!account->automatic_failover || is_moved_by_owner ||
        !rgn_region_in(rgn_region_list_set(&account->readable), self->current))
        return home;
    if (!sim_truth_line_is_healthy(&self->control[home], at))
        return self->current;
    if (self->current != home && is_healthy(self, home, at) &&
        elapsed(self->since[home], at) >= self->scenario->failback_after)
        return home;
    if (!is_healthy(self, self->current, at) &&
        elapsed(self->since[self->current], at) >= self->scenario->failover_after) {
        const rgn_region next = first_healthy(self, account, at);
        return next != RGN_REGION_NONE ? next : self->current;
    }
    return self->current;
}

static bool walk(service *self, way *out)
{
    out->stay = calloc(self->instants + 1, sizeof *out->stay);
    if (out->stay == NULL)
        return false;
    uint32_t seen[RGN_REGIONS_MAX] = {0};
    for (uint32_t r = 0; r < self->scenario->region_count; r++)
        self->since[r] = INT64_MIN;
    self->home = self->current = self->world->account.state[0].account.writable.region[0];
    out->stay[out->count++] = (stay){INT64_MIN, self->current};
    for (size_t i = 0; i < self->instants; i++) {
        const int64_t at = self->instant[i];
        for (uint32_t r = 0; r < self->scenario->region_count; r++)
            while (seen[r] < self->health[r].count && self->health[r].change[seen[r]] <= at)
                self->since[r] = self->health[r].change[seen[r]++];
        self->current = decide(self, at);
        if (self->current != out->stay[out->count - 1].region)
            out->stay[out->count++] = (stay){at, self->current};
    }
    return true;
}

static bool find_way(way *out, const sim_world_run *run, uint64_t faults, const sim_truth_line *control)
{
    const sim_world *world = run->world;
    const sim_scenario *scenario = world->scenario;
    service self = {.world = world, .scenario = scenario, .control = control};
    bool is_ok = true;
    out->faults = faults;
    for (uint32_t r = 0; is_ok && r < scenario->region_count; r++)
        is_ok = sim_truth_line_build(&self.health[r], faults & world->region_faults[r], run->fault, scenario);
    is_ok = is_ok && list_instants(&self) && walk(&self, out);
    for (uint32_t r = 0; r < scenario->region_count; r++)
        free(self.health[r].change);
    free(self.instant);
    return is_ok;
}

/* ---- all partitions ---- */

static uint64_t faults_seen(const sim_world *world)
{
    const sim_scenario *scenario = world->scenario;
    uint64_t seen = ~world->new_connection_faults;
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        if (sim_fault_picks_clients(&scenario->fault[f]))
            seen &= ~(UINT64_C(1) << f);
    return seen;
}

/* When the control plane of each region is well. */
static bool find_control(sim_truth_line control[RGN_REGIONS_MAX], const sim_world_run *run)
{
    const sim_world *world = run->world;
    const uint64_t faults = world->account_faults & faults_seen(world);
    bool is_ok = true;
    for (uint32_t r = 0; is_ok && r < world->scenario->region_count; r++)
        is_ok = sim_truth_line_build(&control[r], faults & world->region_faults[r], run->fault, world->scenario);
    return is_ok;
}

static bool give_way(struct sim_write_regions *self, const sim_world_run *run, uint32_t partition, uint64_t faults,
                     const sim_truth_line *control)
{
    uint32_t w = 0;
    while (w < self->count && self->way[w].faults != faults)
        w++;
    self->way_of[partition] = w;
    if (w < self->count)
        return true;
    way *grown = realloc(self->way, ((size_t)w + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    self->way = grown;
    self->way[self->count++] = (way){0};
    return find_way(&self->way[w], run, faults, control);
}

bool sim_write_regions_init(sim_world_run *run)
{
    const sim_world *world = run->world;
    const uint64_t seen = world->kind_faults[SIM_KIND_WRITE] & faults_seen(world);
    sim_truth_line control[RGN_REGIONS_MAX] = {0};
    if (!sim_world_has_control(world))
        return true;
    struct sim_write_regions *self = calloc(1, sizeof *self);
    run->write_regions = self;
    if (self == NULL)
        return false;
    self->way_of = calloc((size_t)world->scenario->partition_count + 1, sizeof *self->way_of);
    bool is_ok = self->way_of != NULL && find_control(control, run);
    for (uint32_t p = 0; is_ok && p < world->scenario->partition_count; p++)
        is_ok = give_way(self, run, p, run->scope->hits[p] & seen, control);
    for (uint32_t r = 0; r < RGN_REGIONS_MAX; r++)
        free(control[r].change);
    return is_ok;
}

void sim_write_regions_deinit(sim_world_run *run)
{
    struct sim_write_regions *self = run->write_regions;
    if (self == NULL)
        return;
    for (uint32_t w = 0; w < self->count; w++)
        free(self->way[w].stay);
    free(self->way);
    free(self->way_of);
    free(self);
    run->write_regions = NULL;
}

/* ---- questions ---- */

bool sim_world_has_control(const sim_world *world)
{
    const sim_scenario *scenario = world->scenario;
    return scenario->account_change_count > 0 ||
           (scenario->automatic_failover && !scenario->multi_write && scenario->region_count > 1);
}

rgn_region sim_world_write_region(const sim_world_run *run, uint32_t partition, int64_t at)
{
    const struct sim_write_regions *self = run->write_regions;
    const way *taken = &self->way[self->way_of[partition]];
    uint32_t low = 0, high = taken->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (taken->stay[middle].from <= at)
            low = middle;
        else
            high = middle;
    }
    return taken->stay[low].region;
}

sim_refusal sim_world_refuses(const sim_world_run *run, const sim_attempt *attempt, int64_t at)
{
    if (run->write_regions == NULL)
        return SIM_REFUSES_NOTHING;
    const rgn_account *account = sim_world_account_at(run->world, at);
    if (!rgn_region_in(rgn_region_list_set(&account->readable), attempt->region))
        return SIM_REFUSES_ALL;
    if (attempt->kind != SIM_KIND_WRITE || account->multi_write)
        return SIM_REFUSES_NOTHING;
    return sim_world_write_region(run, attempt->partition, at) == attempt->region ? SIM_REFUSES_NOTHING
                                                                                  : SIM_REFUSES_WRITES;
}
