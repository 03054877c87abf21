/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recovery format: operations, results, sweeps and due promotions of one client, with each touched partition's
 * state after every event. Everything goes through the router's public interface. */
#include "replay.h"
#include "plain_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t partition;
    int64_t value;
    bool is_used;
} injected_draw;

enum { DRAWS_MAX = 256 };
typedef struct {
    unsigned count;
    injected_draw draw[DRAWS_MAX];
} injected_draws;

typedef struct {
    int64_t expected;
    int64_t got;
} generation_pair;

typedef struct {
    rgn_router *router;
    rgn_options options;
    sequence *sequence;
    uint32_t partitions;
    rgn_time_ns now;
    uint8_t *reasons; /* last rgn_reason of each partition */
    rgn_op **ops;     /* by id; NULL once ended */
    size_t op_capacity;
    injected_draws jitter, sampler;
    rgn_region_set marked; /* endpoints marked during this event */
    generation_pair *generations;
    size_t generation_count;
} recovery;

/* --- hooks --- */

static uint64_t draw_below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    recovery *r = context;
    if (purpose == RGN_DRAW_RETRY_JITTER)
        return 0; /* of what an operation does after its first attempt, which no vector shows */
    injected_draws *draws = purpose == RGN_DRAW_JITTER ? &r->jitter : &r->sampler;
    const char *key = purpose == RGN_DRAW_JITTER ? "jit" : "acc";
    for (unsigned i = 0; i < draws->count; i++) {
        injected_draw *draw = &draws->draw[i];
        if (draw->is_used || draw->partition != subject)
            continue;
        draw->is_used = true;
        if (draw->value >= 0 && (uint64_t)draw->value < bound)
            return (uint64_t)draw->value;
        sequence_mismatch(r->sequence, key, "a bound above the draw", "a smaller one");
        return 0;
    }
    if (bound > 1) /* a draw among one value is none */
        sequence_mismatch(r->sequence, key, "no draw", "a draw");
    return 0;
}

static void read_draws(injected_draws *draws, const vector *v, const char *key)
{
    draws->count = 0;
    if (!vector_has(v, key))
        return;
    struct json_object *list = vector_array(v, key);
    if (json_object_array_length(list) > DRAWS_MAX)
        vector_fail(v, "too many draws", key);
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *pair = json_object_array_get_idx(list, i);
        draws->draw[draws->count++] = (injected_draw){part_at(v, pair, 0), part_at(v, pair, 1), false};
    }
}

static void expect_all_drawn(recovery *r, const injected_draws *draws, const char *key)
{
    for (unsigned i = 0; i < draws->count; i++)
        if (!draws->draw[i].is_used && r->options.failback_partition_unavailability_duration > 1)
            sequence_mismatch(r->sequence, key, "a draw", "none");
}

static void on_transition(void *context, const rgn_transition *transition)
{
    recovery *r = context;
    r->reasons[transition->partition] = transition->reason;
}

static void on_endpoint_mark(void *context, rgn_region region, rgn_mark_reason why, rgn_time_ns at)
{
    recovery *r = context;
    (void)why;
    (void)at;
    r->marked |= rgn_region_bit(region);
}

/* In the vectors an endpoint is marked where an event says so, and only for that event: neither that mark nor one that
 * the operation made itself may outlive it. */
static void unmark_all(recovery *r)
{
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(r->marked, region))
            rgn_router_unmark_endpoint(r->router, region);
    r->marked = 0;
}

/* --- start and end --- */

static int64_t choice_number(const vector *v, const rgn_knob *knob, const char *name)
{
    const char *choice = knob->choices;
    for (int64_t number = 0; *choice != '\0'; number++) {
        size_t length = strcspn(choice, "|");
        if (strlen(name) == length && strncmp(choice, name, length) == 0)
            return number;
        choice += length + (choice[length] == '|');
    }
    vector_fail(v, "unknown choice", name);
}

static void read_knobs(recovery *r, const vector *v)
{
    struct json_object *knobs = part_get(v, v->object, "knobs");
    if (!json_object_is_type(knobs, json_type_object))
        vector_fail(v, "not an object", "knobs");
    rgn_options_default(&r->options);
    json_object_object_foreach(knobs, name, value)
    {
        rgn_knob_id id = rgn_knob_find(name);
        if (id == RGN_KNOB_COUNT)
            vector_fail(v, "unknown knob", name);
        const rgn_knob *knob = rgn_knob_at(id);
        int64_t number;
        (void)value;
        if (knob->type == RGN_CHOICE)
            number = choice_number(v, knob, part_text(v, knobs, name));
        else
            number = part_int(v, knobs, name);
        if (knob->type == RGN_DURATION && number == -1)
            number = RGN_TIME_NEVER;
        rgn_options_set(&r->options, id, number);
    }
}

