/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of all policies, and each policy against the baseline. */
#include <string.h>

#include "report/page.h"

/* More would not fit a sheet of paper. */
enum { POLICIES_ABREAST = 6, VERDICTS_ABREAST = 4 };

static void put_metric(FILE *out, sim_metric_id metric)
{
    const char *name = sim_metric_at(metric)->name;
    (void)fprintf(out, "<th scope=row><a href=#m-%s>%s</a>", name, name);
}

/* Each cell carries the exact value for the chart and for whoever reads the page by a program. */
static void put_value_row(const rep_section *section, size_t row, uint32_t first, uint32_t last)
{
    const cli_summary *summary = &section->source->summary;
    const sim_metric_id metric = summary->rows[section->scenario].metric[row];
    const cli_unit unit = cli_unit_of_row(summary, section->scenario, metric);
    (void)fputs("<tr>", section->out);
    put_metric(section->out, metric);
    for (uint32_t p = first; p < last; p++) {
        const sim_metric_value value = sim_outcome_estimate(section->source->outcome, section->scenario, p, 0, metric);
        char text[CLI_VALUE_SIZE];
        cli_format_value(&value, unit, text);
        (void)fprintf(section->out, "<td>%s", text);
    }
    (void)fprintf(section->out, "<td class=u>%s\n", unit.name);
}

void rep_put_values(const rep_section *section)
{
    const cli_rows *rows = &section->source->summary.rows[section->scenario];
    (void)fputs("<h3>All policies side by side</h3>\n", section->out);
    for (uint32_t first = 0; first < rep_policies(section); first += POLICIES_ABREAST) {
        const char *heading[POLICIES_ABREAST + 2] = {"metric"};
        const uint32_t rest = rep_policies(section) - first;
        const uint32_t count = rest < POLICIES_ABREAST ? rest : POLICIES_ABREAST;
        char id[40];
        for (uint32_t i = 0; i < count; i++)
            heading[i + 1] = rep_policy_name(section, first + i);
        heading[count + 1] = "unit";
        (void)snprintf(id, sizeof id, "s%zu-values-%u", section->number, first);
        rep_table_open(section->out, id,
                       "Means over replications, whole run; latency percentiles from merged histograms", heading,
                       count + 2);
        for (size_t row = 0; row < rows->count; row++)
            put_value_row(section, row, first, first + count);
        rep_table_close(section->out);
    }
}

static const char *class_of(sim_compared verdict)
{
    switch (verdict) {
    case SIM_COMPARED_BETTER:
        return "better";
    case SIM_COMPARED_WORSE:
        return "worse";
    case SIM_COMPARED_HIGHER:
    case SIM_COMPARED_LOWER:
    case SIM_COMPARED_EQUAL:
    case SIM_COMPARED_EQUIVALENT:
        return "same";
    case SIM_COMPARED_INCONCLUSIVE:
    case SIM_COMPARED_NO_DATA:
    case SIM_COMPARED_TOO_FEW:
        break;
    }
    return "open";
}

static const char *sign_of(sim_compared verdict)
{
    switch (verdict) {
    case SIM_COMPARED_BETTER:
        return "▲ ";
    case SIM_COMPARED_WORSE:
        return "▼ ";
    case SIM_COMPARED_EQUAL:
    case SIM_COMPARED_EQUIVALENT:
        return "= ";
    case SIM_COMPARED_INCONCLUSIVE:
        return "? ";
    case SIM_COMPARED_HIGHER:
    case SIM_COMPARED_LOWER:
    case SIM_COMPARED_NO_DATA:
    case SIM_COMPARED_TOO_FEW:
        break;
    }
    return "";
}

/* In percent of the baseline, for the chart. */
static void put_relative(const rep_section *section, const sim_comparison *one, double baseline)
{
    if (!one->has_difference || one->method == SIM_BY_NOTHING || baseline <= 0)
        return;
    (void)fprintf(section->out, " data-d=\"%.5g %.5g %.5g\"", 100 * one->difference / baseline,
                  100 * one->interval.low / baseline, 100 * one->interval.high / baseline);
}

