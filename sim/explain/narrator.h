/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listens to a run that is played again, and tells what decided: line by line, each with the numbers that were
 * compared.
 *
 * Told is one of three things: an operation from start to end, with what its partition went through meanwhile; a
 * partition at one client; or, without either, every change of every breaker. */
#ifndef SIM_EXPLAIN_NARRATOR_H
#define SIM_EXPLAIN_NARRATOR_H

#include "explain/words.h"

enum {
    EXP_LINES_MAX = 20000, /* kept; the rest is counted */
    EXP_CHANGES_MAX = 64,  /* transitions of one event that are attributed to its cause */
};

typedef enum { EXP_LINE_STEP, EXP_LINE_EVIDENCE, EXP_LINE_TRANSITION, EXP_LINE_EVENT } exp_line_kind;

typedef struct {
    int64_t at;
    char *text; /* several lines where an operation starts; owned */
    exp_line_kind kind;
    uint32_t client; /* of a transition, and what it was */
    rgn_transition transition;
} exp_line;

typedef struct {
    bool has_operation;
    uint64_t ordinal;
    bool has_pair; /* of an operation too */
    uint32_t client;
    uint32_t partition;
    int64_t from; /* what happens in [from, until) */
    int64_t until;
    bool has_at; /* the pair's state then is wanted */
    int64_t at;
} exp_focus;

typedef struct {
    const exp_stored *run;
    exp_focus focus;
    sim_observer observer; /* to hand to exp_replay() */
    sim_recorder recorder;
    /* The pair, as it was seen last. */
    bool has_entry;
    rgn_entry entry;
    bool is_state_taken;
    bool has_state; /* at focus.at */
    rgn_entry state;
    /* Since the last call into the core ended. */
    size_t change_count;
    struct {
        uint32_t client;
        rgn_transition transition;
    } change[EXP_CHANGES_MAX];
    bool has_canary; /* of the pair */
    sim_canary canary;
    /* The operation. */
    bool is_started;
    bool is_ended;
    rgn_hedge_diagnostics hedge;
    size_t count;
    size_t left_out;
    exp_line *line;
    bool out_of_memory;
} exp_narrator;

void exp_narrator_init(exp_narrator *self, const exp_stored *run, const exp_focus *focus);
void exp_narrator_deinit(exp_narrator *self);

/* A line, which is no transition; `text` was made by open_memstream() and is taken over. */
void exp_narrator_add(exp_narrator *self, int64_t at, exp_line_kind kind, char *text);

/* tell_operation.c: a step of the focus's operation; `before` NULL: its partition was healthy. */
void exp_tell_step(exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before, const rgn_entry *after);
/* tell_pair.c: what a step, or background work (NULL), made of the pair; `before` as above. */
void exp_tell_pair(exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before, const rgn_entry *after);

#endif
