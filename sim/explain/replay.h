/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playing a stored run again. */
#ifndef SIM_EXPLAIN_REPLAY_H
#define SIM_EXPLAIN_REPLAY_H

#include "explain/stored.h"

/* Plays the run from its beginning to its end, with everything told to `observer` and `recorder`. CLI_OK only if it
 * behaved as the database says, at every checkpoint; else an exit status after a complaint. With CLI_OK `*output` must
 * be freed with sim_run_output_deinit(); it may be NULL. */
int exp_replay(const exp_stored *run, const sim_observer *observer, const sim_recorder *recorder,
               sim_run_output *output);

/* An observer that hears nothing, to begin with. */
extern const sim_observer exp_deaf;

#endif
