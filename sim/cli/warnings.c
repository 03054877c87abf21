/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/warnings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/notes.h"
#include "cli/unjudged.h"
#include "cli/wrap.h"

/* The warnings of one policy, one a line. The caller frees it. NULL: no memory. */
static char *warnings_of(const sim_store_plan *plan, uint32_t s, uint32_t p)
{
    const sim_scenario *scenario = plan->scenario[s];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const rgn_options *options = &plan->pair[s * plan->policy_count + p].workloads[w].values;
        const sim_traffic traffic = sim_traffic_of(scenario, &scenario->workload[w], options);
        cli_print_warnings(out, "", &scenario->workload[w], options, &traffic);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bool holds_line(const char *text, const char *line, size_t length)
{
    while (text != NULL && *text != '\0') {
        const size_t own = strcspn(text, "\n");
        if (own == length && strncmp(text, line, length) == 0)
            return true;
        text += own + (text[own] == '\n');
    }
    return false;
}

/* "warning: flagship under a, b: ...", unless an earlier policy has said it. */
static void print_line(const sim_store_plan *plan, uint32_t s, uint32_t p, char *const *text, const char *line,
                       size_t length, FILE *out)
{
    for (uint32_t k = 0; k < p; k++) {
        if (holds_line(text[k], line, length))
            return;
    }
    (void)fprintf(out, "warning: %s under %s", plan->scenario[s]->name, plan->policy[p]->name);
    for (uint32_t k = p + 1; k < plan->policy_count; k++) {
        if (holds_line(text[k], line, length))
            (void)fprintf(out, ", %s", plan->policy[k]->name);
    }
    (void)fprintf(out, ": %.*s\n", (int)length, line);
}

/* Expectations about policies that there are none of. */
static void warn_of_names(const sim_store_plan *plan, uint32_t s, FILE *out)
{
    cli_unjudged *list = NULL;
    size_t count = 0;
    if (cli_unjudged_find(plan->scenario[s], plan->policy, plan->policy_count, &list, &count))
        cli_unjudged_warn(plan->scenario[s], list, count, out);
    free(list);
}

static void put_warnings(const sim_store_plan *plan, FILE *out)
{
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        char prefix[256];
        char *text[CLI_POLICIES_MAX] = {NULL};
        (void)snprintf(prefix, sizeof prefix, "note: %s: ", plan->scenario[s]->name);
        cli_print_notes(out, prefix, plan->notes[s]);
        warn_of_names(plan, s, out);
        for (uint32_t p = 0; p < plan->policy_count; p++)
            text[p] = warnings_of(plan, s, p);
        for (uint32_t p = 0; p < plan->policy_count; p++) {
            for (const char *line = text[p]; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
                print_line(plan, s, p, text, line, strcspn(line, "\n"), out);
        }
        for (uint32_t p = 0; p < plan->policy_count; p++)
            free(text[p]);
    }
}

void cli_print_plan_warnings(const sim_store_plan *plan, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    if (all == NULL)
        return;
    put_warnings(plan, all);
    if (fclose(all) == 0)
        cli_put_message(out, text);
    free(text);
}
