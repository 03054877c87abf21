/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/variants.h"

#include <stdlib.h>
#include <string.h>

/* One kind in the making. */
typedef struct {
    cli_variants *variants;
    const cli_axes *axes;
    const cli_arguments *arguments;
    sim_store_sweep_point *point; /* the next one */
    size_t order[SIM_AXES_MAX];   /* axes by key */
} maker;

static void sort_axes(maker *self)
{
    for (size_t i = 0; i < self->axes->count; i++) {
        size_t at = i;
        for (; at > 0 && strcmp(self->axes->axis[self->order[at - 1]].key, self->axes->axis[i].key) > 0; at--)
            self->order[at] = self->order[at - 1];
        self->order[at] = i;
    }
}

/* The settings of the command line, then the point's. The caller frees them. NULL: no memory. */
static sim_setting *settings_of(const maker *self, size_t point, sim_axis_value *values)
{
    const size_t given = self->arguments->setting_count;
    sim_setting *setting = calloc(given + self->axes->count, sizeof *setting);
    for (size_t i = 0; setting != NULL && i < given; i++)
        setting[i] = self->arguments->setting[i];
    for (size_t a = 0; setting != NULL && a < self->axes->count; a++) {
        values[a] = cli_vary_at(self->axes, point, a);
        setting[given + a].key = self->axes->axis[a].key;
        setting[given + a].value = values[a].text;
    }
    return setting;
}

/* Messages about a value say where it stands in its --vary. */
static void blame(const maker *self, const sim_setting *setting, const sim_axis_value *values, sim_input_error *error)
{
    for (size_t a = 0; a < self->axes->count; a++) {
        const size_t length = sim_setting_blamed(&setting[self->arguments->setting_count + a], error->message);
        if (length == 0)
            continue;
        char rest[sizeof error->message];
        (void)snprintf(rest, sizeof rest, "%s", error->message + length);
        (void)snprintf(error->message, sizeof error->message, "--vary \"%.400s\", column %zu: %s",
                       self->axes->axis[a].text, values[a].column, rest);
        return;
    }
}

/* A knob's value as the table `option` has it, so that "5" and "5 %" are the same. */
static void put_value(const maker *self, const char *key, const sim_axis_value *value, sim_store_sweep_value *out)
{
    char text[SIM_AXIS_TEXT_SIZE];
    int64_t number = 0;
    const rgn_knob_id knob = rgn_knob_find(key);
    *out = (sim_store_sweep_value){.key = key, .has_number = value->has_number, .number = value->number};
    (void)snprintf(text, sizeof text, "%s", value->text);
    if (knob != RGN_KNOB_COUNT && sim_parse_knob(knob, value->text, &number, text, sizeof text)) {
        sim_format_knob(knob, number, text, sizeof text);
        out->has_number = true;
        out->number = (double)number;
    }
    out->text = sim_arena_string(self->variants->arena, text);
}

/* Name and description of the point's variant, and its rows for the database. */
static void describe(maker *self, bool is_scenario, uint32_t index, size_t point, const sim_axis_value *values,
                     const char **name, const char **about)
{
    sim_arena *arena = self->variants->arena;
    const size_t count = self->axes->count;
    sim_store_sweep_value *list = sim_arena_array(arena, count, sizeof *list);
    const size_t size = strlen(*name) + strlen(*about) + count * (SIM_AXIS_KEY_SIZE + SIM_AXIS_TEXT_SIZE) + 64;
    char *told = sim_arena_alloc(arena, size);
    size_t used = (size_t)snprintf(told, size, "%s, with", *name);
    for (size_t i = 0; i < count; i++) {
        const sim_axis *axis = &self->axes->axis[self->order[i]];
        put_value(self, axis->key, &values[self->order[i]], &list[i]);
        used += (size_t)snprintf(told + used, size - used, "%s %s = %s", i > 0 ? "," : "", axis->key, list[i].text);
    }
    (void)snprintf(told + used, size - used, "%s%s", (*about)[0] == '\0' ? "" : ": ", *about);
    *self->point++ = (sim_store_sweep_point){is_scenario, index, *name, (uint32_t)point + 1, (uint32_t)count, list};
    self->variants->sweep.point_count++;
    const size_t name_size = strlen(*name) + 16;
    char *own = sim_arena_alloc(arena, name_size);
    (void)snprintf(own, name_size, "%s#%04zu", *name, point + 1);
    *name = own;
    *about = told;
}

