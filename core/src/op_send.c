/* SPDX-License-Identifier: MIT */
/* The pipeline's first half: an operation starts, an attempt is routed and sent. */
#include "op_begin.h"
#include "plan.h"
#include "reduce.h"

#include <assert.h>

static inline void send(rgn_op *op, rgn_route_answer answer, rgn_dur_ns timeout, rgn_time_ns now)
{
    bool is_canary = answer.reason == RGN_REASON_ROUTE_CANARY;
    unsigned send_flags = (is_canary ? RGN_SEND_CANARY : 0) | (rgni_op_is_hub_latched(op) ? RGN_SEND_HUB : 0);

    rgni_op_send(op, answer, (uint8_t)send_flags, timeout, now);
}

static void send_and_race(rgn_router *router, rgn_op *op, const rgn_topology *topology, rgn_route_answer answer,
                          rgn_dur_ns timeout, rgn_time_ns now)
{
    send(op, answer, timeout, now);
    rgni_race_begin(router, op, topology, now);
}

/* FBK-4: a canary leaves its operation time enough for another region. */
static rgn_dur_ns canary_timeout(const rgn_op *op, rgn_time_ns now)
{
    rgn_dur_ns half;

    if (op->options->failback_canary_timeout != RGN_AUTO)
        return op->options->failback_canary_timeout;
    if (op->deadline == RGN_TIME_NEVER)
        return op->options->retry_request_timeout;
    half = rgn_time_elapsed(now, op->deadline) / 2;
    return rgn_time_min(half > 0 ? half : 1, op->options->retry_request_timeout);
}

/* Filled in place: a healthy operation spends a good part of its time on copies otherwise. */
static void query_init(rgn_route_query *query, const rgn_router *router, const rgn_op *op, const rgn_topology *topology,
                       rgn_time_ns now)
{
    bool is_retry = rgni_op_has(op, RGNI_OP_HAS_TAIL);

    query->topology = topology;
    query->entry = NULL;
    query->override = NULL;
    query->marked = rgni_router_marked(router, (rgn_direction)op->direction, now);
    query->excluded = op->excluded;
    query->failed_regions = 0;
    query->direction = op->direction;
    query->list_index = 0;
    query->is_retry = is_retry;
    query->is_session_retry = rgni_op_has(op, RGNI_OP_WRITE_LIST);
    rgni_op_query_failover(query, op);
    if (!is_retry)
        return;
    if (op->options->routing_rules != RGN_ROUTING_DRIVER || query->may_walk_reads) /* others rely on the cursor alone */
        query->failed_regions = op->failed_regions;
    if (op->account_generation == (uint16_t)topology->generation)
        query->list_index = op->list_index;
}

/* RTE-3, RTE-4 told short: with no endpoint marked and no override the documented rules send an attempt to the first
 * region of its list that is neither excluded nor barred by the breaker nor in `failed_here`. NONE where routing has to
 * be asked. */
static inline rgn_region documented_target(const rgn_router *router, const rgn_op *op, const rgn_topology *topology,
                                           uint8_t state, rgn_region_set failed_here)
{
    const rgn_region_list *list = op->direction == RGN_READ ? &topology->read_order : &topology->write_order;
    rgn_region_set barred;

    if (!rgni_op_knows_failed(router, op, state, &barred) || (state & RGNI_STATE_OVERRIDE) != 0 ||
        rgni_router_has_marks(router) || op->options->routing_rules != RGN_ROUTING_DOCUMENTED ||
        rgni_op_has(op, RGNI_OP_WRITE_LIST) || (op->direction == RGN_WRITE && !topology->multi_write))
        return RGN_REGION_NONE;
    barred |= op->excluded | failed_here;
    for (unsigned i = 0; i < list->count; i++)
        if (!rgn_region_in(barred, list->region[i]))
            return list->region[i];
    return RGN_REGION_NONE;
}

/* Where routing sends the next attempt. */
static RGNI_NOINLINE rgn_route_answer route_next(const rgn_router *router, rgn_op *op, const rgn_topology *topology,
                                                 rgn_time_ns now)
{
    bool is_covered = rgni_op_has(op, RGNI_OP_COVERED);
    rgn_route_query query;
    rgn_route_answer answer;

    query_init(&query, router, op, topology, now);
    answer = rgni_router_route(router, op->partition, is_covered, &query, op->options);

    /* OPR-8: when every region has failed in this operation, a new round begins, but not where the last one ended. */
    if (rgn_region_in(query.failed_regions, answer.region)) {
        op->failed_regions = 0;
        query.failed_regions = rgn_region_bit(op->region);
        answer = rgni_router_route(router, op->partition, is_covered, &query, op->options);
    }
    return answer;
}

