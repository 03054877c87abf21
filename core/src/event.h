/* SPDX-License-Identifier: MIT */
/* One event on one partition, which events.c and background.c make of it. */
#ifndef REGIONCORE_SRC_EVENT_H
#define REGIONCORE_SRC_EVENT_H

#include "health.h"
#include "router_impl.h"

/* One event on one partition, between rgni_event_begin() and rgni_event_end(). */
typedef struct {
    rgn_router *router;
    rgni_stripe *stripe;
    rgni_slot *slot;     /* NULL: no entry */
    bool is_new;         /* `slot` is reserved, not in the table */
    bool had_entry;      /* when the event began */
    uint32_t generation; /* the router's counter when the event began */
    uint32_t generation_now;
    rgn_router_counters counters;
    rgni_scene scene;
    rgni_story story;
    rgn_override_change change; /* of the override; reason RGN_REASON_NONE if there is none to tell */
} rgni_event;

/* The stripe's lock is held, and `slot` is the partition's, if it has one. `e` may point into itself, so it must not
 * move. */
static inline void rgni_event_open(rgni_event *e, rgn_router *router, rgni_stripe *stripe, rgni_slot *slot,
                                   rgn_partition partition, rgn_time_ns now)
{
    e->router = router;
    e->stripe = stripe;
    e->slot = slot;
    e->is_new = false;
    e->had_entry = e->slot != NULL && e->slot->entry.phase != RGN_PHASE_ABSENT;
    e->change.reason = RGN_REASON_NONE;
    /* RTR-9: other stripes may take the same numbers meanwhile: they only have to differ within a partition. */
    e->generation = atomic_load_explicit(&router->generation, memory_order_relaxed);
    e->generation_now = e->generation;
    e->counters = (rgn_router_counters){0};
    e->scene = (rgni_scene){.options = &router->options,
                            .topology = rgni_router_topology(router),
                            .random = &router->random,
                            .partition = partition,
                            .now = now,
                            .generation = &e->generation_now,
                            .counters = &e->counters};
    e->story.count = 0;
}

/* RTR-3: takes the stripe's lock. */
static inline void rgni_event_begin(rgni_event *e, rgn_router *router, rgn_partition partition, rgn_time_ns now)
{
    rgni_stripe *stripe = rgni_router_stripe(router, partition);

    rgni_lock(&stripe->lock);
    rgni_event_open(e, router, stripe, rgni_stripe_find(stripe, partition), partition, now);
}

/* Stores, gives the lock back and tells the observer. */
void rgni_event_end(rgni_event *e);

/* The same for an event that has changed nothing beside the entry, and of the entry without a transition counts only:
 * what is stored does not depend on these, so that most often the lock is all to give back. Failures are no such
 * events: they may move a due time, or add a failed region, without a transition. */
static inline void rgni_event_end_in_place(rgni_event *e)
{
    if (e->story.count > 0 || (e->counters.late_successes | e->counters.late_failures) != 0)
        rgni_event_end(e);
    else
        rgni_unlock(&e->stripe->lock);
}

/* Shows the scene the slot's breaker.health region, before a reducer that asks for it; nothing without a slot. */
static inline void rgni_event_show_health(rgni_event *e)
{
    if (e->slot != NULL)
        e->scene.health = rgni_slot_health(e->stripe, e->slot);
}

/* What the slot's rule share counts; NULL without a slot or with another rule. */
static inline rgn_share_tally *rgni_event_share(rgni_event *e)
{
    return e->slot == NULL ? NULL : rgni_slot_share(e->stripe, e->slot);
}

/* When the entry's promotion is due, or the first region's; the event has a slot. */
static inline rgn_time_ns rgni_event_due(const rgni_event *e)
{
    const rgn_options *options = &e->router->options;
    const rgn_entry *entry = &e->slot->entry;
    const rgn_health *health = rgni_slot_health(e->stripe, e->slot);

    return health != NULL ? rgni_health_due(entry, health, options) : rgni_failback_due(entry, options);
}

/* What an override's reducer answered, to be told. `last` is the override before the event. */
void rgni_event_override_changed(rgni_event *e, rgn_reason reason, rgn_region region, rgn_override last);

#endif
