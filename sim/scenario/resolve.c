/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Account, network, service times and clients: names looked up, numbers put where the program wants them. */
#include <stdarg.h>
#include <string.h>

#include "scenario/load.h"

enum { LOG_BITS = 31, SIGMA_MAX = 5000000 };

bool sim_resolve_fail(sim_resolver *self, const char *path, const sim_node *node, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sim_error_at(self->decoder->error, self->decoder->source, node, "%s: %s", path, message);
}

static rgn_region region_index(const sim_scenario *scenario, const char *name)
{
    for (uint32_t r = 0; r < scenario->region_count; r++) {
        if (strcmp(scenario->region_name[r], name) == 0)
            return (rgn_region)r;
    }
    return RGN_REGION_NONE;
}

bool sim_resolve_regions(sim_resolver *self, const char *path, const sim_raw_items *names, rgn_region_list *list)
{
    const sim_scenario *out = self->out;
    *list = (rgn_region_list){0};
    for (uint32_t i = 0; i < names->count; i++) {
        const sim_raw_item *item = &names->item[i];
        const rgn_region region = region_index(out, item->name);
        if (region != RGN_REGION_NONE) {
            list->region[list->count++] = region;
            continue;
        }
        const char *nearest = sim_nearest(item->name, out->region_name, out->region_count);
        return sim_resolve_fail(self, path, item->node,
                                "the account has no region \"%s\"; expected one of account.regions%s%s%s", item->name,
                                nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                                nearest != NULL ? "\"?" : "");
    }
    return true;
}

static void resolve_account(sim_resolver *self)
{
    const sim_raw_account *raw = &self->raw->account;
    sim_scenario *out = self->out;
    out->multi_write = raw->writes != 0;
    out->automatic_failover = raw->automatic_failover != 0;
    out->region_count = raw->regions.count;
    for (uint32_t r = 0; r < raw->regions.count; r++) {
        out->region_name[r] = raw->regions.item[r].name;
        out->region[r] = sim_catalogue_find(out->region_name[r]);
        if (out->multi_write || r == 0)
            out->writable.region[out->writable.count++] = (rgn_region)r;
    }
}

/* log2(numerator / denominator) in units of 2^-31; numerator >= denominator > 0. Bit by bit: squaring a number doubles
 * its logarithm. Integers only, so that every machine gets the same sigma. */
static int64_t log2_ratio(int64_t numerator, int64_t denominator)
{
    int64_t whole = 0;
    while (numerator / 2 >= denominator) {
        denominator *= 2;
        whole++;
    }
    /* x = numerator / denominator in [1, 2), with 31 fractional bits. */
    uint64_t x = (uint64_t)1 << LOG_BITS;
    uint64_t rest = (uint64_t)(numerator - denominator);
    for (int bit = LOG_BITS - 1; bit >= 0; bit--) {
        rest *= 2;
        if (rest >= (uint64_t)denominator) {
            rest -= (uint64_t)denominator;
            x |= (uint64_t)1 << bit;
        }
    }
    int64_t fraction = 0;
    for (int bit = 0; bit < LOG_BITS; bit++) {
        x = (x * x) >> LOG_BITS;
        fraction *= 2;
        if (x >= (uint64_t)2 << LOG_BITS) {
            x /= 2;
            fraction++;
        }
    }
    return whole * ((int64_t)1 << LOG_BITS) + fraction;
}

/* sigma = ln(p99 / p50) / z(0.99) in ppm, rounded; z(0.99) = 2.32635 is the normal distribution's 99th percentile. */
static int64_t sigma_of_p99(int64_t p50, int64_t p99)
{
    const int64_t ln2_by_z99_ppb = 297955086;
    const int spare_bits = 4; /* leave room for the product */
    const int64_t sigma_ppb = ((log2_ratio(p99, p50) >> spare_bits) * ln2_by_z99_ppb) >> (LOG_BITS - spare_bits);
    return (sigma_ppb + 500) / 1000;
}

