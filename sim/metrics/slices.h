/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slices of the time line, which hold operations until they are counted for good, and those of them in hand. */
#ifndef SIM_METRICS_SLICES_H
#define SIM_METRICS_SLICES_H

#include "metrics/internal.h"

bool simi_slices_prepare(sim_metrics *m); /* false: no memory */
/* Moves what the slice holds to its phase, interval and sample. */
void simi_slice_fold(sim_metrics *m, const simi_slice *slice);
/* Closes the slices of which no operation can end at `now` or later. */
void simi_slices_close(sim_metrics *m, int64_t now);
void simi_slices_close_all(sim_metrics *m);
/* Takes the stretch of operations that start then in hand; NULL: no memory for what it records. */
const simi_hand *simi_hand_take(sim_metrics *m, int64_t start);

static inline bool simi_is_in_hand(const simi_hand *hand, int64_t start)
{
    return (uint64_t)(start - hand->from) < hand->length;
}

/* The stretch of operations that start then. Around an edge they come from both sides of it. */
static inline const simi_hand *simi_hand_of(sim_metrics *m, int64_t start)
{
    const simi_hand *last = &m->hand[m->last_hand];
    const simi_hand *other = &m->hand[m->last_hand ^ 1];
    return simi_is_in_hand(last, start) ? last : simi_is_in_hand(other, start) ? other : simi_hand_take(m, start);
}

#endif
