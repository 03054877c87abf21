/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random event streams under random knobs: what must hold of an entry after every event, whatever came before. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <check.h>

#include "reducer_bench.h"

#define SEED UINT64_C(20260829)

/* Check's own assertions cost a write each; here there are millions. */
#define REQUIRE(claim)                  \
    do {                                \
        if (!(claim))                   \
            ck_abort_msg("%s", #claim); \
    } while (0)

enum { STREAMS = 1000, STEPS = 120, TICKETS_MAX = 64 };

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned pick(uint64_t *state, unsigned below)
{
    return (unsigned)(next_random(state) % below);
}

/* A stream of events and the model that watches it. */
typedef struct {
    bench b;
    uint64_t random;
    rgn_time_ns now;
    rgni_ticket ticket[TICKETS_MAX]; /* open canaries */
    unsigned tickets;
    uint64_t results, neutrals, counted; /* canary results: all, neutral, those that moved a tally or decided */
    uint64_t digest;                     /* of all transitions and admissions */
    bool is_row_seen[64];                /* rows of the state table */
} stream;

static const rgn_knob_id choice_knobs[] = {
    RGN_KNOB_breaker_rule,
    RGN_KNOB_breaker_tally,
    RGN_KNOB_breaker_untripped_entries,
    RGN_KNOB_failback_strategy,
    RGN_KNOB_failback_probe_admission,
    RGN_KNOB_failback_failed_probe,
    RGN_KNOB_failback_decide,
    RGN_KNOB_failback_ramp,
    RGN_KNOB_failback_pending,
    RGN_KNOB_failback_window_expiry,
    RGN_KNOB_failback_promote,
    RGN_KNOB_failback_dwell_from,
    RGN_KNOB_failback_sampler,
};

enum { CHOICE_KNOBS = sizeof choice_knobs / sizeof choice_knobs[0] };

static void stream_init(stream *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->random = seed;
    bench_init(&s->b, 2 + pick(&s->random, 6));
    rgn_options *o = &s->b.options;
    for (unsigned i = 0; i < CHOICE_KNOBS; i++) {
        const rgn_knob *knob = rgn_knob_at(choice_knobs[i]);
        bool is_default = pick(&s->random, 2) == 0;
        int64_t value = is_default ? knob->initial : (int64_t)pick(&s->random, (unsigned)knob->max + 1);
        rgn_options_set(o, choice_knobs[i], value);
    }
    o->breaker_read_failure_threshold = 1 + pick(&s->random, 4);
    o->breaker_write_failure_threshold = 1 + pick(&s->random, 3);
    o->breaker_alternate_failures = 1 + pick(&s->random, 3);
    o->breaker_counter_reset_window = (5 + pick(&s->random, 60)) * S;
    o->breaker_failure_share = 300000 + 100000 * pick(&s->random, 8);
    o->failback_canary_percentage = 1 + pick(&s->random, 100);
    o->failback_min_sample = 1 + pick(&s->random, 4);
    o->failback_success_threshold = 500000 + 100000 * pick(&s->random, 6);
    o->failback_retrip_floor = 100000 * pick(&s->random, 6);
    if (o->failback_decide == RGN_DECIDE_SEQUENTIAL) { /* it asks for two different ratios; few results are to do */
        o->failback_success_threshold = 900000;
        o->failback_retrip_floor = 500000;
        o->failback_false_failback = 300000;
        o->failback_false_retrip = 300000;
    }
    o->failback_eval_window = (5 + pick(&s->random, 30)) * S;
    o->failback_low_traffic_windows = pick(&s->random, 3);
    o->failback_recovering_max = pick(&s->random, 2) == 0 ? RGN_TIME_NEVER : 60 * S;
    o->failback_partition_unavailability_duration = pick(&s->random, 6) * S;
    o->failback_request_recovery = pick(&s->random, 3) == 0 ? 10 * S : RGN_TIME_NEVER;
}

/* --- the model's claims ------------------------------------------------------------------------------------------ */

static bool is_at_threshold(const stream *s, const rgn_transition *t)
{
    const rgn_options *o = &s->b.options;
    uint64_t sent = t->canary_total;
    if (o->failback_pending == RGN_PENDING_COUNTED)
        sent += t->canary_in_flight;
    return t->canary_success * UINT64_C(1000000) >= (uint64_t)o->failback_success_threshold * sent;
}

static void expect_evidence(const stream *s, const rgn_transition *t)
{
    const rgn_options *o = &s->b.options;
    switch (t->reason) {
    case RGN_REASON_FAILBACK:
        REQUIRE(t->canary_total >= o->failback_min_sample);
        REQUIRE(is_at_threshold(s, t));
        break;
    case RGN_REASON_FAILBACK_SINGLE:
        REQUIRE(t->canary_total == 1);
        REQUIRE(t->canary_success == 1);
        REQUIRE(o->failback_low_traffic_windows > 0);
        break;
    case RGN_REASON_FAILBACK_PROBE:
        REQUIRE(o->failback_strategy == RGN_STRATEGY_PROBE);
        REQUIRE(t->region != RGN_REGION_NONE);
        break;
    case RGN_REASON_FAILBACK_SEQUENTIAL:
    case RGN_REASON_RETRIP_SEQUENTIAL:
        REQUIRE(o->failback_decide == RGN_DECIDE_SEQUENTIAL);
        REQUIRE(t->canary_total > 0);
        break;
    case RGN_REASON_RAMP:
        REQUIRE(o->failback_ramp == RGN_RAMP_STAGED);
        REQUIRE(o->failback_decide == RGN_DECIDE_SEQUENTIAL || is_at_threshold(s, t));
        break;
    case RGN_REASON_RETRIP:
        REQUIRE(t->canary_total >= o->failback_min_sample);
        REQUIRE(t->canary_success * INT64_C(1000000) < o->failback_retrip_floor * t->canary_total);
        break;
    case RGN_REASON_RETRIP_JUDGE:
        REQUIRE(!is_at_threshold(s, t));
        break;
    case RGN_REASON_TRIP:
    case RGN_REASON_TRIP_HEDGE:
    case RGN_REASON_TRIP_ALSO:
        REQUIRE(t->failures >= t->threshold);
        break;
    default:
        break;
    }
}

static void expect_story(stream *s, const rgn_entry *before)
{
    size_t rows;
    const rgni_state_row *table = rgni_state_table(&rows);
    uint8_t phase = before->phase, tripped = before->tripped;
    for (unsigned i = 0; i < s->b.story.count; i++) {
        const rgn_transition *t = &s->b.story.transition[i];
        REQUIRE(t->phase_before == phase);
        REQUIRE(t->tripped_before == tripped);
        REQUIRE(t->at == s->now);
        expect_evidence(s, t);
        for (size_t row = 0; row < rows; row++)
            if (table[row].before == t->phase_before && table[row].reason == t->reason &&
                table[row].after == t->phase_after)
                s->is_row_seen[row] = true;
        s->digest = s->digest * 31 + t->reason * 8u + t->phase_after;
        phase = t->phase_after;
        tripped = t->tripped_after;
    }
    REQUIRE(s->b.entry.phase == phase);
    REQUIRE(s->b.entry.tripped == tripped);
}

/* Strategy tentative: untripped, and the region on trial is known. */
static bool is_on_trial(const stream *s)
{
    return s->b.options.failback_strategy == RGN_STRATEGY_TENTATIVE && s->b.entry.phase == RGN_PHASE_RECOVERING;
}

static void expect_regions(const stream *s)
{
    const rgn_entry *e = &s->b.entry;
    bool is_shared = s->b.options.breaker_tally == RGN_TALLY_SHARED;
    bool is_counting_alone = e->tripped == 0 && !is_shared;
    REQUIRE((e->first_failed == RGN_REGION_NONE) == (is_counting_alone && !is_on_trial(s)));
    REQUIRE((e->current == RGN_REGION_NONE) == is_counting_alone);
    REQUIRE((e->failed & ~s->b.topology.regions) == 0);
    if (e->tripped != 0 && !is_shared) {
        REQUIRE(!rgn_region_in(e->failed, e->current));
        REQUIRE(rgn_region_in(e->failed, e->first_failed));
        REQUIRE(e->failed_order[0] == e->first_failed);
    }
    rgn_region_set listed = 0;
    for (unsigned i = 0; i < e->failed_count; i++) {
        REQUIRE(!rgn_region_in(listed, e->failed_order[i]));
        listed |= rgn_region_bit(e->failed_order[i]);
    }
    REQUIRE(listed == e->failed);
}

static void expect_counts(const stream *s)
{
    const rgn_entry *e = &s->b.entry;
    if (s->b.options.breaker_tally == RGN_TALLY_SHARED)
        return;
    rgn_region_set counted = 0;
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++) {
        bool is_used = e->counts.region[row] != RGN_REGION_NONE;
        bool has_any = e->counts.failures[row][RGN_READ] > 0 || e->counts.failures[row][RGN_WRITE] > 0;
        REQUIRE(is_used == has_any);
        REQUIRE(!is_used || row == 0 || e->counts.region[row - 1] != RGN_REGION_NONE);
        REQUIRE(!rgn_region_in(counted, e->counts.region[row]));
        counted |= rgn_region_bit(e->counts.region[row]);
    }
}

