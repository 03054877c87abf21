/* SPDX-License-Identifier: MIT */
/* From a failed attempt to the next one: budgets and delays. Figures without a knob are those of the shipped Rust
 * driver (components.rs, transport_pipeline.rs). */
#include "op_impl.h"

#define BACKEND_DELAY_FIRST (1000 * RGN_NS_PER_MS)
#define BACKEND_DELAY_MAX   (15000 * RGN_NS_PER_MS)
#define BACKEND_TOTAL       (5000 * RGN_NS_PER_MS)
#define RETRY_WITH_FIRST    (10 * RGN_NS_PER_MS)
#define RETRY_WITH_SALT     (5 * RGN_NS_PER_MS)
#define RETRY_WITH_MAX      (1000 * RGN_NS_PER_MS)
#define RETRY_WITH_TOTAL    (30000 * RGN_NS_PER_MS)
#define THROTTLE_FIRST      (5 * RGN_NS_PER_MS)
#define THROTTLE_MAX        (15000 * RGN_NS_PER_MS)
#define FORCED_WAIT_MIN     (100 * RGN_NS_PER_MS)

enum {
    BACKEND_COUNT_MAX = 10,
    SESSION_COUNT_SINGLE_WRITE = 2,
    DOUBLINGS_MAX = 12, /* first delay * 2^12 is beyond every cap above, whatever the jitter */
};

static const rgni_plan stop_final = {RGNI_STOP, 0, false};
static const rgni_plan stop_exhausted = {RGNI_STOP, 0, true};

const rgn_class rgni_throttled = {.evidence = RGN_EVIDENCE_NEUTRAL,
                                  .retry = RGN_RETRY_THROTTLE,
                                  .charge = RGN_CHARGE_NOTHING,
                                  .is_caller_error = true};

static rgn_dur_ns doubled(rgn_dur_ns first, unsigned times)
{
    return first << (times < DOUBLINGS_MAX ? times : DOUBLINGS_MAX);
}

static rgn_dur_ns draw(const rgn_random *random, const rgn_op *op, rgn_dur_ns bound)
{
    return (rgn_dur_ns)random->below(random->context, RGN_DRAW_RETRY_JITTER, op->hash, (uint64_t)bound);
}

/* `delay` plus or minus a quarter. */
static rgn_dur_ns jittered(const rgn_random *random, const rgn_op *op, rgn_dur_ns delay)
{
    return delay - delay / 4 + draw(random, op, delay / 2 + 1);
}

static void count(uint8_t *counter)
{
    if (*counter < UINT8_MAX)
        ++*counter;
}

rgni_plan rgni_retry_plan_failover(rgn_op *op)
{
    if (op->failover_retries >= op->options->retry_max_failover_retry_count)
        return stop_exhausted;
    op->failover_retries++;
    rgni_op_set(op, RGNI_OP_WRITE_LIST, false);
    return (rgni_plan){RGNI_NEXT, 0, false};
}

/* OPR-10: write-forbidden and account-not-found wait longer and longer, 5 s in all, for the account to settle. */
static rgni_plan plan_backend(rgn_op *op, const rgn_random *random)
{
    rgn_dur_ns left = BACKEND_TOTAL - op->backend_waited_us * RGN_NS_PER_US;
    rgn_dur_ns delay = 0;

    if (left <= 0 || op->backend_retries >= BACKEND_COUNT_MAX)
        return stop_exhausted;
    if (op->backend_retries > 0) {
        delay = rgn_time_min(doubled(BACKEND_DELAY_FIRST, op->backend_retries - 1u), BACKEND_DELAY_MAX);
        delay = rgn_time_min(jittered(random, op, delay), left);
        delay -= delay % RGN_NS_PER_US;
    }
    count(&op->backend_retries);
    op->backend_waited_us += (uint32_t)(delay / RGN_NS_PER_US);
    rgni_op_set(op, RGNI_OP_WRITE_LIST, false);
    return (rgni_plan){RGNI_NEXT, delay, false};
}

/* How often the operation may be retried after 404/1002. */
static int64_t session_limit(const rgn_op *op, const rgn_topology *topology)
{
    int64_t limit = op->options->retry_max_session_retry_count;

    if (!rgni_op_has(op, RGNI_OP_MULTI_WRITE))
        return limit == RGN_AUTO ? SESSION_COUNT_SINGLE_WRITE : rgn_time_min(limit, SESSION_COUNT_SINGLE_WRITE);
    if (limit != RGN_AUTO)
        return limit;
    return op->direction == RGN_READ ? topology->read_order.count : topology->write_order.count;
}

/* FLO-12: the first answer that lacks the session and may be retried sets the latch, which nothing clears. */
static void latch_hub(rgn_op *op)
{
    if (rgni_op_may_latch_hub(op))
        rgni_op_set(op, RGNI_OP_HUB, true);
}

