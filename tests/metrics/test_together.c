/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that are recorded together count as those that are recorded one by one. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/random.h"
#include "metrics/internal.h"
#include "script.h"

enum { COUNT = 6000, CHUNK = 40, OK = SIM_ENDED_SUCCESS | SIM_ENDED_SERVED };

static script s;
static sim_ended told[COUNT];

typedef struct {
    sim_digest digest;
    uint64_t rows; /* hash of the interval rows */
} outcome;

typedef struct {
    const char *name;
    uint32_t odd_partition; /* whose truth differs; PARTITIONS: none */
    int64_t period;         /* of the home's illness; 0: it is always well */
    bool writes_uncovered;
    bool is_alone; /* there is one client */
} conditions;

static const conditions worlds[] = {
    {.name = "well", .odd_partition = PARTITIONS},
    {.name = "long illness", .odd_partition = PARTITIONS, .period = S(300)},
    {.name = "short illness", .odd_partition = PARTITIONS, .period = S(40)},
    {.name = "illness out of step with the slices", .odd_partition = PARTITIONS, .period = MS(7300)},
    {.name = "many short illnesses", .odd_partition = PARTITIONS, .period = MS(400)},
    {.name = "one partition differs", .odd_partition = 2, .period = S(300)},
    {.name = "writes are not covered", .odd_partition = PARTITIONS, .period = S(300), .writes_uncovered = true},
    {.name = "one client", .odd_partition = PARTITIONS, .period = S(40), .is_alone = true},
    {.name = "one client, well", .odd_partition = PARTITIONS, .is_alone = true},
};

static uint64_t bits(uint64_t *word, unsigned count)
{
    const uint64_t low = *word & ((UINT64_C(1) << count) - 1);
    *word >>= count;
    return low;
}

static int64_t draw_latency(uint64_t word)
{
    switch (word % 64) {
    case 0:
        return 0;
    case 1:
        return 1 + (int64_t)(word >> 40);
    case 2:
        return S(1) + (int64_t)(word >> 28);
    default:
        return MS(1) + (int64_t)(word >> 40);
    }
}

/* Most are plain; now and then there is something of everything. `is_wild`: often. */
static sim_ended draw(uint64_t seed, uint64_t n, int64_t end, bool is_wild)
{
    uint64_t word = sim_mix64(seed << 32 | n);
    const uint64_t other = sim_mix64(word);
    const int64_t latency = draw_latency(other);
    sim_ended op = {.start = end > latency ? end - latency : 0,
                    .ordinal = n,
                    .client = (uint32_t)(bits(&word, 8) % CLIENTS),
                    .partition = (uint32_t)bits(&word, 2),
                    .end = end,
                    .legs = 1,
                    .flags = OK,
                    .kind = bits(&word, 2) == 0 ? SIM_KIND_WRITE : SIM_KIND_READ,
                    .canary_retry = -1};
    op.first_region = op.client == 2;
    if (bits(&word, 2) == 0) {
        op.flags |= SIM_ENDED_AWAY;
        if (bits(&word, 3) != 0)
            op.first_region = 2;
    }
    if (bits(&word, 1) != 0) {
        op.hedge = bits(&word, 1) != 0 ? RGN_HEDGE_ALTERNATE_WON : RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE;
        op.hedges = 1;
        op.legs = 2;
        op.hedge_cancelled = bits(&word, 1) != 0;
        op.unserved_legs = !op.hedge_cancelled;
    }
    if (bits(&word, 4) >= (is_wild ? 8 : 1))
        return op;
    switch (bits(&word, 4)) {
    case 0:
    case 1:
    case 2:
        op.flags |= SIM_ENDED_CANARY | SIM_ENDED_AWAY;
        op.canary_retry = bits(&word, 1) != 0 ? (int64_t)(other >> 44) : -1;
        break;
    case 3:
        op.flags |= SIM_ENDED_CANARY;
        break;
    case 4:
        op.legs = 60000;
        break;
    case 5:
        op.legs = 255;
        op.unserved_legs = 254;
        break;
    case 6:
        op.session_misses = 3;
        break;
    case 7:
        op.flags |= SIM_ENDED_METADATA;
        break;
    case 8:
        op.flags |= SIM_ENDED_FEED;
        break;
    case 9:
        op.flags = SIM_ENDED_ERROR;
        op.hedge = RGN_HEDGE_BOTH_TRANSIENT_DEADLINE;
        break;
    case 10:
        op.flags = SIM_ENDED_ABANDONED;
        break;
    case 11:
        op.flags = SIM_ENDED_SERVED; /* an application final */
        break;
    case 12:
        op.hedge = RGN_HEDGE_ENDED_EARLY;
        break;
    default:
        op.flags |= SIM_ENDED_AWAY;
        op.first_region = 2;
        break;
    }
    return op;
}

