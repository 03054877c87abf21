/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader wants to know first: which policy, by how much, how sure. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

void rep_key_item(const rep_section *section, const char *policy, const char *about, const char *note)
{
    const size_t colour = rep_colour(section->page, policy);
    (void)fprintf(section->out, "<li class=\"c%zu d%zu\" data-colour=%zu title=\"", colour % 8, colour / 8 % 4, colour);
    rep_text(section->out, section->page->is_brief ? "" : about);
    (void)fputs("\"><svg width=26 height=10 aria-hidden=true><path d=\"M0 5H26\"/></svg> ", section->out);
    (void)fputs("<span>", section->out); /* for scripts */
    rep_name(section->out, policy);
    (void)fputs("</span>", section->out);
    (void)fputs(note, section->out);
}

static void put_key(const rep_section *section)
{
    (void)fputs("<ul class=key aria-label=\"Policies and their colours\">", section->out);
    for (uint32_t p = 0; p < rep_policies(section); p++)
        rep_key_item(section, rep_policy_name(section, p), section->source->plan.policy[p]->about,
                     p == SIM_BASELINE && rep_policies(section) > 1 ? " <small>baseline</small>" : "");
    (void)fputs("</ul>\n", section->out);
}

/* Paragraphs divided by empty lines; the first one leads, and the objectives follow it. */
static void put_paragraphs(const rep_section *section, char *text)
{
    bool is_first = true;
    for (char *start = text; *start != '\0';) {
        char *end = strstr(start, "\n\n");
        if (end != NULL)
            *end = '\0';
        (void)fputs(is_first ? "<p class=lead>" : "<p>", section->out);
        rep_text(section->out, start);
        (void)fputs("</p>\n", section->out);
        if (is_first)
            rep_put_objectives(section);
        is_first = false;
        start = end == NULL ? start + strlen(start) : end + 2 + strspn(end + 2, "\n");
    }
}

void rep_put_answer(const rep_section *section)
{
    char *text = cli_verdict(&section->source->summary, section->scenario);
    (void)fputs("<div class=answer>\n<h3 class=quiet>The answer</h3>\n", section->out);
    if (text != NULL)
        put_paragraphs(section, text);
    (void)fputs("</div>\n", section->out);
    free(text);
    put_key(section);
}

/* ---- expectations ---- */

static void put_expectation(const rep_section *section, const sim_expectation *expectation, uint32_t policy)
{
    static const char *const CLASS[] = {"better", "worse", "open"};
    static const char *const WORD[] = {"✓ holds", "✗ fails", "? no data"};
    FILE *out = section->out;
    const sim_metric_definition *metric = sim_metric_at(sim_metric_find(expectation->metric));
    sim_metric_value estimate;
    char value[CLI_VALUE_SIZE];
    char limit[CLI_VALUE_SIZE];
    const sim_expect_verdict verdict =
        sim_expectation_check(section->source->outcome, section->scenario, policy, expectation, &estimate);
    cli_format_beside(metric, &estimate, expectation->limit, value);
    cli_format_limit(metric, expectation->limit, limit);
    (void)fprintf(out, "<tr><th scope=row>%s<td>", metric->name);
    rep_name(out, rep_policy_name(section, policy));
    (void)fputs("<td>", out);
    rep_name(out, expectation->phase);
    (void)fprintf(out, "<td class=n>%s<td class=n>%s %s<td class=%s>%s\n", value, sim_expectation_words(expectation),
                  limit, CLASS[verdict], WORD[verdict]);
}

static cli_expectation_count count_expectations(const rep_section *section)
{
    const sim_scenario *scenario = rep_scenario(section);
    cli_expectation_count count = {0};
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        for (uint32_t p = 0; p < rep_policies(section); p++) {
            sim_metric_value ignored;
            if (!sim_expectation_is_about(&scenario->expectation[e], section->source->plan.policy[p]))
                continue;
            const sim_expect_verdict verdict = sim_expectation_check(section->source->outcome, section->scenario, p,
                                                                     &scenario->expectation[e], &ignored);
            count.failed += verdict == SIM_EXPECT_FAILS;
            count.unknown += verdict == SIM_EXPECT_UNKNOWN;
        }
    }
    return count;
}

