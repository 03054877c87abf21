/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ground truth: for each set of faults that can meet, the instants at which health changes, found once for a run. */
#include "world/internal.h"

#include <assert.h>
#include <stdlib.h>

/* A truth line in the making. */
typedef struct {
    const sim_scenario *scenario;
    sim_truth_line *line;
    uint32_t room;
    bool is_healthy; /* at the end of what was looked at */
    bool has_failed; /* no memory */
} builder;

static bool is_within(const sim_scenario *scenario, sim_severity severity)
{
    return severity.errors <= scenario->healthy_errors && severity.multiplier <= scenario->healthy_latency;
}

static void note(builder *self, int64_t at, bool is_healthy)
{
    if (is_healthy == self->is_healthy || self->has_failed)
        return;
    sim_truth_line *line = self->line;
    if (line->count == self->room) {
        const uint32_t room = self->room == 0 ? 8 : self->room * 2;
        int64_t *grown = realloc(line->change, room * sizeof *grown);
        if (grown == NULL) {
            self->has_failed = true;
            return;
        }
        line->change = grown;
        self->room = room;
    }
    line->change[line->count++] = at;
    self->is_healthy = is_healthy;
}

/* The least and the most that the set can do in [first, last]. */
typedef struct {
    sim_severity least;
    sim_severity most;
} range;

static uint32_t cap_share(uint64_t share)
{
    return share < SIM_SHARE_ONE ? (uint32_t)share : SIM_SHARE_ONE;
}

/* Between two breaks each fault runs along one line, so its extremes are at the ends, and sums and products of extremes
 * bound the set. For the errors there is a closer upper bound: the exact sum of lines is a line too, and the sum of
 * rounded-down shares never passes it. Without it, one fault that fades as fast as another grows would look like
 * both at their worst until the search had come down to single steps of a ppb. */
static range find_range(const sim_fault *faults, uint64_t mask, int64_t first, int64_t last)
{
    uint64_t least = 0;
    uint64_t most = 0;
    sim_u128 line_first = 0;
    sim_u128 line_last = 0;
    range out = {.least.multiplier = SIM_FACTOR_ONE, .most.multiplier = SIM_FACTOR_ONE};
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        const uint32_t a = sim_fault_errors_at(fault, first);
        const uint32_t b = sim_fault_errors_at(fault, last);
        least += a < b ? a : b;
        most += a < b ? b : a;
        line_first += (sim_u128)sim_fault_errors_fine_at(fault, first) + 1; /* rounded up */
        line_last += (sim_u128)sim_fault_errors_fine_at(fault, last) + 1;
        const uint64_t m = sim_fault_multiplier_at(fault, first);
        const uint64_t n = sim_fault_multiplier_at(fault, last);
        out.least.multiplier = sim_scale(out.least.multiplier, m < n ? m : n);
        out.most.multiplier = sim_scale(out.most.multiplier, m < n ? n : m);
    }
    const uint64_t line_most = (uint64_t)((line_first < line_last ? line_last : line_first) >> 32);
    out.least.errors = cap_share(least);
    out.most.errors = cap_share(most < line_most ? most : line_most);
    return out;
}

/* Notes every change in [first, last], which lies between two breaks. Bisection: a stretch that may hold both answers
 * is halved; at a single instant the bounds meet. */
static void scan(builder *self, int64_t first, int64_t last)
{
    const sim_scenario *scenario = self->scenario;
    const range found = find_range(scenario->fault, self->line->faults, first, last);
    if (is_within(scenario, found.most)) {
        note(self, first, true);
    } else if (!is_within(scenario, found.least)) {
        note(self, first, false);
    } else {
        assert(first < last);
        const int64_t middle = first + (last - first) / 2;
        scan(self, first, middle);
        scan(self, middle + 1, last);
    }
}

static bool build_line(sim_truth_line *line, uint64_t mask, const sim_scenario *scenario)
{
    *line = (sim_truth_line){.faults = mask};
    line->starts_healthy = is_within(scenario, sim_schedule_at(scenario->fault, 0, 0));
    uint32_t count;
    int64_t *at = sim_schedule_breaks(scenario->fault, mask, &count);
    if (at == NULL)
        return false;
    builder self = {.scenario = scenario, .line = line, .is_healthy = line->starts_healthy};
    for (uint32_t i = 0; i < count; i++)
        scan(&self, at[i], (i + 1 < count ? at[i + 1] : RGN_TIME_NEVER) - 1);
    free(at);
    return !self.has_failed;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || value[i] != value[kept - 1])
            value[kept++] = value[i];
    return kept;
}

static uint64_t scope_faults(const sim_world *world, rgn_region region, sim_kind kind)
{
    return world->region_faults[region] & world->kind_faults[kind];
}

/* The scopes (region and kind) that differ: at most one for each pair. */
static size_t list_scopes(const sim_world *world, uint64_t *scope)
{
    size_t count = 0;
    for (uint32_t r = 0; r < world->scenario->region_count; r++)
        for (int k = 0; k < SIM_KINDS; k++)
            scope[count++] = scope_faults(world, (rgn_region)r, (sim_kind)k);
    return sort_unique(scope, count);
}

