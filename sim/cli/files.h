/* SPDX-License-Identifier: GPL-3.0-or-later */
/* YAML files as the user sees them: what a file is, and which there are. */
#ifndef SIM_CLI_FILES_H
#define SIM_CLI_FILES_H

#include "scenario/scenario.h"

typedef enum { CLI_FILE_OTHER = 0, CLI_FILE_SCENARIO = 1, CLI_FILE_POLICY = 2 } cli_file_kind;

typedef struct {
    cli_file_kind kind;
    char *path;
    char *name;
    char *about;
} cli_file;

/* Looks at the top of a file only; OTHER with `*error` where it cannot be read, parsed, or told apart. Free the texts
 * with cli_file_deinit(). */
cli_file cli_file_look(const char *path, sim_input_error *error);
void cli_file_deinit(cli_file *file);

typedef struct {
    size_t count;
    cli_file *file; /* by path */
} cli_file_list;

/* All files of that kind in `folder` and below. A file that cannot be read as YAML is left out. False: the folder
 * cannot be read, or no memory. */
bool cli_files_find(const char *folder, cli_file_kind kind, cli_file_list *list);
void cli_file_list_deinit(cli_file_list *list);

/* The nearest folder named scenarios, here or above. The caller frees it; NULL if there is none. */
char *cli_scenarios_folder(void);

#endif