static unsigned open_canaries(const stream *s)
{
    unsigned open = 0;
    for (unsigned i = 0; i < s->tickets; i++)
        open += s->ticket[i].generation == s->b.entry.generation && s->ticket[i].window_id == s->b.entry.window_id;
    return open;
}

static void expect_recovery(const stream *s)
{
    const rgn_entry *e = &s->b.entry;
    bool is_recovering = e->phase == RGN_PHASE_RECOVERING;
    REQUIRE(is_on_trial(s) || e->canary_total >= e->canary_success);
    REQUIRE((e->recovering_since != RGN_TIME_NEVER) == is_recovering);
    REQUIRE((e->window_start != RGN_TIME_NEVER) == is_recovering);
    REQUIRE(e->canary_in_flight == (is_recovering ? open_canaries(s) : 0));
    REQUIRE(e->sampler < 100);
    if (is_recovering) {
        REQUIRE(e->window_start >= e->recovering_since);
        REQUIRE(e->window_start <= s->now);
    } else {
        REQUIRE(e->canary_total == 0);
        REQUIRE(e->sampler == 0);
    }
}

static void expect_invariants(stream *s, const rgn_entry *before)
{
    const rgn_entry *e = &s->b.entry;
    expect_story(s, before);
    if (e->phase == RGN_PHASE_ABSENT) {
        static const rgn_entry absent;
        REQUIRE((memcmp(e, &absent, sizeof absent)) == 0);
        return;
    }
    REQUIRE(e->phase != RGN_PHASE_UNHEALTHY || e->tripped != 0);
    REQUIRE(e->phase != RGN_PHASE_COUNTING || e->tripped == 0);
    REQUIRE((e->trip_time != RGN_TIME_NEVER) == (e->tripped != 0));
    REQUIRE((e->cause != RGN_CAUSE_NONE) == (e->tripped != 0));
    REQUIRE(e->first_failure <= e->last_failure);
    REQUIRE(e->last_failure <= s->now);
    bool has_ended = before->phase == RGN_PHASE_RECOVERING && e->phase != RGN_PHASE_RECOVERING;
    REQUIRE((e->generation != before->generation) == (has_ended || before->phase == RGN_PHASE_ABSENT));
    expect_regions(s);
    expect_counts(s);
    expect_recovery(s);
}