static bool fail_memory(sim_input_error *error)
{
    (void)snprintf(error->message, sizeof error->message, "out of memory");
    return false;
}

/* The policy or scenario of that text at a point, and the point's values. NULL with `*error`. */
static void *parse_at(const maker *self, bool is_scenario, const char *path, const char *text, size_t length,
                      size_t point, sim_axis_value *values, sim_input_error *error)
{
    const size_t count = self->arguments->setting_count + self->axes->count;
    sim_setting *setting = settings_of(self, point, values);
    if (setting == NULL) {
        (void)fail_memory(error);
        return NULL;
    }
    void *one = is_scenario ? (void *)sim_scenario_parse(path, text, length, setting, count, error)
                            : (void *)sim_policy_parse(path, text, length, setting, count, error);
    if (one == NULL)
        blame(self, setting, values, error);
    free(setting);
    return one;
}

static bool make_policies(maker *self, cli_inputs *base, uint32_t number, sim_input_error *error)
{
    cli_inputs *made = &self->variants->made;
    const sim_policy *of = base->policy[number];
    for (size_t p = 0; p < self->axes->points.count; p++) {
        sim_axis_value values[SIM_AXES_MAX];
        self->variants->policy_base[made->policy_count] = number;
        if (self->axes->count == 0) {
            made->policy[made->policy_count++] = base->policy[number];
            base->policy[number] = NULL;
            return true;
        }
        sim_policy *one = parse_at(self, false, of->path, of->text, of->text_length, p, values, error);
        if (one == NULL)
            return false;
        describe(self, false, made->policy_count, p, values, &one->name, &one->about);
        made->policy[made->policy_count++] = one;
    }
    return true;
}

static bool make_scenarios(maker *self, cli_inputs *base, uint32_t number, sim_input_error *error)
{
    cli_inputs *made = &self->variants->made;
    const sim_scenario *of = base->scenario[number];
    for (size_t p = 0; p < self->axes->points.count; p++) {
        sim_axis_value values[SIM_AXES_MAX];
        self->variants->scenario_base[made->scenario_count] = number;
        if (self->axes->count == 0) {
            made->scenario[made->scenario_count++] = base->scenario[number];
            base->scenario[number] = NULL;
            return true;
        }
        sim_scenario *one = parse_at(self, true, of->path, of->text, of->text_length, p, values, error);
        if (one == NULL)
            return false;
        describe(self, true, made->scenario_count, p, values, &one->name, &one->about);
        made->scenario[made->scenario_count++] = one;
    }
    return true;
}

bool cli_variants_make(cli_variants *variants, cli_inputs *base, const cli_vary *vary, const cli_arguments *arguments,
                       sim_input_error *error)
{
    const size_t policies = base->policy_count * vary->knobs.points.count;
    const size_t scenarios = base->scenario_count * vary->fields.points.count;
    *variants = (cli_variants){.arena = sim_arena_create()};
    *error = (sim_input_error){0};
    variants->made.policy = calloc(policies, sizeof *variants->made.policy);
    variants->made.scenario = calloc(scenarios, sizeof *variants->made.scenario);
    if (variants->made.policy == NULL || variants->made.scenario == NULL)
        return fail_memory(error);
    variants->policy_base = sim_arena_array(variants->arena, policies, sizeof *variants->policy_base);
    variants->scenario_base = sim_arena_array(variants->arena, scenarios, sizeof *variants->scenario_base);
    sim_store_sweep_point *point = sim_arena_array(variants->arena, policies + scenarios, sizeof *point);
    variants->sweep.point = point;
    maker knobs = {.variants = variants, .axes = &vary->knobs, .arguments = arguments, .point = point};
    maker fields = {.variants = variants, .axes = &vary->fields, .arguments = arguments};
    sort_axes(&knobs);
    sort_axes(&fields);
    bool ok = true;
    for (uint32_t i = 0; ok && i < base->policy_count; i++)
        ok = make_policies(&knobs, base, i, error);
    fields.point = knobs.point;
    for (uint32_t i = 0; ok && i < base->scenario_count; i++)
        ok = make_scenarios(&fields, base, i, error);
    return ok;
}

void cli_variants_deinit(cli_variants *variants)
{
    cli_inputs_deinit(&variants->made);
    if (variants->arena != NULL)
        sim_arena_destroy(variants->arena);
    *variants = (cli_variants){0};
}