static rgn_account read_account(const vector *v)
{
    rgn_account account = {.readable = part_regions(v, vector_array(v, "pref")),
                           .multi_write = vector_int(v, "mw") != 0};
    rgn_region hub = (rgn_region)vector_within(v, vector_int(v, "hub"), 0, RGN_REGIONS_MAX - 1, "hub");
    account.writable.region[account.writable.count++] = hub;
    for (unsigned i = 0; account.multi_write && i < account.readable.count; i++)
        if (account.readable.region[i] != hub)
            account.writable.region[account.writable.count++] = account.readable.region[i];
    return account;
}

static void *recovery_begin(sequence *s, const vector *v)
{
    recovery *r = calloc(1, sizeof *r);
    if (r == NULL)
        vector_fail(v, "out of memory", "");
    r->sequence = s;
    r->partitions = vector_partitions(v);
    r->now = vector_clock(v, 0);
    r->reasons = calloc(r->partitions, sizeof *r->reasons);
    if (r->reasons == NULL)
        vector_fail(v, "out of memory", "");
    read_knobs(r, v);
    rgn_account account = read_account(v);
    rgn_router_config config = {
        .partition_count = r->partitions,
        .account = &account,
        .preferred = account.readable,
        .options = r->options,
        .start = vector_int(v, "grid") - r->options.failback_sweep_interval,
        .lock_stripes = 1,
        .allocator = plain_allocator,
        .random = {draw_below, r},
        .sink = {.on_transition = on_transition, .on_endpoint_mark = on_endpoint_mark, .context = r},
    };
    r->router = replay_router(v, &config);
    return r;
}

static void recovery_end(void *state)
{
    recovery *r = state;
    rgn_router_destroy(r->router);
    for (size_t i = 0; i < r->op_capacity; i++)
        free(r->ops[i]);
    free(r->ops);
    free(r->generations);
    free(r->reasons);
    free(r);
}

/* --- events --- */

static rgn_op **op_at(recovery *r, const vector *v)
{
    int64_t id = vector_within(v, vector_int(v, "id"), 0, 10000000, "id");
    if ((size_t)id >= r->op_capacity) {
        size_t capacity = (size_t)id * 2 + 64;
        r->ops = realloc(r->ops, capacity * sizeof *r->ops);
        if (r->ops == NULL)
            vector_fail(v, "out of memory", "");
        memset(r->ops + r->op_capacity, 0, (capacity - r->op_capacity) * sizeof *r->ops);
        r->op_capacity = capacity;
    }
    return &r->ops[id];
}

static rgn_op *open_op(recovery *r, const vector *v)
{
    rgn_op *op = *op_at(r, v);
    if (op == NULL)
        vector_fail(v, "the operation is not open", "id");
    return op;
}

static void replay_op(recovery *r, const vector *v, rgn_time_ns now)
{
    rgn_op **op = op_at(r, v);
    rgn_region_set down = (rgn_region_set)vector_int(v, "dn");
    rgn_request request = {
        .partition = (rgn_partition)vector_within(v, vector_int(v, "p"), 0, (int64_t)r->partitions - 1, "p"),
        .direction = (uint8_t)vector_flag(v, "w"),
        .has_excluded = true,
        .excluded = (rgn_region_set)vector_int(v, "ex"),
        .hash = (uint32_t)vector_int(v, "id"),
        .timeout = RGN_TIME_NEVER,
    };
    if (*op != NULL)
        vector_fail(v, "the operation is open already", "id");
    *op = calloc(1, sizeof **op);
    if (*op == NULL)
        vector_fail(v, "out of memory", "");
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_region_in(down, region))
            rgn_router_mark_endpoint(r->router, region, RGN_MARK_TRANSPORT_ERROR, now);
    rgn_step step = rgn_op_start(r->router, *op, &request, now);
    sequence_expect(r->sequence, "step", RGN_SEND, step);
    sequence_expect(r->sequence, "to", vector_int(v, "to"), replay_region((*op)->region));
    sequence_expect(r->sequence, "can", vector_int(v, "can"), ((*op)->send_flags & RGN_SEND_CANARY) != 0);
}

