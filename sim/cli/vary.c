/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/vary.h"

#include <string.h>

#include "cli/cli.h"

static const char FIELD_PREFIX[] = "scenario.";

static bool is_field(const char *key)
{
    return strncmp(key, FIELD_PREFIX, sizeof FIELD_PREFIX - 1) == 0;
}

static bool refuse(const sim_axis *axis, size_t column, const char *message)
{
    (void)cli_complain("--vary \"%s\", column %zu: %s", axis->text, column, message);
    return false;
}

static bool refuse_key(const sim_axis *axis)
{
    const char *known[RGN_KNOB_COUNT];
    char message[512];
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++)
        known[i] = rgn_knob_at((rgn_knob_id)i)->name;
    const char *nearest = sim_nearest(axis->key, known, RGN_KNOB_COUNT);
    (void)snprintf(message, sizeof message,
                   "unknown key \"%s\"; expected a policy's option (see 'list knobs') or scenario.<path>%s%s%s",
                   axis->key, nearest == NULL ? "" : "; did you mean \"", nearest == NULL ? "" : nearest,
                   nearest == NULL ? "" : "\"?");
    return refuse(axis, 1, message);
}

/* The ends of every item: what lies between is looked at when its policy is made. */
static bool knob_admits(const sim_axis *axis, rgn_knob_id knob)
{
    uint64_t first = 0;
    for (size_t i = 0; i < axis->item_count; first += axis->item[i].count, i++) {
        for (int end = 0; end < 2; end++) {
            char message[512];
            int64_t number = 0;
            const sim_axis_value value = sim_axis_at(axis, first + (end == 0 ? 0 : axis->item[i].count - 1));
            if (!sim_parse_knob(knob, value.text, &number, message, sizeof message))
                return refuse(axis, value.column, message);
        }
    }
    return true;
}

static bool is_twice(const cli_axes *axes, const char *key)
{
    bool found = false;
    for (size_t i = 0; i + 1 < axes->count; i++)
        found = found || strcmp(axes->axis[i].key, key) == 0;
    return found;
}

static bool is_set(const cli_arguments *arguments, const char *key)
{
    bool found = false;
    for (size_t i = 0; i < arguments->setting_count; i++)
        found = found || strcmp(arguments->setting[i].key, key) == 0;
    return found;
}

static bool read_one(cli_vary *vary, const cli_arguments *arguments, const char *text, bool is_fine)
{
    sim_axis axis;
    sim_axis_error error;
    const bool is_read = sim_axis_parse(text, is_fine, &axis, &error);
    cli_axes *axes = is_field(axis.key) ? &vary->fields : &vary->knobs;
    axes->axis[axes->count++] = axis; /* to be freed in any case */
    const rgn_knob_id knob = rgn_knob_find(axis.key);
    if (axis.key[0] != '\0' && !is_field(axis.key) && knob == RGN_KNOB_COUNT)
        return refuse_key(&axis);
    if (!is_read)
        return refuse(&axis, error.column, error.message);
    if (is_twice(axes, axis.key))
        return refuse(&axis, 1, "the key is varied twice; expected it once, with all its values");
    if (is_set(arguments, axis.key))
        return refuse(&axis, 1, "the key has a --set too; expected one of the two");
    return is_field(axis.key) || knob_admits(&axis, knob);
}

/* "5000 x 3" */
static void put_sizes(const cli_axes *axes, char *out, size_t size)
{
    size_t used = strlen(out);
    for (size_t i = 0; i < axes->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%llu", used > 0 ? " x " : "",
                                 (unsigned long long)axes->axis[i].count);
}

static bool make_grid(cli_vary *vary, size_t sets)
{
    const size_t knobs = sim_points_grid_size(vary->knobs.axis, vary->knobs.count);
    const size_t fields = sim_points_grid_size(vary->fields.axis, vary->fields.count);
    if (knobs * fields * sets > SIM_POINTS_MAX) {
        char sizes[256] = "";
        put_sizes(&vary->knobs, sizes, sizeof sizes);
        put_sizes(&vary->fields, sizes, sizeof sizes);
        (void)cli_complain("--vary: the grid has %s points%s, more than %d in all; expected fewer values, larger "
                           "steps, or --sobol N",
                           sizes, sets > 1 ? " for each scenario and policy" : "", SIM_POINTS_MAX);
        return false;
    }
    if (sim_points_grid(vary->knobs.axis, vary->knobs.count, &vary->knobs.points) &&
        sim_points_grid(vary->fields.axis, vary->fields.count, &vary->fields.points))
        return true;
    (void)cli_complain("out of memory");
    return false;
}

static bool make_sobol(cli_vary *vary, size_t wanted, size_t sets)
{
    cli_axes *varied = vary->knobs.count > 0 ? &vary->knobs : &vary->fields;
    cli_axes *other = vary->knobs.count > 0 ? &vary->fields : &vary->knobs;
    if (other->count > 0) {
        (void)cli_complain("--sobol takes knobs or scenario fields, not both: found %s and %s", varied->axis[0].key,
                           other->axis[0].key);
        return false;
    }
    if (wanted * sets > SIM_POINTS_MAX) {
        (void)cli_complain("--sobol %zu: more than %d points over all scenarios and policies", wanted, SIM_POINTS_MAX);
        return false;
    }
    if (!sim_points_sobol(varied->axis, varied->count, wanted, &varied->points) ||
        !sim_points_grid(other->axis, 0, &other->points)) {
        (void)cli_complain("out of memory");
        return false;
    }
    if (varied->points.count < wanted)
        (void)fprintf(stderr, "note: %zu of %zu points fall on earlier ones and are left out\n",
                      wanted - varied->points.count, wanted);
    return true;
}

static bool read_all(cli_vary *vary, const cli_arguments *arguments, const char *verb, bool is_fine)
{
    *vary = (cli_vary){0};
    if (arguments->vary_count == 0) {
        (void)cli_complain("%s: expected --vary KEY=VALUES at least once, such as --vary failback.min_sample=5..50:5",
                           verb);
        return false;
    }
    for (size_t i = 0; i < arguments->vary_count; i++) {
        if (!read_one(vary, arguments, arguments->vary[i], is_fine))
            return false;
    }
    return true;
}

bool cli_vary_read(cli_vary *vary, const cli_arguments *arguments, size_t sets)
{
    return read_all(vary, arguments, "sweep", arguments->sobol > 0) &&
           (arguments->sobol > 0 ? make_sobol(vary, arguments->sobol, sets) : make_grid(vary, sets));
}

bool cli_vary_read_knobs(cli_vary *vary, const cli_arguments *arguments, const char *verb)
{
    if (!read_all(vary, arguments, verb, true))
        return false;
    return vary->fields.count == 0 ||
           refuse(&vary->fields.axis[0], 1, "a field of the scenario; expected a policy's option (see 'list knobs')");
}

static void axes_deinit(cli_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++)
        sim_axis_deinit(&axes->axis[i]);
    sim_points_deinit(&axes->points);
}

void cli_vary_deinit(cli_vary *vary)
{
    axes_deinit(&vary->knobs);
    axes_deinit(&vary->fields);
    *vary = (cli_vary){0};
}

sim_axis_value cli_vary_at(const cli_axes *axes, size_t point, size_t axis)
{
    return sim_axis_at(&axes->axis[axis], axes->points.place[point * axes->count + axis]);
}
