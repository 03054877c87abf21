/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare: policies in pairs, with as many replications as precision asks for. */
#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/inputs.h"
#include "cli/screen.h"
#include "cli/summary.h"
#include "cli/work.h"
#include "cli/wrap.h"

typedef struct {
    const cli_arguments *arguments;
    const cli_inputs *in;
    const char *db;
    uint32_t replications;
    bool is_first;     /* no round before */
    bool is_precise;   /* as far as asked for */
    char vaguest[160]; /* else: what is known least well */
} comparing;

/* Objectives, and the headline pair. */
static bool must_be_precise(size_t row, const sim_comparison *comparison)
{
    return row < CLI_HEADLINES || comparison->is_objective;
}

/* How many replications it takes until everything that must be precise is. What has no interval yet asks for some more.
 * `vaguest` becomes the one that takes most. */
static uint32_t needed(const cli_summary *summary, comparing *self)
{
    const sim_store_plan *plan = summary->plan;
    uint32_t most = plan->replications;
    self->is_precise = true;
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        for (size_t i = 0; i < summary->rows[s].count * plan->policy_count; i++) {
            const size_t row = i % summary->rows[s].count;
            const uint32_t p = (uint32_t)(i / summary->rows[s].count);
            const sim_comparison *comparison = cli_comparison(summary, s, p, row);
            if (p == SIM_BASELINE || !must_be_precise(row, comparison) || sim_comparison_is_precise(comparison))
                continue;
            const uint32_t own = sim_replications_needed(comparison, plan->replications);
            if (self->is_precise || own > most)
                (void)snprintf(self->vaguest, sizeof self->vaguest, "%s of %s in %s",
                               sim_metric_at(comparison->metric)->name, plan->policy[p]->name, plan->scenario[s]->name);
            self->is_precise = false;
            most = own > most ? own : most;
        }
    }
    return most;
}

/* The next number: what it seems to take, but neither less than a quarter more nor more than twice as many. */
static uint32_t next_replications(uint32_t now, uint32_t wanted, uint32_t cap)
{
    const uint32_t least = now + (now + 3) / 4;
    uint32_t next = wanted < least ? least : wanted > 2 * now ? 2 * now : wanted;
    next = next > cap ? cap : next;
    return next;
}

static void print_precision(const comparing *self, cli_format format)
{
    char text[400];
    if (self->is_precise)
        (void)snprintf(text, sizeof text,
                       "Precise enough after %u replications: every objective and the headline pair are known to "
                       "within the margin, or a tenth of the difference.",
                       self->replications);
    else
        (void)snprintf(text, sizeof text,
                       "Not precise enough after %u replications, the most that --max-replications allows: least is "
                       "known of %s.",
                       self->replications, self->vaguest);
    if (format == CLI_TEXT)
        cli_put_wrapped(stdout, text, 0, 0, cli_prose_width(stdout));
    else if (format == CLI_MD)
        (void)printf("%s\n", text);
}

/* After a round: goes on with more (`*again`), or delivers. */
static int conclude(comparing *self, const sim_store_plan *plan, const sim_outcome *outcome, bool *again)
{
    const cli_arguments *arguments = self->arguments;
    cli_summary summary;
    int status = CLI_IO;
    if (!cli_summary_open(&summary, plan, outcome, arguments->db, CLI_VIEW_COMPARE)) {
        (void)cli_complain("out of memory");
    } else {
        const uint32_t wanted = arguments->until_precise ? needed(&summary, self) : plan->replications;
        const uint32_t next = next_replications(plan->replications, wanted, arguments->max_replications);
        *again = arguments->until_precise && !self->is_precise && next > plan->replications;
        status = CLI_OK;
        if (*again) {
            (void)fprintf(stderr, "note: %u replications; least is known of %s; going on to %u\n", plan->replications,
                          self->vaguest, next);
            self->replications = next;
        } else {
            status = cli_summary_deliver(&summary, arguments);
        }
    }
    cli_summary_close(&summary);
    return status;
}

static int play_round(comparing *self, bool *again)
{
    const sim_experiment_input input = cli_experiment_input(self->in, self->arguments, self->replications);
    sim_input_error input_error;
    sim_experiment *experiment = sim_experiment_create(&input, &input_error);
    if (experiment == NULL) {
        sim_input_error_print(&input_error, stderr);
        return CLI_USAGE;
    }
    const sim_store_plan *plan = sim_experiment_plan(experiment);
    const cli_db_use first = self->arguments->force ? CLI_DB_REPLACE : CLI_DB_CREATE;
    sim_store *store = NULL;
    sim_store_error error;
    int status =
        cli_work(self->arguments, experiment, self->db, self->is_first ? first : CLI_DB_RESUME, self->is_first, &store);
    self->is_first = false;
    if (status == CLI_OK) {
        sim_outcome *outcome = sim_outcome_read(store, plan, &error);
        status = outcome == NULL ? cli_report_store(&error) : conclude(self, plan, outcome, again);
        sim_outcome_destroy(outcome);
        sim_store_close(store);
    }
    sim_experiment_destroy(experiment);
    return status;
}

static int play(comparing *self)
{
    int status = CLI_OK;
    bool again = true;
    while (again && status == CLI_OK) {
        again = false;
        status = play_round(self, &again);
    }
    if (status != CLI_OK || !self->arguments->until_precise)
        return status;
    print_precision(self, self->arguments->format);
    return self->is_precise ? CLI_OK : CLI_INCONCLUSIVE;
}

int cli_compare(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("compare: expected at least one scenario file");
    if (arguments->policy_count < 2)
        return cli_complain("compare: expected at least two policies; give --policy for each, the baseline first");
    if (arguments->until_precise && arguments->max_replications < arguments->replications)
        return cli_complain("compare: --max-replications %u is less than --replications %u",
                            arguments->max_replications, arguments->replications);
    cli_catch_signals();
    cli_inputs in;
    cli_scratch scratch = {0};
    sim_input_error error;
    int status = CLI_USAGE;
    if (!cli_inputs_load(&in, arguments->operand, (size_t)arguments->operand_count, arguments->policy,
                         arguments->policy_count, arguments, &error)) {
        sim_input_error_print(&error, stderr);
    } else if (arguments->db == NULL && !cli_scratch_make(&scratch)) {
        status = CLI_IO;
    } else {
        comparing self = {.arguments = arguments,
                          .in = &in,
                          .db = arguments->db == NULL ? scratch.db : arguments->db,
                          .replications = arguments->replications,
                          .is_first = true};
        status = play(&self);
    }
    cli_scratch_remove(&scratch);
    cli_inputs_deinit(&in);
    return status;
}
