/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. Nobody else includes it, but for its tests.
 *
 * Everything is added up per slot: slot 0 is the time before the first phase, slot i is phase i. `all` is the sum of
 * the slots, made at the end. The run is observed over [0, duration). */
#ifndef SIM_METRICS_INTERNAL_H
#define SIM_METRICS_INTERNAL_H

#include <string.h>

#include "metrics/metrics.h"

#define SIMI_SAMPLE_NS (30 * RGN_NS_PER_S) /* the samples of interval_p99_mean */
enum { SIMI_OPEN_SLICES_MAX = 256 };

/* ---- sums of one slot ---- */

#define SIMI_COUNTERS(X)                                                         \
    X(errors)                                                                    \
    X(legs)                                                                      \
    X(away_healthy_requests)                                                     \
    X(home_unhealthy_requests)                                                   \
    X(canary_caller_errors)                                                      \
    X(canaries)                                                                  \
    X(canary_failures)                                                           \
    X(departures)                                                                \
    X(returns)                                                                   \
    X(failbacks)                                                                 \
    X(drops)                                                                     \
    X(retrips)                                                                   \
    X(flaps)                                                                     \
    X(judged_returns) /* returns earlier than the run's end - flap window ... */ \
    X(judged_flaps)   /* ... and the flaps that followed those */                \
    X(premature)                                                                 \
    X(false_trips)                                                               \
    X(missed_trips)                                                              \
    X(endpoint_marks)                                                            \
    X(strategy_changes)                                                          \
    X(session_misses)                                                            \
    X(samples) /* 30 s samples that have operations */

#define SIMI_PAIR_TIMES(X) /* pair-nanoseconds */                \
    X(away)                                                      \
    X(away_unhealthy)                                            \
    X(unhealthy) /* of all pairs, wherever their traffic goes */ \
    X(recovering)                                                \
    X(all_open)

typedef enum { SIMI_CUT_WINNER_FOUND, SIMI_CUT_DEADLINE, SIMI_CUT_APP_CANCELED, SIMI_CUT_REASONS } simi_cut_reason;

typedef struct {
    uint64_t samples;
    uint64_t hedges;
    sim_u128 p99_sum;
} simi_polled;

typedef struct {
#define SIMI_FIELD(name) uint64_t name;
    SIMI_COUNTERS(SIMI_FIELD)
#undef SIMI_FIELD
#define SIMI_FIELD(name) sim_u128 name##_ns;
    SIMI_PAIR_TIMES(SIMI_FIELD)
#undef SIMI_FIELD
    uint64_t hedge[RGN_HEDGE_COUNT];      /* operations by how their hedge race ended */
    uint64_t hedges;                      /* launched */
    uint64_t served[SIM_KINDS];           /* answers that a region served and a caller got */
    uint64_t served_legs[SIM_KINDS];      /* that their region served */
    uint64_t hedge_cut[SIMI_CUT_REASONS]; /* legs of races that were cut */
    sim_u128 sample_p99_sum;
    simi_polled polled[2];      /* [clients could hedge]: samples in unhealthy times */
    sim_histogram ok;           /* latency */
    sim_histogram failed;       /* latency of all that did not succeed */
    sim_histogram canary_delay; /* start to the retry after a failed canary */
    sim_histogram lag;          /* failback lag */
    sim_histogram lag_censored; /* what is known of the lags that nobody saw end */
    sim_histogram detection;    /* detection time */
} simi_tally;

typedef struct {
    uint64_t requests;
    uint64_t errors;
} simi_client_count;

/* ---- latency slices (slices.c) ---- */

/* Latencies of those that succeeded, or of those that did not. */
typedef struct {
    uint32_t count[SIM_HISTOGRAM_BUCKETS];
    uint64_t sum_low; /* of 128 bits, added up by hand: gcc takes twice as many instructions for it */
    uint64_t sum_high;
    int64_t max;
} simi_latencies;

typedef struct simi_open_slice {
    simi_latencies latencies[2]; /* [is success] */
    uint64_t errors;
    uint64_t legs;
    uint64_t hedges;
    uint32_t recorded;            /* operations since the slice was last folded */
    struct simi_open_slice *next; /* free list */
} simi_open_slice;

