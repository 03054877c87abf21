/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tune: a search over knobs in several scenarios, its pick confirmed, and a policy file. */
#include "cli/tune.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/work.h"

static const char *const DEFAULT_POLICY[] = {"success-rate"};
enum { BUDGET_PER_SCENARIO = 300 };

typedef struct {
    const cli_tuning *tuning;
    const sim_tune_result *result;
} delivery;

static void put_json(void *context, FILE *out)
{
    const delivery *self = context;
    if (!cli_tune_print(self->tuning, self->result, CLI_JSON, out))
        (void)cli_complain("out of memory");
}

static int deliver(const cli_tuning *self, const sim_tune_result *result)
{
    const cli_arguments *arguments = self->arguments;
    const char *json = arguments->json;
    const bool is_policy_out = arguments->output != NULL && strcmp(arguments->output, "-") == 0;
    const bool replaces_text = is_policy_out || (json != NULL && strcmp(json, "-") == 0);
    if (!replaces_text && !cli_tune_print(self, result, arguments->format, stdout)) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    delivery one = {self, result};
    bool ok = json == NULL || cli_output_write(json, put_json, &one);
    ok = ok && (arguments->output == NULL || cli_tune_write_policy(self, arguments->output));
    (void)fflush(stdout);
    if (!ok)
        return CLI_IO;
    return self->verdict == CLI_TUNE_UNCONFIRMED ? CLI_INCONCLUSIVE : CLI_OK;
}

static int conclude(cli_tuning *self)
{
    sim_store_error error;
    cli_tune_explain(self);
    const sim_tune_result *result = cli_tune_result(self);
    if (result == NULL) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    if (!sim_tune_write_result(self->store, result, &error))
        return cli_report_store(&error);
    return deliver(self, result);
}

