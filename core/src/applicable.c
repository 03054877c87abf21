/* SPDX-License-Identifier: MIT */
#include <regioncore/applicable.h>

#include <assert.h>
#include <string.h>

#include "routing_impl.h"

const char *rgn_applicable_reason_name(rgn_applicable_reason reason)
{
    switch (reason) {
#define REASON_CASE(identifier, number, name, sentence) \
    case RGN_REGION_##identifier:                       \
        return name;
        RGN_APPLICABLE_REASONS(REASON_CASE)
#undef REASON_CASE
    }
    return "?";
}

const char *rgn_applicable_reason_sentence(rgn_applicable_reason reason)
{
    switch (reason) {
#define REASON_CASE(identifier, number, name, sentence) \
    case RGN_REGION_##identifier:                       \
        return sentence;
        RGN_APPLICABLE_REASONS(REASON_CASE)
#undef REASON_CASE
    }
    return "?";
}

/* The list while it is made. */
typedef struct {
    const rgn_applicable_query *query;
    const rgn_topology *topology;
    rgn_region_list base;       /* before exclusions, marked regions last */
    rgn_region_set trips;       /* the tripped regions as a set */
    rgn_region_set lost_a_trip; /* in the base, not excluded, tripped */
    rgn_applicable *out;
} work;

static void append(work *w, rgn_region region, rgn_applicable_reason reason)
{
    assert(w->out->count < sizeof w->out->list / sizeof w->out->list[0]);
    w->out->list[w->out->count++] = region;
    w->out->reason[region] = (uint8_t)reason;
}

static void put_first(work *w, rgn_region region)
{
    memmove(w->out->list + 1, w->out->list, w->out->count * sizeof w->out->list[0]);
    w->out->list[0] = region;
    w->out->count++;
    w->out->reason[region] = RGN_REGION_IN_OVERRIDE;
    w->out->first = region;
    w->out->uses_override = true;
}

static bool is_listed(const rgn_applicable *out, rgn_region region)
{
    for (unsigned i = 0; i < out->count; i++)
        if (out->list[i] == region)
            return true;
    return false;
}

static bool has_override(const work *w)
{
    return w->query->override != RGN_REGION_NONE && !w->topology->multi_write;
}

/* The first `count` regions of the list, those with a mark last. */
static rgn_region_list marked_last(const rgn_region_list *list, unsigned count, rgn_region_set marked)
{
    rgn_region_list out = {0};

    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < count; i++)
            if (rgn_region_in(marked, list->region[i]) == (pass == 1))
                out.region[out.count++] = list->region[i];
    return out;
}

/* Every region starts out as absent, not writable, or not part of the base. */
static void begin(work *w, const rgn_applicable_query *query, rgn_applicable *out)
{
    const rgn_topology *topology = query->topology;
    bool is_write = query->direction == RGN_WRITE;
    const rgn_region_list *list = is_write ? &topology->write_order : &topology->read_order;
    rgn_region_set writable = rgn_region_list_set(&topology->write_order);

    memset(out, 0, sizeof *out);
    *w = (work){.query = query, .topology = topology, .out = out, .trips = rgn_region_list_set(&query->tripped)};
    w->base = marked_last(list, list->count, query->marked);
    out->override = query->override;
    out->first = RGN_REGION_NONE;
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(topology->regions, region))
            out->reason[region] = is_write && !rgn_region_in(writable, region) ? RGN_REGION_OUT_NOT_WRITABLE
                                                                               : RGN_REGION_OUT_NOT_PREFERRED;
}

/* APR-1: the base without the caller's exclusions and without tripped regions. */
static void take_from_base(work *w)
{
    for (unsigned i = 0; i < w->base.count; i++) {
        rgn_region region = w->base.region[i];
        if (rgn_region_in(w->query->excluded, region)) {
            w->out->reason[region] = RGN_REGION_OUT_EXCLUDED;
        } else if (rgn_region_in(w->trips, region)) {
            w->out->reason[region] = RGN_REGION_OUT_TRIPPED;
            w->lost_a_trip |= rgn_region_bit(region);
        } else {
            append(w, region, rgn_region_in(w->query->marked, region) ? RGN_REGION_IN_LAST : RGN_REGION_IN_LIST);
        }
    }
}

