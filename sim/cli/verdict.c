/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paragraph in words: which policy flaps least, which returns soonest, what each of them costs.
 *
 * Every claim compares means over replications and says in how many replications it held, since replications meet the
 * same luck under every policy. With fewer than five nothing is claimed. */
#include <stdlib.h>
#include <string.h>

#include "cli/summary.h"
#include "cli/units.h"

enum { REPLICATIONS_FOR_A_VERDICT = 5 };
#define NOBODY UINT32_MAX

typedef struct {
    const cli_summary *summary;
    uint32_t scenario;
    FILE *out;
} writer;

static sim_metric_value estimate(const writer *self, uint32_t policy, sim_metric_id metric)
{
    return sim_outcome_estimate(self->summary->outcome, self->scenario, policy, 0, metric);
}

static const char *name(const writer *self, uint32_t policy)
{
    return self->summary->plan->policy[policy]->name;
}

/* The policy with the lowest mean that is known exactly, and whether others share it. */
static uint32_t lowest(const writer *self, sim_metric_id metric, bool *is_shared)
{
    uint32_t best = NOBODY;
    double low = 0;
    *is_shared = false;
    for (uint32_t p = 0; p < self->summary->plan->policy_count; p++) {
        const sim_metric_value value = estimate(self, p, metric);
        if (value.is_null)
            continue;
        if (best == NOBODY || value.value < low) {
            best = p;
            low = value.value;
            *is_shared = false;
        } else if (value.value <= low) {
            *is_shared = true;
        }
    }
    return best;
}

/* Replications in which no other policy's value was as low. */
static uint32_t replications_won(const writer *self, uint32_t policy, sim_metric_id metric)
{
    const sim_store_plan *plan = self->summary->plan;
    uint32_t won = 0;
    for (uint32_t r = 0; r < plan->replications; r++) {
        const sim_metric_value own = sim_outcome_value(self->summary->outcome, self->scenario, policy, 0, metric, r);
        bool is_lowest = !own.is_null;
        for (uint32_t p = 0; p < plan->policy_count; p++) {
            const sim_metric_value other = sim_outcome_value(self->summary->outcome, self->scenario, p, 0, metric, r);
            if (p != policy && !other.is_null && other.value <= own.value)
                is_lowest = false;
        }
        won += is_lowest;
    }
    return won;
}

/* With its unit, or with `noun` in the unit's place. */
static void put_value(const writer *self, uint32_t policy, sim_metric_id metric, const char *noun)
{
    const sim_metric_value value = estimate(self, policy, metric);
    char text[CLI_VALUE_SIZE];
    cli_format_with_unit(sim_metric_at(metric), &value, noun, text);
    (void)fputs(text, self->out);
}

/* " against 3.1 (spec-probe), 7 (shipped-rust)": what `noun` stands for has been said. */
static void put_others(const writer *self, uint32_t policy, sim_metric_id metric, const char *noun)
{
    const char *before = " against ";
    for (uint32_t p = 0; p < self->summary->plan->policy_count; p++) {
        if (p == policy)
            continue;
        (void)fputs(before, self->out);
        put_value(self, p, metric, noun == NULL ? NULL : "");
        (void)fprintf(self->out, " (%s)", name(self, p));
        before = ", ";
    }
}

static void put_shared(const writer *self, uint32_t best, sim_metric_id metric, const char *noun, const char *what)
{
    const char *before = "";
    const sim_metric_value low = estimate(self, best, metric);
    uint32_t count = 0;
    for (uint32_t p = 0; p < self->summary->plan->policy_count; p++) {
        const sim_metric_value value = estimate(self, p, metric);
        if (value.is_null || value.value > low.value)
            continue;
        (void)fprintf(self->out, "%s%s", before, name(self, p));
        before = " and ";
        count++;
    }
    (void)fprintf(self->out, " %s alike, ", what);
    put_value(self, best, metric, noun);
    (void)fputs(count < self->summary->plan->policy_count ? ", the others more. " : ". ", self->out);
}

