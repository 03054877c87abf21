/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of one finished run, all in one transaction. */
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "store/rows.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static bool write_run(sqlite3 *db, const sim_store_run *run)
{
    const sim_run_output *output = run->output;
    char behaviour[33];
    char luck[33];
    char result[33];
    sim_digest_format(&output->behaviour, behaviour);
    sim_digest_format(&output->luck, luck);
    sim_digest_format(&run->result, result);

    sim_rows rows;
    sim_rows_open(&rows, db,
                  "UPDATE run SET state = 'done', luck_digest = ?, digest = ?, result_digest = ?, requests = ?,"
                  " legs = ?, peak_pending = ?, late_successes = ?, late_failures = ?, failed_allocations = ?,"
                  " transitions_left_out = ?, end = ? WHERE id = ?");
    sim_rows_text(&rows, luck);
    sim_rows_text(&rows, behaviour);
    sim_rows_text(&rows, result);
    sim_rows_int(&rows, (int64_t)output->operations);
    sim_rows_int(&rows, (int64_t)output->legs);
    sim_rows_int(&rows, (int64_t)output->peak_pending);
    sim_rows_int(&rows, (int64_t)output->late_successes);
    sim_rows_int(&rows, (int64_t)output->late_failures);
    sim_rows_int(&rows, (int64_t)output->failed_allocations);
    sim_rows_int(&rows, (int64_t)run->metrics->transitions_left_out);
    sim_rows_int(&rows, output->end);
    sim_rows_int(&rows, run->id);
    sim_rows_next(&rows);
    return sim_rows_close(&rows);
}

static bool write_timing(sqlite3 *db, const sim_store_run *run)
{
    const sim_store_timing *timing = &run->timing;
    char started[32] = "";
    struct tm parts;
    const time_t instant = (time_t)timing->started_unix_s;
    if (gmtime_r(&instant, &parts) != NULL)
        (void)strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &parts);
    struct utsname name;
    char system[3 * sizeof name.sysname + 3] = "?";
    const bool is_named = uname(&name) >= 0;
    if (is_named)
        (void)snprintf(system, sizeof system, "%s %s %s", name.sysname, name.release, name.machine);

    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO run_timing VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    sim_rows_int(&rows, run->id);
    sim_rows_text(&rows, started);
    sim_rows_real(&rows, (double)timing->elapsed_ns / 1e9);
    sim_rows_int(&rows, (int64_t)run->output->events);
    sim_rows_int(&rows, (int64_t)run->output->router_bytes);
    sim_rows_text(&rows, timing->event_mode);
    sim_rows_text(&rows, is_named ? name.nodename : "?");
    sim_rows_text(&rows, system);
    sim_rows_int(&rows, timing->cpus);
    sim_rows_int(&rows, timing->jobs);
    sim_rows_text(&rows, COMPILER);
    sim_rows_text(&rows, sqlite3_libversion());
    sim_rows_text(&rows, timing->command_line);
    sim_rows_text(&rows, run->scenario->path);
    sim_rows_text(&rows, run->policy->path);
    sim_rows_next(&rows);
    return sim_rows_close(&rows);
}

