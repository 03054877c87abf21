/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/wrap.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80 };

void cli_put_wrapped(FILE *out, const char *text, int column, int indent)
{
    bool is_first = true; /* of its line */
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (!is_first && column + 1 + length > WIDTH) {
            (void)fputc('\n', out);
            column = 0;
            is_first = true;
        }
        if (column < indent)
            column += fprintf(out, "%*s", indent - column, "");
        else if (!is_first)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    (void)fputc('\n', out);
}