/* APR-2: with nothing left, the fallback. Its own exclusion does not matter. */
static void fall_back(work *w)
{
    rgn_region region = rgni_fallback_region(w->topology, (rgn_direction)w->query->direction);

    w->out->is_fallback = true;
    if (region != RGN_REGION_NONE)
        append(w, region, RGN_REGION_IN_FALLBACK);
}

/* APR-4: the oldest tripped region that may come back; NONE if there is none. `barred` may not. */
static rgn_region oldest_trip(const work *w, rgn_region_set barred)
{
    for (unsigned i = 0; i < w->query->tripped.count; i++) {
        rgn_region region = w->query->tripped.region[i];
        if (rgn_region_in(w->topology->regions & ~barred, region) && !is_listed(w->out, region))
            return region;
    }
    return RGN_REGION_NONE;
}

static void augment(work *w, rgn_region_set barred)
{
    rgn_region region = oldest_trip(w, barred);

    if (region != RGN_REGION_NONE)
        append(w, region, RGN_REGION_IN_AGAIN);
}

static void first_is_head(work *w)
{
    if (!w->out->uses_override)
        w->out->first = w->out->count > 0 ? w->out->list[0] : RGN_REGION_NONE;
}

/* APR-5: a single-write account's writes have one region: the override's, else the hub. */
static void single_write(work *w)
{
    rgn_region hub = w->topology->hub;

    if (has_override(w)) {
        if (hub != RGN_REGION_NONE)
            w->out->reason[hub] = RGN_REGION_OUT_OVERRIDDEN;
        put_first(w, w->query->override);
    } else if (hub != RGN_REGION_NONE) {
        append(w, hub, rgn_region_in(w->query->excluded, hub) ? RGN_REGION_IN_FALLBACK : RGN_REGION_IN_LIST);
    }
}

/* APR-3: the account's order with nothing against it still yields to an override: no preference says otherwise. */
static bool is_open_choice(const work *w)
{
    return !w->topology->has_preferred && w->query->excluded == 0 && w->query->tripped.count == 0 && has_override(w) &&
           !rgn_region_in(w->query->marked, w->query->override);
}

/* The design note. APR-6: a fallback that only the caller's exclusions have caused yields to the override. */
static void documented(work *w)
{
    bool is_alone;

    if (is_open_choice(w)) {
        fall_back(w);
        if (w->out->list[0] == w->query->override)
            w->out->count = 0;
        put_first(w, w->query->override);
        w->out->is_fallback = false;
        return;
    }
    take_from_base(w);
    if (w->out->count == 0)
        fall_back(w);
    is_alone = w->base.count > 1 && w->out->count == 1 && !w->query->is_hedge;
    if (!is_alone)
        return;
    if (w->out->is_fallback && has_override(w) && w->query->excluded != 0 && w->lost_a_trip == 0) {
        bool is_excluded = rgn_region_in(w->query->excluded, w->out->list[0]);
        w->out->reason[w->out->list[0]] = is_excluded ? RGN_REGION_OUT_EXCLUDED : RGN_REGION_OUT_OVERRIDDEN;
        w->out->count = 0;
        put_first(w, w->query->override);
        return;
    }
    if (w->out->is_fallback && has_override(w) && !w->topology->has_preferred && w->out->list[0] != w->query->override)
        put_first(w, w->query->override);
    augment(w, w->query->excluded);
}

/* APR-7: only preferred regions are in the base; without a preference the account's order is, unless the client was
 * given a region's endpoint. */
