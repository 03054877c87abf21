/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong. */
#include "scenario/load.h"

enum { PATH_SIZE = 128 };

static sim_shape resolve_shape(sim_resolver *self, const sim_raw_shape *raw)
{
    sim_arena *arena = self->decoder->arena;
    if (raw->choice.which == SIM_RAW_SHAPE_CONSTANT) {
        sim_point *point = sim_arena_alloc(arena, sizeof *point);
        point->value = raw->constant;
        return (sim_shape){SIM_SHAPE_STEP, 1, point};
    }
    const bool is_ramp = raw->choice.which == SIM_RAW_SHAPE_RAMP;
    const sim_raw_items *items = is_ramp ? &raw->ramp : &raw->step;
    sim_point *points = sim_arena_array(arena, items->count, sizeof *points);
    for (uint32_t i = 0; i < items->count; i++)
        points[i] = (sim_point){items->item[i].key, items->item[i].value};
    return (sim_shape){is_ramp ? SIM_SHAPE_RAMP : SIM_SHAPE_STEP, items->count, points};
}

static void resolve_errors(sim_resolver *self, const sim_raw_errors *raw, sim_fault *out)
{
    sim_error *errors = sim_arena_array(self->decoder->arena, raw->statuses.count, sizeof *errors);
    for (uint32_t i = 0; i < raw->statuses.count; i++) {
        const sim_raw_item *item = &raw->statuses.item[i];
        errors[i] = (sim_error){
            .type = (uint8_t)(item->key >> 32),
            .status = (uint16_t)(item->key >> 16),
            .substatus = (uint16_t)item->key,
            .share = (uint32_t)item->value,
        };
    }
    out->error = errors;
    out->error_count = raw->statuses.count;
    out->error_share = resolve_shape(self, &raw->share);
}

static bool resolve_fault(sim_resolver *self, const sim_raw_item *item, sim_fault *out)
{
    const sim_raw_fault *raw = item->record;
    rgn_region_list regions;
    char path[PATH_SIZE];
    out->name = item->name;
    out->name_hash = sim_name_hash(item->name);
    out->from = raw->from;
    out->until = raw->until;
    out->partition_share = (uint32_t)raw->where.partitions;
    out->kinds = (uint8_t)raw->where.operations;
    out->error_after = raw->errors.after;
    snprintf(path, sizeof path, "faults.%s", item->name);
    if (raw->until <= raw->from)
        return sim_resolve_fail(self, path, sim_node_get(raw->node, "until"),
                                "ends before it begins; expected until to be later than from");
    if (raw->errors.node == NULL && raw->latency.node == NULL)
        return sim_resolve_fail(self, path, raw->node, "does nothing; expected errors or latency");
    snprintf(path, sizeof path, "faults.%s.where.regions", item->name);
    if (!sim_resolve_regions(self, path, &raw->where.regions, &regions))
        return false;
    for (unsigned i = 0; i < regions.count; i++)
        out->regions |= rgn_region_bit(regions.region[i]);
    if (raw->errors.node != NULL)
        resolve_errors(self, &raw->errors, out);
    if (raw->latency.node != NULL)
        out->latency_multiply = resolve_shape(self, &raw->latency.multiply);
    return true;
}

bool sim_resolve_faults(sim_resolver *self)
{
    const sim_raw_items *raw = &self->raw->faults;
    sim_fault *faults = sim_arena_array(self->decoder->arena, raw->count, sizeof *faults);
    self->out->fault = faults;
    for (uint32_t i = 0; i < raw->count; i++) {
        if (!resolve_fault(self, &raw->item[i], &faults[i]))
            return false;
        self->out->fault_count++;
    }
    return true;
}
