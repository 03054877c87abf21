/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An observer that listens to nothing. Tests replace what they want to hear. */
#ifndef TESTS_DEAF_OBSERVER_H
#define TESTS_DEAF_OBSERVER_H

#include "engine/engine.h"

static inline void ignore_ended(void *context, const sim_ended *batch, size_t count)
{
    (void)context;
    (void)batch;
    (void)count;
}

static inline void ignore_failed_leg(void *context, const sim_failed_leg *leg)
{
    (void)context;
    (void)leg;
}

static inline void ignore_canary(void *context, const sim_canary *canary)
{
    (void)context;
    (void)canary;
}

static inline void ignore_transition(void *context, uint32_t client, const rgn_transition *transition)
{
    (void)context;
    (void)client;
    (void)transition;
}

static inline void ignore_mark(void *context, uint32_t client, rgn_region region, rgn_mark_reason why, int64_t at)
{
    (void)context;
    (void)client;
    (void)region;
    (void)why;
    (void)at;
}

static inline void ignore_strategy(void *context, uint32_t client, bool is_on, int64_t at)
{
    (void)context;
    (void)client;
    (void)is_on;
    (void)at;
}

static inline sim_observer deaf_observer(void *context)
{
    return (sim_observer){context,           ignore_ended, ignore_failed_leg, ignore_canary,
                          ignore_transition, ignore_mark,  ignore_strategy};
}

#endif