/* --- events ------------------------------------------------------------------------------------------------------ */

static void advance(stream *s)
{
    const rgn_dur_ns windows[] = {s->b.options.failback_eval_window, s->b.options.breaker_counter_reset_window,
                                  s->b.options.failback_partition_unavailability_duration, 60 * S};
    unsigned kind = pick(&s->random, 16);
    if (kind < 6)
        return;
    if (kind < 13)
        s->now += (rgn_dur_ns)pick(&s->random, 3000) * RGN_NS_PER_MS;
    else
        s->now += windows[pick(&s->random, 4)] + pick(&s->random, 3);
}

static void try_admit(stream *s, rgn_direction direction)
{
    const rgn_entry *e = &s->b.entry;
    rgni_ticket ticket;
    if (e->phase != RGN_PHASE_RECOVERING || !rgn_entry_is_tripped(e, direction) || s->tickets == TICKETS_MAX)
        return;
    bool is_canary = bench_admit(&s->b, direction, s->now, &ticket);
    s->digest = s->digest * 3 + is_canary;
    if (is_canary)
        s->ticket[s->tickets++] = ticket;
}

static void end_ticket(stream *s)
{
    if (s->tickets == 0)
        return;
    unsigned index = pick(&s->random, s->tickets);
    rgn_evidence evidence = (rgn_evidence)(pick(&s->random, 2) == 0 ? 0 : pick(&s->random, 4));
    rgni_ticket ticket = s->ticket[index];
    s->ticket[index] = s->ticket[--s->tickets];
    uint64_t late = s->b.counters.late_successes + s->b.counters.late_failures;
    bench_result(&s->b, ticket, evidence, s->now);
    late = s->b.counters.late_successes + s->b.counters.late_failures - late;
    s->results++;
    s->neutrals += evidence == RGN_EVIDENCE_NEUTRAL;
    s->counted += evidence != RGN_EVIDENCE_NEUTRAL && late == 0;
    REQUIRE(late == 0 || evidence != RGN_EVIDENCE_NEUTRAL);
}

