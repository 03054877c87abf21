/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service times. */
#include <inttypes.h>

#include "scenario/load.h"
#include "scenario/logs.h"

enum { SIGMA_MAX = 5000000, PATH_SIZE = 128 };

/* sigma = ln(p99 / p50) / z(0.99) in ppm, rounded; z(0.99) = 2.32635 is the normal distribution's 99th percentile.
 * Integers only, so that every machine gets the same sigma. */
static int64_t sigma_of_p99(int64_t p50, int64_t p99)
{
    const int64_t ln2_by_z99_ppb = 297955086;
    const int spare_bits = 4; /* leave room for the product */
    const int64_t sigma_ppb =
        ((sim_log2_ratio(p99, p50) >> spare_bits) * ln2_by_z99_ppb) >> (SIM_LOG_BITS - spare_bits);
    return (sigma_ppb + 500) / 1000;
}

static bool resolve_lognormal(sim_resolver *self, const char *path, const sim_raw_parameters *raw, sim_dist *out)
{
    const bool has_p99 = raw->p99 != SIM_ABSENT;
    const bool has_sigma = raw->sigma != SIM_ABSENT;
    char inner[PATH_SIZE];
    snprintf(inner, sizeof inner, "%s.lognormal", path);
    if (has_p99 == has_sigma)
        return sim_resolve_fail(self, inner, raw->node, "found %s p99 %s sigma; expected one of the two",
                                has_p99 ? "both" : "neither", has_p99 ? "and" : "nor");
    if (has_p99 && raw->p99 < raw->p50)
        return sim_resolve_fail(self, inner, sim_node_get(raw->node, "p99"),
                                "found p99 below p50; expected at least p50");
    const int64_t sigma = has_sigma ? raw->sigma : sigma_of_p99(raw->p50, raw->p99);
    if (sigma > SIGMA_MAX)
        return sim_resolve_fail(self, inner, sim_node_get(raw->node, "p99"),
                                "p99 is more than 100000 times p50; expected a sigma of at most 5");
    *out = (sim_dist){.type = sigma == 0 ? SIM_DIST_CONSTANT : SIM_DIST_LOGNORMAL, .a = raw->p50, .b = sigma};
    return true;
}

static bool resolve_percentiles(sim_resolver *self, const char *path, const sim_raw_items *raw, sim_dist *out)
{
    sim_percentile *percentile = sim_arena_array(self->decoder->arena, raw->count, sizeof *percentile);
    char inner[PATH_SIZE];
    snprintf(inner, sizeof inner, "%s.percentiles", path);
    for (uint32_t i = 0; i < raw->count; i++) {
        percentile[i] = (sim_percentile){(uint32_t)raw->item[i].key, raw->item[i].value};
        if (i > 0 && percentile[i].value < percentile[i - 1].value)
            return sim_resolve_fail(self, inner, raw->item[i].node,
                                    "found less than at a lower percentage; expected values that do not fall");
    }
    *out = (sim_dist){.type = SIM_DIST_PERCENTILES, .count = raw->count, .percentile = percentile};
    return true;
}

static bool resolve_mixture(sim_resolver *self, const char *path, const sim_raw_items *raw, sim_dist *out);

bool sim_resolve_dist(sim_resolver *self, const char *path, const sim_raw_dist *raw, sim_dist *out)
{
    switch ((sim_dist_type)raw->choice.which) {
    case SIM_DIST_CONSTANT:
        *out = (sim_dist){.type = SIM_DIST_CONSTANT, .a = raw->constant};
        break;
    case SIM_DIST_EXPONENTIAL:
        *out = (sim_dist){.type = SIM_DIST_EXPONENTIAL, .a = raw->exponential.mean};
        break;
    case SIM_DIST_GAMMA:
        *out = (sim_dist){.type = SIM_DIST_GAMMA, .a = raw->gamma.mean, .b = raw->gamma.shape};
        break;
    case SIM_DIST_WEIBULL:
        *out = (sim_dist){.type = SIM_DIST_WEIBULL, .a = raw->weibull.p50, .b = raw->weibull.shape};
        break;
    case SIM_DIST_LOGNORMAL:
        return resolve_lognormal(self, path, &raw->lognormal, out);
    case SIM_DIST_PERCENTILES:
        return resolve_percentiles(self, path, &raw->percentiles, out);
    case SIM_DIST_MIXTURE:
        return resolve_mixture(self, path, &raw->mixture, out);
    }
    return true;
}

