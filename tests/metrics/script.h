/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run told by hand: a small account, what happened to it, and the metrics of that.
 *
 * One hour, multi-write, regions 0, 1, 2. Clients 0 and 1 live in region 0, client 2 in region 1; all send reads and
 * writes to partitions 0..3 (deadline 3 s): 12 pairs. Phases: 1 `middle` from 1200 s, 2 `late` from 2400 s; the time
 * before belongs to `all` (0) only. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "fake_world.h"
#include "metrics/metrics.h"

#define MS(n) ((int64_t)(n)*RGN_NS_PER_MS)
#define S(n)  ((int64_t)(n)*RGN_NS_PER_S)

enum { ALL = 0, MIDDLE = 1, LATE = 2 };
enum { READS = 1, WRITES = 2, BOTH = 3 };
enum { CLIENTS = 3, PARTITIONS = 4, PAIRS = 12, REGIONS = 3 };

typedef struct {
    sim_scenario scenario; /* change it before script_begin() */
    sim_client_group group[2];
    sim_workload workload;
    sim_phase phase[2];
    sim_fault fault[FAKE_SPANS_MAX];
    struct sim_world_scope scope;
    sim_world_run world_run;
    rgn_options options;
    sim_metrics *metrics;
    sim_run_output output;
    uint32_t load[REGIONS * 4000];
    sim_run_metrics result;
} script;

void script_init(script *s);
/* The truth: unhealthy in [from, until), for one partition or all; also a scheduled fault. Before script_begin(). */
void script_unhealthy(script *s, rgn_region region, uint32_t partition, unsigned kinds, int64_t from, int64_t until);
void script_begin(script *s);

/* An operation that ended in success or error, with one leg. */
void script_operation(script *s, uint32_t client, uint32_t partition, int64_t start, int64_t latency, unsigned flags);
void script_ended(script *s, sim_ended ended);

/* Transitions of the usual life of an entry, with first failed region 0 and reads tripped. */
rgn_transition script_transition(uint32_t partition, rgn_reason reason, rgn_phase before, rgn_phase after, int64_t at);
void script_tell(script *s, uint32_t client, rgn_transition transition);
void script_trip(script *s, uint32_t client, uint32_t partition, int64_t at);
void script_promote(script *s, uint32_t client, uint32_t partition, int64_t at);
void script_retrip(script *s, uint32_t client, uint32_t partition, int64_t at);
void script_failback(script *s, uint32_t client, uint32_t partition, int64_t at);

void script_failed_leg(script *s, uint32_t client, uint32_t partition, rgn_region region, int64_t sent, bool is_canary);
void script_canary(script *s, uint32_t client, uint32_t partition, rgn_evidence evidence, int64_t sent);
/* `count` arrivals in each second of [from, until), seconds. */
void script_load(script *s, rgn_region region, uint32_t from, uint32_t until, uint32_t count);

/* Ends the run; values may be asked for afterwards. */
void script_end(script *s);
const sim_metric_value *script_metric(const script *s, unsigned phase, sim_metric_id id);
void script_deinit(script *s);

/* Asserts a value that integers give, exactly. */
#define EXPECT(s, phase, metric, expected)                                                                            \
    do {                                                                                                              \
        const sim_metric_value *value_ = script_metric((s), (phase), SIM_METRIC_##metric);                            \
        ck_assert_msg(!value_->is_null, "%s in phase %d is NULL", #metric, (int)(phase));                             \
        ck_assert_msg(value_->value == (double)(expected), "%s in phase %d is %.9g, not %.9g", #metric, (int)(phase), \
                      value_->value, (double)(expected));                                                             \
    } while (0)
#define EXPECT_NULL(s, phase, metric)                                                                               \
    ck_assert_msg(script_metric((s), (phase), SIM_METRIC_##metric)->is_null, "%s in phase %d is not NULL", #metric, \
                  (int)(phase))
#define EXPECT_SAMPLES(s, phase, metric, expected) \
    ck_assert_uint_eq(script_metric((s), (phase), SIM_METRIC_##metric)->samples, (uint64_t)(expected))

#endif