static void tell(uint64_t seed, size_t from, size_t count, bool is_together)
{
    const sim_observer *observer = sim_metrics_observer(s.metrics);
    for (size_t done = 0; done < count;) {
        size_t next = is_together ? 1 + sim_mix64(seed ^ (from + done)) % 300 : 1;
        next = next < count - done ? next : count - done;
        if (!is_together)
            s.metrics->next_close = INT64_MIN; /* as if a slice had to be closed: the operation is looked at alone */
        observer->ended(observer->context, told + from + done, next);
        done += next;
    }
}

static outcome play(uint64_t seed, const conditions *world, bool is_together)
{
    script_init(&s);
    s.scenario.request_units[SIM_KIND_READ] = SIM_FACTOR_ONE;
    s.scenario.request_units[SIM_KIND_WRITE] = 5 * SIM_FACTOR_ONE;
    s.scenario.multi_write = !world->writes_uncovered;
    for (int64_t at = S(100); world->period != 0 && s.scope.count < FAKE_SPANS_MAX - 1; at += 2 * world->period)
        script_unhealthy(&s, 0, FAKE_ALL_PARTITIONS, s.scope.count % 3 == 0 ? READS : BOTH, at, at + world->period);
    if (world->odd_partition < PARTITIONS)
        script_unhealthy(&s, 1, world->odd_partition, BOTH, S(50), S(2000));
    s.scenario.replication.is_on = true;
    if (world->is_alone)
        s.scenario.client_count = s.scenario.group_count = s.group[0].count = s.workload.clients =
            s.workload.group_count = 1;
    script_begin(&s);
    int64_t end = 0;
    for (uint64_t n = 0; n < COUNT; n++) {
        const int64_t pace = world->period == MS(400) ? MS(10) : MS(1100); /* there they last for seconds only */
        end = rgn_time_min(end + (int64_t)(sim_mix64(~seed + n) % (uint64_t)pace), S(3599));
        if (n == COUNT / 2 && world->period == MS(400))
            end = S(100);
        told[n] = draw(seed, n, end, n / 700 % 2 != 0);
        if (world->is_alone) {
            told[n].client = 0;
            told[n].first_region = told[n].first_region == 2 ? 2 : 0;
        }
    }
    for (size_t n = 0; n < COUNT; n += CHUNK) {
        const uint32_t pair = (uint32_t)(n / CHUNK / 2) % 8 & (world->is_alone ? ~1u : ~0u);
        tell(seed, n, CHUNK, is_together);
        if (n / CHUNK % 2 == 0)
            script_trip(&s, pair & 1, pair >> 1, told[n + CHUNK - 1].end);
        else
            script_failback(&s, pair & 1, pair >> 1, told[n + CHUNK - 1].end);
    }
    script_end(&s);
    ck_assert_double_eq(script_metric(&s, ALL, SIM_METRIC_requests)->value, COUNT);
    outcome out = {.digest = sim_run_metrics_digest(&s.result)};
    for (size_t i = 0; i < s.result.interval_count; i++) {
        const sim_interval_row *row = &s.result.interval[i];
        const uint64_t words[] = {row->requests,
                                  row->errors,
                                  row->legs,
                                  row->hedges,
                                  (uint64_t)row->latency_p50,
                                  (uint64_t)row->latency_p99,
                                  (uint64_t)row->latency_max};
        for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
            out.rows = sim_mix64(out.rows ^ words[k]);
    }
    script_deinit(&s);
    return out;
}

START_TEST(batches_count_as_operations_one_by_one)
{
    const conditions *world = &worlds[_i];
    for (uint64_t seed = 0; seed < 5; seed++) {
        const outcome together = play(seed, world, true);
        const outcome alone = play(seed, world, false);
        ck_assert_msg(together.digest.lane[0] == alone.digest.lane[0] &&
                          together.digest.lane[1] == alone.digest.lane[1],
                      "%s, seed %d: metrics differ", world->name, (int)seed);
        ck_assert_msg(together.rows == alone.rows, "%s, seed %d: rows differ", world->name, (int)seed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("together");
    TCase *tcase = tcase_create("together");
    tcase_add_loop_test(tcase, batches_count_as_operations_one_by_one, 0, (int)(sizeof worlds / sizeof *worlds));
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
