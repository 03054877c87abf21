/* SPDX-License-Identifier: MIT */
/* Where a hedge goes, when, and whether it may. The race itself is in hedging_race.c and hedging_end.c. */
#include "hedging_impl.h"

#include <assert.h>

#include "op_impl.h"

#define ADAPTIVE_MIN (50 * RGN_NS_PER_MS)
#define ADAPTIVE_MAX (4000 * RGN_NS_PER_MS)
#define ESTIMATE_MIN (RGN_NS_PER_MS / 10)
#define ESTIMATE_MAX (60000 * RGN_NS_PER_MS)

enum {
    BURST = 10,          /* hedges that an idle budget_share saves up */
    ESTIMATE_STEPS = 16, /* a slower leg moves the estimate by about this part of it */
};

const char *rgn_hedge_name(rgn_hedge hedge)
{
    static const char *const names[RGN_HEDGE_COUNT] = {
#define HEDGE_NAME(identifier, number, name, sentence) [number] = (name),
        RGN_HEDGES(HEDGE_NAME)};

    return (unsigned)hedge < RGN_HEDGE_COUNT ? names[hedge] : "?";
}

void rgni_hedging_init(rgni_hedging *hedging, const rgn_options *options, bool is_unshared)
{
    rgn_dur_ns first = options->hedging_threshold == RGN_AUTO ? RGNI_HEDGE_THRESHOLD : options->hedging_threshold;

    hedging->is_unshared = is_unshared;
    atomic_init(&hedging->open, 0);
    atomic_init(&hedging->metadata, 0);
    atomic_init(&hedging->refused, 0);
    atomic_init(&hedging->credit, options->hedging_budget_share > 0 ? BURST * RGNI_HEDGE_PRICE : 0);
    for (unsigned region = 0; region < RGN_REGIONS_MAX; region++)
        atomic_init(&hedging->estimate[region], first);
}

/* HDG-5. `second` is the place in the list of allowed regions, whoever is there. */
rgn_region rgni_hedging_secondary(const rgn_region_list *list, rgn_region_set excluded, rgn_region_set barred,
                                  rgn_region primary, int64_t rule)
{
    rgn_region_set out = barred | rgn_region_bit(primary);
    rgn_region first = RGN_REGION_NONE; /* that is not out */
    unsigned allowed = 0;

    for (unsigned i = 0; i < list->count; i++) {
        rgn_region region = list->region[i];
        if (rgn_region_in(excluded, region))
            continue;
        allowed++;
        if (rule == RGN_SECONDARY_SECOND && allowed == 2)
            return rgn_region_in(out, region) ? RGN_REGION_NONE : region;
        if (first == RGN_REGION_NONE && !rgn_region_in(out, region))
            first = region;
        if (rule != RGN_SECONDARY_SECOND && allowed >= 2 && first != RGN_REGION_NONE)
            return first;
    }
    return RGN_REGION_NONE;
}

/* HDG-36. With `second` the list's first place is the primary's, whoever is there. */
rgn_region rgni_hedging_next(const rgn_region_list *list, rgn_region_set excluded, rgn_region_set barred, int64_t rule)
{
    unsigned allowed = 0;

    for (unsigned i = 0; i < list->count; i++) {
        rgn_region region = list->region[i];
        if (rgn_region_in(excluded, region))
            continue;
        allowed++;
        if (!rgn_region_in(barred, region) && (rule != RGN_SECONDARY_SECOND || allowed > 1))
            return region;
    }
    return RGN_REGION_NONE;
}

static rgn_dur_ns clamp(rgn_dur_ns value, rgn_dur_ns min, rgn_dur_ns max)
{
    return value < min ? min : value > max ? max : value;
}

rgn_dur_ns rgni_hedging_adapted(const rgni_hedging *hedging, rgn_region primary)
{
    return clamp(atomic_load_explicit(&hedging->estimate[primary], memory_order_relaxed), ADAPTIVE_MIN, ADAPTIVE_MAX);
}

void rgni_hedging_earn(rgni_hedging *hedging, const rgn_options *options)
{
    int64_t credit = atomic_load_explicit(&hedging->credit, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(
        &hedging->credit, &credit,
        rgn_time_min(credit + options->hedging_budget_share, (int64_t)BURST * RGNI_HEDGE_PRICE), memory_order_relaxed,
        memory_order_relaxed))
        continue;
}

