/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From results to findings. */
#include "cli/findings.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/units.h"
#include "cli/unjudged.h"
#include "experiment/expect.h"
#include "scenario/document.h"

static void free_finding(cli_finding *one)
{
    char *const texts[] = {one->scenario, one->policy, one->metric, one->phase,   one->rule, one->text,
                           one->because,  one->cause,  one->moment, one->command, one->path};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

void cli_findings_deinit(cli_findings *findings)
{
    for (size_t i = 0; i < findings->room; i++)
        free_finding(&findings->finding[i]);
    free(findings->finding);
    *findings = (cli_findings){0};
}

/* One place more than is counted, so that there always is one to fill in. */
static bool make_room(cli_findings *findings)
{
    if (findings->count + 1 < findings->room)
        return true;
    const size_t room = findings->room == 0 ? 64 : 2 * findings->room;
    cli_finding *finding = realloc(findings->finding, room * sizeof *finding);
    if (finding == NULL)
        return false;
    memset(finding + findings->room, 0, (room - findings->room) * sizeof *finding);
    findings->finding = finding;
    findings->room = room;
    return true;
}

cli_finding *cli_findings_add(cli_findings *findings, cli_rule_kind kind, cli_level level, const char *word,
                              const char *scenario, const char *policy)
{
    if (!make_room(findings)) {
        findings->out_of_memory = true;
        if (findings->room == 0)
            abort();
        free_finding(&findings->finding[findings->count]);
    }
    cli_finding *one = &findings->finding[findings->count];
    findings->count += !findings->out_of_memory;
    *one = (cli_finding){.kind = kind,
                         .level = level,
                         .word = word,
                         .scenario = cli_text("%s", scenario),
                         .policy = cli_text("%s", policy)};
    return one;
}

size_t cli_findings_count(const cli_findings *findings, cli_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->finding[i].level == level;
    return count;
}

/* ---- what all rules share ---- */

/* The commands that play the replication again and show what the clients' breakers decided between two instants. */
static char *replay_command(const cli_judged *judged, uint32_t p, uint32_t replication, int64_t from, int64_t until)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    (void)fputs("regionsim run ", out);
    cli_quote(out, judged->input->scenario[0]->path);
    (void)fputs(" --policy ", out);
    cli_quote(out, judged->input->policy[p]->path);
    for (size_t i = 0; i < judged->arguments->setting_count; i++) {
        char *setting = cli_text("%s=%s", judged->arguments->setting[i].key, judged->arguments->setting[i].value);
        (void)fputs(" --set ", out);
        cli_quote(out, setting == NULL ? "" : setting);
        free(setting);
    }
    (void)fprintf(out, " --seed %llu --replications %u%s --db moment.db --force\n",
                  (unsigned long long)judged->input->seed, replication + 1, judged->arguments->env ? " --env" : "");
    (void)fprintf(out, "regionsim explain moment.db:%u --from %.9g --to %.9g", replication + 1, (double)from / 1e9,
                  (double)until / 1e9);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* In whole seconds, where there are any: the time before it, or (`is_later`) after it. */
static void format_time(int64_t ns, bool is_later, char out[CLI_VALUE_SIZE])
{
    const int64_t seconds = (ns + (is_later ? RGN_NS_PER_S - 1 : 0)) / RGN_NS_PER_S;
    if (ns < 10 * RGN_NS_PER_S)
        sim_format_duration(ns, out, CLI_VALUE_SIZE);
    else if (seconds < 60)
        (void)snprintf(out, CLI_VALUE_SIZE, "%lld s", (long long)seconds);
    else if (seconds % 60 == 0)
        (void)snprintf(out, CLI_VALUE_SIZE, "%lld min", (long long)(seconds / 60));
    else
        (void)snprintf(out, CLI_VALUE_SIZE, "%lld min %lld s", (long long)(seconds / 60), (long long)(seconds % 60));
}

/* ---- expectations ---- */

/* The first replication that breaks it on its own; the sum of all breaks nothing that none does. */
static bool find_breaker(const cli_judged *judged, uint32_t p, const sim_expectation *expectation,
                         uint32_t *replication)
{
    const uint32_t phase = sim_outcome_phase(judged->outcome, 0, expectation->phase);
    const sim_metric_id metric = sim_metric_find(expectation->metric);
    for (uint32_t r = 0; r < judged->input->replications; r++) {
        const sim_metric_value value = sim_outcome_value(judged->outcome, 0, p, phase, metric, r);
        if (sim_limit_check(expectation->type, &value, expectation->limit) == SIM_EXPECT_FAILS) {
            *replication = r;
            return true;
        }
    }
    return false;
}

/* Cut runs are kept from one expectation to the next. */
typedef struct {
    sim_moments moments;
    bool is_open;
} keeping;

static void put_moment(const cli_judged *judged, uint32_t p, const sim_expectation *expectation, keeping *kept,
                       cli_finding *one)
{
    sim_moment found;
    char before[CLI_VALUE_SIZE];
    char after[CLI_VALUE_SIZE];
    if (!find_breaker(judged, p, expectation, &one->replication))
        return;
    one->has_replication = true;
    if (!kept->is_open || kept->moments.replication != one->replication) {
        if (kept->is_open)
            sim_moments_deinit(&kept->moments);
        sim_moments_init(&kept->moments, judged->input, 0, p, one->replication);
        kept->is_open = true;
    }
    const int64_t end = judged->input->scenario[0]->duration;
    if (!sim_moments_find(&kept->moments, expectation->phase, sim_metric_find(expectation->metric), expectation->type,
                          expectation->limit, &found))
        found = (sim_moment){0, end};
    format_time(found.kept_at, false, before);
    format_time(found.broken_at, true, after);
    if (found.kept_at == 0)
        one->moment = cli_text("replication %u, seed %llu: from its beginning on; broken at %s already",
                               one->replication, (unsigned long long)one->seed, after);
    else
        one->moment = cli_text("replication %u, seed %llu: kept until %s, broken at %s", one->replication,
                               (unsigned long long)one->seed, before, after);
    one->command = replay_command(judged, p, one->replication, found.kept_at, found.broken_at);
}

static void judge_expectation(cli_findings *findings, const cli_judged *judged, uint32_t p,
                              const sim_expectation *expectation, keeping *kept)
{
    static const char *const WORD[] = {"holds", "FAILS", "no data"};
    static const cli_level LEVEL[] = {CLI_PASSED, CLI_FAILED, CLI_UNJUDGED};
    const sim_scenario *scenario = judged->input->scenario[0];
    const sim_metric_definition *metric = sim_metric_at(sim_metric_find(expectation->metric));
    sim_metric_value estimate;
    char value[CLI_VALUE_SIZE];
    char limit[CLI_VALUE_SIZE];
    const sim_expect_verdict verdict = sim_expectation_check(judged->outcome, 0, p, expectation, &estimate);
    cli_finding *one = cli_findings_add(findings, CLI_RULE_EXPECTATION, LEVEL[verdict], WORD[verdict], scenario->name,
                                        judged->input->policy[p]->name);
    cli_format_beside(metric, &estimate, expectation->limit, value);
    cli_format_limit(metric, expectation->limit, limit);
    one->metric = cli_text("%s", metric->name);
    one->phase = cli_text("%s", expectation->phase);
    one->rule = cli_text("%s in %s %s %s", metric->name, expectation->phase, sim_expectation_words(expectation), limit);
    one->text = cli_text("%s of %s in %s is %s; expected %s %s", metric->name, judged->input->policy[p]->name,
                         expectation->phase, value, sim_expectation_words(expectation), limit);
    one->because = cli_text("%s", expectation->because == NULL ? "" : expectation->because);
    one->path = cli_text("%s", scenario->path);
    one->line = expectation->line;
    one->has_value = !estimate.is_null;
    one->value = estimate.value;
    one->has_limit = true;
    one->limit = expectation->limit;
    one->seed = judged->input->seed;
    one->replications = judged->input->replications;
    if (verdict == SIM_EXPECT_FAILS)
        put_moment(judged, p, expectation, kept, one);
}

static void judge_expectations(cli_findings *findings, const cli_judged *judged, uint32_t p)
{
    const sim_scenario *scenario = judged->input->scenario[0];
    keeping kept = {.is_open = false};
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        if (sim_expectation_is_about(&scenario->expectation[e], judged->input->policy[p]))
            judge_expectation(findings, judged, p, &scenario->expectation[e], &kept);
    }
    if (kept.is_open)
        sim_moments_deinit(&kept.moments);
}

