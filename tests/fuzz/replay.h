/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fuzz target shares: its entry point, and a main() that replays files where libFuzzer brings none.
 *
 * With libFuzzer:  clang -fsanitize=fuzzer,address,undefined -DWITH_LIBFUZZER, as run.sh does.
 * Without:         fuzz_NAME FILE... */
#ifndef TEST_FUZZ_REPLAY_H
#define TEST_FUZZ_REPLAY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        (void)LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    printf("%d files replayed\n", argc - 1);
    return EXIT_SUCCESS;
}
#endif

#endif
