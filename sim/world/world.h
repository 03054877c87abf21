/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The world: round trips, service times, faults, and the ground truth about who is really healthy.
 *
 * A sim_world is made once for a scenario and shared by all runs and threads; a sim_world_run adds what one
 * replication's luck decides (which partitions and clients a fault hits). Both are read-only once made, but for the
 * cache of quiet and of steady windows of a run.
 *
 * One attempt's fate is fixed when it reaches its region: sent at t, it arrives at t + rtt/2, is served (faults are
 * looked at for that instant) and its answer is back rtt - rtt/2 later. Luck comes in as two words: latency and
 * outcome; both together key the attempt's replica and its lost packets, where a fault asks. Outcome = word < error
 * share: severity is monotone. Overlapping faults stack their error shares on that one word in name order, capped at 1;
 * multipliers multiply and act on the service time only, added latencies add up on top, further round trips lengthen
 * the way. A fault on new connections spares an attempt whose client has a connection to the region when it sends.
 * Network jitter, where a scenario has it, scales the round trip before all that: the caller draws a word and hands in
 * sim_world_jittered() as round trip. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <regioncore/regioncore.h>

#include "engine/random.h"
#include "engine/sampler.h"
#include "scenario/scenario.h"

typedef struct sim_world sim_world;

/* Hot part of a run's world, laid open for the inline fast path; see world.c for the rest. */
typedef struct {
    int64_t quiet_from; /* at any t in [quiet_from, quiet_until) ... */
    int64_t quiet_until;
    uint64_t struck_below; /* ... no fault touches an attempt whose outcome word is this or more; 0: none at all */
} sim_quiet;

/* The part of [0, SIM_SHARE_ONE) of the outcome word that is one fault's. */
typedef struct {
    const sim_fault *fault; /* NULL: the word struck nobody's */
    uint32_t from;
    uint32_t width;
} sim_slice;

/* What the faults that an attempt meets do to it. */
typedef struct {
    sim_slice hit;
    uint64_t multiplier;
    int64_t added;
    uint32_t round_trips;
    bool is_lost; /* too many packets in a row */
} sim_impact;

/* The same where faults are about that do not change: what they have done to one attempt they do to others. */
typedef struct {
    int64_t from; /* at any t from then on ... */
    uint64_t length;
    uint64_t least_word; /* ... an attempt whose outcome word is this or higher ... */
    uint64_t word_span;  /* ... and no further above it than that ... */
    uint64_t faults;     /* ... and that of these faults ... */
    uint64_t met;        /* ... meets just these takes this: */
    bool is_met_by_all;  /* nobody needs to be asked what it meets */
    sim_impact impact;
    /* The status with which all of them are answered `answer_after` the round trip; NULL: it is not as simple. */
    const sim_error *answer;
    int64_t answer_after;
} sim_steady;

typedef struct sim_world_run {
    const sim_world *world;
    const sim_fault *fault;                /* the scenario's, as this replication's luck has them */
    const struct sim_stretches *stretches; /* by region */
    struct sim_drawn *drawn;               /* NULL: luck has no say in what faults do */
    const sim_sampler *service[SIM_KINDS];
    const sim_sampler *jitter; /* factor on a round trip in ppm; NULL: no jitter, no word to draw */
    sim_quiet quiet[RGN_REGIONS_MAX];
    sim_steady slowed[RGN_REGIONS_MAX];      /* of attempts that no error strikes */
    sim_steady struck[RGN_REGIONS_MAX];      /* of those that one strikes */
    struct sim_world_scope *scope;           /* who is hit; scope.c */
    struct sim_write_regions *write_regions; /* who takes writes; NULL: the account never changes; write_region.c */
} sim_world_run;

/* The instant up to which region `to` has the writes that region `from` has committed to the partition, at `at`. Never
 * falls as time goes on. Only where the scenario has replication lag. */
int64_t sim_world_replicated_until(const sim_world_run *run, const sim_luck *luck, uint32_t partition, rgn_region from,
                                   rgn_region to, int64_t at);
/* No lag is longer. */
int64_t sim_world_lag_max(const sim_world *world);

/* What an attempt is to the world. */
typedef struct {
    rgn_region region;
    uint8_t kind;        /* sim_kind */
    bool has_connection; /* the client has a connection to the region */
    uint32_t client;
    uint32_t partition; /* global index; the number of all partitions: none, as of metadata */
} sim_attempt;

/* How one attempt ends. */
typedef struct {
    int64_t end;     /* when the client knows; RGN_TIME_NEVER: no reply will ever come */
    uint16_t status; /* 200 if no fault struck; 0 with a transport error */
    uint16_t substatus;
    uint8_t transport; /* rgn_transport: NONE; NOT_SENT where refused; UNKNOWN where no reply comes */
} sim_fate;

