/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/flight.h"

#include <string.h>

void exp_flight_init(exp_flight *self, int64_t from, int64_t until)
{
    memset(self, 0, sizeof *self);
    self->from = from;
    self->stride = (until - from + EXP_FLIGHT_STEPS - 1) / EXP_FLIGHT_STEPS;
}

/* The step of an instant; those before `from` count to the first, those after the end to none. */
static uint32_t step_at(const exp_flight *self, int64_t at)
{
    const int64_t k = at < self->from ? 0 : (at - self->from) / self->stride;
    return k < EXP_FLIGHT_STEPS ? (uint32_t)k : EXP_FLIGHT_STEPS;
}

static void change(exp_flight *self, rgn_region region, int64_t at, bool is_sent)
{
    const uint32_t k = step_at(self, at);
    /* What was in flight when a step began may be its most. */
    while (self->step[region] < k) {
        self->step[region]++;
        if (self->step[region] < EXP_FLIGHT_STEPS)
            self->most[region][self->step[region]] = self->now[region];
    }
    self->now[region] += is_sent ? 1 : UINT32_MAX;
    if (at < self->from)
        self->most[region][0] = self->now[region];
    else if (k < EXP_FLIGHT_STEPS && self->now[region] > self->most[region][k])
        self->most[region][k] = self->now[region];
}

void exp_flight_see(exp_flight *self, const sim_recorded_step *step)
{
    if (step->answer != NULL)
        change(self, step->leg_region[step->leg], step->now, false);
    for (unsigned leg = 0; leg < RGN_LEGS_MAX; leg++) {
        if ((step->op->cancel_legs >> leg & 1) != 0)
            change(self, step->leg_region[leg], step->now, false);
    }
    if (step->step == RGN_SEND)
        change(self, step->op->region, step->now, true);
}

uint32_t exp_flight_most(const exp_flight *self, rgn_region region, uint32_t k)
{
    return k <= self->step[region] ? self->most[region][k] : self->now[region];
}
