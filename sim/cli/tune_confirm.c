/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pick against the base where the search has not looked. */
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

static int judge(cli_tuning *self)
{
    const cli_goals *goals = &self->goals;
    const uint32_t held = self->in.scenario_count - self->tuned;
    self->verdict = CLI_TUNE_NOTHING;
    if (self->pick == SIM_SEARCH_BASE)
        return CLI_OK;
    if (!sim_portfolio_compare(self->outcome, 0, self->tuned, 1, goals->metric, goals->is_higher_better,
                               goals->objective_count, self->tuned_gain) ||
        (held > 0 && !sim_portfolio_compare(self->outcome, self->tuned, held, 1, goals->metric, goals->is_higher_better,
                                            goals->objective_count, self->held_gain))) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    const bool is_better = count_verdicts(self, self->tuned_gain, SIM_COMPARED_BETTER) > 0;
    const bool is_worse = count_verdicts(self, self->tuned_gain, SIM_COMPARED_WORSE) > 0 ||
                          (held > 0 && count_verdicts(self, self->held_gain, SIM_COMPARED_WORSE) > 0);
    self->verdict = is_better && !is_worse && keeps_constraints(self) ? CLI_TUNE_CONFIRMED : CLI_TUNE_UNCONFIRMED;
    return CLI_OK;
}

int cli_tune_confirm(cli_tuning *self)
{
    if (!prepare(self))
        return CLI_USAGE;
    const int status = play(self);
    return status == CLI_OK ? judge(self) : status;
}
