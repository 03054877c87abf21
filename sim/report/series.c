/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incident's time line: rows of table `interval`, averaged over replications, several in one where there are more
 * than the page has room for. */
#include "report/page.h"

enum { HEDGES = 3, CANARIES = 4, FAILED = 5, REQUESTS = 8, SERIES_COLUMNS = 9 };

/* How the rows of a run are put together. */
typedef struct {
    int64_t length;   /* ns of one interval */
    int64_t together; /* so many intervals make a point */
} grid;

static grid make_grid(const rep_section *section)
{
    const int64_t id = (int64_t)section->scenario + 1;
    const int64_t count =
        1 + rep_single(section->source,
                       "SELECT max(n) FROM interval WHERE run_id IN (SELECT id FROM run WHERE scenario_id = ?)", &id, 1,
                       0);
    const int64_t length =
        rep_single(section->source,
                   "SELECT start FROM interval WHERE n = 1 AND run_id IN (SELECT id FROM run WHERE scenario_id = ?)",
                   &id, 1, rep_scenario(section)->duration);
    const int64_t points = (int64_t)section->page->time_points;
    return (grid){length, (count + points - 1) / points};
}

/* Whether the page has room for a column: a brief one has none for the traffic. */
static bool is_shown(const rep_section *section, int column)
{
    return !section->page->is_brief ||
           (column != HEDGES && column != CANARIES && column != FAILED && column != REQUESTS);
}

static void put_row(const rep_section *section, sqlite3_stmt *rows)
{
    (void)fputs("<tr>", section->out);
    for (int i = 0; i < SERIES_COLUMNS; i++) {
        if (is_shown(section, i))
            rep_cell(section->out, sqlite3_column_type(rows, i) != SQLITE_NULL, sqlite3_column_double(rows, i));
    }
    (void)fputc('\n', section->out);
}

static void put_time_line(const rep_section *section, const grid *in, uint32_t policy)
{
    static const char *const HEADING[SERIES_COLUMNS] = {"min",           "p99, ms",       "errors, %",
                                                        "hedges/s",      "canaries/s",    "failed canaries/s",
                                                        "pairs away, %", "recovering, %", "requests/s"};
    static const char SQL[] =
        "SELECT min(i.start) / 6e10, avg(i.latency_p99) / 1e6, 100.0 * sum(i.errors) / nullif(sum(i.requests), 0),"
        " sum(i.hedges) / t.s, sum(i.canaries) / t.s, sum(i.canary_failures) / t.s,"
        " 100.0 * avg(i.pairs_away) / ?6, 100.0 * avg(i.pairs_recovering) / ?6, sum(i.requests) / t.s"
        " FROM interval i JOIN run r ON r.id = i.run_id"
        " JOIN (SELECT n / ?3 AS k, sum(min(start + ?4, ?5) - start) / 1e9 AS s FROM interval JOIN run ON run.id = "
        "run_id"
        "  WHERE scenario_id = ?1 AND policy_id = ?2 GROUP BY 1) t ON t.k = i.n / ?3"
        " WHERE r.scenario_id = ?1 AND r.policy_id = ?2 GROUP BY i.n / ?3 ORDER BY 1";
    const sim_scenario *scenario = rep_scenario(section);
    const int64_t parameter[] = {(int64_t)section->scenario + 1,
                                 (int64_t)policy + 1,
                                 in->together,
                                 in->length,
                                 scenario->duration,
                                 (int64_t)scenario->client_count * scenario->partition_count};
    sqlite3_stmt *rows = rep_query(section->source, SQL, parameter, 6, &section->page->error);
    const char *heading[SERIES_COLUMNS];
    size_t columns = 0;
    for (int i = 0; i < SERIES_COLUMNS; i++) {
        if (is_shown(section, i))
            heading[columns++] = HEADING[i];
    }
    rep_policy_table_open(section, "time", policy, heading, columns);
    while (rep_next(section->source, &rows, &section->page->error))
        put_row(section, rows);
    rep_table_close(section->out);
}

void rep_put_series(const rep_section *section)
{
    const grid in = make_grid(section);
    char span[64];
    char note[512];
    sim_format_duration(in.length * in.together, span, sizeof span);
    const bool is_told = section->page->is_brief && section->number > section->page->tune_count + 1;
    (void)snprintf(note, sizeof note, "One point for each %s.%s", span,
                   is_told ? ""
                           : " Mean over replications. Shaded: the fault is on, the darker the stronger. Pairs are "
                             "(client, partition); those away from home have all or most of their traffic elsewhere. "
                             "The p99 is the mean of the p99s of single intervals.");
    rep_figure_open(section, "time", "The incident, minute by minute", note);
    for (uint32_t p = 0; p < rep_policies(section); p++)
        put_time_line(section, &in, p);
    rep_figure_close(section);
    if (section->page->is_brief)
        return;
    rep_put_regions(section, in.length, in.together);
    rep_put_stations(section, in.length, in.together);
}
