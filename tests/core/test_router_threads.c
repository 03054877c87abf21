/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four threads carry operations through one router, throw its switch, change its account and do its background work.
 * What the threads do is left to the scheduler; what must hold is not: every canary sent has one end, and every end
 * that counts is in exactly one sample, or late. Run under the thread sanitizer too. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <regioncore/regioncore.h>

#include "plain_allocator.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_WATCHED
#endif
#endif
#if defined(IS_WATCHED) || defined(__SANITIZE_THREAD__)
enum { STEPS = 60000 }; /* of each thread; all is some twenty times slower */
#else
enum { STEPS = 300000 };
#endif

enum { THREADS = 4, SLOTS = 12, PARTITIONS = 64 };

#define US(n) ((n)*INT64_C(1000))
#define MS(n) ((n)*RGN_NS_PER_MS)

/* How canaries ended, as the threads saw it, and as the sink was told. */
typedef struct {
    atomic_uint_fast64_t sent, successes, failures, neutral;
    atomic_uint_fast64_t told_total, told_success, told[UINT8_MAX + 1];
    atomic_uint_fast64_t hedges_won;
} tally;

typedef struct {
    rgn_router *router;
    rgn_account account;
    uint32_t partitions;
    _Atomic rgn_time_ns clock;
    atomic_uint_fast64_t draws;
    _Atomic rgn_time_ns next_event;
    atomic_uint_fast32_t ready; /* threads that have begun */
    tally tally;
} arena;

typedef struct {
    arena *arena;
    uint64_t state;
    rgn_plan plan[RGN_DIRECTIONS];
    rgn_op op[SLOTS];
    bool is_busy[SLOTS];
} worker;

/* SplitMix64's step: good enough for a stress. */
static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    arena *a = context;
    uint64_t state = atomic_fetch_add(&a->draws, 1);

    (void)purpose;
    (void)subject;
    return mix(&state) % bound;
}

/* A sample is over when its recovery is, or when its window begins anew: what it held is told once. */
static void on_transition(void *context, const rgn_transition *t)
{
    tally *told = &((arena *)context)->tally;
    bool is_sample_over = t->phase_before == RGN_PHASE_RECOVERING &&
                          (t->phase_after != RGN_PHASE_RECOVERING || t->reason == RGN_REASON_WINDOW_RESTART);

    atomic_fetch_add(&told->told[t->reason], 1);
    if (!is_sample_over)
        return;
    atomic_fetch_add(&told->told_total, t->canary_total);
    atomic_fetch_add(&told->told_success, t->canary_success);
}

/* Virtual time: every call takes a little of it. */
static rgn_time_ns tick(arena *a)
{
    return atomic_fetch_add(&a->clock, US(20)) + US(20);
}

static void count_end(tally *t, rgn_evidence evidence)
{
    switch (evidence) {
    case RGN_EVIDENCE_SUCCESS:
        atomic_fetch_add(&t->successes, 1);
        break;
    case RGN_EVIDENCE_FAILURE:
    case RGN_EVIDENCE_TIMEOUT:
        atomic_fetch_add(&t->failures, 1);
        break;
    case RGN_EVIDENCE_NEUTRAL:
        atomic_fetch_add(&t->neutral, 1);
        break;
    }
}

/* Region 0 is bad for 40 ms, then good for 60 ms; now and then any region throttles, or loses a connection. */
static rgn_response answer_of(worker *w, rgn_region region, rgn_time_ns now)
{
    rgn_response response = {.status = 200, .retry_after = RGN_TIME_NEVER};
    uint64_t die = mix(&w->state) % 100;

    if (region == 0 && now % MS(100) < MS(40) && die >= 5)
        response.status = 503;
    else if (die < 2)
        response.status = 429;
    else if (die < 4)
        response = (rgn_response){.transport = RGN_TRANSPORT_SENT, .retry_after = RGN_TIME_NEVER};
    return response;
}

static void start(worker *w, rgn_op *op)
{
    arena *a = w->arena;
    rgn_request request = {.partition = (rgn_partition)(mix(&w->state) % a->partitions),
                           .direction = mix(&w->state) % 4 == 0 ? RGN_WRITE : RGN_READ,
                           .hash = (uint32_t)mix(&w->state),
                           .timeout = MS(20)};
    rgn_step step;

    request.plan = &w->plan[request.direction];
    step = rgn_op_start(a->router, op, &request, tick(a));
    w->is_busy[op - w->op] = step != RGN_DONE;
    if (step == RGN_SEND && (op->send_flags & RGN_SEND_CANARY) != 0)
        atomic_fetch_add(&a->tally.sent, 1);
}

