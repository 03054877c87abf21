/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routing format: a shipped driver's breaker, failback, automatic failover, hedge feedback and endpoint choice,
 * with the answers to routing queries after every event. The core must give them under the driver's values of its
 * knobs. Everything goes through the router's public interface. */
#include "replay.h"
#include "plain_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rgn_router *router;
    rgn_options options;
    sequence *sequence;
    uint32_t partitions;
    rgn_time_ns now;
    int64_t jitter; /* the event's draw; -1 if it has none */
    rgn_account account;
} routing;

static uint64_t draw_below(void *context, rgn_draw purpose, uint32_t subject, uint64_t bound)
{
    routing *r = context;
    (void)subject;
    if (bound == 1) /* a draw among one value is none */
        return 0;
    if (purpose != RGN_DRAW_JITTER || r->jitter < 0) {
        sequence_mismatch(r->sequence, "js", "no draw", "a draw");
        return 0;
    }
    if ((uint64_t)r->jitter < bound)
        return (uint64_t)r->jitter;
    sequence_mismatch(r->sequence, "js", "a bound above the draw", "a smaller one");
    return 0;
}

/* --- start --- */

static rgn_account read_account(const vector *v, struct json_object *topology)
{
    return (rgn_account){
        .readable = part_regions(v, part_array(v, topology, "readable")),
        .writable = part_regions(v, part_array(v, topology, "writable")),
        .multi_write = part_int(v, topology, "mw") != 0,
        .automatic_failover = part_int(v, topology, "paf") != 0,
    };
}

/* The shipped driver's rules. Its sweeps come at any instant here, so promotions are taken as they fall due: a due
 * promotion and the driver's sweep do the same to an entry. */
static void set_driver_rules(rgn_options *options)
{
    rgn_options_default(options);
    options->breaker_tally = RGN_TALLY_SHARED;
    options->breaker_untripped_entries = RGN_UNTRIPPED_KEEP;
    options->failback_strategy = RGN_STRATEGY_PROBE;
    options->failback_probe_admission = RGN_PROBE_ALL;
    options->failback_failed_probe = RGN_FAILED_PROBE_UNTRIP;
    options->failback_promote = RGN_PROMOTE_DUE;
    options->routing_rules = RGN_ROUTING_DRIVER;
    options->retry_exhausted_failures = RGN_EXHAUSTED_IGNORE;
}

static void expect_list(routing *r, const vector *v, struct json_object *topology, const char *key,
                        const rgn_region_list *got)
{
    rgn_region_list expected = part_regions(v, part_array(v, topology, key));
    sequence_expect(r->sequence, key, expected.count, got->count);
    for (unsigned i = 0; i < expected.count && i < got->count; i++)
        sequence_expect(r->sequence, key, expected.region[i], got->region[i]);
}

static void expect_topology(routing *r, const vector *v, struct json_object *topology)
{
    const rgn_topology *got = rgn_router_topology(r->router);
    sequence_expect(r->sequence, "pcb", part_int(v, topology, "pcb"), rgn_router_breaker_is_on(r->router));
    sequence_expect(r->sequence, "paf", part_int(v, topology, "paf"), got->automatic_failover);
    sequence_expect(r->sequence, "gen", part_int(v, topology, "gen"), got->generation);
    expect_list(r, v, topology, "rd", &got->read_order);
    expect_list(r, v, topology, "wr", &got->write_order);
}

