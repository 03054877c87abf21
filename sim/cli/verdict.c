/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In words: for each policy whether it is better than the baseline, by how much and how sure, and what it costs.
 *
 * Only differences with a verdict are told: their interval lies outside zero by more than the metric's margin. With
 * fewer than five replications nothing is claimed. */
#include <stdlib.h>
#include <string.h>

#include "cli/summary.h"

#define NO_BREAK "\u00a0" /* a space at which no line ends */

typedef struct {
    const cli_summary *summary;
    uint32_t scenario;
    FILE *out;
} writer;

static const char *name(const writer *self, uint32_t policy)
{
    return self->summary->plan->policy[policy]->name;
}

/* What is told of a metric, as "<amount> <less or more> <what>". */
typedef struct {
    sim_metric_id metric;
    const char *less;
    const char *more;
    const char *what;
} telling;

static const telling TELLINGS[] = {
    {SIM_METRIC_failback_lag_p50, "sooner", "later", "after the region has healed, median"},
    {SIM_METRIC_away_healthy_s, "less", "more", "away from a healthy home"},
    {SIM_METRIC_home_unhealthy_s, "less", "more", "at an unhealthy home"},
    {SIM_METRIC_flap_count, "fewer", "more", "flaps"},
    {SIM_METRIC_premature_failback_count, "fewer", "more", "returns to an unhealthy home"},
    {SIM_METRIC_canary_failure_count, "fewer", "more", "failed canaries"},
    {SIM_METRIC_error_count, "fewer", "more", "errors"},
    {SIM_METRIC_latency_p99, "less", "more", "at p99"},
};
enum { TELLING_COUNT = sizeof TELLINGS / sizeof *TELLINGS };

static const sim_comparison *comparison_of(const writer *self, uint32_t policy, sim_metric_id metric)
{
    const cli_rows *rows = &self->summary->rows[self->scenario];
    size_t row = 0;
    while (rows->metric[row] != metric)
        row++;
    return cli_comparison(self->summary, self->scenario, policy, row);
}

static double size_of(double value)
{
    return value < 0 ? -value : value;
}

/* "3 min 6 s sooner after the region has healed, median (95 %: 3 min 2 s to 3 min 10 s)" */
static void put_telling(const writer *self, const telling *one, const sim_comparison *comparison)
{
    const sim_metric_definition *definition = sim_metric_at(one->metric);
    const bool is_less = comparison->difference < 0;
    const double low = size_of(is_less ? comparison->interval.high : comparison->interval.low);
    const double high = size_of(is_less ? comparison->interval.low : comparison->interval.high);
    const double middle = size_of(comparison->difference);
    char text[3][CLI_VALUE_SIZE];
    cli_format_amount(definition, middle, middle, high - low, text[0]);
    cli_format_amount(definition, low, middle, high - low, text[1]);
    cli_format_amount(definition, high, middle, high - low, text[2]);
    (void)fprintf(self->out, "%s %s %s (95" NO_BREAK "%%: %s to %s)", text[0], is_less ? one->less : one->more,
                  one->what, text[1], text[2]);
}

static void put_subject(const writer *self, uint32_t policy, bool names_policies, const char *verb)
{
    if (names_policies)
        (void)fprintf(self->out, "Against %s, %s %s ", name(self, SIM_BASELINE), name(self, policy), verb);
    else
        (void)fprintf(self->out, "It %s ", verb);
}

/* All tellings with that verdict, as a sentence about `subject`; `verb` stands before them, but the time to return has
 * a verb of its own. Returns how many. */
static size_t put_tellings(const writer *self, uint32_t policy, sim_compared verdict, bool names_policies,
                           const char *verb)
{
    size_t total = 0;
    for (size_t i = 0; i < TELLING_COUNT; i++)
        total += comparison_of(self, policy, TELLINGS[i].metric)->verdict == verdict;
    size_t count = 0;
    for (size_t i = 0; i < TELLING_COUNT; i++) {
        const sim_comparison *comparison = comparison_of(self, policy, TELLINGS[i].metric);
        if (comparison->verdict != verdict)
            continue;
        const bool is_return = TELLINGS[i].metric == SIM_METRIC_failback_lag_p50;
        const bool was_return = count == 1 && comparison_of(self, policy, TELLINGS[0].metric)->verdict == verdict;
        if (count == 0)
            put_subject(self, policy, names_policies, is_return ? "returns" : verb);
        else if (was_return)
            (void)fprintf(self->out, ", and %s ", verb);
        else
            (void)fputs(count + 1 == total ? " and " : ", ", self->out);
        put_telling(self, &TELLINGS[i], comparison);
        count++;
    }
    (void)fputs(total > 0 ? ". " : "", self->out);
    return total;
}

/* The objectives with that verdict: ": better on a, b". Returns how many. */
static uint32_t put_objectives(const writer *self, uint32_t policy, sim_compared verdict, const char *before)
{
    const cli_rows *rows = &self->summary->rows[self->scenario];
    uint32_t count = 0;
    for (size_t row = 0; row < rows->count; row++) {
        const sim_comparison *comparison = cli_comparison(self->summary, self->scenario, policy, row);
        if (!comparison->is_objective || comparison->verdict != verdict)
            continue;
        (void)fprintf(self->out, "%s%s", count++ == 0 ? before : ", ", sim_metric_at(comparison->metric)->name);
    }
    return count;
}

static uint32_t count_objectives(const writer *self, uint32_t policy, sim_compared verdict)
{
    const cli_rows *rows = &self->summary->rows[self->scenario];
    uint32_t count = 0;
    for (size_t row = 0; row < rows->count; row++) {
        const sim_comparison *comparison = cli_comparison(self->summary, self->scenario, policy, row);
        count += comparison->is_objective && comparison->verdict == verdict;
    }
    return count;
}

