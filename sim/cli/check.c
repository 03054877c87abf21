/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check: expectations and a baseline, scenario by scenario. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/check.h"
#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "scenario/document.h"

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static void add_name(const char *name, const char **names, size_t *count)
{
    if (*count < CLI_POLICIES_MAX && !is_among(name, names, *count))
        names[(*count)++] = name;
}

/* The policies of a scenario: those of the command line, or else of its expectations and its baseline, or else the
 * usual one. */
static size_t choose_policies(const cli_checking *self, const sim_scenario *scenario, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; i < self->arguments.policy_count; i++)
        names[count++] = self->arguments.policy[i];
    if (count > 0)
        return count;
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        if (scenario->expectation[e].policy != NULL)
            add_name(scenario->expectation[e].policy, names, &count);
    }
    const sim_baseline_scenario *before = self->before == NULL ? NULL : sim_baseline_find(self->before, scenario->name);
    for (uint32_t i = 0; before != NULL && i < before->pair_count; i++)
        add_name(before->pair[i].policy, names, &count);
    if (count == 0)
        names[count++] = "success-rate";
    return count;
}

bool cli_checking_load(const cli_checking *self, const char *path, cli_inputs *in, sim_input_error *error)
{
    const char *names[CLI_POLICIES_MAX];
    *in = (cli_inputs){0};
    sim_scenario *scenario = sim_scenario_load(path, self->arguments.setting, self->arguments.setting_count, error);
    if (scenario == NULL)
        return false;
    const size_t count = choose_policies(self, scenario, names);
    char *paths[] = {(char *)path};
    const bool ok = cli_inputs_load(in, paths, 1, names, count, &self->arguments, error);
    sim_scenario_destroy(scenario);
    return ok;
}

void cli_round_close(cli_round *round)
{
    sim_outcome_destroy(round->outcome);
    sim_experiment_destroy(round->experiment);
    round->outcome = NULL;
    round->experiment = NULL;
}

int cli_round_play(cli_checking *self, const cli_inputs *in, uint32_t replications, cli_db_use use,
                   sim_baseline_scenario *now, cli_round *round)
{
    sim_input_error input_error;
    sim_store_error error;
    sim_store *store = NULL;
    *round = (cli_round){.input = cli_experiment_input(in, &self->arguments, replications)};
    round->experiment = sim_experiment_create(&round->input, &input_error);
    if (round->experiment == NULL) {
        sim_input_error_print(&input_error, stderr);
        return CLI_USAGE;
    }
    int status = cli_work(&self->arguments, round->experiment, self->scratch.db, use, false, &store);
    if (status != CLI_OK)
        return status;
    round->outcome = sim_outcome_read(store, sim_experiment_plan(round->experiment), &error);
    if (round->outcome == NULL || !sim_baseline_take(self->after, store, round->outcome, now, &error))
        status = cli_report_store(&error);
    sim_store_close(store);
    return status;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool has_unknown(const cli_round *round, uint32_t p)
{
    const sim_scenario *scenario = round->input.scenario[0];
    bool is_unknown = false;
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        const sim_expectation *expectation = &scenario->expectation[e];
        sim_metric_value estimate;
        is_unknown =
            is_unknown || (sim_expectation_is_about(expectation, round->input.policy[p]) &&
                           sim_expectation_check(round->outcome, 0, p, expectation, &estimate) == SIM_EXPECT_UNKNOWN);
    }
    return is_unknown;
}

/* How many replications can tell more, `most` at most: all of them where an expectation cannot be judged, or the luck
 * is not the baseline's; as many as the baseline has where something behaves otherwise; else those that there are. */
static uint32_t wanted(const cli_checking *self, const cli_round *round, const sim_baseline_scenario *now,
                       uint32_t most)
{
    const char *name = round->input.scenario[0]->name;
    const sim_baseline_scenario *before = self->before == NULL ? NULL : sim_baseline_find(self->before, name);
    const bool is_lucky = before != NULL && strcmp(before->luck[0], now->luck[0]) == 0;
    uint32_t count = now->runs;
    for (uint32_t p = 0; p < round->input.policy_count; p++) {
        const char *policy = round->input.policy[p]->name;
        const sim_baseline_pair *pair = before == NULL ? NULL : sim_baseline_find_pair(before, policy);
        if (has_unknown(round, p))
            count = most;
        else if (pair != NULL && !sim_gate_is_same(pair, sim_baseline_find_pair(now, policy)))
            count = larger(count, is_lucky ? smaller(most, before->runs) : most);
    }
    return count;
}

