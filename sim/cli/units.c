/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/units.h"

#include <string.h>

static cli_unit time_unit(double largest_ns)
{
    if (largest_ns < 1e3)
        return (cli_unit){"ns", 1, 0};
    if (largest_ns < 1e6)
        return (cli_unit){"µs", 1e-3, 1};
    if (largest_ns < 1e9)
        return (cli_unit){"ms", 1e-6, largest_ns < 100e6 ? 2 : 1};
    if (largest_ns < 600e9)
        return (cli_unit){"s", 1e-9, largest_ns < 60e9 ? 2 : 1};
    return (cli_unit){"min", 1e-9 / 60, 1};
}

cli_unit cli_unit_for(const sim_metric_definition *definition, double largest, bool is_whole)
{
    if (strcmp(definition->unit, "ns") == 0)
        return time_unit(largest);
    if (strcmp(definition->unit, "share") == 0)
        return (cli_unit){"%", 100, largest < 0.001 ? 5 : 3};
    if (strcmp(definition->unit, "pair-seconds") == 0)
        return largest < 7200 ? (cli_unit){"pair-s", 1, 1} : (cli_unit){"pair-h", 1.0 / 3600, 2};
    if (strcmp(definition->unit, "ratio") == 0)
        return (cli_unit){"ratio", 1, 4};
    return (cli_unit){definition->unit, 1, is_whole ? 0 : 1};
}

void cli_format_value(const sim_metric_value *value, cli_unit unit, char out[CLI_VALUE_SIZE])
{
    if (value->is_null && !value->is_censored)
        (void)snprintf(out, CLI_VALUE_SIZE, "–");
    else
        (void)snprintf(out, CLI_VALUE_SIZE, "%s%.*f", value->is_censored ? "> " : "", unit.decimals,
                       value->value * unit.factor);
}

void cli_format_with_unit(const sim_metric_definition *definition, const sim_metric_value *value, const char *noun,
                          char out[CLI_VALUE_SIZE])
{
    const bool is_whole = value->value >= 0 && value->value < 1e15 && (double)(int64_t)value->value >= value->value;
    const cli_unit unit = cli_unit_for(definition, value->value, is_whole);
    char number[CLI_VALUE_SIZE];
    cli_format_value(value, unit, number);
    if (value->is_null && !value->is_censored)
        noun = "";
    else if (noun == NULL)
        noun = unit.name;
    (void)snprintf(out, CLI_VALUE_SIZE, "%s%s%s", number, noun[0] == '\0' ? "" : " ", noun);
}
