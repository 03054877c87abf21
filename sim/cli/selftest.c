/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check --self-test: a gate that lets a planted regression pass is no gate. */
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "cli/cli.h"

enum { SETTINGS = 3, REPLICATIONS = 8 /* what five sparse objectives ask for */ };

typedef struct {
    const char *what;
    sim_setting setting[SETTINGS];
} plant;

static const plant PLANTS[] = {
    {"the breaker is off", {{"breaker.enabled", "false"}}},
    {"any evidence returns",
     {{"failback.success_threshold", "0.0001 %"}, {"failback.retrip_floor", "0 %"}, {"failback.min_sample", "1"}}},
};
enum { PLANT_COUNT = sizeof PLANTS / sizeof *PLANTS };

/* The arguments with the plant's settings behind the user's. */
static bool plant_into(const cli_arguments *arguments, const plant *planted, cli_arguments *out)
{
    *out = *arguments;
    for (size_t i = 0; i < SETTINGS && planted->setting[i].key != NULL; i++) {
        if (out->setting_count == CLI_SETTINGS_MAX)
            return false;
        out->setting[out->setting_count++] = planted->setting[i];
    }
    return true;
}

/* What turned red, as words; NULL: nothing did. The caller frees it. */
static char *noticed_by(const cli_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *one = &findings->finding[i];
        if (one->level == CLI_FAILED)
            return cli_text("%s under %s", one->rule, one->policy);
    }
    return NULL;
}

/* Judges the planted runs. An exit status; `*by` as noticed_by(). */
static int try_plant(cli_checking *self, const cli_inputs *in, const plant *planted, char **by)
{
    cli_checking other = {.before = self->before, .scratch = self->scratch};
    cli_inputs changed = {0};
    sim_input_error error;
    sim_baseline_scenario now;
    cli_round round = {0};
    if (!plant_into(&self->arguments, planted, &other.arguments))
        return cli_complain("more than %d settings", CLI_SETTINGS_MAX);
    other.after = sim_baseline_create(self->arguments.seed, 1);
    if (other.before == NULL)
        other.before = self->after; /* what there is without the plant */
    int status = CLI_USAGE;
    if (!cli_checking_load(&other, in->scenario[0]->path, &changed, &error)) {
        sim_input_error_print(&error, stderr);
    } else {
        cli_scratch_clear(&self->scratch);
        status = cli_round_play(&other, &changed, REPLICATIONS, CLI_DB_CREATE, &now, &round);
    }
    if (status == CLI_OK) {
        const cli_judged judged = {.arguments = &other.arguments,
                                   .input = &round.input,
                                   .outcome = round.outcome,
                                   .before = other.before,
                                   .after = other.after,
                                   .now = &now};
        cli_findings_judge(&other.findings, &judged);
        *by = noticed_by(&other.findings);
    }
    cli_round_close(&round);
    cli_findings_deinit(&other.findings);
    sim_baseline_destroy(other.after);
    cli_inputs_deinit(&changed);
    return status;
}

static void put_result(cli_checking *self, const sim_scenario *scenario, const plant *planted, const char *by)
{
    cli_finding *one = cli_findings_add(&self->findings, CLI_RULE_NONE, CLI_PASSED,
                                        by != NULL ? "noticed" : "unnoticed", scenario->name, "");
    one->rule = cli_text("planted: %s", planted->what);
    one->text = by != NULL ? cli_text("planted: %s; noticed by %s", planted->what, by)
                           : cli_text("planted: %s; not noticed", planted->what);
    one->path = cli_text("%s", scenario->path);
    one->line = 1;
}

/* What there is without any plant, for a gate without a baseline. */
static int take_healthy(cli_checking *self, const cli_inputs *in)
{
    cli_round round = {0};
    cli_scratch_clear(&self->scratch);
    const int status = cli_round_play(self, in, REPLICATIONS, CLI_DB_CREATE,
                                      &self->after->scenario[self->after->scenario_count++], &round);
    cli_round_close(&round);
    return status;
}

int cli_self_test(cli_checking *self, const cli_inputs *in)
{
    const sim_scenario *scenario = in->scenario[0];
    int status = take_healthy(self, in);
    uint32_t noticed = 0;
    for (size_t i = 0; status == CLI_OK && i < PLANT_COUNT; i++) {
        char *by = NULL;
        status = try_plant(self, in, &PLANTS[i], &by);
        if (status == CLI_OK)
            put_result(self, scenario, &PLANTS[i], by);
        noticed += by != NULL;
        free(by);
    }
    if (status != CLI_OK || noticed > 0)
        return status;
    cli_finding *one = cli_findings_add(&self->findings, CLI_RULE_NONE, CLI_FAILED, "BLIND", scenario->name, "");
    one->rule = cli_text("a gate that notices a planted regression");
    one->text =
        cli_text("the gate of %s noticed none of %d planted regressions; give it objectives or expectations that "
                 "do",
                 scenario->name, (int)PLANT_COUNT);
    one->path = cli_text("%s", scenario->path);
    one->line = 1;
    return CLI_OK;
}
