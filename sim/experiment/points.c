/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/points.h"

#include <gsl/gsl_qrng.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wide.h"

enum { SOBOL_BITS = 30 }; /* of a coordinate, in GSL */

size_t sim_points_grid_size(const sim_axis *axis, size_t axis_count)
{
    size_t size = 1;
    for (size_t a = 0; a < axis_count; a++) {
        if (axis[a].count > SIM_POINTS_MAX / size)
            return SIM_POINTS_MAX + 1;
        size *= (size_t)axis[a].count;
    }
    return size;
}

static bool make_room(sim_points *points, size_t axis_count, size_t count)
{
    *points = (sim_points){.axis_count = axis_count, .place = calloc(count * axis_count + 1, sizeof *points->place)};
    return points->place != NULL;
}

bool sim_points_grid(const sim_axis *axis, size_t axis_count, sim_points *points)
{
    const size_t count = sim_points_grid_size(axis, axis_count);
    if (!make_room(points, axis_count, count))
        return false;
    points->count = count;
    for (size_t p = 0; p < count; p++) {
        uint64_t rest = p;
        for (size_t a = axis_count; a-- > 0; rest /= axis[a].count)
            points->place[p * axis_count + a] = rest % axis[a].count;
    }
    return true;
}

/* Whether the point behind the last one is none of them. */
static bool is_new(const sim_points *points)
{
    const size_t bytes = points->axis_count * sizeof *points->place;
    const uint64_t *last = points->place + points->count * points->axis_count;
    for (size_t p = 0; p < points->count; p++) {
        if (memcmp(points->place + p * points->axis_count, last, bytes) == 0)
            return false;
    }
    return true;
}

bool sim_points_sobol(const sim_axis *axis, size_t axis_count, size_t count, sim_points *points)
{
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)axis_count);
    const bool ok = make_room(points, axis_count, count) && sequence != NULL;
    for (size_t p = 0; ok && p < count; p++) {
        double at[SIM_AXES_MAX];
        (void)gsl_qrng_get(sequence, at);
        for (size_t a = 0; a < axis_count; a++) {
            /* A coordinate is a whole number of 2^-30, so nothing is rounded here. */
            const sim_u128 share = (sim_u128)(at[a] * (double)(UINT64_C(1) << SOBOL_BITS));
            points->place[points->count * axis_count + a] = (uint64_t)(share * axis[a].count >> SOBOL_BITS);
        }
        points->count += is_new(points);
    }
    if (sequence != NULL)
        gsl_qrng_free(sequence);
    return ok;
}

void sim_points_deinit(sim_points *points)
{
    free(points->place);
    *points = (sim_points){0};
}
