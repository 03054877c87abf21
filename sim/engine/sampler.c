/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sampler.h"

#include <assert.h>
#include <math.h>

#include "engine/gsl_inverse.h"

enum {
    TAIL_WORD_BITS = 64 - SIM_TAIL_BITS,               /* a tail coordinate: the word's distance from its end */
    TAIL_LAST_BIT = TAIL_WORD_BITS - SIM_TAIL_OCTAVES, /* below 2^this the tables hold nothing finer */
};

/* Nearest ns, cut to the tables' range. */
static uint64_t to_ns(double value)
{
    if (value >= (double)SIM_SAMPLER_MAX)
        return SIM_SAMPLER_MAX;
    return (uint64_t)(value + 0.5);
}

static uint64_t quantile(const sim_dist *dist, double tail, bool is_upper)
{
    if (dist->type == SIM_DIST_CONSTANT)
        return (uint64_t)dist->a; /* exact above 2^53 too */
    return to_ns(sim_gsl_quantile(dist, tail, is_upper));
}

/* Point j of a tail: octave e = (j - 1) / 64 holds the probabilities 2^-(7 + e) * (1 + k / 64), k falling with j. */
static double tail_probability(int j)
{
    if (j == 0)
        return ldexp(1.0, -SIM_TAIL_BITS);
    const int octave = (j - 1) / SIM_TAIL_SUBS;
    const int k = SIM_TAIL_SUBS - 1 - (j - 1) % SIM_TAIL_SUBS;
    return ldexp(1.0 + (double)k / SIM_TAIL_SUBS, -1 - octave - SIM_TAIL_BITS);
}

/* Next value of a table that may not fall: the inverse functions are exact to some 1e-10 only, so neighbours closer
 * than that could come out swapped by a nanosecond. */
static void climb(uint64_t *value, uint64_t *lowest)
{
    if (*value < *lowest)
        *value = *lowest;
    *lowest = *value;
}

static void make_monotone(sim_sampler *sampler)
{
    uint64_t lowest = 0;
    for (int j = SIM_TAIL_POINTS - 1; j >= 0; j--)
        climb(&sampler->tail[0][j], &lowest);
    sampler->bin[0] = sampler->tail[0][SIM_TAIL_POINTS - 1];
    uint64_t outer = sampler->bin[0];
    for (int i = 1; i < SIM_TAIL_EDGE; i++)
        climb(&sampler->bin[i], &outer);
    for (int i = SIM_TAIL_EDGE; i < SIM_QUANTILE_BINS; i++)
        climb(&sampler->bin[i], &lowest);
    lowest = sampler->bin[SIM_QUANTILE_BINS - SIM_TAIL_EDGE];
    for (int j = 0; j < SIM_TAIL_POINTS; j++)
        climb(&sampler->tail[1][j], &lowest);
    sampler->bin[SIM_QUANTILE_BINS] = sampler->tail[1][SIM_TAIL_POINTS - 1];
}

/* What the draw relies on: no difference below zero, and no step where the tables meet. */
static void check(const sim_sampler *sampler)
{
    for (int i = SIM_TAIL_EDGE; i < SIM_QUANTILE_BINS - SIM_TAIL_EDGE; i++)
        assert(sampler->bin[i] <= sampler->bin[i + 1]);
    for (int j = 1; j < SIM_TAIL_POINTS; j++) {
        assert(sampler->tail[0][j] <= sampler->tail[0][j - 1]);
        assert(sampler->tail[1][j] >= sampler->tail[1][j - 1]);
    }
    assert(sampler->tail[0][0] == sampler->bin[SIM_TAIL_EDGE]);
    assert(sampler->tail[1][0] == sampler->bin[SIM_QUANTILE_BINS - SIM_TAIL_EDGE]);
}

static void copy_near_bins(sim_sampler *sampler)
{
    uint32_t i = SIM_TAIL_EDGE;
    for (; i <= SIM_QUANTILE_BINS - SIM_TAIL_EDGE && sampler->bin[i] <= UINT32_MAX; i++)
        sampler->near[i] = (uint32_t)sampler->bin[i];
    sampler->near_bins = i > SIM_TAIL_EDGE ? i - SIM_TAIL_EDGE - 1 : 0;
}

void sim_sampler_build(sim_sampler *sampler, const sim_dist *dist)
{
    assert(dist->a >= 0);
    for (int i = 1; i < SIM_QUANTILE_BINS; i++) {
        const bool is_upper = i > SIM_QUANTILE_BINS / 2;
        const int bins = is_upper ? SIM_QUANTILE_BINS - i : i;
        sampler->bin[i] = quantile(dist, (double)bins / SIM_QUANTILE_BINS, is_upper);
    }
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < SIM_TAIL_POINTS; j++)
            sampler->tail[side][j] = quantile(dist, tail_probability(j), side == 1);
    make_monotone(sampler);
    copy_near_bins(sampler);
    check(sampler);
}

/* Which side it is nobody can foresee, so that nothing branches on it. */
static uint64_t draw_tail(const sim_sampler *sampler, uint64_t word)
{
    const uint64_t side = word >> 63;
    const uint64_t upper = 0 - side; /* all ones on the upper side: changes signs there */
    const uint64_t least = UINT64_C(1) << TAIL_LAST_BIT;
    const uint64_t distance = word ^ upper;
    const uint64_t v = distance < least ? least : distance;
    assert(v >> TAIL_WORD_BITS == 0);

    const unsigned octave = (unsigned)__builtin_clzll(v) - SIM_TAIL_BITS;
    const uint64_t mantissa = v << (octave + SIM_TAIL_BITS + 1); /* the leading one is shifted out */
    const unsigned k = (unsigned)(mantissa >> (64 - SIM_TAIL_SUB_BITS));
    const uint64_t fraction = mantissa << SIM_TAIL_SUB_BITS;
    const uint64_t *point = &sampler->tail[side][octave * SIM_TAIL_SUBS + (SIM_TAIL_SUBS - 1 - k)];
    const uint64_t near = point[0]; /* at the sub-bin's end next to the middle */
    const uint64_t far = point[1];
    const uint64_t width = ((near - far) ^ upper) - upper;
    const uint64_t inward = sim_sampler_part(width, fraction);
    return far + ((inward ^ upper) - upper);
}

uint64_t sim_sampler_draw_rare(const sim_sampler *sampler, uint64_t word)
{
    const uint32_t i = (uint32_t)(word >> (64 - SIM_QUANTILE_BITS));
    if (i < SIM_TAIL_EDGE || i >= SIM_QUANTILE_BINS - SIM_TAIL_EDGE)
        return draw_tail(sampler, word);
    return sampler->bin[i] + sim_sampler_part(sampler->bin[i + 1] - sampler->bin[i], word << SIM_QUANTILE_BITS);
}
