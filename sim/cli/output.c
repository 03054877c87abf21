/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

enum { PATH_SIZE = 4200 };

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

bool cli_output_write(const char *path, void (*put)(void *context, FILE *out), void *context)
{
    char draft[PATH_SIZE];
    if (strcmp(path, "-") == 0) {
        put(context, stdout);
        return true; /* main() looks at standard output at the end */
    }
    if (is_special(path))
        return write_to(path, put, context) || refuse(path);
    if ((size_t)snprintf(draft, sizeof draft, "%s.%ld.draft", path, (long)getpid()) >= sizeof draft) {
        errno = ENAMETOOLONG;
        return refuse(path);
    }
    if (write_to(draft, put, context) && rename(draft, path) == 0)
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
