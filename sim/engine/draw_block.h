/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many draws at once: the words of sim_draw_words(), computed side by side in vector registers. */
#ifndef SIM_DRAW_BLOCK_H
#define SIM_DRAW_BLOCK_H

#include <stdbool.h>

#include "engine/random.h"

enum { SIM_DRAW_BLOCK = 64 };

/* Counters of a block of draws, and the words that answer them. */
typedef struct {
    uint64_t counter[2][SIM_DRAW_BLOCK];
    uint64_t word[2][SIM_DRAW_BLOCK];
} sim_draw_block;

/* Fills in all words: word[w][i] is word w of sim_draw_words(luck, purpose, counter[0][i], counter[1][i]). */
typedef void sim_draw_block_fill(const sim_luck *luck, sim_draw purpose, sim_draw_block *block);

/* One way of computing them. All give the same words: they differ in the width of the registers. */
typedef struct {
    const char *name;
    sim_draw_block_fill *fill;
    bool (*is_supported)(void); /* by this processor */
} sim_draw_way;

/* From the fastest to the one that every processor supports, which is the last. */
extern const sim_draw_way sim_draw_ways[];
extern const unsigned sim_draw_way_count;

/* The fastest that this processor supports. */
sim_draw_block_fill *sim_draw_block_fastest(void);

#endif