/* A piece of the time line that no sample, interval or phase edge cuts. */
typedef struct {
    int64_t start;    /* until the next slice's start */
    int64_t close_at; /* an operation that ends then or later finds the slice closed */
    size_t interval;
    int64_t sample;
    uint32_t slot;
    bool is_calm;          /* no fault is scheduled in it: every home is healthy */
    simi_open_slice *open; /* NULL: nothing recorded yet, or closed */
} simi_slice;

enum { SIMI_TRUTHS_IN_HAND = 64 };

/* What is counted: operations at an unhealthy home, or away from a healthy one. */
enum { SIMI_HOME_UNHEALTHY = 1, SIMI_AWAY_HEALTHY = 1 << 16 };

/* It went home; and two flags of sim_ended, shifted by one. */
enum {
    SIMI_COURSE_HOME = 1,
    SIMI_COURSE_CANARY = SIM_ENDED_CANARY >> 1,
    SIMI_COURSE_AWAY = SIM_ENDED_AWAY >> 1,
    SIMI_COURSES = 8,
};

typedef struct {
    uint32_t counted[SIM_KINDS][SIMI_COURSES];
} simi_verdict;

/* A stretch of time in one slice, with what the record of an operation that starts in it needs at hand. */
typedef struct {
    int64_t from;    /* starts from then on ... */
    uint64_t length; /* ... and no later than that are its own; 0: none in hand */
    const simi_slice *slice;
    simi_open_slice *open; /* NULL: closed */
    simi_tally *tally;
    simi_client_count *client; /* [client] */
    bool is_calm;              /* as the slice's, or no home ever falls ill */
    bool knows_homes;          /* no home's truth changes in it, and there is a verdict on each, ... */
    bool has_unhealthy;        /* not a good one on some */
    simi_verdict verdict[SIMI_TRUTHS_IN_HAND + 1]; /* ... [truth slot + 1]: what is counted */
} simi_hand;

/* ---- ground truth as edges (truth.c) ---- */

typedef struct {
    size_t offset; /* into sim_metrics.edge: ascending instants in (0, duration) */
    uint32_t count;
    bool is_healthy_at_start;
} simi_timeline;

typedef struct {
    size_t first_pair; /* of the client's pairs among the stretches at hand */
    uint32_t verdict;  /* place among those of simi_hand */
    rgn_region region;
} simi_home;

/* Where the last question fell. Most partitions share their edges, and time moves slowly: the next one falls there too.
 */
typedef struct {
    size_t offset; /* of the timeline; SIZE_MAX: none */
    int64_t from;  /* between two of its edges ... */
    int64_t until;
    uint32_t passed; /* ... of which so many lie before */
} simi_recent;

/* The state at an instant, and the longest span around it that has it. */
typedef struct {
    int64_t from;    /* 0: since the start of the run or longer */
    int64_t until;   /* RGN_TIME_NEVER: to the end of the run or longer */
    uint32_t passed; /* edges at or before the instant */
    bool is_healthy;
} simi_truth;

enum { SIMI_READS = 1, SIMI_WRITES = 2, SIMI_MASKS = 3 };

/* ---- pairs (pairs.c) ---- */

/* A stretch of time in units of 2^SIMI_UNIT_SHIFT ns. Zero: none. */
typedef struct {
    uint32_t from;
    uint32_t length;
} simi_units;

enum { SIMI_UNIT_SHIFT = 20 };

/* Those that lie in [from, until). */
static inline simi_units simi_units_in(int64_t from, int64_t until)
{
    const uint64_t unit = UINT64_C(1) << SIMI_UNIT_SHIFT;
    const uint64_t first = ((uint64_t)from + unit - 1) / unit;
    const uint64_t end = (uint64_t)until / unit;
    const uint64_t length = first < end && first <= UINT32_MAX ? end - first : 0;
    return (simi_units){.from = (uint32_t)first, .length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX};
}

static inline bool simi_units_have(simi_units units, int64_t at)
{
    return ((uint64_t)at >> SIMI_UNIT_SHIFT) - units.from < units.length;
}

/* A pair's stretch [asked_from, asked_until). Zero: of no pair. */
typedef struct {
    struct {
        uint32_t partition;
        uint32_t client;
    } pair; /* as in sim_ended */
    simi_units asked;
} simi_at_hand;

enum { SIMI_AT_HAND_MAX = 1 << 20 };

/* Neighbours in one client whose places share a block, made when the first of them appears. */
enum { SIMI_PAIRS_TOGETHER = 16 };