static void *routing_begin(sequence *s, const vector *v)
{
    struct json_object *topology = part_get(v, v->object, "topo");
    struct json_object *cfg = part_get(v, v->object, "cfg");
    routing *r = calloc(1, sizeof *r);
    if (r == NULL)
        vector_fail(v, "out of memory", "");
    r->sequence = s;
    r->jitter = -1;
    r->partitions = vector_partitions(v);
    r->now = vector_clock(v, 0);
    r->account = read_account(v, topology);
    if (vector_int(v, "huge") != 0) {
        sequence_skip(s, "a threshold beyond the knob's range");
        return r;
    }
    int64_t kill_switch = part_int(v, cfg, "ppcb_ovr");
    set_driver_rules(&r->options);
    r->options.breaker_enabled = part_int(v, cfg, "ppcb_opt");
    r->options.breaker_read_failure_threshold = part_int(v, cfg, "rthr");
    r->options.breaker_write_failure_threshold = part_int(v, cfg, "wthr");
    /* Beyond the knob's range, as within it, no sequence is long enough to get there. */
    int64_t win_threshold = part_int(v, cfg, "hthr");
    r->options.breaker_consecutive_hedge_win_threshold = win_threshold < INT32_MAX ? win_threshold : INT32_MAX;
    r->options.breaker_counter_reset_window = part_int(v, cfg, "crw");
    r->options.failback_partition_unavailability_duration = part_int(v, cfg, "dwell");
    r->options.endpoint_unavailability_ttl = part_int(v, cfg, "ttl");
    rgn_router_config config = {
        .partition_count = r->partitions,
        .account = &r->account,
        .preferred = part_regions(v, vector_array(v, "pref")),
        .options = r->options,
        .start = r->now,
        .lock_stripes = 1,
        .allocator = plain_allocator,
        .random = {draw_below, r},
        .breaker_switch = kill_switch < 0    ? RGN_SWITCH_UNSET
                          : kill_switch == 0 ? RGN_SWITCH_OFF
                                             : RGN_SWITCH_ON,
    };
    r->router = replay_router(v, &config);
    expect_topology(r, v, topology);
    return r;
}

static void routing_end(void *state)
{
    routing *r = state;
    if (r->router != NULL)
        rgn_router_destroy(r->router);
    free(r);
}

/* --- events --- */

static rgn_partition read_partition(const routing *r, const vector *v)
{
    return (rgn_partition)vector_within(v, vector_int(v, "p"), 0, (int64_t)r->partitions - 1, "p");
}

/* -1 is no region, as for a primary whose region is unknown. */
static rgn_region read_region(const vector *v)
{
    int64_t region = vector_within(v, vector_int(v, "r"), -1, RGN_REGIONS_MAX - 1, "r");
    return region < 0 ? RGN_REGION_NONE : (rgn_region)region;
}

static void replay_fail(routing *r, const vector *v, rgn_time_ns now)
{
    bool is_partitioned = vector_flag(v, "part") != 0;
    rgn_router_record_failure(r->router, is_partitioned ? read_partition(r, v) : RGN_PARTITION_UNKNOWN, read_region(v),
                              (rgn_direction)vector_flag(v, "rw"), now);
}

static void replay_flush(routing *r, const vector *v, rgn_time_ns now)
{
    struct json_object *list = vector_array(v, "rs");
    rgn_region regions[64];
    unsigned count = 0;
    if (json_object_array_length(list) > sizeof regions / sizeof regions[0])
        vector_fail(v, "too many regions", "rs");
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        int64_t region = part_at(v, list, i);
        regions[count++] = region < 0 || region >= RGN_REGIONS_MAX ? RGN_REGION_NONE : (rgn_region)region;
    }
    rgn_router_flush_writes(r->router, read_partition(r, v), regions, count, now);
}

static void replay_success(routing *r, const vector *v, rgn_time_ns now)
{
    const rgn_topology *topology = rgn_router_topology(r->router);
    rgn_region region = topology->read_order.count > 0 ? topology->read_order.region[0] : RGN_REGION_NONE;
    rgn_router_record_success(r->router, read_partition(r, v), region, RGN_READ, now);
}

static void replay_sweep(routing *r, rgn_time_ns now)
{
    rgn_task tasks[RGN_REGIONS_MAX];
    rgn_router_on_expiry(r->router, now, tasks, RGN_REGIONS_MAX);
}

