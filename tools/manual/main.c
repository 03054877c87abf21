/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usage: write_manual man|bash|zsh
 * Writes the manual page or a shell's completion to standard output. The build runs it; nobody installs it. */
#include <string.h>

#include "manual.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } WRITERS[] = {{"man", manual_write_man}, {"bash", manual_write_bash}, {"zsh", manual_write_zsh}};
    for (size_t i = 0; argc == 2 && i < sizeof WRITERS / sizeof *WRITERS; i++) {
        if (strcmp(argv[1], WRITERS[i].name) == 0) {
            WRITERS[i].write(stdout);
            return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 3;
        }
    }
    (void)fputs("usage: write_manual man|bash|zsh\n", stderr);
    return 2;
}
