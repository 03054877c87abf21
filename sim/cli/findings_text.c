/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings for people: a line for each scenario and policy that is fine, everything about what is not. */
#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "cli/findings.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/wrap.h"

enum { INDENT = 11, DETAILS_MAX = 3 /* told in full, so that it fits a screen */ };

typedef struct {
    FILE *out;
    bool has_colour;
    int width;
} printer;

static bool is_same_pair(const cli_finding *a, const cli_finding *b)
{
    return strcmp(a->scenario, b->scenario) == 0 && strcmp(a->policy, b->policy) == 0;
}

static const char *colour_of(const printer *self, cli_level level)
{
    static const char *const COLOUR[] = {CLI_GREEN, CLI_BOLD, CLI_RED};
    return self->has_colour ? COLOUR[level] : "";
}

static const char *plain(const printer *self)
{
    return self->has_colour ? CLI_PLAIN : "";
}

/* "  cause:   ..." */
static void put_part(const printer *self, const char *name, char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    cli_clean(text);
    const int column = fprintf(self->out, "  %-*s", INDENT - 2, name);
    cli_put_wrapped(self->out, text, column, INDENT, self->width);
}

/* As it is, to be copied. */
static void put_command(const printer *self, const char *command)
{
    if (command == NULL)
        return;
    (void)fprintf(self->out, "  replay:\n");
    while (*command != '\0') {
        const int length = (int)strcspn(command, "\n");
        (void)fprintf(self->out, "    %.*s\n", length, command);
        command += length + (command[length] == '\n');
    }
}

/* "FAILS  scenarios/x.yaml:12: ..." */
static void put_head(const printer *self, const cli_finding *one)
{
    char place[600];
    (void)snprintf(place, sizeof place, "%s:%d: ", one->path, one->line);
    const int column = (int)strlen(one->word) + 2;
    (void)fprintf(self->out, "%s%s%s  ", colour_of(self, one->level), one->word, plain(self));
    char *text = cli_text("%s%s%s%s", place, one->kind == CLI_RULE_BASELINE ? one->policy : "",
                          one->kind == CLI_RULE_BASELINE ? ": " : "", one->text);
    if (text != NULL) {
        cli_clean(text);
        cli_put_wrapped(self->out, text, column, INDENT, self->width);
    }
    free(text);
}

/* What a pair's rules share is said once, behind the last of them. */
static bool is_last_of_baseline(const cli_findings *findings, size_t i)
{
    const cli_finding *one = &findings->finding[i];
    for (size_t k = i + 1; k < findings->count; k++) {
        const cli_finding *other = &findings->finding[k];
        if (other->kind == CLI_RULE_BASELINE && other->level != CLI_PASSED && is_same_pair(one, other))
            return false;
    }
    return true;
}

static const char *pair_command(const cli_findings *findings, const cli_finding *one)
{
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *other = &findings->finding[i];
        if (other->kind == CLI_RULE_BASELINE && other->command != NULL && is_same_pair(one, other))
            return other->command;
    }
    return NULL;
}

/* `*details` counts what is told in full. */
static void put_finding(const printer *self, const cli_findings *findings, size_t i, unsigned *details)
{
    const cli_finding *one = &findings->finding[i];
    put_head(self, one);
    if ((one->kind == CLI_RULE_BASELINE && !is_last_of_baseline(findings, i)) || ++*details > DETAILS_MAX)
        return;
    put_part(self, "because:", one->because);
    put_part(self, "cause:", one->cause);
    put_part(self, "when:", one->moment);
    put_command(self, one->kind == CLI_RULE_BASELINE ? pair_command(findings, one) : one->command);
}

/* How a scenario and policy stands to the baseline: the worst word of its rules that passed. */
static const char *baseline_word(const cli_findings *findings, const cli_finding *pair)
{
    const char *word = NULL;
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *one = &findings->finding[i];
        if (one->kind != CLI_RULE_BASELINE || !is_same_pair(one, pair))
            continue;
        if (one->level != CLI_PASSED)
            return one->level == CLI_FAILED ? "worse than the baseline" : "not judged against the baseline";
        if (word == NULL || strcmp(word, "identical") == 0)
            word = one->word;
        else if (strcmp(one->word, "improvement") == 0)
            word = one->word;
    }
    if (word == NULL)
        return NULL;
    return strcmp(word, "identical") == 0     ? "identical to the baseline"
           : strcmp(word, "improvement") == 0 ? "better than the baseline (--update keeps it)"
                                              : "changed, within tolerance of the baseline";
}

