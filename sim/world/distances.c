/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The round trips one scenario needs: from each client group's home to each region of the account. */
#include "world/internal.h"
#include "world/round_trip_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static bool list_homes(sim_distances *self, const sim_scenario *scenario)
{
    self->home = malloc(((size_t)scenario->group_count + 1) * sizeof *self->home);
    if (self->home == NULL)
        return false;
    for (uint32_t g = 0; g < scenario->group_count; g++)
        self->home[g] = scenario->group[g].home;
    qsort(self->home, scenario->group_count, sizeof *self->home, by_number);
    for (uint32_t g = 0; g < scenario->group_count; g++)
        if (self->home_count == 0 || self->home[g] != self->home[self->home_count - 1])
            self->home[self->home_count++] = self->home[g];
    return true;
}

/* Adds one line to the notes. */
__attribute__((format(printf, 2, 3))) static bool add_note(sim_distances *self, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t length = strlen(self->notes);
    char *grown = realloc(self->notes, length + strlen(line) + 2);
    if (grown == NULL)
        return false;
    sprintf(grown + length, "%s\n", line);
    self->notes = grown;
    return true;
}

/* What a closed loop does to comparisons must not be overlooked. */
static bool note_closed_loops(sim_distances *self, const sim_scenario *scenario)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workload[w].arrivals == SIM_ARRIVALS_CLOSED &&
            !add_note(self,
                      "workload %s is a closed loop: its load falls as latency rises, other under each policy, so runs "
                      "are only weakly paired",
                      scenario->workload[w].name))
            return false;
    return true;
}

static bool needs_table(const sim_distances *self, const sim_scenario *scenario)
{
    for (uint32_t h = 0; h < self->home_count; h++)
        for (uint32_t r = 0; r < scenario->region_count; r++)
            if (self->home[h] != scenario->region[r])
                return true;
    return false;
}

/* One pair of different regions: the median, else the p95 with a note. */
static bool look_up(sim_distances *self, const sim_scenario *scenario, const sim_round_trip_table *table, uint16_t from,
                    uint16_t to, int64_t *ns, sim_input_error *error)
{
    const sim_round_trip *pair = &table->pair[(size_t)from * table->regions + to];
    const char *src = sim_catalogue_name(from);
    const char *dst = sim_catalogue_name(to);
    if (pair->line != 0 && pair->p50 != SIM_ROUND_TRIP_NONE) {
        *ns = pair->p50;
        return true;
    }
    if (pair->line != 0 && pair->p95 != SIM_ROUND_TRIP_NONE) {
        *ns = pair->p95;
        return add_note(self, "%s -> %s: no median published, the p95 is used", src, dst) ||
               sim_world_refuse(error, scenario->path, 0, 0, "out of memory");
    }
    return sim_world_refuse(error, scenario->path, 0, 0,
                            "scenario '%s' needs a round trip %s -> %s, and %s has none; expected a line '%s,%s,...' "
                            "there with a median or a p95",
                            scenario->name, src, dst, table->path, src, dst);
}

static bool fill(sim_distances *self, const sim_scenario *scenario, const sim_round_trip_table *table,
                 sim_input_error *error)
{
    for (uint32_t h = 0; h < self->home_count; h++)
        for (uint32_t r = 0; r < scenario->region_count; r++) {
            int64_t *ns = &self->round_trip[(size_t)h * scenario->region_count + r];
            if (self->home[h] == scenario->region[r])
                *ns = scenario->local_round_trip;
            else if (!look_up(self, scenario, table, self->home[h], scenario->region[r], ns, error))
                return false;
        }
    return true;
}

bool sim_distances_init(sim_distances *distances, const sim_scenario *scenario, sim_input_error *error)
{
    *distances = (sim_distances){.notes = calloc(1, 1)};
    sim_round_trip_table table = {0};
    bool is_ok = distances->notes != NULL && note_closed_loops(distances, scenario) && list_homes(distances, scenario);
    if (is_ok) {
        const size_t cells = (size_t)distances->home_count * scenario->region_count;
        distances->round_trip = calloc(cells + 1, sizeof *distances->round_trip);
        is_ok = distances->round_trip != NULL;
    }
    if (!is_ok)
        return sim_world_refuse(error, scenario->path, 0, 0, "out of memory");
    if (needs_table(distances, scenario))
        is_ok = sim_round_trip_table_load(&table, scenario->path, scenario->round_trip_table, error);
    is_ok = is_ok && fill(distances, scenario, &table, error);
    sim_round_trip_table_deinit(&table);
    return is_ok;
}

void sim_distances_deinit(sim_distances *distances)
{
    free(distances->home);
    free(distances->round_trip);
    free(distances->notes);
    *distances = (sim_distances){0};
}
