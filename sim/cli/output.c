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

bool cli_is_database(const char *path)
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
    if (cli_is_database(path)) {
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
