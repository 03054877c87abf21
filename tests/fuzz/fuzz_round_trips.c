/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds any bytes to the reader of round-trip tables: it must load them or give one error that has a place. */
#include "fuzz/replay.h"
#include "world/round_trip_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sim_input_error error = {0};
    sim_round_trip_table table;
    if (!sim_round_trip_table_parse(&table, "fuzz/table.csv", (const char *)data, size, &error) &&
        (error.message[0] == '\0' || error.line < 1 || error.column < 1))
        abort();
    sim_round_trip_table_deinit(&table);
    return 0;
}
