#include "cli/cli.h"
int cli_check(const cli_arguments *arguments)
{
    (void)arguments;
    return 0;
}