/* One more call for a busy operation: its timer if it is due, else an answer of one of its legs, or the end of
 * patience. What became of its canary is read from the operation before and after. */
static void go_on(worker *w, rgn_op *op, bool may_abandon)
{
    arena *a = w->arena;
    rgn_time_ns now = tick(a);
    bool had_canary = rgn_op_has_canary(op);
    rgn_evidence evidence = RGN_EVIDENCE_TIMEOUT;
    rgn_step step;

    if (op->wake_at <= now) {
        step = rgn_op_on_timer(a->router, op, now);
    } else if (may_abandon && mix(&w->state) % 50 == 0) {
        evidence = RGN_EVIDENCE_NEUTRAL;
        step = rgn_op_abandon(a->router, op, now);
    } else if (op->open_legs != 0) {
        unsigned leg = op->open_legs == 3 ? (unsigned)(mix(&w->state) & 1) : op->open_legs == 2;
        rgn_response response = answer_of(w, op->region, now);
        /* A hedge that wins counts as its canary's failure. */
        evidence = leg == 0 ? rgn_op_judge_canary(a->router, op, rgn_evidence_of(&response)) : RGN_EVIDENCE_FAILURE;
        rgn_router_expect(a->router, op->partition);
        step = rgn_op_on_leg(a->router, op, leg, &response, now);
    } else {
        return;
    }
    w->is_busy[op - w->op] = step != RGN_DONE;
    if (step == RGN_DONE && rgn_op_hedge(op) == RGN_HEDGE_ALTERNATE_WON)
        atomic_fetch_add(&a->tally.hedges_won, 1);
    if (had_canary && (step == RGN_DONE || !rgn_op_has_canary(op)))
        count_end(&a->tally, evidence);
}

/* The topology of the moment is drawn anew: three regions or the first one gone, automatic failover on or off. */
static void change_account(worker *w, rgn_time_ns now)
{
    rgn_account account = w->arena->account;

    if (mix(&w->state) % 2 == 0) {
        account.readable = (rgn_region_list){2, {1, 2}};
        account.writable = account.readable;
    }
    account.automatic_failover = mix(&w->state) % 2 == 0;
    rgn_router_set_account(w->arena->router, &account, now);
}

/* One event in 20 ms of virtual time, most often a mild one: recoveries need some peace. */
static void disturb(worker *w)
{
    arena *a = w->arena;
    rgn_time_ns now = tick(a);
    rgn_time_ns next = atomic_load(&a->next_event);

    if (now < next || !atomic_compare_exchange_strong(&a->next_event, &next, now + MS(20)))
        return;
    switch (mix(&w->state) % 8) {
    case 0:
        rgn_router_set_breaker_enabled(a->router, false, now);
        rgn_router_set_breaker_enabled(a->router, true, now);
        break;
    case 1:
        change_account(w, now);
        break;
    case 2:
        rgn_router_mark_endpoint(a->router, 0, RGN_MARK_SERVICE_UNAVAILABLE, now);
        break;
    case 3:
        rgn_router_forget_entry(a->router, (rgn_partition)(mix(&w->state) % a->partitions), now);
        break;
    case 4:
        rgn_router_set_account(a->router, &a->account, now);
        break;
    default:
        rgn_router_unmark_endpoint(a->router, 0);
        break;
    }
}

static void sweep(worker *w)
{
    rgn_time_ns now = tick(w->arena);

    if (rgn_router_next_expiry(w->arena->router) <= now)
        rgn_router_on_expiry(w->arena->router, now, NULL, 0);
}

static void *work(void *context)
{
    worker *w = context;

    atomic_fetch_add(&w->arena->ready, 1);
    while (atomic_load(&w->arena->ready) < THREADS) /* nobody runs ahead */
        continue;
    for (unsigned i = 0; i < STEPS; i++) {
        size_t slot = mix(&w->state) % SLOTS;
        if (i % 8 == 0)
            sweep(w);
        if (i % 16 == 0)
            disturb(w);
        if (w->is_busy[slot])
            go_on(w, &w->op[slot], true);
        else
            start(w, &w->op[slot]);
    }
    for (size_t slot = 0; slot < SLOTS; slot++)
        while (w->is_busy[slot])
            go_on(w, &w->op[slot], false);
    return NULL;
}