/* NULL with `*error` if the round-trip table cannot be read or lacks a pair that the scenario needs, if a service time
 * is beyond what times can hold, or if memory is short. `scenario` is borrowed for the world's life. */
sim_world *sim_world_create(const sim_scenario *scenario, sim_input_error *error);
void sim_world_destroy(sim_world *world);

/* Notes made while loading that a user must know (a missing median replaced by a p95, ...), one a line; "" if none. */
const char *sim_world_notes(const sim_world *world);

/* Round trips in ns from a client region (catalogue number) to each account region; array of region_count.
 * NULL if no client group is at home there. */
const int64_t *sim_world_round_trips(const sim_world *world, uint16_t client_region);

/* Hash over every sampler table and round trip: part of the luck digest. */
uint64_t sim_world_tables_hash(const sim_world *world);

sim_world_run *sim_world_run_create(const sim_world *world, const sim_luck *luck); /* NULL: no memory */
void sim_world_run_destroy(sim_world_run *run);

/* Hash over which partitions and clients each fault hits: part of the luck digest. */
uint64_t sim_world_run_scope_hash(const sim_world_run *run);

/* --- the service's side of the account --- */

/* The account ever changes, or the service may move the write region of single partitions. */
bool sim_world_has_control(const sim_world *world);
/* The account as a reading at that instant finds it. */
const rgn_account *sim_world_account_at(const sim_world *world, int64_t at);

/* What a region does with an attempt that reaches it at `at`, faults apart. */
typedef enum {
    SIM_REFUSES_NOTHING = 0,
    SIM_REFUSES_WRITES = 1, /* 403/3: another region takes the partition's writes */
    SIM_REFUSES_ALL = 2,    /* 403/1008: the account does not have the region */
} sim_refusal;
sim_refusal sim_world_refuses(const sim_world_run *run, const sim_attempt *attempt, int64_t at);
/* The region that takes the partition's writes on a single-write account; only where sim_world_has_control(). */
rgn_region sim_world_write_region(const sim_world_run *run, uint32_t partition, int64_t at);

/* A client's reading of the account that begins at `at`. It asks the region that takes writes, or the first of them;
 * where a fault keeps the answer back, the others in account order. */
typedef struct {
    int64_t asked; /* the answer holds what was so then */
    int64_t end;   /* when the client knows */
    bool is_answered;
} sim_account_reading;
sim_account_reading sim_world_read_account(const sim_world_run *run, const sim_luck *luck, uint32_t client,
                                           uint64_t client_key, int64_t at);
/* How long an attempt keeps a server of a region that has servers. */
const sim_sampler *sim_world_busy(const sim_world *world, rgn_region region, sim_kind kind);
/* The share (ppb) of its capacity that the region has for the partition at `at`: what faults have left of it, times
 * what has warmed up again since the latest end of a fault that struck requests for the partition there. */
uint32_t sim_world_capacity_left(const sim_world_run *run, rgn_region region, uint32_t partition, int64_t at);

/* True if some fault looks at connections: else nobody needs to know who has one. */
bool sim_world_needs_connections(const sim_world *world);

/* The general case of sim_world_fate(): a fault may touch the region about then. Refreshes the region's windows. */
sim_fate sim_world_fate_slow(sim_world_run *run, int64_t round_trip, const sim_attempt *attempt, int64_t sent,
                             sim_words luck);

/* Whether a connection opens that the client tries for no request and that reaches the region at `at`: to the replicas
 * of `partition`, or (SIM_NO_PARTITION) to the endpoint, which only faults on all partitions strike. An answer of any
 * status is one. A fault may say otherwise of such connections; else `word` is their luck, as the outcome word is a
 * request's. */
#define SIM_NO_PARTITION UINT32_MAX
bool sim_world_connects(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client, int64_t at,
                        uint64_t word);
/* A client gives up a connection that does not open for so long. */
#define SIM_CONNECT_TIMEOUT (10 * RGN_NS_PER_S)

/* A round trip under jitter. `word` is word 0 of SIM_DRAW_NETWORK_JITTER for the leg. Rounded down; at most
 * SIM_SAMPLER_MAX. */
static inline int64_t sim_world_jittered(const sim_sampler *jitter, int64_t round_trip, uint64_t word)
{
    const sim_u128 product = (sim_u128)(uint64_t)round_trip * sim_sampler_draw(jitter, word);
    if (product >> 64 == 0) /* up to five hours: spares the 128-bit division */
        return (int64_t)((uint64_t)product / SIM_FACTOR_ONE);
    const sim_u128 scaled = product / SIM_FACTOR_ONE;
    return scaled < SIM_SAMPLER_MAX ? (int64_t)scaled : (int64_t)SIM_SAMPLER_MAX;
}

