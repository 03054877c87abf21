/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State lanes: what the breakers of a few (client, partition) pairs did in the first replication, policy by policy.
 *
 * The pairs are those with the most transitions, the same under every policy, as many as the page has room for. */
#include "report/page.h"

enum { PAIRS_MAX = 12 };

typedef struct {
    size_t count;
    int64_t client[PAIRS_MAX];
    int64_t partition[PAIRS_MAX];
} busiest;

static busiest find_busiest(const rep_section *section)
{
    static const char SQL[] = "SELECT t.client, t.partition, count(*) FROM transition t JOIN run r ON r.id = t.run_id"
                              " WHERE r.scenario_id = ? AND r.replication = 0 AND t.phase_before <> t.phase_after AND "
                              "t.phase_after + t.phase_before > 1"
                              " GROUP BY t.client, t.partition ORDER BY 3 DESC, 1, 2 LIMIT 12";
    const int64_t id = (int64_t)section->scenario + 1;
    busiest found = {0};
    size_t rows_left = section->page->lane_rows;
    sqlite3_stmt *rows = rep_query(section->source, SQL, &id, 1, &section->page->error);
    while (rep_next(section->source, &rows, &section->page->error)) {
        const size_t count = (size_t)sqlite3_column_int64(rows, 2);
        if (found.count == PAIRS_MAX || (found.count > 0 && count > rows_left))
            continue;
        rows_left -= count < rows_left ? count : rows_left;
        found.client[found.count] = sqlite3_column_int64(rows, 0);
        found.partition[found.count++] = sqlite3_column_int64(rows, 1);
    }
    return found;
}

/* A span in which the pair is not at home. */
typedef struct {
    int64_t from;
    int64_t state; /* 2 away, 3 recovering; anything else: at home */
} span;

static bool is_shown(int64_t state)
{
    return state == RGN_PHASE_UNHEALTHY || state == RGN_PHASE_RECOVERING;
}

static void put_span(const rep_section *section, int64_t client, int64_t partition, const span *of, int64_t until)
{
    if (!is_shown(of->state) || until <= of->from)
        return;
    (void)fprintf(section->out, "<tr><td>%lld·%lld", (long long)client, (long long)partition);
    rep_cell(section->out, true, (double)of->from / 60e9);
    rep_cell(section->out, true, (double)until / 60e9);
    (void)fprintf(section->out, "<td>%s\n", of->state == RGN_PHASE_UNHEALTHY ? "away" : "recovering");
}

static void put_pair(const rep_section *section, uint32_t policy, int64_t client, int64_t partition)
{
    const int64_t parameter[] = {(int64_t)section->scenario + 1, (int64_t)policy + 1, client, partition};
    span now = {0, RGN_PHASE_ABSENT};
    sqlite3_stmt *rows = rep_query(section->source,
                                   "SELECT t.at, t.phase_after FROM transition t JOIN run r ON r.id = t.run_id"
                                   " WHERE r.scenario_id = ? AND r.policy_id = ? AND r.replication = 0"
                                   " AND t.client = ? AND t.partition = ? ORDER BY t.n",
                                   parameter, 4, &section->page->error);
    while (rep_next(section->source, &rows, &section->page->error)) {
        const span next = {sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1)};
        if (next.state == now.state)
            continue;
        put_span(section, client, partition, &now, next.from);
        now = next;
    }
    const int64_t end = rep_scenario(section)->duration;
    put_span(section, client, partition, &now, end);
}

void rep_put_lanes(const rep_section *section)
{
    static const char *const HEADING[] = {"client·partition", "from, min", "until, min", "state"};
    const busiest pairs = find_busiest(section);
    char note[320];
    if (pairs.count == 0)
        return;
    (void)snprintf(note, sizeof note,
                   "The %zu (client, partition) pair%s with the most changes of state, first replication. Away: all "
                   "traffic goes elsewhere. Recovering: canaries or a probe try the home region. Empty: at home.",
                   pairs.count, pairs.count == 1 ? "" : "s");
    rep_figure_open(section, "lanes", "State of single partitions", note);
    for (uint32_t p = 0; p < rep_policies(section); p++) {
        rep_policy_table_open(section, "lanes", p, HEADING, 4);
        for (size_t i = 0; i < pairs.count; i++)
            put_pair(section, p, pairs.client[i], pairs.partition[i]);
        rep_table_close(section->out);
    }
    rep_figure_close(section);
}
