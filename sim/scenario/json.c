/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/json.h"

#include <inttypes.h>

static void put_string(sim_json *self, const char *text)
{
    fputc('"', self->out);
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') {
            fprintf(self->out, "\\u%04x", (unsigned)*c);
            continue;
        }
        if (*c == '"' || *c == '\\')
            fputc('\\', self->out);
        fputc(*c, self->out);
    }
    fputc('"', self->out);
}

static void begin(sim_json *self, const char *key)
{
    if (self->depth > 0)
        fprintf(self->out, "%s\n%*s", self->is_first ? "" : ",", 2 * self->depth, "");
    self->is_first = false;
    if (key == NULL)
        return;
    put_string(self, key);
    fputs(": ", self->out);
}

void sim_json_open(sim_json *self, const char *key, char bracket)
{
    begin(self, key);
    fputc(bracket, self->out);
    self->depth++;
    self->is_first = true;
}

void sim_json_close(sim_json *self, char bracket)
{
    self->depth--;
    if (!self->is_first)
        fprintf(self->out, "\n%*s", 2 * self->depth, "");
    fputc(bracket, self->out);
    self->is_first = false;
    if (self->depth == 0)
        fputc('\n', self->out);
}

void sim_json_string(sim_json *self, const char *key, const char *value)
{
    begin(self, key);
    put_string(self, value);
}

void sim_json_flag(sim_json *self, const char *key, bool value)
{
    begin(self, key);
    fputs(value ? "true" : "false", self->out);
}

void sim_json_number(sim_json *self, const char *key, int64_t value, int scale)
{
    int64_t one = 1;
    for (; scale > 0 && value % 10 == 0; scale--)
        value /= 10;
    for (int i = 0; i < scale; i++)
        one *= 10;
    begin(self, key);
    fprintf(self->out, "%s%" PRId64, value < 0 ? "-" : "", (value < 0 ? -value : value) / one);
    if (scale > 0)
        fprintf(self->out, ".%0*" PRId64, scale, (value < 0 ? -value : value) % one);
}
