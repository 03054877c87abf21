/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the harm is: phase by phase, and client by client. */
#include <string.h>

#include "report/page.h"

/* ---- phases ---- */

enum { PHASE_METRICS = 7 };

static void put_phase_rows(const rep_section *section, uint32_t policy)
{
    static const char SQL[] =
        "SELECT p.name,"
        " avg(CASE WHEN m.name = 'flap_count' THEN m.value END),"
        " avg(CASE WHEN m.name = 'premature_failback_count' THEN m.value END),"
        " avg(CASE WHEN m.name = 'retrip_count' THEN m.value END),"
        " avg(CASE WHEN m.name = 'canary_failure_count' THEN m.value END),"
        " 100 * avg(CASE WHEN m.name = 'canary_blast_radius' THEN m.value END),"
        " 100 * avg(CASE WHEN m.name = 'clients_touched_share' THEN m.value END),"
        " 100 * avg(CASE WHEN m.name = 'partitions_touched_share' THEN m.value END)"
        " FROM phase p JOIN run r ON r.scenario_id = p.scenario_id JOIN metric m ON m.run_id = r.id AND m.phase = "
        "p.name"
        " WHERE p.scenario_id = ? AND r.policy_id = ? GROUP BY p.number ORDER BY p.number = 0, p.number";
    const int64_t parameter[] = {(int64_t)section->scenario + 1, (int64_t)policy + 1};
    sqlite3_stmt *rows = rep_query(section->source, SQL, parameter, 2, &section->page->error);
    while (rep_next(section->source, &rows, &section->page->error)) {
        (void)fputs("<tr><th scope=row>", section->out);
        rep_name(section->out, rep_column(rows, 0));
        for (int i = 1; i <= PHASE_METRICS; i++)
            rep_cell(section->out, sqlite3_column_type(rows, i) != SQLITE_NULL, sqlite3_column_double(rows, i));
        (void)fputc('\n', section->out);
    }
}

void rep_put_phases(const rep_section *section)
{
    static const char *const HEADING[PHASE_METRICS + 1] = {
        "phase",           "flaps",           "premature returns",  "recoveries abandoned",
        "failed canaries", "blast radius, %", "clients touched, %", "partitions touched, %"};
    rep_figure_open(section, "phases", "Flaps and blast radius, phase by phase",
                    "Means over replications. A <a href=#m-flap_count>flap</a> is a departure soon after a return; the "
                    "<a href=#m-canary_blast_radius>blast radius</a> is the share of all operations that were failed "
                    "canaries; touched is who lost at least one.");
    for (uint32_t p = 0; p < rep_policies(section); p++) {
        rep_policy_table_open(section, "phases", p, HEADING, PHASE_METRICS + 1);
        put_phase_rows(section, p);
        rep_table_close(section->out);
    }
    rep_figure_close(section);
}

/* ---- clients ---- */

enum { CLIENTS_SHOWN = 40, CLIENT_COLUMNS = 3 };

static void put_client_rows(const rep_section *section, uint32_t policy, int64_t step)
{
    static const char SQL[] =
        "WITH RECURSIVE"
        " runs AS (SELECT id FROM run WHERE scenario_id = ?1 AND policy_id = ?2 AND state = 'done'),"
        " clients (client) AS (SELECT 0 UNION ALL SELECT client + ?4 FROM clients WHERE client + ?4 < ?5),"
        " spans AS (SELECT t.client, t.phase_before, t.phase_after, t.tripped_before, t.tripped_after,"
        "  lead(t.at, 1, ?3) OVER (PARTITION BY t.run_id, t.client, t.partition ORDER BY t.n) - t.at AS length"
        "  FROM transition t WHERE t.run_id IN (SELECT id FROM runs) AND t.client % ?4 = 0),"
        " sums AS (SELECT client, sum(phase_after >= 2 AND phase_before < 2) AS departures,"
        "  sum(CASE WHEN phase_after >= 2 THEN length END) AS away FROM spans GROUP BY client)"
        " SELECT c.client, ifnull(s.departures, 0) * 1.0 / n.runs, ifnull(s.away, 0) / 6e10 / n.runs"
        " FROM clients c LEFT JOIN sums s ON s.client = c.client, (SELECT nullif(count(*), 0) AS runs FROM runs) n"
        " ORDER BY c.client";
    const sim_scenario *scenario = rep_scenario(section);
    const int64_t parameter[] = {(int64_t)section->scenario + 1, (int64_t)policy + 1, scenario->duration, step,
                                 (int64_t)scenario->client_count};
    sqlite3_stmt *rows = rep_query(section->source, SQL, parameter, 5, &section->page->error);
    while (rep_next(section->source, &rows, &section->page->error)) {
        (void)fprintf(section->out, "<tr><th scope=row>%lld", (long long)sqlite3_column_int64(rows, 0));
        for (int i = 1; i < CLIENT_COLUMNS; i++)
            rep_cell(section->out, sqlite3_column_type(rows, i) != SQLITE_NULL, sqlite3_column_double(rows, i));
        (void)fputc('\n', section->out);
    }
}

void rep_put_clients(const rep_section *section)
{
    static const char *const HEADING[CLIENT_COLUMNS] = {"client", "departures a run", "pair-minutes away a run"};
    const int64_t clients = rep_scenario(section)->client_count;
    const int64_t step = (clients + CLIENTS_SHOWN - 1) / CLIENTS_SHOWN;
    const int64_t id = (int64_t)section->scenario + 1;
    const int64_t left_out =
        rep_single(section->source, "SELECT sum(transitions_left_out) FROM run WHERE scenario_id = ?", &id, 1, 0);
    char note[512];
    (void)snprintf(note, sizeof note,
                   "A dot is a client%s: how often its partitions left home, and how long they were tripped or "
                   "recovering, mean over replications. A policy that is fair to all keeps its dots together.%s",
                   step > 1 ? " (some of them, evenly picked)" : "",
                   left_out > 0 ? " Some transitions were left out by the scenario's bound on records: too low." : "");
    rep_figure_open(section, "clients", "Who bears it: client by client", note);
    for (uint32_t p = 0; p < rep_policies(section); p++) {
        rep_policy_table_open(section, "clients", p, HEADING, CLIENT_COLUMNS);
        put_client_rows(section, p, step < 1 ? 1 : step);
        rep_table_close(section->out);
    }
    rep_figure_close(section);
}
