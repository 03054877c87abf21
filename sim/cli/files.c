/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario/document.h"

enum { PATH_SIZE = 4096, DEPTH_MAX = 8 };

static char *scalar(const sim_node *node)
{
    return strdup(node != NULL && node->type == SIM_NODE_SCALAR ? node->text : "");
}

static void look_at(sim_arena *arena, cli_file *file, sim_input_error *error)
{
    const sim_source source = {.path = file->path};
    const char *text = NULL;
    size_t length = 0;
    if (!sim_file_read(arena, file->path, &text, &length, error))
        return;
    const sim_node *root = sim_document_parse(arena, &source, text, length, error);
    if (root == NULL)
        return;
    const sim_node *scenario = sim_node_get(root, "scenario");
    const sim_node *policy = sim_node_get(root, "policy");
    if (scenario == NULL && policy == NULL) {
        (void)sim_error_at(error, &source, root,
                           "is neither a scenario nor a policy; expected the key scenario or policy");
        return;
    }
    file->kind = scenario != NULL ? CLI_FILE_SCENARIO : CLI_FILE_POLICY;
    file->name = scalar(scenario != NULL ? scenario : policy);
    file->about = scalar(sim_node_get(root, "about"));
}

cli_file cli_file_look(const char *path, sim_input_error *error)
{
    cli_file file = {.path = strdup(path)};
    *error = (sim_input_error){.message = "out of memory"};
    if (file.path == NULL)
        return file;
    sim_arena *arena = sim_arena_create();
    look_at(arena, &file, error);
    sim_arena_destroy(arena);
    return file;
}

void cli_file_deinit(cli_file *file)
{
    free(file->path);
    free(file->name);
    free(file->about);
    *file = (cli_file){0};
}

static bool keep(cli_file_list *list, const cli_file *file)
{
    cli_file *bigger = realloc(list->file, (list->count + 1) * sizeof *bigger);
    if (bigger == NULL)
        return false;
    list->file = bigger;
    list->file[list->count++] = *file;
    return true;
}

static bool take_file(const char *path, cli_file_kind kind, cli_file_list *list)
{
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 5, ".yaml") != 0)
        return true;
    sim_input_error error;
    cli_file file = cli_file_look(path, &error);
    if (file.kind == kind && file.name != NULL && file.about != NULL)
        return keep(list, &file);
    cli_file_deinit(&file);
    return true;
}

static bool walk(const char *folder, cli_file_kind kind, int depth, cli_file_list *list)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return false;
    bool ok = true;
    const struct dirent *entry;
    while (ok && (entry = readdir(directory)) != NULL) {
        char path[PATH_SIZE];
        struct stat status;
        if (entry->d_name[0] == '.' ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path ||
            stat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX)
            ok = walk(path, kind, depth + 1, list);
        else if (S_ISREG(status.st_mode))
            ok = take_file(path, kind, list);
    }
    (void)closedir(directory);
    return ok;
}

static int by_path(const void *left, const void *right)
{
    return strcmp(((const cli_file *)left)->path, ((const cli_file *)right)->path);
}

bool cli_files_find(const char *folder, cli_file_kind kind, cli_file_list *list)
{
    *list = (cli_file_list){0};
    const bool ok = walk(folder, kind, 0, list);
    if (list->count > 0)
        qsort(list->file, list->count, sizeof *list->file, by_path);
    return ok;
}

void cli_file_list_deinit(cli_file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        cli_file_deinit(&list->file[i]);
    free(list->file);
    *list = (cli_file_list){0};
}

char *cli_scenarios_folder(void)
{
    char path[PATH_SIZE] = "scenarios";
    struct stat here;
    struct stat above;
    for (;;) {
        struct stat status;
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            return strdup(path);
        char folder[PATH_SIZE];
        (void)snprintf(folder, sizeof folder, "%s", path);
        folder[strlen(folder) - strlen("scenarios")] = '\0'; /* "" or "../../" */
        char parent[PATH_SIZE + 4];
        (void)snprintf(parent, sizeof parent, "%s../", folder);
        if (strlen(parent) + sizeof "scenarios" > sizeof path || stat(folder[0] == '\0' ? "." : folder, &here) != 0 ||
            stat(parent, &above) != 0 || (here.st_ino == above.st_ino && here.st_dev == above.st_dev))
            return NULL;
        (void)snprintf(path, sizeof path, "%.*s%s", PATH_SIZE - 16, parent, "scenarios");
    }
}
