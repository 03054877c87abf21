/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine as a whole: every small state meets every event, and what may happen is written down here. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "reducer_bench.h"

/* Check's own assertions cost a write each; here there are millions. */
#define REQUIRE(claim)                  \
    do {                                \
        if (!(claim))                   \
            ck_abort_msg("%s", #claim); \
    } while (0)

/* --- the table --------------------------------------------------------------------------------------------------- */

typedef enum { FAIL, SUCCEED, ADMIT, RESULT, TICK, DUE, WINS, DROP, EVENTS } event_kind;

/* What each event may do to an entry of each phase under the documented knobs; whatever is not listed must not happen,
 * and whatever is listed must be seen. Events of which a phase has no row leave its entries alone. */
static const struct {
    rgn_phase phase;
    event_kind event;
    rgn_reason reasons[12];
} machine[] = {
    {RGN_PHASE_ABSENT, FAIL, {RGN_REASON_CREATED}},
    {RGN_PHASE_ABSENT, WINS, {RGN_REASON_TRIP_HEDGE}},
    {RGN_PHASE_COUNTING, FAIL, {RGN_REASON_TRIP, RGN_REASON_EXHAUSTED}},
    {RGN_PHASE_COUNTING, SUCCEED, {RGN_REASON_CLEARED}},
    {RGN_PHASE_COUNTING, TICK, {RGN_REASON_STALE}},
    {RGN_PHASE_COUNTING, WINS, {RGN_REASON_TRIP_HEDGE}},
    {RGN_PHASE_COUNTING, DROP, {RGN_REASON_FLAG_EDGE, RGN_REASON_REGION_REMOVED, RGN_REASON_FORGOTTEN}},
    {RGN_PHASE_UNHEALTHY, FAIL, {RGN_REASON_TRIP_ALSO, RGN_REASON_MOVE, RGN_REASON_EXHAUSTED}},
    {RGN_PHASE_UNHEALTHY, TICK, {RGN_REASON_PROMOTE}},
    {RGN_PHASE_UNHEALTHY, DUE, {RGN_REASON_PROMOTE}},
    {RGN_PHASE_UNHEALTHY, DROP, {RGN_REASON_FLAG_EDGE, RGN_REASON_REGION_REMOVED, RGN_REASON_FORGOTTEN}},
    {RGN_PHASE_RECOVERING, FAIL, {RGN_REASON_TRIP_ALSO, RGN_REASON_MOVE, RGN_REASON_EXHAUSTED}},
    {RGN_PHASE_RECOVERING,
     ADMIT,
     {RGN_REASON_WINDOW_RESTART, RGN_REASON_WINDOW_DWELL, RGN_REASON_RETRIP_JUDGE, RGN_REASON_RETRIP_MAX,
      RGN_REASON_FAILBACK, RGN_REASON_RETRIP}},
    {RGN_PHASE_RECOVERING,
     RESULT,
     {RGN_REASON_WINDOW_RESTART, RGN_REASON_WINDOW_DWELL, RGN_REASON_RETRIP_JUDGE, RGN_REASON_RETRIP_MAX,
      RGN_REASON_FAILBACK, RGN_REASON_RETRIP, RGN_REASON_FAILBACK_SINGLE, RGN_REASON_RETRIP_SINGLE,
      RGN_REASON_FAILBACK_PROBE, RGN_REASON_RETRIP_PROBE}},
    {RGN_PHASE_RECOVERING,
     TICK,
     {RGN_REASON_WINDOW_RESTART, RGN_REASON_WINDOW_DWELL, RGN_REASON_RETRIP_JUDGE, RGN_REASON_RETRIP_MAX,
      RGN_REASON_FAILBACK, RGN_REASON_RETRIP}},
    {RGN_PHASE_RECOVERING, DROP, {RGN_REASON_FLAG_EDGE, RGN_REASON_REGION_REMOVED, RGN_REASON_FORGOTTEN}},
};

enum { ROWS = sizeof machine / sizeof machine[0], REASONS_PER_ROW = 12 };
static bool is_seen[ROWS][REASONS_PER_ROW];

/* Ticks off the transition; false if the table does not allow it. */
static bool tick_off(const rgn_transition *t, event_kind event)
{
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < REASONS_PER_ROW; i++)
            if (machine[row].phase == t->phase_before && machine[row].event == event &&
                machine[row].reasons[i] == t->reason && t->reason != RGN_REASON_NONE) {
                is_seen[row][i] = true;
                return true;
            }
    return false;
}

