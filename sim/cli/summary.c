/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/summary.h"

#include <stdlib.h>

#include "cli/table.h"
#include "cli/units.h"
#include "cli/wrap.h"

static const sim_metric_id ROWS[] = {
    SIM_METRIC_away_healthy_s,
    SIM_METRIC_home_unhealthy_s,
    SIM_METRIC_flap_count,
    SIM_METRIC_flap_rate,
    SIM_METRIC_premature_failback_count,
    SIM_METRIC_false_trip_count,
    SIM_METRIC_missed_trip_count,
    SIM_METRIC_trip_count,
    SIM_METRIC_failback_count,
    SIM_METRIC_retrip_count,
    SIM_METRIC_failback_lag_p50,
    SIM_METRIC_failback_lag_max,
    SIM_METRIC_failback_pending_count,
    SIM_METRIC_detection_time_p50,
    SIM_METRIC_canary_count,
    SIM_METRIC_canary_failure_count,
    SIM_METRIC_canary_blast_radius,
    SIM_METRIC_canary_caller_error_count,
    SIM_METRIC_availability,
    SIM_METRIC_error_count,
    SIM_METRIC_client_availability_min,
    SIM_METRIC_latency_p50,
    SIM_METRIC_latency_p99,
    SIM_METRIC_latency_p999,
    SIM_METRIC_load_amplification,
    SIM_METRIC_requests,
};

sim_metric_id cli_summary_metric(size_t n)
{
    return n < sizeof ROWS / sizeof *ROWS ? ROWS[n] : SIM_METRIC_COUNT;
}

static bool is_whole(double value)
{
    return value >= 0 && value < 1e15 && (double)(int64_t)value >= value;
}

static bool is_known(const sim_metric_value *value)
{
    return !value->is_null || value->is_censored;
}

/* The unit that suits all policies of a row. */
static cli_unit unit_of_row(const cli_summary *summary, uint32_t scenario, sim_metric_id metric)
{
    double largest = 0;
    bool all_whole = true;
    for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        if (!is_known(&value))
            continue;
        largest = value.value > largest ? value.value : largest;
        all_whole = all_whole && is_whole(value.value);
    }
    return cli_unit_for(sim_metric_at(metric), largest, all_whole);
}

/* Marks the best cells of a row, unless all are alike. */
static void highlight_best(const cli_summary *summary, uint32_t scenario, sim_metric_id metric, cli_table *table)
{
    const double sign = (double)sim_metric_at(metric)->better;
    const uint32_t policies = summary->plan->policy_count;
    double best = 0;
    double worst = 0;
    uint32_t known = 0;
    for (uint32_t p = 0; p < policies; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        if (value.is_null)
            continue;
        const double merit = sign * value.value;
        best = known == 0 || merit > best ? merit : best;
        worst = known == 0 || merit < worst ? merit : worst;
        known++;
    }
    for (uint32_t p = 0; known > 1 && best > worst && p < policies; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        if (!value.is_null && sign * value.value >= best)
            cli_table_highlight(table, table->row_count - 1, 2 + p);
    }
}

static bool add_row(const cli_summary *summary, uint32_t scenario, sim_metric_id metric, const char **cells,
                    char (*text)[CLI_VALUE_SIZE], cli_table *table)
{
    const cli_unit unit = unit_of_row(summary, scenario, metric);
    cells[0] = sim_metric_at(metric)->name;
    cells[1] = unit.name;
    for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        cli_format_value(&value, unit, text[p]);
        cells[2 + p] = text[p];
    }
    if (!cli_table_add(table, cells))
        return false;
    highlight_best(summary, scenario, metric, table);
    return true;
}

static bool print_values(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out)
{
    const uint32_t policies = summary->plan->policy_count;
    cli_column *columns = calloc(2 + (size_t)policies, sizeof *columns);
    const char **cells = calloc(2 + (size_t)policies, sizeof *cells);
    char(*text)[CLI_VALUE_SIZE] = calloc(policies, sizeof *text);
    cli_table table = {0};
    bool ok = columns != NULL && cells != NULL && text != NULL;
    if (ok) {
        columns[0] = (cli_column){"metric", false};
        columns[1] = (cli_column){"unit", false};
        for (uint32_t p = 0; p < policies; p++)
            columns[2 + p] = (cli_column){summary->plan->policy[p]->name, true};
        cli_table_init(&table, columns, 2 + policies);
    }
    for (size_t i = 0; ok && cli_summary_metric(i) != SIM_METRIC_COUNT; i++)
        ok = add_row(summary, scenario, cli_summary_metric(i), cells, text, &table);
    if (ok)
        cli_table_print(&table, format, out);
    cli_table_deinit(&table);
    free(columns);
    free(cells);
    free(text);
    return ok;
}

