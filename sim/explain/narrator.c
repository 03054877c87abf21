/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/narrator.h"

#include <stdlib.h>
#include <string.h>

#include "explain/replay.h"

static void add(exp_narrator *self, exp_line line)
{
    if (line.text == NULL)
        self->out_of_memory = true;
    if (line.text == NULL || self->count == EXP_LINES_MAX) {
        self->left_out += line.text != NULL;
        free(line.text);
        return;
    }
    self->line[self->count++] = line;
}

void exp_narrator_add(exp_narrator *self, int64_t at, exp_line_kind kind, char *text)
{
    add(self, (exp_line){.at = at, .text = text, .kind = kind});
}

static bool is_told(const exp_narrator *self, int64_t at)
{
    if (self->focus.has_operation)
        return self->is_started && !self->is_ended;
    return at >= self->focus.from && at < self->focus.until;
}

static bool is_pair(const exp_narrator *self, uint32_t client, uint32_t partition)
{
    return self->focus.has_pair && client == self->focus.client && partition == self->focus.partition;
}

/* Before anything of this instant is taken in: what the pair was at the instant that was asked for. */
static void take_state(exp_narrator *self, int64_t now)
{
    if (!self->focus.has_at || self->is_state_taken || now <= self->focus.at)
        return;
    self->is_state_taken = true;
    self->has_state = self->has_entry;
    self->state = self->entry;
}

/* ---- lines about all partitions ---- */

static void tell_change(exp_narrator *self, uint32_t client, const rgn_transition *transition,
                        const sim_recorded_step *cause)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        if (!self->focus.has_pair)
            (void)fprintf(out, "client %u, partition %u: ", client, transition->partition);
        exp_put_transition(out, self->run, transition);
        if (cause != NULL && (!self->focus.has_operation || cause->ordinal != self->focus.ordinal)) {
            (void)fputs("; by ", out);
            sim_put_operation(out, self->run->scenario, cause->ordinal);
        }
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    add(self, (exp_line){transition->at, text, EXP_LINE_TRANSITION, client, *transition});
}

static bool is_change_told(const exp_narrator *self, uint32_t client, const rgn_transition *transition)
{
    return is_told(self, transition->at) && (!self->focus.has_pair || is_pair(self, client, transition->partition));
}

static void tell_changes(exp_narrator *self, const sim_recorded_step *cause)
{
    for (size_t i = 0; i < self->change_count; i++)
        if (is_change_told(self, self->change[i].client, &self->change[i].transition))
            tell_change(self, self->change[i].client, &self->change[i].transition, cause);
    self->change_count = 0;
}

/* ---- what the run tells ---- */

static void on_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    exp_narrator *self = context;
    if (self->change_count == EXP_CHANGES_MAX)
        tell_changes(self, NULL);
    self->change[self->change_count].client = client;
    self->change[self->change_count++].transition = *transition;
}

static void on_canary(void *context, const sim_canary *canary)
{
    exp_narrator *self = context;
    if (!is_pair(self, canary->client, canary->partition))
        return;
    self->has_canary = true;
    self->canary = *canary;
}

/* The application makes the operation anew. */
static void begin_again(exp_narrator *self)
{
    self->is_started = self->is_ended = false;
    rgn_hedge_diagnostics_init(&self->hedge);
}

/* The pair has been seen again: tells of it, if it is wanted, and keeps it. */
static void see_pair(exp_narrator *self, const sim_recorded_step *step, const rgn_router *router, int64_t now)
{
    rgn_entry after;
    const bool has_after = rgn_router_inspect(router, self->focus.partition, &after);
    const rgn_entry *before = self->has_entry ? &self->entry : NULL;
    take_state(self, now);
    const bool is_own = step != NULL && self->focus.has_operation && step->ordinal == self->focus.ordinal;
    if (is_own && self->is_ended)
        begin_again(self);
    if (is_own)
        exp_tell_step(self, step, before, has_after ? &after : NULL);
    if (is_told(self, now))
        exp_tell_pair(self, step, before, has_after ? &after : NULL);
    tell_changes(self, step);
    if (is_own && step->step == RGN_DONE)
        self->is_ended = true;
    self->has_canary = false;
    self->has_entry = has_after;
    self->entry = after;
}

static void on_step(void *context, const sim_recorded_step *step)
{
    exp_narrator *self = context;
    if (is_pair(self, step->client, step->partition))
        see_pair(self, step, step->router, step->now);
    else
        tell_changes(self, step);
}

static void on_background(void *context, uint32_t client, const rgn_router *router, int64_t now)
{
    exp_narrator *self = context;
    if (self->focus.has_pair && client == self->focus.client)
        see_pair(self, NULL, router, now);
    else
        tell_changes(self, NULL);
}

/* Of the records, what neither steps nor transitions tell. */
static void on_record(void *context, const sim_record_words *record)
{
    exp_narrator *self = context;
    const sim_record_subject subject = sim_record_subject_of(record);
    const int64_t at = (int64_t)record->word[0];
    const bool is_rare =
        subject.kind == SIM_RECORD_MARK || subject.kind == SIM_RECORD_RESTART || subject.kind == SIM_RECORD_GATEWAY;
    if (!is_rare || !is_told(self, at) || (self->focus.has_pair && subject.client != self->focus.client))
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        sim_put_record(out, self->run->scenario, record);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    exp_narrator_add(self, at, EXP_LINE_EVENT, text);
}

void exp_narrator_init(exp_narrator *self, const exp_stored *run, const exp_focus *focus)
{
    *self = (exp_narrator){.run = run, .focus = *focus, .observer = exp_deaf};
    self->observer.context = self;
    self->observer.transition = on_transition;
    self->observer.canary = on_canary;
    self->recorder = (sim_recorder){self, on_record, on_step, on_background};
    self->line = calloc(EXP_LINES_MAX, sizeof *self->line);
    self->out_of_memory = self->line == NULL;
    if (self->line == NULL)
        self->count = EXP_LINES_MAX; /* nothing is kept */
    rgn_hedge_diagnostics_init(&self->hedge);
}

void exp_narrator_deinit(exp_narrator *self)
{
    for (size_t i = 0; self->line != NULL && i < self->count; i++)
        free(self->line[i].text);
    free(self->line);
    self->line = NULL;
    self->count = 0;
}
