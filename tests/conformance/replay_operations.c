/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay_operations FILE: drives one operation per line through the core and prints its life as JSON lines.
 *
 * A line holds the account, the knobs that are not at their default, the request, what the regions answer, and what was
 * there before: marks, counted failures, hedge wins. The answer holds every send, cut and end with its time, and what
 * the operation left behind. Nothing is judged here: model/operations.py compares. The input's fields are described in
 * model/README.md. Exit status: 0, or 2 for input that cannot be read. */
#include "replay.h"
#include "plain_allocator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rgn_time_ns at;
    rgn_response response;
    int64_t partition; /* that the answer names; -1: none */
} answer;

typedef struct {
    const vector *v;
    rgn_router *router;
    rgn_options options;
    struct json_object *draws, *trace;
    size_t draws_used;
    unsigned visits[RGN_REGIONS_MAX]; /* sends of this operation to the region */
    answer leg[RGN_LEGS_MAX];
    rgn_op op;
    rgn_fan fan;
} life;

enum { DRAW_BITS = 32, COUNT_OF_FIELDS = 6 };

/* The line's draws in turn, as 32-bit fractions of the bound. Only retries draw anything that shows. */
static uint64_t draw_below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    life *l = context;
    (void)subject;
    if (purpose != RGN_DRAW_RETRY_JITTER || json_object_array_length(l->draws) == 0)
        return 0;
    const size_t index = l->draws_used++ % json_object_array_length(l->draws);
    const uint64_t word = (uint64_t)part_at(l->v, l->draws, index) & UINT32_MAX;
    const uint64_t high = bound >> DRAW_BITS, low = bound & UINT32_MAX;
    return word * high + ((word * low) >> DRAW_BITS);
}

/* Appends ["what", numbers...] to the trace. */
static void tell(life *l, const char *what, unsigned count, const int64_t *numbers)
{
    struct json_object *entry = json_object_new_array();
    json_object_array_add(entry, json_object_new_string(what));
    for (unsigned i = 0; i < count; i++)
        json_object_array_add(entry, json_object_new_int64(numbers[i]));
    json_object_array_add(l->trace, entry);
}

static void set_knobs(const vector *v, rgn_options *options)
{
    json_object_object_foreach(part_get(v, v->object, "knobs"), name, value)
    {
        const rgn_knob_id id = rgn_knob_find(name);
        if (id == RGN_KNOB_COUNT)
            vector_fail(v, "no such knob", name);
        rgn_options_set(options, id, json_object_get_int64(value));
    }
}

static void make_router(life *l, const rgn_account *account)
{
    const vector *v = l->v;
    rgn_router_config config = {.partition_count = 1,
                                .account = account,
                                .preferred = part_regions(v, vector_array(v, "preferred")),
                                .lock_stripes = 1,
                                .allocator = plain_allocator,
                                .random = {draw_below, l}};
    config.breaker_switch = (rgn_switch)vector_within(v, vector_int(v, "switch"), 0, 2, "switch");
    rgn_options_default(&config.options);
    set_knobs(v, &config.options);
    l->options = config.options;
    l->router = replay_router(v, &config);
}

/* What happened before the operation: [region, why, at] marks, [region, direction, at] failures, [region, at] wins. */
static void prepare(life *l)
{
    const vector *v = l->v;
    struct json_object *marks = vector_array(v, "marks"), *failures = vector_array(v, "failures");
    struct json_object *wins = vector_array(v, "wins");
    for (size_t i = 0; i < json_object_array_length(marks); i++) {
        struct json_object *mark = json_object_array_get_idx(marks, i);
        rgn_router_mark_endpoint(l->router, (rgn_region)part_at(v, mark, 0), (rgn_mark_reason)part_at(v, mark, 1),
                                 part_at(v, mark, 2));
    }
    for (size_t i = 0; i < json_object_array_length(failures); i++) {
        struct json_object *failure = json_object_array_get_idx(failures, i);
        rgn_router_record_failure(l->router, 0, (rgn_region)part_at(v, failure, 0),
                                  (rgn_direction)part_at(v, failure, 1), part_at(v, failure, 2));
    }
    for (size_t i = 0; i < json_object_array_length(wins); i++) {
        struct json_object *win = json_object_array_get_idx(wins, i);
        rgn_router_record_hedge_win(l->router, 0, (rgn_region)part_at(v, win, 0), part_at(v, win, 1));
    }
}

/* What the region of the leg just sent will answer: the entry of its nth visit, or the last one. */
static answer ask(life *l, rgn_time_ns now)
{
    char region[8];
    snprintf(region, sizeof region, "%u", l->op.region);
    struct json_object *answers = part_array(l->v, part_get(l->v, l->v->object, "answers"), region);
    const size_t count = json_object_array_length(answers), visit = l->visits[l->op.region]++;
    if (count == 0)
        vector_fail(l->v, "no answer for region", region);
    struct json_object *a = json_object_array_get_idx(answers, visit < count ? visit : count - 1);
    if (json_object_array_length(a) != COUNT_OF_FIELDS)
        vector_fail(l->v, "an answer has six numbers, region", region);
    const int64_t wait = part_at(l->v, a, 4);
    return (answer){.at = rgn_time_add(now, part_at(l->v, a, 0)),
                    .response = {.status = (uint16_t)part_at(l->v, a, 1),
                                 .substatus = (uint16_t)part_at(l->v, a, 2),
                                 .transport = (uint8_t)part_at(l->v, a, 3),
                                 .retry_after = wait < 0 ? RGN_TIME_NEVER : wait},
                    .partition = part_at(l->v, a, 5)};
}

