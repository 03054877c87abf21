/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/words.h"

#include <inttypes.h>
#include <string.h>

void exp_put_time(FILE *out, int64_t ns)
{
    if (ns == RGN_TIME_NEVER)
        (void)fputs("never", out);
    else
        (void)fprintf(out, "%s%" PRId64 ".%09" PRId64 " s", ns < 0 ? "-" : "", (ns < 0 ? -ns : ns) / RGN_NS_PER_S,
                      (ns < 0 ? -ns : ns) % RGN_NS_PER_S);
}

void exp_put_span(FILE *out, int64_t ns)
{
    if (ns == RGN_TIME_NEVER)
        (void)fputs("for ever", out);
    else if (ns < RGN_NS_PER_S)
        (void)fprintf(out, "%.3f ms", (double)ns / 1e6);
    else
        (void)fprintf(out, "%.3f s", (double)ns / 1e9);
}

void exp_put_share(FILE *out, int64_t ppm)
{
    int decimals = 6;
    for (int64_t rest = ppm; decimals > 2 && rest % 10 == 0; rest /= 10)
        decimals--;
    (void)fprintf(out, "%.*f", decimals, (double)ppm / 1e6);
}

void exp_put_response(FILE *out, const rgn_response *response)
{
    if (response->transport == RGN_TRANSPORT_NOT_SENT)
        (void)fputs("connection refused, never sent", out);
    else if (response->transport != RGN_TRANSPORT_NONE)
        (void)fputs("sent, and the answer lost", out);
    else if (response->substatus == 0)
        (void)fprintf(out, "%u", response->status);
    else
        (void)fprintf(out, "%u/%u", response->status, response->substatus);
}

void exp_put_regions(FILE *out, const sim_scenario *scenario, rgn_region_set regions)
{
    bool is_first = true;
    for (rgn_region r = 0; r < scenario->region_count; r++) {
        if (!rgn_region_in(regions, r))
            continue;
        (void)fprintf(out, "%s%s", is_first ? "" : ", ", sim_region_word(scenario, r));
        is_first = false;
    }
    if (is_first)
        (void)fputs("none", out);
}

const char *exp_wake(unsigned wake_kind)
{
    static const char *const NAMES[] = {"none",
                                        "the attempt's timeout",
                                        "the end of a back-off",
                                        "the hedge threshold",
                                        "deadline",
                                        "the end of the wait for late answers"};
    return wake_kind < sizeof NAMES / sizeof *NAMES ? NAMES[wake_kind] : "?";
}

/* "counts: West US reads 3/10 writes 0/5" */
static void put_counts(FILE *out, const exp_stored *run, const rgn_entry *entry)
{
    const rgn_options *options = &run->options.clients.values;
    bool is_first = true;
    for (int row = 0; row < RGN_COUNTED_REGIONS; row++) {
        if (entry->counts.region[row] == RGN_REGION_NONE)
            continue;
        (void)fprintf(out, "%s%s reads %u of %" PRId64 ", writes %u of %" PRId64, is_first ? "; failures at " : "; at ",
                      sim_region_word(run->scenario, entry->counts.region[row]), entry->counts.failures[row][RGN_READ],
                      options->breaker_read_failure_threshold, entry->counts.failures[row][RGN_WRITE],
                      options->breaker_write_failure_threshold);
        is_first = false;
    }
}

static void put_recovery(FILE *out, const exp_stored *run, const rgn_entry *entry, int64_t now)
{
    const rgn_options *options = &run->options.clients.values;
    if (options->failback_strategy == RGN_STRATEGY_PROBE) {
        (void)fprintf(out, "; waits for one probe, %u in flight", entry->canary_in_flight);
        return;
    }
    (void)fprintf(out, "; window %u, ", entry->window_id + 1U);
    exp_put_span(out, now - entry->window_start);
    (void)fputs(" old of ", out);
    exp_put_span(out, options->failback_eval_window);
    (void)fputs("; tally ", out);
    sim_put_ratio(out, entry->canary_success, entry->canary_total);
    (void)fprintf(out, ", %u in flight; sampler at %u of 100", entry->canary_in_flight, entry->sampler);
}

