/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small sample of a run's operations, each with its whole story: its attempts, how it was hedged, what it would have
 * logged.
 *
 * Sampled are the operations whose ordinal hashes lowest. The hash sees the ordinal alone, so every policy and every
 * replication samples the same operations, and a larger run samples as evenly as a small one. An operation whose hash
 * is below the bound when it starts is followed; a lower one that starts later may take its place. */
#ifndef SIM_STORIES_H
#define SIM_STORIES_H

#include "engine/engine.h"

enum { SIM_STORIES_MAX = 1000 };

/* NULL: no memory. */
sim_stories *sim_stories_create(void);
void sim_stories_destroy(sim_stories *stories);

static inline uint64_t sim_story_hash(uint64_t ordinal)
{
    return sim_mix64(ordinal + 1); /* a bijection: no two share a hash */
}

/* Only operations with a lower hash are of interest. */
uint64_t sim_stories_bound(const sim_stories *stories);

/* Such an operation starts: its place from now on, below SIM_STORIES_MAX. */
uint16_t sim_stories_begin(sim_stories *stories, uint64_t ordinal);

/* The story at `place`; NULL if it is no longer that operation's. */
sim_story *sim_stories_at(sim_stories *stories, uint16_t place, uint64_t ordinal);

/* An attempt was sent, or has ended one way or the other; `leg` says which of those that may be open. */
void sim_story_sent(sim_story *story, const sim_story_attempt *attempt);
void sim_story_leg_ended(sim_story *story, uint8_t leg, sim_story_end how, const rgn_response *response, int64_t now);

/* A call into the core returned `step`; see rgn_hedge_observe(). */
void sim_story_observe(sim_story *story, const rgn_router *router, const rgn_op *op, rgn_step step,
                       const rgn_response *response, int64_t now);

/* Hands the stories over, by intended start, then ordinal, and destroys the rest. The caller frees `story`. */
sim_story_set sim_stories_finish(sim_stories *stories);

#endif
