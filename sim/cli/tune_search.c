/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search's callbacks: points become policies, runs become rows, and rows of an earlier process are not played
 * again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/memory.h"
#include "cli/tune.h"
#include "cli/work.h"

/* ---- what is known ---- */

typedef struct {
    uint32_t point, scenario, replication;
    double value[CLI_COLUMNS_MAX];
} known_run;

struct cli_tune_known {
    size_t count, room;
    known_run *run; /* by point, scenario, replication */
    bool out_of_memory;
};

static int compare_known(const void *a, const void *b)
{
    const known_run *x = a;
    const known_run *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    if (x->scenario != y->scenario)
        return x->scenario < y->scenario ? -1 : 1;
    return x->replication < y->replication ? -1 : x->replication > y->replication;
}

/* Rows come by point, scenario, replication. */
static void know(void *context, const sim_tune_stored *value)
{
    cli_tuning *self = context;
    cli_tune_known *known = self->known;
    const known_run key = {.point = value->point, .scenario = value->scenario, .replication = value->replication};
    if (known->count == 0 || compare_known(&known->run[known->count - 1], &key) != 0) {
        if (known->count == known->room) {
            const size_t room = 2 * known->room + 64;
            known_run *grown = realloc(known->run, room * sizeof *grown);
            known->out_of_memory = known->out_of_memory || grown == NULL;
            if (grown == NULL)
                return;
            known->run = grown;
            known->room = room;
        }
        known->run[known->count++] = key;
    }
    for (size_t c = 0; c < sim_search_columns(&self->input); c++) {
        if (self->goals.metric[c] == value->metric)
            known->run[known->count - 1].value[c] = value->value;
    }
}

static int read_known(cli_tuning *self)
{
    sim_store_error error;
    self->known = calloc(1, sizeof *self->known);
    if (self->known != NULL && !sim_tune_read(self->store, know, self, &error))
        return cli_report_store(&error);
    if (self->known != NULL && !self->known->out_of_memory)
        return CLI_OK;
    (void)cli_complain("out of memory");
    return CLI_IO;
}

static bool put_known(cli_tuning *self, sim_search *search, size_t point, uint32_t scenario, uint32_t replication)
{
    const uint32_t first = self->arguments->replications;
    const known_run key = {.point = (uint32_t)point, .scenario = scenario, .replication = first + replication};
    const known_run *found = self->known->count == 0 ? NULL
                                                     : bsearch(&key, self->known->run, self->known->count,
                                                               sizeof *self->known->run, compare_known);
    for (size_t c = 0; found != NULL && c < sim_search_columns(&self->input); c++)
        sim_search_put(search, point, replication, scenario, c, found->value[c]);
    return found != NULL;
}

/* ---- one call of the search ---- */

typedef struct {
    cli_tuning *tuning;
    sim_search *search;
    const size_t *point;
    size_t count;
    uint32_t from, replications;
} playing;

static bool take_run(void *context, const sim_store_run *run, sim_store_error *error)
{
    const playing *self = context;
    const cli_goals *goals = &self->tuning->goals;
    const uint32_t index = run->id - 1;
    const uint32_t scenario = index / self->replications / (uint32_t)self->count;
    const size_t point = self->point[index / self->replications % self->count];
    const uint32_t replication = self->from + index % self->replications;
    const size_t columns = sim_search_columns(&self->tuning->input);
    double value[CLI_COLUMNS_MAX];
    sim_metric_id metric[CLI_COLUMNS_MAX];
    size_t distinct = 0; /* a metric may be an objective and be constrained too */
    char digest[33];
    for (size_t c = 0; c < columns; c++) {
        const sim_metric_value *found = &run->metrics->metric[goals->metric[c]];
        const double known = found->is_null ? (double)NAN : found->value;
        sim_search_put(self->search, point, replication, scenario, c, known);
        bool is_new = true;
        for (size_t i = 0; i < distinct; i++)
            is_new = is_new && metric[i] != goals->metric[c];
        if (!is_new)
            continue;
        metric[distinct] = goals->metric[c];
        value[distinct++] = known;
    }
    sim_digest_format(&run->output->behaviour, digest);
    const sim_tune_run row = {
        (uint32_t)point, scenario, self->tuning->arguments->replications + replication, digest, distinct,
        metric,          value};
    return sim_tune_write_run(self->tuning->store, &row, error);
}

static void show_progress(void *context, uint32_t done, double share)
{
    const playing *self = context;
    const double step = (double)(self->count * self->replications * self->tuning->tuned);
    const double budget = (double)self->tuning->input.budget;
    cli_progress_show(&self->tuning->progress, (uint32_t)self->search->spent + done,
                      ((double)self->search->spent + share * step) / budget);
}

/* What the points are, for the command that shows a failed run again. */
static sim_store_sweep_point *describe(const cli_tuning *self, const playing *play)
{
    const size_t axes = self->vary.knobs.count;
    sim_store_sweep_point *list = sim_arena_array(self->arena, play->count, sizeof *list);
    for (size_t i = 0; i < play->count; i++) {
        sim_store_sweep_value *value = sim_arena_array(self->arena, axes, sizeof *value);
        const bool is_base = play->point[i] == SIM_SEARCH_BASE;
        for (size_t a = 0; !is_base && a < axes; a++) {
            const sim_tune_value one = cli_tune_value(self, play->point[i], a);
            value[a] = (sim_store_sweep_value){.key = one.key, .text = one.text};
        }
        list[i] = (sim_store_sweep_point){
            .index = (uint32_t)i, .base = "", .value_count = is_base ? 0 : (uint32_t)axes, .value = value};
    }
    return list;
}

