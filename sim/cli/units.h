/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as people read them: ms, %, pair-hours. */
#ifndef SIM_CLI_UNITS_H
#define SIM_CLI_UNITS_H

#include "metrics/metrics.h"

typedef struct {
    const char *name;
    double factor;
    int decimals;
} cli_unit;

/* The unit that suits values up to `largest`; `is_whole`: all of them are whole numbers. */
cli_unit cli_unit_for(const sim_metric_definition *definition, double largest, bool is_whole);

enum { CLI_VALUE_SIZE = 64 };

/* "12.3", "0" for exactly none, "> 12.3" where the value is only known to be more, "–" where there is none. */
void cli_format_value(const sim_metric_value *value, cli_unit unit, char out[CLI_VALUE_SIZE]);

/* The same and the unit that suits this one value, or `noun` in the unit's place. */
void cli_format_with_unit(const sim_metric_definition *definition, const sim_metric_value *value, const char *noun,
                          char out[CLI_VALUE_SIZE]);

/* A limit as it may have been written, no digit lost: "50 ms", "99.99 %", "8 returns". */
void cli_format_limit(const sim_metric_definition *definition, double limit, char out[CLI_VALUE_SIZE]);

/* A value beside such a limit, with its own unit: as many more decimals as it takes to read differently where it is
 * different. */
void cli_format_beside(const sim_metric_definition *definition, const sim_metric_value *value, double limit,
                       char out[CLI_VALUE_SIZE]);

/* A signed difference and its interval in that unit, with as many decimals as the interval's width deserves. */
void cli_format_difference(double difference, cli_unit unit, double width, char out[CLI_VALUE_SIZE]);
void cli_format_interval(double low, double high, cli_unit unit, char out[CLI_VALUE_SIZE]);

/* A size as one says it, "3 min 6 s", "10.2 pair-h", "12": in the unit that suits `scale`, without one for counts, with
 * decimals as above. */
void cli_format_amount(const sim_metric_definition *definition, double value, double scale, double width,
                       char out[CLI_VALUE_SIZE]);

#endif
