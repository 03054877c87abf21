/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search for a better policy: the recommendation in words, its confirmation, the front, what each knob does, and how
 * the front fares in the worst scenario. Gains are shares of the base's value in the tables `tune_*`, percent here. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

enum { OBJECTIVES_MAX = 32, POINTS_SHOWN = 200 };

typedef struct {
    const rep_section *section;
    const rep_source *source;
    FILE *out;
    const char *base;
    size_t objective_count;
    const char *objective[OBJECTIVES_MAX];
    size_t key_count;
    const char **key;
} search;

static sqlite3_stmt *ask(const search *self, const char *sql, const int64_t *parameter, size_t count)
{
    return rep_query(self->source, sql, parameter, count, &self->section->page->error);
}

static bool next(const search *self, sqlite3_stmt **rows)
{
    return rep_next(self->source, rows, &self->section->page->error);
}

static void read_search(search *self)
{
    sim_arena *arena = self->source->arena;
    sqlite3_stmt *rows = ask(self, "SELECT base FROM tune", NULL, 0);
    while (next(self, &rows))
        self->base = sim_arena_string(arena, rep_column(rows, 0));
    rows = ask(self, "SELECT metric FROM tune_objective ORDER BY n", NULL, 0);
    while (self->objective_count < OBJECTIVES_MAX && next(self, &rows))
        self->objective[self->objective_count++] = sim_arena_string(arena, rep_column(rows, 0));
    (void)sqlite3_finalize(rows);
    const int64_t keys = rep_single(self->source, "SELECT count(DISTINCT key) FROM tune_value", NULL, 0, 0);
    self->key = sim_arena_array(arena, (size_t)keys + 1, sizeof *self->key);
    rows = ask(self, "SELECT DISTINCT key FROM tune_value ORDER BY key", NULL, 0);
    while (next(self, &rows))
        self->key[self->key_count++] = sim_arena_string(arena, rep_column(rows, 0));
}

static void put_point_name(const search *self, int64_t point)
{
    char number[32];
    (void)snprintf(number, sizeof number, "#%04lld", (long long)point);
    rep_name(self->out, self->base);
    if (point != 0)
        (void)fputs(number, self->out);
}

/* "+43.1 ±0.5", in percent, from three columns; without an interval where it has no width. */
static void put_gain(const search *self, sqlite3_stmt *rows, int column)
{
    if (sqlite3_column_type(rows, column) == SQLITE_NULL) {
        (void)fputs("<td>–", self->out);
        return;
    }
    const double half = 50 * (sqlite3_column_double(rows, column + 2) - sqlite3_column_double(rows, column + 1));
    (void)fprintf(self->out, "<td>%+.2f", 100 * sqlite3_column_double(rows, column));
    if (half > 0)
        (void)fprintf(self->out, " ±%.2f", half);
}

/* ---- the answer ---- */

static const char *class_of(const char *verdict)
{
    return strcmp(verdict, "better") == 0 ? "better" : strcmp(verdict, "worse") == 0 ? "worse" : "open";
}

static void put_confirmation(const search *self)
{
    static const char *const HEADING[] = {"scenarios", "objective", "gain, %", "95 % interval", "verdict", "least in"};
    if (rep_single(self->source, "SELECT count(*) FROM tune_confirmation", NULL, 0, 0) == 0)
        return;
    char id[48];
    (void)snprintf(id, sizeof id, "s%zu-confirmation", self->section->number);
    rep_table_open(self->out, id, "The pick against the base, in replications that the search has not seen", HEADING,
                   6);
    sqlite3_stmt *rows = ask(self,
                             "SELECT scenarios, metric, gain, low, high, verdict, worst_scenario, worst_gain"
                             " FROM v_tune_confirmation",
                             NULL, 0);
    while (next(self, &rows)) {
        (void)fputs("<tr><th scope=row>", self->out);
        rep_name(self->out, rep_column(rows, 0));
        (void)fputs("<td>", self->out);
        rep_name(self->out, rep_column(rows, 1));
        if (sqlite3_column_type(rows, 2) != SQLITE_NULL)
            (void)fprintf(self->out, "<td>%+.2f", 100 * sqlite3_column_double(rows, 2));
        else
            (void)fputs("<td>–", self->out);
        if (sqlite3_column_type(rows, 3) != SQLITE_NULL)
            (void)fprintf(self->out, "<td>%+.2f to %+.2f", 100 * sqlite3_column_double(rows, 3),
                          100 * sqlite3_column_double(rows, 4));
        else
            (void)fputs("<td>–", self->out);
        const char *verdict = rep_column(rows, 5);
        (void)fprintf(self->out, "<td class=%s>%s", class_of(verdict),
                      strcmp(verdict, "better") == 0  ? "▲ "
                      : strcmp(verdict, "worse") == 0 ? "▼ "
                                                      : "");
        rep_name(self->out, verdict);
        (void)fputs("<td>", self->out);
        rep_name(self->out, rep_column(rows, 6));
        if (sqlite3_column_type(rows, 7) != SQLITE_NULL)
            (void)fprintf(self->out, " (%+.2f)", 100 * sqlite3_column_double(rows, 7));
        (void)fputc('\n', self->out);
    }
    rep_table_close(self->out);
}

