/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run: arrivals, legs and timers of a whole fleet in virtual time, single-threaded.
 *
 * The engine knows nothing of metrics: it tells an observer what happened. Ended operations come in batches, in order
 * of their end; everything else comes at once, and so before operations that ended before it. */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <regioncore/regioncore.h>

#include "engine/digest.h"
#include "engine/random.h"
#include "scenario/scenario.h"
#include "world/world.h"

/* How an operation goes. It lies the same way in those in flight and in those that have ended, so that it moves from
 * the one to the other in one piece. First what is added up of many operations, side by side in 64 bits; next to it
 * what says whether there is more to an operation than that. */
#define SIM_COURSE                                                                                                 \
    uint16_t unserved_legs;   /* that no region served; 255: so many or more */                                    \
    uint16_t hedges;          /* launched, those again in their region after a failure count as one; the same */   \
    uint16_t hedge_cancelled; /* legs that were cut when a race that had launched its hedge ended the operation */ \
    uint16_t legs;                                                                                                 \
    uint8_t flags;           /* SIM_ENDED_*; in flight also SIM_SLOT_* */                                          \
    uint8_t hedge;           /* rgn_hedge: how its latest race ended */                                            \
    uint8_t session_misses;  /* attempts that met a region that lagged behind the session; 255: so many or more */ \
    rgn_region hedge_region; /* of the latest hedge; RGN_REGION_NONE: none */                                      \
    rgn_region first_region; /* of the first attempt; RGN_REGION_NONE: none */                                     \
    uint8_t kind;            /* sim_kind */                                                                        \
    uint8_t workload;                                                                                              \
    uint8_t rest_of_course; /* 0; makes it SIM_COURSE_BYTES long */

enum { SIM_COURSE_BYTES = 16 };

/* An operation that ended. */
typedef struct {
    int64_t start;      /* when it was meant to start */
    uint64_t ordinal;   /* workload << 30 | n */
    uint32_t partition; /* global index */
    uint32_t client;
    int64_t end;
    SIM_COURSE
    uint64_t outcome;     /* its rgn_result: sim_ended_outcome() */
    int64_t canary_retry; /* with SIM_ENDED_CANARY: start to the retry after it failed, ns; -1: none */
} sim_ended;

enum {
    SIM_ENDED_SUCCESS = 1,
    SIM_ENDED_ERROR = 2,
    SIM_ENDED_CANARY = 4, /* its first attempt was a canary (or a probe) */
    SIM_ENDED_AWAY = 8,   /* at its start the partition's override kept this direction's traffic away from home */
    SIM_ENDED_ABANDONED = 16,
    SIM_ENDED_SERVED = 32,    /* the caller got an answer that a region served, and pays for it */
    SIM_ENDED_FEED = 64,      /* a read of many items ... */
    SIM_ENDED_METADATA = 128, /* ... or of metadata: its partition means nothing */
};

/* How an attempt of a sampled operation ended. Numbers reach the database as words. */
typedef enum {
    SIM_STORY_OPEN = 0,
    SIM_STORY_ANSWERED = 1,  /* or lost its connection */
    SIM_STORY_TIMED_OUT = 2, /* cut by its own timeout */
    SIM_STORY_CANCELLED = 3, /* cut with its operation: another leg won, the deadline passed, the application gave up */
} sim_story_end;

typedef struct {
    int64_t sent;
    int64_t end;
    uint16_t status; /* 0 but for an answer */
    uint16_t substatus;
    rgn_region region;
    uint8_t leg;        /* 0 primary, 1 and up hedges */
    uint8_t context;    /* rgn_context */
    uint8_t reason;     /* rgn_reason: why that region */
    uint8_t send_flags; /* RGN_SEND_* */
    uint8_t transport;  /* rgn_transport */
    uint8_t how;        /* sim_story_end */
} sim_story_attempt;

enum { SIM_STORY_ATTEMPTS = 16, SIM_STORY_EVENTS = 20 };

/* A sampled operation: see engine/stories.h. Of more attempts or events than there is room for, the first are kept. */
typedef struct {
    sim_ended ended;
    rgn_hedge_diagnostics hedge;
    uint32_t attempt_count; /* sent */
    uint32_t event_count;   /* that happened */
    sim_story_attempt attempt[SIM_STORY_ATTEMPTS];
    rgn_hedge_event event[SIM_STORY_EVENTS];
} sim_story;

