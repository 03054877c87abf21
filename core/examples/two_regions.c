/* SPDX-License-Identifier: MIT */
/* A client with a real clock in front of two regions. East stops answering reads of the partition for a while: the
 * router trips it, sends reads west, tries east with canaries, and fails back. Each transition is one line of JSON.
 *
 *   cc -std=c11 two_regions.c $(pkg-config --cflags --libs regioncore) */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <regioncore/regioncore.h>

enum { EAST = 0, WEST = 1, PARTITION = 0 };

#define MS(n) ((n)*RGN_NS_PER_MS)

static rgn_time_ns now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * RGN_NS_PER_S + t.tv_nsec;
}

static void sleep_until(rgn_time_ns at)
{
    const rgn_dur_ns rest = at - now();
    const struct timespec t = {rest / RGN_NS_PER_S, rest % RGN_NS_PER_S};
    if (rest > 0)
        nanosleep(&t, NULL);
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    return calloc(1, size);
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static uint64_t below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    (void)context;
    (void)purpose;
    (void)subject;
    return (uint64_t)rand() % bound;
}

static void on_transition(void *context, const rgn_transition *transition)
{
    char line[RGN_TRANSITION_JSON_MAX];
    bool *has_failed_back = context;
    rgn_transition_json(transition, line, sizeof line);
    puts(line);
    *has_failed_back = *has_failed_back || transition->reason == RGN_REASON_FAILBACK;
}

/* What a leg is waiting for: its answer, and when it arrives. */
typedef struct {
    rgn_time_ns at;
    rgn_response response;
} pending;

/* The fake regions: 2 ms each; east answers 503 during its outage. */
static pending ask(rgn_region region, rgn_time_ns t, rgn_time_ns outage, rgn_time_ns repair)
{
    const bool is_down = region == EAST && t >= outage && t < repair;
    return (pending){t + MS(2), {.status = is_down ? 503 : 200, .retry_after = RGN_TIME_NEVER}};
}

/* One read, from start to end. */
static rgn_result read_item(rgn_router *router, uint32_t hash, rgn_time_ns outage, rgn_time_ns repair)
{
    const rgn_request request = {.partition = PARTITION, .direction = RGN_READ, .hash = hash, .timeout = MS(1000)};
    pending leg[RGN_LEGS_MAX];
    rgn_op op;
    rgn_step step = rgn_op_start(router, &op, &request, now());
    while (step != RGN_DONE) {
        if (step == RGN_SEND)
            leg[op.leg] = ask(op.region, now(), outage, repair);
        /* The next thing to happen: a leg's answer or the operation's timer. A cancelled leg is no longer open. */
        int next = -1;
        rgn_time_ns at = op.wake_at;
        for (int i = 0; i < RGN_LEGS_MAX; i++) {
            if (((op.open_legs >> i) & 1) != 0 && leg[i].at <= at) {
                next = i;
                at = leg[i].at;
            }
        }
        sleep_until(at);
        step = next < 0 ? rgn_op_on_timer(router, &op, now())
                        : rgn_op_on_leg(router, &op, (unsigned)next, &leg[next].response, now());
    }
    return op.result;
}

int main(void)
{
    const rgn_account account = {.readable = {2, {EAST, WEST}}, .writable = {1, {EAST}}};
    const rgn_time_ns start = now(), outage = start + MS(100), repair = start + MS(500);
    bool has_failed_back = false;
    int errors = 0;
    rgn_router_config config = {.partition_count = 1,
                                .account = &account,
                                .preferred = {2, {EAST, WEST}},
                                .start = start,
                                .lock_stripes = 1,
                                .allocator = {allocate, release, NULL},
                                .random = {below, NULL},
                                .sink = {.on_transition = on_transition, .context = &has_failed_back}};
    rgn_options_default(&config.options);
    config.options.breaker_read_failure_threshold = 3;
    config.options.failback_partition_unavailability_duration = MS(100); /* instead of 5 s: the example is short */
    config.options.failback_promote = RGN_PROMOTE_DUE;
    config.options.failback_canary_percentage = 50;
    rgn_router *router = rgn_router_create(&config, NULL);
    if (router == NULL)
        return EXIT_FAILURE;
    for (uint32_t i = 0; !has_failed_back && now() < start + MS(5000); i++) {
        if (rgn_router_next_expiry(router) <= now())
            rgn_router_on_expiry(router, now(), NULL, 0);
        errors += !read_item(router, i * 2654435761u, outage, repair).is_success;
    }
    printf("failed back: %s, errors: %d\n", has_failed_back ? "yes" : "no", errors);
    rgn_router_destroy(router);
    return has_failed_back ? EXIT_SUCCESS : EXIT_FAILURE;
}
