/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/table.h"
#include "explain/replay.h"
#include "explain/tell.h"
#include "experiment/stretch.h"

enum { LINES_BEFORE = 6, LINES_AFTER = 3 };

static int listen(const exp_stored *run, sim_stretch *out)
{
    const sim_recorder recorder = sim_stretch_recorder(out);
    const int status = exp_replay(run, &exp_deaf, &recorder, NULL);
    if (status != CLI_OK || !out->out_of_memory)
        return status;
    (void)cli_complain("out of memory");
    return CLI_IO;
}

/* The step of the checkpoints in which they part; SIM_CHECKPOINTS: after the last; -1: nowhere. */
static int first_step(const exp_stored *left, const exp_stored *right)
{
    for (int k = 0; k < SIM_CHECKPOINTS; k++) {
        if (strcmp(left->checkpoint[k], right->checkpoint[k]) != 0)
            return k;
    }
    return strcmp(left->digest, right->digest) != 0 ? SIM_CHECKPOINTS : -1;
}

/* ---- telling ---- */

/* A record in words; the caller frees it. NULL: there is none, or no memory. */
static char *record_text(const exp_stored *run, const sim_record_words *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = record == NULL ? NULL : open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    sim_put_record(out, run->scenario, record);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_record(const exp_stored *run, const sim_record_words *record)
{
    char *text = record_text(run, record);
    if (text == NULL)
        exp_print_line(-1, "nothing more until the next checkpoint");
    else
        exp_print_line((int64_t)record->word[0], text);
    free(text);
}

/* What exactly is not the same; the caller frees it. NULL: one record is missing, or no memory. */
static char *parts_text(const exp_stored *const run[2], const sim_record_words *const record[2])
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = record[0] == NULL || record[1] == NULL ? NULL : open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    const sim_scenario *const scenario[] = {run[0]->scenario, run[1]->scenario};
    sim_put_record_parts(out, scenario, record);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_parts(const exp_stored *const run[2], const sim_record_words *const record[2])
{
    char *text = parts_text(run, record);
    if (text != NULL)
        (void)printf("\nThe difference: %s.\n", text);
    free(text);
}

static void print_options(const exp_stored *left, const exp_stored *right)
{
    const rgn_options *values[] = {&left->options.clients.values, &right->options.clients.values};
    for (int k = 0; k < (int)RGN_KNOB_COUNT; k++) {
        char text[2][64];
        const int64_t value[] = {rgn_options_get(values[0], (rgn_knob_id)k),
                                 rgn_options_get(values[1], (rgn_knob_id)k)};
        if (value[0] == value[1])
            continue;
        for (int i = 0; i < 2; i++)
            sim_format_knob((rgn_knob_id)k, value[i], text[i], sizeof text[i]);
        (void)printf("  %s: %s | %s\n", rgn_knob_at((rgn_knob_id)k)->name, text[0], text[1]);
    }
}

static void print_inputs(const exp_stored *left, const exp_stored *right)
{
    (void)printf("\nWhat differs in what went in (first | second):\n");
    if (left->luck.seed != right->luck.seed || left->luck.replication != right->luck.replication)
        (void)printf("  luck: seed %" PRIu64 ", replication %u | seed %" PRIu64 ", replication %u\n", left->luck.seed,
                     left->luck.replication, right->luck.seed, right->luck.replication);
    if (strcmp(left->scenario->canonical, right->scenario->canonical) != 0)
        (void)puts("  the scenarios");
    print_options(left, right);
    if (strcmp(left->input_digest, right->input_digest) == 0 &&
        memcmp(&left->luck, &right->luck, sizeof left->luck) == 0)
        (void)puts("  nothing: the inputs are the same");
}

/* Of a partition's history the lines about the moment, [first, end); of an operation all. */
static void choose_lines(const exp_narrator *narrator, int64_t at, size_t *first, size_t *end)
{
    size_t middle = 0;
    *first = 0;
    *end = narrator->count;
    if (narrator->focus.has_operation)
        return;
    while (middle < narrator->count && narrator->line[middle].at <= at)
        middle++;
    *first = middle > LINES_BEFORE ? middle - LINES_BEFORE : 0;
    *end = middle + LINES_AFTER < narrator->count ? middle + LINES_AFTER : narrator->count;
}

static void print_lines(const exp_narrator *narrator, int64_t at)
{
    size_t first;
    size_t end;
    if (narrator->focus.has_operation) {
        exp_print_lines(narrator);
        return;
    }
    choose_lines(narrator, at, &first, &end);
    for (size_t i = first; i < end; i++)
        exp_print_line(narrator->line[i].at, narrator->line[i].text);
    if (first == end)
        exp_print_line(-1, "nothing was decided about it");
}

/* What the run did about the record's subject, and why: as JSON into `json`, or in words. */
static int explain(const exp_stored *run, const exp_focus *focus, int64_t at, FILE *json)
{
    exp_narrator narrator;
    exp_narrator_init(&narrator, run, focus);
    int status = exp_replay(run, &narrator.observer, &narrator.recorder, NULL);
    if (status == CLI_OK && narrator.out_of_memory) {
        (void)cli_complain("out of memory");
        status = CLI_IO;
    }
    if (status == CLI_OK && json != NULL) {
        size_t first;
        size_t end;
        choose_lines(&narrator, at, &first, &end);
        exp_put_json_lines(json, &narrator, first, end);
    } else if (status == CLI_OK) {
        print_lines(&narrator, at);
    }
    exp_narrator_deinit(&narrator);
    return status;
}

/* What to tell on both sides: the subject of the earlier record. */
static int focus_on(const exp_stored *run, const sim_record_words *record, exp_focus *focus)
{
    const sim_record_subject subject = sim_record_subject_of(record);
    *focus = (exp_focus){.until = RGN_TIME_NEVER};
    if (subject.has_operation)
        return exp_find_operation(run, subject.ordinal, focus);
    focus->has_pair = subject.has_partition;
    focus->client = subject.client;
    focus->partition = subject.partition;
    return CLI_OK;
}

static bool is_on_both(const exp_focus *focus, const exp_stored *run)
{
    return !focus->has_pair ||
           (focus->client < run->scenario->client_count && focus->partition < run->scenario->partition_count);
}

/* Of the two records at `n` the one that comes first; both are not NULL at once. */
static bool is_second_earlier(const sim_record_words *const record[2])
{
    return record[0] == NULL || (record[1] != NULL && record[1]->word[0] < record[0]->word[0]);
}

static void put_json_options(FILE *out, const exp_stored *const run[2])
{
    bool is_any = false;
    for (int k = 0; k < (int)RGN_KNOB_COUNT; k++) {
        char text[2][64];
        const int64_t value[] = {rgn_options_get(&run[0]->options.clients.values, (rgn_knob_id)k),
                                 rgn_options_get(&run[1]->options.clients.values, (rgn_knob_id)k)};
        if (value[0] == value[1])
            continue;
        for (int i = 0; i < 2; i++)
            sim_format_knob((rgn_knob_id)k, value[i], text[i], sizeof text[i]);
        (void)fprintf(out, "%s\n    {\"knob\": \"%s\", \"values\": [\"%s\", \"%s\"]}", is_any ? "," : "",
                      rgn_knob_at((rgn_knob_id)k)->name, text[0], text[1]);
        is_any = true;
    }
    (void)fputs(is_any ? "\n  ]" : "]", out);
}

/* A text or null. */
static void put_json_text(FILE *out, const char *text)
{
    if (text == NULL)
        (void)fputs("null", out);
    else
        cli_json_text(out, text);
}

static void put_json_pair(FILE *out, const exp_stored *const run[2], const sim_record_words *const record[2])
{
    char *parts = parts_text(run, record);
    (void)fputs(",\n  \"runs\": [", out);
    for (int i = 0; i < 2; i++) {
        (void)fputs(i == 0 ? "\n    " : ",\n    ", out);
        exp_put_json_run(out, run[i]);
    }
    (void)fputs("\n  ],\n  \"events\": [", out);
    for (int i = 0; i < 2; i++) {
        char *text = record_text(run[i], record[i]);
        (void)fputs(i == 0 ? "\n    " : ",\n    ", out);
        if (text == NULL)
            (void)fputs("null", out);
        else
            (void)fprintf(out, "{\"at_ns\": %" PRIu64 ", \"text\": ", record[i]->word[0]);
        if (text != NULL) {
            cli_json_text(out, text);
            (void)fputc('}', out);
        }
        free(text);
    }
    (void)fputs("\n  ],\n  \"difference\": ", out);
    put_json_text(out, parts);
    (void)fputs(",\n  \"options\": [", out);
    put_json_options(out, run);
    free(parts);
}

static int put_json_difference(FILE *out, const exp_stored *const run[2], const sim_stretch *stretch[2], int k,
                               size_t n)
{
    const sim_record_words *const record[] = {sim_stretch_at(stretch[0], n), sim_stretch_at(stretch[1], n)};
    const int second = is_second_earlier(record);
    exp_focus focus;
    (void)fprintf(out,
                  "{\n  \"is_same\": false,\n  \"checkpoint\": %d,\n  \"checkpoint_ns\": %" PRId64
                  ",\n  \"events_alike_since\": %zu",
                  k, stretch[0]->from, n);
    put_json_pair(out, run, record);
    (void)fputs(",\n  \"lines\": [", out);
    int status = focus_on(run[second], record[second], &focus);
    for (int i = 0; i < 2 && status == CLI_OK; i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        if (is_on_both(&focus, run[i]))
            status = explain(run[i], &focus, (int64_t)record[second]->word[0], out);
        else
            (void)fputs("[]", out);
    }
    (void)fputs("]\n}\n", out);
    return status;
}

/* All or nothing on standard output. */
static int print_json(const exp_stored *const run[2], const sim_stretch *stretch[2], int k, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int status = out == NULL ? CLI_IO : put_json_difference(out, run, stretch, k, n);
    if (out != NULL && fclose(out) != 0)
        status = CLI_IO;
    if (out == NULL || text == NULL)
        (void)cli_complain("out of memory");
    else if (status == CLI_OK)
        (void)fputs(text, stdout);
    free(text);
    return status;
}

static int tell(const exp_stored *left, const exp_stored *right, const sim_stretch *a, const sim_stretch *b, size_t n)
{
    const exp_stored *const runs[] = {left, right};
    const sim_record_words *const records[] = {sim_stretch_at(a, n), sim_stretch_at(b, n)};
    static const char *const NAMES[] = {"first", "second"};
    const bool is_second = is_second_earlier(records);
    const sim_record_words *earlier = records[is_second ? 1 : 0];
    exp_focus focus;
    (void)printf("They are the same for %zu more event%s, and then part:\n\n", n, n == 1 ? "" : "s");
    for (int i = 0; i < 2; i++) {
        (void)printf("%s: ", NAMES[i]);
        exp_print_title(runs[i]);
        print_record(runs[i], records[i]);
    }
    print_parts(runs, records);
    print_inputs(left, right);
    int status = focus_on(runs[is_second ? 1 : 0], earlier, &focus);
    for (int i = 0; i < 2 && status == CLI_OK; i++) {
        (void)printf("\nWhy, in the %s:\n", NAMES[i]);
        if (is_on_both(&focus, runs[i]))
            status = explain(runs[i], &focus, (int64_t)earlier->word[0], NULL);
        else
            (void)puts("  its scenario has no such client or partition");
    }
    return status;
}

static int compare(const exp_stored *left, const exp_stored *right, int k, bool is_json)
{
    sim_stretch a = sim_stretch_before(left->scenario, k);
    sim_stretch b = a;
    int status = listen(left, &a);
    if (status == CLI_OK)
        status = listen(right, &b);
    const size_t n = sim_stretch_common(&a, &b);
    if (status == CLI_OK && n == a.count && n == b.count) {
        (void)cli_complain("internal error: the digests differ and the events do not");
        status = CLI_INTERNAL;
    }
    if (status == CLI_OK && is_json) {
        const exp_stored *const runs[] = {left, right};
        const sim_stretch *stretches[] = {&a, &b};
        status = print_json(runs, stretches, k, n);
    } else if (status == CLI_OK) {
        (void)printf("Up to checkpoint %d of %d, %.9g s, both runs behave alike.\n", k, SIM_CHECKPOINTS,
                     (double)a.from / 1e9);
        status = tell(left, right, &a, &b, n);
    }
    sim_stretch_deinit(&a);
    sim_stretch_deinit(&b);
    return status;
}

int exp_first_difference(const exp_stored *left, const exp_stored *right, bool is_json)
{
    const int k = first_step(left, right);
    if (left->scenario->duration != right->scenario->duration)
        return cli_complain("explain: the runs last %.9g s and %.9g s; expected runs of one duration",
                            (double)left->scenario->duration / 1e9, (double)right->scenario->duration / 1e9);
    if (k >= 0)
        return compare(left, right, k, is_json);
    if (is_json) {
        (void)printf("{\n  \"is_same\": true,\n  \"digest\": \"%s\"\n}\n", left->digest);
        return CLI_OK;
    }
    (void)printf("no difference: run %u of %s and run %u of %s behave alike to the last event (digest %s)\n", left->id,
                 left->db, right->id, right->db, left->digest);
    return CLI_OK;
}
