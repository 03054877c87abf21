/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/screen.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cli_screen_width(FILE *out)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = CLI_SCREEN_DEFAULT;
    if (columns != NULL && columns[0] >= '1' && columns[0] <= '9')
        width = strtol(columns, NULL, 10);
    else if (isatty(fileno(out)) != 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    if (width > 10000)
        width = 10000;
    return width < CLI_SCREEN_MIN ? CLI_SCREEN_MIN : (int)width;
}

bool cli_has_screen(FILE *out)
{
    return getenv("COLUMNS") != NULL || isatty(fileno(out)) != 0;
}

int cli_screen_height(FILE *out)
{
    const char *lines = getenv("LINES");
    struct winsize size;
    long height = CLI_SCREEN_LINES;
    if (lines != NULL && lines[0] >= '1' && lines[0] <= '9')
        height = strtol(lines, NULL, 10);
    else if (isatty(fileno(out)) != 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        height = size.ws_row;
    return height > 100000 ? 100000 : (int)height;
}

int cli_prose_width(FILE *out)
{
    const int width = cli_screen_width(out);
    return width < CLI_PROSE_WIDTH ? width : CLI_PROSE_WIDTH;
}
