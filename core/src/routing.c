/* SPDX-License-Identifier: MIT */
#include <regioncore/routing.h>

#include <assert.h>

#include <regioncore/applicable.h>

#include "routing_impl.h"

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

rgn_region rgni_fallback_region(const rgn_topology *topology, rgn_direction direction)
{
    bool is_preferred_write = direction == RGN_READ && topology->multi_write;
    rgn_region region = is_preferred_write ? first_of(&topology->write_order) : topology->hub;

    return region != RGN_REGION_NONE ? region : first_of(&topology->read_order);
}

/* BRK-14 */
rgn_region_list rgni_failed_list(const rgn_entry *entry)
{
    rgn_region_list out = {0};
    rgn_region_set left = entry->failed;

    for (unsigned i = 0; i < entry->failed_count; i++) {
        out.region[out.count++] = entry->failed_order[i];
        left &= ~rgn_region_bit(entry->failed_order[i]);
    }
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(left, region))
            out.region[out.count++] = region;
    return out;
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

    if (query->direction == RGN_WRITE && !topology->multi_write) {
        if (!rgn_region_in(barred, topology->hub))
            return topology->hub;
        /* FLO-11: the hub is tried first; only then does the write look for where the service has moved it. */
        return query->may_walk_reads && query->is_retry ? first_outside(&topology->read_order, barred)
                                                        : RGN_REGION_NONE;
    }
    if (list == &topology->write_order && !topology->multi_write)
        return rgn_region_in(barred, topology->hub) ? RGN_REGION_NONE : topology->hub;
    return first_outside(list, barred);
}

/* RTE-11: a retry that has nowhere else to go takes the oldest tripped region back, if the breaker and the caller have
 * left its operation a single one; NONE where that does not hold. */
static rgn_region augmented(const rgn_route_query *query, const rgn_options *options, rgn_region_set barred)
{
    rgn_region only = first_allowed(query, options, barred);
    rgn_region_list tripped;

    if (!query->is_retry || !is_tripped(query) || query->topology->read_order.count < 2 ||
        (only != RGN_REGION_NONE && first_allowed(query, options, barred | rgn_region_bit(only)) != RGN_REGION_NONE))
        return RGN_REGION_NONE;
    tripped = rgni_failed_list(query->entry);
    for (unsigned i = 0; i < tripped.count; i++)
        if (rgn_region_in(query->topology->regions & ~(query->excluded | query->failed_regions), tripped.region[i]))
            return tripped.region[i];
    return RGN_REGION_NONE;
}

/* What is left when every allowed region has a mark or has failed in this operation. */
static rgn_route_answer route_last_choices(const rgn_route_query *query, const rgn_options *options,
                                           rgn_region_set barred)
{
    const rgn_region_set passes[] = {barred | query->failed_regions, barred | query->marked, barred};
    rgn_region back = augmented(query, options, barred);

    for (unsigned pass = 0; pass < sizeof passes / sizeof passes[0]; pass++) {
        rgn_region region = first_allowed(query, options, passes[pass]);
        if (region == RGN_REGION_NONE && pass == 0)
            region = back;
        if (region == RGN_REGION_NONE)
            continue;
        if (rgn_region_in(query->marked, region))
            return (rgn_route_answer){region, RGN_REASON_ROUTE_MARKED};
        return (rgn_route_answer){region, RGN_REASON_ROUTE_RETRY};
    }
    return (rgn_route_answer){rgni_fallback_region(query->topology, (rgn_direction)query->direction),
                              RGN_REASON_ROUTE_FALLBACK};
}

/* The override's region is open to this write: it has not failed in this operation. */
static bool has_open_override(const rgn_route_query *query)
{
    const rgn_topology *topology = query->topology;

    return query->override != NULL && query->direction == RGN_WRITE && !query->is_container_level &&
           topology->automatic_failover && !topology->multi_write && topology->read_order.count > 1 &&
           !rgn_region_in(query->failed_regions, query->override->current);
}

/* FLO-7: the known hub, for a read that needs it; it is no way around an exclusion or a mark. */
static bool has_known_hub(const rgn_route_query *query)
{
    return query->is_hub_latched && query->override != NULL && query->direction == RGN_READ &&
           query->topology->automatic_failover &&
           !rgn_region_in(query->excluded | query->marked, query->override->current);
}

static rgn_applicable_query applicable_query(const rgn_route_query *query)
{
    rgn_applicable_query out = {.topology = query->topology,
                                .marked = query->marked,
                                .excluded = query->excluded,
                                .current = RGN_REGION_NONE,
                                .override = query->override != NULL ? query->override->current : RGN_REGION_NONE,
                                .direction = query->direction,
                                .has_used_override = query->is_retry};

    if (is_tripped(query)) {
        out.tripped = rgni_failed_list(query->entry);
        out.current = query->entry->current;
    }
    return out;
}

