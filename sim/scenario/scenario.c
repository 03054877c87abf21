/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/scenario.h"

#include <string.h>

#include "scenario/load.h"

static sim_source *source_create(sim_arena *arena, const char *path)
{
    sim_source *source = sim_arena_alloc(arena, sizeof *source);
    source->path = sim_arena_string(arena, path);
    return source;
}

/* A policy where a scenario should be is a slip of the command line, not of the file. */
static bool refuse_policy(sim_decoder *decoder, const sim_node *root)
{
    const sim_node *policy = sim_node_get(root, "policy");
    if (policy == NULL || sim_node_get(root, "scenario") != NULL)
        return true;
    return sim_decoder_fail(decoder, policy->key, "this is a policy; expected a scenario");
}

static bool fill(sim_decoder *decoder, sim_scenario *out, const sim_setting *settings, size_t setting_count)
{
    sim_arena *arena = decoder->arena;
    sim_raw_scenario *raw = sim_arena_alloc(arena, sizeof *raw);
    sim_node *root = sim_document_parse(arena, decoder->source, out->text, out->text_length, decoder->error);
    if (root == NULL || !refuse_policy(decoder, root) ||
        !sim_settings_apply(arena, &sim_scenario_record, root, settings, setting_count, decoder->error) ||
        !sim_decode_root(decoder, &sim_scenario_record, root, raw))
        return false;
    out->name = raw->scenario;
    out->about = raw->about != NULL ? raw->about : "";
    out->duration = raw->duration;
    sim_resolver resolver = {decoder, raw, out};
    if (!sim_resolve_places(&resolver) || !sim_resolve_capacity(&resolver) || !sim_resolve_restarts(&resolver) ||
        !sim_resolve_workloads(&resolver) || !sim_resolve_faults(&resolver) || !sim_resolve_outcome(&resolver))
        return false;
    out->canonical = sim_canonical_scenario(arena, raw);
    return true;
}

/* Takes over the arena. */
static sim_scenario *create(sim_arena *arena, const char *path, const char *text, size_t length,
                            const sim_setting *settings, size_t setting_count, sim_input_error *error)
{
    sim_scenario *out = sim_arena_alloc(arena, sizeof *out);
    sim_decoder decoder = {.arena = arena, .source = source_create(arena, path), .error = error};
    out->arena = arena;
    out->path = decoder.source->path;
    out->text = text;
    out->text_length = length;
    if (fill(&decoder, out, settings, setting_count))
        return out;
    sim_arena_destroy(arena);
    return NULL;
}

sim_scenario *sim_scenario_parse(const char *path, const char *text, size_t length, const sim_setting *settings,
                                 size_t setting_count, sim_input_error *error)
{
    sim_arena *arena = sim_arena_create();
    *error = (sim_input_error){0};
    return create(arena, path, sim_arena_copy(arena, text, length), length, settings, setting_count, error);
}

sim_scenario *sim_scenario_load(const char *path, const sim_setting *settings, size_t setting_count,
                                sim_input_error *error)
{
    sim_arena *arena = sim_arena_create();
    const char *text;
    size_t length;
    *error = (sim_input_error){0};
    if (sim_file_read(arena, path, &text, &length, error))
        return create(arena, path, text, length, settings, setting_count, error);
    sim_arena_destroy(arena);
    return NULL;
}

void sim_scenario_destroy(sim_scenario *scenario)
{
    if (scenario != NULL)
        sim_arena_destroy(scenario->arena);
}

static const char *look_up(void *context, const char *variable)
{
    const sim_scenario *scenario = context;
    for (uint32_t i = 0; i < scenario->environment_count; i++) {
        if (strcmp(scenario->environment[i].variable, variable) == 0)
            return scenario->environment[i].value;
    }
    return NULL;
}

rgn_environment sim_scenario_environment(const sim_scenario *scenario)
{
    /* The look-up only reads; the core's interface has no const context. */
    union {
        const sim_scenario *scenario;
        void *context;
    } borrowed = {.scenario = scenario};
    return (rgn_environment){look_up, borrowed.context};
}

bool sim_effective_options(const sim_scenario *scenario, const sim_policy *policy, const sim_workload *workload,
                           const rgn_environment *environment, rgn_effective_options *out, sim_input_error *error)
{
    rgn_options_error wrong;
    const rgn_option_layer *operation = workload != NULL ? &workload->options : NULL;
    const rgn_option_layer *account = policy != NULL ? &policy->options : NULL;
    if (rgn_options_resolve(operation, account, NULL, environment, out, &wrong) == RGN_OK)
        return true;
    *error = (sim_input_error){0};
    snprintf(error->path, sizeof error->path, "%s", scenario->path);
    const char *name = wrong.knob < RGN_KNOB_COUNT ? rgn_knob_at(wrong.knob)->name : "options";
    if (wrong.variable != NULL) {
        char shown[SIM_SHOW_SIZE];
        snprintf(error->message, sizeof error->message, "the environment's %s=%s is no value for %s", wrong.variable,
                 sim_text_show(wrong.text, shown), name);
        return false;
    }
    snprintf(
        error->message, sizeof error->message,
        "%s is out of range when policy \"%s\", workload \"%s\" and the environment are put together%s", name,
        policy != NULL ? policy->name : "", workload != NULL ? workload->name : "",
        wrong.knob == RGN_KNOB_failback_retrip_floor
            ? "; expected at most failback.success_threshold, and for failback.decide sequential less, and more than 0"
            : "");
    return false;
}
