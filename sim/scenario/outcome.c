/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured and what must come out of it; the environment. */
#include <inttypes.h>
#include <string.h>

#include "scenario/load.h"

enum { PATH_SIZE = 128, INTERVALS_MAX = 1000000 };

#define ALL_PHASES "all"

static bool is_known(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static bool refuse_metric(const sim_node *node, const char *path, const char *name, const char *const *names,
                          size_t count, sim_input_error *error)
{
    const char *nearest = sim_nearest(name, names, count);
    return sim_error_at(error, node->source, node, "%s: unknown metric \"%s\"; %s%s%s", path, name,
                        nearest != NULL ? "did you mean \"" : "\"regionsim list metrics\" names them",
                        nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

bool sim_scenario_metrics_are_among(const sim_scenario *scenario, const char *const *names, size_t count,
                                    sim_input_error *error)
{
    char path[PATH_SIZE];
    for (uint32_t i = 0; i < scenario->objective_count; i++) {
        snprintf(path, sizeof path, "objectives[%" PRIu32 "]", i + 1);
        if (!is_known(scenario->objective[i], names, count))
            return refuse_metric(scenario->objective_node[i], path, scenario->objective[i], names, count, error);
    }
    for (uint32_t i = 0; i < scenario->margin_count; i++) {
        const sim_margin *margin = &scenario->margin[i];
        if (!is_known(margin->metric, names, count))
            return refuse_metric(margin->metric_node, "margins", margin->metric, names, count, error);
    }
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        const sim_expectation *expectation = &scenario->expectation[i];
        snprintf(path, sizeof path, "expect[%" PRIu32 "].metric", i + 1);
        if (!is_known(expectation->metric, names, count))
            return refuse_metric(expectation->metric_node, path, expectation->metric, names, count, error);
    }
    return true;
}

static bool resolve_phases(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->phases;
    sim_phase *phases = sim_arena_array(self->decoder->arena, raw->count, sizeof *phases);
    self->out->phase = phases;
    for (uint32_t i = 0; i < raw->count; i++) {
        const sim_raw_item *item = &raw->item[i];
        if (strcmp(item->name, ALL_PHASES) == 0)
            return sim_resolve_fail(self, "phases", item->node->key, "\"all\" is the whole run; expected another name");
        if (item->value >= self->raw->duration)
            return sim_resolve_fail(self, "phases", item->node,
                                    "\"%s\" begins when the run is over; expected a start before its end", item->name);
        phases[i] = (sim_phase){item->name, item->value};
        self->out->phase_count++;
    }
    return true;
}

static bool check_phase(sim_resolver *self, const char *path, const sim_node *node, const char *name)
{
    const char *known[SIM_PHASES_MAX + 1] = {ALL_PHASES};
    size_t count = 1;
    for (uint32_t i = 0; i < self->out->phase_count; i++)
        known[count++] = self->out->phase[i].name;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(known[i], name) == 0)
            return true;
    }
    const char *nearest = sim_nearest(name, known, count);
    return sim_resolve_fail(self, path, node, "unknown phase \"%s\"; expected \"all\" or one of phases%s%s%s", name,
                            nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                            nearest != NULL ? "\"?" : "");
}

static double to_double(const sim_raw_number *number)
{
    double divisor = 1;
    for (int64_t i = 0; i < number->scale; i++)
        divisor *= 10;
    return (double)number->value / divisor;
}

static bool resolve_limit(sim_resolver *self, const char *path, const sim_raw_expectation *raw, sim_expectation *out)
{
    int count = 0;
    for (int type = 0; type < 3; type++) {
        if (raw->limit[type].node == NULL)
            continue;
        out->type = (sim_expect_type)type;
        out->limit = to_double(&raw->limit[type]);
        out->form = raw->limit[type].form;
        out->limit_node = raw->limit[type].node;
        count++;
    }
    if (count == 1)
        return true;
    return sim_resolve_fail(self, path, raw->node, "found %d of at_most, at_least and equals; expected exactly one",
                            count);
}

