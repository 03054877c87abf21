/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame: head, contents, one section for each scenario, foot. */
#include "report/page.h"

#include <string.h>

#include "report/assets.h"

/* What a page of many scenarios shares out, so that a comparison over the whole library stays below a megabyte. */
enum {
    TIME_POINTS = 120,
    TIME_ROWS_TOTAL = 1000,
    TIME_POINTS_MIN = 20,
    TIME_POINTS_BRIEF = 12,
    FULL_SCENARIOS = 8, /* so many, or so many (scenario, policy) pairs, are never told briefly */
    FULL_PAIRS = 50,
    LANE_ROWS = 2400,
    LANE_ROWS_SHARED = 500,
    LANE_ROWS_MIN = 30
};

size_t rep_colour(const rep_page *page, const char *policy)
{
    size_t i = 0;
    while (i < page->policy_count && strcmp(page->policy[i], policy) != 0)
        i++;
    return i;
}

bool rep_is_named(const rep_source *source, uint32_t scenario, const char *name)
{
    const char *own = source->plan.scenario[scenario]->name;
    const size_t length = strlen(name);
    return strcmp(own, name) == 0 || (source->is_sweep && strncmp(own, name, length) == 0 && own[length] == '#');
}

bool rep_is_shown(const rep_page *page, const rep_source *source, uint32_t scenario)
{
    bool is_shown = page->only_count == 0;
    for (size_t i = 0; i < page->only_count; i++)
        is_shown = is_shown || rep_is_named(source, scenario, page->only[i]);
    return is_shown;
}

/* The variants that a sweep has made of a scenario are one section. */
static bool is_variant(const rep_source *source, uint32_t s)
{
    return source->is_sweep && s > 0 && source->sweep.scenario_base[s] == source->sweep.scenario_base[s - 1];
}

static void collect_name(rep_page *page, const char *policy)
{
    if (rep_colour(page, policy) == page->policy_count && page->policy_count < REP_NAMES_MAX)
        page->policy[page->policy_count++] = policy;
}

static void collect(rep_page *page)
{
    size_t pairs = 0;
    for (size_t i = 0; i < page->count; i++) {
        const rep_source *source = &page->source[i];
        const sim_store_plan *plan = &source->plan;
        page->tune_count += source->is_tune;
        for (uint32_t s = 0; s < plan->scenario_count; s++) {
            if (is_variant(source, s) || !rep_is_shown(page, source, s))
                continue;
            page->scenario_count++;
            page->compared_count += !source->is_sweep;
            pairs += source->is_sweep ? 0 : plan->policy_count;
        }
        for (uint32_t p = 0; p < plan->policy_count; p++)
            collect_name(page, source->is_sweep ? rep_sweep_base(source, p) : plan->policy[p]->name);
    }
    page->is_brief = page->compared_count > FULL_SCENARIOS && pairs > FULL_PAIRS;
    page->time_points = TIME_ROWS_TOTAL / (pairs == 0 ? 1 : pairs);
    if (page->time_points < TIME_POINTS_MIN)
        page->time_points = page->is_brief ? TIME_POINTS_BRIEF : TIME_POINTS_MIN;
    if (page->time_points > TIME_POINTS)
        page->time_points = TIME_POINTS;
    page->lane_rows = page->compared_count <= 1 ? LANE_ROWS : LANE_ROWS_SHARED / page->compared_count;
    if (page->lane_rows < LANE_ROWS_MIN)
        page->lane_rows = LANE_ROWS_MIN;
}

/* Of the one scenario that the page shows. */
static void put_only_name(const rep_page *page, char title[REP_NAME_MAX])
{
    for (size_t i = 0; i < page->count; i++) {
        for (uint32_t s = 0; s < page->source[i].plan.scenario_count; s++) {
            if (rep_is_shown(page, &page->source[i], s))
                (void)snprintf(title, REP_NAME_MAX, "%s", page->source[i].plan.scenario[s]->name);
        }
    }
}