static inline size_t simi_pair_blocks(const sim_scenario *scenario)
{
    return ((size_t)scenario->partition_count + SIMI_PAIRS_TOGETHER - 1) / SIMI_PAIRS_TOGETHER;
}

/* In simi_told.what: the entry keeps traffic away, it recovers (both are in simi_pair.state too); or what happened. */
enum { SIMI_AWAY = 1, SIMI_RECOVERING = 2, SIMI_RETRIP = 4, SIMI_FAILED_LEG = 8, SIMI_REQUEST = 16 };

/* A transition, a failed leg or a request that its pair has not been told yet. */
typedef struct {
    int64_t at;      /* of a leg: when it was sent; of a request: when it started */
    uint32_t number; /* the pair's */
    uint8_t what;
    uint8_t kinds; /* tripped after a transition, of those that are covered */
    uint8_t reason;
} simi_told;

enum { SIMI_TOLD_MAX = 64 };

/* Where a pair is found: its number, how many transition rows it has, and when failed legs are of no interest to it. */
typedef struct {
    uint32_t number; /* 0: none yet */
    uint32_t rows;
    simi_units settled; /* in the latest stretch that has been settled */
} simi_pair_place;

/* A (client, partition) that met a failure, a state change, or an unhealthy home: a cache line, and what is rarely
 * asked for. */
typedef struct {
    int64_t settled_from; /* failed legs that were sent from then on, and so long, change nothing */
    uint64_t settled_length;
    int64_t away_since;
    int64_t recovering_since;
    int64_t last_return; /* RGN_TIME_NEVER: none yet */
    uint32_t client;
    uint32_t partition;
    uint32_t away_passed; /* edges of the truth of all its covered kinds at or before `away_since` */
    uint32_t last_span;   /* into sim_metrics.span: the one with the latest onset; 0: none */
    uint8_t state;        /* SIMI_AWAY, SIMI_RECOVERING */
    bool is_all_open;
    uint8_t kinds; /* tripped directions while away, bit per sim_kind */
} simi_pair;

_Static_assert(sizeof(simi_pair) == 64, "a cache line");

typedef struct {
    int64_t asked_from; /* requests that start in [asked_from, asked_until) change nothing in the pair's notes */
    int64_t asked_until;
    int64_t all_open_since;
} simi_pair_rest;

/* What one pair did in one unhealthy span of its home. */
typedef struct {
    int64_t onset;
    int64_t first_request;   /* start of the first that went to the unhealthy home; RGN_TIME_NEVER: none */
    int64_t first_departure; /* RGN_TIME_NEVER: none */
    uint32_t previous;       /* the pair's next earlier span; 0: none */
    bool has_failed_leg;     /* an ordinary leg at home, while the pair was at home */
} simi_span;

/* What is counted at an instant: of the last one asked for, and of all that no edge of a phase or an interval cuts off
 * from it. */
typedef struct {
    int64_t from;
    uint64_t length;   /* 0: none yet */
    int64_t slot_from; /* first instant of the slot */
    simi_tally *tally;
    sim_interval_row *row;
    uint8_t *client_touched;    /* of the slot */
    uint8_t *partition_touched; /* of the slot */
    uint64_t canaries;          /* that `tally` and `row` do not have yet */
    uint64_t canary_failures;
} simi_moment;

/* ---- hedging strategies (strategy.c) ---- */

typedef struct {
    int64_t p99;     /* of the sample; -1: none */
    uint32_t hedges; /* launched by operations that started in it */
    uint8_t polled;
} simi_strategy_sample;

typedef struct {
    simi_strategy_sample *sample; /* NULL: the account never changes */
    size_t sample_count;
    size_t polled; /* samples before it have been looked at */
    bool *is_on;   /* [client] */
    uint32_t clients_on;
} simi_strategy;

struct sim_metrics {
    const sim_scenario *scenario;
    const sim_world_run *world_run;
    sim_observer observer;
    bool probe_home;       /* promotion sends all tripped traffic to the first failed region ... */
    bool probe_untripped;  /* ... and untripped traffic too */
    bool is_out_of_memory; /* something could not be noted: the run has no result */
    int64_t duration;

    uint32_t slot_count;        /* phases + 1 */
    simi_tally *tally;          /* [slot] */
    simi_client_count *client;  /* [slot * client_count + client] */
    uint8_t *client_touched;    /* the same order: lost a canary */
    uint8_t *partition_touched; /* [slot * partition_count + partition] */

