/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What arrives at each region: where the traffic goes, and the herd that comes home. */
#include <string.h>

#include "report/page.h"

rep_regions rep_find_regions(const rep_section *section, const char *table, const char *condition)
{
    const int64_t id = (int64_t)section->scenario + 1;
    rep_regions found = {0};
    char sql[400];
    (void)snprintf(sql, sizeof sql,
                   "SELECT g.region, g.name FROM region g WHERE g.scenario_id = ?1 AND EXISTS"
                   " (SELECT 1 FROM run r JOIN %s i ON i.run_id = r.id"
                   "  WHERE r.scenario_id = ?1 AND i.region = g.region AND %s) ORDER BY 1",
                   table, condition);
    sqlite3_stmt *rows = rep_query(section->source, sql, &id, 1, &section->page->error);
    while (found.count < RGN_REGIONS_MAX && rep_next(section->source, &rows, &section->page->error)) {
        found.number[found.count] = sqlite3_column_int64(rows, 0);
        found.name[found.count++] = sim_arena_string(section->source->arena, rep_column(rows, 1));
    }
    (void)sqlite3_finalize(rows);
    return found;
}

/* One row for each point; rows of the query are (point, region) pairs, in that order. */
static void put_rows(const rep_section *section, const rep_regions *regions, sqlite3_stmt **rows)
{
    double value[RGN_REGIONS_MAX] = {0};
    double minute = -1;
    bool more = rep_next(section->source, rows, &section->page->error);
    while (more) {
        minute = sqlite3_column_double(*rows, 0);
        const int64_t point = sqlite3_column_int64(*rows, 3);
        memset(value, 0, sizeof value);
        while (more && sqlite3_column_int64(*rows, 3) == point) {
            for (size_t i = 0; i < regions->count; i++) {
                if (regions->number[i] == sqlite3_column_int64(*rows, 1))
                    value[i] = sqlite3_column_double(*rows, 2);
            }
            more = rep_next(section->source, rows, &section->page->error);
        }
        (void)fputs("<tr>", section->out);
        rep_cell(section->out, true, minute);
        for (size_t i = 0; i < regions->count; i++)
            rep_cell(section->out, true, value[i]);
        (void)fputc('\n', section->out);
    }
}

static void put_policy(const rep_section *section, const rep_regions *regions, int64_t length, int64_t together,
                       uint32_t policy)
{
    static const char SQL[] =
        "SELECT min(i.start) / 6e10, g.region, sum(g.legs) / (sum(min(i.start + ?4, ?5) - i.start) / 1e9), i.n / ?3"
        " FROM run r JOIN interval i ON i.run_id = r.id JOIN interval_region g ON g.run_id = i.run_id AND g.n = i.n"
        " WHERE r.scenario_id = ?1 AND r.policy_id = ?2 GROUP BY i.n / ?3, g.region ORDER BY 4, 2";
    const char *heading[RGN_REGIONS_MAX + 1] = {"min"};
    const int64_t parameter[] = {(int64_t)section->scenario + 1, (int64_t)policy + 1, together, length,
                                 rep_scenario(section)->duration};
    for (size_t i = 0; i < regions->count; i++)
        heading[i + 1] = regions->name[i];
    rep_policy_table_open(section, "regions", policy, heading, regions->count + 1);
    sqlite3_stmt *rows = rep_query(section->source, SQL, parameter, 5, &section->page->error);
    put_rows(section, regions, &rows);
    rep_table_close(section->out);
}

void rep_put_regions(const rep_section *section, int64_t length, int64_t together)
{
    const rep_regions regions = rep_find_regions(section, "interval_region", "i.legs > 0");
    if (regions.count == 0)
        return;
    rep_figure_open(section, "herd", "Load of each region: who leaves, and the herd that comes home",
                    "Attempts that arrive at a region, a second. A policy that sends everybody home at once shows as a "
                    "cliff; <a href=#m-herd_peak>herd_peak</a> and "
                    "<a href=#m-alternate_extra_load>alternate_extra_load</a> measure single seconds.");
    for (uint32_t p = 0; p < rep_policies(section); p++)
        put_policy(section, &regions, length, together, p);
    rep_figure_close(section);
}