static void java_base(work *w)
{
    const rgn_topology *topology = w->topology;
    bool is_write = w->query->direction == RGN_WRITE;
    const rgn_region_list *list = is_write ? &topology->write_order : &topology->read_order;
    unsigned named = is_write ? topology->preferred_writes : topology->preferred_reads;
    bool has_choice = !topology->has_preferred && !w->query->is_endpoint_regional;
    rgn_region fallback = rgni_fallback_region(topology, (rgn_direction)w->query->direction);

    w->base = marked_last(list, has_choice ? list->count : named, w->query->marked);
    if (w->base.count == 0 && fallback != RGN_REGION_NONE)
        w->base = (rgn_region_list){1, {fallback}};
}

/* The Java client (LocationCache.getApplicableRegionRoutingContexts, reevaluate). `*may_override` permits a read to
 * use the override. */
static void java(work *w, bool *may_override)
{
    bool is_global =
        w->query->direction == RGN_WRITE; /* of the fallback: the global endpoint, which leads to the hub */
    rgn_region_set excluded = w->query->excluded;

    java_base(w);
    take_from_base(w);
    if (excluded == 0 && w->query->tripped.count == 0)
        return;
    if (w->out->count == 0)
        fall_back(w);
    if (w->base.count <= 1 || w->out->count != 1 || w->query->is_hedge)
        return;
    if (w->out->is_fallback && excluded != 0 && w->lost_a_trip == 0) {
        *may_override = true;
        return;
    }
    if (w->out->is_fallback && !w->topology->has_preferred && !w->query->is_endpoint_regional) {
        if (w->query->has_used_override)
            append(w, w->out->list[0], RGN_REGION_IN_FALLBACK);
        else
            *may_override = true;
    }
    augment(w, w->out->is_fallback && is_global ? rgn_region_bit(w->topology->hub) : excluded);
}

/* APR-8: a permitted read goes to the override once. */
static void java_override(work *w, bool may_override)
{
    if (!may_override || w->query->has_used_override || !has_override(w) || w->query->direction != RGN_READ)
        return;
    w->out->first = w->query->override;
    w->out->uses_override = true;
    if (!is_listed(w->out, w->query->override))
        w->out->reason[w->query->override] = RGN_REGION_IN_OVERRIDE;
}

/* APR-9: the driver's list knows exclusions and marks; a trip or an override takes the first target's place only. */
static void driver(work *w)
{
    const rgn_topology *topology = w->topology;
    bool may_roam = w->query->direction == RGN_WRITE && topology->automatic_failover && !topology->multi_write;
    rgn_region_set barred = w->query->excluded | w->query->marked;

    if (may_roam) {
        w->base = marked_last(&topology->read_order, topology->read_order.count, w->query->marked);
        for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
            if (w->out->reason[region] == RGN_REGION_OUT_NOT_WRITABLE)
                w->out->reason[region] = RGN_REGION_OUT_NOT_PREFERRED;
    }
    w->trips = 0;
    take_from_base(w);
    if (w->out->count == 0) {
        w->out->is_fallback = true;
        if (topology->write_order.count > 0)
            append(w, topology->write_order.region[0], RGN_REGION_IN_FALLBACK);
    }
    if (w->query->current != RGN_REGION_NONE && rgn_region_in(topology->regions & ~barred, w->query->current)) {
        w->out->first = w->query->current;
    } else if (may_roam && topology->read_order.count > 1 && has_override(w)) {
        w->out->first = w->query->override;
        w->out->uses_override = true;
        w->out->reason[w->query->override] = RGN_REGION_IN_OVERRIDE;
    }
}

rgn_applicable rgn_applicable_regions(const rgn_applicable_query *query, const rgn_options *options)
{
    bool is_single_write = query->direction == RGN_WRITE && !query->topology->multi_write;
    bool may_override = false;
    rgn_applicable out;
    work w;

    begin(&w, query, &out);
    if (options->routing_rules == RGN_ROUTING_DRIVER)
        driver(&w);
    else if (is_single_write)
        single_write(&w);
    else if (options->routing_rules == RGN_ROUTING_JAVA)
        java(&w, &may_override);
    else
        documented(&w);
    java_override(&w, may_override);
    if (out.first == RGN_REGION_NONE)
        first_is_head(&w);
    return out;
}
