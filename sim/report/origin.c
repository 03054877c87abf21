/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the numbers come from, and how to get them again. */
#include <string.h>

#include "report/page.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void put_fact(FILE *out, const char *term, const char *text)
{
    (void)fprintf(out, "<dt>%s<dd>", term);
    rep_text(out, text);
    (void)fputc('\n', out);
}

/* Text columns of the first row of a query as terms and facts. */
static void put_facts(const rep_page *page, const rep_source *source, const char *sql)
{
    sim_store_error ignored;
    sqlite3_stmt *row = rep_query(source, sql, NULL, 0, &ignored);
    if (row != NULL && sqlite3_step(row) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(row); i++)
            put_fact(page->out, sqlite3_column_name(row, i), rep_column(row, i));
    }
    (void)sqlite3_finalize(row);
}

static void put_digests(rep_page *page, const rep_source *source, size_t number)
{
    static const char *const HEADING[] = {"run", "scenario", "policy", "replication", "behaviour", "luck", "result"};
    char id[32];
    (void)snprintf(id, sizeof id, "db%zu-runs", number);
    (void)fputs("<details class=data open><summary>Digests of runs</summary>\n", page->out);
    rep_table_open(
        page->out, id,
        "Equal behaviour digests mean identical runs; equal luck, comparable ones. Of many runs, replication 0",
        HEADING, 7);
    sqlite3_stmt *rows = rep_query(source,
                                   "SELECT r.id, s.name, p.name, r.replication, substr(r.digest, 1, 16),"
                                   " substr(r.luck_digest, 1, 16), substr(r.result_digest, 1, 16) FROM run r"
                                   " JOIN scenario s ON s.id = r.scenario_id JOIN policy p ON p.id = r.policy_id"
                                   " WHERE r.state = 'done' AND (r.replication = 0 OR (SELECT count(*) FROM run) <= 60)"
                                   " ORDER BY r.id",
                                   NULL, 0, &page->error);
    while (rep_next(source, &rows, &page->error)) {
        (void)fputs("<tr>", page->out);
        for (int i = 0; i < 7; i++) {
            (void)fputs(i < 4 ? "<td>" : "<td class=mono>", page->out);
            rep_name(page->out, rep_column(rows, i));
        }
        (void)fputc('\n', page->out);
    }
    rep_table_close(page->out);
    (void)fputs("</details>\n", page->out);
}

static void put_text(FILE *out, const char *kind, const char *name, const char *text)
{
    (void)fprintf(out, "<details class=data open><summary>%s ", kind);
    rep_name(out, name);
    (void)fputs("</summary><pre tabindex=0>", out);
    rep_text(out, text);
    (void)fputs("</pre></details>\n", out);
}

/* What a sweep has made of a text is told once. */
static void put_texts(const rep_page *page, const rep_source *source)
{
    const sim_store_plan *plan = &source->plan;
    FILE *out = page->out;
    if (page->is_brief)
        (void)fputs("<p>The texts of scenarios are in the database: <code>SELECT text FROM scenario</code>.</p>\n",
                    out);
    for (uint32_t s = 0; s < plan->scenario_count && !page->is_brief; s++) {
        if (!rep_is_shown(page, source, s))
            continue;
        if (!source->is_sweep || s == 0 || strcmp(plan->scenario[s]->text, plan->scenario[s - 1]->text) != 0)
            put_text(out, "Scenario", plan->scenario[s]->name, plan->scenario[s]->text);
    }
    for (uint32_t p = 0; p < plan->policy_count; p++) {
        if (!source->is_sweep || p == 0 || strcmp(plan->policy[p]->text, plan->policy[p - 1]->text) != 0)
            put_text(out, "Policy", plan->policy[p]->name, plan->policy[p]->text);
    }
}

/* What each policy has that is not the default, as it took effect. */
static void put_options(rep_page *page, const rep_source *source, size_t number)
{
    static const char *const HEADING[] = {"policy", "knob", "value", "from", "in scenarios"};
    char id[32];
    (void)snprintf(id, sizeof id, "db%zu-options", number);
    (void)fputs("<details class=data open><summary>Knobs that are not at their default</summary>\n", page->out);
    rep_table_open(page->out, id, "As they took effect", HEADING, 5);
    sqlite3_stmt *rows =
        rep_query(source,
                  "SELECT coalesce(b.base, o.policy) AS name, knob, text, origin,"
                  " count(DISTINCT scenario) || ' of ' || (SELECT count(*) FROM scenario)"
                  " FROM v_option_set o LEFT JOIN (SELECT p.name, q.base FROM sweep_point q JOIN policy p"
                  "  ON p.id = q.policy_id) b ON b.name = o.policy"
                  " WHERE workload = '' AND knob NOT IN (SELECT key FROM sweep_value)"
                  " GROUP BY 1, knob, text, origin ORDER BY 1, knob, text, origin",
                  NULL, 0, &page->error);
    while (rep_next(source, &rows, &page->error)) {
        (void)fputs("<tr>", page->out);
        for (int i = 0; i < 5; i++) {
            (void)fputs("<td>", page->out);
            rep_name(page->out, rep_column(rows, i));
        }
        (void)fputc('\n', page->out);
    }
    rep_table_close(page->out);
    (void)fputs("</details>\n", page->out);
}

static void put_source(rep_page *page, size_t number)
{
    const rep_source *source = &page->source[number - 1];
    FILE *out = page->out;
    (void)fputs("<h3>Database ", out);
    rep_name(out, base_name(source->path));
    (void)fputs("</h3>\n<dl class=facts>\n", out);
    put_facts(page, source,
              "SELECT tool_version AS \"regionsim\", draw_version || ' · ' || stream_version || ' · ' || metric_version"
              " AS \"versions of draws, stream, metrics\", seed AS \"seed\", replications AS \"replications\","
              " input_digest AS \"input digest\" FROM experiment");
    put_facts(page, source,
              "SELECT compiler AS \"compiler\", system AS \"system\", event_mode AS \"event mode\", command_line AS"
              " \"command\" FROM run_timing ORDER BY run_id LIMIT 1");
    (void)fputs("</dl>\n", out);
    put_texts(page, source);
    put_options(page, source, number);
    put_digests(page, source, number);
}

void rep_put_origin(rep_page *page)
{
    (void)fputs("<section id=origin>\n<h2>Where this comes from, and how to get it again</h2>\n"
                "<p>The same scenarios, policies, seed and version give the same numbers on any machine. Run the "
                "command below; what <code>--set</code> changed is in it.</p>\n",
                page->out);
    for (size_t i = 1; i <= page->count; i++)
        put_source(page, i);
    (void)fputs("</section>\n", page->out);
}

void rep_put_dictionary(FILE *out)
{
    static const char *const BETTER[] = {"lower is better", "neither way is better", "higher is better"};
    (void)fputs("<dl class=dictionary>\n", out);
    for (int id = 0; id < (int)SIM_METRIC_COUNT; id++) {
        const sim_metric_definition *metric = sim_metric_at((sim_metric_id)id);
        (void)fprintf(out, "<dt id=m-%s>%s<dd>", metric->name, metric->name);
        rep_text(out, metric->meaning);
        (void)fprintf(out, " <small>(%s; %s)</small>\n", metric->unit, BETTER[metric->better + 1]);
    }
    (void)fputs("</dl>\n", out);
}
