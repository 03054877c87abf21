/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step along an axis of a search. */
#ifndef SIM_NEIGHBOURS_H
#define SIM_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

/* Moves `*place` on an axis of `size` values: up or down by a quarter of them, halved so many times, at least by one,
 * and no further than the end; on an axis of words to the next or previous one, round the end. False: that is where it
 * was. */
bool sim_neighbour(uint64_t size, bool is_word, uint32_t halvings, bool is_up, uint64_t *place);

#endif
