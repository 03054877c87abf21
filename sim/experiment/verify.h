/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same run twice: does it come to the same, in both event modes, to the last event? */
#ifndef SIM_EXPERIMENT_VERIFY_H
#define SIM_EXPERIMENT_VERIFY_H

#include "experiment/plan.h"

/* Plays the run again in the other mode and compares luck, behaviour at each checkpoint, metrics and histograms. Where
 * they differ, `finished` becomes a broken run whose `what` names the first event that is not the same. `on_progress`
 * as in sim_run_input. */
void sim_verify(const sim_experiment *experiment, sim_finished *finished,
                bool (*on_progress)(void *context, int64_t now), void *context);

/* The first event in which two runs of one scenario part, in words; where every event is the same, what else is not.
 * NULL with `*status` SIM_RUN_OK: nothing differs. The caller frees the text. */
char *sim_first_difference(const sim_run_input *first, const sim_run_input *second, const char *const name[2],
                           sim_run_status *status);

#endif
