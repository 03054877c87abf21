/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where files are looked for: beside the one that names them, then in every folder above. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario/scenario.h"

enum { LEVELS_MAX = 64 }; /* folders to climb */

bool sim_folder_climb(char *folder, size_t size)
{
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0)
        return false;
    const bool is_up = length == 0 || (length >= 3 && strcmp(folder + length - 3, "../") == 0);
    if (is_up) {
        if (length + sizeof "../" > size)
            return false;
        memcpy(folder + length, "../", sizeof "../");
        return true;
    }
    for (length--; length > 0 && folder[length - 1] != '/';)
        length--;
    folder[length] = '\0';
    return true;
}

/* Something lies there. What cannot be looked at counts too: opening it will say why. */
static bool is_there(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

char *sim_data_file_find(const char *scenario_path, const char *name)
{
    static const char *const places[] = {"data/", "scenarios/data/"};
    const size_t room = strlen(scenario_path) + 3 * LEVELS_MAX + sizeof "scenarios/data/.csv" + strlen(name) + 1;
    char *folder = calloc(room, 1);
    char *path = calloc(room, 1);
    bool is_found = false;
    if (folder == NULL || path == NULL)
        goto out;
    const char *slash = strrchr(scenario_path, '/');
    if (slash != NULL)
        memcpy(folder, scenario_path, (size_t)(slash - scenario_path) + 1);
    for (int level = 0; level < LEVELS_MAX && !is_found; level++) {
        for (size_t i = 0; i < sizeof places / sizeof *places && !is_found; i++) {
            snprintf(path, room, "%s%s%s.csv", folder, places[i], name);
            is_found = is_there(path);
        }
        if (!is_found && !sim_folder_climb(folder, room))
            break;
    }
out:
    free(folder);
    if (is_found)
        return path;
    free(path);
    return NULL;
}
