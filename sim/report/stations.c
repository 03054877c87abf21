/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What regions with limits bear: how busy their servers are, how long their queues get, whom they turn away. */
#include "report/page.h"

enum { MEASURES = 4 };

/* A table of one policy and region. */
static void put_region(const rep_section *section, const rep_regions *regions, size_t at, int64_t length,
                       int64_t together, uint32_t policy)
{
    static const char *const HEADING[MEASURES + 1] = {"min", "servers busy, %", "most waiting", "turned away/s",
                                                      "throttled/s"};
    static const char SQL[] =
        "SELECT min(i.start) / 6e10, 100 * avg(s.utilisation), max(s.queue_peak),"
        " sum(s.turned_away) / (sum(min(i.start + ?4, ?5) - i.start) / 1e9),"
        " sum(s.throttled) / (sum(min(i.start + ?4, ?5) - i.start) / 1e9)"
        " FROM run r JOIN interval i ON i.run_id = r.id JOIN interval_station s ON s.run_id = i.run_id AND s.n = i.n"
        " WHERE r.scenario_id = ?1 AND r.policy_id = ?2 AND s.region = ?6 GROUP BY i.n / ?3 ORDER BY 1";
    const int64_t parameter[] = {(int64_t)section->scenario + 1,  (int64_t)policy + 1, together, length,
                                 rep_scenario(section)->duration, regions->number[at]};
    char id[96];
    (void)snprintf(id, sizeof id, "s%zu-stations-%u-%zu data-p=%u data-group=%zu", section->number, policy, at, policy,
                   at);
    rep_table_open(section->out, id, regions->name[at], HEADING, MEASURES + 1);
    sqlite3_stmt *rows = rep_query(section->source, SQL, parameter, 6, &section->page->error);
    while (rep_next(section->source, &rows, &section->page->error)) {
        (void)fputs("<tr>", section->out);
        for (int i = 0; i <= MEASURES; i++)
            rep_cell(section->out, sqlite3_column_type(rows, i) != SQLITE_NULL, sqlite3_column_double(rows, i));
        (void)fputc('\n', section->out);
    }
    rep_table_close(section->out);
}

void rep_put_stations(const rep_section *section, int64_t length, int64_t together)
{
    const rep_regions regions = rep_find_regions(section, "interval_station", "true");
    if (regions.count == 0)
        return;
    rep_figure_open(
        section, "stations", "What the regions bear",
        "Regions that have servers, queues or a budget of request units: how busy the servers are, the most "
        "attempts that waited at one instant, and the attempts a second that were turned away (503) or "
        "throttled (429). A herd that comes home shows as a queue.");
    for (size_t at = 0; at < regions.count; at++) {
        for (uint32_t p = 0; p < rep_policies(section); p++)
            put_region(section, &regions, at, length, together, p);
    }
    rep_figure_close(section);
}
