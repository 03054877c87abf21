/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each policy against the baseline: a table of the objectives and of what else differs, the rest in lists. */
#include <stdlib.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "cli/wrap.h"

/* What a column may hold. */
typedef enum { METRIC, VERDICT, BASELINE, POLICY, DIFFERENCE, INTERVAL, UNIT, RELATIVE, PAIRING, CELL_KINDS } cell_kind;

/* Columns of a view on a screen; what a narrow one of `run` leaves out stands in its table of values or follows from
 * it, and what does not fit beside the metric falls into a second part. */
typedef struct {
    size_t count;
    cell_kind kind[CELL_KINDS];
} layout;

enum { WIDE = 130 };

static layout layout_for(cli_view view, cli_format format, int width)
{
    const bool is_text = format == CLI_TEXT;
    if (view == CLI_VIEW_RUN && is_text && width < CLI_SCREEN_DEFAULT)
        return (layout){4, {METRIC, VERDICT, DIFFERENCE, INTERVAL}};
    if (view == CLI_VIEW_RUN)
        return (layout){6, {METRIC, VERDICT, DIFFERENCE, INTERVAL, UNIT, RELATIVE}};
    if (is_text && width < CLI_SCREEN_DEFAULT)
        return (layout){9, {METRIC, VERDICT, DIFFERENCE, INTERVAL, BASELINE, POLICY, UNIT, RELATIVE, PAIRING}};
    if (is_text && width < WIDE)
        return (layout){8, {METRIC, BASELINE, POLICY, DIFFERENCE, INTERVAL, UNIT, VERDICT, PAIRING}};
    return (layout){9, {METRIC, BASELINE, POLICY, DIFFERENCE, INTERVAL, UNIT, RELATIVE, VERDICT, PAIRING}};
}