static rgn_router_config config_of(arena *a, uint32_t stripes, bool is_hedged)
{
    rgn_router_config config = {.partition_count = a->partitions,
                                .account = &a->account,
                                .preferred = a->account.readable, /* without any nobody is hedged */
                                .lock_stripes = stripes,
                                .allocator = plain_allocator,
                                .random = {below, a},
                                .sink = {.on_transition = on_transition, .context = a}};

    rgn_options_default(&config.options);
    config.options.breaker_read_failure_threshold = 2;
    config.options.breaker_write_failure_threshold = 2;
    config.options.failback_partition_unavailability_duration = MS(2);
    config.options.failback_promote = RGN_PROMOTE_DUE;
    config.options.failback_canary_percentage = 50;
    config.options.failback_min_sample = 4;
    config.options.failback_eval_window = MS(5);
    config.options.retry_request_timeout = MS(2);
    config.options.endpoint_unavailability_ttl = MS(5);
    config.options.hedging_strategy = is_hedged ? RGN_HEDGING_ON : RGN_HEDGING_DISABLED;
    config.options.hedging_threshold = MS(1);
    return config;
}

/* Samples still open when all is quiet: what they hold, and that nothing of them is in flight. */
static void add_open_samples(arena *a)
{
    for (rgn_partition p = 0; p < a->partitions; p++) {
        rgn_entry entry;
        rgn_router_inspect(a->router, p, &entry);
        ck_assert_uint_eq(entry.canary_in_flight, 0);
        atomic_fetch_add(&a->tally.told_total, entry.canary_total);
        atomic_fetch_add(&a->tally.told_success, entry.canary_success);
    }
}

static void expect_every_canary_once(arena *a)
{
    tally *t = &a->tally;
    rgn_router_counters late = rgn_router_get_counters(a->router);

    add_open_samples(a);
    ck_assert_uint_eq(t->sent, t->successes + t->failures + t->neutral);
    ck_assert_uint_eq(t->successes, t->told_success + late.late_successes);
    ck_assert_uint_eq(t->failures, t->told_total - t->told_success + late.late_failures);
    ck_assert_uint_eq(late.failed_allocations, 0);
}

/* There was something to lose. */
static bool has_met_everything(arena *a)
{
    const tally *t = &a->tally;
    rgn_router_counters late = rgn_router_get_counters(a->router);

    return t->sent > 100 && t->successes > 0 && t->failures > 0 && t->neutral > 0 &&
           late.late_successes + late.late_failures > 0 && t->told[RGN_REASON_FAILBACK] > 0 &&
           t->told[RGN_REASON_RETRIP] > 0 && t->told[RGN_REASON_FLAG_EDGE] > 0 &&
           t->told[RGN_REASON_REGION_REMOVED] > 0;
}

static bool hammer_once(uint32_t partitions, uint32_t stripes, bool is_hedged, uint64_t seed)
{
    static arena a;
    static worker workers[THREADS];
    pthread_t thread[THREADS];
    rgn_status status = RGN_ERR_RANGE;
    bool has_met;

    memset(&a, 0, sizeof a);
    memset(workers, 0, sizeof workers);
    a.account = (rgn_account){.readable = {3, {0, 1, 2}}, .writable = {3, {0, 1, 2}}, .multi_write = true};
    a.partitions = partitions;
    rgn_router_config config = config_of(&a, stripes, is_hedged);
    a.router = rgn_router_create(&config, &status);
    ck_assert_int_eq(status, RGN_OK);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].arena = &a;
        workers[i].state = seed + i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    expect_every_canary_once(&a);
    has_met = has_met_everything(&a) && (a.tally.hedges_won > 0) == is_hedged;
    rgn_router_destroy(a.router);
    return has_met;
}

/* What the scheduler leaves out of one round, a later one meets. */
static void hammer(uint32_t partitions, uint32_t stripes, bool is_hedged)
{
    enum { ROUNDS = 12 };
    unsigned round = 0;

    while (!hammer_once(partitions, stripes, is_hedged, 1000 + THREADS * (uint64_t)round))
        ck_assert_uint_lt(++round, ROUNDS);
}

START_TEST(no_canary_of_one_partition_is_lost_or_counted_twice)
{
    hammer(1, 1, false);
}
END_TEST

START_TEST(no_canary_of_many_partitions_is_lost_or_counted_twice)
{
    hammer(PARTITIONS, 8, false);
}
END_TEST

START_TEST(no_canary_that_races_a_hedge_is_lost_or_counted_twice)
{
    hammer(1, 1, true);
}
END_TEST

/* Rows of hedge wins begin, go on and end in all stripes at once. */
START_TEST(hedges_win_in_many_partitions)
{
    hammer(PARTITIONS, 8, true);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("router_threads");
    TCase *tc = tcase_create("router_threads");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, no_canary_of_one_partition_is_lost_or_counted_twice);
    tcase_add_test(tc, no_canary_of_many_partitions_is_lost_or_counted_twice);
    tcase_add_test(tc, no_canary_that_races_a_hedge_is_lost_or_counted_twice);
    tcase_add_test(tc, hedges_win_in_many_partitions);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