static bool write_checkpoints(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO checkpoint VALUES (?,?,?)");
    for (int k = 0; k < SIM_CHECKPOINTS; k++) {
        char digest[33];
        sim_digest_format(&run->output->checkpoint[k], digest);
        sim_rows_int(&rows, run->id);
        sim_rows_int(&rows, k);
        sim_rows_text(&rows, digest);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static const char *phase_name(const sim_scenario *scenario, uint32_t phase)
{
    return phase == 0 ? "all" : scenario->phase[phase - 1].name;
}

static bool write_metrics(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO metric VALUES (?,?,?,?,?,?)");
    for (uint32_t phase = 0; phase < run->metrics->phase_count; phase++) {
        for (int id = 0; id < (int)SIM_METRIC_COUNT; id++) {
            const sim_metric_value *value =
                &run->metrics->metric[(size_t)phase * (size_t)SIM_METRIC_COUNT + (size_t)id];
            sim_rows_int(&rows, run->id);
            sim_rows_text(&rows, phase_name(run->scenario, phase));
            sim_rows_text(&rows, sim_metric_at((sim_metric_id)id)->name);
            if (value->is_null)
                sim_rows_null(&rows);
            else
                sim_rows_real(&rows, value->value);
            if (value->is_null && value->is_censored)
                sim_rows_real(&rows, value->value);
            else
                sim_rows_null(&rows);
            sim_rows_int(&rows, (int64_t)value->samples);
            sim_rows_next(&rows);
        }
    }
    return sim_rows_close(&rows);
}

/* `*bytes` grows until the histogram fits. False: no memory. */
static bool encode(const sim_histogram *histogram, uint8_t **bytes, size_t *room, size_t *size)
{
    while ((*size = sim_histogram_encode(histogram, *bytes, *room)) == 0) {
        const size_t more = *room == 0 ? (size_t)1 << 16 : 2 * *room;
        uint8_t *bigger = realloc(*bytes, more);
        if (bigger == NULL)
            return false;
        *bytes = bigger;
        *room = more;
    }
    return true;
}

static bool write_histograms(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO histogram VALUES (?,?,?,?,?,?)");
    uint8_t *bytes = NULL;
    size_t room = 0;
    for (uint32_t i = 0; i < 2 * run->metrics->phase_count; i++) {
        const bool is_ok = i % 2 == 0;
        const sim_histogram *histogram = is_ok ? &run->metrics->ok[i / 2] : &run->metrics->failed[i / 2];
        size_t size = 0;
        if (!encode(histogram, &bytes, &room, &size)) {
            rows.code = SQLITE_NOMEM;
            break;
        }
        sim_rows_int(&rows, run->id);
        sim_rows_text(&rows, phase_name(run->scenario, i / 2));
        sim_rows_text(&rows, is_ok ? "ok" : "failed");
        sim_rows_int(&rows, (int64_t)histogram->total);
        sim_rows_int_unless(&rows, histogram->max, -1);
        sim_rows_bytes(&rows, bytes, size);
        sim_rows_next(&rows);
    }
    free(bytes);
    return sim_rows_close(&rows);
}

static bool write_intervals(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO interval VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    sim_rows regions;
    sim_rows_open(&regions, db, "INSERT INTO interval_region VALUES (?,?,?,?)");
    for (size_t n = 0; n < run->metrics->interval_count; n++) {
        const sim_interval_row *interval = &run->metrics->interval[n];
        sim_rows_int(&rows, run->id);
        sim_rows_int(&rows, (int64_t)n);
        sim_rows_int(&rows, interval->start);
        sim_rows_int(&rows, (int64_t)interval->requests);
        sim_rows_int(&rows, (int64_t)interval->errors);
        sim_rows_int_unless(&rows, interval->latency_p50, -1);
        sim_rows_int_unless(&rows, interval->latency_p99, -1);
        sim_rows_int_unless(&rows, interval->latency_max, -1);
        sim_rows_int(&rows, (int64_t)interval->legs);
        sim_rows_int(&rows, (int64_t)interval->hedges);
        sim_rows_int(&rows, (int64_t)interval->canaries);
        sim_rows_int(&rows, (int64_t)interval->canary_failures);
        sim_rows_int(&rows, (int64_t)interval->departures);
        sim_rows_int(&rows, (int64_t)interval->returns);
        sim_rows_int(&rows, (int64_t)interval->retrips);
        sim_rows_int(&rows, (int64_t)interval->pairs_away);
        sim_rows_int(&rows, (int64_t)interval->pairs_recovering);
        sim_rows_next(&rows);
        for (uint32_t region = 0; region < run->scenario->region_count; region++) {
            sim_rows_int(&regions, run->id);
            sim_rows_int(&regions, (int64_t)n);
            sim_rows_int(&regions, region);
            sim_rows_int(&regions, interval->region_legs[region]);
            sim_rows_next(&regions);
        }
    }
    const bool ok = sim_rows_close(&rows);
    return sim_rows_close(&regions) && ok;
}

static bool write_thresholds(sqlite3 *db, const sim_store_run *run)
{
    const sim_thresholds *thresholds = &run->output->thresholds;
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO interval_threshold VALUES (?,?,?,?,?,?)");
    for (size_t i = 0; i < thresholds->taken * thresholds->regions; i++) {
        sim_rows_int(&rows, run->id);
        sim_rows_int(&rows, (int64_t)(i / thresholds->regions));
        sim_rows_int(&rows, (int64_t)(i % thresholds->regions));
        sim_rows_int(&rows, thresholds->row[i].least);
        sim_rows_int(&rows, thresholds->row[i].median);
        sim_rows_int(&rows, thresholds->row[i].greatest);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_stations(sqlite3 *db, const sim_store_run *run)
{
    const uint32_t regions = run->scenario->region_count;
    const size_t count = run->metrics->station != NULL ? run->metrics->interval_count * regions : 0;
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO interval_station VALUES (?,?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < count; i++) {
        const sim_station_row *row = &run->metrics->station[i];
        const uint32_t region = (uint32_t)(i % regions);
        const int64_t start = (int64_t)(i / regions) * run->scenario->interval;
        const int64_t end = rgn_time_min(rgn_time_add(start, run->scenario->interval), run->scenario->duration);
        const double share = sim_station_utilisation(run->scenario, region, row->busy_ns, end - start);
        if (!run->scenario->capacity[region].is_on)
            continue;
        sim_rows_int(&rows, run->id);
        sim_rows_int(&rows, (int64_t)(i / regions));
        sim_rows_int(&rows, region);
        sim_rows_int(&rows, (int64_t)row->arrivals);
        sim_rows_int(&rows, (int64_t)row->busy_ns);
        if (share < 0)
            sim_rows_null(&rows);
        else
            sim_rows_real(&rows, share);
        sim_rows_int(&rows, row->waiting_peak);
        sim_rows_int(&rows, (int64_t)row->turned_away);
        sim_rows_int(&rows, (int64_t)row->throttled);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static void add_transition(sim_rows *rows, const rgn_transition *transition)
{
    sim_rows_int(rows, transition->partition);
    sim_rows_int(rows, transition->reason);
    sim_rows_text(rows, rgn_reason_name((rgn_reason)transition->reason));
    sim_rows_int(rows, transition->direction);
    sim_rows_int(rows, transition->phase_before);
    sim_rows_int(rows, transition->phase_after);
    sim_rows_int(rows, transition->tripped_before);
    sim_rows_int(rows, transition->tripped_after);
    sim_rows_int_unless(rows, transition->region, RGN_REGION_NONE);
    sim_rows_int_unless(rows, transition->first_failed, RGN_REGION_NONE);
    sim_rows_int_unless(rows, transition->current, RGN_REGION_NONE);
    sim_rows_int(rows, transition->failed);
    sim_rows_int(rows, transition->cause);
    sim_rows_int(rows, transition->generation);
    sim_rows_int(rows, transition->window_id);
    sim_rows_int(rows, transition->canary_total);
    sim_rows_int(rows, transition->canary_success);
    sim_rows_int(rows, transition->canary_in_flight);
    sim_rows_int(rows, transition->failures);
    sim_rows_int(rows, transition->threshold);
    sim_rows_int(rows, transition->elapsed);
    sim_rows_int(rows, transition->jitter);
}

static bool write_transitions(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO transition VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (size_t n = 0; n < run->metrics->transition_count; n++) {
        const sim_transition_row *row = &run->metrics->transition[n];
        sim_rows_int(&rows, run->id);
        sim_rows_int(&rows, (int64_t)n);
        sim_rows_int(&rows, row->transition.at);
        sim_rows_int(&rows, row->client);
        add_transition(&rows, &row->transition);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

bool sim_store_write_run(sim_store *store, const sim_store_run *run, sim_store_error *error)
{
    *error = (sim_store_error){0};
    sqlite3 *db = store->db;
    const bool ok = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK && write_run(db, run) &&
                    write_timing(db, run) && write_checkpoints(db, run) && write_metrics(db, run) &&
                    write_histograms(db, run) && write_intervals(db, run) && write_thresholds(db, run) &&
                    write_stations(db, run) && write_transitions(db, run) && sim_store_write_stories(db, run) &&
                    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (ok)
        return true;
    (void)sim_store_fail(store, "write", error);
    if (sqlite3_get_autocommit(db) == 0)
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
