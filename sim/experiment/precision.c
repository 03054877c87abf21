/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How narrow an interval is, and what it takes to make it narrower. */
#include <math.h>

#include "experiment/compare.h"

/* Half of the interval over what it should be; 0: nothing is known. */
static double excess(const sim_comparison *comparison)
{
    const double half = (comparison->interval.high - comparison->interval.low) / 2;
    const double tenth = fabs(comparison->difference) / 10;
    const double aim = comparison->margin > tenth ? comparison->margin : tenth;
    return comparison->method == SIM_BY_NOTHING || half <= 0 ? 0 : aim > 0 ? half / aim : HUGE_VAL;
}

bool sim_comparison_is_precise(const sim_comparison *comparison)
{
    if (comparison->verdict == SIM_COMPARED_EQUAL)
        return true;
    return comparison->method != SIM_BY_NOTHING && excess(comparison) <= 1;
}

uint32_t sim_replications_needed(const sim_comparison *comparison, uint32_t now)
{
    const double factor = excess(comparison);
    if (factor <= 1)
        return now;
    const double needed = now * factor * factor + 1;
    return needed < UINT32_MAX ? (uint32_t)needed : UINT32_MAX;
}
