/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of one run: what the fast loop and the reference loop share.
 *
 * Both loops ask the same functions, those of operation.h, to start an operation, to end a leg and to ring a timer;
 * they differ in how they find out what comes next. After each of these calls the slot holds the ends of the open legs
 * and the core's wake-up; the loop turns them into events. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "engine/arrivals.h"
#include "engine/engine.h"
#include "engine/queue.h"
#include "engine/sessions.h"
#include "engine/stories.h"
#include "engine/thresholds.h"
#include "engine/throughput.h"
#include "fleet/fleet.h"

enum {
    SIM_ENDED_BATCH = 128,
    SIM_PROGRESS_EVENTS = 1 << 20,
    SIM_TRANSITIONS_PENDING = 16,
};

typedef struct {
    int64_t end; /* NEVER: not open, or no reply will come */
    int64_t sent;
    uint16_t status;
    uint16_t substatus;
    uint8_t transport;
    rgn_region region;
} sim_leg;

enum { SIM_SLOT_LEGS = 2 }; /* whose place is the slot; those of further hedges lie in a sim_fan */

/* An operation in flight. Of its four cache lines a healthy one touches the first in the core, and the last two in the
 * engine. */
typedef struct {
    rgn_op op;
    int64_t start __attribute__((aligned(64)));
    uint64_t ordinal; /* workload << 30 | n */
    uint64_t luck_key;
    sim_words elsewhere; /* luck of its first leg to elsewhere_region, unless that is RGN_REGION_NONE */
    int64_t abandon_at;  /* when the application gives up; NEVER: it waits */
    sim_leg leg[SIM_SLOT_LEGS];
    uint32_t partition;
    uint32_t client;
    SIM_COURSE
    rgn_region_set visited; /* where the operation has been; from its second leg on with its first region */
    uint16_t retry_draws;
    bool has_returned; /* to a region where it had been: its sim_visits hold */
    rgn_region elsewhere_region;
} sim_slot;

_Static_assert(sizeof(sim_slot) == 256, "a slot is four cache lines");

/* Beside its slot: how often an operation has been in regions that it came back to; 0 of all others. */
typedef struct {
    uint8_t count[RGN_REGIONS_MAX];
} sim_visits;

/* What operations of a workload and kind have in common as they start. All that the core asks of a request before it
 * follows its plan has been written long before: only partition, hash and plan are written for each operation. */
typedef struct sim_beginning {
    rgn_request request;
    SIM_COURSE
    uint32_t plan; /* which of the client's */
} sim_beginning;

/* What an operation that may have more than one hedge has beside its slot. */
typedef struct {
    rgn_fan core;
    sim_leg leg[RGN_LEGS_MAX - SIM_SLOT_LEGS];
} sim_fan;

enum { SIM_FANS_TOGETHER = 1024 }; /* as many slots share a block, which never moves */

/* In sim_slot.flags: leg 0 is a canary in flight; it was one and failed. */
enum { SIM_SLOT_CANARY_LEG = 128, SIM_SLOT_CANARY_FAILED = 64 };
/* Likewise: its story may be told; it is a feed, or of metadata. */
enum { SIM_SLOT_STORY = 32, SIM_SLOT_FEED = 1, SIM_SLOT_METADATA = 2 };
static inline sim_form sim_run_form(const sim_slot *slot)
{
    return (slot->flags & SIM_SLOT_METADATA) != 0 ? SIM_FORM_METADATA
           : (slot->flags & SIM_SLOT_FEED) != 0   ? SIM_FORM_FEED
                                                  : SIM_FORM_POINT;
}

/* Leg field of the event of an operation that is given up: its class is that of deadlines, which come before it. */
enum { SIM_LEG_ABANDON = 7 };

/* The second in which a region's latest leg arrived. */
typedef struct {
    uint64_t from; /* ns */
    uint32_t *count;
} sim_load_second;

