/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/unjudged.h"

#include <stdlib.h>
#include <string.h>

#include "cli/files.h"

enum { FOLDER_SIZE = 512, LEVELS_MAX = 64, NAMES_MAX = 1024 };

/* What a policy may be called: its own name, and that of its file. */
typedef struct {
    size_t count;
    char *name[NAMES_MAX];
    bool out_of_memory;
} names;

static void add(names *self, const char *name, size_t length)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strncmp(self->name[i], name, length) == 0 && self->name[i][length] == '\0')
            return;
    }
    if (self->count == NAMES_MAX || length == 0)
        return;
    char *copy = strndup(name, length);
    if (copy == NULL)
        self->out_of_memory = true;
    else
        self->name[self->count++] = copy;
}

static void add_folder(names *self, const char *folder)
{
    cli_file_list list;
    (void)cli_files_find(folder, CLI_FILE_POLICY, &list); /* most folders do not exist */
    for (size_t i = 0; i < list.count; i++) {
        const char *slash = strrchr(list.file[i].path, '/');
        const char *file = slash == NULL ? list.file[i].path : slash + 1;
        add(self, list.file[i].name, strlen(list.file[i].name));
        add(self, file, strlen(file) - strlen(".yaml"));
    }
    cli_file_list_deinit(&list);
}

/* Where --policy looks for a name: beside `folder`'s files and above. */
static void add_from(names *self, const char *folder, size_t length)
{
    static const char *const PLACES[] = {"policies", "scenarios/policies"};
    char at[FOLDER_SIZE];
    (void)snprintf(at, sizeof at, "%.*s", (int)length, folder);
    for (int level = 0; level < LEVELS_MAX; level++) {
        for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
            char path[FOLDER_SIZE + 32];
            (void)snprintf(path, sizeof path, "%s%s", at, PLACES[i]);
            add_folder(self, path);
        }
        if (!sim_folder_climb(at, sizeof at))
            break;
    }
}

static bool is_among(const char *name, const sim_policy *const *policy, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        if (strcmp(policy[p]->name, name) == 0)
            return true;
    }
    return false;
}

/* Counts the expectations of each policy that is not in the run. */
static size_t collect(const sim_scenario *scenario, const sim_policy *const *policy, uint32_t policy_count,
                      cli_unjudged *list)
{
    size_t count = 0;
    for (uint32_t e = 0; e < scenario->expectation_count; e++) {
        const char *name = scenario->expectation[e].policy;
        if (name == NULL || is_among(name, policy, policy_count))
            continue;
        size_t i = 0;
        while (i < count && strcmp(list[i].policy, name) != 0)
            i++;
        if (i == count)
            list[count++] = (cli_unjudged){.policy = name};
        list[i].count++;
    }
    return count;
}

static void look_up(const names *known, cli_unjudged *one)
{
    for (size_t i = 0; i < known->count; i++)
        one->is_known = one->is_known || strcmp(known->name[i], one->policy) == 0;
    const char *nearest = sim_nearest(one->policy, (const char *const *)known->name, known->count);
    if (!one->is_known && nearest != NULL)
        (void)snprintf(one->nearest, sizeof one->nearest, "%s", nearest);
}

bool cli_unjudged_find(const sim_scenario *scenario, const sim_policy *const *policy, uint32_t policy_count,
                       cli_unjudged **list, size_t *count)
{
    *count = 0;
    *list = calloc(scenario->expectation_count + 1, sizeof **list);
    names *known = calloc(1, sizeof *known);
    bool ok = *list != NULL && known != NULL;
    if (ok)
        *count = collect(scenario, policy, policy_count, *list);
    if (ok && *count > 0) {
        const char *slash = strrchr(scenario->path, '/');
        for (uint32_t p = 0; p < policy_count; p++)
            add(known, policy[p]->name, strlen(policy[p]->name));
        if (slash != NULL)
            add_from(known, scenario->path, (size_t)(slash - scenario->path) + 1);
        add_from(known, "", 0);
        ok = !known->out_of_memory;
        for (size_t i = 0; i < *count; i++)
            look_up(known, &(*list)[i]);
    }
    for (size_t i = 0; known != NULL && i < known->count; i++)
        free(known->name[i]);
    free(known);
    return ok;
}

void cli_unjudged_explain(const cli_unjudged *one, FILE *out)
{
    (void)fprintf(out, "%u expectation%s of %s: no policy of that name in this run", one->count,
                  one->count == 1 ? "" : "s", one->policy);
    if (!one->is_known)
        (void)fputs(", nor in a file nearby", out);
    if (one->nearest[0] != '\0')
        (void)fprintf(out, "; did you mean \"%s\"?", one->nearest);
}

void cli_unjudged_warn(const sim_scenario *scenario, const cli_unjudged *list, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_known)
            continue;
        (void)fprintf(out, "warning: %s: not judged: ", scenario->name);
        cli_unjudged_explain(&list[i], out);
        (void)fputc('\n', out);
    }
}
