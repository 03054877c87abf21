/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion for bash. It needs nothing of the package bash-completion, which loads it where it is installed. */
#include "manual.h"

static const char BEGIN[] =
    "# SPDX-License-Identifier: GPL-3.0-or-later\n"
    "# bash completion for regionsim, made from the program's tables of verbs and options.\n"
    "\n"
    "_regionsim_offer() # WORDS: those that begin with what was typed\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_regionsim_files() # SUFFIX: folders, and files that end in it; all files without one\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    if [ -z \"$1\" ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -f -X \"!*$1\" -- \"$cur\"; compgen -d -- \"$cur\")\n"
    "    fi\n"
    "}\n"
    "\n"
    "_regionsim_policies() # those that the program finds, and files\n"
    "{\n"
    "    local names\n"
    "    names=$(\"${COMP_WORDS[0]}\" list policies --format csv 2>/dev/null | sed '1d; s/,.*//')\n"
    "    _regionsim_files .yaml\n"
    "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -W \"$names\" -- \"$cur\")\n"
    "}\n"
    "\n";

static const char WORDS[] =
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n"
    "    local options='' valued='' operand='' i\n"
    "    COMPREPLY=()\n"
    "    # bash breaks --option=value into three words.\n"
    "    if [ \"$cur\" = = ]; then\n"
    "        cur=''\n"
    "    elif [ \"$prev\" = = ] && [ \"$COMP_CWORD\" -ge 3 ]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "        [[ $prev == --* ]] || return 0 # the value of KEY=\n"
    "    fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _regionsim_offer \"$verbs --help --version\"\n"
    "        return 0\n"
    "    fi\n";

static const char END[] = "    if [[ $cur == -* ]]; then\n"
                          "        _regionsim_offer \"$options\"\n"
                          "        return 0\n"
                          "    fi\n"
                          "    # The first operand, if it stands already.\n"
                          "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                          "        if [[ \" $valued \" == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
                          "            i=$((i + 1))\n"
                          "            [ \"${COMP_WORDS[i]}\" = = ] && i=$((i + 1))\n"
                          "        elif [[ ${COMP_WORDS[i]} != -* && -z $operand ]]; then\n"
                          "            operand=${COMP_WORDS[i]}\n"
                          "        fi\n"
                          "    done\n";

/* The command that offers words of a kind. */
static void put_offer(FILE *out, manual_kind kind, const cli_option *option)
{
    switch (kind) {
    case MANUAL_FILE:
        (void)fputs("_regionsim_files ''", out);
        break;
    case MANUAL_SCENARIO:
        (void)fputs("_regionsim_files .yaml", out);
        break;
    case MANUAL_DATABASE:
        (void)fputs("_regionsim_files .db", out);
        break;
    case MANUAL_TABLE:
        (void)fputs("_regionsim_files .csv", out);
        break;
    case MANUAL_POLICY:
        (void)fputs("_regionsim_policies", out);
        break;
    case MANUAL_METRIC:
        (void)fputs("_regionsim_offer \"$metrics\"", out);
        break;
    case MANUAL_REGION:
        (void)fputs("_regionsim_offer \"$regions\"", out);
        break;
    case MANUAL_KNOB:
        (void)fputs("compopt -o nospace 2>/dev/null; _regionsim_offer \"${knobs// /= }=\"", out);
        break;
    case MANUAL_WORDS:
        (void)fputs("_regionsim_offer '", out);
        manual_put_choices(out, option);
        (void)fputc('\'', out);
        break;
    case MANUAL_LIST:
    case MANUAL_TEXT:
        (void)fputs(":", out);
        break;
    }
}

/* case verb: its options, and those that take a value. */
static void put_options_of_verb(FILE *out, const cli_verb *verb)
{
    (void)fprintf(out, "    %s)\n        options='", verb->name);
    for (size_t i = 0, count = 0; i < cli_option_count; i++) {
        if (manual_has_option(verb, &cli_options[i]))
            (void)fprintf(out, "%s--%s", count++ == 0 ? "" : " ", cli_options[i].name);
    }
    (void)fputs("'\n        valued='", out);
    for (size_t i = 0, count = 0; i < cli_option_count; i++) {
        if (manual_has_option(verb, &cli_options[i]) && cli_options[i].argument != NULL)
            (void)fprintf(out, "%s--%s", count++ == 0 ? "" : " ", cli_options[i].name);
    }
    (void)fputs("'\n        case $prev in\n", out);
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!manual_has_option(verb, &cli_options[i]) || cli_options[i].argument == NULL)
            continue;
        (void)fprintf(out, "        --%s) ", cli_options[i].name);
        put_offer(out, manual_kind_of_option(&cli_options[i]), &cli_options[i]);
        (void)fputs("; return 0 ;;\n", out);
    }
    (void)fputs("        esac\n        ;;\n", out);
}

static void put_operands_of_verb(FILE *out, const cli_verb *verb)
{
    const manual_kind kind = manual_kind_of_operand(verb);
    (void)fprintf(out, "    %s) ", verb->name);
    if (kind == MANUAL_LIST) {
        (void)fputs("\n        case $operand in\n        '') _regionsim_offer '", out);
        manual_put_listed(out, verb);
        (void)fputs("' ;;\n"
                    "        metrics) _regionsim_offer \"$metrics\" ;;\n"
                    "        knobs) _regionsim_offer \"$knobs\" ;;\n"
                    "        *) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
                    "        esac\n        ;;\n",
                    out);
        return;
    }
    put_offer(out, kind, NULL);
    (void)fputs(" ;;\n", out);
}

void manual_write_bash(FILE *out)
{
    (void)fputs(BEGIN, out);
    (void)fputs("_regionsim()\n{\n    local verbs='", out);
    for (size_t i = 0; i < cli_verb_count; i++)
        (void)fprintf(out, "%s%s", i == 0 ? "" : " ", cli_verbs[i].name);
    (void)fputs("'\n    local metrics='", out);
    manual_put_metrics(out);
    (void)fputs("'\n    local regions='", out);
    manual_put_regions(out);
    (void)fputs("'\n    local knobs='", out);
    manual_put_knobs(out, "");
    (void)fputs("'\n", out);
    (void)fputs(WORDS, out);
    (void)fputs("    case $verb in\n", out);
    for (size_t i = 0; i < cli_verb_count; i++)
        put_options_of_verb(out, &cli_verbs[i]);
    (void)fputs("    esac\n", out);
    (void)fputs(END, out);
    (void)fputs("    case $verb in\n", out);
    for (size_t i = 0; i < cli_verb_count; i++)
        put_operands_of_verb(out, &cli_verbs[i]);
    (void)fputs("    esac\n    return 0\n}\n\ncomplete -F _regionsim regionsim\n", out);
}