/* Sends the next attempt to where routing says. */
rgn_step rgni_op_send_next(rgn_router *router, rgn_op *op, rgn_time_ns now)
{
    const rgn_topology *topology = rgni_router_topology(router);
    rgn_route_answer answer = {RGN_REGION_NONE, RGN_REASON_ROUTE_RETRY};

    answer.region =
        documented_target(router, op, topology, rgni_router_state_of(router, op->partition), op->failed_regions);
    if (answer.region == RGN_REGION_NONE)
        answer = route_next(router, op, topology, now);
    if (answer.region == RGN_REGION_NONE)
        return rgni_op_end_nowhere(op);
    op->attempts++;
    send(op, answer, op->options->retry_request_timeout, now);
    /* HDG-21: most have had their race. */
    if (rgni_races_of(op) < op->options->hedging_races_per_operation)
        rgni_race_begin(router, op, topology, now);
    return RGN_SEND;
}

/* The same region again. RTE-7: an excluded one was a fallback and stays one. */
rgn_step rgni_op_send_here(rgn_op *op, rgn_time_ns now)
{
    bool is_excluded = rgn_region_in(op->excluded, op->region);
    rgn_route_answer answer = {op->region, is_excluded ? RGN_REASON_ROUTE_FALLBACK : RGN_REASON_ROUTE_IN_REGION};

    op->attempts++;
    send(op, answer, op->options->retry_request_timeout, now);
    return RGN_SEND;
}

/* FBK-2: asked once per operation, and only where the state byte says that there is something to ask. */
static inline bool asks_for_canary(const rgn_router *router, const rgn_op *op, uint8_t state)
{
    return rgni_op_is_tripped(op, state) && rgni_state_phase(state) == RGN_PHASE_RECOVERING &&
           !rgni_probes_with_all(&router->options);
}

static rgn_region admit(rgn_router *router, const rgn_op *op, const rgn_topology *topology, rgn_time_ns now,
                        rgni_ticket *ticket)
{
    rgn_direction direction = (rgn_direction)op->direction;
    rgn_region_set usable = topology->regions & ~(op->excluded | rgni_router_marked(router, direction, now));

    return rgni_router_admit(router, op->partition, direction, usable, op->hash, now, ticket);
}

/* RTE-3, the common case: with nothing remembered that moves traffic and no endpoint marked, every rule set sends a
 * first attempt to the first region of its list if the caller does not exclude it. NONE where routing has to be asked.
 */
static rgn_region healthy_target(const rgn_router *router, const rgn_op *op, const rgn_topology *topology)
{
    const rgn_region_list *list = op->direction == RGN_READ ? &topology->read_order : &topology->write_order;

    if (rgni_router_has_marks(router) || list->count == 0 || (op->direction == RGN_WRITE && !topology->multi_write) ||
        rgn_region_in(op->excluded, list->region[0]))
        return RGN_REGION_NONE;
    return list->region[0];
}

static void mark_unsent(rgn_op *op)
{
    op->region = RGN_REGION_NONE;
    op->open_legs = 0;
    op->state = RGNI_OP_WAIT_NEXT;
}

/* Where routing sends a first attempt, which is no canary of a sample. */
static RGNI_NOINLINE rgn_route_answer route_first(const rgn_router *router, const rgn_op *op,
                                                  const rgn_topology *topology, rgn_time_ns now)
{
    uint8_t state = rgni_router_state_of(router, op->partition);
    rgn_route_answer answer = {RGN_REGION_NONE, RGN_REASON_ROUTE_OVERRIDE};
    rgn_route_query query;

    if (rgni_op_is_tripped(op, state) && !rgni_probes_with_all(&router->options))
        answer.region = documented_target(router, op, topology, state, 0);
    if (answer.region != RGN_REGION_NONE)
        return answer;
    query_init(&query, router, op, topology, now);
    return rgni_router_route(router, op->partition, rgni_op_has(op, RGNI_OP_COVERED), &query, op->options);
}

/* The operation begins as a canary, and the ticket is its own. */
static rgn_step start_canary(rgn_router *router, rgn_op *op, const rgn_topology *topology, rgn_region region,
                             rgni_ticket ticket, rgn_time_ns now)
{
    rgni_op_need_tail(op, topology);
    op->entry_generation = ticket.generation;
    op->window_id = ticket.window_id;
    rgni_op_set(op, RGNI_OP_TICKET | RGNI_OP_BEGAN_AS_CANARY, true);
    send_and_race(router, op, topology, (rgn_route_answer){region, RGN_REASON_ROUTE_CANARY}, canary_timeout(op, now),
                  now);
    return RGN_SEND;
}

