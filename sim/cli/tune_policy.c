/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recommended policy as a file that stands alone. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/tune.h"

enum { COMMENT_WIDTH = 110 };

/* Words of a comment, line by line. */
static void put_comment(FILE *out, const char *text)
{
    size_t column = 0;
    while (*text != '\0') {
        const size_t blanks = strspn(text, " \n\r\t");
        const size_t length = strcspn(text + blanks, " \n\r\t");
        if (length > 0 && (column == 0 || column + 1 + length > COMMENT_WIDTH)) {
            (void)fputs(column == 0 ? "#" : "\n#", out);
            column = 1;
        }
        if (length > 0)
            (void)fprintf(out, " %.*s", (int)length, text + blanks);
        column += length + 1;
        text += blanks + length;
    }
    (void)fputc('\n', out);
}

/* The file's name without folder and ending, as far as it can name a policy. */
static void put_name(FILE *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash == NULL ? path : slash + 1;
    size_t length = strcspn(stem, ".");
    bool is_name = length > 0 && isalpha((unsigned char)stem[0]) != 0;
    for (size_t i = 0; i < length; i++)
        is_name = is_name && (isalnum((unsigned char)stem[i]) != 0 || stem[i] == '-' || stem[i] == '_');
    (void)fprintf(out, "policy: %.*s\n", is_name ? (int)length : (int)strlen("tuned"), is_name ? stem : "tuned");
}

static size_t group_length(const char *knob)
{
    return strcspn(knob, ".");
}

static bool is_group_before(const rgn_option_layer *layer, int id)
{
    const char *name = rgn_knob_at((rgn_knob_id)id)->name;
    bool found = false;
    for (int i = 0; i < id; i++) {
        const char *other = rgn_knob_at((rgn_knob_id)i)->name;
        found = found || (layer->is_set[i] && strncmp(name, other, group_length(name) + 1) == 0);
    }
    return found;
}

/* Every knob that the policy sets, group by group. */
static void put_knobs(FILE *out, const rgn_option_layer *layer)
{
    for (int id = 0; id < (int)RGN_KNOB_COUNT; id++) {
        const char *name = rgn_knob_at((rgn_knob_id)id)->name;
        const size_t length = group_length(name);
        if (!layer->is_set[id] || is_group_before(layer, id))
            continue;
        (void)fprintf(out, "%.*s:\n", (int)length, name);
        for (int i = id; i < (int)RGN_KNOB_COUNT; i++) {
            char text[64];
            const char *other = rgn_knob_at((rgn_knob_id)i)->name;
            if (!layer->is_set[i] || strncmp(name, other, length + 1) != 0)
                continue;
            sim_format_knob((rgn_knob_id)i, rgn_options_get(&layer->values, (rgn_knob_id)i), text, sizeof text);
            (void)fprintf(out, "  %s: %s\n", other + length + 1, text);
        }
    }
}

static void put_origin(FILE *out, const cli_tuning *self)
{
    char digest[33];
    sim_digest inputs = sim_digest_start();
    sim_digest_add_bytes(&inputs, self->settings, strlen(self->settings));
    sim_digest_format(&inputs, digest);
    char *line = cli_text("Made by: %s", self->arguments->command_line);
    if (line != NULL)
        put_comment(out, line);
    free(line);
    (void)fprintf(out, "# seed %llu, replications 0 to %u to confirm, %u to %u to search; digest of the search %s\n",
                  (unsigned long long)self->arguments->seed, self->arguments->replications - 1,
                  self->arguments->replications, self->arguments->replications + SIM_SEARCH_FULL - 1, digest);
    for (uint32_t s = 0; s < self->in.scenario_count; s++)
        (void)fprintf(out, "%s %s",
                      s == 0             ? "# searched over"
                      : s == self->tuned ? "; held out"
                                         : ",",
                      self->in.scenario[s]->name);
    (void)fputc('\n', out);
    put_comment(out, self->reason);
}

static void put(void *context, FILE *out)
{
    const cli_tuning *self = context;
    const size_t point = cli_tune_recommended(self);
    const sim_policy *policy = point == SIM_SEARCH_BASE ? self->in.policy[0] : self->policy[point];
    put_origin(out, self);
    (void)fputs("regionsim: 1\n", out);
    put_name(out, self->arguments->output);
    (void)fputs("about: ", out);
    char *about = NULL;
    if (self->verdict == CLI_TUNE_CONFIRMED)
        about = cli_text("%s tuned over %u scenario%s.", self->in.policy[0]->name, self->tuned,
                         self->tuned == 1 ? "" : "s");
    else if (self->verdict == CLI_TUNE_UNCONFIRMED)
        about = cli_text("%s as it is: what looked better in tuning was not confirmed.", policy->name);
    else
        about = cli_text("%s as it is: tuning found nothing that beats it.", policy->name);
    cli_json_text(out, about == NULL ? "" : about);
    free(about);
    (void)fputc('\n', out);
    put_knobs(out, &policy->options);
}

bool cli_tune_write_policy(const cli_tuning *self, const char *path)
{
    return cli_output_write(path, put, (void *)self);
}
