/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/records.h"
#include "experiment/stretch.h"

static const char *const MODE[] = {[SIM_MODE_FAST] = "fast mode", [SIM_MODE_REFERENCE] = "reference mode"};

static bool is_same(const sim_digest *a, const sim_digest *b)
{
    return a->lane[0] == b->lane[0] && a->lane[1] == b->lane[1];
}

/* The checkpoint by which they have parted; SIM_CHECKPOINTS: after the last; -1: they have not. */
static int first_step(const sim_run_output *a, const sim_run_output *b)
{
    for (int k = 0; k < SIM_CHECKPOINTS; k++) {
        if (!is_same(&a->checkpoint[k], &b->checkpoint[k]))
            return k;
    }
    return is_same(&a->behaviour, &b->behaviour) ? -1 : SIM_CHECKPOINTS;
}

static sim_run_status play(const sim_run_input *input, const sim_recorder *recorder, sim_run_output *output)
{
    sim_run_input heard = *input;
    const char *what = NULL;
    heard.recorder = recorder;
    heard.world_run = sim_world_run_create(input->world, &input->luck);
    const sim_run_status status = heard.world_run == NULL ? SIM_RUN_NO_MEMORY : sim_run(&heard, output, &what);
    sim_world_run_destroy(heard.world_run);
    return status;
}

/* Fills the stretch by playing the run once more. */
static sim_run_status listen(const sim_run_input *input, sim_stretch *stretch)
{
    const sim_recorder recorder = sim_stretch_recorder(stretch);
    sim_run_output output = {0};
    const sim_run_status status = play(input, &recorder, &output);
    sim_run_output_deinit(&output);
    return status == SIM_RUN_OK && stretch->out_of_memory ? SIM_RUN_NO_MEMORY : status;
}

static void put_side(FILE *out, const char *name, const sim_scenario *scenario, const sim_record_words *record)
{
    if (record == NULL) {
        (void)fprintf(out, "in %s nothing more happens before the next checkpoint", name);
        return;
    }
    (void)fprintf(out, "in %s, at %" PRIu64 ".%09" PRIu64 " s, ", name, record->word[0] / (uint64_t)RGN_NS_PER_S,
                  record->word[0] % (uint64_t)RGN_NS_PER_S);
    sim_put_record(out, scenario, record);
}

/* NULL: no memory. */
static char *tell(const sim_scenario *scenario, const sim_stretch *a, const sim_stretch *b, const char *const name[2])
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    const size_t n = sim_stretch_common(a, b);
    if (n == a->count && n == b->count) {
        (void)fputs("the behaviour digests differ, and yet every event is the same when it is told", out);
    } else {
        (void)fputs("the same run twice is not the same; the first event that differs: ", out);
        put_side(out, name[0], scenario, sim_stretch_at(a, n));
        (void)fputs("; ", out);
        put_side(out, name[1], scenario, sim_stretch_at(b, n));
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* They part before checkpoint `k`. */
static char *find(const sim_run_input *first, const sim_run_input *second, const char *const name[2], int k,
                  sim_run_status *status)
{
    sim_stretch a = sim_stretch_before(first->scenario, k);
    sim_stretch b = a;
    char *text = NULL;
    *status = listen(first, &a);
    if (*status == SIM_RUN_OK)
        *status = listen(second, &b);
    if (*status == SIM_RUN_OK)
        text = tell(first->scenario, &a, &b, name);
    if (*status == SIM_RUN_OK && text == NULL)
        *status = SIM_RUN_NO_MEMORY;
    sim_stretch_deinit(&a);
    sim_stretch_deinit(&b);
    return text;
}

char *sim_first_difference(const sim_run_input *first, const sim_run_input *second, const char *const name[2],
                           sim_run_status *status)
{
    sim_run_output a = {0};
    sim_run_output b = {0};
    char *text = NULL;
    *status = play(first, NULL, &a);
    if (*status == SIM_RUN_OK)
        *status = play(second, NULL, &b);
    const int k = *status == SIM_RUN_OK ? first_step(&a, &b) : -1;
    sim_run_output_deinit(&a);
    sim_run_output_deinit(&b);
    if (k >= 0)
        text = find(first, second, name, k, status);
    return text;
}

/* The first metric that is not the same, or else what remains. */
static const char *metric_of_difference(const sim_run_metrics *a, const sim_run_metrics *b)
{
    for (uint32_t i = 0; i < a->phase_count * (uint32_t)SIM_METRIC_COUNT; i++) {
        if (memcmp(&a->metric[i].value, &b->metric[i].value, sizeof a->metric[i].value) != 0)
            return sim_metric_at((sim_metric_id)(i % (uint32_t)SIM_METRIC_COUNT))->name;
    }
    return "a latency histogram";
}

/* What differs between two whole runs whose events are, or are not, the same. NULL with SIM_RUN_OK: nothing. */
static char *compare(const sim_experiment *experiment, const sim_finished *first, const sim_finished *second,
                     sim_run_status *status)
{
    const sim_mode mode = experiment->input.mode;
    const sim_mode other = mode == SIM_MODE_FAST ? SIM_MODE_REFERENCE : SIM_MODE_FAST;
    char text[256];
    *status = SIM_RUN_OK;
    if (first_step(&first->output, &second->output) >= 0) {
        const char *const name[] = {MODE[mode], MODE[other]};
        const sim_run_input input[] = {sim_place_input(experiment, first->place, mode, NULL),
                                       sim_place_input(experiment, first->place, other, NULL)};
        return sim_first_difference(&input[0], &input[1], name, status);
    }
    if (is_same(&first->output.luck, &second->output.luck) && is_same(&first->result, &second->result))
        return NULL;
    if (!is_same(&first->output.luck, &second->output.luck))
        (void)snprintf(text, sizeof text, "the same run twice has different luck in %s and %s", MODE[mode],
                       MODE[other]);
    else
        (void)snprintf(text, sizeof text,
                       "every event of the same run is the same in %s and %s, and yet what was measured differs: %s",
                       MODE[mode], MODE[other], metric_of_difference(&first->metrics, &second->metrics));
    char *told = strdup(text);
    *status = told == NULL ? SIM_RUN_NO_MEMORY : SIM_RUN_OK;
    return told;
}

void sim_verify(const sim_experiment *experiment, sim_finished *finished,
                bool (*on_progress)(void *context, int64_t now), void *context)
{
    const sim_mode other = experiment->input.mode == SIM_MODE_FAST ? SIM_MODE_REFERENCE : SIM_MODE_FAST;
    sim_finished *again = sim_run_place(experiment, finished->place, other, on_progress, context);
    sim_run_status status = again == NULL ? SIM_RUN_NO_MEMORY : again->status;
    if (status == SIM_RUN_OK)
        finished->difference = compare(experiment, finished, again, &status);
    else if (status == SIM_RUN_BROKEN)
        finished->difference = again->what == NULL ? NULL : strdup(again->what);
    finished->status = finished->difference != NULL ? SIM_RUN_BROKEN : status;
    finished->what = finished->difference;
    sim_finished_free(again);
}