/* "X <what>: 2.4 flaps on average, against ...; so in 5 of 5 replications." Returns the policy. */
static uint32_t put_best(const writer *self, sim_metric_id metric, const char *noun, const char *what, const char *none)
{
    bool is_shared = false;
    const uint32_t best = lowest(self, metric, &is_shared);
    if (best == NOBODY) {
        (void)fprintf(self->out, "%s ", none);
    } else if (is_shared) {
        put_shared(self, best, metric, noun, what);
    } else {
        (void)fprintf(self->out, "%s %s: ", name(self, best), what);
        put_value(self, best, metric, noun);
        put_others(self, best, metric, noun);
        (void)fprintf(self->out, "; so in %u of %u replications. ", replications_won(self, best, metric),
                      self->summary->plan->replications);
    }
    return best;
}

typedef struct {
    sim_metric_id metric;
    const char *noun; /* in place of the unit, or NULL */
    const char *more; /* after it */
} price;

static const price PRICES[] = {
    {SIM_METRIC_away_healthy_s, NULL, " away from a healthy home"},
    {SIM_METRIC_home_unhealthy_s, NULL, " at an unhealthy home"},
    {SIM_METRIC_flap_count, "flaps", ""},
    {SIM_METRIC_premature_failback_count, "returns to an unhealthy home", ""},
    {SIM_METRIC_canary_failure_count, "failed canaries", ""},
    {SIM_METRIC_error_count, "errors", ""},
    {SIM_METRIC_latency_p99, NULL, " at p99"},
};

/* What another policy does better than `policy` by more than the metric's margin. */
static void put_price(const writer *self, uint32_t policy)
{
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof PRICES / sizeof *PRICES; i++) {
        bool is_shared = false;
        const uint32_t best = lowest(self, PRICES[i].metric, &is_shared);
        const sim_metric_value own = estimate(self, policy, PRICES[i].metric);
        if (best == NOBODY || own.is_null)
            continue;
        const double margin = 1 + (double)sim_metric_at(PRICES[i].metric)->margin_ppm / 1e6;
        if (own.value <= estimate(self, best, PRICES[i].metric).value * margin)
            continue;
        if (count++ == 0)
            (void)fprintf(self->out, "What %s costs: ", name(self, policy));
        else
            (void)fputs("; ", self->out);
        put_value(self, policy, PRICES[i].metric, PRICES[i].noun);
        (void)fprintf(self->out, "%s, where %s has ", PRICES[i].more, name(self, best));
        put_value(self, best, PRICES[i].metric, PRICES[i].noun == NULL ? NULL : "");
    }
    if (count == 0)
        (void)fprintf(self->out,
                      "No other policy does better than %s in time away from a healthy home or at an "
                      "unhealthy one, flaps, premature returns, failed canaries, errors or p99",
                      name(self, policy));
    (void)fputs(". ", self->out);
}

static void put_single(const writer *self)
{
    (void)fprintf(self->out, "One policy, nothing to compare it with. %s: ", name(self, 0));
    for (size_t i = 0; i < sizeof PRICES / sizeof *PRICES; i++) {
        (void)fputs(i == 0 ? "" : ", ", self->out);
        put_value(self, 0, PRICES[i].metric, PRICES[i].noun);
        (void)fputs(PRICES[i].more, self->out);
    }
    (void)fputs(".", self->out);
}

static void put_comparison(const writer *self)
{
    const uint32_t calmest = put_best(self, SIM_METRIC_flap_count, "flaps a run", "flaps least",
                                      "No run could say how often a policy flaps.");
    const uint32_t soonest =
        put_best(self, SIM_METRIC_failback_lag_p50, NULL, "returns soonest after the region has healed (median)",
                 "No policy's median time to return is known.");
    if (calmest != NOBODY)
        put_price(self, calmest);
    if (soonest != NOBODY && soonest != calmest)
        put_price(self, soonest);
    (void)fputs("All of these are means over the replications, without intervals.", self->out);
}

char *cli_verdict(const cli_summary *summary, uint32_t scenario)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    const writer self = {summary, scenario, out};
    if (summary->plan->replications < REPLICATIONS_FOR_A_VERDICT)
        (void)fprintf(out, "No verdict: it takes at least %d replications, and there are %u.",
                      REPLICATIONS_FOR_A_VERDICT, summary->plan->replications);
    else if (summary->plan->policy_count == 1)
        put_single(&self);
    else
        put_comparison(&self);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
