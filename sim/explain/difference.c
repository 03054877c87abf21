/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
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

static void print_record(const exp_stored *run, const sim_record_words *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = record == NULL ? NULL : open_memstream(&text, &size);
    if (out == NULL) {
        exp_print_line(-1, "nothing more until the next checkpoint");
        return;
    }
    sim_put_record(out, run->scenario, record);
    if (fclose(out) == 0)
        exp_print_line((int64_t)record->word[0], text);
    free(text);
}

/* What exactly is not the same. */
static void print_parts(const exp_stored *const run[2], const sim_record_words *const record[2])
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = record[0] == NULL || record[1] == NULL ? NULL : open_memstream(&text, &size);
    if (out == NULL)
        return;
    const sim_scenario *const scenario[] = {run[0]->scenario, run[1]->scenario};
    sim_put_record_parts(out, scenario, record);
    if (fclose(out) == 0)
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

/* Of a partition's history the lines about the moment; of an operation all. */
static void print_lines(const exp_narrator *narrator, int64_t at)
{
    if (narrator->focus.has_operation) {
        exp_print_lines(narrator);
        return;
    }
    size_t middle = 0;
    while (middle < narrator->count && narrator->line[middle].at <= at)
        middle++;
    const size_t first = middle > LINES_BEFORE ? middle - LINES_BEFORE : 0;
    for (size_t i = first; i < narrator->count && i < middle + LINES_AFTER; i++)
        exp_print_line(narrator->line[i].at, narrator->line[i].text);
    if (narrator->count == first)
        exp_print_line(-1, "nothing was decided about it");
}

/* What the run did about the record's subject, and why. */
static int explain(const exp_stored *run, const exp_focus *focus, int64_t at)
{
    exp_narrator narrator;
    exp_narrator_init(&narrator, run, focus);
    int status = exp_replay(run, &narrator.observer, &narrator.recorder, NULL);
    if (status == CLI_OK && narrator.out_of_memory) {
        (void)cli_complain("out of memory");
        status = CLI_IO;
    }
    if (status == CLI_OK)
        print_lines(&narrator, at);
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

static int tell(const exp_stored *left, const exp_stored *right, const sim_stretch *a, const sim_stretch *b, size_t n)
{
    const exp_stored *const runs[] = {left, right};
    const sim_record_words *const records[] = {sim_stretch_at(a, n), sim_stretch_at(b, n)};
    static const char *const NAMES[] = {"first", "second"};
    const bool is_second = records[0] == NULL || (records[1] != NULL && records[1]->word[0] < records[0]->word[0]);
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
            status = explain(runs[i], &focus, (int64_t)earlier->word[0]);
        else
            (void)puts("  its scenario has no such client or partition");
    }
    return status;
}

static int compare(const exp_stored *left, const exp_stored *right, int k)
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
    if (status == CLI_OK) {
        (void)printf("Up to checkpoint %d of %d, %.9g s, both runs behave alike.\n", k, SIM_CHECKPOINTS,
                     (double)a.from / 1e9);
        status = tell(left, right, &a, &b, n);
    }
    sim_stretch_deinit(&a);
    sim_stretch_deinit(&b);
    return status;
}

int exp_first_difference(const exp_stored *left, const exp_stored *right)
{
    const int k = first_step(left, right);
    if (left->scenario->duration != right->scenario->duration)
        return cli_complain("explain: the runs last %.9g s and %.9g s; expected runs of one duration",
                            (double)left->scenario->duration / 1e9, (double)right->scenario->duration / 1e9);
    if (k >= 0)
        return compare(left, right, k);
    (void)printf("no difference: run %u of %s and run %u of %s behave alike to the last event (digest %s)\n", left->id,
                 left->db, right->id, right->db, left->digest);
    return CLI_OK;
}