/* "flagship under success-rate: 4 of 5 expectations hold; identical to the baseline" */
static void put_pair(const printer *self, const cli_findings *findings, size_t first)
{
    const cli_finding *pair = &findings->finding[first];
    cli_level level = CLI_PASSED;
    unsigned holding = 0;
    unsigned total = 0;
    for (size_t i = first; i < findings->count; i++) {
        const cli_finding *one = &findings->finding[i];
        if (!is_same_pair(one, pair))
            continue;
        level = one->level > level ? one->level : level;
        total += one->kind == CLI_RULE_EXPECTATION;
        holding += one->kind == CLI_RULE_EXPECTATION && one->level == CLI_PASSED;
    }
    static const char *const WORD[] = {"ok", "open", "FAILS"};
    const char *word = baseline_word(findings, pair);
    char *text = cli_text("%s%s%s: ", pair->scenario, pair->policy[0] == '\0' ? "" : " under ", pair->policy);
    char *expectations = total == 0 ? NULL
                         : total == holding
                             ? cli_text("%u expectation%s hold%s", total, total == 1 ? "" : "s", total == 1 ? "s" : "")
                             : cli_text("%u of %u expectations hold", holding, total);
    char *all = cli_text("%s%s%s%s", text == NULL ? "" : text, expectations == NULL ? "" : expectations,
                         expectations != NULL && word != NULL ? "; " : "", word == NULL ? "" : word);
    (void)fprintf(self->out, "%s%-5s%s  ", colour_of(self, level), WORD[level], plain(self));
    if (all != NULL)
        cli_put_wrapped(self->out, pair->kind == CLI_RULE_NONE ? pair->text : all, 7, 7, self->width);
    free(text);
    free(expectations);
    free(all);
}

static bool is_first_of_pair(const cli_findings *findings, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (is_same_pair(&findings->finding[k], &findings->finding[i]))
            return findings->finding[i].kind == CLI_RULE_NONE;
    }
    return true;
}

/* Rules of a pair that the baseline tells together stand without a line between them. */
static bool starts_block(const cli_findings *findings, size_t i)
{
    const cli_finding *one = &findings->finding[i];
    size_t before = i;
    while (before > 0 && findings->finding[before - 1].level == CLI_PASSED)
        before--;
    const cli_finding *last = before == 0 ? NULL : &findings->finding[before - 1];
    return last == NULL || one->kind != CLI_RULE_BASELINE || last->kind != CLI_RULE_BASELINE ||
           !is_same_pair(one, last);
}

static void put_total(const printer *self, const cli_findings *findings, const char *baseline)
{
    const size_t failed = cli_findings_count(findings, CLI_FAILED);
    const size_t open = cli_findings_count(findings, CLI_UNJUDGED);
    char *text = cli_text("%zu rule%s%s%s: %zu passed, %zu failed, %zu not judged", findings->count,
                          findings->count == 1 ? "" : "s", baseline == NULL ? "" : ", baseline ",
                          baseline == NULL ? "" : baseline, findings->count - failed - open, failed, open);
    (void)fprintf(self->out, "\n%s", colour_of(self, failed > 0 ? CLI_FAILED : open > 0 ? CLI_UNJUDGED : CLI_PASSED));
    if (text != NULL)
        cli_put_wrapped(self->out, text, 0, 0, self->width);
    (void)fputs(plain(self), self->out);
    free(text);
}

void cli_findings_put_text(const cli_findings *findings, const char *baseline, FILE *out)
{
    const printer self = {out, cli_has_colour(out), cli_screen_width(out)};
    for (size_t i = 0; i < findings->count; i++) {
        if (is_first_of_pair(findings, i))
            put_pair(&self, findings, i);
    }
    unsigned details = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *one = &findings->finding[i];
        if (one->level == CLI_PASSED || one->kind == CLI_RULE_NONE)
            continue;
        if (details < DETAILS_MAX && starts_block(findings, i))
            (void)fputc('\n', out);
        put_finding(&self, findings, i, &details);
    }
    if (details > DETAILS_MAX)
        (void)fputs("\nThe first ones are told in full; --markdown FILE and --json FILE tell all.\n", out);
    put_total(&self, findings, baseline);
}
