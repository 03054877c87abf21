/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stations.h"

#include <string.h>

enum {
    STATUS_UNAVAILABLE = 503,
    STATUS_THROTTLED = 429,
    SUBSTATUS_REQUEST_UNITS = 3200,
    FIRST_VISITS = 256,
    LEGS = RGN_LEGS_MAX,
};
#define NOBODY UINT32_MAX

/* Where a visit is. */
typedef enum { ON_THE_WAY, WAITS, SERVED, GONE } whereabouts;

/* An attempt, from its sending until it leaves its station and no event speaks of it. */
typedef struct {
    int64_t end; /* at the client, had there been no station */
    int64_t arrived;
    int64_t busy; /* how long it keeps a server; known on arrival */
    int64_t round_trip;
    uint64_t ordinal;
    uint64_t word;      /* luck of `busy` */
    uint32_t slot;      /* that waits for the answer; NOBODY: given up */
    uint32_t partition; /* global index; of metadata the number beyond all of them */
    uint32_t station;
    uint32_t previous; /* in the queue; NOBODY: none */
    uint32_t next;
    rgn_region region;
    uint8_t leg;
    uint8_t kind;
    uint8_t number; /* of the operation's attempts */
    uint8_t where;  /* whereabouts */
    uint8_t events; /* that speak of it */
} visit;

typedef struct {
    uint32_t busy; /* servers */
    uint32_t waiting;
    uint32_t first; /* of those that wait; NOBODY: none */
    uint32_t last;
    int64_t second; /* of the request units below */
    uint64_t spent; /* millionths */
} station;

typedef struct {
    uint32_t first_station;
    uint32_t busy; /* servers of all its stations */
    uint32_t waiting;
    int64_t since; /* up to there it is accounted for ... */
    size_t piece;  /* ... which lies in this piece */
    uint64_t came; /* attempts: all of them are served, turned away, given up, or still there */
    uint64_t left;
} place;

struct sim_stations {
    sim_queue events;
    visit *visit;
    uint32_t *free_visit;
    uint32_t visit_count;
    uint32_t free_count;
    uint32_t visit_capacity;
    uint32_t *visit_of;   /* [slot * LEGS + leg]; NOBODY: none */
    int64_t *retry_after; /* the same order */
    uint32_t slots;
    station *station;
    place place[RGN_REGIONS_MAX];
    sim_station_load *load;
};

/* Codes in the leg field of events, besides the attempt's number. */
enum { CODE_GIVEN_UP = 4, NUMBERS = 4 };

/* ---- set-up ---- */

static size_t count_pieces(const sim_scenario *scenario, int64_t *start)
{
    size_t count = 0;
    uint32_t phase = 0;
    int64_t row = 0;
    while (row < scenario->duration) {
        const int64_t edge = phase < scenario->phase_count ? scenario->phase[phase].start : RGN_TIME_NEVER;
        const int64_t at = rgn_time_min(row, edge);
        if (start != NULL)
            start[count] = at;
        count++;
        phase += edge <= row;
        if (row <= edge)
            row = rgn_time_add(row, scenario->interval);
    }
    for (; phase < scenario->phase_count && scenario->phase[phase].start < scenario->duration; phase++, count++)
        if (start != NULL)
            start[count] = scenario->phase[phase].start;
    return count;
}

static bool open_load(const sim_scenario *scenario, sim_station_load *load)
{
    load->pieces = count_pieces(scenario, NULL);
    load->regions = scenario->region_count;
    load->start = calloc(load->pieces, sizeof *load->start);
    load->row = calloc(load->pieces * load->regions, sizeof *load->row);
    if (load->start == NULL || load->row == NULL)
        return false;
    (void)count_pieces(scenario, load->start);
    return true;
}

/* Of the first so many regions. */
static uint32_t count_stations(const sim_scenario *scenario, uint32_t regions)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < regions; r++)
        if (scenario->capacity[r].is_on)
            count += scenario->capacity[r].per_partition ? scenario->partition_count : 1;
    return count;
}

