/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages for bad usage, and quoting for messages that show a command. */
#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/wrap.h"

enum { MESSAGE_SIZE = 4096 };

int cli_complain(const char *format, ...)
{
    char text[MESSAGE_SIZE] = "regionsim: ";
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    for (char *c = text; *c != '\0';) {
        const size_t unprintable = sim_text_unprintable(c);
        (void)memset(c, ' ', unprintable);
        c += unprintable > 0 ? unprintable : 1;
    }
    cli_put_message(stderr, text);
    return CLI_USAGE;
}

int cli_complain_of_word(const char *kind, const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = sim_nearest(word, candidates, count);
    if (nearest != NULL)
        return cli_complain("unknown %s \"%s\"; did you mean \"%s\"?", kind, word, nearest);
    char expected[MESSAGE_SIZE / 2] = "";
    size_t used = 0;
    enum { SHOWN = 16 };
    for (size_t i = 0; i < count && i < SHOWN && used < sizeof expected; i++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 candidates[i]);
    return cli_complain("unknown %s \"%s\"; expected %s%s", kind, word, expected, count > SHOWN ? ", ..." : "");
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