/* Expectations about policies that are nowhere. Those that --policy leaves out are not meant to be judged. */
static void judge_strangers(cli_findings *findings, const cli_judged *judged)
{
    const sim_scenario *scenario = judged->input->scenario[0];
    cli_unjudged *list = NULL;
    size_t count = 0;
    if (!cli_unjudged_find(scenario, judged->input->policy, judged->input->policy_count, &list, &count))
        findings->out_of_memory = true;
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_known)
            continue;
        cli_finding *one =
            cli_findings_add(findings, CLI_RULE_EXPECTATION, CLI_UNJUDGED, "no data", scenario->name, list[i].policy);
        one->rule = cli_text("expectations of %s", list[i].policy);
        one->text =
            cli_text("no policy %s%s%s%s", list[i].policy, list[i].nearest[0] == '\0' ? "" : "; did you mean \"",
                     list[i].nearest, list[i].nearest[0] == '\0' ? "" : "\"?");
        one->path = cli_text("%s", scenario->path);
        for (uint32_t e = scenario->expectation_count; e-- > 0;) {
            const sim_expectation *expectation = &scenario->expectation[e];
            if (expectation->policy != NULL && strcmp(expectation->policy, list[i].policy) == 0)
                one->line = expectation->line;
        }
    }
    free(list);
}