static int check_scenario(cli_checking *self, const cli_inputs *in)
{
    const cli_arguments *arguments = &self->arguments;
    sim_baseline_scenario *now = &self->after->scenario[self->after->scenario_count++];
    const uint32_t most = larger(arguments->replications, arguments->max_replications);
    const uint32_t first = arguments->update ? most : arguments->replications;
    cli_round round;
    cli_scratch_clear(&self->scratch);
    int status = cli_round_play(self, in, first, CLI_DB_CREATE, now, &round);
    const uint32_t more = status == CLI_OK ? wanted(self, &round, now, most) : first;
    if (more > first) {
        cli_round_close(&round);
        status = cli_round_play(self, in, more, CLI_DB_RESUME, now, &round);
    }
    if (status == CLI_OK && !arguments->update) {
        const cli_judged judged = {.arguments = arguments,
                                   .input = &round.input,
                                   .outcome = round.outcome,
                                   .before = self->before,
                                   .after = self->after,
                                   .now = now};
        cli_findings_judge(&self->findings, &judged);
    }
    cli_round_close(&round);
    return status;
}

/* Two scenarios of one name would be one in the baseline. */
static bool is_new_name(const cli_checking *self, const sim_scenario *scenario)
{
    if (sim_baseline_find(self->after, scenario->name) == NULL)
        return true;
    (void)cli_complain("%s: there is another scenario named \"%s\"; a baseline tells them apart by name",
                       scenario->path, scenario->name);
    return false;
}

static int check_file(cli_checking *self, const char *path)
{
    cli_inputs in;
    sim_input_error error;
    int status = CLI_USAGE;
    if (!cli_checking_load(self, path, &in, &error))
        sim_input_error_print(&error, stderr);
    else if (is_new_name(self, in.scenario[0]))
        status = self->arguments.self_test ? cli_self_test(self, &in) : check_scenario(self, &in);
    cli_inputs_deinit(&in);
    return status;
}

/* ---- writing ---- */

static const char COMMENT[] =
    "# What earlier runs came to; regionsim check --baseline compares with it. Written by\n"
    "# regionsim check SCENARIO... --baseline FILE --update, which keeps the comment at the top.\n"
    "# Tolerances may be edited: \"1 %\" of the baseline's value, or a number in the metric's unit.\n";

/* Opens what --update would replace; NULL if there is nothing, or something that is written to as it is. */
static FILE *open_earlier(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) ? fopen(path, "r") : NULL;
}

/* Whether --update may write there: a scenario or another file that took a slip of the hand would be lost. Of a broken
 * baseline the first line is enough. False after a complaint. */
static bool may_update(const char *path)
{
    static const char KEY[] = "regionsim_baseline:";
    char *line = NULL;
    size_t room = 0;
    bool is_sound = true;
    FILE *in = open_earlier(path);
    if (in == NULL)
        return true;
    while (is_sound && getline(&line, &room, in) > 0 && strncmp(line, KEY, sizeof KEY - 1) != 0)
        is_sound = line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0';
    free(line);
    (void)fclose(in);
    if (!is_sound)
        (void)cli_complain("check: %s is no baseline; --update must not replace it", path);
    return is_sound;
}

/* The lines at the top of an earlier file that begin with #. The caller frees it. */
static char *earlier_comment(const char *path)
{
    char *text = NULL;
    char *line = NULL;
    size_t size = 0;
    size_t room = 0;
    FILE *in = open_earlier(path);
    FILE *out = in == NULL ? NULL : open_memstream(&text, &size);
    while (out != NULL && getline(&line, &room, in) > 0 && line[0] == '#')
        (void)fprintf(out, "%.*s\n", (int)strcspn(line, "\r\n"), line);
    free(line);
    if (out != NULL)
        (void)fclose(out);
    if (in != NULL)
        (void)fclose(in);
    return text;
}

typedef struct {
    const sim_baseline *baseline;
    const char *comment;
} printing;

static void put_baseline(void *context, FILE *out)
{
    const printing *self = context;
    sim_baseline_print(self->baseline, self->comment, out);
}

/* Gates that can never pass are better known of now. */
static void warn_of_gates(const sim_baseline *baseline)
{
    for (uint32_t i = 0; i < baseline->scenario_count; i++) {
        for (uint32_t p = 0; p < baseline->scenario[i].pair_count; p++) {
            const sim_baseline_pair *pair = &baseline->scenario[i].pair[p];
            for (uint32_t g = 0; g < pair->gate_count; g++) {
                uint32_t known = 0;
                bool is_censored = false;
                for (uint32_t r = 0; r < pair->runs; r++) {
                    known += !pair->gate[g].value[r].is_null;
                    is_censored = is_censored || pair->gate[g].value[r].is_censored;
                }
                if (known == 0 || is_censored)
                    (void)fprintf(stderr, "warning: %s under %s: %s has no data%s; its gate will not pass\n",
                                  baseline->scenario[i].name, pair->policy, sim_metric_at(pair->gate[g].metric)->name,
                                  known == 0 ? "" : " in every replication");
            }
        }
    }
}

