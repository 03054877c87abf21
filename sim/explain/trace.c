/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/trace.h"

#include <stdlib.h>

#include "engine/stories.h"
#include "explain/replay.h"

rgn_region exp_trace_home(const exp_stored *run, uint32_t client)
{
    const sim_scenario *scenario = run->scenario;
    const sim_client_group *group = &scenario->group[0];
    for (uint32_t g = 1; g < scenario->group_count && scenario->group[g].first_client <= client; g++)
        group = &scenario->group[g];
    return group->preferred.count > 0 ? group->preferred.region[0] : 0;
}

static bool is_kept(const exp_trace *self, uint64_t ordinal)
{
    return self->halvings == 0 || sim_story_hash(ordinal) >> (64 - self->halvings) == 0;
}

static bool is_operation(const exp_trace_event *event)
{
    return event->kind == EXP_TRACE_OPERATION || event->kind == EXP_TRACE_LEG;
}

static uint64_t ordinal_of(const exp_trace_event *event)
{
    return event->kind == EXP_TRACE_LEG ? event->id >> EXP_LEG_BITS : event->id;
}

/* Drops about every second operation, those that are still open too: what comes of them later is not kept. */
static void halve(exp_trace *self)
{
    size_t kept = 0;
    self->halvings++;
    self->operation_events = 0;
    for (size_t i = 0; i < self->count; i++) {
        const exp_trace_event *event = &self->event[i];
        if (is_operation(event) && !is_kept(self, ordinal_of(event)))
            continue;
        self->operation_events += is_operation(event);
        self->event[kept++] = *event;
    }
    self->count = kept;
}

void exp_trace_add(exp_trace *self, exp_trace_event event)
{
    if (self->count == self->room) {
        const size_t room = self->room == 0 ? 4096 : 2 * self->room;
        exp_trace_event *grown = realloc(self->event, room * sizeof *grown);
        self->out_of_memory |= grown == NULL;
        if (grown == NULL)
            return;
        self->event = grown;
        self->room = room;
    }
    event.n = self->count == 0 ? 0 : self->event[self->count - 1].n + 1;
    self->event[self->count++] = event;
}

static void add_of_operation(exp_trace *self, const exp_trace_event *event)
{
    exp_trace_add(self, *event);
    if (++self->operation_events >= EXP_TRACE_OPERATION_EVENTS)
        halve(self);
}

/* ---- what the run tells ---- */

static exp_trace_event event_of(const exp_trace *self, const sim_recorded_step *step)
{
    return (exp_trace_event){.at = step->now,
                             .id = step->ordinal,
                             .pid = EXP_PID_REGIONS + exp_trace_home(self->run, step->client),
                             .partition = step->partition,
                             .client = step->client,
                             .kind = EXP_TRACE_OPERATION,
                             .what = step->kind};
}

static void add_leg(exp_trace *self, const sim_recorded_step *step, char phase, unsigned leg, rgn_region region)
{
    exp_trace_event event = event_of(self, step);
    const bool is_answer = phase == 'e' && step->answer != NULL && step->leg == leg;
    event.kind = EXP_TRACE_LEG;
    event.phase = phase;
    event.id = step->ordinal << EXP_LEG_BITS | leg;
    event.pid = EXP_PID_REGIONS + region;
    event.leg = (uint8_t)leg;
    event.reason = step->op->reason;
    event.flags = step->op->send_flags;
    event.is_cut = !is_answer;
    if (is_answer) {
        event.status = step->answer->status;
        event.substatus = step->answer->substatus;
    }
    add_of_operation(self, &event);
}

static void add_operation(exp_trace *self, const sim_recorded_step *step, char phase)
{
    exp_trace_event event = event_of(self, step);
    event.phase = phase;
    if (phase == 'e') {
        event.status = step->op->result.status;
        event.substatus = step->op->result.substatus;
        event.reason = step->op->result.reason;
    }
    add_of_operation(self, &event);
}

