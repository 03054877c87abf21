/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds any bytes to the YAML decoders: they must load them or give one error, and never crash, leak or read outside.
 */
#include "fuzz/replay.h"
#include "scenario/scenario.h"

static void must_explain(const sim_input_error *error)
{
    if (error->message[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    sim_input_error error;
    sim_scenario *scenario = sim_scenario_parse("fuzz/scenario.yaml", text, size, NULL, 0, &error);
    if (scenario == NULL)
        must_explain(&error);
    sim_scenario_destroy(scenario);
    sim_policy *policy = sim_policy_parse("fuzz/policy.yaml", text, size, NULL, 0, &error);
    if (policy == NULL)
        must_explain(&error);
    sim_policy_destroy(policy);
    return 0;
}
