/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion for zsh. */
#include "manual.h"

static const char BEGIN[] =
    "#compdef regionsim\n"
    "# SPDX-License-Identifier: GPL-3.0-or-later\n"
    "# zsh completion for regionsim, made from the program's tables of verbs and options.\n"
    "\n"
    "_regionsim_policies() { # those that the program finds, and files\n"
    "    local -a names\n"
    "    names=(${${(f)\"$(_call_program policies $service list policies --format csv 2>/dev/null)\"}[2,-1]%%,*})\n"
    "    _alternative 'policies:policy:compadd -a names' 'files:policy file:_files -g \"*.yaml(-.)\"'\n"
    "}\n"
    "\n";

/* Inside single quotes and an _arguments specification. */
static void put_meaning(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '\'':
            (void)fputs("'\\''", out);
            break;
        case '[':
        case ']':
        case ':':
        case '\\':
            (void)fprintf(out, "\\%c", *text);
            break;
        default:
            (void)fputc(*text, out);
            break;
        }
    }
}

static void put_action(FILE *out, manual_kind kind, const cli_option *option)
{
    switch (kind) {
    case MANUAL_FILE:
        (void)fputs("_files", out);
        break;
    case MANUAL_SCENARIO:
        (void)fputs("_files -g \"*.yaml(-.)\"", out);
        break;
    case MANUAL_DATABASE:
        (void)fputs("_files -g \"*.db(-.)\"", out);
        break;
    case MANUAL_TABLE:
        (void)fputs("_files -g \"*.csv(-.)\"", out);
        break;
    case MANUAL_POLICY:
        (void)fputs("_regionsim_policies", out);
        break;
    case MANUAL_METRIC:
        (void)fputs("compadd -a metrics", out);
        break;
    case MANUAL_REGION:
        (void)fputs("compadd -a regions", out);
        break;
    case MANUAL_KNOB:
        (void)fputs("compadd -S = -a knobs", out);
        break;
    case MANUAL_WORDS:
        (void)fputc('(', out);
        manual_put_choices(out, option);
        (void)fputc(')', out);
        break;
    case MANUAL_LIST:
    case MANUAL_TEXT:
        (void)fputc(' ', out);
        break;
    }
}

/* Any option may be given again, as the program allows it; the last one counts, or all do. */
static void put_option(FILE *out, const cli_option *option)
{
    (void)fprintf(out, "            '*--%s%s[", option->name, option->argument == NULL ? "" : "=");
    put_meaning(out, option->meaning);
    (void)fputc(']', out);
    if (option->argument != NULL) {
        (void)fputc(':', out);
        put_meaning(out, option->argument);
        (void)fputc(':', out);
        put_action(out, manual_kind_of_option(option), option);
    }
    (void)fputs("' \\\n", out);
}

static void put_operands(FILE *out, const cli_verb *verb)
{
    const manual_kind kind = manual_kind_of_operand(verb);
    if (kind == MANUAL_LIST) {
        (void)fputs("            '1:what:(", out);
        manual_put_listed(out, verb);
        (void)fputs(")' '*:name:->names' && return\n"
                    "        case $line[1] in\n"
                    "        metrics) compadd -a metrics ;;\n"
                    "        knobs) compadd -a knobs ;;\n"
                    "        *) _files -/ ;;\n"
                    "        esac\n",
                    out);
    } else if (verb->operands[0] == '\0') {
        (void)fputs("            && return\n", out);
    } else {
        (void)fputs("            '*:", out);
        put_meaning(out, verb->operands);
        (void)fputc(':', out);
        put_action(out, kind, NULL);
        (void)fputs("' && return\n", out);
    }
}

static void put_verb(FILE *out, const cli_verb *verb)
{
    (void)fprintf(out, "    %s)\n        _arguments -C \\\n", verb->name);
    for (size_t i = 0; i < cli_option_count; i++) {
        if (manual_has_option(verb, &cli_options[i]))
            put_option(out, &cli_options[i]);
    }
    put_operands(out, verb);
    (void)fputs("        ;;\n", out);
}

void manual_write_zsh(FILE *out)
{
    (void)fputs(BEGIN, out);
    (void)fputs("_regionsim() {\n    local curcontext=$curcontext state line\n    typeset -A opt_args\n"
                "    local -a verbs=(\n",
                out);
    for (size_t i = 0; i < cli_verb_count; i++) {
        (void)fprintf(out, "        '%s:", cli_verbs[i].name);
        put_meaning(out, cli_verbs[i].about);
        (void)fputs("'\n", out);
    }
    (void)fputs("    )\n    local -a metrics=(", out);
    manual_put_metrics(out);
    (void)fputs(")\n    local -a regions=(", out);
    manual_put_regions(out);
    (void)fputs(")\n    local -a knobs=(", out);
    manual_put_knobs(out, "");
    (void)fputs(")\n"
                "    _arguments -C '(- *)--help[print help]' '(- *)--version[print the version]' "
                "'1:verb:->verb' '*::operand:->rest' && return\n"
                "    if [[ $state == verb ]]; then\n        _describe -t verbs verb verbs\n        return\n    fi\n"
                "    case $words[1] in\n",
                out);
    for (size_t i = 0; i < cli_verb_count; i++)
        put_verb(out, &cli_verbs[i]);
    (void)fputs("    esac\n}\n\n_regionsim \"$@\"\n", out);
}
