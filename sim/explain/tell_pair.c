/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What results make of a partition: canaries with their tally, failures with their count. */
#include <inttypes.h>
#include <stdlib.h>

#include "explain/narrator.h"

/* The decision that this event made about the pair's recovery; NULL: none. */
static const rgn_transition *decision(const exp_narrator *self)
{
    for (size_t i = 0; i < self->change_count; i++) {
        const rgn_transition *one = &self->change[i].transition;
        if (self->change[i].client == self->focus.client && one->partition == self->focus.partition &&
            ((one->reason >= RGN_REASON_FAILBACK && one->reason <= RGN_REASON_UNTRIP_PROBE &&
              one->reason != RGN_REASON_WINDOW_RESTART) ||
             (one->reason >= RGN_REASON_FAILBACK_SEQUENTIAL && one->reason <= RGN_REASON_RAMP)))
            return one;
    }
    return NULL;
}

static void put_end(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    const sim_canary *canary = &self->canary;
    if (step->answer != NULL && step->leg == 0)
        exp_put_response(out, step->answer);
    else
        (void)fputs(step->is_timeout       ? "no answer before its timeout,"
                    : step->answer != NULL ? "cut, for its hedge won,"
                                           : "cut with its operation,",
                    out);
    (void)fputs(step->is_timeout || step->answer == NULL ? " after " : " in ", out);
    exp_put_span(out, canary->end - canary->sent);
    (void)fprintf(out, " from %s (%s)", sim_region_word(self->run->scenario, canary->region),
                  sim_evidence_word(canary->evidence));
}

/* "; tally 6/7 = 0.857 < 0.90, goes on" */
static void put_verdict(FILE *out, const exp_narrator *self, uint32_t success, uint32_t total)
{
    const rgn_options *options = &self->run->options.clients.values;
    const bool is_window_end = options->failback_decide == RGN_DECIDE_WINDOW_END;
    (void)fputs("; tally ", out);
    sim_put_ratio(out, success, total);
    if (options->failback_decide == RGN_DECIDE_SEQUENTIAL) {
        (void)fputs(", not enough evidence either way, goes on", out);
        return;
    }
    if (total < options->failback_min_sample) {
        (void)fprintf(out, ", fewer than the sample's minimum of %" PRId64 ", goes on", options->failback_min_sample);
        return;
    }
    const bool is_enough = (int64_t)success * SIM_FACTOR_ONE >= options->failback_success_threshold * total;
    (void)fputs(is_enough ? " >= " : " < ", out);
    exp_put_share(out, options->failback_success_threshold);
    if (!is_enough) {
        const bool is_low = (int64_t)success * SIM_FACTOR_ONE < options->failback_retrip_floor * total;
        (void)fputs(is_low ? " and < floor " : " and >= floor ", out);
        exp_put_share(out, options->failback_retrip_floor);
    }
    (void)fputs(is_window_end ? "; the window's end decides" : ", goes on", out);
}

static void put_canary(FILE *out, const exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before,
                       const rgn_entry *after)
{
    const rgn_transition *decided = decision(self);
    const bool is_probe = self->run->options.clients.values.failback_strategy == RGN_STRATEGY_PROBE;
    const bool is_counted =
        decided != NULL || (before != NULL && after != NULL && before->phase == RGN_PHASE_RECOVERING &&
                            after->canary_total == before->canary_total + 1 && after->generation == before->generation);
    const uint32_t total = decided != NULL ? decided->canary_total : after != NULL ? after->canary_total : 0;
    if (is_probe)
        (void)fputs("probe: ", out);
    else if (is_counted)
        (void)fprintf(out, "canary %u of window %u: ", total,
                      (decided != NULL ? decided->window_id : (uint32_t)after->window_id) + 1);
    else
        (void)fputs("canary: ", out);
    put_end(out, self, step);
    if (!is_counted)
        (void)fputs(self->canary.evidence == RGN_EVIDENCE_NEUTRAL ? "; does not count"
                                                                  : "; too late to count: its window is over",
                    out);
    else if (decided != NULL)
        (void)fputs("; decides", out);
    else if (!is_probe)
        put_verdict(out, self, after->canary_success, after->canary_total);
}

static uint64_t failures_of(const rgn_entry *entry, rgn_region region, rgn_direction direction)
{
    for (int row = 0; entry != NULL && row < RGN_COUNTED_REGIONS; row++) {
        if (entry->counts.region[row] == region)
            return entry->counts.failures[row][direction];
    }
    return 0;
}

/* The row of the one count that has gone up; false: none has. */
static bool find_count(const rgn_entry *before, const rgn_entry *after, rgn_region *region, rgn_direction *direction)
{
    for (int row = 0; after != NULL && row < RGN_COUNTED_REGIONS; row++) {
        *region = after->counts.region[row];
        for (int d = RGN_READ; d <= RGN_WRITE; d++) {
            *direction = (rgn_direction)d;
            if (*region != RGN_REGION_NONE && after->counts.failures[row][d] > failures_of(before, *region, *direction))
                return true;
        }
    }
    return false;
}

static void put_failure(FILE *out, const exp_narrator *self, const sim_recorded_step *step, const rgn_entry *after,
                        rgn_region region, rgn_direction direction)
{
    const rgn_options *options = &self->run->options.clients.values;
    const int64_t threshold =
        direction == RGN_READ ? options->breaker_read_failure_threshold : options->breaker_write_failure_threshold;
    (void)fprintf(out, "failure %" PRIu64 " of %" PRId64 " of %s at %s", failures_of(after, region, direction),
                  threshold, direction == RGN_READ ? "reads" : "writes", sim_region_word(self->run->scenario, region));
    if (step->answer != NULL) {
        (void)fputs(": ", out);
        exp_put_response(out, step->answer);
        (void)fputs(" after ", out);
        exp_put_span(out, step->now - step->leg_sent[step->leg]);
    } else if (step->is_timeout) {
        (void)fputs(": the attempt's timeout", out);
    }
}

static void put_cause(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    if (self->focus.has_operation && step->ordinal == self->focus.ordinal)
        return;
    (void)fputs("; ", out);
    sim_put_operation(out, self->run->scenario, step->ordinal);
}

void exp_tell_pair(exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before, const rgn_entry *after)
{
    rgn_region region = RGN_REGION_NONE;
    rgn_direction direction = RGN_READ;
    const bool has_failure = !self->has_canary && find_count(before, after, &region, &direction);
    if (step == NULL || (!self->has_canary && !has_failure))
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        if (self->has_canary)
            put_canary(out, self, step, before, after);
        else
            put_failure(out, self, step, after, region, direction);
        put_cause(out, self, step);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    exp_narrator_add(self, step->now, EXP_LINE_EVIDENCE, text);
}
