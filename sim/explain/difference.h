/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two runs part. */
#ifndef SIM_EXPLAIN_DIFFERENCE_H
#define SIM_EXPLAIN_DIFFERENCE_H

#include "explain/stored.h"

/* Finds the first record in which they differ, by their stored checkpoints and then record by record, and prints what
 * both did and why, in words or as JSON. An exit status, after a complaint if it is not CLI_OK. */
int exp_first_difference(const exp_stored *left, const exp_stored *right, bool is_json);

#endif