/* Nothing touches an attempt that reaches the region at `arrival`: it is answered by 200 after sim_world_service(). */
static inline bool sim_world_is_quiet(const sim_world_run *run, rgn_region region, int64_t arrival, sim_words luck)
{
    const sim_quiet *quiet = &run->quiet[region];
    return __builtin_expect(
        arrival >= quiet->quiet_from && arrival < quiet->quiet_until && luck.word[1] >= quiet->struck_below, 1);
}

static inline int64_t sim_world_service(const sim_world_run *run, sim_kind kind, sim_words luck)
{
    return (int64_t)sim_sampler_draw(run->service[kind], luck.word[0]);
}

static inline bool sim_steady_holds(const sim_steady *steady, int64_t arrival, uint64_t outcome)
{
    return (uint64_t)arrival - (uint64_t)steady->from < steady->length &&
           outcome - steady->least_word <= steady->word_span;
}

/* The service time of an attempt that reaches a region which slows everybody down and does nothing else to this one;
 * -1: it is not as simple as that. */
static inline int64_t sim_world_slowed_service(const sim_world_run *run, rgn_region region, sim_kind kind,
                                               int64_t arrival, sim_words luck)
{
    const sim_steady *slowed = &run->slowed[region];
    if (!sim_steady_holds(slowed, arrival, luck.word[1]) || !slowed->is_met_by_all || slowed->impact.round_trips != 0)
        return -1;
    const sim_u128 scaled = (sim_u128)sim_sampler_draw(run->service[kind], luck.word[0]) * slowed->impact.multiplier;
    /* Up to five hours: nothing can overflow, and no 128 bits are divided. */
    return scaled >> 64 == 0 ? slowed->impact.added + (int64_t)((uint64_t)scaled / SIM_FACTOR_ONE) : -1;
}

/* The fate of an attempt for which neither of the above holds. */
sim_fate sim_world_settle(sim_world_run *run, int64_t round_trip, const sim_attempt *attempt, int64_t sent,
                          sim_words luck);

/* The error that answers an attempt which reaches a region where everybody's outcome word in some part of all words is
 * answered by the same one, after the same time; NULL: it is not as simple as that. */
static inline const sim_error *sim_world_steady_error(const sim_world_run *run, rgn_region region, int64_t arrival,
                                                      sim_words luck)
{
    const sim_steady *struck = &run->struck[region];
    return sim_steady_holds(struck, arrival, luck.word[1]) ? struck->answer : NULL;
}

/* The fate of an attempt sent at `sent`. No allocation, no libm. */
static inline sim_fate sim_world_fate(sim_world_run *run, int64_t round_trip, const sim_attempt *attempt, int64_t sent,
                                      sim_words luck)
{
    if (!sim_world_is_quiet(run, attempt->region, sent + round_trip / 2, luck))
        return sim_world_fate_slow(run, round_trip, attempt, sent, luck);
    return (sim_fate){.end = sent + round_trip + sim_world_service(run, (sim_kind)attempt->kind, luck), .status = 200};
}

/* Ground truth from the schedule alone (drawn shapes as this run has them; a lost packet counts as an error): is
 * (region, partition) healthy for the client's `kind` at `at`? Healthy: the stacked error share, the combined
 * multiplier and the added latencies of the faults that hit the partition there, and that client, are all within the
 * scenario's limits. Luck decides only who is hit. Connections are not looked at: a fault on new ones counts as if it
 * struck every attempt. Nor are further round trips: at home they cost next to nothing. SIM_ANY_CLIENT: as if every
 * fault that hits some client hit this one. */
#define SIM_ANY_CLIENT UINT32_MAX
bool sim_truth_is_healthy(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                          sim_kind kind, int64_t at);
/* No partition is unhealthy anywhere, for anybody and any kind. */
bool sim_truth_is_calm(const sim_world_run *run, int64_t at);
/* The first instant after `at` at which that answer changes; RGN_TIME_NEVER if it never does. */
int64_t sim_truth_next_change(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                              sim_kind kind, int64_t at);
/* The last instant at or before `at` at which it changed to what it is now; INT64_MIN if it never did. */
int64_t sim_truth_since(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client, sim_kind kind,
                        int64_t at);
/* Nanoseconds of [from, until) in which it is unhealthy. */
int64_t sim_truth_unhealthy_ns(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                               sim_kind kind, int64_t from, int64_t until);
/* True if no fault ever makes any partition of the region unhealthy for any client's kind: a cheap first question. */
bool sim_truth_is_always_healthy(const sim_world_run *run, rgn_region region);
/* Clients with the same key meet the same truth everywhere. */
uint64_t sim_truth_client_key(const sim_world_run *run, uint32_t client);
/* The same for partitions. */
uint64_t sim_truth_partition_key(const sim_world_run *run, uint32_t partition);

#endif
