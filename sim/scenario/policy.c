/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policies: the account layer of options, a file on top of the files it is based on. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario/load.h"

enum { PATH_SIZE = 512, CHAIN_MAX = 16, NAMES_MAX = 256, LEVELS_MAX = 64 };

#define SUFFIX ".yaml"

typedef struct {
    sim_arena *arena;
    sim_input_error *error;
    const char *chain[CHAIN_MAX]; /* paths of the files being read, each based on the next */
    size_t chain_length;
} loader;

/* Length of the folder's part of a path, its slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

static bool is_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The policy in `folder` ("" is the current one) whose name is nearest; NULL if none is close. */
static const char *nearest_policy(sim_arena *arena, const char *folder, const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    DIR *directory = opendir(folder[0] != '\0' ? folder : ".");
    if (directory == NULL)
        return NULL;
    for (const struct dirent *entry = readdir(directory); entry != NULL && count < NAMES_MAX;
         entry = readdir(directory)) {
        const size_t length = strlen(entry->d_name);
        const size_t suffix = strlen(SUFFIX);
        if (length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0)
            names[count++] = sim_arena_copy(arena, entry->d_name, length - suffix);
    }
    closedir(directory);
    qsort(names, count, sizeof *names, by_text); /* folders have no order */
    return sim_nearest(name, names, count);
}

static bool load_layers(loader *self, const char *path, const char *text, size_t length, sim_raw_policy *raw);

/* Reads the policy that `raw` is based on and lays it under `raw`'s own options. */
static bool load_base(loader *self, sim_decoder *decoder, const char *path, sim_raw_policy *raw)
{
    const sim_node *node = sim_node_get(raw->node, "based_on");
    const int folder = (int)folder_length(path);
    char *base_path = sim_arena_alloc(self->arena, PATH_SIZE);
    char folder_path[PATH_SIZE];
    snprintf(base_path, PATH_SIZE, "%.*s%s" SUFFIX, folder, path, raw->based_on);
    snprintf(folder_path, sizeof folder_path, "%.*s", folder, path);
    sim_decoder_enter(decoder, "based_on");
    for (size_t i = 0; i < self->chain_length; i++) {
        if (strcmp(self->chain[i], base_path) == 0)
            return sim_decoder_fail(
                decoder, node, "\"%s\" is based on this policy itself; expected an end to the chain", raw->based_on);
    }
    if (self->chain_length == CHAIN_MAX)
        return sim_decoder_fail(decoder, node, "more than 16 policies based on each other");
    if (!is_file(base_path))
        return sim_decoder_unexpected(decoder, node, "the name of a policy file beside this one",
                                      nearest_policy(self->arena, folder_path, raw->based_on));
    const char *text;
    size_t length;
    sim_raw_policy *base = sim_arena_alloc(self->arena, sizeof *base);
    if (!sim_file_read(self->arena, base_path, &text, &length, self->error) ||
        !load_layers(self, base_path, text, length, base))
        return false;
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        if (raw->knobs.layer.is_set[id] || !base->knobs.layer.is_set[id])
            continue;
        raw->knobs.layer.is_set[id] = true;
        raw->knobs.node[id] = base->knobs.node[id];
        rgn_options_set(&raw->knobs.layer.values, (rgn_knob_id)id,
                        rgn_options_get(&base->knobs.layer.values, (rgn_knob_id)id));
    }
    return true;
}

static bool load_layers(loader *self, const char *path, const char *text, size_t length, sim_raw_policy *raw)
{
    sim_source *source = sim_arena_alloc(self->arena, sizeof *source);
    source->path = path;
    sim_decoder decoder = {.arena = self->arena, .source = source, .error = self->error};
    self->chain[self->chain_length++] = path;
    const sim_node *root = sim_document_parse(self->arena, source, text, length, self->error);
    if (root == NULL)
        return false;
    const sim_node *scenario = sim_node_get(root, "scenario");
    if (scenario != NULL && sim_node_get(root, "policy") == NULL)
        return sim_decoder_fail(&decoder, scenario->key, "this is a scenario; expected a policy");
    if (!sim_decode_root(&decoder, &sim_policy_record, root, raw))
        return false;
    return raw->based_on == NULL || load_base(self, &decoder, path, raw);
}