/* The start of an operation that is no canary of a sample, and that routing has to be asked for. */
static rgn_step start_by_route(rgn_router *router, rgn_op *op, const rgn_topology *topology, rgn_time_ns now)
{
    rgn_route_answer answer = route_first(router, op, topology, now);

    if (answer.region == RGN_REGION_NONE)
        return rgni_op_end_nowhere(op);
    if (answer.reason == RGN_REASON_ROUTE_CANARY) {
        rgni_op_need_tail(op, topology);
        rgni_op_set(op, RGNI_OP_BEGAN_AS_CANARY, true);
    }
    send_and_race(router, op, topology, answer, op->options->retry_request_timeout, now);
    return RGN_SEND;
}

/* The start of an operation of either kind. Apart, so that the common case saves no registers for it. */
static RGNI_NOINLINE rgn_step start_elsewhere(rgn_router *router, rgn_op *op, const rgn_topology *topology,
                                              uint8_t state, rgn_time_ns now)
{
    rgn_region region = RGN_REGION_NONE;
    rgni_ticket ticket;

    mark_unsent(op);
    if (asks_for_canary(router, op, state))
        region = admit(router, op, topology, now, &ticket);
    return region != RGN_REGION_NONE ? start_canary(router, op, topology, region, ticket, now)
                                     : start_by_route(router, op, topology, now);
}

/* HDG-4: whether the operation is of a kind that may be hedged. */
static inline unsigned race_flags(const rgn_request *request, const rgn_options *options, const rgn_topology *topology)
{
    unsigned may_race = rgni_hedging_is_on(options) ? RGNI_OP_MAY_RACE : 0;

    if (request->direction == RGN_WRITE)
        return rgni_hedging_covers_write(request, options, topology) ? may_race | RGNI_OP_HEDGED_WRITE : 0;
    return rgni_hedging_covers_read(request, options) ? may_race : 0;
}

/* Fills in the first half. */
static inline void init(rgn_op *op, const rgn_router *router, const rgn_request *request, const rgn_topology *topology,
                        rgn_time_ns now)
{
    rgn_partition partition = request->is_container_level ? RGN_PARTITION_UNKNOWN : request->partition;
    bool is_covered = rgni_router_covers(router, topology, partition, (rgn_direction)request->direction);

    op->options = rgni_gateway_options(&router->gateway, request, &router->options);
    op->deadline = rgn_time_add(now, request->timeout);
    op->partition = partition;
    op->direction = request->direction;
    op->excluded = request->has_excluded ? request->excluded : router->excluded;
    op->hash = request->hash;
    op->flags =
        (uint16_t)((is_covered ? RGNI_OP_COVERED : 0) | (topology->multi_write ? RGNI_OP_MULTI_WRITE : 0) |
                   (rgni_gateway_allows(&router->gateway) ? race_flags(request, op->options, topology) : 0) |
                   (request->is_container_level ? RGNI_OP_METADATA : 0) |
                   (router->races_plainly && op->excluded == 0 && !request->is_container_level ? RGNI_OP_PLAIN : 0));
    op->hedge = RGN_HEDGE_NONE;
    op->cancel_legs = 0;
    /* HDG-36 */
    if (request->fan != NULL && rgni_op_has(op, RGNI_OP_MAY_RACE) && op->options->hedging_max_alternates > 1) {
        rgni_op_set(op, RGNI_OP_FANS, true);
        op->fan = request->fan;
    }
}