/* OPR-11: another region may have caught up with the session; a single-write account's hub certainly has. */
static rgni_plan plan_session(rgn_op *op, const rgn_topology *topology)
{
    if (op->session_retries >= session_limit(op, topology))
        return stop_exhausted;
    count(&op->session_retries);
    latch_hub(op);
    rgni_op_set(op, RGNI_OP_WRITE_LIST, !rgni_op_has(op, RGNI_OP_MULTI_WRITE));
    return (rgni_plan){RGNI_NEXT, 0, false};
}

/* HDG-14, HDG-25. */
rgni_plan rgni_retry_plan_race(rgn_op *op, const rgn_class *class, const rgn_topology *topology)
{
    unsigned legs = rgni_leg_count(op);
    rgni_plan plan;

    if (op->options->hedging_both_transient == RGN_BOTH_TRANSIENT_ATTEMPT) {
        plan = class->retry == RGN_RETRY_SESSION ? plan_session(op, topology) : rgni_retry_plan_failover(op);
    } else {
        /* The latch without a session retry before: a leg of this race has set it. */
        if (rgni_op_has(op, RGNI_OP_HUB) && op->session_retries == 0)
            count(&op->session_retries);
        if (op->failover_retries + legs > op->options->retry_max_failover_retry_count)
            return stop_exhausted;
        op->failover_retries = (uint8_t)(op->failover_retries + legs);
        rgni_op_set(op, RGNI_OP_WRITE_LIST, class->retry == RGN_RETRY_SESSION && !rgni_op_has(op, RGNI_OP_MULTI_WRITE));
        plan = (rgni_plan){RGNI_NEXT, 0, false};
    }
    if (op->options->hedging_session_race == RGN_SESSION_RACE_PREFERRED)
        rgni_op_set(op, RGNI_OP_WRITE_LIST, false);
    return plan;
}

/* What a leg has used up, each for itself. */
static uint8_t *leg_retries(rgn_op *op, unsigned leg)
{
    return rgni_op_has(op, RGNI_OP_FANS) ? &op->fan->leg[leg].retries : &op->pair.retries[leg];
}

static uint8_t *leg_sessions(rgn_op *op, unsigned leg)
{
    return rgni_op_has(op, RGNI_OP_FANS) ? &op->fan->leg[leg].session_retries : &op->pair.session_retries[leg];
}

static uint8_t *leg_throttles(rgn_op *op, unsigned leg)
{
    if (leg == 0)
        return &op->throttle_retries;
    return rgni_op_has(op, RGNI_OP_FANS) ? &op->fan->leg[leg].throttle_retries : &op->pair.throttle_retries;
}

/* HDG-12, HDG-22: the leg's own copy of the session's budget. The latch is the operation's, so that both legs have it.
 */
static rgni_plan plan_leg_session(rgn_op *op, unsigned leg, bool is_local, const rgn_topology *topology)
{
    if (op->session_retries + *leg_sessions(op, leg) >= session_limit(op, topology))
        return stop_exhausted;
    latch_hub(op);
    if (!is_local)
        return stop_final;
    count(leg_sessions(op, leg));
    return (rgni_plan){RGNI_HERE, 0, false};
}

/* OPR-13: 449 is retried where it happened. */
static rgni_plan plan_retry_with(rgn_op *op, const rgn_random *random)
{
    rgn_dur_ns delay = doubled(RETRY_WITH_FIRST, op->retry_with_attempts) + draw(random, op, RETRY_WITH_SALT);

    delay = rgn_time_min(delay, RETRY_WITH_MAX);
    if (op->retry_with_waited + delay > RETRY_WITH_TOTAL)
        return stop_exhausted;
    count(&op->retry_with_attempts);
    op->retry_with_waited += delay;
    return (rgni_plan){RGNI_HERE, delay, false};
}

/* OPR-14: when only the total wait stands against another retry, one more is sent after half of the time that is left,
 * or at once where that is not worth waiting for. */
static rgni_plan plan_forced(rgn_op *op, rgn_time_ns now)
{
    rgn_dur_ns half = op->deadline == RGN_TIME_NEVER ? 0 : rgn_time_elapsed(now, op->deadline) / 2;

    if (rgni_op_has(op, RGNI_OP_FORCED) || now >= op->deadline)
        return stop_exhausted;
    rgni_op_set(op, RGNI_OP_FORCED, true);
    return (rgni_plan){RGNI_HERE, half < FORCED_WAIT_MIN ? 0 : half, false};
}

/* OPR-19: the value for requests of metadata where there is one. */
static int64_t of_metadata(const rgn_op *op, int64_t for_metadata, int64_t for_all)
{
    return rgni_op_has(op, RGNI_OP_METADATA) && for_metadata != RGN_AUTO ? for_metadata : for_all;
}

int64_t rgni_retry_throttle_count(const rgn_op *op)
{
    return of_metadata(op, op->options->retry_max_metadata_throttle_retry_count,
                       op->options->retry_max_throttle_retry_count);
}

