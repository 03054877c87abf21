/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a sweep as the tables tell them. */
#include <string.h>

#include "experiment/points.h"
#include "report/source.h"

typedef struct {
    rep_source *source;
    sim_store_sweep_point *point;
    size_t count; /* points so far */
    size_t room;
    sim_store_sweep_value *value; /* the next one */
    int64_t last;                 /* id of the point that is being read */
} reading;

/* A row of a point and one of its values. False: more points than the plan has room for. */
static bool take(reading *self, sqlite3_stmt *row)
{
    sim_arena *arena = self->source->arena;
    if (self->count == 0 || sqlite3_column_int64(row, 0) != self->last) {
        if (self->count == self->room)
            return false;
        self->last = sqlite3_column_int64(row, 0);
        const bool is_scenario = sqlite3_column_type(row, 1) == SQLITE_NULL;
        self->point[self->count++] = (sim_store_sweep_point){
            .is_scenario = is_scenario,
            .index = (uint32_t)sqlite3_column_int64(row, is_scenario ? 2 : 1) - 1,
            .base = sim_arena_string(arena, rep_column(row, 3)),
            .number = (uint32_t)sqlite3_column_int64(row, 4),
            .value = self->value,
        };
    }
    *self->value++ = (sim_store_sweep_value){
        .key = sim_arena_string(arena, rep_column(row, 5)),
        .text = sim_arena_string(arena, rep_column(row, 6)),
        .has_number = sqlite3_column_type(row, 7) != SQLITE_NULL,
        .number = sqlite3_column_double(row, 7),
    };
    self->point[self->count - 1].value_count++;
    return true;
}

static bool has_keys_of(const sim_store_sweep_point *one, const sim_store_sweep_point *first)
{
    bool ok = one->value_count == first->value_count && one->value_count <= SIM_AXES_MAX;
    for (uint32_t i = 0; ok && i < one->value_count; i++)
        ok = strcmp(one->value[i].key, first->value[i].key) == 0;
    return ok;
}

/* Points of one kind: none, or one for each policy or scenario, all with the same keys. */
static bool is_whole(const sim_store_sweep_point *point, size_t count, size_t expected)
{
    bool ok = count == 0 || count == expected;
    for (size_t i = 0; ok && i < count; i++)
        ok = point[i].index == i && has_keys_of(&point[i], &point[0]);
    return ok;
}

static void make_view(rep_source *self, size_t knob_points)
{
    const sim_store_sweep_point *point = self->points.point;
    const bool has_fields = self->points.point_count > knob_points;
    const sim_store_sweep_point *fields = &point[knob_points];
    const char **key = sim_arena_array(self->arena, 2 * (size_t)SIM_AXES_MAX, sizeof *key);
    uint32_t *base = sim_arena_array(self->arena, self->plan.scenario_count, sizeof *base);
    self->sweep = (cli_sweep_view){.plan = &self->plan,
                                   .sweep = &self->points,
                                   .scenario_base = base,
                                   .knob_count = knob_points > 0 ? point[0].value_count : 0,
                                   .key = key,
                                   .db = self->path};
    for (uint32_t k = 0; k < self->sweep.knob_count; k++)
        key[self->sweep.key_count++] = point[0].value[k].key;
    for (uint32_t k = 0; has_fields && k < fields[0].value_count; k++)
        key[self->sweep.key_count++] = fields[0].value[k].key;
    for (uint32_t s = 1; s < self->plan.scenario_count; s++)
        base[s] = base[s - 1] + !(has_fields && strcmp(fields[s].base, fields[s - 1].base) == 0);
}

bool rep_sweep_read(rep_source *self, sim_store_error *error)
{
    const int64_t values = rep_single(self, "SELECT count(*) FROM sweep_value", NULL, 0, 0);
    *error = (sim_store_error){0};
    if (values == 0)
        return true;
    const size_t room = (size_t)self->plan.policy_count + self->plan.scenario_count;
    reading in = {.source = self,
                  .point = sim_arena_array(self->arena, room + 1, sizeof *in.point),
                  .room = room,
                  .value = sim_arena_array(self->arena, (size_t)values, sizeof *in.value)};
    sqlite3_stmt *rows = rep_query(self,
                                   "SELECT q.id, q.policy_id, q.scenario_id, q.base, q.number, v.key, v.value, v.number"
                                   " FROM sweep_point q JOIN sweep_value v ON v.point_id = q.id ORDER BY q.id, v.key",
                                   NULL, 0, error);
    bool ok = true;
    while (ok && rep_next(self, &rows, error))
        ok = take(&in, rows);
    (void)sqlite3_finalize(rows);
    if (error->status != SIM_STORE_OK)
        return false;
    size_t knob_points = 0;
    while (knob_points < in.count && !in.point[knob_points].is_scenario)
        knob_points++;
    if (!ok || in.count == 0 || !is_whole(in.point, knob_points, self->plan.policy_count) ||
        !is_whole(in.point + knob_points, in.count - knob_points, self->plan.scenario_count)) {
        error->status = SIM_STORE_ALIEN;
        (void)snprintf(error->message, sizeof error->message,
                       "the database %s does not hold the points of its sweep: one for each policy or scenario, all "
                       "with the same keys",
                       self->path);
        return false;
    }
    self->points = (sim_store_sweep){(uint32_t)in.count, in.point};
    self->is_sweep = true;
    make_view(self, knob_points);
    return true;
}

const char *rep_sweep_base(const rep_source *self, uint32_t policy)
{
    return self->sweep.knob_count > 0 ? self->points.point[policy].base : self->plan.policy[policy]->name;
}
