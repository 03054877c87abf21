/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds any bytes to the decoders: they must load them or give one error, and never crash, leak or read outside.
 *
 * With libFuzzer:  clang -fsanitize=fuzzer,address -DWITH_LIBFUZZER ... and a folder of good files as corpus.
 * Without:         fuzz_scenario FILE... replays files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#ifndef WITH_LIBFUZZER
enum { INPUT_MAX = 1 << 21 };

int main(int argc, char **argv)
{
    uint8_t *data = malloc(INPUT_MAX);
    for (int i = 1; i < argc && data != NULL; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            perror(argv[i]);
            free(data);
            return EXIT_FAILURE;
        }
        const size_t size = fread(data, 1, INPUT_MAX, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    printf("%d files replayed\n", argc - 1);
    return EXIT_SUCCESS;
}
#endif
