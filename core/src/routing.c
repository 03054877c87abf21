/* SPDX-License-Identifier: MIT */
#include <regioncore/routing.h>

#include <assert.h>

static rgn_region first_of(const rgn_region_list *list)
{
    return list->count > 0 ? list->region[0] : RGN_REGION_NONE;
}

/* RTE-2: the list an attempt walks. Reads walk the read list; writes the write list, of which a single-write account
 * has only the hub; a session retry of a single-write account's read goes to where writes go. (The driver's rules leave
 * it to the pipeline to ask for that on single-write accounts only.) */
static const rgn_region_list *routing_list(const rgn_route_query *query, const rgn_options *options)
{
    const rgn_topology *topology = query->topology;

    if (query->direction == RGN_WRITE)
        return query->may_walk_reads ? &topology->read_order : &topology->write_order;
    if (query->is_session_retry && (!topology->multi_write || options->routing_rules == RGN_ROUTING_DRIVER))
        return &topology->write_order;
    return &topology->read_order;
}

/* RTE-6: where an attempt goes when nothing is left. */
static rgn_region fallback_region(const rgn_route_query *query)
{
    const rgn_topology *topology = query->topology;
    bool is_preferred_write = query->direction == RGN_READ && topology->multi_write;
    rgn_region region = is_preferred_write ? first_of(&topology->write_order) : topology->hub;

    return region != RGN_REGION_NONE ? region : first_of(&topology->read_order);
}

static bool is_tripped(const rgn_route_query *query)
{
    return query->entry != NULL && rgn_entry_is_tripped(query->entry, (rgn_direction)query->direction);
}

/* RTE-10, the driver's probe: everything goes home until one result decides, so choosing it needs no sampler. */
static bool is_open_probe(const rgn_route_query *query, const rgn_options *options)
{
    return query->entry != NULL && query->entry->phase == RGN_PHASE_RECOVERING &&
           options->failback_strategy == RGN_STRATEGY_PROBE && options->failback_probe_admission == RGN_PROBE_ALL;
}

/* First region of the list outside `barred`; RGN_REGION_NONE if there is none. */
static rgn_region first_outside(const rgn_region_list *list, rgn_region_set barred)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (!rgn_region_in(barred, list->region[i]))
            return list->region[i];
    }
    return RGN_REGION_NONE;
}

/* First region outside `barred` of the list that the documented rules walk. */
static rgn_region first_allowed(const rgn_route_query *query, const rgn_options *options, rgn_region_set barred)
{
    const rgn_topology *topology = query->topology;
    const rgn_region_list *list = routing_list(query, options);

    if (list == &topology->write_order && !topology->multi_write)
        return rgn_region_in(barred, topology->hub) ? RGN_REGION_NONE : topology->hub;
    return first_outside(list, barred);
}

/* What is left when every allowed region has a mark or has failed in this operation. */
static rgn_route_answer route_last_choices(const rgn_route_query *query, const rgn_options *options,
                                           rgn_region_set barred)
{
    const rgn_region_set passes[] = {barred | query->failed_regions, barred | query->marked, barred};

    for (unsigned pass = 0; pass < sizeof passes / sizeof passes[0]; pass++) {
        rgn_region region = first_allowed(query, options, passes[pass]);
        if (region == RGN_REGION_NONE)
            continue;
        if (rgn_region_in(query->marked, region))
            return (rgn_route_answer){region, RGN_REASON_ROUTE_MARKED};
        return (rgn_route_answer){region, RGN_REASON_ROUTE_RETRY};
    }
    return (rgn_route_answer){fallback_region(query), RGN_REASON_ROUTE_FALLBACK};
}

/* RTE-3, RTE-4, RTE-5: exclusions and, while tripped, the failed regions are out; marked regions come last; regions
 * that failed in this operation are out until no other is left. */
static rgn_route_answer route_documented(const rgn_route_query *query, const rgn_options *options)
{
    bool tripped = is_tripped(query);
    rgn_region_set barred = query->excluded | (tripped ? query->entry->failed : 0);
    rgn_region region;

    if (tripped && !query->is_retry && is_open_probe(query, options)) {
        rgn_region home = query->entry->first_failed;
        if (rgn_region_in(query->topology->regions & ~(query->excluded | query->marked), home))
            return (rgn_route_answer){home, RGN_REASON_ROUTE_CANARY};
    }
    region = first_allowed(query, options, barred | query->failed_regions | query->marked);
    if (region == RGN_REGION_NONE)
        return route_last_choices(query, options, barred);
    if (query->is_retry)
        return (rgn_route_answer){region, RGN_REASON_ROUTE_RETRY};
    return (rgn_route_answer){region, tripped ? RGN_REASON_ROUTE_OVERRIDE : RGN_REASON_ROUTE_PREFERRED};
}

/* RTE-8: the driver's walk: from the cursor, around the list once; the first region without a mark, else the first with
 * one. */
static rgn_region walk_from_cursor(const rgn_route_query *query, const rgn_region_list *list, rgn_region_set barred)
{
    rgn_region marked = RGN_REGION_NONE;

    for (unsigned i = 0; i < list->count; i++) {
        rgn_region region = list->region[(query->list_index + i) % list->count];
        if (rgn_region_in(barred, region))
            continue;
        if (!rgn_region_in(query->marked, region))
            return region;
        if (marked == RGN_REGION_NONE)
            marked = region;
    }
    return marked;
}

/* RTE-8, RTE-9: routing of the shipped Rust driver (operation_pipeline.rs, resolve_endpoint). Regions that failed in
 * this operation bar writes only. */
static rgn_route_answer route_driver(const rgn_route_query *query, const rgn_options *options)
{
    const rgn_topology *topology = query->topology;
    const rgn_region_list *list = routing_list(query, options);
    rgn_region_set failed_here = query->direction == RGN_WRITE ? query->failed_regions : 0;
    rgn_region_set usable = topology->regions & ~(failed_here | query->excluded | query->marked);
    rgn_region region;

    if (is_open_probe(query, options) && rgn_region_in(usable, query->entry->first_failed))
        return (rgn_route_answer){query->entry->first_failed, RGN_REASON_ROUTE_CANARY};
    if (is_tripped(query) && rgn_region_in(usable, query->entry->current))
        return (rgn_route_answer){query->entry->current, RGN_REASON_ROUTE_OVERRIDE};

    region = walk_from_cursor(query, list, query->excluded | failed_here);
    if (region == RGN_REGION_NONE)
        region = walk_from_cursor(query, list, query->excluded);
    if (region == RGN_REGION_NONE) {
        region = first_of(&topology->write_order);
        if (region == RGN_REGION_NONE)
            region = first_of(&topology->read_order);
        return (rgn_route_answer){region, RGN_REASON_ROUTE_FALLBACK};
    }
    if (rgn_region_in(query->marked, region))
        return (rgn_route_answer){region, RGN_REASON_ROUTE_MARKED};
    return (rgn_route_answer){region, query->is_retry ? RGN_REASON_ROUTE_RETRY : RGN_REASON_ROUTE_PREFERRED};
}

rgn_route_answer rgn_route(const rgn_route_query *query, const rgn_options *options)
{
    assert(query->topology != NULL);
    assert(query->direction < RGN_DIRECTIONS);
    if (options->routing_rules == RGN_ROUTING_DRIVER)
        return route_driver(query, options);
    return route_documented(query, options);
}