static int run_plan(cli_tuning *self, playing *play, sim_experiment *experiment, bool *is_done)
{
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    for (uint32_t i = 0; i < plan->scenario_count * plan->policy_count * plan->replications; i++)
        is_done[i] = put_known(self, play->search, play->point[i / play->replications % play->count],
                               i / play->replications / (uint32_t)play->count, play->from + i % play->replications);
    sim_experiment_control control = cli_control(self->arguments);
    control.is_done = is_done;
    control.write = take_run;
    control.write_context = play;
    control.on_progress = show_progress;
    control.progress_context = play;
    const sim_experiment_result result = sim_experiment_run(experiment, NULL, &control);
    cli_progress_clear(&self->progress);
    return cli_report_result(self->arguments, plan, &result);
}

static int play_points(cli_tuning *self, playing *play, sim_policy **policy)
{
    sim_input_error error;
    const sim_store_sweep sweep = {(uint32_t)play->count, describe(self, play)};
    sim_experiment_input input = cli_experiment_input(&self->in, self->arguments, play->replications);
    input.first_replication = self->arguments->replications + play->from;
    input.scenario_count = self->tuned;
    input.policy_count = (uint32_t)play->count;
    input.policy = (const sim_policy *const *)policy;
    input.sweep = &sweep;
    sim_experiment *experiment = sim_experiment_create(&input, &error);
    if (experiment == NULL) {
        sim_input_error_print(&error, stderr);
        return CLI_USAGE;
    }
    bool *is_done = calloc((size_t)play->count * play->replications * self->tuned, sizeof *is_done);
    int status = CLI_IO;
    if (is_done == NULL)
        (void)cli_complain("out of memory");
    else
        status = run_plan(self, play, experiment, is_done);
    free(is_done);
    sim_experiment_destroy(experiment);
    return status;
}

static bool play(void *context, sim_search *search, const size_t *point, size_t count, uint32_t from, uint32_t to)
{
    cli_tuning *self = context;
    playing one = {self, search, point, count, from, to - from};
    sim_policy **policy = calloc(count, sizeof *policy);
    self->status = policy == NULL ? CLI_IO : CLI_OK;
    for (size_t i = 0; self->status == CLI_OK && i < count; i++) {
        policy[i] = cli_tune_policy(self, point[i]);
        self->status = policy[i] == NULL ? CLI_USAGE : CLI_OK;
    }
    if (self->status == CLI_OK)
        self->status = play_points(self, &one, policy);
    free(policy);
    return self->status == CLI_OK;
}

static double margin(void *context, size_t scenario, size_t objective, double base)
{
    const cli_tuning *self = context;
    return sim_margin_of(self->in.scenario[scenario], self->goals.metric[objective], base);
}

/* ---- axes ---- */

static bool is_word(const sim_axis *axis)
{
    bool found = false;
    for (size_t i = 0; i < axis->item_count; i++)
        found = found || axis->item[i].kind == SIM_AXIS_WORD;
    return found;
}

/* The value of the axis that is nearest to what the knob is; of a long axis only an even sample is looked at. */
static uint64_t nearest_place(const sim_axis *axis, int64_t target)
{
    const rgn_knob_id knob = rgn_knob_find(axis->key);
    const uint64_t stride = axis->count / SIM_POINTS_MAX + 1;
    uint64_t best = 0;
    double distance = INFINITY;
    for (uint64_t n = 0; n < axis->count; n += stride) {
        char message[256];
        int64_t number = 0;
        const sim_axis_value value = sim_axis_at(axis, n);
        if (!sim_parse_knob(knob, value.text, &number, message, sizeof message))
            continue;
        const double off = fabs((double)number - (double)target);
        if (off < distance) {
            distance = off;
            best = n;
        }
    }
    return best;
}

static void fill_input(cli_tuning *self)
{
    const cli_goals *goals = &self->goals;
    const rgn_effective_options *base = sim_experiment_plan(self->base)->pair[0].clients;
    sim_search_input *input = &self->input;
    input->axis_count = self->vary.knobs.count;
    for (size_t a = 0; a < input->axis_count; a++) {
        const sim_axis *axis = &self->vary.knobs.axis[a];
        input->axis_size[a] = axis->count;
        input->is_word[a] = is_word(axis);
        input->base_place[a] = nearest_place(axis, rgn_options_get(&base->values, rgn_knob_find(axis->key)));
    }
    input->scenario_count = self->tuned;
    input->objective_count = goals->objective_count;
    input->constraint_count = goals->constraint_count;
    memcpy(input->weight, goals->weight, sizeof input->weight);
    memcpy(input->is_higher_better, goals->is_higher_better, sizeof input->is_higher_better);
    memcpy(input->constraint, goals->constraint, sizeof input->constraint);
    input->loss_limit = goals->loss_limit;
}

int cli_tune_search(cli_tuning *self)
{
    fill_input(self);
    self->input.context = self;
    self->input.admits = cli_tune_admits;
    self->input.play = play;
    self->input.margin = margin;
    const int status = read_known(self);
    if (status != CLI_OK)
        return status;
    self->progress = cli_progress_start((uint32_t)self->input.budget);
    self->status = CLI_OK;
    if (!sim_search_run(&self->search, &self->input)) {
        if (self->status != CLI_OK)
            return self->status;
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    if (self->search.refused > 0)
        (void)fprintf(stderr, "note: %zu points are left out, for their values do not go together\n",
                      self->search.refused);
    self->pick = sim_search_pick(&self->search);
    return CLI_OK;
}

void cli_tune_search_deinit(cli_tuning *self)
{
    if (self->known != NULL)
        free(self->known->run);
    free(self->known);
    sim_search_deinit(&self->search);
}
