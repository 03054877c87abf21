/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <stdlib.h>

static const sim_error only_503[] = {{.type = SIM_ERROR_STATUS, .status = 503, .share = SIM_SHARE_ONE}};

static const char *const fault_names[SIM_FAULTS_MAX] = {"f00", "f01", "f02", "f03", "f04", "f05", "f06", "f07"};

void fixture_init(fixture *self)
{
    *self = (fixture){
        .group = {{.name = "chicago", .home = sim_catalogue_find("northcentralus"), .count = 4},
                  {.name = "seattle", .home = sim_catalogue_find("westus"), .count = 4, .first_client = 4}},
        .workload = {{.name = "shop", .name_hash = 11, .partition_count = SHOP_PARTITIONS},
                     {.name = "stock",
                      .name_hash = 12,
                      .partition_count = STOCK_PARTITIONS,
                      .first_partition = SHOP_PARTITIONS}},
    };
    self->scenario = (sim_scenario){
        .name = "fixture",
        .path = "scenarios/fixture.yaml",
        .region_count = 3,
        .region = {sim_catalogue_find("northcentralus"), sim_catalogue_find("centralus"), sim_catalogue_find("westus")},
        .round_trip_table = "azure-rtt",
        .local_round_trip = MS,
        .service = {{.type = SIM_DIST_CONSTANT, .a = 2 * MS}, {.type = SIM_DIST_CONSTANT, .a = 5 * MS}},
        .group_count = 2,
        .group = self->group,
        .client_count = 8,
        .workload_count = 2,
        .workload = self->workload,
        .partition_count = PARTITIONS,
        .fault = self->fault,
        .healthy_errors = SIM_SHARE_ONE / 10,
        .healthy_latency = 2 * SIM_FACTOR_ONE,
        .healthy_added = 20 * MS,
    };
}

sim_fault *fixture_add_fault(fixture *self)
{
    const uint32_t f = self->scenario.fault_count++;
    ck_assert_ptr_nonnull(fault_names[f]);
    self->fault[f] = (sim_fault){
        .name = fault_names[f],
        .name_hash = 100 + f,
        .until = RGN_TIME_NEVER,
        .regions = rgn_region_bit(NORTHCENTRALUS),
        .partition_share = SIM_SHARE_ONE,
        .client_share = SIM_SHARE_ONE,
        .kinds = 1 << SIM_KIND_READ | 1 << SIM_KIND_WRITE,
        .error_count = 1,
        .error = only_503,
        .error_after = -1,
    };
    return &self->fault[f];
}

sim_world_run *fixture_run(const fixture *self, uint64_t seed)
{
    sim_input_error error;
    sim_world *world = sim_world_create(&self->scenario, &error);
    ck_assert_msg(world != NULL, "%s:%d:%d: %s", error.path, error.line, error.column, error.message);
    sim_world_run *run = sim_world_run_create(world, &(sim_luck){.seed = seed});
    ck_assert_ptr_nonnull(run);
    return run;
}

void fixture_run_destroy(sim_world_run *run)
{
    sim_world *world = (sim_world *)(uintptr_t)run->world;
    sim_world_run_destroy(run);
    sim_world_destroy(world);
}

uint64_t fixture_word(uint64_t seed, uint64_t i)
{
    return sim_threefry2x64(seed, 0, i, 0).word[0];
}

/* ---- random faults ---- */

typedef struct {
    uint64_t seed;
    uint64_t drawn;
} dice;

static int64_t roll(dice *self, int64_t bound)
{
    return (int64_t)sim_below(fixture_word(self->seed, self->drawn++), (uint64_t)bound);
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = ((const sim_point *)a)->at;
    const int64_t y = ((const sim_point *)b)->at;
    return (x > y) - (x < y);
}