/* ---- the baseline ---- */

static cli_level level_of(sim_gate_outcome outcome)
{
    return outcome == SIM_GATE_REGRESSED ? CLI_FAILED : outcome >= SIM_GATE_INCONCLUSIVE ? CLI_UNJUDGED : CLI_PASSED;
}

/* "12.0 -> 45.2 pair-s, +33.2 (95 %: +30.1 to +36.3); tolerance 1 %" */
static char *compare_text(const sim_gate *gate, const sim_gate_rule *rule)
{
    const sim_metric_definition *metric = sim_metric_at(rule->metric);
    char tolerance[64];
    sim_baseline_format_tolerance(&rule->gate, tolerance, sizeof tolerance);
    if (rule->outcome == SIM_GATE_STALE)
        return cli_text("%s: %s", metric->name,
                        gate->stale[0] != '\0' ? gate->stale
                                               : "the baseline or the scenario does not gate it; --update");
    if (!rule->has_values)
        return cli_text("%s: no value in a replication, or one that is known in part only; such a gate never passes",
                        metric->name);
    const double largest = rule->then > rule->now ? rule->then : rule->now;
    const cli_unit unit = cli_unit_for(metric, largest, false);
    char then[CLI_VALUE_SIZE];
    char now[CLI_VALUE_SIZE];
    cli_format_value(&(sim_metric_value){.value = rule->then}, unit, then);
    cli_format_value(&(sim_metric_value){.value = rule->now}, unit, now);
    if (rule->outcome == SIM_GATE_IDENTICAL)
        return cli_text("%s is %s %s as in the baseline", metric->name, now, unit.name);
    char interval[CLI_VALUE_SIZE] = "no interval from so few";
    if (rule->comparison.verdict == SIM_COMPARED_EQUAL)
        (void)snprintf(interval, sizeof interval, "exactly 0");
    else if (rule->comparison.method != SIM_BY_NOTHING)
        cli_format_interval(rule->comparison.interval.low, rule->comparison.interval.high, unit, interval);
    const char *word = rule->outcome == SIM_GATE_REGRESSED  ? "worse, "
                       : rule->outcome == SIM_GATE_IMPROVED ? "better, "
                                                            : "";
    return cli_text("%s: %s%s -> %s %s; difference %s (95 %%), tolerance %s", metric->name, word, then, now, unit.name,
                    interval, tolerance);
}

static int line_of_objective(const sim_scenario *scenario, sim_metric_id metric)
{
    for (uint32_t i = 0; i < scenario->objective_count; i++) {
        if (sim_metric_find(scenario->objective[i]) == metric)
            return scenario->objective_node[i]->line;
    }
    return 1;
}