/* --- small states ------------------------------------------------------------------------------------------------ */

/* Dwell 5 s, window 10 s, reset window 20 s, longest recovery 30 s (where there is one); thresholds 2. */
enum { NOW_S = 1000, DWELL_S = 5, WINDOW_S = 10, RESET_S = 20, MAX_S = 30 };
#define NOW (NOW_S * S)

static void set_knobs(rgn_options *o)
{
    o->breaker_read_failure_threshold = 2;
    o->breaker_write_failure_threshold = 2;
    o->breaker_counter_reset_window = RESET_S * S;
    o->failback_partition_unavailability_duration = DWELL_S * S;
    o->failback_eval_window = WINDOW_S * S;
    o->failback_min_sample = 2;
    o->failback_canary_percentage = 50;
    o->failback_recovering_max = MAX_S * S;
}

/* All combinations of what shapes a recovery; then a few that shape the trip. False after the last. */
static bool nth_options(unsigned n, bench *b)
{
    static const struct {
        rgn_knob_id knob;
        int64_t value;
    } others[] = {
        {RGN_KNOB_failback_strategy, RGN_STRATEGY_PROBE},
        {RGN_KNOB_breaker_rule, RGN_RULE_CONSECUTIVE},
        {RGN_KNOB_breaker_rule, RGN_RULE_SHARE},
        {RGN_KNOB_breaker_alternate_failures, 2},
        {RGN_KNOB_breaker_read_failure_threshold, 1},
        {RGN_KNOB_failback_promote, RGN_PROMOTE_DUE},
        {RGN_KNOB_failback_dwell_from, RGN_DWELL_TRIP},
        {RGN_KNOB_failback_dwell_from, RGN_DWELL_LAST_FAILURE},
        {RGN_KNOB_failback_recovering_max, RGN_TIME_NEVER},
        {RGN_KNOB_failback_retrip_floor, 0},
    };
    enum { SHAPES = 3 * 2 * 3 * 2, OTHERS = sizeof others / sizeof others[0] };
    bench_init(b, n == SHAPES + OTHERS ? 1 : 3);
    set_knobs(&b->options);
    b->topology.multi_write = n % 2 == 0;
    if (n < SHAPES) {
        b->options.failback_decide = n % 3;
        b->options.failback_pending = n / 3 % 2;
        b->options.failback_window_expiry = n / 6 % 3;
        b->options.failback_low_traffic_windows = n / 18;
    } else if (n < SHAPES + OTHERS) {
        rgn_options_set(&b->options, others[n - SHAPES].knob, others[n - SHAPES].value);
    }
    return n <= SHAPES + OTHERS; /* the last: an account with one region */
}

/* Digits of a mixed-radix number: one state each. */
static unsigned digit(unsigned *code, unsigned radix)
{
    unsigned d = *code % radix;
    *code /= radix;
    return d;
}

static void add_counts(bench *b, unsigned row, rgn_region region, uint32_t reads, uint32_t writes)
{
    b->entry.counts.region[row] = region;
    b->entry.counts.failures[row][RGN_READ] = reads;
    b->entry.counts.failures[row][RGN_WRITE] = writes;
}

static void put_counting(bench *b, unsigned code)
{
    rgn_dur_ns age = (rgn_dur_ns[]){0, RESET_S * S, RESET_S * S + 1}[digit(&code, 3)];
    b->entry.phase = RGN_PHASE_COUNTING;
    b->entry.last_failure = b->entry.first_failure = NOW - age;
    b->entry.first_failed = b->entry.current = RGN_REGION_NONE;
    unsigned reads = digit(&code, 2), second = digit(&code, 2);
    add_counts(b, 0, (rgn_region)(second ? 1 : 0), reads, 1 - reads);
}