static bool resolve_mixture(sim_resolver *self, const char *path, const sim_raw_items *raw, sim_dist *out)
{
    sim_dist_part *part = sim_arena_array(self->decoder->arena, raw->count, sizeof *part);
    char inner[PATH_SIZE];
    int64_t sum = 0;
    for (uint32_t i = 0; i < raw->count; i++) {
        const sim_raw_part *from = raw->item[i].record;
        snprintf(inner, sizeof inner, "%s.mixture[%" PRIu32 "].of", path, i + 1);
        if (!sim_resolve_dist(self, inner, &from->of, &part[i].dist))
            return false;
        part[i].share = (uint32_t)from->share;
        sum += from->share;
    }
    snprintf(inner, sizeof inner, "%s.mixture", path);
    if (sum != SIM_SHARE_ONE)
        return sim_resolve_fail(self, inner, raw->node, "the shares do not sum to 100 %%");
    *out = (sim_dist){.type = SIM_DIST_MIXTURE, .count = raw->count, .part = part};
    return true;
}

static bool resolve_pair(sim_resolver *self, const sim_raw_item *item, uint32_t number, sim_replication_pair *out)
{
    sim_raw_replication_pair *raw = item->record;
    char path[PATH_SIZE];
    sim_raw_item ends[2] = {{.name = raw->from, .node = item->node}, {.name = raw->to, .node = item->node}};
    const sim_raw_items names = {.node = item->node, .count = 2, .item = ends};
    rgn_region_list found;
    snprintf(path, sizeof path, "replication.pairs[%" PRIu32 "]", number);
    if (!sim_resolve_regions(self, path, &names, &found))
        return false;
    if (found.region[0] == found.region[1])
        return sim_resolve_fail(self, path, item->node, "a region does not lag behind itself; expected two regions");
    out->from = found.region[0];
    out->to = found.region[1];
    snprintf(path, sizeof path, "replication.pairs[%" PRIu32 "].lag", number);
    return sim_resolve_dist(self, path, &raw->lag, &out->lag);
}

/* Of two lags for the same way one would count for nothing. */
static bool is_new_pair(sim_resolver *self, const sim_replication_pair *pair, uint32_t index, const sim_node *node)
{
    char path[PATH_SIZE];
    for (uint32_t i = 0; i < index; i++) {
        if (pair[i].from != pair[index].from || pair[i].to != pair[index].to)
            continue;
        snprintf(path, sizeof path, "replication.pairs[%" PRIu32 "]", index + 1);
        return sim_resolve_fail(self, path, node, "replication.pairs[%" PRIu32 "] has this pair already", i + 1);
    }
    return true;
}

bool sim_resolve_replication(sim_resolver *self)
{
    sim_raw_replication *raw = &self->raw->replication;
    sim_replication *out = &self->out->replication;
    if (raw->node == NULL)
        return true;
    sim_replication_pair *pair = sim_arena_array(self->decoder->arena, raw->pairs.count, sizeof *pair);
    out->is_on = true;
    out->redrawn = raw->redrawn;
    out->pair = pair;
    out->pair_count = raw->pairs.count;
    for (uint32_t i = 0; i < raw->pairs.count; i++)
        if (!resolve_pair(self, &raw->pairs.item[i], i + 1, &pair[i]) ||
            !is_new_pair(self, pair, i, raw->pairs.item[i].node))
            return false;
    return sim_resolve_dist(self, "replication.lag", &raw->lag, &out->lag);
}

bool sim_resolve_service(sim_resolver *self)
{
    return sim_resolve_dist(self, "service.read", &self->raw->service.kind[SIM_KIND_READ],
                            &self->out->service[SIM_KIND_READ]) &&
           sim_resolve_dist(self, "service.write", &self->raw->service.kind[SIM_KIND_WRITE],
                            &self->out->service[SIM_KIND_WRITE]);
}
