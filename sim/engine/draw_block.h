/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many draws at once: the words of sim_draw_words(), computed side by side in vector registers. */
#ifndef SIM_DRAW_BLOCK_H
#define SIM_DRAW_BLOCK_H

#include <stdbool.h>

#include "engine/random.h"

enum { SIM_DRAW_BLOCK = 64 };

/* What a block of draws is for: counter w of the i-th is base[w] + offset[w][i]. */
typedef struct {
    uint64_t base[2];
    const uint64_t *offset[2];
} sim_draw_counters;

/* Offsets that count up from 0, and offsets that are all 0. */
extern const uint64_t sim_draw_one_by_one[SIM_DRAW_BLOCK];
extern const uint64_t sim_draw_all_alike[SIM_DRAW_BLOCK];

/* The answers: word[w][i] is word w of the i-th. */
typedef struct {
    uint64_t word[2][SIM_DRAW_BLOCK] __attribute__((aligned(64))); /* no wide store crosses a cache line */
} sim_draw_block;

static inline sim_words sim_draw_block_words(const sim_draw_block *block, uint32_t i)
{
    return (sim_words){{block->word[0][i], block->word[1][i]}};
}

/* Draws all words as sim_draw_words() does. */
typedef void sim_draw_block_fill(const sim_luck *luck, sim_draw purpose, const sim_draw_counters *counters,
                                 sim_draw_block *block);

/* mixed[i] is sim_mix64(first + i). */
typedef void sim_draw_block_mix(uint64_t first, uint64_t mixed[SIM_DRAW_BLOCK]);

/* picked[i] is `first` and one of the `count` numbers from 0 on that the upper half of word[i] picks. */
typedef void sim_draw_block_pick(const uint64_t word[SIM_DRAW_BLOCK], uint32_t count, uint64_t first,
                                 uint64_t picked[SIM_DRAW_BLOCK]);

/* One way of computing these. All give the same words: they differ in the width of the registers. */
typedef struct {
    const char *name;
    sim_draw_block_fill *fill;
    sim_draw_block_mix *mix;
    sim_draw_block_pick *pick;
    bool (*is_supported)(void); /* by this processor */
} sim_draw_way;

/* From the fastest to the one that every processor supports, which is the last. */
extern const sim_draw_way sim_draw_ways[];
extern const unsigned sim_draw_way_count;

/* The fastest that this processor supports. */
const sim_draw_way *sim_draw_block_fastest(void);

#endif