static void close_op(recovery *r, const vector *v, bool is_done, rgn_time_ns now)
{
    rgn_op **op = op_at(r, v);
    if (!is_done && rgn_op_abandon(r->router, *op, now) != RGN_DONE)
        sequence_mismatch(r->sequence, "abandon", "done", "more");
    free(*op);
    *op = NULL;
}

/* The first attempt ends. An attempt's own timeout is the operation's clock if it is told at that very instant, else an
 * attempt that the transport gave up. */
static void replay_res(recovery *r, const vector *v, rgn_time_ns now)
{
    rgn_op *op = open_op(r, v);
    const char *class = vector_text(v, "c");
    rgn_response response = {.retry_after = RGN_TIME_NEVER};
    bool is_timer = false;
    if (strcmp(class, "ok") == 0) {
        response.status = 200;
    } else if (strcmp(class, "fail") == 0) {
        response.status = 503;
    } else if (strcmp(class, "neutral") == 0) {
        response.status = vector_int(v, "id") % 2 == 0 ? 429 : 449;
    } else if (strcmp(class, "timeout") == 0) {
        response.transport = RGN_TRANSPORT_UNKNOWN;
        is_timer = op->wake_kind == RGN_WAKE_LEG_TIMEOUT && op->wake_at == now;
    } else {
        vector_fail(v, "unknown class", class);
    }
    rgn_step step =
        is_timer ? rgn_op_on_timer(r->router, op, now) : rgn_op_on_leg(r->router, op, op->leg, &response, now);
    close_op(r, v, step == RGN_DONE, now);
}

static void replay_background(recovery *r, rgn_time_ns now)
{
    rgn_task tasks[8];
    if (rgn_router_next_expiry(r->router) > now)
        sequence_expect(r->sequence, "next expiry", now, replay_time(rgn_router_next_expiry(r->router)));
    rgn_router_on_expiry(r->router, now, tasks, sizeof tasks / sizeof tasks[0]);
}

/* --- state after the event --- */

/* Generations are equal where the vector's are, and only there. */
static void expect_generation(recovery *r, const vector *v, int64_t expected, int64_t got)
{
    for (size_t i = r->generation_count; i-- > 0;) {
        const generation_pair *pair = &r->generations[i];
        if (pair->expected == expected || pair->got == got) {
            sequence_expect(r->sequence, "gen", pair->expected == expected ? pair->got : -expected, got);
            return;
        }
    }
    if ((r->generation_count & (r->generation_count - 1)) == 0) {
        size_t capacity = r->generation_count == 0 ? 1 : r->generation_count * 2;
        r->generations = realloc(r->generations, capacity * sizeof *r->generations);
        if (r->generations == NULL)
            vector_fail(v, "out of memory", "");
    }
    r->generations[r->generation_count++] = (generation_pair){expected, got};
}

/* [[region, reads, writes], ...] by region number, regions with any. */
static void expect_counts(recovery *r, const vector *v, struct json_object *state, const char *key,
                          const rgn_region_counts *rows, uint32_t (*values)[RGN_DIRECTIONS])
{
    struct json_object *list = part_array(v, state, key);
    size_t found = 0;
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++) {
        for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++) {
            if (rows->region[row] != region || (values[row][RGN_READ] == 0 && values[row][RGN_WRITE] == 0))
                continue;
            if (found >= json_object_array_length(list)) {
                sequence_mismatch(r->sequence, key, "fewer regions", "more");
                return;
            }
            struct json_object *expected = json_object_array_get_idx(list, found++);
            sequence_expect(r->sequence, key, part_at(v, expected, 0), region);
            sequence_expect(r->sequence, key, part_at(v, expected, 1), values[row][RGN_READ]);
            sequence_expect(r->sequence, key, part_at(v, expected, 2), values[row][RGN_WRITE]);
        }
    }
    if (found != json_object_array_length(list))
        sequence_mismatch(r->sequence, key, "more regions", "fewer");
}

static rgn_time_ns due_of(const rgn_entry *entry, const rgn_options *options)
{
    if (entry->phase != RGN_PHASE_UNHEALTHY)
        return RGN_TIME_NEVER;
    rgn_time_ns start = options->failback_dwell_from == RGN_DWELL_TRIP           ? entry->trip_time
                        : options->failback_dwell_from == RGN_DWELL_LAST_FAILURE ? entry->last_failure
                                                                                 : entry->first_failure;
    return start + options->failback_partition_unavailability_duration + entry->jitter;
}