static void put_interval(const sim_comparison *one, cli_unit unit, char text[CLI_VALUE_SIZE])
{
    if (one->is_never_seen)
        (void)snprintf(text, CLI_VALUE_SIZE, "at most %.2g a run", one->at_most);
    else if (one->verdict == SIM_COMPARED_EQUAL)
        (void)snprintf(text, CLI_VALUE_SIZE, "exactly 0");
    else if (one->method != SIM_BY_NOTHING)
        cli_format_interval(one->interval.low, one->interval.high, unit, text);
    else
        (void)snprintf(text, CLI_VALUE_SIZE, "–");
}

static void put_comparison(const rep_section *section, uint32_t policy, size_t row)
{
    FILE *out = section->out;
    const cli_summary *summary = &section->source->summary;
    const sim_comparison *one = cli_comparison(summary, section->scenario, policy, row);
    const cli_unit unit = cli_unit_of_row(summary, section->scenario, one->metric);
    const sim_metric_value before =
        sim_outcome_estimate(section->source->outcome, section->scenario, SIM_BASELINE, 0, one->metric);
    const sim_metric_value after =
        sim_outcome_estimate(section->source->outcome, section->scenario, policy, 0, one->metric);
    char text[3][CLI_VALUE_SIZE];
    char difference[CLI_VALUE_SIZE] = "–";
    cli_format_value(&before, unit, text[0]);
    cli_format_value(&after, unit, text[1]);
    if (one->has_difference)
        cli_format_difference(one->difference, unit, one->interval.high - one->interval.low, difference);
    put_interval(one, unit, text[2]);
    (void)fprintf(out, "<tr%s", one->is_objective ? " class=objective" : "");
    put_relative(section, one, before.value);
    (void)fputc('>', out);
    (void)fprintf(out, "<th scope=row>%s", sim_metric_at(one->metric)->name);
    (void)fprintf(out, "<td>%s<td>%s<td>%s<td>%s<td class=u>%s<td class=%s>%s%s%s%s%s\n", text[0], text[1], difference,
                  text[2], unit.name, class_of(one->verdict), sign_of(one->verdict), one->is_objective ? "" : "(",
                  sim_compared_word(one->verdict), one->is_objective ? "" : ")",
                  one->has_bootstrap && one->bootstrap_disagrees ? " doubtful" : "");
}

/* One objective under one policy: difference, interval, verdict. */
static void put_objective(const rep_section *section, uint32_t policy, size_t row)
{
    const cli_summary *summary = &section->source->summary;
    const sim_comparison *one = cli_comparison(summary, section->scenario, policy, row);
    const cli_unit unit = cli_unit_of_row(summary, section->scenario, one->metric);
    char difference[CLI_VALUE_SIZE] = "–";
    char interval[CLI_VALUE_SIZE];
    if (one->has_difference)
        cli_format_difference(one->difference, unit, one->interval.high - one->interval.low, difference);
    put_interval(one, unit, interval);
    (void)fprintf(section->out, "<td><span class=%s>%s%s</span><br>%s%s%s <small>%s</small>", class_of(one->verdict),
                  sign_of(one->verdict), sim_compared_word(one->verdict), difference, one->has_difference ? " " : "",
                  one->has_difference ? unit.name : "", interval);
}