typedef struct {
    size_t count;
    sim_story *story; /* by intended start, then ordinal */
} sim_story_set;

typedef struct sim_stories sim_stories;

/* A leg that ended in something that counts as failure (rgn_evidence FAILURE or TIMEOUT), or was cut by its timeout. */
typedef struct {
    int64_t sent;
    int64_t end;
    uint32_t client;
    uint32_t partition;
    rgn_region region;
    uint8_t kind;
    bool is_canary;
} sim_failed_leg;

/* A canary that ended: `evidence` as rgn_evidence. */
typedef struct {
    int64_t sent;
    int64_t end;
    uint32_t client;
    uint32_t partition;
    rgn_region region;
    uint8_t kind;
    uint8_t evidence;
} sim_canary;

typedef struct {
    void *context;
    void (*ended)(void *context, const sim_ended *batch, size_t count);
    void (*failed_leg)(void *context, const sim_failed_leg *leg);
    void (*canary)(void *context, const sim_canary *canary);
    void (*transition)(void *context, uint32_t client, const rgn_transition *transition);
    void (*endpoint_mark)(void *context, uint32_t client, rgn_region region, rgn_mark_reason why, int64_t at);
    /* Where the account changes: whether the client has a hedging strategy in force from `at` on; told at the start, at
     * restarts, and when it changes. */
    void (*strategy)(void *context, uint32_t client, bool is_on, int64_t at);
} sim_observer;

/* Semantic records of the behaviour digest; final numbers. The kind is the top byte of word 1, time is word 0. */
enum {
    SIM_RECORD_SEND = 1,
    SIM_RECORD_LEG_FAILED = 2,
    SIM_RECORD_DONE = 3,
    SIM_RECORD_TRANSITION = 4,
    SIM_RECORD_MARK = 5,
    SIM_RECORD_RESTART = 6,
    SIM_RECORD_GATEWAY = 7,
};

/* Word 1 of the record of an operation's end, and its parts. */
static inline uint64_t sim_ended_outcome(uint16_t status, uint16_t substatus, uint8_t reason, rgn_region region)
{
    return (uint64_t)SIM_RECORD_DONE << 56 | (uint64_t)reason << 48 | (uint64_t)region << 40 |
           (uint64_t)substatus << 16 | status;
}

static inline uint16_t sim_ended_status(const sim_ended *ended)
{
    return (uint16_t)ended->outcome;
}

static inline uint16_t sim_ended_substatus(const sim_ended *ended)
{
    return (uint16_t)(ended->outcome >> 16);
}

static inline rgn_region sim_ended_region(const sim_ended *ended)
{
    return (rgn_region)(ended->outcome >> 40);
}

static inline rgn_reason sim_ended_reason(const sim_ended *ended)
{
    return (rgn_reason)(ended->outcome >> 48 & 255);
}

typedef struct {
    uint64_t word[4];
} sim_record_words;

/* A call into the core for an operation and its answer, told before that is carried out. */
typedef struct {
    int64_t now;
    int64_t start; /* of the operation, as intended */
    uint64_t ordinal;
    uint32_t client;
    uint32_t partition; /* global index */
    uint8_t kind;       /* sim_kind */
    uint8_t form;       /* sim_form */
    uint8_t workload;
    bool is_timeout; /* an attempt's timeout was due */
    uint16_t legs;   /* sent so far; 0: the operation has just started */
    uint8_t leg;     /* whose end was reported, if `answer` is not NULL */
    rgn_step step;
    const rgn_op *op; /* after the call */
    const rgn_router *router;
    const rgn_response *answer; /* NULL: a start, a timer, or the application gave up */
    const int64_t *leg_sent;    /* [leg] */
    const rgn_region *leg_region;
} sim_recorded_step;

/* Hears everything, for those who explain a run. Behaviour is the same, but no operation goes the short way, so that
 * only runs with a recorder pay for it. */
typedef struct {
    void *context;
    /* Each record under the behaviour digest, in its order. */
    void (*record)(void *context, const sim_record_words *record);
    void (*step)(void *context, const sim_recorded_step *step);
    /* The client's router has done background work, or was replaced. */
    void (*background)(void *context, uint32_t client, const rgn_router *router, int64_t now);
} sim_recorder;