/* Region 0 has failed, perhaps region 1 too. */
static void put_trip(bench *b, unsigned *code)
{
    bool both = digit(code, 2) && b->topology.read_order.count > 1;
    b->entry.tripped = (uint8_t)(1 + digit(code, b->topology.multi_write ? 3 : 1));
    b->entry.cause = RGN_CAUSE_FAILURES;
    b->entry.first_failed = 0;
    rgni_failed_add(&b->entry, 0);
    if (both)
        rgni_failed_add(&b->entry, 1);
    b->entry.current = both ? 2 : 1;
    switch (digit(code, 3)) {
    case 1: /* the other direction is one short of its threshold */
        add_counts(b, 0, 0, b->entry.tripped & 1 ? 0 : 1, b->entry.tripped & 1 ? 1 : 0);
        break;
    case 2:
        add_counts(b, 0, 2, 1, 0);
        break;
    default:
        break;
    }
}

static void put_unhealthy(bench *b, unsigned code)
{
    rgn_dur_ns age = (rgn_dur_ns[]){0, DWELL_S * S - 1, DWELL_S * S, 100 * S}[digit(&code, 4)];
    b->entry.phase = RGN_PHASE_UNHEALTHY;
    b->entry.first_failure = b->entry.last_failure = b->entry.trip_time = NOW - age;
    put_trip(b, &code);
}

/* Results so far, and how many of them successes. */
enum { TALLIES = 7 };
static const uint8_t tallies[TALLIES][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}, {3, 2}};

static void put_recovering(bench *b, unsigned code)
{
    rgn_dur_ns window = (rgn_dur_ns[]){0, WINDOW_S * S, WINDOW_S * S + 1}[digit(&code, 3)];
    rgn_dur_ns before = (rgn_dur_ns[]){0, MAX_S * S}[digit(&code, 2)];
    b->entry.phase = RGN_PHASE_RECOVERING;
    b->entry.window_start = NOW - window;
    b->entry.recovering_since = NOW - window - before;
    b->entry.first_failure = b->entry.last_failure = b->entry.trip_time = b->entry.recovering_since - DWELL_S * S;
    unsigned tally = digit(&code, TALLIES);
    b->entry.canary_total = tallies[tally][0];
    b->entry.canary_success = tallies[tally][1];
    b->entry.canary_in_flight = digit(&code, 2);
    b->entry.low_windows = (uint16_t)digit(&code, 2);
    b->entry.sampler = (uint8_t)(b->entry.canary_total * 30);
    if (b->options.failback_strategy == RGN_STRATEGY_PROBE) {
        b->entry.canary_total = b->entry.canary_success = 0;
    }
    put_trip(b, &code);
}

enum { COUNTING_STATES = 12, UNHEALTHY_STATES = 4 * 18, RECOVERING_STATES = 3 * 2 * TALLIES * 2 * 2 * 18 };
enum { STATES = 1 + COUNTING_STATES + UNHEALTHY_STATES + RECOVERING_STATES };

/* Puts the n-th state into the bench, which holds the options. */
static void put_state(bench *b, unsigned n)
{
    memset(&b->entry, 0, sizeof b->entry);
    memset(&b->share, 0, sizeof b->share);
    b->generation = 1;
    b->share.window_start = NOW;
    if (n == 0)
        return;
    b->entry.generation = 1;
    b->entry.trip_time = b->entry.recovering_since = b->entry.window_start = RGN_TIME_NEVER;
    for (unsigned row = 0; row < RGN_COUNTED_REGIONS; row++)
        b->entry.counts.region[row] = RGN_REGION_NONE;
    n--;
    if (n < COUNTING_STATES)
        put_counting(b, n);
    else if (n < COUNTING_STATES + UNHEALTHY_STATES)
        put_unhealthy(b, n - COUNTING_STATES);
    else
        put_recovering(b, n - COUNTING_STATES - UNHEALTHY_STATES);
}

