/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stories.h"

#include <stdlib.h>

/* An operation that is followed. */
typedef struct {
    uint64_t hash;
    uint16_t place; /* of its story */
} seat;

struct sim_stories {
    uint64_t bound; /* hash of the heap's top once it is full: only lower ones get in */
    size_t count;
    seat heap[SIM_STORIES_MAX]; /* the highest hash on top */
    sim_story *story;
};

sim_stories *sim_stories_create(void)
{
    sim_stories *self = malloc(sizeof *self);
    sim_story *story = calloc(SIM_STORIES_MAX, sizeof *story);
    if (self == NULL || story == NULL) {
        free(self);
        free(story);
        return NULL;
    }
    self->bound = UINT64_MAX;
    self->count = 0;
    self->story = story;
    return self;
}

void sim_stories_destroy(sim_stories *stories)
{
    if (stories == NULL)
        return;
    free(stories->story);
    free(stories);
}

uint64_t sim_stories_bound(const sim_stories *stories)
{
    return stories->bound;
}

static void sift_up(sim_stories *self, seat new)
{
    size_t at = self->count++;
    while (at > 0 && self->heap[(at - 1) / 2].hash < new.hash) {
        self->heap[at] = self->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    self->heap[at] = new;
}

static void replace_top(sim_stories *self, seat new)
{
    size_t at = 0;
    for (size_t child = 1; child < self->count; child = 2 * at + 1) {
        if (child + 1 < self->count && self->heap[child + 1].hash > self->heap[child].hash)
            child++;
        if (self->heap[child].hash <= new.hash)
            break;
        self->heap[at] = self->heap[child];
        at = child;
    }
    self->heap[at] = new;
}

uint16_t sim_stories_begin(sim_stories *stories, uint64_t ordinal)
{
    const bool is_full = stories->count == SIM_STORIES_MAX;
    const uint16_t place = is_full ? stories->heap[0].place : (uint16_t)stories->count;
    const seat new = {sim_story_hash(ordinal), place};
    if (is_full)
        replace_top(stories, new);
    else
        sift_up(stories, new);
    if (stories->count == SIM_STORIES_MAX)
        stories->bound = stories->heap[0].hash;
    sim_story *story = &stories->story[place];
    story->ended = (sim_ended){.ordinal = ordinal};
    story->attempt_count = story->event_count = 0;
    rgn_hedge_diagnostics_init(&story->hedge);
    return place;
}

sim_story *sim_stories_at(sim_stories *stories, uint16_t place, uint64_t ordinal)
{
    sim_story *story = &stories->story[place];
    return story->ended.ordinal == ordinal ? story : NULL;
}

void sim_story_sent(sim_story *story, const sim_story_attempt *attempt)
{
    if (story->attempt_count < SIM_STORY_ATTEMPTS)
        story->attempt[story->attempt_count] = *attempt;
    story->attempt_count++;
}

void sim_story_leg_ended(sim_story *story, uint8_t leg, sim_story_end how, const rgn_response *response, int64_t now)
{
    uint32_t n = story->attempt_count < SIM_STORY_ATTEMPTS ? story->attempt_count : SIM_STORY_ATTEMPTS;
    while (n > 0 && (story->attempt[n - 1].leg != leg || story->attempt[n - 1].how != SIM_STORY_OPEN))
        n--;
    if (n == 0)
        return; /* of an attempt that found no room */
    sim_story_attempt *attempt = &story->attempt[n - 1];
    attempt->end = now;
    attempt->how = (uint8_t)how;
    if (response == NULL)
        return;
    attempt->status = response->status;
    attempt->substatus = response->substatus;
    attempt->transport = response->transport;
}

void sim_story_observe(sim_story *story, const rgn_router *router, const rgn_op *op, rgn_step step,
                       const rgn_response *response, int64_t now)
{
    rgn_hedge_event event[RGN_HEDGE_EVENTS_MAX];
    const unsigned count = rgn_hedge_observe(router, op, step, response, now, &story->hedge, event);
    for (unsigned i = 0; i < count; i++, story->event_count++)
        if (story->event_count < SIM_STORY_EVENTS)
            story->event[story->event_count] = event[i];
}

static int by_start(const void *left, const void *right)
{
    const sim_ended *a = &((const sim_story *)left)->ended;
    const sim_ended *b = &((const sim_story *)right)->ended;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

sim_story_set sim_stories_finish(sim_stories *stories)
{
    const sim_story_set set = {stories->count, stories->story};
    qsort(set.story, set.count, sizeof *set.story, by_start);
    free(stories);
    return set;
}