/* Legs by the second of their arrival at their region: second s of region r is count[r * seconds + s]. */
typedef struct {
    uint32_t seconds;
    uint32_t *count;
} sim_region_load;

/* Of the clients' adaptive hedge thresholds for a region, ns; the median by nearest rank. */
typedef struct {
    int64_t least;
    int64_t median;
    int64_t greatest;
} sim_threshold_row;

typedef struct {
    size_t rows;  /* of the time series; 0: thresholds are fixed */
    size_t taken; /* so far */
    uint32_t regions;
    sim_threshold_row *row; /* [row * regions + region] */
    int64_t *scratch;
} sim_thresholds;

/* What a region with limits bore in a piece of time; attempts by the instant of their arrival. */
typedef struct {
    uint64_t busy_ns;      /* of all its servers together */
    uint64_t arrivals;     /* attempts that reached it */
    uint64_t turned_away;  /* 503: no room to wait */
    uint64_t throttled;    /* 429: no request units left */
    uint32_t waiting_peak; /* most attempts that waited at one instant */
} sim_station_row;

/* By pieces of time that neither a row of the time series nor a phase cuts. */
typedef struct {
    size_t pieces; /* 0: no region has limits */
    uint32_t regions;
    int64_t *start;       /* of each piece, until the next one's; the last ends with the run */
    sim_station_row *row; /* [piece * regions + region] */
} sim_station_load;

enum { SIM_CHECKPOINTS = 64 };

/* What a run yields by itself. */
typedef struct {
    uint64_t operations; /* started = ended */
    uint64_t legs;
    uint64_t events;
    uint64_t peak_pending; /* operations in flight */
    uint64_t router_bytes; /* all routers together at the end */
    uint64_t late_successes;
    uint64_t late_failures;
    uint64_t failed_allocations;
    uint64_t tries_again; /* operations that an application made anew after an error */
    int64_t end;          /* when the last operation ended */
    sim_digest behaviour;
    sim_digest checkpoint[SIM_CHECKPOINTS]; /* behaviour up to duration * (k + 1) / 64 */
    sim_digest luck;
    sim_region_load load;
    sim_thresholds thresholds; /* how adaptive ones moved */
    sim_station_load stations; /* what regions with limits bore */
} sim_run_output;

typedef enum {
    SIM_MODE_FAST = 0,      /* one pending event per operation */
    SIM_MODE_REFERENCE = 1, /* every leg end and every timer is queued; stale ones are recognised when they ring */
} sim_mode;

typedef struct {
    const sim_scenario *scenario;
    const sim_world *world;
    const rgn_effective_options *router_options;   /* of the policy, for every client */
    const rgn_effective_options *workload_options; /* array, one for each workload */
    sim_luck luck;
    sim_mode mode;
    const sim_observer *observer; /* NULL: nobody listens */
    sim_world_run *world_run;     /* made with the same luck */
    sim_stories *stories;         /* takes a sample of the operations; NULL: nobody wants one */
    const sim_recorder *recorder; /* NULL: nobody explains */
    /* Fast mode only: every timer rings this much late. 0, but for the test that proves that a wrong timer shows in the
     * behaviour digest. */
    int64_t planted_timer_delay;
    /* Called every 256 clients while the fleet is made, and about every 2^20 events, with the virtual time; returning
     * false ends the run early (interrupted). May be NULL. */
    bool (*on_progress)(void *context, int64_t now);
    void *progress_context;
} sim_run_input;

typedef enum {
    SIM_RUN_OK = 0,
    SIM_RUN_NO_MEMORY = 1,
    SIM_RUN_TOO_MANY_PENDING = 2, /* more than SIM_PENDING_MAX operations in flight */
    SIM_RUN_INTERRUPTED = 3,
    SIM_RUN_BROKEN = 4, /* an invariant does not hold: a bug of ours; `what` says which */
} sim_run_status;

/* Runs to the end: arrivals stop at scenario->duration, operations drain. Free the output with
 * sim_run_output_deinit() whatever the status. */
sim_run_status sim_run(const sim_run_input *input, sim_run_output *output, const char **what);
void sim_run_output_deinit(sim_run_output *output);

/* About how many bytes a run of this scenario needs at most, metrics apart; for `validate`. */
uint64_t sim_run_memory_estimate(const sim_scenario *scenario);

#endif
