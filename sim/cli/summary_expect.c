/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scenarios expect, and whether it holds. */
#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "cli/screen.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "cli/wrap.h"

/* The text after the verdict. NULL: no memory. */
static char *explain_expectation(const cli_summary *summary, uint32_t policy, const sim_expectation *expectation,
                                 const sim_metric_value *estimate)
{
    const sim_metric_definition *metric = sim_metric_at(sim_metric_find(expectation->metric));
    char value[CLI_VALUE_SIZE];
    char limit[CLI_VALUE_SIZE];
    char *text = NULL;
    size_t size = 0;
    char *because = cli_cleaned(expectation->because == NULL ? "" : expectation->because);
    FILE *out = because == NULL ? NULL : open_memstream(&text, &size);
    if (out == NULL) {
        free(because);
        return NULL;
    }
    cli_format_beside(metric, estimate, expectation->limit, value);
    cli_format_limit(metric, expectation->limit, limit);
    (void)fprintf(out, ": %s of %s in %s is %s; expected %s %s", metric->name, summary->plan->policy[policy]->name,
                  expectation->phase, value, sim_expectation_words(expectation), limit);
    if (because[0] != '\0')
        (void)fprintf(out, " (%s)", because);
    free(because);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_line(const char *word, const char *colour, const char *text, cli_format format, FILE *out)
{
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    (void)fprintf(out, "%s%s%s%s", format == CLI_MD ? "- " : "  ", has_colour ? colour : "", word,
                  has_colour ? CLI_PLAIN : "");
    if (format == CLI_MD)
        (void)fprintf(out, "%s\n", text);
    else
        cli_put_wrapped(out, text, 2 + (int)strlen(word), 4, cli_screen_width(out));
}

static void print_expectation(const cli_summary *summary, uint32_t scenario, uint32_t policy,
                              const sim_expectation *expectation, cli_format format, FILE *out)
{
    static const char *const WORD[] = {"holds", "FAILS", "no data"};
    static const char *const COLOUR[] = {CLI_GREEN, CLI_RED, CLI_BOLD};
    sim_metric_value estimate;
    const sim_expect_verdict verdict =
        sim_expectation_check(summary->outcome, scenario, policy, expectation, &estimate);
    char *text = explain_expectation(summary, policy, expectation, &estimate);
    print_line(WORD[verdict], COLOUR[verdict], text == NULL ? "" : text, format, out);
    free(text);
}

static void print_unjudged(const cli_unjudged *one, cli_format format, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (line == NULL)
        return;
    (void)fputs(": ", line);
    cli_unjudged_explain(one, line);
    if (fclose(line) == 0)
        print_line("not judged", CLI_BOLD, text, format, out);
    free(text);
}

void cli_print_expectations(const cli_summary *summary, uint32_t s, cli_format format, FILE *out)
{
    const sim_scenario *scenario = summary->plan->scenario[s];
    const cli_rows *rows = &summary->rows[s];
    if (scenario->expectation_count == 0)
        return;
    (void)fprintf(out, "\nExpectations:\n%s", format == CLI_MD ? "\n" : "");
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
            if (sim_expectation_is_about(&scenario->expectation[e], summary->plan->policy[p]))
                print_expectation(summary, s, p, &scenario->expectation[e], format, out);
        }
    }
    for (size_t i = 0; i < rows->unjudged_count; i++)
        print_unjudged(&rows->unjudged[i], format, out);
}

cli_expectation_count cli_summary_expectations(const cli_summary *summary)
{
    cli_expectation_count count = {0};
    for (uint32_t s = 0; s < summary->plan->scenario_count; s++) {
        const sim_scenario *scenario = summary->plan->scenario[s];
        const cli_rows *rows = &summary->rows[s];
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
        for (size_t i = 0; i < rows->unjudged_count; i++)
            count.unknown += rows->unjudged[i].is_known ? 0 : rows->unjudged[i].count;
    }
    return count;
}