/* --- all events -------------------------------------------------------------------------------------------------- */

enum { FAILS = 6, SUCCESSES = 6, ADMISSIONS = 2, RESULTS = 12, WINNERS = 3, DROPS = 3 };
enum { EVENT_COUNT = FAILS + SUCCESSES + ADMISSIONS + RESULTS + 2 + WINNERS + DROPS };

static bool may_admit(const rgn_entry *e, rgn_direction direction)
{
    return e->phase == RGN_PHASE_RECOVERING && rgn_entry_is_tripped(e, direction);
}

/* Ticket 0 is of this window, 1 of an earlier one, 2 of an earlier recovery. */
static rgni_ticket ticket_of(const rgn_entry *e, unsigned which)
{
    return (rgni_ticket){e->generation - (which == 2), (uint16_t)(e->window_id - (which == 1))};
}

/* Sends the n-th event, if the router could; tells its kind and, of a result, its evidence. */
static bool send_event(bench *b, unsigned n, event_kind *kind, rgn_evidence *evidence)
{
    static const rgn_reason drops[DROPS] = {RGN_REASON_FLAG_EDGE, RGN_REASON_REGION_REMOVED, RGN_REASON_FORGOTTEN};
    rgni_ticket ticket;
    b->story.count = 0;
    *evidence = RGN_EVIDENCE_NEUTRAL;
    if (n < FAILS) {
        *kind = FAIL;
        bench_fail(b, (rgn_region)(n / 2), (rgn_direction)(n % 2), NOW);
        return true;
    }
    n -= FAILS;
    if (n < SUCCESSES) {
        *kind = SUCCEED;
        bench_succeed(b, (rgn_region)(n / 2), (rgn_direction)(n % 2), NOW);
        return true;
    }
    n -= SUCCESSES;
    if (n < ADMISSIONS) {
        *kind = ADMIT;
        if (!may_admit(&b->entry, (rgn_direction)n))
            return false;
        bench_admit(b, (rgn_direction)n, NOW, &ticket);
        return true;
    }
    n -= ADMISSIONS;
    if (n < RESULTS) {
        *kind = RESULT;
        *evidence = (rgn_evidence)(n % 4);
        if (n / 4 == 0 && b->entry.canary_in_flight == 0)
            return false;
        bench_result(b, ticket_of(&b->entry, n / 4), *evidence, NOW);
        return true;
    }
    n -= RESULTS;
    if (n < 2) {
        *kind = n == 0 ? TICK : DUE;
        bench_expire(b, n == 0, NOW);
        return true;
    }
    n -= 2;
    if (n < WINNERS) {
        *kind = WINS;
        bench_hedge_wins(b, (rgn_region)n, 5, NOW);
        return true;
    }
    *kind = DROP;
    if (b->entry.phase == RGN_PHASE_ABSENT)
        return false;
    bench_drop(b, drops[n - WINNERS], NOW);
    return true;
}

/* --- claims ------------------------------------------------------------------------------------------------------ */

static void expect_sound(const bench *b)
{
    static const rgn_entry absent;
    const rgn_entry *e = &b->entry;
    switch ((rgn_phase)e->phase) {
    case RGN_PHASE_ABSENT:
        REQUIRE(memcmp(e, &absent, sizeof absent) == 0);
        return;
    case RGN_PHASE_COUNTING:
        REQUIRE(e->tripped == 0);
        break;
    case RGN_PHASE_UNHEALTHY:
    case RGN_PHASE_RECOVERING:
        REQUIRE(e->tripped != 0);
        REQUIRE(!rgn_region_in(e->failed, e->current));
        REQUIRE(rgn_region_in(e->failed, e->first_failed));
        break;
    }
    REQUIRE(e->phase == RGN_PHASE_RECOVERING || e->canary_total + e->canary_in_flight == 0);
    REQUIRE(e->canary_success <= e->canary_total);
}

