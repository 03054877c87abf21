/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 128-bit integers of gcc and clang, for products that 64 bits cannot hold. */
#ifndef SIM_WIDE_H
#define SIM_WIDE_H

__extension__ typedef unsigned __int128 sim_u128;
__extension__ typedef __int128 sim_i128;

#endif
