/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay_vectors FILE...: replays recorded event sequences through the core and compares every state and answer.
 *
 * Files are JSON lines, plain or gzip. A line with "k":"S" starts a sequence; with `knobs` it is of the recovery
 * format, else of the routing format. Prints the first mismatch of each sequence and a closing count. Exit status: 0
 * all equal, 1 a mismatch, 2 input that cannot be read. */
#include "replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const replay_format *format; /* NULL before the first sequence */
    void *state;
    sequence current;
    uint64_t sequences, events, wrong, skipped;
} replay;

void sequence_mismatch(sequence *s, const char *key, const char *expected, const char *got)
{
    if (s->is_wrong || s->is_skipped)
        return;
    s->is_wrong = true;
    printf("seq %" PRId64 " (%s) event %" PRId64 " %s: expected %s, got %s\n", s->number, s->name, s->event, key,
           expected, got);
}

void sequence_expect(sequence *s, const char *key, int64_t expected, int64_t got)
{
    char wanted[32], found[32];
    if (expected == got)
        return;
    snprintf(wanted, sizeof wanted, "%" PRId64, expected);
    snprintf(found, sizeof found, "%" PRId64, got);
    sequence_mismatch(s, key, wanted, found);
}

void sequence_skip(sequence *s, const char *why)
{
    if (s->is_wrong || s->is_skipped)
        return;
    s->is_skipped = true;
    printf("seq %" PRId64 " (%s) skipped from event %" PRId64 " on: %s\n", s->number, s->name, s->event, why);
}

static void end_sequence(replay *r)
{
    if (r->format == NULL)
        return;
    r->format->end(r->state);
    r->sequences++;
    r->wrong += r->current.is_wrong;
    r->skipped += r->current.is_skipped;
    r->format = NULL;
}

static void begin_sequence(replay *r, const vector *v)
{
    end_sequence(r);
    r->format = vector_has(v, "knobs") ? &replay_recovery : &replay_routing;
    r->current = (sequence){.number = vector_int(v, "seq"), .event = -1};
    snprintf(r->current.name, sizeof r->current.name, "%s", vector_text(v, "name"));
    r->state = r->format->begin(&r->current, v);
}

static void use_line(void *context, const vector *v)
{
    replay *r = context;
    const char *kind = vector_text(v, "k");
    if (strcmp(kind, "S") == 0) {
        begin_sequence(r, v);
        return;
    }
    if (strcmp(kind, "E") != 0)
        vector_fail(v, "unknown kind of line", kind);
    if (r->format == NULL)
        vector_fail(v, "an event before the first sequence", "");
    if (vector_int(v, "i") != r->current.event + 1)
        vector_fail(v, "event out of order", "");
    r->current.event++;
    if (r->current.is_wrong || r->current.is_skipped)
        return;
    r->events++;
    r->format->event(r->state, &r->current, v);
}

int main(int argc, char **argv)
{
    replay r = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: replay_vectors FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        vector_read_file(argv[i], use_line, &r);
        end_sequence(&r);
    }
    printf("%" PRIu64 " sequences, %" PRIu64 " events replayed: %" PRIu64 " sequences differ, %" PRIu64
           " skipped in part\n",
           r.sequences, r.events, r.wrong, r.skipped);
    return r.wrong > 0 ? 1 : 0;
}