bool sim_stations_open(sim_run_state *run)
{
    const sim_scenario *scenario = run->scenario;
    if (!scenario->has_capacity)
        return true;
    struct sim_stations *self = run->stations = calloc(1, sizeof *self);
    if (self == NULL || !open_load(scenario, &run->output->stations))
        return false;
    self->load = &run->output->stations;
    for (uint32_t r = 0; r < scenario->region_count; r++)
        self->place[r].first_station = count_stations(scenario, r);
    const uint32_t count = count_stations(scenario, scenario->region_count);
    self->station = calloc(count, sizeof *self->station);
    for (uint32_t s = 0; self->station != NULL && s < count; s++)
        self->station[s].first = self->station[s].last = NOBODY;
    return self->station != NULL;
}

void sim_stations_close(sim_run_state *run)
{
    struct sim_stations *self = run->stations;
    if (self == NULL)
        return;
    sim_queue_deinit(&self->events);
    free(self->visit);
    free(self->free_visit);
    free(self->visit_of);
    free(self->retry_after);
    free(self->station);
    free(self);
    run->stations = NULL;
}

bool sim_stations_reserve(sim_run_state *run, uint32_t slots)
{
    struct sim_stations *self = run->stations;
    uint32_t *visit_of = realloc(self->visit_of, (size_t)slots * LEGS * sizeof *visit_of);
    if (visit_of != NULL)
        self->visit_of = visit_of;
    int64_t *retry_after = realloc(self->retry_after, (size_t)slots * LEGS * sizeof *retry_after);
    if (retry_after != NULL)
        self->retry_after = retry_after;
    if (visit_of == NULL || retry_after == NULL)
        return false;
    for (size_t i = (size_t)self->slots * LEGS; i < (size_t)slots * LEGS; i++)
        visit_of[i] = NOBODY;
    self->slots = slots;
    return true;
}

uint64_t sim_stations_memory_estimate(const sim_scenario *scenario, uint64_t slots)
{
    const uint64_t of_slot = LEGS * (sizeof(uint32_t) + sizeof(int64_t));
    const uint64_t of_visit = sizeof(visit) + sizeof(uint32_t) + 2 * sizeof(sim_event);
    if (!scenario->has_capacity)
        return 0;
    return slots * (of_slot + 2 * of_visit) + count_stations(scenario, scenario->region_count) * sizeof(station) +
           count_pieces(scenario, NULL) * (sizeof(int64_t) + scenario->region_count * sizeof(sim_station_row));
}

/* ---- visits and their events ---- */

static bool grow_visits(struct sim_stations *self)
{
    const uint32_t capacity = self->visit_capacity == 0 ? FIRST_VISITS : 2 * self->visit_capacity;
    if (capacity > 1u << SIM_SLOT_BITS)
        return false;
    visit *visits = realloc(self->visit, capacity * sizeof *visits);
    if (visits != NULL)
        self->visit = visits;
    uint32_t *frees = realloc(self->free_visit, capacity * sizeof *frees);
    if (frees != NULL)
        self->free_visit = frees;
    if (visits == NULL || frees == NULL)
        return false;
    self->visit_capacity = capacity;
    return true;
}

/* NOBODY: no memory. */
static uint32_t take_visit(struct sim_stations *self)
{
    if (self->free_count > 0)
        return self->free_visit[--self->free_count];
    if (self->visit_count == self->visit_capacity && !grow_visits(self))
        return NOBODY;
    return self->visit_count++;
}

/* Puts an event about the visit into the queue. An operation's attempts of one instant differ in their numbers, so that
 * the index at the key's end hardly ever decides; if it does, it is the same in both loops. */
static void post(sim_run_state *run, uint32_t index, sim_class class_, uint32_t code, int64_t at)
{
    struct sim_stations *self = run->stations;
    visit *one = &self->visit[index];
    if (self->events.count == self->events.capacity && !sim_queue_reserve(&self->events, 2 * self->events.count + 64)) {
        run->fleet.out_of_memory = true;
        return;
    }
    one->events++;
    sim_queue_push(&self->events, (sim_event){(uint64_t)at, sim_event_key(class_, one->ordinal, code, index)});
}

/* The visit is over for its slot, if one still cares. */
static void part(struct sim_stations *self, visit *one)
{
    if (one->slot != NOBODY)
        self->visit_of[(size_t)one->slot * LEGS + one->leg] = NOBODY;
    one->slot = NOBODY;
}

static void drop_if_done(struct sim_stations *self, uint32_t index)
{
    if (self->visit[index].where == GONE && self->visit[index].events == 0)
        self->free_visit[self->free_count++] = index;
}