static void replay_mark(routing *r, const vector *v, rgn_time_ns now)
{
    rgn_region region = (rgn_region)vector_within(v, vector_int(v, "r"), 0, RGN_REGIONS_MAX - 1, "r");
    int64_t why = vector_within(v, vector_int(v, "why"), RGN_MARK_WRITE_FORBIDDEN, RGN_MARK_TRANSPORT_ERROR, "why");
    rgn_router_mark_endpoint(r->router, region, (rgn_mark_reason)why, now);
}

/* One pass of the caller's probe loop. */
static void replay_probe(routing *r, const vector *v, rgn_time_ns now)
{
    rgn_region_set up = (rgn_region_set)vector_int(v, "up");
    rgn_task tasks[RGN_REGIONS_MAX];
    unsigned count = rgn_router_due_probes(r->router, now, tasks, RGN_REGIONS_MAX);
    for (unsigned i = 0; i < count; i++)
        rgn_router_answer_probe(r->router, &tasks[i], rgn_region_in(up, tasks[i].region), now);
}

static void replay_expire(routing *r, const vector *v, rgn_time_ns now)
{
    rgn_mark mark;
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++)
        if (rgn_router_inspect_mark(r->router, region, &mark) && rgn_time_elapsed(mark.at, now) >= vector_int(v, "dur"))
            rgn_router_unmark_endpoint(r->router, region);
}

static void replay_sync(routing *r, const vector *v, rgn_time_ns now)
{
    struct json_object *topology = part_get(v, v->object, "topo");
    r->account = read_account(v, topology);
    if (rgn_router_set_account(r->router, &r->account, now) != RGN_OK)
        vector_fail(v, "the account is refused", "topo");
    expect_topology(r, v, topology);
}

/* --- state and routing after the event --- */

/* The driver's counters are signed 32-bit numbers. */
static int64_t signed_count(uint32_t count)
{
    return count > INT32_MAX ? (int64_t)count - UINT32_MAX - 1 : count;
}

static void expect_entry(routing *r, const vector *v, rgn_partition partition, struct json_object *state)
{
    rgn_entry entry;
    struct json_object *expected = part_get(v, state, "cb");
    bool has_entry = rgn_router_inspect(r->router, partition, &entry);
    sequence_expect(r->sequence, "cb", expected != NULL, has_entry);
    if (!has_entry || expected == NULL)
        return;
    const struct {
        const char *key;
        int64_t got;
    } numbers[] = {
        {"cur", replay_region(entry.current)},
        {"first", replay_region(entry.first_failed)},
        {"failed", entry.failed},
        {"rc", signed_count(entry.counts.failures[0][RGN_READ])},
        {"wc", signed_count(entry.counts.failures[0][RGN_WRITE])},
        {"hs", entry.phase == RGN_PHASE_RECOVERING},
        {"ff", entry.first_failure},
        {"lf", entry.last_failure},
        {"jit", entry.jitter},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char key[16];
        snprintf(key, sizeof key, "cb.%s", numbers[i].key);
        sequence_expect(r->sequence, key, part_int(v, expected, numbers[i].key), numbers[i].got);
    }
    struct json_object *tripped = part_array(v, expected, "tr");
    for (rgn_direction d = RGN_READ; d <= RGN_WRITE; d++)
        sequence_expect(r->sequence, "tr", part_at(v, tripped, d), rgn_entry_is_tripped(&entry, d));
}