/* No way home without evidence, and no re-trip without its. */
static void expect_evidence(const bench *b, const rgn_transition *t, event_kind kind, rgn_evidence evidence)
{
    const rgn_options *o = &b->options;
    int64_t sent = t->canary_total + (o->failback_pending == RGN_PENDING_COUNTED ? t->canary_in_flight : 0);
    switch (t->reason) {
    case RGN_REASON_FAILBACK:
        REQUIRE(t->canary_total >= o->failback_min_sample);
        REQUIRE(t->canary_success * INT64_C(1000000) >= o->failback_success_threshold * sent);
        REQUIRE(kind == RESULT || o->failback_decide == RGN_DECIDE_WINDOW_END);
        break;
    case RGN_REASON_FAILBACK_SINGLE:
    case RGN_REASON_FAILBACK_PROBE:
        REQUIRE(kind == RESULT);
        REQUIRE(evidence == RGN_EVIDENCE_SUCCESS);
        break;
    case RGN_REASON_RETRIP_SINGLE:
    case RGN_REASON_RETRIP_PROBE:
        REQUIRE(kind == RESULT);
        REQUIRE(evidence == RGN_EVIDENCE_FAILURE || evidence == RGN_EVIDENCE_TIMEOUT);
        break;
    default:
        break;
    }
}

/* The home region is healthy, and every operation asks to be a canary: how many sweeps until the entry is gone? */
static unsigned sweeps_to_absent(bench *b)
{
    rgn_time_ns now = NOW;
    unsigned sweeps = 0;
    for (; b->entry.phase != RGN_PHASE_ABSENT && sweeps < 100; sweeps++) {
        now += S;
        bench_expire(b, true, now);
        for (unsigned i = 0; i < 4; i++)
            for (rgn_direction d = RGN_READ; d <= RGN_WRITE; d++) {
                rgni_ticket ticket;
                if (may_admit(&b->entry, d) && bench_admit(b, d, now, &ticket))
                    bench_result(b, ticket, RGN_EVIDENCE_SUCCESS, now);
            }
    }
    return sweeps;
}

/* Any 100 consecutive operations of a recovery that nothing disturbs yield exactly the percentage. */
static void expect_canary_share(bench *b, rgn_direction direction)
{
    unsigned canaries = 0;
    rgni_ticket ticket;
    b->entry.window_start = b->entry.recovering_since = NOW;
    for (unsigned i = 0; i < 100; i++)
        canaries += bench_admit(b, direction, NOW, &ticket);
    REQUIRE(b->entry.phase == RGN_PHASE_RECOVERING);
    if (direction == RGN_WRITE && !b->topology.multi_write)
        REQUIRE(canaries == 0);
    else
        REQUIRE(canaries == b->options.failback_canary_percentage);
}

static void expect_canaries(bench *b)
{
    for (rgn_direction d = RGN_READ; d <= RGN_WRITE; d++) {
        bench copy = *b;
        rgni_ticket ticket;
        if (!may_admit(&copy.entry, d))
            continue;
        if (copy.options.failback_strategy == RGN_STRATEGY_SUCCESS_RATE) {
            expect_canary_share(&copy, d);
        } else {
            bool is_free = copy.entry.canary_in_flight == 0;
            bool is_canary = bench_admit(&copy, d, NOW, &ticket);
            REQUIRE(!is_canary || is_free);
            REQUIRE(copy.entry.canary_in_flight <= 1);
        }
    }
}

/* Leaves the state as it was. */
static void expect_step(bench *b, unsigned n)
{
    rgn_entry before = b->entry;
    rgn_share_tally share = b->share;
    event_kind kind;
    rgn_evidence evidence;
    if (!send_event(b, n, &kind, &evidence))
        return;
    uint8_t phase = before.phase;
    for (unsigned i = 0; i < b->story.count; i++) {
        const rgn_transition *t = &b->story.transition[i];
        REQUIRE(t->phase_before == phase);
        if (!tick_off(t, kind))
            ck_abort_msg("phase %d, event %d: %s", t->phase_before, (int)kind, rgn_reason_name((rgn_reason)t->reason));
        expect_evidence(b, t, kind, evidence);
        phase = t->phase_after;
    }
    REQUIRE(b->entry.phase == phase);
    expect_sound(b);
    b->entry = before;
    b->share = share;
}

