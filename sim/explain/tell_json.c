/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a narrator has heard, for programs: the same lines, with the numbers of transitions beside their words. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/table.h"
#include "explain/tell.h"

void exp_put_json_run(FILE *out, const exp_stored *run)
{
    (void)fputs("{\"database\": ", out);
    cli_json_text(out, run->db);
    (void)fprintf(out, ", \"id\": %u, \"scenario\": ", run->id);
    cli_json_text(out, run->scenario->name);
    (void)fputs(", \"policy\": ", out);
    cli_json_text(out, run->policy);
    (void)fprintf(out, ", \"replication\": %u, \"seed\": \"%" PRIu64 "\"}", run->luck.replication, run->luck.seed);
}

static void put_subject(FILE *out, const exp_focus *focus)
{
    if (focus->has_operation)
        (void)fprintf(out, ",\n  \"operation\": %" PRIu64, focus->ordinal);
    if (focus->has_pair)
        (void)fprintf(out, ",\n  \"client\": %u,\n  \"partition\": %u", focus->client, focus->partition);
}

static void put_state(FILE *out, const exp_narrator *narrator)
{
    char *text = exp_state_text(narrator);
    (void)fprintf(out, ",\n  \"at_ns\": %" PRId64, narrator->focus.at);
    if (text != NULL && narrator->focus.has_pair) {
        (void)fputs(",\n  \"state\": ", out);
        cli_json_text(out, text);
    }
    free(text);
}

static void put_line(FILE *out, const exp_line *line)
{
    static const char *const KINDS[] = {"step", "evidence", "transition", "event"};
    const rgn_transition *t = &line->transition;
    (void)fprintf(out, "    {\"at_ns\": %" PRId64 ", \"kind\": \"%s\"", line->at, KINDS[line->kind]);
    if (line->kind == EXP_LINE_TRANSITION) {
        (void)fprintf(out,
                      ", \"client\": %u, \"partition\": %u, \"reason\": \"%s\", \"before\": \"%s\", \"after\": \"%s\", "
                      "\"failures\": %u, \"threshold\": %" PRId64 ", \"canary_success\": %u, \"canary_total\": %u, "
                      "\"canary_in_flight\": %u, \"elapsed_ns\": %" PRId64 ", \"jitter_ns\": %" PRId64,
                      line->client, t->partition, rgn_reason_name((rgn_reason)t->reason),
                      sim_phase_word(t->phase_before), sim_phase_word(t->phase_after), t->failures, t->threshold,
                      t->canary_success, t->canary_total, t->canary_in_flight, t->elapsed, t->jitter);
    }
    (void)fputs(", \"text\": ", out);
    cli_json_text(out, line->text);
    (void)fputc('}', out);
}

void exp_put_json_lines(FILE *out, const exp_narrator *narrator, size_t first, size_t end)
{
    (void)fputc('[', out);
    for (size_t i = first; i < end; i++) {
        (void)fputs(i == first ? "\n" : ",\n", out);
        put_line(out, &narrator->line[i]);
    }
    (void)fputs(first < end ? "\n  ]" : "]", out);
}

void exp_put_json(FILE *out, const exp_narrator *narrator)
{
    size_t first = 0;
    size_t end = narrator->count;
    (void)fputs("{\n  \"run\": ", out);
    exp_put_json_run(out, narrator->run);
    put_subject(out, &narrator->focus);
    if (narrator->focus.has_at) {
        put_state(out, narrator);
        exp_lines_around(narrator, &first, &end);
    }
    (void)fprintf(out, ",\n  \"earlier\": %zu,\n  \"later\": %zu,\n  \"lines\": ", first,
                  narrator->count - end + narrator->left_out);
    exp_put_json_lines(out, narrator, first, end);
    (void)fputs("\n}\n", out);
}