    rgn_region *home;    /* [client] */
    simi_home *home_of;  /* [client]: the same, for those who look at each operation */
    uint64_t *elsewhere; /* [client]: what leaves home goes to one of these regions that has not failed */
    uint8_t *covered;    /* [partition]: kinds its workload sends and the breaker covers */
    uint8_t *sent;       /* [partition]: kinds its workload sends */
    bool covers_alike;   /* `covered` is the same of all partitions */
    uint64_t pairs;      /* with a covered kind */

    int32_t *truth_slot;    /* [client]: number of what its home's truth is to it; -1: always healthy */
    uint32_t *truth_client; /* [truth slot]: a client of it; all others have the same home and meet the same faults */
    uint32_t *truth_count;  /* [truth slot]: clients of the workload at hand */
    uint32_t truth_slots;
    uint32_t truth_partitions; /* 1 if all meet the same faults, else as many as there are ... */
    uint32_t truth_mask;       /* ... and what it leaves of a partition's number: nothing, or all of it */
    simi_timeline *timeline;   /* [(truth slot * truth_partitions + partition) * SIMI_MASKS + mask - 1] */
    int64_t *edge;
    size_t edge_count;
    size_t edge_room;
    simi_recent *recent;

    simi_slice *slice; /* slice_count + 1: the last starts at the end of the run */
    size_t slice_count;
    simi_hand hand[2]; /* the latest of them is `last_hand` */
    unsigned last_hand;
    bool looks_at_homes; /* many operations of the last batch were away */
    size_t closed;       /* slices before it are closed */
    int64_t next_close;
    simi_open_slice *spare;
    uint32_t fold_at;            /* operations after which an open slice is folded, lest its counts overflow */
    sim_histogram *interval_now; /* closed slices of the oldest interval that is not closed */
    sim_histogram *piece_now;    /* of the oldest sample, within one phase */
    sim_histogram *sample_now;   /* of the oldest sample */
    uint64_t whole_samples;      /* as `samples` and `sample_p99_sum`, of samples that no phase edge cuts in pieces */
    sim_u128 whole_sample_p99_sum;

    size_t interval_count;
    sim_interval_row *interval; /* pairs_away and pairs_recovering hold changes until the end */

    sim_station_row *station_row; /* [interval * regions + region]; NULL: no region has limits */

    simi_strategy strategy;
    simi_moment moment;

    simi_pair *pair;           /* in order of appearance; the first is none */
    simi_pair_rest *pair_rest; /* of the same */
    size_t pair_count;
    size_t pair_room;
    uint32_t *pair_block; /* [client * pair_blocks_of_client + partition / SIMI_PAIRS_TOGETHER]; 0: none yet */
    size_t pair_blocks_of_client;
    simi_pair_place (*pair_place)[SIMI_PAIRS_TOGETHER]; /* [block] */
    size_t pair_block_count;
    size_t pair_block_room;
    simi_at_hand *at_hand; /* where each request looks before it looks for its pair; NULL: all homes are always well */
    simi_span *span;       /* the first is none */
    size_t span_count;
    size_t span_room;

    sim_transition_row *row;
    size_t row_count;
    size_t row_room;
    uint64_t rows_left_out;

    uint32_t told_count;
    simi_told told[SIMI_TOLD_MAX];
};

/* ---- metrics.c ---- */

/* Slot of an instant in [0, duration). */
uint32_t simi_slot_at(const sim_metrics *metrics, int64_t at);
/* First instant after the slot: the next phase's start or the run's end. */
int64_t simi_slot_end(const sim_metrics *metrics, uint32_t slot);
static inline sim_interval_row *simi_interval_at(sim_metrics *metrics, int64_t at)
{
    return &metrics->interval[at / metrics->scenario->interval];
}
void simi_moment_find(sim_metrics *metrics, int64_t at);
/* Hands the moment's own counts over to its slot and interval. */
void simi_moment_settle(sim_metrics *metrics);
/* Of an instant in [0, duration); valid until the next call. */
static inline const simi_moment *simi_moment_at(sim_metrics *metrics, int64_t at)
{
    if (__builtin_expect((uint64_t)(at - metrics->moment.from) >= metrics->moment.length, 0))
        simi_moment_find(metrics, at);
    return &metrics->moment;
}
/* `items` with room for one more: doubled when full. NULL and is_out_of_memory: no memory, `items` stays. */
void *simi_grow(sim_metrics *metrics, void *items, size_t count, size_t *room, size_t item_size);

