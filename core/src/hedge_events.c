/* SPDX-License-Identifier: MIT */
/* OBS-2: what a race has to tell is read off the operation from outside: the race itself keeps nothing for it. */
#include <regioncore/hedge_events.h>

#include <string.h>

#include "json_writer.h"
#include "op_impl.h"

enum { STATUS_DEADLINE = 408, STATUS_LOST = 503 };

/* The events of one call. */
typedef struct {
    rgn_hedge_event *out;
    unsigned count;
    rgn_time_ns now;
} event_list;

static rgn_hedge_event *add(event_list *list, rgn_hedge_event_kind kind, rgn_region region)
{
    rgn_hedge_event *event = &list->out[list->count++];

    *event =
        (rgn_hedge_event){.at = list->now, .kind = (uint8_t)kind, .region = region, .partition = RGN_PARTITION_UNKNOWN};
    return event;
}

void rgn_hedge_diagnostics_init(rgn_hedge_diagnostics *diagnostics)
{
    *diagnostics = (rgn_hedge_diagnostics){
        .started = RGN_TIME_NEVER, .spawned = RGN_TIME_NEVER, .response = RGN_REGION_NONE, .terminal = RGN_HEDGE_NONE};
    memset(diagnostics->region, RGN_REGION_NONE, sizeof diagnostics->region);
}

static unsigned count_regions(const rgn_region_list *list, rgn_region_set excluded)
{
    unsigned count = 0;

    for (unsigned i = 0; i < list->count; i++)
        count += !rgn_region_in(excluded, list->region[i]);
    return count;
}

static void begin(const rgn_router *router, const rgn_op *op, unsigned races, rgn_hedge_diagnostics *diagnostics,
                  event_list *list)
{
    rgn_dur_ns left = op->deadline == RGN_TIME_NEVER ? RGN_TIME_NEVER : op->deadline - list->now;
    rgn_hedge_event *event;

    rgn_hedge_diagnostics_init(diagnostics);
    diagnostics->started = list->now;
    diagnostics->threshold = rgni_race_threshold(router, op, left);
    diagnostics->region[0] = op->region;
    diagnostics->terminal = RGN_HEDGE_WAITING;
    diagnostics->races = (uint8_t)races;
    event = add(list, RGN_HEDGE_EVENT_ENABLED, op->region);
    event->threshold = diagnostics->threshold;
    event->region_count = (uint8_t)count_regions(rgni_race_list(op, rgni_router_topology(router)), op->excluded);
}

static void note_winner(const rgn_op *op, rgn_hedge_diagnostics *diagnostics, event_list *list)
{
    bool was_hedge = diagnostics->terminal == RGN_HEDGE_ALTERNATE_WON;
    rgn_hedge_event *event = add(list, RGN_HEDGE_EVENT_WINNER_SELECTED, op->result.region);

    diagnostics->response = op->result.region;
    event->elapsed = rgn_time_elapsed(diagnostics->started, list->now);
    event->was_hedge = was_hedge;
    if (was_hedge && op->partition != RGN_PARTITION_UNKNOWN && rgni_race_counts(op)) {
        event = add(list, RGN_HEDGE_EVENT_RECORDED_ALTERNATE_WIN, diagnostics->region[0]);
        event->partition = op->partition;
    }
}

static void note_both_transient(const rgn_response *response, bool is_late, event_list *list)
{
    rgn_hedge_event *event = add(list, RGN_HEDGE_EVENT_BOTH_TRANSIENT, RGN_REGION_NONE);

    if (is_late)
        event->status = STATUS_DEADLINE;
    else if (response == NULL || response->transport != RGN_TRANSPORT_NONE)
        event->status = STATUS_LOST;
    else
        event->status = response->status;
}

/* The race that is under way, or (`is_over`) was until this call began another. */
static void follow(const rgn_op *op, rgn_step step, const rgn_response *response, bool is_over,
                   rgn_hedge_diagnostics *diagnostics, event_list *list)
{
    rgn_hedge before = (rgn_hedge)diagnostics->terminal;
    rgn_hedge after = !is_over                       ? rgn_op_hedge(op)
                      : before == RGN_HEDGE_LAUNCHED ? RGN_HEDGE_BOTH_TRANSIENT
                                                     : RGN_HEDGE_ENDED_EARLY;

    if (step == RGN_SEND && op->reason == RGN_REASON_ROUTE_HEDGE) {
        if (op->leg == 1)
            diagnostics->spawned = list->now;
        diagnostics->region[op->leg] = op->region;
        diagnostics->alternates = op->leg;
        add(list, RGN_HEDGE_EVENT_ALTERNATE_SPAWNED, op->region)->elapsed =
            rgn_time_elapsed(diagnostics->started, list->now);
    }
    if (after == before)
        return;
    diagnostics->terminal = (uint8_t)after;
    if (after == RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD || after == RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE ||
        after == RGN_HEDGE_ALTERNATE_WON)
        note_winner(op, diagnostics, list);
    if (after == RGN_HEDGE_BOTH_TRANSIENT || after == RGN_HEDGE_BOTH_TRANSIENT_DEADLINE)
        note_both_transient(response, after == RGN_HEDGE_BOTH_TRANSIENT_DEADLINE, list);
}

