/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How operations spread over a workload's partitions. */
#include <inttypes.h>

#include "engine/wide.h"
#include "scenario/load.h"
#include "scenario/logs.h"

enum { PATH_SIZE = 128 };

/* A few shares are given; the other partitions have the rest alike. */
static bool resolve_hot(sim_resolver *self, const char *name, const sim_raw_partitions *raw, sim_workload *out)
{
    const sim_raw_items *hot = &raw->pick.hot;
    const uint32_t count = out->partition_count;
    char path[PATH_SIZE];
    int64_t rest = SIM_SHARE_ONE;
    snprintf(path, sizeof path, "workload.%s.partitions.pick.hot", name);
    uint32_t *weight = sim_arena_array(self->decoder->arena, count, sizeof *weight);
    for (uint32_t i = 0; i < hot->count; i++) {
        const sim_raw_item *item = &hot->item[i];
        if (item->key >= count)
            return sim_resolve_fail(self, path, item->node->key,
                                    "found partition %" PRId64 "; expected one from 0 to %" PRIu32, item->key,
                                    count - 1);
        weight[item->key] = (uint32_t)item->value;
        rest -= item->value;
    }
    const uint32_t others = count - hot->count;
    if (rest < 0 || (others == 0 && rest > 0))
        return sim_resolve_fail(self, path, hot->node, "the shares sum to %s 100 %%; expected %s",
                                rest < 0 ? "more than" : "less than",
                                others == 0 ? "100 %, for every partition is named" : "at most 100 %");
    uint32_t extra = others > 0 ? (uint32_t)rest % others : 0;
    for (uint32_t p = 0; p < count; p++) {
        if (weight[p] > 0)
            continue;
        weight[p] = (uint32_t)rest / others + (extra > 0);
        extra -= extra > 0;
    }
    out->partition_weight = weight;
    return true;
}

/* 1 / (k + 1)^power in units of 2^-40; in integers, so that every machine gets the same weights. */
static uint64_t zipf_weight(uint32_t k, int64_t power_ppm)
{
    const uint64_t exponent = (uint64_t)sim_log2_ratio((int64_t)k + 1, 1);
    const uint64_t power = (uint64_t)((sim_u128)exponent * (uint64_t)power_ppm / SIM_FACTOR_ONE);
    return sim_power_down(power) >> (SIM_POWER_BITS - 40);
}

/* Weights are rounded where they are summed: each border between two partitions is rounded down to a ppb, so the
 * shares sum to 100 % exactly, each is off by less than a ppb, and the farthest of a steep law may get none. */
static void resolve_zipf(sim_resolver *self, int64_t power_ppm, sim_workload *out)
{
    const uint32_t count = out->partition_count;
    uint32_t *weight = sim_arena_array(self->decoder->arena, count, sizeof *weight);
    uint64_t whole = 0;
    for (uint32_t k = 0; k < count; k++)
        whole += zipf_weight(k, power_ppm);
    uint64_t sum = 0;
    uint32_t border = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += zipf_weight(k, power_ppm);
        const uint32_t next = (uint32_t)((sim_u128)sum * SIM_SHARE_ONE / whole);
        weight[k] = next - border;
        border = next;
    }
    out->partition_weight = weight;
}

bool sim_resolve_weights(sim_resolver *self, const char *name, const sim_raw_partitions *raw, sim_workload *out)
{
    out->partition_count = (uint32_t)raw->count;
    if (raw->pick.choice.which == SIM_RAW_PICK_HOT)
        return resolve_hot(self, name, raw, out);
    if (raw->pick.choice.which == SIM_RAW_PICK_ZIPF)
        resolve_zipf(self, raw->pick.zipf, out);
    return true;
}