static void print_expectation(const cli_summary *summary, uint32_t scenario, uint32_t policy,
                              const sim_expectation *expectation, cli_format format, FILE *out)
{
    static const char *const WORD[] = {"holds", "FAILS", "no data"};
    static const char *const COLOUR[] = {CLI_GREEN, CLI_RED, CLI_BOLD};
    sim_metric_value estimate;
    const sim_expect_verdict verdict =
        sim_expectation_check(summary->outcome, scenario, policy, expectation, &estimate);
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    char value[CLI_VALUE_SIZE] = "–";
    if (is_known(&estimate))
        (void)snprintf(value, sizeof value, "%s%.6g", estimate.is_censored ? "> " : "", estimate.value);
    (void)fprintf(out, "%s%s%s%s: %s of %s in %s is %s; expected %s %.6g", format == CLI_MD ? "- " : "  ",
                  has_colour ? COLOUR[verdict] : "", WORD[verdict], has_colour ? CLI_PLAIN : "", expectation->metric,
                  summary->plan->policy[policy]->name, expectation->phase, value, sim_expectation_words(expectation),
                  expectation->limit);
    if (expectation->because != NULL && expectation->because[0] != '\0')
        (void)fprintf(out, " (%s)", expectation->because);
    (void)fputc('\n', out);
}

static void print_expectations(const cli_summary *summary, uint32_t s, cli_format format, FILE *out)
{
    const sim_scenario *scenario = summary->plan->scenario[s];
    bool is_first = true;
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
            if (!sim_expectation_is_about(&scenario->expectation[e], summary->plan->policy[p]))
                continue;
            if (is_first)
                (void)fputs("\nExpectations:\n", out);
            if (is_first && format == CLI_MD)
                (void)fputc('\n', out);
            is_first = false;
            print_expectation(summary, s, p, &scenario->expectation[e], format, out);
        }
    }
}

static bool print_scenario(const cli_summary *summary, uint32_t s, cli_format format, FILE *out)
{
    const sim_scenario *scenario = summary->plan->scenario[s];
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    char duration[64];
    sim_format_duration(scenario->duration, duration, sizeof duration);
    (void)fprintf(out, "%s%s%s%s%s%s\n", format == CLI_MD ? "## " : "", has_colour ? CLI_BOLD : "", scenario->name,
                  has_colour ? CLI_PLAIN : "", format == CLI_MD ? "\n\n" : ": ", scenario->about);
    (void)fprintf(out, "%s, %u clients, %u partitions; means of %u replications, seed %llu\n\n", duration,
                  scenario->client_count, scenario->partition_count, summary->plan->replications,
                  (unsigned long long)summary->plan->seed);
    char *verdict = cli_verdict(summary, s);
    const bool ok = verdict != NULL && print_values(summary, s, format, out);
    if (ok) {
        print_expectations(summary, s, format, out);
        (void)fputc('\n', out);
        if (format == CLI_MD)
            (void)fprintf(out, "%s\n", verdict);
        else
            cli_put_wrapped(out, verdict, 0, 0);
        (void)fputc('\n', out);
    }
    free(verdict);
    return ok;
}

static void print_csv(const cli_summary *summary, FILE *out)
{
    (void)fputs("scenario,phase,metric,unit,policy,value,more_than,replications\n", out);
    for (uint32_t s = 0; s < summary->plan->scenario_count; s++) {
        for (size_t i = 0; cli_summary_metric(i) != SIM_METRIC_COUNT; i++) {
            const sim_metric_definition *metric = sim_metric_at(cli_summary_metric(i));
            for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
                const sim_metric_value value = sim_outcome_estimate(summary->outcome, s, p, 0, cli_summary_metric(i));
                cli_csv_text(out, summary->plan->scenario[s]->name);
                (void)fprintf(out, ",all,%s,%s,", metric->name, metric->unit);
                cli_csv_text(out, summary->plan->policy[p]->name);
                (void)fputc(',', out);
                if (is_known(&value))
                    (void)fprintf(out, value.is_null ? ",%.17g" : "%.17g,", value.value);
                else
                    (void)fputc(',', out);
                (void)fprintf(out, ",%llu\n", (unsigned long long)value.samples);
            }
        }
    }
}

bool cli_summary_print(const cli_summary *summary, cli_format format, FILE *out)
{
    if (format == CLI_JSON) {
        cli_summary_print_json(summary, out);
        return true;
    }
    if (format == CLI_CSV) {
        print_csv(summary, out);
        return true;
    }
    bool ok = true;
    for (uint32_t s = 0; ok && s < summary->plan->scenario_count; s++)
        ok = print_scenario(summary, s, format, out);
    (void)fprintf(out, "Database: %s\n", summary->db);
    return ok;
}

cli_expectation_count cli_summary_expectations(const cli_summary *summary)
{
    cli_expectation_count count = {0};
    for (uint32_t s = 0; s < summary->plan->scenario_count; s++) {
        const sim_scenario *scenario = summary->plan->scenario[s];
        for (uint32_t i = 0; i < scenario->expectation_count * summary->plan->policy_count; i++) {
            const sim_expectation *expectation = &scenario->expectation[i / summary->plan->policy_count];
            const uint32_t p = i % summary->plan->policy_count;
            sim_metric_value estimate;
            if (!sim_expectation_is_about(expectation, summary->plan->policy[p]))
                continue;
            const sim_expect_verdict verdict = sim_expectation_check(summary->outcome, s, p, expectation, &estimate);
            count.failed += verdict == SIM_EXPECT_FAILS;
            count.unknown += verdict == SIM_EXPECT_UNKNOWN;
        }
    }
    return count;
}
