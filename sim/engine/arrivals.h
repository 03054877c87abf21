/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals: every workload is a stream of operations, drawn ahead in blocks and merged by time outside the event queue.
 *
 * Operation n of a stream is a pure function of the stream's name, n and the run's luck: its time, partition, kind and
 * client do not depend on other streams nor on any policy. Only in a closed loop the times do: there operation n is the
 * (n / users)th of user n % users, who begins it a drawn time after the one before has ended. */
#ifndef SIM_ARRIVALS_H
#define SIM_ARRIVALS_H

#include "engine/draw_block.h"
#include "engine/queue.h"
#include "engine/sampler.h"
#include "engine/wide.h"
#include "scenario/scenario.h"

enum {
    SIM_ARRIVALS_BLOCK = SIM_DRAW_BLOCK, /* long enough to overlap the draws, short enough for the first cache */
    SIM_ORDINAL_LUCK_BITS = 34,          /* an operation's luck key: its stream's name hash above, n below */
};
#define SIM_RATE_NS INT64_C(1000000000000) /* rates count operations in 1000 s */

/* Streams whose rate changes or whose arrivals are recorded run on a clock of their own: its unit is 1e-12 operations,
 * which is what a rate of 1 mHz brings in 1 ns. Arrivals are placed on it at one operation a 1e12 on average, then
 * moved to the run's clock through the rate's integral: exact in integers, rounded down to the nanosecond once. */
typedef struct {
    int64_t from; /* the stretch with this rate ... */
    int64_t rate_mhz;
    sim_u128 start; /* ... and the stream's clock at its start */
} sim_pace;

/* One operation that is about to start, with all that is known of it. */
typedef struct {
    int64_t time;
    uint64_t luck_key; /* keys every later draw of the operation */
    sim_words leg;     /* luck of its first leg if that goes to the client's first region */
    uint32_t n;        /* in its stream */
    uint32_t client;
    uint32_t partition; /* global index */
    uint32_t chance;    /* uniform; identifies the operation to hash samplers */
    uint8_t kind;       /* sim_kind */
    uint8_t form;       /* sim_form; of a write POINT */
    uint8_t workload;
    uint8_t tries;   /* of the same operation before */
    bool has_waited; /* the client has given it a place; it was due ... */
    int64_t due;     /* ... then */
} sim_arrival;

/* A stream, and its block of operations that are about to start: arrays by place in the block. */
typedef struct {
    uint32_t position;               /* of the next one */
    uint32_t count;                  /* arrivals at or after the end are cut off */
    uint8_t index;                   /* of the workload */
    struct sim_beginning *beginning; /* [kind]: the engine's, for what such operations of the stream have in common */
    uint64_t first_n;                /* in the stream; its ordinal, and ... */
    uint64_t first_ordinal;
    uint64_t first_key;                      /* ... its luck key: those of the others count on */
    int64_t time[SIM_ARRIVALS_BLOCK + 1];    /* [count] is NEVER */
    uint64_t story_hash[SIM_ARRIVALS_BLOCK]; /* sim_story_hash(); UINT64_MAX: has no story */
    uint64_t ids[SIM_ARRIVALS_BLOCK];        /* as sim_pack_ids() */
    uint8_t kind[SIM_ARRIVALS_BLOCK];
    uint8_t form[SIM_ARRIVALS_BLOCK];
    uint8_t elsewhere_region[SIM_ARRIVALS_BLOCK]; /* RGN_REGION_NONE: no luck was drawn for that */
    sim_draw_block drawn;     /* SIM_DRAW_REQUEST; word 0: partition, kind; word 1: client, chance */
    sim_draw_block leg;       /* luck of the first leg to the client's first region, ... */
    sim_draw_block elsewhere; /* ... and to elsewhere_region */
    uint64_t place[SIM_ARRIVALS_BLOCK] __attribute__((aligned(64))); /* of these legs */
    uint64_t elsewhere_place[SIM_ARRIVALS_BLOCK];
    /* Of an arrival that nobody drew ahead, which is alone in its block: as in sim_arrival. */
    uint8_t tries;
    bool has_waited;
    int64_t due;

    const sim_workload *workload; /* NULL: of arrivals that nobody drew ahead */
    uint64_t luck_base;           /* name hash << 34: the operation's luck key less n */
    uint32_t *client_of;          /* client indices that send the stream */
    uint32_t *partition_bound;    /* cumulative 32-bit bounds of weighted partitions; NULL: uniform */
    uint32_t *partition_guide;    /* [word >> guide_shift]: the first partition that such a word can mean */
    uint32_t guide_shift;
    uint32_t read_bound;  /* low word below: read */
    bool has_forms;       /* of the reads some are feeds or of metadata: */
    uint32_t point_bound; /* low word below: point read ... */
    uint32_t feed_bound;  /* ... or feed */
    int64_t last_time;    /* of the last operation drawn */
    /* Of a closed loop the think time; else Poisson only, in ns, or in units of the stream's clock if it has one. */
    sim_sampler *gap;
    bool has_clock;
    sim_pace pace;           /* where the last operation fell ... */
    uint32_t next_step;      /* ... and the rate step after it */
    sim_u128 clock;          /* Poisson: of the last operation drawn */
    uint32_t first_recorded; /* RECORDED: where in the recording the stream begins */
    sim_queue ready;         /* CLOSED: the users' next operations by time and n; the first of them is the block */
} sim_stream;