static void one_event(stream *s)
{
    static const rgn_reason drop_reasons[] = {RGN_REASON_FLAG_EDGE, RGN_REASON_REGION_REMOVED, RGN_REASON_FORGOTTEN};
    rgn_region region = (rgn_region)pick(&s->random, s->b.topology.read_order.count);
    rgn_direction direction = pick(&s->random, 3) == 0 ? RGN_WRITE : RGN_READ;
    region = pick(&s->random, 2) == 0 ? 0 : region;
    switch (pick(&s->random, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        bench_fail(&s->b, region, direction, s->now);
        break;
    case 4:
    case 5:
        bench_succeed(&s->b, region, direction, s->now);
        break;
    case 6:
    case 7:
        bench_expire(&s->b, true, s->now);
        break;
    case 8:
        bench_expire(&s->b, false, s->now);
        break;
    case 9:
        if (pick(&s->random, 50) == 0 && s->b.entry.phase != RGN_PHASE_ABSENT)
            bench_drop(&s->b, drop_reasons[pick(&s->random, 3)], s->now);
        else if (pick(&s->random, 32) == 0)
            bench_hedge_wins(&s->b, region, (uint32_t)s->b.options.breaker_consecutive_hedge_win_threshold, s->now);
        break;
    case 10:
    case 11:
    case 12:
        try_admit(s, direction);
        break;
    default:
        end_ticket(s);
        break;
    }
}

static void play(stream *s, unsigned steps)
{
    for (unsigned step = 0; step < steps; step++) {
        advance(s);
        rgn_entry before = s->b.entry;
        s->b.story.count = 0;
        s->b.drawn = next_random(&s->random) % 90;
        one_event(s);
        expect_invariants(s, &before);
    }
    REQUIRE(s->results == s->neutrals + s->counted + s->b.counters.late_successes + s->b.counters.late_failures);
}

/* Rows that only breaker.health region has; test_health_random.c sees them. */
static bool is_of_several_regions(const rgni_state_row *row)
{
    if (row->reason == RGN_REASON_FAILBACK_TENTATIVE)
        return row->after != RGN_PHASE_ABSENT;
    return (row->reason == RGN_REASON_PROMOTE || row->reason == RGN_REASON_PROMOTE_REQUEST) &&
           row->after == RGN_PHASE_UNHEALTHY;
}

START_TEST(whatever_happens_an_entry_keeps_its_invariants)
{
    size_t rows, missing = 0;
    const rgni_state_row *table = rgni_state_table(&rows);
    bool is_row_seen[64] = {false};
    unsigned told_short[BENCH_SHORTS] = {0};
    uint64_t seed = SEED;
    printf("seed %" PRIu64 ", %d streams of %d events\n", SEED, STREAMS, STEPS);
    for (unsigned i = 0; i < STREAMS; i++) {
        stream s;
        stream_init(&s, next_random(&seed));
        play(&s, STEPS);
        for (size_t row = 0; row < rows; row++)
            is_row_seen[row] |= s.is_row_seen[row];
        for (unsigned kind = 0; kind < BENCH_SHORTS; kind++)
            told_short[kind] += s.b.told_short[kind];
    }
    for (unsigned kind = 0; kind < BENCH_SHORTS; kind++) {
        printf("told short, event %u: %u\n", kind, told_short[kind]);
        ck_assert_uint_gt(told_short[kind], STREAMS / 10);
    }
    for (size_t row = 0; row < rows; row++) {
        if (is_row_seen[row] || is_of_several_regions(&table[row]))
            continue;
        printf("never seen: %d %s %d\n", table[row].before, rgn_reason_name((rgn_reason)table[row].reason),
               table[row].after);
        missing++;
    }
    ck_assert_uint_eq(missing, 0);
}
END_TEST

/* --- every knob counts ------------------------------------------------------------------------------------------- */

/* A knob's value, compared with the default under the same other knobs. */
static const struct {
    rgn_knob_id knob;
    int64_t value;
    rgn_knob_id with; /* RGN_KNOB_COUNT: none */
    int64_t with_value;
} flips[] = {
    {RGN_KNOB_breaker_read_failure_threshold, 2, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_write_failure_threshold, 4, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_counter_reset_window, S, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_rule, RGN_RULE_CONSECUTIVE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_rule, RGN_RULE_SHARE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_failure_share, 100000, RGN_KNOB_breaker_rule, RGN_RULE_SHARE},
    {RGN_KNOB_breaker_alternate_failures, 4, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_tally, RGN_TALLY_SHARED, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_untripped_entries, RGN_UNTRIPPED_KEEP, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_strategy, RGN_STRATEGY_PROBE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_strategy, RGN_STRATEGY_TENTATIVE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_strategy, RGN_STRATEGY_AT_ONCE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_promote_on, RGN_PROMOTE_ON_CONNECTION, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_request_recovery, S, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_breaker_trip_scope, RGN_TRIP_PARTITION, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_probe_admission, RGN_PROBE_ALL, RGN_KNOB_failback_strategy, RGN_STRATEGY_PROBE},
    {RGN_KNOB_failback_failed_probe, RGN_FAILED_PROBE_UNTRIP, RGN_KNOB_failback_strategy, RGN_STRATEGY_PROBE},
    {RGN_KNOB_failback_sampler, RGN_SAMPLER_HASH, RGN_KNOB_failback_canary_percentage, 40},
    {RGN_KNOB_failback_canary_percentage, 50, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_min_sample, 3, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_success_threshold, 600000, RGN_KNOB_failback_min_sample, 2},
    {RGN_KNOB_failback_retrip_floor, 800000, RGN_KNOB_failback_min_sample, 2},
    {RGN_KNOB_failback_eval_window, 2 * S, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_decide, RGN_DECIDE_MIN_SAMPLE, RGN_KNOB_failback_min_sample, 2},
    {RGN_KNOB_failback_decide, RGN_DECIDE_WINDOW_END, RGN_KNOB_failback_min_sample, 2},
    {RGN_KNOB_failback_decide, RGN_DECIDE_SEQUENTIAL, RGN_KNOB_failback_min_sample, 2},
    {RGN_KNOB_failback_false_failback, 300000, RGN_KNOB_failback_decide, RGN_DECIDE_SEQUENTIAL},
    {RGN_KNOB_failback_false_retrip, 300000, RGN_KNOB_failback_decide, RGN_DECIDE_SEQUENTIAL},
    {RGN_KNOB_failback_pending, RGN_PENDING_COUNTED, RGN_KNOB_failback_min_sample, 1},
    {RGN_KNOB_failback_window_expiry, RGN_EXPIRY_DWELL, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_window_expiry, RGN_EXPIRY_JUDGE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_low_traffic_windows, 1, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_recovering_max, 20 * S, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_promote, RGN_PROMOTE_DUE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_dwell_from, RGN_DWELL_TRIP, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_dwell_from, RGN_DWELL_LAST_FAILURE, RGN_KNOB_COUNT, 0},
    {RGN_KNOB_failback_partition_unavailability_duration, 40 * S, RGN_KNOB_COUNT, 0},
};

static uint64_t digest_with(rgn_knob_id with, int64_t with_value, rgn_knob_id knob, int64_t value)
{
    stream s = {.random = SEED};
    bench_init(&s.b, 5);
    if (with != RGN_KNOB_COUNT)
        rgn_options_set(&s.b.options, with, with_value);
    if (knob != RGN_KNOB_COUNT)
        rgn_options_set(&s.b.options, knob, value);
    play(&s, 6000);
    return s.digest;
}

START_TEST(every_value_of_every_knob_changes_what_happens)
{
    uint64_t before = digest_with(flips[_i].with, flips[_i].with_value, RGN_KNOB_COUNT, 0);
    uint64_t after = digest_with(flips[_i].with, flips[_i].with_value, flips[_i].knob, flips[_i].value);
    ck_assert_msg(before != after, "%s changes nothing", rgn_knob_at(flips[_i].knob)->name);
    ck_assert_uint_eq(after, digest_with(flips[_i].with, flips[_i].with_value, flips[_i].knob, flips[_i].value));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reducers, random");
    TCase *tc = tcase_create("random");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, whatever_happens_an_entry_keeps_its_invariants);
    tcase_add_loop_test(tc, every_value_of_every_knob_changes_what_happens, 0, (int)(sizeof flips / sizeof flips[0]));
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
