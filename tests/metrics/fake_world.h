/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ground truth that tests write down: spans in which a region is unhealthy. */
#ifndef FAKE_WORLD_H
#define FAKE_WORLD_H

#include "world/world.h"

enum { FAKE_SPANS_MAX = 32 };
#define FAKE_ALL_PARTITIONS UINT32_MAX

typedef struct {
    rgn_region region;
    uint32_t partition; /* or FAKE_ALL_PARTITIONS */
    unsigned kinds;     /* bit per sim_kind */
    int64_t from;
    int64_t until; /* RGN_TIME_NEVER: for good */
} fake_span;

/* What sim_world_run.scope points to; spans of one (region, partition, kind) must not touch. */
struct sim_world_scope {
    unsigned count;
    fake_span span[FAKE_SPANS_MAX];
};

#endif
