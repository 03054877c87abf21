/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "cli/table.h"

static void put_plain(char c, FILE *out)
{
    if (strchr("\\`*_[]<>#|~&", c) != NULL)
        (void)fputc('\\', out);
    (void)fputc(c, out);
}

/* Prose that Markdown takes as it is, however it is written. */
static void put_prose(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        put_plain(*text, out);
}

/* Prose of a database, of any length, on one line. */
static void put_foreign(const char *text, FILE *out)
{
    while (*text != '\0') {
        const size_t unprintable = sim_text_unprintable(text);
        put_plain(unprintable > 0 ? ' ' : *text, out);
        text += unprintable > 0 ? unprintable : 1;
    }
}

static bool put_cleaned(const char *text, FILE *out)
{
    char *clean = cli_cleaned(text);
    if (clean == NULL)
        return false;
    put_prose(clean, out);
    free(clean);
    return true;
}

/* "▲ better −3.4 ms (−5 to −1.9)" */
static void put_objective(const rep_source *source, uint32_t s, uint32_t p, size_t row, FILE *out)
{
    const sim_comparison *one = cli_comparison(&source->summary, s, p, row);
    const cli_unit unit = cli_unit_of_row(&source->summary, s, one->metric);
    const char *sign = one->verdict == SIM_COMPARED_BETTER ? "▲ " : one->verdict == SIM_COMPARED_WORSE ? "▼ " : "";
    char text[CLI_VALUE_SIZE];
    (void)fprintf(out, "%s%s", sign, sim_compared_word(one->verdict));
    if (!one->has_difference || one->verdict == SIM_COMPARED_EQUAL)
        return;
    cli_format_difference(one->difference, unit, one->interval.high - one->interval.low, text);
    (void)fprintf(out, " %s %s", text, unit.name);
    if (one->method == SIM_BY_NOTHING)
        return;
    cli_format_interval(one->interval.low, one->interval.high, unit, text);
    (void)fprintf(out, " (%s)", text);
}

static bool add_row(const rep_source *source, uint32_t s, size_t row, cli_table *table, const char **cells)
{
    const cli_rows *rows = &source->summary.rows[s];
    const uint32_t policies = source->plan.policy_count;
    const cli_unit unit = cli_unit_of_row(&source->summary, s, rows->metric[row]);
    const sim_metric_value value = sim_outcome_estimate(source->outcome, s, SIM_BASELINE, 0, rows->metric[row]);
    char *text = NULL;
    size_t size = 0;
    char number[CLI_VALUE_SIZE];
    bool ok = true;
    cli_format_value(&value, unit, number);
    char baseline[2 * CLI_VALUE_SIZE];
    (void)snprintf(baseline, sizeof baseline, "%s %s", number, unit.name);
    cells[0] = sim_metric_at(rows->metric[row])->name;
    cells[1] = baseline;
    for (uint32_t p = 1; p < policies; p++) {
        FILE *out = open_memstream(&text, &size);
        ok = ok && out != NULL;
        if (out == NULL)
            break;
        put_objective(source, s, p, row, out);
        ok = fclose(out) == 0 && ok;
        cells[p + 1] = text;
    }
    ok = ok && cli_table_add(table, cells);
    for (uint32_t p = 1; p < policies; p++) {
        free((char *)cells[p + 1]);
        cells[p + 1] = NULL;
    }
    return ok;
}

/* A policy's name for a table, which escapes bars by itself. The caller frees it. NULL: no memory. */
static char *heading_of(const char *name)
{
    char *text = NULL;
    size_t size = 0;
    char *clean = cli_cleaned(name);
    FILE *out = clean == NULL ? NULL : open_memstream(&text, &size);
    for (const char *c = clean; out != NULL && *c != '\0'; c++)
        (void)fprintf(out, "%s%c", strchr("\\`*_[]<>#~&", *c) != NULL ? "\\" : "", *c);
    free(clean);
    return out != NULL && fclose(out) == 0 ? text : NULL;
}

static bool put_objectives(const rep_source *source, uint32_t s, FILE *out)
{
    const uint32_t policies = source->plan.policy_count;
    const cli_rows *rows = &source->summary.rows[s];
    cli_column *columns = calloc((size_t)policies + 1, sizeof *columns);
    const char **cells = calloc((size_t)policies + 1, sizeof *cells);
    bool ok = columns != NULL && cells != NULL;
    cli_table table = {0};
    for (uint32_t p = 0; ok && p < policies; p++) {
        columns[p + 1] = (cli_column){heading_of(source->plan.policy[p]->name), false};
        ok = columns[p + 1].name != NULL;
    }
    if (ok) {
        columns[0] = (cli_column){"objective", false};
        cli_table_init(&table, columns, policies + 1);
    }
    for (size_t row = 0; ok && row < rows->count; row++) {
        if (cli_comparison(&source->summary, s, SIM_BASELINE + 1, row)->is_objective)
            ok = add_row(source, s, row, &table, cells);
    }
    if (ok && table.row_count > 0)
        cli_table_print(&table, CLI_MD, out);
    cli_table_deinit(&table);
    for (uint32_t p = 0; columns != NULL && p < policies; p++)
        free((char *)columns[p + 1].name);
    free(columns);
    free(cells);
    return ok;
}