static bool apply_setting(loader *self, const sim_setting *setting, sim_raw_knobs *knobs)
{
    sim_source *source = sim_arena_alloc(self->arena, sizeof *source);
    sim_node *node = sim_arena_alloc(self->arena, sizeof *node);
    source->setting = setting;
    node->source = source;
    const rgn_knob_id id = rgn_knob_find(setting->key);
    if (id == RGN_KNOB_COUNT) {
        const char *known[RGN_KNOB_COUNT];
        for (int i = 0; i < RGN_KNOB_COUNT; i++)
            known[i] = rgn_knob_at((rgn_knob_id)i)->name;
        const char *nearest = sim_nearest(setting->key, known, RGN_KNOB_COUNT);
        return sim_error_at(
            self->error, source, NULL, "unknown option; expected a policy's option or scenario.<path>%s%s%s",
            nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    }
    char message[512];
    int64_t value;
    if (!sim_parse_knob(id, setting->value, &value, message, sizeof message))
        return sim_error_at(self->error, source, NULL, "%s", message);
    rgn_options_set(&knobs->layer.values, id, value);
    knobs->layer.is_set[id] = true;
    knobs->node[id] = node;
    return true;
}

/* The knob that breaker.health region asks for another value of. */
static rgn_knob_id bars_health(const rgn_options *options)
{
    if (options->breaker_rule != RGN_RULE_CONSECUTIVE)
        return RGN_KNOB_breaker_rule;
    return options->breaker_tally != RGN_TALLY_PER_REGION ? RGN_KNOB_breaker_tally : RGN_KNOB_failback_strategy;
}

static bool refuse_health(loader *self, const sim_raw_policy *raw, const rgn_options *options)
{
    const rgn_knob_id id = bars_health(options);
    const char *expected = id == RGN_KNOB_breaker_rule    ? "consecutive"
                           : id == RGN_KNOB_breaker_tally ? "per_region"
                                                          : "tentative";
    const sim_node *node = raw->knobs.node[RGN_KNOB_breaker_health];
    char found[64];
    sim_format_knob(id, rgn_options_get(options, id), found, sizeof found);
    return sim_error_at(self->error, node->source, node, "breaker.health is region, and %s is %s; expected %s",
                        rgn_knob_at(id)->name, found, expected);
}

static bool fail_floor(loader *self, const sim_raw_policy *raw, const rgn_options *options)
{
    char floor[64];
    char threshold[64];
    sim_format_knob(RGN_KNOB_failback_retrip_floor, options->failback_retrip_floor, floor, sizeof floor);
    sim_format_knob(RGN_KNOB_failback_success_threshold, options->failback_success_threshold, threshold,
                    sizeof threshold);
    /* The defaults go together, so that one of the three is the policy's own. */
    const rgn_knob_id any[] = {RGN_KNOB_failback_retrip_floor, RGN_KNOB_failback_success_threshold,
                               RGN_KNOB_failback_decide};
    size_t first = 0;
    while (raw->knobs.node[any[first]] == NULL)
        first++;
    const sim_node *node = raw->knobs.node[any[first]];
    return sim_error_at(self->error, node->source, node,
                        "failback.retrip_floor is %s; expected %s failback.success_threshold, which is %s", floor,
                        options->failback_decide == RGN_DECIDE_SEQUENTIAL
                            ? "more than 0 (failback.decide is sequential) and less than"
                            : "at most",
                        threshold);
}

/* What the ranges of single values cannot tell: values that do not go together, and those between that are none. */
static bool check_together(loader *self, const sim_raw_policy *raw)
{
    rgn_options options;
    rgn_knob_id wrong;
    rgn_options_default(&options);
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        if (raw->knobs.layer.is_set[id])
            rgn_options_set(&options, (rgn_knob_id)id, rgn_options_get(&raw->knobs.layer.values, (rgn_knob_id)id));
    }
    if (rgn_options_validate(&options, &wrong) == RGN_OK)
        return true;
    if (wrong == RGN_KNOB_breaker_health)
        return refuse_health(self, raw, &options);
    if (wrong == RGN_KNOB_failback_retrip_floor)
        return fail_floor(self, raw, &options);
    char value[64];
    sim_format_knob(wrong, rgn_options_get(&options, wrong), value, sizeof value);
    const sim_node *node = raw->knobs.node[wrong];
    return sim_error_at(self->error, node->source, node, "%s is %s; expected more than 0, or auto",
                        rgn_knob_at(wrong)->name, value);
}

