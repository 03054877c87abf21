/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help texts, made from the tables of verbs and options. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/wrap.h"

enum { COLUMN = 26 };

static void put_option(FILE *out, const cli_option *option)
{
    char left[64];
    (void)snprintf(left, sizeof left, "  --%s%s%s", option->name, option->argument == NULL ? "" : " ",
                   option->argument == NULL ? "" : option->argument);
    int column = (int)strlen(left);
    (void)fputs(left, out);
    if (column >= COLUMN) {
        (void)fputc('\n', out);
        column = 0;
    }
    cli_put_wrapped(out, option->meaning, column, COLUMN, cli_prose_width(out));
}

static void put_examples(FILE *out, const char *examples)
{
    (void)fputs("\nExamples:\n", out);
    while (*examples != '\0') {
        const int length = (int)strcspn(examples, "\n");
        (void)fprintf(out, "  %.*s\n", length, examples);
        examples += length + 1;
    }
}

const cli_status cli_statuses[] = {
    {CLI_OK, "fine"},
    {CLI_EXPECTATION, "an expectation failed, or something is worse than the baseline"},
    {CLI_USAGE, "bad usage or input"},
    {CLI_IO, "input/output failed (full disk, read-only folder), or no memory"},
    {CLI_INCONCLUSIVE, "inconclusive: no data to judge a rule by, no such policy, a stale baseline, a pick of tune "
                       "that is not confirmed"},
    {CLI_INTERNAL, "internal error: a broken invariant of this program"},
    {CLI_INTERRUPTED, "interrupted; finished runs are kept"},
};
const size_t cli_status_count = sizeof cli_statuses / sizeof *cli_statuses;

static void put_statuses(FILE *out)
{
    (void)fputs("\nExit status:\n", out);
    for (size_t i = 0; i < cli_status_count; i++)
        cli_put_wrapped(out, cli_statuses[i].meaning, fprintf(out, "  %-4d ", cli_statuses[i].status), 7,
                        cli_prose_width(out));
}

const char cli_about[] = "Plays an incident against a fleet of clients that run a real routing, failover and failback "
                         "policy, in virtual time, "
                         "and says what the policy did to the users.";

void cli_help(FILE *out)
{
    (void)fputs("usage: regionsim VERB [OPTION...] [OPERAND...]\n\n", out);
    cli_put_wrapped(out, cli_about, 0, 0, cli_prose_width(out));
    (void)fputs("\nVerbs:\n", out);
    for (size_t i = 0; i < cli_verb_count; i++)
        cli_put_wrapped(out, cli_verbs[i].about, fprintf(out, "  %-10s ", cli_verbs[i].name), 13, cli_prose_width(out));
    (void)fputs("\nOptions:\n", out);
    cli_put_wrapped(out, "print this help; 'regionsim VERB --help' that of a verb", fprintf(out, "  --help     "), 13,
                    cli_prose_width(out));
    (void)fputs("  --version  print the version\n", out);
    put_examples(out, "regionsim run scenarios/flagship.yaml --policy success-rate --policy spec-probe\n"
                      "regionsim validate scenarios/flagship.yaml\n"
                      "regionsim list policies\n");
    put_statuses(out);
}

void cli_help_of_verb(FILE *out, const cli_verb *verb)
{
    (void)fprintf(out, "usage: regionsim %s [OPTION...]%s%s\n\n", verb->name, verb->operands[0] == '\0' ? "" : " ",
                  verb->operands);
    cli_put_wrapped(out, verb->detail, 0, 0, cli_prose_width(out));
    (void)fputs("\nOptions:\n", out);
    for (size_t i = 0; i < cli_option_count; i++) {
        if ((cli_options[i].verbs & cli_verb_bit(verb)) != 0)
            put_option(out, &cli_options[i]);
    }
    put_examples(out, verb->examples);
    put_statuses(out);
}