void rep_put_expectations(const rep_section *section)
{
    static const char *const HEADING[] = {"metric", "policy", "phase", "is", "expected", "verdict"};
    const sim_scenario *scenario = rep_scenario(section);
    char id[32];
    if (scenario->expectation_count == 0)
        return;
    (void)snprintf(id, sizeof id, "s%zu-expectations", section->number);
    const cli_expectation_count bad = count_expectations(section);
    (void)fputs("<h3>What the scenario expects</h3>\n<p>", section->out);
    if (bad.failed + bad.unknown == 0)
        (void)fputs("Everything that the scenario expects holds.", section->out);
    else
        (void)fprintf(section->out, "<strong>%u expectation%s failed, %u could not be judged.</strong>", bad.failed,
                      bad.failed == 1 ? "" : "s", bad.unknown);
    if (section->page->is_brief && bad.failed + bad.unknown == 0) {
        (void)fputs("</p>\n", section->out);
        return;
    }
    (void)fprintf(section->out, "</p>\n<details class=\"data%s\" open><summary>Expectations, one by one</summary>\n",
                  bad.failed + bad.unknown == 0 ? "" : " urgent");
    rep_table_open(section->out, id, "Limits that the scenario's file sets", HEADING, 6);
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        for (uint32_t p = 0; p < rep_policies(section); p++) {
            if (sim_expectation_is_about(&scenario->expectation[e], section->source->plan.policy[p]))
                put_expectation(section, &scenario->expectation[e], p);
        }
    }
    rep_table_close(section->out);
    (void)fputs("</details>\n", section->out);
}

/* ---- over all scenarios ---- */

static uint32_t count_verdicts(const rep_source *source, uint32_t s, uint32_t p, sim_compared verdict)
{
    uint32_t count = 0;
    for (size_t row = 0; row < source->summary.rows[s].count; row++) {
        const sim_comparison *one = cli_comparison(&source->summary, s, p, row);
        count += one->is_objective && one->verdict == verdict;
    }
    return count;
}

static void put_judgement(const rep_source *source, uint32_t s, uint32_t p, FILE *out)
{
    const uint32_t better = count_verdicts(source, s, p, SIM_COMPARED_BETTER);
    const uint32_t worse = count_verdicts(source, s, p, SIM_COMPARED_WORSE);
    const uint32_t open = count_verdicts(source, s, p, SIM_COMPARED_INCONCLUSIVE) +
                          count_verdicts(source, s, p, SIM_COMPARED_TOO_FEW) +
                          count_verdicts(source, s, p, SIM_COMPARED_NO_DATA);
    const char *class = better > 0 && worse == 0 ? "better" : worse > 0 && better == 0 ? "worse" : "open";
    (void)fprintf(out, "<td class=%s>", class);
    if (better > 0)
        (void)fprintf(out, "▲ %u better ", better);
    if (worse > 0)
        (void)fprintf(out, "▼ %u worse ", worse);
    if (open > 0)
        (void)fprintf(out, "? %u open", open);
    if (better + worse + open == 0)
        (void)fputs(source->plan.scenario[s]->objective_count == 0 ? "–" : "= no difference", out);
}

static void put_overview_row(const rep_page *page, const rep_source *source, uint32_t s, size_t number)
{
    (void)fprintf(page->out, "<tr><th scope=row><a href=#s%zu>", number);
    rep_name(page->out, source->plan.scenario[s]->name);
    (void)fputs("</a>", page->out);
    for (size_t i = 0; i < page->policy_count; i++) {
        uint32_t p = 0;
        while (p < source->plan.policy_count && rep_colour(page, source->plan.policy[p]->name) != i)
            p++;
        if (p == source->plan.policy_count)
            (void)fputs("<td>not run", page->out);
        else if (p == SIM_BASELINE)
            (void)fputs("<td>baseline", page->out);
        else
            put_judgement(source, s, p, page->out);
    }
    (void)fputc('\n', page->out);
}

void rep_put_heading(const rep_page *page)
{
    (void)fprintf(page->out, "<h1>%zu scenario%s, %zu policies</h1>\n", page->scenario_count,
                  page->scenario_count == 1 ? "" : "s", page->policy_count);
}

void rep_put_overview(const rep_page *page)
{
    (void)fputs("<p class=lead>How each policy does against the baseline of its database, by the objectives that each "
                "scenario declares. Differences are paired: within a replication all policies meet the same "
                "luck.</p>\n",
                page->out);
    if (page->is_brief)
        (void)fputs(
            "<p>So many scenarios are told briefly: the answer, the verdicts, a coarse time line. <code>regionsim "
            "report DATABASE --scenario NAME</code> makes a page of one with all its charts.</p>\n",
            page->out);
    const char *heading[REP_NAMES_MAX + 1] = {"scenario"};
    for (size_t i = 0; i < page->policy_count; i++)
        heading[i + 1] = page->policy[i];
    rep_table_open(page->out, "overview", "Objectives of each scenario, policy against baseline", heading,
                   page->policy_count + 1);
    size_t number = page->tune_count;
    for (size_t i = 0; i < page->count; i++) {
        const rep_source *source = &page->source[i];
        for (uint32_t s = 0; !source->is_sweep && s < source->plan.scenario_count; s++) {
            if (rep_is_shown(page, source, s))
                put_overview_row(page, source, s, ++number);
        }
        number += source->is_sweep ? cli_sweep_files(&source->sweep) : 0;
    }
    rep_table_close(page->out);
}