static const sim_truth_line *find_line(const struct sim_world_scope *scope, uint64_t faults)
{
    uint32_t low = 0;
    uint32_t high = scope->line_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (scope->line[middle].faults <= faults)
            low = middle;
        else
            high = middle;
    }
    assert(scope->line[low].faults == faults);
    return &scope->line[low];
}

static void find_always_healthy(struct sim_world_scope *scope, const sim_world *world, const uint64_t *hits,
                                size_t hit_count)
{
    for (uint32_t r = 0; r < world->scenario->region_count; r++) {
        scope->is_always_healthy[r] = true;
        for (int k = 0; k < SIM_KINDS; k++) {
            const uint64_t faults = scope_faults(world, (rgn_region)r, (sim_kind)k);
            for (size_t i = 0; i < hit_count; i++) {
                const sim_truth_line *line = find_line(scope, hits[i] & faults);
                scope->is_always_healthy[r] &= line->starts_healthy && line->count == 0;
            }
        }
    }
}

bool sim_truth_init(struct sim_world_scope *scope, const sim_world *world)
{
    const sim_scenario *scenario = world->scenario;
    bool is_ok = false;
    uint64_t scopes[RGN_REGIONS_MAX * SIM_KINDS];
    const size_t scope_count = list_scopes(world, scopes);
    uint64_t *sets = NULL;
    uint64_t *hits = malloc(((size_t)scenario->partition_count + 1) * sizeof *hits);
    if (hits == NULL)
        goto out;
    for (uint32_t p = 0; p < scenario->partition_count; p++)
        hits[p] = scope->hits[p];
    const size_t hit_count = sort_unique(hits, scenario->partition_count);

    sets = malloc((hit_count * scope_count + 1) * sizeof *sets);
    if (sets == NULL)
        goto out;
    for (size_t i = 0; i < hit_count; i++)
        for (size_t j = 0; j < scope_count; j++)
            sets[i * scope_count + j] = hits[i] & scopes[j];
    const size_t set_count = sort_unique(sets, hit_count * scope_count);

    scope->line = calloc(set_count + 1, sizeof *scope->line);
    if (scope->line == NULL)
        goto out;
    for (; scope->line_count < set_count; scope->line_count++)
        if (!build_line(&scope->line[scope->line_count], sets[scope->line_count], scenario)) {
            scope->line_count++; /* what it holds is freed with the rest */
            goto out;
        }
    find_always_healthy(scope, world, hits, hit_count);
    is_ok = true;
out:
    free(sets);
    free(hits);
    return is_ok;
}

void sim_truth_deinit(struct sim_world_scope *scope)
{
    for (uint32_t i = 0; i < scope->line_count; i++)
        free(scope->line[i].change);
    free(scope->line);
}

static const sim_truth_line *line_of(const sim_world_run *run, rgn_region region, uint32_t partition, sim_kind kind)
{
    return find_line(run->scope, run->scope->hits[partition] & scope_faults(run->world, region, kind));
}

/* How many changes have happened at `at`; one at that very instant has. */
static uint32_t changes_until(const sim_truth_line *line, int64_t at)
{
    uint32_t low = 0;
    uint32_t high = line->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (line->change[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_healthy_after(const sim_truth_line *line, uint32_t changes)
{
    return line->starts_healthy == (changes % 2 == 0);
}

bool sim_truth_is_healthy(const sim_world_run *run, rgn_region region, uint32_t partition, sim_kind kind, int64_t at)
{
    const sim_truth_line *line = line_of(run, region, partition, kind);
    return is_healthy_after(line, changes_until(line, at));
}

int64_t sim_truth_next_change(const sim_world_run *run, rgn_region region, uint32_t partition, sim_kind kind,
                              int64_t at)
{
    const sim_truth_line *line = line_of(run, region, partition, kind);
    const uint32_t changes = changes_until(line, at);
    return changes < line->count ? line->change[changes] : RGN_TIME_NEVER;
}

int64_t sim_truth_since(const sim_world_run *run, rgn_region region, uint32_t partition, sim_kind kind, int64_t at)
{
    const sim_truth_line *line = line_of(run, region, partition, kind);
    const uint32_t changes = changes_until(line, at);
    return changes > 0 ? line->change[changes - 1] : INT64_MIN;
}

int64_t sim_truth_unhealthy_ns(const sim_world_run *run, rgn_region region, uint32_t partition, sim_kind kind,
                               int64_t from, int64_t until)
{
    const sim_truth_line *line = line_of(run, region, partition, kind);
    int64_t sum = 0;
    uint32_t changes = changes_until(line, from);
    for (int64_t at = from; at < until; changes++) {
        const int64_t next = changes < line->count && line->change[changes] < until ? line->change[changes] : until;
        if (!is_healthy_after(line, changes))
            sum += next - at;
        at = next;
    }
    return sum;
}

bool sim_truth_is_always_healthy(const sim_world_run *run, rgn_region region)
{
    return run->scope->is_always_healthy[region];
}