/* The start of an operation that no plan covers. */
static RGNI_NOINLINE rgn_step start(rgn_router *router, rgn_op *op, const rgn_request *request, rgn_time_ns now)
{
    uint64_t epoch = atomic_load_explicit(&router->epoch, memory_order_acquire);
    const rgn_topology *topology = rgni_router_topology(router);
    rgn_route_answer answer = {RGN_REGION_NONE, RGN_REASON_ROUTE_PREFERRED};
    uint8_t state;

    assert(request->direction < RGN_DIRECTIONS);
    init(op, router, request, topology, now);
    op->result = (rgn_result){.region = RGN_REGION_NONE};
    if (now >= op->deadline) {
        mark_unsent(op);
        return rgni_op_end_by_deadline(op);
    }
    state = rgni_router_state_of(router, op->partition);
    if (rgni_state_moves_nothing(state, (rgn_direction)op->direction)) {
        answer.region = healthy_target(router, op, topology);
    } else if (rgni_state_goes_around_home(state, (rgn_direction)op->direction) && rgni_op_has(op, RGNI_OP_COVERED)) {
        answer.region = documented_target(router, op, topology, state, 0);
        answer.reason = RGN_REASON_ROUTE_OVERRIDE;
    }
    if (answer.region == RGN_REGION_NONE)
        return start_elsewhere(router, op, topology, state, now);
    rgni_op_send(op, answer, 0, op->options->retry_request_timeout, now);
    rgni_race_begin(router, op, topology, now);
    if (request->plan != NULL && op->partition < router->partition_count)
        rgni_plan_make(request->plan, router, op, request, state, epoch, now);
    return RGN_SEND;
}

/* PLN-3: the plan of starts at home tells what others of their kind have in common with them. NULL: there is none, or
 * the partition's entry need not be asked. */
static inline rgn_plan *common_plan(const rgn_router *router, const rgn_request *request, uint8_t state,
                                    rgn_time_ns now)
{
    rgn_plan *plan = request->plan;

    if (plan == NULL || request->partition >= router->partition_count || !rgni_plan_is_for(plan, router, request) ||
        now > plan->latest || plan->places[state] != RGNI_NO_PLACE ||
        plan->at_home.epoch != atomic_load_explicit(&router->epoch, memory_order_acquire))
        return NULL;
    return plan;
}

/* What is not in common will be written over. */
static inline void begin_in_common(const rgn_plan *plan, rgn_op *op, const rgn_request *request, rgn_time_ns now)
{
    rgni_plan_carry_out(plan, &plan->at_home, op, request, now);
    op->hedge = RGN_HEDGE_NONE;
    mark_unsent(op);
}

/* PLN-4: the start at a partition of whose canaries one is planned. */
static inline rgn_step start_by_sample(rgn_router *router, rgn_op *op, const rgn_request *request,
                                       const rgn_topology *topology, rgn_time_ns now)
{
    const rgn_plan *plan = request->plan;
    rgn_region_set excluded = request->has_excluded ? request->excluded : router->excluded;
    rgni_ticket ticket;
    rgn_region region = rgni_router_admit(router, request->partition, (rgn_direction)request->direction,
                                          topology->regions & ~excluded, request->hash, now, &ticket);

    if (region == RGN_REGION_NONE || !rgni_plan_sends_canary_to(plan, region)) {
        begin_in_common(plan, op, request, now);
        return region != RGN_REGION_NONE ? start_canary(router, op, topology, region, ticket, now)
                                         : start_by_route(router, op, topology, now);
    }
    rgni_plan_carry_out(plan, &plan->as_canary, op, request, now);
    rgni_op_begin_tail(op, topology);
    op->entry_generation = ticket.generation;
    op->window_id = ticket.window_id;
    if (op->state == RGNI_OP_ARMED)
        op->other_at = op->wake_at;
    return RGN_SEND;
}

/* The start of an operation that is not wholly planned. */
static RGNI_NOINLINE rgn_step start_otherwise(rgn_router *router, rgn_op *op, const rgn_request *request,
                                              rgn_time_ns now)
{
    uint8_t state = rgni_router_state_of(router, request->partition);
    const rgn_topology *topology;
    rgn_plan *plan;
    rgn_step step;

    rgni_stripe_expect(rgni_router_stripe(router, request->partition), request->partition);
    plan = common_plan(router, request, state, now);
    if (plan == NULL)
        return start(router, op, request, now);
    topology = rgni_router_topology(router);
    if (rgni_plan_is_for_canary(plan, state))
        return start_by_sample(router, op, request, topology, now);
    begin_in_common(plan, op, request, now);
    step = start_elsewhere(router, op, topology, state, now);
    if (rgni_op_has(op, RGNI_OP_TICKET))
        rgni_plan_make_canary(plan, op, state, now);
    return step;
}

rgn_step rgn_op_start(rgn_router *router, rgn_op *op, const rgn_request *request, rgn_time_ns now)
{
    const rgn_plan *plan = request->plan;
    const rgn_planned *planned = plan == NULL ? NULL : rgni_plan_for(plan, router, request, now);

    if (planned == NULL)
        return start_otherwise(router, op, request, now);
    rgni_plan_carry_out(plan, planned, op, request, now);
    return RGN_SEND;
}
