/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One operation: where it may go and why, what it does, when which clock rings, how it ends. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/narrator.h"

static const sim_client_group *group_of(const sim_scenario *scenario, uint32_t client)
{
    const sim_client_group *group = &scenario->group[0];
    for (uint32_t g = 1; g < scenario->group_count && scenario->group[g].first_client <= client; g++)
        group = &scenario->group[g];
    return group;
}

static void put_state(FILE *out, const exp_narrator *self, const char *when, const rgn_entry *entry, int64_t now)
{
    (void)fprintf(out, "\n%s: ", when);
    exp_put_entry(out, self->run, entry, now);
}

static void put_marks(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    const rgn_options *options = &self->run->options.clients.values;
    const bool is_held = self->run->scenario->probe_interval > 0 && options->endpoint_aged_mark == RGN_AGED_MARK_HOLD;
    for (rgn_region r = 0; r < self->run->scenario->region_count; r++) {
        rgn_mark mark;
        if (!rgn_router_inspect_mark(step->router, r, &mark))
            continue;
        (void)fprintf(out, "\nendpoint of %s: marked unavailable ", sim_region_word(self->run->scenario, r));
        exp_put_span(out, step->now - mark.at);
        (void)fputs(is_held ? " ago; a mark lasts until a probe after " : " ago; a mark lasts ", out);
        exp_put_span(out, options->endpoint_unavailability_ttl);
    }
}

/* Every region of the account, in the order in which the operation may go there, then those that are out. */
static void put_applicable(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    const sim_scenario *scenario = self->run->scenario;
    const rgn_applicable_query query = {.excluded = group_of(scenario, step->client)->excluded,
                                        .current = RGN_REGION_NONE,
                                        .override = RGN_REGION_NONE,
                                        .direction = step->op->direction};
    const rgn_partition partition = step->form == SIM_FORM_METADATA ? RGN_PARTITION_UNKNOWN : step->partition;
    const rgn_applicable regions = rgn_router_applicable(step->router, partition, query, step->now);
    (void)fputs("\nregions that apply:", out);
    for (unsigned i = 0; i < regions.count; i++)
        (void)fprintf(out, "%s %s", i == 0 ? "" : ",", sim_region_word(scenario, regions.list[i]));
    for (rgn_region r = 0; r < scenario->region_count; r++) {
        const rgn_applicable_reason reason = (rgn_applicable_reason)regions.reason[r];
        (void)fprintf(out, "\n  %s: %s (%s)", sim_region_word(scenario, r), rgn_applicable_reason_sentence(reason),
                      rgn_applicable_reason_name(reason));
    }
}

static void put_start(FILE *out, const exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before)
{
    const sim_scenario *scenario = self->run->scenario;
    const sim_client_group *group = group_of(scenario, step->client);
    const int64_t deadline = scenario->workload[step->workload].deadline;
    sim_put_operation(out, scenario, step->ordinal);
    (void)fprintf(out, " starts: a %s of client %u (%s), ",
                  step->kind == SIM_KIND_WRITE      ? "write"
                  : step->form == SIM_FORM_METADATA ? "read of metadata"
                  : step->form == SIM_FORM_FEED     ? "feed"
                                                    : "read",
                  step->client, group->name);
    if (step->form == SIM_FORM_METADATA)
        (void)fputs("no partition", out);
    else
        (void)fprintf(out, "partition %u", step->partition);
    if (deadline != RGN_TIME_NEVER) {
        (void)fputs(", deadline after ", out);
        exp_put_span(out, deadline);
    }
    if (step->form != SIM_FORM_METADATA)
        put_state(out, self, "before", before, step->now);
    put_marks(out, self, step);
    put_applicable(out, self, step);
    (void)fputc('\n', out);
}

static void put_answer(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    (void)fprintf(out, "leg %u from %s: ", step->leg,
                  sim_region_word(self->run->scenario, step->leg_region[step->leg]));
    exp_put_response(out, step->answer);
    (void)fputs(" in ", out);
    exp_put_span(out, step->now - step->leg_sent[step->leg]);
    (void)fprintf(out, " (%s); ", sim_evidence_word(rgn_classify(step->answer).evidence));
}

static void put_cut(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    for (unsigned leg = 0; leg < RGN_LEGS_MAX; leg++) {
        if ((step->op->cancel_legs >> leg & 1) == 0)
            continue;
        (void)fprintf(out, "leg %u at %s is cut after ", leg,
                      sim_region_word(self->run->scenario, step->leg_region[leg]));
        exp_put_span(out, step->now - step->leg_sent[leg]);
        (void)fputs(step->is_timeout ? " by its timeout; " : "; ", out);
    }
}