/* ---- truth.c ---- */

/* Edges of the combined truth of the kinds in `mask` (healthy: for all of them) in (0, duration), appended to
 * metrics->edge. `client` as in sim_truth_is_healthy(). */
simi_timeline simi_truth_scan(sim_metrics *metrics, rgn_region region, uint32_t partition, uint32_t client,
                              unsigned mask);
bool simi_truth_prepare(sim_metrics *metrics); /* false: no memory */
/* Whatever is asked, the partition's truth is that of the one before it. Faults that strike all, or ranges, make most
 * partitions alike, and what is found for one need not be found for a thousand. */
bool simi_truth_is_as_before(const sim_metrics *metrics, uint32_t partition);
/* Fills in what the hand knows of homes around `at`, a start in it, and makes it as short as that holds; or it does not
 * know if that is not worth it: there are too many truths, or they change too often. */
void simi_truth_take(const sim_metrics *metrics, int64_t at, simi_hand *hand);
/* Takes the edges of the line, which has some, around `at` in hand. */
void simi_truth_find(const sim_metrics *metrics, const simi_timeline *line, int64_t at);

/* The line of the kinds in `mask`, which are covered; the client's home is not always healthy. */
static inline const simi_timeline *simi_truth_line(const sim_metrics *metrics, uint32_t client, uint32_t partition,
                                                   unsigned mask)
{
    const size_t first = (size_t)(uint32_t)metrics->truth_slot[client] * metrics->truth_partitions;
    return &metrics->timeline[(first + (partition & metrics->truth_mask)) * SIMI_MASKS + mask - 1];
}

/* Puts the edges around `at` into `recent`; the line has some. */
static inline const simi_recent *simi_truth_recent(const sim_metrics *metrics, const simi_timeline *line, int64_t at)
{
    const simi_recent *recent = metrics->recent;
    if (__builtin_expect(recent->offset != line->offset || at < recent->from || at >= recent->until, 0))
        simi_truth_find(metrics, line, at);
    return recent;
}

/* The line of the client's home. */
static inline const simi_timeline *simi_truth_home_line(const sim_metrics *metrics, uint32_t client, uint32_t partition,
                                                        unsigned mask)
{
    static const simi_timeline always_healthy = {.is_healthy_at_start = true};
    return metrics->truth_slot[client] < 0 ? &always_healthy : simi_truth_line(metrics, client, partition, mask);
}

/* Both say the same of every instant. */
static inline bool simi_truth_is_same_line(const simi_timeline *a, const simi_timeline *b)
{
    return a->count == b->count && a->is_healthy_at_start == b->is_healthy_at_start &&
           (a->offset == b->offset || a->count == 0);
}

static inline bool simi_truth_after(const simi_timeline *line, uint32_t passed)
{
    return line->is_healthy_at_start != ((passed & 1) != 0);
}

static inline simi_truth simi_truth_of_line(const sim_metrics *metrics, const simi_timeline *line, int64_t at)
{
    if (line->count == 0)
        return (simi_truth){.until = RGN_TIME_NEVER, .is_healthy = line->is_healthy_at_start};
    const simi_recent *recent = simi_truth_recent(metrics, line, at);
    return (simi_truth){.from = recent->from,
                        .until = recent->until,
                        .passed = recent->passed,
                        .is_healthy = simi_truth_after(line, recent->passed)};
}

/* Of the client's home. */
static inline simi_truth simi_truth_at(const sim_metrics *metrics, uint32_t client, uint32_t partition, unsigned mask,
                                       int64_t at)
{
    return simi_truth_of_line(metrics, simi_truth_home_line(metrics, client, partition, mask), at);
}

/* What simi_truth_at() says of the state, and no more: each request asks. */
static inline bool simi_truth_is_healthy(const sim_metrics *metrics, uint32_t client, uint32_t partition, unsigned mask,
                                         int64_t at)
{
    if (metrics->truth_slot[client] < 0)
        return true;
    const simi_timeline *line = simi_truth_line(metrics, client, partition, mask);
    return line->is_healthy_at_start != (line->count != 0 && (simi_truth_recent(metrics, line, at)->passed & 1) != 0);
}

/* ---- operations.c ---- */

void simi_operations_ended(void *context, const sim_ended *batch, size_t count);