/* Why a target of an applicable list is one. */
static rgn_route_answer explain(const rgn_route_query *query, rgn_region region, bool is_override)
{
    rgn_reason reason = RGN_REASON_ROUTE_PREFERRED;

    if (is_override)
        reason = RGN_REASON_ROUTE_FAILOVER;
    else if (rgn_region_in(query->excluded, region))
        reason = RGN_REASON_ROUTE_FALLBACK;
    else if (rgn_region_in(query->marked, region))
        reason = RGN_REASON_ROUTE_MARKED;
    else if (query->is_retry)
        reason = RGN_REASON_ROUTE_RETRY;
    else if (is_tripped(query))
        reason = RGN_REASON_ROUTE_OVERRIDE;
    return (rgn_route_answer){region, (uint8_t)reason};
}

/* APR-3, APR-6: with an override of its partition a read's first attempt may be the override's, so the whole list is
 * looked at. */
static rgn_route_answer route_overridden_read(const rgn_route_query *query, const rgn_options *options)
{
    rgn_applicable_query question = applicable_query(query);
    rgn_applicable answer = rgn_applicable_regions(&question, options);
    rgn_route_answer out = explain(query, answer.first, answer.uses_override);

    if (answer.is_fallback && !answer.uses_override)
        out.reason = RGN_REASON_ROUTE_FALLBACK;
    return out;
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
    if (query->override != NULL) {
        if (has_open_override(query))
            return (rgn_route_answer){query->override->current, RGN_REASON_ROUTE_FAILOVER};
        if (query->direction == RGN_READ && !query->is_retry && !query->topology->multi_write)
            return route_overridden_read(query, options);
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
    /* The search for the hub passes the breaker over. */
    bool is_latched = query->is_hub_latched && query->direction == RGN_READ && topology->automatic_failover;
    rgn_region region;

    if (!is_latched && is_open_probe(query, options) && rgn_region_in(usable, query->entry->first_failed))
        return (rgn_route_answer){query->entry->first_failed, RGN_REASON_ROUTE_CANARY};
    if (!is_latched && is_tripped(query) && rgn_region_in(usable, query->entry->current))
        return (rgn_route_answer){query->entry->current, RGN_REASON_ROUTE_OVERRIDE};
    if (has_open_override(query))
        return (rgn_route_answer){query->override->current, RGN_REASON_ROUTE_FAILOVER};

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

/* RTE-12: the Java client walks its applicable list with the retry cursor; writes of single-write accounts go by the
 * documented rules, which are the same. While a probe is open, home is no longer tripped. */
static rgn_route_answer route_java(const rgn_route_query *query, const rgn_options *options)
{
    rgn_applicable_query question = applicable_query(query);
    rgn_region home = is_open_probe(query, options) ? query->entry->first_failed : RGN_REGION_NONE;
    rgn_applicable answer;
    rgn_region region;

    if (home != RGN_REGION_NONE && question.tripped.count > 0 && question.tripped.region[0] == home) {
        question.tripped.count--;
        for (unsigned i = 0; i < question.tripped.count; i++)
            question.tripped.region[i] = question.tripped.region[i + 1];
    }
    answer = rgn_applicable_regions(&question, options);
    if (answer.uses_override)
        return explain(query, answer.first, true);
    if (answer.count == 0)
        return (rgn_route_answer){RGN_REGION_NONE, RGN_REASON_ROUTE_FALLBACK};
    region = answer.list[query->list_index % answer.count];
    if (answer.reason[region] == RGN_REGION_IN_FALLBACK)
        return (rgn_route_answer){region, RGN_REASON_ROUTE_FALLBACK};
    if (region == home && !query->is_retry)
        return (rgn_route_answer){region, RGN_REASON_ROUTE_CANARY};
    return explain(query, region, false);
}

rgn_route_answer rgn_route(const rgn_route_query *query, const rgn_options *options)
{
    assert(query->topology != NULL);
    assert(query->direction < RGN_DIRECTIONS);
    if (has_known_hub(query))
        return (rgn_route_answer){query->override->current, RGN_REASON_ROUTE_HUB};
    if (options->routing_rules == RGN_ROUTING_DRIVER)
        return route_driver(query, options);
    if (options->routing_rules == RGN_ROUTING_JAVA && (query->direction == RGN_READ || query->topology->multi_write))
        return route_java(query, options);
    return route_documented(query, options);
}