/* States of a single-region account exist only until the first trip. */
static bool is_state_of(const bench *b, unsigned n)
{
    return b->topology.read_order.count > 1 || n <= COUNTING_STATES;
}

START_TEST(every_small_state_meets_every_event_as_the_table_says)
{
    unsigned steps = 0, missing = 0;
    bench b;
    for (unsigned o = 0; nth_options(o, &b); o++)
        for (unsigned n = 0; n < STATES; n++) {
            if (!is_state_of(&b, n))
                continue;
            put_state(&b, n);
            for (unsigned e = 0; e < EVENT_COUNT; e++, steps++)
                expect_step(&b, e);
        }
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < REASONS_PER_ROW; i++)
            if (machine[row].reasons[i] != RGN_REASON_NONE && !is_seen[row][i]) {
                printf("never seen: phase %d, event %d, %s\n", (int)machine[row].phase, (int)machine[row].event,
                       rgn_reason_name(machine[row].reasons[i]));
                missing++;
            }
    printf("%u steps\n", steps);
    ck_assert_uint_eq(missing, 0);
}
END_TEST

START_TEST(no_small_state_is_absorbing_and_none_has_more_canaries_than_allowed)
{
    unsigned most = 0;
    bench b;
    for (unsigned o = 0; nth_options(o, &b); o++)
        for (unsigned n = 0; n < STATES; n++) {
            if (!is_state_of(&b, n))
                continue;
            put_state(&b, n);
            expect_canaries(&b);
            unsigned sweeps = sweeps_to_absent(&b);
            REQUIRE(sweeps < 100);
            most = sweeps > most ? sweeps : most;
        }
    printf("at most %u sweeps\n", most);
    /* A reset window, or what is left of a window, a dwell, and a window again. */
    ck_assert_uint_le(most, RESET_S + WINDOW_S + DWELL_S + WINDOW_S);
}
END_TEST

START_TEST(a_home_that_always_fails_is_never_returned_to)
{
    bench b;
    for (unsigned o = 0; nth_options(o, &b); o++)
        for (unsigned n = 0; n < STATES; n += 7) {
            if (!is_state_of(&b, n))
                continue;
            put_state(&b, n);
            b.entry.canary_total = b.entry.canary_success = 0; /* nothing good is known yet */
            for (rgn_time_ns now = NOW; now < NOW + 60 * S; now += S) {
                bench_expire(&b, true, now);
                for (unsigned i = 0; i < b.story.count; i++)
                    REQUIRE(b.story.transition[i].reason != RGN_REASON_FAILBACK);
                rgni_ticket ticket;
                if (!may_admit(&b.entry, RGN_READ) || !bench_admit(&b, RGN_READ, now, &ticket))
                    continue;
                bench_result(&b, ticket, now / S % 3 == 0 ? RGN_EVIDENCE_TIMEOUT : RGN_EVIDENCE_FAILURE, now);
                for (unsigned i = 0; i < b.story.count; i++) {
                    uint8_t reason = b.story.transition[i].reason;
                    REQUIRE(reason != RGN_REASON_FAILBACK);
                    REQUIRE(reason != RGN_REASON_FAILBACK_SINGLE);
                    REQUIRE(reason != RGN_REASON_FAILBACK_PROBE);
                }
            }
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("machine");
    TCase *tc = tcase_create("machine");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_small_state_meets_every_event_as_the_table_says);
    tcase_add_test(tc, no_small_state_is_absorbing_and_none_has_more_canaries_than_allowed);
    tcase_add_test(tc, a_home_that_always_fails_is_never_returned_to);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