/* ---- strategy.c ---- */

bool simi_strategy_prepare(sim_metrics *metrics); /* false: no memory */
void simi_strategy_deinit(sim_metrics *metrics);
void simi_strategy_changed(void *context, uint32_t client, bool is_on, int64_t at);
/* Adds the samples to their phases, once all are closed. */
void simi_strategy_finish(sim_metrics *metrics);
static inline void simi_strategy_note_p99(sim_metrics *metrics, int64_t sample, int64_t p99)
{
    if (metrics->strategy.sample != NULL)
        metrics->strategy.sample[sample].p99 = p99;
}
static inline void simi_strategy_note_hedges(sim_metrics *metrics, int64_t sample, uint32_t hedges)
{
    if (metrics->strategy.sample != NULL)
        metrics->strategy.sample[sample].hedges += hedges;
}

/* ---- pair_table.c ---- */

bool simi_pairs_prepare(sim_metrics *metrics); /* false: no memory; after simi_truth_prepare() */

/* ---- pairs.c ---- */

void simi_pairs_transition(void *context, uint32_t client, const rgn_transition *transition);
void simi_pairs_failed_leg(void *context, const sim_failed_leg *leg);
/* An operation of an unhealthy kind started at home; for those that are in no stretch at hand. */
void simi_pairs_note_request(sim_metrics *metrics, const sim_ended *op);

/* The pair's place among the stretches at hand. Neighbours in one client share none. */
static inline simi_at_hand *simi_pairs_place(const sim_metrics *metrics, uint32_t client, uint32_t partition)
{
    return &metrics->at_hand[metrics->home_of[client].first_pair + partition];
}

/* It is in a stretch at hand. */
static inline bool simi_pairs_knows(const sim_metrics *metrics, const sim_ended *op)
{
    const simi_at_hand *hand = simi_pairs_place(metrics, op->client, op->partition);
    return memcmp(&hand->pair, &op->partition, sizeof hand->pair) == 0 && simi_units_have(hand->asked, op->start);
}

/* An operation of an unhealthy kind started at home. */
static inline void simi_pairs_request(sim_metrics *metrics, const sim_ended *op)
{
    if (__builtin_expect(!simi_pairs_knows(metrics, op), 0))
        simi_pairs_note_request(metrics, op);
}
/* Ends what is still open and adds up what needs the whole run. */
void simi_pairs_finish(sim_metrics *metrics);

/* ---- metrics.c ---- */

/* Region of a first attempt of that group's clients while the regions `failed` are tripped. */
rgn_region simi_target_of(const sim_scenario *scenario, const sim_client_group *group, rgn_region_set failed);

/* ---- load.c ---- */

typedef struct {
    uint64_t numerator; /* 0 / 0: none */
    uint64_t denominator;
    uint64_t samples;
} simi_ratio;

typedef struct {
    int64_t from;
    int64_t until; /* RGN_TIME_NEVER: to the end of the run */
} simi_gap;

/* Unhealthy spans of one region: some partition is unhealthy for a kind that is sent there. */
typedef struct {
    simi_gap *gap; /* disjoint, ascending */
    size_t count;
    size_t room;
} simi_gaps;

/* ---- stations.c ---- */

/* Of all regions together; the highest utilisation of one, negative: no region has servers. */
typedef struct {
    sim_station_row sum;
    double utilisation;
} simi_bearing;

/* Of [from, until), whose ends cut no piece. */
simi_bearing simi_station_bearing(const sim_scenario *scenario, const sim_station_load *load, int64_t from,
                                  int64_t until);
bool simi_station_rows(sim_metrics *metrics, const sim_station_load *load); /* false: no memory */

/* ---- load.c ---- */

bool simi_load_prepare(sim_metrics *metrics, simi_gaps gaps[RGN_REGIONS_MAX]); /* false: no memory; deinit anyway */
void simi_load_deinit(simi_gaps gaps[RGN_REGIONS_MAX]);
/* Of recoveries in [from, until). */
simi_ratio simi_load_herd_peak(const sim_metrics *metrics, const sim_region_load *load, const simi_gaps *gaps,
                               int64_t from, int64_t until);
/* Of the parts of unhealthy spans in [from, until). */
simi_ratio simi_load_alternate(const sim_metrics *metrics, const sim_region_load *load, const simi_gaps *gaps,
                               int64_t from, int64_t until);

#endif