/* All that decides the search. NULL: no memory. */
static char *settings_text(const cli_tuning *self)
{
    const cli_arguments *arguments = self->arguments;
    const cli_goals *goals = &self->goals;
    const sim_store_plan *plan = sim_experiment_plan(self->base);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    (void)fprintf(out, "regionsim %s, draws %d, metrics %d\nseed %llu\nreplications %u\nbudget %zu\nbase %s\n",
                  REGIONSIM_VERSION, SIM_DRAW_VERSION, SIM_METRIC_VERSION, (unsigned long long)arguments->seed,
                  arguments->replications, self->input.budget, self->in.policy[0]->name);
    for (uint32_t s = 0; s < plan->scenario_count; s++)
        (void)fprintf(out, "%s %s %s\n", s < self->tuned ? "scenario" : "hold-out", plan->scenario[s]->name,
                      plan->pair[s].input_digest);
    for (size_t i = 0; i < arguments->vary_count; i++)
        (void)fprintf(out, "vary %s\n", arguments->vary[i]);
    for (size_t o = 0; o < goals->objective_count; o++)
        (void)fprintf(out, "objective %s:%.17g/%s\n", sim_metric_at(goals->metric[o])->name, goals->weight[o],
                      goals->is_higher_better[o] ? "max" : "min");
    for (size_t c = 0; c < goals->constraint_count; c++)
        (void)fprintf(out, "constraint %s%s%.17g\n", sim_metric_at(goals->metric[goals->objective_count + c])->name,
                      goals->constraint[c].is_at_least ? ">=" : "<=", goals->constraint[c].limit);
    (void)fprintf(out, "loss-limit %.9g\n", goals->loss_limit);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int open_database(cli_tuning *self)
{
    const cli_arguments *arguments = self->arguments;
    const sim_store_plan *plan = sim_experiment_plan(self->base);
    sim_store_error error;
    const sim_tune_head head = {.base = self->in.policy[0]->name,
                                .settings = self->settings,
                                .first_replication = arguments->replications,
                                .scenarios = self->tuned,
                                .budget = (uint32_t)self->input.budget};
    self->store = arguments->resume ? sim_tune_resume(arguments->db, plan, &head, &error)
                                    : sim_tune_create(arguments->db, arguments->force, plan, &head, &error);
    return self->store == NULL ? cli_report_store(&error) : CLI_OK;
}

static int run_search(cli_tuning *self)
{
    sim_input_error error;
    const sim_experiment_input input = cli_experiment_input(&self->in, self->arguments, self->arguments->replications);
    self->base = sim_experiment_create(&input, &error);
    if (self->base == NULL) {
        sim_input_error_print(&error, stderr);
        return CLI_USAGE;
    }
    if (!cli_fits_memory(sim_experiment_plan(self->base), cli_jobs(self->arguments), cli_machine_memory()))
        return CLI_USAGE;
    self->settings = settings_text(self);
    if (self->settings == NULL) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    int status = open_database(self);
    status = status == CLI_OK ? cli_tune_search(self) : status;
    status = status == CLI_OK ? cli_tune_confirm(self) : status;
    return status == CLI_OK ? conclude(self) : status;
}

/* Operands, --scenario, --hold-out, in that order. */
static bool load(cli_tuning *self)
{
    const cli_arguments *arguments = self->arguments;
    const size_t operands = (size_t)arguments->operand_count;
    const size_t count = operands + arguments->scenario_count + arguments->hold_out_count;
    sim_input_error error;
    char **path = sim_arena_array(self->arena, count, sizeof *path);
    for (size_t i = 0; i < operands; i++)
        path[i] = arguments->operand[i];
    for (size_t i = 0; i < arguments->scenario_count; i++)
        path[operands + i] = arguments->scenario[i];
    for (size_t i = 0; i < arguments->hold_out_count; i++)
        path[operands + arguments->scenario_count + i] = arguments->hold_out[i];
    self->tuned = (uint32_t)(operands + arguments->scenario_count);
    if (cli_inputs_load(&self->in, path, count, arguments->policy_count == 0 ? DEFAULT_POLICY : arguments->policy, 1,
                        arguments, &error))
        return true;
    sim_input_error_print(&error, stderr);
    return false;
}

static bool set_budget(cli_tuning *self)
{
    const size_t least = sim_search_least(self->tuned);
    self->input.budget =
        self->arguments->budget == 0 ? (size_t)BUDGET_PER_SCENARIO * self->tuned : self->arguments->budget;
    if (self->input.budget >= least)
        return true;
    (void)cli_complain("--budget %zu: a search over %u scenario%s takes at least %zu runs", self->input.budget,
                       self->tuned, self->tuned == 1 ? "" : "s", least);
    return false;
}

static bool makes_sense(const cli_arguments *arguments)
{
    const char *problem = NULL;
    if (arguments->operand_count == 0 && arguments->scenario_count == 0)
        problem = "expected at least one scenario file";
    else if (arguments->policy_count > 1)
        problem = "expected one --policy, the one to improve";
    else if (arguments->resume && arguments->force)
        problem = "--resume keeps what --force would replace; give one of them";
    else if (arguments->replications < SIM_SIGN_FLIP_MIN)
        problem = "--replications must be at least 6: fewer confirm nothing";
    if (problem != NULL)
        (void)cli_complain("tune: %s", problem);
    return problem == NULL;
}

static void release(cli_tuning *self)
{
    sim_outcome_destroy(self->outcome);
    if (self->confirmation != self->base)
        sim_experiment_destroy(self->confirmation);
    sim_experiment_destroy(self->base);
    sim_store_close(self->store);
    cli_tune_search_deinit(self);
    cli_tune_policies_deinit(self);
    cli_vary_deinit(&self->vary);
    cli_inputs_deinit(&self->in);
    free(self->settings);
    sim_arena_destroy(self->arena);
}

int cli_tune(const cli_arguments *arguments)
{
    if (!makes_sense(arguments))
        return CLI_USAGE;
    cli_catch_signals();
    cli_tuning self = {.arguments = arguments, .arena = sim_arena_create()};
    int status = CLI_USAGE;
    if (cli_goals_read(&self.goals, arguments) && cli_vary_read_knobs(&self.vary, arguments, "tune") && load(&self) &&
        set_budget(&self))
        status = run_search(&self);
    release(&self);
    return status;
}
