/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why that is recommended, as one would say it. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/tune.h"
#include "experiment/gains.h"

static void say(cli_tuning *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(cli_tuning *self, const char *format, ...)
{
    const size_t used = strlen(self->reason);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(self->reason + used, sizeof self->reason - used, format, list);
    va_end(list);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* "away_healthy_s (+43.1 %, 95 % interval +42.0 to +44.2 %)", of all that have the verdict. False: none has. */
static bool say_gains(cli_tuning *self, const sim_portfolio_gain *gain, sim_compared verdict)
{
    size_t said = 0;
    size_t left = 0;
    for (size_t o = 0; o < self->goals.objective_count; o++)
        left += gain[o].verdict == verdict;
    for (size_t o = 0; o < self->goals.objective_count; o++) {
        if (gain[o].verdict != verdict)
            continue;
        left--;
        say(self, "%s%s (%+.1f %%, 95 %% interval %+.1f to %+.1f %%)",
            said == 0   ? ""
            : left == 0 ? " and "
                        : ", ",
            sim_metric_at(gain[o].metric)->name, 100 * gain[o].gain, 100 * gain[o].interval.low,
            100 * gain[o].interval.high);
        said++;
    }
    return said > 0;
}

static bool has_verdict(const cli_tuning *self, const sim_portfolio_gain *gain, sim_compared verdict)
{
    bool found = false;
    for (size_t o = 0; o < self->goals.objective_count; o++)
        found = found || gain[o].verdict == verdict;
    return found;
}

/* Names of the objectives with any of two verdicts. */
static void say_names(cli_tuning *self, const sim_portfolio_gain *gain, sim_compared one, sim_compared other,
                      const char *before, const char *behind)
{
    size_t said = 0;
    for (size_t o = 0; o < self->goals.objective_count; o++) {
        if (gain[o].verdict == one || gain[o].verdict == other)
            say(self, "%s%s", said++ == 0 ? before : ", ", sim_metric_at(gain[o].metric)->name);
    }
    if (said > 0)
        say(self, "%s", behind);
}

static void say_set(cli_tuning *self, const sim_portfolio_gain *gain, const char *where)
{
    const bool is_better = has_verdict(self, gain, SIM_COMPARED_BETTER);
    say(self, "%s ", where);
    if (is_better)
        say(self, "it is better in ");
    (void)say_gains(self, gain, SIM_COMPARED_BETTER);
    if (!is_better)
        say(self, "it is better in no objective");
    if (has_verdict(self, gain, SIM_COMPARED_WORSE))
        say(self, "%s worse in ", is_better ? ", but" : ", and");
    if (!say_gains(self, gain, SIM_COMPARED_WORSE) && is_better)
        say(self, ", and worse in none");
    say(self, ".");
    say_names(self, gain, SIM_COMPARED_EQUIVALENT, SIM_COMPARED_EQUAL, " The same to within the margin: ", ".");
    say_names(self, gain, SIM_COMPARED_INCONCLUSIVE, SIM_COMPARED_TOO_FEW,
              " Not told apart, so neither a gain nor shown to be no loss: ", ".");
    say_names(self, gain, SIM_COMPARED_NO_DATA, SIM_COMPARED_NO_DATA, " Without a value somewhere: ", ".");
    for (size_t o = 0; o < self->goals.objective_count; o++) {
        if (gain[o].worst != UINT32_MAX && gain[o].worst_gain < -gain[o].margin)
            say(self, " %s loses %.1f %% in %s.", sim_metric_at(gain[o].metric)->name, -100 * gain[o].worst_gain,
                self->in.scenario[gain[o].worst]->name);
    }
}

/* What the pick loses in single scenarios, against the limit. */
static void say_limit(cli_tuning *self)
{
    const size_t objectives = self->goals.objective_count;
    size_t said = 0;
    for (size_t i = 0; i < self->in.scenario_count * objectives; i++) {
        const sim_portfolio_gain *gain = &self->scenario_gain[i];
        if (!cli_tune_breaks_limit(self, gain))
            continue;
        say(self, "%s%s in %s (%+.1f %%, 95 %% interval %+.1f to %+.1f %%)",
            said++ == 0 ? " A single scenario loses more than is allowed: " : ", ", sim_metric_at(gain->metric)->name,
            self->in.scenario[i / objectives]->name, 100 * gain->gain, 100 * gain->interval.low,
            100 * gain->interval.high);
    }
    if (said > 0)
        say(self, ".");
    else if (isfinite(self->goals.loss_limit))
        say(self, " No single scenario loses more than %g %% of an objective (or its margin) beyond doubt.",
            100 * self->goals.loss_limit);
}

static void explain_nothing(cli_tuning *self)
{
    const char *base = self->in.policy[0]->name;
    size_t forbidden = 0;
    size_t limited = 0;
    for (size_t p = 1; p < self->search.count; p++) {
        const sim_search_point *point = &self->search.point[p];
        if (point->standing != SIM_POINT_FORBIDDEN)
            continue;
        if (sim_gains_keep_constraints(&self->search, p, point->replications))
            limited++;
        else
            forbidden++;
    }
    say(self,
        "Nothing beats %s: of %zu points none gains in an objective, beyond doubt and margin, without losing more than "
        "the margin in another.",
        base, self->search.count - 1);
    if (forbidden > 0)
        say(self, " %zu of them break%s a constraint.", forbidden, forbidden == 1 ? "s" : "");
    if (!sim_gains_keep_constraints(&self->search, SIM_SEARCH_BASE, self->search.point[SIM_SEARCH_BASE].replications))
        say(self, " %s itself breaks a constraint: no point may be able to keep them all.", base);
    if (limited > 0)
        say(self, " %zu of them lose%s more than %g %% of an objective (or its margin) in a single scenario.", limited,
            limited == 1 ? "s" : "", 100 * self->goals.loss_limit);
}

void cli_tune_explain(cli_tuning *self)
{
    const uint32_t held = self->in.scenario_count - self->tuned;
    char where[128];
    self->reason[0] = '\0';
    if (self->verdict == CLI_TUNE_NOTHING) {
        explain_nothing(self);
        return;
    }
    if (self->verdict == CLI_TUNE_CONFIRMED)
        say(self, "%s beats %s. ", cli_tune_point_name(self, self->pick), self->in.policy[0]->name);
    else
        say(self, "%s looked better than %s, but that is not confirmed: keep %s. ",
            cli_tune_point_name(self, self->pick), self->in.policy[0]->name, self->in.policy[0]->name);
    (void)snprintf(where, sizeof where, "In %u other replication%s of the %u scenario%s", self->arguments->replications,
                   plural(self->arguments->replications), self->tuned, plural(self->tuned));
    say_set(self, self->tuned_gain, where);
    if (held > 0) {
        (void)snprintf(where, sizeof where, " In the %u scenario%s held out", held, plural(held));
        say_set(self, self->held_gain, where);
    }
    say_limit(self);
}
