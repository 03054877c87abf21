/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/clean.h"

#include <string.h>

#include "scenario/scenario.h"

static void cut(char *text)
{
    static const char DOTS[] = "...";
    size_t end = CLI_CLEAN_MAX - (sizeof DOTS - 1);
    if (strlen(text) <= CLI_CLEAN_MAX)
        return;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(text + end, DOTS, sizeof DOTS);
}

void cli_clean(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        const size_t unprintable = sim_text_unprintable(from);
        *to++ = unprintable > 0 ? ' ' : *from;
        from += unprintable > 0 ? unprintable : 1;
    }
    *to = '\0';
    cut(text);
}

char *cli_cleaned(const char *text)
{
    char *copy = strdup(text);
    if (copy != NULL)
        cli_clean(copy);
    return copy;
}
