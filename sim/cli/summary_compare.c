/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each policy against the baseline: a table of the objectives and of what else differs, the rest in lists. */
#include <stdlib.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "cli/wrap.h"

enum { HEADLINES = 2, CELLS = 6, NARROW_CELLS = 4, VERDICT_CELL = 1 };

static bool is_shown(const cli_summary *summary, uint32_t s, uint32_t p, size_t row)
{
    const sim_comparison *comparison = cli_comparison(summary, s, p, row);
    return row < HEADLINES || comparison->is_objective || cli_differs(comparison);
}

static void put_relative(double difference, double baseline, char out[CLI_VALUE_SIZE])
{
    const double percent = baseline > 0 ? 100 * difference / baseline : 0;
    if (baseline <= 0)
        (void)snprintf(out, CLI_VALUE_SIZE, "–");
    else if (percent >= 900)
        (void)snprintf(out, CLI_VALUE_SIZE, "×%.0f", 1 + percent / 100);
    else if (percent > -10 && percent < 10)
        (void)snprintf(out, CLI_VALUE_SIZE, "%+.1f %%", percent);
    else
        (void)snprintf(out, CLI_VALUE_SIZE, "%+.0f %%", percent);
}

/* With whatever there is to a difference; "–" for what there is not. */
static bool add_row(const cli_summary *summary, uint32_t s, uint32_t p, size_t row, cli_table *table)
{
    const sim_comparison *comparison = cli_comparison(summary, s, p, row);
    const cli_unit unit = cli_unit_of_row(summary, s, comparison->metric);
    const sim_metric_value baseline = sim_outcome_estimate(summary->outcome, s, SIM_BASELINE, 0, comparison->metric);
    const bool has_interval = comparison->method != SIM_BY_NOTHING;
    const double width = has_interval ? comparison->interval.high - comparison->interval.low : 0;
    char difference[CLI_VALUE_SIZE] = "–";
    char relative[CLI_VALUE_SIZE] = "–";
    char interval[CLI_VALUE_SIZE] = "–";
    char verdict[CLI_VALUE_SIZE];
    if (comparison->has_difference) {
        cli_format_difference(comparison->difference, unit, width, difference);
        put_relative(comparison->difference, baseline.value, relative);
    }
    if (comparison->is_never_seen)
        (void)snprintf(interval, sizeof interval, "at most %.2g a run", comparison->at_most);
    else if (comparison->verdict == SIM_COMPARED_EQUAL)
        (void)snprintf(interval, sizeof interval, "exactly 0");
    else if (has_interval)
        cli_format_interval(comparison->interval.low, comparison->interval.high, unit, interval);
    (void)snprintf(verdict, sizeof verdict, comparison->is_objective ? "%s" : "(%s)",
                   sim_compared_word(comparison->verdict));
    const char *cells[CELLS] = {
        sim_metric_at(comparison->metric)->name, verdict, difference, interval, unit.name, relative};
    const bool ok = cli_table_add(table, cells);
    if (ok && comparison->verdict == SIM_COMPARED_BETTER)
        cli_table_highlight(table, table->row_count - 1, VERDICT_CELL);
    return ok;
}

/* Objectives first, each group in the order of the rows. */
static bool fill(const cli_summary *summary, uint32_t s, uint32_t p, cli_table *table)
{
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t row = 0; ok && row < summary->rows[s].count; row++) {
            const bool is_first = row < HEADLINES || cli_comparison(summary, s, p, row)->is_objective;
            if (is_first == (pass == 0) && is_shown(summary, s, p, row))
                ok = add_row(summary, s, p, row, table);
        }
    }
    return ok;
}

/* A list of metrics, under what they have in common. */
typedef struct {
    const char *title;
    bool (*holds)(const sim_comparison *comparison);
} group;

static bool is_equivalent(const sim_comparison *comparison)
{
    return comparison->verdict == SIM_COMPARED_EQUIVALENT;
}

static bool is_inconclusive(const sim_comparison *comparison)
{
    return comparison->verdict == SIM_COMPARED_INCONCLUSIVE;
}

static bool is_equal(const sim_comparison *comparison)
{
    return comparison->verdict == SIM_COMPARED_EQUAL && !comparison->is_never_seen;
}

