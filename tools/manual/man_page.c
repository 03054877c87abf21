/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regionsim.1, in the macros of man(7). */
#include <string.h>

#include "manual.h"

/* How a letter is written so that it stays one: hyphens can be copied, and nothing begins an escape. */
static const char *escaped(char letter)
{
    switch (letter) {
    case '-':
        return "\\-";
    case '\\':
        return "\\e";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '\'':
        return "\\(aq";
    default:
        return NULL;
    }
}

/* Puts bytes in the middle of a line; returns the columns of the source that they took. */
static int put_bytes(FILE *out, const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++) {
        const char *escape = escaped(text[i]);
        columns += escape == NULL ? fprintf(out, "%c", text[i]) : fprintf(out, "%s", escape);
    }
    return columns;
}

static void put(FILE *out, const char *text)
{
    (void)put_bytes(out, text, strlen(text));
}

/* A paragraph's text, in lines that an editor shows whole. A sentence ends its line: that is how roff knows it. */
static void put_prose(FILE *out, const char *text)
{
    enum { WIDTH = 70 };
    int column = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + (int)length > WIDTH) {
            (void)fputc('\n', out);
            column = 0;
        }
        if (column > 0)
            (void)fputc(' ', out);
        else if (text[0] == '.')
            (void)fputs("\\&", out); /* no request */
        column += 1 + put_bytes(out, text, length);
        text += length;
        if (*text == ' ' && text[-1] == '.')
            column = WIDTH;
        text += *text == ' ' ? 1 : 0;
    }
    (void)fputc('\n', out);
}

static void put_option(FILE *out, const cli_option *option)
{
    (void)fputs(".TP\n\\fB\\-\\-", out);
    put(out, option->name);
    (void)fputs("\\fR", out);
    if (option->argument != NULL) {
        (void)fputs(" \\fI", out);
        put(out, option->argument);
        (void)fputs("\\fR", out);
    }
    (void)fputc('\n', out);
    put_prose(out, option->meaning);
}

static void put_examples(FILE *out, const char *examples)
{
    (void)fputs(".PP\nExamples:\n.PP\n.nf\n.RS 4\n", out);
    while (*examples != '\0') {
        char line[512];
        const int length = (int)strcspn(examples, "\n");
        (void)snprintf(line, sizeof line, "%.*s", length, examples);
        put(out, line);
        (void)fputc('\n', out);
        examples += length + 1;
    }
    (void)fputs(".RE\n.fi\n", out);
}

static void put_verb(FILE *out, const cli_verb *verb)
{
    (void)fputs(".SS \"", out);
    put(out, verb->name);
    (void)fputs("\"\n.B regionsim ", out);
    put(out, verb->name);
    (void)fputs("\n[\\fIOPTION\\fR...]", out);
    if (verb->operands[0] != '\0') {
        (void)fputs(" \\fI", out);
        put(out, verb->operands);
        (void)fputs("\\fR", out);
    }
    (void)fputs("\n.PP\n", out);
    put_prose(out, verb->detail);
    for (size_t i = 0; i < cli_option_count; i++) {
        if (manual_has_option(verb, &cli_options[i]))
            put_option(out, &cli_options[i]);
    }
    put_examples(out, verb->examples);
}

static void put_statuses(FILE *out)
{
    (void)fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < cli_status_count; i++) {
        (void)fprintf(out, ".TP\n.B %d\n", cli_statuses[i].status);
        put_prose(out, cli_statuses[i].meaning);
    }
}

/* What the program reads of its environment. */
static void put_environment(FILE *out)
{
    static const char *const VARIABLES[][2] = {
        {"AZURE_COSMOS_*", "the variables of the core, with --env only; 'regionsim list knobs' names them"},
        {"COLUMNS, LINES", "how wide and how long the output may be, whatever the terminal is"},
        {"NO_COLOR", "no colours, if it is set to anything"},
        {"TMPDIR", "the folder of databases that go at the end (default: /tmp)"},
    };
    (void)fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
        (void)fputs(".TP\n.B ", out);
        put(out, VARIABLES[i][0]);
        (void)fputc('\n', out);
        put_prose(out, VARIABLES[i][1]);
    }
}

void manual_write_man(FILE *out)
{
    (void)fputs(".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
                ".\\\" Made from the program's tables of verbs and options.\n"
                ".TH REGIONSIM 1 " MANUAL_DATE " \"regionsim " REGIONSIM_VERSION "\"\n"
                ".SH NAME\nregionsim \\- what a routing, hedging and failback policy does to its users\n"
                ".SH SYNOPSIS\n.B regionsim\n\\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n.br\n"
                ".B regionsim\n[\\fIVERB\\fR] \\fB\\-\\-help\\fR\n.br\n.B regionsim\n\\fB\\-\\-version\\fR\n"
                ".SH DESCRIPTION\n",
                out);
    put_prose(out, cli_about);
    (void)fputs(".SH VERBS\n", out);
    for (size_t i = 0; i < cli_verb_count; i++) {
        (void)fputs(".TP\n.B ", out);
        put(out, cli_verbs[i].name);
        (void)fputc('\n', out);
        put_prose(out, cli_verbs[i].about);
    }
    for (size_t i = 0; i < cli_verb_count; i++)
        put_verb(out, &cli_verbs[i]);
    put_statuses(out);
    put_environment(out);
}