static void expect_numbers(recovery *r, const vector *v, struct json_object *state, const rgn_entry *entry)
{
    const struct {
        const char *key;
        int64_t got;
    } numbers[] = {
        {"tr", entry->tripped},
        {"first", replay_region(entry->first_failed)},
        {"cur", replay_region(entry->current)},
        {"fm", entry->failed},
        {"ff", replay_time(entry->first_failure)},
        {"lf", replay_time(entry->last_failure)},
        {"tt", replay_time(entry->trip_time)},
        {"jit", entry->jitter},
        {"due", replay_time(due_of(entry, &r->options))},
        {"tot", entry->canary_total},
        {"suc", entry->canary_success},
        {"inf", entry->canary_in_flight},
        {"since", replay_time(entry->recovering_since)},
        {"ws", replay_time(entry->window_start)},
        {"wid", entry->window_id},
        {"ew", entry->low_windows},
        {"acc", entry->sampler},
        {"cause", entry->cause},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sequence_expect(r->sequence, numbers[i].key, part_int(v, state, numbers[i].key), numbers[i].got);
}

static void expect_failed_order(recovery *r, const vector *v, struct json_object *state, const rgn_entry *entry)
{
    struct json_object *failed = part_array(v, state, "failed");
    sequence_expect(r->sequence, "failed", (int64_t)json_object_array_length(failed), entry->failed_count);
    for (size_t i = 0; i < json_object_array_length(failed) && i < entry->failed_count; i++)
        sequence_expect(r->sequence, "failed", part_at(v, failed, i), entry->failed_order[i]);
}

static void expect_state(recovery *r, const vector *v, struct json_object *state)
{
    rgn_partition partition =
        (rgn_partition)vector_within(v, part_int(v, state, "p"), 0, (int64_t)r->partitions - 1, "p");
    rgn_entry entry;
    rgn_router_inspect(r->router, partition, &entry);
    sequence_expect(r->sequence, "ph", part_int(v, state, "ph"), entry.phase);
    const char *why = part_text(v, state, "why");
    const char *reason = rgn_reason_name((rgn_reason)r->reasons[partition]);
    if (strcmp(why, reason) != 0)
        sequence_mismatch(r->sequence, "why", why, reason);
    if (entry.phase == RGN_PHASE_ABSENT || r->sequence->is_wrong)
        return;
    expect_numbers(r, v, state, &entry);
    expect_failed_order(r, v, state, &entry);
    expect_generation(r, v, part_int(v, state, "gen"), entry.generation);
    expect_counts(r, v, state, "cnt", &entry.counts, entry.counts.failures);
    rgn_share_tally share = {0};
    rgn_router_inspect_share(r->router, partition, &share);
    expect_counts(r, v, state, "good", &entry.counts, share.successes);
}

static void recovery_event(void *state, sequence *s, const vector *v)
{
    recovery *r = state;
    rgn_time_ns now = r->now = vector_clock(v, r->now);
    const char *event = vector_text(v, "ev");
    bool is_background = strcmp(event, "sweep") == 0 || strcmp(event, "expiry") == 0;
    read_draws(&r->jitter, v, "jit");
    read_draws(&r->sampler, v, "acc");
    if (!is_background && rgn_router_next_expiry(r->router) <= now)
        sequence_expect(s, "next expiry", -1, rgn_router_next_expiry(r->router));
    if (is_background)
        replay_background(r, now);
    else if (strcmp(event, "op") == 0)
        replay_op(r, v, now);
    else if (strcmp(event, "res") == 0)
        replay_res(r, v, now);
    else if (strcmp(event, "cancel") == 0) {
        open_op(r, v);
        close_op(r, v, false, now);
    } else if (strcmp(event, "adv") != 0)
        vector_fail(v, "unknown event", event);
    unmark_all(r);
    expect_all_drawn(r, &r->jitter, "jit");
    expect_all_drawn(r, &r->sampler, "acc");
    struct json_object *states = vector_array(v, "st");
    for (size_t i = 0; i < json_object_array_length(states); i++)
        expect_state(r, v, json_object_array_get_idx(states, i));
    rgn_router_counters counters = rgn_router_get_counters(r->router);
    struct json_object *late = vector_array(v, "late");
    sequence_expect(s, "late", part_at(v, late, 0), (int64_t)counters.late_successes);
    sequence_expect(s, "late", part_at(v, late, 1), (int64_t)counters.late_failures);
}

const replay_format replay_recovery = {recovery_begin, recovery_event, recovery_end};