/* ---- accounts ---- */

/* Accounts for the region's servers and queue up to `now`, before either changes. */
static sim_station_row *account(struct sim_stations *self, rgn_region region, int64_t now)
{
    place *here = &self->place[region];
    const sim_station_load *load = self->load;
    for (;;) {
        sim_station_row *row = &load->row[here->piece * load->regions + region];
        const bool is_last = here->piece + 1 == load->pieces;
        const int64_t end = is_last ? RGN_TIME_NEVER : load->start[here->piece + 1];
        const int64_t until = rgn_time_min(now, end);
        row->busy_ns += (uint64_t)here->busy * (uint64_t)(until - here->since);
        here->since = until;
        if (now < end)
            return row;
        here->piece++;
        row = &load->row[here->piece * load->regions + region];
        row->waiting_peak = here->waiting;
    }
}

/* Up to the end of the run. */
static void close_accounts(sim_run_state *run)
{
    struct sim_stations *self = run->stations;
    for (uint32_t r = 0; r < run->scenario->region_count; r++)
        if (self->place[r].since < run->scenario->duration)
            (void)account(self, (rgn_region)r, run->scenario->duration);
}

/* What happens after the run's end is nobody's. */
static sim_station_row *row_at(sim_run_state *run, rgn_region region, sim_station_row *beyond)
{
    if (run->now < run->scenario->duration)
        return account(run->stations, region, run->now);
    close_accounts(run);
    return beyond;
}

void sim_stations_finish(sim_run_state *run)
{
    struct sim_stations *self = run->stations;
    const sim_scenario *scenario = run->scenario;
    close_accounts(run);
    for (uint32_t r = 0; r < scenario->region_count; r++) {
        const place *here = &self->place[r];
        const uint32_t stations = scenario->capacity[r].per_partition ? scenario->partition_count : 1;
        uint64_t busy = 0;
        uint64_t waiting = 0;
        for (uint32_t s = 0; s < stations && scenario->capacity[r].is_on; s++) {
            busy += self->station[here->first_station + s].busy;
            waiting += self->station[here->first_station + s].waiting;
        }
        if (here->came != here->left + busy + waiting)
            sim_run_break(run, "attempts that reached a region are neither served nor turned away nor still there");
        if (busy != here->busy || waiting != here->waiting)
            sim_run_break(run, "the stations of a region are not as busy as the region");
    }
}

/* ---- servers and queues ---- */

static const sim_capacity *capacity_of(const sim_run_state *run, const visit *one)
{
    return &run->scenario->capacity[one->region];
}

static void enqueue(struct sim_stations *self, uint32_t index)
{
    visit *one = &self->visit[index];
    station *at = &self->station[one->station];
    one->where = WAITS;
    one->previous = at->last;
    one->next = NOBODY;
    if (at->last != NOBODY)
        self->visit[at->last].next = index;
    else
        at->first = index;
    at->last = index;
    at->waiting++;
    self->place[one->region].waiting++;
}

static void leave_queue(struct sim_stations *self, uint32_t index)
{
    const visit *one = &self->visit[index];
    station *at = &self->station[one->station];
    if (one->previous != NOBODY)
        self->visit[one->previous].next = one->next;
    else
        at->first = one->next;
    if (one->next != NOBODY)
        self->visit[one->next].previous = one->previous;
    else
        at->last = one->previous;
    at->waiting--;
    self->place[one->region].waiting--;
}

/* The visit's answer is on its way, or will be at a known time: `end` at the client. */
static sim_station_news tell(sim_run_state *run, const visit *one, int64_t end)
{
    if (one->slot == NOBODY)
        return (sim_station_news){SIM_PENDING_MAX, 0};
    if (run->slot[one->slot].ordinal != one->ordinal)
        sim_run_break(run, "a station answered an operation that has ended");
    sim_run_leg(run, &run->slot[one->slot], one->leg)->end = end;
    return (sim_station_news){one->slot, one->leg};
}

static sim_station_news begin_service(sim_run_state *run, uint32_t index)
{
    struct sim_stations *self = run->stations;
    visit *one = &self->visit[index];
    station *at = &self->station[one->station];
    one->where = SERVED;
    at->busy++;
    self->place[one->region].busy++;
    if (at->busy > capacity_of(run, one)->servers)
        sim_run_break(run, "more servers are busy than there are");
    post(run, index, SIM_CLASS_CONTROL, one->number % NUMBERS, rgn_time_add(run->now, one->busy));
    return tell(run, one, rgn_time_add(one->end, rgn_time_add(run->now - one->arrived, one->busy)));
}

