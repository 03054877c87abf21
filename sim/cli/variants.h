/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policies and scenarios made from others, one for each point of a sweep: "success-rate#0007". */
#ifndef SIM_CLI_VARIANTS_H
#define SIM_CLI_VARIANTS_H

#include "cli/inputs.h"
#include "cli/vary.h"
#include "scenario/arena.h"

typedef struct {
    cli_inputs made;         /* what to run; of what is not varied, the files themselves */
    uint32_t *policy_base;   /* [policy]: number of the file */
    uint32_t *scenario_base; /* [scenario] */
    sim_store_sweep sweep;
    sim_arena *arena; /* of names and values */
} cli_variants;

/* Makes them from `base`, which is emptied of what is taken over as it is. False with `*error`, which names the --vary
 * that is wrong. Free with cli_variants_deinit() in any case. */
bool cli_variants_make(cli_variants *variants, cli_inputs *base, const cli_vary *vary, const cli_arguments *arguments,
                       sim_input_error *error);
void cli_variants_deinit(cli_variants *variants);

#endif