static bool fill(loader *self, sim_policy *out, const sim_setting *settings, size_t setting_count)
{
    sim_raw_policy *raw = sim_arena_alloc(self->arena, sizeof *raw);
    if (!load_layers(self, out->path, out->text, out->text_length, raw))
        return false;
    for (size_t i = 0; i < setting_count; i++) {
        if (strncmp(settings[i].key, SIM_SETTING_PREFIX, strlen(SIM_SETTING_PREFIX)) != 0 &&
            !apply_setting(self, &settings[i], &raw->knobs))
            return false;
    }
    if (!check_together(self, raw))
        return false;
    out->name = raw->policy;
    out->about = raw->about != NULL ? raw->about : "";
    out->options = raw->knobs.layer;
    out->canonical = sim_canonical_policy(self->arena, &out->options);
    return true;
}

/* Takes over the arena. */
static sim_policy *create(sim_arena *arena, const char *path, const char *text, size_t length,
                          const sim_setting *settings, size_t setting_count, sim_input_error *error)
{
    loader self = {.arena = arena, .error = error};
    sim_policy *out = sim_arena_alloc(arena, sizeof *out);
    out->arena = arena;
    out->path = sim_arena_string(arena, path);
    out->text = text;
    out->text_length = length;
    if (fill(&self, out, settings, setting_count))
        return out;
    sim_arena_destroy(arena);
    return NULL;
}

sim_policy *sim_policy_parse(const char *path, const char *text, size_t length, const sim_setting *settings,
                             size_t setting_count, sim_input_error *error)
{
    sim_arena *arena = sim_arena_create();
    *error = (sim_input_error){0};
    return create(arena, path, sim_arena_copy(arena, text, length), length, settings, setting_count, error);
}

/* Looks for NAME.yaml in the policies of `folder` and of all folders above it. `*nearest` becomes the most similar name
 * seen, unless it has one already. */
static bool find_from(sim_arena *arena, const char *name, int folder_size, const char *folder, char *path, size_t size,
                      const char **nearest)
{
    static const char *const places[] = {"policies", "scenarios/policies"};
    char at[PATH_SIZE];
    snprintf(at, sizeof at, "%.*s", folder_size, folder);
    for (int level = 0; level < LEVELS_MAX; level++) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(path, size, "%s%s", at, places[i]);
            if (*nearest == NULL)
                *nearest = nearest_policy(arena, path, name);
            const int length = snprintf(path, size, "%s%s/%s" SUFFIX, at, places[i], name);
            if ((size_t)length < size && is_file(path))
                return true;
        }
        if (!sim_folder_climb(at, sizeof at))
            break;
    }
    return false;
}

/* Finds the file of a policy's name: near the scenario, else near the current folder. */
static bool find(sim_arena *arena, const char *name, const char *near_path, char *path, size_t size,
                 sim_input_error *error)
{
    const char *nearest = NULL;
    if (near_path != NULL && find_from(arena, name, (int)folder_length(near_path), near_path, path, size, &nearest))
        return true;
    if (find_from(arena, name, 0, "", path, size, &nearest))
        return true;
    snprintf(path, size, "%s", name);
    if (is_file(path))
        return true;
    char shown[SIM_SHOW_SIZE];
    const sim_source source = {0};
    return sim_error_at(error, &source, NULL,
                        "no policy %s; expected a file, or the name of one in a folder policies or scenarios/policies "
                        "beside or above %s%s%s%s%s",
                        sim_text_show(name, shown), near_path != NULL ? near_path : "here",
                        near_path != NULL ? " or here" : "", nearest != NULL ? "; did you mean \"" : "",
                        nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

sim_policy *sim_policy_load(const char *path_or_name, const char *near_path, const sim_setting *settings,
                            size_t setting_count, sim_input_error *error)
{
    sim_arena *arena = sim_arena_create();
    char found[PATH_SIZE];
    const char *path = path_or_name;
    const char *text;
    size_t length;
    *error = (sim_input_error){0};
    const size_t name_length = strlen(path);
    const bool is_path = strchr(path, '/') != NULL ||
                         (name_length > strlen(SUFFIX) && strcmp(path + name_length - strlen(SUFFIX), SUFFIX) == 0);
    bool is_good = is_path;
    if (!is_path) {
        is_good = find(arena, path_or_name, near_path, found, sizeof found, error);
        path = found;
    }
    if (is_good && sim_file_read(arena, path, &text, &length, error))
        return create(arena, path, text, length, settings, setting_count, error);
    sim_arena_destroy(arena);
    return NULL;
}

void sim_policy_destroy(sim_policy *policy)
{
    if (policy != NULL)
        sim_arena_destroy(policy->arena);
}
