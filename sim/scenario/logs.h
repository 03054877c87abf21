/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logarithms and powers of two in integers, so that every machine gets the same tables. */
#ifndef SIM_LOGS_H
#define SIM_LOGS_H

#include <stdint.h>

enum { SIM_LOG_BITS = 31, SIM_POWER_BITS = 62 };

/* log2(numerator / denominator) in units of 2^-31, rounded down; numerator >= denominator > 0. */
int64_t sim_log2_ratio(int64_t numerator, int64_t denominator);

/* 2^-x in units of 2^-62; x >= 0 in units of 2^-31. Off by less than 32 units. */
uint64_t sim_power_down(uint64_t x);

#endif