/* Pays for one hedge of budget_share. */
static bool pay(rgni_hedging *hedging, const rgn_options *options)
{
    int64_t credit;

    if (options->hedging_budget_share >= RGNI_HEDGE_PRICE)
        return true;
    credit = atomic_load_explicit(&hedging->credit, memory_order_relaxed);
    do {
        if (credit < RGNI_HEDGE_PRICE)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&hedging->credit, &credit, credit - RGNI_HEDGE_PRICE,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

bool rgni_hedging_take(rgni_hedging *hedging, const rgn_options *options)
{
    if (atomic_fetch_add_explicit(&hedging->open, 1, memory_order_relaxed) < options->hedging_budget_concurrent &&
        pay(hedging, options))
        return true;
    rgni_hedging_leave(&hedging->open);
    atomic_fetch_add_explicit(&hedging->refused, 1, memory_order_relaxed);
    return false;
}

bool rgni_hedging_take_metadata(rgni_hedging *hedging, const rgn_options *options)
{
    if (atomic_fetch_add_explicit(&hedging->metadata, 1, memory_order_relaxed) < options->hedging_budget_metadata)
        return true;
    rgni_hedging_leave(&hedging->metadata);
    atomic_fetch_add_explicit(&hedging->refused, 1, memory_order_relaxed);
    return false;
}

void rgni_hedging_give_back_metadata(rgni_hedging *hedging)
{
    rgni_hedging_leave(&hedging->metadata);
}

/* HDG-8: the estimate steps up by q parts where a leg was slower and down by 1 - q where it was not, so that it rests
 * where the share of slower legs is 1 - q. A leg that was cut after the estimate is known to be slower. Two operations
 * at once may lose a step, never more. */
void rgni_hedging_learn(rgni_hedging *hedging, const rgn_options *options, rgn_region region, rgn_dur_ns latency)
{
    rgn_dur_ns estimate = atomic_load_explicit(&hedging->estimate[region], memory_order_relaxed);
    rgn_dur_ns step = estimate / ESTIMATE_STEPS;
    rgn_dur_ns up = step * options->hedging_quantile / 1000000;
    rgn_dur_ns next = latency > estimate ? estimate + up : estimate - (step - up);

    atomic_store_explicit(&hedging->estimate[region], clamp(next, ESTIMATE_MIN, ESTIMATE_MAX), memory_order_relaxed);
}

/* --- where a race goes -------------------------------------------------------------------------------------------- */

/* Regions that a hedge avoids: those that failed within this operation, and with the rule that asks for it those that
 * have tripped. The driver's rule avoids none. */
static rgn_region_set barred_regions(const rgn_router *router, const rgn_op *op)
{
    rgn_region_set barred = rgni_op_has(op, RGNI_OP_HAS_TAIL) ? op->failed_regions : 0;
    rgn_region_set failed = 0;

    if (op->options->hedging_secondary == RGN_SECONDARY_FIRST_DISTINCT)
        return 0;
    if (op->options->hedging_secondary == RGN_SECONDARY_UNTRIPPED &&
        !rgni_op_knows_failed(router, op, rgni_router_state_of(router, op->partition), &failed))
        failed = rgni_router_failed(router, op->partition, (rgn_direction)op->direction);
    return barred | failed;
}

rgn_region rgni_race_search_secondary(const rgn_router *router, const rgn_op *op, const rgn_topology *topology)
{
    return rgni_hedging_secondary(rgni_race_list(op, topology), op->excluded, barred_regions(router, op), op->region,
                                  op->options->hedging_secondary);
}

rgn_region rgni_race_next_place(const rgn_router *router, const rgn_op *op, const rgn_topology *topology)
{
    rgn_region_set barred = barred_regions(router, op);

    for (unsigned leg = 0; leg < op->fan->count; leg++)
        barred |= rgn_region_bit(op->fan->leg[leg].place);
    return rgni_hedging_next(rgni_race_list(op, topology), op->excluded, barred, op->options->hedging_secondary);
}

/* HDG-38: the hedge's own exclusions, all other regions of the race, take the caller's place. */
rgn_region rgni_race_region_of(const rgn_op *op, rgn_region place, const rgn_topology *topology)
{
    const rgn_region_list *list = rgni_race_list(op, topology);
    unsigned i = 0;

    while (list->region[i] != place && !rgn_region_in(op->excluded, list->region[i]))
        i++;
    return list->region[i];
}

/* --- questions --------------------------------------------------------------------------------------------------- */

rgn_dur_ns rgn_router_hedge_threshold(const rgn_router *router, rgn_region primary, rgn_dur_ns timeout)
{
    return rgni_hedging_threshold(&router->hedging, &router->options, &router->options, primary, timeout);
}

uint32_t rgn_router_open_hedges(const rgn_router *router)
{
    return rgni_hedging_open(&router->hedging);
}

uint32_t rgn_router_open_metadata_races(const rgn_router *router)
{
    return atomic_load_explicit(&router->hedging.metadata, memory_order_relaxed);
}

uint64_t rgn_router_refused_hedges(const rgn_router *router)
{
    return atomic_load_explicit(&router->hedging.refused, memory_order_relaxed);
}

bool rgn_op_has_canary(const rgn_op *op)
{
    return rgni_op_has(op, RGNI_OP_TICKET);
}

/* FBK-26, FBK-35: the threshold of a canary's race had passed if its hedge was sent or refused. */
rgn_evidence rgn_op_judge_canary(const rgn_router *router, const rgn_op *op, rgn_evidence evidence)
{
    const rgn_options *options = &router->options;
    rgn_hedge hedge;
    rgn_entry entry;

    if (evidence != RGN_EVIDENCE_SUCCESS ||
        (options->failback_evidence != RGN_EVIDENCE_BY_STATUS_AND_LATENCY &&
         options->failback_hedge_trip_evidence != RGN_EVIDENCE_BY_STATUS_AND_LATENCY))
        return evidence;
    hedge = rgn_op_hedge(op);
    if (hedge != RGN_HEDGE_LAUNCHED && hedge != RGN_HEDGE_REFUSED)
        return evidence;
    if (options->failback_evidence == RGN_EVIDENCE_BY_STATUS_AND_LATENCY)
        return RGN_EVIDENCE_FAILURE;
    rgn_router_inspect(router, op->partition, &entry);
    return entry.generation == op->entry_generation && entry.cause == RGN_CAUSE_HEDGE_WINS ? RGN_EVIDENCE_FAILURE
                                                                                           : evidence;
}

rgn_hedge rgn_op_hedge(const rgn_op *op)
{
    return op->state == RGNI_OP_ARMED ? RGN_HEDGE_WAITING : (rgn_hedge)(op->hedge & 15);
}