/* What the scenario's objectives say of a policy and the baseline. */
typedef enum { IS_BETTER = 0, IS_WORSE = 1, IS_TRADE = 2, IS_UNDECIDED = 3, IS_AS_GOOD = 4 } judgement;

static judgement judge(const writer *self, uint32_t policy)
{
    const uint32_t better = count_objectives(self, policy, SIM_COMPARED_BETTER);
    const uint32_t worse = count_objectives(self, policy, SIM_COMPARED_WORSE);
    if (better > 0 || worse > 0)
        return worse == 0 ? IS_BETTER : better == 0 ? IS_WORSE : IS_TRADE;
    const uint32_t open = count_objectives(self, policy, SIM_COMPARED_INCONCLUSIVE) +
                          count_objectives(self, policy, SIM_COMPARED_TOO_FEW) +
                          count_objectives(self, policy, SIM_COMPARED_NO_DATA);
    return open > 0 ? IS_UNDECIDED : IS_AS_GOOD;
}

/* Which policies are better than the baseline, in one sentence. */
static void put_overall(const writer *self)
{
    static const char *const TITLES[] = {
        "better than %s: ", "worse than %s: ", "a trade with %s: ", "undecided against %s: ", "as good as %s: "};
    (void)fputs("By the scenario's objectives ", self->out);
    bool is_first = true;
    for (int kind = IS_BETTER; kind <= IS_AS_GOOD; kind++) {
        uint32_t count = 0;
        for (uint32_t p = SIM_BASELINE + 1; p < self->summary->plan->policy_count; p++) {
            if (judge(self, p) != (judgement)kind)
                continue;
            if (count == 0 && !is_first)
                (void)fputs("; ", self->out);
            if (count == 0)
                (void)fprintf(self->out, TITLES[kind], name(self, SIM_BASELINE));
            (void)fprintf(self->out, "%s%s", count++ == 0 ? "" : ", ", name(self, p));
            is_first = false;
        }
        if (kind == IS_BETTER && count == 0) {
            (void)fprintf(self->out, "no policy is better than %s", name(self, SIM_BASELINE));
            is_first = false;
        }
    }
    (void)fputs(".\n\n", self->out);
}

/* Which of the two is better, and on what. */
static void put_judgement(const writer *self, uint32_t policy)
{
    static const char *const WORDS[] = {"is better than %s", "is worse than %s", "is a trade against %s",
                                        "is undecided against %s", "does as well as %s"};
    (void)fprintf(self->out, "%s ", name(self, policy));
    (void)fprintf(self->out, WORDS[judge(self, policy)], name(self, SIM_BASELINE));
    uint32_t told = put_objectives(self, policy, SIM_COMPARED_BETTER, ": better on ");
    told += put_objectives(self, policy, SIM_COMPARED_WORSE, told > 0 ? "; worse on " : ": worse on ");
    (void)put_objectives(self, policy, SIM_COMPARED_INCONCLUSIVE,
                         told > 0 ? "; inconclusive on " : ": inconclusive on ");
    (void)fputs(". ", self->out);
}

static bool has_objectives(const writer *self)
{
    return self->summary->plan->scenario[self->scenario]->objective_count > 0;
}

static void put_policy(const writer *self, uint32_t policy)
{
    if (has_objectives(self))
        put_judgement(self, policy);
    size_t told = put_tellings(self, policy, SIM_COMPARED_BETTER, !has_objectives(self), "has");
    told += put_tellings(self, policy, SIM_COMPARED_WORSE, !has_objectives(self) && told == 0, "costs");
    if (told == 0)
        (void)fprintf(self->out,
                      "As far as these replications tell, %s and %s do not differ by more than the margin that matters "
                      "in time to return, time away from a healthy home or at an unhealthy one, flaps, premature "
                      "returns, failed canaries, errors or p99. ",
                      name(self, policy), name(self, SIM_BASELINE));
}

static void put_single(const writer *self)
{
    (void)fprintf(self->out, "One policy, nothing to compare it with. %s: ", name(self, 0));
    for (size_t i = 1; i < TELLING_COUNT; i++) {
        const sim_metric_value value =
            sim_outcome_estimate(self->summary->outcome, self->scenario, 0, 0, TELLINGS[i].metric);
        char text[CLI_VALUE_SIZE] = "–";
        if (cli_is_known(&value))
            cli_format_amount(sim_metric_at(TELLINGS[i].metric), value.value, value.value, 0, text);
        (void)fprintf(self->out, "%s%s %s", i == 1 ? "" : ", ", text, TELLINGS[i].what);
    }
    (void)fputs(".\n\n", self->out);
}

static void put_comparison(const writer *self)
{
    if (has_objectives(self))
        put_overall(self);
    for (uint32_t p = SIM_BASELINE + 1; p < self->summary->plan->policy_count; p++) {
        put_policy(self, p);
        (void)fputs("\n\n", self->out);
    }
}

char *cli_verdict(const cli_summary *summary, uint32_t scenario)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    const writer self = {summary, scenario, out};
    if (summary->plan->policy_count == 1)
        put_single(&self);
    else if (summary->plan->replications < SIM_VERDICT_MIN)
        (void)fprintf(out, "No verdict: it takes at least %d replications, and there %s %u.\n\n", SIM_VERDICT_MIN,
                      summary->plan->replications == 1 ? "is" : "are", summary->plan->replications);
    else
        put_comparison(&self);
    cli_put_sweeps(summary, scenario, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    for (size_t end = strlen(text); end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' '); end--)
        text[end - 1] = '\0';
    return text;
}
