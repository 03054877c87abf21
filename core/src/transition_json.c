/* SPDX-License-Identifier: MIT */
#include <regioncore/transition_json.h>

#include "json_writer.h"

static void put_failed(writer *w, rgn_region_set failed)
{
    const char *comma = "";

    put_key(w, "failed");
    put_text(w, "[");
    for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++) {
        if (!rgn_region_in(failed, region))
            continue;
        put_text(w, comma);
        put_number(w, region);
        comma = ",";
    }
    put_text(w, "]");
}

static const char *direction_name(unsigned direction)
{
    return direction == RGN_WRITE ? "write" : "read";
}

static void put_tripped(writer *w, const char *key, unsigned tripped)
{
    static const char *const SETS[] = {"[]", "[\"read\"]", "[\"write\"]", "[\"read\",\"write\"]"};

    put_key(w, key);
    put_text(w, SETS[tripped & 3u]);
}

static const char *phase_name(unsigned phase)
{
    static const char *const NAMES[] = {"absent", "counting", "unhealthy", "recovering"};

    return phase <= RGN_PHASE_RECOVERING ? NAMES[phase] : "?";
}

static const char *cause_name(unsigned cause)
{
    static const char *const NAMES[] = {"none", "failures", "hedge_wins"};

    return cause <= RGN_CAUSE_HEDGE_WINS ? NAMES[cause] : "?";
}

/* OBS-1: what the threshold counts. NULL: nothing was compared, or the reason does not tell what. */
static const char *threshold_unit(const rgn_transition *transition)
{
    if (transition->threshold == 0)
        return NULL;
    if (transition->failures > 0)
        return "count";
    switch (transition->reason) {
    case RGN_REASON_FAILBACK_SINGLE:
    case RGN_REASON_RETRIP_SINGLE:
    case RGN_REASON_FAILBACK_TENTATIVE:
        return "count";
    case RGN_REASON_FAILBACK:
    case RGN_REASON_RETRIP:
    case RGN_REASON_RETRIP_JUDGE:
    case RGN_REASON_FAILBACK_SEQUENTIAL:
    case RGN_REASON_RETRIP_SEQUENTIAL:
    case RGN_REASON_RAMP:
        return "ppm";
    case RGN_REASON_STALE:
    case RGN_REASON_PROMOTE:
    case RGN_REASON_PROMOTE_REQUEST:
    case RGN_REASON_FAILBACK_AT_ONCE:
    case RGN_REASON_RETRIP_MAX:
    case RGN_REASON_WINDOW_DWELL:
    case RGN_REASON_WINDOW_RESTART:
    case RGN_REASON_UNTRIP_WINDOW:
        return "ns";
    default:
        return NULL;
    }
}

size_t rgn_transition_json(const rgn_transition *transition, char *out, size_t size)
{
    writer w = {out, size, 0};

    put_text(&w, "{");
    put_integer(&w, "at_ns", transition->at);
    put_integer(&w, "partition", transition->partition);
    put_word(&w, "reason", rgn_reason_name((rgn_reason)transition->reason));
    put_word(&w, "direction", direction_name(transition->direction));
    put_word(&w, "phase_before", phase_name(transition->phase_before));
    put_word(&w, "phase_after", phase_name(transition->phase_after));
    put_tripped(&w, "tripped_before", transition->tripped_before);
    put_tripped(&w, "tripped_after", transition->tripped_after);
    put_region(&w, "region", transition->region);
    put_region(&w, "first_failed", transition->first_failed);
    put_region(&w, "current", transition->current);
    put_failed(&w, transition->failed);
    put_word(&w, "cause", cause_name(transition->cause));
    put_integer(&w, "generation", transition->generation);
    put_integer(&w, "window", transition->window_id);
    put_integer(&w, "canary_total", transition->canary_total);
    put_integer(&w, "canary_success", transition->canary_success);
    put_integer(&w, "canary_in_flight", transition->canary_in_flight);
    put_integer(&w, "failures", transition->failures);
    put_integer(&w, "threshold", transition->threshold);
    put_word(&w, "threshold_unit", threshold_unit(transition));
    put_integer(&w, "elapsed_ns", transition->elapsed);
    put_integer(&w, "jitter_ns", transition->jitter);
    return put_end(&w);
}
