/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/logs.h"

#include "engine/wide.h"

/* Bit by bit: squaring a number doubles its logarithm. */
int64_t sim_log2_ratio(int64_t numerator, int64_t denominator)
{
    int64_t whole = 0;
    while (numerator / 2 >= denominator) {
        denominator *= 2;
        whole++;
    }
    /* x = numerator / denominator in [1, 2), with 31 fractional bits. */
    uint64_t x = (uint64_t)1 << SIM_LOG_BITS;
    uint64_t rest = (uint64_t)(numerator - denominator);
    for (int bit = SIM_LOG_BITS - 1; bit >= 0; bit--) {
        rest *= 2;
        if (rest >= (uint64_t)denominator) {
            rest -= (uint64_t)denominator;
            x |= (uint64_t)1 << bit;
        }
    }
    int64_t fraction = 0;
    for (int bit = 0; bit < SIM_LOG_BITS; bit++) {
        x = (x * x) >> SIM_LOG_BITS;
        fraction *= 2;
        if (x >= (uint64_t)2 << SIM_LOG_BITS) {
            x /= 2;
            fraction++;
        }
    }
    return whole * ((int64_t)1 << SIM_LOG_BITS) + fraction;
}

/* 2^-(2^-i) in units of 2^-62, to the nearest, for i = 1 to 31. */
static const uint64_t root[SIM_LOG_BITS] = {
    UINT64_C(3260954456333195553), UINT64_C(3877950241171266237), UINT64_C(4228934724888366668),
    UINT64_C(4416165660797809419), UINT64_C(4512867096753504463), UINT64_C(4562008997483360349),
    UINT64_C(4586780255215411731), UINT64_C(4599216278082138665), UINT64_C(4605446927862164404),
    UINT64_C(4608565417332308035), UINT64_C(4610125453837388245), UINT64_C(4610905670110601999),
    UINT64_C(4611295827762151833), UINT64_C(4611490918967884501), UINT64_C(4611588467665893036),
    UINT64_C(4611637242788701951), UINT64_C(4611661630543559956), UINT64_C(4611673824469352645),
    UINT64_C(4611679921444339948), UINT64_C(4611682969934856344), UINT64_C(4611684494180870228),
    UINT64_C(4611685256304066092), UINT64_C(4611685637365711255), UINT64_C(4611685827896545643),
    UINT64_C(4611685923161965790), UINT64_C(4611685970794676601), UINT64_C(4611685994611032191),
    UINT64_C(4611686006519210032), UINT64_C(4611686012473298964), UINT64_C(4611686015450343433),
    UINT64_C(4611686016938865668),
};

uint64_t sim_power_down(uint64_t x)
{
    const uint64_t whole = x >> SIM_LOG_BITS;
    uint64_t power = (uint64_t)1 << SIM_POWER_BITS;
    for (int i = 0; i < SIM_LOG_BITS; i++)
        if ((x >> (SIM_LOG_BITS - 1 - i) & 1) != 0)
            power = (uint64_t)(((sim_u128)power * root[i]) >> SIM_POWER_BITS);
    return whole < 64 ? power >> whole : 0;
}
