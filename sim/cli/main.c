/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regionsim: the program. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0) {
        cli_help(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)puts("regionsim " REGIONSIM_VERSION);
        return CLI_OK;
    }
    const cli_verb *verb = cli_verb_find(argv[1]);
    if (verb == NULL)
        return CLI_USAGE;
    cli_arguments arguments;
    int status = CLI_USAGE;
    if (cli_arguments_parse(verb, argc, argv, &arguments)) {
        if (arguments.help)
            cli_help_of_verb(stdout, verb);
        status = arguments.help ? CLI_OK : cli_outputs_check(&arguments);
        if (status == CLI_OK && !arguments.help)
            status = verb->run(&arguments);
    }
    cli_arguments_deinit(&arguments);
    return status;
}

int main(int argc, char **argv)
{
    /* A file at its size limit is a failed write like any other, not the end of the process. */
    (void)signal(SIGXFSZ, SIG_IGN);
    const int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        (void)fprintf(stderr, "regionsim: cannot write the output: %s\n", strerror(errno));
        return CLI_IO;
    }
    return status;
}
