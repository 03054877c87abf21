/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a search as policies. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/tune.h"

static sim_policy *parse_at(const cli_tuning *self, const uint64_t *place, sim_input_error *error)
{
    const sim_policy *base = self->in.policy[0];
    const size_t given = self->arguments->setting_count;
    const size_t axes = self->vary.knobs.count;
    sim_setting setting[CLI_SETTINGS_MAX + SIM_AXES_MAX];
    sim_axis_value value[SIM_AXES_MAX];
    memcpy(setting, self->arguments->setting, given * sizeof *setting);
    for (size_t a = 0; a < axes; a++) {
        value[a] = sim_axis_at(&self->vary.knobs.axis[a], place[a]);
        setting[given + a] = (sim_setting){self->vary.knobs.axis[a].key, value[a].text};
    }
    return sim_policy_parse(base->path, base->text, base->text_length, setting, given + axes, error);
}

bool cli_tune_admits(void *context, const uint64_t *place)
{
    sim_input_error error;
    sim_policy *policy = parse_at(context, place, &error);
    if (policy != NULL)
        sim_policy_destroy(policy);
    return policy != NULL;
}

static bool make_room(cli_tuning *self, size_t point)
{
    if (point < self->policy_room)
        return true;
    const size_t room = 2 * point + 64;
    sim_policy **grown = realloc(self->policy, room * sizeof *grown);
    if (grown == NULL)
        return false;
    for (size_t p = self->policy_room; p < room; p++)
        grown[p] = NULL;
    self->policy = grown;
    self->policy_room = room;
    return true;
}

const char *cli_tune_point_name(const cli_tuning *self, size_t point)
{
    const char *base = self->in.policy[0]->name;
    const size_t size = strlen(base) + 32;
    if (point == SIM_SEARCH_BASE)
        return base;
    char *name = sim_arena_alloc(self->arena, size);
    (void)snprintf(name, size, "%s#%04zu", base, point);
    return name;
}

sim_policy *cli_tune_policy(cli_tuning *self, size_t point)
{
    sim_input_error error;
    if (point == SIM_SEARCH_BASE)
        return self->in.policy[0];
    if (!make_room(self, point)) {
        (void)cli_complain("out of memory");
        return NULL;
    }
    if (self->policy[point] != NULL)
        return self->policy[point];
    sim_policy *one = parse_at(self, self->search.point[point].place, &error);
    if (one == NULL) {
        sim_input_error_print(&error, stderr);
        return NULL;
    }
    one->name = cli_tune_point_name(self, point);
    self->policy[point] = one;
    return one;
}

sim_tune_value cli_tune_value(const cli_tuning *self, size_t point, size_t axis)
{
    const sim_axis *of = &self->vary.knobs.axis[axis];
    const rgn_knob_id knob = rgn_knob_find(of->key);
    char text[SIM_AXIS_TEXT_SIZE];
    int64_t number = rgn_options_get(&sim_experiment_plan(self->base)->pair[0].clients->values, knob);
    if (point != SIM_SEARCH_BASE)
        (void)sim_parse_knob(knob, sim_axis_at(of, self->search.point[point].place[axis]).text, &number, text,
                             sizeof text);
    sim_format_knob(knob, number, text, sizeof text);
    return (sim_tune_value){of->key, sim_arena_string(self->arena, text), number};
}

void cli_tune_policies_deinit(cli_tuning *self)
{
    for (size_t p = 1; p < self->policy_room; p++) {
        if (self->policy[p] != NULL)
            sim_policy_destroy(self->policy[p]);
    }
    free(self->policy);
}