static void put_values(const search *self, int64_t point)
{
    size_t count = 0;
    sqlite3_stmt *rows = ask(self, "SELECT key, value FROM tune_value WHERE point_id = ? ORDER BY key", &point, 1);
    while (next(self, &rows)) {
        (void)fputs(count++ == 0 ? "<p>It sets " : ", ", self->out);
        rep_name(self->out, rep_column(rows, 0));
        (void)fputs(" = ", self->out);
        rep_name(self->out, rep_column(rows, 1));
    }
    (void)fputs(count > 0 ? ".</p>\n" : "", self->out);
}

static void put_answer(const search *self)
{
    sqlite3_stmt *row = ask(self,
                            "SELECT coalesce(recommended_id, -1), reason, runs, budget, scenarios,"
                            " (SELECT count(*) FROM tune_point WHERE id > 0), first_replication FROM tune",
                            NULL, 0);
    (void)fputs("<div class=answer>\n<h3 class=quiet>Recommendation</h3>\n", self->out);
    while (next(self, &row)) {
        const int64_t recommended = sqlite3_column_int64(row, 0);
        (void)fputs("<p class=lead>", self->out);
        if (recommended < 0) {
            (void)fputs("The search has not finished.</p>\n", self->out);
            continue;
        }
        (void)fputs("Recommended: ", self->out);
        put_point_name(self, recommended);
        (void)fputs("</p>\n<p>", self->out);
        rep_text(self->out, rep_column(row, 1));
        (void)fputs("</p>\n", self->out);
        if (recommended > 0)
            put_values(self, recommended);
        (void)fprintf(self->out,
                      "<p>%lld points, %lld runs of the %lld allowed, over %lld scenario%s, in replications from %lld "
                      "on; the confirmation played those before.</p>\n",
                      (long long)sqlite3_column_int64(row, 5), (long long)sqlite3_column_int64(row, 2),
                      (long long)sqlite3_column_int64(row, 3), (long long)sqlite3_column_int64(row, 4),
                      sqlite3_column_int64(row, 4) == 1 ? "" : "s", (long long)sqlite3_column_int64(row, 6));
    }
    put_confirmation(self);
    (void)fputs("</div>\n<ul class=key aria-label=\"Policies and their colours\">", self->out);
    rep_key_item(self->section, self->base, "", "");
    (void)fputs("</ul>\n", self->out);
}

/* ---- the front ---- */

static const char *kept(const search *self, sqlite3_stmt *rows, int column)
{
    return sim_arena_string(self->source->arena, rep_column(rows, column));
}

