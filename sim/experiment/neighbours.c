/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/neighbours.h"

enum { QUARTER = 2 /* halvings */ };

bool sim_neighbour(uint64_t size, bool is_word, uint32_t halvings, bool is_up, uint64_t *place)
{
    const uint64_t before = *place;
    const uint64_t last = size - 1;
    if (is_word) {
        *place = is_up ? (before + 1) % size : (before + last) % size;
        return *place != before;
    }
    uint64_t step = halvings + QUARTER < 64 ? size >> (halvings + QUARTER) : 0;
    step = step > 0 ? step : 1;
    if (is_up)
        *place = last - before < step ? last : before + step;
    else
        *place = before < step ? 0 : before - step;
    return *place != before;
}