/* An operation that is dropped on the way is asked for again before each of its events. */
static void on_step(void *context, const sim_recorded_step *step)
{
    exp_trace *self = context;
    if (self->flight != NULL)
        exp_flight_see(self->flight, step);
    if (step->start < self->from || step->start >= self->until)
        return;
    self->operations += step->legs == 0;
    if (step->legs == 0 && is_kept(self, step->ordinal))
        add_operation(self, step, 'b');
    if (step->answer != NULL && is_kept(self, step->ordinal))
        add_leg(self, step, 'e', step->leg, step->leg_region[step->leg]);
    for (unsigned leg = 0; leg < RGN_LEGS_MAX; leg++)
        if ((step->op->cancel_legs >> leg & 1) != 0 && is_kept(self, step->ordinal))
            add_leg(self, step, 'e', leg, step->leg_region[leg]);
    if (step->step == RGN_SEND && is_kept(self, step->ordinal))
        add_leg(self, step, 'b', step->op->leg, step->op->region);
    if (step->step == RGN_DONE && is_kept(self, step->ordinal))
        add_operation(self, step, 'e');
}

static void on_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    exp_trace *self = context;
    if (transition->at >= self->until || self->is_too_many)
        return;
    if (self->change_count == self->change_room) {
        const size_t room = self->change_room == 0 ? 1024 : 2 * self->change_room;
        exp_trace_change *grown = realloc(self->change, room * sizeof *grown);
        self->out_of_memory |= grown == NULL;
        if (grown == NULL)
            return;
        self->change = grown;
        self->change_room = room;
    }
    self->change[self->change_count] = (exp_trace_change){.at = transition->at,
                                                          .n = self->change_count,
                                                          .client = client,
                                                          .partition = transition->partition,
                                                          .before = transition->phase_before,
                                                          .after = transition->phase_after,
                                                          .reason = transition->reason};
    self->change_count++;
    self->rare_events += transition->at >= self->from;
    self->is_too_many = self->rare_events > EXP_TRACE_CHANGES || self->change_count > EXP_TRACE_HISTORY;
}

static void on_record(void *context, const sim_record_words *record)
{
    exp_trace *self = context;
    const sim_record_subject subject = sim_record_subject_of(record);
    const int64_t at = (int64_t)record->word[0];
    const bool is_mark = subject.kind == SIM_RECORD_MARK;
    if ((!is_mark && subject.kind != SIM_RECORD_RESTART) || at < self->from || at >= self->until || self->is_too_many)
        return;
    const rgn_region region = (rgn_region)(record->word[1] & UINT8_MAX);
    exp_trace_add(
        self, (exp_trace_event){.at = at,
                                .id = subject.client,
                                .pid = EXP_PID_REGIONS + (is_mark ? region : exp_trace_home(self->run, subject.client)),
                                .client = subject.client,
                                .kind = is_mark ? EXP_TRACE_MARK : EXP_TRACE_RESTART,
                                .phase = 'i',
                                .what = region});
    self->is_too_many = ++self->rare_events > EXP_TRACE_CHANGES;
}

static void on_background(void *context, uint32_t client, const rgn_router *router, int64_t now)
{
    (void)context;
    (void)client;
    (void)router;
    (void)now;
}

void exp_trace_init(exp_trace *self, const exp_stored *run, int64_t from, int64_t until)
{
    *self = (exp_trace){.run = run, .from = from, .until = until, .observer = exp_deaf};
    self->flight = malloc(sizeof *self->flight);
    self->out_of_memory = self->flight == NULL;
    if (self->flight != NULL)
        exp_flight_init(self->flight, from, until < run->scenario->duration ? until : run->scenario->duration);
    self->observer.context = self;
    self->observer.transition = on_transition;
    self->recorder = (sim_recorder){self, on_record, on_step, on_background};
}

void exp_trace_deinit(exp_trace *self)
{
    free(self->event);
    free(self->flight);
    free(self->change);
    *self = (exp_trace){0};
}
