/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim_truth_*, from the spans that a test wrote down. */
#include "fake_world.h"

static bool concerns(const fake_span *span, rgn_region region, uint32_t partition, sim_kind kind)
{
    return span->region == region && (span->partition == FAKE_ALL_PARTITIONS || span->partition == partition) &&
           ((span->kinds >> kind) & 1) != 0;
}

bool sim_truth_is_healthy(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                          sim_kind kind, int64_t at)
{
    (void)client;
    for (unsigned i = 0; i < run->scope->count; i++) {
        const fake_span *span = &run->scope->span[i];
        if (concerns(span, region, partition, kind) && span->from <= at && at < span->until)
            return false;
    }
    return true;
}

bool sim_truth_is_calm(const sim_world_run *run, int64_t at)
{
    for (unsigned i = 0; i < run->scope->count; i++) {
        if (run->scope->span[i].from <= at && at < run->scope->span[i].until)
            return false;
    }
    return true;
}

int64_t sim_truth_next_change(const sim_world_run *run, rgn_region region, uint32_t partition, uint32_t client,
                              sim_kind kind, int64_t at)
{
    (void)client;
    int64_t next = RGN_TIME_NEVER;
    for (unsigned i = 0; i < run->scope->count; i++) {
        const fake_span *span = &run->scope->span[i];
        if (!concerns(span, region, partition, kind))
            continue;
        if (span->from > at)
            next = rgn_time_min(next, span->from);
        if (span->until > at)
            next = rgn_time_min(next, span->until);
    }
    return next;
}

bool sim_truth_is_always_healthy(const sim_world_run *run, rgn_region region)
{
    for (unsigned i = 0; i < run->scope->count; i++) {
        if (run->scope->span[i].region == region)
            return false;
    }
    return true;
}

uint64_t sim_truth_partition_key(const sim_world_run *run, uint32_t partition)
{
    uint64_t spans = 0;
    for (unsigned i = 0; i < run->scope->count; i++)
        if (run->scope->span[i].partition == FAKE_ALL_PARTITIONS || run->scope->span[i].partition == partition)
            spans |= UINT64_C(1) << i;
    return spans;
}

uint64_t sim_truth_client_key(const sim_world_run *run, uint32_t client)
{
    (void)run;
    (void)client;
    return 0;
}
