/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema: the JSON Schema of the YAML files. */
#include "cli/cli.h"

int cli_schema(const cli_arguments *arguments)
{
    if (arguments->operand_count > 0)
        return cli_complain("schema: expected no operand, found \"%s\"", arguments->operand[0]);
    sim_schema_write(stdout);
    return CLI_OK;
}
