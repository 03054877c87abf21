/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/units.h"

#include <math.h>
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
    else if (value->value >= 0 && value->value <= 0) /* exactly none, and not a little */
        (void)snprintf(out, CLI_VALUE_SIZE, "%s0", value->is_censored ? "> " : "");
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

/* "ratio" is no word to put behind a number; one of something is said in the singular. */
static void put_unit(const sim_metric_definition *definition, const char *name, const char *number,
                     char out[CLI_VALUE_SIZE])
{
    const size_t length = strlen(name);
    const bool is_count = strcmp(name, definition->unit) == 0;
    if (strcmp(name, "ratio") == 0)
        (void)snprintf(out, CLI_VALUE_SIZE, "%s", number);
    else if (is_count && strcmp(number, "1") == 0 && length > 3 && strcmp(name + length - 3, "ies") == 0)
        (void)snprintf(out, CLI_VALUE_SIZE, "%s %.*sy", number, (int)length - 3, name);
    else if (is_count && strcmp(number, "1") == 0 && length > 1 && name[length - 1] == 's' && strcmp(name, "ns") != 0)
        (void)snprintf(out, CLI_VALUE_SIZE, "%s %.*s", number, (int)length - 1, name);
    else
        (void)snprintf(out, CLI_VALUE_SIZE, "%s %s", number, name);
}

void cli_format_limit(const sim_metric_definition *definition, double limit, char out[CLI_VALUE_SIZE])
{
    char number[CLI_VALUE_SIZE];
    if (strcmp(definition->unit, "ns") == 0) {
        sim_format_duration((int64_t)limit, out, CLI_VALUE_SIZE);
        return;
    }
    const cli_unit unit = cli_unit_for(definition, limit, true);
    (void)snprintf(number, sizeof number, "%.12g", limit * unit.factor);
    put_unit(definition, unit.name, number, out);
}

void cli_format_beside(const sim_metric_definition *definition, const sim_metric_value *value, double limit,
                       char out[CLI_VALUE_SIZE])
{
    enum { MORE_DECIMALS = 9 };
    const sim_metric_value exact = {.value = limit};
    const bool differs = value->value > limit || value->value < limit;
    const bool is_whole = value->value >= 0 && value->value < 1e15 && (double)(int64_t)value->value >= value->value;
    cli_unit unit = cli_unit_for(definition, value->value, is_whole);
    char number[CLI_VALUE_SIZE];
    char other[CLI_VALUE_SIZE];
    for (const int most = unit.decimals + MORE_DECIMALS;; unit.decimals++) {
        cli_format_value(value, unit, number);
        cli_format_value(&exact, unit, other);
        if (!differs || value->is_censored || unit.decimals == most || strcmp(number, other) != 0)
            break;
    }
    if (value->is_null && !value->is_censored)
        (void)snprintf(out, CLI_VALUE_SIZE, "%s", number);
    else
        put_unit(definition, unit.name, number, out);
}

/* Two digits of the interval's width, but not fewer decimals than the unit has, nor more than three in addition. */
static int decimals_for(cli_unit unit, double width)
{
    int decimals = unit.decimals;
    for (double scaled = width * unit.factor * pow(10, decimals); scaled > 0 && scaled < 10; scaled *= 10) {
        if (decimals == unit.decimals + 3)
            break;
        decimals++;
    }
    return decimals;
}

void cli_format_difference(double difference, cli_unit unit, double width, char out[CLI_VALUE_SIZE])
{
    const bool is_zero = difference <= 0 && difference >= 0;
    if (is_zero)
        (void)snprintf(out, CLI_VALUE_SIZE, "0");
    else
        (void)snprintf(out, CLI_VALUE_SIZE, "%+.*f", decimals_for(unit, width), difference * unit.factor);
}

void cli_format_interval(double low, double high, cli_unit unit, char out[CLI_VALUE_SIZE])
{
    const int decimals = decimals_for(unit, high - low);
    (void)snprintf(out, CLI_VALUE_SIZE, "%+.*f to %+.*f", decimals, low * unit.factor, decimals, high * unit.factor);
}

void cli_format_amount(const sim_metric_definition *definition, double value, double scale, double width,
                       char out[CLI_VALUE_SIZE])
{
    const cli_unit unit = cli_unit_for(definition, fabs(scale), false);
    if (strcmp(definition->unit, "ns") == 0 && fabs(scale) >= 60e9) {
        const long seconds = (long)floor(fabs(value) / 1e9 + 0.5);
        const char *sign = value < 0 ? "-" : "";
        if (seconds % 60 == 0)
            (void)snprintf(out, CLI_VALUE_SIZE, "%s%ld min", sign, seconds / 60);
        else
            (void)snprintf(out, CLI_VALUE_SIZE, "%s%ld min %ld s", sign, seconds / 60, seconds % 60);
        return;
    }
    const bool is_bare = strcmp(unit.name, definition->unit) == 0 && strcmp(unit.name, "ns") != 0;
    (void)snprintf(out, CLI_VALUE_SIZE, "%.*f%s%s", decimals_for(unit, width), value * unit.factor, is_bare ? "" : " ",
                   is_bare ? "" : unit.name);
}
