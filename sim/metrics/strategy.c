/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency and hedges by whether clients could hedge: the 30 s samples of interval_p99_mean, each looked at as a poll at
 * its last instant finds things. Counted are those at which some fault of the schedule makes something unhealthy and
 * all clients agree: `on`, every one has a hedging strategy in force; `off`, none has. Only where the account changes.
 */
#include "metrics/internal.h"

#include <stdlib.h>

enum { POLLED_MIXED = 0, POLLED_ON = 1, POLLED_OFF = 2 };

static int64_t sample_end(const sim_metrics *m, size_t sample)
{
    return rgn_time_min((int64_t)(sample + 1) * SIMI_SAMPLE_NS, m->duration);
}

bool simi_strategy_prepare(sim_metrics *m)
{
    simi_strategy *s = &m->strategy;
    if (m->scenario->account_change_count == 0)
        return true;
    s->sample_count = (size_t)((m->duration - 1) / SIMI_SAMPLE_NS + 1);
    s->sample = calloc(s->sample_count, sizeof *s->sample);
    s->is_on = calloc((size_t)m->scenario->client_count + 1, sizeof *s->is_on);
    for (size_t i = 0; s->sample != NULL && i < s->sample_count; i++)
        s->sample[i].p99 = -1;
    return s->sample != NULL && s->is_on != NULL;
}

void simi_strategy_deinit(sim_metrics *m)
{
    free(m->strategy.sample);
    free(m->strategy.is_on);
}

/* Polls whose instant lies before `now` find what holds until now. */
static void poll_until(sim_metrics *m, int64_t now)
{
    simi_strategy *s = &m->strategy;
    for (; s->polled < s->sample_count && sample_end(m, s->polled) <= now; s->polled++)
        s->sample[s->polled].polled = s->clients_on == m->scenario->client_count ? POLLED_ON
                                      : s->clients_on == 0                       ? POLLED_OFF
                                                                                 : POLLED_MIXED;
}

void simi_strategy_changed(void *context, uint32_t client, bool is_on, int64_t at)
{
    sim_metrics *m = context;
    simi_strategy *s = &m->strategy;
    if (s->sample == NULL)
        return;
    poll_until(m, at);
    if (s->is_on[client] == is_on)
        return;
    s->is_on[client] = is_on;
    s->clients_on += is_on ? 1u : UINT32_MAX;
    if (at > 0 && at < m->duration)
        m->tally[simi_slot_at(m, at)].strategy_changes++;
}

void simi_strategy_finish(sim_metrics *m)
{
    simi_strategy *s = &m->strategy;
    poll_until(m, RGN_TIME_NEVER);
    for (size_t i = 0; i < s->sample_count; i++) {
        const simi_strategy_sample *sample = &s->sample[i];
        if (sample->polled == POLLED_MIXED || sample->p99 < 0 || sim_truth_is_calm(m->world_run, sample_end(m, i) - 1))
            continue;
        simi_tally *tally = &m->tally[simi_slot_at(m, (int64_t)i * SIMI_SAMPLE_NS)];
        const unsigned is_on = sample->polled == POLLED_ON;
        tally->polled[is_on].samples++;
        tally->polled[is_on].p99_sum += (uint64_t)sample->p99;
        tally->polled[is_on].hedges += sample->hedges;
    }
}
