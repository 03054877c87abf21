/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html.h"

#include <math.h>
#include <string.h>

#include "scenario/scenario.h"

static void put_escaped(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const size_t unprintable = sim_text_unprintable(text + i);
        const char c = text[i];
        if (unprintable > 0 && c != '\n' && c != '\t') {
            (void)fputs("\uFFFD", out);
            i += unprintable;
            continue;
        }
        const char *entity = sim_text_entity(c);
        if (entity != NULL)
            (void)fputs(entity, out);
        else
            (void)fputc(c, out);
        i++;
    }
}

void rep_text(FILE *out, const char *text)
{
    put_escaped(out, text, strlen(text));
}

/* ASCII has no direction of writing that could spread. */
static bool is_ascii(const char *text)
{
    while (*text > 0)
        text++;
    return *text == '\0';
}

void rep_name(FILE *out, const char *name)
{
    size_t length = strlen(name);
    const bool is_cut = length > REP_NAME_MAX;
    if (!is_cut && is_ascii(name)) {
        put_escaped(out, name, length);
        return;
    }
    if (is_cut) {
        length = REP_NAME_MAX;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
            length--;
    }
    (void)fputs("<bdi>", out);
    put_escaped(out, name, length);
    (void)fputs(is_cut ? "…</bdi>" : "</bdi>", out);
}

void rep_number(double value, char out[REP_NUMBER_SIZE])
{
    const double size = fabs(value);
    int decimals = 3;
    if (size > 0 && isfinite(size))
        decimals = 3 - (int)floor(log10(size));
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    (void)snprintf(out, REP_NUMBER_SIZE, "%.*f", decimals, value);
    if (strchr(out, '.') == NULL)
        return;
    char *end = out + strlen(out);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        *--end = '\0';
    if (strcmp(out, "-0") == 0)
        (void)strcpy(out, "0");
}

void rep_table_open(FILE *out, const char *id, const char *caption, const char *const *heading, size_t count)
{
    (void)fprintf(out, "<div class=scroll><table id=%s><caption>", id);
    rep_name(out, caption);
    (void)fputs("</caption><thead><tr>", out);
    for (size_t i = 0; i < count; i++) {
        (void)fputs("<th scope=col>", out);
        rep_name(out, heading[i]);
    }
    (void)fputs("<tbody>\n", out);
}

void rep_table_close(FILE *out)
{
    (void)fputs("</table></div>\n", out);
}

void rep_cell(FILE *out, bool has_value, double value)
{
    char text[REP_NUMBER_SIZE] = "–";
    if (has_value)
        rep_number(value, text);
    (void)fprintf(out, "<td>%s", text);
}
