/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline as text: YAML, sorted, one fact a line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/baseline.h"

/* As few digits as give the same number back. */
static void put_number(double value, FILE *out)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        const double back = strtod(text, NULL);
        if (back <= value && back >= value)
            break;
    }
    (void)fputs(text, out);
}

static void put_value(const sim_metric_value *value, FILE *out)
{
    if (value->is_null && !value->is_censored) {
        (void)fputs("none", out);
        return;
    }
    if (value->is_censored)
        (void)fputs("\">", out);
    put_number(value->value, out);
    (void)fputs(value->is_censored ? "\"" : "", out);
}

static void put_entries(const char *name, const sim_baseline_entry *entry, uint32_t count, int indent, FILE *out)
{
    if (count > 0)
        (void)fprintf(out, "%*s%s:\n", indent, "", name);
    for (uint32_t i = 0; i < count; i++)
        (void)fprintf(out, "%*s%s: \"%s\"\n", indent + 2, "", entry[i].name, entry[i].text);
}

static void put_gate(const sim_baseline_gate *gate, uint32_t runs, FILE *out)
{
    char tolerance[64];
    sim_baseline_format_tolerance(gate, tolerance, sizeof tolerance);
    (void)fprintf(out, "          %s:\n            tolerance: %s\n            values: [",
                  sim_metric_at(gate->metric)->name, tolerance);
    for (uint32_t r = 0; r < runs; r++) {
        (void)fputs(r == 0 ? "" : ", ", out);
        put_value(&gate->value[r], out);
    }
    (void)fputs("]\n", out);
}

static void put_transitions(const sim_baseline_pair *pair, FILE *out)
{
    if (pair->transition_count > 0)
        (void)fputs("        transitions:\n", out);
    for (uint32_t i = 0; i < pair->transition_count; i++) {
        (void)fprintf(out, "          %s: [", pair->transition[i].reason);
        for (uint32_t r = 0; r < SIM_BASELINE_FIRST && r < pair->runs; r++)
            (void)fprintf(out, "%s%" PRIu64, r == 0 ? "" : ", ", pair->transition[i].count[r]);
        (void)fputs("]\n", out);
    }
}

static int by_metric(const void *left, const void *right)
{
    return strcmp(sim_metric_at((*(const sim_baseline_gate *const *)left)->metric)->name,
                  sim_metric_at((*(const sim_baseline_gate *const *)right)->metric)->name);
}

static void put_gates(const sim_baseline_pair *pair, FILE *out)
{
    const sim_baseline_gate *sorted[SIM_OBJECTIVES_MAX];
    for (uint32_t i = 0; i < pair->gate_count; i++)
        sorted[i] = &pair->gate[i];
    qsort(sorted, pair->gate_count, sizeof *sorted, by_metric);
    (void)fputs("        metrics:\n", out);
    for (uint32_t i = 0; i < pair->gate_count; i++)
        put_gate(sorted[i], pair->runs, out);
}

static void put_pair(const sim_baseline_pair *pair, FILE *out)
{
    (void)fprintf(out, "      %s:\n        input: \"%s\"\n", pair->policy, pair->input);
    put_entries("options", pair->option, pair->option_count, 8, out);
    put_gates(pair, out);
    put_transitions(pair, out);
    (void)fputs("        runs:\n", out);
    for (uint32_t r = 0; r < pair->runs; r++)
        (void)fprintf(out, "          - \"%s %s\"\n", pair->behaviour[r], pair->result[r]);
    (void)fputs("        checkpoints:\n", out);
    for (uint32_t r = 0; r < SIM_BASELINE_FIRST && r < pair->runs; r++)
        (void)fprintf(out, "          - \"%s\"\n", pair->checkpoints[r]);
}

static int by_policy(const void *left, const void *right)
{
    return strcmp((*(const sim_baseline_pair *const *)left)->policy,
                  (*(const sim_baseline_pair *const *)right)->policy);
}

static void put_scenario(sim_arena *arena, const sim_baseline_scenario *scenario, FILE *out)
{
    const sim_baseline_pair **sorted = sim_arena_array(arena, scenario->pair_count, sizeof *sorted);
    for (uint32_t i = 0; i < scenario->pair_count; i++)
        sorted[i] = &scenario->pair[i];
    qsort(sorted, scenario->pair_count, sizeof *sorted, by_policy);
    (void)fprintf(out, "  %s:\n", scenario->name);
    put_entries("parts", scenario->part, scenario->part_count, 4, out);
    (void)fputs("    luck:\n", out);
    for (uint32_t r = 0; r < scenario->runs; r++)
        (void)fprintf(out, "      - \"%s\"\n", scenario->luck[r]);
    (void)fputs("    policies:\n", out);
    for (uint32_t i = 0; i < scenario->pair_count; i++)
        put_pair(sorted[i], out);
}

static int by_scenario(const void *left, const void *right)
{
    return strcmp((*(const sim_baseline_scenario *const *)left)->name,
                  (*(const sim_baseline_scenario *const *)right)->name);
}

void sim_baseline_print(const sim_baseline *baseline, const char *comment, FILE *out)
{
    const sim_baseline_scenario **sorted = sim_arena_array(baseline->arena, baseline->scenario_count, sizeof *sorted);
    for (uint32_t i = 0; i < baseline->scenario_count; i++)
        sorted[i] = &baseline->scenario[i];
    qsort(sorted, baseline->scenario_count, sizeof *sorted, by_scenario);
    (void)fputs(comment, out);
    (void)fprintf(out,
                  "regionsim_baseline: %d\n"
                  "tool: \"%s\" # for information\n"
                  "draw_version: %u\n"
                  "stream_version: %u\n"
                  "metric_version: %u\n"
                  "seed: %" PRIu64 "\n"
                  "scenarios:\n",
                  SIM_BASELINE_FORMAT, baseline->tool, baseline->draw_version, baseline->stream_version,
                  baseline->metric_version, baseline->seed);
    for (uint32_t i = 0; i < baseline->scenario_count; i++)
        put_scenario(baseline->arena, sorted[i], out);
}
