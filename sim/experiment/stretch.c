/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/stretch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/wide.h"

enum { FIRST_ROOM = 4096 };

int64_t sim_checkpoint_time(const sim_scenario *scenario, int k)
{
    return (int64_t)((sim_i128)scenario->duration * (k + 1) / SIM_CHECKPOINTS);
}

sim_stretch sim_stretch_before(const sim_scenario *scenario, int k)
{
    return (sim_stretch){.from = k == 0 ? 0 : sim_checkpoint_time(scenario, k - 1),
                         .until = k == SIM_CHECKPOINTS ? RGN_TIME_NEVER : sim_checkpoint_time(scenario, k)};
}

void sim_stretch_deinit(sim_stretch *stretch)
{
    free(stretch->record);
    stretch->record = NULL;
}

static void on_record(void *context, const sim_record_words *record)
{
    sim_stretch *self = context;
    const int64_t at = (int64_t)record->word[0];
    if (at < self->from || at >= self->until || self->out_of_memory)
        return;
    if (self->count == self->room) {
        const size_t room = self->room == 0 ? FIRST_ROOM : 2 * self->room;
        sim_record_words *grown = realloc(self->record, room * sizeof *grown);
        self->out_of_memory = grown == NULL;
        if (grown == NULL)
            return;
        self->record = grown;
        self->room = room;
    }
    self->record[self->count++] = *record;
}

static void on_step(void *context, const sim_recorded_step *step)
{
    (void)context;
    (void)step;
}

static void on_background(void *context, uint32_t client, const rgn_router *router, int64_t now)
{
    (void)context;
    (void)client;
    (void)router;
    (void)now;
}

sim_recorder sim_stretch_recorder(sim_stretch *stretch)
{
    return (sim_recorder){stretch, on_record, on_step, on_background};
}

size_t sim_stretch_common(const sim_stretch *a, const sim_stretch *b)
{
    size_t n = 0;
    while (n < a->count && n < b->count && memcmp(&a->record[n], &b->record[n], sizeof *a->record) == 0)
        n++;
    return n;
}

const sim_record_words *sim_stretch_at(const sim_stretch *stretch, size_t n)
{
    return n < stretch->count ? &stretch->record[n] : NULL;
}