/* Tells what the last call asked for. */
static void take_step(life *l, rgn_step step, rgn_time_ns now)
{
    const rgn_op *op = &l->op;
    if (op->cancel_legs != 0)
        tell(l, "cut", 2, (int64_t[]){now, op->cancel_legs});
    if (step == RGN_SEND) {
        tell(l, "send", 5, (int64_t[]){now, op->leg, op->region, op->send_flags, replay_time(op->leg_timeout_at)});
        l->leg[op->leg] = ask(l, now);
    }
    if (step == RGN_DONE)
        tell(l, "done", 7,
             (int64_t[]){now, op->result.status, op->result.substatus, op->result.reason,
                         replay_region(op->result.region), op->result.is_success, op->result.is_error});
}

/* The operation from its start to its end. Of one instant: primary, hedges, clock, the application's own will. */
static void live(life *l, const rgn_request *request, rgn_time_ns start, rgn_time_ns abandon_at)
{
    rgn_op *op = &l->op;
    rgn_time_ns now = start;
    rgn_step step = rgn_op_start(l->router, op, request, now);
    take_step(l, step, now);
    while (step != RGN_DONE) {
        int next = -1;
        now = op->wake_at;
        for (int i = RGN_LEGS_MAX - 1; i >= 0; i--) {
            if (((op->open_legs >> i) & 1) != 0 && l->leg[i].at <= now) {
                next = i;
                now = l->leg[i].at;
            }
        }
        if (now == RGN_TIME_NEVER && abandon_at == RGN_TIME_NEVER)
            vector_fail(l->v, "the operation never ends", "");
        if (abandon_at < now) {
            now = abandon_at;
            step = rgn_op_abandon(l->router, op, now);
        } else if (next < 0) {
            step = rgn_op_on_timer(l->router, op, now);
        } else {
            if (l->leg[next].partition >= 0)
                rgn_op_learn_partition(l->router, op, (rgn_partition)l->leg[next].partition);
            step = rgn_op_on_leg(l->router, op, (unsigned)next, &l->leg[next].response, now);
        }
        take_step(l, step, now);
    }
}

static void add_numbers(struct json_object *array, unsigned count, const int64_t *numbers)
{
    struct json_object *row = json_object_new_array();
    for (unsigned i = 0; i < count; i++)
        json_object_array_add(row, json_object_new_int64(numbers[i]));
    json_object_array_add(array, row);
}

/* Marks, counts and rows of hedge wins as they are now. */
static void add_remains(const life *l, struct json_object *out)
{
    struct json_object *marks = json_object_new_array(), *counts = json_object_new_array();
    struct json_object *wins = json_object_new_array();
    rgn_entry entry;
    if (rgn_router_inspect(l->router, 0, &entry)) {
        for (unsigned i = 0; i < RGN_COUNTED_REGIONS; i++) {
            const uint32_t *row = entry.counts.failures[i];
            if (row[RGN_READ] + row[RGN_WRITE] > 0)
                add_numbers(counts, 3, (int64_t[]){entry.counts.region[i], row[RGN_READ], row[RGN_WRITE]});
        }
    }
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++) {
        rgn_mark mark;
        if (rgn_router_inspect_mark(l->router, region, &mark))
            add_numbers(marks, 3, (int64_t[]){region, mark.why, mark.at});
        const uint32_t row = rgn_router_hedge_wins(l->router, 0, region);
        if (row > 0)
            add_numbers(wins, 2, (int64_t[]){region, row});
    }
    json_object_object_add(out, "tripped", json_object_new_int(entry.tripped));
    json_object_object_add(out, "failed", json_object_new_int64(entry.failed));
    json_object_object_add(out, "counts", counts);
    json_object_object_add(out, "marks", marks);
    json_object_object_add(out, "wins", wins);
    json_object_object_add(out, "open_hedges", json_object_new_int64(rgn_router_open_hedges(l->router)));
    json_object_object_add(out, "open_metadata_races",
                           json_object_new_int64(rgn_router_open_metadata_races(l->router)));
}

static void use_line(void *context, const vector *v)
{
    life l = {.v = v, .draws = vector_array(v, "draws"), .trace = json_object_new_array()};
    struct json_object *out = json_object_new_object();
    const int64_t timeout = vector_int(v, "timeout"), abandon = vector_int(v, "abandon");
    const rgn_account account = {.readable = part_regions(v, vector_array(v, "readable")),
                                 .writable = part_regions(v, vector_array(v, "writable")),
                                 .multi_write = vector_flag(v, "multi_write"),
                                 .automatic_failover = vector_flag(v, "automatic_failover")};
    (void)context;
    make_router(&l, &account);
    rgn_request request = {.partition = vector_flag(v, "is_known") ? 0 : RGN_PARTITION_UNKNOWN,
                           .direction = (uint8_t)vector_flag(v, "direction"),
                           .is_container_level = vector_flag(v, "is_container_level"),
                           .is_feed = vector_flag(v, "is_feed"),
                           .has_excluded = true,
                           .fan = &l.fan,
                           .timeout = timeout < 0 ? RGN_TIME_NEVER : timeout};
    const rgn_region_list excluded = part_regions(v, vector_array(v, "excluded"));
    request.excluded = rgn_region_list_set(&excluded);
    prepare(&l);
    live(&l, &request, vector_int(v, "start"), abandon < 0 ? RGN_TIME_NEVER : abandon);
    json_object_object_add(out, "id", json_object_new_int64(vector_int(v, "id")));
    json_object_object_add(out, "trace", l.trace);
    json_object_object_add(out, "hedge", json_object_new_string(rgn_hedge_name(rgn_op_hedge(&l.op))));
    add_remains(&l, out);
    puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PLAIN));
    json_object_put(out);
    rgn_router_destroy(l.router);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: replay_operations FILE\n");
        return 2;
    }
    vector_read_file(argv[1], use_line, NULL);
    return 0;
}