/* The columns of a point: its keys, then its gains over all scenarios. */
static void put_point(const search *self, int64_t point, const char *standing, bool is_recommended)
{
    FILE *out = self->out;
    (void)fputs("<tr data-p=0><th scope=row>", out);
    put_point_name(self, point);
    (void)fprintf(out, "<td class=%s>%s%s", strcmp(standing, "front") == 0 ? "better" : "open", standing,
                  is_recommended ? ", recommended" : "");
    sqlite3_stmt *rows = ask(self,
                             "SELECT v.value FROM (SELECT DISTINCT key FROM tune_value) k LEFT JOIN tune_value v"
                             " ON v.key = k.key AND v.point_id = ? ORDER BY k.key",
                             &point, 1);
    while (next(self, &rows)) {
        (void)fputs("<td>", out);
        rep_name(out, sqlite3_column_type(rows, 0) == SQLITE_NULL ? "–" : rep_column(rows, 0));
    }
    rows = ask(self,
               "SELECT g.gain, g.low, g.high FROM tune_objective o LEFT JOIN tune_gain g ON g.metric = o.metric AND"
               " g.point_id = ? AND g.scenario_id = 0 ORDER BY o.n",
               &point, 1);
    while (next(self, &rows))
        put_gain(self, rows, 0);
    (void)fputc('\n', out);
}

static void put_front(const search *self)
{
    FILE *out = self->out;
    const size_t columns = 2 + self->key_count + self->objective_count;
    const char **heading = sim_arena_array(self->source->arena, columns, sizeof *heading);
    char metric[OBJECTIVES_MAX][CLI_VALUE_SIZE];
    char id[48];
    heading[0] = "point";
    heading[1] = "standing";
    for (size_t k = 0; k < self->key_count; k++)
        heading[2 + k] = self->key[k];
    for (size_t o = 0; o < self->objective_count; o++) {
        (void)snprintf(metric[o], sizeof metric[o], "%s, gain in %%", self->objective[o]);
        heading[2 + self->key_count + o] = metric[o];
    }
    rep_figure_open(
        self->section, "gains", "What no other point beats",
        "Gains over the base under the same luck, mean over the scenarios: more is better whichever side of "
        "the metric is, with the 95 % interval over replications. Filled: on the front; the ring is the "
        "recommended point; the rest is hollow. Only points that played all replications of the search. Of "
        "many points some look good by luck: the confirmation counts.");
    (void)snprintf(id, sizeof id, "s%zu-points", self->section->number);
    (void)fprintf(out, "<div class=points data-keys=%zu data-judges=\"", self->key_count);
    for (size_t o = 0; o < self->objective_count; o++)
        (void)fprintf(out, "%s%zu", o == 0 ? "" : " ", 2 + self->key_count + o);
    (void)fputs("\">", out);
    rep_table_open(out, id, "Points: the base, the front, then the others", heading, columns);
    sqlite3_stmt *rows = ask(self,
                             "SELECT q.id, q.standing, q.id = t.recommended_id, q.origin FROM tune_point q, tune t"
                             " WHERE q.id = 0 OR EXISTS (SELECT 1 FROM tune_gain g WHERE g.point_id = q.id)"
                             " ORDER BY q.id > 0, q.standing <> 'front', q.id",
                             NULL, 0);
    for (size_t i = 0; i < POINTS_SHOWN && next(self, &rows); i++) {
        const int64_t point = sqlite3_column_int64(rows, 0);
        put_point(self, point, point == 0 ? "base" : kept(self, rows, 1), sqlite3_column_int64(rows, 2) != 0);
    }
    (void)sqlite3_finalize(rows);
    rep_table_close(out);
    (void)fputs("</div>\n", out);
    rep_figure_close(self->section);
}

/* ---- what knobs do ---- */