/* OPR-12: 429 is retried where it happened, after the server's delay or ours. */
static rgni_plan plan_throttle(rgn_op *op, const rgn_response *response, const rgn_random *random, rgn_time_ns now)
{
    rgn_dur_ns total =
        of_metadata(op, op->options->retry_max_metadata_throttle_wait, op->options->retry_max_throttle_wait);
    rgn_dur_ns delay = response->retry_after;

    if (op->throttle_retries >= rgni_retry_throttle_count(op))
        return stop_exhausted;
    if (delay == RGN_TIME_NEVER)
        delay = jittered(random, op, doubled(THROTTLE_FIRST, op->throttle_retries));
    delay = rgn_time_min(delay, of_metadata(op, op->options->retry_max_metadata_throttle_delay, THROTTLE_MAX));
    if (delay > total - op->throttle_waited)
        return plan_forced(op, now);
    count(&op->throttle_retries);
    op->throttle_waited += delay;
    return (rgni_plan){RGNI_HERE, delay, false};
}

/* A hedge has a throttle count of its own; total waits and the 449 schedule are the operation's. */
static rgni_plan plan_leg_throttle(rgn_op *op, unsigned leg, const rgn_response *response, const rgn_random *random,
                                   rgn_time_ns now)
{
    uint8_t primary_count = op->throttle_retries;
    rgni_plan plan;

    if (leg == 0)
        return plan_throttle(op, response, random, now);
    op->throttle_retries = *leg_throttles(op, leg);
    plan = plan_throttle(op, response, random, now);
    *leg_throttles(op, leg) = op->throttle_retries;
    op->throttle_retries = primary_count;
    return plan;
}

/* OPR-6: the operation's budget for a failure of that class is empty. */
bool rgni_retry_is_spent(const rgn_op *op, const rgn_class *class)
{
    if (class->retry == RGN_RETRY_FAILOVER)
        return op->failover_retries >= op->options->retry_max_failover_retry_count;
    return class->retry == RGN_RETRY_BACKEND &&
           (op->backend_waited_us * RGN_NS_PER_US >= BACKEND_TOTAL || op->backend_retries >= BACKEND_COUNT_MAX);
}

/* HDG-12: a leg stays in its region. Sent again after a failure, it has its 429 retries anew. */
rgni_plan rgni_retry_plan_leg(rgn_op *op, unsigned leg, const rgn_class *class, const rgn_response *response,
                              const rgn_topology *topology, const rgn_random *random, rgn_time_ns now)
{
    bool is_local = op->options->hedging_leg_retries == RGN_LEG_RETRIES_LOCAL;
    rgni_plan plan = stop_final;

    if (class->retry == RGN_RETRY_THROTTLE)
        plan = plan_leg_throttle(op, leg, response, random, now);
    if (class->retry == RGN_RETRY_SESSION)
        plan = plan_leg_session(op, leg, is_local, topology);
    if (class->retry == RGN_RETRY_SESSION && plan.move == RGNI_HERE)
        *leg_throttles(op, leg) = 0;
    if (class->retry == RGN_RETRY_THROTTLE || class->retry == RGN_RETRY_SESSION || class->retry == RGN_RETRY_NONE)
        return plan;
    if (!is_local || rgni_ends_race(op, class))
        return rgni_retry_is_spent(op, class) ? stop_exhausted : stop_final;
    if (class->retry == RGN_RETRY_WITH) {
        *leg_throttles(op, leg) = 0;
        return plan_retry_with(op, random);
    }
    if (op->failover_retries + *leg_retries(op, leg) >= op->options->retry_max_failover_retry_count)
        return stop_exhausted;
    ++*leg_retries(op, leg);
    *leg_throttles(op, leg) = 0;
    return (rgni_plan){RGNI_HERE, 0, false};
}

rgni_plan rgni_retry_plan(rgn_op *op, const rgn_class *class, const rgn_response *response,
                          const rgn_topology *topology, const rgn_random *random, rgn_time_ns now)
{
    rgni_plan plan = stop_final;

    switch ((rgn_retry) class->retry) {
    case RGN_RETRY_NONE:
        return plan;
    case RGN_RETRY_THROTTLE:
        return plan_throttle(op, response, random, now);
    case RGN_RETRY_FAILOVER:
        plan = rgni_retry_plan_failover(op);
        break;
    case RGN_RETRY_BACKEND:
        plan = plan_backend(op, random);
        break;
    case RGN_RETRY_SESSION:
        plan = plan_session(op, topology);
        break;
    case RGN_RETRY_WITH:
        plan = plan_retry_with(op, random);
        break;
    }
    rgni_retry_end_throttle(op);
    return plan;
}

bool rgni_retry_backs_off(rgn_op *op, const rgn_response *response, const rgn_topology *topology,
                          const rgn_random *random, rgni_plan *plan, rgn_time_ns now)
{
    *plan = rgni_retry_plan(op, &rgni_throttled, response, topology, random, now);
    return plan->move == RGNI_HERE;
}