static bool is_shown(const cli_summary *summary, uint32_t s, uint32_t p, size_t row)
{
    const sim_comparison *comparison = cli_comparison(summary, s, p, row);
    if (row >= summary->rows[s].usual)
        return false;
    if (row < CLI_HEADLINES || comparison->is_objective || cli_differs(comparison))
        return true;
    return summary->view == CLI_VIEW_COMPARE &&
           (comparison->verdict == SIM_COMPARED_EQUIVALENT || comparison->verdict == SIM_COMPARED_INCONCLUSIVE);
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

static void put_gain(const sim_comparison *comparison, char out[CLI_VALUE_SIZE])
{
    if (comparison->has_gain)
        (void)snprintf(out, CLI_VALUE_SIZE, comparison->gain < 10 ? "×%.1f" : "×%.0f", comparison->gain);
    else
        (void)snprintf(out, CLI_VALUE_SIZE, "–");
}

static void put_interval(const sim_comparison *comparison, cli_unit unit, char out[CLI_VALUE_SIZE])
{
    if (comparison->is_never_seen)
        (void)snprintf(out, CLI_VALUE_SIZE, "at most %.2g a run", comparison->at_most);
    else if (comparison->verdict == SIM_COMPARED_EQUAL)
        (void)snprintf(out, CLI_VALUE_SIZE, "exactly 0");
    else if (comparison->method != SIM_BY_NOTHING)
        cli_format_interval(comparison->interval.low, comparison->interval.high, unit, out);
}

static cli_mark mark_of(sim_compared verdict)
{
    return verdict == SIM_COMPARED_BETTER  ? CLI_MARK_GOOD
           : verdict == SIM_COMPARED_WORSE ? CLI_MARK_BAD
                                           : CLI_MARK_NONE;
}

/* With whatever there is to a difference; "–" for what there is not. */
static bool add_row(const cli_summary *summary, uint32_t s, uint32_t p, size_t row, const layout *columns,
                    cli_table *table)
{
    const sim_comparison *comparison = cli_comparison(summary, s, p, row);
    const sim_metric_value baseline = sim_outcome_estimate(summary->outcome, s, SIM_BASELINE, 0, comparison->metric);
    const sim_metric_value policy = sim_outcome_estimate(summary->outcome, s, p, 0, comparison->metric);
    const cli_unit unit = cli_unit_of_row(summary, s, comparison->metric);
    char text[CELL_KINDS][CLI_VALUE_SIZE];
    for (int kind = 0; kind < CELL_KINDS; kind++)
        (void)snprintf(text[kind], CLI_VALUE_SIZE, "–");
    (void)snprintf(text[METRIC], CLI_VALUE_SIZE, "%s", sim_metric_at(comparison->metric)->name);
    (void)snprintf(text[UNIT], CLI_VALUE_SIZE, "%s", unit.name);
    (void)snprintf(text[VERDICT], CLI_VALUE_SIZE, comparison->is_objective ? "%s" : "(%s)",
                   sim_compared_word(comparison->verdict));
    cli_format_value(&baseline, unit, text[BASELINE]);
    cli_format_value(&policy, unit, text[POLICY]);
    if (comparison->has_difference) {
        const double width =
            comparison->method == SIM_BY_NOTHING ? 0 : comparison->interval.high - comparison->interval.low;
        cli_format_difference(comparison->difference, unit, width, text[DIFFERENCE]);
        put_relative(comparison->difference, baseline.value, text[RELATIVE]);
    }
    put_interval(comparison, unit, text[INTERVAL]);
    put_gain(comparison, text[PAIRING]);
    const char *cells[CELL_KINDS];
    for (size_t c = 0; c < columns->count; c++)
        cells[c] = text[columns->kind[c]];
    if (!cli_table_add(table, cells))
        return false;
    for (size_t c = 0; c < columns->count; c++) {
        if (columns->kind[c] == VERDICT)
            cli_table_mark(table, table->row_count - 1, c, mark_of(comparison->verdict));
    }
    return true;
}

/* Objectives first, each group in the order of the rows. */
static bool fill(const cli_summary *summary, uint32_t s, uint32_t p, const layout *columns, cli_table *table)
{
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t row = 0; ok && row < summary->rows[s].count; row++) {
            const bool is_first = row < CLI_HEADLINES || cli_comparison(summary, s, p, row)->is_objective;
            if (is_first == (pass == 0) && is_shown(summary, s, p, row))
                ok = add_row(summary, s, p, row, columns, table);
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
    for (size_t row = 0; row < summary->rows[s].usual; row++) {
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

/* "away_healthy_s 0.0 -> 12.1 pair-h (worse), home_unhealthy_s ..." */
static void print_headline(const cli_summary *summary, uint32_t s, uint32_t p, cli_format format, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (line == NULL)
        return;
    for (size_t row = 0; row < CLI_HEADLINES; row++) {
        const sim_comparison *comparison = cli_comparison(summary, s, p, row);
        const sim_metric_id metric = comparison->metric;
        const sim_metric_value then = sim_outcome_estimate(summary->outcome, s, SIM_BASELINE, 0, metric);
        const sim_metric_value now = sim_outcome_estimate(summary->outcome, s, p, 0, metric);
        const cli_unit unit = cli_unit_of_row(summary, s, metric);
        char text_then[CLI_VALUE_SIZE];
        char text_now[CLI_VALUE_SIZE];
        cli_format_value(&then, unit, text_then);
        cli_format_value(&now, unit, text_now);
        (void)fprintf(line, "%s%s %s -> %s %s (%s)", row == 0 ? "" : ", against ", sim_metric_at(metric)->name,
                      text_then, text_now, unit.name, sim_compared_word(comparison->verdict));
    }
    if (fclose(line) == 0 && format == CLI_MD)
        (void)fprintf(out, "%s\n\n", text);
    else if (text != NULL)
        cli_put_wrapped(out, text, 0, 0, cli_screen_width(out));
    free(text);
}

static bool print_policy(const cli_summary *summary, uint32_t s, uint32_t p, cli_format format, FILE *out)
{
    const cli_column all[CELL_KINDS] = {
        [METRIC] = {"metric", false},
        [VERDICT] = {"verdict", false},
        [BASELINE] = {summary->plan->policy[SIM_BASELINE]->name, true},
        [POLICY] = {summary->plan->policy[p]->name, true},
        [DIFFERENCE] = {"difference", true},
        [INTERVAL] = {"95 % interval", true},
        [UNIT] = {"unit", false},
        [RELATIVE] = {"relative", true},
        [PAIRING] = {"pairing", true},
    };
    const layout chosen = layout_for(summary->view, format, cli_screen_width(out));
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    cli_column columns[CELL_KINDS];
    cli_table table;
    for (size_t c = 0; c < chosen.count; c++)
        columns[c] = all[chosen.kind[c]];
    cli_table_init(&table, columns, chosen.count);
    const bool ok = fill(summary, s, p, &chosen, &table);
    if (ok) {
        (void)fprintf(out, "\n%s%s%s against %s%s\n%s", format == CLI_MD ? "### " : "", has_colour ? CLI_BOLD : "",
                      summary->plan->policy[p]->name, summary->plan->policy[SIM_BASELINE]->name,
                      has_colour ? CLI_PLAIN : "", format == CLI_MD ? "\n" : "");
        if (summary->view == CLI_VIEW_COMPARE)
            print_headline(summary, s, p, format, out);
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
        static const char RUN[] =
            "Differences are taken within replications, which meet the same luck under every policy. Verdicts on "
            "objectives hold for all of them together (Holm); those in brackets are descriptive.";
        static const char COMPARE[] =
            "Differences are taken within replications, which meet the same luck under every policy; with a seed of "
            "its "
            "own for each it would take as many times the replications as the column pairing says. Verdicts on "
            "objectives hold for all of them together (Holm); those in brackets are descriptive. The JSON and CSV "
            "forms hold "
            "every metric.";
        const char *explanation = summary->view == CLI_VIEW_RUN ? RUN : COMPARE;
        (void)fputc('\n', out);
        if (format == CLI_MD)
            (void)fprintf(out, "%s\n", explanation);
        else
            cli_put_wrapped(out, explanation, 0, 0, cli_prose_width(out));
    }
    return ok;
}