/* The legs that the end of the race has left behind: at once, or when the harvest is over. */
static void note_cancels(const rgn_op *op, const rgn_hedge_diagnostics *diagnostics, event_list *list)
{
    rgn_hedge_cut why = RGN_HEDGE_CUT_WINNER_FOUND;

    if (diagnostics->spawned == RGN_TIME_NEVER)
        return;
    if (op->result.reason == RGN_REASON_DONE_ABANDONED)
        why = RGN_HEDGE_CUT_APP_CANCELED;
    else if (diagnostics->terminal == RGN_HEDGE_BOTH_TRANSIENT_DEADLINE ||
             diagnostics->terminal == RGN_HEDGE_CANCELLED_AWAITING_PARTNER)
        why = RGN_HEDGE_CUT_DEADLINE;
    else if (diagnostics->response == RGN_REGION_NONE)
        return; /* the race was over before: what is cut is another attempt */
    for (unsigned leg = 0; leg < RGN_LEGS_MAX; leg++) {
        rgn_hedge_event *event;
        if ((op->cancel_legs >> leg & 1) == 0)
            continue;
        event = add(list, RGN_HEDGE_EVENT_CANCELED, diagnostics->region[leg]);
        event->leg = (uint8_t)leg;
        event->why = (uint8_t)why;
    }
}

unsigned rgn_hedge_observe(const rgn_router *router, const rgn_op *op, rgn_step step, const rgn_response *response,
                           rgn_time_ns now, rgn_hedge_diagnostics *diagnostics, rgn_hedge_event *out)
{
    event_list list = {out, 0, now};
    unsigned races = rgni_races_of(op);
    bool is_next = races > diagnostics->races;

    if (diagnostics->terminal == RGN_HEDGE_WAITING || diagnostics->terminal == RGN_HEDGE_LAUNCHED)
        follow(op, step, response, is_next, diagnostics, &list);
    if (is_next)
        begin(router, op, races, diagnostics, &list);
    if (step == RGN_DONE)
        note_cancels(op, diagnostics, &list);
    return list.count;
}

/* --- names and JSON ---------------------------------------------------------------------------------------------- */

static const char *const event_names[] = {
#define EVENT_NAME(identifier, number, name, sentence) [number] = (name),
    RGN_HEDGE_EVENTS(EVENT_NAME)};

enum { EVENT_COUNT = sizeof event_names / sizeof event_names[0] };

const char *rgn_hedge_event_name(rgn_hedge_event_kind kind)
{
    return (unsigned)kind < EVENT_COUNT && event_names[kind] != NULL ? event_names[kind] : "?";
}

const char *rgn_hedge_cut_name(rgn_hedge_cut why)
{
    static const char *const names[] = {"winner_found", "deadline", "app_canceled"};

    return (unsigned)why < sizeof names / sizeof names[0] ? names[why] : "?";
}

static void put_flag(writer *w, const char *key, bool value)
{
    put_key(w, key);
    put_text(w, value ? "true" : "false");
}

/* Milliseconds, rounded down. */
static void put_ms(writer *w, const char *key, rgn_dur_ns duration)
{
    put_integer(w, key, duration / RGN_NS_PER_MS);
}

static void put_fields(writer *w, const rgn_hedge_event *event)
{
    switch ((rgn_hedge_event_kind)event->kind) {
    case RGN_HEDGE_EVENT_ENABLED:
        put_ms(w, "threshold_ms", event->threshold);
        put_integer(w, "region_count", event->region_count);
        break;
    case RGN_HEDGE_EVENT_ALTERNATE_SPAWNED:
        put_region(w, "target_region", event->region);
        put_ms(w, "elapsed_ms", event->elapsed);
        break;
    case RGN_HEDGE_EVENT_CANCELED:
        put_word(w, "which", event->leg == 0 ? "primary" : "alternate");
        put_region(w, "target_region", event->region);
        put_word(w, "reason", rgn_hedge_cut_name((rgn_hedge_cut)event->why));
        break;
    case RGN_HEDGE_EVENT_WINNER_SELECTED:
        put_region(w, "winner_region", event->region);
        put_ms(w, "elapsed_ms", event->elapsed);
        put_flag(w, "was_hedge", event->was_hedge);
        break;
    case RGN_HEDGE_EVENT_BOTH_TRANSIENT:
        put_integer(w, "last_status_code", event->status);
        break;
    case RGN_HEDGE_EVENT_RECORDED_ALTERNATE_WIN:
        put_region(w, "primary_region", event->region);
        put_integer(w, "partition", event->partition);
        break;
    }
}

size_t rgn_hedge_event_json(const rgn_hedge_event *event, char *out, size_t size)
{
    writer w = {out, size, 0};

    put_text(&w, "{");
    put_integer(&w, "at_ns", event->at);
    put_word(&w, "event", rgn_hedge_event_name((rgn_hedge_event_kind)event->kind));
    put_word(&w, "level", event->kind == RGN_HEDGE_EVENT_BOTH_TRANSIENT ? "WARN" : "DEBUG");
    put_fields(&w, event);
    return put_end(&w);
}

/* --- execution context ------------------------------------------------------------------------------------------- */

rgn_context rgn_op_context(const rgn_op *op)
{
    if (op->leg != 0)
        return RGN_CONTEXT_HEDGING;
    if ((op->send_flags & RGN_SEND_CANARY) != 0)
        return RGN_CONTEXT_PROBE;
    if (!rgni_op_has(op, RGNI_OP_HAS_TAIL) || op->attempts == 1)
        return RGN_CONTEXT_INITIAL;
    return op->reason == RGN_REASON_ROUTE_IN_REGION || op->session_retries > 0 ? RGN_CONTEXT_RETRY
                                                                               : RGN_CONTEXT_REGION_FAILOVER;
}

const char *rgn_context_name(rgn_context context)
{
    static const char *const names[] = {"initial", "retry", "hedging", "region_failover", "circuit_breaker_probe"};

    return (unsigned)context < sizeof names / sizeof names[0] ? names[context] : "?";
}
