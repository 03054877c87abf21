/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as a trace: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, the format that
 * chrome://tracing and ui.perfetto.dev read. */
#ifndef SIM_EXPLAIN_TRACE_H
#define SIM_EXPLAIN_TRACE_H

#include "explain/flight.h"

enum {
    EXP_TRACE_OPERATION_EVENTS = 400000, /* beyond that every second operation goes, and again */
    EXP_TRACE_CHANGES = 200000,          /* of breakers, and marks; beyond that there is no trace */
    EXP_TRACE_HISTORY = 4000000,         /* transitions that are remembered from before the stretch */
    EXP_TRACE_COUNTS = 2000,             /* values of a counter of legs */
    EXP_PID_FAULTS = 1,
    EXP_PID_FLEET = 2,
    EXP_PID_REGIONS = 10, /* + region */
    EXP_LEG_BITS = 3,
};

typedef enum {
    EXP_TRACE_OPERATION, /* a span: id */
    EXP_TRACE_LEG,       /* a span: id << EXP_LEG_BITS | leg */
    EXP_TRACE_BREAKER,   /* a span: client << 32 | partition */
    EXP_TRACE_MARK,      /* an instant */
    EXP_TRACE_RESTART,   /* an instant */
    EXP_TRACE_FAULT,     /* complete: number */
    EXP_TRACE_PHASE,     /* complete: number */
    EXP_TRACE_LEGS,      /* counter: legs a second at a region */
    EXP_TRACE_FLIGHT,    /* counter: the most legs in flight at a region */
    EXP_TRACE_PAIRS,     /* counter: unhealthy << 32 | recovering */
} exp_trace_kind;

/* Small and without pointers: there are many. Which fields mean something depends on the kind. */
typedef struct {
    int64_t at; /* ns */
    uint64_t id;
    uint64_t n;   /* order among those of one instant */
    int64_t span; /* ns, of what is complete */
    uint32_t pid;
    uint32_t partition;
    uint32_t client;
    uint16_t status;
    uint16_t substatus;
    uint8_t kind;   /* exp_trace_kind */
    char phase;     /* of the format: b, e, i, X, C */
    uint8_t what;   /* sim_kind; phase of the breaker; region of a mark */
    uint8_t reason; /* rgn_reason */
    uint8_t flags;  /* RGN_SEND_* */
    uint8_t leg;
    bool is_cut;
} exp_trace_event;

typedef struct {
    int64_t at;
    uint64_t n;
    uint32_t client;
    uint32_t partition;
    uint8_t before; /* rgn_phase */
    uint8_t after;
    uint8_t reason;
} exp_trace_change;

typedef struct {
    const exp_stored *run;
    int64_t from; /* what starts in [from, until) */
    int64_t until;
    sim_observer observer; /* to hand to exp_replay() */
    sim_recorder recorder;
    unsigned halvings;       /* of 2^halvings operations one is kept */
    uint64_t operations;     /* that started in the stretch */
    size_t operation_events; /* in `event` so far */
    size_t rare_events;
    size_t count;
    size_t room;
    exp_trace_event *event;
    exp_flight *flight;  /* owned */
    size_t change_count; /* up to `until`, also before `from` */
    size_t change_room;
    exp_trace_change *change;
    bool is_too_many;
    bool out_of_memory;
} exp_trace;

void exp_trace_init(exp_trace *self, const exp_stored *run, int64_t from, int64_t until);
void exp_trace_deinit(exp_trace *self);

/* After the run: adds breakers, faults and counters, and sorts. False: out_of_memory. */
bool exp_trace_finish(exp_trace *self, const sim_run_output *output);

/* Adds an event and gives it its place; for trace_finish.c. */
void exp_trace_add(exp_trace *self, exp_trace_event event);

/* Where a client's operations go while all is well. */
rgn_region exp_trace_home(const exp_stored *run, uint32_t client);

/* trace_write.c: the file. `context` is the exp_trace. */
void exp_trace_write(void *context, FILE *out);

#endif
