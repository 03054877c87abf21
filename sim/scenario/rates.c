/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When operations come: rates over time, recordings, and that ordinals suffice. */
#include <inttypes.h>

#include "engine/wide.h"
#include "scenario/load.h"
#include "scenario/recording.h"

enum {
    PATH_SIZE = 128,
    STEPS_MAX = 100000,
    SINE_STEPS = 96,
    POISSON_MARGIN = 1 << 20 /* 32 standard deviations of the largest count */
};
#define MHZ_NS_PER_OPERATION INT64_C(1000000000000)

/* Steps that repeat: what fits into the run, from an instant `from` of the period on. */
typedef struct {
    int64_t every;
    int64_t from;
    uint32_t count;            /* of a period */
    const sim_rate_step *step; /* of a period; the first at 0 */
} cycle;

static bool resolve_cycle(sim_resolver *self, const char *path, const sim_node *node, const cycle *one,
                          sim_workload *out)
{
    const int64_t duration = self->raw->duration;
    const int64_t periods = (one->from + (duration - 1)) / one->every + 1;
    if (periods > STEPS_MAX / one->count)
        return sim_resolve_fail(self, path, node, "more than %d steps in the run; expected a longer period", STEPS_MAX);
    sim_rate_step *step = sim_arena_array(self->decoder->arena, (size_t)periods * one->count, sizeof *step);
    uint32_t count = 0;
    for (int64_t i = 0; i < periods * one->count; i++) {
        const int64_t at = i / one->count * one->every + one->step[i % one->count].at - one->from;
        if (at >= duration)
            break;
        count += count == 0 || at > 0; /* of those that begin before the run the last counts */
        step[count - 1] = (sim_rate_step){at > 0 ? at : 0, one->step[i % one->count].rate_mhz};
    }
    out->rate_step = step;
    out->rate_step_count = count;
    return true;
}

static bool resolve_repeat(sim_resolver *self, const char *path, const sim_raw_repeat *raw, sim_workload *out)
{
    sim_rate_step *step = sim_arena_array(self->decoder->arena, raw->step.count, sizeof *step);
    const sim_raw_item *last = &raw->step.item[raw->step.count - 1];
    for (uint32_t i = 0; i < raw->step.count; i++)
        step[i] = (sim_rate_step){raw->step.item[i].key, raw->step.item[i].value};
    step[0].at = 0;
    if (last->key >= raw->every)
        return sim_resolve_fail(self, path, last->node, "a step lies beyond the period; expected instants within it");
    return resolve_cycle(self, path, raw->node, &(cycle){raw->every, 0, raw->step.count, step}, out);
}

/* A quarter of a sine, ppm, in the middle of each of 24 steps. */
static const int64_t quarter[SINE_STEPS / 4] = {
    32719,  98017,  162895, 227076, 290285, 352250, 412707, 471397, 528068, 582478, 634393, 683592,
    729864, 773010, 812847, 849202, 881921, 910864, 935906, 956940, 973877, 986643, 995185, 999465,
};

static int64_t sine(uint32_t step)
{
    const uint32_t place = step % (SINE_STEPS / 4);
    const bool is_falling = step / (SINE_STEPS / 4) % 2 == 1;
    const int64_t size = quarter[is_falling ? SINE_STEPS / 4 - 1 - place : place];
    return step < SINE_STEPS / 2 ? size : -size;
}

/* The steps begin where the sine does, a quarter of a period before the peak. */
static bool resolve_sinusoid(sim_resolver *self, const char *path, const sim_raw_sinusoid *raw, sim_workload *out)
{
    sim_rate_step step[SINE_STEPS];
    const int64_t phase = (raw->period / 4 - raw->peak % raw->period + raw->period) % raw->period;
    for (uint32_t k = 0; k < SINE_STEPS; k++) {
        const sim_i128 swing = (sim_i128)raw->mean * raw->swing * sine(k) / SIM_SHARE_ONE / SIM_FACTOR_ONE;
        step[k] = (sim_rate_step){(int64_t)((sim_i128)raw->period * k / SINE_STEPS), raw->mean + (int64_t)swing};
    }
    return resolve_cycle(self, path, raw->node, &(cycle){raw->period, phase, SINE_STEPS, step}, out);
}

/* About what a distribution says, for estimates only. */
static int64_t typical(const sim_dist *dist)
{
    sim_i128 sum = 0;
    if (dist->type == SIM_DIST_PERCENTILES)
        return dist->percentile[dist->count / 2].value;
    if (dist->type != SIM_DIST_MIXTURE)
        return dist->a;
    for (uint32_t i = 0; i < dist->count; i++)
        sum += (sim_i128)typical(&dist->part[i].dist) * dist->part[i].share;
    return (int64_t)(sum / SIM_SHARE_ONE);
}

static bool resolve_closed_loop(sim_resolver *self, const char *path, const sim_raw_workload *raw, sim_workload *out)
{
    char inner[PATH_SIZE + 32];
    snprintf(inner, sizeof inner, "%s.closed_loop.think", path);
    if (raw->arrivals.choice.node != NULL)
        return sim_resolve_fail(self, path, raw->arrivals.choice.node,
                                "users of a closed loop make their own arrivals; expected no \"arrivals\" beside it");
    if (!sim_resolve_dist(self, inner, &raw->rate.closed_loop.think, &out->think))
        return false;
    out->arrivals = SIM_ARRIVALS_CLOSED;
    out->users = (uint32_t)raw->rate.closed_loop.users;
    out->rate_mhz = (int64_t)((sim_i128)out->users * MHZ_NS_PER_OPERATION / (typical(&out->think) + RGN_NS_PER_MS));
    out->rate_mhz += out->rate_mhz == 0;
    return true;
}

static void resolve_steps(sim_resolver *self, const sim_raw_items *raw, sim_workload *out)
{
    sim_rate_step *step = sim_arena_array(self->decoder->arena, raw->count, sizeof *step);
    for (uint32_t i = 0; i < raw->count; i++)
        step[i] = (sim_rate_step){raw->item[i].key, raw->item[i].value};
    step[0].at = 0; /* before its first point a value is the first point's */
    out->rate_step = step;
    out->rate_step_count = raw->count;
}

/* The rate over time, whichever way it is written. */
static bool resolve_form(sim_resolver *self, const char *path, const sim_raw_workload *raw, sim_workload *out)
{
    out->rate_mhz = raw->rate.constant;
    switch (raw->rate.choice.which) {
    case SIM_RAW_RATE_STEP:
        resolve_steps(self, &raw->rate.step, out);
        return true;
    case SIM_RAW_RATE_REPEAT:
        return resolve_repeat(self, path, &raw->rate.repeat, out);
    case SIM_RAW_RATE_SINUSOID:
        return resolve_sinusoid(self, path, &raw->rate.sinusoid, out);
    case SIM_RAW_RATE_CLOSED_LOOP:
        return resolve_closed_loop(self, path, raw, out);
    default:
        return true;
    }
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
    snprintf(path, sizeof path, "workload.%s.rate", name);
    if (!resolve_form(self, path, raw, out))
        return false;
    const sim_u128 operations = count_operations(out, duration);
    if (operations == 0)
        return sim_resolve_fail(self, path, node, "no operation ever comes; expected a rate above 0 at some time");
    if (!check_count(self, path, node, operations, out))
        return false;
    if (out->rate_step_count > 0)
        out->rate_mhz = (int64_t)((operations + (uint64_t)duration - 1) / (uint64_t)duration); /* not 0 */
    return true;
}