/* The lead of the verdict, and the rest folded away. */
static bool put_verdict(const rep_source *source, uint32_t s, bool is_lead, FILE *out)
{
    char *text = cli_verdict(&source->summary, s);
    if (text == NULL)
        return false;
    char *rest = strstr(text, "\n\n");
    if (rest != NULL) {
        *rest = '\0';
        rest += 2;
    }
    if (is_lead) {
        (void)fputs("**", out);
        put_prose(text, out);
        (void)fputs("**\n\n", out);
    } else if (rest != NULL) {
        (void)fputs("<details><summary>Policy by policy</summary>\n\n", out);
        put_prose(rest, out);
        (void)fputs("\n\n</details>\n\n", out);
    }
    free(text);
    return true;
}

static void put_expectations(const rep_source *source, uint32_t s, FILE *out)
{
    uint32_t count[3] = {0};
    const sim_scenario *scenario = source->plan.scenario[s];
    for (uint32_t i = 0; i < scenario->expectation_count * source->plan.policy_count; i++) {
        const sim_expectation *one = &scenario->expectation[i / source->plan.policy_count];
        const uint32_t p = i % source->plan.policy_count;
        sim_metric_value estimate;
        if (!sim_expectation_is_about(one, source->plan.policy[p]))
            continue;
        const sim_expect_verdict verdict = sim_expectation_check(source->outcome, s, p, one, &estimate);
        count[verdict]++;
        if (verdict == SIM_EXPECT_HOLDS)
            continue;
        const sim_metric_definition *metric = sim_metric_at(sim_metric_find(one->metric));
        char value[CLI_VALUE_SIZE];
        char limit[CLI_VALUE_SIZE];
        cli_format_beside(metric, &estimate, one->limit, value);
        cli_format_limit(metric, one->limit, limit);
        (void)fprintf(out, "- %s: `%s` of ", verdict == SIM_EXPECT_FAILS ? "**fails**" : "no data", metric->name);
        (void)put_cleaned(source->plan.policy[p]->name, out);
        (void)fprintf(out, " is %s; expected %s %s\n", value, sim_expectation_words(one), limit);
    }
    if (count[0] + count[1] + count[2] > 0)
        (void)fprintf(out, "%sExpectations: %u hold, %u fail, %u without data.\n\n",
                      count[1] + count[2] > 0 ? "\n" : "", count[SIM_EXPECT_HOLDS], count[SIM_EXPECT_FAILS],
                      count[SIM_EXPECT_UNKNOWN]);
}

/* What a search recommends, and why; nothing where there was none or it has not finished. */
static bool put_recommendation(const rep_source *source, FILE *out)
{
    sim_store_error error = {0};
    bool ok = true;
    sqlite3_stmt *row =
        rep_query(source,
                  "SELECT base || CASE WHEN recommended_id > 0 THEN printf('#%04d', recommended_id) ELSE"
                  " '' END, reason, (SELECT group_concat(key || ' = ' || value, ', ') FROM tune_value"
                  " WHERE point_id = recommended_id AND recommended_id > 0)"
                  " FROM tune WHERE recommended_id IS NOT NULL",
                  NULL, 0, &error);
    while (rep_next(source, &row, &error)) {
        (void)fputs("**Recommended: ", out);
        ok = put_cleaned(rep_column(row, 0), out) && ok;
        (void)fputs("**\n\n", out);
        put_foreign(rep_column(row, 1), out);
        if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
            (void)fputs(" It sets ", out);
            put_foreign(rep_column(row, 2), out);
            (void)fputc('.', out);
        }
        (void)fputs("\n\n", out);
    }
    return ok && error.status == SIM_STORE_OK;
}

bool rep_markdown_write(const rep_source *source, FILE *out)
{
    const sim_store_plan *plan = &source->plan;
    bool ok = put_recommendation(source, out);
    for (uint32_t s = 0; ok && s < plan->scenario_count; s++) {
        (void)fputs("## ", out);
        ok = put_cleaned(plan->scenario[s]->name, out);
        (void)fputs("\n\n", out);
        ok = put_verdict(source, s, true, out) && ok;
        if (plan->policy_count > 1 && plan->scenario[s]->objective_count > 0)
            ok = put_objectives(source, s, out) && ok;
        (void)fputc('\n', out);
        put_expectations(source, s, out);
        ok = put_verdict(source, s, false, out) && ok;
    }
    (void)fprintf(out,
                  "Differences are paired and against the first policy, with 95 %% intervals. %u replication%s, seed "
                  "%llu, regionsim %s.\n",
                  plan->replications, plan->replications == 1 ? "" : "s", (unsigned long long)plan->seed,
                  REGIONSIM_VERSION);
    return ok;
}
