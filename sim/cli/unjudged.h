/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations about policies that a run does not hold. That is normal where only some of a scenario's policies were
 * asked for; but a name that no policy near the scenario has is misspelt. */
#ifndef SIM_CLI_UNJUDGED_H
#define SIM_CLI_UNJUDGED_H

#include <stdbool.h>

#include "scenario/scenario.h"

typedef struct {
    const char *policy; /* as the scenario names it */
    uint32_t count;     /* its expectations */
    bool is_known;      /* a policy file near the scenario or the current folder has that name */
    char nearest[64];   /* where it is not known: the most similar name; "" if there is none */
} cli_unjudged;

/* One for each such policy, in the scenario's order. The caller frees `*list`. False: no memory. */
bool cli_unjudged_find(const sim_scenario *scenario, const sim_policy *const *policy, uint32_t policy_count,
                       cli_unjudged **list, size_t *count);

/* "warning: ..." for each that is not known, one a line. */
void cli_unjudged_warn(const sim_scenario *scenario, const cli_unjudged *list, size_t count, FILE *out);

/* The same as the text after "not judged": "2 expectations of a: no policy of that name in this run". */
void cli_unjudged_explain(const cli_unjudged *one, FILE *out);

#endif