static void expect_override(routing *r, const vector *v, rgn_partition partition, struct json_object *state)
{
    rgn_override override;
    struct json_object *expected = part_get(v, state, "fo");
    bool has_override = rgn_router_inspect_override(r->router, partition, &override);
    sequence_expect(r->sequence, "fo", expected != NULL, has_override);
    if (!has_override || expected == NULL)
        return;
    /* The driver's entry has more fields than an override uses: they never leave zero. */
    const struct {
        const char *key;
        int64_t got;
    } numbers[] = {
        {"cur", replay_region(override.current)},
        {"first", replay_region(override.first_failed)},
        {"failed", override.failed},
        {"rc", 0},
        {"wc", 0},
        {"hs", 0},
        {"ff", override.first_failure},
        {"lf", override.last_failure},
        {"jit", 0},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char key[16];
        snprintf(key, sizeof key, "fo.%s", numbers[i].key);
        sequence_expect(r->sequence, key, part_int(v, expected, numbers[i].key), numbers[i].got);
    }
}

/* [[primary region, wins], ...] by region, regions with any; -1 first. */
static void expect_wins(routing *r, const vector *v, rgn_partition partition, struct json_object *state)
{
    struct json_object *list = part_array(v, state, "hw");
    size_t found = 0;
    for (int64_t region = -1; region < RGN_REGIONS_MAX; region++) {
        rgn_region key = region < 0 ? RGN_REGION_NONE : (rgn_region)region;
        uint32_t wins = rgn_router_hedge_wins(r->router, partition, key);
        if (wins == 0)
            continue;
        if (found >= json_object_array_length(list)) {
            sequence_mismatch(r->sequence, "hw", "fewer regions", "more");
            return;
        }
        struct json_object *expected = json_object_array_get_idx(list, found++);
        sequence_expect(r->sequence, "hw", part_at(v, expected, 0), region);
        sequence_expect(r->sequence, "hw", part_at(v, expected, 1), wins);
    }
    if (found != json_object_array_length(list))
        sequence_mismatch(r->sequence, "hw", "more regions", "fewer");
}

static void expect_marks(routing *r, const vector *v)
{
    struct json_object *down = vector_array(v, "down");
    size_t found = 0;
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++) {
        rgn_mark mark;
        if (!rgn_router_inspect_mark(r->router, region, &mark))
            continue;
        if (found >= json_object_array_length(down)) {
            sequence_mismatch(r->sequence, "down", "fewer marks", "more");
            return;
        }
        struct json_object *expected = json_object_array_get_idx(down, found++);
        sequence_expect(r->sequence, "down", part_at(v, expected, 0), region);
        sequence_expect(r->sequence, "down", part_at(v, expected, 1), mark.at);
        sequence_expect(r->sequence, "down", part_at(v, expected, 2), mark.why);
    }
    if (found != json_object_array_length(down))
        sequence_mismatch(r->sequence, "down", "more marks", "fewer");
}

/* Columns of a row of `rt`. */
enum { RT_PARTITION, RT_WRITE, RT_EXCLUDED, RT_BASE, RT_STALE, RT_FAILED, RT_HUB, RT_SESSION, RT_WALK, RT_PART, RT_TO };

/* The rotation within the list that the row's operation walks; an index of an older generation is 0. */
static uint8_t read_rotation(const routing *r, const vector *v, struct json_object *row)
{
    const rgn_topology *topology = rgn_router_topology(r->router);
    bool is_write = part_at(v, row, RT_WRITE) != 0;
    bool uses_reads = is_write ? part_at(v, row, RT_WALK) != 0 : part_at(v, row, RT_SESSION) == 0;
    unsigned length = uses_reads ? topology->read_order.count : topology->write_order.count;
    int64_t base = part_at(v, row, RT_STALE) != 0 ? 0 : part_at(v, row, RT_BASE);
    return (uint8_t)(length > 0 ? vector_within(v, base, 0, INT64_MAX, "rt") % length : 0);
}