/* Arrivals that nobody drew ahead: they have waited, or are made again. */
typedef struct {
    sim_arrival *arrival;
    uint32_t *free_place;
    uint32_t count;
    uint32_t free_count;
    uint32_t capacity;
} sim_extras;

/* Legs that do not go to their client's first region: hedges, retries, operations kept away from home. Most of a
 * client's go to one other region. Where a stream sends enough of them, their luck too is drawn with the arrivals; a
 * wrong guess costs the time of a draw, as it does for first regions. */
typedef struct {
    uint32_t hits;     /* legs whose luck was at hand since the region was looked at ... */
    uint16_t misses;   /* ... or was not, and might have been */
    rgn_region region; /* luck is drawn for this one; ... */
    rgn_region missed; /* ... lately it was not for that one */
} sim_elsewhere;

typedef struct {
    const sim_scenario *scenario;
    sim_luck luck;
    const sim_draw_way *way;
    uint32_t stream_count;
    int64_t next_time; /* RGN_TIME_NEVER: no more */
    sim_stream *first; /* stream of the next arrival */
    sim_stream *stream;
    sim_extras extras;        /* where clients have limits or try again: of the stream after the workloads' */
    uint64_t *first_place;    /* [client]: where its first leg probably goes, as SIM_DRAW_LEG counts it */
    sim_elsewhere *elsewhere; /* [client] */
    uint32_t asks_elsewhere[SIM_WORKLOADS_MAX]; /* such legs since the stream's last block */
} sim_arrivals_merge;

/* False: no memory. */
bool sim_arrivals_init(sim_arrivals_merge *merge, const sim_scenario *scenario, const sim_luck *luck);
void sim_arrivals_deinit(sim_arrivals_merge *merge);

/* Place of a leg for SIM_DRAW_LEG: the operation's `visit`-th leg, from 1 on, to a region by its catalogue number. */
static inline uint64_t sim_leg_place(uint16_t region, uint32_t visit)
{
    return (uint64_t)region << 32 | visit;
}

/* An operation goes to a region other than its client's first one, for the first time, and its luck is at hand ... */
static inline void sim_arrivals_note_hit(sim_arrivals_merge *merge, uint8_t workload, uint32_t client)
{
    merge->asks_elsewhere[workload]++;
    merge->elsewhere[client].hits++;
}

/* ... or is not. */
void sim_arrivals_note_miss(sim_arrivals_merge *merge, uint8_t workload, uint32_t client, rgn_region region);

/* Operation n of a closed loop as far as it is known beforehand, which is all but its time and whether it comes. */
sim_arrival sim_arrivals_of_user(sim_arrivals_merge *merge, uint8_t workload, uint32_t n);

/* A user's operation n has ended: the user thinks, and goes on. False: n is used up. */
bool sim_arrivals_go_on(sim_arrivals_merge *merge, uint8_t workload, uint32_t n, int64_t now);

/* One more arrival, at its time, which is not before the event in hand; only where the scenario has callers. False: no
 * memory. */
bool sim_arrivals_add(sim_arrivals_merge *merge, const sim_arrival *arrival);

/* Draws the stream's next block; it is empty once the stream has ended. */
void sim_arrivals_refill(sim_arrivals_merge *merge, sim_stream *stream);
/* Finds the stream whose next arrival is first; of several at one instant the first by name. */
void sim_arrivals_find_first(sim_arrivals_merge *merge);

static inline uint64_t sim_pack_ids(uint32_t client, uint32_t partition)
{
    return (uint64_t)client << 32 | partition;
}

/* The stream's next arrival. */
static inline sim_arrival sim_arrivals_of_stream(const sim_stream *stream)
{
    const uint32_t i = stream->position;
    return (sim_arrival){.time = stream->time[i],
                         .luck_key = stream->first_key + i,
                         .leg = sim_draw_block_words(&stream->leg, i),
                         .n = (uint32_t)stream->first_n + i,
                         .client = (uint32_t)(stream->ids[i] >> 32),
                         .partition = (uint32_t)stream->ids[i],
                         .chance = (uint32_t)stream->drawn.word[1][i],
                         .kind = stream->kind[i],
                         .form = stream->form[i],
                         .workload = stream->index,
                         .tries = stream->tries,
                         .has_waited = stream->has_waited,
                         .due = stream->due};
}

/* The next arrival; next_time is not NEVER. */
static inline sim_arrival sim_arrivals_peek(const sim_arrivals_merge *merge)
{
    return sim_arrivals_of_stream(merge->first);
}

/* The next arrival is as good as taken out: what comes next is known if it can be, long before it is asked for, for
 * whoever branches on that is often wrong. All of the arrival can still be read up to sim_arrivals_end_take(). */
static inline void sim_arrivals_begin_take(sim_arrivals_merge *merge)
{
    sim_stream *stream = merge->first;
    const uint32_t next = stream->position + 1;
    stream->position = next;
    merge->next_time = stream->time[next]; /* of the only stream */
}

static inline void sim_arrivals_end_take(sim_arrivals_merge *merge)
{
    sim_stream *stream = merge->first;
    const bool is_used_up = stream->position == stream->count;
    if (!__builtin_expect(is_used_up || merge->stream_count != 1, 0))
        return;
    if (is_used_up)
        sim_arrivals_refill(merge, stream);
    sim_arrivals_find_first(merge);
}

/* Takes the next arrival out. */
static inline void sim_arrivals_take(sim_arrivals_merge *merge)
{
    sim_arrivals_begin_take(merge);
    sim_arrivals_end_take(merge);
}

#endif