static void put_title(const rep_page *page, char title[REP_NAME_MAX])
{
    const rep_source *first = &page->source[0];
    if (page->count == 1 && (first->is_sweep || first->is_tune))
        (void)snprintf(title, REP_NAME_MAX, "%s", first->is_sweep ? "Sweep" : "Search");
    else if (page->scenario_count == 1)
        put_only_name(page, title);
    else
        (void)snprintf(title, REP_NAME_MAX, "%zu scenarios", page->scenario_count);
}

void rep_frame_open(FILE *out, const char *title)
{
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '%s' '%s'; "
                  "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=color-scheme content=\"light dark\">\n<meta name=referrer content=no-referrer>\n<title>",
                  rep_asset_plot.hash, rep_asset_script.hash);
    rep_text(out, title);
    (void)fputs(" – regionsim report</title>\n<style>\n", out);
    (void)fwrite(rep_asset_style.text, 1, rep_asset_style.size, out);
    (void)fputs(
        "</style>\n</head>\n<body>\n<a class=skip href=#main>To the answer</a>\n<header class=top>"
        "<p class=brand>regionsim <span>report</span></p><div id=tools hidden></div></header>\n<main id=main>\n",
        out);
}

void rep_frame_close(FILE *out)
{
    (void)fputs("</main>\n<footer>\n<details><summary>Licences of the charts</summary><pre>", out);
    rep_text(out, rep_asset_notices.text);
    (void)fputs("</pre></details>\n</footer>\n<script>", out);
    (void)fwrite(rep_asset_plot.text, 1, rep_asset_plot.size, out);
    (void)fputs("</script>\n<script>", out);
    (void)fwrite(rep_asset_script.text, 1, rep_asset_script.size, out);
    (void)fputs("</script>\n</body>\n</html>\n", out);
}

void rep_figure_begin(FILE *out, const char *chart, const char *title, const char *note)
{
    (void)fprintf(out,
                  "<figure data-chart=%s>\n<figcaption><h3>%s</h3><p>%s</figcaption>\n<div class=plot></div>\n"
                  "<details class=data open><summary>The numbers of this chart</summary>\n",
                  chart, title, note);
}

void rep_figure_end(FILE *out)
{
    (void)fputs("</details>\n</figure>\n", out);
}

void rep_figure_open(const rep_section *section, const char *chart, const char *title, const char *note)
{
    rep_figure_begin(section->out, chart, title, note);
}

void rep_figure_close(const rep_section *section)
{
    rep_figure_end(section->out);
}

void rep_policy_table_open(const rep_section *section, const char *what, uint32_t policy, const char *const *heading,
                           size_t count)
{
    char id[64];
    (void)snprintf(id, sizeof id, "s%zu-%s-%u data-p=%u", section->number, what, policy, policy);
    rep_table_open(section->out, id, rep_policy_name(section, policy), heading, count);
}

static void put_facts(const rep_section *section)
{
    const sim_scenario *scenario = rep_scenario(section);
    const sim_store_plan *plan = &section->source->plan;
    char duration[64];
    sim_format_duration(scenario->duration, duration, sizeof duration);
    (void)fputs("<p class=about>", section->out);
    rep_text(section->out, scenario->about);
    (void)fprintf(
        section->out,
        "\n<p class=facts>%s of virtual time · %u clients · %u partitions · %u replication%s of each policy · "
        "seed %llu</p>\n",
        duration, scenario->client_count, scenario->partition_count, plan->replications,
        plan->replications == 1 ? "" : "s", (unsigned long long)plan->seed);
    const int64_t id = (int64_t)section->scenario + 1;
    const int64_t missing =
        rep_single(section->source, "SELECT count(*) FROM run WHERE scenario_id = ? AND state <> 'done'", &id, 1, 0);
    if (missing > 0)
        (void)fprintf(
            section->out,
            "<p class=warning>%lld of %lld runs of this scenario have not finished: what follows is made from "
            "the others.</p>\n",
            (long long)missing, (long long)plan->policy_count * plan->replications);
    if (plan->notes[section->scenario][0] != '\0' && !section->page->is_brief) {
        (void)fputs("<p class=notes>", section->out);
        rep_text(section->out, plan->notes[section->scenario]);
        (void)fputs("</p>\n", section->out);
    }
}

