/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From finished runs to a baseline. */
#include "experiment/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "engine/digest.h"

enum { PART_DIGITS = 8, KNOB_TEXT = 64, DIGEST_SIZE = 33 };

sim_baseline *sim_baseline_create(uint64_t seed, uint32_t scenarios)
{
    sim_arena *arena = sim_arena_create();
    sim_baseline *self = sim_arena_alloc(arena, sizeof *self);
    *self = (sim_baseline){
        .arena = arena,
        .tool = REGIONSIM_VERSION,
        .draw_version = SIM_DRAW_VERSION,
        .stream_version = SIM_STORE_STREAM_VERSION,
        .metric_version = SIM_METRIC_VERSION,
        .seed = seed,
        .scenario = sim_arena_array(arena, scenarios, sizeof *self->scenario),
    };
    return self;
}

void sim_baseline_destroy(sim_baseline *baseline)
{
    if (baseline != NULL)
        sim_arena_destroy(baseline->arena);
}

const sim_baseline_scenario *sim_baseline_find(const sim_baseline *baseline, const char *scenario)
{
    for (uint32_t i = 0; i < baseline->scenario_count; i++) {
        if (strcmp(baseline->scenario[i].name, scenario) == 0)
            return &baseline->scenario[i];
    }
    return NULL;
}

const sim_baseline_pair *sim_baseline_find_pair(const sim_baseline_scenario *scenario, const char *policy)
{
    for (uint32_t i = 0; i < scenario->pair_count; i++) {
        if (strcmp(scenario->pair[i].policy, policy) == 0)
            return &scenario->pair[i];
    }
    return NULL;
}

void sim_baseline_format_tolerance(const sim_baseline_gate *gate, char *out, size_t size)
{
    if (gate->is_relative)
        (void)snprintf(out, size, "%.9g %%", gate->tolerance * 100);
    else if (strcmp(sim_metric_at(gate->metric)->unit, "ns") == 0)
        sim_format_duration((int64_t)gate->tolerance, out, size);
    else
        (void)snprintf(out, size, "%.9g", gate->tolerance);
}

/* ---- the scenario's parts ---- */

/* Length of the top-level key that a line "workload.shop.rate = 5" begins with. */
static size_t key_length(const char *line)
{
    return strcspn(line, ".[ =\n");
}

static bool is_same_part(const char *line, const char *other)
{
    return key_length(line) == key_length(other) && strncmp(line, other, key_length(line)) == 0;
}

/* Lines are sorted, so that those of a part stand together. */
static void take_parts(sim_arena *arena, const char *canonical, sim_baseline_scenario *out)
{
    uint32_t count = 0;
    const char *line = canonical;
    const char *previous = "";
    for (; *line != '\0'; line = strchr(line, '\n') + 1) {
        count += !is_same_part(line, previous);
        previous = line;
    }
    sim_baseline_entry *part = sim_arena_array(arena, count, sizeof *part);
    out->part = part;
    line = canonical;
    while (*line != '\0') {
        const char *first = line;
        char text[DIGEST_SIZE];
        while (*line != '\0' && is_same_part(line, first))
            line = strchr(line, '\n') + 1;
        sim_digest digest = sim_digest_start();
        sim_digest_add_bytes(&digest, first, (size_t)(line - first));
        sim_digest_format(&digest, text);
        part[out->part_count++] = (sim_baseline_entry){sim_arena_copy(arena, first, key_length(first)),
                                                       sim_arena_copy(arena, text, PART_DIGITS)};
    }
}

/* ---- a pair ---- */

static int by_name(const void *left, const void *right)
{
    return strcmp(((const sim_baseline_entry *)left)->name, ((const sim_baseline_entry *)right)->name);
}

static void take_options(sim_arena *arena, const rgn_options *options, sim_baseline_pair *out)
{
    sim_baseline_entry *option = sim_arena_array(arena, RGN_KNOB_COUNT, sizeof *option);
    out->option = option;
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++) {
        const rgn_knob_id knob = (rgn_knob_id)i;
        const int64_t value = rgn_options_get(options, knob);
        char text[KNOB_TEXT];
        if (value == rgn_knob_at(knob)->initial)
            continue;
        sim_format_knob(knob, value, text, sizeof text);
        option[out->option_count++] = (sim_baseline_entry){rgn_knob_at(knob)->name, sim_arena_string(arena, text)};
    }
    qsort(option, out->option_count, sizeof *option, by_name);
}

static void take_gate(sim_arena *arena, const sim_outcome *outcome, uint32_t policy, sim_metric_id metric,
                      sim_baseline_pair *out)
{
    const sim_store_plan *plan = sim_outcome_plan(outcome);
    const sim_scenario *scenario = plan->scenario[0];
    sim_metric_value *value = sim_arena_array(arena, out->runs, sizeof *value);
    sim_baseline_gate *gate = &out->gate[out->gate_count++];
    for (uint32_t r = 0; r < out->runs; r++)
        value[r] = sim_outcome_value(outcome, 0, policy, 0, metric, r);
    *gate = (sim_baseline_gate){.metric = metric,
                                .is_relative = true,
                                .tolerance = (double)sim_metric_at(metric)->margin_ppm / 1e6,
                                .value = value};
    for (uint32_t i = 0; i < scenario->margin_count; i++) {
        if (sim_metric_find(scenario->margin[i].metric) != metric)
            continue;
        gate->is_relative = scenario->margin[i].is_relative;
        gate->tolerance = scenario->margin[i].value;
    }
}

