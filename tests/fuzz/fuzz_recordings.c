/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds any bytes to the reader of recorded arrivals: it must load them, in order, or give one error. */
#include "fuzz/replay.h"
#include "scenario/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sim_input_error error = {0};
    sim_recording recording = {0};
    sim_arena *arena = sim_arena_create();
    if (sim_recording_parse(arena, "fuzz/arrivals.csv", (const char *)data, size, &recording, &error)) {
        for (uint32_t i = 1; i < recording.count; i++) {
            if (recording.at[i] < recording.at[i - 1])
                abort();
        }
    } else if (error.message[0] == '\0') {
        abort();
    }
    sim_arena_destroy(arena);
    return 0;
}
