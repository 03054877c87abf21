/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/screen.h"

size_t cli_columns(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80; /* not a continuation byte */
    return count;
}

void cli_put_wrapped(FILE *out, const char *text, int column, int indent, int width)
{
    bool is_first = true; /* of its line */
    while (*text != '\0') {
        const size_t length = strcspn(text, " \n");
        const int columns = (int)cli_columns(text, length);
        if (!is_first && column + 1 + columns > width) {
            (void)fputc('\n', out);
            column = 0;
            is_first = true;
        }
        if (column < indent)
            column += fprintf(out, "%*s", indent - column, "");
        else if (!is_first)
            column += fprintf(out, " ");
        (void)fprintf(out, "%.*s", (int)length, text);
        column += columns;
        is_first = false;
        text += length;
        text += strspn(text, " ");
        for (; *text == '\n'; text++) {
            (void)fputc('\n', out);
            column = 0;
            is_first = true;
        }
    }
    (void)fputc('\n', out);
}

void cli_put_message(FILE *out, const char *text)
{
    const bool is_wrapped = isatty(fileno(out)) != 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        char *line = is_wrapped ? strndup(text, length) : NULL;
        if (line != NULL)
            cli_put_wrapped(out, line, 0, 0, cli_screen_width(out));
        else
            (void)fprintf(out, "%.*s\n", (int)length, text);
        free(line);
        text += length + (text[length] == '\n');
    }
}