static void take_gates(sim_arena *arena, const sim_outcome *outcome, uint32_t policy, sim_baseline_pair *out)
{
    static const sim_metric_id USUAL[] = {SIM_METRIC_away_healthy_s, SIM_METRIC_home_unhealthy_s,
                                          SIM_METRIC_latency_p99, SIM_METRIC_availability};
    const sim_scenario *scenario = sim_outcome_plan(outcome)->scenario[0];
    for (uint32_t i = 0; i < scenario->objective_count; i++)
        take_gate(arena, outcome, policy, sim_metric_find(scenario->objective[i]), out);
    for (size_t i = 0; scenario->objective_count == 0 && i < sizeof USUAL / sizeof *USUAL; i++)
        take_gate(arena, outcome, policy, USUAL[i], out);
}

/* ---- what the store tells of each run ---- */

typedef struct {
    sim_arena *arena;
    sim_baseline_scenario *out;
    const char **luck;
    const char ***behaviour; /* [policy][run] */
    const char ***result;
    sim_baseline_transitions **transition;    /* [policy]: one for each reason */
    char *(*checkpoints)[SIM_BASELINE_FIRST]; /* [policy][run] */
} reading;

enum { REASONS_MAX = 128 };

static void take_run(void *context, const sim_stored_run *row)
{
    reading *self = context;
    if (row->replication >= self->out->runs)
        return;
    self->luck[row->replication] = sim_arena_string(self->arena, row->luck);
    self->behaviour[row->policy][row->replication] = sim_arena_string(self->arena, row->behaviour);
    self->result[row->policy][row->replication] = sim_arena_string(self->arena, row->result);
}

static void take_checkpoint(void *context, const sim_stored_checkpoint *row)
{
    reading *self = context;
    if (row->replication < SIM_BASELINE_FIRST && row->replication < self->out->runs)
        memcpy(self->checkpoints[row->policy][row->replication] + row->k * SIM_BASELINE_CHECK_DIGITS, row->digest,
               SIM_BASELINE_CHECK_DIGITS);
}

static void take_transitions(void *context, const sim_stored_transitions *row)
{
    reading *self = context;
    sim_baseline_pair *pair = &self->out->pair[row->policy];
    sim_baseline_transitions *list = self->transition[row->policy];
    uint32_t at = 0;
    if (row->replication >= SIM_BASELINE_FIRST)
        return;
    while (at < pair->transition_count && strcmp(list[at].reason, row->reason) != 0)
        at++;
    if (at == REASONS_MAX)
        return;
    if (at == pair->transition_count)
        list[pair->transition_count++] =
            (sim_baseline_transitions){.reason = sim_arena_string(self->arena, row->reason)};
    list[at].count[row->replication] = row->count;
}

static int by_reason(const void *left, const void *right)
{
    return strcmp(((const sim_baseline_transitions *)left)->reason, ((const sim_baseline_transitions *)right)->reason);
}

static void make_room(reading *self, uint32_t policies, uint32_t runs)
{
    const size_t digits = (size_t)SIM_CHECKPOINTS * SIM_BASELINE_CHECK_DIGITS;
    self->luck = sim_arena_array(self->arena, runs, sizeof *self->luck);
    self->behaviour = sim_arena_array(self->arena, policies, sizeof *self->behaviour);
    self->result = sim_arena_array(self->arena, policies, sizeof *self->result);
    self->transition = sim_arena_array(self->arena, policies, sizeof *self->transition);
    self->checkpoints = sim_arena_array(self->arena, policies, sizeof *self->checkpoints);
    for (uint32_t p = 0; p < policies; p++) {
        self->behaviour[p] = sim_arena_array(self->arena, runs, sizeof **self->behaviour);
        self->result[p] = sim_arena_array(self->arena, runs, sizeof **self->result);
        self->transition[p] = sim_arena_array(self->arena, REASONS_MAX, sizeof **self->transition);
        for (uint32_t r = 0; r < SIM_BASELINE_FIRST; r++)
            self->checkpoints[p][r] = sim_arena_alloc(self->arena, r < runs ? digits + 1 : 1);
    }
}

bool sim_baseline_take(sim_baseline *baseline, sim_store *store, const sim_outcome *outcome, sim_baseline_scenario *out,
                       sim_store_error *error)
{
    const sim_store_plan *plan = sim_outcome_plan(outcome);
    sim_arena *arena = baseline->arena;
    *out = (sim_baseline_scenario){.name = sim_arena_string(arena, plan->scenario[0]->name),
                                   .runs = plan->replications,
                                   .pair_count = plan->policy_count,
                                   .pair = sim_arena_array(arena, plan->policy_count, sizeof *out->pair)};
    reading self = {.arena = arena, .out = out};
    make_room(&self, plan->policy_count, plan->replications);
    if (!sim_store_read_runs(store, take_run, &self, error) ||
        !sim_store_read_checkpoints(store, take_checkpoint, &self, error) ||
        !sim_store_read_transitions(store, take_transitions, &self, error))
        return false;
    out->luck = self.luck;
    take_parts(arena, plan->scenario[0]->canonical, out);
    for (uint32_t p = 0; p < plan->policy_count; p++) {
        sim_baseline_pair *pair = &out->pair[p];
        pair->policy = sim_arena_string(arena, plan->policy[p]->name);
        pair->input = sim_arena_string(arena, plan->pair[p].input_digest);
        pair->runs = plan->replications;
        pair->behaviour = self.behaviour[p];
        pair->result = self.result[p];
        pair->transition = self.transition[p];
        for (uint32_t r = 0; r < SIM_BASELINE_FIRST; r++)
            pair->checkpoints[r] = self.checkpoints[p][r];
        qsort(self.transition[p], pair->transition_count, sizeof **self.transition, by_reason);
        take_options(arena, &plan->pair[p].clients->values, pair);
        take_gates(arena, outcome, p, pair);
    }
    return true;
}