static void put_sensitivity(const search *self)
{
    FILE *out = self->out;
    if (rep_single(self->source, "SELECT count(*) FROM tune_sensitivity", NULL, 0, 0) == 0)
        return;
    const char *heading[OBJECTIVES_MAX + 2] = {"knob", "to"};
    char metric[OBJECTIVES_MAX][CLI_VALUE_SIZE];
    char id[48];
    for (size_t o = 0; o < self->objective_count; o++) {
        (void)snprintf(metric[o], sizeof metric[o], "%s, gain in %%", self->objective[o]);
        heading[2 + o] = metric[o];
    }
    rep_figure_open(
        self->section, "sensitivity", "What each knob does by itself",
        "The gain from the first value of a knob to the one named, by a straight line through the points of "
        "the first round, with its 95 % interval over replications: which knobs matter, not that the truth "
        "is straight. The largest effect on any objective first.");
    (void)snprintf(id, sizeof id, "s%zu-sensitivity data-p=0", self->section->number);
    rep_table_open(out, id, "Mean over all scenarios", heading, 2 + self->objective_count);
    sqlite3_stmt *knobs = ask(self,
                              "SELECT key, value FROM tune_sensitivity WHERE scenario_id = 0 GROUP BY key, value"
                              " ORDER BY max(abs(effect)) DESC, key, value",
                              NULL, 0);
    while (next(self, &knobs)) {
        (void)fputs("<tr><th scope=row>", out);
        rep_name(out, rep_column(knobs, 0));
        (void)fputs("<td>", out);
        rep_name(out, rep_column(knobs, 1));
        sqlite3_stmt *rows = ask(self,
                                 "SELECT e.effect, e.low, e.high FROM tune_objective o LEFT JOIN tune_sensitivity e"
                                 " ON e.metric = o.metric AND e.scenario_id = 0 AND e.key = ?1 AND e.value = ?2"
                                 " ORDER BY o.n",
                                 NULL, 0);
        if (rows != NULL) {
            (void)sqlite3_bind_value(rows, 1, sqlite3_column_value(knobs, 0));
            (void)sqlite3_bind_value(rows, 2, sqlite3_column_value(knobs, 1));
        }
        while (next(self, &rows))
            put_gain(self, rows, 0);
        (void)fputc('\n', out);
    }
    rep_table_close(out);
    rep_figure_close(self->section);
}

/* ---- robustness ---- */

static void put_robustness(const search *self)
{
    static const char *const HEADING[] = {"point", "objective", "least gain, %", "in", "greatest regret, %", "in"};
    FILE *out = self->out;
    if (rep_single(self->source, "SELECT count(*) FROM tune_point WHERE standing = 'front' AND id > 0", NULL, 0, 0) ==
        0)
        return;
    char id[48];
    (void)snprintf(id, sizeof id, "s%zu-robustness", self->section->number);
    (void)fputs("<h3>The worst case of each point of the front</h3>\n<p>Regret is how much more the best point of the "
                "front gains in a scenario. A point that is good on average may still be the wrong one for an incident "
                "that you cannot rule out.</p>\n",
                out);
    rep_table_open(out, id, "Over the scenarios of the search", HEADING, 6);
    sqlite3_stmt *rows = ask(self,
                             "SELECT point, metric, gain, scenario, regret, most_in FROM ("
                             " SELECT point, metric, gain, scenario,"
                             "  row_number() OVER (PARTITION BY point, metric ORDER BY gain, scenario) AS place,"
                             "  max(regret) OVER (PARTITION BY point, metric) AS regret,"
                             "  first_value(scenario) OVER (PARTITION BY point, metric ORDER BY regret DESC, scenario)"
                             "  AS most_in"
                             " FROM v_tune_front WHERE scenario <> 'all') JOIN tune_objective o USING (metric)"
                             " WHERE place = 1 AND point > 0 ORDER BY point, o.n",
                             NULL, 0);
    while (next(self, &rows)) {
        (void)fputs("<tr><th scope=row>", out);
        put_point_name(self, sqlite3_column_int64(rows, 0));
        (void)fputs("<td>", out);
        rep_name(out, rep_column(rows, 1));
        (void)fprintf(out, "<td>%+.2f<td>", 100 * sqlite3_column_double(rows, 2));
        rep_name(out, rep_column(rows, 3));
        (void)fprintf(out, "<td>%.2f<td>", 100 * sqlite3_column_double(rows, 4));
        rep_name(out, rep_column(rows, 5));
        (void)fputc('\n', out);
    }
    rep_table_close(out);
}

void rep_put_tune(const rep_section *section)
{
    search self = {.section = section, .source = section->source, .out = section->out, .base = ""};
    read_search(&self);
    (void)fprintf(section->out, "<section class=scenario id=s%zu>\n<h2>A search for something better than ",
                  section->number);
    rep_name(section->out, self.base);
    (void)fputs("</h2>\n", section->out);
    put_answer(&self);
    put_front(&self);
    put_sensitivity(&self);
    put_robustness(&self);
    (void)fputs("</section>\n", section->out);
}