typedef struct sim_run {
    const sim_run_input *input;
    const sim_scenario *scenario;
    sim_world_run *world;
    sim_fleet fleet;
    sim_arrivals_merge arrivals;
    sim_beginning beginning[SIM_WORKLOADS_MAX][SIM_KINDS];
    uint32_t gives_up_share[SIM_WORKLOADS_MAX];
    bool is_partition_learnt;    /* some operations do not know their partition at first */
    bool starts_rarely;          /* some start needs more than most: partitions to learn, feeds and metadata, overrides,
                                    fans, callers, applications that give up */
    bool starts_simply;          /* none does, and is_plain: only an operation with a story is no simple start */
    bool has_callers;            /* what arrives depends on what has ended; callers.h */
    struct sim_callers *callers; /* NULL: clients have no limits and applications do not try again */
    sim_fan **fan;               /* [slot / SIM_FANS_TOGETHER]; NULL: nobody has more than one hedge */
    uint32_t fan_blocks;
    sim_throughput *throughput;    /* NULL: clients have no budget */
    sim_sessions *sessions;        /* NULL: nothing lags */
    struct sim_stations *stations; /* NULL: load does nothing to regions; stations.h */
    int64_t
        *connection; /* [client * regions + region]: last answer; NULL: nobody asks. RGN_TIME_NEVER: no connection */
    bool is_plain;   /* a first leg to the first region has nothing to ask for: no jitter, no budget, no control plane,
                        and */
    bool ends_plain; /* neither does a success: no connections, no sessions, no partitions to learn */
    bool answers_plainly; /* is_plain, and a failure does not make its client read the account; legs lie in slots */
    sim_account_reading *reading;    /* by client: its reading of the account; ends NEVER: none is under way */
    bool reads_account;              /* the account changes, and clients read it */
    struct sim_overrides *overrides; /* what restarts have done to clients' environments; NULL: nothing; overrides.c */
    bool probe_all;                  /* a recovering partition sends all traffic home: its operations are not away */

    sim_slot *slot;
    uint16_t *story_place;      /* of a slot with SIM_SLOT_STORY */
    sim_visits *visits;         /* of a slot */
    uint64_t story_bound;       /* hashes of operations worth following are below it */
    const rgn_response *answer; /* what the call into the core reported; NULL: no leg's end */
    uint8_t answered_leg;       /* whose answer that is */
    bool is_timeout;            /* the call into the core told of an attempt's timeout */
    uint32_t slot_count;        /* ever used */
    uint32_t slot_capacity;
    uint32_t *free_slot; /* last in, first out */
    uint32_t free_count;
    uint32_t least_free; /* with as many free slots or more, no more operations are in flight than ever before */

    rgn_task *task; /* room for what one expiry asks for */
    uint32_t task_room;
    struct sim_probes *probes; /* connections under way; probes.c */

    sim_queue background;     /* ordinal field: the client; class CONTROL an expiry, WORLD_EDGE a restart */
    int64_t *background_time; /* by client: the one time that counts; NEVER: none */
    bool tells_when_due;      /* a router whose next expiry comes sooner tells of a transition or a mark after that */
    uint32_t dirty_count;     /* clients whose next expiry may have moved */
    uint32_t *dirty;
    uint64_t interruption_at; /* when the fast loop has to look at more than operations; 0: at once */

    bool is_restarting;    /* whatever a router does now, it does because its process ends */
    uint32_t zombie_count; /* slots whose operations a restart has ended and that wait for their event (legs: 0) */
    uint32_t killed_count; /* slots whose operations the last restart has ended, until the loop takes notice */
    uint32_t killed_capacity;
    uint32_t *killed;

    sim_ended *batch_next; /* in `batch` */
    sim_ended batch[SIM_ENDED_BATCH];

    uint64_t rare_starts;    /* operations that started, where starts_rarely; for invariants.c: */
    uint64_t told_ends;      /* operations that did not end by the answer to their only leg */
    uint64_t told_answers;   /* legs of such operations, and legs that did not end theirs, that were answered */
    uint64_t cut_legs;       /* legs that were given up */
    uint64_t restart_events; /* put into the background queue at the start */

    int64_t now; /* instant of the event in hand; the loops set it, and it never goes back */
    sim_load_second load_second[RGN_REGIONS_MAX];
    int64_t next_checkpoint; /* or look at thresholds, whichever comes first */
    uint32_t checkpoint;
    sim_run_output *output;
    const char *broken; /* the invariant that does not hold; NULL: all hold */
} sim_run_state;

/* Sets everything up; SIM_RUN_OK, SIM_RUN_NO_MEMORY or SIM_RUN_INTERRUPTED. sim_run_close() frees all but the output.
 */
sim_run_status sim_run_open(sim_run_state *run, const sim_run_input *input, sim_run_output *output);
void sim_run_close(sim_run_state *run);

/* Makes room for that many slots. False: no memory. */
bool sim_run_reserve_slots(sim_run_state *run, uint32_t capacity);

/* What has become of an operation that has started: it has ended, or is open; or it is open, its first leg is its only
 * one, and nobody gives up. */
typedef enum { SIM_STARTED_ENDED, SIM_STARTED_OPEN, SIM_STARTED_PLAIN } sim_started;