/* Start and name of each phase, which charts shade. */
static void put_phase_list(const rep_section *section)
{
    const sim_scenario *scenario = rep_scenario(section);
    (void)fprintf(section->out, "<ol class=spans hidden data-end=%.6f>", (double)scenario->duration / 60e9);
    for (uint32_t i = 0; i < scenario->phase_count; i++) {
        (void)fprintf(section->out, "<li data-at=%.6f>", (double)scenario->phase[i].start / 60e9);
        rep_name(section->out, scenario->phase[i].name);
    }
    (void)fputs("</ol>\n", section->out);
}

static void put_compared(const rep_section *section)
{
    put_facts(section);
    put_phase_list(section);
    rep_put_faults(section);
    rep_put_answer(section);
    rep_put_comparisons(section);
    if (!section->page->is_brief)
        rep_put_values(section);
    rep_put_expectations(section);
    rep_put_series(section);
    if (section->page->is_brief)
        return;
    rep_put_tail(section);
    rep_put_phases(section);
    rep_put_lanes(section);
    rep_put_clients(section);
}

static bool is_alone(const rep_page *page)
{
    return page->scenario_count + page->tune_count == 1;
}

static void put_section(const rep_section *section)
{
    FILE *out = section->out;
    const int level = is_alone(section->page) ? 1 : 2; /* several have a heading above them */
    (void)fprintf(out, "<section class=scenario id=s%zu>\n<h%d>", section->number, level);
    if (section->source->is_sweep)
        rep_put_sweep_name(section);
    else
        rep_name(out, rep_scenario(section)->name);
    (void)fprintf(out, "</h%d>\n", level);
    if (section->source->is_sweep)
        rep_put_sweep(section);
    else
        put_compared(section);
    (void)fputs("</section>\n", out);
}

/* Searches first: their recommendation is what the page is opened for. */
static void put_searches(rep_page *page)
{
    size_t number = 0;
    for (size_t i = 0; i < page->count; i++) {
        const rep_section section = {page, &page->source[i], 0, number + 1, page->out};
        if (page->source[i].is_tune)
            rep_put_tune(&section);
        number += page->source[i].is_tune;
    }
}

static void put_sections(rep_page *page)
{
    size_t number = page->tune_count;
    for (size_t i = 0; i < page->count; i++) {
        for (uint32_t s = 0; s < page->source[i].plan.scenario_count; s++) {
            if (is_variant(&page->source[i], s) || !rep_is_shown(page, &page->source[i], s))
                continue;
            const rep_section section = {page, &page->source[i], s, ++number, page->out};
            put_section(&section);
        }
    }
}

static void put_meanings(FILE *out)
{
    (void)fputs("<section id=meanings>\n<h2>What the metrics mean</h2>\n", out);
    rep_put_dictionary(out);
    (void)fputs("</section>\n", out);
}

bool rep_page_write(const rep_source *source, size_t count, const char *const *only, size_t only_count, FILE *out,
                    sim_store_error *error)
{
    rep_page page = {.source = source, .count = count, .out = out, .only = only, .only_count = only_count};
    char title[REP_NAME_MAX];
    collect(&page);
    put_title(&page, title);
    rep_frame_open(out, title);
    if (!is_alone(&page))
        rep_put_heading(&page);
    put_searches(&page);
    if (page.compared_count > 1 && !(count == 1 && source->is_tune)) /* a confirmation says it all */
        rep_put_overview(&page);
    put_sections(&page);
    rep_put_origin(&page);
    put_meanings(out);
    rep_frame_close(out);
    *error = page.error;
    return page.error.status == SIM_STORE_OK;
}
