/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency distributions as integer quantile tables: built once with GSL's inverse distribution functions, drawn with
 * one look-up and one interpolation, no floating point at run time.
 *
 * 4096 equal bins of the probability u; the outer 1/64 on each side is refined by 40 octaves of the tail probability,
 * each cut into 64 sub-bins. At u = 1/64 a bin is 1/64 of the tail probability wide, and so is a sub-bin: the error
 * of the straight line does not grow towards the tail, and p99.999 is as exact as p98. Beyond the last octave (tail
 * probability 2^-46) the value stays where it is. */
#ifndef SIM_SAMPLER_H
#define SIM_SAMPLER_H

#include <stdint.h>

#include "engine/wide.h"
#include "scenario/scenario.h"

enum {
    SIM_QUANTILE_BITS = 12,
    SIM_QUANTILE_BINS = 1 << SIM_QUANTILE_BITS,
    SIM_TAIL_BITS = 6, /* the tables' outer 2^-6 at each end is refined */
    SIM_TAIL_EDGE = SIM_QUANTILE_BINS >> SIM_TAIL_BITS,
    SIM_TAIL_OCTAVES = 40,
    SIM_TAIL_SUB_BITS = 6,
    SIM_TAIL_SUBS = 1 << SIM_TAIL_SUB_BITS,
    SIM_TAIL_POINTS = SIM_TAIL_OCTAVES * SIM_TAIL_SUBS + 1,
};

/* Quantiles above this many ns (73 years) are cut to it, so that sums of times cannot overflow. */
#define SIM_SAMPLER_MAX (UINT64_C(1) << 61)

typedef struct {
    /* From the low tail's edge on, `near_bins` bins end below 2^32 ns. Their ends lie in `near` too, half as long a
     * table, which leaves more of the first cache to all else. */
    uint32_t near_bins;
    uint32_t near[SIM_QUANTILE_BINS + 1];
    uint64_t bin[SIM_QUANTILE_BINS + 1]; /* ns at u = i / 4096; the two ends hold the ends of the tails */
    uint64_t tail[2][SIM_TAIL_POINTS];   /* 0 low, 1 high; falling tail probability, from 2^-6 to 2^-46 */
} sim_sampler;

/* Fills `sampler` from `dist`. Deterministic: same input, same table. The table never falls as u grows. */
void sim_sampler_build(sim_sampler *sampler, const sim_dist *dist);

/* The rare case: a word in the outer 1/64, or of a bin beyond 2^32 ns. */
uint64_t sim_sampler_draw_rare(const sim_sampler *sampler, uint64_t word);

/* `width` * `fraction` / 2^64, to the nearest ns: never above `width`, and exactly 0 if that is 0. */
static inline uint64_t sim_sampler_part(uint64_t width, uint64_t fraction)
{
    const sim_u128 product = (sim_u128)width * fraction;
    uint64_t low = (uint64_t)product;
    __asm__("" : "+r"(low)); /* a number of its own: compilers put the product into memory to split it */
    return (uint64_t)(product >> 64) + (low >> 63);
}

/* The quantile at u = word / 2^64, in ns. Never falls as the word grows. */
static inline uint64_t sim_sampler_draw(const sim_sampler *sampler, uint64_t word)
{
    const uint32_t i = (uint32_t)(word >> (64 - SIM_QUANTILE_BITS));
    if (__builtin_expect(i - (uint32_t)SIM_TAIL_EDGE < sampler->near_bins, 1)) {
        const uint64_t low = sampler->near[i];
        const uint64_t width = sampler->near[i + 1] - low;
        const uint64_t fraction = word << SIM_QUANTILE_BITS;
        return low + sim_sampler_part(width, fraction);
    }
    return sim_sampler_draw_rare(sampler, word);
}

#endif