/* operation.c; each answers whether the operation is still open. A timer rings: */
bool sim_run_ring(sim_run_state *run, sim_slot *slot, int64_t now);
/* The application gives up. */
bool sim_run_abandon(sim_run_state *run, sim_slot *slot, int64_t now);

/* operation.c, for operation.h: as many operations may be in flight as never before; a slot that was never used; what
 * is not a plain start, end or success. */
void sim_run_note_pending(sim_run_state *run);
/* A leg arrives in another second than the region's latest. */
void sim_run_count_in_other_second(sim_run_state *run, rgn_region region, int64_t arrival);
uint32_t sim_run_new_slot(sim_run_state *run);
/* The luck of a leg for which none was drawn ahead; the answer to one that a fault may strike. */
sim_words sim_run_draw_leg(sim_run_state *run, const sim_slot *slot, rgn_region region, uint32_t visit);
void sim_run_strike_leg(sim_run_state *run, const sim_slot *slot, sim_leg *leg, sim_words luck, int64_t round_trip,
                        int64_t now);
/* start.c: what sim_run_start() does, for any operation. */
sim_started sim_run_start_any(sim_run_state *run, sim_slot *slot);
bool sim_run_start_otherwise(sim_run_state *run, sim_slot *slot, rgn_step step, sim_words home, int64_t now);
bool sim_run_end_leg_otherwise(sim_run_state *run, sim_slot *slot, uint32_t leg, int64_t now);
/* operation.c: what a region did of the legs that the core has given up. */
void sim_run_count_cut_legs(sim_run_state *run, sim_slot *slot);
/* ended.c: the operation has ended, and sim_run_follow() tells. */
void sim_run_report_told(sim_run_state *run, sim_slot *slot, int64_t now);
/* The answer to one of its legs has ended it: it has not succeeded; or it has, and there is more to tell of it than of
 * most. */
void sim_run_report_failure(sim_run_state *run, sim_slot *slot, int64_t now);
void sim_run_report_rest(sim_run_state *run, sim_slot *slot, sim_ended *ended);
/* Either, of a leg that sim_run_end_leg_otherwise() has ended. */
void sim_run_report_answered(sim_run_state *run, sim_slot *slot, int64_t now);
/* telling.c: the operation is sampled, and its story begins. The others are for operations with SIM_SLOT_STORY. */
void sim_run_begin_story(sim_run_state *run, sim_slot *slot);
void sim_run_tell_sent(sim_run_state *run, sim_slot *slot, int64_t now);
/* What the last call into the core did, but for what it sent. */
void sim_run_tell_step(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now);
void sim_run_tell_answer(sim_run_state *run, sim_slot *slot, uint32_t leg, const rgn_response *answer, int64_t now);
void sim_run_tell_ended(sim_run_state *run, sim_slot *slot, const sim_ended *ended);
/* The same call for the recorder; there is one. */
void sim_run_record_step(const sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now);
/* What most starts do without. The arrival may have to wait, and starts no operation then. */
bool sim_run_hold_back(sim_run_state *run, const sim_arrival *arrival);
/* It may have waited, or be given up; the partition is not known yet, it is no point read, options are overridden. */
void sim_run_complete_start(sim_run_state *run, sim_slot *slot, rgn_request *request, const sim_arrival *arrival);
/* Puts an arrival under the luck digest. */
static inline void sim_run_digest_luck(sim_run_state *run, int64_t time, uint64_t luck_key, uint64_t ids, uint8_t kind)
{
    sim_digest_add(&run->output->luck, (uint64_t)time, luck_key, ids, kind);
}

/* Which operations there are, and when, then depends on how long others take: they are no part of the luck. */
static inline bool sim_run_is_closed_loop(const sim_run_state *run, uint32_t workload)
{
    return run->scenario->workload[workload].arrivals == SIM_ARRIVALS_CLOSED;
}

/* Carries out the core's answer. */
bool sim_run_follow(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now);

static inline sim_fan *sim_run_fan(const sim_run_state *run, const sim_slot *slot)
{
    const size_t index = (size_t)(slot - run->slot);
    return &run->fan[index / SIM_FANS_TOGETHER][index % SIM_FANS_TOGETHER];
}

static inline sim_leg *sim_run_leg(const sim_run_state *run, sim_slot *slot, uint32_t leg)
{
    return __builtin_expect(leg < SIM_SLOT_LEGS, 1) ? &slot->leg[leg]
                                                    : &sim_run_fan(run, slot)->leg[leg - SIM_SLOT_LEGS];
}

