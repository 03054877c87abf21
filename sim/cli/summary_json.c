/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary as one JSON object; values in the metrics' own units. */
#include <stdlib.h>

#include "cli/summary.h"
#include "cli/table.h"

static void put_estimate(FILE *out, const sim_metric_value *value)
{
    if (value->is_null)
        (void)fputs("\"value\": null", out);
    else
        (void)fprintf(out, "\"value\": %.17g", value->value);
    if (value->is_null && value->is_censored)
        (void)fprintf(out, ", \"more_than\": %.17g", value->value);
}

static void put_metrics(const cli_summary *summary, uint32_t scenario, FILE *out)
{
    (void)fputs("     \"metrics\": [", out);
    for (size_t i = 0; cli_summary_metric(i) != SIM_METRIC_COUNT; i++) {
        const sim_metric_definition *metric = sim_metric_at(cli_summary_metric(i));
        (void)fprintf(out, "%s\n       {\"metric\": \"%s\", \"unit\": \"%s\", \"better\": %d, \"policies\": {",
                      i == 0 ? "" : ",", metric->name, metric->unit, metric->better);
        for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
            const sim_metric_value value =
                sim_outcome_estimate(summary->outcome, scenario, p, 0, cli_summary_metric(i));
            (void)fputs(p == 0 ? "" : ", ", out);
            cli_json_text(out, summary->plan->policy[p]->name);
            (void)fputs(": {", out);
            put_estimate(out, &value);
            (void)fprintf(out, ", \"replications\": %llu}", (unsigned long long)value.samples);
        }
        (void)fputs("}}", out);
    }
    (void)fputs("],\n", out);
}

static void put_expectations(const cli_summary *summary, uint32_t s, FILE *out)
{
    static const char *const WORD[] = {"holds", "fails", "no data"};
    const sim_scenario *scenario = summary->plan->scenario[s];
    bool is_first = true;
    (void)fputs("     \"expectations\": [", out);
    for (uint32_t i = 0; i < scenario->expectation_count * summary->plan->policy_count; i++) {
        const sim_expectation *expectation = &scenario->expectation[i / summary->plan->policy_count];
        const uint32_t p = i % summary->plan->policy_count;
        if (!sim_expectation_is_about(expectation, summary->plan->policy[p]))
            continue;
        sim_metric_value estimate;
        const sim_expect_verdict verdict = sim_expectation_check(summary->outcome, s, p, expectation, &estimate);
        (void)fprintf(out, "%s\n       {\"metric\": \"%s\", \"policy\": ", is_first ? "" : ",", expectation->metric);
        is_first = false;
        cli_json_text(out, summary->plan->policy[p]->name);
        (void)fputs(", \"phase\": ", out);
        cli_json_text(out, expectation->phase);
        (void)fprintf(out, ", \"expected\": \"%s\", \"limit\": %.17g, ", sim_expectation_words(expectation),
                      expectation->limit);
        put_estimate(out, &estimate);
        (void)fprintf(out, ", \"verdict\": \"%s\"}", WORD[verdict]);
    }
    (void)fputs("],\n", out);
}

void cli_summary_print_json(const cli_summary *summary, FILE *out)
{
    (void)fprintf(out, "{\"seed\": %llu, \"replications\": %u, \"database\": ", (unsigned long long)summary->plan->seed,
                  summary->plan->replications);
    cli_json_text(out, summary->db);
    (void)fputs(",\n \"scenarios\": [", out);
    for (uint32_t s = 0; s < summary->plan->scenario_count; s++) {
        (void)fputs(s == 0 ? "\n    {\"scenario\": " : ",\n    {\"scenario\": ", out);
        cli_json_text(out, summary->plan->scenario[s]->name);
        (void)fputs(",\n", out);
        put_metrics(summary, s, out);
        put_expectations(summary, s, out);
        char *verdict = cli_verdict(summary, s);
        (void)fputs("     \"verdict\": ", out);
        cli_json_text(out, verdict == NULL ? "" : verdict);
        (void)fputc('}', out);
        free(verdict);
    }
    (void)fputs("]}\n", out);
}
