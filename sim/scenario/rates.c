/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When operations come: rates over time, recordings, and that ordinals suffice. */
#include <inttypes.h>

#include "engine/wide.h"
#include "scenario/load.h"
#include "scenario/recording.h"

enum { PATH_SIZE = 128, POISSON_MARGIN = 1 << 20 /* 32 standard deviations of the largest count */ };
#define MHZ_NS_PER_OPERATION INT64_C(1000000000000)

static void resolve_steps(sim_resolver *self, const sim_raw_items *raw, sim_workload *out)
{
    sim_rate_step *step = sim_arena_array(self->decoder->arena, raw->count, sizeof *step);
    for (uint32_t i = 0; i < raw->count; i++)
        step[i] = (sim_rate_step){raw->item[i].key, raw->item[i].value};
    step[0].at = 0; /* before its first point a value is the first point's */
    out->rate_step = step;
    out->rate_step_count = raw->count;
}

/* The rate's integral over the run, in 1e-12 operations. */
static sim_u128 count_operations(const sim_workload *workload, int64_t duration)
{
    sim_u128 sum = 0;
    if (workload->rate_step_count == 0)
        return (sim_u128)(uint64_t)workload->rate_mhz * (uint64_t)duration;
    for (uint32_t i = 0; i < workload->rate_step_count; i++) {
        const bool is_last = i + 1 == workload->rate_step_count;
        const int64_t end = is_last ? duration : rgn_time_min(duration, workload->rate_step[i + 1].at);
        if (end > workload->rate_step[i].at)
            sum += (sim_u128)(uint64_t)workload->rate_step[i].rate_mhz * (uint64_t)(end - workload->rate_step[i].at);
    }
    return sum;
}

/* The number of operations that are to be expected must fit their ordinals. A recording's may be ahead of its rate by
 * one round. */
static bool check_count(sim_resolver *self, const char *path, const sim_node *node, sim_u128 operations,
                        const sim_workload *workload)
{
    const int64_t margin = workload->arrivals == SIM_ARRIVALS_POISSON ? POISSON_MARGIN : workload->recording.count;
    if (operations / (uint64_t)MHZ_NS_PER_OPERATION <= (uint64_t)(SIM_OPERATIONS_MAX - margin))
        return true;
    return sim_resolve_fail(self, path, node,
                            "more than %" PRId64 " operations in the run; expected a lower rate or a shorter duration",
                            SIM_OPERATIONS_MAX - margin);
}

bool sim_resolve_rate(sim_resolver *self, const char *name, const sim_raw_workload *raw, sim_workload *out)
{
    const int64_t duration = self->raw->duration;
    const sim_node *node = sim_node_get(raw->node, "rate");
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "workload.%s.arrivals", name);
    out->arrivals = (sim_arrivals)raw->arrivals.choice.which;
    if (out->arrivals == SIM_ARRIVALS_RECORDED &&
        !sim_recording_load(self, path, raw->arrivals.choice.node, raw->arrivals.recorded, &out->recording))
        return false;
    out->rate_mhz = raw->rate.constant;
    if (raw->rate.choice.which == SIM_RAW_RATE_STEP)
        resolve_steps(self, &raw->rate.step, out);
    const sim_u128 operations = count_operations(out, duration);
    snprintf(path, sizeof path, "workload.%s.rate", name);
    if (operations == 0)
        return sim_resolve_fail(self, path, node, "no operation ever comes; expected a rate above 0 at some time");
    if (!check_count(self, path, node, operations, out))
        return false;
    if (out->rate_step_count > 0)
        out->rate_mhz = (int64_t)((operations + (uint64_t)duration - 1) / (uint64_t)duration); /* not 0 */
    return true;
}
