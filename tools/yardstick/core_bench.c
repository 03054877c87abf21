/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the core costs an operation, all its calls together: core_bench PATH OPERATIONS.
 *
 * Prints the best of fifty rounds in ns per operation, and how often the router asked for memory while the operations
 * ran. Exit status 1 if it did, or if an operation went another way than its path says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <regioncore/regioncore.h>

enum { ROUNDS = 50, HOME = 0, AWAY = 1 };

typedef struct {
    const char *name;
    bool is_tripped;    /* the partition is, and its recovery has not begun */
    bool is_recovering; /* every operation is a canary, and no sample ever decides */
    uint16_t status;    /* of the first answer; not below 400: the second one is 200 */
    rgn_region first;   /* where the first leg goes */
} path;

static const path PATHS[] = {
    {"healthy", false, false, 200, HOME},     /* two calls */
    {"failure", false, false, 503, HOME},     /* counted, and tried again: three calls */
    {"tripped", true, false, 200, AWAY},      /* two calls */
    {"canary", true, true, 200, HOME},        /* two calls */
    {"failed-canary", true, true, 503, HOME}, /* three calls */
};
enum { PATH_COUNT = sizeof PATHS / sizeof PATHS[0] };

static void *allocate(void *context, size_t size)
{
    unsigned *count = context;
    (*count)++;
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
    return bound / 2;
}

static rgn_router *prepare(const path *p, unsigned *allocations)
{
    const rgn_account account = {.readable = {3, {0, 1, 2}}, .writable = {3, {0, 1, 2}}, .multi_write = true};
    rgn_router_config config = {.partition_count = 64,
                                .account = &account,
                                .lock_stripes = 8,
                                .allocator = {allocate, release, allocations},
                                .random = {below, NULL}};
    rgn_options_default(&config.options);
    config.options.hedging_strategy = RGN_HEDGING_DISABLED;
    config.options.breaker_read_failure_threshold = p->is_tripped ? 1 : RGN_COUNT_MAX_;
    config.options.failback_promote = RGN_PROMOTE_DUE;
    config.options.failback_canary_percentage = 100;
    config.options.failback_min_sample = RGN_COUNT_MAX_;
    config.options.failback_eval_window = RGN_DUR_MAX_;
    rgn_router *router = rgn_router_create(&config, NULL);
    if (router == NULL)
        exit(EXIT_FAILURE);
    if (p->is_tripped || p->status >= 400)
        rgn_router_record_failure(router, 0, HOME, RGN_READ, 0);
    if (p->is_recovering)
        rgn_router_on_expiry(router, RGN_S_(60), NULL, 0);
    return router;
}

/* False if the operation did not go the path's way. */
static bool carry(rgn_router *router, const path *p, rgn_op *op, rgn_time_ns now)
{
    static const rgn_response GOOD = {.status = 200, .retry_after = RGN_TIME_NEVER};
    const rgn_request request = {.partition = 0, .direction = RGN_READ, .timeout = RGN_S_(5)};
    const rgn_response first = {.status = p->status, .retry_after = RGN_TIME_NEVER};

    rgn_step step = rgn_op_start(router, op, &request, now);
    bool is_canary = (op->send_flags & RGN_SEND_CANARY) != 0;
    bool is_right = step == RGN_SEND && op->region == p->first && is_canary == p->is_recovering;
    step = rgn_op_on_leg(router, op, 0, &first, now);
    if (p->status >= 400) {
        is_right = is_right && step == RGN_SEND && op->region == AWAY;
        step = rgn_op_on_leg(router, op, 0, &GOOD, now);
    }
    return is_right && step == RGN_DONE;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * RGN_NS_PER_S + t.tv_nsec;
}

/* All operations at one virtual instant: nothing becomes due while they run. */
static int measure(const path *p, unsigned long operations)
{
    unsigned allocations = 0;
    rgn_router *router = prepare(p, &allocations);
    const unsigned before = allocations;
    unsigned long wrong = 0;
    int64_t best = INT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        rgn_op op;
        int64_t start = now_ns();
        for (unsigned long i = 0; i < operations; i++)
            wrong += !carry(router, p, &op, RGN_S_(60));
        int64_t took = now_ns() - start;
        best = took < best ? took : best;
    }
    (void)printf("%s %.1f %u\n", p->name, (double)best / (double)operations, allocations - before);
    rgn_router_destroy(router);
    if (wrong > 0)
        (void)fprintf(stderr, "core_bench: %lu operations did not go the way of %s\n", wrong, p->name);
    return wrong == 0 && allocations == before ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long operations = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
    for (size_t i = 0; operations > 0 && *end == '\0' && i < PATH_COUNT; i++)
        if (strcmp(argv[1], PATHS[i].name) == 0)
            return measure(&PATHS[i], operations);
    (void)fprintf(stderr, "usage: core_bench PATH OPERATIONS\npaths:");
    for (size_t i = 0; i < PATH_COUNT; i++)
        (void)fprintf(stderr, " %s", PATHS[i].name);
    (void)fputc('\n', stderr);
    return 2;
}