static void put_objectives_of(const rep_section *section, uint32_t first, uint32_t count)
{
    const cli_summary *summary = &section->source->summary;
    const cli_rows *rows = &summary->rows[section->scenario];
    const char *heading[VERDICTS_ABREAST + 2] = {"objective", rep_policy_name(section, SIM_BASELINE)};
    char id[40];
    for (uint32_t i = 0; i < count; i++)
        heading[i + 2] = rep_policy_name(section, first + i);
    (void)snprintf(id, sizeof id, "s%zu-objectives-%u", section->number, first);
    rep_table_open(section->out, id, "Difference from the baseline, its 95 % interval, and the verdict", heading,
                   count + 2);
    for (size_t row = 0; row < rows->count; row++) {
        if (!cli_comparison(summary, section->scenario, first, row)->is_objective)
            continue;
        const cli_unit unit = cli_unit_of_row(summary, section->scenario, rows->metric[row]);
        const sim_metric_value value =
            sim_outcome_estimate(section->source->outcome, section->scenario, SIM_BASELINE, 0, rows->metric[row]);
        char text[CLI_VALUE_SIZE];
        cli_format_value(&value, unit, text);
        (void)fputs("<tr>", section->out);
        put_metric(section->out, rows->metric[row]);
        (void)fprintf(section->out, "<td>%s %s", text, unit.name);
        for (uint32_t i = 0; i < count; i++)
            put_objective(section, first + i, row);
        (void)fputc('\n', section->out);
    }
    rep_table_close(section->out);
}

void rep_put_objectives(const rep_section *section)
{
    if (rep_scenario(section)->objective_count == 0)
        return;
    for (uint32_t first = SIM_BASELINE + 1; first < rep_policies(section); first += VERDICTS_ABREAST) {
        const uint32_t rest = rep_policies(section) - first;
        put_objectives_of(section, first, rest < VERDICTS_ABREAST ? rest : VERDICTS_ABREAST);
    }
}

/* A page of many scenarios leaves out what says nothing: equal, or without a verdict; a brief one, all that is neither
 * better nor worse. */
static bool is_listed(const rep_section *section, const sim_comparison *one)
{
    enum { MANY = 4 };
    if (section->page->is_brief)
        return one->is_objective || one->verdict == SIM_COMPARED_BETTER || one->verdict == SIM_COMPARED_WORSE;
    return section->page->scenario_count <= MANY || one->is_objective ||
           (one->verdict != SIM_COMPARED_EQUAL && one->verdict != SIM_COMPARED_NO_DATA &&
            one->verdict != SIM_COMPARED_TOO_FEW);
}

/* Objectives first, then the rest; each in the order of the summary. */
static void put_policy(const rep_section *section, uint32_t policy)
{
    const cli_rows *rows = &section->source->summary.rows[section->scenario];
    const char *heading[] = {"metric",
                             rep_policy_name(section, SIM_BASELINE),
                             rep_policy_name(section, policy),
                             "difference",
                             "95 % interval",
                             "unit",
                             "verdict"};
    char id[40];
    (void)snprintf(id, sizeof id, "s%zu-against-%u", section->number, policy);
    (void)fprintf(section->out, "<div class=against data-p=%u>\n", policy);
    rep_table_open(section->out, id, "Paired differences; objectives first, the rest in brackets is descriptive",
                   heading, sizeof heading / sizeof *heading);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t row = 0; row < rows->count; row++) {
            const sim_comparison *one = cli_comparison(&section->source->summary, section->scenario, policy, row);
            if (one->is_objective == (pass == 0) && is_listed(section, one))
                put_comparison(section, policy, row);
        }
    }
    rep_table_close(section->out);
    (void)fputs("</div>\n", section->out);
}

void rep_put_comparisons(const rep_section *section)
{
    static const char NOTE[] =
        "Relative change against the baseline with its 95 % interval, taken within replications, which meet the same "
        "luck under every policy. A filled mark is a verdict: the interval lies beyond the margin that matters, for "
        "objectives (★) after Holm's correction over all of them. A hollow mark is none. What the baseline has none of "
        "has no relative change and stands in the tables alone.";
    if (rep_policies(section) < 2)
        return;
    rep_figure_open(section, "forest", "Each policy against the baseline",
                    section->page->is_brief && section->number > section->page->tune_count + 1
                        ? "Relative change, 95 % interval; as above."
                        : NOTE);
    for (uint32_t p = SIM_BASELINE + 1; p < rep_policies(section); p++)
        put_policy(section, p);
    rep_figure_close(section);
}
