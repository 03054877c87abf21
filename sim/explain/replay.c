/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/replay.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/work.h"
#include "experiment/stretch.h"

static void hear_ended(void *context, const sim_ended *batch, size_t count)
{
    (void)context;
    (void)batch;
    (void)count;
}

static void hear_failed_leg(void *context, const sim_failed_leg *leg)
{
    (void)context;
    (void)leg;
}

static void hear_canary(void *context, const sim_canary *canary)
{
    (void)context;
    (void)canary;
}

static void hear_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    (void)context;
    (void)client;
    (void)transition;
}

static void hear_mark(void *context, uint32_t client, rgn_region region, rgn_mark_reason why, int64_t at)
{
    (void)context;
    (void)client;
    (void)region;
    (void)why;
    (void)at;
}

static void hear_strategy(void *context, uint32_t client, bool is_on, int64_t at)
{
    (void)context;
    (void)client;
    (void)is_on;
    (void)at;
}

const sim_observer exp_deaf = {NULL,      hear_ended,   hear_failed_leg, hear_canary, hear_transition,
                               hear_mark, hear_strategy};

/* Between the engine and who listens: what was told must be what was digested. */
typedef struct {
    const sim_recorder *listener;
    sim_digest digest;
} tap;

static void tap_record(void *context, const sim_record_words *record)
{
    tap *self = context;
    sim_digest_add(&self->digest, record->word[0], record->word[1], record->word[2], record->word[3]);
    self->listener->record(self->listener->context, record);
}

static void tap_step(void *context, const sim_recorded_step *step)
{
    const tap *self = context;
    self->listener->step(self->listener->context, step);
}

static void tap_background(void *context, uint32_t client, const rgn_router *router, int64_t now)
{
    const tap *self = context;
    self->listener->background(self->listener->context, client, router, now);
}

static bool go_on(void *context, int64_t now)
{
    (void)context;
    (void)now;
    return !cli_is_stopped();
}

static int complain_of_status(const exp_stored *run, sim_run_status status, const char *what)
{
    switch (status) {
    case SIM_RUN_OK:
        return CLI_OK;
    case SIM_RUN_INTERRUPTED:
        (void)cli_complain("interrupted");
        return CLI_INTERRUPTED;
    case SIM_RUN_NO_MEMORY:
        (void)cli_complain("out of memory");
        return CLI_IO;
    case SIM_RUN_TOO_MANY_PENDING:
    case SIM_RUN_BROKEN:
        break;
    }
    (void)cli_complain("internal error in run %u of %s: %s", run->id, run->db,
                       what == NULL ? "more operations in flight than there may be" : what);
    return CLI_INTERNAL;
}

static bool is_equal(const sim_digest *digest, const char *stored, char text[EXP_DIGEST_SIZE])
{
    sim_digest_format(digest, text);
    return strcmp(text, stored) == 0;
}

/* What the database says of the run against what has just happened. */
static int check(const exp_stored *run, const sim_run_output *output, const sim_digest *told)
{
    char text[EXP_DIGEST_SIZE];
    if (!is_equal(&output->luck, run->luck_digest, text)) {
        (void)cli_complain(
            "run %u of %s cannot be repeated: its luck has digest %s and had %s; are the scenario's data "
            "tables still those that it was made with?",
            run->id, run->db, text, run->luck_digest);
        return CLI_INTERNAL;
    }
    for (int k = 0; k < SIM_CHECKPOINTS; k++) {
        if (is_equal(&output->checkpoint[k], run->checkpoint[k], text))
            continue;
        (void)cli_complain("run %u of %s does not repeat: between %.9g s and %.9g s it behaves otherwise (digest %s, "
                           "stored %s); nothing of it is told",
                           run->id, run->db, k == 0 ? 0 : (double)sim_checkpoint_time(run->scenario, k - 1) / 1e9,
                           (double)sim_checkpoint_time(run->scenario, k) / 1e9, text, run->checkpoint[k]);
        return CLI_INTERNAL;
    }
    if (!is_equal(&output->behaviour, run->digest, text)) {
        (void)cli_complain("run %u of %s does not repeat: its behaviour has digest %s and had %s", run->id, run->db,
                           text, run->digest);
        return CLI_INTERNAL;
    }
    if (memcmp(told, &output->behaviour, sizeof *told) != 0) {
        (void)cli_complain("internal error: the records told are not those under the behaviour digest");
        return CLI_INTERNAL;
    }
    return CLI_OK;
}

int exp_replay(const exp_stored *run, const sim_observer *observer, const sim_recorder *recorder,
               sim_run_output *output)
{
    tap between = {recorder, sim_digest_start()};
    const sim_recorder tapped = {&between, tap_record, tap_step, tap_background};
    sim_run_output own;
    const char *what = NULL;
    sim_run_output *out = output == NULL ? &own : output;
    const sim_run_input input = {
        .scenario = run->scenario,
        .world = run->world,
        .router_options = &run->options.clients,
        .workload_options = run->options.workload,
        .luck = run->luck,
        .observer = observer,
        .world_run = sim_world_run_create(run->world, &run->luck),
        .recorder = &tapped,
        .on_progress = go_on,
    };
    if (input.world_run == NULL)
        return complain_of_status(run, SIM_RUN_NO_MEMORY, NULL);
    int status = complain_of_status(run, sim_run(&input, out, &what), what);
    if (status == CLI_OK)
        status = check(run, out, &between.digest);
    if (output == NULL || status != CLI_OK)
        sim_run_output_deinit(out);
    sim_world_run_destroy(input.world_run);
    return status;
}
