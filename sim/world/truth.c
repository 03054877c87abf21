/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ground truth: for each set of faults that can meet, the instants at which health changes, found once for a run. */
#include "world/internal.h"

#include <assert.h>
#include <stdlib.h>

/* A truth line in the making. */
typedef struct {
    const sim_scenario *scenario;
    const sim_fault *faults;
    sim_truth_line *line;
    uint32_t room;
    bool is_healthy; /* at the end of what was looked at */
    bool has_failed; /* no memory */
} builder;

static bool is_within(const sim_scenario *scenario, sim_severity severity)
{
    return severity.errors <= scenario->healthy_errors && severity.multiplier <= scenario->healthy_latency &&
           severity.added <= scenario->healthy_added;
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

/* Sums over the faults of what each does at both ends of a piece. */
typedef struct {
    uint64_t least;
    uint64_t most;
    sim_u128 line_first; /* in units of 2^-32, rounded up: what is rounded down is less than two short */
    sim_u128 line_last;
} bounds;

/* One fault's values at the two ends, in units of 2^-32. */
static void take_in(bounds *self, sim_u128 first, sim_u128 last)
{
    const uint64_t a = (uint64_t)(first >> 32);
    const uint64_t b = (uint64_t)(last >> 32);
    self->least += a < b ? a : b;
    self->most += a < b ? b : a;
    self->line_first += first + 2;
    self->line_last += last + 2;
}

static uint64_t upper(const bounds *self)
{
    const sim_u128 line = self->line_first < self->line_last ? self->line_last : self->line_first;
    const uint64_t line_most = (uint64_t)(line >> 32);
    return self->most < line_most ? self->most : line_most;
}

/* Between two breaks each fault runs along one line, so its extremes are at the ends, and sums and products of extremes
 * bound the set. For the errors and the added latencies there is a closer upper bound: the exact sum of lines is a line
 * too, and the sum of rounded-down values never passes it. Without it, one fault that fades as fast as another grows
 * would look like both at their worst until the search had come down to single steps of a ppb. */
static range find_range(const sim_fault *faults, uint64_t mask, int64_t first, int64_t last)
{
    bounds errors = {0};
    bounds added = {0};
    range out = {.least.multiplier = SIM_FACTOR_ONE, .most.multiplier = SIM_FACTOR_ONE};
    while (mask != 0) {
        const sim_fault *fault = &faults[sim_mask_take(&mask)];
        take_in(&errors, sim_fault_harm_fine_at(fault, first), sim_fault_harm_fine_at(fault, last));
        take_in(&added, sim_fault_added_fine_at(fault, first), sim_fault_added_fine_at(fault, last));
        const uint64_t m = sim_fault_multiplier_at(fault, first);
        const uint64_t n = sim_fault_multiplier_at(fault, last);
        out.least.multiplier = sim_scale(out.least.multiplier, m < n ? m : n);
        out.most.multiplier = sim_scale(out.most.multiplier, m < n ? n : m);
    }
    out.least.errors = cap_share(errors.least);
    out.most.errors = cap_share(upper(&errors));
    out.least.added = (int64_t)added.least;
    out.most.added = (int64_t)upper(&added);
    return out;
}

/* Notes every change in [first, last], which lies between two breaks. Bisection: a stretch that may hold both answers
 * is halved; at a single instant the bounds meet. */
static void scan(builder *self, int64_t first, int64_t last)
{
    const sim_scenario *scenario = self->scenario;
    const range found = find_range(self->faults, self->line->faults, first, last);
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

bool sim_truth_line_build(sim_truth_line *line, uint64_t mask, const sim_fault *faults, const sim_scenario *scenario)
{
    *line = (sim_truth_line){.faults = mask};
    line->starts_healthy = is_within(scenario, sim_schedule_at(faults, 0, 0));
    uint32_t count;
    int64_t *at = sim_schedule_breaks(faults, mask, &count);
    if (at == NULL)
        return false;
    builder self = {.scenario = scenario, .faults = faults, .line = line, .is_healthy = line->starts_healthy};
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

/* A set of sets, each once. */
typedef struct {
    uint64_t *set;
    size_t count;
} sets;

/* Every set of `a` cut with every one of `b`; .set is NULL if there is no memory. */
static sets cut(const sets *a, const sets *b)
{
    sets out = {.set = malloc((a->count * b->count + 1) * sizeof *out.set)};
    if (out.set == NULL)
        return out;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            out.set[i * b->count + j] = a->set[i] & b->set[j];
    out.count = sort_unique(out.set, a->count * b->count);
    return out;
}

/* What fault sets partitions and clients have: every hit of a partition cut with every hit of a client. */
static sets list_hits(const struct sim_world_scope *scope, const sim_scenario *scenario)
{
    sets partitions = {.set = malloc(((size_t)scenario->partition_count + 1) * sizeof *partitions.set)};
    sets clients = {.set = malloc(((size_t)scenario->client_count + 1) * sizeof *clients.set)};
    sets out = {0};
    if (partitions.set != NULL && clients.set != NULL) {
        for (uint32_t p = 0; p < scenario->partition_count; p++)
            partitions.set[p] = scope->hits[p];
        for (uint32_t c = 0; c < scenario->client_count; c++)
            clients.set[c] = scope->client_hits[c];
        clients.set[scenario->client_count] = scope->any_client;
        partitions.count = sort_unique(partitions.set, scenario->partition_count);
        clients.count = sort_unique(clients.set, (size_t)scenario->client_count + 1);
        out = cut(&partitions, &clients);
    }
    free(partitions.set);
    free(clients.set);
    return out;
}

static void find_always_healthy(struct sim_world_scope *scope, const sim_world *world, const sets *hits)
{
    for (uint32_t r = 0; r < world->scenario->region_count; r++) {
        scope->is_always_healthy[r] = true;
        for (int k = 0; k < SIM_KINDS; k++) {
            const uint64_t faults = scope_faults(world, (rgn_region)r, (sim_kind)k);
            for (size_t i = 0; i < hits->count; i++) {
                const sim_truth_line *line = find_line(scope, hits->set[i] & faults);
                scope->is_always_healthy[r] &= line->starts_healthy && line->count == 0;
            }
        }
    }
}

bool sim_truth_init(const sim_world_run *run)
{
    struct sim_world_scope *scope = run->scope;
    const sim_world *world = run->world;
    const sim_scenario *scenario = world->scenario;
    bool is_ok = false;
    uint64_t scopes[RGN_REGIONS_MAX * SIM_KINDS];
    const sets places = {.set = scopes, .count = list_scopes(world, scopes)};
    const sets hits = list_hits(scope, scenario);
    sets all = {0};
    if (hits.set == NULL)
        goto out;
    all = cut(&hits, &places);
    if (all.set == NULL)
        goto out;
    scope->line = calloc(all.count + 1, sizeof *scope->line);
    if (scope->line == NULL)
        goto out;
    for (; scope->line_count < all.count; scope->line_count++)
        if (!sim_truth_line_build(&scope->line[scope->line_count], all.set[scope->line_count], run->fault, scenario)) {
            scope->line_count++; /* what it holds is freed with the rest */
            goto out;
        }
    find_always_healthy(scope, world, &hits);
    is_ok = true;
out:
    free(all.set);
    free(hits.set);
    return is_ok;
}

void sim_truth_deinit(struct sim_world_scope *scope)
{
    for (uint32_t i = 0; i < scope->line_count; i++)
        free(scope->line[i].change);
    free(scope->line);
}

static uint64_t client_faults(const struct sim_world_scope *scope, uint32_t client)
{
    return client == SIM_ANY_CLIENT ? scope->any_client : scope->client_hits[client];
}

static const sim_truth_line *line_of(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                                     sim_kind kind)
{
    const struct sim_world_scope *scope = run->scope;
    return find_line(scope,
                     scope->hits[partition] & client_faults(scope, client) & scope_faults(run->world, region, kind));
}

uint64_t sim_truth_client_key(const sim_world_run *run, uint32_t client)
{
    return client_faults(run->scope, client);
}

uint64_t sim_truth_partition_key(const sim_world_run *run, uint32_t partition)
{
    return run->scope->hits[partition];
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

bool sim_truth_line_is_healthy(const sim_truth_line *line, int64_t at)
{
    return is_healthy_after(line, changes_until(line, at));
}

bool sim_truth_is_calm(const sim_world_run *run, int64_t at)
{
    for (uint32_t i = 0; i < run->scope->line_count; i++)
        if (!sim_truth_line_is_healthy(&run->scope->line[i], at))
            return false;
    return true;
}

bool sim_truth_is_healthy(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                          sim_kind kind, int64_t at)
{
    const sim_truth_line *line = line_of(run, region, partition, client, kind);
    return is_healthy_after(line, changes_until(line, at));
}

int64_t sim_truth_next_change(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                              sim_kind kind, int64_t at)
{
    const sim_truth_line *line = line_of(run, region, partition, client, kind);
    const uint32_t changes = changes_until(line, at);
    return changes < line->count ? line->change[changes] : RGN_TIME_NEVER;
}

int64_t sim_truth_since(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client, sim_kind kind,
                        int64_t at)
{
    const sim_truth_line *line = line_of(run, region, partition, client, kind);
    const uint32_t changes = changes_until(line, at);
    return changes > 0 ? line->change[changes - 1] : INT64_MIN;
}

int64_t sim_truth_unhealthy_ns(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                               sim_kind kind, int64_t from, int64_t until)
{
    const sim_truth_line *line = line_of(run, region, partition, client, kind);
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