/* Its server is free for the next one. */
static sim_station_news end_service(sim_run_state *run, visit *one)
{
    struct sim_stations *self = run->stations;
    station *at = &self->station[one->station];
    at->busy--;
    self->place[one->region].busy--;
    self->place[one->region].left++;
    one->where = GONE;
    part(self, one);
    if (at->first == NOBODY)
        return (sim_station_news){SIM_PENDING_MAX, 0};
    const uint32_t next = at->first;
    leave_queue(self, next);
    return begin_service(run, next);
}

/* ---- arrivals ---- */

static bool has_request_units(const sim_run_state *run, const visit *one, station *at, uint32_t left)
{
    const sim_capacity *capacity = capacity_of(run, one);
    if (capacity->throughput == 0)
        return true;
    const int64_t second = run->now / RGN_NS_PER_S;
    if (at->second != second) {
        at->second = second;
        at->spent = 0;
    }
    if (at->spent >= (uint64_t)((sim_u128)capacity->throughput * left / SIM_SHARE_ONE))
        return false;
    at->spent += run->scenario->request_units[one->kind];
    return true;
}

/* Answered at the door. */
static sim_station_news refuse(sim_run_state *run, visit *one, uint16_t status, uint16_t substatus)
{
    struct sim_stations *self = run->stations;
    const sim_station_news news = tell(run, one, rgn_time_add(run->now, one->round_trip - one->round_trip / 2));
    if (one->slot != NOBODY) {
        sim_leg *leg = sim_run_leg(run, &run->slot[one->slot], one->leg);
        leg->status = status;
        leg->substatus = substatus;
        self->retry_after[(size_t)one->slot * LEGS + one->leg] = RGN_NS_PER_S - run->now % RGN_NS_PER_S;
    }
    one->where = GONE;
    self->place[one->region].left++;
    part(self, one);
    return news;
}

static sim_station_news arrive(sim_run_state *run, uint32_t index)
{
    struct sim_stations *self = run->stations;
    visit *one = &self->visit[index];
    station *at = &self->station[one->station];
    const sim_capacity *capacity = capacity_of(run, one);
    sim_station_row beyond;
    sim_station_row *row = row_at(run, one->region, &beyond);
    const uint32_t left = sim_world_capacity_left(run->world, one->region, one->partition, run->now);
    one->arrived = run->now;
    self->place[one->region].came++;
    row->arrivals++;
    if (!has_request_units(run, one, at, left)) {
        row->throttled++;
        return refuse(run, one, STATUS_THROTTLED, SUBSTATUS_REQUEST_UNITS);
    }
    if (capacity->servers == 0) {
        const sim_station_news news = tell(run, one, one->end);
        one->where = GONE;
        self->place[one->region].left++;
        part(self, one);
        return news;
    }
    const bool is_free = at->busy < capacity->servers;
    if (left == 0 || (!is_free && capacity->queue != SIM_QUEUE_UNLIMITED && at->waiting >= capacity->queue)) {
        row->turned_away++;
        return refuse(run, one, STATUS_UNAVAILABLE, 0);
    }
    const uint64_t drawn =
        sim_sampler_draw(sim_world_busy(run->input->world, one->region, (sim_kind)one->kind), one->word);
    const sim_u128 stretched = (sim_u128)drawn * SIM_SHARE_ONE / left;
    one->busy = stretched < (sim_u128)SIM_SAMPLER_MAX ? (int64_t)stretched : (int64_t)SIM_SAMPLER_MAX;
    if (is_free)
        return begin_service(run, index);
    enqueue(self, index);
    if (self->place[one->region].waiting > row->waiting_peak)
        row->waiting_peak = self->place[one->region].waiting;
    if (capacity->queue != SIM_QUEUE_UNLIMITED && at->waiting > capacity->queue)
        sim_run_break(run, "more attempts wait than the queue holds");
    return (sim_station_news){SIM_PENDING_MAX, 0};
}

