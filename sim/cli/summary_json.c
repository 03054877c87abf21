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

/* Against the baseline; in the metric's own unit. */
static void put_comparison(const sim_comparison *comparison, FILE *out)
{
    (void)fprintf(out, ", \"verdict\": \"%s\", \"objective\": %s, \"pairs\": %u",
                  sim_compared_word(comparison->verdict), comparison->is_objective ? "true" : "false",
                  comparison->pairs);
    if (comparison->has_difference)
        (void)fprintf(out, ", \"difference\": %.17g, \"margin\": %.17g", comparison->difference, comparison->margin);
    if (comparison->method != SIM_BY_NOTHING)
        (void)fprintf(out, ", \"interval\": [%.17g, %.17g], \"method\": \"%s\", \"p\": %.17g, \"p_adjusted\": %.17g",
                      comparison->interval.low, comparison->interval.high, sim_compare_method_name(comparison->method),
                      comparison->p, comparison->p_adjusted);
    if (comparison->has_gain)
        (void)fprintf(out, ", \"pairing_gain\": %.17g", comparison->gain);
    if (comparison->is_never_seen)
        (void)fprintf(out, ", \"at_most\": %.17g", comparison->at_most);
    if (comparison->has_bootstrap)
        (void)fprintf(out, ", \"bootstrap\": [%.17g, %.17g], \"bootstrap_disagrees\": %s", comparison->bootstrap.low,
                      comparison->bootstrap.high, comparison->bootstrap_disagrees ? "true" : "false");
}

static void put_metrics(const cli_summary *summary, uint32_t scenario, FILE *out)
{
    (void)fputs("     \"metrics\": [", out);
    for (size_t i = 0; i < summary->rows[scenario].count; i++) {
        const sim_metric_id id = summary->rows[scenario].metric[i];
        const sim_metric_definition *metric = sim_metric_at(id);
        (void)fprintf(out, "%s\n       {\"metric\": \"%s\", \"unit\": \"%s\", \"better\": %d, \"policies\": {",
                      i == 0 ? "" : ",", metric->name, metric->unit, metric->better);
        for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
            const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, id);
            (void)fputs(p == 0 ? "" : ", ", out);
            cli_json_text(out, summary->plan->policy[p]->name);
            (void)fputs(": {", out);
            put_estimate(out, &value);
            (void)fprintf(out, ", \"replications\": %llu", (unsigned long long)value.samples);
            if (p != SIM_BASELINE)
                put_comparison(cli_comparison(summary, scenario, p, i), out);
            (void)fputc('}', out);
        }
        (void)fputs("}}", out);
    }
    (void)fputs("],\n", out);
}

/* The expectation, for one policy; a NULL estimate: the run does not hold that policy. */
static void put_expectation(const sim_expectation *expectation, const char *policy, const sim_metric_value *estimate,
                            const char *verdict, FILE *out)
{
    const sim_metric_value none = {.is_null = true};
    (void)fprintf(out, "\n       {\"metric\": \"%s\", \"policy\": ", expectation->metric);
    cli_json_text(out, policy);
    (void)fputs(", \"phase\": ", out);
    cli_json_text(out, expectation->phase);
    (void)fprintf(out, ", \"expected\": \"%s\", \"limit\": %.17g, ", sim_expectation_words(expectation),
                  expectation->limit);
    put_estimate(out, estimate == NULL ? &none : estimate);
    (void)fprintf(out, ", \"verdict\": \"%s\"}", verdict);
}

static void put_expectations(const cli_summary *summary, uint32_t s, FILE *out)
{
    static const char *const WORD[] = {"holds", "fails", "no data"};
    const sim_scenario *scenario = summary->plan->scenario[s];
    const char *comma = "";
    (void)fputs("     \"expectations\": [", out);
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        const sim_expectation *expectation = &scenario->expectation[e];
        bool is_judged = false;
        for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
            sim_metric_value estimate;
            if (!sim_expectation_is_about(expectation, summary->plan->policy[p]))
                continue;
            const sim_expect_verdict verdict = sim_expectation_check(summary->outcome, s, p, expectation, &estimate);
            (void)fputs(comma, out);
            put_expectation(expectation, summary->plan->policy[p]->name, &estimate, WORD[verdict], out);
            is_judged = true;
            comma = ",";
        }
        if (!is_judged) {
            (void)fputs(comma, out);
            put_expectation(expectation, expectation->policy, NULL, "not judged", out);
            comma = ",";
        }
    }
    (void)fputs("],\n", out);
}

void cli_summary_print_json(const cli_summary *summary, FILE *out)
{
    (void)fprintf(out, "{\"seed\": %llu, \"replications\": %u, \"database\": ", (unsigned long long)summary->plan->seed,
                  summary->plan->replications);
    if (summary->db == NULL)
        (void)fputs("null", out);
    else
        cli_json_text(out, summary->db);
    (void)fputs(", \"baseline\": ", out);
    cli_json_text(out, summary->plan->policy[SIM_BASELINE]->name);
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