static bool resolve_lognormal(sim_resolver *self, const char *path, const sim_raw_parameters *raw, sim_dist *out)
{
    const bool has_p99 = raw->p99 != SIM_ABSENT;
    const bool has_sigma = raw->sigma != SIM_ABSENT;
    if (has_p99 == has_sigma)
        return sim_resolve_fail(self, path, raw->node, "found %s p99 %s sigma; expected one of the two",
                                has_p99 ? "both" : "neither", has_p99 ? "and" : "nor");
    if (has_p99 && raw->p99 < raw->p50)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "p99"),
                                "found p99 below p50; expected at least p50");
    const int64_t sigma = has_sigma ? raw->sigma : sigma_of_p99(raw->p50, raw->p99);
    if (sigma > SIGMA_MAX)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "p99"),
                                "p99 is more than 100000 times p50; expected a sigma of at most 5");
    *out = (sim_dist){sigma == 0 ? SIM_DIST_CONSTANT : SIM_DIST_LOGNORMAL, raw->p50, sigma};
    return true;
}

static bool resolve_service(sim_resolver *self, sim_kind kind)
{
    static const char *const paths[] = {"service.read.lognormal", "service.write.lognormal"};
    const sim_raw_dist *raw = &self->raw->service.kind[kind];
    sim_dist *out = &self->out->service[kind];
    switch ((sim_dist_type)raw->choice.which) {
    case SIM_DIST_CONSTANT:
        *out = (sim_dist){SIM_DIST_CONSTANT, raw->constant, 0};
        break;
    case SIM_DIST_EXPONENTIAL:
        *out = (sim_dist){SIM_DIST_EXPONENTIAL, raw->exponential.mean, 0};
        break;
    case SIM_DIST_GAMMA:
        *out = (sim_dist){SIM_DIST_GAMMA, raw->gamma.mean, raw->gamma.shape};
        break;
    case SIM_DIST_LOGNORMAL:
        return resolve_lognormal(self, paths[kind], &raw->lognormal, out);
    }
    return true;
}

static bool resolve_group(sim_resolver *self, const sim_raw_item *item, sim_client_group *out)
{
    const sim_raw_group *raw = item->record;
    rgn_region_list excluded;
    char path[128];
    out->name = item->name;
    out->name_hash = sim_name_hash(item->name);
    out->home = sim_catalogue_find(raw->home);
    out->count = (uint32_t)raw->count;
    out->first_client = self->out->client_count;
    self->out->client_count += out->count;
    snprintf(path, sizeof path, "clients.%s.preferred", item->name);
    if (!sim_resolve_regions(self, path, &raw->preferred, &out->preferred))
        return false;
    snprintf(path, sizeof path, "clients.%s.excluded", item->name);
    if (!sim_resolve_regions(self, path, &raw->excluded, &excluded))
        return false;
    for (unsigned i = 0; i < excluded.count; i++)
        out->excluded |= rgn_region_bit(excluded.region[i]);
    return true;
}

bool sim_resolve_places(sim_resolver *self)
{
    const sim_raw_scenario *raw = self->raw;
    sim_scenario *out = self->out;
    resolve_account(self);
    out->round_trip_table = raw->network.round_trip;
    out->local_round_trip = raw->network.local;
    if (raw->network.jitter.choice.which == SIM_RAW_JITTER_LOGNORMAL)
        out->jitter_sigma = (uint32_t)raw->network.jitter.lognormal.sigma;
    if (!resolve_service(self, SIM_KIND_READ) || !resolve_service(self, SIM_KIND_WRITE))
        return false;
    sim_client_group *groups = sim_arena_array(self->decoder->arena, raw->clients.count, sizeof *groups);
    out->group = groups;
    for (uint32_t i = 0; i < raw->clients.count; i++) {
        if (!resolve_group(self, &raw->clients.item[i], &groups[i]))
            return false;
        out->group_count++;
    }
    out->start_spread = raw->fleet.start_spread;
    return true;
}
