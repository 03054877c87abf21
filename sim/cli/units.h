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

/* "12.3", "> 12.3" where the value is only known to be more, "–" where there is none. */
void cli_format_value(const sim_metric_value *value, cli_unit unit, char out[CLI_VALUE_SIZE]);

/* The same and the unit that suits this one value, or `noun` in the unit's place. */
void cli_format_with_unit(const sim_metric_definition *definition, const sim_metric_value *value, const char *noun,
                          char out[CLI_VALUE_SIZE]);

#endif
