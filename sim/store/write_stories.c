/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampled operations of a run: each with its attempts and what it would have logged. */
#include "store/rows.h"

static void add_outcome(sim_rows *rows, const sim_ended *ended)
{
    sim_rows_int(rows, ended->start);
    sim_rows_int(rows, ended->end - ended->start);
    sim_rows_int(rows, sim_ended_status(ended));
    sim_rows_int(rows, sim_ended_substatus(ended));
    sim_rows_text(rows, rgn_reason_name(sim_ended_reason(ended)));
    sim_rows_int(rows, ended->legs);
    sim_rows_int_unless(rows, ended->first_region, RGN_REGION_NONE);
    sim_rows_int_unless(rows, sim_ended_region(ended), RGN_REGION_NONE);
    sim_rows_int(rows, (ended->flags & SIM_ENDED_SUCCESS) != 0);
    sim_rows_int(rows, (ended->flags & SIM_ENDED_ERROR) != 0);
    sim_rows_int(rows, (ended->flags & SIM_ENDED_CANARY) != 0);
    sim_rows_int(rows, (ended->flags & SIM_ENDED_AWAY) != 0);
    sim_rows_int(rows, (ended->flags & SIM_ENDED_ABANDONED) != 0);
    sim_rows_int_unless(rows, ended->canary_retry, -1);
}

static void add_hedge(sim_rows *rows, const sim_story *story)
{
    const rgn_hedge_diagnostics *hedge = &story->hedge;
    sim_rows_text(rows, rgn_hedge_name((rgn_hedge)story->ended.hedge));
    sim_rows_int(rows, story->ended.hedges);
    sim_rows_int_unless(rows, story->ended.hedge_region, RGN_REGION_NONE);
    if (hedge->started == RGN_TIME_NEVER)
        sim_rows_null(rows);
    else
        sim_rows_int(rows, hedge->threshold);
    sim_rows_int_unless(rows, hedge->region[0], RGN_REGION_NONE);
    sim_rows_int_unless(rows, hedge->response, RGN_REGION_NONE);
}

static void add_request_units(sim_rows *rows, const sim_scenario *scenario, const sim_ended *ended)
{
    const double each = (double)scenario->request_units[ended->kind] / SIM_FACTOR_ONE;
    if (scenario->request_units[ended->kind] == 0) {
        sim_rows_null(rows);
        sim_rows_null(rows);
        return;
    }
    sim_rows_real(rows, (ended->flags & SIM_ENDED_SERVED) != 0 ? each : 0);
    sim_rows_real(rows, each * (ended->legs - ended->unserved_legs));
}

static const char *kind_name(const sim_ended *ended)
{
    if (ended->flags & SIM_ENDED_METADATA)
        return "metadata";
    if (ended->flags & SIM_ENDED_FEED)
        return "feed";
    return ended->kind == SIM_KIND_READ ? "read" : "write";
}

static bool write_operations(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db,
                  "INSERT INTO operation_sample VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (size_t n = 0; n < run->sample_count; n++) {
        const sim_ended *ended = &run->sample[n].ended;
        sim_rows_int(&rows, run->id);
        sim_rows_int(&rows, (int64_t)ended->ordinal);
        sim_rows_text(&rows, run->scenario->workload[ended->workload].name);
        sim_rows_int(&rows, ended->client);
        sim_rows_int(&rows, ended->partition);
        sim_rows_text(&rows, kind_name(ended));
        add_outcome(&rows, ended);
        add_hedge(&rows, &run->sample[n]);
        add_request_units(&rows, run->scenario, ended);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static const char *outcome_name(const sim_story_attempt *attempt)
{
    if (attempt->how != SIM_STORY_ANSWERED)
        return attempt->how == SIM_STORY_TIMED_OUT ? "timed_out" : "cancelled";
    if (attempt->transport == RGN_TRANSPORT_NONE)
        return "answered";
    return attempt->transport == RGN_TRANSPORT_NOT_SENT ? "not_sent" : "lost";
}

static void add_attempt(sim_rows *rows, const sim_story_attempt *attempt)
{
    const bool is_answer = attempt->how == SIM_STORY_ANSWERED && attempt->transport == RGN_TRANSPORT_NONE;
    sim_rows_text(rows, attempt->leg == 0 ? "primary" : "alternate");
    sim_rows_int(rows, attempt->region);
    sim_rows_text(rows, rgn_reason_name((rgn_reason)attempt->reason));
    sim_rows_text(rows, rgn_context_name((rgn_context)attempt->context));
    sim_rows_int(rows, (attempt->send_flags & RGN_SEND_HUB) != 0);
    sim_rows_int(rows, attempt->sent);
    sim_rows_int(rows, attempt->end - attempt->sent);
    sim_rows_text(rows, outcome_name(attempt));
    if (is_answer) {
        sim_rows_int(rows, attempt->status);
        sim_rows_int(rows, attempt->substatus);
    } else {
        sim_rows_null(rows);
        sim_rows_null(rows);
    }
}

static bool write_attempts(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO operation_attempt VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < run->sample_count; i++) {
        const sim_story *story = &run->sample[i];
        for (uint32_t n = 0; n < story->attempt_count && n < SIM_STORY_ATTEMPTS; n++) {
            sim_rows_int(&rows, run->id);
            sim_rows_int(&rows, (int64_t)story->ended.ordinal);
            sim_rows_int(&rows, n);
            add_attempt(&rows, &story->attempt[n]);
            sim_rows_next(&rows);
        }
    }
    return sim_rows_close(&rows);
}

static bool write_events(sqlite3 *db, const sim_store_run *run)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO operation_event VALUES (?,?,?,?,?,?)");
    for (size_t i = 0; i < run->sample_count; i++) {
        const sim_story *story = &run->sample[i];
        for (uint32_t n = 0; n < story->event_count && n < SIM_STORY_EVENTS; n++) {
            char json[RGN_HEDGE_EVENT_JSON_MAX];
            (void)rgn_hedge_event_json(&story->event[n], json, sizeof json);
            sim_rows_int(&rows, run->id);
            sim_rows_int(&rows, (int64_t)story->ended.ordinal);
            sim_rows_int(&rows, n);
            sim_rows_int(&rows, story->event[n].at);
            sim_rows_text(&rows, rgn_hedge_event_name((rgn_hedge_event_kind)story->event[n].kind));
            sim_rows_text(&rows, json);
            sim_rows_next(&rows);
        }
    }
    return sim_rows_close(&rows);
}

bool sim_store_write_stories(sqlite3 *db, const sim_store_run *run)
{
    return write_operations(db, run) && write_attempts(db, run) && write_events(db, run);
}
