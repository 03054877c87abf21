/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pick against the base where the search has not looked. */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/tune.h"
#include "cli/work.h"
#include "experiment/expect.h"

static int play(cli_tuning *self)
{
    sim_store_error error;
    const sim_store_plan *plan = sim_experiment_plan(self->confirmation);
    if (!sim_tune_set_plan(self->store, plan, &error))
        return cli_report_store(&error);
    const int status = cli_work_in(self->arguments, self->confirmation, self->arguments->db, false, self->store);
    if (status != CLI_OK)
        return status;
    self->outcome = sim_outcome_read(self->store, plan, &error);
    return self->outcome == NULL ? cli_report_store(&error) : CLI_OK;
}

/* The experiment of the base alone, or with the pick. */
static bool prepare(cli_tuning *self)
{
    sim_input_error error;
    const sim_policy *policy[2] = {self->in.policy[0], NULL};
    self->confirmation = self->base;
    if (self->pick == SIM_SEARCH_BASE)
        return true;
    policy[1] = cli_tune_policy(self, self->pick);
    if (policy[1] == NULL)
        return false;
    /* The experiment keeps the list. */
    const sim_policy **list = sim_arena_array(self->arena, 2, sizeof *list);
    list[0] = policy[0];
    list[1] = policy[1];
    sim_experiment_input input = cli_experiment_input(&self->in, self->arguments, self->arguments->replications);
    input.policy = list;
    input.policy_count = 2;
    self->confirmation = sim_experiment_create(&input, &error);
    if (self->confirmation == NULL)
        sim_input_error_print(&error, stderr);
    return self->confirmation != NULL;
}

static size_t count_verdicts(const cli_tuning *self, const sim_portfolio_gain *gain, sim_compared verdict)
{
    size_t count = 0;
    for (size_t o = 0; o < self->goals.objective_count; o++)
        count += gain[o].verdict == verdict;
    return count;
}

/* The pick must keep a constraint wherever the base does. */
static bool keeps_constraints(const cli_tuning *self)
{
    const cli_goals *goals = &self->goals;
    bool ok = true;
    for (size_t c = 0; c < goals->constraint_count; c++) {
        const sim_search_constraint *constraint = &goals->constraint[c];
        const sim_expect_type type = constraint->is_at_least ? SIM_EXPECT_AT_LEAST : SIM_EXPECT_AT_MOST;
        const sim_metric_id metric = goals->metric[goals->objective_count + c];
        for (uint32_t s = 0; s < self->in.scenario_count; s++) {
            const sim_metric_value base = sim_outcome_estimate(self->outcome, s, 0, 0, metric);
            const sim_metric_value pick = sim_outcome_estimate(self->outcome, s, 1, 0, metric);
            ok = ok && (sim_limit_check(type, &pick, constraint->limit) == SIM_EXPECT_HOLDS ||
                        sim_limit_check(type, &base, constraint->limit) != SIM_EXPECT_HOLDS);
        }
    }
    return ok;
}

bool cli_tune_breaks_limit(const cli_tuning *self, const sim_portfolio_gain *gain)
{
    const bool has_interval = gain->worst != UINT32_MAX && gain->method != SIM_BY_NOTHING;
    return has_interval && gain->interval.high < -fmax(self->goals.loss_limit, gain->margin);
}

static bool keeps_limit(const cli_tuning *self)
{
    bool ok = true;
    for (size_t i = 0; i < self->in.scenario_count * self->goals.objective_count; i++)
        ok = ok && !cli_tune_breaks_limit(self, &self->scenario_gain[i]);
    return ok;
}

/* The pick's gains in some of the scenarios together. False: no memory. */
static bool compare(const cli_tuning *self, uint32_t first, uint32_t count, sim_portfolio_gain *out)
{
    const cli_goals *goals = &self->goals;
    return count == 0 || sim_portfolio_compare(self->outcome, first, count, 1, goals->metric, goals->is_higher_better,
                                               goals->objective_count, out);
}

static bool compare_all(cli_tuning *self)
{
    const size_t objectives = self->goals.objective_count;
    bool ok = compare(self, 0, self->tuned, self->tuned_gain) &&
              compare(self, self->tuned, self->in.scenario_count - self->tuned, self->held_gain);
    self->scenario_gain =
        sim_arena_array(self->arena, self->in.scenario_count * objectives, sizeof *self->scenario_gain);
    for (uint32_t s = 0; ok && s < self->in.scenario_count; s++)
        ok = compare(self, s, 1, self->scenario_gain + s * objectives);
    return ok;
}

static int judge(cli_tuning *self)
{
    const bool has_held_out = self->in.scenario_count > self->tuned;
    self->verdict = CLI_TUNE_NOTHING;
    if (self->pick == SIM_SEARCH_BASE)
        return CLI_OK;
    if (!compare_all(self)) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    const bool is_better = count_verdicts(self, self->tuned_gain, SIM_COMPARED_BETTER) > 0;
    const bool is_worse = count_verdicts(self, self->tuned_gain, SIM_COMPARED_WORSE) > 0 ||
                          (has_held_out && count_verdicts(self, self->held_gain, SIM_COMPARED_WORSE) > 0);
    const bool is_confirmed = is_better && !is_worse && keeps_constraints(self) && keeps_limit(self);
    self->verdict = is_confirmed ? CLI_TUNE_CONFIRMED : CLI_TUNE_UNCONFIRMED;
    return CLI_OK;
}

int cli_tune_confirm(cli_tuning *self)
{
    if (!prepare(self))
        return CLI_USAGE;
    const int status = play(self);
    return status == CLI_OK ? judge(self) : status;
}