static void expect_route(routing *r, const vector *v, size_t index, struct json_object *row, rgn_time_ns now)
{
    int64_t partition = vector_within(v, part_at(v, row, RT_PARTITION), -1, (int64_t)r->partitions - 1, "rt");
    uint8_t rotation = read_rotation(r, v, row);
    rgn_route_query query = {
        .excluded = (rgn_region_set)part_at(v, row, RT_EXCLUDED),
        .failed_regions = (rgn_region_set)part_at(v, row, RT_FAILED),
        .direction = (uint8_t)vector_within(v, part_at(v, row, RT_WRITE), 0, 1, "rt"),
        .list_index = rotation,
        .is_retry = rotation != 0 || part_at(v, row, RT_FAILED) != 0,
        .is_session_retry = part_at(v, row, RT_SESSION) != 0,
        .may_walk_reads = part_at(v, row, RT_WALK) != 0,
        .is_container_level = part_at(v, row, RT_PART) == 0,
        .is_hub_latched = part_at(v, row, RT_HUB) != 0,
    };
    char key[32];
    snprintf(key, sizeof key, "rt[%zu]", index);
    rgn_route_answer answer =
        rgn_router_route(r->router, partition >= 0 ? (rgn_partition)partition : RGN_PARTITION_UNKNOWN, query, now);
    sequence_expect(r->sequence, key, part_at(v, row, RT_TO), replay_region(answer.region));
}

static void replay_event(routing *r, const vector *v, const char *event, rgn_time_ns now)
{
    if (strcmp(event, "fail") == 0)
        replay_fail(r, v, now);
    else if (strcmp(event, "sweep") == 0)
        replay_sweep(r, now);
    else if (strcmp(event, "success") == 0)
        replay_success(r, v, now);
    else if (strcmp(event, "probe_remove") == 0)
        rgn_router_forget_entry(r->router, read_partition(r, v), now);
    else if (strcmp(event, "wflush") == 0)
        replay_flush(r, v, now);
    else if (strcmp(event, "hedge_alt") == 0)
        rgn_router_record_hedge_win(r->router, read_partition(r, v), read_region(v), now);
    else if (strcmp(event, "hedge_pri") == 0)
        rgn_router_record_primary_win(r->router, read_partition(r, v), read_region(v), now);
    else if (strcmp(event, "hub_ok") == 0)
        rgn_router_record_hub(r->router, read_partition(r, v), read_region(v), now);
    else if (strcmp(event, "hub_403") == 0)
        rgn_router_record_not_hub(r->router, read_partition(r, v), read_region(v), now);
    else if (strcmp(event, "ep_down") == 0)
        replay_mark(r, v, now);
    else if (strcmp(event, "ep_probe") == 0)
        replay_probe(r, v, now);
    else if (strcmp(event, "ep_expire") == 0)
        replay_expire(r, v, now);
    else if (strcmp(event, "sync") == 0)
        replay_sync(r, v, now);
    else if (strcmp(event, "adv") != 0)
        vector_fail(v, "unknown event", event);
}

static void routing_event(void *state, sequence *s, const vector *v)
{
    (void)s;
    routing *r = state;
    rgn_time_ns now = r->now = vector_clock(v, r->now);
    const char *event = vector_text(v, "ev");
    struct json_object *draw = vector_has(v, "js") ? part_get(v, v->object, "js") : NULL;
    r->jitter = draw != NULL ? part_at(v, draw, 1) : -1;
    replay_event(r, v, event, now);
    struct json_object *states = vector_array(v, "st");
    if (json_object_array_length(states) != r->partitions)
        vector_fail(v, "one state for each partition is expected", "st");
    for (rgn_partition p = 0; p < r->partitions; p++) {
        struct json_object *expected = json_object_array_get_idx(states, p);
        expect_entry(r, v, p, expected);
        expect_override(r, v, p, expected);
        expect_wins(r, v, p, expected);
    }
    expect_marks(r, v);
    struct json_object *rows = vector_array(v, "rt");
    for (size_t i = 0; i < json_object_array_length(rows); i++)
        expect_route(r, v, i, json_object_array_get_idx(rows, i), now);
}

const replay_format replay_routing = {routing_begin, routing_event, routing_end};
