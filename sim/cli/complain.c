/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages for bad usage, and quoting for messages that show a command. */
#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"

int cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("regionsim: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_complain_of_word(const char *kind, const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = sim_nearest(word, candidates, count);
    if (nearest != NULL)
        return cli_complain("unknown %s \"%s\"; did you mean \"%s\"?", kind, word, nearest);
    (void)fprintf(stderr, "regionsim: unknown %s \"%s\"; expected ", kind, word);
    enum { SHOWN = 8 };
    for (size_t i = 0; i < count && i < SHOWN; i++)
        (void)fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", candidates[i]);
    (void)fputs(count > SHOWN ? ", ...\n" : "\n", stderr);
    return CLI_USAGE;
}

void cli_quote(FILE *out, const char *argument)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=./:,+@%";
    if (argument[0] != '\0' && argument[strspn(argument, PLAIN)] == '\0') {
        (void)fputs(argument, out);
        return;
    }
    (void)fputc('\'', out);
    for (; *argument != '\0'; argument++) {
        if (*argument == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(*argument, out);
    }
    (void)fputc('\'', out);
}
