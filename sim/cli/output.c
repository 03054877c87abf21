/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "store/lock.h"

enum { DRAFT_SIZE = SIM_STORE_PATH_SIZE + 32 };

static bool refuse(const char *path)
{
    (void)cli_complain("cannot write %s: %s", path, strerror(errno));
    return false;
}

/* A device or pipe is written to as it is. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool write_to(const char *path, void (*put)(void *context, FILE *out), void *context)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return false;
    put(context, out);
    const bool is_written = fflush(out) == 0 && ferror(out) == 0;
    return fclose(out) == 0 && is_written;
}

/* Whether there is an SQLite database of that name. A result that took its place would be a loss. */
static bool is_database(const char *path)
{
    char head[16] = "";
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const bool is_one =
        file != NULL && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "SQLite format 3", 16) == 0;
    if (file != NULL)
        (void)fclose(file);
    return is_one;
}

bool cli_output_write(const char *path, void (*put)(void *context, FILE *out), void *context)
{
    char draft[DRAFT_SIZE];
    char target[SIM_STORE_PATH_SIZE]; /* the file at the end of a symbolic link */
    sim_store_error error = {0};
    if (strcmp(path, "-") == 0) {
        put(context, stdout);
        return true; /* main() looks at standard output at the end */
    }
    if (is_special(path))
        return write_to(path, put, context) || refuse(path);
    if (is_database(path)) {
        (void)cli_complain("cannot write %s: it is a database, which nothing else must replace", path);
        return false;
    }
    if (!sim_store_locate(path, target, &error)) {
        (void)cli_report_store(&error);
        return false;
    }
    (void)snprintf(draft, sizeof draft, "%s.%ld.draft", target, (long)getpid());
    if (write_to(draft, put, context) && rename(draft, target) == 0)
        return true;
    const int why = errno;
    (void)unlink(draft);
    errno = why;
    return refuse(path);
}

/* Whether both names are, or would become, the same file. */
static bool is_same(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static bool is_among(const char *path, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] != NULL && is_same(path, list[i]))
            return true;
    }
    return false;
}

static bool is_read(const cli_arguments *arguments, const char *path)
{
    const char *const others[] = {arguments->baseline, arguments->effective, arguments->db};
    return is_among(path, (const char *const *)arguments->operand, (size_t)arguments->operand_count) ||
           is_among(path, arguments->policy, arguments->policy_count) ||
           is_among(path, (const char *const *)arguments->scenario, arguments->scenario_count) ||
           is_among(path, (const char *const *)arguments->hold_out, arguments->hold_out_count) ||
           is_among(path, others, sizeof others / sizeof *others);
}

/* A new file needs a folder that takes it. */
static bool has_folder(const char *path)
{
    char target[SIM_STORE_PATH_SIZE];
    sim_store_error error = {0};
    if (!sim_store_locate(path, target, &error)) {
        (void)cli_report_store(&error);
        return false;
    }
    char *slash = strrchr(target, '/');
    if (slash != NULL)
        slash[slash == target ? 1 : 0] = '\0';
    return access(slash != NULL ? target : ".", W_OK | X_OK) == 0 || refuse(path);
}

int cli_outputs_check(const cli_arguments *arguments)
{
    const char *const files[] = {arguments->output, arguments->json, arguments->junit, arguments->markdown,
                                 arguments->fit};
    const size_t count = sizeof files / sizeof *files;
    for (size_t i = 0; i < count; i++) {
        const char *path = files[i];
        if (path == NULL || strcmp(path, "-") == 0 || is_special(path))
            continue;
        if (is_database(path))
            return cli_complain("cannot write %s: it is a database, which nothing else must replace", path);
        if (is_read(arguments, path))
            return cli_complain("cannot write %s: the command names it for something else", path);
        if (is_among(path, files, i))
            return cli_complain("cannot write %s: two options name it", path);
        if (!has_folder(path))
            return CLI_IO;
    }
    return CLI_OK;
}

char *cli_text(const char *format, ...)
{
    char *text = NULL;
    size_t size = 0;
    va_list arguments;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    va_start(arguments, format);
    (void)vfprintf(out, format, arguments);
    va_end(arguments);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