/* No operation is in flight, and none will come. */
static inline bool sim_run_is_drained(const sim_run_state *run)
{
    return run->slot_count == run->free_count + run->zombie_count && run->arrivals.next_time == RGN_TIME_NEVER;
}

/* Background work at the head of the background queue. A restart ends operations: the loop must then see to it that the
 * events of the slots in `killed` do nothing and that these slots are released, and set killed_count to 0. */
void sim_run_background(sim_run_state *run);
/* restart.c: puts the scenario's restarts into the background queue; carries one out. */
bool sim_run_queue_restarts(sim_run_state *run); /* false: no memory */
void sim_run_restart(sim_run_state *run, uint32_t client, uint32_t restart, int64_t now);
/* overrides.c: options of clients whose environment a restart has changed. */
bool sim_overrides_open(sim_run_state *run); /* false: no memory */
void sim_overrides_close(sim_run_state *run);
void sim_overrides_put(sim_run_state *run, uint32_t client, uint32_t restart);
const rgn_options *sim_overrides_of(const sim_run_state *run, uint32_t client, uint32_t workload);
/* For restart.c: notes a restart in the digest; adds a router's counters to the output. */
void sim_run_record_restart(sim_run_state *run, uint32_t client, int64_t now);
void sim_run_collect_counters(sim_run_state *run, uint32_t client);
/* Puts the client's next expiry into the background queue, not before `earliest`. */
void sim_run_schedule(sim_run_state *run, uint32_t client, int64_t earliest);
/* The client's next expiry may have moved. */
static inline void sim_run_mark_dirty(sim_run_state *run, uint32_t client)
{
    run->dirty[run->dirty_count++ % SIM_TRANSITIONS_PENDING] = client;
    run->interruption_at = 0;
}
/* Puts moved expiries into the background queue, none before `run->now`; call it after each of the above. */
void sim_run_schedule_dirty(sim_run_state *run);

/* Stores the checkpoints, and looks at adaptive thresholds, up to `now`; call it before anything happens at `now`. */
void sim_run_store_checkpoints(sim_run_state *run, int64_t now);

void sim_run_flush(sim_run_state *run);

/* Puts a record under the behaviour digest. */
static inline void sim_run_digest(sim_run_state *run, const sim_record_words *record)
{
    sim_digest_add(&run->output->behaviour, record->word[0], record->word[1], record->word[2], record->word[3]);
}

/* Tells a recorder of a record; for what is rare, or never happens without one. */
static inline void sim_run_tell_record(const sim_run_state *run, const sim_record_words *record)
{
    if (__builtin_expect(run->input->recorder != NULL, 0))
        run->input->recorder->record(run->input->recorder->context, record);
}

/* Both. */
static inline void sim_run_record(sim_run_state *run, const sim_record_words *record)
{
    sim_run_digest(run, record);
    sim_run_tell_record(run, record);
}

/* invariants.c; each breaks the run if it does not hold. At the end: operations and legs add up. */
void sim_run_check_sums(sim_run_state *run);
/* The slot's canary has a partition that recovers. */
void sim_run_check_canary(sim_run_state *run, const sim_slot *slot);
/* Events of background work do not pile up. */
void sim_run_check_background(sim_run_state *run);

/* An invariant does not hold; the first one is told. */
static inline void sim_run_break(sim_run_state *run, const char *what)
{
    if (run->broken == NULL)
        run->broken = what;
}

/* The clock moves on to the next event. */
static inline void sim_run_set_now(sim_run_state *run, uint64_t now)
{
    if (__builtin_expect((int64_t)now < run->now, 0))
        sim_run_break(run, "time went back");
    run->now = (int64_t)now;
}

_Static_assert(SIM_CLASS_DEADLINE == SIM_CLASS_TIMER + 1 && RGN_WAKE_HEDGE < 4 && RGN_WAKE_DEADLINE == 4 &&
                   RGN_WAKE_HARVEST > 4 && RGN_WAKE_HARVEST < 8,
               "deadlines are the wake-ups with bit 2");

/* The class of the core's wake-up. */
static inline sim_class sim_wake_class(uint8_t wake_kind)
{
    return (sim_class)(SIM_CLASS_TIMER + (wake_kind >> 2));
}

/* The loops. */
sim_run_status sim_loop_fast(sim_run_state *run);
sim_run_status sim_loop_stations(sim_run_state *run); /* the same where regions have limits */
sim_run_status sim_loop_reference(sim_run_state *run);

#endif
