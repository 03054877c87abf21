/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands for a word of the command line, by the name that its argument has in the tables. */
#include <string.h>

#include "manual.h"
#include "metrics/metrics.h"

typedef struct {
    const char *begin; /* of the argument's or operand's name */
    manual_kind kind;
} kind_of_name;

/* The first that fits. */
static const kind_of_name KINDS[] = {
    {"FILE_OR_NAME", MANUAL_POLICY}, {"SCENARIO", MANUAL_SCENARIO}, {"KEY=", MANUAL_KNOB}, {"NAME,", MANUAL_METRIC},
    {"REGION", MANUAL_REGION},       {"DB", MANUAL_DATABASE},       {"CSV", MANUAL_TABLE}, {"FILE", MANUAL_FILE},
};

static manual_kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strncmp(name, KINDS[i].begin, strlen(KINDS[i].begin)) == 0)
            return KINDS[i].kind;
    }
    return MANUAL_TEXT;
}

manual_kind manual_kind_of_option(const cli_option *option)
{
    if (option->argument == NULL)
        return MANUAL_TEXT;
    return cli_option_choices(option) != NULL ? MANUAL_WORDS : kind_of(option->argument);
}

manual_kind manual_kind_of_operand(const cli_verb *verb)
{
    if (strchr(verb->operands, '|') != NULL)
        return MANUAL_LIST;
    const manual_kind kind = kind_of(verb->operands);
    return kind == MANUAL_FILE ? MANUAL_SCENARIO : kind; /* files that verbs read are YAML */
}

bool manual_has_option(const cli_verb *verb, const cli_option *option)
{
    return (option->verbs & cli_verb_bit(verb)) != 0;
}

void manual_put_choices(FILE *out, const cli_option *option)
{
    for (const char *const *choice = cli_option_choices(option); *choice != NULL; choice++)
        (void)fprintf(out, "%s%s", choice == cli_option_choices(option) ? "" : " ", *choice);
}

void manual_put_knobs(FILE *out, const char *suffix)
{
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++)
        (void)fprintf(out, "%s%s%s", i == 0 ? "" : " ", rgn_knob_at((rgn_knob_id)i)->name, suffix);
}

void manual_put_metrics(FILE *out)
{
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        (void)fprintf(out, "%s%s", i == 0 ? "" : " ", sim_metric_at((sim_metric_id)i)->name);
}

void manual_put_regions(FILE *out)
{
    for (size_t i = 0; i < sim_catalogue_count(); i++)
        (void)fprintf(out, "%s%s", i == 0 ? "" : " ", sim_catalogue_name((uint16_t)i));
}

void manual_put_listed(FILE *out, const cli_verb *verb)
{
    for (const char *c = verb->operands; *c != '\0' && *c != ' '; c++)
        (void)fputc(*c == '|' ? ' ' : *c, out);
}