static void put_send(FILE *out, const exp_narrator *self, const sim_recorded_step *step)
{
    const rgn_op *op = step->op;
    (void)fprintf(out, "sends leg %u to %s%s%s: %s (%s)", op->leg, sim_region_word(self->run->scenario, op->region),
                  (op->send_flags & RGN_SEND_CANARY) != 0 ? " as a canary" : "",
                  (op->send_flags & RGN_SEND_HUB) != 0 ? ", for the hub only" : "",
                  rgn_reason_sentence((rgn_reason)op->reason), rgn_reason_name((rgn_reason)op->reason));
}

static void put_done(FILE *out, const sim_recorded_step *step)
{
    const rgn_result *result = &step->op->result;
    (void)fprintf(out, "ends after ");
    exp_put_span(out, step->now - step->start);
    (void)fprintf(out, ": %s (%s), the caller sees %u/%u", rgn_reason_sentence((rgn_reason)result->reason),
                  rgn_reason_name((rgn_reason)result->reason), result->status, result->substatus);
}

static void put_clock(FILE *out, const sim_recorded_step *step)
{
    if (step->op->wake_at == RGN_TIME_NEVER)
        return;
    (void)fprintf(out, "\nnext clock: %s, at +", exp_wake(step->op->wake_kind));
    exp_put_span(out, step->op->wake_at - step->start);
}

/* What the race of its legs has to tell of this step. */
static void put_race(FILE *out, exp_narrator *self, const sim_recorded_step *step)
{
    rgn_hedge_event event[RGN_HEDGE_EVENTS_MAX];
    const unsigned count =
        rgn_hedge_observe(step->router, step->op, step->step, step->answer, step->now, &self->hedge, event);
    for (unsigned i = 0; i < count; i++) {
        (void)fprintf(out, "\nrace: %s", rgn_hedge_event_name((rgn_hedge_event_kind)event[i].kind));
        if (event[i].kind == RGN_HEDGE_EVENT_ENABLED) {
            (void)fputs(", threshold ", out);
            exp_put_span(out, event[i].threshold);
        } else if (event[i].kind == RGN_HEDGE_EVENT_CANCELED) {
            (void)fprintf(out, ", leg %u: %s", event[i].leg, rgn_hedge_cut_name((rgn_hedge_cut)event[i].why));
        } else if (event[i].kind == RGN_HEDGE_EVENT_WINNER_SELECTED) {
            (void)fprintf(out, ", %s", event[i].was_hedge ? "the hedge" : "the primary");
        }
    }
    if (step->step == RGN_DONE && rgn_op_hedge(step->op) != RGN_HEDGE_NONE)
        (void)fprintf(out, "\nrace: its end is %s", rgn_hedge_name(rgn_op_hedge(step->op)));
}

/* The state afterwards, where it reads differently. */
static void put_change(FILE *out, const exp_narrator *self, const rgn_entry *before, const rgn_entry *after,
                       int64_t now)
{
    char *text[2] = {NULL, NULL};
    const rgn_entry *entries[] = {before, after};
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        FILE *one = open_memstream(&text[i], &size);
        if (one == NULL)
            continue;
        exp_put_entry(one, self->run, entries[i], now);
        (void)fclose(one);
    }
    if (text[0] != NULL && text[1] != NULL && strcmp(text[0], text[1]) != 0)
        (void)fprintf(out, "\nafter: %s", text[1]);
    free(text[0]);
    free(text[1]);
}

static void put_step(FILE *out, exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before,
                     const rgn_entry *after)
{
    const bool is_start = !self->is_started;
    if (is_start)
        put_start(out, self, step, before);
    (void)fputs("+", out);
    exp_put_span(out, step->now - step->start);
    (void)fputs(": ", out);
    if (step->answer != NULL)
        put_answer(out, self, step);
    put_cut(out, self, step);
    if (step->step == RGN_SEND)
        put_send(out, self, step);
    else if (step->step == RGN_DONE)
        put_done(out, step);
    else
        (void)fputs("waits", out);
    put_race(out, self, step);
    if (step->step != RGN_DONE)
        put_clock(out, step);
    put_change(out, self, before, after, step->now);
}

void exp_tell_step(exp_narrator *self, const sim_recorded_step *step, const rgn_entry *before, const rgn_entry *after)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        put_step(out, self, step, before, after);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    exp_narrator_add(self, step->now, EXP_LINE_STEP, text);
    self->is_started = true;
}