/* Word that the client has given up. */
static sim_station_news call_off(sim_run_state *run, uint32_t index)
{
    struct sim_stations *self = run->stations;
    visit *one = &self->visit[index];
    sim_station_row beyond;
    if (one->where == GONE)
        return (sim_station_news){SIM_PENDING_MAX, 0};
    (void)row_at(run, one->region, &beyond);
    if (one->where == SERVED)
        return end_service(run, one);
    if (one->where == WAITS) {
        leave_queue(self, index);
        self->place[one->region].left++;
    }
    one->where = GONE; /* given up in the instant of its sending, it never arrives */
    return (sim_station_news){SIM_PENDING_MAX, 0};
}

/* ---- what the loops and operations see ---- */

uint64_t sim_stations_next_time(const sim_run_state *run)
{
    return sim_queue_next_time(&run->stations->events);
}

sim_station_news sim_stations_work(sim_run_state *run)
{
    struct sim_stations *self = run->stations;
    const sim_event event = sim_queue_pop(&self->events);
    const uint32_t index = sim_event_slot(event.key);
    visit *one = &self->visit[index];
    sim_station_row beyond;
    sim_station_news news = {SIM_PENDING_MAX, 0};
    one->events--;
    if (sim_event_class(event.key) == SIM_CLASS_LEG_ARRIVES) {
        if (one->where == ON_THE_WAY)
            news = arrive(run, index);
    } else if ((sim_event_leg(event.key) & CODE_GIVEN_UP) != 0) {
        news = call_off(run, index);
    } else if (one->where == SERVED) {
        (void)row_at(run, one->region, &beyond);
        news = end_service(run, one);
    }
    drop_if_done(self, index);
    return news;
}

void sim_stations_send(sim_run_state *run, sim_slot *slot, uint64_t leg_place, int64_t round_trip, int64_t now)
{
    struct sim_stations *self = run->stations;
    const uint32_t leg = slot->op.leg;
    const rgn_region region = sim_run_leg(run, slot, leg)->region;
    const sim_capacity *capacity = &run->scenario->capacity[region];
    self->retry_after[(size_t)(slot - run->slot) * LEGS + leg] = RGN_TIME_NEVER;
    const bool is_metadata = (slot->flags & SIM_SLOT_METADATA) != 0;
    if (!capacity->is_on || (is_metadata && capacity->per_partition) ||
        sim_run_leg(run, slot, leg)->transport != RGN_TRANSPORT_NONE)
        return;
    const uint32_t index = take_visit(self);
    if (index == NOBODY) {
        run->fleet.out_of_memory = true;
        return;
    }
    const uint32_t number = (uint32_t)(slot - run->slot);
    self->visit[index] =
        (visit){.end = sim_run_leg(run, slot, leg)->end,
                .round_trip = round_trip,
                .ordinal = slot->ordinal,
                .word = sim_draw_words(&run->input->luck, SIM_DRAW_BUSY, slot->luck_key, leg_place).word[0],
                .slot = number,
                .partition = is_metadata ? run->scenario->partition_count : slot->partition,
                .station = self->place[region].first_station + (capacity->per_partition ? slot->partition : 0),
                .region = region,
                .leg = (uint8_t)leg,
                .kind = slot->kind,
                .number = (uint8_t)slot->legs,
                .where = ON_THE_WAY};
    self->visit_of[(size_t)number * LEGS + leg] = index;
    sim_run_leg(run, slot, leg)->end = RGN_TIME_NEVER;
    post(run, index, SIM_CLASS_LEG_ARRIVES, (uint8_t)slot->legs % NUMBERS, rgn_time_add(now, round_trip / 2));
}

void sim_stations_give_up(sim_run_state *run, const sim_slot *slot, uint32_t leg, int64_t now)
{
    struct sim_stations *self = run->stations;
    const uint32_t index = self->visit_of[(size_t)(slot - run->slot) * LEGS + leg];
    if (index == NOBODY)
        return;
    visit *one = &self->visit[index];
    part(self, one);
    if (capacity_of(run, one)->cancel_reaches_server)
        post(run, index, SIM_CLASS_CONTROL, CODE_GIVEN_UP | one->number % NUMBERS,
             rgn_time_add(now, one->round_trip / 2));
}

int64_t sim_stations_retry_after(const sim_run_state *run, const sim_slot *slot, uint32_t leg)
{
    return run->stations->retry_after[(size_t)(slot - run->slot) * LEGS + leg];
}
