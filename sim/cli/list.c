/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list: scenarios, policies, metrics, knobs. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/table.h"
#include "metrics/metrics.h"

static int print_and_free(cli_table *table, bool ok, const cli_arguments *arguments)
{
    if (ok)
        cli_table_print(table, arguments->format, stdout);
    else
        (void)cli_complain("out of memory");
    cli_table_deinit(table);
    return ok ? CLI_OK : CLI_IO;
}

static int list_files(const cli_arguments *arguments, cli_file_kind kind)
{
    static const cli_column COLUMNS[] = {{"name", false}, {"path", false}, {"about", false}};
    if (arguments->operand_count > 2)
        return cli_complain("list: expected at most one folder, found \"%s\" too", arguments->operand[2]);
    char *folder = arguments->operand_count == 2 ? strdup(arguments->operand[1]) : cli_scenarios_folder();
    if (folder == NULL)
        return cli_complain("no folder named scenarios here or above; name one");
    cli_file_list list;
    if (!cli_files_find(folder, kind, &list)) {
        (void)cli_complain("cannot read the folder %s", folder);
        cli_file_list_deinit(&list);
        free(folder);
        return CLI_USAGE;
    }
    cli_table table;
    cli_table_init(&table, COLUMNS, 3);
    bool ok = true;
    for (size_t i = 0; i < list.count; i++) {
        const char *const cells[] = {list.file[i].name, list.file[i].path, list.file[i].about};
        ok = cli_table_add(&table, cells) && ok;
    }
    cli_file_list_deinit(&list);
    free(folder);
    return print_and_free(&table, ok, arguments);
}

/* Checks that every operand after the first names one of `names`, and marks those in `picked` (all without operands).
 * False after a complaint. */
static bool pick(const cli_arguments *arguments, const char *kind, const char *const *names, size_t count, bool *picked)
{
    for (size_t i = 0; i < count; i++)
        picked[i] = arguments->operand_count == 1;
    for (int o = 1; o < arguments->operand_count; o++) {
        size_t i = 0;
        while (i < count && strcmp(names[i], arguments->operand[o]) != 0)
            i++;
        if (i == count) {
            (void)cli_complain_of_word(kind, arguments->operand[o], names, count);
            return false;
        }
        picked[i] = true;
    }
    return true;
}

static int list_metrics(const cli_arguments *arguments)
{
    static const cli_column COLUMNS[] = {{"name", false}, {"unit", false}, {"better", false}, {"meaning", false}};
    static const char *const BETTER[] = {"lower", "", "higher"};
    const char *names[SIM_METRIC_COUNT];
    bool picked[SIM_METRIC_COUNT];
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        names[i] = sim_metric_at((sim_metric_id)i)->name;
    if (!pick(arguments, "metric", names, SIM_METRIC_COUNT, picked))
        return CLI_USAGE;
    cli_table table;
    cli_table_init(&table, COLUMNS, 4);
    bool ok = true;
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++) {
        const sim_metric_definition *metric = sim_metric_at((sim_metric_id)i);
        const char *const cells[] = {metric->name, metric->unit, BETTER[(int)metric->better + 1], metric->meaning};
        ok = (!picked[i] || cli_table_add(&table, cells)) && ok;
    }
    return print_and_free(&table, ok, arguments);
}

static bool add_knob(cli_table *table, rgn_knob_id id)
{
    const rgn_knob *knob = rgn_knob_at(id);
    char initial[64];
    char low[64];
    char high[64];
    char range[160];
    sim_format_knob(id, knob->initial, initial, sizeof initial);
    sim_format_knob(id, knob->min, low, sizeof low);
    sim_format_knob(id, knob->max, high, sizeof high);
    if (knob->type == RGN_CHOICE) {
        (void)snprintf(range, sizeof range, "%s", knob->choices);
        for (char *bar = strchr(range, '|'); bar != NULL; bar = strchr(bar, '|'))
            *bar = ' ';
    } else if (knob->type == RGN_FLAG) {
        (void)snprintf(range, sizeof range, "%s or %s", low, high);
    } else {
        (void)snprintf(range, sizeof range, "%s to %s", low, high);
    }
    const char *const cells[] = {knob->name, initial, range, knob->environment, knob->meaning};
    return cli_table_add(table, cells);
}

static int list_knobs(const cli_arguments *arguments)
{
    static const cli_column COLUMNS[] = {
        {"name", false}, {"default", false}, {"range", false}, {"environment", false}, {"meaning", false}};
    const char *names[RGN_KNOB_COUNT];
    bool picked[RGN_KNOB_COUNT];
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++)
        names[i] = rgn_knob_at((rgn_knob_id)i)->name;
    if (!pick(arguments, "knob", names, RGN_KNOB_COUNT, picked))
        return CLI_USAGE;
    if (arguments->effective != NULL)
        return cli_list_effective(arguments, picked);
    cli_table table;
    cli_table_init(&table, COLUMNS, 5);
    bool ok = true;
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++)
        ok = (!picked[i] || add_knob(&table, (rgn_knob_id)i)) && ok;
    return print_and_free(&table, ok, arguments);
}

int cli_list(const cli_arguments *arguments)
{
    static const char *const WHAT[] = {"scenarios", "policies", "metrics", "knobs"};
    if (arguments->operand_count == 0)
        return cli_complain("list: expected scenarios, policies, metrics or knobs");
    const char *what = arguments->operand[0];
    const bool is_about_files = arguments->policy_count > 0 || arguments->setting_count > 0 || arguments->env;
    if (arguments->effective == NULL && is_about_files)
        return cli_complain("list: --policy, --set and --env need --effective SCENARIO");
    if (arguments->effective != NULL && strcmp(what, "knobs") != 0)
        return cli_complain("list: --effective is about knobs");
    if (strcmp(what, "scenarios") == 0)
        return list_files(arguments, CLI_FILE_SCENARIO);
    if (strcmp(what, "policies") == 0)
        return list_files(arguments, CLI_FILE_POLICY);
    if (strcmp(what, "metrics") == 0)
        return list_metrics(arguments);
    if (strcmp(what, "knobs") == 0)
        return list_knobs(arguments);
    return cli_complain_of_word("list", what, WHAT, 4);
}
