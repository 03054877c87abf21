/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimates of all policies side by side. */
#include <stdlib.h>

#include "cli/summary.h"
#include "cli/table.h"

static bool is_whole(double value)
{
    return value >= 0 && value < 1e15 && (double)(int64_t)value >= value;
}

cli_unit cli_unit_of_row(const cli_summary *summary, uint32_t scenario, sim_metric_id metric)
{
    double largest = 0;
    bool all_whole = true;
    for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        if (!cli_is_known(&value))
            continue;
        largest = value.value > largest ? value.value : largest;
        all_whole = all_whole && is_whole(value.value);
    }
    return cli_unit_for(sim_metric_at(metric), largest, all_whole);
}

/* Marks the best cells of a row, unless all are alike. */
static void highlight_best(const cli_summary *summary, uint32_t scenario, sim_metric_id metric, cli_table *table)
{
    const double sign = (double)sim_metric_at(metric)->better;
    const uint32_t policies = summary->plan->policy_count;
    double best = 0;
    double worst = 0;
    uint32_t known = 0;
    for (uint32_t p = 0; p < policies; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        if (value.is_null)
            continue;
        const double merit = sign * value.value;
        best = known == 0 || merit > best ? merit : best;
        worst = known == 0 || merit < worst ? merit : worst;
        known++;
    }
    for (uint32_t p = 0; known > 1 && best > worst && p < policies; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        if (!value.is_null && sign * value.value >= best)
            cli_table_mark(table, table->row_count - 1, 2 + p, CLI_MARK_GOOD);
    }
}

static bool add_row(const cli_summary *summary, uint32_t scenario, sim_metric_id metric, const char **cells,
                    char (*text)[CLI_VALUE_SIZE], cli_table *table)
{
    const cli_unit unit = cli_unit_of_row(summary, scenario, metric);
    cells[0] = sim_metric_at(metric)->name;
    cells[1] = unit.name;
    for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
        const sim_metric_value value = sim_outcome_estimate(summary->outcome, scenario, p, 0, metric);
        cli_format_value(&value, unit, text[p]);
        cells[2 + p] = text[p];
    }
    if (!cli_table_add(table, cells))
        return false;
    highlight_best(summary, scenario, metric, table);
    return true;
}

bool cli_print_values(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out)
{
    const uint32_t policies = summary->plan->policy_count;
    cli_column *columns = calloc(2 + (size_t)policies, sizeof *columns);
    const char **cells = calloc(2 + (size_t)policies, sizeof *cells);
    char(*text)[CLI_VALUE_SIZE] = calloc(policies, sizeof *text);
    cli_table table = {0};
    bool ok = columns != NULL && cells != NULL && text != NULL;
    if (ok) {
        columns[0] = (cli_column){"metric", false};
        columns[1] = (cli_column){"unit", false};
        for (uint32_t p = 0; p < policies; p++)
            columns[2 + p] = (cli_column){summary->plan->policy[p]->name, true};
        cli_table_init(&table, columns, 2 + policies);
    }
    for (size_t i = 0; ok && i < summary->rows[scenario].count; i++)
        ok = add_row(summary, scenario, summary->rows[scenario].metric[i], cells, text, &table);
    if (ok)
        cli_table_print(&table, format, out);
    cli_table_deinit(&table);
    free(columns);
    free(cells);
    free(text);
    return ok;
}