static char *gate_moment(const cli_judged *judged, const sim_gate *gate)
{
    char after[CLI_VALUE_SIZE];
    char by[CLI_VALUE_SIZE];
    if (gate->is_same)
        return NULL;
    if (gate->unpaired[0] != '\0')
        return cli_text("not in pairs, so less is known: %s", gate->unpaired);
    if (!gate->has_moment)
        return cli_text("behaviour differs in replication %u, seed %llu", gate->changed,
                        (unsigned long long)judged->input->seed);
    format_time(gate->changed_after, false, after);
    format_time(gate->changed_by, true, by);
    return cli_text("replication %u, seed %llu: behaviour first differs between %s and %s", gate->changed,
                    (unsigned long long)judged->input->seed, after, by);
}

static void put_gate_rule(cli_findings *findings, const cli_judged *judged, uint32_t p, const sim_gate *gate,
                          const sim_gate_rule *rule)
{
    const sim_scenario *scenario = judged->input->scenario[0];
    cli_finding *one = cli_findings_add(findings, CLI_RULE_BASELINE, level_of(rule->outcome),
                                        sim_gate_word(rule->outcome), scenario->name, judged->input->policy[p]->name);
    one->metric = cli_text("%s", sim_metric_at(rule->metric)->name);
    one->phase = cli_text("all");
    one->rule = cli_text("%s as in the baseline", sim_metric_at(rule->metric)->name);
    one->text = compare_text(gate, rule);
    one->cause = cli_text("%s", gate->cause);
    one->moment = gate_moment(judged, gate);
    one->path = cli_text("%s", scenario->path);
    one->line = line_of_objective(scenario, rule->metric);
    one->has_value = one->has_limit = rule->has_values;
    one->value = rule->now;
    one->then = rule->then;
    one->limit = rule->limit;
    one->has_interval = rule->has_values && rule->comparison.method != SIM_BY_NOTHING;
    one->interval = rule->comparison.interval;
    one->seed = judged->input->seed;
    one->replications = gate->runs;
    one->has_replication = !gate->is_same && gate->is_paired;
    one->replication = gate->changed;
    if (one->level == CLI_FAILED)
        one->command = replay_command(judged, p, gate->changed, gate->has_moment ? gate->changed_after : 0,
                                      gate->has_moment ? gate->changed_by : scenario->duration);
}

static void judge_pair(cli_findings *findings, const cli_judged *judged, uint32_t p)
{
    const sim_scenario *scenario = judged->input->scenario[0];
    const char *policy = judged->input->policy[p]->name;
    const sim_baseline_scenario *before = sim_baseline_find(judged->before, scenario->name);
    const sim_baseline_pair *pair = before == NULL ? NULL : sim_baseline_find_pair(before, policy);
    sim_gate gate;
    if (pair == NULL) {
        cli_finding *one = cli_findings_add(findings, CLI_RULE_BASELINE, CLI_UNJUDGED, sim_gate_word(SIM_GATE_STALE),
                                            scenario->name, policy);
        one->rule = cli_text("as in the baseline");
        one->text = cli_text("the baseline does not hold it; --update writes it anew");
        one->path = cli_text("%s", judged->before->path);
        one->line = before == NULL ? 1 : before->line;
        return;
    }
    if (!sim_gate_judge(judged->before, before, pair, judged->after, judged->now,
                        sim_baseline_find_pair(judged->now, policy), scenario->duration, &gate)) {
        findings->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < gate.rule_count; i++)
        put_gate_rule(findings, judged, p, &gate, &gate.rule[i]);
}

void cli_findings_judge(cli_findings *findings, const cli_judged *judged)
{
    const size_t start = findings->count;
    for (uint32_t p = 0; p < judged->input->policy_count; p++) {
        judge_expectations(findings, judged, p);
        if (judged->before != NULL)
            judge_pair(findings, judged, p);
    }
    judge_strangers(findings, judged);
    if (findings->count > start)
        return;
    const sim_scenario *scenario = judged->input->scenario[0];
    cli_finding *one = cli_findings_add(findings, CLI_RULE_NONE, CLI_UNJUDGED, "no data", scenario->name, "");
    one->rule = cli_text("anything to check");
    one->text = cli_text("no expectation about these policies, and no --baseline: nothing was checked");
    one->path = cli_text("%s", scenario->path);
    one->line = 1;
}