static bool resolve_expectations(sim_resolver *self)
{
    const sim_raw_items *items = &self->raw->expect;
    sim_expectation *expectations = sim_arena_array(self->decoder->arena, items->count, sizeof *expectations);
    self->out->expectation = expectations;
    for (uint32_t i = 0; i < items->count; i++) {
        const sim_raw_expectation *raw = items->item[i].record;
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "expect[%" PRIu32 "]", i + 1);
        expectations[i] = (sim_expectation){
            .metric = raw->metric,
            .policy = raw->policy,
            .phase = raw->phase != NULL ? raw->phase : ALL_PHASES,
            .because = raw->because,
            .line = raw->node->line,
            .metric_node = sim_node_get(raw->node, "metric"),
            .policy_node = sim_node_get(raw->node, "policy"),
        };
        if (!check_phase(self, path, sim_node_get(raw->node, "phase"), expectations[i].phase) ||
            !resolve_limit(self, path, raw, &expectations[i]))
            return false;
        self->out->expectation_count++;
    }
    return true;
}

static bool resolve_margins(sim_resolver *self)
{
    const sim_raw_items *items = &self->raw->margins;
    sim_margin *margins = sim_arena_array(self->decoder->arena, items->count, sizeof *margins);
    self->out->margin = margins;
    for (uint32_t i = 0; i < items->count; i++) {
        const sim_raw_margin *raw = items->item[i].record;
        const bool is_relative = raw->relative != SIM_ABSENT;
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "margins.%s", items->item[i].name);
        if (is_relative == (raw->absolute.node != NULL))
            return sim_resolve_fail(self, path, raw->node, "found %s of relative and absolute; expected exactly one",
                                    is_relative ? "both" : "none");
        if (!is_relative && raw->absolute.value < 0)
            return sim_resolve_fail(self, path, raw->absolute.node, "a margin is a size; expected 0 or more");
        margins[i] = (sim_margin){
            .metric = items->item[i].name,
            .is_relative = is_relative,
            .value = is_relative ? (double)raw->relative / SIM_SHARE_ONE : to_double(&raw->absolute),
            .form = raw->absolute.form,
            .metric_node = raw->node->key,
            .value_node = is_relative ? sim_node_get(raw->node, "relative") : raw->absolute.node,
        };
        self->out->margin_count++;
    }
    return true;
}

static void resolve_objectives(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->objectives;
    for (uint32_t i = 0; i < raw->count; i++) {
        self->out->objective_node[i] = raw->item[i].node;
        self->out->objective[self->out->objective_count++] = raw->item[i].name;
    }
}

/* A variable's value must parse, whatever the policies say. */
static bool resolve_environment(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->environment;
    sim_variable *variables = sim_arena_array(self->decoder->arena, raw->count, sizeof *variables);
    self->out->environment = variables;
    for (uint32_t i = 0; i < raw->count; i++) {
        variables[i] = (sim_variable){raw->item[i].name, raw->item[i].text};
        self->out->environment_count++;
    }
    const rgn_environment environment = sim_scenario_environment(self->out);
    rgn_effective_options effective;
    rgn_options_error error;
    if (rgn_options_resolve(NULL, NULL, NULL, &environment, &effective, &error) == RGN_OK || error.variable == NULL)
        return true;
    char text[SIM_SHOW_SIZE];
    char low[64];
    char high[64];
    const rgn_knob *knob = rgn_knob_at(error.knob);
    sim_format_knob(error.knob, knob->min, low, sizeof low);
    sim_format_knob(error.knob, knob->max, high, sizeof high);
    return sim_resolve_fail(self, "environment", sim_node_get(raw->node, error.variable),
                            "%s=%s is no value for %s; expected %s to %s", error.variable,
                            sim_text_show(error.text, text), knob->name, low, high);
}

bool sim_resolve_outcome(sim_resolver *self)
{
    const sim_raw_scenario *raw = self->raw;
    sim_scenario *out = self->out;
    out->healthy_errors = (uint32_t)raw->healthy_when.errors;
    out->healthy_latency = (uint32_t)raw->healthy_when.latency;
    out->healthy_added = raw->healthy_when.added;
    out->flap_window = raw->flap_window;
    out->interval = raw->interval;
    out->transitions_per_partition = raw->record.transitions;
    if (raw->duration / raw->interval > INTERVALS_MAX)
        return sim_resolve_fail(self, "interval", sim_node_get(raw->node, "interval"),
                                "more than 1000000 intervals in the run; expected a longer one");
    resolve_objectives(self);
    return resolve_phases(self) && resolve_margins(self) && resolve_expectations(self) && resolve_environment(self);
}