void exp_put_entry(FILE *out, const exp_stored *run, const rgn_entry *entry, int64_t now)
{
    static const char *const TRIPPED[] = {"nothing", "reads", "writes", "reads and writes"};
    const sim_scenario *scenario = run->scenario;
    if (entry == NULL) {
        (void)fputs("healthy: nothing is remembered of it", out);
        return;
    }
    (void)fprintf(out, "%s", sim_phase_word(entry->phase));
    if (entry->tripped != 0) {
        (void)fprintf(out, "; %s tripped, from %s to %s", TRIPPED[entry->tripped & 3U],
                      sim_region_word(scenario, entry->first_failed), sim_region_word(scenario, entry->current));
        (void)fputs("; failed: ", out);
        exp_put_regions(out, scenario, entry->failed);
    }
    if (entry->phase == RGN_PHASE_COUNTING)
        put_counts(out, run, entry);
    if (entry->phase == RGN_PHASE_UNHEALTHY) {
        (void)fputs("; tripped ", out);
        exp_put_span(out, now - entry->trip_time);
        (void)fputs(" ago, jitter of the dwell ", out);
        exp_put_span(out, entry->jitter);
    }
    if (entry->phase == RGN_PHASE_RECOVERING)
        put_recovery(out, run, entry, now);
}

/* What was compared, where the reason tells. */
static void put_comparison(FILE *out, const rgn_transition *t)
{
    switch (t->reason) {
    case RGN_REASON_FAILBACK:
    case RGN_REASON_RETRIP:
    case RGN_REASON_RETRIP_JUDGE:
        (void)fputs("; tally ", out);
        sim_put_ratio(out, t->canary_success, t->canary_total);
        (void)fputs(t->reason == RGN_REASON_FAILBACK ? " >= " : " < ", out);
        exp_put_share(out, t->threshold);
        (void)fprintf(out, ", %u in flight", t->canary_in_flight);
        return;
    case RGN_REASON_FAILBACK_SEQUENTIAL:
    case RGN_REASON_RETRIP_SEQUENTIAL:
    case RGN_REASON_RAMP:
        (void)fputs("; tally ", out);
        sim_put_ratio(out, t->canary_success, t->canary_total);
        (void)fprintf(out, ", %u in flight", t->canary_in_flight);
        return;
    case RGN_REASON_FAILBACK_SINGLE:
    case RGN_REASON_RETRIP_SINGLE:
        (void)fprintf(out, "; after %" PRId64 " windows with too little traffic", t->threshold);
        return;
    case RGN_REASON_PROMOTE:
        (void)fputs("; ", out);
        exp_put_span(out, t->elapsed);
        (void)fputs(" >= dwell ", out);
        exp_put_span(out, t->threshold);
        (void)fputs(" + jitter ", out);
        exp_put_span(out, t->jitter);
        return;
    case RGN_REASON_STALE:
    case RGN_REASON_RETRIP_MAX:
    case RGN_REASON_WINDOW_DWELL:
    case RGN_REASON_WINDOW_RESTART:
    case RGN_REASON_UNTRIP_WINDOW:
        (void)fputs("; ", out);
        exp_put_span(out, t->elapsed);
        (void)fputs(" > ", out);
        exp_put_span(out, t->threshold);
        if (t->canary_total > 0) {
            (void)fputs("; tally ", out);
            sim_put_ratio(out, t->canary_success, t->canary_total);
        }
        return;
    default:
        if (t->failures > 0 && t->threshold > 0)
            (void)fprintf(out, "; %u failures >= %" PRId64, t->failures, t->threshold);
        return;
    }
}

void exp_put_transition(FILE *out, const exp_stored *run, const rgn_transition *t)
{
    const sim_scenario *scenario = run->scenario;
    (void)fprintf(out, "%s: %s", rgn_reason_name((rgn_reason)t->reason), rgn_reason_sentence((rgn_reason)t->reason));
    put_comparison(out, t);
    if (t->region != RGN_REGION_NONE)
        (void)fprintf(out, "; a %s at %s", t->direction == RGN_WRITE ? "write" : "read",
                      sim_region_word(scenario, t->region));
    (void)fprintf(out, "; %s -> %s", sim_phase_word(t->phase_before), sim_phase_word(t->phase_after));
    if (t->tripped_after != 0)
        (void)fprintf(out, "; traffic goes to %s, home is %s", sim_region_word(scenario, t->current),
                      sim_region_word(scenario, t->first_failed));
    else if (t->tripped_before != 0)
        (void)fprintf(out, "; traffic goes home to %s", sim_region_word(scenario, t->first_failed));
}