/* Up to four points in time order; times that coincide are pushed apart. */
static sim_shape random_shape(dice *self, sim_point *point, const int64_t *value, int64_t values, int64_t span)
{
    const uint32_t count = (uint32_t)roll(self, 5);
    for (uint32_t i = 0; i < count; i++)
        point[i].at = roll(self, span);
    qsort(point, count, sizeof *point, by_time);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && point[i].at <= point[i - 1].at)
            point[i].at = point[i - 1].at + 1;
        point[i].value = value[roll(self, values)];
    }
    return (sim_shape){roll(self, 3) > 0 ? SIM_SHAPE_RAMP : SIM_SHAPE_STEP, count, point};
}

void fixture_add_random_faults(fixture *self, uint64_t seed, int64_t span)
{
    static const int64_t shares[] = {0,         0,         50000000,  99999999,  100000000,
                                     100000001, 300000000, 777777777, 999999999, 1000000000};
    static const int64_t factors[] = {1000000, 1000000, 0,       500000,  1414214,
                                      1999999, 2000000, 2000001, 3000000, 1000000000};
    static const int64_t added[] = {0, 0, 10 * MS, 20 * MS, 20 * MS + 1, 3600 * S};
    dice die = {.seed = seed};
    const int64_t count = 1 + roll(&die, 6);
    for (int64_t i = 0; i < count; i++) {
        const uint32_t f = self->scenario.fault_count;
        sim_fault *fault = fixture_add_fault(self);
        fault->from = roll(&die, span);
        fault->until = roll(&die, 3) == 0 ? RGN_TIME_NEVER : fault->from + 1 + roll(&die, span);
        fault->regions = (rgn_region_set)roll(&die, 8);
        fault->kinds = (uint8_t)(1 + roll(&die, 3));
        fault->partition_share = roll(&die, 2) == 0 ? SIM_SHARE_ONE : (uint32_t)roll(&die, SIM_SHARE_ONE);
        fault->error_share = random_shape(&die, self->point[f][0], shares, 10, span);
        fault->latency_multiply = random_shape(&die, self->point[f][1], factors, 10, span);
        fault->latency_add = random_shape(&die, self->point[f][2], added, 6, span);
    }
}

/* ---- severity by the book ---- */

static int64_t value_at(const sim_shape *shape, int64_t at, int64_t absent)
{
    if (shape->count == 0)
        return absent;
    if (at < shape->point[0].at)
        return shape->point[0].value;
    for (uint32_t i = 0; i + 1 < shape->count; i++) {
        const sim_point a = shape->point[i];
        const sim_point b = shape->point[i + 1];
        if (at >= b.at)
            continue;
        if (shape->type == SIM_SHAPE_STEP)
            return a.value;
        /* (a * time left + b * time gone) / whole time: both parts are positive, so this rounds down. */
        return (int64_t)(((sim_i128)a.value * (b.at - at) + (sim_i128)b.value * (at - a.at)) / (b.at - a.at));
    }
    return shape->point[shape->count - 1].value;
}

sim_severity fixture_severity(const fixture *self, rgn_region region, sim_kind kind, uint64_t hits, int64_t at)
{
    int64_t errors = 0;
    sim_u128 multiplier = SIM_FACTOR_ONE;
    int64_t added = 0;
    for (uint32_t f = 0; f < self->scenario.fault_count; f++) {
        const sim_fault *fault = &self->fault[f];
        const bool is_meant =
            (hits >> f & 1) != 0 && (fault->regions >> region & 1) != 0 && (fault->kinds >> kind & 1) != 0;
        if (!is_meant || at < fault->from || at >= fault->until)
            continue;
        errors += value_at(&fault->error_share, at - fault->from, 0);
        const uint64_t factor = (uint64_t)value_at(&fault->latency_multiply, at - fault->from, 1000000);
        multiplier = multiplier * factor / 1000000;
        if (multiplier > INT64_MAX)
            multiplier = INT64_MAX;
        added += value_at(&fault->latency_add, at - fault->from, 0);
    }
    return (sim_severity){.errors = errors > 1000000000 ? 1000000000 : (uint32_t)errors,
                          .multiplier = (uint64_t)multiplier,
                          .added = added};
}