static bool is_never_seen(const sim_comparison *comparison)
{
    return comparison->verdict == SIM_COMPARED_EQUAL && comparison->is_never_seen;
}

static bool is_unjudged(const sim_comparison *comparison)
{
    return comparison->verdict == SIM_COMPARED_TOO_FEW;
}

static bool is_missing(const sim_comparison *comparison)
{
    return comparison->verdict == SIM_COMPARED_NO_DATA;
}

static const group GROUPS[] = {
    {"Inconclusive", is_inconclusive},
    {"Equivalent, within the margin that matters", is_equivalent},
    {"Exactly equal", is_equal},
    {"Never seen under either, so at most", is_never_seen},
    {"Too few replications (rare events need 6)", is_unjudged},
    {"No data, or known in part only", is_missing},
};

static bool disagrees(const sim_comparison *comparison)
{
    return comparison->has_bootstrap && comparison->bootstrap_disagrees;
}

static const group SECOND_OPINION = {"Doubtful: resampling the replications gives another interval", disagrees};

static void print_group(const cli_summary *summary, uint32_t s, uint32_t p, const group *of, bool also_shown,
                        cli_format format, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (line == NULL)
        return;
    uint32_t count = 0;
    for (size_t row = 0; row < summary->rows[s].count; row++) {
        const sim_comparison *comparison = cli_comparison(summary, s, p, row);
        if (!of->holds(comparison) || (!also_shown && is_shown(summary, s, p, row)))
            continue;
        (void)fputs(count == 0 ? of->title : ",", line);
        if (count == 0 && of->holds == is_never_seen)
            (void)fprintf(line, " %.2g a run (95 %%)", comparison->at_most);
        (void)fprintf(line, "%s%s", count == 0 ? ": " : " ", sim_metric_at(comparison->metric)->name);
        count++;
    }
    if (fclose(line) == 0 && count > 0) {
        if (format == CLI_MD)
            (void)fprintf(out, "- %s\n", text);
        else
            cli_put_wrapped(out, text, 0, 2, cli_screen_width(out));
    }
    free(text);
}

static bool print_policy(const cli_summary *summary, uint32_t s, uint32_t p, cli_format format, FILE *out)
{
    static const cli_column COLUMNS[CELLS] = {{"metric", false},       {"verdict", false}, {"difference", true},
                                              {"95 % interval", true}, {"unit", false},    {"relative", true}};
    const bool is_narrow = format == CLI_TEXT && cli_screen_width(out) < CLI_SCREEN_DEFAULT;
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    cli_table table;
    /* What a narrow screen leaves out stands in the table of values or follows from it. */
    cli_table_init(&table, COLUMNS, is_narrow ? NARROW_CELLS : CELLS);
    const bool ok = fill(summary, s, p, &table);
    if (ok) {
        (void)fprintf(out, "\n%s%s%s against %s%s\n%s", format == CLI_MD ? "### " : "", has_colour ? CLI_BOLD : "",
                      summary->plan->policy[p]->name, summary->plan->policy[SIM_BASELINE]->name,
                      has_colour ? CLI_PLAIN : "", format == CLI_MD ? "\n" : "");
        cli_table_print(&table, format, out);
        if (format == CLI_MD)
            (void)fputc('\n', out);
        for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; i++)
            print_group(summary, s, p, &GROUPS[i], false, format, out);
        print_group(summary, s, p, &SECOND_OPINION, true, format, out);
    }
    cli_table_deinit(&table);
    return ok;
}

bool cli_print_comparisons(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out)
{
    bool ok = true;
    for (uint32_t p = SIM_BASELINE + 1; ok && p < summary->plan->policy_count; p++)
        ok = print_policy(summary, scenario, p, format, out);
    if (ok && summary->plan->policy_count > 1) {
        static const char EXPLANATION[] =
            "Differences are taken within replications, which meet the same luck under every policy. Verdicts on "
            "objectives hold for all of them together (Holm); those in brackets are descriptive.";
        (void)fputc('\n', out);
        if (format == CLI_MD)
            (void)fprintf(out, "%s\n", EXPLANATION);
        else
            cli_put_wrapped(out, EXPLANATION, 0, 0, cli_prose_width(out));
    }
    return ok;
}
