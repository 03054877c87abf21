/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sim_gate_word(sim_gate_outcome outcome)
{
    static const char *const WORDS[] = {"identical", "improvement", "within tolerance", "inconclusive",
                                        "no data",   "stale",       "regression"};
    return WORDS[outcome];
}

static uint32_t fewer(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool sim_gate_is_same(const sim_baseline_pair *before, const sim_baseline_pair *after)
{
    for (uint32_t r = 0; r < fewer(before->runs, after->runs); r++) {
        if (strcmp(before->behaviour[r], after->behaviour[r]) != 0 || strcmp(before->result[r], after->result[r]) != 0)
            return false;
    }
    return true;
}

static const sim_baseline_gate *find_gate(const sim_baseline_pair *pair, sim_metric_id metric)
{
    for (uint32_t i = 0; i < pair->gate_count; i++) {
        if (pair->gate[i].metric == metric)
            return &pair->gate[i];
    }
    return NULL;
}

/* Whether the luck is the same, and if not, why. */
static void look_at_luck(const sim_baseline *before, const sim_baseline_scenario *before_scenario,
                         const sim_baseline *after, const sim_baseline_scenario *after_scenario, sim_gate *out)
{
    out->is_paired = true;
    for (uint32_t r = 0; r < fewer(before_scenario->runs, after_scenario->runs); r++)
        out->is_paired = out->is_paired && strcmp(before_scenario->luck[r], after_scenario->luck[r]) == 0;
    if (out->is_paired)
        return;
    if (before->draw_version != after->draw_version)
        (void)snprintf(out->unpaired, sizeof out->unpaired,
                       "random draws have version %u, the baseline's %u: the luck differs", after->draw_version,
                       before->draw_version);
    else if (before->seed != after->seed)
        (void)snprintf(out->unpaired, sizeof out->unpaired, "the seed is %llu, the baseline's %llu: the luck differs",
                       (unsigned long long)after->seed, (unsigned long long)before->seed);
    else
        (void)snprintf(out->unpaired, sizeof out->unpaired,
                       "the scenario's arrivals, clients or network changed, and with them the luck");
}

static bool look_at_versions(const sim_baseline *before, const sim_baseline *after, sim_gate *out)
{
    const bool is_stream = before->stream_version != after->stream_version;
    if (!is_stream && before->metric_version == after->metric_version)
        return true;
    (void)snprintf(
        out->stale, sizeof out->stale, "its %s have version %u, those of this program %u; make it anew with --update",
        is_stream ? "behaviour records" : "metrics", is_stream ? before->stream_version : before->metric_version,
        is_stream ? after->stream_version : after->metric_version);
    return false;
}

/* Values that both sides know, in pairs or (unpaired) each for itself. */
typedef struct {
    double *value[2];
    size_t count[2];
} sides;

/* False: there are replications with a value on one side only, or one that is known in part; or there is none. */
static bool gather(const sim_baseline_gate *before, uint32_t before_runs, const sim_baseline_gate *after,
                   uint32_t after_runs, bool is_paired, sides *out)
{
    const sim_baseline_gate *gate[] = {before, after};
    uint32_t runs[] = {before_runs, after_runs};
    uint32_t missing[2] = {0, 0};
    if (is_paired)
        runs[0] = runs[1] = fewer(before_runs, after_runs);
    for (int side = 0; side < 2; side++) {
        out->count[side] = 0;
        for (uint32_t r = 0; r < runs[side]; r++) {
            const sim_metric_value *value = &gate[side]->value[r];
            if (value->is_censored)
                return false;
            missing[side] += value->is_null;
            if (is_paired && value->is_null != gate[1 - side]->value[r].is_null)
                return false;
            if (!value->is_null)
                out->value[side][out->count[side]++] = value->value;
        }
    }
    /* Unpaired, a value that is missing more often than before may be one that got out of hand. */
    return out->count[0] > 0 && out->count[1] > 0 && (is_paired || missing[1] * runs[0] <= missing[0] * runs[1]);
}

static double mean_of(const double *value, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += value[i];
    return count == 0 ? 0 : total / (double)count;
}

static double margin_at(const sim_baseline_gate *gate, double value)
{
    return gate->is_relative ? fabs(value) * gate->tolerance : gate->tolerance;
}

static double limit_at(const sim_baseline_gate *gate, double value, double towards)
{
    const double sign = sim_metric_at(gate->metric)->better == SIM_HIGHER_IS_BETTER             ? -1
                        : sim_metric_at(gate->metric)->better == SIM_NEITHER && towards < value ? -1
                                                                                                : 1;
    return value + sign * margin_at(gate, value);
}

static sim_gate_outcome outcome_of(sim_compared verdict)
{
    switch (verdict) {
    case SIM_COMPARED_NO_DATA:
        return SIM_GATE_NO_DATA;
    case SIM_COMPARED_TOO_FEW:
    case SIM_COMPARED_INCONCLUSIVE:
        return SIM_GATE_INCONCLUSIVE;
    case SIM_COMPARED_EQUAL:
    case SIM_COMPARED_EQUIVALENT:
        return SIM_GATE_WITHIN;
    case SIM_COMPARED_BETTER:
        return SIM_GATE_IMPROVED;
    case SIM_COMPARED_WORSE:
    case SIM_COMPARED_HIGHER: /* of a metric that is to stay where it is */
    case SIM_COMPARED_LOWER:
        return SIM_GATE_REGRESSED;
    }
    return SIM_GATE_NO_DATA;
}

/* The first replication that is beyond its own limit. */
static uint32_t first_beyond(const sim_gate_rule *rule, const sim_baseline_gate *after, uint32_t runs,
                             uint32_t otherwise)
{
    for (uint32_t r = 0; r < runs; r++) {
        const sim_metric_value *then = &rule->gate.value[r];
        const sim_metric_value *now = &after->value[r];
        if (then->is_null || now->is_null)
            continue;
        const double limit = limit_at(&rule->gate, then->value, now->value);
        if (limit < then->value ? now->value < limit : now->value > limit)
            return r;
    }
    return otherwise;
}

typedef struct {
    const sim_baseline_pair *before, *after;
    sides *side;         /* [rule] */
    sim_value_sets *set; /* of the rules that can be compared */
    sim_comparison *comparison;
    size_t *rule; /* of each set */
    size_t count;
} comparing;

/* The rule of one gate: what there is on both sides. Whether it is compared. */
static bool open_rule(const comparing *self, size_t i, sim_gate *out)
{
    sim_gate_rule *rule = &out->rule[i];
    const sim_baseline_gate *after = find_gate(self->after, rule->metric);
    if (after == NULL ||
        !gather(&rule->gate, self->before->runs, after, self->after->runs, out->is_paired, &self->side[i])) {
        rule->outcome = after == NULL ? SIM_GATE_STALE : SIM_GATE_NO_DATA;
        return false;
    }
    const sides *side = &self->side[i];
    rule->has_values = true;
    rule->then = mean_of(side->value[0], side->count[0]);
    rule->now = mean_of(side->value[1], side->count[1]);
    rule->limit = limit_at(&rule->gate, rule->then, rule->now);
    rule->replication = out->is_paired
                            ? first_beyond(rule, after, fewer(self->before->runs, self->after->runs), out->changed)
                            : out->changed;
    rule->outcome = SIM_GATE_IDENTICAL;
    return !out->is_same;
}

static bool compare(comparing *self, uint64_t seed, sim_gate *out)
{
    for (size_t i = 0; i < out->rule_count; i++) {
        const sim_gate_rule *rule = &out->rule[i];
        if (out->rule[i].outcome == SIM_GATE_STALE || !open_rule(self, i, out))
            continue;
        const sides *side = &self->side[i];
        self->set[self->count] = (sim_value_sets){.metric = rule->metric,
                                                  .count = {side->count[0], side->count[1]},
                                                  .value = {side->value[0], side->value[1]},
                                                  .is_paired = out->is_paired,
                                                  .margin = margin_at(&rule->gate, rule->then)};
        self->rule[self->count++] = i;
    }
    if (!sim_compare_values(self->set, self->count, seed, self->comparison))
        return false;
    for (size_t k = 0; k < self->count; k++) {
        out->rule[self->rule[k]].comparison = self->comparison[k];
        out->rule[self->rule[k]].outcome = outcome_of(self->comparison[k].verdict);
    }
    return true;
}

/* Gates of the file first, then metrics that the scenario gates and the file does not: those are stale. */
static void put_rules(const sim_baseline_pair *before, const sim_baseline_pair *after, sim_gate *out)
{
    for (uint32_t i = 0; i < before->gate_count; i++)
        out->rule[out->rule_count++] = (sim_gate_rule){.metric = before->gate[i].metric, .gate = before->gate[i]};
    for (uint32_t i = 0; i < after->gate_count; i++) {
        if (find_gate(before, after->gate[i].metric) == NULL)
            out->rule[out->rule_count++] =
                (sim_gate_rule){.metric = after->gate[i].metric, .gate = after->gate[i], .outcome = SIM_GATE_STALE};
    }
}

static bool compare_rules(const sim_baseline_pair *before, const sim_baseline_pair *after, uint64_t seed, sim_gate *out)
{
    enum { RULES = 2 * SIM_OBJECTIVES_MAX };
    sides side[RULES];
    sim_value_sets set[RULES] = {{0}};
    sim_comparison comparison[RULES];
    size_t rule[RULES];
    const size_t runs[] = {before->runs, after->runs};
    comparing self = {before, after, side, set, comparison, rule, 0};
    bool ok = true;
    memset(side, 0, sizeof side);
    for (int i = 0; i < 2 * RULES; i++) {
        side[i / 2].value[i % 2] = calloc(runs[i % 2] + 1, sizeof(double));
        ok = ok && side[i / 2].value[i % 2] != NULL;
    }
    ok = ok && compare(&self, seed, out);
    for (int i = 0; i < 2 * RULES; i++)
        free(side[i / 2].value[i % 2]);
    return ok;
}

bool sim_gate_judge(const sim_baseline *before, const sim_baseline_scenario *before_scenario,
                    const sim_baseline_pair *before_pair, const sim_baseline *after,
                    const sim_baseline_scenario *after_scenario, const sim_baseline_pair *after_pair, int64_t duration,
                    sim_gate *out)
{
    *out = (sim_gate){.runs = fewer(before_pair->runs, after_pair->runs)};
    put_rules(before_pair, after_pair, out);
    const bool is_comparable = look_at_versions(before, after, out);
    look_at_luck(before, before_scenario, after, after_scenario, out);
    out->is_same = is_comparable && out->is_paired && sim_gate_is_same(before_pair, after_pair);
    if (!out->is_same)
        sim_gate_explain(before, before_scenario, before_pair, after_scenario, after_pair, duration, out);
    for (size_t i = 0; !is_comparable && i < out->rule_count; i++)
        out->rule[i].outcome = SIM_GATE_STALE;
    if (is_comparable && !compare_rules(before_pair, after_pair, before->seed, out))
        return false;
    for (size_t i = 0; i < out->rule_count; i++)
        out->outcome = out->rule[i].outcome > out->outcome ? out->rule[i].outcome : out->outcome;
    return true;
}