static int write_baseline(const cli_checking *self)
{
    char *text = NULL;
    size_t size = 0;
    char *earlier = earlier_comment(self->arguments.baseline);
    printing out = {self->after, earlier != NULL && earlier[0] != '\0' ? earlier : COMMENT};
    FILE *draft = open_memstream(&text, &size);
    int status = CLI_IO;
    if (draft != NULL) {
        put_baseline(&out, draft);
        (void)fclose(draft);
    }
    if (text == NULL)
        (void)cli_complain("out of memory");
    else if (size > SIM_DOCUMENT_BYTES_MAX)
        status = cli_complain("the baseline would be larger than %d bytes; use several files, or fewer replications",
                              SIM_DOCUMENT_BYTES_MAX);
    else if (cli_output_write(self->arguments.baseline, put_baseline, &out))
        status = CLI_OK;
    if (status == CLI_OK) {
        warn_of_gates(self->after);
        (void)printf("%s: %u scenario%s, %zu bytes\n", self->arguments.baseline, self->after->scenario_count,
                     self->after->scenario_count == 1 ? "" : "s", size);
    }
    free(text);
    free(earlier);
    return status;
}

/* What the baseline holds and nobody asked about. */
static void note_unchecked(const cli_checking *self)
{
    for (uint32_t i = 0; self->before != NULL && i < self->before->scenario_count; i++) {
        if (sim_baseline_find(self->after, self->before->scenario[i].name) == NULL)
            (void)fprintf(stderr, "note: %s also holds %s, which is not checked\n", self->before->path,
                          self->before->scenario[i].name);
    }
}

static int report(cli_checking *self)
{
    const cli_arguments *arguments = &self->arguments;
    const bool replaces_text = arguments->json != NULL && strcmp(arguments->json, "-") == 0;
    bool ok = true;
    if (self->findings.out_of_memory) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    note_unchecked(self);
    if (!replaces_text)
        cli_findings_put_text(&self->findings, arguments->baseline, stdout);
    if (arguments->github)
        cli_findings_put_github(&self->findings, stdout);
    if (arguments->junit != NULL)
        ok = cli_output_write(arguments->junit, cli_findings_put_junit, &self->findings) && ok;
    if (arguments->markdown != NULL)
        ok = cli_output_write(arguments->markdown, cli_findings_put_markdown, &self->findings) && ok;
    if (arguments->json != NULL)
        ok = cli_output_write(arguments->json, cli_findings_put_json, &self->findings) && ok;
    if (!ok)
        return CLI_IO;
    if (cli_findings_count(&self->findings, CLI_FAILED) > 0)
        return CLI_EXPECTATION;
    return cli_findings_count(&self->findings, CLI_UNJUDGED) > 0 ? CLI_INCONCLUSIVE : CLI_OK;
}

static int refuse_usage(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("check: expected at least one scenario file");
    if (arguments->update && arguments->baseline == NULL)
        return cli_complain("check: --update needs the name of the file: --baseline FILE");
    if (arguments->update && arguments->self_test)
        return cli_complain("check: --self-test changes no baseline; give one of --update and --self-test");
    if (arguments->update && !may_update(arguments->baseline))
        return CLI_USAGE;
    if (larger(arguments->replications, arguments->max_replications) > SIM_BASELINE_RUNS_MAX)
        return cli_complain("check: more than %d replications", SIM_BASELINE_RUNS_MAX);
    return CLI_OK;
}

int cli_check(const cli_arguments *arguments)
{
    int status = refuse_usage(arguments);
    if (status != CLI_OK)
        return status;
    cli_catch_signals();
    cli_checking self = {.arguments = *arguments};
    sim_input_error error;
    if (arguments->baseline != NULL && !arguments->update) {
        self.before = sim_baseline_read(arguments->baseline, &error);
        if (self.before == NULL) {
            sim_input_error_print(&error, stderr);
            return CLI_USAGE;
        }
        if (!arguments->has_seed)
            self.arguments.seed = self.before->seed;
    }
    self.after = sim_baseline_create(self.arguments.seed, (uint32_t)arguments->operand_count);
    status = cli_scratch_make(&self.scratch) ? CLI_OK : CLI_IO;
    for (int i = 0; status == CLI_OK && i < arguments->operand_count; i++)
        status = check_file(&self, arguments->operand[i]);
    if (status == CLI_OK)
        status = arguments->update ? write_baseline(&self) : report(&self);
    cli_scratch_remove(&self.scratch);
    cli_findings_deinit(&self.findings);
    sim_baseline_destroy(self.before);
    sim_baseline_destroy(self.after);
    return status;
}
