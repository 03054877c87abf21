/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast loop where regions have limits. */
#define SIM_LOOP_OF_STATIONS
#include "engine/loop_fast.c"
