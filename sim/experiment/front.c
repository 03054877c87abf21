/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/front.h"

#include <math.h>

bool sim_front_is_judged(const double *merit, size_t point, size_t objectives)
{
    bool ok = true;
    for (size_t o = 0; o < objectives; o++)
        ok = ok && !isnan(merit[point * objectives + o]);
    return ok;
}

static bool dominates(const double *one, const double *other, size_t objectives)
{
    bool is_better = false;
    for (size_t o = 0; o < objectives; o++) {
        if (one[o] < other[o])
            return false;
        is_better = is_better || one[o] > other[o];
    }
    return is_better;
}

void sim_front_find(const double *merit, size_t points, size_t objectives, bool *is_dominated)
{
    for (size_t p = 0; p < points; p++) {
        is_dominated[p] = false;
        if (!sim_front_is_judged(merit, p, objectives))
            continue;
        for (size_t q = 0; q < points && !is_dominated[p]; q++)
            is_dominated[p] = sim_front_is_judged(merit, q, objectives) &&
                              dominates(merit + q * objectives, merit + p * objectives, objectives);
    }
}
