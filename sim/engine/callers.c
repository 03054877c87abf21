/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/callers.h"

#include <string.h>

#define NOBODY UINT32_MAX

enum { TRIES_SHIFT = 30 /* between an operation's number and its stream in a luck key */ };

typedef struct {
    sim_arrival arrival;
    uint32_t next; /* of the same client, or free; NOBODY: none */
} held;

typedef struct {
    uint32_t in_flight;
    uint32_t first; /* of those that wait */
    uint32_t last;
} line;

struct sim_callers {
    line *line;                     /* [client] */
    const sim_client_group **group; /* [client] */
    uint8_t *tries;                 /* [slot] */
    held *held;
    uint32_t held_count;
    uint32_t held_capacity;
    uint32_t free_held;
};

bool sim_callers_open(sim_run_state *run)
{
    const sim_scenario *scenario = run->scenario;
    if (!scenario->has_callers)
        return true;
    struct sim_callers *self = run->callers = calloc(1, sizeof *self);
    if (self == NULL)
        return false;
    self->free_held = NOBODY;
    self->line = calloc(scenario->client_count, sizeof *self->line);
    self->group = calloc(scenario->client_count, sizeof *self->group);
    if (self->line == NULL || self->group == NULL)
        return false;
    for (uint32_t g = 0; g < scenario->group_count; g++)
        for (uint32_t k = 0; k < scenario->group[g].count; k++)
            self->group[scenario->group[g].first_client + k] = &scenario->group[g];
    for (uint32_t c = 0; c < scenario->client_count; c++)
        self->line[c].first = self->line[c].last = NOBODY;
    return true;
}

void sim_callers_close(sim_run_state *run)
{
    struct sim_callers *self = run->callers;
    if (self == NULL)
        return;
    free(self->line);
    free((void *)self->group);
    free(self->tries);
    free(self->held);
    free(self);
    run->callers = NULL;
}

bool sim_callers_reserve(sim_run_state *run, uint32_t slots)
{
    uint8_t *tries = realloc(run->callers->tries, slots);
    if (tries == NULL)
        return false;
    run->callers->tries = tries;
    return true;
}

uint64_t sim_callers_memory_estimate(const sim_scenario *scenario, uint64_t slots)
{
    if (!scenario->has_callers)
        return 0;
    return scenario->client_count * (sizeof(line) + sizeof(sim_client_group *)) +
           slots * (sizeof(uint8_t) + sizeof(held) + sizeof(sim_arrival) + sizeof(uint32_t));
}

/* NOBODY: no memory. */
static uint32_t take_held(struct sim_callers *self)
{
    const uint32_t taken = self->free_held;
    if (taken != NOBODY) {
        self->free_held = self->held[taken].next;
        return taken;
    }
    if (self->held_count == self->held_capacity) {
        const uint32_t capacity = self->held_capacity == 0 ? 256 : 2 * self->held_capacity;
        held *grown = realloc(self->held, capacity * sizeof *grown);
        if (grown == NULL)
            return NOBODY;
        self->held = grown;
        self->held_capacity = capacity;
    }
    return self->held_count++;
}

bool sim_callers_hold_back(sim_run_state *run, const sim_arrival *arrival)
{
    struct sim_callers *self = run->callers;
    line *own = &self->line[arrival->client];
    const uint32_t limit = self->group[arrival->client]->concurrency;
    if (arrival->has_waited)
        return false;
    if (limit == 0 || own->in_flight < limit) {
        own->in_flight++;
        return false;
    }
    const uint32_t place = take_held(self);
    if (place == NOBODY) {
        run->fleet.out_of_memory = true;
        return true;
    }
    self->held[place] = (held){.arrival = *arrival, .next = NOBODY};
    self->held[place].arrival.due = arrival->time;
    if (own->last != NOBODY)
        self->held[own->last].next = place;
    else
        own->first = place;
    own->last = place;
    return true;
}

void sim_callers_start(sim_run_state *run, const sim_slot *slot, const sim_arrival *arrival)
{
    run->callers->tries[slot - run->slot] = arrival->tries;
}

/* The place that has become free is the next one's. */
static void let_next_in(sim_run_state *run, uint32_t client, int64_t now)
{
    struct sim_callers *self = run->callers;
    line *own = &self->line[client];
    const uint32_t place = own->first;
    if (place == NOBODY) {
        own->in_flight--;
        return;
    }
    sim_arrival next = self->held[place].arrival;
    own->first = self->held[place].next;
    if (own->first == NOBODY)
        own->last = NOBODY;
    self->held[place].next = self->free_held;
    self->free_held = place;
    next.time = now;
    next.has_waited = true;
    if (!sim_arrivals_add(&run->arrivals, &next))
        run->fleet.out_of_memory = true;
}

static int64_t delay_before(const sim_client_group *group, uint32_t tries)
{
    uint64_t delay = (uint64_t)group->again_delay;
    for (uint32_t i = 0; i < tries; i++)
        delay = (uint64_t)((sim_u128)delay * group->again_factor / SIM_FACTOR_ONE);
    return (int64_t)delay;
}

/* The application makes the operation anew, if the run is not over by then. */
static bool try_again(sim_run_state *run, const sim_slot *slot, int64_t now)
{
    const sim_client_group *group = run->callers->group[slot->client];
    const uint32_t tries = run->callers->tries[slot - run->slot];
    const int64_t at = rgn_time_add(now, delay_before(group, tries));
    if (!slot->op.result.is_error || slot->op.result.reason == RGN_REASON_DONE_ABANDONED ||
        tries >= group->tries_again || at >= run->scenario->duration)
        return false;
    const uint64_t key = slot->luck_key + (UINT64_C(1) << TRIES_SHIFT);
    const sim_words words = sim_draw_words(&run->input->luck, SIM_DRAW_REQUEST, key, 0);
    const sim_arrival again = {
        .time = at,
        .luck_key = key,
        .leg = sim_draw_words(&run->input->luck, SIM_DRAW_LEG, key, run->arrivals.first_place[slot->client]),
        .n = (uint32_t)(slot->ordinal & (SIM_OPERATIONS_MAX - 1)),
        .client = slot->client,
        .partition = slot->partition,
        .chance = (uint32_t)words.word[1],
        .kind = slot->kind,
        .form = (uint8_t)sim_run_form(slot),
        .workload = slot->workload,
        .tries = (uint8_t)(tries + 1)};
    run->output->tries_again++;
    if (!sim_arrivals_add(&run->arrivals, &again))
        run->fleet.out_of_memory = true;
    return true;
}

/* The operation's user thinks of the next one. Where it has taken no time, it takes a while, lest time stand still. */
static void go_on(sim_run_state *run, const sim_slot *slot, int64_t now)
{
    const int64_t end = now > slot->start ? now : rgn_time_add(now, RGN_NS_PER_MS);
    const uint32_t n = (uint32_t)(slot->ordinal & (SIM_OPERATIONS_MAX - 1));
    if (!sim_arrivals_go_on(&run->arrivals, slot->workload, n, end))
        sim_run_break(run, "a closed loop has more operations than there are ordinals");
}

void sim_callers_end(sim_run_state *run, const sim_slot *slot, int64_t now)
{
    bool goes_on = sim_run_is_closed_loop(run, slot->workload);
    if (run->callers != NULL) {
        goes_on = !try_again(run, slot, now) && goes_on;
        let_next_in(run, slot->client, now);
    }
    if (goes_on)
        go_on(run, slot, now);
}
