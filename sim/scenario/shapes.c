/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values over time: every shape of a file becomes the points of a step or a ramp, so that fates, quiet windows and the
 * ground truth know two shapes only.
 *
 * stair      n + 1 points of a step: after k of n equal parts of the time, k of n parts of the way, rounded down.
 * square     points of a step, two a period, as long as the fault and the run last; while operations drain after the
 *            run's end the value stays.
 * decay      points of a ramp, 32 a half-life: what is left of the way is the exact power of two there, rounded down;
 *            between two points the line is above the curve by at most 0.006 % of what is left. It is over where
 *            less than one part in 10^9 (10^6, one ns) is left.
 * piecewise  points of a ramp; where one piece ends and the next begins there are two, and the value jumps.
 * markov     stays what it is: which times it is drawn is each replication's luck (world/drawn.c). */
#include <inttypes.h>

#include "engine/wide.h"
#include "scenario/load.h"
#include "scenario/logs.h"

enum { PARTS_PER_HALF_LIFE = 32, POINTS_MAX = 100000 };

static void *point_array(sim_resolver *self, size_t count)
{
    return sim_arena_array(self->decoder->arena, count, sizeof(sim_point));
}

static sim_shape from_items(sim_resolver *self, sim_shape_type type, const sim_raw_items *items)
{
    sim_point *point = point_array(self, items->count);
    for (uint32_t i = 0; i < items->count; i++)
        point[i] = (sim_point){items->item[i].key, items->item[i].value};
    return (sim_shape){type, items->count, point};
}

static sim_shape from_constant(sim_resolver *self, int64_t value)
{
    sim_point *point = point_array(self, 1);
    point->value = value;
    return (sim_shape){SIM_SHAPE_STEP, 1, point};
}

/* `whole` * part / parts, rounded down also below zero. */
static int64_t part_of(int64_t whole, int64_t part, int64_t parts)
{
    const sim_i128 product = (sim_i128)whole * part;
    return (int64_t)(product / parts) - (product % parts < 0 ? 1 : 0);
}

static sim_shape from_stair(sim_resolver *self, const sim_raw_stair *raw)
{
    sim_point *point = point_array(self, (size_t)raw->steps + 1);
    for (int64_t k = 0; k <= raw->steps; k++)
        point[k] =
            (sim_point){part_of(raw->over, k, raw->steps), raw->from + part_of(raw->to - raw->from, k, raw->steps)};
    return (sim_shape){SIM_SHAPE_STEP, (uint32_t)raw->steps + 1, point};
}

/* `life`: how long the wave is to go on. */
static bool from_square(sim_resolver *self, const char *path, const sim_raw_square *raw, int64_t life, sim_shape *out)
{
    const int64_t high = part_of(raw->period, raw->duty, SIM_SHARE_ONE);
    const int64_t periods = life / raw->period + (life % raw->period != 0);
    if (high == 0)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "duty"),
                                "the first part of a period is shorter than a nanosecond; expected a larger share");
    if (periods > POINTS_MAX / 2)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "period"),
                                "%" PRId64 " periods until the fault or the run ends; expected at most %d", periods,
                                POINTS_MAX / 2);
    sim_point *point = point_array(self, 2 * (size_t)periods + 1);
    uint32_t count = 0;
    point[count++] = (sim_point){0, raw->high};
    for (int64_t k = 0; k < periods; k++) {
        const int64_t start = k * raw->period;
        if (start > 0)
            point[count++] = (sim_point){start, raw->high};
        if (start + high < life)
            point[count++] = (sim_point){start + high, raw->low};
    }
    *out = (sim_shape){SIM_SHAPE_STEP, count, point};
    return true;
}

static int64_t left_after(int64_t way, int64_t parts)
{
    const uint64_t power = sim_power_down((uint64_t)parts << (SIM_LOG_BITS - 5)); /* 32 = 2^5 parts */
    return (int64_t)(((sim_u128)(uint64_t)way * power) >> SIM_POWER_BITS);
}

static sim_shape from_decay(sim_resolver *self, const sim_raw_decay *raw)
{
    const int64_t way = raw->from > raw->to ? raw->from - raw->to : raw->to - raw->from;
    const int64_t sign = raw->from > raw->to ? 1 : -1;
    int64_t parts = 0;
    while (left_after(way, parts) > 0)
        parts++;
    sim_point *point = point_array(self, (size_t)parts + 1);
    for (int64_t k = 0; k <= parts; k++)
        point[k] = (sim_point){part_of(raw->half_life, k, PARTS_PER_HALF_LIFE), raw->to + sign * left_after(way, k)};
    return (sim_shape){SIM_SHAPE_RAMP, (uint32_t)parts + 1, point};
}

static sim_shape from_pieces(sim_resolver *self, const sim_raw_items *items)
{
    sim_point *point = point_array(self, 2 * (size_t)items->count);
    int64_t at = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        const sim_raw_piece *piece = items->item[i].record;
        point[2 * i] = (sim_point){at, piece->value};
        at = rgn_time_add(at, piece->length);
        point[2 * i + 1] = (sim_point){at, piece->to != SIM_ABSENT ? piece->to : piece->value};
    }
    return (sim_shape){SIM_SHAPE_RAMP, 2 * items->count, point};
}

/* About as many times are drawn as fit into the life. */
static bool from_markov(sim_resolver *self, const char *path, const sim_raw_markov *raw, int64_t life, sim_shape *out)
{
    const int64_t cycles = life / (raw->mean_high + raw->mean_low);
    if (cycles > POINTS_MAX / 2)
        return sim_resolve_fail(self, path, raw->node,
                                "about %" PRId64 " times to and fro until the fault or the run ends; expected longer "
                                "times, for at most %d",
                                cycles, POINTS_MAX / 2);
    sim_point *point = point_array(self, 2);
    point[0] = (sim_point){raw->mean_high, raw->high};
    point[1] = (sim_point){raw->mean_low, raw->low};
    *out = (sim_shape){SIM_SHAPE_MARKOV, 2, point};
    return true;
}

bool sim_resolve_shape(sim_resolver *self, const char *path, const sim_raw_shape *raw, int64_t life, sim_shape *out)
{
    switch (raw->choice.which) {
    case SIM_RAW_SHAPE_CONSTANT:
        *out = from_constant(self, raw->constant);
        break;
    case SIM_RAW_SHAPE_STEP:
        *out = from_items(self, SIM_SHAPE_STEP, &raw->step);
        break;
    case SIM_RAW_SHAPE_RAMP:
        *out = from_items(self, SIM_SHAPE_RAMP, &raw->ramp);
        break;
    case SIM_RAW_SHAPE_STAIR:
        *out = from_stair(self, &raw->stair);
        break;
    case SIM_RAW_SHAPE_SQUARE:
        return from_square(self, path, &raw->square, life, out);
    case SIM_RAW_SHAPE_DECAY:
        *out = from_decay(self, &raw->decay);
        break;
    case SIM_RAW_SHAPE_PIECEWISE:
        *out = from_pieces(self, &raw->piecewise);
        break;
    case SIM_RAW_SHAPE_MARKOV:
        return from_markov(self, path, &raw->markov, life, out);
    default:
        break;
    }
    return true;
}
