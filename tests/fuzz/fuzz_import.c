/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds any bytes to the readers of an account's tables: each must give a table that keeps its promises, or one error.
 */
#include <math.h>

#include "fuzz/replay.h"
#include "import/curves.h"
#include "import/distances.h"
#include "import/levels.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_series(sim_arena *arena, const imp_series *series)
{
    imp_levels levels;
    require(series->periods >= 2 && series->region_count >= 1);
    imp_levels_find(arena, series, &levels);
    for (uint32_t r = 0; r < series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            const imp_line *line = &levels.line[r][k];
            require(!line->is_there || (line->count >= 1 && line->level[0].from == 0));
            for (uint32_t i = 0; i < line->count; i++) {
                double share = 0;
                for (uint32_t s = 0; s < series->status_count; s++)
                    share += line->level[i].share[s];
                require(share >= 0 && share < 1 + 1e-6 && line->level[i].p50 >= 0 && isfinite(line->level[i].p99));
                require(i == 0 || line->level[i].from > line->level[i - 1].from);
            }
        }
    }
}

static void check_curves(const imp_curve curve[SIM_KINDS])
{
    for (int k = 0; k < SIM_KINDS; k++) {
        for (uint32_t i = 1; curve[k].path != NULL && i < curve[k].count; i++)
            require(curve[k].point[i].share > curve[k].point[i - 1].share && curve[k].point[i].share < 1 &&
                    curve[k].point[i].ns >= curve[k].point[i - 1].ns);
    }
}

/* The reader of one kind of table, whatever the header says. */
static bool read_as(int kind, imp_csv *csv)
{
    imp_series series;
    imp_distances distances;
    imp_curve curve[SIM_KINDS] = {0};
    switch (kind) {
    case 0:
        if (!imp_series_read(csv, SIM_CATALOGUE_NONE, "ms", &series))
            return false;
        check_series(csv->arena, &series);
        return true;
    case 1:
        return imp_distances_read(csv, "ms", &distances);
    case 2:
        if (!imp_percentiles_read(csv, "ms", curve))
            return false;
        break;
    default:
        if (!imp_histogram_read(csv, "ms", curve))
            return false;
        break;
    }
    check_curves(curve);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = 0; kind < 4; kind++) {
        sim_input_error error = {0};
        imp_csv csv;
        sim_arena *arena = sim_arena_create();
        const char *text = sim_arena_copy(arena, (const char *)data, size);
        if (!imp_csv_open(&csv, arena, "fuzz/table.csv", text, size, &error) || !read_as(kind, &csv))
            require(error.message[0] != '\0' && error.line >= 1);
        sim_arena_destroy(arena);
    }
    return 0;
}
