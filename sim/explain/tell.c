/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/tell.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/clean.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/wrap.h"
#include "engine/arrivals.h"

enum { INDENT = 18 };

void exp_print_title(const exp_stored *run)
{
    char *policy = cli_cleaned(run->policy);
    (void)printf("%s under %s, replication %u, seed %" PRIu64 " (run %u of %s)\n", run->scenario->name,
                 policy == NULL ? "?" : policy, run->luck.replication, run->luck.seed, run->id, run->db);
    free(policy);
}

void exp_print_line(int64_t at, const char *text)
{
    const int column = at < 0 ? 0 : printf("%" PRId64 ".%09" PRId64 " s", at / RGN_NS_PER_S, at % RGN_NS_PER_S);
    cli_put_wrapped(stdout, text, column, INDENT, cli_screen_width(stdout));
}

char *exp_state_text(const exp_narrator *narrator)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    (void)fprintf(out, "client %u, partition %u is ", narrator->focus.client, narrator->focus.partition);
    const bool has_state = narrator->is_state_taken ? narrator->has_state : narrator->has_entry;
    exp_put_entry(out, narrator->run,
                  !has_state                 ? NULL
                  : narrator->is_state_taken ? &narrator->state
                                             : &narrator->entry,
                  narrator->focus.at);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_state(const exp_narrator *narrator)
{
    char *text = exp_state_text(narrator);
    if (text != NULL)
        exp_print_line(narrator->focus.at, text);
    free(text);
}

/* The first line after focus.at. */
static size_t middle_of(const exp_narrator *narrator)
{
    size_t middle = 0;
    while (middle < narrator->count && narrator->line[middle].at <= narrator->focus.at)
        middle++;
    return middle;
}

void exp_lines_around(const exp_narrator *narrator, size_t *first, size_t *end)
{
    const size_t middle = middle_of(narrator);
    *first = middle > EXP_AROUND ? middle - EXP_AROUND : 0;
    *end = middle + EXP_AROUND < narrator->count ? middle + EXP_AROUND : narrator->count;
}

/* Of all lines those around an instant. */
static void print_around(const exp_narrator *narrator)
{
    const size_t middle = middle_of(narrator);
    size_t first;
    size_t end;
    exp_lines_around(narrator, &first, &end);
    if (first > 0)
        (void)printf("(%zu earlier)\n", first);
    for (size_t i = first; i < end; i++) {
        if (i == middle && narrator->focus.has_pair)
            print_state(narrator);
        exp_print_line(narrator->line[i].at, narrator->line[i].text);
    }
    if (end == middle && narrator->focus.has_pair)
        print_state(narrator);
    if (narrator->count + narrator->left_out > end)
        (void)printf("(%zu later)\n", narrator->count + narrator->left_out - end);
}

void exp_print_lines(const exp_narrator *narrator)
{
    if (narrator->focus.has_at) {
        print_around(narrator);
        return;
    }
    for (size_t i = 0; i < narrator->count && i < EXP_SHOWN; i++)
        exp_print_line(narrator->line[i].at, narrator->line[i].text);
    const size_t all = narrator->count + narrator->left_out;
    if (all > EXP_SHOWN)
        (void)printf("(%zu more: --from and --to narrow it down)\n", all - EXP_SHOWN);
    if (all == 0)
        (void)puts("nothing was decided there: no breaker changed, no failure was counted, no canary sent");
}

/* ---- operations ---- */

static int refuse_operation(const exp_stored *run, uint64_t ordinal, const uint64_t *count)
{
    const sim_scenario *scenario = run->scenario;
    uint64_t workload = ordinal >> 30;
    if (workload >= scenario->workload_count)
        workload = scenario->workload_count - 1;
    return cli_complain("--operation %" PRIu64 ": the run has no such operation; those of %s are %" PRIu64
                        " to %" PRIu64,
                        ordinal, scenario->workload[workload].name, workload << 30,
                        (workload << 30) + (count[workload] > 0 ? count[workload] - 1 : 0));
}

int exp_find_operation(const exp_stored *run, uint64_t ordinal, exp_focus *focus)
{
    sim_arrivals_merge merge;
    uint64_t count[SIM_WORKLOADS_MAX] = {0};
    bool is_found = false;
    if (!sim_arrivals_init(&merge, run->scenario, &run->luck)) {
        sim_arrivals_deinit(&merge);
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    const uint64_t asked = ordinal >> 30;
    if (asked < run->scenario->workload_count && run->scenario->workload[asked].arrivals == SIM_ARRIVALS_CLOSED) {
        const sim_arrival arrival =
            sim_arrivals_of_user(&merge, (uint8_t)asked, (uint32_t)(ordinal & (SIM_OPERATIONS_MAX - 1)));
        focus->client = arrival.client;
        focus->partition = arrival.partition;
        is_found = true;
    }
    while (!is_found && merge.next_time != RGN_TIME_NEVER) {
        const sim_arrival arrival = sim_arrivals_peek(&merge);
        is_found = ((uint64_t)arrival.workload << 30 | arrival.n) == ordinal;
        if (is_found) {
            focus->client = arrival.client;
            focus->partition = arrival.partition;
            focus->from = arrival.time;
        }
        count[arrival.workload]++;
        sim_arrivals_take(&merge);
    }
    sim_arrivals_deinit(&merge);
    focus->has_operation = true;
    focus->has_pair = true;
    focus->ordinal = ordinal;
    return is_found ? CLI_OK : refuse_operation(run, ordinal, count);
}
