/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary as rows, one for each scenario, metric and policy; values in the metrics' own units. */
#include "cli/summary.h"
#include "cli/table.h"

/* Columns of the comparison; all empty for the baseline itself. */
static void put_comparison(const cli_summary *summary, uint32_t s, uint32_t p, size_t row, FILE *out)
{
    if (p == SIM_BASELINE) {
        (void)fputs(",,,,,,,,,,,", out);
        return;
    }
    const sim_comparison *comparison = cli_comparison(summary, s, p, row);
    (void)fputc(',', out);
    cli_csv_text(out, summary->plan->policy[SIM_BASELINE]->name);
    if (comparison->has_difference)
        (void)fprintf(out, ",%.17g", comparison->difference);
    else
        (void)fputc(',', out);
    if (comparison->method != SIM_BY_NOTHING)
        (void)fprintf(out, ",%.17g,%.17g,%s,%u,%.17g,%.17g", comparison->interval.low, comparison->interval.high,
                      sim_compare_method_name(comparison->method), comparison->pairs, comparison->p,
                      comparison->p_adjusted);
    else
        (void)fprintf(out, ",,,,%u,,", comparison->pairs);
    if (comparison->has_difference)
        (void)fprintf(out, ",%.17g", comparison->margin);
    else
        (void)fputc(',', out);
    if (comparison->has_gain)
        (void)fprintf(out, ",%.17g", comparison->gain);
    else
        (void)fputc(',', out);
    (void)fprintf(out, ",%s", sim_compared_word(comparison->verdict));
}

static void put_row(const cli_summary *summary, uint32_t s, uint32_t p, size_t row, FILE *out)
{
    const sim_metric_id id = summary->rows[s].metric[row];
    const sim_metric_value value = sim_outcome_estimate(summary->outcome, s, p, 0, id);
    cli_csv_text(out, summary->plan->scenario[s]->name);
    (void)fprintf(out, ",all,%s,%s,", sim_metric_at(id)->name, sim_metric_at(id)->unit);
    cli_csv_text(out, summary->plan->policy[p]->name);
    (void)fputc(',', out);
    if (cli_is_known(&value))
        (void)fprintf(out, value.is_null ? ",%.17g" : "%.17g,", value.value);
    else
        (void)fputc(',', out);
    (void)fprintf(out, ",%llu", (unsigned long long)value.samples);
    put_comparison(summary, s, p, row, out);
    (void)fputc('\n', out);
}

void cli_summary_print_csv(const cli_summary *summary, FILE *out)
{
    (void)fputs("scenario,phase,metric,unit,policy,value,more_than,replications,"
                "baseline,difference,low,high,method,pairs,p,p_adjusted,margin,pairing_gain,verdict\n",
                out);
    for (uint32_t s = 0; s < summary->plan->scenario_count; s++) {
        for (size_t row = 0; row < summary->rows[s].count; row++) {
            for (uint32_t p = 0; p < summary->plan->policy_count; p++)
                put_row(summary, s, p, row, out);
        }
    }
}
